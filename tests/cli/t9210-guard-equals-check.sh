#!/usr/bin/env bash
# The verdicts of guard are those of check: random programs whose order is forced, run both ways.
#
#	t9210-guard-equals-check.sh [PROGRAMS [FIRST]]
. "$(dirname "$0")/../lib.sh"
programs=${1:-${LONG:+200}}
programs=${programs:-12}
first=${2:-1}
${CC:-cc} -O1 -c -o order.o "$SRC/tests/programs/order.c" || exit 2

cat >r.spec <<'END'
local int a = 1; shared int x; shared int y = 2; shared int s.z;
thread w1 = "w1"; thread w2 = "w2"; thread w3 = "w3";
event wx = write(x); event rx = read(x); event tick = user(tick); event lock = acq(m);
property p1: mttl @any(block > 0 -> !some(o : any, @o.@any.block == block));
property p2: mttl @any(@w2.a <= 1);
property p3: mttl @any(tick() -> some(o : any, @o(once a == 2)));
property p4: mttl @w1(hist x != 3);
property p5: mttl @any(all(o : any, @o.x <= x + 1));
property p6: mttl @any(wx() -> !some(o : any, @o(wx())));
property p7: mttl @w3(prev a == a || tick());
property p8: mttl @any(lock() -> !(@w1.@w3.y == 3));
property p9: mttl @w2([rx(), a == 0) -> once @w3.y != 2);
property p10: mttl @any(all(o : any, @o.s.z <= s.z));
property p11: mttl @any(start (s.z == 2) -> tick());
END

# Where no lock is an event most of them are nothing to a guard.
sed '/lock()/d; s/ event lock = acq(m);//' r.spec >quiet.spec

# generate SEED: a program of three threads, one operation at a time.
generate() {
	awk -v seed="$1" '
	function pick(n) { return int(rand() * n) }
	function op(t, text) { body[t] = body[t] sprintf("\torder_see(%d);\n\t%s\n\torder_at(%d);\n", n, text, n); n++ }
	function one(t,  k) {
		k = pick(28)
		if (k < 2) op(t, "x = " pick(4) ";")
		else if (k < 4) op(t, "sink = x;")
		else if (k == 4) op(t, "y = " pick(4) ";")
		else if (k == 5) op(t, "other = " pick(4) ";")
		else if (k < 8 && holder == t) { op(t, "pthread_mutex_unlock(&m);"); holder = 0 }
		else if (k < 8 && !holder) { op(t, "pthread_mutex_lock(&m);"); holder = t }
		else if (k == 8) op(t, "FORESEE_INTERNAL(\"a\", " pick(4) ");")
		else if (k == 9) op(t, "FORESEE_EVENT(\"tick\");")
		else if (k == 10 && blocks[t]) { op(t, "FORESEE_ATOMIC_END();"); blocks[t]-- }
		else if (k == 10) { op(t, "FORESEE_ATOMIC_BEGIN(\"b\");"); blocks[t]++ }
		else if (k == 11 && posts) { op(t, "sem_wait(&posted);"); posts-- }
		else if (k == 11) { op(t, "sem_post(&posted);"); posts++ }
		else if (k == 12) op(t, "atomic_store(&q, " pick(3) ");")
		else if (k == 13) op(t, "local = atomic_load(&q);")
		else if (k < 16 && rw[t]) { op(t, "pthread_rwlock_unlock(&l);"); readers -= rw[t] == 1; writer -= rw[t] == 2; rw[t] = 0 }
		else if (k < 16 && !writer) { op(t, "pthread_rwlock_rdlock(&l);"); rw[t] = 1; readers++ }
		else if (k == 16 && !writer && !readers) { op(t, "pthread_rwlock_wrlock(&l);"); rw[t] = 2; writer++ }
		else if (k == 17 && holder && holder != t) op(t, "if (pthread_mutex_trylock(&m) == 0) abort();")
		else if (k == 18 && spins == t) { op(t, "pthread_spin_unlock(&p);"); spins = 0 }
		else if (k == 20) op(t, "s.z = " pick(4) ";")
		else if (k == 21) op(t, "memset(&s, one - " pick(2) ", one * sizeof(s));")
		else if (k == 22) op(t, pick(2) ? "s = from;" : "from = s;")
		else if (k == 23) op(t, "((volatile char *)&s.z)[" pick(4) "] = " pick(2) ";")
		else if (k == 24) op(t, "local = __sync_bool_compare_and_swap(&s.z, " pick(3) ", " pick(3) ");")
		else if (k == 25) op(t, "__atomic_store_n(&s.z, " pick(4) ", __ATOMIC_RELAXED);")
		else if (k == 26 && written) { op(t, "if (read(ends[0], &byte, 1) != 1) abort();"); written-- }
		else if (k >= 26) { op(t, "if (write(ends[1], \"\", 1) != 1) abort();"); written++ }
		else if (k >= 18 && !spins) { op(t, "pthread_spin_lock(&p);"); spins = t }
	}
	BEGIN {
		srand(seed)
		for (i = 0; i < 60; i++)
			one(1 + pick(3))
		if (holder)
			op(holder, "pthread_mutex_unlock(&m);")
		if (spins)
			op(spins, "pthread_spin_unlock(&p);")
		for (t = 1; t <= 3; t++)
			if (rw[t])
				op(t, "pthread_rwlock_unlock(&l);")
		print "#include <foresee.h>\n#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n#include \"order.h\""
		print "static volatile int x, y = 2, other, sink;\nstatic atomic_int q;\nstatic sem_t posted;"
		print "static struct { long before; int z; long after[3]; } s, from = { 1, 2, { 3 } };\nstatic volatile int one = 1;\nstatic int ends[2];\nstatic char byte;"
		print "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;"
		print "static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;\nstatic pthread_spinlock_t p;"
		for (t = 1; t <= 3; t++)
			printf "static void *w%d(void *arg)\n{\n\tint local = 0;\n\n%s\treturn local == 9 ? arg : 0;\n}\n\n", t, body[t]
		print "int main(void)\n{\n\tpthread_t t[3];\n\n\tif (pipe(ends))\n\t\tabort();\n\tsem_init(&posted, 0, 0);\n\tpthread_spin_init(&p, 0);"
		for (t = 1; t <= 3; t++)
			printf "\tpthread_create(&t[%d], 0, w%d, 0);\n", t - 1, t
		for (t = 1; t <= 3; t++)
			printf "\tpthread_join(t[%d], 0);\n", t - 1
		print "\tsink = x + y + s.z + (int)from.before;\n\treturn 0;\n}" # the spec names both
	}'
}

