/*
 * Terms, made only by the functions below, which simplify.
 *
 * The rules, beside those that make sets of alternatives:
 *
 *	nothing r = r nothing = nothing		empty r = r empty = r
 *	all r = all, r all = all		if r is nullable
 *	r** = r*, nothing* = empty* = empty	.* = all* = all = ~nothing
 *	~~r = r					r | ~r = all, r & ~r = nothing
 *	empty | r = r				if r is nullable
 *	empty & r = empty, or nothing		as r is nullable or not
 *
 * Letters are never empty sets, so `.' takes each of them and `.*' is all words.
 */
#include "monitor/ere_priv.h"

#define MOST_TERMS 400000u
#define MOST_KIDS 4000000u
#define MOST_DERIVED 4000000u

void ere_terms_init(struct ere_terms *t)
{
	memset(t, 0, sizeof(*t));
	for (uint32_t i = ERE_NOTHING; i <= ERE_ALL; i++)
		*VEC_PUSH(&t->at) = (struct ere_term){ .op = ERE_LEAF,
						       .nullable = i == ERE_EMPTY || i == ERE_ALL,
						       .same = ERE_FULL };
}

void ere_terms_release(struct ere_terms *t)
{
	VEC_RELEASE_ALL(&t->at, &t->kids, &t->stack);
	MAP_RELEASE_ALL(&t->newest, &t->letters, &t->derived);
}

bool ere_is_nullable(const struct ere_terms *t, uint32_t term)
{
	return t->at.at[term].nullable;
}

static enum ere_op op_of(const struct ere_terms *t, uint32_t term)
{
	return t->at.at[term].op;
}

static uint32_t kid(const struct ere_terms *t, uint32_t term, uint32_t i)
{
	assert(i < t->at.at[term].nkids);
	return t->kids.at[t->at.at[term].kids + i];
}

/* ---- keeping each term once ---- */

static bool is_nullable_of(const struct ere_terms *t, enum ere_op op, const uint32_t *kids,
			   uint32_t n)
{
	if (op == ERE_STAR)
		return true;
	if (op == ERE_EVENT)
		return false;
	if (op == ERE_NOT)
		return !ere_is_nullable(t, kids[0]);
	/* OR: one of them; CAT, AND: all of them. */
	for (uint32_t i = 0; i < n; i++)
		if (ere_is_nullable(t, kids[i]) == (op == ERE_OR))
			return op == ERE_OR;
	return op != ERE_OR;
}

/* The term with these operands (an event's is its number), which are not in t->kids. */
static uint32_t make(struct ere_terms *t, enum ere_op op, const uint32_t *kids, uint32_t n)
{
	bool fresh;
	uint64_t *newest = map_put(&t->newest, hash_numbers(op, kids, n), &fresh);
	uint32_t first = fresh ? ERE_FULL : (uint32_t)*newest;

	for (uint32_t i = first; i != ERE_FULL; i = t->at.at[i].same) {
		const struct ere_term *o = &t->at.at[i];

		if (o->op == op && o->nkids == n &&
		    memcmp(&t->kids.at[o->kids], kids, n * sizeof(*kids)) == 0)
			return i;
	}
	if (t->at.n >= MOST_TERMS || t->kids.n + n > MOST_KIDS) {
		*newest = first;
		return ERE_FULL;
	}
	*newest = t->at.n;
	*VEC_PUSH(&t->at) = (struct ere_term){ .op = op,
					       .nullable = is_nullable_of(t, op, kids, n),
					       .kids = (uint32_t)t->kids.n,
					       .nkids = n,
					       .same = first };
	VEC_APPEND(&t->kids, kids, n);
	return (uint32_t)t->at.n - 1;
}

static uint32_t cat(struct ere_terms *t, uint32_t a, uint32_t b)
{
	if (a == ERE_FULL || b == ERE_FULL)
		return ERE_FULL;
	if (a == ERE_NOTHING || b == ERE_NOTHING)
		return ERE_NOTHING;
	if (a == ERE_EMPTY || b == ERE_EMPTY)
		return a == ERE_EMPTY ? b : a;
	if ((a == ERE_ALL && ere_is_nullable(t, b)) || (b == ERE_ALL && ere_is_nullable(t, a)))
		return ERE_ALL;
	return make(t, ERE_CAT, (uint32_t[]){ a, b }, 2);
}

