/*
 * One line of STD or #fmt 1 text taken apart.  Syntax only: what names mean
 * and whether the event may happen here is the reader's business.
 *
 * Ownership: spans point into the line; values, feeds and user data into the
 * parser, and die with its next line.
 */
#ifndef TEXT_STD_PARSE_H
#define TEXT_STD_PARSE_H

#include "trace/event.h"

struct std_span {
	const char *at; /* NULL: absent */
	size_t n;
};

struct std_line {
	struct std_span thread, location;
	enum event_op op;
	struct std_span operand; /* the name, without offset, length, count or arguments */
	struct std_span second;	 /* park: the lock */
	uint64_t offset, len;	 /* a range */
	uint64_t count;		 /* after the colon; 0 when left out */
	uint32_t flags;		 /* EVENT_* */
	uint8_t order, lock_kind, rmw;
	const uint64_t *named; /* event numbers after '<' */
	uint32_t nnamed;
	const struct predicate *tests;
	uint32_t ntests;
	const uint8_t *value, *old; /* len bytes each, or NULL */
	const char *label;	    /* begin, user: its name, decoded; or NULL */
	const uint8_t *data;	    /* user: arguments as varints */
	uint32_t ndata;
	/* Columns, from 1, for messages about meaning. */
	unsigned operand_column, named_column;
};

struct std_parser {
	struct strbuf value, old, label, data;
	VEC(uint64_t) named;
	VEC(struct predicate) tests;
	/* Set when a line is refused. */
	unsigned column;
	char error[320];
};

void std_parser_release(struct std_parser *p);

/* False, with column and error, when the line is no event.  fmt1: the superset. */
bool std_parse(struct std_parser *p, const char *line, size_t n, bool fmt1, struct std_line *out);

#endif /* TEXT_STD_PARSE_H */
