/*
 * order/causal against sets of events, closed by the rules as they are written down: an event
 * brings its predecessors, and every read that is needed brings the write it saw and makes the
 * reads that feed that write needed too.
 */
#include "tap.h"

#include <stdlib.h>

#include "order/causal_priv.h"
#include "step_builder.h"

static const struct model_options plain = { 0 };
static const char *const mode_names[] = { "hard", "strict", "dep" };

#define EVENTS 40
#define THREADS 4
#define CELLS 4

struct closure {
	bool in[EVENTS + 2];
	bool needed[EVENTS + 2]; /* reads whose value must be the observed one */
	bool never;
};

static bool reads(const struct model *m, uint32_t e)
{
	return m->event[e].op == STEP_READ || m->event[e].op == STEP_RMW;
}

static void need(struct closure *c, uint32_t q)
{
	if (q == 0)
		c->never = true;
	else
		c->needed[q] = true;
}

static void event_close(const struct model *m, enum causal_mode mode, struct closure *c, uint32_t e)
{
	const struct model_event *x = &m->event[e];
	struct model_list preds = model_preds(m, e);

	if (x->index > 0)
		c->in[model_chain(m, x->chain).at[x->index - 1]] = true;
	for (uint32_t i = 0; i < preds.n; i++)
		c->in[preds.at[i]] = true;
	if (x->flags & STEP_STOP)
		c->never = true;
	if (reads(m, e) &&
	    (mode == CAUSAL_STRICT ||
	     (mode == CAUSAL_DEP && (!(x->flags & STEP_FREE_READ) || (x->flags & STEP_SHADOW)))))
		c->needed[e] = true;
	for (uint32_t i = x->feed; mode == CAUSAL_DEP && x->op == STEP_USE && i < x[1].feed; i++)
		need(c, m->feeds[i]);
}

static void read_close(const struct model *m, enum causal_mode mode, struct closure *c, uint32_t r)
{
	const struct model_event *x = &m->event[r];

	if (x->flags & STEP_TAINTED)
		c->never = true;
	for (uint32_t i = x->touch; i < x[1].touch; i++) {
		uint32_t w = m->touches[i].seen;

		if (w == 0)
			continue;
		c->in[w] = true;
		for (uint32_t k = m->event[w].feed; mode == CAUSAL_DEP && k < m->event[w + 1].feed;
		     k++)
			need(c, m->feeds[k]);
	}
}

static size_t size(const struct closure *c)
{
	size_t n = 0;

	for (uint32_t e = 1; e <= EVENTS; e++)
		n += c->in[e] + c->needed[e];
	return n;
}

static void close_under(const struct model *m, enum causal_mode mode, struct closure *c)
{
	size_t before;

	do {
		before = size(c);
		for (uint32_t e = 1; e <= m->n; e++) {
			if (c->in[e])
				event_close(m, mode, c, e);
			if (c->needed[e])
				read_close(m, mode, c, e);
		}
	} while (size(c) != before);
}

static bool cut_agrees(const struct model *m, const struct closure *c, bool possible,
		       const uint32_t *cut)
{
	if (!possible)
		return c->never;
	for (uint32_t e = 1; e <= m->n; e++)
		if (c->in[e] != (m->event[e].index < cut[m->event[e].chain]))
			return false;
	return !c->never;
}

static bool upto_agrees(const struct model *m, const struct causal *k, enum causal_mode mode,
			uint32_t e)
{
	uint32_t cut[THREADS] = { 0 };
	struct closure c = { 0 };
	bool possible = causal_upto(k, e, cut);

	c.in[e] = true;
	close_under(m, mode, &c);
	return cut_agrees(m, &c, possible, cut);
}

static bool before_agrees(const struct model *m, const struct causal *k, enum causal_mode mode,
			  uint32_t e)
{
	const struct model_event *x = &m->event[e];
	struct model_list preds = model_preds(m, e);
	uint32_t cut[THREADS] = { 0 };
	struct closure c = { 0 };

	if (x->index > 0)
		c.in[model_chain(m, x->chain).at[x->index - 1]] = true;
	for (uint32_t i = 0; i < preds.n; i++)
		c.in[preds.at[i]] = true;
	close_under(m, mode, &c);
	return cut_agrees(m, &c, causal_before(k, e, cut), cut);
}

static bool model_agrees(const struct model *m, enum causal_mode mode)
{
	struct causal *k = causal_new(m, mode, false);
	bool good = true;

	for (uint32_t e = 1; e <= m->n; e++)
		good = good && upto_agrees(m, k, mode, e) && before_agrees(m, k, mode, e);
	causal_free(k);
	return good;
}

