#!/usr/bin/env bash
# Record random programs and check every recording, in TAP.
#
#	sweep.sh [--rotate] N [START [CONFIG...]]
#
# Programs START to START + N - 1 (default 1), each in every configuration, or
# with --rotate in one of them, in turn.  A configuration is LLVM and level,
# as 14-O0; default: all of 14-O0 14-O2 19-O0 19-O2 that the build has a pass for.
#
# A program passes if it builds, ends by itself in both recording modes with
# its last line printed, and both traces are whole and verify: hundreds of events
# at least, `consistent', `0 unknown', and no note on damage.
# What fails is kept in FORESEE_ROOT/failed-programs.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${FORESEE_ROOT:=$(cd "$here/../.." && pwd)/build}"
export here FORESEE_ROOT

# check NAME TRACE COMMAND...: record one run and verify it.  Prints what is wrong.
check() {
	local name=$1 trace=$2 rc
	shift 2
	timeout -k 5 60 "$@" >"$name.out" 2>&1 </dev/null
	rc=$?
	if [ $rc != 0 ] || ! grep -q "^seed $seed done" "$name.out"; then
		echo "$name: status $rc, last line: $(tail -n 1 "$name.out")"
		return 1
	fi
	timeout -k 5 120 "$FORESEE_ROOT/bin/foresee" verify "$trace" >"$name.verify" 2>&1
	rc=$?
	# A trace that lost nearly everything agrees with itself all too easily.
	if [ $rc != 0 ] || ! grep -Eq 'consistent: [0-9]{3,} events,.* 0 unknown' "$name.verify" ||
		grep -v -- '--linger' "$name.verify" | grep -q 'note:'; then
		echo "$name: verify: status $rc, $(head -n 1 "$name.verify")"
		return 1
	fi
}

# attempt: build and record the program in the current directory.
attempt() {
	local cc=(env FORESEE_LLVM="${config%-*}" "$FORESEE_ROOT/bin/foresee-cc" -w -std=gnu11 -g
		-fno-strict-aliasing -pthread "-${config#*-}" -I"$here" program.c -o program)
	local record=("$FORESEE_ROOT/bin/foresee" record -q)

	"$gen" "$seed" >program.c || { echo "cannot write the program" && return 1; }
	"${cc[@]}" >build.out 2>&1 || { echo "does not build: $(head -n 1 build.out)" && return 1; }
	check default default.foresee "${record[@]}" -o default.foresee ./program &&
		check full full.foresee "${record[@]}" --full -o full.foresee ./program
}

# one SEED CONFIG: leaves the TAP line in a file of its own.
one() {
	local seed=$1 config=$2 why keep
	local name="seed $seed, $config"

	mkdir "$dir/$1-$2" && cd "$dir/$1-$2" || return
	if why=$(attempt); then
		echo "ok - $name" >../"$1-$2.tap"
		cd .. && rm -rf "$1-$2"
		return
	fi
	keep=$FORESEE_ROOT/failed-programs/$1-$2
	rm -rf "$keep"
	mkdir -p "${keep%/*}" && cp -r . "$keep"
	{
		echo "not ok - $name"
		echo "# $why"
		echo "# kept: $keep"
		echo "# again: $here/sweep.sh 1 $seed $config"
	} >../"$1-$2.tap"
}
export -f one attempt check

rotate=0
[ "${1-}" = --rotate ] && rotate=1 && shift
case ${1-} in
'' | *[!0-9]*)
	echo "usage: sweep.sh [--rotate] N [START [CONFIG...]]" >&2
	exit 2
	;;
esac
n=$1 start=${2-1}
shift $(($# > 1 ? 2 : 1))
configs=("$@")
if [ $# = 0 ]; then
	for v in 14 19; do
		[ -e "$FORESEE_ROOT/lib/foresee/pass-$v.so" ] && configs+=("$v-O0" "$v-O2")
	done
fi
if [ ${#configs[@]} = 0 ]; then
	echo "1..0 # SKIP no compiler pass for LLVM 14 or 19"
	exit 77
fi

dir=$(mktemp -d "${TMPDIR:-/tmp}/foresee-gen.XXXXXX") || exit 2
trap 'rm -rf "$dir"' EXIT
gen=$dir/gen
export dir gen
"${CC:-gcc}" -std=gnu11 -O1 -o "$gen" "$here"/*.c || exit 2

tasks=()
for ((i = start; i < start + n; i++)); do
	if [ $rotate = 1 ]; then
		tasks+=("$i ${configs[i % ${#configs[@]}]}")
	else
		for c in "${configs[@]}"; do tasks+=("$i $c"); done
	fi
done
echo "1..${#tasks[@]}"
printf '%s\n' "${tasks[@]}" | xargs -P 2 -L 1 bash -c 'one "$1" "$2"' _
bad=0
for task in "${tasks[@]}"; do
	cat "$dir/${task/ /-}.tap" || echo "not ok - ${task/ /, }: no result"
	grep -qs '^ok' "$dir/${task/ /-}.tap" || bad=1
done
exit $bad
