/*
 * The shape of what is written:
 *
 *	byte pc_0, pc_1;		events done, by chain
 *	byte own_0, rd_0;		lock 0: held exclusively; readers
 *	byte lw_0;			cell 0: event that wrote it last; 0 none; BAD, see below
 *	short sem_0;			semaphore 0: what there is to take
 *	bit t_4;			free read 4 saw another value
 *	bit odd_4_9;			and what event 9 compares comes out otherwise
 *	active proctype Chain_0() {
 *		atomic { (own_0 == 0 && rd_0 == 0) -> own_0 = 1; pc_0++ };
 *		atomic { (lw_0 == 3) -> pc_0++ };
 *		...
 *
 * A binding read waits until its cell holds the observed write: where that write was overwritten
 * the process stays there for ever, which is what "no longer a reordering" means.  A free read never
 * waits, and remembers in t_ whether its value may differ; a write that it feeds then leaves BAD in
 * its cells.  All such contents are alike, for nothing may be concluded from any of them.
 *
 * Goals (promela_goals.c) only look.  Goals() loops in its one state, so it adds no states of its own.
 */
#include "export/promela.h"

#include "export/promela_priv.h"
#include "order/model.h"

struct writer {
	const struct model *m;
	const struct promela_options *opt;
	struct strbuf *out;
	const char *counter; /* type that holds event numbers */
};

static bool may_differ(const struct writer *w, uint32_t e)
{
	return promela_may_differ(w->m, w->opt, e);
}

/* One more part of a condition; without parts it is true. */
#define ADD_AND(guard, ...) \
	(strbuf_adds(guard, (guard)->n ? " && " : ""), strbuf_addf(guard, __VA_ARGS__))

static void add_done(const struct writer *w, uint32_t e, struct strbuf *guard)
{
	ADD_AND(guard, "pc_%u > %u", w->m->event[e].chain, w->m->event[e].index);
}

/* Events of other chains that must have happened. */
static void add_preds(const struct writer *w, uint32_t e, struct strbuf *guard)
{
	struct model_list preds = model_preds(w->m, e);

	for (uint32_t i = 0; i < preds.n; i++)
		if (w->m->event[preds.at[i]].chain != w->m->event[e].chain)
			add_done(w, preds.at[i], guard);
}

/*
 * Guards: with `when' in, `from' before `to'.  Wrong is `to' before `from' and all three in; the
 * last of the three must not happen then.  late_K says that `from' came after `to'.
 */
static void add_guards(const struct writer *w, uint32_t e, struct strbuf *guard,
		       struct strbuf *effect)
{
	for (uint32_t k = 0; k < w->m->nguards; k++) {
		const struct model_guard *g = &w->m->guards[k];
		const struct model_event *to = &w->m->event[g->to], *when = &w->m->event[g->when];

		if (g->paired)
			continue; /* the locks and semaphores say it better */
		if (e == g->when)
			ADD_AND(guard, "late_%u == 0", k);
		if (e == g->from) {
			ADD_AND(guard, "!(pc_%u > %u && pc_%u > %u)", to->chain, to->index,
				when->chain, when->index);
			strbuf_addf(effect, "late_%u = (pc_%u > %u); ", k, to->chain, to->index);
		}
	}
}

