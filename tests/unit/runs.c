#include "runs.h"

#include <stdlib.h>
#include <string.h>

static bool has(uint32_t done, int e)
{
	return done >> e & 1;
}

/* ---- what both have ---- */

/* The wait had begun and not ended when the signal came. */
static bool waits_for(const struct tiny *t, int park, int signal)
{
	const struct tiny_event *p = &t->at[park], *s = &t->at[signal];
	int next = p->index + 1;

	if (p->op != TINY_PARK || !tiny_signals(s) || p->obj != s->obj || park > signal)
		return false;
	return next >= t->len[p->thread] || t->thread_event[p->thread][next] > signal;
}

static bool must_before(const struct tiny *t, int a, int b)
{
	const struct tiny_event *e = &t->at[b];

	return a == e->before || (e->op == TINY_JOIN && a == e->joins) ||
	       (e->op == TINY_WAKE && a == e->cause) || waits_for(t, a, b);
}

static bool is_lock(const struct tiny_event *e)
{
	return e->op >= TINY_ACQ && e->op <= TINY_RREL;
}

static bool reads_lock(const struct tiny_event *e)
{
	return e->op == TINY_RACQ || e->op == TINY_RREL;
}

/* ---- mvc ---- */

static bool keeps_order(const struct tiny *t, int a, int b)
{
	const struct tiny_event *x = &t->at[a], *y = &t->at[b];

	if (must_before(t, a, b))
		return true;
	if (tiny_is_access(x) && tiny_is_access(y))
		return (x->cells & y->cells) && (tiny_writes(x) || tiny_writes(y));
	return is_lock(x) && is_lock(y) && x->obj == y->obj && !(reads_lock(x) && reads_lock(y));
}

/* ---- weak ---- */

/* The write whose set the access of cell c is in: a read-modify-write goes on with the set of what
 * it read. */
static int root(const struct tiny *t, int e, int c)
{
	while (e != TINY_INIT && t->at[e].op != TINY_WRITE)
		e = t->at[e].rf[c];
	return e;
}

static bool touches(const struct tiny *t, int e, int c)
{
	return tiny_is_access(&t->at[e]) && (t->at[e].cells >> c & 1);
}

/* Another set of the cell has begun, or began with the program, and is not complete. */
static bool in_the_way(const struct tiny *t, uint32_t absent, uint32_t done, int mine, int c)
{
	for (int i = 0; i < t->n; i++) {
		int other;

		if (!touches(t, i, c) || has(done | absent, i))
			continue;
		other = root(t, i, c);
		if (other != mine && (other == TINY_INIT || has(done, other)))
			return true;
	}
	return false;
}

/* An access before it in its set: the write it reads; of a read-modify-write, the readers of that
 * too. */
static bool is_ready(const struct tiny *t, uint32_t absent, uint32_t done, int e, int c)
{
	int from = t->at[e].rf[c];

	if (!tiny_reads(&t->at[e]))
		return true;
	if (from != TINY_INIT && !has(done, from))
		return false;
	for (int i = 0; i < t->n && t->at[e].op == TINY_RMW; i++)
		if (i != e && touches(t, i, c) && tiny_reads(&t->at[i]) && t->at[i].rf[c] == from &&
		    !has(done | absent, i))
			return false;
	return true;
}

static bool is_new_after_init(const struct tiny *t, uint32_t done, int mine, int c)
{
	for (int i = 0; i < t->n && mine == TINY_INIT; i++)
		if (touches(t, i, c) && has(done, i) && root(t, i, c) != TINY_INIT)
			return true;
	return false;
}

static bool access_fits(const struct tiny *t, uint32_t absent, uint32_t done, int e)
{
	for (int c = 0; c < TINY_CELLS; c++) {
		int mine;

		if (!touches(t, e, c))
			continue;
		mine = root(t, e, c);
		if (!is_ready(t, absent, done, e, c) || in_the_way(t, absent, done, mine, c) ||
		    is_new_after_init(t, done, mine, c))
			return false;
	}
	return true;
}

static bool lock_fits(const struct tiny *t, uint32_t done, int e)
{
	for (int i = 0; i < t->n; i++)
		if (i != e && tiny_acquires(&t->at[i]) && has(done, i) && tiny_exclude(t, i, e) &&
		    (t->at[i].partner == TINY_NONE || !has(done, t->at[i].partner)))
			return false;
	return true;
}

