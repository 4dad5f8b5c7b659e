#include "report/ending.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "predict/engine.h"
#include "report/frames.h"
#include "report/json.h"
#include "report/show.h"
#include "report/words.h"
#include "trace/event.h"
#include "trace/format.h"
#include "trace/trace.h"

#define LINES 20 /* of many threads most wait at the same place */

void ending_init(struct ending *e)
{
	*e = (struct ending){ 0 };
	map_init(&e->holders);
	map_init(&e->barriers);
	map_init(&e->come);
	pairing_init(&e->pairing);
}

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

static void thread_take(struct ending *e, const struct event *v)
{
	switch (v->op) {
	case EVENT_FORK:
		thread_at(e, v->peer)->forked = true;
		break;
	case EVENT_FORK_FAIL:
		thread_at(e, v->peer)->forked = false;
		break;
	case EVENT_JOIN:
		thread_at(e, v->peer)->joined = true;
		break;
	case EVENT_DETACH:
		thread_at(e, v->peer)->detached = true;
		break;
	case EVENT_THREAD_END:
		thread_at(e, v->tid)->ended = v->arg != FORMAT_END_PROCESS;
		break;
	default:
		break;
	}
}

void ending_take(struct ending *e, const struct event *v)
{
	struct ending_thread *t = thread_at(e, v->tid);

	/* The end of the process in this thread is no deed of it. */
	if (v->op != EVENT_THREAD_END || v->arg != FORMAT_END_PROCESS) {
		t->before = t->pos;
		t->pos = v->pos;
		t->addr = v->addr;
		t->arg = v->arg;
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
	default:
		thread_take(e, v);
		break;
	}
}

/* ---- questions ---- */

static bool is_waiting(const struct ending_thread *t)
{
	return t->pos && !t->ended &&
	       (t->op == EVENT_REQ || t->op == EVENT_RREQ || t->op == EVENT_JOINING ||
		t->op == EVENT_PARK || t->op == EVENT_BAR_IN || t->op == EVENT_SEM_REQ);
}

uint32_t ending_unstarted(const struct ending *e)
{
	uint32_t n = 0;

	for (uint32_t tid = 1; tid < e->threads.n; tid++)
		n += e->threads.at[tid].forked && !e->threads.at[tid].begun;
	return n;
}

/* The first thread is nobody's to join. */
uint32_t ending_unjoined(const struct ending *e)
{
	uint32_t n = 0;

	for (uint32_t tid = 1; tid < e->threads.n; tid++)
		n += e->threads.at[tid].forked && !e->threads.at[tid].joined &&
		     !e->threads.at[tid].detached;
	return n;
}

