/*
 * C types of variables: integers, floating point, pointers to anything.
 *
 * Sizes are those of x86-64 Linux, as everywhere in the tool.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/near.h"
#include "base/strbuf.h"
#include "spec/spec_priv.h"

/* X(word, kind, size, signed) */
#define NAMED(X)                        \
	X("bool", INT, 1, 0)            \
	X("_Bool", INT, 1, 0)           \
	X("int8_t", INT, 1, 1)          \
	X("int16_t", INT, 2, 1)         \
	X("int32_t", INT, 4, 1)         \
	X("int64_t", INT, 8, 1)         \
	X("uint8_t", INT, 1, 0)         \
	X("uint16_t", INT, 2, 0)        \
	X("uint32_t", INT, 4, 0)        \
	X("uint64_t", INT, 8, 0)        \
	X("int_least8_t", INT, 1, 1)    \
	X("int_least16_t", INT, 2, 1)   \
	X("int_least32_t", INT, 4, 1)   \
	X("int_least64_t", INT, 8, 1)   \
	X("uint_least8_t", INT, 1, 0)   \
	X("uint_least16_t", INT, 2, 0)  \
	X("uint_least32_t", INT, 4, 0)  \
	X("uint_least64_t", INT, 8, 0)  \
	X("int_fast8_t", INT, 1, 1)     \
	X("int_fast16_t", INT, 8, 1)    \
	X("int_fast32_t", INT, 8, 1)    \
	X("int_fast64_t", INT, 8, 1)    \
	X("uint_fast8_t", INT, 1, 0)    \
	X("uint_fast16_t", INT, 8, 0)   \
	X("uint_fast32_t", INT, 8, 0)   \
	X("uint_fast64_t", INT, 8, 0)   \
	X("intmax_t", INT, 8, 1)        \
	X("uintmax_t", INT, 8, 0)       \
	X("intptr_t", INT, 8, 1)        \
	X("uintptr_t", INT, 8, 0)       \
	X("size_t", INT, 8, 0)          \
	X("ssize_t", INT, 8, 1)         \
	X("ptrdiff_t", INT, 8, 1)       \
	X("wchar_t", INT, 4, 1)         \
	X("atomic_bool", INT, 1, 0)     \
	X("atomic_char", INT, 1, 1)     \
	X("atomic_schar", INT, 1, 1)    \
	X("atomic_uchar", INT, 1, 0)    \
	X("atomic_short", INT, 2, 1)    \
	X("atomic_ushort", INT, 2, 0)   \
	X("atomic_int", INT, 4, 1)      \
	X("atomic_uint", INT, 4, 0)     \
	X("atomic_long", INT, 8, 1)     \
	X("atomic_ulong", INT, 8, 0)    \
	X("atomic_llong", INT, 8, 1)    \
	X("atomic_ullong", INT, 8, 0)   \
	X("atomic_size_t", INT, 8, 0)   \
	X("atomic_intptr_t", INT, 8, 1) \
	X("atomic_uintptr_t", INT, 8, 0)

static const struct {
	const char *word;
	enum spec_kind kind;
	uint8_t size;
	bool is_signed;
} named[] = {
#define X(word, kind, size, sign) { word, SPEC_##kind, size, sign },
	NAMED(X)
#undef X
};
#define NNAMED (sizeof(named) / sizeof(named[0]))

/* The words before the stars. */
struct words {
	unsigned is_signed, is_unsigned, is_short, is_long, is_int, is_char, is_float, is_double;
	unsigned is_void, is_record, is_enum;
	const char *name; /* of another type */
	int known;	  /* its row, or -1 */
	struct spec_spot name_spot;
};

static bool has_base(const struct words *w)
{
	return w->is_signed || w->is_unsigned || w->is_short || w->is_long || w->is_int ||
	       w->is_char || w->is_float || w->is_double || w->is_void || w->is_record ||
	       w->is_enum || w->name;
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
	return spec_is_word(p, "const") || spec_is_word(p, "volatile") ||
	       spec_is_word(p, "_Atomic");
}

/* A word that counts. */
static bool take_simple(struct spec_parser *p, struct words *w, struct strbuf *text)
{
	const struct {
		const char *word;
		unsigned *count;
	} all[] = {
		{ "signed", &w->is_signed }, { "unsigned", &w->is_unsigned },
		{ "short", &w->is_short },   { "long", &w->is_long },
		{ "int", &w->is_int },	     { "char", &w->is_char },
		{ "float", &w->is_float },   { "double", &w->is_double },
		{ "void", &w->is_void },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (spec_is_word(p, all[i].word)) {
			++*all[i].count;
			return add(p, text);
		}
	}
	return false;
}

