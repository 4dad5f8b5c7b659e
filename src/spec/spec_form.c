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
	const char *text;
	enum level level;
	int op; /* enum spec_form_op below L_COMPARE, else enum spec_expr_op */
}
operators[] = {
	{ "->", L_IMPLIES, SPEC_F_IMPLIES },
	{ "<->", L_IMPLIES, SPEC_F_IFF },
	{ "||", L_OR, SPEC_F_OR },
	{ "&&", L_AND, SPEC_F_AND },
	{ "since", L_SINCE, SPEC_F_SINCE },
	{ "wsince", L_SINCE, SPEC_F_WSINCE },
	{ "==", L_COMPARE, SPEC_EQ },
	{ "!=", L_COMPARE, SPEC_NE },
	{ "<", L_COMPARE, SPEC_LT },
	{ "<=", L_COMPARE, SPEC_LE },
	{ ">", L_COMPARE, SPEC_GT },
	{ ">=", L_COMPARE, SPEC_GE },
	{ "+", L_ADD, SPEC_ADD },
	{ "-", L_ADD, SPEC_SUB },
	{ "*", L_MUL, SPEC_MUL },
	{ "/", L_MUL, SPEC_DIV },
	{ "%", L_MUL, SPEC_MOD },
};

static const struct operator* operator_find(const struct spec_parser *p)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if (spec_is(p, operators[i].text))
			return &operators[i];
	return NULL;
}

/* ---- nodes ---- */

static bool item_make(struct spec_parser *p, struct spec_spot at, const struct spec_item *a,
		      const struct spec_item *b, struct spec_item *out)
{
	unsigned depth = a ? a->depth : 0;

	if (b && b->depth > depth)
		depth = b->depth;
	*out = (struct spec_item){ .spot = at, .depth = depth + 1 };
	return spec_grow(p, at, depth + 1);
}

/* Of the formulas a and b; either may be NULL. */
static bool form_make(struct spec_parser *p, enum spec_form_op op, struct spec_spot at,
		      const struct spec_item *a, const struct spec_item *b, struct spec_item *out)
{
	if (!item_make(p, at, a, b, out))
		return false;
	out->form = spec_alloc(p->spec, sizeof(*out->form));
	*out->form = (struct spec_form){
		.op = op, .spot = at, .a = a ? a->form : NULL, .b = b ? b->form : NULL
	};
	return true;
}

/* Likewise, of numbers. */
static bool expr_make(struct spec_parser *p, enum spec_expr_op op, struct spec_spot at,
		      const struct spec_item *a, const struct spec_item *b, struct spec_item *out)
{
	if (!item_make(p, at, a, b, out))
		return false;
	out->expr = spec_alloc(p->spec, sizeof(*out->expr));
	*out->expr = (struct spec_expr){
		.op = op, .spot = at, .a = a ? a->expr : NULL, .b = b ? b->expr : NULL
	};
	return true;
}

static bool need_form(struct spec_parser *p, const struct spec_item *i)
{
	if (i->form)
		return true;
	if (spec_is(p, "="))
		return spec_expected(p, "an operator");
	return spec_fail(p, i->spot,
			 "a number stands where a formula is expected: compare it with something, "
			 "as in x != 0");
}

/* true and false are numbers where one is expected. */
static bool need_expr(struct spec_parser *p, struct spec_item *i)
{
	struct spec_item number;

	if (i->expr)
		return true;
	if (i->form->op != SPEC_F_TRUE && i->form->op != SPEC_F_FALSE)
		return spec_fail(
			p, i->spot,
			i->form->op == SPEC_F_EXPR
				? "a comparison is not a number: write a < b && b < c for a < b < c"
				: "a formula stands where a number is expected");
	if (!expr_make(p, SPEC_CONST, i->spot, NULL, NULL, &number))
		return false;
	number.expr->number.i = i->form->op == SPEC_F_TRUE;
	*i = number;
	return true;
}

/* left := left op right; at: of the operator. */
static bool combine(struct spec_parser *p, const struct operator* o, struct spec_spot at,
		    struct spec_item *left, struct spec_item *right)
{
	struct spec_item made, truth;

