#!/usr/bin/env bash
# Deadlocks: what recording locks costs, and how fast the engines are.
#
#	bench-deadlock.sh [-n] [-r REPETITIONS] [record|analyse]
#
# record: the bank with 1000 locks and 8 threads, natively, recorded without recompilation
# (--locks-only), recorded in full, and under clang's thread sanitizer with its deadlock detector;
# in turn, the same transfers for all, wall-clock, the median of the repetitions: the least would be
# a run whose threads hardly met, which costs the program itself far less.  The sanitizer needs so
# long that the three others run at a larger scale too, where starting up does not count.
# analyse: traces of lock events from tracegen.c, 1 M and 10 M of them (-n: 1 M only), the whole
# command and the engine alone: in one order (the bank), in both orders from one place (a bank
# with one bug), and in any order behind gates.  Then lock graphs made to keep a search busy or
# to have more deadlocks than anybody wants to see, which must stop at a limit and say so.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${FORESEE_ROOT:=$(cd "$here/../.." && pwd)/build}"
: "${BENCH_BIN:=$FORESEE_ROOT/dev/tests/perf}"
PATH=$FORESEE_ROOT/bin:$PATH
export TSAN_OPTIONS='detect_deadlocks=1 report_bugs=0 exitcode=0'
common=400000 large=8000000 threads=8
growth=1 reps=5 parts=''

while [ $# -gt 0 ]; do
	case $1 in
	-n) growth=0 ;;
	-r) reps=${2-} && shift ;;
	record | analyse) parts="$parts $1" ;;
	*) sed -n 's/^#\t/usage: /p' "$0" >&2 && exit 2 ;;
	esac
	shift
done
case $reps in '' | *[!0-9]* | 0) echo "bench-deadlock: bad number of repetitions" >&2 && exit 2 ;; esac

work=$(mktemp -d "${TMPDIR:-/tmp}/foresee-bench.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# timed LIMIT COMMAND...: sets wall, peak (KiB) and status; the output is in $work/out.
timed() {
	local limit=$1
	shift
	"$BENCH_BIN/timing" -t "$limit" -o "$work/time" "$@" >"$work/out" 2>"$work/err" </dev/null
	read -r wall peak status <"$work/time"
}

# target WHAT NUMBER LIMIT
target() {
	awk -v what="$1" -v is="$2" -v most="$3" 'BEGIN {
		printf "%-52s %8.3f  target %s: %s\n", what, is, most, is <= most ? "met" : "MISSED" }'
}

# ---- recording ----

# The sanitizer's memory map does not fit every kernel's address randomisation.
fixed=()
setarch -R true 2>/dev/null && fixed=(setarch -R)

# once WHAT TRANSFERS COMMAND...: a line "WHAT TRANSFERS seconds MiB" in runs.
once() {
	local what=$1 transfers=$2
	shift 2
	rm -f "$work/trace"
	timed 170 "$@" "$transfers" $threads
	if [ "$status" != 0 ] || { [ "$what" != native ] && ! cmp -s "$work/out" "$work/native.$transfers"; }; then
		echo "bench-deadlock: $what: status $status: $(tail -n 1 "$work/out" "$work/err")" >&2
		return
	fi
	[ "$what" = native ] && cp "$work/out" "$work/native.$transfers"
	echo "$what $transfers $wall $((peak / 1024)) $(stat -c %s "$work/trace" 2>/dev/null || echo 0)" >>"$work/runs"
}

# Medians of the runs, a line each: what, transfers, seconds, MiB, bytes of the trace.
medians() {
	sort -k1,1 -k2,2n -k3,3n "$work/runs" | awk '
	{ key = $1 " " $2; line[key, ++n[key]] = $0 }
	END { for (key in n) print line[key, int((n[key] + 1) / 2)] }' | sort -k2,2n -k3,3n >"$work/medians"
}

# ratio WHAT BASE TRANSFERS: 999 when one is missing.
ratio() {
	awk -v what="$1" -v base="$2" -v n="$3" '$2 == n { wall[$1] = $3 }
	END { printf "%.4f", (what in wall && base in wall ? wall[what] / wall[base] : 999) }' "$work/medians"
}

