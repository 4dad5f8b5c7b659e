/*
 * Events into steps.
 *
 * The reference model is a table from kinds of events to kinds of steps (doc/SEMANTICS.md 1) over
 * exact identities: a byte of one lifetime of its memory, a lock between its init and its
 * destroy.  What makes it longer: bytes become cells that split (cells.c), threads become
 * chains (chains.c), and whatever the trace cannot vouch for must stop its thread.
 *
 * steps_next runs for every event of every analysis: no allocation, no copy of what engines do
 * not need, and for an access of one cell nothing but one step.
 */
#include "order/step.h"

#include "order/step_priv.h"
#include "trace/trace.h"

#define BATCH_STEPS 1024
#define BATCH_POOL (1u << 16)  /* cells or feeds */
#define BATCH_BYTES (1u << 20) /* values */
#define ACCESS_MAX (16u << 20) /* bytes followed of one access; recordings have at most half */
#define RANGES_MAX (1u << 20)  /* ranged reads of a thread that may still be named */

/* ---- life ---- */

struct steps *steps_new(struct trace *t, const struct step_options *opt)
{
	struct steps *s = mem_zalloc(sizeof(*s));

	s->trace = t;
	if (opt)
		s->opt = *opt;
	places_init(&s->places, t);
	bytes_init(&s->bytes_seen, t);
	VEC_RESERVE(&s->batch, BATCH_STEPS + 64);
	return s;
}

void steps_free(struct steps *s)
{
	if (!s)
		return;
	step_objects_release(s);
	for (size_t i = 0; i < s->threads.n; i++) {
		VEC_RELEASE_ALL(&s->threads.at[i].ranges, &s->threads.at[i].join_fails,
				&s->threads.at[i].debts);
	}
	VEC_RELEASE_ALL(&s->threads, &s->untracked, &s->channels_again, &s->batch, &s->feeds,
			&s->bytes, &s->tests);
	cells_release(&s->cells);
	freed_release(&s->freed);
	places_release(&s->places);
	bytes_release(&s->bytes_seen);
	chains_release(&s->chains);
	mem_free(s);
}

struct steps_counts steps_counts(const struct steps *s)
{
	return (struct steps_counts){ .strange = s->nstrange,
				      .given = s->bytes_seen.ngiven,
				      .variables = s->cells.count - s->nhidden,
				      .locks = s->nlocks };
}

const char *step_op_name(enum step_op op)
{
	static const char *const names[] = {
#define X(id, name) name,
		STEP_OPS(X)
#undef X
	};

	return op < STEP_NOPS ? names[op] : "?";
}

/* ---- parts of an event ---- */

void step_after(struct steps *s, uint64_t pos, uint32_t chain, unsigned flags)
{
	struct step *st = step_add(s, STEP_AFTER, flags);

	st->from = pos;
	st->obj = chain;
}

void step_guard(struct steps *s, uint64_t when, uint64_t from, uint32_t chain, uint64_t to,
		unsigned flags)
{
	struct step *st = step_add(s, STEP_GUARD, flags);

	st->when = when;
	st->from = from;
	st->obj = chain;
	st->to = to;
}

struct step_thread *step_thread(struct steps *s, uint32_t tid)
{
	VEC_REACH(&s->threads, tid);
	return &s->threads.at[tid];
}

/* ---- feeds, by the numbers that steps have ----
 *
 * A ranged read has a number for each of its words, and the reader may yield it in pieces.  A feed
 * names one of those numbers, or for a copy the first one and means them all; steps name
 * the number that the read's step carries.
 */

static void range_note(struct steps *s, const struct event *e)
{
	struct step_thread *t = step_thread(s, e->tid);
	bool more = t->ranges.n != 0 && t->range_end == e->tseq;

	if (t->ranges.n == RANGES_MAX) {
		VEC_CUT(&t->ranges, 0, RANGES_MAX / 2);
		t->ranges_dropped = t->ranges.at[0].tseq;
	}
	*VEC_PUSH(&t->ranges) = (struct step_range){ e->tseq, e->nrefs, more };
	t->range_end = e->tseq + e->nrefs;
}

