/*
 * Our standard input, for a program that is run several times: each run reads it from its start.
 *
 * A file is opened again for each run.  What comes through a pipe or a socket is kept, by a process of its
 * own that gives each run what there was before, and then what comes.  Anything else, a terminal say,
 * is the program's as it is.
 */
#ifndef LAUNCH_FEED_H
#define LAUNCH_FEED_H

#include "base/common.h"

/* For the run that comes now, as struct launch takes it: a descriptor, or 0, standard input as it is.
 * Each call is followed by one of feed_end. */
int feed_begin(void);
/* The run is over. */
void feed_end(void);

#endif /* LAUNCH_FEED_H */
