/*
 * The network with data: a process for each variable that two threads use knows who wrote it last, and
 * a read is possible only while that is the write it saw.  Accesses have the numbers of their events.  A
 * thread can also *try* an access of a check, and then stays there: try is outside the variables, for what
 * the access would see does not matter.
 *
 *	THREAD(T1) = start.T1 -> ((write.T1.x.1 -> end.T1 -> STOP) [] (try.T1.1 -> STOP))
 *	VAR_x(w)   = (write?t!x?k:{ 1, 4 } -> VAR_x(k)) [] (read?t!x?k:RD_x(w) -> VAR_x(w))
 *	RACE       = (try.T1.1 -> try.T2.4 -> race.1.4 -> STOP) [] ...
 *
 * One assertion for two threads.  Reads that are in no record (doc/WITNESS.md, "Repeated reads") are not
 * in it, nor is what free reads allow.
 */
#include "export/csp_priv.h"

#define PAIRS 20000u /* that may race, of one assertion */

struct strict {
	struct csp_writer *w;
	bool *is_shared; /* by cell: two threads use it */
};

static void find_shared(struct strict *s)
{
	const struct model *m = s->w->m;

	for (uint32_t c = 0; c < m->ncells; c++) {
		struct model_list list = model_cell(m, c);

		for (uint32_t i = 0; i < list.n; i++)
			s->is_shared[c] |= s->w->names.cell[c].id &&
					   m->event[list.at[i]].tid != m->event[list.at[0]].tid;
	}
}

static bool is_data(const struct model_event *e)
{
	return e->op >= STEP_READ && e->op <= STEP_FREE;
}

/* The variable that the event is about; ncells: none that is shared. */
static uint32_t cell_of(const struct strict *s, uint32_t e)
{
	const struct model *m = s->w->m;

	for (uint32_t i = 0; is_data(&m->event[e]) && i < model_ntouches(m, e); i++) {
		uint32_t cell = m->touches[m->event[e].touch + i].cell;

		if (s->is_shared[cell])
			return cell;
	}
	return m->ncells;
}

static enum status refuse_wide(const struct strict *s, struct diag *d)
{
	const struct model *m = s->w->m;

	for (uint32_t e = 1; e <= m->n; e++) {
		uint32_t n = 0;

		for (uint32_t i = 0; is_data(&m->event[e]) && i < model_ntouches(m, e); i++)
			n += s->is_shared[m->touches[m->event[e].touch + i].cell];
		if (n > 1)
			return diag_fail(
				d, ST_BAD_INPUT,
				"event %u touches several variables at once, which the strict "
				"network has no words for: leave out --strict, or use --to "
				"promela",
				e);
	}
	return ST_OK;
}

static const char *channel_of(const struct model_event *e)
{
	return e->op == STEP_READ ? "read" : e->op == STEP_RMW ? "rmw" : "write";
}

/* Some access of another thread conflicts with it. */
static bool is_candidate(const struct strict *s, uint32_t e)
{
	uint32_t cell = cell_of(s, e);
	struct model_list list;

	if (cell == s->w->m->ncells)
		return false;
	list = model_cell(s->w->m, cell);
	for (uint32_t i = 0; i < list.n; i++)
		if (csp_is_access(&s->w->m->event[list.at[i]]) &&
		    model_conflict(s->w->m, list.at[i], e))
			return true;
	return false;
}

static void write_thread(const struct strict *s, uint32_t tid)
{
	const struct csp_writer *w = s->w;
	const char *id = w->names.thread[tid].id;
	STRBUF_SCOPED text = { 0 }, head = { 0 };
	uint32_t depth = 0;
	bool stopped = false;

	strbuf_addf(&head, "THREAD(%s)", id);
	strbuf_addf(&text, "start.%s -> ", id);
	CSP_EACH_EVENT(w, tid, e)
	{
		const struct model_event *v = &w->m->event[e];
		uint32_t cell = cell_of(s, e);
		bool candidate = csp_is_access(v) && is_candidate(s, e);

		csp_sync_takes(w, e, &text);
		stopped = v->flags & STEP_STOP;
		if (candidate)
			strbuf_addf(&text, "((try.%s.%u -> STOP) [] (", id, e);
		depth += candidate;
		if (stopped)
			break;
		if (cell != w->m->ncells)
			strbuf_addf(&text, "%s.%s.%s.%u -> ", channel_of(v), id,
				    w->names.cell[cell].id, e);
		csp_sync_event(w, e, &text);
		csp_sync_gives(w, e, &text);
	}
	if (!stopped)
		strbuf_addf(&text, "end.%s -> ", id);
	strbuf_adds(&text, "STOP");
	for (; depth > 0; depth--)
		strbuf_adds(&text, "))");
	csp_equation(w, strbuf_str(&head), strbuf_str(&text));
}

/* "{ 4, 8 }": accesses of the cell by that channel; reads and rmw: of those that saw `seen'. */
static void write_set(const struct strict *s, uint32_t cell, const char *channel, uint32_t seen,
		      struct strbuf *out)
{
	const struct model *m = s->w->m;
	struct model_list list = model_cell(m, cell);
	const char *sep = "{ ";

	for (uint32_t i = 0; i < list.n; i++) {
		uint32_t e = list.at[i], n = model_ntouches(m, e);
		const struct model_touch *touch = m->touches + m->event[e].touch;
		uint32_t k = SEARCH_PAST(j, 0, n, touch[j].cell < cell);

		if (!is_data(&m->event[e]) || strcmp(channel_of(&m->event[e]), channel) != 0 ||
		    (model_reads(&m->event[e]) &&
		     (touch[k].seen != seen || (m->event[e].flags & STEP_TAINTED))))
			continue;
		strbuf_addf(out, "%s%u", sep, e);
		sep = ", ";
	}
	strbuf_adds(out, sep[0] == '{' ? "{ }" : " }");
}

