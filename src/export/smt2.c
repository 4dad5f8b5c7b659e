/*
 * The shape of what is written:
 *
 *	(declare-const in_4 Bool)		event 4 is part of the reordering
 *	(declare-const o_4 Int)			when: less is earlier
 *	(assert (=> in_5 in_4))			program order
 *	(assert (< o_4 o_5))
 *	(assert (=> in_5 (and in_2 (< o_2 o_5) (or (not in_9) (< o_9 o_2) (< o_5 o_9)))))
 *						read 5 sees write 2, whatever becomes of write 9
 *	(push) (assert (and in_7 (not in_8) ...)) (echo "race 8-12") (check-sat) (pop)
 *						8 and 12 are both next
 *
 * Every condition asks that something comes strictly before something else, so that events at the same time
 * are never a way out; those of one semaphore, which are counted, have different times.
 *
 * Dependency facts: t_4 says that free read 4 sees something else than observed, bad_6 that write 6 has stored
 * something else.  A value flows from a read to a later write of its thread, and from there to a later read, so each
 * of them is determined by those before it.  A read that is only compared may see, with t_ then, any write that
 * stores what comes out as observed.
 */
#include "export/smt2.h"

#include "export/promela_priv.h"
#include "order/model.h"

struct writer {
	const struct model *m;
	const struct promela_options *opt;
	struct strbuf *out;
};

/* ---- parts of conditions ---- */

/* (and a b c), (or a b c) or what there is of it. */
struct list {
	struct strbuf text;
	uint32_t n;
};

#define LIST_ADD(l, ...) \
	((l)->n++, strbuf_adds(&(l)->text, " "), strbuf_addf(&(l)->text, __VA_ARGS__))

static const char *list_end(struct list *l, const char *op, const char *empty)
{
	STRBUF_SCOPED inner = { 0 };

	if (l->n == 0) {
		strbuf_adds(&l->text, empty);
		return strbuf_str(&l->text);
	}
	if (l->n == 1)
		return strbuf_str(&l->text) + 1;
	strbuf_addf(&inner, "(%s%s)", op, strbuf_str(&l->text));
	strbuf_clear(&l->text);
	strbuf_adds(&l->text, strbuf_str(&inner));
	return strbuf_str(&l->text);
}

static const char *list_and(struct list *l)
{
	return list_end(l, "and", "true");
}

static const char *list_or(struct list *l)
{
	return list_end(l, "or", "false");
}

static void list_release(struct list *l)
{
	strbuf_release(&l->text);
}

static void add_implied(const struct writer *w, uint32_t e, struct list *all)
{
	if (all->n)
		strbuf_addf(w->out, "(assert (=> in_%u %s))\n", e, list_and(all));
	list_release(all);
}

/* ---- memory ---- */

/* "(or t_4 t_6)" over the feeds that may have another value; false: there is none. */
static bool add_feeds(const struct writer *w, uint32_t e, struct list *out)
{
	const uint32_t *feeds = w->m->feeds + w->m->event[e].feed;

	for (uint32_t i = 0; i < model_nfeeds(w->m, e) && !w->opt->strict; i++) {
		if (feeds[i] && !promela_may_differ(w->m, w->opt, feeds[i]))
			continue;
		if (feeds[i])
			LIST_ADD(out, "t_%u", feeds[i]);
		else
			LIST_ADD(out, "true");
	}
	return out->n != 0;
}

static bool is_fed(const struct writer *w, uint32_t e)
{
	struct list feeds = { 0 };
	bool fed = model_writes(&w->m->event[e]) && add_feeds(w, e, &feeds);

	list_release(&feeds);
	return fed;
}

/* At the time of e the cell holds what `seen' wrote, as it was: that is in, before e, and each other write
 * comes before that one or after e. */
static void add_sees(const struct writer *w, uint32_t e, const struct model_touch *t,
		     struct list *all)
{
	struct model_list cell = model_cell(w->m, t->cell);

	if (t->seen) {
		LIST_ADD(all, "in_%u", t->seen);
		LIST_ADD(all, "(< o_%u o_%u)", t->seen, e);
	}
	if (t->seen && is_fed(w, t->seen))
		LIST_ADD(all, "(not bad_%u)", t->seen);
	for (uint32_t i = 0; i < cell.n; i++) {
		uint32_t other = cell.at[i];

		if (other == e || other == t->seen || !model_writes(&w->m->event[other]))
			continue;
		if (t->seen)
			LIST_ADD(all, "(or (not in_%u) (< o_%u o_%u) (< o_%u o_%u))", other, other,
				 t->seen, e, other);
		else
			LIST_ADD(all, "(or (not in_%u) (< o_%u o_%u))", other, e, other);
	}
}

