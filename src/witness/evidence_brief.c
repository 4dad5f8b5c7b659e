/*
 * Evidence that describes and does not prove: of the whole trace only the wanted events are kept,
 * with what they are of and which locks their thread holds.
 *
 * Memory: bounded by the wanted events, threads, locks held at once, and blocks of memory ever
 * used; not by the number of events.
 *
 * Who allocated an address: ranges are cut into aligned blocks of powers of two as in
 * evidence_stamp.c.  Each block points to the allocation that covered exactly it last, and an
 * allocation that no block points to any more is forgotten.
 *
 * Identity of a lock or another object is its address, the allocation around it and the LOCK_INIT or
 * LOCK_DESTROY that was last there.
 */
#include <assert.h>
#include <string.h>

#include "trace/format.h"
#include "witness/evidence_priv.h"

#define LEVELS 62

struct brief_alloc {
	struct evidence_event event;
	uint32_t kind; /* FORMAT_ALLOC_* */
	uint32_t refs; /* blocks that point here; 0: free, and next is good */
	uint32_t next;
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
	struct brief_alloc alloc; /* refs 0: not known */
};

struct brief_name {
	uint32_t name;	/* 0: not met yet */
	uint32_t named; /* as of so many names given */
	struct evidence_called called;
};

struct evidence_brief {
	VEC(struct brief_event) at;
	struct map index_of; /* position, to index in at */
	VEC(uint64_t) acquires;
	VEC(struct brief_object) objects;
	VEC(struct brief_thread) threads;
	VEC(struct brief_alloc) allocs; /* [0] unused */
	uint32_t unused;		/* first free one of allocs, 0 none */
	struct map remade;		/* address, to the last LOCK_INIT or LOCK_DESTROY there */
	struct map inits;		/* the same of LOCK_INIT alone, to site << 32 | stack */
	struct intern *identities;
	VEC(struct brief_name) called; /* by identity */
	struct map blocks[LEVELS + 1]; /* number of an aligned block, to index in allocs */
};

struct evidence_brief *evidence_brief_new(void)
{
	struct evidence_brief *b = mem_zalloc(sizeof(*b));

	memset(VEC_PUSH(&b->allocs), 0, sizeof(*b->allocs.at));
	b->identities = intern_new();
	return b;
}

void evidence_brief_free(struct evidence_brief *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->threads.n; i++)
		VEC_RELEASE(&b->threads.at[i].held);
	for (int i = 0; i <= LEVELS; i++)
		map_release(&b->blocks[i]);
	MAP_RELEASE_ALL(&b->index_of, &b->remade, &b->inits);
	VEC_RELEASE(&b->called);
	intern_free(b->identities);
	VEC_RELEASE_ALL(&b->at, &b->acquires, &b->objects, &b->threads, &b->allocs);
	mem_free(b);
}

static struct brief_thread *thread_get(struct evidence_brief *b, uint32_t tid)
{
	VEC_REACH(&b->threads, tid);
	return &b->threads.at[tid];
}

/* ---- allocations ---- */

static uint32_t alloc_new(struct evidence_brief *b)
{
	uint32_t i = b->unused;

	if (i != 0) {
		b->unused = b->allocs.at[i].next;
		return i;
	}
	VEC_PUSH(&b->allocs);
	return (uint32_t)b->allocs.n - 1;
}

static void alloc_drop(struct evidence_brief *b, uint32_t i)
{
	struct brief_alloc *a = &b->allocs.at[i];

	assert(a->refs > 0);
	if (--a->refs > 0)
		return;
	a->next = b->unused;
	b->unused = i;
}

static void alloc_add(struct evidence_brief *b, const struct evidence_event *e, uint32_t kind)
{
	uint64_t addr = e->addr, len = e->len;
	uint32_t made = alloc_new(b);

	/* Held while its blocks are made, so that it cannot go in between. */
	b->allocs.at[made] = (struct brief_alloc){ .event = *e, .kind = kind, .refs = 1 };
	while (len > 0) {
		unsigned level = addr ? (unsigned)__builtin_ctzll(addr) : LEVELS;
		unsigned fits = 63 - (unsigned)__builtin_clzll(len);
		uint64_t *index;

		level = level < fits ? level : fits;
		level = level < LEVELS ? level : LEVELS;
		index = map_put(&b->blocks[level], addr >> level, NULL);
		if (*index != 0)
			alloc_drop(b, (uint32_t)*index);
		*index = made;
		b->allocs.at[made].refs++;
		addr += (uint64_t)1 << level;
		len -= (uint64_t)1 << level;
	}
	alloc_drop(b, made);
}

