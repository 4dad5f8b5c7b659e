/*
 * One recording, from the start of the program to the line about how it ended.
 */
#ifndef LAUNCH_SESSION_H
#define LAUNCH_SESSION_H

#include "launch/launch.h"
#include "launch/program.h"

/*
 * What goes on beside a recording, if anything: begin is called right before the program starts,
 * end when it has ended; both with the absolute path of the trace, which may not be there.
 */
struct session_watch {
	void (*begin)(void *arg, const char *trace);
	void (*end)(void *arg, const char *trace, const struct launch_end *end);
	void *arg;
};

struct session {
	const char *trace;     /* NULL: the default name */
	struct strbuf options; /* for the runtime, one a line */
	uint64_t keep;	       /* bytes; 0: all */
	uint64_t linger;       /* milliseconds */
	const char *beside;    /* as in struct launch */
	bool locks;	       /* --locks-only: the program need not be built for recording */
	bool valgrind;	       /* --valgrind: nor this one, but accesses are there */
	bool follow;	       /* --follow-fork */
	bool again; /* the program will be run once more: its input is kept (launch/feed.h) */
	bool quiet;
	enum launch_hang hang;
	bool announce; /* locking patterns, as they appear */
};

/*
 * Records argv[0], found and checked as path, to the session's trace or the
 * default name made from `name'.  An old trace of that name is removed first.
 * *trace is its absolute path, the caller's to free.  watch may be NULL.
 */
enum status session_record(const struct session *s, const char *name, const char *path, char **argv,
			   const struct session_watch *watch, char **trace, struct launch_end *end,
			   struct diag *d) ST_CHECKED;

/* What kind of program it needs. */
enum program_how session_how(const struct session *s);

/* As --full does. */
void session_want_full(struct session *s);

/* The line about it on stderr, unless quiet. */
void session_summary(const struct session *s, const char *trace, const struct launch_end *end);

/* What the recorder has to tell, unless quiet: for those who do not read the trace anyway. */
void session_notes(const struct session *s, const char *trace);

#endif /* LAUNCH_SESSION_H */
