/*
 * Regular expressions over the property's events, by derivatives (Brzozowski, 1964).
 *
 * The state is a term: what may still follow.  It is built when a run first gets there, and there
 * are at most MONITOR_ERE_STATES of them; past that the verdict is UNKNOWN.
 *
 *	never	bad when the term takes the empty word: what has happened so far matches
 *	must	bad when no word at all is in it: nothing that may come can make it match
 *
 * For `must' it does not do to look at the term: `a & b' is not `nothing', and no word matches it
 * if one event is never both.  So a term is searched for a word, by derivatives along all letters
 * that can occur.  Which letters those are:
 *
 *   - Without `&' and `~' a word of sets matches only if some choice of one event out of each set
 *     does.  So single events are enough, and the answer is exact.
 *   - Else all sets of events that one event of a run may be at once, as far as their patterns
 *     tell (an acquire is no release, a call of f none of g).  Conditions are not looked into, so
 *     there may be letters too many and a word that can never happen: then a violation is missed,
 *     none is made up.
 *   - If those sets are more than MOST_LETTERS only the term `nothing' is bad: again some
 *     violations are missed.
 */
#include "monitor/monitor.h"

#include "monitor/ere_priv.h"

#define MOST_LETTERS 1024u

/* What is known of a term as a state of the monitor. */
enum { FRESH, STATE, LIVE, DEAD };

struct ere {
	const struct spec *spec;
	const struct spec_property *property;
	struct ere_terms terms;
	uint32_t initial;
	VEC(uint8_t) marks; /* by term */
	uint32_t nstates;
	VEC(uint64_t) letters; /* that can occur; none: too many to tell */
	struct strbuf trouble;
};

/* ---- letters ---- */

static bool names_differ(const struct spec_event *a, const struct spec_event *b)
{
	return a->nargs > 0 && b->nargs > 0 && !a->args[0].is_number && !b->args[0].is_number &&
	       strcmp(a->args[0].name, b->args[0].name) != 0;
}

/* Of numbers behind the name. */
static bool numbers_differ(const struct spec_event *a, const struct spec_event *b)
{
	for (uint32_t i = 1; i < a->nargs && i < b->nargs; i++) {
		const struct spec_arg *x = &a->args[i], *y = &b->args[i];

		if (x->is_number && y->is_number && !x->number.is_float && !y->number.is_float &&
		    x->number.i != y->number.i)
			return true;
	}
	return false;
}

static bool threads_differ(const struct spec *s, const struct spec_event *a,
			   const struct spec_event *b)
{
	const struct spec_thread *x, *y;

	if (a->by < 0 || b->by < 0)
		return false;
	x = &s->threads[a->by];
	y = &s->threads[b->by];
	return x->is_number && y->is_number && x->number != y->number;
}

/* False only if no event of any run is both. */
static bool may_be_both(const struct spec *s, const struct spec_event *a,
			const struct spec_event *b)
{
	bool accesses = a->op <= SPEC_WRITE && b->op <= SPEC_WRITE;

	if (threads_differ(s, a, b))
		return false;
	if (a->op == SPEC_ANY || b->op == SPEC_ANY)
		return true;
	/* An access may read and write, and several variables at once. */
	if (accesses || a->op != b->op)
		return accesses;
	/* Functions, user events and blocks are known by name alone; a lock may have two names. */
	if (a->op == SPEC_CALL || a->op == SPEC_USER)
		return !names_differ(a, b) && !numbers_differ(a, b);
	if (a->op == SPEC_BEGIN || a->op == SPEC_FINISH)
		return !names_differ(a, b);
	return true;
}

static bool rx_is_plain(const struct spec_rx *r)
{
	if (r == NULL)
		return true;
	return r->op != SPEC_RX_AND && r->op != SPEC_RX_NOT && rx_is_plain(r->a) &&
	       rx_is_plain(r->b);
}

/* All sets of events that may be one: each is made by adding an event to one that is there.
 * False: too many. */
static bool letters_find(struct ere *e, bool plain)
{
	const struct spec_event *events = e->spec->events;

	for (uint32_t i = 0; i < e->spec->nevents; i++) {
		uint64_t fits = 0;
		size_t n = plain ? 0 : e->letters.n;

		if (!(e->property->events >> i & 1))
			continue;
		for (uint32_t k = 0; k < i; k++)
			if (may_be_both(e->spec, &events[i], &events[k]))
				fits |= UINT64_C(1) << k;
		for (size_t k = 0; k < n; k++) {
			uint64_t set = e->letters.at[k];

			if ((set & ~fits) == 0)
				*VEC_PUSH(&e->letters) = set | UINT64_C(1) << i;
			if (e->letters.n > MOST_LETTERS)
				return false;
		}
		*VEC_PUSH(&e->letters) = UINT64_C(1) << i;
	}
	return true;
}

/* ---- states ---- */

/* Counts a term as a state; false: there are too many. */
static bool state_enter(struct ere *e, uint32_t term)
{
	if (term != ERE_FULL) {
		VEC_REACH(&e->marks, term);
		if (e->marks.at[term] != FRESH)
			return true;
		if (e->nstates < MONITOR_ERE_STATES) {
			e->nstates++;
			e->marks.at[term] = STATE;
			return true;
		}
	}
	strbuf_clear(&e->trouble);
	strbuf_adds(&e->trouble, "the regular expression has too many states");
	return false;
}

/* A search for a word: terms in the order found, each with the one it was found from. */
struct search {
	VEC(uint32_t) terms;
	VEC(uint32_t) from;
	struct map seen;
};

