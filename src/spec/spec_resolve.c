/*
 * After parsing: numbers for names, and what only the whole file can tell.
 *
 * Variables and events share their names, for `relevant' takes both; threads and properties have
 * names of their own.
 */
#include <string.h>

#include "base/near.h"
#include "spec/spec_priv.h"

/* ---- what there is ---- */

static int variable_find(const struct spec *s, const char *name)
{
	for (uint32_t i = 0; i < s->nvariables; i++)
		if (strcmp(s->variables[i].name, name) == 0)
			return (int)i;
	return -1;
}

static int event_find(const struct spec *s, const char *name)
{
	for (uint32_t i = 0; i < s->nevents; i++)
		if (strcmp(s->events[i].name, name) == 0)
			return (int)i;
	return -1;
}

static int thread_find(const struct spec *s, const char *name)
{
	for (uint32_t i = 0; i < s->nthreads; i++)
		if (strcmp(s->threads[i].name, name) == 0)
			return (int)i;
	return -1;
}

static bool complain_twice(struct spec_parser *p, struct spec_spot at, const char *what,
			   const char *name, struct spec_spot first)
{
	spec_fail(p, at, "%s '%.64s' is declared twice, first on line %u", what, name, first.line);
	return false;
}

static bool check_twice(struct spec_parser *p)
{
	const struct spec *s = p->spec;

	for (uint32_t i = 0; i < s->nvariables; i++) {
		const struct spec_variable *v = &s->variables[i];
		int j = variable_find(s, v->name);

		if (j < (int)i)
			return complain_twice(p, v->spot, "variable", v->name,
					      s->variables[j].spot);
	}
	for (uint32_t i = 0; i < s->nevents; i++) {
		const struct spec_event *e = &s->events[i];
		int j = event_find(s, e->name), v = variable_find(s, e->name);

		if (j < (int)i)
			return complain_twice(p, e->spot, "event", e->name, s->events[j].spot);
		if (v >= 0) {
			spec_fail(p, e->spot,
				  "event '%.64s' has the name of the variable of line %u", e->name,
				  s->variables[v].spot.line);
			return false;
		}
	}
	for (uint32_t i = 0; i < s->nthreads; i++) {
		const struct spec_thread *t = &s->threads[i];
		int j = thread_find(s, t->name);

		if (j < (int)i)
			return complain_twice(p, t->spot, "thread", t->name, s->threads[j].spot);
	}
	for (uint32_t i = 0; i < s->nproperties; i++)
		for (uint32_t j = 0; j < i; j++)
			if (strcmp(s->properties[i].name, s->properties[j].name) == 0)
				return complain_twice(p, s->properties[i].spot, "property",
						      s->properties[i].name, s->properties[j].spot);
	return true;
}

/* ---- names ---- */

enum wanted { W_VARIABLES = 1, W_EVENTS = 2, W_THREADS = 4 };

static const char *nearest(const struct spec *s, const char *name, unsigned wanted)
{
	const char *names[SPEC_VARIABLES + SPEC_EVENTS + SPEC_THREADS];
	size_t n = 0;

	for (uint32_t i = 0; (wanted & W_VARIABLES) && i < s->nvariables; i++)
		names[n++] = s->variables[i].name;
	for (uint32_t i = 0; (wanted & W_EVENTS) && i < s->nevents; i++)
		names[n++] = s->events[i].name;
	for (uint32_t i = 0; (wanted & W_THREADS) && i < s->nthreads; i++)
		names[n++] = s->threads[i].name;
	return near_find(name, names, n);
}

/* hint: how it would be declared. */
static bool complain_unknown(struct spec_parser *p, const struct spec_use *u, const char *what,
			     unsigned wanted, const char *hint)
{
	const char *near = nearest(p->spec, u->name, wanted);

	if (near)
		spec_fail(p, u->spot, "%s '%.64s' is not declared, did you mean '%s'?", what,
			  u->name, near);
	else
		spec_fail(p, u->spot, "%s '%.64s' is not declared: %s", what, u->name, hint);
	return false;
}

static bool resolve_variable(struct spec_parser *p, const struct spec_use *u)
{
	int i = variable_find(p->spec, u->name);

	if (i >= 0) {
		*u->number = (uint32_t)i;
		return true;
	}
	if (event_find(p->spec, u->name) < 0)
		return complain_unknown(p, u, "variable", W_VARIABLES,
					"declare it, as in 'shared int x;'");
	spec_fail(p, u->spot, "'%.64s' is an event: write '%.64s()' in a formula", u->name,
		  u->name);
	return false;
}

static bool resolve_event(struct spec_parser *p, const struct spec_use *u)
{
	int i = event_find(p->spec, u->name);

	if (i >= 0) {
		*u->number = (uint32_t)i;
		return true;
	}
	if (variable_find(p->spec, u->name) < 0)
		return complain_unknown(p, u, "event", W_EVENTS,
					"declare it, as in 'event open = call(file_open);'");
	spec_fail(p, u->spot, "'%.64s' is a variable, not an event", u->name);
	return false;
}

static bool resolve_thread(struct spec_parser *p, const struct spec_use *u)
{
	int i = thread_find(p->spec, u->name);

	if (i < 0)
		return complain_unknown(
			p, u, "thread", W_THREADS,
			"declare it, as in 'thread t = 2;' or 'thread t = \"worker\";'");
	*u->number = (uint32_t)i;
	return true;
}

