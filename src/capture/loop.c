/*
 * Loops on a buffer: what their lanes touch, as ranges (the contract is in hooks.h).
 *
 * The model of a portion of k iterations is
 *
 *	for each lane that reads: for i < k: read its bytes of iteration i
 *	the iterations, on the buffer
 *	for each lane that writes: for i < k: write its bytes of iteration i
 *
 * which gives the values that the loop would have if no write of it touches what a later iteration
 * reads (lanes_are_apart), and if nobody else is about.  If others are, doc/ARCHITECTURE.md ("Loops")
 * says why what is predicted of the portion is true of the loop.
 *
 * A lane that is a range is one ranged read or write, but for binding reads of loops that write no
 * range (a search, a product): those read the same again and again, so they go through the filter word by
 * word; ranges are never left out.
 */
#include "capture/baton.h"
#include "capture/guard.h"
#include "capture/range.h"
#include "capture/sync.h"
#include "capture/word.h"

/* ---- may it run this way? ---- */

/* All that a lane touches in n iterations.  False: no such memory. */
static bool lane_span(const struct foresee_lane *l, uint64_t n, uintptr_t *low, uintptr_t *end)
{
	uintptr_t p = (uintptr_t)l->p;
	int64_t far;

	if (n > INT64_MAX || __builtin_mul_overflow((int64_t)(n - 1), l->stride, &far))
		return false;
	*low = far < 0 ? p + (uintptr_t)far : p;
	*end = (far < 0 ? p : p + (uintptr_t)far) + l->size;
	return *low <= p && p < *end && *low < *end;
}

/* Of two lanes with one stride: does w touch what r touches in another iteration?  And in the same? */
static bool lanes_cross(const struct foresee_lane *w, const struct foresee_lane *r)
{
	uint64_t stride = w->stride < 0 ? -(uint64_t)w->stride : (uint64_t)w->stride;
	int64_t d = w->p - r->p, low = d < 0 ? d : 0;
	int64_t end = d + w->size > r->size ? d + w->size : r->size;
	uint64_t between;

	if ((uint64_t)(end - low) <= stride) /* within one step of the stride */
		return false;
	if (stride == 0)
		return true;
	between = (uint64_t)d % stride;
	if (d < 0)
		between = (stride - -(uint64_t)d % stride) % stride;
	return between < r->size || stride - between < w->size;
}

static bool lanes_meet(const struct foresee_lane *w, const struct foresee_lane *r)
{
	int64_t d = w->p - r->p;

	return d < (int64_t)r->size && -d < (int64_t)w->size;
}

/* No iteration sees what an earlier one of its portion writes; nothing is written twice in one. */
static bool lane_is_apart(const struct foresee_lane *w, const struct foresee_lane *other,
			  uint64_t n)
{
	uintptr_t wlow, wend, low, end;

	if (!lane_span(w, n, &wlow, &wend) || !lane_span(other, n, &low, &end))
		return false;
	if (wend <= low || end <= wlow)
		return true;
	if (w->stride != other->stride || lanes_cross(w, other))
		return false;
	return !lanes_meet(w, other) ||
	       (!(other->flags & FORESEE_LANE_WRITES) && other->at < w->at);
}

static bool lanes_are_apart(const struct foresee_loop *l)
{
	uintptr_t low, end;

	for (uint64_t i = 0; i < l->nlanes; i++) {
		if (!lane_span(&l->lanes[i], l->left, &low, &end))
			return false;
		for (uint64_t k = 0; k < l->nlanes && (l->lanes[i].flags & FORESEE_LANE_WRITES);
		     k++)
			if (i != k && !lane_is_apart(&l->lanes[i], &l->lanes[k], l->left))
				return false;
	}
	return true;
}

/* The user asked not to record it. */
static bool is_skipped(const struct foresee_loop *l)
{
	for (uint64_t i = 0; module_patterns && i < l->nlanes; i++)
		if (module_skips(l->lanes[i].site))
			return true;
	return false;
}

/*
 * A handler that interrupted a loop has frames above it, and must leave the buffer alone.  If there
 * are none, the loop was left by a jump out of a handler.  Who explores wants every access to be a step.
 */
static bool can_begin(const struct thread *t, const struct foresee_loop *l)
{
	return l->left >= FORESEE_LOOP_LEAST && !(t->loops && t->view.depth > t->loop_depth) &&
	       !baton_is_on() && !guard_on && !is_skipped(l) && lanes_are_apart(l);
}

/* ---- its accesses ---- */

/* The range of the next k iterations of a lane that is one. */
static uint8_t *lane_low(const struct foresee_lane *l, uint64_t k)
{
	return l->flags & FORESEE_LANE_DOWN ? l->p - (k - 1) * l->size : l->p;
}

/* Where its bytes begin in the buffer. */
static uint8_t *lane_bytes(const struct foresee_lane *l, uint64_t k)
{
	return l->flags & FORESEE_LANE_DOWN ? l->buffer - (k - 1) * l->size : l->buffer;
}

