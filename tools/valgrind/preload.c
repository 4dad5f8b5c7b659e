/*
 * The wrappers: functions of the C library, told to the tool as a whole.
 *
 * Valgrind calls them in the place of the library's.  While the library does its work its accesses
 * are its own (HIDE, SHOW): the event says what they amount to.  What takes is told after the
 * library has done it, what gives before.
 *
 * Every request must be made by the wrapper itself, not by a function that it calls: the tool takes
 * the caller of the innermost function for the place.  C11's functions come here by those of POSIX
 * that they are made of.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "requests.h"
#include "trace/format.h"

#define INLINE static inline __attribute__((always_inline))

#define ASK(request, a, b, c, d)                                                    \
	VALGRIND_DO_CLIENT_REQUEST_EXPR(0, request, (uintptr_t)(a), (uintptr_t)(b), \
					(uintptr_t)(c), (uintptr_t)(d), 0)
#define TELL(request, a, b, c, d) ((void)ASK(request, a, b, c, d))
#define SYNC(kind, aux, object) TELL(REQUEST_SYNC, FORMAT_K_##kind, aux, object, 0)
#define HIDE(object) TELL(REQUEST_HIDE, object, sizeof(*(object)), 0, 0)
#define HIDE_ALL() TELL(REQUEST_HIDE, 0, 0, 0, 0)
#define SHOW() TELL(REQUEST_SHOW, 0, 0, 0, 0)

/* A wrapper of function f of the C library; Z-encoded: Zu is _, Za is *. */
#define WRAP(type, f, ...)                                        \
	type I_WRAP_SONAME_FNNAME_ZZ(libcZdsoZa, f)(__VA_ARGS__); \
	type I_WRAP_SONAME_FNNAME_ZZ(libcZdsoZa, f)(__VA_ARGS__)

#define ORIGINAL         \
	OrigFn original; \
	uintptr_t r = 0; \
	VALGRIND_GET_ORIG_FN(original)

/* ---- mutexes ---- */

#define KIND_TYPE 3
#define KIND_ROBUST 16
#define KIND_INHERIT 32
#define KIND_PROTECT 64
#define CEILING_SHIFT 19

INLINE unsigned mutex_aux(const pthread_mutex_t *m)
{
	return (m->__data.__kind & KIND_TYPE) == PTHREAD_MUTEX_RECURSIVE_NP
		       ? FORMAT_LOCK_MUTEX | FORMAT_LOCK_RECURSIVE
		       : FORMAT_LOCK_MUTEX;
}

INLINE int thread_number(void)
{
	return (int)syscall(SYS_gettid);
}

/* Is the thread that takes it kept in it?  Then who does not hold it is refused in every run. */
INLINE bool mutex_knows_owner(const pthread_mutex_t *m)
{
	int kind = m->__data.__kind, type = kind & KIND_TYPE;

	return (kind & (KIND_ROBUST | KIND_INHERIT)) || type == PTHREAD_MUTEX_RECURSIVE_NP ||
	       type == PTHREAD_MUTEX_ERRORCHECK_NP;
}

/* Will the library let the caller release it? */
INLINE bool mutex_is_held(const pthread_mutex_t *m)
{
	int kind = m->__data.__kind;
	unsigned word = (unsigned)m->__data.__lock;

	if (kind & (KIND_ROBUST | KIND_INHERIT))
		return (int)(word & 0x3fffffff) == thread_number();
	if (mutex_knows_owner(m))
		return m->__data.__owner == thread_number();
	if (kind & KIND_PROTECT)
		word &= (1u << CEILING_SHIFT) - 1;
	return word != 0;
}

INLINE bool mutex_is_busy(const pthread_mutex_t *m)
{
	unsigned word = (unsigned)m->__data.__lock;

	if (m->__data.__kind & (KIND_ROBUST | KIND_INHERIT))
		return (word & 0x3fffffff) != 0;
	word &= (1u << CEILING_SHIFT) - 1;
	return word != 0 && ((m->__data.__kind & KIND_TYPE) == PTHREAD_MUTEX_TIMED_NP ||
			     (m->__data.__kind & KIND_TYPE) == PTHREAD_MUTEX_ADAPTIVE_NP ||
			     m->__data.__owner != thread_number());
}

