/*
 * Which events can take part: the universe of one search.
 *
 * A reordering that leads to the targets holds what must run before them.  It need hold more only
 * where a section has to be closed, so that another one of the same lock can begin, or where
 * something is counted (exact_supply.c).  Closing every section that can be closed, over and over,
 * gives all events that are ever of use: a search in there speaks for the whole trace, however long
 * it is.
 *
 * When that is too much, a window of the trace is searched: what lies before it has run as
 * observed (Huang, Meredith and Rosu, PLDI 2014).  Answers are then about the window only.
 */
#include "predict/exact_priv.h"

#include "order/clock.h"

static uint64_t size_between(const struct exact *x, const uint32_t *from, const uint32_t *to)
{
	uint64_t sum = 0;

	for (uint32_t c = 0; c < x->m->nchains; c++)
		sum += to[c] > from[c] ? to[c] - from[c] : 0;
	return sum;
}

uint32_t exact_count_upto(struct model_list list, uint32_t id)
{
	return SEARCH_PAST(i, 0, list.n, list.at[i] <= id);
}

/* How locks and semaphores stand. */
struct held {
	uint32_t *writers, *readers;
	uint64_t *values;
};

/*
 * Event e may follow the observed prefix `cut': not every event can, where some may be part of no
 * reordering.  What is left keeps the observed order, so needed reads see what they saw.
 */
static bool can_follow(struct exact *x, uint32_t id, const uint32_t *cut, struct held *h)
{
	const struct model_event *e = &x->m->event[id];

	memset(x->tmp, 0, x->m->nchains * sizeof(*x->tmp));
	if (cut[e->chain] != e->index || !causal_upto(x->causal, id, x->tmp))
		return false;
	x->tmp[e->chain]--;
	if (!clock_leq(x->tmp, cut, x->m->nchains))
		return false;
	switch (e->op) {
	case STEP_ACQ:
		if (h->writers[e->obj] || h->readers[e->obj])
			return false;
		h->writers[e->obj] += e->partner != id;
		break;
	case STEP_RACQ:
		if (h->writers[e->obj])
			return false;
		h->readers[e->obj]++;
		break;
	case STEP_REL:
		h->writers[e->obj] = 0;
		break;
	case STEP_RREL:
		h->readers[e->obj] -= h->readers[e->obj] > 0;
		break;
	case STEP_POST:
		h->values[e->obj]++;
		break;
	case STEP_TAKE:
		if (h->values[e->obj] == 0)
			return false;
		h->values[e->obj]--;
		break;
	case STEP_ZERO:
		return h->values[e->obj] == 0;
	case STEP_BUSY:
		return h->writers[e->obj] || ((e->flags & STEP_READERS) && h->readers[e->obj]);
	default:
		break;
	}
	return true;
}

/* Prefixes of a trace in which some events cannot be part of a reordering. */
static void make_prefixes(struct exact *x)
{
	uint32_t nchains = x->m->nchains, step = x->window / 4;
	uint32_t *cut = mem_zalloc((nchains + 1) * sizeof(*cut));
	struct held h = { mem_zalloc((x->m->nlocks + 1) * sizeof(*h.writers)),
			  mem_zalloc((x->m->nlocks + 1) * sizeof(*h.readers)),
			  mem_zalloc((x->m->nsems + 1) * sizeof(*h.values)) };

	for (uint32_t s = 0; s < x->m->nsems; s++)
		h.values[s] = model_sem_value(x->m, s);
	for (uint32_t id = 1; id <= x->m->n; id++) {
		if (id % step == 1 || step == 1) {
			VEC_APPEND(&x->prefixes, cut, nchains);
		}
		if (can_follow(x, id, cut, &h))
			cut[x->m->event[id].chain]++;
	}
	MEM_FREE_ALL(cut, h.writers, h.readers, h.values);
}

void exact_window(struct exact *x, uint32_t from, bool all)
{
	uint32_t nchains = x->m->nchains, step = x->window / 4;
	uint64_t end = all ? x->m->n : (uint64_t)from + x->window;

	assert(from % step == 0 && from <= x->m->n);
	x->from = from;
	for (uint32_t c = 0; c < nchains; c++) {
		x->lo[c] = exact_count_upto(model_chain(x->m, c), from);
		x->hi[c] = exact_count_upto(model_chain(x->m, c),
					    end > x->m->n ? x->m->n : (uint32_t)end);
	}
	if (from < x->first_bad)
		return;
	if (x->prefixes.n == 0)
		make_prefixes(x);
	for (uint32_t c = 0; c < nchains; c++) {
		uint32_t ran = x->prefixes.at[(size_t)(from / step) * nchains + c];

		if (ran < x->lo[c])
			x->lo[c] = x->hi[c] = ran; /* it stands still from there on */
	}
}

void exact_use_lock(struct exact *x, uint32_t lock)
{
	uint32_t *local = &x->local_lock[lock];

	if (*local != EXACT_NONE)
		return;
	*local = (uint32_t)x->locks.n;
	*VEC_PUSH(&x->locks) = (struct exact_lock){ .lock = lock };
}

