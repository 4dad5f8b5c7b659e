/*
 * The part of a thread in an order is a beginning of it, so events of the order are told by their
 * positions alone: these are sorted, and met one after the other.
 */
#include "replay/collect.h"

#include "base/spans.h"
#include "capture/hooks.h"
#include "replay/beyond.h"
#include "replay/draft.h"
#include "replay/identity.h"
#include "replay/tape.h"
#include "replay/pieces.h"
#include "replay/plan.h"
#include "trace/trace.h"

/* An event that is asked for, as one number: its position, which the checker has held in memory, so it is
 * below 2^31; and its rank in the order, or TARGET. */
#define WANTED(pos, rank) ((pos) << 32 | (rank))
#define TARGET UINT32_MAX

static uint64_t wanted_pos(uint64_t wanted)
{
	return wanted >> 32;
}

/* Of a thread of the trace. */
struct origin {
	bool seen, forked;
	uint32_t thread; /* in the draft, + 1 */
	int32_t maker;
	uint32_t ordinal;
};

struct collector {
	struct trace *trace;
	const struct tape *tape; /* its events; NULL: they are read from it */
	size_t nread;		 /* of those */
	struct draft *out;
	struct diag *diag;
	VEC(uint64_t) wanted; /* ascending */
	size_t next;	      /* of those */
	size_t norder;
	VEC(struct origin) origins; /* by tid */
	VEC(struct pieces) pieces;  /* by thread of the draft */
	VEC(uint64_t) keys;	    /* of sites, + 1 */
	struct map signals;	    /* thread and number: the event */
	struct spans lives;
	uint32_t nlives, nadopted;
	uint32_t open; /* threads of which the event after their part is asked for */
};

/* ---- what is wanted ---- */

static bool is_target(const struct plan_ask *ask, uint64_t pos)
{
	for (uint32_t i = 0; i < ask->ntargets; i++)
		if (ask->targets[i] == pos)
			return true;
	return false;
}

/* One that the order has does not stand at the point. */
static void want_target(struct collector *c, uint64_t pos)
{
	size_t at = SEARCH_PAST(i, 0, c->wanted.n, wanted_pos(c->wanted.at[i]) < pos);

	if (at < c->wanted.n && wanted_pos(c->wanted.at[at]) == pos &&
	    (uint32_t)c->wanted.at[at] != TARGET)
		return;
	(void)VEC_PUSH(&c->wanted);
	memmove(c->wanted.at + at + 1, c->wanted.at + at,
		(c->wanted.n - 1 - at) * sizeof(*c->wanted.at));
	c->wanted.at[at] = WANTED(pos, TARGET);
}

static enum status want(struct collector *c, const struct plan_ask *ask)
{
	size_t n = ask->norder;

	while (ask->kind == FINDING_RACE && n > 0 && is_target(ask, ask->order[n - 1]))
		n--;
	c->norder = n;
	if (n >= DRAFT_MOST) {
		diag_set(c->diag, "an order of %zu events is too long to be replayed", n);
		return ST_LIMIT;
	}
	for (size_t i = 0; i < n; i++)
		*VEC_PUSH(&c->wanted) = WANTED(ask->order[i], i);
	sort_u64(c->wanted.at, n);
	for (uint32_t i = 0; i < ask->ntargets; i++)
		want_target(c, ask->targets[i]);
	for (size_t i = 1; i < c->wanted.n; i++)
		if (wanted_pos(c->wanted.at[i]) == wanted_pos(c->wanted.at[i - 1])) {
			diag_set(c->diag, "event %" PRIu64 " comes twice in the order",
				 wanted_pos(c->wanted.at[i]));
			return ST_BAD_INPUT;
		}
	return ST_OK;
}

/* ---- threads ---- */

static struct origin *origin_of(struct collector *c, uint32_t tid)
{
	VEC_REACH(&c->origins, tid);
	return &c->origins.at[tid];
}

