/*
 * Time in a run that is explored.  It does not go by itself: how long a thread really waits for the
 * baton has nothing to do with the program.  It goes on
 *
 *	when a thread sleeps		by as much as it sleeps
 *	when a timed call gives up	up to its deadline
 *	when a clock is read		by a moment, which grows if nothing else happens
 *
 * so a loop that waits until a deadline comes to its end, and what clocks say depends on the schedule alone.
 * All runs begin at the same time, one of the past.
 *
 * Threads: whoever has the baton.
 */
#include <sys/time.h>

#include "capture/baton.h"

#define SECOND 1000000000u
#define BEGUN 1700000000u /* seconds since 1970; */
#define BOOTED 100000u	  /* since the clocks began that did not begin then */
#define MOMENT 1000u	  /* nanoseconds */
#define MOMENTS 64u	  /* reads, then moments are twice as long */
#define DOUBLED_MOST 30u  /* times */
#define END (UINT64_C(1) << 61)

static uint64_t passed; /* nanoseconds since the program has begun */
static uint32_t reads;	/* since time went on by something else */

/* There is no time behind the end of times. */
static void go_to(uint64_t ns)
{
	passed = ns < passed ? passed : ns < END ? ns : END;
}

void baton_clock_pass(uint64_t ns)
{
	go_to(passed + (ns < END ? ns : END));
	reads = 0;
}

/* Which clock a deadline is of, its call does not always say; but clocks are far from each other. */
static uint64_t begun_of(uint64_t seconds)
{
	return seconds >= BEGUN / 2 ? BEGUN : BOOTED;
}

void baton_clock_until(const struct timespec *at)
{
	uint64_t seconds = at->tv_sec > 0 ? (uint64_t)at->tv_sec : 0, begun = begun_of(seconds);

	if (seconds - begun >= END / SECOND)
		go_to(seconds < begun ? 0 : END);
	else
		go_to((seconds - begun) * SECOND + (uint64_t)at->tv_nsec);
	reads = 0;
}

static bool is_of_1970(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

struct timespec baton_clock_read(clockid_t clock)
{
	uint32_t doubled = reads++ / MOMENTS;

	go_to(passed + ((uint64_t)MOMENT << (doubled < DOUBLED_MOST ? doubled : DOUBLED_MOST)));
	return (struct timespec){
		.tv_sec = (time_t)((is_of_1970(clock) ? BEGUN : BOOTED) + passed / SECOND),
		.tv_nsec = (long)(passed % SECOND),
	};
}
