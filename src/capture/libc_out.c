/*
 * Library functions that leave a result where an argument points: foresee_libc_NAME for every
 * NAME of FORESEE_LIBC_OUT.
 *
 * A result of fixed size is made in private memory and then stored as a recorded write (log_store).
 * What the kernel or libc has to write by itself is logged when it has come.  Strings
 * that go in are binding reads; other structures that go in are read unseen (log_opaque).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "capture/libc_priv.h"
#include "capture/real.h"

#define X(name) extern __typeof__(name) foresee_libc_##name;
FORESEE_LIBC_OUT(X)
#undef X

/* `its' holds what the call left, if it was good. */
#define STORED(good, out, its)                               \
	do {                                                 \
		if (good)                                    \
			log_store(out, &(its), sizeof(its)); \
	} while (0)

/* ---- threads ---- */

EXPORT int foresee_libc_pthread_key_create(pthread_key_t *key, void (*end)(void *))
{
	pthread_key_t its;
	int r = pthread_key_create(&its, end);

	STORED(r == 0, key, its);
	return r;
}

EXPORT int foresee_libc_tss_create(tss_t *key, tss_dtor_t end)
{
	tss_t its;
	int r = tss_create(&its, end);

	STORED(r == thrd_success, key, its);
	return r;
}

EXPORT int foresee_libc_pthread_setcancelstate(int state, int *old)
{
	int its, r = pthread_setcancelstate(state, &its);

	STORED(r == 0, old, its);
	return r;
}

EXPORT int foresee_libc_pthread_setcanceltype(int type, int *old)
{
	int its, r = pthread_setcanceltype(type, &its);

	STORED(r == 0, old, its);
	return r;
}

EXPORT int foresee_libc_sem_getvalue(sem_t *restrict s, int *restrict value)
{
	int its, r = sem_getvalue(s, &its);

	STORED(r == 0, value, its);
	return r;
}

EXPORT int foresee_libc_pthread_getname_np(pthread_t thread, char *name, size_t n)
{
	int r = pthread_getname_np(thread, name, n);

	if (r == 0)
		log_wrote(name, strlen(name) + 1);
	return r;
}

EXPORT int foresee_libc_pthread_attr_getstacksize(const pthread_attr_t *restrict a,
						  size_t *restrict n)
{
	size_t its;
	int r = pthread_attr_getstacksize(a, &its);

	STORED(r == 0, n, its);
	return r;
}

EXPORT int foresee_libc_pthread_attr_getdetachstate(const pthread_attr_t *a, int *state)
{
	int its, r = pthread_attr_getdetachstate(a, &its);

	STORED(r == 0, state, its);
	return r;
}

/* ---- files ---- */

EXPORT int foresee_libc_stat(const char *restrict path, struct stat *restrict st)
{
	struct stat its;
	int r;

	log_string(path, SIZE_MAX);
	r = stat(path, &its);
	STORED(r == 0, st, its);
	return r;
}

EXPORT int foresee_libc_lstat(const char *restrict path, struct stat *restrict st)
{
	struct stat its;
	int r;

	log_string(path, SIZE_MAX);
	r = lstat(path, &its);
	STORED(r == 0, st, its);
	return r;
}

EXPORT int foresee_libc_fstatat(int fd, const char *restrict path, struct stat *restrict st,
				int flags)
{
	struct stat its;
	int r;

	log_string(path, SIZE_MAX);
	r = fstatat(fd, path, &its, flags);
	STORED(r == 0, st, its);
	return r;
}

EXPORT int foresee_libc_fstat(int fd, struct stat *st)
{
	struct stat its;
	int r = fstat(fd, &its);

	STORED(r == 0, st, its);
	return r;
}

EXPORT int foresee_libc_pipe(int fds[2])
{
	int its[2], r = pipe(its);

	STORED(r == 0, fds, its);
	return r;
}

EXPORT int foresee_libc_pipe2(int fds[2], int flags)
{
	int its[2], r = pipe2(its, flags);

	STORED(r == 0, fds, its);
	return r;
}

EXPORT char *foresee_libc_getcwd(char *path, size_t n)
{
	char *r = getcwd(path, n);

	if (r != NULL)
		log_wrote(r, strlen(r) + 1);
	return r;
}

