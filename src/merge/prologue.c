/*
 * The prologue of a trace that begins in the middle.
 *
 * The past is a downward-closed part of the run (merge/merge_past.c), so what is left is the trace of
 * a program that starts in the state the past has left.  Of that state events cannot know:
 *
 *	threads run				THREAD_BEGIN
 *	a thread holds a lock			ACQ, RACQ; found by its REL, or somebody else's
 *	a thread waits for a condition		PARK; it was the thread's last event, or its WAKE shows
 *	a thread is in a barrier		BAR_IN; found by its BAR_OUT
 *	a once has been run			ONCE_END; found by an ONCE_PASS
 *	a thread has ended, is joined later	THREAD_BEGIN, THREAD_END
 *	a thread runs code that is not seen	OPAQUE
 *	a thread was cancelled			CANCEL
 *	a block of the program has begun	BEGIN; found by its END
 *
 * So these events are put at the start, with number 0.  A lock that was held is held from the start:
 * nobody may get it first in any reordering.  So
 *
 *	T1   begin  acq m  give ---.          take  rel m ...
 *	T2   begin         give ----`-------> take  acq m ...
 *
 * every thread gives to a gate after its acquires and takes from it before all else, also before it is in a block: those
 * would be ordered with each other.  The acquires
 * count as tries: a thread cannot wait for ever for what it has.
 *
 * A lock whose holder does not release it in what is left needs no event: nobody else gets it
 * either.  The rest needs none: a version, fork or signal of the past is no edge; of a
 * semaphore the least value is assumed that lets the waits pass; memory has the bytes that are read.
 *
 * Known limit: a cancellation that is in a dropped chunk, acted upon later, is known by the thread's
 * end alone; that a thread runs unseen code, by frames that have no known caller.  That the first of
 * all frames has none says nothing where the thread's root is known to be seen.
 */
#include "merge/prologue.h"

#include "recording/blocks.h"
#include "merge/portion.h"
#include "merge/walk.h"
#include "recording/stacks.h"

/* ---- what a thread's own events show ---- */

struct hold {
	uint64_t depth; /* taken since the start, not given back */
	uint64_t last;	/* the thread's own event that has left it as it is, if it is held still */
	bool renewed;	/* the lock was made or destroyed: what comes is another one */
};

struct scan {
	struct prologue *prologue;
	const struct prologue_thread *thread;
	VEC(struct event) locks; /* as acquires, in the order of their releases */
	VEC(struct event) after; /* the gate */
	struct map hold_at;	 /* address << 1 | for reading, to index in holds */
	VEC(struct hold) holds;
	struct map barriers;	   /* addresses that it came to */
	bool parked;		   /* PARK was seen, or is at the start */
	struct event park;	   /* at the start, when op says so */
	uint64_t nblocks, nbegins; /* BEGINs open; BEGINs to put at the start */
	bool any;		   /* it has events */
	bool forked;		   /* by an event that is not past */
};

static struct event event_new(const struct scan *s, enum event_op op)
{
	return (struct event){ .tid = s->thread->src->tid, .op = (uint8_t)op };
}

static bool is_past(const struct scan *s, struct version v)
{
	return v.tid == 0 || s->prologue->is_past(s->prologue->arg, v);
}

static struct hold *hold_get(struct scan *s, const struct event *e, bool reads)
{
	bool fresh;
	uint64_t *index = map_put(&s->hold_at, e->addr << 1 | reads, &fresh);

	if (fresh) {
		*index = s->holds.n;
		memset(VEC_PUSH(&s->holds), 0, sizeof(struct hold));
	}
	return &s->holds.at[*index];
}

/* The acquire, in the past, of what e gives back. */
static struct event lock_acquire(const struct event *e, uint32_t tid)
{
	return (struct event){ .tid = tid,
			       .op = e->op == EVENT_RREL ? EVENT_RACQ : EVENT_ACQ,
			       .addr = e->addr,
			       .lock_kind = e->lock_kind,
			       .flags = (e->flags & (EVENT_WRITE_MODE | EVENT_RECURSIVE)) |
					EVENT_TRY };
}