/* The answer of a call that takes a lock. */
#define TOOK(kind, aux, object, r)                                                      \
	do {                                                                            \
		if ((r) == 0)                                                           \
			SYNC(kind, aux, object);                                        \
		else if ((r) == EOWNERDEAD)                                             \
			SYNC(kind, (aux) | FORMAT_LOCK_DEAD, object);                   \
		else if (((aux)&FORMAT_LOCK_TRY) && ((r) == EBUSY || (r) == ETIMEDOUT)) \
			SYNC(TRYFAIL, aux, object);                                     \
		else if ((r) != EDEADLK)                                                \
			SYNC(TRYFAIL, (aux) | FORMAT_LOCK_REFUSED, object);             \
	} while (0)

WRAP(int, pthreadZumutexZulock, pthread_mutex_t *m)
{
	ORIGINAL;
	HIDE(m);
	if (mutex_is_busy(m))
		SYNC(REQ, mutex_aux(m), m);
	CALL_FN_W_W(r, original, m);
	TOOK(ACQ, mutex_aux(m), m, (int)r);
	SHOW();
	return (int)r;
}

WRAP(int, pthreadZumutexZutrylock, pthread_mutex_t *m)
{
	ORIGINAL;
	HIDE(m);
	CALL_FN_W_W(r, original, m);
	TOOK(ACQ, mutex_aux(m) | FORMAT_LOCK_TRY, m, (int)r);
	SHOW();
	return (int)r;
}

#define TIMED_MUTEX(f, call, ...)                                     \
	WRAP(int, f, pthread_mutex_t *m, __VA_ARGS__)                 \
	{                                                             \
		ORIGINAL;                                             \
		HIDE(m);                                              \
		if (mutex_is_busy(m))                                 \
			SYNC(REQ, mutex_aux(m) | FORMAT_LOCK_TRY, m); \
		call;                                                 \
		TOOK(ACQ, mutex_aux(m) | FORMAT_LOCK_TRY, m, (int)r); \
		SHOW();                                               \
		return (int)r;                                        \
	}
TIMED_MUTEX(pthreadZumutexZutimedlock, CALL_FN_W_WW(r, original, m, at), const struct timespec *at)
TIMED_MUTEX(pthreadZumutexZuclocklock, CALL_FN_W_WWW(r, original, m, clock, at), clockid_t clock,
	    const struct timespec *at)

WRAP(int, pthreadZumutexZuunlock, pthread_mutex_t *m)
{
	unsigned aux;
	ORIGINAL;
	HIDE(m);
	aux = mutex_aux(m);
	if (mutex_is_held(m))
		SYNC(REL, aux, m);
	else if (!mutex_knows_owner(m))
		SYNC(TRYFAIL, aux | FORMAT_LOCK_REFUSED, m);
	CALL_FN_W_W(r, original, m);
	SHOW();
	return (int)r;
}

WRAP(int, pthreadZumutexZuinit, pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
	ORIGINAL;
	HIDE(m);
	CALL_FN_W_WW(r, original, m, attr);
	if (r == 0)
		SYNC(LOCK_INIT, mutex_aux(m), m);
	SHOW();
	return (int)r;
}

WRAP(int, pthreadZumutexZudestroy, pthread_mutex_t *m)
{
	ORIGINAL;
	HIDE(m);
	if (!mutex_is_busy(m))
		SYNC(LOCK_DESTROY, mutex_aux(m), m);
	CALL_FN_W_W(r, original, m);
	SHOW();
	return (int)r;
}

/* ---- read-write locks ---- */

#define RWLOCK(f, take, request, flags, busy, call, ...)                \
	WRAP(int, f, pthread_rwlock_t *l __VA_ARGS__)                   \
	{                                                               \
		ORIGINAL;                                               \
		HIDE(l);                                                \
		if (busy)                                               \
			SYNC(request, FORMAT_LOCK_RWLOCK | (flags), l); \
		call;                                                   \
		TOOK(take, FORMAT_LOCK_RWLOCK | (flags), l, (int)r);    \
		SHOW();                                                 \
		return (int)r;                                          \
	}
