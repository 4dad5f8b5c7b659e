#include "stream_run.h"

#include <stdio.h>
#include <string.h>

#define WORDS 2
#define LOCKS 2
#define CHANNELS 2
#define CELLS 8 /* of one word */

struct word {
	uint32_t life;
	uint32_t ncells, cell[CELLS];
	uint8_t bytes[CELLS];
};

struct maker {
	struct stream_run *r;
	const struct stream_shape *shape;
	uint64_t *seed;
	struct word word[WORDS];
	uint32_t lives;
	uint32_t nspare, spare[64], cells;
	uint32_t tid_of[STREAM_CHAINS]; /* 0: nobody runs there */
	uint32_t tids;
	uint32_t depth[STREAM_TIDS + 1]; /* of blocks */
	uint32_t owner[LOCKS];		 /* 1 + chain */
	bool reader[LOCKS][STREAM_CHAINS];
	uint64_t free_reads[STREAM_TIDS + 1]; /* bits of events */
};

static uint32_t pick(struct maker *m, uint32_t n)
{
	*m->seed ^= *m->seed << 13;
	*m->seed ^= *m->seed >> 7;
	*m->seed ^= *m->seed << 17;
	return (uint32_t)((*m->seed >> 17) % n);
}

/* --- events ----------------------------------------------------------------- */

/* Steps of an event that is no access are one; that of an access is made by the caller. */
static struct stream_event *event(struct maker *m, uint32_t chain, enum step_op op, uint32_t obj)
{
	struct stream_event *e = &m->r->at[m->r->n++];

	*e = (struct stream_event){
		.op = (uint8_t)op,
		.tid = m->tid_of[chain],
		.chain = chain,
		.obj = obj,
	};
	return e;
}

static void step(struct maker *m, const struct stream_event *e)
{
	struct step *s;

	step_build(&m->r->steps, e->tid, e->op, e->obj);
	s = step_build_last(&m->r->steps);
	s->chain = e->chain;
	s->flags = e->flags;
	s->site = m->r->n;
}

static void plain(struct maker *m, uint32_t chain, enum step_op op, uint32_t obj)
{
	step(m, event(m, chain, op, obj));
}

/* --- cells ------------------------------------------------------------------ */

static uint32_t cell_new(struct maker *m)
{
	return m->nspare ? m->spare[--m->nspare] : m->cells++;
}

static void word_add(struct word *w, uint32_t cell, uint8_t bytes)
{
	w->cell[w->ncells] = cell;
	w->bytes[w->ncells++] = bytes;
}

/* Every cell lies inside the bytes or outside. */
static void word_split(struct maker *m, struct word *w, uint8_t bytes)
{
	uint8_t known = 0;

	for (uint32_t i = 0, n = w->ncells; i < n; i++) {
		uint8_t in = w->bytes[i] & bytes, out = w->bytes[i] & (uint8_t)~bytes;

		known |= w->bytes[i];
		if (!in || !out)
			continue;
		word_add(w, cell_new(m), pick(m, 2) ? in : out);
		w->bytes[i] &= (uint8_t)~w->bytes[w->ncells - 1];
		step_build_split(&m->r->steps, w->cell[i], w->cell[w->ncells - 1]);
	}
	if (bytes & ~known)
		word_add(w, cell_new(m), bytes & (uint8_t)~known);
}

static void touch(struct maker *m, const struct stream_event *e, const struct word *w)
{
	uint32_t touched = 0;

	for (uint32_t i = 0; i < w->ncells; i++) {
		if (!(w->bytes[i] & e->bytes))
			continue;
		if (touched++ == 0) {
			struct stream_event first = *e;

			first.obj = w->cell[i];
			step(m, &first);
			step_build_last(&m->r->steps)->ncells = 1;
			step_build_last(&m->r->steps)->len = 8;
		} else {
			step_build_cell(&m->r->steps, w->cell[i]);
		}
	}
}

static void word_free(struct maker *m, struct word *w)
{
	for (uint32_t i = 0; i < w->ncells; i++) {
		step_build_more(&m->r->steps, STEP_DROP, w->cell[i]);
		m->spare[m->nspare++] = w->cell[i];
	}
	w->ncells = 0;
	w->life = ++m->lives;
}

