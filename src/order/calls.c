#include "order/calls.h"

#include "order/model.h"
#include "trace/trace.h"

#define FAR 4096u /* events of a thread that are looked at */

void calls_release(struct calls *c)
{
	VEC_RELEASE_ALL(&c->depth, &c->stayed, &c->inlined);
}

static uint8_t cut(uint32_t depth)
{
	return (uint8_t)(depth < UINT8_MAX ? depth : UINT8_MAX);
}

void calls_take(struct calls *c, const struct trace *t, const struct event *e)
{
	struct trace_site s;

	if (c->depth.n == 0) {
		*VEC_PUSH(&c->depth) = 0;
		*VEC_PUSH(&c->stayed) = 0;
		*VEC_PUSH(&c->inlined) = false;
	}
	*VEC_PUSH(&c->depth) = cut(e->depth);
	*VEC_PUSH(&c->stayed) = cut(e->stayed);
	*VEC_PUSH(&c->inlined) = trace_site(t, e->site, &s) && s.inlined != 0;
}

uint32_t calls_common(const struct calls *c, const struct model *m, uint32_t a, uint32_t b)
{
	struct model_list list = model_chain(m, m->event[a].chain);
	uint32_t low = c->depth.at[a], from = m->event[a].index, to = m->event[b].index;

	if (to - from > FAR)
		return low < c->root ? low : c->root;
	for (uint32_t i = from + 1; i <= to; i++)
		if (c->stayed.at[list.at[i]] < low)
			low = c->stayed.at[list.at[i]];
	return low;
}

bool calls_loop(const struct calls *c, const struct model *m, uint32_t a, uint32_t b)
{
	struct model_list list = model_chain(m, m->event[a].chain);
	uint32_t depth = calls_common(c, m, a, b), at = m->event[a].index;
	uint32_t end = at > FAR ? at - FAR : 0;
	bool loop = m->event[a].site == m->event[b].site;

	/* Back to where the call began; what is earlier decides. */
	for (uint32_t i = at; i > end; i--) {
		uint32_t e = list.at[i], before = list.at[i - 1];

		if (c->stayed.at[e] < depth || c->depth.at[before] < depth ||
		    m->event[before].tid != m->event[a].tid)
			break;
		if (m->event[before].site == m->event[b].site)
			loop = true;
		else if (m->event[before].site == m->event[a].site)
			loop = false;
	}
	return loop;
}
