#include "replay/tell.h"

#include "report/frames.h"
#include "report/show.h"
#include "report/words.h"
#include "replay/replay.h"
#include "replay/scratch.h"
#include "replay/why.h"
#include "trace/trace.h"

/* Of an output that is shown. */
#define LINES_MOST 5
#define LINE_WIDE 200 /* characters */

/* ---- words ---- */

const char *tell_op(const struct replay_result *r, uint32_t thread)
{
	const struct plan_step *s = point_target(r->plan.head, thread);

	if (!s)
		return "event";
	if (s->op == EVENT_REL && r->plan.head->kind != FINDING_RACE)
		return "wait";
	if (s->op == EVENT_REQ)
		return "lock";
	if (s->op == EVENT_RREQ)
		return "read lock";
	if (s->op == EVENT_JOINING)
		return "join";
	return show_op(s->op);
}

void tell_order(const struct replay_result *r, int first, struct strbuf *out)
{
	const struct point_seats *p = &r->runs[0].result.point;
	const char *a, *b;

	if (p->n != 2)
		return;
	a = tell_op(r, p->at[first]);
	b = tell_op(r, p->at[!first]);
	if (strcmp(a, b) != 0) {
		strbuf_addf(out, "%s, %s", a, b);
		return;
	}
	why_thread(r, p->at[first], out);
	strbuf_adds(out, ", ");
	why_thread(r, p->at[!first], out);
}

/* Which target of the claim the thread is at; -1: none. */
static int target_of(const struct replay *o, const struct replay_result *r, uint32_t thread)
{
	const struct plan_step *s = point_target(r->plan.head, thread);
	const struct claim *c = o->claim;

	for (size_t k = 0; s && k < c->targets.n; k++)
		if (s->pos == c->targets.at[k])
			return (int)k;
	return -1;
}

/* NULL: there is no recording of the run to ask. */
static const char *name_of(const struct replay_run *run, uint64_t addr)
{
	if (!run->trace)
		return NULL;
	scratch_learn(run->trace, addr);
	return trace_object_name(run->trace, addr);
}

/* "coder.mutex (0x5555...)": what has no name in this run has that of the recording. */
static void add_lock(const struct replay_run *run, uint64_t addr, const char *recorded,
		     struct strbuf *out)
{
	const char *name = name_of(run, addr);

	if (!recorded || (name && !trace_object_is_anonymous(name))) {
		tell_object(run, addr, out);
		return;
	}
	strbuf_addf(out, "%s (", words_brief(recorded));
	tell_object(run, addr, out);
	strbuf_adds(out, ")");
}

/* The thread came the same way as in the recording, so its locks are the same. */
void tell_held(const struct replay *o, const struct replay_result *r, const struct replay_run *run,
	       uint32_t thread, uint32_t i, struct strbuf *out)
{
	const struct plan_seat *s = &plan_seats(run->result.seen)[thread];
	int k = target_of(o, r, thread);
	bool same = k >= 0 && o->claim->held[k].n == s->nheld;

	add_lock(run, s->held[i].addr, same ? o->claim->held[k].at[i] : NULL, out);
}

void tell_object(const struct replay_run *run, uint64_t addr, struct strbuf *out)
{
	const char *name = name_of(run, addr);

	if (name)
		strbuf_adds(out, words_brief(name));
	else
		strbuf_addf(out, "0x%" PRIx64, addr);
}

/* ---- one thread of it ---- */

static void add_stack(const struct replay_run *run, const struct plan_seat *s, struct strbuf *out)
{
	struct frames f = { 0 };

	if (!run->trace)
		return;
	frames_get_sites(run->trace, s->op.site, s->stack,
			 s->depth < PLAN_STACK ? s->depth : PLAN_STACK, &f);
	strbuf_adds(out, "      ");
	if (f.at.n)
		frames_format(&f, 6, out);
	else
		strbuf_adds(out, "at a place not known\n");
	VEC_RELEASE(&f.at);
}

static void add_number(struct strbuf *out, const void *bytes, uint64_t n)
{
	const uint8_t *b = bytes;

	strbuf_add_number(out, bytes, n);
	strbuf_adds(out, " (");
	for (uint64_t i = 0; i < n; i++)
		strbuf_addf(out, "%s%02x", i ? " " : "", b[i]);
	strbuf_adds(out, ")");
}

