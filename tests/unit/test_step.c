/* Events into steps: one small text trace for each rule, steps compared as unit/steps_text.h
 * shows them. */
#include "unit/tap.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "order/chains.h"
#include "order/step_priv.h"
#include "trace/trace.h"
#include "unit/steps_text.h"

static struct trace *open_text(const char *text)
{
	char path[] = "/tmp/foresee-test-step-XXXXXX";
	int fd = mkstemp(path);
	struct trace *t = NULL;
	struct diag d = { 0 };
	size_t n = strlen(text);

	if (fd < 0 || write(fd, text, n) != (ssize_t)n || close(fd) != 0 ||
	    trace_open(path, NULL, &t, &d) != ST_OK)
		printf("# cannot open: %s\n", d.message);
	unlink(path);
	return t;
}

static void steps_are(const char *name, const char *body, const char *want)
{
	struct strbuf text = { 0 }, got = { 0 };
	struct trace *t;

	strbuf_addf(&text, "#fmt 1\n%s", body);
	t = open_text(strbuf_str(&text));
	steps_text(t, &got);
	TAP_STR(strbuf_str(&got), want, "%s", name);
	trace_close(t);
	strbuf_release(&text);
	strbuf_release(&got);
}

static void test_accesses(void)
{
	steps_are("one cell, whatever its size", "1|w(x)|1\n1|r(x)|2\n1|w(y:4)|3\n2|r(y:4)|4\n",
		  "write:0 read:0 write:1 read:1");
	steps_are("two halves of a word", "1|w(x:4)|1\n1|w(x+4:4)|2\n1|r(x)|3\n1|r(x:4)|4\n",
		  "write:0 write:1 read:0,1 read:0");
	steps_are("a half splits a word", "1|w(x)|1\n2|w(x:4)|2\n1|r(x)|3\n",
		  "write:0+split:0>1 write:0 read:0,1");
	steps_are("the middle makes three", "1|w(x)|1\n2|w(x+2:2)|2\n1|r(x)|3\n",
		  "write:0+split:0>1+split:1>2 write:1 read:0,1,2");
	steps_are("a wider one fills the gaps", "1|w(x+2:2)|1\n1|w(x)|2\n1|r(x+1:2)|3\n",
		  "write:0 write:1,0,2+split:1>3+split:0>4 read:3,0");
	steps_are("across words", "1|w(x+4:8)|1\n1|r(x+8:8)|2\n", "write:0,1 read:1,2");
	steps_are("free, unknown, reread, atomic",
		  "1|r(x)~|1\n1|r(x)!unknown|1\n1|r(x)~!unknown|1\n1|rmw(x)~!unknown|1\n"
		  "1|r(x)!reread|1\n",
		  "read:0~ read:0! read:0~t rmw:0~aAR! read:0s");
	steps_are("memory orders of accesses",
		  "1|r(x)@relaxed|1\n1|r(x)@consume|1\n1|r(x)@acquire|1\n1|r(x)@seq_cst|1\n"
		  "1|w(x)@relaxed|1\n1|w(x)@release|1\n1|w(x)@seq_cst|1\n"
		  "1|rmw(x)@relaxed|1\n1|rmw(x)@acquire|1\n1|rmw(x)@release|1\n1|rmw(x)@acq_rel|1\n"
		  "1|r(x)@acq_rel!cas|1\n",
		  "read:0a read:0aA read:0aA read:0aA write:0a write:0aR write:0aR "
		  "rmw:0a rmw:0aA rmw:0aR rmw:0aAR read:0aA");
	steps_are("fences", "1|fence@acquire|1\n1|fence@release|1\n1|fence@seq_cst|1\n",
		  "fenceA fenceR fenceAR");
	steps_are("feeds pass through",
		  "1|r(x)~|1\n1|r(y)~|1\n1|w(z)<1,2|1\n1|use<2|1\n1|rmw(x)~<5|1\n",
		  "read:0~ read:1~ write:2<1,2 use<2 rmw:0~aAR<5");
}

