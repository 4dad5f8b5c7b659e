/*
 * Weak causal precedence (Kini, Mathur and Viswanathan, PLDI 2017): races beyond happens-before,
 * for sections of one lock are only ordered when what they do demands it.
 *
 *	(a) a release comes before an event e of a later section of the lock, when the released
 *	    section has an access in conflict with e
 *	(b) a release comes before a later release of the lock, when something of the first section
 *	    comes before something of the second
 *	(c) whatever happens before or after such a pair is ordered with it; forks, joins, channels
 *	    and acquired atomics order too
 *
 * Clocks: H is happens-before (struct sync), P what precedes by WCP, held in sync.hard.  Own
 * sections must not feed P, or nothing of a thread that locks twice would ever race.
 *
 * Read-write locks: two sections in read mode exclude nothing, so (a) and (b) need one of the two
 * sections in write mode.  Two atomic accesses count as a conflict for (a): more order, fewer
 * reports.
 *
 * The first race told is a real race or a deadlock; later ones are hints.
 */

#include "compare/stream_priv.h"
#include "compare/wcp_priv.h"

#define ITEM_READ 1u
#define ITEM_WRITE 2u

struct wcp_item {
	uint32_t deed, life, bits;
};

struct wcp_section {
	uint32_t lock, id, acquired;
	bool shared;
	VEC(struct wcp_item) items;
};

struct wcp_chain {
	VEC(struct wcp_section) open;
	VEC(struct wcp_section) spare; /* closed ones, for their arrays */
};

struct wcp_reader {
	uint32_t chain;
	struct wcp_queue turns;
};

struct wcp_lock {
	struct stamp write, reads; /* P at the releases, as H in struct sync_lock */
	struct wcp_queue turns;
	VEC(struct wcp_reader) readers;
};

struct wcp {
	struct stream stream;
	struct wcp_deeds deeds;
	struct wcp_gone gone;
	VEC(struct wcp_lock) locks;
	VEC(struct wcp_chain) chains;
	uint32_t sections;
	bool fused; /* some queue was too long */
};

void *wcp_begin(const struct engine *e, const struct engine_options *opt)
{
	struct wcp *self = mem_zalloc(sizeof(*self));

	stream_init(
		&self->stream, e, opt,
		"by weak causal precedence; the first may be a deadlock instead, later ones are hints",
		STREAM_ATOMICS | STREAM_HARD);
	self->deeds.stamps = &self->stream.sync.stamps;
	VEC_REACH(&self->deeds.at, 0);
	return self;
}

/* --- sections --------------------------------------------------------------- */

static struct wcp_chain *wcp_chain(struct wcp *self, uint32_t chain)
{
	sync_now(&self->stream.sync, chain);
	VEC_REACH(&self->chains, chain);
	return &self->chains.at[chain];
}

static void section_open(struct wcp *self, const struct step *s)
{
	struct wcp_chain *c = wcp_chain(self, s->chain);
	struct wcp_section *x = VEC_PUSH(&c->open);

	*x = (struct wcp_section){ 0 };
	if (c->spare.n)
		*x = c->spare.at[--c->spare.n];
	VEC_CLEAR(&x->items);
	x->lock = s->obj;
	x->id = ++self->sections;
	x->acquired = sync_now(&self->stream.sync, s->chain)->time;
	x->shared = s->op == STEP_RACQ;
}

static void section_close(struct wcp_chain *c, size_t i)
{
	*VEC_PUSH(&c->spare) = c->open.at[i];
	c->open.at[i] = c->open.at[--c->open.n];
}

/* The section already has such an access, or one that stands for it: a write. */
static bool section_has(struct wcp *self, const struct wcp_section *x, uint32_t deed, bool writes)
{
	const struct wcp_deed *d = &self->deeds.at.at[deed];

	return d->section == x->id &&
	       (x->items.at[d->item].bits & (writes ? ITEM_WRITE : ITEM_READ | ITEM_WRITE));
}

static void section_note(struct wcp *self, struct wcp_section *x, uint32_t deed, uint32_t bits)
{
	struct wcp_deed *d = &self->deeds.at.at[deed];

	if (d->section == x->id) {
		x->items.at[d->item].bits |= bits;
		return;
	}
	d->section = x->id;
	d->item = (uint32_t)x->items.n;
	*VEC_PUSH(&x->items) = (struct wcp_item){ deed, d->life, bits };
}

/* Rule (a): the access comes after the sections it is in conflict with.  They have all ended when
 * this one begins, unless it is in read mode; but what ends meanwhile is in read mode, too. */