static void found_acquire(struct exact *x, uint32_t id, bool before)
{
	*VEC_PUSH(&x->open) = (struct exact_open){ .acquire = id,
						   .chain = x->m->event[id].chain,
						   .before = before };
	if (!before)
		exact_use_lock(x, x->m->event[id].obj);
}

/* Takes the events below `to' of a chain into the universe. */
static void take(struct exact *x, uint32_t chain, uint32_t to)
{
	struct model_list list = model_chain(x->m, chain);

	for (uint32_t i = x->top[chain]; i < to; i++) {
		uint8_t op = x->m->event[list.at[i]].op;

		if (op == STEP_ACQ || op == STEP_RACQ)
			found_acquire(x, list.at[i], false);
		if (op == STEP_TAKE || op == STEP_ZERO || op == STEP_BUSY)
			exact_supply_note(x, list.at[i]);
		if (x->loose)
			exact_tests_note(x, list.at[i]);
	}
	x->top[chain] = to;
}

enum exact_room exact_take_upto(struct exact *x, uint32_t id)
{
	x->steps += x->m->nchains / EXACT_LANES + 1;
	memcpy(x->tmp, x->top, x->m->nchains * sizeof(*x->tmp));
	if (!causal_upto(x->causal, id, x->tmp) || goal_is_passed(x->aim, x->m, x->tmp))
		return EXACT_NO_WAY;
	for (uint32_t c = 0; c < x->m->nchains; c++)
		if (x->tmp[c] > x->lo[c] && x->tmp[c] > x->hi[c])
			return EXACT_NO_ROOM;
	if (size_between(x, x->lo, x->tmp) > x->limit)
		return EXACT_NO_ROOM;
	for (uint32_t c = 0; c < x->m->nchains; c++)
		if (x->tmp[c] > x->top[c])
			take(x, c, x->tmp[c]);
	return EXACT_TAKEN;
}

/* Closes a section if that is possible.  True: the universe grew. */
static bool close_section(struct exact *x, size_t open)
{
	const struct exact_open *o = &x->open.at[open];
	uint32_t release = x->m->event[o->acquire].partner;
	enum exact_room room;

	if (o->never || (o->before && x->local_lock[x->m->event[o->acquire].obj] == EXACT_NONE))
		return false;
	if (release && x->m->event[release].index < x->top[x->m->event[release].chain])
		return false;
	room = release ? exact_take_upto(x, release) : EXACT_NO_WAY;
	/* Taking moves what is open. */
	x->open.at[open].never = room != EXACT_TAKEN;
	x->open.at[open].clipped = room == EXACT_NO_ROOM;
	return room == EXACT_TAKEN;
}

static void close_sections(struct exact *x)
{
	bool grew;

	do {
		grew = false;
		for (size_t i = 0; i < x->open.n; i++)
			grew |= close_section(x, i);
		grew |= exact_supply(x);
		grew |= exact_tests_supply(x);
	} while (grew);
}

/* Some reordering has it. */
static bool can_run(const struct exact *x, uint32_t e)
{
	memset(x->tmp, 0, x->m->nchains * sizeof(*x->tmp));
	return causal_upto(x->causal, e, x->tmp);
}

/* With values a read may be served by writes that nothing leads to: everything takes part. */
static void take_all(struct exact *x)
{
	for (uint32_t c = 0; c < x->m->nchains; c++) {
		struct model_list list = model_chain(x->m, c);
		uint32_t hi = x->hi[c];

		for (uint32_t i = 0; i < x->aim->nnext; i++) {
			const struct model_event *t = &x->m->event[x->aim->next[i]];

			if (t->chain == c && t->index < hi)
				hi = t->index;
		}
		take(x, c, SEARCH_PAST(i, x->top[c], hi, can_run(x, list.at[i])));
	}
}

/* Sections that are open when the search starts. */
static void find_open(struct exact *x)
{
	for (uint32_t c = 0; c < x->m->nchains; c++) {
		uint32_t h = model_hold_at(x->m, c, x->lo[c]);

		for (; h; h = x->m->holds[h].next)
			found_acquire(x, x->m->holds[h].acquire, true);
	}
}

bool exact_universe(struct exact *x)
{
	uint32_t nchains = x->m->nchains;

	for (size_t i = 0; i < x->locks.n; i++)
		x->local_lock[x->locks.at[i].lock] = EXACT_NONE;
	VEC_CLEAR(&x->locks);
	VEC_CLEAR(&x->open);
	exact_supply_clear(x);
	VEC_CLEAR(&x->asks);
	x->asks_at = 0;
	for (uint32_t c = 0; c < nchains; c++)
		if (x->need[c] > x->lo[c] && x->need[c] > x->hi[c])
			return false;
	if (size_between(x, x->lo, x->need) > x->limit)
		return false;
	find_open(x);
	memcpy(x->top, x->lo, nchains * sizeof(*x->top));
	for (uint32_t c = 0; c < nchains; c++)
		if (x->need[c] > x->lo[c])
			take(x, c, x->need[c]);
	if (x->values)
		take_all(x);
	close_sections(x);
	return size_between(x, x->lo, x->top) <= EXACT_MOST;
}
