#!/usr/bin/env bash
# What recording costs: every kernel run natively, under clang's thread
# sanitizer, under Helgrind, and recorded to a file, in turn.
#
#	bench-capture.sh [-k KERNEL] [-r REPETITIONS] [-t THREADS] [--no-helgrind]
#	bench-capture.sh [-k KERNEL] --verify
#
# Numbers are wall-clock, and beside them the ratio of processor times (all threads, user and system), which other
# work on the machine blurs less; the least of the repetitions; slowdowns are against
# native -O2.  Helgrind runs once, at a scale of its own, against native there.
# Neither tool looks for deadlocks, and the sanitizer reports nothing.
# --verify records everything (--full), at least 64 MB a kernel (10 million events, or
# ranges of many accesses each), and demands that `foresee verify' finds the trace consistent, 0 unknown.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${FORESEE_ROOT:=$(cd "$here/../.." && pwd)/build}"
PATH=$FORESEE_ROOT/bin:$PATH
export TSAN_OPTIONS='detect_deadlocks=0 report_bugs=0 exitcode=0'

# kernel, scale to compare, scale for Helgrind, scale to verify, lock-heavy
kernels='
matmul		400	300	180	-
prodcons	300000	100000	800000	heavy
bank		5000000	200000	1000000	heavy
hashtable	4000000	200000	1000000	heavy
racy		16000000	5000000	2000000	-
msort		2000000	1000000	300000	-
pipeline	60000	20000	60000	heavy
lfqueue		3000000	1000000	1200000	-
rwcache		5000000	300000	2000000	-
stencil		350	200	150	-
'
helgrind_limit=120

only='' reps=3 threads=4 helgrind=1 mode=compare
while [ $# -gt 0 ]; do
	case $1 in
	-k) only=${2-} && shift ;;
	-r) reps=${2-} && shift ;;
	-t) threads=${2-} && shift ;;
	--no-helgrind) helgrind=0 ;;
	--verify | --full) mode=verify ;;
	*)
		sed -n 's/^#\t/usage: /p' "$0" >&2
		exit 2
		;;
	esac
	shift
done
[ -n "$only" ] && kernels=$(grep -w "^$only" <<<"$kernels")
for n in "$reps" "$threads"; do
	case $n in '' | *[!0-9]* | 0) echo "bench-capture: bad number '$n'" >&2 && exit 2 ;; esac
done
[ -n "$kernels" ] || { echo "bench-capture: no kernel '$only'" >&2 && exit 2; }

dir=$(mktemp -d "${TMPDIR:-/tmp}/foresee-bench.XXXXXX") || exit 2
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
trace=$dir/trace.foresee

# The sanitizer's memory map does not fit every kernel's address randomisation.
fixed=()
setarch -R true 2>/dev/null && fixed=(setarch -R)

# measure WHAT LIMIT COMMAND...: a line "WHAT seconds KiB CPU-seconds" in runs.
measure() {
	local what=$1 limit=$2 wall rss status cpu
	shift 2
	"$dir/timing" -c -t "$limit" -o "$dir/timed" "$@" >"$dir/$what.out" 2>&1 </dev/null
	read -r wall rss status cpu <"$dir/timed"
	if [ "$status" != 0 ]; then
		[ "$what" = helgrind ] && [ "$status" = 124 ] && return
		echo "bench-capture: $name, $what: status $status: $(tail -n 1 "$dir/$what.out")" >&2
		exit 1
	fi
	echo "$what $wall $rss $cpu" >>"$dir/runs"
}

# Recording must not change what the program says.
agree() {
	cmp -s <(grep "^$name " "$dir/native.out") <(grep "^$name " "$dir/$1.out") && return
	echo "bench-capture: $name, $1: prints '$(tail -n 1 "$dir/$1.out")'" >&2
	exit 1
}

build() {
	local source=$here/kernels/$name.c flags=(-std=gnu11 -O2 -g -pthread)
	clang-14 "${flags[@]}" "$source" -o "$dir/native" &&
		clang-14 "${flags[@]}" -gdwarf-4 "$source" -o "$dir/dwarf4" &&
		clang-14 "${flags[@]}" -fsanitize=thread "$source" -o "$dir/tsan" &&
		FORESEE_LLVM=14 foresee-cc "${flags[@]}" "$source" -o "$dir/foresee" || exit 1
}

# The number of events of a trace that is whole.
count_events() {
	foresee stats -f json "$trace" | grep '"complete": *true' | grep -o '"events": *[0-9]*' | head -n 1 | grep -o '[0-9]*$'
}

