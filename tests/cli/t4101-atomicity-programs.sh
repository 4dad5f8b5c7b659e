#!/usr/bin/env bash
# Small programs with blocks that are meant to be atomic, each recorded in an order in which nothing
# goes wrong: the blocks that their comments name can be split, and no other.  Every run of a program is
# a recording of its own.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"

here=$SRC/tests/programs/atomicity
runs=${LONG:+30}
runs=${runs:-10}

${CC:-cc} -O1 -c -o order.o "$here/../order.c" || exit 2

# try FILE LLVM LEVEL
try() {
	local name="$1 $3 llvm $2" bad=0 i want=0 how

	how=$(sed -n 's,^// record: \(--[a-z]*\).*,\1,p' "$here/$1")
	grep -q '// split' "$here/$1" && want=1
	if ! FORESEE_LLVM=$2 foresee-cc "$3" -g -I"$here" "$here/$1" order.o -o prog -lpthread >log 2>&1; then
		fail "$name: builds"
		note log
		return
	fi
	for ((i = 1; i <= runs && bad == 0; i++)); do
		timeout 60 foresee record -q $how -o prog.foresee ./prog >out 2>err || bad=$?
		timeout 60 foresee check -q -a atomicity -f json prog.foresee >report 2>err2
		[ $? = $want ] || { bad=1; echo "check: status is not $want" >>err2; }
		awk -f "$here/expect.awk" "$here/$1" report >log 2>&1 || bad=1
	done
	if [ "$bad" = 0 ]; then
		pass "$name: $runs runs"
	else
		fail "$name: run $((i - 1))"
		note log
		note err
		note err2
	fi
}

# Each program at both levels; the compilers take turns.
set -- $LLVMS
for p in $(cd "$here" && ls *.c); do
	for level in -O0 -O2; do
		try "$p" "$1" "$level"
		set -- "${@:2}" "$1"
	done
	[ $# -gt 1 ] && set -- "${@:2}" "$1"
done
done_testing
