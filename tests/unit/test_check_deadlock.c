/*
 * The checker on deadlocks and on waits that nobody ends, rule by rule: what keeps the rule is
 * certified, what breaks it is refused for that reason.  test_check_blocked.c holds the rules together
 * against their definitions.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/mem.h"
#include "finding/schedule.h"
#include "tap.h"
#include "trace/trace.h"
#include "trace_builder.h"
#include "witness_text.h"

/* want: NULL certified, "doubtful: PART" certified in doubt for that reason, else part of the reason. */
static void claim(enum finding_kind kind, const char *text, const char *order, const char *targets,
		  const char *want, const char *name)
{
	static const char doubtful[] = "doubtful: ";
	uint64_t at[64], target[16];
	struct check_claim c = { .kind = kind, .targets = target, .order = at };
	bool doubt = want && strncmp(want, doubtful, sizeof(doubtful) - 1) == 0;
	struct check_verdict v;
	struct case_trace t;
	bool good;

	case_open(&t, text, NULL);
	c.norder = case_numbers(order, at, 64);
	c.ntargets = (uint32_t)case_numbers(targets, target, 16);
	/* Twice: nothing of a claim may stay behind. */
	checker_run(t.checker, &c, &v);
	check_verdict_release(&v);
	checker_run(t.checker, &c, &v);
	if (doubt)
		good = v.certified && v.doubtful && v.doubt &&
		       strstr(v.what, want + sizeof(doubtful) - 1);
	else
		good = want ? !v.certified && strstr(v.what, want) : v.certified && !v.doubtful;
	if (!TAP_OK(good, "%s", name))
		printf("# certified %d, doubtful %d: %s\n", v.certified, v.doubtful, v.what);
	check_verdict_release(&v);
	case_close(&t);
}

static void deadlock(const char *text, const char *order, const char *targets, const char *want,
		     const char *name)
{
	claim(FINDING_DEADLOCK, text, order, targets, want, name);
}

static void joins(const char *text, const char *order, const char *targets, const char *want,
		  const char *name)
{
	claim(FINDING_JOIN_HOLDING, text, order, targets, want, name);
}

static void holding(const char *text, const char *order, const char *targets, const char *want,
		    const char *name)
{
	claim(FINDING_WAIT_HOLDING, text, order, targets, want, name);
}

static void lost(const char *text, const char *order, const char *targets, const char *want,
		 const char *name)
{
	claim(FINDING_LOST_WAKEUP, text, order, targets, want, name);
}

