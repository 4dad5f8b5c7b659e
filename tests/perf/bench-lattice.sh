#!/usr/bin/env bash
# How fast lattices are built, beside Spin's verifier on a model of the same computation.
#
#	bench-lattice.sh [-n]
#
# Computations of 2 to 8 threads up to 10 M cuts (-n: up to 1 M), made by lattices.c: free lanes,
# lanes that synchronise now and then, lanes with locks.  Rates are by processor time of one
# core; `2 jobs' by the clock; `config' with a property's configuration in each cut; bytes per cut
# are those of the two widest levels, and of all states for Spin, whose hash table is left out.
# Spin runs in its exact default mode without partial order reduction: its states are our cuts.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${FORESEE_ROOT:=$(cd "$here/../.." && pwd)/build}"
: "${BENCH_BIN:=$FORESEE_ROOT/dev/tests/perf}"
rows='free:2:3000 free:3:200 free:4:55 free:6:13 free:8:6 sync:4:250 sync:8:14 locks:4:60 locks:8:7'
case ${1-} in
-n) rows='free:2:900 free:4:30 free:8:4 sync:4:100 sync:8:8 locks:4:30 locks:8:5' ;;
?*) sed -n 's/^#\t/usage: /p' "$0" >&2 && exit 2 ;;
esac

work=$(mktemp -d "${TMPDIR:-/tmp}/foresee-bench.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT

# lattice OPTION...: sets cuts edges widest cpu wall bytes.
lattice() {
	read -r cuts edges _ widest cpu wall bytes _ < <("$BENCH_BIN/lattices" "${row[@]}" "$@")
}

# spin_states: sets states seconds state_bytes; states is - when there is no Spin.
spin_states() {
	states=- seconds=0 state_bytes=0
	command -v spin >/dev/null || return
	"$BENCH_BIN/lattices" "${row[@]}" promela="$work/cut.pml" || return
	if ! (cd "$work" && spin -a cut.pml &&
		gcc -O2 -w -DSAFETY -DNOREDUCE -DNOFAIR -DMEMLIM=16000 -o pan pan.c) >"$work/out" 2>&1; then
		head "$work/out" >&2
		return
	fi
	TIMEFORMAT=%U
	seconds=$({ time "$work/pan" -E -n -m10000 -w24 >"$work/pan.out" 2>&1; } 2>&1)
	states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' "$work/pan.out")
	state_bytes=$(sed -n 's/^ *\([0-9.]*\)\tactual memory usage for states.*/\1/p' "$work/pan.out")
	[ -n "$state_bytes" ] || state_bytes=$(sed -n 's/^ *\([0-9.]*\)\tequivalent memory.*/\1/p' "$work/pan.out")
}

# per A B FORMAT: A / B, or - when B is 0.
per() {
	awk -v a="$1" -v b="$2" -v f="$3" 'BEGIN { if (b > 0) printf f, a / b; else printf "-" }'
}

line() {
	printf '%-6s %5s %9s %9s %9s %9s %8s   %9s %8s %8s  %s\n' "$@"
}
line shape lanes cuts M/s '2 jobs' config B/cut 'Spin M/s' B/state ratio counts
slowest=- fattest=0 wrong=0
for r in $rows; do
	IFS=: read -r shape lanes points <<<"$r"
	row=(shape="$shape" lanes="$lanes" points="$points")
	lattice jobs=2
	two=$(per "$cuts" "$wall" %.0f)
	lattice configs=1
	config=$(per "$cuts" "$cpu" %.0f)
	lattice
	one=$(per "$cuts" "$cpu" %.0f)
	fat=$(per "$bytes" $((2 * widest)) %.1f)
	spin_states
	theirs=$(per "${states/-/0}" "$seconds" %.0f)
	ratio=$(per "$one" "${theirs/-/0}" %.1f)
	same=$([ "$states" = "$cuts" ] && echo same || { [ "$states" = - ] && echo -; } || echo DIFFERENT)
	[ "$same" = DIFFERENT ] && wrong=1
	slowest=$(printf '%s\n' "$slowest" "$ratio" | grep -v '^-$' | sort -n | head -1)
	fattest=$(printf '%s\n' "$fattest" "$fat" | sort -n | tail -1)
	line "$shape" "$lanes" "$cuts" "$(per "$one" 1e6 %.1f)" "$(per "$two" 1e6 %.1f)" \
		"$(per "$config" 1e6 %.1f)" "$fat" "$(per "${theirs/-/0}" 1e6 %.2f)" \
		"$(awk -v m="$state_bytes" -v n="${states/-/0}" 'BEGIN { if (n) printf "%.1f", m * 1048576 / n; else print "-" }')" \
		"$ratio" "$same"
done
echo
echo "times Spin, at least: ${slowest:--} (target 10)"
echo "bytes per cut of the two widest levels, at most: $fattest (target 32)"
exit $wrong
