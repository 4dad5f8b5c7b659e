/*
 * The definition, for a cut I:
 *
 *	repeat until nothing changes:
 *		for acquires a, b of a lock in I that exclude each other, a before b in the trace:
 *			I := I joined with what the release of a needs; no release: FAIL
 *
 * Events of one chain have growing closures, so one pass along each chain makes them all: the
 * pass takes each acquire that comes into its cut once, and compares it with the latest ones of
 * its lock.  What is kept of an event are the counters of other chains, once for all
 * events that have them in common; its own counter is its index.
 *
 * Two closures joined are almost closed.  A section that is open in the one is the latest of its
 * lock there; only what the other one adds can pass it:
 *
 *	chain	 A    B    C
 *	cl(e1)	 9    4    7
 *	cl(e2)	 3    4    8	sections open at A:9 against acquires in C:7..8, and back
 */
#include "predict/closure.h"

#include <assert.h>
#include <string.h>

#include "base/pool.h"
#include "base/vec.h"
#include "order/causal.h"
#include "order/clock.h"
#include "predict/candidates.h"
#include "predict/goal.h"
#include "predict/sections.h"

#define NO_ROW UINT32_MAX

struct rows {
	VEC(uint32_t) at; /* nchains counters each; the chain's own one is stale */
	uint32_t n;
};

struct closures {
	const struct model *m;
	const struct causal *c;
	const struct candidates *wanted;
	struct rows *rows;    /* by chain */
	uint32_t *row;	      /* by event: number of its row, NO_ROW none */
	uint32_t *acq_start;  /* [nchains + 1]: acquires of a chain, in acquires */
	uint32_t *acquires;   /* by chain, in order */
	bool *has_readers;    /* by lock */
	struct pass **passes; /* by worker */
};

/* The running closure of one chain. */
struct pass {
	uint32_t *cut;
	uint32_t *next;	       /* by chain: index of its first acquire that was not taken yet */
	uint32_t *taken;       /* by chain: how many acquires were */
	uint32_t *writer;      /* by lock: latest exclusive acquire taken */
	uint32_t *reader;      /* by lock: latest shared one */
	VEC(uint32_t) touched; /* locks with an entry in writer or reader */
};

static bool grow(const struct closures *s, struct pass *p, uint32_t release)
{
	return release != 0 &&
	       (section_in(s->m, release, p->cut) || causal_upto(s->c, release, p->cut));
}

static bool close_section(const struct closures *s, struct pass *p, uint32_t acquire)
{
	return acquire == 0 || grow(s, p, s->m->event[acquire].partner);
}

/* An exclusive acquire that becomes the latest ends all read sections before it. */
static bool close_readers(const struct closures *s, struct pass *p, uint32_t acquire)
{
	uint32_t lock = s->m->event[acquire].obj;

	for (uint32_t v = 0; v < s->m->nchains; v++) {
		uint32_t last = section_latest(s->m, lock, false, v, p->cut);

		if (last && last < acquire && s->m->event[last].op == STEP_RACQ &&
		    !close_section(s, p, last))
			return false;
	}
	return true;
}

static bool take_exclusive(const struct closures *s, struct pass *p, uint32_t a)
{
	uint32_t lock = s->m->event[a].obj;
	uint32_t latest = p->writer[lock];

	if (a < latest || a < p->reader[lock])
		if (!close_section(s, p, a))
			return false;
	if (a < latest)
		return true;
	p->writer[lock] = a;
	return close_section(s, p, latest) && (!s->has_readers[lock] || close_readers(s, p, a));
}

static bool take_shared(const struct closures *s, struct pass *p, uint32_t a)
{
	uint32_t lock = s->m->event[a].obj;

	if (a > p->reader[lock])
		p->reader[lock] = a;
	return close_section(s, p, a < p->writer[lock] ? a : p->writer[lock]);
}

static bool take_acquire(const struct closures *s, struct pass *p, uint32_t a)
{
	const struct model_event *v = &s->m->event[a];

	if (p->writer[v->obj] == 0 && p->reader[v->obj] == 0)
		*VEC_PUSH(&p->touched) = v->obj;
	return v->op == STEP_RACQ ? take_shared(s, p, a) : take_exclusive(s, p, a);
}

/* The chain's next acquire is in the cut: take it. */
static bool take_next(const struct closures *s, struct pass *p, uint32_t chain)
{
	const uint32_t *at = s->acquires + s->acq_start[chain];
	uint32_t n = s->acq_start[chain + 1] - s->acq_start[chain];
	uint32_t a = at[p->taken[chain]++];

	p->next[chain] = p->taken[chain] < n ? s->m->event[at[p->taken[chain]]].index : UINT32_MAX;
	return take_acquire(s, p, a);
}

