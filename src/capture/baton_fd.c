/*
 * Pipes, sockets, eventfds.  A call that waits for one is announced with what poll would be asked, and
 * can be done when poll has an answer.
 *
 * What one descriptor holds is one object.  A call that waits for several depends on all of them: once
 * a run has such a call, all descriptors are one object, in all runs.  Sockets always are, for it is not known
 * who is at the other end.
 *
 * Not every wait ends by something that a thread of the program does.  Descriptors that were open
 * before the program began, and those of files and timers, are no objects: such a call is made as it
 * is.  One that others may fill (a socket of the network, anything while there are other processes)
 * is waited for when nobody else can go on, and is no deadlock.
 */
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "capture/baton.h"
#include "capture/channel.h"
#include "capture/sync.h"
#include "capture/sys.h"
#include "capture/text.h"

#define INHERITED 64u /* descriptors that are looked at */
#define LINK_MOST 32u

static struct {
	dev_t device;
	ino_t file;
} inherited[INHERITED];
static uint32_t ninherited;

static uint64_t everything; /* shared: a run has waited for several descriptors at once */

/* ---- which ones ---- */

static bool is_stream(const struct stat *st)
{
	return S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode);
}

void baton_fd_start(void)
{
	struct stat st;
	SYS_KEEPS_ERRNO;

	ninherited = 0;
	for (int fd = 0; fd < (int)INHERITED; fd++) {
		if (syscall(SYS_fstat, fd, &st) != 0 || !is_stream(&st))
			continue;
		inherited[ninherited].device = st.st_dev;
		inherited[ninherited++].file = st.st_ino;
	}
}

static bool is_inherited(const struct stat *st)
{
	for (uint32_t i = 0; i < ninherited; i++)
		if (inherited[i].device == st->st_dev && inherited[i].file == st->st_ino)
			return true;
	return false;
}

/* Of files without a name: "anon_inode:[eventfd]". */
static bool is_named(int fd, const char *name)
{
	char link[LINK_MOST] = "";
	struct text path = { .n = 0 };

	text_add(&path, "/proc/self/fd/%lu", (unsigned long)fd);
	path.at[path.n] = '\0';
	return syscall(SYS_readlinkat, AT_FDCWD, path.at, link, sizeof(link) - 1) > 0 &&
	       strcmp(link, name) == 0;
}

static bool is_eventfd(int fd)
{
	return is_named(fd, "anon_inode:[eventfd]");
}

static bool is_signalfd(int fd)
{
	return is_named(fd, "anon_inode:[signalfd]");
}

static bool is_epoll(int fd)
{
	return is_named(fd, "anon_inode:[eventpoll]");
}

/* Is it one that threads of the program may wait for each other by? */
static bool is_object(int fd)
{
	struct stat st;

	if (fd < 0 || syscall(SYS_fstat, fd, &st) != 0)
		return false;
	if (is_stream(&st))
		return !is_inherited(&st);
	return (st.st_mode & S_IFMT) == 0 && (is_eventfd(fd) || is_epoll(fd) || is_signalfd(fd));
}

static int socket_option(int fd, int name, void *value, socklen_t size)
{
	return (int)syscall(SYS_getsockopt, fd, SOL_SOCKET, name, value, &size);
}

/* Can nobody but threads of the program make it ready? */
static bool is_own(int fd)
{
	struct ucred peer = { 0 };
	int listens = 0;
	struct stat st;

	if (fd < 0 || syscall(SYS_fstat, fd, &st) != 0)
		return true;
	if (is_stream(&st) && is_inherited(&st))
		return false;
	if (!S_ISSOCK(st.st_mode))
		return S_ISFIFO(st.st_mode) || is_eventfd(fd) || is_signalfd(fd);
	return socket_option(fd, SO_ACCEPTCONN, &listens, sizeof(listens)) == 0 && !listens &&
	       socket_option(fd, SO_PEERCRED, &peer, sizeof(peer)) == 0 && peer.pid == getpid();
}

/* Does a call that finds it not ready come back, at once or after a time? */
static bool is_impatient(int fd, short events)
{
	struct timeval limit = { 0 };
	long flags = syscall(SYS_fcntl, fd, F_GETFL, 0);

	if (flags < 0 || (flags & O_NONBLOCK))
		return true;
	return socket_option(fd, events & POLLOUT ? SO_SNDTIMEO : SO_RCVTIMEO, &limit,
			     sizeof(limit)) == 0 &&
	       (limit.tv_sec != 0 || limit.tv_usec != 0);
}

/* ---- when it can be done ---- */

/* What is written to the table goes to the caller of poll, who gets it anew. */
static bool is_ready(const struct baton_seat *s, int wait)
{
	SYS_KEEPS_ERRNO;
	long n = syscall(SYS_poll, s->fds, s->nfds, wait);

	/* To poll a signalfd has the signals of whoever asks. */
	for (uint32_t i = 0; n > 0 && s->signals != 0 && i < s->nfds; i++)
		n -= s->fds[i].revents != 0 && is_signalfd(s->fds[i].fd);
	return n != 0;
}

