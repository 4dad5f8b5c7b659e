/*
 * Plans of small traces: what is a step, who waits for whom, and by what an event is known.  On random
 * traces: test_plan_random.c.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/diag.h"
#include "replay/plan.h"
#include "replay/tape.h"
#include "trace/format.h"
#include "trace/trace.h"
#include "unit/tap.h"
#include "unit/trace_builder.h"

static const struct version INIT;

/* ---- traces and orders from words ---- */

static struct trace *trace_of(const void *bytes, size_t n, int *fd)
{
	struct diag d = { 0 };
	struct trace *t = NULL;
	char path[64];

	*fd = memfd_create("trace", MFD_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", *fd);
	if (*fd < 0 || write(*fd, bytes, n) != (ssize_t)n ||
	    trace_open(path, NULL, &t, &d) != ST_OK) {
		printf("Bail out! no trace: %s\n", d.message);
		exit(1);
	}
	return t;
}

/* Numbers in a string; 3-6: all of them. */
static size_t numbers(const char *s, uint64_t *out, size_t max)
{
	size_t n = 0;
	char *end;

	for (; s != NULL && *s != '\0'; s = end + (*end == ' ')) {
		uint64_t from = strtoull(s, &end, 10), to = from;

		if (*end == '-')
			to = strtoull(end + 1, &end, 10);
		for (; from <= to && n < max; from++)
			out[n++] = from;
	}
	return n;
}

struct words {
	enum finding_kind kind;
	const char *order, *targets, *looks, *paced;
};

/* The plan, as text; or why there is none. */
static void plan_of(struct trace *t, const struct tape *tape, const struct words *w,
		    struct strbuf *out)
{
	uint64_t order[64], targets[8], looks[16], paced[16];
	struct plan_ask ask = { .kind = w->kind,
				.order = order,
				.targets = targets,
				.looks = looks,
				.paced = paced,
				.norder = numbers(w->order, order, 64),
				.ntargets = (uint32_t)numbers(w->targets, targets, 8),
				.nlooks = numbers(w->looks, looks, 16),
				.npaced = numbers(w->paced, paced, 16),
				.tape = tape };
	struct diag d = { 0 };
	struct plan p;

