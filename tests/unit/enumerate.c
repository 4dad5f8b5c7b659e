#include "enumerate_priv.h"

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

void enumeration_reach(struct enumeration *x, const struct state *s, int parent, int event)
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

bool enumeration_has(const struct enumeration *x, const struct state *s, int event)
{
	return event == TINY_NONE || x->t->at[event].index < s->done[x->t->at[event].thread];
}

/* The next event of the thread where what must come before has happened; TINY_NONE. */
int enumeration_next(const struct enumeration *x, const struct state *s, int thread)
{
	int i;

	if (s->done[thread] == x->t->len[thread] || s->frozen >> thread & 1)
		return TINY_NONE;
	i = x->t->thread_event[thread][s->done[thread]];
	if (!enumeration_has(x, s, x->t->at[i].before) || !enumeration_has(x, s, x->t->at[i].joins))
		return TINY_NONE;
	for (int g = 0; g < i; g++)
		if (x->t->at[i].takes >> g & 1 && !enumeration_has(x, s, g))
			return TINY_NONE;
	if (x->t->at[i].op == TINY_JOIN && s->frozen >> x->t->at[i].obj & 1)
		return TINY_NONE;
	return i;
}

/* The acquire can be granted. */
static bool is_free(const struct enumeration *x, const struct state *s, int acquire)
{
	for (int i = 0; i < x->t->n; i++)
		if (i != acquire && enumeration_has(x, s, i) && tiny_exclude(x->t, i, acquire) &&
		    (x->t->at[i].partner == TINY_NONE ||
		     !enumeration_has(x, s, x->t->at[i].partner)))
			return false;
	return true;
}