/* Locks and semaphores. */
static void add_lock(const struct model_event *e, struct strbuf *guard, struct strbuf *effect)
{
	switch (e->op) {
	case STEP_ACQ:
		ADD_AND(guard, "own_%u == 0 && rd_%u == 0", e->obj, e->obj);
		if (!(e->flags & STEP_RENEWS)) /* it needs the lock free, and leaves it so */
			strbuf_addf(effect, "own_%u = 1; ", e->obj);
		break;
	case STEP_RACQ:
		ADD_AND(guard, "own_%u == 0", e->obj);
		strbuf_addf(effect, "rd_%u++; ", e->obj);
		break;
	case STEP_REL:
		strbuf_addf(effect, "own_%u = 0; ", e->obj);
		break;
	case STEP_RREL:
		strbuf_addf(effect, "rd_%u--; ", e->obj);
		break;
	case STEP_BUSY:
		ADD_AND(guard, "(own_%u == 1", e->obj);
		if (e->flags & STEP_READERS)
			strbuf_addf(guard, " || rd_%u > 0", e->obj);
		strbuf_adds(guard, ")");
		break;
	case STEP_POST:
		strbuf_addf(effect, "sem_%u++; ", e->obj);
		break;
	case STEP_TAKE:
		ADD_AND(guard, "sem_%u > 0", e->obj);
		strbuf_addf(effect, "sem_%u--; ", e->obj);
		break;
	case STEP_ZERO:
		ADD_AND(guard, "sem_%u == 0", e->obj);
		break;
	default:
		break;
	}
}

/* "lw_2 == 3 || lw_2 == 7": what the read sees is what it saw, or is the same for the event that tests it. */
static void format_same(const struct writer *w, uint32_t read, uint32_t at, struct strbuf *out)
{
	const struct model_touch *t = &w->m->touches[w->m->event[read].touch];
	promela_writers writers = { 0 };

	promela_would_do(w->m, read, at, &writers);
	strbuf_addf(out, "lw_%u == %u", t->cell, t->seen);
	for (size_t i = 0; i < writers.n; i++)
		strbuf_addf(out, " || lw_%u == %u", t->cell, writers.at[i]);
	VEC_RELEASE(&writers);
}

/* Of a read: events that test it later remember now how that will come out. */
static void add_tests(const struct writer *w, uint32_t id, struct strbuf *guard,
		      struct strbuf *effect)
{
	struct model_tests t = model_tests_of(w->m, id);

	for (uint32_t i = 0; i < t.n; i++) {
		STRBUF_SCOPED same = { 0 };

		if ((i > 0 && t.at[i - 1].at == t.at[i].at) ||
		    !promela_is_tested(w->m, w->opt, id, t.at[i].at))
			continue;
		format_same(w, id, t.at[i].at, &same);
		if (t.at[i].at == id)
			ADD_AND(guard, "(%s)", strbuf_str(&same));
		else
			strbuf_addf(effect, "odd_%u_%u = !(%s); ", id, t.at[i].at,
				    strbuf_str(&same));
	}
}

static void add_read(const struct writer *w, uint32_t id, struct strbuf *guard,
		     struct strbuf *effect)
{
	const struct model_event *e = &w->m->event[id];
	const struct model_touch *touch = w->m->touches + e->touch;
	uint32_t n = model_ntouches(w->m, id);

	if (!may_differ(w, id)) {
		if (e->flags & STEP_TAINTED)
			ADD_AND(guard, "false");
		for (uint32_t i = 0; i < n; i++)
			ADD_AND(guard, "lw_%u == %u", touch[i].cell, touch[i].seen);
	} else if (e->flags & STEP_TAINTED) {
		strbuf_addf(effect, "t_%u = 1; ", id);
	} else {
		strbuf_addf(effect, "t_%u = (", id);
		for (uint32_t i = 0; i < n; i++)
			strbuf_addf(effect, "%slw_%u != %u", i ? " || " : "", touch[i].cell,
				    touch[i].seen);
		strbuf_addf(effect, "%s); ", n ? "" : "0");
	}
}

/*
 * Reads that are in no record (doc/WITNESS.md, "Repeated reads"): between the first of a run and the one
 * that closes it the thread goes on only while what they saw is there.
 */
static void add_stays(const struct writer *w, uint32_t id, struct strbuf *guard)
{
	const struct model_event *e = &w->m->event[id];
	struct model_stays stays = model_stays(w->m, e->chain, e->index);

	for (uint32_t i = 0; i < stays.n && !(e->flags & STEP_SHADOW); i++) {
		uint32_t read = stays.at[i].id;
		const struct model_touch *touch = w->m->touches + w->m->event[read].touch;

		for (uint32_t k = 0;
		     stays.at[i].first <= e->index && k < model_ntouches(w->m, read); k++)
			ADD_AND(guard, "lw_%u == %u", touch[k].cell, touch[k].seen);
	}
}

