#!/usr/bin/env bash
# foresee guard: monitors inside the program, recovery, what it says and what it refuses.
. "$(dirname "$0")/../lib.sh"
runs=${LONG:+1000}
runs=${runs:-20}

# build NAME: NAME.c, with foresee-cc.
build() {
	foresee-cc -g -O1 -pthread "$1.c" -o "$1" || exit 2
}

# --- the bank: what recovery prevents ---
cp "$SRC/examples/bank.c" "$SRC/examples/bank.spec" .
build bank
bare=0 guarded=0
for ((i = 0; i < runs; i++)); do
	timeout 60 ./bank >out 2>err || bare=$((bare + 1))
	timeout 60 foresee guard -q -s bank.spec ./bank >out 2>>all || guarded=$((guarded + 1))
done
ok "without a guard money is lost, in $bare of $runs runs" test $bare -gt 0
is "$guarded" 0 "with one it is not, in $runs runs"
has all "^foresee: guard: property 'atom' was violated [0-9]+ times?" "it says how often it came to that"
FORESEE_GUARD=bank.spec timeout 60 ./bank >out 2>err
is "$?" 0 "FORESEE_GUARD does the same"
has out 'balance 800, repaired [1-9]' "and handlers were called"
run timeout 100 foresee guard -s bank.spec bank.c
is "$status" 0 "source is compiled first"
sed 's/TELLERS 4/TELLERS 1/' bank.c >alone.c
build alone
run timeout 60 foresee guard -s bank.spec ./alone
is "$status $(cat err)" "0 " "one thread alone violates nothing"

# --- the same run, recorded, has the same verdict ---
# Whether tellers come into each other's way in one run is up to the scheduler.
for i in $(seq 30); do
	timeout 60 foresee record -q -o bank.foresee ./bank >/dev/null 2>&1
	run foresee check -a hb -s bank.spec bank.foresee
	[ "$status" = 0 ] || break
done
is "$status" 1 "check finds it in a recording"
has out '^[0-9]+  property atom violated +it happened$' "as something that happened"

# --- races and mutual exclusion, in a forced order ---
${CC:-cc} -O1 -c -o order.o "$SRC/tests/programs/order.c" || exit 2
cat >race.c <<'END'
#include <pthread.h>
#include <unistd.h>
#include <foresee.h>
#include "order.h"
static int x;
static volatile int flag;
static void *one(void *arg)
{
	order_see(0);
	x = 1;
	order_at(0);
	order_see(2);
	FORESEE_INTERNAL("inside", 1);
	flag = 1;
	order_at(2);
	order_see(4);
	FORESEE_INTERNAL("inside", 0);
	flag = 0;
	order_at(4);
	return arg;
}
static void *two(void *arg)
{
	order_see(1);
	x = 2;
	order_at(1);
	order_see(3);
	flag = flag + 1; /* it has seen that the other is in, and goes on */
	FORESEE_INTERNAL("inside", 1);
	FORESEE_INTERNAL("inside", 0);
	order_at(3);
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t a, b;

	pthread_create(&a, 0, one, argv);
	pthread_create(&b, 0, two, argv);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return argc == 2 ? fork() == 0 ? 0 : 5 : 4;
}
END
foresee-cc -g -O1 -pthread -I"$SRC/tests/programs" race.c order.o -o race || exit 2
cat >race.spec <<'END'
shared int x; shared int flag; local int inside = 0;
event wx = write(x);
property ww: mttl @any(wx() -> !some(o : any, @o(wx())));
property mutex: mttl @any(inside == 1 -> !some(o : any, @o.inside == 1)) handler count;
END
run timeout 60 foresee guard -s race.spec ./race
is "$status" 4 "the status is the program's"
has err "^foresee: property 'ww' is violated in T3 \"two\" at race\.c:25 in two; it knows x = 2 \(write 2\), flag = 0$" "a race, with what is known"
has err "^foresee: guard: property 'mutex' was violated 1 time$" "two inside, counted"
hasnt err "property 'mutex' is violated in" "and no more than counted"

# --- what else may be done about it ---
# handler WORDS: the spec with that handler.
handler() {
	sed "s/ww: \(.*\);/ww: \1 handler $1;/" race.spec >h.spec
}
handler 'set flag = 7'
run timeout 60 foresee guard -s h.spec ./race
is "$status" 4 "a variable is set"
has err "property 'ww' is violated" "which is told"
handler 'wait until @any.x == 2 for 50'
run timeout 60 foresee guard -s h.spec ./race
has err 'it waited until that was over' "a wait that ends"
handler 'wait until x == 99 for 20'
run timeout 60 foresee guard -s h.spec ./race
has err 'it waited in vain, and goes on' "and one that does not"
is "$status" 4 "goes on all the same"
handler abort
run timeout 60 foresee guard -s h.spec ./race 2>/dev/null
is "$status" 134 "abort"
has err "property 'ww' is violated" "with a word before"
handler stop
foresee guard -s h.spec ./race >out 2>err &
pid=$!
for ((i = 0; i < 300; i++)); do
	grep -q '^State:.T' /proc/$pid/status 2>/dev/null && break
	sleep 0.1
done
ok "stop: the program stands still" grep -q '^State:.T' /proc/$pid/status
kill -CONT $pid
wait $pid
is "$?" 4 "and goes on"

