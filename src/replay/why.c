#include "replay/why.h"

#include <signal.h>

#include "replay/replay.h"
#include "report/frames.h"
#include "report/show.h"
#include "report/words.h"
#include "trace/trace.h"

void why_thread(const struct replay_result *r, uint32_t thread, struct strbuf *out)
{
	words_thread(r->recorded, plan_threads(r->plan.head)[thread].tid, out);
}

/* ---- places ---- */

static void add_place(const struct trace *t, uint32_t site, struct strbuf *out)
{
	size_t before = out->n;

	if (t && site)
		frames_location(t, site, 0, out);
	if (out->n == before)
		strbuf_adds(out, "a place not known");
}

/* The place in the recording that has this key. */
static void add_key(const struct trace *t, uint32_t key, struct strbuf *out)
{
	uint32_t n = trace_site_count(t), site = 0;
	struct trace_site p;

	for (uint32_t i = 1; i < n && site == 0 && key != 0; i++)
		if (trace_site(t, i, &p) &&
		    plan_key(p.file, p.function, p.line, p.column, p.kind) == key)
			site = i;
	add_place(t, site, out);
}

/* "write at a.c:10 in f" */
static void add_step(const struct replay_result *r, const struct plan_step *s, struct strbuf *out)
{
	if (s->class == PLAN_SIGNAL) {
		strbuf_adds(out, "a signal that comes to it");
		return;
	}
	strbuf_addf(out, "%s at ", show_op(s->op));
	add_place(r->recorded, s->site, out);
}

/* ---- divergence ---- */

static const struct plan_step *expected_step(const struct plan_head *h)
{
	const struct plan_thread *t = &plan_threads(h)[h->thread];

	return h->step < t->nsteps ? &plan_steps(h)[t->step + h->step] : NULL;
}

/* What was expected: by its key, or the step. */
static void add_expected(const struct replay_result *r, const struct plan_head *h,
			 struct strbuf *out)
{
	const struct plan_step *s = expected_step(h);

	if (s && (h->expected_key == 0 || s->key == h->expected_key))
		add_step(r, s, out);
	else
		add_key(r->recorded, h->expected_key, out);
}

static void add_values(const struct replay_run *run, const struct plan_head *h, struct strbuf *out)
{
	const struct plan_step *s = expected_step(h);

	strbuf_adds(out, "another value is written at ");
	add_place(run->trace, h->site, out);
	if (s)
		strbuf_addf(out, ": recorded %" PRId64 ", now %" PRId64, (int64_t)s->value,
			    (int64_t)h->value);
}

/* The likely cause, if the thread has called such a function. */
static void add_fickle(const struct replay_run *run, const struct plan_head *h, struct strbuf *out)
{
	const struct plan_seat *s = &plan_seats(h)[h->thread];

	if (s->fickle[0] == '\0')
		return;
	strbuf_addf(out, "; before that it called %s, which gives something else in every run, at ",
		    s->fickle);
	add_place(run->trace, s->fickle_site, out);
}

/* Which other way the thread took. */
static void way_words(const struct replay_result *r, const struct replay_run *run,
		      struct strbuf *out)
{
	const struct plan_head *h = run->result.seen;

	switch (h->diverged) {
	case PLAN_WHY_VALUE:
		add_values(run, h, out);
		return;
	case PLAN_WHY_ENDED:
		strbuf_adds(out, "expected ");
		add_expected(r, h, out);
		strbuf_adds(out, ", and the thread ended");
		return;
	default:
		strbuf_adds(out, "expected ");
		add_expected(r, h, out);
		strbuf_adds(out, h->diverged == PLAN_WHY_OPERATION
					 ? ", came "
					 : ", which did not come before ");
		add_place(run->trace, h->site, out);
	}
}

static void diverged_words(const struct replay_result *r, const struct replay_run *run,
			   struct strbuf *out)
{
	const struct plan_head *h = run->result.seen;

	if (h->thread >= h->nthreads) {
		strbuf_adds(out, "a thread that the plan does not know has left it");
		return;
	}
	why_thread(r, h->thread, out);
	strbuf_addf(out, " after %" PRIu64 " of its events: ", h->solids);
	way_words(r, run, out);
	add_fickle(run, h, out);
}

/* The thread that an error has ended the program in, and its last gate. */
static void fault_words(const struct replay_result *r, const struct replay_run *run,
			struct strbuf *out)
{
	const struct plan_head *h = run->result.seen;
	struct trace_info info = { 0 };

	if (run->trace)
		info = trace_info(run->trace);
	for (uint32_t i = 0; i < h->nthreads && info.end.fault_tid; i++) {
		const struct plan_seat *s = &plan_seats(h)[i];

		if (s->tid != info.end.fault_tid)
			continue;
		strbuf_adds(out, ", in ");
		why_thread(r, i, out);
		if (s->op.site) {
			strbuf_adds(out, ", last seen at ");
			add_place(run->trace, s->op.site, out);
		}
		return;
	}
}

static void ended_words(const struct replay_result *r, const struct replay_run *run,
			struct strbuf *out)
{
	const struct supervise_result *x = &run->result;

	if (x->process.signal) {
		strbuf_addf(out, "the program was killed by signal %d (%s) on the way there",
			    x->process.signal, strsignal(x->process.signal));
		fault_words(r, run, out);
	} else {
		strbuf_addf(out, "the program ended with status %d on the way there",
			    x->process.status);
	}
}

