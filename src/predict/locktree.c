/*
 * Step by step: an acquire goes down to a child, a release goes up.
 */
#include "predict/locktree.h"

#include "order/step.h"

void locktree_init(struct locktree *t)
{
	*t = (struct locktree){ 0 };
	VEC_REACH(&t->nodes, 0);
}

void locktree_release(struct locktree *t)
{
	VEC_RELEASE_ALL(&t->nodes, &t->threads);
	map_release(&t->children);
}

static uint32_t node_new(struct locktree *t, uint32_t parent, uint32_t lock, bool shared)
{
	uint32_t id = (uint32_t)t->nodes.n;
	struct locktree_node *p;

	*VEC_PUSH(&t->nodes) =
		(struct locktree_node){ .lock = lock, .shared = shared, .parent = parent };
	if (parent == 0)
		return id;
	p = &t->nodes.at[parent];
	if (p->last != 0)
		t->nodes.at[p->last].next = id;
	else
		p->child = id;
	p->last = id;
	t->nodes.at[id].depth = p->depth + 1;
	return id;
}

/* The child of the thread's present node; 0: there is no room for it. */
static uint32_t child_of(struct locktree *t, struct locktree_thread *th, uint32_t lock, bool shared)
{
	uint64_t key = (uint64_t)th->now << 32 | lock << 1 | shared;
	uint64_t *known = map_get(&t->children, key);

	if (known)
		return (uint32_t)*known;
	if (t->nodes.n >= LOCKTREE_NODES) {
		th->cut = true;
		return 0;
	}
	known = map_put(&t->children, key, NULL);
	*known = node_new(t, th->now, lock, shared);
	return (uint32_t)*known;
}

/* REQ and ACQ of one call are one: what counts is the acquire, if there is one. */
static void note(struct locktree_event *e, const struct step *s)
{
	if (e->pos == 0 ||
	    ((e->op == STEP_REQ || e->op == STEP_RREQ) && s->op != STEP_REQ && s->op != STEP_RREQ))
		*e = (struct locktree_event){ s->pos, s->site, s->op };
}

static void take(struct locktree *t, struct locktree_thread *th, const struct step *s)
{
	bool shared = s->op == STEP_RACQ || s->op == STEP_RREQ;
	bool got = s->op == STEP_ACQ || s->op == STEP_RACQ;
	struct locktree_node *n;
	uint32_t id;

	if (th->root == 0)
		th->root = th->now = node_new(t, 0, 0, false);
	id = child_of(t, th, s->obj, shared);
	if (id == 0)
		return;
	n = &t->nodes.at[id];
	note(&n->first, s);
	if (!(s->flags & STEP_TRY))
		note(&n->ask, s);
	n->count += got;
	if (got)
		th->now = id;
}

static void leave(struct locktree *t, struct locktree_thread *th, const struct step *s)
{
	const struct locktree_node *n = &t->nodes.at[th->now];

	if (n->parent == 0 || n->lock != s->obj || n->shared != (s->op == STEP_RREL))
		th->broken = s->pos;
	else
		th->now = n->parent;
}

void locktree_step(struct locktree *t, const struct step *s)
{
	struct locktree_thread *th;

	if ((s->op < STEP_ACQ || s->op > STEP_RREL) && s->op != STEP_REQ && s->op != STEP_RREQ)
		return;
	VEC_REACH(&t->threads, s->tid);
	th = &t->threads.at[s->tid];
	if (th->broken != 0 || th->cut)
		return;
	if (s->op == STEP_REL || s->op == STEP_RREL)
		leave(t, th, s);
	else
		take(t, th, s);
}

uint32_t locktree_after(const struct locktree *t, uint32_t top, uint32_t node, bool skip)
{
	if (!skip && t->nodes.at[node].child != 0)
		return t->nodes.at[node].child;
	while (node != top && t->nodes.at[node].next == 0)
		node = t->nodes.at[node].parent;
	return node == top ? 0 : t->nodes.at[node].next;
}
