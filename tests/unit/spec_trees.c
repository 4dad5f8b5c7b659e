#include "unit/spec_trees.h"

#include <stdio.h>

#include "base/mem.h"

void *trees_alloc(struct trees *t, size_t n)
{
	void *p = mem_zalloc(n);

	*VEC_PUSH(&t->held) = p;
	return p;
}

static const char *name(struct trees *t, char letter, uint32_t i)
{
	char *s = trees_alloc(t, 16);

	snprintf(s, 16, "%c%u", letter, i);
	return s;
}

void trees_init(struct trees *t, uint32_t nvariables, uint32_t nevents, uint64_t seed)
{
	memset(t, 0, sizeof(*t));
	t->seed = seed * 0x9e3779b97f4a7c15u + 1;
	t->spec.path = "by hand";
	t->spec.text = "";
	t->spec.nvariables = nvariables;
	t->spec.nevents = nevents;
	t->spec.variables = trees_alloc(t, (nvariables + 1) * sizeof(*t->spec.variables));
	t->spec.events = trees_alloc(t, (nevents + 1) * sizeof(*t->spec.events));
	t->spec.properties = trees_alloc(t, SPEC_PROPERTIES * sizeof(*t->spec.properties));
	for (uint32_t i = 0; i < nvariables; i++) {
		t->spec.variables[i].name = name(t, 'x', i);
		t->spec.variables[i].type = (struct spec_type){ SPEC_INT, 4, true, "int" };
	}
	for (uint32_t i = 0; i < nevents; i++) {
		struct spec_event *e = &t->spec.events[i];

		e->name = name(t, 'e', i);
		e->op = SPEC_CALL;
		e->nargs = 1;
		e->args = trees_alloc(t, sizeof(*e->args));
		e->args[0] = (struct spec_arg){ .name = e->name, .thread = -1 };
		e->variable = e->by = -1;
	}
}

void trees_release(struct trees *t)
{
	for (size_t i = 0; i < t->held.n; i++)
		mem_free(t->held.at[i]);
	VEC_RELEASE(&t->held);
}

uint32_t trees_random(struct trees *t, uint32_t n)
{
	t->seed ^= t->seed << 13;
	t->seed ^= t->seed >> 7;
	t->seed ^= t->seed << 17;
	return (uint32_t)((t->seed * 0x2545f4914f6cdd1du >> 33) % n);
}

struct spec_expr *trees_expr(struct trees *t, enum spec_expr_op op, struct spec_expr *a,
			     struct spec_expr *b)
{
	struct spec_expr *e = trees_alloc(t, sizeof(*e));

	e->op = op;
	e->a = a;
	e->b = b;
	return e;
}

struct spec_expr *trees_const(struct trees *t, int64_t i)
{
	struct spec_expr *e = trees_expr(t, SPEC_CONST, NULL, NULL);

	e->number.i = i;
	return e;
}

struct spec_expr *trees_real(struct trees *t, double f)
{
	struct spec_expr *e = trees_expr(t, SPEC_CONST, NULL, NULL);

	e->number.is_float = true;
	e->number.f = f;
	return e;
}

struct spec_expr *trees_var(struct trees *t, uint32_t i)
{
	struct spec_expr *e = trees_expr(t, SPEC_VARIABLE, NULL, NULL);

	e->index = i;
	return e;
}

struct spec_form *trees_form(struct trees *t, enum spec_form_op op, struct spec_form *a,
			     struct spec_form *b)
{
	struct spec_form *f = trees_alloc(t, sizeof(*f));

	f->op = op;
	f->a = a;
	f->b = b;
	return f;
}

struct spec_form *trees_atom(struct trees *t, struct spec_expr *e)
{
	struct spec_form *f = trees_form(t, SPEC_F_EXPR, NULL, NULL);

	f->expr = e;
	return f;
}

struct spec_form *trees_event(struct trees *t, uint32_t i)
{
	struct spec_form *f = trees_form(t, SPEC_F_EVENT, NULL, NULL);

	f->index = i;
	return f;
}

struct spec_rx *trees_rx(struct trees *t, enum spec_rx_op op, struct spec_rx *a, struct spec_rx *b)
{
	struct spec_rx *r = trees_alloc(t, sizeof(*r));

	r->op = op;
	r->a = a;
	r->b = b;
	return r;
}

struct spec_rx *trees_letter(struct trees *t, uint32_t event)
{
	struct spec_rx *r = trees_rx(t, SPEC_RX_EVENT, NULL, NULL);

