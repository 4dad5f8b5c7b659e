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
#include "predict/engine.h"

#include "base/mem.h"
#include "compare/locksets_priv.h"
#include "compare/sync_priv.h"

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
	struct sync sync; /* locks are not given to it */
	struct pairs pairs;
	struct locksets sets;
	VEC(struct eraser_cell) cells;
};

static void *eraser_begin(const struct engine *e, const struct engine_options *opt)
{
	struct eraser *self = mem_zalloc(sizeof(*self));

	self->fork_join = opt->fork_join;
	sync_init(&self->sync, false, false);
	pairs_init(&self->pairs, e, "no common lock; other synchronisation may keep the two apart",
		   opt->all_pairs);
	locksets_init(&self->sets);
	return self;
}

/* All that the owner did comes before now. */
static bool is_handed_over(struct eraser *self, const struct eraser_cell *c, const struct seen *e)
{
	const struct stamp *now = sync_now(&self->sync, e->chain);

	return self->fork_join &&
	       (c->last.chain == e->chain || c->last.time <= stamp_other(now, c->last.chain));
}

static void cell_state(struct eraser *self, struct eraser_cell *c, const struct seen *e,
		       uint32_t tid)
{
	uint32_t held = locksets_held(&self->sets, e->chain, e->writes);

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
		c->set = locksets_common(&self->sets, c->set, held);
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
		pairs_add(&self->pairs, &c->other, e);
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
	e = seen_make(s, sync_now(&self->sync, s->chain)->time);
	for (uint32_t i = 0; i < s->ncells; i++) {
		VEC_REACH(&self->cells, cells[i]);
		cell_access(self, &self->cells.at[cells[i]], &e, s->tid);
	}
}

static void eraser_split(struct eraser *self, uint32_t from, uint32_t to)
{
	VEC_REACH(&self->cells, from > to ? from : to);
	self->cells.at[to] = self->cells.at[from];
}

static void eraser_other(struct eraser *self, const struct step *s)
{
	switch (s->op) {
	case STEP_ACQ:
	case STEP_RACQ:
		locksets_acquire(&self->sets, s->chain, s->obj, s->op == STEP_RACQ);
		break;
	case STEP_REL:
	case STEP_RREL:
		locksets_release_lock(&self->sets, s->chain, s->obj);
		break;
	case STEP_SPLIT:
		eraser_split(self, s->obj, s->other);
		break;
	case STEP_DROP:
		if (s->obj < self->cells.n)
			self->cells.at[s->obj] = (struct eraser_cell){ 0 };
		break;
	case STEP_FORK:
		locksets_forget(&self->sets, s->obj);
		sync_step(&self->sync, s);
		break;
	default:
		sync_step(&self->sync, s);
	}
}

static void eraser_steps(void *arg, const struct step_batch *b)
{
	struct eraser *self = arg;

	for (size_t i = 0; i < b->n; i++) {
		if (step_is_access(&b->at[i]))
			eraser_access(self, b, &b->at[i]);
		else
			eraser_other(self, &b->at[i]);
	}
}

static void eraser_end(void *arg, struct engine_result *out)
{
	struct eraser *self = arg;

	pairs_end(&self->pairs, out);
	locksets_release(&self->sets);
	VEC_RELEASE(&self->cells);
	sync_release(&self->sync);
	mem_free(self);
}

const struct engine engine_eraser = {
	.name = "eraser",
	.summary = "variables without a lock that all their accesses hold",
	.aim = ENGINE_RACES,
	.proof = ENGINE_WARNS,
	.begin = eraser_begin,
	.steps = eraser_steps,
	.end = eraser_end,
};
