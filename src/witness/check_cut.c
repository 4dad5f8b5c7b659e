/*
 * Tables of what the first events of each thread need, made in one look at the trace.
 *
 * Why an event that has what it needs may come (check.c has the rules):
 *
 *	reads	the write it saw is in, and of all writes in the cut that come before it in the trace
 *		that one is the latest
 *	locks	in the trace the lock was free; of the sections before, those that begin in the
 *		cut and do not end in it are open at the cut, and are looked at there
 *
 * tests/unit/test_check_cut.c holds every answer here to the walk.
 */
#include "witness/check_cut.h"

#include "base/search.h"
#include "finding/schedule.h"
#include "witness/check_needs.h"
#include "witness/check_priv.h"

/* An acquire by one thread: in the trace, in the thread. */
struct acquire {
	uint32_t pos, index;
};

/* The acquires of a lock by one thread. */
struct user {
	uint32_t tid;
	uint32_t next; /* of the same lock; 1 + index in users, 0 end */
	VEC(struct acquire) acquires;
};

struct written {
	uint32_t pos;
	uint32_t tid, index; /* of that event, as in the evidence */
	uint32_t mask;	     /* bytes of the cell */
	uint32_t before;     /* of the same cell; 1 + index in writes, 0 end */
};

struct check_cuts {
	const struct evidence *ev;
	uint32_t *limit;     /* by thread: so many events are plain */
	struct needs *needs; /* by thread */
	uint32_t *users_of;  /* by object */
	uint32_t *writes_of; /* by cell: the latest */
	VEC(struct user) users;
	VEC(struct written) writes;
	struct map seat_at, user_at; /* thread << 32 | other; object << 32 | thread */
};

/* A lock while the tables are made. */
struct lock {
	uint32_t owner, depth;
	bool destroyed;
};

/* The event needs another one.  False: that came later. */
static bool need_event(struct check_cuts *k, uint32_t pos, uint32_t other)
{
	const struct evidence_item *it = evidence_item(k->ev, pos);
	const struct evidence_item *o = evidence_item(k->ev, other);

	if (other >= pos)
		return false;
	check_needs_add(&k->needs[it->tid], &k->seat_at, it, o->tid, o->index + 1);
	return true;
}

static bool need_fork(struct check_cuts *k, uint32_t pos)
{
	const struct evidence_item *it = evidence_item(k->ev, pos);
	uint32_t fork = k->ev->threads.at[it->tid].fork;

	if (it->index != 0 || fork == 0)
		return true;
	return fork != EVIDENCE_NO_FORK && need_event(k, pos, fork);
}

static bool need_join(struct check_cuts *k, uint32_t pos)
{
	const struct evidence_item *it = evidence_item(k->ev, pos);
	const struct evidence_thread *child;

	if (it->object >= k->ev->threads.n)
		return false;
	child = &k->ev->threads.at[it->object];
	if ((k->ev->cut && !it->known && !child->ended) || it->object == it->tid)
		return false;
	return child->events.n == 0 || need_event(k, pos, child->events.at[child->events.n - 1]);
}

/* ---- memory ---- */

static void write_note(struct check_cuts *k, uint32_t cell, uint32_t mask, uint32_t pos)
{
	const struct evidence_item *it = evidence_item(k->ev, pos);

	*VEC_PUSH(&k->writes) =
		(struct written){ pos, it->tid, it->index, mask, k->writes_of[cell] };
	k->writes_of[cell] = (uint32_t)k->writes.n;
}

static bool word_note(struct check_cuts *k, uint32_t pos, uint32_t i)
{
	const struct evidence_item *it = evidence_item(k->ev, pos);
	struct evidence_word w = k->ev->words.at[it->words + i];
	bool reads = it->op == EVENT_READ || it->op == EVENT_RMW, writes = it->op != EVENT_READ;
	struct evidence_mixed m;

	if (!(w.seen & EVIDENCE_MIXED)) {
		if (reads && w.seen != 0 && !need_event(k, pos, w.seen))
			return false;
		if (writes)
			write_note(k, w.cell,
				   evidence_mask(it->addr, it->len, k->ev->cells.at[w.cell].word),
				   pos);
		return true;
	}
	evidence_spread(k->ev, it, i, &m);
	for (unsigned b = 0; b < 8; b++) {
		if (m.cell[b] == 0)
			continue;
		if (reads && m.seen[b] != 0 && !need_event(k, pos, m.seen[b]))
			return false;
		if (writes)
			write_note(k, m.cell[b], 1u << b, pos);
	}
	return true;
}

