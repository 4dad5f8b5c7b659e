/*
 * What unseen code may read of what others write: the variables, blocks and locals that it was given
 * pointers into, whole.
 *
 *	T1  x = 1			reach of T2's call: (x, seen: T1's write)
 *	T2       lib_look(&x)
 *
 * What the code does may depend on it, so a schedule may have the call only where the same writes are
 * the latest.  Cells that no other thread writes need no look, and most calls have none.
 *
 * Where the memory ends is known of variables and blocks; of other memory the page and the next are
 * taken.  What lies behind pointers in there is not followed.  If somebody writes it between the call
 * and the thread's next event, nobody knows what the code saw.
 */

#include "witness/evidence_priv.h"

#define PAGE 4096u
#define REACH_MOST (16u << 20) /* entries */
#define MANY UINT32_MAX	       /* as a writer */

/* ---- while loading ---- */

void evidence_given_note(struct evidence *ev, uint32_t pos)
{
	uint64_t addr = ev->items.at[pos].addr;
	struct evidence_given g = { .pos = pos, .born = evidence_alloc_of(ev, addr) };
	const struct evidence_item *alloc = evidence_item(ev, g.born);
	const struct evidence_thread *t = &ev->threads.at[ev->items.at[pos].tid];

	if (addr == 0 || !ev->whole)
		return;
	if (g.born != 0 && addr - alloc->addr < alloc->len) {
		g.addr = alloc->addr;
		g.len = alloc->len;
	} else if (addr - t->stack < t->stack_len) {
		return; /* on its stack, and no variable that others can reach: those are allocated */
	} else if (!trace_extent(ev->trace, addr, &g.addr, &g.len)) {
		g.addr = addr & ~(uint64_t)(PAGE - 1);
		g.len = 2 * PAGE;
	}
	if (g.len != 0 && g.len - 1 <= UINT64_MAX - g.addr)
		*VEC_PUSH(&ev->given) = g;
}

/* ---- when all is loaded ---- */

/* By cell. */
struct reach_maker {
	struct evidence *ev;
	uint32_t *writer;    /* the thread that writes it, MANY; 0 none */
	uint32_t *born;	     /* the first event that touches it */
	uint32_t *last;	     /* the latest write so far */
	VEC(uint32_t) cells; /* that somebody writes, by word */
};

static void touch_note(void *maker, uint32_t pos, uint32_t cell, unsigned mask, uint32_t seen)
{
	struct reach_maker *m = maker;
	const struct evidence_item *it = evidence_item(m->ev, pos);

	(void)mask, (void)seen;
	if (m->born[cell] == 0)
		m->born[cell] = pos;
	if (it->op == EVENT_READ)
		return;
	if (m->writer[cell] == 0)
		*VEC_PUSH(&m->cells) = cell;
	m->writer[cell] = m->writer[cell] == 0 || m->writer[cell] == it->tid ? it->tid : MANY;
}

static void given_spread(struct reach_maker *m, const struct evidence_given *g)
{
	struct evidence *ev = m->ev;
	uint64_t first = g->addr >> 3, last = (g->addr + g->len - 1) >> 3;
	uint32_t tid = evidence_item(ev, g->pos)->tid;
	size_t i = SEARCH_PAST(k, 0, m->cells.n, ev->cells.at[m->cells.at[k]].word < first);

	for (; i < m->cells.n; i++) {
		uint32_t cell = m->cells.at[i];

		if (ev->cells.at[cell].word > last)
			break;
		if (m->writer[cell] == tid || m->born[cell] < g->born)
			continue;
		*VEC_PUSH(&ev->reach) = (struct evidence_reach){
			.pos = g->pos,
			.cell = cell,
			.mask = (uint8_t)evidence_mask(g->addr, g->len, ev->cells.at[cell].word),
		};
	}
}

/* Calls up to the memory there is for them. */
static void reach_spread(struct reach_maker *m)
{
	struct evidence *ev = m->ev;

	for (size_t i = 0; i < ev->given.n; i++) {
		given_spread(m, &ev->given.at[i]);
		if (ev->reach.n > REACH_MOST) {
			ev->reach_end = ev->given.at[i].pos;
			return;
		}
	}
}

static void write_note(void *maker, uint32_t pos, uint32_t cell, unsigned mask, uint32_t seen)
{
	struct reach_maker *m = maker;

	(void)seen;
	evidence_last_set(&m->ev->reach_lasts, &m->last[cell], mask, pos);
}

