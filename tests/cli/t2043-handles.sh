#!/usr/bin/env bash
# The handle of a new thread is stored before it runs: no race of its own reads, one of others'.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
[ -n "$LLVMS" ] || skip_all "no pass was built"

file=$SRC/tests/programs/joins/handles.c
for llvm in $LLVMS; do
	FORESEE_LLVM=$llvm foresee-cc -O1 -g "$file" -o prog -pthread || exit 2
	run timeout 60 foresee record -o prog.foresee ./prog
	is "$status" 0 "llvm $llvm: ends as ever"
	ok "llvm $llvm: is consistent" foresee verify prog.foresee
	foresee check -q -a races -f json prog.foresee >report 2>err
	ok "llvm $llvm: the races that there are" awk -f "$SRC/tests/programs/race/expect.awk" "$file" report
done
done_testing
