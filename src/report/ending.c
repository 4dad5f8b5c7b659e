#include "report/ending.h"

#include <signal.h>

#include "predict/engine.h"
#include "report/words.h"
#include "trace/event.h"
#include "trace/format.h"
#include "trace/trace.h"

void ending_release(struct ending *e)
{
	VEC_RELEASE(&e->threads);
	MAP_RELEASE_ALL(&e->holders, &e->barriers, &e->come);
	pairing_release(&e->pairing);
}

/* ---- events ---- */

/* A lock and its holder.  Who took it how often is counted here: an inner acquire is one too. */
static void lock_take(struct ending *e, const struct event *v)
{
	uint64_t *holder;

	if (v->op == EVENT_LOCK_INIT) {
		map_remove(&e->holders, v->addr);
		return;
	}
	holder = map_put(&e->holders, v->addr, NULL);
	if (*holder >> 32 != v->tid)
		*holder = (uint64_t)v->tid << 32;
	if (v->op == EVENT_ACQ)
		++*holder;
	else if ((uint32_t)*holder > 0)
		--*holder;
}

static void barrier_take(struct ending *e, const struct event *v)
{
	uint64_t *come;

	if (v->op == EVENT_BAR_INIT) {
		*map_put(&e->barriers, v->addr, NULL) = v->arg;
		map_remove(&e->come, v->addr);
		return;
	}
	come = map_put(&e->come, v->addr, NULL);
	if (*come >> 32 != v->arg)
		*come = v->arg << 32;
	++*come;
}

static struct ending_thread *thread_at(struct ending *e, uint32_t tid)
{
	VEC_REACH(&e->threads, tid);
	return &e->threads.at[tid];
}

void ending_take(struct ending *e, const struct event *v)
{
	struct ending_thread *t = thread_at(e, v->tid);

	/* The end of the process in this thread is no deed of it. */
	if (v->op != EVENT_THREAD_END || v->arg != FORMAT_END_PROCESS) {
		t->before = t->pos;
		t->pos = v->pos;
		t->addr = v->addr;
		t->site = v->site;
		t->stack = v->stack;
		t->peer = v->peer;
		t->op = v->op;
		t->timed = v->flags & EVENT_TRY;
	}
	t->begun = true;
	pairing_take(&e->pairing, v);
	e->refused += (v->flags & EVENT_REFUSED) != 0;
	switch (v->op) {
	case EVENT_ACQ:
	case EVENT_REL:
	case EVENT_LOCK_INIT:
		lock_take(e, v);
		break;
	case EVENT_BAR_INIT:
	case EVENT_BAR_IN:
		barrier_take(e, v);
		break;
	case EVENT_READ:
	case EVENT_RMW:
		e->unknown += (v->flags & EVENT_UNKNOWN) != 0;
		break;
	case EVENT_GIVE:
		e->unseen += v->lock_kind == FORMAT_CHANNEL_UNSEEN;
		break;
	case EVENT_FORK:
	case EVENT_FORK_FAIL:
		thread_at(e, v->peer)->forked = v->op == EVENT_FORK;
		break;
	case EVENT_JOIN:
		thread_at(e, v->peer)->joined = true;
		break;
	case EVENT_DETACH:
		thread_at(e, v->peer)->detached = true;
		break;
	case EVENT_THREAD_END:
		t->ended = v->arg != FORMAT_END_PROCESS;
		break;
	default:
		break;
	}
}

/* ---- questions ---- */

bool ending_is_waiting(const struct ending_thread *t)
{
	return t->pos && !t->ended &&
	       (t->op == EVENT_REQ || t->op == EVENT_RREQ || t->op == EVENT_JOINING ||
		t->op == EVENT_PARK || t->op == EVENT_BAR_IN || t->op == EVENT_SEM_REQ);
}

/* The first thread is nobody's to join, and ends last. */
struct ending_counts ending_counts(const struct ending *e)
{
	struct ending_counts n = { 0 };

	for (uint32_t tid = 1; tid < e->threads.n; tid++) {
		const struct ending_thread *t = &e->threads.at[tid];

		n.unstarted += t->forked && !t->begun;
		n.unjoined += t->forked && !t->joined && !t->detached;
		n.running += tid > 1 && t->begun && !t->ended && !ending_is_waiting(t);
	}
	return n;
}

/* ---- findings ---- */

/* Signals that the kernel or the program itself sends because something is wrong with it. */
static bool is_crash(int signal)
{
	static const int crashes[] = { SIGILL,	SIGTRAP, SIGABRT, SIGBUS,  SIGFPE,
				       SIGSEGV, SIGSYS,	 SIGXCPU, SIGXFSZ, SIGSTKFLT };

	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
		if (crashes[i] == signal)
			return true;
	return false;
}

