/*
 * Signals: what the sender did before comes before the handler.
 *
 *	sender                          receiver
 *	x = 1
 *	GIVE SIGUSR1
 *	pthread_kill                    our handler: TAKE SIGUSR1
 *	                                the program's handler uses x
 *
 * The kernel knows one handler, ours; a program that asks for its handler gets its own.  Setting a
 * handler gives as well: a thread that runs it comes after.  Changing the mask needs no event, for
 * it only lets in signals that the same thread handles.
 *
 * A hook must not run inside another, so a signal that comes in the middle of a hook is put off:
 * our handler returns at once, with signals blocked, and the end of the hook sends the signal to
 * its thread again.  Faults cannot be put off, nor signals whose handler is reset when it is called
 * (SA_RESETHAND); their handlers run at once, and the log only says that they did (NESTED).
 *
 * A signal that no thread of this process has sent comes after all that was given to unseen code and to other
 * processes: the kernel sends it for what somebody has done (a child that ends, a message that comes, SIGIO).
 */
#include <sys/time.h>
#include <ucontext.h>

#include "capture/channel.h"
#include "capture/create_priv.h"
#include "capture/process.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* sigset */

typedef void signal_handler(void); /* of either type: cast back where it is called */

/*
 * What the program asked for, by number; atomic each.  Set before the kernel is
 * told, so a handler may run a moment early; stays when the signal is ignored or
 * has its default again, for a child of vfork does that in its parent's memory.
 */
static struct action {
	signal_handler *handler;
	uint64_t mask;
	int flags;
} actions[_NSIG];

/* Our handlers as the kernel gets them. */
#define OURS ((sighandler_t)(signal_handler *)handle)
#define OURS_KILLING ((sighandler_t)(signal_handler *)kills)

/* Masks as the kernel has them. */
#define BIT(n) (1ull << ((n)-1))
#define FAULTS (BIT(SIGSEGV) | BIT(SIGBUS) | BIT(SIGFPE) | BIT(SIGILL) | BIT(SIGTRAP) | BIT(SIGSYS))

static uint64_t mask_of(const sigset_t *set)
{
	return *(const uint64_t *)set;
}

static void mask_set(uint64_t mask)
{
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(mask));
}

/* ---- handling ---- */

static void send(pid_t to, int n, const siginfo_t *info)
{
	syscall(SYS_rt_tgsigqueueinfo, getpid(), to, n, info);
}

/* If this has interrupted a hook, the signal comes again when the hook ends.  True: so it is. */
static bool put_off(int n, const siginfo_t *info, ucontext_t *context)
{
	struct thread *t = thread_self();
	uint64_t *mask = (uint64_t *)&context->uc_sigmask; /* in force when this handler returns */

	if (!thread_is_inside(t) || t->left || t->put_off.number != 0)
		return false;
	t->put_off.number = n;
	t->put_off.info = *info;
	t->put_off.mask = *mask;
	*mask |= ~FAULTS;
	t->view.live |= THREAD_SIGNALLED;
	return true;
}

/* Faults cannot wait, nor can a signal whose handler is reset by now. */
static bool can_wait(int n)
{
	return !(FAULTS & BIT(n)) &&
	       !(__atomic_load_n(&actions[n].flags, __ATOMIC_RELAXED) & SA_RESETHAND);
}

void hook_signal(struct thread *t)
{
	int n;
	SYS_KEEPS_ERRNO;

	if (CONTROLLED(t)) {
		t->view.live &= ~THREAD_LIVE; /* signals are put off a little longer */
		control_leave(t);
		t->view.live |= THREAD_LIVE;
		if (control_calls(t))
			return;
	}
	n = t->put_off.number;
	t->view.live &= ~THREAD_SIGNALLED;
	if (n == 0 && CONTROLLED(t))
		return;
	ASSERT_RECORDING(n > 0 && n < _NSIG);
	t->put_off.number = 0;
	send((pid_t)syscall(SYS_gettid), n, &t->put_off.info);
	mask_set(t->put_off.mask); /* it comes here */
}

uint64_t hook_signal_with(struct thread *t, uint64_t x)
{
	hook_signal(t);
	return x;
}

/* While the program is controlled: is it for another thread?  Then that gets it. */
static bool pass_on(int n, const siginfo_t *info)
{
	pid_t to = info->si_code != SI_TKILL && can_wait(n) ? control_signal_owner(n) : 0;

	/* The kernel lets nobody else pretend that kill sent it, or the kernel. */
	if (to != 0 && info->si_code < 0)
		send(to, n, info);
	else if (to != 0)
		syscall(SYS_tgkill, getpid(), to, n);
	return to != 0;
}

