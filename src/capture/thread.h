/*
 * A thread of the program, as the runtime sees it.
 *
 * Everything here belongs to the thread itself unless said otherwise.  The
 * block is mapped, never malloc'ed, and reused after the thread ended.
 *
 * view.live is the one test at the head of every hook:
 *	1	record (fast path)
 *	0	not now: not recording, or a hook of this thread is already running
 *		(a signal handler interrupted it); the bare access is done
 *	2	quiet: nothing is recorded and nothing is missing
 *	5, 4	record, not now, in a program that is controlled: never the fast path
 * Monitor mode takes another value, so that all but the fast path is decided out of line.
 */
#ifndef CAPTURE_THREAD_H
#define CAPTURE_THREAD_H

#include "capture/control.h"
#include "capture/tag.h"
#include "capture/file.h"
#ifdef FORESEE_LOCKS
#include "capture/locks_site.h"
#endif

#define THREAD_LIVE 1u
#define THREAD_QUIET 2u
#define THREAD_CONTROLLED 4u /* inside a hook and outside: it has gates (control.h) */
#define THREAD_SIGNALLED \
	(1u << 31) /* inside: the end of the hook has something to do, hook_signal */

/* The filter starts small, to stay in the cache, and grows by this factor while
 * entries of the running epoch push each other out. */
#define FILTER_FIRST (1u << 10)
#define FILTER_LAST (1u << 18)
#define FILTER_GROWTH 4u

/* What this thread has read of a word in this epoch, and what was dropped. */
struct filter_entry {
	uint64_t key; /* the word's address and FILTER_* flags */
	tag_version version;
	uint32_t epoch;
	uint8_t kept;	 /* bytes of the word that logged reads cover, a bit each */
	uint8_t dropped; /* those that were read again, of these; 0: nothing pending */
	uint16_t places; /* of logged reads: format_place_bit */
	union {
		struct {
			/* Low bits of the number before the last dropped read; before there is one, how
			 * many repeats were logged. */
			uint32_t last;
			uint32_t site; /* of that read; without one FILTER_LISTED, or 0 */
		};
		uint64_t read; /* the same, stored as one */
	};
};

_Static_assert(sizeof(struct filter_entry) == 32, "two to a cache line");

/* Nothing is pending, and yet the entry is in the list of those where something is. */
#define FILTER_LISTED UINT32_MAX
/* Beside an entry's number in that list: nothing was dropped there for a whole chunk. */
#define FILTER_IDLE (1u << 31)

struct peer {
	uint64_t tid, tseq;
};

/* What a site did last, from which the next access there is predicted. */
struct habit {
	_Alignas(64) uint64_t shape; /* habit_shape; 0: none in this chunk; with HABIT_AWAY */
	uint64_t addr;
	uint64_t stride;     /* the last difference between addresses that was not 0 */
	tag_version version; /* named last, unless it was its own last event */
	tag_version own;     /* its last event */
	uint64_t value;
	uint32_t head; /* of a short record: the seat */
	bool varies;   /* an update that has added another number: FORMAT_UPDATE_BY from now on */
	uint64_t added;
};

/*
 * A local variable that holds a synchronisation object: another thread may still use it when the
 * variable's scope ends, and that is a race like any other.
 *
 * A scope ends where its function says so, or with its thread: pthread_exit and cancellation leave
 * functions that say nothing.  Where a jump has left one, it ends when the memory is somebody else's.
 */
struct scope {
	void *at;
	size_t n;
	uint32_t site;
};

#define THREAD_SCOPES 16u /* of more nobody is told that they end with their thread */
#define THREAD_UNSEEN 32u
#define THREAD_NAME 64u
#define THREAD_PIECE 4096u /* bytes of a range handled at once */
#define THREAD_LANE 1024u  /* bytes of a lane of a loop */

struct thread {
	struct foresee_view view; /* first: foresee_self points here */

	/* The log. */
	uint8_t *cursor;       /* where the next record goes */
	uint8_t *limit;	       /* at or past this the slow path looks before a record is written */
	uint64_t tseq;	       /* events logged; read by others when they make a cut */
	tag_version names;     /* tag_make(tid, 0) */
	uint64_t ntaken;       /* modulo FORMAT_HELD: where the next of `taken' goes */
	uint64_t last_taken;   /* address of the lock taken last */
	uint32_t logged_depth; /* of the stack, as of the last STACK record */
	uint32_t stayed; /* in a new chunk: frames that have stayed since the last record before */
	uint32_t tid;
	uint32_t epoch; /* bumped at every synchronisation */
	uint32_t npending;
	uint32_t filter_mask;	 /* entries - 1; 0: nothing is filtered */
	uint32_t filter_span;	 /* bytes that have entries of their own, - 1: filter_slot */
	struct control *control; /* NULL: the program is not controlled */
	uint32_t crowded;	 /* entries of the running epoch pushed out since the filter grew */
	struct filter_entry *filter; /* one unused entry when nothing is filtered (mask 0) */
	uint64_t *filter_values;     /* beside it: what the word held, in the bytes that are kept */
	uint32_t *pending;	     /* entries with dropped reads, and some without */
	bool trimming, settling;
	bool review;   /* a chunk has ended: filter_review is due, at the next read */
	uint32_t runs; /* that the filter opened since it was last reviewed: each costs a record */
	uint32_t runs_before;	      /* between the two reviews before that */
	uint32_t spare;		      /* repeated reads that may be logged all the same */
	uint32_t saved;		      /* reads dropped beyond the first of a run: what it gains */
	uint32_t rest;		      /* chunks until a filter that did not pay is tried again */
	struct filter_entry *resting; /* its table meanwhile, and mask */
	uint32_t resting_mask;
	uint64_t shapes[FORMAT_SHAPES]; /* lean_shape; 0: none */
	tag_version taken[FORMAT_HELD]; /* acquires that were not yet given back */
	struct peer peers[FORMAT_PEERS];
	uint64_t predict[FORMAT_PREDICT];
	/* What habit.h predicts the next access from. */
	tag_version last_version; /* named by the last access */
	uint64_t last_addr;	  /* its address */
	uint64_t last_read[2];	  /* values of the last read that is logged, and the one before */
	uint32_t settled;	  /* epoch when runs of dropped reads were last looked at (log.c) */
	uint32_t unsettled;	  /* bytes logged since they were last closed */
	uint32_t nname;		  /* bytes of its name */
	char name[THREAD_NAME];