/* The latest that covers addr; index 0 when there is none. */
static uint32_t alloc_find(const struct evidence_brief *b, uint64_t addr)
{
	uint32_t best = 0;

	for (unsigned level = 0; level <= LEVELS; level++) {
		const uint64_t *index =
			b->blocks[level].n ? map_get(&b->blocks[level], addr >> level) : NULL;

		if (index && b->allocs.at[*index].event.pos > b->allocs.at[best].event.pos)
			best = (uint32_t)*index;
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
	for (size_t i = t->held.n; i-- > 0;) {
		if (t->held.at[i].addr != e->addr)
			continue;
		memmove(&t->held.at[i], &t->held.at[i + 1],
			(t->held.n - i - 1) * sizeof(*t->held.at));
		t->held.n--;
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
static void init_call(struct evidence *ev, const struct evidence_event *e, struct brief_name *name)
{
	const uint64_t *index = map_get(&ev->brief->inits, e->addr);
	struct evidence_event init = { .op = EVENT_LOCK_INIT, .addr = e->addr };

	if (!index)
		return;
	init.site = (uint32_t)(*index >> 32);
	init.stack = (uint32_t)*index;
	evidence_call(ev, &init, &name->called, &name->name);
}

/* What a synchronisation event is about, as things are now. */
static void object_fill(struct evidence *ev, struct evidence_event *e)
{
	struct evidence_brief *b = ev->brief;
	char family = event_op_family(e->op);
	const uint64_t *remade = map_get(&b->remade, e->addr);
	const struct brief_alloc *made = &b->allocs.at[alloc_find(b, e->addr)];
	bool local = made->refs != 0 && made->kind == FORMAT_ALLOC_FRAME;
	uint64_t key[] = { e->addr, made->event.pos, remade ? *remade : 0 };
	struct brief_name *name;
	uint32_t given;

	if (family != 'L' && family != 'S')
		return;
	e->object = intern_add(b->identities, (const char *)key, sizeof(key));
	VEC_REACH(&b->called, e->object);
	name = &b->called.at[e->object];
	if (name->name == 0) {
		name->name =
			evidence_name(ev, e->addr, local ? made->event.site : 0, made->event.addr);
		if (remade && *remade > made->event.pos)
			init_call(ev, e, name);
	} else if (name->named != ev->named && (given = evidence_given(ev, e->addr)) != 0) {
		name->name = given;
		name->called = (struct evidence_called){ .tries = EVIDENCE_TRIES };
	}
	name->named = ev->named;
	evidence_call(ev, e, &name->called, &name->name);
}

static void wanted_add(struct evidence *ev, const struct evidence_event *e)
{
	struct evidence_brief *b = ev->brief;
	const struct brief_thread *t = &b->threads.at[e->tid];
	struct brief_event wanted = { .event = *e, .held = b->acquires.n };
	struct brief_object o = { 0 };
	uint32_t alloc = alloc_find(b, e->addr);

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
	if (alloc != 0)
		o.alloc = b->allocs.at[alloc];
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
	struct brief_thread *t = thread_get(ev->brief, e->tid);
	uint64_t room = UINT64_MAX - e->addr;
	struct evidence_event x = {
		.pos = e->pos,
		.tid = e->tid,
		.index = t->count++,
		.op = e->op,
		.flags = e->flags,
		.addr = e->addr,
		.len = e->len < room ? e->len : room,
		.site = e->site,
		.stack = e->stack,
		.peer = event_op_family(e->op) == 'T' ? e->peer : 0,
	};

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
		lock_add(t, &x);
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

void evidence_brief_get(const struct evidence *ev, uint64_t pos, struct evidence_event *out)
{
	const struct brief_event *e = find(ev, pos);
	const struct brief_name *name;

	assert(e);
	*out = e->event;
	if (out->object == 0)
		return;
	name = &ev->brief->called.at[out->object];
	out->name = intern_str(ev->names, name->name);
	out->path = name->called.path ? intern_str(ev->names, name->called.path) : NULL;
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
	enum evidence_made made;

	if (!e || e->object == 0)
		return false;
	o = &ev->brief->objects.at[e->object - 1];
	memset(out, 0, sizeof(*out));
	evidence_tell(ev, &o->told, out);
	made = evidence_made(ev, o->alloc.kind, o->alloc.event.site);
	if (o->alloc.refs == 0 || made == EVIDENCE_GLOBAL)
		return true;
	out->heap = made == EVIDENCE_BLOCK;
	out->local = made == EVIDENCE_LOCAL;
	out->alloc_pos = o->alloc.event.pos;
	out->alloc_addr = o->alloc.event.addr;
	out->size = o->alloc.event.len;
	out->alloc_tid = o->alloc.event.tid;
	out->alloc_site = o->alloc.event.site;
	out->alloc_stack = o->alloc.event.stack;
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
