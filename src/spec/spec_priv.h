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

enum spec_token_kind {
	SPEC_T_BAD, /* the lexer has complained; fits nothing */
	SPEC_T_END,
	SPEC_T_WORD,
	SPEC_T_NUMBER, /* characters too */
	SPEC_T_STRING,
	SPEC_T_SIGN, /* "->", "(" */
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

#define SPEC_QUANTIFIERS 8u /* around one another */

/* A name that is looked up when all declarations are known. */
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
	unsigned nbound;  /* threads of quantifiers around, outermost first */
	const char *bound[SPEC_QUANTIFIERS];
	bool failed; /* somebody complained */
	VEC(struct spec_use) uses;
};

/* A formula or a number, whichever it turns out to be. */
struct spec_item {
	struct spec_form *form; /* NULL: */
	struct spec_expr *expr;
	struct spec_spot spot;
	unsigned depth;
};

void spec_lex(struct spec_parser *p);			/* on to the next token */
struct spec_token spec_lex_peek(struct spec_parser *p); /* the one after it */

/* Bytes of the character at s that is not ASCII; end: of the text.  0: it is not UTF-8. */
unsigned spec_lex_utf8(const char *s, const char *end);

/* Complains: false. */
bool spec_fail(struct spec_parser *p, struct spec_spot at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* "expected WHAT, found ..." at the token: false. */
bool spec_expected(struct spec_parser *p, const char *what);
/* "WHAT 'name'TAIL, did you mean 'near'?" with one of the names; without one the hint stands behind the
 * tail.  False. */
bool spec_unknown(struct spec_parser *p, struct spec_spot at, const char *what, const char *name,
		  const char *tail, const char *const *names, size_t n, const char *hint);
/* The same of the token, which must be one of the words: "WHAT 'token', did you mean", else as
 * spec_expected. */
bool spec_unknown_word(struct spec_parser *p, const char *what, const char *const *words, size_t n,
		       const char *expected);
/* The token is that word or sign; the one after it is. */
bool spec_is(const struct spec_parser *p, const char *text);
bool spec_is_followed(struct spec_parser *p, const char *text);
/* Steps over it if it is there. */
bool spec_take(struct spec_parser *p, const char *text);
/* It must be there; what: as for spec_expected. */
bool spec_need(struct spec_parser *p, const char *text, const char *what);
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
/* What stands behind `handler'. */
bool spec_parse_action(struct spec_parser *p, struct spec_property *y);
bool spec_parse_condition(struct spec_parser *p, struct spec_expr **out);
bool spec_parse_rx(struct spec_parser *p, struct spec_rx **out);
bool spec_parse_fsm(struct spec_parser *p, struct spec_property *y);

/* Numbers for names, sets of properties, types of expressions. */
bool spec_resolve(struct spec_parser *p);

extern const char *const spec_op_words[SPEC_NOPS];
void spec_print_number(const struct spec_number *n, struct strbuf *out);

#endif /* SPEC_SPEC_PRIV_H */
