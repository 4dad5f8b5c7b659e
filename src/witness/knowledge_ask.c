/*
 * A formula in (i, k): recursion; `@j' goes to (j, past(i, k) of j), temporal operators ask the states before, one by
 * one.  That takes long where formulas are nested and runs are long, so there is a budget.
 */
#include "witness/knowledge_priv.h"
#include "witness/view_priv.h"

#define QUESTIONS 20000000u /* of one verdict: formulas, each in a state */
#define NAMES 16u	    /* threads that are bound at one place */
#define LARGEST ((__int128)1 << 100)

/* ---- states ---- */

/* Of thread tid, after so many of its events; tid 0: a thread that is not there. */
struct state {
	uint32_t tid, count;
};

/* Who the names of a formula are: its own thread, then those of the quantifiers around. */
struct question {
	struct knowledge *k;
	const struct spec_property *p;
	uint32_t names[NAMES];
};

static void *open_set(struct knowledge *k, const char *why)
{
	k->is_open = true;
	k->once = why;
	return NULL;
}

static uint32_t step_in(const struct knowledge *k, struct state at)
{
	return at.count ? k->movers.at[at.tid].steps.at[at.count - 1] : 0;
}

/* How much of a thread, or variable, is before the state. */
static uint32_t known_of(struct knowledge *k, struct state at, uint32_t what)
{
	return knowledge_past(k, step_in(k, at))[what]; /* of step 0: nothing */
}

static struct state newest(struct knowledge *k, struct state at, uint32_t tid)
{
	if (tid == at.tid)
		return at;
	return (struct state){ tid, tid ? known_of(k, at, tid) : 0 };
}

static bool is_of(const struct knowledge *k, uint32_t tid, uint32_t class)
{
	return class == SPEC_WHO_ANY || view_is_of(k->view, k->ev->trace, class, tid);
}

static bool exists(const struct knowledge *k, uint32_t tid)
{
	return k->ev->threads.at[tid].events.n || k->ev->threads.at[tid].fork;
}

/* Nobody makes it. */
static bool is_root(const struct knowledge *k, uint32_t tid)
{
	return k->text ? k->ev->threads.at[tid].fork == 0 : tid == 1;
}

static bool is_known(struct knowledge *k, struct state at, uint32_t tid)
{
	uint32_t fork = knowledge_step_of(k, k->ev->threads.at[tid].fork);
	const struct knowledge_step *by = &k->steps.at[fork];

	return is_root(k, tid) || known_of(k, at, tid) > 0 ||
	       (fork && known_of(k, at, by->tid) >= by->count);
}

static uint32_t who(struct question *q, uint32_t index)
{
	uint32_t found = 0;

	if (index >= SPEC_WHO_BOUND)
		return q->names[index - SPEC_WHO_BOUND + 1];
	if (index == q->p->at)
		return q->names[0];
	for (uint32_t tid = 1; tid < q->k->nthreads; tid++) {
		if (!exists(q->k, tid) || !is_of(q->k, tid, index))
			continue;
		if (found)
			open_set(q->k, "a thread's name in it is several threads");
		found = tid;
	}
	return found;
}

/* ---- values ---- */

static __int128 variable(struct question *q, struct state at, uint32_t index)
{
	struct knowledge *k = q->k;
	const struct spec_variable *v = &k->spec->variables[index];
	const struct value *raw = &k->view->initial[index];
	uint32_t n = known_of(k, at, k->nthreads + index);
	struct spec_number number;

	if (v->local && at.count)
		raw = &k->locals.at[(size_t)step_in(k, at) * k->spec->nvariables + index];
	else if (!v->local && n)
		raw = &k->writes[index].at[n - 1];
	if (value_number(&v->type, raw, &number) && !number.is_float)
		return number.is_big ? (__int128)(uint64_t)number.i : number.i;
	/* Text says nothing of first values, and they are 0. */
	if (!v->local && k->text && n == 0)
		return 0;
	open_set(k, "what a variable of the spec holds is not known");
	return 0;
}

static __int128 value(struct question *q, struct state at, const struct spec_expr *e);

static __int128 calculate(struct question *q, struct state at, const struct spec_expr *e)
{
	__int128 a = value(q, at, e->a), b = e->b ? value(q, at, e->b) : 0;

	if (a > LARGEST || a < -LARGEST || b > LARGEST || b < -LARGEST ||
	    (e->op == SPEC_MUL && (a > INT64_MAX || a < INT64_MIN)) ||
	    (e->op == SPEC_MUL && (b > INT32_MAX || b < INT32_MIN)) ||
	    ((e->op == SPEC_DIV || e->op == SPEC_MOD) && b == 0)) {
		open_set(q->k, "a number in it is too large, or has no value");
		return 0;
	}
	switch (e->op) {
	case SPEC_NEG:
		return -a;
	case SPEC_ADD:
		return a + b;
	case SPEC_SUB:
		return a - b;
	case SPEC_MUL:
		return a * b;
	case SPEC_DIV:
		return a / b;
	case SPEC_MOD:
		return a % b;
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
	default:
		return a >= b;
	}
}

