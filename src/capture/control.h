/*
 * Control: the program is held back until it has come to the run that a plan describes.
 *
 * The plan lies in a file that the tool shares with us (trace/plan.h says what an event is known by).
 * Every hook of a controlled thread has a gate, before the access or the real call: there the thread
 * waits until what must come before it is over; at its target it stands until the tool lets it go; at
 * the end of its part it stops until the tool frees everybody.  What is done is recorded as always.
 *
 *	access		call			log
 *	control_access	control_call		control_before	  gate, unless the call had it
 *	the access	the real call		the record
 *	hook_leave	(hooks in between)	control_logged	  count, compare, let others go on
 *
 * While nothing is controlled all this costs one test of t->control in each hook that logs a
 * synchronisation or a range.  Accesses are not slowed down: view.live of a controlled thread is
 * never THREAD_LIVE alone, so its hooks leave their fast path.
 *
 * A gate never ends by itself: the tool watches, and ends the program when nothing moves.
 */
#ifndef CAPTURE_CONTROL_H
#define CAPTURE_CONTROL_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "capture/hint.h"

struct thread;
struct control; /* of one thread */

/* Is this process controlled (set at the start, and never again), and this thread?  The lock recorder
 * has no gates: there the answer is known when it is compiled, and none of this is called. */
#ifdef FORESEE_LOCKS
#define control_on false
#define CONTROLLED(t) false
#define control_bare false
#define CONTROL_BARE(t) false
#else
extern bool control_on;
#define CONTROLLED(t) UNLIKELY((t)->control != NULL)
/* Nobody records what it does: behind the gate there is nothing but the access, or the call. */
extern bool control_bare;
#define CONTROL_BARE(t) (CONTROLLED(t) && control_bare)
#endif

/* Maps the plan; its name ends with the line.  Without one that can be used nothing is controlled, and the trace says so. */
void control_start(const char *line);

/* ---- threads ---- */

/* For the first thread, for one that t is about to make, and for one that unseen code has made.  NULL:
 * nothing is controlled, or there is no memory. */
struct control *control_first(void);
struct control *control_child(struct thread *t);
struct control *control_adopted(void);
/* In the thread itself, before its BEGIN: one that is not part of the order waits here. */
void control_begin(struct thread *t);
/* It is about to end. */
void control_end(struct thread *t);
/* In its maker, when it runs, or could not be made. */
void control_created(const struct control *child, bool made);
/* The process is about to end, in this thread. */
void control_exit(void);
/* It has forked a process, which is not controlled. */
void control_forked(void);

/* ---- accesses: t is in a hook, and has a control ---- */

#define CONTROL_WRITES 1u
#define CONTROL_ATOMIC 2u
#define CONTROL_ORDERS 4u /* atomic, and not relaxed */
#define CONTROL_RELEASES 8u
#define CONTROL_FREE_READ 16u
#define CONTROL_ALSO 64u /* of a range: by the same call as the one before, which it does not end */
#define CONTROL_FAILS 128u	/* EITHER: as things are now it only reads */
#define CONTROL_GIVES_BACK 256u /* memory that is freed */
#define CONTROL_UNSEEN 512u	/* by assembler: what it does, and whether, is not known */
#define CONTROL_EITHER 32u	/* a read or a write: what is logged will tell (control_changed) */

/* value: that is to be stored; how: CONTROL_*.  At the end of the hook it is over. */
void control_access(struct thread *t, const void *p, size_t n, uint32_t site, unsigned how,
		    uint64_t value);
/* The access of CONTROL_EITHER has been logged as one that changes memory. */
void control_changed(struct thread *t);
/* A range, or heap memory that is given back. */
void control_range(struct thread *t, const void *p, size_t n, uint32_t site, unsigned how);
void control_free(struct thread *t, const void *p, size_t n, uint32_t site);
/* At the end of a hook (hook_signal). */
void control_leave(struct thread *t);

/* Likewise: must handlers wait until the call that comes now has been done? */
bool control_calls(const struct thread *t);

/* ---- calls ---- */

/* Before the real call that FORMAT_K_kind will be logged of, or a call in vain. */
void control_call_slow(unsigned kind, unsigned aux, const void *obj);
/* aux: of a lock, FORMAT_LOCK_*; FORMAT_LOCK_TRY also of other calls that do not wait for good; of
 * ONCE_BEGIN, CONTROL_STATIC: obj is the guard of a local static of C++. */
#define CONTROL_STATIC 16u
static inline void control_call(unsigned kind, unsigned aux, const void *obj)
{
	if (UNLIKELY(control_on))
		control_call_slow(kind, aux, obj);
}

