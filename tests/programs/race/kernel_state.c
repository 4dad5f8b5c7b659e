/*
 * What one thread changes in the kernel says to the other, which asks for it, that the data is there: a signal that
 * is pending, the bytes in a pipe, the length and the name of a file, and the like.  Each way has data of its own.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

static char dir[] = "/tmp/kernel_state.XXXXXX", made[64], grown[64], moved[64], inside[64];
static int ends[2], watched[2], wide[2], file, other_file, sems, inner, outer, pair[2];
static FILE *stream, *memory, *wide_in, *wide_out;
static int (*volatile by_pointer)(int, struct sembuf *, size_t) = semop;

static void set_pending(void)
{
	kill(getpid(), SIGUSR1);
}
static int is_pending(void)
{
	sigset_t set;

	assert(sigpending(&set) == 0);
	return sigismember(&set, SIGUSR1);
}

static void put_byte(void)
{
	assert(write(ends[1], "x", 1) == 1);
}
static int has_bytes(void)
{
	int n = 0;

	assert(ioctl(ends[0], FIONREAD, &n) == 0);
	return n;
}

static void allocate(void)
{
	assert(posix_fallocate(file, 0, 100) == 0);
}
static int is_long(void)
{
	struct stat st;

	assert(fstat(file, &st) == 0);
	return st.st_size != 0;
}

static void grow(void)
{
	assert(truncate(grown, 100) == 0);
}
static int has_grown(void)
{
	struct stat st;

	assert(stat(grown, &st) == 0);
	return st.st_size != 0;
}

static void make(void)
{
	close(open(made, O_CREAT | O_WRONLY, 0600));
}
static int is_made(void)
{
	int fd = open(made, O_RDONLY);

	return fd >= 0 && close(fd) == 0;
}

static void rename_it(void)
{
	assert(rename(inside, moved) == 0);
}
static int is_renamed(void)
{
	struct stat st;

	return lstat(inside, &st) != 0;
}

static void remove_it(void)
{
	assert(unlink(moved) == 0);
}
static int is_removed(void)
{
	DIR *d = opendir(dir);
	int found = 0;

	for (struct dirent *e; (e = readdir(d)) != NULL;)
		found |= strcmp(e->d_name, strrchr(moved, '/') + 1) == 0;
	closedir(d);
	return !found;
}

static void advance(void)
{
	fputs("hallo", stream);
}
static int has_advanced(void)
{
	return ftell(stream) != 0;
}

static void advance_memory(void)
{
	fputs("hallo", memory);
}
static int has_advanced_memory(void)
{
	return ftell(memory) != 0;
}

static void say(void)
{
	fputws(L"hallo\n", wide_out);
}
static int hear(void)
{
	wchar_t line[20];

	return fgetws(line, 20, wide_in) != NULL;
}

static void raise_it(void)
{
	struct sembuf up = { 0, 1, 0 };

	assert(by_pointer(sems, &up, 1) == 0);
}
static int is_raised(void)
{
	struct sembuf down = { 0, -1, 0 };

	return by_pointer(sems, &down, 1) == 0;
}

static void put_watched(void)
{
	assert(write(watched[1], "x", 1) == 1);
}
static int is_nested(void)
{
	struct pollfd p = { .fd = outer, .events = POLLIN };

	return poll(&p, 1, -1) == 1;
}

static void set_option(void)
{
	int on = 1;

	assert(setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) == 0);
}
static int has_option(void)
{
	int on = 0;
	socklen_t size = sizeof(on);

	assert(getsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &on, &size) == 0);
	return on;
}

static void set_flag(void)
{
	assert(fcntl(other_file, F_SETFL, O_APPEND) == 0);
}
static int has_flag(void)
{
	return (fcntl(other_file, F_GETFL) & O_APPEND) != 0;
}

static const struct {
	void (*give)(void);
	int (*is_given)(void);
} ways[] = {
	{ set_pending, is_pending },
	{ put_byte, has_bytes },
	{ allocate, is_long },
	{ grow, has_grown },
	{ make, is_made },
	{ rename_it, is_renamed },
	{ remove_it, is_removed },
	{ advance, has_advanced },
	{ advance_memory, has_advanced_memory },
	{ say, hear },
	{ raise_it, is_raised },
	{ put_watched, is_nested },
	{ set_option, has_option },
	{ set_flag, has_flag },
};
enum { WAYS = sizeof(ways) / sizeof(*ways) };

int data[WAYS];
volatile int sink;

static void *gives(void *arg)
{
	for (int i = 0; i < WAYS; i++) {
		usleep(1000);
		data[i] = i;
		ways[i].give();
	}
	return arg;
}

static void *asks(void *arg)
{
	for (int i = 0; i < WAYS; i++) {
		while (!ways[i].is_given())
			sched_yield();
		sink = data[i];
	}
	return arg;
}

int main(void)
{
	struct epoll_event e = { .events = EPOLLIN };
	pthread_t t, u;
	sigset_t set;
	char *text;
	size_t n;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	assert(mkdtemp(dir) && pipe(ends) == 0 && pipe(watched) == 0 && pipe(wide) == 0);
	snprintf(made, sizeof(made), "%s/made", dir);
	snprintf(grown, sizeof(grown), "%s/grown", dir);
	snprintf(moved, sizeof(moved), "%s/moved", dir);
	snprintf(inside, sizeof(inside), "%s/inside", dir);
	close(open(grown, O_CREAT | O_WRONLY, 0600));
	close(open(inside, O_CREAT | O_WRONLY, 0600));
	stream = tmpfile();
	memory = open_memstream(&text, &n);
	wide_in = fdopen(wide[0], "r");
	wide_out = fdopen(wide[1], "w");
	setvbuf(wide_out, NULL, _IONBF, 0);
	file = fileno(tmpfile());
	other_file = fileno(tmpfile());
	assert((sems = semget(IPC_PRIVATE, 1, 0600)) >= 0);
	inner = epoll_create1(0);
	outer = epoll_create1(0);
	assert(epoll_ctl(inner, EPOLL_CTL_ADD, watched[0], &e) == 0);
	assert(epoll_ctl(outer, EPOLL_CTL_ADD, inner, &e) == 0);
	assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	pthread_create(&t, NULL, asks, NULL);
	pthread_create(&u, NULL, gives, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	semctl(sems, 0, IPC_RMID);
	unlink(made);
	unlink(grown);
	rmdir(dir);
	return 0;
}
