/*
 * The fast path of both runtimes, for a mutex.
 *
 * It is for a thread that has called from the same site before (in the lock recorder, with the same
 * stack), where the record is lean and there is room for it.  All of that is checked before anything
 * is done; otherwise the general path (sync.c) does it all.  No call is made and hardly a register
 * saved: a program that locks much spends its time here.
 *
 * Threads: as in sync.h; the caller holds the mutex.
 */
#ifndef CAPTURE_LOCKS_FAST_H
#define CAPTURE_LOCKS_FAST_H

#include "capture/filter.h"
#include "capture/lean.h"
#include "capture/lock_priv.h"
#include "capture/shared.h"

#ifdef FORESEE_LOCKS

/* Is the stack the same as in the last call from there, and as in the last record?  Then the log
 * has it. */
static inline bool locks_fast_is_known(const struct thread *t, const struct locks_stack *s,
				       uintptr_t pc, uintptr_t sp)
{
	return s->pc == pc && s->sp == sp && s->shape == t->stacks.shape &&
	       s->age == __atomic_load_n(&locks_age, __ATOMIC_ACQUIRE) && locks_stack_is_still(s);
}

/*
 * log_ready has nothing to do where this gets to the end: there is room, and a habit in its seat
 * means that the chunk has a record already, which stated the stack.
 */
static inline bool locks_fast_put(struct thread *t, unsigned kind, unsigned aux, const void *obj,
				  uintptr_t pc, uintptr_t sp)
{
	struct locks_stack *s = locks_stack_at(&t->stacks, pc, sp);
	struct locks_tag *tag = locks_tag_expect(obj);
	tag_version before;

	if (UNLIKELY(t->cursor >= t->limit || !locks_fast_is_known(t, s, pc, sp) ||
		     !locks_tag_is_of(tag, obj)))
		return false;
	before = __atomic_load_n(&tag->version, __ATOMIC_RELAXED);
	if (UNLIKELY(kind == FORMAT_K_REL ? !lean_release(t, aux, s->site, before)
					  : !lean_acquire(t, aux, s->site, obj, before)))
		return false;
	/* Guarded by the mutex, as sync.c says. */
	tag_unlock(&tag->version, tag_make(t->tid, t->tseq));
	return true;
}

#else

/* The version that a mutex has is replaced by that of the next event, if it is still `before'. */
static inline bool locks_fast_replace(struct thread *t, uint64_t *tag, tag_version before)
{
	return __atomic_compare_exchange_n(tag, &before, tag_make(t->tid, t->tseq + 1), false,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/*
 * As `operation' in sync.c does it.  What fails here has ended the epoch, which the general path will
 * do once more: an epoch without events.  Pc and sp are of no use, for the caller has said its site.
 */
static inline bool locks_fast_put(struct thread *t, unsigned kind, unsigned aux, const void *obj,
				  uintptr_t pc, uintptr_t sp)
{
	uint64_t *tag = tag_of(obj), record;
	uint32_t site = t->view.call_site;
	tag_version before;
	unsigned n;

	(void)pc, (void)sp;
	if (UNLIKELY(lock_watch != NULL || __atomic_load_n(&shared_used, __ATOMIC_RELAXED) != 0))
		return false;
	filter_sweep(t);
	log_ready(t, site); /* before others can name the event */
	before = __atomic_load_n(tag, __ATOMIC_RELAXED);
	if (UNLIKELY(before & TAG_LOCKED))
		return false;
	if (kind == FORMAT_K_REL) {
		if (!lean_release_fits(t, aux, site, before) || !locks_fast_replace(t, tag, before))
			return false;
		lean_release_put(t, site);
		return true;
	}
	n = lean_acquire_make(t, aux, site, obj, before, &record);
	if (n == 0 || !locks_fast_replace(t, tag, before))
		return false;
	lean_acquire_put(t, obj, before, record, n);
	return true;
}

#endif /* FORESEE_LOCKS */

/* Logs an ACQ or REL of a mutex, called from pc with the stack pointer sp.  False: not done,
 * take the general path. */
static inline bool locks_fast(unsigned kind, unsigned aux, const void *obj, uintptr_t pc,
			      uintptr_t sp)
{
	struct thread *t = thread_self();
	bool done;

	if (UNLIKELY(t->view.live != THREAD_LIVE))
		return false;
	t->view.live = 0;
	__asm__ volatile("" ::: "memory");
	done = locks_fast_put(t, kind, aux, obj, pc, sp);
	hook_leave(t);
	return done;
}

#endif /* CAPTURE_LOCKS_FAST_H */
