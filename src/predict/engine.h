/*
 * Engines: one row each of the table below.  Those that prove lie beside it, those that are kept
 * for comparison in compare/.
 *
 * An engine takes the run as a stream of steps, or works at the end on the model of the whole
 * run, and proposes findings.  It prints nothing and decides nothing about their status: a
 * finding with `claimed' and a schedule goes to the checker, the others stay warnings.
 *
 * Answers do not depend on the number of jobs.
 */
#ifndef PREDICT_ENGINE_H
#define PREDICT_ENGINE_H

#include <signal.h>

#include "finding/finding.h"
#include "lattice/causes.h"
#include "lattice/lattice.h"
#include "order/calls.h"
#include "order/causal.h"
#include "order/model.h"
#include "order/step.h"
#include "predict/exact.h"

struct monitors;
struct watch;
struct watch_items;

struct engine_options {
	bool strict;		   /* every read keeps its write */
	bool values;		   /* exact: any write of the same value serves a read */
	bool all_pairs;		   /* every pair of events, not one for each pair of places */
	bool infer;		   /* atomicity: blocks that the program does not mark, too */
	bool all_blocks;	   /* and those that are hardly meant so */
	const struct calls *calls; /* infer: of the events of the model; or NULL */
	bool fork_join;		   /* eraser: ownership passes along fork and join */
	uint32_t window;	   /* events; 0: the default */
	uint64_t budget;	   /* steps of search for one candidate; 0: the default */
	unsigned jobs;		   /* threads, at least 1 */
	/* Lattices. */
	uint64_t breadth; /* nodes of a level; 0: all */
	bool count;	  /* count runs */
	uint32_t
		horizon; /* points that may wait for a thread that does not go on; 0: the default */
	const struct monitors *monitors;   /* NULL: no spec; every event is relevant */
	const struct watch *watch;	   /* what the spec watches in this trace */
	const struct watch_items *items;   /* what the events of the present batch are to it */
	const volatile sig_atomic_t *stop; /* set: leave soon with what is known; may be NULL */
	/* Called now and then by the thread that called the engine; may be NULL. */
	void (*progress)(void *arg, const char *what, uint64_t done, uint64_t total);
	void *progress_arg;
};

/* How candidates ended, for engines that count them (by signature: pairs of places). */
struct engine_counts {
	uint64_t checks; /* ENGINE_TRIES: searches made; candidates are what they found */
	uint64_t candidates;
	uint64_t predicted; /* a schedule was found */
	uint64_t refuted;   /* proven impossible in every reordering of the recorded run */
	uint64_t searched;  /* looked for where the engine looks, not found, not proven */
	uint64_t undecided; /* a budget ran out */
};

struct engine_result {
	struct findings findings;
	bool idle; /* the trace has nothing that it is about */
	bool counted;
	struct engine_counts counts;
	struct lattice_counts *lattice; /* of engines that build one, or NULL; owned */
	struct texts truncated;		/* which budgets ran out */
};

void engine_result_release(struct engine_result *r);
/* One candidate more that ended so. */
void engine_count(struct engine_counts *c, enum goal_outcome outcome);

/* What engines at the end may use; made when first asked for. */
struct engine_run {
	const struct model *model;	     /* borrowed */
	struct causal *causal[CAUSAL_MODES]; /* NULL: not asked for yet */
};
const struct causal *engine_causal(struct engine_run *run, enum causal_mode mode);

/* A finding about n events.  order: it is claimed, after that, which does not hold them; NULL:
 * nothing is claimed yet. */
struct finding *engine_propose(struct engine_result *r, enum finding_kind kind,
			       const struct engine *engine, const struct model *m,
			       const uint32_t *events, uint32_t n, const struct exact_order *order);
/* From a model's events to a schedule of trace positions. */
void engine_schedule(const struct model *m, const struct exact_order *order, struct schedule *out);

/* What an engine looks for.  Properties are about runs as a whole: it builds a lattice. */
enum engine_aim { ENGINE_RACES, ENGINE_WAITS, ENGINE_BLOCKS, ENGINE_PROPERTIES };

/* How sure its findings are. */
enum engine_proof {
	ENGINE_WARNS,  /* hints: nothing is proven */
	ENGINE_ASKS,   /* they are real, but the schedules must be looked for (analyse/prove.c) */
	ENGINE_TRIES,  /* hints with a schedule each, which the checker may well refuse */
	ENGINE_PROVES, /* they come with schedules */
};

typedef void engine_search(const struct engine *e, struct engine_run *run,
			   const struct engine_options *opt, struct engine_result *out);
