/*
 * Memory that begins and ends: malloc and its family, mmap and its.
 *
 * A block is logged as long as the allocator says it is (malloc_usable_size),
 * at its allocation after the real call, at its release before it: a thread that gets the same
 * bytes next logs after that.
 *
 * realloc would break that rule, for it frees the old block inside.  While
 * recording it is therefore done in steps: a new block, a logged copy, the
 * old one's death.  A block that is large enough, and not more than twice as large,
 * stays where it is, which is no event.
 *
 * The real functions are looked up with dlsym, which may itself allocate: those
 * few bytes come from a small area of our own and are never given back.  So does what the library needs
 * for its threads in a program that is explored (heap.h).
 */
#include "capture/heap.h"

#include <malloc.h>

#include "capture/channel.h"
#include "capture/guard.h"
#include "capture/libc_priv.h"
#include "capture/shared.h"

#define BIG (1u << 20) /* from here on, ordered as a whole */
#define PAGE 4096u

/* ---- the area for what is not the program's ---- */

#define EARLY_BYTES (128u << 10)
#define EARLY_ALIGN 16u

static char early[EARLY_BYTES] __attribute__((aligned(EARLY_ALIGN)));
static size_t early_used; /* atomic */

/* Each early block has its size in front.  Zeroed, like all static memory. */
static void *early_take(size_t n)
{
	size_t need = ((n + EARLY_ALIGN - 1) & ~(size_t)(EARLY_ALIGN - 1)) + EARLY_ALIGN;
	size_t at;

	if (n > EARLY_BYTES ||
	    (at = __atomic_fetch_add(&early_used, need, __ATOMIC_RELAXED)) + need > EARLY_BYTES) {
		errno = ENOMEM;
		return NULL;
	}
	memcpy(early + at, &n, sizeof(n));
	return early + at + EARLY_ALIGN;
}

static __thread bool aside;

void heap_aside(bool on)
{
	aside = on;
}

/* Only of what is small is there enough for everybody. */
#define ASIDE_MOST 1024u
static bool is_aside(size_t n)
{
	return aside && n <= ASIDE_MOST && early_used + 2 * ASIDE_MOST <= EARLY_BYTES;
}

static bool is_early(const void *p)
{
	return (uintptr_t)p - (uintptr_t)early < EARLY_BYTES;
}

static size_t early_size(const void *p)
{
	size_t n;

	memcpy(&n, (const char *)p - EARLY_ALIGN, sizeof(n));
	return n;
}

/* ---- allocation and release ---- */

static unsigned size_aux(size_t n)
{
	return n >= BIG ? FORMAT_ALLOC_HEAP | FORMAT_ALLOC_BIG : FORMAT_ALLOC_HEAP;
}

static void log_birth(struct thread *t, void *p, unsigned flags)
{
	size_t n = REAL(malloc_usable_size)(p);

	control_born(p, n);
	if (!tag_cover(p, n))
		log_trouble("the heap lies where it cannot be followed", ENOMEM);
	else
		range_alloc(t, p, n, size_aux(n) | flags, t->view.call_site);
}

static void log_death(struct thread *t, void *p, const void *caller)
{
	size_t n;

	if (CONTROLLED(t))
		control_freeing(t, p, caller);
	n = REAL(malloc_usable_size)(p);
	range_free(t, p, n, size_aux(n), t->view.call_site);
	if (CONTROLLED(t))
		control_freed(t, p, n);
}

/* p was allocated where no event can be logged: its thread is not recorded, or a signal handler
 * has interrupted a hook, which may hold the locks of the log.  It is noted elsewhere, so that a
 * use of p is not taken for a use of the block that was freed there before. */
static void born_unseen(const void *p)
{
	struct thread *t = thread_self();

	control_born(p, REAL(malloc_usable_size)((void *)(uintptr_t)p));
	if (!log_is_on() || thread_is_beginning(t))
		return;
	if (thread_is_inside(t))
		t->hiding = true;
	else
		log_control_memory(FORMAT_K_C_HIDDEN, (uintptr_t)p,
				   REAL(malloc_usable_size)((void *)(uintptr_t)p));
}

/* What a guard knows is not of the heap.  A thread of a library's own gives and takes all the same. */
static inline bool is_guarded(void)
{
	return guard_on && (thread_self()->fork_tid != 0 || thread_self()->tid == 1);
}

