/*
 * For two classes of accesses, is there a pair that can be next at once?
 *
 * The closure of a pair grows with both its events.  So with the later event e2 going through the
 * trace, a pointer p into the other class only moves forward:
 *
 *	closure(at[p], e2) takes at[p] in:	it will for later e2, too; p moves on
 *	has no closure:				nor has any later pair; the classes are done
 *	otherwise:				a race, and the classes are done
 *
 * That decides each pair of classes in as many steps as they have members, and misses nothing.
 * With all_pairs each pair is looked at.
 */
#include "predict/syncp.h"

#include <string.h>

#include "base/map.h"
#include "base/pool.h"
#include "predict/candidates.h"
#include "predict/closure.h"
#include "predict/engine.h"
#include "predict/found.h"
#include "predict/goal.h"
#include "predict/limits.h"
#include "predict/propose.h"

#define DONE UINT64_MAX

struct search {
	const struct model *m;
	const struct engine_options *opt;
	const struct candidates *candidates;
	struct causal *closed; /* with sections */
	struct found *found;
	struct worker *workers;
	const struct engine *engine;
};

struct worker {
	struct search *search;
	struct walk *walk;
	size_t piece;
	struct map pointers; /* by pair of classes of the cell; DONE when decided */
	struct causal_meeting *meeting;
	struct causal_known before; /* of the later event */
};

static bool search_before(void *arg, uint32_t e, struct causal_known *out)
{
	struct worker *w = arg;
	bool can = causal_known(w->search->closed, e, out);

	w->before = *out;
	return can;
}

static void search_cell(void *arg, uint32_t cell)
{
	struct worker *w = arg;

	(void)cell;
	/* Clearing costs its capacity: one busy cell must not burden all others. */
	if (w->pointers.capacity > 4096)
		map_release(&w->pointers);
	else
		map_clear(&w->pointers);
}

enum answer {
	APART, /* both can be next at once: the meeting says when */
	TAKES, /* e1 has to run before e2 can be next */
	NONE,  /* no closed cut at all, for these and for later events of their chains */
};

/* taken: how much of e1's chain has to run. */
static enum answer ask(struct worker *w, uint32_t e1, uint32_t e2, uint32_t *taken)
{
	const struct model_event *a = &w->search->m->event[e1];

	*taken = causal_known_at(&w->before, a->chain);
	if (*taken > a->index)
		return TAKES;
	if (!causal_meet(w->meeting, e1, e2))
		return NONE;
	*taken = causal_meeting_at(w->meeting, a->chain);
	return *taken > a->index ? TAKES : APART;
}

/* The first access of the class from *p on that does not have to run, and the answer for it; TAKES:
 * all have to.  Those that had to have to for any further pair. */
static enum answer ask_next(struct worker *w, const struct candidate *x, uint32_t *p)
{
	const struct model_event *event = w->search->m->event;
	enum answer a = TAKES;
	uint32_t taken;

	while (*p < x->n && (a = ask(w, x->at[*p], x->e, &taken)) == TAKES)
		while (*p < x->n && event[x->at[*p]].index < taken)
			++*p;
	return a;
}

static bool add(struct worker *w, const struct candidate *x, uint32_t e1)
{
	struct found_pair p = { e1, x->e, x->signature };

	return found_add(w->search->found, w->piece, &p);
}

static bool meet_some(void *arg, const struct candidate *x)
{
	struct worker *w = arg;
	struct search *s = w->search;
	uint64_t *pointer = map_put(&w->pointers, x->pair, NULL);
	enum answer a;
	uint32_t p;

	if (*pointer == DONE)
		return true;
	if (found_has(s->found, w->piece, x->signature)) {
		*pointer = DONE;
		return true;
	}
	p = *pointer > x->live ? (uint32_t)*pointer : x->live;
	a = ask_next(w, x, &p);
	*pointer = a == TAKES ? p : DONE;
	return a == APART ? add(w, x, x->at[p]) : a == NONE || !engine_stopped(s->opt);
}

static bool meet_every(void *arg, const struct candidate *x)
{
	struct worker *w = arg;
	struct search *s = w->search;
	uint32_t p = x->live;
	enum answer a;

	for (; (a = ask_next(w, x, &p)) == APART; p++)
		if (candidates_mine(s->m, x->at[p], x->e, x->cell) && !add(w, x, x->at[p]))
			return false;
	return a == NONE || !engine_stopped(s->opt);
}