static void test_circles(void)
{
	static const char two[] = "A|acq(l)|1\nA|acq(m)|2\nA|rel(m)|3\nA|rel(l)|4\n"
				  "B|acq(m)|5\nB|acq(l)|6\nB|rel(l)|7\nB|rel(m)|8\n";
	static const char three[] = "A|acq(l)|1\nA|acq(m)|2\nA|rel(m)|3\nA|rel(l)|4\n"
				    "B|acq(m)|5\nB|acq(n)|6\nB|rel(n)|7\nB|rel(m)|8\n"
				    "C|acq(n)|9\nC|acq(l)|10\nC|rel(l)|11\nC|rel(n)|12\n";
	static const char gate[] = "A|acq(g)|1\nA|acq(l)|2\nA|acq(m)|3\nA|rel(m)|4\nA|rel(l)|5\n"
				   "A|rel(g)|6\nB|acq(g)|7\nB|acq(m)|8\nB|acq(l)|9\n";
	/* Two separate circles. */
	static const char pairs[] = "A|acq(l)|1\nA|acq(m)|2\nA|rel(m)|3\nA|rel(l)|4\n"
				    "B|acq(m)|5\nB|acq(l)|6\nB|rel(l)|7\nB|rel(m)|8\n"
				    "C|acq(n)|9\nC|acq(o)|10\nC|rel(o)|11\nC|rel(n)|12\n"
				    "D|acq(o)|13\nD|acq(n)|14\nD|rel(n)|15\nD|rel(o)|16\n";

	deadlock(two, "1 5", "2 6", NULL, "two locks crossed");
	deadlock(two, "5 1", "6 2", NULL, "whichever comes first");
	deadlock(two, "1", "2 6", "event 6 (B acq, line 6): is not the next event",
		 "one has not got there");
	deadlock(two, "1 2 3 4 5", "1 6", "is a target and in the order", "one is past it");
	deadlock(two, "", "1 5", "none of the other threads holds l here",
		 "acquires that hold nothing");
	deadlock(two, "1", "2 5", "none of the other threads holds m here",
		 "a lock that nobody holds");
	deadlock(two, "1 5 2 6", "2 6", "B holds m here",
		 "an order cannot go on to requests that are not granted");
	deadlock(two, "1 5", "2", "one thread waits for itself only where", "one target");
	deadlock("#fmt 1\nA|acq(l)|1\nA|req(l)|2\n", "1", "2", NULL, "one that waits for itself");
	deadlock("#fmt 1\nA|acq(l)|1\nA|req(m)|2\n", "1", "2", "none of the other threads holds m",
		 "one that waits for nobody");
	deadlock(two, "1 5", "2 6 2", "two targets are of one thread", "one of them twice");
	deadlock(two, "1 5", "2 6 9", "target 9 is not in the trace", "one that is not there");
	deadlock(two, "1 2", "3 5", "asks for no lock: no target of deadlock", "a release");
	deadlock(three, "1 5 9", "2 6 10", NULL, "three in a circle");
	deadlock(three, "9 1 5", "10 2 6", NULL, "named in any order");
	deadlock(three, "1 5 9", "2 6", "none of the other threads holds n here",
		 "two of them are no circle");
	deadlock(gate, "1 2", "3 8", "event 8 (B acq, line 8): is not the next event",
		 "a gate lock keeps it");
	deadlock(gate, "1 2 7", "3 8", "A holds g here", "from happening");
	deadlock(pairs, "1 5 9 13", "2 6 10 14", "in one circle", "two circles are two deadlocks");
	deadlock(pairs, "1 5 9 13", "10 14", NULL, "each for itself");
}

static void test_modes(void)
{
	static const char rw[] = "#fmt 1\nA|racq(l)!rwlock|1\nA|acq(m)|2\nA|rel(m)|3\n"
				 "A|rrel(l)!rwlock|4\nB|acq(m)|5\nB|acq(l)!write!rwlock|6\n"
				 "B|rel(l)!write!rwlock|7\nB|rel(m)|8\n"
				 "C|acq(m)|9\nC|racq(l)!rwlock|10\n";
	/* A waits for l, which B and C read; B for m, which C has; C for n, which A has. */
	static const char readers[] =
		"#fmt 1\nB|racq(l)!rwlock|1\nB|acq(m)|2\nB|rel(m)|3\nB|rrel(l)!rwlock|4\n"
		"C|racq(l)!rwlock|5\nC|acq(m)|6\nC|acq(n)|7\nC|rel(n)|8\nC|rel(m)|9\n"
		"C|rrel(l)!rwlock|10\nA|acq(n)|11\nA|acq(l)!write!rwlock|12\n";
	static const char tried[] = "#fmt 1\nA|acq(l)|1\nA|acq(m)!try|2\nA|rel(m)|3\nA|rel(l)|4\n"
				    "B|acq(m)!try|5\nB|acq(l)|6\nB|rel(l)|7\nB|rel(m)|8\n"
				    "C|acq(m)|9\nC|acq(l)|10\nC|rel(l)|11\nC|rel(m)|12\n"
				    "A|acq(l)|13\nA|acq(m)|14\n";
	static const char nests[] = "#fmt 1\nA|acq(l)|1\nA|acq(m)|2\nA|acq(l)|3\nA|rel(l)|4\n"
				    "A|rel(m)|5\nA|rel(l)|6\nB|acq(m)|7\nB|acq(l)|8\n";
	static const char made[] = "#fmt 1\nX|lockinit(m)|1\nA|acq(l)|2\nA|acq(m)|3\nA|rel(m)|4\n"
				   "A|rel(l)|5\nX|lockdestroy(m)|6\nX|lockinit(m)|7\nB|acq(m)|8\n"
				   "B|acq(l)|9\n";

	deadlock(rw, "1 5", "2 6", NULL, "a writer waits for a reader");
	deadlock(rw, "1 9", "2 10", "none of the other threads holds l here", "a reader does not");
	deadlock(readers, "1 5 6 11", "2 7 12", NULL, "which of two readers is in the circle");
	deadlock(readers, "1 5 6 11", "7 12", NULL, "the other one is a circle too");
	deadlock(tried, "1 9", "2 10", "cannot wait for ever", "a try does not wait");
	deadlock(tried, "5 1 2", "6 3", "B holds m here", "but holds what it got");
	deadlock(tried, "1 2 3 4 5 6 7 8 9 13", "10 14", NULL, "a lock after all the tries");
	deadlock(tried, "1 2 3 4 5 13", "6 14", NULL, "a lock that was got by trying");
	deadlock(nests, "1 2", "3 7", "its thread holds l itself here",
		 "a lock that is held again");
	deadlock(nests, "1 7", "2 8", NULL, "under it there is a deadlock");
	deadlock(made, "1 2 6 7 8", "3 9", "uses m after it was destroyed",
		 "a lock of an earlier life");
}

