/*
 * Where unseen code may have had its hands in memory and semaphores.
 *
 *	T1  call of qsort (opaque)  |  comparator: r  r  |  ...  |  w
 *	    `------------- inside unseen code ------------------'
 *
 * A call of unseen code lasts until the thread's next event that did not come
 * from there.  What comes from there shows by its site, or, in a callback, by
 * the site that its frame on top of the caller's stack was called from: that of the
 * call itself or, after a first callback, none that is known.
 *
 * A signal handler that came in the middle of a hook did what it did unrecorded
 * (NESTED), and nothing orders that before what others saw of it.  So what
 * a handler can explain is a doubt until the end of the trace tells whether
 * there was one.  So it is with a thread that unseen code has made for itself: it says OPAQUE, of no
 * site, when it begins, and writes whenever it likes.  But it posts semaphores by calls that are
 * recorded.
 */
#include <stdarg.h>
#include <string.h>

#include "witness/selfcheck_priv.h"

/* A numbered event has a number that its thread has not used yet. */
static bool event_is_nested(const struct selfcheck *s, const struct selfcheck_thread *t,
			    const struct event *e)
{
	return s->binary && e->op == EVENT_OPAQUE && e->tseq <= t->last;
}

static bool event_is_from_unseen(const struct selfcheck *s, const struct selfcheck_thread *t,
				 const struct event *e)
{
	const uint32_t *sites;
	uint32_t depth = trace_stack(s->trace, e->stack, &sites), from;

	if (depth < t->unseen_depth)
		return false;
	from = depth == t->unseen_depth ? e->site : sites[depth - 1 - t->unseen_depth];
	return from == 0 || from == t->unseen_site;
}

void selfcheck_unseen_event(struct selfcheck *s, const struct event *e)
{
	struct selfcheck_thread *t = selfcheck_thread(s, e->tid);
	uint64_t last = e->tseq + (e->flags & EVENT_RANGE ? e->nrefs : 1) - 1;
	const uint32_t *sites;

	if (e->flags & EVENT_REREAD)
		return; /* the recorder's: its stack is not where it happened */
	if (event_is_nested(s, t, e)) {
		s->ran[SELFCHECK_HANDLER] = s->ran[SELFCHECK_STRANGER] = true;
		s->memory.opaque++;
		return;
	}
	if (last > t->last)
		t->last = last;
	if (t->unseen && !event_is_from_unseen(s, t, e)) {
		t->unseen = false;
		s->nunseen--;
		s->memory.opaque++;
	}
	if (e->op == EVENT_OPAQUE && e->site == 0 && s->binary)
		s->ran[SELFCHECK_STRANGER] = true;
	if (e->op == EVENT_OPAQUE && !t->unseen) {
		t->unseen = true;
		t->unseen_site = e->site;
		t->unseen_depth = trace_stack(s->trace, e->stack, &sites);
		s->nunseen++;
		s->memory.opaque++;
	}
}

void selfcheck_doubt(struct selfcheck *s, enum selfcheck_doubt kind, const char *format, ...)
{
	struct selfcheck_result *d = &s->doubts[kind];
	va_list ap;

	if (d->contradiction)
		return;
	va_start(ap, format);
	selfcheck_describe(s, d, format, ap);
	va_end(ap);
}

void selfcheck_unseen_settle(struct selfcheck *s)
{
	for (int kind = 0; kind < SELFCHECK_DOUBTS; kind++) {
		const struct selfcheck_result *d = &s->doubts[kind];

		if (!d->contradiction || s->ran[kind] ||
		    (s->out->contradiction && s->out->pos <= d->pos))
			continue;
		s->out->contradiction = true;
		s->out->pos = d->pos;
		memcpy(s->out->what, d->what, sizeof(s->out->what));
	}
}
