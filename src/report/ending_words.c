/* How the run ended, in words and in JSON. */
#include "report/ending.h"

#include "report/frames.h"
#include "report/json.h"
#include "report/show.h"
#include "report/words.h"
#include "trace/event.h"
#include "trace/format.h"
#include "trace/trace.h"

#define LINES 20 /* of many threads most wait at the same site */

/* Why the thread that it waits for does nothing. */
static void peer_format(const struct ending *e, const struct trace *t, uint32_t tid,
			struct strbuf *out)
{
	const struct ending_thread *x = ending_thread_of(e, tid);
	const char *name = trace_thread_name(t, tid);

	if (!x)
		strbuf_addf(out, ", and %s has not begun", name);
	else if (x->ended)
		strbuf_addf(out, ", and %s has ended", name);
	else if (ending_is_waiting(x))
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
	} else if (ending_is_waiting(x)) {
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

void ending_format(const struct ending *e, struct trace *t, struct strbuf *out)
{
	uint32_t n = 0;
	struct trace_info info = trace_info(t);

	for (uint32_t tid = 1; tid < e->threads.n; tid++) {
		const struct ending_thread *x = &e->threads.at[tid];
		STRBUF_SCOPED stack = { 0 };

		if (!is_there(x) || n++ >= LINES)
			continue;
		strbuf_adds(out, "   ");
		words_thread(t, tid, out);
		strbuf_adds(out, "  ");
		if (tid == info.end.fault_tid)
			strbuf_adds(out, "got the signal; ");
		last_format(e, t, tid, info.end.hung, out);
		if (x->pos)
			frames_stack(t, x->op, x->site, x->stack, 7, &stack);
		strbuf_addf(out, stack.n ? "\n       %s" : "\n%s", strbuf_str(&stack));
	}
	if (n > LINES)
		strbuf_addf(out, "   and %" PRIu32 " threads more\n", n - LINES);
}

void ending_waits(const struct ending *e, struct trace *t, struct strbuf *out)
{
	uint32_t n = 0;
	struct trace_info info = trace_info(t);

	for (uint32_t tid = 1; !info.complete && tid < e->threads.n; tid++) {
		const struct ending_thread *x = &e->threads.at[tid];

		if (!ending_is_waiting(x) || n++ >= LINES)
			continue;
		if (n == 1)
			strbuf_adds(out, "  At the end of the recording these threads waited:\n");
		strbuf_adds(out, "    ");
		words_thread(t, tid, out);
		strbuf_adds(out, "  ");
		wait_format(e, t, tid, false, out);
		strbuf_adds(out, "  ");
		frames_location(t, x->site, x->stack, out);
		strbuf_adds(out, "\n");
	}
	if (n > LINES)
		strbuf_addf(out, "    and %" PRIu32 " more\n", n - LINES);
}

#define NAMED 3 /* threads in a title */

void ending_title(const struct ending *e, struct trace *t, const struct finding *f,
		  struct strbuf *out)
{
	uint32_t n = 0, at = 0;
	struct trace_info info = trace_info(t);

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
	struct trace_info info = trace_info(t);

	if (!info.end.known || (info.end.status == 0 && !info.end.hung))
		return;
	strbuf_adds(out, info.end.became ? "  The program became another one, which "
					 : "  The program ");
	if (info.end.hung) {
		strbuf_adds(out, "hung, and was stopped.\n");
	} else if (info.end.signal) {
		strbuf_adds(out, info.end.asked ? "was stopped on request, by " : "was killed by ");
		ending_signal_format(info.end.signal, out);
		strbuf_adds(out, ".\n");
	} else {
		strbuf_addf(out, "ended with status %d.\n", info.end.status);
	}
}

/* ---- JSON ---- */

static const char *state_of(const struct ending_thread *t)
{
	return !t->begun ? "unstarted" : ending_is_waiting(t) ? "waiting" : "running";
}

static void frames_json(struct trace *t, const struct ending_thread *x, struct json *j)
{
	VEC_SCOPED struct frames frames = { 0 };

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
}

static void threads_json(const struct ending *e, struct trace *t, bool hung, struct json *j)
{
	STRBUF_SCOPED what = { 0 };

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
	struct trace_info info = trace_info(t);

	json_open(j, "program", '{');
	number_or_null(j, "status", info.end.known, (uint64_t)info.end.status);
	number_or_null(j, "signal", info.end.signal != 0, (uint64_t)info.end.signal);
	json_bool(j, "hung", info.end.hung);
	json_bool(j, "asked", info.end.asked);
	json_number(j, "threads_unstarted", ending_counts(e).unstarted);
	json_number(j, "threads_unjoined", ending_counts(e).unjoined);
	if (info.end.hung || info.end.signal)
		threads_json(e, t, info.end.hung, j);
	json_close(j, '}');
}