	if (plan_make(t, &ask, &p, &d) != ST_OK) {
		strbuf_addf(out, "%s\n", d.message);
		return;
	}
	plan_text(&p, out);
	if (p.loose != 0)
		strbuf_addf(out, "%d loose\n", (int)p.loose);
	plan_release(&p);
}

static void plan_is(const char *name, struct trace *t, struct words w, const char *want)
{
	struct strbuf got = { 0 }, taped = { 0 };
	struct tape *tape = tape_new();
	struct trace *again = NULL;
	struct diag d = { 0 };
	struct event e;

	if (trace_again(t, &again, &d) != ST_OK)
		TAP_OK(false, "%s", d.message);
	while (trace_next(again, &e, &d) == ST_OK)
		tape_add(tape, &e);
	plan_of(t, NULL, &w, &got);
	TAP_STR(strbuf_str(&got), want, "%s", name);
	plan_of(again, tape, &w, &taped);
	TAP_STR(strbuf_str(&taped), want, "%s, from a tape", name);
	strbuf_release(&got);
	strbuf_release(&taped);
	tape_free(tape);
	trace_close(again);
	trace_close(t);
}

static void text_is(const char *name, const char *text, struct words w, const char *want)
{
	int fd;
	struct trace *t = trace_of(text, strlen(text), &fd);

	plan_is(name, t, w, want);
	close(fd);
}

/* Takes b.  version: of the format that the head says. */
static void built_by_is(uint32_t version, const char *name, struct builder *b, struct words w,
			const char *want)
{
	struct format_file head;
	struct strbuf file = { 0 };
	struct trace *t;
	size_t n;
	const uint8_t *bytes;
	int fd;

	builder_finish(b, 0);
	bytes = builder_bytes(b, &n);
	memcpy(&head, bytes, sizeof(head));
	head.version = version;
	strbuf_add(&file, &head, sizeof(head));
	strbuf_add(&file, bytes + sizeof(head), n - sizeof(head));
	t = trace_of(strbuf_str(&file), n, &fd);
	plan_is(name, t, w, want);
	close(fd);
	strbuf_release(&file);
	builder_free(b);
}

static void built_is(const char *name, struct builder *b, struct words w, const char *want)
{
	built_by_is(FORMAT_VERSION, name, b, w, want);
}

/* ---- accesses ---- */

static void test_accesses(void)
{
	text_is("a race needs its two steps",
		"#fmt 1\nT1|fork(T2)|1\nT1|acq(m)|2\nT1|w(x)|3\nT1|rel(m)|4\nT2|w(x)|5\n",
		(struct words){ FINDING_RACE, "1 2", "3 5", NULL, NULL },
		"T1 first: 2 events, 2 solid\n"
		"  3 w: solid, after 2, target\n"
		"T2 made by T1 0: 1 events, 0 solid\n"
		"  5 w: solid, after 0, target\n");
	text_is("targets at the end of the order are targets",
		"#fmt 1\nT1|fork(T2)|1\nT1|w(x)|2\nT2|r(x)|3\n",
		(struct words){ FINDING_RACE, "1 3 2", "2 3", NULL, NULL },
		"T1 first: 1 events, 1 solid\n"
		"  2 w: solid, after 1, target\n"
		"T2 made by T1 0: 1 events, 0 solid\n"
		"  3 r: read, after 0, no 1, target\n");
	text_is("reads after writes, writes after reads; what follows is no wait",
		"#fmt 1\nT1|fork(T2)|1\nT1|w(x)|2\nT2|r(x)|3\nT2|w(y)|4\nT1|r(y)|5\nT1|w(x)|6\n",
		(struct words){ FINDING_PROPERTY, "1-6", NULL, NULL, NULL },
		"T1 first: 4 events, 3 solid\n"
		"  2 w: solid, after 1\n"
		"  5 r: read, after 2, no 1\n"
		"    after T2 did 4\n"
		"T2 made by T1 0: 2 events, 1 solid\n"
		"  3 r: read, after 0, no 1\n"
		"    after T1 did 2\n"
		"  4 w: solid, after 0\n");
	text_is("forks and joins order by themselves",
		"#fmt 1\nT1|w(x)|1\nT1|fork(T2)|2\nT2|w(x)|3\nT1|join(T2)|4\nT1|w(x)|5\n",
		(struct words){ FINDING_PROPERTY, "1-5", NULL, NULL, NULL },
		"T1 first: 4 events, 4 solid\n"
		"T2 made by T1 0: 1 events, 1 solid\n");
	text_is("memory that is allocated anew has no past",
		"#fmt 1\nT1|w(h)|1\nT1|free(h)|2\nT2|alloc(h)|3\nT2|w(h)|4\n",
		(struct words){ FINDING_PROPERTY, "1-4", NULL, NULL, NULL },
		"T1 first: 2 events, 1 solid, 1 after them\n"
		"T2 adopted 0: 2 events, 1 solid\n");
	text_is("a free waits like a write", "#fmt 1\nT1|w(h)|1\nT2|w(h+8)|2\nT2|free(h:16)|3\n",
		(struct words){ FINDING_PROPERTY, "1-3", NULL, NULL, NULL },
		"T1 first: 1 events, 1 solid\n"
		"  1 w: solid, after 0\n"
		"T2 adopted 0: 2 events, 1 solid, 1 after them\n"
		"  3 free: free, after 1, no 1\n"
		"    after T1 did 1\n");
}

static void test_reads(void)
{
	text_is("reads of one place are counted since the last solid event",
		"#fmt 1\nT1|w(a)|1\nT1|r(x)|2\nT1|r(y)|2\nT1|r(z)|2\nT2|w(z)|3\n",
		(struct words){ FINDING_RACE, "1-3", "4 5", NULL, NULL },
		"T1 first: 3 events, 1 solid\n"
		"  4 r: read, after 1, no 3, target\n"
		"T2 adopted 0: 1 events, 0 solid\n"
		"  5 w: solid, after 0, target\n");
	text_is("a read of a value seen before is not new, whoever has written it",
		"#fmt 1\nT1|r(x)=0|1\nT2|w(x)=0|2\nT1|r(x)=0|1\nT1|r(y)=0|1\nT2|w(y)=1|3\n",
		(struct words){ FINDING_RACE, "1-3", "4 5", NULL, NULL },
		"T1 first: 2 events, 0 solid\n"
		"  1 r: read, after 0, no 1\n"
		"  4 r: read, after 0, no 2, target\n"
		"    after T2 did 2\n"
		"T2 adopted 0: 1 events, 1 solid\n"
		"  2 w: solid, after 0\n"
		"    after T1 did 1\n"
		"  5 w: solid, after 1, target\n");
	text_is("a target that is not new in this order may be any repetition",
		"#fmt 1\nT1|r(x)=0|1\nT2|w(x)=1|2\nT1|r(x)=1|1\n",
		(struct words){ FINDING_RACE, "1", "2 3", NULL, NULL },
		"T1 first: 1 events, 0 solid\n"
		"  3 r: read, after 0, no 0, target\n"
		"T2 adopted 0: 1 events, 0 solid\n"
		"  2 w: solid, after 0, target\n");
	text_is("who writes waits until a repeated read is past",
		"#fmt 1\nT1|r(x)|1\nT1|r(y)|2\nT1|r(x)|1\nT1|w(z)|4\nT2|w(x)|5\n",
		(struct words){ FINDING_PROPERTY, "1-5", NULL, NULL, NULL },
		"T1 first: 4 events, 1 solid\n"
		"  1 r: read, after 0, no 1\n"
		"  4 w: solid, after 0\n"
		"T2 adopted 0: 1 events, 1 solid\n"
		"  5 w: solid, after 0\n"
		"    after T1 comes to 4\n");
	text_is("closing reads have no gate; the last one lasts until the thread stops",
		"#fmt 1\nT1|r(x)|1\nT1|r(x)!reread|1\nT2|w(x)|2\nT1|w(y)|3\n",
		(struct words){ FINDING_PROPERTY, "1-3", NULL, NULL, NULL },
		"T1 first: 2 events, 0 solid\n"
		"  1 r: read, after 0, no 1\n"
		"T2 adopted 0: 1 events, 1 solid\n"
		"  3 w: solid, after 0\n"
		"    after T1 has stopped\n");
	text_is("reads that go on beyond the part may be anywhere in it",
		"#fmt 1\nT1|r(x)|1\nT1|w(y)|2\nT1|w(z)|3\nT2|w(x)|4\nT1|w(y)|5\nT1|r(x)!reread|1\n"
		"T1|acq(m)|6\n",
		(struct words){ FINDING_PROPERTY, "1-4", NULL, NULL, NULL },
		"T1 first: 3 events, 2 solid\n"
		"  1 r: read, after 0, no 1\n"
		"T2 adopted 0: 1 events, 1 solid\n"
		"  4 w: solid, after 0\n"
		"    after T1 has stopped\n");
	text_is("... or only where they began, if the thread comes to a loop that waits for a change",
		"#fmt 1\nT1|r(x)|1\nT1|w(x)|2\nT1|r(x)|3\nT1|r(x)|3\nT1|r(x)|3\nT1|r(x)!reread|6\n"
		"T2|w(x)|7\nT2|w(x)|8\n",
		(struct words){ FINDING_RACE, "1-4 7", "5 8", NULL, NULL },
		"T1 first: 4 events, 1 solid\n"
		"  3 r: read, after 1, no 1\n"
		"  5 r: read, after 1, no 2, target\n"
		"T2 adopted 0: 1 events, 1 solid\n"
		"  7 w: solid, after 0\n"
		"    after T1 did 3\n"
		"  8 w: solid, after 1, target\n");
	text_is("nobody waits for the end of a loop that waits for him",
		"#fmt 1\nT1|r(x)=0|1\nT1|r(x)!reread|1\nT2|w(x)=1|2\nT1|r(x)=1|1\nT1|w(y)|4\n",
		(struct words){ FINDING_PROPERTY, "1-5", NULL, NULL, NULL },
		"T1 first: 4 events, 1 solid\n"
		"  1 r: read, after 0, no 1\n"
		"  4 r: read, after 0, no 2\n"
		"    after T2 did 3\n"
		"T2 adopted 0: 1 events, 1 solid\n"
		"  3 w: solid, after 0\n"
		"    after T1 did 1\n");
	text_is("a compare-exchange that fails is a step, the first time",
		"#fmt 1\nT1|r(x)!cas@seq_cst=1|1\nT1|r(x)!cas@seq_cst=1|1\nT1|w(y)|2\n",
		(struct words){ FINDING_PROPERTY, "1-3", NULL, NULL, NULL },
		"T1 first: 3 events, 1 solid\n"
		"  1 r: read, after 0, no 1\n");
	text_is("plain reads and atomic ones are not the same",
		"#fmt 1\nT1|r(x)|1\nT1|r(x)@relaxed|1\nT1|r(x)@acquire|1\nT1|r(x)@seq_cst|1\n"
		"T1|r(y)|1\nT2|w(y)|2\n",
		(struct words){ FINDING_RACE, "1-4", "5 6", NULL, NULL },
		"T1 first: 4 events, 0 solid\n"
		"  5 r: read, after 0, no 4, target\n"
		"T2 adopted 0: 1 events, 0 solid\n"
		"  6 w: solid, after 0, target\n");
	text_is("epochs end at synchronisation, at writes that release, and at unseen code",
		"#fmt 1\nT1|r(x)|1\nT1|w(a)|2\nT1|r(x)|1\nT1|user(u)|3\nT1|r(x)|1\nT1|aw(a)|4\n"
		"T1|r(x)|1\nT1|opaque()|5\nT1|r(x)|1\nT2|w(x)|6\n",
		(struct words){ FINDING_RACE, "1-8", "9 10", NULL, NULL },
		"T1 first: 8 events, 3 solid\n"
		"  9 r: read, after 3, no 2, target\n"
		"T2 adopted 0: 1 events, 0 solid\n"
		"  10 w: solid, after 0, target\n");
}

/* ---- synchronisation ---- */

static void test_locks(void)
{
	text_is("sections in another order than recorded",
		"#fmt 1\nT1|acq(m)|1\nT1|rel(m)|2\nT2|acq(m)|3\nT2|rel(m)|4\nT1|w(x)|5\nT2|w(x)|6\n",
		(struct words){ FINDING_RACE, "3 4 1 2", "5 6", NULL, NULL },
		"T1 first: 2 events, 2 solid\n"
		"  1 acq: solid, after 0\n"
		"    after T2 did 4\n"
		"  5 w: solid, after 2, target\n"
		"T2 adopted 0: 2 events, 2 solid\n"
		"  4 rel: solid, after 1\n"
		"  6 w: solid, after 2, target\n");
	text_is("readers do not wait for one another",
		"#fmt 1\nT1|racq(m)!rwlock|1\nT2|racq(m)!rwlock|2\nT1|rrel(m)!rwlock|3\n"
		"T2|rrel(m)!rwlock|4\nT3|acq(m)!rwlock!write|5\nT3|rel(m)!rwlock!write|6\n"
		"T1|racq(m)!rwlock|7\n",
		(struct words){ FINDING_PROPERTY, "1-7", NULL, NULL, NULL },
		"T1 first: 3 events, 3 solid\n"
		"  3 rrel: solid, after 1\n"
		"  7 racq: solid, after 2\n"
		"    after T3 did 6\n"
		"T2 adopted 0: 2 events, 2 solid\n"
		"  4 rrel: solid, after 1\n"
		"T3 adopted 1: 2 events, 2 solid\n"
		"  5 acq: solid, after 0\n"
		"    after T2 did 4\n"
		"    after T1 did 3\n"
		"  6 rel: solid, after 1\n");
	text_is("a try fails while the lock is held",
		"#fmt 1\nT1|acq(m)|1\nT2|tryfail(m)!try|2\nT2|w(y)|3\nT1|rel(m)|4\n",
		(struct words){ FINDING_PROPERTY, "1-4", NULL, NULL, NULL },
		"T1 first: 2 events, 2 solid\n"
		"  1 acq: solid, after 0\n"
		"  4 rel: solid, after 1\n"
		"    after T2 did 2\n"
		"T2 adopted 0: 2 events, 1 solid\n"
		"  2 tryfail: vain, after 0, no 1, fails\n"
		"    after T1 did 1\n");
	text_is("deadlocks: requests stand for the call that did not return",
		"#fmt 1\nT1|acq(a)|1\nT2|acq(b)|2\nT1|req(b)|3\nT2|req(a)|4\n",
		(struct words){ FINDING_DEADLOCK, "1 2", "3 4", NULL, NULL },
		"T1 first: 1 events, 1 solid\n"
		"  3 req: solid, after 1, target, request\n"
		"T2 adopted 0: 1 events, 1 solid\n"
		"  4 req: solid, after 1, target, request\n");
	text_is("a lock is made before it is used, and ends after it",
		"#fmt 1\nT1|lockinit(m)|1\nT2|acq(m)|2\nT2|rel(m)|3\nT1|lockdestroy(m)|4\n",
		(struct words){ FINDING_PROPERTY, "1-4", NULL, NULL, NULL },
		"T1 first: 2 events, 2 solid\n"
		"  1 lockinit: solid, after 0\n"
		"  4 lockdestroy: solid, after 1\n"
		"    after T2 did 3\n"
		"T2 adopted 0: 2 events, 2 solid\n"
		"  2 acq: solid, after 0\n"
		"    after T1 did 1\n"
		"  3 rel: solid, after 1\n");
}

static void test_waits(void)
{
	static const char wait[] = "#fmt 1\nT1|acq(m)|1\nT1|condreq(c)|2\nT1|rel(m)!wait|2\n"
				   "T1|park(c,m)|2\nT2|signal(c:1)|3\nT1|wake(c)<5|2\n"
				   "T1|acq(m)!wait|2\nT2|acq(m)|4\n";

	text_is("a wait ends after its signal", wait,
		(struct words){ FINDING_PROPERTY, "1-7", NULL, NULL, NULL },
		"T1 first: 6 events, 5 solid\n"
		"  4 park: solid, after 2\n"
		"  6 wake: solid, after 3\n"
		"    after T2 did 5\n"
		"T2 adopted 0: 1 events, 1 solid\n"
		"  5 signal: solid, after 0\n"
		"    after T1 did 4\n");
	text_is("a wait that has begun has begun: its park comes with its release", wait,
		(struct words){ FINDING_PROPERTY, "1-3", NULL, NULL, NULL },
		"T1 first: 4 events, 3 solid\n");
	text_is("a lost wakeup: the signal is in the order, the wait is next", wait,
		(struct words){ FINDING_LOST_WAKEUP, "5 1 2", "3 5", NULL, NULL },
		"T1 first: 2 events, 1 solid\n"
		"  3 rel: solid, after 1, target\n"
		"T2 adopted 0: 1 events, 1 solid\n");
	text_is("waits that end by the clock, or by themselves",
		"#fmt 1\nT1|acq(m)|1\nT1|rel(m)!wait|2\nT1|park(c,m)!try|2\nT1|wake(c)!timeout|2\n"
		"T1|acq(m)!wait|2\nT1|rel(m)!wait|3\nT1|park(c,m)|3\nT1|wake(c)|3\n",
		(struct words){ FINDING_PROPERTY, "1-8", NULL, NULL, NULL },
		"T1 first: 8 events, 8 solid\n"
		"  4 wake: solid, after 3, fails\n"
		"  8 wake: solid, after 7\n");
	text_is("semaphores: each after the other; one that fails finds nothing",
		"#fmt 1\nT1|semfail(s)|1\nT2|sempost(s)|2\nT1|semwait(s)|3\n",
		(struct words){ FINDING_PROPERTY, "1-3", NULL, NULL, NULL },
		"T1 first: 2 events, 1 solid\n"
		"  1 semfail: vain, after 0, no 1, fails\n"
		"  3 semwait: solid, after 0\n"
		"    after T2 did 2\n"
		"T2 adopted 0: 1 events, 1 solid\n"
		"  2 sempost: solid, after 0\n"
		"    after T1 did 1\n");
	text_is("a barrier orders by itself; one who was not in the round waits for it",
		"#fmt 1\nT1|barinit(b:2)|1\nT1|fork(T2)|2\nT1|fork(T3)|3\nT1|barin(b:1)|4\n"
		"T2|barin(b:1)|5\nT2|barout(b:1)|6\nT1|barout(b:1)|7\nT2|barin(b:2)|8\n"
		"T3|barin(b:2)|9\n",
		(struct words){ FINDING_PROPERTY, "1-9", NULL, NULL, NULL },
		"T1 first: 5 events, 5 solid\n"
		"  7 barout: solid, after 4\n"
		"T2 made by T1 0: 3 events, 3 solid\n"
		"T3 made by T1 1: 1 events, 1 solid\n"
		"  9 barin: solid, after 0\n"
		"    after T1 did 7\n");
	text_is("a routine that runs once",
		"#fmt 1\nT1|oncebegin(o)|1\nT1|onceend(o)|1\nT2|oncepass(o)|2\n",
		(struct words){ FINDING_PROPERTY, "1-3", NULL, NULL, NULL },
		"T1 first: 2 events, 2 solid\n"
		"  2 onceend: solid, after 1\n"
		"T2 adopted 0: 1 events, 1 solid\n"
		"  3 oncepass: solid, after 0\n"
		"    after T1 did 2\n");
}

/* ---- properties, threads, refusals ---- */

static void test_looks(void)
{
	text_is("what a property looks at comes one after the other, with its values",
		"#fmt 1\nT1|w(x)=1|1\nT2|w(y)=2|2\nT1|r(z)|3\nT1|w(x)=3|4\n",
		(struct words){ FINDING_PROPERTY, "2 1 3 4", "4", "2 1 4", NULL },
		"T1 first: 3 events, 2 solid\n"
		"  1 w: solid, after 0, value 1\n"
		"    after T2 did 2\n"
		"  4 w: solid, after 1, value 3\n"
		"T2 adopted 0: 1 events, 1 solid\n"
		"  2 w: solid, after 0, value 2\n");
}

static void test_paced(void)
{
	text_is("where somebody wants to stop: one after the other, but not at what may not come again",
		"#fmt 1\nT1|w(x)=1|1\nT2|w(y)=2|2\nT1|r(z)|3\nT1|w(x)=3|4\nT2|w(u)|5\nT1|w(u)|6\n",
		(struct words){ FINDING_RACE, "2 1 3 4", "5 6", NULL, "2 1 3 4 5" },
		"T1 first: 3 events, 2 solid\n"
		"  1 w: solid, after 0, number 2\n"
		"    after T2 did 2\n"
		"  4 w: solid, after 1, number 3\n"
		"  6 w: solid, after 2, target\n"
		"T2 adopted 0: 1 events, 1 solid\n"
		"  2 w: solid, after 0, number 1\n"
		"  5 w: solid, after 1, target\n");
}

#define WORD 0x5000u

/* One thread reads a word at two sites, another one writes it. */
static struct builder *two_places(void)
{
	struct builder *b = builder_new(0);

