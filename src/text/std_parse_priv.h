/*
 * The parser of text lines: what its two parts share, operations and operands (std_parse.c) and marks
 * (std_marks.c).
 */
#ifndef TEXT_STD_PARSE_PRIV_H
#define TEXT_STD_PARSE_PRIV_H

#include "text/std_parse.h"

/* A part of the line still to be read. */
struct std_cursor {
	struct std_parser *p;
	const char *start; /* of the line */
	const char *at, *end;
};

/* The line is no event, because of what is at that spot.  False. */
bool std_refuse(struct std_cursor *c, const char *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Digits at the cursor as a number.  False when there are none or it overflows. */
bool std_number(struct std_cursor *c, uint64_t *out);
/* All that is left of the event.  False: refused. */
bool std_marks(struct std_cursor *c, bool fmt1, struct std_line *out);

/* For messages: a name may be a megabyte long. */
static inline int std_shown(size_t n)
{
	return n < 60 ? (int)n : 60;
}

#endif /* TEXT_STD_PARSE_PRIV_H */
