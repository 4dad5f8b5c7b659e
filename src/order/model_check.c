/*
 * What engines take for granted of a finished model; for tests.
 */

#include "order/model_priv.h"

static void touches_check(const struct model *m, uint32_t id)
{
	const struct model_event *e = &m->event[id];

	for (uint32_t i = e->touch; i < e[1].touch; i++) {
		const struct model_touch *t = &m->touches[i];

		assert(t->cell < m->ncells && (i == e->touch || m->touches[i - 1].cell < t->cell));
		assert(t->seen < id);
		assert(!t->seen ||
		       (model_writes(&m->event[t->seen]) && model_touches(m, t->seen, t->cell)));
	}
}

/* A 0 may come first: a read from before the model. */
static void feeds_check(const struct model *m, uint32_t id)
{
	const struct model_event *e = &m->event[id];

	for (uint32_t i = e->feed; i < e[1].feed; i++) {
		const struct model_event *read = &m->event[m->feeds[i]];

		assert(m->feeds[i] <= id && (i == e->feed || m->feeds[i - 1] < m->feeds[i]));
		/* One that is compared where it reads is bound for most, and feeds all the same. */
		assert(!m->feeds[i] ||
		       (read->tid == e->tid && ((read->flags & STEP_FREE_READ) || !m->has_values ||
						model_tests_of(m, m->feeds[i]).n > 0)));
	}
}

static void tests_check(const struct model *m)
{
	for (uint32_t i = 0; i < m->tests.n; i++) {
		const struct model_test *t = &m->tests.at[i];

		assert(t->at == t->read ? model_reads(&m->event[t->read])
					: m->event[t->at].op == STEP_USE && t->read < t->at);
		assert(model_ntouches(m, t->read) == 1);
		assert(i == 0 || t[-1].read < t->read ||
		       (t[-1].read == t->read && t[-1].at <= t->at));
	}
}

static void locks_check(const struct model *m, uint32_t id)
{
	const struct model_event *e = &m->event[id];

	assert(e->hold < m->nholds || e->hold == 0);
	for (uint32_t h = e->hold; h; h = m->holds[h].next) {
		const struct model_event *acquire = &m->event[m->holds[h].acquire];

		assert(m->holds[h].next < h && m->holds[h].lock < m->nlocks);
		assert(m->holds[h].acquire < id && acquire->tid == e->tid);
		assert(acquire->obj == m->holds[h].lock);
	}
	if (e->op == STEP_ACQ || e->op == STEP_RACQ)
		assert(e->obj < m->nlocks &&
		       (!e->partner || (e->partner >= id && m->event[e->partner].obj == e->obj)));
}

static void before_check(struct model_list l, uint32_t id)
{
	for (uint32_t i = 0; i < l.n; i++)
		assert(l.at[i] < id);
}

static void list_check(struct model_list l)
{
	for (uint32_t i = 1; i < l.n; i++)
		assert(l.at[i - 1] < l.at[i]);
}

void model_check(const struct model *m)
{
	uint32_t listed = 0;

	for (uint32_t id = 1; id <= m->n; id++) {
		const struct model_event *e = &m->event[id];

		assert(e->chain < m->nchains && e->index < model_chain(m, e->chain).n);
		assert(model_chain(m, e->chain).at[e->index] == id);
		touches_check(m, id);
		feeds_check(m, id);
		locks_check(m, id);
		before_check(model_preds(m, id), id);
		before_check(model_pairs(m, id), id);
		before_check(model_counted(m, id), id);
	}
	for (uint32_t c = 0; c < m->nchains; c++) {
		list_check(model_chain(m, c));
		listed += model_chain(m, c).n;
	}
	assert(listed == m->n);
	for (uint32_t c = 0; c < m->ncells; c++)
		list_check(model_cell(m, c));
	tests_check(m);
}
