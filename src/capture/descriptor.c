/*
 * Descriptors: data that one thread writes and another reads brings order along.
 *
 * Who writes gives, who reads takes when there was something or the end; who
 * waits for readiness takes what is ready.  A close gives too: the other side
 * sees the end.  Which channel: channel.h.
 *
 * What is not seen: that a reader makes room for a writer who waits for it, the opening
 * of a fifo, descriptors sent through sockets (an eventfd that arrives under another
 * number), close_range.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include "capture/channel.h"
#include "capture/file.h"
#include "capture/real.h"
#include "capture/shared.h"

/* glibc declares these to programs that ask for checks, and to no others. */
EXPORT ssize_t __read_chk(int fd, void *p, size_t n, size_t room);
EXPORT ssize_t __pread_chk(int fd, void *p, size_t n, off_t at, size_t room);
EXPORT ssize_t __pread64_chk(int fd, void *p, size_t n, off64_t at, size_t room);
EXPORT ssize_t __recv_chk(int fd, void *p, size_t n, size_t room, int flags);
EXPORT ssize_t __recvfrom_chk(int fd, void *restrict p, size_t n, size_t room, int flags,
			      __SOCKADDR_ARG from, socklen_t *restrict size);
EXPORT int __poll_chk(struct pollfd *at, nfds_t n, int timeout, size_t room);
EXPORT int __ppoll_chk(struct pollfd *at, nfds_t n, const struct timespec *timeout,
		       const sigset_t *mask, size_t room);

/* A call that gives to a descriptor. */
#define GIVES(type, name, params, fd, ...)             \
	REAL_EARLY(name)                               \
	EXPORT type name params                        \
	{                                              \
		channel_give_fd(fd);                   \
		return real_##name()(fd, __VA_ARGS__); \
	}

/* The same, of size bytes to the place `at' of what may be a mapped file. */
#define WRITES(name, params, fd, at, size, ...)            \
	REAL_EARLY(name)                                   \
	EXPORT ssize_t name params                         \
	{                                                  \
		off_t place_;                              \
		ssize_t r_;                                \
                                                           \
		channel_give_fd(fd);                       \
		place_ = shared_write_begin(fd, at, size); \
		r_ = real_##name()(fd, __VA_ARGS__);       \
		shared_write_end(fd, place_, r_);          \
		return r_;                                 \
	}

/* A call that takes from one when its result is not -1. */
#define TAKES(type, name, params, fd, ...)               \
	REAL_EARLY(name)                                 \
	EXPORT type name params                          \
	{                                                \
		type r = real_##name()(fd, __VA_ARGS__); \
                                                         \
		if (r != -1)                             \
			channel_take_fd(fd);             \
		return r;                                \
	}

/* The same, for those that give bytes as a signalfd does. */
#define READS(name, params, fd, p, ...)                        \
	REAL_EARLY(name)                                       \
	EXPORT ssize_t name params                             \
	{                                                      \
		ssize_t r = real_##name()(fd, p, __VA_ARGS__); \
                                                               \
		if (r != -1)                                   \
			channel_take_read(fd, p, (size_t)r);   \
		return r;                                      \
	}

/* From one descriptor to another. */
#define MOVES(name, params, in, out, args)   \
	REAL_EARLY(name)                     \
	EXPORT ssize_t name params           \
	{                                    \
		ssize_t r;                   \
                                             \
		channel_give_fd(out);        \
		r = real_##name() args;      \
		if (r != -1)                 \
			channel_take_fd(in); \
		return r;                    \
	}

/* ---- out ---- */

static size_t sum(const struct iovec *v, int n)
{
	size_t all = 0;

	for (int i = 0; i < n; i++)
		all += v[i].iov_len;
	return all;
}

WRITES(write, (int fd, const void *p, size_t n), fd, SHARED_HERE, n, p, n)
WRITES(pwrite, (int fd, const void *p, size_t n, off_t at), fd, at, n, p, n, at)
WRITES(pwrite64, (int fd, const void *p, size_t n, off64_t at), fd, at, n, p, n, at)
WRITES(writev, (int fd, const struct iovec *v, int n), fd, SHARED_HERE, sum(v, n), v, n)
WRITES(pwritev, (int fd, const struct iovec *v, int n, off_t at), fd, at, sum(v, n), v, n, at)
WRITES(pwritev64, (int fd, const struct iovec *v, int n, off64_t at), fd, at, sum(v, n), v, n, at)
WRITES(pwritev2, (int fd, const struct iovec *v, int n, off_t at, int flags), fd, at, sum(v, n), v,
       n, at, flags)
WRITES(pwritev64v2, (int fd, const struct iovec *v, int n, off64_t at, int flags), fd, at,
       sum(v, n), v, n, at, flags)
