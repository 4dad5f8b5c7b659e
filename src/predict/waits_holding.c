/*
 * Waiting with a second lock held, which the thread that is to signal needs first:
 *
 *	T2				T1
 *	lock g
 *	lock m
 *	wait c, m	(keeps g)	lock g ...
 *					lock m; signal c; unlock m
 *
 * Where T1 has m itself when it asks for g (nested monitors: lock m; lock g; signal c), T2 must
 * have let go of it: then T2 waits already, and nobody has signalled since.  Either way is tried.
 *
 * Candidates are waits with more than their mutex held, and acquires of such a lock by a thread
 * that sends a signal of the condition later on.  Where no sender ever takes the lock there is
 * nothing to say.  If the recorded run hung, what T1 would have done next is not known, and needs
 * not be: it has asked for the lock, and never got it, while T2 waited.
 */
#include "predict/waits_priv.h"

#define NEAR 4u /* acquires tried before a wait, and after */

/* All pairs of a request and a wait at the same two places. */
struct meeting {
	uint32_t request, release; /* the first of them */
	uint32_t tries;
	uint64_t steps;		   /* of exact search */
	enum goal_outcome outcome; /* of those tried */
	bool more;		   /* there are others */
	bool sure, warned;
};

struct holding {
	struct waits *s;
	struct map by_key; /* 1 + number of a meeting */
	VEC(struct meeting) meetings;
};

static struct meeting *meeting_get(struct holding *h, uint32_t request, uint32_t release)
{
	uint64_t key = waits_key(h->s->m, request, release);
	uint64_t *at = map_put(&h->by_key, key, NULL);

	if (*at == 0) {
		*VEC_PUSH(&h->meetings) = (struct meeting){ .request = request,
							    .release = release,
							    .outcome = GOAL_REFUTED };
		*at = h->meetings.n;
	}
	return &h->meetings.at[*at - 1];
}

/* One way to get there: about to wait, or waiting. */
struct attempt {
	struct waits_case way;
	enum goal_outcome outcome;
	enum waits_proof proof; /* FOUND */
};

static bool is_sure(const struct attempt *a)
{
	return a->outcome == GOAL_FOUND && a->proof == WAITS_SURE;
}

static void attempt(struct waits *s, struct attempt *a)
{
	a->outcome = waits_reach(s, &a->way.goal);
	if (a->outcome != GOAL_FOUND)
		return;
	a->proof = waits_prove(s, &a->way);
	if (a->proof != WAITS_SURE && !waits_case_holds(s, &a->way))
		a->outcome = GOAL_HEARD;
}

/* If that is not sure, the other way; s->order is that of the better one, which is returned. */
static const struct attempt *attempt_both(struct waits *s, struct attempt *first,
					  struct attempt *second)
{
	struct exact_order was;

	attempt(s, first);
	if (is_sure(first))
		return first;
	was = s->order;
	s->order = (struct exact_order){ 0 };
	attempt(s, second);
	if (first->outcome != GOAL_FOUND || is_sure(second)) {
		exact_order_release(&was);
		return second->outcome > first->outcome ? second : first;
	}
	exact_order_release(&s->order);
	s->order = was;
	waits_order_note(s);
	return first;
}

static enum goal_outcome try_pair(struct waits *s, const struct waits_wait *w, uint32_t request,
				  struct meeting *p)
{
	uint32_t after = waits_after(s->m, w->park);
	uint32_t next[] = { request, w->release }, then[] = { request, after };
	struct attempt about = { .way = { .wait = w, .goal = { .next = next, .nnext = 2 } } };
	struct attempt parked = { .way = { .wait = w,
					   .goal = { .next = then,
						     .nnext = after ? 2 : 1,
						     .done = &w->park,
						     .ndone = 1 },
					   .is_parked = true } };
	const struct attempt *best = attempt_both(s, &about, &parked);

	if (best->outcome != GOAL_FOUND)
		return best->outcome;
	p->sure = best->proof == WAITS_SURE;
	if (p->sure || !p->warned)
		waits_tell(s, FINDING_WAIT_HOLDING, request, w->release, best->proof);
	p->warned = true;
	return GOAL_FOUND;
}

/* The acquire has to wait for whoever holds the lock so, and a signal of its thread follows. */
static bool is_candidate(const struct waits *s, const struct model_hold *held,
			 const struct waits_sender *from, uint32_t acquire)
{
	const struct model_event *a = &s->m->event[acquire];
	const uint32_t *at = s->index.signals.at + from->first;
	uint32_t n = waits_count_before(at, from->n, acquire);

	return !(a->flags & STEP_TRY) && (a->op == STEP_ACQ || !held->shared) && n < from->n &&
	       s->m->event[at[n]].tid == a->tid;
}

