/*
 * Witness files read and written; and what the evidence tells of events, objects and locks.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/diag.h"
#include "sim.h"
#include "tap.h"
#include "trace/trace.h"
#include "trace_builder.h"
#include "witness/witness.h"
#include "witness_text.h"

static const char text[] = "T1|w(x)|1\nT1|w(y)|2\nT2|w(x)|3\nT2|w(y)|4\nmain|w(x)|5\n"
			   "T1|w(z)|6\nT1|w(z)|7\nT1|w(z)|8\nT1|w(z)|9\nT1|w(z)|10\n";

static struct case_trace t;
static struct diag diag;

static bool parse(const char *s, struct witness *w)
{
	diag_clear(&diag);
	return witness_parse(s, strlen(s), "w", t.ev, w, &diag) == ST_OK;
}

static void expect_error(const char *s, const char *want)
{
	struct witness w;
	bool good = !parse(s, &w) && strstr(diag.message, want);

	if (!TAP_OK(good, "%s", want))
		printf("# %s\n", diag.message);
}

static void expect_order(const char *s, const char *want, const char *name)
{
	uint64_t at[32];
	size_t n = case_numbers(want, at, 32);
	struct witness w;
	bool good = parse(s, &w) && w.order.n == n;

	for (size_t i = 0; good && i < n; i++)
		good = w.order.at[i] == at[i];
	if (!TAP_OK(good, "%s", name))
		printf("# %s\n", diag.message);
	witness_release(&w);
}

#define HEAD "witness 1\nkind race\ntarget 2 4\n"

static void test_parse(void)
{
	struct witness w;

	TAP_OK(parse("witness 1\r\n# a comment\r\nkind\trace # the kind\r\ntarget 2 4\r\n"
		     "relaxed 2\r\nmodel dep\r\ntainted 7 8 nonsense\r\nvalues\r\n\r\norder 1\r\n3",
		     &w),
	       "every line, with comments and CRLF");
	TAP_OK(w.dep && w.values && w.has_stray && w.stray.n == 1 && w.stray.at[0] == 2,
	       "is understood");
	TAP_EQ(w.digest[0], 0, "no digest");
	witness_release(&w);
	TAP_OK(parse(HEAD "order\n", &w) && !w.dep && !w.has_stray, "the least there can be");
	witness_release(&w);
	expect_order(HEAD "order 1 3", "1 3", "numbers");
	expect_order(HEAD "order\n1\n3\n", "1 3", "one a line");
	expect_order(HEAD "order T2:1-1 T1:1-1\n", "3 1", "ranges");
	expect_order(HEAD "order 2:1 1:1-2 main:1\n", "3 1 2 5",
		     "threads by number, single events");
	expect_order(HEAD "order 3:1\n", "5", "a number that is no name counts threads");
	expect_order(HEAD "order 1 3 2 4\n", "1 3", "the targets at the end are cut off");
	expect_order(HEAD "order 1 3 4 2\n", "1 3", "either way round");
	expect_order(HEAD "order 1 2 3\n", "1 2 3", "but not one of them");
	expect_order("witness 1\nkind lost-wakeup\ntarget 2 4\norder 1 2 3 4\n", "1 2 3 4",
		     "nor those of another kind");
	TAP_OK(parse("witness 1\nkind deadlock\ntarget 1 2 3 4 5 6 7 8\norder\n", &w) &&
		       w.kind == FINDING_DEADLOCK && w.targets.n == 8,
	       "a deadlock of eight");
	witness_release(&w);
#define SIX " 1 2 3 4 5 6"
	expect_error("witness 1\nkind deadlock\ntarget" SIX SIX SIX SIX SIX SIX SIX SIX SIX SIX SIX
		     "\norder\n",
		     "expected 1 to 64 event numbers after 'target'");
}

#define PROPERTY "witness 1\nkind property:p\ntarget 4\n"

static void test_property(void)
{
	static const char spec[] =
		"shared int x = 0; // a # and a \\\n\n\tproperty p: ptltl x == 0;\r\n";
	struct strbuf out = { 0 };
	struct witness w, back;

	TAP_OK(parse(PROPERTY "spec shared int x; # kept\nspec\nspec  y\norder 3 4\n", &w),
	       "a property and its spec");
	TAP_OK(w.kind == FINDING_PROPERTY && strcmp(w.property, "p") == 0, "its name");
	TAP_STR(strbuf_str(&w.spec), "shared int x; # kept\n\n y\n", "all behind one blank");
	TAP_OK(w.order.n == 2 && w.order.at[1] == 4, "the target stays in the order");
	witness_release(&w);
	TAP_OK(parse("witness 1\nkind property-error:a:b\ntarget none\norder\n", &w) &&
		       w.kind == FINDING_PROPERTY_ERROR && w.targets.n == 0 &&
		       strcmp(w.property, "a:b") == 0,
	       "no target, and a colon in the name");
	strbuf_add(&w.spec, spec, sizeof(spec) - 1);
	witness_format(&w, t.ev, &out);
	TAP_OK(witness_parse(strbuf_str(&out), out.n, "w", t.ev, &back, &diag) == ST_OK &&
		       back.kind == w.kind && strcmp(back.property, w.property) == 0,
	       "written and read back");
	TAP_OK(back.spec.n == sizeof(spec) - 1 && memcmp(back.spec.at, spec, back.spec.n) == 0,
	       "the spec byte by byte");
	witness_release(&w);
	witness_release(&back);
	TAP_OK(witness_parse(PROPERTY "spec a\norder 99 T7:1-2\n", sizeof(PROPERTY) + 26, "w", NULL,
			     &w, &diag) == ST_OK &&
		       w.property && w.spec.n == 2 && w.order.n == 0,
	       "without a trace, what needs none");
	witness_release(&w);
	expect_error("witness 1\nkind property\n", "w:2:6: expected the property's name");
	expect_error("witness 1\nkind race:p\n", "w:2:6: unknown kind 'race:p'");
	expect_error("witness 1\nkind race\ntarget none\norder\n",
		     "only the witness of a property may have no target");
	expect_error(PROPERTY "target none\n", "a second line 'target'");
	strbuf_release(&out);
}

static void test_errors(void)
{
	expect_error("", "w:1:1: the file ends without a line 'witness'");
	expect_error("kind race\n", "w:1:1: not a witness: expected 'witness 1' first");
	expect_error("witness 2\n", "w:1:9: unknown version");
	expect_error("witness 1 2\n", "w:1:11: unexpected '2' after 'witness'");
	expect_error("witness 1\nkind deadly\n", "w:2:6: unknown kind 'deadly'");
	expect_error("witness 1\nkind race\nkind race\n", "w:3:1: a second line 'kind'");
	expect_error("witness 1\nwhat 3\n", "w:2:1: unknown word 'what'");
	expect_error("witness 1\nkind race\ntarget\n", "expected 1 to 64 event numbers");
	expect_error("witness 1\nkind race\ntarget 1 x\n", "w:3:10: 'x' is no event number");
	expect_error("witness 1\nkind race\ntarget 1 11\n",
		     "event 11 is not in the trace, which has 10");
	expect_error("witness 1\ntrace abc\n", "w:2:7: expected 64 hexadecimal digits");
	expect_error("witness 1\nmodel weak\n", "w:2:7: expected 'dep' or 'strict'");
	expect_error("witness 1\nrelaxed\n", "expected event numbers or 'none'");
	expect_error(HEAD, "w:4:1: the file ends without a line 'order'");
	expect_error(HEAD "order 0\n", "w:4:7: event 0 is not in the trace");
	expect_error(HEAD "order T9:1-2\n", "'T9' names no thread of the trace");
	expect_error(HEAD "order T1:1-8\n", "thread T1 has no events 1 to 8");
	expect_error(HEAD "order T1:2-1\n", "thread T1 has no events 2 to 1");
	expect_error(HEAD "order T1:x\n", "w:4:7: 'T1:x' is no range");
	expect_error(HEAD "order T1:1-7 T1:1-7\n", "more events than the trace");
	expect_error(HEAD "order 99999999999999999999999\n", "is no event number");
}

static void test_write(void)
{
	uint64_t order[] = { 3, 1, 2, 6, 7, 8, 9, 10, 5 }, targets[] = { 4, 5 };
	struct witness w = { .kind = FINDING_RACE,
			     .dep = true,
			     .targets = { targets, 2, 2 },
			     .order = { order, 9, 9 } };
	struct witness back;
	struct strbuf out = { 0 };

	witness_format(&w, t.ev, &out);
	TAP_STR(strbuf_str(&out),
		"witness 1\nkind    race\ntarget  4 5\nrelaxed none\nmodel   dep\norder\n"
		"3 T1:1-7 5\n",
		"written");
	TAP_OK(parse(strbuf_str(&out), &back), "and read back");
	TAP_OK(back.order.n == 9 && memcmp(back.order.at, order, sizeof(order)) == 0,
	       "the order is the same");
	witness_release(&back);
	strbuf_release(&out);
}

static void test_digest(void)
{
	/* Names are no part of it: y and T2 are the first of their kind here, as x and T1 are. */
	static const char *const other[] = { "# c\r\nT1|w(x)|1\r\n\r\n",
					     "T1|w(x)|9\n",
					     "T1|w(y)|1\n",
					     "T2|w(x)|1\n",
					     "T1|r(x)|1\n",
					     "T1|w(x)|1\nT1|w(x)|1\n",
					     "#fmt 1\nT1|w(x)=1|1\n",
					     "#fmt 1\nT1|w(x:4)|1\n" };
	struct evidence_options opt = { .digest = true, .upto = 1 };
	struct case_trace a, b;

	case_open(&a, "T1|w(x)|1\n", NULL);
	TAP_EQ(strlen(evidence_digest(a.ev)), 64, "a digest");
	for (size_t i = 0; i < sizeof(other) / sizeof(*other); i++) {
		bool same;

		case_open(&b, other[i], &opt);
		same = strcmp(evidence_digest(a.ev), evidence_digest(b.ev)) == 0;
		TAP_EQ(same, i < 4, "trace %zu %s", i, i < 4 ? "means the same" : "is another");
		case_close(&b);
	}
	case_close(&a);
}