	/* The chunk being written: in a slot of the file. */
	struct format_chunk *chunk;
	uint32_t size; /* of the slot: FILE_SIZES */
	/* Smaller slots that hold the chunk's beginning still, until it is closed. */
	struct format_chunk *outgrown[FILE_SIZES - 1];
	uint32_t nchunks;
	uint32_t ntrailing;
	int64_t nextra; /* events shown without a number, less numbers beyond the first of a range */

	bool muted;	 /* recording stopped for this thread */
	uint32_t nested; /* hooks of a signal handler that ran inside a hook */
	bool hiding;	 /* such a hook has allocated memory, where is not known */
	bool left;	 /* a signal handler jumped out of a hook */
	struct {
		int number;    /* 0: none */
		uint64_t mask; /* the thread's before, for the kernel */
		siginfo_t info;
	} put_off; /* a signal that came in the middle of a hook */

	/* Channels: the last one given and the last one taken, + 1, and when. */
	uint32_t gave, took;
	uint64_t gave_tseq;
	tag_version took_version;

	/* The last call that was in vain: kind and flags, of what, and its event (sync.c). */
	uint32_t vain;
	uint64_t vain_id, vain_tseq;

	/* Depths of the calls of unseen code that have not returned, innermost last. */
	uint32_t nunseen, unseen[THREAD_UNSEEN];
	bool unseen_root; /* its first function was called by unseen code */

	uint32_t nscopes;
	struct scope scopes[THREAD_SCOPES]; /* that have not ended */

	/* Identity. */
	uint32_t index;	   /* in the log's table of open logs */
	pid_t kernel;	   /* the number that the kernel knows it by */
	uint32_t fork_tid; /* who made it, and with which event; 0 unknown */
	uint64_t fork_tseq;
	uintptr_t stack_low, stack_high;
	bool detached; /* from its beginning on: it cannot be joined */
	bool ended;
	struct thread *next_free;

#ifdef FORESEE_LOCKS
	struct locks_stacks stacks;
#endif

	/* A loop that runs on a buffer (loop.h), and how deep the stack was where it began. */
	bool loops;
	uint32_t loop_depth;
	_Alignas(64) uint8_t lanes[FORESEE_LANES][THREAD_LANE];

	/* What a copy has read: bytes of its last record, the last event there, the chunk. */
	struct {
		uint64_t tseq;
		uint32_t bytes, chunk;
	} copied;

	/* Room for ranges. */
	tag_version versions[THREAD_PIECE / 8 + 2];
	_Alignas(16) uint8_t piece[THREAD_PIECE + 16];

	/* Last, for they are not cleared with the rest (habit_forget). */
	uint16_t seats[FORMAT_HABITS]; /* whose habit has the seat: its shelf + 1; 0: nobody's */
	uint32_t nlearned;
	uint16_t learned[FORMAT_SHELVES]; /* shelves that are not empty */
	struct habit habits[FORMAT_SHELVES];
};

/* What of a thread is cleared before it is used again. */
#define THREAD_CLEARED offsetof(struct thread, seats)

static inline struct thread *thread_self(void)
{
	return (struct thread *)foresee_self;
}

/* What foresee_self points to in a thread not known yet, and in one that
 * records no more. */
extern struct thread thread_scratch, thread_gone;

/* And in the threads of a program that is not recorded (idle.h). */
#define THREAD_IDLE 16u
extern struct thread thread_idles[THREAD_IDLE];
struct thread *thread_idle(uint32_t i);

/* Is it one of those, which stand for no thread? */
static inline bool thread_is_nobody(const struct thread *t)
{
	return t == &thread_scratch || t == &thread_gone ||
	       (t >= thread_idles && t < thread_idles + THREAD_IDLE);
}

/* Is a hook of this thread running?  (Asked by what interrupted it.) */
static inline bool thread_is_inside(const struct thread *t)
{
	return (t->view.live & ~(THREAD_SIGNALLED | THREAD_CONTROLLED)) == 0 &&
	       t != &thread_scratch;
}

/* Has it begun to run, but not to log?  What the C library allocates in that time, it also
 * frees. */
static inline bool thread_is_beginning(const struct thread *t)
{
	return t->view.live == THREAD_QUIET && !thread_is_nobody(t) && t->chunk == NULL &&
	       !t->ended;
}

/* A new thread's number and block, not yet running.  NULL: not recording, or too many. */
struct thread *thread_new(void);

/* It will never run after all: frees its block. */
void thread_drop(struct thread *t);

/* Called in the thread itself: from now on it records.  Logs BEGIN. */
void thread_begin(struct thread *t);

/* Called in the thread itself: logs END, closes its log, forgets it.  In the middle of
 * a hook (cancelled there, exit in a signal handler) the log stays as it is.  Returns the number of
 * its last event. */
uint64_t thread_end(struct thread *t, unsigned how);

/* The calling thread was not made through us (or not yet known): make it known.
 * NULL when nothing is being recorded. */
struct thread *thread_adopt(void);

/* Has there ever been a second one? */
bool thread_was_forked(void);

#endif /* CAPTURE_THREAD_H */
