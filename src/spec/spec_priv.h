/*
 * The parser's insides.
 *
 *	bytes --spec_lex--> tokens --spec_parse*--> trees with names --spec_resolve--> trees with numbers
 *
 * One token is looked at at a time.  A function that returns false has complained: the first
 * message stays, so callers just leave.
 */
#ifndef SPEC_SPEC_PRIV_H
#define SPEC_SPEC_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/vec.h"
#include "spec/spec.h"

/* ---- memory: dies with the spec ---- */

struct spec_priv {
	VEC(char *) blocks;
	size_t left; /* bytes at the end of the last block */
};

struct spec *spec_new(const char *path, const char *text, size_t n);
void *spec_alloc(struct spec *s, size_t n); /* zeroed */
const char *spec_copy(struct spec *s, const char *text, size_t n);

/* ---- tokens ---- */

/* X(id, text): longer ones first. */
#define SPEC_PUNCTS(X)      \
	X(IFF, "<->")       \
	X(ARROW, "->")      \
	X(EQ, "==")         \
	X(NE, "!=")         \
	X(LE, "<=")         \
	X(GE, ">=")         \
	X(ANDAND, "&&")     \
	X(OROR, "||")       \
	X(SCOPE, "::")      \
	X(LT, "<")          \
	X(GT, ">")          \
	X(BANG, "!")        \
	X(PLUS, "+")        \
	X(MINUS, "-")       \
	X(STAR, "*")        \
	X(SLASH, "/")       \
	X(PERCENT, "%")     \
	X(OPEN, "(")        \
	X(CLOSE, ")")       \
	X(BRACKET, "[")     \
	X(END_BRACKET, "]") \
	X(BRACE, "{")       \
	X(END_BRACE, "}")   \
	X(COMMA, ",")       \
	X(SEMICOLON, ";")   \
	X(COLON, ":")       \
	X(ASSIGN, "=")      \
	X(AT, "@")          \
	X(DOT, ".")         \
	X(BAR, "|")         \
	X(AMPERSAND, "&")   \
	X(TILDE, "~")       \
	X(QUESTION, "?")

enum spec_token_kind {
	SPEC_T_BAD, /* the lexer has complained; fits nothing */
	SPEC_T_END,
	SPEC_T_WORD,
	SPEC_T_NUMBER, /* characters too */
	SPEC_T_STRING,
#define X(id, text) SPEC_T_##id,
	SPEC_PUNCTS(X)
#undef X
};

struct spec_token {
	enum spec_token_kind kind;
	struct spec_spot spot;
	const char *at; /* in the text */
	size_t n;
	struct spec_number number;
	const char *string; /* of a STRING, without quotes */
};

/* ---- the parser ---- */

/* A name that is looked up when all declarations are known. */
enum spec_use_kind {
	SPEC_USE_VARIABLE,
	SPEC_USE_EVENT,
	SPEC_USE_THREAD,
	SPEC_USE_ACCESS,   /* a variable if it is declared, else *number stays */
	SPEC_USE_RELEVANT, /* a variable or an event; number is NULL */
};

struct spec_use {
	enum spec_use_kind kind;
	const char *name;
	struct spec_spot spot;
	uint32_t *number;
};

struct spec_parser {
	struct spec *spec;
	struct diag *d;
	/* The lexer: what comes after `token'. */
	const char *at, *line_at; /* line_at: where the line begins */
	uint32_t line;
	struct spec_token token;
	unsigned nesting; /* of calls */
	unsigned nodes;	  /* of the declaration or property */
	bool mttl;	  /* in the body of one */
	bool failed;	  /* somebody complained */
	VEC(struct spec_use) uses;
};

/* A formula or a number, whichever it turns out to be. */
struct spec_item {
	struct spec_form *form; /* NULL: */
	struct spec_expr *expr;
	struct spec_spot spot;
	unsigned depth;
};

void spec_lex(struct spec_parser *p);			   /* on to the next token */
enum spec_token_kind spec_lex_peek(struct spec_parser *p); /* the kind of the one after it */

/* Bytes of the character at s that is not ASCII; end: of the text.  0: it is not UTF-8. */
unsigned spec_lex_utf8(const char *s, const char *end);

void spec_fail(struct spec_parser *p, struct spec_spot at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* "expected WHAT, found ..." at the token. */
void spec_fail_expected(struct spec_parser *p, const char *what);
static inline bool spec_expected(struct spec_parser *p, const char *what)
{
	spec_fail_expected(p, what);
	return false;
}
bool spec_is_word(const struct spec_parser *p, const char *word);
/* Steps over it if it is there. */
bool spec_take_word(struct spec_parser *p, const char *word);
bool spec_take(struct spec_parser *p, enum spec_token_kind kind);
/* It must be there; what: as for spec_expected. */
bool spec_need(struct spec_parser *p, enum spec_token_kind kind, const char *what);
/* A word that cannot begin a name of the spec. */
bool spec_is_reserved(const char *word, size_t n);
/* A word; declared: that may name something of the spec, so none of the language's own. */
bool spec_parse_word(struct spec_parser *p, const char *what, bool declared, const char **out);
bool spec_parse_lvalue(struct spec_parser *p, const char *what, const char **out);
/* Number, character, true, false, NULL; with a sign. */
bool spec_parse_constant(struct spec_parser *p, struct spec_number *out);
bool spec_parse_type(struct spec_parser *p, struct spec_type *out);
/* Whether a variable of this type can hold the number; else a complaint. */
bool spec_type_fits(struct spec_parser *p, const struct spec_type *type, struct spec_spot at,
		    const struct spec_number *number);

void spec_use(struct spec_parser *p, enum spec_use_kind kind, const char *name,
	      struct spec_spot spot, uint32_t *number);
bool spec_nest(struct spec_parser *p); /* pairs with p->nesting-- */
/* A node at this depth; false: too many, too deep. */
bool spec_grow(struct spec_parser *p, struct spec_spot spot, unsigned depth);

bool spec_parse_event(struct spec_parser *p);
bool spec_parse_form(struct spec_parser *p, struct spec_form **out);
bool spec_parse_condition(struct spec_parser *p, struct spec_expr **out);
bool spec_parse_rx(struct spec_parser *p, struct spec_rx **out);
bool spec_parse_fsm(struct spec_parser *p, struct spec_property *y);
bool spec_parse_property(struct spec_parser *p);

/* Numbers for names, sets of properties, types of expressions. */
bool spec_resolve(struct spec_parser *p);

extern const char *const spec_op_words[SPEC_NOPS];
void spec_print_number(const struct spec_number *n, struct strbuf *out);

#endif /* SPEC_SPEC_PRIV_H */
