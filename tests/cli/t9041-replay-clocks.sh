#!/usr/bin/env bash
# What is another thing in every run, clocks and random bytes, is in a replay what it was in the recording.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"
programs=$SRC/tests/programs/replay

for p in inputs times draws; do
	foresee-cc -g -O0 -pthread "$programs/$p.c" -o $p || exit 2
done

# goods TRIES OPTION...: of so many, how many are replayed at their first try.
goods() {
	local n good=0

	for ((n = 0; n < $1; n++)); do
		timeout 60 foresee replay --stop "${@:2}" t.foresee 1 >out 2>err </dev/null && ! grep -q ', at try' out &&
			good=$((good + 1))
	done
	echo $good
}

# Which of eight lines races is drawn.
sources="clock_gettime timespec_get gettimeofday clock time srand getrandom getentropy"
echo '#include <features.h>
#if __GLIBC_PREREQ(2, 36)
arc4random
#endif' | ${CC:-cc} -E - | grep -q '^arc4random' && sources="$sources arc4random arc4random_uniform arc4random_buf"
for s in $sources; do
	foresee record -q -o t.foresee ./inputs $s >/dev/null 2>err || note err
	is "$(goods 20)" 20 "$s: replayed, 20 of 20"
done
foresee record -q -o t.foresee ./inputs clock_gettime >/dev/null
n=$(goods 20 --real-time)
is "$((n < 20))" 1 "--real-time: clocks are the real ones ($n of 20 came there)"

# A recording that begins before its time, as of another day, is no matter; but not for files and deadlines.
foresee record -q -o times.foresee ./times said || exit 2
foresee check -q --witness-dir w times.foresee >report
sleep 1
waited() {
	awk '/^(condition|mutex|semaphore|sleep|futex) / { n++; if ($2 < 0.29 || $2 > 60) print } END { if (n != 5) print n }' said
}
# steady WHAT: no clock goes back, and time() goes with the others.
steady() {
	is "$(awk '/^(first|second)/ { if ($2 < monotonic) print NR ": " $0; monotonic = $2 }
		/^real/ { if ($2 < real) print NR ": " $0; real = $2 }
		/^time/ { if ($2 < time || $2 > real + 0.001 || $2 < real - 1.02) print NR ": " $0 " after " real; time = $2 }' said)" "" \
		"$1: no clock goes back"
	is "$(waited)" "" "$1: deadlines that were computed by a clock are waited for, and no longer"
}
clocks() { grep -E '^(first|second|real|time)' "$1"; }
steady "recorded"
cp said recorded
run timeout 100 foresee replay --first 1 times.foresee w/1.witness
is "$status" 0 "times: replayed"
steady "replayed"
is "$(clocks said | head -18)" "$(clocks recorded | head -18)" "times: before the point it is the time of the recording"
begun=$(awk '/^first/ { print $2; exit }' recorded) ended=$(awk '/^second/ { at = $2 } END { print at }' said)
ok "times: behind the point the clock goes on from there ($begun to $ended)" \
	awk -v a="$begun" -v b="$ended" 'BEGIN { exit !(b - a < 30) }'

# An order with the second thread's readings first: those of the other, which were earlier, come later.
sed -E 's/^T1:1-([0-9]+) (T2:[-0-9]+) T1:([0-9]+)-([0-9]+)$/T1:1-\4 \2/' w/1.witness >turned.witness
ok "the other order: is one" foresee verify times.foresee turned.witness
cmp -s w/1.witness turned.witness && fail "the other order: is another"
run timeout 100 foresee replay --first 1 times.foresee turned.witness
is "$status" 0 "the other order: replayed"
steady "the other order"
is "$(clocks said | sed -n 's/ .*//; /d$\|t$/p' | head -1)" second "the other order: the second thread reads first"

# Numbers of the library's own row are not given again: the thread that comes first has the first.
foresee record -q -o draws.foresee ./draws || exit 2
run timeout 60 foresee replay --stop draws.foresee 1
is "$status" 1 "rand, by two threads in another order: not replayed"
has out '; before that it called rand, which gives something else in every run, at .*draws.c:[0-9]* in main$' "and says so"
done_testing