static void feed_add(struct steps *s, size_t start, uint64_t tseq)
{
	if (s->feeds.n == start || s->feeds.at[s->feeds.n - 1] != tseq)
		*VEC_PUSH(&s->feeds) = tseq;
}

/* False: what it names is not known any more. */
static bool feed_resolve(struct steps *s, const struct event *e, size_t start, uint64_t tseq)
{
	const struct step_thread *t = step_thread(s, e->tid);
	size_t past;

	if (tseq < t->ranges_dropped)
		return false;
	past = SEARCH_PAST(i, 0, t->ranges.n, t->ranges.at[i].tseq <= tseq);
	if (past == 0 || tseq - t->ranges.at[past - 1].tseq >= t->ranges.at[past - 1].n) {
		feed_add(s, start, tseq);
		return true;
	}
	feed_add(s, start, t->ranges.at[past - 1].tseq);
	for (; (e->flags & EVENT_COPY) && past < t->ranges.n && t->ranges.at[past].more; past++)
		feed_add(s, start, t->ranges.at[past].tseq);
	return true;
}

/* Feeds of e into st; it stops when one of them is not known any more. */
static void feeds_take(struct steps *s, const struct event *e, struct step *st)
{
	size_t start = s->feeds.n;
	bool known = true;

	for (uint32_t i = 0; i < e->nfeeds; i++) {
		if (e->tid < s->threads.n && e->feeds[i] < s->threads.at[e->tid].range_end)
			known &= feed_resolve(s, e, start, e->feeds[i]);
		else
			feed_add(s, start, e->feeds[i]);
	}
	st->feeds = (uint32_t)start;
	st->nfeeds = (uint32_t)(s->feeds.n - start);
	st->flags |= known ? 0 : STEP_STOP;
}

/* The use decides by all of what feed i read: some feed is the same, and has no test. */
static bool is_used_whole(const struct event *e, uint32_t i)
{
	for (uint32_t k = 0; k < e->nfeeds; k++) {
		uint32_t tests = 0;

		for (uint32_t j = 0; j < e->ntests; j++)
			tests += e->tests[j].feed == k;
		if (tests == 0 && e->feeds[k] == e->feeds[i])
			return true;
	}
	return false;
}

static void tests_take(struct steps *s, const struct event *e, struct step *st)
{
	st->tests = (uint32_t)s->tests.n;
	for (uint32_t i = 0; i < e->ntests; i++) {
		const struct predicate *p = &e->tests[i];

		if (e->op != EVENT_USE || (p->feed < e->nfeeds && !is_used_whole(e, p->feed)))
			*VEC_PUSH(&s->tests) = (struct step_test){
				e->op == EVENT_USE ? e->feeds[p->feed] : e->tseq, *p
			};
	}
	st->ntests = (uint32_t)(s->tests.n - st->tests);
}

static void use_event(struct steps *s, const struct event *e)
{
	struct step *st = step_add(s, STEP_USE, 0);

	feeds_take(s, e, st);
	tests_take(s, e, st);
}

/* ---- accesses ---- */

static void value_add(struct steps *s, const struct event *e, struct step *st)
{
	if (!e->value || (e->op == EVENT_RMW && !e->old))
		return;
	st->value = (uint32_t)s->bytes.n + 1;
	if (e->op == EVENT_RMW)
		VEC_APPEND(&s->bytes, e->old, st->len);
	VEC_APPEND(&s->bytes, e->value, st->len);
}

/* Acquire and release by C11 memory order; what is no order is taken for the strongest. */
static unsigned order_flags(const struct event *e)
{
	static const uint8_t sides[] = { 0,
					 STEP_ACQUIRE,
					 STEP_ACQUIRE,
					 STEP_RELEASE,
					 STEP_ACQUIRE | STEP_RELEASE,
					 STEP_ACQUIRE | STEP_RELEASE };
	unsigned flags = e->order < sizeof(sides) ? sides[e->order] : STEP_ACQUIRE | STEP_RELEASE;

	if (e->op == EVENT_READ)
		flags &= ~STEP_RELEASE;
	if (e->op == EVENT_WRITE)
		flags &= ~STEP_ACQUIRE;
	return flags;
}