static bool lane_is_range(const struct foresee_lane *l)
{
	return l->flags & (FORESEE_LANE_TIGHT | FORESEE_LANE_DOWN);
}

/* The largest aligned access at p, of n bytes at most. */
INLINE unsigned part_log2(const uint8_t *p, size_t n)
{
	unsigned log2 = (unsigned)__builtin_ctzll((uintptr_t)p | 8);

	while (((size_t)1 << log2) > n)
		log2--;
	return log2;
}

/* What is not dropped, or has a gate. */
static __attribute__((noinline)) uint64_t part_read_more(struct thread *t, const uint8_t *p,
							 unsigned log2, uint32_t site)
{
	uint64_t x;

	if (CONTROLLED(t)) {
		control_access(t, p, (size_t)1 << log2, site, 0, 0);
		if (CONTROL_BARE(t))
			return access_load(p, log2);
		if (word_read_again(t, p, log2, site, &x))
			return x;
	}
	return word_read(t, p, log2, site, NULL);
}

/* Binding, and aligned. */
INLINE uint64_t part_read(struct thread *t, const uint8_t *p, unsigned log2, uint32_t site)
{
	uint64_t x;

	if (log2 == 3)
		p = __builtin_assume_aligned(p, 8);
	return LIKELY(!CONTROLLED(t) && word_read_again(t, p, log2, site, &x))
		       ? x
		       : part_read_more(t, p, log2, site);
}

/* n bytes at p. */
static void parts_read(struct thread *t, const uint8_t *p, uint8_t *into, size_t n, uint32_t site)
{
	while (n > 0) {
		unsigned log2 = part_log2(p, n);
		size_t bytes = (size_t)1 << log2;

		access_store(into, log2, part_read(t, p, log2, site));
		p += bytes;
		into += bytes;
		n -= bytes;
	}
}

/* Words that lie one behind the other, but for the ends of them. */
static void words_read(struct thread *t, const uint8_t *p, uint8_t *into, size_t n, uint32_t site)
{
	size_t head = -(uintptr_t)p & 7;

	head = head < n ? head : n;
	parts_read(t, p, into, head, site);
	for (; n - head >= 8; head += 8)
		access_store(into + head, 3, part_read(t, p + head, 3, site));
	parts_read(t, p + head, into + head, n - head, site);
}

/* Elements that are far from each other are in different cache lines, their tags and their entries of
 * the filter too: what is read so many elements later is fetched now. */
#define AHEAD 8

INLINE void element_expect(const struct thread *t, const uint8_t *p)
{
	__builtin_prefetch(filter_at(t, p), 1);
	__builtin_prefetch(filter_value(t, p));
}

/* One element after the other, that are aligned and of a size that there is a hook for. */
INLINE void elements_read(struct thread *t, const struct foresee_lane *l, uint8_t *into, uint64_t k,
			  unsigned log2)
{
	const uint8_t *p = l->p;
	int64_t stride = l->stride;
	uint32_t site = l->site;

	for (; k > 0; k--, p += stride, into += (size_t)1 << log2) {
		element_expect(t, p + AHEAD * stride);
		access_store(into, log2, part_read(t, p, log2, site));
	}
}

static bool is_aligned(const struct foresee_lane *l, unsigned log2)
{
	return l->size == 1u << log2 &&
	       (((uintptr_t)l->p | (uint64_t)l->stride) & (l->size - 1)) == 0;
}

static void parts_write(struct thread *t, uint8_t *p, const uint8_t *from, size_t n, uint32_t site,
			const uint64_t *keepers, uint64_t mask)
{
	while (n > 0) {
		unsigned log2 = part_log2(p, n);
		size_t bytes = (size_t)1 << log2;
		uint64_t x = access_load(from, log2);

		if (CONTROLLED(t))
			control_access(t, p, bytes, site, CONTROL_WRITES, x);
		if (CONTROL_BARE(t))
			access_store(p, log2, x);
		else
			word_write(t, p, log2, x, site, keepers, mask);
		p += bytes;
		from += bytes;
		n -= bytes;
	}
}

static void lane_read(struct thread *t, const struct foresee_lane *l, uint64_t k)
{
	uint8_t *into = lane_bytes(l, k);

	if (l->flags & (FORESEE_LANE_FREE | FORESEE_LANE_ONCE)) {
		range_read(t, lane_low(l, k), into, k * l->size, l->site,
			   l->flags & FORESEE_LANE_FREE);
	} else if (lane_is_range(l)) {
		words_read(t, lane_low(l, k), into, k * l->size, l->site);
	} else if (is_aligned(l, 3)) {
		elements_read(t, l, into, k, 3);
	} else if (is_aligned(l, 2)) {
		elements_read(t, l, into, k, 2);
	} else {
		for (uint64_t i = 0; i < k; i++, into += l->size)
			parts_read(t, l->p + (int64_t)i * l->stride, into, l->size, l->site);
	}
}