	r->index = event;
	return r;
}

struct spec_property *trees_property(struct trees *t, enum spec_body body)
{
	struct spec_property *p = &t->spec.properties[t->spec.nproperties];

	p->name = name(t, 'p', t->spec.nproperties++);
	p->body = body;
	p->variables = (UINT64_C(1) << t->spec.nvariables) - 1;
	p->events = (UINT64_C(1) << t->spec.nevents) - 1;
	return p;
}

/* ---- random ones ---- */

static struct spec_expr *random_number(struct trees *t, unsigned depth)
{
	static const enum spec_expr_op ops[] = { SPEC_ADD, SPEC_SUB, SPEC_MUL,
						 SPEC_DIV, SPEC_MOD, SPEC_NEG };
	uint32_t kind = trees_random(t, depth == 0 ? 5 : 8);
	enum spec_expr_op op = ops[trees_random(t, 6)];
	struct spec_expr *a;

	if (kind < 1)
		return trees_const(t, (int64_t)trees_random(t, 5) - 2);
	if (kind < 2)
		return trees_expr(t, SPEC_TID, NULL, NULL);
	if (kind < 5)
		return trees_var(t, trees_random(t, t->spec.nvariables));
	a = random_number(t, depth - 1);
	return trees_expr(t, op, a, op == SPEC_NEG ? NULL : random_number(t, depth - 1));
}

struct spec_expr *trees_random_truth(struct trees *t, unsigned depth)
{
	enum spec_expr_op op = SPEC_EQ + trees_random(t, 6);
	struct spec_expr *a = random_number(t, depth);

	return trees_expr(t, op, a, random_number(t, depth));
}

struct spec_form *trees_random_form(struct trees *t, unsigned depth)
{
	static const uint8_t operands[] = {
#define X(id, word, n, temporal) n,
		SPEC_FORMS(X)
#undef X
	};
	enum spec_form_op op;
	struct spec_form *a;

	if (depth == 0 || trees_random(t, 8) == 0) {
		uint32_t kind = trees_random(t, 10);

		if (kind < 1)
			return trees_form(t, SPEC_F_TRUE + trees_random(t, 2), NULL, NULL);
		if (kind < 5)
			return trees_event(t, trees_random(t, t->spec.nevents));
		return trees_atom(t, trees_random_truth(t, trees_random(t, 3)));
	}
	op = SPEC_F_NOT + trees_random(t, SPEC_F_AT - SPEC_F_NOT);
	a = trees_random_form(t, depth - 1);
	return trees_form(t, op, a, operands[op] == 2 ? trees_random_form(t, depth - 1) : NULL);
}

struct spec_rx *trees_random_rx(struct trees *t, unsigned depth)
{
	enum spec_rx_op op;
	struct spec_rx *a;

	if (depth == 0 || trees_random(t, 6) == 0) {
		uint32_t kind = trees_random(t, 10);

		if (kind < 2)
			return trees_rx(t, kind < 1 ? SPEC_RX_EMPTY : SPEC_RX_ANY, NULL, NULL);
		return trees_letter(t, trees_random(t, t->spec.nevents));
	}
	op = SPEC_RX_CAT + trees_random(t, SPEC_RX_OPT - SPEC_RX_CAT + 1);
	a = trees_random_rx(t, depth - 1);
	return trees_rx(t, op, a, op <= SPEC_RX_AND ? trees_random_rx(t, depth - 1) : NULL);
}

void trees_random_fsm(struct trees *t, struct spec_property *p, uint32_t n)
{
	p->nstates = n;
	p->any = trees_random(t, 2);
	p->states = trees_alloc(t, n * sizeof(*p->states));
	p->states[trees_random(t, n)].initial = true;
	for (uint32_t i = 0; i < n; i++) {
		struct spec_state *s = &p->states[i];

		s->name = name(t, 's', i);
		s->bad = trees_random(t, 6) == 0;
		s->nmoves = trees_random(t, 5);
		s->moves = trees_alloc(t, (s->nmoves + 1) * sizeof(*s->moves));
		for (uint32_t k = 0; k < s->nmoves; k++) {
			s->moves[k].event = trees_random(t, t->spec.nevents);
			s->moves[k].to = trees_random(t, n);
			if (trees_random(t, 2))
				s->moves[k].when = trees_random_truth(t, 1);
		}
	}
}
