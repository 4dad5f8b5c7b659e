/*
 * The text reader on any bytes: strictly, twice, to the same events; then
 * leniently, which keeps at least as many.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/diag.h"
#include "trace/source.h"
#include "text/std_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads to the end; the number of events, and a mix of what they say. */
static uint64_t read_all(struct trace_source *s, uint64_t *mix)
{
	struct diag d = { 0 };
	struct event e;
	uint64_t n = 0;

	while (s->ops->next(s, &e, &d) == ST_OK) {
		struct trace_site place;

		n++;
		assert(e.pos == n && e.tid != 0 && e.op < EVENT_NOPS);
		assert(e.tid <= s->ops->thread_count(s));
		assert(s->ops->site(s, e.site, &place));
		*mix = (*mix ^ e.addr ^ e.tid ^ e.flags) * 31 + e.tseq + e.op;
		*mix += strlen(s->ops->object_name(s, e.addr)) + s->ops->object_id(s, e.addr);
		for (uint64_t i = 0; e.value && i < e.len; i++)
			*mix = *mix * 33 + e.value[i];
		for (uint32_t i = 0; i < e.nfeeds; i++)
			assert(e.feeds[i] <= e.tseq);
	}
	return n;
}

static uint64_t read_bytes(const uint8_t *data, size_t size, bool lenient, uint64_t *mix)
{
	struct trace_options opt = { .lenient = lenient };
	struct trace_source *s;
	struct diag d = { 0 };
	uint64_t n;

	if (std_source_open_memory("fuzz", data, size, &opt, &s, &d) != ST_OK)
		return 0;
	n = read_all(s, mix);
	s->ops->close(s);
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t strict = 1, again = 1, lenient = 1, n;

	n = read_bytes(data, size, false, &strict);
	assert(read_bytes(data, size, false, &again) == n && again == strict);
	assert(read_bytes(data, size, true, &lenient) >= n);
	return 0;
}
