#include "explore/search.h"

void search_release(struct search *s)
{
	for (size_t i = 0; i < s->failures.n; i++)
		VEC_RELEASE(&s->failures.at[i].schedule);
	VEC_RELEASE(&s->failures);
}

bool search_is_failure(void *context, const struct explore_runner *r, uint64_t *mark)
{
	(void)context;
	(void)mark;
	if (r->verdict.fault != EXPLORE_NO_FAULT)
		return true;
	switch (r->head->outcome) {
	case BATON_DEADLOCK:
		return true;
	case BATON_RAN:
		return r->ended != 0;
	default:
		return false;
	}
}

bool search_next_branch(struct baton_choice *c, uint16_t branches, uint16_t first)
{
	uint16_t next;

	if (branches < 2)
		return false;
	next = (uint16_t)((c->branch + 1) % branches);
	if (next == first)
		return false;
	c->branch = next;
	return true;
}

bool search_is_whole(const struct explore_runner *r)
{
	return r->head->outcome == BATON_RAN || r->head->outcome == BATON_DEADLOCK;
}

bool search_is_preemption(const struct baton_step *steps, uint32_t i)
{
	uint32_t before;

	if (i == 0)
		return false;
	before = steps[i - 1].choice.thread;
	return before != steps[i].choice.thread && baton_has(&steps[i].enabled, before) &&
	       steps[i - 1].op.kind != BATON_YIELD;
}

uint32_t search_preemptions(const struct baton_step *steps, uint32_t n)
{
	uint32_t count = 0;

	for (uint32_t i = 1; i < n; i++)
		count += search_is_preemption(steps, i);
	return count;
}

/*
 * A deadlock is where everybody waits, whoever he is; any other end is where the last step was done:
 * what others were about to do then has nothing to do with it.
 */
static uint64_t signature_of_end(const struct explore_runner *r, uint64_t mark)
{
	const struct baton_head *h = r->head;
	uint64_t sign =
		hash_add(hash_add(hash_add(HASH_TEXT, h->outcome), (uint32_t)r->ended), mark);
	uint64_t sites = 0;

	if (h->outcome == BATON_DEADLOCK) {
		for (uint32_t t = 0; t < h->nthreads; t++)
			if (baton_has(&h->alive, t))
				sites += hash_pair(h->pending[t].kind, h->pending[t].site);
	} else if (h->nsteps > 0) {
		sites = explore_steps(r)[h->nsteps - 1].op.site;
	}
	return hash_add(sign, sites);
}

/* A fault is what it is, wherever the run ended. */
uint64_t search_signature(const struct explore_runner *r, uint64_t mark)
{
	if (r->verdict.fault == EXPLORE_NO_FAULT)
		return signature_of_end(r, mark);
	return hash_add(hash_add(HASH_TEXT, BATON_OUTCOMES + r->verdict.fault), r->verdict.mark);
}

static void keep_schedule(struct search *s, struct search_failure *f, uint32_t nprefix)
{
	const struct baton_head *h = s->runner->head;
	const struct baton_step *steps = explore_steps(s->runner);

	VEC_CLEAR(&f->schedule);
	for (uint32_t i = 0; i < h->nsteps; i++)
		*VEC_PUSH(&f->schedule) = steps[i].choice;
	f->nprefix = nprefix;
	f->preemptions = search_preemptions(steps, h->nsteps);
	f->strategy = s->strategy;
	f->run = s->runs;
	f->is_stale = h->grown != 0;
}

/* True: one that is to stop the search. */
static bool keep_failure(struct search *s, uint64_t signature, uint32_t nprefix)
{
	const struct baton_head *h = s->runner->head;
	struct search_failure *f = NULL;

	for (size_t i = 0; i < s->failures.n; i++)
		if (s->failures.at[i].signature == signature)
			f = &s->failures.at[i];
	if (f == NULL) {
		f = VEC_PUSH(&s->failures);
		*f = (struct search_failure){ .signature = signature,
					      .outcome = h->outcome,
					      .ended = s->runner->ended,
					      .verdict = s->runner->verdict };
		keep_schedule(s, f, nprefix);
	} else if (f->is_stale) {
		keep_schedule(s, f, nprefix);
	}
	f->times++;
	return !s->goes_on && !f->is_stale;
}

static uint32_t limit_of(const struct search *s)
{
	uint64_t room = s->runner->head->nchoices;

	return s->limit != 0 && s->limit < room ? s->limit : (uint32_t)room;
}

/* Of struct search. */
static bool guess(void *arg, uint32_t nth, struct explore_ask *ask)
{
	const struct search *s = arg;
	struct search_ask own = { 0 };

	if (!s->guess(s->guess_arg, nth, &own))
		return false;
	*ask = (struct explore_ask){ .policy = own.policy,
				     .nprefix = own.nprefix,
				     .limit = limit_of(s),
				     .seed = own.seed,
				     .sleep = own.sleep,
				     .frozen = s->frozen,
				     .nchanges = own.nchanges,
				     .changes = own.changes,
				     .prefix = own.prefix };
	return true;
}

static void put_ask(struct search *s, const struct search_ask *ask)
{
	struct baton_head *h = s->runner->head;

	h->policy = ask->policy;
	h->nprefix = ask->nprefix;
	h->limit = limit_of(s);
	h->seed = ask->seed;
	h->sleep = ask->sleep;
	h->frozen = s->frozen;
	h->nchanges = ask->nchanges < BATON_CHANGES ? ask->nchanges : BATON_CHANGES;
	for (uint32_t i = 0; i < h->nchanges; i++)
		h->changes[i] = ask->changes[i];
	s->runner->guess = s->guess != NULL ? guess : NULL;
	s->runner->guess_arg = s;
}

static void count_run(struct search *s)
{
	const struct baton_head *h = s->runner->head;

	s->runs++;
	s->grown += h->grown != 0;
	if (h->outcome < BATON_OUTCOMES)
		s->outcomes[h->outcome]++;
	if (s->longest < h->nsteps)
		s->longest = h->nsteps;
	if (s->threads < h->nthreads)
		s->threads = h->nthreads;
}

enum search_end search_take(struct search *s, uint32_t nprefix)
{
	uint64_t mark = 0;

	count_run(s);
	s->last_failed = s->is_failure != NULL ? s->is_failure(s->context, s->runner, &mark)
					       : search_is_failure(NULL, s->runner, &mark);
	s->last_signature = s->last_failed ? search_signature(s->runner, mark) : 0;
	return s->last_failed && keep_failure(s, s->last_signature, nprefix) ? SEARCH_FOUND
									     : SEARCH_WHOLE;
}

enum search_end search_run(struct search *s, const struct search_ask *ask, struct diag *d)
{
	enum search_end end;

	if (s->keeps_on != NULL && !s->keeps_on(s->context, s))
		return SEARCH_BUDGET;
	put_ask(s, ask);
	if (!s->runner->run(s->runner, d))
		return SEARCH_TROUBLE;
	if (s->runner->is_late)
		return SEARCH_BUDGET;
	end = search_take(s, s->runner->head->nsteps);
	if (ask->is_attempt && s->runner->head->outcome == BATON_STRAYED)
		s->outcomes[BATON_STRAYED]--;
	return end;
}
