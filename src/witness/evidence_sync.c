/*
 * Synchronisation objects, who holds what, who woke whom, taken from
 * the observed order.
 *
 * An object lives from its making to its end, at one cell: reuse of memory, INIT and DESTROY
 * give new objects.
 */

#include "trace/format.h"
#include "witness/evidence_priv.h"

struct evidence_thread *evidence_thread(struct evidence *ev, uint32_t tid)
{
	VEC_REACH(&ev->threads, tid);
	return &ev->threads.at[tid];
}

void evidence_sync_release(struct evidence *ev)
{
	for (size_t i = 0; i < ev->threads.n; i++) {
		VEC_RELEASE_ALL(&ev->threads.at[i].events, &ev->threads.at[i].holds,
				&ev->threads.at[i].reads, &ev->threads.at[i].signals);
	}
	VEC_RELEASE_ALL(&ev->threads, &ev->objects, &ev->groups, &ev->held);
	map_release(&ev->group_at);
}

/* ---- objects ---- */

static uint32_t object_new(struct evidence *ev, uint32_t cell, enum event_object family,
			   uint64_t addr)
{
	const struct evidence_item *made = evidence_item(ev, evidence_alloc_of(ev, addr));
	bool local = made->op == EVENT_ALLOC && made->kind == FORMAT_ALLOC_FRAME;
	uint32_t o = (uint32_t)ev->objects.n;

	*VEC_PUSH(&ev->objects) = (struct evidence_object_info){
		.family = family,
		.addr = addr,
		.cell = cell,
		.older = ev->cells.at[cell].object,
	};
	evidence_name(ev, addr, local ? made->site : 0, made->addr, &ev->objects.at[o].called);
	ev->objects.at[o].first = o;
	for (uint32_t p = ev->objects.at[o].older; p != 0; p = ev->objects.at[p].older)
		if (ev->objects.at[p].addr == addr)
			ev->objects.at[o].first = ev->objects.at[p].first;
	ev->cells.at[cell].object = o;
	return o;
}

static uint32_t object_get(struct evidence *ev, enum event_object family, uint64_t addr)
{
	uint32_t cell = evidence_cell_of(ev, addr);
	uint32_t o = ev->cells.at[cell].object;

	/* Small ones may share a word. */
	while (o != 0 && (ev->objects.at[o].family != family || ev->objects.at[o].addr != addr))
		o = ev->objects.at[o].older;
	if (o == 0 || ev->objects.at[o].closed)
		o = object_new(ev, cell, family, addr);
	evidence_rename(ev, addr, &ev->objects.at[o].called);
	return o;
}

/* INIT: whatever was there has ended; later look-ups find the newest. */
static uint32_t object_init(struct evidence *ev, enum event_object family, const struct event *e,
			    uint32_t pos)
{
	uint32_t o = object_new(ev, evidence_cell_of(ev, e->addr), family, e->addr);

	ev->objects.at[o].init = pos;
	if (family != EVENT_OBJECT_LOCK) {
		ev->objects.at[o].counted = true;
		ev->objects.at[o].value = e->arg;
	}
	return o;
}

/* The latest FREE of the memory that the object lies in; 0 none. */
static uint32_t freed_find(struct evidence *ev, uint32_t object)
{
	uint32_t alloc, freed;

	evidence_stamp_get(&ev->memory, ev->objects.at[object].addr, &alloc, &freed);
	return freed > alloc ? freed : 0;
}

static void life_note(struct evidence *ev, enum event_op op, uint32_t pos,
		      struct evidence_object_info *first)
{
	if (evidence_is_use(op))
		ev->items.at[pos].freed = freed_find(ev, ev->items.at[pos].object);
	if (evidence_is_use(op) || evidence_is_destroy(op))
		ev->items.at[pos].life = first->renewed;
	if (evidence_renews(op))
		first->renewed = pos;
}

/* ---- locks ---- */

