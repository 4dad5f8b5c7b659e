/*
 * Knowledge: what each thread of a run knows of the others, and formulas over that.
 *
 * A thread carries a vector: for each thread, itself among them, the values of all remote terms of the
 * formulas as that thread stood when the last news of it came, and for each shared variable the last
 * write that is known.  Whatever orders threads (a lock, a variable, a fork) is a cell that carries
 * copies of vectors from one to the other.  So verdicts are made in the thread that moves, and depend on
 * nothing but what comes before what.
 *
 *	an event of thread t		know_take	what the cell has, for each cell concerned
 *					know_write, know_internal, know_block, know_meet
 *					know_step	terms and formulas in the new state
 *					know_leave	what t knows now goes into the cell
 *
 * The same code judges recordings, in the tool, and runs in the program itself (capture/guard.h).  So it
 * calls nothing of libc but memcpy and the like, allocates by the functions that it is given, and survives
 * their failure: the thread is `broken' then, and its verdicts are not to be asked for.
 *
 * Threads: a struct know_thread belongs to its thread.  A cell is guarded by whoever has it.  Vectors in
 *          cells never change, and are counted.
 */
#ifndef KNOW_KNOW_H
#define KNOW_KNOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "know/program.h"

/* Entry 0 is the ghost: a thread that nobody has heard of yet, always in its initial state. */
struct know_vector {
	uint32_t refs;	/* atomic */
	uint32_t n;	/* threads 1 .. n have entries */
	uint32_t owner; /* it is publication `seq' of this thread; 0: of several */
	uint32_t bytes; /* of memory */
	uint64_t seq;
	uint64_t words[]; /* by variable: number of its write, value; by thread from 0: an entry */
};

struct know_cell {
	struct know_vector *open;   /* what readers take */
	struct know_vector *closed; /* what writers take: also what readers have left */
};

/* How a cell is used.  A variable: READS, WRITES.  A lock: taken as WRITES (to read: as READS), given back as WRITES
 * (to read: as READS).  A channel: what is given ADDS, and is taken as READS. */
enum know_how { KNOW_READS, KNOW_WRITES, KNOW_ADDS };

struct know_world {
	const struct know_program *program;
	/* Memory, zeroed; NULL: there is none. */
	void *(*alloc)(size_t n);
	void (*free)(void *p, size_t n);
	uint32_t most;	   /* threads have numbers up to this */
	uint64_t *classes; /* by thread, from 0: classes that it is of, a bit each; atomic */
	uint32_t *single;  /* by class: the thread that `@class' means, 0: none yet; atomic */
	uint64_t *initial; /* by variable */
	struct know_vector
		*first;	  /* entries of the threads that nobody has made, and of the ghost */
	uint32_t renames; /* atomic: how often know_name was called */
	uint32_t nroots;  /* threads 1 .. nroots; those with a known entry in `first' are roots */
};

/* Threads 1 .. nroots may be roots: those of which is_root says so are known to everybody from the start; their
 * classes are set.  classes, single, initial are the caller's.  False: no memory. */
bool know_begin(struct know_world *w, bool (*is_root)(void *arg, uint32_t tid), void *arg);
void know_end(struct know_world *w);

struct know_thread {
	struct know_world *world;
	uint32_t tid;
	bool broken; /* there was no memory: nothing is known of it */
	bool dirty;  /* what it knows has changed since it was published */
	bool moved;  /* something that formulas look at has changed since they were evaluated */
	bool quiet;  /* the last evaluation had no event and changed no bit */
	uint32_t renames; /* of the world, at the last evaluation */
	uint32_t depth;	  /* of atomic blocks */
	int64_t block;	  /* number of the outermost; 0: none */
	int64_t nblocks;
	uint64_t verdicts; /* properties that are false in its state, whoever they are about */
	uint64_t events;   /* of the present step */
	bool row_moved;	   /* its own entry has changed since it was published */
	uint64_t number;   /* of its last publication */
	uint64_t *seen;	   /* by thread: the last publication that it has learned from */
	struct know_vector *own;       /* never shared */
	struct know_vector *published; /* a copy of it, or NULL */
	uint8_t *bits, *before;	       /* temporal operators, by the state now and the one before */
	uint32_t nbits;		       /* bytes of each */
	int64_t locals[KNOW_LOCALS];
};

/* from: what its maker knew (know_publish); NULL: nobody made it.  False: no memory. */
bool know_thread_begin(struct know_thread *t, struct know_world *w, uint32_t tid,
		       const struct know_vector *from);
void know_thread_end(struct know_thread *t);

void know_take(struct know_thread *t, const struct know_cell *c, enum know_how how);
/* Of one vector, that may be NULL. */
void know_learn(struct know_thread *t, const struct know_vector *v);
void know_leave(struct know_thread *t, struct know_cell *c, enum know_how how);

/* The bytes of the variable under mask (0 or 255 each) become these. */
void know_write(struct know_thread *t, uint32_t variable, uint64_t raw, uint64_t mask);
void know_internal(struct know_thread *t, uint32_t local, int64_t value);
void know_block(struct know_thread *t, bool begin);
/* t has made thread tid. */
void know_meet(struct know_thread *t, uint32_t tid);
/* From now on a thread is of these classes; any thread may say so. */
void know_name(struct know_world *w, uint32_t tid, uint64_t classes);

/* One event, which is these events of the spec: properties that are false then, and about t. */
uint64_t know_step(struct know_thread *t, uint64_t events);

/* Has t learned from that publication, or a later one of that thread? */
static inline bool know_is_old(const struct know_thread *t, const struct know_vector *v)
{
	if (v->owner == t->tid && v->owner != 0)
		return true;
	return v->owner != 0 && v->owner <= t->own->n && t->seen[v->owner] >= v->seq;
}

/*
 * Would an event that is none of the spec do nothing?  It has to know what the cell has, to have left what it knows,
 * and the step to find nothing changed.  Of a cell that others change meanwhile the answer is worth nothing.
 */
static inline bool know_has(const struct know_thread *t, const struct know_cell *c,
			    enum know_how how)
{
	const struct know_vector *v = how == KNOW_WRITES ? c->closed : c->open;

	return v == NULL || v == t->published || know_is_old(t, v);
}

static inline bool know_has_left(const struct know_thread *t, const struct know_cell *c,
				 enum know_how how)
{
	return !t->dirty && t->published != NULL && c->closed == t->published &&
	       (how == KNOW_READS || c->open == t->published);
}

static inline bool know_is_still(const struct know_thread *t)
{
	return !t->moved && t->quiet &&
	       t->renames == __atomic_load_n(&t->world->renames, __ATOMIC_ACQUIRE);
}

/* What t knows, counted for the caller; NULL: no memory. */
struct know_vector *know_publish(struct know_thread *t);
void know_drop(struct know_world *w, struct know_vector *v); /* NULL is fine */
void know_cell_clear(struct know_world *w, struct know_cell *c);

/* As t knows it: the value of a variable, as it lies in memory. */
uint64_t know_value(const struct know_thread *t, uint32_t variable);
/* Does t know of thread tid?  How many news of it there were is *seq. */
bool know_knows(const struct know_thread *t, uint32_t tid, uint64_t *seq);
/* Is the formula with this root true in the state of t?  It has no temporal operators. */
bool know_holds(struct know_thread *t, uint32_t root);

#endif /* KNOW_KNOW_H */
