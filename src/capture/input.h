/*
 * What comes from outside and is another thing in every run: clocks, random bytes.  It is recorded, so that
 * a replay can give it to the program again (control_clock.c); a program that is explored has clocks of its own.
 */
#ifndef CAPTURE_INPUT_H
#define CAPTURE_INPUT_H

#include <stddef.h>
#include <sys/time.h>
#include <time.h>

/* The call of that name has got this; it may become something else. */
void input_clock(clockid_t clock, const char *name, struct timespec *now);
void input_time_of_day(struct timeval *now);
time_t input_seconds(time_t now, time_t *out);
clock_t input_cpu(clock_t now);
void input_random(const char *name, void *p, size_t n);

#endif /* CAPTURE_INPUT_H */
