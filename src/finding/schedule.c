#include "finding/schedule.h"

void schedule_release(struct schedule *s)
{
	VEC_RELEASE_ALL(&s->count, &s->tail);
}
