/* Input of every kind lands in memory that others read: each is a write of what came, where it came. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ENOUGH 400 /* bytes to look at */

static char buffer[4096], other[4096];
static int strangers; /* calls too that nobody stands in for: what they leave is not known */
static int sum;	      /* what was read decides something: the bytes matter */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Written before, so that stale bytes would show; read after. */
static void used(const void *p, size_t n)
{
	const volatile char *c = p;

	for (size_t i = 0; i < n && i < ENOUGH; i++)
		if (c[i] != 0)
			sum++;
}

#define INTO(x, call)                          \
	do {                                   \
		memset(&(x), 0x5a, sizeof(x)); \
		used(&(x), sizeof(x));         \
		call;                          \
		used(&(x), sizeof(x));         \
	} while (0)

/* Such a call. */
#define STRANGE(x, call)               \
	do {                           \
		if (strangers)         \
			INTO(x, call); \
	} while (0)

static void files(void)
{
	struct iovec v[2] = { { buffer, 10 }, { other, 10 } };
	int fd = open("/proc/self/exe", O_RDONLY);

	INTO(buffer, assert(read(fd, buffer, 100) == 100));
	INTO(buffer, assert(pread(fd, buffer, 100, 8) == 100));
	INTO(buffer, assert(readv(fd, v, 2) == 20));
	INTO(other, assert(preadv(fd, v, 2, 3) == 20));
	close(fd);
}

static void streams(void)
{
	FILE *f = tmpfile();
	size_t room = 0;
	char *line = NULL;
	int a = 0, b = 0;
	char word[20];

	fputs("one line\nanother\n12 34 words\nrest of it\n", f);
	rewind(f);
	INTO(buffer, assert(fgets(buffer, 100, f) == buffer));
	if (strangers) {
		assert(getline(&line, &room, f) == 8);
		used(line, 8);
	} else {
		assert(fgets(buffer, 100, f) == buffer);
	}
	INTO(word, assert(fscanf(f, "%d %d %19s", &a, &b, word) == 3));
	used(&a, sizeof(a));
	used(&b, sizeof(b));
	assert(fgetc(f) == '\n');
	if (strangers) {
		assert(getdelim(&line, &room, ' ', f) == 5);
		used(line, 5);
	} else {
		assert(fgets(buffer, 6, f) == buffer);
	}
	INTO(buffer, assert(fread(buffer, 1, 5, f) == 5));
	INTO(word, assert(sscanf("77 word", "%d %19s", &a, word) == 2));
	used(&a, sizeof(a));
	free(line);
	fclose(f);
}

static void sockets(void)
{
	struct mmsghdr many[2];
	struct iovec v = { buffer, 100 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1 };
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) },
			   from;
	socklen_t n = sizeof(from);
	int s[2], on = 0, l, c, p[2];
	struct pollfd ready;
	struct epoll_event e = { .events = EPOLLIN };

	assert(socketpair(AF_UNIX, SOCK_DGRAM, 0, s) == 0);
	used(s, sizeof(s));
	for (int i = 0; i < 6; i++)
		assert(send(s[0], "message", 7, 0) == 7);
	INTO(buffer, assert(recv(s[1], buffer, 100, 0) == 7));
	INTO(buffer, assert(recvfrom(s[1], buffer, 100, 0, NULL, NULL) == 7));
	INTO(buffer, assert(recvmsg(s[1], &m, 0) == 7));
	memset(many, 0, sizeof(many));
	many[0].msg_hdr = m;
	STRANGE(buffer, assert(recvmmsg(s[1], many, 1, 0, NULL) == 1));
	if (strangers)
		used(many, sizeof(many));
	ready = (struct pollfd){ .fd = s[1], .events = POLLIN };
	assert(poll(&ready, 1, 0) == 1);
	used(&ready, sizeof(ready));
	l = epoll_create1(0);
	epoll_ctl(l, EPOLL_CTL_ADD, s[1], &e);
	INTO(e, assert(epoll_wait(l, &e, 1, 0) == 1));
	close(l);
	STRANGE(on, assert(ioctl(s[1], FIONREAD, &on) == 0));
	n = sizeof(on);
	INTO(on, assert(getsockopt(s[1], SOL_SOCKET, SO_TYPE, &on, &n) == 0));
	l = socket(AF_INET, SOCK_STREAM, 0);
	assert(bind(l, (struct sockaddr *)&at, sizeof(at)) == 0 && listen(l, 1) == 0);
	n = sizeof(at);
	INTO(at, assert(getsockname(l, (struct sockaddr *)&at, &n) == 0));
	c = socket(AF_INET, SOCK_STREAM, 0);
	assert(connect(c, (struct sockaddr *)&at, sizeof(at)) == 0);
	n = sizeof(from);
	INTO(from, on = accept(l, (struct sockaddr *)&from, &n));
	close(on);
	close(c);
	close(l);
	INTO(p, assert(pipe2(p, O_CLOEXEC) == 0));
	close(p[0]);
	close(p[1]);
}

static void system_calls(void)
{
	struct stat st;
	struct timespec now;
	struct utsname names;
	struct rusage usage;
	struct rlimit limit;
	struct tm tm;
	struct sysinfo info;
	time_t t = 0;
	char path[PATH_MAX];
	struct addrinfo *list = NULL, hints = { .ai_flags = AI_NUMERICHOST };

	INTO(st, assert(stat("/", &st) == 0));
	INTO(st, assert(fstat(0, &st) == 0));
	INTO(now, assert(clock_gettime(CLOCK_MONOTONIC, &now) == 0));
	INTO(names, assert(uname(&names) == 0));
	INTO(usage, assert(getrusage(RUSAGE_SELF, &usage) == 0));
	STRANGE(limit, assert(getrlimit(RLIMIT_CORE, &limit) == 0));
	INTO(tm, assert(localtime_r(&t, &tm) == &tm));
	STRANGE(info, assert(sysinfo(&info) == 0));
	INTO(path, assert(getcwd(path, sizeof(path)) == path));
	INTO(path, assert(readlink("/proc/self/exe", path, sizeof(path)) > 0));
	INTO(buffer, assert(getrandom(buffer, 100, 0) == 100));
	if (!strangers)
		return;
	assert(getaddrinfo("127.0.0.1", "80", &hints, &list) == 0);
	used(list->ai_addr, list->ai_addrlen);
	freeaddrinfo(list);
}

static void *all(void *arg)
{
	pthread_mutex_lock(&lock);
	files();
	streams();
	sockets();
	system_calls();
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	(void)argv;
	strangers = argc == 1;

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, all, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return sum == 0;
}