void why_words(const struct replay_result *r, const struct replay_run *run, struct strbuf *out)
{
	const struct supervise_result *x = &run->result;

	switch (x->end) {
	case SUPERVISE_REPLAYED:
		break;
	case SUPERVISE_REFUTED:
		strbuf_addf(out, "the order has run, but %s", strbuf_str(&x->why));
		break;
	case SUPERVISE_DIVERGED:
		diverged_words(r, run, out);
		break;
	case SUPERVISE_ENDED:
		ended_words(r, run, out);
		break;
	case SUPERVISE_STUCK:
		strbuf_adds(out, "nothing moves any more");
		break;
	case SUPERVISE_ENDLESS:
		strbuf_adds(out, "threads run, but none comes to the next event of the order");
		break;
	case SUPERVISE_SPOILED:
		strbuf_adds(out,
			    "the program has written over the plan that it shares with foresee");
		break;
	case SUPERVISE_DEAF:
		strbuf_addf(out, "'%s' does not follow a plan: build it with this foresee-cc",
			    r->program);
		break;
	case SUPERVISE_ASKED:
		strbuf_adds(out, "stopped on request");
		break;
	}
}

static bool is_request(int signal)
{
	return signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGQUIT ||
	       signal == SIGKILL;
}

const char *why_cause(const struct replay_run *run)
{
	const struct supervise_result *x = &run->result;

	switch (x->end) {
	case SUPERVISE_DIVERGED:
		return x->seen->diverged == PLAN_WHY_VALUE
			       ? "the value depends on something that the order does not fix: input, "
				 "time, random numbers, memory that code not seen writes"
			       : "the program took another path than in the recording: another build, "
				 "input or environment, time, random numbers, memory that code not seen "
				 "writes";
	case SUPERVISE_STUCK:
		return "a thread that is held back has what another one waits for in code not seen, or "
		       "the program waits for input, or for a client (--beside); --patience SECONDS "
		       "waits longer";
	case SUPERVISE_ENDLESS:
		return "a loop waits for what a thread that is held back would do, or for somebody "
		       "else, a client or a signal (--beside); --time SECONDS waits longer";
	case SUPERVISE_SPOILED:
		return "a pointer of its own that leads astray, or it writes over all memory that it "
		       "finds";
	case SUPERVISE_ENDED:
		return is_request(x->process.signal) ? "somebody sent it that signal, or it itself"
		       : x->process.signal
			       ? "an error of its own that this order leads to, or of the "
				 "program as it is started here"
			       : "another input or environment, something that it needs is not there, or "
				 "something that an earlier run has left is in its way";
	default:
		return "";
	}
}

/* ---- what threads do ---- */

const char *why_state_name(uint32_t state)
{
	static const char *const names[] = { "absent", "runs",	"gated", "stopped", "stands",
					     "let-go", "waits", "gone",	 "awaits",  "paused" };

	return state < sizeof(names) / sizeof(names[0]) ? names[state] : "unknown";
}

static void gated_words(const struct replay_result *r, const struct plan_seat *s,
			struct strbuf *out)
{
	const struct plan_head *h = r->plan.head;
	const struct plan_thread *u;
	const struct plan_step *step;

	if (s->waits_for >= h->nthreads) {
		strbuf_adds(out, "is held back");
		return;
	}
	u = &plan_threads(h)[s->waits_for];
	strbuf_adds(out, "is held back until ");
	why_thread(r, s->waits_for, out);
	if (s->waits_progress / 2 >= u->nsteps) {
		strbuf_adds(out, " has done its part");
		return;
	}
	step = &plan_steps(h)[u->step + s->waits_progress / 2];
	strbuf_adds(out, s->waits_progress % 2 ? " has done its " : " comes to its ");
	add_step(r, step, out);
	strbuf_addf(out, " (event %" PRIu64 ")", step->pos);
}

/* Somewhere in the program, or in the kernel. */
static void running_words(const struct task *t, struct strbuf *out)
{
	const char *name = t->call >= 0 ? task_call_name(t->call) : NULL;

	if (t->state == 0)
		strbuf_adds(out, "is gone");
	else if (t->call < 0 || t->state == 'R')
		strbuf_adds(out, "runs");
	else if (name)
		strbuf_addf(out, "is in the system call %s, at no gate", name);
	else
		strbuf_addf(out, "is in system call %ld, at no gate", t->call);
}

void why_state(const struct replay_result *r, const struct replay_run *run, uint32_t thread,
	       struct strbuf *out)
{
	const struct supervise_result *x = &run->result;
	const struct plan_seat *s = &plan_seats(x->seen)[thread];
	const struct plan_step *target = point_target(x->seen, thread);
	struct task none = { .call = -1 };

	if (x->end == SUPERVISE_DIVERGED && x->seen->thread == thread) {
		strbuf_adds(out, "went another way");
		return;
	}
	switch (s->state) {
	case PLAN_ABSENT:
		strbuf_adds(out, "was not created");
		break;
	case PLAN_GATED:
		gated_words(r, s, out);
		break;
	case PLAN_PAUSED:
		strbuf_adds(out, "stands before a step of the schedule");
		break;
	case PLAN_STOPPED:
		strbuf_adds(out, "has done its part and stands still");
		break;
	case PLAN_STANDS:
		strbuf_adds(out, "stands before its ");
		if (target)
			add_step(r, target, out);
		break;
	case PLAN_LET_GO:
		strbuf_adds(out, "is in its ");
		if (target)
			add_step(r, target, out);
		break;
	case PLAN_WAITS:
		strbuf_adds(out, "waits on a condition, not signalled");
		break;
	case PLAN_GONE:
		strbuf_adds(out, "has ended");
		break;
	case PLAN_AWAITS:
		strbuf_adds(out, "waits for a signal that came to it here");
		break;
	default:
		running_words(thread < x->tasks.n ? &x->tasks.at[thread] : &none, out);
		break;
	}
}
