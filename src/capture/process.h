/*
 * The life of the recorded process: its start, processes that it makes, programs that it becomes,
 * and its end.  Some of it differs between the runtime that records all accesses (start_full.c) and
 * the lock recorder (locks_start.c, locks_exec.c).
 */
#ifndef CAPTURE_PROCESS_H
#define CAPTURE_PROCESS_H

#include "capture/common.h"

struct log_options;

/* ---- start (start.c) ---- */

/* The trace to write, and how; NULL: record nothing.  Asked once, before anything else. */
const char *start_asked(struct log_options *opt);
/* Takes the options out of their lines; cut: as FORESEE_CUT has it, or NULL. */
void start_options(struct log_options *opt, const char *lines, const char *cut);
/* A line of n bytes that only one of the runtimes knows.  True: not all accesses are recorded. */
bool start_option(const char *line, size_t n);
/* The trace is there, nothing is recorded yet.  False: it cannot begin, and the trace says why. */
bool start_prepare(void);
/* Nothing is recorded: hooks are to cost as little as they can. */
void start_not(void);
/* From now on a signal that kills the process is noted in the trace before it does. */
void signal_start(void);
/* Has the program ever asked for a handler of it? */
bool signal_has_handler(int n);
/* Is there a timer, or a request, that may send one, or have a thread made? */
bool signal_is_timed(void);
/* A request is about to be made, and its end to be told so; NULL: not at all. */
struct sigevent;
void signal_tells(const struct sigevent *event);

/*
 * Locking patterns, told while the program runs (`foresee run -v'): a line on stderr the first
 * time a thread takes a lock, or has to wait for it, while it holds others.
 *
 *	foresee: T2 "worker" locks b (audit.c:31) holding a (audit.c:29)
 *
 * A pattern is where the lock is taken, where the held ones were, and the routine that the thread
 * began with; neither the thread nor, where one line takes several locks, the lock makes a new
 * pattern.
 */
void announce_start(void);

/* ---- fork: a child is not recorded, and the trace says so.  With daemon and --follow-fork the
 * recording goes on in the child, and the parent is not recorded any more. ---- */

/* Before the program runs. */
void fork_start(bool follow);
/* A child that runs the program, while this process goes on without recording anything; 0: in it. */
pid_t fork_serve(void);
/* The run is over: what is left to tell of children. */
void fork_finish(void);
/* Is this the recorded process?  A child of vfork, which shares its memory, is not. */
bool fork_is_recorded(void);

/* ---- exec ---- */

/* The name of the trace for the program that this one is about to become by exec.  A file of
 * that name is removed. */
const char *start_next(void);
/* env, and the variables that the recorder needs to be there again in the next program; env
 * itself if it needs none, or there is no memory. */
char *const *exec_environment(char *const env[]);
/* What the environment had for the lock recorder, for a program that this one may become: its name
 * (n bytes), the trace, options.  Copied. */
void locks_exec_keep(const char *preload, size_t n, const char *trace, const char *options);

/* ---- end: threads that still run may go on for a moment (linger.c) ---- */

/* For at most so long; 0: not at all.  Before the program runs. */
void linger_set(uint64_t ms);
/* Nobody wants more of this run than which variables there are: it ends where main would begin. */
void linger_describe(void);
/* At the end of the program, before anything that belongs to it. */
void linger(void);
/* Handlers that any thread may have set are about to run. */
void start_handlers(void);

#endif /* CAPTURE_PROCESS_H */
