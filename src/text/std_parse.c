/*
 * The parser of text lines: by hand, left to right, one cursor.
 *
 *	line    = thread '|' event '|' location
 *	event   = op [ '(' operand ')' ] mark*
 *	mark    = '~' | '@' order | '!' word | '<' n (',' n)* | '=' value [ '>' value ]
 *
 * Plain lines take a short way (quick); it must agree with the long one.
 *
 * An operand may hold parentheses, so it ends at the last ')' of its field.
 * Marks hold none, which makes that the right one.
 */
#include "text/std_parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "text/std.h"

/* A part of the line still to be read. */
struct cursor {
	struct std_parser *p;
	const char *start; /* of the line */
	const char *at, *end;
};

void std_parser_release(struct std_parser *p)
{
	strbuf_release(&p->value);
	strbuf_release(&p->old);
	strbuf_release(&p->label);
	strbuf_release(&p->data);
	VEC_RELEASE(&p->named);
}

__attribute__((format(printf, 3, 4))) static bool refuse(struct cursor *c, const char *at,
							 const char *format, ...)
{
	va_list ap;

	c->p->column = (unsigned)(at - c->start) + 1;
	va_start(ap, format);
	vsnprintf(c->p->error, sizeof(c->p->error), format, ap);
	va_end(ap);
	return false;
}

/* For messages: a name may be a megabyte long. */
static int shown(size_t n)
{
	return n < 60 ? (int)n : 60;
}

static bool is_digit(char ch)
{
	return ch >= '0' && ch <= '9';
}

