#include "explore/guided.h"

#include <fcntl.h>
#include <unistd.h>

#include "analyse/analyse.h"
#include "explore/again.h"
#include "explore/bounded.h"
#include "replay/scratch.h"
#include "trace/trace.h"

/* ---- the first run ---- */

/* steer: NULL, it was not recorded by us. */
static enum status find_aims(const char *path, const struct steer *steer, struct aims *out,
			     struct diag *d)
{
	struct window_graph graph = { 0 };
	struct trace *t;
	struct analyse a;
	enum status st = trace_open(path, &(struct trace_options){ 0 }, &t, d);

	if (st != ST_OK)
		return st;
	st = window_graph_read(&graph, t, d);
	trace_close(t);
	if (st == ST_OK) {
		analyse_init(&a);
		a.quiet = a.passing = a.hurry = true;
		if (!aims_find(out, &a, path, &graph, steer))
			st = diag_fail(d, ST_IO, "the first run could not be analysed");
		analyse_release(&a);
	}
	window_graph_release(&graph);
	return st;
}

#define RECORD_TIMES 3u /* at most */

enum status guided_record(struct server *server, const struct server_program *p, struct aims *out,
			  struct diag *d)
{
	char *trace = scratch_path("trace", 0);
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	const struct explore_runner *r = &server->pool.runner;
	struct launch_end end;
	struct steer steer;
	uint32_t times = 0;
	enum status st;

	*out = (struct aims){ 0 };
	/* What is found is to be led to step by step, so all words that are shared must be known.  Not where
	 * a run finds what the one before has left. */
	do
		st = again_run(server, p, NULL, 0, trace, nothing, &end, d);
	while (st == ST_OK && !server->stopped && r->head->grown != 0 && r->head->outside == 0 &&
	       ++times < RECORD_TIMES);
	if (st == ST_OK && access(trace, R_OK) == 0) {
		st = steer_init(&steer, r, trace, d);
		if (st == ST_OK)
			st = find_aims(trace, &steer, out, d);
		steer_release(&steer);
	}
	if (nothing >= 0)
		close(nothing);
	unlink(trace);
	mem_free(trace);
	return st;
}

/* Is it a recording of this program? */
static enum status check_program(const char *path, const char *program, struct diag *d)
{
	struct trace *t;
	const char *of;
	char *own = realpath(program, NULL), *its = NULL;
	enum status st = trace_open(path, &(struct trace_options){ 0 }, &t, d);

	if (st == ST_OK) {
		of = trace_info(t).program;
		its = of ? realpath(of, NULL) : NULL;
		if (!own || !its || strcmp(own, its) != 0)
			st = diag_fail(d, ST_BAD_INPUT, "'%s' is a recording of %s, not of '%s'",
				       path, of ? of : "no program", program);
		trace_close(t);
	}
	free(own);
	free(its);
	return st;
}

enum status guided_read(const char *trace, const char *program, struct aims *out, struct diag *d)
{
	enum status st = check_program(trace, program, d);

	*out = (struct aims){ 0 };
	return st == ST_OK ? find_aims(trace, NULL, out, d) : st;
}

/* ---- a window ---- */

struct window_runner {
	struct explore_runner own; /* first: it is what strategies run by */
	struct explore_runner *all;
	struct search *search;
	struct baton_head was; /* when nothing in the window could move */
	struct explore_verdict verdict;
	VEC(struct baton_step) steps; /* up to there */
	bool is_found;		      /* what is to stop the search */
};

/* Nothing in the window can move: do all wait for the end of somebody frozen, or of one who does? */
static bool is_excused(const struct baton_head *h)
{
	struct baton_set late = h->frozen, before;

	do {
		before = late;
		for (uint32_t t = 0; t < h->nthreads; t++)
			if (h->pending[t].kind == BATON_JOIN &&
			    h->pending[t].second < BATON_THREADS &&
			    baton_has(&late, (uint32_t)h->pending[t].second))
				baton_add(&late, t);
	} while (memcmp(&before, &late, sizeof(late)) != 0);
	for (uint32_t t = 0; t < h->nthreads; t++)
		if (baton_has(&h->alive, t) && !baton_has(&late, t))
			return false;
	return true;
}

/* Keeps the run as it is, or brings it back: the strategy knows of no other. */
static void keep_run(struct window_runner *w)
{
	w->was = *w->own.head;
	w->verdict = w->own.verdict;
	VEC_CLEAR(&w->steps);
	VEC_APPEND(&w->steps, explore_steps(w->all), w->was.nsteps);
}

