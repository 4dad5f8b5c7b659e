/*
 * Coroutines: swapcontext goes from one stack to another, and comes back much later, perhaps in
 * another thread.  Each coroutine has frames of its own, but the shadow stack belongs to the
 * thread.  So its frames are saved on the stack that is left, and restored when swapcontext comes
 * back.  A new coroutine begins with the frames of whoever switched to it first.
 */
#include <alloca.h>
#include <ucontext.h>

#include "capture/thread.h"

#define KEPT 255u /* frames; deeper ones are not logged */

/* Not inlined: the thread may be another one than before. */
static __attribute__((noinline)) void put_back(const uint32_t *frames, uint32_t n, uint32_t depth)
{
	struct foresee_view *v = foresee_self;
	uint32_t same = 0;

	while (same < n && same < v->depth && v->frames[same] == frames[same])
		same++;
	memcpy(v->frames + same, frames + same, (n - same) * sizeof(*frames));
	v->depth = depth;
	if (v->low > same)
		v->low = same;
}

REAL_EARLY(swapcontext)
EXPORT int swapcontext(ucontext_t *restrict from, const ucontext_t *restrict to)
{
	struct foresee_view *v = foresee_self;
	uint32_t depth = v->depth, n = depth < KEPT ? depth : KEPT;
	uint32_t *frames = alloca((n + 1) * sizeof(*frames));
	int r;

	memcpy(frames, v->frames, n * sizeof(*frames));
	r = real_swapcontext()(from, to);
	put_back(frames, n, depth);
	return r;
}
