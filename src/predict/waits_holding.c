/*
 * Waiting with a second lock held, which the thread that is to signal needs first:
 *
 *	T2				T1
 *	lock g
 *	lock m
 *	wait c, m	(keeps g)	lock g ...
 *					lock m; signal c; unlock m
 *
 * Candidates are waits with more than their mutex held, and acquires of such a lock by a thread
 * that sends a signal of the condition later on.  Where no sender ever takes the lock there is
 * nothing to say.
 */
#include "predict/limits.h"
#include "predict/waits_priv.h"

#define NEAR 4u /* acquires tried before a wait, and after */

/* All pairs of an acquire and a wait at the same two places. */
struct place {
	uint32_t acquire, release; /* the first of them */
	uint32_t tries;
	uint64_t steps;		    /* of exact search */
	enum waits_outcome outcome; /* of those tried */
	bool more;		    /* there are others */
	bool sure, warned;
};

struct holding {
	struct waits *s;
	struct map by_key; /* 1 + number of a place */
	VEC(struct place) places;
};

static struct place *place_get(struct holding *h, uint32_t acquire, uint32_t release)
{
	uint64_t key = waits_key(h->s->m, acquire, release);
	uint64_t *at = map_put(&h->by_key, key, NULL);

	if (*at == 0) {
		*VEC_PUSH(&h->places) = (struct place){ .acquire = acquire,
							.release = release,
							.outcome = WAITS_REFUTED };
		*at = h->places.n;
	}
	return &h->places.at[*at - 1];
}

static enum waits_outcome try_pair(struct waits *s, const struct waits_wait *w, uint32_t acquire,
				   struct place *p)
{
	uint32_t next[] = { acquire, w->release };
	struct goal g = { next, 2, NULL, 0 };
	enum waits_outcome outcome = waits_reach(s, &g);
	enum waits_proof proof;
	struct finding *f;

	if (outcome != WAITS_FOUND)
		return outcome;
	proof = waits_prove(s, w->condition, &g, 0);
	p->sure = proof == WAITS_SURE;
	if (p->sure || (proof == WAITS_MORE_LEFT && !p->warned)) {
		waits_propose_order(s, FINDING_WAIT_HOLDING, acquire, w->release);
	} else if (!p->warned) {
		f = waits_propose(s, FINDING_WAIT_HOLDING, acquire, w->release);
		f->why = "somebody may signal once more than in the recorded run";
	}
	p->warned = true;
	return WAITS_FOUND;
}

/* How many of a list come before e. */
static uint32_t count_before(const uint32_t *at, uint32_t n, uint32_t e)
{
	uint32_t low = 0, high = n;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (at[mid] < e)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The acquire has to wait for whoever holds the lock so, and a signal of its thread follows. */
static bool is_candidate(const struct waits *s, const struct model_hold *held,
			 const struct waits_sender *from, uint32_t acquire)
{
	const struct model_event *a = &s->m->event[acquire];
	const uint32_t *at = s->index.signals.at + from->first;
	uint32_t n = count_before(at, from->n, acquire);

	return !(a->flags & STEP_TRY) && (a->op == STEP_ACQ || !held->shared) && n < from->n &&
	       s->m->event[at[n]].tid == a->tid;
}

static void try_acquire(struct holding *h, const struct waits_wait *w,
			const struct model_hold *held, const struct waits_sender *from,
			uint32_t acquire)
{
	enum waits_outcome outcome;
	struct place *p;

	if (!is_candidate(h->s, held, from, acquire))
		return;
	p = place_get(h, acquire, w->release);
	if (p->sure || p->tries >= LIMIT_TRIES) {
		p->more = true;
		return;
	}
	p->tries++;
	h->s->steps = p->steps;
	outcome = try_pair(h->s, w, acquire, p);
	p->steps = h->s->steps;
	p->outcome = outcome > p->outcome ? outcome : p->outcome;
}

/* The acquires of the lock near the wait, by threads that signal. */
static void try_wait(struct holding *h, const struct waits_wait *w, const struct model_hold *held)
{
	const struct waits_index *x = &h->s->index;
	const struct model *m = h->s->m;

	for (uint32_t i = x->sender_start[w->condition];
	     i < x->sender_start[w->condition + 1] && !waits_is_over(h->s); i++) {
		const struct waits_sender *from = &x->senders.at[i];
		struct model_list acquires = model_lock_chain(m, held->lock, from->chain);
		uint32_t n = count_before(acquires.at, acquires.n, w->release);

		if (from->chain == m->event[w->release].chain)
			continue;
		for (uint32_t k = n; k > 0 && n - k < NEAR; k--)
			try_acquire(h, w, held, from, acquires.at[k - 1]);
		for (uint32_t k = n; k < acquires.n && k - n < NEAR; k++)
			try_acquire(h, w, held, from, acquires.at[k]);
	}
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
			if (m->holds[h].lock != r->obj)
				waits_picks_add(picks,
						(uint64_t)r->site << 32 ^
							(uint64_t)w->condition << 20 ^
							m->holds[h].lock,
						(struct waits_item){ i, h });
	}
}

static void say(struct holding *h)
{
	for (size_t i = 0; i < h->places.n; i++) {
		const struct place *p = &h->places.at[i];
		struct finding *f;

		waits_count(h->s,
			    p->more && p->outcome == WAITS_REFUTED ? WAITS_SEARCHED : p->outcome);
		if (p->warned || p->outcome == WAITS_REFUTED || waits_is_over(h->s))
			continue;
		f = waits_propose(h->s, FINDING_WAIT_HOLDING, p->acquire, p->release);
		f->why = p->outcome == WAITS_UNDECIDED
				 ? "not decided: the budget of the search ran out"
				 : "not decided: not every run was looked at";
	}
}

void waits_holding(struct waits *s)
{
	struct holding h = { .s = s };
	struct waits_picks picks;

	waits_picks_init(&picks);
	map_init(&h.by_key);
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
	VEC_RELEASE(&h.places);
	waits_picks_release(&picks);
}
