/* Which patterns of a spec no one event can be. */
#include <string.h>

#include "witness/judge_priv.h"

static bool is_access(const struct spec_event *e)
{
	return e->op == SPEC_READ || e->op == SPEC_WRITE;
}

static bool is_called(const struct spec_event *e)
{
	return e->op == SPEC_CALL || e->op == SPEC_USER || e->op == SPEC_BEGIN ||
	       e->op == SPEC_FINISH;
}

/* What both say of one argument cannot be. */
static bool args_clash(const struct spec_arg *x, const struct spec_arg *y)
{
	if (x->is_number != y->is_number ||
	    (x->is_number && (x->number.is_float || y->number.is_float)))
		return false;
	return x->is_number ? x->number.i != y->number.i : strcmp(x->name, y->name) != 0;
}

bool judge_events_exclude(const struct spec *s, const struct spec_event *x,
			  const struct spec_event *y)
{
	if (x->by >= 0 && y->by >= 0) {
		const struct spec_thread *t = &s->threads[x->by], *u = &s->threads[y->by];

		if (t->is_number && u->is_number && t->number != u->number)
			return true;
	}
	if (x->op == SPEC_ANY || y->op == SPEC_ANY)
		return false;
	/* One access may read and write, and touch several variables. */
	if (is_access(x) && is_access(y))
		return false;
	if (x->op != y->op)
		return true;
	/* A lock or a thread may have two names; functions, blocks and words of the program have one. */
	for (uint32_t i = 0; is_called(x) && i < x->nargs && i < y->nargs; i++)
		if (args_clash(&x->args[i], &y->args[i]))
			return true;
	return false;
}
