/*
 * Descriptors: data that one thread writes and another reads brings order along.
 *
 * A write gives; a read takes, if it got data or the end of file; a wait for readiness takes from
 * whatever is ready.  A close gives as well, for the other side sees the end of file.  Which
 * channel: channel.h.
 *
 * A lock of a file is given back by a close as well.
 *
 * Who reads makes room for a writer who waits for it.
 *
 * What is not seen: that an eventfd at its highest count has room again, and what pidfd_getfd brings.
 */
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <asm/ioctls.h>
#include <asm/sockios.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>

#include "capture/channel.h"
#include "capture/shared.h"

/* What rows of interposed.def are made of.  A call that gives to a descriptor, before; ... */
#define GIVE(fd) channel_give_fd(fd)

/* ... by a call that waits for room, unless its flags say that it does not; ... */
#define SEND(fd, size, flags, named) \
	unsigned room = channel_write_fd(fd, size, (flags)&MSG_DONTWAIT, named)
#define SENT(fd) channel_wrote_fd(fd, room)

/* ... and of size bytes at offset `at' of what may be a mapped file. */
#define WRITE(fd, at, size)       \
	SEND(fd, size, 0, false); \
	off_t offset = shared_write_begin(fd, at, size)
#define WROTE(fd)                        \
	shared_write_end(fd, offset, r); \
	SENT(fd)

/* Before one that takes. */
#define AWAIT(fd) AWAIT_UNLESS(fd, 0)
#define AWAIT_UNLESS(fd, flags)                     \
	channel_await_fd(fd, (flags)&MSG_DONTWAIT); \
	channel_empties(fd)

/* What the kernel moves from one to the other. */
#define MOVE(in, out)                  \
	control_fd(in, POLLIN, false); \
	channel_carry(in, out);        \
	channel_empties(in);           \
	unsigned room = channel_room(out)
#define MOVED channel_take(room)

/* A call that takes from one when its result is not -1, after; ... */
#define TAKE(fd)                             \
	do {                                 \
		if (r != -1)                 \
			channel_take_fd(fd); \
	} while (0)

/* ... and what it got nobody else gets; ... */
#define EAT(fd)                                         \
	do {                                            \
		if (r != -1)                            \
			channel_take_read(fd, NULL, 0); \
	} while (0)

/* ... of bytes as a signalfd has them. */
#define READ(fd, p)                                          \
	do {                                                 \
		if (r != -1)                                 \
			channel_take_read(fd, p, (size_t)r); \
	} while (0)

#define SEND_MESSAGE(fd, m, flags)                                                 \
	SEND(fd, (m) != NULL ? sum((m)->msg_iov, (int)(m)->msg_iovlen) : 0, flags, \
	     (m) != NULL && (m)->msg_name != NULL)

static size_t sum(const struct iovec *v, int n)
{
	size_t all = 0;

	for (int i = 0; i < n; i++)
		all += v[i].iov_len;
	return all;
}

/* The descriptors that messages carry go by other numbers where they arrive. */
static void carried(const struct msghdr *m)
{
	struct msghdr at = m != NULL ? *m : (struct msghdr){ 0 };
	const char *end = (const char *)at.msg_control + at.msg_controllen;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(&at); c != NULL; c = CMSG_NXTHDR(&at, c)) {
		const char *p = (const char *)CMSG_DATA(c), *last = (const char *)c + c->cmsg_len;
		int fd;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (; last - p >= (ptrdiff_t)sizeof(fd) && last <= end; p += sizeof(fd)) {
			memcpy(&fd, p, sizeof(fd));
			channel_sent(fd);
		}
	}
}

static void carried_all(const struct mmsghdr *m, int n)
{
	for (int i = 0; i < n; i++)
		carried(&m[i].msg_hdr);
}

/* r: what a poll said. */
static void polled(const struct pollfd *at, nfds_t n, int r)
{
	for (nfds_t i = 0; r > 0 && i < n; i++) {
		if (at[i].revents != 0)
			channel_take_ready(at[i].fd);
		if (at[i].revents & POLLOUT)
			channel_take_room(at[i].fd);
	}
}

