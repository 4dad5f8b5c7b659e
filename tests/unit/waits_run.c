/*
 * Each thread has a script of blocks; a scheduler takes steps at random until nobody can go on.  So
 * some runs end with threads that wait.
 */
#include "waits_run.h"

#include <stdio.h>
#include <string.h>

#define SCRIPT 16 /* steps of one thread */
#define LOCKS 2

static uint64_t seed;

static int pick(int n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (int)((seed >> 33) % (uint64_t)n);
}

/* ---- making a run ---- */

struct script {
	int n;
	struct {
		enum waits_op op;
		int obj;
	} at[SCRIPT];
};

static void script_add(struct script *s, enum waits_op op, int obj)
{
	if (s->n < SCRIPT) {
		s->at[s->n].op = op;
		s->at[s->n++].obj = obj;
	}
}

static void script_access(struct script *s)
{
	script_add(s, pick(2) ? READ : WRITE, pick(WAITS_VARS));
}

static void script_block(struct script *s)
{
	int kind = pick(6), outer = pick(3) == 0, inner = !outer && kind >= 4 && pick(3) == 0;

	if (kind == 0)
		script_access(s);
	if (kind == 1)
		script_add(s, SIGNAL + pick(2), 0);
	if (kind < 2)
		return;
	if (s->n + 10 > SCRIPT)
		return;
	if (outer)
		script_add(s, ACQ, 0);
	script_add(s, ACQ, 1);
	if (pick(2))
		script_access(s);
	if (kind < 4)
		script_add(s, WAIT, 0);
	if (inner)
		script_add(s, ACQ, 0);
	if (kind >= 4 && pick(2))
		script_add(s, SIGNAL + pick(2), 0);
	if (pick(2))
		script_access(s);
	if (inner)
		script_add(s, REL, 0);
	script_add(s, REL, 1);
	if (outer)
		script_add(s, REL, 0);
}

/* While a run is made. */
struct sim {
	struct script script[WAITS_THREADS];
	int pc[WAITS_THREADS], owner[LOCKS], last[WAITS_VARS];
	int parked[WAITS_THREADS],
		by[WAITS_THREADS]; /* its PARK, and the signal that woke it, or WAITS_NONE */
	bool woken[WAITS_THREADS]; /* WAKE done, lock to be taken */
};

static int emit(struct waits_run *r, int thread, enum waits_op op, int obj)
{
	r->at[r->n] =
		(struct waits_deed){ .op = op, .thread = thread, .obj = obj, .from = WAITS_NONE };
	r->list[thread][r->len[thread]++] = r->n;
	return r->n++;
}

static void sim_notify(struct sim *s, enum waits_op op, int e)
{
	int start = pick(WAITS_THREADS);

	for (int i = 0; i < WAITS_THREADS; i++) {
		int t = (start + i) % WAITS_THREADS;

		if (s->parked[t] == WAITS_NONE || s->by[t] != WAITS_NONE)
			continue;
		s->by[t] = e;
		if (op == SIGNAL)
			return;
	}
}

/* A thread in its wait.  False: it cannot go on. */
static bool sim_wait(struct sim *s, struct waits_run *r, int t)
{
	int e;

	if (s->by[t] == WAITS_NONE || (s->woken[t] && s->owner[1] != WAITS_NONE))
		return false;
	if (!s->woken[t]) {
		e = emit(r, t, WAKE, 0);
		r->at[e].from = s->by[t];
		r->at[e].park = s->parked[t];
		s->woken[t] = true;
		return true;
	}
	e = emit(r, t, ACQ, 1);
	r->at[e].in_wait = true;
	s->owner[1] = t;
	s->parked[t] = s->by[t] = WAITS_NONE;
	s->woken[t] = false;
	s->pc[t]++;
	return true;
}

