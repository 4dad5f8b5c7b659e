#!/usr/bin/env bash
# A call that fails tells its caller something, and binds it: no run is predicted in which it would have
# worked.  What has nothing to do with it is found as ever.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
[ -n "$LLVMS" ] || skip_all "no pass was built"

here=$SRC/tests/programs
${CC:-cc} -O1 -c -o order.o "$here/order.c" || exit 2
FORESEE_LLVM=${LLVMS##*[[:space:]]} foresee-cc -O1 -g "$here/refused/refused.c" order.o -o prog -pthread || exit 2

for case in destroyed overflow held given-up no-time running; do
	run timeout 60 foresee record -o prog.foresee ./prog $case
	is "$status" 0 "$case: ends as ever"
	ok "$case: is consistent" foresee verify prog.foresee
	foresee check prog.foresee >report 2>err
	# The lock of a destroyed mutex is itself a race with its end.
	wanted=early
	[ $case != destroyed ] || wanted="early refused.c:m"
	is "$(sed -nE 's/^[0-9]+  data race on ([^ ]+).*/\1/p' report | xargs)" "$wanted" "$case: no more than the race that is there"
done

# What the events say.
print() {
	timeout 60 foresee record -q -o prog.foresee ./prog $1
	foresee print prog.foresee >printed 2>err
}
print destroyed
has printed 'tryfail +refused.c:m .*refused' "a lock that fails leaves an event"
print overflow
has printed 'semfail +refused.c:s .*refused' "a post that fails is none"
print running
has printed 'joinfail +T2' "a join that came too early leaves an event"
done_testing
