#!/usr/bin/env bash
# Control flow that leaves frames behind: longjmp, exceptions, coroutines.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
[ -n "$LLVMS" ] || skip_all "no pass was built"
. "$SRC/tests/cli/hostile.sh"

hostile jumps.c
hostile throws.cpp

# Each stack has its own frames, whoever ran before on this thread.
hostile coroutines.c
foresee print --stacks coroutines.full.foresee >printed 2>&1

# callers FUNCTION: of its locks, all that any stack has.
callers() {
	awk -v f="in $1\$" '!/called from/ { on = / lock / && $0 ~ f } /called from/ && on { print $NF }' printed |
		sort -u | paste -sd' '
}
is "$(callers count_in_main)" worker "coroutines: who calls outside of them"
is "$(callers count_in_coroutine)" "body step worker" "coroutines: who calls inside"
done_testing
