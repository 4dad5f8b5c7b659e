/*
 * Translated code: what is added to it (instrument.c), and where the values of a block flow
 * (flow.c).
 */
#ifndef VALGRIND_INSTRUMENT_H
#define VALGRIND_INSTRUMENT_H

#include "tool.h"

#include "pub_tool_tooliface.h"

/* What is known of each statement of a block, by its number. */
enum flow_codes {
	FLOW_NONE,
	FLOW_SET, /* sets the condition codes, from no free read */
	FLOW_FED, /* sets them from the last free read */
};

struct flow {
	Bool *free; /* a free load, or the store that it feeds */
	Bool *skip; /* a load that is one with the atomic of its instruction */
	uint8_t *codes;
};

struct flow *flow_of(const IRSB *b);
void flow_free(struct flow *f);
/* Does it look at the condition codes as they were before the block, or were left in it? */
Bool flow_uses_codes(const IRStmt *s);

extern uint64_t flags_fed;
void access_flags_fed(void);

IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
		 const VexGuestExtents *extents, const VexArchInfo *arch, IRType word, IRType host);

#endif /* VALGRIND_INSTRUMENT_H */
