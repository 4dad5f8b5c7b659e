/*
 * <threads.h>.  In glibc these are the POSIX objects under other names, and the
 * library calls one from the other internally, where it cannot be intercepted; so each has a
 * stand-in of its own, which does what its POSIX twin does.
 */
#include <threads.h>

#include "capture/create_priv.h"
#include "capture/lock_priv.h"
#include "trace/baton.h"

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "one object, two names");
_Static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t), "one object, two names");

static int error_of(int result)
{
	return result == thrd_success	 ? 0
	       : result == thrd_busy	 ? EBUSY
	       : result == thrd_timedout ? ETIMEDOUT
					 : EINVAL;
}

#define POSIX(m) ((pthread_mutex_t *)(uintptr_t)(m))

static int mtx_tried(const mtx_t *m, unsigned flags, int result)
{
	lock_mutex_tried(POSIX(m), flags, error_of(result));
	return result;
}

/* It tries first, as LOCK does. */
#define MTX(name, params, args, flags, good)                                   \
	EXPORT int name params                                                 \
	{                                                                      \
		int r;                                                         \
                                                                               \
		control_call(FORMAT_K_ACQ, FORMAT_LOCK_MUTEX | (flags), m);    \
		r = good ? REAL(mtx_trylock)(m) : thrd_error;                  \
		if (r != thrd_success) {                                       \
			lock_mutex_request(POSIX(m), flags, error_of(r));      \
			r = control_fails() ? thrd_timedout : REAL(name) args; \
		}                                                              \
		return mtx_tried(m, flags, r);                                 \
	}

static int wait_forever(const struct cond_wait *w)
{
	return error_of(REAL(cnd_wait)((cnd_t *)w->cond, (mtx_t *)w->mutex));
}

static int wait_until(const struct cond_wait *w)
{
	return error_of(REAL(cnd_timedwait)((cnd_t *)w->cond, (mtx_t *)w->mutex, w->until));
}

static int cnd_run(cnd_t *c, mtx_t *m, const struct timespec *until)
{
	struct cond_wait w = { .cond = (pthread_cond_t *)c,
			       .mutex = POSIX(m),
			       .until = until,
			       .wait = until != NULL ? wait_until : wait_forever };
	int r = cond_wait(&w);

	return r == 0 ? thrd_success : r == ETIMEDOUT ? thrd_timedout : thrd_error;
}

static int c11_once(void *flag, void (*routine)(void))
{
	REAL(call_once)(flag, routine);
	return 0;
}

/* ---- threads ---- */

static int thrd_trampoline(void *start)
{
	struct create_start s = create_child_begin(start);
	int r = ((int (*)(void *))s.run)(s.arg);

	create_child_return();
	return r;
}

static void *thrd_fiber(void *start)
{
	return (void *)(intptr_t)thrd_trampoline(start);
}

static bool thrd_real_create(struct create_call *c, struct create_start *start)
{
	thrd_start_t run = start != NULL ? thrd_trampoline : (thrd_start_t)c->run;

	if (fiber_on) {
		if (start == NULL)
			fiber_irregular(BATON_IRREGULAR_THREAD);
		c->result = fiber_create(c->handle, NULL, thrd_fiber, start);
		return true;
	}
	c->result = REAL(thrd_create)(c->handle, run, start != NULL ? start : c->arg);
	return c->result == thrd_success;
}

EXPORT int thrd_create(thrd_t *handle, thrd_start_t run, void *arg)
{
	struct create_call c = {
		.handle = handle, .run = (void (*)(void))run, .arg = arg, .create = thrd_real_create
	};

	create_thread(&c);
	return c.result;
}

#define INTERPOSED_C11
#include "capture/interposed.def"
