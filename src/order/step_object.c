/*
 * What lies at an address: locks, conditions, barriers, semaphores, onces.
 *
 * An object ends with its memory, with an init or a destroy, or when something of another kind
 * is used at its address; what comes there later is a new one.  Not so channels: a program may take
 * the address of anything for one, of a lock too, so they have addresses of their own.  A condition may end while threads
 * are parked on it: they still know it by its place, and the last to wake up discards it.
 *
 * In no run is an object used before its init or, a lock, after its destroy.
 */
#include <assert.h>
#include <string.h>

#include "order/step_priv.h"

#define USERS_MAX 64 /* threads that use an object, kept */

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
	case OBJECT_COND:
		for (size_t i = 0; i < o->cond.signals.n; i++)
			step_channel_forget(s, o->cond.signals.at[i].channel);
		break;
	case OBJECT_BARRIER:
		for (size_t i = 0; i < o->barrier.rounds.n; i++)
			step_channel_forget(s, o->barrier.rounds.at[i].channel);
		break;
	case OBJECT_SEM:
		for (size_t i = o->sem.head; i < o->sem.posts.n; i++)
			step_channel_forget(s, o->sem.posts.at[i]);
		break;
	case OBJECT_ONCE:
	case OBJECT_CHANNEL:
		if (o->once.done)
			step_channel_forget(s, o->once.channel);
		break;
	default:
		break;
	}
}

static void object_release(struct object *o)
{
	VEC_RELEASE(&o->users);
	switch (o->family) {
	case OBJECT_LOCK:
		VEC_RELEASE(&o->lock.readers);
		VEC_RELEASE(&o->lock.fails);
		break;
	case OBJECT_COND:
		VEC_RELEASE(&o->cond.waits);
		VEC_RELEASE(&o->cond.signals);
		break;
	case OBJECT_BARRIER:
		VEC_RELEASE(&o->barrier.rounds);
		break;
	case OBJECT_SEM:
		VEC_RELEASE(&o->sem.posts);
		VEC_RELEASE(&o->sem.waits);
		VEC_RELEASE(&o->sem.fails);
		VEC_RELEASE(&o->sem.guard);
		break;
	default:
		break;
	}
}

void step_objects_release(struct steps *s)
{
	for (size_t i = 0; i < s->objects.n; i++)
		object_release(&s->objects.at[i]);
	VEC_RELEASE(&s->objects);
	map_release(&s->by_addr);
	keyset_release(&s->addrs);
}

void step_object_discard(struct steps *s, uint32_t place)
{
	struct object *o = &s->objects.at[place];

	assert(!o->mapped && o->family != OBJECT_NONE);
	channels_forget(s, o);
	object_release(o);
	o->family = OBJECT_NONE;
	o->next = s->unused;
	s->unused = place + 1;
}

/* No object lies in the upper half of the addresses. */
#define CHANNELS ((uint64_t)1 << 63)

static uint64_t key_of(uint64_t addr, enum object_family family)
{
	return family == OBJECT_CHANNEL ? addr ^ CHANNELS : addr;
}

static void key_end(struct steps *s, uint64_t key)
{
	const uint64_t *at = map_get(&s->by_addr, key);
	struct object *o;
	uint32_t place;

	if (!at)
		return;
	place = (uint32_t)*at;
	o = &s->objects.at[place];
	map_remove(&s->by_addr, key);
	keyset_remove(&s->addrs, key);
	o->mapped = false;
	if (o->family != OBJECT_COND || o->cond.waits.n == 0)
		step_object_discard(s, place);
}

void step_object_end(struct steps *s, uint64_t addr)
{
	key_end(s, addr);
}

static void keys_end(struct steps *s, uint64_t key, uint64_t len)
{
	uint64_t last = len - 1 <= UINT64_MAX - key ? key + len - 1 : UINT64_MAX;

	while (keyset_next(&s->addrs, key, last, &key))
		key_end(s, key);
}

void step_objects_end(struct steps *s, uint64_t addr, uint64_t len)
{
	if (len == 0)
		return;
	keys_end(s, addr, len);
	keys_end(s, key_of(addr, OBJECT_CHANNEL), len);
}

struct object *step_object_find(struct steps *s, uint64_t addr, enum object_family family)
{
	const uint64_t *at = map_get(&s->by_addr, key_of(addr, family));

	return at && s->objects.at[*at].family == family ? &s->objects.at[*at] : NULL;
}

static struct object *object_new(struct steps *s, uint64_t addr, enum object_family family)
{
	uint32_t place = s->unused - 1;
	struct object *o;

	if (s->unused != 0) {
		s->unused = s->objects.at[place].next;
	} else {
		place = (uint32_t)s->objects.n;
		(void)VEC_PUSH(&s->objects);
	}
	o = &s->objects.at[place];
	memset(o, 0, sizeof(*o));
	o->addr = addr;
	o->family = family;
	o->mapped = true;
	if (family == OBJECT_LOCK) {
		o->lock.id = LOCK_UNUSED;
		o->lock.family = places_family(&s->places, addr);
	}
	if (family == OBJECT_COND)
		o->cond.id = s->nconditions++;
	if (family == OBJECT_SEM)
		o->sem.id = s->nsems++;
	*map_put(&s->by_addr, key_of(addr, family), NULL) = place;
	keyset_add(&s->addrs, key_of(addr, family));
	return o;
}

struct object *step_object_get(struct steps *s, uint64_t addr, enum object_family family)
{
	struct object *o = step_object_find(s, addr, family);

	if (o)
		return o;
	key_end(s, key_of(addr, family));
	return object_new(s, addr, family);
}

struct object *step_object_make(struct steps *s, const struct event *e, enum object_family family)
{
	struct object *o;

	step_add(s, STEP_NONE, 0);
	step_object_end(s, e->addr);
	o = object_new(s, e->addr, family);
	o->maker = e->tid;
	o->made = e->pos;
	return o;
}

void step_object_use(struct steps *s, const struct event *e, struct object *o)
{
	for (size_t i = 0; i < o->users.n; i++)
		if (o->users.at[i].tid == e->tid) {
			o->users.at[i].pos = e->pos;
			return;
		}
	if (o->users.n < USERS_MAX)
		*VEC_PUSH(&o->users) = (struct object_user){ e->tid, e->pos };
	else
		o->crowded = true;
	if (o->maker != 0 && o->maker != e->tid)
		step_after(s, o->made, chains_of(&s->chains, o->maker), 0);
}
