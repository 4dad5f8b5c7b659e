/*
 * Schedulable happens-before: the happens-before races that some reordering shows (Mathur, Kini
 * and Viswanathan, OOPSLA 2018; for free reads doc/SEMANTICS.md 2.2).
 *
 * Happens-before, plus: what a read saw comes before what follows the read.  The edge is added
 * after the read has been looked at, so the read itself may still race with the write it saw.  For
 * every pair told, the events below either of them, in observed order, are a run that ends right
 * before both: all reports are sound.
 *
 * What follows a read needs more than the write alone: the slice S[x] is the clock of all that must
 * run for x to have its value.
 *
 *	binding read	C join= S[x]
 *	free read q	Q[q] = S[x]; C does not change, the value decides nothing
 *	use		C join= Q[q] for q in its feeds
 *	write		S[x] = C join Q[q] for q in its feeds
 *
 * With `strict' every read binds.  No other edges of atomics: their values are what orders them.
 *
 * "Never": after a STOP nothing of the thread can be part of a reordering, nor anything that needs
 * what comes after it.  Its clock absorbs all others, and accesses under it are not looked at.
 */
#include "predict/engine.h"

#include "base/mem.h"
#include "compare/slices_priv.h"
#include "compare/sync_priv.h"

struct shb {
	bool strict;
	struct sync sync;
	struct pasts pasts;
	struct pairs pairs;
	VEC(struct stamp) last; /* [cell]: S */
	struct slices slices;	/* Q */
};

static void *shb_begin(const struct engine *e, const struct engine_options *opt)
{
	struct shb *self = mem_zalloc(sizeof(*self));

	self->strict = opt->strict;
	sync_init(&self->sync, false, false);
	pasts_init(&self->pasts, opt->all_pairs, false);
	pairs_init(&self->pairs, e, "schedulable by happens-before; no schedule was written out",
		   opt->all_pairs);
	slices_init(&self->slices, &self->sync.stamps);
	return self;
}

static void shb_stop(struct shb *self, uint32_t chain)
{
	stamp_make_never(&self->sync.stamps, sync_now(&self->sync, chain));
}

/* out := what must run for the cells to have their values; out is empty. */
static void shb_gather(struct shb *self, const uint32_t *cells, uint32_t n, struct stamp *out)
{
	for (uint32_t i = 0; i < n; i++)
		if (cells[i] < self->last.n)
			stamp_collect(&self->sync.stamps, out, &self->last.at[cells[i]]);
}

static void shb_read(struct shb *self, const struct step *s, const uint32_t *cells)
{
	struct stamps *stamps = &self->sync.stamps;
	struct stamp slice = { 0 };

	if (!(s->flags & STEP_FREE_READ) || self->strict) {
		struct stamp *now = sync_now(&self->sync, s->chain);

		for (uint32_t i = 0; i < s->ncells; i++)
			if (cells[i] < self->last.n)
				stamp_join(stamps, now, &self->last.at[cells[i]]);
		if (s->flags & STEP_TAINTED)
			shb_stop(self, s->chain);
		return;
	}
	if (s->flags & STEP_TAINTED)
		stamp_make_never(stamps, &slice);
	else
		shb_gather(self, cells, s->ncells, &slice);
	slices_add(&self->slices, s, &slice);
}

static void shb_write(struct shb *self, const struct step_batch *b, const struct step *s,
		      const uint32_t *cells)
{
	struct stamps *stamps = &self->sync.stamps;
	struct stamp *now = sync_now(&self->sync, s->chain), slice = { 0 };

	stamp_set(stamps, &slice, now);
	if (!self->strict)
		slices_feed(&self->slices, b, s, now, &slice);
	for (uint32_t i = 0; i < s->ncells; i++) {
		VEC_REACH(&self->last, cells[i]);
		stamp_set(stamps, &self->last.at[cells[i]], &slice);
	}
	stamp_clear(stamps, &slice);
	now->time++;
}

