#!/usr/bin/env bash
# A trace that lost its end, and a program that was killed: what is there is used,
# is consistent, and what is missing is said.
. "$(dirname "$0")/../lib.sh"
for name in bank matmul; do
	ok "$name builds" foresee-cc -O2 -g -pthread -I"$SRC/tests/perf/kernels" \
		"$SRC/tests/perf/kernels/$name.c" -o $name
done

# events: the number in verify's line.
events() {
	sed -n 's/^consistent: \([0-9]*\) events.*/\1/p' out
}

# cut NAME PERCENT LEAST: that much of NAME.foresee, of which at least so many events are used.
cut_to() {
	head -c $(($(stat -c %s "$1.foresee") * $2 / 100)) "$1.foresee" >cut.foresee
	run foresee verify cut.foresee
	is "$status" 0 "$1, $2 %: still consistent"
	has err 'at offset [0-9]+' "$1, $2 %: the damage is named by offset"
	ok "$1, $2 %: what can be used is used" test "$(events)" -ge "$3"
	run foresee stats cut.foresee
	has out '^  complete no' "$1, $2 %: not complete"
}

# Threads that wait for one another: how far they get without the lost parts is chance.
run foresee record -q -o bank.foresee ./bank 100000
run foresee verify bank.foresee
ok "the whole trace is large" test "$(events)" -gt 500000
for percent in 40 60 90; do
	cut_to bank $percent 1
done

# Threads that need only what the main thread did first: each chunk that is there counts.
run foresee record -q --full -o matmul.foresee ./matmul 52
for percent in 50 75 95; do
	cut_to matmul $percent 10000
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
