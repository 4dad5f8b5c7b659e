/*
 * A property in the model of a lattice: past-time formulas, restated straight from their table
 * (doc/SPECS.md, ptltl) without a monitor.
 *
 *	int v_0 = 0;				what variable 0 holds
 *	bit p_0, p_1; hidden byte n_0, n_1;	subformulas in the state before, in this one
 *	inline now() { n_0 = (v_0 == 1); n_1 = (n_0 && !p_0); assert(n_1); p_0 = n_0; p_1 = n_1 }
 *	#define AFTER_3 v_0 = 1; e_0 = 0; now();
 *
 * Where something cannot be said with the 32-bit numbers of Promela, or is no formula, the property
 * is an #error: nothing is searched, so nothing is concluded.
 */

#include "export/promela_priv.h"
#include "monitor/monitor.h"

struct property {
	const struct promela_lattice *l;
	const struct monitor *m;
	const struct spec *spec;
	uint64_t events, variables; /* what it names, and what its steps depend on */
	uint32_t nforms;
	const char *trouble; /* why it cannot be said, or NULL */
};

/* ---- numbers ---- */

/* The number that raw bytes of this type are; false: none that an int holds. */
static bool as_int(const struct spec_type *type, uint64_t raw, int *out)
{
	unsigned unused = 64 - 8u * type->size;
	int64_t v;

	if (type->kind != SPEC_INT)
		return false;
	raw = raw << unused >> unused;
	v = type->is_signed ? (int64_t)(raw << unused) >> unused : (int64_t)raw;
	if (v < INT_MIN || v > INT_MAX)
		return false;
	*out = (int)v;
	return true;
}

static bool is_whole(const struct spec_type *type, uint64_t mask)
{
	return mask == (type->size == 8 ? UINT64_MAX : (1ull << 8 * type->size) - 1);
}

static void write_const(struct property *p, const struct spec_number *n, struct strbuf *out)
{
	if (n->is_float || n->is_big || n->i < INT_MIN || n->i > INT_MAX)
		p->trouble = "a constant is no 32-bit number";
	else
		strbuf_addf(out, "(%lld)", (long long)n->i);
}

static void write_expr(struct property *p, const struct spec_expr *e, struct strbuf *out)
{
	if (e->op == SPEC_CONST) {
		write_const(p, &e->number, out);
	} else if (e->op == SPEC_VARIABLE) {
		strbuf_addf(out, "v_%u", e->index);
	} else if (e->op == SPEC_TID) {
		strbuf_adds(out, "tid");
	} else if (e->op == SPEC_NEG) {
		strbuf_adds(out, "(-");
		write_expr(p, e->a, out);
		strbuf_adds(out, ")");
	} else if (e->op == SPEC_DIV || e->op == SPEC_MOD || e->op == SPEC_REMOTE) {
		p->trouble = "it divides, or asks another thread";
	} else {
		strbuf_adds(out, "(");
		write_expr(p, e->a, out);
		strbuf_addf(out, " %s ", spec_expr_words[e->op]);
		write_expr(p, e->b, out);
		strbuf_adds(out, ")");
	}
}

/* ---- formulas ---- */

/* A formula in this state, and in the initial one where that is another: n_ now, p_ in the state before,
 * a and b its parts, k itself. */
static const struct {
	const char *now, *first;
} values[SPEC_NFORMS] = {
	[SPEC_F_TRUE] = { "1", NULL },
	[SPEC_F_FALSE] = { "0", NULL },
	[SPEC_F_NOT] = { "!n_a", NULL },
	[SPEC_F_AND] = { "n_a && n_b", NULL },
	[SPEC_F_OR] = { "n_a || n_b", NULL },
	[SPEC_F_IMPLIES] = { "!n_a || n_b", NULL },
	[SPEC_F_IFF] = { "n_a == n_b", NULL },
	[SPEC_F_PREV] = { "p_a", "n_a" },
	[SPEC_F_ONCE] = { "n_a || p_k", "n_a" },
	[SPEC_F_HIST] = { "n_a && p_k", "n_a" },
	[SPEC_F_START] = { "n_a && !p_a", "0" },
	[SPEC_F_STOP] = { "!n_a && p_a", "0" },
	[SPEC_F_SINCE] = { "n_b || (n_a && p_k)", "n_b" },
	[SPEC_F_WSINCE] = { "n_b || (n_a && p_k)", "n_b || n_a" },
	[SPEC_F_INTERVAL] = { "!n_b && (n_a || p_k)", "!n_b && n_a" },
	[SPEC_F_WINTERVAL] = { "!n_b && (n_a || p_k)", "!n_b" },
};

static void write_value(struct property *p, const struct spec_form *f, uint32_t a, uint32_t b,
			uint32_t k, bool first, struct strbuf *out)
{
	const char *text = first && values[f->op].first ? values[f->op].first : values[f->op].now;

	if (f->op == SPEC_F_EXPR)
		write_expr(p, f->expr, out);
	else if (f->op == SPEC_F_EVENT)
		strbuf_addf(out, first ? "0" : "e_%u", f->index);
	else if (!text)
		p->trouble = "it is about what threads know";
	for (; text && *text; text++) {
		if (*text == 'a' || *text == 'b' || *text == 'k')
			strbuf_addf(out, "%u", *text == 'a' ? a : *text == 'b' ? b : k);
		else
			strbuf_add(out, text, 1);
	}
}

