#!/usr/bin/env bash
# Under Valgrind: what orders threads may pass where no instruction shows it, by memory that lies at two addresses or in
# two processes, by pages that are protected, by children, by data that the kernel moves; and the C library reads more than it needs.  Correct programs
# are not accused of a race.
. "$(dirname "$0")/../lib.sh"

[ -x "$FORESEE_ROOT/lib/foresee/valgrind/foresee-amd64-linux" ] || skip_all "foresee was built without Valgrind"
clang=$(command -v clang-14 clang | head -1)

for cc in "gcc -O0" "gcc -O2" ${clang:+"$clang -O1"}; do
	ok "$cc: built" $cc -gdwarf-4 -w -o unseen "$SRC/tests/programs/valgrind/unseen.c" -lpthread
	for mode in twice twice-once protected process pipes spliced full child neighbour; do
		foresee record -q --valgrind -o trace ./unseen $mode >out 2>err
		ok "$cc, $mode: recorded" test $? = 0
		ok "$cc, $mode: consistent" foresee verify trace
		foresee check -q -a races trace >log
		ok "$cc, $mode: nothing is predicted" sh -c '! grep predicted, log'
	done
done
${CC:-cc} -O1 -c "$SRC/tests/programs/order.c" -o order.o || exit 2
for program in race/socket_full race/pipe_full race/room_found race/eventfd_sent race/elsewhere unseen/unsteady; do
	ok "$program: built" gcc -O1 -g -w -I"$SRC/tests/programs" -o prog "$SRC/tests/programs/$program.c" order.o -lpthread
	foresee record -q --valgrind -o trace ./prog count >out 2>err
	ok "$program: recorded" test $? = 0
	foresee check -q --plain-moves -a races trace >log
	ok "$program: nothing but the test's own is predicted" sh -c '! grep predicted, log | grep -v "race on \(me\|taken\) "'
done
for p in strings unloaded; do
	ok "$p: built" gcc -O1 -g -w -fno-builtin -o $p "$SRC/tests/programs/valgrind/$p.c" -lpthread -ldl
	foresee record -q --valgrind -o trace ./$p >log
	ok "$p: its status, which says whether answers were right" test $? = 0
	ok "$p: consistent" foresee verify trace
	foresee check -q -a races --plain-moves trace >log
	ok "$p: no race" sh -c '! grep "data race" log'
done
ok "gcc: built" gcc -O2 -g -w -o unseen "$SRC/tests/programs/valgrind/unseen.c" -lpthread
foresee run -q --valgrind ./unseen bare >log 2>&1
ok "what nothing orders is" grep -q 'data race on data .*predicted, certified' log
foresee record -q --valgrind -o trace ./unseen neighbour && foresee check -q -a races trace >log
# What the library here reads depends on the processor; where it is more, the report says why nothing is predicted.
ok "neighbours: a reason" sh -c '! grep -q warning log || grep -q "may read more than the program has asked for" log'
done_testing
