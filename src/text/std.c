/* Tables only: what each operation takes, and the words for flags. */
#include "text/std.h"

#include "capture/hooks.h"
#include "trace/format.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define LOCK_FLAGS (EVENT_WRITE_MODE | EVENT_TRY | EVENT_RECURSIVE | EVENT_IN_WAIT)
#define PLAIN STD_PLAIN
#define CAN_FREE STD_CAN_FREE
#define CAN_ORDER STD_CAN_ORDER
#define CAN_FEED STD_CAN_FEED
#define CAN_VALUE STD_CAN_VALUE
#define CAN_CAUSE STD_CAN_CAUSE
#define CAN_TEST STD_CAN_TEST

const struct std_op std_ops[EVENT_NOPS] = {
#define EVENT(id, name, family, object, life, operand, marks, flags) \
	{ STD_##operand, marks, flags },
#include "trace/events.def"
#undef EVENT
};

enum event_op std_op_find(const char *name, size_t n)
{
	for (int op = 0; op < EVENT_NOPS; op++) {
		const char *known = event_op_name(op);

		if (strlen(known) == n && memcmp(known, name, n) == 0)
			return op;
	}
	return EVENT_NOPS;
}

const char *std_flag_word(unsigned i, uint32_t *flag)
{
	static const struct {
		uint32_t flag;
		const char *word;
	} words[] = {
		{ EVENT_REREAD, "reread" },    { EVENT_UNKNOWN, "unknown" },
		{ EVENT_WRITE_MODE, "write" }, { EVENT_TRY, "try" },
		{ EVENT_RECURSIVE, "nests" },  { EVENT_IN_WAIT, "wait" },
		{ EVENT_TIMEOUT, "timeout" },  { EVENT_CAS, "cas" },
		{ EVENT_ZEROED, "zeroed" },    { EVENT_COPY, "copy" },
		{ EVENT_DEAD_OWNER, "dead" },  { EVENT_VOLATILE, "volatile" },
		{ EVENT_SHARED, "shared" },    { EVENT_REFUSED, "refused" },
		{ EVENT_SCOPE, "scope" },      { EVENT_LOOKS, "looks" },
	};

	if (i >= ARRAY_SIZE(words))
		return NULL;
	*flag = words[i].flag;
	return words[i].word;
}

const char *std_order_word(unsigned order)
{
	static const char *const words[] = { "relaxed", "consume", "acquire",
					     "release", "acq_rel", "seq_cst" };

	return order < ARRAY_SIZE(words) ? words[order] : NULL;
}

const char *std_kind_word(enum event_object object, unsigned kind)
{
	static const char *const locks[] = {
		[FORMAT_LOCK_MUTEX] = "",
		[FORMAT_LOCK_RWLOCK] = "rwlock",
		[FORMAT_LOCK_SPIN] = "spin",
		[FORMAT_LOCK_USER] = "userlock",
	};
	static const char *const channels[] = {
		[FORMAT_CHANNEL_USER] = "",	    [FORMAT_CHANNEL_FILE] = "file",
		[FORMAT_CHANNEL_SOCKET] = "socket", [FORMAT_CHANNEL_SIGNAL] = "signal",
		[FORMAT_CHANNEL_UNSEEN] = "unseen", [FORMAT_CHANNEL_TURN] = "turn",
	};

	static const char *const words[] = {
		[FORMAT_USER_EVENT] = "",      [FORMAT_USER_INTERNAL] = "internal",
		[FORMAT_USER_NAMES] = "names", [FORMAT_USER_BENIGN] = "benign",
		[FORMAT_USER_CALL] = "call",
	};

	if (object == EVENT_OBJECT_WORDS && kind < ARRAY_SIZE(words))
		return words[kind];
	if (object == EVENT_OBJECT_LOCK && kind < ARRAY_SIZE(locks))
		return locks[kind];
	if (object == EVENT_OBJECT_CHANNEL && kind < ARRAY_SIZE(channels))
		return channels[kind];
	return NULL;
}

const char *std_rmw_word(unsigned op)
{
	static const char *const words[] = {
#define X(id, name) [FORESEE_RMW_##id] = name,
		FORESEE_RMW_OPS(X)
#undef X
	};

	return op < ARRAY_SIZE(words) ? words[op] : NULL;
}
