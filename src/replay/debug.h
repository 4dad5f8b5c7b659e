/*
 * A debugger at the point: gdb is attached to the program, whose threads stand there, with commands
 * that let them go on one by one.
 *
 * The commands write words of the plan's file, where the program has it mapped; a thread that waits for
 * such a word sees it when gdb lets it run.
 */
#ifndef REPLAY_DEBUG_H
#define REPLAY_DEBUG_H

#include "base/common.h"
#include <sys/types.h>

struct plan_head;
struct replay;
struct replay_result;
struct supervise_result;

/* Is there a gdb?  FORESEE_GDB, or gdb along PATH.  ST_IO: no; the diag says what to do. */
enum status debug_find(struct diag *d) ST_CHECKED;

/* The number that gdb will give to a thread of a process that it attaches to; 0: there is none. */
unsigned debug_thread(pid_t pid, uint32_t kernel);
/* Commands of a script: that thread has the focus. */
void debug_select(struct strbuf *out, unsigned number);
/* Where the program has the plan; 0: nowhere. */
uint64_t debug_plan(pid_t pid, const char *control);
/* Text in an echo of a script. */
void debug_quote(struct strbuf *out, const char *text);
/* gdb, attached, with a script that is written to a file; until the user leaves it.  True: they want to
 * come here once more, by `quit DEBUG_BACK'. */
#define DEBUG_BACK 42
bool debug_attach(pid_t pid, const char *file, const struct strbuf *script);

struct debug {
	const struct replay *o;
	const struct replay_result *r;
	const char *control; /* the plan's file */
	const char *script;  /* a file to be written */
	bool again;	     /* out: the user wants to come here once more */
};

/* For struct supervise: until the user leaves gdb. */
void debug_visit(void *arg, pid_t pid, const struct supervise_result *x);
/* Before the first step of the schedule, and from step to step (debug_steps.c). */
bool debug_pace(void *arg, pid_t pid, const struct plan_head *seen);

#endif /* REPLAY_DEBUG_H */
