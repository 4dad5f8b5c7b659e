/*
 * The text about threads that wait for one another, word by word, from findings made by hand.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "finding/finding.h"
#include "report/cycle.h"
#include "report/ending.h"
#include "report/report.h"
#include "report/words.h"
#include "tap.h"
#include "trace/trace.h"
#include "witness_text.h"

struct made {
	struct case_trace t;
	struct findings findings;
};

/* A finding with these targets; with an order it is predicted. */
static void make(struct made *m, const char *text, enum finding_kind kind, const char *targets,
		 const char *order)
{
	uint64_t at[FINDING_EVENTS], tail[1000];
	struct finding *f;
	size_t n;

	memset(m, 0, sizeof(*m));
	case_open(&m->t, text, NULL);
	f = findings_add(&m->findings, kind, &engine_deadlocks);
	n = case_numbers(targets, at, FINDING_EVENTS);
	for (size_t i = 0; i < n; i++)
		finding_add_event(f, at[i], (uint32_t)i + 1, 0);
	n = order ? case_numbers(order, tail, 1000) : 0;
	for (size_t i = 0; i < n; i++)
		*VEC_PUSH(&f->schedule.tail) = tail[i];
	f->id = 1;
	f->claimed = f->certified = order != NULL;
	f->status = order ? FINDING_PREDICTED : FINDING_WARNING;
	if (!order)
		f->why = "for a reason";
}

static void made_release(struct made *m)
{
	findings_release(&m->findings);
	case_close(&m->t);
}

static char *explain(const struct made *m)
{
	struct report_analysis analysis = { .engine = &engine_deadlocks,
					    .findings = 1,
					    .complete = true };
	struct ending ending = { 0 };
	struct report r = {
		.path = "t.std",
		.ending = &ending,
		.trace = m->t.trace,
		.evidence = m->t.ev,
		.events = evidence_count(m->t.ev),
		.threads = 2,
		.analyses = &analysis,
		.nanalyses = 1,
		.findings = &m->findings,
	};
	struct explain_options how = { .width = 80 };
	char *out;
	size_t n;
	FILE *to = open_memstream(&out, &n);

	explain_print(&r, &how, to);
	ending_release(&ending);
	fclose(to);
	return out;
}

static void expect(const char *text, enum finding_kind kind, const char *targets, const char *order,
		   const char *want, const char *name)
{
	struct made m;
	char *got;

	make(&m, text, kind, targets, order);
	got = explain(&m);
	TAP_STR(got, want, "%s", name);
	free(got);
	made_release(&m);
}

static void test_two(void)
{
	static const char text[] = "T1|acq(g)|f.c:8:one\n"
				   "T1|acq(a)|f.c:10:one\n"
				   "T1|acq(b)|f.c:12:one\n"
				   "T1|rel(b)|f.c:13:one\n"
				   "T1|rel(a)|f.c:14:one\n"
				   "T1|rel(g)|f.c:15:one\n"
				   "T2|acq(b)|f.c:20:two\n"
				   "T2|acq(a)|f.c:22:two\n"
				   "T2|rel(a)|f.c:23:two\n"
				   "T2|rel(b)|f.c:24:two\n";

	expect(text, FINDING_DEADLOCK, "3 8", "1 2 7",
	       "1  deadlock of T1 and T2 on b, a                            predicted, certified\n"
	       "   T1  holds       a  f.c:10 in one\n"
	       "       also holds  g (:8)\n"
	       "       waits for   b  f.c:12 in one\n"
	       "   T2  holds       b  f.c:20 in two\n"
	       "       waits for   a  f.c:22 in two\n"
	       "\n"
	       "   The run that shows it (in the observed run T1 locked b before T2 did):\n"
	       "\n"
	       "       T1                   T2\n"
	       "    2  lock   a  :10\n"
	       "    7                       lock   b  :20\n"
	       "    3  lock   b  :12                         <- waits for T2\n"
	       "    8                       lock   a  :22    <- waits for T1\n"
	       "\n"
	       "   T1 holds g here (f.c:8); if T2 took g as well before b, this could not happen\n"
	       "\n"
	       "1 finding (1 deadlock).\n",
	       "two threads, two locks");
	expect(text, FINDING_DEADLOCK, "3 8", NULL,
	       "1  deadlock of T1 and T2 on b, a                            warning\n"
	       "   T1  holds       a  f.c:10 in one\n"
	       "       also holds  g (:8)\n"
	       "       waits for   b  f.c:12 in one\n"
	       "   T2  holds       b  f.c:20 in two\n"
	       "       waits for   a  f.c:22 in two\n"
	       "   T1 holds g here (f.c:8); if T2 took g as well before b, this could not happen\n"
	       "   only a warning: for a reason\n"
	       "\n"
	       "1 finding (1 deadlock; warning only).\n",
	       "a warning");
}

