/*
 * A process between us and a program that must leave nothing behind.
 *
 * All that the program starts, daemons too, are its descendants (PR_SET_CHILD_SUBREAPER).  When the
 * program has ended and we have heard of it, or when we are gone, however that came, it kills what is
 * left of them.  It is of our process group, as the program is, so the terminal is as without it.
 */
#ifndef LAUNCH_KEEPER_H
#define LAUNCH_KEEPER_H

#include "base/common.h"
#include <signal.h>
#include <sys/types.h>

struct keeper {
	pid_t pid;
	int line; /* to it; it kills when that ends */
};

/*
 * As fork: run(arg), which does not return, in the program's process.  The keeper itself has no use for
 * `unused', a descriptor.  The program's process id, or -1 and errno.
 */
pid_t keeper_start(struct keeper *k, void (*run)(const void *arg), const void *arg, int unused);

/* The program has ended, or does within so many microseconds. */
bool keeper_has_ended(const struct keeper *k, uint64_t within);

/* Waits for the end of the program, *how as by waitid, and of all that it has left. */
void keeper_end(struct keeper *k, siginfo_t *how);

#endif /* LAUNCH_KEEPER_H */
