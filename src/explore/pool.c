#include "explore/pool.h"

#define AHEAD_EACH 32u	       /* results of each lane that are kept until they are asked for */
#define LOOK_EACH 32u	       /* guesses that are looked at for each lane */
#define AHEAD_STEPS (1u << 21) /* of all that is kept */

/* ---- what is asked ---- */

static struct baton_choice *choices_of(struct baton_head *h)
{
	return (struct baton_choice *)((char *)h + h->choices);
}

static struct explore_ask ask_of(struct baton_head *h)
{
	return (struct explore_ask){ .policy = h->policy,
				     .nprefix = h->nprefix,
				     .limit = h->limit,
				     .seed = h->seed,
				     .sleep = h->sleep,
				     .frozen = h->frozen,
				     .nchanges = h->nchanges,
				     .changes = h->changes,
				     .prefix = choices_of(h) };
}

static uint64_t hash_of(const struct explore_ask *a)
{
	uint64_t h = hash_pair(hash_pair(a->policy, a->nprefix), hash_pair(a->limit, a->seed));

	for (uint32_t i = 0; i < BATON_THREADS / 64; i++)
		h = hash_add(h, hash_pair(a->sleep.at[i], a->frozen.at[i]));
	for (uint32_t i = 0; i < a->nchanges; i++)
		h = hash_add(h, a->changes[i]);
	for (uint32_t i = 0; i < a->nprefix; i++)
		h = hash_add(h, (uint32_t)a->prefix[i].thread << 16 | a->prefix[i].branch);
	return h;
}

static bool is_asked(const struct pool_asked *x, const struct explore_ask *b, uint64_t hash)
{
	const struct explore_ask *a = &x->ask;

	return x->hash == hash && a->policy == b->policy && a->nprefix == b->nprefix &&
	       a->limit == b->limit && a->seed == b->seed && a->nchanges == b->nchanges &&
	       memcmp(&a->sleep, &b->sleep, sizeof(a->sleep)) == 0 &&
	       memcmp(&a->frozen, &b->frozen, sizeof(a->frozen)) == 0 &&
	       (a->nchanges == 0 ||
		memcmp(x->changes, b->changes, a->nchanges * sizeof(*x->changes)) == 0) &&
	       (a->nprefix == 0 ||
		memcmp(x->prefix.at, b->prefix, a->nprefix * sizeof(*b->prefix)) == 0);
}

static void keep_ask(struct pool_asked *x, const struct explore_ask *a, uint64_t hash)
{
	x->hash = hash;
	x->ask = *a;
	if (a->nchanges > 0)
		memcpy(x->changes, a->changes, a->nchanges * sizeof(*a->changes));
	VEC_CLEAR(&x->prefix);
	VEC_APPEND(&x->prefix, a->prefix, a->nprefix);
}

static struct pool_result *find_ahead(struct pool *p, const struct explore_ask *ask, uint64_t hash)
{
	for (size_t i = 0; i < p->ahead.n; i++)
		if (p->ahead.at[i].seen != 0 && is_asked(&p->ahead.at[i].asked, ask, hash))
			return &p->ahead.at[i];
	return NULL;
}

static struct pool_lane *find_lane(struct pool *p, const struct explore_ask *ask, uint64_t hash)
{
	for (uint32_t i = 0; i < p->nlanes; i++) {
		struct pool_lane *l = &p->lanes[i];

		if (l->is_busy && !l->is_stale && is_asked(&l->asked, ask, hash))
			return l;
	}
	return NULL;
}

/* ---- words ---- */

static struct baton_word *words_of(struct baton_head *h)
{
	return (struct baton_word *)((char *)h + h->words);
}

static void mark(struct baton_head *h, uint64_t at)
{
	struct baton_word *w = baton_word(h, at);

	if (w != NULL) {
		w->word = at / 8 + 1;
		w->shared = 1;
	}
}

/* Words that came to be shared in the run are so no more: who gets the run is to say so. */
static void take_news(struct baton_head *h, struct pool_result *r)
{
	const uint32_t *news = (const uint32_t *)((char *)h + h->news);
	struct baton_word *words = words_of(h);

	VEC_CLEAR(&r->news);
	for (uint32_t i = 0; i < h->grown && i < h->nwords; i++) {
		struct baton_word *w = &words[news[i] % h->nwords];

		w->shared = 0;
		*VEC_PUSH(&r->news) = (w->word - 1) * 8;
	}
}

void pool_share(struct pool *p, uint64_t at)
{
	*VEC_PUSH(&p->words) = at;
	mark(p->runner.head, at);
}

void pool_learn(struct pool *p)
{
	struct pool_result r = { 0 };

	p->is_wary |= (p->runner.head->outside & p->outside) != 0;
	take_news(p->runner.head, &r);
	for (size_t i = 0; i < r.news.n; i++)
		pool_share(p, r.news.at[i]);
	VEC_RELEASE(&r.news);
}

