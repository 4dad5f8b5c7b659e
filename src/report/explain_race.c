/*
 * A data race in words: what, by whom, under which locks, in which order.  So of a use after free,
 * whose order is that of the recorded run.
 */

#include "report/explain_priv.h"

#define PLACE_WIDTH 44

/* ---- title ---- */

/* " at +8", " at [3]": where in its object. */
static void offset_format(const struct evidence_object *o, uint64_t addr, struct strbuf *out)
{
	const char *part = o->local || o->heap ? "" : o->name + trace_object_whole(o->name);

	if (*part)
		strbuf_addf(out, " at %s", part);
	else if ((o->local || o->heap) && addr != o->alloc.addr)
		strbuf_addf(out, " at +%" PRIu64, addr - o->alloc.addr);
}

/* "4 bytes at +8, global": what can be said besides the name. */
static void object_format(const struct explain *x, const struct finding *f, struct strbuf *out)
{
	struct evidence_object o;
	struct evidence_event e = evidence_get(x->ev, f->events[0]);

	/* The life of an object has a name. */
	if (trace_info(x->t).form != TRACE_BINARY || event_op_family(e.op) != 'A' ||
	    !evidence_object(x->ev, f->events[0], &o))
		return;
	strbuf_addf(out, "%" PRIu64 " byte%s", e.len, WORDS_PLURAL(e.len));
	offset_format(&o, e.addr, out);
	if (o.heap)
		strbuf_addf(out, " in %.*s of %" PRIu64 " bytes", (int)trace_object_whole(o.name),
			    o.name, o.alloc.len);
	else if (o.local)
		strbuf_addf(out, ", local of %s", trace_thread_name(x->t, o.alloc.tid));
	else if (strncmp(o.name, "stack", 5) == 0)
		strbuf_addf(out, " in the %.*s", (int)trace_object_whole(o.name), o.name);
	else if (strncmp(o.name, "0x", 2) == 0)
		strbuf_addf(out, " at %s", o.name);
	else
		strbuf_adds(out, ", global");
}

/* "4 bytes at +8 in heap#1 of 40 bytes": which part of which block. */
static void block_format(const struct explain *x, const struct finding *f, struct strbuf *out)
{
	struct evidence_object o;
	struct evidence_event e = evidence_get(x->ev, f->events[1]);

	if (trace_info(x->t).form != TRACE_BINARY || !evidence_object(x->ev, f->events[0], &o) ||
	    !o.heap)
		return;
	if (f->kind == FINDING_USE_AFTER_FREE && event_op_family(e.op) == 'A')
		strbuf_addf(out, "%" PRIu64 " byte%s at +%" PRIu64 " ", e.len, WORDS_PLURAL(e.len),
			    e.addr - o.alloc.addr);
	if (f->kind == FINDING_USE_AFTER_FREE)
		strbuf_addf(out, "in %.*s of ", (int)trace_object_whole(o.name), o.name);
	strbuf_addf(out, "%" PRIu64 " bytes", o.alloc.len);
}

static void title(struct explain *x, const struct finding *f, const char *subject)
{
	STRBUF_SCOPED about = { 0 };
	size_t start = x->out.n;
	bool fits;

	strbuf_addf(&x->out, "%" PRIu32 "  %s %s %s", f->id, finding_kind_title(f->kind),
		    finding_is_stale(f) ? "of" : "on", subject);
	if (finding_is_stale(f))
		block_format(x, f, &about);
	else
		object_format(x, f, &about);
	fits = x->out.n - start + about.n + strlen(" ()  predicted, certified") <=
	       (size_t)x->opt->width;
	if (about.n && fits)
		strbuf_addf(&x->out, " (%s)", about.at);
	explain_sure(x, f, start);
	if (about.n && !fits)
		strbuf_addf(&x->out, "   %s\n", about.at);
}

/* ---- the accesses ---- */

/* "holds m (:31)"; locations in `file' by their line alone. */
static void held_format(const struct explain *x, uint64_t pos, const char *file, struct strbuf *out)
{
	uint64_t acquires[EXPLAIN_LOCKS];
	size_t n = evidence_held(x->ev, pos, acquires, EXPLAIN_LOCKS);

	if (n == 0) {
		strbuf_adds(out, "no lock held");
		return;
	}
	for (size_t i = 0; i < n && i < EXPLAIN_LOCKS; i++) {
		strbuf_adds(out, i ? ", " : "holds ");
		explain_lock(x, acquires[i], file, out);
	}
	if (n > EXPLAIN_LOCKS)
		strbuf_addf(out, " and %zu more", n - EXPLAIN_LOCKS);
}

/* One access in words, before it is known how they line up. */
struct access {
	struct evidence_event e;
	struct strbuf thread, held, stack;
	size_t first; /* length of the stack's first line */
};

struct widths {
	size_t thread, op;
	bool below; /* no room for the locks beside the location */
};

