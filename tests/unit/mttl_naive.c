#include "mttl_naive.h"

/* ---- what comes before what ---- */

static bool reads(const struct naive_event *e)
{
	return e->op == NAIVE_READ || e->op == NAIVE_AREAD || e->op == NAIVE_RMW;
}

static bool writes(const struct naive_event *e)
{
	return e->op == NAIVE_WRITE || e->op == NAIVE_AWRITE || e->op == NAIVE_RMW;
}

static bool is_atomic(const struct naive_event *e)
{
	return e->op == NAIVE_AREAD || e->op == NAIVE_AWRITE || e->op == NAIVE_RMW;
}

/* Declared, or in a pattern of an event. */
static bool is_named(const struct spec *s, const char *variable)
{
	for (uint32_t i = 0; i < s->nvariables; i++)
		if (!s->variables[i].local && strcmp(s->variables[i].name, variable) == 0)
			return true;
	for (uint32_t i = 0; i < s->nevents; i++)
		if (s->events[i].op <= SPEC_WRITE && s->events[i].nargs &&
		    strcmp(s->events[i].args[0].name, variable) == 0)
			return true;
	return false;
}

static bool conflict(const struct naive_run *r, const struct naive_event *a,
		     const struct naive_event *b)
{
	if (!(reads(a) || writes(a)) || !(reads(b) || writes(b)) || !(writes(a) || writes(b)) ||
	    strcmp(a->object, b->object) != 0)
		return false;
	return r->s->flow_all || is_named(r->s, a->object) || (is_atomic(a) && is_atomic(b));
}

/* Does event i lead to event k, which comes later, at once? */
static bool leads(const struct naive_run *r, unsigned i, unsigned k)
{
	const struct naive_event *a = &r->at[i], *b = &r->at[k];
	bool same = a->object && b->object && strcmp(a->object, b->object) == 0;

	if (a->thread == b->thread || conflict(r, a, b))
		return true;
	if (a->op == NAIVE_REL)
		return same && (b->op == NAIVE_ACQ || b->op == NAIVE_RACQ);
	if (a->op == NAIVE_RREL)
		return same && b->op == NAIVE_ACQ;
	if (a->op == NAIVE_GIVE)
		return same && b->op == NAIVE_TAKE;
	if (a->op == NAIVE_FORK && a->other == b->thread)
		return true;
	return (b->op == NAIVE_JOIN && b->other == a->thread) ||
	       (a->op == NAIVE_SIGNAL && b->op == NAIVE_WAKE && b->other == i + 1);
}

void mttl_naive_order(struct naive_run *r)
{
	for (unsigned k = 0; k < r->n; k++) {
		r->past[k] = UINT64_C(1) << k;
		for (unsigned i = 0; i < k; i++)
			if (leads(r, i, k))
				r->past[k] |= r->past[i];
	}
}

/* ---- states ---- */

/* A thread after so many of its events, and who the names are. */
struct state {
	unsigned thread, count;
	unsigned names[8];
};

/* Its last event; -1: none yet. */
static int last(const struct naive_run *r, const struct state *at)
{
	unsigned left = at->count;

	for (unsigned i = 0; left && i < r->n; i++)
		if (r->at[i].thread == at->thread && --left == 0)
			return (int)i;
	return -1;
}

static uint64_t past(const struct naive_run *r, const struct state *at)
{
	int i = last(r, at);

	return i < 0 ? 0 : r->past[i];
}

static struct state newest(const struct naive_run *r, const struct state *at, unsigned thread)
{
	struct state s = *at;

	if (thread == at->thread)
		return s;
	s.thread = thread;
	s.count = 0;
	for (unsigned i = 0; i < r->n; i++)
		s.count += r->at[i].thread == thread && (past(r, at) >> i & 1);
	return s;
}

static bool is_forked(const struct naive_run *r, unsigned thread, uint64_t among)
{
	for (unsigned i = 0; i < r->n; i++)
		if ((among >> i & 1) && r->at[i].op == NAIVE_FORK && r->at[i].other == thread)
			return true;
	return false;
}

/* Is there such a thread at all? */
static bool exists(const struct naive_run *r, unsigned thread)
{
	for (unsigned i = 0; i < r->n; i++)
		if (r->at[i].thread == thread)
			return true;
	return is_forked(r, thread, UINT64_MAX);
}

static bool is_known(const struct naive_run *r, const struct state *at, unsigned thread)
{
	return (exists(r, thread) && !is_forked(r, thread, UINT64_MAX)) ||
	       is_forked(r, thread, past(r, at)) || newest(r, at, thread).count > 0;
}