/* A handler returns, and with it the mask that was there before: what is held is blocked in it. */
static void hold(ucontext_t *context, uint64_t before)
{
	uint64_t *mask = (uint64_t *)&context->uc_sigmask;

	*mask = (*mask & ~before) | control_signal_held(false);
}

/* With all signals blocked. */
static void handle(int n, siginfo_t *info, void *context)
{
	struct action *a = &actions[n];
	signal_handler *handler = __atomic_load_n(&a->handler, __ATOMIC_ACQUIRE);
	uint64_t mask = __atomic_load_n(&a->mask, __ATOMIC_RELAXED);
	struct foresee_view *view = foresee_self;
	uint32_t site = view->call_site;
	int saved = errno;
	uint64_t held;

	if ((control_on && pass_on(n, info)) || (can_wait(n) && put_off(n, info, context)))
		return;
	if (control_on && !control_signal_runs(n, can_wait(n))) {
		send((pid_t)syscall(SYS_gettid), n, info);
		hold(context, 0);
		return;
	}
	if (!(__atomic_load_n(&a->flags, __ATOMIC_RELAXED) & SA_NODEFER))
		mask |= BIT(n);
	view->call_site = 0; /* it is the site of the interrupted code */
	channel_take_handled(n, info);
	mask_set(mask | mask_of(&((ucontext_t *)context)->uc_sigmask));
	errno = saved;
	/* A handler that only takes the number ignores the other arguments. */
	held = control_on ? control_signal_held(false) : 0;
	((void (*)(int, siginfo_t *, void *))handler)(n, info, context);
	view->call_site = site;
	if (control_on)
		hold(context, held);
}

REAL_EARLY(sigaction)

/* ---- killing ---- */

/*
 * A signal that the program does not handle, and that kills it.  The head of the trace gets the
 * thread that received it, and all threads close their runs of dropped reads (log_settle), without
 * which the last part of what they did could not be relied on.  Then the signal has its default
 * effect.
 *
 *	the thread that got it              another thread
 *	settles
 *	sends it to all others              settles, at the end of its hook; stays here
 *	waits for them, not for long
 *	default action, once more
 */
#define KILLS (BIT(SIGSEGV) | BIT(SIGBUS) | BIT(SIGFPE) | BIT(SIGILL) | BIT(SIGABRT))
#define OTHERS_MS 100

static struct {
	pid_t by;	  /* atomic: the thread that got it first, as the kernel knows it */
	int number;	  /* the signal */
	uint32_t asked;	  /* threads */
	uint32_t settled; /* atomic: those that have done so */
} killing;

/* Outside of hooks nothing else is under way. */
static void settle_self(struct thread *t)
{
	uint32_t live = t->view.live;

	if (thread_is_nobody(t))
		return;
	t->view.live = 0;
	log_settle(t);
	t->view.live = live;
}

static void ask(struct thread *t)
{
	siginfo_t info = { .si_signo = killing.number, .si_code = SI_QUEUE };

	info.si_pid = getpid();
	info.si_ptr = &killing;
	if (t->kernel != killing.by &&
	    syscall(SYS_rt_tgsigqueueinfo, getpid(), t->kernel, killing.number, &info) == 0)
		killing.asked++;
}

static void settle_all(void)
{
	const struct timespec pause = { 0, 1000000 };

	settle_self(thread_self());
	if (control_is_baton()) /* all others stand in hooks, and would not answer */
		return;
	log_each(ask);
	for (int i = 0; i < OTHERS_MS; i++) {
		if (__atomic_load_n(&killing.settled, __ATOMIC_ACQUIRE) >= killing.asked)
			break;
		syscall(SYS_nanosleep, &pause, NULL);
	}
}

static _Noreturn void stay(void)
{
	for (;;)
		syscall(SYS_pause);
}

/* With all signals blocked. */
static void kills(int n, siginfo_t *info, void *context)
{
	pid_t own = (pid_t)syscall(SYS_gettid), by = 0;
	struct sigaction normal = { .sa_handler = SIG_DFL };
	struct thread *t = thread_self();
	bool asked = info->si_code == SI_QUEUE && info->si_ptr == &killing;

	if (asked && put_off(n, info, context)) /* not in the middle of a record */
		return;
	if (fork_is_recorded() && log_is_on()) {
		if (__atomic_compare_exchange_n(&killing.by, &by, own, false, __ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE)) {
			killing.number = n;
			file_fault((uint8_t)n, thread_is_nobody(t) ? 0 : t->tid);
			settle_all();
		} else if (by != own) {
			settle_self(t);
			__atomic_add_fetch(&killing.settled, 1, __ATOMIC_RELEASE);
			stay();
		}
	}
	real_sigaction()(n, &normal, NULL);
	if (info->si_code <= 0) /* else the faulting instruction is executed again */
		syscall(SYS_rt_tgsigqueueinfo, getpid(), own, n, info);
}

