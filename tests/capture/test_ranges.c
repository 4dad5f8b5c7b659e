/*
 * Every function on ranges does to memory what libc's does, whoever wrote the words before and however
 * source and target overlap.
 *
 * The reference is libc on a second array.  There are more threads than a record can name
 * (FORMAT_PEERS), and they take turns at random, so that a range has words of many writers and
 * is handled in many pieces.
 */
#include "capture/range.h"

#include <string.h>
#include <sys/syscall.h>

#include "capture/harness.h"
#include "capture/hooks.h"
#include "capture/sync.h"

#define SIZE 2048u
#define THREADS 40u /* more than twice FORMAT_PEERS */
#define ROUNDS 6000

static _Alignas(64) uint8_t area[SIZE], model[SIZE];
static _Alignas(64) uint8_t large[3 * THREAD_PIECE], large_model[3 * THREAD_PIECE];

/* One operation on [to, to + n), some with a source. */
struct call {
	uint8_t *area, *model;
	size_t to, from, n;
	uint8_t byte;
};

static void bytes_random(uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)capture_random(4) == 0 ? 0 : (uint8_t)capture_random(256);
}

static void scalar(struct call *c)
{
	uint64_t x = c->byte * 0x0102030405060708u;
	uint8_t *p = c->area + c->to, *m = c->model + c->to;

	switch (capture_random(4)) {
	case 0:
		foresee_write1(p, (uint8_t)x, 0);
		memcpy(m, &x, 1);
		break;
	case 1:
		foresee_write2(p, (uint16_t)x, 0);
		memcpy(m, &x, 2);
		break;
	case 2:
		foresee_write4(p, (uint32_t)x, 0);
		memcpy(m, &x, 4);
		break;
	default:
		foresee_write8(p, x, 0);
		memcpy(m, &x, 8);
	}
}

static void store(struct call *c)
{
	uint8_t bytes[sizeof(large)];

	bytes_random(bytes, c->n);
	foresee_write_range(c->area + c->to, bytes, c->n, 0, NULL, 0);
	memcpy(c->model + c->to, bytes, c->n);
}

static void copy(struct call *c)
{
	size_t apart = c->to > c->from ? c->to - c->from : c->from - c->to;
	size_t n = apart < c->n ? apart : c->n; /* memcpy allows no overlap */

	foresee_copy(c->area + c->to, c->area + c->from, n, 0);
	memcpy(c->model + c->to, c->model + c->from, n);
}

static void move(struct call *c)
{
	foresee_move(c->area + c->to, c->area + c->from, c->n, 0);
	memmove(c->model + c->to, c->model + c->from, c->n);
}

static void fill(struct call *c)
{
	foresee_fill(c->area + c->to, c->byte, c->n, 0, NULL, 0);
	memset(c->model + c->to, c->byte, c->n);
}

static void load(struct call *c)
{
	uint8_t bytes[sizeof(large)];

	memset(bytes, 1, sizeof(bytes));
	foresee_read_range(c->area + c->from, bytes, c->n, 0, NULL);
	CAPTURE_CHECK(memcmp(bytes, c->model + c->from, c->n) == 0, "read %zu + %zu", c->from,
		      c->n);
}

static void string(struct call *c)
{
	struct thread *t = hook_enter();
	size_t length;

	CAPTURE_CHECK(t != NULL, "not recording");
	length = range_string(t, (char *)c->area + c->from, c->n, 0);
	hook_leave(t);
	CAPTURE_CHECK(length == strnlen((char *)c->model + c->from, c->n), "string at %zu",
		      c->from);
}

/* The kernel writes, and it is told afterwards, or not told what. */
static void unseen(struct call *c)
{
	struct thread *t = hook_enter();

	CAPTURE_CHECK(t != NULL, "not recording");
	bytes_random(c->model + c->to, c->n);
	memcpy(c->area + c->to, c->model + c->to, c->n);
	if (c->byte % 2 == 0)
		range_wrote(t, c->area + c->to, c->n, 0);
	else
		range_hidden(t, c->area + c->to, c->n, 0, c->byte % 4 == 1);
	hook_leave(t);
}

static void wide(struct call *c)
{
	size_t at = c->to & ~(size_t)15;
	uint8_t x[16], was[16], seen[16];
	bool swapped;

	bytes_random(x, 16);
	memcpy(was, c->model + at, 16);
	foresee_aread16(c->area + at, seen, __ATOMIC_ACQUIRE, 0);
	CAPTURE_CHECK(memcmp(seen, was, 16) == 0, "16 bytes at %zu", at);
	if (c->byte % 3 == 0)
		was[c->byte % 16] ^= 1; /* it fails */
	if (c->byte % 4 != 0) {
		swapped =
			foresee_acas16(c->area + at, was, x, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED, 0);
		CAPTURE_CHECK(swapped == (c->byte % 3 != 0) && memcmp(was, seen, 16) == 0,
			      "exchange at %zu", at);
	} else {
		foresee_awrite16(c->area + at, x, __ATOMIC_RELEASE, 0);
		swapped = true;
	}
	if (swapped)
		memcpy(c->model + at, x, 16);
}

