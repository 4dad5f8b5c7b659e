/*
 * Reads that are only tested (model_test): what they may see instead of what they saw.
 *
 * Such a read sees a write that stores what was logged, so nothing that flowed into that differs; and every
 * event of the reordering that tests it must find the same outcome.  It is then as any read with several
 * writes to choose from (exact_values.c), but that what it feeds may differ: then it is not as good
 * as observed, and where something needs it whole it has to keep its write.
 *
 * Writes that nothing leads to may be of use, so the universe takes those in that would do for a test in
 * it, each with what its value comes from.
 */
#include "predict/exact_priv.h"

#define MOST_WRITES 32u /* taken in for one test */

void exact_tests_note(struct exact *x, uint32_t id)
{
	const struct model_event *e = &x->m->event[id];

	if (model_reads(e) && model_is_tested(x->m, id, id))
		*VEC_PUSH(&x->asks) = (struct exact_ask){ id, id };
	for (uint32_t i = e->feed; e->op == STEP_USE && i < e[1].feed; i++) {
		uint32_t read = x->m->feeds[i];

		if (read != 0 && x->m->event[read].index >= x->lo[x->m->event[read].chain] &&
		    model_is_tested(x->m, read, id))
			*VEC_PUSH(&x->asks) = (struct exact_ask){ read, id };
	}
}

static bool is_in_universe(const struct exact *x, uint32_t id)
{
	return x->m->event[id].index < x->top[x->m->event[id].chain];
}

/* Takes in event id.  True: it was not there. */
static bool take(struct exact *x, uint32_t id)
{
	enum exact_room room;

	if (is_in_universe(x, id))
		return false;
	room = exact_take_upto(x, id);
	x->clipped |= room == EXACT_NO_ROOM;
	return room == EXACT_TAKEN;
}

/* The write, and all that its value comes from. */
static bool take_slice(struct exact *x, uint32_t write)
{
	bool grew = false;

	VEC_CLEAR(&x->slice);
	*VEC_PUSH(&x->slice) = write;
	for (size_t i = 0; i < x->slice.n; i++) {
		const struct model_event *w = &x->m->event[x->slice.at[i]];

		grew |= take(x, x->slice.at[i]);
		for (uint32_t f = w->feed; f < w[1].feed; f++) {
			const struct model_event *q = &x->m->event[x->m->feeds[f]];

			for (uint32_t k = q->touch; x->m->feeds[f] != 0 && k < q[1].touch; k++) {
				uint32_t seen = x->m->touches[k].seen;
				bool known = seen == 0;

				for (size_t j = 0; j < x->slice.n && !known; j++)
					known = x->slice.at[j] == seen;
				if (!known)
					*VEC_PUSH(&x->slice) = seen;
			}
		}
		x->steps += x->slice.n;
		if (x->slice.n > MOST_WRITES) {
			x->clipped = true;
			break;
		}
	}
	return grew;
}

/* Write number i of the cell's accesses, if it is one that would do. */
static bool try_write(struct exact *x, const struct exact_ask *a, uint32_t id, uint32_t cell,
		      uint32_t *left, bool *grew)
{
	const struct model_event *w = &x->m->event[id], *r = &x->m->event[a->read];
	uint64_t value;

	x->steps++;
	if (!model_writes(w) || (w->chain == r->chain && w->index >= r->index) ||
	    !model_value(x->m, id, cell, NULL, &value) ||
	    !model_tests_pass(x->m, a->read, a->at, value))
		return true;
	if (*left == 0) {
		x->clipped = true;
		return false;
	}
	--*left;
	*grew |= take_slice(x, id);
	return true;
}

/* The nearest first, before the read and behind it. */
static bool ask_supply(struct exact *x, const struct exact_ask *a)
{
	const struct model_touch *t = &x->m->touches[x->m->event[a->read].touch];
	struct model_list list = model_cell(x->m, t->cell);
	uint32_t at = exact_count_upto(list, a->read), left = MOST_WRITES;
	bool grew = t->seen != 0 && take_slice(x, t->seen);

	for (uint32_t i = 0; i < at || at + i < list.n; i++) {
		if (i < at && !try_write(x, a, list.at[at - 1 - i], t->cell, &left, &grew))
			break;
		if (at + i < list.n && !try_write(x, a, list.at[at + i], t->cell, &left, &grew))
			break;
	}
	return grew;
}

bool exact_tests_supply(struct exact *x)
{
	bool grew = false;

	for (; x->asks_at < x->asks.n; x->asks_at++) {
		struct exact_ask a = x->asks.at[x->asks_at];

		grew |= ask_supply(x, &a);
	}
	return grew;
}

bool exact_is_same(const struct exact *x, const struct exact_touch *t, uint32_t writer)
{
	uint32_t id = x->nodes.at[t->node].id;
	uint64_t saw, value;

	if (writer == t->own)
		return true;
	return x->values && model_value(x->m, id, x->cells.at[t->cell].cell, &saw, NULL) &&
	       exact_value_of(x, t->cell, writer, &value) && saw == value;
}

bool exact_fits(const struct exact *x, const struct exact_touch *t, uint32_t writer)
{
	uint32_t id = x->nodes.at[t->node].id;
	struct model_tests tests = model_tests_of(x->m, id);
	uint64_t value;

	if (exact_is_same(x, t, writer))
		return true;
	if (x->nodes.at[t->node].needed || !exact_value_of(x, t->cell, writer, &value))
		return false;
	for (uint32_t i = 0; i < tests.n; i++) {
		bool before;
		uint32_t at = exact_node_of(x, tests.at[i].at, &before);

		if (at != EXACT_NONE && exact_is_in(x, at) &&
		    !model_test_is_same(x->m, &tests.at[i], value))
			return false;
	}
	return true;
}
