/*
 * Findings: the order of a report, one finding for each pair of places, what a move keeps.
 */
#include "finding/finding.h"

#include <stdlib.h>
#include <string.h>

#include "order/step.h"
#include "predict/engine.h"
#include "tap.h"

/* A race of these two, in either order. */
static struct finding *add_race(struct findings *f, const struct engine *engine, uint64_t pos1,
				uint32_t site1, uint8_t op1, uint64_t pos2, uint32_t site2,
				uint8_t op2)
{
	struct finding *new = findings_add(f, FINDING_RACE, engine);

	finding_add_event(new, pos1, site1, op1);
	finding_add_event(new, pos2, site2, op2);
	return new;
}

static struct finding *add(struct findings *f, const struct engine *engine, uint64_t a,
			   uint32_t site_a, uint64_t b, uint32_t site_b)
{
	return add_race(f, engine, a, site_a, STEP_WRITE, b, site_b, STEP_READ);
}

static void test_add(void)
{
	struct findings f = { 0 };
	struct finding *x = add_race(&f, &engine_hb, 9, 5, STEP_READ, 4, 7, STEP_WRITE);

	TAP_EQ(x->events[0], 4, "the events are sorted");
	TAP_EQ(x->events[1], 9, "both of them");
	TAP_EQ(x->sites[0], 7, "sites go with them");
	TAP_EQ(x->ops[1], STEP_READ, "and operations");
	TAP_EQ(x->nevents, 2, "there are two");
	TAP_EQ(x->status, FINDING_WARNING, "nothing is sure yet");
	findings_release(&f);
}

static void test_signature(void)
{
	struct findings f = { 0 };
	uint64_t s[5];

	s[0] = finding_signature(add(&f, &engine_hb, 1, 5, 2, 6));
	s[1] = finding_signature(add(&f, &engine_wcp, 30, 6, 20, 5));
	s[2] = finding_signature(add_race(&f, &engine_hb, 8, 5, STEP_WRITE, 7, 6, STEP_READ));
	s[3] = finding_signature(add(&f, &engine_hb, 1, 5, 2, 7));
	s[4] = finding_signature(add_race(&f, &engine_hb, 1, 5, STEP_READ, 2, 6, STEP_READ));
	TAP_OK(s[0] == s[1], "which access writes does not matter");
	TAP_OK(s[0] == s[2], "which comes first does not, nor where in the trace");
	TAP_OK(s[0] != s[3], "places matter");
	TAP_OK(s[0] == s[4], "nor what the operations are");
	findings_release(&f);
}

/* A cycle of n requests at places from `site' on, at positions from `pos' on. */
static struct finding *add_cycle(struct findings *f, enum finding_kind kind, uint32_t n,
				 uint64_t pos, uint32_t site)
{
	struct finding *x = findings_add(f, kind, &engine_spd);

	for (uint32_t i = n; i-- > 0;)
		finding_add_event(x, pos + 10 * i, site + i, STEP_ACQ);
	return x;
}

static void test_cycles(void)
{
	struct findings f = { 0 };
	struct finding *x = add_cycle(&f, FINDING_DEADLOCK, 3, 5, 1);

	TAP_OK(x->events[0] == 5 && x->events[1] == 15 && x->events[2] == 25,
	       "events of a cycle are sorted");
	TAP_OK(x->sites[0] == 1 && x->sites[2] == 3, "with their places");
	add_cycle(&f, FINDING_DEADLOCK, 3, 7, 1); /* other locks, or the same ones later */
	add_cycle(&f, FINDING_DEADLOCK, 2, 5, 1);
	add_cycle(&f, FINDING_JOIN_HOLDING, 3, 5, 1);
	findings_settle(&f, false);
	TAP_EQ(f.at.n, 3, "one for each kind and set of places");
	TAP_EQ(f.at.at[0].nevents, 2, "of equal events the short one first");
	TAP_EQ(f.at.at[1].more, 1, "other locks at the same places are counted");
	TAP_EQ(f.at.at[2].kind, FINDING_JOIN_HOLDING, "another kind is another finding");
	findings_release(&f);
}

static void test_words(void)
{
	struct findings a = { 0 }, b = { 0 };

	add(&a, &engine_hb, 1, 1, 2, 2)->why = texts_add(&a.words, "%s %d", "because", 7);
	VEC_RESERVE(&a.at.at[0].schedule.tail, 1);
	*VEC_PUSH(&a.at.at[0].schedule.tail) = 3;
	add(&b, &engine_wcp, 3, 3, 4, 4);
	findings_move(&b, &a);
	TAP_EQ(a.at.n, 0, "moved away");
	TAP_EQ(b.at.n, 2, "moved to the end");
	TAP_STR(b.at.at[1].why, "because 7", "words live on");
	TAP_EQ(b.at.at[1].schedule.tail.n, 1, "schedules too");
	findings_release(&a);
	findings_release(&b);
}

