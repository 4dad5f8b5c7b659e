#!/usr/bin/env bash
# Small programs, racy and race-free, each recorded in an order in which nothing goes wrong: the
# races that their comments name are predicted, and no other.  Every run of a program is a
# recording of its own.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"

here=$SRC/tests/programs/race
runs=${LONG:+30}
runs=${runs:-10}

${CC:-cc} -O1 -c -o order.o "$here/../order.c" || exit 2

# try FILE LLVM LEVEL
try() {
	local name="$1 $3 llvm $2" bad=0 i cc=foresee-cc

	[ "$1" = "${1%.cpp}" ] || cc=foresee-c++
	if ! FORESEE_LLVM=$2 $cc "$3" -g -I"$here" "$here/$1" order.o -o prog -lpthread >log 2>&1; then
		fail "$name: builds"
		note log
		return
	fi
	for ((i = 1; i <= runs; i++)); do
		timeout 60 foresee record -q -o prog.foresee ./prog >out 2>err || bad=$?
		timeout 60 foresee check -q -a races -f json prog.foresee >report 2>err2
		local status=$? want=0
		grep -q '// race' "$here/$1" && want=1
		[ "$status" = "$want" ] || { bad=1; echo "check: status $status" >>err2; }
		awk -f "$here/expect.awk" "$here/$1" report >log 2>&1 || bad=1
		[ "$bad" = 0 ] || break
	done
	if [ "$bad" = 0 ]; then
		pass "$name: $runs runs"
	else
		fail "$name: run $i"
		note log
		note err
		note err2
	fi
}

# Other processes enter barriers, too.
foresee-cc -O1 -g -I"$here" "$here/elsewhere.c" -o prog -lpthread 2>log && foresee record -q -o prog.foresee ./prog
ok "what it shares with a child is consistent" foresee verify prog.foresee

# Each program at both levels; the compilers take turns.
set -- $LLVMS
for p in $(cd "$here" && ls *.c *.cpp); do
	for level in -O0 -O2; do
		try "$p" "$1" "$level"
		set -- "${@:2}" "$1"
	done
	[ $# -gt 1 ] && set -- "${@:2}" "$1"
done
done_testing
