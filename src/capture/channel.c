#include "capture/channel.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>

static uint64_t words[CHANNEL_COUNT]; /* never read or written: their tags count */

/* Is it watched by an epoll?  Then a thread that waits there takes from CHANNEL_SOCKET. */
static uint8_t watched[CHANNEL_COUNT];

/*
 * All eventfds, epolls, timerfds share one inode, so they are told apart by
 * number.  A duplicate goes under the number of the first (stored plus 1), and
 * keeps it after that one is closed; a number used again may share with an old
 * one.  Numbers past the table are one channel.
 */
#define NUMBERS (1u << 16)
static uint32_t number_of[NUMBERS];

static bool has_signalfd;

/* ---- which one ---- */

static uint32_t number(int fd)
{
	uint32_t n;

	if ((unsigned)fd >= NUMBERS)
		return NUMBERS;
	n = __atomic_load_n(&number_of[fd], __ATOMIC_RELAXED);
	return n != 0 ? n - 1 : (uint32_t)fd;
}

/* Relaxed: another thread can use new_fd only after the program has told it, which orders the
 * two. */
void channel_same(int old_fd, int new_fd)
{
	if ((unsigned)new_fd < NUMBERS)
		__atomic_store_n(&number_of[new_fd], number(old_fd) + 1, __ATOMIC_RELAXED);
}

#define KEY_NONE 0u
#define KEY_SOCKET 1u

/* anonymous: a file of no type; many descriptors share its inode. */
static uint64_t key_of(int fd, bool *anonymous)
{
	struct stat st;
	uint64_t key;
	SYS_KEEPS_ERRNO;
	long r = syscall(SYS_fstat, fd, &st);

	*anonymous = r == 0 && (st.st_mode & S_IFMT) == 0;
	if (r != 0)
		return KEY_NONE;
	if (S_ISSOCK(st.st_mode))
		return KEY_SOCKET;
	key = st.st_dev * 0x100000001b3u + st.st_ino;
	if (*anonymous)
		key = (key + number(fd)) * 0x100000001b3u;
	return key;
}

uint64_t channel_key(int fd)
{
	bool anonymous;

	return key_of(fd, &anonymous);
}

/* CHANNEL_NONE: no such descriptor. */
static unsigned of_fd(int fd, bool *anonymous)
{
	uint64_t key = key_of(fd, anonymous);

	if (key == KEY_NONE)
		return CHANNEL_NONE;
	if (key == KEY_SOCKET)
		return CHANNEL_SOCKET;
	return CHANNEL_FILE + (unsigned)(key * 0x9e3779b97f4a7c15u >> 56) % CHANNEL_FILES;
}

unsigned channel_of_signal(int n)
{
	return n > 0 && n < _NSIG ? CHANNEL_SIGNAL + (unsigned)n : CHANNEL_NONE;
}

static unsigned kind_of(unsigned channel)
{
	return channel == CHANNEL_UNSEEN   ? FORMAT_CHANNEL_UNSEEN
	       : channel == CHANNEL_SOCKET ? FORMAT_CHANNEL_SOCKET
	       : channel < CHANNEL_FILE	   ? FORMAT_CHANNEL_SIGNAL
					   : FORMAT_CHANNEL_FILE;
}

/* ---- logging ---- */

/* A thread that gives twice and did nothing between has given all it had. */
static bool gave_all(const struct thread *t, unsigned channel)
{
	return t->gave == channel + 1 && t->gave_tseq == t->tseq;
}

/* There is nothing to take if there was no GIVE, at all or since this thread's last TAKE. */
static bool took_all(const struct thread *t, unsigned channel)
{
	tag_version v = tag_peek(tag_of(&words[channel]));

	return v == 0 || (t->took == channel + 1 && t->took_version == v);
}

/* Signals and unseen code have no gates. */
static void gate(struct thread *t, unsigned kind, unsigned channel)
{
	if (channel == CHANNEL_NONE || (channel < CHANNEL_FILE && channel != CHANNEL_SOCKET))
		return;
	if (kind == FORMAT_K_GIVE)
		control_pass(t, kind, &words[channel]);
	else
		control_passed(t);
}

