/*
 * Plans of random tiny traces (tiny.h), for the recorded order and for orders that the enumeration of all
 * reorderings leads to a race, a deadlock or a lost wakeup with.
 *
 *	needed		whatever conflicts, and whatever is about one object, is ordered by program order,
 *			by forks and joins and by the waits of the plan: so it comes in that order in
 *			every run that they allow
 *	no more		no wait follows from the others
 *	no circle	nobody waits for himself
 *	identity	solid events, and how many new reads came since, by a naive count
 *
 * Environment: LONG=1 more traces; SEED=N only that one.
 */
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "unit/enumerate.h"
#include "replay/plan.h"
#include "trace/format.h"
#include "unit/tap.h"
#include "unit/tiny.h"
#include "trace/trace.h"
#include "unit/trial.h"

#define TRACES 1500
#define TRACES_LONG 100000

struct edge {
	int from, to;
};

/* A plan, as a graph over events. */
struct graph {
	const struct tiny *t;
	const int *order;
	int n, place[TINY_EVENTS]; /* in the order, or TINY_NONE */
	int targets[4], ntargets;
	struct edge edges[256];
	int nedges;
	uint32_t reach[TINY_EVENTS]; /* events that come after it */
};

static struct {
	unsigned long plans, edges, steps, loose, reads;
} seen;

/* ---- what the plan orders ---- */

static bool is_in(const struct graph *g, int i)
{
	return g->place[i] != TINY_NONE;
}

/* The last event of its thread that is in the order. */
static int last_of(const struct graph *g, int thread)
{
	int last = TINY_NONE;

	for (int k = 0; k < g->t->len[thread]; k++)
		if (is_in(g, g->t->thread_event[thread][k]))
			last = g->t->thread_event[thread][k];
	return last;
}

/* Reachability without one edge; -1: with all. */
static void close_graph(struct graph *g, int without)
{
	const struct tiny *t = g->t;

	memset(g->reach, 0, sizeof(g->reach));
	for (int i = 0; i < t->n; i++) {
		if (!is_in(g, i))
			continue;
		if (t->at[i].before != TINY_NONE && is_in(g, t->at[i].before))
			g->reach[t->at[i].before] |= 1u << i;
		if (t->at[i].op == TINY_JOIN && t->at[i].joins != TINY_NONE &&
		    is_in(g, t->at[i].joins))
			g->reach[t->at[i].joins] |= 1u << i;
	}
	for (int e = 0; e < g->nedges; e++)
		if (e != without && g->edges[e].from != TINY_NONE)
			g->reach[g->edges[e].from] |= 1u << g->edges[e].to;
	for (int k = 0; k < t->n; k++)
		for (int i = 0; i < t->n; i++)
			if (g->reach[i] >> k & 1)
				g->reach[i] |= g->reach[k];
}

static bool comes_after(const struct graph *g, int a, int b)
{
	return g->reach[a] >> b & 1;
}

static int thread_at(const struct plan_head *h, const struct graph *g, uint32_t index)
{
	for (int i = 0; i < g->t->n; i++)
		for (uint32_t k = 0; k < plan_threads(h)[index].nsteps; k++)
			if (plan_steps(h)[plan_threads(h)[index].step + k].pos == (uint64_t)i + 1)
				return g->t->at[i].thread;
	return TINY_NONE;
}

/* The event that a wait is for. */
static int source(const struct plan_head *h, const struct graph *g, const struct plan_wait *w)
{
	const struct plan_thread *t = &plan_threads(h)[w->thread];
	int at;

	if (w->progress / 2 == t->nsteps) {
		/* Its tid counts threads in the order of the text, which begins with the first. */
		at = thread_at(h, g, w->thread);
		return at != TINY_NONE ? last_of(g, at) : TINY_NONE;
	}
	at = (int)plan_steps(h)[t->step + w->progress / 2].pos - 1;
	return w->progress % 2 ? at : g->t->at[at].before;
}

static void graph_make(struct graph *g, const struct plan *p)
{
	const struct plan_head *h = p->head;

	for (uint32_t i = 0; i < h->nthreads; i++)
		for (uint32_t k = 0; k < plan_threads(h)[i].nsteps; k++) {
			const struct plan_step *s = &plan_steps(h)[plan_threads(h)[i].step + k];

			for (uint32_t j = 0; j < s->nwaits; j++)
				g->edges[g->nedges++] =
					(struct edge){ source(h, g, &plan_waits(h)[s->wait + j]),
						       (int)s->pos - 1 };
		}
	close_graph(g, -1);
}

