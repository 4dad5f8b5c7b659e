/*
 * The text about violated properties, word by word, from findings made by hand.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "finding/finding.h"
#include "report/ending.h"
#include "report/report.h"
#include "spec_text.h"
#include "tap.h"
#include "witness_text.h"

struct made {
	const char *text, *spec, *steps, *property;
	const char *order; /* NULL: a warning */
	int width;
	bool observed;
};

static struct finding *make(const struct made *m, struct findings *out)
{
	struct finding *f =
		findings_add_property(out, FINDING_PROPERTY, &engine_property, m->property);
	uint64_t tail[1000];
	size_t n = case_numbers(m->order ? m->order : "", tail, 1000);

	if (n)
		finding_add_event(f, tail[n - 1], 1, 0);
	for (size_t i = 0; i < n; i++)
		*VEC_PUSH(&f->schedule.tail) = tail[i];
	f->id = 1;
	f->claimed = f->certified = m->order != NULL;
	f->observed = m->observed;
	f->status = m->order ? FINDING_PREDICTED : FINDING_WARNING;
	return f;
}

static char *explain(const struct made *m)
{
	struct report_analysis analysis = { .engine = &engine_property,
					    .findings = 1,
					    .complete = true };
	struct explain_options how = { .width = m->width ? m->width : 100 };
	struct findings findings = { 0 };
	struct case_trace t;
	struct spec_text s;
	struct report r;
	struct ending ending = { 0 };
	char *out;
	size_t n;
	FILE *to = open_memstream(&out, &n);

	case_open(&t, m->text, NULL);
	spec_text_open(&s, m->spec, m->steps);
	make(m, &findings);
	r = (struct report){
		.path = "t.std",
		.ending = &ending,
		.trace = t.trace,
		.evidence = t.ev,
		.watch = &s.watch,
		.properties = 1,
		.events = evidence_count(t.ev),
		.threads = 2,
		.analyses = &analysis,
		.nanalyses = 1,
		.findings = &findings,
	};
	explain_print(&r, &how, to);
	fclose(to);
	ending_release(&ending);
	findings_release(&findings);
	spec_text_close(&s);
	case_close(&t);
	return out;
}

static void expect(const struct made *m, const char *want, const char *name)
{
	char *got = explain(m);

	TAP_STR(got, want, "%s", name);
	free(got);
}

static const char landing[] =
	"T1|w(approved)|l.c:10:ask\nT1|w(landing)|l.c:11:ask\n"
	"T2|acq(m)|l.c:19:off\nT2|w(radio)|l.c:20:off\nT2|rel(m)|l.c:21:off\n";
static const char spec[] =
	"shared int landing = 0;\nshared int approved = 0;\n"
	"shared int radio = 1;\nshared int other = 7;\n"
	"property land: ptltl start(landing == 1) -> [approved == 1, radio == 0);\n"
	"property plain: ptltl landing == 0;\n"
	"property first: ptltl radio == 0;\n";
static const char steps[] = "1:approved=1 2:landing=1 4:radio=0";

static void test_landing(void)
{
	struct made m = { landing, spec, steps, "land", "1 3 4 2", 0, false };

	expect(&m,
	       "1  property land violated                                                       predicted, certified\n"
	       "   property land: ptltl start(landing == 1) -> [approved == 1, radio == 0);\n"
	       "   at t.spec:5\n"
	       "   T1  write landing  l.c:11 in ask\n"
	       "\n"
	       "   The run that shows it (in the recorded run T1's write of landing (:11) came before T2's write of\n"
	       "   radio (:20)):\n"
	       "\n"
	       "       T1                        T2                      landing  approved  radio\n"
	       "                                                         0        0         1\n"
	       "    1  write approved = 1  :10                           0        1*        1\n"
	       "    4                            write radio = 0  :20    0        1         0*\n"
	       "    2  write landing = 1  :11                            1*       1         0      <-- violated\n"
	       "\n"
	       "1 finding (1 property violation).\n",
	       "a table beside the picture");
	m.width = 60;
	expect(&m,
	       "1  property land violated               predicted, certified\n"
	       "   property land: ptltl start(landing == 1) -> [approved == 1, radio == 0);\n"
	       "   at t.spec:5\n"
	       "   T1  write landing  l.c:11 in ask\n"
	       "\n"
	       "   The run that shows it (in the recorded run T1's write of\n"
	       "   landing (:11) came before T2's write of radio (:20)):\n"
	       "\n"
	       "       T1                        T2\n"
	       "       landing = 0, approved = 0, radio = 1\n"
	       "    1  write approved = 1  :10\n"
	       "    4                            write radio = 0  :20\n"
	       "    2  write landing = 1  :11\n"
	       "       <-- violated\n"
	       "\n"
	       "1 finding (1 property violation).\n",
	       "no room for it");
	m.width = 0;
	m.property = "plain";
	m.order = "1 2";
	m.observed = true;
	expect(&m,
	       "1  property plain violated                                                      in the recorded order\n"
	       "   property plain: ptltl landing == 0;\n"
	       "   at t.spec:6\n"
	       "   T1  write landing  l.c:11 in ask\n"
	       "\n"
	       "   The recorded run up to there:\n"
	       "\n"
	       "       T1                        landing\n"
	       "                                 0\n"
	       "    2  write landing = 1  :11    1*       <-- violated\n"
	       "\n"
	       "1 finding (1 property violation).\n",
	       "the recorded run");
	m.property = "first";
	m.order = "";
	expect(&m,
	       "1  property first violated                                                      in the recorded order\n"
	       "   property first: ptltl radio == 0;\n"
	       "   at t.spec:7\n"
	       "   in the initial state, before any event\n"
	       "\n"
	       "   What holds at the start of every run:\n"
	       "\n"
	       "          radio\n"
	       "          1      <-- violated\n"
	       "\n"
	       "1 finding (1 property violation).\n",
	       "the initial state");
}

