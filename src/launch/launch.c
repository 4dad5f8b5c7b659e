#include "launch/launch.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/beside.h"
#include "launch/hang.h"
#include "launch/keeper.h"
#include "trace/format.h"

static const int passed_on[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
#define NPASSED (sizeof(passed_on) / sizeof(passed_on[0]))

#define PATIENCE_MS 5000 /* a request after that is a new one */
#define LOOK_MS 250	 /* between looks at the program */
#define STUBBORN_MS 1000 /* it should have ended by then */
/* Between looks of others: a part of how long they have looked, within these microseconds. */
#define WATCH_LEAST 100
#define WATCH_MOST 1000
#define WATCH_PART 16

static volatile sig_atomic_t child; /* pid; set before the handler can run */

/* Requests to stop that came within PATIENCE_MS of each other, and when the last did. */
static volatile sig_atomic_t requests;
static volatile sig_atomic_t all_ask; /* SIGHUP and SIGQUIT are such requests, too */
static volatile int64_t requested_ms;

/*
 * The first request to stop is the program's to obey.  Who asks again wants it dead; who asks a third
 * time wants us to leave it.
 */
static void stop_on_request(int number, bool has_it)
{
	int64_t now = talk_clock_ms(), ago = now - requested_ms;

	if (requests > 0 && ago < LAUNCH_ECHO_MS)
		return;
	requests = requests > 0 && ago < PATIENCE_MS ? requests + 1 : 1;
	requested_ms = now;
	if (requests == 1 && !has_it)
		kill((pid_t)child, number);
	if (requests == 2)
		kill((pid_t)child, SIGKILL);
	if (requests > 2) {
		signal(number, SIG_DFL);
		raise(number);
	}
}

/* The terminal signals the whole foreground group: the program has that one already. */
static void pass_on(int number, siginfo_t *info, void *context)
{
	int error = errno;
	bool has_it = info->si_code == SI_KERNEL;

	(void)context;
	if (child > 0 && (all_ask || number == SIGINT || number == SIGTERM))
		stop_on_request(number, has_it);
	else if (child > 0 && !has_it)
		kill((pid_t)child, number);
	errno = error;
}

/* In front of what the user preloads: what is called goes through ours first.  The recorder takes
 * the first name of the list out again. */
static void set_preload(const struct launch *l)
{
	const char *others = getenv("LD_PRELOAD");
	struct strbuf list = { 0 };

	strbuf_adds(&list, l->preload);
	if (others && *others)
		strbuf_addf(&list, ":%s", others);
	setenv("LD_PRELOAD", strbuf_str(&list), 1);
	setenv("FORESEE_LOCKS", l->trace, 1);
	setenv("FORESEE_LOCKS_OPTIONS", l->options, 1);
	strbuf_release(&list);
}

/* What the caller wants to be different for the program.  False: errno says why it cannot be. */
static bool surround(const struct launch *l)
{
	if (l->steady) {
		personality(ADDR_NO_RANDOMIZE | (unsigned)personality(0xffffffff));
		prctl(PR_SET_PTRACER,
		      PR_SET_PTRACER_ANY); /* a debugger of ours is not its parent */
	}
	return (!l->directory || chdir(l->directory) == 0) &&
	       (!l->in || dup2(l->in, STDIN_FILENO) >= 0) &&
	       (!l->out || dup2(l->out, STDOUT_FILENO) >= 0) &&
	       (!l->err || dup2(l->err, STDERR_FILENO) >= 0);
}

/* What a program becomes. */
struct birth {
	const struct launch *l;
	sigset_t mask; /* of signals, as it should be */
	int report;    /* a pipe for trouble, as an errno */
};

/* Runs in the child. */
static _Noreturn void become(const void *arg)
{
	const struct birth *b = arg;
	const struct launch *l = b->l;
	char pid[32];
	int error;

	sigprocmask(SIG_SETMASK, &b->mask, NULL);
	if (l->trace) {
		snprintf(pid, sizeof(pid), "%ld", (long)getpid());
		setenv("FORESEE_PID", pid, 1);
		if (l->valgrind) {
			setenv("VALGRIND_LIB", l->valgrind, 1);
			setenv("VALGRIND_LAUNCHER", l->path, 1);
		} else if (l->preload) {
			set_preload(l);
		} else {
			setenv("FORESEE_TRACE", l->trace, 1);
			setenv("FORESEE_OPTIONS", l->options, 1);
		}
	}
	if (surround(l))
		execv(l->path, l->argv);
	error = errno;
	if (write(b->report, &error, sizeof(error)) != sizeof(error))
		_exit(126);
	_exit(127);
}

/* ---- while it runs ---- */

static void tell_hang(const struct launch *l, const struct hang *h)
{
	talk_note("the program hangs: for %.0f s %s%u thread%s waited, and nobody is left to wake "
		  "%s; %s",
		  HANG_SECONDS, h->threads > 1 ? "all of its " : "its ", h->threads,
		  h->threads > 1 ? "s have" : " has", h->threads > 1 ? "them" : "it",
		  l->hang == LAUNCH_HANG_STOP ? "it is stopped now, and its run is analysed"
					      : "Ctrl-C ends it");
}

/* Somebody else looks at it. */
static void watch_for(pid_t pid, const struct keeper *k, const struct launch *l)
{
	double begun = talk_clock();
	uint64_t pause = 0;
	bool wanted = true;

	while (!keeper_has_ended(k, pause)) {
		bool stubborn = requests > 0 && talk_clock_ms() - requested_ms >= STUBBORN_MS;

		if (wanted && (stubborn || !l->look(l->look_arg, pid))) {
			wanted = false;
			kill(pid, SIGKILL);
		}
		pause = (uint64_t)((talk_clock() - begun) * 1e6 / WATCH_PART);
		pause = pause < WATCH_LEAST ? WATCH_LEAST : pause < WATCH_MOST ? pause : WATCH_MOST;
	}
}

/* What the recorder under Valgrind knows.  If it does not say, any signal may set the program going. */
static uint64_t caught_of(const struct launch *l)
{
	struct format_file head = { 0 };
	int fd = open(l->trace, O_RDONLY | O_CLOEXEC);
	bool whole = fd >= 0 && pread(fd, &head, sizeof(head), 0) == sizeof(head);

	if (fd >= 0)
		close(fd);
	return whole ? head.caught : UINT64_MAX;
}

/* Looks at it until it ends.  True: at its end it hung. */
static bool watch(pid_t pid, const struct launch *l)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd end = { .fd = fd, .events = POLLIN };
	bool told_request = false, hangs = false;
	uint64_t caught;
	struct hang h = { .pid = pid, .caught = l->valgrind ? &caught : NULL };

	/* An old kernel: wait without a look. */
	while (fd >= 0 && poll(&end, 1, LOOK_MS) <= 0) {
		if (requests == 1 && !told_request &&
		    talk_clock_ms() - requested_ms >= STUBBORN_MS) {
			told_request = true;
			if (!l->quiet)
				talk_note("the program was asked to end and has not; Ctrl-C again "
					  "kills it");
		}
		if (hangs || l->hang == LAUNCH_HANG_IGNORE)
			continue;
		if (l->valgrind)
			caught = caught_of(l);
		if (!hang_look(&h))
			continue;
		hangs = true; /* for good: nothing can happen in it any more but its end */
		if (!l->quiet)
			tell_hang(l, &h);
		if (l->hang == LAUNCH_HANG_STOP)
			kill(pid, SIGKILL);
	}
	if (fd >= 0)
		close(fd);
	return hangs;
}

