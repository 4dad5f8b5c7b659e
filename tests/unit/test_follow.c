/*
 * Following a recording while it grows: random executions are written once more, record by record as
 * they came about, and looked at now and then.  What is yielded is replayed on a memory, where every
 * version named must be the current one; and each thread's events are those of a reading afterwards.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/vec.h"
#include "growing.h"
#include "order/step.h"
#include "replay.h"
#include "sim.h"
#include "tap.h"
#include "merge/follow.h"
#include "trace/trace.h"
#include "trace_builder.h"

#define TIDS 64

static char whole[64], path[64];
static struct diag d;

/* ---- what a thread did ---- */

struct sums {
	uint64_t of[TIDS]; /* by thread */
	uint64_t events;
};

static void sum_add(uint64_t *sum, uint64_t x)
{
	*sum = (*sum ^ x) * 0x100000001b3u + (*sum >> 29);
}

static void sum_words(struct sums *s, const struct event *e)
{
	bool ranged = e->flags & EVENT_RANGE;

	for (uint32_t i = 0; i < e->nrefs; i++) {
		sum_add(&s->of[e->tid], ((uint64_t)e->refs[i].tid << 44) + e->refs[i].tseq);
		/* Pieces of a range may be cut differently. */
		sum_add(&s->of[e->tid], ranged ? ((e->addr >> 3) + i) * 8 : e->addr);
		sum_add(&s->of[e->tid], e->tseq + (ranged ? i : 0));
	}
}

static void sum_event(struct sums *s, const struct event *e)
{
	uint64_t *sum = &s->of[e->tid % TIDS];

	s->events++;
	sum_words(s, e);
	if (e->flags & EVENT_RANGE)
		return;
	sum_add(sum, e->op);
	sum_add(sum, e->tseq);
	sum_add(sum, e->len);
	sum_add(sum, e->flags & ~EVENT_UNKNOWN);
	sum_add(sum, ((uint64_t)e->peer << 44) + e->peer_tseq);
	sum_add(sum, e->site);
	for (uint64_t i = 0; i < e->len && e->value && e->len <= 8; i++)
		sum_add(sum, e->value[i]);
}

static bool sums_read(const char *file, struct sums *s)
{
	struct trace *t;
	struct event e;
	enum status st;

	memset(s, 0, sizeof(*s));
	if (trace_open(file, NULL, &t, &d) != ST_OK)
		return false;
	while ((st = trace_next(t, &e, &d)) == ST_OK)
		sum_event(s, &e);
	trace_close(t);
	return st == ST_END;
}

/* ---- as steps have it ---- */

/* For each byte the last write; for each thread its locks, and what its reads saw. */
struct rf {
	uint64_t writer[0x41000]; /* by address, from SIM_BASE on */
	uint64_t of[TIDS];
	uint64_t reads;
};

static void rf_step(struct rf *r, const struct step *s)
{
	uint64_t *sum = &r->of[s->tid % TIDS], me = (uint64_t)s->tid << 44 | s->tseq;

	if (s->op == STEP_ACQ || s->op == STEP_REL)
		sum_add(sum, me ^ s->op);
	/* What FREE does depends on where the block was allocated, which racing accesses do not. */
	if (!step_is_access(s) || (s->addr >= SIM_HEAP && s->addr < SIM_BIG))
		return;
	r->reads += s->op == STEP_READ;
	for (uint64_t a = s->addr; a < s->addr + s->len; a++) {
		if (s->op == STEP_READ || s->op == STEP_RMW)
			sum_add(sum, r->writer[a - SIM_BASE]);
		/* By the word, for ranges may be cut into other pieces. */
		if (s->op != STEP_READ)
			r->writer[a - SIM_BASE] = me + (a >> 3) - (s->addr >> 3);
	}
}

static void rf_take(struct rf *r, const struct step_batch *b)
{
	for (size_t i = 0; i < b->n; i++)
		rf_step(r, &b->at[i]);
}

/* ---- following ---- */

struct follower {
	struct trace *trace;
	struct replay replay;
	struct sums sums;
	enum status st;
	uint64_t before_end; /* events yielded while it grew */
	struct steps *steps; /* instead of events */
	bool blind;	     /* nobody looks at what is yielded */
	struct rf rf;
};

static void follower_take(struct follower *f)
{
	struct step_batch b;
	struct event e;

	while (f->steps && (f->st = steps_next(f->steps, &b, &d)) == ST_OK)
		rf_take(&f->rf, &b);
	while (!f->steps && (f->st = trace_next(f->trace, &e, &d)) == ST_OK) {
		if (f->blind)
			continue;
		replay_event(&f->replay, &e);
		sum_event(&f->sums, &e);
	}
}

/* Is what goes by; the steps, if that is what is wanted. */
static void see(void *arg, struct trace *t, const struct event *e)
{
	struct follower *f = arg;

	(void)t;
	replay_event(&f->replay, e);
	sum_event(&f->sums, e);
}