static void log_always(struct thread *t, unsigned kind, unsigned channel)
{
	uint64_t own = sync_log(t, kind, kind_of(channel), &words[channel]);

	if (kind == FORMAT_K_GIVE) {
		t->gave = channel + 1;
		t->gave_tseq = own;
	} else {
		t->took = channel + 1;
		t->took_version = tag_make(t->tid, own);
	}
}

void channel_log(struct thread *t, unsigned kind, unsigned channel)
{
	if (CONTROLLED(t))
		gate(t, kind, channel);
	if (channel == CHANNEL_NONE ||
	    (kind == FORMAT_K_GIVE ? gave_all(t, channel) : took_all(t, channel)))
		return;
	log_always(t, kind, channel);
}

/* The flag is read after the GIVE and set before the TAKE of channel_watch: one of the two sees
 * the other, whichever comes first at the tag. */
static void log_give_fd(struct thread *t, int fd)
{
	bool anonymous;
	unsigned channel = of_fd(fd, &anonymous);

	if (CONTROLLED(t))
		control_outside(fd);
	channel_log(t, FORMAT_K_GIVE, channel);
	if (channel != CHANNEL_NONE && __atomic_load_n(&watched[channel], __ATOMIC_SEQ_CST))
		channel_log(t, FORMAT_K_GIVE, CHANNEL_SOCKET);
}

static void hooked(unsigned kind, unsigned channel)
{
	if (channel == CHANNEL_NONE)
		return;
	HOOK(t)
		channel_log(t, kind, channel);
}

void channel_give(unsigned channel)
{
	hooked(FORMAT_K_GIVE, channel);
}

void channel_take(unsigned channel)
{
	hooked(FORMAT_K_TAKE, channel);
}

void channel_take_always(unsigned channel)
{
	HOOK(t)
		log_always(t, FORMAT_K_TAKE, channel);
}

const void *channel_object(unsigned channel)
{
	return &words[channel];
}

void channel_give_fd(int fd)
{
	control_fd(fd, 0, false);
	HOOK(t)
		log_give_fd(t, fd);
}

void channel_send_fd(int fd, bool vain)
{
	control_fd(fd, POLLOUT, vain);
	HOOK(t)
		log_give_fd(t, fd);
}

void channel_await_fd_slow(int fd, bool vain)
{
	bool anonymous;
	unsigned channel;

	control_fd(fd, POLLIN, vain);
	HOOK(t)
		if (CONTROLLED(t) && (channel = of_fd(fd, &anonymous)) != CHANNEL_NONE)
			control_pass(t, FORMAT_K_TAKE, &words[channel]);
}

void channel_take_fd(int fd)
{
	channel_take_read(fd, NULL, 0);
}

void channel_take_read(int fd, const void *bytes, size_t n)
{
	const struct signalfd_siginfo *s = bytes;
	bool anonymous;

	HOOK(t) {
		channel_log(t, FORMAT_K_TAKE, of_fd(fd, &anonymous));
		if (anonymous && __atomic_load_n(&has_signalfd, __ATOMIC_RELAXED))
			for (; n >= sizeof(*s); n -= sizeof(*s), s++)
				channel_log(t, FORMAT_K_TAKE, channel_of_signal((int)s->ssi_signo));
	}
}

/* What was given to fd before is passed on: the wait takes from the sockets' channel only. */
void channel_watch(int epoll, int fd)
{
	bool anonymous;
	unsigned channel;

	HOOK(t) {
		channel = of_fd(fd, &anonymous);
		if (channel != CHANNEL_NONE)
			__atomic_store_n(&watched[channel], 1, __ATOMIC_SEQ_CST);
		channel_log(t, FORMAT_K_TAKE, channel);
		log_give_fd(t, epoll);
		channel_log(t, FORMAT_K_GIVE, CHANNEL_SOCKET);
	}
}

void channel_has_signalfd(void)
{
	__atomic_store_n(&has_signalfd, true, __ATOMIC_RELAXED);
}