	if (o->level < L_COMPARE) {
		if (!need_form(p, left) || !need_form(p, right) ||
		    !form_make(p, (enum spec_form_op)o->op, at, left, right, &made))
			return false;
	} else if (!need_expr(p, left) || !need_expr(p, right) ||
		   !expr_make(p, (enum spec_expr_op)o->op, at, left, right, &made)) {
		return false;
	}
	if (o->level == L_COMPARE) {
		if (!form_make(p, SPEC_F_EXPR, at, NULL, NULL, &truth))
			return false;
		truth.form->expr = made.expr;
		truth.depth = made.depth;
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
	return climb(p, L_COMPARE, &a) && need_form(p, &a) && form_make(p, op, at, &a, NULL, out);
}

static bool parse_constant(struct spec_parser *p, struct spec_item *out)
{
	return expr_make(p, SPEC_CONST, p->token.spot, NULL, NULL, out) &&
	       spec_parse_constant(p, &out->expr->number);
}

static bool parse_negative(struct spec_parser *p, struct spec_item *out)
{
	struct spec_spot at = p->token.spot;
	struct spec_item a;

	if (spec_lex_peek(p).kind == SPEC_T_NUMBER)
		return parse_constant(p, out);
	spec_lex(p);
	return operand(p, &a) && need_expr(p, &a) && expr_make(p, SPEC_NEG, at, &a, NULL, out);
}

/* [P, Q) and [P, Q)w */
static bool parse_interval(struct spec_parser *p, struct spec_item *out)
{
	struct spec_spot at = p->token.spot;
	enum spec_form_op op = SPEC_F_INTERVAL;
	struct spec_item a, b;

	spec_lex(p);
	if (!climb(p, L_IMPLIES, &a) || !need_form(p, &a) ||
	    !spec_need(p, ",", "an operator or ','") || !climb(p, L_IMPLIES, &b) ||
	    !need_form(p, &b) || !spec_need(p, ")", "an operator, ')' or ')w'"))
		return false;
	if (spec_take(p, "w"))
		op = SPEC_F_WINTERVAL;
	return form_make(p, op, at, &a, &b, out);
}

static bool parse_parenthesis(struct spec_parser *p, struct spec_item *out)
{
	struct spec_spot at = p->token.spot;

	spec_lex(p);
	if (!climb(p, L_IMPLIES, out) || !spec_need(p, ")", "an operator or ')'"))
		return false;
	out->spot = at;
	return true;
}

static bool make_variable(struct spec_parser *p, struct spec_spot at, const char *name,
			  struct spec_item *out)
{
	if (!expr_make(p, SPEC_VARIABLE, at, NULL, NULL, out))
		return false;
	spec_use(p, SPEC_USE_VARIABLE, name, at, &out->expr->index);
	return true;
}

static bool parse_variable(struct spec_parser *p, struct spec_item *out)
{
	struct spec_spot at = p->token.spot;
	const char *name;

	return spec_parse_lvalue(p, "a formula", &name) && make_variable(p, at, name, out);
}

static bool parse_quantifier(struct spec_parser *p, enum spec_form_op op, struct spec_spot at,
			     struct spec_item *out);

/* e(), and in mttl some(...), all(...) */
static bool parse_event_atom(struct spec_parser *p, struct spec_item *out)
{
	struct spec_spot at = p->token.spot;
	const char *name;

	if (!spec_parse_word(p, "an event", false, &name))
		return false;
	spec_lex(p);
	if (p->mttl && !spec_is(p, ")") && (strcmp(name, "some") == 0 || strcmp(name, "all") == 0))
		return parse_quantifier(p, *name == 's' ? SPEC_F_SOME : SPEC_F_ALL, at, out);
	if (!spec_need(p, ")", "')': an event has no arguments here") ||
	    !form_make(p, SPEC_F_EVENT, at, NULL, NULL, out))
		return false;
	spec_use(p, SPEC_USE_EVENT, name, at, &out->form->index);
	return true;
}

/* The thread that a name stands for: the innermost one that is bound, else one that is declared. */
static void use_thread(struct spec_parser *p, const char *name, struct spec_spot at,
		       uint32_t *number)
{
	for (unsigned i = p->nbound; i > 0; i--)
		if (strcmp(p->bound[i - 1], name) == 0) {
			*number = SPEC_WHO_BOUND + i - 1;
			return;
		}
	spec_use(p, SPEC_USE_WHO, name, at, number);
}

/* some(o : C, F), all(o : C, F), after the parenthesis */
static bool parse_quantifier(struct spec_parser *p, enum spec_form_op op, struct spec_spot at,
			     struct spec_item *out)
{
	struct spec_spot spot;
	const char *name, *class;
	struct spec_item a;
	bool good;

