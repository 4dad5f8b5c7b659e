/*
 * Plain loads and stores of 1, 2, 4 and 8 bytes: the hot path.
 *
 * word.h does one and logs it as one step; here are the hooks around it.
 */
#include "capture/access.h"

#include "capture/guard.h"
#include "capture/range.h"
#include "capture/sync.h"
#include "capture/word.h"

static inline void leave_bare(struct thread **t)
{
	hook_leave(*t);
}

static inline bool hook_begin(struct thread *t)
{
	t->view.live = 0;
	__asm__ volatile("" ::: "memory");
	return true;
}

/* A hook's way if this is true: the thread records, and nothing is left out by request. */
#define BEGINS(t) (LIKELY((t)->view.live == THREAD_LIVE && !module_patterns) && hook_begin(t))

/* The beginning of every hook: the thread if it records; else the bare access is done.  A thread with
 * a gate never takes the short way. */
#define ENTER_OR(n, gate, bare)                                                    \
	struct thread *t = thread_self();                                          \
	if (UNLIKELY(t->view.live != THREAD_LIVE)) {                               \
		if (GUARD_SKIPS(p, n)) {                                           \
			t = NULL;                                                  \
			bare;                                                      \
		}                                                                  \
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
		hook_begin(t);                                                     \
	}                                                                          \
	if (UNLIKELY(module_patterns) && module_skips(site)) {                     \
		hook_leave(t);                                                     \
		bare;                                                              \
	}

/* Also of a store that is left out by request: it says what it depended on. */
static void log_use(struct thread *t, uint32_t site, const uint64_t *keepers, uint64_t mask)
{
	uint64_t feeds[LOG_FEEDS];
	unsigned n = log_feed_gather(keepers, mask, feeds);
	uint8_t *p;

	if (n == 0)
		return;
	p = log_varint(log_other_begin(t, site), site);
	log_other_end(t, FORMAT_K_USE, 0, log_feeds(p, feeds, n, t->tseq + 1), 1);
}

EXPORT void foresee_use(const uint64_t *keeper, uint32_t site)
{
	HOOK(t)
		log_use(t, site, keeper, 1);
}

/*
 * How a hook ends that has no stack frame.  The access itself was done, and is to be logged; also where
 * that takes more than habit_try does.
 */
static __attribute__((noinline)) uint64_t end_log(struct thread *t, uint32_t what, uint32_t site,
						  uint64_t addr, tag_version v, uint64_t value)
{
	log_ready(t, site);
	habit_log_long(t, what, site, addr, v, value, NULL);
	hook_leave(t);
	return value;
}

INLINE uint64_t end_read(struct thread *t, uint32_t what, uint32_t site, const void *p,
			 tag_version v, uint64_t x)
{
	if (UNLIKELY(!log_is_ready(t)) || !habit_try(t, what, site, (uintptr_t)p, v, x, NULL))
		return end_log(t, what, site, (uintptr_t)p, v, x);
	return hook_end(t) ? hook_signal_with(t, x) : x;
}

INLINE void end_write(struct thread *t, uint32_t what, uint32_t site, const void *p, tag_version v,
		      uint64_t x)
{
	if (!habit_try(t, what, site, (uintptr_t)p, v, x, NULL))
		end_log(t, what, site, (uintptr_t)p, v, x);
	else
		hook_leave(t);
}

static __attribute__((noinline)) uint64_t end_update(struct thread *t, uint32_t what,
						     uint64_t sites, uint64_t addr, tag_version v,
						     uint64_t x, uint64_t added)
{
	habit_log_update(t, what, sites, addr, v, x, added);
	hook_leave(t);
	return x;
}

INLINE uint64_t end_add(struct thread *t, uint32_t what, uint32_t site, uint32_t to, const void *p,
			tag_version v, uint64_t x, uint64_t added)
{
	if (!habit_try_update(t, what, site, (uintptr_t)p, v, x, added))
		return end_update(t, what, (uint64_t)site << 32 | to, (uintptr_t)p, v, x, added);
	hook_leave(t);
	return x;
}

/*
 * Of each hook there are up to three: the short way; `more', inside the hook, all that the short way leaves
 * alone; `slow', the whole hook, for a thread that does not record, or has gates, or if something is left out.
 */