/* --- accesses --------------------------------------------------------------- */

static uint16_t access_flags(struct maker *m, enum step_op op)
{
	uint16_t flags = 0;

	if (m->shape->atomics && (op == STEP_RMW || pick(m, 3) == 0))
		flags = (uint16_t)(STEP_ATOMIC | (pick(m, 2) ? STEP_ACQUIRE : 0) |
				   (pick(m, 2) ? STEP_RELEASE : 0));
	if (m->shape->facts && op != STEP_WRITE && pick(m, 3))
		flags |= STEP_FREE_READ;
	if (m->shape->stops && pick(m, 12) == 0)
		flags |= op == STEP_READ && (flags & STEP_FREE_READ) ? STEP_TAINTED : STEP_STOP;
	if (op == STEP_READ && !flags && pick(m, 8) == 0)
		flags = STEP_SHADOW;
	return flags;
}

/* Some free reads of the thread so far; an rmw may name itself. */
static void access_feeds(struct maker *m, struct stream_event *e)
{
	for (uint32_t i = 0; i < m->r->n; i++)
		if ((m->free_reads[e->tid] >> i & 1) && pick(m, 3) == 0)
			e->feeds |= (uint64_t)1 << i;
}

/* Event i is step number .. of its thread: the builder counts from 1 for each tid. */
static uint64_t tseq_of(const struct stream_run *r, uint32_t i)
{
	uint64_t n = 0;

	for (uint32_t k = 0; k <= i; k++)
		n += r->at[k].tid == r->at[i].tid;
	return n;
}

static void build_feeds(struct maker *m, const struct stream_event *e)
{
	for (uint32_t i = 0; i < m->r->n; i++)
		if (e->feeds >> i & 1)
			step_build_feed(&m->r->steps, tseq_of(m->r, i));
}

static void make_access(struct maker *m, uint32_t chain)
{
	static const uint8_t parts[] = { 0xff, 0xff, 0xff, 0x0f, 0xf0, 0x03, 0xc0 };
	struct word *w = &m->word[pick(m, WORDS)];
	enum step_op op = pick(m, 2) ? STEP_READ : STEP_WRITE;
	struct stream_event *e;

	if (m->shape->atomics && pick(m, 4) == 0)
		op = STEP_RMW;
	if (w->ncells && pick(m, 16) == 0)
		op = STEP_FREE;
	e = event(m, chain, op, 0);
	e->life = w->life;
	e->bytes = op == STEP_FREE ? 0xff : parts[pick(m, sizeof(parts))];
	e->flags = op == STEP_FREE ? 0 : access_flags(m, op);
	if (op == STEP_RMW)
		e->bytes = 0xff;
	if (e->flags & STEP_FREE_READ)
		m->free_reads[e->tid] |= (uint64_t)1 << (m->r->n - 1);
	if (op == STEP_WRITE || op == STEP_RMW)
		access_feeds(m, e);
	if (op != STEP_FREE)
		word_split(m, w, e->bytes);
	touch(m, e, w);
	build_feeds(m, e);
	if (op == STEP_FREE)
		word_free(m, w);
}

/* --- synchronisation -------------------------------------------------------- */

static bool has_readers(const struct maker *m, uint32_t lock)
{
	for (uint32_t c = 0; c < STREAM_CHAINS; c++)
		if (m->reader[lock][c])
			return true;
	return false;
}

static void make_lock(struct maker *m, uint32_t chain)
{
	uint32_t lock = pick(m, LOCKS);

	if (m->owner[lock] == chain + 1) {
		m->owner[lock] = 0;
		plain(m, chain, STEP_REL, lock);
	} else if (m->reader[lock][chain]) {
		m->reader[lock][chain] = false;
		plain(m, chain, STEP_RREL, lock);
	} else if (m->owner[lock] == 0 && m->shape->shared && pick(m, 2)) {
		m->reader[lock][chain] = true;
		plain(m, chain, STEP_RACQ, lock);
	} else if (m->owner[lock] == 0 && !has_readers(m, lock)) {
		m->owner[lock] = chain + 1;
		plain(m, chain, STEP_ACQ, lock);
	}
}

