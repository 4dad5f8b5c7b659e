/*
 * Annotations for programs that foresee records: what no recorder can see by itself.
 *
 * All of it is optional.  A program that uses it builds and runs the same without foresee: the
 * functions are weak, so where no recorder is in the process each macro is a test of an address
 * that is zero, and its arguments are not evaluated.  So use the macros, and give them arguments
 * without side effects.  C from 1989 on, C++ from 1998 on; static programs too.
 *
 * -DFORESEE_OFF, or a compiler that is neither gcc nor clang, makes all macros nothing.
 *
 * An annotation is believed.  One that is wrong gives wrong reports: a lock that does not exclude,
 * or an order that is not there, hides races; a release that comes too early invents them.
 *
 *	what					macros
 *	--------------------------------------	------------------------------------------
 *	names of threads and of memory		THREAD_NAME, VARIABLE
 *	races that are meant			BENIGN
 *	events for people and properties	EVENT, EVENT1 ... EVENT8, INTERNAL
 *	code that is meant to be atomic		ATOMIC_BEGIN, ATOMIC_END
 *	order that is made by other means	HAPPENS_BEFORE, HAPPENS_AFTER
 *	locks of your own			LOCK_CREATED ... LOCK_DESTROYED
 *	inputs that may be different		CHOOSE
 *	handlers of 'foresee guard'		struct foresee_violation
 *
 * See foresee.h(3).  __tsan_mutex_*, __tsan_acquire, __tsan_release and Annotate* are understood
 * as well, where a program has them already.
 */
#ifndef FORESEE_H
#define FORESEE_H

#if defined(__GNUC__) && !defined(FORESEE_OFF)
#define FORESEE_WEAK_ __attribute__((weak))
#define FORESEE_HAS_(function) (function)
#else
#define FORESEE_WEAK_
#define FORESEE_HAS_(function) 0 /* and the compiler drops the call */
#endif

#ifdef __cplusplus
extern "C" {
#endif

void foresee_thread_name(const char *name) FORESEE_WEAK_;
void foresee_variable(const volatile void *address, unsigned long size,
		      const char *name) FORESEE_WEAK_;
void foresee_benign(const volatile void *address, unsigned long size,
		    const char *why) FORESEE_WEAK_;
void foresee_event(const char *name, unsigned count, ...) FORESEE_WEAK_; /* of long */
void foresee_internal(const char *name, long value) FORESEE_WEAK_;
void foresee_atomic_begin(const char *name) FORESEE_WEAK_;
void foresee_atomic_end(void) FORESEE_WEAK_;
void foresee_happens_before(const volatile void *channel) FORESEE_WEAK_;
void foresee_happens_after(const volatile void *channel) FORESEE_WEAK_;
void foresee_lock_created(const volatile void *lock, unsigned flags) FORESEE_WEAK_;
void foresee_lock_destroyed(const volatile void *lock) FORESEE_WEAK_;
void foresee_lock_waits(const volatile void *lock, unsigned flags) FORESEE_WEAK_;
void foresee_lock_acquired(const volatile void *lock, unsigned flags) FORESEE_WEAK_;
void foresee_lock_failed(const volatile void *lock, unsigned flags) FORESEE_WEAK_;
void foresee_lock_releases(const volatile void *lock, unsigned flags) FORESEE_WEAK_;
unsigned foresee_choose(unsigned n) FORESEE_WEAK_;

#ifdef __cplusplus
}
#endif

#undef FORESEE_WEAK_

/*
 * What a handler of a property is told, in a program that 'foresee guard' runs:
 *
 *	void give_back(const struct foresee_violation *v);
 *	property own: mttl @worker(...) handler give_back;
 */
struct foresee_violation {
	const char *property;
	const char *thread; /* name or start routine; "" unknown */
	const char *file;   /* where it was noticed; NULL unknown */
	const char *function;
	unsigned line;
	unsigned number;     /* of the thread, in the order of creation; main is 1 */
	unsigned long count; /* violations of this property so far */
};

#define FORESEE_CALL_(function, arguments)  \
	do {                                \
		if (FORESEE_HAS_(function)) \
			function arguments; \
	} while (0)

/*
 * Names the calling thread; pthread_setname_np does too, but with 15 characters.  The first 64
 * are copied.
 *
 *	FORESEE_THREAD_NAME("reader of the journal");
 */