/* Which of the thread's free reads so far feed the last step; sometimes one that nobody knows. */
static void random_feeds(struct step_builder *b, const uint64_t *free_reads, uint32_t n)
{
	uint32_t want = (uint32_t)rand() % 3;

	for (uint32_t i = 0; n > 0 && i < want; i++)
		step_build_feed(b, free_reads[n - 1 - (uint32_t)rand() % (n < 3 ? n : 3)]);
	if (rand() % 60 == 0)
		step_build_feed(b, 1);
}

struct run {
	struct step_builder b;
	uint64_t free_reads[THREADS + 1][EVENTS];
	uint32_t nfree[THREADS + 1];
	bool facts, trouble;
};

static void random_access(struct run *r, uint32_t tid)
{
	static const uint8_t ops[] = { STEP_READ,  STEP_READ,  STEP_READ, STEP_WRITE,
				       STEP_WRITE, STEP_WRITE, STEP_RMW,  STEP_FREE };
	uint8_t op = ops[rand() % 8];
	struct step *s;

	step_build_access(&r->b, tid, op, (uint32_t)rand() % CELLS);
	if (rand() % 4 == 0)
		step_build_cell(&r->b, (uint32_t)rand() % CELLS);
	s = step_build_last(&r->b);
	if (r->facts && (op == STEP_READ || op == STEP_RMW) && rand() % 3 != 0) {
		s->flags |= STEP_FREE_READ;
		if (r->trouble && op == STEP_READ && rand() % 12 == 0)
			s->flags |= STEP_TAINTED;
		if (op == STEP_READ && rand() % 12 == 0)
			s->flags |= STEP_SHADOW;
		else
			r->free_reads[tid][r->nfree[tid]++] = s->tseq;
	}
	if (r->facts && (op == STEP_WRITE || op == STEP_RMW))
		random_feeds(&r->b, r->free_reads[tid], r->nfree[tid]);
}

static void random_other(struct run *r, uint32_t tid)
{
	switch (rand() % 7) {
	case 0:
		step_build(&r->b, tid, STEP_FORK, (uint32_t)rand() % THREADS);
		break;
	case 1:
		step_build(&r->b, tid, STEP_JOIN, (uint32_t)rand() % THREADS);
		break;
	case 2:
		step_build(&r->b, tid, STEP_PUT, (uint32_t)rand() % 2);
		break;
	case 3:
		step_build(&r->b, tid, STEP_GET, (uint32_t)rand() % 2);
		break;
	case 4:
		step_build(&r->b, tid, STEP_NONE, 0);
		if (r->b.pos > 1)
			step_build_more(&r->b, STEP_AFTER, 0)->from =
				1 + (uint32_t)rand() % (r->b.pos - 1);
		break;
	case 5:
		step_build(&r->b, tid, STEP_USE, 0);
		if (r->facts)
			random_feeds(&r->b, r->free_reads[tid], r->nfree[tid]);
		break;
	default:
		step_build(&r->b, tid, STEP_NONE, 0);
		if (r->trouble && rand() % 4 == 0)
			step_build_last(&r->b)->flags |= STEP_STOP;
		break;
	}
}

static void test_random(bool facts, bool trouble)
{
	static struct run r;
	int wrong[3] = { 0 };

	for (int run = 0; run < 700; run++) {
		uint32_t threads = 2 + (uint32_t)rand() % (THREADS - 1);
		struct model *m;

		memset(&r, 0, sizeof(r));
		r.facts = facts;
		r.trouble = trouble;
		for (uint32_t t = 1; t <= threads; t++)
			r.b.tseq[t] = 1; /* number 1 is not known */
		while (r.b.pos < EVENTS) {
			uint32_t tid = 1 + (uint32_t)rand() % threads;

			if (rand() % 5 == 0)
				random_other(&r, tid);
			else
				random_access(&r, tid);
		}
		m = step_build_model(&r.b, &plain);
		for (int mode = CAUSAL_HARD; mode <= CAUSAL_DEP; mode++)
			wrong[mode] += !model_agrees(m, mode);
		model_free(m);
		step_builder_release(&r.b);
	}
	for (int mode = CAUSAL_HARD; mode <= CAUSAL_DEP; mode++)
		TAP_EQ(wrong[mode], 0, "random runs, %s%s%s", mode_names[mode],
		       facts ? ", with free reads" : "", trouble ? " and unknown writers" : "");
}

static uint32_t free_read(struct step_builder *b, uint32_t tid, uint32_t cell, unsigned flags)
{
	uint32_t id = step_build_access(b, tid, STEP_READ, cell);

	step_build_last(b)->flags |= (uint16_t)(STEP_FREE_READ | flags);
	return id;
}

/* Event b can never be next. */
static bool is_never(const struct causal *k, uint32_t b)
{
	uint32_t cut[THREADS] = { 0 };

	return !causal_before(k, b, cut);
}

