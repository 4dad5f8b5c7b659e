/*
 * The checker on violated properties: the right order is certified; one that is no run, that leads
 * elsewhere, goes too far or not far enough is refused for that reason.
 */
#include <string.h>

#include "spec_text.h"
#include "tap.h"
#include "witness_text.h"

#define LAND "shared int landing = 0; shared int approved = 0; shared int radio = 1;\n"
#define START "property land: ptltl start(landing == 1) -> [approved == 1, radio == 0);\n"

/* The recorded run is harmless: radio goes off after landing has begun. */
static const char landing[] = "T1|w(approved)|l.c:10\nT1|w(landing)|l.c:11\nT2|w(radio)|l.c:20\n"
			      "T2|w(other)|l.c:21\n";
static const char landing_steps[] = "1:approved=1 2:landing=1 3:radio=0";

struct trial {
	const char *text, *spec, *steps, *property;
	enum finding_kind kind;
	bool dep;
};

static const struct trial land = { landing, LAND START,	      landing_steps,
				   "land",  FINDING_PROPERTY, false };

static struct trial with_spec(const char *spec, const char *property, enum finding_kind kind)
{
	return (struct trial){ landing, spec, landing_steps, property, kind, false };
}

/* want: NULL certified, "observed", "doubtful", else part of the reason. */
static void claim(const struct trial *x, const char *order, const char *targets, const char *want,
		  const char *name)
{
	uint64_t at[64], target[16];
	struct check_claim c = { .kind = x->kind,
				 .targets = target,
				 .order = at,
				 .strict = !x->dep,
				 .property = x->property };
	struct check_verdict v;
	struct case_trace t;
	struct spec_text s;
	bool observed = want && strncmp(want, "observed", 8) == 0, good;
	bool doubtful = want && strstr(want, "doubtful");

	case_open(&t, x->text, NULL);
	spec_text_open(&s, x->spec, x->steps);
	c.view = &s.view;
	c.norder = case_numbers(order, at, 64);
	c.ntargets = (uint32_t)case_numbers(targets, target, 16);
	/* Twice: nothing of a claim may stay behind. */
	checker_run(t.checker, &c, &v);
	check_verdict_release(&v);
	checker_run(t.checker, &c, &v);
	good = want && !observed && !doubtful
		       ? !v.certified && strstr(v.what, want)
		       : v.certified && v.observed == observed && v.doubtful == doubtful;
	if (!TAP_OK(good, "%s", name))
		printf("# certified %d, observed %d, doubtful %d: %s\n", v.certified, v.observed,
		       v.doubtful, v.what);
	check_verdict_release(&v);
	spec_text_close(&s);
	case_close(&t);
}

static void test_orders(void)
{
	claim(&land, "1 3 2", "2", NULL, "radio off, then landing");
	claim(&land, "3 1 2", "2", NULL, "even before approval");
	claim(&land, "1 3 4 2", "2", NULL, "with an event that is no step");
	claim(&land, "1 2", "2", "'land' holds at event 2 and all before",
	      "as recorded it is good");
	claim(&land, "1 2 3", "3", "'land' holds at event 3", "to its end");
	claim(&land, "3 1", "1", "'land' holds at event 1", "too early");
	claim(&land, "1 3 2 4", "4", "'land' has its verdict at event 2 already: violated",
	      "too late");
	claim(&land, "1 3 2", "3", "so the order must end with it", "a target inside");
	claim(&land, "1 3", "2", "so the order must end with it", "a target that does not come");
	claim(&land, "3 2", "2", "comes before event 1 of its thread", "a gap");
	claim(&land, "1 3 3 2", "2", "comes twice", "an event twice");
	claim(&land, "1 3 2", "9", "target 9 is not in the trace", "no such event");
	claim(&land, "1 3 2", "3 2", "at one event; these are 2", "two targets");
	claim(&land, "1 3 2", "", "the order must be empty", "no target, and an order");
	claim(&land, "", "", "'land' holds in the initial state", "no target, no order");
}

static void test_observed(void)
{
	struct trial plain = with_spec(LAND "property p: ptltl landing == 1 -> radio == 1;", "p",
				       FINDING_PROPERTY);
	struct trial first = with_spec(LAND "property p: ptltl radio == 0;", "p", FINDING_PROPERTY);
	struct trial unknown = { "#fmt 1\nT1|r(y)!unknown|1\nT1|w(x)|2\n",
				 "shared int x = 0; property p: ptltl x == 0;",
				 "2:x=1",
				 "p",
				 FINDING_PROPERTY,
				 false };

	struct trial others = unknown;

	others.text = "#fmt 1\nT2|w(z)|1\nT1|r(y)!unknown|2\nT1|w(x)|3\n";
	others.steps = "3:x=1";
	claim(&plain, "1 2 3", "3", "observed", "the recorded run itself");
	claim(&plain, "3 1 2", "2", NULL, "another one");
	claim(&first, "", "", "observed", "the initial state is that of every run");
	claim(&first, "3", "3", "'p' has its verdict in the initial state already", "and no later");
	claim(&unknown, "1 2", "2", "observed",
	      "what one thread did it did in that order, unknown reads and all");
	claim(&others, "1 2 3", "3", "observed, doubtful",
	      "who came first is not proven past an unknown read");
	unknown.text = "#fmt 1\nT2|w(z)|1\nT1|r(y)!unknown|2\nT1|w(x)|3\n";
	unknown.steps = "3:x=1";
	claim(&unknown, "2 3", "3", "saw a write that is not recorded",
	      "in another order they bind");
}

