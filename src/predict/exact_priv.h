/*
 * The parts of the exact search, shared between its files.
 *
 *	exact_window.c		which events can take part at all: the universe
 *	exact_supply.c		of these, those that may help to count
 *	exact_build.c		its nodes, touches, sections, by cell and by lock
 *	exact_stays.c		of touches, those of reads that are in no record
 *	exact_values.c		which writes would do for a read, when values count
 *	exact_tests.c		which would do for one that is only tested (model_test)
 *	exact_order.c		the partial order, its trail, propagation
 *	exact_rules.c		what follows from what
 *	exact_count.c		the same of semaphores and of tries that failed
 *	exact_saturate.c	events that must be in; the rules, until nothing more follows
 *	exact_linear.c		an order of all that is in, or where it might go another way
 *	exact_search.c		choices, tried and undone; exact_reach
 *	exact.c			the engine
 *
 * The universe is an interval lo .. top of every chain: the events below lo have run, in observed
 * order (none, when the search starts at the beginning of the trace), those from top on cannot
 * take part.  Its events are nodes 0 .. nnodes - 1, chain by chain; chains without nodes have no
 * local number.  A set of nodes is a row of counters, one per local chain, as a cut is.
 *
 * Rows, all of the same width:
 *	of a node		its predecessors in the order, itself included
 *	of a write's touch	its needed readers: they precede every later write of the cell
 *	of a cell		the needed readers of what the cell held at the start
 *	the last one		the nodes that are in
 */
#ifndef PREDICT_EXACT_PRIV_H
#define PREDICT_EXACT_PRIV_H

#include "predict/engine.h"

#define EXACT_WINDOW 5000u
#define EXACT_BUDGET 5000000u
#define EXACT_MOST 30000u     /* nodes; counters of rows are 16 bits, signed for the vector unit */
#define EXACT_LANES 8u	      /* rows are padded to a multiple of this */
#define EXACT_NONE UINT32_MAX /* no node, section, edge ... */
#define EXACT_START 0xfffffffeu	  /* in place of a write's touch: what the cell held at the start */
#define EXACT_UNSET 0xfffffffdu	  /* not chosen yet (values) */
#define EXACT_STAYS 0x80000000u	  /* in wanted, with a node: its touches that stay */
#define EXACT_ASKED 0x40000000u	  /* in wanted and marks: what it read is tested */
#define EXACT_OUTSIDE 0xfffffffcu /* a write that is not in the universe */

typedef int16_t exact_count;

/* What is to be done for a node. */
#define EXACT_DIRTY 1u	/* its row grew, or it is new: look at its rules */
#define EXACT_PIN 2u	/* it became needed: look at the writes after its own */
#define EXACT_QUEUED 4u /* waits in the queue of propagation */

/* With values: the node sees, or stores, another value than observed. */
#define EXACT_READ_WRONG 1u
#define EXACT_WROTE_WRONG 2u

struct exact_node {
	uint32_t id;	  /* event */
	uint32_t touch;	  /* first of its touches; they end where those of the next node begin */
	uint32_t section; /* acquires, releases; EXACT_NONE */
	uint32_t counter; /* POST, TAKE, ZERO: its semaphore; BUSY: its lock; EXACT_NONE */
	uint32_t edges;	  /* edges out of it; EXACT_NONE ends */
	uint16_t chain;	  /* local */
	uint8_t todo;
	bool needed; /* a read that must see what it saw */
	bool asked;  /* a read that must see something that the tests of it take for the same */
};

struct exact_touch {
	uint32_t cell; /* local */
	uint32_t node;
	uint32_t rf;	    /* reads: touch of the write to see, EXACT_START, _UNSET or _OUTSIDE */
	uint32_t row;	    /* writes */
	uint32_t candidate; /* _UNSET: the first writer still possible, into candidates */
	uint32_t end_candidate; /* and the end of them */
	uint32_t own;		/* tested: rf as it was observed */
	bool reads, writes;
	bool tested; /* something in the model tests it, and nothing else need decide by it */
	bool stays;  /* reads, always needed: of a stay that the node is in */
};

/* Writes of one cell, or sections of one lock, of one chain, in order: part of a list. */
struct exact_group {
	uint32_t chain, first, end;
};

struct exact_span {
	uint32_t first, end;
};

struct exact_cell {
	uint32_t cell; /* model */
	uint32_t row;
	uint32_t first, end; /* groups, of writes */
	uint32_t content;    /* linearising: touch of the last write, or EXACT_START */
	bool start_known;    /* values: that it held start_value at the start */
	uint64_t start_value;
};