/* Give or take of a channel that the plan may know, before the call (take: or after it, if it had no gate
 * then); and when a take is logged. */
void control_pass(struct thread *t, unsigned kind, const void *obj);
void control_passed(struct thread *t);
/* Likewise of any channel, of a kind of FORMAT_CHANNEL_*: for an explorer, which has no steps of it. */
void control_orders(unsigned kind, unsigned channel_kind);
/* An instruction that is not seen, and may order threads, is next; operands: which of these it has in memory, as FORESEE_OPERANDS. */
void control_assembler(struct thread *t, const void *const given[], uint32_t operands,
		       uint32_t site);

/* The real call is done: what was logged before it is over now. */
void control_done_slow(void);
static inline void control_done(void)
{
	if (UNLIKELY(control_on))
		control_done_slow();
}

/* Must the call that the thread is at come back in vain? */
bool control_fails_slow(void);
static inline bool control_fails(void)
{
	return UNLIKELY(control_on) && control_fails_slow();
}

/* The program's own system call on a futex.  True: it has been done, and *result is what the kernel would say. */
bool control_futex_slow(const long a[6], long *result);
static inline bool control_futex(const long a[6], long *result)
{
	return UNLIKELY(control_on) && control_futex_slow(a, result);
}

/* ---- time: control_time.c ---- */

/* The thread is about to sleep, for so many nanoseconds.  True: before the point it does not; it has slept for
 * a moment, so that a loop that waits this way does not only run. */
bool control_time_naps_slow(uint64_t ns);
static inline bool control_time_naps(uint64_t ns)
{
	return UNLIKELY(control_on) && control_time_naps_slow(ns);
}
/* The alarm may have been set, or taken back. */
void control_time_alarm_slow(void);
static inline void control_time_alarm(void)
{
	if (UNLIKELY(control_on))
		control_time_alarm_slow();
}
/* For how long, or (TIMER_ABSTIME) until when, it then has to: no time, or what was asked for. */
const struct timespec *control_time_nap(const struct timespec *want, int flags);
/* It has waited in vain until then, if it has to come back so. */
void control_time_ends_slow(const struct timespec *at);
static inline void control_time_ends(const struct timespec *at)
{
	if (UNLIKELY(control_on))
		control_time_ends_slow(at);
}
/* What comes from outside, before the program sees it: input.c.  What a clock says, of those of FORMAT_INPUT_* (how);
 * random bytes, which the function of that name gives. */
void control_time_given(struct thread *t, unsigned how, const char *name, struct timespec *now);
void control_random_given(struct thread *t, const char *name, void *p, size_t n);
/* A program that is explored, or replayed, lives in a time of its own.  A deadline of its clocks, by the
 * real one: the realtime clock, or the monotonic one. */
const struct timespec *control_time_due_slow(const struct timespec *at);
static inline const struct timespec *control_time_due(const struct timespec *at)
{
	return UNLIKELY(control_on) ? control_time_due_slow(at) : at;
}
/* It is explored: what the clock says there. */
bool control_time_explored(clockid_t clock, struct timespec *now);
/* The thread gives way to others. */
void control_yield_slow(void);
static inline void control_yield(void)
{
	if (UNLIKELY(control_on))
		control_yield_slow();
}
/* The deadline of a call that has passed its gate: past if it has to come back in vain; none if it has
 * not, for gates have taken time as well. */
const struct timespec *control_time_limit_slow(const struct timespec *at);
static inline const struct timespec *control_time_limit(const struct timespec *at)
{
	return UNLIKELY(control_on) ? control_time_limit_slow(at) : at;
}
/* A call of this name gives another result in every run. */
void control_time_note_slow(const char *name);
static inline void control_time_note(const char *name)
{
	if (UNLIKELY(control_on))
		control_time_note_slow(name);
}

/* What the call that the thread is at gives: what the plan says, or r. */
int control_result_slow(int r);
static inline int control_result(int r)
{
	return UNLIKELY(control_on) ? control_result_slow(r) : r;
}

/* ---- signals: control_signal.c ---- */

/* A signal for the process has come to the calling thread: the kernel's number of the one that the plan has it
 * in; 0: this one may keep it. */
int control_signal_owner(int n);
/* It has come outside of hooks.  True: its handler runs.  Else it is held: it has to come again. */
bool control_signal_runs(int n, bool can_wait);
/* Those that are held, as a mask; all: also those whose time has come. */
uint64_t control_signal_held(bool all);