static void test_evidence(void)
{
	static const char trace[] = "#fmt 1\nA|acq(m)|1\nA|racq(n)|2\nA|acq(m)|3\nA|rel(m)|4\n"
				    "A|w(x)|5\nA|rel(m)|6\nA|w(x)|7\nB|alloc(h:64)|8\nB|w(h+8)|9\n"
				    "A|fork(C)|10\n";
	uint64_t wanted[] = { 5, 9, 10 }, held[8];
	struct evidence_options opt = { .wanted = wanted, .nwanted = 3, .upto = 9 };
	struct evidence_object o;
	struct evidence_event e;
	struct case_trace c;

	case_open(&c, trace, &opt);
	TAP_EQ(evidence_count(c.ev), 9, "events after the last one needed are not kept");
	TAP_EQ(evidence_held(c.ev, 5, held, 8), 2, "two locks are held");
	TAP_OK(held[0] == 1 && held[1] == 2, "the outermost acquires, in order");
	TAP_EQ(evidence_held(c.ev, 7, held, 8), 1, "one is left");
	TAP_EQ(held[0], 2, "the inner one");
	TAP_EQ(evidence_held(c.ev, 1, held, 8), 0, "none before the first");
	TAP_EQ(evidence_held(c.ev, 5, held, 1), 2, "more than fit are counted");
	e = evidence_get(c.ev, 2);
	TAP_STR(e.name, "n", "the name of a lock");
	TAP_EQ(e.index, 1, "the number in its thread");
	TAP_EQ(evidence_find(c.ev, e.tid, 4), 5, "and back");
	TAP_EQ(evidence_find(c.ev, e.tid, 6), 7, "the last");
	TAP_EQ(evidence_find(c.ev, e.tid, 7), 0, "past the last");
	e = evidence_get(c.ev, 5);
	TAP_STR(e.name, NULL, "accesses have no name");
	TAP_OK(evidence_object(c.ev, 5, &o) && !o.heap, "a variable");
	TAP_STR(o.name, "x", "by name");
	TAP_OK(evidence_object(c.ev, 9, &o) && o.heap && o.alloc.pos == 8 && o.alloc.len == 64,
	       "a block, and who made it");
	TAP_OK(!evidence_object(c.ev, 7, &o), "not wanted, not there");
	TAP_OK(evidence_overlap(c.ev, 5, 7) && !evidence_overlap(c.ev, 5, 9) &&
		       !evidence_overlap(c.ev, 1, 2) && evidence_overlap(c.ev, 1, 3),
	       "overlap");
	case_close(&c);
}