static bool is_of(const struct naive_run *r, unsigned thread, uint32_t class)
{
	char name[16];

	snprintf(name, sizeof(name), "T%u", thread + 1);
	return class == SPEC_WHO_ANY || strcmp(r->s->threads[class].routine, name) == 0;
}

static unsigned who(const struct naive_run *r, const struct spec_property *p,
		    const struct state *at, uint32_t index)
{
	if (index >= SPEC_WHO_BOUND)
		return at->names[index - SPEC_WHO_BOUND + 1];
	if (index == p->at)
		return at->names[0];
	for (unsigned t = 0; t < NAIVE_THREADS; t++)
		if (is_of(r, t, index))
			return t;
	return NAIVE_THREADS;
}

/* ---- values ---- */

static int64_t initial(const struct spec_variable *v)
{
	return v->has_initial ? v->initial.i : 0;
}

static int64_t variable(const struct naive_run *r, const struct state *at, uint32_t index)
{
	const struct spec_variable *v = &r->s->variables[index];
	int64_t value = initial(v);
	unsigned left = at->count;

	for (unsigned i = 0; i < r->n; i++) {
		const struct naive_event *e = &r->at[i];

		if (v->local && e->thread == at->thread && left > 0) {
			left--;
			if (e->op == NAIVE_INTERNAL && strcmp(e->object, v->name) == 0)
				value = e->value;
		} else if (!v->local && (past(r, at) >> i & 1) && writes(e) &&
			   strcmp(e->object, v->name) == 0) {
			value = e->value;
		}
	}
	return value;
}

static int64_t block(const struct naive_run *r, const struct state *at)
{
	unsigned left = at->count;
	int64_t depth = 0, number = 0;

	for (unsigned i = 0; i < r->n && left; i++) {
		if (r->at[i].thread != at->thread)
			continue;
		left--;
		if (r->at[i].op == NAIVE_BEGIN && depth++ == 0)
			number++;
		depth -= r->at[i].op == NAIVE_END;
	}
	return depth > 0 ? number : 0;
}

static int64_t value(const struct naive_run *r, const struct spec_property *p,
		     const struct state *at, const struct spec_expr *e)
{
	struct state other;
	int64_t a, b;

	switch (e->op) {
	case SPEC_CONST:
		return e->number.i;
	case SPEC_VARIABLE:
		return variable(r, at, e->index);
	case SPEC_BLOCK:
		return block(r, at);
	case SPEC_TID:
		return at->thread + 1;
	case SPEC_REMOTE:
		other = newest(r, at, who(r, p, at, e->index));
		return value(r, p, &other, e->a);
	case SPEC_NEG:
		return -value(r, p, at, e->a);
	default:
		break;
	}
	a = value(r, p, at, e->a);
	b = value(r, p, at, e->b);
	switch (e->op) {
	case SPEC_ADD:
		return a + b;
	case SPEC_SUB:
		return a - b;
	case SPEC_MUL:
		return a * b;
	case SPEC_EQ:
		return a == b;
	case SPEC_NE:
		return a != b;
	case SPEC_LT:
		return a < b;
	case SPEC_LE:
		return a <= b;
	case SPEC_GT:
		return a > b;
	case SPEC_GE:
		return a >= b;
	default:
		BUG("the generator makes no such expressions");
	}
}

/* ---- formulas ---- */

static bool fits(const struct spec_event *p, const struct naive_event *e)
{
	if (p->op == SPEC_USER)
		return e->op == NAIVE_USER && strcmp(e->object, p->args[0].name) == 0;
	if (p->op == SPEC_READ || p->op == SPEC_WRITE)
		return (p->op == SPEC_READ ? reads(e) : writes(e)) &&
		       strcmp(e->object, p->args[0].name) == 0;
	BUG("the generator makes no such events");
}

static bool holds(const struct naive_run *r, const struct spec_property *p, const struct state *at,
		  const struct spec_form *f);

/* In the state of the same thread after so many events. */
static bool held(const struct naive_run *r, const struct spec_property *p, const struct state *at,
		 const struct spec_form *f, unsigned count)
{
	struct state then = *at;

	then.count = count;
	return holds(r, p, &then, f);
}

/* Was f true in some (all: in all) states from `from' to now? */
static bool ever(const struct naive_run *r, const struct spec_property *p, const struct state *at,
		 const struct spec_form *f, unsigned from, bool all)
{
	for (unsigned k = from; k <= at->count; k++)
		if (held(r, p, at, f, k) != all)
			return !all;
	return all;
}

