#!/usr/bin/env bash
# How fast blocks are looked at, on synthetic traces from tracegen.c.
#
#	bench-atomicity.sh [-n] [TRACEGEN-PARAMETER=N...]
#
# For 1 M and 10 M events (-n: 1 M only) of 8 threads and 50 locks, a block for every 20 events of a
# thread: events a second of aerodrome itself; seconds of triples, atomicity, and of races on the same trace.
# Shapes: `guarded' (95 % of accesses under their lock or private), `random' (anywhere: every block is
# split).  Ratios at the end: atomicity beside races, and growth from 1 M to 10 M events.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${FORESEE_ROOT:=$(cd "$here/../.." && pwd)/build}"
: "${BENCH_BIN:=$FORESEE_ROOT/dev/tests/perf}"
PATH=$FORESEE_ROOT/bin:$PATH
sizes='1000000 10000000' more=()

while [ $# -gt 0 ]; do
	case $1 in
	-n) sizes=1000000 ;;
	*=*) more+=("$1") ;;
	*) sed -n 's/^#\t/usage: /p' "$0" >&2 && exit 2 ;;
	esac
	shift
done

work=$(mktemp -d "${TMPDIR:-/tmp}/foresee-bench.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT

# number KEY: the first one in the report.
number() {
	grep -o "\"$1\": *[0-9.e+-]*" "$work/out" | head -1 | sed 's/.*: *//'
}

row() {
	printf '%-10s %-8s %9s %12s %10s %10s %10s %8s\n' "$@"
}

# What a report cost: reading, the model, searching, certifying.
cost() {
	awk -v r="$(number reading_seconds)" -v m="$(number model_seconds)" -v s="$(number seconds)" \
		-v c="$(number certifying_seconds)" 'BEGIN { print r + m + s + c }'
}

declare -A taken
row analysis shape events 'events/s' seconds certify all MiB
for shape in guarded random; do
	guarded=$([ $shape = guarded ] && echo 95 || echo 0)
	for n in $sizes; do
		"$BENCH_BIN/tracegen" events="$n" threads=8 locks=50 guarded=$guarded blocks=10 \
			${more+"${more[@]}"} "$work/trace.std" || exit 2
		for e in aerodrome races triples atomicity; do
			"$BENCH_BIN/timing" -t 600 -o "$work/time" foresee check -q --jobs 1 -f json -a $e \
				"$work/trace.std" >"$work/out" 2>"$work/err"
			read -r _ peak status <"$work/time"
			taken[$e.$shape.$n]=$(cost)
			row $e $shape "$n" "$(number events_per_second)" "$(number seconds)" \
				"$(number certifying_seconds)" "${taken[$e.$shape.$n]}" $((peak / 1024))
			[ "$status" -le 3 ] || echo "status $status"
		done
		rm -f "$work/trace.std"
	done
done

echo
for shape in guarded random; do
	for n in $sizes; do
		awk -v s=$shape -v n="$n" -v a="${taken[atomicity.$shape.$n]}" -v r="${taken[races.$shape.$n]}" \
			'BEGIN { printf "%s, %d events: atomicity takes %.1f times what races does\n", s, n, a / r }'
	done
	for e in aerodrome atomicity; do
		[ "$sizes" = 1000000 ] || awk -v e=$e -v s=$shape -v a="${taken[$e.$shape.1000000]}" \
			-v b="${taken[$e.$shape.10000000]}" \
			'BEGIN { printf "growth 1 M to 10 M, %s, %s: %.1f\n", e, s, b / a }'
	done
done
