#!/usr/bin/env bash
# A recording that is read while it is made: every look at it is consistent, and no
# damage is seen.  Windows between cuts, too.
. "$(dirname "$0")/../lib.sh"
for name in bank prodcons; do
	ok "$name builds" foresee-cc -O2 -g -pthread -I"$SRC/tests/perf/kernels" \
		"$SRC/tests/perf/kernels/$name.c" -o $name
done

# grown FILE BYTES: it is there and has so many.
grown() {
	for _ in $(seq 300); do
		[ "$(stat -c %s "$1" 2>/dev/null || echo 0)" -ge "$2" ] && return 0
		sleep 0.02
	done
	return 1
}

# looks NAME N RECORD...: so many, each at another moment of a run; each is consistent.
looks() {
	local name=$1 n=$2 bad=0 damage=0
	shift 2
	for i in $(seq "$n"); do
		rm -f growing.foresee
		foresee record -q -o growing.foresee "$@" >/dev/null 2>&1 &
		grown growing.foresee $((i * 600000)) || bad=$((bad + 1))
		timeout 120 foresee verify growing.foresee >out 2>err || bad=$((bad + 1))
		grep -q '^consistent: [1-9]' out || bad=$((bad + 1))
		grep -Eq 'damage|is missing|cut block|skipped' err && damage=$((damage + 1))
		wait $!
	done
	is "$bad" 0 "$name: $n looks are consistent"
	is "$damage" 0 "$name: none sees damage"
}

n=3
[ -n "$LONG" ] && n=30
looks bank $n ./bank 400000
looks prodcons $n ./prodcons 200000
looks "a ring" $n --keep 8M ./bank 600000

# Windows.
run foresee record -q -o small.foresee ./bank 300000
run foresee stats small.foresee
for cuts in 1:0 2: :3 2:5 4:4 900:; do
	run foresee verify --cuts $cuts small.foresee
	is "$status" 0 "--cuts $cuts is consistent"
	has out '^consistent: ' "--cuts $cuts: verify says so"
done
run foresee verify --cuts 2:5 small.foresee
has err 'begins in the middle of the run, at cut 2 of' "where it begins is said"
run foresee check --cuts 2:5 small.foresee
is "$status" 0 "nothing is wrong in a window of a safe program"
run foresee print --cuts 2:3 small.foresee
has out 'take|acq' "a window is printed"
for bad in 5:2 x 3 1:2:3 -1:2 1:x; do
	run foresee verify --cuts=$bad small.foresee
	is "$status" 2 "--cuts=$bad is refused"
	has err 'FROM:TO' "--cuts=$bad: with advice"
done
done_testing