struct exact_section {
	uint32_t lock, chain; /* local; chain EXACT_NONE: of a chain without nodes */
	uint32_t acquire;     /* node; EXACT_NONE: has run before the start */
	uint32_t release;     /* node; EXACT_NONE: cannot be closed */
	bool shared;	      /* read mode */
	bool clipped;	      /* could not be closed for want of room: nothing is proven by that */
};

struct exact_lock {
	uint32_t lock;	     /* model */
	uint32_t first, end; /* groups, of sections */
	uint32_t forever;    /* sections that cannot be closed, linked by exact.forever_next */
	/* For ever, by sections that began before the start and cannot be closed. */
	bool taken, taken_shared, taken_clipped;
	uint32_t writers, readers; /* linearising */
};

/* A touch of nodes first .. end - 1 (model_stay). */
struct exact_stay {
	uint32_t first, end;
	uint32_t epoch;	     /* a node; neither it nor those behind it have an earlier one */
	uint32_t cell, seen; /* model */
};

/* A semaphore of the universe. */
struct exact_counter {
	uint32_t sem;			       /* model */
	struct exact_span posts, takes, zeros; /* groups, of by_counter */
	int64_t value;			       /* at the start */
	int64_t now;			       /* linearising */
	bool has_zeros;			       /* while the universe is found: some ZERO is in it */
	bool clipped; /* not all its events that might have helped are there */
	bool dirty;   /* look at its rules */
};

/* Where `after' is in, `before' comes before it.  `before' is in. */
struct exact_ban {
	uint32_t before, after;
};

/* A section of the universe, by events. */
struct exact_open {
	uint32_t acquire, chain;
	bool before;  /* it has run before the start */
	bool never;   /* cannot be closed */
	bool clipped; /* for want of room only */
};

/* Event `at' tests what `read' has read; both are in the universe. */
struct exact_ask {
	uint32_t read, at;
};

struct exact_edge {
	uint32_t from, to, next;
};

/*
 * One way to go on.
 *	SECTIONS  section a before section b
 *	WRITES	  the write of touch a before that of touch b
 *	READ	  the read of touch a sees b: a write's touch, or EXACT_START
 *	READ_NOT  it does not; b is its first candidate
 *	FIRST	  node a is in, and before node b, which is in
 *	FIRST_NOT node b is before node a where that is in
 */
enum exact_kind {
	EXACT_SECTIONS,
	EXACT_WRITES,
	EXACT_READ, /* from here on a kind and its denial */
	EXACT_READ_NOT,
	EXACT_FIRST,
	EXACT_FIRST_NOT
};
struct exact_choice {
	enum exact_kind kind;
	uint32_t a, b;
};

/* All there is beside c. */
static inline struct exact_choice exact_choice_other(struct exact_choice c)
{
	if (c.kind < EXACT_READ)
		return (struct exact_choice){ c.kind, c.b, c.a };
	return (struct exact_choice){ c.kind ^ 1, c.a, c.b };
}

/* To undo. */
struct exact_level {
	uint32_t serial;
	size_t saves, edges, marks, sets, bans;
	struct exact_choice other; /* what to do instead when this fails */
};

struct exact_save {
	uint32_t row;
	size_t data; /* index of the old counters in saved */
};

struct exact_set {
	uint32_t touch, rf, candidate;
};

struct exact {
	const struct model *m;
	const struct causal *causal;
	const struct causal *tight,
		*by_tests; /* the one or the other of these; by_tests may be NULL */
	const struct engine_options *opt;
	bool strict, values;
	bool choosing; /* values: other writers are tried too */
	bool loose;    /* what is only tested need not see what it saw */
	/* Tests: leave out rules that choices can do without, and put events in line from the wrong
	 * end.  Small traces hardly ever come to a choice otherwise. */
	bool clumsy;
	uint32_t window;
	uint64_t budget, full_budget, steps;
	uint64_t allowance; /* of the attempt at hand */

