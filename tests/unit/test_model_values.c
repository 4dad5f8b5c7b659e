/*
 * Values in order/model: by hand, and on random accesses to a few words, where every read must
 * show in each of its cells what the write it saw has stored there.
 */
#include "tap.h"

#include <stdlib.h>

#include "order/cells.h"
#include "step_builder.h"

static void test_values(void)
{
	struct step_builder b = { 0 };
	struct model *m;
	uint64_t r = 0, w = 0;

	step_build_access(&b, 1, STEP_WRITE, 0); /* 1: bytes 0 to 7 */
	step_build_range(&b, 0x1000, 8);
	step_build_bytes(&b, "\1\2\3\4\5\6\7\10", 8);
	step_build_split(&b, 0, 1);	       /* 2 to 7 */
	step_build_split(&b, 1, 2);	       /* 4 to 7 */
	step_build_access(&b, 2, STEP_RMW, 1); /* 2: bytes 2 to 3 */
	step_build_range(&b, 0x1002, 2);
	step_build_bytes(&b, "\3\4\7\7", 4);
	step_build_access(&b, 2, STEP_READ, 2); /* 3: bytes 4 to 17, two fresh cells */
	step_build_cell(&b, 3);
	step_build_cell(&b, 4);
	step_build_range(&b, 0x1004, 14);
	step_build_bytes(&b, "\5\6\7\10abcdefghij", 14);
	step_build_access(&b, 1, STEP_READ, 0); /* 4: no value */
	step_build_range(&b, 0x1000, 2);
	m = step_build_model(&b, &(struct model_options){ .values = true });
	TAP_OK(model_value(m, 1, 0, NULL, &w) && w == 0x0201, "first part of a word");
	TAP_OK(model_value(m, 1, 1, NULL, &w) && w == 0x0403, "its middle");
	TAP_OK(model_value(m, 1, 2, NULL, &w) && w == 0x08070605, "its end");
	TAP_OK(model_value(m, 2, 1, &r, &w) && r == 0x0403 && w == 0x0707, "rmw");
	TAP_OK(model_value(m, 3, 2, &r, NULL) && r == 0x08070605, "range: an old cell");
	TAP_OK(model_value(m, 3, 3, &r, NULL) && r == 0x6867666564636261, "a fresh word");
	TAP_OK(model_value(m, 3, 4, &r, NULL) && r == 0x6a69, "part of the last word");
	TAP_OK(!model_value(m, 4, 0, &r, NULL), "no value was recorded");
	TAP_OK(!model_value(m, 2, 0, &r, NULL), "not its cell");
	model_free(m);
	step_builder_release(&b);
}

#define MEMORY 24
#define BASE 0x1000u
#define EVENTS 60

struct run {
	struct step_builder b;
	struct cells cells;
	uint8_t memory[MEMORY];
};

/* What the cells have to say before the event that made them say it. */
static void tell_splits(struct run *r)
{
	for (size_t i = 0; i < r->cells.splits.n; i++) {
		const struct cells_split *p = &r->cells.splits.at[i];

		step_build_split(&r->b, p->from, p->to);
		step_build_last(&r->b)->addr = p->addr;
		step_build_last(&r->b)->len = p->len;
	}
	VEC_CLEAR(&r->cells.splits);
}

static void random_access(struct run *r)
{
	uint8_t op = (uint8_t[]){ STEP_READ, STEP_WRITE, STEP_RMW }[rand() % 3];
	uint32_t from = (uint32_t)rand() % MEMORY;
	uint32_t most = MEMORY - from < 14 ? MEMORY - from : 14, len = 1 + (uint32_t)rand() % most;
	uint8_t bytes[2 * MEMORY];
	uint32_t one = 0, n;

	VEC_CLEAR(&r->cells.ids);
	n = cells_touch(&r->cells, BASE + from, len, &one);
	tell_splits(r);
	step_build_access(&r->b, 1 + (uint32_t)rand() % 3, op, n == 1 ? one : r->cells.ids.at[0]);
	for (uint32_t i = 1; i < n; i++)
		step_build_cell(&r->b, r->cells.ids.at[i]);
	step_build_range(&r->b, BASE + from, len);
	memcpy(bytes, r->memory + from, len);
	for (uint32_t i = from; op != STEP_READ && i < from + len; i++)
		r->memory[i] = (uint8_t)rand();
	memcpy(bytes + (op == STEP_RMW ? len : 0), r->memory + from, len);
	step_build_bytes(&r->b, bytes, op == STEP_RMW ? 2 * len : len);
}

/* New memory: cells may be cut at its ends. */
static void random_alloc(struct run *r)
{
	uint32_t from = (uint32_t)rand() % MEMORY, len = 1 + (uint32_t)rand() % (MEMORY - from);

	cells_drop(&r->cells, BASE + from, len);
	tell_splits(r);
	step_build(&r->b, 1, STEP_NONE, 0);
	memset(r->memory + from, 0, len);
}

/* All values are known; a read shows what was stored, or zero at first. */
static bool values_agree(const struct model *m)
{
	for (uint32_t e = 1; e <= m->n; e++) {
		for (uint32_t i = m->event[e].touch; i < m->event[e + 1].touch; i++) {
			struct model_touch t = m->touches[i];
			uint64_t read = 0, stored = 0;

			if (!model_value(m, e, t.cell, &read, NULL) ||
			    (t.seen != 0 && !model_value(m, t.seen, t.cell, NULL, &stored)))
				return false;
			if (m->event[e].op != STEP_WRITE && read != stored)
				return false;
		}
	}
	return true;
}

static void test_random(void)
{
	static struct run r;
	int wrong = 0;

	for (int run = 0; run < 2000; run++) {
		struct model *m;

		memset(&r, 0, sizeof(r));
		while (r.b.pos < EVENTS) {
			if (rand() % 12 == 0)
				random_alloc(&r);
			else
				random_access(&r);
		}
		m = step_build_model(&r.b, &(struct model_options){ .values = true });
		wrong += !values_agree(m);
		model_free(m);
		cells_release(&r.cells);
		step_builder_release(&r.b);
	}
	TAP_EQ(wrong, 0, "2000 random runs: reads show what was stored, cell by cell");
}

int main(void)
{
	srand(5);
	test_values();
	test_random();
	return tap_done();
}
