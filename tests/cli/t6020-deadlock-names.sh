#!/usr/bin/env bash
# What the locks of a deadlock are called, and what is said of a hang that no analysis explains.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

cat >locks.c <<'EOT'
#include <pthread.h>
#include <stdlib.h>

struct row { long n; pthread_mutex_t lock; };
static pthread_mutex_t forks[3], grid[2][3];
static struct row table[4];
static struct { pthread_mutex_t in, out; } box;

static struct row *row_new(void)
{
	struct row *r = malloc(sizeof(*r));
	pthread_mutex_init(&r->lock, NULL);
	return r;
}

static pthread_mutex_t *one, *other;

static void take(pthread_mutex_t *a, pthread_mutex_t *b)
{
	pthread_mutex_lock(a);
	pthread_mutex_lock(b);
	pthread_mutex_unlock(b);
	pthread_mutex_unlock(a);
}

static void *forth(void *arg) { take(one, other); return arg; }
static void *back(void *arg) { take(other, one); return arg; }

/* One after the other: the deadlock does not happen. */
static void both(void)
{
	pthread_t t;
	pthread_create(&t, NULL, forth, NULL);
	take(other, one);
	pthread_join(t, NULL);
}

int main(int argc, char **argv)
{
	pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;

	switch (argc > 1 ? argv[1][0] : 'a') {
	case 'a': one = &forks[0]; other = &forks[2]; break;
	case 'g': one = &grid[0][2]; other = &grid[1][0]; break;
	case 't': one = &table[1].lock; other = &table[3].lock; break;
	case 'b': one = &box.in; other = &box.out; break;
	case 'h': one = &row_new()->lock; other = &row_new()->lock; break;
	case 'l': one = &left; other = &right; break;
	}
	both();
	(void)back;
	return 0;
}
EOT
ok "builds" foresee-cc -g -O1 -pthread locks.c -o locks
# The run may hang as well as not: the finding and the names are the same.
named() {
	run timeout 60 foresee run ./locks "$1"
	has out "^1  deadlock of T[12] and T[12] on ($2, $3|$3, $2) +predicted, certified\$" "$4"
}
named a 'forks\[0\]' 'forks\[2\]' "elements of an array"
run foresee print --std locks.foresee
has out '\|acq\(locks\.c:forks\[2\]\)\|' "in text too"
cp out once.std
run foresee print --std once.std
same once.std out "which reads back"
run foresee check -q once.std
has out '^1  deadlock of T[12] and T[12] on .*forks\[[02]\]' "and is analysed"
run foresee print --lock-trees locks.foresee
has out '^ +forks\[0\] +1 time' "lock trees"
echo 'deadlock:lock:forks[[]2[]]' >rules
run foresee check --suppress rules locks.foresee
is "$status" 0 "a suppression by element"
echo 'deadlock:lock:forks*' >rules
run foresee check --suppress rules locks.foresee
is "$status" 0 "and of all elements"
named g 'grid\[0\]\[2\]' 'grid\[1\]\[0\]' "of two dimensions"
named t 'table\[1\]\+8' 'table\[3\]\+8' "in structs of an array"
named b box 'box\+40' "in a struct"
named h 'heap#1\+8' 'heap#2\+8' "in blocks"
has out '^   heap#[12], heap#[12] were allocated by T1 at locks\.c:11 in row_new$' "whose making is told"
named l left right "on a stack"
has out '^   left is a local variable of T1: locks\.c:4[0-9] in main$' "whose declaration is told"

# Without instrumentation the symbols of the program are the names, though it was built for the run.
run timeout 60 foresee run --locks-only locks.c
has out '^1  deadlock of T[12] and T[12] on forks(\+80)?, forks(\+80)? +warning$' "names with --locks-only"
has out ' locks\.c:2[0-9] in take$' "and places"

cat >again.c <<'EOT'
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *sleeper(void *arg)
{
	static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&own);
	pthread_cond_wait(&c, &own);
	return arg;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, sleeper, NULL);
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&m);
	return 0;
}
EOT
run timeout 60 foresee run again.c
has out '^no race or deadlock found\.$' "a thread that waits for itself is in no circle"
has out '^    T1  for m, which it holds itself  again\.c:19 in main$' "but it is told"
has out '^    T2  for a signal of c  again\.c:10 in sleeper$' "and who else waits"
done_testing
