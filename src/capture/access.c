/*
 * Plain loads and stores of 1, 2, 4 and 8 bytes: the hot path.
 *
 * A load, without the filter and the logging:
 *
 *	do { v = cell; x = *p; } while (cell locked or changed);   log(x, v)
 *
 * and a store:
 *
 *	lock cell (was v); *p = x; unlock with my next event's name;   log(x, v)
 *
 * The record is written after the cell is unlocked, so that the cell is held as briefly as can be.
 * Another thread may then name the event before its record is in the log; that is true of at most
 * one event of each thread at a time, and cuts allow for it.
 */
#include "capture/access.h"

#include "capture/filter.h"
#include "capture/module.h"
#include "capture/place.h"
#include "capture/range.h"
#include "capture/real.h"
#include "capture/sync.h"

/* The beginning of every hook: the thread if it records; else the bare access is done. */
#define ENTER_OR(bare)                                                    \
	struct thread *t = thread_self();                                 \
	if (__builtin_expect(t->view.live != THREAD_LIVE, 0)) {           \
		t = hook_enter_slow(t);                                   \
		if (t == NULL)                                            \
			bare;                                             \
	} else {                                                          \
		t->view.live = 0;                                         \
		__asm__ volatile("" ::: "memory");                        \
	}                                                                 \
	if (__builtin_expect(module_patterns, 0) && module_skips(site)) { \
		hook_leave(t);                                            \
		bare;                                                     \
	}

/* Two words: rare, so one routine serves all sizes.  Logs like the fast path. */
static uint64_t read_cross(struct thread *t, const void *p, unsigned log2, uint32_t site,
			   uint32_t flags)
{
	uint64_t *a = cell_of(p), *b = a + 1;
	cell_version va, vb;
	uint64_t x;

	do {
		va = cell_peek(a);
		vb = cell_peek(b);
		x = access_load(p, log2);
	} while (!cell_still(a, va) || !cell_still(b, vb));
	place_log(t, FORMAT_READ | FORMAT_CROSS | log2 << FORMAT_SIZE_SHIFT | flags, site,
		  (uintptr_t)p, va, x, &(struct place_more){ .second = vb });
	return x;
}

static void write_cross(struct thread *t, void *p, unsigned log2, uint64_t x, uint32_t site,
			const uint64_t *feeds, unsigned nfeeds)
{
	uint64_t *a = cell_of(p), *b = a + 1;
	cell_version va = cell_lock(a), vb = cell_lock(b); /* ascending: no deadlock */
	cell_version mine = cell_make(t->tid, t->tseq + 1);

	access_store(p, log2, x);
	cell_unlock(b, mine);
	cell_unlock(a, mine);
	place_log(t,
		  FORMAT_WRITE | FORMAT_CROSS | log2 << FORMAT_SIZE_SHIFT |
			  (nfeeds != 0 ? FORMAT_WRITE_FED : 0),
		  site, (uintptr_t)p, va, x,
		  &(struct place_more){ .second = vb, .feeds = feeds, .nfeeds = nfeeds });
}

static inline bool crosses(const void *p, unsigned log2)
{
	return log2 != 0 && ((uintptr_t)p & 7) + (1u << log2) > 8;
}

/* A read that is logged or begins a run; t is in a hook. */
static inline __attribute__((always_inline)) uint64_t
read_word(struct thread *t, const void *p, unsigned log2, uint32_t site, uint64_t *slot)
{
	uint64_t *cell = cell_of(p);
	struct filter_entry *e = NULL;
	uint64_t key = filter_key(p, 0);
	cell_version v;
	uint64_t x;

	if (__builtin_expect(crosses(p, log2), 0)) {
		x = read_cross(t, p, log2, site, slot != NULL ? FORMAT_READ_FREE : 0);
	} else {
		if (slot == NULL)
			e = filter_prepare(t, p, key);
		do {
			v = cell_peek(cell);
			x = access_load(p, log2);
		} while (__builtin_expect(!cell_still(cell, v), 0));
		if (e != NULL && filter_drops(t, e, key, p, log2, x, v, site))
			return x;
		place_log(t,
			  FORMAT_READ | log2 << FORMAT_SIZE_SHIFT |
				  (slot != NULL ? FORMAT_READ_FREE : 0),
			  site, (uintptr_t)p, v, x, NULL);
	}
	if (slot != NULL)
		*slot = t->tseq;
	return x;
}

/*
 * The shortest way: a read of bytes that this run has dropped before.  True: it was dropped, *x is
 * the value.  Everything else is left to read_word, so that this needs no stack frame.  A locked
 * cell, or an access that reaches into a second word, never equals the version of a run.
 */
