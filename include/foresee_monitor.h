/*
 * Monitors of your own, for properties that the spec language does not have.
 *
 * A plug-in is a shared object with one table in it:
 *
 *	cc -shared -fPIC -o balance.so monitor_balance.c	(-I where this header is)
 *	foresee check --monitor ./balance.so TRACE		(also run, observe)
 *
 * A monitor watches one run, step by step, and says when it has gone wrong.  foresee does so for
 * the run that was recorded and for all others that the recording proves possible; these have
 * much in common, so it keeps the states of a monitor, puts them back, compares them, and throws
 * them away.  Hence the rules:
 *
 *   - All that a monitor remembers is in its state: state_size bytes, zeroed at first.  No global
 *     variables, no pointers to memory of its own.  Equal states are equal bytes: set padding and
 *     what no longer matters to zero, the fewer different states the faster.
 *   - What a step does follows from the state and the input alone.
 *   - No threads: one call at a time, though not always from the same thread.
 *   - Nothing outside the state is written.  Bytes around it are checked after each call; a
 *     monitor that changes them is not called again, and the report says so.
 *
 * Values and events have the names of the spec (`foresee help specs').  With -s FILE the spec must
 * declare all that a monitor names; without it the plug-in's own declarations are taken:
 *
 *	#include <foresee_monitor.h>
 *
 *	static const char *const variables[] = { "a", "b", NULL };
 *
 *	struct sum {
 *		int64_t first;
 *		int64_t differs;
 *	};
 *
 *	static void start(const struct foresee_input *in, void *state)
 *	{
 *		struct sum *s = state;
 *
 *		s->first = in->values[0].integer + in->values[1].integer;
 *	}
 *
 *	static void step(const struct foresee_input *in, void *state)
 *	{
 *		struct sum *s = state;
 *
 *		s->differs = in->values[0].integer + in->values[1].integer != s->first;
 *	}
 *
 *	static int is_bad(const void *state)
 *	{
 *		const struct sum *s = state;
 *
 *		return s->differs ? FORESEE_BAD : FORESEE_GOOD;
 *	}
 *
 *	static const struct foresee_monitor monitors[] = {
 *		{ "sum", sizeof(struct sum), 0, variables, NULL, start, step, is_bad },
 *	};
 *	FORESEE_MONITORS(monitors, "shared long long a; shared long long b;");
 *
 * C from 1999 on, C++ from 2011 on.
 */
#ifndef FORESEE_MONITOR_H
#define FORESEE_MONITOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this header.  foresee refuses a plug-in of another one and says which it wants. */
#define FORESEE_MONITOR_ABI 1u

/* What is_bad answers.  All but GOOD are last words: the monitor is not asked again in that run. */
enum {
	FORESEE_GOOD = 0,    /* so far */
	FORESEE_BAD = 1,     /* the property is violated: a finding */
	FORESEE_ERROR = 2,   /* it has no value here, as after a division by zero: a finding too */
	FORESEE_UNKNOWN = 3, /* nothing can be said: a note */
};

struct foresee_value {
	int64_t integer; /* of integers and pointers; unsigned 64-bit ones: the same bits */
	double real;	 /* of float and double; of integers the nearest one */
	int known;	 /* 0: nobody knows what it is, and the other two are 0 */
};

struct foresee_input {
	const struct foresee_value *values; /* after the event, in the order of `variables' */
	uint64_t events;		    /* bit i: it is number i of `events' */
	uint64_t written;		    /* bit i: it writes number i of `variables' */
	uint32_t thread; /* whose event it is, by creation; the first is 1.  0 in initial */
};

/* For foresee_monitor.flags.  Values that are not known are given to the monitor; without the flag
 * it is not called with any, and the verdict is UNKNOWN. */
#define FORESEE_TAKES_UNKNOWN 1u

struct foresee_monitor {
	const char *name;    /* as findings call the property */
	uint32_t state_size; /* bytes, at most 4096; may be 0 */
	uint32_t flags;
	/* Names in the spec, each list ended by NULL, at most 64; NULL: none.  Every event that is
	 * one of `events', and every write of one of `variables', is a step. */
	const char *const *variables;
	const char *const *events;
	/* The state before any event.  `state' is zeroed and aligned for any type. */
	void (*initial)(const struct foresee_input *in, void *state);
	/* The state after one more event, in place. */
	void (*step)(const struct foresee_input *in, void *state);
	/* Asked after each of them: FORESEE_GOOD, BAD, ERROR or UNKNOWN. */
	int (*is_bad)(const void *state);
};

struct foresee_monitor_table {
	uint32_t abi;	       /* FORESEE_MONITOR_ABI */
	uint32_t monitor_size; /* sizeof(struct foresee_monitor) */
	uint32_t count;	       /* of monitors */
	const struct foresee_monitor *monitors;
	/* Declarations in the spec language, for use without a spec; or NULL. */
	const char *declarations;
};

#if defined(__GNUC__)
#define FORESEE_EXPORT_ __attribute__((visibility("default")))
#else
#define FORESEE_EXPORT_
#endif

/* The one symbol that foresee looks for. */
extern FORESEE_EXPORT_ const struct foresee_monitor_table foresee_monitors;

/* Defines it; monitors is an array.  Once in a plug-in, outside of functions. */
#define FORESEE_MONITORS(monitors, declarations)                                     \
	const struct foresee_monitor_table foresee_monitors = {                      \
		FORESEE_MONITOR_ABI, sizeof(struct foresee_monitor),                 \
		sizeof(monitors) / sizeof((monitors)[0]), (monitors), (declarations) \
	}

#ifdef __cplusplus
}
#endif

#endif /* FORESEE_MONITOR_H */
