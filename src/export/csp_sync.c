/*
 * Who waits for whom, as processes of their own:
 *
 *	FORK(u), JOIN(u)	a thread starts when it was forked, is joined when it has ended
 *	MUTEX(l)		one holder; HELD where tries have failed
 *	RWLOCK(l)		one holder, or a set of readers
 *	SEM(s, n)		what there is to take
 *	EDGE(k)			anything else that must come before: a signal, a barrier, a channel
 *
 * Only what the trace has is written.
 */
#include "export/csp_priv.h"

#define ID(names, i) (names)[i].id

/* An edge of its own: not that of a fork or a join, which have processes. */
static bool is_edge(const struct model *m, uint32_t from, uint32_t to)
{
	const struct model_event *a = &m->event[from], *b = &m->event[to];

	return a->chain != b->chain && !(a->op == STEP_FORK && a->partner == b->tid) &&
	       !(b->op == STEP_JOIN && b->partner == a->tid);
}

void csp_sync_find(struct csp_writer *w)
{
	w->is_forked = mem_zalloc(w->names.nthreads);
	w->is_shared = mem_zalloc(w->m->nlocks + 1);
	for (uint32_t e = 1; e <= w->m->n; e++) {
		const struct model_event *v = &w->m->event[e];
		struct model_list preds = model_preds(w->m, e);

		if (v->op == STEP_FORK)
			w->is_forked[v->partner] = true;
		if (v->op == STEP_RACQ)
			w->is_shared[v->obj] = true;
		for (uint32_t i = 0; i < preds.n; i++)
			if (is_edge(w->m, preds.at[i], e))
				*VEC_PUSH(&w->edges) =
					(struct model_guard){ .from = preds.at[i], .to = e };
	}
}

/* ---- declarations ---- */

static bool is_any(const struct csp_name *names, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (names[i].id)
			return true;
	return false;
}

static void declare(const struct csp_writer *w, const char *type, const struct csp_name *names,
		    uint32_t n)
{
	const char *sep = " = ";

	if (!is_any(names, n))
		return;
	for (uint32_t i = 0; i < n; i++)
		if (names[i].id && strcmp(names[i].id, names[i].real) != 0)
			strbuf_addf(w->out, "-- %s: %s\n", names[i].id, names[i].real);
	strbuf_addf(w->out, "datatype %s", type);
	for (uint32_t i = 0; i < n; i++) {
		if (!names[i].id)
			continue;
		strbuf_addf(w->out, "%s%s", sep, names[i].id);
		sep = " | ";
	}
	strbuf_adds(w->out, "\n");
}

static bool has_op(const struct csp_writer *w, enum step_op op)
{
	for (uint32_t e = 1; e <= w->m->n; e++)
		if (w->m->event[e].op == op)
			return true;
	return false;
}

static bool has_locks(const struct csp_writer *w)
{
	return is_any(w->names.lock, w->m->nlocks);
}

static bool has_sems(const struct csp_writer *w)
{
	return is_any(w->names.sem, w->m->nsems);
}

void csp_sync_declare(const struct csp_writer *w)
{
	struct strbuf *out = w->out;

	declare(w, "Thread", w->names.thread, w->names.nthreads);
	declare(w, "Lock", w->names.lock, w->m->nlocks);
	declare(w, "Sem", w->names.sem, w->m->nsems);
	strbuf_adds(out, "channel start, end : Thread\nchannel fork, join : Thread.Thread\n");
	if (has_locks(w))
		strbuf_adds(out, "channel lock, unlock : Thread.Lock\n");
	if (has_op(w, STEP_RACQ))
		strbuf_adds(out, "channel rlock, runlock : Thread.Lock\n");
	if (has_op(w, STEP_BUSY))
		strbuf_adds(out, "channel tryfail, tryfailw : Thread.Lock\n");
	if (has_sems(w))
		strbuf_adds(out, "channel post, wait, zero : Thread.Sem\n");
	if (w->edges.n)
		strbuf_addf(out, "channel give, take : {1..%zu}\n", w->edges.n);
}

/* ---- processes ---- */

static void write_threads(const struct csp_writer *w)
{
	for (uint32_t t = 0; t < w->names.nthreads; t++) {
		const char *id = ID(w->names.thread, t);

		if (!id)
			continue;
		strbuf_addf(w->out, "FORK(%s) = ", id);
		if (w->is_forked[t])
			strbuf_addf(w->out, "fork?t!%s -> ", id);
		strbuf_addf(w->out, "start.%s -> STOP\n", id);
	}
	strbuf_adds(w->out, "JOIN(u) = end.u -> join?t!u -> STOP\n");
}

static void write_locks(const struct csp_writer *w)
{
	bool tries = has_op(w, STEP_BUSY);

	if (has_locks(w) && !tries)
		strbuf_adds(w->out, "MUTEX(l) = lock?t!l -> unlock!t!l -> MUTEX(l)\n");
	else if (has_locks(w))
		strbuf_adds(w->out, "MUTEX(l) = lock?t!l -> HELD(l, t)\n"
				    "HELD(l, t) = (unlock!t!l -> MUTEX(l))"
				    " [] (tryfail?u:diff(Thread, {t})!l -> HELD(l, t))"
				    " [] (tryfailw?u:diff(Thread, {t})!l -> HELD(l, t))\n");
	if (!has_op(w, STEP_RACQ))
		return;
	strbuf_adds(w->out,
		    "RWLOCK(l) = (lock?t!l -> RWHELD(l, t)) [] (rlock?t!l -> READERS(l, {t}))\n"
		    "RWHELD(l, t) = (unlock!t!l -> RWLOCK(l))");
	if (tries)
		strbuf_adds(w->out, " [] (tryfail?u:diff(Thread, {t})!l -> RWHELD(l, t))"
				    " [] (tryfailw?u:diff(Thread, {t})!l -> RWHELD(l, t))");
	strbuf_adds(
		w->out,
		"\nREADERS(l, S) = (rlock?t:diff(Thread, S)!l -> READERS(l, union(S, {t})))"
		" [] (runlock?t:S!l -> (if S == {t} then RWLOCK(l) else READERS(l, diff(S, {t}))))");
	if (tries)
		strbuf_adds(w->out, " [] (tryfailw?u:OTHERS(S)!l -> READERS(l, S))\n"
				    "OTHERS(S) = if card(S) == 1 then diff(Thread, S) else Thread");
	strbuf_adds(w->out, "\n");
}

