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

# The same for what is tried in vain, by two threads at once: the first time is there.
ok "the other program builds" foresee-cc -g -O1 -mcx16 -pthread -I"$here" "$here/sizes/tries.c" order.o -o tries
for way in mutex timed reader writer spin sem join exchange flag cas16 load16; do
	for reads in "" reads; do
		[ "$way$reads" = timedreads ] && continue # the wait of a timed call is told of each time
		run foresee record -o trace ./tries $way 2000 $reads
		is "$status" 0 "$way $reads: ends well"
		run foresee verify trace
		is "$status" 0 "$way $reads: consistent"
		ok "$way $reads: $(events) events" test "$(events)" -le 250 # of 2000 and more: each run of repeated reads has its first ones
	done
	run foresee print trace
	has out ' T3:.* (tryfail|semfail|joinfail|rmw .* 1 -> 1|read .*:both).*in gets' "$way: the first try is there"
	has out ' T3:.* (lock|rdlock|semwait|join|rmw .* 0 -> 1|(read|write) .*:both.*)  .*in gets' "$way: and the one that succeeds"
done
run foresee record --locks-only -o trace ./tries mutex 2000
run foresee verify trace
ok "--locks-only: $(events) events" test "$(events)" -le 150
run foresee record --full -o trace.full ./tries mutex 2000
run foresee verify trace.full
ok "--full: all of them" test "$(events)" -ge 4000

# What a killed one did before it tried in vain is known, and what it did in between is not.
for way in mutex exchange; do
	run foresee record -o trace ./tries $way 0 reads
	run foresee print trace
	has out ' T3:.* write .*:data .*in tries' "$way, killed: what came before is there"
	has out ' T3:.* unknown ' "$way, killed: reads may be missing"
	awk '/T3:.*(tryfail|rmw)/ { seen = 1 } / T3:.* unknown / { exit !seen }' out
	is $? 0 "$way, killed: after the first try"
done
done_testing
