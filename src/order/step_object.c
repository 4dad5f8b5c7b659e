/*
 * What lies at an address: locks, conditions, barriers, semaphores, onces.
 *
 * An object ends with its memory, with an init or a destroy, or when something of another kind
 * is used at its address; what comes there later is a new one.  Not so channels: a program may take
 * the address of anything for one, of a lock too, so they have addresses of their own.  A condition may end while threads
 * are parked on it: they still know it by its index, and the last to wake up discards it.
 *
 * Whether an object may be used at all is the business of its life (order/step.h).
 */

#include "order/step_priv.h"

#define GUESTS_MAX 64 /* threads that wait on an object, kept */

uint32_t step_channel_new(struct steps *s)
{
	if (s->channels_again.n != 0)
		return s->channels_again.at[--s->channels_again.n];
	return s->nchannels++;
}

void step_channel_forget(struct steps *s, uint32_t channel)
{
	step_note(s, STEP_FORGET, channel);
	if (s->opt.recycle)
		*VEC_PUSH(&s->channels_again) = channel;
}

static void channels_forget(struct steps *s, const struct object *o)
{
	switch (o->family) {
	case EVENT_OBJECT_CONDITION:
		for (size_t i = 0; i < o->cond.signals.n; i++)
			step_channel_forget(s, o->cond.signals.at[i].channel);
		break;
	case EVENT_OBJECT_BARRIER:
		for (size_t i = 0; i < o->barrier.rounds.n; i++)
			step_channel_forget(s, o->barrier.rounds.at[i].channel);
		break;
	case EVENT_OBJECT_SEMAPHORE:
		for (size_t i = o->sem.head; i < o->sem.posts.n; i++)
			step_channel_forget(s, o->sem.posts.at[i]);
		break;
	case EVENT_OBJECT_ONCE:
	case EVENT_OBJECT_CHANNEL:
		if (o->once.done)
			step_channel_forget(s, o->once.channel);
		break;
	default:
		break;
	}
}

static void object_release(struct object *o)
{
	switch (o->family) {
	case EVENT_OBJECT_LOCK:
		VEC_RELEASE_ALL(&o->lock.readers, &o->lock.fails);
		break;
	case EVENT_OBJECT_CONDITION:
		VEC_RELEASE_ALL(&o->cond.guests.at, &o->cond.waits, &o->cond.signals);
		break;
	case EVENT_OBJECT_BARRIER:
		VEC_RELEASE_ALL(&o->barrier.guests.at, &o->barrier.rounds);
		break;
	case EVENT_OBJECT_SEMAPHORE:
		VEC_RELEASE_ALL(&o->sem.posts, &o->sem.waits, &o->sem.fails, &o->sem.guard);
		break;
	default:
		break;
	}
}

void step_objects_release(struct steps *s)
{
	for (size_t i = 0; i < s->objects.n; i++)
		object_release(&s->objects.at[i]);
	VEC_RELEASE_ALL(&s->objects, &s->unused);
	map_release(&s->by_addr);
	keyset_release(&s->addrs);
}

void step_object_discard(struct steps *s, uint32_t index)
{
	struct object *o = &s->objects.at[index];

	assert(!o->mapped && o->family != EVENT_OBJECT_NONE);
	channels_forget(s, o);
	object_release(o);
	o->family = EVENT_OBJECT_NONE;
	*VEC_PUSH(&s->unused) = index;
}

/* No object lies in the upper half of the addresses. */
#define CHANNELS ((uint64_t)1 << 63)

static uint64_t key_of(uint64_t addr, enum event_object family)
{
	return family == EVENT_OBJECT_CHANNEL ? addr ^ CHANNELS : addr;
}

static void key_end(struct steps *s, uint64_t key)
{
	const uint64_t *at = map_get(&s->by_addr, key);
	struct object *o;
	uint32_t index;

	if (!at)
		return;
	index = (uint32_t)*at;
	o = &s->objects.at[index];
	map_remove(&s->by_addr, key);
	keyset_remove(&s->addrs, key);
	o->mapped = false;
	if (o->family != EVENT_OBJECT_CONDITION || o->cond.waits.n == 0)
		step_object_discard(s, index);
}

/* A lock that ends while somebody holds it tells nothing about who waits for whom: what comes there is
 * another one, and free. */
void step_object_end(struct steps *s, uint64_t key)
{
	const uint64_t *at = map_get(&s->by_addr, key);
	const struct object *o = at ? &s->objects.at[*at] : NULL;

	if (o && o->family == EVENT_OBJECT_LOCK && (o->lock.owner != 0 || o->lock.readers.n != 0))
		step_add(s, STEP_LOOSE, 0)->obj = o->lock.id;
	key_end(s, key);
}

static void keys_end(struct steps *s, uint64_t key, uint64_t len)
{
	uint64_t last = cells_last(key, len);

	while (keyset_next(&s->addrs, key, last, &key))
		step_object_end(s, key);
}

void step_objects_end(struct steps *s, uint64_t addr, uint64_t len)
{
	if (len == 0)
		return;
	keys_end(s, addr, len);
	keys_end(s, key_of(addr, EVENT_OBJECT_CHANNEL), len);
}

struct object *step_object_find(struct steps *s, uint64_t addr, enum event_object family)
{
	const uint64_t *at = map_get(&s->by_addr, key_of(addr, family));

