/*
 * What the analyses have looked for, how far they got, and why "none" may not mean none.
 *
 * Nothing else knows what keeps a report from saying that there is nothing in any run that
 * the recording proves possible: everything that was not recorded, not read, not searched or not decided.
 */
#ifndef REPORT_SCOPE_H
#define REPORT_SCOPE_H

#include "base/common.h"

struct engine;
struct report;

/* Several analyses look for the same as this one. */
bool scope_is_shared(const struct report *r, const struct engine *e);

struct scope {
	bool races, waits, properties;	 /* looked for */
	bool decided;			 /* of each, some analysis has decided every candidate */
	uint64_t open_races, open_waits; /* looked for and not found, by the best analysis */
	/* Why not every order was considered, in words, the shortest first; none: it was. */
	struct texts because;
	/* Or this is why, and all: it was considered where "waits are woken by ...".  NULL: not so. */
	char *given;
};
void scope_get(const struct report *r, struct scope *out);
void scope_release(struct scope *s);

#endif /* REPORT_SCOPE_H */
