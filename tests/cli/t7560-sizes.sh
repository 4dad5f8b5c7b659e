#!/usr/bin/env bash
# Many threads, deep stacks, small stacks; recorded, and not.  100 000 threads over a run with LONG.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
[ -n "$LLVMS" ] || skip_all "no pass was built"
. "$SRC/tests/cli/hostile.sh"

n=${LONG:+100000}
hostile stacks.c
hostile thousand.c alive 1000
for mode in full locks; do
	is "$(foresee stats thousand.$mode.foresee | sed -n 's/.* events of \([0-9]*\) threads.*/\1/p')" 1001 \
		"thousand alive ($mode): all of them are there"
done
hostile thousand.c brief ${n:-8000}
for mode in full locks; do
	ok "thousand brief ($mode): room is used again" \
		test "$(stat -c %s thousand.$mode.foresee)" -lt $((${n:-8000} * 2000))
done

# Of a program that nobody records.
for mode in full locks; do
	ok "thousand alive ($mode), run as it is" ./$mode alive 1000
	ok "thousand brief ($mode), run as it is" ./$mode brief 8000
done
foresee-cc -pthread -o beside "$SRC/tests/programs/hostile/beside.c"
is "$(./beside)" "0 shared" "run as they are, threads do not write to the same lines"
done_testing
