/*
 * Windows over a recording cover all of it, overlap by half, and lie where they lay when the
 * recording was shorter.  A snapshot reads as what it was made from.
 */
#include "recording/windows.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/mem.h"
#include "sim.h"
#include "tap.h"
#include "recording/snapshot.h"
#include "trace/trace.h"
#include "trace_builder.h"

static char path[64];

/* ---- where windows lie ---- */

struct list {
	VEC(uint64_t) from, to;
};

static void list_release(struct list *l)
{
	VEC_RELEASE(&l->from);
	VEC_RELEASE(&l->to);
}

static void list_make(const struct windows *w, uint64_t size, struct list *out)
{
	uint64_t from = 0, to;

	do {
		to = windows_end(w, from, size);
		*VEC_PUSH(&out->from) = from;
		*VEC_PUSH(&out->to) = to;
		from = to ? windows_next(w, from, to) : from;
	} while (to);
}

static bool is_cover(const struct windows *w, const struct list *l, uint64_t size)
{
	for (size_t i = 0; i < l->from.n; i++) {
		uint64_t from = l->from.at[i], to = l->to.at[i];

		if (i + 1 == l->from.n)
			return to == 0;
		/* The next begins inside, behind the start, and no later than half of it. */
		if (l->from.at[i + 1] <= from || l->from.at[i + 1] >= to)
			return false;
		if (to - from > 2 && l->from.at[i + 1] > from + 1 &&
		    w->upto.at[l->from.at[i + 1]] - w->upto.at[from] >
			    (w->upto.at[to] - w->upto.at[from]) / 2)
			return false;
		/* As long as asked, and not a cut longer. */
		if (w->upto.at[to] - w->upto.at[from] < size)
			return false;
		if (to > from + 2 && w->upto.at[to - 1] - w->upto.at[from] >= size)
			return false;
	}
	return false;
}

static bool is_prefix(const struct list *shorter, const struct list *longer)
{
	for (size_t i = 0; i + 1 < shorter->from.n; i++)
		if (shorter->from.at[i] != longer->from.at[i] ||
		    shorter->to.at[i] != longer->to.at[i])
			return false;
	return true;
}

static void test_plan(void)
{
	uint64_t random = 1;
	int uncovered = 0, moved = 0;

	for (int round = 0; round < 2000; round++) {
		uint64_t size = 1 + sim_random(&random) % 500, cuts = sim_random(&random) % 60;
		struct list before = { 0 }, after = { 0 };
		struct windows w = { 0 };

		*VEC_PUSH(&w.upto) = 0;
		for (uint64_t k = 0, sum = 0; k < cuts; k++) {
			sum += sim_random(&random) % 100;
			*VEC_PUSH(&w.upto) = sum;
		}
		list_make(&w, size, &after);
		uncovered += !is_cover(&w, &after, size);
		w.upto.n = 1 + sim_random(&random) % (cuts + 1);
		list_make(&w, size, &before);
		moved += !is_prefix(&before, &after);
		list_release(&before);
		list_release(&after);
		VEC_RELEASE(&w.upto);
	}
	TAP_EQ(uncovered, 0, "windows cover the recording and overlap");
	TAP_EQ(moved, 0, "and stay where they are when it grows");
}

/* ---- snapshots ---- */

/* A sum over all that is read, in its order.  Of what stands at the start for the past (tseq 0) where
 * stacks lie is known only while the first chunks of the threads are there. */
static bool trace_sum(const char *name, uint64_t from, uint64_t to, uint64_t *events, uint64_t *sum)
{
	struct trace_options how = { .from_cut = from, .to_cut = to };
	struct diag d = { 0 };
	struct trace *t;
	struct event e;
	enum status st;

	*events = *sum = 0;
	if (trace_open(name, &how, &t, &d) != ST_OK)
		return false;
	while ((st = trace_next(t, &e, &d)) == ST_OK) {
		bool known = e.tseq != 0;
		uint64_t parts[] = {
			e.pos, e.tid, e.tseq, e.op, known ? e.addr : 0, known ? e.len : 0, e.nrefs
		};

		for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
			*sum = (*sum ^ parts[i]) * 0x100000001b3u;
		++*events;
	}
	trace_close(t);
	return st == ST_END;
}

static bool is_same(uint64_t from, uint64_t to)
{
	uint64_t events[2] = { 0 }, sum[2] = { 0 };
	struct snapshot s;
	struct windows w;
	bool same;

	if (!windows_open(&w, path))
		return false;
	if (to > windows_last(&w) || from > windows_last(&w))
		from = to = 0;
	same = snapshot_make(&s, &w, from, to) && trace_sum(path, from, to, &events[0], &sum[0]) &&
	       trace_sum(s.path, from, to, &events[1], &sum[1]) && events[0] == events[1] &&
	       sum[0] == sum[1];
	if (!same)
		printf("# cuts %llu to %llu of %llu: %llu events, %llu in the snapshot\n",
		       (unsigned long long)from, (unsigned long long)to,
		       (unsigned long long)windows_last(&w), (unsigned long long)events[0],
		       (unsigned long long)events[1]);
	snapshot_close(&s);
	windows_close(&w);
	return same;
}

static void test_random(void)
{
	int whole = 0, parts = 0, rounds = getenv("LONG") ? 2000 : 200;

	for (int seed = 1; seed <= rounds; seed++) {
		struct builder *b = builder_new(0);
		struct sim_result r;
		size_t n;
		const uint8_t *bytes;

		sim_run(b, (uint64_t)seed, 400, &r);
		bytes = builder_bytes(b, &n);
		builder_save(path, bytes, n);
		whole += !is_same(0, 0);
		/* Others leave chunks out; what these tell late, and when they were closed, may
		 * place events otherwise. */
		for (uint64_t from = 0; from <= 3; from++)
			parts += !is_same(from, 0);
		builder_free(b);
	}
	TAP_EQ(whole, 0, "a snapshot of all reads as the recording does");
	TAP_EQ(parts, 0, "and one of a part as that part does");
}

/* Chunks in slots, as while the program runs. */
static void test_open(void)
{
	struct version init = { 0 };
	struct builder *b = builder_new(0);
	const uint8_t *bytes;
	struct windows w;
	size_t n;

	builder_thread(b, 1, 0, 0);
	for (int i = 0; i < 10; i++)
		builder_write(b, 1, 1, 0x10000 + 8u * (unsigned)i, 8, &init, 7, 0, NULL, 0);
	builder_close_chunk(b, 1, 0);
	builder_write(b, 1, 1, 0x20000, 8, &init, 7, 0, NULL, 0);
	builder_fork(b, 1, 2);
	builder_slots(b, 8192);
	bytes = builder_bytes(b, &n);
	builder_save(path, bytes, n);
	TAP_OK(is_same(0, 0), "open chunks are in a snapshot");
	TAP_OK(windows_open(&w, path), "opens");
	TAP_OK(w.bytes > 11 * 4 && w.bytes < n, "records in slots are counted");
	TAP_EQ(windows_last(&w), 0, "no cut");
	windows_close(&w);
	builder_save(path, "no recording", 12);
	TAP_OK(!windows_open(&w, path), "something else is not opened");
	builder_free(b);
}

int main(void)
{
	snprintf(path, sizeof(path), "/tmp/foresee-windows-%ld", (long)getpid());
	test_plan();
	test_random();
	test_open();
	unlink(path);
	return tap_done();
}