static const struct timespec no_time;

#define MILLISECOND 1000000u

static uint64_t ns_of(time_t seconds, long ns)
{
	return seconds >= 0 && ns >= 0 ? (uint64_t)seconds * 1000000000u + (uint64_t)ns : 0;
}

/* How long a wait for readiness has to take: no time, if the explorer has let it through. */
static int poll_for(struct pollfd *at, nfds_t n, int timeout)
{
	uint64_t ns = timeout > 0 ? (uint64_t)timeout * MILLISECOND : 0;

	if (n == 0)
		return ns > 0 && control_time_naps(ns) ? 0 : timeout;
	if (!control_poll(at, n, timeout >= 0, ns))
		return timeout;
	return timeout >= 0 ? 0 : timeout;
}

static const struct timespec *ppoll_for(struct pollfd *at, nfds_t n, const struct timespec *timeout)
{
	if (n == 0)
		return control_time_nap(timeout, 0);
	return control_poll(at, n, timeout != NULL,
			    timeout != NULL ? ns_of(timeout->tv_sec, timeout->tv_nsec) : 0) &&
			       timeout != NULL
		       ? &no_time
		       : timeout;
}

static int epoll_for(int epoll, int timeout)
{
	return poll_for(&(struct pollfd){ .fd = epoll, .events = POLLIN }, 1, timeout);
}

/* Not FD_ISSET: programs have sets for more descriptors than it allows. */
static bool is_in(const fd_set *set, int fd)
{
	return set != NULL && (((const fd_mask *)set)[fd / NFDBITS] >> (fd % NFDBITS) & 1) != 0;
}

static void selected(int n, const fd_set *in, const fd_set *out, const fd_set *except, int r)
{
	for (int fd = 0; r > 0 && fd < n; fd++)
		if (is_in(in, fd) || is_in(out, fd) || is_in(except, fd))
			channel_take_ready(fd);
	for (int fd = 0; r > 0 && fd < n; fd++)
		if (is_in(out, fd))
			channel_take_room(fd);
}

#define SELECTED_MOST 256

/* True: it has waited, or need not. */
static bool select_naps(int n, const fd_set *in, const fd_set *out, const fd_set *except,
			bool timed, uint64_t ns)
{
	struct pollfd at[SELECTED_MOST];
	nfds_t used = 0;

	if (!control_is_baton())
		return n == 0 && timed && control_time_naps(ns);
	for (int fd = 0; fd < n; fd++) {
		int events = (is_in(in, fd) ? POLLIN : 0) | (is_in(out, fd) ? POLLOUT : 0) |
			     (is_in(except, fd) ? POLLPRI : 0);

		if (events != 0 && used == SELECTED_MOST)
			return false;
		if (events != 0)
			at[used++] = (struct pollfd){ .fd = fd, .events = (short)events };
	}
	if (used == 0)
		return timed && control_time_naps(ns);
	return control_poll(at, used, timed, ns);
}

static void epolled(int epoll, const struct epoll_event *e, int r)
{
	if (r <= 0)
		return;
	channel_take_fd(epoll);
	channel_take(CHANNEL_SOCKET);
	for (int i = 0; i < r; i++)
		if (e[i].events & EPOLLOUT) {
			channel_take_room(-1);
			return;
		}
}

static void duplicated(int fd, int r)
{
	if (r != -1)
		channel_same(fd, r);
}

REAL_EARLY(close)
EXPORT int close(int fd)
{
	/* A program that closes all descriptors does not mean the recorder's, which could not be
	 * opened again after chroot. */
	if (file_is_descriptor(fd)) {
		errno = EBADF;
		return -1;
	}
	channel_give_fd(fd);
	return real_close()(fd);
}

/* The greatest number that may be open. */
static unsigned last_open(void)
{
	long n = sysconf(_SC_OPEN_MAX);

	return n > 0 && n < 1 << 16 ? (unsigned)n - 1 : (1 << 16) - 1;
}

