#include "capture/common.h"

#define HELD_MOST 8u /* more at once are never held */

static uint32_t nnumbers; /* atomic: given away */

/* Locks that this thread holds, wants, or has just given back. */
static __thread struct {
	uint32_t number; /* 0: not yet given; a forked child keeps that of its maker */
	uint32_t n;
	struct sys_lock *at[HELD_MOST];
} held;

static uint32_t own_number(void)
{
	if (held.number == 0)
		held.number = __atomic_add_fetch(&nnumbers, 1, __ATOMIC_RELAXED) & ~SYS_WANTED;
	return held.number;
}

static void futex(struct sys_lock *l, int what, uint32_t value)
{
	syscall(SYS_futex, &l->word, what, value, NULL, NULL, 0);
}

static bool word_change(struct sys_lock *l, uint32_t *from, uint32_t to)
{
	return __atomic_compare_exchange_n(&l->word, from, to, 0, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

/* A thread that had to wait may not be the only one, so it takes the lock marked as wanted. */
static void take_slow(struct sys_lock *l, uint32_t number)
{
	uint32_t was = __atomic_load_n(&l->word, __ATOMIC_RELAXED);

	for (;;) {
		if (was == 0) {
			if (word_change(l, &was, number | SYS_WANTED))
				return;
		} else if ((was & SYS_WANTED) || word_change(l, &was, was | SYS_WANTED)) {
			futex(l, FUTEX_WAIT_PRIVATE, was | SYS_WANTED);
			was = __atomic_load_n(&l->word, __ATOMIC_RELAXED);
		}
	}
}

void sys_lock_take(struct sys_lock *l)
{
	uint32_t number = own_number(), was = 0;

	if (held.n < HELD_MOST)
		held.at[held.n] = l; /* before it is taken: the thread may leave right after */
	held.n++;
	__asm__ volatile("" ::: "memory");
	if (!word_change(l, &was, number))
		take_slow(l, number);
}

static void word_free(struct sys_lock *l)
{
	if (__atomic_exchange_n(&l->word, 0, __ATOMIC_RELEASE) & SYS_WANTED)
		futex(l, FUTEX_WAKE_PRIVATE, 1);
}

void sys_lock_drop(struct sys_lock *l)
{
	word_free(l);
	held.n--;
}

bool sys_locks_leave(const struct sys_lock *l)
{
	bool found = false;

	for (uint32_t i = 0; i < held.n && i < HELD_MOST; i++)
		if ((held.at[i]->word & ~SYS_WANTED) == held.number) {
			found = found || held.at[i] == l;
			word_free(held.at[i]);
		}
	held.n = 0;
	return found;
}

size_t sys_read_file(const char *name, char *into, size_t room)
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : syscall(SYS_read, fd, into, room - 1);

	if (fd >= 0)
		syscall(SYS_close, fd);
	into[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}
