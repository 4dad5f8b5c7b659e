/*
 * C types of variables: integers, floating point, pointers to anything.
 *
 * Sizes are those of x86-64 Linux, as everywhere in the tool.
 */
#include <float.h>
#include <math.h>

#include "spec/spec_priv.h"

#define MOST_WORDS 16

/* Integers that have names of their own. */
static const struct integers {
	uint8_t size;
	bool is_signed;
	const char *words[MOST_WORDS];
} integers[] = {
	{ 1,
	  false,
	  { "bool", "_Bool", "uint8_t", "uint_least8_t", "uint_fast8_t", "atomic_bool",
	    "atomic_uchar" } },
	{ 1, true, { "int8_t", "int_least8_t", "int_fast8_t", "atomic_char", "atomic_schar" } },
	{ 2, true, { "int16_t", "int_least16_t", "atomic_short" } },
	{ 2, false, { "uint16_t", "uint_least16_t", "atomic_ushort" } },
	{ 4, true, { "int32_t", "int_least32_t", "wchar_t", "atomic_int" } },
	{ 4, false, { "uint32_t", "uint_least32_t", "atomic_uint" } },
	{ 8,
	  true,
	  { "int64_t", "int_least64_t", "int_fast16_t", "int_fast32_t", "int_fast64_t", "intmax_t",
	    "intptr_t", "ssize_t", "ptrdiff_t", "atomic_long", "atomic_llong",
	    "atomic_intptr_t" } },
	{ 8,
	  false,
	  { "uint64_t", "uint_least64_t", "uint_fast16_t", "uint_fast32_t", "uint_fast64_t",
	    "uintmax_t", "uintptr_t", "size_t", "atomic_ulong", "atomic_ullong", "atomic_size_t",
	    "atomic_uintptr_t" } },
};
#define NINTEGERS (sizeof(integers) / sizeof(integers[0]))

static const struct integers *integers_find(const char *word)
{
	for (size_t i = 0; i < NINTEGERS; i++)
		for (size_t k = 0; k < MOST_WORDS && integers[i].words[k]; k++)
			if (strcmp(integers[i].words[k], word) == 0)
				return &integers[i];
	return NULL;
}

/* Words that count; the last three stand for `struct' and `union', `enum', another name. */
enum { SIGNED, UNSIGNED, SHORT, LONG, INT, CHAR, FLOAT, DOUBLE, VOID, RECORD, ENUM, NAME, NWORDS };

/* The words before the stars. */
struct words {
	unsigned n[NWORDS];
	const char *name; /* of another type */
	struct spec_spot name_spot;
};

static bool has_base(const struct words *w)
{
	for (int i = 0; i < NWORDS; i++)
		if (w->n[i])
			return true;
	return false;
}

static bool add(struct spec_parser *p, struct strbuf *text)
{
	if (text->n && text->at[text->n - 1] != '*')
		strbuf_adds(text, " ");
	strbuf_add(text, p->token.at, p->token.n);
	spec_lex(p);
	return true;
}

static bool is_qualifier(const struct spec_parser *p)
{
	return spec_is(p, "const") || spec_is(p, "volatile") || spec_is(p, "_Atomic");
}

/* A word that counts. */
static bool take_simple(struct spec_parser *p, struct words *w, struct strbuf *text)
{
	static const char *const all[] = { "signed", "unsigned", "short",  "long", "int",
					   "char",   "float",	 "double", "void" };

	for (int i = SIGNED; i <= VOID; i++) {
		if (spec_is(p, all[i])) {
			w->n[i]++;
			return add(p, text);
		}
	}
	return false;
}

/* struct X, union X, enum X */
static bool take_tagged(struct spec_parser *p, struct words *w, struct strbuf *text)
{
	bool is_enum = spec_is(p, "enum");

	if (!is_enum && !spec_is(p, "struct") && !spec_is(p, "union"))
		return false;
	w->n[is_enum ? ENUM : RECORD]++;
	add(p, text);
	if (p->token.kind != SPEC_T_WORD)
		return spec_expected(p, "a tag");
	return add(p, text);
}

/* A name of another type, if what follows it can be more of a declaration. */
static bool take_named(struct spec_parser *p, struct words *w, struct strbuf *text)
{
	enum spec_token_kind next = spec_lex_peek(p).kind;

	if (next != SPEC_T_WORD && next != SPEC_T_STRING && !spec_is_followed(p, "*") &&
	    !spec_is_followed(p, "@"))
		return false;
	w->n[NAME]++;
	w->name = spec_copy(p->spec, p->token.at, p->token.n);
	w->name_spot = p->token.spot;
	return add(p, text);
}