GIVES(ssize_t, vmsplice, (int fd, const struct iovec *v, size_t n, unsigned flags), fd, v, n, flags)
GIVES(ssize_t, send, (int fd, const void *p, size_t n, int flags), fd, p, n, flags)
GIVES(ssize_t, sendto,
      (int fd, const void *p, size_t n, int flags, __CONST_SOCKADDR_ARG to, socklen_t size), fd, p,
      n, flags, to, size)
GIVES(ssize_t, sendmsg, (int fd, const struct msghdr *m, int flags), fd, m, flags)
GIVES(int, sendmmsg, (int fd, struct mmsghdr *m, unsigned n, int flags), fd, m, n, flags)
GIVES(int, eventfd_write, (int fd, eventfd_t n), fd, n)
GIVES(int, timerfd_settime,
      (int fd, int flags, const struct itimerspec *when, struct itimerspec *old), fd, flags, when,
      old)
GIVES(int, shutdown, (int fd, int how), fd, how)
GIVES(int, bind, (int fd, __CONST_SOCKADDR_ARG at, socklen_t size), fd, at, size)
GIVES(int, listen, (int fd, int n), fd, n)

REAL_EARLY(close)
EXPORT int close(int fd)
{
	/* Who closes all there is does not mean the recorder's, and after chroot it could not be opened
	 * again. */
	if (file_is_descriptor(fd)) {
		errno = EBADF;
		return -1;
	}
	channel_give_fd(fd);
	return real_close()(fd);
}

/* ---- in ---- */

READS(read, (int fd, void *p, size_t n), fd, p, n)
READS(__read_chk, (int fd, void *p, size_t n, size_t room), fd, p, n, room)
TAKES(ssize_t, pread, (int fd, void *p, size_t n, off_t at), fd, p, n, at)
TAKES(ssize_t, pread64, (int fd, void *p, size_t n, off64_t at), fd, p, n, at)
TAKES(ssize_t, __pread_chk, (int fd, void *p, size_t n, off_t at, size_t room), fd, p, n, at, room)
TAKES(ssize_t, __pread64_chk, (int fd, void *p, size_t n, off64_t at, size_t room), fd, p, n, at,
      room)
TAKES(ssize_t, readv, (int fd, const struct iovec *v, int n), fd, v, n)
TAKES(ssize_t, preadv, (int fd, const struct iovec *v, int n, off_t at), fd, v, n, at)
TAKES(ssize_t, preadv64, (int fd, const struct iovec *v, int n, off64_t at), fd, v, n, at)
TAKES(ssize_t, preadv2, (int fd, const struct iovec *v, int n, off_t at, int flags), fd, v, n, at,
      flags)
TAKES(ssize_t, preadv64v2, (int fd, const struct iovec *v, int n, off64_t at, int flags), fd, v, n,
      at, flags)
TAKES(ssize_t, recv, (int fd, void *p, size_t n, int flags), fd, p, n, flags)
TAKES(ssize_t, __recv_chk, (int fd, void *p, size_t n, size_t room, int flags), fd, p, n, room,
      flags)
TAKES(ssize_t, recvfrom,
      (int fd, void *restrict p, size_t n, int flags, __SOCKADDR_ARG from,
       socklen_t *restrict size),
      fd, p, n, flags, from, size)
TAKES(ssize_t, __recvfrom_chk,
      (int fd, void *restrict p, size_t n, size_t room, int flags, __SOCKADDR_ARG from,
       socklen_t *restrict size),
      fd, p, n, room, flags, from, size)
TAKES(ssize_t, recvmsg, (int fd, struct msghdr *m, int flags), fd, m, flags)
TAKES(int, recvmmsg, (int fd, struct mmsghdr *m, unsigned n, int flags, struct timespec *timeout),
      fd, m, n, flags, timeout)
TAKES(int, eventfd_read, (int fd, eventfd_t *n), fd, n)
TAKES(int, accept, (int fd, __SOCKADDR_ARG from, socklen_t *restrict size), fd, from, size)
TAKES(int, accept4, (int fd, __SOCKADDR_ARG from, socklen_t *restrict size, int flags), fd, from,
      size, flags)

/* ---- both ways ---- */

REAL_EARLY(connect)
EXPORT int connect(int fd, __CONST_SOCKADDR_ARG to, socklen_t size)
{
	int r;

	channel_give_fd(fd);
	r = real_connect()(fd, to, size);
	if (r == 0)
		channel_take_fd(fd);
	return r;
}

MOVES(splice, (int in, off64_t *from, int out, off64_t *to, size_t n, unsigned flags), in, out,
      (in, from, out, to, n, flags))
MOVES(tee, (int in, int out, size_t n, unsigned flags), in, out, (in, out, n, flags))
MOVES(sendfile, (int out, int in, off_t *from, size_t n), in, out, (out, in, from, n))
MOVES(sendfile64, (int out, int in, off64_t *from, size_t n), in, out, (out, in, from, n))
MOVES(copy_file_range, (int in, off64_t *from, int out, off64_t *to, size_t n, unsigned flags), in,
      out, (in, from, out, to, n, flags))

/* ---- readiness ---- */