static uint32_t star(struct ere_terms *t, uint32_t a)
{
	if (a == ERE_FULL || a == ERE_ALL || (a > ERE_ALL && op_of(t, a) == ERE_STAR))
		return a;
	if (a == ERE_NOTHING || a == ERE_EMPTY)
		return ERE_EMPTY;
	return a == ERE_ANY ? ERE_ALL : make(t, ERE_STAR, &a, 1);
}

static uint32_t not(struct ere_terms * t, uint32_t a)
{
	if (a == ERE_FULL)
		return a;
	if (a == ERE_NOTHING || a == ERE_ALL)
		return a == ERE_ALL ? ERE_NOTHING : ERE_ALL;
	return op_of(t, a) == ERE_NOT ? kid(t, a, 0) : make(t, ERE_NOT, &a, 1);
}

static bool set_has(const uint32_t *set, uint32_t n, uint32_t term)
{
	return bsearch(&term, set, n, sizeof(*set), sort_order_u32) != NULL;
}

/* r and ~r are both there. */
static bool set_is_split(const struct ere_terms *t, const uint32_t *set, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (op_of(t, set[i]) == ERE_NOT && set_has(set, n, kid(t, set[i], 0)))
			return true;
	return false;
}

/* Sorts, drops what is there twice and `unit'; how many are left. */
static uint32_t set_sort(uint32_t *set, uint32_t n, uint32_t unit)
{
	uint32_t left = 0;

	n = (uint32_t)sort_once(set, n);
	for (uint32_t i = 0; i < n; i++)
		if (set[i] != unit)
			set[left++] = set[i];
	return left;
}

/* With the empty word among others: whether it must stay. */
static uint32_t set_with_empty(const struct ere_terms *t, enum ere_op op, uint32_t *set, uint32_t n)
{
	bool all = true, some = false;
	uint32_t i = 0;

	for (uint32_t k = 0; k < n; k++) {
		if (set[k] == ERE_EMPTY)
			continue;
		all &= ere_is_nullable(t, set[k]);
		some |= ere_is_nullable(t, set[k]);
	}
	if (op == ERE_AND) {
		set[0] = all ? ERE_EMPTY : ERE_NOTHING;
		return 1;
	}
	if (!some)
		return n;
	while (set[i] != ERE_EMPTY)
		i++;
	memmove(set + i, set + i + 1, (n - i - 1) * sizeof(*set));
	return n - 1;
}

/* What lies on the stack from base on, as alternatives or as an intersection; takes it off. */
static uint32_t set_of(struct ere_terms *t, enum ere_op op, size_t base)
{
	uint32_t unit = op == ERE_OR ? ERE_NOTHING : ERE_ALL;
	uint32_t zero = op == ERE_OR ? ERE_ALL : ERE_NOTHING;
	uint32_t *set, n;

	/* Sets in sets; what these have is no set of the same kind again. */
	for (size_t i = base, end = t->stack.n; i < end; i++) {
		uint32_t term = t->stack.at[i];

		if (term != ERE_FULL && op_of(t, term) == op) {
			for (uint32_t k = 0; k < t->at.at[term].nkids; k++)
				*VEC_PUSH(&t->stack) = kid(t, term, k);
			t->stack.at[i] = unit;
		}
	}
	set = t->stack.at + base;
	n = set_sort(set, (uint32_t)(t->stack.n - base), unit);
	t->stack.n = base;
	if (n > 0 && set[n - 1] == ERE_FULL)
		return ERE_FULL;
	if (set_has(set, n, zero) || set_is_split(t, set, n))
		return zero;
	if (n > 1 && set_has(set, n, ERE_EMPTY))
		n = set_with_empty(t, op, set, n);
	if (n <= 1)
		return n == 0 ? unit : set[0];
	return make(t, op, set, n);
}

static uint32_t both(struct ere_terms *t, enum ere_op op, uint32_t a, uint32_t b)
{
	size_t base = t->stack.n;

	*VEC_PUSH(&t->stack) = a;
	*VEC_PUSH(&t->stack) = b;
	return set_of(t, op, base);
}

/* ---- trees ---- */

