/*
 * Comparisons: by which writes, other than the one it saw, a read that is only tested comes out as observed
 * (order/model.h, model_test; doc/SEMANTICS.md 2.2).
 */
#include "export/promela_priv.h"
#include "order/model.h"

bool promela_is_tested(const struct model *m, const struct promela_options *opt, uint32_t read,
		       uint32_t at)
{
	return !opt->strict && model_is_tested(m, read, at) &&
	       !(m->event[read].flags & (STEP_STOP | STEP_TAINTED | STEP_SHADOW));
}

bool promela_may_differ(const struct model *m, const struct promela_options *opt, uint32_t e)
{
	const struct model_event *ev = &m->event[e];

	return !opt->strict && model_reads(ev) &&
	       (!model_binds(ev) || promela_is_tested(m, opt, e, e));
}

/* All that `at' tests of the read comes out as observed, if it sees this. */
static bool passes(struct model_tests t, const struct model *m, uint32_t at, uint64_t value)
{
	for (uint32_t i = 0; i < t.n; i++)
		if (t.at[i].at == at && !model_test_is_same(m, &t.at[i], value))
			return false;
	return true;
}

/* What the cell holds before all writes, if some read has shown it. */
static bool initial_value(const struct model *m, uint32_t cell, uint64_t *value)
{
	struct model_list list = model_cell(m, cell);

	for (uint32_t i = 0; i < list.n; i++) {
		const struct model_event *e = &m->event[list.at[i]];

		if (model_reads(e) && !(e->flags & (STEP_STOP | STEP_TAINTED)) &&
		    model_value(m, list.at[i], cell, value, NULL))
			return true;
		if (model_writes(e))
			break;
	}
	return false;
}

void promela_would_do(const struct model *m, uint32_t read, uint32_t at, promela_writers *out)
{
	const struct model_touch *t = m->touches + m->event[read].touch;
	struct model_tests tests = model_tests_of(m, read);
	struct model_list list = model_cell(m, t->cell);
	uint64_t value;

	VEC_CLEAR(out);
	if (t->seen != 0 && initial_value(m, t->cell, &value) && passes(tests, m, at, value))
		*VEC_PUSH(out) = 0;
	for (uint32_t i = 0; i < list.n; i++) {
		uint32_t id = list.at[i];
		const struct model_event *w = &m->event[id], *r = &m->event[read];

		if (id != t->seen && model_writes(w) &&
		    !(w->chain == r->chain && w->index >= r->index) &&
		    model_value(m, id, t->cell, NULL, &value) && passes(tests, m, at, value))
			*VEC_PUSH(out) = id;
	}
}
