/*
 * Points from steps made by hand, for what random traces (test_causes.c) do not have: hard order,
 * guards, events that no run has, accesses of many cells.  Each point as text:
 *
 *	1.2(0.3)+4=5	the second of lane 1 needs three of lane 0, starts set 4, joins set 5
 *	/4		set 4 is closed
 */
#include "lattice/causes.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "spec_text.h"
#include "step_builder.h"
#include "tap.h"

struct heard {
	struct strbuf text;
	uint32_t count[STEP_BUILDER_THREADS];
	bool waits[STEP_BUILDER_THREADS];
};

static void hear_set(void *arg, uint32_t set, uint32_t resource, unsigned flags)
{
	(void)arg, (void)set, (void)resource, (void)flags;
}

static void hear_point(void *arg, const struct point *m)
{
	struct heard *h = arg;

	strbuf_addf(&h->text, "%s%u.%u", h->text.n ? " " : "", m->lane, ++h->count[m->lane]);
	for (uint32_t i = 0; i < m->nneeds; i++)
		strbuf_addf(&h->text, "(%u.%u)", m->needs[i].lane, m->needs[i].count);
	for (uint32_t i = 0; i < m->nstarts; i++)
		strbuf_addf(&h->text, "+%u", m->starts[i]);
	for (uint32_t i = 0; i < m->njoins; i++)
		strbuf_addf(&h->text, "=%u", m->joins[i]);
}

static void hear_close(void *arg, uint32_t set)
{
	struct heard *h = arg;

	strbuf_addf(&h->text, " /%u", set);
}

static void hear_wait(void *arg, uint32_t lane, bool waits)
{
	struct heard *h = arg;

	h->waits[lane] = waits;
}

static void hear_end(void *arg, uint32_t lane)
{
	(void)arg, (void)lane;
}

static void listen_with(const struct step_builder *b, const struct causes_options *opt,
			const struct watch_items *items, struct heard *h)
{
	struct point_sink sink = { h, hear_set, hear_point, hear_close, hear_wait, hear_end };
	struct step_batch all = step_build_batch(b);
	struct causes *c = causes_new(opt, &sink);

	causes_take(c, &all, items);
	causes_finish(c);
	causes_free(c);
}

static void listen(const struct step_builder *b, enum causes_kind kind, struct heard *h)
{
	listen_with(b, &(struct causes_options){ .kind = kind }, NULL, h);
}

/* And forgets the steps. */
static void expect(struct step_builder *b, enum causes_kind kind, const char *want,
		   const char *name)
{
	struct heard h = { 0 };

	listen(b, kind, &h);
	TAP_STR(strbuf_str(&h.text), want, "%s", name);
	strbuf_release(&h.text);
	step_builder_release(b);
}

/* ---- order that somebody demands ---- */

static void event_after(struct step_builder *b, uint32_t tid, uint64_t from, uint32_t chain)
{
	step_build(b, tid, STEP_NONE, 0);
	step_build_more(b, STEP_AFTER, chain)->from = from;
}

static void test_after(void)
{
	struct step_builder b = { 0 };

	for (int i = 0; i < 2; i++)
		step_build(&b, 1, STEP_NONE, 0);
	event_after(&b, 2, 1, 0);
	expect(&b, CAUSES_MVC, "0.1 0.2 1.1(0.1)", "after an event, and after no more than that");
	for (int i = 0; i < 2; i++)
		step_build(&b, 1, STEP_NONE, 0);
	event_after(&b, 2, 2, 0);
	expect(&b, CAUSES_WEAK, "0.1 0.2 1.1(0.2)", "weak: the same");
	step_build(&b, 1, STEP_NONE, 0);
	event_after(&b, 2, 1, 7);
	expect(&b, CAUSES_WEAK, "0.1 1.1(0.1)", "of a chain that is not known: after all there is");
}

/* Of a long past only some moments are kept: order may grow by that, and never shrink. */
static void test_long_past(void)
{
	unsigned less = 0, more = 0;

	for (uint32_t from = 1; from <= 1000; from += 3) {
		struct step_builder b = { 0 };
		struct heard h = { 0 };
		unsigned need = 0;
		const char *at;

		for (int i = 0; i < 1000; i++)
			step_build(&b, 1, STEP_NONE, 0);
		event_after(&b, 2, from, 0);
		listen(&b, CAUSES_MVC, &h);
		at = strstr(strbuf_str(&h.text), "1.1(0.");
		if (at)
			need = (unsigned)strtoul(at + strlen("1.1(0."), NULL, 10);
		less += need < from;
		more += from > 1000 - 32 && need != from;
		strbuf_release(&h.text);
		step_builder_release(&b);
	}
	TAP_EQ(less, 0, "a long past: nothing that must come before is lost");
	TAP_EQ(more, 0, "and what was just now is exact");
}

static void test_guard(void)
{
	struct step_builder b = { 0 };
	struct step *s;

	step_build(&b, 1, STEP_NONE, 0);
	step_build(&b, 2, STEP_NONE, 0);
	s = step_build_more(&b, STEP_GUARD, 0);
	s->from = 1;
	s->to = s->when = 2;
	expect(&b, CAUSES_WEAK, "0.1 1.1(0.1)", "a guard: what came first comes first");

	step_build(&b, 1, STEP_NONE, 0);
	step_build(&b, 2, STEP_NONE, 0);
	s = step_build_more(&b, STEP_GUARD, 0);
	s->from = 1;
	s->to = 3;
	s->when = 2;
	step_build(&b, 3, STEP_NONE, 0);
	expect(&b, CAUSES_WEAK, "0.1 1.1 2.1", "who says so need not come after it");
}

