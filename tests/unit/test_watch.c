/*
 * Events of text traces as items of a spec: every kind of pattern, values byte by byte, and on
 * random traces the values against memory that is simply written to.
 */
#include "monitor/watch.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "spec/spec.h"
#include "tap.h"
#include "trace/trace.h"
#include "witness/view.h"

/* A spec, bound to a trace that has been read. */
struct bound {
	struct spec *spec;
	struct trace *trace;
	struct watch *watch;
	struct watch_items items;
	struct view view; /* the checker's, which must be the same */
	struct diag d;
	uint64_t nevents;
};

static char path[] = "/tmp/foresee-watch-XXXXXX";

static void file_write(const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		abort();
}

static bool write_is(const struct watch_write *a, const struct view_write *b)
{
	bool same = a->variable == b->variable && a->known == b->known;

	for (unsigned k = 0; k < 8 && same; k++)
		same = (a->mask >> 8 * k & 1) == (b->mask >> k & 1) &&
		       (!a->known || !(b->mask >> k & 1) ||
			(uint8_t)(a->raw >> 8 * k) == b->byte[k]);
	return same;
}

static bool item_is(const struct watch_item *a, const struct view_event *b)
{
	return a->pos == b->pos && a->thread == b->thread && a->events == b->events &&
	       a->reads == b->reads && a->written == b->written && a->nwrites == b->nwrites;
}

static uint64_t views_differ, views_items;

/* 1: the checker's view of the trace is another one. */
static unsigned views_compare(const struct bound *b)
{
	const struct monitor_value *initial = watch_initial(b->watch);
	bool same = b->items.at.n == b->view.at.n && b->items.writes.n == b->view.writes.n &&
		    !b->view.trouble[0];

	for (uint32_t i = 0; i < b->spec->nvariables && same; i++) {
		const struct value *v = &b->view.initial[i];

		same = v->known == initial[i].known;
		for (unsigned k = 0; k < 8 && same; k++)
			same = !(v->known >> k & 1) ||
			       v->byte[k] == (uint8_t)(initial[i].raw >> 8 * k);
	}
	for (size_t i = 0; same && i < b->items.at.n; i++)
		same = item_is(&b->items.at.at[i], &b->view.at.at[i]);
	for (size_t i = 0; same && i < b->items.writes.n; i++)
		same = write_is(&b->items.writes.at[i], &b->view.writes.at[i]);
	views_items += b->items.at.n;
	if (!same)
		printf("# the checker sees it otherwise (%zu items, %zu; %zu writes, %zu) %s\n",
		       b->items.at.n, b->view.at.n, b->items.writes.n, b->view.writes.n,
		       b->view.trouble);
	return !same;
}

static bool bound_open(struct bound *b, const char *spec, const char *trace)
{
	struct event e;

	memset(b, 0, sizeof(*b));
	file_write(trace);
	if (spec_parse("test.spec", spec, strlen(spec), &b->spec, &b->d) != ST_OK ||
	    trace_open(path, NULL, &b->trace, &b->d) != ST_OK ||
	    watch_bind(b->spec, b->trace, &b->watch, &b->d) != ST_OK) {
		printf("# %s\n", b->d.message);
		return false;
	}
	view_bind(&b->view, b->spec, b->trace);
	while (trace_next(b->trace, &e, &b->d) == ST_OK) {
		watch_see(b->watch, b->trace, &e, &b->items);
		view_see(&b->view, b->trace, &e);
		b->nevents++;
	}
	if (b->d.message[0])
		printf("# %s\n", b->d.message);
	views_differ += views_compare(b);
	return b->d.message[0] == '\0';
}

static void bound_close(struct bound *b)
{
	view_release(&b->view);
	watch_items_release(&b->items);
	watch_free(b->watch);
	trace_close(b->trace);
	spec_free(b->spec);
}

static const struct watch_item *item_at(const struct bound *b, uint64_t pos)
{
	for (size_t i = 0; i < b->items.at.n; i++)
		if (b->items.at.at[i].pos == pos)
			return &b->items.at.at[i];
	return NULL;
}

