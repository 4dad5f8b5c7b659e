/*
 * A deadlock, a wait with a lock and a lost wakeup, which are none when calls that are not seen wait only
 * for a while (attack_unseen.c): WAITS says which of the three.  t9060-replay-attack.sh
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../order.h"

void attack_start(void);
int attack_lock(pthread_mutex_t *m);
int attack_wait(pthread_cond_t *c, pthread_mutex_t *m);
int attack_nap(void);

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;

/* a then b, b then a */
static void *one(void *arg)
{
	pthread_mutex_lock(&a);
	if (attack_lock(&b) == 0)
		pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	order_at(0);
	return arg;
}

static void *two(void *arg)
{
	order_see(1);
	pthread_mutex_lock(&b);
	if (attack_lock(&a) == 0)
		pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return arg;
}

/* Waits with a locked; who is to signal locks it first. */
static void *waits(void *arg)
{
	order_see(1);
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	order_at(1);
	while (!ready && attack_wait(&c, &b) == 0)
		;
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return arg;
}

static void *signals(void *arg)
{
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	order_at(0);
	order_at(2);
	pthread_mutex_lock(&b);
	ready = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&b);
	return arg;
}

/* A signal that nobody remembers; and perhaps one more. */
static void *sleeps(void *arg)
{
	pthread_mutex_lock(&b);
	order_at(0);
	attack_wait(&c, &b);
	pthread_mutex_unlock(&b);
	return arg;
}

static void *rings(void *arg)
{
	order_see(1);
	do {
		pthread_mutex_lock(&b);
		pthread_cond_signal(&c);
		pthread_mutex_unlock(&b);
	} while (attack_nap() && ready++ == 0);
	return arg;
}

int main(void)
{
	static const struct {
		const char *name;
		void *(*first)(void *), *(*second)(void *);
	} plays[] = { { "deadlock", one, two },
		      { "wait", waits, signals },
		      { "lost", sleeps, rings } };
	const char *which = getenv("WAITS");
	pthread_t t, u;

	attack_start();
	for (unsigned i = 0; which && i < 3; i++) {
		if (strcmp(which, plays[i].name) != 0)
			continue;
		pthread_create(&t, NULL, plays[i].first, NULL);
		pthread_create(&u, NULL, plays[i].second, NULL);
		pthread_join(t, NULL);
		pthread_join(u, NULL);
	}
	puts("done");
	return 0;
}