/* `from' without the innermost acquire of the object; shares what lies below it. */
static uint32_t held_without(struct evidence *ev, uint32_t from, uint32_t object)
{
	uint32_t at = from, list;
	VEC(uint32_t) above = { 0 };

	while (at != 0 && ev->held.at[at].object != object) {
		*VEC_PUSH(&above) = at;
		at = ev->held.at[at].below;
	}
	list = at == 0 ? from : ev->held.at[at].below;
	for (size_t i = at == 0 ? 0 : above.n; i > 0; i--) {
		struct evidence_held copy = ev->held.at[above.at[i - 1]];

		copy.below = list;
		list = (uint32_t)ev->held.n;
		*VEC_PUSH(&ev->held) = copy;
	}
	VEC_RELEASE(&above);
	return list;
}

static bool holds(const struct evidence *ev, const struct evidence_thread *t, uint32_t object)
{
	uint32_t at = t->held;

	while (at != 0 && ev->held.at[at].object != object)
		at = ev->held.at[at].below;
	return at != 0;
}

/* Who holds such a lock need not be the one who will let go of it. */
static void loose_note(struct evidence *ev, const struct event *e, uint32_t object)
{
	struct evidence_object_info *o = &ev->objects.at[object];
	bool mine = holds(ev, evidence_thread(ev, e->tid), object);

	if (e->op == EVENT_ACQ || e->op == EVENT_RACQ) {
		o->loose |= e->op == EVENT_ACQ && o->balance > 0 && !mine;
		o->balance++;
	} else if (e->op == EVENT_REL || e->op == EVENT_RREL) {
		o->loose |= !mine && o->balance > 0;
		o->balance -= o->balance > 0;
	}
}

static void lock_event(struct evidence *ev, const struct event *e, uint32_t pos, uint32_t object)
{
	struct evidence_thread *t = evidence_thread(ev, e->tid);

	loose_note(ev, e, object);
	if (e->op == EVENT_ACQ || e->op == EVENT_RACQ) {
		*VEC_PUSH(&ev->held) = (struct evidence_held){ pos, object, t->held };
		t->held = (uint32_t)(ev->held.n - 1);
	} else if (e->op == EVENT_REL || e->op == EVENT_RREL) {
		t->held = held_without(ev, t->held, object);
	} else {
		return;
	}
	*VEC_PUSH(&t->holds) = (struct evidence_hold){ ev->items.at[pos].index, t->held };
}

/* ---- the other objects ---- */

static void barrier_event(struct evidence *ev, const struct event *e, uint32_t pos, uint32_t object)
{
	uint64_t key = (uint64_t)object << 32 | (uint32_t)e->arg;
	bool fresh;
	uint64_t *group = map_put(&ev->group_at, key, &fresh);

	if (fresh) {
		*group = ev->groups.n;
		*VEC_PUSH(&ev->groups) = (struct evidence_group){ .object = object };
	}
	ev->items.at[pos].group = (uint32_t)*group;
	ev->groups.at[*group].ins += e->op == EVENT_BAR_IN;
}

/* Without SEM_INIT the first value is the least that lets the observed waits pass. */
static void semaphore_event(struct evidence *ev, const struct event *e, uint32_t object)
{
	struct evidence_object_info *o = &ev->objects.at[object];

	o->balance += (e->op == EVENT_SEM_POST) - (e->op == EVENT_SEM_WAIT);
	if (!o->counted && o->balance < 0 && (uint64_t)-o->balance > o->value)
		o->value = (uint64_t)-o->balance;
}

bool evidence_may_grow(const struct evidence *ev)
{
	for (size_t i = 1; ev->cut && i < ev->objects.n; i++)
		if (ev->objects.at[i].family == EVENT_OBJECT_SEMAPHORE &&
		    !ev->objects.at[i].counted)
			return true;
	return false;
}

/* ---- threads ---- */

static uint32_t signal_find(struct evidence *ev, uint32_t tid, uint64_t tseq)
{
	const struct evidence_thread *t = evidence_thread(ev, tid);
	size_t found = SEARCH_PAST(i, 0, t->signals.n, t->signals.at[i].tseq < tseq);

	return found < t->signals.n && t->signals.at[found].tseq == tseq ? t->signals.at[found].pos
									 : 0;
}

