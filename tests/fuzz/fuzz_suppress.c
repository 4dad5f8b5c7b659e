/*
 * Suppression files of any bytes: refused with a place, or rules that can be matched.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/diag.h"
#include "finding/suppress.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const words[] = { "total", "stats.hits", "main", "/src/lib/a.c", "" };
	struct suppress_names names = { 0 };
	struct suppress *s;
	struct diag d = { 0 };

	if (size > 2000)
		return 0; /* matching takes time that grows with the stars of a pattern */
	if (suppress_parse((const char *)data, size, "fuzz", &s, &d) != ST_OK) {
		assert(!s && strncmp(d.message, "fuzz:", 5) == 0);
		return 0;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		*VEC_PUSH(&names.variables) = words[i];
		*VEC_PUSH(&names.functions) = words[i];
		*VEC_PUSH(&names.files) = words[i];
	}
	if (suppress_match(s, FINDING_RACE, &names)) {
		uint64_t hits = 0;

		for (size_t i = 0; i < suppress_count(s); i++)
			hits += suppress_rule(s, i).hits;
		assert(hits == 1);
	}
	VEC_RELEASE(&names.variables);
	VEC_RELEASE(&names.functions);
	VEC_RELEASE(&names.files);
	suppress_free(s);
	return 0;
}