static void test_requests(void)
{
	static const char hung[] = "#fmt 1\nA|acq(l)|1\nB|acq(m)|2\nA|req(m)|3\nB|req(l)|4\n";
	static const char mixed[] = "#fmt 1\nA|acq(l)|1\nA|req(m)|2\nA|acq(m)|3\nA|rel(m)|4\n"
				    "A|rel(l)|5\nB|acq(m)|6\nC|acq(l)|7\nB|req(l)|8\n";
	static const char reads[] = "#fmt 1\nA|racq(l)!rwlock|1\nB|acq(m)|2\nA|req(m)|3\n"
				    "B|rreq(l)!rwlock|4\n";
	static const char timed[] = "#fmt 1\nA|acq(l)|1\nB|acq(m)|2\nA|req(m)|3\nB|req(l)!try|4\n";
	static const char hung_join[] = "#fmt 1\nA|fork(B)|1\nA|acq(l)|2\nB|w(x)|3\nB|req(l)|4\n"
					"A|joining(B)|5\n";

	deadlock(hung, "1 2", "3 4", NULL, "the recorded run hung");
	deadlock(hung, "1 2 3", "3 4", "is a target and in the order", "the requests are the end");
	deadlock(mixed, "1 6", "2 8", "was answered: event 3 of its thread follows",
		 "a request that was answered is not the one");
	deadlock(mixed, "1 2 6", "3 8", NULL, "the acquire after it is");
	deadlock(reads, "1 2", "3 4", "none of the other threads holds l here", "to read");
	deadlock(timed, "1 2", "3 4", "cannot wait for ever", "for a time");
	joins(hung_join, "1 2 3", "4 5", NULL, "hung in a join");
	deadlock(hung_join, "1 2 3", "4 5", "asks for no lock: no target of deadlock",
		 "which is another kind");
}

static void test_joins(void)
{
	static const char join[] = "A|fork(B)|1\nB|acq(l)|2\nB|rel(l)|3\nA|acq(l)|4\nA|join(B)|5\n";
	static const char chain[] = "A|fork(B)|1\nA|fork(C)|2\nC|acq(l)|3\nC|rel(l)|4\n"
				    "B|w(x)|5\nB|join(C)|6\nA|acq(l)|7\nA|join(B)|8\n";
	static const char timed[] =
		"#fmt 1\nA|fork(B)|1\nA|acq(l)|2\nB|req(l)|3\nA|joining(B)!try|4\n";

	joins(join, "1 4", "2 5", NULL, "a join with a lock that the child asks for");
	joins(join, "1 2 4", "3 5", "B holds l here", "not with the lock taken");
	joins(join, "1 2 3 4", "5 2", "is a target and in the order", "not after it");
	joins(join, "1 4", "5", "is of 2 to 64 events", "a join alone");
	deadlock(join, "1 4", "2 5", "asks for no lock", "not called a deadlock of locks");
	joins("A|acq(l)|1\nA|acq(m)|2\nA|rel(m)|3\nA|rel(l)|4\nB|acq(m)|5\nB|acq(l)|6\n", "1 5",
	      "2 6", "no target joins", "one of locks is not called this");
	joins(chain, "1 2 7 5", "3 6 8", NULL, "through another join");
	joins(chain, "1 2 7 5", "3 8", "joins B, of which there is no target",
	      "whose target must be named");
	joins(timed, "1 2", "3 4", "cannot wait for ever", "a join for a time");
	joins("#fmt 1\nA|fork(B)|1\nB|acq(l)|2\nB|rel(l)|3\nA|acq(l)|4\nA|join(B)!try|5\n", "1 4",
	      "2 5", "cannot wait for ever", "a join that tries");
}