static struct sigaction action_killing(void)
{
	struct sigaction k = { .sa_handler = OURS_KILLING, .sa_flags = SA_SIGINFO | SA_ONSTACK };

	sigfillset(&k.sa_mask);
	return k;
}

void signal_start(void)
{
	const struct sigaction k = action_killing();
	struct sigaction old;

	for (int n = 1; n < 32; n++)
		if ((KILLS & BIT(n)) && real_sigaction()(n, NULL, &old) == 0 &&
		    old.sa_handler == SIG_DFL)
			real_sigaction()(n, &k, NULL);
}

/* ---- setting ---- */

static bool is_function(sighandler_t h)
{
	return h != SIG_DFL && h != SIG_IGN && h != SIG_ERR && h != SIG_HOLD;
}

static struct action action_get(int n)
{
	return (struct action){ __atomic_load_n(&actions[n].handler, __ATOMIC_ACQUIRE),
				__atomic_load_n(&actions[n].mask, __ATOMIC_RELAXED),
				__atomic_load_n(&actions[n].flags, __ATOMIC_RELAXED) };
}

static void action_put(int n, const struct sigaction *act)
{
	__atomic_store_n(&actions[n].mask, mask_of(&act->sa_mask), __ATOMIC_RELAXED);
	__atomic_store_n(&actions[n].flags, act->sa_flags, __ATOMIC_RELAXED);
	__atomic_store_n(&actions[n].handler, (signal_handler *)act->sa_handler, __ATOMIC_RELEASE);
}

/* What the kernel gets in place of act. */
static struct sigaction for_kernel(int n, const struct sigaction *act)
{
	struct sigaction k = *act;

	if (act->sa_handler == SIG_DFL && log_is_on() && (KILLS & BIT(n)))
		return action_killing();
	if (!is_function(act->sa_handler) || !log_is_on())
		return k;
	action_put(n, act);
	k.sa_handler = OURS;
	k.sa_flags |= SA_SIGINFO;
	sigfillset(&k.sa_mask);
	return k;
}

/* What the kernel had, as the program knows it: before, when it was ours. */
static void for_program(struct sigaction *k, const struct action *before)
{
	if (k->sa_handler == OURS_KILLING) {
		memset(k, 0, sizeof(*k)); /* SIG_DFL */
		return;
	}
	if (k->sa_handler != OURS)
		return;
	k->sa_handler = (sighandler_t)before->handler;
	k->sa_flags = (k->sa_flags & ~SA_SIGINFO) | (before->flags & SA_SIGINFO);
	sigemptyset(&k->sa_mask);
	*(uint64_t *)&k->sa_mask = before->mask;
}

EXPORT int sigaction(int n, const struct sigaction *restrict act, struct sigaction *restrict old)
{
	struct sigaction k;
	struct action before;
	int r;

	if (channel_of_signal(n) == CHANNEL_NONE)
		return real_sigaction()(n, act, old);
	before = action_get(n);
	if (act != NULL) {
		channel_give(channel_of_signal(n));
		k = for_kernel(n, act);
	}
	r = real_sigaction()(n, act != NULL ? &k : NULL, old);
	if (r == 0 && old != NULL)
		for_program(old, &before);
	return r;
}

/* The older functions differ in mask and flags: libc sets them, and then only the handler is
 * changed. */
static sighandler_t set_handler(int n, sighandler_t h, sighandler_t (*real)(int, sighandler_t))
{
	struct action before;
	struct sigaction k;
	sighandler_t r;

	if (channel_of_signal(n) == CHANNEL_NONE)
		return real(n, h);
	before = action_get(n);
	channel_give(channel_of_signal(n));
	if (!is_function(h) || !log_is_on()) {
		r = real(n, h);
		if (h == SIG_DFL && r != SIG_ERR && log_is_on() && (KILLS & BIT(n))) {
			k = action_killing();
			real_sigaction()(n, &k, NULL);
		}
	} else {
		__atomic_store_n(&actions[n].handler, (signal_handler *)h, __ATOMIC_RELEASE);
		r = real(n, OURS);
		if (r != SIG_ERR && real_sigaction()(n, NULL, &k) == 0) {
			k.sa_handler = h;
			k = for_kernel(n, &k);
			real_sigaction()(n, &k, NULL);
		}
	}
	if (r == OURS_KILLING)
		return SIG_DFL;
	return r == OURS ? (sighandler_t)before.handler : r;
}