bool baton_fd_is_ready(uint32_t thread)
{
	const struct baton_seat *s = &baton_seats[thread];

	return s->nfds == 0 || is_ready(s, 0) || (s->signals != 0 && baton_signal_came(thread));
}

bool baton_has_processes(void)
{
	siginfo_t info;

	return baton_head->forked ||
	       syscall(SYS_waitid, P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT, NULL) == 0;
}

#define MOMENT_MS 10

bool baton_fd_wait(void)
{
	for (uint32_t t = 0; t < baton_head->nthreads; t++) {
		const struct baton_seat *s = &baton_seats[t];
		bool own = true;
		SYS_KEEPS_ERRNO;

		if (!baton_has(&baton_head->alive, t) || baton_has(&baton_head->frozen, t) ||
		    s->nfds == 0)
			continue;
		for (uint32_t i = 0; i < s->nfds && own; i++)
			own = is_own(s->fds[i].fd);
		if (!own || baton_has_processes()) {
			baton_head->running = t; /* and no code that is not seen */
			baton_head->unseen = 0;
			is_ready(s, MOMENT_MS);
			return true;
		}
	}
	return false;
}

/* ---- announcing ---- */

#define OBJECTS 256u

/* By the order in which a run comes to them: the kernel's numbers differ from run to run. */
static uint64_t objects[OBJECTS];
static uint32_t nobjects;

static const void *find_object(uint64_t key)
{
	uint32_t i = 0;

	while (i < nobjects && objects[i] != key)
		i++;
	if (i == nobjects && nobjects < OBJECTS)
		objects[nobjects++] = key;
	return i < OBJECTS ? &objects[i] : NULL;
}

static const void *object_of(uint32_t thread, const struct pollfd *at, uint32_t n)
{
	uintptr_t all = (uintptr_t)&everything;
	const void *object = NULL;

	if (n == 1 && !is_epoll(at->fd))
		object = find_object(channel_key(at->fd));
	if (object == NULL)
		baton_word_share(thread, all, sizeof(everything));
	return baton_word_is_shared(thread, all) ? &everything : object;
}

static uint64_t mask_of(int signalfd)
{
	struct text path = { .n = 0 };

	text_add(&path, "/proc/self/fdinfo/%lu", (unsigned long)signalfd);
	return baton_signal_mask(&path, "sigmask:");
}

/* What its order with sent signals depends on, if it may: what an epoll watches is not known. */
static const void *signals_behind(uint32_t thread, const struct pollfd *at, uint32_t n)
{
	bool some = baton_seats[thread].signals != 0;

	for (uint32_t i = 0; i < n && !some; i++)
		some = baton_signal_is_shared(thread) && is_epoll(at[i].fd);
	return some ? baton_signal_object() : NULL;
}

/* Those of all signalfds that are asked for input, as masks of the kernel's. */
static uint64_t signals_of(const struct pollfd *at, uint32_t n)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < n; i++)
		if (at[i].fd >= 0 && (at[i].events & POLLIN) && is_signalfd(at[i].fd))
			all |= mask_of(at[i].fd);
	return all;
}

/* n of them; waits: until one is ready.  vain: or not.  True: none is. */
static bool announce(struct thread *t, struct pollfd *at, uint32_t n, bool waits, bool vain)
{
	struct baton_seat *s = &baton_seats[t->control->index];
	bool in_vain, gives = n == 1 && !(at->events & POLLIN);

	s->fds = at;
	s->nfds = waits ? n : 0;
	s->signals = waits ? signals_of(at, n) : 0;
	s->handled = false;
	if (s->signals != 0)
		baton_signal_share(t->control->index);
	baton_try(t->control,
		  &(struct baton_op){ .object = (uintptr_t)object_of(t->control->index, at, n),
				      .second = (uintptr_t)signals_behind(t->control->index, at, n),
				      .size = (uint32_t)at->fd,
				      .site = t->view.call_site,
				      .kind = gives ? BATON_GIVE : BATON_TAKE,
				      .flags = vain ? BATON_TIMED : 0,
				      .branches = 1 });
	in_vain = !baton_fd_is_ready(t->control->index);
	s->nfds = 0;
	s->signals = 0;
	baton_signal_moved();
	return in_vain;
}

void control_fd_slow(int fd, short events, bool vain)
{
	struct pollfd at = { .fd = fd, .events = events };

	if (!baton_is_on())
		return;
	if (fd == STDIN_FILENO && (events & POLLIN) && !is_own(fd))
		baton_head->outside |= BATON_OUTSIDE_INPUT;
	HOOK(t) {
		SYS_KEEPS_ERRNO;

		if (CONTROLLED(t) && is_object(fd))
			announce(t, &at, 1, events != 0, vain || is_impatient(fd, events));
	}
}

bool control_poll_slow(struct pollfd *at, size_t n, bool timed, uint64_t ns)
{
	bool some = false;

	if (!baton_is_on())
		return false;
	HOOK(t) {
		SYS_KEEPS_ERRNO;

		for (size_t i = 0; i < n && CONTROLLED(t) && !some; i++)
			some = is_object(at[i].fd);
		if (some && announce(t, at, (uint32_t)n, true, timed))
			baton_clock_pass(ns);
	}
	return some;
}
