#!/usr/bin/env bash
# A trace that lost its end, and a program that was killed: what is there is used,
# is consistent, and what is missing is said.
. "$(dirname "$0")/../lib.sh"
ok "the program builds" foresee-cc -O2 -g -pthread -I"$SRC/tests/perf/kernels" \
	"$SRC/tests/perf/kernels/bank.c" -o bank

# events: the number in verify's line.
events() {
	sed -n 's/^consistent: \([0-9]*\) events.*/\1/p' out
}

run foresee record -q -o whole.foresee ./bank 100000
run foresee verify whole.foresee
all=$(events)
ok "the whole trace is large" test "$all" -gt 500000
size=$(stat -c %s whole.foresee)
for percent in 40 60 90; do
	head -c $((size * percent / 100)) whole.foresee >cut.foresee
	run foresee verify cut.foresee
	is "$status" 0 "$percent % of it: still consistent"
	has err 'at offset [0-9]+' "$percent % of it: the damage is named by offset"
	ok "$percent % of it: a good part is used" test "$(events)" -gt $((all * percent / 400))
	run foresee stats cut.foresee
	has out '^  complete no' "$percent % of it: not complete"
done

# Killed at moments that follow from the trace's own growth, not from time.
for bytes in 1 2000000 9000000; do
	rm -f killed.foresee
	foresee record -q -o killed.foresee ./bank 5000000 >/dev/null 2>&1 &
	recorder=$!
	until [ "$(stat -c %s killed.foresee 2>/dev/null || echo 0)" -ge $bytes ]; do
		kill -0 $recorder 2>/dev/null || break
	done
	pkill -KILL -P $recorder
	wait $recorder
	is $? 137 "killed past $bytes bytes: 128 + 9"
	run foresee verify killed.foresee
	is "$status" 0 "killed past $bytes bytes: consistent"
	run foresee stats killed.foresee
	has out '^  complete no' "killed past $bytes bytes: not complete"
done
done_testing
