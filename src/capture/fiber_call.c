/*
 * System calls of a run.
 *
 * A filter decides before the call is made.  What changes nothing, and writes nothing into memory, is let
 * through; so are calls at one place of ours, and what goes to standard output and error, which go nowhere.
 * The rest comes here as a signal: to be answered, to be done with memory that can be written to, or
 * to end the run as irregular.
 */
#include <asm/prctl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <termios.h>

#include "capture/fiber_priv.h"

#ifdef __x86_64__

/* ---- the filter ---- */

#define AT(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define ANSWER(how) BPF_STMT(BPF_RET | BPF_K, how)
#define UNLESS(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip)
#define WHEN(number, how) UNLESS(number, 1), ANSWER(how)
/* Of a standard descriptor. */
#define WHEN_STANDARD(number)                                                         \
	UNLESS(number, 4), AT(args[0]), BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 2, 1, 0), \
		ANSWER(SECCOMP_RET_ALLOW), ANSWER(SECCOMP_RET_TRAP)

static bool filter(void)
{
	const uint64_t ours = (uintptr_t)fiber_switch_called;
	struct sock_filter f[] = {
		AT(arch),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
		ANSWER(SECCOMP_RET_TRAP),
		AT(instruction_pointer),
		UNLESS((uint32_t)ours, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, instruction_pointer) + 4),
		WHEN((uint32_t)(ours >> 32), SECCOMP_RET_ALLOW),
		AT(nr),
		WHEN(SYS_rt_sigreturn, SECCOMP_RET_ALLOW),
		WHEN(SYS_getpid, SECCOMP_RET_ALLOW),
		WHEN(SYS_getppid, SECCOMP_RET_ALLOW),
		WHEN(SYS_sched_yield, SECCOMP_RET_ALLOW),
		WHEN(SYS_membarrier, SECCOMP_RET_ERRNO), /* there is nobody else */
		WHEN_STANDARD(SYS_write),
		WHEN_STANDARD(SYS_read), /* of an empty input: nothing is written */
		WHEN_STANDARD(SYS_lseek),
		/* Nobody waits in the kernel. */
		UNLESS(SYS_futex, 4),
		AT(args[1]),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, FUTEX_CMD_MASK),
		WHEN(FUTEX_WAKE, SECCOMP_RET_ERRNO),
		AT(nr),
		UNLESS(SYS_arch_prctl, 3),
		AT(args[0]),
		WHEN(ARCH_SET_FS, SECCOMP_RET_ALLOW),
		ANSWER(SECCOMP_RET_TRAP),
	};
	struct sock_fprog p = { sizeof(f) / sizeof(f[0]), f };

	/* Not by our stand-in for syscall, which takes it for the program's, and ends the recording. */
	return fiber_switch_call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0) == 0 &&
	       fiber_switch_call(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, (long)&p, 0, 0,
				 0) == 0;
}

/* ---- calls that change nothing ---- */

static long argument(const ucontext_t *u, unsigned i)
{
	static const int registers[6] = { REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9 };

	return u->uc_mcontext.gregs[registers[i]];
}

/* Done, once the n bytes that its i-th argument points to can be written to. */
static long done(const ucontext_t *u, long number, unsigned i, size_t n)
{
	if (argument(u, i) != 0 && !fiber_memory_write((uintptr_t)argument(u, i), n))
		return -EFAULT;
	return fiber_switch_call(number, argument(u, 0), argument(u, 1), argument(u, 2),
				 argument(u, 3), argument(u, 4), argument(u, 5));
}

/* The mask is kept, and answered with; it has no effect, as no signal comes. */
static long set_mask(const ucontext_t *u)
{
	const uint64_t *set = (const uint64_t *)argument(u, 1);
	uint64_t *old = (uint64_t *)argument(u, 2);
	uint64_t *mask = &fiber_kept->fibers[fiber_kept->running].mask, was = *mask;

	if (set != NULL && argument(u, 0) == SIG_BLOCK)
		*mask |= *set;
	else if (set != NULL && argument(u, 0) == SIG_UNBLOCK)
		*mask &= ~*set;
	else if (set != NULL)
		*mask = *set;
	if (old == NULL)
		return 0;
	if (!fiber_memory_write((uintptr_t)old, sizeof(*old)))
		return -EFAULT;
	*old = was;
	return 0;
}

