#include "replay/identity.h"

#include "replay/draft.h"
#include "replay/memory.h"
#include "trace/event.h"
#include "trace/format.h"

enum plan_class identity_class(uint8_t op, uint32_t flags, uint64_t addr, uint64_t len)
{
	switch (op) {
	case EVENT_READ:
		if (flags & EVENT_REREAD)
			return PLAN_NONE;
		if ((flags & EVENT_RANGE) || len > 8)
			return PLAN_RANGE;
		if (flags & EVENT_CAS)
			return PLAN_READ;
		/* One that is compared is recorded as free, as binding or not at all. */
		return (flags & (EVENT_FREE_READ | EVENT_TESTED)) == EVENT_FREE_READ ||
				       (addr & 7) + len > 8
			       ? PLAN_SOLID
			       : PLAN_READ;
	case EVENT_WRITE:
		return (flags & EVENT_RANGE) || len > 8 ? PLAN_RANGE : PLAN_SOLID;
	case EVENT_FREE:
		return PLAN_FREE;
	case EVENT_TRYFAIL:
	case EVENT_SEM_FAIL:
	case EVENT_JOIN_FAIL:
		return PLAN_VAIN;
	case EVENT_ALLOC:
	case EVENT_REQ:
	case EVENT_RREQ:
	case EVENT_SEM_REQ:
	case EVENT_COND_REQ:
	case EVENT_JOINING:
	case EVENT_GIVE:
	case EVENT_TAKE:
	case EVENT_THREAD_BEGIN:
	case EVENT_THREAD_END:
	case EVENT_USE:
	case EVENT_OPAQUE:
		return PLAN_NONE;
	default:
		return PLAN_SOLID;
	}
}

bool identity_ends_epoch(const struct draft_item *it)
{
	if (it->target)
		return false;
	switch (it->op) {
	case EVENT_READ:
	case EVENT_USER:
		return false;
	case EVENT_OPAQUE:
		return true;
	case EVENT_WRITE:
	case EVENT_RMW:
		return it->class == PLAN_SOLID && (it->flags & EVENT_ATOMIC) &&
		       it->order >= __ATOMIC_RELEASE;
	default:
		return it->class == PLAN_SOLID;
	}
}

#define COUNT_BITS 24

/* One more of this class and key since the last solid event; how many there are now. */
static uint32_t count(struct draft_thread *t, const struct draft_item *it)
{
	uint64_t *n = map_put(&t->counts, (uint64_t)it->class << 32 | it->key, NULL);

	if (*n >> COUNT_BITS != t->solids)
		*n = (uint64_t)t->solids << COUNT_BITS;
	return (uint32_t)(++*n & ((1u << COUNT_BITS) - 1));
}

/* ---- reads ---- */

static uint8_t byte_of(const struct draft_item *it, uint64_t addr)
{
	return (uint8_t)(it->value >> 8 * (addr - it->addr));
}

static struct draft_word *word_find(struct draft_thread *t, const struct draft_item *it)
{
	uint64_t kind = !(it->flags & EVENT_ATOMIC) ? 0 : it->order == __ATOMIC_RELAXED ? 1 : 3;
	uint64_t *at;
	struct draft_word *w;
	bool fresh;

	at = map_put(&t->seen, (it->addr & ~UINT64_C(7)) | kind, &fresh);
	if (fresh) {
		*at = t->words.n;
		*VEC_PUSH(&t->words) = (struct draft_word){ 0 };
	}
	w = &t->words.at[*at];
	if (w->epoch != t->epoch + 1)
		*w = (struct draft_word){ .epoch = t->epoch + 1 };
	return w;
}

/*
 * Does the read see another byte there than when its thread last looked?  The recorded value is what
 * it sees, but for the last read of a thread: that may see another write in this order (a target, and what
 * a witness calls relaxed).
 */