#define FORESEE_THREAD_NAME(name) FORESEE_CALL_(foresee_thread_name, (name))

/*
 * What lies in these bytes has this name in reports, until the memory is freed or named anew: for
 * blocks of the heap and elements of arrays.  Of two names for a byte the later counts.  The first
 * 127 characters are copied.
 *
 *	snprintf(name, sizeof(name), "cache[%d].hits", i);
 *	FORESEE_VARIABLE(&cache[i].hits, sizeof(cache[i].hits), name);
 *	...
 *	1  data race on cache[7].hits
 */
#define FORESEE_VARIABLE(address, size, name) \
	FORESEE_CALL_(foresee_variable, ((address), (size), (name)))

/*
 * Races on these bytes are meant, until the memory is freed: they are counted, and not shown.  The recording has all
 * accesses none the less.  A variable that several threads use without a lock is better atomic: in C a race is undefined,
 * whatever it is meant for.
 *
 *	FORESEE_BENIGN(&hits, sizeof(hits), "a rough count");
 */
#define FORESEE_BENIGN(address, size, why) FORESEE_CALL_(foresee_benign, ((address), (size), (why)))

/*
 * Something happened that is of interest, with up to eight integers.  Shown by `foresee print',
 * and there for properties to speak about.
 *
 *	FORESEE_EVENT("landing");
 *	FORESEE_EVENT2("request", client, length);
 */
#define FORESEE_EVENT(name) FORESEE_CALL_(foresee_event, ((name), 0u))
#define FORESEE_EVENT1(name, a) FORESEE_CALL_(foresee_event, ((name), 1u, (long)(a)))
#define FORESEE_EVENT2(name, a, b) FORESEE_CALL_(foresee_event, ((name), 2u, (long)(a), (long)(b)))
#define FORESEE_EVENT3(name, a, b, c) \
	FORESEE_CALL_(foresee_event, ((name), 3u, (long)(a), (long)(b), (long)(c)))
#define FORESEE_EVENT4(name, a, b, c, d) \
	FORESEE_CALL_(foresee_event, ((name), 4u, (long)(a), (long)(b), (long)(c), (long)(d)))
#define FORESEE_EVENT5(name, a, b, c, d, e) \
	FORESEE_CALL_(foresee_event,        \
		      ((name), 5u, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e)))
#define FORESEE_EVENT6(name, a, b, c, d, e, f)                                                \
	FORESEE_CALL_(foresee_event, ((name), 6u, (long)(a), (long)(b), (long)(c), (long)(d), \
				      (long)(e), (long)(f)))
#define FORESEE_EVENT7(name, a, b, c, d, e, f, g)                                             \
	FORESEE_CALL_(foresee_event, ((name), 7u, (long)(a), (long)(b), (long)(c), (long)(d), \
				      (long)(e), (long)(f), (long)(g)))
#define FORESEE_EVENT8(name, a, b, c, d, e, f, g, h)                                          \
	FORESEE_CALL_(foresee_event, ((name), 8u, (long)(a), (long)(b), (long)(c), (long)(d), \
				      (long)(e), (long)(f), (long)(g), (long)(h)))

/*
 * A variable of the specification, that the program does not have, gets a value.
 *
 *	FORESEE_INTERNAL("phase", 3);
 */
#define FORESEE_INTERNAL(name, value) FORESEE_CALL_(foresee_internal, ((name), (long)(value)))

/*
 * What the calling thread does between the two is meant to be atomic: as if no other thread ran
 * meanwhile.  Blocks nest.  Leave each one by its end, not by a jump out of it.  The name may be NULL.
 *
 *	FORESEE_ATOMIC_BEGIN("transfer");
 *	take(from, sum);
 *	give(to, sum);
 *	FORESEE_ATOMIC_END();
 */
#define FORESEE_ATOMIC_BEGIN(name) FORESEE_CALL_(foresee_atomic_begin, (name))
#define FORESEE_ATOMIC_END() FORESEE_CALL_(foresee_atomic_end, ())

/*
 * The same of each call of a function: before its definition.
 *
 *	FORESEE_ATOMIC static void transfer(int from, int to, int sum) { ... }
 */
#if defined(__clang__) && !defined(FORESEE_OFF)
#define FORESEE_ATOMIC __attribute__((annotate("foresee_atomic")))
#else
#define FORESEE_ATOMIC
#endif

