#!/usr/bin/env bash
# -v: each locking pattern is told once, while the program runs.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

here=$SRC/tests/programs
${CC:-cc} -O1 -c -o order.o "$here/order.c" || exit 2
cat >patterns.c <<'EOT'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static struct { int filler; pthread_mutex_t lock; } row[4];
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, *heap;
static pthread_mutex_t nests;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void inner(void)
{
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
}

static void *worker(void *arg)
{
	for (int i = 0; i < 50; i++) {
		pthread_mutex_lock(&a);
		inner();
		inner();
		pthread_rwlock_rdlock(&l);
		pthread_mutex_lock(heap);
		pthread_mutex_unlock(&a); /* not the last one taken */
		inner();
		pthread_mutex_unlock(heap);
		pthread_rwlock_unlock(&l);
		pthread_mutex_lock(&row[i % 3].lock);
		pthread_mutex_lock(&row[i % 3 + 1].lock);
		pthread_mutex_unlock(&row[i % 3 + 1].lock);
		pthread_mutex_unlock(&row[i % 3].lock);
	}
	return arg;
}

int main(void)
{
	struct timespec past = { 0, 0 };
	pthread_mutexattr_t attr;
	pthread_t t[3];

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&nests, &attr);
	heap = malloc(sizeof(*heap));
	pthread_mutex_init(heap, NULL);
	for (int i = 0; i < 4; i++)
		pthread_mutex_init(&row[i].lock, NULL);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	pthread_mutex_lock(&nests);
	pthread_mutex_lock(&nests);
	pthread_mutex_unlock(&nests);
	inner();
	pthread_mutex_unlock(&nests);
	inner(); /* with nothing held */
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	pthread_cond_timedwait(&c, &a, &past);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	puts("done");
	return 0;
}
EOT
# One row: rows of other locks at the same places are the same pattern.
cat >want <<'EOT'
"main" locks a (patterns.c:63) holding b (patterns.c:62)
"main" locks b (patterns.c:14) holding nests (patterns.c:55)
"main" locks b (patterns.c:62) holding a (patterns.c:61)
"worker" locks HEAP (patterns.c:25) holding a (patterns.c:21), l (patterns.c:24)
"worker" locks b (patterns.c:14) holding a (patterns.c:21)
"worker" locks b (patterns.c:14) holding l (patterns.c:24), HEAP (patterns.c:25)
"worker" locks row[1]+8 (patterns.c:31) holding row[0]+8 (patterns.c:30)
"worker" locks to read l (patterns.c:24) holding a (patterns.c:21)
EOT
for level in -O0 -O2; do
	ok "builds $level" foresee-cc -g $level -pthread patterns.c -o patterns
	for command in record run; do
		run timeout 60 foresee $command -v ./patterns
		is "$(head -1 out)" done "$command $level: the program's output is its own"
		sed -n 's/^foresee: T[0-9]* \(".*\)/\1/p' err |
			sed 's/0x[0-9a-f]*/HEAP/g' | sort >got
		same want got "$command $level: each pattern once"
	done
done
run foresee record ./patterns
hasnt err ' locks ' "not without -v"
run foresee record -qv ./patterns
is "$(cat err)" "" "nor with -q"

ok "a program that hangs builds" foresee-cc -g -O1 -pthread -I"$here" "$here/hang/crossed.c" order.o -o crossed
run timeout 30 foresee run -v ./crossed
has err '^foresee: T2 "one" locks b \(crossed\.c:[0-9]+\) holding a \(crossed\.c:[0-9]+\)$' "told before the lock is there"
has err '^foresee: T3 "two" locks a \(crossed\.c:[0-9]+\) holding b \(crossed\.c:[0-9]+\)$' "by both"
done_testing
