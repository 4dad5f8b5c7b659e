/*
 * More events of the universe: those that may help a semaphore to count up, or a try to fail.
 *
 * A wait needs a post, and which one is open.  Let f be, along one chain, POSTs less TAKEs from the
 * start of the search on.  To run a chain further helps others to count only if f gets higher than
 * it is, and no more than all the others can take:
 *
 *	wait post wait post ...		never: a chain that gives back what it took
 *	     wait | post		once
 *	post post post ...		as often as others wait, less what was there
 *
 * What lies beyond can be cut off from any reordering without a wait finding less than before.  So
 * the reorderings of the universe speak for all.  A wait that failed must find nothing, and who is
 * cut off might have taken it: then every event of the semaphore takes part.  So does every section of a
 * lock that a try found held, for which one it was is open.
 */
#include "predict/exact_priv.h"

void exact_supply_clear(struct exact *x)
{
	for (size_t i = 0; i < x->counters.n; i++)
		x->local_sem[x->counters.at[i].sem] = EXACT_NONE;
	VEC_CLEAR(&x->counters);
	VEC_CLEAR(&x->busy_ids);
	x->busy_clipped = false;
}

/* The try before it in the list asks for the same: who spins tries very often. */
static bool is_alike(const struct exact *x, uint32_t id)
{
	const struct model_event *e = &x->m->event[id], *o;

	if (x->busy_ids.n == 0)
		return false;
	o = &x->m->event[x->busy_ids.at[x->busy_ids.n - 1]];
	return o->obj == e->obj && o->tid == e->tid && !((o->flags ^ e->flags) & STEP_READERS);
}

void exact_supply_note(struct exact *x, uint32_t id)
{
	const struct model_event *e = &x->m->event[id];
	uint32_t *local;

	if (e->op == STEP_BUSY) {
		exact_use_lock(x, e->obj);
		if (!is_alike(x, id))
			*VEC_PUSH(&x->busy_ids) = id;
		return;
	}
	local = &x->local_sem[e->obj];
	if (*local == EXACT_NONE) {
		*local = (uint32_t)x->counters.n;
		*VEC_PUSH(&x->counters) = (struct exact_counter){ .sem = e->obj };
	}
	x->counters.at[*local].has_zeros |= e->op == STEP_ZERO;
}

/* So many of the run are among the first `count' events of its chain. */
static uint32_t run_within(const struct exact *x, const struct model_sem_run *r, uint32_t count)
{
	return model_list_within(x->m, (struct model_list){ r->at, r->n }, count);
}

int64_t exact_supply_start(const struct exact *x, uint32_t sem, int64_t *takes)
{
	struct model_sem_runs runs = model_sem_runs(x->m, sem);
	int64_t value = (int64_t)model_sem_value(x->m, sem);

	*takes = 0;
	for (uint32_t i = 0; i < runs.n; i++) {
		const struct model_sem_run *r = &runs.at[i];
		uint32_t lo = run_within(x, r, x->lo[r->chain]);
		uint32_t top = run_within(x, r, x->top[r->chain]);

		value += (int64_t)r->posts[lo] - r->takes[lo];
		*takes += r->takes[top] - r->takes[lo];
	}
	return value;
}

/* The event of a run up to which the chain is to be run; 0: no further.  bound: f need not be more. */
static uint32_t next_of_run(struct exact *x, struct exact_counter *c, const struct model_sem_run *r,
			    int64_t takes, int64_t value)
{
	uint32_t lo = run_within(x, r, x->lo[r->chain]);
	uint32_t top = run_within(x, r, x->top[r->chain]);
	int64_t base = (int64_t)r->posts[lo] - r->takes[lo];
	int64_t f = (int64_t)r->posts[top] - r->takes[top] - base;

	if (c->has_zeros)
		return top < r->n ? r->at[top] : 0;
	if (f >= takes - (r->takes[top] - r->takes[lo]) - value)
		return 0;
	for (uint32_t i = top; i < r->n; i++) {
		x->steps++;
		if ((int64_t)r->posts[i + 1] - r->takes[i + 1] - base > f)
			return r->at[i];
		if (i - top > x->limit) {
			c->clipped = true; /* so much does not go in anyway */
			return 0;
		}
	}
	return 0;
}

static bool supply_counter(struct exact *x, size_t counter)
{
	uint32_t sem = x->counters.at[counter].sem;
	struct model_sem_runs runs = model_sem_runs(x->m, sem);
	bool grew = false;

	for (uint32_t i = 0; i < runs.n; i++) {
		int64_t takes, value = exact_supply_start(x, sem, &takes);
		struct exact_counter *c = &x->counters.at[counter];
		uint32_t next = next_of_run(x, c, &runs.at[i], takes, value);
		enum exact_room room;

		if (next == 0)
			continue;
		room = exact_take_upto(x, next);
		x->counters.at[counter].clipped |= room == EXACT_NO_ROOM;
		grew |= room == EXACT_TAKEN;
	}
	return grew;
}

static bool supply_busy(struct exact *x, uint32_t id)
{
	bool grew = false;

	x->steps += x->m->nchains / EXACT_LANES;
	for (uint32_t k = 0; k < x->m->nchains; k++) {
		struct model_list l = model_lock_chain(x->m, x->m->event[id].obj, k);
		uint32_t i = model_list_within(x->m, l, x->top[k]);
		enum exact_room room;

		while (i < l.n && !model_explains(x->m, id, l.at[i]))
			i++;
		if (i == l.n)
			continue;
		room = exact_take_upto(x, l.at[i]);
		x->busy_clipped |= room == EXACT_NO_ROOM;
		grew |= room == EXACT_TAKEN;
	}
	return grew;
}

bool exact_supply(struct exact *x)
{
	bool grew = false;

	for (size_t i = 0; i < x->counters.n; i++)
		grew |= supply_counter(x, i);
	for (size_t i = 0; i < x->busy_ids.n; i++)
		grew |= supply_busy(x, x->busy_ids.at[i]);
	return grew;
}