static void write_variable(const struct strict *s, uint32_t cell)
{
	const struct model *m = s->w->m;
	struct model_list list = model_cell(m, cell);
	const char *x = s->w->names.cell[cell].id;
	STRBUF_SCOPED writes = { 0 };

	for (uint32_t i = 0; i <= list.n; i++) {
		uint32_t writer = i ? list.at[i - 1] : 0;
		STRBUF_SCOPED reads = { 0 }, both = { 0 };

		if (writer && !model_writes(&m->event[writer]))
			continue;
		write_set(s, cell, "read", writer, &reads);
		write_set(s, cell, "rmw", writer, &both);
		strbuf_addf(s->w->out, "RD_%s(%u) = %s\nRMW_%s(%u) = %s\n", x, writer,
			    strbuf_str(&reads), x, writer, strbuf_str(&both));
	}
	write_set(s, cell, "write", 0, &writes);
	strbuf_addf(s->w->out,
		    "VAR_%s(w) = (write?t!%s?k:%s -> VAR_%s(k)) [] (read?t!%s?k:RD_%s(w) -> "
		    "VAR_%s(w)) [] (rmw?t!%s?k:RMW_%s(w) -> VAR_%s(k))\n",
		    x, x, strbuf_str(&writes), x, x, x, x, x, x, x);
}

/* ---- races ---- */

static enum status write_race(const struct strict *s, const uint32_t *tid, struct diag *d)
{
	const struct csp_writer *w = s->w;
	const char *a = w->names.thread[tid[0]].id, *b = w->names.thread[tid[1]].id;
	STRBUF_SCOPED text = { 0 };
	uint32_t n = 0;

	CSP_EACH_EVENT(w, tid[0], e)
	{
		CSP_EACH_EVENT(w, tid[1], f)
		{
			if (!csp_is_access(&w->m->event[e]) || !csp_is_access(&w->m->event[f]) ||
			    cell_of(s, e) == w->m->ncells || !model_conflict(w->m, e, f))
				continue;
			if (++n > PAIRS)
				return diag_fail(d, ST_LIMIT, "more than %u pairs of accesses",
						 PAIRS);
			strbuf_addf(&text, "%s(try.%s.%u -> try.%s.%u -> race.%u.%u -> STOP)",
				    text.n ? "\n        [] " : "", a, e, b, f, e, f);
		}
	}
	strbuf_addf(w->out, "\n-- %s and %s\nRACE_%s_%s = %s\n", a, b, a, b, strbuf_str(&text));
	strbuf_addf(w->out,
		    "assert STOP [T= ((PROGRAM [| {| try |} |] RACE_%s_%s) \\ "
		    "diff(Events, {| race |}))\n",
		    a, b);
	return ST_OK;
}

static enum status write_races(const struct strict *s, struct diag *d)
{
	const struct csp_checks *c = &s->w->checks;
	enum status st = ST_OK;

	for (size_t i = 0; i < c->at.n && st == ST_OK; i++) {
		size_t k = 0;

		while (k < i && (c->at.at[k].tid[0] != c->at.at[i].tid[0] ||
				 c->at.at[k].tid[1] != c->at.at[i].tid[1]))
			k++;
		if (k == i)
			st = write_race(s, c->at.at[i].tid, d);
	}
	return st;
}

/* ---- all ---- */

static void write_network(const struct strict *s)
{
	struct csp_writer *w = s->w;
	const char *sep = " = ";

	csp_sync_declare(w);
	for (uint32_t c = 0; c < w->m->ncells; c++) {
		if (!s->is_shared[c])
			continue;
		strbuf_addf(w->out, "%s%s%s", sep[1] == '=' ? "datatype Var" : "", sep,
			    w->names.cell[c].id);
		sep = " | ";
	}
	strbuf_addf(w->out,
		    "\nnametype Nr = {0..%u}\nchannel read, write, rmw : Thread.Var.Nr\n"
		    "channel try : Thread.Nr\nchannel race : Nr.Nr\n",
		    w->m->n);
	for (uint32_t t = 0; t < w->names.nthreads; t++)
		if (w->names.thread[t].id)
			write_thread(s, t);
	strbuf_adds(w->out, "TINTER = ||| t:Thread @ THREAD(t)\n");
	csp_sync_write(w);
	for (uint32_t c = 0; c < w->m->ncells; c++)
		if (s->is_shared[c])
			write_variable(s, c);
	strbuf_adds(w->out, "PROGRAM = (TINTER [| Sync |] SYNC) [| {| read, write, rmw |} |] (");
	sep = "";
	for (uint32_t c = 0; c < w->m->ncells; c++) {
		if (!s->is_shared[c])
			continue;
		strbuf_addf(w->out, "%sVAR_%s(0)", sep, w->names.cell[c].id);
		sep = " ||| ";
	}
	strbuf_adds(w->out, ")\n");
}

enum status csp_strict_write(struct csp_writer *w, struct diag *d)
{
	struct strict s = { .w = w, .is_shared = mem_zalloc(w->m->ncells + 1) };
	enum status st;

	find_shared(&s);
	st = refuse_wide(&s, d);
	if (st == ST_OK)
		strbuf_addf(w->out, "-- foresee: %u events, %s\n", w->m->n,
			    w->checks.at.n ? "reads keep their writes"
					   : "nothing to check: no two accesses can race");
	if (st == ST_OK && w->checks.at.n) {
		write_network(&s);
		st = write_races(&s, d);
	}
	mem_free(s.is_shared);
	return st;
}
