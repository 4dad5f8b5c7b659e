/*
 * Unseen code publishes, under the lock, that data is written; who sees it writes data too.  There is no
 * race on data, wherever the flag lies: unseen_writes KIND.  "unseen_writes KIND race" has one,
 * for the other thread asks nobody.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "order.h"

void unseen_set(int *p, int value);
void unseen_keep(int *p);
void unseen_set_kept(int value);
int *unseen_new(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int global __attribute__((aligned(64)));
static int started = 3;
static struct {
	int flag, data;
} pair __attribute__((aligned(64)));
static _Thread_local int local __attribute__((aligned(64)));
static char big[4 << 20];
static int apart __attribute__((aligned(64)));
static int *flag, *data = &apart;
static int racy, first;

static int is_set(void)
{
	int s;

	pthread_mutex_lock(&m);
	s = *flag == 7;
	pthread_mutex_unlock(&m);
	return s;
}

static void *other(void *unused)
{
	(void)unused;
	order_see(1);
	if (racy) {
		*data = 2;
		is_set();
	} else if (is_set()) {
		*data = 2;
	}
	return NULL;
}

/* The same with a flag that is looked at again and again. */
static void *poll_it(void *unused)
{
	int n = 0;

	(void)unused;
	if (racy)
		*data = 2;
	while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) != 7)
		if (++n == 100)
			order_at(0);
	if (!racy)
		*data = 2;
	return NULL;
}

static int *lies(const char *kind, int *on_stack)
{
	if (!strcmp(kind, "global") || !strcmp(kind, "kept"))
		return &global;
	if (!strcmp(kind, "started"))
		return &started;
	if (!strcmp(kind, "neighbour"))
		data = &pair.data;
	if (!strcmp(kind, "neighbour"))
		return &pair.flag;
	if (!strcmp(kind, "thread"))
		return &local;
	if (!strcmp(kind, "big"))
		return (int *)(void *)&big[sizeof(big) - 64];
	if (!strcmp(kind, "calloc"))
		return calloc(1, 64);
	if (!strcmp(kind, "malloc"))
		return malloc(64);
	if (!strcmp(kind, "library"))
		return unseen_new();
	if (!strcmp(kind, "mmap"))
		return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return !strcmp(kind, "stack") ? on_stack : &global;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "global";
	int on_stack, polls = !strcmp(kind, "polled");
	pthread_t id;

	racy = argc > 2;
	flag = lies(kind, &on_stack);
	if (!strcmp(kind, "kept"))
		unseen_keep(flag);
	if (!strcmp(kind, "written")) /* ... by recorded code before */
		*flag = 1;
	pthread_create(&id, NULL, polls ? poll_it : other, NULL);
	if (polls)
		order_see(1);
	*data = 1;
	pthread_mutex_lock(&m);
	if (!strcmp(kind, "kept"))
		unseen_set_kept(7);
	else
		unseen_set(flag, 7);
	pthread_mutex_unlock(&m);
	if (!polls)
		order_at(0);
	pthread_join(id, NULL);
	printf("%d\n", *data + first);
	return 0;
}