/* p as a real allocation function gave it; returns it. */
static void *born(void *p, unsigned flags)
{
	struct thread *t;

	if (p == NULL || is_guarded())
		return p;
	if (fiber_on)
		fiber_allocates();
	t = hook_enter();
	if (t == NULL) {
		born_unseen(p);
		return p;
	}
	log_birth(t, p, flags);
	/* A thread of a library's own hands it on by means that are not seen. */
	if (UNLIKELY(t->fork_tid == 0) && t->tid != 1 && t->view.depth == 0)
		channel_log(t, FORMAT_K_GIVE, CHANNEL_UNSEEN);
	hook_leave(t);
	return p;
}

EXPORT void *malloc(size_t n)
{
	return real_is_finding() || UNLIKELY(is_aside(n)) ? early_take(n)
							  : born(REAL(malloc)(n), 0);
}

EXPORT void *calloc(size_t count, size_t n)
{
	size_t all;

	if (real_is_finding() || UNLIKELY(aside)) {
		if (__builtin_mul_overflow(count, n, &all))
			return NULL;
		if (real_is_finding() || is_aside(all))
			return early_take(all);
	}
	return born(REAL(calloc)(count, n), FORMAT_ALLOC_ZEROED);
}

EXPORT int posix_memalign(void **out, size_t align, size_t n)
{
	void *p;
	int r = REAL(posix_memalign)(&p, align, n);

	if (r == 0) {
		born(p, 0);
		log_store(out, &p, sizeof(p));
	}
	return r;
}

EXPORT void free(void *p)
{
	void (*real)(void *);

	/* The lookup of free may itself free an old message of dlerror: that one is left. */
	if (p == NULL || is_early(p) || real_is_finding())
		return;
	if (fiber_on)
		fiber_allocates();
	real = REAL(free);
	if (is_guarded()) {
		real(p);
		return;
	}
	HOOK(t)
		log_death(t, p, __builtin_return_address(0));
	real(p);
}

EXPORT size_t malloc_usable_size(void *p)
{
	return p != NULL && is_early(p) ? early_size(p) : REAL(malloc_usable_size)(p);
}

/* n is not 0; in a hook.  NULL, errno set: the old block stands. */
static void *move_block(struct thread *t, void *old, size_t n, const void *caller)
{
	size_t had = REAL(malloc_usable_size)(old);
	void *p;

	if (n <= had && n >= had / 2)
		return old;
	p = REAL(malloc)(n);
	if (p == NULL)
		return NULL;
	log_birth(t, p, 0);
	range_copy(t, p, old, had < n ? had : n, t->view.call_site);
	log_death(t, old, caller);
	REAL(free)(old);
	return p;
}

EXPORT void *realloc(void *old, size_t n)
{
	void *(*real)(void *, size_t) = REAL(realloc);
	struct thread *t;
	void *p;

	if (old == NULL)
		return malloc(n);
	if (fiber_on)
		fiber_allocates();
	if (is_early(old)) {
		p = malloc(n);
		if (p != NULL)
			memcpy(p, old, early_size(old) < n ? early_size(old) : n);
		return p;
	}
	if ((t = hook_enter()) == NULL) {
		p = real(old, n);
		if (p != NULL)
			born_unseen(p);
		return p;
	}
	if (n != 0) {
		p = move_block(t, old, n, __builtin_return_address(0));
		hook_leave(t);
		return p;
	}
	log_death(t, old, __builtin_return_address(0));
	hook_leave(t);
	return born(real(old, 0), 0);
}