# --- trouble ---
# wrong PATTERN SPEC [PROGRAM]: refused with such a message, by 125.
wrong() {
	printf '%s\n' "$2" >w.spec
	run timeout 60 foresee guard -s w.spec "${3:-./race}"
	if [ $status = 125 ] && grep -Eq -- "$1" err; then
		pass "refused: $1"
	else
		fail "refused: $1"
		note err
	fi
}
printf 'int x;\nvoid one(int n);\nvoid one(int n) { x = n; }\nint main(void) { one(0); return x; }\n' >other.c
build other
wrong "variable 'gone' is not in the program|'gone'" 'shared int gone; property p: mttl @any(gone == 0);'
wrong "nothing to guard" 'shared int x; property p: ptltl x == 0;'
wrong "the program has no function 'nowhere'" 'property p: mttl @any(block == 0) handler nowhere;'
wrong "'x' of the program is no function" 'shared int x; property p: mttl @any(x == 0) handler x;'
wrong "'main' of the program takes more than one argument: a handler is" 'shared int x; property p: mttl @any(x == 0) handler main;'
wrong "'one' of the program takes another argument" 'shared int x; property p: mttl @any(x == 0) handler one;' ./other
wrong "'skip' would take back" 'shared int x; property p: mttl @any(x == 0) handler skip;'
wrong "is local to each thread: a handler sets" 'local int a; property p: mttl @any(a == 0) handler set a = 1;'
wrong "no past in it" 'shared int x; property p: mttl @any(x == 0) handler wait until once x == 1;'
wrong "is every access" 'event e = write(); property p: mttl @any(!e());'
wrong "'any' is many threads" 'thread t = 1; shared int x; property p: mttl @t(@any.x == 0);'
wrong "depends on two threads" 'local int a; property p: mttl @any(some(o : any, some(p : any, @o.@p.@any.a == 1)) || some(o : any, some(p : any, @o(@p.a == @any.a))));'
wrong "constants that are not 0" 'shared int x; property p: mttl @any(1 / x == 0);'
wrong "and 'step' cannot be said" 'shared int x; property p step write: mttl @any(x == 0);'
wrong "'tid' under an @" 'thread t = 1; property p: mttl @any(@t(tid == 1));'
wrong "cannot find './missing'" 'shared int x; property p: mttl @any(x == 0);' ./missing
run foresee guard ./race
is "$status" 125 "no spec"
has err 'no spec given' "is said"
run foresee guard -s race.spec
is "$status" 125 "no program"
printf 'thread t = "nobody"; shared int x; property p: mttl @t(x == 0);\n' >w.spec
run timeout 60 foresee guard -s w.spec ./race
is "$status" 4 "a thread that never comes harms nobody"
printf 'thread w = "one"; shared int x; property p: mttl @any(@w.x >= 0);\n' >w.spec
sed 's/, two,/, one,/; s/order_see([0-9]);//; s/order_at([0-9]);//' race.c >same.c
foresee-cc -g -O1 -pthread -I"$SRC/tests/programs" same.c order.o -o same || exit 2
run timeout 60 foresee guard -s w.spec ./same
is "$status" 4 "a name that is two threads"
has err "'w' is several threads, and '@w' can mean one only" "is said"
run timeout 60 foresee guard -s race.spec ./race fork
is "$status" 5 "a fork: the child has no monitors"
printf 'flow all; shared int x; property p: mttl @any(x >= 0);\n' >w.spec
run timeout 60 foresee guard -s w.spec ./race
is "$status" 4 "flow all"
has err 'every access of memory carries knowledge' "says what it costs"

# --- many threads ---
cat >many.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *add(void *arg)
{
	pthread_mutex_lock(&m);
	n++;
	pthread_mutex_unlock(&m);
	return arg;
}
int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 0;
	pthread_t t;

	for (int i = 0; i < count; i++)
		if (pthread_create(&t, 0, add, 0) || pthread_join(t, 0))
			return 2;
	printf("%d\n", n);
	return 0;
}
END
build many
printf 'shared int n; property p: mttl @any(n >= 0);\n' >w.spec
run timeout 100 foresee guard -s w.spec ./many 1000
is "$status $(cat out) $(cat err)" "0 1000 " "1000 threads"
run timeout 100 foresee guard -s w.spec ./many 5000
is "$status $(cat out)" "0 5000" "more than can be followed"
has err 'more than 4096 threads' "is said, and the program goes on"

# --- memory ---
cat >long.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile long n;
static long events;
static void *work(void *arg)
{
	for (long i = 0; i < events; i++) {
		pthread_mutex_lock(&m);
		n = n + 1;
		pthread_mutex_unlock(&m);
	}
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t a, b;

	events = argc > 1 ? atol(argv[1]) : 1000;
	pthread_create(&a, 0, work, 0);
	pthread_create(&b, 0, work, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return n != 2 * events;
}
END
build long
printf 'shared long n; property p: mttl @any(n >= 0 && all(o : any, @o.n <= n));\n' >w.spec
# memory EVENTS: KiB that the guard has mapped for itself at the end.
memory() {
	timeout 300 foresee guard -q -v -s w.spec ./long "$1" 2>&1 >/dev/null |
		sed -n 's/^foresee: guard: \([0-9]*\) KiB.*/\1/p'
}
few=$(memory 1000) many=$(memory 2500000)
is "$many" "$few" "what threads know takes no more memory in a run of 10 000 000 watched accesses"
sed 's/pthread_mutex_lock(&m);/FORESEE_ATOMIC_BEGIN("b"); &/; s/pthread_mutex_unlock(&m);/& FORESEE_ATOMIC_END();/; 1i #include <foresee.h>' long.c >blocks.c
mv blocks.c long.c
build long
printf 'property atom: mttl @any(block > 0 -> !some(o : any, @o.@any.block == block)) handler count;\n' >w.spec
few=$(memory 1000) many=$(memory 250000)
is "$many" "$few" "nor where every block is news"
done_testing
