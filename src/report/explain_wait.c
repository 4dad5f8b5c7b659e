/*
 * Threads that wait for one another, or for a signal that has gone, in words:
 *
 *	1  deadlock of T2 "left" and T3 "right" on b, a                       predicted, certified
 *	   T2 "left"   holds      a  f.c:10 in take
 *	                             f.c:30 in left
 *	               waits for  b  f.c:12 in take
 *	   T3 "right"  holds      b  f.c:20 in right
 *	               waits for  a  f.c:22 in right
 *
 *	   The run that shows it (in the observed run T2 locked b before T3 did):
 *
 *	        T2 "left"           T3 "right"
 *	     3  lock   a  :10
 *	     7                      lock   b  :20
 *	     4  lock   b  :12                           <- waits for T3
 *	     8                      lock   a  :22       <- waits for T2
 */

#include "report/explain_priv.h"

#define NAMED_THREADS 3 /* in a title */

static const char *thread(const struct explain *x, const struct evidence_event *e)
{
	return trace_thread_name(x->t, e->tid);
}

/* ---- names ---- */

static void name_format(const char *name, const char *otherwise, struct strbuf *out)
{
	strbuf_adds(out, name ? words_brief(name) : otherwise);
}

/* The condition of a wait that begins with this release. */
static void condition_format(const struct explain *x, const struct evidence_event *release,
			     struct strbuf *out)
{
	struct evidence_event park = { 0 };

	cycle_park(x->ev, release, &park);
	name_format(park.name, "a condition", out);
}

/* What it asks for: the lock, the thread, the condition. */
static void asked_format(const struct explain *x, const struct evidence_event *e,
			 struct strbuf *out)
{
	if (cycle_is_join(e))
		words_thread(x->t, e->peer, out);
	else if (cycle_is_wait(e))
		condition_format(x, e, out);
	else
		name_format(e->name, "a lock", out);
}

/* ---- title ---- */

static void threads_format(const struct explain *x, const struct cycle *c, struct strbuf *out)
{
	if (c->n > NAMED_THREADS) {
		strbuf_addf(out, "%" PRIu32 " threads", c->n);
		return;
	}
	if (c->n == 1) {
		words_thread(x->t, c->at[0].request.tid, out);
		strbuf_adds(out, " with itself");
		return;
	}
	for (uint32_t i = 0; i < c->n; i++) {
		strbuf_adds(out, i == 0 ? "" : i + 1 < c->n ? ", " : " and ");
		words_thread(x->t, c->at[i].request.tid, out);
	}
}

/* "g and a wait on c" */
static void holding_format(const struct explain *x, const struct cycle *c, struct strbuf *out)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (cycle_is_lock(&c->at[i].request))
			asked_format(x, &c->at[i].request, out);
	strbuf_adds(out, " and a wait on ");
	for (uint32_t i = 0; i < c->n; i++)
		if (cycle_is_wait(&c->at[i].request))
			asked_format(x, &c->at[i].request, out);
}

static void title_format(const struct explain *x, const struct finding *f, const struct cycle *c,
			 const char *subject, struct strbuf *out)
{
	strbuf_addf(out, "%s of ", f->kind == FINDING_LOST_WAKEUP ? "lost wakeup" : "deadlock");
	if (f->kind == FINDING_LOST_WAKEUP)
		words_thread(x->t, c->at[c->n - 1].request.tid, out);
	else
		threads_format(x, c, out);
	strbuf_adds(out, " on ");
	if (f->kind == FINDING_WAIT_HOLDING)
		holding_format(x, c, out);
	else
		strbuf_addf(out, "%s%s", subject,
			    f->kind == FINDING_JOIN_HOLDING ? " and a join" : "");
}

