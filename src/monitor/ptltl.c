/*
 * Past-time LTL: one bit for each subformula whose past matters (Havelund and Rosu, TACAS 2002).
 *
 * The formula is flattened into a list in which operands come before operators and equal
 * subformulas are there once.  A step walks the list: the value of each subformula in the state
 * now follows from those of its operands now and from its own, or its operand's, one state ago
 * (the table of doc/SPECS.md):
 *
 *	prev F		F one state ago
 *	start F		F now, not one state ago
 *	once F		F now, or once F one state ago	...
 *
 * So `once F' keeps its own bit, `start F', `end F' and `prev F' that of F, which they share.
 *
 * Four truth values.  Connectives are Kleene's: false && error is false.  Temporal operators are
 * strict: one whose operand has no value in some state has none from there on, so unless the
 * formula is false in that very state the verdict is ERROR (UNKNOWN), which is the last one.  So
 * the bits of a state are always true or false.
 */
#include "monitor/monitor.h"

#include "monitor/eval.h"

#define NONE UINT32_MAX

struct node {
	uint8_t op;	/* enum spec_form_op */
	uint32_t a, b;	/* operands, or NONE */
	uint32_t index; /* EVENT */
	uint32_t bit;	/* where its value is kept for the next state, or NONE */
	uint32_t same;	/* another node with the same hash, or NONE */
	const struct spec_expr *expr;
};

struct ptltl {
	const struct spec *spec;
	VEC(struct node) nodes; /* the last one is the formula */
	uint32_t nbits;
	uint8_t *now; /* by node: enum eval_truth.  Of the step in hand */
	struct strbuf trouble;
};

/* ---- flattening ---- */

static const uint8_t is_temporal[] = {
#define X(id, word, operands, temporal) temporal,
	SPEC_FORMS(X)
#undef X
};

static uint64_t number_bits(const struct spec_number *n)
{
	return (uint64_t)n->i; /* a double: its bits */
}

static uint64_t expr_hash(const struct spec_expr *e)
{
	if (e == NULL)
		return 1;
	return hash_add(hash_add(hash_add(e->op, e->index), number_bits(&e->number)),
			hash_add(expr_hash(e->a), expr_hash(e->b)));
}

static bool expr_equal(const struct spec_expr *x, const struct spec_expr *y)
{
	if (x == NULL || y == NULL)
		return x == y;
	return x->op == y->op && x->index == y->index && x->number.is_float == y->number.is_float &&
	       x->number.is_big == y->number.is_big &&
	       number_bits(&x->number) == number_bits(&y->number) && expr_equal(x->a, y->a) &&
	       expr_equal(x->b, y->b);
}

static uint32_t node_add(struct ptltl *p, struct map *newest, struct node n)
{
	uint64_t h =
		hash_add(hash_add(hash_add(n.op, n.a), hash_add(n.b, n.index)), expr_hash(n.expr));
	bool fresh;
	uint64_t *last = map_put(newest, h, &fresh);

	n.same = fresh ? NONE : (uint32_t)*last;
	for (uint32_t i = n.same; i != NONE; i = p->nodes.at[i].same) {
		const struct node *o = &p->nodes.at[i];

		if (o->op == n.op && o->a == n.a && o->b == n.b && o->index == n.index &&
		    expr_equal(o->expr, n.expr))
			return i;
	}
	*last = p->nodes.n;
	*VEC_PUSH(&p->nodes) = n;
	return (uint32_t)p->nodes.n - 1;
}

static uint32_t flatten(struct ptltl *p, struct map *newest, const struct spec_form *f)
{
	struct node n = { .op = f->op, .a = NONE, .b = NONE, .bit = NONE };

	if (f->a != NULL)
		n.a = flatten(p, newest, f->a);
	if (f->b != NULL)
		n.b = flatten(p, newest, f->b);
	if (f->op == SPEC_F_EVENT)
		n.index = f->index;
	if (f->op == SPEC_F_EXPR)
		n.expr = f->expr;
	return node_add(p, newest, n);
}

/* The node whose value one state ago this one looks at, or NONE. */
static uint32_t looks_back_at(const struct ptltl *p, uint32_t i)
{
	const struct node *n = &p->nodes.at[i];

	if (!is_temporal[n->op])
		return NONE;
	if (n->op == SPEC_F_PREV || n->op == SPEC_F_START || n->op == SPEC_F_STOP)
		return n->a;
	return i;
}

