#!/usr/bin/env bash
# Replays of programs that do more than lock and unlock: what sleeps, what is told something by the
# library, what the library does in whichever thread comes first.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

here=$SRC/tests/programs/replay
${CC:-cc} -O1 -c -o order.o "$here/../order.c" || exit 2
export ORDER_OFF=

# build NAME LEVEL [FLAGS]: and record.
build() {
	foresee-cc $2 ${@:3} -D_GNU_SOURCE -g -pthread "$here/$1.c" order.o -o "$1" >log 2>&1 &&
		env -u ORDER_OFF timeout 60 foresee record -q -o "$1.foresee" "./$1" >/dev/null 2>log </dev/null
}

# forced NAME LEVEL TRIES [FLAGS]: its races, but for what is only a warning: that may be no run at all.
forced() {
	local i k n=0 good=0

	build "$1" $2 ${@:4}
	for i in $(foresee check -q "$1.foresee" |
		sed -n 's/^ *\([0-9]*\)  data race on .*predicted, certified$/\1/p'); do
		n=$((n + 1))
		for ((k = 0; k < $3; k++)); do
			run timeout 60 foresee replay --stop "$1.foresee" $i
			[ $status = 0 ] && good=$((good + 1)) || cat out >>said
		done
	done
	is "$((n > 0)) $good" "1 $((n * $3))" "$1 $2: replayed, $3 of $3, $n times"
	[ ! -e said ] || note said 20
	rm -f said
}

for level in -O0 -O2; do
	forced serial $level 5
	forced collector $level 5
	forced signals $level 3
	forced signal_wait $level 3
	forced timer $level 3
	foresee-cc $level -g -shared -fPIC "$here/plugin.c" -o plugin.so || exit 2
	forced plugin $level 5 -DPROGRAM -ldl
	forced cancel $level 1
done

# What a summary counts as predicted is not all certified.
run foresee check collector.foresee
has out '^3 findings \(3 races; 1 of them warning\)\. .*: 3 predicted \(warnings among them\)\.$' \
	"collector: one is only a warning, and the sum says so"

# Behind the point a thread that is asked to end does so, in a wait of ours too.
run timeout 60 foresee replay cancel.foresee 1
is "$status" 0 "cancelled behind the point: replayed"
is "$(grep -c 'the program ends with status 0' out)" 2 "cancelled behind the point: both runs end"

# So do handlers, of a thread that waits.
run timeout 60 foresee replay --time 3 signal_wait.foresee 1
is "$(grep -c 'the program ends with status 0' out)" 2 "a handler in a wait behind the point: both runs end"

# Sleeping takes no time, unless it is asked for.
build sleeps -O1
run timeout 100 foresee replay --stop sleeps.foresee 1 -- ./sleeps 1000
is "$status" 0 "sleeps: replayed, though it sleeps for hours"
run timeout 100 foresee replay --stop --real-time --time 1 sleeps.foresee 1 -- ./sleeps 1000
is "$status" 1 "--real-time: it sleeps"
has out '^  T2  is in the system call clock_nanosleep, at no gate$' "--real-time: who sleeps"

# What changes from run to run is as it was recorded, or it is named.
build clocks -O0
LIMIT=$(($(date +%s) + 3))
LIMIT=$LIMIT foresee record -q -o clocks.foresee ./clocks
foresee print clocks.foresee | grep -q 'write .*early' || fail "clocks: recorded before the limit"
while [ "$(date +%s)" -le "$LIMIT" ]; do
	sleep 0.2
done
LIMIT=$LIMIT run timeout 60 foresee replay --stop clocks.foresee 1
is "$status" 0 "clocks: replayed, though it is later now"
LIMIT=0 run timeout 60 foresee replay --stop clocks.foresee 1
is "$status" 1 "clocks, another environment: not replayed"
has out 'T2 after 0 of its events: expected .*clocks.c:[0-9]* in f.*clocks.c:[0-9]* in f$' "clocks, another environment: the clock is not blamed"
LIMIT=$LIMIT run timeout 60 foresee replay --stop --real-time clocks.foresee 1
is "$status" 1 "clocks, --real-time: not replayed"
has out 'T2 after 0 of its events: expected .*clocks.c:[0-9]* in f.*clocks.c:[0-9]* in f; before that it called time, which gives something else in every run, at .*clocks.c:[0-9]* in f$' "clocks, --real-time: the likely cause"

# What has no gate is refused.
build wide -O1 -mcx16
run timeout 60 foresee replay --stop wide.foresee 1
is "$status" 125 "16 bytes: own failure"
has err '^foresee: event [0-9]* \(w\) cannot be stopped at: it is an atomic access of 16 bytes$' "16 bytes: says why"
done_testing
