#!/usr/bin/env bash
# Many threads, deep stacks, small stacks.  100 000 threads over a run with LONG.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
[ -n "$LLVMS" ] || skip_all "no pass was built"
. "$SRC/tests/cli/hostile.sh"

n=${LONG:+100000}
hostile stacks.c
hostile thousand.c alive 1000
hostile thousand.c brief ${n:-8000}
done_testing
