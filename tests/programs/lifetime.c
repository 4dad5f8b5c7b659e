/*
 * The lives of synchronisation objects: who ends one while another thread may still use it, and
 * who waits, as POSIX wants it, until nobody does.  The argument says which.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "order.h"

static struct shared {
	pthread_mutex_t mutex;
	pthread_rwlock_t rwlock;
	pthread_cond_t cond;
	pthread_barrier_t barrier;
	sem_t sem;
	int refs, flag;
} * s;

static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;

static void *lock(void *arg)
{
	pthread_mutex_lock(&s->mutex);
	pthread_mutex_unlock(&s->mutex);
	order_at(0);
	return arg;
}

static void *lock_read(void *arg)
{
	pthread_rwlock_rdlock(&s->rwlock);
	pthread_rwlock_unlock(&s->rwlock);
	order_at(0);
	return arg;
}

static void *signal_one(void *arg)
{
	pthread_cond_signal(&s->cond);
	order_at(0);
	return arg;
}

/* It is past that time already. */
static void *wait_a_moment(void *arg)
{
	const struct timespec past = { 1, 0 };

	pthread_mutex_lock(&other);
	pthread_cond_timedwait(&s->cond, &other, &past);
	pthread_mutex_unlock(&other);
	order_at(0);
	return arg;
}

static void *lock_local(void *arg)
{
	pthread_mutex_t *m = arg;

	pthread_mutex_lock(m);
	pthread_mutex_unlock(m);
	order_at(0);
	return NULL;
}

/* Its mutex ends where it returns. */
static void __attribute__((noinline)) leave(pthread_t *t)
{
	pthread_mutex_t local = PTHREAD_MUTEX_INITIALIZER;

	pthread_create(t, NULL, lock_local, &local);
	order_at(1);
}

static void __attribute__((noinline)) leave_alone(void)
{
	pthread_mutex_t local = PTHREAD_MUTEX_INITIALIZER;
	pthread_t t;

	pthread_create(&t, NULL, lock_local, &local);
	pthread_join(t, NULL);
}

static pthread_t child;

/* Its mutex ends with the thread, which does not return. */
static void *leave_at_once(void *arg)
{
	pthread_mutex_t local = PTHREAD_MUTEX_INITIALIZER;

	pthread_create(&child, NULL, lock_local, &local);
	order_at(1);
	pthread_exit(arg);
}

static void *post(void *arg)
{
	sem_post(&s->sem);
	order_at(0);
	return arg;
}

static void *post_at_once(void *arg)
{
	sem_post(&s->sem);
	return arg;
}

static void *meet(void *arg)
{
	if (pthread_barrier_wait(&s->barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
		pthread_barrier_destroy(&s->barrier);
		free(s);
	}
	return arg;
}

/* The last to go ends it. */
static void *let_go(void *arg)
{
	int left;

	pthread_mutex_lock(&s->mutex);
	left = --s->refs;
	pthread_mutex_unlock(&s->mutex);
	if (left == 0) {
		pthread_mutex_destroy(&s->mutex);
		free(s);
	}
	return arg;
}

static void *wait_for_flag(void *arg)
{
	pthread_mutex_lock(&s->mutex);
	order_at(0);
	while (!s->flag)
		pthread_cond_wait(&s->cond, &s->mutex);
	pthread_mutex_unlock(&s->mutex);
	return arg;
}

static void broadcast_and_destroy(pthread_t t)
{
	order_at(1);
	pthread_mutex_lock(&s->mutex);
	s->flag = 1;
	pthread_cond_broadcast(&s->cond);
	pthread_mutex_unlock(&s->mutex);
	pthread_cond_destroy(&s->cond);
	pthread_join(t, NULL);
	pthread_mutex_destroy(&s->mutex);
	free(s);
}

static void make(void)
{
	s = calloc(1, sizeof(*s));
	pthread_mutex_init(&s->mutex, NULL);
	pthread_rwlock_init(&s->rwlock, NULL);
	pthread_cond_init(&s->cond, NULL);
	pthread_barrier_init(&s->barrier, NULL, 2);
	sem_init(&s->sem, 0, 0);
	s->refs = 2;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	pthread_t t;

	make();
	if (strncmp(what, "free-", 5) == 0 || strncmp(what, "destroy-", 8) == 0 ||
	    strncmp(what, "init-", 5) == 0) {
		const char *object = strchr(what, '-') + 1;

		pthread_create(&t, NULL,
			       strcmp(object, "mutex") == 0    ? lock
			       : strcmp(object, "rwlock") == 0 ? lock_read
			       : strcmp(object, "cond") == 0   ? signal_one
			       : strcmp(object, "wait") == 0   ? wait_a_moment
							       : post,
			       NULL);
		order_at(1);
		if (what[0] == 'f')
			free(s);
		else if (what[0] == 'i' && strcmp(object, "sem") == 0)
			sem_init(&s->sem, 0, 1);
		else if (what[0] == 'i')
			pthread_mutex_init(&s->mutex, NULL);
		else if (strcmp(object, "mutex") == 0)
			pthread_mutex_destroy(&s->mutex);
		else if (strcmp(object, "rwlock") == 0)
			pthread_rwlock_destroy(&s->rwlock);
		else if (strcmp(object, "cond") == 0 || strcmp(object, "wait") == 0)
			pthread_cond_destroy(&s->cond);
		else
			sem_destroy(&s->sem);
		pthread_join(t, NULL);
	} else if (strcmp(what, "scope") == 0) {
		leave(&t);
		pthread_join(t, NULL);
	} else if (strcmp(what, "exit") == 0) {
		pthread_create(&t, NULL, leave_at_once, NULL);
		pthread_join(t, NULL);
		pthread_join(child, NULL);
	} else if (strcmp(what, "alone") == 0) {
		leave_alone();
		leave_alone();
	} else if (strcmp(what, "join") == 0) {
		pthread_create(&t, NULL, lock, NULL);
		pthread_join(t, NULL);
		pthread_mutex_destroy(&s->mutex);
		free(s);
	} else if (strcmp(what, "last") == 0) {
		pthread_create(&t, NULL, let_go, NULL);
		let_go(NULL);
		pthread_join(t, NULL);
	} else if (strcmp(what, "broadcast") == 0) {
		pthread_create(&t, NULL, wait_for_flag, NULL);
		broadcast_and_destroy(t);
	} else if (strcmp(what, "serial") == 0) {
		pthread_create(&t, NULL, meet, NULL);
		meet(NULL);
		pthread_join(t, NULL);
	} else if (strcmp(what, "wait") == 0) {
		pthread_create(&t, NULL, post_at_once, NULL);
		sem_wait(&s->sem);
		sem_destroy(&s->sem);
		free(s);
		pthread_join(t, NULL);
	} else {
		return 2;
	}
	return 0;
}
