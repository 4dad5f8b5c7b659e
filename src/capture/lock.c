/*
 * Mutexes, read-write locks, spin locks.
 *
 * The model: an acquire is logged after the real call got the lock, a release
 * before the real call gives it up, so no other thread logs in between.  A release that
 * the library will refuse must not be logged, and it can only be logged before
 * the call; so the wrappers look at what glibc keeps in the lock.  That word is stable
 * where it matters: only the owner changes the fields that say "this thread owns it".
 *
 * A call that may block tries first, and when that fails says so (REQ) before it blocks: a run that
 * hangs there shows what each thread waits for.  With glibc's locks a try that succeeds does what
 * the blocking call would have done; if the try says anything else, the blocking call decides.
 */
#include "capture/lock_priv.h"

#include "capture/guard.h"

#include "capture/locks_fast.h"

/* Bits of __kind, as in glibc's pthreadP.h. */
#define KIND_TYPE 3
#define KIND_ROBUST 16
#define KIND_INHERIT 32
#define KIND_PROTECT 64
#define CEILING_SHIFT 19 /* KIND_PROTECT: the rest of __lock is the ceiling */

#define RWLOCK_READERS_SHIFT 3 /* of __readers: the low bits are flags */
#define SPIN_FREE 1

void (*lock_watch)(struct thread *t, unsigned kind, const void *obj);

static __thread int owner; /* lock_owner_self; 0: not known yet */

/* Locks a mutex and looks what the library writes as its owner: right however this thread was
 * made. */
static COLD int find_owner(void)
{
	pthread_mutex_t probe = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
	int found = 0;

	if (REAL(pthread_mutex_lock)(&probe) == 0) {
		found = probe.__data.__owner;
		REAL(pthread_mutex_unlock)(&probe);
	}
	return found;
}

/* The number of the calling thread, as glibc keeps it in locks. */
int lock_owner_self(void)
{
	if (UNLIKELY(owner == 0))
		owner = find_owner();
	return owner;
}

void lock_forked(void)
{
	owner = 0;
}

/* Has nobody looked yet whether a guard has anything to do?  Mutexes do so first of all. */
static inline bool is_brief(unsigned kind, unsigned aux)
{
	unsigned lock = aux & FORMAT_LOCK_KIND;

	return (lock == FORMAT_LOCK_RWLOCK || lock == FORMAT_LOCK_SPIN) &&
	       (kind == FORMAT_K_ACQ || kind == FORMAT_K_REL || kind == FORMAT_K_RACQ ||
		kind == FORMAT_K_RREL);
}

void lock_note(const void *obj, unsigned kind, unsigned aux)
{
	if (guard_on && is_brief(kind, aux) && guard_brief(kind, obj))
		return;
	HOOK(t)
		lock_log(t, kind, aux, obj);
}

void lock_refused(const void *obj, unsigned aux)
{
	lock_note(obj, FORMAT_K_TRYFAIL, aux | FORMAT_LOCK_REFUSED);
}

/*
 * The answer of a call that did not get the lock may decide what the thread does next, as a value
 * that it reads may; so it is logged.  EDEADLK is not: it only depends on the thread itself, which
 * holds the lock already.
 */
int lock_tried(const void *obj, unsigned kind, unsigned aux, int r)
{
	if (r == 0)
		lock_note(obj, kind, aux);
	else if (r == EOWNERDEAD)
		lock_note(obj, kind, aux | FORMAT_LOCK_DEAD);
	else if ((aux & FORMAT_LOCK_TRY) && (r == EBUSY || r == ETIMEDOUT))
		lock_note(obj, FORMAT_K_TRYFAIL, aux);
	else if (r != EDEADLK)
		lock_refused(obj, aux);
	return r;
}

void lock_request(const void *obj, unsigned kind, unsigned aux, int r, bool own)
{
	if (r == EBUSY && !own)
		lock_note(obj, kind == FORMAT_K_ACQ ? FORMAT_K_REQ : FORMAT_K_RREQ, aux);
}

bool lock_is_time(clockid_t clock, const struct timespec *at)
{
	bool valid = (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC) && at != NULL &&
		     at->tv_nsec >= 0 && at->tv_nsec < 1000000000;

	if (valid)
		control_time_ends(at);
	return valid;
}

/* ---- mutexes ---- */

unsigned lock_mutex_aux(const pthread_mutex_t *m)
{
	return (m->__data.__kind & KIND_TYPE) == PTHREAD_MUTEX_RECURSIVE_NP
		       ? FORMAT_LOCK_MUTEX | FORMAT_LOCK_RECURSIVE
		       : FORMAT_LOCK_MUTEX;
}

