/*
 * Formulas and the expressions in them, by one table of operators.
 *
 * Whether a parenthesis holds a formula or a number is known only after it:
 *
 *	(x + 1) * 2 == y        (x + 1 == 2) && y == 0
 *
 * so both are parsed by the same function, and each operator then asks of its operands what it
 * needs.  That takes one look at each token.  Operators, from loose to tight:
 *
 *	-> <->  (right)   ||   &&   since wsince   [ ! prev once hist start end ]
 *	== != < <= > >=   + -   * / %   - (of one)
 */

#include "spec/spec_priv.h"

enum level { L_IMPLIES, L_OR, L_AND, L_SINCE, L_COMPARE, L_ADD, L_MUL };

static const struct operator
{
	enum spec_token_kind kind;
	const char *word; /* when kind is WORD */
	enum level level;
	int op; /* enum spec_form_op below L_COMPARE, else enum spec_expr_op */
}
operators[] = {
	{ SPEC_T_ARROW, NULL, L_IMPLIES, SPEC_F_IMPLIES },
	{ SPEC_T_IFF, NULL, L_IMPLIES, SPEC_F_IFF },
	{ SPEC_T_OROR, NULL, L_OR, SPEC_F_OR },
	{ SPEC_T_ANDAND, NULL, L_AND, SPEC_F_AND },
	{ SPEC_T_WORD, "since", L_SINCE, SPEC_F_SINCE },
	{ SPEC_T_WORD, "wsince", L_SINCE, SPEC_F_WSINCE },
	{ SPEC_T_EQ, NULL, L_COMPARE, SPEC_EQ },
	{ SPEC_T_NE, NULL, L_COMPARE, SPEC_NE },
	{ SPEC_T_LT, NULL, L_COMPARE, SPEC_LT },
	{ SPEC_T_LE, NULL, L_COMPARE, SPEC_LE },
	{ SPEC_T_GT, NULL, L_COMPARE, SPEC_GT },
	{ SPEC_T_GE, NULL, L_COMPARE, SPEC_GE },
	{ SPEC_T_PLUS, NULL, L_ADD, SPEC_ADD },
	{ SPEC_T_MINUS, NULL, L_ADD, SPEC_SUB },
	{ SPEC_T_STAR, NULL, L_MUL, SPEC_MUL },
	{ SPEC_T_SLASH, NULL, L_MUL, SPEC_DIV },
	{ SPEC_T_PERCENT, NULL, L_MUL, SPEC_MOD },
};

static const struct operator* operator_find(const struct spec_parser *p)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		const struct operator* o = & operators[i];

		if (p->token.kind == o->kind && (!o->word || spec_is_word(p, o->word)))
			return o;
	}
	return NULL;
}

/* ---- nodes ---- */

static unsigned deeper(unsigned a, unsigned b)
{
	return (a > b ? a : b) + 1;
}

static bool form_make(struct spec_parser *p, enum spec_form_op op, struct spec_spot at,
		      unsigned depth, struct spec_item *out)
{
	if (!spec_grow(p, at, depth))
		return false;
	*out = (struct spec_item){ .spot = at, .depth = depth };
	out->form = spec_alloc(p->spec, sizeof(*out->form));
	out->form->op = op;
	out->form->spot = at;
	return true;
}

static bool expr_make(struct spec_parser *p, enum spec_expr_op op, struct spec_spot at,
		      unsigned depth, struct spec_item *out)
{
	if (!spec_grow(p, at, depth))
		return false;
	*out = (struct spec_item){ .spot = at, .depth = depth };
	out->expr = spec_alloc(p->spec, sizeof(*out->expr));
	out->expr->op = op;
	out->expr->spot = at;
	return true;
}

static bool need_form(struct spec_parser *p, const struct spec_item *i)
{
	if (i->form)
		return true;
	if (p->token.kind == SPEC_T_ASSIGN)
		return spec_expected(p, "an operator");
	spec_fail(p, i->spot,
		  "a number stands where a formula is expected: compare it with something, "
		  "as in x != 0");
	return false;
}

/* true and false are numbers where one is expected. */
static bool need_expr(struct spec_parser *p, struct spec_item *i)
{
	struct spec_item number;

	if (i->expr)
		return true;
	if (i->form->op != SPEC_F_TRUE && i->form->op != SPEC_F_FALSE) {
		spec_fail(
			p, i->spot,
			i->form->op == SPEC_F_EXPR
				? "a comparison is not a number: write a < b && b < c for a < b < c"
				: "a formula stands where a number is expected");
		return false;
	}
	if (!expr_make(p, SPEC_CONST, i->spot, 1, &number))
		return false;
	number.expr->number.i = i->form->op == SPEC_F_TRUE;
	*i = number;
	return true;
}

/* left := left op right; at: of the operator. */
static bool combine(struct spec_parser *p, const struct operator* o, struct spec_spot at,
		    struct spec_item *left, struct spec_item *right)
{
	unsigned depth = deeper(left->depth, right->depth);
	struct spec_item made, truth;

