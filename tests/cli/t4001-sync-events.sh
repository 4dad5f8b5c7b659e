#!/usr/bin/env bash
# Every operation that is wrapped leaves the events that its program's comments
# expect, the program behaves as without the recorder, and the recording holds together.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"

here=$SRC/tests/programs
programs=$(cd "$here" && ls *.c *.cpp | grep -v '^order\.c$')

${CC:-cc} -O1 -c -o order.o "$here/order.c" || exit 2

# build FILE LLVM LEVEL: instrumented as `prog', and by itself as `bare'.
build() {
	local cc=foresee-cc bare=clang-$2 std=
	case $1 in
	*.cpp) cc=foresee-c++ bare=clang++-$2 std=-std=c++17 ;;
	esac
	FORESEE_LLVM=$2 $cc $std $3 -g -I"$here" "$here/$1" order.o -o prog -lpthread &&
		$bare $std $3 -I"$here" "$here/$1" order.o -o bare -lpthread
}

try() {
	local name="$1 $3 llvm $2"

	if ! build "$1" "$2" "$3" >log 2>&1; then
		fail "$name: builds"
		note log
		return
	fi
	timeout 60 ./bare >want 2>bare.err
	local wanted=$?
	rm -f prog.foresee
	timeout 60 foresee record -o prog.foresee ./prog >got 2>err
	is "$?" "$wanted" "$name: same status"
	same want got "$name: same output"
	timeout 60 foresee print prog.foresee >printed 2>err
	is "$?" 0 "$name: prints"
	if awk -f "$here/expect.awk" "$here/$1" printed >log 2>&1; then
		pass "$name: as expected"
	else
		fail "$name: as expected"
		note log
	fi
	ok "$name: verifies" timeout 60 foresee verify prog.foresee
}

# Each program with each level; the compilers take turns.
set -- $LLVMS
for p in $programs; do
	for level in -O0 -O2; do
		try "$p" "$1" "$level"
		set -- "${@:2}" "$1"
	done
	[ $# -gt 1 ] && set -- "${@:2}" "$1"
done
done_testing
