/*
 * How the evidence is kept; the checker reads it directly.
 *
 * Positions, cells and objects are 32-bit numbers from 1; 0 is "none", and for a write the
 * initial value.
 *
 * Cells.  Identity of memory is (lifetime, address).  A cell is one 8-byte word during one
 * lifetime, made when it is first touched.  ALLOC, a frame's variable and a new stack take the
 * words' cells away, so that the next touch makes new ones.  Where a lifetime begins in the
 * middle of a word, bytes of one word belong to different cells:
 *
 *	word     0  1  2  3  4  5  6  7
 *	before   c  c  c  c  c  c  c  c
 *	after    c  c  c  c  d  d  d  d      bytes 4 .. 7 were allocated anew
 */
#ifndef WITNESS_EVIDENCE_PRIV_H
#define WITNESS_EVIDENCE_PRIV_H

#include "base/keyset.h"
#include "trace/digest.h"
#include "trace/trace.h"
#include "witness/evidence.h"

#define EVIDENCE_MIXED 0x80000000u /* instead of a number: index in a table, bytes differ */
#define EVIDENCE_LIMIT 0x7ffffff0u /* numbers stay below */

struct evidence_item {
	uint64_t addr, len;
	uint32_t tid, index;
	uint32_t site, stack;
	uint32_t flags;
	uint8_t op;
	bool unseen;	/* OPAQUE, or comes from within unseen code: that may read anything now */
	bool lost_feed; /* a read that feeds it is not in the trace */
	bool surprise;	/* a read of other bytes than were known to be there */
	bool strange;	/* a read of bytes whose unseen writer need not come before it */
	bool guessed;	/* a read of bytes that no recorded write has left, while others lived */
	bool tested;	/* a read: something compares what it saw, itself or a USE */
	bool known;	/* JOIN: the child's end was seen; WAKE: the signal is known;
			 * LOCK_DESTROY: nobody held it */
	union {
		uint32_t words; /* accesses: into words */
		uint32_t freed; /* uses of an object: the FREE that its memory had seen; 0 none */
		uint32_t name;	/* BEGIN, ENTER: in names; 0 none */
	};
	union {
		uint32_t nwords;
		uint32_t life; /* uses and destroys: what made or ended what lay there last */
	};
	union {
		struct {
			uint32_t feeds, nfeeds; /* WRITE, RMW, USE: into feeds */
		};
		struct {
			uint32_t signal, park; /* WAKE */
		};
		uint32_t group;	  /* BAR_IN, BAR_OUT */
		uint32_t ordinal; /* ONCE_BEGIN: how many begins came before */
	};
	uint32_t object; /* synchronisation: object; FORK, JOIN, JOINING: tid of the other */
	uint32_t kind;	 /* ALLOC, FREE: FORMAT_ALLOC_*; lock family: FORMAT_LOCK_* */
};

/* The event compares what another, or itself, has read. */
struct evidence_test {
	uint32_t at, read;
	struct predicate is;
};

/* A word of an access.  seen: the write observed for its bytes; MIXED: both are in mixed. */
struct evidence_word {
	uint32_t cell, seen;
};

struct evidence_mixed {
	uint32_t cell[8]; /* 0: the byte is not touched */
	uint32_t seen[8];
};

/* Bytes of a cell as the trace shows them (evidence_values.c). */
struct evidence_shown {
	uint8_t byte[8];
	uint8_t known, steady, foreign; /* masks */
	uint8_t guessed;		/* mask: known by a read alone */
	uint8_t framed;	  /* mask: of a variable on a stack that says that others can reach it */
	bool shared;	  /* more than one thread has written it */
	bool readers;	  /* more than one has read it since it was last written as a whole */
	uint32_t writer;  /* the thread; 0 none */
	uint32_t reader;  /* the last one; 0 none since then */
	uint32_t since;	  /* what unseen code did up to there is not in the bytes */
	uint32_t by;	  /* foreign: the one thread whose unseen code it was; 0: not one alone */
	uint32_t settled; /* foreign: after what is calm up to there it is as sure as any */
};

#define EVIDENCE_RELAXED \
	0x80000000u /* one more of its flags: an atomic access that orders nothing */

/* Latest writes, or cells, by byte. */
struct evidence_last {
	uint32_t at[8];
};
struct evidence_lasts {
	VEC(struct evidence_last) at;
};

struct evidence_cell {
	uint64_t word;
	union {
		uint32_t
			last; /* while loading: the latest write, or MIXED and its index in lasts */
		uint32_t stay; /* then: 1 + the first of its stays; 0 none */
	};
	uint32_t object; /* newest object at this cell */
};

