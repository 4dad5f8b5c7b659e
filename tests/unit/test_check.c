/*
 * The checker, rule by rule: what keeps the rule is certified, what breaks it is refused for
 * that reason.  test_check_random.c holds the rules together against another statement of them.
 */
#include "base/strbuf.h"
#include "finding/schedule.h"
#include "tap.h"
#include "witness_text.h"

#define STRICT 1u
#define VALUES 2u

static struct check_verdict verdict;

/* want: NULL certified, "doubtful" certified with doubt, else part of the reason. */
static void claim(const char *text, const char *order, const char *targets, const char *relaxed,
		  unsigned how, const char *want, const char *name)
{
	uint64_t at[64], target[8], read[16];
	struct check_claim c = { .kind = FINDING_RACE, .targets = target, .order = at };
	struct case_trace t;
	bool good;

	case_open(&t, text, NULL);
	c.norder = case_numbers(order, at, 64);
	c.ntargets = (uint32_t)case_numbers(targets, target, 8);
	c.stray = relaxed ? read : NULL;
	c.nstray = relaxed ? case_numbers(relaxed, read, 16) : 0;
	c.strict = how & STRICT;
	c.values = how & VALUES;
	check_verdict_release(&verdict);
	/* Twice: nothing of a claim may stay behind. */
	checker_run(t.checker, &c, &verdict);
	check_verdict_release(&verdict);
	checker_run(t.checker, &c, &verdict);
	if (want && strcmp(want, "doubtful") != 0)
		good = !verdict.certified && strstr(verdict.what, want);
	else
		good = verdict.certified && verdict.doubtful == (want != NULL);
	if (!TAP_OK(good, "%s", name))
		printf("# certified %d, doubtful %d: %s\n", verdict.certified, verdict.doubtful,
		       verdict.what);
	case_close(&t);
}

static void yes(const char *text, const char *order, const char *targets, const char *name)
{
	claim(text, order, targets, NULL, 0, NULL, name);
}

static void no(const char *text, const char *order, const char *targets, const char *want,
	       const char *name)
{
	claim(text, order, targets, NULL, 0, want, name);
}

/* Orders alone: events 1 and 2 are a race that is always there; the case starts at 3. */
#define RACE "#fmt 1\nX|w(q)|1\nY|w(q)|2\n"

static void fine(const char *text, const char *order, const char *name)
{
	claim(text, order, "1 2", NULL, 0, NULL, name);
}

static void broken(const char *text, const char *order, const char *want, const char *name)
{
	claim(text, order, "1 2", NULL, 0, want, name);
}

static void test_threads(void)
{
	static const char two[] = "A|w(x)|1\nA|w(y)|2\nB|w(x)|3\nB|w(y)|4\n";
	static const char child[] = RACE "A|fork(B)|3\nB|w(x)|4\nB|r(y)|5\nA|join(B)|6\n";

	yes(two, "", "1 3", "nothing before the targets");
	yes(two, "1 3", "2 4", "prefixes");
	yes(two, "3 1", "2 4", "in another order");
	yes(two, "1 3 2 4", "2 4", "the order may end with the targets");
	yes(two, "1 3 4 2", "2 4", "either way round");
	no(two, "1", "2 4", "event 4 (B w, line 4): is not the next event",
	   "a gap before a target");
	no(two, "2 3", "1 4", "comes before event 1", "a gap in a thread");
	no(two, "1 1 3", "2 4", "comes twice", "an event twice");
	no(two, "1 2 3", "2 4", "in the order as well", "a target in the order");
	no(two, "1 9", "2 4", "event 9 is not in the trace", "an event that is not there");
	no(two, "1", "2 9", "target 9 is not in the trace", "a target that is not there");
	no(two, "", "1", "race is of two events", "one target");
	fine(child, "3 4 5 6", "fork, child, join");
	fine(child, "", "or nothing");
	broken(child, "4", "before the fork of its thread, event 3", "a child before its fork");
	broken(child, "3 4 6", "B has not ended: its event 5 is to come", "a join too early");
	no(child, "", "4 1", "before the fork of its thread", "a target before its fork");
}