/* Somebody else took it. */
static void lock_handed(struct scan *s, const struct event *e, struct version v)
{
	bool fresh;

	if (v.tid == 0 || v.tid == s->thread->src->tid || !is_past(s, v))
		return;
	map_put(&s->prologue->handed_at, e->addr, &fresh);
	if (fresh)
		*VEC_PUSH(&s->prologue->handed) = lock_acquire(e, v.tid);
}

/* Does the version that a release names tell who took the lock?  Not if the lock shares its word with
 * other things, as spin locks and the program's own do, nor if readers name each other. */
static bool lock_is_alone(const struct event *e)
{
	return e->op == EVENT_REL && e->lock_kind != FORMAT_LOCK_SPIN &&
	       e->lock_kind != FORMAT_LOCK_USER;
}

/*
 * A lock is held from the start if the thread gives back what it has not taken, and the lock is as an
 * event of its own has left it: that one is past, or is of an inner section just before.
 */
static void lock_release(struct scan *s, const struct event *e)
{
	struct hold *h = hold_get(s, e, e->op == EVENT_RREL);
	struct version v = e->nrefs ? e->refs[0] : (struct version){ 0, 0 };
	bool own = v.tid == s->thread->src->tid && (v.tseq <= s->thread->upto || v.tseq == h->last);

	if (h->depth > 0) {
		h->depth--;
		if (e->flags & EVENT_RECURSIVE)
			h->last = e->tseq;
		return;
	}
	if (h->renewed)
		return;
	if (!own && lock_is_alone(e)) {
		lock_handed(s, e, v);
		return;
	}
	h->last = e->tseq;
	*VEC_PUSH(&s->locks) = lock_acquire(e, s->thread->src->tid);
}

static void lock_event(struct scan *s, const struct event *e)
{
	switch (e->op) {
	case EVENT_ACQ:
	case EVENT_RACQ:
		hold_get(s, e, e->op == EVENT_RACQ)->depth++;
		break;
	case EVENT_REL:
	case EVENT_RREL:
		lock_release(s, e);
		break;
	default: /* made or destroyed */
		hold_get(s, e, false)->renewed = true;
		hold_get(s, e, true)->renewed = true;
		break;
	}
}

/* The wait that WAKE ends began in the past; whether it was a timed one is not known. */
static void wake_event(struct scan *s, const struct event *e)
{
	if (s->parked)
		return;
	s->parked = true;
	s->park = event_new(s, EVENT_PARK);
	s->park.addr = e->addr;
	s->park.flags = EVENT_TRY;
}

static void barrier_event(struct scan *s, const struct event *e)
{
	bool fresh;
	struct event in;

	map_put(&s->barriers, e->addr, &fresh);
	if (!fresh || e->op != EVENT_BAR_OUT)
		return;
	in = event_new(s, EVENT_BAR_IN);
	in.addr = e->addr;
	in.arg = e->arg;
	*VEC_PUSH(&s->after) = in;
}

/* What is seen of a once: it is run; somebody passes and names the past. */
enum { ONCE_RUN = 1, ONCE_OLD = 2 };

static void once_event(struct scan *s, const struct event *e)
{
	bool fresh;
	uint64_t *seen = map_put(&s->prologue->onces_at, e->addr, &fresh);

	if (fresh)
		*VEC_PUSH(&s->prologue->onces) = e->addr;
	if (e->op == EVENT_ONCE_END)
		*seen |= ONCE_RUN;
	else if (e->nrefs != 0 && is_past(s, e->refs[0]))
		*seen |= ONCE_OLD;
}

/* A thread that ended in the past is joined. */
static void join_event(struct scan *s, const struct event *e)
{
	bool fresh;

	if (e->peer_tseq == 0 || !is_past(s, (struct version){ e->peer, e->peer_tseq }))
		return;
	map_put(&s->prologue->joined, e->peer, &fresh);
	if (fresh)
		*VEC_PUSH(&s->prologue->ended) = e->peer;
}