static void bring_back(struct window_runner *w)
{
	struct baton_head *h = w->own.head;

	if (w->steps.n > 0)
		memcpy((char *)h + h->steps, w->steps.at, w->steps.n * sizeof(w->steps.at[0]));
	h->policy = w->was.policy;
	h->nprefix = w->was.nprefix;
	h->sleep = w->was.sleep;
	h->frozen = w->was.frozen;
	h->nsteps = w->was.nsteps;
	h->nthreads = w->was.nthreads;
	h->grown += w->was.grown;
	h->awaited += w->was.awaited;
	h->alive = w->was.alive;
	memcpy(h->pending, w->was.pending, sizeof(h->pending));
	w->own.verdict = w->verdict;
}

/* Once more, and then everybody goes on: if that is a failure it is kept.  What the strategy gets is
 * the run up to there. */
static bool run_on(struct window_runner *w, struct diag *d)
{
	struct baton_head *h = w->own.head;
	bool good;

	keep_run(w);
	for (size_t i = 0; i < w->steps.n; i++)
		explore_choices(w->all)[i] = w->steps.at[i].choice;
	w->all->guess = NULL;
	h->policy = BATON_GO_ON;
	h->nprefix = h->nsteps;
	h->sleep = h->frozen = (struct baton_set){ { 0 } };
	good = w->all->run(w->all, d);
	w->own.is_late = w->all->is_late;
	w->own.ended = w->all->ended;
	w->own.verdict = w->all->verdict;
	if (good && !w->own.is_late)
		w->is_found |= search_take(w->search, w->was.nsteps) == SEARCH_FOUND;
	bring_back(w);
	return good;
}

static bool run_in_window(struct explore_runner *r, struct diag *d)
{
	struct window_runner *w = (struct window_runner *)r;
	struct baton_head *h = r->head;

	w->all->guess = r->guess;
	w->all->guess_arg = r->guess_arg;
	if (!w->all->run(w->all, d))
		return false;
	r->is_late = w->all->is_late;
	r->ended = w->all->ended;
	r->verdict = w->all->verdict;
	if (r->is_late || (h->outcome != BATON_DEADLOCK && h->outcome != BATON_STILL) ||
	    baton_is_empty(&h->frozen))
		return true;
	if (!is_excused(h) && !run_on(w, d))
		return false;
	h->outcome = BATON_BLOCKED;
	return !w->is_found;
}

/* ---- the shortest schedule there ---- */

#define SHORTEN_RUNS 1000u

struct shortening {
	struct search search;
	const struct search_failure *failure;
};

static bool shortens_on(void *context, const struct search *s)
{
	(void)context;
	return s->runs < SHORTEN_RUNS;
}

static bool is_same(void *context, const struct explore_runner *r, uint64_t *mark)
{
	const struct search_failure *f = ((struct shortening *)context)->failure;

	return r->head->outcome == f->outcome && r->ended == f->ended &&
	       search_signature(r, *mark) == f->signature;
}

/* Most runs of a window are blocked at its end: that they are not whole is no matter. */
static bool is_over(enum search_end end)
{
	return end != SEARCH_WHOLE && end != SEARCH_PARTLY;
}

/* With as few preemptions as there are in the window, fewer than `than'.  Of all threads it would take too
 * long. */
static void shorten(struct window_runner *w, const struct baton_set *frozen,
		    struct search_failure *f, uint32_t than, struct diag *d)
{
	struct shortening x = { .search = { .runner = &w->own,
					    .keeps_on = shortens_on,
					    .is_failure = is_same,
					    .frozen = *frozen },
				.failure = f };
	enum search_end end = SEARCH_WHOLE;

	x.search.context = &x;
	w->search = &x.search;
	for (uint32_t bound = 0; bound < than && !is_over(end); bound++) {
		struct bounded_counts counts;

		w->is_found = false;
		end = bounded_search(&x.search, bound, &counts, d);
		if (w->is_found)
			end = SEARCH_FOUND;
	}
	if (end == SEARCH_FOUND) {
		struct search_failure *found = &x.search.failures.at[0];

		VEC_SWAP(&f->schedule, &found->schedule);
		f->nprefix = found->nprefix;
		f->preemptions = found->preemptions;
	}
	/* If more words are steps now, it has to be found again; if there was not time enough, others may
	 * find a shorter one. */
	f->is_short = end == SEARCH_FOUND || (!is_over(end) && x.search.grown == 0);
	search_release(&x.search);
}

