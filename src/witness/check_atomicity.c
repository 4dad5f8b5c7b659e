/*
 * What the targets of an atomicity claim must be: found anew from the trace and the order.
 *
 * A block is an outermost BEGIN .. END of a thread, or a call of a function that is meant to be atomic; a
 * condition wait ends it, and it begins anew when that is over.
 */
#include "witness/check_priv.h"

/* ---- blocks ---- */

/* Along the events of a thread. */
struct blocks {
	uint32_t depth;
	bool called;	/* in such a function */
	uint32_t first; /* of the block at hand; 0: it is in none */
};

static void blocks_enter(struct blocks *b, const struct evidence_item *e, uint32_t at)
{
	if (e->flags & EVENT_LEFT) {
		b->called = false;
		b->first = b->depth > 0 ? b->first : 0;
	}
	b->called |= (e->flags & EVENT_ENTERED) != 0;
	b->depth += e->op == EVENT_BEGIN;
	if ((b->depth > 0 || b->called) && b->first == 0)
		b->first = at;
}

static void blocks_pass(struct blocks *b, const struct evidence_item *e)
{
	b->depth -= e->op == EVENT_END && b->depth > 0;
	if ((b->depth == 0 && !b->called) || e->op == EVENT_PARK)
		b->first = 0;
}

struct block {
	uint32_t first, last; /* events; 0: there is none */
};

/* The block that two events of a thread are in, a before c. */
static struct block block_of(const struct evidence *ev, uint64_t a, uint64_t c)
{
	const struct evidence_item *one = evidence_item(ev, a), *then = evidence_item(ev, c);
	const struct evidence_thread *t = &ev->threads.at[then->tid];
	struct block block = { 0, 0 };
	struct blocks b = { 0, false, 0 };

	for (uint32_t i = 0; i < t->events.n; i++) {
		uint32_t at = t->events.at[i];
		const struct evidence_item *e = evidence_item(ev, at);

		blocks_enter(&b, e, at);
		if (i == one->index)
			block.first = b.first;
		if (i >= one->index && b.first == block.first)
			block.last = at;
		else if (i > one->index)
			break;
		blocks_pass(&b, e);
	}
	if (block.first == 0 || evidence_item(ev, block.last)->index < then->index)
		return (struct block){ 0, 0 };
	return block;
}

/* ---- accesses ---- */

static bool reads(const struct evidence_item *it)
{
	return it->op == EVENT_READ || it->op == EVENT_RMW;
}

static bool writes(const struct evidence_item *it)
{
	return it->op == EVENT_WRITE || it->op == EVENT_RMW || it->op == EVENT_FREE;
}

static bool is_conflict(const struct evidence *ev, uint64_t a, uint64_t b)
{
	const struct evidence_item *x = evidence_item(ev, a), *y = evidence_item(ev, b);

	return x->tid != y->tid && (writes(x) || writes(y)) && evidence_overlap(ev, a, b);
}

/* Bytes of cells that each of three accesses touches, and that something in between does. */
struct common {
	struct map cells; /* cell, to four masks of eight bits */
	unsigned shift;	  /* of the mask at hand */
};

static void common_note(void *common, uint32_t pos, uint32_t cell, unsigned mask, uint32_t seen)
{
	struct common *c = common;
	uint64_t *masks = c->shift == 0 ? map_put(&c->cells, cell, NULL) : map_get(&c->cells, cell);

	(void)pos;
	(void)seen;
	if (masks)
		*masks |= (uint64_t)mask << c->shift;
}

/* Between p and c their thread does nothing with some byte that all three touch: no access, or, where
 * r only reads, no write. */
