#!/usr/bin/env bash
# How threads and programs end: destructors, cancellation, threads at work when the program leaves.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
[ -n "$LLVMS" ] || skip_all "no pass was built"
. "$SRC/tests/cli/hostile.sh"

hostile last_words.cpp
hostile cancels.c
build "$hostile/leaves.c" || exit 2
for mode in full locks; do
	for how in return exit _exit _Exit quick_exit abort "exit worker" "_exit worker" "main gone:exit worker"; do
		recorded "leaves, $how" $mode "$hostile/leaves.c" "${how%%[: ]w*}" $([[ $how == *worker ]] && echo worker)
	done
done
done_testing