static inline __attribute__((always_inline)) bool
read_again(struct thread *t, const void *p, unsigned log2, uint32_t site, uint64_t *x)
{
	const uint64_t *cell = cell_of(p);
	struct filter_entry *e = filter_at(t, p);
	unsigned mask = filter_mask(p, log2);
	cell_version v;

	if (e->key != filter_key(p, 0) ||
	    (e->state & FILTER_STATE(UINT32_MAX, mask)) != FILTER_STATE(t->epoch, mask))
		return false;
	v = __atomic_load_n(cell, __ATOMIC_ACQUIRE);
	*x = access_load(p, log2);
	if (!cell_still(cell, v) || e->version != v ||
	    access_load(filter_value(t, e, p), log2) != *x)
		return false;
	e->place = (uint64_t)site << 32 | (uint32_t)t->tseq;
	t->saved++;
	return true;
}

static inline __attribute__((always_inline)) void write_word(struct thread *t, void *p,
							     unsigned log2, uint64_t x,
							     uint32_t site, const uint64_t *slots,
							     uint64_t mask)
{
	uint64_t feeds[LOG_FEEDS];
	uint64_t *cell = cell_of(p);
	uint32_t bits = FORMAT_WRITE | log2 << FORMAT_SIZE_SHIFT;
	unsigned nfeeds = 0;
	cell_version v;

	cell_prepare(cell);
	if (slots != NULL)
		nfeeds = log_feed_gather(slots, mask, feeds);
	filter_write(t, p);
	if (__builtin_expect(crosses(p, log2), 0)) {
		filter_write(t, (char *)p + 7);
		log_ready(t, site);
		write_cross(t, p, log2, x, site, feeds, nfeeds);
		return;
	}
	/* If the chunk is full the next one is begun here, before others can name the event: if the
	 * program was killed in between, they would name an event that is in no record. */
	log_ready(t, site);
	v = cell_lock(cell);
	access_store(p, log2, x);
	cell_unlock(cell, cell_make(t->tid, t->tseq + 1));
	if (nfeeds == 1 && feeds[0] == t->tseq)
		bits |= FORMAT_WRITE_FED1;
	else if (nfeeds != 0)
		bits |= FORMAT_WRITE_FED;
	place_log(t, bits, site, (uintptr_t)p, v, x,
		  nfeeds == 0 ? NULL : &(struct place_more){ .feeds = feeds, .nfeeds = nfeeds });
}

/* A store that is left out by request still says what it depended on. */
static void skip_fed(struct thread *t, uint32_t site, const uint64_t *slots, uint64_t mask)
{
	uint64_t feeds[LOG_FEEDS];
	unsigned n = log_feed_gather(slots, mask, feeds);
	uint8_t *p;

	if (n == 0)
		return;
	p = log_other_begin(t, site);
	p = log_varint(p, site);
	log_other_end(t, FORMAT_K_USE, 0, log_feeds(p, feeds, n, t->tseq + 1), 1);
}

#define ACCESS(N, T, LOG2)                                                                      \
	static __attribute__((noinline))                                                        \
	T read_more##N(const void *p, uint32_t site, struct thread *t)                          \
	{                                                                                       \
		T x;                                                                            \
		if (__builtin_expect(module_patterns, 0) && module_skips(site))                 \
			x = *(const volatile T *)p;                                             \
		else                                                                            \
			x = (T)read_word(t, p, LOG2, site, NULL);                               \
		hook_leave(t);                                                                  \
		return x;                                                                       \
	}                                                                                       \
	static __attribute__((noinline, cold)) T read_slow##N(const void *p, uint32_t site)     \
	{                                                                                       \
		struct thread *t = hook_enter_slow(thread_self());                              \
		return t != NULL ? read_more##N(p, site, t) : *(const volatile T *)p;           \
	}                                                                                       \
	EXPORT T foresee_read##N(const void *p, uint32_t site)                                  \
	{                                                                                       \
		struct thread *t = thread_self();                                               \
		uint64_t x;                                                                     \
		if (__builtin_expect(t->view.live != THREAD_LIVE, 0))                           \
			return read_slow##N(p, site);                                           \
		t->view.live = 0;                                                               \
		__asm__ volatile("" ::: "memory");                                              \
		if (read_again(t, p, LOG2, site, &x))                                           \
			return hook_end(t) ? (T)hook_signal_with(t, x) : (T)x;                  \
		return read_more##N(p, site, t);                                                \
	}                                                                                       \
	EXPORT T foresee_read##N##f(const void *p, uint32_t site, uint64_t *slot)               \
	{                                                                                       \
		T x;                                                                            \
		ENTER_OR(return *(const volatile T *)p)                                         \
		x = (T)read_word(t, p, LOG2, site, slot);                                       \
		hook_leave(t);                                                                  \
		return x;                                                                       \
	}                                                                                       \
	EXPORT void foresee_write##N(void *p, T value, uint32_t site)                           \
	{                                                                                       \
		ENTER_OR({                                                                      \
			*(volatile T *)p = value;                                               \
			return;                                                                 \
		})                                                                              \
		write_word(t, p, LOG2, value, site, NULL, 0);                                   \
		hook_leave(t);                                                                  \
	}                                                                                       \
	EXPORT void foresee_write##N##f(void *p, T value, uint32_t site, const uint64_t *slots, \
					uint64_t mask)                                          \
	{                                                                                       \
		ENTER_OR({                                                                      \
			if (t != NULL) {                                                        \
				t->view.live &= ~THREAD_LIVE;                                   \
				skip_fed(t, site, slots, mask);                                 \
				hook_leave(t);                                                  \
			}                                                                       \
			*(volatile T *)p = value;                                               \
			return;                                                                 \
		})                                                                              \
		write_word(t, p, LOG2, value, site, slots, mask);                               \
		hook_leave(t);                                                                  \
	}

