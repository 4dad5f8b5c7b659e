#!/usr/bin/env bash
# How many schedules a second `foresee explore' runs, beside what the kernel needs for a child with as
# many threads (children.c): the ratio is what the baton, the hooks and the search cost.
#
#	bench-explore.sh [RUNS]
#
# Programs are mended ones of tests/programs/explore, which are run to the end of the budget, and the
# spacecraft with few and many steps.  All on one processor, alternating, the best of three.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${FORESEE_ROOT:=$(cd "$here/../.." && pwd)/build}"
: "${BENCH_BIN:=$FORESEE_ROOT/dev/tests/perf}"
runs=${1:-1000}
case $runs in
*[!0-9]*) sed -n 's/^#\t/usage: /p' "$0" >&2 && exit 2 ;;
esac
PATH=$FORESEE_ROOT/bin:$PATH
src=$here/../..
work=$(mktemp -d "${TMPDIR:-/tmp}/foresee-bench.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2

# program, its source, compiler options, threads that it makes, arguments
rows='lost_update explore/lost_update.c -DFIXED 2
transfer explore/transfer.c -DFIXED 2
philosophers explore/philosophers.c -DFIXED 3
spacecraft-2 ../../examples/spacecraft.c -O1 2 0 10 2 fixed
spacecraft-42 ../../examples/spacecraft.c -O1 42 40 10 2 fixed'

# rate STRATEGY PROG ARGS: schedules a second.
rate() {
	taskset -c 0 foresee explore -q -f json --strategy "$1" --budget-runs "$runs" --all "${@:2}" |
		sed -n 's/.*"runs": \([0-9]*\), "seconds": \([0-9.e-]*\).*/\1 \2/p' |
		awk '{ print ($2 > 0 ? $1 / $2 : 0) }'
}

line() {
	printf '%-14s %8s %10s %10s %10s %8s\n' "$@"
}
line program threads random/s dpor/s children/s ratio
while read -r name source options threads args; do
	foresee-cc -g -pthread $options "$src/tests/programs/$source" -o "$name" || exit 1
	random=0 dpor=0 children=0
	for _ in 1 2 3; do
		a=$(rate random ./$name $args)
		b=$(rate dpor ./$name $args)
		c=$(taskset -c 0 "$BENCH_BIN/children" "$runs" "$threads" | awk -v n="$runs" '{ print n / $1 }')
		random=$(awk -v a="$a" -v b="$random" 'BEGIN { print (a > b ? a : b) }')
		dpor=$(awk -v a="$b" -v b="$dpor" 'BEGIN { print (a > b ? a : b) }')
		children=$(awk -v a="$c" -v b="$children" 'BEGIN { print (a > b ? a : b) }')
	done
	line "$name" "$threads" "$(printf %.0f "$random")" "$(printf %.0f "$dpor")" "$(printf %.0f "$children")" \
		"$(awk -v a="$children" -v b="$random" 'BEGIN { if (b > 0) printf "%.2f", a / b; else printf "-" }')"
done <<<"$rows"
