/*
 * An acquire guards a thread if it lies before the thread's fork and its release behind the join
 * (or nowhere).  Fork and join have to be by the same thread; then a child of a guarded thread
 * that is joined by it is guarded as well.
 *
 * Who is guarded by an acquire of g stands in its way to nobody who is inside the same section:
 * its owner, and others it guards.
 */
#include "predict/patterns_priv.h"

struct guard {
	uint32_t acquire;
	uint32_t next; /* 1 + index of another guard of the thread; 0 end */
};

struct patterns_parents {
	const struct model *m;
	VEC(struct guard) guards;
	VEC(uint32_t) of; /* by tid: 1 + index of its first guard */
};

/* By tid: the first join of it; 0 none. */
typedef VEC(uint32_t) join_list;

static bool is_within(const struct model *m, uint32_t acquire, uint32_t join)
{
	uint32_t release = m->event[acquire].partner;

	return release == 0 || (join != 0 && join < release);
}

static void guard_add(struct patterns_parents *p, uint32_t tid, uint32_t acquire)
{
	VEC_REACH(&p->of, tid);
	*VEC_PUSH(&p->guards) = (struct guard){ acquire, p->of.at[tid] };
	p->of.at[tid] = (uint32_t)p->guards.n;
}

static uint32_t first_guard(const struct patterns_parents *p, uint32_t tid)
{
	return tid < p->of.n ? p->of.at[tid] : 0;
}

static void fork_take(struct patterns_parents *p, uint32_t fork, const join_list *joins)
{
	const struct model *m = p->m;
	const struct model_event *f = &m->event[fork];
	uint32_t join = f->partner < joins->n ? joins->at[f->partner] : 0;

	if (join != 0 && m->event[join].tid != f->tid)
		join = 0;
	for (uint32_t h = f->hold; h != 0; h = m->holds[h].next)
		if (is_within(m, m->holds[h].acquire, join))
			guard_add(p, f->partner, m->holds[h].acquire);
	for (uint32_t i = first_guard(p, f->tid); i != 0; i = p->guards.at[i - 1].next) {
		uint32_t acquire = p->guards.at[i - 1].acquire;

		if (join != 0 || m->event[acquire].partner == 0)
			guard_add(p, f->partner, acquire);
	}
}

struct patterns_parents *patterns_parents_new(const struct model *m)
{
	struct patterns_parents *p = mem_zalloc(sizeof(*p));
	VEC(uint32_t) forks = { 0 };
	join_list joins = { 0 };

	p->m = m;
	for (uint32_t e = 1; e <= m->n; e++) {
		const struct model_event *v = &m->event[e];

		if (v->op == STEP_FORK)
			*VEC_PUSH(&forks) = e;
		if (v->op != STEP_JOIN)
			continue;
		VEC_REACH(&joins, v->partner);
		if (joins.at[v->partner] == 0)
			joins.at[v->partner] = e;
	}
	/* In order of the trace: a thread forks after it was forked itself. */
	for (size_t i = 0; i < forks.n; i++)
		fork_take(p, forks.at[i], &joins);
	VEC_RELEASE_ALL(&forks, &joins);
	return p;
}

void patterns_parents_free(struct patterns_parents *p)
{
	if (!p)
		return;
	VEC_RELEASE_ALL(&p->guards, &p->of);
	mem_free(p);
}

static bool is_shared(const struct patterns_parents *p, uint32_t acquire)
{
	return p->m->event[acquire].op == STEP_RACQ;
}

/* Another section of the lock than the guard's is held, or guards, where the request is. */
static bool guard_excludes(const struct patterns_parents *p, uint32_t acquire,
			   const struct lockgraph_request *r)
{
	const struct model_event *a = &p->m->event[acquire];
	bool shared = is_shared(p, acquire);

	if (r->tid != a->tid && model_set_excludes(p->m, r->set, a->obj, shared))
		return true;
	for (uint32_t i = first_guard(p, r->tid); i != 0; i = p->guards.at[i - 1].next) {
		uint32_t other = p->guards.at[i - 1].acquire;

		if (other != acquire && p->m->event[other].obj == a->obj &&
		    !(shared && is_shared(p, other)))
			return true;
	}
	return false;
}

bool patterns_parents_exclude(const struct patterns_parents *p, const struct lockgraph *g,
			      uint32_t a, uint32_t b)
{
	const struct lockgraph_request *x = &g->requests[a], *y = &g->requests[b];

	for (uint32_t i = first_guard(p, x->tid); i != 0; i = p->guards.at[i - 1].next)
		if (guard_excludes(p, p->guards.at[i - 1].acquire, y))
			return true;
	for (uint32_t i = first_guard(p, y->tid); i != 0; i = p->guards.at[i - 1].next)
		if (guard_excludes(p, p->guards.at[i - 1].acquire, x))
			return true;
	return false;
}
