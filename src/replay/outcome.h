/*
 * How a run went on from the point of a race to its end, and how two such runs differ.
 *
 * Nothing more is claimed than that they differed: what a program prints may also depend on time,
 * process numbers and the like.
 */
#ifndef REPLAY_OUTCOME_H
#define REPLAY_OUTCOME_H

#include "base/common.h"

/* What is read of an output. */
#define OUTCOME_MOST (16u << 20)

struct outcome {
	bool known;	    /* the run came to the point, and went on */
	int status, signal; /* of its end */
	bool hung, late;    /* it had no end: nothing moved; it still ran when the time was over */
	struct strbuf out, err; /* what it printed, all in all */
	uint8_t bytes[8];	/* of the object, when both accesses were done */
	uint32_t nbytes;	/* 0: not known */
};
void outcome_release(struct outcome *o);

/* The file's bytes, as much as is compared. */
void outcome_read(const char *path, struct strbuf *out);

enum outcome_difference {
	OUTCOME_SAME,
	OUTCOME_CRASH,	/* only one is killed by a signal */
	OUTCOME_HANG,	/* only one hangs, or does not end in time */
	OUTCOME_STATUS, /* other exit status, or signal */
	OUTCOME_OUTPUT, /* standard output */
	OUTCOME_ERRORS, /* standard error */
	OUTCOME_BYTES,	/* only what the object holds right after the two */
};
enum outcome_difference outcome_compare(const struct outcome *a, const struct outcome *b);
const char *outcome_difference_name(enum outcome_difference d);

/* "ends with status 0", "is killed by signal 11 (Segmentation fault)", "hangs". */
void outcome_end(const struct outcome *o, double time, struct strbuf *out);

/* The line that begins at from, as a terminal can show it, cut after most bytes; where it ends. */
size_t outcome_line(const struct strbuf *of, size_t from, size_t most, struct strbuf *out);

/* The difference in a sentence; first and second name the orders: "write, read". */
void outcome_words(const struct outcome *a, const char *first, const struct outcome *b,
		   const char *second, double time, struct strbuf *out);

#endif /* REPLAY_OUTCOME_H */
