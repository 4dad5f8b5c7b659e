/*
 * System calls: what they read and write, and what they order.
 *
 * Data may pass through the kernel from one thread to another, and a thread may wait there for what
 * another does.  So a call that may let others go on gives before it is made, and one that may have
 * waited takes when it is done (channel.c).  Calls that have nothing to do with other threads are listed.
 */
#include "channel.h"
#include "sync.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

/* The core's own, which no header for tools has. */
extern Int VG_(fcntl)(Int fd, Int command, Addr argument);

#define CLEARS 0x200000u /* of clone: CLONE_CHILD_CLEARTID */
#define THREAD 0x10000u	 /* of clone: CLONE_THREAD */
#define SHARED 1u	 /* of mmap: MAP_SHARED, and MAP_SHARED_VALIDATE */

/* By the descriptor that comes first: WRITES, READS; of anything: WAITS, BOTH. */
enum how { BOTH, NEITHER, WRITES, READS, WAITS };

static enum how how_of(UInt n, const UWord *args)
{
	if (n == __NR_clone)
		return args[0] & THREAD ? NEITHER : BOTH;
	switch (n) {
	case __NR_brk:
	case __NR_mmap:
	case __NR_munmap:
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
		return WRITES;
	case __NR_read:
	case __NR_readv:
	case __NR_pread64:
	case __NR_recvfrom:
	case __NR_recvmsg:
		return READS;
	case __NR_poll:
	case __NR_select:
	case __NR_epoll_wait:
	case __NR_wait4:
		return WAITS;
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

#define POLLOUT 4      /* and EPOLLOUT */
#define PIPE_SIZE 1032 /* F_GETPIPE_SZ */
#define PACKETS 040000 /* O_DIRECT: few, whatever their size */

/* What is written to a pipe or socket, also while there is one thread.  A pipe takes part for what fits twice. */
static void writes(UInt n, const UWord *args)
{
	struct channel c;
	Int size;

	if (how_of(n, args) != WRITES || n == __NR_close)
		return;
	channel_of((Int)args[0], &c);
	if (c.room == 0)
		return;
	size = VG_(fcntl)((Int)args[0], PIPE_SIZE, 0);
	if (VG_(fcntl)((Int)args[0], VKI_F_GETFL, 0) & PACKETS)
		size = 0;
	channel_writes(c.room, n == __NR_write ? args[2] : 1,
		       n == __NR_write && size > 0 ? (ULong)size / 2 : 0);
}

static Bool is_readable(UWord a, UWord n)
{
	return VG_(am_is_valid_for_client)(a, n, VKI_PROT_READ);
}

/* Has the call waited until there was room, or may it have? */
static Bool found_room(UInt n, const UWord *args, Word r)
{
	const struct vki_pollfd *p = (const struct vki_pollfd *)args[0];
	const struct vki_epoll_event *e = (const struct vki_epoll_event *)args[1];

	switch (n) {
	case __NR_poll:
	case __NR_ppoll:
		for (UWord i = 0; i < args[1] && is_readable((UWord)&p[i], sizeof(*p)); i++)
			if (p[i].revents & POLLOUT)
				return True;
		return False;
	case __NR_select:
	case __NR_pselect6:
		return args[2] != 0;
	case __NR_epoll_wait:
	case __NR_epoll_pwait:
	case 441: /* epoll_pwait2 */
		for (Word i = 0; i < r && is_readable((UWord)&e[i], sizeof(*e)); i++)
			if (e[i].events & POLLOUT)
				return True;
		return False;
	case __NR_connect:
	case __NR_sendmmsg:
	case __NR_splice:
	case __NR_tee:
	case __NR_sendfile:
	case __NR_vmsplice:
		return True;
	default:
		return False;
	}
}

/* Calls that wait for one descriptor, and give to another one then. */
static Bool is_mover(UInt n)
{
	return n == __NR_splice || n == __NR_tee || n == __NR_sendfile || n == __NR_vmsplice ||
	       n == __NR_copy_file_range || n == __NR_io_submit || n == 426; /* io_uring_enter */
}

/* Of calls that may do more than to read: which of their arguments is the descriptor that they read from. */
static Int taken_from(UInt n)
{
	switch (n) {
	case __NR_accept:
	case __NR_accept4:
	case __NR_preadv:
	case __NR_recvmmsg:
	case __NR_splice:
	case __NR_copy_file_range:
	case __NR_preadv2:
		return 0;
	case __NR_sendfile:
		return 1;
	default:
		return -1;
	}
}

/* Of the call that t is going to make. */
static void channel_find(struct thread *t, UInt n, const UWord *args)
{
	enum how how = how_of(n, args);
	Int from = taken_from(n);
	struct channel c = { 0 };

	if (from >= 0)
		channel_of((Int)args[from], &c);
	t->through = (struct channel){ .object = CHANNEL_ANY, .turn = c.turn, .outer = True };
	if (n == __NR_futex)
		t->through.object = channel_of_futex(args[0]);
	else if (how == WRITES || how == READS)
		channel_of((Int)args[0], &t->through);
	else
		t->through.room = c.room;
}

/* A handler that is neither SIG_DFL nor SIG_IGN. */
static void catches(const UWord *args)
{
	const UWord *action = (const UWord *)args[1];

	if (args[0] - 1 < 64 && VG_(am_is_valid_for_client)((Addr)action, 8, VKI_PROT_READ) &&
	    *action > 1)
		log_catches((int)args[0]);
}

static void before(ThreadId v, UInt n, UWord *args, UInt nargs)
{
	struct thread *t = recorded(v);
	enum how how = how_of(n, args);

	(void)nargs;
	if (n == __NR_execve && recording)
		log_became(True);
	if (n == __NR_rt_sigaction)
		catches(args);
	if (thread_of(v) != NULL)
		thread_of(v)->futex = n == __NR_futex;
	/* Nobody else runs until it is done. */
	heap_maps_shared = (n == __NR_mmap && (args[3] & SHARED)) || n == __NR_shmat ||
			   (n == __NR_mremap && shared_has(args[0]));
	if (thread_of(v) != NULL && n == __NR_clone)
		thread_of(v)->child_cleared = args[0] & CLEARS ? args[3] : 0;
	if (is_mover(n))
		channel_passed();
	writes(n, args);
	if (t == NULL || how == NEITHER)
		return;
	channel_find(t, n, args);
	if (how != WRITES && t->through.room != 0)
		channel_empties(t, t->through.room);
	if ((how == BOTH || how == WRITES) && t->through.object != 0)
		channel_give(t, t->through.object);
}

/* Descriptors that are made from others, or that others get. */
static void descriptors(UInt n, const UWord *args, Word r)
{
	switch (n) {
	case __NR_pipe:
	case __NR_pipe2:
		channel_made(*(const Int *)args[0]);
		break;
	case __NR_fork:
	case __NR_vfork:
		channel_passed();
		break;
	case __NR_clone:
		if (!(args[0] & THREAD))
			channel_passed();
		break;
	case __NR_fcntl:
		if (args[1] != VKI_F_DUPFD && args[1] != VKI_F_DUPFD_CLOEXEC)
			return;
		/* fall through */
	case __NR_dup:
	case __NR_dup2:
	case __NR_dup3:
		channel_same((Int)args[0], (Int)r);
		break;
	case __NR_recvmsg:
	case __NR_recvmmsg:
	case 438: /* pidfd_getfd */
		channel_passed();
		break;
	default:
		break;
	}
}

static void after(ThreadId v, UInt n, UWord *args, UInt nargs, SysRes r)
{
	struct thread *t = recorded(v);
	enum how how = how_of(n, args);

	(void)nargs;
	if (n == __NR_execve && recording)
		log_became(False);
	if (!sr_isError(r)) {
		descriptors(n, args, (Word)sr_Res(r));
		if (n == __NR_mremap && heap_maps_shared)
			shared_add(sr_Res(r), args[2]);
	}
	if (n == __NR_mmap || n == __NR_shmat || n == __NR_mremap)
		heap_maps_shared = False;
	if (t != NULL && how == WRITES && t->through.room != 0)
		channel_fills(t, t->through.room);
	if (t != NULL && !sr_isError(r) && found_room(n, args, (Word)sr_Res(r)))
		channel_found_room(t);
	if (t == NULL || how == NEITHER || how == WRITES || t->through.object == 0)
		return;
	channel_take(t, t->through.object);
	if (t->through.turn != 0)
		channel_turn(t, t->through.turn);
}

/* ---- memory ---- */

static Bool counts(CorePart part)
{
	return part == Vg_CoreSysCall || part == Vg_CoreSysCallArgInMem;
}

/* The length of an address, as of accept(): after the call the core looks at it, under such a name, and
 * does not say that the kernel has written it. */
static Bool is_result(const HChar *what)
{
	return what != NULL && VG_(strstr)(what, "_out)") != NULL;
}

static void reads(CorePart part, ThreadId v, const HChar *what, Addr a, SizeT n)
{
	struct thread *t = recorded(v);

	if (t == NULL || !counts(part) || n == 0 ||
	    !VG_(am_is_valid_for_client)(a, n, VKI_PROT_READ))
		return;
	if (t->futex) /* the kernel compares it as an atomic */
		access_kernel(a, site_caller(t));
	else
		sync_range(t, site_caller(t), is_result(what), a, n);
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
		sync_range(t, site_caller(t), True, a, n);
}

/* ---- signals ---- */

#define SIGNALS_OF_LIBRARY 32 /* and one more: for cancellation, and the like */

/*
 * Wherever it comes, in the library's own business too: what the thread does then comes after.  A handler
 * is the program's, though it runs inside a function that is told as a whole.
 */
static void delivers(ThreadId v, Int number, Bool other_stack)
{
	struct thread *t = thread_of(v);

	if (!recording || !accesses_on || t == NULL || !t->begun || t->ended)
		return;
	channel_signal(t);
	if ((UInt)number - SIGNALS_OF_LIBRARY > 1)
		sync_handler(t, other_stack);
}

static void delivered(ThreadId v, Int number)
{
	struct thread *t = thread_of(v);

	if (t != NULL && (UInt)number - SIGNALS_OF_LIBRARY > 1)
		sync_handled(t);
}

void kernel_start(void)
{
	VG_(needs_syscall_wrapper)(before, after);
	VG_(track_pre_mem_read)(reads);
	VG_(track_pre_mem_read_asciiz)(reads_text);
	VG_(track_post_mem_write)(wrote);
	VG_(track_pre_deliver_signal)(delivers);
	VG_(track_post_deliver_signal)(delivered);
}
