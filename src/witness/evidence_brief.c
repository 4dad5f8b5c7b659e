/*
 * Evidence that describes and does not prove: of the whole trace only the wanted events are kept,
 * with what they are of and which locks their thread holds.
 *
 * Memory: bounded by the wanted events, threads, locks held at once, and blocks of memory ever
 * used; not by the number of events.
 *
 * Who allocated an address: ranges are cut into aligned blocks of powers of two (evidence_stamp.c).  Each
 * block has the allocation that covered exactly it last.
 *
 * Identity of a lock or another object is its address, the allocation around it and the LOCK_INIT or
 * LOCK_DESTROY that was last there.
 */

#include "trace/format.h"
#include "witness/evidence_priv.h"

struct brief_alloc {
	struct evidence_event event;
	uint32_t kind; /* FORMAT_ALLOC_* */
};

struct brief_thread {
	uint32_t count;			 /* events */
	VEC(struct evidence_event) held; /* acquires, outermost first */
	uint64_t waits;			 /* its last event, if that is wanted and begins a wait */
};

struct brief_event {
	struct evidence_event event;
	size_t held, nheld; /* wanted ones: into acquires */
	uint32_t object;    /* 1 + index in objects; 0 none */
	uint64_t park;	    /* where it begins a wait */
};

struct brief_object {
	struct evidence_told told;
	struct brief_alloc alloc; /* event.pos 0: not known */
};

struct evidence_brief {
	VEC(struct brief_event) at;
	struct map index_of; /* position, to index in at */
	VEC(uint64_t) acquires;
	VEC(struct brief_object) objects;
	VEC(struct brief_thread) threads;
	VEC(struct brief_alloc) allocs; /* by block; [0] is of none */
	struct map alloc_at;		/* key of a block, to index in allocs */
	uint64_t levels;		/* sizes of blocks in use */
	struct map remade;		/* address, to the last LOCK_INIT or LOCK_DESTROY there */
	struct map inits;		/* the same of LOCK_INIT alone, to site << 32 | stack */
	struct intern *identities;
	VEC(struct evidence_called) called; /* by identity */
};

struct evidence_brief *evidence_brief_new(void)
{
	struct evidence_brief *b = mem_zalloc(sizeof(*b));

	VEC_REACH(&b->allocs, 0);
	b->identities = intern_new();
	return b;
}

void evidence_brief_free(struct evidence_brief *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->threads.n; i++)
		VEC_RELEASE(&b->threads.at[i].held);
	MAP_RELEASE_ALL(&b->index_of, &b->remade, &b->inits, &b->alloc_at);
	intern_free(b->identities);
	VEC_RELEASE_ALL(&b->at, &b->acquires, &b->objects, &b->threads, &b->allocs, &b->called);
	mem_free(b);
}

/* ---- allocations ---- */

static void alloc_add(struct evidence_brief *b, const struct evidence_event *e, uint32_t kind)
{
	uint64_t addr = e->addr, len = e->len, key;

	while (evidence_block_next(&addr, &len, &b->levels, &key)) {
		bool fresh;
		uint64_t *at = map_put(&b->alloc_at, key, &fresh);

		if (fresh) {
			*at = b->allocs.n;
			(void)VEC_PUSH(&b->allocs);
		}
		b->allocs.at[*at] = (struct brief_alloc){ *e, kind };
	}
}

/* The latest that covers addr; its position is 0 when there is none. */
static const struct brief_alloc *alloc_find(const struct evidence_brief *b, uint64_t addr)
{
	const struct brief_alloc *best = &b->allocs.at[0];
	uint64_t levels = b->levels, key;

	while (evidence_block_around(addr, &levels, &key)) {
		const uint64_t *at = map_get(&b->alloc_at, key);

		if (at && b->allocs.at[*at].event.pos > best->event.pos)
			best = &b->allocs.at[*at];
	}
	return best;
}

/* ---- locks ---- */

static void lock_add(struct brief_thread *t, const struct evidence_event *e)
{
	if (e->op == EVENT_ACQ || e->op == EVENT_RACQ) {
		*VEC_PUSH(&t->held) = *e;
		return;
	}
	for (size_t i = t->held.n; i-- > 0;)
		if (t->held.at[i].addr == e->addr) {
			VEC_CUT(&t->held, i, 1);
			return;
		}
}

/* Held already when the thread acquired it at index i. */
static bool is_inner(const struct brief_thread *t, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (t->held.at[k].addr == t->held.at[i].addr)
			return true;
	return false;
}

/* ---- wanted events ---- */

static void keep(struct evidence_brief *b, const struct brief_event *e)
{
	bool fresh;
	uint64_t *index = map_put(&b->index_of, e->event.pos, &fresh);

	if (!fresh)
		return;
	*index = b->at.n;
	*VEC_PUSH(&b->at) = *e;
}

/* Who made a lock knows what it is, even if all take it through one function. */
static void init_call(struct evidence *ev, const struct evidence_event *e,
		      struct evidence_called *called)
{
	const uint64_t *index = map_get(&ev->brief->inits, e->addr);
	struct evidence_event init = { .op = EVENT_LOCK_INIT, .addr = e->addr };

	if (!index)
		return;
	init.site = (uint32_t)(*index >> 32);
	init.stack = (uint32_t)*index;
	evidence_call(ev, &init, called);
}