/* ---- what is new ---- */

/* A read that is compared is logged as free only when it is new. */
static bool is_solid(const struct tiny_event *e)
{
	return !(e->op == TINY_READ && (!e->free || e->cmp)) && e->op != TINY_FREE &&
	       e->op != TINY_USE && e->op != TINY_TRYFAIL && e->op != TINY_SEMFAIL;
}

static bool ends_epoch(const struct tiny_event *e)
{
	if (!is_solid(e) || e->op == TINY_READ)
		return false;
	return !tiny_is_access(e) || e->order == TINY_SEQ_CST;
}

static int order_place(const struct graph *g, int i)
{
	return is_in(g, i) ? g->place[i] : g->n;
}

/* The last write to the cell before i, in the order. */
static int writer(const struct graph *g, int i, int cell)
{
	for (int k = order_place(g, i) - 1; k >= 0; k--)
		if (tiny_writes(&g->t->at[g->order[k]]) &&
		    (g->t->at[g->order[k]].cells >> cell & 1))
			return g->order[k];
	return TINY_NONE;
}

/* Does read i see in the cell what read x of its thread, earlier, saw there? */
static bool sees_the_same(const struct graph *g, int x, int i, int cell)
{
	const struct tiny_event *e = &g->t->at[i];
	bool is_last = e->index + 1 == g->t->len[e->thread] ||
		       (!is_in(g, g->t->thread_event[e->thread][e->index + 1]));
	int w = writer(g, i, cell);

	for (int k = 0; is_last && k < g->ntargets; k++)
		if (e->index + 1 < g->t->len[e->thread] &&
		    g->targets[k] == g->t->thread_event[e->thread][e->index + 1])
			is_last = false;
	if (g->t->values && !is_last)
		return g->t->at[x].seen == e->seen;
	if (w == TINY_NONE || g->place[w] < g->place[x])
		return true;
	return g->t->values && g->t->at[w].op != TINY_FREE &&
	       g->t->at[w].stored == g->t->at[x].seen;
}

/* A closing read is none. */
static bool is_look(const struct tiny_event *e)
{
	return e->op == TINY_READ && (!e->free || e->cmp) && !e->reread;
}

/* The read of its thread that has read the cell before, in the same epoch and kind. */
static int looked(const struct graph *g, int i, int cell)
{
	const struct tiny_event *e = &g->t->at[i];

	for (int k = e->index - 1; k >= 0; k--) {
		int x = g->t->thread_event[e->thread][k];

		if (ends_epoch(&g->t->at[x]))
			break;
		if (is_look(&g->t->at[x]) && g->t->at[x].order == e->order &&
		    (g->t->at[x].cells >> cell & 1))
			return x;
	}
	return TINY_NONE;
}

/* Does read i see something else than what its thread saw there before, in this epoch? */
static bool sees_a_change(const struct graph *g, int i)
{
	for (int c = 0; c < TINY_CELLS; c++) {
		int x = looked(g, i, c);

		if ((g->t->at[i].cells >> c & 1) && x != TINY_NONE && !sees_the_same(g, x, i, c))
			return true;
	}
	return false;
}

/* Locations are numbered as they come. */
static int place_of(const struct graph *g, int i)
{
	int n = 0;

	for (int k = 0; k < g->t->n; k++) {
		int before = 0;

		while (g->t->at[before].loc != g->t->at[k].loc)
			before++;
		n += before == k;
		if (g->t->at[k].loc == g->t->at[i].loc)
			break;
	}
	return n % (int)FORMAT_PLACES;
}

/* Has its thread read the word at this place, in this epoch, since it has seen a change there? */
static bool was_here(const struct graph *g, int i)
{
	const struct tiny_event *e = &g->t->at[i];

	for (int k = e->index - 1; k >= 0; k--) {
		int x = g->t->thread_event[e->thread][k];
		const struct tiny_event *b = &g->t->at[x];

		if (ends_epoch(b))
			break;
		if (!is_look(b) || b->order != e->order || b->obj != e->obj)
			continue;
		if (place_of(g, x) == place_of(g, i))
			return true;
		if (sees_a_change(g, x))
			break;
	}
	return false;
}