#define ACCESS(N, T, LOG2)                                                                         \
	static __attribute__((noinline))                                                           \
	T read_rest##N(const void *p, uint32_t site, uint64_t *keeper, struct thread *t)           \
	{                                                                                          \
		T x;                                                                               \
		if (UNLIKELY(module_patterns) && module_skips(site))                               \
			x = *(const volatile T *)p;                                                \
		else                                                                               \
			x = (T)word_read(t, p, LOG2, site, keeper);                                \
		hook_leave(t);                                                                     \
		return x;                                                                          \
	}                                                                                          \
	static __attribute__((noinline))                                                           \
	T read_more##N(const void *p, uint32_t site, struct thread *t)                             \
	{                                                                                          \
		tag_version v;                                                                     \
		uint64_t x;                                                                        \
		bool drops;                                                                        \
		if (UNLIKELY(module_patterns) || !word_try_read(t, p, LOG2, site, &x, &v, &drops)) \
			return read_rest##N(p, site, NULL, t);                                     \
		if (drops)                                                                         \
			return hook_end(t) ? (T)hook_signal_with(t, x) : (T)x;                     \
		return (T)end_read(t, FORMAT_READ | LOG2 << FORMAT_SIZE_SHIFT, site, p, v, x);     \
	}                                                                                          \
	static COLD T read_slow##N(const void *p, uint32_t site)                                   \
	{                                                                                          \
		ENTER_OR(N, control_access(t, p, N, site, 0, 0), return *(const volatile T *)p)    \
		return read_rest##N(p, site, NULL, t);                                             \
	}                                                                                          \
	EXPORT T foresee_read##N(const void *p, uint32_t site)                                     \
	{                                                                                          \
		struct thread *t = thread_self();                                                  \
		uint64_t x;                                                                        \
		if (UNLIKELY(t->view.live != THREAD_LIVE))                                         \
			return read_slow##N(p, site);                                              \
		hook_begin(t);                                                                     \
		if (word_read_again(t, p, LOG2, site, &x))                                         \
			return hook_end(t) ? (T)hook_signal_with(t, x) : (T)x;                     \
		return read_more##N(p, site, t);                                                   \
	}                                                                                          \
	static COLD T free_slow##N(const void *p, uint32_t site, uint64_t *keeper)                 \
	{                                                                                          \
		ENTER_OR(N, control_access(t, p, N, site, CONTROL_FREE_READ, 0),                   \
			 return *(const volatile T *)p)                                            \
		return read_rest##N(p, site, keeper, t);                                           \
	}                                                                                          \
	EXPORT T foresee_read##N##f(const void *p, uint32_t site, uint64_t *keeper)                \
	{                                                                                          \
		struct thread *t = thread_self();                                                  \
		uint32_t what = FORMAT_READ | LOG2 << FORMAT_SIZE_SHIFT | FORMAT_READ_FREE;        \
		tag_version v;                                                                     \
		uint64_t x;                                                                        \
		if (!BEGINS(t))                                                                    \
			return free_slow##N(p, site, keeper);                                      \
		if (!word_try_load(p, LOG2, &x, &v))                                               \
			return read_rest##N(p, site, keeper, t);                                   \
		*keeper = t->tseq + 1;                                                             \
		return (T)end_read(t, what, site, p, v, x);                                        \
	}                                                                                          \
	static __attribute__((noinline))                                                           \
	T tested_more##N(const void *p, uint32_t site, uint64_t *keeper, struct thread *t)         \
	{                                                                                          \
		T x;                                                                               \
		if (UNLIKELY(module_patterns) && module_skips(site))                               \
			x = *(const volatile T *)p;                                                \
		else                                                                               \
			x = (T)word_read_tested(t, p, LOG2, site, keeper);                         \
		hook_leave(t);                                                                     \
		return x;                                                                          \
	}                                                                                          \
	static COLD T tested_slow##N(const void *p, uint32_t site, uint64_t *keeper)               \
	{                                                                                          \
		T x;                                                                               \
		ENTER_OR(N, control_access(t, p, N, site, 0, 0), return *(const volatile T *)p)    \
		x = (T)word_read_tested(t, p, LOG2, site, keeper);                                 \
		hook_leave(t);                                                                     \
		return x;                                                                          \
	}                                                                                          \
	EXPORT T foresee_read##N##t(const void *p, uint32_t site, uint64_t *keeper)                \
	{                                                                                          \
		struct thread *t = thread_self();                                                  \
		uint64_t x;                                                                        \
		if (UNLIKELY(t->view.live != THREAD_LIVE))                                         \
			return tested_slow##N(p, site, keeper);                                    \
		hook_begin(t);                                                                     \
		if (word_read_again(t, p, LOG2, site, &x)) {                                       \
			if (keeper != NULL)                                                        \
				*keeper = 0;                                                       \
			return hook_end(t) ? (T)hook_signal_with(t, x) : (T)x;                     \
		}                                                                                  \
		return tested_more##N(p, site, keeper, t);                                         \
	}                                                                                          \
	static __attribute__((noinline)) void write_more##N(void *p, T value, uint32_t site,       \
							    const uint64_t *keepers,               \
							    uint64_t mask, struct thread *t)       \
	{                                                                                          \
		word_write(t, p, LOG2, value, site, keepers, mask);                                \
		hook_leave(t);                                                                     \
	}                                                                                          \
	static COLD void write_slow##N(void *p, T value, uint32_t site, const uint64_t *keepers,   \
				       uint64_t mask)                                              \
	{                                                                                          \
		ENTER_OR(N, control_access(t, p, N, site, CONTROL_WRITES, value), {                \
			if (t != NULL && keepers != NULL) {                                        \
				t->view.live &= ~THREAD_LIVE;                                      \
				log_use(t, site, keepers, mask);                                   \
				hook_leave(t);                                                     \
			}                                                                          \
			*(volatile T *)p = value;                                                  \
			return;                                                                    \
		})                                                                                 \
		word_write(t, p, LOG2, value, site, keepers, mask);                                \
		hook_leave(t);                                                                     \
	}                                                                                          \
	EXPORT void foresee_write##N(void *p, T value, uint32_t site)                              \
	{                                                                                          \
		struct thread *t = thread_self();                                                  \
		tag_version v;                                                                     \
		if (!BEGINS(t))                                                                    \
			write_slow##N(p, value, site, NULL, 0);                                    \
		else if (!word_try_write(t, p, LOG2, value, &v))                                   \
			write_more##N(p, value, site, NULL, 0, t);                                 \
		else                                                                               \
			end_write(t, FORMAT_WRITE | LOG2 << FORMAT_SIZE_SHIFT, site, p, v, value); \
	}                                                                                          \
	EXPORT void foresee_write##N##f(void *p, T value, uint32_t site, const uint64_t *keepers,  \
					uint64_t mask)                                             \
	{                                                                                          \
		struct thread *t = thread_self();                                                  \
		tag_version v;                                                                     \
		if (!BEGINS(t))                                                                    \
			write_slow##N(p, value, site, keepers, mask);                              \
		else if ((mask & (mask - 1)) != 0 || keepers[__builtin_ctzll(mask)] != t->tseq ||  \
			 !word_try_write(t, p, LOG2, value, &v))                                   \
			write_more##N(p, value, site, keepers, mask, t);                           \
		else                                                                               \
			end_write(t, FORMAT_WRITE | LOG2 << FORMAT_SIZE_SHIFT | FORMAT_WRITE_FED1, \
				  site, p, v, value);                                              \
	}