	if (o->level < L_COMPARE) {
		if (!need_form(p, left) || !need_form(p, right) ||
		    !form_make(p, (enum spec_form_op)o->op, at, depth, &made))
			return false;
		made.form->a = left->form;
		made.form->b = right->form;
	} else {
		if (!need_expr(p, left) || !need_expr(p, right) ||
		    !expr_make(p, (enum spec_expr_op)o->op, at, depth, &made))
			return false;
		made.expr->a = left->expr;
		made.expr->b = right->expr;
	}
	if (o->level == L_COMPARE) {
		if (!form_make(p, SPEC_F_EXPR, at, depth, &truth))
			return false;
		truth.form->expr = made.expr;
		made = truth;
	}
	made.spot = left->spot; /* where it begins */
	*left = made;
	return true;
}

/* ---- operands ---- */

/* As much as is bound at least so tightly; one operand.  All recursion goes through these. */
static bool climb(struct spec_parser *p, enum level least, struct spec_item *out);
static bool operand(struct spec_parser *p, struct spec_item *out);

static bool parse_prefix(struct spec_parser *p, enum spec_form_op op, struct spec_item *out)
{
	struct spec_spot at = p->token.spot;
	struct spec_item a;

	spec_lex(p);
	if (!climb(p, L_COMPARE, &a) || !need_form(p, &a) ||
	    !form_make(p, op, at, a.depth + 1, out))
		return false;
	out->form->a = a.form;
	return true;
}

static bool parse_negative(struct spec_parser *p, struct spec_item *out)
{
	struct spec_spot at = p->token.spot;
	struct spec_item a;

	if (spec_lex_peek(p) == SPEC_T_NUMBER)
		return expr_make(p, SPEC_CONST, at, 1, out) &&
		       spec_parse_constant(p, &out->expr->number);
	spec_lex(p);
	if (!operand(p, &a) || !need_expr(p, &a) || !expr_make(p, SPEC_NEG, at, a.depth + 1, out))
		return false;
	out->expr->a = a.expr;
	return true;
}

/* [P, Q) and [P, Q)w */
static bool parse_interval(struct spec_parser *p, struct spec_item *out)
{
	struct spec_spot at = p->token.spot;
	enum spec_form_op op = SPEC_F_INTERVAL;
	struct spec_item a, b;

	spec_lex(p);
	if (!climb(p, L_IMPLIES, &a) || !need_form(p, &a) ||
	    !spec_need(p, SPEC_T_COMMA, "an operator or ','") || !climb(p, L_IMPLIES, &b) ||
	    !need_form(p, &b) || !spec_need(p, SPEC_T_CLOSE, "an operator, ')' or ')w'"))
		return false;
	if (spec_take_word(p, "w"))
		op = SPEC_F_WINTERVAL;
	if (!form_make(p, op, at, deeper(a.depth, b.depth), out))
		return false;
	out->form->a = a.form;
	out->form->b = b.form;
	return true;
}

static bool parse_parenthesis(struct spec_parser *p, struct spec_item *out)
{
	struct spec_spot at = p->token.spot;

	spec_lex(p);
	if (!climb(p, L_IMPLIES, out) || !spec_need(p, SPEC_T_CLOSE, "an operator or ')'"))
		return false;
	out->spot = at;
	return true;
}

static bool parse_variable(struct spec_parser *p, struct spec_item *out)
{
	struct spec_spot at = p->token.spot;
	const char *name;

	if (!spec_parse_lvalue(p, "a formula", &name) || !expr_make(p, SPEC_VARIABLE, at, 1, out))
		return false;
	spec_use(p, SPEC_USE_VARIABLE, name, at, &out->expr->index);
	return true;
}

/* e() */
static bool parse_event_atom(struct spec_parser *p, struct spec_item *out)
{
	struct spec_spot at = p->token.spot;
	const char *name;

	if (!spec_parse_word(p, "an event", false, &name))
		return false;
	spec_lex(p);
	if (!spec_need(p, SPEC_T_CLOSE, "')': an event has no arguments here") ||
	    !form_make(p, SPEC_F_EVENT, at, 1, out))
		return false;
	spec_use(p, SPEC_USE_EVENT, name, at, &out->form->index);
	return true;
}

/* Of mttl, after `@thread': (F) is what it knows of the thread's last state, .x likewise. */
static bool parse_remote(struct spec_parser *p, struct spec_spot at, const char *name,
			 struct spec_item *out)
{
	struct spec_item a;

	if (p->token.kind == SPEC_T_OPEN) {
		if (!parse_parenthesis(p, &a) || !need_form(p, &a) ||
		    !form_make(p, SPEC_F_AT, at, a.depth + 1, out))
			return false;
		out->form->a = a.form;
		spec_use(p, SPEC_USE_THREAD, name, at, &out->form->index);
		return true;
	}
	spec_lex(p);
	if (p->token.kind != SPEC_T_WORD && p->token.kind != SPEC_T_AT &&
	    p->token.kind != SPEC_T_STRING)
		return spec_expected(p, "a variable");
	if (!operand(p, &a))
		return false;
	if (!a.expr || (a.expr->op != SPEC_VARIABLE && a.expr->op != SPEC_REMOTE)) {
		spec_fail(p, a.spot, "after '@%.64s.' stands a variable", name);
		return false;
	}
	if (!expr_make(p, SPEC_REMOTE, at, a.depth + 1, out))
		return false;
	out->expr->a = a.expr;
	spec_use(p, SPEC_USE_THREAD, name, at, &out->expr->index);
	return true;
}

