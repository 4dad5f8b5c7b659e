/*
 * Properties about what threads know of each other (mttl): compiled, and judged on a recorded run.
 *
 *	spec --mttl_compile--> struct know_program --+--> mttl_judge, here
 *						     +--> capture/guard.h, in the program itself
 *
 * doc/MONITORS.md says what they mean.
 */
#ifndef MONITOR_MTTL_H
#define MONITOR_MTTL_H

#include "know/program.h"
#include "spec/spec.h"

struct trace;
struct trace_options;
struct watch;

/* How many properties of the spec are mttl. */
uint32_t mttl_count(const struct spec *s);

/* The mttl properties of a spec, in its order; *out is freed by mem_free.  What cannot be is refused, at its
 * spot. */
enum status mttl_compile(const struct spec *s, struct know_program **out,
			 struct diag *d) ST_CHECKED;
/* For people: "3 remote terms, 2 bits". */
void mttl_describe(const struct know_program *p, struct strbuf *out);
/* The property of the spec that number i of the program is. */
const struct spec_property *mttl_property(const struct spec *s, uint32_t i);

struct mttl_violation {
	const struct spec_property *property;
	uint32_t number; /* of the property, among those that are mttl */
	uint64_t pos;
	uint32_t tid, site;
	bool begins; /* the thread's state before did not violate it: a handler would be called */
};
typedef void mttl_tell(void *arg, const struct mttl_violation *v);

/* Judges the recorded run of the trace at path; tells of each event after which a property is false, in the order
 * of the trace.  stop may be NULL. */
enum status mttl_judge(const struct spec *s, const char *path, const struct trace_options *how,
		       mttl_tell *tell, void *arg, struct diag *d) ST_CHECKED;

#endif /* MONITOR_MTTL_H */