#define WRITTEN (l->__data.__cur_writer != 0)
#define USED (l->__data.__readers >> 3 != 0 || WRITTEN)
#define AT , const struct timespec *at
#define CLOCK , clockid_t clock, const struct timespec *at
RWLOCK(pthreadZurwlockZurdlock, RACQ, RREQ, 0, WRITTEN, CALL_FN_W_W(r, original, l))
RWLOCK(pthreadZurwlockZuwrlock, ACQ, REQ, 0, USED, CALL_FN_W_W(r, original, l))
RWLOCK(pthreadZurwlockZutryrdlock, RACQ, RREQ, FORMAT_LOCK_TRY, false, CALL_FN_W_W(r, original, l))
RWLOCK(pthreadZurwlockZutrywrlock, ACQ, REQ, FORMAT_LOCK_TRY, false, CALL_FN_W_W(r, original, l))
RWLOCK(pthreadZurwlockZutimedrdlock, RACQ, RREQ, FORMAT_LOCK_TRY, WRITTEN,
       CALL_FN_W_WW(r, original, l, at), AT)
RWLOCK(pthreadZurwlockZutimedwrlock, ACQ, REQ, FORMAT_LOCK_TRY, USED,
       CALL_FN_W_WW(r, original, l, at), AT)
RWLOCK(pthreadZurwlockZuclockrdlock, RACQ, RREQ, FORMAT_LOCK_TRY, WRITTEN,
       CALL_FN_W_WWW(r, original, l, clock, at), CLOCK)
RWLOCK(pthreadZurwlockZuclockwrlock, ACQ, REQ, FORMAT_LOCK_TRY, USED,
       CALL_FN_W_WWW(r, original, l, clock, at), CLOCK)

WRAP(int, pthreadZurwlockZuunlock, pthread_rwlock_t *l)
{
	ORIGINAL;
	HIDE(l);
	if (WRITTEN)
		SYNC(REL, FORMAT_LOCK_RWLOCK, l);
	else if (USED)
		SYNC(RREL, FORMAT_LOCK_RWLOCK, l);
	CALL_FN_W_W(r, original, l);
	SHOW();
	return (int)r;
}

WRAP(int, pthreadZurwlockZuinit, pthread_rwlock_t *l, const pthread_rwlockattr_t *attr)
{
	ORIGINAL;
	HIDE(l);
	CALL_FN_W_WW(r, original, l, attr);
	SYNC(LOCK_INIT, FORMAT_LOCK_RWLOCK, l);
	SHOW();
	return (int)r;
}

WRAP(int, pthreadZurwlockZudestroy, pthread_rwlock_t *l)
{
	ORIGINAL;
	HIDE(l);
	SYNC(LOCK_DESTROY, FORMAT_LOCK_RWLOCK, l);
	CALL_FN_W_W(r, original, l);
	SHOW();
	return (int)r;
}

/* ---- spin locks ---- */

#define SPIN_FREE 1

WRAP(int, pthreadZuspinZulock, pthread_spinlock_t *l)
{
	ORIGINAL;
	HIDE(l);
	if (*l != SPIN_FREE)
		SYNC(REQ, FORMAT_LOCK_SPIN, l);
	CALL_FN_W_W(r, original, l);
	SYNC(ACQ, FORMAT_LOCK_SPIN, l);
	SHOW();
	return (int)r;
}

WRAP(int, pthreadZuspinZutrylock, pthread_spinlock_t *l)
{
	ORIGINAL;
	HIDE(l);
	CALL_FN_W_W(r, original, l);
	TOOK(ACQ, FORMAT_LOCK_SPIN | FORMAT_LOCK_TRY, l, (int)r);
	SHOW();
	return (int)r;
}

/* pthread_spin_init is the same function: the tool knows whether the lock is held. */
WRAP(int, pthreadZuspinZuunlock, pthread_spinlock_t *l)
{
	ORIGINAL;
	HIDE(l);
	TELL(REQUEST_SPIN, l, 0, 0, 0);
	CALL_FN_W_W(r, original, l);
	SHOW();
	return (int)r;
}

