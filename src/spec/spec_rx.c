/*
 * Regular expressions.
 *
 *	rx   = cat { ( "|" | "&" ) cat }         left to right, both bind alike
 *	cat  = { rep }                           none: the empty word
 *	rep  = [ "~" ] atom [ "*" | "+" | "?" ]  ~a* is ~(a*)
 */
#include "spec/spec_priv.h"

struct part {
	struct spec_rx *rx;
	unsigned depth;
};

static bool parse_alternatives(struct spec_parser *p, struct part *out);

static bool make(struct spec_parser *p, enum spec_rx_op op, struct spec_spot at,
		 const struct part *a, const struct part *b, struct part *out)
{
	unsigned depth = a ? a->depth : 0;
	struct spec_rx *rx;

	if (b && b->depth > depth)
		depth = b->depth;
	if (!spec_grow(p, at, depth + 1))
		return false;
	rx = spec_alloc(p->spec, sizeof(*rx));
	*rx = (struct spec_rx){ op, at, 0, a ? a->rx : NULL, b ? b->rx : NULL };
	*out = (struct part){ rx, depth + 1 };
	return true;
}

static bool is_end_word(const struct spec_parser *p)
{
	return spec_is(p, "never") || spec_is(p, "must") || spec_is(p, "handler");
}

static bool is_atom(const struct spec_parser *p)
{
	return (p->token.kind == SPEC_T_WORD && !is_end_word(p)) || spec_is(p, ".") ||
	       spec_is(p, "(");
}

static bool parse_atom(struct spec_parser *p, struct part *out)
{
	struct spec_spot at = p->token.spot;
	const char *name;

	if (!is_atom(p))
		return spec_expected(p, "an event, '.' or '('");
	if (spec_take(p, "."))
		return make(p, SPEC_RX_ANY, at, NULL, NULL, out);
	if (spec_take(p, "("))
		return parse_alternatives(p, out) &&
		       spec_need(p, ")", "an event, '|', '&', '~' or ')'");
	if (!spec_parse_word(p, "an event", false, &name) ||
	    !make(p, SPEC_RX_EVENT, at, NULL, NULL, out))
		return false;
	spec_use(p, SPEC_USE_EVENT, name, at, &out->rx->index);
	return true;
}

static bool parse_repeated(struct spec_parser *p, struct part *out)
{
	static const struct {
		const char *text;
		enum spec_rx_op op;
	} all[] = { { "*", SPEC_RX_STAR }, { "+", SPEC_RX_PLUS }, { "?", SPEC_RX_OPT } };
	struct spec_spot at = p->token.spot;
	bool negated = spec_take(p, "~");
	struct part a, b;

	if (!parse_atom(p, &a))
		return false;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct spec_spot star = p->token.spot;

		if (!spec_take(p, all[i].text))
			continue;
		if (!make(p, all[i].op, star, &a, NULL, &b))
			return false;
		a = b;
		break;
	}
	*out = a;
	return !negated || make(p, SPEC_RX_NOT, at, &a, NULL, out);
}

static bool parse_row(struct spec_parser *p, struct part *out)
{
	struct spec_spot at = p->token.spot;
	struct part next, both;

	if (!is_atom(p) && !spec_is(p, "~"))
		return make(p, SPEC_RX_EMPTY, at, NULL, NULL, out);
	if (!parse_repeated(p, out))
		return false;
	while (is_atom(p) || spec_is(p, "~")) {
		at = p->token.spot;
		if (!parse_repeated(p, &next) || !make(p, SPEC_RX_CAT, at, out, &next, &both))
			return false;
		*out = both;
	}
	return true;
}

static bool parse_inner(struct spec_parser *p, struct part *out)
{
	if (!parse_row(p, out))
		return false;
	while (spec_is(p, "|") || spec_is(p, "&")) {
		enum spec_rx_op op = spec_is(p, "|") ? SPEC_RX_OR : SPEC_RX_AND;
		struct spec_spot at = p->token.spot;
		struct part next, both;

		spec_lex(p);
		if (!parse_row(p, &next) || !make(p, op, at, out, &next, &both))
			return false;
		*out = both;
	}
	return true;
}

static bool parse_alternatives(struct spec_parser *p, struct part *out)
{
	bool good = spec_nest(p) && parse_inner(p, out);

	p->nesting--;
	return good;
}

bool spec_parse_rx(struct spec_parser *p, struct spec_rx **out)
{
	struct part part;

	if (!parse_alternatives(p, &part))
		return false;
	*out = part.rx;
	return true;
}
