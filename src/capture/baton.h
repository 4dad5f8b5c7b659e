/*
 * The baton: one thread of the program runs at a time, and who is next is chosen at every visible
 * operation (trace/baton.h says how the explorer has its say).
 *
 * It stands behind the same hooks as the gates of a replay (control.h), which pass on to it while an
 * explorer controls the program.  A thread announces what it is about to do; the one that has the baton
 * looks who could do what is announced without waiting, and hands over.  What is recorded goes nowhere,
 * unless a trace is wanted of the run.
 *
 *	baton.c		announcing, choosing, handing over; threads
 *	baton_call.c	what the hooks announce, when it can be done, and what would wait in the library
 *	baton_futex.c	futexes
 *	baton_fd.c	pipes, sockets, eventfds
 *	baton_clock.c	time
 *	baton_signal.c	signals
 *	baton_word.c	words that threads share
 *	baton_freed.c	heap memory that is free
 *	baton_halt.c	stands still for a debugger
 *	baton_outside.c	what a run leaves behind for the next
 *	baton_watch.c	what a property is about
 *	baton_serve.c	runs the program anew in a child, each time the explorer asks
 */
#ifndef CAPTURE_BATON_H
#define CAPTURE_BATON_H

#include "capture/control_priv.h"
#include "trace/baton.h"

struct cond_wait;
struct pollfd;

/*
 * A loop that waits for other threads reads the same words again and again, and changes nothing.  Such a
 * thread is not chosen before what it reads has changed, unless nobody else is left: what it would do
 * in between is of no interest, and there is no end of it.  So does one that tries again and again what
 * comes back in vain: to take a lock, to wait for a while.
 */
#define BATON_LOOKS 8u	 /* words that such a loop may read */
#define BATON_PATIENT 3u /* times; of a word that is not shared: */
#define BATON_PATIENT_ALONE 1000u
#define BATON_QUIET \
	(1u << 20) /* accesses without a step: others come first, for it may wait for them */

struct baton_look {
	uint64_t at, value;
	uint32_t size, site;
	uint32_t times;
};

/* A thread, for as long as the run lasts. */
struct baton_seat {
	uint32_t turn; /* futex: it has the baton */
	uint32_t
		started; /* futex: it has announced something, or ended; its maker waits for that */
	bool ended, joined;
	bool leaves;	     /* it ends the process */
	bool calls;	     /* the call that it may do now is done when its hook has ended */
	bool woken;	     /* in a wait: somebody has signalled */
	bool yielded;	     /* it had nothing to do: others come first */
	bool cancelled;	     /* a thread has asked it to end */
	const void *cond;    /* in a wait that nobody has signalled yet */
	uint64_t ticket;     /* of that wait */
	uint16_t branch;     /* of the choice that it made last */
	uint32_t generation; /* of the barrier that it is in */
	const struct thread *thread;
	pid_t kernel;
	pthread_t handle;
	struct baton_look looks[BATON_LOOKS]; /* since it did something else than read */
	uint32_t nlooks;
	bool locks; /* it has taken locks for it, and then waits where it takes them, */
	bool stale; /* as it has read the same */
	/* Calls that came back in vain, since it did something that others notice. */
	uint32_t vains;
	uint32_t quiet;	    /* accesses since it announced something */
	struct pollfd *fds; /* in a call that waits for descriptors */
	uint32_t nfds;
	uint64_t signals;  /* in a wait that one of these ends, a mask; 0: in none */
	bool handled;	   /* by its handler */
	bool came;	   /* one of them was there, */
	uint32_t looked;   /* when somebody last looked (baton_signal.c) */
	uint64_t priority; /* PCT, POS */
	uintptr_t stack_low, stack_high;
};

extern struct baton_file *baton_file;
extern int baton_file_fd;
extern struct baton_head *baton_head; /* our part of it; NULL: no explorer */
extern struct baton_seat baton_seats[BATON_THREADS];

static inline bool baton_is_on(void)
{
	return baton_head != NULL;
}

static inline struct baton_op *baton_pending(uint32_t thread)
{
	return &baton_head->pending[thread];
}