#define EVIDENCE_TRIES 16 /* sites asked for a path; locks that one function takes have none */

/* How an object is called: in ev->names. */
struct evidence_called {
	uint32_t name;	/* 0: not asked yet */
	uint32_t named; /* as of so many names given */
	uint32_t path;	/* how the program calls it; 0 not known */
	uint32_t tries;
};

/* A synchronisation object from its making to its end. */
struct evidence_object_info {
	enum event_object family;
	uint64_t addr;
	uint32_t cell, older; /* older: of the same cell */
	uint32_t first;	      /* the first object at its address in this cell */
	uint32_t renewed; /* while loading, of the first: its latest making or destroy; 0 none */
	uint32_t init;	  /* the event that made it; 0 none */
	bool closed;	  /* destroyed */
	bool loose;	  /* lock: released by a thread that did not hold it */
	bool counted;	  /* barrier, semaphore: value is what init said */
	uint64_t value;	  /* barrier: threads; semaphore: first value */
	int64_t balance; /* while loading: posts less waits; ONCE: begins; CHANNEL: gives; LOCK: holders */
	struct evidence_called called;
};

/* One generation of a barrier. */
struct evidence_group {
	uint32_t object, ins;
};

struct evidence_read {
	uint64_t tseq, count; /* event numbers it took */
	uint32_t pos;
	bool range;
};

struct evidence_held {
	uint32_t acquire, object, below; /* below: into held */
};

struct evidence_hold {
	uint32_t index, held; /* after event number index of the thread */
};

#define EVIDENCE_NO_FORK UINT32_MAX /* the thread was forked, but the trace does not show it */

enum evidence_life { EVIDENCE_UNBORN, EVIDENCE_ALIVE, EVIDENCE_GONE };

struct evidence_thread {
	VEC(uint32_t) events;
	uint32_t fork; /* 0: runs from the start */
	uint64_t last; /* highest event number */
	VEC(struct evidence_hold) holds;
	uint32_t held, park;
	VEC(struct evidence_read) reads;   /* free ones */
	VEC(struct evidence_read) signals; /* and broadcasts */
	bool unseen, ended;
	bool closed;	/* beyond the last event kept: no run of reads goes on from before */
	bool goes_on;	/* events of it come after the last one kept */
	bool lingers;	/* ... such as a wait is made of (evidence_is_waiting) */
	bool cancelled; /* somewhere in the trace, kept or not */
	uint32_t unseen_site, unseen_depth;
	bool writes;	/* ... and what runs may write */
	uint32_t wrote; /* where unseen code, its own or of threads it joined, may have last */
	uint32_t calm;	/* unseen code of others up to there comes before all it still does */
	uint32_t heir;	/* the thread that has joined it; 0 none */
	uint32_t begun; /* since when a recorded call of it has been writing; 0 none is */
	uint64_t stack, stack_len;
	enum evidence_life life;
};

/* Unseen code of the thread, which may write, was over at pos. */
struct evidence_unseen {
	uint32_t tid, pos;
};

/* The present phase (evidence_unseen.c). */
struct evidence_phase {
	uint32_t from;	/* its first event */
	uint32_t alive; /* threads; of a late trace one more: one alone is never known to be so */
	struct evidence_unseen last[2]; /* unseen code that began last; then of another thread */
};

/* A cell that was first touched after the FREE of its memory: the FREE has written it too. */
struct evidence_trailing {
	uint32_t free, cell;
	uint32_t mask; /* bytes */
};

/* While the trace is read, by thread: its events from number `from' on that may begin a run of reads, by word. */
struct evidence_runs {
	uint32_t from, upto;
	struct map last; /* by word: 1 + an index in entries */
	VEC(struct evidence_entry {
		uint32_t index;	 /* the event's number in the thread */
		uint32_t before; /* of the same word: 1 + an index in entries; 0 none */
	})
	entries;
};

/* Bytes of a cell that the thread reads without a record (evidence_stays.c), once so many of its events
 * have come as `first' says, and until number `end' has: a closing read, UINT32_MAX if it is not
 * in the part of the trace used. */
struct evidence_stay {
	uint32_t cell, tid;
	uint32_t first, end;
	uint32_t mask;
};

/* Memory that unseen code was given a pointer into, while loading. */
struct evidence_given {
	uint64_t addr, len;
	uint32_t pos;  /* the OPAQUE */
	uint32_t born; /* the ALLOC of it; 0 none */
};