static void test_gate(void)
{
	expect("T1|acq(g)|f.c:8:one\n"
	       "T1|acq(a)|f.c:9:one\n"
	       "T1|rel(g)|f.c:10:one\n"
	       "T1|acq(b)|f.c:11:one\n"
	       "T1|rel(b)|f.c:12:one\n"
	       "T1|rel(a)|f.c:13:one\n"
	       "T2|acq(g)|f.c:20:two\n"
	       "T2|rel(g)|f.c:21:two\n"
	       "T2|acq(b)|f.c:22:two\n"
	       "T2|acq(a)|f.c:23:two\n"
	       "T2|rel(a)|f.c:24:two\n"
	       "T2|rel(b)|f.c:25:two\n",
	       FINDING_DEADLOCK, "4 10", "1 2 3 7 8 9",
	       "1  deadlock of T1 and T2 on b, a                            predicted, certified\n"
	       "   T1  holds      a  f.c:9 in one\n"
	       "       waits for  b  f.c:11 in one\n"
	       "   T2  holds      b  f.c:22 in two\n"
	       "       waits for  a  f.c:23 in two\n"
	       "\n"
	       "   The run that shows it (in the observed run T1 locked b before T2 did):\n"
	       "\n"
	       "        T1                   T2\n"
	       "     1  lock   g  :8\n"
	       "     2  lock   a  :9\n"
	       "     3  unlock g  :10\n"
	       "     7                       lock   g  :20\n"
	       "     8                       unlock g  :21\n"
	       "     9                       lock   b  :22\n"
	       "     4  lock   b  :11                         <- waits for T2\n"
	       "    10                       lock   a  :23    <- waits for T1\n"
	       "\n"
	       "   both take g shortly before (f.c:8); if they held it up to here, this could not happen\n"
	       "\n"
	       "1 finding (1 deadlock).\n",
	       "a gate that is left too early");
}

