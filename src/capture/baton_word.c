/*
 * Words that threads share.
 *
 * An access is a step only if another thread touches the word as well, and one of the two writes it.
 * That is not known before it happens: the word is marked then, and the explorer begins anew.
 *
 * What a thread does while it is alone comes before or after everything that others do, and is no sharing:
 * making things ready for threads, and looking at what they have done when they were joined.
 *
 * A thread's stack is its own, and the next thread may get the same one: that is no sharing.
 *
 * Where the frames of main lie depends on the environment, and where other stacks lie on what else was
 * mapped, by the recorder too.  So words on stacks are named by their distance from the end of theirs.
 */
#include "capture/baton.h"
#include "capture/sys.h"

#define STACK_OF(thread) ((1ull << 62) + ((uint64_t)(thread) << 48)) /* no address is so high */

extern void *__libc_stack_end; /* of glibc: where the stack began when the program was started */

static bool is_on_stack(uint32_t thread, uint64_t at)
{
	return at >= baton_seats[thread].stack_low && at < baton_seats[thread].stack_high;
}

/* thread: who asks.  A stack may have belonged to others before, which have ended. */
static uint64_t name_of(uint32_t thread, uint64_t at)
{
	uint32_t owner = thread;

	if (!is_on_stack(thread, at))
		for (owner = baton_head->nthreads; owner-- > 0 && !is_on_stack(owner, at);)
			;
	if (owner >= BATON_THREADS)
		return at;
	return STACK_OF(owner) + at -
	       (owner == 0 ? (uintptr_t)__libc_stack_end : baton_seats[owner].stack_high);
}

static bool touch(uint32_t thread, uint64_t at, bool writes)
{
	uint64_t name = name_of(thread, at);
	/* A table that was full once mostly is: what is not found soon counts as having no room. */
	struct baton_word *w =
		baton_word_near(baton_head, name, baton_head->crowded ? BATON_NEAR : BATON_TRIES);
	bool reused;

	if (w == NULL) { /* no room to tell */
		baton_head->crowded = 1;
		return true;
	}
	reused = w->run == baton_head->number && w->first != thread && is_on_stack(thread, at) &&
		 is_on_stack(w->first, at);
	if (w->run != baton_head->number || reused) {
		w->word = name / 8 + 1;
		w->run = baton_head->number;
		w->first = (uint16_t)thread;
		w->wrote = writes;
		return w->shared;
	}
	w->wrote |= writes;
	if (w->first != thread && w->wrote && !w->shared)
		baton_share(baton_head, w);
	return w->shared;
}

bool baton_word_touch(uint32_t thread, uintptr_t p, size_t n, bool writes)
{
	bool shared = baton_head->all_accesses;

	if (baton_is_alone() && !shared)
		return false;
	for (uint64_t at = p & ~7ull; at < p + n; at += 8)
		shared |= touch(thread, at, writes);
	return shared;
}

bool baton_word_is_shared(uint32_t thread, uintptr_t p)
{
	const struct baton_word *w = baton_word(baton_head, name_of(thread, p));

	return w != NULL && w->shared;
}

void baton_word_share(uint32_t thread, uintptr_t p, size_t n)
{
	for (uint64_t at = p & ~7ull; at < p + n; at += 8) {
		uint64_t name = name_of(thread, at);
		struct baton_word *w = baton_word(baton_head, name);

		if (w == NULL || w->shared)
			continue;
		w->word = name / 8 + 1; /* it may be new */
		baton_share(baton_head, w);
	}
}

/* Asked of the kernel, by a call that reads it and does nothing else. */
static bool can_be_read(uintptr_t p)
{
	SYS_KEEPS_ERRNO;

	return syscall(SYS_futex, p, FUTEX_CMP_REQUEUE | FUTEX_PRIVATE_FLAG, 0, 0, p, 0) >= 0 ||
	       errno != EFAULT;
}

static bool is_there(uintptr_t p)
{
	static uintptr_t page; /* of this run that was looked at last */
	static uint32_t run;

	p &= ~7ull;
	if (page == p / BATON_PAGE && run == baton_head->number)
		return true;
	if (!(fiber_on ? fiber_reads((const void *)p) : can_be_read(p)))
		return false;
	page = p / BATON_PAGE;
	run = baton_head->number;
	return true;
}

bool baton_word_is_there(uintptr_t p, size_t n)
{
	return is_there(p) && is_there(p + n - 1);
}