	/* The universe.  By model chain, nchains counters each: */
	uint32_t *lo, *top, *need, *tmp;
	uint32_t *hi;	/* top may not go beyond */
	uint32_t from;	/* id; lo has nothing from beyond it */
	uint32_t limit; /* most nodes */
	uint32_t *local_chain;
	/* By model cell, lock and semaphore, EXACT_NONE or local. */
	uint32_t *local_cell, *local_lock, *local_sem;
	VEC(struct exact_open) open; /* sections of the universe, as they were found */
	const struct goal *aim;
	bool clipped;	/* something was left out that might have helped */
	bool exhausted; /* the budget is spent */
	uint32_t nchains, width;
	VEC(uint32_t) chain;	      /* local to model */
	VEC(uint32_t) offset;	      /* first node of each local chain; one more at the end */
	VEC(struct exact_node) nodes; /* one more at the end */
	VEC(struct exact_touch) touches;
	VEC(struct exact_cell) cells;
	VEC(uint32_t) writes; /* touches, by cell and node */
	VEC(struct exact_group) groups;
	VEC(struct exact_lock) locks;
	VEC(struct exact_section) sections;
	VEC(uint32_t) by_lock; /* sections, by lock, chain and acquire */
	VEC(uint32_t) forever_next;
	VEC(struct exact_counter) counters;
	VEC(uint32_t) by_counter;   /* nodes, by semaphore, kind, chain */
	VEC(uint32_t) busy;	    /* nodes: tries that failed */
	VEC(struct exact_ask) asks; /* while the universe is found, in a loose search */
	size_t asks_at;		    /* those before it have got their writes */
	VEC(uint32_t) slice;	    /* scratch */
	VEC(uint32_t) busy_ids;	    /* while the universe is found: events */
	bool busy_clipped;	    /* not all sections that might explain them are there */
	bool busy_dirty;
	VEC(uint32_t) guards;	      /* of the model, with all events in or below the universe */
	VEC(struct exact_stay) stays; /* chain by chain, by end */
	size_t stays_at;	      /* while touches are built: those before it are over */
	VEC(uint32_t) candidates;     /* values: touches of writes that would serve a read */
	uint32_t *guard_from;	      /* the model's guards by their `from' */

	/* Observed prefixes that can really run, every `window / 4' events; made when the trace has
	 * events that cannot be part of a reordering. */
	uint32_t first_bad; /* id of the first such event; n + 1: none */
	VEC(uint32_t) prefixes;

	/* The order. */
	VEC(exact_count) rows;
	VEC(uint32_t) stamps; /* of rows: serial of the level that saved it last */
	uint32_t cut_row, nrows;
	VEC(struct exact_edge) edges;
	VEC(uint32_t) queue, dirty, wanted; /* propagation; rules; reads that became needed */
	size_t dirty_head;		    /* those before it are done */
	bool fresh;			    /* nothing is in yet: every node will be looked at */
	bool grown;			    /* nodes came in: look at the guards */
	VEC(exact_count) goal;		    /* scratch, one row */

	/* The trail. */
	VEC(struct exact_level) levels;
	VEC(struct exact_save) saves;
	VEC(exact_count) saved;
	VEC(uint32_t) marks; /* nodes that became needed */
	VEC(struct exact_set) sets;
	VEC(struct exact_ban) bans;
	uint32_t serial;

	/* Linearising. */
	VEC(struct exact_choice) choices;
	VEC(uint32_t) line;    /* nodes in order */
	VEC(uint8_t) wrong;    /* values: by node, EXACT_*_WRONG */
	VEC(exact_count) done; /* one row: nodes in line */
};

static inline void exact_choice_add(struct exact *x, enum exact_kind kind, uint32_t a, uint32_t b)
{
	*VEC_PUSH(&x->choices) = (struct exact_choice){ kind, a, b };
}

static inline exact_count *exact_row(const struct exact *x, uint32_t row)
{
	return x->rows.at + (size_t)row * x->width;
}

static inline exact_count *exact_cut(const struct exact *x)
{
	return exact_row(x, x->cut_row);
}

/* Its number within its chain, from 0, counted from lo. */
static inline exact_count exact_index(const struct exact *x, uint32_t node)
{
	return (exact_count)(node - x->offset.at[x->nodes.at[node].chain]);
}

/* Linearising: it is in the line. */
static inline bool exact_has_run(const struct exact *x, uint32_t node)
{
	return exact_index(x, node) < x->done.at[x->nodes.at[node].chain];
}

static inline uint32_t exact_touch_end(const struct exact *x, uint32_t node)
{
	return x->nodes.at[node + 1].touch;
}

static inline bool exact_is_in(const struct exact *x, uint32_t node)
{
	return exact_index(x, node) < exact_cut(x)[x->nodes.at[node].chain];
}

/* a is b or before it. */
static inline bool exact_leq(const struct exact *x, uint32_t a, uint32_t b)
{
	return exact_row(x, b)[x->nodes.at[a].chain] > exact_index(x, a);
}

static inline bool exact_row_leq(const struct exact *x, const exact_count *a, const exact_count *b)
{
	exact_count above = 0;

	for (uint32_t i = 0; i < x->width; i += EXACT_LANES)
		for (uint32_t j = 0; j < EXACT_LANES; j++)
			above |= a[i + j] > b[i + j];
	return above == 0;
}

static inline bool exact_excludes(const struct exact_section *a, const struct exact_section *b)
{
	return !(a->shared && b->shared);
}

/* The node of an event: EXACT_NONE when it is not in the universe, of which *before tells whether
 * it has run before the start. */
uint32_t exact_node_of(const struct exact *x, uint32_t id, bool *before);