static void add_all_seen(const struct writer *w, uint32_t e, uint32_t read, struct list *all)
{
	const struct model_touch *touch = w->m->touches + w->m->event[read].touch;

	for (uint32_t i = 0; i < model_ntouches(w->m, read); i++)
		add_sees(w, e, &touch[i], all);
}

/* The read has seen a write, other than the one observed, that `at' takes for the same. */
static void add_would_do(const struct writer *w, uint32_t read, uint32_t at, struct list *any)
{
	uint32_t cell = w->m->touches[w->m->event[read].touch].cell;
	promela_writers writers = { 0 };

	promela_would_do(w->m, read, at, &writers);
	for (size_t i = 0; i < writers.n; i++) {
		struct list all = { 0 };

		add_sees(w, read, &(struct model_touch){ cell, writers.at[i] }, &all);
		LIST_ADD(any, "%s", list_and(&all));
		list_release(&all);
	}
	VEC_RELEASE(&writers);
}

/* What the event decides by is as observed, or comes out so. */
static void write_use(const struct writer *w, uint32_t e)
{
	const uint32_t *feeds = w->m->feeds + w->m->event[e].feed;
	struct list all = { 0 };

	for (uint32_t i = 0; i < model_nfeeds(w->m, e) && !w->opt->strict; i++) {
		struct list any = { 0 };

		if (!feeds[i]) {
			LIST_ADD(&all, "false");
			continue;
		}
		if (!promela_may_differ(w->m, w->opt, feeds[i]))
			continue;
		LIST_ADD(&any, "(not t_%u)", feeds[i]);
		if (promela_is_tested(w->m, w->opt, feeds[i], e))
			add_would_do(w, feeds[i], e, &any);
		LIST_ADD(&all, "%s", list_or(&any));
		list_release(&any);
	}
	add_implied(w, e, &all);
}

/* The read is compared on the spot. */
static void write_tested(const struct writer *w, uint32_t e)
{
	struct list any = { 0 };

	LIST_ADD(&any, "(not t_%u)", e);
	add_would_do(w, e, e, &any);
	strbuf_addf(w->out, "(assert (=> in_%u %s))\n", e, list_or(&any));
	list_release(&any);
}

static void write_memory(const struct writer *w, uint32_t e)
{
	const struct model_event *v = &w->m->event[e];
	struct list all = { 0 }, feeds = { 0 };

	if (model_reads(v) && (v->flags & STEP_TAINTED))
		LIST_ADD(&all, "false");
	if (model_reads(v))
		add_all_seen(w, e, e, &all);
	if (promela_may_differ(w->m, w->opt, e)) {
		strbuf_addf(w->out, "(assert (= t_%u (not %s)))\n", e, list_and(&all));
		list_release(&all);
	} else {
		add_implied(w, e, &all);
	}
	if (promela_is_tested(w->m, w->opt, e, e))
		write_tested(w, e);
	if (v->op == STEP_USE)
		write_use(w, e);
	else if (is_fed(w, e) && add_feeds(w, e, &feeds))
		strbuf_addf(w->out, "(assert (= bad_%u %s))\n", e, list_or(&feeds));
	list_release(&feeds);
}

/* Reads that are in no record (doc/WITNESS.md, "Repeated reads"). */
static void write_stays(const struct writer *w, uint32_t e)
{
	const struct model_event *v = &w->m->event[e];
	struct model_stays stays = model_stays(w->m, v->chain, v->index);
	struct list all = { 0 };

	for (uint32_t i = 0; i < stays.n && !(v->flags & STEP_SHADOW); i++)
		if (stays.at[i].first <= v->index)
			add_all_seen(w, e, stays.at[i].id, &all);
	add_implied(w, e, &all);
}

/* ---- order ---- */

static void add_preds(const struct writer *w, uint32_t e, bool before, struct list *all)
{
	struct model_list preds = model_preds(w->m, e);

	for (uint32_t i = 0; i < preds.n; i++) {
		if (w->m->event[preds.at[i]].chain == w->m->event[e].chain)
			continue;
		LIST_ADD(all, "in_%u", preds.at[i]);
		if (before)
			LIST_ADD(all, "(< o_%u o_%u)", preds.at[i], e);
	}
}

