/*
 * What orders two threads lies where no recorder of instructions looks: unseen MODE.  Nothing races but in `bare'.
 * `data' is changed in place, so that a race on it would be predicted.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int data;
static _Atomic int *here, *there; /* the same word */
static int to[2], from[2];
static atomic_int handled;
static struct {
	_Alignas(64) char text[12];
	int count;
} near = { "abcdefghi,,", 0 };
static volatile size_t sink;

static void pass(int ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000L }, NULL);
}

/* ---- by another address ---- */

static void *says_there(void *arg)
{
	data++;
	atomic_store_explicit(here, 1, memory_order_release);
	return arg;
}

static void *waits_there(void *arg)
{
	while (!atomic_load_explicit(there, memory_order_acquire))
		pass(1);
	data++;
	return arg;
}

static void *looks_there(void *arg)
{
	pass(100);
	if (atomic_load_explicit(there, memory_order_acquire))
		data++;
	return arg;
}

/* ---- by what is only read when it is looked at ---- */

static void *protects(void *arg)
{
	says_there(arg);
	mprotect((void *)here, 4096, PROT_READ);
	return arg;
}

/* ---- by another process ---- */

static void *tells(void *arg)
{
	pass(10);
	data++;
	(void)!write(to[1], "x", 1);
	return arg;
}

static void *hears(void *arg)
{
	char c;

	(void)!read(from[0], &c, 1);
	data++;
	return arg;
}

static void relay(int by_memory)
{
	char c;

	(void)!read(to[0], &c, 1);
	if (by_memory)
		atomic_store(here, 1);
	else
		(void)!write(from[1], &c, 1);
	_exit(0);
}

static void handler(int number)
{
	(void)number;
	data++;
	handled = 1;
}

static void mask(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	pthread_sigmask(how, &set, NULL);
}

static void *has_child(void *arg)
{
	pass(10);
	data++;
	if (fork() == 0)
		_exit(0);
	return arg;
}

static void *is_told(void *arg)
{
	mask(SIG_UNBLOCK);
	while (!handled)
		pass(1);
	return arg;
}

/* ---- by a call that waits for one pipe, and gives to another then ---- */

static void *moves(void *arg)
{
	(void)!splice(to[0], NULL, from[1], NULL, 1, 0);
	pass(300); /* nothing comes behind it until all is over */
	return arg;
}

/* ---- by a pipe that is full ---- */

static void *fills(void *arg)
{
	static char page[4096];

	for (int i = 0; i < 16 + 1; i++)
		(void)!write(to[1], page, sizeof(page));
	data++;
	return arg;
}

static void *empties(void *arg)
{
	static char page[4096];

	pass(50);
	data++;
	(void)!read(to[0], page, sizeof(page));
	return arg;
}

/* ---- by nothing: neighbours ---- */

static void *counts(void *arg)
{
	for (int i = 0; i < 5; i++)
		near.count++;
	return arg;
}

static void *reads_text(void *arg)
{
	for (int i = 0; i < 5; i++)
		sink += strspn(near.text, "abc") + strcspn(near.text, ",") +
			(strstr(near.text, "hi") != NULL);
	return arg;
}

static void *increments(void *arg)
{
	data++;
	return arg;
}

static void *map(int flags, int fd)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE, flags, fd, 0);
}

static void both(void *(*f)(void *), void *(*g)(void *))
{
	pthread_t t, u;

	pthread_create(&t, NULL, f, NULL);
	pthread_create(&u, NULL, g, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int fd = memfd_create("unseen", 0);

	(void)!ftruncate(fd, 4096);
	(void)!pipe(to);
	(void)!pipe(from);
	if (strncmp(mode, "twice", 5) == 0) {
		here = map(MAP_SHARED, fd);
		there = map(MAP_SHARED, fd);
		both(says_there, mode[5] ? looks_there : waits_there);
	} else if (strcmp(mode, "protected") == 0) {
		here = there = map(MAP_PRIVATE | MAP_ANONYMOUS, -1);
		both(protects, looks_there);
	} else if (strcmp(mode, "process") == 0) {
		here = there = map(MAP_SHARED | MAP_ANONYMOUS, -1);
		if (fork() == 0)
			relay(1);
		both(tells, waits_there);
	} else if (strcmp(mode, "pipes") == 0) {
		if (fork() == 0)
			relay(0);
		both(tells, hears);
	} else if (strcmp(mode, "spliced") == 0) {
		pthread_t mover;

		pthread_create(&mover, NULL, moves, NULL);
		both(tells, hears);
		pthread_join(mover, NULL);
	} else if (strcmp(mode, "full") == 0) {
		fcntl(to[1], F_SETPIPE_SZ, 16 * 4096);
		both(fills, empties);
	} else if (strcmp(mode, "child") == 0) {
		signal(SIGCHLD, handler);
		mask(SIG_BLOCK);
		both(has_child, is_told);
	} else if (strcmp(mode, "neighbour") == 0) {
		both(counts, reads_text);
	} else {
		both(increments, increments);
	}
	while (wait(NULL) > 0)
		;
	return data == 2 || near.count == 5 ? 0 : 1;
}