EXPORT ssize_t foresee_libc_readlink(const char *restrict path, char *restrict to, size_t n)
{
	ssize_t r;

	log_string(path, SIZE_MAX);
	r = readlink(path, to, n);
	if (r > 0)
		log_wrote(to, (size_t)r);
	return r;
}

/* r bytes have come into the pieces v[0 .. n). */
static ssize_t scattered(const struct iovec *v, size_t n, ssize_t r)
{
	size_t left = r > 0 ? (size_t)r : 0;

	for (size_t i = 0; i < n && left != 0; i++) {
		size_t k = v[i].iov_len < left ? v[i].iov_len : left;

		log_wrote(v[i].iov_base, k);
		left -= k;
	}
	return r;
}

EXPORT ssize_t foresee_libc_readv(int fd, const struct iovec *v, int n)
{
	log_read(v, n > 0 ? (size_t)n * sizeof(*v) : 0);
	return scattered(v, n > 0 ? (size_t)n : 0, readv(fd, v, n));
}

EXPORT ssize_t foresee_libc_preadv(int fd, const struct iovec *v, int n, off_t at)
{
	log_read(v, n > 0 ? (size_t)n * sizeof(*v) : 0);
	return scattered(v, n > 0 ? (size_t)n : 0, preadv(fd, v, n, at));
}

/* ---- sockets ---- */

EXPORT int foresee_libc_socketpair(int domain, int type, int protocol, int fds[2])
{
	int its[2], r = socketpair(domain, type, protocol, its);

	STORED(r == 0, fds, its);
	return r;
}

static socklen_t room_at(const socklen_t *size)
{
	if (size == NULL)
		return 0;
	log_read(size, sizeof(*size));
	return *size;
}

/* What a call has left at p, with room for so much, and its full size at *size. */
static void log_sized(void *p, socklen_t room, socklen_t *size)
{
	if (size == NULL)
		return;
	log_wrote(p, *size < room ? *size : room);
	log_wrote(size, sizeof(*size));
}

EXPORT int foresee_libc_getsockopt(int fd, int level, int name, void *restrict p,
				   socklen_t *restrict size)
{
	socklen_t room = room_at(size);
	int r = getsockopt(fd, level, name, p, size);

	if (r == 0)
		log_sized(p, room, size);
	return r;
}

/* The address that a call tells; good: it did. */
#define ADDRESS(type, name, params, good, ...)                  \
	EXPORT type foresee_libc_##name params                  \
	{                                                       \
		socklen_t room = room_at(size);                 \
		type r = name(__VA_ARGS__);                     \
                                                                \
		if (good)                                       \
			log_sized(at.__sockaddr__, room, size); \
		return r;                                       \
	}

ADDRESS(int, getsockname, (int fd, __SOCKADDR_ARG at, socklen_t *restrict size), r == 0, fd, at,
	size)
ADDRESS(int, getpeername, (int fd, __SOCKADDR_ARG at, socklen_t *restrict size), r == 0, fd, at,
	size)
ADDRESS(int, accept, (int fd, __SOCKADDR_ARG at, socklen_t *restrict size), r != -1, fd, at, size)
ADDRESS(int, accept4, (int fd, __SOCKADDR_ARG at, socklen_t *restrict size, int flags), r != -1, fd,
	at, size, flags)

EXPORT ssize_t foresee_libc_recvfrom(int fd, void *restrict p, size_t n, int flags,
				     __SOCKADDR_ARG at, socklen_t *restrict size)
{
	socklen_t room = room_at(size);
	ssize_t r = recvfrom(fd, p, n, flags, at, size);

	if (r < 0)
		return r;
	log_wrote(p, (size_t)r < n ? (size_t)r : n);
	log_sized(at.__sockaddr__, room, size);
	return r;
}

EXPORT ssize_t foresee_libc_recvmsg(int fd, struct msghdr *m, int flags)
{
	socklen_t room;
	ssize_t r;

	log_read(m, sizeof(*m));
	log_read(m->msg_iov, m->msg_iovlen * sizeof(*m->msg_iov));
	room = m->msg_namelen;
	r = recvmsg(fd, m, flags);
	if (r < 0)
		return r;
	scattered(m->msg_iov, m->msg_iovlen, r);
	log_wrote(m->msg_name, m->msg_namelen < room ? m->msg_namelen : room);
	log_wrote(m->msg_control, m->msg_controllen);
	log_wrote(m, sizeof(*m));
	return r;
}

