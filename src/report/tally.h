/*
 * What a trace holds, counted in one pass.
 *
 * Memory: grows with threads, objects and words touched, the words up to
 * TALLY_WORDS; past that the count is a lower bound and says so.
 */
#ifndef REPORT_TALLY_H
#define REPORT_TALLY_H

#include "trace/event.h"

struct json;
struct trace;

#define TALLY_WORDS (1u << 24)

/* All zero at first. */
struct tally {
	uint64_t events, by_op[EVENT_NOPS];
	uint64_t free_reads, binding_reads, unknown_reads; /* reads and rmws */
	uint64_t fed_writes, atomics;
	VEC(uint64_t) by_thread; /* [tid] */
	struct map words, objects, locks;
	bool more_words;
};

void tally_release(struct tally *y);

/* Counts e, the event t has just yielded. */
void tally_event(struct tally *y, struct trace *t, const struct event *e);

/* After the last event.  path names the trace. */
void tally_print(const struct tally *y, const struct trace *t, const char *path, FILE *to);
/* The "trace" member of a report. */
void tally_json(const struct tally *y, const struct trace *t, const char *path, struct json *j);

#endif /* REPORT_TALLY_H */
