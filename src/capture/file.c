#include "capture/file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "capture/sys.h"

/* Slots that the file grows by: few at first, for small recordings. */
#define FIRST_SLOTS 4u
#define MORE_SLOTS 16u
#define PAGE 4096u

static struct {
	int fd;
	uint64_t end;		    /* atomic: where the next block goes */
	struct sys_lock lock;	    /* guards what follows */
	struct format_chunk **free; /* a stack of slots; as many as there can be threads */
	size_t nfree, nslots;
} file = { .fd = -1 };

/* Beyond RLIMIT_FSIZE the kernel would send the program a SIGXFSZ. */
static bool fits(uint64_t end)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_FSIZE, &r) == 0 && r.rlim_cur != RLIM_INFINITY && end > r.rlim_cur) {
		errno = EFBIG;
		return false;
	}
	return true;
}

static bool write_all(const void *data, size_t n, uint64_t at)
{
	const char *p = data;

	if (!fits(at + n))
		return false;
	while (n > 0) {
		ssize_t w = syscall(SYS_pwrite64, file.fd, p, n, at);

		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0) {
			if (w == 0)
				errno = ENOSPC;
			return false;
		}
		p += w;
		n -= (size_t)w;
		at += (uint64_t)w;
	}
	return true;
}

bool file_create(const char *path, uint32_t flags)
{
	struct format_file head = { .magic = FORMAT_MAGIC,
				    .version = FORMAT_VERSION,
				    .header_size = sizeof(head),
				    .flags = flags,
				    .pid = (uint32_t)getpid() };
	struct timespec now;
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	int high;

	if (fd < 0)
		return false;
	/* Out of the way of programs that count on low descriptor numbers. */
	high = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 900);
	if (high >= 0) {
		syscall(SYS_close, fd);
		fd = high;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	head.start_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	file.fd = fd;
	file.end = sizeof(head);
	file.free = sys_pages(sizeof(*file.free) << FORMAT_TID_BITS);
	return file.free != NULL && write_all(&head, sizeof(head), 0);
}

void file_close(void)
{
	file.fd = -1; /* the kernel closes it; a thread may be writing still */
}

/* Blocks are asked for this far ahead, without changing the file's size; it
 * takes a third off the time that writing takes. */
#define AHEAD (64u << 20)

static uint64_t reserve(uint64_t n)
{
	uint64_t at;

	n = (n + FORMAT_ALIGN - 1) / FORMAT_ALIGN * FORMAT_ALIGN;
	at = __atomic_fetch_add(&file.end, n, __ATOMIC_RELAXED);
	if (at / AHEAD != (at + n) / AHEAD && fits(at + 2 * (uint64_t)AHEAD))
		(void)fallocate(file.fd, FALLOC_FL_KEEP_SIZE, (off_t)((at + n) / AHEAD + 1) * AHEAD,
				AHEAD);
	return at;
}

/* New slots at the end of the file.  Called with the lock held. */
static bool add_extent(void)
{
	struct format_slots head = { .magic = FORMAT_SLOTS,
				     .count = file.nslots == 0 ? FIRST_SLOTS : MORE_SLOTS,
				     .size = FORMAT_SLOT_SIZE };
	uint64_t bytes = (uint64_t)head.count * FORMAT_SLOT_SIZE, at, first;
	char *slots;

	/* Slots start on a page of their own: reserve for the worst case. */
	head.length = bytes + PAGE + FORMAT_ALIGN;
	at = reserve(head.length);
	first = (at + sizeof(head) + PAGE - 1) / PAGE * PAGE;
	head.first = (uint32_t)(first - at);
	if (!fits(at + head.length))
		return false;
	/* Blocks must be there before they are touched, or the program gets SIGBUS. */
	if ((errno = posix_fallocate(file.fd, (off_t)at, (off_t)head.length)) != 0)
		return false;
	slots = sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.fd, first);
	if (slots == MAP_FAILED || !write_all(&head, sizeof(head), at))
		return false;
	madvise(slots, bytes, MADV_DONTFORK);
	file.nslots += head.count;
	for (unsigned i = head.count; i-- > 0;) {
		struct format_chunk *slot = (void *)(slots + (size_t)i * FORMAT_SLOT_SIZE);

		file.free[file.nfree++] = slot;
	}
	return true;
}

struct format_chunk *file_slot_take(void)
{
	struct format_chunk *slot = NULL;

	sys_lock_take(&file.lock);
	if (file.nfree != 0 || add_extent())
		slot = file.free[--file.nfree];
	sys_lock_drop(&file.lock);
	return slot;
}

void file_slot_give(struct format_chunk *slot)
{
	sys_lock_take(&file.lock);
	file.free[file.nfree++] = slot;
	sys_lock_drop(&file.lock);
}

bool file_append(const void *data, size_t n)
{
	return write_all(data, n, reserve(n));
}
