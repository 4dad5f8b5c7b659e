/*
 * Sync-preserving races: those that show in a reordering where the critical sections of each lock
 * keep their observed order.  All of them, and nothing else (doc/SEMANTICS.md 2.4).
 *
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

#include "predict/races_priv.h"

#define DONE UINT64_MAX

struct search {
	const struct races *races;
	struct causal *closed; /* with sections */
	struct found *found;
};

struct worker {
	const struct search *search;
	size_t piece;
	struct map pointers; /* by pair of classes of the cell; DONE when decided */
	struct causal_meeting *meeting;
	struct causal_known before; /* of the later event */
	bool reports;		    /* progress: one of them does */
};

static bool search_before(void *arg, uint32_t e, struct causal_known *out)
{
	struct worker *w = arg;
	bool can = causal_known(w->search->closed, e, out);

	w->before = *out;
	return can;
}

static void search_cell(void *arg)
{
	struct worker *w = arg;

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
	const struct model_event *a = &w->search->races->m->event[e1];

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
	const struct model_event *event = w->search->races->m->event;
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
	const struct search *s = w->search;
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
	return a == APART ? add(w, x, x->at[p]) : a == NONE || !engine_stopped(s->races->opt);
}

static bool meet_every(void *arg, const struct candidate *x)
{
	struct worker *w = arg;
	const struct races *s = w->search->races;
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

static bool search_begin(void *arg, size_t piece)
{
	struct worker *w = arg;

	w->piece = piece;
	return !engine_stopped(w->search->races->opt) && !found_enough(w->search->found, piece);
}

static void search_end(void *arg, size_t piece, bool whole)
{
	struct worker *w = arg;
	const struct races *s = w->search->races;

	(void)whole;
	found_done(w->search->found, piece);
	if (w->reports)
		engine_progress(s->opt, s->engine, piece, candidates_npieces(s->candidates));
}

static void propose_found(const struct search *s, struct causal_meeting *meeting,
			  struct engine_result *out)
{
	const struct races *r = s->races;
	bool more = found_collect(s->found);
	struct exact_order o = { 0 };
	size_t n;
	const struct found_pair *p = found_pairs(s->found, &n);

	if (more)
		texts_add(&out->truncated, "%s: more than %zu %s; the first ones are shown",
			  r->engine->name, n, r->opt->all_pairs ? "pairs" : "pairs of places");
	for (const struct found_pair *end = p + n; p < end; p++) {
		(void)causal_meet(meeting, p->e1, p->e2);
		causal_meeting_into(meeting, exact_order_clear(&o, r->m));
		engine_propose(out, FINDING_RACE, r->engine, r->m,
			       (const uint32_t[]){ p->e1, p->e2 }, 2, &o);
	}
	exact_order_release(&o);
}

struct found *syncp_search(const struct races *r, enum causal_mode mode, struct engine_result *out)
{
	size_t pieces = candidates_npieces(r->candidates);
	unsigned jobs = engine_jobs(r->opt);
	bool all = r->opt->all_pairs;
	struct search s = { .races = r,
			    .found = found_new(pieces, all ? LIMIT_PAIRS : LIMIT_SIGNATURES, all) };
	struct worker *workers;

	if (pieces == 0)
		return s.found;
	s.closed = causal_new(r->m, mode, true);
	workers = mem_alloc(jobs * sizeof(*workers));
	for (unsigned i = 0; i < jobs; i++)
		workers[i] = (struct worker){ .search = &s,
					      .meeting = causal_meeting_new(s.closed),
					      .reports = i == 0 };
	walk_pieces(&(struct walk_work){ .c = r->candidates,
					 .jobs = jobs,
					 .n = pieces,
					 .workers = workers,
					 .size = sizeof(*workers),
					 .visitor = { .before = search_before,
						      .cell = search_cell,
						      .over = all ? NULL : is_found,
						      .meet = all ? meet_every : meet_some },
					 .begin = search_begin,
					 .end = search_end });
	propose_found(&s, workers[0].meeting, out);
	for (unsigned i = 0; i < jobs; i++) {
		map_release(&workers[i].pointers);
		causal_meeting_free(workers[i].meeting);
	}
	mem_free(workers);
	causal_free(s.closed);
	return s.found;
}
