/*
 * What is a step of a property, whose events' conditions decide that; the rest by its kind.
 *
 * An event whose condition has no value (or none that is known) may or may not have happened.  If it
 * would be a step, or is named by the property in a step that happens anyway, then the property has
 * no value either.
 */
#include "witness/judge_priv.h"

static const struct spec_property *property_find(const struct spec *s, const char *name)
{
	for (uint32_t i = 0; s && name && i < s->nproperties; i++)
		if (strcmp(s->properties[i].name, name) == 0)
			return &s->properties[i];
	return NULL;
}

/* The table in SPECS.md, "Properties"; only a formula has states between its events. */
static void steps_set(struct judge *j)
{
	const struct spec_property *p = j->property;
	const struct spec *s = j->spec;
	bool formula = p->body == SPEC_PTLTL;

	if (p->step == SPEC_STEP_WRITE) {
		j->step_writes = p->variables;
		for (uint32_t i = 0; i < s->nevents; i++)
			if (p->events >> i & 1 && s->events[i].op == SPEC_WRITE &&
			    s->events[i].variable >= 0)
				j->step_writes |= 1ull << s->events[i].variable;
	} else {
		j->step_events = p->events;
		if (p->step == SPEC_STEP_AUTO && formula)
			j->step_writes = p->variables;
	}
}

static void relevant_set(struct judge *j)
{
	if (!j->spec || (j->property && j->property->body != SPEC_PTLTL))
		return;
	j->step_events |= j->spec->relevant_events;
	j->step_writes |= j->spec->relevant_variables;
	j->step_reads |= j->spec->relevant_variables;
}

static void body_make(struct judge *j)
{
	const struct spec_property *p = j->property;

	if (p->body == SPEC_PTLTL) {
		uint32_t n = judge_form_size(p->form);

		j->now = mem_zalloc(n);
		j->before = mem_zalloc(n);
	} else if (p->body == SPEC_FSM) {
		j->in = mem_zalloc(p->nstates);
		j->next = mem_zalloc(p->nstates);
	} else {
		j->rx = judge_rx_new(j->spec, p);
	}
}

struct judge *judge_new(const struct spec *s, const char *property,
			const struct foresee_monitor *plugin)
{
	const struct spec_property *p = plugin ? NULL : property_find(s, property);
	struct judge *j;

	if (!plugin && (!p || p->body == SPEC_MTTL))
		return NULL;
	j = mem_zalloc(sizeof(*j));
	j->spec = s;
	j->property = p;
	if (plugin) {
		j->plugin = judge_plugin_new(s, plugin, &j->step_events, &j->step_writes);
	} else {
		steps_set(j);
		body_make(j);
	}
	relevant_set(j);
	return j;
}

void judge_free(struct judge *j)
{
	if (!j)
		return;
	MEM_FREE_ALL(j->now, j->before, j->in, j->next);
	judge_rx_free(j->rx);
	judge_plugin_free(j->plugin);
	mem_free(j);
}

/* ---- state machines: the states that it is in, one of them unless it is `fsm any' ---- */

/* From one state, the first move that fits, or each; none: it stays. */
static void moves_take(struct judge *j, const struct judge_moment *m, uint32_t from, bool *none,
		       bool *open)
{
	const struct spec_state *s = &j->property->states[from];
	bool leaves = false;

	for (uint32_t i = 0; i < s->nmoves && (j->property->any || !leaves); i++) {
		const struct spec_move *move = &s->moves[i];
		enum value_truth fits = VALUE_TRUE;

		if (!(m->events >> move->event & 1))
			continue;
		if (move->when)
			fits = value_truth(j->spec, move->when, m->values, m->thread, &j->trouble);
		if (fits == VALUE_TRUE)
			j->next[move->to] = true;
		*none |= fits == VALUE_NONE;
		*open |= fits == VALUE_OPEN;
		leaves |= fits != VALUE_FALSE;
	}
	if (!leaves)
		j->next[from] = true;
}

static enum judge_verdict fsm_look(struct judge *j, const struct judge_moment *m, bool first)
{
	const struct spec_property *p = j->property;
	bool none = false, open = false, *spare = j->in;

	memset(j->next, 0, p->nstates);
	for (uint32_t i = 0; i < p->nstates; i++) {
		if (first)
			j->next[i] = p->states[i].initial;
		else if (j->in[i])
			moves_take(j, m, i, &none, &open);
	}
	j->in = j->next;
	j->next = spare;
	/* In a bad state it is, whatever else may be. */
	for (uint32_t i = 0; i < p->nstates; i++)
		if (j->in[i] && p->states[i].bad)
			return JUDGE_BAD;
	if (open)
		return JUDGE_UNKNOWN;
	return none ? JUDGE_ERROR : JUDGE_GOOD;
}

/* ---- steps ---- */

static enum judge_verdict look(struct judge *j, const struct judge_moment *m, bool first)
{
	uint64_t letter;

	if (j->plugin)
		return judge_plugin(j->plugin, m, first, &j->trouble);
	assert(j->property); /* the one or the other */
	switch (j->property->body) {
	case SPEC_PTLTL:
		j->begun = !first;
		return judge_form(j, m);
	case SPEC_FSM:
		return fsm_look(j, m, first);
	default:
		letter = m->events & j->property->events;
		if (!first && letter == 0)
			return JUDGE_GOOD; /* a step, by a write, that is no letter of the word */
		j->trouble = "the expression has too many states";
		return judge_rx(j->rx, letter);
	}
}

enum judge_verdict judge_begin(struct judge *j, const struct value *initial)
{
	struct judge_moment m = { .values = initial };

	j->trouble = NULL;
	j->verdict = look(j, &m, true);
	return j->verdict;
}

enum judge_verdict judge_take(struct judge *j, const struct judge_step *step)
{
	uint64_t named = j->step_events | (j->property ? j->property->events : 0);
	bool other = (step->written & j->step_writes) || (step->reads & j->step_reads);
	/* Events by what their conditions are; the last reason for each. */
	uint64_t are[] = { [VALUE_OPEN] = 0 };
	const char *why[] = { [VALUE_OPEN] = NULL };

	if (j->verdict != JUDGE_GOOD)
		return j->verdict;
	for (uint64_t left = step->events & named; left; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(left);
		const struct spec_expr *when = j->spec->events[i].when;
		const char *reason = NULL;
		enum value_truth is = VALUE_TRUE;

		if (when)
			is = value_truth(j->spec, when, step->values, step->thread, &reason);
		are[is] |= 1ull << i;
		why[is] = reason;
	}
	if (are[VALUE_NONE] && (other || (are[VALUE_TRUE] | are[VALUE_NONE]) & j->step_events)) {
		j->trouble = why[VALUE_NONE];
		j->verdict = JUDGE_ERROR;
	} else if (are[VALUE_OPEN] &&
		   (other || (are[VALUE_TRUE] | are[VALUE_OPEN]) & j->step_events)) {
		j->trouble = why[VALUE_OPEN];
		j->verdict = JUDGE_UNKNOWN;
	} else if (other || (are[VALUE_TRUE] & j->step_events)) {
		j->verdict = look(j,
				  &(struct judge_moment){ step->values, are[VALUE_TRUE],
							  step->written, step->thread },
				  false);
	}
	return j->verdict;
}

const char *judge_trouble(const struct judge *j)
{
	return j->verdict == JUDGE_ERROR || j->verdict == JUDGE_UNKNOWN ? j->trouble : NULL;
}

/* ---- which patterns of a spec no one event can be ---- */

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