/* Nobody holds the lock that it destroys. */
static bool is_nobodys(const struct enumeration *x, const struct state *s, int destroy)
{
	const struct tiny_event *e = &x->t->at[destroy];

	for (int i = 0; i < x->t->n; i++) {
		const struct tiny_event *a = &x->t->at[i];

		if (tiny_acquires(a) && a->obj == e->obj && a->life == e->life &&
		    enumeration_has(x, s, i) &&
		    (a->partner == TINY_NONE || !enumeration_has(x, s, a->partner)))
			return false;
	}
	return true;
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

/* The thread holds the lock so that another acquire of it, for reading or for writing, must wait. */
static bool holds(const struct enumeration *x, const struct state *s, int thread, int lock,
		  bool reads)
{
	for (int i = 0; i < x->t->n; i++) {
		const struct tiny_event *e = &x->t->at[i];

		if (e->thread == thread && tiny_acquires(e) && e->obj == lock &&
		    enumeration_has(x, s, i) && (e->op == TINY_ACQ || !reads) &&
		    (e->partner == TINY_NONE || !enumeration_has(x, s, e->partner)))
			return true;
	}
	return false;
}

/* The thread waits on the condition: it has let go of its mutex, and was not woken. */
static bool is_waiting(const struct enumeration *x, const struct state *s, int u, int cond)
{
	const struct tiny *t = x->t;

	for (int k = s->done[u] - 1; k >= 0; k--) {
		const struct tiny_event *e = &t->at[t->thread_event[u][k]];

		if (e->op == TINY_WAKE)
			break;
		if (e->park != TINY_NONE && t->at[e->park].obj == cond)
			return true;
	}
	return false;
}

static void do_signal(const struct enumeration *x, struct state *s, int signal)
{
	int cond = x->t->at[signal].obj;
	bool awaited = false;

	for (int w = 0; w < x->t->n; w++)
		if (x->t->at[w].op == TINY_WAKE && x->t->at[w].cause == signal &&
		    !enumeration_has(x, s, x->t->at[w].park))
			s->spoilt |= 1u << w;
	for (int u = 0; u < x->t->nthreads; u++) {
		if (!is_waiting(x, s, u, cond))
			continue;
		awaited = true;
		s->called |= 1u << u;
	}
	if (!awaited)
		s->lost |= 1u << signal;
}

static bool can_wake(const struct enumeration *x, const struct state *s, int wake)
{
	int cause = x->t->at[wake].cause;

	return cause == TINY_NONE || (enumeration_has(x, s, cause) && !(s->spoilt >> wake & 1));
}

static int sem_value(const struct enumeration *x, const struct state *s, int sem)
{
	int value = x->t->sem_value[sem];

	for (int i = 0; i < x->t->n; i++)
		if (tiny_counts(&x->t->at[i]) && x->t->at[i].obj == sem && enumeration_has(x, s, i))
			value +=
				(x->t->at[i].op == TINY_SEMPOST) - (x->t->at[i].op == TINY_SEMWAIT);
	return value;
}

/* There is something to take, or nothing where nothing was found. */
static bool can_count(const struct enumeration *x, const struct state *s, int event)
{
	const struct tiny_event *e = &x->t->at[event];
	int value = sem_value(x, s, e->obj);

	return enumeration_has(x, s, x->t->sem_init[e->obj]) &&
	       (e->op == TINY_SEMPOST || (value > 0) == (e->op == TINY_SEMWAIT));
}

/* Another thread keeps the lock from it. */
static bool is_in_vain(const struct enumeration *x, const struct state *s, int event)
{
	const struct tiny_event *e = &x->t->at[event];

	for (int v = 0; v < x->t->nthreads; v++)
		if (v != e->thread && holds(x, s, v, e->obj, e->reads))
			return true;
	return false;
}

/* Its thread may just have read, without a record, what is not there any more. */
static bool is_held_back(const struct enumeration *x, const struct state *s, int event)
{
	const struct tiny_event *e = &x->t->at[event];

	for (int i = 0; i < x->t->n && !e->reread; i++) {
		const struct tiny_event *r = &x->t->at[i];

		if (!r->reread || r->thread != e->thread || r->first >= e->index ||
		    r->index <= e->index)
			continue;
		for (int c = 0; c < TINY_CELLS; c++)
			if (r->cells >> c & 1 && s->cell[c] != r->rf[c])
				return true;
	}
	return false;
}

/* What a read sees; with values, both cells of a variable have the same content. */
static int shown_now(const struct enumeration *x, const struct state *s, const struct tiny_event *e)
{
	int content = s->cell[2 * e->obj];

	if (!x->t->values || content == ENUMERATE_TAINTED)
		return NOT_SHOWN;
	if (content == TINY_INIT)
		return x->t->init_known[2 * e->obj] ? x->t->init_value[2 * e->obj] : NOT_SHOWN;
	return x->t->at[content].stored;
}

/* The event compares what the read saw, and that comes out as observed. */
static bool is_same(const struct enumeration *x, const struct tiny_event *by, int read, int shown)
{
	return !x->mode.no_tests && shown != NOT_SHOWN &&
	       tiny_outcome(by->cmp, shown, by->with) ==
		       tiny_outcome(by->cmp, x->t->at[read].seen, by->with);
}

static bool use_holds(const struct enumeration *x, const struct state *s,
		      const struct tiny_event *e)
{
	for (int q = 0; q < x->t->n; q++)
		if (e->feeds >> q & s->tainted >> q & 1 &&
		    !(e->tested >> q & 1 && is_same(x, e, q, s->shown[q])))
			return false;
	return true;
}

static bool step_without_data(const struct enumeration *x, struct state *s, int event)
{
	const struct tiny_event *e = &x->t->at[event];

	if (tiny_acquires(e) && !is_free(x, s, event))
		return false;
	if (e->op == TINY_WAKE && e->cause != TINY_NONE && !enumeration_has(x, s, e->cause))
		return false;
	if ((e->op == TINY_SEMWAIT || e->op == TINY_SEMFAIL) &&
	    (sem_value(x, s, e->obj) > 0) != (e->op == TINY_SEMWAIT))
		return false;
	if (e->op == TINY_TRYFAIL && !is_in_vain(x, s, event))
		return false;
	s->done[e->thread]++;
	return true;
}

/* Does the event; false when it cannot happen, or could not happen as observed. */
bool enumeration_step(const struct enumeration *x, struct state *s, int event)
{
	const struct tiny_event *e = &x->t->at[event];
	bool binding = !e->free || x->mode.strict ||
		       (tiny_reads(e) && e->cmp != TINY_NO_TEST &&
			!is_same(x, e, event, shown_now(x, s, e)));

	if (x->mode.no_data)
		return step_without_data(x, s, event);
	if (is_held_back(x, s, event))
		return false;
	for (int c = 0; tiny_reads(e) && c < TINY_CELLS; c++) {
		if (!(e->cells >> c & 1) || enumerate_sees(x->t, x->mode, event, c, s->cell[c]))
			continue;
		if (binding && (e->op == TINY_RMW || !(x->relax >> event & 1)))
			return false;
		if (binding) {
			s->frozen |= 1u << e->thread;
		} else {
			s->tainted |= 1u << event;
			s->shown[event] = (int8_t)shown_now(x, s, e);
		}
	}
	if (e->op == TINY_USE && !use_holds(x, s, e))
		return false;
	for (int c = 0; tiny_writes(e) && c < TINY_CELLS; c++)
		if (e->cells >> c & 1)
			s->cell[c] = (int8_t)(e->feeds & s->tainted ? ENUMERATE_TAINTED : event);
	if (tiny_acquires(e) && (!is_free(x, s, event) || !keeps_order(x, s, event)))
		return false;
	if (tiny_lives(e) && s->life[e->obj] != e->life)
		return false;
	if (e->op == TINY_DESTROY && !is_nobodys(x, s, event))
		return false;
	if (tiny_renews(e))
		s->life[e->obj] = (int8_t)event;
	if (e->op == TINY_WAKE && !can_wake(x, s, event))
		return false;
	if (tiny_counts(e) && !can_count(x, s, event))
		return false;
	if (e->op == TINY_TRYFAIL && !is_in_vain(x, s, event))
		return false;
	if (e->op == TINY_WAKE)
		s->called &= ~(1u << e->thread);
	if (tiny_signals(e))
		do_signal(x, s, event);
	for (int q = 0; q < x->t->n; q++)
		if (x->t->at[q].thread == e->thread && x->last_use[q] <= event) {
			s->tainted &= ~(1u << q);
			s->shown[q] = 0;
		}
	s->done[e->thread]++;
	return true;
}

/* ---- waiting for one another ---- */

/* What the thread calls next, whether or not it can go on; TINY_NONE. */
static int called(const struct enumeration *x, const struct state *s, int thread)
{
	int i;

	if (s->done[thread] == x->t->len[thread])
		return TINY_NONE;
	i = x->t->thread_event[thread][s->done[thread]];
	return enumeration_has(x, s, x->t->at[i].before) ? i : TINY_NONE;
}

/* Threads, as a mask, that must go on before the event can happen. */
static unsigned waits_for(const struct enumeration *x, const struct state *s, int event)
{
	const struct tiny_event *e;
	unsigned threads = 0;

	if (event == TINY_NONE)
		return 0;
	e = &x->t->at[event];
	if (e->op == TINY_JOIN)
		return 1u << e->obj;
	if (!tiny_acquires(e) || e->try)
		return 0;
	for (int v = 0; v < x->t->nthreads; v++)
		if (v != e->thread && holds(x, s, v, e->obj, e->op == TINY_RACQ))
			threads |= 1u << v;
	return threads;
}

struct circle {
	uint32_t node;
	int event[TINY_THREADS];
	unsigned waits[TINY_THREADS];
};

static void add_deadlock(struct enumeration *x, uint32_t node, uint32_t events)
{
	bool joins = false;

	for (int i = 0; i < x->ndeadlocks; i++)
		if (x->deadlocks[i].events == events)
			return;
	for (int i = 0; i < x->t->n; i++)
		joins |= events >> i & 1 && x->t->at[i].op == TINY_JOIN;
	if (x->ndeadlocks == x->room) {
		x->room = 2 * x->room + 8;
		x->deadlocks = realloc(x->deadlocks, (size_t)x->room * sizeof(*x->deadlocks));
		assert(x->deadlocks);
	}
	x->deadlocks[x->ndeadlocks++] =
		(struct deadlock){ .events = events, .joins = joins, .node = node };
}

/* All circles from thread u on, through threads above `first' and not in `seen', back to it. */
static void go_round(struct enumeration *x, const struct circle *c, int first, int u, unsigned seen,
		     uint32_t events)
{
	events |= 1u << c->event[u];
	seen |= 1u << u;
	if (u != first && c->waits[u] >> first & 1)
		add_deadlock(x, c->node, events);
	for (int v = first + 1; v < x->t->nthreads; v++)
		if (c->waits[u] >> v & 1 && !(seen >> v & 1) && c->waits[v])
			go_round(x, c, first, v, seen, events);
}

static void look_round(struct enumeration *x, uint32_t node)
{
	struct circle c = { .node = node };

	for (int u = 0; u < x->t->nthreads; u++) {
		c.event[u] = called(x, &x->nodes[node].state, u);
		c.waits[u] = waits_for(x, &x->nodes[node].state, c.event[u]);
	}
	for (int u = 0; u < x->t->nthreads; u++)
		if (c.waits[u])
			go_round(x, &c, u, u, 0, 0);
}

/* ---- waiting for a signal ---- */

/* Every signal of the condition has come, but for those of the two threads. */
static bool is_last_chance(const struct enumeration *x, const struct state *s, int cond, int u,
			   int v)
{
	for (int i = 0; i < x->t->n; i++) {
		const struct tiny_event *e = &x->t->at[i];

		if (tiny_signals(e) && e->obj == cond && !enumeration_has(x, s, i) &&
		    e->thread != u && e->thread != v)
			return false;
	}
	return true;
}

/* A third thread, the last that is known of which is a wait: there was a signal for it, or is one to come. */
static bool one_may_go_on(const struct enumeration *x, const struct state *s, int u, int v)
{
	for (int thread = 0; thread < x->t->nthreads; thread++) {
		int n = x->t->len[thread];
		const struct tiny_event *park =
			n ? &x->t->at[x->t->thread_event[thread][n - 1]] : NULL;

		if (thread != u && thread != v && park && park->op == TINY_PARK &&
		    (park->try || s->called >> thread & 1 ||
		     !is_last_chance(x, s, park->obj, u, v)))
			return true;
	}
	return false;
}

static bool signals_later(const struct enumeration *x, const struct state *s, int thread, int cond)
{
	for (int i = 0; i < x->t->n; i++)
		if (tiny_signals(&x->t->at[i]) && x->t->at[i].thread == thread &&
		    x->t->at[i].obj == cond && !enumeration_has(x, s, i))
			return true;
	return false;
}

static void add_wait(struct enumeration *x, enum wait_kind kind, int i, int j, uint32_t node)
{
	if (pairs_has(&x->waits[kind], i, j))
		return;
	pairs_add(&x->waits[kind], i, j);
	x->wait_at[kind][i][j] = x->wait_at[kind][j][i] = node;
}

/* The release r of a wait is next; asleep: or came last, with its park, and no signal since. */
static void look_at_wait(struct enumeration *x, uint32_t node, int r, bool asleep)
{
	const struct state s = x->nodes[node].state;
	const struct tiny_event *e = &x->t->at[r];
	int cond = x->t->at[e->park].obj;

	for (int i = 0; i < x->t->n; i++) {
		const struct tiny_event *o = &x->t->at[i];
		bool lost = !asleep && s.lost >> i & 1 && o->obj == cond;
		bool holding = called(x, &s, o->thread) == i && tiny_acquires(o) && !o->try &&
			       o->obj != e->obj &&
			       holds(x, &s, e->thread, o->obj, o->op == TINY_RACQ) &&
			       signals_later(x, &s, o->thread, cond);

		if (o->thread == e->thread)
			continue;
		if (lost)
			add_wait(x, WAIT_LOST, i, r, node);
		if (lost && is_last_chance(x, &s, cond, e->thread, e->thread) &&
		    !one_may_go_on(x, &s, e->thread, e->thread))
			add_wait(x, WAIT_LOST_SURE, i, r, node);
		if (holding)
			add_wait(x, WAIT_HOLDING, i, r, node);
		if (holding && is_last_chance(x, &s, cond, e->thread, o->thread) &&
		    !one_may_go_on(x, &s, e->thread, o->thread))
			add_wait(x, WAIT_HOLDING_SURE, i, r, node);
	}
}

static void look_at_waits(struct enumeration *x, uint32_t node)
{
	const struct tiny *t = x->t;

	for (int u = 0; u < t->nthreads; u++) {
		const struct state s = x->nodes[node].state;
		int done = s.done[u], r = called(x, &s, u);
		bool asleep = done > 0 && t->at[t->thread_event[u][done - 1]].op == TINY_PARK;

		if (asleep && s.called >> u & 1)
			continue;
		if (asleep)
			r = t->thread_event[u][done - 2];
		if (r != TINY_NONE && t->at[r].op == TINY_REL && t->at[r].in_wait &&
		    t->at[r].park != TINY_NONE && !t->at[t->at[r].park].try)
			look_at_wait(x, node, r, asleep);
	}
}

/* ---- the walk ---- */

static void look(struct enumeration *x, uint32_t node)
{
	int next[TINY_THREADS];

	for (int u = 0; u < x->t->nthreads; u++)
		next[u] = enumeration_next(x, &x->nodes[node].state, u);
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
	look_round(x, node);
	look_at_waits(x, node);
	for (int u = 0; u < x->t->nthreads; u++) {
		struct state s = x->nodes[node].state;

		if (next[u] != TINY_NONE && enumeration_step(x, &s, next[u]))
			enumeration_reach(x, &s, (int)node, next[u]);
	}
}

/* With the first state reached, which is s too. */
struct enumeration *enumeration_begin(const struct tiny *t, struct enumerate_mode mode,
				      uint32_t relax, struct state *s)
{
	struct enumeration *x = calloc(1, sizeof(*x));

	assert(x);
	x->t = t;
	x->mode = mode;
	x->relax = relax;
	for (int q = 0; q < t->n; q++) {
		x->last_use[q] = TINY_NONE;
		for (int i = 0; i < t->n; i++)
			if (t->at[i].feeds >> q & 1)
				x->last_use[q] = i;
	}
	memset(s, 0, sizeof(*s));
	memset(s->cell, TINY_INIT, sizeof(s->cell));
	memset(s->last, TINY_NONE, sizeof(s->last));
	memset(s->life, TINY_NONE, sizeof(s->life));
	enumeration_reach(x, s, -1, TINY_NONE);
	return x;
}

struct enumeration *enumerate(const struct tiny *t, struct enumerate_mode mode, uint32_t limit)
{
	struct state s;
	struct enumeration *x = enumeration_begin(t, mode, 0, &s);

	for (uint32_t i = 0; i < x->n; i++) {
		if (x->n > limit) {
			enumeration_free(x);
			return NULL;
		}
		look(x, i);
	}
	return x;
}

bool enumerate_order_without_data(const struct tiny *t, const int *order, int n, int a, int b)
{
	struct state s;
	struct enumeration *x =
		enumeration_begin(t, (struct enumerate_mode){ .no_data = true }, 0, &s);
	bool good = true;

	for (int i = 0; i < n && good; i++)
		good = enumeration_next(x, &s, t->at[order[i]].thread) == order[i] &&
		       enumeration_step(x, &s, order[i]);
	good = good && enumeration_next(x, &s, t->at[a].thread) == a &&
	       enumeration_next(x, &s, t->at[b].thread) == b;
	enumeration_free(x);
	return good;
}

static uint32_t done_mask(const struct enumeration *x, const struct state *s)
{
	uint32_t mask = 0;

	for (int i = 0; i < x->t->n; i++)
		mask |= enumeration_has(x, s, i) ? 1u << i : 0;
	return mask;
}

void enumerate_forced(const struct tiny *t, uint32_t before[TINY_EVENTS])
{
	struct state s;
	struct enumeration *x =
		enumeration_begin(t, (struct enumerate_mode){ .no_data = true }, 0, &s);

	memset(before, 0xff, TINY_EVENTS * sizeof(*before));
	for (uint32_t i = 0; i < x->n; i++) {
		uint32_t done = done_mask(x, &x->nodes[i].state);

		for (int u = 0; u < t->nthreads; u++) {
			int e;

			s = x->nodes[i].state;
			e = enumeration_next(x, &s, u);
			if (e == TINY_NONE || (tiny_counts(&t->at[e]) && !can_count(x, &s, e)) ||
			    !enumeration_step(x, &s, e))
				continue;
			before[e] &= done;
			enumeration_reach(x, &s, (int)i, e);
		}
	}
	enumeration_free(x);
}

void enumeration_free(struct enumeration *e)
{
	if (!e)
		return;
	free(e->nodes);
	free(e->slots);
	free(e->deadlocks);
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

/* How the node was first reached. */
static int order_of(const struct enumeration *e, uint32_t node, int *order)
{
	int back[TINY_EVENTS], n = 0;

	for (int k = (int)node; e->nodes[k].parent >= 0; k = e->nodes[k].parent)
		back[n++] = e->nodes[k].event;
	for (int k = 0; k < n; k++)
		order[k] = back[n - 1 - k];
	return n;
}

int enumeration_order(const struct enumeration *e, int i, int j, int *order)
{
	assert(pairs_has(&e->races, i, j));
	return order_of(e, e->at[i][j], order);
}

const struct deadlock *enumeration_deadlocks(const struct enumeration *e, int *n)
{
	*n = e->ndeadlocks;
	return e->deadlocks;
}

int enumeration_deadlock_order(const struct enumeration *e, const struct deadlock *d, int *order)
{
	return order_of(e, d->node, order);
}

const struct pairs *enumeration_waits(const struct enumeration *e, enum wait_kind kind)
{
	return &e->waits[kind];
}

int enumeration_wait_order(const struct enumeration *e, enum wait_kind kind, int i, int j,
			   int *order)
{
	assert(pairs_has(&e->waits[kind], i, j));
	return order_of(e, e->wait_at[kind][i][j], order);
}
