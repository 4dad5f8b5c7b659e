/*
 * A loop on a buffer leaves memory as the loop itself does, whoever wrote the words before and however
 * its lanes overlap; and it runs that way whenever it can.
 *
 * The reference is the loop, iteration by iteration, on a second array; whether a write meets a read of
 * another iteration is found byte by byte.  Traces are held to the self-check by the harness.
 */
#include <string.h>

#include "capture/harness.h"
#include "capture/hooks.h"
#include "capture/thread.h"

#define SIZE 8192u
#define THREADS 20u /* more than FORMAT_PEERS */
#define ROUNDS 3000

static _Alignas(64) uint8_t area[SIZE], model[SIZE];
static unsigned accepted, refused;

/* The bytes of lane l in iteration i, as an offset. */
static size_t offset_of(const struct foresee_lane *l, uint64_t i)
{
	return (size_t)(l->p - area + (int64_t)i * l->stride);
}

static uint8_t sum_of(uint8_t sum, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sum = (uint8_t)(sum * 31 + p[i]);
	return sum;
}

/* Fills in one that lies within the area for n iterations. */
static void lane_random(struct foresee_lane *l, uint64_t n, bool writes)
{
	static const uint32_t sizes[] = { 1, 2, 4, 8, 16, 32, 12 };
	int64_t strides[] = { 0, 0, 0, -1, 24, -40, 3 };
	size_t span, low;

	l->size = sizes[capture_random(7)];
	strides[0] = strides[1] = l->size;
	strides[2] = 2 * (int64_t)l->size;
	strides[3] *= l->size;
	l->stride = strides[capture_random(7)];
	if ((n + 1) * (uint64_t)(l->stride < 0 ? -l->stride : l->stride) + l->size > SIZE / 2)
		l->stride = l->size = 1;
	span = (size_t)(l->stride < 0 ? -l->stride : l->stride) * (n - 1);
	low = capture_random(4) == 0 ? 64 : capture_random(SIZE - (uint32_t)(span + l->size));
	l->p = area + low + (l->stride < 0 ? span : 0);
	l->flags = writes ? FORESEE_LANE_WRITES : 0;
	if (l->stride == l->size)
		l->flags |= FORESEE_LANE_TIGHT |
			    (!writes && capture_random(2) ? FORESEE_LANE_FREE : 0) |
			    (capture_random(2) ? FORESEE_LANE_ONCE : 0);
	else if (l->stride == -(int64_t)l->size && !writes)
		l->flags |= FORESEE_LANE_DOWN;
}

static void loop_random(struct foresee_loop *l)
{
	bool writes = capture_random(4) != 0;

	memset(l, 0, sizeof(*l));
	l->left = capture_random(3) ? 8 + capture_random(200) : capture_random(12) + 1;
	l->nlanes = 1 + capture_random(3) + writes;
	for (uint32_t i = 0; i < l->nlanes; i++) {
		bool last = writes && i + 1 == l->nlanes;

		lane_random(&l->lanes[i], l->left, last);
		l->lanes[i].at = last ? capture_random((uint32_t)l->nlanes + 1) : i;
		if (i > 0 && capture_random(3) == 0) { /* near another, by the same stride */
			uint8_t *p = l->lanes[0].p + (int)capture_random(33) - 16;
			uint32_t flags = l->lanes[i].flags, at = l->lanes[i].at;

			if (p < area + 64 || p > area + SIZE / 2 || l->lanes[0].stride < 0)
				continue;
			l->lanes[i] = l->lanes[0];
			l->lanes[i].p = p;
			l->lanes[i].at = at;
			l->lanes[i].flags &= ~(FORESEE_LANE_WRITES | FORESEE_LANE_FREE);
			l->lanes[i].flags |= flags & FORESEE_LANE_WRITES;
		}
	}
	for (uint32_t i = 0; i < l->nlanes; i++)
		if ((l->lanes[i].flags & FORESEE_LANE_FREE) && writes &&
		    (l->lanes[l->nlanes - 1].flags & FORESEE_LANE_TIGHT))
			l->lanes[l->nlanes - 1].flags |= FORESEE_LANE_FED;
}

static bool meets(size_t a, size_t na, size_t b, size_t nb)
{
	return a < b + nb && b < a + na;
}

/* Does a write touch what another iteration reads, or what its own reads afterwards? */
static bool conflicts(const struct foresee_loop *l)
{
	const struct foresee_lane *w = &l->lanes[l->nlanes - 1];

	for (uint32_t r = 0; r + 1 < l->nlanes && (w->flags & FORESEE_LANE_WRITES); r++)
		for (uint64_t i = 0; i < l->left; i++)
			for (uint64_t k = 0; k < l->left; k++)
				if ((i != k || l->lanes[r].at >= w->at) &&
				    meets(offset_of(w, i), w->size, offset_of(&l->lanes[r], k),
					  l->lanes[r].size))
					return true;
	return false;
}

static bool has_one_stride(const struct foresee_loop *l)
{
	for (uint32_t i = 1; i < l->nlanes; i++)
		if (l->lanes[i].stride != l->lanes[0].stride)
			return false;
	return true;
}

/* One iteration: reads give a sum, the sum is written.  bytes[lane]: where they are. */
static uint8_t iteration(const struct foresee_loop *l, uint8_t *const bytes[], uint8_t sum)
{
	for (uint32_t n = 0; n < l->nlanes; n++)
		if (!(l->lanes[n].flags & FORESEE_LANE_WRITES))
			sum = sum_of(sum, bytes[n], l->lanes[n].size);
	for (uint32_t n = 0; n < l->nlanes; n++)
		for (uint32_t i = 0;
		     (l->lanes[n].flags & FORESEE_LANE_WRITES) && i < l->lanes[n].size; i++)
			bytes[n][i] = (uint8_t)(sum + i);
	return sum;
}

