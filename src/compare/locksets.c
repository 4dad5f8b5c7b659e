/*
 * Lock sets, interned.
 *
 * A thread's set changes with every acquire and release but is only asked for at accesses that
 * matter, so its id is found when first asked for.  Meets of two sets are few; they are remembered.
 */
#include "compare/locksets_priv.h"

#include <string.h>

void locksets_init(struct locksets *s)
{
	memset(s, 0, sizeof(*s));
	s->ids = intern_new();
	*VEC_PUSH(&s->sets) = (struct lockset){ 0 };
}

void locksets_release(struct locksets *s)
{
	for (size_t i = 0; i < s->chains.n; i++)
		VEC_RELEASE(&s->chains.at[i].held);
	VEC_RELEASE_ALL(&s->chains, &s->sets, &s->scratch);
	map_release(&s->common);
	intern_free(s->ids);
}

static struct lockset_chain *chain_at(struct locksets *s, uint32_t chain)
{
	VEC_REACH(&s->chains, chain);
	return &s->chains.at[chain];
}

void locksets_acquire(struct locksets *s, uint32_t chain, uint32_t lock, bool shared)
{
	struct lockset_chain *c = chain_at(s, chain);

	*VEC_PUSH(&c->held) = (struct lockset_held){ lock, shared };
	c->stale = true;
}

void locksets_release_lock(struct locksets *s, uint32_t chain, uint32_t lock)
{
	struct lockset_chain *c = chain_at(s, chain);

	for (size_t i = c->held.n; i-- > 0;) {
		if (c->held.at[i].lock == lock) {
			c->held.at[i] = c->held.at[--c->held.n];
			break;
		}
	}
	c->stale = true;
}

void locksets_forget(struct locksets *s, uint32_t chain)
{
	struct lockset_chain *c = chain_at(s, chain);

	VEC_CLEAR(&c->held);
	c->stale = true;
}

/* The id of what is in scratch, ascending. */
static uint32_t scratch_id(struct locksets *s)
{
	size_t bytes = s->scratch.n * sizeof(*s->scratch.at);
	uint32_t id;

	if (bytes == 0)
		return LOCKSETS_EMPTY;
	id = intern_add(s->ids, (const char *)s->scratch.at, bytes);
	if (id == s->sets.n) {
		const void *copy = intern_str(s->ids, id);

		*VEC_PUSH(&s->sets) = (struct lockset){ copy, (uint32_t)s->scratch.n };
	}
	return id;
}

static void scratch_insert(struct locksets *s, uint32_t lock)
{
	size_t i = s->scratch.n;

	VEC_PUSH(&s->scratch);
	for (; i > 0 && s->scratch.at[i - 1] > lock; i--)
		s->scratch.at[i] = s->scratch.at[i - 1];
	s->scratch.at[i] = lock;
}

static uint32_t held_id(struct locksets *s, const struct lockset_chain *c, bool writes)
{
	VEC_CLEAR(&s->scratch);
	for (size_t i = 0; i < c->held.n; i++)
		if (!writes || !c->held.at[i].shared)
			scratch_insert(s, c->held.at[i].lock);
	return scratch_id(s);
}

uint32_t locksets_held(struct locksets *s, uint32_t chain, bool writes)
{
	struct lockset_chain *c = chain_at(s, chain);

	if (c->stale) {
		c->all = held_id(s, c, false);
		c->write = held_id(s, c, true);
		c->stale = false;
	}
	return writes ? c->write : c->all;
}

static uint32_t meet(struct locksets *s, struct lockset a, struct lockset b)
{
	uint32_t i = 0, k = 0;

	VEC_CLEAR(&s->scratch);
	while (i < a.n && k < b.n) {
		if (a.locks[i] == b.locks[k])
			*VEC_PUSH(&s->scratch) = a.locks[i];
		if (a.locks[i] <= b.locks[k])
			i++;
		else
			k++;
	}
	return scratch_id(s);
}

uint32_t locksets_common(struct locksets *s, uint32_t a, uint32_t b)
{
	uint64_t key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a, *value;
	uint32_t id;
	bool fresh;

	if (a == b || a == LOCKSETS_EMPTY)
		return a;
	if (b == LOCKSETS_EMPTY)
		return b;
	value = map_put(&s->common, key, &fresh);
	if (!fresh)
		return (uint32_t)*value;
	id = meet(s, s->sets.at[a], s->sets.at[b]);
	*map_put(&s->common, key, NULL) = id;
	return id;
}
