/*
 * Plain accesses of one word, inside a hook: what access.c has one hook each for, and loops do many of
 * at a time (loop.c).
 *
 * A load, without the filter and the logging:
 *
 *	do { v = tag; x = *p; } while (tag locked or changed);   log(x, v)
 *
 * and a store:
 *
 *	lock tag (was v); *p = x; unlock with my next event's name;   log(x, v)
 *
 * The record is written after the tag is unlocked, so that the tag is held as briefly as can be.
 * Another thread may then name the event before its record is in the log; that is true of at most
 * one event of each thread at a time (word_try_add: two), and cuts allow for it.
 */
#ifndef CAPTURE_WORD_H
#define CAPTURE_WORD_H

#include "capture/filter.h"
#include "capture/habit.h"

/* Two words: rare, so one routine serves all sizes.  Logs like the fast path. */
static inline uint64_t word_read_cross(struct thread *t, const void *p, unsigned log2,
				       uint32_t site, uint32_t flags)
{
	uint64_t *a = tag_of(p), *b = a + 1;
	tag_version va, vb;
	uint64_t x;

	do {
		va = tag_peek(a);
		vb = tag_peek(b);
		x = access_load(p, log2);
	} while (!tag_still(a, va) || !tag_still(b, vb));
	habit_log(t, FORMAT_READ | FORMAT_CROSS | log2 << FORMAT_SIZE_SHIFT | flags, site,
		  (uintptr_t)p, va, x, &(struct habit_more){ .second = vb });
	return x;
}

static inline void word_write_cross(struct thread *t, void *p, unsigned log2, uint64_t x,
				    uint32_t site, const uint64_t *feeds, unsigned nfeeds)
{
	uint64_t *a = tag_of(p), *b = a + 1;
	tag_version va = tag_lock(a), vb = tag_lock(b); /* ascending: no deadlock */
	tag_version mine = log_next(t, 1);

	access_store(p, log2, x);
	tag_unlock(b, mine);
	tag_unlock(a, mine);
	habit_log(t,
		  FORMAT_WRITE | FORMAT_CROSS | log2 << FORMAT_SIZE_SHIFT |
			  (nfeeds != 0 ? FORMAT_WRITE_FED : 0),
		  site, (uintptr_t)p, va, x,
		  &(struct habit_more){ .second = vb, .feeds = feeds, .nfeeds = nfeeds });
}

static inline bool word_crosses(const void *p, unsigned log2)
{
	return log2 != 0 && ((uintptr_t)p & 7) + (1u << log2) > 8;
}

/* A read that is logged or begins a run; t is in a hook. */
INLINE uint64_t word_read(struct thread *t, const void *p, unsigned log2, uint32_t site,
			  uint64_t *keeper)
{
	uint64_t *tag = tag_of(p);
	struct filter_entry *e = NULL;
	uint64_t key = filter_key(p, 0);
	tag_version v;
	uint64_t x;

	if (UNLIKELY(word_crosses(p, log2))) {
		x = word_read_cross(t, p, log2, site, keeper != NULL ? FORMAT_READ_FREE : 0);
	} else {
		if (keeper == NULL)
			e = filter_prepare(t, p, key);
		do {
			v = tag_peek(tag);
			x = access_load(p, log2);
		} while (UNLIKELY(!tag_still(tag, v)));
		if (e != NULL && filter_drops(t, e, key, p, log2, x, v, site))
			return x;
		habit_log(t,
			  FORMAT_READ | log2 << FORMAT_SIZE_SHIFT |
				  (keeper != NULL ? FORMAT_READ_FREE : 0),
			  site, (uintptr_t)p, v, x, NULL);
	}
	if (keeper != NULL)
		*keeper = t->tseq;
	return x;
}

/* The same of one that is only compared; *keeper: its event, or 0 where it binds. */
INLINE uint64_t word_read_tested(struct thread *t, const void *p, unsigned log2, uint32_t site,
				 uint64_t *keeper)
{
	uint64_t *tag = tag_of(p), key = filter_key(p, 0);
	bool is_free = !word_crosses(p, log2);
	struct filter_entry *e;
	tag_version v;
	uint64_t x;

	if (UNLIKELY(!is_free)) {
		x = word_read_cross(t, p, log2, site, 0);
	} else {
		e = filter_prepare(t, p, key);
		do {
			v = tag_peek(tag);
			x = access_load(p, log2);
		} while (UNLIKELY(!tag_still(tag, v)));
		is_free = e == NULL || filter_tests(t, e, key, p, log2, x, v, site);
		if (is_free || !filter_drops(t, e, key, p, log2, x, v, site))
			habit_log(t,
				  FORMAT_READ | log2 << FORMAT_SIZE_SHIFT |
					  (is_free ? FORMAT_READ_FREE : 0),
				  site, (uintptr_t)p, v, x, NULL);
	}
	if (keeper != NULL)
		*keeper = is_free ? t->tseq : 0;
	return x;
}

/* Has this entry's run dropped a read of the same bytes?  Where the access has all bytes of its word, no bits
 * need be counted. */
INLINE bool word_was_dropped(const struct thread *t, const struct filter_entry *e, const void *p,
			     unsigned log2)
{
	if (e->key != (log2 == 3 ? (uintptr_t)p : filter_key(p, 0)) || e->epoch != t->epoch)
		return false;
	return log2 == 3 ? e->dropped == 0xff : (filter_mask(p, log2) & ~e->dropped) == 0;
}

/*
 * The shortest way: a read of bytes that this run has dropped before.  True: it was dropped, *x is
 * the value.  Everything else is left to word_read, so that this needs no stack frame.  A locked
 * tag never equals the version of a run, and an access that reaches into a second word has bits
 * that no run has dropped, or as a whole word an address that is no key.
 */
