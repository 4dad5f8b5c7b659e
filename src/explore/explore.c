#include "explore/explore.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "explore/again.h"
#include "explore/course.h"
#include "explore/describe.h"
#include "explore/guided.h"
#include "explore/meet.h"
#include "explore/strategies.h"
#include "explore/visit.h"
#include "launch/program.h"
#include "replay/scratch.h"
#include "spec/spec.h"
#include "trace/trace.h"

/* ---- failures ---- */

/* After a run of a schedule of n steps. */
static void take_run(struct explore_failure *f, const struct explore_runner *r, size_t n)
{
	const struct baton_head *h = r->head;
	const struct baton_step *steps = explore_steps(r);

	for (uint32_t i = 0; i < h->nsteps; i++)
		*VEC_PUSH(&f->steps) = steps[i];
	for (uint32_t i = 0; i < h->nthreads; i++)
		*VEC_PUSH(&f->pending) = baton_has(&h->alive, i)
						 ? h->pending[i]
						 : (struct baton_op){ .kind = BATON_NONE };
	f->preemptions = search_preemptions(steps, h->nsteps);
	f->outcome = h->outcome;
	f->verdict = r->verdict;
	f->fault = h->fault;
	f->running = h->running;
	f->unseen = h->unseen;
	f->ntold = n < f->steps.n ? n : f->steps.n;
}

/* Did it end as it did when it was found? */
static bool ends_so(const struct explore_failure *f)
{
	const struct search_failure *s = f->found;

	if (s->verdict.fault != EXPLORE_NO_FAULT || f->verdict.fault != EXPLORE_NO_FAULT)
		return s->verdict.fault == f->verdict.fault && s->verdict.mark == f->verdict.mark;
	if (s->outcome != f->outcome || f->outcome != BATON_RAN)
		return s->outcome == f->outcome;
	return WIFSIGNALED(s->ended) ? f->end.signal == WTERMSIG(s->ended)
				     : f->end.status == WEXITSTATUS(s->ended);
}

/* What those who have judged it say of it. */
static void take_words(struct explore_failure *f, const struct judge *j)
{
	if (f->verdict.fault == EXPLORE_ORACLE)
		f->said = judge_said(j);
	if (f->verdict.fault == EXPLORE_PROPERTY)
		property_tell(j->wish->property, &f->property);
}

static enum status failure_again(struct server *server, const struct server_program *p,
				 struct explore_failure *f, struct diag *d)
{
	const struct search_failure *s = f->found;
	char *trace = scratch_path("trace", 1);
	int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
	enum status st =
		again_run(server, p, s->schedule.at, s->schedule.n, trace, nothing, &f->end, d);

	if (st == ST_OK) {
		take_run(f, &server->pool.runner, s->nprefix);
		f->again = ends_so(f);
		take_words(f, &server->judge);
		f->trace = scratch_read(trace);
	}
	if (nothing >= 0)
		close(nothing);
	unlink(trace);
	mem_free(trace);
	return st;
}

/* "rax.schedule", of later failures "rax.2.schedule". */
static char *schedule_name(const struct explore *e, size_t number)
{
	const char *slash = strrchr(e->path, '/');
	struct strbuf name = { 0 };

	if (e->schedule && number == 1)
		strbuf_adds(&name, e->schedule);
	else if (number == 1)
		strbuf_addf(&name, "%s.schedule", slash ? slash + 1 : e->path);
	else
		strbuf_addf(&name, "%s.%zu.schedule", slash ? slash + 1 : e->path, number);
	return name.at;
}

/* With these choices. */
static enum status failure_write(const struct explore *e, const struct server *server,
				 struct explore_failure *f, const struct steer_course *c,
				 size_t number, struct diag *d)
{
	char here[PATH_MAX], *path = realpath(e->path, NULL);
	struct course s = { .program = path ? path : mem_strdup(e->path),
			    .directory = mem_strdup(getcwd(here, sizeof(here)) ? here : ".") };
	struct strbuf outcome = { 0 };
	enum status st;

	for (char **at = e->argv; *at; at++)
		*VEC_PUSH(&s.arguments) = mem_strdup(*at);
	*VEC_PUSH(&s.arguments) = NULL;
	VEC_APPEND(&s.steps, c->at.at, c->at.n);
	VEC_APPEND(&s.words, server->pool.words.at, server->pool.words.n);
	describe_outcome(f, &outcome);
	s.outcome = outcome.at;
	s.oracle = e->wish.oracle ? mem_strdup(e->wish.oracle) : NULL;
	s.spec = e->wish.property ? realpath(property_spec(e->wish.property)->path, NULL) : NULL;
	s.sandbox = e->wish.sandbox;
	s.expected = e->wish.expected;
	f->schedule = schedule_name(e, number);
	st = course_write(&s, f->schedule, d);
	course_release(&s);
	return st;
}

