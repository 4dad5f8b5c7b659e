/*
 * Plain loads and stores of 1, 2, 4 and 8 bytes: the hot path.
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
 * one event of each thread at a time, and cuts allow for it.
 */
#include "capture/access.h"

#include "capture/filter.h"
#include "capture/habit.h"
#include "capture/range.h"
#include "capture/sync.h"

static inline void leave_bare(struct thread **t)
{
	hook_leave(*t);
}

/* The beginning of every hook: the thread if it records; else the bare access is done.  A thread with
 * a gate never takes the short way. */
#define ENTER_OR(gate, bare)                                                       \
	struct thread *t = thread_self();                                          \
	if (UNLIKELY(t->view.live != THREAD_LIVE)) {                               \
		t = hook_enter_slow(t);                                            \
		if (t == NULL)                                                     \
			bare;                                                      \
		if (CONTROLLED(t)) {                                               \
			gate;                                                      \
			if (control_bare) {                                        \
				__attribute__((cleanup(leave_bare),                \
					       unused)) struct thread *inside = t; \
				t = NULL;                                          \
				bare;                                              \
			}                                                          \
		}                                                                  \
	} else {                                                                   \
		t->view.live = 0;                                                  \
		__asm__ volatile("" ::: "memory");                                 \
	}                                                                          \
	if (UNLIKELY(module_patterns) && module_skips(site)) {                     \
		hook_leave(t);                                                     \
		bare;                                                              \
	}

/* Two words: rare, so one routine serves all sizes.  Logs like the fast path. */
static uint64_t read_cross(struct thread *t, const void *p, unsigned log2, uint32_t site,
			   uint32_t flags)
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

static void write_cross(struct thread *t, void *p, unsigned log2, uint64_t x, uint32_t site,
			const uint64_t *feeds, unsigned nfeeds)
{
	uint64_t *a = tag_of(p), *b = a + 1;
	tag_version va = tag_lock(a), vb = tag_lock(b); /* ascending: no deadlock */
	tag_version mine = tag_make(t->tid, t->tseq + 1);

	access_store(p, log2, x);
	tag_unlock(b, mine);
	tag_unlock(a, mine);
	habit_log(t,
		  FORMAT_WRITE | FORMAT_CROSS | log2 << FORMAT_SIZE_SHIFT |
			  (nfeeds != 0 ? FORMAT_WRITE_FED : 0),
		  site, (uintptr_t)p, va, x,
		  &(struct habit_more){ .second = vb, .feeds = feeds, .nfeeds = nfeeds });
}

static inline bool crosses(const void *p, unsigned log2)
{
	return log2 != 0 && ((uintptr_t)p & 7) + (1u << log2) > 8;
}