static void write_order(const struct writer *w, uint32_t e)
{
	const struct model_event *v = &w->m->event[e];
	struct list all = { 0 };

	if (v->index > 0) {
		uint32_t p = model_chain(w->m, v->chain).at[v->index - 1];

		LIST_ADD(&all, "in_%u", p);
		LIST_ADD(&all, "(< o_%u o_%u)", p, e);
	}
	if (v->flags & STEP_STOP)
		LIST_ADD(&all, "false");
	add_preds(w, e, true, &all);
	add_implied(w, e, &all);
}

static void write_guards(const struct writer *w)
{
	for (uint32_t k = 0; k < w->m->nguards; k++) {
		const struct model_guard *g = &w->m->guards[k];

		if (!g->paired) /* those the locks and semaphores say better */
			strbuf_addf(w->out, "(assert (=> (and in_%u in_%u in_%u) (< o_%u o_%u)))\n",
				    g->when, g->from, g->to, g->from, g->to);
	}
}

/* ---- locks and semaphores ---- */

static bool is_acquire(const struct model_event *e)
{
	return e->op == STEP_ACQ || e->op == STEP_RACQ;
}

/* The section of a is over before b begins. */
static void add_over(const struct writer *w, uint32_t a, uint32_t b, struct list *any)
{
	uint32_t release = w->m->event[a].partner;

	if (release == a)
		LIST_ADD(any, "(< o_%u o_%u)", a, b);
	else if (release)
		LIST_ADD(any, "(and in_%u (< o_%u o_%u))", release, release, b);
}

static void write_sections(const struct writer *w, uint32_t a)
{
	const struct model_event *x = &w->m->event[a];

	for (uint32_t b = a + 1; b <= w->m->n; b++) {
		const struct model_event *y = &w->m->event[b];
		struct list any = { 0 };

		if (!is_acquire(y) || y->obj != x->obj || y->chain == x->chain ||
		    (x->op == STEP_RACQ && y->op == STEP_RACQ))
			continue;
		add_over(w, a, b, &any);
		add_over(w, b, a, &any);
		strbuf_addf(w->out, "(assert (=> (and in_%u in_%u) %s))\n", a, b, list_or(&any));
		list_release(&any);
	}
}

/* Somebody holds the lock where a try of it has failed. */
static void write_busy(const struct writer *w, uint32_t e)
{
	struct list any = { 0 };

	for (uint32_t a = 1; a <= w->m->n; a++) {
		uint32_t release = w->m->event[a].partner;

		if (!is_acquire(&w->m->event[a]) || release == a || !model_explains(w->m, e, a))
			continue;
		if (release)
			LIST_ADD(&any, "(and in_%u (< o_%u o_%u) (or (not in_%u) (< o_%u o_%u)))",
				 a, a, e, release, e, release);
		else
			LIST_ADD(&any, "(and in_%u (< o_%u o_%u))", a, a, e);
	}
	strbuf_addf(w->out, "(assert (=> in_%u %s))\n", e, list_or(&any));
	list_release(&any);
}

/* What there is to take at the time of e. */
static void add_value(const struct writer *w, uint32_t e, struct strbuf *out)
{
	uint32_t sem = w->m->event[e].obj;
	struct model_sem_runs runs = model_sem_runs(w->m, sem);
	uint64_t value = model_sem_value(w->m, sem);

	strbuf_addf(out, "(+ %" PRIu64, value < w->m->n ? value : w->m->n);
	for (uint32_t i = 0; i < runs.n; i++) {
		for (uint32_t k = 0; k < runs.at[i].n; k++) {
			uint32_t o = runs.at[i].at[k];
			uint8_t op = w->m->event[o].op;

			if (o != e && op != STEP_ZERO)
				strbuf_addf(out, " (ite (and in_%u (< o_%u o_%u)) %s 0)", o, o, e,
					    op == STEP_POST ? "1" : "(- 1)");
		}
	}
	strbuf_adds(out, " 0)");
}

static void write_count(const struct writer *w, uint32_t e)
{
	strbuf_addf(w->out, "(assert (=> in_%u (%s ", e,
		    w->m->event[e].op == STEP_TAKE ? ">" : "=");
	add_value(w, e, w->out);
	strbuf_adds(w->out, " 0)))\n");
}

