/*
 * Is `race' reached?  The assertion of a check is that the network, composed with the pattern of the
 * variable and the two threads, refines STOP: it fails where some trace of the network comes to a point
 * where both threads are before accesses that conflict.
 *
 *	state		how many items of each chain are done; who holds a lock follows from that
 *	search(s)	goal(s), or for some chain whose next item can happen: search(s + that item)
 *
 * Two things make it smaller, and lose nothing.  An item that nobody can regret happens at once: a
 * release, a fork, a post takes nothing from anybody, unless there are tries that failed; only the two threads wait where they have an
 * access to show.  And from where one of the two is past its last access nothing is reached.
 *
 * What is found is then cut down: of the other chains only as much as the two need.
 *
 * tests/unit/test_csp_random.c holds it to an enumeration that does neither.
 */
#include "compare/csp.h"

#include "predict/engine.h"

#define WORDS (32u << 20)  /* of all states together: 128 MiB */
#define TRIM_LENGTH 20000u /* items, tries times length: what cutting down may cost */
#define STOP_EVERY 4096u

struct node {
	uint32_t parent, chain; /* the item that led here, of that chain; of the root itself */
	uint32_t next;		/* another node with the same hash, + 1; 0 none */
};

struct search {
	const struct csp *c;
	const struct model *m;
	uint32_t chain[2];
	struct csp_accesses access[2];
	VEC(struct node) nodes;
	VEC(uint32_t) states; /* nchains words a node */
	struct map known;     /* hash of a state, to 1 + node */
	VEC(uint32_t) path;   /* chains, one for each item */
	VEC(uint32_t) trial;  /* the same */
	uint32_t *now;	      /* a state */
};

/* ---- what can happen ---- */

static bool is_in(const struct search *s, const uint32_t *at, uint32_t item)
{
	return s->c->segment[item] < at[s->m->event[item].chain];
}

/* The acquire, of those of one chain, that is not over; 0 none. */
static uint32_t open_section(const struct search *s, const uint32_t *at, struct model_list acquires)
{
	uint32_t n = SEARCH_PAST(i, 0, acquires.n, is_in(s, at, acquires.at[i])), release;

	while (n > 0 && csp_leaves_out(&s->m->event[acquires.at[n - 1]]))
		n--;
	if (n == 0)
		return 0;
	release = s->m->event[acquires.at[n - 1]].partner;
	return release == 0 || !is_in(s, at, release) ? acquires.at[n - 1] : 0;
}

/* Some section keeps the acquire from being granted; or explains why the try has failed. */
static bool is_kept_out(const struct search *s, const uint32_t *at, uint32_t item)
{
	const struct model_event *e = &s->m->event[item];

	for (uint32_t i = 0; i < model_lock_nchains(s->m, e->obj); i++) {
		uint32_t chain;
		struct model_list list = model_lock_nth(s->m, e->obj, i, &chain);
		uint32_t section = open_section(s, at, list);

		if (section == 0)
			continue;
		if (e->op == STEP_BUSY
			    ? model_explains(s->m, item, section)
			    : chain != e->chain &&
				      !(e->op == STEP_RACQ && s->m->event[section].op == STEP_RACQ))
			return true;
	}
	return false;
}

static bool has_some(const struct search *s, const uint32_t *at, uint32_t sem)
{
	struct model_sem_runs runs = model_sem_runs(s->m, sem);
	uint64_t posts = model_sem_value(s->m, sem), takes = 0;

	for (uint32_t i = 0; i < runs.n; i++) {
		const struct model_sem_run *r = &runs.at[i];
		uint32_t n = SEARCH_PAST(k, 0, r->n, s->c->segment[r->at[k]] < at[r->chain]);

		posts += r->posts[n];
		takes += r->takes[n];
	}
	return posts > takes;
}

static bool has_preds(const struct search *s, const uint32_t *at, uint32_t e)
{
	struct model_list preds = model_preds(s->m, e);

	for (uint32_t i = 0; i < preds.n; i++)
		if (s->m->event[preds.at[i]].chain != s->m->event[e].chain &&
		    !is_in(s, at, preds.at[i]))
			return false;
	return true;
}

