/* Tables only: what each operation takes, and the words for flags. */
#include "text/std.h"

#include <string.h>

#include "capture/hooks.h"
#include "trace/format.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define LOCK_FLAGS (EVENT_WRITE_MODE | EVENT_TRY | EVENT_RECURSIVE | EVENT_IN_WAIT)

const struct std_op std_ops[EVENT_NOPS] = {
	[EVENT_READ] = { STD_RANGE, STD_VARIABLE, true,
			 STD_CAN_FREE | STD_CAN_ORDER | STD_CAN_VALUE,
			 EVENT_REREAD | EVENT_UNKNOWN | EVENT_CAS | EVENT_VOLATILE },
	[EVENT_WRITE] = { STD_RANGE, STD_VARIABLE, true,
			  STD_CAN_ORDER | STD_CAN_FEED | STD_CAN_VALUE,
			  EVENT_COPY | EVENT_VOLATILE },
	[EVENT_RMW] = { STD_RANGE, STD_VARIABLE, false,
			STD_CAN_FREE | STD_CAN_ORDER | STD_CAN_FEED | STD_CAN_VALUE,
			EVENT_UNKNOWN | EVENT_CAS | EVENT_VOLATILE },
	[EVENT_FREE] = { STD_RANGE, STD_VARIABLE, false, 0, 0 },
	[EVENT_ALLOC] = { STD_RANGE, STD_VARIABLE, false, 0, EVENT_ZEROED | EVENT_SHARED },
	[EVENT_ACQ] = { STD_OBJECT, STD_LOCK, true, 0, LOCK_FLAGS | EVENT_DEAD_OWNER },
	[EVENT_REL] = { STD_OBJECT, STD_LOCK, true, 0, LOCK_FLAGS },
	[EVENT_RACQ] = { STD_OBJECT, STD_LOCK, false, 0, LOCK_FLAGS },
	[EVENT_RREL] = { STD_OBJECT, STD_LOCK, false, 0, LOCK_FLAGS },
	[EVENT_TRYFAIL] = { STD_OBJECT, STD_LOCK, false, 0, LOCK_FLAGS | EVENT_REFUSED },
	[EVENT_REQ] = { STD_OBJECT, STD_LOCK, false, 0, LOCK_FLAGS },
	[EVENT_RREQ] = { STD_OBJECT, STD_LOCK, false, 0, LOCK_FLAGS },
	[EVENT_LOCK_INIT] = { STD_OBJECT, STD_LOCK, false, 0, LOCK_FLAGS },
	[EVENT_LOCK_DESTROY] = { STD_OBJECT, STD_LOCK, false, 0, LOCK_FLAGS },
	[EVENT_COND_INIT] = { STD_OBJECT, STD_CONDITION, false, 0, 0 },
	[EVENT_COND_DESTROY] = { STD_OBJECT, STD_CONDITION, false, 0, 0 },
	[EVENT_PARK] = { STD_TWO, STD_CONDITION, false, 0, EVENT_TRY },
	[EVENT_WAKE] = { STD_OBJECT, STD_CONDITION, false, STD_CAN_CAUSE, EVENT_TIMEOUT },
	[EVENT_SIGNAL] = { STD_COUNTED, STD_CONDITION, false, 0, 0 },
	[EVENT_BROADCAST] = { STD_COUNTED, STD_CONDITION, false, 0, 0 },
	[EVENT_BAR_INIT] = { STD_COUNTED, STD_BARRIER, false, 0, 0 },
	[EVENT_BAR_IN] = { STD_COUNTED, STD_BARRIER, false, 0, 0 },
	[EVENT_BAR_OUT] = { STD_COUNTED, STD_BARRIER, false, 0, 0 },
	[EVENT_BAR_DESTROY] = { STD_OBJECT, STD_BARRIER, false, 0, 0 },
	[EVENT_SEM_INIT] = { STD_COUNTED, STD_SEMAPHORE, false, 0, 0 },
	[EVENT_SEM_POST] = { STD_OBJECT, STD_SEMAPHORE, false, 0, 0 },
	[EVENT_SEM_WAIT] = { STD_OBJECT, STD_SEMAPHORE, false, 0, 0 },
	[EVENT_SEM_FAIL] = { STD_OBJECT, STD_SEMAPHORE, false, 0, EVENT_REFUSED },
	[EVENT_SEM_DESTROY] = { STD_OBJECT, STD_SEMAPHORE, false, 0, 0 },
	[EVENT_ONCE_BEGIN] = { STD_OBJECT, STD_ONCE, false, 0, 0 },
	[EVENT_ONCE_END] = { STD_OBJECT, STD_ONCE, false, 0, 0 },
	[EVENT_ONCE_PASS] = { STD_OBJECT, STD_ONCE, false, 0, 0 },
	[EVENT_GIVE] = { STD_OBJECT, STD_CHANNEL, false, 0, 0 },
	[EVENT_TAKE] = { STD_OBJECT, STD_CHANNEL, false, 0, 0 },
	[EVENT_FORK] = { STD_THREAD, 0, true, 0, 0 },
	[EVENT_FORK_FAIL] = { STD_THREAD, 0, false, 0, 0 },
	[EVENT_JOIN] = { STD_THREAD, 0, true, 0, EVENT_TRY },
	[EVENT_JOINING] = { STD_THREAD, 0, false, 0, EVENT_TRY },
	[EVENT_JOIN_FAIL] = { STD_THREAD, 0, false, 0, EVENT_REFUSED },
	[EVENT_DETACH] = { STD_THREAD, 0, false, 0, 0 },
	[EVENT_CANCEL] = { STD_THREAD, 0, false, 0, 0 },
	[EVENT_THREAD_BEGIN] = { STD_NOTHING, 0, false, 0, 0 },
	[EVENT_THREAD_END] = { STD_NOTHING, 0, false, 0, 0 },
	[EVENT_FENCE] = { STD_NOTHING, 0, false, STD_CAN_ORDER, 0 },
	[EVENT_USE] = { STD_NOTHING, 0, false, STD_CAN_FEED, 0 },
	[EVENT_OPAQUE] = { STD_NOTHING, 0, false, 0, 0 },
	[EVENT_BEGIN] = { STD_LABEL, 0, true, 0, 0 },
	[EVENT_END] = { STD_LABEL, 0, true, 0, 0 },
	[EVENT_SEM_REQ] = { STD_OBJECT, STD_SEMAPHORE, false, 0, 0 },
	[EVENT_USER] = { STD_CALL, STD_WORDS, false, 0, 0 },
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

const char *std_kind_word(enum std_space space, unsigned kind)
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
		[FORMAT_CHANNEL_UNSEEN] = "unseen",
	};

	static const char *const words[] = {
		[FORMAT_USER_EVENT] = "",      [FORMAT_USER_INTERNAL] = "internal",
		[FORMAT_USER_NAMES] = "names", [FORMAT_USER_BENIGN] = "benign",
		[FORMAT_USER_CALL] = "call",
	};

	if (space == STD_WORDS && kind < ARRAY_SIZE(words))
		return words[kind];
	if (space == STD_LOCK && kind < ARRAY_SIZE(locks))
		return locks[kind];
	if (space == STD_CHANNEL && kind < ARRAY_SIZE(channels))
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
