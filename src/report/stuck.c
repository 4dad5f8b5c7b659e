#include "report/stuck.h"

#include "base/diag.h"
#include "base/map.h"
#include "base/vec.h"
#include "report/frames.h"
#include "report/words.h"
#include "trace/trace.h"

#define LINES 20 /* of many threads most wait at the same place */

/* The last thing that a thread did. */
struct last {
	uint8_t op;
	uint32_t site, stack, peer;
	uint64_t addr;
};

struct stuck {
	VEC(struct last) threads; /* [tid] */
	struct map holders;	  /* address of a lock, to tid << 32 | depth; not of readers */
};

/* A lock and its holder.  Who took it how often is counted here: an inner acquire is one too. */
static void lock_event(struct stuck *s, const struct event *e)
{
	uint64_t *holder;

	if (e->op == EVENT_LOCK_INIT) {
		map_remove(&s->holders, e->addr);
		return;
	}
	holder = map_put(&s->holders, e->addr, NULL);
	if (*holder >> 32 != e->tid)
		*holder = (uint64_t)e->tid << 32;
	if (e->op == EVENT_ACQ)
		++*holder;
	else if ((uint32_t)*holder > 0)
		--*holder;
}

static void event_take(struct stuck *s, const struct event *e)
{
	VEC_REACH(&s->threads, e->tid);
	s->threads.at[e->tid] = (struct last){ e->op, e->site, e->stack, e->peer, e->addr };
	if (e->op == EVENT_ACQ || e->op == EVENT_REL || e->op == EVENT_LOCK_INIT)
		lock_event(s, e);
}

static bool is_waiting(const struct last *l)
{
	return l->op == EVENT_REQ || l->op == EVENT_RREQ || l->op == EVENT_JOINING ||
	       l->op == EVENT_PARK;
}

/* "for a, which T2 holds" */
static void what_format(const struct stuck *s, struct trace *t, uint32_t tid, struct strbuf *out)
{
	const struct last *l = &s->threads.at[tid];
	const uint64_t *holder = map_get(&s->holders, l->addr);
	const char *name, *path;

	if (l->op == EVENT_JOINING) {
		strbuf_adds(out, "for the end of ");
		words_thread(t, l->peer, out);
		return;
	}
	name = words_brief(trace_object_name(t, l->addr));
	path = trace_object_is_anonymous(name) ? frames_variable(t, l->site, l->stack) : NULL;
	strbuf_addf(out, "for %s", l->op == EVENT_PARK ? "a signal of " : "");
	strbuf_addf(out, path ? "%s (%s)" : "%.0s%s", path ? path : "", name);
	if (l->op == EVENT_PARK || !holder || (uint32_t)*holder == 0)
		return;
	if (*holder >> 32 == tid)
		strbuf_adds(out, ", which it holds itself");
	else
		strbuf_addf(out, ", which %s holds",
			    trace_thread_name(t, (uint32_t)(*holder >> 32)));
}

static void line_format(const struct stuck *s, struct trace *t, uint32_t tid, struct strbuf *out)
{
	const struct last *l = &s->threads.at[tid];

	strbuf_adds(out, "    ");
	words_thread(t, tid, out);
	strbuf_adds(out, "  ");
	what_format(s, t, tid, out);
	strbuf_adds(out, "  ");
	frames_place(t, l->site, l->stack, out);
	strbuf_adds(out, "\n");
}

void stuck_format(struct trace *t, struct strbuf *out)
{
	struct stuck s = { 0 };
	struct diag d = { 0 };
	struct event e;
	enum status st;
	uint32_t n = 0;

	map_init(&s.holders);
	while ((st = trace_next(t, &e, &d)) == ST_OK)
		event_take(&s, &e);
	for (uint32_t tid = 1; tid < s.threads.n && st == ST_END; tid++) {
		if (!is_waiting(&s.threads.at[tid]))
			continue;
		if (n++ == 0)
			strbuf_adds(out, "  At the end of the recording these threads waited:\n");
		if (n <= LINES)
			line_format(&s, t, tid, out);
	}
	if (n > LINES)
		strbuf_addf(out, "    and %u more\n", n - LINES);
	map_release(&s.holders);
	VEC_RELEASE(&s.threads);
}
