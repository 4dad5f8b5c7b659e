#!/usr/bin/env bash
# All functions of libc's headers that take or return a pointer to something they may write to: a call
# of each is made up, made in a process of its own to see what it leaves in memory, and those that leave
# something are recorded.  No race is predicted through what they left, be the function modelled or not,
# and the races that are there are all found.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"
here=$SRC/tests/headers
cc=${CC:-cc}
$cc --version 2>/dev/null | grep -q 'Free Software' || cc=gcc
command -v "$cc" nm >/dev/null || skip_all "no gcc, which lists prototypes"

# The calls.
for header in $(cat "$here/headers.txt"); do
	printf '#if __has_include(<%s.h>)\n#include <%s.h>\n#endif\n' "$header" "$header"
done >list
(echo '#define _GNU_SOURCE' && cat list) >headers.h
# (A compiler cache knows nothing of this file.)
cp headers.h headers.c && CCACHE_DISABLE=1 $cc -std=gnu17 -w -fsyntax-only -aux-info prototypes headers.c || exit 2
for library in libc.so.6 libm.so.6; do
	nm -D --defined-only "$($cc -print-file-name=$library)"
done | awk '$2 ~ /[TWi]/ { sub(/@.*/, "", $3); print $3 }' | sort -u >symbols
ok "prototypes become calls" awk -f "$here/calls.awk" symbols "$here/recipes.txt" prototypes
cp out calls.list
is "$(grep 'no such' err)" "" "every recipe is of a function"
note err
is "$(($(wc -l <calls.list) > 900))" 1 "hundreds of functions"

# What each leaves.
seq 7 400 >7 && seq 8 50 >8-9
clang-14 -O0 -w -I. -I"$here" "$here/find.c" "$here/watch.c" -o find -lm >log 2>&1 || note log
./find </dev/null >found 2>err
is "$?" 0 "each is called by itself"
echo "# $(awk '{ n[$2]++ } END { for (k in n) printf "%s %d  ", k, n[k] }' found)"
echo "# crashed: $(awk '$2 == "crashed" { printf "%s ", $1 }' found)"
awk '$2 == "wrote" { print "W(" $1 ", " $3 ", " $4 ", " $5 ")" } $2 == "static" { print "S(" $1 ", " $4 ")" }' \
	found >found.list
count=$(wc -l <found.list)
is "$((count > 400))" 1 "... most leave something: $count"

# Recorded are these alone.
awk -F'[(, ]' 'NR == FNR { found[$2]; next } $2 in found' found.list calls.list >those && mv those calls.list
${CC:-cc} -O1 -c "$here/watch.c" -o watch.o || exit 2
foresee-cc -g -O1 -w -I. -I"$here" "$here/try.c" watch.o -o try -pthread -lm \
	>log 2>&1 || note log

# try PREDICTED ARGUMENT...
try() {
	local expected=$1
	shift
	timeout 120 foresee record -q -o t.foresee ./try "$@" </dev/null >out 2>said
	is "$?" 0 "recorded $*"
	is "$(($(grep -c 'nothing seen' said) * 20 < count))" 1 "... nearly all left it again"
	foresee check -q -f json --all-pairs t.foresee >report 2>err
	is "$(grep -o '"status": *"predicted"' report | wc -l)" "$expected" "... $expected races are predicted"
}

try 0
try 0 written
try "$count" race
[ -z "${LONG:-}" ] || try "$count" race written
done_testing