/* r: what a poll said. */
static int polled(const struct pollfd *at, nfds_t n, int r)
{
	for (nfds_t i = 0; r > 0 && i < n; i++)
		if (at[i].revents != 0)
			channel_take_fd(at[i].fd);
	return r;
}

REAL_EARLY(poll)
EXPORT int poll(struct pollfd *at, nfds_t n, int timeout)
{
	return polled(at, n, real_poll()(at, n, timeout));
}

REAL_EARLY(ppoll)
EXPORT int ppoll(struct pollfd *at, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
	return polled(at, n, real_ppoll()(at, n, timeout, mask));
}

REAL_EARLY(__poll_chk)
EXPORT int __poll_chk(struct pollfd *at, nfds_t n, int timeout, size_t room)
{
	return polled(at, n, real___poll_chk()(at, n, timeout, room));
}

REAL_EARLY(__ppoll_chk)
EXPORT int __ppoll_chk(struct pollfd *at, nfds_t n, const struct timespec *timeout,
		       const sigset_t *mask, size_t room)
{
	return polled(at, n, real___ppoll_chk()(at, n, timeout, mask, room));
}

/* Not FD_ISSET: programs have sets for more descriptors than it allows. */
static bool is_in(const fd_set *set, int fd)
{
	return set != NULL && (((const fd_mask *)set)[fd / NFDBITS] >> (fd % NFDBITS) & 1) != 0;
}

static int selected(int n, const fd_set *in, const fd_set *out, const fd_set *except, int r)
{
	for (int fd = 0; r > 0 && fd < n; fd++)
		if (is_in(in, fd) || is_in(out, fd) || is_in(except, fd))
			channel_take_fd(fd);
	return r;
}

REAL_EARLY(select)
EXPORT int select(int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict except,
		  struct timeval *restrict timeout)
{
	return selected(n, in, out, except, real_select()(n, in, out, except, timeout));
}

REAL_EARLY(pselect)
EXPORT int pselect(int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict except,
		   const struct timespec *restrict timeout, const sigset_t *restrict mask)
{
	return selected(n, in, out, except, real_pselect()(n, in, out, except, timeout, mask));
}

REAL_EARLY(epoll_ctl)
EXPORT int epoll_ctl(int epoll, int op, int fd, struct epoll_event *e)
{
	if (op != EPOLL_CTL_DEL)
		channel_watch(epoll, fd);
	return real_epoll_ctl()(epoll, op, fd, e);
}

static int epolled(int epoll, int r)
{
	if (r > 0) {
		channel_take_fd(epoll);
		channel_take(CHANNEL_SOCKET);
	}
	return r;
}

REAL_EARLY(epoll_wait)
EXPORT int epoll_wait(int epoll, struct epoll_event *e, int n, int timeout)
{
	return epolled(epoll, real_epoll_wait()(epoll, e, n, timeout));
}

REAL_EARLY(epoll_pwait)
EXPORT int epoll_pwait(int epoll, struct epoll_event *e, int n, int timeout, const sigset_t *mask)
{
	return epolled(epoll, real_epoll_pwait()(epoll, e, n, timeout, mask));
}

REAL_EARLY(epoll_pwait2)
EXPORT int epoll_pwait2(int epoll, struct epoll_event *e, int n, const struct timespec *timeout,
			const sigset_t *mask)
{
	return epolled(epoll, real_epoll_pwait2()(epoll, e, n, timeout, mask));
}

/* ---- other names of one file ---- */

static int duplicated(int fd, int r)
{
	if (r != -1)
		channel_same(fd, r);
	return r;
}

REAL_EARLY(dup)
EXPORT int dup(int fd)
{
	return duplicated(fd, real_dup()(fd));
}

REAL_EARLY(dup2)
EXPORT int dup2(int fd, int to)
{
	channel_give_fd(to); /* it is closed */
	return duplicated(fd, real_dup2()(fd, to));
}

REAL_EARLY(dup3)
EXPORT int dup3(int fd, int to, int flags)
{
	channel_give_fd(to);
	return duplicated(fd, real_dup3()(fd, to, flags));
}

REAL_EARLY(signalfd)
EXPORT int signalfd(int fd, const sigset_t *mask, int flags)
{
	channel_has_signalfd();
	return real_signalfd()(fd, mask, flags);
}

static bool is_file_lock(int op)
{
	return op == F_SETLK || op == F_SETLKW || op == F_OFD_SETLK || op == F_OFD_SETLKW;
}

/* A number or a pointer, or nothing: it travels as one word. */
static int control(__typeof__(&fcntl) real, int fd, int op, void *arg)
{
	int r;

	if (is_file_lock(op))
		channel_give(CHANNEL_UNSEEN);
	r = real(fd, op, arg);
	if (r == -1)
		return r;
	if (is_file_lock(op))
		channel_take(CHANNEL_UNSEEN);
	return op == F_DUPFD || op == F_DUPFD_CLOEXEC ? duplicated(fd, r) : r;
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