/* Event a must run before b can be next, which can be. */
static bool orders(const struct model *m, const struct causal *k, uint32_t a, uint32_t b)
{
	uint32_t cut[THREADS] = { 0 };

	return causal_before(k, b, cut) && m->event[a].index < cut[m->event[a].chain];
}

/* A counter that two threads merely increment does not order them; a reader of it is bound. */
static void test_counter(void)
{
	struct step_builder b = { 0 };
	struct causal *dep, *strict;
	struct model *m;

	step_build(&b, 1, STEP_NONE, 0);	 /* 1 */
	free_read(&b, 1, 0, 0);			 /* 2 */
	step_build_access(&b, 1, STEP_WRITE, 0); /* 3 */
	step_build_feed(&b, 2);
	free_read(&b, 2, 0, 0);			 /* 4: sees 3 */
	step_build_access(&b, 2, STEP_WRITE, 0); /* 5 */
	step_build_feed(&b, 1);
	step_build(&b, 2, STEP_NONE, 0);	/* 6 */
	step_build_access(&b, 3, STEP_READ, 0); /* 7: sees 5 */
	step_build(&b, 3, STEP_NONE, 0);	/* 8 */
	step_build_access(&b, 2, STEP_READ,
			  0);		 /* 9: its own write, for which 3 must be as it was */
	step_build(&b, 2, STEP_NONE, 0); /* 10 */
	m = step_build_model(&b, &plain);
	dep = causal_new(m, CAUSAL_DEP, false);
	strict = causal_new(m, CAUSAL_STRICT, false);
	TAP_OK(orders(m, strict, 3, 6) && !orders(m, dep, 3, 6), "free reads do not order");
	TAP_OK(orders(m, dep, 5, 8) && orders(m, dep, 3, 8), "a slice does");
	TAP_OK(!orders(m, dep, 5, 7), "a read that is next is not bound yet");
	TAP_OK(!orders(m, dep, 3, 9) && orders(m, dep, 3, 10), "own write, foreign slice");
	causal_free(dep);
	causal_free(strict);
	model_free(m);
	step_builder_release(&b);
}

static void test_trouble(void)
{
	struct step_builder b = { 0 };
	struct causal *k[3];
	struct model *m;
	uint32_t cut[4] = { 0 };

	step_build_access(&b, 1, STEP_READ, 0); /* 1 */
	step_build_last(&b)->flags |= STEP_STOP;
	step_build_access(&b, 1, STEP_WRITE, 1); /* 2 */
	step_build_access(&b, 2, STEP_READ, 1);	 /* 3: saw 2 */
	free_read(&b, 3, 2, STEP_TAINTED);	 /* 4 */
	step_build_access(&b, 3, STEP_WRITE, 3); /* 5: fed by 4 */
	step_build_feed(&b, 1);
	step_build_access(&b, 4, STEP_READ, 3); /* 6: saw 5 */
	step_build(&b, 4, STEP_NONE, 0);	/* 7 */
	m = step_build_model(&b, &plain);
	for (int mode = CAUSAL_HARD; mode <= CAUSAL_DEP; mode++)
		k[mode] = causal_new(m, mode, false);
	for (int mode = CAUSAL_HARD; mode <= CAUSAL_DEP; mode++)
		TAP_OK(!is_never(k[mode], 1) && !causal_upto(k[mode], 1, cut) &&
			       is_never(k[mode], 2),
		       "stop, %s", mode_names[mode]);
	TAP_OK(causal_upto(k[CAUSAL_HARD], 3, cut) && !causal_upto(k[CAUSAL_STRICT], 3, cut),
	       "a read of what is never");
	TAP_OK(!is_never(k[CAUSAL_DEP], 5) && is_never(k[CAUSAL_STRICT], 5),
	       "an unknown writer: the thread goes on, but not in the strict model");
	TAP_OK(!is_never(k[CAUSAL_DEP], 6) && is_never(k[CAUSAL_DEP], 7),
	       "who needs the value cannot");
	for (int mode = CAUSAL_HARD; mode <= CAUSAL_DEP; mode++)
		causal_free(k[mode]);
	model_free(m);
	step_builder_release(&b);
}

/* Event a must run before b is called, which can be. */
static bool arrives_after(const struct model *m, const struct causal *k, uint32_t a, uint32_t b)
{
	uint32_t cut[THREADS] = { 0 };

	return causal_arrive(k, b, cut) && m->event[a].index < cut[m->event[a].chain];
}

