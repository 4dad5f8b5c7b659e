/*
 * Happens-before races of the observed run (doc/ENGINES.md, hb).
 *
 * The reference model: a clock for every event, two conflicting accesses race when neither clock is
 * below the other.  Instead of clocks, cells keep epochs, the time of one chain (FastTrack):
 * an earlier access is ordered before now iff the chain's clock knows its time.
 *
 * The race with the smallest second event is real.  Later ones may not be: what comes after a race
 * may depend on how it ended.  Hence no finding here claims anything.
 */
#include "predict/engine.h"

#include "base/mem.h"
#include "compare/sync_priv.h"

struct hb {
	struct sync sync;
	struct pasts pasts;
	struct pairs pairs;
};

static void *hb_begin(const struct engine *e, const struct engine_options *opt)
{
	struct hb *self = mem_zalloc(sizeof(*self));

	sync_init(&self->sync, true, false);
	pasts_init(&self->pasts, opt->all_pairs, true);
	pairs_init(&self->pairs, e,
		   "unordered in the observed run; only the first such race is sure to be real",
		   opt->all_pairs);
	return self;
}

static void hb_access(struct hb *self, const struct step_batch *b, const struct step *s)
{
	const uint32_t *cells = step_cells(b, s);
	bool atomic = seen_is_atomic(s);
	const struct stamp *now;
	struct seen e;

	if (atomic)
		sync_acquire(&self->sync, s, cells);
	now = sync_now(&self->sync, s->chain);
	e = seen_make(s, now->time);
	if (!(s->flags & STEP_SHADOW))
		pasts_access(&self->pasts, cells, s->ncells, now, &e, &self->pairs);
	if (atomic)
		sync_publish(&self->sync, s, cells);
}

static void hb_steps(void *arg, const struct step_batch *b)
{
	struct hb *self = arg;

	for (size_t i = 0; i < b->n; i++) {
		const struct step *s = &b->at[i];

		if (step_is_access(s)) {
			hb_access(self, b, s);
		} else if (s->op == STEP_SPLIT) {
			pasts_split(&self->pasts, s->obj, s->other);
			sync_split(&self->sync, s->obj, s->other);
		} else if (s->op == STEP_DROP) {
			pasts_drop(&self->pasts, s->obj);
			sync_drop(&self->sync, s->obj);
		} else {
			if (step_is_life(s)) {
				struct step life = step_life(s);

				hb_access(self, b, &life);
			}
			if (!stream_is_destroy(s))
				sync_step(&self->sync, s);
		}
	}
}

static void hb_end(void *arg, struct engine_result *out)
{
	struct hb *self = arg;

	pairs_end(&self->pairs, out);
	pasts_release(&self->pasts);
	sync_release(&self->sync);
	mem_free(self);
}

const struct engine engine_hb = {
	.name = "hb",
	.summary = "races by happens-before in the observed run (FastTrack)",
	.aim = ENGINE_RACES,
	.proof = ENGINE_WARNS,
	.begin = hb_begin,
	.steps = hb_steps,
	.end = hb_end,
};