static void cancel_add(struct scan *s)
{
	struct event cancel = event_new(s, EVENT_CANCEL);

	cancel.peer = cancel.tid;
	*VEC_PUSH(&s->after) = cancel;
}

static void event_note(struct scan *s, const struct event *e)
{
	switch (e->op) {
	case EVENT_ACQ:
	case EVENT_REL:
	case EVENT_RACQ:
	case EVENT_RREL:
	case EVENT_LOCK_INIT:
	case EVENT_LOCK_DESTROY:
		lock_event(s, e);
		break;
	case EVENT_PARK:
		s->parked = true;
		break;
	case EVENT_WAKE:
		wake_event(s, e);
		break;
	case EVENT_BAR_INIT:
	case EVENT_BAR_IN:
	case EVENT_BAR_OUT:
		barrier_event(s, e);
		break;
	case EVENT_ONCE_END:
	case EVENT_ONCE_PASS:
		once_event(s, e);
		break;
	case EVENT_JOIN:
		join_event(s, e);
		break;
	case EVENT_BEGIN:
		s->nblocks++;
		break;
	case EVENT_END:
		s->nbegins += s->nblocks == 0;
		s->nblocks -= s->nblocks != 0;
		break;
	case EVENT_THREAD_END:
		if (e->arg == FORMAT_END_CANCEL && !s->thread->cancelled)
			cancel_add(s);
		break;
	default:
		break;
	}
}

/* ---- unseen code ---- */

/* A frame without a known caller was called by unseen code; the outermost, by what the thread began
 * with.  Everything above such a frame runs inside that call. */
static void unseen_guess(struct scan *s, const struct event *first)
{
	const uint32_t *sites;
	uint32_t n = stacks_get(s->prologue->stacks, first->stack, &sites),
		 below = s->thread->rooted;
	struct event opaque = event_new(s, EVENT_OPAQUE);

	while (below < n && sites[n - 1 - below] != 0)
		below++;
	if (below >= n)
		return;
	opaque.stack = stacks_cut(s->prologue->stacks, first->stack, below);
	*VEC_PUSH(&s->after) = opaque;
}

static void first_note(struct scan *s, const struct event *e)
{
	s->any = true;
	s->forked = e->op == EVENT_THREAD_BEGIN && e->peer != 0 &&
		    !is_past(s, (struct version){ e->peer, e->peer_tseq });
	if (!s->thread->unseen && e->op != EVENT_THREAD_BEGIN)
		unseen_guess(s, e);
}

/* ---- a thread ---- */

static void thread_scan(struct scan *s)
{
	const struct prologue_thread *t = s->thread;
	struct walk w;

	walk_begin(&w, s->prologue->blocks, t->src, portion_chunk(t->src, t->upto + 1),
		   s->prologue->stacks);
	while (walk_next(&w) && w.item.e.tseq <= t->end) {
		if (w.item.e.tseq <= t->upto)
			continue;
		if (!s->any)
			first_note(s, &w.item.e);
		w.cursor.stacks = NULL;
		event_note(s, &w.item.e);
	}
	walk_end(&w);
}

static struct event gate_event(const struct scan *s, enum event_op op)
{
	struct event e = event_new(s, op);

	e.addr = EVENT_GATE;
	e.lock_kind = FORMAT_CHANNEL_USER;
	return e;
}

/* Before the gate: the thread, its locks, outermost first as far as releases tell. */
static void before_add(struct scan *s)
{
	const struct prologue_thread *t = s->thread;
	struct prologue *p = s->prologue;
	struct event begin = event_new(s, EVENT_THREAD_BEGIN);

	begin.addr = t->stack_low;
	begin.len = t->stack_len;
	*VEC_PUSH(&p->events) = begin;
	for (size_t i = s->locks.n; i > 0; i--)
		*VEC_PUSH(&p->events) = s->locks.at[i - 1];
	*VEC_PUSH(&p->events) = gate_event(s, EVENT_GIVE);
}

