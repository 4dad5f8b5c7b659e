/*
 * Memory that is used after its free, in order: nothing races, and it is wrong all the same.  And
 * memory that only looks so, for somebody has got it again.  The argument says which.
 */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct job {
	long pad[4]; /* what the allocator writes over */
	pthread_mutex_t mutex;
	int result;
};

static struct job *job;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

static void *end_job(void *arg)
{
	pthread_mutex_lock(&guard);
	free(job);
	pthread_mutex_unlock(&guard);
	return arg;
}

static void run(void *(*f)(void *))
{
	pthread_t t;

	pthread_create(&t, NULL, f, NULL);
	pthread_join(t, NULL);
}

/* ---- what a thread does after it has read what the allocator left there */

static int both;

static void *write_both(void *arg)
{
	both = 1;
	return arg;
}

static void go_on(struct job *volatile freed)
{
	pthread_t t;

	pthread_create(&t, NULL, write_both, NULL);
	free(freed);
	if (freed->pad[0] == 12345)
		puts("a number of the allocator's");
	both = 2;
	pthread_join(t, NULL);
}

/* ---- got again without an event: in the last round of destructors, when its thread is recorded no more */

static pthread_key_t key;

static void last_words(void *rounds)
{
	if ((long)rounds == 1)
		free(job);
	if ((long)rounds < PTHREAD_DESTRUCTOR_ITERATIONS)
		pthread_setspecific(key, (void *)((long)rounds + 1));
	else
		job = malloc(sizeof(*job));
}

static void *speak_last(void *arg)
{
	job = malloc(sizeof(*job));
	job->result = 1;
	pthread_setspecific(key, (void *)1);
	return arg;
}

/* ---- got again by a bare system call */

static void map_again(void)
{
	size_t n = 1 << 19;
	char *p = malloc(n), *page = (char *)((unsigned long)p & ~4095ul);

	p[100] = 1;
	free(p);
	syscall(SYS_mmap, page, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		-1, 0);
	p[100] = 2;
}

/* ---- a block that is parted out by the program */

static void part_out(void)
{
	char *arena = malloc(1000), *one = arena, *two;

	one[0] = 1;
	two = one; /* given back to the arena, and out again */
	two[0] = 2;
	free(arena);
	arena = malloc(1000);
	arena[0] = 3;
	free(arena);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	struct job *volatile same;

	job = malloc(sizeof(*job));
	job->result = 1;
	pthread_mutex_init(&job->mutex, NULL);
	same = job;
	if (strcmp(what, "own") == 0) {
		free(same);
		return same->result == 7;
	} else if (strcmp(what, "write") == 0) {
		run(end_job);
		same->result = 2;
	} else if (strcmp(what, "goes-on") == 0) {
		go_on(same);
	} else if (strcmp(what, "lock") == 0) {
		run(end_job);
		pthread_mutex_lock(&same->mutex);
	} else if (strcmp(what, "twice") == 0) {
		free(job);
		free(same);
	} else if (strcmp(what, "clear") == 0) {
		run(end_job);
		memset(&same->mutex, 0, sizeof(same->mutex));
	} else if (strcmp(what, "again") == 0) {
		free(job);
		job = malloc(sizeof(*job));
		printf("%d %d\n", job == same, same->result);
	} else if (strcmp(what, "grown") == 0) {
		job = realloc(job, 4000);
		job = realloc(job, 3900);
		job->result = 4;
	} else if (strcmp(what, "unseen") == 0) {
		pthread_key_create(&key, last_words);
		run(speak_last);
		printf("%d\n", job->result);
	} else if (strcmp(what, "mapped") == 0) {
		map_again();
	} else if (strcmp(what, "arena") == 0) {
		part_out();
	} else {
		return 2;
	}
	return 0;
}