/* As it is told: who sleeps with a lock comes first, who sleeps for ever last. */
static void cycle_get(const struct explain *x, const struct finding *f, struct cycle *out)
{
	struct cycle_wait first;

	cycle_find(x->ev, f, out);
	if (out->n != 2 || (f->kind != FINDING_WAIT_HOLDING && f->kind != FINDING_LOST_WAKEUP) ||
	    cycle_is_wait(&out->at[0].request) == (f->kind == FINDING_WAIT_HOLDING))
		return;
	first = out->at[0];
	out->at[0] = out->at[1];
	out->at[1] = first;
}

void explain_wait_title(const struct explain *x, const struct finding *f, const char *subject,
			struct strbuf *out)
{
	struct cycle c;

	cycle_get(x, f, &c);
	title_format(x, f, &c, subject, out);
}

/* ---- who holds what and waits for what ---- */

/* A line about one event of a thread, with its stack. */
struct row {
	struct strbuf thread, object, stack;
	const char *verb;
	struct evidence_event e; /* where; pos 0: nowhere, the object is the rest of the line */
};

struct rows {
	VEC(struct row) at;
};

static struct row *row_add(struct rows *rows, const char *verb, const struct evidence_event *e)
{
	struct row *r = VEC_PUSH(&rows->at);

	memset(r, 0, sizeof(*r));
	r->verb = verb;
	if (e)
		r->e = *e;
	return r;
}

static void rows_release(struct rows *rows)
{
	for (size_t i = 0; i < rows->at.n; i++)
		VEC_RELEASE_ALL(&rows->at.at[i].thread, &rows->at.at[i].object,
				&rows->at.at[i].stack);
	VEC_RELEASE(&rows->at);
}

static const char *asking(const struct evidence_event *e)
{
	if (cycle_is_join(e))
		return "joins";
	if (cycle_is_wait(e))
		return "waits on";
	if (!cycle_is_lock(e))
		return e->op == EVENT_BROADCAST ? "broadcasts" : "signals";
	return e->op == EVENT_RACQ || e->op == EVENT_RREQ ? "waits to read" : "waits for";
}

/* Locks that are held but do not matter here, but for `known' and the mutex of a wait. */
static void others_add(const struct explain *x, struct rows *rows, const struct evidence_event *e,
		       uint64_t known)
{
	uint64_t acquires[EXPLAIN_LOCKS];
	size_t n = evidence_held(x->ev, e->pos, acquires, EXPLAIN_LOCKS);
	struct trace_site own = { 0 };
	struct evidence_event lock;
	struct row *r = NULL;

	frames_own(x->t, e->site, e->stack, &own);
	for (size_t i = 0; i < n && i < EXPLAIN_LOCKS; i++) {
		lock = evidence_get(x->ev, acquires[i]);
		if (acquires[i] == known || (cycle_is_wait(e) && cycle_is_same(&lock, e)))
			continue;
		if (!r)
			r = row_add(rows, known ? "also holds" : "holds", NULL);
		else
			strbuf_adds(&r->object, ", ");
		explain_lock(x, acquires[i], own.file, &r->object);
	}
	if (r && n > EXPLAIN_LOCKS)
		strbuf_addf(&r->object, " and %zu more", n - EXPLAIN_LOCKS);
}

/* A thread of the cycle: what the one before it waits for, other locks, what it asks for. */
static void member_add(const struct explain *x, const struct cycle *c, uint32_t i,
		       struct rows *rows)
{
	const struct evidence_event *request = &c->at[i].request;
	uint64_t held = c->closed ? c->at[cycle_before(c, i)].held : 0;
	size_t first = rows->at.n;
	struct evidence_event lock;
	struct row *r;

	if (held) {
		lock = evidence_get(x->ev, held);
		r = row_add(rows, "holds", &lock);
		name_format(lock.name, "a lock", &r->object);
		if (lock.op == EVENT_RACQ)
			strbuf_adds(&r->object, " for reading");
	}
	others_add(x, rows, request, held);
	r = row_add(rows, asking(request), request);
	asked_format(x, request, &r->object);
	words_thread(x->t, request->tid, &rows->at.at[first].thread);
}

