/*
 * From step to step of the schedule: gdb is attached while a thread stands before the first of them.
 *
 *	plan_head.paced		steps up to this number may be done
 *	foresee_replay_step	a thread comes by there when it is to wait for its own number
 *
 * The steps are in a chain, each waits for the one before (edges.c).  So when a step is allowed, it is done,
 * and the thread of the next one is the only one to come by: gdb stops there.  Behind the last one
 * gdb is left, and comes again at the point (debug.c).
 */
#include "replay/debug.h"

#include "replay/replay.h"

struct steps {
	const struct debug *g;
	uint64_t paced; /* address of the word */
	pid_t pid;
	const struct plan_head *seen;
	struct strbuf *out;
};

static const struct claim_step *step_at(const struct claim *c, uint64_t pos)
{
	for (size_t i = 0; i < c->steps.n; i++)
		if (c->steps.at[i].pos == pos)
			return &c->steps.at[i];
	BUG("a step is paced that nobody asked for");
}

static void add_echo(struct strbuf *out, const char *text)
{
	strbuf_adds(out, "echo ");
	debug_quote(out, text);
	strbuf_adds(out, "\\n\n");
}

/* foresee-at-N: what the N-th is, and its frame; that may fail, so it comes last. */
static void add_step(const struct steps *s, uint32_t number)
{
	const struct plan *plan = &s->g->r->plan;
	const struct claim_step *step = step_at(s->g->o->claim, plan->paced.at[number - 1]);
	STRBUF_SCOPED line = { 0 };

	strbuf_addf(&line, "step %" PRIu32 " of %zu:  %s", number, plan->paced.n, step->words);
	strbuf_addf(s->out, "define foresee-at-%" PRIu32 "\n", number);
	add_echo(s->out, strbuf_str(&line));
	if (step->function)
		strbuf_addf(s->out, "frame function %s\n", step->function);
	strbuf_adds(s->out, "end\n");
}

static void add_commands(const struct steps *s)
{
	size_t n = s->g->r->plan.paced.n;

	for (uint32_t i = 1; i <= n; i++)
		add_step(s, i);
	strbuf_addf(s->out,
		    "set $foresee_at = 1\n"
		    "break foresee_replay_step\ncommands\nsilent\nend\n"
		    "define foresee-free\nset {unsigned int}0x%" PRIx64
		    " = 0xffffffff\nquit 0\nend\n"
		    "document foresee-free\nOn to the point, where gdb begins again.\nend\n"
		    "define foresee-go\necho not at the point yet:  foresee-step, "
		    "foresee-free\\n\nend\n"
		    "define foresee-where\neval \"foresee-at-%%d\", $foresee_at\nend\n",
		    s->paced);
	strbuf_addf(
		s->out,
		"define foresee-step\nif $foresee_at >= %zu\n"
		"echo that was the last step before the point\\n\nforesee-free\nelse\n"
		"set {unsigned int}0x%" PRIx64 " = $foresee_at\n"
		"set $foresee_at = $foresee_at + 1\ncontinue\n"
		"eval \"foresee-at-%%d\", $foresee_at\nend\nend\n"
		"document foresee-step\nDo this step of the schedule, and stop before the next.\nend\n"
		"define foresee-back\nquit %d\nend\n"
		"document foresee-back\nRun the program again, up to the first step.\nend\n",
		n, s->paced, DEBUG_BACK);
}

static void add_banner(const struct steps *s)
{
	STRBUF_SCOPED line = { 0 };

	strbuf_addf(&line, "foresee: %s", s->g->o->claim->title);
	strbuf_adds(s->out, "echo \\n\n");
	add_echo(s->out, strbuf_str(&line));
	add_echo(s->out, "foresee-step:  do the step, and stop before the next one; others go on "
			 "as far as they may");
	add_echo(s->out, "foresee-free, or quit:  on to the point; foresee-back:  here once more, "
			 "from the start");
}

/* Who stands before the first one. */
static void add_focus(const struct steps *s)
{
	for (uint32_t i = 0; i < s->seen->nthreads; i++)
		if (plan_seats(s->seen)[i].state == PLAN_PAUSED)
			debug_select(s->out, debug_thread(s->pid, plan_seats(s->seen)[i].kernel));
	strbuf_adds(s->out, "foresee-at-1\n");
}

bool debug_pace(void *arg, pid_t pid, const struct plan_head *seen)
{
	struct debug *g = arg;
	STRBUF_SCOPED text = { 0 };
	struct steps s = { .g = g,
			   .paced = debug_plan(pid, g->control) + offsetof(struct plan_head, paced),
			   .pid = pid,
			   .seen = seen,
			   .out = &text };

	strbuf_adds(&text, "set height unlimited\n");
	add_commands(&s);
	add_banner(&s);
	add_focus(&s);
	g->again = debug_attach(pid, g->script, &text);
	return !g->again;
}