static void test_targets(void)
{
	static const char text[] = "#fmt 1\n"
				   "A|w(x:4)|1\nB|w(x+4:4)|2\nC|w(x+2:4)|3\nD|r(x)|4\nE|r(x)|5\n"
				   "F|w(x)@relaxed|6\nG|w(x)@seq_cst|7\nH|rmw(x)~|8\nI|free(x)|9\n"
				   "J|acq(m)|10\nK|r(x)!reread|11\nJ|w(x)|12\n";

	yes(text, "", "1 3", "two bytes in common");
	no(text, "", "1 2", "no byte in common", "neighbours");
	yes(text, "", "1 4", "a write and a read");
	no(text, "", "4 5", "both targets only read", "two reads");
	yes(text, "", "4 8", "a read and a read-modify-write");
	no(text, "", "6 7", "both targets are atomic", "two atomics");
	yes(text, "", "1 6", "one atomic");
	yes(text, "", "5 9", "a read and a free");
	yes(text, "", "9 7", "a free and an atomic");
	no(text, "", "10 1", "no byte in common", "a lock and other memory");
	no(text, "", "11 1", "only says that a read was repeated", "a closing read is no target");
	no(text, "10", "12 12", "both targets are of one thread", "a race with itself");
	no("A|w(x)|1\nA|r(x)|2\n", "", "1 2", "is not the next event", "two events of one thread");
}

static void test_locks(void)
{
	static const char mutex[] = RACE "A|acq(m)|3\nA|rel(m)|4\nB|acq(m)|5\nB|rel(m)|6\n";
	static const char nests[] = RACE "A|acq(m)|3\nA|acq(m)|4\nA|rel(m)|5\nA|rel(m)|6\n"
					 "B|acq(m)|7\n";
	static const char rw[] = RACE "A|racq(m)|3\nB|racq(m)|4\nA|rrel(m)|5\nB|rrel(m)|6\n"
				      "C|acq(m)!write!rwlock|7\nC|rel(m)!write!rwlock|8\n";
	static const char tried[] = RACE "A|acq(m)|3\nB|tryfail(m)|4\nA|rel(m)|5\n";
	static const char tried_rw[] = RACE "A|racq(m)!rwlock|3\nB|tryfail(m)!write!rwlock|4\n"
					    "C|tryfail(m)!rwlock|5\nD|w(z)|6\n";
	static const char dead[] = RACE "A|acq(m)|3\nA|w(x)|4\nB|acq(m)!dead|5\nB|rel(m)|6\n";
	static const char made[] = RACE "A|lockinit(m)|3\nB|acq(m)|4\nB|rel(m)|5\n"
					"A|lockdestroy(m)|6\nA|lockinit(m)|7\nC|acq(m)|8\n";

	fine(mutex, "5 6 3 4", "sections the other way round");
	fine(mutex, "3", "a section left open");
	broken(mutex, "3 5", "event 5 (B acq, line 5): A holds m here", "two holders");
	fine(nests, "3 4 5 6 7", "a lock that nests");
	broken(nests, "3 4 5 7", "A holds m here", "is held until the outermost release");
	fine(rw, "3 4", "two readers");
	fine(rw, "7 8 3", "a writer before them");
	broken(rw, "3 7", "A holds m for reading here", "a writer among readers");
	broken(rw, "7 4", "C holds m for writing here", "a reader beside a writer");
	fine(tried, "3 4", "a failed try of a lock that is held");
	broken(tried, "4", "here nobody keeps it out", "of a lock that is free");
	broken(tried, "3 5 4", "here nobody keeps it out", "or free again");
	fine(tried_rw, "3 4", "readers keep a writer out");
	broken(tried_rw, "3 5", "here nobody keeps it out", "but no reader");
	fine(dead, "3 4 5", "a lock of a dead thread");
	broken(dead, "3 5", "A has not ended: its event 4", "dead means that nothing follows");
	broken(dead, "5", "nobody holds it here", "and that it held the lock");
	fine(made, "3 4 5 6 7 8", "a lock made, destroyed, made");
	broken(made, "4", "uses m before event 3 has made it", "used before it was made");
	broken(made, "3 6 4", "uses m after it was destroyed", "used after its end");
	broken(made, "3 8", "before event 7 has made it", "the second one before it was made");
}

