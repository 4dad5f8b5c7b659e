#!/usr/bin/env bash
# A loop that looks at a word that does not change costs nothing after the first looks, and what it saw
# in the end is there: loads, and compare-exchanges that fail.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

here=$SRC/tests/programs
${CC:-cc} -O1 -c -o order.o "$here/order.c" || exit 2
ok "the program builds" foresee-cc -g -O1 -pthread -I"$here" "$here/sizes/spins.c" order.o -o spins

events() {
	sed -n 's/^consistent: \([0-9]*\) events.*/\1/p' out
}

for way in plain relaxed acquire seq_cst cas cas_relaxed weak; do
	for pause in "" yields; do
		run foresee record -o trace.$way$pause ./spins $way 5000 $pause
		is "$status" 0 "$way $pause: ends well"
		run foresee verify trace.$way$pause
		is "$status" 0 "$way $pause: consistent"
		ok "$way $pause: $(events) events" test "$(events)" -le 100
	done
	run foresee print trace.$way
	has out ' T2:.* read .*:(word|plain) += 0 .*in sees' "$way: the first look is there"
	has out ' T2:.* read .*:(word|plain), .* reread .*in sees' "$way: and the last before it changed"
	has out ' T2:.*:(word|plain) +=( 1| 1 -> 2) .*in sees' "$way: and the one that saw that"
done

# A killed program has not told of the looks after the first: what came of them is not known.
for way in acquire cas; do
	run foresee record -o trace.killed.$way ./spins $way 0
	run foresee print trace.killed.$way
	has out ' T2:.* read .*:word, .* unknown .*in sees' "$way, killed: more looks may be missing"
done

run foresee record --full -o trace.full ./spins cas 5000
run foresee verify trace.full
ok "--full: all of them" test "$(events)" -ge 5000
done_testing
