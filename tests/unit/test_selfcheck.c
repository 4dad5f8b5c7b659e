/*
 * The self-check: says nothing against right recordings, random and written
 * by hand, and finds each kind of contradiction.
 */
#include <unistd.h>

#include "base/diag.h"
#include "sim.h"
#include "tap.h"
#include "trace/trace.h"
#include "trace_builder.h"
#include "witness/selfcheck.h"

static char path[64];
static const struct version INIT;

static struct version at(uint32_t tid, uint64_t tseq)
{
	return (struct version){ tid, tseq };
}

/* Finishes, checks and frees b. */
static struct selfcheck_result check(struct builder *b)
{
	struct selfcheck_result r = { 0 };
	struct diag d = { { 0 } };
	const uint8_t *bytes;
	struct trace *t;
	size_t n;

	builder_finish(b, 0);
	bytes = builder_bytes(b, &n);
	builder_save(path, bytes, n);
	builder_free(b);
	if (trace_open(path, NULL, &t, &d) != ST_OK || selfcheck_run(t, &r, &d) != ST_OK)
		snprintf(r.what, sizeof(r.what), "error: %.300s", d.message);
	trace_close(t);
	return r;
}

static void expect(struct builder *b, const char *want, const char *name)
{
	struct selfcheck_result r = check(b);
	bool good = want ? r.contradiction && strstr(r.what, want) : !r.contradiction;

	if (!TAP_OK(good && (want || !r.what[0]), "%s", name))
		printf("# %s\n", r.what);
}

static void test_random(void)
{
	unsigned bad = 0;

	for (unsigned i = 0; i < 1000 && bad < 5; i++) {
		struct builder *b = builder_new(0);
		struct selfcheck_result r;
		struct sim_result want;
		const uint8_t *bytes;
		struct diag d = { { 0 } };
		struct trace *t;
		size_t n;

		sim_run(b, 7000 + i, 20 + i % 300, &want);
		bytes = builder_bytes(b, &n);
		builder_save(path, bytes, n);
		builder_free(b);
		if (trace_open(path, NULL, &t, &d) != ST_OK)
			bad++;
		else if (selfcheck_run(t, &r, &d) != ST_OK || r.contradiction) {
			printf("# case %u: %s %s\n", i, d.message, r.what);
			bad++;
		}
		trace_close(t);
	}
	TAP_EQ(bad, 0, "random executions are free of contradictions");
}

static struct builder *two_threads(void)
{
	struct builder *b = builder_new(0);

	builder_thread(b, 1, 0, 0);
	builder_thread(b, 2, 1, builder_fork(b, 1, 2));
	return b;
}

static void test_memory(void)
{
	struct builder *b = two_threads();
	uint64_t w = builder_write(b, 1, 1, 0x1000, 4, &INIT, 77, 0, NULL, 0);
	struct version v = at(1, w);

	builder_read(b, 2, 1, 0x1000, 4, &v, 78, 0);
	expect(b, "other bytes", "a read with wrong bytes");

	b = two_threads();
	w = builder_write(b, 1, 1, 0x1000, 4, &INIT, 77, 0, NULL, 0);
	v = at(1, w);
	builder_begin(b, 1);
	builder_put(b, 1);
	builder_end(b, FORMAT_K_OPAQUE, 0, 1);
	builder_read(b, 1, 1, 0x1000, 4, &v, 78, 0);
	expect(b, NULL, "unseen code may have written");

	b = two_threads();
	builder_write(b, 1, 1, 0x1000, 4, &INIT, 77, 0, NULL, 0);
	builder_read(b, 1, 1, 0x1000, 4, &INIT, 0, 0);
	expect(b, "latest write", "a read of a version that is gone");

	b = two_threads();
	w = builder_write(b, 1, 1, 0x1000, 8, &INIT, 77, 0, NULL, 0);
	builder_rmw(b, 1, 1, 0x1000, 8, at(1, w), 76, 78);
	expect(b, "other bytes", "a read-modify-write with a wrong old value");

	b = two_threads();
	builder_block(b, 1, FORMAT_K_ALLOC, FORMAT_ALLOC_ZEROED, 1, 0x2000, 8, &INIT);
	builder_read(b, 1, 1, 0x2000, 8, &INIT, 5, 0);
	expect(b, "other bytes", "a zeroed block that is not zero");

	b = two_threads();
	builder_block(b, 1, FORMAT_K_ALLOC, FORMAT_ALLOC_ZEROED | FORMAT_ALLOC_SHARED, 1, 0x2000, 8,
		      &INIT);
	builder_read(b, 1, 1, 0x2000, 8, &INIT, 5, 0);
	expect(b, NULL, "a block that others may write to");

	b = two_threads();
	v = at(2, 40);
	builder_read(b, 1, 1, 0x2000, 8, &v, 5, 0);
	expect(b, "not in the recording", "a name of an event that does not exist");

	b = two_threads();
	v = at(2, 2);
	builder_read(b, 1, 1, 0x2000, 8, &v, 5, 0);
	builder_write(b, 1, 1, 0x2008, 8, &INIT, 5, 0, NULL, 0);
	v = at(1, 4);
	builder_read(b, 2, 1, 0x2008, 8, &v, 5, 0);
	builder_write(b, 2, 1, 0x2000, 8, &INIT, 5, 0, NULL, 0);
	v = at(2, 3);
	expect(b, "comes after itself", "events that name each other in a ring");
}

