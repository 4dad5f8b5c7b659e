/*
 * Orders on the events of a tiny trace, as their definitions read: edges, closed until nothing
 * changes.
 */
#include "enumerate.h"

#include <string.h>

/* Bit b of row[a]: a before b. */
struct relation {
	uint32_t row[TINY_EVENTS];
};

static bool is_before(const struct relation *r, int a, int b)
{
	return r->row[a] >> b & 1;
}

static void close_over(struct relation *r, int n)
{
	for (int k = 0; k < n; k++)
		for (int i = 0; i < n; i++)
			if (is_before(r, i, k))
				r->row[i] |= r->row[k];
}

static void add_hard(const struct tiny *t, struct relation *r)
{
	for (int i = 0; i < t->n; i++) {
		if (t->at[i].before != TINY_NONE)
			r->row[t->at[i].before] |= 1u << i;
		if (t->at[i].joins != TINY_NONE)
			r->row[t->at[i].joins] |= 1u << i;
	}
}

/* A release before every later acquire that its section excludes. */
static void add_locks(const struct tiny *t, struct relation *r)
{
	for (int a = 0; a < t->n; a++)
		for (int b = a + 1; b < t->n; b++)
			if (tiny_exclude(t, a, b))
				r->row[t->at[a].partner] |= 1u << b;
}

/* What follows event b in its thread, or joins that. */
static uint32_t followers(const struct tiny *t, int b)
{
	int u = t->at[b].thread, next = t->at[b].index + 1;
	uint32_t joins = 0;

	if (next < t->len[u])
		return 1u << t->thread_event[u][next];
	for (int i = 0; i < t->n; i++)
		if (t->at[i].joins == b)
			joins |= 1u << i;
	return joins;
}

/* The same, but before what follows the acquire: when that is called, as it may be while somebody
 * destroys the lock, nothing is ordered yet. */
static void add_locks_had(const struct tiny *t, struct relation *r)
{
	for (int a = 0; a < t->n; a++)
		for (int b = a + 1; b < t->n; b++)
			if (tiny_exclude(t, a, b))
				r->row[t->at[a].partner] |= followers(t, b);
}

/*
 * An acquiring read of a release, or of an unbroken sequence of read-modify-writes after one,
 * comes after the release.  wide: it comes after every release before it, whatever it read.
 */
static void add_atomics(const struct tiny *t, bool wide, struct relation *r)
{
	for (int i = 0; i < t->n; i++) {
		const struct tiny_event *e = &t->at[i];

		if (!tiny_reads(e) || e->order != TINY_SEQ_CST)
			continue;
		for (int w = 0; wide && w < i; w++)
			if (tiny_writes(&t->at[w]) && (t->at[w].cells & e->cells) &&
			    t->at[w].order == TINY_SEQ_CST)
				r->row[w] |= 1u << i;
		for (int c = 0; c < TINY_CELLS; c++) {
			int w = e->cells >> c & 1 ? e->rf[c] : TINY_INIT;

			while (w != TINY_INIT && t->at[w].order != TINY_PLAIN) {
				if (t->at[w].order == TINY_SEQ_CST)
					r->row[w] |= 1u << i;
				if (t->at[w].op != TINY_RMW)
					break;
				w = t->at[w].rf[c];
			}
		}
	}
}

static void happens_before(const struct tiny *t, bool wide, struct relation *r)
{
	memset(r, 0, sizeof(*r));
	add_hard(t, r);
	add_locks_had(t, r);
	add_atomics(t, wide, r);
	close_over(r, t->n);
}

static void unordered(const struct tiny *t, const struct relation *r, struct pairs *out)
{
	memset(out, 0, sizeof(*out));
	for (int a = 0; a < t->n; a++)
		for (int b = a + 1; b < t->n; b++)
			if (tiny_conflict(t, a, b) && !is_before(r, a, b))
				pairs_add(out, a, b);
}

void enumerate_hb(const struct tiny *t, bool wide, struct pairs *out)
{
	struct relation r;

	happens_before(t, wide, &r);
	unordered(t, &r, out);
}

/* A use after what made the lock, and a destroy after all releases. */
static void add_lives(const struct tiny *t, struct relation *r)
{
	for (int i = 0; i < t->n; i++) {
		const struct tiny_event *e = &t->at[i];

		if (tiny_lives(e) && e->life != TINY_NONE)
			r->row[e->life] |= 1u << i;
		for (int a = 0; e->op == TINY_DESTROY && a < i; a++)
			if (tiny_acquires(&t->at[a]) && t->at[a].obj == e->obj &&
			    t->at[a].life == e->life)
				r->row[t->at[a].partner] |= 1u << i;
	}
}

