/*
 * Annotations: what a program tells the recorder about itself, in three families of names.  Rows:
 * annotate.def.
 *
 *	<foresee.h>		the header declares them weak, here they are defined
 *	__tsan_*		of the thread sanitizer (sanitizer/tsan_interface.h)
 *	Annotate*		as users of Helgrind, DRD and older sanitizers know them, in programs
 *				that call them as functions and do not define them
 *
 * Each is a hook of its own, and does nothing while nothing is recorded.
 *
 * A lock of the program's own is logged like any other, as its kind USER.  If it is made of
 * instrumented accesses these are logged too, and order as accesses do; the annotations add to that
 * and remove nothing.
 */
#include "capture/lock_priv.h"

#define ARGUMENTS 8u

/* As in foresee.h. */
#define FLAG_READ 1u
#define FLAG_TRY 2u
#define FLAG_NESTS 4u

/* ---- names and events ---- */

static void annotate_thread(const char *name)
{
	HOOK(t) {
		if (name != NULL)
			sync_name(t, name, strnlen(name, 64));
	}
}

static void annotate_user(unsigned aux, const char *name, const uint64_t *args, unsigned nargs)
{
	HOOK(t)
		sync_words(t, FORMAT_K_USER, aux, name, args, nargs);
}

static void annotate_range(unsigned aux, const char *name, const volatile void *address,
			   uint64_t size)
{
	uint64_t args[2] = { (uintptr_t)address, size };

	annotate_user(aux, name, args, 2);
}

EXPORT void foresee_event(const char *name, unsigned count, ...);
void foresee_event(const char *name, unsigned count, ...)
{
	uint64_t args[ARGUMENTS];
	unsigned n = count < ARGUMENTS ? count : ARGUMENTS;
	va_list more;

	va_start(more, count);
	for (unsigned i = 0; i < n; i++)
		args[i] = (uint64_t)va_arg(more, long);
	va_end(more);
	annotate_user(FORMAT_USER_EVENT, name, args, n);
}

/* The pass calls this at the start of the functions that it was asked to. */
EXPORT void foresee_called(const char *name, uint32_t n, uint64_t a, uint64_t b, uint64_t c,
			   uint64_t d)
{
	const uint64_t args[FORESEE_CALL_ARGUMENTS] = { a, b, c, d };

	annotate_user(FORMAT_USER_CALL, name, args, n);
}

/* ---- atomic blocks ---- */

/* Blocks of this thread that were logged and not ended: a trace has no end without its begin. */
static __thread uint32_t nblocks;

static void block_begin(const char *name)
{
	HOOK(t) {
		nblocks++;
		sync_words(t, FORMAT_K_BLOCK, FORMAT_BLOCK_BEGIN, name, NULL, 0);
	}
}

static void block_end(void)
{
	HOOK(t) {
		if (nblocks != 0) {
			nblocks--;
			sync_words(t, FORMAT_K_BLOCK, FORMAT_BLOCK_END, NULL, NULL, 0);
		}
	}
}

/* ---- order ---- */

static void annotate_channel(unsigned kind, const volatile void *channel)
{
	HOOK(t)
		sync_log(t, kind, FORMAT_CHANNEL_USER, (const void *)(uintptr_t)channel);
}

/* ---- locks ---- */

/* What this thread holds, and how often: an annotation does not say whether the lock was held
 * already. Of more than HELD locks it is not known. */
#define HELD 16
static __thread struct {
	const volatile void *lock;
	uint32_t levels;
	bool read;
} held[HELD];

/* Where it is, or else (levels 0) may be put; -1 nowhere. */
static int held_find(const volatile void *lock, bool read)
{
	int room = -1;

	for (int i = 0; i < HELD; i++) {
		if (held[i].levels == 0)
			room = i;
		else if (held[i].lock == lock && held[i].read == read)
			return i;
	}
	return room;
}

/* Is this one of several levels?  Counts it. */
static bool held_nests(unsigned kind, const volatile void *lock)
{
	bool takes = kind == FORMAT_K_ACQ || kind == FORMAT_K_RACQ;
	int i = held_find(lock, kind == FORMAT_K_RACQ || kind == FORMAT_K_RREL);

	if (i < 0 || (!takes && held[i].levels == 0))
		return false;
	held[i].lock = lock;
	held[i].read = kind == FORMAT_K_RACQ || kind == FORMAT_K_RREL;
	held[i].levels += takes ? 1 : -1u;
	return held[i].levels > (takes ? 1 : 0);
}

static uint32_t annotate_levels(const volatile void *lock)
{
	int i = held_find(lock, false);

	return i < 0 ? 0 : held[i].levels;
}

