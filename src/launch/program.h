/*
 * The program to be recorded: where it is, and whether recording can work.
 */
#ifndef LAUNCH_PROGRAM_H
#define LAUNCH_PROGRAM_H

#include "base/common.h"

/*
 * The path to run for name: itself when it holds a slash, else found as the
 * shell would, along PATH.  Takes apart its ELF headers, which may say
 * anything, and refuses what cannot be recorded that way.
 * *path is the caller's to free.
 */
enum program_how {
	PROGRAM_BUILT,	  /* for recording, with foresee-cc */
	PROGRAM_LOCKS,	  /* as it is, with the lock recorder */
	PROGRAM_VALGRIND, /* as it is */
};
enum status program_find(const char *name, enum program_how how, char **path,
			 struct diag *d) ST_CHECKED;

/* The path of the lock recorder, to be preloaded; the caller's to free. */
enum status program_lock_recorder(char **path, struct diag *d) ST_CHECKED;

/* "server.foresee" for "/usr/bin/server", "audit.foresee" for "audit.c"; caller frees. */
char *program_trace_name(const char *name);

/* Whether name is that of C or C++ source. */
bool program_is_source(const char *name);

/* Directory of the running executable, without final slash; caller frees. */
char *program_own_directory(void);

#endif /* LAUNCH_PROGRAM_H */