/* Has its thread read all of it before, in this epoch, and here?  same: and seen the same. */
static bool is_known(const struct graph *g, int i, bool same)
{
	for (int c = 0; c < TINY_CELLS; c++)
		if ((g->t->at[i].cells >> c & 1) && looked(g, i, c) == TINY_NONE)
			return false;
	return was_here(g, i) && (!same || !sees_a_change(g, i));
}

static bool is_new(const struct graph *g, int i)
{
	return !g->t->at[i].reread && !is_known(g, i, true);
}

static bool is_binding(const struct graph *g, int i)
{
	return g->t->at[i].op == TINY_READ && (!g->t->at[i].free || g->t->at[i].cmp);
}

/* A read without a gate, and the next thing with one is a read that waits for a change. */
static bool waits_for_change(const struct graph *g, int i)
{
	const struct tiny_event *e = &g->t->at[i];
	int target = TINY_NONE;

	if (!is_binding(g, i) || is_new(g, i))
		return false;
	for (int k = 0; k < g->ntargets; k++)
		if (g->t->at[g->targets[k]].thread == e->thread)
			target = g->targets[k];
	for (int k = e->index + 1; k < g->t->len[e->thread]; k++) {
		int x = g->t->thread_event[e->thread][k];

		if (is_binding(g, x) && is_known(g, x, false) &&
		    (!is_in(g, x) || x == target || is_new(g, x)))
			return true;
		if (g->t->at[x].op != TINY_USE && !(is_binding(g, x) && !is_new(g, x)))
			return false;
	}
	return false;
}

/* ---- what the order needs ---- */

static bool locks_need(const struct tiny_event *x, const struct tiny_event *y)
{
	if (y->op == TINY_MAKE || y->op == TINY_DESTROY)
		return x->op == TINY_REL || x->op == TINY_RREL || x->op == TINY_MAKE ||
		       x->op == TINY_DESTROY;
	if (!tiny_acquires(y))
		return false;
	return x->op == TINY_REL || x->op == TINY_MAKE || x->op == TINY_DESTROY ||
	       (x->op == TINY_RREL && y->op == TINY_ACQ);
}

static bool is_count(const struct tiny_event *e)
{
	return tiny_counts(e) || e->op == TINY_SEMINIT;
}

static bool is_meeting(const struct tiny_event *e)
{
	return tiny_signals(e) || e->op == TINY_PARK;
}

/* Must b come after a, which is earlier in the order? */
static bool needs(const struct graph *g, int a, int b)
{
	const struct tiny_event *x = &g->t->at[a], *y = &g->t->at[b];

	if (tiny_is_access(x) && tiny_is_access(y))
		return (x->cells & y->cells) != 0 && (tiny_writes(x) || tiny_writes(y));
	if (y->op == TINY_WAKE)
		return y->cause == a;
	if (x->obj != y->obj)
		return false;
	return locks_need(x, y) || (is_count(x) && is_count(y)) || (is_meeting(x) && is_meeting(y));
}

/* A failed try: is it held while somebody holds the lock, in every run? */
static bool try_fails(const struct graph *g, int i)
{
	const struct tiny_event *e = &g->t->at[i];

	for (int k = 0; k < g->place[i]; k++) {
		int a = g->order[k], r = g->t->at[a].partner;
		const struct tiny_event *x = &g->t->at[a];

		if (!tiny_acquires(x) || x->obj != e->obj || (x->op == TINY_RACQ && e->reads) ||
		    (r != TINY_NONE && is_in(g, r) && g->place[r] < g->place[i]))
			continue;
		if (x->thread == e->thread ||
		    (comes_after(g, a, i) &&
		     (r == TINY_NONE || !is_in(g, r) || comes_after(g, i, r))))
			return true;
	}
	return false;
}

static const char *check_needed(const struct graph *g)
{
	for (int j = 0; j < g->n; j++) {
		int b = g->order[j];

		if (g->t->at[b].op == TINY_TRYFAIL && !try_fails(g, b))
			return "a try that must fail may succeed";
		for (int i = 0; i < j; i++) {
			int a = g->order[i];

			if (g->t->at[a].thread == g->t->at[b].thread || !needs(g, a, b) ||
			    comes_after(g, a, b))
				continue;
			/* What says nothing new is held by its neighbours, if at all. */
			if (waits_for_change(g, a) || g->t->at[b].reread ||
			    (g->t->values && is_binding(g, b) && !is_new(g, b)))
				continue;
			return "something may come in another order";
		}
	}
	return NULL;
}

