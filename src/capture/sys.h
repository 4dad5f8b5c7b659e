/*
 * System calls the runtime makes for itself, past its own interposed names,
 * and a lock that is not the program's.
 */
#ifndef CAPTURE_SYS_H
#define CAPTURE_SYS_H

#include <errno.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline void *sys_mmap(void *at, size_t n, int prot, int flags, int fd, uint64_t offset)
{
	return (void *)syscall(SYS_mmap, at, n, prot, flags, fd, offset);
}

static inline void sys_munmap(void *at, size_t n)
{
	syscall(SYS_munmap, at, n);
}

/* Zeroed private memory, or NULL. */
static inline void *sys_pages(size_t n)
{
	void *p = sys_mmap(NULL, n, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
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

/* 0 free, 1 held, 2 held and wanted. */
struct sys_lock {
	uint32_t word;
};

static inline void sys_lock_take(struct sys_lock *l)
{
	uint32_t was = 0;

	if (__atomic_compare_exchange_n(&l->word, &was, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	while (__atomic_exchange_n(&l->word, 2, __ATOMIC_ACQUIRE) != 0)
		syscall(SYS_futex, &l->word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static inline void sys_lock_drop(struct sys_lock *l)
{
	if (__atomic_exchange_n(&l->word, 0, __ATOMIC_RELEASE) == 2)
		syscall(SYS_futex, &l->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

#endif /* CAPTURE_SYS_H */
