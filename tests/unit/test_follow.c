/*
 * Following a recording while it grows: random executions are written once more, record by record as
 * they came about, and looked at now and then.  What is yielded is replayed on a memory, where every version
 * named must be the current one; and each thread's events are those of a reading afterwards.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/vec.h"
#include "growing.h"
#include "order/step.h"
#include "replay.h"
#include "sim.h"
#include "steps_text.h"
#include "tap.h"
#include "trace/follow.h"
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

/* ---- following ---- */

struct way {
	unsigned every; /* steps between looks, about */
	bool patient;	/* looks only while no record is about to be written */
	bool keeps;	/* a file of --keep */
	bool killed;	/* the run ends anywhere */
	bool torn;
};

struct follower {
	struct trace *trace;
	struct replay replay;
	struct sums sums;
	enum status st;
	uint64_t before_end; /* events yielded while it grew */
};

static void follow_some(struct follower *f)
{
	struct event e;

	while ((f->st = trace_next(f->trace, &e, &d)) == ST_OK) {
		replay_event(&f->replay, &e);
		sum_event(&f->sums, &e);
	}
}

static void follow_step(struct follower *f)
{
	const struct trace_options opt = { .follow = true };

	if (!f->trace && trace_open(path, &opt, &f->trace, &d) != ST_OK)
		return;
	follow_some(f);
	f->before_end = f->replay.events;
}

static bool step_many(struct growing *g, uint64_t *seed, unsigned every)
{
	bool more = true;

	for (uint64_t n = sim_random(seed) % (2 * every) + 1; n > 0 && more; n--)
		more = growing_step(g);
	return more;
}

struct tally {
	unsigned bad, early, unknown, cases;
};

static void check_one(const struct follower *f, const struct sums *want,
		      const struct sim_result *sim, const struct way *way, unsigned i,
		      struct tally *all)
{
	struct trace_info info;
	unsigned wrong = 0;

	trace_info(f->trace, &info);
	for (unsigned k = 0; k < TIDS; k++)
		wrong += f->sums.of[k] != want->of[k];
	all->cases++;
	all->early += f->before_end > sim->events / 4;
	all->unknown += f->replay.unknown != 0;
	if (f->st == ST_END && !f->replay.wrong[0] && wrong == 0 && info.complete &&
	    f->replay.events == sim->events && f->replay.late == sim->late &&
	    !(way->patient && f->replay.unknown))
		return;
	if (all->bad++ < 5)
		printf("# case %u: status %d %s, %s, %u threads differ, %llu of %llu events, "
		       "%llu of %llu late, %llu unknown%s%s\n",
		       i, f->st, d.message, f->replay.wrong, wrong,
		       (unsigned long long)f->replay.events, (unsigned long long)sim->events,
		       (unsigned long long)f->replay.late, (unsigned long long)sim->late,
		       (unsigned long long)f->replay.unknown,
		       info.complete ? "" : ", incomplete: ", info.nnotes ? info.notes[0] : "");
}

static void one(const struct way *way, unsigned i, unsigned steps, struct tally *all)
{
	struct follower *f = mem_zalloc(sizeof(*f));
	struct builder *b = builder_new(0);
	struct growing_how how = { .keep = 0 };
	struct sim_result sim;
	struct growing *g;
	struct sums want;
	uint64_t seed = i + 77;
	const uint8_t *bytes;
	size_t n;
	bool more = true;

	sim_run(b, i, steps, &sim);
	bytes = builder_bytes(b, &n);
	builder_save(whole, bytes, n);
	how.history = builder_history(b, &how.nhistory);
	if (!sums_read(whole, &want))
		abort();
	unlink(path);
	g = growing_new(path, bytes, n, i, &how);
	while (more) {
		more = step_many(g, &seed, way->every);
		follow_step(f);
		if (f->st != ST_OK && f->st != ST_AGAIN)
			break;
	}
	for (unsigned k = 0; k < 4 && f->st == ST_AGAIN; k++)
		follow_some(f);
	check_one(f, &want, &sim, way, i, all);
	trace_close(f->trace);
	growing_free(g);
	builder_free(b);
	mem_free(f);
}

static void test_random(unsigned cases)
{
	for (unsigned every = 1; every <= 200; every = every * 5 + 2) {
		struct way way = { .every = every };
		struct tally all = { 0 };

		for (unsigned i = 0; i < cases && all.bad < 5; i++)
			one(&way, i, 20 + i % 400, &all);
		TAP_EQ(all.bad, 0, "%u random executions, looked at every %u steps or so",
		       all.cases, every);
		printf("# %u with a quarter yielded before the end, %u with something unknown\n",
		       all.early, all.unknown);
	}
}

int main(void)
{
	const char *tmp = getenv("TMPDIR");
	unsigned cases = getenv("LONG") ? 5000 : 300;

	snprintf(whole, sizeof(whole), "%.40s/follow.%d", tmp ? tmp : "/tmp", (int)getpid());
	snprintf(path, sizeof(path), "%.40s/follow.%d.g", tmp ? tmp : "/tmp", (int)getpid());
	test_random(cases);
	unlink(whole);
	unlink(path);
	return tap_done();
}
