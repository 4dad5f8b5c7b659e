#include "replay/plan.h"

#include <pthread.h>

#include "replay/collect.h"
#include "replay/draft.h"
#include "replay/edges.h"
#include "replay/given.h"
#include "replay/identity.h"
#include "trace/event.h"
#include "trace/format.h"
#include "trace/trace.h"

/* ---- which events are steps ---- */

/* What an edge waits for: that step over, or its thread there. */
static uint32_t source_of(const struct draft *d, const struct draft_edge *e)
{
	return e->arrive ? d->items.at[e->from].gate : draft_whole(d, e->from);
}

/* It must come back in vain. */
static bool must_fail(const struct draft_item *it)
{
	if (it->target || (it->flags & EVENT_REFUSED))
		return false;
	return it->class == PLAN_VAIN || (it->op == EVENT_WAKE && (it->flags & EVENT_TIMEOUT));
}

/* Who is told that it is the one of a barrier's threads takes another path. */
static bool has_result(const struct draft_item *it)
{
	return it->op == EVENT_BAR_OUT && it->kind != 0 && !it->target;
}

/* A compare-exchange that fails: at its gate nobody can tell, so the plan does. */
static bool is_refusal(const struct draft_item *it)
{
	return it->class == PLAN_READ && (it->flags & EVENT_CAS);
}

/* To arrive at the first step of all is no progress, so there must be another before it. */
static void mark_first(struct draft *d, uint32_t last)
{
	uint32_t item = d->threads.at[d->items.at[last].thread].first;

	while (item != last && !draft_has_gate(&d->items.at[item]))
		item = d->items.at[item].next;
	if (draft_has_gate(&d->items.at[item]))
		d->items.at[draft_whole(d, item)].step = true;
}

static void mark_edges(struct draft *d)
{
	for (size_t i = 0; i < d->edges.n; i++) {
		const struct draft_edge *e = &d->edges.at[i];
		uint32_t from = source_of(d, e);

		d->items.at[draft_whole(d, e->to)].step = true;
		if (from != DRAFT_NONE)
			d->items.at[from].step = true;
		if (e->arrive)
			mark_first(d, e->from);
	}
}

static void mark_steps(struct draft *d)
{
	mark_edges(d);
	for (uint32_t i = 0; i < d->items.n; i++) {
		const struct draft_item *it = &d->items.at[i];

		if (it->target || it->op == EVENT_WAKE || must_fail(it) || is_refusal(it) ||
		    has_result(it) || it->class == PLAN_SIGNAL || it->pace ||
		    (it->look && draft_has_gate(it)))
			d->items.at[draft_whole(d, i)].step = true;
	}
	for (size_t i = 0; i < d->items.n; i++) {
		struct draft_item *it = &d->items.at[i];

		if (it->step)
			it->step_number = d->threads.at[it->thread].nsteps++;
	}
}

/* The event at a position; NULL: it is not among them. */
static struct draft_item *item_at(struct draft *d, uint64_t pos)
{
	size_t past = SEARCH_PAST(i, 0, d->items.n, d->items.at[i].pos <= pos);

	return past > 0 && d->items.at[past - 1].pos == pos ? &d->items.at[past - 1] : NULL;
}

static void mark_looks(struct draft *d, const struct plan_ask *ask)
{
	for (size_t i = 0; i < ask->nlooks; i++) {
		struct draft_item *it = item_at(d, ask->looks[i]);

		if (it)
			it->look = true;
	}
}

/* Only what comes in every run, at a gate: there its thread can be held. */
static void mark_paced(struct draft *d, const struct plan_ask *ask, struct plan *out)
{
	VEC_SCOPED VEC(uint64_t) found = { 0 }; /* rank and item */

	for (size_t i = 0; i < ask->npaced; i++) {
		const struct draft_item *it = item_at(d, ask->paced[i]);

		if (it && draft_has_gate(it) && !it->target && it->class != PLAN_READ &&
		    it->class != PLAN_VAIN)
			*VEC_PUSH(&found) = (uint64_t)it->rank << 32 |
					    draft_whole(d, (uint32_t)(it - d->items.at));
	}
	sort_u64(found.at, found.n);
	for (size_t i = 0; i < found.n; i++) {
		struct draft_item *it = &d->items.at[(uint32_t)found.at[i]];

		if (it->pace || it->target)
			continue;
		*VEC_PUSH(&out->paced) = it->pos;
		it->pace = (uint32_t)out->paced.n;
	}
}

/* ---- the file ---- */

struct layout {
	const struct draft *d;
	const struct given *given;
	VEC(uint32_t) threads; /* of the plan, by tid */
	VEC(uint64_t) waits;   /* step, as an event, and edge: in the order of steps */
	struct plan_head *head;
};

static int thread_order(const void *x, const void *y, void *draft)
{
	const struct draft *d = draft;

	return SORT_ORDER(d->threads.at[*(const uint32_t *)x].tid,
			  d->threads.at[*(const uint32_t *)y].tid);
}