/* ---- lanes ---- */

static struct pool_lane *idle_lane(struct pool *p)
{
	for (uint32_t i = 0; i < p->nlanes; i++)
		if (!p->lanes[i].is_busy && !p->lanes[i].is_lost)
			return &p->lanes[i];
	return NULL;
}

/* What it asks for is in `asked'. */
static void go(struct pool *p, struct pool_lane *l)
{
	const struct explore_ask *a = &l->asked.ask;
	struct baton_head *h = l->head;

	/* What the search says of all runs, and what is different in this one. */
	memcpy((char *)h + BATON_IN, (char *)p->runner.head + BATON_IN, BATON_IN_SIZE);
	h->policy = a->policy;
	h->nprefix = a->nprefix;
	h->limit = a->limit;
	h->seed = a->seed;
	h->sleep = a->sleep;
	h->frozen = a->frozen;
	h->nchanges = a->nchanges;
	memcpy(h->changes, l->asked.changes, sizeof(h->changes));
	if (a->nprefix > 0)
		memcpy(choices_of(h), l->asked.prefix.at, a->nprefix * sizeof(*a->prefix));
	l->is_clean = l->is_crowded;
	if (l->is_clean) {
		memset(words_of(h), 0, h->nwords * sizeof(struct baton_word));
		l->nwords = 0;
	}
	for (; l->nwords < p->words.n; l->nwords++)
		mark(h, p->words.at[l->nwords]);
	l->is_busy = true;
	p->start(p, l);
}

static void start_lane(struct pool *p, struct pool_lane *l, const struct explore_ask *a,
		       uint64_t hash, bool waits)
{
	keep_ask(&l->asked, a, hash);
	l->is_asked = waits;
	l->is_stale = false;
	go(p, l);
}

/* Where the next result goes: one that was not asked for, nor guessed, for the longest time gives way. */
static struct pool_result *room_ahead(struct pool *p)
{
	struct pool_result *r = NULL;

	for (size_t i = 0; i < p->ahead.n; i++)
		if (r == NULL || p->ahead.at[i].seen < r->seen)
			r = &p->ahead.at[i];
	if (r != NULL && (r->seen == 0 || p->ahead.n >= (size_t)AHEAD_EACH * p->nlanes))
		return r;
	r = VEC_PUSH(&p->ahead);
	*r = (struct pool_result){ 0 };
	return r;
}

/* The numbers are the program's, which may have written over them. */
static void keep_result(struct pool *p, struct pool_lane *l)
{
	struct pool_result *r = room_ahead(p);
	struct baton_head *h = l->head;

	VEC_SWAP(&r->asked.prefix, &l->asked.prefix);
	memcpy(r->asked.changes, l->asked.changes, sizeof(r->asked.changes));
	r->asked.ask = l->asked.ask;
	r->asked.hash = l->asked.hash;
	r->seen = ++p->clock;
	r->ended = l->ended;
	r->verdict = l->verdict;
	r->head = *h;
	p->is_wary |= (h->outside & p->outside) != 0;
	if (r->head.nsteps > h->nchoices)
		r->head.nsteps = (uint32_t)h->nchoices;
	if (r->head.nthreads > BATON_THREADS)
		r->head.nthreads = BATON_THREADS;
	VEC_CLEAR(&r->steps);
	VEC_APPEND(&r->steps, (struct baton_step *)((char *)h + h->steps), r->head.nsteps);
	take_news(h, r);
}

/* A lane has come to the end of its run. */
static void end_lane(struct pool *p, struct pool_lane *l)
{
	struct pool_result none = { 0 };

	p->is_unlike |= l->head->unlike != 0;
	if (l->head->crowded && !l->is_clean) {
		/* What others left in the table is in the way.  In one without it the same words find room
		 * in every lane. */
		l->is_crowded = true;
		if (!l->is_stale) {
			go(p, l);
			return;
		}
	}
	if (l->is_stale)
		take_news(l->head, &none);
	else
		keep_result(p, l);
	VEC_RELEASE(&none.news);
}

/* False: the run that the search waits for cannot be done. */
static bool wait_for_lanes(struct pool *p)
{
	bool was_busy[POOL_LANES];

	for (uint32_t i = 0; i < p->nlanes; i++)
		was_busy[i] = p->lanes[i].is_busy;
	p->wait(p);
	for (uint32_t i = 0; i < p->nlanes; i++) {
		struct pool_lane *l = &p->lanes[i];

		if (!was_busy[i])
			continue;
		if (l->is_lost) {
			l->is_busy = false;
			if (l->is_asked)
				return false;
			p->is_wary = true;
			p->why.message[0] = '\0';
		} else if (!l->is_busy) {
			end_lane(p, l);
		}
	}
	return true;
}

