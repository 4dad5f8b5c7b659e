/*
 * The shape of what is written, for one variable and two threads:
 *
 *	THREAD(T1) = start.T1 -> write.T1.y -> lock.T1.m -> unlock.T1.m -> end.T1 -> STOP
 *	TINTER     = ||| t:Thread @ THREAD(t)
 *	SYNC       = FORK, JOIN, MUTEX ... of csp_sync.c
 *	PROGRAM    = TINTER [| Sync |] SYNC
 *	PATTERN    = ERR /\ ([] e:union(Sync, RW) @ e -> PATTERN)
 *	assert STOP [T= ((PROGRAM [| union(Sync, RW) |] PATTERN) \ diff(Events, {race}))
 *
 * ERR does `race' after two accesses that conflict; PATTERN takes part in every synchronisation and in all
 * accesses of the variable by the two threads, so nothing of these was between: both stood before their
 * accesses when the first of the two happened.  Where there are several checks the names have its variable
 * and threads behind them.
 */
#include "export/csp.h"

#include "export/csp_priv.h"
#include "predict/engine.h"

#define COLUMNS 100

/* ---- lines ---- */

void csp_equation(const struct csp_writer *w, const char *name, const char *text)
{
	size_t column = strlen(name) + 3;

	strbuf_addf(w->out, "%s = ", name);
	while (*text) {
		const char *end = strstr(text, " -> ");
		size_t n = end ? (size_t)(end - text) + 4 : strlen(text);

		if (column > 8 && column + n > COLUMNS) {
			strbuf_adds(w->out, "\n        ");
			column = 8;
		}
		strbuf_add(w->out, text, n);
		column += n;
		text += n;
	}
	strbuf_adds(w->out, "\n");
}

void csp_event_comment(const struct csp_writer *w, const char *what, uint32_t e)
{
	strbuf_addf(w->out, "--   %s: event %u, %s\n", what, e,
		    w->opt->describe(w->opt->arg, w->m->base + e));
}

/* ---- threads ---- */

static const char *access_channel(const struct model_event *e)
{
	if (model_is_atomic(e))
		return model_writes(e) ? "awrite" : "aread";
	return model_writes(e) ? "write" : "read";
}

static bool is_kept(const struct csp_accesses *a, uint32_t e)
{
	for (size_t i = 0; i < a->at.n; i++)
		if (a->at.at[i].e == e)
			return true;
	return false;
}

/* name: THREAD, with what stands behind it. */
static void write_thread(const struct csp_writer *w, const char *name, uint32_t tid, uint32_t cell)
{
	const char *thread = w->names.thread[tid].id;
	VEC_SCOPED struct csp_accesses accesses = { 0 };
	STRBUF_SCOPED text = { 0 }, head = { 0 };
	bool stopped = false;

	csp_accesses(w->net, cell, tid, &accesses);
	strbuf_addf(&head, "%s(%s)", name, thread);
	strbuf_addf(&text, "start.%s -> ", thread);
	CSP_EACH_EVENT(w, tid, e)
	{
		const struct model_event *v = &w->m->event[e];

		/* It may be next, but not happen: that is enough for a race, not for more. */
		stopped = v->flags & STEP_STOP;
		csp_sync_takes(w, e, &text);
		if (is_kept(&accesses, e))
			strbuf_addf(&text, "%s.%s.%s -> ", access_channel(v), thread,
				    w->names.cell[cell].id);
		if (stopped)
			break;
		csp_sync_event(w, e, &text);
		csp_sync_gives(w, e, &text);
	}
	if (!stopped)
		strbuf_addf(&text, "end.%s -> ", thread);
	strbuf_adds(&text, "STOP");
	csp_equation(w, strbuf_str(&head), strbuf_str(&text));
}

