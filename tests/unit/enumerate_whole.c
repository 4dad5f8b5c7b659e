/*
 * One order, tried against the definitions as a whole: no state is kept, everything is looked up in the
 * order each time.
 */
#include "enumerate_priv.h"

/* Whether the read gets the observed value from this content of one of its cells. */
bool enumerate_sees(const struct tiny *t, struct enumerate_mode mode, int read, int cell,
		    int content)
{
	const struct tiny_event *e = &t->at[read];

	if (content == ENUMERATE_TAINTED)
		return false;
	if (content == e->rf[cell])
		return true;
	if (!mode.values || !t->values)
		return false;
	if (content == TINY_INIT)
		return t->init_known[cell] && t->init_value[cell] == e->seen;
	return t->at[content].stored == e->seen;
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
			content = ENUMERATE_TAINTED;
		if (!enumerate_sees(w->t, w->mode, read, c, content))
			return true;
	}
	return false;
}

/* Event `by' compares what the read saw, and in this order that comes out as observed, for all that is known. */
static bool comes_out_same(const struct whole *w, const struct tiny_event *by, int read)
{
	const struct tiny_event *r = &w->t->at[read];
	int content = content_at(w, 2 * r->obj, w->place[read]), value;

	if (w->mode.no_tests || !w->t->values)
		return false;
	if (content == TINY_INIT && !w->t->init_known[2 * r->obj])
		return false;
	if (content != TINY_INIT && is_tainted_write(w, content))
		return false;
	value = content == TINY_INIT ? w->t->init_value[2 * r->obj] : w->t->at[content].stored;
	return tiny_outcome(by->cmp, value, by->with) == tiny_outcome(by->cmp, r->seen, by->with);
}

static bool is_tainted_feed(const struct whole *w, int event)
{
	const struct tiny_event *e = &w->t->at[event];

	for (int q = 0; q < w->t->n; q++)
		if (e->feeds >> q & 1 && w->t->at[q].free && is_tainted_read(w, q) &&
		    !(e->tested >> q & 1 && comes_out_same(w, e, q)))
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

	return tiny_reads(e) && is_tainted_read(w, i) &&
	       (!e->free || w->mode.strict || (e->cmp != TINY_NO_TEST && !comes_out_same(w, e, i)));
}

/* The event that stands before it in its thread and the ends of hard edges, all before it. */
static bool has_its_past(const struct whole *w, int i)
{
	const struct tiny_event *e = &w->t->at[i];

	for (int g = 0; g < i; g++)
		if (e->takes >> g & 1 && !comes_before(w, g, i))
			return false;
	return (e->before == TINY_NONE || comes_before(w, e->before, i)) &&
	       (e->joins == TINY_NONE || (comes_before(w, e->joins, i) && !is_astray(w, e->joins)));
}