static unsigned access_flags(struct steps *s, const struct event *e)
{
	bool reads = e->op != EVENT_WRITE;
	bool is_marked = reads && (e->flags & (EVENT_FREE_READ | EVENT_REREAD)) == EVENT_FREE_READ;
	bool is_free = is_marked && e->ntests == 0;
	unsigned flags = is_free ? STEP_FREE_READ : 0;

	if (e->op == EVENT_READ && is_marked && !is_free)
		flags |= STEP_ASKED;
	if (e->flags & EVENT_ATOMIC)
		flags |= STEP_ATOMIC | order_flags(e);
	else if (e->op == EVENT_RMW) /* text need not give an order */
		flags |= STEP_ATOMIC | STEP_ACQUIRE | STEP_RELEASE;
	if (e->flags & EVENT_REREAD)
		flags |= STEP_SHADOW;
	if (reads && ((e->flags & EVENT_LOOKS) || (e->op == EVENT_READ && (e->flags & EVENT_CAS))))
		flags |= STEP_LOOKS;
	if (reads && ((e->flags & EVENT_UNKNOWN) || s->strange)) {
		if (is_free && e->op == EVENT_READ) {
			flags |= STEP_TAINTED;
		} else if ((e->flags & EVENT_UNKNOWN) || !s->opt.trusting) {
			flags |= STEP_STOP;
			s->nstrange += s->strange;
		}
	}
	return flags;
}

static bool is_untracked(const struct steps *s, uint64_t addr, uint64_t len)
{
	for (size_t i = 0; i < s->untracked.n; i++)
		if (addr <= s->untracked.at[i].last && addr + len - 1 >= s->untracked.at[i].addr)
			return true;
	return false;
}

/* Nothing is known from here on of the bytes that an overlong access touched past the limit. */
static void untracked_add(struct steps *s, const struct event *e)
{
	struct step_span span = { e->addr + ACCESS_MAX, e->addr + e->len - 1 };

	if (!is_untracked(s, span.addr, 1) || !is_untracked(s, span.last, 1))
		*VEC_PUSH(&s->untracked) = span;
}

static void access_event(struct steps *s, const struct event *e)
{
	static const uint8_t ops[] = {
		[EVENT_READ] = STEP_READ, [EVENT_WRITE] = STEP_WRITE, [EVENT_RMW] = STEP_RMW
	};
	unsigned flags = access_flags(s, e);
	size_t cells = s->cells.ids.n;
	uint64_t len = e->len;
	uint32_t one = 0, n;
	struct step *st;

	if (len == 0 || len - 1 > UINT64_MAX - e->addr) {
		step_add(s, STEP_NONE, len == 0 ? 0 : STEP_STOP);
		return;
	}
	if (len > ACCESS_MAX) {
		untracked_add(s, e);
		len = ACCESS_MAX;
		flags |= STEP_STOP;
	}
	if (s->untracked.n != 0 && is_untracked(s, e->addr, len))
		flags |= STEP_STOP;
	n = cells_touch(&s->cells, e->addr, len, &one);
	if (s->cells.splits.n != 0 || s->cells.fresh.n != 0)
		step_splits_add(s);
	st = step_add(s, ops[e->op], flags);
	st->addr = e->addr;
	st->len = (uint32_t)len;
	st->obj = one;
	st->ncells = n;
	st->cells = (uint32_t)cells;
	if (s->opt.values && (e->flags & EVENT_HAS_VALUE))
		value_add(s, e, st);
	if (e->nfeeds != 0)
		feeds_take(s, e, st);
	if (e->ntests != 0)
		tests_take(s, e, st);
	if (e->op == EVENT_READ && (e->flags & EVENT_RANGE))
		range_note(s, e);
}

