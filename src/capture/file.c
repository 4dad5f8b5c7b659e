#include "capture/file.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include "capture/real.h"

#define PAGE 4096u
/* By how many slots the file grows: few at first, for small recordings; then it doubles their
 * number. */
#define MORE_SLOTS 64u
static const struct {
	uint32_t bytes, first, most;
} sizes[FILE_SIZES] = {
	{ PAGE, 4, MORE_SLOTS },
	{ 4 * PAGE, 1, 32 },
	{ FORMAT_SLOT_SIZE, 1, 16 },
};
#define HIGH_DESCRIPTOR 900

static struct {
	int fd;	      /* atomic; -1: none */
	bool nowhere; /* nothing is kept: slots are memory of this process, and what is full is dropped */
	dev_t device; /* what it must be open on */
	ino_t inode;
	char path[PATH_MAX]; /* to open it again */
	struct sys_lock reopening;
	uint64_t end;	      /* atomic: where the next block goes */
	struct sys_lock lock; /* guards what follows */
	struct slots {
		struct format_chunk **free; /* a stack; as many as there can be threads */
		size_t nfree, n;
	} slots[FILE_SIZES];
} file = { .fd = -1 };

/*
 * --keep.  Closed chunks of threads go into areas; when these take as many bytes as were asked for,
 * the oldest is emptied and used again.
 *
 *	| area 9 | area 10 | area 11 ..... | area 7 | area 8 |
 *	                        ^used       ^next to be emptied
 *
 * Killed at any moment, the program leaves areas that can be read: one that is being emptied says
 * so before the first byte goes, and says that it is a new one after the last.
 */
#define AREAS 16u /* that the bytes are cut into */
#define AREAS_MORE 16u
#define AREAS_FEW 4u
#define AREA_LEAST (4 * FORMAT_SLOT_SIZE + PAGE) /* bytes */

struct area {
	uint64_t at, used;   /* where it is; bytes given away, its head among them */
	uint32_t generation; /* 0: its content is given up, though a thread still writes there */
	uint32_t writers;    /* atomic: threads that write a chunk there and are not done */
};

static struct {
	struct sys_lock lock; /* guards all below */
	uint64_t length;      /* of an area; 0: nothing is ever dropped */
	uint32_t most;
	uint32_t n, now; /* areas there are; the one that is being filled */
	uint32_t begun;	 /* atomic: the last generation */
	bool is_short;	 /* atomic: fewer than were asked for */
	struct area at[AREAS + AREAS_MORE];
} areas;

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

/* Out of the way of programs that count on low descriptor numbers. */
static int descriptor_raise(int fd)
{
	struct rlimit r;
	int low = HIGH_DESCRIPTOR, high;

	if (getrlimit(RLIMIT_NOFILE, &r) == 0 && r.rlim_cur < (rlim_t)low + 4)
		low = r.rlim_cur > 8 ? (int)r.rlim_cur - 4 : 4;
	high = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, low);
	if (high >= 0)
		syscall(SYS_close, fd);
	return high >= 0 ? high : fd;
}

static bool descriptor_is_ours(int fd)
{
	struct stat st;

	return fd >= 0 && syscall(SYS_fstat, fd, &st) == 0 && st.st_dev == file.device &&
	       st.st_ino == file.inode;
}

static int descriptor_reopen(void)
{
	SYS_HOLD(&file.reopening);
	int fd = __atomic_load_n(&file.fd, __ATOMIC_RELAXED);

	if (!descriptor_is_ours(fd)) {
		fd = (int)syscall(SYS_openat, AT_FDCWD, file.path, O_RDWR | O_CLOEXEC);
		if (fd >= 0 && !descriptor_is_ours(fd)) { /* another file has the name */
			syscall(SYS_close, fd);
			fd = -1;
			errno = ESTALE;
		}
		if (fd >= 0) {
			fd = descriptor_raise(fd);
			__atomic_store_n(&file.fd, fd, __ATOMIC_RELEASE);
		}
	}
	return fd;
}

/*
 * The descriptor, when it is about to be used.  Programs close what they do not know, up to the
 * highest number, or open something of their own under its number: that must not be written to.  Asking
 * the kernel takes a fraction of a microsecond, once for a chunk.
 */