	return at && s->objects.at[*at].family == family ? &s->objects.at[*at] : NULL;
}

static struct object *object_new(struct steps *s, uint64_t addr, enum event_object family)
{
	size_t index = VEC_TAKE(&s->objects, &s->unused);
	struct object *o = &s->objects.at[index];

	memset(o, 0, sizeof(*o));
	o->addr = addr;
	o->family = family;
	o->mapped = true;
	if (family == EVENT_OBJECT_LOCK) {
		o->lock.id = LOCK_UNUSED;
		o->lock.family = places_family(&s->places, addr);
	}
	if (family == EVENT_OBJECT_CONDITION)
		o->cond.id = s->nconditions++;
	if (family == EVENT_OBJECT_SEMAPHORE)
		o->sem.id = s->nsems++;
	*map_put(&s->by_addr, key_of(addr, family), NULL) = index;
	keyset_add(&s->addrs, key_of(addr, family));
	return o;
}

struct object *step_object_get(struct steps *s, uint64_t addr, enum event_object family)
{
	struct object *o = step_object_find(s, addr, family);

	if (o)
		return o;
	key_end(s, key_of(addr, family));
	return object_new(s, addr, family);
}

/* Objects of kinds that lie in memory have a life; not so channels, which lie nowhere. */
static void life_touch(struct steps *s, uint64_t addr, unsigned flag)
{
	uint32_t life = 0, count = s->cells.count;

	if (addr >= STEP_LIVES)
		return;
	cells_touch(&s->cells, addr | STEP_LIVES, 1, &life);
	s->nhidden += s->cells.count - count;
	step_splits_add(s);
	s->base.life = life;
	s->next_flag |= flag;
}

void step_object_use(struct steps *s, uint64_t addr)
{
	life_touch(s, addr, STEP_USES);
}

void step_object_renew(struct steps *s, uint64_t addr, bool ends)
{
	life_touch(s, addr, ends ? STEP_USES | STEP_RENEWS : STEP_RENEWS);
}

void step_object_make(struct steps *s, const struct event *e)
{
	struct object *o;

	step_object_renew(s, e->addr, false);
	step_add(s, STEP_NONE, 0);
	step_object_end(s, e->addr);
	o = object_new(s, e->addr, event_op_object(e->op));
	o->maker = e->tid;
	o->made = e->pos;
	if (o->family == EVENT_OBJECT_SEMAPHORE) {
		o->sem.known = true;
		o->sem.credit = e->arg;
	}
}

void step_object_visit(const struct event *e, struct object_guests *g)
{
	for (size_t i = 0; i < g->at.n; i++)
		if (g->at.at[i].tid == e->tid) {
			g->at.at[i].pos = e->pos;
			return;
		}
	if (g->at.n < GUESTS_MAX)
		*VEC_PUSH(&g->at) = (struct object_guest){ e->tid, e->pos };
	else
		g->crowded = true;
}

static void debt_add(struct steps *s, struct step_thread *t, uint32_t tid, uint64_t pos)
{
	*VEC_PUSH(&t->debts) = (struct step_point){ chains_of(&s->chains, tid), pos };
}

/* The destroy of a condition or barrier waits until nobody is inside, so whoever was is out before the
 * thread goes on.  The destroy itself needs nothing: it may be called at any time.  Who is parked
 * still, as far as is known here, was woken before: by one of the signals since. */
static void guests_owe(struct steps *s, const struct event *e, const struct object *o)
{
	bool cond = o->family == EVENT_OBJECT_CONDITION;
	const struct object_guests *g = cond ? &o->cond.guests : &o->barrier.guests;
	struct step_thread *t = step_thread(s, e->tid);
	size_t n = t->debts.n;

	for (size_t i = 0; i < g->at.n; i++)
		if (g->at.at[i].tid != e->tid)
			debt_add(s, t, g->at.at[i].tid, g->at.at[i].pos);
	for (size_t i = 0; cond && i < o->cond.signals.n; i++)
		if (o->cond.signals.at[i].tid != e->tid)
			debt_add(s, t, o->cond.signals.at[i].tid, o->cond.signals.at[i].pos);
	t->is_in_doubt |= g->crowded;
	s->ndebtors += t->debts.n != n || g->crowded;
}

size_t step_debts_take(struct steps *s, uint32_t tid, bool *lost)
{
	struct step_thread *t = step_thread(s, tid);

	if (t->debts.n == 0 && !t->is_in_doubt)
		return 0;
	s->ndebtors--;
	*lost |= t->is_in_doubt;
	t->is_in_doubt = false;
	return t->debts.n;
}

void step_debts_pay(struct steps *s, uint32_t tid, size_t n)
{
	struct step_thread *t = step_thread(s, tid);

	for (size_t i = 0; i < n; i++)
		step_after(s, t->debts.at[i].pos, t->debts.at[i].chain, 0);
	VEC_CUT(&t->debts, 0, n);
}

void step_object_destroy(struct steps *s, const struct event *e)
{
	enum event_object family = event_op_object(e->op);
	const struct object *o = step_object_find(s, e->addr, family);

	step_object_renew(s, e->addr, true);
	step_add(s, STEP_NONE, 0);
	if (o && (family == EVENT_OBJECT_CONDITION || family == EVENT_OBJECT_BARRIER))
		guests_owe(s, e, o);
	step_object_end(s, e->addr);
}