/* What feeds a write: reads before the loop, and the free reads of this portion. */
static unsigned lane_feeds(const struct foresee_loop *loop, const struct foresee_lane *l,
			   uint64_t feeds[LOG_FEEDS])
{
	unsigned n = loop->keepers != NULL ? log_feed_gather(loop->keepers, l->mask, feeds) : 0;

	if (l->flags & FORESEE_LANE_FED) {
		ASSERT_RECORDING(n < LOG_FEEDS); /* the pass allows for it */
		feeds[n < LOG_FEEDS ? n++ : 0] = loop->first;
	}
	return n;
}

static void lane_write(struct thread *t, const struct foresee_loop *loop,
		       const struct foresee_lane *l, uint64_t k)
{
	const uint8_t *from = lane_bytes(l, k);
	uint64_t feeds[LOG_FEEDS];

	if (lane_is_range(l)) {
		range_write_whole(t, lane_low(l, k), from, k * l->size, l->site, feeds,
				  lane_feeds(loop, l, feeds));
		return;
	}
	for (uint64_t i = 0; i < k; i++, from += l->size)
		parts_write(t, l->p + (int64_t)i * l->stride, from, l->size, l->site,
			    l->mask != 0 ? loop->keepers : NULL, l->mask);
}

/* Nothing is recorded any more. */
static void lane_bare(const struct foresee_lane *l, uint64_t k, bool writes)
{
	uint8_t *bytes = l->buffer;
	int64_t step = l->flags & FORESEE_LANE_DOWN ? -(int64_t)l->size : l->size;

	for (uint64_t i = 0; i < k; i++) {
		uint8_t *p = l->p + (int64_t)i * l->stride;

		if (writes)
			memcpy(p, bytes + (int64_t)i * step, l->size);
		else
			memcpy(bytes + (int64_t)i * step, p, l->size);
	}
}

/* ---- portions ---- */

/* All lanes that read, free ones first: a write names the first, and means all (range_write_whole). */
static void portion_read(struct thread *t, struct foresee_loop *l, uint64_t k)
{
	if (t != NULL)
		l->first = t->tseq + 1;
	for (int free_read = 1; free_read >= 0; free_read--)
		for (uint64_t i = 0; i < l->nlanes; i++) {
			const struct foresee_lane *lane = &l->lanes[i];

			if ((lane->flags & FORESEE_LANE_WRITES) ||
			    ((lane->flags & FORESEE_LANE_FREE) != 0) != free_read)
				continue;
			if (t != NULL)
				lane_read(t, lane, k);
			else
				lane_bare(lane, k, false);
		}
}

static void portion_write(struct thread *t, struct foresee_loop *l, uint64_t k)
{
	for (uint64_t i = 0; i < l->nlanes; i++) {
		if (!(l->lanes[i].flags & FORESEE_LANE_WRITES))
			continue;
		if (t != NULL)
			lane_write(t, l, &l->lanes[i], k);
		else
			lane_bare(&l->lanes[i], k, true);
	}
}

/* Lane i's room in the buffer belongs to the loop until it is over.  DOWN: its last bytes are first. */
static void portion_place(struct foresee_lane *l, uint8_t *room, uint64_t k)
{
	l->buffer = room + (l->flags & FORESEE_LANE_DOWN && k != 0 ? (k - 1) * l->size : 0);
}

static uint64_t portion_size(const struct foresee_loop *l)
{
	uint64_t k = l->left;

	for (uint64_t i = 0; i < l->nlanes; i++)
		if (k > THREAD_LANE / l->lanes[i].size)
			k = THREAD_LANE / l->lanes[i].size;
	return k;
}

EXPORT uint64_t foresee_loop_begin(struct foresee_loop *l)
{
	struct thread *t = hook_enter();
	uint64_t k = 0;

	if (t == NULL)
		return 0;
	if (can_begin(t, l)) {
		t->loops = true;
		t->loop_depth = t->view.depth;
		l->portion = k = portion_size(l);
		for (uint64_t i = 0; i < l->nlanes; i++)
			portion_place(&l->lanes[i], t->lanes[i], k);
		portion_read(t, l, k);
	}
	hook_leave(t);
	return k;
}

/* The next portion; its bytes go where those of the one before were. */
static uint64_t portion_next(struct foresee_loop *l)
{
	uint64_t k = l->portion;

	l->left -= k;
	l->portion = portion_size(l);
	for (uint64_t i = 0; i < l->nlanes; i++) {
		struct foresee_lane *lane = &l->lanes[i];

		lane->p += (int64_t)k * lane->stride;
		portion_place(lane, lane_bytes(lane, k), l->portion);
	}
	return l->portion;
}

EXPORT uint64_t foresee_loop_next(struct foresee_loop *l)
{
	struct thread *t = hook_enter();
	uint64_t k;

	portion_write(t, l, l->portion);
	k = portion_next(l);
	if (k != 0)
		portion_read(t, l, k);
	if (t != NULL) {
		t->loops = k != 0;
		hook_leave(t);
	}
	return k;
}
