/*
 * Semaphores.  A post is logged before the real one, a wait after it was
 * granted: the log never shows more waits than posts.  Named semaphores
 * (sem_open) are objects like others whose first value is not known.
 */
#include <semaphore.h>

#include "capture/lock_priv.h"

/* r: 0, or -1 with errno. */
static int sem_tried(const sem_t *s, int r)
{
	if (r == 0)
		lock_note(s, FORMAT_K_SEM_WAIT, 0);
	else if (errno == EAGAIN || errno == ETIMEDOUT || errno == EINTR)
		lock_note(s, FORMAT_K_SEM_FAIL, 0); /* it was at zero */
	else
		lock_note(s, FORMAT_K_SEM_FAIL, FORMAT_SEM_REFUSED);
	return r;
}

static void sem_begun(const sem_t *s, unsigned value)
{
	HOOK(t)
		sync_log1(t, FORMAT_K_SEM_INIT, 0, s, value);
}

static void sem_posting(sem_t *s)
{
	int value;

	/* Beyond that the library refuses, and then it must not look like a post. */
	if (sem_getvalue(s, &value) == 0 && value == SEM_VALUE_MAX)
		lock_note(s, FORMAT_K_SEM_FAIL, FORMAT_SEM_REFUSED);
	else
		lock_note(s, FORMAT_K_SEM_POST, 0);
}

/* A wait that is not granted at once is logged before it begins, for it may never end.  The
 * library acts on a request to cancel here, whether it has to wait or not. */
EXPORT int sem_wait(sem_t *s)
{
	int saved = errno;

	pthread_testcancel();
	control_call(FORMAT_K_SEM_WAIT, 0, s);
	if (REAL(sem_trywait)(s) == 0)
		return sem_tried(s, 0);
	if (errno == EAGAIN)
		lock_note(s, FORMAT_K_REQ, FORMAT_LOCK_SEM);
	errno = saved;
	return sem_tried(s, REAL(sem_wait)(s));
}

#define INTERPOSED_SEMAPHORES
#include "capture/interposed.def"