/*
 * Order that foresee cannot see: made by assembler, by a device, by code that was not built with
 * foresee-cc.  Whatever comes before HAPPENS_BEFORE in its thread comes before whatever follows
 * a later HAPPENS_AFTER on the same channel, in every run.  A channel is any address; it is not
 * touched, and has nothing to do with what is stored there.  Say BEFORE before the other thread is
 * let go on, and AFTER after this one was.
 *
 *	job->done = 1;                            wait_for_doorbell();
 *	FORESEE_HAPPENS_BEFORE(&doorbell);        FORESEE_HAPPENS_AFTER(&doorbell);
 *	ring_doorbell();                          use(job);
 */
#define FORESEE_HAPPENS_BEFORE(channel) FORESEE_CALL_(foresee_happens_before, (channel))
#define FORESEE_HAPPENS_AFTER(channel) FORESEE_CALL_(foresee_happens_after, (channel))

/*
 * Locks of your own.  A lock is known by its address.  ACQUIRED comes when the thread has it,
 * RELEASES before it gives it up, so that nobody else says ACQUIRED in between; the READ forms are
 * for locks that readers share.  FAILED: a try has not got it, because somebody has it.  TRIED: a
 * try or a call with a time limit has got it; it could not have waited for ever.  WAITS, which may
 * be left out: the lock is taken and the thread is about to wait for it.  With that a program that
 * hangs there is understood.  CREATED and DESTROYED may be left out too.
 *
 *	void my_lock(struct my_lock *l)
 *	{
 *		if (!my_try(l)) {
 *			FORESEE_LOCK_WAITS(l);
 *			while (!my_try(l))
 *				my_wait(l);
 *		}
 *		FORESEE_LOCK_ACQUIRED(l);
 *	}
 *
 *	void my_unlock(struct my_lock *l)
 *	{
 *		FORESEE_LOCK_RELEASES(l);
 *		my_give_back(l);
 *	}
 */
#define FORESEE_READ 1u	 /* flags of the functions: for reading */
#define FORESEE_TRY 2u	 /* by a try, or a call with a time limit */
#define FORESEE_NESTS 4u /* its holder may take it again */

#define FORESEE_LOCK_CREATED(lock) FORESEE_CALL_(foresee_lock_created, ((lock), 0u))
#define FORESEE_LOCK_DESTROYED(lock) FORESEE_CALL_(foresee_lock_destroyed, (lock))
#define FORESEE_LOCK_WAITS(lock) FORESEE_CALL_(foresee_lock_waits, ((lock), 0u))
#define FORESEE_LOCK_ACQUIRED(lock) FORESEE_CALL_(foresee_lock_acquired, ((lock), 0u))
#define FORESEE_LOCK_TRIED(lock) FORESEE_CALL_(foresee_lock_acquired, ((lock), FORESEE_TRY))
#define FORESEE_LOCK_FAILED(lock) FORESEE_CALL_(foresee_lock_failed, ((lock), FORESEE_TRY))
#define FORESEE_LOCK_RELEASES(lock) FORESEE_CALL_(foresee_lock_releases, ((lock), 0u))
#define FORESEE_LOCK_READ_WAITS(lock) FORESEE_CALL_(foresee_lock_waits, ((lock), FORESEE_READ))
#define FORESEE_LOCK_READ_ACQUIRED(lock) \
	FORESEE_CALL_(foresee_lock_acquired, ((lock), FORESEE_READ))
#define FORESEE_LOCK_READ_TRIED(lock) \
	FORESEE_CALL_(foresee_lock_acquired, ((lock), FORESEE_READ | FORESEE_TRY))
#define FORESEE_LOCK_READ_FAILED(lock) \
	FORESEE_CALL_(foresee_lock_failed, ((lock), FORESEE_READ | FORESEE_TRY))
#define FORESEE_LOCK_READ_RELEASES(lock) \
	FORESEE_CALL_(foresee_lock_releases, ((lock), FORESEE_READ))

/*
 * One of 0 .. n - 1: an input that may be any of these, say whether a message gets lost.  `foresee
 * explore' tries all of them; without it the value is 0.  n is at most 65535, and at least 1.
 *
 *	if (FORESEE_CHOOSE(2))
 *		drop(message);
 */
#define FORESEE_CHOOSE(n) (FORESEE_HAS_(foresee_choose) ? foresee_choose(n) : 0u)

#endif /* FORESEE_H */
