/*
 * Event patterns: op "(" [ arg { "," arg } ] ")" [ "by" thread ] [ "when" comparison ]
 */
#include "spec/spec_priv.h"

#define ARGS 9 /* a name and what FORESEE_EVENT8 takes */

/* What each may have between its parentheses. */
static const struct {
	unsigned least, most;
	const char *takes;
} shapes[SPEC_NOPS] = {
	[SPEC_READ] = { 0, 1, "a variable or nothing" },
	[SPEC_WRITE] = { 0, 1, "a variable or nothing" },
	[SPEC_ACQ] = { 0, 1, "a lock or nothing" },
	[SPEC_REL] = { 0, 1, "a lock or nothing" },
	[SPEC_FORK] = { 0, 1, "a thread or nothing" },
	[SPEC_JOIN] = { 0, 1, "a thread or nothing" },
	[SPEC_BEGIN] = { 0, 1, "the name of an atomic block or nothing" },
	[SPEC_FINISH] = { 0, 1, "the name of an atomic block or nothing" },
	[SPEC_CALL] = { 1, ARGS, "the name of a function, then up to 8 integers to match" },
	[SPEC_USER] = { 0, ARGS, "nothing, or a name, then up to 8 integers to match" },
	[SPEC_ANY] = { 0, 0, "nothing" },
};

static bool parse_op(struct spec_parser *p, enum spec_op *out)
{
	for (int i = 0; i < SPEC_NOPS; i++) {
		*out = (enum spec_op)i;
		if (spec_take(p, spec_op_words[i]))
			return true;
	}
	return spec_unknown_word(
		p, "unknown kind of event", spec_op_words, SPEC_NOPS,
		"read, write, acq, rel, fork, join, begin, end, call, user or any");
}

/* The first one names an object; a string does so too when no file is meant. */
static bool parse_name(struct spec_parser *p, struct spec_arg *a)
{
	if (p->token.kind == SPEC_T_STRING && !spec_is_followed(p, ":")) {
		a->name = p->token.string;
		spec_lex(p);
		return true;
	}
	return spec_parse_lvalue(p, "a name", &a->name);
}

static bool parse_integer(struct spec_parser *p, struct spec_arg *a)
{
	struct spec_spot at = p->token.spot;

	a->is_number = true;
	if (!spec_parse_constant(p, &a->number))
		return false;
	if (!a->number.is_float)
		return true;
	return spec_fail(p, at, "arguments are integers");
}

static bool parse_thread_arg(struct spec_parser *p, struct spec_arg *a)
{
	struct spec_spot at = p->token.spot;

	if (p->token.kind != SPEC_T_NUMBER) {
		if (!spec_parse_word(p, "a declared thread, or its number", false, &a->name))
			return false;
		spec_use(p, SPEC_USE_THREAD, a->name, at, (uint32_t *)&a->thread);
		return true;
	}
	if (!parse_integer(p, a))
		return false;
	if (!a->number.is_big && a->number.i > 0 && a->number.i <= UINT32_MAX)
		return true;
	return spec_fail(p, at, "threads are counted from 1, which is main");
}

static bool parse_arg(struct spec_parser *p, enum spec_op op, bool first, struct spec_arg *a)
{
	a->thread = -1;
	if (op == SPEC_FORK || op == SPEC_JOIN)
		return parse_thread_arg(p, a);
	return first ? parse_name(p, a) : parse_integer(p, a);
}

static bool complain_count(struct spec_parser *p, struct spec_spot at, enum spec_op op)
{
	return spec_fail(p, at, "wrong number of arguments: %s takes %s", spec_op_words[op],
			 shapes[op].takes);
}

static bool parse_args(struct spec_parser *p, struct spec_event *e)
{
	struct spec_spot at = p->token.spot;
	unsigned most = shapes[e->op].most;

	if (!spec_need(p, "(", "'('"))
		return false;
	e->args = spec_alloc(p->spec, most * sizeof(*e->args));
	if (!spec_is(p, ")")) {
		do {
			if (e->nargs == most)
				return complain_count(p, p->token.spot, e->op);
			if (!parse_arg(p, e->op, e->nargs == 0, &e->args[e->nargs]))
				return false;
			e->nargs++;
		} while (spec_take(p, ","));
	}
	if (e->nargs < shapes[e->op].least)
		return complain_count(p, at, e->op);
	return spec_need(p, ")", "',' or ')'");
}

static bool parse_by(struct spec_parser *p, struct spec_event *e)
{
	struct spec_spot at = p->token.spot;
	const char *name;

	if (!spec_parse_word(p, "a declared thread", false, &name))
		return false;
	spec_use(p, SPEC_USE_THREAD, name, at, (uint32_t *)&e->by);
	return true;
}

bool spec_parse_event(struct spec_parser *p)
{
	struct spec *s = p->spec;
	struct spec_event *e = &s->events[s->nevents];
	struct spec_spot at;
	bool by;

	if (s->nevents == SPEC_EVENTS)
		return spec_fail(p, p->token.spot, "more than %d events", SPEC_EVENTS);
	e->spot = p->token.spot;
	e->variable = e->by = -1;
	if (!spec_parse_word(p, "the name of an event", true, &e->name) ||
	    !spec_need(p, "=", "'='") || !parse_op(p, &e->op))
		return false;
	at = p->token.spot;
	if (!parse_args(p, e))
		return false;
	s->nevents++;
	if ((e->op == SPEC_READ || e->op == SPEC_WRITE) && e->nargs == 1)
		spec_use(p, SPEC_USE_ACCESS, e->args[0].name, at, (uint32_t *)&e->variable);
	by = spec_take(p, "by");
	if (by && !parse_by(p, e))
		return false;
	if (spec_take(p, "when"))
		return spec_parse_condition(p, &e->when) &&
		       spec_need(p, ";", "an operator of arithmetic or ';'");
	return spec_need(p, ";", by ? "'when' or ';'" : "'by', 'when' or ';'");
}