static void test_locks(void)
{
	struct builder *b = two_threads();
	uint64_t n = builder_sync(b, 1, FORMAT_K_ACQ, 0, 1, 0x3000, INIT, 0, 0, 0);

	builder_sync(b, 2, FORMAT_K_ACQ, 0, 1, 0x3000, at(1, n), 0, 0, 0);
	expect(b, "T1 holds the lock", "a lock held twice");

	b = two_threads();
	builder_sync(b, 1, FORMAT_K_REL, 0, 1, 0x3000, INIT, 0, 0, 0);
	expect(b, "does not hold", "a release of what is not held");

	b = two_threads();
	n = builder_sync(b, 1, FORMAT_K_ACQ, FORMAT_LOCK_RECURSIVE, 1, 0x3000, INIT, 0, 0, 0);
	n = builder_sync(b, 1, FORMAT_K_ACQ, FORMAT_LOCK_RECURSIVE, 1, 0x3000, at(1, n), 0, 0, 0);
	n = builder_sync(b, 1, FORMAT_K_REL, FORMAT_LOCK_RECURSIVE, 1, 0x3000, at(1, n), 0, 0, 0);
	builder_sync(b, 1, FORMAT_K_REL, FORMAT_LOCK_RECURSIVE, 1, 0x3000, at(1, n), 0, 0, 0);
	expect(b, NULL, "a lock that nests");

	b = two_threads();
	n = builder_sync(b, 1, FORMAT_K_RACQ, FORMAT_LOCK_RWLOCK, 1, 0x3000, INIT, 0, 0, 0);
	n = builder_sync(b, 2, FORMAT_K_RACQ, FORMAT_LOCK_RWLOCK, 1, 0x3000, at(1, n), 0, 0, 0);
	builder_sync(b, 1, FORMAT_K_ACQ, FORMAT_LOCK_RWLOCK, 1, 0x3000, at(2, n), 0, 0, 0);
	expect(b, "held for reading", "a writer among readers");

	b = two_threads();
	builder_sync(b, 1, FORMAT_K_TRYFAIL, 0, 1, 0x3000, INIT, 0, 0, 0);
	expect(b, NULL, "a try that failed before its winner was logged");

	b = two_threads();
	n = builder_sync(b, 1, FORMAT_K_ACQ, 0, 1, 0x3000, INIT, 0, 0, 0);
	builder_sync(b, 2, FORMAT_K_REQ, 0, 1, 0x3000, at(1, n), 0, 0, 0);
	n = builder_sync(b, 1, FORMAT_K_REL, 0, 1, 0x3000, at(1, n), 0, 0, 0);
	builder_sync(b, 2, FORMAT_K_ACQ, 0, 1, 0x3000, at(1, n), 0, 0, 0);
	expect(b, NULL, "a request changes nothing");

	b = two_threads();
	n = builder_sync(b, 1, FORMAT_K_ACQ, 0, 1, 0x3000, INIT, 0, 0, 0);
	builder_sync(b, 2, FORMAT_K_REQ, 0, 1, 0x3000, at(1, n), 0, 0, 0);
	builder_sync(b, 2, FORMAT_K_ACQ, 0, 1, 0x3000, at(1, n), 0, 0, 0);
	expect(b, "T1 holds the lock", "nor does it give the lock");
}

