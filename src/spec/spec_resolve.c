/*
 * After parsing: numbers for names, and what only the whole file can tell.
 *
 * Variables and events share their names, for `relevant' takes both; threads and properties have
 * names of their own.
 */

#include "spec/spec_priv.h"

/* ---- what there is ---- */

static const struct {
	const char *what;
	const char *hint; /* how it would be declared */
} kinds[] = {
	[SPEC_USE_VARIABLE] = { "variable", ": declare it, as in 'shared int x;'" },
	[SPEC_USE_EVENT] = { "event", ": declare it, as in 'event open = call(file_open);'" },
	[SPEC_USE_THREAD] = { "thread",
			      ": declare it, as in 'thread t = 2;' or 'thread t = \"worker\";'" },
	[SPEC_USE_RELEVANT] = { "variable or event", ": declare it with 'shared' or 'event'" },
	[SPEC_USE_PROPERTY] = { "property", NULL },
	[SPEC_USE_WHO] = { "thread",
			   ": declare it, as in 'thread t = 2;' or 'thread t = \"worker\";'" },
};

/* The name of the i-th declaration of a kind and where it is; NULL: there are not so many. */
static const char *declared(const struct spec *s, enum spec_use_kind kind, uint32_t i,
			    struct spec_spot *at)
{
#define GET(list, count) (i < (count) ? (*at = (list)[i].spot, (list)[i].name) : NULL)
	switch (kind) {
	case SPEC_USE_VARIABLE:
		return GET(s->variables, s->nvariables);
	case SPEC_USE_EVENT:
		return GET(s->events, s->nevents);
	case SPEC_USE_THREAD:
		return GET(s->threads, s->nthreads);
	case SPEC_USE_PROPERTY:
		return GET(s->properties, s->nproperties);
	default:
		BUG("nothing is declared as %d", (int)kind);
	}
#undef GET
}

int spec_find(const struct spec *s, enum spec_use_kind kind, const char *name)
{
	struct spec_spot at;
	const char *has;

	for (uint32_t i = 0; (has = declared(s, kind, i, &at)); i++)
		if (strcmp(has, name) == 0)
			return (int)i;
	return -1;
}

static bool check_twice(struct spec_parser *p)
{
	const struct spec *s = p->spec;
	struct spec_spot at, first;
	const char *name;

	for (enum spec_use_kind kind = SPEC_USE_VARIABLE; kind <= SPEC_USE_PROPERTY; kind++) {
		for (uint32_t i = 0; (name = declared(s, kind, i, &at)); i++) {
			int j = spec_find(s, kind, name);
			int v = kind == SPEC_USE_EVENT ? spec_find(s, SPEC_USE_VARIABLE, name) : -1;

			declared(s, kind, (uint32_t)j, &first);
			if (j < (int)i)
				return spec_fail(p, at,
						 "%s '%.64s' is declared twice, first on line %u",
						 kinds[kind].what, name, first.line);
			if (v >= 0)
				return spec_fail(
					p, at,
					"event '%.64s' has the name of the variable of line %u",
					name, s->variables[v].spot.line);
		}
	}
	return true;
}

/* ---- names ---- */

static bool complain_unknown(struct spec_parser *p, const struct spec_use *u)
{
	const char *names[SPEC_VARIABLES + SPEC_EVENTS + SPEC_THREADS], *name;
	struct spec_spot at;
	size_t n = 0;

	for (enum spec_use_kind kind = SPEC_USE_VARIABLE; kind <= SPEC_USE_THREAD; kind++) {
		enum spec_use_kind want = u->kind == SPEC_USE_WHO ? SPEC_USE_THREAD : u->kind;
		bool wanted = want == SPEC_USE_RELEVANT ? kind != SPEC_USE_THREAD : kind == want;

		for (uint32_t i = 0; wanted && (name = declared(p->spec, kind, i, &at)); i++)
			names[n++] = name;
	}
	return spec_unknown(p, u->spot, kinds[u->kind].what, u->name, " is not declared", names, n,
			    kinds[u->kind].hint);
}

static bool resolve_relevant(struct spec_parser *p, const struct spec_use *u)
{
	int v = spec_find(p->spec, SPEC_USE_VARIABLE, u->name);
	int e = spec_find(p->spec, SPEC_USE_EVENT, u->name);

	if (v >= 0)
		p->spec->relevant_variables |= UINT64_C(1) << v;
	else if (e >= 0)
		p->spec->relevant_events |= UINT64_C(1) << e;
	else
		return complain_unknown(p, u);
	return true;
}

static bool resolve_use(struct spec_parser *p, const struct spec_use *u)
{
	enum spec_use_kind kind = u->kind == SPEC_USE_ACCESS ? SPEC_USE_VARIABLE : u->kind;
	int i;

	if (kind == SPEC_USE_RELEVANT)
		return resolve_relevant(p, u);
	if (kind == SPEC_USE_WHO) {
		kind = SPEC_USE_THREAD;
		if (strcmp(u->name, "any") == 0) {
			*u->number = SPEC_WHO_ANY;
			return true;
		}
	}
	i = spec_find(p->spec, kind, u->name);
	if (i >= 0)
		*u->number = (uint32_t)i;
	if (i >= 0 || u->kind == SPEC_USE_ACCESS)
		return true;
	if (kind == SPEC_USE_VARIABLE && spec_find(p->spec, SPEC_USE_EVENT, u->name) >= 0)
		return spec_fail(p, u->spot, "'%.64s' is an event: write '%.64s()' in a formula",
				 u->name, u->name);
	if (kind == SPEC_USE_EVENT && spec_find(p->spec, SPEC_USE_VARIABLE, u->name) >= 0)
		return spec_fail(p, u->spot, "'%.64s' is a variable, not an event", u->name);
	return complain_unknown(p, u);
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

/* Who has them is a thread, and other properties do not know of threads. */
static bool check_locals(struct spec_parser *p, const struct spec_property *y)
{
	const struct spec *s = p->spec;

	for (uint32_t i = 0; i < s->nvariables && y->body != SPEC_MTTL; i++)
		if ((y->variables >> i & 1) && s->variables[i].local)
			return spec_fail(
				p, y->spot,
				"property '%.64s' names '%.64s', which is local to each thread: "
				"only mttl properties can",
				y->name, s->variables[i].name);
	return true;
}

static bool visit_action(struct spec_parser *p, struct spec_property *y)
{
	if (y->until && !visit_form(p, y->until, y))
		return false;
	if (y->has_action && y->action == SPEC_DO_SET) {
		const struct spec_variable *v = &p->spec->variables[y->target];

		if (v->local)
			return spec_fail(
				p, y->action_spot,
				"'%.64s' is local to each thread: a handler sets variables "
				"of the program",
				v->name);
		y->variables |= UINT64_C(1) << y->target;
		return spec_type_fits(p, &v->type, y->action_spot, &y->number);
	}
	return true;
}

static bool visit_property(struct spec_parser *p, struct spec_property *y, const uint64_t *when)
{
	if ((y->form && !visit_form(p, y->form, y)) || !visit_action(p, y))
		return false;
	if (y->rx)
		visit_rx(y->rx, y);
	if (!visit_states(p, y))
		return false;
	for (uint32_t i = 0; i < p->spec->nevents; i++)
		if (y->events >> i & 1)
			y->variables |= when[i];
	return check_locals(p, y);
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