static void test_lifetimes(void)
{
	steps_are("free writes what exists, and a use after it meets the same cells",
		  "1|w(x:4)|1\n1|w(x+16)|1\n1|free(x:64)|2\n1|w(x:4)|3\n",
		  "write:0 write:1 free:0,1,2 write:0");
	steps_are("memory given out again is new",
		  "1|w(x:4)|1\n1|free(x:64)|2\n1|alloc(x:64)|3\n1|w(x:4)|4\n",
		  "write:0 free:0,1 none+drop:1+drop:0 write:2");
	steps_are("bytes that were not touched before are freed too",
		  "1|free(x:64)|1\n1|r(x+8:4)|2\n1|w(x+8)|3\n1|w(x+64)|4\n",
		  "free:0+split:0>1 read:1+split:0>2 write:1,2 write:3");
	steps_are("words that are freed in part", "1|free(x+4:6)|1\n1|r(x)|2\n1|r(x+8)|3\n",
		  "free:0,1 read:2,0 read:1,3");
	steps_are("freed twice, and part of it once more",
		  "1|free(x:64)|1\n2|free(x:64)|2\n1|free(x+16:16)|3\n1|r(x+16)|4\n1|r(x)|5\n",
		  "free:0 free:0+split:0>1+split:0>2 free:0+split:0>3 read:3+split:1>4 read:4");
	steps_are("part of freed memory is given out again",
		  "1|free(x:64)|1\n1|alloc(x+10:20)|2\n1|r(x+8)|3\n1|r(x+24)|4\n1|w(x)|5\n"
		  "1|w(x+32)|6\n",
		  "free:0+split:0>1+split:0>2+split:0>3+split:0>4 none+drop:0 read:1,5 read:6,2"
		  "+split:3>7 write:7+split:4>8 write:8");
	steps_are("a large block", "1|w(x:4)|1\n1|free(x:4000000)|2\n1|w(x:4)|3\n1|r(x+8)|4\n",
		  "write:0 free:0,1 write:0+split:1>2 read:2");
	steps_are("free of part of a cell", "1|w(x)|1\n1|free(x:4)|2\n1|r(x)|3\n",
		  "write:0+split:0>1 free:0 read:0,1");
	steps_are("alloc renews",
		  "1|w(x)|1\n1|w(y)|1\n1|alloc(x:4294967295)|2\n1|w(x)|3\n1|w(y)|4\n",
		  "write:0 write:1 none+drop:0 write:2 write:1");
	steps_are("alloc inside a word", "1|w(x)|1\n1|alloc(x+2:2)|2\n1|w(x+2:2)|3\n1|r(x)|4\n",
		  "write:0+split:0>1+split:1>2 none+drop:1 write:3 read:0,3,2");
}

