/* The text reader and writer: what lines mean, what is refused, and that text comes back. */
#include "unit/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "trace/source.h"
#include "text/std.h"
#include "text/std_history.h"
#include "text/std_read.h"
#include "text/std_write.h"
#include "trace/trace.h"

static struct diag said;

static struct trace_source *open_text(const char *text, bool lenient)
{
	struct trace_options opt = { .lenient = lenient };
	struct trace_source *s = NULL;

	said = (struct diag){ 0 };
	if (std_source_open_memory("t", text, strlen(text), &opt, &s, &said) != ST_OK)
		return NULL;
	return s;
}

/* Events before the end or the error. */
static int count(const char *text, bool lenient, enum status *last, uint32_t *notes)
{
	struct trace_source *s = open_text(text, lenient);
	struct trace_info info = { 0 };
	struct event e;
	int n = 0;

	while ((*last = s->ops->next(s, &e, &said)) == ST_OK)
		n++;
	s->ops->info(s, &info);
	if (notes)
		*notes = info.nnotes;
	s->ops->close(s);
	return n;
}

static void refused(const char *text, const char *message)
{
	enum status st;

	count(text, false, &st, NULL);
	TAP_OK(st == ST_BAD_INPUT && strncmp(said.message, message, strlen(message)) == 0,
	       "refused: %s", message);
	if (strncmp(said.message, message, strlen(message)) != 0)
		printf("# said: %s\n", said.message);
}

static void test_syntax(void)
{
	refused("x\n", "t:1:2: line ends after 'x'");
	refused("T1|r(x)\n", "t:1:8: line ends after the operation");
	refused("|r(x)|1\n", "t:1:1: empty thread name");
	refused("#fmt 1\nT1|r(x)~|1\nT1|use<1:over:3|2\n", "t:3:10: expected a comparison");
	refused("#fmt 1\nT1|r(x)~|1\nT1|use<1:ge:x|2\n", "t:3:13: expected a number");
	refused("#fmt 1\nT1|r(x)?ge:3|1\n", "t:2:13: a comparison after a read that is not free");
	refused("#fmt 1\nT1|r(x:16)~?ge:3|1\n", "t:2:17: a range of more than 8 bytes");
	refused("#fmt 1\nT1|r(x)~|1\nT1|w(x)<1:ge:3|2\n", "t:3:10: unexpected ':'");
	refused("T1|r(x)|1|2\n", "t:1:10: a third '|'");
	refused("T1|r(x)|\n", "t:1:9: empty location");
	refused("T1||1\n", "t:1:4: expected an operation");
	refused("# c\n\nT1|q(x)|1\n", "t:3:4: unknown operation 'q'; expected one of r w");
	refused("T1|rmw(x)|1\n", "t:1:4: operation 'rmw' needs the first line '#fmt 1'");
	refused("T1|r|1\n", "t:1:5: expected '('");
	refused("T1|r(x|1\n", "t:1:7: missing ')'");
	refused("T1|r()|1\n", "t:1:6: empty operand");
	refused("T1|r(x)~|1\n", "t:1:8: unexpected '~'");
	refused("T1|r(a b)|1\n", "t:1:7: blank");
	refused("T1|r(x)|1 \n", "t:1:10: blank");
	refused("T1|r(\001)|1\n", "t:1:6: control character 0x01");
	refused("T1|r(x)|1\n#fmt 1\n", "t:2:1: '#fmt' must be the first line");
	refused("#fmt 2\n", "t:1:1: unknown text format");
	refused("#fmt 1\nT1|w(x:1)=256|1\n", "t:2:11: value does not fit in 1 byte");
	refused("#fmt 1\nT1|w(x:1)=-129|1\n", "t:2:11: value does not fit");
	refused("#fmt 1\nT1|w(x:0)|1\n", "t:2:6: bad range");
	refused("#fmt 1\nT1|w(x+4294967295:2)|1\n", "t:2:6: bad range");
	refused("#fmt 1\nT1|w(x:9)=1|1\n", "t:2:11: a value of 9 bytes");
	refused("#fmt 1\nT1|w(x:9)=x00|1\n", "t:2:11: value is shorter");
	refused("#fmt 1\nT1|w(x)=1=2|1\n", "t:2:10: unexpected '='");
	refused("#fmt 1\nT1|w(x)~|1\n", "t:2:8: unexpected '~' after 'w'");
	refused("#fmt 1\nT1|acq(m)!copy|1\n", "t:2:11: unknown mark '!copy' of operation 'acq'");
	refused("#fmt 1\nT1|r(x)@hard|1\n", "t:2:9: unknown memory order 'hard'");
	refused("#fmt 1\nT1|park(c)|1\n", "t:2:9: expected a condition and a lock");
	refused("#fmt 1\nT1|user(f,x)|1\n", "t:2:11: expected a number");
	refused("#fmt 1\nT1|begin(%zz)|1\n", "t:2:10: '%' must be followed");
	refused("#fmt 1\nT1|fence(x)|1\n", "t:2:10: operation 'fence' takes no operand");
}

