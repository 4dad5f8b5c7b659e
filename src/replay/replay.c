#include "replay/replay.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/feed.h"
#include "launch/program.h"
#include "replay/debug.h"
#include "replay/looks.h"
#include "replay/scratch.h"
#include "replay/tape.h"
#include "report/words.h"
#include "trace/trace.h"

/* ---- what to run ---- */

/* From one block, each ended by a zero byte. */
static void split_arguments(const struct trace_info *info, struct replay_result *out)
{
	size_t n = 0, at = 0;

	out->arguments = mem_zalloc(info->narguments + 1);
	memcpy(out->arguments, info->arguments, info->narguments);
	for (size_t i = 0; i < info->narguments; i++)
		n += out->arguments[i] == '\0';
	out->argv = mem_zalloc((n + 2) * sizeof(*out->argv));
	for (n = 0; at < info->narguments; at += strlen(out->arguments + at) + 1)
		out->argv[n++] = out->arguments + at;
}

/* As much of a command line as the recorder takes (capture/start.c). */
#define ARGUMENTS_ROOM 32768u

static enum status find_program(const struct replay *o, const struct trace_info *info,
				struct replay_result *out, struct diag *d)
{
	if (o->argv) {
		out->program = o->argv[0];
		return program_find(o->argv[0], PROGRAM_BUILT, &out->path, d);
	}
	if (!info->program || !info->arguments) {
		diag_set(d, "'%s' does not say what program it is of: give it, -- PROG ARGS",
			 o->trace);
		return ST_IO;
	}
	if (info->narguments >= ARGUMENTS_ROOM) {
		diag_set(d, "the recorded command line is too long to be whole: give it, "
			    "-- PROG ARGS");
		return ST_IO;
	}
	if (access(info->program, X_OK) != 0) {
		diag_set(d,
			 "the recorded program '%s' is not there any more: build it as it was, and "
			 "give it, -- PROG ARGS%s",
			 info->program,
			 strstr(info->program, "/foresee-run.")
				 ? " ('foresee run FILE.c' builds with foresee-cc -g -O0 -pthread)"
				 : "");
		return ST_IO;
	}
	split_arguments(info, out);
	out->program = info->program;
	return program_find(info->program, PROGRAM_BUILT, &out->path, d);
}

/* Where it ran, if that is still there. */
static const char *directory_of(const struct replay *o, const struct trace_info *info)
{
	struct stat st;

	if (!info->directory || o->argv)
		return NULL;
	if (stat(info->directory, &st) == 0 && S_ISDIR(st.st_mode))
		return info->directory;
	if (!o->quiet)
		talk_note("the recorded program ran in '%s', which is not there any more; it runs "
			  "here",
			  info->directory);
	return NULL;
}

/* What decides which events there are; not where a plan was, or how much was kept. */
static void options_of(const struct trace_info *info, struct strbuf *out)
{
	const char *at = info->options ? info->options : "linger=1000\n";

	while (*at) {
		const char *end = strchrnul(at, '\n');

		if (strncmp(at, "control=", 8) != 0 && strncmp(at, "keep=", 5) != 0 &&
		    strncmp(at, "announce", 8) != 0 && end > at) {
			strbuf_add(out, at, (size_t)(end - at));
			strbuf_adds(out, "\n");
		}
		at = *end ? end + 1 : end;
	}
}

/* ---- runs ---- */

static void name_thread(void *arg, uint32_t thread, struct strbuf *out)
{
	const struct replay_result *r = arg;

	words_thread(r->recorded, plan_threads(r->plan.head)[thread].tid, out);
}

