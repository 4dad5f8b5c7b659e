#!/usr/bin/env bash
# What monitors inside the program cost: kernels natively, guarded, recorded and observed, in turn.
#
#	bench-guard.sh [-r REPETITIONS] [-t THREADS] [-s PERCENT]
#
# The first table is of kernels that the spec does not touch: it names nothing (`none'), or a variable that only main
# writes (`named').  `flow all' stops at every access, on a smaller scale; so does the observer, another process that
# judges the formulas of `none' on what it receives.  The second is of a kernel of which 1, 10 and 100 of a hundred
# accesses are of the variable that the spec names, and of the bank where each transfer is a block and the spec says
# that blocks are atomic: all that is done is news.
#
# Times are those of processors, user and system, of all threads and processes together, the least of the
# repetitions, so that a busy machine does little harm; slowdowns are against native -O2 by the same compiler.  A guard
# starts the program twice, up to main: that is measured by a run of no work and taken off.  -s: scales, in percent.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${FORESEE_ROOT:=$(cd "$here/../.." && pwd)/build}"
PATH=$FORESEE_ROOT/bin:$PATH
reps=5 threads=4 percent=100
while [ $# -gt 0 ]; do
	case $1 in
	-r) reps=${2-} && shift ;;
	-t) threads=${2-} && shift ;;
	-s) percent=${2-} && shift ;;
	*) sed -n 's/^#\t/usage: /p' "$0" >&2 && exit 2 ;;
	esac
	shift
done
case $reps$threads$percent in *[!0-9]*) echo "bench-guard: bad number" >&2 && exit 2 ;; esac
work=$(mktemp -d "${TMPDIR:-/tmp}/foresee-bench.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# kernel, scale, scale for flow all and observers, power of the scale that is time
kernels='
bank		6000000		300000	1
matmul		500		100	3
racy		40000000	300000	1
hashtable	4000000		300000	1
'
echo 'property p: mttl @any(block >= 0 && all(o : any, @o.block >= 0));' >"$work/none.spec"
echo 'shared long kernel.scale; property p: mttl @any(kernel.scale >= 0 && all(o : any, @o.block >= 0));' >"$work/named.spec"
echo 'flow all; property p: mttl @any(block >= 0);' >"$work/all.spec"
echo 'property atom: mttl @any(block > 0 -> !some(o : any, @o.@any.block == block)) handler count;' >"$work/blocks.spec"
echo 'shared long watched; property p: mttl @any(watched >= 0 && all(o : any, @o.watched >= 0));' >"$work/touch.spec"

declare -A least
TIMEFORMAT='%U %S'

# timed KEY COMMAND...: the least time of the command so far, by key.
timed() {
	local key=$1 used
	shift
	used=$({ time "$@" >"$work/out" 2>"$work/err" </dev/null || echo 999; } 2>&1 |
		awk '{ s += $1 + $2 } END { print s }')
	awk -v u="$used" 'BEGIN { exit !(u >= 999) }' && echo "bench-guard: $key: $(tail -n 1 "$work/err")" >&2
	least[$key]=$(awk -v a="${least[$key]:-$used}" -v b="$used" 'BEGIN { print (a < b ? a : b) }')
}

# ratio KEY START NATIVE: without what starting costs.
ratio() {
	awk -v a="${least[$1]}" -v s="${least[${2:-none}]:-0}" -v n="${least[$3]}" \
		'BEGIN { printf "%.2f", (n > 0) ? (a - s) / n : 0 }'
}

# observed KERNEL SCALE: recorded into another process, which judges.
observed() {
	timeout 300 foresee observe -q --once --listen "unix:$work/socket" -a hb -s "$work/none.spec" &
	timeout 300 foresee record -q --observer "unix:$work/socket" -o "$work/o.foresee" "$@"
	wait
}

# build KERNEL [OPTIONS]: natively and with foresee-cc, by one compiler.
build() {
	local k=$1
	shift
	"clang-$llvm" -std=gnu11 -O2 -g -pthread "$@" "$here/kernels/$k.c" -o "$work/native" -lm &&
		FORESEE_LLVM=$llvm foresee-cc -std=gnu11 -O2 -g -pthread "$@" "$here/kernels/$k.c" -o "$work/built" -lm
}

llvm=${FORESEE_LLVM:-$(for n in $(seq 14 20); do [ -f "$FORESEE_ROOT/lib/foresee/pass-$n.so" ] && echo $n && break; done)}
printf '%-10s %8s %12s %8s %9s %8s %9s %9s\n' kernel native 'guard: none' named 'flow all' record observer 'not used'
while read -r k scale small power; do
	[ "$k" ] || continue
	scale=$(awk -v s="$scale" -v p="$percent" -v w="$power" 'BEGIN { printf "%d", s * (p / 100) ^ (1 / w) + 1 }')
	build "$k" || exit 1
	for ((r = 0; r < reps; r++)); do
		timed "$k native" timeout 300 "$work/native" "$scale" "$threads"
		timed "$k small" "$work/native" "$small" "$threads"
		timed "$k unused" "$work/built" "$scale" "$threads"
		timed "$k record" foresee record -q -o "$work/t.foresee" "$work/built" "$scale" "$threads"
		for spec in none named all; do
			n=$scale
			[ $spec = all ] && n=$small
			timed "$k start $spec" foresee guard -q -s "$work/$spec.spec" "$work/built" 1 1
			timed "$k $spec" timeout 300 foresee guard -q -s "$work/$spec.spec" "$work/built" "$n" "$threads"
		done
	done
	timed "$k observer" observed "$work/built" "$small" "$threads"
	printf '%-10s %7.3fs %12s %8s %9s %8s %9s %9s\n' "$k" "${least[$k native]}" \
		"$(ratio "$k none" "$k start none" "$k native")" "$(ratio "$k named" "$k start named" "$k native")" \
		"$(ratio "$k all" "$k start all" "$k small")" "$(ratio "$k record" '' "$k native")" \
		"$(ratio "$k observer" '' "$k small")" "$(ratio "$k unused" '' "$k native")"
	[ $k = bank ] && bank=$(ratio "$k none" "$k start none" "$k native")
done <<<"$kernels"

# touched ROW SPEC SCALE KERNEL [OPTIONS]
touched() {
	local row=$1 spec=$work/$2.spec n=$(($3 * percent / 100 + 1))
	shift 3
	build "$@" -I"$FORESEE_ROOT/include" || exit 1
	for ((r = 0; r < reps; r++)); do
		timed "$row native" timeout 300 "$work/native" "$n" "$threads"
		timed "$row start" timeout 300 foresee guard -q -s "$spec" "$work/built" 1 1
		timed "$row guard" timeout 300 foresee guard -q -s "$spec" "$work/built" "$n" "$threads"
	done
	printf '%-10s %7.3fs %12s\n' "$row" "${least[$row native]}" "$(ratio "$row guard" "$row start" "$row native")"
}

printf '\n%-10s %8s %12s\n' watched native guard
touched '1%' touch 100000000 touch -DEVERY=100
touched '10%' touch 50000000 touch -DEVERY=10
touched '100%' touch 10000000 touch -DEVERY=1
touched blocks blocks 1000000 bank -DBLOCKS
echo "guard vs native, bank: $bank"