/* Bytes of a cell that unseen code may have read and another thread writes (evidence_reach.c). */
struct evidence_reach {
	uint32_t pos, cell; /* sorted by pos: the OPAQUE */
	uint32_t seen; /* the latest write in the trace, or MIXED and its index in reach_lasts */
	uint8_t mask;
	bool unsure; /* somebody wrote it while the code ran */
};

struct evidence_page;

/* Memory that was freed and not given out again, as ranges that do not overlap. */
struct evidence_freed {
	struct keyset lasts; /* last byte of each */
	struct map firsts;   /* last byte, to the first */
};

/* The state of memory while loading. */
struct evidence_memory {
	struct map at; /* page number, to index in pages */
	VEC(struct evidence_page) pages;
	struct evidence_lasts splits; /* cells of words that have several */
	struct evidence_lasts lasts;
	struct map stamps;     /* aligned block, to ALLOC << 32 | FREE that covered it last */
	uint64_t stamp_levels; /* sizes of blocks in use */
	struct {
		uint64_t addr;
		uint32_t alloc, freed;
		bool good;
	} stamp_last; /* the latest answer, while nothing has been covered since */
	struct evidence_freed freed;
	uint64_t hot; /* page number last used, and its index */
	size_t hot_index;
};

/* What is said of an address, as of now: indices in names; 0 nothing. */
struct evidence_told {
	uint32_t name, given, benign;
};

struct evidence_wanted {
	uint64_t pos;
	struct evidence_told told;
	uint32_t alloc;
};

struct evidence_brief;

struct evidence {
	struct trace *trace;
	struct evidence_brief *brief; /* then nothing else is filled, but for names and digest */
	bool binary, cut;	      /* cut: events after the last one kept exist */
	bool whole;		      /* a recording that nothing was left out of */
	bool too_big;
	VEC(struct evidence_item) items; /* [pos]; [0] unused */
	VEC(struct evidence_word) words;
	VEC(struct evidence_mixed) mixed;
	VEC(uint32_t) feeds;
	VEC(struct evidence_test) tests;	  /* by at */
	VEC(struct evidence_cell) cells;	  /* [0] unused */
	VEC(struct evidence_trailing) trailing;	  /* sorted by FREE, then by word */
	VEC(struct evidence_stay) stays;	  /* by cell, tid and first */
	VEC(struct evidence_runs) runs;		  /* none once all is read */
	VEC(struct evidence_shown) shown;	  /* by cell; recordings only */
	VEC(struct evidence_object_info) objects; /* [0] unused */
	VEC(struct evidence_group) groups;	  /* [0] unused */
	VEC(struct evidence_held) held;		  /* [0] unused */
	VEC(struct evidence_thread) threads;
	VEC(struct evidence_unseen) unseen; /* by pos; no two of one thread in a row */
	uint32_t nwriting;		    /* threads in unseen code that may write */
	struct evidence_phase phase;
	struct map guess_at;	 /* free read, to 8 * the index of its bits in guess_bits */
	VEC(uint8_t) guess_bits; /* a bit for each byte of the read: it is a guess */
	VEC(struct evidence_given) given;
	VEC(struct evidence_reach) reach;
	struct evidence_lasts reach_lasts;
	uint32_t reach_end;  /* no memory was left for calls from there on; 0: all are in reach */
	struct map group_at; /* object << 32 | generation, to group */
	struct evidence_memory memory;
	struct intern *names;
	const char *(*path)(const struct trace *t, uint32_t site, uint32_t stack);
	VEC(struct evidence_wanted) wanted;
	uint32_t named; /* names given by the program so far */
	bool values;
	VEC(uint64_t) value_at; /* [pos]: 1 + index in bytes; 0 none */
	VEC(uint8_t) bytes;
	struct map zeroed; /* with values: cell, to the bytes that begin as zero */
	char digest[DIGEST_HEX];
};

/* A thread that waits for a lock of the program's own does no more than these. */
static inline bool evidence_is_waiting(enum event_op op)
{
	return op == EVENT_READ || op == EVENT_RMW || op == EVENT_OPAQUE || op == EVENT_GIVE ||
	       op == EVENT_TAKE;
}

/* A call that uses the object, which must be alive.  Not the end of a wait, nor a PARK: who waits
 * has come to the condition before its mutex was free (COND_REQ). */
static inline bool evidence_is_use(enum event_op op)
{
	return event_op_life(op) & EVENT_LIFE_USES;
}

static inline bool evidence_is_making(enum event_op op)
{
	return event_op_life(op) & EVENT_LIFE_MAKES;
}

static inline bool evidence_is_destroy(enum event_op op)
{
	return event_op_life(op) & EVENT_LIFE_ENDS;
}