static void write_program(const struct csp_writer *w, uint32_t cell)
{
	STRBUF_SCOPED name = { 0 };
	const char *id = w->single ? "" : w->names.cell[cell].id;
	const char *sep = w->single ? "" : "_";

	strbuf_addf(&name, "THREAD%s%s", sep, id);
	for (uint32_t t = 0; t < w->names.nthreads; t++)
		if (w->names.thread[t].id)
			write_thread(w, strbuf_str(&name), t, cell);
	strbuf_addf(w->out, "TINTER%s%s = ||| t:Thread @ THREAD%s%s(t)\n", sep, id, sep, id);
	if (!w->single)
		strbuf_addf(w->out, "PROGRAM_%s = TINTER_%s [| Sync |] SYNC\n", id, id);
}

/* ---- checks ---- */

/* Kinds of accesses: bit i of what a thread has is channels[i]. */
static const char *const channels[] = { "read", "write", "aread", "awrite" };

static unsigned kinds_of(const struct csp_writer *w, uint32_t cell, uint32_t tid)
{
	VEC_SCOPED struct csp_accesses a = { 0 };
	unsigned kinds = 0;

	csp_accesses(w->net, cell, tid, &a);
	for (size_t i = 0; i < a.at.n; i++)
		for (unsigned k = 0; k < 4; k++)
			if (strcmp(access_channel(&w->m->event[a.at.at[i].e]), channels[k]) == 0)
				kinds |= 1u << k;
	return kinds;
}

/* As model_conflict has it: one writes, and not both are atomic. */
static bool kinds_conflict(unsigned a, unsigned b)
{
	return (a % 2 || b % 2) && !(a >= 2 && b >= 2);
}

/* Reads and writes always, atomic ones where there are some. */
static unsigned kinds_shown(const struct csp_writer *w, const struct csp_check *c)
{
	return 3u | kinds_of(w, c->cell, c->tid[0]) | kinds_of(w, c->cell, c->tid[1]);
}

static void write_rw(const struct csp_writer *w, const struct csp_check *c, const char *suffix)
{
	unsigned kinds = kinds_shown(w, c);
	const char *sep = "{ ";

	strbuf_addf(w->out, "RW%s = ", suffix);
	for (int i = 0; i < 2; i++) {
		for (unsigned k = 0; k < 4; k++) {
			if (!(kinds >> k & 1))
				continue;
			strbuf_addf(w->out, "%s%s.%s.%s", sep, channels[k],
				    w->names.thread[c->tid[i]].id, w->names.cell[c->cell].id);
			sep = ", ";
		}
	}
	strbuf_adds(w->out, " }\n");
}

static void write_err(const struct csp_writer *w, const struct csp_check *c, const char *suffix)
{
	unsigned kinds = kinds_shown(w, c);
	const char *x = w->names.cell[c->cell].id, *sep = "";

	strbuf_addf(w->out, "ERR%s = ", suffix);
	for (int i = 0; i < 2; i++) {
		const char *t = w->names.thread[c->tid[i]].id;
		const char *u = w->names.thread[c->tid[1 - i]].id;

		for (unsigned k = 0; k < 16; k++) {
			unsigned a = k / 4, b = k % 4;

			if (!(kinds >> a & 1) || !(kinds >> b & 1) || !kinds_conflict(a, b))
				continue;
			strbuf_addf(w->out, "%s(%s.%s.%s -> %s.%s.%s -> race -> STOP)", sep,
				    channels[a], t, x, channels[b], u, x);
			sep = "\n        [] ";
		}
	}
	strbuf_adds(w->out, "\n");
}