/* One by one as far as numbers can go: the recorder's own stay open. */
static int close_all(unsigned first, unsigned last, int flags)
{
	unsigned end = last_open();

	for (unsigned fd = first; fd <= last && fd <= end; fd++)
		if (file_is_descriptor((int)fd)) {
			if (fd > first && REAL(close_range)(first, fd - 1, flags) != 0)
				return -1;
			first = fd + 1;
		} else if (!(flags & (int)CLOSE_RANGE_CLOEXEC)) {
			channel_give_fd((int)fd);
		}
	return first <= last ? REAL(close_range)(first, last, flags) : 0;
}

EXPORT int close_range(unsigned first, unsigned last, int flags)
{
	return first <= last ? close_all(first, last, flags)
			     : REAL(close_range)(first, last, flags);
}

EXPORT void closefrom(int first)
{
	(void)close_all(first > 0 ? (unsigned)first : 0, UINT_MAX, 0);
}

/* A lock of a file, taken or given back: whoever had it may have closed a descriptor. */
static void locked(int fd, int r)
{
	if (r != -1) {
		channel_take(CHANNEL_UNSEEN);
		channel_take_fd(fd);
	}
}

static bool is_file_lock(int op)
{
	return op == F_SETLK || op == F_SETLKW || op == F_OFD_SETLK || op == F_OFD_SETLKW;
}

static bool tells_by_signal(int op, long arg)
{
	return op == F_SETOWN || op == F_SETOWN_EX || op == F_SETSIG || op == F_SETLEASE ||
	       op == F_NOTIFY || (op == F_SETFL && (arg & O_ASYNC) != 0);
}

/* What others may ask for: all but what a new name of the file is like. */
static bool is_state(int op)
{
	return !is_file_lock(op) && op != F_DUPFD && op != F_DUPFD_CLOEXEC;
}

/* arg: a number, a pointer or nothing; it is passed on as one word. */
static int control(__typeof__(&fcntl) real, int fd, int op, void *arg)
{
	int r;

	if (is_file_lock(op))
		channel_give(CHANNEL_UNSEEN);
	if (tells_by_signal(op, (long)arg))
		channel_tells_by_signal(fd);
	if (is_state(op))
		channel_give_fd(fd);
	r = real(fd, op, arg);
	if (r == -1)
		return r;
	if (is_file_lock(op))
		locked(fd, r);
	if (is_state(op))
		channel_take_fd(fd);
	if (op == F_DUPFD || op == F_DUPFD_CLOEXEC)
		duplicated(fd, r);
	return r;
}

