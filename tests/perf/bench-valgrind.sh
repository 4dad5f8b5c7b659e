#!/usr/bin/env bash
# What recording under Valgrind costs, beside Helgrind and DRD: the kernels, each run by the three in turn.
#
#	bench-valgrind.sh [-r REPETITIONS] [KERNEL...]
#
# Numbers are user CPU seconds, the least of the repetitions, without what each tool needs for `true'; the
# ratio is to Helgrind's.  Targets: at most 0.7, and at most 12 bytes an event.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${FORESEE_ROOT:=$(cd "$here/../.." && pwd)/build}"
PATH=$FORESEE_ROOT/bin:$PATH
scales='matmul 300
prodcons 30000
bank 20000
hashtable 60000
racy 5000000
msort 1000000
pipeline 5000
lfqueue 1000000
rwcache 100000
stencil 200'
reps=3
[ "${1-}" = -r ] && reps=${2-} && shift 2
case $reps in '' | *[!0-9]* | 0) echo "bench-valgrind: bad number of repetitions" >&2 && exit 2 ;; esac
dir=$(mktemp -d "${TMPDIR:-/tmp}/foresee-bench.XXXXXX") || exit 2
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
cd "$dir" || exit 2

# under TOOL COMMAND...
under() {
	case $1 in
	foresee) foresee record -q --valgrind -o trace.foresee "${@:2}" ;;
	*) valgrind -q --tool="$1" "${@:2}" ;;
	esac >out 2>err </dev/null
}

# measure COMMAND...: into least[TOOL], in hundredths
measure() {
	local tool i us
	least=()
	for ((i = 0; i < reps; i++)); do
		for tool in helgrind drd foresee; do
			us=$( (under $tool "$@"; times) | awk 'NR == 2 { split($1, t, /[ms]/); print int((t[1] * 60 + t[2]) * 1000 + 0.5) }')
			[ -n "${least[$tool]:-}" ] && [ "${least[$tool]}" -le "$us" ] || least[$tool]=$us
		done
	done
}

declare -A least start
measure "$(command -v true)"
for tool in "${!least[@]}"; do start[$tool]=${least[$tool]}; done
echo "to start: Helgrind ${start[helgrind]} ms, DRD ${start[drd]} ms, foresee ${start[foresee]} ms"
printf '%-10s %10s %10s %10s %8s %12s\n' kernel Helgrind DRD foresee ratio bytes/event
while read -r k scale; do
	[ $# = 0 ] || [[ " $* " = *" $k "* ]] || continue
	gcc -O2 -g -o "$k" "$here/kernels/$k.c" -lpthread -lm || exit 1
	measure "./$k" "$scale"
	bytes=$(foresee stats trace.foresee | sed -nE 's/.* ([0-9.]+) per event.*/\1/p')
	for tool in "${!least[@]}"; do least[$tool]=$((least[$tool] - start[$tool])); done
	awk -v k="$k" -v h="${least[helgrind]}" -v d="${least[drd]}" -v f="${least[foresee]}" -v b="$bytes" 'BEGIN {
		printf "%-10s %10.2f %10.2f %10.2f %8.2f %12.1f\n", k, h / 1000, d / 1000, f / 1000, f / (h > 0 ? h : 1), b }' |
		tee -a all
done <<<"$scales"
awk '{ sum += log($5); n++; worst = $5 > worst ? $5 : worst; bytes = $6 > bytes ? $6 : bytes }
	END { printf "geometric mean %.2f, worst %.2f (target 0.7: %s); at most %.1f bytes an event (target 12: %s)\n",
		exp(sum / n), worst, worst <= 0.7 ? "met" : "MISSED", bytes, bytes <= 12 ? "met" : "MISSED" }' all
