/*
 * Synthetic traces for the benchmarks of the engines, as STD text or as a recording.
 *
 *	tracegen [NAME=NUMBER...] [form=std|binary] OUTPUT
 *
 *	events=1000000 threads=8 variables=1000 locks=50
 *	sync=15		percent of events that acquire or release
 *	depth=3		most locks held at once
 *	ascending=0	1: the next lock is above the one taken last
 *	gates=0		of the locks, the first ones: one of them is taken first, and what is taken
 *			under it belongs to it
 *	layers=0	the next lock is of the layer after that of the one taken last, and the first
 *			layer comes after the last
 *	guarded=0	percent of accesses that keep to variables of the innermost lock held, or,
 *			holding none, to variables of the thread's own
 *	hot=0		percent of accesses that go to 1 % of the variables
 *	writes=50	percent of accesses that write
 *	blocks=0	of a thread's events so many are in a block that is meant to be atomic, and as
 *			many between two of these; text only
 *	sites=2000	places in the source
 *	seed=1
 *
 * The threads take turns at random, an event each; a lock that is held is not waited for,
 * another operation is done instead.  At the end all locks are released.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/trace_builder.h"

#define DEPTH_MAX 16
#define CUT_EVERY 100000

/* X(id, name, default) */
#define PARAMS(X)                       \
	X(EVENTS, "events", 1000000)    \
	X(THREADS, "threads", 8)        \
	X(VARIABLES, "variables", 1000) \
	X(LOCKS, "locks", 50)           \
	X(SYNC, "sync", 15)             \
	X(DEPTH, "depth", 3)            \
	X(ASCENDING, "ascending", 0)    \
	X(GATES, "gates", 0)            \
	X(LAYERS, "layers", 0)          \
	X(GUARDED, "guarded", 0)        \
	X(HOT, "hot", 0)                \
	X(WRITES, "writes", 50)         \
	X(BLOCKS, "blocks", 0)          \
	X(SITES, "sites", 2000)         \
	X(SEED, "seed", 1)

enum {
#define X(id, name, number) id,
	PARAMS(X)
#undef X
		NPARAMS
};

static uint64_t param[NPARAMS] = {
#define X(id, name, number) number,
	PARAMS(X)
#undef X
};

static const char *const param_name[NPARAMS] = {
#define X(id, name, number) name,
	PARAMS(X)
#undef X
};

struct thread {
	uint32_t held[DEPTH_MAX];
	unsigned nheld;
	uint64_t steps; /* that count for blocks */
};

static struct thread *threads;
static bool *taken;
static uint64_t state;

static uint64_t below(uint64_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state * 0x2545f4914f6cdd1du >> 11) % n;
}

/* ---- the two forms ---- */

static FILE *text;
static struct builder *recording;
static struct version *latest; /* of each variable, then of each lock */

#define VARIABLE_AT(v) (0x100000u + 8 * (uint64_t)(v))
#define LOCK_AT(l) (0x80000000u + 64 * (uint64_t)(l))

static void emit_access(uint32_t tid, bool write, uint32_t v, uint32_t site)
{
	struct version *seen = &latest[v];
	uint64_t tseq;

	if (text) {
		fprintf(text, "T%u|%c(v%u)|%u\n", tid, write ? 'w' : 'r', v, site);
	} else if (write) {
		tseq = builder_write(recording, tid, site, VARIABLE_AT(v), 8, seen, tid, 0, NULL,
				     0);
		*seen = (struct version){ tid, tseq };
	} else {
		/* Every write stores its thread's number. */
		builder_read(recording, tid, site, VARIABLE_AT(v), 8, seen, seen->tid, 0);
	}
}

static void emit_lock(uint32_t tid, bool acquire, uint32_t l, uint32_t site)
{
	struct version *seen = &latest[param[VARIABLES] + l];
	uint64_t tseq;

	if (text) {
		fprintf(text, "T%u|%s(l%u)|%u\n", tid, acquire ? "acq" : "rel", l, site);
		return;
	}
	tseq = builder_sync(recording, tid, acquire ? FORMAT_K_ACQ : FORMAT_K_REL, 0, site,
			    LOCK_AT(l), *seen, 0, 0, 0);
	*seen = (struct version){ tid, tseq };
}

static void recording_begin(void)
{
	recording = builder_new(0);
	builder_string(recording, 1, "synthetic.c");
	builder_string(recording, 2, "locks");
	builder_global(recording, LOCK_AT(0), LOCK_AT(param[LOCKS]) - LOCK_AT(0), 2, 0);
	for (uint32_t i = 1; i <= param[SITES]; i++)
		builder_site(recording, i, 1, 0, 0, i);
	builder_thread(recording, 1, 0, 0);
	for (uint32_t tid = 2; tid <= param[THREADS]; tid++)
		builder_thread(recording, tid, 1, builder_fork(recording, 1, tid));
}

/* The reader needs to know now and then how far everybody is. */
static void recording_cut(uint64_t number)
{
	struct builder_pair *pair = calloc(param[THREADS], sizeof(*pair));

	for (uint32_t t = 0; t < param[THREADS]; t++)
		pair[t] = (struct builder_pair){ t + 1, builder_tseq(recording, t + 1) };
	builder_cut(recording, number, pair, param[THREADS]);
	for (uint32_t t = 0; t < param[THREADS]; t++)
		builder_close_chunk(recording, t + 1, 0);
	free(pair);
}

/* ---- what the threads do ---- */