/* A new life begins there, or one ends. */
static inline bool evidence_renews(enum event_op op)
{
	return event_op_life(op) & (EVENT_LIFE_MAKES | EVENT_LIFE_ENDS);
}

static inline const struct evidence_item *evidence_item(const struct evidence *ev, uint64_t pos)
{
	return &ev->items.at[pos];
}

/* Bytes of the word, as a mask, that lie in [addr, addr + len). */
static inline unsigned evidence_mask(uint64_t addr, uint64_t len, uint64_t word)
{
	uint64_t first = word << 3;
	unsigned from = addr > first ? (unsigned)(addr - first) : 0;
	uint64_t end = addr + len - first; /* of the range, counted from the word; wraps never */

	return (end >= 8 ? 0xffu : (1u << end) - 1) & (0xffu << from);
}

static inline uint32_t evidence_last(const struct evidence_lasts *l, uint32_t state, unsigned k)
{
	return state & EVIDENCE_MIXED ? l->at.at[state & ~EVIDENCE_MIXED].at[k] : state;
}

/* The bytes in mask are now pos. */
void evidence_last_set(struct evidence_lasts *l, uint32_t *state, unsigned mask, uint32_t pos);

/* An access, or a call that uses, makes or ends an object: what may be one of two in a race. */
static inline bool evidence_is_touch(const struct evidence_item *it)
{
	return it->op <= EVENT_FREE ||
	       (it->object != 0 && (evidence_is_use(it->op) || evidence_renews(it->op)));
}

/* The cells and seen writes of word i of an access, spread over its bytes; the address of the
 * word. */
uint64_t evidence_spread(const struct evidence *ev, const struct evidence_item *it, uint32_t i,
			 struct evidence_mixed *out);

/* FREE at pos: trailing cells are trailing.at[*from .. *to). */
void evidence_trailing_range(const struct evidence *ev, uint32_t pos, size_t *from, size_t *to);

/* Each cell that an access or a FREE touches, with the bytes as a mask and the write that they were
 * observed to see; trailing cells of a FREE too. */
typedef void evidence_touch_fn(void *arg, uint32_t pos, uint32_t cell, unsigned mask,
			       uint32_t seen);
static inline __attribute__((always_inline)) void
evidence_each_touched(const struct evidence *ev, uint32_t pos, evidence_touch_fn *note, void *arg)
{
	const struct evidence_item *it = evidence_item(ev, pos);
	size_t from, to;

	for (uint32_t i = 0; i < it->nwords; i++) {
		struct evidence_word w = ev->words.at[it->words + i];
		const struct evidence_mixed *m;

		if (!(w.seen & EVIDENCE_MIXED)) {
			note(arg, pos, w.cell,
			     evidence_mask(it->addr, it->len, ev->cells.at[w.cell].word), w.seen);
			continue;
		}
		m = &ev->mixed.at[w.seen & ~EVIDENCE_MIXED];
		for (unsigned k = 0; k < 8; k++)
			if (m->cell[k] != 0)
				note(arg, pos, m->cell[k], 1u << k, m->seen[k]);
	}
	if (it->op == EVENT_FREE)
		for (evidence_trailing_range(ev, pos, &from, &to); from < to; from++)
			note(arg, pos, ev->trailing.at[from].cell, ev->trailing.at[from].mask, 0);
}

/* tests.at[*from .. *to) are those of the event. */
void evidence_tests_range(const struct evidence *ev, uint32_t pos, size_t *from, size_t *to);

/* ---- loading ---- */

void evidence_memory_release(struct evidence_memory *m);
void evidence_access(struct evidence *ev, uint32_t pos);
/* After the words of an access or FREE are there: do the bytes agree with those before? */
void evidence_value(struct evidence *ev, const struct event *e, uint32_t pos);
void evidence_free_event(struct evidence *ev, uint32_t pos);
/* A lifetime begins. */
void evidence_renew(struct evidence *ev, uint32_t pos, uint64_t addr, uint64_t len);
/* The cell of one byte, made when new. */
uint32_t evidence_cell_of(struct evidence *ev, uint64_t addr);
/* The first of the aligned blocks that a range consists of, which is cut off it: its key, and its size
 * among the levels in use.  False: nothing is left. */
bool evidence_block_next(uint64_t *addr, uint64_t *len, uint64_t *levels, uint64_t *key);
/* The block around addr of the smallest size in levels, which is taken out.  False: none is left. */
bool evidence_block_around(uint64_t addr, uint64_t *levels, uint64_t *key);
/* The event has covered the range: as FREE, or as the begin of a lifetime. */
void evidence_stamp(struct evidence_memory *m, uint64_t addr, uint64_t len, uint32_t pos,
		    bool freed);