static void test_philosophers(void)
{
	struct strbuf text = { 0 }, targets = { 0 }, order = { 0 };

	for (int i = 0; i < 7; i++) {
		strbuf_addf(&text, "P%d|acq(fork%d)|p.c:10:eat\n", i, i);
		strbuf_addf(&text, "P%d|acq(fork%d)|p.c:11:eat\n", i, (i + 1) % 7);
		strbuf_addf(&text, "P%d|rel(fork%d)|p.c:12:eat\n", i, (i + 1) % 7);
		strbuf_addf(&text, "P%d|rel(fork%d)|p.c:13:eat\n", i, i);
		strbuf_addf(&order, "%d ", 4 * i + 1);
		strbuf_addf(&targets, "%d ", 4 * i + 2);
	}
	expect(text.at, FINDING_DEADLOCK, targets.at, order.at,
	       "1  deadlock of 7 threads on fork1, fork2, fork3, fork4 and 3 more  predicted, certified\n"
	       "   P0  holds      fork0  p.c:10 in eat\n"
	       "       waits for  fork1  p.c:11 in eat\n"
	       "   P1  holds      fork1  p.c:10 in eat\n"
	       "       waits for  fork2  p.c:11 in eat\n"
	       "   P2  holds      fork2  p.c:10 in eat\n"
	       "       waits for  fork3  p.c:11 in eat\n"
	       "   P3  holds      fork3  p.c:10 in eat\n"
	       "       waits for  fork4  p.c:11 in eat\n"
	       "   P4  holds      fork4  p.c:10 in eat\n"
	       "       waits for  fork5  p.c:11 in eat\n"
	       "   P5  holds      fork5  p.c:10 in eat\n"
	       "       waits for  fork6  p.c:11 in eat\n"
	       "   P6  holds      fork6  p.c:10 in eat\n"
	       "       waits for  fork0  p.c:11 in eat\n"
	       "\n"
	       "   The run that shows it (in the observed run P0 locked fork1 before P1 did):\n"
	       "\n"
	       "     1  P0  lock   fork0  :10\n"
	       "     5  P1  lock   fork1  :10\n"
	       "     9  P2  lock   fork2  :10\n"
	       "    13  P3  lock   fork3  :10\n"
	       "    17  P4  lock   fork4  :10\n"
	       "    21  P5  lock   fork5  :10\n"
	       "    25  P6  lock   fork6  :10\n"
	       "     2  P0  lock   fork1  :11    <- waits for P1\n"
	       "     6  P1  lock   fork2  :11    <- waits for P2\n"
	       "    10  P2  lock   fork3  :11    <- waits for P3\n"
	       "    14  P3  lock   fork4  :11    <- waits for P4\n"
	       "    18  P4  lock   fork5  :11    <- waits for P5\n"
	       "    22  P5  lock   fork6  :11    <- waits for P6\n"
	       "    26  P6  lock   fork0  :11    <- waits for P0\n"
	       "\n"
	       "   if all 7 took these locks in one common order, this could not happen\n"
	       "\n"
	       "1 finding (1 deadlock).\n",
	       "seven philosophers");
	strbuf_release(&text);
	strbuf_release(&targets);
	strbuf_release(&order);
}

/* One of them reads. */
static void test_three(void)
{
	expect("#fmt 1\n"
	       "A|racq(l)|f.c:1\n"
	       "A|acq(m)|f.c:2\n"
	       "A|rel(m)|f.c:3\n"
	       "A|rrel(l)|f.c:4\n"
	       "B|acq(m)|f.c:11\n"
	       "B|acq(n)|f.c:12\n"
	       "B|rel(n)|f.c:13\n"
	       "B|rel(m)|f.c:14\n"
	       "C|acq(n)|f.c:21\n"
	       "C|acq(l)|f.c:22\n"
	       "C|rel(l)|f.c:23\n"
	       "C|rel(n)|f.c:24\n",
	       FINDING_DEADLOCK, "2 6 10", "9 5 1",
	       "1  deadlock of A, B and C on m, n, l                        predicted, certified\n"
	       "   A  holds      l for reading  f.c:1\n"
	       "      waits for  m              f.c:2\n"
	       "   B  holds      m              f.c:11\n"
	       "      waits for  n              f.c:12\n"
	       "   C  holds      n              f.c:21\n"
	       "      waits for  l              f.c:22\n"
	       "\n"
	       "   The run that shows it (in the observed run A locked m before B did):\n"
	       "\n"
	       "     9  C  lock   n  :21\n"
	       "     5  B  lock   m  :11\n"
	       "     1  A  lock to read l  :1\n"
	       "     2  A  lock   m  :2    <- waits for B\n"
	       "     6  B  lock   n  :12    <- waits for C\n"
	       "    10  C  lock   l  :22    <- waits for A\n"
	       "\n"
	       "   if all 3 took these locks in one common order, this could not happen\n"
	       "\n"
	       "1 finding (1 deadlock).\n",
	       "three threads, one reads");
}