/* A thread that comes without having been made: the first one, or one of unseen code. */
static void origin_see(struct collector *c, uint32_t tid)
{
	struct origin *o = origin_of(c, tid);

	if (o->seen)
		return;
	o->seen = true;
	if (o->forked)
		return;
	o->maker = tid == 1 ? PLAN_FIRST : PLAN_ADOPTED;
	o->ordinal = tid == 1 ? 0 : c->nadopted++;
}

static uint32_t thread_of(struct collector *c, uint32_t tid)
{
	struct origin *o = origin_of(c, tid);
	struct draft_thread *t;

	if (o->thread != 0)
		return o->thread - 1;
	t = VEC_PUSH(&c->out->threads);
	*t = (struct draft_thread){ .tid = tid,
				    .maker = o->maker,
				    .ordinal = o->ordinal,
				    .first = DRAFT_NONE,
				    .last = DRAFT_NONE,
				    .target = DRAFT_NONE,
				    .fork = DRAFT_NONE };
	o->thread = (uint32_t)c->out->threads.n;
	VEC_REACH(&c->pieces, o->thread - 1);
	return o->thread - 1;
}

/* A FORK, which comes before all of the other thread.  One that failed is counted like others. */
static void forked(struct collector *c, const struct event *e, uint32_t item)
{
	uint32_t maker = c->out->items.at[item].thread, child;
	struct draft_thread *t;

	origin_of(c, e->peer)->forked = true;
	child = thread_of(c, e->peer);
	t = &c->out->threads.at[child];
	t->maker = (int32_t)maker;
	t->ordinal = c->out->threads.at[maker].nforks++;
	t->fork = item;
	c->out->items.at[item].peer = child;
}

/* ---- events ---- */

/* In keys: the site is of an atomic access of two words. */
#define WIDE (UINT64_C(1) << 40)

static uint64_t site_of(struct collector *c, uint32_t site)
{
	struct trace_site p;
	uint64_t found = 0;

	if (site == 0)
		return 0;
	VEC_REACH(&c->keys, site);
	if (c->keys.at[site] != 0)
		return c->keys.at[site] - 1;
	if (trace_site(c->trace, site, &p)) {
		found = plan_key(p.file, p.function, p.line, p.column, p.kind);
		if (p.kind == FORESEE_SITE_ATOMIC && p.size > 8)
			found |= WIDE;
	}
	c->keys.at[site] = found + 1;
	return found;
}

static uint64_t signal_key(uint32_t tid, uint64_t tseq)
{
	return (uint64_t)tid << 40 ^ tseq;
}

static uint32_t life_of(const struct collector *c, uint64_t addr)
{
	const struct span *s = spans_find(&c->lives, addr);

	return s != NULL ? s->number : 0;
}

static void value_take(struct draft_item *it, const struct event *e)
{
	if (!(e->flags & EVENT_HAS_VALUE) || e->value == NULL || e->len > 8)
		return;
	memcpy(&it->value, e->value, e->len);
	it->has_value = true;
}

/* What it has to do with others. */
static void relate(struct collector *c, const struct event *e, uint32_t item)
{
	struct draft_item *it = &c->out->items.at[item];
	const uint64_t *signal;
	uint32_t thread;

	switch (e->op) {
	case EVENT_FORK:
		forked(c, e, item);
		break;
	case EVENT_FORK_FAIL:
		thread = thread_of(c, e->peer);
		c->out->threads.at[thread].failed = true;
		break;
	case EVENT_JOIN:
		it->peer = e->peer != 0 ? thread_of(c, e->peer) : DRAFT_NONE;
		break;
	case EVENT_JOIN_FAIL:
		it->peer = e->peer;
		break;
	case EVENT_SIGNAL:
	case EVENT_BROADCAST:
		*map_put(&c->signals, signal_key(e->tid, e->tseq), NULL) = item;
		break;
	case EVENT_WAKE:
		signal = e->peer != 0 ? map_get(&c->signals, signal_key(e->peer, e->peer_tseq))
				      : NULL;
		it->peer = signal != NULL ? (uint32_t)*signal : DRAFT_NONE;
		break;
	case EVENT_THREAD_END:
		c->out->threads.at[it->thread].ends = true;
		break;
	default:
		break;
	}
}

