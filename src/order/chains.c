#include "order/chains.h"

void chains_release(struct chains *c)
{
	VEC_RELEASE_ALL(&c->next, &c->threads, &c->current);
}

static struct chains_thread *thread_get(struct chains *c, uint32_t tid)
{
	while (c->threads.n <= tid) {
		*VEC_PUSH(&c->threads) = (struct chains_thread){ .chain = CHAINS_NONE,
								 .first = CHAINS_NONE,
								 .last = CHAINS_NONE };
		*VEC_PUSH(&c->current) = CHAINS_NONE;
	}
	return &c->threads.at[tid];
}

/* t := the first, u := the other: getting them one by one, the second could move the first. */
static void threads_get(struct chains *c, uint32_t tid, uint32_t other, struct chains_thread **t,
			struct chains_thread **u)
{
	thread_get(c, tid > other ? tid : other);
	*t = &c->threads.at[tid];
	*u = &c->threads.at[other];
}

static uint32_t chain_new(struct chains *c)
{
	*VEC_PUSH(&c->next) = CHAINS_NONE;
	return (uint32_t)c->next.n - 1;
}

/* Puts the list first .. last in front of what t has in hand. */
static void hand_add(struct chains *c, struct chains_thread *t, uint32_t first, uint32_t last)
{
	if (first == CHAINS_NONE)
		return;
	c->next.at[last] = t->first;
	if (t->first == CHAINS_NONE)
		t->last = last;
	t->first = first;
}

static uint32_t hand_take(struct chains *c, struct chains_thread *t)
{
	uint32_t chain = t->first;

	if (chain == CHAINS_NONE)
		return chain_new(c);
	t->first = c->next.at[chain];
	if (t->first == CHAINS_NONE)
		t->last = CHAINS_NONE;
	return chain;
}

uint32_t chains_run_slow(struct chains *c, uint32_t tid, bool *lost)
{
	struct chains_thread *t = thread_get(c, tid);

	if (t->joined) {
		/* Its chain may be another thread's by now. */
		*lost = true;
		t->chain = chain_new(c);
		t->joined = false;
	} else if (t->chain == CHAINS_NONE) {
		t->chain = chain_new(c);
	}
	t->ran = true;
	c->current.at[tid] = t->chain;
	return t->chain;
}

uint32_t chains_of(const struct chains *c, uint32_t tid)
{
	return tid < c->threads.n ? c->threads.at[tid].chain : CHAINS_NONE;
}

uint32_t chains_fork(struct chains *c, uint32_t tid, uint32_t child)
{
	struct chains_thread *t, *u;

	threads_get(c, tid, child, &t, &u);
	if (child == 0 || child == tid || u->ran || u->parent != 0 || u->joined)
		return CHAINS_NONE;
	u->parent = tid;
	u->chain = hand_take(c, t);
	return u->chain;
}

void chains_fork_failed(struct chains *c, uint32_t tid, uint32_t child)
{
	struct chains_thread *t, *u;

	threads_get(c, tid, child, &t, &u);
	if (u->parent != tid || u->ran || u->joined)
		return;
	hand_add(c, t, u->chain, u->chain);
	u->chain = CHAINS_NONE;
	u->parent = 0;
}

uint32_t chains_join(struct chains *c, uint32_t tid, uint32_t child)
{
	struct chains_thread *t, *u;
	uint32_t chain;

	threads_get(c, tid, child, &t, &u);
	if (child == tid || u->joined)
		return CHAINS_NONE;
	u->joined = true;
	c->current.at[child] = CHAINS_NONE;
	chain = u->chain;
	if (chain == CHAINS_NONE)
		return CHAINS_NONE;
	hand_add(c, t, u->first, u->last);
	hand_add(c, t, chain, chain);
	u->first = u->last = CHAINS_NONE;
	return chain;
}