EXPORT int foresee_libc_poll(struct pollfd *at, nfds_t n, int timeout)
{
	int r;

	log_read(at, n * sizeof(*at));
	r = poll(at, n, timeout);
	if (r >= 0)
		log_wrote(at, n * sizeof(*at));
	return r;
}

EXPORT int foresee_libc_epoll_wait(int epoll, struct epoll_event *e, int n, int timeout)
{
	int r = epoll_wait(epoll, e, n, timeout);

	if (r > 0)
		log_wrote(e, (size_t)r * sizeof(*e));
	return r;
}

EXPORT const char *foresee_libc_inet_ntop(int family, const void *restrict from, char *restrict to,
					  socklen_t n)
{
	const char *r;

	log_read(from, family == AF_INET6 ? 16 : 4);
	r = inet_ntop(family, from, to, n);
	if (r != NULL)
		log_wrote(to, strlen(to) + 1);
	return r;
}

EXPORT int foresee_libc_inet_pton(int family, const char *restrict from, void *restrict to)
{
	int r;

	log_string(from, SIZE_MAX);
	r = inet_pton(family, from, to);
	if (r == 1)
		log_wrote(to, family == AF_INET6 ? 16 : 4);
	return r;
}

/* ---- numbers, text, time ---- */

#define FLOATING(type, name)                                                         \
	EXPORT type foresee_libc_##name(const char *restrict s, char **restrict end) \
	{                                                                            \
		char *stop;                                                          \
		type n = name(s, &stop);                                             \
                                                                                     \
		log_string(s, (size_t)(stop - s) + 1);                               \
		log_store(end, &stop, sizeof(stop));                                 \
		return n;                                                            \
	}

FLOATING(double, strtod)
FLOATING(float, strtof)

EXPORT struct tm *foresee_libc_localtime_r(const time_t *restrict when, struct tm *restrict out)
{
	struct tm its;

	log_read(when, sizeof(*when));
	if (localtime_r(when, &its) == NULL)
		return NULL;
	log_store(out, &its, sizeof(its));
	return out;
}

EXPORT struct tm *foresee_libc_gmtime_r(const time_t *restrict when, struct tm *restrict out)
{
	struct tm its;

	log_read(when, sizeof(*when));
	if (gmtime_r(when, &its) == NULL)
		return NULL;
	log_store(out, &its, sizeof(its));
	return out;
}

EXPORT size_t foresee_libc_strftime(char *restrict to, size_t n, const char *restrict format,
				    const struct tm *restrict tm)
{
	size_t r;

	log_read(tm, sizeof(*tm));
	log_string(format, SIZE_MAX);
	r = strftime(to, n, format, tm);
	if (r != 0)
		log_wrote(to, r + 1);
	return r;
}

/* The one that returns the message. */
EXPORT char *foresee_libc_strerror_r(int number, char *to, size_t n)
{
	char *r = strerror_r(number, to, n);

	if (r == to)
		log_wrote(to, strlen(to) + 1);
	return r;
}

EXPORT int foresee_libc_nanosleep(const struct timespec *want, struct timespec *left)
{
	struct timespec its;
	int r;

	log_read(want, sizeof(*want));
	r = nanosleep(want, &its);
	STORED(r != 0 && errno == EINTR, left, its);
	return r;
}

/* ---- the system ---- */

EXPORT ssize_t foresee_libc_getrandom(void *p, size_t n, unsigned flags)
{
	ssize_t r = getrandom(p, n, flags);

	if (r > 0)
		log_wrote(p, (size_t)r);
	return r;
}

EXPORT int foresee_libc_getrusage(__rusage_who_t who, struct rusage *out)
{
	struct rusage its;
	int r = getrusage(who, &its);

	STORED(r == 0, out, its);
	return r;
}

EXPORT int foresee_libc_gethostname(char *name, size_t n)
{
	int r = gethostname(name, n);

	if (r == 0)
		log_wrote(name, strnlen(name, n - 1) + 1);
	return r;
}

EXPORT int foresee_libc_uname(struct utsname *out)
{
	struct utsname its;
	int r = uname(&its);

	STORED(r == 0, out, its);
	return r;
}