#define GUARD_MOST (64u << 10)

/* Is it all of the stack of one of our threads, and its guard?  It stays where it is. */
static bool is_stack(uintptr_t at, size_t n)
{
	for (uint32_t i = 1; i < fiber_kept->nmade; i++) {
		const struct fiber *f = &fiber_kept->fibers[i];

		if (at <= f->stack_low && at + GUARD_MOST >= f->stack_low &&
		    at + n == f->stack_high)
			return true;
	}
	return false;
}

/* False: it is none of them. */
static bool answer(const ucontext_t *u, long number, long *result)
{
	const struct fiber *f = &fiber_kept->fibers[fiber_kept->running];

	switch (number) {
	case SYS_gettid:
		*result = f->tid;
		return true;
	case SYS_rt_sigprocmask:
		*result = set_mask(u);
		return true;
	case SYS_clock_gettime:
		*result = done(u, number, 1, sizeof(struct timespec));
		return true;
	case SYS_fstat:
		if (argument(u, 0) > STDERR_FILENO)
			return false;
		*result = done(u, number, 1, sizeof(struct stat));
		return true;
	case SYS_newfstatat:
		if (argument(u, 0) > STDERR_FILENO || *(const char *)argument(u, 1) != '\0')
			return false;
		*result = done(u, number, 2, sizeof(struct stat));
		return true;
	case SYS_ioctl:
		if (argument(u, 0) > STDERR_FILENO || argument(u, 1) != TCGETS)
			return false;
		*result = done(u, number, 2, sizeof(struct termios));
		return true;
	case SYS_madvise: /* the C library, of the stack of a thread that is ending */
		*result = 0;
		return f->ends;
	case SYS_munmap: /* and of those that have, when there are many */
		*result = 0;
		return is_stack((uintptr_t)argument(u, 0), (size_t)argument(u, 1));
	default:
		return false;
	}
}

static void caught(int n, siginfo_t *info, void *context)
{
	ucontext_t *u = context;
	long number = info->si_syscall, result = 0;

	(void)n;
	switch (number) {
	case SYS_exit:
		fiber_end_from(u);
		return;
	case SYS_exit_group:
		fiber_kept->ended = (int)(argument(u, 0) & 0xff) << 8;
		fiber_leave_from(u);
		return;
	default:
		if (answer(u, number, &result))
			u->uc_mcontext.gregs[REG_RAX] = result;
		else
			fiber_irregular_from(u, BATON_IRREGULAR_CALL + (uint32_t)number);
	}
}

/* ---- handlers ---- */

/* As the kernel wants it: the C library would leave our stack's end to its own restorer. */
struct kernel_action {
	void (*handler)(int, siginfo_t *, void *);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

#define SA_RESTORER_KERNEL 0x04000000ul

__asm__(".text\n"
	".type fiber_call_return, @function\n"
	"fiber_call_return:\n"
	"	mov $15, %eax\n" /* rt_sigreturn */
	"	syscall\n");
_Static_assert(SYS_rt_sigreturn == 15, "as written above");
__attribute__((visibility("hidden"))) void fiber_call_return(void);

bool fiber_call_handle(int signal, void (*f)(int, siginfo_t *, void *))
{
	struct kernel_action a = { f, SA_SIGINFO | SA_ONSTACK | SA_RESTORER_KERNEL,
				   fiber_call_return, 0 };

	return syscall(SYS_rt_sigaction, signal, &a, NULL, sizeof(a.mask)) == 0;
}

bool fiber_call_start(void)
{
	stack_t stack = { .ss_sp = fiber_kept->signal_stack, .ss_size = FIBER_STACK };

	return syscall(SYS_sigaltstack, &stack, NULL) == 0 && fiber_call_handle(SIGSYS, caught) &&
	       filter();
}
#endif