/* "      there: 10 (0a 00 00 00); it is going to write 11 (0b 00 00 00)" */
static void add_access(const struct plan_op *op, struct strbuf *out)
{
	uint64_t n = op->len < 8 ? op->len : 8;

	strbuf_addf(out, "      at 0x%" PRIx64 ", %" PRIu64 " byte%s", op->addr, op->len,
		    WORDS_PLURAL(op->len));
	if (op->class != PLAN_FREE && op->len <= 8 && n > 0) {
		strbuf_adds(out, ", which hold ");
		add_number(out, op->bytes, n);
		if (op->has_value && op->writes) {
			strbuf_adds(out, " and shall become ");
			add_number(out, &op->value, n);
		}
	}
	strbuf_adds(out, op->atomic ? "; atomic\n" : "\n");
}

static void add_held(const struct replay *o, const struct replay_result *r,
		     const struct replay_run *run, uint32_t thread, struct strbuf *out)
{
	const struct plan_seat *s = &plan_seats(run->result.seen)[thread];

	if (s->nheld == 0)
		strbuf_adds(out, "      no lock held\n");
	for (uint32_t i = 0; i < s->nheld && i < PLAN_HELD; i++) {
		strbuf_adds(out, i ? "            " : "      holds ");
		tell_held(o, r, run, thread, i, out);
		strbuf_adds(out, s->held[i].shared ? " to read" : "");
		strbuf_adds(out, ", taken at ");
		if (run->trace)
			frames_location(run->trace, s->held[i].site, 0, out);
		strbuf_adds(out, "\n");
	}
}

/* What it does at the point: "stands before its write of x", "waits for m, which T3 holds". */
static void add_stand(const struct replay *o, const struct replay_result *r,
		      const struct replay_run *run, uint32_t thread, struct strbuf *out)
{
	const struct plan_head *h = run->result.seen;
	const struct plan_seat *s = &plan_seats(h)[thread];
	int holder, k = target_of(o, r, thread);

	if (s->state == PLAN_WAITS) {
		strbuf_adds(out, " waits on ");
		tell_object(run, s->cond, out);
		strbuf_adds(out, ", and nobody wakes it\n");
		return;
	}
	if (s->state != PLAN_LET_GO) {
		strbuf_addf(out, " stands before its %s of %s\n", tell_op(r, thread),
			    o->claim->subject);
		return;
	}
	holder = point_holder(h, &run->result.point, thread);
	if (holder < 0)
		holder = point_waiter(h, &run->result.point);
	strbuf_adds(out, point_is_join(&s->op) ? " waits for the end of " : " waits for ");
	if (!point_is_join(&s->op))
		add_lock(run, s->op.addr, k >= 0 ? o->claim->own[k] : NULL, out);
	if (!point_is_join(&s->op) && holder >= 0)
		strbuf_adds(out, ", which ");
	if (holder >= 0 && (uint32_t)holder == thread && !point_is_join(&s->op))
		strbuf_adds(out, "it has itself");
	else if (holder >= 0) {
		why_thread(r, (uint32_t)holder, out);
		strbuf_adds(out, point_is_join(&s->op) ? "" : " holds");
	}
	strbuf_adds(out, "\n");
}

static void add_target(const struct replay *o, const struct replay_result *r,
		       const struct replay_run *run, uint32_t thread, struct strbuf *out)
{
	const struct plan_seat *s = &plan_seats(run->result.seen)[thread];

	strbuf_adds(out, "  ");
	why_thread(r, thread, out);
	add_stand(o, r, run, thread, out);
	add_stack(run, s, out);
	if (s->op.kind == 0)
		add_access(&s->op, out);
	add_held(o, r, run, thread, out);
}

/* The signal that came too early: the target that does not stand. */
static void add_signal(const struct replay *o, const struct replay_result *r, struct strbuf *out)
{
	const struct claim *c = o->claim;
	const struct point_seats *p = &r->runs[0].result.point;

	for (size_t i = 0; i < c->targets.n && p->n == 1; i++) {
		if (c->targets.at[i] == point_target(r->plan.head, p->at[0])->pos)
			continue;
		strbuf_adds(out, "  ");
		words_thread(r->recorded, c->tids[i], out);
		strbuf_adds(out, " signalled before that, at ");
		frames_location(r->recorded, c->sites[i], 0, out);
		strbuf_adds(out, ", and nobody does it again\n");
	}
	if (r->runs[0].result.open)
		strbuf_adds(out, "  (a thread waits for something from outside, input or a signal, "
				 "or a process that the program has started lives: what comes "
				 "there may still lead to another one)\n");
}

