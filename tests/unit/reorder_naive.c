/*
 * Nothing here is fast, and nothing is shared with src/predict.
 */
#include "reorder_naive.h"

#include <string.h>

typedef bool set[NAIVE_EVENTS + 2];

static bool is_acquire(const struct model_event *v)
{
	return v->op == STEP_ACQ || v->op == STEP_RACQ;
}

static bool is_read(const struct model_event *v)
{
	return v->op == STEP_READ || v->op == STEP_RMW;
}

static bool is_write(const struct model_event *v)
{
	return v->op == STEP_WRITE || v->op == STEP_RMW || v->op == STEP_FREE;
}

static bool excludes(const struct model_event *a, const struct model_event *b)
{
	return a->obj == b->obj && !(a->op == STEP_RACQ && b->op == STEP_RACQ);
}

static void cut_to_set(const struct model *m, const uint32_t *cut, bool *in)
{
	for (uint32_t e = 1; e <= m->n; e++)
		in[e] |= m->event[e].index < cut[m->event[e].chain];
}

static bool add_before(const struct model *m, const struct causal *c, uint32_t e, bool *in)
{
	uint32_t cut[NAIVE_EVENTS] = { 0 };

	if (!causal_before(c, e, cut))
		return false;
	cut_to_set(m, cut, in);
	return true;
}

static bool add_upto(const struct model *m, const struct causal *c, uint32_t e, bool *in)
{
	uint32_t cut[NAIVE_EVENTS] = { 0 };

	if (!causal_upto(c, e, cut))
		return false;
	cut_to_set(m, cut, in);
	return true;
}

static bool is_open(const struct model *m, const bool *in, uint32_t e)
{
	const struct model_event *v = &m->event[e];

	return is_acquire(v) && in[e] && !(v->partner && in[v->partner]);
}

bool naive_syncp(const struct model *m, const struct causal *c, uint32_t e1, uint32_t e2)
{
	set in = { 0 };
	bool grew;

	if (!add_before(m, c, e1, in) || !add_before(m, c, e2, in))
		return false;
	do {
		grew = false;
		for (uint32_t a = 1; a <= m->n; a++) {
			for (uint32_t b = a + 1; b <= m->n; b++) {
				if (!is_open(m, in, a) || !is_acquire(&m->event[b]) || !in[b] ||
				    !excludes(&m->event[a], &m->event[b]))
					continue;
				if (!m->event[a].partner ||
				    !add_upto(m, c, m->event[a].partner, in))
					return false;
				grew = true;
			}
		}
	} while (grew);
	return !in[e1] && !in[e2];
}

/* --- needed reads ----------------------------------------------------------- */

static void need(const struct model *m, bool strict, uint32_t r, bool *needed)
{
	const struct model_event *v = &m->event[r];

	if (r == 0 || needed[r])
		return;
	needed[r] = true;
	for (uint32_t i = v->touch; !strict && i < v[1].touch; i++) {
		const struct model_event *w = &m->event[m->touches[i].seen];

		for (uint32_t j = w->feed; m->touches[i].seen && j < w[1].feed; j++)
			need(m, strict, m->feeds[j], needed);
	}
}

static void find_needed(const struct model *m, bool strict, const bool *in, bool *needed)
{
	for (uint32_t e = 1; e <= m->n; e++) {
		const struct model_event *v = &m->event[e];
		bool binds = strict || !(v->flags & STEP_FREE_READ) || (v->flags & STEP_SHADOW);

		if (!in[e])
			continue;
		if (is_read(v) && binds)
			need(m, strict, e, needed);
		for (uint32_t j = v->feed; !strict && v->op == STEP_USE && j < v[1].feed; j++)
			need(m, strict, m->feeds[j], needed);
	}
}

static bool touches(const struct model *m, uint32_t e, uint32_t cell)
{
	for (uint32_t i = m->event[e].touch; i < m->event[e + 1].touch; i++)
		if (m->touches[i].cell == cell)
			return true;
	return false;
}

/* --- optimistic reversal ---------------------------------------------------- */

typedef bool graph[NAIVE_EVENTS + 2][NAIVE_EVENTS + 2];

static void edges_of_read(const struct model *m, const bool *in, uint32_t r, graph g)
{
	for (uint32_t i = m->event[r].touch; i < m->event[r + 1].touch; i++) {
		uint32_t w = m->touches[i].seen;

		if (w)
			g[w][r] = true;
		for (uint32_t other = 1; other <= m->n; other++) {
			if (!in[other] || !is_write(&m->event[other]) || other == w || other == r ||
			    !touches(m, other, m->touches[i].cell))
				continue;
			if (w && other < w)
				g[other][w] = true;
			else
				g[r][other] = true;
		}
	}
}

static void edges_of_locks(const struct model *m, const bool *in, graph g)
{
	for (uint32_t a = 1; a <= m->n; a++) {
		for (uint32_t b = 1; b <= m->n; b++) {
			if (a == b || !in[a] || !in[b] || !is_acquire(&m->event[a]) ||
			    !is_acquire(&m->event[b]) || !excludes(&m->event[a], &m->event[b]) ||
			    is_open(m, in, a))
				continue;
			if (is_open(m, in, b) || a < b)
				g[m->event[a].partner][b] = true;
		}
	}
}

