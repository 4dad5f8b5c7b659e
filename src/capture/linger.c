/*
 * Threads that are left when the program ends.
 *
 * A process ends when main returns or a thread calls exit, whatever the other threads are doing;
 * and a thread that had not got far leaves little to analyse.  So the end of the process waits a
 * moment (--linger), as long as some thread makes progress:
 *
 *	main                                a thread
 *	return, or exit
 *	looks, every few milliseconds       runs, or sleeps for a time
 *	all the others wait for good, or have ended, or the time is over
 *	handlers of atexit, destructors
 *
 * That comes before all that belongs to the end: handlers and destructors have not run, the
 * program's variables are what they were.  What a thread does meanwhile it might have done without
 * the wait, had it been faster.  The frame of main is not overwritten either (GAP): a thread may
 * still use main's variables.
 *
 * A thread that calls exit meanwhile waits for the end, as it would inside the C library.
 * _exit and abort end at once, and so does an exit from a handler that interrupted a hook: others
 * may be waiting for that hook.
 */
#include "capture/process.h"

#include <alloca.h>

#include "capture/guard.h"
#include "capture/log.h"
#include "capture/text.h"

#define LOOK_MS 5u
#define QUIET 3u	/* looks in a row that find no progress: then there will be none */
#define GAP (64u << 10) /* bytes of stack below main's caller that are not written to */
#define ROOM 4096u
#define EXITING 0x4u /* the kernel's PF_EXITING */

static uint64_t most_ms;   /* 0: the end does not wait */
static uint32_t begun;	   /* atomic: a thread has called exit */
static __thread bool mine; /* it was this thread */

void linger_set(uint64_t ms)
{
	most_ms = ms;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	sys_clock(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ---- what a thread does ---- */

static size_t read_of_task(const char *tid, const char *what, char *into, size_t room)
{
	struct text path = { .n = 0 };

	text_add(&path, "/proc/self/task/%s/%s", tid, what);
	return sys_read_file(path.at, into, room);
}

/* Its system call, as in /proc/self/task/TID/syscall, ends by itself: it sleeps until some time. */
static bool has_limit(const char *call)
{
	char *at;
	long number = strtol(call, &at, 10);
	uint64_t limit = 0;

	if (number == SYS_nanosleep || number == SYS_clock_nanosleep)
		return true;
	if (number != SYS_futex)
		return false;
	for (int i = 0; i < 4; i++) /* address, operation, value, time limit */
		limit = strtoull(at, &at, 16);
	return limit != 0;
}

struct seen {
	uint32_t others, going; /* threads; those that get on */
};

/* A thread can be joined before the kernel has taken it apart: one that is exiting is none. */
static void task_look(const char *tid, struct seen *out)
{
	char line[512], call[256];
	const char *state;
	char *at;
	unsigned long flags = 0;

	if (read_of_task(tid, "stat", line, sizeof(line)) == 0)
		return; /* it has ended meanwhile */
	state = text_behind(line, ')') + 1;
	at = line + (state + 1 - line); /* parent, group, session, terminal, its group, flags */
	for (int i = 0; i < 6; i++)
		flags = strtoul(at, &at, 10);
	if (flags & EXITING)
		return;
	out->others++;
	if (*state == 'R' || *state == 'D') /* it runs, or waits for a page or a disk */
		out->going++;
	else if (*state == 'S' && read_of_task(tid, "syscall", call, sizeof(call)) != 0)
		out->going += *call == 'r' || has_limit(call); /* running, by now */
}

/* False: it cannot be found out. */
static bool tasks_look(struct seen *out)
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/task",
			      O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long own = syscall(SYS_gettid), n;
	_Alignas(8) char room[ROOM];

	*out = (struct seen){ 0 };
	if (fd < 0)
		return false;
	while ((n = syscall(SYS_getdents64, fd, room, sizeof(room))) > 0)
		for (long at = 0; at < n;) {
			const struct entry {
				uint64_t inode, offset;
				uint16_t length;
				uint8_t type;
				char name[];
			} *e = (const void *)(room + at);

			if (e->name[0] != '.' && strtol(e->name, NULL, 10) != own)
				task_look(e->name, out);
			at += e->length;
		}
	syscall(SYS_close, fd);
	return n == 0;
}

/* ---- waiting ---- */

static void wait_for_others(void)
{
	const struct timespec pause = { 0, LOOK_MS * 1000000 };
	uint64_t start = now_ms(), events = log_events(), last;
	uint32_t quiet = 0, before;
	struct seen s;

	if (!tasks_look(&s) || s.others == 0)
		return;
	before = s.others;
	while (s.others != 0 && quiet < QUIET && now_ms() - start < most_ms) {
		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &pause, NULL);
		last = events;
		events = log_events();
		if (!tasks_look(&s))
			break;
		quiet = s.going != 0 || events != last ? 0 : quiet + 1;
	}
	log_note(
		"%lu thread%s left when the program ended, and went on for %lu ms (--linger); then "
		"%lu %s left",
		(unsigned long)before, before == 1 ? " was" : "s were", now_ms() - start,
		(unsigned long)s.others, s.others == 1 ? "was" : "were");
}

/* Another thread has called exit first. */
static _Noreturn void wait_for_end(void)
{
	uint32_t never = 0;

	for (;;)
		syscall(SYS_futex, &never, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}

static void let_others_go_on(void)
{
	SYS_KEEPS_ERRNO;

	if (most_ms == 0 || !log_is_on() || !fork_is_recorded() || thread_is_inside(thread_self()))
		return;
	if (__atomic_exchange_n(&begun, 1, __ATOMIC_ACQ_REL) != 0) {
		if (!mine)
			wait_for_end();
		return; /* a handler of atexit calls exit */
	}
	mine = true;
	wait_for_others();
}

void linger(void)
{
	let_others_go_on();
	start_handlers();
}

/* ---- the ways to end ---- */

REAL_EARLY(exit)

EXPORT void exit(int status)
{
	linger();
	real_exit()(status);
	__builtin_unreachable();
}

typedef int main_function(int, char **, char **);

static main_function *program_main;
static bool describing;

void linger_describe(void)
{
	describing = true;
}

/* The frame of main lies below, where the frames of the wait would overwrite it. */
static __attribute__((noinline)) void linger_below(void)
{
	volatile char *gap = alloca(GAP);

	__asm__ volatile("" ::"r"(gap) : "memory");
	linger();
}

static int main_then_linger(int argc, char **argv, char **env)
{
	int status;

	if (describing)
		_exit(0);
	if (guard_on)
		guard_main();
	if (control_is_baton())
		control_serve();
	status = program_main(argc, argv, env);
	linger_below();
	return status;
}

EXPORT int __libc_start_main(main_function *run, int argc, char **argv, void (*init)(void),
			     void (*fini)(void), void (*loader)(void), void *stack_end);

EXPORT int __libc_start_main(main_function *run, int argc, char **argv, void (*init)(void),
			     void (*fini)(void), void (*loader)(void), void *stack_end)
{
	bool ours = most_ms != 0 || control_on || guard_on || describing;

	program_main = run;
	if (guard_on)
		guard_main_is((const void *)run);
	return REAL(__libc_start_main)(ours ? main_then_linger : run, argc, argv, init, fini,
				       loader, stack_end);
}