/* The race that it was kept for, among those of the run. */
static void find_race(struct explore_failure *f, const struct explore_runner *r)
{
	struct shares s = { 0 };

	shares_find(&s, r);
	f->again = false;
	for (size_t i = 0; i < s.races.n && !f->again; i++) {
		f->again = strategies_race(&s.races.at[i], r) == f->found->signature;
		f->race[0] = s.races.at[i].first;
		f->race[1] = s.races.at[i].second;
	}
	shares_release(&s);
}

/* If both threads can be brought before their accesses, the schedule of that is worth a file. */
static enum status race_write(const struct explore *e, struct server *server,
			      const struct server_program *p, struct explore_failure *f,
			      size_t number, struct diag *d)
{
	char *trace = scratch_path("trace", 1);
	int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct steer_course c = { 0 };
	struct launch_end end;
	uint32_t race[2];
	enum status st;

	meet_plan(f, &c);
	st = again_run(server, p, c.at.at, c.at.n, trace, nothing, &end, d);
	if (st == ST_OK && meet_is_race(&server->pool.runner, c.at.n, race))
		st = failure_write(e, server, f, &c, number, d);
	if (nothing >= 0)
		close(nothing);
	unlink(trace);
	mem_free(trace);
	VEC_RELEASE(&c.at);
	return st;
}

static enum status found_write(const struct explore *e, const struct server *server,
			       struct explore_failure *f, size_t number, struct diag *d)
{
	struct steer_course c = { 0 };
	enum status st;

	for (size_t i = 0; i < f->ntold; i++)
		*VEC_PUSH(&c.at) = f->steps.at[i].choice;
	st = failure_write(e, server, f, &c, number, d);
	VEC_RELEASE(&c.at);
	return st;
}

/* For races, which are run again for their names alone: a part of the time. */
#define AGAIN_PART 0.1
#define AGAIN_LEAST 2.0
#define AGAIN_MOST 5.0

static double again_seconds(const struct explore *e)
{
	double part = e->seconds * AGAIN_PART;

	return part < AGAIN_LEAST ? AGAIN_LEAST : part > AGAIN_MOST ? AGAIN_MOST : part;
}

static enum status failures_again(const struct explore *e, struct server *server,
				  const struct server_program *p, struct explore_result *out,
				  struct diag *d)
{
	size_t n = out->search.failures.n;
	double until = talk_clock() + again_seconds(e);
	enum status st = ST_OK;

	for (size_t i = 0; st == ST_OK && i < n + out->races.n; i++) {
		struct explore_failure *f;

		if (i > 0 && i >= n && talk_clock() > until) {
			out->unnamed = n + out->races.n - i;
			break;
		}
		f = VEC_PUSH(&out->failures);
		*f = (struct explore_failure){ .found = i < n ? &out->search.failures.at[i]
							      : &out->races.at[i - n],
					       .is_race = i >= n,
					       .passing = e->passing };
		st = failure_again(server, p, f, d);
		if (st == ST_OK && f->is_race)
			find_race(f, &server->pool.runner);
		if (st == ST_OK && f->is_race && f->again)
			st = race_write(e, server, p, f, i + 1, d);
		else if (st == ST_OK && !f->is_race)
			st = found_write(e, server, f, i + 1, d);
	}
	return st;
}

#define HUNG_SECONDS 1.0 /* it is known that it will not end */

/* For where it is. */
static enum status hung_again(struct server *server, const struct server_program *p,
			      struct explore_result *out, struct diag *d)
{
	server->step = HUNG_SECONDS;
	out->hung_at.found = &out->hung;
	return failure_again(server, p, &out->hung_at, d);
}

/* ---- all of it ---- */

/* One run, recorded, to find out where the properties' variables lie. */
static enum status bind_properties(struct server *server, const struct server_program *p,
				   struct property *property, struct diag *d)
{
	char *trace = scratch_path("trace", 2);
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct launch_end end;
	enum status st = again_run(server, p, NULL, 0, trace, nothing, &end, d);