/* "a b" for the events that the event at pos may be. */
static const char *events_at(const struct bound *b, uint64_t pos)
{
	static struct strbuf s;
	const struct watch_item *m = item_at(b, pos);

	strbuf_clear(&s);
	for (uint32_t i = 0; m && i < b->spec->nevents; i++)
		if (m->events >> i & 1)
			strbuf_addf(&s, "%s%s", s.n ? " " : "", b->spec->events[i].name);
	return strbuf_str(&s);
}

static bool has_note(const struct bound *b, const char *words)
{
	const char *const *note;
	size_t n = watch_notes(b->watch, &note);

	for (size_t i = 0; i < n; i++)
		if (strstr(note[i], words))
			return true;
	return false;
}

/* ---- patterns ---- */

static void test_patterns(void)
{
	static const char spec[] =
		"shared int x = 0;\n"
		"thread first = 1; thread second = \"T2\"; thread nobody = \"T9\";\n"
		"event rx = read(x); event wx = write(x); event wx2 = write(x) by second;\n"
		"event wy = write(y); event anyr = read(); event no = write(x) by nobody;\n"
		"event am = acq(m); event rm = rel(m); event aany = acq() by first;\n"
		"event f = fork(second); event f3 = fork(3); event j = join(second);\n"
		"event b = begin(block); event e = end(block); event bany = begin();\n"
		"event u = user(hello); event u1 = user(hello, 1, -2); event c = call(f, 7);\n"
		"property p: ptltl x >= 0;\n";
	static const char trace[] = "#fmt 1\n"
				    "T1|r(x)=0|1\n"		/* 1 */
				    "T1|w(x)=5|1\n"		/* 2 */
				    "T1|fork(T2)|1\n"		/* 3 */
				    "T2|w(x)=6|1\n"		/* 4 */
				    "T2|rmw(x)=6>7!add|1\n"	/* 5 */
				    "T2|w(y)=1|1\n"		/* 6 */
				    "T2|acq(m)|1\n"		/* 7 */
				    "T2|rel(m)|1\n"		/* 8 */
				    "T1|racq(m)!rwlock|1\n"	/* 9 */
				    "T1|rrel(m)!rwlock|1\n"	/* 10 */
				    "T1|acq(other)|1\n"		/* 11 */
				    "T1|begin(block)|1\n"	/* 12 */
				    "T1|begin(inner)|1\n"	/* 13 */
				    "T1|end|1\n"		/* 14 */
				    "T1|end|1\n"		/* 15 */
				    "T1|user(hello,1,-2,3)|1\n" /* 16 */
				    "T1|user(hello,2)|1\n"	/* 17 */
				    "T1|user(f,7)!call|1\n"	/* 18 */
				    "T1|user(f,8)!call|1\n"	/* 19 */
				    "T1|user(f,7)|1\n"		/* 20 */
				    "T1|join(T2)|1\n"		/* 21 */
				    "T1|fork(T3)|1\n"		/* 22 */
				    "T1|w(z)=1|1\n"		/* 23 */
				    "T1|rel(other)|1\n";	/* 24 */
	static const char *const want[] = {
		"",	  "rx anyr", "wx", "f",	      "wx wx2", "rx wx wx2 anyr",
		"wy",	  "am",	     "rm", "am aany", "rm",	"aany",
		"b bany", "bany",    "",   "e",	      "u u1",	"u",
		"c",	  "",	     "",   "j",	      "f3",	"",
		""
	};
	struct bound b;

	TAP_OK(bound_open(&b, spec, trace), "patterns: bound");
	for (uint64_t pos = 1; pos < sizeof(want) / sizeof(want[0]); pos++)
		TAP_STR(events_at(&b, pos), want[pos], "patterns: event %d", (int)pos);
	TAP_OK(item_at(&b, 23) == NULL, "what nobody asks for is no item");
	TAP_EQ(item_at(&b, 5)->reads, 1, "an rmw reads");
	TAP_EQ(item_at(&b, 5)->written, 1, "and writes");
	TAP_EQ(item_at(&b, 5)->thread, 2, "by the second thread");
	TAP_OK(has_note(&b, "no thread of the run is 'T9'"),
	       "a thread that is not there is told of");
	bound_close(&b);
}

static void test_any(void)
{
	struct bound b;

	TAP_OK(bound_open(&b, "event e = any(); property p: ere e e e e never;",
			  "T1|w(x)|1\nT1|acq(m)|1\nT1|rel(m)|1\n"),
	       "any: bound");
	TAP_EQ(b.items.at.n, 3, "every event is one");
	bound_close(&b);
}

