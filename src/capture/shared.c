/*
 *	T1                                    T2
 *	x = 1
 *	w map+64          no bytes known      r map+64   sees T1's write, so x = 1 is before it
 *	pwrite(fd, 64)
 *	w map+64          no bytes known      r map+64
 *
 * Both writes are records without bytes.  The first one comes before the kernel's, so a thread that
 * reads the new bytes comes after what T1 did; one that still reads the old bytes is ordered more
 * than need be. The second one invalidates what such a reader has recorded of the bytes.
 *
 * What other processes write cannot be seen: the trace says of such a mapping that others may write
 * to it (FORMAT_ALLOC_SHARED).  Not seen either: stores to a mapping that are then read from the
 * file; mappings past the table.
 */
#include "capture/shared.h"

#include <sys/shm.h>
#include <sys/stat.h>

#include "capture/channel.h"
#include "capture/range.h"
#include "capture/sync.h"

#define MAPPINGS 64u

struct mapping {
	uintptr_t at; /* 0: none */
	size_t n;
	dev_t device;
	ino_t inode; /* 0: of no file, and shared with children only; of System V: 1, on no device */
	off_t offset;
};

static struct mapping mappings[MAPPINGS]; /* guarded by lock */
static struct sys_lock lock;		  /* taken inside a hook, or by a thread without one */
uint32_t shared_used;			  /* a bound on the entries */
static bool is_full;			  /* atomic: there were more */

static bool file_stat(int fd, struct stat *st)
{
	SYS_KEEPS_ERRNO;

	return syscall(SYS_fstat, fd, st) == 0;
}

static void add(const struct mapping *m)
{
	uint32_t i;

	SYS_HOLD(&lock);
	for (i = 0; i < MAPPINGS && mappings[i].at != 0; i++)
		;
	if (i < MAPPINGS) {
		mappings[i] = *m;
		if (shared_used <= i)
			__atomic_store_n(&shared_used, i + 1, __ATOMIC_RELAXED);
	} else {
		__atomic_store_n(&is_full, true, __ATOMIC_RELAXED);
	}
}

void shared_add(void *p, size_t n, int fd, off_t offset)
{
	struct stat st = { 0 };

	if (fd == -1 || file_stat(fd, &st))
		add(&(struct mapping){ (uintptr_t)p, n, st.st_dev, st.st_ino, offset });
}

void shared_attached(void *p, int id)
{
	struct shmid_ds state;
	SYS_KEEPS_ERRNO;

	if (shmctl(id, IPC_STAT, &state) == 0)
		add(&(struct mapping){ (uintptr_t)p, state.shm_segsz, .inode = 1 });
}

bool shared_is_elsewhere(const void *p)
{
	SYS_HOLD(&lock);
	for (uint32_t i = 0; i < shared_used; i++)
		if (mappings[i].at != 0 && (uintptr_t)p - mappings[i].at < mappings[i].n)
			return mappings[i].inode != 0 || channel_has_forked();
	return __atomic_load_n(&is_full, __ATOMIC_RELAXED);
}

void shared_remove(const void *p, size_t n)
{
	uintptr_t from = (uintptr_t)p;

	if (__atomic_load_n(&shared_used, __ATOMIC_RELAXED) == 0)
		return;
	SYS_HOLD(&lock);
	for (uint32_t i = 0; i < shared_used; i++) {
		struct mapping *m = &mappings[i];

		if (m->at - from < n)
			m->at = 0;
		else if (from - m->at < m->n)
			m->n = from - m->at;
	}
}

bool shared_move(const void *p, void *to, size_t n)
{
	if (p == NULL || __atomic_load_n(&shared_used, __ATOMIC_RELAXED) == 0)
		return false;
	SYS_HOLD(&lock);
	for (uint32_t i = 0; i < shared_used; i++)
		if (mappings[i].at == (uintptr_t)p) {
			mappings[i].at = (uintptr_t)to;
			mappings[i].n = n;
			return true;
		}
	return false;
}

/* The bytes [at, at + n) of the file, where m shows them. */
static void mapping_touch(struct thread *t, const struct mapping *m, off_t at, size_t n, bool begun)
{
	off_t from = at > m->offset ? at : m->offset;
	off_t end =
		at + (off_t)n < m->offset + (off_t)m->n ? at + (off_t)n : m->offset + (off_t)m->n;

	if (from < end)
		range_hidden(t, (void *)(m->at + (uintptr_t)(from - m->offset)),
			     (size_t)(end - from), t->view.call_site, begun);
}

static void touch(const struct stat *st, off_t at, size_t n, bool begun)
{
	HOOK(t) {
		SYS_HOLD(&lock);

		ASSERT_RECORDING(shared_used <= MAPPINGS);
		for (uint32_t i = 0; i < shared_used; i++)
			if (mappings[i].at != 0 && mappings[i].inode == st->st_ino &&
			    mappings[i].device == st->st_dev)
				mapping_touch(t, &mappings[i], at, n, begun);
	}
}

/* Where the next plain write to fd goes. */
static off_t position(int fd, const struct stat *st)
{
	SYS_KEEPS_ERRNO;

	return syscall(SYS_fcntl, fd, F_GETFL) & O_APPEND ? st->st_size
							  : syscall(SYS_lseek, fd, 0, SEEK_CUR);
}

off_t shared_write_begin(int fd, off_t at, size_t n)
{
	struct stat st;

	if (__atomic_load_n(&shared_used, __ATOMIC_RELAXED) == 0 || !file_stat(fd, &st) ||
	    !S_ISREG(st.st_mode))
		return SHARED_HERE;
	if (at == SHARED_HERE)
		at = position(fd, &st);
	if (at >= 0)
		touch(&st, at, n, true);
	return at;
}

void shared_write_end(int fd, off_t at, ssize_t n)
{
	struct stat st;

	if (at >= 0 && n > 0 && file_stat(fd, &st))
		touch(&st, at, (size_t)n, false);
}