/* The next item of the chain; 0: there is none, or it has to wait for ever. */
static uint32_t next_item(const struct search *s, const uint32_t *at, uint32_t chain)
{
	return at[chain] < s->c->end[chain] ? s->c->items[s->c->start[chain] + at[chain]] : 0;
}

static bool can_happen(const struct search *s, const uint32_t *at, uint32_t item)
{
	const struct model_event *e = &s->m->event[item];

	if (!has_preds(s, at, item))
		return false;
	switch (e->op) {
	case STEP_ACQ:
	case STEP_RACQ:
		return csp_leaves_out(e) || !is_kept_out(s, at, item);
	case STEP_BUSY:
		return is_kept_out(s, at, item);
	case STEP_TAKE:
		return has_some(s, at, e->obj);
	case STEP_ZERO:
		return !has_some(s, at, e->obj);
	default:
		return true;
	}
}

/* It takes nothing from anybody: neither what others wait for, nor what made their tries fail. */
static bool is_harmless(const struct search *s, uint32_t item)
{
	const struct model_event *e = &s->m->event[item];

	switch (e->op) {
	case STEP_ACQ:
	case STEP_RACQ:
	case STEP_TAKE:
		return false;
	case STEP_REL:
	case STEP_RREL:
		return !s->c->is_tried[e->obj];
	case STEP_POST:
		return !s->c->is_tested[e->obj];
	default:
		return true;
	}
}

/* ---- goals ---- */

/* The first access that is in the segment; others follow it. */
static size_t first_in(const struct csp_accesses *a, uint32_t segment)
{
	return SEARCH_PAST(i, 0, a->at.n, a->at.at[i].segment < segment);
}

static bool has_access(const struct search *s, int which, uint32_t segment)
{
	const struct csp_accesses *a = &s->access[which];
	size_t i = first_in(a, segment);

	return i < a->at.n && a->at.at[i].segment == segment;
}

static bool is_next(const struct search *s, const uint32_t *at, uint32_t e)
{
	return !csp_is_item(s->c, e) || has_preds(s, at, e);
}

static bool is_goal(const struct search *s, const uint32_t *at, uint32_t *event)
{
	const struct csp_accesses *a = &s->access[0], *b = &s->access[1];
	uint32_t p = at[s->chain[0]], q = at[s->chain[1]];

	for (size_t i = first_in(a, p); i < a->at.n && a->at.at[i].segment == p; i++) {
		for (size_t j = first_in(b, q); j < b->at.n && b->at.at[j].segment == q; j++) {
			event[0] = a->at.at[i].e;
			event[1] = b->at.at[j].e;
			if (model_conflict(s->m, event[0], event[1]) && is_next(s, at, event[0]) &&
			    is_next(s, at, event[1]))
				return true;
		}
	}
	return false;
}

static bool is_hopeless(const struct search *s, const uint32_t *at)
{
	for (int i = 0; i < 2; i++)
		if (at[s->chain[i]] > s->access[i].at.at[s->access[i].at.n - 1].segment)
			return true;
	return false;
}

/* ---- states ---- */

static bool is_eager(const struct search *s, const uint32_t *at, uint32_t chain)
{
	uint32_t item = next_item(s, at, chain);

	if (item == 0 || !is_harmless(s, item))
		return false;
	for (int i = 0; i < 2; i++)
		if (chain == s->chain[i] && has_access(s, i, at[chain]))
			return false;
	return can_happen(s, at, item);
}

/* All that nobody can regret; onto the path, if there is one. */
static void go_on(struct search *s, uint32_t *at, bool tell)
{
	bool more = true;

	while (more) {
		more = false;
		for (uint32_t c = 0; c < s->m->nchains; c++) {
			while (is_eager(s, at, c)) {
				at[c]++;
				more = true;
				if (tell)
					*VEC_PUSH(&s->path) = c;
			}
		}
	}
}

static uint64_t state_hash(const struct search *s, const uint32_t *at)
{
	uint64_t h = 0;

	for (uint32_t c = 0; c < s->m->nchains; c++)
		h = hash_pair(h, at[c]);
	return h;
}

static const uint32_t *state(const struct search *s, uint32_t node)
{
	return s->states.at + (size_t)node * s->m->nchains;
}

