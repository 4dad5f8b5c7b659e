/* Names of events, from the one list in event.h. */
#include "trace/event.h"

#include "base/diag.h"
#include "trace/format.h"

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

bool event_argument(const struct event *e, uint32_t *at, int64_t *out)
{
	uint64_t v = 0;
	unsigned shift = 0;

	while (*at < e->ndata) {
		uint8_t byte = e->data[(*at)++];

		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (byte & 0x80)
			continue;
		*out = (int64_t)v;
		return true;
	}
	return false;
}

/* As glibc lays them out on x86-64; those of C11 and C++ are the same objects. */
uint32_t event_object_size(const struct event *e)
{
	static const uint8_t locks[] = {
		[FORMAT_LOCK_MUTEX] = 40,
		[FORMAT_LOCK_RWLOCK] = 56,
		[FORMAT_LOCK_SPIN] = 4,
	};

	switch (e->op) {
	case EVENT_COND_INIT:
	case EVENT_COND_DESTROY:
	case EVENT_PARK:
	case EVENT_WAKE:
	case EVENT_SIGNAL:
	case EVENT_BROADCAST:
		return 48;
	case EVENT_BAR_INIT:
	case EVENT_BAR_IN:
	case EVENT_BAR_OUT:
	case EVENT_BAR_DESTROY:
	case EVENT_SEM_INIT:
	case EVENT_SEM_POST:
	case EVENT_SEM_WAIT:
	case EVENT_SEM_FAIL:
	case EVENT_SEM_DESTROY:
	case EVENT_SEM_REQ:
		return 32;
	case EVENT_ONCE_BEGIN:
	case EVENT_ONCE_END:
	case EVENT_ONCE_PASS:
		return 4;
	default:
		return (event_op_family(e->op) == 'L' || e->op == EVENT_LOCK_INIT ||
			e->op == EVENT_LOCK_DESTROY) &&
				       e->lock_kind < sizeof(locks)
			       ? locks[e->lock_kind]
			       : 1;
	}
}