/* The latest that covered addr; 0 none. */
void evidence_stamp_get(struct evidence_memory *m, uint64_t addr, uint32_t *alloc, uint32_t *freed);
/* The ALLOC that covers addr; 0 none. */
uint32_t evidence_alloc_of(struct evidence *ev, uint64_t addr);

/* Names what lies at addr now.  What is at a local variable, declared at `site' and beginning at
 * `start', goes by that name and not by where it is on a stack; site 0: no variable. */
void evidence_name(struct evidence *ev, uint64_t addr, uint32_t site, uint64_t start,
		   struct evidence_called *out);
/* A lock may be made first and named by the program then. */
void evidence_rename(struct evidence *ev, uint64_t addr, struct evidence_called *c);
/* Adds the path that the site of an event gives an object to its name; once for each object.  Not
 * to what a text or a global variable names. */
void evidence_call(struct evidence *ev, const struct evidence_event *e, struct evidence_called *c);
void evidence_called_get(const struct evidence *ev, const struct evidence_called *c,
			 struct evidence_event *out);
void evidence_told(struct evidence *ev, uint64_t addr, struct evidence_told *out);
/* alloc: the ALLOC around it, of that kind; NULL: not known. */
void evidence_tell(const struct evidence *ev, const struct evidence_told *told,
		   const struct evidence_event *alloc, uint32_t kind, struct evidence_object *out);
/* For qsort_r: what begins with the number of a cell, by the cells' words. */
int evidence_cell_order(const void *x, const void *y, void *evidence);
void evidence_memory_finish(struct evidence *ev);

/* A closing read; any event behind the last one kept. */
void evidence_stay_event(struct evidence *ev, uint32_t pos);
void evidence_stay_beyond(struct evidence *ev, const struct event *e);
void evidence_stays_finish(struct evidence *ev);
void evidence_runs_release(struct evidence *ev);
/* The stays of a cell come thread by thread: those from `at' to *end are of the thread that is returned;
 * 0: there are no more. */
uint32_t evidence_stay_next(const struct evidence *ev, uint32_t cell, size_t at, size_t *end);

struct evidence_thread *evidence_thread(struct evidence *ev, uint32_t tid);
/* Synchronisation, threads and unseen code. */
void evidence_sync_event(struct evidence *ev, const struct event *e, uint32_t pos);
void evidence_unseen_event(struct evidence *ev, const struct event *e, uint32_t pos);
/* The latest position at which unseen code of another thread may have written; 0: not after `from';
 * UINT32_MAX: it may right now. */
uint32_t evidence_unseen_others(const struct evidence *ev, uint32_t tid, uint32_t from);
/* Does all unseen code so far, but for the thread's own, come before whatever it still does? */
bool evidence_unseen_is_calm(const struct evidence *ev, uint32_t tid);
void evidence_sync_release(struct evidence *ev);
/* An OPAQUE: what it was given.  When all is loaded: what it may read. */
void evidence_given_note(struct evidence *ev, uint32_t pos);
void evidence_reach_finish(struct evidence *ev);
/* The OPAQUE's: reach.at[*from .. *to). */
void evidence_reach_range(const struct evidence *ev, uint32_t pos, size_t *from, size_t *to);

/* Every event, kept or not. */
void evidence_phase_event(struct evidence *ev, const struct event *e);
/* Unseen code of the thread that may write begins at pos. */
void evidence_phase_unseen(struct evidence *ev, uint32_t tid, uint32_t pos);
/* Nothing more comes. */
void evidence_phase_end(struct evidence *ev);
/* Is the byte that the free read saw there a guess? */
bool evidence_guess(const struct evidence *ev, uint32_t pos, uint64_t addr);

/* ---- brief evidence ---- */

struct evidence_brief *evidence_brief_new(void);
void evidence_brief_free(struct evidence_brief *b);
void evidence_brief_event(struct evidence *ev, const struct event *e, bool wanted);
/* As the functions of the same names without `brief'. */
struct evidence_event evidence_brief_get(const struct evidence *ev, uint64_t pos);
uint64_t evidence_brief_park(const struct evidence *ev, uint64_t pos);
bool evidence_brief_object(const struct evidence *ev, uint64_t pos, struct evidence_object *out);
size_t evidence_brief_held(const struct evidence *ev, uint64_t pos, uint64_t *acquires, size_t max);

#endif /* WITNESS_EVIDENCE_PRIV_H */