static void test_join(void)
{
	expect("T1|fork(T2)|f.c:1:main\n"
	       "T2|acq(m)|f.c:10:child\n"
	       "T2|rel(m)|f.c:11:child\n"
	       "T1|acq(m)|f.c:2:main\n"
	       "T1|join(T2)|f.c:3:main\n"
	       "T1|rel(m)|f.c:4:main\n",
	       FINDING_JOIN_HOLDING, "2 5", "1 4",
	       "1  deadlock of T2 and T1 on m and a join                    predicted, certified\n"
	       "   T2  waits for  m   f.c:10 in child\n"
	       "   T1  holds      m   f.c:2 in main\n"
	       "       joins      T2  f.c:3 in main\n"
	       "\n"
	       "   The run that shows it (in the observed run T2 locked m before T1 did):\n"
	       "\n"
	       "       T2                   T1\n"
	       "    1                       fork   T2  :1\n"
	       "    4                       lock   m  :2\n"
	       "    2  lock   m  :10                         <- waits for T1\n"
	       "    5                       join   T2  :3    <- waits for the end of T2\n"
	       "\n"
	       "   if T1 released m before it joins T2, this could not happen\n"
	       "\n"
	       "1 finding (1 join-holding-lock).\n",
	       "a join");
	expect("#fmt 1\n"
	       "T1|fork(T2)|f.c:1:main\n"
	       "T1|acq(m)|f.c:2:main\n"
	       "T2|req(m)|f.c:10:child\n"
	       "T1|joining(T2)|f.c:3:main\n",
	       FINDING_JOIN_HOLDING, "3 4", "1 2",
	       "1  deadlock of T2 and T1 on m and a join                    predicted, certified\n"
	       "   T2  waits for  m   f.c:10 in child\n"
	       "   T1  holds      m   f.c:2 in main\n"
	       "       joins      T2  f.c:3 in main\n"
	       "\n"
	       "   It happened in the recorded run: that ended there.\n"
	       "   How it came to that:\n"
	       "\n"
	       "       T2                   T1\n"
	       "    1                       fork   T2  :1\n"
	       "    2                       lock   m  :2\n"
	       "    3  lock   m  :10                         <- waits for T1\n"
	       "    4                       join   T2  :3    <- waits for the end of T2\n"
	       "\n"
	       "   if T1 released m before it joins T2, this could not happen\n"
	       "\n"
	       "1 finding (1 join-holding-lock).\n",
	       "it happened");
}