static void wcp_follow(struct wcp *self, const struct step *s, const uint32_t *cells)
{
	struct wcp_chain *c = wcp_chain(self, s->chain);
	struct stamp *past = &self->stream.sync.hard.at[s->chain];
	bool writes = s->op != STEP_READ;

	for (size_t k = 0; k < c->open.n; k++) {
		struct wcp_section *x = &c->open.at[k];

		for (uint32_t i = 0; i < s->ncells; i++) {
			uint32_t deed = wcp_deeds_find(&self->deeds, x->lock, cells[i]);

			if (section_has(self, x, deed, writes))
				continue;
			wcp_deed_join(&self->deeds, deed, s->chain, writes, x->shared, past);
			section_note(self, x, deed, writes ? ITEM_WRITE : ITEM_READ);
		}
	}
}

/* --- locks ------------------------------------------------------------------ */

static struct wcp_lock *wcp_lock(struct wcp *self, uint32_t lock)
{
	VEC_REACH(&self->locks, lock);
	return &self->locks.at[lock];
}

static void wcp_acquire(struct wcp *self, const struct step *s)
{
	struct stamps *stamps = &self->stream.sync.stamps;
	struct stamp *now = sync_now(&self->stream.sync, s->chain);
	struct stamp *past = &self->stream.sync.hard.at[s->chain];
	const struct stamp *before = &sync_lock(&self->stream.sync, s->obj)->write;
	struct wcp_lock *l = wcp_lock(self, s->obj);

	/* Where the release is known, so is all that came before it. */
	if (stamp_at(now, before->chain) < before->time)
		stamp_join(stamps, past, &l->write);
	if (s->op == STEP_ACQ)
		stamp_join(stamps, past, &l->reads);
	section_open(self, s);
	sync_step(&self->stream.sync, s);
}

static struct wcp_queue *reader_queue(struct wcp_lock *l, uint32_t chain)
{
	size_t i = 0;

	while (i < l->readers.n && l->readers.at[i].chain != chain)
		i++;
	VEC_REACH(&l->readers, i);
	l->readers.at[i].chain = chain;
	return &l->readers.at[i].turns;
}

/* Rule (b).  Read sections of one chain are ordered, those of several are not: a queue for each. */
static void wcp_pass(struct wcp *self, struct wcp_lock *l, uint32_t chain, bool shared)
{
	struct stamp *past = &self->stream.sync.hard.at[chain];
	struct stamps *stamps = &self->stream.sync.stamps;

	wcp_queue_pass(stamps, &l->turns, chain, past);
	for (size_t i = 0; i < l->readers.n && !shared; i++)
		if (l->readers.at[i].chain != chain)
			wcp_queue_pass(stamps, &l->readers.at[i].turns, chain, past);
}

static void wcp_remember(struct wcp *self, const struct wcp_section *x, const struct stamp *now)
{
	for (size_t i = 0; i < x->items.n; i++) {
		const struct wcp_item *item = &x->items.at[i];

		if (self->deeds.at.at[item->deed].life != item->life)
			continue;
		if (item->bits & ITEM_READ)
			wcp_deed_release(&self->deeds, item->deed, now, false, x->shared);
		if (item->bits & ITEM_WRITE)
			wcp_deed_release(&self->deeds, item->deed, now, true, x->shared);
	}
}

static void wcp_section_end(struct wcp *self, const struct wcp_section *x, const struct stamp *now)
{
	struct stamps *stamps = &self->stream.sync.stamps;
	struct stamp *past = &self->stream.sync.hard.at[now->chain];
	struct wcp_lock *l = wcp_lock(self, x->lock);
	struct wcp_turn turn = { .chain = now->chain, .acquired = x->acquired, .release = *now };

	wcp_pass(self, l, now->chain, x->shared);
	wcp_remember(self, x, now);
	if (x->shared) {
		stamp_collect(stamps, &l->reads, past);
	} else {
		stamp_set(stamps, &l->write, past);
		stamp_clear(stamps, &l->reads);
	}
	if (!wcp_queue_push(stamps, x->shared ? reader_queue(l, now->chain) : &l->turns, &turn,
			    &self->gone, (uint32_t)self->stream.sync.now.n))
		self->fused = true;
}

static void wcp_release(struct wcp *self, const struct step *s)
{
	struct wcp_chain *c = wcp_chain(self, s->chain);

	for (size_t i = c->open.n; i-- > 0;) {
		if (c->open.at[i].lock == s->obj) {
			wcp_section_end(self, &c->open.at[i],
					sync_now(&self->stream.sync, s->chain));
			section_close(c, i);
			break;
		}
	}
	sync_step(&self->stream.sync, s);
}