static void annotate_lock(unsigned kind, const volatile void *lock, unsigned flags)
{
	bool holds = kind == FORMAT_K_ACQ || kind == FORMAT_K_REL || kind == FORMAT_K_RACQ ||
		     kind == FORMAT_K_RREL;

	if (holds && held_nests(kind, lock))
		flags |= FORMAT_LOCK_RECURSIVE;
	lock_note((const void *)(uintptr_t)lock, kind, FORMAT_LOCK_USER | flags);
}

static unsigned aux_of(unsigned flags)
{
	return (flags & FLAG_TRY ? FORMAT_LOCK_TRY : 0) |
	       (flags & FLAG_NESTS ? FORMAT_LOCK_RECURSIVE : 0);
}

/* ---- the thread sanitizer's ---- */

/*
 *	pre_lock         the thread asks for the lock; not that it has to wait
 *	post_lock        it has it, or a try failed
 *	pre_unlock       it gives it up
 *
 * The sanitizer ignores what a program does between pre and post.  Here these accesses are recorded
 * like all others.  They order as accesses do, so a lock made of them is ordered twice, and
 * predictions may be missed; but what else the program does in there is not lost, and no read is
 * left without the write that it saw.  So the calls that only end such a stretch (post_unlock,
 * signal, divert) do nothing here.
 */

/* Flags, as that header has them. */
#define LINKER_INIT (1u << 0)
#define WRITE_NESTS (1u << 1)
#define READ_NESTS (1u << 2)
#define READ_LOCK (1u << 3)
#define TRY_LOCK (1u << 4)
#define TRY_FAILED (1u << 5)
#define MANY_LOCK (1u << 6)
#define MANY_UNLOCK (1u << 7)
#define NOT_STATIC (1u << 8)

void __tsan_mutex_pre_lock(void *addr, unsigned flags);
void __tsan_mutex_post_lock(void *addr, unsigned flags, int recursion);
int __tsan_mutex_pre_unlock(void *addr, unsigned flags);

static unsigned tsan_aux(unsigned flags)
{
	return (flags & TRY_LOCK ? FORMAT_LOCK_TRY : 0) |
	       (flags & (WRITE_NESTS | READ_NESTS) ? FORMAT_LOCK_RECURSIVE : 0);
}

/* Whether the thread will have to wait is not known; if the run ends here, it had to.  A thread
 * that holds the lock already takes one that nests, and asks for nothing. */
EXPORT void __tsan_mutex_pre_lock(void *addr, unsigned flags)
{
	if (!(flags & TRY_LOCK) && annotate_levels(addr) == 0)
		annotate_lock(flags & READ_LOCK ? FORMAT_K_RREQ : FORMAT_K_REQ, addr,
			      tsan_aux(flags));
}

EXPORT void __tsan_mutex_post_lock(void *addr, unsigned flags, int recursion)
{
	int levels = flags & MANY_LOCK && recursion > 0 ? recursion : 1;

	if (flags & TRY_FAILED) {
		annotate_lock(FORMAT_K_TRYFAIL, addr, tsan_aux(flags | TRY_LOCK));
		return;
	}
	for (; levels > 0; levels--)
		annotate_lock(flags & READ_LOCK ? FORMAT_K_RACQ : FORMAT_K_ACQ, addr,
			      tsan_aux(flags));
}

EXPORT int __tsan_mutex_pre_unlock(void *addr, unsigned flags)
{
	int levels = 1;

	if (flags & READ_LOCK) {
		annotate_lock(FORMAT_K_RREL, addr, tsan_aux(flags));
		return 0;
	}
	if ((flags & MANY_UNLOCK) && annotate_levels(addr) != 0)
		levels = (int)annotate_levels(addr);
	for (int i = 0; i < levels; i++)
		annotate_lock(FORMAT_K_REL, addr, tsan_aux(flags));
	return levels;
}

/* ---- Annotate* ---- */

/*
 * Annotations that hide something are not obeyed.  A recording without some accesses would order
 * less than the run did, and predictions from it could be wrong; so IgnoreReads, IgnoreWrites and
 * IgnoreSync are noted and everything is recorded.  A race that is declared benign stays in the
 * recording, and the report leaves it out and counts it.
 *
 * NewMemory and PublishMemoryRange say what the recording shows anyway: who got the memory read a
 * pointer to it, and comes after the thread that stored it.
 */

#define AT const char *file __attribute__((unused)), int line __attribute__((unused))

static void benign(const volatile void *mem, uint64_t size, const char *why)
{
	if (size != 0)
		annotate_range(FORMAT_USER_BENIGN, why, mem, size);
}

static void note_once(void)
{
	static bool noted;

	if (__atomic_load_n(&noted, __ATOMIC_RELAXED))
		return;
	HOOK(t) {
		if (!__atomic_exchange_n(&noted, true, __ATOMIC_RELAXED))
			log_note("the program asks to ignore accesses or synchronisation "
				 "(AnnotateIgnore...): they are recorded all the same");
	}
}

#define INTERPOSED_ANNOTATIONS
#include "capture/interposed.def"