static void choose_threads(struct layout *l, struct draft *d)
{
	for (uint32_t i = 0; i < d->threads.n; i++)
		if (!d->threads.at[i].failed)
			*VEC_PUSH(&l->threads) = i;
	if (l->threads.n > 0)
		qsort_r(l->threads.at, l->threads.n, sizeof(*l->threads.at), thread_order, d);
	for (uint32_t i = 0; i < l->threads.n; i++)
		d->threads.at[l->threads.at[i]].index = i;
}

/* Edges by the step that waits; of those to one thread the last one is enough. */
static void sort_waits(struct layout *l)
{
	for (uint32_t i = 0; i < l->d->edges.n; i++)
		*VEC_PUSH(&l->waits) = (uint64_t)draft_whole(l->d, l->d->edges.at[i].to) << 32 | i;
	sort_u64(l->waits.at, l->waits.n);
}

static uint64_t table_place(uint64_t *size, uint64_t n, size_t item, uint64_t grain)
{
	uint64_t at = (*size + grain - 1) & ~(grain - 1);

	*size = at + n * item;
	return at;
}

static void head_make(struct layout *l, enum finding_kind kind)
{
	struct plan_head h = { .magic = PLAN_MAGIC,
			       .kind = kind,
			       .nthreads = (uint32_t)l->threads.n,
			       .places = l->d->places,
			       .nwaits = l->waits.n,
			       .ninputs = l->given->inputs.n,
			       .size = sizeof(h) };

	for (size_t i = 0; i < l->threads.n; i++) {
		const struct draft_thread *t = &l->d->threads.at[l->threads.at[i]];

		h.nsteps += t->nsteps;
		h.nkeys += t->keys.n;
		h.ntargets += t->target != DRAFT_NONE;
	}
	h.threads = table_place(&h.size, h.nthreads, sizeof(struct plan_thread), 64);
	h.steps = table_place(&h.size, h.nsteps, sizeof(struct plan_step), 64);
	h.waits = table_place(&h.size, h.nwaits, sizeof(struct plan_wait), 64);
	h.keys = table_place(&h.size, h.nkeys, sizeof(uint32_t), 64);
	h.inputs = table_place(&h.size, h.ninputs, sizeof(struct plan_input), 64);
	h.bytes = table_place(&h.size, l->given->bytes.n, 1, 64);
	memcpy(h.clocks, l->given->clocks, sizeof(h.clocks));
	h.seats = table_place(&h.size, h.nthreads, sizeof(struct plan_seat), PLAN_PAGE);
	h.touched = table_place(&h.size, h.nsteps, sizeof(uint64_t), 64);
	l->head = mem_zalloc(h.size);
	*l->head = h;
}

/* In the order of the draft, by which threads find theirs. */
static void inputs_make(struct layout *l)
{
	struct plan_input *to = plan_inputs(l->head);

	for (size_t i = 0; i < l->given->inputs.n; i++) {
		to[i] = l->given->inputs.at[i];
		to[i].bytes += l->head->bytes;
	}
	if (l->given->bytes.n > 0)
		memcpy(plan_table(l->head, l->head->bytes), l->given->bytes.at, l->given->bytes.n);
}

static void threads_make(struct layout *l)
{
	uint64_t step = 0, key = 0;

	for (size_t i = 0; i < l->threads.n; i++) {
		const struct draft_thread *t = &l->d->threads.at[l->threads.at[i]];

		plan_threads(l->head)[i] = (struct plan_thread){
			.maker =
				t->maker < 0 ? t->maker : (int32_t)l->d->threads.at[t->maker].index,
			.ordinal = t->ordinal,
			.tid = t->tid,
			.nsteps = t->nsteps,
			.step = step,
			/* One that has a target begins, whatever was recorded of that. */
			.events = t->events == 0 && t->target != DRAFT_NONE ? 1 : t->events,
			.solids = t->keys.n,
			.key = key,
			.tail = t->tail,
			.ends = t->ends,
			.input = l->given->first.at[l->threads.at[i]],
			.ninputs = l->given->first.at[l->threads.at[i] + 1] -
				   l->given->first.at[l->threads.at[i]]
		};
		if (t->keys.n > 0)
			memcpy(plan_keys(l->head) + key, t->keys.at,
			       t->keys.n * sizeof(*t->keys.at));
		step += t->nsteps;
		key += t->keys.n;
	}
}

static uint8_t flags_of(const struct draft_item *it)
{
	bool request = it->op == EVENT_REQ || it->op == EVENT_RREQ || it->op == EVENT_SEM_REQ ||
		       it->op == EVENT_COND_REQ || it->op == EVENT_JOINING;
	bool value = it->look && it->class == PLAN_SOLID && it->has_value &&
		     (it->op == EVENT_WRITE || it->op == EVENT_RMW);
	bool cancelled = it->op == EVENT_WAKE && (it->flags & EVENT_CANCELLED);

	return (uint8_t)((it->target ? PLAN_TARGET : 0) | (must_fail(it) ? PLAN_FAILS : 0) |
			 (value ? PLAN_VALUE : 0) | (request ? PLAN_REQUEST : 0) |
			 (cancelled ? PLAN_CANCELLED : 0) | (has_result(it) ? PLAN_RESULT : 0));
}

