/*
 * The engines there are, and what every one of them needs.
 */
#include "predict/engine.h"

#define X(row, title, says, what, sure, ...)                         \
	const struct engine engine_##row = { .name = (title),        \
					     .summary = (says),      \
					     .aim = ENGINE_##what,   \
					     .proof = ENGINE_##sure, \
					     __VA_ARGS__ };
ENGINES(X)
#undef X

const struct engine *const engine_table[] = {
#define X(row, ...) &engine_##row,
	ENGINES(X)
#undef X
		NULL,
};

const struct engine *engine_find(const char *name)
{
	for (const struct engine *const *e = engine_table; *e; e++)
		if (strcmp((*e)->name, name) == 0)
			return *e;
	return NULL;
}

/* --- results ---------------------------------------------------------------- */

void engine_result_release(struct engine_result *r)
{
	findings_release(&r->findings);
	texts_release(&r->truncated);
	if (r->lattice)
		lattice_counts_release(r->lattice);
	mem_free(r->lattice);
}

void engine_count(struct engine_counts *c, enum goal_outcome outcome)
{
	c->candidates++;
	c->predicted += outcome == GOAL_FOUND;
	c->refuted += outcome == GOAL_REFUTED;
	c->searched += outcome == GOAL_SEARCHED || outcome == GOAL_HEARD;
	c->undecided += outcome == GOAL_UNDECIDED;
}

/* --- what engines at the end share ------------------------------------------ */

struct engine_run *engine_run_new(const struct model *m)
{
	struct engine_run *run = mem_zalloc(sizeof(*run));

	run->model = m;
	return run;
}

void engine_run_free(struct engine_run *run)
{
	if (!run)
		return;
	for (int i = 0; i < CAUSAL_MODES; i++)
		causal_free(run->causal[i]);
	mem_free(run);
}

const struct causal *engine_causal(struct engine_run *run, enum causal_mode mode)
{
	/* Without pairs there is nothing to count, and the two are one. */
	if (!run->model->has_pairs && mode >= CAUSAL_MUST_STRICT)
		mode = mode == CAUSAL_MUST_DEP ? CAUSAL_DEP : CAUSAL_STRICT;
	if (!run->causal[mode])
		run->causal[mode] = causal_new(run->model, mode, false);
	return run->causal[mode];
}
