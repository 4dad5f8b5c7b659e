/*
 * Formulas in one state of one thread.
 *
 * Terms are evaluated inner ones first, each for every thread that its name may stand for; so where one
 * stands under an @ its value is there already, of the thread itself as of others.  Temporal operators have
 * a bit for the state before; operands that have any inside are evaluated always, for those bits must not be missed.
 */
#include "know/know_priv.h"

typedef __int128 number;

#define LARGEST ((number)1 << 120) /* products stop there: what is compared is less */

struct place {
	struct know_thread *t;
	const struct know_program *p;
	const struct know_node *nodes;
	bool initial;
	uint32_t names[KNOW_NAMES];
};

static number evaluate(struct place *at, uint32_t i);

static number widen(uint64_t raw, const struct know_node *n)
{
	return n->flags & KNOW_UNSIGNED ? (number)raw : (number)(int64_t)raw;
}

/* ---- values ---- */

static number shared_value(const struct place *at, const struct know_node *n)
{
	const struct know_variable *v = &know_variables(at->p)[n->index];
	uint64_t raw =
		at->initial ? at->t->world->initial[n->index] : at->t->own->words[2 * n->index + 1];
	unsigned unused = 64 - 8 * v->size;

	if (v->is_signed)
		return (int64_t)(raw << unused) >> unused;
	return (number)(raw << unused >> unused);
}

static uint32_t whom(const struct place *at, const struct know_node *n)
{
	if (n->who < KNOW_CLASS)
		return at->names[n->who];
	return __atomic_load_n(&at->t->world->single[n->who - KNOW_CLASS], __ATOMIC_RELAXED);
}

/* The entry that tells of thread j, and for how many threads it does. */
static uint64_t *news_of(const struct place *at, uint32_t j, uint32_t *n)
{
	const struct know_world *w = at->t->world;
	const struct know_vector *own = at->t->own;
	uint64_t *entry;

	if (j == at->t->tid && j != 0) {
		*n = own->n;
		return know_entry(at->p, own, j);
	}
	if (!at->initial && j != 0 && j <= own->n) {
		entry = know_entry(at->p, own, j);
		if (entry[0] >> 1 != 0) {
			*n = own->n;
			return entry;
		}
	}
	*n = w->first->n;
	return know_entry(at->p, w->first, j <= w->first->n ? j : 0);
}

static uint64_t remote_value(const struct place *at, const struct know_node *n)
{
	const struct know_term *term = &know_terms(at->p)[n->index];
	uint32_t known, other = term->dim == KNOW_FREE ? 0 : at->names[term->dim];
	uint64_t *entry = news_of(at, whom(at, n), &known);

	return *know_term_at(at->p, known, entry, term, other);
}

static number limited(number x)
{
	return x > LARGEST ? LARGEST : x < -LARGEST ? -LARGEST : x;
}

static number product(number a, number b)
{
	number x;

	if (__builtin_mul_overflow(a, b, &x))
		return (a < 0) == (b < 0) ? LARGEST : -LARGEST;
	return limited(x);
}

static number calculate(struct place *at, const struct know_node *n)
{
	number a = evaluate(at, n->a), b = n->op == KNOW_NEG ? 0 : evaluate(at, n->b);

	switch (n->op) {
	case KNOW_NEG:
		return -a;
	case KNOW_ADD:
		return limited(a + b);
	case KNOW_SUB:
		return limited(a - b);
	case KNOW_MUL:
		return product(a, b);
	case KNOW_DIV:
		return b != 0 ? a / b : 0; /* the spec has constants there, and they are not 0 */
	case KNOW_MOD:
		return b != 0 ? a % b : 0;
	case KNOW_EQ:
		return a == b;
	case KNOW_NE:
		return a != b;
	case KNOW_LT:
		return a < b;
	case KNOW_LE:
		return a <= b;
	case KNOW_GT:
		return a > b;
	default:
		return a >= b;
	}
}

/* Where nothing in b has to be remembered, and a decides, it need not be looked at. */
static bool connect(struct place *at, const struct know_node *n)
{
	bool a = evaluate(at, n->a) != 0, b = true;

	if (n->op != KNOW_NOT &&
	    (n->flags & KNOW_HAS_BITS || n->op == KNOW_IFF || a == (n->op != KNOW_OR)))
		b = evaluate(at, n->b) != 0;
	switch (n->op) {
	case KNOW_NOT:
		return !a;
	case KNOW_AND:
		return a && b;
	case KNOW_OR:
		return a || b;
	case KNOW_IMPLIES:
		return !a || b;
	default:
		return a == b;
	}
}

/* ---- time ---- */

static uint32_t bit_of(const struct place *at, const struct know_node *n)
{
	uint32_t most = at->t->own->n, name;

	if (n->dim == KNOW_FREE)
		return n->index;
	name = at->names[n->dim];
	return at->p->nbits + n->index * (most + 1) + (name <= most ? name : 0);
}

static bool first_value(unsigned op, bool a, bool b)
{
	switch (op) {
	case KNOW_START:
	case KNOW_STOP:
		return false;
	case KNOW_SINCE:
		return b;
	case KNOW_WSINCE:
		return a || b;
	case KNOW_INTERVAL:
		return a && !b;
	case KNOW_WINTERVAL:
		return !b;
	default:
		return a;
	}
}

