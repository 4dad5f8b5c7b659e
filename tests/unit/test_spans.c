/* Spans against a model with one entry for each byte. */
#include <string.h>

#include "tap.h"
#include "base/spans.h"

#define BYTES 200u
#define BASE 1000u

static uint32_t model[BYTES]; /* number of the span around the byte; 0 none */
static uint64_t state = 88172645463325252u;

static uint32_t pick(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 20) % n;
}

static void model_set(uint32_t from, uint32_t to, uint32_t number)
{
	for (uint32_t i = from; i < to; i++)
		model[i] = number;
}

static void model_drop(uint32_t number)
{
	for (uint32_t i = 0; i < BYTES; i++)
		if (model[i] == number)
			model[i] = 0;
}

static bool agrees(const struct spans *s)
{
	for (uint32_t i = 0; i < BYTES; i++) {
		const struct span *f = spans_find(s, BASE + i);

		if ((f ? f->number : 0) != model[i])
			return false;
	}
	return spans_find(s, BASE - 1) == NULL && spans_find(s, BASE + BYTES) == NULL;
}

/* whole: what is overlapped goes; else it is cut. */
static void test_random(bool whole)
{
	struct spans s;
	bool good = true;

	memset(model, 0, sizeof(model));
	spans_init(&s);
	for (uint32_t n = 1; n <= 20000 && good; n++) {
		uint32_t from = pick(BYTES - 1), len = 1 + pick(pick(8) ? 12 : BYTES - from);
		uint32_t to = from + len < BYTES ? from + len : BYTES;
		struct span span = { .addr = BASE + from, .len = to - from, .number = n };
		unsigned what = pick(4);

		if (what == 0 && whole) {
			const struct span *f = spans_find(&s, BASE + from);

			if (f) {
				model_drop(f->number);
				spans_remove(&s, f->addr);
			}
		} else if (what == 0) {
			model_set(from, to, 0);
			spans_clear(&s, span.addr, span.len);
		} else if (whole) {
			for (uint32_t i = from; i < to; i++)
				if (model[i])
					model_drop(model[i]);
			model_set(from, to, n);
			spans_put(&s, span);
		} else {
			model_set(from, to, n);
			spans_lay(&s, span);
		}
		good = agrees(&s);
	}
	TAP_OK(good, whole ? "whole spans" : "spans that are cut");
	TAP_OK(s.nodes.n <= BYTES + 2, "no more nodes than bytes");
	spans_release(&s);
}

int main(void)
{
	struct spans s;

	test_random(true);
	test_random(false);
	spans_init(&s);
	spans_put(&s, (struct span){ .addr = 64, .len = 0, .number = 1 });
	TAP_OK(spans_find(&s, 64) && !spans_find(&s, 65), "an empty one has an address");
	spans_clear(&s, 64, 0);
	TAP_OK(spans_find(&s, 64) != NULL, "no bytes, nothing cleared");
	spans_remove(&s, 63);
	TAP_OK(spans_find(&s, 64) != NULL, "none begins there");
	spans_release(&s);
	return tap_done();
}