static bool settle(const struct closures *s, struct pass *p)
{
	uint32_t n = s->m->nchains;
	bool again;

	do {
		again = false;
		/* cut <= next everywhere: no acquire in the cut that was not taken. */
		if (clock_leq(p->cut, p->next, n))
			break;
		for (uint32_t v = 0; v < n; v++) {
			while (p->cut[v] > p->next[v]) {
				if (!take_next(s, p, v))
					return false;
				again = true;
			}
		}
	} while (again);
	return true;
}

static void keep_row(struct closures *s, const struct pass *p, uint32_t chain, uint32_t e)
{
	struct rows *r = &s->rows[chain];
	uint32_t n = s->m->nchains;

	if (r->n > 0) {
		uint32_t *last = r->at.at + (size_t)(r->n - 1) * n;

		last[chain] = p->cut[chain];
		if (memcmp(last, p->cut, n * sizeof(*last)) == 0) {
			s->row[e] = r->n - 1;
			return;
		}
	}
	VEC_RESERVE(&r->at, (size_t)(r->n + 1) * n);
	clock_copy(r->at.at + (size_t)r->n * n, p->cut, n);
	s->row[e] = r->n++;
}

static void pass_reset(const struct closures *s, struct pass *p)
{
	for (uint32_t v = 0; v < s->m->nchains; v++) {
		bool some = s->acq_start[v] < s->acq_start[v + 1];

		p->cut[v] = p->taken[v] = 0;
		p->next[v] = some ? s->m->event[s->acquires[s->acq_start[v]]].index : UINT32_MAX;
	}
	for (size_t i = 0; i < p->touched.n; i++)
		p->writer[p->touched.at[i]] = p->reader[p->touched.at[i]] = 0;
	VEC_CLEAR(&p->touched);
}

static void pass_chain(void *arg, size_t chain, unsigned worker)
{
	struct closures *s = arg;
	struct pass *p = s->passes[worker];
	struct model_list events = model_chain(s->m, (uint32_t)chain);

	pass_reset(s, p);
	for (uint32_t i = 0; i < events.n; i++) {
		uint32_t e = events.at[i];

		if (!causal_before(s->c, e, p->cut) || !settle(s, p))
			return;
		assert(p->cut[chain] == i); /* closures lie before their events */
		if (candidates_has(s->wanted, e))
			keep_row(s, p, (uint32_t)chain, e);
	}
}

static bool is_acquire(const struct model_event *v)
{
	return v->op == STEP_ACQ || v->op == STEP_RACQ;
}

static void list_acquires(struct closures *s)
{
	const struct model *m = s->m;
	uint32_t n = 0;

	s->acq_start = mem_zalloc(((size_t)m->nchains + 1) * sizeof(*s->acq_start));
	s->has_readers = mem_zalloc((size_t)m->nlocks + 1);
	for (uint32_t e = 1; e <= m->n; e++)
		n += is_acquire(&m->event[e]);
	s->acquires = mem_alloc(((size_t)n + 1) * sizeof(*s->acquires));
	n = 0;
	for (uint32_t v = 0; v < m->nchains; v++) {
		struct model_list events = model_chain(m, v);

		s->acq_start[v] = n;
		for (uint32_t i = 0; i < events.n; i++) {
			const struct model_event *a = &m->event[events.at[i]];

			if (is_acquire(a))
				s->acquires[n++] = events.at[i];
			if (a->op == STEP_RACQ)
				s->has_readers[a->obj] = true;
		}
	}
	s->acq_start[m->nchains] = n;
}

static struct pass *pass_new(const struct model *m)
{
	struct pass *p = mem_zalloc(sizeof(*p));
	size_t chains = (size_t)m->nchains + 1, locks = (size_t)m->nlocks + 1;

	p->cut = mem_zalloc(chains * sizeof(*p->cut));
	p->next = mem_zalloc(chains * sizeof(*p->next));
	p->taken = mem_zalloc(chains * sizeof(*p->taken));
	p->writer = mem_zalloc(locks * sizeof(*p->writer));
	p->reader = mem_zalloc(locks * sizeof(*p->reader));
	return p;
}

static void pass_free(struct pass *p)
{
	mem_free(p->cut);
	mem_free(p->next);
	mem_free(p->taken);
	mem_free(p->writer);
	mem_free(p->reader);
	VEC_RELEASE(&p->touched);
	mem_free(p);
}