static int descriptor(void)
{
	int fd = __atomic_load_n(&file.fd, __ATOMIC_ACQUIRE);

	if (fd < 0) {
		errno = EBADF;
		return -1;
	}
	return descriptor_is_ours(fd) ? fd : descriptor_reopen();
}

bool file_is_descriptor(int fd)
{
	return fd >= 0 && fd == __atomic_load_n(&file.fd, __ATOMIC_RELAXED);
}

static bool write_all(const void *data, size_t n, uint64_t at)
{
	const char *p = data;
	int fd;

	if (file.nowhere)
		return true;
	fd = fits(at + n) ? descriptor() : -1;
	if (fd < 0)
		return false;
	while (n > 0) {
		ssize_t w = syscall(SYS_pwrite64, fd, p, n, at);

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

static void areas_init(uint64_t keep)
{
	areas.length = keep / AREAS / PAGE * PAGE;
	if (areas.length < AREA_LEAST)
		areas.length = AREA_LEAST;
	areas.most = keep / areas.length < AREAS ? (uint32_t)(keep / areas.length) : AREAS;
	if (areas.most < AREAS_FEW)
		areas.most = AREAS_FEW;
}

/* The file is there, and empty. */
static bool file_begin(int fd, const char *path, uint32_t flags, uint64_t keep)
{
	struct format_file head = { .magic = FORMAT_MAGIC,
				    .version = FORMAT_VERSION,
				    .header_size = sizeof(head),
				    .flags = flags | (keep != 0 ? FORMAT_KEEP : 0),
				    .pid = (uint32_t)getpid() };
	struct timespec now;
	struct stat st;

	if (!file.nowhere && syscall(SYS_fstat, fd, &st) != 0)
		return false;
	if (!file.nowhere) {
		file.device = st.st_dev;
		file.inode = st.st_ino;
		file.fd = descriptor_raise(fd);
	}
	if (strlen(path) < sizeof(file.path))
		memcpy(file.path, path, strlen(path) + 1);
	sys_clock(CLOCK_REALTIME, &now);
	head.start_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	file.end = sizeof(head);
	for (unsigned i = 0; i < FILE_SIZES; i++) {
		file.slots[i].free = sys_pages(sizeof(*file.slots[i].free) *
					       ((1u << FORMAT_TID_BITS) + MORE_SLOTS));
		if (file.slots[i].free == NULL)
			return false;
	}
	if (keep != 0)
		areas_init(keep);
	return write_all(&head, sizeof(head), 0);
}

bool file_create(const char *path, uint32_t flags, uint64_t keep)
{
	int fd = -1, error;

	file.nowhere = *path == '\0';
	if (!file.nowhere)
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0 && !file.nowhere)
		return false;
	if (file_begin(fd, path, flags, keep))
		return true;
	error = errno; /* an empty file must not stay: it would be taken for a trace */
	file_close();
	(void)unlink(path);
	errno = error;
	return false;
}

void file_close(void)
{
	file.fd = -1; /* the kernel closes it; a thread may be writing still */
}

void file_owner(uint32_t pid)
{
	(void)write_all(&pid, sizeof(pid), offsetof(struct format_file, pid));
}

void file_became(bool became)
{
	uint8_t ended = became ? FORMAT_ENDED_BECAME : 0;

	(void)write_all(&ended, sizeof(ended), offsetof(struct format_file, ended));
}

void file_fault(uint8_t signal, uint32_t tid)
{
	(void)write_all(&signal, sizeof(signal), offsetof(struct format_file, fault_signal));
	(void)write_all(&tid, sizeof(tid), offsetof(struct format_file, fault_tid));
}

void file_follow(void)
{
	for (unsigned i = 0; i < FILE_SIZES; i++)
		file.slots[i].nfree = 0;
}

/* Not by the C library's function, in which a thread may be cancelled. */
static bool allocate(int mode, uint64_t at, uint64_t n)
{
	int fd = descriptor();

	return fd >= 0 && syscall(SYS_fallocate, fd, mode, at, n) == 0;
}

/* Blocks are asked for this far ahead, without changing the file's size; it
 * takes a third off the time that writing takes.  Areas are asked for as they are made. */
#define AHEAD (64u << 20)

static uint64_t reserve(uint64_t n)
{
	uint64_t at;

	n = (n + FORMAT_ALIGN - 1) / FORMAT_ALIGN * FORMAT_ALIGN;
	at = __atomic_fetch_add(&file.end, n, __ATOMIC_RELAXED);
	if (areas.length == 0 && at / AHEAD != (at + n) / AHEAD && fits(at + 2 * (uint64_t)AHEAD))
		(void)allocate(FALLOC_FL_KEEP_SIZE, ((at + n) / AHEAD + 1) * AHEAD, AHEAD);
	return at;
}

uint32_t file_slot_bytes(unsigned size)
{
	return sizes[size].bytes;
}

/* The slots of an extent that begins at this byte; NULL, errno set: there is no room. */
static char *extent_map(int fd, uint64_t at, const struct format_slots *head)
{
	uint64_t bytes = (uint64_t)head->count * head->size;
	char *slots;

	if (!fits(at + head->length))
		return NULL;
	/* Blocks must be there before they are touched, or the program gets SIGBUS. */
	if ((errno = REAL(posix_fallocate)(fd, (off_t)at, (off_t)head->length)) != 0)
		return NULL;
	slots = sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at + head->first);
	if (slots == MAP_FAILED || !write_all(head, sizeof(*head), at))
		return NULL;
	madvise(slots, bytes, MADV_DONTFORK);
	return slots;
}