static void write_check(const struct csp_writer *w, const struct csp_check *c)
{
	STRBUF_SCOPED suffix = { 0 };
	const char *x = w->names.cell[c->cell].id;
	const char *program = w->single ? "" : "_", *of = w->single ? "" : x, *s;

	strbuf_addf(w->out, "\n-- %s, %s and %s: the assertion fails where they race\n", x,
		    w->names.thread[c->tid[0]].id, w->names.thread[c->tid[1]].id);
	for (int i = 0; i < 2; i++) {
		VEC_SCOPED struct csp_accesses a = { 0 };

		csp_accesses(w->net, c->cell, c->tid[i], &a);
		for (size_t k = 0; k < a.at.n; k++)
			csp_event_comment(w, access_channel(&w->m->event[a.at.at[k].e]),
					  a.at.at[k].e);
	}
	if (!w->single)
		strbuf_addf(&suffix, "_%s_%s_%s", x, w->names.thread[c->tid[0]].id,
			    w->names.thread[c->tid[1]].id);
	s = strbuf_str(&suffix);
	write_rw(w, c, s);
	write_err(w, c, s);
	strbuf_addf(w->out, "PATTERN%s = ERR%s /\\ ([] e:union(Sync, RW%s) @ e -> PATTERN%s)\n", s,
		    s, s, s);
	strbuf_addf(w->out,
		    "assert STOP [T= ((PROGRAM%s%s [| union(Sync, RW%s) |] PATTERN%s) \\ "
		    "diff(Events, {race}))\n",
		    program, of, s, s);
}

/* ---- which ---- */

static enum status no_such(struct diag *d, const char *what, const char *word, size_t n)
{
	return diag_fail(d, ST_BAD_INPUT, "the trace has no %s '%.*s'", what, (int)n, word);
}

/* The two threads of "T1,T2". */
static enum status find_threads(const struct csp_writer *w, uint32_t *tid, struct diag *d)
{
	const char *word = w->opt->threads, *comma = strchr(word, ',');
	size_t n = strcspn(word, ",");

	if (!comma)
		return diag_fail(d, ST_BAD_INPUT,
				 "bad value '%s' of --threads: expected two threads, as T1,T2",
				 word);
	tid[0] = csp_names_find(w->names.thread, w->names.nthreads, word, n);
	if (tid[0] == UINT32_MAX)
		return no_such(d, "thread", word, n);
	tid[1] = csp_names_find(w->names.thread, w->names.nthreads, comma + 1, strlen(comma + 1));
	if (tid[1] == UINT32_MAX)
		return no_such(d, "thread", comma + 1, strlen(comma + 1));
	return ST_OK;
}

/* The cell that stands for the one of that name among the checks: they are always touched together. */
static bool is_of(const struct csp_writer *w, uint32_t cell, uint32_t named)
{
	struct model_list a = model_cell(w->m, cell), b = model_cell(w->m, named);

	return cell == named || strcmp(w->names.cell[cell].real, w->names.cell[named].real) == 0 ||
	       (a.n == b.n && memcmp(a.at, b.at, a.n * sizeof(*a.at)) == 0);
}

static enum status choose_checks(struct csp_writer *w, struct diag *d)
{
	bool named = w->opt->variable && w->opt->threads;
	uint32_t cell = UINT32_MAX, tid[2] = { 0 };
	enum status st = w->opt->threads ? find_threads(w, tid, d) : ST_OK;
	size_t kept = 0;

	if (st == ST_OK && w->opt->variable) {
		size_t n = strlen(w->opt->variable);

		cell = csp_names_find(w->names.cell, w->m->ncells, w->opt->variable, n);
		if (cell == UINT32_MAX)
			st = no_such(d, "variable", w->opt->variable, n);
	}
	if (st != ST_OK)
		return st;
	csp_checks(w->net, named, &w->checks);
	for (size_t i = 0; i < w->checks.at.n; i++) {
		struct csp_check c = w->checks.at.at[i];

		if (cell != UINT32_MAX && !is_of(w, c.cell, cell))
			continue;
		if (w->opt->threads && !((c.tid[0] == tid[0] && c.tid[1] == tid[1]) ||
					 (c.tid[0] == tid[1] && c.tid[1] == tid[0])))
			continue;
		w->checks.at.at[kept++] = c;
	}
	w->checks.at.n = kept;
	if (kept > CSP_CHECKS || w->checks.left_out)
		return diag_fail(d, ST_LIMIT,
				 "more than %d checks: choose by --variable and --threads",
				 CSP_CHECKS);
	w->single = kept == 1;
	return ST_OK;
}

