/*
 * Lean records: a lock taken, in a few bytes; a lock given back, in one.
 *
 *	ACQ   seat | address, from that of the lock taken last | ref     6 or 8 bytes
 *	REL   seat                                                       of the lock taken last
 *
 * each by one store.  The seat stands for the habit there: kind, aux and site, as the last whole record
 * from that site gave them.  What does not fit is written as a whole
 * record, which the tables learn from (doc/TRACE_FORMAT.md section 3).
 *
 * Rules: as in log.h.  log_ready comes first, for it may begin a chunk, where the tables are empty.
 */
#ifndef CAPTURE_LEAN_H
#define CAPTURE_LEAN_H

#include "capture/log.h"

static inline bool lean_is_for(unsigned kind)
{
	return kind == FORMAT_K_ACQ || kind == FORMAT_K_REL;
}

/* Not 0: no kind of lock event is. */
static inline uint64_t lean_shape(unsigned kind, unsigned aux, uint32_t site)
{
	return (uint64_t)site << 32 | aux << 8 | kind;
}

/* Is v the version of the last acquire that has no release yet?  INIT is not: then the mutex was
 * locked before recording began, or it is the copy of a locked one. */
static inline bool lean_is_last(const struct thread *t, tag_version v)
{
	return v != 0 && v == t->taken[(t->ntaken - 1) % FORMAT_HELD];
}

static inline void lean_push(struct thread *t, uint64_t obj)
{
	t->taken[t->ntaken++ % FORMAT_HELD] = tag_make(t->tid, t->tseq + 1);
	t->last_taken = obj;
}

/* n bytes of record, by one store of 8 bytes; those behind the record are 0, as they were. */
static inline void lean_commit(struct thread *t, uint64_t record, unsigned n)
{
	__asm__ volatile("" ::: "memory");
	memcpy(t->cursor, &record, 8);
	t->cursor += n;
	log_count(t, 1);
}

/*
 * The record of an acquire, after the version before; returns its bytes.  0: it does not fit.
 *
 * The program's next atomic operation waits for this store, and the store for all values that the
 * record is made of.  So no lengths are computed, and the address does not depend on the site.
 */
static inline unsigned lean_acquire_make(const struct thread *t, unsigned aux, uint32_t site,
					 const void *p, tag_version before, uint64_t *record)
{
	unsigned seat = format_shape(site, 1);
	uint64_t obj = (uintptr_t)p, ref = log_name(t, before, t->tseq + 1), near;

	near = format_zigzag((int64_t)(obj - t->last_taken) >> 3);
	if (UNLIKELY(t->shapes[seat] != lean_shape(FORMAT_K_ACQ, aux, site) ||
		     (obj | t->last_taken) % 8 != 0 || !log_is_known(t, before)))
		return 0;
	*record = near << FORMAT_LEAN_SHIFT | seat << FORMAT_SHAPE_SHIFT;
	if (LIKELY((near >> FORMAT_NARROW_ADDR | ref >> FORMAT_NARROW_REF) == 0)) {
		*record |= ref << (FORMAT_LEAN_SHIFT + FORMAT_NARROW_ADDR);
		return 6;
	}
	if ((near >> FORMAT_WIDE_ADDR | ref >> FORMAT_WIDE_REF) != 0)
		return 0;
	*record |= ref << (FORMAT_LEAN_SHIFT + FORMAT_WIDE_ADDR) | FORMAT_WIDE;
	return 8;
}

/* Logs what lean_acquire_make has made. */
static inline void lean_acquire_put(struct thread *t, const void *p, tag_version before,
				    uint64_t record, unsigned n)
{
	log_named(t, before);
	lean_push(t, (uintptr_t)p);
	lean_commit(t, record, n);
}

/* Both.  False: it does not fit. */
static inline bool lean_acquire(struct thread *t, unsigned aux, uint32_t site, const void *p,
				tag_version before)
{
	uint64_t record;
	unsigned n = lean_acquire_make(t, aux, site, p, before, &record);

	if (n != 0)
		lean_acquire_put(t, p, before, record, n);
	return n != 0;
}

/* Does a release fit?  Where the version before it is that of the last acquire, so is the lock. */
static inline bool lean_release_fits(const struct thread *t, unsigned aux, uint32_t site,
				     tag_version before)
{
	return LIKELY(t->shapes[format_shape(site, 0)] == lean_shape(FORMAT_K_REL, aux, site) &&
		      lean_is_last(t, before));
}

static inline void lean_release_put(struct thread *t, uint32_t site)
{
	t->ntaken--;
	lean_commit(t, format_shape(site, 0) << FORMAT_SHAPE_SHIFT, 1);
}

static inline bool lean_release(struct thread *t, unsigned aux, uint32_t site, tag_version before)
{
	bool fits = lean_release_fits(t, aux, site, before);

	if (fits)
		lean_release_put(t, site);
	return fits;
}

/* The next event is in a whole record. */
static inline void lean_learn(struct thread *t, unsigned kind, unsigned aux, uint32_t site,
			      const void *p, tag_version before)
{
	t->shapes[format_shape(site, kind == FORMAT_K_ACQ)] = lean_shape(kind, aux, site);
	if (kind == FORMAT_K_ACQ)
		lean_push(t, (uintptr_t)p);
	else if (lean_is_last(t, before))
		t->ntaken--;
}

#endif /* CAPTURE_LEAN_H */