/* "t_4 || t_6" over the feeds that may have another value; false: there is none.  Feed 0 is a
 * read that is not in the model: nothing can be said for it. */
static bool format_feeds(const struct writer *w, uint32_t id, struct strbuf *out)
{
	const uint32_t *feeds = w->m->feeds + w->m->event[id].feed;

	for (uint32_t i = 0; i < model_nfeeds(w->m, id) && !w->opt->strict; i++) {
		if (feeds[i] && !may_differ(w, feeds[i]))
			continue;
		strbuf_adds(out, out->n ? " || " : "");
		if (feeds[i])
			strbuf_addf(out, "t_%u", feeds[i]);
		else
			strbuf_adds(out, "true");
	}
	return out->n != 0;
}

static void add_write(const struct writer *w, uint32_t id, struct strbuf *effect)
{
	const struct model_event *e = &w->m->event[id];
	STRBUF_SCOPED feeds = { 0 };
	bool fed = format_feeds(w, id, &feeds);

	for (uint32_t i = 0; i < model_ntouches(w->m, id); i++) {
		uint32_t cell = w->m->touches[e->touch + i].cell;

		if (fed)
			strbuf_addf(effect, "lw_%u = ((%s) -> BAD : %u); ", cell,
				    strbuf_str(&feeds), id);
		else
			strbuf_addf(effect, "lw_%u = %u; ", cell, id);
	}
}

static void add_use(const struct writer *w, uint32_t id, struct strbuf *guard)
{
	const uint32_t *feeds = w->m->feeds + w->m->event[id].feed;

	for (uint32_t i = 0; i < model_nfeeds(w->m, id) && !w->opt->strict; i++) {
		if (feeds[i] && promela_is_tested(w->m, w->opt, feeds[i], id))
			ADD_AND(guard, "!odd_%u_%u", feeds[i], id);
		else if (feeds[i] && may_differ(w, feeds[i]))
			ADD_AND(guard, "!t_%u", feeds[i]);
		else if (!feeds[i])
			ADD_AND(guard, "false");
	}
}

void promela_comment(uint64_t number, const char *text, struct strbuf *out)
{
	strbuf_addf(out, "\t/* %llu: ", (unsigned long long)number);
	for (; *text; text++) {
		bool plain = *text != '/' && *text != '\\' && (unsigned char)*text >= ' ';

		strbuf_add(out, plain ? text : "_", 1);
	}
	strbuf_adds(out, " */");
}

static void write_event(const struct writer *w, uint32_t id)
{
	const struct model_event *e = &w->m->event[id];
	STRBUF_SCOPED guard = { 0 }, effect = { 0 };

	add_preds(w, id, &guard);
	if (e->flags & MODEL_HAS_GUARDS)
		add_guards(w, id, &guard, &effect);
	add_lock(e, &guard, &effect);
	add_stays(w, id, &guard);
	/* The read part of a read-modify-write comes first: its own value may feed it. */
	if (model_reads(e)) {
		add_tests(w, id, &guard, &effect);
		add_read(w, id, &guard, &effect);
	}
	if (model_writes(e))
		add_write(w, id, &effect);
	if (e->op == STEP_USE)
		add_use(w, id, &guard);
	strbuf_addf(w->out, "\tatomic { (%s) -> %spc_%u++ };",
		    guard.n ? strbuf_str(&guard) : "true", strbuf_str(&effect), e->chain);
	if (w->opt->describe)
		promela_comment(id, w->opt->describe(w->opt->arg, w->m->base + id), w->out);
	strbuf_adds(w->out, "\n");
}