/* Entries of a state live on in the states that it becomes: each has one of its own. */
static uint32_t state_keep(struct evidence *ev, uint32_t state)
{
	uint32_t index = (uint32_t)ev->reach_lasts.at.n;

	if (!(state & EVIDENCE_MIXED))
		return state;
	struct evidence_last copy = ev->reach_lasts.at.at[state & ~EVIDENCE_MIXED];

	*VEC_PUSH(&ev->reach_lasts.at) = copy;
	return EVIDENCE_MIXED | index;
}

static bool is_same(const struct evidence *ev, uint32_t a, uint32_t b, unsigned mask)
{
	for (unsigned k = 0; k < 8; k++)
		if ((mask >> k & 1) &&
		    evidence_last(&ev->reach_lasts, a, k) != evidence_last(&ev->reach_lasts, b, k))
			return false;
	return true;
}

/* The event with which a call is over, or a function of the program runs in it. */
static uint32_t call_end(const struct evidence *ev, uint32_t pos)
{
	const struct evidence_item *it = evidence_item(ev, pos);
	const struct evidence_thread *t = &ev->threads.at[it->tid];

	for (uint32_t i = it->index + 1; i < t->events.n; i++)
		if (evidence_item(ev, t->events.at[i])->op != EVENT_OPAQUE)
			return t->events.at[i];
	return (uint32_t)ev->items.n;
}

struct ending {
	uint32_t pos, entry;
};

static int ending_order(const void *x, const void *y)
{
	const struct ending *a = x, *b = y;

	return SORT_ORDER(a->pos, b->pos) ?: SORT_ORDER(a->entry, b->entry);
}

/* What each call saw, and whether that was so to its end. */
static void reach_replay(struct reach_maker *m)
{
	struct evidence *ev = m->ev;
	struct ending *ends = mem_zalloc((ev->reach.n + 1) * sizeof(*ends));
	size_t begun = 0, ended = 0;

	for (size_t i = 0; i < ev->reach.n; i++)
		ends[i] = (struct ending){ call_end(ev, ev->reach.at[i].pos), (uint32_t)i };
	qsort(ends, ev->reach.n, sizeof(*ends), ending_order);
	for (uint32_t pos = 1; pos <= ev->items.n; pos++) {
		for (; ended < ev->reach.n && ends[ended].pos == pos; ended++) {
			struct evidence_reach *r = &ev->reach.at[ends[ended].entry];

			r->unsure = !is_same(ev, r->seen, m->last[r->cell], r->mask);
		}
		for (; begun < ev->reach.n && ev->reach.at[begun].pos == pos; begun++)
			ev->reach.at[begun].seen =
				state_keep(ev, m->last[ev->reach.at[begun].cell]);
		if (pos < ev->items.n && evidence_item(ev, pos)->op <= EVENT_FREE &&
		    evidence_item(ev, pos)->op != EVENT_READ)
			evidence_each_touched(ev, pos, write_note, m);
	}
	assert(begun == ev->reach.n && ended == ev->reach.n);
	mem_free(ends);
}

void evidence_reach_finish(struct evidence *ev)
{
	struct reach_maker m = { .ev = ev };

	if (ev->given.n == 0)
		return;
	m.writer = mem_zalloc(ev->cells.n * sizeof(*m.writer));
	m.born = mem_zalloc(ev->cells.n * sizeof(*m.born));
	for (uint32_t pos = 1; pos < ev->items.n; pos++)
		if (evidence_item(ev, pos)->op <= EVENT_FREE)
			evidence_each_touched(ev, pos, touch_note, &m);
	if (m.cells.n)
		qsort_r(m.cells.at, m.cells.n, sizeof(*m.cells.at), evidence_cell_order, ev);
	reach_spread(&m);
	if (ev->reach.n) {
		m.last = mem_zalloc(ev->cells.n * sizeof(*m.last));
		reach_replay(&m);
	}
	VEC_RELEASE_ALL(&m.cells, &ev->given);
	MEM_FREE_ALL(m.writer, m.born, m.last);
}

/* ---- questions ---- */

void evidence_reach_range(const struct evidence *ev, uint32_t pos, size_t *from, size_t *to)
{
	*from = SEARCH_PAST(i, 0, ev->reach.n, ev->reach.at[i].pos < pos);
	for (*to = *from; *to < ev->reach.n && ev->reach.at[*to].pos == pos;)
		++*to;
}