static void add_targets(const struct replay *o, const struct replay_result *r, struct strbuf *out)
{
	const struct replay_run *run = &r->runs[0];
	const struct point_seats *p = &run->result.point;
	int waiter;

	for (uint32_t k = 0; k < p->n; k++)
		add_target(o, r, run, p->at[k], out);
	/* The wait may have begun before the point. */
	if (o->claim->kind == FINDING_WAIT_HOLDING) {
		waiter = point_waiter(run->result.seen, p);
		for (uint32_t k = 0; k < p->n; k++)
			if ((int)p->at[k] == waiter)
				waiter = -1;
		if (waiter >= 0)
			add_target(o, r, run, (uint32_t)waiter, out);
	}
	if (o->claim->kind == FINDING_LOST_WAKEUP)
		add_signal(o, r, out);
	if (o->claim->property)
		strbuf_addf(out,
			    "  the %zu event%s that the property looks at came in this order, and "
			    "what they wrote was as recorded:\n\n%s",
			    o->claim->looks.n, WORDS_PLURAL(o->claim->looks.n),
			    o->claim->states ? o->claim->states : "");
}

/* ---- what came after ---- */

/* The first lines. */
static void add_lines(const struct strbuf *text, struct strbuf *out)
{
	size_t at = 0;

	for (int i = 0; i < LINES_MOST && at < text->n; i++) {
		strbuf_adds(out, "      | ");
		at = outcome_line(text, at, LINE_WIDE, out) + 1;
		strbuf_adds(out, "\n");
	}
	if (at < text->n)
		strbuf_adds(out, "      | ...\n");
}

static void add_outcome(const struct replay *o, const struct replay_result *r, int number,
			struct strbuf *out)
{
	const struct outcome *x = &r->runs[number].outcome;
	int first = o->first == REPLAY_BOTH ? number : o->first;

	strbuf_adds(out, "  ");
	tell_order(r, first, out);
	strbuf_adds(out, ": the program ");
	outcome_end(x, o->time, out);
	if (x->nbytes) {
		strbuf_adds(out, "; right after the two, there is ");
		strbuf_add_number(out, x->bytes, x->nbytes);
	}
	strbuf_adds(out, "\n");
	add_lines(&x->out, out);
	add_lines(&x->err, out);
}

/* Of a free and a use: what the program makes of it may look harmless. */
static void add_stale(const struct replay_result *r, const char *first, const char *second,
		      struct strbuf *out)
{
	const struct supervise_result *x = &r->runs[0].result;

	for (uint32_t k = 0; k < 2 && x->point.n == 2; k++) {
		if (plan_seats(x->seen)[x->point.at[k]].op.class != PLAN_FREE)
			continue;
		strbuf_addf(out, "the order %s uses freed memory; apart from that, ",
			    k ? second : first);
		return;
	}
}

/* Both orders of a race were tried: how the second one differed. */
static void add_difference(const struct replay *o, const struct replay_result *r,
			   struct strbuf *out)
{
	struct strbuf first = { 0 }, second = { 0 };
	int fickle = replay_fickle(r);

	tell_order(r, 0, &first);
	tell_order(r, 1, &second);
	if (r->runs[1].outcome.known) {
		add_stale(r, strbuf_str(&first), strbuf_str(&second), out);
		outcome_words(&r->runs[0].outcome, strbuf_str(&first), &r->runs[1].outcome,
			      strbuf_str(&second), o->time, out);
		if (fickle >= 0)
			strbuf_addf(
				out,
				"; but two runs of the order %s differ as well: it may have another cause",
				strbuf_str(fickle ? &second : &first));
	} else {
		strbuf_addf(out,
			    "%s: the point was not reached a second time: ", strbuf_str(&second));
		why_words(r, &r->runs[1], out);
	}
	strbuf_release(&first);
	strbuf_release(&second);
}

/* Of a read that has all bytes of a write: what the read sees depends on who comes first. */
static void add_seen(const struct replay_result *r, struct strbuf *out)
{
	const struct supervise_result *x = &r->runs[0].result;
	const struct plan_op *a, *b;

	if (x->point.n != 2)
		return;
	a = &plan_seats(x->seen)[x->point.at[0]].op;
	b = &plan_seats(x->seen)[x->point.at[1]].op;
	if (a->writes) {
		const struct plan_op *swap = a;

		a = b;
		b = swap;
	}
	if (a->writes || !b->writes || !b->has_value || a->kind || b->kind || b->len > 8 ||
	    a->addr > b->addr || a->addr + a->len < b->addr + b->len)
		return;
	if (memcmp(b->bytes, &b->value, b->len) == 0) {
		strbuf_adds(out, "  the write changes nothing here: it writes what is there\n");
		return;
	}
	if (a->len != b->len)
		return;
	strbuf_adds(out, "  the read sees ");
	strbuf_add_number(out, a->bytes, a->len);
	strbuf_adds(out, " when it comes first, ");
	strbuf_add_number(out, &b->value, a->len);
	strbuf_adds(out, " when it comes second\n");
}