static void link_up(struct draft *out, uint32_t item)
{
	struct draft_item *it = &out->items.at[item];
	struct draft_thread *t = &out->threads.at[it->thread];

	it->number = t->events;
	if (it->target)
		t->target = item;
	else
		t->events++;
	t->reading = (t->reading || it->op == EVENT_READ) && !identity_ends_epoch(it);
	if (t->last != DRAFT_NONE)
		out->items.at[t->last].next = item;
	else
		t->first = item;
	t->last = item;
}

static struct draft_item item_make(struct collector *c, const struct event *e, uint32_t thread)
{
	struct draft_item it = { .pos = e->pos,
				 .tseq = e->tseq,
				 .addr = e->addr,
				 .len = e->len,
				 .flags = e->flags,
				 .thread = thread,
				 .next = DRAFT_NONE,
				 .site = e->site,
				 .key = (uint32_t)site_of(c, e->site),
				 .life = life_of(c, e->addr),
				 .peer = DRAFT_NONE,
				 .head = DRAFT_NONE,
				 .arg = (uint32_t)e->arg,
				 .op = e->op,
				 .order = e->order,
				 .kind = e->lock_kind,
				 .class = identity_class(e->op, e->flags, e->addr, e->len),
				 .gate = DRAFT_NONE };

	/* The runtime has no gate there, and counts none of them. */
	if (site_of(c, e->site) & WIDE)
		it.class = PLAN_NONE;
	value_take(&it, e);
	return it;
}

static uint32_t item_add(struct collector *c, const struct event *e, uint32_t rank)
{
	uint32_t item = (uint32_t)c->out->items.n, thread = thread_of(c, e->tid);
	struct draft_item *it = VEC_PUSH(&c->out->items);

	*it = item_make(c, e, thread);
	it->rank = rank == TARGET ? (uint32_t)c->norder : rank;
	it->target = rank == TARGET;
	it->head = item;
	if (it->class == PLAN_RANGE || it->class == PLAN_FREE)
		it->head = pieces_head(&c->pieces.at[thread], e, item);
	link_up(c->out, item);
	relate(c, e, item);
	return item;
}

static bool is_request(uint8_t op)
{
	return op == EVENT_REQ || op == EVENT_RREQ || op == EVENT_SEM_REQ || op == EVENT_COND_REQ ||
	       op == EVENT_JOINING;
}

static enum status target_check(struct collector *c, uint32_t item)
{
	struct draft_item *it = &c->out->items.at[item];

	if (is_request(it->op))
		it->class = PLAN_SOLID;
	if (it->class != PLAN_NONE)
		return ST_OK;
	diag_set(c->diag, "event %" PRIu64 " (%s) cannot be stopped at%s", it->pos,
		 event_op_name(it->op),
		 site_of(c, it->site) & WIDE ? ": it is an atomic access of 16 bytes" : "");
	return ST_BAD_INPUT;
}

static enum status take(struct collector *c, const struct event *e, uint32_t rank)
{
	uint32_t thread = thread_of(c, e->tid), item;
	const struct draft_thread *t = &c->out->threads.at[thread];

	if (t->past || t->target != DRAFT_NONE) {
		diag_set(c->diag,
			 "event %" PRIu64
			 " is in the order, and one of its thread before it is not",
			 e->pos);
		return ST_BAD_INPUT;
	}
	if (t->fork == DRAFT_NONE && t->maker >= 0) {
		diag_set(c->diag,
			 "event %" PRIu64 " is in the order, and the making of its thread is not",
			 e->pos);
		return ST_BAD_INPUT;
	}
	item = item_add(c, e, rank);
	return rank == TARGET ? target_check(c, item) : ST_OK;
}

static bool is_wait(const struct draft_item *it)
{
	return it->op == EVENT_REL && (it->flags & EVENT_IN_WAIT) && !it->target;
}

