/*
 * Sleeps fix the order that is recorded, and order nothing.
 */
#ifndef NAP_H
#define NAP_H

#include <unistd.h>

/* n times 20 ms. */
static inline void nap(int n)
{
	usleep(20000u * (unsigned)n);
}

/* The value is read, whatever the optimiser thinks of it. */
static inline void look(int value)
{
	volatile int seen = value;

	(void)seen;
}

#endif /* NAP_H */