static void add_after(const struct replay *o, const struct replay_result *r, struct strbuf *out)
{
	if (!r->runs[0].outcome.known)
		return;
	strbuf_adds(out, "\n");
	add_seen(r, out);
	add_outcome(o, r, 0, out);
	if (r->nruns < 2)
		return;
	if (r->runs[1].outcome.known) {
		add_outcome(o, r, 1, out);
		strbuf_adds(out, "\n");
	}
	strbuf_adds(out, "  ");
	add_difference(o, r, out);
	strbuf_adds(out, "\n");
}

void tell_brief(const struct replay *o, const struct replay_result *r, struct strbuf *out)
{
	if (!replay_succeeded(r))
		why_words(r, &r->runs[0], out);
	else if (r->nruns >= 2 && r->runs[0].outcome.known)
		add_difference(o, r, out);
	else
		strbuf_addf(out, "the program came there in %.2f s", r->runs[0].result.seconds);
}

/* ---- all of it ---- */

uint32_t tell_reach(const struct replay_result *r)
{
	const struct plan_head *h = r->plan.head;
	uint32_t n = 0;

	for (uint32_t i = 0; i < h->nthreads; i++)
		n += plan_threads(h)[i].events > 0;
	return n;
}

static void add_forced(const struct replay_result *r, struct strbuf *out)
{
	uint32_t reach = tell_reach(r);

	strbuf_addf(out,
		    "  forced: %" PRIu64 " event%s of %" PRIu32 " thread%s, with %" PRIu64
		    " wait%s of one for another; there after %.2f s",
		    r->plan.events, WORDS_PLURAL(r->plan.events), reach, WORDS_PLURAL(reach),
		    r->plan.edges, WORDS_PLURAL(r->plan.edges), r->runs[0].result.seconds);
	if (r->runs[0].tries > 1)
		strbuf_addf(out, ", at try %d", r->runs[0].tries);
	strbuf_adds(out, "\n\n");
}

#define THREADS_MOST 40 /* in a table */

static void add_threads(const struct replay_result *r, const struct replay_run *run,
			struct strbuf *out)
{
	uint32_t n = r->plan.head->nthreads;

	for (uint32_t i = 0; i < n && i < THREADS_MOST; i++) {
		strbuf_adds(out, "  ");
		why_thread(r, i, out);
		strbuf_adds(out, "  ");
		why_state(r, run, i, out);
		strbuf_adds(out, "\n");
	}
	if (n > THREADS_MOST)
		strbuf_addf(out, "  and %" PRIu32 " more\n", n - THREADS_MOST);
}

static void add_failure(const struct replay_result *r, struct strbuf *out)
{
	const struct replay_run *run = &r->runs[0];
	enum supervise_end end = run->result.end;

	strbuf_adds(out, "  ");
	why_words(r, run, out);
	strbuf_adds(out, "\n");
	if (*why_cause(run))
		strbuf_addf(out, "  (%s)\n", why_cause(run));
	if (run->tries > 1)
		strbuf_addf(out, "  the last of %d tries\n", run->tries);
	if (run->result.seen && end != SUPERVISE_DEAF && end != SUPERVISE_ASKED &&
	    end != SUPERVISE_DIVERGED) {
		strbuf_adds(out, "\n");
		add_threads(r, run, out);
	}
	if (run->outcome.err.n && (end == SUPERVISE_ENDED || end == SUPERVISE_DEAF)) {
		strbuf_adds(out, "\n  the program said:\n");
		add_lines(&run->outcome.err, out);
	}
}

void tell_print(const struct replay *o, const struct replay_result *r, FILE *to)
{
	bool good = replay_succeeded(r);
	struct strbuf out = { 0 };

	strbuf_addf(&out, "%s: %s\n", good ? "replayed" : "not replayed", o->claim->title);
	if (good) {
		add_forced(r, &out);
		add_targets(o, r, &out);
		add_after(o, r, &out);
	} else {
		add_failure(r, &out);
	}
	fwrite(out.at, 1, out.n, to);
	strbuf_release(&out);
}