/* New slots at the end of the file.  Called with the lock held. */
static bool add_extent(unsigned size)
{
	struct slots *s = &file.slots[size];
	uint32_t as_many = s->n < sizes[size].most ? (uint32_t)s->n : sizes[size].most;
	struct format_slots head = { .magic = FORMAT_SLOTS,
				     .count = s->n == 0 ? sizes[size].first : as_many,
				     .size = sizes[size].bytes };
	uint64_t bytes = (uint64_t)head.count * head.size, at, first;
	int fd = file.nowhere ? -1 : descriptor();
	char *slots;

	if (fd < 0 && !file.nowhere)
		return false;
	/* Slots start on a page of their own: reserve for the worst case. */
	head.length = bytes + PAGE + FORMAT_ALIGN;
	at = reserve(head.length);
	first = (at + sizeof(head) + PAGE - 1) / PAGE * PAGE;
	head.first = (uint32_t)(first - at);
	slots = file.nowhere ? sys_pages(bytes) : extent_map(fd, at, &head);
	if (slots == NULL)
		return false;
	if (!ASSERT_RECORDING(s->nfree + head.count <= (1u << FORMAT_TID_BITS) + MORE_SLOTS))
		return false;
	s->n += head.count;
	for (unsigned i = head.count; i-- > 0;)
		s->free[s->nfree++] = (void *)(slots + (size_t)i * head.size);
	return true;
}

struct format_chunk *file_slot_take(unsigned size)
{
	SYS_HOLD(&file.lock);
	struct slots *s = &file.slots[size];

	return s->nfree != 0 || add_extent(size) ? s->free[--s->nfree] : NULL;
}

void file_slot_give(struct format_chunk *slot, unsigned size)
{
	struct slots *s = &file.slots[size];

	/* The chunk must not outlive the older chunks that --keep drops. */
	if (areas.length != 0)
		__atomic_store_n(&slot->magic, 0, __ATOMIC_RELEASE);
	SYS_HOLD(&file.lock);
	if (ASSERT_RECORDING(slot != NULL && s->nfree < s->n))
		s->free[s->nfree++] = slot;
}

bool file_append(const void *data, size_t n)
{
	return write_all(data, n, reserve(n));
}

/* ---- areas; areas.lock held ---- */

static bool area_head(const struct area *a, uint32_t generation)
{
	struct format_area head = { .magic = FORMAT_AREA,
				    .generation = generation,
				    .length = areas.length };

	return write_all(&head, sizeof(head), a->at);
}

static bool zero(uint64_t at, uint64_t n)
{
	static const char zeros[16 * PAGE];

	if (allocate(FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, at, n) ||
	    allocate(FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at, n))
		return true;
	for (size_t k; n > 0; n -= k, at += k) {
		k = n < sizeof(zeros) ? n : sizeof(zeros);
		if (!write_all(zeros, k, at))
			return false;
	}
	return true;
}