/* a since b; weak: or a always.  [a, b): a was true once, and since then b never. */
static bool since(const struct naive_run *r, const struct spec_property *p, const struct state *at,
		  const struct spec_form *f, bool weak)
{
	for (unsigned k = 0; k <= at->count; k++)
		if (held(r, p, at, f->b, k) && ever(r, p, at, f->a, k + 1, true))
			return true;
	return weak && ever(r, p, at, f->a, 0, true);
}

static bool interval(const struct naive_run *r, const struct spec_property *p,
		     const struct state *at, const struct spec_form *f, bool weak)
{
	for (unsigned k = 0; k <= at->count; k++)
		if (held(r, p, at, f->a, k) && !ever(r, p, at, f->b, k, false))
			return true;
	return weak && !ever(r, p, at, f->b, 0, false);
}

static bool quantified(const struct naive_run *r, const struct spec_property *p,
		       const struct state *at, const struct spec_form *f, unsigned name)
{
	bool some = false, all = true;

	for (unsigned t = 0; t < r->nthreads; t++) {
		struct state s = *at;
		bool is;

		if (t == at->thread || !is_of(r, t, f->index) || !is_known(r, at, t))
			continue;
		s.names[name] = t;
		is = holds(r, p, &s, f->a);
		some |= is;
		all &= is;
	}
	return f->op == SPEC_F_SOME ? some : all;
}

/* The number of the name that a quantifier binds: its body says, if it uses it. */
static unsigned depth_of(const struct spec_form *root, const struct spec_form *f, unsigned depth)
{
	unsigned found;

	if (!root)
		return 0;
	if (root == f)
		return depth + 1;
	depth += root->op == SPEC_F_SOME || root->op == SPEC_F_ALL;
	found = depth_of(root->a, f, depth);
	return found ? found : depth_of(root->b, f, depth);
}

static bool holds(const struct naive_run *r, const struct spec_property *p, const struct state *at,
		  const struct spec_form *f)
{
	struct state other;

#define A(count) held(r, p, at, f->a, count)
	switch (f->op) {
	case SPEC_F_TRUE:
	case SPEC_F_FALSE:
		return f->op == SPEC_F_TRUE;
	case SPEC_F_EXPR:
		return value(r, p, at, f->expr) != 0;
	case SPEC_F_EVENT:
		return at->count > 0 && fits(&r->s->events[f->index], &r->at[last(r, at)]);
	case SPEC_F_NOT:
		return !holds(r, p, at, f->a);
	case SPEC_F_AND:
		return holds(r, p, at, f->a) && holds(r, p, at, f->b);
	case SPEC_F_OR:
		return holds(r, p, at, f->a) || holds(r, p, at, f->b);
	case SPEC_F_IMPLIES:
		return !holds(r, p, at, f->a) || holds(r, p, at, f->b);
	case SPEC_F_IFF:
		return holds(r, p, at, f->a) == holds(r, p, at, f->b);
	case SPEC_F_PREV:
		return A(at->count ? at->count - 1 : 0);
	case SPEC_F_ONCE:
	case SPEC_F_HIST:
		return ever(r, p, at, f->a, 0, f->op == SPEC_F_HIST);
	case SPEC_F_START:
		return at->count > 0 && A(at->count) && !A(at->count - 1);
	case SPEC_F_STOP:
		return at->count > 0 && !A(at->count) && A(at->count - 1);
	case SPEC_F_SINCE:
	case SPEC_F_WSINCE:
		return since(r, p, at, f, f->op == SPEC_F_WSINCE);
	case SPEC_F_INTERVAL:
	case SPEC_F_WINTERVAL:
		return interval(r, p, at, f, f->op == SPEC_F_WINTERVAL);
	case SPEC_F_AT:
		other = newest(r, at, who(r, p, at, f->index));
		return holds(r, p, &other, f->a);
	case SPEC_F_SOME:
	case SPEC_F_ALL:
		return quantified(r, p, at, f, depth_of(p->form, f, 0));
	default:
		BUG("the generator makes no such formulas");
	}
#undef A
}

bool mttl_naive_is_violated(const struct naive_run *r, const struct spec_property *p, unsigned i)
{
	struct state at = { .thread = r->at[i].thread, .names = { r->at[i].thread } };

	if (!is_of(r, at.thread, p->at))
		return false;
	for (unsigned k = 0; k <= i; k++)
		at.count += r->at[k].thread == at.thread;
	return !holds(r, p, &at, p->form);
}