INLINE bool word_read_again(struct thread *t, const void *p, unsigned log2, uint32_t site,
			    uint64_t *x)
{
	struct filter_entry *e = filter_at(t, p);
	const uint64_t *tag;
	tag_version v;

	if (!word_was_dropped(t, e, p, log2) || !filter_was_here(e, site))
		return false;
	if (log2 == 3) /* it equals a key */
		p = __builtin_assume_aligned(p, 8);
	tag = tag_of(p);
	v = e->version;
	if (__atomic_load_n(tag, __ATOMIC_ACQUIRE) != v)
		return false;
	*x = access_load(p, log2);
	if (!tag_still(tag, v) || access_load(filter_value(t, p), log2) != *x)
		return false;
	e->read = (uint64_t)site << 32 | (uint32_t)t->tseq;
	t->saved++;
	return true;
}

INLINE void word_write(struct thread *t, void *p, unsigned log2, uint64_t x, uint32_t site,
		       const uint64_t *keepers, uint64_t mask)
{
	uint64_t feeds[LOG_FEEDS];
	uint64_t *tag = tag_of(p);
	uint32_t bits = FORMAT_WRITE | log2 << FORMAT_SIZE_SHIFT;
	unsigned nfeeds = 0;
	tag_version v;

	tag_prepare(tag);
	if (keepers != NULL)
		nfeeds = log_feed_gather(keepers, mask, feeds);
	filter_write(t, p);
	if (UNLIKELY(word_crosses(p, log2))) {
		filter_write(t, (char *)p + 7);
		log_ready(t, site);
		word_write_cross(t, p, log2, x, site, feeds, nfeeds);
		return;
	}
	/* If the chunk is full the next one is begun here, before others can name the event: if the
	 * program was killed in between, they would name an event that is in no record. */
	log_ready(t, site);
	v = tag_lock(tag);
	access_store(p, log2, x);
	tag_unlock(tag, log_next(t, 1));
	if (nfeeds == 1 && feeds[0] == t->tseq)
		bits |= FORMAT_WRITE_FED1;
	else if (nfeeds != 0)
		bits |= FORMAT_WRITE_FED;
	habit_log(t, bits, site, (uintptr_t)p, v, x,
		  nfeeds == 0 ? NULL : &(struct habit_more){ .feeds = feeds, .nfeeds = nfeeds });
}

/*
 * The beginnings of accesses that habit_try and its kin end, where nothing is in the way: a hook made of these calls
 * nothing but at its end, and keeps nothing for what comes behind a call.  Each is as above but for that.  False:
 * something is in the way, and nothing was done.
 */

INLINE bool word_try_load(const void *p, unsigned log2, uint64_t *x, tag_version *v)
{
	const uint64_t *tag = tag_of(p);

	if (UNLIKELY(word_crosses(p, log2)))
		return false;
	*v = __atomic_load_n(tag, __ATOMIC_ACQUIRE);
	*x = access_load(p, log2);
	return LIKELY(!(*v & TAG_LOCKED) && tag_still(tag, *v));
}

/* Binding.  *drops: it is not to be logged. */
INLINE bool word_try_read(struct thread *t, const void *p, unsigned log2, uint32_t site,
			  uint64_t *x, tag_version *v, bool *drops)
{
	struct filter_entry *e = filter_at(t, p);
	uint64_t key = filter_key(p, 0);

	*drops = false;
	if (UNLIKELY(t->review))
		return false;
	if (t->filter_mask == 0)
		return word_try_load(p, log2, x, v);
	if (UNLIKELY(e->key != key && e->epoch == t->epoch) || !word_try_load(p, log2, x, v) ||
	    e->dropped != 0)
		return false;
	*drops = filter_drops(t, e, key, p, log2, *x, *v, site);
	return true;
}

/* x is in memory, under the name of the next event but `ahead' - 1; *v: of what it replaces. */
INLINE bool word_try_store(struct thread *t, void *p, unsigned log2, uint64_t x, unsigned ahead,
			   tag_version *v)
{
	uint64_t *tag = tag_of(p);

	if (!tag_try(tag, *v))
		return false;
	access_store(p, log2, x);
	tag_unlock(tag, log_next(t, ahead));
	return true;
}

INLINE bool word_try_write(struct thread *t, void *p, unsigned log2, uint64_t x, tag_version *v)
{
	uint64_t *tag = tag_of(p);

	tag_prepare(tag);
	if (UNLIKELY(word_crosses(p, log2)) || filter_is_open(t, p) || UNLIKELY(!log_is_ready(t)))
		return false;
	*v = __atomic_load_n(tag, __ATOMIC_RELAXED);
	return LIKELY(!(*v & TAG_LOCKED)) && word_try_store(t, p, log2, x, 1, v);
}

/*
 * *p += addend: a read of *x, of version *v, which is the next event, and a write.
 *
 *	v = tag; x = *p;  lock tag if it is v still;  *p = x + addend; unlock with my next event but one
 *
 * Versions are not used twice, so what was read is of v.  The read is never dropped: it would end a run that the
 * write must close by a record.
 */
INLINE bool word_try_add(struct thread *t, void *p, unsigned log2, uint64_t addend, uint32_t site,
			 uint64_t *x, tag_version *v)
{
	uint64_t *tag = tag_of(p);

	tag_prepare(tag);
	if (UNLIKELY(word_crosses(p, log2)))
		return false;
	filter_write(t, p);
	log_ready(t, site); /* as in word_write; LOG_SLACK is enough for both */
	*v = tag_peek(tag);
	*x = access_load(p, log2);
	return word_try_store(t, p, log2, *x + addend, 2, v);
}

#endif /* CAPTURE_WORD_H */
