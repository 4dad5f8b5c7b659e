/* What is known of kinds of events, from the one list in events.def. */
#include "trace/event.h"

#include "trace/format.h"

#define MAKES EVENT_LIFE_MAKES
#define ENDS EVENT_LIFE_ENDS
#define TOUCHES EVENT_LIFE_TOUCHES
#define USES (EVENT_LIFE_USES | EVENT_LIFE_TOUCHES)
#define FIRST EVENT_LIFE_FIRST
#define KEEPS EVENT_LIFE_KEEPS

/* No two flags are the same bit: 28 powers of two have this sum only if they are different. */
_Static_assert(EVENT_FREE_READ + EVENT_ATOMIC + EVENT_REREAD + EVENT_UNKNOWN + EVENT_HAS_VALUE +
			       EVENT_WRITE_MODE + EVENT_TRY + EVENT_RECURSIVE + EVENT_IN_WAIT +
			       EVENT_TIMEOUT + EVENT_CAS + EVENT_ZEROED + EVENT_COPY +
			       EVENT_VOLATILE + EVENT_DEAD_OWNER + EVENT_SHARED + EVENT_REFUSED +
			       EVENT_STEADY + EVENT_READS + EVENT_BEGUN + EVENT_SCOPE + EVENT_PART +
			       EVENT_CANCELLED + EVENT_TESTED + EVENT_LEFT + EVENT_ENTERED +
			       EVENT_LOOKS + EVENT_RANGE ==
		       (1u << 28) - 1,
	       "flags of events");

static const struct {
	const char *name;
	char family;
	uint8_t object, life;
} ops[EVENT_NOPS] = {
#define EVENT(id, name, family, object, life, operand, marks, flags) \
	{ name, #family[0], EVENT_OBJECT_##object, life },
#include "trace/events.def"
#undef EVENT
};

static enum event_op op_check(enum event_op op)
{
	if ((unsigned)op >= EVENT_NOPS)
		BUG("event operation %d", (int)op);
	return op;
}

const char *event_op_name(enum event_op op)
{
	return ops[op_check(op)].name;
}

char event_op_family(enum event_op op)
{
	return ops[op_check(op)].family;
}

enum event_object event_op_object(enum event_op op)
{
	return ops[op_check(op)].object;
}

unsigned event_op_life(enum event_op op)
{
	return ops[op_check(op)].life;
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

	static const uint8_t others[] = {
		[EVENT_OBJECT_CONDITION] = 48,
		[EVENT_OBJECT_BARRIER] = 32,
		[EVENT_OBJECT_SEMAPHORE] = 32,
		[EVENT_OBJECT_ONCE] = 4,
	};
	enum event_object object = event_op_object(e->op);

	if (object == EVENT_OBJECT_LOCK)
		return e->lock_kind < sizeof(locks) ? locks[e->lock_kind] : 1;
	return object < sizeof(others) && others[object] ? others[object] : 1;
}