compare() {
	: >"$dir/runs"
	build
	for ((r = 0; r < reps; r++)); do
		rm -f "$trace"
		measure native 60 "$dir/native" "$scale" "$threads"
		measure tsan 300 "${fixed[@]}" "$dir/tsan" "$scale" "$threads"
		measure foresee 300 foresee record -q -o "$trace" "$dir/foresee" "$scale" "$threads"
		agree tsan
		agree foresee
	done
	events=$(count_events) bytes=$(stat -c %s "$trace")
	[ -n "$events" ] || {
		echo "bench-capture: $name: its trace is not whole: $(foresee stats "$trace" 2>&1 | grep -m 1 note)" >&2
		exit 1
	}
	rm -f "$trace"
	if [ $helgrind = 1 ]; then
		measure small 60 "$dir/dwarf4" "$small" "$threads"
		measure small 60 "$dir/dwarf4" "$small" "$threads"
		measure helgrind $helgrind_limit valgrind -q --tool=helgrind --track-lockorders=no \
			"$dir/dwarf4" "$small" "$threads"
	fi
	awk -v name="$name" -v heavy="$heavy" -v events="$events" -v bytes="$bytes" '
	!($1 in wall) || $2 < wall[$1] { wall[$1] = $2 }
	$3 > rss[$1] { rss[$1] = $3 }
	!($1 in cpu) || $4 < cpu[$1] { cpu[$1] = $4 }
	END {
		h = "helgrind" in wall ? wall["helgrind"] / wall["small"] : 0
		print name, heavy, wall["native"], wall["tsan"] / wall["native"], h,
			wall["foresee"] / wall["native"], events, bytes, rss["native"], rss["foresee"],
			cpu["foresee"] / (cpu["tsan"] > 0 ? cpu["tsan"] : 0.001)
	}' "$dir/runs" | tee -a "$dir/table" | awk '{
		printf "%-10s %9.3f %7.1f %9s %9.1f %12.2f %8.2f %11d %11.2f %11.1f %12.1f\n", $1, $3, $4,
			$5 ? sprintf("%.0f", $5) : "-", $6, $6 / $4, $11, $7, $8 / $7, $9 / 1024, $10 / 1024
	}'
}

summary() {
	awk '{
		log_ratio += log($6 / $4)
		log_cpu += log($11)
		n++
		if ($2 == "heavy") {
			log_heavy += log($6 / $4)
			heavy++
		}
		if (n == 1 || $10 - $9 > more) {
			more = $10 - $9
			largest = $1
		}
		if (n == 1 || $6 / $4 > ratio) {
			ratio = $6 / $4
			slowest = $1
		}
		events += $7
		bytes += $8
	}
	END {
		printf "recorder memory: native + %.0f MiB (worst kernel %s)\n", more / 1024, largest
		printf "processor time, capture vs tsan: geometric mean %.2f\n", exp(log_cpu / n)
		printf "capture vs tsan: geometric mean %.2f\n", exp(log_ratio / n)
		print "capture vs tsan, lock-heavy: " (heavy ? sprintf("%.2f", exp(log_heavy / heavy)) : "-")
		printf "bytes per event: %.2f\n", bytes / events
		printf "worst kernel: %s %.2f\n", slowest, ratio
	}' "$dir/table"
}

# True if the trace of one kernel is whole; says so either way.
verify() {
	local events bytes verdict began=$SECONDS
	FORESEE_LLVM=14 foresee-cc -std=gnu11 -O2 -g -pthread "$here/kernels/$name.c" \
		-o "$dir/foresee" || exit 1
	foresee record -q --full -o "$trace" "$dir/foresee" "$full" >"$dir/out" 2>&1 </dev/null ||
		{ echo "$name: status $?: $(tail -n 1 "$dir/out")" && return 1; }
	events=$(count_events)
	[ -n "$events" ] || { echo "$name: its trace is not whole" && return 1; }
	bytes=$(stat -c %s "$trace")
	foresee verify "$trace" >"$dir/verdict" 2>&1
	verdict="status $?, $(paste -sd' ' "$dir/verdict")"
	printf '%-10s %10d events, %d bytes, %d s: %s\n' "$name" "$events" "$bytes" \
		$((SECONDS - began)) "$verdict"
	rm -f "$trace"
	[ "$bytes" -ge 64000000 ] || { echo "$name: fewer than 64 MB" && return 1; }
	[[ $verdict == 'status 0,'* ]] && grep -qw consistent "$dir/verdict" &&
		grep -qw '0 unknown' "$dir/verdict" && ! grep -q 'note:' "$dir/verdict"
}

"${CC:-gcc}" -std=gnu11 -O2 -D_GNU_SOURCE "$here/timing.c" -o "$dir/timing" || exit 1
bad=0
[ $mode = compare ] && printf '%-10s %9s %7s %9s %9s %12s %8s %11s %11s %11s %12s\n' kernel 'native s' \
	'tsan x' 'helgrind x' 'foresee x' foresee/tsan 'by CPU' events bytes/event 'native MiB' 'foresee MiB'
while read -r name scale small full heavy; do
	[ -n "$name" ] || continue
	$mode || bad=1
done <<<"$kernels"
[ $mode = compare ] && summary
exit $bad
