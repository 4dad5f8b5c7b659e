#!/usr/bin/env bash
# How many schedules a second `foresee explore' runs, beside what the kernel needs for a child with as
# many threads (children.c): the ratio is what the baton, the hooks and the search cost.  Beside that, how
# fast Spin is on a model of one run of the same program, in steps of threads; Nidhugg where it is installed.
#
#	bench-explore.sh [ROUNDS [RUNS]]
#
# Three tiny programs, mended ones of tests/programs/explore, which are run to the end of the budget; and two
# with many steps, of examples/.  Runs are children of a server but in the column of fibers.  One job is on one
# processor, and so are the children and the fibers, for what is said of a core.  All by turns, the best of each.
#
# Scaling is what a user gets: one job and two, on all processors that there are.  How much more children two
# processes make than one says what the kernel leaves of a second processor: the floor of it.  Beside that, both by the
# one processor.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${FORESEE_ROOT:=$(cd "$here/../.." && pwd)/build}"
: "${BENCH_BIN:=$FORESEE_ROOT/dev/tests/perf}"
rounds=${1:-5} runs=${2:-1000}
case $rounds$runs in
*[!0-9]*) sed -n 's/^#\t/usage: /p' "$0" >&2 && exit 2 ;;
esac
PATH=$FORESEE_ROOT/bin:$PATH
src=$here/../..
work=$(mktemp -d "${TMPDIR:-/tmp}/foresee-bench.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2

# program, its source, compiler options, threads that it makes, one in so many of the runs, arguments
rows='lost_update tests/programs/explore/lost_update.c -DFIXED 3 1
transfer tests/programs/explore/transfer.c -DFIXED 2 1
philosophers tests/programs/explore/philosophers.c -DFIXED 3 1
server examples/server.c -O1 4 5
spacecraft examples/spacecraft.c -O1 42 10 40 10 2 fixed'

# explored STRATEGY JOBS FIBERS RUNS PROG ARGS: schedules a second, and the steps of the longest.
explored() {
	foresee explore -q -f json --strategy "$1" --jobs "$2" --fibers "$3" --budget-runs "$4" --time 600 --all "${@:5}" |
		sed -n 's/.*"runs": \([0-9]*\), "seconds": \([0-9.e-]*\)[^}]*"steps": \([0-9]*\).*/\1 \2 \3/p' |
		awk '{ print ($2 > 0 ? $1 / $2 : 0), $3 }'
}

# most A B: the greater.
most() {
	awk -v a="$1" -v b="$2" 'BEGIN { print (a > b ? a : b) }'
}

# least A B: the lesser; B may be 0, for none yet.
least() {
	awk -v a="$1" -v b="$2" 'BEGIN { print (b == 0 || a < b ? a : b) }'
}

# per A B FORMAT: A / B, or - when B is 0.
per() {
	awk -v a="$1" -v b="$2" -v f="$3" 'BEGIN { if (b > 0) printf f, a / b; else printf "-" }'
}

# spin_steps PROG ARGS: transitions a second of Spin on a model of one run, by the processor's time; or -, also
# where it does not come to an end.
spin_steps() {
	command -v spin >/dev/null && foresee record -q -o model.foresee "$@" >/dev/null 2>&1 &&
		foresee export --to promela model.foresee >model.pml 2>/dev/null &&
		spin -a model.pml >/dev/null 2>&1 && gcc -O2 -w -DSAFETY -o pan pan.c 2>/dev/null || {
		echo -
		return
	}
	TIMEFORMAT=%U
	seconds=$({ time for _ in 1 2 3 4 5 6 7 8 9 10; do timeout 20 ./pan -E -n -m10000 -w18 >pan.out 2>&1; done; } 2>&1)
	awk -v s="$seconds" '/ transitions / { n = $1 } END { if (n > 0 && s > 0) printf "%.0f", 10 * n / s; else print "-" }' pan.out
}

# bare_twice N THREADS: children a second of two processes that make them side by side.
bare_twice() {
	{ "$BENCH_BIN/children" "$1" "$2" & "$BENCH_BIN/children" "$1" "$2"; wait; } |
		awk -v n="$1" '$1 > most { most = $1 } END { print (most > 0 ? 2 * n / most : 0) }'
}

line() {
	printf '%-13s %7s %6s %9s %9s %9s %9s %8s %11s %7s %10s %9s %11s\n' "$@"
}
command -v nidhugg >/dev/null || echo "nidhugg is not installed (Debian has no package of it)"
line program threads steps random/s dpor/s fibers/s '2 jobs/s' scaling children/s ratio 'bare of 2' steps/s 'Spin steps/s'
slowest=0 slowest_fibers=0 fewest=0
while read -r name source options threads part args; do
	foresee-cc -g -pthread $options "$src/$source" -o "$name" || exit 1
	random=0 dpor=0 fibers=0 one=0 two=0 children=0 bare_one=0 bare=0 fibers_one=0 fibers_two=0
	tries=$((runs / part))
	for ((r = 0; r < rounds; r++)); do
		read -r a steps < <(taskset -c 0 bash -c "$(declare -f explored); explored random 1 never $tries ./$name $args")
		read -r b _ < <(taskset -c 0 bash -c "$(declare -f explored); explored dpor 1 never $tries ./$name $args")
		read -r f _ < <(taskset -c 0 bash -c "$(declare -f explored); explored random 1 auto $((10 * tries)) ./$name $args")
		read -r c _ < <(explored random 2 never $((2 * tries)) ./$name $args)
		d=$(taskset -c 0 "$BENCH_BIN/children" $tries "$threads" | awk -v n=$tries '{ print n / $1 }')
		read -r e _ < <(explored random 1 never $tries ./$name $args)
		h=$("$BENCH_BIN/children" $tries "$threads" | awk -v n=$tries '{ print n / $1 }')
		read -r i _ < <(explored random 1 auto $((10 * tries)) ./$name $args)
		read -r g _ < <(explored random 2 auto $((20 * tries)) ./$name $args)
		one=$(most "$e" "$one") bare_one=$(most "$h" "$bare_one")
		fibers_one=$(most "$i" "$fibers_one") fibers_two=$(most "$g" "$fibers_two")
		bare=$(most "$(bare_twice $tries "$threads")" "$bare")
		random=$(most "$a" "$random") dpor=$(most "$b" "$dpor") fibers=$(most "$f" "$fibers")
		two=$(most "$c" "$two") children=$(most "$d" "$children")
	done
	line "$name" "$threads" "$steps" "$(printf %.0f "$random")" "$(printf %.0f "$dpor")" "$(printf %.0f "$fibers")" \
		"$(printf %.0f "$two")" "$(per "$two" "$one" %.2f)" "$(printf %.0f "$children")" "$(per "$children" "$random" %.2f)" "$(per "$bare" "$bare_one" %.2f)" \
		"$(awk -v a="$random" -v b="$steps" 'BEGIN { printf "%.0f", a * b }')" "$(spin_steps ./$name $args)"
	per "$two" "$one" '%f\n' >>"scaling.$part"
	per "$bare" "$bare_one" '%f\n' >>"bare.$part"
	per "$two" "$random" '%f\n' >>"core.$part"
	per "$bare" "$children" '%f\n' >>"bare_core.$part"
	per "$fibers_two" "$fibers_one" '%f\n' >>"fibers.$part"
	if [ "$part" = 1 ]; then
		slowest=$(least "$random" "$slowest") slowest_fibers=$(least "$fibers" "$slowest_fibers")
		fewest=$(least "$children" "$fewest")
	fi
done <<<"$rows"

# mean FILE...: the geometric mean of the numbers.
mean() {
	awk '{ sum += log($1); n++ } END { printf "%.2f", exp(sum / n) }' "$@"
}
echo
echo "schedules/s, tiny: $(printf %.0f "$slowest") (target 5000 with processes); bare children/s, with as few" \
	"threads, the floor of that: $(printf %.0f "$fewest")"
echo "schedules/s with fibers, tiny: $(printf %.0f "$slowest_fibers") (target 20000)"
echo "scaling 1 -> 2 jobs: tiny $(mean scaling.1), many steps $(mean scaling.5 scaling.10) (target 1.8); of bare" \
	"children, with as few threads: $(mean bare.1)"
echo "1 job on one processor -> 2 jobs on all: tiny $(mean core.1), many steps $(mean core.5 core.10); of bare" \
	"children, with as few threads: $(mean bare_core.1)"
echo "scaling 1 -> 2 jobs of fibers: tiny $(mean fibers.1)"
