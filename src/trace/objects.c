/*
 * The reference model: a list of (from, to, name), where a new block throws
 * out those it overlaps, and the answer is the one around the address.
 */
#include "trace/objects.h"

#include <stdlib.h>
#include <string.h>

#include "capture/hooks.h"
#include "trace/control.h"
#include "trace/format.h"
#include "trace/images.h"

/* An empty block still has an address. */
static uint64_t node_end(const struct objects_node *n)
{
	return n->addr + (n->len ? n->len : 1);
}

/* ---- the treap; node indices, 0 is empty ---- */

#define NODE(i) (&o->nodes.at[i])

static uint32_t tree_join(struct objects *o, uint32_t a, uint32_t b)
{
	if (a == 0 || b == 0)
		return a ? a : b;
	if (NODE(a)->rank >= NODE(b)->rank) {
		NODE(a)->right = tree_join(o, NODE(a)->right, b);
		return a;
	}
	NODE(b)->left = tree_join(o, a, NODE(b)->left);
	return b;
}

/* *low gets the nodes below addr, *high the others. */
static void tree_split(struct objects *o, uint32_t tree, uint64_t addr, uint32_t *low,
		       uint32_t *high)
{
	if (tree == 0) {
		*low = *high = 0;
	} else if (NODE(tree)->addr < addr) {
		tree_split(o, NODE(tree)->right, addr, &NODE(tree)->right, high);
		*low = tree;
	} else {
		tree_split(o, NODE(tree)->left, addr, low, &NODE(tree)->left);
		*high = tree;
	}
}

/* The node with the greatest address not above addr; 0 none. */
static uint32_t tree_floor(const struct objects *o, uint64_t addr)
{
	uint32_t best = 0;

	for (uint32_t i = o->root; i != 0;) {
		if (NODE(i)->addr <= addr) {
			best = i;
			i = NODE(i)->right;
		} else {
			i = NODE(i)->left;
		}
	}
	return best;
}

static void tree_remove(struct objects *o, uint32_t node)
{
	uint64_t addr = NODE(node)->addr;
	uint32_t low, mid, high;

	tree_split(o, o->root, addr, &low, &high);
	tree_split(o, high, addr + 1, &mid, &high);
	o->root = tree_join(o, low, high);
	NODE(mid)->left = o->unused;
	o->unused = mid;
}

static uint32_t rank_next(struct objects *o)
{
	o->seed ^= o->seed << 13;
	o->seed ^= o->seed >> 7;
	o->seed ^= o->seed << 17;
	return (uint32_t)(o->seed >> 16);
}

static void tree_add(struct objects *o, struct objects_node n)
{
	uint32_t i, low, high, old;

	while ((old = tree_floor(o, node_end(&n) - 1)) != 0 && node_end(NODE(old)) > n.addr)
		tree_remove(o, old);
	i = o->unused;
	if (i != 0) {
		o->unused = NODE(i)->left;
	} else {
		i = (uint32_t)o->nodes.n;
		(void)VEC_PUSH(&o->nodes);
	}
	n.rank = rank_next(o);
	n.left = n.right = 0;
	n.id = o->next_id++;
	*NODE(i) = n;
	tree_split(o, o->root, n.addr, &low, &high);
	o->root = tree_join(o, tree_join(o, low, i), high);
}

/* ---- life ---- */

static int global_order(const void *x, const void *y)
{
	const struct control_global *a = x, *b = y;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return a->size < b->size ? -1 : a->size > b->size;
}

void objects_init(struct objects *o, const struct control_global *globals, size_t nglobals,
		  struct images *images, bool locks)
{
	memset(o, 0, sizeof(*o));
	map_init(&o->stacks);
	map_init(&o->numbers);
	o->images = images;
	o->locks = locks;
	o->seed = 0x9e3779b97f4a7c15u;
	memset(VEC_PUSH(&o->nodes), 0, sizeof(struct objects_node));
	o->globals = mem_alloc(nglobals * sizeof(*globals) + 1);
	if (nglobals)
		memcpy(o->globals, globals, nglobals * sizeof(*globals));
	o->nglobals = nglobals;
	qsort(o->globals, nglobals, sizeof(*globals), global_order);
	o->next_id = nglobals + 1;
}

void objects_release(struct objects *o)
{
	VEC_RELEASE(&o->nodes);
	map_release(&o->stacks);
	map_release(&o->numbers);
	mem_free(o->globals);
	strbuf_release(&o->text);
}

/* ---- numbers ---- */

/* OBJECTS_NAMES: nothing that has a name. */
static enum objects_name name_kind(enum event_op op)
{
	switch (op) {
	case EVENT_ACQ:
	case EVENT_RACQ:
	case EVENT_REL:
	case EVENT_RREL:
	case EVENT_TRYFAIL:
	case EVENT_REQ:
	case EVENT_RREQ:
	case EVENT_LOCK_INIT:
		return OBJECTS_LOCK;
	case EVENT_PARK:
	case EVENT_WAKE:
	case EVENT_SIGNAL:
	case EVENT_BROADCAST:
		return OBJECTS_COND;
	case EVENT_SEM_INIT:
	case EVENT_SEM_POST:
	case EVENT_SEM_WAIT:
	case EVENT_SEM_FAIL:
		return OBJECTS_SEM;
	case EVENT_BAR_INIT:
	case EVENT_BAR_IN:
	case EVENT_BAR_OUT:
		return OBJECTS_BARRIER;
	case EVENT_ONCE_BEGIN:
	case EVENT_ONCE_END:
	case EVENT_ONCE_PASS:
		return OBJECTS_ONCE;
	default:
		return OBJECTS_NAMES;
	}
}

