/*
 * Condition waits: the index, the picking of instances, and runs that need care.  That answers are
 * right is held to all reorderings in test_waits_random.c.
 */
#include <signal.h>

#include "predict/engine.h"
#include "predict/waits_priv.h"
#include "step_builder.h"
#include "tap.h"

enum { M = 0, G = 1 };			    /* locks */
enum { X = 3, Y = 4 };			    /* cells */
enum { LOCK = 10, WAIT = 20, NOTICE = 30 }; /* sites */

static uint32_t put(struct step_builder *b, uint32_t tid, enum step_op op, uint32_t obj,
		    uint32_t site)
{
	uint32_t id = step_build(b, tid, op, obj);

	step_build_last(b)->site = site;
	return id;
}

/* The mutex is held.  Returns the release. */
static uint32_t put_park(struct step_builder *b, uint32_t tid, uint32_t condition)
{
	uint32_t release = put(b, tid, STEP_REL, M, WAIT);

	step_build_last(b)->flags |= STEP_IN_WAIT;
	put(b, tid, STEP_PARK, condition, WAIT);
	return release;
}

/* Its channel has the number of the event. */
static uint32_t put_signal(struct step_builder *b, uint32_t tid, uint32_t condition)
{
	uint32_t id = put(b, tid, STEP_NOTIFY, condition, NOTICE);

	step_build_more(b, STEP_PUT, id);
	return id;
}

static void put_wake(struct step_builder *b, uint32_t tid, uint32_t signal)
{
	put(b, tid, STEP_GET, signal, WAIT);
	put(b, tid, STEP_ACQ, M, WAIT);
}

/* T2 waits without a test and T1 signals, with the mutex. */
static void put_round(struct step_builder *b, bool is_tested)
{
	uint32_t s;

	step_build_access(b, 1, STEP_READ, Y);
	put(b, 2, STEP_ACQ, M, LOCK);
	if (is_tested)
		step_build_access(b, 2, STEP_READ, X);
	put_park(b, 2, 0);
	put(b, 1, STEP_ACQ, M, LOCK);
	if (is_tested)
		step_build_access(b, 1, STEP_WRITE, X);
	s = put_signal(b, 1, 0);
	put(b, 1, STEP_REL, M, LOCK);
	put_wake(b, 2, s);
	if (is_tested)
		step_build_access(b, 2, STEP_WRITE, X);
	put(b, 2, STEP_REL, M, LOCK);
}

static void test_index(void)
{
	struct step_builder b = { 0 };
	struct waits_index x;
	struct model *m;
	uint32_t r, s, t;

	put(&b, 2, STEP_ACQ, M, LOCK);
	put_signal(&b, 3, 1);
	r = put_park(&b, 2, 1);
	s = put_signal(&b, 1, 1);
	put_signal(&b, 3, 0);
	t = put_signal(&b, 3, 1);
	put_wake(&b, 2, s);
	put_park(&b, 2, 0);
	m = step_build_model(&b, &(struct model_options){ 0 });
	waits_index_make(&x, m);
	TAP_EQ(x.nconditions, 2, "two conditions");
	TAP_EQ(x.waits.n, 2, "two waits");
	TAP_OK(x.waits.at[0].condition == 0 && x.waits.at[0].wake == 0 && x.waits.at[0].by == 0,
	       "one that does not end");
	TAP_OK(x.waits.at[1].release == r && x.waits.at[1].by == s && x.waits.at[1].wake == t + 1,
	       "one that a signal ended");
	TAP_EQ(x.sender_start[2] - x.sender_start[1], 2, "two chains signal the second");
	TAP_OK(x.senders.at[x.sender_start[1]].n == 1 && x.senders.at[x.sender_start[1] + 1].n == 2,
	       "one of them twice");
	TAP_EQ(x.signals.at[x.senders.at[x.sender_start[1] + 1].first + 1], t, "in order");
	waits_index_release(&x);
	model_free(m);
	step_builder_release(&b);
}

/* What is kept, last first, as text. */
static void picks_are(uint32_t n, uint32_t first, uint32_t last, const char *name)
{
	struct waits_picks p = { 0 };
	uint32_t count, i;
	bool good = true;

	for (i = 0; i < n; i++) {
		waits_picks_add(&p, 7, (struct waits_item){ i, i + 1 });
		waits_picks_add(&p, 8, (struct waits_item){ 0, 0 });
	}
	count = waits_pick_count(&p.at.at[0]);
	for (i = 0; i < count; i++) {
		uint32_t want = i < last ? n - 1 - i : first - 1 - (i - last);

		good &= waits_pick_get(&p.at.at[0], i).a == want;
	}
	TAP_OK(good && count == first + last && p.at.n == 2 && p.at.at[0].n == n, "%s", name);
	waits_picks_release(&p);
}

static struct engine_result search(const struct step_builder *b, struct engine_options *opt)
{
	struct model *m = step_build_model(b, &(struct model_options){ 0 });
	struct engine_run *run = engine_run_new(m);
	struct engine_result r = { 0 };

	opt->jobs = 1;
	waits_search(&engine_waits, run, opt, &r);
	engine_run_free(run);
	model_free(m);
	return r;
}

static void found(struct step_builder *b, size_t claimed, size_t warned, const char *name)
{
	struct engine_result r = search(b, &(struct engine_options){ 0 });
	size_t n = 0;

	for (size_t i = 0; i < r.findings.at.n; i++)
		n += r.findings.at.at[i].claimed;
	TAP_OK(n == claimed && r.findings.at.n - n == warned, "%s", name);
	engine_result_release(&r);
	step_builder_release(b);
	*b = (struct step_builder){ 0 };
}

