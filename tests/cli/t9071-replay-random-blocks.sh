#!/usr/bin/env bash
# Random programs with blocks: every block that is predicted to be split is split in a replay of the program.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
[ -n "$LLVMS" ] || skip_all "no pass was built"

count=${COUNT:-${LONG:+100}}
count=${count:-8}
first=${SEED:-1}
${CC:-cc} -O1 -c -o order.o "$SRC/tests/programs/order.c" && ${CC:-cc} -O1 -o blocks "$SRC/tests/gen/blocks/blocks.c" ||
	exit 2
set -- $LLVMS
predicted=0 good=0
for ((seed = first; seed < first + count; seed++)); do
	./blocks $seed >p.c
	level=-O$((seed % 3))
	if ! FORESEE_LLVM=$1 foresee-cc $level -w -g -I"$SRC/tests/programs" p.c order.o -o prog -lpthread >log 2>&1 ||
		! timeout 60 foresee record -q -o p.foresee ./prog >log 2>&1 </dev/null; then
		fail "program $seed: builds and runs"
		note log
		continue
	fi
	set -- "${@:2}" "$1"
	rm -rf proofs
	timeout 100 foresee check -q -a atomicity --infer --witness-dir proofs p.foresee >out 2>err
	[ $? -lt 2 ] && ! [ -s err ] || { fail "program $seed: checked" && note err; }
	for w in proofs/*.witness; do
		[ -e "$w" ] || continue
		predicted=$((predicted + 1))
		if ORDER_OFF= timeout 60 foresee replay p.foresee "$w" >log 2>&1 </dev/null; then
			good=$((good + 1))
		else
			echo "# program $seed, $(basename "$w"): not replayed"
			note log
		fi
	done
done
echo "# $count programs, $predicted split blocks predicted, $good replayed"
is "$((predicted >= count))" 1 "there is something to replay"
is "$((good * 100 >= predicted * 99))" 1 "replayed: $good of $predicted"
done_testing