static uint64_t value_of(const struct draft_item *it)
{
	if (has_result(it))
		return it->kind == FORMAT_BAR_SERIAL ? (uint64_t)PTHREAD_BARRIER_SERIAL_THREAD : 0;
	if (it->class == PLAN_SIGNAL)
		return PLAN_SIGNAL_OF(it->addr);
	return it->has_value ? it->value : 0;
}

/* Its thread has read there before, so it is new only if what has been written since is another value; and
 * that may come of reads which see other writes in this order than in the recording, or not have come yet. */
static bool is_doubtful(const struct draft_item *it)
{
	return it->class == PLAN_READ && it->polls && it->nth != 0 &&
	       (it->target || !(it->flags & EVENT_CAS));
}

static void step_make(const struct layout *l, const struct draft_item *it)
{
	const struct plan_thread *t = &plan_threads(l->head)[l->d->threads.at[it->thread].index];

	plan_steps(l->head)[t->step + it->step_number] =
		(struct plan_step){ .pos = it->pos,
				    .solids = it->solids,
				    .key = it->key,
				    .site = it->site,
				    .nth = it->nth,
				    .value = value_of(it),
				    .class = it->class,
				    .flags = flags_of(it),
				    .op = it->op,
				    .doubtful = is_doubtful(it),
				    .pace = it->pace };
}

static void wait_make(const struct layout *l, size_t i)
{
	uint32_t to = (uint32_t)(l->waits.at[i] >> 32);
	const struct draft_edge *e = &l->d->edges.at[(uint32_t)l->waits.at[i]];
	const struct draft_item *it = &l->d->items.at[to];
	const struct draft_thread *t = &l->d->threads.at[l->d->items.at[e->from].thread];
	struct plan_step *s = &plan_steps(
		l->head)[plan_threads(l->head)[l->d->threads.at[it->thread].index].step +
			 it->step_number];
	uint32_t from = source_of(l->d, e), progress = 2 * t->nsteps;

	if (from != DRAFT_NONE)
		progress = 2 * l->d->items.at[from].step_number + !e->arrive;
	plan_waits(l->head)[i] = (struct plan_wait){ t->index, progress };
	if (s->nwaits++ == 0)
		s->wait = i;
}

static void looks_make(const struct layout *l, const struct plan_ask *ask, struct plan *out)
{
	for (size_t i = 0; i < l->d->items.n; i++) {
		const struct draft_item *it = &l->d->items.at[i];
		uint64_t first = plan_threads(l->head)[l->d->threads.at[it->thread].index].step;

		if (it->step && (flags_of(it) & PLAN_VALUE))
			*VEC_PUSH(&out->looks) =
				(struct plan_look){ it->addr, it->len, first + it->step_number,
						    it->rank };
	}
	out->looks_whole = out->looks.n == ask->nlooks;
}

static void lay_out(struct draft *d, const struct given *given, const struct plan_ask *ask,
		    struct plan *out)
{
	struct layout l = { .d = d, .given = given };

	choose_threads(&l, d);
	sort_waits(&l);
	head_make(&l, ask->kind);
	threads_make(&l);
	inputs_make(&l);
	for (size_t i = 0; i < d->items.n; i++)
		if (d->items.at[i].step)
			step_make(&l, &d->items.at[i]);
	for (size_t i = 0; i < l.waits.n; i++)
		wait_make(&l, i);
	out->head = l.head;
	out->size = l.head->size;
	out->events = d->order.n;
	out->edges = d->edges.n;
	out->loose = d->loose;
	looks_make(&l, ask, out);
	VEC_RELEASE_ALL(&l.threads, &l.waits);
}

enum status plan_make(struct trace *t, const struct plan_ask *ask, struct plan *out, struct diag *d)
{
	struct trace_info info = trace_info(t);
	struct draft draft = { .places = info.form != TRACE_BINARY ||
					 info.version >= FORMAT_PLACES_SINCE };
	struct given given;
	enum status st = collect_events(t, ask, &draft, d);

	*out = (struct plan){ 0 };
	if (st == ST_OK) {
		mark_looks(&draft, ask);
		identity_find(&draft);
		mark_paced(&draft, ask, out);
		edges_find(&draft);
		mark_steps(&draft);
		given_find(&draft, t, &given);
		lay_out(&draft, &given, ask, out);
		given_release(&given);
	}
	draft_release(&draft);
	return st;
}

void plan_doubt(const struct plan *p, bool doubt)
{
	for (uint64_t i = 0; i < p->head->nsteps; i++) {
		struct plan_step *s = &plan_steps(p->head)[i];

		if (s->doubtful)
			s->flags = (uint8_t)(doubt ? s->flags | PLAN_ANY : s->flags & ~PLAN_ANY);
	}
}

void plan_release(struct plan *p)
{
	mem_free(p->head);
	VEC_RELEASE_ALL(&p->looks, &p->paced);
	*p = (struct plan){ 0 };
}