/* B: lock m, wait c; A signals. */
#define WAIT "B|rel(m)!wait|5\nB|park(c,m)|6\n"
#define BACK "B|wake(c)<7|8\nB|acq(m)!wait|9\nB|rel(m)|10\n"

static void test_lost(void)
{
	static const char open[] =
		"#fmt 1\nA|w(y)|1\nA|w(y)|2\nB|r(x)|3\nB|acq(m)|4\n" WAIT "A|signal(c)|7\n" BACK;
	/* The flag is changed under the mutex, and tested under it. */
	static const char safe[] = "#fmt 1\nA|w(y)|1\nB|acq(m)|2\nB|r(x)|3\nB|w(z)|4\n" WAIT
				   "A|acq(m)|7\nA|w(x)|8\nA|signal(c)|9\nA|rel(m)|10\n"
				   "B|wake(c)<9|11\nB|acq(m)!wait|12\nB|r(x)|13\n";
	static const char timed[] = "#fmt 1\nA|w(y)|1\nA|w(y)|2\nB|r(x)|3\nB|acq(m)|4\n"
				    "B|rel(m)!wait|5\nB|park(c,m)!try|6\nA|signal(c)|7\n" BACK;
	static const char more[] = "#fmt 1\nA|w(y)|1\nA|w(y)|2\nB|r(x)|3\nB|acq(m)|4\n" WAIT
				   "A|signal(c)|7\n" BACK "C|signal(c)|11\nB|signal(c)|12\n"
				   "C|signal(d)|13\n";
	static const char waits[] =
		"#fmt 1\nD|acq(n)|1\nD|rel(n)!wait|2\nD|park(c,n)|3\nB|acq(m)|4\n" WAIT
		"A|broadcast(c)|7\n" BACK "D|wake(c)<7|11\n";

	lost(open, "1 2 7 3 4", "5 7", NULL, "the signal comes too early");
	lost(open, "1 2 7 3 4", "7 5", NULL, "named in any order");
	lost(open, "1 2 3 4", "5 7", "is the signal to be lost, and not in the order",
	     "the signal must have been");
	lost(open, "1 2 3 4 5", "5 7", "is a target and in the order", "the wait must not");
	lost(open, "1 2 7 3", "5 7", "is not the next event", "but be next");
	lost(open, "1 2 7 3 4", "5 1", "is no signal of the condition", "no signal");
	lost(open, "1 2 7 3", "4 7", "begins no condition wait", "no wait");
	lost(open, "1 2 7 3 4", "5 7 1", "lost-wakeup is of two events", "three targets");
	lost(safe, "1 7 8 9 10 2 3", "5 9", "sees the write of event 8", "a test that holds");
	lost(timed, "1 2 7 3 4", "5 7", "begins a wait that ends after a time", "a timed wait");
	lost(more, "1 2 7 3 4", "5 7", "doubtful: event 5 (B rel, line 5): another signal",
	     "another signal is left");
	lost(more, "1 2 7 3 4 11", "5 7", NULL, "or has gone as well");
	lost(waits, "7 4", "5 7", NULL, "others may wait on it later");
	lost(waits, "1 2 3 7 4", "5 7", "is not lost: D waits here", "but not at the time");
	lost(waits, "1 2 7 4", "5 7", "is not lost: D waits here",
	     "letting go and waiting are one");
	lost(waits, "1 7 4", "5 7", NULL, "about to wait is not waiting");
	lost("#fmt 1\nA|signal(c)|1\nB|acq(m)|2\nB|rel(m)!wait|3\nB|park(c,m)|4\n", "1 2", "1 3",
	     NULL, "it has happened");
	lost("#fmt 1\nB|signal(c)|1\nB|acq(m)|2\nB|rel(m)!wait|3\nB|park(c,m)|4\n", "1 2", "1 3",
	     "both targets are of one thread", "its own signal");
	lost("#fmt 1\nA|signal(c)|1\nB|acq(m)|2\nB|rel(m)!wait|3\n", "1 2", "1 3",
	     "no wait follows", "the trace ends before the wait");
	lost("#fmt 1\nA|signal(c)|1\nX|cancel(A)|2\nB|acq(m)|3\nB|rel(m)!wait|4\nB|park(c,m)|5\n",
	     "1 3", "1 4", "doubtful: A was cancelled", "with a cancelled thread");
}