static void write_chain(const struct writer *w, uint32_t chain)
{
	struct model_list list = model_chain(w->m, chain);
	uint32_t i;

	strbuf_addf(w->out, "\nactive proctype Chain_%u()\n{\n", chain);
	/* From a STOP on nothing of the thread happens, though its next event may be a target. */
	for (i = 0; i < list.n && !(w->m->event[list.at[i]].flags & STEP_STOP); i++)
		write_event(w, list.at[i]);
	strbuf_adds(w->out, i ? "}\n" : "\tskip\n}\n");
}

/* More than all waits could take is as good as that. */
static uint32_t sem_start(const struct model *m, uint32_t sem)
{
	uint64_t value = model_sem_value(m, sem);

	return value < m->n + 1 ? (uint32_t)value : m->n + 1;
}

static void write_odd(const struct writer *w, uint32_t i)
{
	const struct model_test *t = &w->m->tests.at[i];

	if (t->at != t->read && !(i > 0 && t[-1].read == t->read && t[-1].at == t->at) &&
	    promela_is_tested(w->m, w->opt, t->read, t->at))
		strbuf_addf(w->out, "bit odd_%u_%u = 0;\n", t->read, t->at);
}

static void write_variables(const struct writer *w)
{
	const struct model *m = w->m;

	for (uint32_t c = 0; c < m->nchains; c++)
		strbuf_addf(w->out, "%s pc_%u = 0;\n", w->counter, c);
	for (uint32_t l = 0; l < m->nlocks; l++)
		strbuf_addf(w->out, "byte own_%u = 0, rd_%u = 0;\n", l, l);
	for (uint32_t s = 0; s < m->nsems; s++)
		if (model_sem_runs(m, s).n)
			strbuf_addf(w->out, "short sem_%u = %u;\n", s, sem_start(m, s));
	for (uint32_t c = 0; c < m->ncells; c++)
		if (model_cell(m, c).n)
			strbuf_addf(w->out, "%s lw_%u = 0;\n", w->counter, c);
	for (uint32_t e = 1; e <= m->n; e++)
		if (may_differ(w, e))
			strbuf_addf(w->out, "bit t_%u = 0;\n", e);
	for (uint32_t i = 0; i < m->tests.n; i++)
		write_odd(w, i);
	for (uint32_t k = 0; k < m->nguards; k++)
		if (!m->guards[k].paired)
			strbuf_addf(w->out, "bit late_%u = 0;\n", k);
}

/* The event is the next one of its chain, and can happen but for its lock or value. */
static void write_next(const struct writer *w, uint32_t e)
{
	const struct model_event *ev = &w->m->event[e];
	STRBUF_SCOPED guard = { 0 };

	strbuf_addf(&guard, "pc_%u == %u", ev->chain, ev->index);
	add_preds(w, e, &guard);
	strbuf_adds(w->out, strbuf_str(&guard));
}

static void write_goal(const struct writer *w, const struct promela_goal *g)
{
	for (uint32_t i = 0; i < g->n; i++) {
		strbuf_adds(w->out, i ? " && " : "(");
		write_next(w, g->event[i]);
	}
	strbuf_adds(w->out, ")");
}

/* "3-8" */
static void write_events(const struct writer *w, const struct promela_goal *g, char sep)
{
	for (uint32_t i = 0; i < g->n; i++) {
		if (i)
			strbuf_add(w->out, &sep, 1);
		strbuf_addf(w->out, "%u", g->event[i]);
	}
}

/* One goal by -DGOAL_I_J: an assertion that fails, with SPIN's trail to it. */
static void write_one_goal(const struct writer *w, const struct promela_goals *g)
{
	for (size_t i = 0; i < g->at.n; i++) {
		if (w->opt->pair[0]) {
			strbuf_adds(w->out, "\n");
		} else {
			strbuf_addf(w->out, "%s defined(GOAL_", i ? "#elif" : "\n#if");
			write_events(w, &g->at.at[i], '_');
			strbuf_adds(w->out, ")\n");
		}
		strbuf_adds(w->out, "#define GOAL ");
		write_goal(w, &g->at.at[i]);
		strbuf_adds(w->out, "\n");
	}
	if (g->at.n && !w->opt->pair[0])
		strbuf_adds(w->out, "#endif\n");
	if (g->at.n)
		strbuf_adds(w->out, "#ifdef GOAL\n"
				    "active proctype Goal() { atomic { GOAL -> assert(false) } }\n"
				    "#endif\n");
}

