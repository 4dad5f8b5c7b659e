/*
 * A race on x whose plan may not hold: ATTACK in the environment says what code that is not seen
 * (attack_unseen.c) does on the way.  t9060-replay-attack.sh
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void attack_start(void);
int attack_writer(void); /* what it does is not known: 1, leave */
void attack_behind(void);
void attack_end(int seen);
int attack_number(const char *name, int otherwise);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t locks[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static char x[8], other[8];
static int lines, y;

static char *memory(int shift)
{
	return (attack_number("OTHER", 0) ? other : x) + shift;
}

static void count(void)
{
	pthread_mutex_lock(&m);
	lines++;
	pthread_mutex_unlock(&m);
}

static void *writer(void *arg)
{
	char *at = memory(0);

	if (attack_writer())
		return arg;
	pthread_mutex_lock(&locks[0]);
	memset(at, 1, 4);
	pthread_mutex_unlock(&locks[0]);
	count();
	return NULL;
}

static void *reader(void *arg)
{
	char *at = memory(attack_number("SHIFT", 0)), copy[4];
	pthread_mutex_t *lock = &locks[!attack_number("GUARD", 0)];

	count();
	pthread_mutex_lock(lock);
	memcpy(copy, at, 4);
	pthread_mutex_unlock(lock);
	y = copy[0] & copy[3];
	attack_behind();
	return arg;
}

int main(void)
{
	pthread_t a, b;

	attack_start();
	/* Without memory there is no thread, and nothing to join. */
	if (pthread_create(&a, NULL, writer, NULL) != 0 ||
	    pthread_create(&b, NULL, reader, NULL) != 0)
		abort();
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	attack_end(y);
	printf("y %d\n", y);
	return 0;
}