/* The signal that T1 would send once it had the lock, if the evidence reaches so far. */
static void signal_add(const struct explain *x, const struct cycle *c, struct rows *rows)
{
	struct evidence_event signal;
	struct row *r;

	if (!remedy_signal(x->ev, c, &signal))
		return;
	r = row_add(rows, signal.op == EVENT_BROADCAST ? "then broadcasts" : "then signals",
		    &signal);
	name_format(signal.name, "a condition", &r->object);
}

/* Threads that run the same code have the same stacks: the callers are shown once. */
static void row_shorten(const struct explain *x, struct rows *rows, size_t i)
{
	struct row *r = &rows->at.at[i];

	for (size_t k = 0; k < i; k++) {
		const struct row *before = &rows->at.at[k];
		size_t first;

		if (before->e.tid == r->e.tid || before->stack.n == 0 || r->stack.n == 0 ||
		    strcmp(before->stack.at, r->stack.at) != 0)
			continue;
		first = strcspn(r->stack.at, "\n");
		if (first + 1 < r->stack.n) {
			r->stack.at[r->stack.n = first] = '\0';
			strbuf_addf(&r->stack, ", called as in %s\n", thread(x, &before->e));
		}
		return;
	}
}

static void rows_format(struct explain *x, struct rows *rows)
{
	size_t name = 0, verb = 0, object = 0, indent;

	for (size_t i = 0; i < rows->at.n; i++) {
		const struct row *r = &rows->at.at[i];

		name = explain_longer(name, r->thread.n);
		verb = explain_longer(verb, strlen(r->verb));
		if (r->e.pos)
			object = explain_longer(object, r->object.n);
	}
	indent = name + verb + object + 9;
	for (size_t i = 0; i < rows->at.n; i++)
		if (rows->at.at[i].e.pos)
			explain_stack(x, &rows->at.at[i].e, indent, &rows->at.at[i].stack);
	/* From the last, so that what is compared is whole. */
	for (size_t i = rows->at.n; i-- > 0;)
		row_shorten(x, rows, i);
	for (size_t i = 0; i < rows->at.n; i++) {
		const struct row *r = &rows->at.at[i];

		strbuf_addf(&x->out, "   %-*s  %-*s  ", (int)name, strbuf_str(&r->thread),
			    (int)verb, r->verb);
		if (r->e.pos)
			strbuf_addf(&x->out, "%-*s  %s", (int)object, strbuf_str(&r->object),
				    strbuf_str(&r->stack));
		else
			strbuf_addf(&x->out, "%s\n", strbuf_str(&r->object));
	}
}

static void members_format(struct explain *x, const struct finding *f, const struct cycle *c)
{
	struct rows rows = { 0 };

	for (uint32_t i = 0; i < c->n; i++) {
		member_add(x, c, i, &rows);
		if (f->kind == FINDING_WAIT_HOLDING && cycle_is_lock(&c->at[i].request))
			signal_add(x, c, &rows);
	}
	rows_format(x, &rows);
	rows_release(&rows);
	if (f->kind == FINDING_LOST_WAKEUP)
		strbuf_addf(&x->out,
			    "   the signal comes when nobody waits, and %s then waits for ever\n",
			    thread(x, &c->at[c->n - 1].request));
}

/* Where the locks are from, those without a name. */
static void origins_format(struct explain *x, const struct cycle *c)
{
	uint64_t requests[FINDING_EVENTS];
	size_t n = 0;

	for (uint32_t i = 0; i < c->n; i++)
		if (cycle_is_lock(&c->at[i].request))
			requests[n++] = c->at[i].request.pos;
	explain_origins(x, requests, n);
}

/* ---- the run that shows it ---- */

static void end_add(const struct explain *x, const struct cycle *c, uint32_t i,
		    struct story_wait *out)
{
	const struct evidence_event *e = &c->at[i].request;
	const char *other = c->n == 1 ? "itself" : thread(x, &c->at[cycle_after(c, i)].request);
	struct strbuf text = { 0 }, note = { 0 };

