/*
 * The merging reader, held to the rules of doc/TRACE_FORMAT.md section 1 on
 * random executions: the order it yields is replayed on a memory, where every
 * version named must be the current one and every value read the bytes there.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/mem.h"
#include "replay.h"
#include "sim.h"
#include "tap.h"
#include "trace/trace.h"
#include "trace_builder.h"

#define PATH_MAX_ 64
static char path[PATH_MAX_];

/* Replays the trace at `path'; the status trace_next ended with. */
static enum status replay_file(struct replay *r, struct trace_info *info, struct diag *d)
{
	struct trace *t;
	struct event e;
	enum status st;

	memset(r, 0, sizeof(*r));
	d->message[0] = 0;
	st = trace_open(path, NULL, &t, d);
	if (st != ST_OK)
		return st;
	while ((st = trace_next(t, &e, d)) == ST_OK)
		replay_event(r, &e);
	*info = trace_info(t);
	info->notes = NULL;
	trace_close(t);
	return st;
}

static void test_random(unsigned cases)
{
	struct replay *r = mem_alloc(sizeof(*r));
	unsigned bad = 0;

	for (unsigned i = 0; i < cases && bad < 5; i++) {
		struct builder *b = builder_new(0);
		struct sim_result want;
		struct trace_info info;
		struct diag d;
		const uint8_t *bytes;
		enum status st;
		size_t n;

		sim_run(b, i, 20 + i % 400, &want);
		bytes = builder_bytes(b, &n);
		builder_save(path, bytes, n);
		st = replay_file(r, &info, &d);
		if (st != ST_END || r->wrong[0] || r->events != want.events ||
		    r->late != want.late || !info.complete) {
			bad++;
			printf("# case %u: status %d %s, %s, %llu of %llu events, %llu of %llu late%s\n",
			       i, st, d.message, r->wrong, (unsigned long long)r->events,
			       (unsigned long long)want.events, (unsigned long long)r->late,
			       (unsigned long long)want.late, info.complete ? "" : ", incomplete");
		}
		builder_free(b);
	}
	TAP_EQ(bad, 0, "%u random executions come back in a right order", cases);
	mem_free(r);
}

/* Whatever is cut off, what is yielded is a run of the program. */
static void test_truncated(void)
{
	struct replay *r = mem_alloc(sizeof(*r));
	unsigned bad = 0, cuts = 0;

	for (unsigned i = 0; i < 3; i++) {
		struct builder *b = builder_new(0);
		struct sim_result want;
		const uint8_t *bytes;
		size_t n;

		sim_run(b, 100 + i, 120, &want);
		bytes = builder_bytes(b, &n);
		for (size_t k = 1; k < n && bad < 5; k++, cuts++) {
			struct trace_info info;
			struct diag d;
			enum status st;

			builder_save(path, bytes, k);
			st = replay_file(r, &info, &d);
			if (st != ST_END || r->wrong[0] || (info.complete && k + 64 < n)) {
				bad++;
				printf("# cut at %zu of %zu: status %d %s %s\n", k, n, st,
				       d.message, r->wrong);
			}
		}
		builder_free(b);
	}
	TAP_EQ(bad, 0, "%u cut files yield a consistent part each", cuts);
	mem_free(r);
}

/* Bytes overturned: an answer, whatever it is, and in a closed chunk never a wrong one. */
static void test_flipped(void)
{
	struct replay *r = mem_alloc(sizeof(*r));
	uint64_t seed = 5;
	unsigned bad = 0;

	for (unsigned i = 0; i < 3000; i++) {
		struct builder *b = builder_new(0);
		struct sim_result want;
		struct trace_info info;
		struct diag d;
		const uint8_t *bytes;
		uint8_t *copy;
		enum status st;
		size_t n;

		sim_run(b, i % 10, 150, &want);
		bytes = builder_bytes(b, &n);
		copy = mem_alloc(n);
		memcpy(copy, bytes, n);
		copy[64 + sim_random(&seed) % (n - 64)] ^= (uint8_t)(1 + sim_random(&seed) % 255);
		builder_save(path, copy, n);
		st = replay_file(r, &info, &d);
		if ((st != ST_END && st != ST_BAD_INPUT) || r->wrong[0]) {
			bad++;
			printf("# case %u: status %d %s %s\n", i, st, d.message, r->wrong);
		}
		mem_free(copy);
		builder_free(b);
	}
	TAP_EQ(bad, 0, "3000 damaged files yield a consistent part each");
	mem_free(r);
}

