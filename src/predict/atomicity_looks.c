/*
 * Splits that the program itself looks out for: no findings.
 *
 *	again	the block reads an atomic variable up to a and asks for it once more from c on,
 *		and another thread writes it in between: the block sees that, and does what it does then
 *
 *			do { s = seq; x = a; y = b; } while (s != seq);
 *
 *	waits	a read that only asks, and asks again, or has its answer from the other side: a
 *		thread that waits is meant to be between
 *
 *			t = next++; while (serving != t); ... serving++;
 *
 * An atomic read asks if its value is compared and nothing else comes of it (STEP_LOOKS): who asks is prepared
 * for any answer.  Of other reads that is not taken for granted: they are under locks, which stand for an answer that
 * stays.  What a thread does after an answer that it did not get in the recorded run, nobody knows.
 *
 * Nothing is predicted that would not be without this file; what it takes back may be wrong after all, where what
 * is done after the second look is.
 */
#include "order/calls.h"
#include "predict/atomicity_priv.h"

#define REACH 128u /* events of a thread that are looked at, either way */

static bool asks(const struct model_event *v)
{
	return model_reads(v) && (v->flags & STEP_ATOMIC) && (v->flags & STEP_LOOKS) &&
	       !(v->flags & STEP_SHADOW);
}

/* Two events of a thread, one before the other, are in what is meant to be atomic. */
static bool is_together(const struct atomicity *x, const struct atomicity_tuple *t, uint32_t e,
			uint32_t other)
{
	const struct calls *c = x->opt->calls;
	uint32_t first = e < other ? e : other, last = e < other ? other : e;

	if (t->block == FINDING_BLOCK_MARKED)
		return x->blocks.of[e] == x->blocks.of[other];
	return !c || calls_common(c, x->m, first, last) >= calls_common(c, x->m, t->a, t->c);
}

/* The thread's last read, up to a, of what it asks for at e, from c on; 0 none, or it writes that itself since. */
static uint32_t read_before(const struct atomicity *x, const struct atomicity_tuple *t, uint32_t a,
			    uint32_t e)
{
	const struct model *m = x->m;
	struct model_list chain = model_chain(m, m->event[e].chain);
	uint32_t i = m->event[e].index, from = m->event[a].index;

	from = from > REACH ? from - REACH : 0;
	while (i-- > from) {
		uint32_t r = chain.at[i];
		const struct model_event *v = &m->event[r];

		if ((!model_reads(v) && !model_writes(v)) || !model_shares_cell(m, r, e))
			continue;
		if (model_writes(v))
			return 0;
		if (i <= m->event[a].index)
			return is_together(x, t, r, a) ? r : 0;
	}
	return 0;
}

static bool looks_again(const struct atomicity *x, const struct atomicity_tuple *t, uint32_t a,
			uint32_t c, const struct exact_order *o)
{
	const struct model *m = x->m;
	struct model_list chain = model_chain(m, m->event[c].chain);
	uint32_t i = m->event[c].index, end = chain.n - i > REACH ? i + REACH : chain.n;

	for (; i < end && is_together(x, t, c, chain.at[i]); i++) {
		uint32_t e = chain.at[i], r = asks(&m->event[e]) ? read_before(x, t, a, e) : 0;

		if (r && atomicity_is_written(m, o, r, c))
			return true;
	}
	return false;
}

/* The write that the read saw in the recorded run is of the thread of e: that, or a later one. */
static bool is_answer(const struct model *m, uint32_t read, uint32_t e)
{
	const struct model_event *v = &m->event[read];

	for (uint32_t i = v->touch; i < v[1].touch; i++) {
		const struct model_event *w = &m->event[m->touches[i].seen];

		if (m->touches[i].seen && w->chain == m->event[e].chain &&
		    w->index >= m->event[e].index)
			return true;
	}
	return false;
}

/* It asks the same until somebody has written, always in the same place. */
static bool is_repeated(const struct atomicity *x, uint32_t read)
{
	const struct model *m = x->m;
	const struct model_event *v = &m->event[read];
	struct model_list chain = model_chain(m, v->chain);
	uint32_t end = chain.n - v->index > REACH ? v->index + REACH : chain.n;

	for (uint32_t i = v->index + 1; i < end; i++) {
		uint32_t e = chain.at[i];
		const struct model_event *w = &m->event[e];

		if ((!model_reads(w) && !model_writes(w)) || !model_shares_cell(m, read, e) ||
		    (w->flags & STEP_SHADOW))
			continue;
		if (!asks(w) || w->site != v->site || x->blocks.of[e] != x->blocks.of[read])
			return false;
		if (m->touches[w->touch].seen != m->touches[v->touch].seen)
			return true;
	}
	return false;
}

/* It asks until it has the answer: in vain here, or in the recorded run it had it from the other side. */
static bool waits(const struct atomicity *x, uint32_t e, uint32_t answer)
{
	return asks(&x->m->event[e]) &&
	       (is_repeated(x, e) || (answer && is_answer(x->m, e, answer)));
}

static bool somebody_waits(const struct atomicity *x, const struct atomicity_tuple *t)
{
	/* Of the block's last access only where the recorded run went the same way. */
	return waits(x, t->a, 0) || waits(x, t->b, t->c) || waits(x, t->d, t->c) ||
	       waits(x, t->c, t->a < t->b ? t->b : 0);
}

bool atomicity_is_noticed(const struct atomicity *x, const struct atomicity_tuple *t,
			  const struct exact_order *o)
{
	return somebody_waits(x, t) || looks_again(x, t, t->a, t->c, o) ||
	       (atomicity_is_cross(x->m, t) && looks_again(x, t, t->d, t->b, o));
}
