#include "replay/task.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
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
	{ SYS_recvmmsg, 4, false },
	{ SYS_io_getevents, 4, false },
	{ SYS_io_pgetevents, 4, false },
	{ SYS_epoll_pwait2, 3, false },
	{ SYS_futex_waitv, 3, false },
};

/* Calls that wait no longer than their socket says (SO_RCVTIMEO, SO_SNDTIMEO). */
static const long on_sockets[] = { SYS_read,	SYS_readv,    SYS_write,  SYS_writev,  SYS_recvfrom,
				   SYS_recvmsg, SYS_recvmmsg, SYS_sendto, SYS_sendmsg, SYS_sendmmsg,
				   SYS_accept,	SYS_accept4,  SYS_connect };

static bool has_limit(int socket, int which)
{
	struct timeval limit = { 0 };
	socklen_t n = sizeof(limit);

	return getsockopt(socket, SOL_SOCKET, which, &limit, &n) == 0 &&
	       (limit.tv_sec != 0 || limit.tv_usec != 0);
}

/* Only the socket itself knows. */
static bool is_limited_socket(pid_t pid, long number, int fd)
{
	bool found = false, limited = false;
	int process, own;

	for (size_t i = 0; i < sizeof(on_sockets) / sizeof(on_sockets[0]); i++)
		found |= on_sockets[i] == number;
	process = found ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	if (process < 0)
		return false;
	own = (int)syscall(SYS_pidfd_getfd, process, fd, 0);
	if (own >= 0) {
		limited = has_limit(own, SO_RCVTIMEO) || has_limit(own, SO_SNDTIMEO);
		close(own);
	}
	close(process);
	return limited;
}

/* From /proc/PID/task/TID/syscall: the call and its arguments. */
static bool is_limited(pid_t pid, const char *call)
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
	return is_limited_socket(pid, number, (int)arguments[0]);
}

void task_look(pid_t pid, uint32_t thread, struct task *out)
{
	char text[HANG_FILE], number[16];
	const char *state;

	*out = (struct task){ .call = -1 };
	snprintf(number, sizeof(number), "%" PRIu32, thread);
	if (!hang_proc_read(pid, number, "stat", text) || (state = hang_behind_name(text)) == NULL)
		return;
	out->state = *state;
	if (hang_proc_read(pid, number, "syscall", text) && *text >= '0' && *text <= '9') {
		out->call = strtol(text, NULL, 10);
		out->limited = is_limited(pid, text);
	}
}

bool task_is_asleep(const struct task *t)
{
	return t->state == 'S' || t->state == 'D';
}

bool task_is_timed(const struct task *t)
{
	return task_is_asleep(t) && t->limited;
}
