/*
 * Properties while the program runs.
 *
 * The process follows the recording (merge/follow.h) and gives it, as it comes, to the analyses that
 * build lattices: these tell of a violation when its level is complete.  They cannot prove it, for
 * they keep two levels, and who reads while the program writes reads in an order of his own.  So the
 * ordinary analysis of the recording as it is now (analyse/pass.h) is asked, once for each property that
 * is new.  What it certifies is told, and stays true however the run goes on.
 *
 * Where that would take too long or too much memory the finding is told as what it is, not certified;
 * the report has the proof.
 *
 * A level is complete when it is known of each thread what it does next, and a thread may do nothing
 * that matters for the rest of the run.  So as long as the recording is short the ordinary analysis is
 * asked without being told to, whenever there is a quarter more of it: to it the run ends here.
 *
 * Memory: what lies between two looks at the file, and what the lattice keeps (lattice/lattice.h).
 */
#include <unistd.h>

#include "analyse/pass.h"
#include "live/live_priv.h"
#include "monitor/reading.h"
#include "recording/snapshot.h"
#include "recording/windows.h"
#include "trace/trace.h"

#define FIRST_MS 100  /* programs that end before see nothing of us */
#define LOOK 0.1      /* seconds between looks at the file */
#define LOOK_SHARE 4  /* and so many times what a look takes, which grows with the file */
#define OPEN_MOST 5.0 /* seconds between tries to begin */
/* Points that wait for a thread that does not go on: then runs are left out in which it would have.
 * The report leaves out none of them. */
#define HORIZON (1u << 14)
/* Events of a recording that is looked at as a whole to prove something, or to find it. */
#define PROOF_EVENTS 1000000u
#define SHORT_EVENTS 200000u

struct property {
	struct live_teller teller;
	struct reading reading; /* of the trace that is followed */
	void *engines[ANALYSE_ENGINES];
	uint64_t found; /* properties that were looked into, as bits */
	uint64_t seen;	/* bytes of the recording when it was looked at as a whole */
	bool is_long;	/* it is not, unless there is something to prove */
};

/* ---- what was found ---- */

static void tell_unproven(struct property *x, uint64_t found)
{
	const struct monitors *m = x->teller.a.engine.monitors;
	char words[300];

	for (uint32_t i = 0; i < m->n; i++) {
		if (!(found >> i & 1))
			continue;
		snprintf(words, sizeof(words),
			 "property '%.200s' seems violated (not proven yet; the report will say)",
			 m->at[i].name);
		live_tell_words(&x->teller, words);
	}
}

/* A copy of the recording, if it has no more than so many events and bytes enough.  False: no. */
static bool copy_make(struct property *x, uint64_t most, uint64_t bytes, struct snapshot *s)
{
	struct live_teller *t = &x->teller;
	struct windows w;
	bool good;

	if (!windows_open(&w, t->p->l->trace))
		return false;
	if (!t->p->l->opt.remote)
		t->target = (pid_t)w.blocks.head.pid;
	good = w.events <= most && w.bytes >= bytes && snapshot_make(s, &w, 0, 0);
	if (good)
		x->seen = w.bytes;
	x->is_long = w.events > SHORT_EVENTS;
	windows_close(&w);
	return good;
}

static void look_whole(struct property *x, struct snapshot *s)
{
	struct live_teller *t = &x->teller;
	struct diag d = { 0 };
	struct pass p;

	pass_init(&p, &t->a, s->path, t->p->l->trace);
	if (pass_run(&p, &d) == ST_OK && !live_over)
		live_tell_findings(t, &p, false);
	pass_release(&p);
	snapshot_close(s);
}

static void look_into(struct property *x)
{
	struct analyse *a = &x->teller.a;
	uint64_t now = 0, fresh;
	struct snapshot s;

	for (size_t i = 0; i < a->nengines; i++)
		now |= a->engines[i]->found(x->engines[i]);
	fresh = now & ~x->found;
	x->found = now;
	if (!fresh || live_over)
		return;
	if (copy_make(x, PROOF_EVENTS, 0, &s))
		look_whole(x, &s);
	else
		tell_unproven(x, fresh);
}

static void look_around(struct property *x)
{
	struct snapshot s;

	if (!x->is_long && copy_make(x, SHORT_EVENTS, x->seen + x->seen / 4 + 1, &s))
		look_whole(x, &s);
}

/* ---- following ---- */

/* The file may not be there yet, nor all that the spec names in it. */
static bool begin(struct property *x)
{
	const struct trace_options how = { .follow = true };
	struct analyse *a = &x->teller.a;
	struct diag d = { 0 };

	if (reading_open(&x->reading, x->teller.p->l->trace, &how, a->engine.monitors->spec, &d) !=
	    ST_OK) {
		reading_close(&x->reading);
		return false;
	}
	a->engine.horizon = HORIZON;
	a->engine.watch = x->reading.watch;
	a->engine.items = &x->reading.items;
	reading_steps(&x->reading, &(struct step_options){ .recycle = true });
	for (size_t i = 0; i < a->nengines; i++)
		x->engines[i] = a->engines[i]->begin(a->engines[i], &a->engine);
	a->engine.horizon = 0; /* who reads afterwards need not wait */
	return true;
}

/* All that is there.  *took: the first part of it, for which the file is looked at. */
static enum status take(struct property *x, double *took, struct diag *d)
{
	const struct analyse *a = &x->teller.a;
	double then = talk_clock();
	struct step_batch b = { 0 };
	enum status st = reading_next(&x->reading, &b, d);

	*took = talk_clock() - then;
	for (; st == ST_OK && !live_over; st = reading_next(&x->reading, &b, d)) {
		for (size_t i = 0; i < a->nengines; i++)
			a->engines[i]->steps(x->engines[i], &b);
		look_into(x);
	}
	/* No more for now: what can be built is. */
	b = (struct step_batch){ 0 };
	for (size_t i = 0; i < a->nengines; i++)
		a->engines[i]->steps(x->engines[i], &b);
	look_into(x);
	return st;
}

static void follow(struct property *x, int stop)
{
	enum status st = ST_AGAIN;
	struct diag d = { 0 };
	char words[400];
	double took;

	while (st == ST_AGAIN || st == ST_OK) {
		st = take(x, &took, &d);
		if (st == ST_AGAIN && !live_over)
			look_around(x);
		if (live_over || side_is_over(stop, (int)((LOOK + took * LOOK_SHARE) * 1000)))
			return;
	}
	if (st == ST_END)
		return;
	snprintf(words, sizeof(words), "properties are left to the report: %.300s", d.message);
	live_tell_words(&x->teller, words);
}

int live_property_work(void *arg, int stop, int say)
{
	struct property x = { 0 };
	double wait = FIRST_MS / 1000.0;

	close(say);
	live_tell_begin(&x.teller, arg);
	do {
		if (live_over || side_is_over(stop, (int)(wait * 1000)))
			return 0;
		wait = wait * 1.5 < OPEN_MOST ? wait * 1.5 : OPEN_MOST;
	} while (!begin(&x));
	follow(&x, stop);
	/* What is in memory goes with us. */
	while (!live_over && !side_is_over(stop, -1))
		;
	return 0;
}
