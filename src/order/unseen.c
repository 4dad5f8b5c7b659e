/*
 * The reference model is the list of all intervals, asked for those that end after a position.  Of
 * each thread the last one is enough, and threads are kept in a list by its end, so the answer for
 * any thread is the first of the list, or the second.
 */
#include "order/unseen.h"

#include "trace/trace.h"

void unseen_release(struct unseen *u)
{
	VEC_RELEASE(&u->threads);
}

static struct unseen_thread *thread_get(struct unseen *u, uint32_t tid)
{
	VEC_REACH(&u->threads, tid);
	return &u->threads.at[tid];
}

/* ---- the list ---- */

static void list_remove(struct unseen *u, uint32_t tid)
{
	struct unseen_thread *t = &u->threads.at[tid];

	if (t->newer)
		u->threads.at[t->newer - 1].older = t->older;
	else if (u->newest == tid + 1)
		u->newest = t->older;
	if (t->older)
		u->threads.at[t->older - 1].newer = t->newer;
	t->newer = t->older = 0;
}

/* pos is later than any in the list, or (a join) than those of the two threads. */
static void thread_ended(struct unseen *u, uint32_t tid, uint64_t pos)
{
	struct unseen_thread *t = thread_get(u, tid);

	list_remove(u, tid);
	t->ended = pos;
	t->older = u->newest;
	if (u->newest)
		u->threads.at[u->newest - 1].newer = tid + 1;
	u->newest = tid + 1;
}

/* The latest end of all threads but a and b; UINT64_MAX: one of them is inside. */
static uint64_t latest_but(const struct unseen *u, uint32_t a, uint32_t b)
{
	uint32_t inside = u->ninside, at = u->newest;

	inside -= a < u->threads.n && u->threads.at[a].inside;
	inside -= b != a && b < u->threads.n && u->threads.at[b].inside;
	if (inside != 0)
		return UINT64_MAX;
	while (at == a + 1 || at == b + 1)
		at = u->threads.at[at - 1].older;
	return at ? u->threads.at[at - 1].ended : 0;
}

/* ---- events ---- */

static bool is_from_inside(const struct trace *t, const struct unseen_thread *th,
			   const struct event *e)
{
	const uint32_t *sites;
	uint32_t depth = trace_stack(t, e->stack, &sites), from;

	if (depth < th->depth)
		return false;
	from = depth == th->depth ? e->site : sites[depth - 1 - th->depth];
	return from == 0 || from == th->site;
}

static void inside_set(struct unseen *u, uint32_t tid, bool inside)
{
	struct unseen_thread *t = &u->threads.at[tid];

	u->ninside += inside && !t->inside;
	u->ninside -= !inside && t->inside;
	t->inside = inside;
}

static void opaque_event(struct unseen *u, const struct trace *t, const struct event *e, bool fresh)
{
	struct unseen_thread *th = &u->threads.at[e->tid];
	const uint32_t *sites;

	if (!fresh) { /* a handler that ran unrecorded inside a hook: over already */
		thread_ended(u, e->tid, e->pos);
		return;
	}
	if (th->inside)
		return;
	th->site = e->site;
	th->depth = trace_stack(t, e->stack, &sites);
	inside_set(u, e->tid, true);
}

static void fork_event(struct unseen *u, const struct event *e)
{
	const struct unseen_thread *t;

	thread_get(u, e->peer);
	t = thread_get(u, e->tid);
	u->threads.at[e->peer].calm = latest_but(u, e->tid, e->peer) <= t->calm ? e->pos : t->calm;
}

/* What the child did unseen is from now on as if the joiner had done it. */
static void join_event(struct unseen *u, const struct event *e)
{
	struct unseen_thread *t, *child;

	thread_get(u, e->peer);
	t = thread_get(u, e->tid);
	child = &u->threads.at[e->peer];
	if (child->inside || child->ended > t->ended)
		thread_ended(u, e->tid, e->pos);
	inside_set(u, e->peer, false);
	list_remove(u, e->peer);
	child->ended = 0;
	if (latest_but(u, e->tid, e->peer) <= t->calm)
		t->calm = e->pos;
}

void unseen_event(struct unseen *u, const struct trace *t, const struct event *e)
{
	struct unseen_thread *th = thread_get(u, e->tid);
	uint64_t last = e->tseq + (e->flags & EVENT_RANGE && e->nrefs ? e->nrefs - 1 : 0);
	bool fresh = last > th->last || e->tseq == 0;

	if (e->flags & EVENT_REREAD)
		return;
	if (last > th->last)
		th->last = last;
	th->begun = !(e->flags & EVENT_BEGUN) ? 0 : th->begun ? th->begun : e->pos;
	if (th->inside && (fresh || e->op != EVENT_OPAQUE) && !is_from_inside(t, th, e)) {
		inside_set(u, e->tid, false);
		thread_ended(u, e->tid, e->pos);
	}
	switch (e->op) {
	case EVENT_OPAQUE:
		if (!(e->flags & EVENT_READS))
			opaque_event(u, t, e, fresh);
		break;
	case EVENT_THREAD_BEGIN:
		th->stack = e->addr;
		th->stack_len = e->len;
		break;
	case EVENT_THREAD_END:
		if (th->inside)
			thread_ended(u, e->tid, e->pos);
		inside_set(u, e->tid, false);
		break;
	case EVENT_FORK:
		fork_event(u, e);
		break;
	case EVENT_JOIN:
		if (e->peer != e->tid)
			join_event(u, e);
		break;
	default:
		break;
	}
}

/* ---- questions ---- */

uint64_t unseen_others(const struct unseen *u, uint32_t tid)
{
	return latest_but(u, tid, tid);
}

uint64_t unseen_own(const struct unseen *u, uint32_t tid)
{
	const struct unseen_thread *t = unseen_thread(u, tid);

	return t->inside ? UINT64_MAX : t->ended;
}