static void test_holding(void)
{
	static const char text[] = "#fmt 1\nA|acq(g)|1\nA|signal(c)|2\nA|rel(g)|3\nB|acq(g)|4\n"
				   "B|acq(m)|5\nB|rel(m)!wait|6\nB|park(c,m)|7\n";
	static const char reads[] =
		"#fmt 1\nA|racq(g)!rwlock|1\nA|signal(c)|2\nA|rrel(g)!rwlock|3\n"
		"B|racq(g)!rwlock|4\nB|acq(m)|5\nB|rel(m)!wait|6\nB|park(c,m)|7\n";
	static const char mutex[] = "#fmt 1\nA|acq(m)|1\nA|signal(c)|2\nA|rel(m)|3\n"
				    "B|acq(m)|4\nB|rel(m)!wait|5\nB|park(c,m)|6\n";
	static const char tries[] =
		"#fmt 1\nA|acq(g)!try|1\nA|signal(c)|2\nA|rel(g)|3\nB|acq(g)|4\n"
		"B|acq(m)|5\nB|rel(m)!wait|6\nB|park(c,m)|7\n";
	static const char other[] = "#fmt 1\nA|acq(g)|1\nA|signal(c)|2\nA|rel(g)|3\nB|acq(g)|4\n"
				    "B|acq(m)|5\nB|rel(m)!wait|6\nB|park(c,m)|7\nC|signal(c)|8\n"
				    "C|acq(n)|9\n";
	static const char none[] = "#fmt 1\nA|signal(c)|1\nA|acq(g)|2\nA|signal(d)|3\nA|rel(g)|4\n"
				   "B|acq(g)|5\nB|acq(m)|6\nB|rel(m)!wait|7\nB|park(c,m)|8\n";

	holding(text, "4 5", "1 6", NULL, "who is to signal asks for the lock");
	holding(text, "4 5", "6 1", NULL, "named in any order");
	holding(text, "4 5", "2 6", "acquires no lock", "not at the signal");
	holding(text, "1 2 3 4 5", "6 1", "is a target and in the order", "not after it");
	holding(text, "4", "1 6", "is not the next event", "the wait must be next");
	holding(reads, "4 5", "1 6", "B does not hold g here so that it must wait",
		"both only read");
	holding(mutex, "4", "1 5", "asks for m, which the wait lets go of",
		"the mutex of the wait");
	holding(tries, "4 5", "1 6", "cannot wait for ever", "a try");
	holding(other, "4 5", "1 6", "doubtful: event 6 (B rel, line 6): another signal",
		"another thread may signal");
	holding(other, "4 5 8", "1 6", NULL, "or has");
	holding(other, "4 5 8", "9 6", "B does not hold n here", "a lock that is free");
	holding(none, "1 5 6", "2 7", "its thread sends no signal after it", "another condition");
}

