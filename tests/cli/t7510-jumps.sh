#!/usr/bin/env bash
# Control flow that leaves frames behind: longjmp, exceptions, coroutines.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
[ -n "$LLVMS" ] || skip_all "no pass was built"
. "$SRC/tests/cli/hostile.sh"

# callers FUNCTION: of its locks in `printed', all that any stack has.
callers() {
	awk -v f="in $1\$" '!/called from/ { on = / lock / && $0 ~ f } /called from/ && on { print $NF }' printed |
		sort -u | paste -sd' '
}

# Frames that were left in the middle are gone.
hostile jumps.c
foresee print --stacks jumps.full.foresee >printed 2>&1
is "$(callers landed)" worker "jumps: who calls after a jump"
is "$(grep -A2 ' lock .* in landed$' printed | grep -c 'called from')" \
	"$(grep -c ' lock .* in landed$' printed)" "jumps: and nobody calls that one"
hostile throws.cpp
foresee print --stacks throws.full.foresee >printed 2>&1
is "$(callers landed | grep -ow worker)" worker "throws: who calls after an exception"
is "$(callers landed | grep -oE 'deep|compare|qsort')" "" "throws: and who does not"

# Each stack has its own frames, whoever ran before on this thread.
hostile coroutines.c
foresee print --stacks coroutines.full.foresee >printed 2>&1
is "$(callers count_in_main)" worker "coroutines: who calls outside of them"
is "$(callers count_in_coroutine)" "body step worker" "coroutines: who calls inside"
done_testing
