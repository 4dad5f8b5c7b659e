/*
 * Goals: pairs of accesses that conflict, and circles of requests for locks.
 *
 * What a thread holds at an event follows from its own events before it, so whether requests wait for
 * one another when all of them are next can be told here; SPIN is left to find out whether they can be.
 */

#include "export/promela_priv.h"
#include "order/model.h"

#define LOOKS 10000000u /* at requests, on the way to circles */

struct held {
	uint32_t lock;
	bool shared;
};

struct request {
	uint32_t event, lock;
	bool shared;
	size_t held, nheld; /* into held */
};

struct finder {
	const struct model *m;
	struct promela_goals *out;
	VEC(struct request) requests; /* that hold something; by event */
	VEC(struct held) held;
	uint32_t path[PROMELA_CIRCLE];
	uint32_t npath, looks;
};

/* ---- requests ---- */

static bool is_acquire(const struct model_event *e)
{
	return e->op == STEP_ACQ || e->op == STEP_RACQ;
}

/* An acquire that may wait for ever, or the request that was the last thing its thread did. */
static bool is_request(const struct model *m, uint32_t e)
{
	const struct model_event *ev = &m->event[e];
	struct model_list chain = model_chain(m, ev->chain);

	if (ev->flags & STEP_TRY)
		return false;
	if ((is_acquire(ev) || ev->op == STEP_REQ || ev->op == STEP_RREQ) && m->is_loose[ev->obj])
		return false; /* it is freed by others too */
	if (ev->op != STEP_REQ && ev->op != STEP_RREQ)
		return is_acquire(ev);
	return ev->index + 1 == chain.n || m->event[chain.at[ev->index + 1]].tid != ev->tid;
}

static bool is_released(const struct model *m, uint32_t acquire, uint32_t before)
{
	uint32_t release = m->event[acquire].partner;

	return release != 0 && m->event[release].index < m->event[before].index;
}

static void add_request(struct finder *f, uint32_t e)
{
	const struct model_event *ev = &f->m->event[e];
	struct model_list chain = model_chain(f->m, ev->chain);
	struct request r = { .event = e,
			     .lock = ev->obj,
			     .shared = ev->op == STEP_RACQ || ev->op == STEP_RREQ,
			     .held = f->held.n };

	for (uint32_t i = 0; i < ev->index; i++) {
		const struct model_event *a = &f->m->event[chain.at[i]];

		if (is_acquire(a) && a->tid == ev->tid && !is_released(f->m, chain.at[i], e))
			*VEC_PUSH(&f->held) = (struct held){ a->obj, a->op == STEP_RACQ };
	}
	r.nheld = f->held.n - r.held;
	if (r.nheld != 0)
		*VEC_PUSH(&f->requests) = r;
}

/* ---- circles ---- */

static bool waits_for(const struct finder *f, uint32_t a, uint32_t b)
{
	const struct request *x = &f->requests.at[a], *y = &f->requests.at[b];

	for (size_t i = y->held; i < y->held + y->nheld; i++)
		if (f->held.at[i].lock == x->lock && !(f->held.at[i].shared && x->shared))
			return true;
	return false;
}

/* The requests on the path; readers may give one set in several ways. */
static void add_circle(struct finder *f)
{
	struct promela_goal g = { .n = f->npath, .deadlock = true };

	for (uint32_t i = 0; i < g.n; i++) {
		uint32_t event = f->requests.at[f->path[i]].event, k = i;

		for (; k > 0 && g.event[k - 1] > event; k--)
			g.event[k] = g.event[k - 1];
		g.event[k] = event;
	}
	for (size_t i = 0; i < f->out->at.n; i++)
		if (memcmp(f->out->at.at[i].event, g.event, sizeof(g.event)) == 0)
			return;
	*VEC_PUSH(&f->out->at) = g;
	f->out->deadlocks++;
}

static bool is_on_path(const struct finder *f, uint32_t r)
{
	uint32_t chain = f->m->event[f->requests.at[r].event].chain;

	for (uint32_t i = 0; i < f->npath; i++)
		if (f->m->event[f->requests.at[f->path[i]].event].chain == chain)
			return true;
	return false;
}