/* ---- all ---- */

static void write_head(const struct csp_writer *w)
{
	size_t guards = 0, renews = 0;

	for (uint32_t k = 0; k < w->m->nguards; k++)
		guards += !w->m->guards[k].paired;
	for (uint32_t e = 1; e <= w->m->n; e++)
		renews += csp_leaves_out(&w->m->event[e]) != 0;
	strbuf_addf(w->out, "-- foresee: %u events, %zu check%s, %s\n", w->m->n, w->checks.at.n,
		    w->checks.at.n == 1 ? "" : "s",
		    w->opt->strict ? "reads keep their writes"
				   : "no data: a check that fails is a warning");
	if (guards)
		strbuf_adds(w->out,
			    "-- left out: that signals find their waiters asleep, and joins "
			    "that failed\n");
	if (renews)
		strbuf_adds(w->out, "-- left out: the making and the end of locks\n");
}

/* Without a check there is nothing to declare variables for. */
static void write_whole(const struct csp_writer *w)
{
	const char *sep = " = ";

	write_head(w);
	csp_sync_declare(w);
	for (size_t i = 0; i < w->checks.at.n; i++) {
		uint32_t cell = w->checks.at.at[i].cell;
		const struct csp_name *name = &w->names.cell[cell];

		if (i > 0 && w->checks.at.at[i - 1].cell == cell)
			continue;
		if (strcmp(name->id, name->real) != 0)
			strbuf_addf(w->out, "-- %s: %s\n", name->id, name->real);
	}
	for (size_t i = 0; i < w->checks.at.n; i++) {
		uint32_t cell = w->checks.at.at[i].cell;

		if (i > 0 && w->checks.at.at[i - 1].cell == cell)
			continue;
		strbuf_addf(w->out, "%s%s%s", i ? "" : "datatype Var", sep, w->names.cell[cell].id);
		sep = " | ";
	}
	strbuf_adds(w->out, w->checks.at.n ? "\nchannel read, write : Thread.Var\n" : "");
	if (w->checks.at.n)
		for (uint32_t e = 1; e <= w->m->n; e++)
			if (csp_is_access(&w->m->event[e]) && model_is_atomic(&w->m->event[e])) {
				strbuf_adds(w->out, "channel aread, awrite : Thread.Var\n");
				break;
			}
	strbuf_adds(w->out, "channel race\n");
	if (!w->single)
		csp_sync_write(w);
	for (size_t i = 0; i < w->checks.at.n; i++) {
		const struct csp_check *c = &w->checks.at.at[i];

		if (i == 0 || c[-1].cell != c->cell)
			write_program(w, c->cell);
		if (w->single) {
			csp_sync_write(w);
			strbuf_adds(w->out, "PROGRAM = TINTER [| Sync |] SYNC\n");
		}
		write_check(w, c);
	}
}

enum status csp_write(const struct model *m, const struct csp_options *opt, struct strbuf *out,
		      struct diag *d)
{
	struct csp_writer w = { .m = m, .opt = opt, .out = out };
	struct engine_run *run;
	struct csp *net;
	enum status st;

	if (m->n > CSP_EVENTS)
		return diag_fail(d, ST_LIMIT, "too long for a CSP model: more than %d events",
				 CSP_EVENTS);
	run = engine_run_new(m);
	net = csp_new(m, engine_causal(run, CAUSAL_HARD));
	w.net = net;
	csp_names_init(&w.names, m, opt);
	csp_sync_find(&w);
	st = choose_checks(&w, d);
	if (st == ST_OK && opt->strict)
		st = csp_strict_write(&w, d);
	else if (st == ST_OK)
		write_whole(&w);
	csp_names_release(&w.names, m);
	VEC_RELEASE_ALL(&w.checks, &w.edges);
	MEM_FREE_ALL(w.is_forked, w.is_shared);
	csp_free(net);
	engine_run_free(run);
	return st;
}
