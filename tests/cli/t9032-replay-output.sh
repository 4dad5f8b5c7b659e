#!/usr/bin/env bash
# What a replay tells: output that is no text for a terminal, a write that changes nothing of what a larger
# read sees, locks in allocated memory.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

foresee-cc -g -O1 -pthread "$SRC/tests/programs/replay/bytes.c" -o bytes || exit 2
foresee record -q -o bytes.foresee ./bytes >/dev/null || exit 2
run timeout 60 foresee replay bytes.foresee 1
is "$status" 0 "replayed"
has out '^  the write changes nothing here: it writes what is there$' "the write changes nothing"
has out '^      \| a\?b\?\[2Jc\?7$' "no control characters"
has out '^      \| x{200}\.\.\.$' "no endless lines"
has out '^  no difference seen: either way' "and both orders end alike"

# A use of what was freed is that, however it ends.
foresee-cc -g -O1 -pthread "$SRC/tests/programs/replay/retired.c" -o retired || exit 2
foresee record -q -o retired.foresee ./retired || exit 2
id=$(foresee check -q retired.foresee | sed -n 's/^\([0-9]*\)  data race on pool\.lock .*/\1/p')
run timeout 60 foresee replay retired.foresee "$id"
is "$status" 0 "retired: replayed"
has out '^  T2 stands before its unlock of pool\.lock' "retired: before an unlock"
has out '^  the order free, unlock uses freed memory; apart from that, ' "retired: and that is a use after free"

# Locks that are in no variable have the names of the recording, and tell which is which.
foresee-cc -g -O1 -pthread "$SRC/tests/programs/replay/accounts.c" -o accounts || exit 2
foresee record -q -o accounts.foresee ./accounts || exit 2
foresee check -q --witness-dir proofs accounts.foresee >report
id=$(sed -n 's/^\([0-9]*\)  deadlock of .*/\1/p' report)
circle='T2 waits for account\.lock \(([^)]*)\), which T3 holds T3 waits for account\.lock \(([^)]*)\), which T2 holds'
for what in "$id" "proofs/$id.witness"; do
	run timeout 60 foresee replay accounts.foresee "$what"
	is "$status" 0 "$what: replayed"
	has out "^      holds account\.lock \(.*\), taken at .*accounts.c:12 in move$" "$what: who holds what"
	sed -n 's/^  \(T[23] waits for\)/\1/p' out | sort | paste -sd' ' >waits
	has waits "^$circle$" "$what: who waits for what"
	[[ $(cat waits) =~ $circle ]]
	ok "$what: and these are two" test "${BASH_REMATCH[1]}" != "${BASH_REMATCH[2]}"
done
run timeout 60 foresee replay -f json accounts.foresee "$id"
has out '"lock": "account\.lock \([^"]*"' "JSON: the name of a lock"
done_testing
