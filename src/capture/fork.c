/*
 * fork, in all its forms, as the trace and the two processes see it:
 *
 *	the usual way                      followed
 *	parent          child              parent          child
 *	records         nothing            nothing         records on
 *	notes its pid   has no file        has no file     notes its own pid
 *
 * Slots and shadow are not mapped in a child (MADV_DONTFORK), which would only spoil them; a hook
 * there would crash.  So every way to make a child has a stand-in here, also those that bypass the
 * handlers of pthread_atfork: _Fork, clone and the bare system calls.  A fork by inline assembler
 * is not seen, and such a child must not run instrumented code.
 *
 * To follow, slots and shadow are left to the child, and the parent lets go of them: one file, one
 * writer.  Other threads of the parent would go on writing, and are not there in the child; so a
 * recording goes along only with a thread that is alone.
 *
 * Our handlers were registered first: before a fork they run last, after it first.
 */
#include "capture/process.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>

#include "capture/channel.h"
#include "capture/create_priv.h"
#include "capture/guard.h"
#include "capture/lock_priv.h"

#define TOLD 3u /* children that have a note of their own */

static pid_t recorded; /* the process */
static bool follow;    /* --follow-fork */
static bool serving;   /* the child is a run of the program (baton.h), as if it had been started */
static bool following; /* the fork that is under way is followed; one thread only */
static uint32_t nchildren; /* atomic: not followed */

bool fork_is_recorded(void)
{
	return getpid() == recorded;
}

/* ---- notes ---- */

/* In the parent; made: pid of the child. */
static void child_note(pid_t made)
{
	if (!log_is_on() || !fork_is_recorded())
		return;
	if (__atomic_add_fetch(&nchildren, 1, __ATOMIC_RELAXED) <= TOLD)
		log_note(
			"forked: the child, process %lu, is not recorded (--follow-fork goes along "
			"with it)",
			(unsigned long)made);
}

void fork_finish(void)
{
	uint32_t n = __atomic_load_n(&nchildren, __ATOMIC_RELAXED);

	if (n > TOLD && log_is_on())
		log_note("forked %lu children in all, none of them recorded", (unsigned long)n);
}

/* ---- either side ---- */

/* From now on this process records nothing, and touches neither slots nor shadow. */
static void stop(void)
{
	foresee_self = &thread_gone.view;
	thread_scratch.view.live = THREAD_QUIET;
}

static void go_along(void)
{
	following = false;
	recorded = getpid();
	sys_barrier_register();
	file_follow();
	file_owner((uint32_t)recorded);
	log_share(thread_self(), MADV_DONTFORK);
	tag_share(MADV_DONTFORK);
	nchildren = 0;
	log_note(FORMAT_NOTE_CHILD ", process %lu", (unsigned long)recorded);
}

static void in_child(void)
{
	module_forked();
	lock_forked();
	if (serving) {
		recorded = getpid();
		sys_barrier_register();
	} else if (following) {
		go_along();
	} else {
		if (guard_on)
			guard_forked();
		stop();
		log_abandon();
	}
}

/* Also when there is no child after all. */
static void in_parent(void)
{
	if (control_on && !serving)
		control_forked();
	if (following)
		stop();
}

static void before(void)
{
	struct thread *t = thread_self();

	following = following && log_is_on() && fork_is_recorded() && t->view.live == THREAD_LIVE &&
		    log_is_alone(t);
	if (!following)
		return;
	file_owner(0); /* whoever waits for this process shall wait for the child instead */
	log_share(t, MADV_DOFORK);
	tag_share(MADV_DOFORK);
}

/* The call is over in the parent. */
static pid_t fork_made(pid_t made)
{
	bool gone = following;

	if (control_on && made > 0) /* handlers may have been bypassed */
		control_forked();
	following = false;
	if (gone && made > 0) {
		log_abandon();
	} else if (gone) {
		log_trouble("a fork that was to be followed failed", errno);
		file_owner((uint32_t)recorded);
	} else if (made > 0) {
		child_note(made);
	}
	return made;
}

void fork_start(bool along)
{
	recorded = getpid();
	follow = along;
	pthread_atfork(before, in_parent, in_child);
}

REAL_EARLY(fork)

pid_t fork_serve(void)
{
	static bool shared; /* and what is mapped later has been used by nobody */
	pid_t made;

	serving = true;
	if (!shared)
		tag_share(MADV_DOFORK);
	shared = true;
	made = real_fork()();
	serving = false;
	return made;
}

/* ---- the calls ---- */

EXPORT pid_t fork(void)
{
	pid_t made;

	channel_forks();
	control_yield(); /* what others have done by then is what the child gets */
	following = follow;
	made = real_fork()();
	return made == 0 ? 0 : fork_made(made);
}

