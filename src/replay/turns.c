#include "replay/turns.h"

#include "replay/draft.h"
#include "replay/memory.h"
#include "trace/event.h"

void turns_release(struct turns *t)
{
	for (size_t i = 0; i < t->all.n; i++) {
		struct turns_object *o = &t->all.at[i];

		VEC_RELEASE_ALL(&o->readers, &o->released, &o->tries);
	}
	map_release(&t->at);
	VEC_RELEASE(&t->all);
}

static uint64_t key_of(const struct draft_item *it)
{
	return it->addr ^ (uint64_t)it->life << 48;
}

static struct turns_object *object_of(struct turns *t, const struct draft_item *it)
{
	bool fresh;
	uint64_t *at = map_put(&t->at, key_of(it), &fresh);

	if (fresh) {
		*at = t->all.n;
		*VEC_PUSH(&t->all) = (struct turns_object){ .last = DRAFT_NONE,
							    .writer = DRAFT_NONE,
							    .left = DRAFT_NONE,
							    .out = DRAFT_NONE };
	}
	return &t->all.at[*at];
}

static void found_add(struct memory_found *found, uint32_t item)
{
	if (item != DRAFT_NONE)
		*VEC_PUSH(&found->at) = item;
}

static void found_add_released(struct memory_found *found, const struct turns_object *o)
{
	for (size_t i = 0; i < o->released.n; i++)
		found_add(found, o->released.at[i]);
}

static void chain(struct turns_object *o, uint32_t item, struct memory_found *found)
{
	found_add(found, o->last);
	o->last = item;
}

/* ---- locks ---- */

static void acquire(struct turns_object *o, const struct draft *d, uint32_t item,
		    struct memory_found *found)
{
	if (o->writer != DRAFT_NONE && o->depth > 0 &&
	    d->items.at[o->writer].thread == d->items.at[item].thread) {
		o->depth++;
		return;
	}
	found_add(found, o->last);
	found_add_released(found, o);
	o->writer = item;
	o->depth = 1;
}

/* The release of `thread', or of everybody, waits for the tries that failed because of it. */
static void settle_tries(struct turns_object *o, uint32_t thread, struct memory_found *found)
{
	size_t kept = 0;

	for (size_t i = 0; i < o->tries.n; i++) {
		if (thread == DRAFT_NONE || o->tries.at[i].holder == thread)
			found_add(found, o->tries.at[i].item);
		else
			o->tries.at[kept++] = o->tries.at[i];
	}
	o->tries.n = kept;
}

static void release(struct turns_object *o, uint32_t item, struct memory_found *found)
{
	if (o->depth > 1) {
		o->depth--;
		return;
	}
	settle_tries(o, DRAFT_NONE, found);
	o->depth = 0;
	o->writer = DRAFT_NONE;
	o->last = item;
	VEC_CLEAR(&o->released);
}

static void release_read(struct turns_object *o, const struct draft *d, uint32_t item,
			 struct memory_found *found)
{
	uint32_t thread = d->items.at[item].thread;
	bool others = false; /* of the same thread: it holds the lock still */

	for (size_t i = 0, gone = 0; i < o->readers.n; i++) {
		if (d->items.at[o->readers.at[i]].thread != thread)
			continue;
		if (gone++ == 0)
			o->readers.at[i--] = o->readers.at[--o->readers.n];
		else
			others = true;
	}
	if (!others)
		settle_tries(o, thread, found);
	*VEC_PUSH(&o->released) = item;
}

/* Who keeps it out: a writer, else a reader; DRAFT_NONE: nobody, or itself. */
static uint32_t holder_of(const struct turns_object *o, const struct draft *d, uint32_t thread)
{
	if (o->writer != DRAFT_NONE)
		return d->items.at[o->writer].thread != thread ? o->writer : DRAFT_NONE;
	for (size_t i = o->readers.n; i-- > 0;)
		if (d->items.at[o->readers.at[i]].thread != thread)
			return o->readers.at[i];
	return DRAFT_NONE;
}

static void try_fail(struct turns_object *o, const struct draft *d, uint32_t item,
		     struct memory_found *found)
{
	uint32_t holder = holder_of(o, d, d->items.at[item].thread);

	if ((d->items.at[item].flags & EVENT_REFUSED) || holder == DRAFT_NONE) {
		found_add(found, o->last);
		return;
	}
	found_add(found, holder);
	*VEC_PUSH(&o->tries) = (struct turns_try){ item, d->items.at[holder].thread };
}

