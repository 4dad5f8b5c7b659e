/*
 * Specs of any bytes: refused with a place, or read, printed, and read again to the same text;
 * then their monitors take some steps over values and events that the bytes choose.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "monitor/monitor.h"
#include "spec/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Equal bytes, equal verdicts and states. */
static void step(const struct monitor *m, const struct spec *s, const uint8_t *data, size_t size)
{
	static uint8_t before[MONITOR_STATE], after[MONITOR_STATE], again[MONITOR_STATE];
	struct monitor_value values[SPEC_VARIABLES] = { 0 };
	enum monitor_verdict v;

	for (uint32_t i = 0; i < s->nvariables; i++)
		values[i] = (struct monitor_value){ size ? data[i % size] : 0, 255 };
	v = m->initial(m->self, values, before);
	for (size_t i = 0; i + 3 < size && i < 60 && v == MONITOR_GOOD; i += 3) {
		struct monitor_input in = { .values = values, .thread = 1 + (data[i] & 3) };

		in.events = m->events & (data[i + 1] | UINT64_C(1) << (data[i] & 63));
		if (s->nvariables)
			values[data[i] % s->nvariables].raw = (uint64_t)(int8_t)data[i + 2];
		v = m->step(m->self, before, &in, after);
		assert(m->step(m->self, before, &in, again) == v);
		assert(v != MONITOR_GOOD || memcmp(after, again, m->size) == 0);
		memcpy(before, after, m->size);
	}
}

static void run(const struct spec *s, const uint8_t *data, size_t size)
{
	struct diag d = { 0 };
	struct monitors m;

	if (monitors_new(s, &m, &d) != ST_OK) {
		assert(d.message[0]);
		return;
	}
	for (uint32_t i = 0; i < m.n; i++) {
		struct strbuf text = { 0 };

		m.at[i].describe(m.at[i].self, &text);
		assert(text.n);
		strbuf_release(&text);
		step(&m.at[i], s, data, size);
	}
	monitors_release(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf text = { 0 }, again = { 0 };
	struct spec *s, *back;
	struct diag d = { 0 };

	if (spec_parse("fuzz", (const char *)data, size, &s, &d) != ST_OK) {
		assert(!s && strncmp(d.message, "fuzz:", 5) == 0 && strchr(d.message, '^'));
		return 0;
	}
	spec_print(s, &text);
	assert(spec_parse("back", strbuf_str(&text), text.n, &back, &d) == ST_OK);
	spec_print(back, &again);
	assert(strcmp(strbuf_str(&text), strbuf_str(&again)) == 0);
	for (uint32_t i = 0; i < s->nproperties; i++)
		assert(s->properties[i].variables == back->properties[i].variables &&
		       s->properties[i].events == back->properties[i].events);
	run(s, data, size);
	strbuf_release(&text);
	strbuf_release(&again);
	spec_free(back);
	spec_free(s);
	return 0;
}