/* By first use, and again when something new is made at the address. */
static void number_give(struct objects *o, const struct event *e)
{
	bool made = e->op == EVENT_LOCK_INIT || e->op == EVENT_SEM_INIT || e->op == EVENT_BAR_INIT;
	enum objects_name kind = name_kind(e->op);
	uint64_t *number;
	bool fresh;

	if (kind == OBJECTS_NAMES)
		return;
	number = map_put(&o->numbers, e->addr, &fresh);
	if ((fresh || made) && !images_hold(o->images, e->addr))
		*number = (uint64_t)kind << 32 | ++o->nnumbers[kind];
}

/* ---- events ---- */

static void block_end(struct objects *o, const struct event *e)
{
	uint32_t i = e->len ? tree_floor(o, e->addr + e->len - 1) : tree_floor(o, e->addr);

	/* A ranged FREE may come in pieces: the block ends with the last. */
	if (i != 0 && NODE(i)->kind != OBJECTS_STACK && node_end(NODE(i)) > e->addr &&
	    node_end(NODE(i)) <= e->addr + (e->len ? e->len : 1))
		tree_remove(o, i);
}

void objects_event(struct objects *o, const struct event *e)
{
	struct objects_node n = { .addr = e->addr, .len = e->len };
	uint64_t *stack;
	uint32_t i;

	if (o->locks)
		number_give(o, e);
	if (e->len >= UINT64_MAX - e->addr)
		return;
	switch (e->op) {
	case EVENT_ALLOC:
		if (e->arg == FORMAT_ALLOC_FRAME)
			break; /* part of its thread's stack */
		n.kind = e->arg == FORMAT_ALLOC_MAP ? OBJECTS_MAP : OBJECTS_HEAP;
		n.number = n.kind == OBJECTS_MAP ? ++o->nmap : ++o->nheap;
		tree_add(o, n);
		break;
	case EVENT_FREE:
		block_end(o, e);
		break;
	case EVENT_THREAD_BEGIN:
		if (e->len == 0)
			break;
		n.kind = OBJECTS_STACK;
		n.number = e->tid;
		tree_add(o, n);
		*map_put(&o->stacks, e->tid, NULL) = e->addr;
		break;
	case EVENT_THREAD_END:
		stack = map_get(&o->stacks, e->tid);
		i = stack ? tree_floor(o, *stack) : 0;
		if (i != 0 && NODE(i)->kind == OBJECTS_STACK && NODE(i)->number == e->tid)
			tree_remove(o, i);
		map_remove(&o->stacks, e->tid);
		break;
	default:
		break;
	}
}

/* ---- questions ---- */

static const struct objects_node *block_find(const struct objects *o, uint64_t addr)
{
	uint32_t i = tree_floor(o, addr);

	return i != 0 && addr < node_end(NODE(i)) ? NODE(i) : NULL;
}

static const struct control_global *global_find(const struct objects *o, uint64_t addr)
{
	size_t low = 0, high = o->nglobals;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (o->globals[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0)
		return NULL;
	low--;
	return addr - o->globals[low].addr < o->globals[low].size ? &o->globals[low] : NULL;
}

static void number_name(struct objects *o, uint64_t addr)
{
	static const char *const before[] = {
#define X(id, name) name,
		OBJECTS_NAMED(X)
#undef X
	};
	const uint64_t *number = map_get(&o->numbers, addr);

	if (number && *number)
		strbuf_addf(&o->text, "%s#%u", before[*number >> 32], (uint32_t)*number);
	else
		strbuf_addf(&o->text, "0x%llx", (unsigned long long)addr);
}

static void element_name(struct objects *o, const struct control_global *g, uint64_t *offset)
{
	uint64_t index[FORESEE_DIMENSIONS];
	unsigned n = foresee_array_index(g->type, g->size, offset, index);

	for (unsigned i = 0; i < n; i++)
		strbuf_addf(&o->text, "[%llu]", (unsigned long long)index[i]);
}

static const char *name_make(struct objects *o, uint64_t addr, bool elements)
{
	const struct control_global *g = global_find(o, addr);
	const struct objects_node *n = g ? NULL : block_find(o, addr);
	uint64_t offset = 0;

	strbuf_clear(&o->text);
	if (g && g->name) {
		strbuf_adds(&o->text, g->name);
		offset = addr - g->addr;
		if (elements)
			element_name(o, g, &offset);
	} else if (n) {
		static const char *const before[] = {
			[OBJECTS_HEAP] = "heap#",
			[OBJECTS_MAP] = "map#",
			[OBJECTS_STACK] = "stack of T",
		};

		strbuf_addf(&o->text, "%s%u", before[n->kind], n->number);
		offset = addr - n->addr;
	} else if (!images_name(o->images, addr, &o->text)) {
		number_name(o, addr);
	}
	if (offset != 0)
		strbuf_addf(&o->text, "+%llu", (unsigned long long)offset);
	return strbuf_str(&o->text);
}

const char *objects_name(struct objects *o, uint64_t addr)
{
	return name_make(o, addr, true);
}

const char *objects_range(struct objects *o, uint64_t addr)
{
	return name_make(o, addr, false);
}

uint64_t objects_id(struct objects *o, uint64_t addr)
{
	const struct control_global *g = global_find(o, addr);
	const struct objects_node *n = g ? NULL : block_find(o, addr);

	if (g)
		return (uint64_t)(g - o->globals) + 1;
	return n ? n->id : 0;
}
