/*
 * The older annotations, as Helgrind's, DRD's and the thread sanitizer's users know them:
 * AnnotateHappensBefore and its relatives, in programs that call them as functions and do not
 * define them.
 *
 * What hides something is not done.  A recording without some accesses would order less than the
 * run did, and predictions from it could be wrong; so IgnoreReads, IgnoreWrites and IgnoreSync are
 * noted and everything is recorded.  A race that is declared benign stays in the recording, and
 * the report leaves it out and counts it.
 *
 * NewMemory and PublishMemoryRange say what the recording shows anyway: who got the memory read a
 * pointer to it, and comes after the thread that stored it.
 */
#include <stdint.h>

#include "capture/annotate.h"
#include "capture/real.h"
#include "capture/sync.h"

#define HIDDEN(X)                    \
	X(AnnotateIgnoreReadsBegin)  \
	X(AnnotateIgnoreReadsEnd)    \
	X(AnnotateIgnoreWritesBegin) \
	X(AnnotateIgnoreWritesEnd) X(AnnotateIgnoreSyncBegin) X(AnnotateIgnoreSyncEnd)

void AnnotateHappensBefore(const char *file, int line, const volatile void *addr);
void AnnotateHappensAfter(const char *file, int line, const volatile void *addr);
void AnnotateRWLockCreate(const char *file, int line, const volatile void *lock);
void AnnotateRWLockCreateStatic(const char *file, int line, const volatile void *lock);
void AnnotateRWLockDestroy(const char *file, int line, const volatile void *lock);
void AnnotateRWLockAcquired(const char *file, int line, const volatile void *lock, long writes);
void AnnotateRWLockReleased(const char *file, int line, const volatile void *lock, long writes);
void AnnotateBenignRace(const char *file, int line, const volatile void *mem, const char *why);
void AnnotateBenignRaceSized(const char *file, int line, const volatile void *mem, long size,
			     const char *why);
void AnnotateThreadName(const char *file, int line, const char *name);
void AnnotateNewMemory(const char *file, int line, const volatile void *mem, long size);
void AnnotatePublishMemoryRange(const char *file, int line, const volatile void *mem, long size);
void AnnotateUnpublishMemoryRange(const char *file, int line, const volatile void *mem, long size);
#define X(name) void name(const char *file, int line);
HIDDEN(X)
#undef X
/* The same three, as WebKit calls them. */
void WTFAnnotateHappensBefore(const char *file, int line, const volatile void *addr);
void WTFAnnotateHappensAfter(const char *file, int line, const volatile void *addr);
void WTFAnnotateBenignRaceSized(const char *file, int line, const volatile void *mem, long size,
				const char *why);

EXPORT void AnnotateHappensBefore(const char *file, int line, const volatile void *addr)
{
	(void)file, (void)line;
	annotate_channel(FORMAT_K_GIVE, addr);
}

EXPORT void AnnotateHappensAfter(const char *file, int line, const volatile void *addr)
{
	(void)file, (void)line;
	annotate_channel(FORMAT_K_TAKE, addr);
}

EXPORT void AnnotateRWLockCreate(const char *file, int line, const volatile void *lock)
{
	(void)file, (void)line;
	annotate_lock(FORMAT_K_LOCK_INIT, lock, 0);
}

/* Called in front of each use, for want of a constructor: it does not begin a new lock. */
EXPORT void AnnotateRWLockCreateStatic(const char *file, int line, const volatile void *lock)
{
	(void)file, (void)line, (void)lock;
}

EXPORT void AnnotateRWLockDestroy(const char *file, int line, const volatile void *lock)
{
	(void)file, (void)line;
	annotate_lock(FORMAT_K_LOCK_DESTROY, lock, 0);
}

EXPORT void AnnotateRWLockAcquired(const char *file, int line, const volatile void *lock,
				   long writes)
{
	(void)file, (void)line;
	annotate_lock(writes ? FORMAT_K_ACQ : FORMAT_K_RACQ, lock, 0);
}

EXPORT void AnnotateRWLockReleased(const char *file, int line, const volatile void *lock,
				   long writes)
{
	(void)file, (void)line;
	annotate_lock(writes ? FORMAT_K_REL : FORMAT_K_RREL, lock, 0);
}

EXPORT void AnnotateBenignRace(const char *file, int line, const volatile void *mem,
			       const char *why)
{
	AnnotateBenignRaceSized(file, line, mem, 1, why);
}

EXPORT void AnnotateBenignRaceSized(const char *file, int line, const volatile void *mem, long size,
				    const char *why)
{
	(void)file, (void)line;
	if (size > 0)
		annotate_range(FORMAT_USER_BENIGN, why, mem, (uint64_t)size);
}

EXPORT void WTFAnnotateHappensBefore(const char *file, int line, const volatile void *addr)
{
	AnnotateHappensBefore(file, line, addr);
}

EXPORT void WTFAnnotateHappensAfter(const char *file, int line, const volatile void *addr)
{
	AnnotateHappensAfter(file, line, addr);
}

EXPORT void WTFAnnotateBenignRaceSized(const char *file, int line, const volatile void *mem,
				       long size, const char *why)
{
	AnnotateBenignRaceSized(file, line, mem, size, why);
}

EXPORT void AnnotateThreadName(const char *file, int line, const char *name)
{
	(void)file, (void)line;
	annotate_thread(name);
}

EXPORT void AnnotateNewMemory(const char *file, int line, const volatile void *mem, long size)
{
	(void)file, (void)line, (void)mem, (void)size;
}

EXPORT void AnnotatePublishMemoryRange(const char *file, int line, const volatile void *mem,
				       long size)
{
	(void)file, (void)line, (void)mem, (void)size;
}

EXPORT void AnnotateUnpublishMemoryRange(const char *file, int line, const volatile void *mem,
					 long size)
{
	(void)file, (void)line, (void)mem, (void)size;
}

/* ---- what is not done ---- */

static void note_once(void)
{
	static const char words[] =
		"the program asks to ignore accesses or synchronisation (AnnotateIgnore...): "
		"they are recorded all the same";
	static bool noted;
	struct thread *t;

	if (__atomic_load_n(&noted, __ATOMIC_RELAXED) || (t = hook_enter()) == NULL)
		return;
	if (!__atomic_exchange_n(&noted, true, __ATOMIC_RELAXED))
		log_control(FORMAT_K_C_NOTE, words, sizeof(words) - 1);
	hook_leave(t);
}

#define X(name)                                      \
	EXPORT void name(const char *file, int line) \
	{                                            \
		(void)file, (void)line;              \
		note_once();                         \
	}
HIDDEN(X)
#undef X
