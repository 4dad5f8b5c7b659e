/*
 * The parts of a model: what is kept for questions, and what only exists while it is built.
 */
#ifndef ORDER_MODEL_PRIV_H
#define ORDER_MODEL_PRIV_H

#include "order/model.h"

/* Lists of event ids, one after the other: list i is at[start[i] .. start[i + 1]). */
struct model_lists {
	uint32_t *start;
	uint32_t *at;
	uint32_t n;
};

/* An interned set of held locks: sorted keys, lock << 1 | shared. */
struct model_set {
	uint32_t first, n; /* in set_keys */
	uint32_t next;	   /* another set with the same hash; 0 none */
	uint64_t filter;   /* one bit for each lock, by a hash: no common bit, no common lock */
};

/* Where the acquires of one chain begin in the list of a lock that is sorted by chains. */
struct model_run {
	uint32_t chain, first;
};

/* The preds of `event' begin at `first'; the paired ones are the last of them, and end where those
 * of the next row begin. */
struct model_edges {
	uint32_t event, first, paired;
};

struct model_sem {
	uint64_t value;	   /* at the beginning of the model */
	uint32_t first, n; /* runs */
};

/* With values: the bytes of an access. */
struct model_bytes {
	uint64_t addr;
	uint64_t first; /* 1 + index in bytes; 0 not known */
	uint32_t len;
};

/* Where the bytes of a cell lie. */
struct model_stretch {
	uint64_t first, end; /* addresses, end behind the last; 0, 0 not known */
};

struct model_priv {
	struct model_lists chains, cells;
	struct model_lists lock_runs;  /* acquires by lock, each list sorted by chain first */
	uint32_t *run_start;	       /* [nlocks + 1]: the runs of a lock, in runs */
	VEC(struct model_run) runs;    /* of all locks, by chain within a lock */
	VEC(struct model_edges) edges; /* ascending; finish adds a last row */
	VEC(uint32_t) preds;
	VEC(struct model_stay) stays;	       /* chain by chain */
	VEC(uint32_t) stay_start;	       /* [nchains + 1] */
	VEC(struct model_edges) counted_edges; /* as edges */
	VEC(uint32_t) counted;
	VEC(struct model_sem) sems;
	VEC(struct model_sem_run) sem_runs;
	uint32_t *sem_events;	    /* those of each run */
	uint32_t *sem_counts;	    /* its posts and takes */
	VEC(struct model_set) sets; /* [0] the empty one */
	VEC(uint32_t) set_keys;
	uint32_t *set_of;	   /* by hold: its set; 0 nobody asked.  NULL: nobody ever did */
	VEC(uint32_t) set_one;	   /* by key: the set of it alone; 0 not made yet */
	struct map set_step;	   /* set << 32 | key, to the set with the key */
	struct map set_hash;	   /* hash of the keys, to a set */
	VEC(uint32_t) set_missing; /* holds, while their sets are made */
	VEC(uint32_t) last_hold;   /* by tid: what it holds after its last event */
	VEC(struct model_bytes) values;
	VEC(uint8_t) bytes;
	struct model_stretch *stretches; /* with values: by cell */
	struct model_build *build;	 /* NULL after model_finish */
};

/* A free read that later writes may name as what feeds them. */
struct model_free_read {
	uint64_t tseq;
	uint64_t end; /* address behind its last byte */
	uint32_t id;
	uint32_t words;
	uint32_t site;
	bool goes_on; /* the next one in the list is another piece of the same ranged read */
};

struct model_thread {
	uint32_t hold;
	uint32_t last;	/* its latest event; 0 none */
	uint64_t first; /* tseq of its first event */
	VEC(struct model_free_read) reads;
};

struct model_chain {
	uint32_t n, last; /* events so far, the latest of them */
	uint32_t forks;	  /* FORKs of it that wait for its next event */
};

struct model_fork {
	uint32_t chain, event;
};

struct model_put {
	uint32_t chain, event;
	uint32_t next; /* of the same channel; 1 + index in puts, 0 end */
};

/* Touches with an index below `when' that are of cell obj are of cell other too. */
struct model_split {
	uint64_t addr; /* first byte of other */
	uint32_t when, other;
	uint32_t next; /* of the same obj; 1 + index in splits, 0 end */
};

struct model_sem_count {
	uint64_t first, now; /* when the model began; so far */
	bool met;
};

struct model_build {
	uint32_t limit;
	bool full;
	uint8_t calls;			/* MODEL_LEFT, MODEL_ENTERED of the next event */
	VEC(struct model_event) events; /* [0] stands for "none" */
	VEC(uint32_t) cells;		/* touches as they came */
	VEC(uint32_t) feeds;
	VEC(struct model_hold) holds;
	VEC(struct model_guard) guards;
	VEC(struct model_thread) threads; /* by tid */
	VEC(struct model_chain) chains;
	VEC(struct model_fork) forks;
	VEC(uint32_t) channels; /* 1 + index in puts */
	VEC(struct model_put) puts;
	VEC(uint32_t) unused_puts;
	VEC(uint32_t) split_of; /* by cell, 1 + index in splits */
	VEC(struct model_split) splits;
	VEC(uint32_t) scratch;
	VEC(bool) loose; /* by lock */
	VEC(struct model_sem_count) sems;
	VEC(struct model_test) tests; /* as they came */
};

/* model_hold.c: held locks.  Both return what is held then, an index into holds. */
uint32_t model_hold_push(struct model *m, uint32_t hold, uint32_t acquire, uint32_t lock,
			 bool shared);
/* *acquire: the event that took the lock, 0 when it is not held. */
uint32_t model_hold_drop(struct model *m, uint32_t hold, uint32_t lock, bool shared,
			 uint32_t *acquire);

/* model_settle.c.  expand: the final cells of touches [first, last), in the order of their bytes,
 * are in build->scratch. */
void model_expand(struct model *m, uint32_t first, uint32_t last);
void model_settle_touches(struct model *m);
/* chains: how long their lists are, while the build knows; lists: all the rest without it. */
void model_settle_chains(struct model *m);
void model_settle_lists(struct model *m);

/* model_value.c: finds where cells lie; before model_settle_touches. */
void model_settle_stretches(struct model *m);

/* model_test.c: takes those that can be looked at; after model_settle_touches. */
void model_settle_tests(struct model *m);

/* Event e touches the cell; after model_settle_touches. */
bool model_touches(const struct model *m, uint32_t e, uint32_t cell);

/* model_sem.c.  locks: before holds and locks are settled, those that only serve as mutexes become
 * locks; settle: values of the others, while the build knows, and their runs, after the chains. */
void model_sems_to_locks(struct model *m);
void model_settle_sems(struct model *m);
void model_settle_sem_runs(struct model *m);

/* model_count.c: what counting shows.  After all else. */
void model_settle_counts(struct model *m);

void model_build_free(struct model_build *b);

/* model_stays.c, at the end.  is_cut: the trace goes on. */
void model_settle_stays(struct model *m, bool is_cut);

#endif /* ORDER_MODEL_PRIV_H */
