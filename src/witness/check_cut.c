/*
 * Many races, each after a cut of the recorded run in observed order, checked without walking it.
 *
 * A cut is so many first events of each thread.  In observed order every event of it finds what it
 * found in the recorded run if the cut has what the event depended on: the fork of its thread, all of
 * a thread it joined, the writes it saw, the making of its lock; and if no section that is open at
 * the cut was passed by a later one of its lock.  Then nothing differs, so nothing is tainted.
 *
 *	thread	T1  T2  T3		T2's first 40 events need 7 of T1: a step in a table
 *	cut	9   40  0		for T1 and T2, found by bisection
 *
 * Anything less plain (waits, semaphores, barriers, readers, tries, unknown writers ...) ends the
 * part of its thread that is judged here.  Such a cut is not refused, it has to be walked: the
 * answer is "yes" or "walk it".
 *
 * The tables of what the first events of each thread need are made in one look at the trace.
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
#include "witness/check_priv.h"

/* From event number `index' of a thread on. */
struct mark {
	uint32_t index, value;
};

/*
 * A row for each pair of numbers that have met, with marks whose indices and values ascend.
 *
 *	users	of a lock by a thread: its acquires; values are positions
 *	needs	of a thread of another: so many first events of that one
 */
struct row {
	uint32_t other; /* the second of the pair */
	uint32_t next;	/* with the same first; 1 + index in rows, 0 end */
	VEC(struct mark) marks;
};

struct table {
	uint32_t *first; /* by the first of the pair: 1 + index in rows, 0 none */
	VEC(struct row) rows;
	struct map row_at; /* first << 32 | second, to index in rows */
};

struct written {
	uint32_t pos;
	uint32_t tid, index; /* of that event, as in the evidence */
	uint32_t mask;	     /* bytes of the cell */
	uint32_t before;     /* of the same cell; 1 + index in writes, 0 end */
};

struct check_cuts {
	const struct evidence *ev;
	uint32_t *limit; /* by thread: so many events are plain */
	struct table users, needs;
	uint32_t *writes_of; /* by cell: the latest */
	VEC(struct written) writes;
};

/* A lock while the tables are made. */
struct lock {
	uint32_t owner, depth;
	bool destroyed;
};

static void mark_add(struct table *t, uint32_t of, uint32_t other, struct mark m)
{
	bool fresh;
	uint64_t *at = map_put(&t->row_at, (uint64_t)of << 32 | other, &fresh);
	struct row *r;

	if (fresh) {
		*at = t->rows.n;
		*VEC_PUSH(&t->rows) = (struct row){ .other = other, .next = t->first[of] };
		t->first[of] = (uint32_t)t->rows.n;
	}
	r = &t->rows.at[*at];
	if (r->marks.n == 0 || r->marks.at[r->marks.n - 1].value < m.value)
		*VEC_PUSH(&r->marks) = m;
}

/* What the row comes to in the first `count' events; 0 nothing. */
static uint32_t row_value(const struct row *r, uint64_t count)
{
	size_t past = SEARCH_PAST(i, 0, r->marks.n, r->marks.at[i].index < count);

	return past ? r->marks.at[past - 1].value : 0;
}

static void table_release(struct table *t)
{
	for (size_t i = 0; i < t->rows.n; i++)
		VEC_RELEASE(&t->rows.at[i].marks);
	VEC_RELEASE(&t->rows);
	map_release(&t->row_at);
	mem_free(t->first);
}