/* ---- events that no run has ---- */

static void test_tainted(void)
{
	struct step_builder b = { 0 };

	step_build(&b, 1, STEP_NONE, 0);
	step_build_access(&b, 1, STEP_READ, 0);
	step_build_last(&b)->flags |= STEP_FREE_READ | STEP_TAINTED;
	step_build(&b, 1, STEP_NONE, 0);
	step_build(&b, 2, STEP_NONE, 0);
	expect(&b, CAUSES_WEAK, "0.1 1.1",
	       "a read of nobody knows what: its thread goes no further");
}

static void test_locks(void)
{
	struct step_builder b = { 0 };

	step_build(&b, 1, STEP_ACQ, 0);
	step_build_last(&b)->flags |= STEP_STOP;
	step_build(&b, 2, STEP_ACQ, 0);
	step_build(&b, 3, STEP_ACQ, 1);
	expect(&b, CAUSES_WEAK, "2.1+0",
	       "a lock taken out of the blue: nobody else has it in a run");

	step_build(&b, 1, STEP_RACQ, 0);
	step_build(&b, 1, STEP_NONE, 0);
	step_build_last(&b)->flags |= STEP_STOP;
	step_build(&b, 1, STEP_RREL, 0);
	step_build(&b, 2, STEP_RACQ, 0);
	step_build(&b, 3, STEP_ACQ, 0);
	expect(&b, CAUSES_MVC, "0.1 1.1", "a reader that never lets go keeps writers out");
}

/* ---- many cells ---- */

static void access_of(struct step_builder *b, uint32_t tid, enum step_op op, uint32_t ncells)
{
	step_build_access(b, tid, op, 0);
	for (uint32_t i = 1; i < ncells; i++)
		step_build_cell(b, i);
}

static void test_cells(void)
{
	struct step_builder b = { 0 };

	access_of(&b, 1, STEP_WRITE, 2);
	step_build_access(&b, 2, STEP_WRITE, 1);
	expect(&b, CAUSES_WEAK, "0.1+0+1 1.1+2 /1 /0 /2",
	       "writes of two cells, each with its sets");
	access_of(&b, 1, STEP_WRITE, 1000);
	step_build_access(&b, 2, STEP_WRITE, 1);
	step_build_access(&b, 3, STEP_WRITE, 1);
	expect(&b, CAUSES_WEAK, "0.1 1.1(0.1)+0 2.1(0.1)+1 /0 /1",
	       "what a large access did to a cell comes before it is weak");
	access_of(&b, 1, STEP_READ, 1000);
	step_build_access(&b, 2, STEP_WRITE, 1);
	expect(&b, CAUSES_WEAK, "0.1 1.1(0.1)+0 /0", "a large read as well");
}

/* ---- boxes, specs, hints ---- */

/* A set that has a member outside the box is never complete inside. */
static void test_box(void)
{
	static const uint32_t box[] = { 1, 0, 1 };
	struct causes_options opt = { .kind = CAUSES_WEAK, .box = box, .nbox = 3 };
	struct step_builder b = { 0 };
	struct heard h = { 0 };

	step_build_access(&b, 1, STEP_WRITE, 0);
	step_build_access(&b, 2, STEP_READ, 0);
	step_build_access(&b, 3, STEP_WRITE, 0);
	listen_with(&b, &opt, NULL, &h);
	TAP_STR(strbuf_str(&h.text), "0.1+0 2.1+1 /1",
		"a reader outside the box leaves its set open");
	strbuf_release(&h.text);
	step_builder_release(&b);
}

/* Whoever touches a variable's cell is in its sets, whether the spec looks at the event or not. */
static void test_touched(void)
{
	struct causes_options opt = { .kind = CAUSES_WEAK };
	struct step_builder b = { 0 };
	struct heard h = { 0 };
	struct spec_text s;

	spec_text_open(&s, "shared int x = 0; property p: ptltl x == 0;", "1:x=1");
	opt.spec = s.spec;
	step_build_access(&b, 1, STEP_WRITE, 0);
	step_build_access(&b, 2, STEP_READ, 0);
	step_build_access(&b, 2, STEP_READ, 1);
	listen_with(&b, &opt, &s.items, &h);
	TAP_STR(strbuf_str(&h.text), "0.1+0 1.1(0.1)=0 /0",
		"a read of a variable's cell is a point");
	strbuf_release(&h.text);
	step_builder_release(&b);
	spec_text_close(&s);
}

static void test_waits(void)
{
	struct step_builder b = { 0 };
	struct heard h = { 0 };

	step_build(&b, 1, STEP_ACQ, 0);
	step_build(&b, 2, STEP_REQ, 0);
	listen(&b, CAUSES_MVC, &h);
	TAP_OK(h.waits[1], "who asks for a lock that somebody has waits");
	step_build(&b, 1, STEP_REL, 0);
	listen(&b, CAUSES_MVC, &h);
	TAP_OK(!h.waits[1], "until it is free");
	strbuf_release(&h.text);
	step_builder_release(&b);
}

int main(void)
{
	test_after();
	test_long_past();
	test_guard();
	test_tainted();
	test_locks();
	test_cells();
	test_box();
	test_touched();
	test_waits();
	return tap_done();
}