static void test_order(void)
{
	refused("T1|rel(l)|1\n", "t:1:8: release of a lock that nobody holds");
	refused("T1|acq(l)|1\nT2|rel(l)|2\n", "t:2:8: release of a lock that thread 'T1' holds");
	refused("T1|acq(l)|1\nT2|acq(l)|2\n", "t:2:8: acquire of a lock that thread 'T1' holds");
	refused("T2|r(x)|1\nT1|fork(T2)|2\n", "t:2:9: thread 'T2' has run before this fork");
	refused("T1|fork(2)|1\nT1|fork(T2)|2\n", "t:2:9: thread '2' was forked before");
	refused("T1|fork(T1)|1\n", "t:1:9: thread 'T1' forks itself");
	refused("T1|join(T2)|1\n", "t:1:9: join of thread 'T2', which was never forked");
	refused("T2|r(x)|1\nT1|join(2)|2\nT2|r(x)|3\n", "t:3:6: event of thread 'T2' after");
	refused("T1|end|1\n", "t:1:7: end without begin");
	refused("#fmt 1\nT1|racq(l)|1\nT2|acq(l)|2\n", "t:3:8: acquire of a lock that is held for");
	refused("#fmt 1\nT1|rrel(l)|1\n", "t:2:9: read release of a lock");
	refused("#fmt 1\nT1|w(x)<1|1\n", "t:2:9: event 1 is no read of this thread");
	refused("#fmt 1\nT2|r(x)|1\nT1|w(x)<1|1\n", "t:3:9: event 1 is no read of this thread");
	refused("#fmt 1\nT1|wake(c)<1|1\n", "t:2:12: event 1 is no signal");
}

static void test_lenient(void)
{
	enum status st;
	uint32_t notes;

	TAP_EQ(count("T1|rel(l)|1\nT1|r(x)|2\n", true, &st, &notes), 1,
	       "a stray release is dropped");
	TAP_EQ(st, ST_END, "and reading goes on to the end");
	TAP_EQ(notes, 1, "with a note");
	TAP_EQ(count("T1|acq(l)|1\nT2|acq(l)|2\nT2|rel(l)|3\nT1|rel(l)|4\n", true, &st, &notes), 2,
	       "an impossible acquire goes, and its release");
	TAP_EQ(notes, 2, "with two notes");
	TAP_EQ(count("T2|r(x)|1\nT1|join(2)|2\nT2|r(x)|3\n", true, &st, &notes), 2,
	       "events after a join are dropped");
	TAP_EQ(count("T1|foo|1\n", true, &st, &notes), 0, "bad syntax stays an error");
	TAP_EQ(st, ST_BAD_INPUT, "also when lenient");
	TAP_EQ(count("#fmt 1\nT1|rel(l)|1\nT1|r(x)~|2\nT1|w(y)<2|3\n", true, &st, &notes), 2,
	       "feeds keep counting the dropped event");
}

static void test_meaning(void)
{
	struct trace_source *s = open_text("T1|fork(5)|1\r\n \nT5|r(T5)|2\r\nT1|acq(x)|3\n"
					   "T1|acq(x)|a.c:4:f\nT1|w(x)|07\n#end\nT1|join(5)|9",
					   false);
	struct trace_site p;
	struct event e[6];
	struct trace_info info = { 0 };
	int n = 0;

	while (n < 6 && s->ops->next(s, &e[n], &said) == ST_OK)
		n++;
	TAP_EQ(n, 6, "six events");
	TAP_EQ(e[0].peer, e[1].tid, "fork(5) means T5");
	TAP_EQ(e[5].peer, e[1].tid, "join(5) too");
	TAP_STR(s->ops->thread_name(s, e[1].tid), "T5", "shown as in the thread column");
	TAP_OK(e[2].addr != e[4].addr, "locks and variables do not share addresses");
	TAP_STR(s->ops->object_name(s, e[4].addr), "x", "a variable's name");
	TAP_OK(!(e[2].flags & EVENT_RECURSIVE) && (e[3].flags & EVENT_RECURSIVE),
	       "the inner acquire nests");
	TAP_OK(e[4].pos == 5 && e[4].tseq == 4, "numbers count events only");
	s->ops->site(s, e[3].site, &p);
	TAP_OK(p.line == 4 && strcmp(p.file, "a.c") == 0 && strcmp(p.function, "f") == 0,
	       "file, line and function");
	s->ops->site(s, e[4].site, &p);
	TAP_OK(p.line == 0 && strcmp(p.file, "07") == 0, "an odd number is kept as text");
	s->ops->site(s, e[0].site, &p);
	TAP_OK(p.line == 1 && !p.file, "a plain number is a line");
	TAP_OK(s->ops->next(s, &e[0], &said) == ST_END, "the end");
	s->ops->info(s, &info);
	TAP_OK(info.form == TRACE_STD && info.complete, "plain and complete");
	s->ops->close(s);
}