/* Operands of a row of the same operator, whichever way it leans, on the stack. */
static void push_row(struct ere_terms *t, const struct spec_rx *r, enum spec_rx_op op)
{
	uint32_t term;

	if (r->op == op) {
		push_row(t, r->a, op);
		push_row(t, r->b, op);
		return;
	}
	term = ere_term(t, r);
	*VEC_PUSH(&t->stack) = term;
}

/* Leaning to the right, so that the derivative of a long sequence looks at its head alone. */
static uint32_t sequence(struct ere_terms *t, const struct spec_rx *r)
{
	size_t base = t->stack.n;
	uint32_t made = ERE_EMPTY;

	push_row(t, r, SPEC_RX_CAT);
	while (t->stack.n > base)
		made = cat(t, t->stack.at[--t->stack.n], made);
	return made;
}

uint32_t ere_term(struct ere_terms *t, const struct spec_rx *r)
{
	size_t base = t->stack.n;
	uint32_t a;

	switch (r->op) {
	case SPEC_RX_EMPTY:
		return ERE_EMPTY;
	case SPEC_RX_EVENT:
		return make(t, ERE_EVENT, &r->index, 1);
	case SPEC_RX_ANY:
		return ERE_ANY;
	case SPEC_RX_CAT:
		return sequence(t, r);
	case SPEC_RX_OR:
	case SPEC_RX_AND:
		push_row(t, r, r->op);
		return set_of(t, r->op == SPEC_RX_OR ? ERE_OR : ERE_AND, base);
	case SPEC_RX_NOT:
		return not(t, ere_term(t, r->a));
	case SPEC_RX_STAR:
		return star(t, ere_term(t, r->a));
	case SPEC_RX_PLUS:
		a = ere_term(t, r->a);
		return cat(t, a, star(t, a));
	case SPEC_RX_OPT:
		return both(t, ERE_OR, ere_term(t, r->a), ERE_EMPTY);
	}
	BUG("no regular expression: %d", r->op);
}

/* ---- derivatives ---- */

struct letter {
	uint64_t events;
	uint32_t number;
};

static uint32_t derive(struct ere_terms *t, uint32_t term, const struct letter *l);

static uint32_t derive_compound(struct ere_terms *t, uint32_t term, const struct letter *l)
{
	enum ere_op op = op_of(t, term);
	size_t base = t->stack.n;
	uint32_t a, b;

	switch (op) {
	case ERE_NOT:
		return not(t, derive(t, kid(t, term, 0), l));
	case ERE_STAR:
		return cat(t, derive(t, kid(t, term, 0), l), term);
	case ERE_CAT:
		a = cat(t, derive(t, kid(t, term, 0), l), kid(t, term, 1));
		if (!ere_is_nullable(t, kid(t, term, 0)))
			return a;
		b = derive(t, kid(t, term, 1), l);
		return both(t, ERE_OR, a, b);
	default: /* OR, AND */
		for (uint32_t i = 0; i < t->at.at[term].nkids; i++) {
			a = derive(t, kid(t, term, i), l);
			*VEC_PUSH(&t->stack) = a;
		}
		return set_of(t, op, base);
	}
}

static uint32_t derive(struct ere_terms *t, uint32_t term, const struct letter *l)
{
	uint64_t key = (uint64_t)term << 32 | l->number, *known;
	uint32_t made;

	if (term <= ERE_ANY)
		return term == ERE_ANY ? ERE_EMPTY : ERE_NOTHING;
	if (term == ERE_ALL)
		return ERE_ALL;
	if (op_of(t, term) == ERE_EVENT)
		return l->events >> kid(t, term, 0) & 1 ? ERE_EMPTY : ERE_NOTHING;
	known = map_get(&t->derived, key);
	if (known != NULL)
		return (uint32_t)*known;
	made = derive_compound(t, term, l);
	if (t->derived.n >= MOST_DERIVED)
		return ERE_FULL;
	*map_put(&t->derived, key, NULL) = made;
	return made;
}

uint32_t ere_derive(struct ere_terms *t, uint32_t term, uint64_t letter)
{
	struct letter l = { .events = letter };
	uint64_t *number;
	bool fresh;

	assert(letter != 0);
	number = map_put(&t->letters, letter, &fresh);
	if (fresh)
		*number = t->nletters++;
	l.number = (uint32_t)*number;
	return derive(t, term, &l);
}