	builder_string(b, 1, "places.c");
	for (uint32_t site = 1; site <= 2; site++)
		builder_site(b, site, 1, 0, 0, site);
	builder_read(b, 1, 1, WORD, 8, &INIT, 0, 0);
	builder_read(b, 1, 2, WORD, 8, &INIT, 0, 0);
	builder_write(b, 2, 1, WORD, 8, &INIT, 1, 0, NULL, 0);
	return b;
}

static void test_places(void)
{
	struct words race = { FINDING_RACE, "1", "2 3", NULL, NULL };

	built_is("a read at another place is new", two_places(), race,
		 "T1 first: 1 events, 0 solid\n"
		 "  2 r: read, after 0, no 1, target\n"
		 "T2 adopted 0: 1 events, 0 solid\n"
		 "  3 w: solid, after 0, target\n");
	built_by_is(FORMAT_PLACES_SINCE - 1,
		    "before version 7 it was left out if it said nothing new: it is not counted",
		    two_places(), race,
		    "T1 first: 1 events, 0 solid\n"
		    "  2 r: read, after 0, no 0, target\n"
		    "T2 adopted 0: 1 events, 0 solid\n"
		    "  3 w: solid, after 0, target\n");
	text_is("places are of what was seen last: behind a change each is new once more",
		"#fmt 1\nT1|r(x)=0|1\nT1|r(x)=0|2\nT2|w(x)=1|3\nT1|r(x)=1|1\nT1|r(x)=1|2\nT1|r(x)=1|2\nT1|w(y)|4\n",
		(struct words){ FINDING_PROPERTY, "1-7", NULL, NULL, NULL },
		"T1 first: 6 events, 1 solid\n"
		"  2 r: read, after 0, no 1\n"
		"  4 r: read, after 0, no 2\n"
		"    after T2 did 3\n"
		"T2 adopted 0: 1 events, 1 solid\n"
		"  3 w: solid, after 0\n"
		"    after T1 did 2\n");
}

static void test_unsure(void)
{
	text_is("a target whose own thread has written something there: new or not",
		"#fmt 1\nT1|r(x)=0|1\nT1|w(x)|2\nT1|r(x)=0|1\nT2|w(x)=1|3\n",
		(struct words){ FINDING_RACE, "1 2", "3 4", NULL, NULL },
		"T1 first: 2 events, 1 solid\n"
		"  3 r: read, after 1, no 0, target\n"
		"T2 adopted 0: 1 events, 0 solid\n"
		"  4 w: solid, after 0, target\n");
}

static void test_threads(void)
{
	text_is("threads are known by who made them, and as the how-manyeth",
		"#fmt 1\nT1|fork(T2)|1\nT1|fork(T3)|2\nT1|forkfail(T3)|2\nT1|fork(T4)|3\n"
		"T2|threadbegin()|4\nT2|fork(T5)|5\nT5|w(x)|6\nT4|threadbegin()|7\nT4|threadend()|8\n"
		"T6|w(x)|9\nT7|w(y)|10\n",
		(struct words){ FINDING_RACE, "1-6 8 9 11", "7 10", NULL, NULL },
		"T1 first: 4 events, 4 solid\n"
		"T2 made by T1 0: 2 events, 1 solid\n"
		"T4 made by T1 2: 2 events, 0 solid, ends\n"
		"T5 made by T2 0: 1 events, 0 solid\n"
		"  7 w: solid, after 0, target\n"
		"T6 adopted 0: 1 events, 0 solid\n"
		"  10 w: solid, after 0, target\n"
		"T7 adopted 1: 1 events, 1 solid\n");
	text_is("a thread that is made and not in the order stays where it is",
		"#fmt 1\nT1|fork(T2)|1\nT1|w(x)|2\nT2|w(x)|3\n",
		(struct words){ FINDING_PROPERTY, "1 2", NULL, NULL, NULL },
		"T1 first: 2 events, 2 solid\n"
		"T2 made by T1 0: 0 events, 0 solid\n");
}

static void test_refused(void)
{
	static const char text[] = "#fmt 1\nT1|fork(T2)|1\nT1|w(x)|2\nT2|w(x)|3\nT1|use()|4\n";
	struct diag d = { 0 };
	struct trace *t;
	int fd;

	text_is("an event twice", text,
		(struct words){ FINDING_PROPERTY, "1 2 1", NULL, NULL, NULL },
		"event 1 comes twice in the order\n");
	text_is("no such event", text,
		(struct words){ FINDING_PROPERTY, "1 2 3 9", NULL, NULL, NULL },
		"the trace has no event 9\n");
	text_is("a gap", text, (struct words){ FINDING_PROPERTY, "1 4", NULL, NULL, NULL },
		"event 4 is in the order, and one of its thread before it is not\n");
	text_is("a thread that nobody makes", text,
		(struct words){ FINDING_PROPERTY, "3", NULL, NULL, NULL },
		"event 3 is in the order, and the making of its thread is not\n");
	text_is("a target without a gate", text,
		(struct words){ FINDING_RACE, "1 2", "3 4", NULL, NULL },
		"event 4 (use) cannot be stopped at\n");
	t = trace_of(text, strlen(text), &fd);
	TAP_EQ(plan_suits(t, &d), ST_BAD_INPUT, "text has no program");
	TAP_OK(strstr(d.message, "text") != NULL, "and that is said");
	trace_close(t);
	close(fd);
}

/* ---- ranges ---- */

#define AT 0x10000u

/* A ranged write by T1, of words whose versions are of these threads (0: the start). */
static void wrote(struct builder *b, uint64_t addr, unsigned words, const struct version *refs)
{
	uint8_t bytes[64] = { 0 };

	builder_range(b, 1, true, 0, 7, addr, 8 * words, refs, bytes);
}

/* A part of a copy by T1, of memory as it was at the start. */
static void copied(struct builder *b, uint64_t to, uint64_t from, uint64_t len)
{
	const struct version refs[64] = { { 0 } };
	uint8_t bytes[512] = { 0 };

	builder_range(b, 1, false, 0, 7, from, len, refs, bytes);
	builder_range(b, 1, true, 0, 7, to, len, refs, bytes);
}

static void test_ranges(void)
{
	const struct version none[8] = { { 0 } };
	struct builder *b = builder_new(0);

	wrote(b, AT, 2, none);
	wrote(b, AT + 16, 2, none);
	builder_write(b, 1, 1, AT + 64, 8, &INIT, 1, 0, NULL, 0);
	builder_write(b, 2, 1, AT + 16, 8, &(struct version){ 1, 3 }, 1, 0, NULL, 0);
	built_is("two calls are two, even side by side", b,
		 (struct words){ FINDING_RACE, "1", "2 4", NULL, NULL },
		 "T1 first: 1 events, 0 solid, 1 after them\n"
		 "  2 w: range, after 0, no 2, target\n"
		 "T2 adopted 0: 1 events, 0 solid\n"
		 "  4 w: solid, after 0, target\n");

	/* Threads 2 and 18 share a slot. */
	b = builder_new(0);
	builder_write(b, 2, 1, AT, 8, &INIT, 1, 0, NULL, 0);
	builder_write(b, 18, 1, AT + 8, 8, &INIT, 1, 0, NULL, 0);
	wrote(b, AT, 1, &(struct version){ 2, 1 });
	wrote(b, AT + 8, 1, &(struct version){ 18, 1 });
	built_is("a call is cut where two threads cannot be named together", b,
		 (struct words){ FINDING_PROPERTY, "1-4", NULL, NULL, NULL },
		 "T1 first: 2 events, 0 solid, 1 after them\n"
		 "  3 w: range, after 0, no 1\n"
		 "    after T2 did 1\n"
		 "    after T18 did 2\n"
		 "T2 adopted 0: 1 events, 1 solid\n"
		 "  1 w: solid, after 0\n"
		 "T18 adopted 1: 1 events, 1 solid\n"
		 "  2 w: solid, after 0\n");

	b = builder_new(0);
	copied(b, AT + 0x2000, AT, 512);
	copied(b, AT + 0x2000 + 512, AT + 512, 512);
	copied(b, AT + 0x2000 + 1024, AT + 1024, 8);
	copied(b, AT + 0x2000 + 1032, AT + 1032, 8);
	copied(b, AT + 0x4000 + 512, AT + 512, 8);
	copied(b, AT + 0x4000, AT, 512);
	builder_write(b, 2, 1, AT + 0x4000, 8, &(struct version){ 1, 327 }, 1, 0, NULL, 0);
	built_is("copies, large ones in parts, upwards and downwards", b,
		 (struct words){ FINDING_RACE, "1-11", "12 13", NULL, NULL },
		 "T1 first: 11 events, 0 solid, 5 after them\n"
		 "  12 w: range, after 0, no 6, target\n"
		 "T2 adopted 0: 1 events, 0 solid\n"
		 "  13 w: solid, after 0, target\n");

	b = builder_new(0);
	copied(b, AT + 64, AT, 16);
	builder_write(b, 2, 1, AT, 8, &INIT, 1, 0, NULL, 0);
	built_is("a copy has read when it has written", b,
		 (struct words){ FINDING_PROPERTY, "1-3", NULL, NULL, NULL },
		 "T1 first: 2 events, 0 solid, 2 after them\n"
		 "  2 w: range, after 0, no 2\n"
		 "T2 adopted 0: 1 events, 1 solid\n"
		 "  3 w: solid, after 0\n"
		 "    after T1 did 2\n");

	b = builder_new(0);
	builder_range(b, 1, false, 0, 7, AT, 16, none, &none);
	builder_write(b, 1, 1, AT + 64, 8, &INIT, 1, 0, NULL, 0);
	builder_write(b, 2, 1, AT, 8, &INIT, 1, 0, NULL, 0);
	built_is("a range may be read once more behind its hook", b,
		 (struct words){ FINDING_PROPERTY, "1-3", NULL, NULL, NULL },
		 "T1 first: 2 events, 1 solid\n"
		 "  1 r: range, after 0, no 1\n"
		 "  2 w: solid, after 0\n"
		 "T2 adopted 0: 1 events, 1 solid\n"
		 "  3 w: solid, after 0\n"
		 "    after T1 comes to 2\n");

	/* T2 sees the first word written, and writes the second before that is. */
	b = builder_new(0);
	wrote(b, AT, 2, (const struct version[]){ { 0, 0 }, { 2, 2 } });
	builder_read(b, 2, 1, AT, 8, &(struct version){ 1, 1 }, 0, 0);
	builder_write(b, 2, 1, AT + 8, 8, &INIT, 1, 0, NULL, 0);
	built_is("nobody can come into the middle of a call", b,
		 (struct words){ FINDING_PROPERTY, "1-4", NULL, NULL, NULL },
		 "T1 first: 2 events, 0 solid, 1 after them\n"
		 "  1 w: range, after 0, no 1\n"
		 "T2 adopted 0: 2 events, 1 solid\n"
		 "  2 r: read, after 0, no 1\n"
		 "    after T1 did 1\n"
		 "1 loose\n");
}

int main(void)
{
	test_accesses();
	test_reads();
	test_places();
	test_locks();
	test_waits();
	test_looks();
	test_paced();
	test_unsure();
	test_threads();
	test_refused();
	test_ranges();
	return tap_done();
}
