/*
 * Does a program hang for good?
 *
 * It does when every thread of it sleeps in the kernel until another thread of it does something:
 * in a futex wait without a time limit, on memory that no other process has, in a program that no
 * signal can set going again.  Then nothing can ever happen in it.  All of that is in /proc; where
 * it cannot be read, no program hangs.
 */
#ifndef LAUNCH_HANG_H
#define LAUNCH_HANG_H

#include "base/common.h"
#include <sys/types.h>

/* A thread on its way from one wait into the next looks asleep too, for a moment. */
#define HANG_SECONDS 2.0

struct hang {
	pid_t pid;	  /* the rest is 0 at first */
	uint32_t threads; /* that wait, as of the last look */
	/* Signals that it catches are these, and not what the kernel says: it runs under Valgrind, which
	 * catches all. */
	const uint64_t *caught;
	/* Private. */
	uint64_t mark; /* of what the threads were found doing; 0: not all wait */
	double since;  /* when it was so for the first time */
};

/* To be called a few times a second.  True: for HANG_SECONDS now, nothing has moved. */
bool hang_look(struct hang *h);

/* A file of /proc as a string, cut to HANG_FILE bytes: of a task of the process, or its own (NULL).
 * False: it cannot be read. */
#define HANG_FILE 4096
bool hang_proc_read(pid_t pid, const char *task, const char *name, char into[HANG_FILE]);

/* Of its `stat', what comes behind the name, which may hold anything; NULL: that is none. */
const char *hang_behind_name(const char *stat);
/* The process's parent; 0: not known. */
pid_t hang_parent(pid_t pid);

#endif /* LAUNCH_HANG_H */
