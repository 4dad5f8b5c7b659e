/*
 * Lock sets (Eraser; Savage et al., 1997): a variable that several threads use should have one
 * lock that all of them hold.
 *
 *	VIRGIN -> EXCLUSIVE(t) -> SHARED (read by another) -> MODIFIED (written)
 *	             |                                            ^
 *	             +--------------- written by another ----------+
 *
 * From the moment a second thread comes, the set is the locks that every access held, for
 * writes only those held in write mode.  MODIFIED with an empty set is told once for each variable.
 * Neither sound nor complete: it judges a habit, not an order.
 *
 * With `fork_join', ownership passes on when all accesses of the owner come before now by forks,
 * joins and channels.
 */

#include "compare/stream_priv.h"

/* ---- lock sets ----
 *
 * The locks each chain holds, and sets of locks as small numbers: equal sets, equal ids.  A
 * thread's set changes with every acquire and release but is only asked for at accesses that
 * matter, so its id is found when first asked for.  Meets of two sets are few; they are
 * remembered.
 */

#define LOCKSETS_EMPTY 0u

struct lockset {
	const uint32_t *locks; /* ascending */
	uint32_t n;
};

struct lockset_held {
	uint32_t lock;
	bool shared;
};

struct lockset_chain {
	VEC(struct lockset_held) held;
	uint32_t all, write; /* ids of what is held, and of what is held in write mode */
	bool stale;	     /* the two ids are out of date */
};

struct locksets {
	struct intern *ids;	  /* the locks' numbers as bytes */
	VEC(struct lockset) sets; /* [id]; 0 is the empty set */
	struct map common;	  /* two ids: that of what they share */
	VEC(struct lockset_chain) chains;
	VEC(uint32_t) scratch;
};

static struct lockset_chain *chain_at(struct locksets *s, uint32_t chain)
{
	VEC_REACH(&s->chains, chain);
	return &s->chains.at[chain];
}

static void sets_acquire(struct locksets *s, uint32_t chain, uint32_t lock, bool shared)
{
	struct lockset_chain *c = chain_at(s, chain);

	*VEC_PUSH(&c->held) = (struct lockset_held){ lock, shared };
	c->stale = true;
}

static void sets_release(struct locksets *s, uint32_t chain, uint32_t lock)
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

/* The chain holds nothing: another thread goes on with it. */
static void sets_forget(struct locksets *s, uint32_t chain)
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

/* The set that protects a read, or a write, of the chain now. */
static uint32_t sets_held(struct locksets *s, uint32_t chain, bool writes)
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

static uint32_t sets_common(struct locksets *s, uint32_t a, uint32_t b)
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

/* ---- cells ---- */

enum eraser_state { VIRGIN, EXCLUSIVE, SHARED, MODIFIED };

struct eraser_cell {
	uint8_t state; /* enum eraser_state */
	bool warned;
	uint32_t set;
	uint32_t tid;
	struct seen last;  /* the latest access, by tid; the owner's while EXCLUSIVE */
	struct seen other; /* the latest by another thread */
};

struct eraser {
	bool fork_join;
	struct stream stream; /* locks are not given to it, nor accesses */
	struct locksets sets;
	VEC(struct eraser_cell) cells;
};

void *eraser_begin(const struct engine *e, const struct engine_options *opt)
{
	struct eraser *self = mem_zalloc(sizeof(*self));

	self->fork_join = opt->fork_join;
	stream_init(&self->stream, e, opt,
		    "no common lock; other synchronisation may keep the two apart", 0);
	self->sets.ids = intern_new();
	VEC_REACH(&self->sets.sets, LOCKSETS_EMPTY);
	return self;
}

/* All that the owner did comes before now. */
static bool is_handed_over(struct eraser *self, const struct eraser_cell *c, const struct seen *e)
{
	const struct stamp *now = sync_now(&self->stream.sync, e->chain);

	return self->fork_join &&
	       (c->last.chain == e->chain || c->last.time <= stamp_other(now, c->last.chain));
}

static void cell_state(struct eraser *self, struct eraser_cell *c, const struct seen *e,
		       uint32_t tid)
{
	uint32_t held = sets_held(&self->sets, e->chain, e->writes);

	switch (c->state) {
	case VIRGIN:
		c->state = EXCLUSIVE;
		return;
	case EXCLUSIVE:
		if (c->tid == tid || is_handed_over(self, c, e))
			return;
		c->set = held;
		c->state = e->writes ? MODIFIED : SHARED;
		return;
	default:
		c->set = sets_common(&self->sets, c->set, held);
		if (e->writes)
			c->state = MODIFIED;
	}
}

static void cell_access(struct eraser *self, struct eraser_cell *c, const struct seen *e,
			uint32_t tid)
{
	cell_state(self, c, e, tid);
	if (c->tid != tid)
		c->other = c->last;
	if (c->state == MODIFIED && c->set == LOCKSETS_EMPTY && !c->warned) {
		c->warned = true;
		past_pairs_add(&self->stream.pairs, &c->other, e);
	}
	c->last = *e;
	c->tid = tid;
}

static void eraser_access(struct eraser *self, const struct step_batch *b, const struct step *s)
{
	const uint32_t *cells = step_cells(b, s);
	struct seen e;

	if (seen_is_atomic(s) || (s->flags & STEP_SHADOW))
		return;
	e = seen_make(s, sync_now(&self->stream.sync, s->chain)->time);
	for (uint32_t i = 0; i < s->ncells; i++) {
		VEC_REACH(&self->cells, cells[i]);
		cell_access(self, &self->cells.at[cells[i]], &e, s->tid);
	}
}

static void eraser_other(struct eraser *self, const struct step *s)
{
	switch (s->op) {
	case STEP_ACQ:
	case STEP_RACQ:
		sets_acquire(&self->sets, s->chain, s->obj, s->op == STEP_RACQ);
		break;
	case STEP_REL:
	case STEP_RREL:
		sets_release(&self->sets, s->chain, s->obj);
		break;
	case STEP_SPLIT:
		VEC_REACH(&self->cells, s->obj > s->other ? s->obj : s->other);
		self->cells.at[s->other] = self->cells.at[s->obj];
		break;
	case STEP_DROP:
		if (s->obj < self->cells.n)
			self->cells.at[s->obj] = (struct eraser_cell){ 0 };
		break;
	case STEP_FORK:
		sets_forget(&self->sets, s->obj);
		sync_step(&self->stream.sync, s);
		break;
	default:
		sync_step(&self->stream.sync, s);
	}
}

void eraser_steps(void *arg, const struct step_batch *b)
{
	struct eraser *self = arg;

	for (size_t i = 0; i < b->n; i++) {
		if (step_is_access(&b->at[i]))
			eraser_access(self, b, &b->at[i]);
		else
			eraser_other(self, &b->at[i]);
	}
}

void eraser_end(void *arg, struct engine_result *out)
{
	struct eraser *self = arg;

	stream_end(&self->stream, out);
	for (size_t i = 0; i < self->sets.chains.n; i++)
		VEC_RELEASE(&self->sets.chains.at[i].held);
	VEC_RELEASE_ALL(&self->sets.chains, &self->sets.sets, &self->sets.scratch, &self->cells);
	map_release(&self->sets.common);
	intern_free(self->sets.ids);
	mem_free(self);
}
