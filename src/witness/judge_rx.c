/*
 * Regular expressions, by automata that are put together as the expression is.
 *
 * Each subexpression is a deterministic machine over letters (sets of events).  Its states are made of
 * those of its parts, and are numbered as they come up:
 *
 *	e  .  ()	0 nothing read, 1 matched, 2 never
 *	~r		a state of r
 *	r|s  r&s	a state of r, a state of s
 *	r s		a state of r, and a set of states of s: one for each point where r may have
 *			ended
 *	r* r+ r?	whether it may end here, and a set of states of r: one for each point where a
 *			round may have begun
 *
 * `never' is violated where the whole accepts, `must' where no letters lead from here to where it
 * accepts.  Which letters may come: one event is enough to know where there is neither `&' nor `~', for
 * there a set opens no more than its members do.  Else all sets of events that one event of a run can
 * be, as far as their patterns tell; where those are too many, only what is lost by its form alone
 * (is_lost) counts.  So it may take a lost run for one that can be saved, and not the reverse.
 */

#include "witness/judge_priv.h"

#define MOST_STATES 50000u /* of one machine */
#define MOST_LETTERS 1024u
#define MOST_PAIRS 20000000u /* states times letters that one search looks at */

enum { FRESH, MATCHED, NEVER }; /* states of a single event */

struct state {
	uint32_t key, nkey; /* into keys: what it is made of */
	uint32_t same;	    /* another one with the same hash; UINT32_MAX: none */
	bool accepts;
	bool is_lost, is_sure; /* by its form: nothing, everything that may follow is accepted */
};

struct machine {
	enum spec_rx_op op;
	uint32_t event;
	struct machine *a, *b;
	uint32_t first;
	VEC(struct state) states;
	VEC(uint32_t) keys;
	struct map newest; /* by hash: 1 + state */
	struct map steps;  /* state << 32 | letter: 1 + state after it */
};

struct judge_rx {
	const struct spec *spec;
	const struct spec_property *property;
	struct machine *whole;
	uint32_t at;
	struct map letters; /* set of events, to its number + 1 */
	VEC(uint64_t) next; /* letters that may come; none: too many */
	VEC(uint8_t) known; /* by state of the whole: whether it can be saved */
};

/* ---- states ---- */

struct key {
	VEC(uint32_t) at;
};

/* One of the n states accepts, or is sure to. */
static bool any_accepts(const struct machine *m, const uint32_t *at, size_t n, bool surely)
{
	for (size_t i = 0; i < n; i++)
		if (surely ? m->states.at[at[i]].is_sure : m->states.at[at[i]].accepts)
			return true;
	return false;
}

static void state_tell(const struct machine *m, const uint32_t *key, uint32_t n, struct state *s)
{
	const struct state *a = m->a && n ? m->a->states.at : NULL;
	const struct state *b = m->b ? m->b->states.at : NULL;

	assert(key && n > 0);
	switch (m->op) {
	case SPEC_RX_EMPTY:
		s->accepts = key[0] == FRESH;
		s->is_lost = key[0] != FRESH;
		break;
	case SPEC_RX_EVENT:
	case SPEC_RX_ANY:
		s->accepts = key[0] == MATCHED;
		s->is_lost = key[0] == NEVER;
		break;
	case SPEC_RX_NOT:
		assert(a);
		s->accepts = !a[key[0]].accepts;
		s->is_lost = a[key[0]].is_sure;
		s->is_sure = a[key[0]].is_lost;
		break;
	case SPEC_RX_OR:
		assert(a && b);
		s->accepts = a[key[0]].accepts || b[key[1]].accepts;
		s->is_lost = a[key[0]].is_lost && b[key[1]].is_lost;
		s->is_sure = a[key[0]].is_sure || b[key[1]].is_sure;
		break;
	case SPEC_RX_AND:
		assert(a && b);
		s->accepts = a[key[0]].accepts && b[key[1]].accepts;
		s->is_lost = a[key[0]].is_lost || b[key[1]].is_lost;
		s->is_sure = a[key[0]].is_sure && b[key[1]].is_sure;
		break;
	case SPEC_RX_CAT:
		assert(a && b);
		s->accepts = any_accepts(m->b, key + 1, n - 1, false);
		s->is_lost = n == 1 && (a[key[0]].is_lost || b[m->b->first].is_lost);
		s->is_sure = any_accepts(m->b, key + 1, n - 1, true);
		break;
	case SPEC_RX_STAR:
	case SPEC_RX_PLUS:
	case SPEC_RX_OPT:
		assert(m->a);
		s->accepts = key[0];
		s->is_lost = !key[0] && n == 1;
		s->is_sure = (m->op != SPEC_RX_OPT && key[0] && m->a->op == SPEC_RX_ANY) ||
			     (key[0] && any_accepts(m->a, key + 1, n - 1, true));
		break;
	}
}