static bool is_gap(const struct evidence *ev, uint32_t p, uint32_t r, uint32_t c)
{
	const uint32_t three[] = { p, r, c };
	const struct evidence_item *it = evidence_item(ev, p);
	struct common common = { .shift = 0 };
	struct map_item item;
	bool found = false;

	for (int i = 0; i < 3; i++) {
		common.shift = 8 * (unsigned)i;
		evidence_each_touched(ev, three[i], common_note, &common);
	}
	common.shift = 24;
	for (uint32_t i = it->index + 1; i < evidence_item(ev, c)->index; i++) {
		uint32_t at = ev->threads.at[it->tid].events.at[i];
		const struct evidence_item *o = evidence_item(ev, at);

		if (o->op <= EVENT_FREE && !(o->flags & EVENT_REREAD) &&
		    (writes(o) || writes(evidence_item(ev, r))))
			evidence_each_touched(ev, at, common_note, &common);
	}
	for (size_t i = 0; map_next(&common.cells, &i, &item) && !found;) {
		uint64_t m = item.value;

		found = (m & m >> 8 & m >> 16 & ~(m >> 24) & 0xff) != 0;
	}
	map_release(&common.cells);
	return found;
}

/* What a triple is called; NULL: it is none. */
static const char *triple_name(const struct evidence *ev, uint64_t p, uint64_t r, uint64_t c)
{
	const struct evidence_item *first = evidence_item(ev, p), *last = evidence_item(ev, c);

	if (!is_gap(ev, (uint32_t)p, (uint32_t)r, (uint32_t)c))
		return NULL;
	if (!writes(evidence_item(ev, r)))
		return writes(first) && writes(last) ? "WRW" : NULL;
	if (writes(first) && !writes(last))
		return "WWR";
	if (reads(first))
		return writes(last) ? "RWW" : "RWR";
	return reads(last) ? "WWR" : NULL;
}

static bool is_fed(const struct evidence *ev, uint64_t write, uint64_t read)
{
	const struct evidence_item *it = evidence_item(ev, write);

	for (uint32_t i = 0; writes(it) && it->op != EVENT_FREE && i < it->nfeeds; i++)
		if (ev->feeds.at[it->feeds + i] == read)
			return true;
	return false;
}

/* What the thread does up to event c depends on the value that the read got; also if only by a comparison. */
static bool decides(const struct evidence *ev, uint64_t read, uint64_t c)
{
	const struct evidence_item *it = evidence_item(ev, read);
	const struct evidence_thread *t = &ev->threads.at[it->tid];

	if (!reads(it))
		return false;
	if (!(it->flags & EVENT_FREE_READ))
		return true;
	for (size_t i = it->tested ? 0 : ev->tests.n; i < ev->tests.n; i++)
		if (ev->tests.at[i].read == read && ev->tests.at[i].at <= c)
			return true;
	for (uint32_t i = it->index + 1; i < evidence_item(ev, c)->index; i++) {
		const struct evidence_item *use = evidence_item(ev, t->events.at[i]);

		for (uint32_t k = 0; use->op == EVENT_USE && k < use->nfeeds; k++)
			if (ev->feeds.at[use->feeds + k] == read)
				return true;
	}
	return false;
}

/* ---- who is who ---- */

struct question {
	const struct evidence *ev;
	const uint64_t *order;
	size_t norder;
	enum finding_block kind;
	const char *why; /* the nearest miss */
};

/* When it comes in the order, from 1; 0 not. */
static size_t when(const struct question *q, uint64_t pos)
{
	size_t i = 0;

	while (i < q->norder && q->order[i] != pos)
		i++;
	return i < q->norder ? i + 1 : 0;
}

/* ---- blocks that were guessed ---- */

#define HELD 64

/* Somebody else has to run there. */
static bool is_wait(const struct evidence_item *it)
{
	uint8_t op = it->op;

	if (op == EVENT_TAKE)
		return it->ordinal > 0; /* something was given */
	return op == EVENT_PARK || op == EVENT_JOIN || op == EVENT_SEM_WAIT || op == EVENT_BAR_IN ||
	       op == EVENT_BAR_OUT;
}

static bool waits_between(const struct evidence *ev, uint64_t a, uint64_t c)
{
	const struct evidence_item *first = evidence_item(ev, a);
	const struct evidence_thread *t = &ev->threads.at[first->tid];

	for (uint32_t i = first->index; i <= evidence_item(ev, c)->index; i++)
		if (is_wait(evidence_item(ev, t->events.at[i])))
			return true;
	return false;
}

/* What two events of a thread hold: one and the same section, two sections of one lock. */
struct held {
	size_t na, nc;
	bool section, lock;
};