/* ---- threads ---- */

static void thread_event(struct steps *s, const struct event *e)
{
	uint32_t chain = CHAINS_NONE;
	struct step *st;

	if (e->op == EVENT_FORK)
		chain = chains_fork(&s->chains, e->tid, e->peer);
	else if (e->op == EVENT_JOIN)
		chain = chains_join(&s->chains, e->tid, e->peer);
	else if (e->op == EVENT_JOINING)
		chain = chains_of(&s->chains, e->peer);
	else if (e->op == EVENT_FORK_FAIL)
		chains_fork_failed(&s->chains, e->tid, e->peer);
	if (chain == CHAINS_NONE) {
		step_add(s, STEP_NONE, 0);
		return;
	}
	st = step_add(s,
		      e->op == EVENT_FORK   ? STEP_FORK
		      : e->op == EVENT_JOIN ? STEP_JOIN
					    : STEP_JOINING,
		      e->flags & EVENT_TRY ? STEP_TRY : 0);
	st->obj = chain;
	st->other = e->peer;
}

/* It was in vain because the other had not ended; so, where this one is part of a reordering, does
 * the end come later.  What was logged as ended may not have been gone yet. */
static void join_failed(struct steps *s, const struct event *e)
{
	struct step_thread *t = step_thread(s, e->peer);
	bool known = !(e->flags & EVENT_REFUSED) && !t->ended && t->join_fails.n < JOIN_FAILS_MAX;

	if (known)
		*VEC_PUSH(&t->join_fails) = (struct step_point){ s->base.chain, e->pos };
	step_add(s, STEP_NONE, known ? 0 : STEP_STOP);
}

static void thread_ends(struct steps *s, const struct event *e)
{
	struct step_thread *t = step_thread(s, e->tid);

	step_add(s, STEP_NONE, STEP_LAST);
	for (size_t i = 0; i < t->join_fails.n; i++)
		step_guard(s, t->join_fails.at[i].pos, t->join_fails.at[i].pos,
			   t->join_fails.at[i].chain, e->pos, 0);
	VEC_CLEAR(&t->join_fails);
	t->ended = true;
}

/* ---- all ---- */

static void object_event(struct steps *s, const struct event *e)
{
	static void (*const turns[])(struct steps *, const struct event *) = {
		[EVENT_OBJECT_LOCK] = step_lock_event,
		[EVENT_OBJECT_CONDITION] = step_cond_event,
		[EVENT_OBJECT_BARRIER] = step_barrier_event,
		[EVENT_OBJECT_SEMAPHORE] = step_sem_event,
		[EVENT_OBJECT_ONCE] = step_once_event,
		[EVENT_OBJECT_CHANNEL] = step_channel_event,
	};
	enum event_object object = event_op_object(e->op);
	unsigned life = event_op_life(e->op);

	assert(object < sizeof(turns) / sizeof(*turns) && turns[object]);
	if (life & EVENT_LIFE_MAKES)
		step_object_make(s, e);
	else if ((life & EVENT_LIFE_ENDS) && object != EVENT_OBJECT_LOCK)
		step_object_destroy(s, e);
	else
		turns[object](s, e);
}

