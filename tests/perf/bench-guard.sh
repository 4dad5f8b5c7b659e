#!/usr/bin/env bash
# What monitors inside the program cost: kernels natively, guarded and recorded, in turn.
#
#	bench-guard.sh [-r REPETITIONS] [-t THREADS]
#
# Three specs: one that names no variable, so that only what orders threads is stopped at; one that names a variable
# which the loops read (`named'); and `flow all', where every access is stopped at, on a smaller scale.  Wall-clock,
# the least of the repetitions; slowdowns are against native -O2.  A guard starts the program twice, up to main: that
# is measured by a run of no work and taken off.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${FORESEE_ROOT:=$(cd "$here/../.." && pwd)/build}"
: "${BENCH_BIN:=$FORESEE_ROOT/dev/tests/perf}"
PATH=$FORESEE_ROOT/bin:$PATH
reps=5 threads=4
while [ $# -gt 0 ]; do
	case $1 in
	-r) reps=${2-} && shift ;;
	-t) threads=${2-} && shift ;;
	*) sed -n 's/^#\t/usage: /p' "$0" >&2 && exit 2 ;;
	esac
	shift
done
case $reps$threads in *[!0-9]*) echo "bench-guard: bad number" >&2 && exit 2 ;; esac
work=$(mktemp -d "${TMPDIR:-/tmp}/foresee-bench.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# kernel, scale, scale for flow all
kernels='
bank		3000000	100000
matmul		300	60
racy		8000000	100000
hashtable	2000000	100000
'
echo 'property p: mttl @any(block >= 0 && all(o : any, @o.block >= 0));' >"$work/none.spec"
echo 'shared long kernel.scale; property p: mttl @any(kernel.scale >= 0 && all(o : any, @o.block >= 0));' >"$work/named.spec"
echo 'flow all; property p: mttl @any(block >= 0);' >"$work/all.spec"

declare -A least

# timed KEY COMMAND...: the least time of the command so far, by key.
timed() {
	local key=$1 wall peak status
	shift
	"$BENCH_BIN/timing" -t 300 -o "$work/time" "$@" >"$work/out" 2>"$work/err" </dev/null
	read -r wall peak status <"$work/time"
	[ "$status" = 0 ] || { echo "bench-guard: $key: $(tail -n 1 "$work/err")" >&2 && wall=999; }
	least[$key]=$(awk -v a="${least[$key]:-$wall}" -v b="$wall" 'BEGIN { print (a < b ? a : b) }')
}

# ratio KEY START NATIVE: without what starting costs.
ratio() {
	awk -v a="${least[$1]}" -v s="${least[${2:-none}]:-0}" -v n="${least[$3]}" 'BEGIN { printf "%.2f", (a - s) / n }'
}

printf '%-10s %9s %12s %12s %12s %9s\n' kernel native 'guard: none' named 'flow all' record
while read -r k scale small; do
	[ "$k" ] || continue
	clang -std=gnu11 -O2 -g -pthread "$here/kernels/$k.c" -o "$work/native" -lm 2>/dev/null ||
		cc -std=gnu11 -O2 -g -pthread "$here/kernels/$k.c" -o "$work/native" -lm || exit 1
	foresee-cc -std=gnu11 -O2 -g -pthread "$here/kernels/$k.c" -o "$work/built" -lm || exit 1
	for ((r = 0; r < reps; r++)); do
		timed "$k native" "$work/native" "$scale" "$threads"
		timed "$k small" "$work/native" "$small" "$threads"
		timed "$k record" foresee record -q -o "$work/t.foresee" "$work/built" "$scale" "$threads"
		for spec in none named all; do
			n=$scale
			[ $spec = all ] && n=$small
			timed "$k start $spec" foresee guard -q -s "$work/$spec.spec" "$work/built" 1 1
			timed "$k $spec" foresee guard -q -s "$work/$spec.spec" "$work/built" "$n" "$threads"
		done
	done
	printf '%-10s %8ss %12s %12s %12s %9s\n' "$k" "${least[$k native]}" \
		"$(ratio "$k none" "$k start none" "$k native")" "$(ratio "$k named" "$k start named" "$k native")" \
		"$(ratio "$k all" "$k start all" "$k small")" "$(ratio "$k record" '' "$k native")"
	[ $k = bank ] && bank=$(ratio "$k none" "$k start none" "$k native")
done <<<"$kernels"
echo "guard vs native, bank: $bank"