static uint8_t run_on(const struct foresee_loop *l, uint8_t *memory)
{
	uint8_t *bytes[FORESEE_LANES], sum = 0;

	for (uint64_t i = 0; i < l->left; i++) {
		for (uint32_t n = 0; n < l->nlanes; n++)
			bytes[n] = memory + offset_of(&l->lanes[n], i);
		sum = iteration(l, bytes, sum);
	}
	return sum;
}

/* As the pass has it. */
static uint8_t run_buffer(struct foresee_loop *l, uint64_t portion)
{
	uint8_t *bytes[FORESEE_LANES], sum = 0;

	for (; portion != 0; portion = foresee_loop_next(l))
		for (uint64_t i = 0; i < portion; i++) {
			for (uint32_t n = 0; n < l->nlanes; n++) {
				const struct foresee_lane *lane = &l->lanes[n];

				bytes[n] = lane->flags & FORESEE_LANE_DOWN
						   ? lane->buffer - i * lane->size
						   : lane->buffer + i * lane->size;
			}
			sum = iteration(l, bytes, sum);
		}
	return sum;
}

static void loop(void *arg)
{
	struct foresee_loop l, ran;
	uint8_t sum, was;
	uint64_t portion;
	bool bad;

	(void)arg;
	loop_random(&l);
	ran = l;
	bad = conflicts(&l);
	portion = foresee_loop_begin(&ran);
	CAPTURE_CHECK(portion == 0 || !bad, "runs though a write meets a read");
	CAPTURE_CHECK(portion != 0 || bad || !has_one_stride(&l) || l.left < FORESEE_LOOP_LEAST,
		      "does not run though it could");
	if (portion == 0) {
		refused++;
		return;
	}
	accepted++;
	was = run_on(&l, model);
	sum = run_buffer(&ran, portion);
	CAPTURE_CHECK(sum == was, "sum %u, is %u", was, sum);
	CAPTURE_CHECK(memcmp(area, model, SIZE) == 0, "memory differs");
	CAPTURE_CHECK(ran.left == 0, "%lu iterations are left", (unsigned long)ran.left);
}

static void store(void *arg)
{
	uint32_t at = capture_random(SIZE - 64), n = capture_random(64) + 1;
	uint8_t bytes[64];

	(void)arg;
	for (uint32_t i = 0; i < n; i++)
		bytes[i] = (uint8_t)capture_random(256);
	foresee_write_range(area + at, bytes, n, 0, NULL, 0);
	memcpy(model + at, bytes, n);
}

static void loops(void)
{
	crew_start(THREADS);
	for (int i = 0; i < ROUNDS; i++)
		crew_do(capture_random(THREADS), capture_random(3) ? loop : store, NULL);
	crew_end();
	CAPTURE_CHECK(accepted > ROUNDS / 5 && refused > ROUNDS / 20, "%u accepted, %u refused",
		      accepted, refused);
}

/* A loop of a handler that interrupts another leaves its buffer alone; one that was jumped out of does
 * not keep later ones from running. */
static void nested(void)
{
	struct foresee_loop outer = { .left = 100, .nlanes = 1 }, inner;
	uint64_t portion;

	outer.lanes[0] = (struct foresee_lane){
		.p = area, .stride = 8, .size = 8, .flags = FORESEE_LANE_TIGHT
	};
	inner = outer;
	area[17] = 3;
	portion = foresee_loop_begin(&outer);
	CAPTURE_CHECK(portion == 100, "one portion of 100");
	foresee_self->depth++;
	CAPTURE_CHECK(foresee_loop_begin(&inner) == 0, "a handler's loop runs on the same buffer");
	foresee_self->depth--;
	CAPTURE_CHECK(outer.lanes[0].buffer[17] == 3, "the buffer has what was read");
	CAPTURE_CHECK(foresee_loop_begin(&inner) == 100, "one that was left is in the way");
	CAPTURE_CHECK(foresee_loop_next(&inner) == 0, "it is over");
}

/* Addresses that wrap round, and counts that no memory has. */
static void absurd(void)
{
	struct foresee_loop l = { .left = UINT64_MAX, .nlanes = 1 };

	l.lanes[0] = (struct foresee_lane){
		.p = area, .stride = 8, .size = 8, .flags = FORESEE_LANE_TIGHT
	};
	CAPTURE_CHECK(foresee_loop_begin(&l) == 0, "2^64 - 1 iterations");
	l.left = 0;
	CAPTURE_CHECK(foresee_loop_begin(&l) == 0, "2^64 iterations");
	l.left = 1ull << 62;
	CAPTURE_CHECK(foresee_loop_begin(&l) == 0, "2^62 times 8 bytes");
	l.left = 16;
	l.lanes[0].flags = 0;
	l.lanes[0].stride = INT64_MIN;
	CAPTURE_CHECK(foresee_loop_begin(&l) == 0, "a stride that has no opposite");
}

static const struct capture_case cases[] = {
	{ .name = "loops", .run = loops },
	{ .name = "loops, all logged", .run = loops, .options = "full" },
	{ .name = "nested", .run = nested },
	{ .name = "absurd", .run = absurd },
};

int main(int argc, char **argv)
{
	return CAPTURE_MAIN(argc, argv, cases);
}