/* The number of the state that is made so; UINT32_MAX: there are too many. */
static uint32_t state_of(struct machine *m, const struct key *k)
{
	uint64_t *newest = map_put(&m->newest, hash_numbers(k->at.n, k->at.at, k->at.n), NULL);
	struct state s = { .nkey = (uint32_t)k->at.n, .same = (uint32_t)*newest - 1 };

	assert(k->at.at && k->at.n > 0);
	for (uint32_t i = s.same; i != UINT32_MAX; i = m->states.at[i].same)
		if (m->states.at[i].nkey == s.nkey &&
		    memcmp(m->keys.at + m->states.at[i].key, k->at.at, s.nkey * sizeof(uint32_t)) ==
			    0)
			return i;
	if (m->states.n >= MOST_STATES)
		return UINT32_MAX;
	s.key = (uint32_t)m->keys.n;
	state_tell(m, k->at.at, s.nkey, &s);
	VEC_APPEND(&m->keys, k->at.at, s.nkey);
	*VEC_PUSH(&m->states) = s;
	*newest = m->states.n;
	return (uint32_t)m->states.n - 1;
}

/* ---- steps ---- */

static uint32_t machine_step(struct machine *m, uint32_t at, uint64_t letter, uint32_t number);

/* Of the members from `from' on: each once, in order, without those that are lost. */
static void set_tidy(const struct machine *m, struct key *k, size_t from)
{
	size_t n = from;

	if (k->at.n > from)
		k->at.n = from + sort_once(k->at.at + from, k->at.n - from);
	for (size_t i = from; i < k->at.n; i++)
		if (!m->states.at[k->at.at[i]].is_lost)
			k->at.at[n++] = k->at.at[i];
	k->at.n = n;
}

/* Adds what a state becomes.  False: too many states. */
static bool state_step(struct machine *m, uint32_t at, uint64_t letter, uint32_t number,
		       struct key *out)
{
	uint32_t next = machine_step(m, at, letter, number);

	if (next != UINT32_MAX)
		*VEC_PUSH(&out->at) = next;
	return next != UINT32_MAX;
}

/* Adds what the members of a set become. */
static bool set_step(struct machine *m, const struct key *old, uint64_t letter, uint32_t number,
		     struct key *out)
{
	for (size_t i = 1; i < old->at.n; i++)
		if (!state_step(m, old->at.at[i], letter, number, out))
			return false;
	return true;
}

static bool cat_step(struct machine *m, const struct key *old, uint64_t letter, uint32_t number,
		     struct key *out)
{
	if (!state_step(m->a, old->at.at[0], letter, number, out) ||
	    !set_step(m->b, old, letter, number, out))
		return false;
	if (m->a->states.at[out->at.at[0]].accepts)
		*VEC_PUSH(&out->at) = m->b->first;
	set_tidy(m->b, out, 1);
	return true;
}

static bool rounds_step(struct machine *m, const struct key *old, uint64_t letter, uint32_t number,
			struct key *out)
{
	*VEC_PUSH(&out->at) = 0;
	if (!set_step(m->a, old, letter, number, out))
		return false;
	out->at.at[0] = any_accepts(m->a, out->at.at + 1, out->at.n - 1, false);
	if (out->at.at[0] && m->op != SPEC_RX_OPT)
		*VEC_PUSH(&out->at) = m->a->first;
	set_tidy(m->a, out, 1);
	return true;
}

static bool key_step(struct machine *m, const struct key *old, uint64_t letter, uint32_t number,
		     struct key *out)
{
	bool fits;

