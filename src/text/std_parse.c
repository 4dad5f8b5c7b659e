/*
 * The parser of text lines: by hand, left to right, one cursor.
 *
 *	line    = thread '|' event '|' location
 *	event   = op [ '(' operand ')' ] mark*
 *	mark    = '~' | '@' order | '!' word | '<' n [test] (',' n [test])* | '?' test
 *		| '=' value [ '>' value ]
 *
 * Plain lines take a short way (quick); it must agree with the long one.
 *
 * An operand may hold parentheses, so it ends at the last ')' of its field.
 * Marks hold none, which makes that the right one.
 */
#include "text/std_parse.h"

#include "text/std.h"
#include "text/std_parse_priv.h"

void std_parser_release(struct std_parser *p)
{
	strbuf_release(&p->value);
	strbuf_release(&p->old);
	strbuf_release(&p->label);
	strbuf_release(&p->data);
	VEC_RELEASE_ALL(&p->named, &p->tests);
}

bool std_refuse(struct std_cursor *c, const char *at, const char *format, ...)
{
	va_list ap;

	c->p->column = (unsigned)(at - c->start) + 1;
	va_start(ap, format);
	vsnprintf(c->p->error, sizeof(c->p->error), format, ap);
	va_end(ap);
	return false;
}

static bool is_digit(char ch)
{
	return ch >= '0' && ch <= '9';
}

bool std_number(struct std_cursor *c, uint64_t *out)
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

static bool check_bytes(struct std_cursor *c)
{
	for (const char *at = c->at; at < c->end; at++) {
		unsigned char ch = (unsigned char)*at;

		if (ch == '\0')
			return std_refuse(c, at, "NUL byte; this is not a text trace");
		if (ch == ' ' || ch == '\t')
			return std_refuse(
				c, at,
				"blank inside an event; write thread|op(operand)|location "
				"without blanks");
		if (ch < 0x20 || ch == 0x7f)
			return std_refuse(c, at, "control character 0x%02x", ch);
	}
	return true;
}

/* Splits the line; leaves the cursor on the middle field. */
static bool fields(struct std_cursor *c, struct std_line *out)
{
	const char *line = c->at, *end = c->end;
	const char *one = memchr(line, '|', (size_t)(end - line));
	const char *two, *three;

	if (!one)
		return std_refuse(c, end,
				  "line ends after '%.*s'; expected thread|op(operand)|location",
				  std_shown((size_t)(end - line)), line);
	if (one == line)
		return std_refuse(c, line, "empty thread name");
	two = memchr(one + 1, '|', (size_t)(end - one - 1));
	if (!two)
		return std_refuse(c, end,
				  "line ends after the operation; expected '|' and a location");
	three = memchr(two + 1, '|', (size_t)(end - two - 1));
	if (three)
		return std_refuse(c, three, "a third '|'; an event has exactly three fields");
	if (two + 1 == end)
		return std_refuse(c, end,
				  "empty location; expected a number or another name of the place");
	out->thread = (struct std_span){ line, (size_t)(one - line) };
	out->location = (struct std_span){ two + 1, (size_t)(end - two - 1) };
	c->at = one + 1;
	c->end = two;
	return true;
}

static bool op_name(struct std_cursor *c, bool fmt1, struct std_line *out)
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
		return std_refuse(c, name,
				  "operation '%.*s' needs the first line '" STD_HEADER "'; plain "
				  "STD has r w acq rel fork join begin end",
				  std_shown(n), name);
	if (n == 0)
		return std_refuse(c, name, "expected an operation, such as r(x) or acq(m)");
	return std_refuse(c, name, "unknown operation '%.*s'; expected %s", std_shown(n), name,
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
static bool decode(struct std_cursor *c, const char *at, const char *end, struct strbuf *out)
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
			return std_refuse(c, at, "'%%' must be followed by two hexadecimal digits");
		memcpy(hex, at + 1, 2);
		if (strspn(hex, "0123456789abcdefABCDEF") != 2)
			return std_refuse(c, at, "'%%' must be followed by two hexadecimal digits");
		sscanf(hex, "%x", &byte);
		if (byte == 0)
			return std_refuse(c, at, "a name cannot hold a NUL byte");
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
static bool call_operand(struct std_cursor *c, struct std_line *out)
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
		if (!std_number(c, &v) || (c->at < c->end && *c->at != ','))
			return std_refuse(c, c->at, "expected a number, as in user(name,1,2)");
		add_varint(&c->p->data, negative ? 0 - v : v);
	}
	out->label = strbuf_str(&c->p->label);
	out->data = c->p->data.n ? (const uint8_t *)c->p->data.at : NULL;
	out->ndata = (uint32_t)c->p->data.n;
	return true;
}

static bool range_operand(struct std_cursor *c, struct std_line *out)
{
	uint64_t len = STD_WORD, offset = 0;

	cut_number(&out->operand, ':', &len);
	cut_number(&out->operand, '+', &offset);
	if (len == 0 || offset >= STD_OFFSET_LIMIT || len > STD_OFFSET_LIMIT - offset)
		return std_refuse(c, c->at,
				  "bad range; expected x, x+8, x:4 or x+8:4 with a length from 1 "
				  "and offset and length within 2^32");
	out->offset = offset;
	out->len = len;
	return true;
}

/* The cursor is what stands between the parentheses. */
static bool operand(struct std_cursor *c, bool fmt1, struct std_line *out)
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
		       std_refuse(c, c->at, "operation '%s' takes no operand",
				  event_op_name(out->op));
	if (out->operand.n == 0)
		return std_refuse(c, c->at, "empty operand of '%s'", event_op_name(out->op));
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
			return std_refuse(c, c->at,
					  "expected a condition and a lock, as in park(c,m)");
		out->operand.n = (size_t)(comma - c->at);
		out->second = (struct std_span){ comma + 1, (size_t)(c->end - comma - 1) };
		return true;
	}
	default:
		return true;
	}
}

static bool operand_field(struct std_cursor *c, bool fmt1, struct std_line *out)
{
	const struct std_op *op = &std_ops[out->op];
	const char *name = event_op_name(out->op);
	const char *open = c->at, *close;
	struct std_cursor inner = *c;

	out->operand_column = (unsigned)(c->at - c->start) + 1;
	if (c->at == c->end || *c->at != '(') {
		if (op->operand != STD_NOTHING && op->operand != STD_LABEL)
			return std_refuse(c, c->at, "expected '(' and an operand after '%s'", name);
		return true;
	}
	close = memrchr(open, ')', (size_t)(c->end - open));
	if (!close)
		return std_refuse(c, c->end, "missing ')' after the operand of '%s'", name);
	inner.at = open + 1;
	inner.end = close;
	c->at = close + 1;
	return operand(&inner, fmt1, out);
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
	struct std_cursor c = { .p = p, .start = line, .at = line, .end = line + n };

	mem_zero(out, sizeof(*out));
	out->len = STD_WORD;
	if (quick(line, c.end, out))
		return true;
	mem_zero(out, sizeof(*out));
	out->len = STD_WORD;
	return check_bytes(&c) && fields(&c, out) && op_name(&c, fmt1, out) &&
	       operand_field(&c, fmt1, out) && std_marks(&c, fmt1, out);
}