static void test_others(void)
{
	struct builder *b = two_threads();
	uint64_t n = builder_sync(b, 1, FORMAT_K_SEM_INIT, 0, 1, 0x4000, INIT, 1, 1, 0);

	n = builder_sync(b, 1, FORMAT_K_SEM_WAIT, 0, 1, 0x4000, at(1, n), 0, 0, 0);
	builder_sync(b, 1, FORMAT_K_SEM_WAIT, 0, 1, 0x4000, at(1, n), 0, 0, 0);
	expect(b, "at zero", "a semaphore below zero");

	b = two_threads();
	n = builder_sync(b, 1, FORMAT_K_BAR_INIT, 0, 1, 0x4000, INIT, 1, 2, 0);
	n = builder_sync(b, 1, FORMAT_K_BAR_IN, 0, 1, 0x4000, at(1, n), 1, 1, 0);
	builder_sync(b, 1, FORMAT_K_BAR_OUT, 0, 1, 0x4000, at(1, n), 1, 1, 0);
	expect(b, "1 of 2", "a barrier that did not wait");

	b = two_threads();
	n = builder_sync(b, 1, FORMAT_K_ONCE_BEGIN, 0, 1, 0x4000, INIT, 0, 0, 0);
	builder_sync(b, 1, FORMAT_K_ONCE_PASS, 0, 1, 0x4000, at(1, n), 0, 0, 0);
	expect(b, "to its end", "once passed before its end");

	b = two_threads();
	builder_thread_end(b, 2);
	builder_read(b, 2, 1, 0x1000, 4, &INIT, 0, 0);
	expect(b, "has ended", "an event after the end");

	b = builder_new(0);
	builder_thread(b, 1, 0, 0);
	builder_thread(b, 2, 0, 0);
	n = builder_write(b, 2, 1, 0x1000, 4, &INIT, 1, 0, NULL, 0);
	builder_write(b, 1, 1, 0x1000, 4, (struct version[]){ at(2, n) }, 2, 0, NULL, 0);
	builder_fork(b, 1, 2);
	expect(b, "before its fork", "a thread before its fork");

	b = two_threads();
	builder_join(b, 1, 2, builder_tseq(b, 2));
	expect(b, "has not ended", "a join before the end");

	b = two_threads();
	builder_thread_end(b, 2);
	builder_join(b, 1, 2, builder_tseq(b, 2));
	builder_begin(b, 1);
	builder_put(b, 0);
	builder_put(b, 2);
	builder_end(b, FORMAT_K_JOINING, 0, 1);
	expect(b, "was joined before", "a join that waits for a thread joined already");
}

static void unseen(struct builder *b, uint32_t tid, unsigned kind, uint32_t site)
{
	builder_begin(b, tid);
	builder_put(b, site);
	builder_end(b, kind, 0, kind == FORMAT_K_OPAQUE);
}

static void stack(struct builder *b, uint32_t tid, uint32_t keep, uint32_t n, uint32_t site)
{
	builder_begin(b, tid);
	builder_put(b, keep);
	builder_put(b, n);
	if (n != 0)
		builder_put(b, site);
	builder_end(b, FORMAT_K_STACK, 0, 0);
}

/* A write of 77, a call of unseen code at site 5, and a read of 77 in a callback. */
static struct version call_back(struct builder *b, uint32_t from)
{
	struct version v = at(1, builder_write(b, 1, 1, 0x1000, 4, &INIT, 77, 0, NULL, 0));

	builder_string(b, 1, "a.c");
	builder_site(b, 5, 1, 0, 0, 10);
	builder_site(b, 6, 1, 0, 0, 11);
	unseen(b, 1, FORMAT_K_OPAQUE, 5);
	stack(b, 1, 0, 1, from);
	builder_read(b, 1, 1, 0x1000, 4, &v, 77, 0);
	return v;
}

