/*
 * The network of a model, and what is to be checked in it.
 *
 * A lock that a single chain uses, and nobody tried in vain, keeps nobody waiting: its acquires and releases are no items.  (The text
 * has them, for whoever reads it.)
 */
#include "compare/csp.h"

#include "base/sort.h"

#define LOOKS \
	2000000u /* at pairs of accesses, for one check; then it is made without asking further */
#define CHECKS 100000u

/* ---- items ---- */

static bool keeps_waiting(const struct csp *c, uint32_t e)
{
	const struct model_event *v = &c->m->event[e];

	switch (v->op) {
	case STEP_ACQ:
	case STEP_RACQ:
	case STEP_REL:
	case STEP_RREL:
		return !csp_leaves_out(v) &&
		       (model_lock_nchains(c->m, v->obj) > 1 || c->is_tried[v->obj]);
	case STEP_BUSY:
	case STEP_POST:
	case STEP_TAKE:
	case STEP_ZERO:
		return true;
	default:
		return false;
	}
}

static void mark_tries(struct csp *c)
{
	for (uint32_t e = 1; e <= c->m->n; e++) {
		const struct model_event *v = &c->m->event[e];

		if (v->op == STEP_BUSY)
			c->is_tried[v->obj] = true;
		else if (v->op == STEP_ZERO)
			c->is_tested[v->obj] = true;
		c->counts |= v->op >= STEP_POST && v->op <= STEP_ZERO;
		c->counts |= v->op == STEP_BUSY;
	}
}

/* is[e]: an item. */
static void mark_items(const struct csp *c, bool *is)
{
	const struct model *m = c->m;

	for (uint32_t e = 1; e <= m->n; e++) {
		struct model_list preds = model_preds(m, e);

		is[e] |= keeps_waiting(c, e);
		for (uint32_t i = 0; i < preds.n; i++)
			if (m->event[preds.at[i]].chain != m->event[e].chain)
				is[e] = is[preds.at[i]] = true;
	}
}

static uint32_t list_items(struct csp *c, uint32_t chain, const bool *is, uint32_t n)
{
	struct model_list list = model_chain(c->m, chain);
	bool stopped = false;

	c->start[chain] = n;
	c->end[chain] = UINT32_MAX;
	for (uint32_t i = 0; i < list.n; i++) {
		uint32_t e = list.at[i];

		c->segment[e] = n - c->start[chain];
		if (!stopped && (c->m->event[e].flags & STEP_STOP)) {
			c->end[chain] = c->segment[e];
			stopped = true;
		}
		if (is[e])
			c->items[n++] = e;
	}
	if (!stopped)
		c->end[chain] = n - c->start[chain];
	return n;
}

struct csp *csp_new(const struct model *m, const struct causal *hard)
{
	struct csp *c = mem_zalloc(sizeof(*c));
	bool *is = mem_zalloc((m->n + 1) * sizeof(*is));
	uint32_t n = 0;

	c->m = m;
	c->hard = hard;
	c->items = mem_alloc((m->n + 1) * sizeof(*c->items));
	c->start = mem_alloc((m->nchains + 1) * sizeof(*c->start));
	c->end = mem_alloc((m->nchains + 1) * sizeof(*c->end));
	c->segment = mem_zalloc((m->n + 1) * sizeof(*c->segment));
	c->is_tried = mem_zalloc(m->nlocks + 1);
	c->is_tested = mem_zalloc(m->nsems + 1);
	mark_tries(c);
	mark_items(c, is);
	for (uint32_t chain = 0; chain < m->nchains; chain++)
		n = list_items(c, chain, is, n);
	c->start[m->nchains] = n;
	mem_free(is);
	return c;
}

void csp_free(struct csp *c)
{
	MEM_FREE_ALL(c->items, c->start, c->end, c->segment, c->is_tried, c->is_tested, c);
}

/* ---- accesses ---- */

#define KIND_READ 1u
#define KIND_WRITE 2u
#define KIND_ATOMIC_READ 4u
#define KIND_ATOMIC_WRITE 8u

static unsigned kind_of(const struct model_event *e)
{
	if (model_is_atomic(e))
		return model_writes(e) ? KIND_ATOMIC_WRITE : KIND_ATOMIC_READ;
	return model_writes(e) ? KIND_WRITE : KIND_READ;
}

/* What conflicts with the kind also does with one of these. */
static unsigned stronger(unsigned kind)
{
	switch (kind) {
	case KIND_WRITE:
		return KIND_WRITE;
	case KIND_ATOMIC_READ:
		return KIND_ATOMIC_READ | KIND_READ | KIND_ATOMIC_WRITE | KIND_WRITE;
	default:
		return kind | KIND_WRITE;
	}
}

/* Takes in an access of the segment that begins at out->at.at[from]. */
static void keep_access(const struct csp *c, uint32_t e, size_t from, struct csp_accesses *out)
{
	unsigned kind = kind_of(&c->m->event[e]);
	size_t kept = from;

	for (size_t i = from; i < out->at.n; i++)
		if (kind_of(&c->m->event[out->at.at[i].e]) & stronger(kind))
			return;
	for (size_t i = from; i < out->at.n; i++)
		if (!(kind & stronger(kind_of(&c->m->event[out->at.at[i].e]))))
			out->at.at[kept++] = out->at.at[i];
	out->at.n = kept;
	*VEC_PUSH(&out->at) = (struct csp_access){ e, c->segment[e] };
}

