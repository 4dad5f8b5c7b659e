#!/usr/bin/env bash
# A recorded program does what it does natively: random programs that have one possible order and end
# by printing a sum over all that they did.  Native build against recorded build, with the filter,
# without, and with chunks that are dropped, several times each.  LONG=1: 300 programs, 10 times each.
# (The kernels of the benchmark: t5002.)
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
[ -n "$LLVMS" ] || skip_all "no pass was built"

if [ -n "${LONG:-}" ]; then
	programs=300 times=10
else
	programs=8 times=2
fi
llvms=($LLVMS)
gcc -std=gnu11 -O1 -w -o gen "$SRC"/tests/gen/*.c || exit 2

# recorded NAME: prints how its recorded runs differ from the file native.
recorded() {
	local name=$1 i how
	for ((i = 0; i < times; i++)); do
		for how in "" --full --keep=4M; do
			rm -f "$name.foresee"
			timeout 120 foresee record -q $how -o "$name.foresee" ./recorded.exe >recorded 2>err </dev/null
			echo "status $?" >>recorded
			cmp -s native recorded || echo "record $how: $(tail -n 2 recorded | tr '\n' ' ')"
		done
	done
	foresee verify "$name.foresee" >verified 2>&1 || sed 1q verified
	rm -f "$name.foresee"
}

# compare NAME SOURCE...
compare() {
	local name=$1 llvm=${llvms[$((compared++ % ${#llvms[@]}))]} flags
	shift
	flags=(-w -std=gnu11 -g "$level" -fno-strict-aliasing -pthread -I"$SRC/tests/gen" -I"$SRC/tests/programs" "$@")
	if ! clang-$llvm "${flags[@]}" -o native.exe 2>err ||
		! FORESEE_LLVM=$llvm foresee-cc "${flags[@]}" -o recorded.exe 2>err; then
		fail "$name builds"
		note err
		return
	fi
	timeout 60 ./native.exe >native 2>err </dev/null
	echo "status $?" >>native
	is "$(recorded "$name")" "" "$name, LLVM $llvm: recorded as native"
}
compared=0

clang-${llvms[0]} -O2 -c "$SRC/tests/programs/order.c" -o order.o || exit 2
for ((seed = 1; seed <= programs; seed++)); do
	./gen --serial $seed >program.c
	level=-O$((seed % 4))
	compare "seed-$seed" program.c order.o
done
done_testing
