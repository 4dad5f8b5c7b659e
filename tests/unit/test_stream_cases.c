/* What random runs do not reach in the engines that follow a run step by step: limits, repeats,
 * threads that are dead to prediction, long runs. */
#include "predict/engine.h"
#include "step_builder.h"
#include "tap.h"

static struct step_builder b;

/* Findings as "1-4 2-3", and what ran out behind a bar. */
static const char *found(const char *name, const struct engine_options *opt)
{
	static char text[256];
	const struct engine *e = engine_find(name);
	struct step_batch batch = step_build_batch(&b);
	struct engine_result res = { 0 };
	void *self = e->begin(e, opt);
	size_t n = 0;

	e->steps(self, &batch);
	e->end(self, &res);
	text[0] = '\0';
	for (size_t i = 0; i < res.findings.at.n && n < sizeof(text) - 64; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%d-%d", i ? " " : "",
				      (int)res.findings.at.at[i].events[0],
				      (int)res.findings.at.at[i].events[1]);
	if (res.truncated.n)
		snprintf(text + n, sizeof(text) - n, "|");
	engine_result_release(&res);
	return text;
}

static const struct engine_options all = { .all_pairs = true, .jobs = 1 };

static void expect(const char *engine, const char *pairs, const char *name)
{
	TAP_STR(found(engine, &all), pairs, "%s: %s", engine, name);
}

static void done(void)
{
	step_builder_release(&b);
}

static uint32_t rd(uint32_t tid, uint32_t cell)
{
	return step_build_access(&b, tid, STEP_READ, cell);
}

static uint32_t wr(uint32_t tid, uint32_t cell)
{
	return step_build_access(&b, tid, STEP_WRITE, cell);
}

static void flag(unsigned flags)
{
	step_build_last(&b)->flags |= (uint16_t)flags;
}

static void section(uint32_t tid, uint32_t lock, uint32_t cell)
{
	step_build(&b, tid, STEP_ACQ, lock);
	wr(tid, cell);
	step_build(&b, tid, STEP_REL, lock);
}

/* --- results ---------------------------------------------------------------- */

static void test_table(void)
{
	TAP_OK(engine_find("hb") == &engine_hb, "hb is in the table");
	TAP_OK(engine_find("nothing") == NULL, "an unknown name is not");
	for (const struct engine *const *e = engine_table; *e; e++)
		TAP_OK(engine_find((*e)->name) == *e && (*e)->summary, "%s has a summary",
		       (*e)->name);
}

static void take(const char *name, struct engine_result *res)
{
	const struct engine_options few = { .jobs = 1 };
	const struct engine *e = engine_find(name);
	struct step_batch batch = step_build_batch(&b);
	void *self = e->begin(e, &few);

	*res = (struct engine_result){ 0 };
	e->steps(self, &batch);
	e->end(self, res);
}

static void test_signatures(void)
{
	struct engine_result res;

	for (int i = 0; i < 5; i++) {
		wr(1, 0);
		wr(2, 0);
	}
	take("shb", &res);
	TAP_EQ(res.findings.at.n, 1, "one pair of places, one finding");
	TAP_EQ(res.findings.at.at[0].more, 8, "further pairs are counted");
	TAP_EQ(res.findings.at.at[0].events[0], 1, "the first is kept");
	TAP_OK(!res.findings.at.at[0].claimed && res.findings.at.at[0].why, "it says why");
	engine_result_release(&res);
	done();
}

static void test_signature_limit(void)
{
	struct engine_result res;

	for (uint32_t i = 0; i < 10100; i++) {
		wr(1, i);
		step_build_last(&b)->site = 2 * i;
		wr(2, i);
		step_build_last(&b)->site = 2 * i + 1;
	}
	take("hb", &res);
	TAP_EQ(res.findings.at.n, 10000, "so many pairs of places are kept");
	TAP_EQ(res.truncated.n, 1, "and the rest is spoken of");
	engine_result_release(&res);
	done();
}

static void test_wide(void)
{
	wr(1, 0);
	step_build_cell(&b, 1);
	step_build_cell(&b, 2);
	wr(2, 1);
	wr(3, 0);
	step_build_cell(&b, 1);
	step_build_cell(&b, 2);
	expect("hb", "1-2 1-3 2-3", "accesses that share three cells are one pair");
	done();
}

/* --- happens-before --------------------------------------------------------- */

static void message(unsigned store, unsigned load)
{
	wr(1, 0);
	wr(1, 1);
	flag(STEP_ATOMIC | store);
	rd(2, 1);
	flag(STEP_ATOMIC | load);
	rd(2, 0);
}