/* The destroy of a condition or barrier comes back when nobody is inside. */
static void test_destroyed(void)
{
	static const char cond[] = RACE "A|acq(m)|3\nA|condreq(c)|4\nA|rel(m)!wait|5\n"
					"A|park(c,m)|6\nB|signal(c:1)|7\nC|conddestroy(c)|8\n"
					"C|w(z)|9\nA|wake(c)<7|10\nA|acq(m)!wait|11\n"
					"D|condinit(c)|12\nD|signal(c)|13\n";
	static const char late[] = RACE "A|condreq(c)|3\nC|conddestroy(c)|4\nC|w(z)|5\n"
					"A|park(c,m)|6\nA|wake(c)!timeout|7\n";
	static const char bar[] = RACE "A|barin(b:1)|3\nB|barin(b:1)|4\nB|barout(b:1)|5\n"
				       "C|bardestroy(b)|6\nC|w(z)|7\nA|barout(b:1)|8\n";

	fine(cond, "3 4 5 6 7 8 9 10 11", "destroyed after all were woken");
	fine(cond, "3 4 5 7 8 9", "whether they have parked yet or not");
	fine(cond, "8 9", "destroyed before anybody came");
	fine(cond, "3 4 5 6 8", "a destroy that does not come back");
	broken(cond, "3 4 5 6 8 9", "goes on from the destroy of c, in which A still waits",
	       "a destroy that comes back though somebody waits");
	broken(cond, "3 4 8 9", "in which A still waits", "or is about to");
	broken(cond, "3 8 4", "uses c after it was destroyed", "a wait on what is gone");
	broken(cond, "8 7", "uses c after it was destroyed", "a signal of what is gone");
	broken(cond, "12 3 4", "uses c in another life of it", "a wait on another one");
	fine(late, "3 4 5 6 7", "who is not woken by a signal leaves by himself");
	fine(bar, "3 4 5 6 7", "a barrier that all have passed, whether they have left yet or not");
	fine(bar, "6 7", "or none");
	broken(bar, "3 6 7", "goes on from the destroy of b, in which A still waits",
	       "a barrier that somebody waits at");
}

