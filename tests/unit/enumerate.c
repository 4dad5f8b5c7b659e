#include "enumerate.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool pairs_equal(const struct pairs *a, const struct pairs *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

bool pairs_within(const struct pairs *a, const struct pairs *b)
{
	for (int i = 0; i < TINY_EVENTS; i++)
		if (a->row[i] & ~b->row[i])
			return false;
	return true;
}

void pairs_format(const struct pairs *p, char *out, size_t max)
{
	size_t n = 0;

	for (int i = 0; i < TINY_EVENTS; i++)
		for (int j = i + 1; j < TINY_EVENTS; j++)
			if (p->row[i] >> j & 1 && n + 8 < max)
				n += (size_t)snprintf(out + n, max - n, "%s%d-%d", n ? " " : "",
						      i + 1, j + 1);
	if (!n)
		snprintf(out, max, "none");
}

/* In place of a write: its content is not the observed one.  All such contents are alike. */
#define TAINTED (-2)

struct state {
	int8_t done[TINY_THREADS];
	int8_t cell[TINY_CELLS];    /* last write, TINY_INIT or TAINTED */
	int8_t last[2][TINY_LOCKS]; /* keep_locks: latest acquire so far, [1] shared mode */
	uint32_t tainted;	    /* free reads that got another value, while it matters */
};

struct node {
	struct state state;
	int parent, event; /* how it was first reached; -1 the root */
};

struct enumeration {
	const struct tiny *t;
	struct enumerate_mode mode;
	struct node *nodes;
	uint32_t n, capacity;
	uint32_t *slots, nslots; /* hash set of nodes, 1 + index */
	int last_use[TINY_EVENTS];
	struct pairs races;
	uint32_t at[TINY_EVENTS][TINY_EVENTS]; /* the node where the race was first seen */
};

static uint64_t hash(const struct state *s)
{
	const unsigned char *p = (const unsigned char *)s;
	uint64_t h = 1469598103934665603u;

	for (size_t i = 0; i < sizeof(*s); i++)
		h = (h ^ p[i]) * 1099511628211u;
	return h ^ h >> 29;
}

static uint32_t *find(struct enumeration *x, const struct state *s)
{
	uint64_t i = hash(s);

	for (;; i++) {
		uint32_t *slot = &x->slots[i & (x->nslots - 1)];

		if (!*slot || memcmp(&x->nodes[*slot - 1].state, s, sizeof(*s)) == 0)
			return slot;
	}
}

static void grow(struct enumeration *x)
{
	free(x->slots);
	x->nslots = x->nslots ? 4 * x->nslots : 1024;
	x->slots = calloc(x->nslots, sizeof(*x->slots));
	x->capacity = x->nslots / 2;
	x->nodes = realloc(x->nodes, x->capacity * sizeof(*x->nodes));
	assert(x->slots && x->nodes);
	for (uint32_t i = 0; i < x->n; i++)
		*find(x, &x->nodes[i].state) = i + 1;
}

static void reach(struct enumeration *x, const struct state *s, int parent, int event)
{
	uint32_t *slot;

	if (x->n == x->capacity)
		grow(x);
	slot = find(x, s);
	if (*slot)
		return;
	x->nodes[x->n] = (struct node){ .state = *s, .parent = parent, .event = event };
	*slot = ++x->n;
}

static bool is_done(const struct enumeration *x, const struct state *s, int event)
{
	return event == TINY_NONE || x->t->at[event].index < s->done[x->t->at[event].thread];
}

/* The next event of the thread where what must come before has happened; TINY_NONE. */
static int next_event(const struct enumeration *x, const struct state *s, int thread)
{
	int i;

	if (s->done[thread] == x->t->len[thread])
		return TINY_NONE;
	i = x->t->thread_event[thread][s->done[thread]];
	if (!is_done(x, s, x->t->at[i].before) || !is_done(x, s, x->t->at[i].joins))
		return TINY_NONE;
	return i;
}

/* The acquire can be granted. */
static bool is_free(const struct enumeration *x, const struct state *s, int acquire)
{
	for (int i = 0; i < x->t->n; i++)
		if (i != acquire && is_done(x, s, i) && tiny_exclude(x->t, i, acquire) &&
		    (x->t->at[i].partner == TINY_NONE || !is_done(x, s, x->t->at[i].partner)))
			return false;
	return true;
}

