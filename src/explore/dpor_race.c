/*
 * Which steps of a run might have come in another order, and what has to be tried for it.
 *
 * Step j, of thread p, races with an earlier step i of another thread when they depend on each other and
 * nothing else orders them.  The other order begins, at the state before i, with v: all steps behind i that
 * do not come after it, then j.  Whoever may be first in v will do (an initial of v), so when such a thread
 * is already to be tried there, nothing is added.
 *
 * What waits needs care.  The lock that j takes was given back by a step behind i: that order is no choice,
 * and the walk goes on to the step that took the lock before.  A thread that waits at the end of a run has
 * races, too: the run in which it comes first has not been seen.
 *
 * All immediate races count, not only the last: with source sets one is not enough (IRIW has 15 traces, and
 * 11 would be seen).
 */
#include "explore/dpor_priv.h"

enum verdict {
	NO,    /* j cannot come before i */
	MAYBE, /* it is not known: what may help is tried, and older steps are looked at */
	SURE,
};

/* Step j, or what a thread is about to do at the end. */
struct racer {
	struct dpor *d;
	const struct baton_op *op;
	const uint32_t *known; /* when the thread comes to it */
	uint32_t thread;
};

static uint64_t lock_of(const struct baton_op *op)
{
	return op->kind == BATON_WAIT || op->kind == BATON_WAKE ? op->second : op->object;
}

/* Can there be a state in which both could be done?  Who gives a lock back has it. */
static bool may_meet(const struct baton_op *i, const struct baton_op *j)
{
	bool gives =
		i->kind == BATON_UNLOCK || i->kind == BATON_READ_UNLOCK || i->kind == BATON_WAIT;
	bool takes = j->kind == BATON_LOCK || j->kind == BATON_READ_LOCK || j->kind == BATON_WAKE;

	return !(gives && takes && lock_of(i) == lock_of(j));
}

/*
 * i could be done: does it say that j could have been done in its place?  Of a lock that nests it does not, but
 * then the run that is tried shows that j waits for an older step.
 */
static enum verdict told_by(const struct baton_op *i, const struct baton_op *j)
{
	switch (j->kind) {
	case BATON_LOCK:
	case BATON_READ_LOCK:
		return i->kind == BATON_LOCK || i->kind == BATON_WAKE ? SURE : MAYBE;
	case BATON_SEM_WAIT:
		return i->kind == BATON_SEM_WAIT ? SURE : MAYBE;
	case BATON_ONCE:
		return i->kind == BATON_ONCE ? SURE : MAYBE;
	default:
		return !baton_waits(j) ? SURE : MAYBE;
	}
}

/* Is there a step behind i, not after it, that j depends on? */
static bool has_cause_behind(const struct racer *j, uint32_t i)
{
	const struct history *h = &j->d->history;
	struct history_walk w;
	uint32_t k;

	history_walk(&w, h, j->op);
	while (history_walk_next(&w, &k)) {
		if (k > i && !history_is_before(h, i, history_clock(h, k)))
			return true;
		if (k <= i)
			history_walk_skip(&w);
	}
	return false;
}

/* Those who may be first behind i, if what comes after i is left out; j's own thread is not asked. */
static void initials_behind(const struct racer *j, uint32_t i, const uint32_t *count,
			    struct baton_set *out)
{
	const struct history *h = &j->d->history;

	for (uint32_t t = 0; t < h->nthreads; t++) {
		const uint32_t *clock;
		uint32_t u = 0;

		if (t == h->steps[i].choice.thread || count[t] == h->of[t].n)
			continue;
		clock = history_clock(h, h->of[t].at[count[t]]);
		while (u < h->nthreads && (u == t || clock[u] <= count[u]))
			u++;
		if (u == h->nthreads)
			baton_add(out, t);
	}
}

static bool meets(const struct baton_set *a, const struct baton_set *b)
{
	uint64_t any = 0;

	for (uint32_t i = 0; i < BATON_THREADS / 64; i++)
		any |= a->at[i] & b->at[i];
	return any != 0;
}

/* One of the set is to be tried at the frame, if none is yet.  False: none can be. */
static bool try_one(struct trail_frame *f, struct baton_set *initials, uint32_t rather)
{
	if (meets(initials, &f->todo) || meets(initials, &f->sleep))
		return true;
	if (!meets(initials, &f->enabled))
		return false;
	if (baton_has(initials, rather) && baton_has(&f->enabled, rather)) {
		baton_add(&f->todo, rather);
		return true;
	}
	for (uint32_t t = 0;; t++) {
		if (baton_has(initials, t) && baton_has(&f->enabled, t)) {
			baton_add(&f->todo, t);
			return true;
		}
	}
}

static enum verdict reverse(const struct racer *j, uint32_t i)
{
	const struct history *h = &j->d->history;
	struct trail_frame *f = &j->d->trail.frames.at[i];
	struct baton_set initials = { { 0 } };
	uint32_t count[BATON_THREADS];
	bool is_next, is_free;
	enum verdict v;

