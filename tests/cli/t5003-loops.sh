#!/usr/bin/env bash
# Loops that run on a buffer: which do, that they compute what they compute natively, that what is recorded
# of them is exact whoever writes beside them, and that no more than a few findings are lost by it.
# LONG=1: more programs.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
[ -n "$LLVMS" ] || skip_all "no pass was built"
here=$SRC/tests/programs
llvms=($LLVMS)
programs=${LONG:+200}
programs=${programs:-8}

gcc -std=gnu11 -O1 -w -o gen "$SRC/tests/gen/loops/loops.c" || exit 2
${CC:-cc} -O1 -c -o order.o "$here/order.c" || exit 2

# ---- which ----
for llvm in $LLVMS; do
	for level in -O0 -O1 -O2 -O3; do
		FORESEE_LLVM=$llvm foresee-cc $level -g -S -emit-llvm -o which.ll "$here/loops/which.c" || exit 2
		awk -v none=$([ $level = -O0 ] && echo 1 || echo 0) '
			/^define/ { match($0, /@[a-z_.]+/); name = substr($0, RSTART + 1, RLENGTH - 1); calls[name] = 0 }
			/call .*@foresee_loop_begin/ { calls[name]++ }
			END { for (name in calls) if ((calls[name] > 0) != (!none && name ~ /^yes_[a-z_]*$/)) print name, calls[name] }
		' which.ll >wrong
		is "$(cat wrong)" "" "LLVM $llvm $level: the right loops run on a buffer"
	done
done

# ---- signals and faults in the middle ----
for llvm in $LLVMS; do
	FORESEE_LLVM=$llvm foresee-cc -O2 -g -pthread -o signals "$here/loops/signals.c" || exit 2
	rm -f s.foresee
	is "$(timeout 120 foresee record -q -o s.foresee ./signals 2>err)" "wrong 0, faults 1" \
		"LLVM $llvm: loops that are interrupted"
	foresee verify s.foresee >verified 2>&1
	is "$(grep -c '^consistent: .* 0 unknown' verified)" 1 "... and what is recorded of them"
done

# ---- random ones ----

# build SEED MODE...: program.c and ./program
build() {
	local seed=$1
	llvm=${llvms[$((seed % ${#llvms[@]}))]} level=-O$((seed / 2 % 3 + 1))
	flags=(-w -std=gnu11 -g $level -fno-strict-aliasing -fwrapv -pthread -I"$here")
	./gen "${@:2}" $seed >program.c
	FORESEE_LLVM=$llvm foresee-cc "${flags[@]}" -o program program.c order.o 2>err || { note err && exit 2; }
}

# recorded: what it printed; complains of a trace that is not exact.
recorded() {
	rm -f t.foresee
	timeout 120 foresee record -q $1 -o t.foresee ./program 2>err || echo "status $?"
	foresee verify t.foresee >verified 2>&1
	grep -q '^consistent: .* 0 unknown' verified || sed 's/^/verify: /' verified
}

for ((seed = 1; seed <= programs; seed++)); do
	build $seed
	clang-$llvm "${flags[@]}" -o native program.c order.o || exit 2
	want=$(timeout 60 ./native)
	is "$(recorded) $(recorded --full) $(./program)" "$want $want $want" \
		"seed $seed, LLVM $llvm $level: computes what it does natively"
done
for ((seed = 1; seed <= programs; seed++)); do
	build $seed --racy
	is "$(recorded | grep -v '^[0-9a-f]*$')" "" "seed $seed, LLVM $llvm $level: racing threads are recorded exactly"
done

# found: the pairs of lines that race, one a line.
found() {
	foresee check -q -a races -f json t.foresee 2>err |
		grep -o '"line": [0-9]*,[^{}]*"function": "loop[0-9]*", "stack"' | paste - - | sort -u
}

all=0 lost=0
for ((seed = 1; seed <= programs; seed++)); do
	build $seed --ordered
	recorded >out
	found >with
	FORESEE_LOOPS=no build $seed --ordered
	recorded >out
	found >without
	all=$((all + $(wc -l <without))) lost=$((lost + $(comm -13 with without | wc -l)))
done
ok "what races is found: $lost of $all pairs of places are lost" test $((lost * 20)) -le $all -a $all -gt $((programs * 10))
done_testing
