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

#include "compare/stream_priv.h"

void *hb_begin(const struct engine *e, const struct engine_options *opt)
{
	struct stream *self = mem_alloc(sizeof(*self));

	stream_init(self, e, opt,
		    "unordered in the observed run; only the first such race is sure to be real",
		    STREAM_ATOMICS | STREAM_LAST_WRITE);
	return self;
}

static void hb_access(struct stream *self, const struct step_batch *b, const struct step *s)
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

void hb_steps(void *arg, const struct step_batch *b)
{
	struct stream *self = arg;

	for (size_t i = 0; i < b->n; i++) {
		const struct step *s = &b->at[i];

		if (step_is_access(s)) {
			hb_access(self, b, s);
		} else if (s->op == STEP_SPLIT) {
			stream_split(self, s->obj, s->other);
		} else if (s->op == STEP_DROP) {
			stream_drop(self, s->obj);
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

void hb_end(void *arg, struct engine_result *out)
{
	stream_end(arg, out);
	mem_free(arg);
}