static void test_settle(void)
{
	struct findings f = { 0 };

	add(&f, &engine_hb, 10, 1, 20, 2);
	add(&f, &engine_hb, 3, 1, 30, 2);
	add(&f, &engine_syncp, 12, 1, 22, 2)->status = FINDING_PREDICTED;
	add(&f, &engine_hb, 1, 8, 2, 9)->more = 4;
	findings_settle(&f, false);
	TAP_EQ(f.at.n, 2, "one for each pair of places");
	TAP_STR(f.at.at[0].engine->name, "syncp", "the surest stays");
	TAP_EQ(f.at.at[0].id, 1, "and comes first");
	TAP_EQ(f.at.at[1].events[0], 1, "then the others");
	TAP_EQ(f.at.at[1].more, 4, "what was met is kept");
	findings_release(&f);

	add(&f, &engine_patterns, 1, 1, 2, 2);
	add(&f, &engine_spd, 3, 1, 4, 2)->claimed = true;
	findings_settle(&f, false);
	TAP_STR(f.at.at[0].engine->name, "spd", "of warnings the one with a schedule");
	findings_release(&f);

	add(&f, &engine_hb, 10, 1, 20, 2);
	add(&f, &engine_hb, 3, 1, 30, 2)->more = 2;
	add(&f, &engine_wcp, 3, 1, 30, 2);
	findings_settle(&f, true);
	TAP_EQ(f.at.n, 3, "all of them when asked for");
	TAP_EQ(f.at.at[0].events[0], 3, "in order of the trace");
	TAP_STR(f.at.at[1].engine->name, "wcp", "then as they were found");
	findings_settle(&f, false);
	TAP_EQ(f.at.n, 1, "put together later");
	TAP_EQ(f.at.at[0].more, 3, "each pair of an analysis counts once");
	findings_release(&f);
}

static bool is_odd(void *arg, const struct finding *f)
{
	++*(int *)arg;
	return f->events[0] % 2 != 0;
}

static void test_keep(void)
{
	struct findings f = { 0 };
	int asked = 0;

	for (uint64_t i = 1; i <= 5; i++)
		add(&f, &engine_hb, i, (uint32_t)i, i + 10, 99);
	findings_keep(&f, is_odd, &asked);
	TAP_EQ(asked, 5, "every finding is looked at");
	TAP_EQ(f.at.n, 3, "some stay");
	TAP_EQ(f.at.at[2].events[0], 5, "in order");
	findings_release(&f);
}

/* The simple model: of all with the same places, the surest, then the earliest, then the first. */
static bool is_best(const struct finding *all, size_t n, size_t i)
{
	for (size_t k = 0; k < n; k++) {
		const struct finding *a = &all[k], *b = &all[i];
		bool better;

		if (k == i || a->sites[0] + a->sites[1] != b->sites[0] + b->sites[1])
			continue;
		if (a->status != b->status)
			better = a->status > b->status;
		else if (a->events[0] != b->events[0])
			better = a->events[0] < b->events[0];
		else if (a->events[1] != b->events[1])
			better = a->events[1] < b->events[1];
		else
			better = k < i;
		if (better)
			return false;
	}
	return true;
}

static void test_random(void)
{
	int wrong = 0;

	srand(4002);
	for (int round = 0; round < 500; round++) {
		struct findings f = { 0 };
		struct finding copy[40];
		size_t n = 1 + (size_t)rand() % 40, kept = 0;

		/* Both read, so that a pair of places is known by the sum of its sites. */
		for (size_t i = 0; i < n; i++) {
			uint32_t place = 1u << rand() % 6;
			uint64_t a = 1 + (uint64_t)rand() % 9;

			add_race(&f, &engine_hb, a, place, STEP_READ, a + 1 + rand() % 3, 64,
				 STEP_READ)
				->status = rand() % 2 ? FINDING_PREDICTED : FINDING_WARNING;
			copy[i] = f.at.at[i];
		}
		findings_settle(&f, false);
		for (size_t i = 0; i < n; i++) {
			bool there = false;

			if (!is_best(copy, n, i))
				continue;
			kept++;
			for (size_t k = 0; k < f.at.n; k++)
				there |= f.at.at[k].events[0] == copy[i].events[0] &&
					 f.at.at[k].sites[0] == copy[i].sites[0] &&
					 f.at.at[k].status == copy[i].status;
			wrong += !there;
		}
		wrong += kept != f.at.n;
		for (size_t k = 0; k < f.at.n; k++)
			wrong += f.at.at[k].id != k + 1;
		findings_release(&f);
	}
	TAP_EQ(wrong, 0, "500 random lists agree with the simple model");
}

static struct finding *add_property(struct findings *f, const struct engine *engine,
				    const char *name, uint64_t pos)
{
	struct finding *x = findings_add_property(f, FINDING_PROPERTY, engine, name);

	finding_add_event(x, pos, (uint32_t)pos, 0);
	return x;
}

/* One for each property and kind, whatever its place and whoever found it. */
static void test_properties(void)
{
	struct findings f = { 0 };

	add_property(&f, &engine_lattice_mvc, "p", 7);
	add_property(&f, &engine_lattice_weak, "p", 5)->status = FINDING_PREDICTED;
	add_property(&f, &engine_lattice_weak, "q", 5)->status = FINDING_PREDICTED;
	findings_add_property(&f, FINDING_PROPERTY_ERROR, &engine_lattice_weak, "p");
	findings_settle(&f, false);
	TAP_EQ(f.at.n, 3, "one for each property and kind");
	TAP_OK(strcmp(f.at.at[0].property, "p") == 0 && f.at.at[0].events[0] == 5, "the surest");
	TAP_STR(f.at.at[1].property, "q", "at one event by name");
	TAP_EQ(f.at.at[2].kind, FINDING_PROPERTY_ERROR, "an error is another kind");
	findings_release(&f);
}

int main(void)
{
	test_properties();
	test_add();
	test_signature();
	test_cycles();
	test_words();
	test_settle();
	test_keep();
	test_random();
	TAP_STR(finding_kind_name(FINDING_RACE), "race", "name of a kind");
	TAP_STR(finding_status_name(FINDING_PREDICTED), "predicted", "name of a status");
	return tap_done();
}
