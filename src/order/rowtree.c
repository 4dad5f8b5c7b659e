/*
 * Rows as radix trees with shared nodes.
 *
 * The reference model is an array of counters for each row:
 *
 *	raise(a, k, v)[u]  = u == k ? max(a[u], v) : a[u]
 *	join(a, b)[u]      = max(a[u], b[u])
 *
 * tests/unit/test_rowtree.c holds this file to that model.
 *
 * Why sixteen: a node is a line of the cache, and a path for 100 000 keys five of them.
 */
#include "order/rowtree.h"

#include "order/clock.h"

void rowtree_init(struct rowtree *r, uint32_t keys)
{
	memset(r, 0, sizeof(*r));
	r->keys = keys;
	r->levels = 1;
	while (r->levels * ROWTREE_BITS < 32 && keys > (uint32_t)1 << r->levels * ROWTREE_BITS)
		r->levels++;
	*VEC_PUSH(&r->blocks) = mem_zalloc(ROWTREE_BLOCK * sizeof(struct rowtree_node));
	r->n = 1;
}

void rowtree_init_scratch(struct rowtree *r, const struct rowtree *from)
{
	memset(r, 0, sizeof(*r));
	r->keys = from->keys;
	r->levels = from->levels;
	VEC_APPEND(&r->blocks, from->blocks.at, from->blocks.n);
	r->n = r->first = (uint32_t)from->blocks.n * ROWTREE_BLOCK;
}

void rowtree_release(struct rowtree *r)
{
	for (size_t i = r->first / ROWTREE_BLOCK; i < r->blocks.n; i++)
		mem_free(r->blocks.at[i]);
	VEC_RELEASE(&r->blocks);
}

void rowtree_forget(struct rowtree *r)
{
	assert(r->first != 0);
	r->n = r->first;
}

static struct rowtree_node *node(const struct rowtree *r, uint32_t id)
{
	return &r->blocks.at[id / ROWTREE_BLOCK][id % ROWTREE_BLOCK];
}

/* A node of its own with the contents of id; id itself if it is new. */
static uint32_t node_own(struct rowtree *r, uint32_t id, uint32_t mark)
{
	if (id >= mark && id != 0)
		return id;
	assert(r->n < UINT32_MAX - ROWTREE_BLOCK);
	if (r->n / ROWTREE_BLOCK == r->blocks.n)
		*VEC_PUSH(&r->blocks) = mem_alloc(ROWTREE_BLOCK * sizeof(struct rowtree_node));
	*node(r, r->n) = *node(r, id);
	return r->n++;
}

uint32_t rowtree_raise(struct rowtree *r, uint32_t row, uint32_t key, uint32_t value, uint32_t mark)
{
	uint32_t id, child;

	assert(key < r->keys);
	if (rowtree_at(r, row, key) >= value)
		return row;
	id = row = node_own(r, row, mark);
	for (uint32_t level = r->levels; --level > 0; id = child) {
		uint32_t i = key >> level * ROWTREE_BITS & (ROWTREE_FAN - 1);

		child = node_own(r, node(r, id)->at[i], mark);
		node(r, id)->at[i] = child;
	}
	node(r, id)->at[key & (ROWTREE_FAN - 1)] = value;
	return row;
}

static void leaf_clash(const struct rowtree_node *a, const struct rowtree_node *b, uint32_t key,
		       struct rowtree_clashes *out)
{
	for (uint32_t i = 0; i < ROWTREE_FAN; i += 2) {
		if ((a->at[i] == b->at[i] && a->at[i + 1] == b->at[i + 1]) ||
		    (a->at[i] | a->at[i + 1]) == 0 || (b->at[i] | b->at[i + 1]) == 0)
			continue;
		for (uint32_t k = i; k < i + 2; k++)
			*VEC_PUSH(&out->at) = (struct rowtree_clash){ key + k, a->at[k], b->at[k] };
	}
}

static uint32_t leaf_join(struct rowtree *r, uint32_t a, uint32_t b, uint32_t mark, uint32_t key,
			  struct rowtree_clashes *clashes)
{
	const struct rowtree_node *x = node(r, a), *y = node(r, b);

	if (clashes)
		leaf_clash(x, y, key, clashes);
	if (clock_leq(y->at, x->at, ROWTREE_FAN))
		return a;
	if (clock_leq(x->at, y->at, ROWTREE_FAN))
		return b;
	a = node_own(r, a, mark);
	clock_join(node(r, a)->at, y->at, ROWTREE_FAN);
	return a;
}

/* key: the first one below the two nodes. */
static uint32_t join(struct rowtree *r, uint32_t level, uint32_t a, uint32_t b, uint32_t mark,
		     uint32_t key, struct rowtree_clashes *clashes)
{
	struct rowtree_node both;
	bool mine = true, other = true;

	if (a == b || b == 0)
		return a;
	if (a == 0)
		return b;
	if (level == 0)
		return leaf_join(r, a, b, mark, key, clashes);
	for (uint32_t i = 0; i < ROWTREE_FAN; i++) {
		uint32_t x = node(r, a)->at[i], y = node(r, b)->at[i];

		both.at[i] =
			join(r, level - 1, x, y, mark, key + (i << level * ROWTREE_BITS), clashes);
		mine &= both.at[i] == x;
		other &= both.at[i] == y;
	}
	if (mine || other)
		return mine ? a : b;
	a = node_own(r, a, mark);
	*node(r, a) = both;
	return a;
}

uint32_t rowtree_join(struct rowtree *r, uint32_t row, uint32_t other, uint32_t mark,
		      struct rowtree_clashes *clashes)
{
	return join(r, r->levels - 1, row, other, mark, 0, clashes);
}

/* but: the key below a that does not count, or one that is not below it. */
static bool leq(const struct rowtree *r, uint32_t level, uint32_t a, uint32_t b, uint32_t key,
		uint32_t but)
{
	const struct rowtree_node *x = node(r, a), *y = node(r, b); /* node 0 is all zero */

	if (a == b || a == 0)
		return true;
	for (uint32_t i = 0; i < ROWTREE_FAN; i++) {
		if (level == 0 ? x->at[i] > y->at[i] && key + i != but
			       : !leq(r, level - 1, x->at[i], y->at[i],
				      key + (i << level * ROWTREE_BITS), but))
			return false;
	}
	return true;
}

bool rowtree_leq(const struct rowtree *r, uint32_t a, uint32_t b, uint32_t but)
{
	return leq(r, r->levels - 1, a, b, 0, but);
}

static void into(const struct rowtree *r, uint32_t level, uint32_t id, uint32_t key, uint32_t *cut)
{
	const struct rowtree_node *x = node(r, id);
	uint32_t n = r->keys - key < ROWTREE_FAN ? r->keys - key : ROWTREE_FAN;

	if (id == 0)
		return;
	if (level == 0) {
		clock_join(cut + key, x->at, n);
		return;
	}
	for (uint32_t i = 0; i < ROWTREE_FAN; i++)
		into(r, level - 1, x->at[i], key + (i << level * ROWTREE_BITS), cut);
}

void rowtree_into(const struct rowtree *r, uint32_t row, uint32_t *cut)
{
	into(r, r->levels - 1, row, 0, cut);
}