	if (st == ST_OK)
		st = property_bind(property, trace, d);
	if (nothing >= 0)
		close(nothing);
	unlink(trace);
	mem_free(trace);
	return st;
}

#define FIRST_PART 0.5 /* of the time: more is not spent on it, and what comes behind has as much */

/* One run, recorded and analysed.  Without it there are no aims, and the search goes on. */
static void look_first(struct strategies *x, struct server *server, const struct server_program *p)
{
	const struct explore *e = x->e;
	struct explore_result *out = x->out;
	struct diag d = { 0 };

	server->deadline = talk_clock() + e->seconds * FIRST_PART;
	if (guided_record(server, p, &out->aims, &d) != ST_OK && !e->quiet)
		talk_note("no warnings guide the search: %s", d.message);
	out->forked |= server->pool.runner.head->forked != 0;
	out->outside |= server->pool.runner.head->outside;
	server->deadline = 0;
	if (x->deadline < talk_clock() + e->seconds * FIRST_PART)
		x->deadline = talk_clock() + e->seconds * FIRST_PART;
}

static void note_fibers(const struct server *server)
{
	STRBUF_SCOPED text = { 0 };

	if (server_fibers(server, &text))
		talk_note("%s", strbuf_str(&text));
}

#define EXPLAIN_SECONDS 2.0

/* Nothing can be run.  A run that is recorded may say why: what the recorder has to say is in its recording. */
static enum status explain_trouble(struct server *server, const struct server_program *p,
				   const char *trouble, struct diag *d)
{
	char *path = scratch_path("trace", 2);
	struct trace *t = NULL;
	struct launch_end end;
	struct rlimit memory;
	struct diag ignored = { 0 };
	int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
	STRBUF_SCOPED why = { 0 };

	server->deadline = talk_clock() + EXPLAIN_SECONDS;
	if (again_run(server, p, NULL, 0, path, nothing, &end, &ignored) == ST_OK)
		t = scratch_read(path);
	if (t && trace_info(t).nnotes > 0)
		strbuf_addf(&why, "; %s", trace_info(t).notes[0]);
	if (getrlimit(RLIMIT_AS, &memory) == 0 && memory.rlim_cur != RLIM_INFINITY)
		strbuf_addf(
			&why,
			"; addresses are limited to %" PRIu64
			" MB (ulimit -v): the recorder reserves many times as much and uses little of "
			"it, so explore without that limit",
			(uint64_t)memory.rlim_cur >> 20);
	trace_close(t);
	if (nothing >= 0)
		close(nothing);
	unlink(path);
	mem_free(path);
	return diag_fail(d, ST_IO, "%s%s", trouble, strbuf_str(&why));
}

static enum status explore(const struct explore *e, struct server *server,
			   struct explore_result *out, struct diag *d)
{
	struct diag trouble = { 0 };
	struct strategies x = {
		.e = e, .out = out, .d = &trouble, .deadline = talk_clock() + e->seconds
	};
	struct server_program p = {
		.path = e->path, .argv = e->argv, .directory = e->directory, .options = ""
	};
	enum status st;

	if (e->wish.property) {
		st = bind_properties(server, &p, e->wish.property, d);
		if (st != ST_OK)
			return st;
	}
	if (e->from) {
		st = guided_read(e->from, e->path, &out->aims, d);
		if (st != ST_OK)
			return st;
	} else if (e->strategy == EXPLORE_AUTO || e->strategy == EXPLORE_GUIDED) {
		look_first(&x, server, &p);
	}
	out->stopped = server->stopped;
	if (out->stopped)
		return ST_OK;
	server->fibers = !e->no_fibers;
	st = server_search(server, &p, strategies_search, &x, d);
	if (st == ST_OK && out->search.runner == NULL && !server->stopped)
		return explain_trouble(server, &p, "the program has ended before main", d);
	if (st == ST_OK && out->late && server->lanes[0].head->server == 0)
		return explain_trouble(server, &p,
				       "time ran out before the program was at its main", d);
	out->complete &= !out->unlike;
	if (!e->quiet)
		note_fibers(server);
	out->stopped = server->stopped && out->end == SEARCH_TROUBLE;
	out->complete &= !out->unjudged;
	out->why_unjudged = out->unjudged ? property_unknown(e->wish.property) : NULL;
	if (st == ST_OK && out->end == SEARCH_TROUBLE && !out->stopped)
		st = explain_trouble(server, &p, trouble.message, d);
	if (st == ST_OK)
		st = failures_again(e, server, &p, out, d);
	return st == ST_OK && out->hung.run != 0 ? hung_again(server, &p, out, d) : st;
}

