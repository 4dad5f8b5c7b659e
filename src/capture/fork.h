/*
 * Processes that the program makes.
 *
 * A child runs on unrecorded, and the trace says so; unless the recording goes along with it
 * (daemon, --follow-fork), and then it is the parent that runs on unrecorded.
 */
#ifndef CAPTURE_FORK_H
#define CAPTURE_FORK_H

#include <stdbool.h>

/* Before the program runs. */
void fork_start(bool follow);
/* The run is over: what is left to tell of children. */
void fork_finish(void);

/* Is this the process that records itself?  A child of vfork, in its memory, is not. */
bool fork_is_recorded(void);

#endif /* CAPTURE_FORK_H */