ACCESS(1, uint8_t, 0)
ACCESS(2, uint16_t, 1)
ACCESS(4, uint32_t, 2)
ACCESS(8, uint64_t, 3)

/* One hook for both, or one each: where something is in the way of the short one. */
#define ADD(N, T, LOG2)                                                           \
	EXPORT T foresee_add##N(void *p, T addend, uint32_t site, uint32_t to)    \
	{                                                                         \
		T x;                                                              \
		ADD_AT_ONCE(T, LOG2, 0, )                                         \
		x = foresee_read##N(p, site);                                     \
		foresee_write##N(p, (T)(x + addend), to);                         \
		return x;                                                         \
	}                                                                         \
	EXPORT T foresee_add##N##f(void *p, T addend, uint32_t site, uint32_t to, \
				   uint64_t *keeper)                              \
	{                                                                         \
		T x;                                                              \
		ADD_AT_ONCE(T, LOG2, FORMAT_UPDATE_FED, *keeper = t->tseq + 1)    \
		x = foresee_read##N##f(p, site, keeper);                          \
		foresee_write##N##f(p, (T)(x + addend), to, keeper, 1);           \
		return x;                                                         \
	}

#define ADD_AT_ONCE(T, log2, fed, keep)                                                       \
	struct thread *t = thread_self();                                                     \
	if (BEGINS(t)) {                                                                      \
		tag_version v;                                                                \
		uint64_t old;                                                                 \
		if (word_try_add(t, p, log2, addend, site, &old, &v)) {                       \
			keep;                                                                 \
			return (T)end_add(t, FORMAT_UPDATE | log2 << FORMAT_SIZE_SHIFT | fed, \
					  site, to, p, v, old, access_signed(addend, log2));  \
		}                                                                             \
		hook_leave(t);                                                                \
	}

ADD(1, uint8_t, 0)
ADD(2, uint16_t, 1)
ADD(4, uint32_t, 2)
ADD(8, uint64_t, 3)

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
			    : word_read(t, p + done, log2, site, free_read ? &keeper : NULL);
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
			word_write(t, p + done, log2, x, site, keepers, mask);
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