static void test_waiting(void)
{
	static const char cond[] = RACE "A|park(c,m)|3\nB|signal(c:1)|4\nA|wake(c)<4|5\n"
					"D|park(c,m)|6\nD|wake(c)!timeout|7\n";
	static const char bar[] = RACE "A|barin(b:1)|3\nB|barin(b:1)|4\nA|barout(b:1)|5\n"
				       "B|barout(b:1)|6\nA|barin(b:2)|7\n";
	static const char few[] = RACE "A|barinit(b:3)|3\nA|barin(b:1)|4\nB|barin(b:1)|5\n"
				       "A|barout(b:1)|6\n";
	static const char sem[] = RACE "A|seminit(s:1)|3\nA|sempost(s)|4\nB|semwait(s)|5\n"
				       "C|semwait(s)|6\nD|semfail(s)|7\n";
	static const char least[] = RACE "A|semwait(s)|3\nB|sempost(s)|4\nC|semwait(s)|5\n";
	static const char once[] = RACE "A|oncebegin(o)|3\nA|onceend(o)|4\nB|oncepass(o)|5\n";
	static const char channel[] = RACE "A|give(p)!file|3\nB|give(p)!file|4\nC|take(p)!file|5\n"
					   "B|give(p)!file|6\nD|take(q)|7\n";
	static const char cancel[] = RACE "A|cancel(B)|3\nB|w(z)|4\nC|w(z)|5\n";
	static const char again[] = RACE "A|oncebegin(o)|3\nB|oncebegin(o)|4\nB|onceend(o)|5\n";

	fine(cond, "3 4 5", "wait, signal, wake");
	fine(cond, "4 3", "a signal that nobody waits for");
	fine(cond, "6 7", "a wait that times out");
	broken(cond, "3 5", "comes before event 4, which woke it", "a wake without its signal");
	broken(cond, "4 3 5", "which came before it waited at event 3", "a signal before the wait");
	fine(bar, "4 3 6 5", "a barrier");
	broken(bar, "3 5", "1 of the 2 threads of its round", "a barrier passed too early");
	broken(few, "3 4 5 6", "2 of the 3 threads that b waits for",
	       "threads that are not recorded");
	fine(sem, "3 5 4 6", "a semaphore");
	fine(sem, "3 5 7", "found at zero");
	broken(sem, "3 5 6", "s is at zero here", "below zero");
	broken(sem, "3 7", "found s at zero; it is at 1 here", "found at zero but is not");
	broken(sem, "5", "before event 3 has made it", "before its making");
	fine(least, "5 4 3", "the least first value");
	broken(least, "5 3", "s is at zero here", "is no more than that");
	fine(once, "3 4 5", "once");
	fine(channel, "4 3 5", "given in any order, then taken");
	fine(channel, "3 4 5", "and without what is given later");
	broken(channel, "3 5", "what has not been given yet", "taken too early");
	broken(channel, "4 6 5", "what has not been given yet", "a later gift does not count");
	fine(channel, "7", "nothing was ever given there");
	claim(cancel, "", "4 5", NULL, 0, "doubtful", "a cancelled thread");
	fine(cancel, "5", "others are not concerned");
	broken(once, "3 5", "has not been run to its end", "passed before the end");
	fine(again, "3 4 5", "a routine that was left and run again");
	broken(again, "4 5 3", "another thread ran first", "in the observed order only");
}

static void test_reads(void)
{
	static const char text[] = RACE "A|w(x)|3\nB|r(x)|4\nB|w(y)|5\nA|w(x)|6\nC|r(y)|7\n";
	static const char first[] = RACE "B|r(x)|3\nA|w(x)|4\nB|r(x)|5\n";
	static const char parts[] = RACE "A|w(x:4)|3\nB|w(x+4:4)|4\nC|r(x)|5\nD|w(x+4:1)|6\n"
					 "E|r(x:4)|7\n";
	static const char rmw[] = RACE "A|w(x)|3\nB|rmw(x)@relaxed|4\nC|w(x)|5\n";
	static const char joined[] = RACE "A|fork(B)|3\nA|w(x)|4\nB|r(x)|5\nA|join(B)|6\n";

	fine(text, "3 4 5 6 7", "as observed");
	fine(text, "3 4 6 5 7", "another write after the read");
	broken(text, "3 6 4", "sees the write of event 6, not the write of event 3 as observed",
	       "another write before it");
	broken(text, "4", "sees the initial value, not the write of event 3", "no write before it");
	broken(first, "4 3", "sees the write of event 4, not the initial value",
	       "the initial value counts as a write");
	claim(text, "4", "1 2", "4", 0, NULL, "a last read may see anything");
	TAP_EQ(verdict.stray.n, 1, "and is told");
	claim(text, "4 5", "1 2", "4", 0, "its thread has stopped at event 4", "but is the last");
	claim(text, "4", "5 7", "4", 0, "its thread has stopped at event 4",
	      "and before no target");
	claim(joined, "3 5 4 6", "1 2", "5", 0, "B has stopped at event 5", "and before no join");
	claim(joined, "3 4 5 6", "1 2", "5", 0, NULL, "unless it saw what it saw");
	no(text, "4", "6 4", "sees the initial value", "a target is not in the order");
	yes(text, "", "4 3", "a target may see another write");
	TAP_EQ(verdict.stray.n, 1, "which is told");
	yes(text, "3", "6 4", "one that comes after the other target sees it");
	TAP_EQ(verdict.stray.n, 1, "and that is told");
	yes(text, "3", "4 6", "one that comes before does not");
	TAP_EQ(verdict.stray.n, 0, "so there is nothing to tell");
	fine(parts, "4 3 5", "bytes from two writes");
	broken(parts, "3 4 6 5", "sees the write of event 6, not the write of event 4",
	       "one byte of another write");
	fine(parts, "3 6 7", "bytes that the read does not touch");
	fine(rmw, "3 4 5", "a read-modify-write");
	broken(rmw, "3 5 4", "not the write of event 3", "its read part binds");
	claim(rmw, "3 5 4", "1 2", "4", 0, "not the write of event 3", "and cannot be relaxed");
}

