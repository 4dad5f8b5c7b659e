#include "finding/schedule.h"

#include <string.h>

void schedule_release(struct schedule *s)
{
	VEC_RELEASE(&s->count);
	VEC_RELEASE(&s->tail);
}

/* An empty array may have no address, which memcpy does not take. */
#define COPY(into, from)                                                                 \
	do {                                                                             \
		VEC_RESERVE((into), (from)->n);                                          \
		if ((from)->n)                                                           \
			memcpy((into)->at, (from)->at, (from)->n * sizeof(*(from)->at)); \
		(into)->n = (from)->n;                                                   \
	} while (0)

void schedule_copy(struct schedule *into, const struct schedule *from)
{
	COPY(&into->count, &from->count);
	COPY(&into->tail, &from->tail);
}
