#include "explore/again.h"

#include <fcntl.h>
#include <unistd.h>

#include "replay/still.h"
#include "trace/trace.h"

#define STILL_SECONDS 0.2 /* nothing has moved for so long: it hangs */

struct watching {
	struct server *server;
	struct still still;
	double since; /* of the step that is under way */
	uint32_t steps;
	bool hung, late;
};

/* Until it has hung for a moment, where the schedule leads into a deadlock; or a step takes too long. */
static bool look(void *arg, pid_t pid)
{
	struct watching *w = arg;
	const struct baton_head *h = w->server->pool.runner.head;
	double now;

	if (w->still.pid != pid) {
		still_init(&w->still, pid);
		w->since = talk_clock();
	}
	if (h->nsteps != w->steps) {
		w->steps = h->nsteps;
		w->since = talk_clock();
	}
	if (h->outcome == BATON_DEADLOCK)
		w->hung = still_look(&w->still) > STILL_SECONDS;
	if (w->server->visit && (w->hung || h->halted)) {
		w->server->visit(w->server->visit_arg, pid);
		return false;
	}
	now = talk_clock();
	if (w->server->deadline > 0 && now >= w->server->deadline)
		w->late = now - w->since < POOL_PATIENT;
	return !w->hung && !w->late && now - w->since < w->server->step;
}

/* What came of it goes to the recording, and to the judge. */
static enum status take_end(struct server *s, const char *trace, const struct launch_end *end,
			    struct diag *d)
{
	struct trace_end said = { .status = end->status, .signal = end->signal, .hung = end->hung };
	bool became;

	(void)trace_end_write(trace, &said, &became);
	s->pool.runner.ended = end->signal ? end->signal : end->status << 8;
	return judge_after(&s->judge, &s->pool.runner, d);
}

enum status again_run(struct server *s, const struct server_program *p,
		      const struct baton_choice *steps, size_t n, const char *trace, int output,
		      struct launch_end *end, struct diag *d)
{
	struct baton_head *h = s->pool.runner.head;
	struct watching w = { .server = s, .steps = UINT32_MAX };
	struct strbuf options = { 0 };
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct launch l = { .path = p->path,
			    .argv = p->argv,
			    .trace = trace,
			    .quiet = true,
			    .look = look,
			    .look_arg = &w,
			    .directory = p->directory,
			    .in = nothing, /* as in all other runs */
			    .out = s->judge.out ? s->judge.out_fd : output,
			    .err = s->judge.err ? s->judge.err_fd : output,
			    .steady = true };
	enum status st = ST_OK;

	if (nothing < 0)
		st = diag_fail(d, ST_IO, "cannot open /dev/null: %s", strerror(errno));
	if (st == ST_OK)
		st = judge_before(&s->judge, h, d);
	if (st != ST_OK) {
		if (nothing >= 0)
			close(nothing);
		return st;
	}
	strbuf_addf(&options, "%scontrol=%s\n", p->options, s->path);
	l.options = strbuf_str(&options);
	h->kept = 1;
	h->policy = BATON_GO_ON;
	h->sleep = h->frozen = (struct baton_set){ { 0 } };
	h->nprefix = (uint32_t)n;
	if (n > 0)
		memcpy(explore_choices(&s->pool.runner), steps, n * sizeof(*steps));
	st = launch_program(&l, end, d);
	if (st == ST_OK && w.late)
		st = diag_fail(d, ST_LIMIT, "time ran out before it had ended");
	s->stopped = st == ST_OK && end->asked;
	h->kept = 0;
	pool_learn(&s->pool);
	end->hung = w.hung;
	close(nothing);
	strbuf_release(&options);
	return st == ST_OK ? take_end(s, trace, end, d) : st;
}