/* The same of a request at the end of the trace: the wait is at its end too, and missed. */
static bool is_hung(const struct waits *s, const struct waits_wait *w,
		    const struct model_hold *held, uint32_t request)
{
	const struct model_event *r = &s->m->event[request], *v = &s->m->event[w->park];

	return r->obj == held->lock && (r->op == STEP_REQ || !held->shared) && r->tid != v->tid &&
	       !waits_after(s->m, w->park) &&
	       (waits_is_missed(s->m, r->tid) || waits_is_missed(s->m, v->tid));
}

static void try_request(struct holding *h, const struct waits_wait *w, uint32_t request)
{
	struct meeting *p = meeting_get(h, request, w->release);
	enum goal_outcome outcome;

	if (p->sure || p->tries >= LIMIT_TRIES) {
		p->more = true;
		return;
	}
	p->tries++;
	h->s->steps = p->steps;
	outcome = try_pair(h->s, w, request, p);
	p->steps = h->s->steps;
	p->outcome = outcome > p->outcome ? outcome : p->outcome;
}

/* The acquires of the lock near the wait, by threads that signal. */
static void try_wait(struct holding *h, const struct waits_wait *w, const struct model_hold *held)
{
	const struct waits_index *x = &h->s->index;
	const struct model *m = h->s->m;

	for (const struct waits_sender *from = waits_senders(x, w->condition);
	     from < waits_senders(x, w->condition + 1) && !waits_is_over(h->s); from++) {
		struct model_list acquires = model_lock_chain(m, held->lock, from->chain);
		uint32_t n = waits_count_before(acquires.at, acquires.n, w->release);

		if (from->chain == m->event[w->release].chain)
			continue;
		for (uint32_t k = n; k > 0 && n - k < NEAR; k--)
			if (is_candidate(h->s, held, from, acquires.at[k - 1]))
				try_request(h, w, acquires.at[k - 1]);
		for (uint32_t k = n; k < acquires.n && k - n < NEAR; k++)
			if (is_candidate(h->s, held, from, acquires.at[k]))
				try_request(h, w, acquires.at[k]);
	}
	for (size_t i = 0; i < x->requests.n && !waits_is_over(h->s); i++)
		if (is_hung(h->s, w, held, x->requests.at[i]))
			try_request(h, w, x->requests.at[i]);
}

/* Waits with a lock held besides the mutex, a few for each place, condition and lock. */
static void pick_all(const struct waits *s, struct waits_picks *picks)
{
	const struct model *m = s->m;

	for (uint32_t i = 0; i < s->index.waits.n; i++) {
		const struct waits_wait *w = &s->index.waits.at[i];
		const struct model_event *r = &m->event[w->release];

		if (!waits_can_last(m, w))
			continue;
		for (uint32_t h = r->hold; h; h = m->holds[h].next)
			if (m->holds[h].lock != r->obj && !m->is_loose[m->holds[h].lock])
				waits_picks_add(picks,
						(uint64_t)r->site << 32 ^
							(uint64_t)w->condition << 20 ^
							m->holds[h].lock,
						(struct waits_item){ i, h });
	}
}

static void say(struct holding *h)
{
	for (size_t i = 0; i < h->meetings.n; i++) {
		const struct meeting *p = &h->meetings.at[i];

		waits_count(h->s,
			    p->more && p->outcome == GOAL_REFUTED ? GOAL_SEARCHED : p->outcome);
		if (p->warned || p->outcome <= GOAL_HEARD || waits_is_over(h->s))
			continue;
		waits_propose(h->s, FINDING_WAIT_HOLDING, p->request, p->release,
			      p->outcome == GOAL_UNDECIDED
				      ? "not decided: the budget of the search ran out"
				      : "not decided: not every run was looked at");
	}
}

void waits_holding(struct waits *s)
{
	struct holding h = { .s = s };
	struct waits_picks picks = { 0 };

	pick_all(s, &picks);
	for (size_t i = 0; i < picks.at.n; i++) {
		const struct waits_pick *p = &picks.at.at[i];

		for (uint32_t k = 0; k < waits_pick_count(p) && !waits_is_over(s); k++) {
			struct waits_item it = waits_pick_get(p, k);

			try_wait(&h, &s->index.waits.at[it.a], &s->m->holds[it.b]);
		}
	}
	say(&h);
	map_release(&h.by_key);
	VEC_RELEASE(&h.meetings);
	waits_picks_release(&picks);
}
