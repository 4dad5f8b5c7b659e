/*
 * The semaphores of a model.
 *
 * Many a semaphore is a mutex: it begins at one, and every thread waits, posts, waits, posts.  Then
 * its value is one, less the number of threads between a wait and the post after it, in every
 * reordering.  That is a lock, and lock engines know more about locks than about numbers: such a
 * semaphore becomes one here.  Nothing is said about who waits for whom, so it is a loose one.
 *
 * Of the others the events are listed, by chain.
 */

#include "order/model_priv.h"

static bool is_sem_op(uint8_t op)
{
	return op == STEP_POST || op == STEP_TAKE || op == STEP_ZERO;
}

/* ---- mutexes ---- */

#define NO_LOCK UINT32_MAX

/* Semaphores that are no mutex for what one thread does with them: open has, by (semaphore,
 * thread), those that are between a wait and a post. */
static void mutexes_find(struct model *m, bool *is_mutex)
{
	const struct model_build *b = m->priv->build;
	struct map open = { 0 };

	for (size_t i = 0; i < b->sems.n; i++)
		is_mutex[i] = b->sems.at[i].met && b->sems.at[i].first == 1;
	for (uint32_t id = 1; id <= m->n; id++) {
		const struct model_event *e = &b->events.at[id];
		uint64_t *is_open;

		if (!is_sem_op(e->op) || !is_mutex[e->obj])
			continue;
		is_open = map_put(&open, (uint64_t)e->obj << 32 | e->tid, NULL);
		if (e->op == STEP_ZERO || (e->flags & STEP_STOP) ||
		    *is_open != (e->op == STEP_POST))
			is_mutex[e->obj] = false;
		*is_open = e->op == STEP_TAKE;
	}
	map_release(&open);
}

/* The holds once more, from the beginning, with the new locks among them. */
static void holds_redo(struct model *m, const uint32_t *lock_of)
{
	struct model_build *b = m->priv->build;

	b->holds.n = 1;
	for (size_t i = 0; i < b->threads.n; i++)
		b->threads.at[i].hold = 0;
	for (uint32_t id = 1; id <= m->n; id++) {
		struct model_event *e = &b->events.at[id];
		uint32_t *hold = &b->threads.at[e->tid].hold;
		bool shared = e->op == STEP_RACQ || e->op == STEP_RREL;
		uint32_t acquire;

		if (is_sem_op(e->op) && lock_of[e->obj] != NO_LOCK) {
			e->op = e->op == STEP_TAKE ? STEP_ACQ : STEP_REL;
			e->obj = lock_of[e->obj];
		}
		e->hold = *hold;
		if (e->op == STEP_ACQ || e->op == STEP_RACQ) {
			*hold = model_hold_push(m, *hold, id, e->obj, shared);
		} else if (e->op == STEP_REL || e->op == STEP_RREL) {
			*hold = model_hold_drop(m, *hold, e->obj, shared, &acquire);
			e->partner = acquire;
			if (acquire != 0)
				b->events.at[acquire].partner = id;
		}
	}
}

void model_sems_to_locks(struct model *m)
{
	struct model_build *b = m->priv->build;
	size_t n = b->sems.n;
	bool *is_mutex = mem_zalloc((n + 1) * sizeof(*is_mutex)), any = false;
	uint32_t *lock_of = mem_alloc((n + 1) * sizeof(*lock_of));

	if (n != 0)
		mutexes_find(m, is_mutex);
	for (size_t i = 0; i < n; i++) {
		lock_of[i] = NO_LOCK;
		if (!is_mutex[i])
			continue;
		any = true;
		lock_of[i] = m->nlocks++;
		VEC_REACH(&b->loose, lock_of[i]);
		b->loose.at[lock_of[i]] = true;
	}
	if (any)
		holds_redo(m, lock_of);
	MEM_FREE_ALL(is_mutex, lock_of);
}

/* ---- the others ---- */

/* sem_events := events by semaphore, then chain; those of one semaphore and chain are a run. 
 * Returns how many there are. */
static uint32_t runs_make(struct model *m)
{
	struct model_priv *p = m->priv;
	uint32_t *start = mem_zalloc(((size_t)m->nsems + 2) * sizeof(*start));
	VEC(uint32_t) all = { 0 };

	for (uint32_t c = 0; c < m->nchains; c++) {
		struct model_list l = model_chain(m, c);

		for (uint32_t i = 0; i < l.n; i++)
			if (is_sem_op(m->event[l.at[i]].op))
				*VEC_PUSH(&all) = l.at[i];
	}
	p->sem_events = mem_alloc((all.n + 1) * sizeof(*p->sem_events));
	SORT_BY_KEY(start, m->nsems, i, all.n, m->event[all.at[i]].obj,
		    p->sem_events[sort_at] = all.at[i]);
	for (uint32_t s = 0; s < m->nsems; s++) {
		struct model_sem *sem = &p->sems.at[s];

		sem->first = (uint32_t)p->sem_runs.n;
		for (uint32_t i = start[s]; i < start[s + 1]; i++) {
			uint32_t chain = m->event[p->sem_events[i]].chain;

			if (p->sem_runs.n == sem->first ||
			    p->sem_runs.at[p->sem_runs.n - 1].chain != chain)
				*VEC_PUSH(&p->sem_runs) =
					(struct model_sem_run){ .chain = chain,
								.at = p->sem_events + i };
			p->sem_runs.at[p->sem_runs.n - 1].n++;
		}
		sem->n = (uint32_t)p->sem_runs.n - sem->first;
	}
	MEM_FREE_ALL(start, all.at);
	return (uint32_t)all.n;
}

static void runs_count(struct model *m, uint32_t nevents)
{
	struct model_priv *p = m->priv;
	uint32_t *at;

	p->sem_counts = at = mem_alloc(2 * (nevents + p->sem_runs.n + 1) * sizeof(*at));
	for (size_t k = 0; k < p->sem_runs.n; k++) {
		struct model_sem_run *run = &p->sem_runs.at[k];
		uint32_t *posts = at, *takes = at + run->n + 1;

		posts[0] = takes[0] = 0;
		for (uint32_t i = 0; i < run->n; i++) {
			posts[i + 1] = posts[i] + (m->event[run->at[i]].op == STEP_POST);
			takes[i + 1] = takes[i] + (m->event[run->at[i]].op == STEP_TAKE);
		}
		run->posts = posts;
		run->takes = takes;
		at = takes + run->n + 1;
	}
}

void model_settle_sem_runs(struct model *m)
{
	if (m->nsems != 0)
		runs_count(m, runs_make(m));
}

void model_settle_sems(struct model *m)
{
	struct model_priv *p = m->priv;

	m->nsems = (uint32_t)p->build->sems.n;
	for (uint32_t s = 0; s < m->nsems; s++)
		*VEC_PUSH(&p->sems) = (struct model_sem){ .value = p->build->sems.at[s].first };
}

struct model_sem_runs model_sem_runs(const struct model *m, uint32_t sem)
{
	const struct model_sem *s = &m->priv->sems.at[sem];

	assert(sem < m->nsems);
	return (struct model_sem_runs){ m->priv->sem_runs.at + s->first, s->n };
}

uint64_t model_sem_value(const struct model *m, uint32_t sem)
{
	assert(sem < m->nsems);
	return m->priv->sems.at[sem].value;
}