void enumerate_shb(const struct tiny *t, struct pairs *out)
{
	struct relation r;

	happens_before(t, false, &r);
	add_locks(t, &r);
	for (int i = 0; i < t->n; i++)
		for (int c = 0; tiny_reads(&t->at[i]) && c < TINY_CELLS; c++)
			if (t->at[i].cells >> c & 1 && t->at[i].rf[c] != TINY_INIT)
				r.row[t->at[i].rf[c]] |= 1u << i;
	add_lives(t, &r);
	close_over(&r, t->n);
	memset(out, 0, sizeof(*out));
	for (int a = 0; a < t->n; a++) {
		for (int b = a + 1; b < t->n; b++) {
			/* Accesses are no joins: one event is right before b. */
			int p = t->at[b].before;

			if (tiny_conflict(t, a, b) &&
			    (p == TINY_NONE || (p != a && !is_before(&r, a, p))))
				pairs_add(out, a, b);
		}
	}
}

/* Event i lies in the section of the acquire, its ends included. */
static bool is_within(const struct tiny *t, int i, int acquire)
{
	int release = t->at[acquire].partner;

	return t->at[i].thread == t->at[acquire].thread && i >= acquire &&
	       (release == TINY_NONE || i <= release);
}

/* A conflict; wide: of two atomic accesses too. */
static bool wcp_conflict(const struct tiny *t, bool wide, int a, int b)
{
	const struct tiny_event *x = &t->at[a], *y = &t->at[b];

	return tiny_conflict(t, a, b) ||
	       (wide && tiny_is_access(x) && tiny_is_access(y) && x->thread != y->thread &&
		(x->cells & y->cells) && (tiny_writes(x) || tiny_writes(y)));
}

/* Rule a: a release comes before what conflicts with its section, within a later section. */
static void wcp_conflicts(const struct tiny *t, bool wide, struct relation *w)
{
	for (int a = 0; a < t->n; a++) {
		for (int b = a + 1; b < t->n; b++) {
			if (!tiny_exclude(t, a, b))
				continue;
			for (int i = a; i < b; i++)
				for (int j = b; j < t->n; j++)
					if (is_within(t, i, a) && is_within(t, j, b) &&
					    wcp_conflict(t, wide, i, j))
						w->row[t->at[a].partner] |= 1u << j;
		}
	}
}

/* Rule b: releases of one lock, when something of the one section is before something of the
 * other.  True if the relation grew. */
static bool wcp_sections(const struct tiny *t, struct relation *w)
{
	bool grew = false;

	for (int a = 0; a < t->n; a++) {
		for (int b = a + 1; b < t->n; b++) {
			int r1 = t->at[a].partner, r2 = t->at[b].partner;
			bool found = false;

			if (!tiny_exclude(t, a, b) || r2 == TINY_NONE || is_before(w, r1, r2))
				continue;
			for (int i = a; i <= r1; i++)
				for (int j = b; j <= r2; j++)
					found |= is_within(t, i, a) && is_within(t, j, b) &&
						 is_before(w, i, j);
			if (found)
				w->row[r1] |= 1u << r2;
			grew |= found;
		}
	}
	return grew;
}

/* Rule c: composed with happens-before on either side. */
static bool wcp_compose(const struct tiny *t, const struct relation *hb, struct relation *w)
{
	bool grew = false;

	for (int a = 0; a < t->n; a++) {
		uint32_t old = w->row[a];

		for (int k = 0; k < t->n; k++) {
			if (is_before(w, a, k))
				w->row[a] |= hb->row[k];
			if (is_before(hb, a, k))
				w->row[a] |= w->row[k];
		}
		grew |= w->row[a] != old;
	}
	return grew;
}

void enumerate_wcp(const struct tiny *t, bool wide, struct pairs *out)
{
	struct relation hb, w = { 0 };

	happens_before(t, wide, &hb);
	for (int i = 0; i < t->n; i++) {
		int p = t->at[i].before;

		if (p != TINY_NONE && t->at[p].thread != t->at[i].thread)
			w.row[p] |= 1u << i;
		if (t->at[i].joins != TINY_NONE)
			w.row[t->at[i].joins] |= 1u << i;
	}
	/* Who joins a thread that ends with an acquire joins what that waited for. */
	for (int a = 0; a < t->n; a++)
		for (int b = a + 1; b < t->n; b++)
			if (tiny_exclude(t, a, b) && t->at[b].index + 1 == t->len[t->at[b].thread])
				w.row[t->at[a].partner] |= followers(t, b);
	if (wide)
		add_atomics(t, true, &w);
	wcp_conflicts(t, wide, &w);
	while (wcp_compose(t, &hb, &w) || wcp_sections(t, &w))
		;
	unordered(t, &w, out);
}