static void write_sems(const struct writer *w)
{
	for (uint32_t s = 0; s < w->m->nsems; s++) {
		struct model_sem_runs runs = model_sem_runs(w->m, s);
		struct list times = { 0 };

		for (uint32_t i = 0; i < runs.n; i++)
			for (uint32_t k = 0; k < runs.at[i].n; k++)
				LIST_ADD(&times, "o_%u", runs.at[i].at[k]);
		if (times.n > 1)
			strbuf_addf(w->out, "(assert (distinct%s))\n", strbuf_str(&times.text));
		list_release(&times);
	}
}

/* ---- all ---- */

static void write_event(const struct writer *w, uint32_t e)
{
	const struct model_event *v = &w->m->event[e];

	write_order(w, e);
	write_memory(w, e);
	write_stays(w, e);
	if (is_acquire(v))
		write_sections(w, e);
	else if (v->op == STEP_BUSY)
		write_busy(w, e);
	else if (v->op == STEP_TAKE || v->op == STEP_ZERO)
		write_count(w, e);
}

/* Lines of a trace have no line ends in them. */
static void write_declarations(const struct writer *w)
{
	for (uint32_t e = 1; e <= w->m->n; e++) {
		strbuf_addf(w->out, "(declare-const in_%u Bool) (declare-const o_%u Int)", e, e);
		if (promela_may_differ(w->m, w->opt, e))
			strbuf_addf(w->out, " (declare-const t_%u Bool)", e);
		if (is_fed(w, e))
			strbuf_addf(w->out, " (declare-const bad_%u Bool)", e);
		if (w->opt->describe)
			strbuf_addf(w->out, " ; %u: %s", e,
				    w->opt->describe(w->opt->arg, w->m->base + e));
		strbuf_adds(w->out, "\n");
	}
}

/* All of its events are next. */
static void write_goal(const struct writer *w, const struct promela_goal *g)
{
	struct list all = { 0 };

	for (uint32_t i = 0; i < g->n; i++) {
		const struct model_event *v = &w->m->event[g->event[i]];

		LIST_ADD(&all, "(not in_%u)", g->event[i]);
		if (v->index > 0)
			LIST_ADD(&all, "in_%u", model_chain(w->m, v->chain).at[v->index - 1]);
		add_preds(w, g->event[i], false, &all);
	}
	strbuf_addf(w->out, "(push 1)\n(assert %s)\n(echo \"%s ", list_and(&all),
		    g->deadlock ? "deadlock" : "race");
	for (uint32_t i = 0; i < g->n; i++)
		strbuf_addf(w->out, "%s%u", i ? "-" : "", g->event[i]);
	strbuf_adds(w->out, "\")\n(check-sat)\n(pop 1)\n");
	list_release(&all);
}

static void write_head(const struct writer *w, const struct promela_goals *g)
{
	strbuf_addf(w->out,
		    "; foresee: %u events, %zu pairs of conflicting accesses, %zu circles of "
		    "locks, %s.\n"
		    "; in_E: event E is part of the reordering; o_E: when.\n"
		    "; sat where the events can race or deadlock; (get-model) before (pop 1) says "
		    "how.\n"
		    "(set-logic %s)\n",
		    w->m->n, g->at.n - g->deadlocks, g->deadlocks,
		    w->opt->strict    ? "strict model"
		    : w->m->has_facts ? "dependency-aware model"
				      : "strict model (no read is free)",
		    w->m->nsems ? "QF_LIA" : "QF_IDL");
}

static enum status write_conditions(const struct writer *w, struct diag *d)
{
	write_declarations(w);
	write_guards(w);
	write_sems(w);
	for (uint32_t e = 1; e <= w->m->n; e++) {
		write_event(w, e);
		if (w->out->n > SMT2_BYTES)
			return diag_fail(d, ST_LIMIT,
					 "too much for a solver: more than %u MB of conditions",
					 SMT2_BYTES >> 20);
	}
	return ST_OK;
}

enum status smt2_write(const struct model *m, const struct promela_options *opt, struct strbuf *out,
		       struct diag *d)
{
	struct writer w = { .m = m, .opt = opt, .out = out };
	struct promela_goals goals = { 0 };
	enum status st = promela_goals_find(m, opt, &goals, d);

	if (st == ST_OK) {
		write_head(&w, &goals);
		st = write_conditions(&w, d);
	}
	for (size_t i = 0; i < goals.at.n && st == ST_OK; i++)
		write_goal(&w, &goals.at.at[i]);
	if (st != ST_OK)
		strbuf_clear(out); /* no half of it */
	VEC_RELEASE(&goals.at);
	return st;
}
