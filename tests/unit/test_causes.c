/*
 * Points from steps: without a spec, the lattice of the points (points_naive.h) against the runs of
 * the trace by definition (runs.h), on random tiny traces; whole batches and single events; inside
 * a box; and the order of a path.
 *
 * Environment: LONG=1 more traces; SEED=N only that one, printed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/diag.h"
#include "finding/schedule.h"
#include "lattice/causes.h"
#include "points_naive.h"
#include "runs.h"
#include "tap.h"
#include "tiny.h"
#include "trace/trace.h"
#include "trial.h"

#define TRACES 10000
#define TRACES_LONG 400000
#define CUTS 20000u

static struct tiny t;
static char text[4096];
static uint64_t seed;
static int stopped; /* event from which on nothing of its thread is part of a run; -1 none */
static uint32_t tids[TINY_EVENTS]; /* of the events, as the reader numbers threads */
static unsigned wrong, broken, split, boxed, disordered, tried, skipped;

static void complain(const char *what)
{
	static int said;

	if (said++ >= 5)
		return;
	printf("# SEED=%llu: %s\n", (unsigned long long)seed, what);
	for (const char *p = text; *p;) {
		const char *end = strchr(p, '\n');

		printf("#\t%.*s\n", (int)(end - p), p);
		p = end + 1;
	}
}

/* Whole batches, or event by event. */
static void feed(struct causes *c, const struct step_batch *b, bool single)
{
	struct step_batch part = *b;

	if (!single) {
		causes_take(c, b, NULL);
		return;
	}
	for (size_t i = 0, n; i < b->n; i += n) {
		n = 1;
		while (i + n < b->n && (b->at[i + n].flags & STEP_MORE))
			n++;
		part.at = b->at + i;
		part.n = n;
		causes_take(c, &part, NULL);
	}
}

static void walk(struct causes *c, bool single)
{
	static struct step steps[2048];
	struct diag d = { 0 };
	struct step_batch b;
	struct trace *trace;
	struct steps *s;
	char path[64];
	int fd = memfd_create("trace", MFD_CLOEXEC);

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) ||
	    trace_open(path, NULL, &trace, &d) != ST_OK)
		BUG("cannot read: %s", d.message);
	s = steps_new(trace, NULL);
	while (steps_next(s, &b, &d) == ST_OK) {
		memcpy(steps, b.at, b.n * sizeof(*steps));
		for (size_t i = 0; i < b.n; i++) {
			tids[b.at[i].pos - 1] = b.at[i].tid;
			if ((int)b.at[i].pos - 1 == stopped && !(b.at[i].flags & STEP_MORE))
				steps[i].flags |= STEP_STOP;
		}
		b.at = steps;
		feed(c, &b, single);
	}
	causes_finish(c);
	steps_free(s);
	trace_close(trace);
	close(fd);
}

static void points_of(struct points_naive *p, enum runs_kind kind, const uint32_t *box, bool single)
{
	struct causes_options opt = { .kind = kind == RUNS_MVC ? CAUSES_MVC : CAUSES_WEAK,
				      .box = box,
				      .nbox = box ? NAIVE_LANES : 0 };
	struct point_sink sink = points_naive_sink(p);
	struct causes *c = causes_new(&opt, &sink);

	memset(p, 0, sizeof(*p));
	walk(c, single);
	causes_free(c);
	broken += p->broken != NULL;
	if (p->broken)
		complain(p->broken);
}

/* ---- boxes and paths ---- */

/* A way through the lattice at random; as masks, at most NAIVE_POINTS + 1.  Its length. */
static uint32_t stroll(const struct points_naive *p, struct tiny_rng *rng, uint32_t *way)
{
	uint32_t done = 0, n = 0;

	for (;;) {
		uint32_t next[NAIVE_POINTS], k = 0;

		for (uint32_t i = 0; i < p->n; i++)
			if (points_naive_enabled(p, done, i))
				next[k++] = i;
		if (k == 0 || tiny_chance(rng, 5))
			return n;
		way[n] = next[tiny_below(rng, k)];
		done |= 1u << way[n++];
	}
}

/* Inside the box of a cut the way that leads there is one still. */
static bool box_has(const struct points_naive *all, enum runs_kind kind, const uint32_t *way,
		    uint32_t n)
{
	static struct points_naive p;
	uint32_t box[NAIVE_LANES] = { 0 }, done = 0;

	for (uint32_t i = 0; i < n; i++)
		box[all->at[way[i]].lane]++;
	points_of(&p, kind, box, false);
	if (p.n != n)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = 0;

		while (p.at[k].pos != all->at[way[i]].pos)
			k++;
		if (!points_naive_enabled(&p, done, k))
			return false;
		done |= 1u << k;
	}
	return true;
}