/* Nested monitors: A has the mutex of the wait when it asks for g. */
static void test_asleep(void)
{
	static const char nested[] =
		"#fmt 1\nA|w(y)|1\nB|acq(g)|2\nB|acq(m)|3\nB|rel(m)!wait|4\nB|park(c,m)|5\n"
		"C|signal(c)|6\nB|wake(c)<6|7\nB|acq(m)!wait|8\nB|rel(m)|9\nB|rel(g)|10\n"
		"A|acq(m)|11\nA|acq(g)|12\nA|signal(c)|13\nA|rel(g)|14\nA|rel(m)|15\n"
		"C|signal(d)|16\n";
	static const char timed[] =
		"#fmt 1\nB|acq(g)|1\nB|acq(m)|2\nB|rel(m)!wait|3\nB|park(c,m)!try|4\nB|wake(c)|5\n"
		"B|acq(m)!wait|6\nB|rel(m)|7\nB|rel(g)|8\nA|acq(m)|9\nA|acq(g)|10\n"
		"A|signal(c)|11\n";
	static const char hung[] = "#fmt 1\nB|acq(g)|1\nB|acq(m)|2\nB|rel(m)!wait|3\n"
				   "B|park(c,m)|4\nA|acq(m)|5\nA|req(g)|6\n";
	static const char reads[] = "#fmt 1\nB|racq(g)!rwlock|1\nB|acq(m)|2\nB|rel(m)!wait|3\n"
				    "B|park(c,m)|4\nA|acq(m)|5\nA|rreq(g)!rwlock|6\n";
	static const char answered[] =
		"#fmt 1\nB|acq(g)|1\nB|acq(m)|2\nB|rel(m)!wait|3\nB|park(c,m)|4\nA|acq(m)|5\n"
		"A|req(g)|6\nC|signal(c)|7\nA|rel(m)|8\n";

	holding(nested, "1 6 2 3 4 5 11", "4 12", NULL, "who waits has let go of the mutex");
	holding(nested, "1 6 2 3 4 5 11 16", "4 12", NULL, "another condition's signal");
	holding(nested, "1 2 3 4 5 11", "4 12", "doubtful: event 4 (B rel, line 4): another signal",
		"a signal may still come");
	holding(nested, "1 2 3 4 5 6 11", "4 12",
		"event 6 (C signal, line 6): may end the wait that event 4 began",
		"one has come since");
	holding(nested, "1 2 3 4 6 5 11", "4 12", "may end the wait that event 4 began",
		"letting go and waiting are one");
	holding(nested, "1 6 2 3 4 11", "4 12", "is in the order, and event 5 is not",
		"begun by half");
	holding(nested, "1 2 3 4 5 6 7 11", "4 12", "begins a wait that is over",
		"it has woken up");
	holding(nested, "1 6 2 3 4 5 11", "4 11", "is a target and in the order",
		"the request must be next");
	holding(nested, "1 6 2 3 4 5", "4 11", "asks for m, which the wait lets go of",
		"the mutex is to be had");
	holding(timed, "1 2 3 4 9", "3 10", "begins a wait that ends after a time",
		"a wait for a time");
	lost(nested, "1 6 2 3 4 5", "4 6", "is a target and in the order",
	     "a lost wakeup is about a wait to come");
	holding(hung, "1 2 3 4 5", "3 6", NULL, "the recorded run hung");
	holding(reads, "1 2 3 4 5", "3 6", "B does not hold g here", "to read what is read");
	holding(answered, "1 2 3 4 5", "3 6", "was answered: event 8",
		"a request that was answered is not the one");
}

/* Evidence of a part of the trace. */
static void part(enum finding_kind kind, const char *text, uint64_t upto, const char *order,
		 const char *targets, const char *want, const char *name)
{
	struct evidence_options opt = { .upto = upto };
	uint64_t at[16], target[8];
	struct check_claim c = { .kind = kind, .targets = target, .order = at };
	struct check_verdict v;
	struct case_trace t;

	case_open(&t, text, &opt);
	c.norder = case_numbers(order, at, 16);
	c.ntargets = (uint32_t)case_numbers(targets, target, 8);
	checker_run(t.checker, &c, &v);
	if (!TAP_OK(want ? !v.certified && strstr(v.what, want) : v.certified, "%s", name))
		printf("# certified %d: %s\n", v.certified, v.what);
	check_verdict_release(&v);
	case_close(&t);
}