WRAP(int, pthreadZuspinZudestroy, pthread_spinlock_t *l)
{
	ORIGINAL;
	HIDE(l);
	SYNC(LOCK_DESTROY, FORMAT_LOCK_SPIN, l);
	CALL_FN_W_W(r, original, l);
	SHOW();
	return (int)r;
}

/* ---- conditions ---- */

#define CONDITION(f, timed, call, ...)                                  \
	WRAP(int, f, pthread_cond_t *c, pthread_mutex_t *m __VA_ARGS__) \
	{                                                               \
		ORIGINAL;                                               \
		HIDE(c);                                                \
		TELL(REQUEST_PARK, c, m, mutex_aux(m), timed);          \
		call;                                                   \
		TELL(REQUEST_WAKE, c, m, mutex_aux(m), (int)r);         \
		SHOW();                                                 \
		return (int)r;                                          \
	}
CONDITION(pthreadZucondZuwaitZa, false, CALL_FN_W_WW(r, original, c, m))
CONDITION(pthreadZucondZutimedwaitZa, true, CALL_FN_W_WWW(r, original, c, m, at), AT)
CONDITION(pthreadZucondZuclockwaitZa, true, CALL_FN_W_WWWW(r, original, c, m, clock, at), CLOCK)

#define SIGNAL(f, all)                              \
	WRAP(int, f, pthread_cond_t *c)             \
	{                                           \
		ORIGINAL;                           \
		HIDE(c);                            \
		TELL(REQUEST_SIGNAL, c, all, 0, 0); \
		CALL_FN_W_W(r, original, c);        \
		SHOW();                             \
		return (int)r;                      \
	}
SIGNAL(pthreadZucondZusignalZa, false)
SIGNAL(pthreadZucondZubroadcastZa, true)

WRAP(int, pthreadZucondZuinitZa, pthread_cond_t *c, const pthread_condattr_t *attr)
{
	ORIGINAL;
	HIDE(c);
	CALL_FN_W_WW(r, original, c, attr);
	SYNC(LOCK_INIT, FORMAT_LOCK_COND, c);
	SHOW();
	return (int)r;
}

WRAP(int, pthreadZucondZudestroyZa, pthread_cond_t *c)
{
	ORIGINAL;
	HIDE(c);
	SYNC(LOCK_DESTROY, FORMAT_LOCK_COND, c);
	CALL_FN_W_W(r, original, c);
	SHOW();
	return (int)r;
}

/* ---- semaphores ---- */

INLINE bool sem_is_zero(const sem_t *s)
{
	return *(const uint32_t *)s == 0;
}

#define SEMAPHORE(f, flags, busy, call, ...)                                                     \
	WRAP(int, f, sem_t *s __VA_ARGS__)                                                       \
	{                                                                                        \
		ORIGINAL;                                                                        \
		HIDE(s);                                                                         \
		if (busy)                                                                        \
			SYNC(REQ, FORMAT_LOCK_SEM | (flags), s);                                 \
		call;                                                                            \
		if ((int)r == 0)                                                                 \
			SYNC(SEM_WAIT, 0, s);                                                    \
		else                                                                             \
			SYNC(SEM_FAIL,                                                           \
			     errno == EAGAIN || errno == ETIMEDOUT ? 0 : FORMAT_SEM_REFUSED, s); \
		SHOW();                                                                          \
		return (int)r;                                                                   \
	}
SEMAPHORE(semZuwaitZa, 0, sem_is_zero(s), CALL_FN_W_W(r, original, s))
SEMAPHORE(semZutrywaitZa, 0, false, CALL_FN_W_W(r, original, s))
SEMAPHORE(semZutimedwaitZa, FORMAT_LOCK_TRY, sem_is_zero(s), CALL_FN_W_WW(r, original, s, at), AT)
SEMAPHORE(semZuclockwaitZa, FORMAT_LOCK_TRY, sem_is_zero(s),
	  CALL_FN_W_WWW(r, original, s, clock, at), CLOCK)