static bool take_words(struct spec_parser *p, struct words *w, struct strbuf *text)
{
	while (p->token.kind == SPEC_T_WORD) {
		if (is_qualifier(p))
			add(p, text);
		else if (take_simple(p, w, text))
			continue;
		else if (has_base(w) || !(take_tagged(p, w, text) || take_named(p, w, text)))
			break;
	}
	return has_base(w) || spec_expected(p, "a type");
}

static bool complain_named(struct spec_parser *p, const struct words *w)
{
	const char *words[NINTEGERS * MOST_WORDS];
	size_t n = 0;

	for (size_t i = 0; i < NINTEGERS; i++)
		for (size_t k = 0; k < MOST_WORDS && integers[i].words[k]; k++)
			words[n++] = integers[i].words[k];
	return spec_unknown(p, w->name_spot, "unknown type", w->name, "", words, n,
			    ": write the integer type, float, double or pointer that it is");
}

/* Of the words alone, without stars. */
static bool plain_type(struct spec_parser *p, const struct words *w, struct spec_spot at,
		       struct spec_type *out)
{
	const struct integers *known = w->name ? integers_find(w->name) : NULL;
	const unsigned *n = w->n;
	unsigned sized = n[SHORT] + n[CHAR] + n[FLOAT] + n[DOUBLE];
	unsigned other = n[VOID] + n[RECORD] + n[ENUM] + n[NAME];
	unsigned signs = n[SIGNED] + n[UNSIGNED];
	bool real = n[FLOAT] || n[DOUBLE];

	if (n[DOUBLE] == 1 && n[LONG] == 1 && sized == 1)
		return spec_fail(p, at,
				 "long double has more than the 8 bytes that a variable may have");
	if (sized + (n[LONG] != 0) + other > 1 || n[LONG] > 2 || signs > 1 || n[INT] > 1 ||
	    ((real || other) && (signs || n[INT])) || (n[CHAR] && n[INT]))
		return spec_fail(p, at, "these words make no type");
	if (w->name && !known)
		return complain_named(p, w);
	if (n[VOID] || n[RECORD])
		return spec_fail(
			p, at,
			n[VOID] ? "nothing is of type void"
				: "a struct is not one value: declare its members, as in 'shared int s.count;'");
	out->kind = real ? SPEC_FLOAT : SPEC_INT;
	out->size = known ? known->size : n[CHAR] ? 1 : n[SHORT] ? 2 : n[LONG] || n[DOUBLE] ? 8 : 4;
	out->is_signed = known ? known->is_signed : !n[UNSIGNED];
	return true;
}

bool spec_parse_type(struct spec_parser *p, struct spec_type *out)
{
	struct spec_spot at = p->token.spot;
	STRBUF_SCOPED text = { 0 };
	struct words w = { 0 };
	bool good = take_words(p, &w, &text);

	if (good && spec_is(p, "*")) {
		*out = (struct spec_type){ SPEC_POINTER, 8, false, NULL };
		while (spec_is(p, "*") || is_qualifier(p))
			add(p, &text);
	} else if (good) {
		good = plain_type(p, &w, at, out);
	}
	if (good)
		out->text = spec_copy(p->spec, strbuf_str(&text), text.n);
	return good;
}

/* ---- constants ---- */

static bool is_boolean(const struct spec_type *t)
{
	return strstr(t->text, "bool") || strstr(t->text, "_Bool");
}

static bool integer_fits(const struct spec_type *t, const struct spec_number *n)
{
	unsigned bits = t->size * 8u;
	bool is_signed = t->kind == SPEC_INT && t->is_signed;

	if (n->is_float)
		return false;
	if (t->kind == SPEC_INT && t->size == 1 && is_boolean(t))
		return !n->is_big && (n->i == 0 || n->i == 1);
	if (n->is_big || n->i >= 0)
		return bits == 64 ? !(is_signed && n->is_big)
				  : !n->is_big && (uint64_t)n->i >> (bits - is_signed) == 0;
	return is_signed && (bits == 64 || n->i >= -((int64_t)1 << (bits - 1)));
}

bool spec_type_fits(struct spec_parser *p, const struct spec_type *type, struct spec_spot at,
		    const struct spec_number *number)
{
	STRBUF_SCOPED text = { 0 };
	bool fits;

	if (type->kind == SPEC_FLOAT)
		fits = !number->is_float || type->size == 8 || fabs(number->f) <= FLT_MAX;
	else
		fits = integer_fits(type, number);
	if (!fits) {
		spec_print_number(number, &text);
		spec_fail(p, at, "%s does not fit the type '%.64s'", strbuf_str(&text), type->text);
	}
	return fits;
}