static void test_wait(void)
{
	expect("#fmt 1\n"
	       "T2|acq(g)|f.c:10:waiter\n"
	       "T2|acq(m)|f.c:11:waiter\n"
	       "T2|rel(m)!wait|f.c:12:waiter\n"
	       "T2|park(c,m)|f.c:12:waiter\n"
	       "T1|acq(m)|f.c:30:other\n"
	       "T1|signal(c:1)|f.c:31:other\n"
	       "T1|rel(m)|f.c:32:other\n"
	       "T2|wake(c)<6|f.c:12:waiter\n"
	       "T2|acq(m)!wait|f.c:12:waiter\n"
	       "T2|rel(m)|f.c:13:waiter\n"
	       "T2|rel(g)|f.c:14:waiter\n"
	       "T1|acq(g)|f.c:33:other\n"
	       "T1|signal(c:0)|f.c:34:other\n"
	       "T1|rel(g)|f.c:35:other\n",
	       FINDING_WAIT_HOLDING, "3 12", "5 6 7 1 2",
	       "1  deadlock of T2 and T1 on g and a wait on c               predicted, certified\n"
	       "   T2  holds         g  f.c:10 in waiter\n"
	       "       waits on      c  f.c:12 in waiter\n"
	       "   T1  waits for     g  f.c:33 in other\n"
	       "       then signals  c  f.c:34 in other\n"
	       "\n"
	       "   The run that shows it (in the observed run T2 was woken before T1 locked g):\n"
	       "\n"
	       "        T2                    T1\n"
	       "     5                        lock   m  :30\n"
	       "     6                        signal c  :31\n"
	       "     7                        unlock m  :32\n"
	       "     1  lock   g  :10\n"
	       "     2  lock   m  :11\n"
	       "     3  wait on c  :12                         <- waits for a signal of T1\n"
	       "    12                        lock   g  :33    <- waits for T2\n"
	       "\n"
	       "   a wait gives up its own mutex alone; if T2 released g before, this could not happen\n"
	       "\n"
	       "1 finding (1 wait-holding-lock).\n",
	       "a wait with a lock held");
	expect("#fmt 1\n"
	       "T2|acq(m)|f.c:11:waiter\n"
	       "T2|rel(m)!wait|f.c:12:waiter\n"
	       "T2|park(c,m)|f.c:12:waiter\n"
	       "T1|signal(c:1)|f.c:31:other\n"
	       "T2|wake(c)<4|f.c:12:waiter\n"
	       "T2|acq(m)!wait|f.c:12:waiter\n"
	       "T2|rel(m)|f.c:13:waiter\n",
	       FINDING_LOST_WAKEUP, "2 4", "4 1",
	       "1  lost wakeup of T2 on c                                   predicted, certified\n"
	       "   T1  signals   c  f.c:31 in other\n"
	       "   T2  waits on  c  f.c:12 in waiter\n"
	       "   the signal comes when nobody waits, and T2 then waits for ever\n"
	       "\n"
	       "   The run that shows it (in the observed run T2 waited already when T1 signalled):\n"
	       "\n"
	       "       T1                   T2\n"
	       "    4  signal c  :31\n"
	       "    2                       wait on c  :12\n"
	       "       <- waits for a signal that has gone\n"
	       "\n"
	       "   what T2 waits for must be tested right before, and changed, with m held\n"
	       "\n"
	       "1 finding (1 lost-wakeup).\n",
	       "a lost wakeup");
	expect("#fmt 1\n"
	       "T1|signal(c:0)|f.c:31:other\n"
	       "T2|acq(m)|f.c:11:waiter\n"
	       "T2|rel(m)!wait|f.c:12:waiter\n"
	       "T2|park(c,m)|f.c:12:waiter\n",
	       FINDING_LOST_WAKEUP, "1 3", "1 2",
	       "1  lost wakeup of T2 on c                                   predicted, certified\n"
	       "   T1  signals   c  f.c:31 in other\n"
	       "   T2  waits on  c  f.c:12 in waiter\n"
	       "   the signal comes when nobody waits, and T2 then waits for ever\n"
	       "\n"
	       "   It happened in the recorded run: that ended there.\n"
	       "   How it came to that:\n"
	       "\n"
	       "       T1                   T2\n"
	       "    1  signal c  :31\n"
	       "    3                       wait on c  :12\n"
	       "       <- waits for a signal that has gone\n"
	       "\n"
	       "   what T2 waits for must be tested right before, and changed, with m held\n"
	       "\n"
	       "1 finding (1 lost-wakeup).\n",
	       "a lost wakeup that happened");
}