static bool leaves_locked(const struct tiny *t, uint32_t absent, int section, int e)
{
	const struct tiny_event *a = &t->at[section];

	return tiny_acquires(a) && !has(absent, section) && is_lock(&t->at[e]) &&
	       a->obj == t->at[e].obj && a->partner != TINY_NONE && a->partner < e &&
	       has(absent, a->partner);
}

static bool reads_from(const struct tiny *t, int write, int e)
{
	for (int c = 0; c < TINY_CELLS && tiny_reads(&t->at[e]); c++)
		if (touches(t, e, c) && t->at[e].rf[c] == write)
			return true;
	return false;
}

uint32_t runs_absent(const struct tiny *t, enum runs_kind kind, uint32_t stopped)
{
	uint32_t absent = stopped;

	/* What follows comes later. */
	for (int e = 0; e < t->n; e++)
		for (int i = 0; i < e; i++) {
			bool needs = (must_before(t, i, e) && !waits_for(t, i, e)) ||
				     reads_from(t, i, e);

			if ((has(absent, i) && needs) ||
			    (kind == RUNS_MVC && leaves_locked(t, absent, i, e)))
				absent |= 1u << e;
		}
	return absent;
}

bool runs_enabled(const struct tiny *t, enum runs_kind kind, uint32_t absent, uint32_t done, int e)
{
	if (has(done | absent, e))
		return false;
	for (int i = 0; i < t->n; i++) {
		bool needs =
			kind == RUNS_MVC ? i < e && keeps_order(t, i, e) : must_before(t, i, e);

		if (needs && !has(done | absent, i))
			return false;
	}
	if (kind == RUNS_MVC)
		return true;
	if (tiny_is_access(&t->at[e]))
		return access_fits(t, absent, done, e);
	return !tiny_acquires(&t->at[e]) || lock_fits(t, done, e);
}

/* ---- counts ---- */

struct level {
	uint32_t *mask;
	uint64_t *runs;
	uint32_t n, room;
};

static void level_add(struct level *l, uint32_t mask, uint64_t runs)
{
	uint32_t i = 0;

	while (i < l->n && l->mask[i] != mask)
		i++;
	if (i == l->n) {
		if (l->n == l->room) {
			l->room = l->room ? 2 * l->room : 64;
			l->mask = realloc(l->mask, l->room * sizeof(*l->mask));
			l->runs = realloc(l->runs, l->room * sizeof(*l->runs));
			if (!l->mask || !l->runs)
				abort();
		}
		l->mask[l->n] = mask;
		l->runs[l->n++] = 0;
	}
	l->runs[i] += runs;
}

static void level_free(struct level *l)
{
	free(l->mask);
	free(l->runs);
	memset(l, 0, sizeof(*l));
}

static void level_next(const struct tiny *t, enum runs_kind kind, uint32_t absent,
		       const struct level *now, struct level *next, struct runs_counts *out)
{
	for (uint32_t i = 0; i < now->n; i++) {
		unsigned moves = 0;

		for (int e = 0; e < t->n; e++)
			if (runs_enabled(t, kind, absent, now->mask[i], e)) {
				level_add(next, now->mask[i] | 1u << e, now->runs[i]);
				moves++;
			}
		out->edges += moves;
		if (moves == 0 && (now->mask[i] | absent) != (1u << t->n) - 1)
			out->dead_ends++;
	}
}

bool runs_count(const struct tiny *t, enum runs_kind kind, uint32_t absent, uint32_t limit,
		struct runs_counts *out)
{
	struct level now = { 0 }, next = { 0 };

	memset(out, 0, sizeof(*out));
	level_add(&now, 0, 1);
	while (now.n && out->cuts <= limit) {
		out->cuts += now.n;
		out->widest = now.n > out->widest ? now.n : out->widest;
		if ((now.mask[0] | absent) == (1u << t->n) - 1)
			out->runs = now.runs[0];
		level_next(t, kind, absent, &now, &next, out);
		level_free(&now);
		now = next;
		memset(&next, 0, sizeof(next));
	}
	level_free(&now);
	return out->cuts <= limit;
}