/* Digits at the cursor as a number.  False when there are none or it overflows. */
static bool number(struct cursor *c, uint64_t *out)
{
	uint64_t v = 0;

	if (c->at == c->end || !is_digit(*c->at))
		return false;
	for (; c->at < c->end && is_digit(*c->at); c->at++) {
		unsigned digit = (unsigned)(*c->at - '0');

		if (v > (UINT64_MAX - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	*out = v;
	return true;
}

static bool check_bytes(struct cursor *c)
{
	for (const char *at = c->at; at < c->end; at++) {
		unsigned char ch = (unsigned char)*at;

		if (ch == '\0')
			return refuse(c, at, "NUL byte; this is not a text trace");
		if (ch == ' ' || ch == '\t')
			return refuse(c, at,
				      "blank inside an event; write thread|op(operand)|location "
				      "without blanks");
		if (ch < 0x20 || ch == 0x7f)
			return refuse(c, at, "control character 0x%02x", ch);
	}
	return true;
}

/* Splits the line; leaves the cursor on the middle field. */
static bool fields(struct cursor *c, struct std_line *out)
{
	const char *line = c->at, *end = c->end;
	const char *one = memchr(line, '|', (size_t)(end - line));
	const char *two, *three;

	if (!one)
		return refuse(c, end,
			      "line ends after '%.*s'; expected thread|op(operand)|location",
			      shown((size_t)(end - line)), line);
	if (one == line)
		return refuse(c, line, "empty thread name");
	two = memchr(one + 1, '|', (size_t)(end - one - 1));
	if (!two)
		return refuse(c, end, "line ends after the operation; expected '|' and a location");
	three = memchr(two + 1, '|', (size_t)(end - two - 1));
	if (three)
		return refuse(c, three, "a third '|'; an event has exactly three fields");
	if (two + 1 == end)
		return refuse(c, end,
			      "empty location; expected a number or another name of the place");
	out->thread = (struct std_span){ line, (size_t)(one - line) };
	out->location = (struct std_span){ two + 1, (size_t)(end - two - 1) };
	c->at = one + 1;
	c->end = two;
	return true;
}

static bool op_name(struct cursor *c, bool fmt1, struct std_line *out)
{
	const char *name = c->at;
	size_t n;

	while (c->at < c->end && *c->at >= 'a' && *c->at <= 'z')
		c->at++;
	n = (size_t)(c->at - name);
	/* `ar' and `aw' are short for r and w with @seq_cst. */
	if (fmt1 && n == 2 && name[0] == 'a' && (name[1] == 'r' || name[1] == 'w')) {
		out->flags |= EVENT_ATOMIC;
		out->order = STD_SEQ_CST;
		name++;
		n--;
	}
	out->op = std_op_find(name, n);
	if (out->op != EVENT_NOPS && (fmt1 || (std_ops[out->op].can & STD_PLAIN)))
		return true;
	if (out->op != EVENT_NOPS)
		return refuse(c, name,
			      "operation '%.*s' needs the first line '" STD_HEADER "'; plain "
			      "STD has r w acq rel fork join begin end",
			      shown(n), name);
	if (n == 0)
		return refuse(c, name, "expected an operation, such as r(x) or acq(m)");
	return refuse(c, name, "unknown operation '%.*s'; expected %s", shown(n), name,
		      fmt1 ? "one of doc/STD.md, such as r w rmw acq rel fork join use"
			   : "one of r w acq rel fork join begin end");
}

/* Cuts ":digits" or "+digits" off the end of a name.  False: there is none. */
static bool cut_number(struct std_span *name, char sign, uint64_t *out)
{
	size_t i = name->n;
	uint64_t v = 0;

	while (i > 0 && is_digit(name->at[i - 1]))
		i--;
	if (i < 2 || i == name->n || name->n - i > 19 || name->at[i - 1] != sign)
		return false;
	for (size_t k = i; k < name->n; k++)
		v = v * 10 + (uint64_t)(name->at[k] - '0');
	name->n = i - 1;
	*out = v;
	return true;
}

/* '%41' stands for 'A', so that any name can be written. */
static bool decode(struct cursor *c, const char *at, const char *end, struct strbuf *out)
{
	strbuf_clear(out);
	strbuf_adds(out, "");
	for (; at < end; at++) {
		unsigned byte;
		char hex[3] = { 0 };

		if (*at != '%') {
			strbuf_add(out, at, 1);
			continue;
		}
		if (end - at < 3)
			return refuse(c, at, "'%%' must be followed by two hexadecimal digits");
		memcpy(hex, at + 1, 2);
		if (strspn(hex, "0123456789abcdefABCDEF") != 2)
			return refuse(c, at, "'%%' must be followed by two hexadecimal digits");
		sscanf(hex, "%x", &byte);
		if (byte == 0)
			return refuse(c, at, "a name cannot hold a NUL byte");
		strbuf_add(out, &(char){ (char)byte }, 1);
		at += 2;
	}
	return true;
}

static void add_varint(struct strbuf *b, uint64_t v)
{
	do {
		uint8_t byte = (uint8_t)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));

		strbuf_add(b, &byte, 1);
		v >>= 7;
	} while (v != 0);
}

/* user(name,1,2): the cursor is the operand. */
static bool call_operand(struct cursor *c, struct std_line *out)
{
	const char *comma = memchr(c->at, ',', (size_t)(c->end - c->at));
	const char *name_end = comma ? comma : c->end;
	uint64_t v;
	bool negative;

	if (!decode(c, c->at, name_end, &c->p->label))
		return false;
	strbuf_clear(&c->p->data);
	for (c->at = name_end; c->at < c->end;) {
		c->at++; /* the comma */
		negative = c->at < c->end && *c->at == '-';
		c->at += negative;
		if (!number(c, &v) || (c->at < c->end && *c->at != ','))
			return refuse(c, c->at, "expected a number, as in user(name,1,2)");
		add_varint(&c->p->data, negative ? 0 - v : v);
	}
	out->label = strbuf_str(&c->p->label);
	out->data = c->p->data.n ? (const uint8_t *)c->p->data.at : NULL;
	out->ndata = (uint32_t)c->p->data.n;
	return true;
}

static bool range_operand(struct cursor *c, struct std_line *out)
{
	uint64_t len = STD_WORD, offset = 0;

	cut_number(&out->operand, ':', &len);
	cut_number(&out->operand, '+', &offset);
	if (len == 0 || offset >= STD_OFFSET_LIMIT || len > STD_OFFSET_LIMIT - offset)
		return refuse(c, c->at,
			      "bad range; expected x, x+8, x:4 or x+8:4 with a length from 1 "
			      "and offset and length within 2^32");
	out->offset = offset;
	out->len = len;
	return true;
}

/* The cursor is what stands between the parentheses. */
static bool operand(struct cursor *c, bool fmt1, struct std_line *out)
{
	const struct std_op *op = &std_ops[out->op];

	out->operand = (struct std_span){ c->at, (size_t)(c->end - c->at) };
	out->operand_column = (unsigned)(c->at - c->start) + 1;
	if (op->operand == STD_LABEL) {
		if (!fmt1 || out->operand.n == 0)
			return true;
		out->label = NULL;
		if (!decode(c, c->at, c->end, &c->p->label))
			return false;
		out->label = strbuf_str(&c->p->label);
		return true;
	}
	if (op->operand == STD_NOTHING)
		return out->operand.n == 0 ||
		       refuse(c, c->at, "operation '%s' takes no operand", event_op_name(out->op));
	if (out->operand.n == 0)
		return refuse(c, c->at, "empty operand of '%s'", event_op_name(out->op));
	if (!fmt1)
		return true;
	switch (op->operand) {
	case STD_RANGE:
		return range_operand(c, out);
	case STD_COUNTED:
		cut_number(&out->operand, ':', &out->count);
		return true;
	case STD_CALL:
		return call_operand(c, out);
	case STD_TWO: {
		const char *comma = memrchr(c->at, ',', (size_t)(c->end - c->at));

		if (!comma || comma == c->at || comma + 1 == c->end)
			return refuse(c, c->at, "expected a condition and a lock, as in park(c,m)");
		out->operand.n = (size_t)(comma - c->at);
		out->second = (struct std_span){ comma + 1, (size_t)(c->end - comma - 1) };
		return true;
	}
	default:
		return true;
	}
}

static bool operand_field(struct cursor *c, bool fmt1, struct std_line *out)
{
	const struct std_op *op = &std_ops[out->op];
	const char *name = event_op_name(out->op);
	const char *open = c->at, *close;
	struct cursor inner = *c;

	out->operand_column = (unsigned)(c->at - c->start) + 1;
	if (c->at == c->end || *c->at != '(') {
		if (op->operand != STD_NOTHING && op->operand != STD_LABEL)
			return refuse(c, c->at, "expected '(' and an operand after '%s'", name);
		return true;
	}
	close = memrchr(open, ')', (size_t)(c->end - open));
	if (!close)
		return refuse(c, c->end, "missing ')' after the operand of '%s'", name);
	inner.at = open + 1;
	inner.end = close;
	c->at = close + 1;
	return operand(&inner, fmt1, out);
}

/* The word of letters and '_' at the cursor. */
static struct std_span word(struct cursor *c)
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

static bool order_mark(struct cursor *c, struct std_line *out)
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
	return refuse(c, w.at,
		      "unknown memory order '%.*s'; expected relaxed, consume, acquire, "
		      "release, acq_rel or seq_cst",
		      shown(w.n), w.at);
}