record() {
	local flags=(-std=gnu11 -O2 -g -pthread) source=$here/kernels/bank.c r n what wall mib bytes
	clang-14 "${flags[@]}" "$source" -o "$work/native" &&
		clang-14 "${flags[@]}" -fsanitize=thread "$source" -o "$work/tsan" &&
		FORESEE_LLVM=14 foresee-cc "${flags[@]}" "$source" -o "$work/full" || exit 1
	: >"$work/runs"
	for ((r = 0; r < reps; r++)); do
		for n in $common $large; do
			once native $n "$work/native"
			once locks-only $n foresee record -q --locks-only -o "$work/trace" "$work/native"
			once full $n foresee record -q -o "$work/trace" "$work/full"
		done
		[ $r -lt 2 ] && once tsan $common "${fixed[@]}" "$work/tsan"
	done
	rm -f "$work/trace"
	medians
	printf '%-12s %10s %9s %9s %12s %8s %9s\n' bank transfers seconds 'x native' 'x tsan' MiB 'trace MB'
	while read -r what n wall mib bytes; do
		awk -v what="$what" -v n="$n" -v s="$wall" -v native="$(ratio "$what" native "$n")" \
			-v tsan="$(ratio "$what" tsan "$n")" -v mib="$mib" -v bytes="$bytes" 'BEGIN {
			printf "%-12s %10d %9.3f %9.2f %12s %8d %9.1f\n", what, n, s, native,
				tsan == 999 ? "-" : sprintf("%.5f", tsan), mib, bytes / 1e6 }'
	done <"$work/medians"
	echo
	target "locks-only against native, $large transfers" \
		"$(ratio locks-only native $large)" 2
	target "locks-only against tsan, $common transfers" \
		"$(ratio locks-only tsan $common)" 0.05
}

# ---- analysing ----

declare -A taken # wall-clock, by engine.shape.form.events

# number KEY: the first one in the report.
number() {
	grep -o "\"$1\": *[0-9.e+-]*" "$work/out" | head -1 | sed 's/.*: *//'
}

# What ran out, in the report's words.
said() {
	grep -o '"truncated": *\[.*\]' "$work/out" | sed 's/.*\[//; s/\]$//' | cut -c 1-160
}

row() {
	printf '%-10s %-9s %-7s %9s %8s %8s %8s %6s  %s\n' "$@"
}

# shape NAME: the parameters of a family.
shape() {
	case $1 in
	ordered) echo locks=1000 depth=2 ascending=1 ;;
	crossed) echo locks=1000 depth=2 ;;
	oneplace) echo locks=1000 depth=2 sites=1 ;;
	gated) echo locks=1000 depth=5 gates=20 ;;
	complete) echo locks=60 threads=60 depth=2 ;;
	deep) echo locks=60 threads=60 depth=6 ;;
	ring) echo locks=60 threads=60 depth=2 layers=60 ;;
	layered) echo locks=60 threads=60 depth=2 layers=6 ;;
	esac
}

# check ENGINE SHAPE FORM EVENTS LIMIT
check() {
	timed "$5" foresee check -q --jobs 1 -f json -a "$1" "$trace"
	if [ "$status" -gt 3 ] || [ "$status" = 2 ]; then
		row "$1" "$2" "$3" "$4" "$wall" - $((peak / 1024)) - "status $status: $(tail -n 1 "$work/err")"
	else
		row "$1" "$2" "$3" "$4" "$wall" "$(number seconds)" $((peak / 1024)) "$(number findings)" "$(said)"
	fi
	taken[$1.$2.$3.$4]=$wall
}

# make_trace SHAPE FORM EVENTS: sets trace.
make_trace() {
	trace=$work/trace.$([ "$2" = std ] && echo std || echo foresee)
	"$BENCH_BIN/tracegen" threads=8 sync=100 $(shape "$1") events="$3" form="$2" "$trace" || exit 2
}

# In text and as a recording; all engines on text, growth on recordings.
analyse_plain() {
	local form e
	for form in std binary; do
		make_trace "$1" $form 1000000
		timed 100 foresee stats -q "$trace"
		row read "$1" $form 1000000 "$wall" - $((peak / 1024)) - ''
		for e in $([ $form = std ] && echo spd patterns goodlock) deadlocks; do
			check $e "$1" $form 1000000 100
		done
	done
	[ $growth = 0 ] && return
	make_trace "$1" binary 10000000
	check deadlocks "$1" binary 10000000 170
}

# quotient KEY KEY: of times taken.
quotient() {
	awk -v a="${taken[$1]}" -v b="${taken[$2]}" 'BEGIN { print a / b }'
}

analyse() {
	local s form e
	row engine shape form events seconds engine MiB found 'ran out'
	for s in ordered oneplace gated; do analyse_plain $s; done
	for s in crossed complete deep ring layered; do
		make_trace $s std 200000
		for e in deadlocks spd patterns goodlock; do check $e $s std 200000 60; done
	done
	rm -f "$trace"
	echo
	for s in ordered oneplace gated; do
		for form in std binary; do
			target "1 M lock events, $s, $form: seconds" "${taken[deadlocks.$s.$form.1000000]}" 0.5
		done
		[ $growth = 0 ] || target "growth to 10 M, $s" \
			"$(quotient deadlocks.$s.binary.10000000 deadlocks.$s.binary.1000000)" 12
	done
	for s in crossed complete deep ring layered; do
		target "200 K lock events, $s: seconds" "${taken[deadlocks.$s.std.200000]}" 10
	done
}

for part in ${parts:-record analyse}; do
	$part
	echo
done