static void test_locks(void)
{
	steps_are("only the outermost acquire and release",
		  "1|acq(m)|1\n1|acq(m)|2\n1|rel(m)|3\n1|rel(m)|4\n2|acq(m)!try|5\n2|rel(m)|6\n",
		  "acquire:0 none none release:0 acquire:0y release:0");
	steps_are("readers share, and nest",
		  "1|racq(m)|1\n2|racq(m)|2\n1|racq(m)|3\n1|rrel(m)|4\n1|rrel(m)|5\n2|rrel(m)|6\n"
		  "1|acq(m)!rwlock!write|7\n1|rel(m)!rwlock!write|8\n",
		  "read lock:0 read lock:0 none none read unlock:0 read unlock:0 "
		  "acquire:0 release:0");
	steps_are(
		"a new lock after init and destroy",
		"1|acq(m)|1\n1|rel(m)|1\n1|lockinit(m)|1\n1|acq(m)|1\n1|rel(m)|1\n"
		"1|lockdestroy(m)|1\n1|lockdestroy(n)|1\n1|acq(m)|1\n",
		"acquire:0 release:0 none acquire:1 release:1 acquire:1y+release:1 none acquire:2");
	steps_are("a lock that ends while it is held tells nothing about who waits",
		  "1|acq(m)|1\n2|lockinit(m)|2\n1|acq(m)|3\n1|lockdestroy(m)|4\n1|acq(n)|5\n",
		  "acquire:0 none+loose:0 acquire:1 none+loose:1 acquire:2");
	steps_are("a destroy needs the lock free, and comes after nothing",
		  "1|lockinit(m)|1\n2|acq(m)|1\n2|rel(m)|1\n3|acq(m)|1\n2|req(m)|1\n3|rel(m)|1\n"
		  "1|acq(m)|1\n1|rel(m)|1\n1|lockdestroy(m)|1\n",
		  "none acquire:0 release:0 acquire:0 request:0 release:0 acquire:0 release:0 "
		  "acquire:0y+release:0");
	steps_are("an owner that died",
		  "1|acq(m)|1\n2|acq(m)!dead|2\n2|rel(m)|3\n3|acq(m)|4\n3|rel(m)|5\n",
		  "acquire:0 acquire:1! release:1 acquire:1+after:2 release:1");
	steps_are("inside a condition wait",
		  "1|acq(m)|1\n1|rel(m)!wait|1\n1|acq(m)!wait|1\n1|rel(m)|1\n",
		  "acquire:0 release:0 acquire:0 release:0");
}

static void test_tries(void)
{
	struct strbuf text = { 0 }, want = { 0 };

	steps_are(
		"a failed try needs its holder",
		"1|acq(m)|1\n2|tryfail(m)|2\n3|tryfail(m)|3\n1|rel(m)|4\n1|acq(m)|5\n1|rel(m)|6\n",
		"acquire:0 busy:0r+after:1p busy:0r+after:1p release:0+guard:2:2<4p+guard:3:3<4p "
		"acquire:0 release:0");
	steps_are("a try that nobody explains",
		  "1|tryfail(m)|1\n1|acq(m)|2\n1|tryfail(m)|3\n1|rel(m)|4\n2|tryfail(m)|5\n",
		  "none! acquire:0 none! release:0 none!");
	steps_are("readers explain a try to write",
		  "1|racq(m)|1\n2|racq(m)|2\n3|tryfail(m)!rwlock!write|3\n2|rrel(m)|4\n"
		  "1|rrel(m)|5\n",
		  "read lock:0 read lock:0 busy:0r+after:1p read unlock:0 "
		  "read unlock:0+guard:3:3<5p");
	steps_are("and no try to read", "1|racq(m)|1\n2|tryfail(m)!rwlock|2\n1|rrel(m)|3\n",
		  "read lock:0 none! read unlock:0");
	strbuf_adds(&text, "1|acq(m)|1\n");
	strbuf_adds(&want, "acquire:0");
	for (int i = 0; i < 1026; i++) {
		strbuf_adds(&text, "2|tryfail(m)|2\n");
		strbuf_adds(&want, i < 1024 ? " busy:0r+after:1p" : " none!");
	}
	steps_are("so many tries, and no more", strbuf_str(&text), strbuf_str(&want));
	strbuf_release(&text);
	strbuf_release(&want);
}

