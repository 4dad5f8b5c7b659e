/*
 * Dependencies of threads in text traces: one of each kind, how far they count, and random traces against
 * the definition.
 */
#include "explore/window.h"

#include <sys/mman.h>
#include <unistd.h>

#include "trace/trace.h"
#include "unit/tap.h"

static void read_graph(const char *text, struct window_graph *g)
{
	struct diag d = { 0 };
	struct trace *t;
	char path[64];
	int fd = memfd_create("trace", MFD_CLOEXEC);

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) ||
	    trace_open(path, NULL, &t, &d) != ST_OK || window_graph_read(g, t, &d) != ST_OK)
		BUG("cannot read: %s", d.message);
	trace_close(t);
	close(fd);
}

/* "2>1 made 1-3": thread 2 from event 1 on depends on thread 1 up to event 3. */
static const char *edges_text(const struct window_graph *g)
{
	static const char *const whys[] = { "made",    "reads",	 "joins", "signal",
					    "barrier", "posted", "once",  "channel" };
	static char out[1000];
	size_t n = 0;

	out[0] = '\0';
	for (size_t i = 0; i < g->edges.n && n < sizeof(out) - 80; i++) {
		const struct window_edge *e = &g->edges.at[i];

		n += (size_t)snprintf(out + n, sizeof(out) - n, "%s%u>%u %s %llu-", i ? ", " : "",
				      e->tid, e->on, whys[e->why], (unsigned long long)e->took);
		n += e->gave == UINT64_MAX ? (size_t)snprintf(out + n, sizeof(out) - n, "end")
					   : (size_t)snprintf(out + n, sizeof(out) - n, "%llu",
							      (unsigned long long)e->gave);
	}
	return out;
}

/* The members of the window of a thread with an event. */
static const char *window_text(const struct window_graph *g, uint32_t tid, uint64_t pos)
{
	static char out[200];
	struct window w = { 0 };
	size_t n = 0;

	window_add(&w, tid, pos);
	window_extend(&w, g);
	out[0] = '\0';
	for (uint32_t t = 1; t <= g->nthreads; t++)
		if (window_has(&w, t))
			n += (size_t)snprintf(out + n, sizeof(out) - n, "%s%u", n ? " " : "", t);
	window_release(&w);
	return out;
}

static void edges_are(const char *text, const char *want, const char *about)
{
	struct window_graph g;

	read_graph(text, &g);
	TAP_STR(edges_text(&g), want, "%s", about);
	window_graph_release(&g);
}

static void test_kinds(void)
{
	edges_are("T1|fork(T2)|1\nT2|w(x)|2\nT1|join(T2)|3\n", "1>2 joins 3-end, 2>1 made 1-1",
		  "made and joined");
	edges_are("T1|r(x)|1\nT2|w(x)|2\nT1|r(x)|3\nT2|w(x)|4\n", "1>2 reads 1-4",
		  "reads from the first on what is written up to the last");
	edges_are("T1|w(x)|1\nT2|w(x)|2\n", "", "who writes only depends on nobody");
	edges_are("#fmt 1\nT1|r(x+0:4)|1\nT2|w(x+4:4)|2\n", "", "other bytes of a word");
	edges_are("#fmt 1\nT1|w(x)|1\nT2|r(x+4:4)|2\nT3|w(x+4:4)|3\nT3|r(x+0:4)|4\n",
		  "2>1 reads 2-1, 2>3 reads 2-3, 3>1 reads 4-1",
		  "parts have the past of the whole");
	edges_are("#fmt 1\nT1|acq(m)|1\nT1|rel(m)!wait|2\nT1|park(c,m)|3\nT2|signal(c)|4\n"
		  "T3|broadcast(c)|5\nT1|wake(c)<4|6\nT1|acq(m)!wait|7\nT1|rel(m)|8\n",
		  "1>2 signal 3-4, 1>3 signal 3-5", "whoever may signal");
	edges_are("#fmt 1\nT1|barinit(b:2)|1\nT1|barin(b)|2\nT2|barin(b)|3\nT1|barout(b)|4\n"
		  "T2|barout(b)|5\n",
		  "1>2 barrier 2-3, 2>1 barrier 3-2", "who meets");
	edges_are("#fmt 1\nT1|seminit(s:0)|1\nT2|sempost(s)|2\nT1|semwait(s)|3\n", "1>2 posted 3-2",
		  "who posts");
	edges_are("#fmt 1\nT1|oncebegin(o)|1\nT1|onceend(o)|2\nT2|oncepass(o)|3\n", "2>1 once 3-2",
		  "who runs a routine");
	edges_are("#fmt 1\nT1|give(p)|1\nT2|take(p)|2\n", "2>1 channel 2-1", "who gives");
	edges_are("T1|acq(m)|1\nT1|rel(m)|2\nT2|acq(m)|3\nT2|rel(m)|4\n", "", "locks are none");
}