EXPORT void *reallocarray(void *old, size_t count, size_t n)
{
	size_t all;

	if (__builtin_mul_overflow(count, n, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(old, all);
}

/* ---- for an explorer ---- */

#define STEADY_ROOM (4 << 20)
#define STEADY_BLOCK (120u << 10) /* not so large that it is mapped */

void heap_steady(void)
{
	void *blocks[2];

	mallopt(M_ARENA_MAX, 1); /* by the thread's number in the order of its first use else */
	mallopt(M_TOP_PAD, STEADY_ROOM);
	mallopt(M_TRIM_THRESHOLD, 2 * STEADY_ROOM);
	for (unsigned i = 0; i < 2; i++) /* what there is, and a second that makes more */
		blocks[i] = REAL(malloc)(STEADY_BLOCK);
	for (unsigned i = 2; i-- > 0;)
		REAL(free)(blocks[i]);
}

/* ---- mappings ---- */

static size_t whole_pages(size_t n)
{
	return (n + PAGE - 1) & ~(size_t)(PAGE - 1);
}

static void map_birth(struct thread *t, void *p, size_t n, unsigned flags)
{
	control_born(p, whole_pages(n));
	if (!tag_cover(p, n))
		log_trouble("a mapping lies where it cannot be followed", ENOMEM);
	else
		range_alloc(t, p, whole_pages(n), FORMAT_ALLOC_MAP | FORMAT_ALLOC_BIG | flags,
			    t->view.call_site);
}

static void map_death(struct thread *t, void *p, size_t n)
{
	range_free(t, p, whole_pages(n), FORMAT_ALLOC_MAP | FORMAT_ALLOC_BIG, t->view.call_site);
}

static bool is_range(const void *p, size_t n)
{
	return ((uintptr_t)p & (PAGE - 1)) == 0 && n != 0 && whole_pages(n) >= n &&
	       (uintptr_t)p + n > (uintptr_t)p;
}

static bool is_shared(int flags)
{
	return (flags & MAP_TYPE) == MAP_SHARED || (flags & MAP_TYPE) == MAP_SHARED_VALIDATE;
}

/* Addresses go over to mappings that unseen code makes (dlopen, shmat), and come back. */
#define GAVE_UP(t) channel_log(t, FORMAT_K_GIVE, CHANNEL_UNSEEN)
#define TOOK_OVER(t) channel_log(t, FORMAT_K_TAKE, CHANNEL_UNSEEN)

EXPORT void *mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset)
{
	void *(*real)(void *, size_t, int, int, int, off_t) = REAL(mmap);
	unsigned aux = (flags & MAP_ANONYMOUS ? FORMAT_ALLOC_ZEROED : 0) |
		       (is_shared(flags) ? FORMAT_ALLOC_SHARED : 0) |
		       (flags & MAP_ANONYMOUS || prot & PROT_WRITE ? 0 : FORMAT_ALLOC_STEADY);
	bool over = (flags & MAP_FIXED) && is_range(at, n);
	void *p;

	/* The old mapping ends, even if the call then fails. */
	if (over)
		HOOK(t) {
			shared_remove(at, n);
			if (tag_cover(at, n))
				map_death(t, at, n);
		}
	p = real(at, n, prot, flags, fd, offset);
	if (p != MAP_FAILED)
		HOOK(t) {
			TOOK_OVER(t);
			if (aux & FORMAT_ALLOC_SHARED)
				shared_add(p, n, flags & MAP_ANONYMOUS ? -1 : fd, offset);
			map_birth(t, p, n, aux);
		}
	return p;
}

_Static_assert(sizeof(off_t) == sizeof(off64_t), "mmap64 is mmap");
EXPORT __typeof__(mmap64) mmap64 __attribute__((alias("mmap")));

EXPORT int munmap(void *p, size_t n)
{
	if (is_range(p, n))
		HOOK(t) {
			shared_remove(p, n);
			map_death(t, p, n);
			GAVE_UP(t);
		}
	return REAL(munmap)(p, n);
}

/*
 * A mapping that grows may move, so it ends and begins again with the bytes it
 * had; one that shrinks loses its tail.
 */
EXPORT void *mremap(void *old, size_t had, size_t n, int flags, ...)
{
	void *(*real)(void *, size_t, size_t, int, ...) = REAL(mremap);
	size_t keep = whole_pages(n) < whole_pages(had) ? whole_pages(n) : whole_pages(had);
	bool moves = n > had || (flags & MREMAP_FIXED);
	va_list args;
	void *at, *p;
	bool shared;

	va_start(args, flags);
	at = va_arg(args, void *); /* meant only with MREMAP_FIXED */
	va_end(args);
	if (is_range(old, had))
		HOOK(t) {
			GAVE_UP(t);
			if (moves)
				map_death(t, old, had);
			else if (whole_pages(had) > keep)
				map_death(t, (char *)old + keep, whole_pages(had) - keep);
		}
	p = real(old, had, n, flags, at);
	shared = p != MAP_FAILED && shared_move(old, had, p, n);
	if (moves && had != 0)
		HOOK(t) {
			void *now = p != MAP_FAILED ? p : old;

			TOOK_OVER(t);

			map_birth(t, now, p != MAP_FAILED ? n : had,
				  shared ? FORMAT_ALLOC_SHARED : 0);
			range_wrote(t, now, keep, t->view.call_site);
		}
	return p;
}

#define INTERPOSED_MEMORY
#include "capture/interposed.def"
