/* The functions of one test file, as table.awk lists them. */
#include <stdint.h>

struct subject {
	const char *name;
	uint64_t (*call)(uint64_t, uint64_t, uint64_t);
	const char *
		types; /* result, arguments: v void, b bool, i int, l long, p pointer, f function */
};

extern const struct subject subjects[];
extern const unsigned nsubjects;