/* One more, at the end of the file; NULL, errno set: there is no room. */
static struct area *area_add(void)
{
	struct area *a = &areas.at[areas.n];

	if (areas.n == AREAS + AREAS_MORE) {
		errno = EBUSY;
		return NULL;
	}
	*a = (struct area){ .at = reserve(areas.length) };
	if (!fits(a->at + areas.length))
		return NULL;
	/* Not every file system can; then a full disk shows when the area is written to. */
	if (!allocate(0, a->at, areas.length) && errno != EOPNOTSUPP)
		return NULL;
	areas.n++;
	return a;
}

/* Empties the oldest.  One that a thread is still writing to is marked as given up and passed
 * over until the thread is done: it may be stopped for long, or have died there. */
static struct area *area_again(void)
{
	struct area *oldest;

	for (;;) {
		oldest = NULL;
		for (uint32_t i = 0; i < areas.n; i++) {
			struct area *a = &areas.at[i];
			bool busy = __atomic_load_n(&a->writers, __ATOMIC_ACQUIRE) != 0;

			if (i != areas.now && !(a->generation == 0 && busy) &&
			    (oldest == NULL || a->generation < oldest->generation))
				oldest = a;
		}
		if (oldest == NULL)
			return area_add();
		oldest->generation = 0;
		if (!area_head(oldest, 0))
			return NULL;
		if (__atomic_load_n(&oldest->writers, __ATOMIC_ACQUIRE) == 0)
			return zero(oldest->at + sizeof(struct format_area),
				    areas.length - sizeof(struct format_area))
				       ? oldest
				       : NULL;
	}
}

static bool area_begin(void)
{
	struct area *a = areas.n < areas.most ? area_add() : area_again();

	/* A full disk is no reason to stop while there is something old to drop. */
	if (a == NULL && areas.n < areas.most && areas.n >= AREAS_FEW) {
		areas.most = areas.n;
		__atomic_store_n(&areas.is_short, true, __ATOMIC_RELAXED);
		a = area_again();
	}
	if (a == NULL || !area_head(a, areas.begun + 1))
		return false;
	a->generation = areas.begun + 1;
	a->used = sizeof(struct format_area);
	areas.now = (uint32_t)(a - areas.at);
	ASSERT_RECORDING(areas.now < areas.n && areas.n <= AREAS + AREAS_MORE);
	__atomic_store_n(&areas.begun, a->generation, __ATOMIC_RELAXED);
	return true;
}

/* Takes room in an area and writes the chunk's head there: so heads follow each other without a
 * hole, even if the program is killed before the rest is written. */
static struct area *area_take(const struct format_chunk *c, uint64_t *at)
{
	uint64_t n = (sizeof(*c) + c->used + FORMAT_ALIGN - 1) / FORMAT_ALIGN * FORMAT_ALIGN;
	struct area *a = NULL;
	SYS_HOLD(&areas.lock);

	if (areas.begun != 0)
		a = &areas.at[areas.now];
	if (a == NULL || a->used + n > areas.length)
		a = area_begin() ? &areas.at[areas.now] : NULL;
	if (a != NULL && !write_all(c, sizeof(*c), a->at + a->used))
		a = NULL;
	if (a != NULL) {
		ASSERT_RECORDING(a->used + n <= areas.length && a->generation == areas.begun);
		*at = a->at + a->used;
		a->used += n;
		__atomic_add_fetch(&a->writers, 1, __ATOMIC_RELAXED);
	}
	return a;
}

bool file_append_chunk(const struct format_chunk *c)
{
	struct area *a;
	uint32_t writers;
	uint64_t at;
	bool good;

	if (areas.length == 0)
		return file_append(c, sizeof(*c) + c->used);
	a = area_take(c, &at);
	if (a == NULL)
		return false;
	good = write_all(c + 1, c->used, at + sizeof(*c));
	writers = __atomic_fetch_sub(&a->writers, 1, __ATOMIC_RELEASE);
	return ASSERT_RECORDING(writers != 0) && good;
}

uint32_t file_generation(void)
{
	return __atomic_load_n(&areas.begun, __ATOMIC_RELAXED);
}

bool file_is_short(void)
{
	return __atomic_exchange_n(&areas.is_short, false, __ATOMIC_RELAXED);
}