static void test_lifetimes(void)
{
	static const char text[] = RACE "A|alloc(h)|3\nA|w(h)|4\nA|free(h)|5\nB|alloc(h)|6\n"
					"B|w(h)|7\nB|r(h)|8\n";
	static const char late[] =
		RACE "A|alloc(h:64)|3\nA|free(h:64)|4\nB|r(h+8)|5\nC|w(h+16)|6\n";
	static const char half[] = RACE "A|w(h)|3\nA|alloc(h+4:4)|4\nB|r(h:4)|5\nC|r(h+4:4)|6\n"
					"D|w(h+4:4)|7\nE|w(h)|8\n";

	fine(text, "3 4 6 7 5 8", "two lifetimes at one address do not disturb each other");
	no(text, "3 6", "4 7", "no byte in common", "nor race");
	yes(late, "3", "4 5", "freed memory that was never touched before");
	broken(late, "3 5", "sees the initial value, not the write of event 4",
	       "is written by its free");
	fine(late, "3 4 5", "and read after it");
	fine(half, "6 3 5", "half a word is new");
	broken(half, "5", "sees the initial value", "half is not");
	no(half, "", "3 7", "no byte in common", "the new half is another place");
	yes(half, "", "7 8", "a word over both halves");
	yes(half, "", "8 3", "meets both");
}

static void test_taint(void)
{
	/* 4: x++ of A, 6: x++ of B, each free; 8: a branch on x. */
	static const char text[] = RACE "A|r(x)~|3\nA|w(x)<3|4\nB|r(x)~|5\nB|w(x)<5|6\nC|r(x)|7\n"
					"C|w(x)|8\nD|opaque|9\n";
	static const char use[] = RACE "A|w(x)|3\nB|r(x)~|4\nB|use<4|5\nB|w(y)<4|6\nC|r(y)~|7\n"
				       "C|w(z)|8\n";
	static const char unknown[] = RACE "A|r(x)!unknown|3\nA|w(y)|4\nB|r(x)~!unknown|5\n"
					   "B|w(z)<5|6\nC|r(z)|7\nD|rmw(x)~!unknown|8\n";
	static const char own[] = RACE "A|rmw(c)~@relaxed!add<3|3\nB|rmw(c)~@relaxed!add<4|4\n"
				       "C|rmw(c)~@relaxed!xchg|5\nD|r(c)|6\n";

	static const char again[] = RACE "A|r(x)|3\nA|r(x)~!reread|4\nB|w(x)|5\n";
	static const char between[] = RACE "C|w(x)|3\nA|r(x)|4\nA|w(y)|5\nA|w(z)|6\nB|r(v)|7\n"
					   "A|r(x)!reread|8\nB|w(x)|9\nA|acq(m)|10\nA|w(y)|11\n";

	fine(text, "5 6 3 4", "increments the other way round");
	TAP_OK(verdict.dep, "by the dependency-aware model");
	TAP_EQ(verdict.tainted.n, 2, "with two tainted reads");
	claim(text, "5 6 3 4", "1 2", NULL, STRICT, "not the write of event 4",
	      "not by the strict one");
	fine(text, "3 4 5 6", "as observed");
	TAP_OK(!verdict.dep, "needs no model");
	broken(text, "5 6 3 4 7", "sees the write of event 4, not the write of event 6",
	       "a branch on the result binds");
	claim(text, "5 3 4 6 9", "1 2", NULL, 0, "doubtful", "unseen code may read it");
	fine(text, "3 4 5 6 9", "or reads what it read");
	claim(text, "5 3 4 6 7 8 9", "1 2", "7", 0, "its thread has stopped at event 7",
	      "a relaxed read stops");
	fine(use, "3 4 5", "a use of what was seen");
	broken(use, "4 5", "decides by what event 4 read", "a use of something else");
	broken(unknown, "3 4", "saw a write that is not recorded",
	       "an unknown read ends its thread");
	claim(unknown, "3", "1 2", "3", 0, NULL, "may be the last");
	claim(unknown, "3 4", "1 2", "3", 0, "has stopped at event 3", "but only that");
	fine(unknown, "5 6", "a free one does not");
	broken(unknown, "5 6 7", "may have stored another value", "but taints");
	claim(unknown, "5", "1 2", NULL, STRICT, "saw a write that is not recorded",
	      "in the strict model it binds");
	broken(unknown, "8", "nothing of its thread can be used", "no unknown read-modify-write");
	yes(unknown, "", "8 3", "but as a target");
	fine(own, "4 3 5 6", "an exchange cuts the chain");
	broken(own, "4 3 6", "sees the write of event 3", "an addition does not");
	broken(again, "3 5 4", "sees the write of event 5", "a reread binds, marked free or not");
	broken(between, "3 4 7 9 5", "event 9 has written what its thread may still read",
	       "so do reads before it that are not there");
	broken(between, "3 4 5 7 9 6", "event 9 has written", "anywhere between");
	fine(between, "3 4 5 7 9", "not behind the last event");
	fine(between, "7 9 3 4 5 6", "nor before what they saw");
	fine(between, "3 4 5 6 8 7 9 10 11", "nor when they are over");
	claim(between, "3 4 7 9", "1 2", NULL, 0, NULL, "the thread may be a target");
}