static void follower_step(struct follower *f, bool as_steps)
{
	const struct trace_options opt = { .follow = true };
	struct step_options how = { .see = see, .see_arg = f };

	if (!f->trace && trace_open(path, &opt, &f->trace, &d) != ST_OK)
		return;
	if (as_steps && !f->steps)
		f->steps = steps_new(f->trace, &how);
	follower_take(f);
	f->before_end = f->replay.events;
}

static void follower_free(struct follower *f)
{
	if (f->steps)
		steps_free(f->steps);
	trace_close(f->trace);
	mem_free(f);
}

/* One execution, and the file in which it comes about again. */
struct run {
	struct builder *b;
	struct sim_result sim;
	struct growing *g;
	struct sums want;
	uint64_t seed;
};

static void run_begin(struct run *r, unsigned i, unsigned steps, uint64_t keep)
{
	struct growing_how how = { .keep = keep };
	const uint8_t *bytes;
	size_t n;

	r->b = builder_new(0);
	sim_run(r->b, i, steps, &r->sim);
	bytes = builder_bytes(r->b, &n);
	builder_save(whole, bytes, n);
	how.history = builder_history(r->b, &how.nhistory);
	if (!sums_read(whole, &r->want))
		abort();
	unlink(path);
	r->g = growing_new(path, bytes, n, i, &how);
	r->seed = i + 77;
}

static void run_end(struct run *r)
{
	growing_free(r->g);
	builder_free(r->b);
}

/* Some steps of it, about so many.  False: it is all there. */
static bool run_some(struct run *r, unsigned every)
{
	bool more = true;

	for (uint64_t n = sim_random(&r->seed) % (2 * every) + 1; n > 0 && more; n--)
		more = growing_step(r->g);
	return more;
}

static bool goes_on(const struct follower *f)
{
	return !f->trace || f->st == ST_OK || f->st == ST_AGAIN;
}

static void run_follow(struct run *r, struct follower *f, unsigned every, bool as_steps)
{
	bool more = true;

	while (more && goes_on(f)) {
		more = run_some(r, every);
		follower_step(f, as_steps);
	}
	for (unsigned k = 0; k < 4 && f->st == ST_AGAIN; k++)
		follower_take(f);
}

/* ---- whole runs ---- */

struct tally {
	unsigned bad, early, unknown, cases;
};

static void check_whole(const struct follower *f, const struct run *r, unsigned i,
			struct tally *all)
{
	unsigned wrong = 0;
	struct trace_info info = trace_info(f->trace);

	for (unsigned k = 0; k < TIDS; k++)
		wrong += f->sums.of[k] != r->want.of[k];
	all->cases++;
	all->early += f->before_end > r->sim.events / 4;
	all->unknown += f->replay.unknown != 0;
	if (f->st == ST_END && !f->replay.wrong[0] && wrong == 0 && info.complete &&
	    info.nnotes == 0 && f->replay.events == r->sim.events && f->replay.late == r->sim.late)
		return;
	if (all->bad++ < 5)
		printf("# case %u: status %d %s, %s, %u threads differ, %llu of %llu events, "
		       "%llu of %llu late, %llu unknown%s%s\n",
		       i, f->st, d.message, f->replay.wrong, wrong,
		       (unsigned long long)f->replay.events, (unsigned long long)r->sim.events,
		       (unsigned long long)f->replay.late, (unsigned long long)r->sim.late,
		       (unsigned long long)f->replay.unknown,
		       info.complete ? "" : ", incomplete: ", info.nnotes ? info.notes[0] : "");
}

static void test_random(unsigned cases)
{
	for (unsigned every = 1; every <= 200; every = every * 5 + 2) {
		struct tally all = { 0 };

		for (unsigned i = 0; i < cases && all.bad < 5; i++) {
			struct follower *f = mem_zalloc(sizeof(*f));
			struct run r;

			run_begin(&r, i, 20 + i % 400, 0);
			run_follow(&r, f, every, false);
			check_whole(f, &r, i, &all);
			follower_free(f);
			run_end(&r);
		}
		TAP_EQ(all.bad, 0, "%u random executions, looked at every %u steps or so",
		       all.cases, every);
		TAP_OK(all.early > all.cases / 2, "most of it comes before the end: %u of %u",
		       all.early, all.cases);
		printf("# %u with something unknown\n", all.unknown);
	}
}

/* ---- steps ---- */

static void rf_read(const char *file, struct rf *r)
{
	struct step_options how = { .recycle = false };
	struct step_batch b;
	struct steps *s;
	struct trace *t;

	if (trace_open(file, NULL, &t, &d) != ST_OK)
		abort();
	s = steps_new(t, &how);
	while (steps_next(s, &b, &d) == ST_OK)
		rf_take(r, &b);
	steps_free(s);
	trace_close(t);
}