/* A read that is logged or begins a run; t is in a hook. */
INLINE uint64_t read_word(struct thread *t, const void *p, unsigned log2, uint32_t site,
			  uint64_t *keeper)
{
	uint64_t *tag = tag_of(p);
	struct filter_entry *e = NULL;
	uint64_t key = filter_key(p, 0);
	tag_version v;
	uint64_t x;

	if (UNLIKELY(crosses(p, log2))) {
		x = read_cross(t, p, log2, site, keeper != NULL ? FORMAT_READ_FREE : 0);
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
INLINE uint64_t read_tested(struct thread *t, const void *p, unsigned log2, uint32_t site,
			    uint64_t *keeper)
{
	uint64_t *tag = tag_of(p), key = filter_key(p, 0);
	bool is_free = !crosses(p, log2);
	struct filter_entry *e;
	tag_version v;
	uint64_t x;

	if (UNLIKELY(!is_free)) {
		x = read_cross(t, p, log2, site, 0);
	} else {
		e = filter_prepare(t, p, key);
		do {
			v = tag_peek(tag);
			x = access_load(p, log2);
		} while (UNLIKELY(!tag_still(tag, v)));
		is_free = e == NULL || filter_tests(t, e, key, p, log2, x, v);
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

/*
 * The shortest way: a read of bytes that this run has dropped before.  True: it was dropped, *x is
 * the value.  Everything else is left to read_word, so that this needs no stack frame.  A locked
 * tag, or an access that reaches into a second word, never equals the version of a run.
 */
INLINE bool read_again(struct thread *t, const void *p, unsigned log2, uint32_t site, uint64_t *x)
{
	const uint64_t *tag = tag_of(p);
	struct filter_entry *e = filter_at(t, p);
	unsigned mask = filter_mask(p, log2);
	tag_version v;

	if (e->key != filter_key(p, 0) ||
	    (e->state & FILTER_STATE(UINT32_MAX, mask)) != FILTER_STATE(t->epoch, mask))
		return false;
	v = __atomic_load_n(tag, __ATOMIC_ACQUIRE);
	*x = access_load(p, log2);
	if (!tag_still(tag, v) || e->version != v || access_load(filter_value(t, e, p), log2) != *x)
		return false;
	e->read = (uint64_t)site << 32 | (uint32_t)t->tseq;
	t->saved++;
	return true;
}

INLINE void write_word(struct thread *t, void *p, unsigned log2, uint64_t x, uint32_t site,
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
	if (UNLIKELY(crosses(p, log2))) {
		filter_write(t, (char *)p + 7);
		log_ready(t, site);
		write_cross(t, p, log2, x, site, feeds, nfeeds);
		return;
	}
	/* If the chunk is full the next one is begun here, before others can name the event: if the
	 * program was killed in between, they would name an event that is in no record. */
	log_ready(t, site);
	v = tag_lock(tag);
	access_store(p, log2, x);
	tag_unlock(tag, tag_make(t->tid, t->tseq + 1));
	if (nfeeds == 1 && feeds[0] == t->tseq)
		bits |= FORMAT_WRITE_FED1;
	else if (nfeeds != 0)
		bits |= FORMAT_WRITE_FED;
	habit_log(t, bits, site, (uintptr_t)p, v, x,
		  nfeeds == 0 ? NULL : &(struct habit_more){ .feeds = feeds, .nfeeds = nfeeds });
}

/* A store that is left out by request still says what it depended on. */
static void skip_fed(struct thread *t, uint32_t site, const uint64_t *keepers, uint64_t mask)
{
	uint64_t feeds[LOG_FEEDS];
	unsigned n = log_feed_gather(keepers, mask, feeds);
	uint8_t *p;

	if (n == 0)
		return;
	p = log_varint(log_other_begin(t, site), site);
	log_other_end(t, FORMAT_K_USE, 0, log_feeds(p, feeds, n, t->tseq + 1), 1);
}

#define ACCESS(N, T, LOG2)                                                                        \
	static __attribute__((noinline))                                                          \
	T read_more##N(const void *p, uint32_t site, struct thread *t)                            \
	{                                                                                         \
		T x;                                                                              \
		if (UNLIKELY(module_patterns) && module_skips(site))                              \
			x = *(const volatile T *)p;                                               \
		else                                                                              \
			x = (T)read_word(t, p, LOG2, site, NULL);                                 \
		hook_leave(t);                                                                    \
		return x;                                                                         \
	}                                                                                         \
	static COLD T read_slow##N(const void *p, uint32_t site)                                  \
	{                                                                                         \
		struct thread *t = hook_enter_slow(thread_self());                                \
		if (t == NULL)                                                                    \
			return *(const volatile T *)p;                                            \
		if (CONTROLLED(t))                                                                \
			control_access(t, p, N, site, 0, 0);                                      \
		if (CONTROL_BARE(t)) {                                                            \
			T x = *(const volatile T *)p;                                             \
			hook_leave(t);                                                            \
			return x;                                                                 \
		}                                                                                 \
		return read_more##N(p, site, t);                                                  \
	}                                                                                         \
	EXPORT T foresee_read##N(const void *p, uint32_t site)                                    \
	{                                                                                         \
		struct thread *t = thread_self();                                                 \
		uint64_t x;                                                                       \
		if (UNLIKELY(t->view.live != THREAD_LIVE))                                        \
			return read_slow##N(p, site);                                             \
		t->view.live = 0;                                                                 \
		__asm__ volatile("" ::: "memory");                                                \
		if (read_again(t, p, LOG2, site, &x))                                             \
			return hook_end(t) ? (T)hook_signal_with(t, x) : (T)x;                    \
		return read_more##N(p, site, t);                                                  \
	}                                                                                         \
	EXPORT T foresee_read##N##f(const void *p, uint32_t site, uint64_t *keeper)               \
	{                                                                                         \
		T x;                                                                              \
		ENTER_OR(control_access(t, p, N, site, CONTROL_FREE_READ, 0),                     \
			 return *(const volatile T *)p)                                           \
		x = (T)read_word(t, p, LOG2, site, keeper);                                       \
		hook_leave(t);                                                                    \
		return x;                                                                         \
	}                                                                                         \
	static __attribute__((noinline))                                                          \
	T tested_more##N(const void *p, uint32_t site, uint64_t *keeper, struct thread *t)        \
	{                                                                                         \
		T x;                                                                              \
		if (UNLIKELY(module_patterns) && module_skips(site))                              \
			x = *(const volatile T *)p;                                               \
		else                                                                              \
			x = (T)read_tested(t, p, LOG2, site, keeper);                             \
		hook_leave(t);                                                                    \
		return x;                                                                         \
	}                                                                                         \
	static COLD T tested_slow##N(const void *p, uint32_t site, uint64_t *keeper)              \
	{                                                                                         \
		T x;                                                                              \
		ENTER_OR(control_access(t, p, N, site, 0, 0), return *(const volatile T *)p)      \
		x = (T)read_tested(t, p, LOG2, site, keeper);                                     \
		hook_leave(t);                                                                    \
		return x;                                                                         \
	}                                                                                         \
	EXPORT T foresee_read##N##t(const void *p, uint32_t site, uint64_t *keeper)               \
	{                                                                                         \
		struct thread *t = thread_self();                                                 \
		uint64_t x;                                                                       \
		if (UNLIKELY(t->view.live != THREAD_LIVE))                                        \
			return tested_slow##N(p, site, keeper);                                   \
		t->view.live = 0;                                                                 \
		__asm__ volatile("" ::: "memory");                                                \
		if (read_again(t, p, LOG2, site, &x)) {                                           \
			if (keeper != NULL)                                                       \
				*keeper = 0;                                                      \
			return hook_end(t) ? (T)hook_signal_with(t, x) : (T)x;                    \
		}                                                                                 \
		return tested_more##N(p, site, keeper, t);                                        \
	}                                                                                         \
	EXPORT void foresee_write##N(void *p, T value, uint32_t site)                             \
	{                                                                                         \
		ENTER_OR(control_access(t, p, N, site, CONTROL_WRITES, value), {                  \
			*(volatile T *)p = value;                                                 \
			return;                                                                   \
		})                                                                                \
		write_word(t, p, LOG2, value, site, NULL, 0);                                     \
		hook_leave(t);                                                                    \
	}                                                                                         \
	EXPORT void foresee_write##N##f(void *p, T value, uint32_t site, const uint64_t *keepers, \
					uint64_t mask)                                            \
	{                                                                                         \
		ENTER_OR(control_access(t, p, N, site, CONTROL_WRITES, value), {                  \
			if (t != NULL) {                                                          \
				t->view.live &= ~THREAD_LIVE;                                     \
				skip_fed(t, site, keepers, mask);                                 \
				hook_leave(t);                                                    \
			}                                                                         \
			*(volatile T *)p = value;                                                 \
			return;                                                                   \
		})                                                                                \
		write_word(t, p, LOG2, value, site, keepers, mask);                               \
		hook_leave(t);                                                                    \
	}

ACCESS(1, uint8_t, 0)
ACCESS(2, uint16_t, 1)
ACCESS(4, uint32_t, 2)
ACCESS(8, uint64_t, 3)

/* ---- ranges ---- */

/* A hook about the site `site': with t the statements, without it the bare access. */
#define RANGE_HOOK(name, params, bare, ...)             \
	EXPORT void name params                         \
	{                                               \
		struct thread *t = hook_enter_at(site); \
                                                        \
		if (t == NULL) {                        \
			bare;                           \
			return;                         \
		}                                       \
		__VA_ARGS__;                            \
		hook_leave(t);                          \
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
	uint64_t first = t->tseq, keeper, x;

	for (size_t done = 0; done < n;) {
		unsigned log2 = part_log2(n - done);

		if (CONTROLLED(t))
			control_access(t, p + done, 1u << log2, site,
				       free_read ? CONTROL_FREE_READ : 0, 0);
		x = CONTROL_BARE(t)
			    ? access_load(p + done, log2)
			    : read_word(t, p + done, log2, site, free_read ? &keeper : NULL);
		memcpy(into + done, &x, 1u << log2);
		done += 1u << log2;
	}
	return free_read ? log_keeper(t->tseq, t->tseq - first) : 0;
}

static void read_range(struct thread *t, const void *p, void *into, size_t n, uint32_t site,
		       uint64_t *keeper)
{
	bool free_read = keeper != NULL && n <= 8 * LOG_KEEPER_WORDS && n % 8 == 0;

	if (keeper != NULL)
		*keeper = 0;
	if (n > SMALL)
		range_read(t, p, into, n, site, false);
	else if (free_read)
		*keeper = small_read(t, p, into, n, site, true);
	else
		small_read(t, p, into, n, site, false);
}

static void write_range(struct thread *t, char *p, const char *from, size_t n, uint32_t site,
			const uint64_t *keepers, uint64_t mask)
{
	if (n > SMALL) {
		range_write(t, p, from, n, site, keepers, mask);
		return;
	}
	for (size_t done = 0; done < n;) {
		unsigned log2 = part_log2(n - done);
		uint64_t x = 0;

		memcpy(&x, from + done, 1u << log2);
		if (CONTROLLED(t))
			control_access(t, p + done, 1u << log2, site, CONTROL_WRITES, x);
		if (CONTROL_BARE(t))
			access_store(p + done, log2, x);
		else
			write_word(t, p + done, log2, x, site, keepers, mask);
		done += 1u << log2;
	}
}

RANGE_HOOK(foresee_read_range,
	   (const void *p, void *into, size_t n, uint32_t site, uint64_t *keeper),
	   memcpy(into, p, n), read_range(t, p, into, n, site, keeper))
RANGE_HOOK(foresee_write_range,
	   (void *p, const void *from, size_t n, uint32_t site, const uint64_t *keepers,
	    uint64_t mask),
	   memcpy(p, from, n), write_range(t, p, from, n, site, keepers, mask))
RANGE_HOOK(foresee_touch_range, (const void *p, size_t n, uint32_t site), (void)p,
	   range_read(t, p, NULL, n, site, false))
RANGE_HOOK(foresee_copy, (void *to, const void *from, size_t n, uint32_t site), memcpy(to, from, n),
	   range_copy(t, to, from, n, site))
RANGE_HOOK(foresee_move, (void *to, const void *from, size_t n, uint32_t site),
	   memmove(to, from, n), range_move(t, to, from, n, site))
RANGE_HOOK(foresee_fill,
	   (void *to, int byte, size_t n, uint32_t site, const uint64_t *keepers, uint64_t mask),
	   memset(to, byte, n), range_fill(t, to, byte, n, site, keepers, mask))

/* ---- local variables that others may reach ---- */

EXPORT void foresee_frame(void *p, size_t n, uint32_t site)
{
	HOOK(t)
		range_frame(t, p, n, site);
}

/* Forgets the scopes that lie in these bytes: they are somebody else's now. */
static void scopes_forget(struct thread *t, const void *p, size_t n)
{
	uintptr_t from = (uintptr_t)p, end = from + n;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < t->nscopes; i++) {
		uintptr_t at = (uintptr_t)t->scopes[i].at;

		if (at >= end || at + t->scopes[i].n <= from)
			t->scopes[kept++] = t->scopes[i];
	}
	t->nscopes = kept;
}

void access_scopes_end(struct thread *t)
{
	while (t->nscopes > 0) {
		const struct scope *s = &t->scopes[--t->nscopes];

		range_free(t, s->at, s->n, FORMAT_ALLOC_FRAME, s->site);
	}
}

EXPORT void foresee_scope(void *p, size_t n, uint32_t site)
{
	HOOK(t) {
		range_frame(t, p, n, site);
		scopes_forget(t, p, n);
		if (t->nscopes < THREAD_SCOPES)
			t->scopes[t->nscopes++] = (struct scope){ p, n, site };
	}
}

EXPORT void foresee_scope_end(void *p, size_t n, uint32_t site)
{
	HOOK(t) {
		scopes_forget(t, p, n);
		range_free(t, p, n, FORMAT_ALLOC_FRAME, site);
	}
}