/* What woke it came before it, and found it waiting. */
static bool is_woken(const struct whole *w, int i)
{
	const struct tiny_event *e = &w->t->at[i];

	return e->op != TINY_WAKE || e->cause == TINY_NONE ||
	       (comes_before(w, e->cause, i) && comes_before(w, e->park, e->cause));
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

/* Posts and waits before place k of the order, and what was there. */
static int value_at(const struct whole *w, int sem, int k)
{
	int value = w->t->sem_value[sem];

	while (--k >= 0) {
		const struct tiny_event *e = &w->t->at[w->order[k]];

		value += e->obj == sem ? (e->op == TINY_SEMPOST) - (e->op == TINY_SEMWAIT) : 0;
	}
	return value;
}

static bool semaphores_are_right(const struct whole *w)
{
	for (int k = 0; k < w->n; k++) {
		const struct tiny_event *e = &w->t->at[w->order[k]];
		int value, init;

		if (!tiny_counts(e))
			continue;
		value = value_at(w, e->obj, k);
		init = w->t->sem_init[e->obj];
		if (init != TINY_NONE && !comes_before(w, init, w->order[k]))
			return false;
		if ((e->op == TINY_SEMWAIT && value == 0) || (e->op == TINY_SEMFAIL && value != 0))
			return false;
	}
	return true;
}

/* For each failed try a section of another thread, around it, that explains it. */
static bool tries_fail(const struct whole *w)
{
	for (int k = 0; k < w->n; k++) {
		const struct tiny_event *e = &w->t->at[w->order[k]];
		bool held = e->op != TINY_TRYFAIL;

		for (int a = 0; a < w->t->n && !held; a++) {
			const struct tiny_event *s = &w->t->at[a];

			held = tiny_acquires(s) && s->obj == e->obj && s->thread != e->thread &&
			       !(s->op == TINY_RACQ && e->reads) &&
			       comes_before(w, a, w->order[k]) &&
			       (s->partner == TINY_NONE ||
				comes_before(w, w->order[k], s->partner));
		}
		if (!held)
			return false;
	}
	return true;
}

/* What has made or destroyed the lock last before place k. */
static int life_at(const struct whole *w, int lock, int k)
{
	while (--k >= 0)
		if (tiny_renews(&w->t->at[w->order[k]]) && w->t->at[w->order[k]].obj == lock)
			return w->order[k];
	return TINY_NONE;
}

/* Locks are used in the life that they were used in, and nobody holds one that is destroyed. */
static bool lives_are_right(const struct whole *w)
{
	for (int k = 0; k < w->n; k++) {
		const struct tiny_event *e = &w->t->at[w->order[k]];

		if (tiny_lives(e) && life_at(w, e->obj, k) != e->life)
			return false;
		for (int i = 0; e->op == TINY_DESTROY && i < k; i++) {
			const struct tiny_event *a = &w->t->at[w->order[i]];

			if (tiny_acquires(a) && a->obj == e->obj && a->life == e->life &&
			    (a->partner == TINY_NONE || w->place[a->partner] == TINY_NONE ||
			     w->place[a->partner] > k))
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

/* All reads of a run, though most are not there, see the same: until the last event of it. */
static bool runs_are_right(const struct whole *w)
{
	for (int i = 0; i < w->t->n; i++) {
		const struct tiny_event *r = &w->t->at[i];

		for (int k = 0; r->reread && k < w->n; k++) {
			const struct tiny_event *e = &w->t->at[w->order[k]];

			if (e->reread || e->thread != r->thread || e->index <= r->first ||
			    e->index >= r->index)
				continue;
			for (int c = 0; c < TINY_CELLS; c++) {
				int content = content_at(w, c, k);

				if (r->cells >> c & 1 &&
				    (content != r->rf[c] ||
				     (content != TINY_INIT && is_tainted_write(w, content))))
					return false;
			}
		}
	}
	return true;
}

/* Its thread has come to it; what a join waits for does not matter. */
static bool is_called(const struct whole *w, int i)
{
	int before = w->t->at[i].before;

	return w->place[i] == TINY_NONE &&
	       (before == TINY_NONE || (comes_before(w, before, i) && !is_astray(w, before)));
}

static bool is_target(const struct whole *w, int i)
{
	return is_called(w, i) && has_its_past(w, i);
}

/* Fills in the places; false: it is no correct reordering. */
static bool order_holds(struct whole *w)
{
	for (int i = 0; i < TINY_EVENTS; i++)
		w->place[i] = TINY_NONE;
	for (int k = 0; k < w->n; k++) {
		if (w->place[w->order[k]] != TINY_NONE)
			return false;
		w->place[w->order[k]] = k;
	}
	for (int k = 0; k < w->n; k++)
		if (!has_its_past(w, w->order[k]) || !is_woken(w, w->order[k]))
			return false;
	return sections_are_apart(w) && lives_are_right(w) && semaphores_are_right(w) &&
	       tries_fail(w) && values_are_right(w) && runs_are_right(w);
}

bool enumerate_witness(const struct tiny *t, const int *order, int n, int a, int b,
		       uint32_t relaxed, struct enumerate_mode mode)
{
	struct whole w = { .t = t, .mode = mode, .relaxed = relaxed, .order = order, .n = n };

	return order_holds(&w) && is_target(&w, a) && is_target(&w, b) && tiny_conflict(t, a, b);
}

/* ---- waiting for one another ---- */

/* The acquire cannot be granted while the thread keeps what it has acquired in the order. */
static bool is_kept_out(const struct whole *w, int acquire, int thread)
{
	for (int k = 0; k < w->n; k++) {
		int i = w->order[k], release = w->t->at[i].partner;

		if (w->t->at[i].thread == thread && tiny_exclude(w->t, i, acquire) &&
		    (release == TINY_NONE || w->place[release] == TINY_NONE))
			return true;
	}
	return false;
}

static bool waits_for(const struct whole *w, int a, int b)
{
	const struct tiny_event *e = &w->t->at[a];
	int thread = w->t->at[b].thread;

	if (e->op == TINY_JOIN)
		return e->obj == thread;
	return tiny_acquires(e) && !e->try && is_kept_out(w, a, thread);
}

/* Some arrangement of the events from place k on closes the circle. */
static bool is_circle(const struct whole *w, int *event, int n, int k)
{
	if (k == n)
		return waits_for(w, event[n - 1], event[0]);
	for (int i = k; i < n; i++) {
		int e = event[i];
		bool good;

		event[i] = event[k];
		event[k] = e;
		good = waits_for(w, event[k - 1], e) && is_circle(w, event, n, k + 1);
		event[k] = event[i];
		event[i] = e;
		if (good)
			return true;
	}
	return false;
}

bool enumerate_deadlock(const struct tiny *t, const int *order, int n, uint32_t events,
			uint32_t relaxed, struct enumerate_mode mode)
{
	struct whole w = { .t = t, .mode = mode, .relaxed = relaxed, .order = order, .n = n };
	int event[TINY_EVENTS], k = 0;
	unsigned threads = 0;

	if (!order_holds(&w))
		return false;
	for (int i = 0; i < t->n; i++) {
		if (!(events >> i & 1))
			continue;
		if (!is_called(&w, i) || threads >> t->at[i].thread & 1)
			return false;
		threads |= 1u << t->at[i].thread;
		event[k++] = i;
	}
	return k >= 2 && is_circle(&w, event, k, 1);
}

/* ---- waiting for a signal ---- */

/* Whoever has begun a wait on the condition before place k was woken before it. */
static bool nobody_waits(const struct whole *w, int cond, int k)
{
	for (int i = 0; i < k; i++) {
		const struct tiny_event *e = &w->t->at[w->order[i]];
		bool woken = false;

		if (e->op != TINY_REL || e->park == TINY_NONE || w->t->at[e->park].obj != cond)
			continue;
		for (int j = i; j < k; j++)
			woken |= w->t->at[w->order[j]].op == TINY_WAKE &&
				 w->t->at[w->order[j]].park == e->park;
		if (!woken)
			return false;
	}
	return true;
}

/* Signals of the condition that are not in the order: of the thread, and of others. */
static void count_signals(const struct whole *w, int cond, int thread, int waiter, int *own,
			  int *others)
{
	*own = *others = 0;
	for (int i = 0; i < w->t->n; i++) {
		const struct tiny_event *e = &w->t->at[i];

		if (!tiny_signals(e) || e->obj != cond || w->place[i] != TINY_NONE)
			continue;
		if (e->thread == thread)
			++*own;
		else if (e->thread != waiter)
			++*others;
	}
}

/* The wait has begun in the order, its thread does no more, and no signal comes after that. */
static bool is_asleep(const struct whole *w, int release)
{
	int park = w->t->at[release].park;

	if (w->place[release] == TINY_NONE || w->place[park] == TINY_NONE ||
	    !is_last_of_thread(w, park))
		return false;
	for (int k = w->place[release]; k < w->n; k++) {
		const struct tiny_event *e = &w->t->at[w->order[k]];

		if (tiny_signals(e) && e->obj == w->t->at[park].obj)
			return false;
	}
	return true;
}

/* The last that is known of the thread is a wait: is there a signal for it, in the order behind its beginning or left to
 * come from another than the two? */
static bool may_go_on(const struct whole *w, int thread, int u, int v)
{
	const struct tiny *t = w->t;
	int park = t->len[thread] ? t->thread_event[thread][t->len[thread] - 1] : TINY_NONE;
	int release;

	if (park == TINY_NONE || t->at[park].op != TINY_PARK)
		return false;
	if (t->at[park].try)
		return true;
	release = t->at[park].before;
	for (int i = 0; i < t->n; i++) {
		const struct tiny_event *e = &t->at[i];

		if (!tiny_signals(e) || e->obj != t->at[park].obj || e->thread == thread)
			continue;
		if (w->place[i] == TINY_NONE
			    ? e->thread != u && e->thread != v
			    : w->place[release] != TINY_NONE && w->place[i] > w->place[release])
			return true;
	}
	return false;
}

static bool one_may_go_on(const struct whole *w, int u, int v)
{
	for (int thread = 0; thread < w->t->nthreads; thread++)
		if (thread != u && thread != v && may_go_on(w, thread, u, v))
			return true;
	return false;
}

bool enumerate_wait(const struct tiny *t, const int *order, int n, enum wait_kind kind, int i,
		    int j, uint32_t relaxed, struct enumerate_mode mode)
{
	struct whole w = { .t = t, .mode = mode, .relaxed = relaxed, .order = order, .n = n };
	bool sure = kind == WAIT_HOLDING_SURE || kind == WAIT_LOST_SURE;
	bool lost = kind == WAIT_LOST || kind == WAIT_LOST_SURE;
	const struct tiny_event *o = &t->at[i], *e = &t->at[j];
	int cond, own, others;

	if (!order_holds(&w) || e->op != TINY_REL || !e->in_wait || e->park == TINY_NONE ||
	    t->at[e->park].try || o->thread == e->thread)
		return false;
	if (!is_called(&w, j) && (lost || !is_asleep(&w, j)))
		return false;
	cond = t->at[e->park].obj;
	count_signals(&w, cond, o->thread, e->thread, &own, &others);
	if (sure && one_may_go_on(&w, lost ? e->thread : o->thread, e->thread))
		return false;
	if (lost)
		return tiny_signals(o) && o->obj == cond && w.place[i] != TINY_NONE &&
		       nobody_waits(&w, cond, w.place[i]) && !(sure && own + others > 0);
	return tiny_acquires(o) && !o->try && is_called(&w, i) && o->obj != e->obj &&
	       is_kept_out(&w, i, e->thread) && own > 0 && !(sure && others > 0);
}