static bool sim_step(struct sim *s, struct waits_run *r, int t)
{
	enum waits_op op = s->script[t].at[s->pc[t]].op;
	int obj = s->script[t].at[s->pc[t]].obj, e;

	if (s->pc[t] == s->script[t].n || r->n + 2 > WAITS_EVENTS)
		return false;
	if (s->parked[t] != WAITS_NONE)
		return sim_wait(s, r, t);
	if (op == ACQ && s->owner[obj] != WAITS_NONE)
		return false;
	if (op == WAIT) {
		r->at[emit(r, t, REL, 1)].in_wait = true;
		s->parked[t] = emit(r, t, PARK, 0);
		s->owner[1] = WAITS_NONE;
		return true;
	}
	e = emit(r, t, op, obj);
	s->pc[t]++;
	if (op == ACQ || op == REL)
		s->owner[obj] = op == ACQ ? t : WAITS_NONE;
	if (op == WRITE)
		s->last[obj] = e;
	if (op == READ) {
		r->at[e].from = s->last[obj];
		r->at[e].free = pick(3) == 0;
	}
	if (op == SIGNAL || op == BROADCAST)
		sim_notify(s, op, e);
	return true;
}

/* Who waits for a lock at the end has asked for it. */
static void sim_end(const struct sim *s, struct waits_run *r)
{
	for (int t = 0; t < WAITS_THREADS; t++) {
		int lock = s->script[t].at[s->pc[t]].obj;

		if (s->pc[t] < s->script[t].n && s->parked[t] == WAITS_NONE &&
		    s->script[t].at[s->pc[t]].op == ACQ && s->owner[lock] != WAITS_NONE &&
		    r->n < WAITS_EVENTS)
			emit(r, t, REQ, lock);
	}
}

static void run_print(struct waits_run *r)
{
	size_t n = (size_t)snprintf(r->text, sizeof(r->text), "#fmt 1\n");

	for (int i = 0; i < r->n; i++) {
		const struct waits_deed *e = &r->at[i];
		char what[40];

		switch (e->op) {
		case READ:
		case WRITE:
			snprintf(what, sizeof(what), "%s(x%d)%s", e->op == READ ? "r" : "w", e->obj,
				 e->free ? "~" : "");
			break;
		case ACQ:
		case REL:
		case REQ:
			snprintf(what, sizeof(what), "%s(%s)%s",
				 e->op == ACQ	? "acq"
				 : e->op == REL ? "rel"
						: "req",
				 e->obj ? "m" : "g", e->in_wait ? "!wait" : "");
			break;
		case PARK:
			snprintf(what, sizeof(what), "park(c,m)");
			break;
		case WAKE:
			snprintf(what, sizeof(what), "wake(c)<%d", e->from + 1);
			break;
		default:
			snprintf(what, sizeof(what), "%s(c)",
				 e->op == SIGNAL ? "signal" : "broadcast");
			break;
		}
		n += (size_t)snprintf(r->text + n, sizeof(r->text) - n, "T%d|%s|%d\n",
				      e->thread + 1, what, i + 1);
	}
}

void waits_run_make(struct waits_run *r, uint64_t from)
{
	struct sim s = { .owner = { WAITS_NONE, WAITS_NONE }, .last = { WAITS_NONE, WAITS_NONE } };
	bool moved = true;

	seed = from * 0x9e3779b97f4a7c15u;
	memset(r, 0, sizeof(*r));
	for (int t = 0; t < WAITS_THREADS; t++) {
		s.parked[t] = s.by[t] = WAITS_NONE;
		if (t == 0)
			script_access(&s.script[t]); /* without any, it is a run of locks only */
		for (int blocks = 1 + pick(3); blocks > 0; blocks--)
			script_block(&s.script[t]);
	}
	while (moved) {
		int start = pick(WAITS_THREADS);

		moved = false;
		for (int i = 0; i < WAITS_THREADS && !moved; i++)
			moved = sim_step(&s, r, (start + i) % WAITS_THREADS);
	}
	sim_end(&s, r);
	run_print(r);
}