typedef void *engine_begin(const struct engine *e, const struct engine_options *opt);
typedef void engine_steps(void *self, const struct step_batch *b);
typedef void engine_end(void *self, struct engine_result *out);

/* A row.  Its functions are given the row itself: rows that differ in little share them. */
struct engine {
	const char *name, *summary;
	enum engine_aim aim;
	enum engine_proof proof;
	enum causes_kind lattice; /* ENGINE_PROPERTIES: which order its runs keep */
	bool usual;		  /* it runs when the user names none */
	/* Either it works on the model of the whole run ... */
	engine_search *search;
	/* ... or it takes steps.  end frees what begin has made. */
	engine_begin *begin;
	engine_steps *steps;
	engine_end *end;
	/* ENGINE_PROPERTIES: those found violated so far, as bits.  After steps with an empty batch, in
	 * all that there is. */
	uint64_t (*found)(const void *self);
};

/* The table, ended by NULL. */
extern const struct engine *const engine_table[];
const struct engine *engine_find(const char *name);

/* The model is borrowed; what engine_causal makes is freed with the run. */
struct engine_run *engine_run_new(const struct model *m);
void engine_run_free(struct engine_run *run);

/* How much is reported and how long is searched. */
#define LIMIT_SIGNATURES 10000u	    /* findings, one for each pair of places */
#define LIMIT_PAIRS 10000000u	    /* findings with all_pairs */
#define LIMIT_OSR_STEPS 2000000u    /* events looked at for one pair */
#define LIMIT_EXACT_STEPS 10000000u /* exact search for one pair of places */
#define LIMIT_WAITS 10u		 /* pairs of places of condition waits that may spend all of that */
#define LIMIT_CSP_STATES 100000u /* of one search of csp */
#define LIMIT_CSP_ALL 5000000u	 /* of all of them */
#define LIMIT_TRIES 16u		 /* pairs of events tried for one pair of places */
#define LIMIT_PATTERN_STEPS 20000000u /* requests looked at for all deadlock patterns */
#define LIMIT_CYCLES 1000u	      /* circles of places that may be deadlocks */
#define LIMIT_TUPLES 1000000u	      /* deadlock patterns with all_pairs, of one length */

/* A trace without dependency facts means the strict rules. */
static inline enum causal_mode engine_mode(const struct model *m, const struct engine_options *opt)
{
	return m->has_facts && !opt->strict ? CAUSAL_DEP : CAUSAL_STRICT;
}

/* The same for a search that counts: what must run before what, and no more. */
static inline enum causal_mode engine_must(const struct model *m, const struct engine_options *opt)
{
	return engine_mode(m, opt) == CAUSAL_DEP ? CAUSAL_MUST_DEP : CAUSAL_MUST_STRICT;
}

/* And for one that looks at tests.  What this rules out cannot happen by any of them. */
static inline enum causal_mode engine_least(const struct model *m, const struct engine_options *opt)
{
	return m->tests.n != 0 && !opt->strict ? CAUSAL_MUST_LOOSE : engine_must(m, opt);
}

static inline unsigned engine_jobs(const struct engine_options *opt)
{
	return opt->jobs ? opt->jobs : 1;
}

/* From the thread that called the engine. */
static inline void engine_progress(const struct engine_options *opt, const struct engine *e,
				   uint64_t done, uint64_t total)
{
	if (opt->progress)
		opt->progress(opt->progress_arg, e->name, done, total);
}

static inline bool engine_stopped(const struct engine_options *opt)
{
	return opt->stop && *opt->stop;
}

/*
 * The table: X(row, name, summary, aim, proof, how it works).  Races, deadlocks, blocks, properties;
 * the cheap first, the wide last.
 */
