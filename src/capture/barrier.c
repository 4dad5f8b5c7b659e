/*
 * Barriers.  The i-th entry (from 0) into a barrier for c threads belongs to
 * its generation i / c + 1: nobody enters the next one before all of this one
 * have entered, and every entry is counted before the real call.
 *
 * Where others may enter, of another process or at another address, nobody can count: who leaves such a one
 * comes after all that anybody did before it entered.
 */
#include "capture/channel.h"
#include "capture/object.h"
#include "capture/sync.h"

/* The count of a barrier whose init was not seen, where glibc keeps it. */
#define COUNT_WORD 2

static void barrier_forget(const pthread_barrier_t *b)
{
	struct object_note **list = object_lock(b), **at;

	while ((at = object_find(list, b, OBJECT_BARRIER, 0)) != NULL)
		object_drop(at);
	object_unlock(b);
}

static void barrier_begun(const pthread_barrier_t *b, unsigned count)
{
	HOOK(t) {
		barrier_forget(b);
		object_add(object_lock(b), b, OBJECT_BARRIER, count, 0);
		object_unlock(b);
		sync_log1(t, FORMAT_K_BAR_INIT, 0, b, count);
	}
}

static void barrier_ended(const pthread_barrier_t *b)
{
	HOOK(t) {
		barrier_forget(b);
		sync_log(t, FORMAT_K_LOCK_DESTROY, FORMAT_LOCK_BARRIER, b);
	}
}

/* Counts an entry; returns its generation. */
static uint64_t barrier_count(const pthread_barrier_t *b)
{
	struct object_note **list = object_lock(b), **at = object_find(list, b, OBJECT_BARRIER, 0);
	struct object_note *n = at != NULL ? *at : NULL;
	uint64_t generation = 1;

	if (n == NULL)
		n = object_add(list, b, OBJECT_BARRIER, ((const uint32_t *)b)[COUNT_WORD], 0);
	if (n != NULL && n->tid != 0)
		generation = n->tseq++ / n->tid + 1;
	object_unlock(b);
	return generation;
}

/* Returns the generation; 0: nothing is recorded. */
static uint64_t barrier_enter(const pthread_barrier_t *b)
{
	uint64_t generation = 0;

	control_call(FORMAT_K_BAR_IN, 0, b);
	HOOK(t) {
		generation = barrier_count(b);
		sync_log1(t, FORMAT_K_BAR_IN, 0, b, generation);
	}
	return generation;
}

/* One thread is told that it is the one; any may be, so a plan may say which.  Returns r, or that. */
static int barrier_leave(const pthread_barrier_t *b, uint64_t generation, int r)
{
	r = control_result(r);
	if (generation != 0)
		HOOK(t)
			sync_log1(t, FORMAT_K_BAR_OUT,
				  r == PTHREAD_BARRIER_SERIAL_THREAD ? FORMAT_BAR_SERIAL
								     : FORMAT_BAR_OTHER,
				  b, generation);
	return r;
}

static void pass(unsigned kind)
{
	HOOK(t)
		channel_log(t, kind, CHANNEL_OUTSIDE);
}

static int barrier_wait_elsewhere(pthread_barrier_t *b)
{
	int r;

	pass(FORMAT_K_GIVE);
	r = REAL(pthread_barrier_wait)(b);
	pass(FORMAT_K_TAKE);
	return r;
}

static int barrier_wait(pthread_barrier_t *b)
{
	uint64_t generation;
	int r;

	if (sync_is_elsewhere(b) && !control_on)
		return barrier_wait_elsewhere(b);
	generation = barrier_enter(b);
	r = control_is_baton() ? control_barrier(b) : REAL(pthread_barrier_wait)(b);
	return barrier_leave(b, generation, r);
}

#define INTERPOSED_BARRIERS
#include "capture/interposed.def"
