#include "finding/schedule.h"

void schedule_release(struct schedule *s)
{
	VEC_RELEASE(&s->count);
	VEC_RELEASE(&s->tail);
}
