/*
 * The reference model is a list of (from, to), where a new one throws out or cuts those it
 * overlaps, and the answer is the one around the address.
 */
#include "base/spans.h"

/* Node indices; 0 is empty. */
#define NODE(i) (&s->nodes.at[i])

static uint32_t tree_join(struct spans *s, uint32_t a, uint32_t b)
{
	if (a == 0 || b == 0)
		return a ? a : b;
	if (NODE(a)->rank >= NODE(b)->rank) {
		NODE(a)->right = tree_join(s, NODE(a)->right, b);
		return a;
	}
	NODE(b)->left = tree_join(s, a, NODE(b)->left);
	return b;
}

/* *low gets the nodes below addr, *high the others. */
static void tree_split(struct spans *s, uint32_t tree, uint64_t addr, uint32_t *low, uint32_t *high)
{
	if (tree == 0) {
		*low = *high = 0;
	} else if (NODE(tree)->addr < addr) {
		tree_split(s, NODE(tree)->right, addr, &NODE(tree)->right, high);
		*low = tree;
	} else {
		tree_split(s, NODE(tree)->left, addr, low, &NODE(tree)->left);
		*high = tree;
	}
}

/* The node with the greatest address not above addr; 0 none. */
static uint32_t tree_floor(const struct spans *s, uint64_t addr)
{
	uint32_t best = 0;

	for (uint32_t i = s->root; i != 0;) {
		if (NODE(i)->addr <= addr) {
			best = i;
			i = NODE(i)->right;
		} else {
			i = NODE(i)->left;
		}
	}
	return best;
}

void spans_remove(struct spans *s, uint64_t addr)
{
	uint32_t low, mid, high;

	tree_split(s, s->root, addr, &low, &high);
	tree_split(s, high, addr + 1, &mid, &high);
	s->root = tree_join(s, low, high);
	if (mid == 0)
		return;
	NODE(mid)->left = s->unused;
	s->unused = mid;
}

static uint32_t rank_next(struct spans *s)
{
	s->seed ^= s->seed << 13;
	s->seed ^= s->seed >> 7;
	s->seed ^= s->seed << 17;
	return (uint32_t)(s->seed >> 16);
}

/* It overlaps nothing. */
static void insert(struct spans *s, struct span n)
{
	uint32_t i = s->unused, low, high;

	if (i != 0) {
		s->unused = NODE(i)->left;
	} else {
		i = (uint32_t)s->nodes.n;
		(void)VEC_PUSH(&s->nodes);
	}
	n.rank = rank_next(s);
	n.left = n.right = 0;
	*NODE(i) = n;
	tree_split(s, s->root, n.addr, &low, &high);
	s->root = tree_join(s, tree_join(s, low, i), high);
}

/* Takes out one that overlaps [addr, end); false: there is none. */
static bool overlap_take(struct spans *s, uint64_t addr, uint64_t end, struct span *out)
{
	uint32_t i = tree_floor(s, end - 1);

	if (i == 0 || span_end(NODE(i)) <= addr)
		return false;
	*out = *NODE(i);
	spans_remove(s, out->addr);
	return true;
}

void spans_init(struct spans *s)
{
	memset(s, 0, sizeof(*s));
	s->seed = HASH_GOLDEN;
	memset(VEC_PUSH(&s->nodes), 0, sizeof(struct span));
}

void spans_release(struct spans *s)
{
	VEC_RELEASE(&s->nodes);
}

void spans_put(struct spans *s, struct span span)
{
	struct span old;

	while (overlap_take(s, span.addr, span_end(&span), &old))
		;
	insert(s, span);
}

void spans_clear(struct spans *s, uint64_t addr, uint64_t len)
{
	struct span old;

	while (len != 0 && overlap_take(s, addr, addr + len, &old)) {
		struct span low = old, high = old;

		low.len = addr - old.addr;
		high.addr = addr + len;
		high.len = span_end(&old) - high.addr;
		if (old.addr < addr)
			insert(s, low);
		if (span_end(&old) > addr + len)
			insert(s, high);
	}
}

void spans_lay(struct spans *s, struct span span)
{
	spans_clear(s, span.addr, span.len);
	insert(s, span);
}

const struct span *spans_find(const struct spans *s, uint64_t addr)
{
	uint32_t i = tree_floor(s, addr);

	return i != 0 && addr < span_end(NODE(i)) ? NODE(i) : NULL;
}
