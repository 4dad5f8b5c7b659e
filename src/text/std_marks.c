/*
 * The marks behind an operation: '~', a memory order, words, event numbers, comparisons, values.
 */

#include "text/std.h"
#include "text/std_parse_priv.h"

/* The word of letters and '_' at the cursor. */
static struct std_span word(struct std_cursor *c)
{
	const char *at = c->at;

	while (c->at < c->end && ((*c->at >= 'a' && *c->at <= 'z') || *c->at == '_'))
		c->at++;
	return (struct std_span){ at, (size_t)(c->at - at) };
}

static bool span_is(struct std_span s, const char *text)
{
	return strlen(text) == s.n && memcmp(text, s.at, s.n) == 0;
}

static bool order_mark(struct std_cursor *c, struct std_line *out)
{
	struct std_span w = word(c);
	const char *known;

	for (unsigned i = 0; (known = std_order_word(i)) != NULL; i++) {
		if (!span_is(w, known))
			continue;
		out->order = (uint8_t)i;
		if (out->op != EVENT_FENCE)
			out->flags |= EVENT_ATOMIC;
		return true;
	}
	return std_refuse(c, w.at,
			  "unknown memory order '%.*s'; expected relaxed, consume, acquire, "
			  "release, acq_rel or seq_cst",
			  std_shown(w.n), w.at);
}

static bool word_mark(struct std_cursor *c, struct std_line *out)
{
	const struct std_op *op = &std_ops[out->op];
	enum event_object object = event_op_object(out->op);
	struct std_span w = word(c);
	const char *known;
	uint32_t flag;

	for (unsigned i = 0; (known = std_flag_word(i, &flag)) != NULL; i++) {
		if ((op->flags & flag) && span_is(w, known)) {
			out->flags |= flag;
			return true;
		}
	}
	for (unsigned i = 1; (known = std_kind_word(object, i)) != NULL; i++) {
		if (span_is(w, known)) {
			out->lock_kind = (uint8_t)i;
			return true;
		}
	}
	for (unsigned i = 0; out->op == EVENT_RMW && (known = std_rmw_word(i)) != NULL; i++) {
		if (span_is(w, known)) {
			out->rmw = (uint8_t)i;
			return true;
		}
	}
	return std_refuse(c, w.at, "unknown mark '!%.*s' of operation '%s'", std_shown(w.n), w.at,
			  event_op_name(out->op));
}

/* feed: which event number is compared. */
static bool test_mark(struct std_cursor *c, struct std_line *out, uint32_t feed)
{
	struct predicate p;
	const char *why = predicate_parse(&c->at, c->end, &p);

	if (why)
		return std_refuse(c, c->at, "%s", why);
	if (c->p->tests.n == STD_TESTS_MAX)
		return std_refuse(c, c->at, "more than %u comparisons", STD_TESTS_MAX);
	if (out->op != EVENT_USE && out->len > 8)
		return std_refuse(c, c->at, "a range of more than 8 bytes cannot be compared");
	p.feed = feed;
	*VEC_PUSH(&c->p->tests) = p;
	out->flags |= out->op != EVENT_USE ? EVENT_TESTED : 0;
	out->tests = c->p->tests.at;
	out->ntests = (uint32_t)c->p->tests.n;
	return true;
}

static bool named_mark(struct std_cursor *c, struct std_line *out)
{
	uint64_t v;

	out->named_column = (unsigned)(c->at - c->start) + 1;
	for (;;) {
		if (!std_number(c, &v) || v == 0)
			return std_refuse(c, c->at, "expected an event number, as in w(x)<4,6");
		if (c->p->named.n == (std_ops[out->op].can & STD_CAN_CAUSE ? 1 : STD_FEEDS_MAX))
			return std_refuse(c, c->at, "too many event numbers after '<'");
		*VEC_PUSH(&c->p->named) = v;
		if (c->at < c->end && *c->at == ':' && (std_ops[out->op].can & STD_CAN_TEST)) {
			c->at++;
			if (!test_mark(c, out, (uint32_t)c->p->named.n - 1))
				return false;
		}
		if (c->at == c->end || *c->at != ',')
			break;
		c->at++;
	}
	out->named = c->p->named.at;
	out->nnamed = (uint32_t)c->p->named.n;
	return true;
}

