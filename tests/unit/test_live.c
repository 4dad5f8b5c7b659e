/*
 * Reading a file while it is written: a process writes as the recorder does, two threads at once, and
 * tells how far they have come; every look at the file finds at least what had been done before
 * it, without a gap, and no damage.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diag.h"
#include "tap.h"
#include "trace/format.h"
#include "trace/trace.h"

#define THREADS 2
#define LOOKS 30u
#define EVENTS 5000000u /* at most */
#define SLOT 8192u
#define FIRST 4096u /* the first slot */

static char path[64];

/* Shared with the writer. */
static struct shared {
	_Atomic uint64_t done[THREADS + 1];
	_Atomic uint64_t end; /* of the file */
	_Atomic bool stop;
} * shared;

static int fd;
static uint8_t *slots;

static void put(const void *bytes, size_t n, uint64_t at)
{
	if (pwrite(fd, bytes, n, (off_t)at) != (ssize_t)n)
		_exit(3);
}

static void chunk_begin(struct format_chunk *c, uint32_t tid, uint32_t number, uint64_t first)
{
	__atomic_store_n(&c->magic, 0, __ATOMIC_RELEASE);
	memset(c + 1, 0, SLOT - sizeof(*c));
	*c = (struct format_chunk){ .tid = tid, .number = number, .first_tseq = first };
	c->start_ns = number;
	__atomic_store_n(&c->magic, FORMAT_CHUNK, __ATOMIC_RELEASE);
}

/* The place is taken first, so that a later chunk may be there before this one. */
static void chunk_close(struct format_chunk *c, uint32_t used, uint64_t nevents)
{
	uint64_t n = (sizeof(*c) + used + 63) & ~(uint64_t)63, at;

	c->used = used;
	c->nevents = nevents;
	c->sum = format_sum(c + 1, used, c->number);
	c->flags = FORMAT_CHUNK_CLOSED;
	c->head_sum = format_head_sum(c);
	at = atomic_fetch_add(&shared->end, n);
	if (c->number % 4 == 0)
		usleep(200);
	put(c, sizeof(*c) + used, at);
}

/* A fence: site, order.  The head comes last. */
static void record_put(uint8_t *at)
{
	uint32_t head = FORMAT_OTHER | FORMAT_K_FENCE << FORMAT_KIND_SHIFT | 2u << FORMAT_LEN_SHIFT;

	at[4] = 1;
	at[5] = 5;
	__atomic_thread_fence(__ATOMIC_RELEASE);
	memcpy(at, &head, 4);
}

static void *writer(void *arg)
{
	uint32_t tid = (uint32_t)(uintptr_t)arg, number = 0, used = 0;
	struct format_chunk *c = (void *)(slots + (tid - 1) * SLOT);
	uint64_t first = 1;

	chunk_begin(c, tid, 0, 1);
	for (uint64_t i = 1; i <= EVENTS && !atomic_load(&shared->stop); i++) {
		if (used + 6 > SLOT - sizeof(*c) - 64) {
			chunk_close(c, used, i - first);
			chunk_begin(c, tid, ++number, i);
			first = i;
			used = 0;
		}
		record_put((uint8_t *)(c + 1) + used);
		used += 6;
		atomic_store(&shared->done[tid], i);
		if (i % 256 == 0)
			usleep(50);
	}
	return NULL;
}

static void write_file(void)
{
	struct format_file head = { .version = FORMAT_VERSION, .header_size = 64 };
	struct format_slots s = { .magic = FORMAT_SLOTS,
				  .count = THREADS,
				  .size = SLOT,
				  .first = FIRST - 64,
				  .length = FIRST - 64 + THREADS * SLOT };
	pthread_t t[THREADS];

	memcpy(head.magic, FORMAT_MAGIC, 8);
	if (ftruncate(fd, FIRST + THREADS * SLOT) != 0)
		_exit(3);
	put(&head, sizeof(head), 0);
	put(&s, sizeof(s), 64);
	slots = mmap(NULL, THREADS * SLOT, PROT_READ | PROT_WRITE, MAP_SHARED, fd, FIRST);
	if (slots == MAP_FAILED)
		_exit(3);
	atomic_store(&shared->end, FIRST + THREADS * SLOT);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, writer, (void *)(i + 1));
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	_exit(0);
}

static unsigned looks, missing, damaged, gaps;

static void look(void)
{
	uint64_t before[THREADS + 1], n[THREADS + 1] = { 0 };
	struct trace_info info;
	struct diag d = { { 0 } };
	struct trace *t;
	struct event e;

	for (unsigned i = 1; i <= THREADS; i++)
		before[i] = atomic_load(&shared->done[i]);
	if (before[1] == 0 || before[2] == 0 || trace_open(path, NULL, &t, &d) != ST_OK)
		return;
	while (trace_next(t, &e, &d) == ST_OK) {
		gaps += e.tseq != n[e.tid] + 1;
		n[e.tid] = e.tseq;
	}
	info = trace_info(t);
	if (info.nnotes != 0 && ++damaged < 4)
		printf("# %s\n", info.notes[0]);
	trace_close(t);
	for (unsigned i = 1; i <= THREADS; i++) {
		if (n[i] < before[i] && ++missing < 4)
			printf("# T%u: %llu events, %llu were done\n", i, (unsigned long long)n[i],
			       (unsigned long long)before[i]);
	}
	looks++;
}

int main(void)
{
	int status;
	pid_t pid;

	snprintf(path, sizeof(path), "/tmp/foresee-live-%d", (int)getpid());
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (shared == MAP_FAILED || fd < 0)
		return 2;
	pid = fork();
	if (pid == 0)
		write_file();
	while (looks < LOOKS && kill(pid, 0) == 0)
		look();
	atomic_store(&shared->stop, true);
	waitpid(pid, &status, 0);
	look();
	TAP_OK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the writer is done");
	TAP_EQ(looks, LOOKS + 1, "many looks at the file");
	TAP_EQ(gaps, 0, "no gaps");
	TAP_EQ(missing, 0, "nothing is missing that had been done");
	TAP_EQ(damaged, 0, "nothing is called damage");
	unlink(path);
	return tap_done();
}
