/*
 * System calls the runtime makes for itself, past its own interposed names,
 * and a lock that is not the program's.
 */
#ifndef CAPTURE_SYS_H
#define CAPTURE_SYS_H

#include <errno.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/fiber.h"

static inline void *sys_mmap(void *at, size_t n, int prot, int flags, int fd, uint64_t offset)
{
	return (void *)syscall(SYS_mmap, at, n, prot, flags, fd, offset);
}

static inline void sys_munmap(void *at, size_t n)
{
	if (!fiber_on) /* else it is there until the end of the run */
		syscall(SYS_munmap, at, n);
}

/* errno is the program's: at the end of the block it is again what it is here. */
#define SYS_KEEPS_ERRNO \
	const int sys_errno_ __attribute__((cleanup(sys_errno_restore), unused)) = errno

static inline void sys_errno_restore(const int *kept)
{
	errno = *kept;
}

/* Zeroed private memory, or NULL. */
static inline void *sys_pages(size_t n)
{
	void *p;

	if (fiber_on)
		return fiber_pages(n);
	p = sys_mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		     -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

/* What a file of /proc says: its beginning, terminated.  How many bytes; 0: it cannot be read. */
size_t sys_read_file(const char *name, char *into, size_t room);

/* The clock as it is, whatever the program is told (baton_clock.c). */
static inline void sys_clock(clockid_t clock, struct timespec *now)
{
	if (syscall(SYS_clock_gettime, clock, now) != 0)
		*now = (struct timespec){ 0 };
}

/* Every running thread of the process passes a full memory barrier. */
static inline void sys_barrier_all(void)
{
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0)
		syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

static inline void sys_barrier_register(void)
{
	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
}

/*
 * A lock of our own: 0 free, else the holder's number, with SYS_WANTED when others wait.
 *
 * A thread may leave in the middle of a hook: a signal handler jumps out of it, an asynchronous
 * cancel ends it.  The locks it holds would stay held, and the program would hang.  So a thread
 * keeps a list of its locks (sys_locks_leave).  Whether it really holds one is decided by the
 * lock's own word, so that list and locks can never disagree.
 */
struct sys_lock {
	uint32_t word;
};

#define SYS_WANTED (1u << 31)

void sys_lock_take(struct sys_lock *l);
void sys_lock_drop(struct sys_lock *l);

/* Takes the lock, and gives it back at the end of the block. */
#define SYS_HOLD(lock)                                                                        \
	struct sys_lock *const sys_held_ __attribute__((cleanup(sys_lock_release), unused)) = \
		(sys_lock_take(lock), lock)

static inline void sys_lock_release(struct sys_lock *const *l)
{
	sys_lock_drop(*l);
}

/*
 * The calling thread has left the hook that took them: its locks are free again.  What they guard
 * may be half done, so recording must stop before anything else.  True: l was among them.
 */
bool sys_locks_leave(const struct sys_lock *l);

#endif /* CAPTURE_SYS_H */