#define SETS(name)                                       \
	REAL_EARLY(name)                                 \
	EXPORT sighandler_t name(int n, sighandler_t h)  \
	{                                                \
		return set_handler(n, h, real_##name()); \
	}

EXPORT sighandler_t bsd_signal(int n, sighandler_t h);
EXPORT sighandler_t __sysv_signal(int n, sighandler_t h);
EXPORT sighandler_t sigset(int n, sighandler_t h);
SETS(signal)
SETS(bsd_signal)
SETS(ssignal)
SETS(sysv_signal)
SETS(__sysv_signal)
SETS(sigset)

/* ---- sending ---- */

static int timer_signal(int which)
{
	return which == ITIMER_VIRTUAL ? SIGVTALRM : which == ITIMER_PROF ? SIGPROF : SIGALRM;
}

/* Signals of any timer, a bit each: which timer sends which is not remembered.  Bit 0: some
 * timer runs a function in a thread that libc makes. */
static uint64_t timers; /* atomic */

static void timer_made(const struct sigevent *event)
{
	int n = SIGALRM;

	if (event != NULL)
		n = event->sigev_notify == SIGEV_THREAD ? 0 : event->sigev_signo;
	if (n >= 0 && n < 64)
		__atomic_fetch_or(&timers, 1ull << n, __ATOMIC_RELAXED);
}

static bool
	timer_runs; /* atomic: a timer was set, or something that tells of its end, and may have come to it since */

static void timers_set(const struct itimerspec *at)
{
	uint64_t set = __atomic_load_n(&timers, __ATOMIC_RELAXED);

	for (int n = 1; n < 64; n++)
		if (set >> n & 1)
			channel_give(channel_of_signal(n));
	if (set & 1)
		channel_give(CHANNEL_UNSEEN);
	if (at->it_value.tv_sec != 0 || at->it_value.tv_nsec != 0)
		__atomic_store_n(&timer_runs, true, __ATOMIC_RELAXED);
}

void signal_tells(const struct sigevent *event)
{
	if (event != NULL && event->sigev_notify != SIGEV_NONE &&
	    (event->sigev_notify != SIGEV_SIGNAL || event->sigev_signo != 0))
		__atomic_store_n(&timer_runs, true, __ATOMIC_RELAXED);
}

bool signal_is_timed(void)
{
	struct itimerval at;

	for (int which = ITIMER_REAL; which <= ITIMER_PROF; which++)
		if (syscall(SYS_getitimer, which, &at) == 0 &&
		    (at.it_value.tv_sec != 0 || at.it_value.tv_usec != 0))
			return true;
	return __atomic_load_n(&timer_runs, __ATOMIC_RELAXED);
}

bool signal_has_handler(int n)
{
	return __atomic_load_n(&actions[n].handler, __ATOMIC_ACQUIRE) != NULL;
}

static void cancelling(pthread_t thread)
{
	uint32_t tid = create_find(thread);

	if (tid != 0)
		HOOK(t)
			sync_thread(t, FORMAT_K_CANCEL, 0, tid, 0, 1);
}

/* A timer does, later. */
#define SEND(n) channel_give(channel_of_signal(n))
/* To this process, or a thread of it. */
#define SEND_NOW(n)                      \
	do {                             \
		control_signal_sends(n); \
		SEND(n);                 \
	} while (0)
#define SEND_TO(pid, n)                                                   \
	do {                                                              \
		if ((pid) == getpid() || (pid) <= 0)                      \
			control_signal_sends(n);                          \
		SEND(n);                                                  \
		if ((pid) != getpid())                                    \
			channel_give(CHANNEL_OUTSIDE); /* it ends, say */ \
	} while (0)

/* Who waits for a signal need not ask who sent it, but has to be told. */
#define INFO                   \
	siginfo_t its = { 0 }; \
	if (info == NULL)      \
	info = &its
#define TAKEN                                         \
	do {                                          \
		if (r > 0)                            \
			channel_take_signal(r, info); \
	} while (0)

static int await_signal(const sigset_t *set, int *n)
{
	siginfo_t info;
	int r;

	control_signal_waits(set, false, NULL);
	do
		r = REAL(sigwaitinfo)(set, &info);
	while (r == -1 && errno == EINTR);
	if (r == -1)
		return errno;
	channel_take_signal(r, &info);
	*n = r;
	return 0;
}

/* How long sigtimedwait has to take: no time, if an explorer has let it through. */
static const struct timespec *wait_for(const sigset_t *set, const struct timespec *limit)
{
	static const struct timespec none;

	if (limit != NULL &&
	    (limit->tv_sec < 0 || limit->tv_nsec < 0 || limit->tv_nsec >= 1000000000))
		return limit;
	return control_signal_waits(set, false, limit) ? &none : limit;
}

static int interrupted(void)
{
	errno = EINTR;
	return -1;
}

/* Until a handler has run.  True: it has. */
#define HANDLED(set) control_signal_waits(set, true, NULL)

#define INTERPOSED_SIGNALS
#include "capture/interposed.def"