/* exact_window.c.  x->lo and x->hi := a window of events after id `from', a multiple of window / 4
 * (0 and the whole trace when all is set). */
void exact_window(struct exact *x, uint32_t from, bool all);
/* How many events of the list have ids up to `id'. */
uint32_t exact_count_upto(struct model_list list, uint32_t id);
/* x->top and x->open := the universe for the targets, where x->need must be in.  False: some of
 * that has no room in it. */
bool exact_universe(struct exact *x);
/* Takes event id, and all it needs, into the universe, if it is not passed by that. */
enum exact_room { EXACT_TAKEN, EXACT_NO_WAY, EXACT_NO_ROOM };
enum exact_room exact_take_upto(struct exact *x, uint32_t id);
/* The lock gets a local number. */
void exact_use_lock(struct exact *x, uint32_t lock);

/* exact_build.c: nodes and all that hangs on them.  group: item j of a list that begins at `first'
 * is of this local chain; items come chain by chain. */
void exact_build_group(struct exact *x, uint32_t first, uint32_t j, uint32_t chain);
void exact_build(struct exact *x);
uint32_t exact_build_cell(struct exact *x, uint32_t cell);
/* exact_stays.c: find, when the nodes are there; add, after the other touches of a node, in order. */
void exact_stays_find(struct exact *x);
void exact_stays_add(struct exact *x, uint32_t node);
/* exact_count.c: the semaphores' part of it; after the nodes. */
void exact_build_counters(struct exact *x);
/* exact_values.c: writers to choose from, for every read. */
void exact_find_candidates(struct exact *x);
/* The value that a touch of a write, or EXACT_START, gives the cell (local).  False: not known. */
bool exact_value_of(const struct exact *x, uint32_t cell, uint32_t writer, uint64_t *value);

/* exact_tests.c.  note: event id is in the universe; supply: takes in writes for those that it tests.
 * True: the universe grew. */
void exact_tests_note(struct exact *x, uint32_t id);
bool exact_tests_supply(struct exact *x);
/* The read of the touch, which is tested, may see this: a write's touch or EXACT_START. */
bool exact_fits(const struct exact *x, const struct exact_touch *t, uint32_t writer);
/* It is as good as what was observed. */
bool exact_is_same(const struct exact *x, const struct exact_touch *t, uint32_t writer);

/* exact_order.c */
void exact_order_start(struct exact *x);
/* a before b.  False: that makes a circle. */
bool exact_edge(struct exact *x, uint32_t a, uint32_t b);
bool exact_propagate(struct exact *x);
void exact_save_row(struct exact *x, uint32_t row);
void exact_level_push(struct exact *x);
void exact_level_pop(struct exact *x);
void exact_mark_dirty(struct exact *x, uint32_t node, uint8_t why);
void exact_set_rf(struct exact *x, uint32_t touch, uint32_t rf, uint32_t candidate);

/* From here on, false: no reordering is left, or the budget is spent. */

/* exact_rules.c: all that v's row says. */
bool exact_apply_rules(struct exact *x, uint32_t v);
bool exact_section_before(struct exact *x, const struct exact_section *a,
			  const struct exact_section *b);

/* exact_count.c.  touched: the row of a node that has a counter grew, or it is new. */
void exact_count_touched(struct exact *x, uint32_t node);
/* What counting says, of those that were touched. */
bool exact_apply_counts(struct exact *x);
bool exact_apply_bans(struct exact *x);
bool exact_choose_first(struct exact *x, const struct exact_choice *c);
/* Linearising: whether a node with a counter can run, that it ran, what it might have been that
 * keeps it. */
bool exact_count_allows(const struct exact *x, uint32_t node);
void exact_count_run(struct exact *x, uint32_t node);
void exact_count_choices(struct exact *x, uint32_t node);

/* exact_supply.c: more events that may help to count; true: the universe grew. */
bool exact_supply(struct exact *x);
/* The semaphore, or the try that failed, takes part. */
void exact_supply_note(struct exact *x, uint32_t id);
void exact_supply_clear(struct exact *x);
/* What there is of a semaphore at the start, and how many TAKEs are in the universe. */
int64_t exact_supply_start(const struct exact *x, uint32_t sem, int64_t *takes);

/* exact_saturate.c */
/* Brings in the node, with all that it needs. */
bool exact_enter_upto(struct exact *x, uint32_t node);
/* Brings in x->need. */
bool exact_begin(struct exact *x);
bool exact_choose(struct exact *x, struct exact_choice c);

/* exact_linear.c: an order of all nodes that are in, into x->line; false: x->choices says where
 * it might have gone another way. */
bool exact_linearise(struct exact *x);

#endif /* PREDICT_EXACT_PRIV_H */