/* --- steps ------------------------------------------------------------------ */

static void wcp_access(struct wcp *self, const struct step_batch *b, const struct step *s)
{
	const uint32_t *cells = step_cells(b, s);
	struct seen e;

	if (s->flags & STEP_SHADOW)
		return;
	if (seen_is_atomic(s))
		sync_acquire(&self->stream.sync, s, cells);
	wcp_follow(self, s, cells);
	e = seen_make(s, sync_now(&self->stream.sync, s->chain)->time);
	pasts_access(&self->stream.pasts, cells, s->ncells, &self->stream.sync.hard.at[s->chain],
		     &e, &self->stream.pairs);
	if (seen_is_atomic(s))
		sync_publish(&self->stream.sync, s, cells);
}

/* What an open section did to `from' it has done to `to'. */
static void wcp_split(struct wcp *self, uint32_t from, uint32_t to)
{
	stream_split(&self->stream, from, to);
	wcp_deeds_split(&self->deeds, from, to);
	for (size_t c = 0; c < self->chains.n; c++) {
		for (size_t k = 0; k < self->chains.at[c].open.n; k++) {
			struct wcp_section *x = &self->chains.at[c].open.at[k];

			for (size_t i = 0, n = x->items.n; i < n; i++) {
				const struct wcp_item item = x->items.at[i];
				const struct wcp_deed *d = &self->deeds.at.at[item.deed];

				if (d->cell == from && d->life == item.life)
					section_note(self, x,
						     wcp_deeds_find(&self->deeds, x->lock, to),
						     item.bits);
			}
		}
	}
}

/* A chain begins or ends a thread; a lock that a thread took to its grave is nobody's. */
static void wcp_thread(struct wcp *self, const struct step *s)
{
	struct wcp_chain *c = wcp_chain(self, s->obj);

	VEC_REACH(&self->gone.at, s->obj);
	self->gone.at.at[s->obj] = s->op == STEP_JOIN;
	while (c->open.n)
		section_close(c, c->open.n - 1);
	sync_step(&self->stream.sync, s);
}

static void wcp_other(struct wcp *self, const struct step *s)
{
	switch (s->op) {
	case STEP_ACQ:
	case STEP_RACQ:
		wcp_acquire(self, s);
		break;
	case STEP_REL:
	case STEP_RREL:
		wcp_release(self, s);
		break;
	case STEP_FORK:
	case STEP_JOIN:
		wcp_thread(self, s);
		break;
	case STEP_SPLIT:
		wcp_split(self, s->obj, s->other);
		break;
	case STEP_DROP:
		stream_drop(&self->stream, s->obj);
		wcp_deeds_drop(&self->deeds, s->obj);
		break;
	default:
		sync_step(&self->stream.sync, s);
	}
}

void wcp_steps(void *arg, const struct step_batch *b)
{
	struct wcp *self = arg;

	for (size_t i = 0; i < b->n; i++) {
		if (step_is_access(&b->at[i])) {
			wcp_access(self, b, &b->at[i]);
			continue;
		}
		if (step_is_life(&b->at[i])) {
			struct step life = step_life(&b->at[i]);

			wcp_access(self, b, &life);
		}
		if (!stream_is_destroy(&b->at[i]))
			wcp_other(self, &b->at[i]);
	}
}

static void wcp_chain_release(struct wcp_chain *c)
{
	while (c->open.n)
		section_close(c, c->open.n - 1);
	for (size_t i = 0; i < c->spare.n; i++)
		VEC_RELEASE(&c->spare.at[i].items);
	VEC_RELEASE_ALL(&c->open, &c->spare);
}

static void wcp_lock_release(struct wcp_lock *l)
{
	for (size_t i = 0; i < l->readers.n; i++)
		wcp_queue_release(&l->readers.at[i].turns);
	VEC_RELEASE(&l->readers);
	wcp_queue_release(&l->turns);
}

void wcp_end(void *arg, struct engine_result *out)
{
	struct wcp *self = arg;

	if (self->fused)
		texts_add(
			&out->truncated,
			"wcp: more than %u sections of a lock were pending; some races may be missed",
			WCP_QUEUE_MOST);
	for (size_t i = 0; i < self->chains.n; i++)
		wcp_chain_release(&self->chains.at[i]);
	for (size_t i = 0; i < self->locks.n; i++)
		wcp_lock_release(&self->locks.at[i]);
	VEC_RELEASE_ALL(&self->chains, &self->locks, &self->gone.at);
	wcp_deeds_release(&self->deeds);
	stream_end(&self->stream, out);
	mem_free(self);
}