static int open_output(const char *path)
{
	return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

/* The finding is about variables; at the same places the program may touch others this time. */
static void refute_others(const struct replay_result *r, const struct claim *c,
			  struct replay_run *run)
{
	struct supervise_result *x = &run->result;
	bool named = c->kind == FINDING_RACE || c->kind == FINDING_DEADLOCK;
	bool same = true;

	if (x->end != SUPERVISE_REPLAYED || !run->trace)
		return;
	for (uint32_t k = 0; named && x->point.n == c->targets.n && same && k < x->point.n; k++)
		same = looks_same(c->variables[k], run->trace,
				  plan_seats(x->seen)[x->point.at[k]].op.addr, &x->why);
	if (!same || !looks_same_all(r, run->trace, x->seen, &x->why))
		x->end = SUPERVISE_REFUTED;
}

static void outcome_of(struct replay_run *run, const char *out, const char *err)
{
	const struct supervise_result *r = &run->result;
	struct outcome *o = &run->outcome;

	o->known = r->after.known && r->end == SUPERVISE_REPLAYED;
	o->status = r->process.status;
	o->signal = r->process.signal;
	o->hung = r->after.hung;
	o->late = r->after.late;
	o->nbytes = r->after.nbytes;
	memcpy(o->bytes, r->after.bytes, sizeof(o->bytes));
	outcome_read(out, &o->out);
	outcome_read(err, &o->err);
}

/* With a debugger at the point, as often as the user wants.  What it types is not the program's. */
static enum status run_visited(const struct replay *o, struct supervise *s,
			       struct replay_result *out, struct diag *d)
{
	struct supervise_result *x = &out->runs[0].result;
	char *script = scratch_path("gdb", 0);
	struct debug g = { .o = o, .r = out, .control = s->control, .script = script };
	enum status st;

	s->visit = debug_visit;
	s->pace = out->plan.paced.n > 0 ? debug_pace : NULL;
	s->visit_arg = &g;
	s->in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	do {
		supervise_result_release(x);
		unlink(s->control);
		unlink(s->trace);
		g.again = false;
		st = supervise_run(s, x, d);
	} while (st == ST_OK && g.again);
	close(s->in);
	mem_free(script);
	return st;
}

/* What decides the way of a program may come out otherwise the next time: a read whose repetitions the
 * recording does not have, time.  The second time what the plan is not certain of is doubted. */
#define TRIES 3

static void begin_again(const struct supervise *s, struct replay_run *run)
{
	supervise_result_release(&run->result);
	unlink(s->control);
	unlink(s->trace);
	for (int i = 0; i < 2; i++)
		if (ftruncate(i ? s->err : s->out, 0) == 0)
			lseek(i ? s->err : s->out, 0, SEEK_SET);
}

static enum status run_tried(struct supervise *s, struct replay_run *run, struct diag *d)
{
	enum status st;

	for (run->tries = 1;; run->tries++) {
		plan_doubt(s->plan, run->tries == 2);
		s->in = feed_begin();
		st = supervise_run(s, &run->result, d);
		feed_end();
		if (st != ST_OK || run->result.end != SUPERVISE_DIVERGED || run->tries == TRIES)
			return st;
		begin_again(s, run);
	}
}

static enum status run_once(const struct replay *o, struct supervise *s, int number,
			    struct replay_result *out, struct diag *d)
{
	struct replay_run *run = &out->runs[number];
	char *control = scratch_path("plan", number + 1),
	     *trace = scratch_path("trace", number + 1);
	char *outs = scratch_path("out", number + 1), *errs = scratch_path("err", number + 1);
	enum status st;

	s->control = control;
	s->trace = trace;
	s->out = open_output(outs);
	s->err = open_output(errs);
	if (s->out <= 0 || s->err <= 0) {
		diag_set(d, "cannot write '%s': %s", outs, strerror(errno));
		st = ST_IO;
	} else if (o->gdb) {
		st = run_visited(o, s, out, d);
	} else {
		st = run_tried(s, run, d);
	}
	close(s->out);
	close(s->err);
	if (st == ST_OK) {
		out->nruns = number + 1;
		run->trace = scratch_trace(trace);
		refute_others(out, o->claim, run);
		outcome_of(run, outs, errs);
		if (o->record && number == 0)
			st = scratch_keep(trace, o->record, d);
	}
	MEM_FREE_ALL(control, trace, outs, errs);
	return st;
}

/* What two runs differ in that came to the point. */
static enum outcome_difference difference(const struct replay_result *r, int a, int b)
{
	if (r->nruns <= b || !r->runs[b].outcome.known)
		return OUTCOME_SAME;
	return outcome_compare(&r->runs[a].outcome, &r->runs[b].outcome);
}

static enum status run_all(const struct replay *o, const struct trace_info *info,
			   struct replay_result *out, struct diag *d)
{
	const struct claim *c = o->claim;
	struct strbuf options = { 0 };
	struct supervise s = { .path = out->path,
			       .argv = o->argv ? o->argv : out->argv,
			       .directory = directory_of(o, info),
			       .plan = &out->plan,
			       .kind = c->kind,
			       .targets = c->targets.at,
			       .ntargets = (uint32_t)c->targets.n,
			       .patience = o->patience,
			       .time = o->time,
			       .beside = o->beside,
			       .first = o->first == REPLAY_BOTH ? 0 : o->first,
			       .check = looks_hold,
			       .check_arg = out,
			       .name = name_thread,
			       .name_arg = out };
	enum status st;

	options_of(info, &options);
	s.options = strbuf_str(&options);
	st = run_once(o, &s, 0, out, d);
	if (st == ST_OK && o->first == REPLAY_BOTH && out->runs[0].outcome.known) {
		s.first = 1;
		st = run_once(o, &s, 1, out, d);
	}
	for (int i = 2; st == ST_OK && difference(out, 0, 1) != OUTCOME_SAME && i < REPLAY_RUNS;
	     i++) {
		s.first = i % 2;
		st = run_once(o, &s, i, out, d);
	}
	strbuf_release(&options);
	return st;
}

/* ---- all of it ---- */

/* From the claim's tape, if it has one; nobody asks that again, and what is gone need not be copied for the
 * program's process. */
static enum status make_plan(const struct replay *o, struct replay_result *out, struct diag *d)
{
	struct claim *c = o->claim;
	struct plan_ask ask = { .kind = c->kind,
				.targets = c->targets.at,
				.ntargets = (uint32_t)c->targets.n,
				.order = c->order.at,
				.norder = c->order.n,
				.looks = c->looks.at,
				.nlooks = c->looks.n,
				.tape = c->tape };
	VEC_SCOPED VEC(uint64_t) paced = { 0 };
	enum status st;

	for (size_t i = 0; i < c->steps.n; i++)
		*VEC_PUSH(&paced) = c->steps.at[i].pos;
	ask.paced = paced.at;
	ask.npaced = paced.n;
	st = plan_make(out->recorded, &ask, &out->plan, d);

	if (st == ST_OK)
		out->plan.head->real_time = o->real_time;
	tape_free(c->tape);
	c->tape = NULL;
	return st;
}

enum status replay_try(const struct replay *o, struct replay_result *out, struct diag *d)
{
	struct trace_info info = trace_info(o->claim->trace);
	enum status st;

	memset(out, 0, sizeof(*out));
	out->recorded = o->claim->trace;
	st = find_program(o, &info, out, d);
	if (st == ST_OK && !o->anyway)
		st = plan_suits_program(out->recorded, out->path, o->trace, d);
	if (st == ST_OK && o->gdb)
		st = debug_find(d);
	if (st == ST_OK)
		st = make_plan(o, out, d);
	if (st == ST_OK)
		st = scratch_open(d);
	if (st == ST_OK) {
		st = run_all(o, &info, out, d);
		scratch_close();
	}
	return st;
}

void replay_result_release(struct replay_result *r)
{
	for (int i = 0; i < REPLAY_RUNS; i++) {
		supervise_result_release(&r->runs[i].result);
		trace_close(r->runs[i].trace);
		outcome_release(&r->runs[i].outcome);
	}
	plan_release(&r->plan);
	MEM_FREE_ALL(r->path, r->argv, r->arguments);
	memset(r, 0, sizeof(*r));
}

int replay_fickle(const struct replay_result *r)
{
	enum outcome_difference between = difference(r, 0, 1), within;

	/* The graver ones come first: who prints another time in every run does not crash for that. */
	for (int i = 0; i < 2; i++)
		if ((within = difference(r, i, i + 2)) != OUTCOME_SAME && within <= between)
			return i;
	return -1;
}

bool replay_succeeded(const struct replay_result *r)
{
	return r->nruns > 0 && r->runs[0].result.end == SUPERVISE_REPLAYED;
}