/* clang-format off */
#define ENGINES(X)										\
	X(hb, "hb", "races by happens-before in the observed run (FastTrack)",			\
	  RACES, WARNS, ENGINE_STEPS(hb))							\
	X(shb, "shb", "happens-before races that can be scheduled, all of them real",		\
	  RACES, ASKS, ENGINE_STEPS(shb))							\
	X(wcp, "wcp",										\
	  "races by weak causal precedence: sections may swap unless they conflict",		\
	  RACES, WARNS, ENGINE_STEPS(wcp))							\
	X(eraser, "eraser", "variables without a lock that all their accesses hold",		\
	  RACES, WARNS, ENGINE_STEPS(eraser))							\
	X(csp, "csp",										\
	  "races by refinement of a process network without data, then certified or refuted",	\
	  RACES, TRIES, .search = csp_search)							\
	X(syncp, "syncp", "sync-preserving races: critical sections keep their order",		\
	  RACES, PROVES, .search = races_search)						\
	X(osr, "osr", "races by optimistic reversal of critical sections",			\
	  RACES, PROVES, .search = races_search)						\
	X(exact, "exact", "races by exact search in windows of the trace",			\
	  RACES, PROVES, .search = races_search)						\
	X(races, "races", "all sound race engines: syncp, osr, exact",				\
	  RACES, PROVES, .search = races_search, .usual = true)					\
	X(goodlock, "goodlock",									\
	  "two locks taken in opposite orders, by lock trees of each thread",			\
	  WAITS, WARNS, ENGINE_STEPS(goodlock))							\
	X(patterns_all, "patterns-all", "patterns-mhb, blind to forks and joins as well",	\
	  WAITS, WARNS, .search = deadlocks_search)						\
	X(patterns_mhb, "patterns-mhb",								\
	  "patterns, blind to locks that a parent holds around its children",			\
	  WAITS, WARNS, .search = deadlocks_search)						\
	X(patterns, "patterns",									\
	  "circles of lock requests that no common lock, fork or join keeps apart",		\
	  WAITS, WARNS, .search = deadlocks_search)						\
	X(spd, "spd", "sync-preserving deadlocks: critical sections keep their order",		\
	  WAITS, PROVES, .search = deadlocks_search)						\
	X(waits, "waits", "lost wakeups, and condition waits that hold another lock",		\
	  WAITS, PROVES, .search = waits_search)						\
	X(deadlocks, "deadlocks",								\
	  "all sound deadlock engines: patterns, spd, osr, exact; joins and condition waits",	\
	  WAITS, PROVES, .search = deadlocks_search, .usual = true)					\
	X(aerodrome, "aerodrome",								\
	  "blocks that were not atomic in the observed run, by its conflicts and locks",	\
	  BLOCKS, WARNS, ENGINE_STEPS(aerodrome))						\
	X(aerodrome_data, "aerodrome-data", "the same by its conflicts alone, whatever its locks",	\
	  BLOCKS, WARNS, ENGINE_STEPS(aerodrome))						\
	X(triples, "triples",									\
	  "blocks with two accesses of a variable that another thread comes between",	\
	  BLOCKS, PROVES, .search = atomicity_search)						\
	X(atomicity_sp, "atomicity-sp",								\
	  "those of atomicity that show when critical sections keep their order",		\
	  BLOCKS, PROVES, .search = atomicity_search)						\
	X(atomicity_osr, "atomicity-osr",							\
	  "those of atomicity that show by optimistic reversal of critical sections",		\
	  BLOCKS, PROVES, .search = atomicity_search)						\
	X(gap, "gap", "those of atomicity that show when two threads take turns once",		\
	  BLOCKS, PROVES, .search = atomicity_search)						\
	X(atomicity, "atomicity",								\
	  "blocks that other threads can come into: triples, and accesses of two variables",	\
	  BLOCKS, PROVES, .search = atomicity_search, .usual = true)				\
	X(lattice_mvc, "lattice-mvc",								\
	  "properties on all runs that keep the order of conflicting accesses; counts",		\
	  PROPERTIES, ASKS, ENGINE_LATTICE(CAUSES_MVC))						\
	X(lattice_weak, "lattice-weak",								\
	  "properties on all runs whose reads see their writes; counts",			\
	  PROPERTIES, ASKS, ENGINE_LATTICE(CAUSES_WEAK))					\
	X(property, "property",									\
	  "properties of a spec, on all runs that the recording proves possible",		\
	  PROPERTIES, ASKS, ENGINE_LATTICE(CAUSES_WEAK))
/* clang-format on */

#define ENGINE_STEPS(name) .begin = name##_begin, .steps = name##_steps, .end = name##_end
#define ENGINE_LATTICE(order) ENGINE_STEPS(lattices), .found = lattices_found, .lattice = (order)

#define X(row, ...) extern const struct engine engine_##row;
ENGINES(X)
#undef X
engine_search csp_search, races_search, waits_search, deadlocks_search, atomicity_search;
engine_begin hb_begin, shb_begin, wcp_begin, eraser_begin, goodlock_begin, aerodrome_begin,
	lattices_begin;
engine_steps hb_steps, shb_steps, wcp_steps, eraser_steps, goodlock_steps, aerodrome_steps,
	lattices_steps;
engine_end hb_end, shb_end, wcp_end, eraser_end, goodlock_end, aerodrome_end, lattices_end;
uint64_t lattices_found(const void *self);

#endif /* PREDICT_ENGINE_H */
