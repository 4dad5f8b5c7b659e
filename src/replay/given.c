#include "replay/given.h"

#include <time.h>

#include "replay/draft.h"
#include "trace/format.h"
#include "trace/trace.h"

#define SECOND INT64_C(1000000000)

/* Its key, as the runtime makes one of a place. */
static uint32_t key_of(const struct trace *t, uint32_t site)
{
	struct trace_site p;

	return site != 0 && trace_site(t, site, &p)
		       ? plan_key(p.file, p.function, p.line, p.column, p.kind)
		       : 0;
}

/* The clock that it is of, in nanoseconds. */
static int64_t time_of(const struct trace_input *in, unsigned *clock)
{
	*clock = in->what == FORMAT_INPUT_SECONDS ? CLOCK_REALTIME
		 : in->what == FORMAT_INPUT_CPU	  ? CLOCK_PROCESS_CPUTIME_ID
						  : in->what;
	return in->what == FORMAT_INPUT_CPU ? in->seconds * 1000
					    : in->seconds * SECOND + in->nanoseconds;
}

static void clock_note(struct given *g, const struct trace_input *in)
{
	unsigned clock;
	int64_t ns;

	if (in->what == FORMAT_INPUT_RANDOM)
		return;
	ns = time_of(in, &clock);
	if (clock < PLAN_CLOCKS && ns > 0 && (g->clocks[clock] == 0 || ns < g->clocks[clock]))
		g->clocks[clock] = ns;
}

static void take(struct given *g, const struct trace *t, const struct trace_input *in,
		 const uint8_t *bytes, uint64_t solids)
{
	*VEC_PUSH(&g->inputs) = (struct plan_input){ .solids = solids,
						     .seconds = in->seconds,
						     .nanoseconds = in->nanoseconds,
						     .bytes = g->bytes.n,
						     .n = in->n,
						     .key = key_of(t, in->site),
						     .what = in->what };
	VEC_APPEND(&g->bytes, bytes + in->bytes, in->n);
	clock_note(g, in);
}

/* Of the inputs of a trace: which comes next of the same thread, + 1, and each thread's first. */
struct chains {
	VEC(uint32_t) next, first;
};

static void chains_make(struct chains *c, const struct trace_input *all, size_t n)
{
	for (size_t i = n; i-- > 0;) {
		VEC_REACH(&c->next, i);
		VEC_REACH(&c->first, all[i].tid);
		c->next.at[i] = c->first.at[all[i].tid];
		c->first.at[all[i].tid] = (uint32_t)i + 1;
	}
}

void given_find(const struct draft *d, const struct trace *t, struct given *out)
{
	const struct trace_input *all;
	const uint8_t *bytes;
	size_t n = trace_inputs(t, &all, &bytes);
	struct chains c = { 0 };

	*out = (struct given){ 0 };
	chains_make(&c, all, n);
	for (size_t k = 0; k < d->threads.n; k++) {
		const struct draft_thread *own = &d->threads.at[k];
		uint32_t i = own->tid < c.first.n ? c.first.at[own->tid] : 0, item = own->first;

		*VEC_PUSH(&out->first) = (uint32_t)out->inputs.n;
		for (; i != 0; i = c.next.at[i - 1]) {
			while (item != DRAFT_NONE && d->items.at[item].tseq <= all[i - 1].tseq)
				item = d->items.at[item].next;
			if (item == DRAFT_NONE) /* the thread's part is over */
				break;
			take(out, t, &all[i - 1], bytes, d->items.at[item].solids);
		}
	}
	*VEC_PUSH(&out->first) = (uint32_t)out->inputs.n;
	VEC_RELEASE_ALL(&c.next, &c.first);
}

void given_release(struct given *g)
{
	VEC_RELEASE_ALL(&g->inputs, &g->first, &g->bytes);
}