static bool byte_differs(const struct draft *d, struct draft_item *it, uint64_t addr,
			 const struct draft_word *w, const struct memory *m)
{
	bool last = it->next == DRAFT_NONE, known = w->known & 1u << (addr & 7);
	uint32_t writer;

	if (known && it->has_value && !last)
		return byte_of(it, addr) != w->value[addr & 7];
	writer = memory_writer(m, it->life, addr);
	if (writer == DRAFT_NONE || d->items.at[writer].rank < w->rank[addr & 7])
		return false;
	if (known && d->items.at[writer].has_value)
		return byte_of(&d->items.at[writer], addr) != w->value[addr & 7];
	it->unsure |= known;
	return true;
}

static uint16_t place_of(const struct draft *d, const struct draft_item *it)
{
	return d->places ? format_place_bit(it->site) : 1;
}

/* Has the thread read all of these bytes in this epoch, and here? */
static bool is_covered(const struct draft *d, struct draft_thread *t, const struct draft_item *it)
{
	const struct draft_word *w = word_find(t, it);

	if (!(w->places & place_of(d, it)))
		return false;
	for (uint64_t a = it->addr; a < it->addr + it->len; a++)
		if (!(w->mask & 1u << (a & 7)))
			return false;
	return true;
}

/* Is the read new?  From now on it is not. */
static bool read_note(struct draft *d, struct draft_item *it, const struct memory *m)
{
	struct draft_word *w = word_find(&d->threads.at[it->thread], it);
	uint16_t place = place_of(d, it);
	bool is_new = !(w->places & place), differs = false;

	it->polls = is_covered(d, &d->threads.at[it->thread], it);

	for (uint64_t a = it->addr; a < it->addr + it->len; a++) {
		uint8_t bit = (uint8_t)(1u << (a & 7));

		differs |= (w->mask & bit) && byte_differs(d, it, a, w, m);
		is_new |= !(w->mask & bit);
		w->mask |= bit;
		w->known = (uint8_t)((w->known & ~bit) | (it->has_value ? bit : 0));
		w->value[a & 7] = it->has_value ? byte_of(it, a) : 0;
		w->rank[a & 7] = it->rank;
	}
	w->places = differs ? place : w->places | place;
	return is_new || differs;
}

/* A closing read, or one that was logged again: it says that the bytes are as they were. */
static void reread_note(struct draft_thread *t, const struct draft_item *it)
{
	struct draft_word *w = word_find(t, it);

	for (uint64_t a = it->addr; a < it->addr + it->len && a >> 3 == it->addr >> 3; a++)
		if (w->mask & 1u << (a & 7))
			w->rank[a & 7] = it->rank;
}

/* ---- pipes, sockets, files ---- */

/* Channels that are taken from, as somebody who gives to nobody needs no order. */
static void channels_find(const struct draft *d, struct map *taken)
{
	for (size_t k = 0; k < d->order.n; k++) {
		const struct draft_item *it = &d->items.at[d->order.at[k]];

		if (it->op == EVENT_TAKE &&
		    (it->kind == FORMAT_CHANNEL_FILE || it->kind == FORMAT_CHANNEL_SOCKET ||
		     it->kind == FORMAT_CHANNEL_TURN))
			*map_put(taken, it->addr, NULL) = 1;
	}
}

/* Handlers have no call site: their TAKE is where they begin. */
static bool is_handler(const struct draft_item *it)
{
	return it->op == EVENT_TAKE && it->kind == FORMAT_CHANNEL_SIGNAL && it->site == 0;
}

/*
 * A call that reads takes what was given, and then its turn among the readers: TAKE and GIVE of that.  It has one gate.
 * That is the TAKE's of what was given, if it has that, else the turn's GIVE, which comes with every call.
 */
static void pass_find(struct draft_thread *t, struct draft_item *it, const struct map *taken)
{
	bool turn = it->kind == FORMAT_CHANNEL_TURN, gives;

	if (is_handler(it))
		it->class = PLAN_SIGNAL;
	if ((it->op != EVENT_GIVE && it->op != EVENT_TAKE) || map_get(taken, it->addr) == NULL ||
	    (turn && it->op == EVENT_TAKE))
		return;
	gives = it->op == EVENT_GIVE && !turn;
	it->class = gives ? PLAN_PASS : PLAN_PASS + 1;
	it->nth = count(t, it);
	it->class = it->nth == 1 ? PLAN_PASS : PLAN_NONE;
	it->nth = gives ? 1 : 2;
}