/* ---- the search's runs ---- */

static size_t steps_ahead(const struct pool *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->ahead.n; i++)
		n += p->ahead.at[i].steps.capacity;
	return n;
}

/* Nobody is idle, as long as there is something that may be asked for. */
static void run_ahead(struct pool *p)
{
	struct explore_runner *r = &p->runner;
	struct pool_lane *l = idle_lane(p);
	struct explore_ask ask;

	if (r->guess == NULL || !p->is_begun || p->is_wary || p->nlanes < 2 ||
	    steps_ahead(p) > AHEAD_STEPS)
		return;
	for (uint32_t n = 0; l != NULL && n < LOOK_EACH * p->nlanes; n++) {
		struct pool_result *known;
		uint64_t hash;

		if (!r->guess(r->guess_arg, n, &ask))
			return;
		if (ask.nprefix > r->head->nchoices)
			continue;
		hash = hash_of(&ask);
		known = find_ahead(p, &ask, hash);
		if (known != NULL) {
			known->seen = ++p->clock;
		} else if (find_lane(p, &ask, hash) == NULL) {
			start_lane(p, l, &ask, hash, false);
			l = idle_lane(p);
		}
	}
}

static void give(struct pool *p, struct pool_result *known)
{
	struct baton_head *to = p->runner.head;
	const struct baton_head *from = &known->head;

	memcpy((char *)to + BATON_OUT, (const char *)from + BATON_OUT, BATON_OUT_SIZE);
	to->grown = (uint32_t)known->news.n;
	to->unlike |= p->is_unlike;
	if (known->steps.n > 0)
		memcpy((char *)to + to->steps, known->steps.at,
		       known->steps.n * sizeof(known->steps.at[0]));
	p->runner.ended = known->ended;
	p->runner.verdict = known->verdict;
	p->is_begun = true;
	known->seen = 0;
	if (known->steps.capacity > AHEAD_STEPS / AHEAD_EACH)
		VEC_RELEASE(&known->steps);
	if (known->news.n == 0)
		return;
	for (size_t i = 0; i < known->news.n; i++)
		pool_share(p, known->news.at[i]);
	pool_forget(p);
}

/* The time is over: nobody waits for what is under way, but for a step that may have no end: of that it is to
 * be known where it is, and who runs it does not wait for ever. */
static bool is_late(struct pool *p, const struct pool_lane *asked)
{
	struct explore_runner *r = &p->runner;
	double now = r->deadline > 0 ? talk_clock() : 0;

	r->is_late = r->deadline > 0 && now >= r->deadline &&
		     (asked == NULL || now - asked->since < POOL_PATIENT);
	if (r->is_late)
		pool_forget(p);
	return r->is_late;
}

static bool run(struct explore_runner *r, struct diag *d)
{
	struct pool *p = (struct pool *)r;
	struct explore_ask ask = ask_of(r->head);
	uint64_t hash = hash_of(&ask);
	struct pool_result *known;

	r->is_late = false;
	while ((known = find_ahead(p, &ask, hash)) == NULL) {
		struct pool_lane *l = find_lane(p, &ask, hash), *idle = idle_lane(p);
		bool any = false;

		if (is_late(p, l))
			return true;
		if (l != NULL)
			l->is_asked = true;
		else if (idle != NULL)
			start_lane(p, idle, &ask, hash, true);
		run_ahead(p);
		for (uint32_t i = 0; i < p->nlanes; i++)
			any |= p->lanes[i].is_busy;
		if (!any || !wait_for_lanes(p)) {
			diag_set(
				d, "%s",
				p->why.message[0]
					? p->why.message
					: "the program has ended before a run could be made of it");
			return false;
		}
	}
	if (known->news.n == 0)
		run_ahead(p);
	give(p, known);
	return true;
}

void pool_forget(struct pool *p)
{
	for (size_t i = 0; i < p->ahead.n; i++)
		p->ahead.at[i].seen = 0;
	for (uint32_t i = 0; i < p->nlanes; i++) {
		struct pool_lane *l = &p->lanes[i];

		if (l->is_busy) {
			l->is_stale = true;
			l->head->limit = 0; /* so that it leaves at its next step */
		}
	}
}

void pool_init(struct pool *p)
{
	assert(p->nlanes <= POOL_LANES);
	p->runner.run = run;
}

void pool_release(struct pool *p)
{
	for (size_t i = 0; i < p->ahead.n; i++) {
		struct pool_result *r = &p->ahead.at[i];

		VEC_RELEASE_ALL(&r->asked.prefix, &r->steps, &r->news);
	}
	for (uint32_t i = 0; i < p->nlanes; i++)
		VEC_RELEASE(&p->lanes[i].asked.prefix);
	VEC_RELEASE_ALL(&p->ahead, &p->words);
}
