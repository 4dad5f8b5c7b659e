#include "capture/channel_priv.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "capture/guard.h"

/* Never read or written: their tags count.  Aligned, so that plans know a signal's by its place (PLAN_SIGNAL_OF)
 * whichever build of the runtime has recorded it. */
static _Alignas(4096) uint64_t words[CHANNEL_COUNT];
_Static_assert((CHANNEL_SIGNAL + _NSIG) * sizeof(*words) <= 4096, "signals have the first page");

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

/*
 * Another process can pass on what it is told, by any pipe, socket or terminal that it holds, and by its end.
 * Before this process has made one, those are the pipes that it has not made itself, and terminals; then all.
 * For what lies between two descriptors that splice has joined the same is done.
 */
static bool has_forked;
/* There is an inotify or its like: what is done to any file is told by a descriptor. */
static bool watches_files;
static uint8_t carried[CHANNEL_COUNT];

/* Pipes that were made here, by key.  One that is forgotten counts as another's. */
#define OWN_PIPES 1024u
static uint64_t own_pipes[OWN_PIPES];

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

static uint64_t *own_pipe(uint64_t key)
{
	return &own_pipes[(key * 0x9e3779b97f4a7c15u >> 32) % OWN_PIPES];
}

/* /dev/null and its like have nobody at the other end. */
static bool is_outside(const struct stat *st, uint64_t key)
{
	if (S_ISCHR(st->st_mode) && major(st->st_rdev) == 1)
		return false;
	if (__atomic_load_n(&watches_files, __ATOMIC_SEQ_CST))
		return true;
	if (S_ISREG(st->st_mode) || S_ISDIR(st->st_mode) || S_ISBLK(st->st_mode))
		return false;
	return S_ISCHR(st->st_mode) || __atomic_load_n(&has_forked, __ATOMIC_SEQ_CST) ||
	       (S_ISFIFO(st->st_mode) && __atomic_load_n(own_pipe(key), __ATOMIC_RELAXED) != key);
}

static struct behind behind_file(const struct stat *st, int fd)
{
	struct behind b = { .socket = S_ISSOCK(st->st_mode),
			    .regular = S_ISREG(st->st_mode),
			    .pipe = S_ISFIFO(st->st_mode),
			    .anonymous = (st->st_mode & S_IFMT) == 0,
			    .key = st->st_dev * 0x100000001b3u + st->st_ino };

	if (b.anonymous)
		b.key = (b.key + number(fd)) * 0x100000001b3u;
	b.outside = is_outside(st, b.key);
	return b;
}

struct behind channel_behind(int fd)
{
	struct stat st;
	SYS_KEEPS_ERRNO;

	return syscall(SYS_fstat, fd, &st) == 0 ? behind_file(&st, fd)
						: (struct behind){ .key = CHANNEL_KEY_NONE };
}

uint64_t channel_key(int fd)
{
	struct behind b = channel_behind(fd);

	return b.socket ? CHANNEL_KEY_SOCKET : b.key;
}

/*
 * Which word of each kind is for that key: the first of some that is the key's, or nobody's yet.  If all are others', one
 * is shared.  Entries stay, so a key keeps its word.
 */
#define PROBES 8u
static uint64_t slots[CHANNEL_FILES]; /* atomic each */

