#!/usr/bin/env bash
# Split blocks are forced on the program: what was predicted happens.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

here=$SRC/tests/programs/atomicity
${CC:-cc} -O1 -c -o order.o "$here/../order.c" || exit 2

# A replay does not see the reads that only --full records.
for p in $(cd "$here" && grep -l '// split' *.c | xargs grep -L '^// record: --full'); do
	name=$(basename "$p" .c)
	foresee-cc -O1 -g -I"$here" "$here/$p" order.o -o prog -lpthread >log 2>&1 &&
		timeout 60 foresee record -q -o prog.foresee ./prog >log 2>&1 </dev/null
	n=$(foresee check -q -a atomicity --witness-dir proofs prog.foresee | grep -c '^[0-9]*  atomicity of')
	good=0
	for ((i = 1; i <= n; i++)); do
		ORDER_OFF= run timeout 60 foresee replay prog.foresee proofs/$i.witness
		[ $status = 0 ] && good=$((good + 1)) || note out
	done
	is "$((n > 0)) $good" "1 $n" "$name: replayed"
	rm -rf proofs
done
done_testing