/* From the last request of the path on, through those after its first.  False: too much. */
static bool circles_from(struct finder *f)
{
	uint32_t first = f->path[0], last = f->path[f->npath - 1];

	if (f->npath > 1 && waits_for(f, last, first))
		add_circle(f);
	if (f->npath == PROMELA_CIRCLE)
		return true;
	for (uint32_t r = first + 1; r < f->requests.n; r++) {
		if (++f->looks > LOOKS || f->out->at.n > PROMELA_GOALS)
			return false;
		if (is_on_path(f, r) || !waits_for(f, last, r))
			continue;
		f->path[f->npath++] = r;
		if (!circles_from(f))
			return false;
		f->npath--;
	}
	return true;
}

static bool find_circles(const struct model *m, struct promela_goals *out)
{
	struct finder f = { .m = m, .out = out };
	bool good = true;

	for (uint32_t e = 1; e <= m->n; e++)
		if (is_request(m, e))
			add_request(&f, e);
	for (uint32_t r = 0; r < f.requests.n && good; r++) {
		f.path[0] = r;
		f.npath = 1;
		good = circles_from(&f);
	}
	VEC_RELEASE_ALL(&f.requests, &f.held);
	return good;
}

/* ---- goals ---- */

static bool find_races(const struct model *m, struct promela_goals *out)
{
	for (uint32_t i = 1; i <= m->n; i++) {
		for (uint32_t j = i + 1; j <= m->n; j++)
			if (model_conflict(m, i, j))
				*VEC_PUSH(&out->at) =
					(struct promela_goal){ .event = { i, j }, .n = 2 };
		if (out->at.n > PROMELA_GOALS)
			return false;
	}
	return true;
}

/* Keeps the goal of these two alone. */
static enum status keep_pair(const uint64_t *pair, uint64_t base, struct promela_goals *out,
			     struct diag *d)
{
	uint64_t low = pair[0] < pair[1] ? pair[0] : pair[1];
	uint64_t high = pair[0] < pair[1] ? pair[1] : pair[0];

	for (size_t i = 0; i < out->at.n; i++) {
		struct promela_goal g = out->at.at[i];

		if (g.n != 2 || g.event[0] + base != low || g.event[1] + base != high)
			continue;
		out->at.at[0] = g;
		out->at.n = 1;
		out->deadlocks = g.deadlock;
		return ST_OK;
	}
	return diag_fail(
		d, ST_BAD_INPUT,
		"events %llu and %llu are not two conflicting accesses, nor two acquires that can "
		"wait for each other",
		(unsigned long long)pair[0], (unsigned long long)pair[1]);
}

/* One race is found without the others: there may be too many of them. */
static bool find_pair(const struct model *m, const uint64_t *pair, struct promela_goals *out)
{
	uint64_t a = pair[0] - m->base, b = pair[1] - m->base;

	if (a < 1 || b < 1 || a > m->n || b > m->n || !model_conflict(m, (uint32_t)a, (uint32_t)b))
		return find_circles(m, out);
	*VEC_PUSH(&out->at) = (struct promela_goal){
		.event = { (uint32_t)(a < b ? a : b), (uint32_t)(a < b ? b : a) }, .n = 2
	};
	return true;
}

enum status promela_goals_find(const struct model *m, const struct promela_options *opt,
			       struct promela_goals *out, struct diag *d)
{
	if (opt->pair[0]) {
		(void)find_pair(m, opt->pair,
				out); /* short of some circles it may still be there */
		return keep_pair(opt->pair, m->base, out, d);
	}
	if (!find_races(m, out))
		return diag_fail(
			d, ST_LIMIT,
			"more than %d conflicting pairs: choose one with --pair, or take a part of "
			"the trace",
			PROMELA_GOALS);
	if (!find_circles(m, out))
		return diag_fail(
			d, ST_LIMIT,
			"too many circles of locks: choose a pair with --pair, or take a part of "
			"the trace");
	return ST_OK;
}
