/*
 * A process beside the program that is being recorded: it follows the trace while it grows
 * (live/live.h analyses it, live/forward.h relays it to an observer).
 *
 * It is forked from us, gets none of the terminal's signals, is told when the run is over, and dies
 * with us.  Whatever happens to it, the program and we go on.
 */
#ifndef LAUNCH_SIDE_H
#define LAUNCH_SIDE_H

#include "base/common.h"
#include <sys/types.h>

struct side {
	pid_t pid; /* 0: none */
	int stop;  /* we hold it open while the run goes on */
	int said;  /* what the process writes for us; end of file when it is gone */
};

/*
 * Starts work(arg, stop, say) in a process of its own, whose status is what it returns.  There
 * `stop' becomes readable when the run is over (it dies when we are gone); `say' is a pipe to us.
 * False, errno set: there is no such process.
 */
bool side_start(struct side *s, int (*work)(void *arg, int stop, int say), void *arg);

/* Is the run over, as seen in the process itself?  Waits up to ms for it. */
bool side_is_over(int stop, int ms);

/* Tells it that the run is over.  What it says may still be read from s->said. */
void side_tell(struct side *s);

/* Waits for it, and kills it after ms (-1: never).  Its status, 128 + signal, or -1: there is none. */
int side_end(struct side *s, int ms);

#endif /* LAUNCH_SIDE_H */