	assert(old->at.at && old->at.n > 0);
	switch (m->op) {
	case SPEC_RX_EMPTY:
	case SPEC_RX_EVENT:
	case SPEC_RX_ANY:
		fits = m->op == SPEC_RX_ANY || (m->op == SPEC_RX_EVENT && (letter >> m->event & 1));
		*VEC_PUSH(&out->at) = fits && old->at.at[0] == FRESH ? MATCHED : NEVER;
		return true;
	case SPEC_RX_CAT:
		return cat_step(m, old, letter, number, out);
	case SPEC_RX_STAR:
	case SPEC_RX_PLUS:
	case SPEC_RX_OPT:
		return rounds_step(m, old, letter, number, out);
	default: /* each part takes the step: of ~r, r|s and r&s */
		return state_step(m->a, old->at.at[0], letter, number, out) &&
		       (!m->b || state_step(m->b, old->at.at[1], letter, number, out));
	}
}

/* number: that of the letter.  UINT32_MAX: too many states. */
static uint32_t machine_step(struct machine *m, uint32_t at, uint64_t letter, uint32_t number)
{
	uint64_t pair = (uint64_t)at << 32 | number, *known = map_get(&m->steps, pair);
	struct key old = { 0 }, new = { 0 };
	uint32_t next = UINT32_MAX;

	if (known)
		return (uint32_t)*known;
	VEC_APPEND(&old.at, m->keys.at + m->states.at[at].key, m->states.at[at].nkey);
	if (key_step(m, &old, letter, number, &new))
		next = state_of(m, &new);
	VEC_RELEASE_ALL(&old.at, &new.at);
	*map_put(&m->steps, pair, NULL) = next;
	return next;
}

/* ---- making ---- */

static void first_make(struct machine *m)
{
	struct key k = { 0 };

	switch (m->op) {
	case SPEC_RX_EMPTY:
	case SPEC_RX_EVENT:
	case SPEC_RX_ANY:
		*VEC_PUSH(&k.at) = FRESH;
		break;
	case SPEC_RX_CAT:
		*VEC_PUSH(&k.at) = m->a->first;
		if (m->a->states.at[m->a->first].accepts)
			*VEC_PUSH(&k.at) = m->b->first;
		set_tidy(m->b, &k, 1);
		break;
	case SPEC_RX_STAR:
	case SPEC_RX_PLUS:
	case SPEC_RX_OPT:
		*VEC_PUSH(&k.at) = m->op != SPEC_RX_PLUS || m->a->states.at[m->a->first].accepts;
		*VEC_PUSH(&k.at) = m->a->first;
		set_tidy(m->a, &k, 1);
		break;
	default:
		*VEC_PUSH(&k.at) = m->a->first;
		if (m->b)
			*VEC_PUSH(&k.at) = m->b->first;
		break;
	}
	m->first = state_of(m, &k);
	VEC_RELEASE(&k.at);
}

static struct machine *machine_new(const struct spec_rx *r)
{
	struct machine *m;

	if (!r)
		return NULL;
	m = mem_zalloc(sizeof(*m));
	m->op = r->op;
	m->event = r->index;
	m->a = machine_new(r->a);
	m->b = machine_new(r->b);
	first_make(m);
	return m;
}

static void machine_free(struct machine *m)
{
	if (!m)
		return;
	machine_free(m->a);
	machine_free(m->b);
	VEC_RELEASE_ALL(&m->states, &m->keys);
	MAP_RELEASE_ALL(&m->newest, &m->steps);
	mem_free(m);
}

/* ---- letters that may come ---- */

static bool is_plain(const struct spec_rx *r)
{
	return !r ||
	       (r->op != SPEC_RX_AND && r->op != SPEC_RX_NOT && is_plain(r->a) && is_plain(r->b));
}

/* Every set that has `set' in it and more out of `others'.  False: too many. */
static bool sets_add(struct judge_rx *r, uint64_t set, uint64_t others)
{
	for (; others; others &= others - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(others);
		const struct spec_event *x = &r->spec->events[i];
		bool good = true;

		for (uint64_t left = set; left && good; left &= left - 1)
			good = !judge_events_exclude(r->spec, x,
						     &r->spec->events[__builtin_ctzll(left)]);
		if (!good)
			continue;
		if (r->next.n >= MOST_LETTERS)
			return false;
		*VEC_PUSH(&r->next) = set | 1ull << i;
		if (!sets_add(r, set | 1ull << i, others & (others - 1)))
			return false;
	}
	return true;
}