uint32_t ending_running(const struct ending *e)
{
	uint32_t n = 0;

	for (uint32_t tid = 2; tid < e->threads.n; tid++) {
		const struct ending_thread *t = &e->threads.at[tid];

		n += t->begun && !t->ended && !is_waiting(t);
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

static const struct ending_thread *thread_of(const struct ending *e, uint32_t tid)
{
	return tid < e->threads.n && e->threads.at[tid].pos ? &e->threads.at[tid] : NULL;
}

static void add_last(const struct ending *e, uint32_t tid, struct finding *f)
{
	const struct ending_thread *t = thread_of(e, tid);

	if (t && !t->ended && f->nevents < FINDING_EVENTS)
		finding_add_event(f, t->pos, t->site, t->op);
}

/* What threads wait for, in names; each once. */
static void objects_format(const struct ending *e, struct trace *t, struct strbuf *out)
{
	struct map seen;
	bool fresh;

	map_init(&seen);
	for (uint32_t tid = 1; tid < e->threads.n; tid++) {
		const struct ending_thread *x = &e->threads.at[tid];

		if (!is_waiting(x) || x->op == EVENT_JOINING)
			continue;
		map_put(&seen, x->addr, &fresh);
		if (fresh)
			strbuf_addf(out, "%s%s", out->n ? ", " : "",
				    words_brief(trace_object_name(t, x->addr)));
	}
	map_release(&seen);
}

/* Not in the table: how the run ended needs no analysis. */
static const struct engine by_end = { .name = "end" };

static void hang_find(const struct ending *e, struct trace *t, struct findings *out)
{
	struct finding *f = findings_add(out, FINDING_HANG, &by_end);
	struct strbuf subject = { 0 };

	for (uint32_t tid = 1; tid < e->threads.n; tid++)
		if (is_waiting(&e->threads.at[tid]))
			add_last(e, tid, f);
	for (uint32_t tid = 1; tid < e->threads.n; tid++)
		if (!is_waiting(&e->threads.at[tid]))
			add_last(e, tid, f);
	objects_format(e, t, &subject);
	f->subject = texts_add(&out->words, "%s", subject.n ? strbuf_str(&subject) : "a thread");
	f->observed = true;
	strbuf_release(&subject);
}

static void signal_format(int signal, struct strbuf *out)
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
	struct strbuf subject = { 0 };

	if (end->fault_tid)
		add_last(e, end->fault_tid, f);
	for (uint32_t tid = 1; tid < e->threads.n; tid++)
		if (tid != end->fault_tid)
			add_last(e, tid, f);
	signal_format(end->signal, &subject);
	f->subject = texts_add(&out->words, "%s", strbuf_str(&subject));
	f->observed = true;
	strbuf_release(&subject);
}

/* A target is where a thread stood at the end: its last event, or in a condition wait the release
 * right before it. */
static bool is_last(const struct ending *e, uint64_t pos)
{
	for (uint32_t tid = 1; tid < e->threads.n; tid++) {
		const struct ending_thread *t = &e->threads.at[tid];

		if (is_waiting(t) && (t->pos == pos || (t->op == EVENT_PARK && t->before == pos)))
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
	struct trace_info info;
	bool explained = false;

	trace_info(t, &info);
	if (!info.end.known || info.end.became || info.end.status == expected)
		return;
	for (size_t i = 0; i < f->at.n; i++)
		explained |= is_explained_by(e, &f->at.at[i]);
	if (info.end.hung && !explained)
		hang_find(e, t, f);
	else if (is_crash(info.end.signal) && !info.end.asked && !info.end.hung)
		crash_find(e, &info.end, f);
}

/* ---- words ---- */

/* Why the thread that it waits for does nothing. */
static void peer_format(const struct ending *e, const struct trace *t, uint32_t tid,
			struct strbuf *out)
{
	const struct ending_thread *x = thread_of(e, tid);
	const char *name = trace_thread_name(t, tid);

	if (!x)
		strbuf_addf(out, ", and %s has not begun", name);
	else if (x->ended)
		strbuf_addf(out, ", and %s has ended", name);
	else if (is_waiting(x))
		strbuf_addf(out, ", and %s waits itself", name);
}

static void lock_format(const struct ending *e, const struct trace *t, uint32_t tid,
			struct strbuf *out)
{
	const struct ending_thread *x = &e->threads.at[tid];
	const uint64_t *holder = map_get(&e->holders, x->addr);
	uint32_t by = holder && (uint32_t)*holder ? (uint32_t)(*holder >> 32) : 0;

	if (by == tid)
		strbuf_adds(out, ", which it holds itself");
	else if (by) {
		strbuf_addf(out, ", which %s holds", trace_thread_name(t, by));
		peer_format(e, t, by, out);
	}
}

static void barrier_format(const struct ending *e, const struct ending_thread *x,
			   struct strbuf *out)
{
	const uint64_t *all = map_get(&e->barriers, x->addr), *come = map_get(&e->come, x->addr);

	if (all && come && (uint32_t)*come < *all)
		strbuf_addf(out, ": %" PRIu32 " of %" PRIu64 " threads have come", (uint32_t)*come,
			    *all);
}

static void object_format(struct trace *t, const struct ending_thread *x, struct strbuf *out)
{
	const char *name = words_brief(trace_object_name(t, x->addr));
	const char *path =
		trace_object_is_anonymous(name) ? frames_variable(t, x->site, x->stack) : NULL;

	strbuf_addf(out, path ? "%s (%s)" : "%.0s%s", path ? path : "", name);
}

/* "for m, which T3 holds, and T3 has ended" */
static void wait_format(const struct ending *e, struct trace *t, uint32_t tid, bool hung,
			struct strbuf *out)
{
	const struct ending_thread *x = &e->threads.at[tid];

	switch (x->op) {
	case EVENT_JOINING:
		strbuf_adds(out, "for the end of ");
		words_thread(t, x->peer, out);
		peer_format(e, t, x->peer, out);
		break;
	case EVENT_PARK:
		strbuf_adds(out, "for a signal of ");
		object_format(t, x, out);
		strbuf_adds(out, hung ? ", and nobody is left to send one" : "");
		break;
	case EVENT_BAR_IN:
		strbuf_adds(out, "at the barrier ");
		object_format(t, x, out);
		barrier_format(e, x, out);
		break;
	case EVENT_SEM_REQ:
		strbuf_adds(out, "for the semaphore ");
		object_format(t, x, out);
		strbuf_adds(out, hung ? ", and nobody is left to post it" : "");
		break;
	default:
		strbuf_adds(out, "for ");
		object_format(t, x, out);
		lock_format(e, t, tid, out);
		break;
	}
}

/* What a thread was at. */
static void last_format(const struct ending *e, struct trace *t, uint32_t tid, bool hung,
			struct strbuf *out)
{
	const struct ending_thread *x = &e->threads.at[tid];

	if (!x->begun) {
		strbuf_adds(out, "had not begun");
	} else if (is_waiting(x)) {
		strbuf_adds(out, hung && !x->timed ? "waits " : "waited ");
		wait_format(e, t, tid, hung, out);
	} else {
		strbuf_addf(out, "%sthe last that was recorded of it: %s",
			    hung ? "waits in a call that is not recorded; " : "", show_op(x->op));
	}
}

static bool is_there(const struct ending_thread *t)
{
	return (t->pos && !t->ended) || (t->forked && !t->begun);
}

static void stack_format(struct trace *t, const struct ending_thread *x, struct strbuf *out)
{
	struct frames frames = { 0 };

	if (x->pos == 0)
		return;
	frames_get(t, x->site, x->stack, &frames);
	if (event_op_family(x->op) != 'A')
		frames_enter(&frames);
	if (frames.at.n) {
		strbuf_adds(out, "       ");
		frames_format(&frames, 7, out);
	}
	frames_release(&frames);
}

void ending_format(const struct ending *e, struct trace *t, struct strbuf *out)
{
	struct trace_info info;
	uint32_t n = 0;

	trace_info(t, &info);
	for (uint32_t tid = 1; tid < e->threads.n; tid++) {
		if (!is_there(&e->threads.at[tid]) || n++ >= LINES)
			continue;
		strbuf_adds(out, "   ");
		words_thread(t, tid, out);
		strbuf_adds(out, "  ");
		if (tid == info.end.fault_tid)
			strbuf_adds(out, "got the signal; ");
		last_format(e, t, tid, info.end.hung, out);
		strbuf_adds(out, "\n");
		stack_format(t, &e->threads.at[tid], out);
	}
	if (n > LINES)
		strbuf_addf(out, "   and %" PRIu32 " threads more\n", n - LINES);
}

void ending_waits(const struct ending *e, struct trace *t, struct strbuf *out)
{
	struct trace_info info;
	uint32_t n = 0;

	trace_info(t, &info);
	for (uint32_t tid = 1; !info.complete && tid < e->threads.n; tid++) {
		const struct ending_thread *x = &e->threads.at[tid];

		if (!is_waiting(x) || n++ >= LINES)
			continue;
		if (n == 1)
			strbuf_adds(out, "  At the end of the recording these threads waited:\n");
		strbuf_adds(out, "    ");
		words_thread(t, tid, out);
		strbuf_adds(out, "  ");
		wait_format(e, t, tid, false, out);
		strbuf_adds(out, "  ");
		frames_place(t, x->site, x->stack, out);
		strbuf_adds(out, "\n");
	}
	if (n > LINES)
		strbuf_addf(out, "    and %" PRIu32 " more\n", n - LINES);
}

#define NAMED 3 /* threads in a title */

void ending_title(const struct ending *e, struct trace *t, const struct finding *f,
		  struct strbuf *out)
{
	struct trace_info info;
	uint32_t n = 0, at = 0;

	trace_info(t, &info);
	if (f->kind == FINDING_CRASH) {
		strbuf_adds(out, "crash");
		if (info.end.fault_tid) {
			strbuf_adds(out, " of ");
			words_thread(t, info.end.fault_tid, out);
		}
		strbuf_addf(out, ": %s", f->subject);
		return;
	}
	for (uint32_t tid = 1; tid < e->threads.n; tid++)
		n += is_there(&e->threads.at[tid]);
	strbuf_adds(out, "hang: ");
	if (n > NAMED)
		strbuf_addf(out, "%" PRIu32 " threads", n);
	for (uint32_t tid = 1; n <= NAMED && tid < e->threads.n; tid++) {
		if (!is_there(&e->threads.at[tid]))
			continue;
		strbuf_adds(out, at == 0 ? "" : at + 1 < n ? ", " : " and ");
		words_thread(t, tid, out);
		at++;
	}
	strbuf_addf(out, " wait%s for ever", n == 1 ? "s" : "");
}

void ending_words(const struct trace *t, struct strbuf *out)
{
	struct trace_info info;

	trace_info(t, &info);
	if (!info.end.known || (info.end.status == 0 && !info.end.hung))
		return;
	strbuf_adds(out, info.end.became ? "  The program became another one, which "
					 : "  The program ");
	if (info.end.hung) {
		strbuf_adds(out, "hung, and was stopped.\n");
	} else if (info.end.signal) {
		strbuf_adds(out, info.end.asked ? "was stopped on request, by " : "was killed by ");
		signal_format(info.end.signal, out);
		strbuf_adds(out, ".\n");
	} else {
		strbuf_addf(out, "ended with status %d.\n", info.end.status);
	}
}

/* ---- JSON ---- */

static const char *state_of(const struct ending_thread *t)
{
	return !t->begun ? "unstarted" : is_waiting(t) ? "waiting" : "running";
}

static void frames_json(struct trace *t, const struct ending_thread *x, struct json *j)
{
	struct frames frames = { 0 };

	frames_get(t, x->site, x->stack, &frames);
	json_open(j, "stack", '[');
	for (size_t i = 0; i < frames.at.n; i++) {
		json_open(j, NULL, '{');
		json_string(j, "file", frames.at.at[i].file);
		json_number(j, "line", frames.at.at[i].line);
		json_string(j, "function", frames.at.at[i].function);
		json_close(j, '}');
	}
	json_close(j, ']');
	frames_release(&frames);
}

static void threads_json(const struct ending *e, struct trace *t, bool hung, struct json *j)
{
	struct strbuf what = { 0 };

	json_open(j, "threads", '[');
	for (uint32_t tid = 1; tid < e->threads.n; tid++) {
		const struct ending_thread *x = &e->threads.at[tid];

		if (!is_there(x))
			continue;
		strbuf_clear(&what);
		last_format(e, t, tid, hung, &what);
		json_open(j, NULL, '{');
		json_string(j, "thread", trace_thread_name(t, tid));
		json_string(j, "label", trace_thread_label(t, tid));
		json_string(j, "state", state_of(x));
		json_string(j, "last", strbuf_str(&what));
		frames_json(t, x, j);
		json_close(j, '}');
	}
	json_close(j, ']');
	strbuf_release(&what);
}

static void number_or_null(struct json *j, const char *key, bool known, uint64_t n)
{
	if (known)
		json_number(j, key, n);
	else
		json_string(j, key, NULL);
}

void ending_json(const struct ending *e, struct trace *t, struct json *j)
{
	struct trace_info info;

	trace_info(t, &info);
	json_open(j, "program", '{');
	number_or_null(j, "status", info.end.known, (uint64_t)info.end.status);
	number_or_null(j, "signal", info.end.signal != 0, (uint64_t)info.end.signal);
	json_bool(j, "hung", info.end.hung);
	json_bool(j, "asked", info.end.asked);
	json_number(j, "threads_unstarted", ending_unstarted(e));
	json_number(j, "threads_unjoined", ending_unjoined(e));
	if (info.end.hung || info.end.signal)
		threads_json(e, t, info.end.hung, j);
	json_close(j, '}');
}
