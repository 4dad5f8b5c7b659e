/*
 * Reads that are in no record (model.h, model_stay).
 *
 * The recorder keeps the first of a run of equal reads and one that closes it.  Where a run begins is
 * looked for backwards from there: at the first read of a cell in common since the write that was seen
 * and since the thread last synchronised.
 *
 * Only what other chains write is of interest.
 *
 * A model that ends before the trace does lacks closing reads.  There, each read of a thread's last
 * epoch may be the first of a run.
 */
#include "order/model_priv.h"

/* Runs are closed there.  The recorder does so elsewhere too: a run that seems longer holds more. */
static bool ends_runs(const struct model_event *e)
{
	return (e->op >= STEP_ACQ && e->op <= STEP_JOIN) || e->op == STEP_POST ||
	       e->op == STEP_TAKE || e->op == STEP_PARK || e->op == STEP_FENCE ||
	       e->op == STEP_OPAQUE;
}

/* A read that is logged for the comparisons of its value begins none (capture/filter.h). */
static bool begins_run(const struct model_event *e)
{
	return (e->op == STEP_READ && model_binds(e) && !(e->flags & STEP_ASKED)) ||
	       e->op == STEP_RMW;
}

#define MANY UINT32_MAX

/* By cell: 1 + the chain that writes it, MANY; 0 none. */
static uint32_t *find_writers(const struct model *m)
{
	uint32_t *writer = mem_zalloc(((size_t)m->ncells + 1) * sizeof(*writer));

	for (uint32_t id = 1; id <= m->n; id++) {
		const struct model_event *e = &m->event[id];

		for (uint32_t i = e->touch; model_writes(e) && i < e[1].touch; i++) {
			uint32_t *w = &writer[m->touches[i].cell];

			*w = *w == 0 || *w == e->chain + 1 ? e->chain + 1 : MANY;
		}
	}
	return writer;
}

/* The latest write that the event saw. */
static uint32_t seen_last(const struct model *m, uint32_t id)
{
	uint32_t seen = 0;

	for (uint32_t i = m->event[id].touch; i < m->event[id + 1].touch; i++)
		if (m->touches[i].seen > seen)
			seen = m->touches[i].seen;
	return seen;
}

/* An update made of what was read: in another run it may leave something else. */
static bool is_fed(const struct model *m, uint32_t id)
{
	return m->event[id].op == STEP_RMW && model_nfeeds(m, id) > 0;
}

/* What the event reads may be something else in another run: another chain writes it, or its own has
 * updated it before. */
static bool is_contended(const struct model *m, uint32_t id, const uint32_t *writer)
{
	for (uint32_t i = m->event[id].touch; i < m->event[id + 1].touch; i++) {
		uint32_t w = writer[m->touches[i].cell];

		if (w != 0 && w != m->event[id].chain + 1)
			return true;
	}
	return is_fed(m, id) || is_fed(m, seen_last(m, id));
}

/* The first event of the chain from id `low' on, and before `end', that touches the cell and may begin a run; end:
 * there is none.  Since the write that the run saw nobody has written the cell, so few others touch it there. */
static uint32_t first_reader(const struct model *m, uint32_t chain, uint32_t cell, uint32_t low,
			     uint32_t end)
{
	struct model_list l = model_cell(m, cell);

	for (uint32_t i = SEARCH_PAST(k, 0, l.n, l.at[k] < low); i < l.n && l.at[i] < end; i++)
		if (m->event[l.at[i]].chain == chain && begins_run(&m->event[l.at[i]]))
			return l.at[i];
	return end;
}

/* start: where the thread last synchronised, or began. */
static void run_add(struct model *m, struct model_list chain, uint32_t start, uint32_t id)
{
	uint32_t end = m->event[id].index, seen = seen_last(m, id), begins = id, first = UINT32_MAX;
	uint32_t from = SEARCH_PAST(k, start, end, chain.at[k] <= seen);

	for (uint32_t i = m->event[id].touch; from < end && i < m->event[id + 1].touch; i++)
		begins = first_reader(m, m->event[id].chain, m->touches[i].cell, chain.at[from],
				      begins);
	if (begins != id)
		first = m->event[begins].index + 1;
	if (from > 0 && seen != 0 && chain.at[from - 1] == seen && m->event[seen].op == STEP_RMW)
		first = from;
	/* The first one may lie before the model. */
	if (first == UINT32_MAX && seen == 0 &&
	    (from == 0 || m->event[chain.at[from - 1]].tid != m->event[id].tid))
		first = from;
	if (first < end)
		*VEC_PUSH(&m->priv->stays) = (struct model_stay){ first, end, from, id };
}

/* From number i of the chain on no run is known to be closed. */
static void rest_add(struct model *m, struct model_list chain, uint32_t from,
		     const uint32_t *writer)
{
	for (uint32_t i = from; i < chain.n; i++)
		if (begins_run(&m->event[chain.at[i]]) && is_contended(m, chain.at[i], writer))
			*VEC_PUSH(&m->priv->stays) =
				(struct model_stay){ i + 1, UINT32_MAX, from, chain.at[i] };
}

void model_settle_stays(struct model *m, bool is_cut)
{
	struct model_priv *p = m->priv;
	uint32_t *writer = find_writers(m);

	VEC_REACH(&p->stay_start, m->nchains);
	for (uint32_t c = 0; c < m->nchains; c++) {
		struct model_list chain = model_chain(m, c);
		uint32_t epoch = 0, start = 0;

		p->stay_start.at[c] = (uint32_t)p->stays.n;
		for (uint32_t i = 0; i < chain.n; i++) {
			const struct model_event *e = &m->event[chain.at[i]];

			if (i > 0 && e->tid != m->event[chain.at[i - 1]].tid)
				start = i;
			if ((e->flags & STEP_SHADOW) && is_contended(m, chain.at[i], writer))
				run_add(m, chain, start, chain.at[i]);
			if (ends_runs(e))
				start = i + 1;
			if (ends_runs(e) || (e->flags & STEP_LAST))
				epoch = i + 1;
		}
		if (is_cut)
			rest_add(m, chain, epoch, writer);
	}
	p->stay_start.at[m->nchains] = (uint32_t)p->stays.n;
	mem_free(writer);
}

struct model_stays model_stays(const struct model *m, uint32_t chain, uint32_t index)
{
	const struct model_priv *p = m->priv;
	uint32_t end = p->stay_start.at[chain + 1];
	uint32_t at = SEARCH_PAST(i, p->stay_start.at[chain], end, p->stays.at[i].end <= index);

	/* There may be none at all, and no memory of them. */
	return (struct model_stays){ at < end ? p->stays.at + at : NULL, end - at };
}

bool model_stay_is_fed(const struct model *m, uint32_t chain, const struct model_stay *s)
{
	uint32_t first = s->first > 0 ? model_chain(m, chain).at[s->first - 1] : 0;

	return is_fed(m, first);
}
