/*
 * Random properties: built as trees, printed, parsed, and compared node by node.
 *
 *	test_spec_random [ROUNDS [SEED]]
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "spec/spec.h"
#include "tap.h"

static const char names[] =
	"shared int x; shared unsigned long y; shared long t[3].m;"
	"shared int \"a-b.c\":v; shared int file.c:w; shared int @raw; shared int \"once.c\":o;"
	"event a = user(a); event b = user(b); event c = call(f);"
	"thread t1 = 1; thread t2 = \"two\";\n";
#define NVARIABLES 7
#define NEVENTS 3
#define NTHREADS 2

static uint64_t seed;

static uint32_t pick(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

/* All nodes of a tree; freed at once. */
static struct {
	void *at[20000];
	size_t n;
} pool;

static void *node(size_t n)
{
	if (pool.n == sizeof(pool.at) / sizeof(pool.at[0]))
		abort();
	return pool.at[pool.n++] = calloc(1, n);
}

static void pool_free(void)
{
	while (pool.n)
		free(pool.at[--pool.n]);
}

/* ---- making ---- */

static struct spec_number number_make(void)
{
	struct spec_number n = { 0 };
	uint64_t bits =
		(uint64_t)pick(UINT32_MAX) << 33 ^ (uint64_t)pick(UINT32_MAX) << 11 ^ pick(2048);

	switch (pick(5)) {
	case 0:
		n.is_float = true;
		memcpy(&n.f, &bits, sizeof(n.f));
		if (n.f - n.f != 0)
			n.f = -0.0;
		break;
	case 1:
		n.i = (int64_t)bits;
		break;
	case 2:
		n.i = (int64_t)(bits | UINT64_C(1) << 63);
		n.is_big = true;
		break;
	default:
		n.i = (int64_t)pick(21) - 10;
	}
	return n;
}

static struct spec_expr *value_make(unsigned depth, bool mttl)
{
	struct spec_expr *e = node(sizeof(*e));

	switch (depth ? pick(9) : pick(3)) {
	case 0:
		e->op = SPEC_CONST;
		e->number = number_make();
		break;
	case 1:
		e->op = SPEC_VARIABLE;
		e->index = pick(NVARIABLES);
		break;
	case 2:
		e->op = SPEC_TID;
		break;
	case 3:
		e->op = SPEC_NEG;
		e->a = value_make(depth - 1, mttl);
		break;
	case 4:
		e->op = mttl ? SPEC_REMOTE : SPEC_VARIABLE;
		e->index = pick(NTHREADS);
		if (!mttl)
			break;
		do
			e->a = value_make(pick(2), mttl);
		while (e->a->op != SPEC_VARIABLE && e->a->op != SPEC_REMOTE);
		break;
	default:
		e->op = SPEC_ADD + pick(4); /* not %: it takes no floats */
		e->a = value_make(depth - 1, mttl);
		e->b = value_make(depth - 1, mttl);
	}
	return e;
}

static struct spec_expr *truth_make(unsigned depth, bool mttl)
{
	struct spec_expr *e = node(sizeof(*e));

	e->op = SPEC_EQ + pick(6);
	e->a = value_make(depth, mttl);
	e->b = value_make(depth, mttl);
	return e;
}

static const unsigned form_operands[] = {
#define X(id, word, operands, temporal) operands,
	SPEC_FORMS(X)
#undef X
};

/* Quantifiers around: of two that bind the same name the inner one counts. */
static const char *bound[8];
static unsigned nbound;

static uint32_t bind_one(const char **name)
{
	unsigned i = pick(nbound);

	*name = bound[i];
	for (unsigned j = i; j < nbound; j++)
		if (strcmp(bound[j], bound[i]) == 0)
			i = j;
	return SPEC_WHO_BOUND + i;
}

static struct spec_form *form_make(unsigned depth, bool mttl)
{
	struct spec_form *f = node(sizeof(*f));

	do
		f->op = pick(depth ? SPEC_NFORMS : SPEC_F_NOT);
	while (f->op >= SPEC_F_AT && !mttl);
	if (f->op == SPEC_F_EXPR)
		f->expr = truth_make(pick(4), mttl);
	if (f->op == SPEC_F_EVENT)
		f->index = pick(NEVENTS);
	if (f->op >= SPEC_F_AT)
		f->index = pick(5) ? pick(NTHREADS) : SPEC_WHO_ANY;
	if (f->op > SPEC_F_AT) {
		static const char *const words[] = { "o", "p" };

		f->name = words[pick(2)];
		bound[nbound++] = f->name;
		f->a = form_make(depth > 2 ? 2 : depth - 1, mttl);
		nbound--;
		return f;
	}
	if (f->op == SPEC_F_AT && nbound > 0 && pick(2))
		f->index = bind_one(&f->name);
	if (form_operands[f->op] > 0)
		f->a = form_make(depth - 1, mttl);
	if (form_operands[f->op] > 1)
		f->b = form_make(depth - 1, mttl);
	return f;
}

static struct spec_rx *rx_make(unsigned depth)
{
	struct spec_rx *r = node(sizeof(*r));

	r->op = pick(depth ? SPEC_RX_OPT + 1 : SPEC_RX_CAT);
	if (r->op == SPEC_RX_EVENT)
		r->index = pick(NEVENTS);
	if (r->op >= SPEC_RX_CAT)
		r->a = rx_make(depth - 1);
	if (r->op >= SPEC_RX_CAT && r->op <= SPEC_RX_AND)
		r->b = rx_make(depth - 1);
	return r;
}