/* Is the thread that takes it kept in it?  Then who does not hold it is refused in every run. */
static bool mutex_knows_owner(const pthread_mutex_t *m)
{
	int kind = m->__data.__kind, type = kind & KIND_TYPE;

	return (kind & (KIND_ROBUST | KIND_INHERIT)) || type == PTHREAD_MUTEX_RECURSIVE_NP ||
	       type == PTHREAD_MUTEX_ERRORCHECK_NP;
}

bool lock_mutex_is_held(const pthread_mutex_t *m)
{
	int kind = m->__data.__kind;
	unsigned word = (unsigned)m->__data.__lock;

	if (kind & (KIND_ROBUST | KIND_INHERIT))
		return (int)(word & FUTEX_TID_MASK) == lock_owner_self();
	if (mutex_knows_owner(m))
		return m->__data.__owner == lock_owner_self();
	if (kind & KIND_PROTECT)
		word &= (1u << CEILING_SHIFT) - 1;
	return word != 0;
}

int lock_mutex_tried(const pthread_mutex_t *m, unsigned flags, int r)
{
	return lock_tried(m, FORMAT_K_ACQ, lock_mutex_aux(m) | flags, r);
}

/* Refused, which is no event; or a mutex that nobody holds, and in another run somebody might. */
bool lock_mutex_leave(const pthread_mutex_t *m)
{
	bool held = lock_mutex_is_held(m);

	if (held)
		lock_note(m, FORMAT_K_REL, lock_mutex_aux(m));
	else if (!mutex_knows_owner(m))
		lock_refused(m, lock_mutex_aux(m));
	return held;
}

int lock_mutex_left(const pthread_mutex_t *m, bool held, int r)
{
	control_done();
	if (UNLIKELY(held && r != 0))
		lock_refused(m, lock_mutex_aux(m));
	return r;
}

static bool mutex_has_no_owner(const pthread_mutex_t *m)
{
	int kind = m->__data.__kind;
	unsigned word = (unsigned)__atomic_load_n(&m->__data.__lock, __ATOMIC_RELAXED);

	return kind & KIND_ROBUST ? (word & FUTEX_TID_MASK) == 0 || (word & FUTEX_OWNER_DIED)
				  : (word & ((1u << CEILING_SHIFT) - 1)) == 0;
}

/* What a try would return, guessed by a look: EBUSY, or EAGAIN for all else. */
static int mutex_look(const pthread_mutex_t *m)
{
	int kind = m->__data.__kind;

	if (mutex_has_no_owner(m) ||
	    ((kind & KIND_TYPE) == PTHREAD_MUTEX_RECURSIVE_NP && lock_mutex_is_held(m)))
		return EAGAIN;
	return EBUSY;
}

/* The try that comes first; only a look where a try has side effects: a robust mutex that is not
 * recoverable stays locked by it (glibc 2.36), and one with a ceiling changes priorities. */
static int mutex_try(pthread_mutex_t *m)
{
	if (m->__data.__kind & (KIND_ROBUST | KIND_PROTECT))
		return mutex_look(m);
	return REAL(pthread_mutex_trylock)(m);
}

/* The calling thread has it, and the library will say so instead of waiting. */
static bool mutex_is_refused(const pthread_mutex_t *m)
{
	return (m->__data.__kind & KIND_TYPE) == PTHREAD_MUTEX_ERRORCHECK_NP &&
	       lock_mutex_is_held(m);
}

void lock_mutex_request(const pthread_mutex_t *m, unsigned flags, int r)
{
	lock_request(m, FORMAT_K_ACQ, lock_mutex_aux(m) | flags, r, mutex_is_refused(m));
}

bool lock_mutex_is_robust(const pthread_mutex_t *m)
{
	return m->__data.__kind & KIND_ROBUST;
}

pid_t lock_mutex_holder(const pthread_mutex_t *m)
{
	unsigned word = (unsigned)m->__data.__lock;

	return m->__data.__kind & (KIND_ROBUST | KIND_INHERIT) ? (pid_t)(word & FUTEX_TID_MASK)
							       : m->__data.__owner;
}

bool lock_mutex_is_free(const pthread_mutex_t *m, pid_t thread)
{
	int type = m->__data.__kind & KIND_TYPE;

	if (mutex_has_no_owner(m))
		return true;
	return lock_mutex_holder(m) == thread &&
	       (type == PTHREAD_MUTEX_RECURSIVE_NP || type == PTHREAD_MUTEX_ERRORCHECK_NP);
}

/* The fast path; false: not taken, nothing is done.  It is taken for a
 * release only of the lock that this thread took last, which the library will not refuse. */
INLINE bool mutex_brief(unsigned kind, const pthread_mutex_t *m)
{
	return locks_fast(kind, lock_mutex_aux(m), m, (uintptr_t)__builtin_return_address(0),
			  (uintptr_t)__builtin_frame_address(0) + 16);
}