/* ---- values ---- */

static void value_apply(const struct bound *b, const struct watch_item *m,
			struct monitor_value *values)
{
	for (uint32_t i = 0; i < m->nwrites; i++) {
		const struct watch_write *w = &b->items.writes.at[m->writes + i];
		struct monitor_value *v = &values[w->variable];

		v->raw = (v->raw & ~w->mask) | (w->raw & w->mask);
		for (unsigned k = 0; k < 8; k++)
			if (w->mask >> 8 * k & 0xff)
				v->known = (uint8_t)(w->known ? v->known | 1u << k
							      : v->known & ~(1u << k));
	}
}

static void test_values(void)
{
	static const char spec[] =
		"shared int x; shared int y = 7; shared short t[2]; shared int phase = 2;"
		"shared int absent; property p: ptltl x >= 0;";
	static const char trace[] = "#fmt 1\n"
				    "T1|r(x)=3|1\n"
				    "T1|w(x)=-1|1\n"
				    "T1|w(x+1:1)=0|1\n"
				    "T1|w(y)|1\n"
				    "T1|w(t+4:2)=9|1\n"
				    "T1|user(phase,-5)!internal|1\n"
				    "T1|free(x:4)|1\n";
	struct monitor_value values[8];
	struct watch_variable v;
	struct bound b;

	TAP_OK(bound_open(&b, spec, trace), "values: bound");
	memcpy(values, watch_initial(b.watch), 5 * sizeof(values[0]));
	TAP_EQ(values[0].raw, 3, "the first read shows the first value");
	TAP_OK(watch_variable(b.watch, 0, &v) && !strcmp(v.origin, "first read"), "and says so");
	TAP_EQ(values[1].raw, 7, "the spec's value where the trace has none");
	TAP_EQ(values[2].known, 0, "else it is not known");
	TAP_OK(has_note(&b, "the initial value of 't[2]' is not known"), "which is told");
	TAP_OK(has_note(&b, "nothing in the trace is about 'absent'"), "as is what never comes");
	TAP_OK(!has_note(&b, "about 'x'"), "of others nothing is");
	value_apply(&b, item_at(&b, 2), values);
	TAP_EQ(values[0].raw, 0xffffffff, "a write of eight bytes, the variable's four");
	value_apply(&b, item_at(&b, 3), values);
	TAP_EQ(values[0].raw, 0xffff00ff, "a write of one byte");
	value_apply(&b, item_at(&b, 4), values);
	TAP_EQ(values[1].known, 0, "a write of no value");
	value_apply(&b, item_at(&b, 5), values);
	TAP_EQ(values[2].raw, 9, "an element by its offset");
	value_apply(&b, item_at(&b, 6), values);
	TAP_EQ(values[3].raw, 0xfffffffb, "a variable of the spec's own");
	value_apply(&b, item_at(&b, 7), values);
	TAP_EQ(values[0].known, 0, "freed memory holds nothing");
	TAP_EQ(item_at(&b, 7)->written, 0, "which is no write");
	bound_close(&b);
}

/* What was there at the start is what the first access of each byte saw, if it says so. */
static void first_is(const char *trace, uint64_t raw, uint8_t known, const char *name)
{
	struct bound b;

	if (!TAP_OK(bound_open(&b, "shared int x; property p: ptltl x >= 0;", trace), "%s: bound",
		    name))
		return;
	TAP_EQ(watch_initial(b.watch)[0].known, known, "%s: the bytes that are known", name);
	TAP_EQ(watch_initial(b.watch)[0].raw, raw, "%s: and what they hold", name);
	bound_close(&b);
}

static void test_first(void)
{
	first_is("#fmt 1\nT1|w(x:4)=5|1\nT1|r(x:4)=5|1\n", 0, 0, "written before it is read");
	first_is("#fmt 1\nT1|r(x:4)=5|1\nT1|r(x:4)=6|1\n", 5, 15, "the first read alone");
	first_is("#fmt 1\nT1|rmw(x:4)=6>7!add|1\n", 6, 15, "exchanged: what was there");
	first_is("#fmt 1\nT1|r(x:4)=5!unknown|1\nT1|r(x:4)=5|1\n", 0, 0,
		 "a read of nobody knows when");
	first_is("#fmt 1\nT1|w(x:2)=5|1\nT1|r(x:4)=458757|1\n", 7 << 16, 12, "the other half");
}

