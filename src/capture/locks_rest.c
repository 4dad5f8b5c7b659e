/*
 * Stubs for what the files that both runtimes share call in files that the lock recorder leaves
 * out: it records no memory, so there is nothing to filter and no range to log, and no channels; it
 * does not put signals off.
 */
#include <string.h>

#include "capture/channel.h"
#include "capture/filter.h"
#include "capture/module.h"
#include "capture/range.h"
#include "capture/signal.h"
#include "capture/unseen.h"

/* No reads are dropped, so a process that is killed leaves nothing untold. */
void signal_start(void)
{
}

void filter_none(struct thread *t)
{
	(void)t;
}

void filter_grow(struct thread *t)
{
	(void)t;
}

void filter_release(struct thread *t)
{
	(void)t;
}

void filter_settle(struct thread *t)
{
	(void)t;
}

void filter_trim(struct thread *t)
{
	(void)t;
}

void filter_sweep_pending(struct thread *t)
{
	(void)t;
}

void range_write(struct thread *t, void *p, const void *from, size_t n, uint32_t site,
		 const uint64_t *slots, uint64_t mask)
{
	(void)t, (void)site, (void)slots, (void)mask;
	memcpy(p, from, n);
}

void range_wrote(struct thread *t, void *p, size_t n, uint32_t site)
{
	(void)t, (void)p, (void)n, (void)site;
}

void channel_log(struct thread *t, unsigned kind, unsigned channel)
{
	(void)t, (void)kind, (void)channel;
}

void unseen_begin(struct thread *t, const void *f)
{
	(void)t, (void)f;
}

void unseen_main(struct thread *t)
{
	(void)t;
}

void unseen_runs(struct thread *t)
{
	(void)t;
}

void module_forked(void)
{
}

/* Nothing puts a signal off. */
void hook_signal(struct thread *t)
{
	(void)t;
}