static void wait_for(pid_t pid, struct keeper *k, struct launch_end *end)
{
	siginfo_t how = { .si_pid = 0 };

	if (k->pid)
		keeper_end(k, &how);
	else
		while (waitid(P_PID, (id_t)pid, &how, WEXITED) < 0 && errno == EINTR)
			;
	end->signal = how.si_code == CLD_EXITED ? 0 : how.si_status;
	end->status = end->signal ? 128 + end->signal : how.si_status;
	end->dumped = how.si_code == CLD_DUMPED;
}

/* ---- a recording that goes along with a child ---- */

#define HANDS_MS 50
#define HANDS_TRIES 100

/* The process that records now, if another than the one that has ended; 0: none.  While the recording
 * changes hands the head of the trace names nobody. */
static pid_t successor(const char *trace, pid_t ended)
{
	struct format_file head = { .pid = 0 };

	for (int i = 0; trace && i < HANDS_TRIES; i++) {
		int fd = open(trace, O_RDONLY | O_CLOEXEC);
		bool whole = fd >= 0 && pread(fd, &head, sizeof(head), 0) == sizeof(head) &&
			     memcmp(head.magic, FORMAT_MAGIC, sizeof(head.magic)) == 0;

		if (fd >= 0)
			close(fd);
		if (!whole || head.pid == (uint32_t)ended)
			return 0;
		if (head.pid != 0)
			return kill((pid_t)head.pid, 0) == 0 || errno == EPERM ? (pid_t)head.pid
									       : 0;
		poll(NULL, 0, HANDS_MS);
	}
	return 0;
}