static __int128 value(struct question *q, struct state at, const struct spec_expr *e)
{
	switch (e->op) {
	case SPEC_CONST:
		return e->number.is_big ? (__int128)(uint64_t)e->number.i : e->number.i;
	case SPEC_VARIABLE:
		return variable(q, at, e->index);
	case SPEC_BLOCK:
		return q->k->steps.at[step_in(q->k, at)].block;
	case SPEC_TID:
		return at.tid;
	case SPEC_REMOTE:
		return value(q, newest(q->k, at, who(q, e->index)), e->a);
	default:
		return calculate(q, at, e);
	}
}

/* ---- formulas ---- */

/* depth: quantifiers around it. */
static bool holds(struct question *q, struct state at, const struct spec_form *f, uint32_t depth);

static bool held(struct question *q, struct state at, const struct spec_form *f, uint32_t depth,
		 uint32_t count)
{
	return holds(q, (struct state){ at.tid, count }, f, depth);
}

/* In all states of the thread from number `from' up to this one f is what it is asked to be. */
static bool always(struct question *q, struct state at, const struct spec_form *f, uint32_t depth,
		   uint32_t from, bool is)
{
	for (uint32_t n = from; n <= at.count; n++)
		if (held(q, at, f, depth, n) != is)
			return false;
	return true;
}

static bool temporal(struct question *q, struct state at, const struct spec_form *f, uint32_t depth)
{
	bool since = f->op == SPEC_F_SINCE || f->op == SPEC_F_WSINCE;

	switch (f->op) {
	case SPEC_F_PREV:
		return held(q, at, f->a, depth, at.count ? at.count - 1 : 0);
	case SPEC_F_ONCE:
		return !always(q, at, f->a, depth, 0, false);
	case SPEC_F_HIST:
		return always(q, at, f->a, depth, 0, true);
	case SPEC_F_START:
	case SPEC_F_STOP:
		return at.count > 0 &&
		       held(q, at, f->a, depth, at.count) == (f->op == SPEC_F_START) &&
		       held(q, at, f->a, depth, at.count - 1) == (f->op == SPEC_F_STOP);
	default:
		break;
	}
	/* a since b: b was true once, and a ever after.  [a, b): a was, and b never since. */
	for (uint32_t n = 0; n <= at.count; n++)
		if (held(q, at, since ? f->b : f->a, depth, n) &&
		    (since ? always(q, at, f->a, depth, n + 1, true)
			   : always(q, at, f->b, depth, n, false)))
			return true;
	if (f->op == SPEC_F_WSINCE)
		return always(q, at, f->a, depth, 0, true);
	return f->op == SPEC_F_WINTERVAL && always(q, at, f->b, depth, 0, false);
}

static bool quantified(struct question *q, struct state at, const struct spec_form *f,
		       uint32_t depth)
{
	bool some = f->op == SPEC_F_SOME;

	if (depth + 1 >= NAMES) {
		open_set(q->k, "it has too many quantifiers");
		return false;
	}
	for (uint32_t tid = 1; tid < q->k->nthreads; tid++) {
		if (tid == at.tid || !exists(q->k, tid) || !is_of(q->k, tid, f->index) ||
		    !is_known(q->k, at, tid))
			continue;
		q->names[depth + 1] = tid;
		if (holds(q, at, f->a, depth + 1) == some)
			return some;
	}
	return !some;
}

static bool holds(struct question *q, struct state at, const struct spec_form *f, uint32_t depth)
{
	if (q->k->asked++ > QUESTIONS) {
		open_set(q->k, "it takes too long to say");
		return true;
	}
	switch (f->op) {
	case SPEC_F_TRUE:
	case SPEC_F_FALSE:
		return f->op == SPEC_F_TRUE;
	case SPEC_F_EXPR:
		return value(q, at, f->expr) != 0;
	case SPEC_F_EVENT:
		return q->k->steps.at[step_in(q->k, at)].events >> f->index & 1;
	case SPEC_F_NOT:
		return !holds(q, at, f->a, depth);
	case SPEC_F_AND:
		return holds(q, at, f->a, depth) && holds(q, at, f->b, depth);
	case SPEC_F_OR:
		return holds(q, at, f->a, depth) || holds(q, at, f->b, depth);
	case SPEC_F_IMPLIES:
		return !holds(q, at, f->a, depth) || holds(q, at, f->b, depth);
	case SPEC_F_IFF:
		return holds(q, at, f->a, depth) == holds(q, at, f->b, depth);
	case SPEC_F_AT:
		return holds(q, newest(q->k, at, who(q, f->index)), f->a, depth);
	case SPEC_F_SOME:
	case SPEC_F_ALL:
		return quantified(q, at, f, depth);
	default:
		return temporal(q, at, f, depth);
	}
}

enum judge_verdict knowledge_ask(struct knowledge *k, const struct spec_property *p)
{
	const struct knowledge_step *s = &k->steps.at[k->last];
	struct question q = { .k = k, .p = p, .names = { s->tid } };
	bool good;

	k->once = NULL;
	k->is_open = false;
	k->work += k->asked;
	k->asked = 0;
	if (k->why)
		return JUDGE_UNKNOWN;
	if (k->last == 0 || !is_of(k, s->tid, p->at))
		return JUDGE_GOOD;
	good = holds(&q, (struct state){ s->tid, s->count }, p->form, 0);
	if (k->is_open)
		return JUDGE_UNKNOWN;
	return good ? JUDGE_GOOD : JUDGE_BAD;
}