/* ---- all ---- */

static bool vain_note(struct draft_thread *t, const struct draft_item *it)
{
	uint64_t what = (uint64_t)it->key << 32 ^ (it->op == EVENT_JOIN_FAIL ? it->peer : it->addr);
	bool is_new = t->vain_solids != t->solids + 1 || t->vain_what != what;

	t->vain_solids = t->solids + 1;
	t->vain_what = what;
	return is_new;
}

static void solid_note(struct draft_thread *t, const struct draft_item *it)
{
	if (it->target)
		return;
	*VEC_PUSH(&t->keys) = it->key;
	t->solids++;
	t->tail = 0;
}

static void piece_find(struct draft *d, struct draft_thread *t, uint32_t item)
{
	struct draft_item *it = &d->items.at[item];

	if (it->head != item) {
		it->nth = d->items.at[it->head].nth;
		if (it->target) /* the pieces before it are of what it stands before */
			t->tail--;
		return;
	}
	it->nth = count(t, it);
	t->tail += !it->target;
}

static void find(struct draft *d, uint32_t item, const struct memory *m, const struct map *taken)
{
	struct draft_item *it = &d->items.at[item];
	struct draft_thread *t = &d->threads.at[it->thread];
	bool is_new = true;

	it->solids = t->solids;
	it->epoch = t->epoch;
	switch (it->class) {
	case PLAN_SOLID:
		solid_note(t, it);
		break;
	case PLAN_RANGE:
	case PLAN_FREE:
		piece_find(d, t, item);
		break;
	case PLAN_READ:
	case PLAN_VAIN:
		is_new = it->class == PLAN_READ ? read_note(d, it, m) : vain_note(t, it);
		it->nth = is_new ? count(t, it) : 0;
		if (it->target && it->unsure)
			it->nth = 0; /* whether it is new will show */
		if (!is_new && !it->target)
			it->class = PLAN_NONE;
		break;
	default:
		if (it->op == EVENT_READ)
			reread_note(t, it);
		else
			pass_find(t, it, taken);
	}
	if (identity_ends_epoch(it))
		t->epoch++;
}

/* What a thread comes to beyond its part. */
static void follow_find(const struct draft *d, struct draft_thread *t)
{
	if (t->followed && t->follow.class == PLAN_READ)
		t->follow.polls = is_covered(d, t, &t->follow);
}

static void gates_find(struct draft *d)
{
	for (uint32_t i = (uint32_t)d->items.n; i-- > 0;) {
		struct draft_item *it = &d->items.at[i];
		uint32_t next = it->next;

		if (next == DRAFT_NONE)
			continue;
		if (draft_has_gate(&d->items.at[next]) && draft_whole(d, next) == next) {
			it->gate = next;
			continue;
		}
		it->gate = d->items.at[next].gate;
		it->far = d->items.at[next].far || d->items.at[next].class == PLAN_SIGNAL;
	}
}

void identity_find(struct draft *d)
{
	struct memory_found found = { 0 };
	struct map taken = { 0 };
	struct memory m;

	memory_init(&m);
	channels_find(d, &taken);
	for (size_t k = 0; k < d->order.n; k++) {
		const struct draft_item *it = &d->items.at[d->order.at[k]];

		find(d, d->order.at[k], &m, &taken);
		if (it->op == EVENT_WRITE || it->op == EVENT_RMW || it->op == EVENT_FREE)
			memory_write(&m, d, d->order.at[k], &found);
		VEC_CLEAR(&found.at);
	}
	for (size_t i = 0; i < d->threads.n; i++) {
		if (d->threads.at[i].target != DRAFT_NONE)
			find(d, d->threads.at[i].target, &m, &taken);
		follow_find(d, &d->threads.at[i]);
	}
	gates_find(d);
	VEC_RELEASE(&found.at);
	memory_release(&m);
	map_release(&taken);
}