/* x0a0b: bytes in the order they lie in memory. */
static bool byte_value(struct std_cursor *c, uint64_t len, struct strbuf *out)
{
	const char *at = c->at + 1;
	static const char digits[] = "0123456789abcdef";

	if ((uint64_t)(c->end - at) < 2 * len)
		return std_refuse(c, c->at, "value is shorter than the %llu bytes accessed",
				  (unsigned long long)len);
	for (uint64_t i = 0; i < len; i++, at += 2) {
		const char *high = memchr(digits, at[0], 16), *low = memchr(digits, at[1], 16);
		uint8_t byte;

		if (!high || !low)
			return std_refuse(c, at, "expected two lower-case hexadecimal digits");
		byte = (uint8_t)((high - digits) << 4 | (low - digits));
		strbuf_add(out, &byte, 1);
	}
	c->at = at;
	return true;
}

static bool value(struct std_cursor *c, uint64_t len, struct strbuf *out)
{
	const char *start = c->at;
	bool negative;
	uint64_t v, most = len >= 8 ? UINT64_MAX : (1ull << (8 * len)) - 1;

	strbuf_clear(out);
	if (c->at < c->end && *c->at == 'x')
		return byte_value(c, len, out);
	negative = c->at < c->end && *c->at == '-';
	c->at += negative;
	if (!std_number(c, &v))
		return std_refuse(c, start,
				  "expected a decimal value that fits 64 bits, or x and bytes in "
				  "hexadecimal");
	if (len > 8)
		return std_refuse(c, start,
				  "a value of %llu bytes is written x and bytes in hexadecimal",
				  (unsigned long long)len);
	if (negative ? v > most / 2 + 1 : v > most)
		return std_refuse(c, start, "value does not fit in %llu byte%s",
				  (unsigned long long)len, len == 1 ? "" : "s");
	if (negative)
		v = 0 - v;
	strbuf_add(out, &v, len); /* little-endian, as the recorder */
	return true;
}

static bool value_mark(struct std_cursor *c, struct std_line *out)
{
	struct std_parser *p = c->p;

	if (out->len > STD_VALUE_MAX)
		return std_refuse(c, c->at, "a range of more than %u bytes has no value",
				  STD_VALUE_MAX);
	if (!value(c, out->len, &p->value))
		return false;
	if (out->op == EVENT_RMW) {
		/* One value alone is the new one.  It is let go: EVENT_HAS_VALUE promises both. */
		if (c->at == c->end || *c->at != '>')
			return true;
		c->at++;
		strbuf_clear(&p->old);
		strbuf_add(&p->old, p->value.at, p->value.n);
		if (!value(c, out->len, &p->value))
			return false;
		out->old = (const uint8_t *)p->old.at;
	}
	out->value = (const uint8_t *)p->value.at;
	out->flags |= EVENT_HAS_VALUE;
	return true;
}

bool std_marks(struct std_cursor *c, bool fmt1, struct std_line *out)
{
	uint32_t can = std_ops[out->op].can;

	VEC_CLEAR(&c->p->named);
	VEC_CLEAR(&c->p->tests);
	while (c->at < c->end) {
		char mark = *c->at;
		bool good;

		if (!fmt1)
			return std_refuse(
				c, c->at,
				"unexpected '%c' after the operation; marks need the first "
				"line '" STD_HEADER "'",
				mark);
		c->at++;
		if (mark == '~' && (can & STD_CAN_FREE)) {
			out->flags |= EVENT_FREE_READ;
			good = true;
		} else if (mark == '@' && (can & STD_CAN_ORDER)) {
			good = order_mark(c, out);
		} else if (mark == '!') {
			good = word_mark(c, out);
		} else if (mark == '<' && (can & (STD_CAN_FEED | STD_CAN_CAUSE)) && !out->named) {
			good = named_mark(c, out);
		} else if (mark == '?' && (can & STD_CAN_FREE)) {
			good = test_mark(c, out, 0);
		} else if (mark == '=' && (can & STD_CAN_VALUE) && !out->value) {
			good = value_mark(c, out);
		} else {
			good = std_refuse(c, c->at - 1, "unexpected '%c' after '%s'", mark,
					  event_op_name(out->op));
		}
		if (!good)
			return false;
	}
	if (out->ntests != 0 && out->op != EVENT_USE && !(out->flags & EVENT_FREE_READ))
		return std_refuse(c, c->at, "a comparison after a read that is not free; add '~'");
	return true;
}