struct closures *closures_new(const struct model *m, const struct causal *c,
			      const struct candidates *wanted, unsigned jobs)
{
	struct closures *s = mem_zalloc(sizeof(*s));

	s->m = m;
	s->c = c;
	s->wanted = wanted;
	s->rows = mem_zalloc(((size_t)m->nchains + 1) * sizeof(*s->rows));
	s->row = mem_alloc(((size_t)m->n + 2) * sizeof(*s->row));
	memset(s->row, 0xff, ((size_t)m->n + 2) * sizeof(*s->row));
	list_acquires(s);
	s->passes = mem_zalloc(jobs * sizeof(struct pass *));
	for (unsigned i = 0; i < jobs; i++)
		s->passes[i] = pass_new(m);
	pool_run(jobs, m->nchains, pass_chain, s);
	for (unsigned i = 0; i < jobs; i++)
		pass_free(s->passes[i]);
	mem_free(s->passes);
	s->passes = NULL;
	mem_free(s->acq_start);
	mem_free(s->acquires);
	mem_free(s->has_readers);
	s->acq_start = s->acquires = NULL;
	s->has_readers = NULL;
	return s;
}

void closures_free(struct closures *s)
{
	if (!s)
		return;
	for (uint32_t v = 0; v < s->m->nchains; v++)
		VEC_RELEASE(&s->rows[v].at);
	mem_free(s->rows);
	mem_free(s->row);
	mem_free(s);
}

bool closures_of(const struct closures *s, uint32_t e, uint32_t *cut)
{
	const struct model_event *v = &s->m->event[e];
	uint32_t n = s->m->nchains;

	if (s->row[e] == NO_ROW)
		return false;
	clock_copy(cut, s->rows[v->chain].at.at + (size_t)s->row[e] * n, n);
	cut[v->chain] = v->index;
	return true;
}

/* One round over the open sections: closes those that a later one has passed. */
static bool close_round(const struct model *m, const struct causal *c, uint32_t *cut, bool *grew)
{
	*grew = false;
	for (uint32_t v = 0; v < m->nchains; v++) {
		for (uint32_t h = section_open(m, v, cut); h; h = m->holds[h].next) {
			uint32_t a = m->holds[h].acquire, release = m->event[a].partner;

			/* The list was taken at an older cut; it may be closed by now. */
			if ((release && section_in(m, release, cut)) ||
			    !section_is_passed(m, a, cut))
				continue;
			if (!release || !causal_upto(c, release, cut))
				return false;
			*grew = true;
		}
	}
	return true;
}

bool closure_extend(const struct model *m, const struct causal *c, uint32_t *cut)
{
	bool grew;

	do {
		if (!close_round(m, c, cut, &grew))
			return false;
	} while (grew);
	return true;
}

bool closure_reach(const struct model *m, const struct causal *c, const struct goal *g,
		   uint32_t *cut)
{
	memset(cut, 0, m->nchains * sizeof(*cut));
	return goal_need(g, c, cut) && closure_extend(m, c, cut) && !goal_is_passed(g, m, cut);
}

/* Some section that is open at v is passed by an acquire in a chain where `other' is ahead of
 * `mine'. */
static bool chain_is_passed(const struct model *m, uint32_t v, const uint32_t *mine,
			    const uint32_t *other, const uint32_t *cut)
{
	for (uint32_t h = section_open(m, v, cut); h; h = m->holds[h].next) {
		const struct model_hold *held = &m->holds[h];

		for (uint32_t u = 0; u < m->nchains; u++)
			if (other[u] > mine[u] &&
			    section_latest(m, held->lock, held->shared, u, cut) > held->acquire)
				return true;
	}
	return false;
}

static bool join_is_closed(const struct model *m, const uint32_t *before1, const uint32_t *before2,
			   const uint32_t *cut)
{
	for (uint32_t v = 0; v < m->nchains; v++) {
		if (before1[v] == before2[v])
			continue;
		if (before1[v] > before2[v] ? chain_is_passed(m, v, before1, before2, cut)
					    : chain_is_passed(m, v, before2, before1, cut))
			return false;
	}
	return true;
}

enum closure_answer closures_pair(const struct closures *s, uint32_t e1, uint32_t e2,
				  const uint32_t *before2, uint32_t *cut)
{
	const struct model_event *a = &s->m->event[e1];
	uint32_t n = s->m->nchains;
	uint32_t *row = s->rows[a->chain].at.at + (size_t)s->row[e1] * n;
	bool grew;

	assert(e1 < e2 && s->row[e1] != NO_ROW);
	if (before2[a->chain] > a->index)
		return CLOSURE_TAKES;
	/* Not row: it is shared, and its own counter may be that of another event. */
	clock_copy(cut, row, n);
	cut[a->chain] = a->index;
	clock_join(cut, before2, n);
	if (join_is_closed(s->m, row, before2, cut))
		return CLOSURE_APART;
	do {
		if (!close_round(s->m, s->c, cut, &grew))
			return CLOSURE_NONE;
		if (section_in(s->m, e1, cut))
			return CLOSURE_TAKES;
	} while (grew);
	assert(!section_in(s->m, e2, cut));
	return CLOSURE_APART;
}
