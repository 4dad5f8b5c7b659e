/*
 * record --observer: a process beside the program sends the recording to an observer as it grows.
 *
 * It reads the file that the program writes, and nothing else: whether the observer is slow, stops,
 * dies, comes back or never was there, the program does not notice and the file has it all.
 */
#ifndef LIVE_FORWARD_H
#define LIVE_FORWARD_H

#include "launch/side.h"
#include "link/address.h"
#include "link/token.h"

struct launch_end;

#define FORWARD_WAIT 10 /* seconds, after the end of the program, for what is left */

struct forward {
	/* From the command line. */
	const char *observer; /* NULL: none */
	const char *token_given, *token_file;
	uint64_t wait; /* seconds */
	bool quiet;
	/* Private. */
	struct address where;
	char token[TOKEN_BYTES];
	const char *trace, *program;
	struct side side;
	struct forward_end *end; /* shared with the process */
};

/* After the options.  0, or 2 after a message. */
int forward_prepare(struct forward *f, const char *program);

/* Around the run (struct session_watch). */
void forward_begin(void *forward, const char *trace);
void forward_end(void *forward, const char *trace, const struct launch_end *end);

#endif /* LIVE_FORWARD_H */