/* Behind it.  A wait comes last, because the thread's next event ends it.  Blocks are not begun before: who gives to all
 * others, and takes from them, in the middle of a block is not alone in it. */
static void after_add(struct scan *s)
{
	const struct prologue_thread *t = s->thread;
	struct prologue *p = s->prologue;

	*VEC_PUSH(&p->after) = gate_event(s, EVENT_TAKE);
	for (; s->nbegins > 0; s->nbegins--)
		*VEC_PUSH(&p->after) = event_new(s, EVENT_BEGIN);
	if (t->cancelled)
		cancel_add(s);
	if (t->unseen)
		*VEC_PUSH(&s->after) = t->opaque;
	if (s->park.op == EVENT_PARK && t->upto != 0)
		*VEC_PUSH(&s->after) = s->park;
	for (size_t i = 0; i < s->after.n; i++)
		*VEC_PUSH(&p->after) = s->after.at[i];
}

void prologue_add(struct prologue *p, const struct prologue_thread *t)
{
	struct scan s = { .prologue = p, .thread = t };

	if (t->has_last && t->last.op == EVENT_THREAD_END)
		return;
	if (t->has_last && t->last.op == EVENT_PARK) {
		s.park = t->last;
		s.parked = true;
	}
	thread_scan(&s);
	if (t->upto != 0)
		before_add(&s);
	if (t->upto != 0 || (s.any && !s.forked))
		after_add(&s);
	VEC_RELEASE_ALL(&s.locks, &s.after, &s.holds);
	MAP_RELEASE_ALL(&s.hold_at, &s.barriers);
}

/* ---- all ---- */

/* The GIVE of the thread to the gate.  A thread that has ended has none: then anybody's. */
static size_t gate_find(const struct prologue *p, uint32_t tid)
{
	size_t any = p->events.n;

	for (size_t i = 0; i < p->events.n; i++) {
		if (p->events.at[i].op != EVENT_GIVE)
			continue;
		if (p->events.at[i].tid == tid)
			return i;
		if (any == p->events.n)
			any = i;
	}
	return any;
}

/* Locks that one thread took and another gives back. */
static void handed_add(struct prologue *p)
{
	for (size_t i = 0; i < p->handed.n; i++) {
		struct event acq = p->handed.at[i];
		size_t at = gate_find(p, acq.tid);

		if (at == p->events.n)
			return; /* nobody has run yet */
		acq.tid = p->events.at[at].tid;
		(void)VEC_PUSH(&p->events);
		memmove(&p->events.at[at + 1], &p->events.at[at],
			(p->events.n - 1 - at) * sizeof(acq));
		p->events.at[at] = acq;
	}
}

/* By a thread that surely ran in the past; one that passes the once may have begun later. */
static void onces_add(struct prologue *p)
{
	for (size_t i = 0; i < p->onces.n && p->events.n != 0; i++)
		if (*(const uint64_t *)map_get(&p->onces_at, p->onces.at[i]) != ONCE_RUN)
			*VEC_PUSH(&p->after) = (struct event){ .tid = p->events.at[0].tid,
							       .op = EVENT_ONCE_END,
							       .addr = p->onces.at[i] };
}

void prologue_finish(struct prologue *p)
{
	handed_add(p);
	onces_add(p);
	for (size_t i = 0; i < p->ended.n; i++) {
		struct event e = { .tid = p->ended.at[i], .op = EVENT_THREAD_BEGIN };

		*VEC_PUSH(&p->events) = e;
		e.op = EVENT_THREAD_END;
		*VEC_PUSH(&p->events) = e;
	}
	for (size_t i = 0; i < p->after.n; i++)
		*VEC_PUSH(&p->events) = p->after.at[i];
	VEC_CLEAR(&p->after);
}

void prologue_release(struct prologue *p)
{
	VEC_RELEASE_ALL(&p->events, &p->after, &p->ended, &p->handed, &p->onces);
	MAP_RELEASE_ALL(&p->joined, &p->handed_at, &p->onces_at);
}