/* Without handlers, for signal handlers. */
EXPORT pid_t _Fork(void)
{
	pid_t made;

	channel_forks();
	made = REAL(_Fork)();
	if (made == 0)
		in_child();
	return made == 0 ? 0 : fork_made(made);
}

/* The program goes on in the child, so the recording follows it there. */
EXPORT int daemon(int keep_directory, int keep_files)
{
	int r;

	following = true;
	r = REAL(daemon)(keep_directory, keep_files);
	if (r != 0)
		fork_made(-1);
	return r;
}

struct clone_start {
	int (*run)(void *);
	void *arg;
};

/* In a process of its own, where *start is a copy. */
static int clone_run(void *start)
{
	struct clone_start s = *(struct clone_start *)start;

	in_child();
	return s.run(s.arg);
}

EXPORT int clone(int (*run)(void *), void *stack, int flags, void *arg, ...)
{
	struct clone_start start = { run, arg };
	pid_t *parent_tid, *child_tid;
	void *tls;
	va_list ap;

	va_start(ap, arg);
	parent_tid = va_arg(ap, pid_t *);
	tls = va_arg(ap, void *);
	child_tid = va_arg(ap, pid_t *);
	va_end(ap);
	if ((flags & CLONE_VM) || run == NULL)
		return REAL(clone)(run, stack, flags, arg, parent_tid, tls, child_tid);
	channel_forks();
	return fork_made(REAL(clone)(clone_run, stack, flags, &start, parent_tid, tls, child_tid));
}

/* ---- system calls ---- */

/*
 * Under a filter of system calls (seccomp) one of the recorder could get the program killed: it
 * allows what the program needs, which may not include our pwrite and membarrier.  So the recording
 * ends just before a filter is set, and says why; from then on the runtime makes no system call of
 * its own.  A thread that is about to begin makes some, and a filter may be for all threads.
 */
static void sandbox_look(long number, const long a[6])
{
	bool sets = (number == SYS_prctl && a[0] == PR_SET_SECCOMP) ||
		    (number == SYS_seccomp &&
		     (a[0] == SECCOMP_SET_MODE_STRICT || a[0] == SECCOMP_SET_MODE_FILTER));

	if (!sets || !log_is_on() || !fork_is_recorded())
		return;
	log_trouble("the program limits its system calls (seccomp): not recorded from there", 0);
	create_settle();
}

static long call(long number, const long a[6])
{
	register long r10 __asm__("r10") = a[3];
	register long r8 __asm__("r8") = a[4];
	register long r9 __asm__("r9") = a[5];
	long r;

	__asm__ volatile("syscall"
			 : "=a"(r)
			 : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return r;
}

/* A process with memory of its own, on the stack of its parent. */
static bool is_fork(long number, const long a[6])
{
	switch (number) {
	case SYS_fork:
		return true;
	case SYS_clone:
		return !(a[0] & CLONE_VM) && a[1] == 0;
	case SYS_clone3:
		return !(*(const uint64_t *)a[0] & CLONE_VM);
	default:
		return false;
	}
}

/* Is it the runtime itself that calls? */
static bool is_own(const void *caller)
{
	extern const char __ehdr_start[] __attribute__((visibility("hidden")));
	extern const char etext[] __attribute__((visibility("hidden")));

	return (const char *)caller >= __ehdr_start && (const char *)caller < etext;
}

/* Must not use REAL: the runtime's own system calls come here too, before anything is looked up. */
EXPORT long syscall(long number, ...)
{
	bool own = is_own(__builtin_return_address(0));
	long a[6], r;
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	sandbox_look(number, a);
	if (UNLIKELY(is_fork(number, a)))
		channel_forked();
	if (!own && number == SYS_futex && (a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET)
		a[3] = (long)control_time_due((const struct timespec *)a[3]);
	if (!own)
		channel_bare_gives(number, a);
	if (!(number == SYS_futex && !own && control_futex(a, &r)))
		r = call(number, a);
	if (UNLIKELY(is_fork(number, a))) {
		if (r == 0)
			in_child();
		else if (r > 0)
			fork_made((pid_t)r);
	}
	if (!own && r >= 0)
		channel_bare_takes(number, a, r);
	if ((unsigned long)r > -4096ul) {
		errno = (int)-r;
		return -1;
	}
	return r;
}

EXPORT int prctl(int option, ...)
{
	long a[6] = { option };
	va_list ap;

	va_start(ap, option);
	for (int i = 1; i < 5; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	return (int)syscall(SYS_prctl, a[0], a[1], a[2], a[3], a[4]);
}
