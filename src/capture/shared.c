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
#define UNSTEADY 64u
#define PAGE 4096u

struct mapping {
	uintptr_t at; /* 0: none */
	size_t n;
	dev_t device;
	ino_t inode; /* 0: of no file, and shared with children only; of System V: 1, plus its number, on no device */
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

/* Told once each, and of all memory if there are more. */
static void unsteady(uintptr_t at, size_t n)
{
	static struct {
		uintptr_t at;
		size_t n;
	} told[UNSTEADY]; /* guarded by lock */
	static uint32_t ntold;

	for (uint32_t i = 0; i < ntold; i++)
		if (at - told[i].at < told[i].n && n <= told[i].n - (at - told[i].at))
			return;
	if (ntold + 1 == UNSTEADY) {
		at = 0;
		n = SIZE_MAX;
	}
	told[ntold].at = at;
	told[ntold++].n = n;
	log_control_memory(FORMAT_K_C_UNSTEADY, at, n);
}

void shared_unsteady(const void *p, size_t n)
{
	SYS_HOLD(&lock);
	unsteady((uintptr_t)p, n);
}

static bool is_same(const struct mapping *a, const struct mapping *b)
{
	return a->at != 0 && a->inode != 0 && a->inode == b->inode && a->device == b->device &&
	       a->offset < b->offset + (off_t)b->n && b->offset < a->offset + (off_t)a->n;
}

/* What a store through one of two mappings leaves in the other is not recorded. */
static void alias(const struct mapping *m)
{
	for (uint32_t i = 0; i < shared_used; i++)
		if (is_same(&mappings[i], m)) {
			unsteady(mappings[i].at, mappings[i].n);
			unsteady(m->at, m->n);
		}
	if (__atomic_load_n(&is_full, __ATOMIC_RELAXED))
		unsteady(m->at, m->n);
}

static void put(const struct mapping *m)
{
	uint32_t i;

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

static void add(const struct mapping *m)
{
	SYS_HOLD(&lock);
	alias(m);
	put(m);
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
		add(&(struct mapping){ (uintptr_t)p, state.shm_segsz, .inode = 1 + (ino_t)id });
}

bool shared_is_elsewhere(const void *p)
{
	SYS_HOLD(&lock);
	for (uint32_t i = 0; i < shared_used; i++)
		if (mappings[i].at != 0 && (uintptr_t)p - mappings[i].at < mappings[i].n)
			return mappings[i].inode != 0 || channel_has_forked();
	return __atomic_load_n(&is_full, __ATOMIC_RELAXED);
}

/* m, as far as it lies in [from, to). */
static void put_part(struct mapping m, uintptr_t from, uintptr_t to)
{
	uintptr_t end = m.at + m.n < to ? m.at + m.n : to;

	if (from < m.at)
		from = m.at;
	if (from >= end)
		return;
	m.offset += (off_t)(from - m.at);
	m.at = from;
	m.n = end - from;
	put(&m);
}

void shared_remove(const void *p, size_t n)
{
	uintptr_t from = (uintptr_t)p, to = (from + n + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
	uint32_t before = __atomic_load_n(&shared_used, __ATOMIC_RELAXED);

	if (before == 0)
		return;
	SYS_HOLD(&lock);
	for (uint32_t i = 0; i < before; i++) {
		struct mapping m = mappings[i];

		if (m.at == 0 || m.at >= to || from >= m.at + m.n)
			continue;
		mappings[i].at = 0;
		put_part(m, m.at, from);
		put_part(m, to, UINTPTR_MAX);
	}
}

void shared_detached(const void *p)
{
	uint32_t used = __atomic_load_n(&shared_used, __ATOMIC_RELAXED);

	if (used == 0)
		return;
	SYS_HOLD(&lock);
	for (uint32_t i = 0; i < used; i++)
		if (mappings[i].at == (uintptr_t)p)
			mappings[i].at = 0;
}

bool shared_move(const void *p, size_t had, void *to, size_t n)
{
	uint32_t used = __atomic_load_n(&shared_used, __ATOMIC_RELAXED);
	uintptr_t from = (uintptr_t)p;

	if (p == NULL || used == 0)
		return false;
	SYS_HOLD(&lock);
	for (uint32_t i = 0; i < used; i++) {
		struct mapping m = mappings[i], now = m;

		if (m.at == 0 || from - m.at >= m.n)
			continue;
		now.at = (uintptr_t)to;
		now.n = n;
		now.offset += (off_t)(from - m.at);
		if (had == 0) {
			alias(&now);
		} else {
			mappings[i].at = 0;
			put_part(m, m.at, from);
			put_part(m, from + had, UINTPTR_MAX);
		}
		put(&now);
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