struct judge_rx *judge_rx_new(const struct spec *s, const struct spec_property *p)
{
	struct judge_rx *r = mem_zalloc(sizeof(*r));

	r->spec = s;
	r->property = p;
	r->whole = machine_new(p->rx);
	if (is_plain(p->rx)) {
		for (uint64_t left = p->events; left; left &= left - 1)
			*VEC_PUSH(&r->next) = left & -left;
	} else if (!sets_add(r, 0, p->events)) {
		VEC_CLEAR(&r->next);
	}
	return r;
}

void judge_rx_free(struct judge_rx *r)
{
	if (!r)
		return;
	machine_free(r->whole);
	map_release(&r->letters);
	VEC_RELEASE_ALL(&r->next, &r->known);
	mem_free(r);
}

/* ---- verdicts ---- */

static uint32_t step(struct judge_rx *r, uint32_t at, uint64_t letter)
{
	bool fresh;
	uint64_t *number = map_put(&r->letters, letter, &fresh);

	if (fresh)
		*number = r->letters.n;
	return machine_step(r->whole, at, letter, (uint32_t)*number);
}

enum { UNTOLD, SAVED, LOST };
static const enum judge_verdict verdicts[] = { JUDGE_UNKNOWN, JUDGE_GOOD, JUDGE_BAD };

static uint8_t known_of(struct judge_rx *r, uint32_t state)
{
	VEC_REACH(&r->known, state);
	if (r->whole->states.at[state].accepts)
		r->known.at[state] = SAVED;
	else if (r->whole->states.at[state].is_lost)
		r->known.at[state] = LOST;
	return r->known.at[state];
}

struct search {
	VEC(uint32_t) at;
	VEC(uint32_t) from;
	struct map seen;
	bool full; /* there was no room to look at all */
};

static void search_add(struct search *s, uint32_t state, uint32_t from)
{
	bool fresh;

	map_put(&s->seen, state, &fresh);
	if (!fresh)
		return;
	*VEC_PUSH(&s->at) = state;
	*VEC_PUSH(&s->from) = from;
}

/* Follows all letters from the states found, until one can be saved: its index; UINT32_MAX: none. */
static uint32_t search_run(struct judge_rx *r, struct search *s)
{
	for (uint32_t i = 0; i < s->at.n; i++) {
		uint32_t state = s->at.at[i];

		if (known_of(r, state) == SAVED)
			return i;
		for (size_t k = 0; k < r->next.n && known_of(r, state) != LOST; k++) {
			uint32_t next = step(r, state, r->next.at[k]);

			if (next == UINT32_MAX || s->at.n * r->next.n > MOST_PAIRS) {
				s->full = true;
				return UINT32_MAX;
			}
			search_add(s, next, i);
		}
	}
	return UINT32_MAX;
}

/* Can any letters still lead to a match? */
static uint8_t fate(struct judge_rx *r, uint32_t state)
{
	struct search s = { 0 };
	uint32_t i;

	if (r->next.n == 0)
		return known_of(r, state) == LOST ? LOST : SAVED;
	if (known_of(r, state) != UNTOLD)
		return known_of(r, state);
	search_add(&s, state, UINT32_MAX);
	i = search_run(r, &s);
	for (; i != UINT32_MAX; i = s.from.at[i])
		r->known.at[s.at.at[i]] = SAVED;
	if (known_of(r, state) == UNTOLD && !s.full)
		for (i = 0; i < s.at.n; i++)
			r->known.at[s.at.at[i]] = LOST;
	VEC_RELEASE_ALL(&s.at, &s.from);
	map_release(&s.seen);
	return known_of(r, state);
}

enum judge_verdict judge_rx(struct judge_rx *r, uint64_t letter)
{
	r->at = letter ? step(r, r->at, letter) : r->whole->first;
	if (r->at == UINT32_MAX)
		return JUDGE_UNKNOWN;
	if (r->property->body == SPEC_ERE_NEVER)
		return r->whole->states.at[r->at].accepts ? JUDGE_BAD : JUDGE_GOOD;
	return verdicts[fate(r, r->at)];
}