static void test_conditions(void)
{
	steps_are("a wake gets its signal",
		  "2|park(c,m)|1\n1|signal(c:1)|2\n2|wake(c)<2|3\n1|signal(c)|4\n",
		  "park:0 notify:0+put:0 get:0+guard:3:1<2+forget:0 notify:0+put:1+forget:1");
	steps_are(
		"a broadcast wakes several",
		"2|park(c,m)|1\n3|park(c,m)|2\n1|broadcast(c:2)|3\n2|wake(c)<3|4\n3|wake(c)<3|5\n",
		"park:0 park:0 notify:0+put:0 get:0+guard:4:1<3 get:0+guard:5:2<3+forget:0");
	steps_are("a wake without a signal, a timeout",
		  "2|park(c,m)|1\n2|wake(c)|2\n2|park(c,m)|3\n2|wake(c)!timeout|4\n",
		  "park:0 none park:0 none");
	steps_are("who destroys goes on when those inside have left, and been woken",
		  "2|condreq(c)|1\n2|park(c,m)|2\n3|signal(c:1)|3\n1|conddestroy(c)|4\n1|w(x)|5\n",
		  "none park:0 notify:0+put:0 none write:1+after:2+after:3");
	steps_are("a signal from before the park explains nothing",
		  "3|park(c,m)|1\n1|signal(c:1)|2\n2|park(c,m)|3\n2|wake(c)<2|4\n",
		  "park:0 notify:0+put:0 park:0 none!");
	steps_are("a signal that was forgotten", "1|signal(c:1)|1\n2|wake(c)<1|2\n",
		  "notify:0+put:0+forget:0 none!");
	steps_are(
		"a signal lives while somebody waits who could take it",
		"2|park(c,m)|1\n1|signal(c)|2\n3|park(c,m)|3\n1|signal(c)|4\n2|wake(c)<4|5\n"
		"3|wake(c)<4|6\n",
		"park:0 notify:0+put:0 park:0 notify:0+put:1 get:1+guard:5:1<4+forget:0 get:1+guard:6:3<4+forget:1");
}

/* More signals than are kept, while one thread never wakes up. */
static void test_condition_bound(void)
{
	struct strbuf text = { 0 };
	struct step_batch b;
	struct step_options opt = { .recycle = true };
	struct diag d = { 0 };
	struct trace *t;
	struct steps *s;

	strbuf_adds(&text, "#fmt 1\n2|park(c,m)|1\n");
	for (int i = 0; i < 20000; i++)
		strbuf_adds(&text, "1|signal(c)|1\n");
	strbuf_adds(&text, "2|wake(c)<20001|1\n");
	t = open_text(strbuf_str(&text));
	s = steps_new(t, &opt);
	while (steps_next(s, &b, &d) == ST_OK)
		continue;
	TAP_OK(s->nchannels <= 4097, "signals of one condition are bounded");
	steps_free(s);
	trace_close(t);
	strbuf_release(&text);
}

static void test_barriers(void)
{
	steps_are("all in before one out, the next round overtakes",
		  "1|barinit(b:2)|1\n1|barin(b:1)|2\n2|barin(b:1)|3\n1|barout(b:1)|4\n"
		  "1|barin(b:2)|5\n2|barout(b:1)|6\n2|barin(b:2)|7\n2|barout(b:2)|8\n"
		  "1|barout(b:2)|9\n1|barin(b:3)|10\n",
		  "none put:0 put:0 get:0 put:1 get:0+forget:0 put:1 get:1 get:1 put:2+forget:1");
	steps_are("out of a round nobody came into", "1|barout(b:7)|1\n", "none!");
	steps_are("a new barrier", "1|barin(b:1)|1\n1|barinit(b:1)|2\n1|barin(b:1)|3\n",
		  "put:0 none+forget:0 put:1");
}

static void test_semaphores(void)
{
	steps_are(
		"waits take the initial value, then posts in order",
		"1|seminit(s:1)|1\n1|sempost(s)|2\n1|sempost(s)|3\n2|semwait(s)|4\n2|semwait(s)|5\n"
		"2|semwait(s)|6\n2|semwait(s)|7\n",
		"none post:0+put:0 post:0+put:1 take:0 take:0+get:0p+forget:0 "
		"take:0+get:1p+forget:1 take:0!");
	steps_are("an initial value nobody told",
		  "2|semwait(s)|1\n1|sempost(s)|2\n2|semwait(s)|3\n2|semwait(s)|4\n",
		  "take:0 post:0+put:0 take:0+get:0p+forget:0 take:0");
	steps_are(
		"a failed wait",
		"1|seminit(s:1)|1\n2|semwait(s)|2\n3|semfail(s)|3\n1|sempost(s)|4\n1|sempost(s)|5\n"
		"4|sempost(s)|6\n3|sempost(s)|7\n3|semfail(s)|8\n",
		"none take:0 zero:0+after:2p post:0+put:0+guard:3:3<4p post:0+put:1 "
		"post:0+put:2+guard:3:3<6p post:0+put:3 zero:0!");
	steps_are("a failed wait tells the value", "1|semfail(s)|1\n1|semwait(s)|2\n",
		  "zero:0 take:0!");
}

