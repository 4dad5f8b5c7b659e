/*
 * GoodLock (Havelund, SPIN 2000): two threads that take two locks in opposite orders, unless both
 * are inside a common third one, the gate.
 *
 *	analyse(n), n in tree 1, in preorder:
 *		N := nodes of tree 2 with n's lock, not below a marked one
 *		for m in N: for the children c of n, and theirs: if c's lock is held above m,
 *			report (c, m), and go no deeper there
 *		mark N; analyse the children of n; unmark N
 *
 * A marked node of tree 2 is a lock that both threads hold by then.  Neither sound nor complete:
 * it knows no fork, no join, no data, and no circle of three.
 *
 * Reports are circles of two locks, so only locks on some circle of the nestings of all threads are
 * looked at: a program with one order costs no more than its trees.
 *
 * Read locks: a node has a mode.  Two nodes of one lock in read mode exclude nobody: they are no
 * gate, and no request of the one waits for the other.  Tries: a node whose acquires all were
 * tries is held like others but never waits.
 */
#include "predict/engine.h"

#include "order/step.h"
#include "predict/lockgraph.h"
#include "predict/locktree.h"

struct goodlock {
	struct engine_options opt;
	struct locktree tree;
	uint64_t left;		   /* steps */
	uint32_t *same;		   /* by node: another one of the thread with that lock; 0 end */
	struct map heads;	   /* tid << 32 | lock, to a node */
	uint32_t *marks;	   /* by node: how often marked */
	uint32_t *component;	   /* by lock: which circles it is on; 0 none */
	uint32_t second;	   /* tid of tree 2 */
	struct map known;	   /* places, or pairs of nodes, that were told */
	struct engine_result *out; /* at the end */
	bool full;
};

void *goodlock_begin(const struct engine *e, const struct engine_options *opt)
{
	struct goodlock *self = mem_zalloc(sizeof(*self));

	(void)e;
	self->opt = *opt;
	self->left = opt->budget ? opt->budget : LIMIT_PATTERN_STEPS;
	locktree_init(&self->tree);
	return self;
}

void goodlock_steps(void *arg, const struct step_batch *b)
{
	struct goodlock *self = arg;

	for (size_t i = 0; i < b->n; i++)
		locktree_step(&self->tree, &b->at[i]);
}

static const struct locktree_node *node(const struct goodlock *self, uint32_t id)
{
	return &self->tree.nodes.at[id];
}

static bool goes_on(const struct goodlock *self)
{
	return self->left > 0 && !self->full && !engine_stopped(&self->opt);
}

static bool exclude(const struct locktree_node *a, const struct locktree_node *b)
{
	return a->lock == b->lock && !(a->shared && b->shared);
}

/* ---- reports ---- */

static uint64_t pair_key(const struct goodlock *self, uint32_t c, uint32_t m)
{
	uint64_t a = node(self, c)->ask.site, b = node(self, m)->ask.site;

	if (self->opt.all_pairs)
		return (uint64_t)c << 32 | m;
	return a < b ? a << 32 | b : b << 32 | a;
}

static void report(struct goodlock *self, uint32_t c, uint32_t m)
{
	const struct locktree_event *a = &node(self, c)->ask, *b = &node(self, m)->ask;
	struct findings *all = &self->out->findings;
	uint64_t *known;
	struct finding *f;

	if (a->pos == 0 || b->pos == 0)
		return;
	known = map_put(&self->known, pair_key(self, c, m), NULL);
	if (*known != 0) {
		all->at.at[*known - 1].more++;
		return;
	}
	self->full = all->at.n >= (self->opt.all_pairs ? LIMIT_PAIRS : LIMIT_SIGNATURES);
	if (self->full)
		return;
	f = findings_add(all, FINDING_DEADLOCK, &engine_goodlock);
	f->why = "opposite orders of nesting in two lock trees; whether a run can reach it was not "
		 "asked";
	finding_add_event(f, a->pos, a->site, a->op);
	finding_add_event(f, b->pos, b->site, b->op);
	*known = all->at.n;
}

/* ---- a pair of trees ---- */

static bool is_above(struct goodlock *self, const struct locktree_node *c, uint32_t m)
{
	for (uint32_t a = node(self, m)->parent; a != 0; a = node(self, a)->parent) {
		self->left -= self->left > 0;
		if (node(self, a)->parent != 0 && exclude(c, node(self, a)))
			return true;
	}
	return false;
}

static uint32_t component_of(const struct goodlock *self, uint32_t n)
{
	return self->component[node(self, n)->lock];
}

static void check_below(struct goodlock *self, uint32_t n, uint32_t m)
{
	uint32_t c = locktree_after(&self->tree, n, n, false);

	while (c != 0 && goes_on(self)) {
		const struct locktree_node *x = node(self, c);
		bool found = component_of(self, c) == component_of(self, n) && is_above(self, x, m);

		self->left -= self->left > 0;
		if (found)
			report(self, c, m);
		c = locktree_after(&self->tree, n, c, found);
	}
}

static bool is_gated(struct goodlock *self, uint32_t m)
{
	for (uint32_t a = node(self, m)->parent; a != 0; a = node(self, a)->parent) {
		self->left -= self->left > 0;
		if (self->marks[a] != 0)
			return true;
	}
	return false;
}

