
#include "replay/plan.h"
#include "trace/event.h"

static const char *const classes[] = { "none",	"solid", "read", "vain",
				       "range", "free",	 "pass", "signal" };

static const struct {
	uint8_t flag;
	const char *word;
} words[] = {
	{ PLAN_TARGET, "target" },   { PLAN_FAILS, "fails" },	      { PLAN_VALUE, "value" },
	{ PLAN_REQUEST, "request" }, { PLAN_CANCELLED, "cancelled" }, { PLAN_RESULT, "result" },
};

static void thread_text(const struct plan_head *h, const struct plan_thread *t, struct strbuf *out)
{
	strbuf_addf(out, "T%" PRIu32, t->tid);
	if (t->maker == PLAN_FIRST)
		strbuf_adds(out, " first");
	else if (t->maker == PLAN_ADOPTED)
		strbuf_addf(out, " adopted %" PRIu32, t->ordinal);
	else
		strbuf_addf(out, " made by T%" PRIu32 " %" PRIu32, plan_threads(h)[t->maker].tid,
			    t->ordinal);
	strbuf_addf(out, ": %" PRIu64 " events, %" PRIu64 " solid", t->events, t->solids);
	if (t->tail != 0)
		strbuf_addf(out, ", %" PRIu32 " after them", t->tail);
	strbuf_adds(out, t->ends ? ", ends\n" : "\n");
}

static void wait_text(const struct plan_head *h, const struct plan_wait *w, struct strbuf *out)
{
	const struct plan_thread *t = &plan_threads(h)[w->thread];
	uint32_t k = w->progress / 2;

	strbuf_addf(out, "    after T%" PRIu32 " ", t->tid);
	if (k == t->nsteps)
		strbuf_adds(out, "has stopped\n");
	else
		strbuf_addf(out, "%s %" PRIu64 "\n", w->progress % 2 ? "did" : "comes to",
			    plan_steps(h)[t->step + k].pos);
}

static void step_text(const struct plan_head *h, const struct plan_step *s, struct strbuf *out)
{
	strbuf_addf(out, "  %" PRIu64 " %s: %s, after %" PRIu64, s->pos, event_op_name(s->op),
		    classes[s->class], s->solids);
	if (s->class != PLAN_SOLID)
		strbuf_addf(out, ", no %" PRIu32, s->nth);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (s->flags & words[i].flag)
			strbuf_addf(out, ", %s", words[i].word);
	if (s->flags & PLAN_VALUE)
		strbuf_addf(out, " %" PRIu64, s->value);
	if (s->pace)
		strbuf_addf(out, ", number %" PRIu32, s->pace);
	strbuf_adds(out, "\n");
	for (uint32_t i = 0; i < s->nwaits; i++)
		wait_text(h, &plan_waits(h)[s->wait + i], out);
}

void plan_text(const struct plan *p, struct strbuf *out)
{
	const struct plan_head *h = p->head;

	for (uint32_t i = 0; i < h->nthreads; i++) {
		const struct plan_thread *t = &plan_threads(h)[i];

		thread_text(h, t, out);
		for (uint32_t k = 0; k < t->nsteps; k++)
			step_text(h, &plan_steps(h)[t->step + k], out);
	}
}
