/*
 * 16-byte atomics: both tags are held, or seqlock-read, together.  Logged as
 * a range of two words with a memory order.
 *
 * Who explores schedules them like any other access; a replay has no gates for them (doc/REPLAY.md).
 */
#include "capture/baton.h"
#include "capture/filter.h"
#include "capture/habit.h"
#include "capture/sync.h"

struct wide {
	uint64_t low, high;
};

/* lock cmpxchg16b: returns success; *expected gets what was there. */
static bool cas16(void *p, struct wide *expected, struct wide desired)
{
	bool ok;

	__asm__ volatile("lock cmpxchg16b %1"
			 : "=@ccz"(ok), "+m"(*(struct wide *)p), "+a"(expected->low),
			   "+d"(expected->high)
			 : "b"(desired.low), "c"(desired.high)
			 : "memory");
	return ok;
}

static struct wide load16(const void *p)
{
	struct wide x = { 0, 0 };

	cas16((void *)(uintptr_t)p, &x, x); /* stores 0 only over 0 */
	return x;
}

static void store16(void *p, struct wide x)
{
	struct wide old = load16(p);

	while (!cas16(p, &old, x))
		;
}

/* True: nobody records it, and there is nothing left but the access. */
static bool gate(struct thread *t, const void *p, uint32_t site, unsigned how)
{
	if (CONTROLLED(t) && baton_is_on())
		baton_access(t->control, p, 16, site, how | CONTROL_ATOMIC);
	return CONTROL_BARE(t);
}

/* A compare-exchange has changed memory. */
static void changed(struct thread *t)
{
	if (CONTROLLED(t) && baton_is_on())
		control_changed(t);
}

static unsigned cas_how(const void *p, const struct wide *expected)
{
	struct wide now = load16(p);

	return CONTROL_WRITES | CONTROL_EITHER |
	       (memcmp(&now, expected, 16) != 0 ? CONTROL_FAILS : 0);
}

/* Bytes that the records of one operation take at most: two ranges, each of them in two parts. */
#define WIDE_ROOM (4 * LOG_SLACK)

/*
 * Room for all records, before both tags are held, while nobody can name the events yet.  A write
 * that releases ends the epoch (atomic.c: prepare_write).
 */
static void prepare_write(struct thread *t, const void *p, int order, uint32_t site)
{
	if (order >= __ATOMIC_RELEASE) {
		filter_sweep(t);
	} else {
		filter_write(t, p);
		filter_write(t, (const char *)p + 8);
	}
	log_other_room(t, site, WIDE_ROOM);
}

/* One record: the words from word `first' on, n of them. */
static void log_words(struct thread *t, unsigned kind, const void *p, const tag_version v[2],
		      struct wide x, unsigned first, unsigned n, int order, uint32_t site)
{
	uint64_t delta;
	uint8_t *q;

	log_runs_prepare(t, v + first, n);
	delta = log_delta(t, site, (uintptr_t)p + 8 * first);
	q = log_varint(t->cursor + 4, site);
	*q++ = (uint8_t)order;
	q = log_varint(log_varint(q, delta), 8 * n);
	q = log_runs(t, q, v + first, n);
	memcpy(q, (const char *)&x + 8 * first, 8 * n);
	log_other_end(t, kind, FORMAT_RANGE_ATOMIC, q + 8 * n, n);
}

/* Two peers in one seat cannot be named in one record. */
static bool clash(const struct thread *t, tag_version a, tag_version b)
{
	return a != 0 && b != 0 && tag_tid(a) != t->tid && tag_tid(b) != t->tid &&
	       tag_tid(a) != tag_tid(b) && tag_tid(a) % FORMAT_PEERS == tag_tid(b) % FORMAT_PEERS;
}

/* Events are numbered one per word.  The caller has called log_ready, before the first. */
static void log_wide(struct thread *t, unsigned kind, const void *p, const tag_version v[2],
		     struct wide x, int order, uint32_t site)
{
	if (clash(t, v[0], v[1])) {
		log_words(t, kind, p, v, x, 0, 1, order, site);
		log_words(t, kind, p, v, x, 1, 1, order, site);
	} else {
		log_words(t, kind, p, v, x, 0, 2, order, site);
	}
}

/* Both words at one moment, and their versions. */
static struct wide look(const void *p, tag_version v[2])
{
	uint64_t *tag = tag_of(p);
	struct wide x;

	do {
		v[0] = tag_peek(tag);
		v[1] = tag_peek(tag + 1);
		x = load16(p);
	} while (!tag_still(tag, v[0]) || !tag_still(tag + 1, v[1]));
	return x;
}

/*
 * A read of both words needs no record if the filter drops both.  It knows reads of one word
 * only.  So the first of a run is logged as what it is (FILTER_SAME), the second as two reads,
 * which the others repeat.
 */
struct wide_filter {
	const char *at[2];
	uint64_t key[2];
	bool on;
};

static struct wide_filter filter_begin(struct thread *t, const void *p, int order)
{
	uint64_t flags = FILTER_ATOMIC | (order != 0 ? FILTER_ACQUIRE : 0);
	struct wide_filter f = { .at = { p, (const char *)p + 8 } };

	f.on = true;
	for (unsigned i = 0; i < 2; i++) {
		f.key[i] = filter_key(f.at[i], flags);
		f.on &= filter_prepare(t, f.at[i], f.key[i]) != NULL;
	}
	return f;
}

