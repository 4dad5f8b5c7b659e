/*
 * Processes that the program makes.
 *
 * A child is not recorded, and the trace says so.  With daemon and --follow-fork it is the other
 * way round: the recording goes on in the child, and the parent is not recorded any more.
 */
#ifndef CAPTURE_FORK_H
#define CAPTURE_FORK_H

#include <stdbool.h>

/* Before the program runs. */
void fork_start(bool follow);
/* The run is over: what is left to tell of children. */
void fork_finish(void);

/* Is this the recorded process?  A child of vfork, which shares its memory, is not. */
bool fork_is_recorded(void);

#endif /* CAPTURE_FORK_H */
