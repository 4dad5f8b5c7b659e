/*
 * Run a program under the recorder and wait for it.
 *
 * Its standard streams are ours, untouched.  Signals that ask us to stop are
 * passed on, and we stay to see it end.  A second request kills it, a third ends us.
 */
#ifndef LAUNCH_LAUNCH_H
#define LAUNCH_LAUNCH_H

#include <sys/types.h>

#include "base/common.h"

/* The same request by two ways, in so short a time: timeout(1) signals us and our group. */
#define LAUNCH_ECHO_MS 200

/* What to do when it hangs for good (launch/hang.h). */
enum launch_hang { LAUNCH_HANG_IGNORE, LAUNCH_HANG_TELL, LAUNCH_HANG_STOP };

struct launch {
	const char *path;    /* what to run */
	char **argv;	     /* its command line, NULL at the end */
	const char *trace;   /* absolute path of the trace; NULL: plain run, nothing recorded */
	const char *options; /* for the runtime, one a line */
	const char *
		preload; /* the lock recorder, to be loaded first; NULL: the program has a runtime */
	const char *
		valgrind; /* where our tool, which is run, finds its parts; NULL: another program */
	const char *beside; /* a command that goes along with it (launch/beside.h); or NULL */
	enum launch_hang hang;
	bool quiet; /* say nothing of hangs and the like */
	/* For those who watch it themselves: called again and again, instead of looks for hangs, until
	 * it says false, and the program is killed; as it is a while after a request to stop.  It leaves
	 * nothing behind then, whatever it has started, and ends with us (launch/keeper.h). */
	bool (*look)(void *arg, pid_t pid);
	void *look_arg;
	const char *directory; /* where it runs; NULL: here */
	int in, out, err;      /* its standard streams; 0: ours */
	bool steady;	       /* the same addresses every time, and debuggers may attach */
};

struct launch_end {
	int status; /* exit status, or 128 + the signal */
	int signal; /* that killed it; 0 none */
	bool dumped;
	bool hung;    /* for good, until it was killed, by us or by request */
	bool asked;   /* to stop, by a signal that went through us */
	long process; /* the recording went along with that child; its status is not known.  0 none */
	double seconds;
};

/* ST_IO when it could not be started. */
enum status launch_program(const struct launch *l, struct launch_end *end,
			   struct diag *d) ST_CHECKED;

#endif /* LAUNCH_LAUNCH_H */
