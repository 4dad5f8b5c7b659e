/*
 * Stubs for what the files that both runtimes share call in files that the lock recorder leaves
 * out: it records no memory, so there is nothing to filter and no range to log, and no channels; it
 * does not put signals off.
 */
#include "capture/channel.h"
#include "capture/filter.h"
#include "capture/process.h"
#include "capture/range.h"
#include "capture/unseen.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define STUB(name, params) \
	void name params   \
	{                  \
	}

STUB(signal_start, (void)) /* no reads are dropped, so a killed process leaves nothing untold */
STUB(hook_signal, (struct thread * t))
STUB(filter_none, (struct thread * t))
STUB(filter_grow, (struct thread * t))
STUB(filter_release, (struct thread * t))
STUB(filter_settle, (struct thread * t))
STUB(filter_trim, (struct thread * t))
STUB(filter_sweep_pending, (struct thread * t))
STUB(access_scopes_end, (struct thread * t))
STUB(range_wrote, (struct thread * t, void *p, size_t n, uint32_t site))
STUB(channel_log, (struct thread * t, unsigned kind, unsigned channel))
STUB(channel_forks, (void))
STUB(channel_forked, (void))
STUB(channel_bare_gives, (long number, const long a[6]))
STUB(channel_bare_takes, (long number, const long a[6], long r))
STUB(unseen_begin, (struct thread * t, const void *f))
STUB(unseen_main, (struct thread * t))
STUB(unseen_runs, (struct thread * t))
STUB(module_forked, (void))
STUB(start_handlers, (void))
STUB(tag_share, (int advice))
STUB(tag_reset, (const void *p, size_t n))

/* There is no shadow to map. */
bool tag_cover(const void *p, size_t n)
{
	return true;
}

/* The program's own store is still to be made. */
void range_write(struct thread *t, void *p, const void *from, size_t n, uint32_t site,
		 const uint64_t *keepers, uint64_t mask)
{
	memcpy(p, from, n);
}