static bool access_note(struct check_cuts *k, uint32_t pos)
{
	const struct evidence_item *it = evidence_item(k->ev, pos);
	bool plain = !(it->flags & EVENT_UNKNOWN);
	size_t from, to;

	for (uint32_t i = 0; i < it->nwords; i++)
		plain &= word_note(k, pos, i);
	if (it->op != EVENT_FREE)
		return plain;
	for (evidence_trailing_range(k->ev, pos, &from, &to); from < to; from++)
		write_note(k, k->ev->trailing.at[from].cell, k->ev->trailing.at[from].mask, pos);
	return plain;
}

/* ---- locks ---- */

static void acquire_note(struct check_cuts *k, uint32_t pos)
{
	const struct evidence_item *it = evidence_item(k->ev, pos);
	bool fresh;
	uint64_t *index = map_put(&k->user_at, (uint64_t)it->object << 32 | it->tid, &fresh);

	if (fresh) {
		*index = k->users.n;
		*VEC_PUSH(&k->users) =
			(struct user){ .tid = it->tid, .next = k->users_of[it->object] };
		k->users_of[it->object] = (uint32_t)k->users.n;
	}
	*VEC_PUSH(&k->users.at[*index].acquires) = (struct acquire){ pos, it->index };
}

static bool lock_note(struct check_cuts *k, uint32_t pos, struct lock *l)
{
	const struct evidence_item *it = evidence_item(k->ev, pos);

	switch (it->op) {
	case EVENT_ACQ:
		acquire_note(k, pos); /* plain or not: it may come after somebody's section */
		if ((it->flags & EVENT_DEAD_OWNER) || (l->owner != 0 && l->owner != it->tid) ||
		    (l->owner != 0 && k->ev->binary && !(it->flags & EVENT_RECURSIVE)))
			return false;
		l->owner = it->tid;
		l->depth++;
		return true;
	case EVENT_REL:
		if (l->owner != it->tid)
			return false;
		if (--l->depth == 0)
			l->owner = 0;
		return true;
	default:
		return false;
	}
}

/* Before a use or a destroy comes what had made, ended or freed what lies there: the latest of those in
 * the trace, so the latest in a cut that has it. */
static bool life_note(struct check_cuts *k, uint32_t pos)
{
	const struct evidence_item *it = evidence_item(k->ev, pos);

	if (!evidence_is_use(it->op) && !evidence_is_destroy(it->op))
		return true;
	return (it->life == 0 || need_event(k, pos, it->life)) &&
	       (it->freed == 0 || need_event(k, pos, it->freed));
}

/* What the call may have read is in. */
static bool opaque_note(struct check_cuts *k, uint32_t pos)
{
	size_t from, to;

	if (k->ev->reach_end != 0 && pos >= k->ev->reach_end)
		return false;
	for (evidence_reach_range(k->ev, pos, &from, &to); from < to; from++) {
		const struct evidence_reach *r = &k->ev->reach.at[from];

		if (r->unsure)
			return false;
		for (unsigned b = 0; b < 8; b++) {
			uint32_t seen = evidence_last(&k->ev->reach_lasts, r->seen, b);

			if ((r->mask >> b & 1) && seen != 0 && !need_event(k, pos, seen))
				return false;
		}
	}
	return true;
}