/* The try that came first said r. */
static __attribute__((noinline)) int mutex_lock(pthread_mutex_t *m, int r)
{
	if (r != 0) {
		lock_mutex_request(m, 0, r);
		r = REAL(pthread_mutex_lock)(m);
	}
	return lock_mutex_tried(m, 0, r);
}

/* A guarded program is not to pay for the registers that recording saves. */
#ifdef FORESEE_LOCKS
#define RECORDED INLINE
#else
#define RECORDED static __attribute__((noinline, flatten))
#endif

RECORDED int mutex_lock_recorded(pthread_mutex_t *m)
{
	int r;

	control_call(FORMAT_K_ACQ, FORMAT_LOCK_MUTEX, m);
	tag_expect(m);
	r = mutex_try(m);
	if (r == 0 && mutex_brief(FORMAT_K_ACQ, m))
		return 0;
	return mutex_lock(m, r);
}

EXPORT_HOT int pthread_mutex_lock(pthread_mutex_t *m)
{
	return guard_on ? guard_mutex_lock(m) : mutex_lock_recorded(m);
}

EXPORT_HOT int pthread_mutex_trylock(pthread_mutex_t *m)
{
	control_call(FORMAT_K_ACQ, FORMAT_LOCK_MUTEX | FORMAT_LOCK_TRY, m);
	return lock_mutex_tried(m, FORMAT_LOCK_TRY, REAL(pthread_mutex_trylock)(m));
}

RECORDED int mutex_unlock_recorded(pthread_mutex_t *m)
{
	bool held = mutex_brief(FORMAT_K_REL, m) || lock_mutex_leave(m);

	return lock_mutex_left(m, held, REAL(pthread_mutex_unlock)(m));
}

EXPORT_HOT int pthread_mutex_unlock(pthread_mutex_t *m)
{
	return guard_on ? guard_mutex_unlock(m) : mutex_unlock_recorded(m);
}

/* ---- read-write locks ---- */

static bool rwlock_is_own(const pthread_rwlock_t *l)
{
	return l->__data.__cur_writer != 0 && l->__data.__cur_writer == lock_owner_self();
}

EXPORT_HOT int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
	int r;

	if (rwlock_is_own(l))
		lock_note(l, FORMAT_K_REL, FORMAT_LOCK_RWLOCK);
	else if (l->__data.__readers >> RWLOCK_READERS_SHIFT != 0)
		lock_note(l, FORMAT_K_RREL, FORMAT_LOCK_RWLOCK);
	else /* not held, or for writing by another thread: the effect is undefined */
		lock_refused(l, FORMAT_LOCK_RWLOCK);
	r = REAL(pthread_rwlock_unlock)(l);
	control_done();
	return r;
}

bool lock_rwlock_is_free(const pthread_rwlock_t *l, bool reads, pid_t thread)
{
	if (l->__data.__cur_writer != 0)
		return l->__data.__cur_writer == thread;
	return reads || l->__data.__readers >> RWLOCK_READERS_SHIFT == 0;
}

/* ---- spin locks ---- */

bool lock_spin_is_free(const pthread_spinlock_t *l)
{
	return *l == SPIN_FREE;
}

EXPORT_HOT int pthread_spin_unlock(pthread_spinlock_t *l)
{
	int r;

	if (*l != SPIN_FREE)
		lock_note((const void *)l, FORMAT_K_REL, FORMAT_LOCK_SPIN);
	else
		lock_refused((const void *)l, FORMAT_LOCK_SPIN);
	r = REAL(pthread_spin_unlock)(l);
	control_done();
	return r;
}

/* ---- all others: interposed.def ---- */

/* It tries first; what it does not get it asks for, and waits. */
#define LOCK_AS(export, name, params, args, mode, aux, try, own)                     \
	export int name params                                                       \
	{                                                                            \
		int r;                                                               \
                                                                                     \
		control_call(FORMAT_K_##mode, aux, (const void *)l);                 \
		r = try;                                                             \
		if (r != 0) {                                                        \
			lock_request((const void *)l, FORMAT_K_##mode, aux, r, own); \
			r = control_fails() ? ETIMEDOUT : REAL(name) args;           \
		}                                                                    \
		return lock_tried((const void *)l, FORMAT_K_##mode, aux, r);         \
	}

#define LOCK(how, ...) LOCK_AS(EXPORT, __VA_ARGS__)
#define LOCK_HOT(how, ...) LOCK_AS(EXPORT_HOT, __VA_ARGS__)

#define TRY FORMAT_LOCK_TRY
#define TRIED(l, mode, aux) lock_tried((const void *)(l), FORMAT_K_##mode, (aux) | TRY, r)

#define INTERPOSED_LOCKS
#include "capture/interposed.def"