/* fd: of the file, which is closed when a run begins. */
void baton_start(struct baton_file *f, int fd);
/* A run begins: the first thread is there, and no other. */
void baton_run(void);
/* Asked by the explorer, this runs the program: it returns in a child for every run. */
void baton_serve(void);
/* The process stays on the processor where it is now. */
void baton_pin(void);
/* As fork; the child does not outlive us. */
pid_t baton_serve_bear(void);
/* The run that was asked for has ended so. */
void baton_serve_answer(int status);

/* ---- threads ---- */

/* The number of a thread that is about to be made. */
uint32_t baton_new(void);
/* In the thread itself. */
void baton_begin(struct thread *t);
void baton_end(struct thread *t);
/* Somebody joins it; nothing, if it has not ended, or was joined before. */
void baton_joined(uint64_t thread);
/* In its maker: goes on when the child has come to its first operation, if it could be made. */
void baton_created(uint32_t child, bool made);

/* There is one thread, and all others were joined: what it does is no step. */
bool baton_is_alone(void);

/* ---- operations: c belongs to the calling thread, which is in a hook or could be ---- */

/* Announces it, and comes back when it is to be done. */
void baton_announce(const struct control *c, const struct baton_op *op);
/* The run is over, in this way: does not return. */
_Noreturn void baton_leave(enum baton_outcome outcome);
/* The calling thread is about to do what no program may do. */
_Noreturn void baton_accuse(const struct baton_fault *f);
/* Stands still, if it is to at this place; 0: at none. */
void baton_halt(uint32_t where);
/* The same, as hooks do nothing any more; not in a process that it has forked. */
void baton_trouble(const char *why, size_t n);

void baton_access(struct control *c, const void *p, size_t n, uint32_t site, unsigned how);
void baton_call(struct control *c, unsigned kind, unsigned aux, const void *obj, uint32_t site);
void baton_before(struct control *c, unsigned kind, unsigned aux, const void *obj, uint32_t site);
/* Must the call that was announced last come back in vain, as the lock is not free? */
bool baton_fails(const struct control *c);
/* It is about to wait. */
void baton_wait(struct control *c, const struct cond_wait *w, uint32_t site);
int baton_cond_wait(struct control *c, const struct cond_wait *w);
void baton_cond_wake(const void *cond, bool everybody);
/* Of those who wait for it and were not woken, who has waited longest; BATON_THREADS: nobody. */
uint32_t baton_first_waiting(const void *cond);
/* The thread does something that others notice: it does not only look. */
void baton_did(uint32_t thread);
int baton_barrier(struct control *c, const void *barrier, uint32_t site);
/* A thread is about to end: a step, if somebody may be too early for it. */
void baton_ending(struct control *c);
/* It sleeps, or gives way: others come first, if they can. */
void baton_yield(struct control *c, uint32_t site);
/* It writes to this channel. */
void baton_output(struct control *c, const void *channel, uint32_t site);
/* At the end of a hook: is the call that was announced in it about to be done?  Then no handler may come before that. */
bool baton_calls(uint32_t thread);
/* It hands on what it knows, or takes what others have, by what is no step: BATON_GAVE, BATON_TOOK. */
void baton_passes(unsigned passed);
/* Something goes to a descriptor: if what lies behind it is there for other runs, that is noted. */
void baton_outside(int fd);
/* Code that is not seen is about to run. */
void baton_unseen(const struct control *c, uint32_t site);
/* A value below n. */
unsigned baton_choose(struct control *c, unsigned n, uint32_t site);
/* The process is about to end, and others may be alive. */
void baton_exit(void);

/* A thread has been asked to end: its waits are over. */
void baton_cancel(pthread_t handle);

/* Announces what may come back in vain. */
void baton_try(struct control *c, const struct baton_op *op);
/* Has the routine of a BATON_ONCE run? */
bool baton_once_is_done(const struct baton_op *op);
/* Would it come back without what it was called for? */
bool baton_is_vain(uint32_t thread);

/* It does nothing but to read or try the same again and again. */
bool baton_is_idle(uint32_t thread);
/* So does what it has announced, and nothing has changed. */
bool baton_awaits(uint32_t thread);