static void condition_event(struct evidence *ev, const struct event *e, uint32_t pos)
{
	struct evidence_item *it = &ev->items.at[pos];
	struct evidence_thread *t = evidence_thread(ev, e->tid);

	switch (e->op) {
	case EVENT_SIGNAL:
	case EVENT_BROADCAST:
		*VEC_PUSH(&t->signals) = (struct evidence_read){ e->tseq, 1, pos, false };
		break;
	case EVENT_COND_REQ:
		break;
	case EVENT_PARK:
		t->park = pos;
		break;
	default: /* WAKE */
		it->park = t->park;
		t->park = 0;
		it->known = e->peer != 0;
		if (e->peer != 0)
			it->signal = signal_find(ev, e->peer, e->peer_tseq);
		break;
	}
}

static void thread_event(struct evidence *ev, const struct event *e, uint32_t pos)
{
	struct evidence_thread *t = evidence_thread(ev, e->tid);

	ev->items.at[pos].object = e->peer;
	switch (e->op) {
	case EVENT_FORK:
		evidence_thread(ev, e->peer)->fork = pos;
		break;
	case EVENT_FORK_FAIL:
		evidence_thread(ev, e->peer)->fork = 0;
		break;
	case EVENT_THREAD_BEGIN:
		if (e->peer != 0 && t->fork == 0)
			t->fork = EVIDENCE_NO_FORK;
		evidence_renew(ev, pos, e->addr, e->len);
		break;
	case EVENT_THREAD_END:
		t->ended = true;
		break;
	case EVENT_JOINING:
	case EVENT_JOIN_FAIL:
		evidence_thread(ev, e->peer);
		break;
	case EVENT_JOIN:
		evidence_thread(ev, e->peer);
		ev->items.at[pos].known = !ev->binary || e->peer_tseq != 0;
		break;
	default:
		break;
	}
}

static void use_event(struct evidence *ev, const struct event *e, uint32_t pos, uint32_t object)
{
	switch (event_op_object(e->op)) {
	case EVENT_OBJECT_LOCK:
		lock_event(ev, e, pos, object);
		break;
	case EVENT_OBJECT_CONDITION:
		condition_event(ev, e, pos);
		break;
	case EVENT_OBJECT_BARRIER:
		barrier_event(ev, e, pos, object);
		break;
	case EVENT_OBJECT_SEMAPHORE:
		semaphore_event(ev, e, object);
		break;
	case EVENT_OBJECT_CHANNEL:
		/* Gives are numbered; a take knows how many there were. */
		ev->items.at[pos].ordinal = (uint32_t)ev->objects.at[object].balance;
		ev->objects.at[object].balance += e->op == EVENT_GIVE;
		break;
	default: /* once */
		if (e->op == EVENT_ONCE_BEGIN)
			ev->items.at[pos].ordinal = (uint32_t)ev->objects.at[object].balance++;
		break;
	}
}

static void object_event(struct evidence *ev, const struct event *e, uint32_t pos)
{
	enum event_object family = event_op_object(e->op);
	uint32_t object = evidence_is_making(e->op) ? object_init(ev, family, e, pos)
						    : object_get(ev, family, e->addr);
	struct evidence_object_info *o = &ev->objects.at[object];

	ev->items.at[pos].object = object;
	if (evidence_is_destroy(e->op)) {
		ev->items.at[pos].known = family == EVENT_OBJECT_LOCK && o->balance == 0;
		o->closed = true;
	} else if (!evidence_is_making(e->op)) {
		use_event(ev, e, pos, object);
	}
}

void evidence_sync_event(struct evidence *ev, const struct event *e, uint32_t pos)
{
	enum event_object family = event_op_object(e->op);
	struct evidence_event brief = {
		.op = e->op, .flags = e->flags, .addr = e->addr, .site = e->site, .stack = e->stack
	};
	struct evidence_object_info *o;

	if (event_op_family(e->op) == 'T')
		thread_event(ev, e, pos);
	if (family < EVENT_OBJECT_LOCK || family > EVENT_OBJECT_CHANNEL || e->op == EVENT_SEM_REQ)
		return;
	object_event(ev, e, pos);
	o = &ev->objects.at[ev->items.at[pos].object];
	life_note(ev, e->op, pos, &ev->objects.at[o->first]);
	evidence_call(ev, &brief, &o->called);
}