/* What the run does without is told where no two steps have changed places. */
static void test_missing(void)
{
	struct made m = { "A|w(x)|a.c:1\nA|w(z)|a.c:2\nB|w(x)|b.c:3\n",
			  "shared int x = 0; shared int z = 0;\n"
			  "property p: ptltl x > 0 -> once x < 0;\n",
			  "1:x=-1 2:z=5 3:x=1",
			  "p",
			  "3",
			  0,
			  false };

	expect(&m,
	       "1  property p violated                                                          predicted, certified\n"
	       "   property p: ptltl (x > 0) -> once(x < 0);\n"
	       "   at t.spec:2\n"
	       "   B  write x  b.c:3\n"
	       "\n"
	       "   The run that shows it (in the recorded run A's write of x (a.c:1) came before that):\n"
	       "\n"
	       "       B                  x\n"
	       "                          0\n"
	       "    3  write x = 1  :3    1*  <-- violated\n"
	       "\n"
	       "1 finding (1 property violation).\n",
	       "a step left out");
}

/* Locks that several threads use, events, and only the last steps of many. */
static void test_long(void)
{
	struct strbuf text = { 0 }, order = { 0 }, places = { 0 };
	struct made m = { .spec = "shared int n = 0; event go = user(go);\n"
				  "property p: ptltl go() -> n < 40;\n",
			  .property = "p" };
	char *got;

	for (int i = 1; i <= 40; i++) {
		strbuf_addf(&text, "A|w(n)|a.c:%d\n", i);
		strbuf_addf(&places, "%d:n=%d ", i, i);
		strbuf_addf(&order, "%d ", i);
	}
	strbuf_adds(
		&text,
		"A|acq(m)|a.c:50\nA|rel(m)|a.c:51\nB|acq(m)|b.c:60\nB|w(q)|b.c:61\nB|rel(m)|b.c:62\n");
	strbuf_adds(&places, "44!go");
	strbuf_adds(&order, "41 42 43 44");
	m.text = strbuf_str(&text);
	m.steps = strbuf_str(&places);
	m.order = strbuf_str(&order);
	got = explain(&m);
	TAP_OK(strstr(got, "\n    11 steps before; then:\n"), "what is left out is counted");
	TAP_OK(strstr(got, "   40  write n = 40  a.c:40"), "the last steps are there");
	TAP_OK(!strstr(got, "a.c:11\n"), "the first are not");
	TAP_OK(strstr(got, "   12  write n = 12  a.c:12"), "none is left out that is not counted");
	TAP_OK(strstr(got, "unlock m  a.c:51") && strstr(got, "lock m  :60"),
	       "locks between them are shown");
	TAP_OK(strstr(got, "write (go)  :61"), "an event by its name");
	TAP_OK(strstr(got, "40   <-- violated"), "and the state it leads to");
	free(got);
	strbuf_release(&text);
	strbuf_release(&order);
	strbuf_release(&places);
}

/* Columns for four threads do not fit: a list, with the table all the same. */
static void test_list(void)
{
	struct made m = { "A|w(x)|a.c:1\nB|w(x)|a.c:2\nC|w(x)|a.c:3\nD|w(x)|a.c:4\n",
			  "shared int x = 0;\nproperty p: ptltl x < 4;\n",
			  "1:x=1 2:x=2 3:x=3 4:x=4",
			  "p",
			  "3 2 1 4",
			  60,
			  false };
	char *got = explain(&m);

	TAP_OK(strstr(got, "    3  C  write x = 3  :3    3*\n"), "a list with values");
	TAP_OK(strstr(got, "    4  D  write x = 4  :4    4*  <-- violated\n"), "to its end");
	free(got);
}

int main(void)
{
	test_list();
	test_landing();
	test_missing();
	test_long();
	return tap_done();
}