/* Whether the read gets the observed value from this content of one of its cells. */
static bool gets_observed(const struct tiny *t, struct enumerate_mode mode, int read, int cell,
			  int content)
{
	const struct tiny_event *e = &t->at[read];

	if (content == TAINTED)
		return false;
	if (content == e->rf[cell])
		return true;
	if (!mode.values || !t->values)
		return false;
	if (content == TINY_INIT)
		return t->init_known[cell] && t->init_value[cell] == e->seen;
	return t->at[content].stored == e->seen;
}

/* keep_locks: no section of the lock that excludes this one and came later is in. */
static bool keeps_order(const struct enumeration *x, struct state *s, int acquire)
{
	const struct tiny_event *e = &x->t->at[acquire];
	bool shared = e->op == TINY_RACQ;

	if (!x->mode.keep_locks)
		return true;
	if (s->last[0][e->obj] > acquire || (!shared && s->last[1][e->obj] > acquire))
		return false;
	if (s->last[shared][e->obj] < acquire)
		s->last[shared][e->obj] = (int8_t)acquire;
	return true;
}

/* Does the event; false when it cannot happen, or could not happen as observed. */
static bool step(const struct enumeration *x, struct state *s, int event)
{
	const struct tiny_event *e = &x->t->at[event];
	bool binding = !e->free || x->mode.strict;

	for (int c = 0; tiny_reads(e) && c < TINY_CELLS; c++) {
		if (!(e->cells >> c & 1) || gets_observed(x->t, x->mode, event, c, s->cell[c]))
			continue;
		if (binding)
			return false;
		s->tainted |= 1u << event;
	}
	if (e->op == TINY_USE && (e->feeds & s->tainted))
		return false;
	for (int c = 0; tiny_writes(e) && c < TINY_CELLS; c++)
		if (e->cells >> c & 1)
			s->cell[c] = (int8_t)(e->feeds & s->tainted ? TAINTED : event);
	if (tiny_acquires(e) && (!is_free(x, s, event) || !keeps_order(x, s, event)))
		return false;
	for (int q = 0; q < x->t->n; q++)
		if (x->t->at[q].thread == e->thread && x->last_use[q] <= event)
			s->tainted &= ~(1u << q);
	s->done[e->thread]++;
	return true;
}

static void look(struct enumeration *x, uint32_t node)
{
	int next[TINY_THREADS];

	for (int u = 0; u < x->t->nthreads; u++)
		next[u] = next_event(x, &x->nodes[node].state, u);
	for (int u = 0; u < x->t->nthreads; u++) {
		for (int v = u + 1; v < x->t->nthreads; v++) {
			int a = next[u], b = next[v];

			if (a == TINY_NONE || b == TINY_NONE || !tiny_conflict(x->t, a, b) ||
			    pairs_has(&x->races, a, b))
				continue;
			pairs_add(&x->races, a, b);
			x->at[a][b] = x->at[b][a] = node;
		}
	}
	for (int u = 0; u < x->t->nthreads; u++) {
		struct state s = x->nodes[node].state;

		if (next[u] != TINY_NONE && step(x, &s, next[u]))
			reach(x, &s, (int)node, next[u]);
	}
}

struct enumeration *enumerate(const struct tiny *t, struct enumerate_mode mode, uint32_t limit)
{
	struct enumeration *x = calloc(1, sizeof(*x));
	struct state s;

	assert(x);
	x->t = t;
	x->mode = mode;
	for (int q = 0; q < t->n; q++) {
		x->last_use[q] = TINY_NONE;
		for (int i = 0; i < t->n; i++)
			if (t->at[i].feeds >> q & 1)
				x->last_use[q] = i;
	}
	memset(&s, 0, sizeof(s));
	memset(s.cell, TINY_INIT, sizeof(s.cell));
	memset(s.last, TINY_NONE, sizeof(s.last));
	reach(x, &s, -1, TINY_NONE);
	for (uint32_t i = 0; i < x->n; i++) {
		if (x->n > limit) {
			enumeration_free(x);
			return NULL;
		}
		look(x, i);
	}
	return x;
}

void enumeration_free(struct enumeration *e)
{
	if (!e)
		return;
	free(e->nodes);
	free(e->slots);
	free(e);
}

const struct pairs *enumeration_races(const struct enumeration *e)
{
	return &e->races;
}

uint32_t enumeration_states(const struct enumeration *e)
{
	return e->n;
}

int enumeration_order(const struct enumeration *e, int i, int j, int *order)
{
	int back[TINY_EVENTS], n = 0;

	assert(pairs_has(&e->races, i, j));
	for (int k = (int)e->at[i][j]; e->nodes[k].parent >= 0; k = e->nodes[k].parent)
		back[n++] = e->nodes[k].event;
	for (int k = 0; k < n; k++)
		order[k] = back[n - 1 - k];
	return n;
}

