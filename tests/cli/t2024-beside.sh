#!/usr/bin/env bash
# Unseen code beside instrumented code, of which the trace tells no order: in objects of the program, in
# a library, as a thread's first function, as main.  What it left in memory is unknown to whoever reads it there.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"
here=$SRC/tests/programs/unseen

${CC:-cc} -O1 -c "$here/beside_unseen.c" -o unseen.o &&
	${CC:-cc} -O1 -DUNSEEN_MAIN -c "$here/beside_unseen.c" -o main.o &&
	${CC:-cc} -O1 -shared -fPIC "$here/beside_unseen.c" -o libunseen.so || exit 2
ok "builds with an object" foresee-cc -g -O1 -pthread "$here/beside.c" unseen.o -o object
ok "... with a library" foresee-cc -g -O1 -pthread "$here/beside.c" "$PWD/libunseen.so" -Wl,--export-dynamic -o library
ok "... with a main" foresee-cc -g -O1 -pthread -DUNSEEN_MAIN "$here/beside.c" main.o -o main

for how in "./object routine" "./object call" "./object copy" "./library routine" "./library call" ./main; do
	for option in "" --full; do
		run timeout 60 foresee run -q $option --trace t.foresee $how
		hasnt out 'certified' "$how $option: nothing is certified"
	done
done
has out '^1  data race on y .* warning$' "the order is not known: a warning"
has out '^   only a warning: a read in it saw what code that was not recorded had written$' "that says why"

for how in ./object ./library; do
	run timeout 60 foresee run -q --trace t.foresee $how phases
	has out '^1  data race on y .* predicted, certified$' "$how: what it did before there were threads, or after, is in order"
done
done_testing