/* Killed: everything still in slots, beside older copies of closed chunks. */
static void test_killed(void)
{
	struct builder *b = builder_new(0);
	struct replay *r = mem_alloc(sizeof(*r));
	struct version v = { 0, 0 };
	const uint8_t *bytes;
	struct diag d = { { 0 } };
	struct trace_info info;
	struct event e;
	struct trace *t;
	unsigned unknown = 0;
	size_t n;

	builder_thread(b, 1, 0, 0);
	v.tseq = builder_write(b, 1, 1, SIM_BASE, 8, &v, 7, 0, NULL, 0);
	v.tid = 1;
	builder_slots(b, 4096); /* chunk 0, not yet closed */
	builder_sync(b, 1, FORMAT_K_ACQ, 0, 1, SIM_LOCKS, (struct version){ 0, 0 }, 0, 0, 0);
	builder_close_chunk(b, 1, 0);
	builder_read(b, 1, 1, SIM_BASE, 8, &v, 7, 0);
	builder_sync(b, 1, FORMAT_K_REL, 0, 1, SIM_LOCKS, (struct version){ 1, 3 }, 0, 0, 0);
	builder_read(b, 1, 1, SIM_BASE, 8, &v, 7, 0);
	builder_read(b, 1, 1, SIM_BASE, 8, &v, 7, FORMAT_ATOMIC);
	builder_late(b, 1, 4, 8, 1, SIM_BASE, v, 7);
	builder_slots(b, 8192);
	bytes = builder_bytes(b, &n);
	builder_save(path, bytes, n);
	TAP_EQ(replay_file(r, &info, &d), ST_END, "a killed program's trace is read");
	TAP_STR(r->wrong, "", "and its order is right");
	TAP_EQ(r->events, 7, "with the events in slots");
	TAP_EQ(r->late, 1, "and the late read");
	TAP_OK(!info.complete, "it is not complete");
	TAP_OK(trace_open(path, NULL, &t, &d) == ST_OK, "again");
	while (trace_next(t, &e, &d) == ST_OK)
		unknown += (e.flags & EVENT_UNKNOWN) != 0;
	TAP_EQ(unknown, 1,
	       "a repetition of the first read after the last synchronisation may be missing");
	trace_close(t);
	builder_free(b);
	mem_free(r);
}

/* A thread that names events which are lost stops there; the others go on. */
static void test_dangling(void)
{
	struct builder *b = builder_new(0);
	struct replay *r = mem_alloc(sizeof(*r));
	struct version v = { 0, 0 };
	struct trace_info info;
	struct diag d;
	const uint8_t *bytes;
	size_t n;

	builder_thread(b, 1, 0, 0);
	builder_thread(b, 2, 1, builder_fork(b, 1, 2));
	builder_close_chunk(b, 2, 0);
	builder_write(b, 2, 1, SIM_BASE, 8, &v, 1, 0, NULL, 0); /* never reaches the file */
	v = (struct version){ 2, 2 };
	builder_write(b, 1, 1, SIM_BASE + 8, 8, (struct version[]){ { 0, 0 } }, 3, 0, NULL, 0);
	builder_read(b, 1, 1, SIM_BASE, 8, &v, 1, 0);
	builder_read(b, 1, 1, SIM_BASE, 8, &v, 1, 0);
	builder_close_chunk(b, 1, 0);
	builder_thread(b, 3, 0, 0);
	/* Waits for a read of T1 that is dropped. */
	builder_read(b, 3, 1, SIM_BASE + 8, 8, (struct version[]){ { 1, 3 } }, 3, 0);
	builder_close_chunk(b, 3, 0);
	bytes = builder_bytes(b, &n);
	builder_save(path, bytes, n);
	TAP_EQ(replay_file(r, &info, &d), ST_END, "names of lost events");
	TAP_EQ(r->events, 6, "end only the thread that uses them");
	TAP_STR(r->wrong, "", "in a right order");
	builder_free(b);
	mem_free(r);
}

static void test_many_threads(void)
{
	struct builder *b = builder_new(0);
	struct replay *r = mem_alloc(sizeof(*r));
	struct version v = { 0, 0 };
	struct trace_info info;
	struct diag d;
	const uint8_t *bytes;
	size_t n;

	builder_thread(b, 1, 0, 0);
	for (uint32_t tid = 2; tid <= 1001; tid++)
		builder_thread(b, tid, 1, builder_fork(b, 1, tid));
	for (unsigned k = 0; k < 40; k++) {
		for (uint32_t tid = 1001; tid >= 2; tid--) {
			v.tseq = builder_write(b, tid, 1, SIM_BASE, 8, &v, k, 0, NULL, 0);
			v.tid = tid;
		}
		for (uint32_t tid = 2; tid <= 1001; tid++)
			builder_read(b, tid, 1, SIM_BASE, 8, &v, k, 0);
	}
	for (uint32_t tid = 2; tid <= 1001; tid++)
		builder_join(b, 1, tid, builder_thread_end(b, tid));
	builder_finish(b, 0);
	bytes = builder_bytes(b, &n);
	builder_save(path, bytes, n);
	TAP_EQ(replay_file(r, &info, &d), ST_END, "a thousand threads");
	TAP_EQ(r->events, 1 + 4 * 1000 + 80 * 1000, "all events");
	TAP_STR(r->wrong, "", "in a right order");
	TAP_OK(info.complete, "complete");
	builder_free(b);
	mem_free(r);
}

int main(void)
{
	snprintf(path, sizeof(path), "/tmp/foresee-merge-%d", (int)getpid());
	test_random(3000);
	test_truncated();
	test_flipped();
	test_killed();
	test_dangling();
	test_many_threads();
	unlink(path);
	return tap_done();
}
