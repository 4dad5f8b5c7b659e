#include "explore/visit.h"

#include <fcntl.h>
#include <unistd.h>

#include "explore/again.h"
#include "explore/describe.h"
#include "replay/debug.h"
#include "replay/scratch.h"
#include "report/frames.h"

struct visit {
	const struct explore_failure *f;
	const struct baton_head *h; /* of the run that is visited */
	const struct baton_step *steps;
	const char *script; /* its file */
	pid_t pid;
	struct strbuf text;
	bool again;
};

/* Where it is to stand. */
static uint32_t place_of(const struct explore_failure *f)
{
	if (f->is_race)
		return f->race[0] + 1;
	if (f->outcome == BATON_DEADLOCK)
		return BATON_HALT_NEVER;
	if (f->verdict.fault == EXPLORE_FREED)
		return BATON_HALT_FAULT;
	if (f->verdict.fault == EXPLORE_PROPERTY && f->property.step > 0)
		return f->property.step;
	/* A signal comes behind the last step that was done. */
	if (f->end.signal)
		return f->steps.n > 0 ? (uint32_t)f->steps.n : BATON_HALT_FIRST;
	return f->ntold > 0 ? (uint32_t)f->ntold : BATON_HALT_FIRST;
}

static unsigned number_of(const struct visit *v, uint32_t thread)
{
	return debug_thread(v->pid, (uint32_t)v->h->kernel[thread]);
}

/* ---- commands ---- */

static uint64_t address_of(const struct visit *v, size_t offset)
{
	return v->h->address + offset;
}

#define AT(v, member) address_of(v, offsetof(struct baton_head, member))

/* The thread whose step is next has the focus; those that are made later have no number here. */
static void add_next(struct visit *v)
{
	strbuf_addf(
		&v->text,
		"define foresee-next\nset $foresee_n = {unsigned int}0x%" PRIx64
		"\nif $foresee_n > 0\nset $foresee_t = {unsigned short}(0x%" PRIx64
		" + ($foresee_n - 1) * %zu)\nprintf \"foresee: step %%u of the run is next, of T%%u\\n\", "
		"$foresee_n, $foresee_t + 1\n",
		AT(v, nsteps), address_of(v, v->h->steps + offsetof(struct baton_step, choice)),
		sizeof(struct baton_step));
	for (uint32_t t = 0; t < v->h->nthreads; t++)
		if (number_of(v, t))
			strbuf_addf(&v->text, "if $foresee_t == %u\nthread %u\nend\n", t,
				    number_of(v, t));
	strbuf_adds(&v->text, "end\nend\ndocument foresee-next\nWhose step is next.\nend\n");
}

/* At a fault there is no next one. */
static bool has_steps(const struct visit *v)
{
	return v->h->halted && v->f->verdict.fault != EXPLORE_FREED;
}

static void add_commands(struct visit *v)
{
	if (has_steps(v)) {
		add_next(v);
		strbuf_addf(
			&v->text,
			"define foresee-step\nset {unsigned int}0x%" PRIx64
			" = {unsigned int}0x%" PRIx64 " + 1\ntbreak *0x%" PRIx64
			"\nset {unsigned int}0x%" PRIx64 " = 0\ncontinue\nforesee-next\nend\n"
			"document foresee-step\nThe step that is next is done, and all up to the one "
			"behind it.\nend\n",
			AT(v, halt), AT(v, nsteps), v->h->stands, AT(v, halted));
	}
	if (v->h->halted)
		strbuf_addf(&v->text,
			    "define foresee-free\nset {unsigned int}0x%" PRIx64
			    " = 0\nset {unsigned int}0x%" PRIx64 " = 0\ncontinue\nend\n"
			    "document foresee-free\nThe run goes on to its end.\nend\n",
			    AT(v, halt), AT(v, halted));
	strbuf_addf(&v->text,
		    "define foresee-back\nquit %d\nend\n"
		    "document foresee-back\nRun the schedule again, up to this point.\nend\n",
		    DEBUG_BACK);
}

/* ---- what is said ---- */

static void add_line(struct visit *v, const char *line)
{
	strbuf_adds(&v->text, "echo ");
	debug_quote(&v->text, line);
	strbuf_adds(&v->text, "\\n\n");
}

/* foresee: deadlock
 *   thread 2  T2 waits before: lock a */