static void test_atomics(void)
{
	message(STEP_RELEASE, STEP_ACQUIRE);
	expect("hb", "", "release and acquire order");
	expect("wcp", "", "release and acquire order");
	done();
	message(0, STEP_ACQUIRE);
	expect("hb", "1-4", "a relaxed store does not");
	done();
	wr(1, 0);
	step_build(&b, 1, STEP_FENCE, 0);
	flag(STEP_RELEASE);
	wr(1, 1);
	flag(STEP_ATOMIC);
	rd(2, 1);
	flag(STEP_ATOMIC);
	step_build(&b, 2, STEP_FENCE, 0);
	flag(STEP_ACQUIRE);
	rd(2, 0);
	expect("hb", "", "fences make up for it");
	done();
}

static void test_forget(void)
{
	wr(1, 0);
	step_build(&b, 1, STEP_PUT, 0);
	step_build_more(&b, STEP_FORGET, 0);
	step_build(&b, 3, STEP_PUT, 0);
	step_build(&b, 2, STEP_GET, 0);
	rd(2, 0);
	expect("hb", "1-5", "a forgotten channel is a new one");
	done();
}

/* --- schedulable happens-before --------------------------------------------- */

static void test_stop(void)
{
	wr(1, 0);
	rd(1, 5);
	flag(STEP_STOP);
	wr(1, 1);
	step_build(&b, 1, STEP_REL, 0);
	wr(2, 0);
	wr(2, 1);
	wr(2, 5);
	step_build(&b, 3, STEP_ACQ, 0);
	wr(3, 2);
	wr(2, 2);
	expect("shb", "1-5 2-7", "the event that stops is a target, what needs later ones is not");
	done();
}

static void test_after(void)
{
	wr(1, 0);
	step_build(&b, 2, STEP_NONE, 0);
	step_build_more(&b, STEP_AFTER, 0)->from = 1;
	wr(2, 0);
	expect("shb", "", "what must come after is ordered");
	expect("hb", "1-3", "though not by happens-before");
	done();
}

/* T1 writes x; T2's free read of x feeds y; T3 binds y.  With `between' reads in between. */
static void feed(uint32_t between)
{
	uint64_t number;

	wr(1, 0);
	rd(2, 0);
	flag(STEP_FREE_READ);
	number = step_build_last(&b)->tseq;
	for (uint32_t i = 0; i < between; i++) {
		rd(2, 9);
		flag(STEP_FREE_READ);
	}
	wr(2, 1);
	step_build_feed(&b, number);
	rd(3, 1);
	wr(3, 0);
}

static void test_feeds(void)
{
	feed(0);
	expect("shb", "1-2 3-4", "a value that flows on orders what it needs");
	done();
	feed(200);
	expect("shb", "1-2 203-204", "also when it was read long ago");
	done();
	wr(1, 0);
	rd(2, 0);
	wr(2, 1);
	step_build_feed(&b, 1);
	rd(3, 0);
	flag(STEP_FREE_READ);
	wr(3, 0);
	expect("shb", "1-2 1-4 1-5 2-5", "a feed that binds adds nothing");
	done();
}

/* --- eraser ----------------------------------------------------------------- */

static void test_fork_join(void)
{
	const struct engine_options passing = { .all_pairs = true, .fork_join = true, .jobs = 1 };

	wr(1, 0);
	step_build(&b, 1, STEP_FORK, 1);
	wr(2, 0);
	step_build(&b, 1, STEP_JOIN, 1);
	wr(1, 0);
	wr(3, 0);
	expect("eraser", "1-3", "a lock is missed at the second thread");
	TAP_STR(found("eraser", &passing), "5-6", "eraser: unless the owner handed it over");
	done();
}

static void test_read_mode(void)
{
	step_build(&b, 1, STEP_RACQ, 0);
	wr(1, 0);
	step_build(&b, 1, STEP_RREL, 0);
	step_build(&b, 2, STEP_RACQ, 0);
	rd(2, 0);
	wr(2, 0);
	step_build(&b, 2, STEP_RREL, 0);
	expect("eraser", "2-6", "a lock held for reading does not protect a write");
	done();
}

/* --- wcp -------------------------------------------------------------------- */

static void test_wcp_queue(void)
{
	for (int i = 0; i < 50000; i++)
		section(1 + i % 3, 0, 0);
	expect("wcp", "", "sections that conflict stay in order, however many");
	done();
	for (int i = 0; i < 70000; i++)
		section(1 + i % 2, 0, 1 + i % 2);
	expect("wcp", "|", "too many sections that do not are spoken of");
	done();
}

int main(void)
{
	test_table();
	test_signatures();
	test_signature_limit();
	test_wide();
	test_atomics();
	test_forget();
	test_stop();
	test_after();
	test_feeds();
	test_fork_join();
	test_read_mode();
	test_wcp_queue();
	return tap_done();
}