#define CONTROL(name)                                       \
	REAL_EARLY(name)                                    \
	EXPORT int name(int fd, int op, ...)                \
	{                                                   \
		va_list args;                               \
		void *arg;                                  \
                                                            \
		va_start(args, op);                         \
		arg = va_arg(args, void *);                 \
		va_end(args);                               \
		return control(real_##name(), fd, op, arg); \
	}

CONTROL(fcntl)
CONTROL(fcntl64)

/* ---- bare system calls ---- */

/* What the functions of these names do; those that order threads by other means are unseen code. */
void channel_bare_gives(long number, const long a[6])
{
	switch (number) {
	case SYS_write:
	case SYS_writev:
	case SYS_pwrite64:
	case SYS_pwritev:
	case SYS_pwritev2:
	case SYS_vmsplice:
	case SYS_sendto:
	case SYS_connect:
	case SYS_shutdown:
	case SYS_bind:
	case SYS_listen:
	case SYS_ftruncate:
	case SYS_fallocate:
	case SYS_setsockopt:
	case SYS_close:
	case SYS_timerfd_settime:
		channel_give_fd((int)a[0]);
		break;
	case SYS_sendmsg:
		carried((const struct msghdr *)a[1]);
		channel_give_fd((int)a[0]);
		break;
	case SYS_sendmmsg:
		carried_all((const struct mmsghdr *)a[1], (int)a[2]);
		channel_give_fd((int)a[0]);
		break;
	case SYS_fcntl:
		if (tells_by_signal((int)a[1], a[2]))
			channel_tells_by_signal((int)a[0]);
		channel_give_fd((int)a[0]);
		break;
	case SYS_ioctl:
		if (a[1] == FIOASYNC || a[1] == FIOSETOWN || a[1] == SIOCSPGRP)
			channel_tells_by_signal((int)a[0]);
		channel_give_fd((int)a[0]);
		break;
	case SYS_inotify_init:
	case SYS_inotify_init1:
	case SYS_fanotify_init:
		channel_watches_files();
		break;
	case SYS_dup2:
	case SYS_dup3:
		channel_give_fd((int)a[1]);
		break;
	case SYS_read:
	case SYS_readv:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_recvmmsg:
	case SYS_accept:
	case SYS_accept4:
		channel_empties((int)a[0]);
		break;
	case SYS_splice:
		channel_carry((int)a[0], (int)a[2]);
		channel_empties((int)a[0]);
		break;
	case SYS_tee:
		channel_carry((int)a[0], (int)a[1]);
		break;
	case SYS_sendfile:
		channel_carry((int)a[1], (int)a[0]);
		channel_empties((int)a[1]);
		break;
	case SYS_kill:
	case SYS_tkill:
	case SYS_rt_sigqueueinfo:
	case SYS_pidfd_send_signal:
		channel_give(channel_of_signal((int)a[1]));
		break;
	case SYS_tgkill:
	case SYS_rt_tgsigqueueinfo:
		channel_give(channel_of_signal((int)a[2]));
		break;
	default:
		break;
	}
}

void channel_bare_takes(long number, const long a[6], long r)
{
	switch (number) {
	case SYS_write:
	case SYS_writev:
	case SYS_vmsplice:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_sendmmsg:
		channel_take_room((int)a[0]);
		break;
	case SYS_recvmsg:
		carried((const struct msghdr *)a[1]);
		channel_take_read((int)a[0], NULL, 0);
		break;
	case SYS_recvmmsg:
		carried_all((const struct mmsghdr *)a[1], (int)r);
		channel_take_read((int)a[0], NULL, 0);
		break;
	case SYS_read:
	case SYS_readv:
	case SYS_preadv2:
	case SYS_recvfrom:
	case SYS_accept:
	case SYS_accept4:
		channel_take_read((int)a[0], NULL, 0);
		break;
	case SYS_splice:
		channel_take_read((int)a[0], NULL, 0);
		channel_take_room((int)a[2]);
		break;
	case SYS_sendfile:
		channel_take_read((int)a[1], NULL, 0);
		channel_take_room((int)a[0]);
		break;
	case SYS_connect:
		channel_take_room((int)a[0]);
		channel_take_fd((int)a[0]);
		break;
	case SYS_tee:
		channel_take_room((int)a[1]);
		channel_take_fd((int)a[0]);
		break;
	case SYS_pread64:
	case SYS_preadv:
	case SYS_ioctl:
	case SYS_fcntl:
	case SYS_lseek:
	case SYS_fstat:
	case SYS_getsockopt:
	case SYS_getsockname:
	case SYS_getpeername:
		channel_take_fd((int)a[0]);
		break;
	case SYS_flock:
		locked((int)a[0], 0);
		break;
	case SYS_poll:
	case SYS_ppoll:
		polled((const struct pollfd *)a[0], (nfds_t)a[1], (int)r);
		break;
	case SYS_select:
	case SYS_pselect6:
		selected((int)a[0], (const fd_set *)a[1], (const fd_set *)a[2],
			 (const fd_set *)a[3], (int)r);
		break;
	case SYS_mmap:
		if (a[3] & MAP_SHARED)
			shared_add((void *)r, (size_t)a[1], a[3] & MAP_ANONYMOUS ? -1 : (int)a[4],
				   a[5]);
		break;
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
		epolled((int)a[0], (const struct epoll_event *)a[1], (int)r);
		break;
	case SYS_dup:
	case SYS_dup2:
	case SYS_dup3:
		duplicated((int)a[0], (int)r);
		break;
	default:
		break;
	}
}

/* Processes that get the descriptors of this one. */
#define INTERPOSED_SPAWN

#define INTERPOSED_DESCRIPTORS
#include "capture/interposed.def"