static void test_ranges(void)
{
	struct trace_source *s = open_text("#fmt 1\nT1|w(b:16)|1\nT1|r(b+8:4)~=7|2\n"
					   "T1|rmw(b+8:4)!add<2,3=7>9|3\nT1|w(f.c:b)|4\n",
					   false);
	struct event e, first = { 0 };
	uint32_t v = 0;

	TAP_OK(s->ops->next(s, &first, &said) == ST_OK && first.len == 16, "a range");
	TAP_OK(s->ops->next(s, &e, &said) == ST_OK && e.addr == first.addr + 8 && e.len == 4,
	       "a part of it lies inside");
	TAP_STR(s->ops->object_name(s, e.addr), "b+8", "and is named so");
	memcpy(&v, e.value, 4);
	TAP_EQ(v, 7, "its value");
	TAP_OK(s->ops->next(s, &e, &said) == ST_OK && e.nfeeds == 2 && e.feeds[0] == 2 &&
		       e.feeds[1] == 3,
	       "an rmw may feed itself");
	memcpy(&v, e.old, 4);
	TAP_EQ(v, 7, "old value");
	memcpy(&v, e.value, 4);
	TAP_EQ(v, 9, "new value");
	TAP_OK(s->ops->next(s, &e, &said) == ST_OK && e.addr != first.addr && e.len == 8,
	       "a colon with no number is part of the name");
	s->ops->close(s);
}

/* Text to a file, through trace_open, and out again. */
static bool comes_back(const char *text, bool fmt1)
{
	char path[] = "/tmp/foresee-test-std.XXXXXX";
	struct strbuf out = { 0 };
	struct std_writer *w;
	struct trace *t;
	struct event e;
	int fd = mkstemp(path);
	bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	said = (struct diag){ 0 };
	if (!good || trace_open(path, NULL, &t, &said) != ST_OK)
		return false;
	w = std_writer_new(t, fmt1);
	if (fmt1)
		strbuf_adds(&out, STD_HEADER "\n");
	while (trace_next(t, &e, &said) == ST_OK) {
		good &= fmt1 || std_event_is_plain(&e);
		good &= std_writer_event(w, &e, &out, &said) == ST_OK;
	}
	good &= strcmp(strbuf_str(&out), text) == 0;
	if (!good)
		printf("# said %s, wrote:\n%s", said.message, strbuf_str(&out));
	strbuf_release(&out);
	std_writer_free(w);
	trace_close(t);
	close(fd);
	unlink(path);
	return good;
}

static void test_round_trip(void)
{
	TAP_OK(comes_back("T1|fork(5)|1\nT5|acq(l)|-2\n5|acq(l)|007\n", false) == false,
	       "a second spelling of a thread is made one");
	TAP_OK(comes_back("T1|fork(5)|1\nT5|acq(l)|-2\nT5|acq(l)|007\nT5|w((a))|x:y\nT5|begin|0\n",
			  false),
	       "plain text comes back");
	TAP_OK(comes_back(
		       "#fmt 1\nT1|r(x+8:4)~@acquire!unknown=7|a.c:1\nT1|w(y)<1=18446744073709551615|2\n"
		       "T1|signal(c:0)|3\nT2|wake(c)<3|4\nT2|user(a%2cb,0,300)|5\n",
		       true),
	       "#fmt 1 text comes back");
	TAP_OK(comes_back(
		       "#fmt 1\nT1|fork(T2)|1\nT2|acq(l)|2\nT1|req(l)!write!rwlock|3\nT1|rreq(l)!try!rwlock|4\n"
		       "T1|req(l)!nests|5\nT2|park(c,l)!try|6\nT1|joining(T2)|7\nT1|joining(T2)!try|8\n"
		       "T2|rel(l)|9\nT1|join(T2)|10\n",
		       true),
	       "requests and waits come back");
	refused("#fmt 1\nT1|joining(T1)|1\n", "t:2:12: thread 'T1' joins itself");
}

static void test_history(void)
{
	struct std_history h = { 0 };
	uint64_t got;

	for (uint64_t i = 1; i <= 3 * (uint64_t)STD_HISTORY; i++)
		std_history_add(&h, 10 * i, 3 * i, 2);
	TAP_OK(std_history_tseq(&h, 30 * (uint64_t)STD_HISTORY, &got) &&
		       got == 9 * (uint64_t)STD_HISTORY,
	       "the newest is known");
	TAP_OK(std_history_pos(&h, 9 * (uint64_t)STD_HISTORY - 2, &got),
	       "and a number inside a range");
	TAP_OK(!std_history_pos(&h, 9 * (uint64_t)STD_HISTORY - 1, &got), "a gap is not");
	TAP_OK(!std_history_tseq(&h, 10, &got), "the oldest is forgotten");
	std_history_release(&h);
}

int main(void)
{
	test_syntax();
	test_order();
	test_lenient();
	test_meaning();
	test_ranges();
	test_round_trip();
	test_history();
	return tap_done();
}
