/* Names of events, from the one list in event.h. */
#include "trace/event.h"

#include "base/diag.h"

static const struct {
	const char *name;
	char family;
} ops[EVENT_NOPS] = {
#define X(id, name, family) { name, #family[0] },
	EVENT_OPS(X)
#undef X
};

const char *event_op_name(enum event_op op)
{
	if ((unsigned)op >= EVENT_NOPS)
		BUG("event operation %d", (int)op);
	return ops[op].name;
}

char event_op_family(enum event_op op)
{
	if ((unsigned)op >= EVENT_NOPS)
		BUG("event operation %d", (int)op);
	return ops[op].family;
}