WRAP(int, semZupostZa, sem_t *s)
{
	ORIGINAL;
	HIDE(s);
	SYNC(SEM_POST, 0, s);
	CALL_FN_W_W(r, original, s);
	SHOW();
	return (int)r;
}

/* The count is read by the library itself. */
WRAP(int, semZugetvalueZa, sem_t *s, int *value)
{
	ORIGINAL;
	TELL(REQUEST_UNSTEADY, s, sizeof(unsigned), 0, 0);
	CALL_FN_W_WW(r, original, s, value);
	return (int)r;
}

WRAP(int, semZuinitZa, sem_t *s, int shared, unsigned value)
{
	ORIGINAL;
	HIDE(s);
	CALL_FN_W_WWW(r, original, s, shared, value);
	if ((int)r == 0)
		TELL(REQUEST_SYNC, FORMAT_K_SEM_INIT, 0, s, value);
	SHOW();
	return (int)r;
}

WRAP(int, semZudestroyZa, sem_t *s)
{
	ORIGINAL;
	HIDE(s);
	SYNC(LOCK_DESTROY, FORMAT_LOCK_SEM, s);
	CALL_FN_W_W(r, original, s);
	SHOW();
	return (int)r;
}

/* ---- barriers, once ---- */

WRAP(int, pthreadZubarrierZuinit, pthread_barrier_t *b, const pthread_barrierattr_t *attr,
     unsigned count)
{
	ORIGINAL;
	HIDE(b);
	CALL_FN_W_WWW(r, original, b, attr, count);
	if (r == 0)
		TELL(REQUEST_BARRIER, 0, b, count, 0);
	SHOW();
	return (int)r;
}

WRAP(int, pthreadZubarrierZuwait, pthread_barrier_t *b)
{
	ORIGINAL;
	HIDE(b);
	TELL(REQUEST_BARRIER, 1, b, 0, 0);
	CALL_FN_W_W(r, original, b);
	TELL(REQUEST_BARRIER, 2, b, (int)r == PTHREAD_BARRIER_SERIAL_THREAD, 0);
	SHOW();
	return (int)r;
}

WRAP(int, pthreadZubarrierZudestroy, pthread_barrier_t *b)
{
	ORIGINAL;
	HIDE(b);
	SYNC(LOCK_DESTROY, FORMAT_LOCK_BARRIER, b);
	CALL_FN_W_W(r, original, b);
	SHOW();
	return (int)r;
}

static void once_run(void)
{
	void (*run)(void) = (void (*)(void))ASK(REQUEST_ONCE, 0, 0, 0, 0);
	void *control = (void *)ASK(REQUEST_ONCE, 0, 0, 0, 0);

	SYNC(ONCE_BEGIN, 0, control);
	SHOW();
	run();
	HIDE_ALL();
	SYNC(ONCE_END, 0, control);
}

WRAP(int, pthreadZuonce, pthread_once_t *control, void (*run)(void))
{
	ORIGINAL;
	HIDE(control);
	TELL(REQUEST_ONCE, control, 0, 0, 0);
	TELL(REQUEST_ONCE, run, 0, 0, 0);
	CALL_FN_W_WW(r, original, control, once_run);
	if (ASK(REQUEST_PASSED, control, run, 0, 0))
		SYNC(ONCE_PASS, 0, control);
	SHOW();
	return (int)r;
}

/* ---- signals and the like, from thread to thread ---- */

#define CHANNEL 0x1000 /* CHANNEL_ANY (channel.h) */

WRAP(int, pthreadZukill, pthread_t who, int number)
{
	ORIGINAL;
	HIDE_ALL();
	SYNC(GIVE, FORMAT_CHANNEL_SIGNAL, CHANNEL);
	CALL_FN_W_WW(r, original, who, number);
	SHOW();
	return (int)r;
}

WRAP(int, pthreadZusigqueue, pthread_t who, int number, union sigval value)
{
	ORIGINAL;
	HIDE_ALL();
	SYNC(GIVE, FORMAT_CHANNEL_SIGNAL, CHANNEL);
	CALL_FN_W_WWW(r, original, who, number, value.sival_ptr);
	SHOW();
	return (int)r;
}