static void test_unseen(void)
{
	struct builder *b = two_threads();
	struct version v = call_back(b, 5);

	builder_read(b, 1, 1, 0x1000, 4, &v, 78, 0);
	stack(b, 1, 0, 1, 0);
	builder_read(b, 1, 1, 0x1000, 4, &v, 79, 0);
	stack(b, 1, 0, 0, 0);
	builder_read(b, 1, 5, 0x1000, 4, &v, 80, 0);
	builder_read(b, 1, 1, 0x1000, 4, &v, 81, 0);
	expect(b, NULL, "unseen code writes between its callbacks and after them");

	b = two_threads();
	v = call_back(b, 6);
	builder_read(b, 1, 1, 0x1000, 4, &v, 78, 0);
	expect(b, "other bytes", "a call from elsewhere is no callback");

	b = two_threads();
	v = call_back(b, 5);
	builder_read(b, 2, 1, 0x1000, 4, &v, 78, 0);
	expect(b, NULL, "unseen code writes while another thread reads");
}

static void test_handler(void)
{
	struct builder *b = two_threads();
	uint64_t n = builder_sync(b, 1, FORMAT_K_SEM_INIT, 0, 1, 0x4000, INIT, 1, 0, 0);
	struct version v = at(1, builder_write(b, 1, 1, 0x1000, 4, &INIT, 77, 0, NULL, 0));

	builder_sync(b, 2, FORMAT_K_SEM_WAIT, 0, 1, 0x4000, at(1, n), 0, 0, 0);
	unseen(b, 1, FORMAT_K_NESTED, 1);
	expect(b, NULL, "a signal handler posted unrecorded");

	b = two_threads();
	v = at(1, builder_write(b, 1, 1, 0x1000, 4, &INIT, 77, 0, NULL, 0));
	unseen(b, 1, FORMAT_K_NESTED, 1);
	builder_read(b, 1, 1, 0x1000, 4, &v, 77, 0);
	builder_read(b, 1, 1, 0x1000, 4, &v, 78, 0);
	expect(b, NULL, "a signal handler wrote unrecorded");

	b = two_threads();
	n = builder_sync(b, 1, FORMAT_K_SEM_INIT, 0, 1, 0x4000, INIT, 1, 0, 0);
	unseen(b, 1, FORMAT_K_OPAQUE, 1);
	builder_sync(b, 2, FORMAT_K_SEM_WAIT, 0, 1, 0x4000, at(1, n), 0, 0, 0);
	expect(b, "at zero", "other unseen code posts no semaphore");

	b = two_threads();
	v = at(1, builder_write(b, 1, 1, 0x1000, 4, &INIT, 77, 0, NULL, 0));
	builder_read(b, 1, 1, 0x1000, 4, &v, 77, 0);
	builder_read(b, 1, 1, 0x1000, 4, &v, 78, 0);
	unseen(b, 2, FORMAT_K_OPAQUE, 0);
	expect(b, NULL, "a thread of unseen code wrote unrecorded");
}

static void test_text(void)
{
	static const char good[] = "T1|fork(T2)|a:1\nT1|acq(m)|a:2\nT1|w(x)|a:3\nT1|rel(m)|a:4\n"
				   "T2|acq(m)|b:1\nT2|r(x)|b:2\nT2|rel(m)|b:3\nT1|join(T2)|a:5\n";
	struct selfcheck_result r = { 0 };
	struct diag d = { { 0 } };
	struct trace *t;

	builder_save(path, good, sizeof(good) - 1);
	TAP_OK(trace_open(path, NULL, &t, &d) == ST_OK, "text opens");
	TAP_OK(selfcheck_run(t, &r, &d) == ST_OK && !r.contradiction && r.events == 8,
	       "text is checked too");
	if (r.what[0] || d.message[0])
		printf("# %s %s\n", r.what, d.message);
	trace_close(t);
}

int main(void)
{
	snprintf(path, sizeof(path), "/tmp/foresee-selfcheck-%d", (int)getpid());
	test_random();
	test_memory();
	test_locks();
	test_others();
	test_unseen();
	test_handler();
	test_text();
	unlink(path);
	return tap_done();
}