static void (*const operations[])(struct call *) = { scalar, scalar, store, copy,   move,   move,
						     fill,   load,   load,  string, unseen, wide };

static void one(void *arg)
{
	operations[capture_random(sizeof(operations) / sizeof(operations[0]))](arg);
}

static void round_run(uint8_t *a, uint8_t *m, size_t size, size_t most)
{
	struct call c = { .area = a, .model = m, .byte = (uint8_t)capture_random(256) };

	c.n = 1 + capture_random((uint32_t)most);
	c.to = capture_random((uint32_t)(size - c.n - 16));
	c.from = capture_random((uint32_t)(size - c.n - 16));
	if (capture_random(3) == 0) /* near each other, either way */
		c.from = c.to < 8 ? c.to + 3 : c.to - 8 + capture_random(16);
	if (c.from + c.n > size)
		c.from = size - c.n;
	crew_do(capture_random(THREADS), one, &c);
	CAPTURE_CHECK(memcmp(a, m, size) == 0, "to %zu from %zu, %zu bytes: not as libc does it",
		      c.to, c.from, c.n);
}

static void ranges(void)
{
	crew_start(THREADS);
	for (int i = 0; i < ROUNDS; i++)
		round_run(area, model, SIZE, i % 8 == 0 ? SIZE / 2 : 64);
	crew_end();
}

/* More than one piece of any kind. */
static void large_ranges(void)
{
	crew_start(THREADS);
	for (int i = 0; i < ROUNDS / 20; i++)
		round_run(large, large_model, sizeof(large), i % 2 == 0 ? 64 : SIZE);
	for (int i = 0; i < 40; i++) {
		struct call c = { .area = large, .model = large_model, .n = sizeof(large) - 256 };

		c.from = capture_random(256);
		c.to = capture_random(256);
		c.byte = (uint8_t)i;
		crew_do(capture_random(THREADS), one, &c);
		crew_do(capture_random(THREADS), (void (*)(void *))move, &c);
		CAPTURE_CHECK(memcmp(large, large_model, sizeof(large)) == 0,
			      "to %zu from %zu: not as libc does it", c.to, c.from);
	}
	crew_end();
}

/*
 * A chunk goes to the file while a hook is at work: nobody may have been able to name an event of
 * that hook yet, for the program may be killed here.
 */
static unsigned long looks;

static void look_at(const struct thread *t, const void *p)
{
	tag_version v = __atomic_load_n(tag_of(p), __ATOMIC_RELAXED);

	CAPTURE_CHECK(tag_tid(v) != t->tid || tag_tseq(v) <= t->tseq,
		      "event %ju can be named and is not there", (uintmax_t)tag_tseq(v));
}

static void look(long number)
{
	struct thread *t = thread_self();

	if (number != SYS_pwrite64 || !thread_is_inside(t))
		return;
	looks++;
	look_at(t, &range_chain);
	for (size_t i = 0; i < SIZE; i += 8)
		look_at(t, area + i);
}

/* Blocks so big that their tags are not written: all have one object. */
static void big_blocks(void *unused)
{
	static _Alignas(4096) uint8_t block[2][1 << 16];

	(void)unused;
	for (unsigned i = 0; i < 20; i++) {
		struct thread *t = hook_enter();
		void *p = block[capture_random(2)];

		CAPTURE_CHECK(t != NULL, "not recording");
		range_alloc(t, p, sizeof(block[0]), FORMAT_ALLOC_MAP | FORMAT_ALLOC_BIG, 0);
		range_free(t, p, sizeof(block[0]), FORMAT_ALLOC_MAP | FORMAT_ALLOC_BIG, 0);
		hook_leave(t);
	}
}

static void frames(void)
{
	struct thread *t;

	capture_watch = look;
	crew_start(THREADS);
	for (int i = 0; i < ROUNDS / 2; i++) {
		round_run(area, model, SIZE, 64);
		if (i % 8 != 0)
			continue;
		foresee_frame(area + 64, 512, 0);
		t = hook_enter();
		CAPTURE_CHECK(t != NULL, "not recording");
		range_free(t, area + 640, 512, FORMAT_ALLOC_HEAP, 0);
		hook_leave(t);
	}
	for (int i = 0; i < ROUNDS / 10; i++)
		crew_do(capture_random(THREADS), big_blocks, NULL);
	crew_end();
	CAPTURE_CHECK(looks > 40, "only %lu chunks", looks);
}

static const struct capture_case cases[] = {
	{ .name = "ranges", .run = ranges },
	{ .name = "ranges in small chunks", .run = ranges, .cut = "4096" },
	{ .name = "all recorded", .run = ranges, .options = "full" },
	{ .name = "large ranges", .run = large_ranges },
	{ .name = "room before names", .run = frames, .cut = "4096" },
};

int main(int argc, char **argv)
{
	return CAPTURE_MAIN(argc, argv, cases);
}
