/*
 * The log: records of all sizes find room, in chunks that grow, close and follow one another; what is
 * refused stops the recording and not the program.
 */
#include "capture/log.h"

#include <pthread.h>
#include <string.h>

#include "capture/filter.h"
#include "capture/harness.h"
#include "capture/hooks.h"
#include "capture/sync.h"

#define ROUNDS 3000
#define THREADS 24u /* more than a record can name */

static _Alignas(64) uint8_t area[8192], model[8192];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Nothing is written past the end of the chunk's slot; and what is in it has been counted. */
static void log_look(const struct thread *t)
{
	const uint8_t *from = (const uint8_t *)t->chunk, *to;

	if (t->chunk == NULL || t->muted) /* it records nothing, or no more */
		return;
	to = from + file_slot_bytes(t->size);
	CAPTURE_CHECK(t->cursor >= from + sizeof(*t->chunk) && t->cursor <= to,
		      "%td bytes in a slot of %td", t->cursor - from, to - from);
	CAPTURE_CHECK(filter_check(t), "a filter that is not what it must be");
	CAPTURE_CHECK(t->chunk->first_tseq <= t->tseq + 1, "the chunk begins at %ju, after %ju",
		      (uintmax_t)t->chunk->first_tseq, (uintmax_t)t->tseq);
}

static void range(void)
{
	size_t n = 1 + capture_random(capture_random(8) == 0 ? 4096 : 64);
	size_t at = capture_random((uint32_t)(sizeof(area) - n));

	memset(model + at, (int)n, n);
	foresee_write_range(area + at, model + at, n, 0, NULL, 0);
}

static void words(void)
{
	static const char name[SYNC_NAME + 1] = { [0 ... SYNC_NAME - 1] = 'n' };
	static const uint64_t args[SYNC_WORDS] = { UINT64_MAX, 1, 0, UINT64_MAX >> 1 };
	struct thread *t = hook_enter();

	if (t == NULL)
		return;
	sync_words(t, FORMAT_K_USER, 0, name + capture_random(SYNC_NAME), args,
		   capture_random(SYNC_WORDS + 1));
	hook_leave(t);
}

/* The program has called and returned; a handler may have come while it set these. */
static void stack(void)
{
	struct foresee_view *view = &thread_self()->view;

	if (thread_self()->chunk == NULL)
		return;
	view->depth = capture_random(6);
	view->low = capture_random(8);
}

static void one(void *unused)
{
	uint64_t before = thread_self()->tseq;

	(void)unused;
	stack();
	switch (capture_random(4)) {
	case 0:
		range();
		break;
	case 1:
		words();
		break;
	case 2:
		pthread_mutex_lock(&lock);
		foresee_write8(area, 0, 0);
		memset(model, 0, 8);
		pthread_mutex_unlock(&lock);
		break;
	default:
		CAPTURE_CHECK(foresee_read1(area + 100, 0) == model[100], "another byte");
		return;
	}
	CAPTURE_CHECK(thread_self()->tseq > before || !log_is_on(), "nothing was counted");
	log_look(thread_self());
}

static void rounds(int n)
{
	crew_start(THREADS);
	for (int i = 0; i < n; i++)
		crew_do(capture_random(THREADS), one, NULL);
	CAPTURE_CHECK(memcmp(area, model, sizeof(area)) == 0, "not as it was written");
	crew_end();
}

static void many(void)
{
	rounds(ROUNDS);
	CAPTURE_CHECK(log_is_on(), "the recording has stopped");
}

static void some(void)
{
	rounds(ROUNDS / 20);
}

/* No larger slots, no new ones: chunks stay small, and the recording goes on. */
static void starving(void)
{
	crew_start(THREADS);
	for (unsigned i = 0; i < THREADS; i++)
		crew_do(i, one, NULL);
	capture_starve(true);
	for (int i = 0; i < ROUNDS; i++)
		crew_do(capture_random(THREADS), one, NULL);
	CAPTURE_CHECK(memcmp(area, model, sizeof(area)) == 0, "not as it was written");
	capture_starve(false);
	crew_end();
}

