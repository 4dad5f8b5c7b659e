#!/usr/bin/env bash
# Recordings of the deadlock programs that were cut short or have wrong bytes, some of them with
# sums that agree: whatever a command says of one, it does not crash, hang or call itself wrong.
#
# Every fourth program; with LONG all of them, and those that hang.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
[ -n "$LLVMS" ] || skip_all "no pass was built"
export TMPDIR=$TEST_DIR # where the checker leaves what it refuses
export ASAN_OPTIONS=exitcode=99:${ASAN_OPTIONS:-} UBSAN_OPTIONS=exitcode=99:${UBSAN_OPTIONS:-}

here=$SRC/tests/programs/deadlock
cuts=20 flipped=20 flips=10 # 200 wrong bytes for each program, ten in a file

${CC:-cc} -O1 -c -o order.o "$here/../order.c" &&
	${CC:-cc} -std=gnu11 -O1 -D_GNU_SOURCE -I"$SRC/src" -o damage "$SRC/tests/fuzz/damage.c" || exit 2

# record FILE: into whole.foresee.  One that hangs is stopped by run, not by record.
record() {
	local cc=foresee-cc flags

	case $1 in *.cpp) cc="foresee-c++ -std=c++17" ;; esac
	flags=$(sed -nE 's/^\/\/ (bug|safe)://p' "$here/$1" | head -1)
	rm -f whole.foresee
	$cc -O0 $flags -D_GNU_SOURCE -g "$here/$1" order.o -o prog -lpthread >log 2>&1 || return 1
	if grep -q '^// hangs' "$here/$1"; then
		timeout 20 foresee run -q -a deadlocks --trace whole.foresee ./prog >log 2>&1
	else
		timeout 20 foresee record -q -o whole.foresee ./prog >log 2>&1
	fi
	[ -s whole.foresee ]
}

# survives COMMAND...: any status that the manual names, and no complaint of a sanitizer.
survives() {
	timeout 10 "$@" >out 2>err </dev/null
	status=$?
	[ $status -le 3 ] && ! grep -Eaq 'Sanitizer|runtime error' out err && return
	echo "# status $status: $*" >>problems
	grep -Eah 'Sanitizer|runtime error' out err | head -3 | sed 's/^/# /' >>problems
}

# agrees FILE: engines and checker do; of a recording that contradicts itself each may believe
# another half.
agrees() {
	grep -aq 'internal error' out err || return
	grep -ah 'internal error' err | head -1 | sed 's/^/# /' >error
	foresee verify -q "$1" >out 2>err </dev/null
	[ $? = 1 ] && return
	echo "# $1 is consistent:" | cat - error >>problems
}

# try FILE NUMBER
try() {
	local file

	: >problems
	rm -rf hurt && mkdir hurt
	if ! record "$1" || ! ./damage whole.foresee hurt "$2" $cuts $flipped $flips; then
		fail "$1: recorded"
		note log
		return
	fi
	# One process for all of them; where that one complains, each alone, to know which.
	survives foresee check -q -a deadlocks hurt/*
	if [ -s problems ] || grep -aq 'internal error' out err; then
		for file in hurt/*; do
			survives foresee check -q -a deadlocks "$file"
			agrees "$file"
		done
	fi
	for file in hurt/*; do
		survives foresee verify "$file"
		survives foresee print --lock-trees "$file"
		survives foresee print --dependencies "$file"
	done
	if [ -s problems ]; then
		fail "$1: $((cuts + flipped)) damaged recordings"
		cat problems
	else
		pass "$1: $((cuts + flipped)) damaged recordings"
	fi
}

number=0
for p in $(cd "$here" && ls *.c *.cpp); do
	number=$((number + 1))
	[ -n "${LONG:-}" ] || { [ $((number % 4)) = 1 ] && ! grep -q '^// hangs' "$here/$p"; } || continue
	try "$p" $number
done
done_testing