	for (uint32_t t = 0; t < h->nthreads; t++)
		count[t] = history_count(h, t, i);
	/* Was it already about to do it? */
	is_next = count[j->thread] == h->of[j->thread].n &&
		  (h->steps[i].nthreads == 0 || j->thread < h->steps[i].nthreads);
	is_free = !has_cause_behind(j, i);
	if (!baton_waits(j->op))
		v = SURE;
	else if (!is_free)
		v = MAYBE;
	else if (is_next)
		v = baton_has(&f->enabled, j->thread) ? SURE : NO;
	else
		v = told_by(&h->steps[i].op, j->op);
	if (v == NO)
		return NO;
	initials_behind(j, i, count, &initials);
	if (is_next && is_free)
		baton_add(&initials, j->thread);
	return try_one(f, &initials, j->thread) ? v : NO;
}

/* The last step of each thread that the access depends on races, unless it comes before another. */
static void race_access(const struct racer *j)
{
	const struct history *h = &j->d->history;
	uint32_t last[BATON_THREADS] = { 0 }; /* and 1 */
	struct history_walk w;
	uint32_t i;

	history_walk(&w, h, j->op);
	while (history_walk_next(&w, &i)) {
		uint32_t t = h->steps[i].choice.thread;

		if (last[t] < i + 1 && !history_is_before(h, i, j->known))
			last[t] = i + 1;
		if (history_walk_covers(&w, i))
			history_walk_skip(&w);
	}
	for (uint32_t t = 0; t < h->nthreads; t++) {
		bool is_hidden = t == j->thread || last[t] == 0;

		for (uint32_t u = 0; u < h->nthreads && !is_hidden; u++)
			is_hidden =
				u != t && last[u] != 0 &&
				history_is_before(h, last[t] - 1, history_clock(h, last[u] - 1));
		if (!is_hidden)
			reverse(j, last[t] - 1);
	}
}

static void race_sync(const struct racer *j)
{
	const struct history *h = &j->d->history;
	uint32_t sure[BATON_THREADS] = { 0 }; /* and 1: the first of each thread */
	struct history_walk w;
	uint32_t i;

	history_walk(&w, h, j->op);
	while (history_walk_next(&w, &i)) {
		const struct baton_op *op = &h->steps[i].op;
		bool is_hidden = false;

		if (history_is_before(h, i, j->known)) {
			if (history_is_full(op))
				history_walk_skip(&w);
			continue;
		}
		for (uint32_t t = 0; t < h->nthreads; t++)
			if (sure[t] != 0 && sure[t] != i + 1 &&
			    history_is_before(h, i, history_clock(h, sure[t] - 1)))
				is_hidden = true;
		if (is_hidden || !may_meet(op, j->op) || reverse(j, i) != SURE)
			continue;
		sure[h->steps[i].choice.thread] = i + 1;
		if (history_is_full(op))
			history_walk_skip(&w);
	}
}

static void race(const struct racer *j)
{
	if (BATON_IS_ACCESS(j->op->kind))
		race_access(j);
	else
		race_sync(j);
}

/*
 * The last step has ended the process while others could still do something: one of them is to go first.
 * It is enough to try one, for the step that ended it sleeps then, and all others can go on; if it ends
 * the process itself, we come here again.
 */
static void race_end(struct dpor *d)
{
	const struct baton_head *head = d->search->runner->head;
	struct trail_frame *f = &d->trail.frames.at[d->trail.frames.n - 1];
	struct baton_set others = f->enabled;

	for (uint32_t t = 0; t < BATON_THREADS; t++)
		if (t == f->choice.thread || !baton_has(&head->alive, t) ||
		    baton_has(&f->done, t) || baton_has(&f->sleep, t))
			baton_drop(&others, t);
	if (!baton_is_empty(&others))
		try_one(f, &others, BATON_THREADS - 1);
}

void dpor_race(struct dpor *d, uint32_t from)
{
	const struct baton_head *head = d->search->runner->head;
	const struct baton_step *steps = explore_steps(d->search->runner);
	struct history *h = &d->history;

	history_begin(h, steps, head->nthreads);
	for (uint32_t i = 0; i < head->nsteps; i++) {
		struct racer j = { .d = d, .op = &steps[i].op, .thread = steps[i].choice.thread };

		if (i >= from) {
			j.known = history_known(h, j.thread);
			race(&j);
		}
		history_add(h);
	}
	history_end(h);
	for (uint32_t t = 0; t < head->nthreads; t++) {
		struct racer j = { .d = d, .op = &head->pending[t], .thread = t };

		if (!baton_has(&head->alive, t) || baton_has(&head->frozen, t) ||
		    j.op->kind == BATON_NONE)
			continue;
		j.known = history_known(h, t);
		race(&j);
	}
	if (head->nsteps > 0 && head->outcome == BATON_RAN)
		race_end(d);
}