/* A local variable that comes to life is another place than what was there. */
static void test_requests(void)
{
	static const char trace[] =
		"#fmt 1\nA|acq(m)|1\nB|req(m)|2\nA|rel(m)!wait|3\nA|park(c,m)!try|4\n"
		"B|acq(m)|5\nB|rel(m)|6\nB|lockinit(m)|7\nB|acq(m)|8\nB|joining(A)|9\n";
	struct evidence_event e[10];
	struct case_trace c;
	uint64_t held[2];

	case_open(&c, trace, NULL);
	for (uint64_t i = 1; i <= 9; i++)
		e[i] = evidence_get(c.ev, i);
	TAP_OK(e[2].op == EVENT_REQ && e[2].object != 0 && e[2].object == e[1].object &&
		       e[3].object == e[1].object && e[5].object == e[1].object,
	       "requests, acquires and releases of one lock");
	TAP_OK(e[8].object != e[1].object && e[8].object == e[7].object,
	       "a lock that was made anew");
	TAP_OK(e[4].object != e[3].object && strcmp(e[4].name, "c") == 0 &&
		       (e[4].flags & EVENT_TRY),
	       "a condition, waited on for a time");
	TAP_OK(evidence_park(c.ev, 3) == 4 && evidence_park(c.ev, 6) == 0, "the wait of a release");
	TAP_OK(e[9].op == EVENT_JOINING && e[9].peer == e[1].tid && e[9].object == 0, "a join");
	TAP_OK(evidence_held(c.ev, 2, held, 2) == 0 && evidence_held(c.ev, 3, held, 2) == 1 &&
		       evidence_held(c.ev, 4, held, 2) == 0 && evidence_held(c.ev, 9, held, 2) == 1,
	       "a request holds nothing; a wait lets go of its lock");
	case_close(&c);
}