	strbuf_addf(&text, "%-6s ", cycle_is_wait(e) ? "wait on" : words_op(e));
	if (cycle_is_join(e))
		strbuf_adds(&text, trace_thread_name(x->t, e->peer));
	else
		asked_format(x, e, &text);
	if (cycle_is_join(e))
		strbuf_addf(&note, "<- waits for the end of %s", other);
	else if (cycle_is_wait(e))
		strbuf_addf(&note, "<- waits for a signal of %s", other);
	else
		strbuf_addf(&note, "<- waits for %s", other);
	out->ends[out->nends++] = (struct story_end){ e->pos, text.at, note.at };
}

/* The signal lies in the order; the wait stands at its end. */
static void lost_end(const struct explain *x, const struct cycle *c, struct story_wait *out)
{
	struct strbuf text = { 0 };

	for (uint32_t i = 0; i < c->n; i++) {
		const struct evidence_event *e = &c->at[i].request;

		if (!cycle_is_wait(e)) {
			out->keep[out->nkeep++] = e->pos;
			continue;
		}
		strbuf_adds(&text, "wait on ");
		condition_format(x, e, &text);
		out->ends[out->nends++] =
			(struct story_end){ e->pos, text.at,
					    mem_strdup("<- waits for a signal that has gone") };
	}
}

static void picture_format(struct explain *x, const struct finding *f, const struct cycle *c,
			   const struct check_order *order)
{
	struct story_wait w = { 0 };
	struct columns columns = { 0 };

	for (uint32_t i = 0; i < c->n; i++) {
		w.targets[w.ntargets++] = c->at[i].request.pos;
		if (f->kind == FINDING_LOST_WAKEUP)
			continue;
		end_add(x, c, i, &w);
		if (c->at[i].held)
			w.keep[w.nkeep++] = c->at[i].held;
	}
	if (f->kind == FINDING_LOST_WAKEUP)
		lost_end(x, c, &w);
	story_waits(explain_story(x), f, &w, order->at.at, order->at.n, &columns);
	explain_picture(x, f, &columns);
	story_wait_release(&w);
}

static void schedule_format(struct explain *x, const struct finding *f, const struct cycle *c)
{
	bool whole = evidence_count(x->ev) == x->r->events;
	bool happened = remedy_happened(x->ev, f, c, whole);
	VEC_SCOPED struct check_order order = { 0 };

	if (happened)
		strbuf_adds(&x->out, "\n   It happened in the recorded run: that ended there.\n");
	/* What is no more than a warning may have a run that holds as far as the recording goes. */
	if (f->claimed && check_expand(x->ev, &f->schedule, &order)) {
		strbuf_addf(&x->out, "%s   %s", happened ? "" : "\n",
			    happened			   ? "How it came to that"
			    : f->status == FINDING_WARNING ? "A run that may show it"
							   : "The run that shows it");
		if (!happened) {
			strbuf_adds(&x->out, " (");
			remedy_hidden(x->ev, f, c, &x->out);
			strbuf_adds(&x->out, ")");
		}
		strbuf_adds(&x->out, ":\n\n");
		picture_format(x, f, c, &order);
	}
}

/* What would prevent it, apart from the picture if there is one. */
static void remedy_add(struct explain *x, const struct finding *f, const struct cycle *c)
{
	STRBUF_SCOPED words = { 0 };

	remedy_format(x->ev, f, c, &words);
	if (words.n)
		strbuf_addf(&x->out, "%s   %s\n", f->claimed ? "\n" : "", words.at);
}

void explain_wait(struct explain *x, const struct finding *f, const char *subject)
{
	size_t start = x->out.n;
	struct cycle c;

	cycle_get(x, f, &c);
	strbuf_addf(&x->out, "%" PRIu32 "  ", f->id);
	title_format(x, f, &c, subject, &x->out);
	explain_sure(x, f, start);
	members_format(x, f, &c);
	origins_format(x, &c);
	schedule_format(x, f, &c);
	remedy_add(x, f, &c);
}
