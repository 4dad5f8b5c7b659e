/*
 * Which reads need not be logged, soundly.
 *
 * Within one epoch (no synchronisation of this thread in between), reads of the same bytes by one
 * thread that see one version, and the same value, say nothing new but that the version was still
 * there.  (Another value of one version was written by unseen code: that read is logged.)
 * The first is logged; of the rest only the *last* matters: a version is written once, so when the
 * first and the last of a run of reads see it, those in between do too, in every reordering that
 * keeps the two.  One that has the first and not the last must leave the version there as long as it
 * has more of the thread (witness/evidence_stays.c, order/model_stays.c).
 *
 *	logged:   r(x)=v ............................ r(x)=v  (REREAD)
 *	dropped:            r(x)  r(x)  r(x)  r(x)
 *
 * A dropped read is no target of a race, and the first one may come too early to be one, or lie elsewhere in
 * the source.  So the first one at each place is logged (format_place_bit): most programs read a word of one
 * version in few places, and a loop in the same ones again.
 *
 * What is dropped is no target, and a comparison that is repeated binds, so something can be missed.  Short loops
 * need not lose it: the first repeats of a run are logged, too, as long as that costs hardly anything
 * (FILTER_REPEATS, filter_spares).
 *
 * So each entry remembers where the last dropped read came.  When the epoch
 * ends the run is closed: if the version is still there, by a REREAD at this point
 * (later than the last dropped read was: that binds more, never less);
 * else by a TRAILING record, which says after which event the last dropped read
 * came.  TRAILING records stay within the chunk of that event: before a chunk is
 * closed, every entry is checked and either moves up to the chunk's end (the
 * version is still there) or gets its TRAILING record.  Entries that nothing was
 * dropped for during a whole chunk are closed then, so that this work is paid for by
 * dropped reads.
 *
 * REREAD and TRAILING are records without an event number, so a run can be closed
 * at any point, in the middle of another hook too.
 *
 * Only binding reads are dropped; free reads feed writes and are all logged.  A read that is only compared
 * (hooks.h, "Tests") is logged as free the first time, or times, then as binding when it comes again, and then dropped.
 * So rules R1 to R3 of the dependency model hold: the kept reads bind at least as
 * much as the dropped ones and saw the same write.
 *
 * tests/cli/t5001-random-programs.sh holds recordings with and without the
 * filter to the self-check.
 */
#ifndef CAPTURE_FILTER_H
#define CAPTURE_FILTER_H

#include "capture/access.h"
#include "capture/log.h"

/* Closes the run of one entry. */
void filter_close(struct thread *t, struct filter_entry *e);
/* Closes all runs: the epoch ends. */
void filter_sweep_pending(struct thread *t) COLD;
/* Before a chunk is closed, and when the next one is open. */
void filter_settle(struct thread *t);
void filter_trim(struct thread *t);
/* After each chunk, between two accesses: does the filter pay?  If not it rests. */
void filter_review(struct thread *t);
/* A larger table, if there is memory for it. */
void filter_grow(struct thread *t);
void filter_release(struct thread *t);
/* No filtering. */
void filter_none(struct thread *t);
/* For tests: asserts what must hold of the table, and of the list of pending entries. */
bool filter_check(const struct thread *t);

static inline void filter_sweep(struct thread *t)
{
	if (UNLIKELY(t->npending != 0))
		filter_sweep_pending(t);
	t->epoch++;
}

/* Atomic reads have entries of their own; so have those that acquire, and what is not a read of one word
 * and may be repeated by such reads: a write that changes nothing (atomic.c), a read of two words. */
#define FILTER_ATOMIC (1ull << 62)
#define FILTER_ACQUIRE (1ull << 63)
#define FILTER_SAME (1ull << 61)
/* A read that is only compared was logged as free; it begins no run, but the next one like it does. */
#define FILTER_TESTED (1ull << 60)
#define FILTER_FLAGS (FILTER_ATOMIC | FILTER_ACQUIRE | FILTER_SAME | FILTER_TESTED)

/* The bytes of an access within its word. */
static inline unsigned filter_mask(const void *p, unsigned log2)
{
	return ((1u << (1u << log2)) - 1) << ((uintptr_t)p & 7);
}

/* The place of a byte in the table: of its value, and an eighth of this is the number of its entry.  Words and
 * entries are counted in bytes here because every instruction counts on the way of a dropped read. */
static inline uintptr_t filter_slot(const struct thread *t, const void *p)
{
	return (uintptr_t)p & t->filter_span;
}

static inline struct filter_entry *filter_at(const struct thread *t, const void *p)
{
	uintptr_t word = filter_slot(t, p) & ~(uintptr_t)7;

	return (struct filter_entry *)((char *)t->filter + word * (sizeof(*t->filter) / 8));
}

static inline uint64_t filter_key(const void *p, uint64_t flags)
{
	return ((uintptr_t)p & ~(uintptr_t)7) | flags;
}

/* The entry for a read of p, before the read itself; another word's run that
 * is in the way is closed.  NULL: nothing is filtered. */
