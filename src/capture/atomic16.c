/*
 * 16-byte atomics: both cells are held, or seqlock-read, together.  Logged as
 * a range of two words with a memory order.
 */
#include "capture/filter.h"
#include "capture/module.h"
#include "capture/real.h"
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

/* The calling thread if it records this site, else NULL: do the real thing only. */
static struct thread *enter(uint32_t site)
{
	struct thread *t = hook_enter();

	if (t != NULL && module_patterns && module_skips(site)) {
		hook_leave(t);
		return NULL;
	}
	return t;
}

/* Bytes that the records of one operation take at most: two ranges, each of them in two parts. */
#define WIDE_ROOM (4 * LOG_SLACK)

/*
 * Room for all records, before both cells are held, while nobody can name the events yet.  A write
 * that releases ends the epoch (atomic.c: prepare_write).
 */
static void prepare_write(struct thread *t, int order, uint32_t site)
{
	if (order >= __ATOMIC_RELEASE)
		filter_sweep(t);
	log_other_room(t, site, WIDE_ROOM);
}

/* One record: the words from word `first' on, n of them. */
static void log_words(struct thread *t, unsigned kind, const void *p, const cell_version v[2],
		      struct wide x, unsigned first, unsigned n, int order, uint32_t site)
{
	uint64_t delta;
	uint8_t *q;

	log_runs_prepare(t, v + first, n);
	delta = log_delta(t, site, (uintptr_t)p + 8 * first);
	q = log_varint(t->cursor + 4, site);
	*q++ = (uint8_t)order;
	q = log_varint(log_varint(q, delta), 8 * n);
	q = log_runs(t, q, v + first, n, t->tseq + 1, 1);
	memcpy(q, (const char *)&x + 8 * first, 8 * n);
	log_other_end(t, kind, FORMAT_RANGE_ATOMIC, q + 8 * n, n);
}

/* Two peers in one slot cannot be named in one record. */
static bool clash(const struct thread *t, cell_version a, cell_version b)
{
	return a != 0 && b != 0 && cell_tid(a) != t->tid && cell_tid(b) != t->tid &&
	       cell_tid(a) != cell_tid(b) &&
	       cell_tid(a) % FORMAT_PEERS == cell_tid(b) % FORMAT_PEERS;
}

/* Events are numbered one per word.  The caller has called log_ready, before the first. */
static void log_wide(struct thread *t, unsigned kind, const void *p, const cell_version v[2],
		     struct wide x, int order, uint32_t site)
{
	if (clash(t, v[0], v[1])) {
		log_words(t, kind, p, v, x, 0, 1, order, site);
		log_words(t, kind, p, v, x, 1, 1, order, site);
	} else {
		log_words(t, kind, p, v, x, 0, 2, order, site);
	}
}

EXPORT void foresee_aread16(const void *p, void *into, int order, uint32_t site)
{
	struct thread *t = enter(site);
	uint64_t *cell = cell_of(p);
	cell_version v[2];
	struct wide x;

	if (t == NULL) {
		x = load16(p);
	} else {
		do {
			v[0] = cell_peek(cell);
			v[1] = cell_peek(cell + 1);
			x = load16(p);
		} while (!cell_still(cell, v[0]) || !cell_still(cell + 1, v[1]));
		log_ready(t, site);
		log_wide(t, FORMAT_K_RANGE_READ, p, v, x, order, site);
		hook_leave(t);
	}
	memcpy(into, &x, 16);
}

EXPORT void foresee_awrite16(void *p, const void *from, int order, uint32_t site)
{
	struct thread *t = enter(site);
	uint64_t *cell = cell_of(p);
	cell_version v[2];
	struct wide x;

	memcpy(&x, from, 16);
	if (t == NULL) {
		store16(p, x);
		return;
	}
	prepare_write(t, order, site);
	v[0] = cell_lock(cell);
	v[1] = cell_lock(cell + 1);
	store16(p, x);
	cell_unlock(cell + 1, cell_make(t->tid, t->tseq + 2));
	cell_unlock(cell, cell_make(t->tid, t->tseq + 1));
	log_ready(t, site);
	log_wide(t, FORMAT_K_RANGE_WRITE, p, v, x, order, site);
	hook_leave(t);
}

/* A binding read of both words, and when it succeeds a write of both after it. */
EXPORT bool foresee_acas16(void *p, void *expected, const void *desired, int success, int failure,
			   uint32_t site)
{
	struct thread *t = enter(site);
	uint64_t *cell = cell_of(p);
	cell_version v[2];
	struct wide old, x;
	bool ok;

	memcpy(&old, expected, 16);
	memcpy(&x, desired, 16);
	if (t == NULL) {
		ok = cas16(p, &old, x);
		memcpy(expected, &old, 16);
		return ok;
	}
	prepare_write(t, success, site);
	v[0] = cell_lock(cell);
	v[1] = cell_lock(cell + 1);
	ok = cas16(p, &old, x);
	if (ok) /* events tseq + 1, + 2 are the read */
		cell_unlock(cell + 1, cell_make(t->tid, t->tseq + 4));
	else
		cell_unlock(cell + 1, v[1]);
	cell_unlock(cell, ok ? cell_make(t->tid, t->tseq + 3) : v[0]);
	log_ready(t, site);
	log_wide(t, FORMAT_K_RANGE_READ, p, v, old, ok ? success : failure, site);
	if (ok)
		log_wide(t, FORMAT_K_RANGE_WRITE, p, v, x, success, site);
	memcpy(expected, &old, 16);
	hook_leave(t);
	return ok;
}