/* The thread is about to send one to the process, or a thread of it; to wait for one of these, or (handled) until a
 * handler has run of one that is not among them, NULL: of those that are blocked; limit: or so long.  True: it has
 * waited, for the handler is about to run, or as long as it is to. */
void control_signal_sends_slow(int n);
static inline void control_signal_sends(int n)
{
	if (UNLIKELY(control_on))
		control_signal_sends_slow(n);
}
bool control_signal_waits_slow(const sigset_t *set, bool handled, const struct timespec *limit);
static inline bool control_signal_waits(const sigset_t *set, bool handled,
					const struct timespec *limit)
{
	return UNLIKELY(control_on) && control_signal_waits_slow(set, handled, limit);
}

/* Unseen code runs here. */
void control_unseen(struct thread *t, uint32_t site);

/* A record of this kind is about to be logged; is logged.  t has a control. */
void control_before(struct thread *t, unsigned kind, unsigned aux, const void *obj, uint32_t site);
/* The same, of another thread, and of what the program says of itself. */
void control_thread(struct thread *t, unsigned kind, unsigned aux, uint64_t tid, uint32_t site);
struct control_words {
	unsigned kind, aux; /* FORMAT_K_... */
	const char *name;   /* or NULL */
	const uint64_t *words;
	unsigned n;
	uint32_t site;
};
void control_words(struct thread *t, const struct control_words *said);
void control_logged(struct thread *t, unsigned kind, unsigned aux, const void *obj, uint32_t site);

/* ---- conditions, which are ours while the program is controlled ---- */

struct cond_wait;
/* Before all that a wait does. */
void control_park_slow(const struct cond_wait *w);
static inline void control_park(const struct cond_wait *w)
{
	if (UNLIKELY(control_on))
		control_park_slow(w);
}

/* REL and PARK are logged, the mutex is held.  Returns like the real wait. */
int control_cond_wait(const struct cond_wait *w);
/* A thread has been asked to end: a wait of its own is over. */
void control_cond_cancel(pthread_t handle);
/* A signal or broadcast is logged. */
void control_cond_wake(const void *cond, bool everybody);

/* ---- one thread at a time (baton.h) ---- */

/* Somebody gets this memory, from the allocator or the kernel; any thread, in a hook or not. */
void control_born_slow(const void *p, size_t n);
static inline void control_born(const void *p, size_t n)
{
	if (UNLIKELY(control_on))
		control_born_slow(p, n);
}
/* A block of the heap is about to be freed, by a call from `caller': before and after that is logged; t has a
 * control. */
void control_freeing(const struct thread *t, const void *p, const void *caller);
void control_freed(const struct thread *t, const void *p, size_t n);
/* A call that takes from a descriptor (events: POLLIN), sends by it (POLLOUT), or does what others can
 * notice there and never waits (0).  vain: it comes back if it is not ready. */
void control_fd_slow(int fd, short events, bool vain);
static inline void control_fd(int fd, short events, bool vain)
{
	if (UNLIKELY(control_on))
		control_fd_slow(fd, events, vain);
}
/* One that waits until some are ready; timed: or for so many nanoseconds.  True: it has waited, so that if it
 * is timed it need not. */
struct pollfd;
bool control_poll_slow(struct pollfd *at, size_t n, bool timed, uint64_t ns);
static inline bool control_poll(struct pollfd *at, size_t n, bool timed, uint64_t ns)
{
	return UNLIKELY(control_on) && control_poll_slow(at, n, timed, ns);
}

#ifdef FORESEE_LOCKS
#define control_is_baton() false
#else
/* Is it an explorer that controls the program? */
bool control_is_baton(void);
#endif
/* A thread that is controlled gives something to a descriptor, which may lead out of the process. */
void control_outside(int fd);
/* The program is about to run: main, or a constructor that does what the explorer has a say in.  Returns once for
 * each run that the explorer wants. */
/* Nothing is recorded any more, and so nothing can be controlled: an explorer is told why, and the run is
 * over. */
void control_trouble(const char *why, size_t n);
/* The program is about to run.  Returns once for each run that the explorer wants. */
void control_serve(void);
/* A value below n, which the explorer chooses; else 0. */
unsigned control_choose_slow(unsigned n);
static inline unsigned control_choose(unsigned n)
{
	return UNLIKELY(control_on) ? control_choose_slow(n) : 0;
}
/* Stands in for the library's function, which would wait. */
int control_barrier(pthread_barrier_t *b);

#endif /* CAPTURE_CONTROL_H */
