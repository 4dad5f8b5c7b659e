/*
 * order/unseen against the list of all that unseen code did, and against vector clocks of forks and
 * joins: what is called calm comes before.
 */
#include "unit/tap.h"

#include <unistd.h>

#include "base/diag.h"
#include "order/unseen.h"
#include "trace/trace.h"
#include "unit/trace_builder.h"

#define THREADS 7u /* from 1 */
#define STEPS 120u

static uint32_t state;

static uint32_t random_below(uint32_t n)
{
	state = state * 1103515245u + 12345u;
	return (state >> 16) % n;
}

/* Unseen code of a thread, from its number `begun' on, was over at pos. */
struct past {
	uint32_t tid;
	uint64_t begun, pos;
};

struct world {
	struct unseen unseen;
	const struct trace *trace;
	uint64_t pos;
	uint64_t seq[THREADS];		  /* events of each */
	uint64_t clock[THREADS][THREADS]; /* what of each comes before it, by forks and joins */
	bool runs[THREADS], ended[THREADS];
	uint64_t inside[THREADS]; /* the number of the event that entered; 0: outside */
	struct past past[STEPS * 2];
	unsigned npast;
	unsigned wrong, asked, calm;
};

static void over(struct world *w, uint32_t tid)
{
	if (w->inside[tid])
		w->past[w->npast++] = (struct past){ tid, w->inside[tid], w->pos };
	w->inside[tid] = 0;
}

static void tell(struct world *w, uint32_t tid, enum event_op op, uint32_t peer, uint32_t site)
{
	struct event e = { .op = op, .tid = tid, .peer = peer, .site = site };

	e.pos = ++w->pos;
	e.tseq = w->clock[tid][tid] = ++w->seq[tid];
	if (site != 9) /* not from unseen code */
		over(w, tid);
	if (op == EVENT_OPAQUE && !w->inside[tid])
		w->inside[tid] = e.tseq;
	unseen_event(&w->unseen, w->trace, &e);
}

/* Does all of it come before what the thread does next? */
static bool is_before(const struct world *w, const struct past *p, uint32_t tid)
{
	return p->tid == tid || w->clock[tid][p->tid] > p->begun;
}

static void ask(struct world *w, uint32_t tid)
{
	uint64_t others = unseen_others(&w->unseen, tid),
		 calm = unseen_thread(&w->unseen, tid)->calm;

	w->asked++;
	w->calm += calm != 0;
	for (uint32_t x = 1; x < THREADS; x++) /* those that were joined are over */
		if (x != tid && w->inside[x] && !w->ended[x])
			w->wrong += others != UINT64_MAX;
	for (unsigned i = 0; i < w->npast; i++) {
		const struct past *p = &w->past[i];

		if (is_before(w, p, tid))
			continue;
		w->wrong += p->pos <= calm; /* it may come later */
		w->wrong += others < p->pos;
	}
	if (!w->inside[tid] && unseen_own(&w->unseen, tid) == 0)
		for (unsigned i = 0; i < w->npast; i++)
			w->wrong += w->past[i].tid == tid;
}

static void step(struct world *w, uint32_t tid)
{
	uint32_t peer = 1 + random_below(THREADS - 1);

	switch (random_below(7)) {
	case 0:
	case 1:
		tell(w, tid, EVENT_OPAQUE, 0, 9);
		break;
	case 2:
		if (!w->runs[peer] && !w->ended[peer]) {
			tell(w, tid, EVENT_FORK, peer, 1);
			memcpy(w->clock[peer], w->clock[tid], sizeof(w->clock[tid]));
			w->clock[peer][tid] = w->seq[tid] + 1; /* all so far, this one too */
			w->clock[peer][peer] = 0;
			w->runs[peer] = true;
		}
		break;
	case 3:
		if (peer != tid && w->runs[peer] && random_below(3) == 0) {
			tell(w, peer, EVENT_THREAD_END, 0, 1);
			w->runs[peer] = false;
			w->ended[peer] = true;
			tell(w, tid, EVENT_JOIN, peer, 1);
			for (uint32_t x = 1; x < THREADS; x++)
				if (w->clock[peer][x] + (x == peer) > w->clock[tid][x])
					w->clock[tid][x] = w->clock[peer][x] + (x == peer);
		}
		break;
	case 4:
		tell(w, tid, EVENT_FENCE, 0, 9); /* a function of the program, called back */
		break;
	default:
		tell(w, tid, EVENT_FENCE, 0, 1);
		break;
	}
}

static struct trace *empty(void)
{
	char path[] = "/tmp/foresee-test-unseen-XXXXXX";
	struct builder *b = builder_new(0);
	struct trace *t = NULL;
	struct diag d = { 0 };
	const uint8_t *bytes;
	size_t n;
	int fd = mkstemp(path);

	builder_finish(b, 0);
	bytes = builder_bytes(b, &n);
	if (fd >= 0)
		close(fd);
	builder_save(path, bytes, n);
	if (trace_open(path, NULL, &t, &d) != ST_OK)
		printf("# cannot open: %s\n", d.message);
	unlink(path);
	builder_free(b);
	return t;
}

int main(void)
{
	unsigned wrong = 0, asked = 0, calm = 0;
	struct trace *t = empty();

	if (!TAP_OK(t != NULL, "a trace"))
		return tap_done();
	for (state = 1; state < 600000000u; state += 1000003u) {
		struct world w = { .trace = t };
		uint32_t seed = state;

		w.runs[1] = true;
		for (unsigned i = 0; i < STEPS; i++) {
			uint32_t tid = 1 + random_below(THREADS - 1);

			if (!w.runs[tid])
				continue;
			step(&w, tid);
			for (uint32_t x = 1; x < THREADS; x++)
				if (w.runs[x])
					ask(&w, x);
		}
		wrong += w.wrong;
		asked += w.asked;
		calm += w.calm;
		unseen_release(&w.unseen);
		state = seed;
	}
	TAP_EQ(wrong, 0,
	       "what unseen code may have done is not forgotten, and what is calm comes before");
	TAP_OK(asked > 1000 && calm > asked / 20, "calm often");
	trace_close(t);
	return tap_done();
}
