#!/usr/bin/env bash
# What one access, and one lock, costs in instructions: native, under clang's thread sanitizer, and recorded.
#
#	bench-instructions.sh [-k OPERATION]
#
# Counts are the same on every machine, quiet or not: every instruction of tests/perf/kernels/ops.c, which does one
# thing 100 times, is a step of a debugger (tests/perf/steps.c).  The loop around the operation is left out, and so is
# what waits for memory, or for another thread.
# Then, for each kernel of bench-capture, small: how many events it has with --full, and how many of them are recorded
# usually.  An event of a loop that runs on a buffer is a range of many accesses.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${FORESEE_ROOT:=$(cd "$here/../.." && pwd)/build}"
PATH=$FORESEE_ROOT/bin:$PATH
export TSAN_OPTIONS='detect_deadlocks=0 report_bugs=0 exitcode=0'
n=100
operations='nothing read_again read_again_int read_first store count fetch_add lock'
kernels='matmul 100
prodcons 20000
bank 30000
hashtable 30000
racy 100000
msort 30000
pipeline 2000
lfqueue 30000
rwcache 50000
stencil 20'

case ${1-} in
'') ;;
-k) operations="nothing ${2-}" kernels='' ;;
*)
	sed -n 's/^#\t/usage: /p' "$0" >&2
	exit 2
	;;
esac

dir=$(mktemp -d "${TMPDIR:-/tmp}/foresee-bench.XXXXXX") || exit 2
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
fixed=()
setarch -R true 2>/dev/null && fixed=(setarch -R)
flags=(-std=gnu11 -O2 -g -pthread)
native=() tsan=("${fixed[@]}") foresee=(foresee record -q -o "$dir/trace.foresee")

# steps WHAT OPERATION: how many it takes n times.
steps() {
	local -n under=$1
	"$BENCH_BIN/steps" -o "$dir/steps" "${under[@]}" "$dir/$1" $n 1 "$2" >"$dir/out" 2>&1 </dev/null
	grep . "$dir/steps" && return
	echo "bench-instructions: $2, $1: $(tail -n 1 "$dir/out")" >&2
	exit 1
}

ops=("${flags[@]}" "$here/kernels/ops.c")
clang-14 "${ops[@]}" -o "$dir/native" && clang-14 "${ops[@]}" -fsanitize=thread -o "$dir/tsan" &&
	FORESEE_LLVM=14 foresee-cc "${ops[@]}" -o "$dir/foresee" || exit 1
printf '%-15s %8s %8s %8s %13s\n' operation native tsan foresee foresee/tsan
for operation in $operations; do
	for what in native tsan foresee; do
		steps $what "$operation" || exit 1
	done | paste -s | sed "s/^/$operation\t/"
done | awk -v n=$n '
$1 == "nothing" { native = $2; tsan = $3; foresee = $4; next }
{ printf "%-15s %8.1f %8.1f %8.1f %13.2f\n", $1, ($2 - native) / n, ($3 - tsan) / n, ($4 - foresee) / n,
		($4 - foresee) / ($3 - tsan) }'

[ -n "$kernels" ] || exit 0
printf '\n%-10s %12s %12s %9s\n' kernel 'all events' recorded share
while read -r name scale; do
	FORESEE_LLVM=14 foresee-cc "${flags[@]}" "$here/kernels/$name.c" -o "$dir/foresee" || exit 1
	for how in --full ''; do
		foresee record -q $how -o "$dir/trace.foresee" "$dir/foresee" "$scale" >"$dir/out" 2>&1 </dev/null || exit 1
		foresee stats -f json "$dir/trace.foresee" | grep -o '"events": *[0-9]*' | head -n 1 | grep -o '[0-9]*$'
	done | paste -s | awk -v name="$name" '{ printf "%-10s %12d %12d %9.2f\n", name, $1, $2, $2 / $1 }'
done <<<"$kernels"