/* All goals by one search: each is printed when it is first reached. */
static void write_all_goals(const struct writer *w, const struct promela_goals *g)
{
	if (w->opt->pair[0] || !g->at.n)
		return;
	strbuf_addf(w->out,
		    "\n#ifndef GOAL\n"
		    "c_decl {\n"
		    "static char goal_reached[%zu];\n"
		    "static void goal(int k, const char *what)\n"
		    "{\n"
		    "\tif (!goal_reached[k]) printf(\"%%s\\n\", what);\n"
		    "\tgoal_reached[k] = 1;\n"
		    "}\n"
		    "}\n"
		    "active proctype Goals()\n{\nend:\tdo\n",
		    g->at.n);
	for (size_t i = 0; i < g->at.n; i++) {
		strbuf_adds(w->out, "\t:: atomic { ");
		write_goal(w, &g->at.at[i]);
		strbuf_addf(w->out, " -> c_code { goal(%zu, \"%s ", i,
			    g->at.at[i].deadlock ? "deadlock" : "race");
		write_events(w, &g->at.at[i], '-');
		strbuf_adds(w->out, "\"); } }\n");
	}
	strbuf_adds(w->out, "\tod\n}\n#endif\n");
}

static void write_head(const struct writer *w, const struct promela_goals *g)
{
	strbuf_addf(w->out,
		    "/*\n"
		    " * foresee: %u events, %zu pairs of conflicting accesses, %zu circles of "
		    "locks, %s.\n"
		    " *\n",
		    w->m->n, g->at.n - g->deadlocks, g->deadlocks,
		    w->opt->strict    ? "strict model"
		    : w->m->has_facts ? "dependency-aware model"
				      : "strict model (no read is free)");
	if (w->opt->pair[0])
		strbuf_addf(w->out, " * The assertion fails where events %u and %u can %s.\n",
			    g->at.at[0].event[0], g->at.at[0].event[1],
			    g->deadlocks ? "deadlock" : "race");
	else
		strbuf_adds(w->out, " * One search prints all that can race or deadlock:\n");
	strbuf_adds(w->out, " *\tspin -a MODEL; cc -DSAFETY -DNOREDUCE -o pan pan.c; ./pan -E\n");
	if (!w->opt->pair[0])
		strbuf_adds(w->out, " * With spin -DGOAL_I_J -a MODEL, an assertion fails where "
				    "events I and J can race,\n"
				    " * or the requests I, J, ... deadlock.\n");
	strbuf_adds(w->out, " */\n");
	if (!w->opt->strict)
		strbuf_addf(w->out, "#define BAD %u\n", w->m->n + 1);
}

enum status promela_write(const struct model *m, const struct promela_options *opt,
			  struct strbuf *out, struct diag *d)
{
	struct writer w = { .m = m, .opt = opt, .out = out };
	struct promela_goals goals = { 0 };
	enum status st;

	if (m->n > PROMELA_EVENTS || m->nchains > PROMELA_CHAINS)
		return diag_fail(
			d, ST_LIMIT,
			"too long for a Promela model: %u events (at most %d) of %u threads (%d)",
			m->n, PROMELA_EVENTS, m->nchains, PROMELA_CHAINS);
	w.counter = m->n < 255 ? "byte" : "short";
	st = promela_goals_find(m, opt, &goals, d);
	if (st == ST_OK) {
		write_head(&w, &goals);
		write_variables(&w);
		for (uint32_t c = 0; c < m->nchains; c++)
			write_chain(&w, c);
		if (!m->nchains)
			strbuf_adds(out, "active proctype Nothing() { skip }\n");
		write_one_goal(&w, &goals);
		write_all_goals(&w, &goals);
	}
	VEC_RELEASE(&goals.at);
	return st;
}