unsigned channel_slot(uint64_t key)
{
	unsigned first = (unsigned)(key * 0x9e3779b97f4a7c15u >> 56) % CHANNEL_FILES;

	for (unsigned i = 0; i < PROBES; i++) {
		unsigned at = (first + i) % CHANNEL_FILES;
		uint64_t is = __atomic_load_n(&slots[at], __ATOMIC_RELAXED);

		if (is == 0 && __atomic_compare_exchange_n(&slots[at], &is, key, false,
							   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return at;
		if (is == key)
			return at;
	}
	return first;
}

/* CHANNEL_NONE: no such descriptor. */
unsigned channel_of(struct behind b)
{
	if (b.key == CHANNEL_KEY_NONE)
		return CHANNEL_NONE;
	return b.socket ? CHANNEL_SOCKET : CHANNEL_FILE + channel_slot(b.key);
}

static unsigned of_fd(int fd)
{
	return channel_of(channel_behind(fd));
}

bool channel_goes_outside(struct behind b)
{
	unsigned channel = channel_of(b);

	return channel != CHANNEL_NONE &&
	       (b.outside || __atomic_load_n(&carried[channel], __ATOMIC_SEQ_CST));
}

bool channel_is_watched(unsigned channel)
{
	return channel != CHANNEL_NONE && __atomic_load_n(&watched[channel], __ATOMIC_SEQ_CST);
}

unsigned channel_of_signal(int n)
{
	return n > 0 && n < _NSIG ? CHANNEL_SIGNAL + (unsigned)n : CHANNEL_NONE;
}

static unsigned kind_of(unsigned channel)
{
	return channel == CHANNEL_UNSEEN || channel >= CHANNEL_ROOM ? FORMAT_CHANNEL_UNSEEN
	       : channel == CHANNEL_SOCKET			    ? FORMAT_CHANNEL_SOCKET
	       : channel < CHANNEL_FILE				    ? FORMAT_CHANNEL_SIGNAL
	       : channel < CHANNEL_TURN				    ? FORMAT_CHANNEL_FILE
								    : FORMAT_CHANNEL_TURN;
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

/* Signals, unseen code, other processes and full pipes have no gates. */
static void gate(struct thread *t, unsigned kind, unsigned channel)
{
	if (channel >= CHANNEL_ROOM || (channel < CHANNEL_FILE && channel != CHANNEL_SOCKET))
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
	if (CONTROLLED(t) && !guard_on)
		gate(t, kind, channel);
	if (CONTROLLED(t) && channel != CHANNEL_NONE)
		control_orders(kind, kind_of(channel));
	if (channel != CHANNEL_NONE && guard_on) {
		sync_log(t, kind, kind_of(channel), &words[channel]);
		return;
	}
	if (channel == CHANNEL_NONE ||
	    (kind == FORMAT_K_GIVE ? gave_all(t, channel) : took_all(t, channel)))
		return;
	log_always(t, kind, channel);
}

/* The flags are read after the GIVE and set before the TAKE of channel_watch and its like: one of the two
 * sees the other, whichever comes first at the tag. */
void channel_log_give(struct thread *t, int fd, struct behind b)
{
	unsigned channel = channel_of(b);

	if (CONTROLLED(t))
		control_outside(fd);
	channel_log(t, FORMAT_K_GIVE, channel);
	if (channel_is_watched(channel))
		channel_log(t, FORMAT_K_GIVE, CHANNEL_SOCKET);
	if (channel_goes_outside(b))
		channel_log(t, FORMAT_K_GIVE, CHANNEL_OUTSIDE);
}

static void log_give_fd(struct thread *t, int fd)
{
	channel_log_give(t, fd, channel_behind(fd));
}

/* What has no type may be anything, and tell of whatever another thread has done. */
void channel_log_take(struct thread *t, struct behind b)
{
	channel_log(t, FORMAT_K_TAKE, channel_of(b));
	if (b.anonymous)
		channel_log(t, FORMAT_K_TAKE, CHANNEL_UNSEEN);
	if (channel_goes_outside(b))
		channel_log(t, FORMAT_K_TAKE, CHANNEL_OUTSIDE);
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

/* Has it been given to by whoever sent it, or has set the timer? */
static bool is_sent_here(int n, int code, uint32_t pid)
{
	if (code == SI_USER || code == SI_TKILL || code == SI_QUEUE)
		return pid == (uint32_t)getpid();
	return code == SI_TIMER ||
	       (code == SI_KERNEL && (n == SIGALRM || n == SIGVTALRM || n == SIGPROF));
}

static void log_sender(struct thread *t, int n, int code, uint32_t pid)
{
	if (is_sent_here(n, code, pid))
		return;
	channel_log(t, FORMAT_K_TAKE, CHANNEL_UNSEEN);
	channel_log(t, FORMAT_K_TAKE, CHANNEL_OUTSIDE);
}

static void log_signal(struct thread *t, int n, int code, uint32_t pid)
{
	channel_log(t, FORMAT_K_TAKE, channel_of_signal(n));
	log_sender(t, n, code, pid);
}

void channel_take_signal(int n, const siginfo_t *info)
{
	HOOK(t)
		log_signal(t, n, info->si_code, (uint32_t)info->si_pid);
}

void channel_take_handled(int n, const siginfo_t *info)
{
	HOOK(t) {
		if (CONTROLLED(t))
			control_orders(FORMAT_K_TAKE, kind_of(channel_of_signal(n)));
		log_always(t, FORMAT_K_TAKE, channel_of_signal(n));
		log_sender(t, n, info->si_code, (uint32_t)info->si_pid);
	}
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

void channel_gate_fd(int fd)
{
	unsigned channel;

	HOOK(t)
		if (CONTROLLED(t) && !guard_on && (channel = of_fd(fd)) != CHANNEL_NONE)
			control_pass(t, FORMAT_K_TAKE, &words[channel]);
}

void channel_await_fd_slow(int fd, bool vain)
{
	control_fd(fd, POLLIN, vain);
	channel_gate_fd(fd);
}

void channel_take_fd(int fd)
{
	HOOK(t)
		channel_log_take(t, channel_behind(fd));
}

/* Files are always ready, if they are not queues of messages. */
void channel_take_ready(int fd)
{
	HOOK(t) {
		struct behind b = channel_behind(fd);

		channel_log_take(t, b);
		if (b.regular)
			channel_log(t, FORMAT_K_TAKE, CHANNEL_UNSEEN);
		if (b.anonymous) /* an epoll, by what it watches */
			channel_log(t, FORMAT_K_TAKE, CHANNEL_SOCKET);
	}
}

void channel_take_file(const struct stat *st, bool found)
{
	HOOK(t) {
		channel_log(t, FORMAT_K_TAKE, CHANNEL_UNSEEN);
		if (found)
			channel_log_take(t, behind_file(st, -1));
	}
}

/* The last turn was its own: then it has nothing to take.  It gives each time, for each time it has read
 * more; but not before it has made another thread, which comes after that anyway.  No gates: the plan's are
 * at the channel of what was read. */
static void turn_log(struct thread *t, unsigned channel)
{
	uint32_t last = tag_tid(tag_peek(tag_of(&words[channel])));

	if (guard_on || (last != 0 && last != t->tid))
		sync_log(t, FORMAT_K_TAKE, FORMAT_CHANNEL_TURN, &words[channel]);
	sync_log(t, FORMAT_K_GIVE, FORMAT_CHANNEL_TURN, &words[channel]);
}

void channel_take_read(int fd, const void *bytes, size_t n)
{
	const struct signalfd_siginfo *s = bytes;

	HOOK(t) {
		struct behind b = channel_behind(fd);

		channel_log_take(t, b);
		if (b.key != CHANNEL_KEY_NONE && thread_was_forked())
			turn_log(t, CHANNEL_TURN + channel_slot(b.key));
		if (b.anonymous && __atomic_load_n(&has_signalfd, __ATOMIC_RELAXED))
			for (; n >= sizeof(*s); n -= sizeof(*s), s++)
				log_signal(t, (int)s->ssi_signo, s->ssi_code, s->ssi_pid);
	}
}

static void carry(unsigned channel)
{
	if (channel != CHANNEL_NONE)
		__atomic_store_n(&carried[channel], 1, __ATOMIC_SEQ_CST);
}

/* What was given to fd before is passed on: the wait takes from the sockets' channel only. */
void channel_watch(int epoll, int fd)
{
	struct behind b;
	unsigned channel;

	HOOK(t) {
		b = channel_behind(fd);
		channel = channel_of(b);
		if (channel != CHANNEL_NONE)
			__atomic_store_n(&watched[channel], 1, __ATOMIC_SEQ_CST);
		if (channel_goes_outside(b))
			carry(of_fd(epoll));
		channel_log_take(t, b);
		log_give_fd(t, epoll);
		channel_log(t, FORMAT_K_GIVE, CHANNEL_SOCKET);
	}
}

/* Of what has no inode of its own: it goes by another number from now on, or has come by one. */
void channel_sent(int fd)
{
	HOOK(t) {
		struct behind b = channel_behind(fd);

		if (b.anonymous) {
			carry(channel_of(b));
			channel_log_take(t, b);
			channel_log(t, FORMAT_K_GIVE, CHANNEL_OUTSIDE);
		}
	}
}

void channel_has_signalfd(void)
{
	__atomic_store_n(&has_signalfd, true, __ATOMIC_RELAXED);
}

void channel_watches_files(void)
{
	__atomic_store_n(&watches_files, true, __ATOMIC_SEQ_CST);
}

void channel_tells_by_signal(int fd)
{
	HOOK(t)
		carry(of_fd(fd));
}

void channel_carry(int in, int out)
{
	HOOK(t) {
		carry(of_fd(in));
		carry(of_fd(out));
		channel_log_take(t, channel_behind(in));
		log_give_fd(t, out);
	}
}

void channel_made_pipe(const int fds[2])
{
	uint64_t key = channel_behind(fds[0]).key;

	__atomic_store_n(own_pipe(key), key, __ATOMIC_RELAXED);
}

/* What was given to pipes of our own before is not taken along: a thread that fills a pipe, and does not order
 * itself with the one that makes the process, is hardly what a program does. */
void channel_forks(void)
{
	channel_forked();
	channel_give(CHANNEL_OUTSIDE);
}

void channel_forked(void)
{
	__atomic_store_n(&has_forked, true, __ATOMIC_SEQ_CST);
}

bool channel_has_forked(void)
{
	return __atomic_load_n(&has_forked, __ATOMIC_SEQ_CST);
}

void channel_log_unseen(struct thread *t, unsigned kind)
{
	channel_log(t, kind, CHANNEL_UNSEEN);
	if (channel_has_forked())
		channel_log(t, kind, CHANNEL_OUTSIDE);
}

void channel_unseen(unsigned kind)
{
	HOOK(t)
		channel_log_unseen(t, kind);
}