/* Have both words been read, in this epoch, as they are? */
static bool filter_knows(const struct thread *t, const struct wide_filter *f, uint64_t flag,
			 const tag_version v[2], const uint64_t x[2], uint32_t site)
{
	bool known = f->on;

	for (unsigned i = 0; i < 2 && known; i++) {
		const struct filter_entry *e = filter_at(t, f->at[i]);

		known = e->key == (f->key[i] | flag) && e->version == v[i] &&
			e->epoch == t->epoch && e->kept == 0xff && filter_was_here(e, site) &&
			access_load(filter_value(t, f->at[i]), 3) == x[i];
	}
	return known;
}

static void filter_take(struct thread *t, const struct wide_filter *f, uint64_t flag,
			const tag_version v[2], const uint64_t x[2], uint32_t site)
{
	for (unsigned i = 0; i < 2 && f->on; i++)
		filter_judges(t, filter_at(t, f->at[i]), f->key[i] | flag, f->at[i], 3, x[i], v[i],
			      site, true);
}

static void log_read(struct thread *t, const struct wide_filter *f, const void *p,
		     const tag_version v[2], struct wide wide, int order, uint32_t site)
{
	uint32_t bits = FORMAT_READ | 3u << FORMAT_SIZE_SHIFT | FORMAT_ATOMIC;
	uint64_t x[2] = { wide.low, wide.high };
	bool twice = filter_knows(t, f, FILTER_SAME, v, x, site);

	if (filter_knows(t, f, 0, v, x, site)) {
		filter_take(t, f, 0, v, x, site);
		return;
	}
	filter_take(t, f, twice ? 0 : FILTER_SAME, v, x, site);
	log_ready(t, site);
	if (!twice)
		log_wide(t, FORMAT_K_RANGE_READ, p, v, wide, order, site);
	for (unsigned i = 0; i < 2 && twice; i++)
		habit_log(t, bits | (uint32_t)order << HABIT_ORDER_SHIFT, site, (uintptr_t)f->at[i],
			  v[i], x[i], NULL);
}

EXPORT void foresee_aread16(const void *p, void *into, int order, uint32_t site)
{
	struct thread *t = hook_enter_at(site);
	struct wide_filter f;
	tag_version v[2];
	struct wide x;

	if (t == NULL) {
		x = load16(p);
	} else if (gate(t, p, site, 0)) {
		x = load16(p);
		hook_leave(t);
	} else {
		f = filter_begin(t, p, order);
		x = look(p, v);
		log_read(t, &f, p, v, x, order, site);
		hook_leave(t);
	}
	memcpy(into, &x, 16);
}

EXPORT void foresee_awrite16(void *p, const void *from, int order, uint32_t site)
{
	struct thread *t = hook_enter_at(site);
	uint64_t *tag = tag_of(p);
	tag_version v[2];
	struct wide x;

	memcpy(&x, from, 16);
	if (t == NULL) {
		store16(p, x);
		return;
	}
	if (gate(t, p, site, CONTROL_WRITES)) {
		store16(p, x);
		hook_leave(t);
		return;
	}
	prepare_write(t, p, order, site);
	v[0] = tag_lock(tag);
	v[1] = tag_lock(tag + 1);
	store16(p, x);
	tag_unlock(tag + 1, tag_make(t->tid, t->tseq + 2));
	tag_unlock(tag, tag_make(t->tid, t->tseq + 1));
	log_ready(t, site);
	log_wide(t, FORMAT_K_RANGE_WRITE, p, v, x, order, site);
	hook_leave(t);
}

/* One that fails is a read (atomic.c).  False: it may succeed; nothing was done. */
static bool cas_fails(struct thread *t, const void *p, struct wide *expected, int order,
		      uint32_t site)
{
	struct wide_filter f;
	tag_version v[2];
	struct wide x = load16(p);

	if (memcmp(&x, expected, 16) == 0)
		return false;
	f = filter_begin(t, p, order);
	x = look(p, v);
	if (memcmp(&x, expected, 16) == 0)
		return false;
	log_read(t, &f, p, v, x, order, site);
	*expected = x;
	return true;
}

/* A binding read of both words, and when it succeeds a write of both after it. */
EXPORT bool foresee_acas16(void *p, void *expected, const void *desired, int success, int failure,
			   uint32_t site)
{
	struct thread *t = hook_enter_at(site);
	uint64_t *tag = tag_of(p);
	tag_version v[2];
	struct wide old, x;
	bool ok;

	memcpy(&old, expected, 16);
	memcpy(&x, desired, 16);
	if (t == NULL) {
		ok = cas16(p, &old, x);
		memcpy(expected, &old, 16);
		return ok;
	}
	if (CONTROLLED(t) && gate(t, p, site, cas_how(p, &old))) {
		ok = cas16(p, &old, x);
		if (ok)
			changed(t);
		memcpy(expected, &old, 16);
		hook_leave(t);
		return ok;
	}
	if (cas_fails(t, p, &old, failure, site)) {
		memcpy(expected, &old, 16);
		hook_leave(t);
		return false;
	}
	prepare_write(t, p, success, site);
	v[0] = tag_lock(tag);
	v[1] = tag_lock(tag + 1);
	ok = cas16(p, &old, x);
	/* Events tseq + 1, + 2 are the read. */
	tag_unlock(tag + 1, ok ? tag_make(t->tid, t->tseq + 4) : v[1]);
	tag_unlock(tag, ok ? tag_make(t->tid, t->tseq + 3) : v[0]);
	log_ready(t, site);
	log_wide(t, FORMAT_K_RANGE_READ, p, v, old, ok ? success : failure, site);
	if (ok) {
		log_wide(t, FORMAT_K_RANGE_WRITE, p, v, x, success, site);
		changed(t);
	}
	memcpy(expected, &old, 16);
	hook_leave(t);
	return ok;
}