/* The event needs another one.  False: that came later. */
static bool need_event(struct check_cuts *k, uint32_t pos, uint32_t other)
{
	const struct evidence_item *it = evidence_item(k->ev, pos);
	const struct evidence_item *o = evidence_item(k->ev, other);

	if (other >= pos)
		return false;
	if (o->tid != it->tid)
		mark_add(&k->needs, it->tid, o->tid, (struct mark){ it->index, o->index + 1 });
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

struct noted {
	struct check_cuts *k;
	bool plain;
};

static void touch_note(void *noted, uint32_t pos, uint32_t cell, unsigned mask, uint32_t seen)
{
	struct noted *n = noted;
	struct check_cuts *k = n->k;
	const struct evidence_item *it = evidence_item(k->ev, pos);

	if ((it->op == EVENT_READ || it->op == EVENT_RMW) && seen != 0)
		n->plain &= need_event(k, pos, seen);
	if (it->op == EVENT_READ)
		return;
	*VEC_PUSH(&k->writes) =
		(struct written){ pos, it->tid, it->index, mask, k->writes_of[cell] };
	k->writes_of[cell] = (uint32_t)k->writes.n;
}

static bool access_note(struct check_cuts *k, uint32_t pos)
{
	struct noted n = { k, !(evidence_item(k->ev, pos)->flags & EVENT_UNKNOWN) };

	evidence_each_touched(k->ev, pos, touch_note, &n);
	return n.plain;
}

/* ---- locks ---- */

static void acquire_note(struct check_cuts *k, uint32_t pos)
{
	const struct evidence_item *it = evidence_item(k->ev, pos);

	mark_add(&k->users, it->object, it->tid, (struct mark){ it->index, pos });
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
	k->needs.first = mem_zalloc((ev->threads.n + 1) * sizeof(*k->needs.first));
	k->users.first = mem_zalloc((ev->objects.n + 1) * sizeof(*k->users.first));
	k->writes_of = mem_zalloc((ev->cells.n + 1) * sizeof(*k->writes_of));
	for (uint32_t pos = 1; pos <= evidence_count(ev); pos++) {
		const struct evidence_item *it = evidence_item(ev, pos);

		if (event_note(k, pos, locks) && k->limit[it->tid] == it->index)
			k->limit[it->tid]++;
	}
	mem_free(locks);
	MAP_RELEASE_ALL(&k->users.row_at, &k->needs.row_at);
	return k;
}

void check_cuts_free(struct check_cuts *k)
{
	if (!k)
		return;
	table_release(&k->users);
	table_release(&k->needs);
	VEC_RELEASE(&k->writes);
	MEM_FREE_ALL(k->limit, k->writes_of, k);
}

/* ---- questions ---- */

/* No section that the thread has open at the cut was passed by another thread's. */
static bool open_holds(const struct check_cuts *k, uint32_t tid, const struct schedule *s)
{
	const struct evidence_thread *t = &k->ev->threads.at[tid];
	size_t past = SEARCH_PAST(i, 0, t->holds.n, t->holds.at[i].index < schedule_count(s, tid));

	for (uint32_t h = past ? t->holds.at[past - 1].held : 0; h; h = k->ev->held.at[h].below) {
		const struct evidence_held *held = &k->ev->held.at[h];

		for (uint32_t i = k->users.first[held->object]; i;
		     i = k->users.rows.at[i - 1].next) {
			const struct row *r = &k->users.rows.at[i - 1];

			if (r->other != tid &&
			    row_value(r, schedule_count(s, r->other)) > held->acquire)
				return false;
		}
	}
	return true;
}

/* What the first events of the thread need of others is in. */
static bool needs_hold(const struct check_cuts *k, uint32_t tid, const struct schedule *s)
{
	for (uint32_t i = k->needs.first[tid]; i; i = k->needs.rows.at[i - 1].next) {
		const struct row *r = &k->needs.rows.at[i - 1];

		if (row_value(r, s->count.at[tid]) > schedule_count(s, r->other))
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
		    !open_holds(k, tid, s) || !needs_hold(k, tid, s))
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

	if (fork != 0 && fork != EVIDENCE_NO_FORK)
		c->when[fork] = evidence_item(k->ev, fork)->index <
				schedule_count(s, evidence_item(k->ev, fork)->tid);
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