static void search_release(struct search *s)
{
	VEC_RELEASE_ALL(&s->terms, &s->from);
	map_release(&s->seen);
}

static void search_add(struct search *s, uint32_t term, uint32_t from)
{
	bool fresh;

	map_put(&s->seen, term, &fresh);
	if (!fresh)
		return;
	*VEC_PUSH(&s->terms) = term;
	*VEC_PUSH(&s->from) = from;
}

static bool is_live(const struct ere *e, uint32_t term)
{
	return ere_is_nullable(&e->terms, term) || e->marks.at[term] == LIVE;
}

/* Follows all letters from the terms found, until one is live, unless all are wanted: its index, else
 * the number of terms; *full: there was no room to look at all of them. */
static uint32_t search_run(struct ere *e, struct search *s, bool all, bool *full)
{
	for (uint32_t i = 0; i < s->terms.n; i++) {
		uint32_t term = s->terms.at[i];

		if (!all && is_live(e, term))
			return i;
		for (size_t k = 0; k < e->letters.n && e->marks.at[term] != DEAD; k++) {
			uint32_t next = ere_derive(&e->terms, term, e->letters.at[k]);

			if (!state_enter(e, next)) {
				*full = true;
				return (uint32_t)s->terms.n;
			}
			search_add(s, next, i);
		}
	}
	return (uint32_t)s->terms.n;
}

/* Decides about a term that was entered: LIVE, DEAD, or STATE where that cannot be told. */
static uint8_t state_decide(struct ere *e, uint32_t term)
{
	struct search s = { 0 };
	bool full = false;
	uint32_t at;

	if (e->marks.at[term] != STATE)
		return e->marks.at[term];
	search_add(&s, term, UINT32_MAX);
	at = search_run(e, &s, false, &full);
	if (at < s.terms.n) {
		for (; at != UINT32_MAX; at = s.from.at[at])
			e->marks.at[s.terms.at[at]] = LIVE;
	} else if (!full) {
		for (size_t i = 0; i < s.terms.n; i++)
			e->marks.at[s.terms.at[i]] = DEAD;
	}
	search_release(&s);
	return e->marks.at[term];
}

static enum monitor_verdict verdict(struct ere *e, uint32_t term)
{
	if (!state_enter(e, term))
		return MONITOR_UNKNOWN;
	if (e->property->body == SPEC_ERE_NEVER)
		return ere_is_nullable(&e->terms, term) ? MONITOR_BAD : MONITOR_GOOD;
	if (e->letters.n == 0)
		return term == ERE_NOTHING ? MONITOR_BAD : MONITOR_GOOD;
	switch (state_decide(e, term)) {
	case LIVE:
		return MONITOR_GOOD;
	case DEAD:
		return MONITOR_BAD;
	default:
		return MONITOR_UNKNOWN;
	}
}

static enum monitor_verdict ere_initial(void *self, const struct monitor_value *values,
					uint8_t *state)
{
	struct ere *e = self;

	(void)values;
	memcpy(state, &e->initial, sizeof(e->initial));
	return verdict(e, e->initial);
}

static enum monitor_verdict ere_step(void *self, const uint8_t *before,
				     const struct monitor_input *in, uint8_t *after)
{
	struct ere *e = self;
	uint64_t letter = in->events & e->property->events;
	uint32_t term;

	memcpy(&term, before, sizeof(term));
	if (letter != 0)
		term = ere_derive(&e->terms, term, letter);
	memcpy(after, &term, sizeof(term));
	return verdict(e, term);
}

static void ere_free(void *self)
{
	struct ere *e = self;

	ere_terms_release(&e->terms);
	VEC_RELEASE_ALL(&e->marks, &e->letters, &e->trouble);
	mem_free(e);
}

static struct ere *ere_new(const struct spec *s, const struct spec_property *p)
{
	struct ere *e = mem_zalloc(sizeof(*e));

	e->spec = s;
	e->property = p;
	ere_terms_init(&e->terms);
	e->initial = ere_term(&e->terms, p->rx);
	if (!letters_find(e, rx_is_plain(p->rx)))
		VEC_CLEAR(&e->letters);
	return e;
}

/* Counts the states along single events in a machine of its own: this one is not to grow because
 * somebody asked. */
static void ere_describe(const void *self, struct strbuf *out)
{
	const struct ere *asked = self;
	struct ere *e = ere_new(asked->spec, asked->property);
	struct search s = { 0 };
	bool full = !state_enter(e, e->initial);

	VEC_CLEAR(&e->letters);
	letters_find(e, true);
	search_add(&s, e->initial, UINT32_MAX);
	if (!full)
		search_run(e, &s, true, &full);
	if (full)
		strbuf_addf(out, "more than %u state%s, which is too large: unknown past that",
			    e->nstates, e->nstates == 1 ? "" : "s");
	else
		strbuf_addf(out, "%u state%s", e->nstates, e->nstates == 1 ? "" : "s");
	search_release(&s);
	ere_free(e);
}

enum status monitor_ere_new(const struct spec *s, const struct spec_property *p,
			    struct monitor *out, struct diag *d)
{
	struct ere *e = ere_new(s, p);

	out->self = e;
	out->size = sizeof(e->initial);
	out->initial = ere_initial;
	out->step = ere_step;
	out->free = ere_free;
	out->describe = ere_describe;
	out->trouble = &e->trouble;
	if (e->initial != ERE_FULL)
		return ST_OK;
	ere_free(e);
	return spec_complain(s, p->spot, d, "property '%s' is too large", p->name);
}
