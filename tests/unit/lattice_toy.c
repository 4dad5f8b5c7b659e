#include "unit/lattice_toy.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/diag.h"
#include "spec/spec.h"
#include "unit/lattice_naive.h"

/* A state is the naive number without flags; the flags are the verdicts. */
static enum monitor_verdict verdict(const struct monitor *m, uint32_t config)
{
	if (m->name[0] == 'b')
		return naive_bad(config) ? MONITOR_BAD : MONITOR_GOOD;
	return naive_error(config) ? MONITOR_ERROR : MONITOR_GOOD;
}

static enum monitor_verdict toy_initial(void *self, const struct monitor_value *values,
					uint8_t *state)
{
	(void)values;
	*state = 1;
	return verdict(self, 1);
}

static enum monitor_verdict toy_step(void *self, const uint8_t *before,
				     const struct monitor_input *in, uint8_t *after)
{
	uint32_t kind = 1 + (uint32_t)__builtin_ctzll(in->events);
	uint32_t config = naive_step(*before, kind);

	/* What the item writes came along. */
	if (in->values[0].raw != kind * 7)
		abort();
	*after = (uint8_t)(config % NAIVE_STATES);
	return verdict(self, config);
}

void toy_init(struct toy *t)
{
	static const char text[] = "shared int x = 0; shared int y = 0;\n"
				   "event a = user(a); event b = user(b);\n"
				   "event c = user(c); event d = user(d);\n";
	static const struct monitor_value initial[2] = { { 0, 15 }, { 0, 15 } };
	static const char *const names[2] = { "bad", "error" };
	struct diag d = { 0 };

	if (spec_parse("toy", text, sizeof(text) - 1, &t->spec, &d) != ST_OK) {
		fprintf(stderr, "%s\n", d.message);
		abort();
	}
	t->monitors = (struct monitors){ .spec = t->spec, .n = 2 };
	t->monitors.at = mem_zalloc(2 * sizeof(*t->monitors.at));
	for (int i = 0; i < 2; i++) {
		struct monitor *m = &t->monitors.at[i];

		*m = (struct monitor){ .name = names[i], .size = 1, .events = 15 };
		m->self = m;
		m->initial = toy_initial;
		m->step = toy_step;
	}
	t->configs = configs_new(&t->monitors, initial);
}

void toy_release(struct toy *t)
{
	configs_free(t->configs);
	mem_free(t->monitors.at);
	spec_free(t->spec);
}

struct watch_item toy_item(uint32_t kind, uint32_t other, struct watch_write *writes)
{
	for (uint32_t i = 0; i < 2; i++)
		writes[i] = (struct watch_write){ .variable = i,
						  .raw = i ? other : kind * 7,
						  .mask = UINT32_MAX,
						  .known = true };
	return (struct watch_item){ .events = UINT64_C(1) << (kind - 1), .nwrites = 2 };
}
