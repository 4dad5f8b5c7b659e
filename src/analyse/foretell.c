#include "analyse/foretell.h"

#include "analyse/analyse.h"
#include "order/causal.h"
#include "order/model.h"
#include "predict/exact.h"
#include "predict/goal.h"
#include "witness/evidence.h"
#include "witness/knowledge.h"

#define TRIES 1000u	/* orders */
#define SAME 3u		/* pairs of sections at the same two places */
#define WORK 100000000u /* formulas asked, each in a state */
#define STEPS 20000000u /* events of all orders */

const struct engine foretell_engine = { .name = "mttl", .aim = ENGINE_PROPERTIES };

struct foretelling {
	struct certify *c;
	struct findings *f;
	uint64_t open; /* properties that nothing was found of, a bit each */
	uint64_t work, steps;
	uint32_t tries;
	struct check_order order;
};

static bool is_over(const struct foretelling *t)
{
	return t->tries >= TRIES || t->work > WORK || t->steps > STEPS || t->open == 0 ||
	       engine_stopped(&t->c->a->engine);
}

/* ---- one order ---- */

/* Reads among the last two events may see another write than in the recorded run, if nothing of their threads follows. */
static bool found(struct foretelling *t, uint32_t property, size_t n)
{
	const struct spec *s = t->c->a->spec;
	const struct spec_property *p = &s->properties[property];
	uint64_t last = t->order.at.at[n - 1];
	struct check_order order = { 0 };
	struct finding *x =
		findings_add_property(t->f, FINDING_PROPERTY, &foretell_engine, p->name);
	STRBUF_SCOPED text = { 0 };
	bool good;

	finding_add_event(x, last, evidence_get(t->c->evidence, last).site, 0);
	VEC_APPEND(&order.at, t->order.at.at, n);
	good = certify_order(t->c, x, &order, &order.at.at[n > 1 ? n - 2 : 0], n > 1 ? 2 : 1);
	if (good) {
		spec_print_property(s, p, &text);
		strbuf_addf(&text, "\nat %s:%" PRIu32, s->path, p->spot.line);
		x->judged = true;
		x->subject = texts_add(&t->f->words, "%s", strbuf_str(&text));
		t->open &= ~(UINT64_C(1) << property);
	} else {
		findings_drop_last(t->f);
	}
	VEC_RELEASE(&order.at);
	return good;
}

/* Where properties become false along it. */
static void try_order(struct foretelling *t)
{
	const struct spec *s = t->c->a->spec;
	struct knowledge *k = knowledge_new(t->c->evidence, &t->c->view, t->order.at.n);
	struct map was = { 0 }; /* thread, to the properties that were false in its last state */

	t->tries++;
	for (size_t i = 0; i < t->order.at.n && !is_over(t); i++) {
		uint64_t *had, now = 0;

		knowledge_take(k, t->order.at.at[i]);
		had = map_put(&was, evidence_get(t->c->evidence, t->order.at.at[i]).tid, NULL);
		for (uint32_t p = 0; p < s->nproperties; p++)
			if ((t->open >> p & 1) && knowledge_ask(k, &s->properties[p]) == JUDGE_BAD)
				now |= UINT64_C(1) << p;
		for (uint64_t left = now & ~*had; left; left &= left - 1)
			(void)found(t, (uint32_t)__builtin_ctzll(left), i + 1);
		*had = now;
		t->steps++;
	}
	t->work += knowledge_work(k);
	map_release(&was);
	knowledge_free(k);
}

/* ---- orders that lead to other findings ---- */

static void try_schedule(struct foretelling *t, const struct schedule *s, uint64_t e1, uint64_t e2)
{
	VEC_CLEAR(&t->order.at);
	if (is_over(t) || !check_expand(t->c->evidence, s, &t->order))
		return;
	if (e1)
		*VEC_PUSH(&t->order.at) = e1;
	if (e2)
		*VEC_PUSH(&t->order.at) = e2;
	try_order(t);
}

static void try_findings(struct foretelling *t)
{
	size_t n = t->f->at.n; /* more come */

	for (size_t i = 0; i < n; i++) {
		struct schedule s = { 0 };
		const struct finding *x = &t->f->at.at[i];
		uint64_t a = x->events[0], b = x->events[1];
		bool race = x->kind == FINDING_RACE;

		if (!x->certified || x->property)
			continue;
		VEC_APPEND(&s.count, x->schedule.count.at, x->schedule.count.n);
		VEC_APPEND(&s.tail, x->schedule.tail.at, x->schedule.tail.n);
		try_schedule(t, &s, race ? a : 0, race ? b : 0);
		if (race)
			try_schedule(t, &s, b, a);
		schedule_release(&s);
	}
}

/* ---- sections the other way round ---- */

/* Section a comes first in the trace; b in front of it, then its acquire. */
static void try_pair(struct foretelling *t, const struct model *m, const struct causal *c,
		     uint32_t a, uint32_t b)
{
	uint32_t release = m->event[b].partner;
	struct goal goal = { .next = &a, .nnext = 1, .done = &release, .ndone = 1 };
	struct exact_order order = { 0 };
	struct schedule s = { 0 };

	if (release != 0 && goal_reach(&goal, m, c, exact_order_clear(&order, m))) {
		engine_schedule(m, &order, &s);
		try_schedule(t, &s, m->base + a, 0);
	}
	schedule_release(&s);
	exact_order_release(&order);
}

/* Each section of one chain with the next one of the other, some of each pair of places. */
static void try_chains(struct foretelling *t, const struct model *m, const struct causal *c,
		       struct model_list first, struct model_list then)
{
	MAP_SCOPED seen = { 0 };
	uint32_t k = 0;

	for (uint32_t i = 0; i < first.n && !is_over(t); i++) {
		const struct model_event *a = &m->event[first.at[i]];

		while (k < then.n && then.at[k] < first.at[i])
			k++;
		if (k == then.n)
			return;
		if (a->op == STEP_RACQ && m->event[then.at[k]].op == STEP_RACQ)
			continue;
		if ((*map_put(&seen, (uint64_t)a->site << 32 | m->event[then.at[k]].site, NULL))++ <
		    SAME)
			try_pair(t, m, c, first.at[i], then.at[k]);
	}
}

static void try_sections(struct foretelling *t, const struct model *m)
{
	struct causal *c = causal_new(m, engine_mode(m, &t->c->a->engine), false);
	uint32_t chain;

	for (uint32_t lock = 0; lock < m->nlocks; lock++)
		for (uint32_t i = 0; i < model_lock_nchains(m, lock); i++)
			for (uint32_t k = 0; k < model_lock_nchains(m, lock) && !is_over(t); k++)
				if (i != k)
					try_chains(t, m, c, model_lock_nth(m, lock, i, &chain),
						   model_lock_nth(m, lock, k, &chain));
	causal_free(c);
}

bool foretell(struct certify *c, const struct model *m, struct findings *f)
{
	struct foretelling t = { .c = c, .f = f };
	bool all;

	for (uint32_t i = 0; i < c->a->spec->nproperties; i++)
		t.open |= (uint64_t)(c->a->spec->properties[i].body == SPEC_MTTL) << i;
	for (size_t i = 0; i < f->at.n; i++)
		if (f->at.at[i].judged)
			t.open &= ~(UINT64_C(1) << spec_find(c->a->spec, SPEC_USE_PROPERTY,
							     f->at.at[i].property));
	try_findings(&t);
	if (m)
		try_sections(&t, m);
	all = t.open == 0 || !is_over(&t);
	VEC_RELEASE(&t.order.at);
	return all;
}
