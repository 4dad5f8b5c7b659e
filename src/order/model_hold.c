/*
 * What a thread holds, as lists that share their tails, and sets of locks with ids.
 *
 *	acquire a, acquire b, release b, acquire c
 *
 *	a <--- b
 *	  \--- c		one node for each acquire
 *
 * A release that is not of the innermost lock makes new nodes for the acquires above it; this is
 * rare, and costs their number.
 *
 * Sets are made for those holds only that somebody asks for.  A program that takes its locks in
 * one order has as many sets as it has nestings, and no engine wants to know them.
 */

#include "order/model_priv.h"

/* Appends the keys of a set and one more to set_keys, sorted, each once.  Returns how many. */
static uint32_t keys_append(struct model_priv *p, uint32_t set, uint32_t key)
{
	const struct model_set from = p->sets.at[set];
	const uint32_t *in;
	uint32_t *out, i = 0, n = 0;

	VEC_RESERVE(&p->set_keys, p->set_keys.n + from.n + 1);
	in = p->set_keys.at + from.first;
	out = p->set_keys.at + p->set_keys.n;
	while (i < from.n && in[i] < key)
		out[n++] = in[i++];
	out[n++] = key;
	if (i < from.n && in[i] == key)
		i++;
	while (i < from.n)
		out[n++] = in[i++];
	p->set_keys.n += n;
	return n;
}

/* The set whose keys are the last n of set_keys; they stay only if it is a new one. */
static uint32_t set_intern(struct model_priv *p, uint32_t n)
{
	uint32_t first = (uint32_t)p->set_keys.n - n, id;
	const uint32_t *keys = p->set_keys.at + first;
	uint64_t *newest = map_put(&p->set_hash, hash_numbers(n, keys, n), NULL);
	struct model_set new = { .first = first, .n = n, .next = (uint32_t)*newest };

	for (id = (uint32_t)*newest; id != 0; id = p->sets.at[id].next) {
		const struct model_set *s = &p->sets.at[id];

		if (s->n == n && memcmp(p->set_keys.at + s->first, keys, n * sizeof(*keys)) == 0) {
			p->set_keys.n = first;
			return id;
		}
	}
	for (uint32_t i = 0; i < n; i++)
		new.filter |= (uint64_t)1 << (hash_upper(keys[i] >> 1) >> 58);
	id = (uint32_t)p->sets.n;
	*VEC_PUSH(&p->sets) = new;
	*newest = id;
	return id;
}

/* Most sets have one lock. */
static uint32_t set_single(struct model_priv *p, uint32_t key)
{
	VEC_REACH(&p->set_one, key);
	if (p->set_one.at[key] == 0)
		p->set_one.at[key] = set_intern(p, keys_append(p, 0, key));
	return p->set_one.at[key];
}

static uint32_t set_add(struct model_priv *p, uint32_t set, uint32_t key)
{
	uint64_t *known = map_put(&p->set_step, (uint64_t)set << 32 | key, NULL);

	if (*known == 0)
		*known = set_intern(p, keys_append(p, set, key));
	return (uint32_t)*known;
}

uint32_t model_hold_push(struct model *m, uint32_t hold, uint32_t acquire, uint32_t lock,
			 bool shared)
{
	struct model_build *b = m->priv->build;

	*VEC_PUSH(&b->holds) = (struct model_hold){ acquire, lock, hold, shared };
	return (uint32_t)b->holds.n - 1;
}

uint32_t model_hold_drop(struct model *m, uint32_t hold, uint32_t lock, bool shared,
			 uint32_t *acquire)
{
	struct model_build *b = m->priv->build;
	uint32_t at = hold;

	*acquire = 0;
	VEC_CLEAR(&b->scratch);
	for (; at != 0; at = b->holds.at[at].next) {
		if (b->holds.at[at].lock == lock && b->holds.at[at].shared == shared)
			break;
		*VEC_PUSH(&b->scratch) = at;
	}
	if (at == 0)
		return hold;
	*acquire = b->holds.at[at].acquire;
	hold = b->holds.at[at].next;
	for (size_t i = b->scratch.n; i-- > 0;) {
		struct model_hold h = b->holds.at[b->scratch.at[i]];

		hold = model_hold_push(m, hold, h.acquire, h.lock, h.shared);
	}
	return hold;
}