static uint32_t pick_variable(const struct thread *t, uint32_t tid)
{
	uint64_t n = param[VARIABLES];
	uint64_t groups = param[LOCKS] + param[THREADS], group;

	if (below(100) < param[GUARDED] && n >= groups) {
		group = t->nheld ? t->held[t->nheld - 1] : param[LOCKS] + tid - 1;
		return (uint32_t)(group + groups * below(n / groups));
	}
	if (below(100) < param[HOT])
		return (uint32_t)below(n / 100 ? n / 100 : 1);
	return (uint32_t)below(n);
}

/* The next lock that the thread may ask for; LOCKS when there is none. */
static uint32_t pick_lock(const struct thread *t)
{
	uint64_t n = param[LOCKS], gates = param[GATES], layers = param[LAYERS];
	uint64_t last = t->nheld ? t->held[t->nheld - 1] : n;

	if (gates != 0 && t->nheld == 0)
		return (uint32_t)below(gates);
	if (gates != 0) /* those that leave the gate when divided by gates */
		return (uint32_t)(t->held[0] + gates * (1 + below((n - t->held[0] - 1) / gates)));
	if (last == n)
		return (uint32_t)below(n);
	if (param[ASCENDING])
		return (uint32_t)(last + 1 == n ? n : last + 1 + below(n - last - 1));
	if (layers != 0)
		return (uint32_t)((last + 1) % layers + layers * below(n / layers));
	return (uint32_t)below(n);
}

static void release(uint32_t tid)
{
	struct thread *t = &threads[tid];
	uint32_t l = t->held[--t->nheld];

	taken[l] = false;
	emit_lock(tid, false, l, (uint32_t)(l % param[SITES]) + 1);
}

/* Takes a lock or gives one back.  False: neither. */
static bool step_lock(uint32_t tid)
{
	struct thread *t = &threads[tid];
	uint32_t l = pick_lock(t);

	if (t->nheld == param[DEPTH] || (t->nheld != 0 && (l == param[LOCKS] || below(2)))) {
		release(tid);
		return true;
	}
	if (taken[l]) {
		if (t->nheld == 0 || param[SYNC] < 100)
			return false;
		release(tid);
		return true;
	}
	taken[l] = true;
	t->held[t->nheld++] = l;
	emit_lock(tid, true, l, (uint32_t)((l + 7) % param[SITES]) + 1);
	return true;
}

/* The event is the first or the last of a block. */
static bool step_block(uint32_t tid)
{
	uint64_t n = param[BLOCKS], at = n ? threads[tid].steps++ % (2 * n) : 1;

	if (n == 0 || (at != 0 && at != n))
		return false;
	fprintf(text, "T%u|%s|%u\n", tid, at == 0 ? "begin" : "end",
		(uint32_t)(tid % param[SITES]) + 1);
	return true;
}

static void step(void)
{
	uint32_t tid = (uint32_t)below(param[THREADS]) + 1;
	bool write;
	uint32_t v;

	if (step_block(tid))
		return;
	if (below(100) < param[SYNC] && param[LOCKS] != 0 && step_lock(tid))
		return;
	write = below(100) < param[WRITES];
	v = pick_variable(&threads[tid], tid);
	emit_access(tid, write, v, (uint32_t)((v * 2 + write) * 7919u % param[SITES]) + 1);
}

static bool take(char *arg, const char *form[1])
{
	char *value = strchr(arg, '=');

	if (!value)
		return false;
	*value++ = '\0';
	if (strcmp(arg, "form") == 0) {
		*form = value;
		return true;
	}
	for (int i = 0; i < NPARAMS; i++) {
		if (strcmp(arg, param_name[i]) == 0) {
			param[i] = strtoull(value, NULL, 10);
			return true;
		}
	}
	return false;
}

int main(int argc, char **argv)
{
	const char *form = "std", *output = argc > 1 ? argv[argc - 1] : NULL;
	const uint8_t *bytes;
	size_t n;

	for (int i = 1; i < argc - 1; i++)
		if (!take(argv[i], &form))
			output = NULL;
	if (!output || param[THREADS] == 0 || param[VARIABLES] == 0 || param[SITES] == 0 ||
	    param[DEPTH] == 0 || param[DEPTH] > DEPTH_MAX || param[LAYERS] > param[LOCKS] ||
	    param[GATES] * 2 > param[LOCKS] || (param[BLOCKS] && strcmp(form, "std") != 0)) {
		fprintf(stderr, "usage: tracegen [NAME=NUMBER...] [form=std|binary] OUTPUT\n");
		return 2;
	}
	state = param[SEED] * 0x9e3779b97f4a7c15u + 1;
	threads = calloc(param[THREADS] + 1, sizeof(*threads));
	taken = calloc(param[LOCKS] + 1, sizeof(*taken));
	latest = calloc(param[VARIABLES] + param[LOCKS] + 1, sizeof(*latest));
	if (strcmp(form, "std") == 0) {
		text = fopen(output, "w");
		if (!text) {
			perror(output);
			return 2;
		}
	} else {
		recording_begin();
	}
	for (uint64_t i = 1; i <= param[EVENTS]; i++) {
		step();
		if (recording && i % CUT_EVERY == 0)
			recording_cut(i / CUT_EVERY);
	}
	for (uint32_t tid = 1; tid <= param[THREADS]; tid++)
		while (threads[tid].nheld != 0)
			release(tid);
	if (text)
		return fclose(text) != 0;
	for (uint32_t tid = 1; tid <= param[THREADS]; tid++)
		builder_thread_end(recording, tid);
	builder_finish(recording, 0);
	bytes = builder_bytes(recording, &n);
	builder_save(output, bytes, n);
	return 0;
}
