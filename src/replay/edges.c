/*
 * The reference model: an edge from every event to every later one of another thread that conflicts
 * with it or is about the same object, less those that other edges and program order imply.
 *
 * The order is walked once.  Of all that an event has to come after, the latest is looked at first:
 * what its clock knows needs no edge.  So no edge is left that others imply.
 *
 * Two kinds of events have no gate.  What has to come after such a one waits until its thread arrives at
 * its next gate; what it has to come after is waited for at that gate.
 */
#include "replay/edges.h"

#include "replay/clocks.h"
#include "replay/draft.h"
#include "replay/memory.h"
#include "replay/turns.h"
#include "trace/event.h"

#define LASTING (1u << 31) /* also what its thread does from there to its next gate */

struct walk {
	struct draft *d;
	struct memory memory;
	struct turns turns;
	struct clocks clocks;
	struct memory_found found;	  /* of the present event */
	VEC(struct memory_found) put_off; /* by thread: until its next gate */
	VEC(uint64_t) sources;		  /* rank and event, LASTING */
	VEC(uint32_t) latest;		  /* event, by thread */
	uint32_t look, pace;		  /* the last one */
};

/* ---- what comes by itself ---- */

static void learn(struct walk *w, uint32_t item, uint32_t other)
{
	const struct draft_item *a = &w->d->items.at[item], *b = &w->d->items.at[other];

	if (a->thread != b->thread &&
	    clocks_at(&w->clocks, a->thread, a->number, b->thread) <= b->number)
		clocks_learn(&w->clocks, a->thread, a->number, b->thread, b->number);
}

/* A thread begins after it was made, a join returns after its end, nobody leaves a barrier before all
 * are in. */
static void learn_physics(struct walk *w, uint32_t item)
{
	const struct draft_item *it = &w->d->items.at[item];
	const struct draft_thread *t = &w->d->threads.at[it->thread];
	uint32_t other;

	if (it->number == 0 && t->fork != DRAFT_NONE)
		learn(w, item, t->fork);
	if (it->op == EVENT_JOIN && it->peer != DRAFT_NONE &&
	    w->d->threads.at[it->peer].last != DRAFT_NONE)
		learn(w, item, w->d->threads.at[it->peer].last);
	if (it->op == EVENT_BAR_OUT)
		for (size_t i = 0; (other = turns_entered(&w->turns, w->d, item, i)) != DRAFT_NONE;
		     i++)
			learn(w, item, other);
}

/* ---- edges ---- */

/* Is it a piece of what its thread's target stands for? */
static bool is_of_target(const struct draft *d, const struct draft_item *it)
{
	uint32_t target = d->threads.at[it->thread].target;

	return target != DRAFT_NONE && (it->class == PLAN_RANGE || it->class == PLAN_FREE) &&
	       d->items.at[target].head == it->head;
}

/* The first half of a copy: what is read.  Both have their gates before anything is done. */
static bool is_half(const struct draft *d, const struct draft_item *it)
{
	const struct draft_item *next = it->gate != DRAFT_NONE ? &d->items.at[it->gate] : NULL;

	return it->op == EVENT_READ && it->class == PLAN_RANGE && next != NULL &&
	       next->class == PLAN_RANGE && next->op == EVENT_WRITE && next->site == it->site;
}

/*
 * Is its step over before what it tells of?  A wake has its mutex later.  Ranges that are read may be
 * read once more, by the program or the library, behind the hook.
 */
static bool is_early(const struct draft *d, const struct draft_item *it)
{
	return it->op == EVENT_WAKE || (it->op == EVENT_READ && it->class == PLAN_RANGE &&
					!is_half(d, it) && draft_arrives(d, it));
}

/* A release in a condition wait: the park that comes with it.  The mutex is free behind that. */
static uint32_t park_of(const struct draft *d, const struct draft_item *it)
{
	uint32_t next = it->op == EVENT_REL && (it->flags & EVENT_IN_WAIT) ? it->next : DRAFT_NONE;

	while (next != DRAFT_NONE && d->items.at[next].class == PLAN_NONE)
		next = d->items.at[next].next;
	return next != DRAFT_NONE && d->items.at[next].op == EVENT_PARK ? next : DRAFT_NONE;
}

/* What an event must really come after, to come after `from': a copy is over as a whole, a wait has begun
 * as a whole.  Unless in this order the event comes between. */
static uint32_t whole_of(const struct draft *d, uint32_t from, const struct draft_item *to)
{
	const struct draft_item *it = &d->items.at[from];
	uint32_t whole = is_half(d, it) ? it->gate : park_of(d, it);

	if (whole == DRAFT_NONE || d->items.at[whole].target || d->items.at[whole].rank >= to->rank)
		return from;
	return whole;
}

/* How much of its thread has come when an event is over, or its thread arrives at the next gate. */
static uint32_t number_then(const struct draft *d, const struct draft_item *it, bool arrive)
{
	if (!arrive)
		return it->number;
	if (it->gate != DRAFT_NONE)
		return d->items.at[it->gate].number - 1;
	return d->threads.at[it->thread].events - 1;
}