/* An event that is not asked for. */
static void pass_by(struct collector *c, const struct event *e)
{
	struct origin *o = origin_of(c, e->tid);
	struct draft_thread *t = o->thread != 0 ? &c->out->threads.at[o->thread - 1] : NULL;
	struct draft_item it;
	uint32_t release, park;

	if (e->op == EVENT_FORK)
		origin_of(c, e->peer)->forked = true;
	if (t == NULL || t->last == DRAFT_NONE || (t->past && !t->awaited && t->closed))
		return;
	release = t->last;
	if (!t->past && e->op == EVENT_PARK && is_wait(&c->out->items.at[release])) {
		/* A wait that has begun has begun: its release and its park are one call. */
		park = item_add(c, e, c->out->items.at[release].rank);
		c->out->items.at[park].extra = true;
		c->out->items.at[release].peer = park;
		t = &c->out->threads.at[o->thread - 1];
	} else {
		it = item_make(c, e, o->thread - 1);
		beyond_see(t, &it);
	}
	if (t->awaited && beyond_is_known(t, &c->out->items.at[t->last])) {
		t->awaited = false;
		c->open--;
	}
}

static void live(struct collector *c, const struct event *e)
{
	if (e->op == EVENT_ALLOC && e->len != 0 && e->addr + e->len > e->addr)
		spans_put(&c->lives,
			  (struct span){ .addr = e->addr, .len = e->len, .number = ++c->nlives });
}

/* All that is wanted is there. */
static void await_more(struct collector *c)
{
	for (size_t i = 0; i < c->out->threads.n; i++) {
		struct draft_thread *t = &c->out->threads.at[i];

		t->awaited =
			t->last != DRAFT_NONE && !beyond_is_known(t, &c->out->items.at[t->last]);
		c->open += t->awaited;
	}
}

static enum status read_next(struct collector *c, struct event *e)
{
	if (!c->tape)
		return trace_next(c->trace, e, c->diag);
	return tape_get(c->tape, c->nread++, e) ? ST_OK : ST_END;
}

static enum status read_all(struct collector *c)
{
	enum status st = ST_OK;
	struct event e;

	while (c->next < c->wanted.n || c->open > 0) {
		st = read_next(c, &e);
		if (st != ST_OK)
			break;
		origin_see(c, e.tid);
		live(c, &e);
		if (c->next == c->wanted.n || wanted_pos(c->wanted.at[c->next]) != e.pos) {
			pass_by(c, &e);
			continue;
		}
		st = take(c, &e, (uint32_t)c->wanted.at[c->next]);
		if (st != ST_OK)
			return st;
		if (++c->next == c->wanted.n)
			await_more(c);
	}
	if (st != ST_OK && st != ST_END)
		return st;
	if (c->next < c->wanted.n) {
		diag_set(c->diag, "the trace has no event %" PRIu64,
			 wanted_pos(c->wanted.at[c->next]));
		return ST_BAD_INPUT;
	}
	return ST_OK;
}

/* The order, by events; with parks that were left out. */
static void line_up(struct draft *out, size_t norder)
{
	VEC(uint32_t) at = { 0 };

	if (norder > 0)
		VEC_REACH(&at, norder - 1);
	for (uint32_t i = 0; i < out->items.n; i++)
		if (!out->items.at[i].target && !out->items.at[i].extra)
			at.at[out->items.at[i].rank] = i;
	for (size_t k = 0; k < norder; k++) {
		const struct draft_item *it = &out->items.at[at.at[k]];

		*VEC_PUSH(&out->order) = at.at[k];
		if (it->op == EVENT_REL && it->peer != DRAFT_NONE)
			*VEC_PUSH(&out->order) = it->peer;
	}
	VEC_RELEASE(&at);
}

enum status collect_events(struct trace *t, const struct plan_ask *ask, struct draft *out,
			   struct diag *d)
{
	struct collector c = { .trace = t, .tape = ask->tape, .out = out, .diag = d };
	enum status st;

	spans_init(&c.lives);
	st = want(&c, ask);
	if (st == ST_OK)
		st = read_all(&c);
	if (st == ST_OK)
		line_up(out, c.norder);
	map_release(&c.signals);
	spans_release(&c.lives);
	VEC_RELEASE_ALL(&c.wanted, &c.origins, &c.pieces, &c.keys);
	return st;
}