same=0 violations=0
for ((i = first; i < first + programs; i++)); do
	generate $i >r.c
	if ! foresee-cc -g -O$((i % 3)) -pthread -I"$SRC/tests/programs" r.c order.o -o r 2>err ||
		! timeout 60 foresee record -q --full -o r.foresee ./r >out 2>err; then
		fail "program $i cannot be recorded"
		note err
		break
	fi
	for spec in r quiet; do
		foresee check -q -a aerodrome --all-pairs -s $spec.spec -f json r.foresee 2>err >json
		grep -q '"foresee": 1' json || fail "program $i, $spec.spec: no verdict of check"
		sed 's/{"id": /\n&/g' json | sed -n 's/.*"analysis": "mttl".*"places": \[{"thread": "\([^"]*\)", "label": [^,]*, "op": "[^"]*", "atomic": [a-z]*, "file": [^,]*, "line": \([0-9]*\), .*"property": "\([^"]*\)".*/\3 \1 \2/p' |
			sort >by_check
		timeout 60 foresee guard -q -v -s $spec.spec ./r >out 2>err
		sed -n "s/^foresee: property '\([^']*\)' is violated in \(T[0-9]*\) .* at r\.c:\([0-9]*\) in .*/\1 \2 \3/p" err |
			sort >by_guard
		if ! cmp -s by_check by_guard; then
			fail "program $i, $spec.spec: guard and check differ"
			diff by_check by_guard >differ
			note differ
			break 2
		fi
		violations=$((violations + $(wc -l <by_guard)))
	done
	same=$((same + 1))
done
is "$same" "$programs" "guard says what check says of $programs programs"
ok "they have violations to tell: $violations" test "$violations" -gt $((2 * programs))

# --- a lock that is given back twice by one thread, which has heard of something between ---
cat >news.c <<'C'
#include <foresee.h>
#include <pthread.h>
#include <semaphore.h>
#include "order.h"
static volatile int x;
static sem_t s;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void section(void)
{
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
}
static void *w1(void *arg)
{
	order_see(1);
	section();
	section();
	sem_wait(&s);
	section();
	order_at(1);
	return arg;
}
static void *w2(void *arg)
{
	order_see(0);
	x = 1;
	sem_post(&s);
	order_at(0);
	return arg;
}
static void *w3(void *arg)
{
	order_see(2);
	section();
	FORESEE_EVENT("tick");
	order_at(2);
	return arg;
}
int main(void)
{
	pthread_t t[3];

	sem_init(&s, 0, 0);
	pthread_create(&t[0], 0, w1, 0);
	pthread_create(&t[1], 0, w2, 0);
	pthread_create(&t[2], 0, w3, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 0;
}
C
cat >news.spec <<'END'
shared int x; event tick = user(tick);
property heard: mttl @any(tick() -> x == 1);
property deaf: mttl @any(tick() -> x == 0) handler count;
END
foresee-cc -g -O1 -pthread -I"$SRC/tests/programs" news.c order.o -o news || exit 2
run timeout 60 foresee guard -q -s news.spec ./news
is "$(cat err)" "foresee: guard: property 'deaf' was violated 1 time" "what was heard between two sections goes with the second"
done_testing