/* Whatever is not known here to be plain is not. */
static bool sync_note(struct check_cuts *k, uint32_t pos, struct lock *l)
{
	const struct evidence_item *it = evidence_item(k->ev, pos);
	const struct evidence_object_info *info = &k->ev->objects.at[it->object];

	if (it->object == 0)
		return it->op == EVENT_ALLOC || it->op == EVENT_FENCE || it->op == EVENT_BEGIN ||
		       it->op == EVENT_END || it->op == EVENT_USER ||
		       (it->op == EVENT_OPAQUE && opaque_note(k, pos));
	if (info->family != EVENT_OBJECT_LOCK || info->loose || l->destroyed)
		return false;
	if (info->init != 0 && info->init != pos && !need_event(k, pos, info->init))
		return false;
	if (!life_note(k, pos))
		return false;
	if (it->op == EVENT_LOCK_DESTROY) {
		acquire_note(k, pos); /* sections before it must be over */
		l->destroyed = true;
	}
	return it->op == EVENT_REQ || it->op == EVENT_LOCK_INIT || it->op == EVENT_LOCK_DESTROY ||
	       lock_note(k, pos, l);
}

static bool event_note(struct check_cuts *k, uint32_t pos, struct lock *locks)
{
	const struct evidence_item *it = evidence_item(k->ev, pos);
	bool plain = need_fork(k, pos) && !it->lost_feed && !it->surprise && !it->strange;

	switch (it->op) {
	case EVENT_READ:
	case EVENT_WRITE:
	case EVENT_RMW:
	case EVENT_FREE:
		return access_note(k, pos) && plain; /* its writes count in any case */
	case EVENT_USE:
		return plain;
	case EVENT_JOIN:
		return plain && need_join(k, pos);
	case EVENT_JOIN_FAIL:
		return false; /* it needs that something has not happened */
	default:
		if (event_op_family(it->op) == 'T')
			return plain;
		return sync_note(k, pos, &locks[it->object]) && plain;
	}
}

struct check_cuts *check_cuts_new(const struct evidence *ev)
{
	struct check_cuts *k = mem_zalloc(sizeof(*k));
	struct lock *locks = mem_zalloc((ev->objects.n + 1) * sizeof(*locks));

	k->ev = ev;
	k->limit = mem_zalloc((ev->threads.n + 1) * sizeof(*k->limit));
	k->needs = mem_zalloc((ev->threads.n + 1) * sizeof(*k->needs));
	k->users_of = mem_zalloc((ev->objects.n + 1) * sizeof(*k->users_of));
	k->writes_of = mem_zalloc((ev->cells.n + 1) * sizeof(*k->writes_of));
	for (uint32_t pos = 1; pos <= evidence_count(ev); pos++) {
		const struct evidence_item *it = evidence_item(ev, pos);

		if (event_note(k, pos, locks) && k->limit[it->tid] == it->index)
			k->limit[it->tid]++;
	}
	mem_free(locks);
	MAP_RELEASE_ALL(&k->seat_at, &k->user_at);
	return k;
}

void check_cuts_free(struct check_cuts *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->ev->threads.n; i++)
		check_needs_release(&k->needs[i]);
	for (size_t i = 0; i < k->users.n; i++)
		VEC_RELEASE(&k->users.at[i].acquires);
	VEC_RELEASE_ALL(&k->users, &k->writes);
	MEM_FREE_ALL(k->limit, k->needs, k->users_of, k->writes_of, k);
}

/* ---- questions ---- */

static bool is_in(const struct check_cuts *k, const struct schedule *s, uint32_t pos)
{
	const struct evidence_item *it = evidence_item(k->ev, pos);

	return it->index < schedule_count(s, it->tid);
}

/* An acquire by the user later than pos is in. */
static bool user_passes(const struct user *u, uint32_t pos, const struct schedule *s)
{
	uint64_t count = schedule_count(s, u->tid);
	size_t past = SEARCH_PAST(i, 0, u->acquires.n, u->acquires.at[i].index < count);

	return past > 0 && u->acquires.at[past - 1].pos > pos;
}