/* Has the run done what the aim is about, each event at its place? */
static bool has_followed(const struct aim *a, const struct explore_runner *r)
{
	const struct baton_step *steps = explore_steps(r);

	for (uint32_t i = 0; i < a->n; i++) {
		uint32_t at = a->course.targets[i];

		if (at == 0 || at > r->head->nsteps || steps[at - 1].op.site != a->sites[i] ||
		    steps[at - 1].choice.thread + 1u != a->tids[i])
			return false;
	}
	return true;
}

enum search_end guided_force(struct search *s, struct aims *g, size_t which, struct diag *d)
{
	struct window_runner w = { .own = { .head = s->runner->head, .run = run_in_window },
				   .all = s->runner };
	struct aim *a = &g->at.at[which];
	struct search_ask ask = { .nprefix = (uint32_t)a->course.at.n, .is_attempt = true };
	struct baton_set frozen = aim_frozen(g, a);
	size_t nfailures = s->failures.n;
	enum search_end end;

	if (a->course.at.n > s->runner->head->nchoices)
		return SEARCH_WHOLE;
	memcpy(explore_choices(s->runner), a->course.at.at,
	       a->course.at.n * sizeof(*a->course.at.at));
	s->strategy = "guided";
	end = search_run(s, &ask, d);
	if (end == SEARCH_WHOLE || end == SEARCH_FOUND)
		a->is_forced = true;
	/* Blocks are split by the order itself; all else is seen by whoever looks at a run. */
	if (a->is_forced && a->kind == FINDING_ATOMICITY && has_followed(a, s->runner))
		a->run = s->runs;
	/* It has steps of everybody: one of the window is shorter, be it with as many preemptions. */
	for (size_t i = nfailures; i < s->failures.n && !baton_is_empty(&frozen); i++)
		shorten(&w, &frozen, &s->failures.at[i], s->failures.at[i].preemptions + 1, d);
	VEC_RELEASE(&w.steps);
	return end;
}

/* While these are frozen. */
static enum search_end search_without(struct search *s, const struct baton_set *frozen,
				      struct dpor_counts *counts, struct diag *d)
{
	struct window_runner w = { .own = { .head = s->runner->head, .run = run_in_window },
				   .all = s->runner,
				   .search = s };
	size_t nfailures = s->failures.n;
	enum search_end end;

	s->runner = &w.own;
	s->frozen = *frozen;
	s->strategy = "guided";
	end = dpor_search(s, counts, d);
	if (w.is_found)
		end = SEARCH_FOUND; /* and not trouble */
	s->frozen = (struct baton_set){ { 0 } };
	s->runner = w.all;
	for (size_t i = nfailures; i < s->failures.n && !baton_is_empty(frozen); i++)
		shorten(&w, frozen, &s->failures.at[i], s->failures.at[i].preemptions, d);
	VEC_RELEASE(&w.steps);
	return end;
}

static void note_end(struct aim *a, enum search_end end, uint64_t runs)
{
	a->is_tried = true;
	a->end = end;
	a->runs = runs;
}

enum search_end guided_search(struct search *s, struct aims *g, size_t which,
			      struct dpor_counts *counts, struct diag *d)
{
	struct baton_set frozen = aim_frozen(g, &g->at.at[which]);
	uint64_t before = s->runs;
	enum search_end end = search_without(s, &frozen, counts, d);

	for (size_t i = 0; i < g->at.n; i++)
		if (g->at.at[i].first == g->at.at[which].first)
			note_end(&g->at.at[i], end, s->runs - before);
	return end;
}

enum search_end guided_window(struct search *s, struct aims *g, const struct baton_set *window,
			      struct dpor_counts *counts, struct diag *d)
{
	struct baton_set frozen = { { 0 } };
	uint64_t before = s->runs;
	uint32_t size = 0;
	enum search_end end;

	for (uint32_t t = 0; t < BATON_THREADS; t++)
		if (!baton_has(window, t))
			baton_add(&frozen, t);
	for (uint32_t t = 0; t < g->nthreads && t < BATON_THREADS; t++)
		size += baton_has(window, t);
	end = search_without(s, &frozen, counts, d);
	for (size_t i = 0; i < g->at.n; i++) {
		g->at.at[i].size = size;
		note_end(&g->at.at[i], end, s->runs - before);
	}
	return end;
}