/* What a synchronisation event is about, as things are now. */
static void object_fill(struct evidence *ev, struct evidence_event *e)
{
	struct evidence_brief *b = ev->brief;
	char family = event_op_family(e->op);
	const uint64_t *remade = map_get(&b->remade, e->addr);
	const struct brief_alloc *made = alloc_find(b, e->addr);
	bool local = made->event.pos != 0 && made->kind == FORMAT_ALLOC_FRAME;
	uint64_t key[] = { e->addr, made->event.pos, remade ? *remade : 0 };
	struct evidence_called *called;

	if (family != 'L' && family != 'S')
		return;
	e->object = intern_add(b->identities, (const char *)key, sizeof(key));
	VEC_REACH(&b->called, e->object);
	called = &b->called.at[e->object];
	if (called->name == 0) {
		evidence_name(ev, e->addr, local ? made->event.site : 0, made->event.addr, called);
		if (remade && *remade > made->event.pos)
			init_call(ev, e, called);
	}
	evidence_rename(ev, e->addr, called);
	evidence_call(ev, e, called);
}

static void wanted_add(struct evidence *ev, const struct evidence_event *e)
{
	struct evidence_brief *b = ev->brief;
	const struct brief_thread *t = &b->threads.at[e->tid];
	struct brief_event wanted = { .event = *e, .held = b->acquires.n };
	struct brief_object o = { .alloc = *alloc_find(b, e->addr) };

	for (size_t i = 0; i < t->held.n; i++) {
		struct brief_event acquire = { .event = t->held.at[i] };

		if (is_inner(t, i))
			continue;
		object_fill(ev, &acquire.event);
		*VEC_PUSH(&b->acquires) = acquire.event.pos;
		wanted.nheld++;
		keep(b, &acquire);
	}
	evidence_told(ev, e->addr, &o.told);
	object_fill(ev, &wanted.event);
	*VEC_PUSH(&b->objects) = o;
	wanted.object = (uint32_t)b->objects.n;
	keep(b, &wanted);
}

/* The PARK that ends the call which a wanted release began is kept with it. */
static void park_add(struct evidence *ev, const struct evidence_event *e, bool wanted)
{
	struct brief_thread *t = &ev->brief->threads.at[e->tid];
	uint64_t release = t->waits;
	struct brief_event park = { .event = *e };

	t->waits = wanted && e->op == EVENT_REL && (e->flags & EVENT_IN_WAIT) ? e->pos : 0;
	if (release == 0 || e->op != EVENT_PARK)
		return;
	object_fill(ev, &park.event);
	ev->brief->at.at[*map_get(&ev->brief->index_of, release)].park = e->pos;
	keep(ev->brief, &park);
}

void evidence_brief_event(struct evidence *ev, const struct event *e, bool wanted)
{
	uint64_t room = UINT64_MAX - e->addr;
	struct evidence_event x = {
		.pos = e->pos,
		.tid = e->tid,
		.op = e->op,
		.flags = e->flags,
		.addr = e->addr,
		.len = e->len < room ? e->len : room,
		.site = e->site,
		.stack = e->stack,
		.peer = event_op_family(e->op) == 'T' ? e->peer : 0,
	};

	VEC_REACH(&ev->brief->threads, e->tid);
	x.index = ev->brief->threads.at[e->tid].count++;
	if (wanted)
		wanted_add(ev, &x);
	park_add(ev, &x, wanted);
	switch (e->op) {
	case EVENT_ALLOC:
		alloc_add(ev->brief, &x, (uint32_t)e->arg);
		break;
	case EVENT_ACQ:
	case EVENT_RACQ:
	case EVENT_REL:
	case EVENT_RREL:
		lock_add(&ev->brief->threads.at[e->tid], &x);
		break;
	case EVENT_LOCK_INIT:
		*map_put(&ev->brief->inits, e->addr, NULL) = (uint64_t)e->site << 32 | e->stack;
		/* fall through */
	case EVENT_LOCK_DESTROY:
		*map_put(&ev->brief->remade, e->addr, NULL) = e->pos;
		break;
	default:
		break;
	}
}

/* ---- questions ---- */

static const struct brief_event *find(const struct evidence *ev, uint64_t pos)
{
	const uint64_t *index = map_get(&ev->brief->index_of, pos);

	return index ? &ev->brief->at.at[*index] : NULL;
}

struct evidence_event evidence_brief_get(const struct evidence *ev, uint64_t pos)
{
	const struct brief_event *e = find(ev, pos);
	struct evidence_event out;

	assert(e);
	out = e->event;
	if (out.object != 0)
		evidence_called_get(ev, &ev->brief->called.at[out.object], &out);
	return out;
}

uint64_t evidence_brief_park(const struct evidence *ev, uint64_t pos)
{
	const struct brief_event *e = find(ev, pos);

	return e ? e->park : 0;
}

bool evidence_brief_object(const struct evidence *ev, uint64_t pos, struct evidence_object *out)
{
	const struct brief_event *e = find(ev, pos);
	const struct brief_object *o;

	if (!e || e->object == 0)
		return false;
	o = &ev->brief->objects.at[e->object - 1];
	evidence_tell(ev, &o->told, o->alloc.event.pos ? &o->alloc.event : NULL, o->alloc.kind,
		      out);
	return true;
}

size_t evidence_brief_held(const struct evidence *ev, uint64_t pos, uint64_t *acquires, size_t max)
{
	const struct brief_event *e = find(ev, pos);

	assert(e);
	for (size_t i = 0; i < e->nheld && i < max; i++)
		acquires[i] = ev->brief->acquires.at[e->held + i];
	return e->nheld;
}