static bool word_mark(struct cursor *c, struct std_line *out)
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
	return refuse(c, w.at, "unknown mark '!%.*s' of operation '%s'", shown(w.n), w.at,
		      event_op_name(out->op));
}

static bool named_mark(struct cursor *c, struct std_line *out)
{
	uint64_t v;

	out->named_column = (unsigned)(c->at - c->start) + 1;
	for (;;) {
		if (!number(c, &v) || v == 0)
			return refuse(c, c->at, "expected an event number, as in w(x)<4,6");
		if (c->p->named.n == (std_ops[out->op].can & STD_CAN_CAUSE ? 1 : STD_FEEDS_MAX))
			return refuse(c, c->at, "too many event numbers after '<'");
		*VEC_PUSH(&c->p->named) = v;
		if (c->at == c->end || *c->at != ',')
			break;
		c->at++;
	}
	out->named = c->p->named.at;
	out->nnamed = (uint32_t)c->p->named.n;
	return true;
}

/* x0a0b: bytes in the order they lie in memory. */
static bool byte_value(struct cursor *c, uint64_t len, struct strbuf *out)
{
	const char *at = c->at + 1;
	static const char digits[] = "0123456789abcdef";

	if ((uint64_t)(c->end - at) < 2 * len)
		return refuse(c, c->at, "value is shorter than the %llu bytes accessed",
			      (unsigned long long)len);
	for (uint64_t i = 0; i < len; i++, at += 2) {
		const char *high = memchr(digits, at[0], 16), *low = memchr(digits, at[1], 16);
		uint8_t byte;

		if (!high || !low)
			return refuse(c, at, "expected two lower-case hexadecimal digits");
		byte = (uint8_t)((high - digits) << 4 | (low - digits));
		strbuf_add(out, &byte, 1);
	}
	c->at = at;
	return true;
}

