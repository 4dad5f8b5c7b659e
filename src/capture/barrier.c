/*
 * Barriers.  The i-th entry (from 0) into a barrier for c threads belongs to
 * its generation i / c + 1: nobody enters the next one before all of this one
 * have entered, and every entry is counted before the real call.
 */
#include <pthread.h>

#include "capture/object.h"
#include "capture/real.h"
#include "capture/sync.h"

/* The count of a barrier whose init was not seen, where glibc keeps it. */
#define COUNT_WORD 2

static struct object_note *barrier_find(struct object_note **list, const pthread_barrier_t *b)
{
	struct object_note **at = object_seek(list, b);

	while (*at != NULL && (*at)->what != OBJECT_BARRIER)
		at = object_seek(&(*at)->next, b);
	return *at;
}

static void barrier_forget(pthread_barrier_t *b)
{
	struct object_note **at = object_seek(object_lock(b), b);

	while (*at != NULL) {
		if ((*at)->what == OBJECT_BARRIER)
			object_drop(at);
		else
			at = &(*at)->next;
		at = object_seek(at, b);
	}
	object_unlock(b);
}

/* Counts an entry; returns its generation. */
static uint64_t barrier_count(pthread_barrier_t *b)
{
	struct object_note **list = object_lock(b);
	struct object_note *n = barrier_find(list, b);
	uint64_t generation = 1;

	if (n == NULL)
		n = object_add(list, b, OBJECT_BARRIER, ((const uint32_t *)b)[COUNT_WORD], 0);
	if (n != NULL && n->tid != 0)
		generation = n->tseq++ / n->tid + 1;
	object_unlock(b);
	return generation;
}

EXPORT int pthread_barrier_init(pthread_barrier_t *restrict b,
				const pthread_barrierattr_t *restrict attr, unsigned count)
{
	int r = REAL(pthread_barrier_init)(b, attr, count);

	if (r == 0)
		HOOK(t) {
			barrier_forget(b);
			object_add(object_lock(b), b, OBJECT_BARRIER, count, 0);
			object_unlock(b);
			sync_log1(t, FORMAT_K_BAR_INIT, 0, b, count);
		}
	return r;
}

EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
	struct thread *t = hook_enter();
	uint64_t generation = 0;
	int r;

	if (t != NULL) {
		generation = barrier_count(b);
		sync_log1(t, FORMAT_K_BAR_IN, 0, b, generation);
		hook_leave(t);
	}
	r = REAL(pthread_barrier_wait)(b);
	if (generation != 0 && (t = hook_enter()) != NULL) {
		sync_log1(t, FORMAT_K_BAR_OUT, 0, b, generation);
		hook_leave(t);
	}
	return r;
}

EXPORT int pthread_barrier_destroy(pthread_barrier_t *b)
{
	int r = REAL(pthread_barrier_destroy)(b);

	if (r == 0)
		HOOK(t) {
			barrier_forget(b);
			sync_log(t, FORMAT_K_LOCK_DESTROY, FORMAT_LOCK_BARRIER, b);
		}
	return r;
}