uint32_t model_hold_find(const struct model *m, uint32_t hold, uint32_t lock, bool shared)
{
	while (hold != 0 && (m->holds[hold].lock != lock || (shared && m->holds[hold].shared)))
		hold = m->holds[hold].next;
	return hold;
}

/* The thread's next event tells; a chain has its threads one after the other. */
uint32_t model_hold_at(const struct model *m, uint32_t chain, uint32_t count)
{
	struct model_list l = model_chain(m, chain);
	uint32_t tid = count != 0 ? m->event[l.at[count - 1]].tid : 0;

	if (count == 0)
		return 0;
	if (count < l.n && m->event[l.at[count]].tid == tid)
		return m->event[l.at[count]].hold;
	return m->priv->last_hold.at[tid];
}

/*
 * Within a chain the sections of a lock follow each other, so of all acquires of a lock in a cut
 * only the latest of each chain can be open, and only the latest matters to the others.
 */
bool model_hold_is_passed(const struct model *m, uint32_t acquire, const uint32_t *cut)
{
	const struct model_event *a = &m->event[acquire];

	for (uint32_t i = 0; i < model_lock_nchains(m, a->obj); i++) {
		uint32_t chain, past;
		struct model_list list = model_lock_nth(m, a->obj, i, &chain);

		if (chain == a->chain || cut[chain] == 0 || list.at[list.n - 1] <= acquire)
			continue;
		past = model_list_within(m, list, cut[chain]);
		while (a->op == STEP_RACQ && past > 0 &&
		       m->event[list.at[past - 1]].op == STEP_RACQ)
			past--;
		if (past > 0 && list.at[past - 1] > acquire)
			return true;
	}
	return false;
}

/* The set of a hold is that of the next one and its own lock. */
uint32_t model_held_set(const struct model *m, uint32_t hold)
{
	struct model_priv *p = m->priv;
	uint32_t set;

	if (!p->set_of)
		p->set_of = mem_zalloc(((size_t)m->nholds + 1) * sizeof(*p->set_of));
	if (hold == 0 || p->set_of[hold] != 0)
		return p->set_of[hold];
	for (; hold != 0 && p->set_of[hold] == 0; hold = m->holds[hold].next)
		*VEC_PUSH(&p->set_missing) = hold;
	set = p->set_of[hold];
	while (p->set_missing.n > 0) {
		uint32_t next = p->set_missing.at[--p->set_missing.n];
		uint32_t key = m->holds[next].lock << 1 | m->holds[next].shared;

		assert(m->holds[next].lock < UINT32_MAX / 2);
		set = set == 0 ? set_single(p, key) : set_add(p, set, key);
		p->set_of[next] = set;
	}
	return set;
}

struct model_list model_set(const struct model *m, uint32_t set)
{
	const struct model_set *s = &m->priv->sets.at[set];

	return (struct model_list){ m->priv->set_keys.at + s->first, s->n };
}

bool model_keys_disjoint(struct model_list a, struct model_list b)
{
	uint32_t i = 0, j = 0;

	while (i < a.n && j < b.n) {
		if (a.at[i] >> 1 == b.at[j] >> 1) {
			if (!(a.at[i] & b.at[j] & 1))
				return false;
			i++;
		} else if (a.at[i] < b.at[j]) {
			i++;
		} else {
			j++;
		}
	}
	return true;
}

bool model_sets_disjoint(const struct model *m, uint32_t a, uint32_t b)
{
	const struct model_set *x = &m->priv->sets.at[a], *y = &m->priv->sets.at[b];

	return (x->filter & y->filter) == 0 ||
	       model_keys_disjoint(model_set(m, a), model_set(m, b));
}

bool model_set_excludes(const struct model *m, uint32_t set, uint32_t lock, bool shared)
{
	struct model_list keys = model_set(m, set);

	for (uint32_t i = 0; i < keys.n; i++)
		if (keys.at[i] >> 1 == lock && !(shared && (keys.at[i] & 1)))
			return true;
	return false;
}