/* Assignments to n_0, n_1, ..., parts before wholes; returns the formula's own number. */
static uint32_t write_form(struct property *p, const struct spec_form *f, bool first,
			   struct strbuf *out)
{
	uint32_t a = f->a ? write_form(p, f->a, first, out) : 0;
	uint32_t b = f->b ? write_form(p, f->b, first, out) : 0;
	uint32_t k = p->nforms++;

	strbuf_addf(out, "n_%u = (", k);
	write_value(p, f, a, b, k, first, out);
	strbuf_adds(out, "); ");
	return k;
}

/* One state: all subformulas, the assertion, then what is now is before. */
static void write_now(struct property *p, bool first, struct strbuf *out)
{
	uint32_t root;

	p->nforms = 0;
	root = write_form(p, p->m->property->form, first, out);
	strbuf_addf(out, "assert(n_%u); ", root);
	for (uint32_t i = 0; i < p->nforms; i++)
		strbuf_addf(out, "p_%u = n_%u; ", i, i);
}

/* ---- what a point does ---- */

static void write_events(struct property *p, const struct watch_item *item, struct strbuf *out)
{
	for (uint32_t i = 0; i < p->spec->nevents; i++) {
		if (!(p->events >> i & 1))
			continue;
		strbuf_addf(out, "e_%u = ", i);
		if (!(item->events >> i & 1))
			strbuf_adds(out, "0");
		else if (p->spec->events[i].when)
			write_expr(p, p->spec->events[i].when, out);
		else
			strbuf_adds(out, "1");
		strbuf_adds(out, "; ");
	}
}

/* It is a step if it touches what the property steps on, or is such an event, `when' considered. */
static void write_step(struct property *p, const struct watch_item *item, struct strbuf *out)
{
	if ((item->written & p->m->writes) || (item->reads & p->m->reads)) {
		strbuf_adds(out, "now(); ");
		return;
	}
	if (!(item->events & p->m->events))
		return;
	strbuf_adds(out, "if :: (0");
	for (uint32_t i = 0; i < p->spec->nevents; i++)
		if ((item->events & p->m->events) >> i & 1)
			strbuf_addf(out, " || e_%u", i);
	strbuf_adds(out, ") -> now() :: else -> skip fi; ");
}

static void write_after(struct property *p, size_t i, struct strbuf *out)
{
	const struct watch_item *item = &p->l->points.at[i].item;
	int v;

	strbuf_addf(out, "#define AFTER_%zu ", i);
	for (uint32_t k = 0; k < item->nwrites; k++) {
		const struct watch_write *w = &p->l->writes.at[item->writes + k];
		const struct spec_type *type = &p->spec->variables[w->variable].type;

		if (!(p->variables >> w->variable & 1))
			continue;
		if (!w->known || !is_whole(type, w->mask) || !as_int(type, w->raw, &v))
			p->trouble = "a value is no 32-bit number, or not known";
		else
			strbuf_addf(out, "v_%u = %d; ", w->variable, v);
	}
	strbuf_addf(out, "tid = %u; ", item->thread);
	write_events(p, item, out);
	write_step(p, item, out);
	strbuf_adds(out, "\n");
}

static void write_variables(struct property *p, struct strbuf *out)
{
	int v = 0;

	for (uint32_t i = 0; i < p->spec->nvariables; i++) {
		const struct spec_type *type = &p->spec->variables[i].type;
		const struct monitor_value *value = &p->l->initial[i];

		if (!(p->variables >> i & 1))
			continue;
		if (value->known != (1u << type->size) - 1 || !as_int(type, value->raw, &v))
			p->trouble = "a value is no 32-bit number, or not known";
		strbuf_addf(out, "int v_%u = %d;\n", i, v);
	}
	strbuf_adds(out, "hidden int tid;\n");
	for (uint32_t i = 0; i < p->spec->nevents; i++)
		if (p->events >> i & 1)
			strbuf_addf(out, "hidden byte e_%u;\n", i);
}

static uint64_t variables_of(const struct spec_expr *e)
{
	if (!e)
		return 0;
	return (e->op == SPEC_VARIABLE ? 1ull << e->index : 0) | variables_of(e->a) |
	       variables_of(e->b);
}

static void find_names(struct property *p)
{
	p->events = p->m->property->events | p->m->events;
	p->variables = p->m->property->variables;
	for (uint32_t i = 0; i < p->spec->nevents; i++)
		if (p->events >> i & 1)
			p->variables |= variables_of(p->spec->events[i].when);
}

void promela_property(const struct promela_lattice *l, const struct promela_lattice_options *opt,
		      uint32_t monitor, struct strbuf *out)
{
	struct property p = { .l = l,
			      .m = &opt->monitors->at[monitor],
			      .spec = opt->monitors->spec };
	STRBUF_SCOPED text = { 0 };

	if (p.m->property->body != SPEC_PTLTL) {
		strbuf_adds(out, "#error this property is no formula\n");
		return;
	}
	find_names(&p);
	write_variables(&p, &text);
	strbuf_adds(&text, "#define BEFORE d_step { ");
	write_now(&p, true, &text);
	strbuf_adds(&text, "};\ninline now() { ");
	write_now(&p, false, &text);
	strbuf_adds(&text, "}\n");
	for (uint32_t i = 0; i < p.nforms; i++)
		strbuf_addf(&text, "bit p_%u; hidden byte n_%u;\n", i, i);
	for (size_t i = 0; i < l->points.n; i++)
		if (l->points.at[i].has_item)
			write_after(&p, i, &text);
	if (p.trouble)
		strbuf_addf(out, "#error this property is not in the model: %s\n", p.trouble);
	else
		strbuf_add(out, strbuf_str(&text), text.n);
}
