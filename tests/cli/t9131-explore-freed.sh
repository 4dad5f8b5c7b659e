#!/usr/bin/env bash
# Memory that is used after its free in some schedule, or freed twice; and programs that hand it round and
# do no such thing.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

mkdir tmp && export TMPDIR=$TEST_DIR/tmp

explore() {
	run timeout 300 foresee explore -q --time 200 "$@"
}

# One takes the node and uses it when it has given back the lock; the other frees it.
cat >node.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct node {
	char text[32];
	int value;
};
static struct node *node;
#if HOW == 1
static volatile int seen;
#endif
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int use(struct node *n)
{
#if HOW == 1
	seen = n->value; /* read */
#elif HOW == 2
	memset(n->text, 1, sizeof(n->text)); /* range */
#elif HOW == 3
	__atomic_fetch_add(&n->value, 1, __ATOMIC_RELAXED); /* atomic */
#else
	free(n); /* twice */
#endif
	return 0;
}

static void *user(void *arg)
{
	struct node *n;

	pthread_mutex_lock(&lock);
	n = node;
#ifdef FIXED
#if HOW == 4
	node = NULL;
#endif
	if (n)
		use(n);
	pthread_mutex_unlock(&lock);
#else
	pthread_mutex_unlock(&lock);
	if (n)
		use(n);
#endif
	return arg;
}

static void *dropper(void *arg)
{
	struct node *n;

	pthread_mutex_lock(&lock);
	n = node;
	node = NULL;
	pthread_mutex_unlock(&lock);
	free(n); /* freed */
	return arg;
}

