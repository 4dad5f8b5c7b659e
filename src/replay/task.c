#include "replay/task.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "launch/hang.h"

static const struct {
	long number;
	const char *name;
} calls[] = {
#define CALL(name)                \
	{                         \
		SYS_##name, #name \
	}
	CALL(read),
	CALL(write),
	CALL(pread64),
	CALL(pwrite64),
	CALL(readv),
	CALL(writev),
	CALL(poll),
	CALL(ppoll),
	CALL(select),
	CALL(pselect6),
	CALL(epoll_wait),
	CALL(epoll_pwait),
	CALL(accept),
	CALL(accept4),
	CALL(connect),
	CALL(recvfrom),
	CALL(recvmsg),
	CALL(sendto),
	CALL(sendmsg),
	CALL(futex),
	CALL(nanosleep),
	CALL(pause),
	CALL(wait4),
	CALL(waitid),
	CALL(flock),
	CALL(fcntl),
	CALL(clock_nanosleep),
	CALL(rt_sigtimedwait),
	CALL(rt_sigsuspend),
	CALL(semop),
	CALL(semtimedop),
	CALL(msgrcv),
	CALL(msgsnd),
	CALL(open),
	CALL(openat),
	CALL(close),
	CALL(fsync),
	CALL(ioctl),
	CALL(sched_yield),
	CALL(restart_syscall),
#undef CALL
};

const char *task_call_name(long call)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (calls[i].number == call)
			return calls[i].name;
	return NULL;
}

/* Behind the name, which may hold anything. */
static const char *behind_name(const char *stat)
{
	const char *at = strrchr(stat, ')');

	return at && at[1] == ' ' ? at + 2 : NULL;
}

/*
 * Calls that come back when a time is over, and the argument that says which: a pointer that may be
 * NULL, or milliseconds that may be negative.  No argument: always.
 */
static const struct {
	long number;
	int argument;
	bool milliseconds;
} limits[] = {
	{ SYS_nanosleep, -1, false },
	{ SYS_clock_nanosleep, -1, false },
	{ SYS_restart_syscall, -1, false },
	{ SYS_futex, 3, false },
	{ SYS_poll, 2, true },
	{ SYS_ppoll, 2, false },
	{ SYS_select, 4, false },
	{ SYS_pselect6, 4, false },
	{ SYS_epoll_wait, 3, true },
	{ SYS_epoll_pwait, 3, true },
	{ SYS_rt_sigtimedwait, 2, false },
	{ SYS_semtimedop, 3, false },
	{ SYS_mq_timedreceive, 4, false },
	{ SYS_mq_timedsend, 4, false },
};

/* From /proc/PID/task/TID/syscall: the call and its arguments. */
static bool is_limited(const char *call)
{
	uint64_t arguments[6] = { 0 };
	long number = -1;

	sscanf(call, "%ld %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64,
	       &number, &arguments[0], &arguments[1], &arguments[2], &arguments[3], &arguments[4],
	       &arguments[5]);
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		uint64_t limit = limits[i].argument < 0 ? 1 : arguments[limits[i].argument];

		if (limits[i].number == number)
			return limits[i].milliseconds ? (int32_t)limit >= 0 : limit != 0;
	}
	return false;
}

static void look(pid_t pid, const char *thread, struct task *out)
{
	char text[HANG_FILE];
	const char *state;

	*out = (struct task){ .call = -1 };
	if (!hang_proc_read(pid, thread, "stat", text) || (state = behind_name(text)) == NULL)
		return;
	out->state = *state;
	if (hang_proc_read(pid, thread, "syscall", text) && *text >= '0' && *text <= '9') {
		out->call = strtol(text, NULL, 10);
		out->limited = is_limited(text);
	}
}

void task_look(pid_t pid, uint32_t thread, struct task *out)
{
	char number[16];

	snprintf(number, sizeof(number), "%" PRIu32, thread);
	look(pid, number, out);
}

bool task_is_asleep(const struct task *t)
{
	return t->state == 'S' || t->state == 'D';
}

bool task_is_timed(const struct task *t)
{
	return task_is_asleep(t) && t->limited;
}

/* ---- does anything move? ---- */

static uint64_t field(const char *status, const char *name)
{
	const char *at = strstr(status, name);

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

/* One thread, into the mark. */
static void still_add(struct task_still *s, const char *thread, uint64_t *mark)
{
	char status[HANG_FILE];
	struct task t;

	look(s->pid, thread, &t);
	if (!hang_proc_read(s->pid, thread, "status", status))
		return;
	*mark = hash_add(*mark, strtoull(thread, NULL, 10));
	*mark = hash_add(*mark, field(status, "\nvoluntary_ctxt_switches:"));
	*mark = hash_add(*mark, field(status, "\nnonvoluntary_ctxt_switches:"));
	*mark = hash_add(*mark, (uint64_t)t.state);
	s->traced |= field(status, "\nTracerPid:") != 0;
	s->timed |= task_is_timed(&t);
	s->open |= task_is_asleep(&t) && t.call != SYS_futex;
}

/* A clock of its own that may ring where a thread waits for input or a signal. */
static bool has_timer(pid_t pid)
{
	char text[HANG_FILE], path[48];
	const struct dirent *at;
	bool found = hang_proc_read(pid, NULL, "timers", text);
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%ld/fd", (long)pid);
	dir = opendir(path);
	while (dir && !found && (at = readdir(dir)) != NULL) {
		ssize_t n = readlinkat(dirfd(dir), at->d_name, text, sizeof(text) - 1);

		text[n > 0 ? n : 0] = '\0';
		found = strcmp(text, "anon_inode:[timerfd]") == 0;
	}
	if (dir)
		closedir(dir);
	return found;
}

/* User and system time of all threads, in ticks. */
static uint64_t ticks(pid_t pid)
{
	char text[HANG_FILE];
	uint64_t user = 0, system = 0;
	const char *at;

	if (!hang_proc_read(pid, NULL, "stat", text) || (at = behind_name(text)) == NULL ||
	    sscanf(at, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64, &user,
		   &system) != 2)
		return 0;
	return user + system;
}

void task_still_init(struct task_still *s, pid_t pid)
{
	*s = (struct task_still){ .pid = pid, .since = talk_clock() };
}

double task_still_look(struct task_still *s)
{
	uint64_t mark = hash_add(1, ticks(s->pid));
	const struct dirent *at;
	char path[48];
	DIR *dir;

	s->traced = s->timed = s->open = false;
	snprintf(path, sizeof(path), "/proc/%ld/task", (long)s->pid);
	dir = opendir(path);
	while (dir && (at = readdir(dir)) != NULL)
		if (at->d_name[0] != '.')
			still_add(s, at->d_name, &mark);
	if (dir)
		closedir(dir);
	s->timed |= s->open && has_timer(s->pid);
	if (mark != s->mark) {
		s->mark = mark;
		s->since = talk_clock();
	}
	return talk_clock() - s->since;
}
