/*
 * System calls: what they read and write, and what they order.
 *
 * Data may pass through the kernel from one thread to another, and a thread may wait there for what
 * another does.  So a call that may let others go on gives before it is made, and one that may have
 * waited takes when it is done (doc/TRACE_FORMAT.md, GIVE and TAKE); all of them, signals too, by one
 * channel, and futexes by one for each address.  That orders more than the kernel does, never less.  What
 * a thread has read nobody else reads, so such calls take turns.  Calls that have nothing to do with other
 * threads are listed.
 */
#include "sync.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

/* Words where no program has memory. */
#define CHANNEL SYNC_CHANNEL
#define CHANNEL_TURN 0x1008u
#define CHANNEL_FUTEX 0x2000u
#define FUTEXES 256u
#define CLEARS 0x200000u /* of clone: CLONE_CHILD_CLEARTID */

enum how { BOTH, NEITHER, GIVES, TAKES };

static enum how how_of(UInt n)
{
	switch (n) {
	case __NR_brk:
	case __NR_mmap:
	case __NR_munmap:
	case __NR_mprotect:
	case __NR_madvise:
	case __NR_mremap:
	case __NR_nanosleep:
	case __NR_clock_nanosleep:
	case __NR_clock_gettime:
	case __NR_gettimeofday:
	case __NR_time:
	case __NR_getpid:
	case __NR_gettid:
	case __NR_getuid:
	case __NR_geteuid:
	case __NR_getgid:
	case __NR_getegid:
	case __NR_sched_yield:
	case __NR_sched_getaffinity:
	case __NR_rt_sigaction:
	case __NR_rt_sigprocmask:
	case __NR_rt_sigreturn:
	case __NR_sigaltstack:
	case __NR_set_robust_list:
	case __NR_set_tid_address:
	case __NR_arch_prctl:
	case __NR_prctl:
	case __NR_clone:
	case __NR_exit:
	case __NR_exit_group:
	case __NR_getrlimit:
	case __NR_prlimit64:
	case __NR_uname:
	case __NR_sysinfo:
	case __NR_getrandom:
	case 334: /* rseq */
	case 435: /* clone3 */
		return NEITHER;
	case __NR_write:
	case __NR_writev:
	case __NR_pwrite64:
	case __NR_sendto:
	case __NR_sendmsg:
	case __NR_close:
		return GIVES;
	case __NR_read:
	case __NR_readv:
	case __NR_pread64:
	case __NR_recvfrom:
	case __NR_recvmsg:
	case __NR_poll:
	case __NR_select:
	case __NR_epoll_wait:
	case __NR_wait4:
		return TAKES;
	default:
		return BOTH;
	}
}

static struct thread *recorded(ThreadId v)
{
	struct thread *t = thread_of(v);

	return recording && accesses_on && t != NULL && t->begun && !t->ended && t->hidden == 0
		       ? t
		       : NULL;
}

/* Of calls that the program makes by a function of the library: who called that. */
static uint32_t site_here(struct thread *t)
{
	return site_caller(t);
}

static Addr channel_of(UInt n, const UWord *args)
{
	return n == __NR_futex ? CHANNEL_FUTEX + 8 * ((args[0] >> 2) % FUTEXES) : CHANNEL;
}

static void before(ThreadId v, UInt n, UWord *args, UInt nargs)
{
	struct thread *t = recorded(v);
	enum how how = how_of(n);

	(void)nargs;
	if (n == __NR_execve && recording)
		log_became(True);
	if (thread_of(v) != NULL)
		thread_of(v)->futex = n == __NR_futex;
	if (thread_of(v) != NULL && n == __NR_clone)
		thread_of(v)->child_cleared = args[0] & CLEARS ? args[3] : 0;
	if (t == NULL)
		return;
	if (how == BOTH || how == GIVES)
		record_sync(t, site_here(t), FORMAT_K_GIVE, FORMAT_CHANNEL_FILE,
			    channel_of(n, args), NULL, 0);
}

static void after(ThreadId v, UInt n, UWord *args, UInt nargs, SysRes r)
{
	struct thread *t = recorded(v);
	enum how how = how_of(n);

	(void)nargs, (void)r;
	if (n == __NR_execve && recording)
		log_became(False);
	if (t == NULL)
		return;
	if (how == BOTH || how == TAKES)
		record_sync(t, site_here(t), FORMAT_K_TAKE, FORMAT_CHANNEL_FILE,
			    channel_of(n, args), NULL, 0);
	if (how == TAKES) {
		record_sync(t, site_here(t), FORMAT_K_TAKE, FORMAT_CHANNEL_TURN, CHANNEL_TURN, NULL,
			    0);
		record_sync(t, site_here(t), FORMAT_K_GIVE, FORMAT_CHANNEL_TURN, CHANNEL_TURN, NULL,
			    0);
	}
}

/* ---- memory ---- */

static Bool counts(CorePart part)
{
	return part == Vg_CoreSysCall || part == Vg_CoreSysCallArgInMem;
}

static void reads(CorePart part, ThreadId v, const HChar *what, Addr a, SizeT n)
{
	struct thread *t = recorded(v);

	(void)what;
	if (t == NULL || !counts(part) || n == 0 ||
	    !VG_(am_is_valid_for_client)(a, n, VKI_PROT_READ))
		return;
	if (t->futex) /* the kernel compares it as an atomic */
		access_kernel(a, site_here(t));
	else
		sync_range(t, site_here(t), False, a, n);
}

static void reads_text(CorePart part, ThreadId v, const HChar *what, Addr a)
{
	struct thread *t = recorded(v);

	if (t != NULL && VG_(am_is_valid_for_client)(a, 1, VKI_PROT_READ))
		reads(part, v, what, a, VG_(strlen)((const HChar *)a) + 1);
}

static void wrote(CorePart part, ThreadId v, Addr a, SizeT n)
{
	struct thread *t = thread_of(v);

	(void)part;
	if (!recording || !accesses_on || t == NULL || !t->begun || t->ended || n == 0)
		return;
	if (t->futex) /* the core says so of every futex, but nothing is written */
		return;
	/* In the library's own calls: where the program will look. */
	if (t->hidden == 0 || (a >= t->floor && a < t->high))
		sync_range(t, site_here(t), True, a, n);
}

/* ---- signals ---- */

/* Wherever it comes, in the library's own business too: what the thread does then comes after. */
static void delivers(ThreadId v, Int number, Bool other_stack)
{
	struct thread *t = thread_of(v);

	(void)number, (void)other_stack;
	if (recording && accesses_on && t != NULL && t->begun && !t->ended)
		record_sync(t, 0, FORMAT_K_TAKE, FORMAT_CHANNEL_SIGNAL, CHANNEL, NULL, 0);
}

void kernel_start(void)
{
	VG_(needs_syscall_wrapper)(before, after);
	VG_(track_pre_mem_read)(reads);
	VG_(track_pre_mem_read_asciiz)(reads_text);
	VG_(track_post_mem_write)(wrote);
	VG_(track_pre_deliver_signal)(delivers);
}