/* What must hold of a thread's log does not: the recording stops, says so, and all goes on. */
static void break_chunk(void *unused)
{
	(void)unused;
	thread_self()->nchunks += 7;
}

static void break_table(void *unused)
{
	(void)unused;
	thread_self()->index = UINT32_MAX;
}

static void broken(void (*how)(void *))
{
	crew_start(3);
	for (int i = 0; i < 200; i++) {
		if (i == 100)
			crew_do(1, how, NULL);
		crew_do((unsigned)i % 3, one, NULL);
	}
	CAPTURE_CHECK(memcmp(area, model, sizeof(area)) == 0, "not as it was written");
	crew_end();
	foresee_write8(area, 1, 0);
	CAPTURE_CHECK(area[0] == 1, "not written");
}

static void broken_chunk(void)
{
	broken(break_chunk);
	CAPTURE_CHECK(!log_is_on(), "the recording goes on");
}

static void broken_table(void)
{
	broken(break_table);
}

/* After trouble nothing is recorded, and all goes on as it did. */
static void trouble(void)
{
	crew_start(3);
	for (int i = 0; i < 200; i++) {
		if (i == 100)
			log_trouble("by this test", 0);
		crew_do(capture_random(3), one, NULL);
	}
	CAPTURE_CHECK(!log_is_on(), "it goes on");
	CAPTURE_CHECK(memcmp(area, model, sizeof(area)) == 0, "not as it was written");
	crew_end();
}

/* Bytes that a store takes in the log, where it comes again from its place. */
static ptrdiff_t store_bytes(void *p, uint64_t value, uint32_t site)
{
	const uint8_t *before = thread_self()->cursor;

	foresee_write8(p, value, site);
	return thread_self()->cursor - before;
}

/* Head, address and value in a byte each where they can be foreseen from the access before; the
 * self-check of the trace shows that they are read as they were written. */
static void short_records(void)
{
	static uint64_t fields[64];
	ptrdiff_t n;

	for (unsigned i = 0; i < 64; i = 3 * i + 2) { /* two after the other, here and there */
		foresee_write8(&fields[i], 0, 1);
		n = store_bytes(&fields[i + 1], 0, 2);
		CAPTURE_CHECK(i == 0 || n == 3, "an address beside the last one in %td bytes", n);
	}
	foresee_write8(&fields[1], 100000, 2);
	for (unsigned i = 1; i <= 50; i++) { /* a counter, either way */
		uint64_t was = foresee_read8(&fields[1], 3);

		n = store_bytes(&fields[1], i % 2 == 0 ? was + i : was - i, 2);
		CAPTURE_CHECK(n == 3, "a step of %u in %td bytes", i, n);
	}
}

static const struct capture_case cases[] = {
	{ .name = "a chunk is broken",
	  .run = broken_chunk,
	  .trouble = "recorder finds its data broken, src/capture/log_" },
	{ .name = "a table is broken",
	  .run = broken_table,
	  .trouble = "recorder finds its data broken, src/capture/log_" },
	{ .name = "records of all sizes", .run = many },
	{ .name = "in small chunks", .run = many, .cut = "4096" },
	{ .name = "in areas", .run = many, .cut = "8192", .options = "keep=4194304\n" },
	{ .name = "short records", .run = short_records },
	{ .name = "no memory", .run = starving },
	{ .name = "trouble", .run = trouble, .trouble = "by this test" },
	{ .name = "each call fails", .run = some, .calls = true, .steps = true },
	{ .name = "each call fails, in small chunks",
	  .run = some,
	  .cut = "4096",
	  .calls = true,
	  .steps = true },
};

int main(int argc, char **argv)
{
	return CAPTURE_MAIN(argc, argv, cases);
}
