/*
 * Schedule files of any bytes: refused with a place, or such that a run can take them.
 */
#include <stdint.h>

#include "explore/course.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct course c;
	struct diag d = { 0 };
	FILE *from = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;

	if (!from)
		return 0;
	if (course_parse(&c, from, "fuzz", &d) == ST_OK) {
		assert(c.program && c.directory && c.outcome && c.arguments.n > 1);
		assert(c.arguments.at[c.arguments.n - 1] == NULL && c.steps.n <= COURSE_STEPS);
		for (size_t i = 0; i < c.steps.n; i++)
			assert(c.steps.at[i].thread < BATON_THREADS);
	} else {
		assert(d.message[0] && !c.program && c.steps.n == 0);
	}
	course_release(&c);
	fclose(from);
	return 0;
}