/* It is made, or ends: everything of it is past. */
static void renew(struct turns_object *o, uint32_t item, struct memory_found *found)
{
	found_add(found, o->last);
	found_add(found, o->left);
	found_add(found, o->out);
	found_add_released(found, o);
	settle_tries(o, DRAFT_NONE, found);
	for (size_t i = 0; i < o->readers.n; i++)
		found_add(found, o->readers.at[i]);
	VEC_CLEAR(&o->readers);
	VEC_CLEAR(&o->released);
	o->writer = o->left = o->out = DRAFT_NONE;
	o->depth = o->round = 0;
	o->last = item;
}

/* ---- barriers ---- */

/* Who was in the round before has left it. */
static bool was_in(const struct turns_object *o, const struct draft *d, uint32_t thread)
{
	for (size_t i = 0; i < o->released.n; i++)
		if (d->items.at[o->released.at[i]].thread == thread)
			return true;
	return false;
}

static void barrier_in(struct turns_object *o, const struct draft *d, uint32_t item,
		       struct memory_found *found)
{
	const struct draft_item *it = &d->items.at[item];

	if (o->round != it->arg) {
		VEC_CLEAR(&o->released);
		for (size_t i = 0; i < o->readers.n; i++)
			*VEC_PUSH(&o->released) = o->readers.at[i];
		VEC_CLEAR(&o->readers);
		o->round = it->arg;
		o->out = o->left;
		o->left = DRAFT_NONE;
	}
	found_add(found, o->last);
	if (o->out != DRAFT_NONE && !was_in(o, d, it->thread))
		found_add(found, o->out);
	else
		found_add_released(found, o);
	*VEC_PUSH(&o->readers) = item;
}

static void barrier_out(struct turns_object *o, const struct draft_item *it, uint32_t item)
{
	if (o->round == it->arg)
		o->left = item;
	else
		o->out = item;
}

uint32_t turns_entered(const struct turns *t, const struct draft *d, uint32_t item, size_t i)
{
	const struct draft_item *it = &d->items.at[item];
	const uint64_t *at = map_get(&t->at, key_of(it));
	const struct turns_object *o = at != NULL ? &t->all.at[*at] : NULL;

	if (o == NULL)
		return DRAFT_NONE;
	if (o->round == it->arg)
		return i < o->readers.n ? o->readers.at[i] : DRAFT_NONE;
	return i < o->released.n ? o->released.at[i] : DRAFT_NONE;
}

/* ---- all ---- */

static void lock_find(struct turns_object *o, const struct draft *d, uint32_t item,
		      struct memory_found *found)
{
	switch (d->items.at[item].op) {
	case EVENT_ACQ:
		acquire(o, d, item, found);
		break;
	case EVENT_RACQ:
		found_add(found, o->last);
		*VEC_PUSH(&o->readers) = item;
		break;
	case EVENT_REL:
		release(o, item, found);
		break;
	case EVENT_RREL:
		release_read(o, d, item, found);
		break;
	default:
		try_fail(o, d, item, found);
	}
}

void turns_find(struct turns *t, const struct draft *d, uint32_t item, struct memory_found *found)
{
	const struct draft_item *it = &d->items.at[item];

	switch (it->op) {
	case EVENT_ACQ:
	case EVENT_RACQ:
	case EVENT_REL:
	case EVENT_RREL:
	case EVENT_TRYFAIL:
		lock_find(object_of(t, it), d, item, found);
		break;
	case EVENT_LOCK_INIT:
	case EVENT_LOCK_DESTROY:
	case EVENT_BAR_INIT:
	case EVENT_BAR_DESTROY:
		renew(object_of(t, it), item, found);
		break;
	case EVENT_COND_INIT:
	case EVENT_COND_DESTROY:
	case EVENT_PARK:
	case EVENT_SIGNAL:
	case EVENT_BROADCAST:
	case EVENT_SEM_INIT:
	case EVENT_SEM_DESTROY:
	case EVENT_SEM_POST:
	case EVENT_SEM_WAIT:
	case EVENT_SEM_FAIL:
		chain(object_of(t, it), item, found);
		break;
	case EVENT_GIVE:
	case EVENT_TAKE:
		if (it->class == PLAN_PASS)
			chain(object_of(t, it), item, found);
		break;
	case EVENT_WAKE:
		found_add(found, it->peer);
		break;
	case EVENT_ONCE_BEGIN:
	case EVENT_ONCE_PASS:
		found_add(found, object_of(t, it)->last);
		break;
	case EVENT_ONCE_END:
		object_of(t, it)->last = item;
		break;
	case EVENT_BAR_IN:
		barrier_in(object_of(t, it), d, item, found);
		break;
	case EVENT_BAR_OUT:
		barrier_out(object_of(t, it), it, item);
		break;
	default:
		break;
	}
}
