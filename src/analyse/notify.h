/*
 * --on-finding: a command of the user's for each new finding, an alarm or a recovery.
 *
 * A process beside runs them one at a time, so nobody who finds something waits.  What is found
 * goes to the command in its environment and on its standard input, never through the shell's eyes:
 *
 *	FORESEE_ID FORESEE_KIND FORESEE_STATUS FORESEE_OBJECT FORESEE_SUMMARY FORESEE_TRACE
 *	FORESEE_TARGET	the process, while it runs
 *	standard input	the finding's JSON object
 *
 * Its standard output is our stderr.  One that takes longer than 30 s (FORESEE_COMMAND_SECONDS) is
 * killed; when more than NOTIFY_QUEUE findings wait, the rest is left out.  Both are said.
 */
#ifndef ANALYSE_NOTIFY_H
#define ANALYSE_NOTIFY_H

#include "base/common.h"
#include <sys/types.h>

struct kept;
struct notify;

#define NOTIFY_QUEUE 64

/* NULL after a message. */
struct notify *notify_start(const char *command, bool quiet);

/* From the process that started it, or one that this has forked.  Never waits for the command.
 * target: 0 none.  n may be NULL. */
void notify_send(struct notify *n, const struct kept *k, uint32_t id, const char *trace,
		 pid_t target);

/* Waits for the commands that are still to run, but not for long; frees n. */
void notify_end(struct notify *n);

#endif /* ANALYSE_NOTIFY_H */
