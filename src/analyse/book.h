/*
 * What a process beside has found and looked at, in memory that it shares with us: it never waits
 * for us to read, and nothing is lost when it is killed.
 *
 * One process adds; others read when it has ended.
 */
#ifndef ANALYSE_BOOK_H
#define ANALYSE_BOOK_H

#include "report/kept.h"

/* More than that is not kept: a finding takes a few kilobytes. */
#define BOOK_BYTES (128u << 20)

struct book {
	int fd; /* -1: none, and nothing is kept */
};

/* All that is in it. */
struct book_content {
	struct kept_list found;
	uint64_t windows;  /* looked at and done with */
	uint64_t next_cut; /* where the next one begins */
	uint64_t missed;   /* events that were gone before they could be looked at */
};

void book_open(struct book *b);
void book_close(struct book *b);

void book_add(struct book *b, const struct kept *k);
enum book_kind { BOOK_FINDING = 1, BOOK_WINDOW, BOOK_MISSED };
/* WINDOW: one was looked at, the next begins at that cut; MISSED: so many events. */
void book_add_number(struct book *b, enum book_kind kind, uint64_t number);

/* As far as it was written; what a killed process has begun and not finished is left out. */
void book_read(const struct book *b, struct book_content *out);
void book_content_release(struct book_content *c);

#endif /* ANALYSE_BOOK_H */