static void test_values(void)
{
	static const char text[] = RACE "A|w(x)=5|3\nB|r(x)=5|4\nC|w(x)=5|5\nD|w(x)=6|6\n"
					"E|r(y)=0|7\nE|w(y)=1|8\nF|w(y)=0|9\nG|r(y)=0|10\n";
	static const char made[] = RACE "A|alloc(h)!zeroed|3\nA|w(h)=0|4\nB|r(h)=0|5\n";
	static const char fed[] = RACE "A|w(x)=5|3\nB|r(x)~=5|4\nB|w(z)<4=5|5\nC|w(x)=7|6\n"
				       "D|w(z)=5|7\nE|r(z)=5|8\n";

	claim(text, "5 4", "1 2", NULL, VALUES, NULL, "another write of the same value");
	claim(text, "5 4", "1 2", NULL, 0, "not the write of event 3", "only where values count");
	claim(text, "6 4", "1 2", NULL, VALUES, "not the write of event 3",
	      "a write of another value");
	claim(text, "10", "1 2", NULL, VALUES, NULL, "an initial value that a read has shown");
	claim(text, "9 7", "1 2", NULL, VALUES, NULL, "a write of the initial value");
	claim(made, "3 5", "1 2", NULL, VALUES, NULL, "memory that begins as zero");
	claim(fed, "6 4 5 8", "1 2", NULL, VALUES, "event 5", "a tainted write has no known value");
	claim(fed, "3 4 5 8", "1 2", NULL, VALUES, NULL, "an untainted one has");
}

static void test_expand(void)
{
	static const char text[] = "A|w(x)|1\nB|w(x)|2\nA|w(y)|3\nB|w(y)|4\n";
	uint64_t count[] = { 0, 2, 1 }, tail[] = { 4 };
	struct schedule s = { .count = { count, 3, 3 }, .tail = { tail, 1, 1 } };
	struct check_order order = { .at = { 0 } };
	struct case_trace t;

	case_open(&t, text, NULL);
	TAP_OK(check_expand(t.ev, &s, &order), "a schedule");
	TAP_OK(order.at.n == 4 && order.at.at[0] == 1 && order.at.at[1] == 2 &&
		       order.at.at[2] == 3 && order.at.at[3] == 4,
	       "is a cut in observed order and a tail");
	VEC_CLEAR(&order.at);
	tail[0] = 5;
	TAP_OK(!check_expand(t.ev, &s, &order), "a tail that is not in the trace");
	tail[0] = 4;
	count[1] = 3;
	TAP_OK(!check_expand(t.ev, &s, &order), "a cut that is not in the trace");
	VEC_RELEASE(&order.at);
	case_close(&t);
}

