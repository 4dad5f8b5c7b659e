/*
 * Past-time LTL on the tree.  Subformulas are numbered as they are read, each before its operands, so
 * that the first operand of number k is number k + 1.
 *
 * A connective is false or true as soon as what is known of its operands makes it so.  A temporal
 * operator wants to know its operands in every state: where one has no value the formula has none
 * either, unless it is false in that very state.
 */

#include "witness/judge_priv.h"

uint32_t judge_form_size(const struct spec_form *f)
{
	return f ? 1 + judge_form_size(f->a) + judge_form_size(f->b) : 0;
}

struct walk {
	struct judge *j;
	const struct judge_moment *m;
	uint32_t next;	 /* number of the subformula that is read next */
	bool none, open; /* under a temporal operator there is one without a value, one unknown */
};

static bool is_settled(enum value_truth t)
{
	return t == VALUE_TRUE || t == VALUE_FALSE;
}

static enum value_truth truth(bool b)
{
	return b ? VALUE_TRUE : VALUE_FALSE;
}

static enum value_truth opposite(enum value_truth t)
{
	return is_settled(t) ? truth(t == VALUE_FALSE) : t;
}

/* Some operand makes it so by itself, or all agree; else what is not known may decide. */
static enum value_truth any_is(enum value_truth what, enum value_truth a, enum value_truth b)
{
	if (a == what || b == what)
		return what;
	if (is_settled(a) && is_settled(b))
		return opposite(what);
	return a == VALUE_OPEN || b == VALUE_OPEN ? VALUE_OPEN : VALUE_NONE;
}

/* Both count, whatever they are. */
static enum value_truth unsettled(enum value_truth a, enum value_truth b)
{
	return a == VALUE_NONE || b == VALUE_NONE ? VALUE_NONE : VALUE_OPEN;
}

/* The column "in the first state" of the table. */
static bool holds_first(enum spec_form_op op, bool a, bool b)
{
	if (op == SPEC_F_PREV || op == SPEC_F_ONCE || op == SPEC_F_HIST)
		return a;
	if (op == SPEC_F_SINCE)
		return b;
	if (op == SPEC_F_WSINCE)
		return a || b;
	if (op == SPEC_F_INTERVAL)
		return a && !b;
	return op == SPEC_F_WINTERVAL && !b;
}

/* The column "later"; own, operand: itself and its first operand in the state before. */
static bool holds_later(enum spec_form_op op, bool a, bool b, bool own, bool operand)
{
	switch (op) {
	case SPEC_F_PREV:
		return operand;
	case SPEC_F_ONCE:
		return a || own;
	case SPEC_F_HIST:
		return a && own;
	case SPEC_F_START:
		return a && !operand;
	case SPEC_F_STOP:
		return operand && !a;
	case SPEC_F_SINCE:
	case SPEC_F_WSINCE:
		return b || (a && own);
	default:
		return !b && (a || own);
	}
}

static enum value_truth temporal(struct walk *w, enum spec_form_op op, uint32_t me,
				 enum value_truth a, enum value_truth b)
{
	const uint8_t *before = w->j->before;

	if (!is_settled(a) || !is_settled(b)) {
		w->none |= a == VALUE_NONE || b == VALUE_NONE;
		w->open |= a == VALUE_OPEN || b == VALUE_OPEN;
		/* What was is known even where what is is not. */
		if (op != SPEC_F_PREV || !w->j->begun)
			return unsettled(a, b);
	}
	if (!w->j->begun)
		return truth(holds_first(op, a == VALUE_TRUE, b == VALUE_TRUE));
	return truth(holds_later(op, a == VALUE_TRUE, b == VALUE_TRUE, before[me] == VALUE_TRUE,
				 before[me + 1] == VALUE_TRUE));
}

static enum value_truth value_now(struct walk *w, const struct spec_form *f)
{
	uint32_t me = w->next++;
	enum value_truth a = f->a ? value_now(w, f->a) : VALUE_FALSE;
	enum value_truth b = f->b ? value_now(w, f->b) : VALUE_FALSE, is;

	switch (f->op) {
	case SPEC_F_TRUE:
	case SPEC_F_FALSE:
		is = truth(f->op == SPEC_F_TRUE);
		break;
	case SPEC_F_EXPR:
		is = value_truth(w->j->spec, f->expr, w->m->values, w->m->thread, &w->j->trouble);
		break;
	case SPEC_F_EVENT:
		is = truth(w->m->events >> f->index & 1);
		break;
	case SPEC_F_NOT:
		is = opposite(a);
		break;
	case SPEC_F_AND:
		is = any_is(VALUE_FALSE, a, b);
		break;
	case SPEC_F_OR:
		is = any_is(VALUE_TRUE, a, b);
		break;
	case SPEC_F_IMPLIES:
		is = any_is(VALUE_TRUE, opposite(a), b);
		break;
	case SPEC_F_IFF:
		is = is_settled(a) && is_settled(b) ? truth(a == b) : unsettled(a, b);
		break;
	case SPEC_F_AT:
		is = VALUE_OPEN;
		break;
	default:
		is = temporal(w, f->op, me, a, b);
		break;
	}
	w->j->now[me] = (uint8_t)is;
	return is;
}

enum judge_verdict judge_form(struct judge *j, const struct judge_moment *m)
{
	struct walk w = { .j = j, .m = m };
	uint8_t *spare = j->before;
	enum value_truth whole;

	j->before = j->now;
	j->now = spare;
	whole = value_now(&w, j->property->form);
	if (whole == VALUE_FALSE)
		return JUDGE_BAD;
	if (whole == VALUE_NONE || (whole == VALUE_TRUE && w.none))
		return JUDGE_ERROR;
	return whole == VALUE_OPEN || w.open ? JUDGE_UNKNOWN : JUDGE_GOOD;
}