static bool resolve_relevant(struct spec_parser *p, const struct spec_use *u)
{
	int v = variable_find(p->spec, u->name), e = event_find(p->spec, u->name);

	if (v >= 0)
		p->spec->relevant_variables |= UINT64_C(1) << v;
	else if (e >= 0)
		p->spec->relevant_events |= UINT64_C(1) << e;
	else
		return complain_unknown(p, u, "variable or event", W_VARIABLES | W_EVENTS,
					"declare it with 'shared' or 'event'");
	return true;
}

static bool resolve_use(struct spec_parser *p, const struct spec_use *u)
{
	int i;

	switch (u->kind) {
	case SPEC_USE_VARIABLE:
		return resolve_variable(p, u);
	case SPEC_USE_EVENT:
		return resolve_event(p, u);
	case SPEC_USE_THREAD:
		return resolve_thread(p, u);
	case SPEC_USE_RELEVANT:
		return resolve_relevant(p, u);
	case SPEC_USE_ACCESS:
		i = variable_find(p->spec, u->name);
		if (i >= 0)
			*u->number = (uint32_t)i;
		return true;
	}
	BUG("bad use %d", (int)u->kind);
}

/* ---- types of expressions ---- */

/*
 * Pointers can be compared, not reckoned with: C would scale, and the sizes behind them are not
 * known here.
 */
static bool check_expr(struct spec_parser *p, const struct spec_expr *e, enum spec_kind *kind)
{
	enum spec_kind a = SPEC_INT, b = SPEC_INT;

	if ((e->a && !check_expr(p, e->a, &a)) || (e->b && !check_expr(p, e->b, &b)))
		return false;
	*kind = a == SPEC_FLOAT || b == SPEC_FLOAT ? SPEC_FLOAT : SPEC_INT;
	if (e->op == SPEC_CONST)
		*kind = e->number.is_float ? SPEC_FLOAT : SPEC_INT;
	else if (e->op == SPEC_VARIABLE)
		*kind = p->spec->variables[e->index].type.kind;
	else if (e->op == SPEC_REMOTE)
		*kind = a;
	else if (e->op < SPEC_EQ && (a == SPEC_POINTER || b == SPEC_POINTER))
		spec_fail(p, e->spot, "arithmetic on a pointer: pointers can only be compared");
	else if (e->op == SPEC_MOD && *kind == SPEC_FLOAT)
		spec_fail(p, e->spot, "'%%' takes integers");
	else if (e->op >= SPEC_EQ && *kind == SPEC_FLOAT &&
		 (a == SPEC_POINTER || b == SPEC_POINTER))
		spec_fail(p, e->spot, "a pointer is compared with a floating-point number");
	return !p->failed;
}

/* ---- what a property names ---- */

static void visit_expr(const struct spec_expr *e, uint64_t *variables)
{
	if (e->op == SPEC_VARIABLE)
		*variables |= UINT64_C(1) << e->index;
	if (e->a)
		visit_expr(e->a, variables);
	if (e->b)
		visit_expr(e->b, variables);
}

/* A truth value at the top of a tree. */
static bool visit_truth(struct spec_parser *p, const struct spec_expr *e, uint64_t *variables)
{
	enum spec_kind kind;

	visit_expr(e, variables);
	return check_expr(p, e, &kind);
}

static bool visit_form(struct spec_parser *p, const struct spec_form *f, struct spec_property *y)
{
	if (f->op == SPEC_F_EXPR)
		return visit_truth(p, f->expr, &y->variables);
	if (f->op == SPEC_F_EVENT)
		y->events |= UINT64_C(1) << f->index;
	return (!f->a || visit_form(p, f->a, y)) && (!f->b || visit_form(p, f->b, y));
}

static void visit_rx(const struct spec_rx *r, struct spec_property *y)
{
	if (r->op == SPEC_RX_EVENT)
		y->events |= UINT64_C(1) << r->index;
	if (r->a)
		visit_rx(r->a, y);
	if (r->b)
		visit_rx(r->b, y);
}

static bool visit_states(struct spec_parser *p, struct spec_property *y)
{
	for (uint32_t i = 0; i < y->nstates; i++) {
		for (uint32_t j = 0; j < y->states[i].nmoves; j++) {
			const struct spec_move *m = &y->states[i].moves[j];

			y->events |= UINT64_C(1) << m->event;
			if (m->when && !visit_truth(p, m->when, &y->variables))
				return false;
		}
	}
	return true;
}

static bool visit_property(struct spec_parser *p, struct spec_property *y, const uint64_t *when)
{
	if (y->form && !visit_form(p, y->form, y))
		return false;
	if (y->rx)
		visit_rx(y->rx, y);
	if (!visit_states(p, y))
		return false;
	for (uint32_t i = 0; i < p->spec->nevents; i++)
		if (y->events >> i & 1)
			y->variables |= when[i];
	return true;
}

bool spec_resolve(struct spec_parser *p)
{
	struct spec *s = p->spec;
	uint64_t when[SPEC_EVENTS] = { 0 }; /* by event: variables of its condition */

	if (!check_twice(p))
		return false;
	for (size_t i = 0; i < p->uses.n; i++)
		if (!resolve_use(p, &p->uses.at[i]))
			return false;
	for (uint32_t i = 0; i < s->nevents; i++)
		if (s->events[i].when && !visit_truth(p, s->events[i].when, &when[i]))
			return false;
	for (uint32_t i = 0; i < s->nproperties; i++)
		if (!visit_property(p, &s->properties[i], when))
			return false;
	return true;
}