/* s->now, unless it is there. */
static void reach(struct search *s, uint32_t parent, uint32_t chain)
{
	size_t size = s->m->nchains * sizeof(uint32_t);
	uint64_t *head = map_put(&s->known, state_hash(s, s->now), NULL);

	for (uint64_t i = *head; i != 0; i = s->nodes.at[i - 1].next)
		if (memcmp(state(s, (uint32_t)i - 1), s->now, size) == 0)
			return;
	*VEC_PUSH(&s->nodes) = (struct node){ parent, chain, (uint32_t)*head };
	*head = s->nodes.n;
	VEC_APPEND(&s->states, s->now, s->m->nchains);
}

static void expand(struct search *s, uint32_t node)
{
	size_t size = s->m->nchains * sizeof(uint32_t);

	for (uint32_t c = 0; c < s->m->nchains; c++) {
		uint32_t item = next_item(s, state(s, node), c);

		if (item == 0 || !can_happen(s, state(s, node), item))
			continue;
		memcpy(s->now, state(s, node), size);
		s->now[c]++;
		go_on(s, s->now, false);
		if (!is_hopeless(s, s->now))
			reach(s, node, c);
	}
}

/* ---- the way there ---- */

static void make_path(struct search *s, uint32_t node)
{
	VEC(uint32_t) moves = { 0 };

	for (; node != 0; node = s->nodes.at[node].parent)
		*VEC_PUSH(&moves) = s->nodes.at[node].chain;
	memset(s->now, 0, s->m->nchains * sizeof(*s->now));
	go_on(s, s->now, true);
	for (size_t i = moves.n; i-- > 0;) {
		s->now[moves.at[i]]++;
		*VEC_PUSH(&s->path) = moves.at[i];
		go_on(s, s->now, true);
	}
	VEC_RELEASE(&moves);
}

/* The path with no more than `most' items of the chain; true: it leads to the same goal, and is s->trial. */
static bool leads_without(struct search *s, uint32_t chain, uint32_t most, const uint32_t *event)
{
	VEC_CLEAR(&s->trial);
	memset(s->now, 0, s->m->nchains * sizeof(*s->now));
	for (size_t i = 0; i < s->path.n; i++) {
		uint32_t c = s->path.at[i];

		if (c == chain && s->now[c] == most)
			continue;
		if (!can_happen(s, s->now, next_item(s, s->now, c)))
			return false;
		s->now[c]++;
		*VEC_PUSH(&s->trial) = c;
	}
	return is_next(s, s->now, event[0]) && is_next(s, s->now, event[1]);
}

static void trim_path(struct search *s, const uint32_t *event)
{
	for (uint32_t c = 0; c < s->m->nchains; c++) {
		uint32_t n = 0;

		for (size_t i = 0; i < s->path.n; i++)
			n += s->path.at[i] == c;
		if (c == s->chain[0] || c == s->chain[1] || n * s->path.n > TRIM_LENGTH)
			continue;
		for (uint32_t most = 0; most < n; most++) {
			if (!leads_without(s, c, most, event))
				continue;
			VEC_SWAP(&s->path, &s->trial);
			break;
		}
	}
}

/* How much of each chain is part of it: up to its last item on the path, or the target. */
static void path_ends(const struct search *s, const uint32_t *event, uint32_t *end)
{
	uint32_t *at = mem_zalloc((s->m->nchains + 1) * sizeof(*at));

	for (size_t i = 0; i < s->path.n; i++) {
		uint32_t c = s->path.at[i];

		end[c] = s->m->event[next_item(s, at, c)].index + 1;
		at[c]++;
	}
	for (int i = 0; i < 2; i++)
		end[s->chain[i]] = s->m->event[event[i]].index;
	mem_free(at);
}

/* The chain whose next event is the earliest in the trace, of those that need not wait for their turn on
 * the path: `turn' is whose it is. */