/* @symbol, or in mttl @thread(...) and @thread.x */
static bool parse_at(struct spec_parser *p, struct spec_item *out)
{
	struct spec_spot at = p->token.spot;
	const char *name;

	if (!spec_parse_lvalue(p, "a variable", &name))
		return false;
	if (p->token.kind != SPEC_T_OPEN && p->token.kind != SPEC_T_DOT) {
		if (!expr_make(p, SPEC_VARIABLE, at, 1, out))
			return false;
		spec_use(p, SPEC_USE_VARIABLE, name, at, &out->expr->index);
		return true;
	}
	if (p->mttl)
		return parse_remote(p, at, name + 1, out);
	spec_fail(p, at, "@thread(...) and @thread.variable are for mttl properties only");
	return false;
}

static const struct {
	const char *word;
	enum spec_form_op op;
} prefixes[] = { { "prev", SPEC_F_PREV },
		 { "once", SPEC_F_ONCE },
		 { "hist", SPEC_F_HIST },
		 { "start", SPEC_F_START },
		 { "end", SPEC_F_STOP } };

static bool parse_word_operand(struct spec_parser *p, struct spec_item *out)
{
	struct spec_spot at = p->token.spot;

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (spec_is_word(p, prefixes[i].word))
			return parse_prefix(p, prefixes[i].op, out);
	if (spec_take_word(p, "true"))
		return form_make(p, SPEC_F_TRUE, at, 1, out);
	if (spec_take_word(p, "false"))
		return form_make(p, SPEC_F_FALSE, at, 1, out);
	if (spec_take_word(p, "NULL"))
		return expr_make(p, SPEC_CONST, at, 1, out);
	if (spec_take_word(p, "tid"))
		return expr_make(p, SPEC_TID, at, 1, out);
	if (spec_is_word(p, "since") || spec_is_word(p, "wsince") || spec_is_word(p, "handler"))
		return spec_expected(p, "a formula");
	return spec_lex_peek(p) == SPEC_T_OPEN ? parse_event_atom(p, out) : parse_variable(p, out);
}

static bool parse_operand(struct spec_parser *p, const char *what, struct spec_item *out)
{
	struct spec_spot at = p->token.spot;

	switch (p->token.kind) {
	case SPEC_T_WORD:
		return parse_word_operand(p, out);
	case SPEC_T_STRING:
		return parse_variable(p, out);
	case SPEC_T_NUMBER:
		return expr_make(p, SPEC_CONST, at, 1, out) &&
		       spec_parse_constant(p, &out->expr->number);
	case SPEC_T_MINUS:
		return parse_negative(p, out);
	case SPEC_T_BANG:
		return parse_prefix(p, SPEC_F_NOT, out);
	case SPEC_T_OPEN:
		return parse_parenthesis(p, out);
	case SPEC_T_BRACKET:
		return parse_interval(p, out);
	case SPEC_T_AT:
		return parse_at(p, out);
	default:
		return spec_expected(p, what);
	}
}

static bool operand(struct spec_parser *p, struct spec_item *out)
{
	bool good = spec_nest(p) && parse_operand(p, "a formula", out);

	p->nesting--;
	return good;
}

/* ---- rows of operators ---- */

static bool parse_row(struct spec_parser *p, enum level least, struct spec_item *out)
{
	const struct operator* o;

	if (!parse_operand(p, least > L_COMPARE ? "a number" : "a formula", out))
		return false;
	while ((o = operator_find(p)) && o->level >= least) {
		struct spec_spot at = p->token.spot;
		struct spec_item right;

		spec_lex(p);
		/* Right to left: the same level once more. */
		if (!climb(p, o->level == L_IMPLIES ? L_IMPLIES : o->level + 1, &right) ||
		    !combine(p, o, at, out, &right))
			return false;
	}
	return true;
}

static bool climb(struct spec_parser *p, enum level least, struct spec_item *out)
{
	bool good = spec_nest(p) && parse_row(p, least, out);

	p->nesting--;
	return good;
}

bool spec_parse_form(struct spec_parser *p, struct spec_form **out)
{
	struct spec_item i;

	if (!climb(p, L_IMPLIES, &i) || !need_form(p, &i))
		return false;
	*out = i.form;
	return true;
}

bool spec_parse_condition(struct spec_parser *p, struct spec_expr **out)
{
	struct spec_item i;

	if (!climb(p, L_COMPARE, &i) || !need_form(p, &i))
		return false;
	if (i.form->op != SPEC_F_EXPR) {
		spec_fail(p, i.spot, "a condition is one comparison, as in x == 1");
		return false;
	}
	*out = i.form->expr;
	return true;
}
