/* Two locks in both orders, behind a gate that is a file: whoever makes it may go on. */
// deadlock none
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "../order.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static char gate[64];

static void both(pthread_mutex_t *first, pthread_mutex_t *second)
{
	int fd;

	while ((fd = open(gate, O_CREAT | O_EXCL | O_RDWR, 0600)) < 0)
		sched_yield();
	close(fd);
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
	unlink(gate);
}

static void *one(void *arg)
{
	both(&a, &b);
	order_at(0);
	return arg;
}

static void *other(void *arg)
{
	order_at(1);
	both(&b, &a);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	snprintf(gate, sizeof(gate), "gate_file.%ld", (long)getpid());
	pthread_create(&t, NULL, one, NULL);
	pthread_create(&u, NULL, other, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
