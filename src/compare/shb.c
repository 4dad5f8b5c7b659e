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

#include "compare/stream_priv.h"

/* ---- slices of recent free reads ----
 *
 * Feeds name reads by their number in the thread.  A chain remembers its last SLICES_KEPT free
 * reads; the slices of older ones are joined into one.  A feed that is not among the kept ones and
 * could be older takes that join: a slice that is too large only takes reports away.
 */

#define SLICES_KEPT 64

struct slice {
	uint64_t first, end; /* numbers: a ranged read has one for each word */
	struct stamp stamp;
};

struct slice_ring {
	uint32_t tid;	  /* a chain is one thread after another */
	uint64_t n;	  /* reads so far; the last SLICES_KEPT are in at[i % SLICES_KEPT] */
	uint64_t old_end; /* numbers below belong to reads in `old', or are not free */
	struct stamp old;
	struct slice at[SLICES_KEPT];
};

struct slices {
	struct stamps *stamps;		   /* borrowed */
	VEC(struct slice_ring *) by_chain; /* NULL: no free read yet */
};

static void ring_restart(struct slices *q, struct slice_ring *r, uint32_t tid)
{
	for (uint32_t i = 0; i < SLICES_KEPT; i++)
		stamp_clear(q->stamps, &r->at[i].stamp);
	stamp_clear(q->stamps, &r->old);
	r->tid = tid;
	r->n = r->old_end = 0;
}

static struct slice_ring *ring_of(struct slices *q, const struct step *s)
{
	struct slice_ring *r;

	VEC_REACH(&q->by_chain, s->chain);
	if (!q->by_chain.at[s->chain])
		q->by_chain.at[s->chain] = mem_zalloc(sizeof(*r));
	r = q->by_chain.at[s->chain];
	if (r->tid != s->tid)
		ring_restart(q, r, s->tid);
	return r;
}

static uint64_t words(const struct step *s)
{
	return s->len ? (s->addr + s->len - 1) / 8 - s->addr / 8 + 1 : 1;
}

/* s is a free read. */
static void slices_add(struct slices *q, const struct step *s, const struct stamp *slice)
{
	struct slice_ring *r = ring_of(q, s);
	struct slice *at = &r->at[r->n % SLICES_KEPT];

	if (r->n >= SLICES_KEPT) {
		stamp_collect(q->stamps, &r->old, &at->stamp);
		r->old_end = at->end > r->old_end ? at->end : r->old_end;
	}
	at->first = s->tseq;
	at->end = s->tseq + words(s);
	stamp_set(q->stamps, &at->stamp, slice);
	r->n++;
}

/* The slice of the read with that number; NULL: a binding read, whose slice its thread's clock has.
 * Newest first: feeds mostly name what was just read, and a number of its own beats being inside a
 * range (an unaligned read touches two words with one number). */
static const struct stamp *ring_find(const struct slice_ring *r, uint64_t tseq)
{
	uint64_t kept = r->n < SLICES_KEPT ? r->n : SLICES_KEPT;

	for (uint64_t i = 1; i <= kept; i++) {
		const struct slice *at = &r->at[(r->n - i) % SLICES_KEPT];

		if (at->first <= tseq && tseq < at->end)
			return &at->stamp;
	}
	return tseq < r->old_end ? &r->old : NULL;
}

/* into := into joined with the slices of the feeds of s, as far as `now' does not know them. */
static void slices_feed(struct slices *q, const struct step_batch *b, const struct step *s,
			const struct stamp *now, struct stamp *into)
{
	const struct slice_ring *r;

	if (s->nfeeds == 0 || s->chain >= q->by_chain.n || !q->by_chain.at[s->chain])
		return;
	r = ring_of(q, s);
	for (uint32_t i = 0; i < s->nfeeds; i++) {
		const struct stamp *slice = ring_find(r, b->feeds[s->feeds + i]);

		if (slice && !stamp_leq(q->stamps, slice, now))
			stamp_collect(q->stamps, into, slice);
	}
}

/* ---- the engine ---- */

struct shb {
	bool strict;
	struct stream stream;
	VEC(struct stamp) last; /* [cell]: S */
	struct slices slices;	/* Q */
};

void *shb_begin(const struct engine *e, const struct engine_options *opt)
{
	struct shb *self = mem_zalloc(sizeof(*self));

	self->strict = opt->strict;
	stream_init(&self->stream, e, opt,
		    "schedulable by happens-before; no schedule was written out", 0);
	self->slices.stamps = &self->stream.sync.stamps;
	return self;
}