static uint32_t earliest(const struct search *s, const uint32_t *done, const uint32_t *end,
			 uint32_t turn)
{
	uint32_t best = UINT32_MAX, best_event = UINT32_MAX;

	for (uint32_t c = 0; c < s->m->nchains; c++) {
		uint32_t e = done[c] < end[c] ? model_chain(s->m, c).at[done[c]] : UINT32_MAX;

		if (e < best_event && (c == turn || !csp_is_item(s->c, e))) {
			best = c;
			best_event = e;
		}
	}
	return best;
}

/* Items as the path has them, and all else as near to observed order as that allows: so most reads see
 * what they saw. */
static void path_order(const struct search *s, const uint32_t *event, struct exact_order *out)
{
	uint32_t *done = mem_zalloc((s->m->nchains + 1) * sizeof(*done));
	uint32_t *end = mem_zalloc((s->m->nchains + 1) * sizeof(*end));
	size_t head = 0;
	uint32_t c;

	exact_order_clear(out, s->m);
	path_ends(s, event, end);
	while ((c = earliest(s, done, end, head < s->path.n ? s->path.at[head] : UINT32_MAX)) !=
	       UINT32_MAX) {
		uint32_t e = model_chain(s->m, c).at[done[c]++];

		*VEC_PUSH(&out->ids) = e;
		head += csp_is_item(s->c, e);
	}
	MEM_FREE_ALL(done, end);
}

/* ---- the search ---- */

static enum goal_outcome run(struct search *s, uint64_t most, const struct engine_options *opt,
			     struct csp_result *r)
{
	uint64_t room = WORDS / (s->m->nchains + 4);

	most = most < room ? most : room;
	go_on(s, s->now, false);
	if (!is_hopeless(s, s->now))
		reach(s, 0, 0);
	for (uint32_t i = 0; i < s->nodes.n; i++) {
		r->states = i + 1;
		if (is_goal(s, state(s, i), r->event)) {
			make_path(s, i);
			return GOAL_FOUND;
		}
		if (i >= most || (i % STOP_EVERY == 0 && engine_stopped(opt)))
			return GOAL_UNDECIDED;
		expand(s, i);
	}
	return GOAL_REFUTED;
}

/* The earliest item in the trace, of those that come next and are in the cut. */
static uint32_t earliest_item(const struct search *s, const uint32_t *cut)
{
	uint32_t best = 0;

	for (uint32_t c = 0; c < s->m->nchains; c++) {
		uint32_t item = next_item(s, s->now, c);

		if (item != 0 && s->m->event[item].index < cut[c] && (best == 0 || item < best))
			best = item;
	}
	return best;
}

bool csp_allows(const struct csp *c, const uint32_t *event, const uint32_t *cut)
{
	struct search s = { .c = c,
			    .m = c->m,
			    .now = mem_zalloc((c->m->nchains + 1) * sizeof(*s.now)) };
	bool good = true;
	uint32_t item;

	while (good && (item = earliest_item(&s, cut)) != 0) {
		good = can_happen(&s, s.now, item);
		s.now[c->m->event[item].chain]++;
	}
	good = good && is_next(&s, s.now, event[0]) && is_next(&s, s.now, event[1]);
	mem_free(s.now);
	return good;
}

enum goal_outcome csp_search_check(const struct csp *c, const struct csp_check *check,
				   uint64_t most, const struct engine_options *opt,
				   struct csp_result *result, struct exact_order *out)
{
	struct search s = { .c = c,
			    .m = c->m,
			    .now = mem_zalloc((c->m->nchains + 1) * sizeof(*s.now)) };
	enum goal_outcome outcome = GOAL_REFUTED;

	*result = (struct csp_result){ 0 };
	for (int i = 0; i < 2; i++) {
		csp_accesses(c, check->cell, check->tid[i], &s.access[i]);
		if (s.access[i].at.n)
			s.chain[i] = c->m->event[s.access[i].at.at[0].e].chain;
	}
	if (s.access[0].at.n && s.access[1].at.n && s.chain[0] != s.chain[1])
		outcome = run(&s, most, opt, result);
	if (outcome == GOAL_FOUND) {
		trim_path(&s, result->event);
		path_order(&s, result->event, out);
	}
	VEC_RELEASE_ALL(&s.access[0], &s.access[1], &s.nodes, &s.states, &s.path, &s.trial);
	map_release(&s.known);
	mem_free(s.now);
	return outcome;
}