/* Memory that comes zeroed is known, other memory is not. */
static void test_alloc(void)
{
	static const char spec[] = "shared int x = 1; shared int y = 1; property p: ptltl x >= 0;";
	struct monitor_value values[2];
	struct bound b;

	TAP_OK(bound_open(&b, spec, "#fmt 1\nT1|alloc(x:4)!zeroed|1\nT1|alloc(y:4)|1\n"),
	       "memory: bound");
	memcpy(values, watch_initial(b.watch), sizeof(values));
	for (uint64_t pos = 1; pos <= 2; pos++)
		if (item_at(&b, pos))
			value_apply(&b, item_at(&b, pos), values);
	TAP_OK(values[0].raw == 0 && values[0].known == 15, "zeroed memory holds zero");
	TAP_EQ(values[1].known, 0, "other memory anything");
	bound_close(&b);
}

/* ---- random ---- */

static uint64_t seed = 88172645463325252u;

static unsigned next(unsigned n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)((seed >> 11) % n);
}

#define NAMES 3
#define BYTES 16

/* Memory as it is: a byte, or -1 for one that nobody knows. */
static int memory[NAMES][BYTES];

static void random_line(struct strbuf *out)
{
	unsigned name = next(NAMES), n = 1u << next(4), at = next(BYTES - n + 1);
	unsigned long long v = (unsigned long long)next(1u << 30) << 32 | next(1u << 30);
	bool known = next(8) != 0;

	if (n < 8)
		v &= (1ull << 8 * n) - 1;
	if (known)
		strbuf_addf(out, "T1|w(n%u+%u:%u)=%llu|1\n", name, at, n, v);
	else
		strbuf_addf(out, "T1|w(n%u+%u:%u)|1\n", name, at, n);
	for (unsigned i = 0; i < n; i++)
		memory[name][at + i] = known ? (int)(v >> 8 * i & 0xff) : -1;
}

/* Variables of the spec below: where they lie. */
static const struct {
	unsigned name, at, size;
} places[] = { { 0, 0, 4 }, { 1, 0, 8 }, { 2, 0, 2 }, { 0, 4, 4 }, { 1, 3, 1 }, { 2, 6, 2 } };

/* As memory[][] has them. */
static int byte_of(const struct monitor_value *v, unsigned k)
{
	return v->known & 1u << k ? (int)(v->raw >> 8 * k & 0xff) : -1;
}

static bool is_as_memory(const struct monitor_value *values)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		for (unsigned k = 0; k < places[i].size; k++)
			wrong += byte_of(&values[i], k) != memory[places[i].name][places[i].at + k];
	return wrong == 0;
}

static void test_random(void)
{
	static const char spec[] = "shared int n0 = 0; shared long n1 = 0; shared short n2 = 0;"
				   "shared int n0[1] = 0; shared char n1[3] = 0;"
				   "shared short n2[3] = 0; property p: ptltl n0 == n0;";
	unsigned bad = 0, rounds = getenv("LONG") ? 2000 : 100;

	for (unsigned round = 0; round < rounds; round++) {
		struct monitor_value values[8];
		struct strbuf text = { 0 };
		struct bound b;

		memset(memory, 0, sizeof(memory));
		strbuf_adds(&text, "#fmt 1\n");
		for (unsigned i = 0; i < 30; i++)
			random_line(&text);
		if (!bound_open(&b, spec, strbuf_str(&text))) {
			bad++;
			break;
		}
		memcpy(values, watch_initial(b.watch), 6 * sizeof(values[0]));
		for (size_t i = 0; i < b.items.at.n; i++)
			value_apply(&b, &b.items.at.at[i], values);
		bad += !is_as_memory(values);
		bound_close(&b);
		strbuf_release(&text);
	}
	TAP_EQ(bad, 0, "random writes: values as memory has them");
}

int main(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	test_patterns();
	test_any();
	test_values();
	test_first();
	test_alloc();
	test_random();
	TAP_OK(views_differ == 0 && views_items > 100, "the checker's own view is the same");
	unlink(path);
	return tap_done();
}