static void test_onces(void)
{
	steps_are("once", "1|oncebegin(o)|1\n1|onceend(o)|2\n2|oncepass(o)|3\n3|oncepass(o)|4\n",
		  "none put:0 get:0 get:0");
	steps_are("given up and tried again",
		  "1|oncebegin(o)|1\n1|onceend(o)|2\n2|oncebegin(o)|3\n2|onceend(o)|4\n",
		  "none put:0 get:0 put:0");
	steps_are("a channel", "1|take(p)|1\n1|give(p)|2\n2|give(p)|3\n3|take(p)|4\n1|take(q)|5\n",
		  "none put:0 put:0 get:0 none");
	steps_are("passed without an end", "1|oncepass(o)|1\n", "none!");
}

static void test_threads(void)
{
	steps_are("fork and join name chains",
		  "1|fork(2)|1\n1|fork(3)|2\n2|threadbegin|3\n2|threadend|4\n1|join(2)|5\n",
		  "fork:1 fork:2 none none join:1");
	steps_are("a joined thread's chain goes on",
		  "1|fork(2)|1\n2|fork(3)|2\n3|w(x)|3\n2|join(3)|4\n1|join(2)|5\n1|fork(4)|6\n"
		  "1|fork(5)|7\n1|fork(6)|8\n",
		  "fork:1 fork:2 write:0 join:2 join:1 fork:1 fork:2 fork:3");
	steps_are("not before it was joined", "1|fork(2)|1\n2|w(x)|2\n1|fork(3)|3\n3|w(x)|4\n",
		  "fork:1 write:0 fork:2 write:0");
	steps_are("not by a thread that did not join it",
		  "1|fork(2)|1\n1|fork(3)|2\n2|w(x)|3\n3|join(2)|4\n1|fork(4)|5\n3|fork(5)|6\n",
		  "fork:1 fork:2 write:0 join:1 fork:3 fork:1");
	steps_are("a join of a thread that never ran", "1|fork(2)|1\n1|join(2)|2\n1|fork(3)|3\n",
		  "fork:1 join:1 fork:1");
	steps_are("a fork that failed", "1|fork(2)|1\n1|forkfail(2)|2\n1|fork(3)|3\n",
		  "fork:1 none fork:1");
	steps_are("the rest",
		  "1|fork(2)|1\n1|detach(2)|1\n1|opaque|1\n1|begin(b)|1\n1|end(b)|1\n1|user(u)|1\n",
		  "fork:1 none opaque begin end none");
}

/* What text cannot say, since its reader refuses it: an event of a thread after its join. */
static void test_chains_lost(void)
{
	struct chains c = { 0 };
	bool lost = false;

	TAP_EQ(chains_run(&c, 1, &lost), 0, "the first thread");
	TAP_EQ(chains_fork(&c, 1, 2), 1, "a child");
	TAP_EQ(chains_fork(&c, 1, 2), CHAINS_NONE, "not twice");
	TAP_EQ(chains_run(&c, 2, &lost), 1, "runs");
	TAP_EQ(chains_join(&c, 1, 2), 1, "joined");
	TAP_EQ(chains_join(&c, 1, 2), CHAINS_NONE, "once");
	TAP_EQ(chains_fork(&c, 1, 3), 1, "the next takes over");
	TAP_OK(!lost, "so far all is well");
	TAP_EQ(chains_run(&c, 2, &lost), 2, "a thread that should have ended is on its own");
	TAP_OK(lost, "and lost");
	TAP_EQ(chains_join(&c, 1, 9), CHAINS_NONE, "nothing is known of the thread joined");
	TAP_EQ(chains_fork(&c, 3, 3), CHAINS_NONE, "no thread forks itself");
	TAP_EQ(chains_fork(&c, 1, 4), 3, "one more");
	chains_fork_failed(&c, 3, 4);
	TAP_EQ(chains_fork(&c, 3, 5), 4, "only the thread that forked it knows that it failed");
	chains_release(&c);
}