/* A thread that asks for what it holds. */
static void test_self(void)
{
	expect("#fmt 1\n"
	       "T1|acq(g)|f.c:8:one\n"
	       "T1|acq(a)|f.c:10:one\n"
	       "T1|req(a)|f.c:12:two\n",
	       FINDING_DEADLOCK, "3", "1 2",
	       "1  deadlock of T1 with itself on a                          predicted, certified\n"
	       "   T1  holds       a  f.c:10 in one\n"
	       "       also holds  g (:8)\n"
	       "       waits for   a  f.c:12 in two\n"
	       "\n"
	       "   It happened in the recorded run: that ended there.\n"
	       "   How it came to that:\n"
	       "\n"
	       "       T1\n"
	       "    2  lock   a  :10\n"
	       "    3  lock   a  :12    <- waits for itself\n"
	       "\n"
	       "   a is not recursive; if T1 released it before, this could not happen\n"
	       "\n"
	       "1 finding (1 deadlock).\n",
	       "a thread alone");
	expect("#fmt 1\n"
	       "T1|racq(a)|f.c:10:one\n"
	       "T1|req(a)|f.c:12:two\n",
	       FINDING_DEADLOCK, "2", NULL,
	       "1  deadlock of T1 with itself on a                          warning\n"
	       "   T1  holds      a for reading  f.c:10 in one\n"
	       "       waits for  a              f.c:12 in two\n"
	       "\n"
	       "   It happened in the recorded run: that ended there.\n"
	       "   a does not turn from reading to writing; if T1 released it before, this could not"
	       " happen\n"
	       "   only a warning: for a reason\n"
	       "\n"
	       "1 finding (1 deadlock; warning only).\n",
	       "read, then written: a warning");
}

/* Threads 0 .. n-1 hold lock 0 .. n-1; thread t asks for lock wants[t]. */
static void cycle_text(const uint32_t *wants, uint32_t n, struct strbuf *text,
		       struct strbuf *targets)
{
	strbuf_clear(text);
	strbuf_clear(targets);
	strbuf_adds(text, "#fmt 1\n");
	for (uint32_t t = 0; t < n; t++)
		strbuf_addf(text, "P%u|acq(l%u)|1\n", t, t);
	for (uint32_t t = 0; t < n; t++) {
		strbuf_addf(text, "P%u|req(l%u)|2\n", t, wants[t]);
		strbuf_addf(targets, "%u ", n + t + 1);
	}
}

static bool is_right(const struct cycle *c, const uint32_t *wants)
{
	uint32_t n = c->n;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t here = (uint32_t)(c->at[i].request.pos - n - 1);
		uint32_t next = (uint32_t)(c->at[(i + 1) % n].request.pos - n - 1);

		if (wants[here] != next || c->at[i].held != next + 1)
			return false;
	}
	return c->at[0].request.pos == n + 1;
}

/* Circles of two to sixty-four in any order; and what is no circle through all. */
static void test_cycles(void)
{
	struct strbuf text = { 0 }, targets = { 0 };
	uint32_t ring[FINDING_EVENTS], wants[FINDING_EVENTS], wrong = 0, open = 0;

	srand(6002);
	for (int round = 0; round < 300; round++) {
		uint32_t n = 2 + (uint32_t)rand() % (FINDING_EVENTS - 1);
		struct cycle c;
		struct made m;

		for (uint32_t i = 0; i < n; i++) {
			uint32_t k = (uint32_t)rand() % (i + 1);

			ring[i] = ring[k];
			ring[k] = i;
		}
		for (uint32_t i = 0; i < n; i++)
			wants[ring[i]] = ring[(i + 1) % n];
		if (round % 4 == 3) /* two ask for the same: somebody is asked for nothing */
			wants[ring[0]] = n > 2 ? ring[2] : ring[0];
		cycle_text(wants, n, &text, &targets);
		make(&m, text.at, FINDING_DEADLOCK, targets.at, NULL);
		cycle_find(m.t.ev, &m.findings.at.at[0], &c);
		if (c.closed)
			wrong += round % 4 == 3 || !is_right(&c, wants);
		else
			open++;
		made_release(&m);
	}
	TAP_EQ(wrong, 0, "circles are found, and nothing else");
	TAP_EQ(open, 75, "every fourth is none");
	strbuf_release(&text);
	strbuf_release(&targets);
}

int main(void)
{
	test_two();
	test_gate();
	test_three();
	test_philosophers();
	test_join();
	test_wait();
	test_self();
	test_cycles();
	return tap_done();
}