/* Who joins, or waits for a signal, has called before the other one is there. */
static void test_arrive(void)
{
	struct step_builder b = { 0 };
	struct causal *k;
	struct model *m;

	step_build(&b, 1, STEP_NONE, 0);   /* 1 */
	step_build(&b, 2, STEP_PARK, 0);   /* 2 */
	step_build(&b, 3, STEP_NOTIFY, 0); /* 3 */
	step_build_more(&b, STEP_PUT, 7);
	step_build(&b, 2, STEP_GET, 7);	 /* 4: the wake */
	step_build(&b, 2, STEP_NONE, 0); /* 5 */
	step_build(&b, 2, STEP_GET, 7);	 /* 6: of another kind */
	step_build(&b, 4, STEP_PARK, 0); /* 7 */
	step_build(&b, 4, STEP_NONE, 0); /* 8: it woke up by itself */
	step_build_more(&b, STEP_AFTER, 0)->from = 1;
	m = step_build_model(&b, &plain);
	k = causal_new(m, CAUSAL_STRICT, false);
	TAP_OK(orders(m, k, 3, 4), "a wake comes after its signal");
	TAP_OK(!arrives_after(m, k, 3, 4) && arrives_after(m, k, 2, 4),
	       "who sleeps has parked, and needs no signal");
	TAP_OK(arrives_after(m, k, 3, 5), "who goes on had one");
	TAP_OK(arrives_after(m, k, 3, 6) && arrives_after(m, k, 1, 8),
	       "what else comes after something still does");
	causal_free(k);
	model_free(m);
	step_builder_release(&b);
}

/* Many chains, each of which hears from all before it, and more rows than a block has. */
static void test_wide(void)
{
	struct step_builder b = { 0 };
	const uint32_t chains = 250;
	uint32_t cut[250] = { 0 };
	struct causal *k;
	struct model *m;
	bool good = true;

	for (uint32_t round = 0; round < 12; round++) {
		for (uint32_t t = 1; t <= chains; t++) {
			step_build_access(&b, t, STEP_READ, 0);
			step_build_access(&b, t, STEP_WRITE, 0);
		}
	}
	m = step_build_model(&b, &plain);
	k = causal_new(m, CAUSAL_STRICT, false);
	TAP_OK(causal_upto(k, m->n - 1, cut), "the last read can be reached");
	for (uint32_t c = 0; c < chains; c++)
		good = good && cut[c] == 24u - (c == chains - 1);
	TAP_OK(good, "and needs everything");
	causal_free(k);
	model_free(m);
	step_builder_release(&b);
}

/* Nobody waits for what is known any more: the rest of the events is left, and nothing is told of them. */
static void test_given_up(void)
{
	struct step_builder b = { 0 };
	volatile sig_atomic_t stop = 0;
	struct model_options opt = { .stop = &stop };
	const uint32_t rounds = 10000;
	struct causal *k;
	struct model *m;

	for (uint32_t i = 0; i < rounds; i++) {
		step_build_access(&b, 1 + i % 2, STEP_READ, 0);
		step_build_access(&b, 1 + i % 2, STEP_WRITE, 0);
	}
	m = step_build_model(&b, &opt);
	k = causal_new(m, CAUSAL_STRICT, false);
	TAP_OK(!is_never(k, m->n), "nobody has asked to stop: the last one is known");
	causal_free(k);
	stop = 1;
	k = causal_new(m, CAUSAL_STRICT, false);
	TAP_OK(!is_never(k, 1) && is_never(k, m->n), "stopped: no more than the first ones");
	causal_free(k);
	model_free(m);
	step_builder_release(&b);
}

/* Threads that nobody joins add to a counter under its lock: each knows all those before it. */
static double work_of_crowd(uint32_t threads)
{
	struct step_builder b = { 0 };
	struct causal *k;
	struct model *m;
	double work;

	for (uint32_t t = 1; t <= threads; t++) {
		step_build(&b, t, STEP_ACQ, 0);
		step_build_access(&b, t, STEP_READ, 0);
		step_build_access(&b, t, STEP_WRITE, 0);
		step_build(&b, t, STEP_REL, 0);
	}
	m = step_build_model(&b, &(struct model_options){ 0 });
	k = causal_new(m, CAUSAL_STRICT, true);
	work = (double)(k->cuts.n + k->locks.n) / m->n;
	causal_free(k);
	model_free(m);
	step_builder_release(&b);
	return work;
}

/* Five times the threads: a level more in the trees, not five times as much for each event. */
static void test_crowd(void)
{
	double few = work_of_crowd(50), many = work_of_crowd(250);

	TAP_OK(many < 2 * few, "work for each event: %.1f with 50 threads, %.1f with 250", few,
	       many);
}

int main(void)
{
	srand(11);
	test_crowd();
	test_counter();
	test_trouble();
	test_arrive();
	test_wide();
	test_given_up();
	test_random(false, false);
	test_random(true, false);
	test_random(true, true);
	return tap_done();
}