static void machine_make(struct spec_property *p)
{
	static const char *const words[] = { "A", "B", "bad", "state", "initial", "end" };

	p->any = pick(2);
	p->nstates = 1 + pick(6);
	p->states = node(p->nstates * sizeof(*p->states));
	for (uint32_t i = 0; i < p->nstates; i++) {
		struct spec_state *s = &p->states[i];

		s->name = words[i];
		s->bad = pick(2);
		s->nmoves = pick(4);
		s->moves = node((s->nmoves + 1) * sizeof(*s->moves));
		for (uint32_t j = 0; j < s->nmoves; j++) {
			s->moves[j].event = pick(NEVENTS);
			s->moves[j].to = pick(p->nstates);
			s->moves[j].when = pick(2) ? truth_make(2, false) : NULL;
		}
	}
	p->states[pick(p->nstates)].initial = true;
}

static void property_make(struct spec_property *p, unsigned depth)
{
	memset(p, 0, sizeof(*p));
	p->name = "p";
	p->step = pick(3);
	p->body = pick(SPEC_MTTL + 1);
	p->handler = pick(2) ? "h" : NULL;
	p->has_action = p->handler != NULL;
	p->action = p->has_action ? SPEC_DO_CALL : SPEC_DO_LOG;
	nbound = 0;
	if (p->body == SPEC_FSM)
		machine_make(p);
	else if (p->body == SPEC_ERE_MUST || p->body == SPEC_ERE_NEVER)
		p->rx = rx_make(depth);
	else
		p->form = form_make(depth, p->body == SPEC_MTTL);
	if (p->body != SPEC_MTTL)
		return;
	p->at = pick(4) ? pick(NTHREADS) : SPEC_WHO_ANY;
	p->action = p->handler ? SPEC_DO_CALL : pick(2) ? SPEC_DO_LOG : pick(SPEC_DO_STOP + 1);
	if (!p->handler && p->action == SPEC_DO_CALL)
		p->action = SPEC_DO_LOG;
	p->has_action |= p->action != SPEC_DO_LOG;
	if (p->action == SPEC_DO_WAIT)
		p->until = form_make(2, true);
	p->number.i = p->action == SPEC_DO_WAIT ? 1 + pick(5) : 0;
}

/* ---- comparing ---- */

static bool numbers_same(const struct spec_number *a, const struct spec_number *b)
{
	return a->is_float == b->is_float && a->is_big == b->is_big && memcmp(&a->i, &b->i, 8) == 0;
}

static bool exprs_same(const struct spec_expr *a, const struct spec_expr *b)
{
	if (!a || !b)
		return a == b;
	return a->op == b->op && a->index == b->index && numbers_same(&a->number, &b->number) &&
	       exprs_same(a->a, b->a) && exprs_same(a->b, b->b);
}

static bool forms_same(const struct spec_form *a, const struct spec_form *b)
{
	if (!a || !b)
		return a == b;
	return a->op == b->op && a->index == b->index && exprs_same(a->expr, b->expr) &&
	       forms_same(a->a, b->a) && forms_same(a->b, b->b);
}

static bool rxs_same(const struct spec_rx *a, const struct spec_rx *b)
{
	if (!a || !b)
		return a == b;
	return a->op == b->op && a->index == b->index && rxs_same(a->a, b->a) &&
	       rxs_same(a->b, b->b);
}

static bool states_same(const struct spec_property *a, const struct spec_property *b)
{
	if (a->nstates != b->nstates || a->any != b->any)
		return false;
	for (uint32_t i = 0; i < a->nstates; i++) {
		const struct spec_state *s = &a->states[i], *t = &b->states[i];

		if (strcmp(s->name, t->name) != 0 || s->initial != t->initial || s->bad != t->bad ||
		    s->nmoves != t->nmoves)
			return false;
		for (uint32_t j = 0; j < s->nmoves; j++)
			if (s->moves[j].event != t->moves[j].event ||
			    s->moves[j].to != t->moves[j].to ||
			    !exprs_same(s->moves[j].when, t->moves[j].when))
				return false;
	}
	return true;
}

static bool properties_same(const struct spec_property *a, const struct spec_property *b)
{
	return a->step == b->step && a->body == b->body && a->at == b->at &&
	       a->has_action == b->has_action && a->action == b->action && a->target == b->target &&
	       numbers_same(&a->number, &b->number) && forms_same(a->until, b->until) &&
	       !a->handler == !b->handler && forms_same(a->form, b->form) &&
	       rxs_same(a->rx, b->rx) && states_same(a, b);
}

static bool try_one(const struct spec *base)
{
	struct spec_property p;
	struct strbuf text = { 0 };
	struct diag d = { { 0 } };
	struct spec *back;
	bool same = false;

	property_make(&p, pick(7));
	strbuf_adds(&text, names);
	spec_print_property(base, &p, &text);
	if (spec_parse("back", text.at, text.n, &back, &d) == ST_OK) {
		same = properties_same(&p, &back->properties[0]);
		spec_free(back);
	}
	if (!same)
		printf("# %s\n# %s\n", text.at, d.message);
	strbuf_release(&text);
	pool_free();
	return same;
}

int main(int argc, char **argv)
{
	uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : getenv("LONG") ? 2000000 : 20000;
	uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	struct diag d = { { 0 } };
	struct spec *base;

	if (!TAP_OK(spec_parse("names", names, sizeof(names) - 1, &base, &d) == ST_OK, "names"))
		return tap_done();
	for (uint64_t i = 0; i < rounds; i++) {
		seed = first + i;
		pick(1);
		if (!try_one(base)) {
			TAP_OK(false, "seed %" PRIu64, first + i);
			break;
		}
	}
	TAP_OK(true, "%" PRIu64 " properties are read as they were printed", rounds);
	spec_free(base);
	return tap_done();
}