static void test_values(void)
{
	struct trace *t = open_text("#fmt 1\n1|w(x:2)=513|1\n1|r(x:1)|1\n1|rmw(x:1)=1>7|1\n");
	struct step_options opt = { .values = true };
	struct steps *s = steps_new(t, &opt);
	struct step_batch b;
	struct diag d = { 0 };

	TAP_OK(steps_next(s, &b, &d) == ST_OK && b.n == 4, "four steps");
	TAP_OK(b.n == 4 && b.at[0].value && memcmp(b.bytes + b.at[0].value - 1, "\1\2", 2) == 0,
	       "bytes of a write");
	TAP_OK(b.n == 4 && b.at[1].op == STEP_SPLIT && b.at[1].addr == b.at[0].addr + 1 &&
		       b.at[1].len == 1,
	       "a split names its bytes");
	TAP_OK(b.n == 4 && b.at[2].value == 0, "no value, no bytes");
	TAP_OK(b.n == 4 && b.at[3].value && memcmp(b.bytes + b.at[3].value - 1, "\1\7", 2) == 0,
	       "an rmw has both");
	TAP_EQ(steps_next(s, &b, &d), ST_END, "and that is all");
	steps_free(s);
	trace_close(t);
}

/* Far more cells than a batch has steps; ids come back; an error comes after what was good. */
static void test_batches(void)
{
	struct trace *t =
		open_text("#fmt 1\n1|w(x:80000)|1\n1|free(x:8000000)|2\n1|alloc(x:8000000)|2\n"
			  "1|w(y:4294967295)|3\n2|r(y+4000000000)|4\n2|r(y)|5\n1|?|6\n");
	struct step_options opt = { .recycle = true };
	struct steps *s = steps_new(t, &opt);
	size_t largest = 0, drops = 0, n = 0, nstop = 0;
	struct step_batch b;
	struct diag d = { 0 };
	enum status st;

	while ((st = steps_next(s, &b, &d)) == ST_OK) {
		largest = b.n > largest ? b.n : largest;
		for (size_t i = 0; i < b.n; i++) {
			drops += b.at[i].op == STEP_DROP;
			n += !(b.at[i].flags & STEP_MORE);
			nstop += (b.at[i].flags & STEP_STOP) != 0;
		}
	}
	TAP_EQ(drops, 10001, "every cell is dropped");
	TAP_OK(largest <= 1100, "a little at a time");
	TAP_EQ(n, 6, "six events");
	TAP_EQ(nstop, 2, "what is too long to follow stops, and so does who reads it there");
	TAP_EQ(s->cells.count, (16 << 20) / 8 + 1, "no more cells than lived at once");
	TAP_OK(st == ST_BAD_INPUT && d.message[0], "the error comes last");
	TAP_EQ(steps_next(s, &b, &d), ST_BAD_INPUT, "and stays");
	steps_free(s);
	trace_close(t);
}

int main(void)
{
	test_accesses();
	test_lifetimes();
	test_locks();
	test_tries();
	test_conditions();
	test_condition_bound();
	test_barriers();
	test_semaphores();
	test_onces();
	test_threads();
	test_chains_lost();
	test_values();
	test_batches();
	return tap_done();
}