int main(void)
{
	pthread_t a, b;

	node = calloc(1, sizeof(*node));
	pthread_create(&a, NULL, user, NULL);
	pthread_create(&b, NULL, dropper, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
END
line() {
	grep -n "/\* $1 \*/" node.c | cut -d: -f1
}
while read -r how word what bytes; do
	foresee-cc -g -O1 -pthread -DHOW=$how node.c -o node$how && foresee-cc -g -O1 -pthread -DHOW=$how -DFIXED node.c -o good$how || exit 2
	for strategy in dpor bounded auto; do
		explore --strategy $strategy ./node$how
		is "$status" 1 "$word, $strategy: found"
		has out "^1  $(echo "$what" | tr _ ' '), in a schedule of [0-9]+ steps" "$word, $strategy: what"
	done
	if [ "$bytes" != 0 ]; then
		has out "^  T2 touches $bytes bytes of .* at node.c:$(line $word) in (use|user)" "$word: where"
		has out "^  T3 has freed it at node.c:$(line freed) in dropper" "$word: and where it was freed"
	fi
	run foresee replay node$how.schedule
	is "$status" 0 "$word: replayed"
	has out "^$(echo "$what" | tr _ ' '), in a schedule" "$word: as it was"
	explore --strategy dpor ./good$how
	is "$status" 0 "$word, mended: explored to the end"
	has out ': no failure; these are all' "$word, mended: not accused"
done <<'END'
1 read use_after_free 4
2 range use_after_free 32
3 atomic use_after_free 4
4 twice double_free 0
END
explore -f json ./node1
has out '"fault": *\{"kind": *"use after free", *"size": *4, *"offset": *32, ' "json: the fault"
has out '"freed": *\{"thread": *"T3", *"file": *"node.c", *"line": *'"$(line freed)"',' "json: where it was freed"
explore --expect-status 121 ./node1
is "$status" 1 "the status that it leaves with cannot be wanted"

# By one thread alone, before there are others.
cat >alone.c <<'END'
#include <stdlib.h>
int main(void)
{
	volatile int *p = malloc(sizeof(*p));

	free((void *)p);
	return *p & 0;
}
END
explore alone.c
has out '^1  use after free, in a schedule of 0 steps' "alone: found"

# Locks in memory that is freed: the last unlock comes too late.  Correct: who unlocks last frees; a post is the last that is
# done with a semaphore; a condition may go when all have been woken, though they have not come out of it.
cat >inside.c <<'END'
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
static struct pool {
	pthread_mutex_t lock;
	atomic_int alive;
	int users;
	sem_t done;
} *pool;
static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t *cond;
static int ready, waits;
static const char *how;
static int is(const char *name) { return strcmp(how, name) == 0; }
static void leave(void)
{
	int last;
	pthread_mutex_lock(&pool->lock);
	last = --pool->users == 0;
	pthread_mutex_unlock(&pool->lock);
	if (last)
		free(pool);
}
static void *works(void *arg)
{
	if (is("counted")) {
		leave();
	} else if (is("posted")) {
		sem_post(&pool->done);
	} else if (is("woken")) {
		pthread_mutex_lock(&outer);
		waits = 1;
		while (!ready)
			pthread_cond_wait(cond, &outer);
		pthread_mutex_unlock(&outer);
	} else {
		pthread_mutex_lock(&pool->lock);
		pool->alive = 0;
		pthread_mutex_unlock(&pool->lock); /* late */
	}
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t;

	how = argc > 1 ? argv[1] : "";
	pool = calloc(1, sizeof(*pool));
	pthread_mutex_init(&pool->lock, NULL);
	sem_init(&pool->done, 0, 0);
	pool->alive = 1;
	pool->users = 2;
	cond = calloc(1, sizeof(*cond));
	pthread_cond_init(cond, NULL);
	pthread_create(&t, NULL, works, NULL);
	if (is("counted")) {
		leave();
	} else if (is("posted")) {
		sem_wait(&pool->done);
		free(pool);
	} else if (is("woken")) {
		pthread_mutex_lock(&outer);
		ready = 1;
		if (waits)
			pthread_cond_broadcast(cond);
		pthread_mutex_unlock(&outer);
		pthread_cond_destroy(cond);
		free(cond);
	} else {
		while (pool->alive)
			;
		free(pool);
	}
	pthread_join(t, NULL);
	return 0;
}
END
foresee-cc -g -O1 -pthread inside.c -o inside || exit 2
explore --strategy dpor ./inside
is "$status" 1 "a lock inside: found"
has out '^1  use after free, in a schedule of [0-9]+ steps' "a lock inside: what"
has out "^  T2 uses .* at inside.c:$(grep -n '/\* late \*/' inside.c | cut -d: -f1) in works" "a lock inside: where"
for how in counted posted woken; do
	explore --strategy dpor ./inside $how
	is "$status" 0 "a lock inside, $how: explored to the end"
	has out ': no failure; these are all' "a lock inside, $how: not accused"
done

# Whatever hands out memory hands out what was freed before, also in the library and as a stack.
cat >round.c <<'END'
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *kept[8];

static void fill(char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (char)i;
}

static char *get(unsigned how, size_t n)
{
	char *p = NULL;

	switch (how % 9) {
	case 0: p = malloc(n); break;
	case 1: p = calloc(1, n); break;
	case 2: if (posix_memalign((void **)&p, 64, n)) abort(); break;
	case 3: p = aligned_alloc(64, (n + 63) & ~63ul); break;
	case 4: p = memalign(32, n); break;
	case 5: p = realloc(malloc(n / 2 + 1), n); break;
	case 6: if (asprintf(&p, "%0*d", (int)n, 1) < 0) abort(); break;
	case 7: p = strdup("0123456789abcdef0123456789abcdef"); n = 32; break;
	default: p = valloc(n); break;
	}
	fill(p, n);
	return p;
}

static void *work(void *arg)
{
	unsigned long seed = (unsigned long)arg;

	for (int i = 0; i < 60; i++) {
		unsigned how = (unsigned)(seed = seed * 1103515245 + 12345) >> 8;
		char *p = get(how, 40 + how % 3000), *old;

		if (i % 30 == 0)
			pthread_mutex_lock(&lock);
		old = kept[seed % 4 + (unsigned long)arg % 2 * 4];
		kept[seed % 4 + (unsigned long)arg % 2 * 4] = p;
		if (i % 30 == 0)
			pthread_mutex_unlock(&lock);
		if (old)
			fill(old, 30);
		free(old);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	for (unsigned long round = 0; round < 3; round++) {
		char *map = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		char *big = malloc(200000), *small = malloc(60000);

		fill(map, 1 << 16);
		fill(big, 200000);
		fill(small, 60000);
		free(big);
		free(small);
		munmap(map, 1 << 16);
		malloc_trim(0);
		for (unsigned long i = 0; i < 2; i++)
			pthread_create(&t[i], NULL, work, (void *)(round * 2 + i));
		for (unsigned long i = 0; i < 2; i++)
			pthread_join(t[i], NULL);
	}
	for (int i = 0; i < 8; i++)
		free(kept[i]);
	return 0;
}
END
foresee-cc -g -O1 -pthread round.c -o round || exit 2
for strategy in random pos; do
	explore --strategy $strategy --budget-runs 20 ./round
	is "$status" 3 "handed round, $strategy: not accused"
	has out ': no failure; ' "handed round, $strategy: is said"
done
is "$(ls tmp)" "" "nothing is left behind"
done_testing