static void shb_stop(struct shb *self, uint32_t chain)
{
	stamp_make_never(&self->stream.sync.stamps, sync_now(&self->stream.sync, chain));
}

static void shb_read(struct shb *self, const struct step *s, const uint32_t *cells)
{
	struct stamps *stamps = &self->stream.sync.stamps;
	struct stamp slice = { 0 };

	if (!(s->flags & STEP_FREE_READ) || self->strict) {
		struct stamp *now = sync_now(&self->stream.sync, s->chain);

		for (uint32_t i = 0; i < s->ncells; i++)
			if (cells[i] < self->last.n)
				stamp_join(stamps, now, &self->last.at[cells[i]]);
		if (s->flags & STEP_TAINTED)
			shb_stop(self, s->chain);
		return;
	}
	if (s->flags & STEP_TAINTED)
		stamp_make_never(stamps, &slice);
	/* What must run for the cells to have their values. */
	for (uint32_t i = 0; i < s->ncells && !(s->flags & STEP_TAINTED); i++)
		if (cells[i] < self->last.n)
			stamp_collect(stamps, &slice, &self->last.at[cells[i]]);
	slices_add(&self->slices, s, &slice);
}

static void shb_write(struct shb *self, const struct step_batch *b, const struct step *s,
		      const uint32_t *cells)
{
	struct stamps *stamps = &self->stream.sync.stamps;
	struct stamp *now = sync_now(&self->stream.sync, s->chain), slice = { 0 };

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
	const struct stamp *now = sync_now(&self->stream.sync, s->chain);
	struct seen e = seen_make(s, now->time);

	if (!(s->flags & STEP_SHADOW) && !stamp_is_never(&self->stream.sync.stamps, now))
		pasts_access(&self->stream.pasts, cells, s->ncells, now, &e, &self->stream.pairs);
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
	struct stamp *now = sync_now(&self->stream.sync, s->chain), slice = { 0 };

	if (self->strict)
		return;
	slices_feed(&self->slices, b, s, now, &slice);
	stamp_join(&self->stream.sync.stamps, now, &slice);
	stamp_clear(&self->stream.sync.stamps, &slice);
}

static void shb_other(struct shb *self, const struct step_batch *b, const struct step *s)
{
	switch (s->op) {
	case STEP_SPLIT:
		stream_split(&self->stream, s->obj, s->other);
		VEC_REACH(&self->last, s->obj > s->other ? s->obj : s->other);
		stamp_set(&self->stream.sync.stamps, &self->last.at[s->other],
			  &self->last.at[s->obj]);
		return;
	case STEP_DROP:
		stream_drop(&self->stream, s->obj);
		if (s->obj < self->last.n)
			stamp_clear(&self->stream.sync.stamps, &self->last.at[s->obj]);
		return;
	case STEP_FORGET:
		sync_step(&self->stream.sync, s);
		return;
	case STEP_USE:
		shb_use(self, b, s);
		break;
	case STEP_AFTER:
		/* A must, though no happens-before, from an event whose clock is gone: all that
		 * went before is above it.  That loses reports and is sound. */
		sync_after_all(&self->stream.sync, s->chain);
		break;
	default:
		sync_step(&self->stream.sync, s);
	}
	if (s->flags & STEP_STOP)
		shb_stop(self, s->chain);
}

/* It is called, then it happens: who sees what a destroy has written comes after all for which the
 * destroy had to wait. */
static void shb_life(struct shb *self, const struct step_batch *b, const struct step *s)
{
	const struct step life = step_life(s);
	const struct stamp *now = sync_now(&self->stream.sync, s->chain);
	struct seen e = seen_make(&life, now->time);

	if (!stamp_is_never(&self->stream.sync.stamps, now))
		pasts_access(&self->stream.pasts, &life.obj, 1, now, &e, &self->stream.pairs);
	if (life.op != STEP_WRITE)
		shb_read(self, &life, &life.obj);
	shb_other(self, b, s);
	if (life.op != STEP_READ)
		shb_write(self, b, &life, &life.obj);
}

void shb_steps(void *arg, const struct step_batch *b)
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

void shb_end(void *arg, struct engine_result *out)
{
	struct shb *self = arg;

	stream_end(&self->stream, out);
	for (size_t i = 0; i < self->slices.by_chain.n; i++)
		mem_free(self->slices.by_chain.at[i]);
	VEC_RELEASE_ALL(&self->slices.by_chain, &self->last);
	mem_free(self);
}