/* was: of the state before, what is kept of it. */
static bool later_value(unsigned op, bool a, bool b, bool was)
{
	switch (op) {
	case KNOW_PREV:
		return was;
	case KNOW_ONCE:
		return a || was;
	case KNOW_HIST:
		return a && was;
	case KNOW_START:
		return a && !was;
	case KNOW_STOP:
		return !a && was;
	case KNOW_SINCE:
	case KNOW_WSINCE:
		return b || (a && was);
	default:
		return !b && (a || was);
	}
}

static bool temporal(struct place *at, const struct know_node *n)
{
	bool a = evaluate(at, n->a) != 0;
	bool b = n->op >= KNOW_SINCE && evaluate(at, n->b) != 0, value;
	uint32_t bit = bit_of(at, n);

	value = at->initial ? first_value(n->op, a, b)
			    : later_value(n->op, a, b, at->t->before[bit]);
	at->t->bits[bit] =
		n->op == KNOW_PREV || n->op == KNOW_START || n->op == KNOW_STOP ? a : value;
	return value;
}

/* ---- other threads ---- */

static bool is_of(const struct know_world *w, uint32_t tid, uint32_t class)
{
	return tid <= w->most && (__atomic_load_n(&w->classes[tid], __ATOMIC_RELAXED) >> class & 1);
}

static bool is_known(const struct place *at, uint32_t j)
{
	const struct know_vector *v = at->initial ? at->t->world->first : at->t->own;

	return j <= v->n && (know_entry(at->p, v, j)[0] & KNOWN);
}

/* Also for those that do not count, where there are bits: they may count later. */
static bool quantified(struct place *at, const struct know_node *n)
{
	const struct know_vector *own = at->t->own;
	bool some = false, all = true, value;

	for (uint32_t j = 0; j <= own->n; j++) {
		bool counts = j != 0 && j != at->t->tid && is_known(at, j) &&
			      is_of(at->t->world, j, n->index);

		if (!counts && !(n->flags & KNOW_HAS_BITS))
			continue;
		at->names[n->name] = j;
		value = evaluate(at, n->a) != 0;
		some |= counts && value;
		all &= !counts || value;
		if (!(n->flags & KNOW_HAS_BITS) && value == (n->op == KNOW_SOME))
			break;
	}
	return n->op == KNOW_SOME ? some : all;
}

static number evaluate(struct place *at, uint32_t i)
{
	const struct know_node *n = &at->nodes[i];

	switch (n->op) {
	case KNOW_CONST:
		return n->flags & KNOW_UNSIGNED ? (number)(uint64_t)n->number : n->number;
	case KNOW_LOCAL:
		return at->initial ? know_locals(at->p)[n->index].initial : at->t->locals[n->index];
	case KNOW_SHARED:
		return shared_value(at, n);
	case KNOW_BLOCK:
		return at->initial ? 0 : at->t->block;
	case KNOW_TID:
		return at->t->tid;
	case KNOW_REMOTE:
		return widen(remote_value(at, n), n);
	case KNOW_TRUE:
		return 1;
	case KNOW_FALSE:
		return 0;
	case KNOW_EVENT:
		return !at->initial && (at->t->events >> n->index & 1);
	case KNOW_SOME:
	case KNOW_ALL:
		return quantified(at, n);
	default:
		break;
	}
	if (n->op < KNOW_TRUE)
		return calculate(at, n);
	return n->op <= KNOW_IFF ? connect(at, n) : temporal(at, n);
}

/* ---- all ---- */

/* For every thread that its name may stand for, the ghost first. */
static bool term_evaluate(struct place *at, const struct know_term *term)
{
	struct know_vector *own = at->t->own;
	uint64_t *entry = know_entry(at->p, own, at->t->tid);
	uint32_t last = term->dim == KNOW_FREE ? 0 : own->n;
	bool changed = false;

	for (uint32_t j = 0; j <= last; j++) {
		uint64_t *value = know_term_at(at->p, own->n, entry, term, j), now;

		if (term->dim != KNOW_FREE)
			at->names[term->dim] = j;
		now = (uint64_t)evaluate(at, term->root);
		changed |= *value != now;
		*value = now;
	}
	return changed;
}

bool know_evaluate(struct know_thread *t, bool initial)
{
	const struct know_program *p = t->world->program;
	struct place at = { .t = t, .p = p, .nodes = know_nodes(p), .initial = initial };
	bool changed = false;

	for (uint32_t i = 0; i < p->nterms; i++)
		changed |= term_evaluate(&at, &know_terms(p)[i]);
	t->verdicts = 0;
	for (uint32_t i = 0; i < p->nproperties; i++) {
		at.names[0] = t->tid;
		if (evaluate(&at, know_properties(p)[i].root) == 0)
			t->verdicts |= UINT64_C(1) << i;
	}
	return changed;
}

bool know_holds(struct know_thread *t, uint32_t root)
{
	const struct know_program *p = t->world->program;
	struct place at = { .t = t, .p = p, .nodes = know_nodes(p), .names = { t->tid } };

	return evaluate(&at, root) != 0;
}