static uint32_t first_same(const struct goodlock *self, uint32_t n)
{
	const uint64_t *head =
		map_get(&self->heads, (uint64_t)self->second << 32 | node(self, n)->lock);

	return head ? (uint32_t)*head : 0;
}

static void mark(struct goodlock *self, uint32_t n, uint32_t by)
{
	for (uint32_t m = first_same(self, n); m != 0; m = self->same[m]) {
		self->left -= self->left > 0;
		if (exclude(node(self, n), node(self, m)))
			self->marks[m] += by;
	}
}

static void enter(struct goodlock *self, uint32_t n)
{
	uint32_t first = component_of(self, n) != 0 ? first_same(self, n) : 0;

	self->left -= self->left > 0;
	for (uint32_t m = first; m != 0 && goes_on(self); m = self->same[m])
		if (exclude(node(self, n), node(self, m)) && !is_gated(self, m))
			check_below(self, n, m);
	/* Those that are gated are below a marked one: marking them as well changes nothing. */
	mark(self, n, 1);
}

/* Preorder over tree 1; a node is left when the walk goes on beside or above it.  Without steps
 * marks stay behind, and nobody asks for them any more. */
static void analyse(struct goodlock *self, uint32_t root)
{
	uint32_t n = node(self, root)->child;

	while (n != 0 && goes_on(self)) {
		const struct locktree_node *x = node(self, n);

		enter(self, n);
		if (x->child != 0) {
			n = x->child;
			continue;
		}
		mark(self, n, (uint32_t)-1);
		while (node(self, n)->next == 0 && node(self, n)->parent != root) {
			n = node(self, n)->parent;
			mark(self, n, (uint32_t)-1);
		}
		n = node(self, n)->next;
	}
}

/* ---- all ---- */

/* False: there are no circles. */
static bool find_circles(struct goodlock *self)
{
	const struct locktree *t = &self->tree;
	VEC(struct lockgraph_edge) edges = { 0 };
	uint32_t nlocks = 0, ncircles;

	for (uint32_t n = 1; n < t->nodes.n; n++) {
		const struct locktree_node *x = node(self, n);

		if (x->lock >= nlocks)
			nlocks = x->lock + 1;
		if (x->depth > 1)
			*VEC_PUSH(&edges) =
				(struct lockgraph_edge){ node(self, x->parent)->lock, x->lock };
	}
	self->component = mem_zalloc(((size_t)nlocks + 1) * sizeof(*self->component));
	ncircles = lockgraph_components(nlocks, edges.at, edges.n, self->component);
	VEC_RELEASE(&edges);
	return ncircles != 0;
}

static void index_nodes(struct goodlock *self)
{
	const struct locktree *t = &self->tree;

	self->same = mem_zalloc((t->nodes.n + 1) * sizeof(*self->same));
	self->marks = mem_zalloc((t->nodes.n + 1) * sizeof(*self->marks));
	for (uint32_t tid = 0; tid < t->threads.n; tid++) {
		uint32_t root = t->threads.at[tid].root;

		if (!locktree_has(t, tid))
			continue;
		for (uint32_t n = locktree_after(t, root, root, false); n != 0;
		     n = locktree_after(t, root, n, false)) {
			uint64_t *head = map_put(&self->heads,
						 (uint64_t)tid << 32 | node(self, n)->lock, NULL);

			self->same[n] = (uint32_t)*head;
			*head = n;
		}
	}
}

static void say_limits(const struct goodlock *self)
{
	const struct locktree *t = &self->tree;

	for (uint32_t tid = 0; tid < t->threads.n; tid++) {
		const struct locktree_thread *th = &t->threads.at[tid];

		if (th->broken != 0)
			texts_add(&self->out->truncated,
				  "goodlock: T%u does not nest its locks; no lock tree for it",
				  (unsigned)tid);
		else if (th->cut)
			texts_add(&self->out->truncated,
				  "goodlock: the lock tree of T%u is too large; it has none",
				  (unsigned)tid);
	}
	if (self->full)
		texts_add(&self->out->truncated,
			  "goodlock: more than %zu pairs; the first ones are shown",
			  self->out->findings.at.n);
	else if (self->left == 0)
		texts_add(&self->out->truncated,
			  "goodlock: budget spent; not all lock trees were compared");
}

static void compare_trees(struct goodlock *self)
{
	const struct locktree *t = &self->tree;

	index_nodes(self);
	for (uint32_t i = 0; i < t->threads.n; i++) {
		for (uint32_t j = i + 1; locktree_has(t, i) && j < t->threads.n; j++) {
			if (!locktree_has(t, j) || !goes_on(self))
				continue;
			self->second = j;
			analyse(self, t->threads.at[i].root);
		}
	}
}

void goodlock_end(void *arg, struct engine_result *out)
{
	struct goodlock *self = arg;

	self->out = out;
	if (find_circles(self))
		compare_trees(self);
	say_limits(self);
	locktree_release(&self->tree);
	MAP_RELEASE_ALL(&self->heads, &self->known);
	MEM_FREE_ALL(self->same, self->marks, self->component, self);
}
