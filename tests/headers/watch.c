/* Never recorded: see watch.h. */
#include "watch.h"

#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned char kept[4096];

long watch_find(const void *p, size_t n, int fill)
{
	const unsigned char *at = p;

	for (size_t i = 0; i < n; i++)
		if (at[i] != fill)
			return (long)i;
	return -1;
}

void watch_keep(const void *p, size_t n)
{
	memcpy(kept, p, n);
}

long watch_changed(const void *p, size_t n)
{
	const unsigned char *at = p;

	for (size_t i = 0; i < n; i++)
		if (at[i] != kept[i])
			return (long)i;
	return -1;
}

uint64_t watch_word(const uint64_t *p)
{
	return *p;
}

void watch_rewind(FILE *f, int fd)
{
	rewind(f);
	lseek(fd, 0, SEEK_SET);
}

/* A system call past the runtime, which stands in for syscall(). */
static long bare(long number, long a, long b, long c, long d)
{
	register long last __asm__("r10") = d;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(number), "D"(a), "S"(b), "d"(c), "r"(last)
			 : "rcx", "r11", "memory");
	return result;
}

static int is_other(const char *task)
{
	static const char other[] = WATCH_OTHER "\n";
	char path[64], name[32] = "";
	long fd;

	snprintf(path, sizeof(path), "/proc/self/task/%s/comm", task);
	fd = bare(SYS_openat, AT_FDCWD, (long)path, O_RDONLY, 0);
	if (fd < 0)
		return 0;
	bare(SYS_read, fd, (long)name, sizeof(name) - 1, 0);
	bare(SYS_close, fd, 0, 0, 0);
	return !strcmp(name, other);
}

static int other_runs(void)
{
	_Alignas(8) char room[8192];
	long fd = bare(SYS_openat, AT_FDCWD, (long)"/proc/self/task", O_RDONLY | O_DIRECTORY, 0);
	int found = 0;
	long n;

	while ((n = bare(SYS_getdents64, fd, (long)room, sizeof(room), 0)) > 0)
		for (long at = 0; at < n;) {
			const struct entry {
				uint64_t inode, offset;
				uint16_t length;
				uint8_t type;
				char name[];
			} *e = (const void *)(room + at);

			found |= is_other(e->name);
			at += e->length;
		}
	bare(SYS_close, fd, 0, 0, 0);
	return found;
}

void watch_called(int i)
{
	struct rlimit files;

	bare(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, (long)&files);
	files.rlim_cur = (rlim_t)WATCH_FILES(i);
	bare(SYS_prlimit64, 0, RLIMIT_NOFILE, (long)&files, 0);
	while (other_runs())
		bare(SYS_sched_yield, 0, 0, 0, 0);
}
