/* The locks of spin.h and the order of its mailbox, told in the words of one family: -DNONE,
 * -DFORESEE, -DTSAN, -DDYNAMIC or -DWTF (where that has words, else as DYNAMIC). */
#ifndef FAMILY_H
#define FAMILY_H

#include "spin.h"

#if defined(FORESEE)
#include <foresee.h>
#define WAITS(l) FORESEE_LOCK_WAITS(l)
#define TAKEN(l) FORESEE_LOCK_ACQUIRED(l)
#define GIVES(l) FORESEE_LOCK_RELEASES(l)
#define SHARED(l) FORESEE_LOCK_READ_ACQUIRED(l)
#define UNSHARES(l) FORESEE_LOCK_READ_RELEASES(l)
#define BEFORE(c) FORESEE_HAPPENS_BEFORE(c)
#define AFTER(c) FORESEE_HAPPENS_AFTER(c)
#elif defined(TSAN)
#include <sanitizer/tsan_interface.h>
#define WAITS(l) __tsan_mutex_pre_lock(l, 0)
#define TAKEN(l) __tsan_mutex_post_lock(l, 0, 0)
#define GIVES(l) __tsan_mutex_pre_unlock(l, 0)
#define SHARED(l) __tsan_mutex_post_lock(l, __tsan_mutex_read_lock, 0)
#define UNSHARES(l) __tsan_mutex_pre_unlock(l, __tsan_mutex_read_lock)
#define BEFORE(c) __tsan_release(c)
#define AFTER(c) __tsan_acquire(c)
#elif defined(DYNAMIC) || defined(WTF)
void AnnotateHappensBefore(const char *file, int line, const volatile void *channel);
void AnnotateHappensAfter(const char *file, int line, const volatile void *channel);
void AnnotateRWLockAcquired(const char *file, int line, const volatile void *lock, long writes);
void AnnotateRWLockReleased(const char *file, int line, const volatile void *lock, long writes);
#define WAITS(l) ((void)0)
#define TAKEN(l) AnnotateRWLockAcquired(__FILE__, __LINE__, l, 1)
#define GIVES(l) AnnotateRWLockReleased(__FILE__, __LINE__, l, 1)
#define SHARED(l) AnnotateRWLockAcquired(__FILE__, __LINE__, l, 0)
#define UNSHARES(l) AnnotateRWLockReleased(__FILE__, __LINE__, l, 0)
#ifdef WTF
void WTFAnnotateHappensBefore(const char *file, int line, const volatile void *channel);
void WTFAnnotateHappensAfter(const char *file, int line, const volatile void *channel);
#define BEFORE(c) WTFAnnotateHappensBefore(__FILE__, __LINE__, c)
#define AFTER(c) WTFAnnotateHappensAfter(__FILE__, __LINE__, c)
#else
#define BEFORE(c) AnnotateHappensBefore(__FILE__, __LINE__, c)
#define AFTER(c) AnnotateHappensAfter(__FILE__, __LINE__, c)
#endif
#else
#define WAITS(l) ((void)0)
#define TAKEN(l) ((void)0)
#define GIVES(l) ((void)0)
#define SHARED(l) ((void)0)
#define UNSHARES(l) ((void)0)
#define BEFORE(c) ((void)(c))
#define AFTER(c) ((void)(c))
#endif

static inline void lock(struct spin *s)
{
	if (!spin_try(s)) {
		WAITS(s);
		spin_take(s);
	}
	TAKEN(s);
}

static inline void unlock(struct spin *s)
{
	GIVES(s);
	spin_give(s);
}

static inline void lock_read(struct spin *s)
{
	spin_share(s);
	SHARED(s);
}

static inline void unlock_read(struct spin *s)
{
	UNSHARES(s);
	spin_unshare(s);
}

#endif
