/* Which memory of a recorded program the variables of a spec are. */
#ifndef CLI_SPEC_BINDING_H
#define CLI_SPEC_BINDING_H

#include <stdbool.h>

struct input;
struct spec;

/* Prints address, size, type and initial value of each, and notes to stderr; quiet: neither.  False
 * after messages about all that were not found. */
bool spec_binding_print(const struct spec *s, const char *trace, const struct input *in);

#endif /* CLI_SPEC_BINDING_H */