/* Can it be done without waiting? */
bool baton_is_enabled(uint32_t thread);

/* ---- time ---- */

/* So many nanoseconds pass, or as many as there are until then, a time of any clock that is valid. */
void baton_clock_pass(uint64_t ns);
void baton_clock_until(const struct timespec *at);
struct timespec baton_clock_read(clockid_t clock);

/* ---- memory that is free ---- */

void baton_freed_begin(void);
/* Somebody gets this memory; any thread may call it. */
void baton_freed_born(uintptr_t p, size_t n);
/* A block of the heap is about to be freed. */
void baton_freed_add(const struct control *c, uintptr_t p, size_t n, uint32_t site);
/* It is about to be touched, or freed; n 0: what lies there is about to be locked, say.  Comes back if that may be. */
void baton_freed_look(const struct control *c, uintptr_t p, size_t n, uint32_t site,
		      enum baton_fault_kind kind);
/* It has been added: the steps behind that, for the objects in it. */
void baton_freed_steps(const struct control *c, uintptr_t p, size_t n, uint32_t site);
/* A step is about to be done that uses a lock, a condition or a semaphore, if it is one of these. */
void baton_freed_use(const struct control *c, const struct baton_op *op);

/* ---- descriptors ---- */

/* What is open belongs to whoever has started the program. */
void baton_fd_start(void);
/* Can what it has announced be done without waiting? */
bool baton_fd_is_ready(uint32_t thread);
/* Nobody can go on.  True: somebody outside may help, and has been waited for. */
bool baton_fd_wait(void);
/* There are processes that the program has made. */
bool baton_has_processes(void);

/* ---- signals ---- */

/* Sends this one, to the process or a thread of it. */
void baton_signal_send(struct control *c, int n, uint32_t site);
/* Waits for one of these; handled: until its handler is about to run.  False: it has to come back in vain. */
bool baton_signal_wait(struct control *c, uint64_t signals, bool handled, bool timed,
		       uint32_t site);
/* Is one there of those that the thread waits for? */
bool baton_signal_came(uint32_t thread);
/* Such a mask, as a file of /proc has it behind a word. */
struct text;
uint64_t baton_signal_mask(struct text *path, const char *word);
/* They may be others than before. */
void baton_signal_moved(void);
/* What all that sends or waits for signals depends on; and that there is such a wait, which makes sending a step. */
const void *baton_signal_object(void);
void baton_signal_share(uint32_t thread);
bool baton_signal_is_shared(uint32_t thread);
/* Nobody can go on.  True: somebody can, for a signal has come meanwhile. */
bool baton_signal_look(void);
/* Nobody can go on.  May a signal help? */
bool baton_signal_helps(void);

/* ---- what a property is about ---- */

/* A run begins. */
void baton_watch_run(void);
/* Does the access touch such memory?  If so it begins, once it may be done, and ends; changed: an update
 * has changed something. */
bool baton_watch_touches(uint32_t thread, const struct baton_op *op);
void baton_watch_begin(struct thread *t, uint32_t thread);
void baton_watch_end(uint32_t thread, bool changed);
/* It has the lock, or is about to give it back. */
void baton_watch_lock(const struct control *c, const void *obj, bool takes, uint32_t site);
/* It is about to make a thread; it has made or joined one, FORMAT_K_kind. */
void baton_watch_fork(const struct control *c, uint32_t site);
void baton_watch_thread(const struct control *c, unsigned kind, uint64_t tid, uint32_t site);

void baton_watch_words(const struct control *c, const struct control_words *said);

/* ---- words ---- */

/* A thread is about to touch these bytes.  True: they are shared. */
bool baton_word_touch(uint32_t thread, uintptr_t p, size_t n, bool writes);
bool baton_word_is_shared(uint32_t thread, uintptr_t p);
/* Can it be read?  It may be an operand that is not touched. */
bool baton_word_is_there(uintptr_t p, size_t n);
/* A thread waits for a change of it, so others must be going to write it. */
void baton_word_share(uint32_t thread, uintptr_t p, size_t n);

#endif /* CAPTURE_BATON_H */