static void shb_access(struct shb *self, const struct step_batch *b, const struct step *s)
{
	const uint32_t *cells = step_cells(b, s);
	const struct stamp *now = sync_now(&self->sync, s->chain);
	struct seen e = seen_make(s, now->time);

	if (!(s->flags & STEP_SHADOW) && !stamp_is_never(&self->sync.stamps, now))
		pasts_access(&self->pasts, cells, s->ncells, now, &e, &self->pairs);
	/* The event itself could be a target; what follows could not. */
	if (s->flags & STEP_STOP)
		shb_stop(self, s->chain);
	if (s->op == STEP_READ || s->op == STEP_RMW)
		shb_read(self, s, cells);
	if (s->op != STEP_READ)
		shb_write(self, b, s, cells);
}

static void shb_use(struct shb *self, const struct step_batch *b, const struct step *s)
{
	struct stamp *now = sync_now(&self->sync, s->chain), slice = { 0 };

	if (self->strict)
		return;
	slices_feed(&self->slices, b, s, now, &slice);
	stamp_join(&self->sync.stamps, now, &slice);
	stamp_clear(&self->sync.stamps, &slice);
}

static void shb_split(struct shb *self, uint32_t from, uint32_t to)
{
	pasts_split(&self->pasts, from, to);
	VEC_REACH(&self->last, from > to ? from : to);
	stamp_set(&self->sync.stamps, &self->last.at[to], &self->last.at[from]);
}

static void shb_drop(struct shb *self, uint32_t cell)
{
	pasts_drop(&self->pasts, cell);
	if (cell < self->last.n)
		stamp_clear(&self->sync.stamps, &self->last.at[cell]);
}

static void shb_other(struct shb *self, const struct step_batch *b, const struct step *s)
{
	switch (s->op) {
	case STEP_SPLIT:
		shb_split(self, s->obj, s->other);
		return;
	case STEP_DROP:
		shb_drop(self, s->obj);
		return;
	case STEP_FORGET:
		sync_step(&self->sync, s);
		return;
	case STEP_USE:
		shb_use(self, b, s);
		break;
	case STEP_AFTER:
		/* A must, though no happens-before, from an event whose clock is gone: all that
		 * went before is above it.  That loses reports and is sound. */
		sync_after_all(&self->sync, s->chain);
		break;
	default:
		sync_step(&self->sync, s);
	}
	if (s->flags & STEP_STOP)
		shb_stop(self, s->chain);
}

/* It is called, then it happens: who sees what a destroy has written comes after all for which the
 * destroy had to wait. */
static void shb_life(struct shb *self, const struct step_batch *b, const struct step *s)
{
	const struct step life = step_life(s);
	const struct stamp *now = sync_now(&self->sync, s->chain);
	struct seen e = seen_make(&life, now->time);

	if (!stamp_is_never(&self->sync.stamps, now))
		pasts_access(&self->pasts, &life.obj, 1, now, &e, &self->pairs);
	if (life.op != STEP_WRITE)
		shb_read(self, &life, &life.obj);
	shb_other(self, b, s);
	if (life.op != STEP_READ)
		shb_write(self, b, &life, &life.obj);
}

static void shb_steps(void *arg, const struct step_batch *b)
{
	struct shb *self = arg;

	for (size_t i = 0; i < b->n; i++) {
		if (step_is_access(&b->at[i])) {
			shb_access(self, b, &b->at[i]);
			continue;
		}
		if (step_is_life(&b->at[i]))
			shb_life(self, b, &b->at[i]);
		else
			shb_other(self, b, &b->at[i]);
	}
}

static void shb_end(void *arg, struct engine_result *out)
{
	struct shb *self = arg;

	pairs_end(&self->pairs, out);
	pasts_release(&self->pasts);
	slices_release(&self->slices);
	VEC_RELEASE(&self->last);
	sync_release(&self->sync);
	mem_free(self);
}

const struct engine engine_shb = {
	.name = "shb",
	.summary = "happens-before races that can be scheduled, all of them real",
	.aim = ENGINE_RACES,
	.proof = ENGINE_ASKS,
	.begin = shb_begin,
	.steps = shb_steps,
	.end = shb_end,
};
