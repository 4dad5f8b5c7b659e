/*
 * Variables that are frozen before there are threads: what the pass could not know
 * (src/instrument/frozen.c).
 *
 * A constructor may have made a thread before main began, and the program may call main once more.
 * The first is seen when main begins, and reads are recorded as any.  If one came later and the pass
 * took it for impossible, reads are missing already: nothing that follows may be claimed.
 */
#include "capture/log.h"
#include "capture/thread.h"

EXPORT void foresee_alone(uint8_t *alone)
{
	if (!*alone || !thread_was_forked())
		return;
	*alone = 0;
	log_trouble("a variable that main sets up was set again while threads ran", 0);
}

EXPORT void foresee_main(uint8_t *alone)
{
	if (*alone) /* it was called again */
		foresee_alone(alone);
	else
		*alone = log_is_on() && !log_is_full() && !thread_was_forked();
}