static const char *check_no_more(struct graph *g)
{
	const char *wrong = NULL;

	for (int i = 0; i < g->t->n; i++)
		if (comes_after(g, i, i))
			return "somebody waits for himself";
	for (int e = 0; e < g->nedges && wrong == NULL; e++) {
		if (g->edges[e].from == TINY_NONE)
			return "a wait for nothing";
		close_graph(g, e);
		if (comes_after(g, g->edges[e].from, g->edges[e].to))
			wrong = "a wait follows from others";
	}
	close_graph(g, -1);
	return wrong;
}

/* ---- identity ---- */

/* Of a binding read: which new one of its place since the last solid event; 0: it is not new. */
static uint32_t which_read(const struct graph *g, int i)
{
	const struct tiny_event *e = &g->t->at[i];
	uint32_t n = is_new(g, i);

	for (int k = e->index - 1; n != 0 && k >= 0; k--) {
		int x = g->t->thread_event[e->thread][k];

		if (is_solid(&g->t->at[x]))
			break;
		if (is_look(&g->t->at[x]) && g->t->at[x].loc == e->loc)
			n += is_new(g, x);
	}
	return n;
}

static const char *check_step(const struct graph *g, const struct plan_step *s)
{
	int i = (int)s->pos - 1;
	const struct tiny_event *e = &g->t->at[i];
	uint64_t solids = 0;

	for (int k = 0; k < e->index; k++)
		solids += is_solid(&g->t->at[g->t->thread_event[e->thread][k]]);
	if (s->solids != solids)
		return "solid events are not as many";
	if (s->class == PLAN_SOLID)
		return is_solid(e) ? NULL : "it is not solid";
	if (is_solid(e))
		return "it is solid";
	if (s->class != PLAN_READ)
		return NULL;
	seen.reads++;
	return s->nth == which_read(g, i) ? NULL : "another read is meant";
}

static const char *check_identity(const struct graph *g, const struct plan *p)
{
	const char *wrong = NULL;

	for (uint64_t k = 0; k < p->head->nsteps && wrong == NULL; k++)
		wrong = check_step(g, &plan_steps(p->head)[k]);
	return wrong;
}

/* ---- one order ---- */

static const char *check_plan(struct graph *g, const struct plan *p)
{
	const char *wrong;

	graph_make(g, p);
	wrong = check_needed(g);
	if (wrong == NULL)
		wrong = check_no_more(g);
	if (wrong == NULL)
		wrong = check_identity(g, p);
	seen.plans++;
	seen.edges += p->edges;
	seen.steps += p->head->nsteps;
	seen.loose += p->loose;
	return wrong;
}

static void complain(const struct trial *x, const struct graph *g, const struct plan *p,
		     const char *wrong)
{
	struct strbuf text = { 0 };

	if (!trial_complain(x, wrong))
		return;
	printf("# order");
	for (int k = 0; k < g->n; k++)
		printf(" %d", g->order[k] + 1);
	printf(", targets");
	for (int k = 0; k < g->ntargets; k++)
		printf(" %d", g->targets[k] + 1);
	plan_text(p, &text);
	printf("\n# plan: %s\n", strbuf_str(&text));
	strbuf_release(&text);
}

static bool try_order(const struct trial *x, enum finding_kind kind, const int *order, int n,
		      const int *targets, int ntargets)
{
	struct graph g = { .t = &x->t, .order = order, .n = n, .ntargets = ntargets };
	uint64_t positions[TINY_EVENTS], wanted[4];
	struct plan_ask ask = { .kind = kind,
				.targets = wanted,
				.ntargets = (uint32_t)ntargets,
				.order = positions,
				.norder = (size_t)n };
	struct plan p = { 0 };
	struct diag d = { 0 };
	struct trace *t;
	const char *wrong;

	for (int i = 0; i < TINY_EVENTS; i++)
		g.place[i] = TINY_NONE;
	for (int k = 0; k < n; k++) {
		g.place[order[k]] = k;
		positions[k] = (uint64_t)order[k] + 1;
	}
	/* A wait that has begun has begun. */
	for (int k = 0; k < n; k++) {
		const struct tiny_event *e = &x->t.at[order[k]];

		if (e->op == TINY_REL && e->in_wait && e->park != TINY_NONE && !is_in(&g, e->park))
			g.place[e->park] = k;
	}
	for (int k = 0; k < ntargets; k++) {
		g.targets[k] = targets[k];
		wanted[k] = (uint64_t)targets[k] + 1;
	}
	if (trace_open(x->path, NULL, &t, &d) != ST_OK)
		return trial_complain(x, d.message), false;
	if (plan_make(t, &ask, &p, &d) != ST_OK)
		wrong = d.message;
	else
		wrong = check_plan(&g, &p);
	if (wrong != NULL)
		complain(x, &g, &p, wrong);
	plan_release(&p);
	trace_close(t);
	return wrong == NULL;
}