static void test_shapes(void)
{
	struct step_builder b = { 0 };
	uint32_t s;

	put_round(&b, false);
	found(&b, 1, 0, "a blind wait");
	put_round(&b, true);
	found(&b, 0, 0, "a wait with its test");
	for (int i = 0; i < 40; i++)
		put_round(&b, false);
	found(&b, 1, 0, "forty at the same places: one finding");

	step_build_access(&b, 1, STEP_READ, Y);
	put(&b, 2, STEP_ACQ, M, LOCK);
	put(&b, 2, STEP_NONE, 0, WAIT);
	put(&b, 2, STEP_PARK, 0, WAIT);
	s = put_signal(&b, 1, 0);
	put(&b, 2, STEP_GET, s, WAIT);
	found(&b, 0, 0, "a mutex that is held twice is not let go of");

	step_build_access(&b, 1, STEP_READ, Y);
	put(&b, 2, STEP_ACQ, M, LOCK);
	put_park(&b, 2, 0);
	step_build_last(&b)->flags |= STEP_TRY;
	s = put_signal(&b, 1, 0);
	put_wake(&b, 2, s);
	found(&b, 0, 0, "a timed wait");

	step_build_access(&b, 1, STEP_READ, Y);
	put(&b, 2, STEP_ACQ, M, LOCK);
	put_park(&b, 2, 0);
	put_signal(&b, 1, 0);
	put(&b, 2, STEP_NONE, 0, WAIT);
	put(&b, 2, STEP_ACQ, M, WAIT);
	put(&b, 2, STEP_REL, M, LOCK);
	found(&b, 0, 0, "a wake that names no signal");
	put(&b, 3, STEP_ACQ, M, LOCK);
	put_park(&b, 3, 0);
	put(&b, 3, STEP_NONE, 0, WAIT);
	put(&b, 3, STEP_ACQ, M, WAIT);
	put(&b, 3, STEP_REL, M, LOCK);
	put_round(&b, false);
	found(&b, 0, 1, "after such a one nothing is sure");

	step_build_access(&b, 1, STEP_READ, Y);
	put(&b, 2, STEP_ACQ, M, LOCK);
	put_park(&b, 2, 0);
	s = put_signal(&b, 2, 0);
	put_wake(&b, 2, s);
	found(&b, 0, 0, "a signal handler signals its own thread");
}

/* T3 waits too, and must: the signal of T1 is the one that woke both. */
static void test_heard(void)
{
	struct step_builder b = { 0 };
	uint32_t s;

	put(&b, 3, STEP_ACQ, M, LOCK);
	put_park(&b, 3, 0);
	step_build_access(&b, 3, STEP_READ, Y); /* a handler runs in the wait: it may last */
	put(&b, 2, STEP_ACQ, M, LOCK);
	put_park(&b, 2, 0);
	step_build_access(&b, 1, STEP_WRITE, X);
	step_build_access(&b, 3, STEP_WRITE, Y);
	step_build_access(&b, 1, STEP_READ, Y);
	s = put_signal(&b, 1, 0);
	put_wake(&b, 2, s);
	found(&b, 0, 0, "the signal needs a thread that waits already");
}

static void put_holding(struct step_builder *b, bool is_shared)
{
	uint32_t s;

	put(b, 1, is_shared ? STEP_RACQ : STEP_ACQ, G, LOCK);
	put(b, 1, is_shared ? STEP_RREL : STEP_REL, G, LOCK);
	put(b, 2, STEP_RACQ, G, LOCK);
	put(b, 2, STEP_ACQ, M, LOCK);
	step_build_access(b, 2, STEP_READ, X);
	put_park(b, 2, 0);
	put(b, 1, STEP_ACQ, M, LOCK);
	step_build_access(b, 1, STEP_WRITE, X);
	s = put_signal(b, 1, 0);
	put(b, 1, STEP_REL, M, LOCK);
	put_wake(b, 2, s);
	put(b, 2, STEP_REL, M, LOCK);
	put(b, 2, STEP_RREL, G, LOCK);
}

static void test_options(void)
{
	volatile sig_atomic_t stop = 1;
	struct step_builder b = { 0 };
	struct engine_result r;

	put_round(&b, false);
	r = search(&b, &(struct engine_options){ .stop = &stop });
	TAP_EQ(r.findings.at.n, 0, "stopped: nothing is looked for");
	engine_result_release(&r);
	r = search(&b, &(struct engine_options){ .values = true });
	TAP_EQ(r.findings.at.n, 1, "values make no difference");
	TAP_OK(r.counted && r.counts.candidates == 1 && r.counts.predicted == 1, "counted");
	engine_result_release(&r);
	step_builder_release(&b);

	b = (struct step_builder){ 0 };
	put_round(&b, true);
	r = search(&b, &(struct engine_options){ 0 });
	TAP_OK(r.counts.refuted == 1 && r.truncated.n == 0, "refuted");
	engine_result_release(&r);
	r = search(&b, &(struct engine_options){ .budget = 1 });
	TAP_OK(r.counts.undecided == 1 && r.truncated.n == 1, "a budget that ran out is told");
	engine_result_release(&r);
	step_builder_release(&b);
}

int main(void)
{
	struct step_builder b = { 0 };

	test_index();
	picks_are(1, 0, 1, "one is kept");
	picks_are(16, 0, 16, "sixteen are kept");
	picks_are(17, 8, 8, "of more, the first and the last");
	picks_are(1003, 8, 8, "of many too");
	test_shapes();
	test_heard();
	put_holding(&b, true);
	found(&b, 0, 0, "read mode against read mode");
	put_holding(&b, false);
	found(&b, 1, 0, "write mode against read mode");
	test_options();
	return tap_done();
}
