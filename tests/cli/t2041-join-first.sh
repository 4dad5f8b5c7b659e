#!/usr/bin/env bash
# The first thread can be joined like any other: by each way to do it, what it did comes before.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
[ -n "$LLVMS" ] || skip_all "no pass was built"

file=$SRC/tests/programs/joins/join_main.c
FORESEE_LLVM=${LLVMS##*[[:space:]]} foresee-cc -O1 -g "$file" -o full -pthread || exit 2
${CC:-cc} -O1 -g "$file" -o locks -pthread || exit 2

for how in join tryjoin timedjoin clockjoin thrd_join; do
	run timeout 60 foresee record -o full.foresee ./full $how
	is "$status" 0 "$how: ends as ever"
	ok "$how: is consistent" foresee verify full.foresee
	run foresee check full.foresee
	is "$status" 0 "$how: nothing races"
	run foresee print full.foresee
	has out 'T2:[0-9]+ +join +T1' "$how: the join is there"
done
run timeout 60 foresee record --locks-only -o locks.foresee ./locks join
is "$status" 0 "locks only: ends as ever"
run foresee print locks.foresee
has out 'T2:[0-9]+ +join +T1' "locks only: the join is there"
done_testing
