#!/usr/bin/env bash
# How fast each race engine is, on synthetic traces from tracegen.c.
#
#	bench-engines.sh [-n] [-e ENGINE] [-s SHAPE] [TRACEGEN-PARAMETER=N...]
#
# For 1 M and 10 M events (-n: 1 M only), 8 and 64 threads, text and recording: events a second
# of the engine itself (reading is a row of its own), seconds and peak memory of the whole command;
# seconds of reading and searching, and of certifying, which shall not be more.
# Shapes: `random' (every access anywhere: full of races) and `guarded' (95 % of them under their
# lock or private); then `crowd', 200 000 events of 1000 and 4000 threads.  Ratios at the end: growth
# from 1 M to 10 M events, and from 1000 to 4000 threads.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${FORESEE_ROOT:=$(cd "$here/../.." && pwd)/build}"
: "${BENCH_BIN:=$FORESEE_ROOT/dev/tests/perf}"
PATH=$FORESEE_ROOT/bin:$PATH
engines='hb shb wcp eraser syncp osr races'
sizes='1000000 10000000' shapes='random guarded' more=()
limit=300

while [ $# -gt 0 ]; do
	case $1 in
	-n) sizes=1000000 ;;
	-e) engines=${2-} && shift ;;
	-s) shapes=${2-} && shift ;;
	*=*) more+=("$1") ;;
	*) sed -n 's/^#\t/usage: /p' "$0" >&2 && exit 2 ;;
	esac
	shift
done

work=$(mktemp -d "${TMPDIR:-/tmp}/foresee-bench.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT

# measure TRACE COMMAND...: sets wall and peak (MiB); the output is in $work/out.
measure() {
	local trace=$1
	shift
	"$BENCH_BIN/timing" -t "$limit" -o "$work/time" "$@" "$trace" >"$work/out" 2>"$work/err"
	read -r wall peak status <"$work/time"
	peak=$((peak / 1024))
}

# number KEY: the first one in the report.
number() {
	grep -o "\"$1\": *[0-9.e+-]*" "$work/out" | head -1 | sed 's/.*: *//'
}

# Seconds of reading and searching.
searched() {
	awk -v r="$(number reading_seconds)" -v m="$(number model_seconds)" -v s="$(number seconds)" \
		'BEGIN { print r + m + s }'
}

declare -A taken
row() {
	printf '%-8s %-8s %-8s %3s  %-7s %14s %10s %8s %10s %10s\n' "$@"
}
row engine shape events T form 'events/s' seconds MiB search certify
for shape in $shapes; do
	for n in $sizes; do
		for threads in 8 64; do
			for form in std binary; do
				trace=$work/trace.$([ $form = std ] && echo std || echo foresee)
				guarded=0
				[ "$shape" = guarded ] && guarded=95
				"$BENCH_BIN/tracegen" events="$n" threads=$threads guarded=$guarded \
					form=$form ${more+"${more[@]}"} "$trace" || exit 2
				measure "$trace" foresee stats -q
				row read "$shape" "$n" $threads $form \
					"$(awk -v n="$n" -v s="$wall" 'BEGIN { printf "%.0f", n / s }')" "$wall" "$peak" - -
				for e in $engines; do
					[ "$form" = binary ] && [ "$n" = 10000000 ] && [ "$e" != hb ] && continue
					measure "$trace" foresee check -q --jobs 1 -f json -a "$e"
					if [ "$status" -gt 3 ]; then
						row "$e" "$shape" "$n" $threads $form "status $status" "$wall" "$peak" - -
						continue
					fi
					seconds=$(number seconds)
					taken[$e.$shape.$n.$threads.$form]=$seconds
					row "$e" "$shape" "$n" $threads $form "$(number events_per_second)" "$wall" "$peak" \
						"$(searched)" "$(number certifying_seconds)"
				done
				rm -f "$trace"
			done
		done
	done
done

# Many threads: what an event costs must not grow with them.
for threads in 1000 4000; do
	"$BENCH_BIN/tracegen" events=200000 threads=$threads guarded=95 variables=16400 \
		"$work/trace.std" || exit 2
	for e in $engines; do
		measure "$work/trace.std" foresee check -q --jobs 1 -f json -a "$e"
		seconds=$(number seconds)
		taken[$e.crowd.$threads]=$seconds
		row "$e" crowd 200000 $threads std "$(number events_per_second)" "$wall" "$peak" \
			"$(searched)" "$(number certifying_seconds)"
	done
	rm -f "$work/trace.std"
done

echo
for e in $engines; do
	a=${taken[$e.crowd.1000]-} b=${taken[$e.crowd.4000]-}
	[ -n "$a" ] && [ -n "$b" ] && awk -v e="$e" -v a="$a" -v b="$b" \
		'BEGIN { printf "growth 1000 to 4000 threads, %s: %.1f\n", e, b / a }'
	for shape in $shapes; do
		for threads in 8 64; do
			a=${taken[$e.$shape.1000000.$threads.std]-} b=${taken[$e.$shape.10000000.$threads.std]-}
			[ -n "$a" ] && [ -n "$b" ] && awk -v e="$e" -v s="$shape" -v t=$threads -v a="$a" -v b="$b" \
				'BEGIN { printf "growth 1 M to 10 M, %s, %s, %d threads: %.1f\n", e, s, t, b / a }'
		done
	done
done