static void event_turn(struct steps *s, const struct event *e)
{
	switch ((enum event_op)e->op) {
	case EVENT_READ:
	case EVENT_WRITE:
	case EVENT_RMW:
		access_event(s, e);
		break;
	case EVENT_FREE:
		step_free_event(s, e);
		break;
	case EVENT_ALLOC:
	case EVENT_THREAD_BEGIN:
		step_fresh_event(s, e);
		break;
	case EVENT_FORK:
	case EVENT_FORK_FAIL:
	case EVENT_JOIN:
	case EVENT_JOINING:
		thread_event(s, e);
		break;
	case EVENT_FENCE:
		step_add(s, STEP_FENCE, order_flags(e));
		break;
	case EVENT_USE:
		use_event(s, e);
		break;
	case EVENT_OPAQUE:
		step_add(s, STEP_OPAQUE, 0);
		break;
	case EVENT_BEGIN:
		step_add(s, STEP_BEGIN, 0);
		break;
	case EVENT_END:
		step_add(s, STEP_END, 0);
		break;
	case EVENT_JOIN_FAIL:
		join_failed(s, e);
		break;
	case EVENT_THREAD_END:
		thread_ends(s, e);
		break;
	case EVENT_DETACH:
	case EVENT_SEM_REQ: /* what came of it is its own event */
	case EVENT_CANCEL:
	case EVENT_USER:
	case EVENT_ENTER:
	case EVENT_LEAVE:
	case EVENT_NOPS:
		step_add(s, STEP_NONE, 0);
		break;
	default:
		object_event(s, e);
	}
}

static void event_take(struct steps *s, const struct event *e)
{
	bool lost = false;
	size_t before = s->batch.n, debts = 0;

	s->base.pos = e->pos;
	s->base.tseq = e->tseq;
	s->base.tid = e->tid;
	s->base.site = places_of(&s->places, e->site);
	s->base.stack = e->stack;
	s->base.chain = chains_run(&s->chains, e->tid, &lost);
	if (s->ndebtors != 0)
		debts = step_debts_take(s, e->tid, &lost);
	s->next_flag = lost ? STEP_STOP : 0;
	s->strange = bytes_event(&s->bytes_seen, e);
	if (e->flags & EVENT_LEFT)
		step_note(s, STEP_LEFT, 0);
	if (e->flags & EVENT_ENTERED)
		step_note(s, STEP_ENTERED, 0);
	event_turn(s, e);
	if (debts != 0)
		step_debts_pay(s, e->tid, debts);
	assert(s->batch.n > before && s->next_flag == STEP_MORE);
}

/* A block may have had more cells than a batch should have steps. */
static bool drops_add(struct steps *s)
{
	while (s->ndropped < s->cells.dropped.n && s->batch.n < BATCH_STEPS) {
		uint32_t cell = s->cells.dropped.at[s->ndropped++];

		step_note(s, STEP_DROP, cell);
		if (s->opt.recycle)
			cells_recycle(&s->cells, cell);
	}
	if (s->ndropped < s->cells.dropped.n)
		return false;
	VEC_CLEAR(&s->cells.dropped);
	s->ndropped = 0;
	return true;
}

static bool batch_has_room(const struct steps *s)
{
	return s->batch.n < BATCH_STEPS && s->cells.ids.n < BATCH_POOL && s->feeds.n < BATCH_POOL &&
	       s->bytes.n < BATCH_BYTES;
}

enum status steps_next(struct steps *s, struct step_batch *out, struct diag *d)
{
	struct event e;

	VEC_CLEAR(&s->batch);
	VEC_CLEAR(&s->cells.ids);
	VEC_CLEAR(&s->feeds);
	VEC_CLEAR(&s->bytes);
	VEC_CLEAR(&s->tests);
	if (s->ended == ST_AGAIN)
		s->ended = ST_OK;
	while (drops_add(s) && s->ended == ST_OK && batch_has_room(s)) {
		s->ended = trace_next(s->trace, &e, &s->why);
		if (s->ended != ST_OK)
			break;
		if (s->opt.see)
			s->opt.see(s->opt.see_arg, s->trace, &e);
		event_take(s, &e);
	}
	if (s->batch.n == 0) {
		assert(s->ended != ST_OK);
		if (s->ended != ST_END && s->ended != ST_AGAIN)
			diag_set(d, "%s", s->why.message);
		return s->ended;
	}
	*out = (struct step_batch){
		.at = s->batch.at,
		.n = s->batch.n,
		.cells = s->cells.ids.at,
		.feeds = s->feeds.at,
		.bytes = s->bytes.at,
		.tests = s->tests.at,
	};
	return ST_OK;
}