static bool try_recorded(const struct trial *x)
{
	int order[TINY_EVENTS];

	for (int i = 0; i < x->t.n; i++)
		order[i] = i;
	return try_order(x, FINDING_PROPERTY, order, x->t.n, NULL, 0);
}

static bool try_races(const struct trial *x, enum wanted w)
{
	int order[TINY_EVENTS], targets[2], n;
	bool good = true;

	for (targets[0] = 0; good && targets[0] < x->t.n; targets[0]++)
		for (targets[1] = targets[0] + 1; good && targets[1] < x->t.n; targets[1]++) {
			if (!pairs_has(&x->want[w], targets[0], targets[1]))
				continue;
			n = enumeration_order(x->all[w], targets[0], targets[1], order);
			good = try_order(x, FINDING_RACE, order, n, targets, 2);
		}
	return good;
}

static bool try_deadlocks(const struct trial *x, enum wanted w)
{
	int order[TINY_EVENTS], targets[4], n, ndeadlocks, ntargets;
	const struct deadlock *all = enumeration_deadlocks(x->all[w], &ndeadlocks);
	bool good = true;

	for (int k = 0; good && k < ndeadlocks; k++) {
		ntargets = 0;
		for (int i = 0; i < x->t.n && ntargets < 4; i++)
			if (all[k].events >> i & 1)
				targets[ntargets++] = i;
		n = enumeration_deadlock_order(x->all[w], &all[k], order);
		good = try_order(x, FINDING_DEADLOCK, order, n, targets, ntargets);
	}
	return good;
}

/* The signal of a lost wakeup is in the order. */
static bool try_waits(const struct trial *x, enum wanted w)
{
	int order[TINY_EVENTS], n;
	bool good = true;

	for (int i = 0; good && i < x->t.n; i++)
		for (int j = 0; good && j < x->t.n; j++) {
			if (i == j || !tiny_signals(&x->t.at[i]) ||
			    !(enumeration_waits(x->all[w], WAIT_LOST)->row[i < j ? i : j] >>
				      (i < j ? j : i) &
			      1))
				continue;
			n = enumeration_wait_order(x->all[w], WAIT_LOST, i, j, order);
			good = try_order(x, FINDING_LOST_WAKEUP, order, n, &j, 1);
		}
	return good;
}

static bool try_seed(bool (*begin)(struct trial *x, uint64_t seed), uint64_t seed)
{
	struct trial x;
	bool good = begin(&x, seed);

	for (enum wanted w = WANT_STRICT; good && w <= WANT_DEP; w++)
		good = try_races(&x, w) && try_deadlocks(&x, w) && try_waits(&x, w);
	good = good && try_recorded(&x);
	trial_end(&x);
	return good;
}

static void try_all(const char *name, bool (*begin)(struct trial *x, uint64_t seed))
{
	struct trial_seeds s = trial_seeds(TRACES, TRACES_LONG);
	unsigned long bad = 0;

	memset(&seen, 0, sizeof(seen));
	for (uint64_t seed = s.from; seed < s.from + s.n; seed++)
		bad += !try_seed(begin, seed);
	TAP_EQ(bad, 0, "%s", name);
	printf("# %lu plans, %lu edges, %lu steps, %lu reads, %lu loose\n", seen.plans, seen.edges,
	       seen.steps, seen.reads, seen.loose);
	TAP_OK(seen.plans >= s.n && (s.n < 100 || seen.edges > 0), "%s: there were some", name);
}

int main(void)
{
	try_all("accesses and locks", trial_begin);
	try_all("locks in locks", trial_begin_locks);
	try_all("waits", trial_begin_waits);
	try_all("semaphores and tries", trial_begin_counts);
	return tap_done();
}