static void number_bits_of_states(struct ptltl *p)
{
	for (uint32_t i = 0; i < p->nodes.n; i++) {
		uint32_t back = looks_back_at(p, i);

		if (back != NONE && p->nodes.at[back].bit == NONE)
			p->nodes.at[back].bit = p->nbits++;
	}
}

/* ---- truth values ---- */

static uint8_t truth_not(uint8_t a)
{
	return a == EVAL_TRUE ? EVAL_FALSE : a == EVAL_FALSE ? EVAL_TRUE : a;
}

/* error && unknown: false if the unknown one is false, else an error; so it is not known. */
static uint8_t truth_and(uint8_t a, uint8_t b)
{
	if (a == EVAL_FALSE || b == EVAL_FALSE)
		return EVAL_FALSE;
	if (a == EVAL_UNKNOWN || b == EVAL_UNKNOWN)
		return EVAL_UNKNOWN;
	return a == EVAL_ERROR || b == EVAL_ERROR ? EVAL_ERROR : EVAL_TRUE;
}

static uint8_t truth_or(uint8_t a, uint8_t b)
{
	return truth_not(truth_and(truth_not(a), truth_not(b)));
}

static bool is_definite(uint8_t a)
{
	return a == EVAL_TRUE || a == EVAL_FALSE;
}

/* Of operands that are not both definite, under a strict operator. */
static uint8_t truth_strict(uint8_t a, uint8_t b)
{
	return a == EVAL_ERROR || b == EVAL_ERROR ? EVAL_ERROR : EVAL_UNKNOWN;
}

static uint8_t truth_iff(uint8_t a, uint8_t b)
{
	if (!is_definite(a) || !is_definite(b))
		return truth_strict(a, b);
	return a == b ? EVAL_TRUE : EVAL_FALSE;
}

/* ---- steps ---- */

/* One state: what is asked in it, and the one before. */
struct moment {
	const struct monitor_value *values;
	uint64_t events;
	uint32_t thread;
	const uint8_t *before; /* NULL: the first state */
};

static bool past(const struct ptltl *p, const struct moment *m, uint32_t node)
{
	uint32_t bit = p->nodes.at[node].bit;

	assert(bit < p->nbits);
	return m->before[bit / 8] >> bit % 8 & 1;
}

/* X(op, in the first state, in others): a and b are its operands, definite, b false where there is none;
 * was: what looks_back_at says, one state ago. */
#define TEMPORAL(X)                            \
	X(PREV, a, was)                        \
	X(ONCE, a, a || was)                   \
	X(HIST, a, a &&was)                    \
	X(START, false, a && !was)             \
	X(STOP, false, !a && was)              \
	X(SINCE, b, b || (a && was))           \
	X(WSINCE, a || b, b || (a && was))     \
	X(INTERVAL, a && !b, !b && (a || was)) \
	X(WINTERVAL, !b, !b && (a || was))

static bool temporal_holds(uint8_t op, bool first, bool a, bool b, bool was)
{
	switch (op) {
#define X(id, at_first, then) \
	case SPEC_F_##id:     \
		return first ? (at_first) : (then);
		TEMPORAL(X)
#undef X
	default:
		BUG("no temporal operator: %d", op);
	}
}

static uint8_t temporal(const struct ptltl *p, const struct moment *m, uint32_t i)
{
	const struct node *n = &p->nodes.at[i];
	uint8_t a = p->now[n->a], b = n->b != NONE ? p->now[n->b] : EVAL_FALSE;
	bool was = m->before != NULL && past(p, m, looks_back_at(p, i));

	/* prev F has a value where F has none; who asks for it next finds a verdict. */
	if (!(n->op == SPEC_F_PREV && m->before != NULL) && (!is_definite(a) || !is_definite(b)))
		return truth_strict(a, b);
	return temporal_holds(n->op, m->before == NULL, a == EVAL_TRUE, b == EVAL_TRUE, was)
		       ? EVAL_TRUE
		       : EVAL_FALSE;
}

static uint8_t value(const struct ptltl *p, const struct moment *m, uint32_t i)
{
	const struct node *n = &p->nodes.at[i];
	const uint8_t *now = p->now;

	switch ((enum spec_form_op)n->op) {
	case SPEC_F_TRUE:
		return EVAL_TRUE;
	case SPEC_F_FALSE:
		return EVAL_FALSE;
	case SPEC_F_EXPR:
		return eval_truth(p->spec, n->expr, m->values, m->thread);
	case SPEC_F_EVENT:
		return m->events >> n->index & 1 ? EVAL_TRUE : EVAL_FALSE;
	case SPEC_F_NOT:
		return truth_not(now[n->a]);
	case SPEC_F_AND:
		return truth_and(now[n->a], now[n->b]);
	case SPEC_F_OR:
		return truth_or(now[n->a], now[n->b]);
	case SPEC_F_IMPLIES:
		return truth_or(truth_not(now[n->a]), now[n->b]);
	case SPEC_F_IFF:
		return truth_iff(now[n->a], now[n->b]);
	default:
		return temporal(p, m, i);
	}
}