enum { LONG_THREADS = 4, LONG_EVENTS = 400 };

/* Of the event at that position of the long trace.  The threads come up in order; two are rare. */
static uint32_t thread_of(uint64_t pos)
{
	return pos <= LONG_THREADS ? (uint32_t)pos
	       : pos % 50 == 0	   ? 1
	       : pos % 47 == 0	   ? 2
				   : 3 + pos % 2;
}

/* The first events of some threads, of a long trace: few of its events, half of them, all. */
static void test_expand_long(void)
{
	struct schedule s = { .count = { 0 } };
	struct strbuf text = { 0 };
	struct case_trace t;
	size_t wrong = 0, tried = 0;

	for (unsigned i = 1; i <= LONG_EVENTS; i++)
		strbuf_addf(&text, "T%u|w(x)|1\n", thread_of(i));
	case_open(&t, strbuf_str(&text), NULL);
	VEC_REACH(&s.count, LONG_THREADS);
	for (unsigned to = 1; to <= LONG_EVENTS; to += 7)
		for (unsigned odd = 0; odd < 1u << LONG_THREADS; odd++, tried++) {
			struct check_order order = { .at = { 0 } };
			uint64_t seen[LONG_THREADS + 1] = { 0 };
			size_t n = 0;

			memset(s.count.at, 0, s.count.n * sizeof(*s.count.at));
			for (uint64_t pos = 1; pos <= to; pos++) {
				uint32_t tid = thread_of(pos);

				s.count.at[tid] += odd >> (tid - 1) & 1;
			}
			wrong += !check_expand(t.ev, &s, &order);
			for (uint64_t pos = 1; pos <= LONG_EVENTS; pos++) {
				uint32_t tid = thread_of(pos);

				if (seen[tid]++ < s.count.at[tid])
					wrong += n >= order.at.n || order.at.at[n++] != pos;
			}
			wrong += n != order.at.n;
			VEC_RELEASE(&order.at);
		}
	TAP_EQ(wrong, 0, "%zu cuts of a long trace", tried);
	VEC_RELEASE(&s.count);
	strbuf_release(&text);
	case_close(&t);
}

enum { RUN_EVENTS = 500 };

/* A run of reads with many events of its thread in it: where it began is looked up, and nobody walks there. */
static void test_long_run(void)
{
	STRBUF_SCOPED text = { 0 };

	strbuf_adds(&text, RACE "C|w(x)|3\nA|r(x)|4\n");
	for (unsigned i = 0; i < RUN_EVENTS; i++)
		strbuf_addf(&text, "A|r(y%u)|5\n", i);
	strbuf_adds(&text, "A|w(z)|6\nA|r(x)!reread|7\nB|w(x)|8\nA|r(x)|9\nA|w(v)|10\n");
	for (unsigned i = 0; i < RUN_EVENTS; i++)
		strbuf_addf(&text, "A|r(y%u)|11\n", i);
	strbuf_adds(&text, "A|r(x)!reread|12\nC|w(x)|13\n");
	broken(strbuf_str(&text), "3 4 507 5",
	       "event 507 has written what its thread may still read",
	       "a run with many events in it");
	fine(strbuf_str(&text), "3 4 507", "not behind the last event");
	fine(strbuf_str(&text), "3 507", "nor before it");
}

int main(void)
{
	test_threads();
	test_targets();
	test_locks();
	test_destroyed();
	test_waiting();
	test_reads();
	test_lifetimes();
	test_taint();
	test_values();
	test_long_run();
	test_expand();
	test_expand_long();
	check_verdict_release(&verdict);
	return tap_done();
}