static void test_kinds(void)
{
	static const char divide[] = LAND "property p: ptltl approved / radio < 5;";
	struct trial error = with_spec(divide, "p", FINDING_PROPERTY_ERROR);
	struct trial bad = with_spec(divide, "p", FINDING_PROPERTY);
	struct trial not_error = land;

	claim(&error, "3", "3", NULL, "a division by zero");
	claim(&error, "1 2 3", "3", "observed", "as recorded");
	claim(&bad, "3", "3", "'p' has no value at event 3", "is no violation");
	not_error.kind = FINDING_PROPERTY_ERROR;
	claim(&not_error, "1 3 2", "2", "is violated at event 2; it has a value",
	      "nor the reverse");
}

static void test_specs(void)
{
	struct trial other = with_spec(LAND "property land: ptltl landing == 1 -> approved == 1;",
				       "land", FINDING_PROPERTY);
	struct trial gone =
		with_spec(LAND "property take_off: ptltl landing == 0;", "land", FINDING_PROPERTY);
	struct trial unknown = { landing, LAND START,	    "1:approved=? 2:landing=1 3:radio=0",
				 "land",  FINDING_PROPERTY, false };
	struct trial blind = land;

	claim(&other, "1 3 2", "2", "'land' holds at event 2", "a spec that says something else");
	claim(&gone, "1 3 2", "2", "the spec has no property 'land'", "one without the property");
	claim(&unknown, "1 3 2", "2", "not known", "a value that is not known");
	blind.steps = "1:approved=1";
	claim(&blind, "1 3 2", "2", "'land' holds at event 2",
	      "events that are none of the spec's");
}

static void test_events(void)
{
	struct trial files = { "A|w(q)|1\nA|w(q)|2\nB|w(p)|3\n",
			       "event open = user(open); event use = user(use);\n"
			       "property p: ere .* open .* use never;",
			       "1!use 3!open",
			       "p",
			       FINDING_PROPERTY,
			       false };

	claim(&files, "3 1", "1", NULL, "events of a regular expression");
	claim(&files, "1 2 3", "3", "'p' holds at event 3", "the other way round");
}

static void test_taint(void)
{
	/* What B reads free and copies may differ when it runs before A. */
	struct trial copy = { "#fmt 1\nA|w(y)=1|1\nB|r(y)~|2\nB|w(x)<2|3\nB|w(z)|4\n",
			      "shared int x = 0; shared int z = 0; property p: ptltl z == 0;",
			      "4:z=1",
			      "p",
			      FINDING_PROPERTY,
			      true };

	claim(&copy, "2 3 4", "4", NULL, "a tainted value that no spec looks at");
	copy.steps = "3:x=1 4:z=1";
	claim(&copy, "2 3 4", "4", "may store another value here, in a variable of the spec",
	      "one that it looks at");
	copy.dep = false;
	copy.steps = "4:z=1";
	claim(&copy, "2 3 4", "4", "sees the initial value, not the write of event 1",
	      "strict: every read binds");
}

/* The same for events: the read itself, and what is said with words that may come from it. */
static void test_taint_events(void)
{
	struct trial said = { "#fmt 1\nA|w(y)=1|1\nB|r(y)~|2\nB|user(go)|3\n",
			      "event look = read(y); event go = user(go);\n"
			      "property p: ere .* go never; property q: ere .* look never;",
			      "2!look",
			      "q",
			      FINDING_PROPERTY,
			      true };

	claim(&said, "2", "2", "may read another value here, and is an event of the spec",
	      "a tainted read that is an event");
	said.property = "p";
	said.steps = "3!go";
	claim(&said, "2 3", "3", "its thread has read what may differ here",
	      "words after a tainted read");
	claim(&said, "1 2 3", "3", "observed", "as recorded nothing differs");
}

/* A verdict counts for its own property alone. */
static void test_others(void)
{
	struct trial two = with_spec(LAND START "property high: ptltl landing == 0;", "high",
				     FINDING_PROPERTY);

	claim(&two, "1 2", "2", "observed", "the second property of a spec");
	two.property = "land";
	claim(&two, "1 2", "2", "'land' holds at event 2", "says nothing of the first");
}

int main(void)
{
	test_orders();
	test_observed();
	test_kinds();
	test_specs();
	test_events();
	test_taint();
	test_taint_events();
	test_others();
	return tap_done();
}
