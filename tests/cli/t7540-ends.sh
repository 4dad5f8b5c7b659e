#!/usr/bin/env bash
# How threads and programs end: destructors, cancellation, threads at work when the program leaves.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
[ -n "$LLVMS" ] || skip_all "no pass was built"
. "$SRC/tests/cli/hostile.sh"

hostile last_words.cpp
for mode in full locks; do
	ok "last_words ($mode): every destructor's lock is there" \
		test "$(foresee stats last_words.$mode.foresee | awk '$1 == "acq" { print $2 }')" -ge 45
done
hostile cancels.c
build "$hostile/leaves.c" || exit 2
options='--linger 20' # its threads are at work without end: more of it is more to read
for mode in full locks; do
	for how in return exit _exit _Exit quick_exit abort "exit worker" "_exit worker" "main gone:exit worker"; do
		recorded "leaves, $how" $mode "$hostile/leaves.c" "${how%%[: ]w*}" $([[ $how == *worker ]] && echo worker)
		ok "leaves, $how ($mode): what the threads did is there" \
			test "$(awk '$1 == "acq" { print $2 }' stats)" -ge 100
	done
	option=$([ $mode = locks ] && echo --locks-only)
	for how in return exit _exit _Exit quick_exit abort; do
		foresee record -q $option -o alone.foresee ./$mode $how alone
		run foresee stats alone.foresee
		has out '^  complete yes' "leaves alone, $how ($mode): complete"
	done
done
done_testing