/* The worst that a temporal operator has under it. */
static uint8_t under_temporal(const struct ptltl *p)
{
	uint8_t worst = EVAL_TRUE;

	for (uint32_t i = 0; i < p->nodes.n; i++) {
		const struct node *n = &p->nodes.at[i];
		uint8_t a, b;

		if (!is_temporal[n->op])
			continue;
		a = p->now[n->a];
		b = n->b != NONE ? p->now[n->b] : EVAL_FALSE;
		if (!is_definite(a) || !is_definite(b))
			worst = worst == EVAL_ERROR ? EVAL_ERROR : truth_strict(a, b);
	}
	return worst;
}

static void explain(struct ptltl *p, const struct moment *m, uint8_t truth)
{
	strbuf_clear(&p->trouble);
	for (uint32_t i = 0; i < p->nodes.n; i++) {
		if (p->nodes.at[i].op == SPEC_F_EXPR && p->now[i] == truth) {
			eval_explain(p->spec, p->nodes.at[i].expr, m->values, m->thread,
				     &p->trouble);
			return;
		}
	}
}

static enum monitor_verdict look(struct ptltl *p, const struct moment *m, uint8_t *after)
{
	bool all_definite = true;
	uint8_t root;

	memset(after, 0, (p->nbits + 7) / 8);
	for (uint32_t i = 0; i < p->nodes.n; i++) {
		uint32_t bit = p->nodes.at[i].bit;
		uint8_t v = value(p, m, i);

		p->now[i] = v;
		all_definite &= is_definite(v);
		if (bit != NONE && v == EVAL_TRUE)
			after[bit / 8] |= (uint8_t)(1u << bit % 8);
	}
	root = p->now[p->nodes.n - 1];
	if (root == EVAL_FALSE)
		return MONITOR_BAD;
	if (all_definite)
		return MONITOR_GOOD;
	if (root == EVAL_TRUE)
		root = under_temporal(p);
	if (root == EVAL_TRUE)
		return MONITOR_GOOD;
	explain(p, m, root);
	return root == EVAL_ERROR ? MONITOR_ERROR : MONITOR_UNKNOWN;
}

static enum monitor_verdict ptltl_initial(void *self, const struct monitor_value *values,
					  uint8_t *state)
{
	return look(self, &(struct moment){ .values = values }, state);
}

static enum monitor_verdict ptltl_step(void *self, const uint8_t *before,
				       const struct monitor_input *in, uint8_t *after)
{
	return look(self, &(struct moment){ in->values, in->events, in->thread, before }, after);
}

static void ptltl_free(void *self)
{
	struct ptltl *p = self;

	MEM_FREE_ALL(p->nodes.at, p->now, p->trouble.at, p);
}

static void ptltl_describe(const void *self, struct strbuf *out)
{
	const struct ptltl *p = self;

	strbuf_addf(out, "%u bit%s, %zu subformula%s", p->nbits, p->nbits == 1 ? "" : "s",
		    p->nodes.n, p->nodes.n == 1 ? "" : "s");
}

enum status monitor_ptltl_new(const struct spec *s, const struct spec_property *property,
			      struct monitor *out, struct diag *d)
{
	struct ptltl *p = mem_zalloc(sizeof(*p));
	MAP_SCOPED newest = { 0 };

	p->spec = s;
	/* Operands are there before the operator, so the whole formula comes last. */
	flatten(p, &newest, property->form);
	number_bits_of_states(p);
	p->now = mem_zalloc(p->nodes.n);
	out->self = p;
	out->size = (p->nbits + 7) / 8;
	out->initial = ptltl_initial;
	out->step = ptltl_step;
	out->free = ptltl_free;
	out->describe = ptltl_describe;
	out->trouble = &p->trouble;
	if (out->size <= MONITOR_STATE)
		return ST_OK;
	spec_complain(s, property->spot, d,
		      "property '%s' is too large: its monitor needs %u bits, and may have %u",
		      property->name, p->nbits, 8 * MONITOR_STATE);
	ptltl_free(p);
	return ST_BAD_INPUT;
}
