/*
 * Handlers run between the steps of a thread, never while it stands before one: a signal that comes there is
 * put off.  So one that would end the wait of a thread, or post what it waits for, cannot.  Where nobody
 * can go on, and such a signal may come, that is no deadlock: it is a run that was not explored.
 */
#include <signal.h>

#include "capture/baton.h"
#include "capture/process.h"
#include "capture/thread.h"

#define MOMENT_NS 10000000 /* in which a signal that was sent has come */

/* A handler may post a semaphore, write to a pipe, or end a wait by having run at all; who waits for a lock, or for
 * the end of a thread, waits on. */
static bool may_wake(const struct baton_seat *s, const struct baton_op *op)
{
	if (s->ended)
		return false;
	return op->kind == BATON_SEM_WAIT || op->kind == BATON_WAKE || op->kind == BATON_TAKE ||
	       op->kind == BATON_GIVE;
}

bool baton_signal_helps(void)
{
	const struct timespec moment = { 0, MOMENT_NS };
	bool wakes = false, handles = false, comes = false;

	for (uint32_t i = 0; i < baton_head->nthreads; i++)
		wakes |= may_wake(&baton_seats[i], baton_pending(i));
	for (int n = 1; n < _NSIG; n++)
		handles |= signal_has_handler(n);
	if (wakes && handles)
		syscall(SYS_nanosleep, &moment, NULL);
	for (uint32_t i = 0; i < baton_head->nthreads; i++)
		comes |= !baton_seats[i].ended && baton_seats[i].thread->put_off.number != 0;
	comes |= signal_is_timed() || (signal_has_handler(SIGCHLD) && baton_has_processes());
	return wakes && comes;
}