static void edges_of_model(const struct model *m, const bool *in, graph g)
{
	for (uint32_t e = 1; e <= m->n; e++) {
		const struct model_event *v = &m->event[e];
		struct model_list preds = model_preds(m, e);

		if (v->index > 0)
			g[model_chain(m, v->chain).at[v->index - 1]][e] = true;
		for (uint32_t i = 0; i < preds.n; i++)
			g[preds.at[i]][e] = true;
	}
	for (uint32_t i = 0; i < m->nguards; i++)
		if (in[m->guards[i].when])
			g[m->guards[i].from][m->guards[i].to] = true;
}

static bool has_cycle(const struct model *m, const bool *in, graph g)
{
	set done = { 0 };
	bool moved;

	do {
		moved = false;
		for (uint32_t e = 1; e <= m->n; e++) {
			bool ready = in[e] && !done[e];

			for (uint32_t p = 1; ready && p <= m->n; p++)
				ready = !(in[p] && g[p][e] && !done[p]);
			done[e] |= ready;
			moved |= ready;
		}
	} while (moved);
	for (uint32_t e = 1; e <= m->n; e++)
		if (in[e] && !done[e])
			return true;
	return false;
}

static void close_all(const struct model *m, const struct causal *c, uint32_t e1, uint32_t e2,
		      bool *in)
{
	bool grew;

	do {
		grew = false;
		for (uint32_t a = 1; a <= m->n; a++) {
			set more = { 0 };

			if (!is_open(m, in, a) || !m->event[a].partner ||
			    !add_upto(m, c, m->event[a].partner, more) || more[e1] || more[e2])
				continue;
			for (uint32_t e = 1; e <= m->n; e++)
				in[e] |= more[e];
			grew = true;
		}
	} while (grew);
}

bool naive_osr(const struct model *m, const struct causal *c, bool strict, uint32_t e1, uint32_t e2)
{
	static graph g;
	set in = { 0 }, needed = { 0 };

	if (!add_before(m, c, e1, in) || !add_before(m, c, e2, in) || in[e1] || in[e2])
		return false;
	close_all(m, c, e1, e2, in);
	for (uint32_t a = 1; a <= m->n; a++)
		for (uint32_t b = a + 1; b <= m->n; b++)
			if (is_open(m, in, a) && is_open(m, in, b) &&
			    excludes(&m->event[a], &m->event[b]))
				return false;
	memset(g, 0, sizeof(g));
	find_needed(m, strict, in, needed);
	for (uint32_t r = 1; r <= m->n; r++)
		if (needed[r])
			edges_of_read(m, in, r, g);
	edges_of_locks(m, in, g);
	edges_of_model(m, in, g);
	return !has_cycle(m, in, g);
}

/* --- witnesses -------------------------------------------------------------- */

size_t naive_order(const struct model *m, const struct schedule *s, uint32_t *order)
{
	uint64_t taken[NAIVE_EVENTS] = { 0 };
	size_t n = 0;

	for (uint32_t e = 1; e <= m->n; e++) {
		uint32_t tid = m->event[e].tid;

		if (tid < s->count.n && taken[tid] < s->count.at[tid]) {
			taken[tid]++;
			order[n++] = e;
		}
	}
	for (size_t i = 0; i < s->tail.n && n < NAIVE_EVENTS; i++)
		order[n++] = (uint32_t)s->tail.at[i];
	return n;
}

static bool is_ready(const struct model *m, const bool *done, uint32_t e)
{
	const struct model_event *v = &m->event[e];
	struct model_list preds = model_preds(m, e);

	if (done[e] || (v->index > 0 && !done[model_chain(m, v->chain).at[v->index - 1]]))
		return false;
	for (uint32_t i = 0; i < preds.n; i++)
		if (!done[preds.at[i]])
			return false;
	return true;
}

static bool can_lock(const struct model *m, const bool *done, uint32_t e)
{
	for (uint32_t a = 1; a <= m->n; a++)
		if (is_open(m, done, a) && excludes(&m->event[a], &m->event[e]))
			return false;
	return true;
}

static bool sees_its_writes(const struct model *m, const uint32_t *last, uint32_t e)
{
	for (uint32_t i = m->event[e].touch; i < m->event[e + 1].touch; i++)
		if (last[m->touches[i].cell] != m->touches[i].seen)
			return false;
	return true;
}

static bool guards_hold(const struct model *m, const bool *in, const bool *done, uint32_t e)
{
	for (uint32_t i = 0; i < m->nguards; i++)
		if (m->guards[i].to == e && in[m->guards[i].when] && in[m->guards[i].from] &&
		    !done[m->guards[i].from])
			return false;
	return true;
}

bool naive_witness(const struct model *m, bool strict, const uint32_t *order, size_t n, uint32_t e1,
		   uint32_t e2)
{
	set in = { 0 }, done = { 0 }, needed = { 0 };
	uint32_t last[NAIVE_EVENTS] = { 0 };

	for (size_t i = 0; i < n; i++)
		in[order[i]] = true;
	find_needed(m, strict, in, needed);
	for (uint32_t r = 1; r <= m->n; r++)
		if (needed[r] && (!in[r] || (m->event[r].flags & STEP_TAINTED)))
			return false;
	for (size_t i = 0; i < n; i++) {
		uint32_t e = order[i];
		const struct model_event *v = &m->event[e];

		if (!is_ready(m, done, e) || (v->flags & STEP_STOP) ||
		    !guards_hold(m, in, done, e) || (is_acquire(v) && !can_lock(m, done, e)) ||
		    (needed[e] && !sees_its_writes(m, last, e)))
			return false;
		for (uint32_t t = v->touch; is_write(v) && t < v[1].touch; t++)
			last[m->touches[t].cell] = e;
		done[e] = true;
	}
	return is_ready(m, done, e1) && is_ready(m, done, e2);
}
