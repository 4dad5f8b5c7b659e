#!/usr/bin/env bash
# Programs as they are, recorded under Valgrind: what is found is what their comments name, every
# trace agrees with itself, and what cannot be recorded is refused with a reason.
. "$(dirname "$0")/../lib.sh"

[ -x "$FORESEE_ROOT/lib/foresee/valgrind/foresee-amd64-linux" ] || skip_all "foresee was built without Valgrind"
case $FORESEE_ROOT in *[[:space:]:]*) skip_all "Valgrind cannot preload from a path with a blank" ;; esac
programs=$SRC/tests/programs

# check NAME COMMAND...
check() {
	local name=$1
	shift
	if "$@" >said 2>&1; then pass "$name"; else fail "$name"; note said; fi
}

gcc -O1 -c -isystem /usr/include/valgrind -o order.o "$programs/hidden/order.c" || exit 2

# ---- races ----

# Not here, for what a binary does not say: atomics that are plain moves (publish_atomic,
# read_again), plain accesses of what is atomic elsewhere (atomics_mixed), fields and inlined lines (value_task);
# and what the one channel of the kernel orders too much (eventfd_other, signal_handler, socket_turns).
names='account barrier_late cond_late_write counter_decides counter_listing double_checked'
[ -z "${LONG:-}" ] || names=$(cd "$programs/race" && ls ./*.c | sed 's|./||; s|\.c$||' |
	grep -vE '^(publish_atomic|read_again|atomics_mixed|value_task|eventfd_other|signal_handler|socket_turns)$')
for p in $names; do
	bad=0
	gcc -O2 -g "$programs/race/$p.c" order.o -o prog -lpthread || bad=1
	timeout 100 foresee record -q --valgrind -o prog.foresee ./prog >out 2>err || bad=1
	foresee verify prog.foresee >verify 2>&1 || bad=1
	# The schedule's events name threads too: only places count here.
	foresee check -q -a races -f json prog.foresee 2>>err |
		sed -E 's/"event": *[0-9]+, *"thread"/"event"/g' >report
	awk -f "$programs/race/expect.awk" "$programs/race/$p.c" report >log 2>&1 || bad=1
	if [ "$bad" = 0 ]; then pass "$p"; else fail "$p"; note err; note verify; note log; fi
done

# ---- random programs, stripped ones too ----

gcc -std=gnu11 -O1 -w -o gen "$SRC"/tests/gen/*.c || exit 2
count=6
[ -z "${LONG:-}" ] || count=200
for ((seed = 1; seed <= count; seed++)); do
	./gen "$seed" >random.c
	flags=(-O2)
	[ $((seed % 2)) = 0 ] || flags+=(-s)
	gcc -w -std=gnu11 -g -fno-strict-aliasing -pthread "${flags[@]}" -I"$SRC/tests/gen" random.c -o random
	timeout 200 foresee record -q --valgrind -o random.foresee ./random >out 2>err </dev/null
	foresee verify random.foresee >verify 2>&1
	if grep -q "^seed $seed done" out && grep -Eq 'consistent: [0-9]{3,} events' verify; then
		pass "seed $seed ${flags[*]}"
	else
		fail "seed $seed ${flags[*]}"
		note verify
	fi
done

# ---- memory that is given out again ----

gcc -O1 -g "$programs/valgrind/given.c" -o given -lpthread || exit 2
for i in 1 2 3; do
	foresee record -q --valgrind -o given.foresee ./given
	check "given: what is read was written in the same life ($i)" foresee verify given.foresee
	foresee check -q given.foresee >log
	check "given: nothing is found ($i)" test $? = 0
done

# ---- other kinds of programs ----

cat >small.c <<'END'
#include <pthread.h>
int x;
static void *worker(void *arg) { x++; return arg; }
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, NULL, worker, NULL);
	pthread_create(&u, NULL, worker, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 7;
}
END
gcc -O2 -g small.c -o small -lpthread && gcc -O2 -static small.c -o static -lpthread && g++ -O2 -s -x c++ small.c -o cxx -lpthread || exit 2
for p in small static cxx; do
	foresee record -q --valgrind -o "$p.foresee" "./$p"
	check "$p: its status is passed on" test $? = 7
	check "$p: the trace is consistent" foresee verify "$p.foresee"
	foresee check -q -a races "$p.foresee" >log
	check "$p: its race is found" test $? = 1
done
foresee check -q -a races static.foresee >log
check "static: a warning" grep -q 'only a warning: no call that synchronises was seen, as of a statically linked' log
check "static: nothing is predicted" sh -c '! grep -q predicted log'
foresee check -q -a races small.foresee >log
check "small: predicted" grep -q 'predicted, certified' log
check "small: what a binary does not tell is said" grep -q 'C11 atomics that are plain moves' log
foresee run -q --valgrind ./small >log 2>&1
check "run --valgrind finds it" grep -q 'data race on x ' log
check "and where" grep -q 'small.c:3 in worker' log
foresee replay small.foresee 1 >log 2>&1
check "a replay is refused" test $? = 2
check "and it says why" grep -q 'recorded with --valgrind' log

# ---- what cannot be ----

# refuses NAME WORDS COMMAND...
refuses() {
	local name=$1 words=$2
	shift 2
	"$@" >out 2>err
	check "$name: refused" test $? = 125
	check "$name: the reason" grep -q -- "$words" err
}
printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\3\0' >old && head -c 100 /dev/zero >>old
cp small other && printf '\267' | dd of=other bs=1 seek=18 conv=notrunc status=none
cp small privileged
chmod +x old other && chmod u+s privileged
mkdir -p none another && ln -sf "$(command -v sh)" none/sh && cp none/sh another/ 2>/dev/null
printf '#!/bin/sh\necho valgrind-3.99.0\n' >another/valgrind && chmod +x another/valgrind
foresee=$(command -v foresee)
refuses "a 32-bit program" "32-bit program" foresee record --valgrind ./old
refuses "one for another machine" "not a program for x86-64" foresee record --valgrind ./other
refuses "a setuid program" "is setuid or setgid" foresee record --valgrind ./privileged
refuses "no Valgrind" "Valgrind is not installed: 'apt-get install valgrind'" env PATH="$PWD/none" "$foresee" record --valgrind ./small
refuses "another Valgrind" "is another one (valgrind-3.99.0)" env PATH="$PWD/another" "$foresee" record --valgrind ./small
foresee record --valgrind --locks-only ./small >out 2>err
check "not with --locks-only" grep -q -- "--valgrind goes without --locks-only" err
done_testing
