#include "capture/idle.h"

#include "capture/thread.h"

/* start.go: whether somebody is about to begin with it. */
static struct create_start starts[THREAD_IDLE];
static uint32_t next;

struct create_start *idle_start(const struct create_call *c)
{
	uint32_t i = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED) % THREAD_IDLE;
	struct create_start *s = &starts[i];

	if (!thread_is_nobody(thread_self()) || thread_scratch.view.live != THREAD_QUIET ||
	    __atomic_exchange_n(&s->go, 1, __ATOMIC_ACQUIRE) != 0) /* pairs with idle_drop */
		return NULL;
	s->run = c->run;
	s->arg = c->arg;
	s->thread = thread_idle(i);
	return s;
}

void idle_drop(struct create_start *start)
{
	__atomic_store_n(&start->go, 0, __ATOMIC_RELEASE);
}

bool idle_begin(struct create_start *start, struct create_start *s)
{
	if (start < starts || start >= starts + THREAD_IDLE)
		return false;
	*s = *start;
	foresee_self = &s->thread->view;
	idle_drop(start);
	return true;
}