WRAP(int, pthreadZucancel, pthread_t who)
{
	ORIGINAL;
	HIDE_ALL();
	SYNC(GIVE, FORMAT_CHANNEL_SIGNAL, CHANNEL);
	TELL(REQUEST_CANCEL, who, 0, 0, 0);
	CALL_FN_W_W(r, original, who);
	SHOW();
	return (int)r;
}

/* ---- threads ---- */

/* The last of all destructors of a thread's values tells its end: what they do is the program's. */
static pthread_key_t end_key;
static int has_key;

static void end_tell(void *left)
{
	if ((uintptr_t)left > 1)
		pthread_setspecific(end_key, (void *)((uintptr_t)left - 1));
	else
		TELL(REQUEST_END, FORMAT_END_RETURN, 0, 0, 0);
}

static void *begin(void *token)
{
	void *arg = NULL, *(*run)(void *);

	run = (void *(*)(void *))ASK(REQUEST_BEGIN, token, pthread_self(), &arg, 0);
	HIDE_ALL();
	if (has_key)
		pthread_setspecific(end_key, (void *)(uintptr_t)PTHREAD_DESTRUCTOR_ITERATIONS);
	SHOW();
	return run(arg);
}

#define ATTR_C11 ((const pthread_attr_t *)-1) /* thrd_create has no attributes */

WRAP(int, pthreadZucreateZa, pthread_t *handle, const pthread_attr_t *attr, void *(*run)(void *),
     void *arg)
{
	int state = PTHREAD_CREATE_JOINABLE;
	uintptr_t token;
	ORIGINAL;
	HIDE_ALL();
	if (!has_key)
		has_key = pthread_key_create(&end_key, end_tell) == 0;
	if (attr != NULL && attr != ATTR_C11)
		pthread_attr_getdetachstate(attr, &state);
	token = ASK(REQUEST_FORK, run, arg, 0, 0);
	if (token == 0)
		CALL_FN_W_WWWW(r, original, handle, attr, run, arg);
	else
		CALL_FN_W_WWWW(r, original, handle, attr, begin, token);
	if (token != 0)
		TELL(REQUEST_FORKED, token, (int)r, r == 0 ? *handle : 0,
		     state == PTHREAD_CREATE_DETACHED);
	if (r == 0)
		TELL(REQUEST_WROTE, handle, sizeof(*handle), 0, 0);
	SHOW();
	return (int)r;
}

#define JOIN(f, timed, call, ...)                                     \
	WRAP(int, f, pthread_t who, void **out __VA_ARGS__)           \
	{                                                             \
		ORIGINAL;                                             \
		HIDE_ALL();                                           \
		TELL(REQUEST_JOIN, 0, timed, who, 0);                 \
		call;                                                 \
		TELL(REQUEST_JOIN, 1, timed, who, (int)r);            \
		if (r == 0 && out != NULL)                            \
			TELL(REQUEST_WROTE, out, sizeof(*out), 0, 0); \
		SHOW();                                               \
		return (int)r;                                        \
	}
JOIN(pthreadZujoin, false, CALL_FN_W_WW(r, original, who, out))
JOIN(pthreadZutryjoinZunp, true, CALL_FN_W_WW(r, original, who, out))
JOIN(pthreadZutimedjoinZunp, true, CALL_FN_W_WWW(r, original, who, out, at), AT)
JOIN(pthreadZuclockjoinZunp, true, CALL_FN_W_WWWW(r, original, who, out, clock, at), CLOCK)

WRAP(int, pthreadZudetach, pthread_t who)
{
	ORIGINAL;
	HIDE_ALL();
	CALL_FN_W_W(r, original, who);
	TELL(REQUEST_DETACH, who, (int)r, 0, 0);
	SHOW();
	return (int)r;
}

WRAP(int, pthreadZusetnameZunp, pthread_t who, const char *name)
{
	ORIGINAL;
	HIDE_ALL();
	CALL_FN_W_WW(r, original, who, name);
	if (pthread_equal(who, pthread_self()))
		TELL(REQUEST_NAME, name, 0, 0, 0);
	SHOW();
	return (int)r;
}
