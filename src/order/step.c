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
			&s->bytes);
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

/* ---- accesses ---- */

static void value_add(struct steps *s, const struct event *e, struct step *st)
{
	const size_t n = st->len;
	uint8_t *at;

	if (!e->value || (e->op == EVENT_RMW && !e->old))
		return;
	VEC_RESERVE(&s->bytes, s->bytes.n + 2 * n);
	at = s->bytes.at + s->bytes.n;
	st->value = (uint32_t)s->bytes.n + 1;
	if (e->op == EVENT_RMW) {
		memcpy(at, e->old, n);
		at += n;
		s->bytes.n += n;
	}
	memcpy(at, e->value, n);
	s->bytes.n += n;
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
	bool is_free = reads && (e->flags & (EVENT_FREE_READ | EVENT_REREAD)) == EVENT_FREE_READ;
	unsigned flags = is_free ? STEP_FREE_READ : 0;

	if (e->flags & EVENT_ATOMIC)
		flags |= STEP_ATOMIC | order_flags(e);
	else if (e->op == EVENT_RMW) /* text need not give an order */
		flags |= STEP_ATOMIC | STEP_ACQUIRE | STEP_RELEASE;
	if (e->flags & EVENT_REREAD)
		flags |= STEP_SHADOW;
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
		step_feeds_add(s, e, st);
	if (e->op == EVENT_READ && (e->flags & EVENT_RANGE))
		step_range_note(s, e);
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
	case EVENT_LOCK_INIT:
	case EVENT_COND_INIT:
	case EVENT_BAR_INIT:
	case EVENT_SEM_INIT:
		step_object_make(s, e);
		break;
	case EVENT_COND_DESTROY:
	case EVENT_BAR_DESTROY:
	case EVENT_SEM_DESTROY:
		step_object_destroy(s, e);
		break;
	case EVENT_ACQ:
	case EVENT_REL:
	case EVENT_RACQ:
	case EVENT_RREL:
	case EVENT_TRYFAIL:
	case EVENT_REQ:
	case EVENT_RREQ:
	case EVENT_LOCK_DESTROY:
		step_lock_event(s, e);
		break;
	case EVENT_COND_REQ:
	case EVENT_PARK:
	case EVENT_WAKE:
	case EVENT_SIGNAL:
	case EVENT_BROADCAST:
		step_cond_event(s, e);
		break;
	case EVENT_BAR_IN:
	case EVENT_BAR_OUT:
		step_barrier_event(s, e);
		break;
	case EVENT_SEM_POST:
	case EVENT_SEM_WAIT:
	case EVENT_SEM_FAIL:
		step_sem_event(s, e);
		break;
	case EVENT_ONCE_BEGIN:
	case EVENT_ONCE_END:
	case EVENT_ONCE_PASS:
		step_once_event(s, e);
		break;
	case EVENT_GIVE:
	case EVENT_TAKE:
		step_channel_event(s, e);
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
		step_feeds_add(s, e, step_add(s, STEP_USE, 0));
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
	case EVENT_NOPS:
		step_add(s, STEP_NONE, 0);
		break;
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
	};
	return ST_OK;
}
