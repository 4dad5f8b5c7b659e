#!/usr/bin/env bash
# What replay costs: the program forced to a race at its end, against recording the same run.
#
#	bench-replay.sh [-n] [-r REPETITIONS]
#
# Threads count together under a lock, in long stretches or taking turns (kernels/turns.c), and race when
# they are done, so a plan has nearly all events of two of them, or of all where they take turns.  Recording
# and replaying (--stop, from the finding's witness: finding it is not part of it) go in turn; the
# least of the repetitions, start and all.  -n: no long plans.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${FORESEE_ROOT:=$(cd "$here/../.." && pwd)/build}"
: "${BENCH_BIN:=$FORESEE_ROOT/dev/tests/perf}"
PATH=$FORESEE_ROOT/bin:$PATH
growth=1 reps=7

while [ $# -gt 0 ]; do
	case $1 in
	-n) growth=0 ;;
	-r) reps=${2-} && shift ;;
	*) sed -n 's/^#\t/usage: /p' "$0" >&2 && exit 2 ;;
	esac
	shift
done
case $reps in '' | *[!0-9]* | 0) echo "bench-replay: bad number of repetitions" >&2 && exit 2 ;; esac

work=$(mktemp -d "${TMPDIR:-/tmp}/foresee-bench.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
foresee-cc -std=gnu11 -O2 -g -pthread "$here/kernels/turns.c" -o "$work/turns" || exit 1

declare -A least plan # by kind, threads and events

# timed KEY COMMAND...: the least time of the command so far, by key; false: it failed.
timed() {
	local key=$1 wall peak status
	shift
	"$BENCH_BIN/timing" -t 100 -o "$work/time" "$@" >"$work/out" 2>"$work/err" </dev/null
	read -r wall peak status <"$work/time"
	[ "$status" = 0 ] || return 1
	least[$key]=$(awk -v a="${least[$key]:-$wall}" -v b="$wall" 'BEGIN { print (a < b ? a : b) }')
}

# ratio KEY KEY
ratio() {
	awk -v a="${least[$1]:-999}" -v b="${least[$2]:-1}" 'BEGIN { printf "%.2f", a / b }'
}

# try THREADS EVENTS [alternate]
try() {
	local key="$1 $2 ${3:-long}" r trace=$work/trace.foresee

	foresee record -q -o "$trace" "$work/turns" "$@" >/dev/null && rm -rf "$work/w" || exit 1
	foresee check -q -a races --witness-dir "$work/w" "$trace" >"$work/report" 2>&1
	for ((r = 0; r < reps; r++)); do
		timed "record $key" foresee record -q -o "$work/again.foresee" "$work/turns" "$@" &&
			timed "replay $key" foresee replay -q --stop "$trace" "$work/w/1.witness" ||
			echo "bench-replay: $key: status not 0: $(tail -n 1 "$work/out" "$work/err")" >&2
	done
	plan[$key]=$(sed -n 's/^  forced: \([0-9]*\) events.*with \([0-9]*\) wait.*/\1 \2/p' "$work/out")
	printf '%7d %9d %-10s %9s %8s %9.3f %9.3f %7s\n' "$1" "$2" "${3:-long}" ${plan[$key]:-- -} \
		"${least[record $key]:-0}" "${least[replay $key]:-0}" "$(ratio "replay $key" "record $key")"
}

# target WHAT NUMBER LIMIT
target() {
	awk -v what="$1" -v is="$2" -v most="$3" 'BEGIN {
		printf "%-52s %8.2f  target %s: %s\n", what, is, most, is <= most ? "met" : "MISSED" }'
}

printf '%7s %9s %-10s %9s %8s %9s %9s %7s\n' threads events stretches plan waits record replay ratio
for n in 1000 10000 $([ $growth = 1 ] && echo 100000); do
	for kind in '' alternate; do
		try 2 $n $kind
	done
done
try 16 10000 alternate
try 200 20000 alternate
echo
for kind in long alternate; do
	target "10 000 events, $kind: replay against recording" "$(ratio "replay 2 10000 $kind" "record 2 10000 $kind")" 3
	[ $growth = 0 ] || target "growth to 100 000, $kind" \
		"$(ratio "replay 2 100000 $kind" "replay 2 10000 $kind")" 12
done
target "16 threads that take turns against 2" \
	"$(ratio "replay 16 10000 alternate" "replay 2 10000 alternate")" 3