static void test_frame(void)
{
	struct version start = { 0 }, first = { 1, 0 }, frame = { 1, 0 };
	struct evidence_options opt = { .upto = 0 };
	struct builder *b = builder_new(0);
	uint64_t order[] = { 1, 5 }, targets[] = { 2, 6 };
	struct check_claim claim = {
		.kind = FINDING_RACE, .targets = targets, .ntargets = 2, .order = order, .norder = 2
	};
	struct check_verdict v;
	struct case_trace c;
	const uint8_t *bytes;
	char path[64];
	size_t n;

	snprintf(path, sizeof(path), "/tmp/foresee-frame-%d", (int)getpid());
	builder_thread(b, 1, 0, 0);					       /* 1 */
	first.tseq = builder_write(b, 1, 1, 0x1000, 8, &start, 7, 0, NULL, 0); /* 2 */
	frame.tseq = builder_block(b, 1, FORMAT_K_ALLOC, FORMAT_ALLOC_FRAME, 1, 0x1000, 8,
				   &first);			  /* 3 */
	builder_write(b, 1, 1, 0x1000, 8, &frame, 8, 0, NULL, 0); /* 4 */
	builder_thread(b, 2, 0, 0);
	frame.tseq++;
	builder_write(b, 2, 1, 0x1000, 8, &frame, 9, 0, NULL, 0);
	builder_finish(b, 0);
	bytes = builder_bytes(b, &n);
	builder_save(path, bytes, n);
	builder_free(b);
	if (trace_open(path, NULL, &c.trace, &diag) != ST_OK ||
	    evidence_load(c.trace, &opt, &c.ev, &diag) != ST_OK) {
		TAP_OK(false, "%s", diag.message);
		return;
	}
	unlink(path);
	c.checker = checker_new(c.ev);
	/* T2 begins at 5 or earlier; its write is the last event. */
	TAP_EQ(evidence_count(c.ev), 6, "six events");
	order[1] = evidence_find(c.ev, 2, 0);
	targets[0] = evidence_find(c.ev, 1, 1);
	targets[1] = evidence_find(c.ev, 2, 1);
	checker_run(c.checker, &claim, &v);
	TAP_OK(!v.certified && strstr(v.what, "no byte in common"), "the old place");
	check_verdict_release(&v);
	TAP_OK(evidence_overlap(c.ev, evidence_find(c.ev, 1, 3), targets[1]), "the new place");
	case_close(&c);
}

/* Recordings: the observed order is a correct one, with every kind of event in it. */
static void test_recordings(void)
{
	unsigned bad = 0;
	char path[64];

	snprintf(path, sizeof(path), "/tmp/foresee-witness-%d", (int)getpid());
	for (unsigned i = 0; i < 300; i++) {
		struct evidence_options opt = { .values = true, .digest = true };
		struct builder *b = builder_new(0);
		struct check_order order = { .at = { 0 } };
		struct check_claim claim = { .kind = FINDING_RACE, .ntargets = 2 };
		struct check_verdict v;
		struct sim_result want;
		struct case_trace c;
		const uint8_t *bytes;
		size_t n;

		sim_run(b, 9000 + i, 20 + i, &want);
		bytes = builder_bytes(b, &n);
		builder_save(path, bytes, n);
		builder_free(b);
		if (trace_open(path, NULL, &c.trace, &diag) != ST_OK ||
		    evidence_load(c.trace, &opt, &c.ev, &diag) != ST_OK) {
			bad++;
			continue;
		}
		c.checker = checker_new(c.ev);
		for (uint64_t pos = 1; pos <= evidence_count(c.ev); pos++)
			*VEC_PUSH(&order.at) = pos;
		claim.order = claim.targets = order.at.at;
		claim.norder = order.at.n;
		/* The order holds to its end: what is wrong is a target inside. */
		claim.strict = i % 2;
		checker_run(c.checker, &claim, &v);
		if (v.certified || !strstr(v.what, "in the order as well")) {
			printf("# case %u: %s\n", i, v.what);
			bad++;
		}
		check_verdict_release(&v);
		VEC_RELEASE(&order.at);
		case_close(&c);
	}
	unlink(path);
	TAP_EQ(bad, 0, "observed orders of recordings hold");
}

int main(void)
{
	case_open(&t, text, NULL);
	test_parse();
	test_property();
	test_errors();
	test_write();
	test_digest();
	test_evidence();
	test_requests();
	test_frame();
	test_recordings();
	case_close(&t);
	return tap_done();
}