static struct held held_both(const struct evidence *ev, uint64_t a, uint64_t c)
{
	uint64_t x[HELD], y[HELD];
	struct held h = { .na = evidence_held(ev, a, x, HELD),
			  .nc = evidence_held(ev, c, y, HELD) };

	for (size_t i = 0; i < h.na && i < HELD; i++)
		for (size_t k = 0; k < h.nc && k < HELD; k++) {
			h.section |= x[i] == y[k];
			h.lock |= x[i] != y[k] && evidence_item(ev, x[i])->object ==
							  evidence_item(ev, y[k])->object;
		}
	return h;
}

/* a .. c are what such a guess goes by (finding/finding.h). */
static bool is_guess(struct question *q, const struct finding_split *s)
{
	const struct evidence *ev = q->ev;
	struct held h = held_both(ev, s->a, s->c);
	bool reads_first = reads(evidence_item(ev, s->a)) && !writes(evidence_item(ev, s->a));

	q->why = "the accesses of the one are not what the guess of a block goes by";
	if (h.section || waits_between(ev, s->a, s->c))
		return false;
	switch (q->kind) {
	case FINDING_BLOCK_SPLIT:
		return reads_first && h.lock;
	case FINDING_BLOCK_CHECK:
		return reads_first && h.na == 0 && h.nc > 0;
	case FINDING_BLOCK_REREAD:
		return h.lock && writes(evidence_item(ev, s->a)) && reads(evidence_item(ev, s->c));
	case FINDING_BLOCK_SECTIONS:
		return h.lock && (strcmp(s->pattern, "RWR") == 0 || strcmp(s->pattern, "WRW") == 0);
	case FINDING_BLOCK_PAIR:
		return strcmp(s->pattern, "S") == 0;
	default:
		return false;
	}
}

static bool is_marked(struct question *q, struct finding_split *s, bool cross)
{
	struct block one = block_of(q->ev, s->a, s->c), other = { 0, 0 };

	q->why = "the accesses of the one are not in one block";
	s->block = one.first;
	s->last = one.last;
	if (one.first == 0)
		return false;
	if (!cross)
		return true;
	q->why = "the accesses of the other are not in one block";
	other = block_of(q->ev, s->d, s->b);
	s->other = other.first;
	return other.first != 0;
}

/* Where its thread lets go of what it acquired there; its last event, if it does not. */
static uint64_t release_of(const struct evidence *ev, uint64_t acquire)
{
	const struct evidence_item *it = evidence_item(ev, acquire);
	const struct evidence_thread *t = &ev->threads.at[it->tid];
	uint32_t depth = 1, i = it->index;

	while (depth > 0 && ++i < t->events.n) {
		const struct evidence_item *e = evidence_item(ev, t->events.at[i]);

		if (e->op == EVENT_ACQ || e->op == EVENT_RACQ)
			depth += e->object == it->object;
		if (e->op == EVENT_REL || e->op == EVENT_RREL)
			depth -= e->object == it->object;
	}
	return t->events.at[i < t->events.n ? i : t->events.n - 1];
}

/* From where to where a guess goes: with the sections that it is of. */
static void guess_extent(struct question *q, struct finding_split *s)
{
	uint64_t x[HELD], y[HELD];
	size_t na = evidence_held(q->ev, s->a, x, HELD), nc = evidence_held(q->ev, s->c, y, HELD);
	uint64_t from = na > 0 ? x[0] : s->a, to = nc > 0 ? y[0] : 0;

	for (size_t i = 0; i < na && i < HELD && q->kind != FINDING_BLOCK_PAIR; i++)
		for (size_t k = 0; k < nc && k < HELD; k++)
			if (evidence_item(q->ev, x[i])->object ==
			    evidence_item(q->ev, y[k])->object) {
				from = x[i];
				to = y[k];
			}
	s->block = from;
	s->last = to ? release_of(q->ev, to) : s->c;
}

