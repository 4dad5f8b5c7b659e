/*
 * Does anything move in the program: does a thread of it run, or has one run since the last look?  As the kernel
 * sees it, from /proc.
 */
#ifndef REPLAY_STILL_H
#define REPLAY_STILL_H

#include "base/common.h"
#include <sys/types.h>

struct still {
	pid_t pid;
	bool all;    /* to be set: the processes that it has started are looked at as well */
	bool traced; /* a debugger holds it, as of the last look */
	bool timed;  /* somebody waits for a time to be over, or a timer runs */
	bool open; /* one waits for what need not come from another: input, say; or it is not known */
	/* Private. */
	uint64_t mark;
	double since;
};
void still_init(struct still *s, pid_t pid);
/* To be called a few times a second.  Seconds for which nothing has moved. */
double still_look(struct still *s);

#endif /* REPLAY_STILL_H */