static void test_steps(unsigned cases)
{
	unsigned bad = 0, compared = 0;
	uint64_t reads = 0;

	for (unsigned i = 0; i < cases && bad < 5; i++) {
		struct follower *f = mem_zalloc(sizeof(*f));
		struct rf *want = mem_zalloc(sizeof(*want));
		struct run r;

		run_begin(&r, i, 20 + i % 400, 0);
		rf_read(whole, want);
		run_follow(&r, f, 3 + i % 50, true);
		if (f->replay.unknown == 0) {
			bool same = f->st == ST_END && !f->replay.wrong[0];

			for (unsigned k = 0; k < TIDS; k++)
				same = same && f->rf.of[k] == want->of[k];
			compared++;
			reads += want->reads;
			if (!same && bad++ < 5)
				printf("# case %u: %s\n", i, f->replay.wrong);
		}
		mem_free(want);
		follower_free(f);
		run_end(&r);
	}
	TAP_EQ(bad, 0, "steps of %u executions: locks, and what %llu reads saw, as afterwards",
	       compared, (unsigned long long)reads);
}

/* ---- runs that do not end well ---- */

/* What a reading of the file as it is has. */
static uint64_t events_read(void)
{
	struct replay *r = mem_zalloc(sizeof(*r));
	struct trace *t;
	struct event e;
	uint64_t n;

	if (trace_open(path, NULL, &t, &d) != ST_OK)
		abort();
	while (trace_next(t, &e, &d) == ST_OK)
		replay_event(r, &e);
	trace_close(t);
	n = r->events;
	mem_free(r);
	return n;
}

static void test_killed(unsigned cases)
{
	unsigned bad = 0, more = 0;

	for (unsigned i = 0; i < cases && bad < 5; i++) {
		struct follower *f = mem_zalloc(sizeof(*f));
		unsigned looks = i % 7 + 2;
		uint64_t want;
		struct run r;

		run_begin(&r, i, 20 + i % 400, 0);
		while (looks-- > 0) {
			run_some(&r, 1 + i % 40);
			follower_step(f, false);
		}
		want = events_read();
		trace_follow_end(f->trace);
		follower_take(f);
		more += f->replay.events > want;
		if ((f->st != ST_END || f->replay.wrong[0] || f->replay.events < want) && bad++ < 5)
			printf("# case %u: status %d %s, %s, %llu events, %llu in the file\n", i,
			       f->st, d.message, f->replay.wrong,
			       (unsigned long long)f->replay.events, (unsigned long long)want);
		follower_free(f);
		run_end(&r);
	}
	TAP_EQ(bad, 0, "%u executions killed anywhere: all that a reading afterwards has", cases);
	printf("# %u of them had more, which was sure by then\n", more);
}

static void test_dropped(unsigned cases)
{
	unsigned bad = 0, dropped = 0;

	for (unsigned i = 0; i < cases && bad < 5; i++) {
		struct follower *f = mem_zalloc(sizeof(*f));
		struct run r;

		run_begin(&r, i, 4000, 16000);
		d.message[0] = 0;
		run_follow(&r, f, i % 5 == 0 ? 4000 : 20 * (i % 5), false);
		dropped += f->st == ST_BAD_INPUT && strstr(d.message, "dropped") != NULL;
		if (f->replay.wrong[0] || (f->st != ST_END && !strstr(d.message, "dropped")))
			bad++;
		follower_free(f);
		run_end(&r);
	}
	TAP_EQ(bad, 0, "%u executions with --keep: right, or it is said that something is gone",
	       cases);
	TAP_OK(dropped > 0 && dropped < cases, "%u of %u were too fast for us", dropped, cases);
}

/* Whatever is in the file, and changes there, nobody falls over. */
static void test_hostile(unsigned cases)
{
	unsigned ended = 0;

	for (unsigned i = 0; i < cases; i++) {
		struct follower *f = mem_zalloc(sizeof(*f));
		bool more = true;
		struct run r;

		f->blind = true;
		run_begin(&r, i, 20 + i % 400, 0);
		while (more && goes_on(f)) {
			int fd = open(path, O_WRONLY);

			more = run_some(&r, 30);
			for (unsigned k = sim_random(&r.seed) % 4; k > 0; k--) {
				uint8_t byte = (uint8_t)sim_random(&r.seed);
				uint64_t size = (uint64_t)lseek(fd, 0, SEEK_END);

				if (pwrite(fd, &byte, 1, (off_t)(sim_random(&r.seed) % size)) != 1)
					abort();
			}
			close(fd);
			follower_step(f, false);
		}
		if (f->trace && goes_on(f)) {
			trace_follow_end(f->trace);
			follower_take(f);
			follower_take(f);
		}
		ended += !goes_on(f);
		follower_free(f);
		run_end(&r);
	}
	TAP_OK(ended > cases / 2, "%u files that are spoilt while they grow: %u came to an end",
	       cases, ended);
}

int main(void)
{
	const char *tmp = getenv("TMPDIR");
	unsigned cases = (unsigned)tap_rounds(250, 5000);

	snprintf(whole, sizeof(whole), "%.40s/follow.%d", tmp ? tmp : "/tmp", (int)getpid());
	snprintf(path, sizeof(path), "%.40s/follow.%d.g", tmp ? tmp : "/tmp", (int)getpid());
	test_random(cases);
	test_steps(cases);
	test_killed(cases);
	test_dropped(cases / 5);
	test_hostile(cases);
	unlink(whole);
	unlink(path);
	return tap_done();
}
