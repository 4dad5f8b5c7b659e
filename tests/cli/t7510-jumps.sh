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
awk '/ lock .* in count_in_main/ { getline; print }' printed | sort -u >main.frames
awk '/ lock .* in count_in_coroutine/ { getline; print }' printed | sort -u >co.frames
is "$(wc -l <main.frames)" 1 "coroutines: one place calls count_in_main"
has main.frames 'in worker$' "coroutines: and that is in worker"
is "$(wc -l <co.frames)" 1 "coroutines: one place calls count_in_coroutine"
has co.frames 'in step$' "coroutines: and that is in step"
done_testing