ACCESS(1, uint8_t, 0)
ACCESS(2, uint16_t, 1)
ACCESS(4, uint32_t, 2)
ACCESS(8, uint64_t, 3)

/* Ranges. */

#define ENTER_RANGE(bare)                       \
	struct thread *t = hook_enter_at(site); \
	if (t == NULL) {                        \
		bare;                           \
		return;                         \
	}

/* Vectors and small structs go word by word through the fast path; feeds and
 * the filter work on them as on scalars. */
#define SMALL 64u

static unsigned part_log2(size_t left)
{
	return left >= 8 ? 3 : left >= 4 ? 2 : left >= 2 ? 1 : 0;
}

static uint64_t small_read(struct thread *t, const char *p, char *into, size_t n, uint32_t site,
			   bool free_read)
{
	uint64_t first = t->tseq, slot, x;

	for (size_t done = 0; done < n;) {
		unsigned log2 = part_log2(n - done);

		x = read_word(t, p + done, log2, site, free_read ? &slot : NULL);
		memcpy(into + done, &x, 1u << log2);
		done += 1u << log2;
	}
	return free_read ? log_slot(t->tseq, t->tseq - first) : 0;
}

EXPORT void foresee_read_range(const void *p, void *into, size_t n, uint32_t site, uint64_t *slot)
{
	ENTER_RANGE(memcpy(into, p, n))
	bool free_read = slot != NULL && n <= 8 * LOG_SLOT_WORDS && n % 8 == 0;

	if (slot != NULL)
		*slot = 0;
	if (n > SMALL)
		range_read(t, p, into, n, site, false);
	else if (free_read)
		*slot = small_read(t, p, into, n, site, true);
	else
		small_read(t, p, into, n, site, false);
	hook_leave(t);
}

EXPORT void foresee_write_range(void *p, const void *from, size_t n, uint32_t site,
				const uint64_t *slots, uint64_t mask)
{
	ENTER_RANGE(memcpy(p, from, n))
	if (n > SMALL) {
		range_write(t, p, from, n, site, slots, mask);
	} else {
		for (size_t done = 0; done < n;) {
			unsigned log2 = part_log2(n - done);
			uint64_t x = 0;

			memcpy(&x, (const char *)from + done, 1u << log2);
			write_word(t, (char *)p + done, log2, x, site, slots, mask);
			done += 1u << log2;
		}
	}
	hook_leave(t);
}

EXPORT void foresee_frame(void *p, size_t n, uint32_t site)
{
	HOOK(t)
		range_frame(t, p, n, site);
}

EXPORT void foresee_scope(void *p, size_t n, uint32_t site)
{
	struct thread *t = hook_enter();

	if (t != NULL) {
		range_frame(t, p, n, site);
		scope_begin(t, p, n, site);
		hook_leave(t);
	}
}

EXPORT void foresee_scope_end(void *p, size_t n, uint32_t site)
{
	struct thread *t = hook_enter();

	if (t != NULL) {
		scope_end(t, p, n, site);
		hook_leave(t);
	}
}

EXPORT void foresee_touch_range(const void *p, size_t n, uint32_t site)
{
	ENTER_RANGE((void)p)
	range_read(t, p, NULL, n, site, false);
	hook_leave(t);
}

EXPORT void foresee_copy(void *to, const void *from, size_t n, uint32_t site)
{
	ENTER_RANGE(memcpy(to, from, n))
	range_copy(t, to, from, n, site);
	hook_leave(t);
}

EXPORT void foresee_move(void *to, const void *from, size_t n, uint32_t site)
{
	ENTER_RANGE(memmove(to, from, n))
	range_move(t, to, from, n, site);
	hook_leave(t);
}

EXPORT void foresee_fill(void *to, int byte, size_t n, uint32_t site, const uint64_t *slots,
			 uint64_t mask)
{
	ENTER_RANGE(memset(to, byte, n))
	range_fill(t, to, byte, n, site, slots, mask);
	hook_leave(t);
}