const struct ending_thread *ending_thread_of(const struct ending *e, uint32_t tid)
{
	return tid < e->threads.n && e->threads.at[tid].pos ? &e->threads.at[tid] : NULL;
}

static void add_last(const struct ending *e, uint32_t tid, struct finding *f)
{
	const struct ending_thread *t = ending_thread_of(e, tid);

	if (t && !t->ended && f->nevents < FINDING_EVENTS)
		finding_add_event(f, t->pos, t->site, t->op);
}

/* What threads wait for, in names; each once. */
static void objects_format(const struct ending *e, struct trace *t, struct strbuf *out)
{
	MAP_SCOPED seen = { 0 };
	bool fresh;

	for (uint32_t tid = 1; tid < e->threads.n; tid++) {
		const struct ending_thread *x = &e->threads.at[tid];

		if (!ending_is_waiting(x) || x->op == EVENT_JOINING)
			continue;
		map_put(&seen, x->addr, &fresh);
		if (fresh)
			strbuf_addf(out, "%s%s", out->n ? ", " : "",
				    words_brief(trace_object_name(t, x->addr)));
	}
}

/* Not in the table: how the run ended needs no analysis. */
static const struct engine by_end = { .name = "end" };

static void hang_find(const struct ending *e, struct trace *t, struct findings *out)
{
	struct finding *f = findings_add(out, FINDING_HANG, &by_end);
	STRBUF_SCOPED subject = { 0 };

	for (int waits = 1; waits >= 0; waits--) /* those that wait first */
		for (uint32_t tid = 1; tid < e->threads.n; tid++)
			if (ending_is_waiting(&e->threads.at[tid]) == waits)
				add_last(e, tid, f);
	objects_format(e, t, &subject);
	f->subject = texts_add(&out->words, "%s", subject.n ? strbuf_str(&subject) : "a thread");
	f->observed = true;
}

void ending_signal_format(int signal, struct strbuf *out)
{
	const char *name = sigabbrev_np(signal), *words = sigdescr_np(signal);

	if (name)
		strbuf_addf(out, "SIG%s", name);
	else
		strbuf_addf(out, "signal %d", signal);
	if (words)
		strbuf_addf(out, " (%s)", words);
}

/* The thread that crashed, then the others. */
static void crash_find(const struct ending *e, const struct trace_end *end, struct findings *out)
{
	struct finding *f = findings_add(out, FINDING_CRASH, &by_end);
	STRBUF_SCOPED subject = { 0 };

	if (end->fault_tid)
		add_last(e, end->fault_tid, f);
	for (uint32_t tid = 1; tid < e->threads.n; tid++)
		if (tid != end->fault_tid)
			add_last(e, tid, f);
	ending_signal_format(end->signal, &subject);
	f->subject = texts_add(&out->words, "%s", strbuf_str(&subject));
	f->observed = true;
}

/* A target is where a thread stood at the end: its last event, or in a condition wait the release
 * right before it. */
static bool is_last(const struct ending *e, uint64_t pos)
{
	for (uint32_t tid = 1; tid < e->threads.n; tid++) {
		const struct ending_thread *t = &e->threads.at[tid];

		if (ending_is_waiting(t) &&
		    (t->pos == pos || (t->op == EVENT_PARK && t->before == pos)))
			return true;
	}
	return false;
}

/* Is the hang what this one is about? */
static bool is_explained_by(const struct ending *e, const struct finding *f)
{
	uint32_t n = 0;

	switch (f->kind) {
	case FINDING_DEADLOCK:
	case FINDING_JOIN_HOLDING:
	case FINDING_WAIT_HOLDING:
	case FINDING_LOST_WAKEUP:
		break;
	default:
		return false;
	}
	for (uint32_t i = 0; i < f->nevents; i++)
		n += is_last(e, f->events[i]);
	/* The signal that was lost is no wait. */
	return f->kind == FINDING_LOST_WAKEUP ? n > 0 : n == f->nevents;
}

void ending_find(const struct ending *e, struct trace *t, int expected, struct findings *f)
{
	bool explained = false;
	struct trace_info info = trace_info(t);

	if (!info.end.known || info.end.became || info.end.status == expected)
		return;
	for (size_t i = 0; i < f->at.n; i++)
		explained |= is_explained_by(e, &f->at.at[i]);
	if (info.end.hung && !explained)
		hang_find(e, t, f);
	else if (is_crash(info.end.signal) && !info.end.asked && !info.end.hung)
		crash_find(e, &info.end, f);
}