/* No section that the thread has open at the cut was passed by another thread's. */
static bool open_holds(const struct check_cuts *k, uint32_t tid, const struct schedule *s)
{
	const struct evidence_thread *t = &k->ev->threads.at[tid];
	size_t past = SEARCH_PAST(i, 0, t->holds.n, t->holds.at[i].index < schedule_count(s, tid));

	for (uint32_t h = past ? t->holds.at[past - 1].held : 0; h; h = k->ev->held.at[h].below) {
		const struct evidence_held *held = &k->ev->held.at[h];

		for (uint32_t u = k->users_of[held->object]; u; u = k->users.at[u - 1].next)
			if (k->users.at[u - 1].tid != tid &&
			    user_passes(&k->users.at[u - 1], held->acquire, s))
				return false;
	}
	return true;
}

static bool cut_holds(const struct check_cuts *k, const struct schedule *s)
{
	for (uint32_t tid = 0; tid < s->count.n; tid++) {
		if (s->count.at[tid] == 0)
			continue;
		if (tid >= k->ev->threads.n || s->count.at[tid] > k->limit[tid] ||
		    !open_holds(k, tid, s) ||
		    !check_needs_hold(&k->needs[tid], s->count.at[tid], s))
			return false;
	}
	return true;
}

/* ---- the state after the cut, as far as the targets look ---- */

/* What the cell holds after the cut. */
static void cell_set(const struct check_cuts *k, struct checker *c, uint32_t cell,
		     const struct schedule *s)
{
	unsigned open = 0xff;

	if (c->last[cell] != 0)
		return; /* set already */
	for (uint32_t w = k->writes_of[cell]; w && open; w = k->writes.at[w - 1].before) {
		const struct written *x = &k->writes.at[w - 1];

		if (!(x->mask & open) || x->index >= schedule_count(s, x->tid))
			continue;
		if (c->last[cell] == 0)
			*VEC_PUSH(&c->cells) = cell;
		evidence_last_set(&c->lasts, &c->last[cell], x->mask & open, x->pos);
		open &= ~x->mask;
	}
}

static void target_set(const struct check_cuts *k, struct checker *c, uint32_t pos,
		       const struct schedule *s)
{
	const struct evidence_item *it = evidence_item(k->ev, pos);
	uint32_t fork = k->ev->threads.at[it->tid].fork;
	struct evidence_mixed m;

	if (fork != 0 && fork != EVIDENCE_NO_FORK && is_in(k, s, fork))
		c->when[fork] = 1;
	for (uint32_t i = 0; i < it->nwords; i++) {
		evidence_spread(k->ev, it, i, &m);
		for (unsigned b = 0; b < 8; b++)
			if (m.cell[b] != 0)
				cell_set(k, c, m.cell[b], s);
	}
}

static void target_clear(const struct check_cuts *k, struct checker *c, uint32_t pos)
{
	uint32_t fork = k->ev->threads.at[evidence_item(k->ev, pos)->tid].fork;

	if (fork != 0 && fork != EVIDENCE_NO_FORK)
		c->when[fork] = 0;
}

/* An access that is next in its thread. */
static bool target_fits(const struct check_cuts *k, const struct schedule *s, uint64_t pos)
{
	const struct evidence_item *it;

	if (pos == 0 || pos > evidence_count(k->ev))
		return false;
	it = evidence_item(k->ev, pos);
	return it->op <= EVENT_FREE && it->index == schedule_count(s, it->tid);
}

bool checker_run_cut(struct checker *c, const struct check_cuts *k, const struct check_claim *claim,
		     const struct schedule *s, struct check_verdict *out)
{
	bool holds = claim->kind == FINDING_RACE && claim->ntargets == 2 && s->tail.n == 0;

	for (uint32_t i = 0; i < 2 && holds; i++)
		holds = target_fits(k, s, claim->targets[i]);
	if (!holds || !cut_holds(k, s))
		return false;
	for (uint32_t tid = 0; tid < s->count.n && tid < k->ev->threads.n; tid++)
		c->threads[tid].done = (uint32_t)s->count.at[tid];
	for (uint32_t i = 0; i < 2; i++)
		target_set(k, c, (uint32_t)claim->targets[i], s);
	holds = check_targets(c, claim, out);
	for (uint32_t i = 0; i < 2; i++)
		target_clear(k, c, (uint32_t)claim->targets[i]);
	if (!holds)
		check_verdict_release(out);
	return holds;
}
