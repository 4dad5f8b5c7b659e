/*
 * Engines: one row each in the table of engine.c.  Those that prove lie beside it, those that are kept for
 * comparison in compare/.
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
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "finding/finding.h"
#include "lattice/causes.h"
#include "lattice/lattice.h"
#include "order/causal.h"
#include "order/model.h"
#include "order/step.h"
#include "predict/goal.h"

struct monitors;
struct watch;
struct watch_items;

struct engine_options {
	bool strict;	 /* every read keeps its write */
	bool values;	 /* exact: any write of the same value serves a read */
	bool all_pairs;	 /* every pair of events, not one for each pair of places */
	bool fork_join;	 /* eraser: ownership passes along fork and join */
	uint32_t window; /* events; 0: the default */
	uint64_t budget; /* steps of search for one candidate; 0: the default */
	unsigned jobs;	 /* threads, at least 1 */
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
	uint64_t candidates;
	uint64_t predicted; /* a schedule was found */
	uint64_t refuted;   /* proven impossible in every reordering of the recorded run */
	uint64_t searched;  /* looked for where the engine looks, not found, not proven */
	uint64_t undecided; /* a budget ran out */
};

struct engine_result {
	struct findings findings;
	bool counted;
	struct engine_counts counts;
	struct lattice_counts *lattice; /* of engines that build one, or NULL; owned */
	struct texts truncated;		/* which budgets ran out */
};

void engine_result_release(struct engine_result *r);
/* One candidate more that ended so. */
void engine_count(struct engine_counts *c, enum goal_outcome outcome);

/* What engines at the end may use; made when first asked for. */
struct engine_run;
const struct model *engine_model(struct engine_run *run);
const struct causal *engine_causal(struct engine_run *run, enum causal_mode mode);

/* What an engine looks for.  Properties are about runs as a whole: it builds a lattice. */
enum engine_aim { ENGINE_RACES, ENGINE_WAITS, ENGINE_PROPERTIES };

/* How sure its findings are. */
enum engine_proof {
	ENGINE_WARNS,  /* hints: nothing is proven */
	ENGINE_ASKS,   /* they are real, but the schedules must be looked for (analyse/prove.h) */
	ENGINE_PROVES, /* they come with schedules */
};

/* A row.  Its functions are given the row itself: rows that differ in little share them. */
struct engine {
	const char *name, *summary;
	enum engine_aim aim;
	enum engine_proof proof;
	enum causes_kind lattice; /* ENGINE_PROPERTIES: which order its runs keep */
	bool usual;		  /* it runs when the user names none */
	/* Either it works on the model of the whole run ... */
	void (*search)(const struct engine *e, struct engine_run *run,
		       const struct engine_options *opt, struct engine_result *out);
	/* ... or it takes steps.  end frees what begin has made. */
	void *(*begin)(const struct engine *e, const struct engine_options *opt);
	void (*steps)(void *self, const struct step_batch *b);
	void (*end)(void *self, struct engine_result *out);
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
#define LIMIT_WAITS 10u /* pairs of places of condition waits that may spend all of that */
#define LIMIT_TRIES 16u /* pairs of events tried for one pair of places */
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

/* X(row): races, deadlocks, properties; the cheap first, the wide last. */
/* clang-format off */
#define ENGINES(X)										\
	X(hb) X(shb) X(wcp) X(eraser) X(syncp) X(osr) X(exact) X(races)				\
	X(goodlock) X(patterns_all) X(patterns_mhb) X(patterns) X(spd) X(waits) X(deadlocks)	\
	X(lattice_mvc) X(lattice_weak) X(property)
/* clang-format on */

#define X(row) extern const struct engine engine_##row;
ENGINES(X)
#undef X

#endif /* PREDICT_ENGINE_H */