	if (!spec_parse_word(p, "the name of a thread", true, &name) ||
	    !spec_need(p, ":", "':' and a thread, or 'any'"))
		return false;
	spot = p->token.spot;
	if (!spec_parse_word(p, "a thread, or 'any'", false, &class) || !spec_need(p, ",", "','"))
		return false;
	if (p->nbound == SPEC_QUANTIFIERS)
		return spec_fail(p, at, "more than %u quantifiers around one another",
				 SPEC_QUANTIFIERS);
	p->bound[p->nbound++] = name;
	good = climb(p, L_IMPLIES, &a) && need_form(p, &a) &&
	       spec_need(p, ")", "an operator or ')'");
	p->nbound--;
	if (!good || !form_make(p, op, at, &a, NULL, out))
		return false;
	out->form->name = name;
	spec_use(p, SPEC_USE_WHO, class, spot, &out->form->index);
	return true;
}

/* Of mttl, after `@thread': (F) is what it knows of the thread's last state, .x likewise. */
static bool parse_remote(struct spec_parser *p, struct spec_spot at, const char *name,
			 struct spec_item *out)
{
	struct spec_item a;

	if (spec_is(p, "(")) {
		if (!parse_parenthesis(p, &a) || !need_form(p, &a) ||
		    !form_make(p, SPEC_F_AT, at, &a, NULL, out))
			return false;
		out->form->name = name;
		use_thread(p, name, at, &out->form->index);
		return true;
	}
	spec_lex(p);
	if (p->token.kind != SPEC_T_WORD && !spec_is(p, "@") && p->token.kind != SPEC_T_STRING)
		return spec_expected(p, "a variable");
	if (!operand(p, &a))
		return false;
	if (!a.expr ||
	    (a.expr->op != SPEC_VARIABLE && a.expr->op != SPEC_REMOTE && a.expr->op != SPEC_BLOCK))
		return spec_fail(p, a.spot, "after '@%.64s.' stands a variable, or 'block'", name);
	if (!expr_make(p, SPEC_REMOTE, at, &a, NULL, out))
		return false;
	out->expr->name = name;
	use_thread(p, name, at, &out->expr->index);
	return true;
}

/* @symbol, or in mttl @thread(...) and @thread.x */
static bool parse_at(struct spec_parser *p, struct spec_item *out)
{
	struct spec_spot at = p->token.spot;
	const char *name;

	if (!spec_parse_lvalue(p, "a variable", &name))
		return false;
	if (!spec_is(p, "(") && !spec_is(p, "."))
		return make_variable(p, at, name, out);
	if (p->mttl)
		return parse_remote(p, at, name + 1, out);
	return spec_fail(p, at, "@thread(...) and @thread.variable are for mttl properties only");
}

static bool parse_word_operand(struct spec_parser *p, struct spec_item *out)
{
	struct spec_spot at = p->token.spot;

	if (spec_take(p, "true"))
		return form_make(p, SPEC_F_TRUE, at, NULL, NULL, out);
	if (spec_take(p, "false"))
		return form_make(p, SPEC_F_FALSE, at, NULL, NULL, out);
	if (spec_take(p, "NULL"))
		return expr_make(p, SPEC_CONST, at, NULL, NULL, out);
	if (spec_take(p, "tid"))
		return expr_make(p, SPEC_TID, at, NULL, NULL, out);
	if (p->mttl && spec_is(p, "block") && !spec_is_followed(p, "(")) {
		spec_lex(p);
		return expr_make(p, SPEC_BLOCK, at, NULL, NULL, out);
	}
	if (spec_is(p, "since") || spec_is(p, "wsince") || spec_is(p, "handler"))
		return spec_expected(p, "a formula");
	return spec_is_followed(p, "(") ? parse_event_atom(p, out) : parse_variable(p, out);
}

static const struct {
	const char *text;
	enum spec_form_op op;
} prefixes[] = { { "!", SPEC_F_NOT },	  { "prev", SPEC_F_PREV },   { "once", SPEC_F_ONCE },
		 { "hist", SPEC_F_HIST }, { "start", SPEC_F_START }, { "end", SPEC_F_STOP } };

static bool parse_operand(struct spec_parser *p, const char *what, struct spec_item *out)
{
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (spec_is(p, prefixes[i].text))
			return parse_prefix(p, prefixes[i].op, out);
	if (p->token.kind == SPEC_T_WORD)
		return parse_word_operand(p, out);
	if (p->token.kind == SPEC_T_STRING)
		return parse_variable(p, out);
	if (p->token.kind == SPEC_T_NUMBER)
		return parse_constant(p, out);
	return spec_is(p, "-")	 ? parse_negative(p, out)
	       : spec_is(p, "(") ? parse_parenthesis(p, out)
	       : spec_is(p, "[") ? parse_interval(p, out)
	       : spec_is(p, "@") ? parse_at(p, out)
				 : spec_expected(p, what);
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
	if (i.form->op != SPEC_F_EXPR)
		return spec_fail(p, i.spot, "a condition is one comparison, as in x == 1");
	*out = i.form->expr;
	return true;
}

/* ---- handlers ---- */

static bool parse_set(struct spec_parser *p, struct spec_property *y)
{
	struct spec_spot at = p->token.spot;
	const char *name;

	if (!spec_parse_lvalue(p, "a variable", &name) || !spec_need(p, "=", "'='"))
		return false;
	spec_use(p, SPEC_USE_VARIABLE, name, at, &y->target);
	return spec_parse_constant(p, &y->number);
}

#define WAIT_MS 100

static bool parse_wait(struct spec_parser *p, struct spec_property *y)
{
	bool good;

	if (!spec_need(p, "until", "'until'"))
		return false;
	p->mttl = true;
	good = spec_parse_form(p, &y->until);
	p->mttl = false;
	y->number.i = WAIT_MS;
	if (!good || !spec_take(p, "for"))
		return good;
	if (p->token.kind != SPEC_T_NUMBER || p->token.number.is_float || p->token.number.is_big ||
	    p->token.number.i < 1 || p->token.number.i > 3600000)
		return spec_expected(p, "milliseconds, at least 1 and at most an hour");
	y->number = p->token.number;
	spec_lex(p);
	return true;
}

bool spec_parse_action(struct spec_parser *p, struct spec_property *y)
{
	static const char *const words[] = {
#define X(id, word) word,
		SPEC_ACTIONS(X)
#undef X
	};

	y->action_spot = p->token.spot;
	y->has_action = true;
	y->action = SPEC_DO_CALL;
	for (size_t i = 0; y->body == SPEC_MTTL && i < sizeof(words) / sizeof(words[0]); i++)
		if (*words[i] && spec_is(p, words[i]))
			y->action = (enum spec_action)i;
	if (y->body == SPEC_MTTL && (spec_is(p, "skip") || spec_is(p, "retry")))
		return spec_fail(p, p->token.spot,
				 "'%.*s' would take back what the program has done, which a guard "
				 "cannot: it may 'wait', 'set' a variable, or call a function",
				 (int)p->token.n, p->token.at);
	if (y->action == SPEC_DO_CALL)
		return spec_parse_word(p, "the name of a handler", false, &y->handler);
	spec_lex(p);
	return y->action == SPEC_DO_SET	   ? parse_set(p, y)
	       : y->action == SPEC_DO_WAIT ? parse_wait(p, y)
					   : true;
}