static bool is_split(struct question *q, struct finding_split *s)
{
	const struct evidence *ev = q->ev;
	bool cross = evidence_item(ev, s->d)->index < evidence_item(ev, s->b)->index;

	if (!is_conflict(ev, s->a, s->b) || !is_conflict(ev, s->d, s->c))
		return false;
	s->pattern = cross ? "X" : "S";
	if (evidence_overlap(ev, s->a, s->c))
		s->pattern = s->b == s->d ? triple_name(ev, s->a, s->b, s->c) : NULL;
	if (!s->pattern)
		return false;
	if (q->kind == FINDING_BLOCK_MARKED ? !is_marked(q, s, cross) : !is_guess(q, s))
		return false;
	if (q->kind != FINDING_BLOCK_MARKED)
		guess_extent(q, s);
	s->a_feeds_c = is_fed(ev, s->c, s->a);
	s->a_decides = decides(ev, s->a, s->c);
	q->why = "the other does not come between";
	return when(q, s->a) < when(q, s->b) && when(q, s->d) < when(q, s->c);
}

/* The targets by thread, each thread's in its order; false: not two at most of two threads. */
static bool sides_find(const struct evidence *ev, const uint64_t *targets, uint32_t n,
		       uint64_t side[2][2], uint32_t size[2])
{
	size[0] = size[1] = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t tid = evidence_item(ev, targets[i])->tid;
		int k = tid == evidence_item(ev, targets[0])->tid ? 0 : 1;

		if (size[k] == 2 || (size[k] == 1 && evidence_item(ev, side[k][0])->tid != tid))
			return false;
		side[k][size[k]++] = targets[i];
	}
	for (int k = 0; k < 2; k++)
		if (size[k] == 2 &&
		    evidence_item(ev, side[k][0])->index > evidence_item(ev, side[k][1])->index) {
			uint64_t first = side[k][1];

			side[k][1] = side[k][0];
			side[k][0] = first;
		}
	return size[0] + size[1] == n && size[0] > 0 && size[1] > 0;
}

static bool are_accesses(struct question *q, const uint64_t *targets, uint32_t n)
{
	q->why = "a target is no access to memory, or only says that a read was repeated";
	for (uint32_t i = 0; i < n; i++) {
		const struct evidence_item *it;

		if (targets[i] == 0 || targets[i] > evidence_count(q->ev))
			return false; /* brief evidence holds none */
		it = evidence_item(q->ev, targets[i]);
		if (it->op > EVENT_FREE || (it->flags & EVENT_REREAD))
			return false;
	}
	q->why = "a target is not in the order";
	for (uint32_t i = 0; i < n; i++)
		if (when(q, targets[i]) == 0)
			return false;
	return true;
}

/* Which of the claim's targets is which.  False: they are nothing of the kind; *why says what is not so. */
static bool split_find(const struct evidence *ev, const struct check_claim *claim,
		       struct finding_split *out, const char **why)
{
	struct question q = { ev, claim->order, claim->norder, claim->block, NULL };
	const uint64_t *targets = claim->targets;
	uint32_t n = claim->ntargets;
	uint64_t side[2][2] = { { 0 } };
	uint32_t size[2];
	bool found = false;

	if (are_accesses(&q, targets, n)) {
		q.why = "they are not accesses of two threads";
		if (sides_find(ev, targets, n, side, size))
			q.why = "they are not in conflict as they should be";
		else
			size[0] = size[1] = 0;
		for (int k = 0; k < 2 && !found; k++) {
			const uint64_t *o = side[!k];

			if (size[k] != 2)
				continue;
			*out = (struct finding_split){ side[k][0], o[0], o[size[!k] - 1],
						       side[k][1], NULL, 0,
						       0,	   0,	 false,
						       false };
			found = is_split(&q, out);
			if (!found && size[!k] == 2) {
				*out = (struct finding_split){ side[k][0], o[1], o[0], side[k][1],
							       NULL,	   0,	 0,    0,
							       false,	   false };
				found = is_split(&q, out);
			}
		}
	}
	*why = q.why;
	return found;
}

bool check_atomicity(struct checker *c)
{
	const struct check_claim *claim = c->claim;
	struct finding_split s;
	const char *why;

	for (uint32_t i = 0; i < claim->ntargets; i++)
		if (!check_exists(c, claim->targets[i]))
			return false;
	if (!split_find(c->ev, claim, &s, &why))
		return check_fail(c, 0, "no block is split: %s", why);
	c->out->split = s;
	return true;
}