/* One order as a whole: place[i] is where event i stands in it, or TINY_NONE. */
struct whole {
	const struct tiny *t;
	struct enumerate_mode mode;
	uint32_t relaxed;
	const int *order;
	int n, place[TINY_EVENTS];
};

static bool comes_before(const struct whole *w, int a, int b)
{
	return w->place[a] != TINY_NONE && (w->place[b] == TINY_NONE || w->place[a] < w->place[b]);
}

/* The last write to the cell before place k. */
static int content_at(const struct whole *w, int cell, int k)
{
	while (--k >= 0) {
		const struct tiny_event *e = &w->t->at[w->order[k]];

		if (tiny_writes(e) && e->cells >> cell & 1)
			return w->order[k];
	}
	return TINY_INIT;
}

static bool is_tainted_write(const struct whole *w, int write);

static bool is_tainted_read(const struct whole *w, int read)
{
	for (int c = 0; c < TINY_CELLS; c++) {
		int content;

		if (!(w->t->at[read].cells >> c & 1))
			continue;
		content = content_at(w, c, w->place[read]);
		if (content != TINY_INIT && is_tainted_write(w, content))
			content = TAINTED;
		if (!gets_observed(w->t, w->mode, read, c, content))
			return true;
	}
	return false;
}

static bool is_tainted_feed(const struct whole *w, int event)
{
	for (int q = 0; q < w->t->n; q++)
		if (w->t->at[event].feeds >> q & 1 && w->t->at[q].free && is_tainted_read(w, q))
			return true;
	return false;
}

static bool is_tainted_write(const struct whole *w, int write)
{
	return !w->mode.strict && is_tainted_feed(w, write);
}

/* A read that binds and got another value: what its thread does next is not known. */
static bool is_astray(const struct whole *w, int i)
{
	const struct tiny_event *e = &w->t->at[i];

	return tiny_reads(e) && (!e->free || w->mode.strict) && is_tainted_read(w, i);
}

/* The event that stands before it in its thread and the ends of hard edges, all before it. */
static bool has_its_past(const struct whole *w, int i)
{
	const struct tiny_event *e = &w->t->at[i];

	return (e->before == TINY_NONE || comes_before(w, e->before, i)) &&
	       (e->joins == TINY_NONE || (comes_before(w, e->joins, i) && !is_astray(w, e->joins)));
}

static bool sections_are_apart(const struct whole *w)
{
	for (int i = 0; i < w->n; i++) {
		for (int j = i + 1; j < w->n; j++) {
			int a = w->order[i], b = w->order[j], r = w->t->at[a].partner;

			if (!tiny_exclude(w->t, a, b))
				continue;
			if (r == TINY_NONE || w->place[r] == TINY_NONE || w->place[r] > j)
				return false;
			if (w->mode.keep_locks && a > b)
				return false;
		}
	}
	return true;
}

static bool is_last_of_thread(const struct whole *w, int i)
{
	int u = w->t->at[i].thread, k = w->t->at[i].index + 1;

	return k == w->t->len[u] || w->place[w->t->thread_event[u][k]] == TINY_NONE;
}

static bool values_are_right(const struct whole *w)
{
	for (int k = 0; k < w->n; k++) {
		int i = w->order[k];
		const struct tiny_event *e = &w->t->at[i];

		if (e->op == TINY_USE && !w->mode.strict && is_tainted_feed(w, i))
			return false;
		if (!is_astray(w, i))
			continue;
		if (e->op != TINY_READ || !(w->relaxed >> i & 1) || !is_last_of_thread(w, i))
			return false;
	}
	return true;
}

static bool is_target(const struct whole *w, int i)
{
	int before = w->t->at[i].before;

	return w->place[i] == TINY_NONE && has_its_past(w, i) &&
	       (before == TINY_NONE || !is_astray(w, before));
}

bool enumerate_witness(const struct tiny *t, const int *order, int n, int a, int b,
		       uint32_t relaxed, struct enumerate_mode mode)
{
	struct whole w = { .t = t, .mode = mode, .relaxed = relaxed, .order = order, .n = n };

	for (int i = 0; i < TINY_EVENTS; i++)
		w.place[i] = TINY_NONE;
	for (int k = 0; k < n; k++) {
		if (w.place[order[k]] != TINY_NONE)
			return false;
		w.place[order[k]] = k;
	}
	for (int k = 0; k < n; k++)
		if (!has_its_past(&w, order[k]))
			return false;
	return sections_are_apart(&w) && values_are_right(&w) && is_target(&w, a) &&
	       is_target(&w, b) && tiny_conflict(t, a, b);
}
