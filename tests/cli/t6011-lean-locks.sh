#!/usr/bin/env bash
# Lean records of locks: what a program did is what the recording says, recompiled or not.
. "$(dirname "$0")/../lib.sh"
here=$SRC/tests/programs/locks

# events TRACE: operation and offset of each on m, as the program prints them.
events() {
	foresee print "$1" | awk '$3 == "lock" || $3 == "unlock" {
		sub(/^orders\.c:/, "", $4)
		if (sub(/^m\[/, "", $4)) print $3, 40 * $4
		else if (sub(/^m\+?/, "", $4)) print $3, $4 + 0 }'
}

ok "builds" gcc -O1 -g -pthread "$here/orders.c" -o locks-only
ok "builds instrumented" foresee-cc -O1 -g -pthread "$here/orders.c" -o full
for how in locks-only full; do
	option=$([ $how = full ] || echo --$how)
	foresee record -q $option -o orders.foresee ./$how >did
	ok "$how: does something" test "$(wc -l <did)" -gt 40000
	events orders.foresee >says
	ok "$how: the recording says the same" cmp did says
	run foresee verify orders.foresee
	is "$status" 0 "$how: consistent"
	foresee record -q $option -o copies.foresee ./$how copies >did
	events copies.foresee >says
	ok "$how: released, though never taken" cmp did says
done
done_testing