/* T1 makes all and joins all; T2 and T3 talk, T4 and T5 do, T3 reads what T6 wrote at its end. */
static void test_extent(void)
{
	static const char text[] = "T1|w(a)|1\nT1|fork(T2)|2\nT1|fork(T3)|3\nT1|fork(T4)|4\n"
				   "T1|fork(T5)|5\nT1|fork(T6)|6\nT2|r(x)|7\nT3|w(x)|8\nT2|r(a)|9\n"
				   "T4|w(y)|10\nT5|r(y)|11\nT6|w(z)|12\nT3|r(z)|13\n"
				   "T1|join(T2)|14\nT1|join(T4)|15\n";
	struct window_graph g;

	read_graph(text, &g);
	TAP_STR(window_text(&g, 2, 7), "1 2 3", "main as far as it makes them, not what it joins");
	TAP_STR(window_text(&g, 3, 8), "1 3", "before it reads what another wrote");
	TAP_STR(window_text(&g, 3, 13), "1 3 6", "and then");
	TAP_STR(window_text(&g, 5, 11), "1 4 5", "the others");
	TAP_STR(window_text(&g, 1, 14), "1 2 3", "main with a join: all of who is joined counts");
	TAP_STR(window_text(&g, 1, 15), "1 2 3 4", "and the next");
	window_graph_release(&g);
}

/* ---- random ---- */

#define EVENTS 14u
#define THREADS 4u

struct naive {
	struct {
		uint32_t tid, other; /* other: the thread it forks or joins */
		char op, variable;
	} at[EVENTS + 1];
	uint32_t n;
};

static uint64_t next(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

/* T1 makes the others, in the end it joins some; in between anybody reads and writes. */
static void make(struct naive *v, uint64_t *random, unsigned nvariables, char *text, size_t size)
{
	size_t at = 0;

	v->n = 0;
	text[0] = '\0';
	for (uint32_t i = 1; i <= EVENTS; i++) {
		bool makes = i<THREADS, joins = i> EVENTS - 2;
		uint32_t tid = makes || joins ? 1 : 1 + (uint32_t)next(random) % THREADS;

		v->at[++v->n].tid = tid;
		v->at[i].op = makes ? 'f' : joins ? 'j' : next(random) % 2 ? 'r' : 'w';
		v->at[i].variable = (char)('x' + next(random) % nvariables);
		v->at[i].other = makes ? i + 1 : EVENTS - i + 2;
		if (makes || joins)
			at += (size_t)snprintf(text + at, size - at, "T1|%s(T%u)|%u\n",
					       makes ? "fork" : "join", v->at[i].other, i);
		else
			at += (size_t)snprintf(text + at, size - at, "T%u|%c(%c)|%u\n", tid,
					       v->at[i].op, v->at[i].variable, i);
	}
}

/* Does event i need event k, of another thread? */
static bool needs(const struct naive *v, uint32_t i, uint32_t k)
{
	if (v->at[i].op == 'j' && v->at[i].other == v->at[k].tid)
		return true;
	return v->at[i].op == 'r' && v->at[k].op == 'w' && v->at[i].variable == v->at[k].variable &&
	       v->at[i].tid != v->at[k].tid;
}

/* All events that are needed: marks from the last to the first, again and again. */
static void naive_window(const struct naive *v, uint32_t tid, uint32_t pos, bool in[THREADS + 1])
{
	bool needed[EVENTS + 1] = { false }, grew = true;

	memset(in, 0, (THREADS + 1) * sizeof(*in));
	in[tid] = needed[pos] = true;
	while (grew) {
		bool was[EVENTS + 1], had[THREADS + 1];

		memcpy(was, needed, sizeof(was));
		memcpy(had, in, sizeof(had));
		for (uint32_t i = 1; i <= v->n; i++)
			for (uint32_t k = 1; k <= v->n; k++) {
				bool past = k < i && v->at[k].tid == v->at[i].tid;
				bool made = v->at[k].op == 'f' && v->at[k].other == v->at[i].tid;

				needed[k] |= needed[i] && (past || made || needs(v, i, k));
				in[v->at[k].tid] |= needed[k];
			}
		for (uint32_t i = 1; i <= v->n; i++) /* joined, though it did nothing */
			if (needed[i] && v->at[i].op == 'j')
				in[v->at[i].other] = true;
		for (uint32_t k = 1; k <= v->n; k++)
			needed[k] |= v->at[k].op == 'f' && in[v->at[k].other];
		grew = memcmp(was, needed, sizeof(was)) != 0 || memcmp(had, in, sizeof(had)) != 0;
	}
}

/* Of two threads one dependence stands for those by several variables, so there may be more in it then;
 * never less. */
static void test_random(unsigned nvariables)
{
	uint64_t random = 5;
	unsigned bad = 0, missed = 0;

	for (unsigned round = 0; round < 500; round++) {
		struct window_graph g;
		struct naive v;
		char text[1000];

		make(&v, &random, nvariables, text, sizeof(text));
		read_graph(text, &g);
		for (uint32_t pos = 1; pos <= v.n; pos++) {
			struct window w = { 0 };
			bool in[THREADS + 1];

			window_add(&w, v.at[pos].tid, pos);
			window_extend(&w, &g);
			naive_window(&v, v.at[pos].tid, pos, in);
			for (uint32_t t = 1; t <= THREADS; t++) {
				bad += in[t] != window_has(&w, t);
				missed += in[t] && !window_has(&w, t);
			}
			window_release(&w);
		}
		window_graph_release(&g);
	}
	if (nvariables == 1)
		TAP_EQ(bad, 0, "windows of random traces are as defined");
	TAP_EQ(missed, 0, "nobody is missing with %u variables", nvariables);
}

int main(void)
{
	test_kinds();
	test_extent();
	test_random(1);
	test_random(3);
	return tap_done();
}