enum status explore_program(const struct explore *e, struct explore_result *out, struct diag *d)
{
	struct server server;
	enum status st;

	memset(out, 0, sizeof(*out));
	out->sandbox = e->wish.sandbox;
	out->is_given = e->from != NULL;
	st = scratch_open(d);
	if (st != ST_OK)
		return st;
	st = server_open(&server, &e->wish, e->jobs, d);
	if (st == ST_OK)
		st = explore(e, &server, out, d);
	server_close(&server);
	scratch_close();
	return st;
}

#define RACE_OUTCOME "data race on "

static enum status course_again(const struct course *s, char **argv, const char *record, bool gdb,
				struct explore_failure *out, bool *same, struct diag *d)
{
	char *trace = scratch_path("trace", 1), *path = NULL;
	struct server_program p = { .argv = argv ? argv : s->arguments.at,
				    .directory = argv ? NULL : s->directory,
				    .options = "" };
	struct judge_wish wish = { .oracle = s->oracle,
				   .sandbox = s->sandbox,
				   .directory = p.directory,
				   .expected = s->expected };
	struct server server = { .fd = -1 };
	int nothing = gdb ? open("/dev/null", O_RDWR | O_CLOEXEC) : 0;
	STRBUF_SCOPED outcome = { 0 };
	enum status st = program_find(argv ? argv[0] : s->program, PROGRAM_BUILT, &path, d);

	p.path = path;
	if (st == ST_OK && s->spec)
		st = property_new(s->spec, &wish.property, d);
	if (st == ST_OK)
		st = server_open(&server, &wish, 0, d);
	if (st == ST_OK) {
		for (size_t i = 0; i < s->words.n; i++)
			pool_share(&server.pool, s->words.at[i]);
		if (wish.property)
			st = bind_properties(&server, &p, wish.property, d);
	}
	if (st == ST_OK) {
		/* With a debugger it runs once more, and is heard then. */
		st = again_run(&server, &p, s->steps.at, s->steps.n, trace, nothing, &out->end, d);
		if (!gdb)
			judge_show(&server.judge);
	}
	if (st == ST_OK) {
		take_run(out, &server.pool.runner, s->steps.n);
		take_words(out, &server.judge);
		out->trace = scratch_read(trace);
		out->is_race = strncmp(s->outcome, RACE_OUTCOME, strlen(RACE_OUTCOME)) == 0 &&
			       meet_is_race(&server.pool.runner, s->steps.n, out->race);
		describe_outcome(out, &outcome);
		*same = strcmp(strbuf_str(&outcome), s->outcome) == 0;
		if (record)
			st = scratch_keep(trace, record, d);
		if (st == ST_OK && gdb && *same)
			st = visit_run(&server, &p, out, d);
	}
	server_close(&server);
	if (nothing > 0)
		close(nothing);
	property_free(wish.property);
	MEM_FREE_ALL(trace, path);
	return st;
}

enum status explore_schedule(const char *path, char **argv, const char *record, bool gdb,
			     struct explore_failure *out, bool *same, struct diag *d)
{
	struct course s = { 0 };
	enum status st = course_read(&s, path, d);

	*out = (struct explore_failure){ .again = true };
	if (st == ST_OK)
		st = scratch_open(d);
	if (st == ST_OK) {
		st = course_again(&s, argv, record, gdb, out, same, d);
		scratch_close();
	}
	course_release(&s);
	return st;
}

void explore_failure_release(struct explore_failure *f)
{
	VEC_RELEASE(&f->steps);
	VEC_RELEASE(&f->pending);
	trace_close(f->trace);
	MEM_FREE_ALL(f->schedule, f->said);
	property_fault_release(&f->property);
	*f = (struct explore_failure){ 0 };
}

void explore_result_release(struct explore_result *r)
{
	for (size_t i = 0; i < r->failures.n; i++)
		explore_failure_release(&r->failures.at[i]);
	for (size_t i = 0; i < r->races.n; i++)
		VEC_RELEASE(&r->races.at[i].schedule);
	explore_failure_release(&r->hung_at);
	VEC_RELEASE(&r->hung.schedule);
	VEC_RELEASE(&r->races);
	VEC_RELEASE(&r->failures);
	aims_release(&r->aims);
	search_release(&r->search);
}