static void test_parts(void)
{
	static const char text[] = "#fmt 1\nA|acq(l)|1\nB|acq(m)|2\nA|req(m)|3\nB|req(l)|4\n"
				   "C|acq(n)|5\nC|rel(n)|6\n";
	static const char answered[] =
		"#fmt 1\nA|acq(l)|1\nB|acq(m)|2\nA|req(m)|3\nB|req(l)!try|4\n"
		"B|tryfail(l)|5\nB|req(l)|6\nC|acq(n)|7\nB|w(x)|8\n";
	static const char lost_one[] =
		"#fmt 1\nA|signal(c)|1\nB|acq(m)|2\nB|rel(m)!wait|3\nB|park(c,m)|4\n"
		"C|signal(c)|5\n";

	part(FINDING_DEADLOCK, text, 4, "1 2", "3 4", NULL, "what others do later does not matter");
	part(FINDING_DEADLOCK, answered, 6, "1 2 4 5", "3 6", "was answered: its thread goes on",
	     "a request that was answered beyond the part");
	part(FINDING_LOST_WAKEUP, lost_one, 4, "1 2", "1 3", "signals may come after the part",
	     "signals beyond the part are not known");
}

/* ---- recordings that were cut off ---- */

#define COND 0x1000
#define MUTEX 0x2000

/* T1 signals, T2 waits, T3 does something; killed: nobody has ended but T3, or not even that. */
static void recording(bool killed, bool ended, const char *path)
{
	struct builder *b = builder_new(0);
	struct version start = { 0 }, m = { 2, 0 }, c = { 1, 0 };
	const uint8_t *bytes;
	size_t n;

	c.tseq = builder_sync(b, 1, FORMAT_K_SIGNAL, 0, 1, COND, start, 1, 0, 0);
	builder_thread_end(b, 1);
	m.tseq = builder_sync(b, 2, FORMAT_K_ACQ, 0, 1, MUTEX, start, 0, 0, 0);
	builder_sync(b, 2, FORMAT_K_REL, FORMAT_LOCK_WAIT, 1, MUTEX, m, 0, 0, 0);
	builder_sync(b, 2, FORMAT_K_PARK, 0, 1, COND, c, 1, MUTEX, 0);
	builder_write(b, 3, 1, 0x3000, 8, &start, 1, 0, NULL, 0);
	if (ended)
		builder_thread_end(b, 3);
	if (killed)
		builder_slots(b, 4096);
	else
		builder_finish(b, 0);
	bytes = builder_bytes(b, &n);
	builder_save(path, bytes, n);
	builder_free(b);
}

static uint64_t find(const struct evidence *ev, uint8_t op)
{
	struct evidence_event e;

	for (uint64_t i = 1; i <= evidence_count(ev); i++) {
		e = evidence_get(ev, i);
		if (e.op == op)
			return i;
	}
	return 0;
}

static void cut_off(bool killed, bool ended, const char *doubt, const char *name)
{
	char path[] = "/tmp/foresee-test-XXXXXX";
	struct evidence_options opt = { 0 };
	struct check_verdict v = { 0 };
	struct diag d = { { 0 } };
	struct evidence *ev = NULL;
	struct checker *checker;
	struct trace *t = NULL;
	uint64_t at[2], target[2];
	struct check_claim c = { .kind = FINDING_LOST_WAKEUP,
				 .targets = target,
				 .ntargets = 2,
				 .order = at,
				 .norder = 2 };
	int fd = mkstemp(path);

	recording(killed, ended, path);
	if (fd < 0 || trace_open(path, NULL, &t, &d) != ST_OK ||
	    evidence_load(t, &opt, &ev, &d) != ST_OK)
		BUG("%s", d.message);
	at[0] = target[0] = find(ev, EVENT_SIGNAL);
	at[1] = find(ev, EVENT_ACQ);
	target[1] = find(ev, EVENT_REL);
	checker = checker_new(ev);
	checker_run(checker, &c, &v);
	if (!TAP_OK(v.certified && v.doubtful == (doubt != NULL) &&
			    (!doubt || strstr(v.doubt, doubt)),
		    "%s", name))
		printf("# certified %d, doubtful %d: %s\n", v.certified, v.doubtful, v.what);
	check_verdict_release(&v);
	checker_free(checker);
	evidence_free(ev);
	trace_close(t);
	close(fd);
	unlink(path);
}

int main(void)
{
	test_circles();
	test_modes();
	test_requests();
	test_joins();
	test_lost();
	test_holding();
	test_asleep();
	test_parts();
	cut_off(false, false, NULL, "a run to its end");
	cut_off(true, true, NULL, "a run that hung: all have ended, or wait");
	cut_off(true, false, "the recording was cut off", "a run that was killed in the middle");
	return tap_done();
}