static bool value(struct cursor *c, uint64_t len, struct strbuf *out)
{
	const char *start = c->at;
	bool negative;
	uint64_t v, most = len >= 8 ? UINT64_MAX : (1ull << (8 * len)) - 1;

	strbuf_clear(out);
	if (c->at < c->end && *c->at == 'x')
		return byte_value(c, len, out);
	negative = c->at < c->end && *c->at == '-';
	c->at += negative;
	if (!number(c, &v))
		return refuse(c, start,
			      "expected a decimal value that fits 64 bits, or x and bytes in "
			      "hexadecimal");
	if (len > 8)
		return refuse(c, start,
			      "a value of %llu bytes is written x and bytes in hexadecimal",
			      (unsigned long long)len);
	if (negative ? v > most / 2 + 1 : v > most)
		return refuse(c, start, "value does not fit in %llu byte%s",
			      (unsigned long long)len, len == 1 ? "" : "s");
	if (negative)
		v = 0 - v;
	strbuf_add(out, &v, len); /* little-endian, as the recorder */
	return true;
}

static bool value_mark(struct cursor *c, struct std_line *out)
{
	struct std_parser *p = c->p;

	if (out->len > STD_VALUE_MAX)
		return refuse(c, c->at, "a range of more than %u bytes has no value",
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

static bool marks(struct cursor *c, bool fmt1, struct std_line *out)
{
	uint32_t can = std_ops[out->op].can;

	VEC_CLEAR(&c->p->named);
	while (c->at < c->end) {
		char mark = *c->at;
		bool good;

		if (!fmt1)
			return refuse(c, c->at,
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
		} else if (mark == '=' && (can & STD_CAN_VALUE) && !out->value) {
			good = value_mark(c, out);
		} else {
			good = refuse(c, c->at - 1, "unexpected '%c' after '%s'", mark,
				      event_op_name(out->op));
		}
		if (!good)
			return false;
	}
	return true;
}

/* Bytes on the short way: ANYWHERE, or OUTSIDE the operand only, where they would be part of a
 * range.  Everything else (blanks, controls, bars, brackets, marks) is left to the long way. */
#define ANYWHERE 3
#define OUTSIDE 2
static const uint8_t plain_byte[256] = {
	['#' ... '&'] = ANYWHERE, ['+'] = OUTSIDE,	    [','] = OUTSIDE,
	['-' ... '/'] = ANYWHERE, ['0' ... '9'] = ANYWHERE, [':'] = OUTSIDE,
	['A' ... 'Z'] = ANYWHERE, ['['] = ANYWHERE,	    [']'] = ANYWHERE,
	['_'] = ANYWHERE,	  ['a' ... 'z'] = ANYWHERE,
};

static const char *plain_span(const char *at, const char *end, uint8_t class, struct std_span *out)
{
	const char *start = at;

	while (at < end && (plain_byte[(unsigned char)*at] & class) == class)
		at++;
	*out = (struct std_span){ start, (size_t)(at - start) };
	return at;
}

/*
 * Nearly every line is r, w, acq or rel of a plain name: one look at each byte.  False says
 * nothing about the line; the long way does.
 */
static bool quick(const char *line, const char *end, struct std_line *out)
{
	const char *at = plain_span(line, end, OUTSIDE, &out->thread);

	if (out->thread.n == 0 || end - at < 8 || *at++ != '|')
		return false;
	if (at[1] == '(') {
		out->op = *at == 'r' ? EVENT_READ : EVENT_WRITE;
		if (*at != 'r' && *at != 'w')
			return false;
		at += 2;
	} else if (at[3] == '(') {
		out->op = *at == 'a' ? EVENT_ACQ : EVENT_REL;
		if (memcmp(at, "acq", 3) != 0 && memcmp(at, "rel", 3) != 0)
			return false;
		at += 4;
	} else {
		return false;
	}
	out->operand_column = (unsigned)(at - line) + 1;
	at = plain_span(at, end, ANYWHERE, &out->operand);
	if (out->operand.n == 0 || end - at < 3 || at[0] != ')' || at[1] != '|')
		return false;
	at = plain_span(at + 2, end, OUTSIDE, &out->location);
	return at == end;
}

bool std_parse(struct std_parser *p, const char *line, size_t n, bool fmt1, struct std_line *out)
{
	struct cursor c = { .p = p, .start = line, .at = line, .end = line + n };

	mem_zero(out, sizeof(*out));
	out->len = STD_WORD;
	if (quick(line, c.end, out))
		return true;
	mem_zero(out, sizeof(*out));
	out->len = STD_WORD;
	return check_bytes(&c) && fields(&c, out) && op_name(&c, fmt1, out) &&
	       operand_field(&c, fmt1, out) && marks(&c, fmt1, out);
}