static inline struct filter_entry *filter_prepare(struct thread *t, const void *p, uint64_t key)
{
	struct filter_entry *e;

	if (UNLIKELY(t->review))
		filter_review(t);
	if (t->filter_mask == 0)
		return NULL;
	e = filter_at(t, p);
	if (LIKELY(e->key == key || e->epoch != t->epoch) || e->key == (key | FILTER_TESTED))
		return e;
	if (e->dropped != 0)
		filter_close(t, e);
	if (UNLIKELY(++t->crowded > t->filter_mask / 2)) {
		filter_grow(t);
		e = filter_at(t, p);
	}
	return e;
}

/* So many repeats of a run are logged before the first is dropped, if the thread has as many to spare: at first, and
 * again in each chunk, which holds some ten thousand events. */
#define FILTER_REPEATS 16u
#define FILTER_SPARE 1024u
#define FILTER_SPARE_CHUNK 128u

static inline bool filter_is_listed(const struct filter_entry *e)
{
	return e->dropped != 0 || e->site == FILTER_LISTED;
}

/* Is a read of this entry's word logged that was made there?  This is the bit test of the machine, which takes
 * its number modulo 16; compilers do not find it. */
static inline bool filter_was_here(const struct filter_entry *e, uint32_t site)
{
	bool was;

	_Static_assert(FORMAT_PLACES == 16, "bits of what the instruction tests");
	__asm__("btw %2, %1" : "=@ccc"(was) : "r"(e->places), "r"((uint16_t)site));
	return was;
}

/* Where the value of a read of p is kept. */
static inline void *filter_value(const struct thread *t, const void *p)
{
	return (char *)t->filter_values + filter_slot(t, p);
}

/* Is this read logged, though it repeats one of its run?  Nothing was dropped in that yet. */
static inline bool filter_spares(struct thread *t, struct filter_entry *e)
{
	if (e->last >= FILTER_REPEATS || t->spare == 0)
		return false;
	e->last++;
	t->spare--;
	t->saved++; /* it could have been: the filter pays */
	return true;
}

/* True: drop this read, of x at p.  Else it is about to be logged.  With `all' whatever can be dropped is. */
INLINE bool filter_judges(struct thread *t, struct filter_entry *e, uint64_t key, const void *p,
			  unsigned log2, uint64_t x, tag_version v, uint32_t site, bool all)
{
	unsigned mask = filter_mask(p, log2);
	void *value = filter_value(t, p);

	if (e->key != key || e->version != v || e->epoch != t->epoch ||
	    ((mask & ~e->kept) == 0 && access_load(value, log2) != x)) {
		/* A run still open ended because its version went: a TRAILING record. */
		if (UNLIKELY(e->dropped != 0))
			filter_close(t, e);
		e->key = key;
		e->version = v;
		e->epoch = t->epoch;
		e->kept = (uint8_t)mask;
		e->places = format_place_bit(site);
		e->last = 0;
		access_store(value, log2, x);
		return false;
	}
	/* More bytes: each place once more.  A replay sees values, not versions, and could not count else. */
	if ((mask & ~e->kept) != 0)
		e->places = 0;
	if (!filter_was_here(e, site)) {
		e->kept |= (uint8_t)mask;
		e->places |= format_place_bit(site);
		access_store(value, log2, x);
		return false;
	}
	if (!all && e->dropped == 0 && filter_spares(t, e))
		return false;
	if (!filter_is_listed(e)) {
		t->runs++;
		t->pending[t->npending++] = (uint32_t)(e - t->filter);
	}
	e->dropped |= (uint8_t)mask;
	e->last = (uint32_t)t->tseq;
	e->site = site;
	return true;
}

static inline bool filter_drops(struct thread *t, struct filter_entry *e, uint64_t key,
				const void *p, unsigned log2, uint64_t x, tag_version v,
				uint32_t site)
{
	return filter_judges(t, e, key, p, log2, x, v, site, false);
}

/* A read of x at p that is only compared.  True: it is to be logged as free, and is remembered; false: as
 * any other, or not at all. */
static inline bool filter_tests(struct thread *t, struct filter_entry *e, uint64_t key,
				const void *p, unsigned log2, uint64_t x, tag_version v,
				uint32_t site)
{
	unsigned mask = filter_mask(p, log2);
	void *value = filter_value(t, p);

	if ((e->key | FILTER_TESTED) == (key | FILTER_TESTED) && e->version == v &&
	    e->epoch == t->epoch && (mask & ~e->kept) == 0 && access_load(value, log2) == x) {
		if (e->key == key || (filter_was_here(e, site) && !filter_spares(t, e)))
			return false;
		e->places |= format_place_bit(site);
		return true;
	}
	if (UNLIKELY(e->dropped != 0))
		filter_close(t, e);
	e->key = key | FILTER_TESTED;
	e->version = v;
	e->epoch = t->epoch;
	e->kept = (uint8_t)mask;
	e->places = format_place_bit(site);
	e->last = 0;
	access_store(value, log2, x);
	return true;
}

/* Is a run of the word of p open? */
static inline bool filter_is_open(const struct thread *t, const void *p)
{
	const struct filter_entry *e = filter_at(t, p);

	return t->npending != 0 && e->dropped != 0 && ((e->key ^ (uintptr_t)p) << 4) >> 7 == 0;
}

/* This thread is about to write the word of p: close a run that ends here. */
static inline void filter_write(struct thread *t, const void *p)
{
	if (filter_is_open(t, p))
		filter_close(t, filter_at(t, p));
}

#endif /* CAPTURE_FILTER_H */