/* struct X, union X, enum X */
static bool take_tagged(struct spec_parser *p, struct words *w, struct strbuf *text)
{
	bool is_enum = spec_is_word(p, "enum");

	if (!is_enum && !spec_is_word(p, "struct") && !spec_is_word(p, "union"))
		return false;
	*(is_enum ? &w->is_enum : &w->is_record) += 1;
	add(p, text);
	if (p->token.kind != SPEC_T_WORD)
		return spec_expected(p, "a tag");
	return add(p, text);
}

/* A name of another type, if what follows it can be more of a declaration. */
static bool take_named(struct spec_parser *p, struct words *w, struct strbuf *text)
{
	enum spec_token_kind next = spec_lex_peek(p);

	if (next != SPEC_T_WORD && next != SPEC_T_STAR && next != SPEC_T_AT &&
	    next != SPEC_T_STRING)
		return false;
	w->name = spec_copy(p->spec, p->token.at, p->token.n);
	w->name_spot = p->token.spot;
	w->known = -1;
	for (size_t i = 0; i < NNAMED; i++)
		if (strcmp(named[i].word, w->name) == 0)
			w->known = (int)i;
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
	const char *words[NNAMED];
	const char *near;

	for (size_t i = 0; i < NNAMED; i++)
		words[i] = named[i].word;
	near = near_find(w->name, words, NNAMED);
	if (near)
		spec_fail(p, w->name_spot, "unknown type '%.64s', did you mean '%s'?", w->name,
			  near);
	else
		spec_fail(p, w->name_spot,
			  "unknown type '%.64s': write the integer type, float, double or pointer "
			  "that it is",
			  w->name);
	return false;
}

/* Of the words alone, without stars. */
static bool plain_type(struct spec_parser *p, const struct words *w, struct spec_spot at,
		       struct spec_type *out)
{
	unsigned sized = w->is_short + w->is_char + w->is_float + w->is_double;
	unsigned other = w->is_void + w->is_record + w->is_enum + (w->name != NULL);
	unsigned signs = w->is_signed + w->is_unsigned;
	bool real = w->is_float || w->is_double;

	if (w->is_double == 1 && w->is_long == 1 && sized == 1) {
		spec_fail(p, at, "long double has more than the 8 bytes that a variable may have");
		return false;
	}
	if (sized + (w->is_long != 0) + other > 1 || w->is_long > 2 || signs > 1 || w->is_int > 1 ||
	    ((real || other) && (signs || w->is_int)) || (w->is_char && w->is_int)) {
		spec_fail(p, at, "these words make no type");
		return false;
	}
	if (w->name && w->known < 0)
		return complain_named(p, w);
	if (w->is_void || w->is_record) {
		spec_fail(p, at,
			  w->is_void ? "nothing is of type void"
				     : "a struct is not one value: declare its members, as "
				       "in 'shared int s.count;'");
		return false;
	}
	out->kind = real ? SPEC_FLOAT : SPEC_INT;
	out->size = w->is_char ? 1 : w->is_short ? 2 : w->is_long || w->is_double ? 8 : 4;
	out->is_signed = !w->is_unsigned;
	if (w->name) {
		out->kind = named[w->known].kind;
		out->size = named[w->known].size;
		out->is_signed = named[w->known].is_signed;
	}
	return true;
}

bool spec_parse_type(struct spec_parser *p, struct spec_type *out)
{
	struct spec_spot at = p->token.spot;
	struct strbuf text = { 0 };
	struct words w = { 0 };
	bool good = take_words(p, &w, &text);

	if (good && p->token.kind == SPEC_T_STAR) {
		*out = (struct spec_type){ SPEC_POINTER, 8, false, NULL };
		while (p->token.kind == SPEC_T_STAR || is_qualifier(p))
			add(p, &text);
	} else if (good) {
		good = plain_type(p, &w, at, out);
	}
	if (good)
		out->text = spec_copy(p->spec, strbuf_str(&text), text.n);
	strbuf_release(&text);
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
	struct strbuf text = { 0 };
	bool fits;

	if (type->kind == SPEC_FLOAT)
		fits = !number->is_float || type->size == 8 || fabs(number->f) <= FLT_MAX;
	else
		fits = integer_fits(type, number);
	if (!fits) {
		spec_print_number(number, &text);
		spec_fail(p, at, "%s does not fit the type '%.64s'", strbuf_str(&text), type->text);
		strbuf_release(&text);
	}
	return fits;
}