static void edge_add(struct walk *w, uint32_t from, uint32_t to, bool lasting)
{
	struct draft *d = w->d;
	bool begun = d->items.at[from].op == EVENT_REL;
	const struct draft_item *a, *b = &d->items.at[to];
	bool arrive;

	from = whole_of(d, from, b);
	a = &d->items.at[from];
	lasting |= begun && a->op == EVENT_PARK;
	arrive = !draft_has_gate(a) || is_early(d, a) || (lasting && draft_arrives(d, a));
	if (a->thread == b->thread || clocks_at(&w->clocks, b->thread, b->number, a->thread) >
					      (lasting ? number_then(d, a, arrive) : a->number))
		return;
	if (arrive && !draft_arrives(d, a))
		return;
	/* Of a call the whole waits, and the whole is waited for. */
	if (is_of_target(d, a) ||
	    (b->head != to && clocks_at(&w->clocks, a->thread, a->number, b->thread) >
				      d->items.at[b->head].number)) {
		d->loose++;
		return;
	}
	*VEC_PUSH(&d->edges) = (struct draft_edge){ from, to, arrive };
	clocks_learn(&w->clocks, b->thread, b->number, a->thread, number_then(d, a, arrive));
}

/* The present event has to come after `found'. */
static void settle(struct walk *w, uint32_t item)
{
	const struct draft_item *it = &w->d->items.at[item];
	struct memory_found *off = &w->put_off.at[it->thread];

	if (!draft_has_gate(it)) {
		for (size_t i = 0; i < w->found.at.n; i++)
			*VEC_PUSH(&off->at) = w->found.at.at[i];
		return;
	}
	VEC_CLEAR(&w->sources);
	for (size_t i = 0; i < w->found.at.n + off->at.n; i++) {
		uint32_t from =
			i < w->found.at.n ? w->found.at.at[i] : off->at.at[i - w->found.at.n];

		*VEC_PUSH(&w->sources) =
			(uint64_t)w->d->items.at[from & ~LASTING].rank << 32 | from;
	}
	VEC_CLEAR(&off->at);
	sort_u64(w->sources.at, w->sources.n);
	for (size_t i = w->sources.n; i-- > 0;)
		edge_add(w, (uint32_t)w->sources.at[i] & ~LASTING, item,
			 w->sources.at[i] & LASTING);
}

/* ---- the walk ---- */

/*
 * Reads that went on beyond the part of their thread (beyond.h) may have been anywhere in it; in this
 * order they were before the present event.  So that comes after all that their thread has done by now.
 * Where nobody can wait for so much it comes after the read that was found.
 */
static void outlast(struct walk *w)
{
	for (size_t i = 0, n = w->found.at.n; i < n; i++) {
		const struct draft_item *it = &w->d->items.at[w->found.at.at[i]];
		const struct draft_thread *t = &w->d->threads.at[it->thread];

		if (it->op == EVENT_READ && it->epoch == t->epoch && t->lasting.n != 0 &&
		    map_get(&t->lasting, it->addr >> 3) != NULL)
			*VEC_PUSH(&w->found.at) = w->latest.at[it->thread] | LASTING;
	}
}

static void gather(struct walk *w, uint32_t item)
{
	const struct draft_item *it = &w->d->items.at[item];

	VEC_CLEAR(&w->found.at);
	if (it->target)
		return;
	if (it->op == EVENT_READ) {
		memory_read(&w->memory, w->d, item, draft_has_gate(it) || draft_arrives(w->d, it),
			    &w->found);
	} else if (it->op == EVENT_WRITE || it->op == EVENT_RMW || it->op == EVENT_FREE) {
		memory_write(&w->memory, w->d, item, &w->found);
		outlast(w);
	} else {
		turns_find(&w->turns, w->d, item, &w->found);
	}
	if (it->look) {
		if (w->look != DRAFT_NONE)
			*VEC_PUSH(&w->found.at) = w->look;
		w->look = item;
	}
	if (it->pace) {
		if (w->pace != DRAFT_NONE)
			*VEC_PUSH(&w->found.at) = w->pace;
		w->pace = item;
	}
}

static void step(struct walk *w, uint32_t item)
{
	learn_physics(w, item);
	gather(w, item);
	settle(w, item);
	w->latest.at[w->d->items.at[item].thread] = item;
}

void edges_find(struct draft *d)
{
	struct walk w = { .d = d, .look = DRAFT_NONE, .pace = DRAFT_NONE };

	memory_init(&w.memory);
	clocks_init(&w.clocks, d->threads.n);
	if (d->threads.n > 0) {
		VEC_REACH(&w.put_off, d->threads.n - 1);
		VEC_REACH(&w.latest, d->threads.n - 1);
	}
	for (size_t k = 0; k < d->order.n; k++)
		step(&w, d->order.at[k]);
	for (size_t i = 0; i < d->threads.n; i++)
		if (d->threads.at[i].target != DRAFT_NONE)
			step(&w, d->threads.at[i].target);
	for (size_t i = 0; i < w.put_off.n; i++)
		VEC_RELEASE(&w.put_off.at[i].at);
	VEC_RELEASE_ALL(&w.put_off, &w.latest, &w.found.at, &w.sources);
	clocks_release(&w.clocks);
	turns_release(&w.turns);
	memory_release(&w.memory);
}