static bool is_found(void *arg, uint64_t signature)
{
	struct worker *w = arg;

	return found_has(w->search->found, w->piece, signature);
}

static void search_piece(void *arg, size_t piece, unsigned worker)
{
	struct search *s = arg;
	struct worker *w = &s->workers[worker];
	struct candidate_visitor v = { .before = search_before,
				       .cell = search_cell,
				       .over = is_found,
				       .meet = meet_some,
				       .arg = w };

	if (s->opt->all_pairs) {
		v.meet = meet_every;
		v.over = NULL;
	}
	w->piece = piece;
	if (!engine_stopped(s->opt) && !found_enough(s->found, piece))
		walk_piece(w->walk, piece, &v);
	found_done(s->found, piece);
	if (worker == 0 && s->opt->progress)
		s->opt->progress(s->opt->progress_arg, s->engine->name, piece,
				 candidates_npieces(s->candidates));
}

static void worker_init(struct worker *w, struct search *s)
{
	w->search = s;
	w->walk = walk_new(s->candidates);
	w->meeting = causal_meeting_new(s->closed);
}

static void worker_release(struct worker *w)
{
	walk_free(w->walk);
	map_release(&w->pointers);
	causal_meeting_free(w->meeting);
}

static void propose_found(struct search *s, struct engine_result *out)
{
	uint32_t n = s->m->nchains, *cut = mem_alloc(((size_t)n + 1) * sizeof(*cut));
	struct worker *w = &s->workers[0];

	if (found_collect(s->found))
		texts_add(&out->truncated, "%s: more than %zu %s; the first ones are shown",
			  s->engine->name, found_count(s->found),
			  s->opt->all_pairs ? "pairs" : "pairs of places");
	for (size_t i = 0; i < found_count(s->found); i++) {
		const struct found_pair *p = found_at(s->found, i);

		(void)causal_meet(w->meeting, p->e1, p->e2);
		memset(cut, 0, n * sizeof(*cut));
		causal_meeting_into(w->meeting, cut);
		propose_race(out, s->engine, s->m, p->e1, p->e2, cut, NULL, 0);
	}
	mem_free(cut);
}

struct found *syncp_search(const struct model *m, enum causal_mode mode,
			   const struct candidates *candidates, const struct engine_options *opt,
			   const struct engine *engine, struct engine_result *out)
{
	struct search s = { .m = m, .opt = opt, .candidates = candidates, .engine = engine };
	size_t pieces = candidates_npieces(candidates);
	unsigned jobs = opt->jobs ? opt->jobs : 1;

	s.found =
		found_new(pieces, opt->all_pairs ? LIMIT_PAIRS : LIMIT_SIGNATURES, opt->all_pairs);
	s.closed = pieces ? causal_new_sections(m, mode) : NULL;
	s.workers = mem_zalloc(jobs * sizeof(*s.workers));
	for (unsigned i = 0; i < jobs && pieces; i++)
		worker_init(&s.workers[i], &s);
	pool_run(jobs, pieces, search_piece, &s);
	propose_found(&s, out);
	for (unsigned i = 0; i < jobs && pieces; i++)
		worker_release(&s.workers[i]);
	mem_free(s.workers);
	causal_free(s.closed);
	return s.found;
}

bool syncp_pair(const struct model *m, const struct causal *c, uint32_t e1, uint32_t e2,
		uint32_t *cut)
{
	uint32_t events[] = { e1, e2 };

	return closure_reach(m, c, &(struct goal){ .next = events, .nnext = 2 }, cut);
}

static void search_alone(const struct engine *e, struct engine_run *run,
			 const struct engine_options *opt, struct engine_result *out)
{
	const struct model *m = engine_model(run);
	struct candidates *candidates = candidates_new(m);

	found_free(syncp_search(m, limits_mode(m, opt), candidates, opt, e, out));
	candidates_free(candidates);
}

const struct engine engine_syncp = {
	.name = "syncp",
	.summary = "sync-preserving races: critical sections keep their order",
	.aim = ENGINE_RACES,
	.proof = ENGINE_PROVES,
	.search = search_alone,
};