static void start(struct maker *m, uint32_t chain)
{
	m->tid_of[chain] = ++m->tids;
}

static void make_fork(struct maker *m, uint32_t chain)
{
	uint32_t child = pick(m, STREAM_CHAINS);

	if (m->tid_of[child] || m->tids == STREAM_TIDS)
		return;
	start(m, child);
	plain(m, chain, STEP_FORK, child);
	step_build_last(&m->r->steps)->other = m->tid_of[child];
}

/* Who still holds a lock does not end, for simplicity. */
static void make_join(struct maker *m, uint32_t chain)
{
	uint32_t child = pick(m, STREAM_CHAINS);

	if (child == chain || child == 0 || !m->tid_of[child])
		return;
	for (uint32_t l = 0; l < LOCKS; l++)
		if (m->owner[l] == child + 1 || m->reader[l][child])
			return;
	plain(m, chain, STEP_JOIN, child);
	step_build_last(&m->r->steps)->other = m->tid_of[child];
	m->tid_of[child] = 0;
}

/* Short ones inside of long ones, and waits, now and then. */
static void make_block(struct maker *m, uint32_t chain)
{
	uint32_t *depth = &m->depth[m->tid_of[chain]], what = pick(m, 8);

	if (what == 0) {
		plain(m, chain, STEP_PARK, 0);
	} else if (*depth > 0 && what > 3) {
		--*depth;
		plain(m, chain, STEP_END, 0);
	} else if (*depth < 2) {
		++*depth;
		plain(m, chain, STEP_BEGIN, 0);
	}
}

static void make_other(struct maker *m, uint32_t chain)
{
	struct stream_event *e;

	switch (pick(m, 8)) {
	case 0:
		plain(m, chain, STEP_PUT, pick(m, CHANNELS));
		break;
	case 1:
		plain(m, chain, STEP_GET, pick(m, CHANNELS));
		break;
	case 2:
	case 3:
		make_fork(m, chain);
		break;
	case 4:
		make_join(m, chain);
		break;
	case 5:
		if (!m->shape->atomics)
			break;
		e = event(m, chain, STEP_FENCE, 0);
		e->flags = (uint16_t)((pick(m, 3) ? STEP_ACQUIRE : 0) |
				      (pick(m, 3) ? STEP_RELEASE : 0));
		step(m, e);
		break;
	default:
		if (!m->shape->facts)
			break;
		e = event(m, chain, STEP_USE, 0);
		access_feeds(m, e);
		step(m, e);
		build_feeds(m, e);
	}
}

void stream_run_make(struct stream_run *r, const struct stream_shape *shape, uint64_t *seed)
{
	struct maker m = { .r = r, .shape = shape, .seed = seed };

	memset(r, 0, sizeof(*r));
	for (uint32_t i = 0; i < WORDS; i++)
		m.word[i].life = ++m.lives;
	for (uint32_t c = 0, n = 1 + pick(&m, 3); c < n; c++)
		start(&m, c);
	while (r->n < shape->events) {
		uint32_t chain = pick(&m, STREAM_CHAINS), what = pick(&m, 20);

		if (!m.tid_of[chain])
			continue;
		if (shape->blocks && pick(&m, 6) == 0) {
			make_block(&m, chain);
			continue;
		}
		if (what < 9)
			make_access(&m, chain);
		else if (what < 17)
			make_lock(&m, chain);
		else
			make_other(&m, chain);
	}
}

void stream_run_release(struct stream_run *r)
{
	step_builder_release(&r->steps);
}

void stream_run_print(const struct stream_run *r)
{
	for (uint32_t i = 0; i < r->n; i++) {
		const struct stream_event *e = &r->at[i];

		printf("# %2u T%u chain %u %s obj %u life %u bytes %02x flags %x feeds %llx\n",
		       i + 1, e->tid, e->chain, step_op_name(e->op), e->obj, e->life, e->bytes,
		       e->flags, (unsigned long long)e->feeds);
	}
}