/* "{a, b}" of those locks that somebody reads, or of those that nobody does. */
static bool lock_set(const struct csp_writer *w, bool shared, struct strbuf *out)
{
	bool any = false;

	for (uint32_t l = 0; l < w->m->nlocks; l++) {
		if (!ID(w->names.lock, l) || w->is_shared[l] != shared)
			continue;
		strbuf_addf(out, "%s%s", any ? ", " : "{", ID(w->names.lock, l));
		any = true;
	}
	strbuf_adds(out, any ? "}" : "");
	return any;
}

/* More than the waits of it could take is as good as that. */
static uint64_t sem_start(const struct csp_writer *w, uint32_t s)
{
	uint64_t value = model_sem_value(w->m, s);

	return value < w->m->n ? value : w->m->n;
}

static void write_sync(const struct csp_writer *w)
{
	STRBUF_SCOPED plain = { 0 }, shared = { 0 };
	bool has_plain = lock_set(w, false, &plain), has_shared = lock_set(w, true, &shared);

	strbuf_adds(w->out, "SYNC = (||| t:Thread @ FORK(t)) ||| (||| t:Thread @ JOIN(t))");
	if (has_plain)
		strbuf_addf(w->out, " ||| (||| l:%s @ MUTEX(l))",
			    has_shared ? strbuf_str(&plain) : "Lock");
	if (has_shared)
		strbuf_addf(w->out, " ||| (||| l:%s @ RWLOCK(l))", strbuf_str(&shared));
	for (uint32_t s = 0; s < w->m->nsems; s++)
		if (ID(w->names.sem, s))
			strbuf_addf(w->out, " ||| SEM(%s, %" PRIu64 ")", ID(w->names.sem, s),
				    sem_start(w, s));
	if (w->edges.n)
		strbuf_addf(w->out, " ||| (||| k:{1..%zu} @ EDGE(k))", w->edges.n);
	strbuf_addf(w->out, "\nSync = {| start, end, fork, join%s%s%s%s%s |}\n",
		    has_locks(w) ? ", lock, unlock" : "", has_shared ? ", rlock, runlock" : "",
		    has_op(w, STEP_BUSY) ? ", tryfail, tryfailw" : "",
		    has_sems(w) ? ", post, wait, zero" : "", w->edges.n ? ", give, take" : "");
}

void csp_sync_write(const struct csp_writer *w)
{
	write_threads(w);
	write_locks(w);
	if (has_sems(w))
		strbuf_adds(w->out, "SEM(s, n) = (post?t!s -> SEM(s, n+1))"
				    " [] (n > 0 & wait?t!s -> SEM(s, n-1))"
				    " [] (n == 0 & zero?t!s -> SEM(s, n))\n");
	if (w->edges.n)
		strbuf_adds(w->out, "EDGE(k) = give.k -> take.k -> STOP\n");
	write_sync(w);
}

/* ---- events ---- */

void csp_sync_event(const struct csp_writer *w, uint32_t e, struct strbuf *out)
{
	const struct model_event *v = &w->m->event[e];
	const char *thread = ID(w->names.thread, v->tid), *channel = NULL;
	const struct csp_name *names = w->names.lock;
	uint32_t obj = v->obj;

	switch (v->op) {
	case STEP_ACQ:
		channel = csp_leaves_out(v) ? NULL : "lock";
		break;
	case STEP_REL:
		channel = csp_leaves_out(v) ? NULL : "unlock";
		break;
	case STEP_RACQ:
		channel = "rlock";
		break;
	case STEP_RREL:
		channel = "runlock";
		break;
	case STEP_BUSY:
		channel = v->flags & STEP_READERS ? "tryfailw" : "tryfail";
		break;
	case STEP_POST:
	case STEP_TAKE:
	case STEP_ZERO:
		channel = v->op == STEP_POST ? "post" : v->op == STEP_TAKE ? "wait" : "zero";
		names = w->names.sem;
		break;
	case STEP_FORK:
	case STEP_JOIN:
		channel = v->op == STEP_FORK ? "fork" : "join";
		names = w->names.thread;
		obj = v->partner;
		break;
	default:
		break;
	}
	if (channel)
		strbuf_addf(out, "%s.%s.%s -> ", channel, thread, ID(names, obj));
}

void csp_sync_takes(const struct csp_writer *w, uint32_t e, struct strbuf *out)
{
	for (size_t k = 0; k < w->edges.n; k++)
		if (w->edges.at[k].to == e)
			strbuf_addf(out, "take.%zu -> ", k + 1);
}

void csp_sync_gives(const struct csp_writer *w, uint32_t e, struct strbuf *out)
{
	for (size_t k = 0; k < w->edges.n; k++)
		if (w->edges.at[k].from == e)
			strbuf_addf(out, "give.%zu -> ", k + 1);
}
