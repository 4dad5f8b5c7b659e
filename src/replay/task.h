/*
 * The threads of a program as the kernel sees them, from /proc.
 */
#ifndef REPLAY_TASK_H
#define REPLAY_TASK_H

#include "base/common.h"
#include <sys/types.h>

struct task {
	char state;   /* R, S, D, T, Z ...; 0: there is no such thread */
	long call;    /* the system call that it is in; -1: in none, or not known */
	bool limited; /* which comes back by itself when a time is over */
};

void task_look(pid_t pid, uint32_t thread, struct task *out);

/* It waits in the kernel. */
bool task_is_asleep(const struct task *t);
/* It waits for a time to be over: it will go on by itself. */
bool task_is_timed(const struct task *t);
/* "futex"; NULL: it has no name here. */
const char *task_call_name(long call);

#endif /* REPLAY_TASK_H */
