#include "witness/selfcheck.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "witness/selfcheck_priv.h"

void selfcheck_describe(struct selfcheck *s, struct selfcheck_result *r, const char *format,
			va_list ap)
{
	const struct event *e = s->e;
	struct trace_site place;
	int n;

	r->contradiction = true;
	r->pos = e->pos;
	n = snprintf(r->what, sizeof(r->what), "event %llu (%s %s, its %llu.",
		     (unsigned long long)e->pos, trace_thread_name(s->trace, e->tid),
		     event_op_name(e->op), (unsigned long long)e->tseq);
	if (e->site != 0 && trace_site(s->trace, e->site, &place) && place.file)
		n += snprintf(r->what + n, sizeof(r->what) - (size_t)n, ", %.100s:%u", place.file,
			      place.line);
	n += snprintf(r->what + n, sizeof(r->what) - (size_t)n, "): ");
	vsnprintf(r->what + n, sizeof(r->what) - (size_t)n, format, ap);
}

void selfcheck_fail(struct selfcheck *s, const char *format, ...)
{
	va_list ap;

	if (s->out->contradiction)
		return;
	va_start(ap, format);
	selfcheck_describe(s, s->out, format, ap);
	va_end(ap);
}

struct selfcheck_thread *selfcheck_thread(struct selfcheck *s, uint32_t tid)
{
	VEC_REACH(&s->threads, tid);
	return &s->threads.at[tid];
}

static void thread_event(struct selfcheck *s, const struct event *e)
{
	struct selfcheck_thread *t = selfcheck_thread(s, e->tid), *peer;

	if (t->ended)
		selfcheck_fail(s, "the thread has ended before");
	if (t->joined)
		selfcheck_fail(s, "the thread was joined before");
	if (e->op == EVENT_THREAD_BEGIN && e->peer != 0 && !t->forked)
		selfcheck_fail(s, "the thread was not forked before");
	t->ran = true;
	switch (e->op) {
	case EVENT_FORK:
		peer = selfcheck_thread(s, e->peer);
		if (peer->ran)
			selfcheck_fail(s, "%s ran before its fork",
				       trace_thread_name(s->trace, e->peer));
		peer->forked = true;
		break;
	case EVENT_JOIN:
		peer = selfcheck_thread(s, e->peer);
		if (s->binary && e->peer_tseq != 0 && !peer->ended)
			selfcheck_fail(s, "%s has not ended", trace_thread_name(s->trace, e->peer));
		peer->joined = !s->binary || e->peer_tseq != 0;
		break;
	case EVENT_JOINING:
		if (selfcheck_thread(s, e->peer)->joined)
			selfcheck_fail(s, "%s was joined before",
				       trace_thread_name(s->trace, e->peer));
		break;
	case EVENT_THREAD_END:
		t->ended = true;
		break;
	default:
		break;
	}
}

enum status selfcheck_run(struct trace *t, struct selfcheck_result *out, struct diag *d)
{
	static const char impossible[] = "contradiction: ";
	struct selfcheck s = { .trace = t, .out = out };
	struct trace_info info;
	struct event e;
	enum status st = ST_OK;

	memset(out, 0, sizeof(*out));
	trace_info(t, &info);
	s.binary = info.form == TRACE_BINARY;
	s.late = info.late;
	s.memory.lenient = info.partial;
	while (!out->contradiction && (st = trace_next(t, &e, d)) == ST_OK) {
		s.e = &e;
		out->events++;
		thread_event(&s, &e);
		selfcheck_unseen_event(&s, &e);
		selfcheck_sync_event(&s, &e);
		selfcheck_memory_event(&s, &e);
	}
	if (st == ST_BAD_INPUT && strncmp(d->message, impossible, sizeof(impossible) - 1) == 0) {
		out->contradiction = true;
		snprintf(out->what, sizeof(out->what), "%.390s",
			 d->message + sizeof(impossible) - 1);
		diag_clear(d);
		st = ST_END;
	}
	selfcheck_unseen_settle(&s);
	selfcheck_memory_release(&s.memory);
	selfcheck_sync_release(&s.sync);
	VEC_RELEASE(&s.threads);
	return st == ST_END ? ST_OK : st;
}