static void add_banner(struct visit *v)
{
	STRBUF_SCOPED line = { 0 };

	strbuf_adds(&line, "foresee: ");
	describe_outcome(v->f, &line);
	add_line(v, "");
	add_line(v, strbuf_str(&line));
	for (uint32_t t = 0; t < v->h->nthreads; t++) {
		const struct baton_op *op = &v->h->pending[t];

		if (!baton_has(&v->h->alive, t) || op->kind == BATON_NONE || !number_of(v, t))
			continue;
		strbuf_clear(&line);
		strbuf_addf(&line, "thread %u  ", number_of(v, t));
		describe_thread(v->f, t, &line);
		strbuf_addf(&line, ", before: %s ", describe_op(op));
		describe_object(v->f, op, &line);
		strbuf_adds(&v->text, "echo \\ \\ ");
		debug_quote(&v->text, strbuf_str(&line));
		strbuf_adds(&v->text, "\\n\n");
	}
	add_line(v, "look around:  info threads, thread N, up, bt, print VARIABLE");
	if (has_steps(v))
		add_line(v, "foresee-step:  the next step of the schedule");
	if (v->h->halted)
		add_line(v, "foresee-free:  the run goes on to its end");
	add_line(v, "foresee-back:  here once more, from the start");
}

/* The function in which the thread stands, unless it is not known. */
static void add_frame(struct visit *v, uint32_t site)
{
	struct trace_site p;

	if (v->f->trace && site && frames_own(v->f->trace, site, 0, &p) && p.function)
		strbuf_addf(&v->text, "frame function %s\n", p.function);
}

/* Of all that hang, those who wait for the end of others first: the last one has the focus. */
static void add_stacks(struct visit *v, bool joins)
{
	for (uint32_t t = v->h->nthreads; t-- > 0;) {
		const struct baton_op *op = &v->h->pending[t];

		if (!baton_has(&v->h->alive, t) || !number_of(v, t) ||
		    (op->kind == BATON_JOIN) != joins)
			continue;
		debug_select(&v->text, number_of(v, t));
		strbuf_adds(&v->text, "backtrace\n");
		add_frame(v, op->site);
	}
}

/* What may fail comes last: an error ends a script. */
static void add_focus(struct visit *v)
{
	uint32_t next;

	if (!v->h->halted) {
		add_stacks(v, true);
		add_stacks(v, false);
	} else if (v->f->end.signal) {
		strbuf_adds(&v->text, "foresee-free\n");
	} else if (v->f->verdict.fault == EXPLORE_FREED) {
		debug_select(&v->text, number_of(v, v->f->fault.thread));
		add_frame(v, v->f->fault.site);
	} else if (v->h->nsteps > 0) {
		next = v->steps[v->h->nsteps - 1].choice.thread;
		strbuf_adds(&v->text, "foresee-next\n");
		add_frame(v, v->h->pending[next].site);
	}
}

static void look(void *arg, pid_t pid)
{
	struct visit *v = arg;

	v->pid = pid;
	strbuf_clear(&v->text);
	strbuf_adds(&v->text, "set height unlimited\n");
	add_commands(v);
	add_banner(v);
	add_focus(v);
	v->again = debug_attach(pid, v->script, &v->text);
}

enum status visit_run(struct server *s, const struct server_program *p,
		      const struct explore_failure *f, struct diag *d)
{
	char *trace = scratch_path("trace", 3), *script = scratch_path("gdb", 0);
	struct visit v = { .f = f,
			   .h = s->pool.runner.head,
			   .steps = explore_steps(&s->pool.runner),
			   .script = script };
	VEC(struct baton_choice) told = { 0 };
	struct launch_end end;
	enum status st = ST_OK;

	for (size_t i = 0; i < f->ntold; i++)
		*VEC_PUSH(&told) = f->steps.at[i].choice;
	s->visit = look;
	s->visit_arg = &v;
	do {
		v.again = false;
		s->pool.runner.head->halt = place_of(f);
		st = again_run(s, p, told.at, told.n, trace, 0, &end, d);
		unlink(trace);
	} while (st == ST_OK && v.again);
	s->pool.runner.head->halt = BATON_HALT_NEVER;
	s->visit = NULL;
	VEC_RELEASE(&told);
	strbuf_release(&v.text);
	MEM_FREE_ALL(trace, script);
	return st;
}