static void stay_with(const struct launch *l, pid_t pid, struct launch_end *end)
{
	while (!end->hung && (pid = successor(l->trace, pid)) > 0) {
		if (!l->quiet)
			talk_note(
				"the program went on as process %ld, and is recorded there until it "
				"ends; Ctrl-C ends it",
				(long)pid);
		child = (sig_atomic_t)pid;
		end->process = pid;
		end->hung = watch(pid, l);
	}
}

/* Forks with the signals held back, so that none gets lost before `child' is set. */
static pid_t start(const struct launch *l, int report[2], struct keeper *k, struct sigaction *old)
{
	struct sigaction action = { .sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct birth b = { .l = l, .report = report[1] };
	sigset_t block;
	pid_t pid;

	sigemptyset(&block);
	for (size_t i = 0; i < NPASSED; i++)
		sigaddset(&block, passed_on[i]);
	action.sa_mask = block;
	sigprocmask(SIG_BLOCK, &block, &b.mask);
	pid = l->look ? keeper_start(k, become, &b, report[1]) : fork();
	if (pid == 0)
		become(&b);
	child = (sig_atomic_t)pid;
	requests = 0;
	all_ask = l->look != NULL;
	for (size_t i = 0; i < NPASSED; i++) {
		sigaction(passed_on[i], NULL, &old[i]);
		if (old[i].sa_handler != SIG_IGN)
			sigaction(passed_on[i], &action, NULL);
	}
	sigprocmask(SIG_SETMASK, &b.mask, NULL);
	return pid;
}

/* Signals mean again what they meant before; not before the echo of a request is over. */
static void finish(const struct sigaction *old)
{
	int64_t left = requests ? requested_ms + LAUNCH_ECHO_MS - talk_clock_ms() : 0;

	child = 0;
	for (; left > 0; left = requested_ms + LAUNCH_ECHO_MS - talk_clock_ms())
		poll(NULL, 0, (int)left);
	for (size_t i = 0; i < NPASSED; i++)
		sigaction(passed_on[i], &old[i], NULL);
}

enum status launch_program(const struct launch *l, struct launch_end *end, struct diag *d)
{
	struct sigaction old[NPASSED];
	double begun = talk_clock();
	int report[2], error = 0;
	struct side beside = { 0 };
	struct keeper k = { 0 };
	pid_t pid;

	fflush(NULL);
	memset(end, 0, sizeof(*end));
	if (pipe2(report, O_CLOEXEC) != 0)
		return diag_fail(d, ST_IO, "cannot make a pipe: %s", strerror(errno));
	pid = start(l, report, &k, old);
	error = pid < 0 ? errno : 0;
	close(report[1]);
	if (pid > 0) {
		if (read(report[0], &error, sizeof(error)) != sizeof(error))
			error = 0;
		if (l->beside && !error)
			beside_start(&beside, l->beside, pid);
		if (l->look)
			watch_for(pid, &k, l);
		else
			end->hung = watch(pid, l);
		wait_for(pid, &k, end);
		end->hung &= end->signal != 0;
		if (!l->look)
			stay_with(l, pid, end);
		beside_end(&beside);
		end->asked = requests > 0;
	}
	close(report[0]);
	end->seconds = talk_clock() - begun;
	finish(old);
	if (error)
		return diag_fail(d, ST_IO, "cannot run '%s': %s", l->path, strerror(error));
	return ST_OK;
}