void csp_accesses(const struct csp *c, uint32_t cell, uint32_t tid, struct csp_accesses *out)
{
	struct model_list list = model_cell(c->m, cell);
	size_t from = 0;

	VEC_CLEAR(&out->at);
	for (uint32_t i = 0; i < list.n; i++) {
		uint32_t e = list.at[i];

		if (c->m->event[e].tid != tid || !csp_is_access(&c->m->event[e]))
			continue;
		if (out->at.n > from && out->at.at[from].segment != c->segment[e])
			from = out->at.n;
		/* An access that is an item may have to wait where the others do not. */
		if (csp_is_item(c, e)) {
			*VEC_PUSH(&out->at) = (struct csp_access){ e, c->segment[e] };
			from = out->at.n;
		} else {
			keep_access(c, e, from, out);
		}
	}
}

/* ---- checks ---- */

/* Event a has to run before b can be next; b never can. */
static bool must_precede(const struct csp *c, uint32_t a, uint32_t b)
{
	struct causal_known known;

	return !causal_known(c->hard, b, &known) ||
	       causal_known_at(&known, c->m->event[a].chain) > c->m->event[a].index;
}

static bool may_meet(const struct csp *c, uint32_t a, uint32_t b, bool all)
{
	const struct model *m = c->m;

	if (!model_conflict(m, a, b))
		return false;
	return all || (!must_precede(c, a, b) && !must_precede(c, b, a) &&
		       model_sets_disjoint(m, model_held_set(m, m->event[a].hold),
					   model_held_set(m, m->event[b].hold)));
}

static bool is_worth(const struct csp *c, const struct csp_accesses *a,
		     const struct csp_accesses *b, bool all)
{
	uint64_t looks = 0;

	for (size_t i = 0; i < a->at.n; i++) {
		for (size_t j = 0; j < b->at.n; j++)
			if (may_meet(c, a->at.at[i].e, b->at.at[j].e, all))
				return true;
		looks += b->at.n;
		if (looks > LOOKS)
			return true;
	}
	return false;
}

/* The threads of the accesses of a cell, ascending, each once. */
static void cell_threads(const struct csp *c, struct model_list list, struct csp_accesses *out)
{
	VEC_CLEAR(&out->at);
	for (uint32_t i = 0; i < list.n; i++) {
		uint32_t tid = c->m->event[list.at[i]].tid;
		size_t k = out->at.n;

		if (!csp_is_access(&c->m->event[list.at[i]]))
			continue;
		while (k > 0 && out->at.at[k - 1].e > tid)
			k--;
		if (k > 0 && out->at.at[k - 1].e == tid)
			continue;
		(void)VEC_PUSH(&out->at);
		memmove(out->at.at + k + 1, out->at.at + k,
			(out->at.n - 1 - k) * sizeof(*out->at.at));
		out->at.at[k] = (struct csp_access){ tid, 0 };
	}
}

static void check_cell(const struct csp *c, uint32_t cell, bool all, struct csp_checks *out)
{
	VEC_SCOPED struct csp_accesses threads = { 0 }, one = { 0 }, two = { 0 };

	cell_threads(c, model_cell(c->m, cell), &threads);
	for (size_t i = 0; i + 1 < threads.at.n; i++) {
		csp_accesses(c, cell, threads.at.at[i].e, &one);
		for (size_t j = i + 1; j < threads.at.n; j++) {
			struct csp_check check = { cell,
						   { threads.at.at[i].e, threads.at.at[j].e } };

			csp_accesses(c, cell, check.tid[1], &two);
			if (!is_worth(c, &one, &two, all))
				continue;
			if (out->at.n == CHECKS)
				out->left_out++;
			else
				*VEC_PUSH(&out->at) = check;
		}
	}
}

static uint64_t list_hash(struct model_list list)
{
	uint64_t h = list.n;

	for (uint32_t i = 0; i < list.n; i++)
		h = hash_pair(h, list.at[i]);
	return h;
}

/* Cells that are always touched together are one variable: the first stands for it. */
static bool is_first(const struct csp *c, uint32_t cell, struct map *seen)
{
	struct model_list list = model_cell(c->m, cell), other;
	bool fresh;
	uint64_t *first = map_put(seen, list_hash(list), &fresh);

	if (fresh) {
		*first = cell;
		return true;
	}
	other = model_cell(c->m, (uint32_t)*first);
	return other.n != list.n || memcmp(other.at, list.at, list.n * sizeof(*list.at)) != 0;
}

void csp_checks(const struct csp *c, bool all, struct csp_checks *out)
{
	MAP_SCOPED seen = { 0 };

	for (uint32_t cell = 0; cell < c->m->ncells; cell++)
		if (model_cell(c->m, cell).n > 1 && is_first(c, cell, &seen))
			check_cell(c, cell, all, out);
}