/* Every event is a point, so the order is the path. */
static bool order_is(const struct points_naive *p, enum runs_kind kind, const uint32_t *way,
		     uint32_t n)
{
	uint64_t path[NAIVE_POINTS], *at = path;
	struct causes_options opt = { .kind = kind == RUNS_MVC ? CAUSES_MVC : CAUSES_WEAK,
				      .path = path,
				      .npath = n };
	struct schedule got = { 0 };
	struct causes *c;
	bool same;

	for (uint32_t i = 0; i < n; i++)
		path[i] = p->at[way[i]].pos;
	c = causes_new(&opt, NULL);
	walk(c, false);
	causes_order(c, &got);
	/* What the counts say is in observed order. */
	for (int e = 0; e < t.n; e++)
		if (tids[e] < got.count.n && (uint64_t)t.at[e].index < got.count.at[tids[e]] &&
		    *at++ != (uint64_t)e + 1)
			break;
	same = (size_t)(at - path) + got.tail.n == n &&
	       (got.tail.n == 0 || !memcmp(at, got.tail.at, got.tail.n * sizeof(*at)));
	schedule_release(&got);
	causes_free(c);
	return same;
}

static void try_way(const struct points_naive *p, enum runs_kind kind)
{
	struct tiny_rng rng = { seed };
	uint32_t way[NAIVE_POINTS], n = stroll(p, &rng, way);

	if (n == 0)
		return;
	if (!box_has(p, kind, way, n)) {
		boxed++;
		complain("a way is gone inside its box");
	}
	if (!order_is(p, kind, way, n)) {
		disordered++;
		complain("the order is not the path");
	}
}

/* ---- counts ---- */

static void try_kind(enum runs_kind kind, bool exactly)
{
	static struct points_naive p, q;
	uint32_t absent = stopped < 0 ? 0 : runs_absent(&t, kind, 1u << stopped);
	struct runs_counts want, got;
	char what[300];
	if (!runs_count(&t, kind, absent, CUTS, &want)) {
		skipped++;
		return;
	}
	tried++;
	points_of(&p, kind, NULL, false);
	if (!points_naive_count(&p, CUTS, &got) ||
	    (exactly ? memcmp(&got, &want, sizeof(got)) != 0
		     : got.cuts > want.cuts || got.runs > want.runs ||
			       (got.runs == 0 && want.runs != 0))) {
		wrong++;
		snprintf(what, sizeof(what),
			 "%s: %llu cuts, %llu edges, %llu runs, %llu dead ends; not %llu, %llu, "
			 "%llu, %llu",
			 kind == RUNS_MVC ? "mvc" : "weak", (unsigned long long)got.cuts,
			 (unsigned long long)got.edges, (unsigned long long)got.runs,
			 (unsigned long long)got.dead_ends, (unsigned long long)want.cuts,
			 (unsigned long long)want.edges, (unsigned long long)want.runs,
			 (unsigned long long)want.dead_ends);
		complain(what);
	}
	points_of(&q, kind, NULL, true);
	split += memcmp(&p, &q, sizeof(p)) != 0;
	try_way(&p, kind);
}

static void try_trace(void)
{
	static const unsigned features[] = {
		0,
		TINY_RWLOCKS,
		TINY_ATOMICS,
		TINY_LOCKING | TINY_RWLOCKS | TINY_TRIES,
		TINY_HALVES,
		TINY_HALVES | TINY_ATOMICS | TINY_RWLOCKS,
		TINY_WAITS | TINY_LOCKING,
		TINY_WAITS,
	};
	unsigned f = features[seed % 8];

	tiny_random(&t, seed, 5 + (int)(seed / 8 % 12), f);
	tiny_print(
		&t, text,
		sizeof(text)); /* Of read locks more is left out than need be; an acquire that is stopped spoils its lock. */
	stopped = -1;
	if (!(f & TINY_RWLOCKS) && seed % 3 == 0)
		stopped = (int)(seed / 7 % (uint64_t)t.n);
	if (stopped >= 0 && tiny_acquires(&t.at[stopped]))
		stopped = -1;
	try_kind(RUNS_MVC, true);
	try_kind(RUNS_WEAK, !(f & TINY_HALVES));
}

int main(void)
{
	struct trial_seeds seeds = trial_seeds(TRACES, TRACES_LONG);

	for (seed = seeds.from; seed < seeds.from + seeds.n; seed++) {
		try_trace();
		if (seeds.n == 1)
			complain("the trace");
	}
	TAP_EQ(broken, 0, "points come by the rules");
	TAP_EQ(wrong, 0, "%u lattices have the cuts and runs of the definition (%u too large)",
	       tried, skipped);
	TAP_EQ(split, 0, "event by event is the same as all at once");
	TAP_EQ(boxed, 0, "inside the box of a cut are the ways to it");
	TAP_EQ(disordered, 0, "the order of a path is the path");
	return tap_done();
}
