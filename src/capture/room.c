/*
 * Room in pipes and sockets: who reads makes some, and goes before whoever had to wait for it.
 *
 *	T1				T2
 *	x = 1
 *	GIVE room
 *	read(pipe)			write(pipe)	which was full without that
 *					TAKE room
 *					use x
 *
 * It takes also where it was not held up, for in another run it would be, if the reader came later.  Only a file that has
 * room for all that was ever written to it needs no reader.
 */
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include "capture/channel_priv.h"

/* By channel_slot, of the end that is written to: bytes; more than fit without anybody who reads. */
static uint64_t written[CHANNEL_FILES]; /* atomic each */
static uint8_t narrow[CHANNEL_FILES];

static bool has_room(struct behind b)
{
	return b.pipe || b.socket;
}

/* Who is alone waits for nobody; an explorer, or a replay, knows who waits. */
static bool room_matters(void)
{
	return thread_was_forked() && !control_on;
}

/* What others write is read from another descriptor than it was written to, but for pipes. */
static unsigned room_of(struct behind b)
{
	return CHANNEL_ROOM + channel_slot(b.socket ? CHANNEL_KEY_SOCKET : b.key);
}

unsigned channel_room(int fd)
{
	unsigned room = CHANNEL_NONE;

	HOOK(t) {
		struct behind b = channel_behind(fd);

		if (has_room(b)) {
			__atomic_store_n(&narrow[channel_slot(b.key)], 1, __ATOMIC_RELAXED);
			room = room_matters() ? room_of(b) : CHANNEL_NONE;
		}
	}
	return room;
}

/* For one that an epoll watches it is told as well, as of a socket. */
void channel_empties(int fd)
{
	HOOK(t) {
		struct behind b = channel_behind(fd);

		if (has_room(b) && room_matters()) {
			channel_log(t, FORMAT_K_GIVE, room_of(b));
			if (b.pipe && channel_is_watched(channel_of(b)))
				channel_log(t, FORMAT_K_GIVE,
					    CHANNEL_ROOM + channel_slot(CHANNEL_KEY_SOCKET));
		}
	}
}

void channel_take_room(int fd)
{
	channel_take(fd == -1 ? CHANNEL_ROOM + channel_slot(CHANNEL_KEY_SOCKET) : channel_room(fd));
}

/* Bytes that can lie there, at least; 0: few messages, whatever their size. */
static size_t capacity(int fd, struct behind b)
{
	int size = 0, domain = 0, type = 0;
	socklen_t len = sizeof(size);

	if (b.pipe) {
		size = (int)syscall(SYS_fcntl, fd, F_GETPIPE_SZ);
		return size > 0 && !(syscall(SYS_fcntl, fd, F_GETFL) & O_DIRECT) ? (size_t)size : 0;
	}
	if (syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) != 0 ||
	    syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &len) != 0 ||
	    syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_SNDBUF, &size, &len) != 0 || size < 0 ||
	    (domain == AF_UNIX && type != SOCK_STREAM))
		return 0;
	return (size_t)size;
}

/* Bytes of the kernel's own for each message. */
#define OVERHEAD 1024u

/*
 * Would n bytes more have to wait for a reader in some run?  Not while all that was ever written there fits.  Others may
 * come first in another run, so half of it has to do.
 */
static bool needs_reader(int fd, struct behind b, unsigned at, size_t n)
{
	uint64_t all;
	SYS_KEEPS_ERRNO;

	if (__atomic_load_n(&narrow[at], __ATOMIC_RELAXED))
		return true;
	all = __atomic_add_fetch(&written[at], b.pipe ? n : n + OVERHEAD, __ATOMIC_RELAXED);
	if (n < SIZE_MAX / 4 && 2 * all <= capacity(fd, b) &&
	    !(channel_has_forked() && channel_goes_outside(b)))
		return false;
	__atomic_store_n(&narrow[at], 1, __ATOMIC_RELAXED);
	return true;
}

unsigned channel_write_fd(int fd, size_t n, bool vain, bool named)
{
	unsigned room = CHANNEL_NONE;

	control_fd(fd, POLLOUT, vain);
	HOOK(t) {
		struct behind b = channel_behind(fd);

		channel_log_give(t, fd, b);
		if (has_room(b) && (needs_reader(fd, b, channel_slot(b.key), n) || named) &&
		    room_matters())
			room = room_of(b);
	}
	return room;
}

/* Other processes may have made room, told by any that they hold. */
void channel_wrote_fd(int fd, unsigned room)
{
	if (room == CHANNEL_NONE)
		return;
	HOOK(t) {
		struct behind b = channel_behind(fd);

		channel_log(t, FORMAT_K_TAKE, room);
		if (b.socket)
			channel_log_take(t, b);
		else if (channel_has_forked() && channel_goes_outside(b))
			channel_log(t, FORMAT_K_TAKE, CHANNEL_OUTSIDE);
	}
}
