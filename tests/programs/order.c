#include "order.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int taken;

/* A system call that nobody stands in for: the recorder sees those that go through libc's syscall. */
static long bare(long number, long a, long b, long c)
{
	register long d __asm__("r10") = 0;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(number), "D"(a), "S"(b), "d"(c), "r"(d)
			 : "rcx", "r11", "memory");
	return result;
}

/* A replay has an order of its own, and this one would be against it. */
static int is_off(void)
{
	return getenv("ORDER_OFF") != NULL;
}

void order_see(int n)
{
	int now;

	if (is_off())
		return;
	while ((now = __atomic_load_n(&taken, __ATOMIC_SEQ_CST)) < n)
		bare(SYS_futex, (long)&taken, FUTEX_WAIT, now);
}

void order_at(int n)
{
	order_see(n);
	__atomic_fetch_add(&taken, 1, __ATOMIC_SEQ_CST);
	bare(SYS_futex, (long)&taken, FUTEX_WAKE, INT_MAX);
}

static int me;

void order_me(void)
{
	__atomic_store_n(&me, (int)bare(SYS_gettid, 0, 0, 0), __ATOMIC_SEQ_CST);
}

/* State of the thread that called order_me, and its time in clock ticks; 0 when there is none. */
static char look(unsigned long *ticks)
{
	char path[64], line[512], state = 0, *after;
	long fd, n;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", me);
	fd = bare(SYS_openat, AT_FDCWD, (long)path, O_RDONLY);
	n = fd < 0 ? -1 : bare(SYS_read, fd, (long)line, sizeof(line) - 1);
	if (fd >= 0)
		bare(SYS_close, fd, 0, 0);
	if (me == 0 || n <= 0)
		return 0;
	line[n] = 0;
	after = strrchr(line, ')');
	if (after == NULL || sscanf(after + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu",
				    &state, ticks) != 2)
		return 0;
	return state;
}

void order_asleep(void)
{
	unsigned long ticks;

	if (is_off())
		return;
	while (look(&ticks) != 'S')
		bare(SYS_sched_yield, 0, 0, 0);
	__atomic_store_n(&me, 0, __ATOMIC_SEQ_CST);
}

void order_spins(void)
{
	unsigned long begun = 0, ticks = 0;

	if (is_off())
		return;
	while (look(&begun) == 0)
		bare(SYS_sched_yield, 0, 0, 0);
	while (look(&ticks) == 0 || ticks < begun + 3)
		bare(SYS_sched_yield, 0, 0, 0);
	__atomic_store_n(&me, 0, __ATOMIC_SEQ_CST);
}