static void access_init(const struct explain *x, uint64_t pos, struct access *a)
{
	struct trace_site own = { 0 };

	memset(a, 0, sizeof(*a));
	a->e = evidence_get(x->ev, pos);
	words_thread(x->t, a->e.tid, &a->thread);
	frames_own(x->t, a->e.site, a->e.stack, &own);
	held_format(x, pos, own.file, &a->held);
}

static void access_format(struct explain *x, const struct access *a, const struct widths *w)
{
	size_t start;

	strbuf_addf(&x->out, "   %-*s  %-*s  ", (int)w->thread, strbuf_str(&a->thread), (int)w->op,
		    words_op(&a->e));
	start = x->out.n;
	strbuf_add(&x->out, a->stack.at, a->first);
	if (!w->below) {
		explain_pad(&x->out, start, PLACE_WIDTH);
		strbuf_adds(&x->out, strbuf_str(&a->held));
	}
	strbuf_adds(&x->out, a->stack.at + a->first);
	if (w->below)
		strbuf_addf(&x->out, "%*s%s\n", (int)(w->thread + w->op + 7), "",
			    strbuf_str(&a->held));
}

void explain_accesses(struct explain *x, const uint64_t *events, uint32_t n)
{
	struct access at[FINDING_EVENTS];
	struct widths w = { 0 };

	for (uint32_t i = 0; i < n; i++) {
		access_init(x, events[i], &at[i]);
		w.thread = explain_longer(w.thread, at[i].thread.n);
		w.op = explain_longer(w.op, strlen(words_op(&at[i].e)));
	}
	for (uint32_t i = 0; i < n; i++) {
		struct access *a = &at[i];
		size_t indent = w.thread + w.op + 7;

		explain_stack(x, &a->e, indent, &a->stack);
		a->first = strcspn(a->stack.at, "\n");
		w.below |= indent + explain_longer(a->first + 2, PLACE_WIDTH) + a->held.n >
			   (size_t)x->opt->width;
	}
	for (uint32_t i = 0; i < n; i++) {
		access_format(x, &at[i], &w);
		VEC_RELEASE_ALL(&at[i].thread, &at[i].held, &at[i].stack);
	}
}

static bool is_end(const struct evidence_event *e)
{
	return strcmp(words_op(e), "destroy") == 0 || strcmp(words_op(e), "init") == 0;
}

/* What it means when memory, or an object, comes to its end. */
static void life_format(struct explain *x, const struct finding *f)
{
	struct evidence_event e[2] = { evidence_get(x->ev, f->events[0]),
				       evidence_get(x->ev, f->events[1]) };
	int end;

	if ((e[0].flags | e[1].flags) & EVENT_SCOPE)
		strbuf_adds(&x->out, e[0].flags & EVENT_SCOPE
					     ? "   its scope ended first in the recorded run: the "
					       "other used what was gone\n"
					     : "   if its scope ends first, the other uses what is "
					       "gone\n");
	else if (e[0].op == EVENT_FREE)
		strbuf_adds(&x->out, "   the free came first in the recorded run: the other was a "
				     "use after free\n");
	else if (e[1].op == EVENT_FREE)
		strbuf_adds(&x->out, "   if the free comes first, the other is a use after free\n");
	if (e[0].op == EVENT_FREE || e[1].op == EVENT_FREE || (!is_end(&e[0]) && !is_end(&e[1])))
		return;
	end = is_end(&e[1]);
	strbuf_addf(&x->out, "   %s may %s it while %s may still %s it\n",
		    trace_thread_name(x->t, e[end].tid), words_op(&e[end]),
		    trace_thread_name(x->t, e[!end].tid), words_op(&e[!end]));
}

/* ---- the run that shows it ---- */

static void schedule_format(struct explain *x, const struct finding *f)
{
	VEC_SCOPED struct check_order order = { 0 };
	struct columns c = { 0 };

	if (f->status != FINDING_WARNING && check_expand(x->ev, &f->schedule, &order)) {
		strbuf_adds(&x->out, "\n   The run that shows it (");
		story_hidden(x->ev, f, &x->out);
		strbuf_adds(&x->out, "):\n\n");
		story_columns(explain_story(x), f, order.at.at, order.at.n, &c);
		explain_picture(x, f, &c);
	}
}

void explain_race(struct explain *x, const struct finding *f, const char *subject)
{
	title(x, f, subject);
	explain_accesses(x, f->events, f->nevents);
	life_format(x, f);
	explain_origins(x, f->events, 1);
	schedule_format(x, f);
}

void explain_stale(struct explain *x, const struct finding *f, const char *subject)
{
	title(x, f, subject);
	explain_accesses(x, f->events, f->nevents);
	strbuf_adds(&x->out, "   in this order, and nobody had got the memory again\n");
	explain_origins(x, f->events, 1);
}
