/*
 * A schedule as a picture: one column per thread, time runs down.
 *
 *	          T2 "worker"             T3 "report"
 *	          ... 12 events
 *	     47                           lock   m   :47
 *	     48                           unlock m   :48
 *	14, 49  write total :31   <-->   read  total :52
 *
 * Text comes in piece by piece; widths are found at the end.  Where there are more columns than fit
 * it is a list, each line with its thread in front:
 *
 *	     47  T3 "report"  lock   m   :47
 *
 * Notes may make a table beside it, here of two values:
 *
 *	          T1                  T2                x  y
 *	      3   write x = 1  :12                      1  0
 *
 * Ownership: strings are copied.
 */
#ifndef REPORT_COLUMNS_H
#define REPORT_COLUMNS_H

#include "base/common.h"

#define COLUMNS_MAX 64
#define COLUMNS_WIDEST 60    /* no entry is wider ... */
#define COLUMNS_NARROWEST 20 /* ... nor cut to less, whatever the width of the picture */

struct columns_row {
	uint64_t numbers[2]; /* events; 0 none */
	char *entries[COLUMNS_MAX];
	uint32_t left, right; /* a pair: its columns, left < right */
	char *note;	      /* after the row, or NULL */
	char *brief;	      /* ... where a table of notes has no room; or NULL */
	uint64_t gap;	      /* events left out; 0: it shows some */
	bool stuck;	      /* what it shows does not come, and the note says why */
};

struct columns {
	uint32_t n;
	char *heads[COLUMNS_MAX];
	/* Head of a table that the notes make; or NULL.  It stands beside the picture, or there are only
	 * brief ones.  Owned. */
	char *side;
	VEC(struct columns_row) rows;
};

void columns_release(struct columns *c);

/* The next column; at most COLUMNS_MAX. */
void columns_head(struct columns *c, const char *text);
/* An event in its column. */
void columns_event(struct columns *c, uint64_t number, uint32_t column, const char *text);
/* One that does not come: beside it, why. */
void columns_stuck(struct columns *c, uint64_t number, uint32_t column, const char *text,
		   const char *note);
/* Events left out: so many in each column, and `others' of threads that have none. */
void columns_gap(struct columns *c, const uint64_t counts[COLUMNS_MAX], uint64_t others);
/* Two events at the same time, in different columns. */
void columns_pair(struct columns *c, const uint64_t numbers[2], const uint32_t columns[2],
		  const char *const texts[2], const char *note);

/* The note of the latest row, and what is left of it without the table; either may be NULL. */
void columns_note(struct columns *c, const char *note, const char *brief);
/* A row without an event; good until the next one. */
struct columns_row *columns_blank(struct columns *c);

/* How a picture with a table beside it comes out: without the table, as a list, or in columns. */
enum columns_room { COLUMNS_NONE, COLUMNS_LIST, COLUMNS_BESIDE };
enum columns_room columns_room(const struct columns *c, int indent, int width);

/* Each line begins with indent blanks and ends with a newline.  Entries that do not fit are cut in
 * the middle: what follows their last two blanks, a location, stays.  For a table none is cut: a list
 * has more room. */
void columns_format(const struct columns *c, int indent, int width, struct strbuf *out);

#endif /* REPORT_COLUMNS_H */
