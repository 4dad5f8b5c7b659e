/*
 * Semaphores.  A post is logged before the real one, a wait after it was
 * granted: the log never shows more waits than posts.  Named semaphores
 * (sem_open) are objects like others whose first value is not known.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>

#include "capture/lock_priv.h"
#include "capture/real.h"

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

EXPORT int sem_init(sem_t *s, int shared, unsigned value)
{
	int r = REAL(sem_init)(s, shared, value);
	struct thread *t;

	if (r == 0 && (t = hook_enter()) != NULL) {
		sync_log1(t, FORMAT_K_SEM_INIT, 0, s, value);
		hook_leave(t);
	}
	return r;
}

EXPORT int sem_destroy(sem_t *s)
{
	int r = REAL(sem_destroy)(s);

	if (r == 0)
		lock_note(s, FORMAT_K_LOCK_DESTROY, FORMAT_LOCK_SEM);
	return r;
}

EXPORT int sem_post(sem_t *s)
{
	int value;

	/* Beyond that the library refuses, and then it must not look like a post. */
	if (sem_getvalue(s, &value) == 0 && value == SEM_VALUE_MAX)
		lock_note(s, FORMAT_K_SEM_FAIL, FORMAT_SEM_REFUSED);
	else
		lock_note(s, FORMAT_K_SEM_POST, 0);
	return REAL(sem_post)(s);
}

/* A wait that is not granted at once is told of before it begins: it may be without end.  The library
 * acts on a request to cancel here, whether it has to wait or not. */
EXPORT int sem_wait(sem_t *s)
{
	int saved = errno;

	pthread_testcancel();
	if (REAL(sem_trywait)(s) == 0)
		return sem_tried(s, 0);
	if (errno == EAGAIN)
		lock_note(s, FORMAT_K_REQ, FORMAT_LOCK_SEM);
	errno = saved;
	return sem_tried(s, REAL(sem_wait)(s));
}

EXPORT int sem_trywait(sem_t *s)
{
	return sem_tried(s, REAL(sem_trywait)(s));
}

EXPORT int sem_timedwait(sem_t *restrict s, const struct timespec *restrict at)
{
	return sem_tried(s, REAL(sem_timedwait)(s, at));
}

EXPORT int sem_clockwait(sem_t *restrict s, clockid_t clock, const struct timespec *restrict at)
{
	return sem_tried(s, REAL(sem_clockwait)(s, clock, at));
}
