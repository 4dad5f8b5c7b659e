/*
 * Channels: ways that order one thread after another without being an object in the program's
 * memory, such as a pipe.
 *
 *	T1                              T2
 *	x = 1
 *	GIVE pipe
 *	write(pipe)                     read(pipe)
 *	                                TAKE pipe
 *	                                use x
 *
 * Every GIVE of a channel comes before the TAKEs that follow it in the log, in every reordering.  A
 * GIVE is logged before the call that lets others go on, a TAKE after the call that may have
 * waited.  A GIVE or TAKE too many (two things may share a channel by accident) orders more than
 * the program does, and predictions are missed; one too few orders less, and predictions would be
 * wrong.
 *
 * A channel is a word of the runtime, its address the object's:
 *
 *	UNSEEN    code that was not instrumented
 *	SOCKET    all sockets, and descriptors that an epoll watches
 *	SIGNAL    one for each number
 *	FILE      by device and inode: both ends of a pipe have the same one
 *	OUTSIDE   other processes: what they are given comes back by anything that they hold
 *	TURN      by device and inode, sockets too: who reads what is there takes it from all others
 *	ROOM      of pipes, by device and inode, and of all sockets: who reads makes room for what others write
 *
 * What a thread has read nobody else reads: had it not been there, others would have got it.  So a call
 * that consumes takes its turn, when it is done, after all that have done so:
 *
 *	T1                              T2
 *	read(pipe)     "A"
 *	TAKE GIVE turn of the pipe
 *	                                read(pipe)     "B", after T1's in every reordering
 *	                                TAKE GIVE turn of the pipe
 *
 * Not known is the order of two calls that end at the same time, if the one that was first there comes here
 * last.
 */
#ifndef CAPTURE_CHANNEL_H
#define CAPTURE_CHANNEL_H

#include <signal.h>

#include "capture/sync.h"

#define CHANNEL_FILES 256u

enum {
	CHANNEL_UNSEEN,
	CHANNEL_SOCKET,
	CHANNEL_SIGNAL, /* + number */
	CHANNEL_FILE = CHANNEL_SIGNAL + _NSIG,
	CHANNEL_TURN = CHANNEL_FILE + CHANNEL_FILES,
	CHANNEL_ROOM = CHANNEL_TURN + CHANNEL_FILES,
	CHANNEL_OUTSIDE = CHANNEL_ROOM + CHANNEL_FILES,
	CHANNEL_COUNT,
	CHANNEL_NONE = CHANNEL_COUNT
};

/* Inside a hook: kind FORMAT_K_GIVE or FORMAT_K_TAKE.  CHANNEL_NONE: nothing. */
void channel_log(struct thread *t, unsigned kind, unsigned channel);

/* The same as a hook of their own; errno is kept. */
void channel_give(unsigned channel);
void channel_take(unsigned channel);
/* A signal has come, which if no thread of this process sent it tells of whatever was done. */
void channel_take_signal(int n, const siginfo_t *info);
/* Where its handler begins: also if nothing was given. */
void channel_take_handled(int n, const siginfo_t *info);
void channel_give_fd(int fd);
void channel_take_fd(int fd);
/* The same of one that is ready, by what has happened behind it. */
void channel_take_ready(int fd);
/* A file was looked for, by any name: that it is there, or not, and how it is. */
struct stat;
void channel_take_file(const struct stat *st, bool found);
/* Before a call that takes from fd, under control: the gate, if there is one. */
void channel_gate_fd(int fd);
/* The same of one that waits until there is something.  vain: it need not wait. */
void channel_await_fd_slow(int fd, bool vain);
static inline void channel_await_fd(int fd, bool vain)
{
	if (UNLIKELY(control_on))
		channel_await_fd_slow(fd, vain);
}
/*
 * Room in pipes and sockets.  Before a call that reads: it makes some; around one that writes n bytes and may have to wait
 * for some: GIVE, and behind it, with what that said, TAKE if there would be too little in some run.  vain: or come back without
 * having sent anything; named: to an address, where it may wait though the socket has room.
 */
void channel_empties(int fd);
unsigned channel_write_fd(int fd, size_t n, bool vain, bool named);
void channel_wrote_fd(int fd, unsigned room);
/* The same for a call of which it is not known how much it writes: what to take, by channel_take. */
unsigned channel_room(int fd);
/* Somebody has waited until there was room; -1: by an epoll. */
void channel_take_room(int fd);
/* Something was read from fd, and is not there any more.  n bytes of it are told, which if it is a signalfd
 * are signals: TAKE of each of them as well. */
void channel_take_read(int fd, const void *bytes, size_t n);

/* The channel of a signal; CHANNEL_NONE for a number that is none. */
unsigned channel_of_signal(int number);

/* Tells what is behind one descriptor from what is behind another; not for sockets. */
uint64_t channel_key(int fd);

/* What stands for it in the trace. */
const void *channel_object(unsigned channel);

/* Two descriptors of one open file. */
void channel_same(int old_fd, int new_fd);
/* An epoll is about to watch fd. */
void channel_watch(int epoll, int fd);
/* A message has it, or had it. */
void channel_sent(int fd);
/* There are signalfds. */
void channel_has_signalfd(void);
/* Somebody may be told of what is done to files; before. */
void channel_watches_files(void);
/* The process is to get signals of what is done to fd; before. */
void channel_tells_by_signal(int fd);

/* The kernel moves data from one to the other: before it does. */
void channel_carry(int in, int out);
/* Both ends of a pipe were made by this process. */
void channel_made_pipe(const int fds[2]);
/* Another process is about to begin, with all descriptors: before. */
void channel_forks(void);
/* The same where nothing can be recorded. */
void channel_forked(void);
bool channel_has_forked(void);
/* A bare system call: before it, and after it with its result, which is no error. */
void channel_bare_gives(long number, const long a[6]);
void channel_bare_takes(long number, const long a[6], long r);
/* Unseen code, among it what waits for other processes and ends them.  Inside a hook. */
void channel_log_unseen(struct thread *t, unsigned kind);
void channel_unseen(unsigned kind);

#endif /* CAPTURE_CHANNEL_H */
