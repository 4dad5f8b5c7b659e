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
		syscall(SYS_futex, &taken, FUTEX_WAIT, now, NULL, NULL, 0);
}

void order_at(int n)
{
	order_see(n);
	__atomic_fetch_add(&taken, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &taken, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static int me;

void order_me(void)
{
	__atomic_store_n(&me, (int)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
}

/* State of the thread that called order_me, and its time in clock ticks; 0 when there is none. */
static char look(unsigned long *ticks)
{
	char path[64], line[512], state = 0, *after;
	long fd, n;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", me);
	fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
	n = fd < 0 ? -1 : syscall(SYS_read, fd, line, sizeof(line) - 1);
	if (fd >= 0)
		syscall(SYS_close, fd);
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
		syscall(SYS_sched_yield);
	__atomic_store_n(&me, 0, __ATOMIC_SEQ_CST);
}

void order_spins(void)
{
	unsigned long begun = 0, ticks = 0;

	if (is_off())
		return;
	while (look(&begun) == 0)
		syscall(SYS_sched_yield);
	while (look(&ticks) == 0 || ticks < begun + 3)
		syscall(SYS_sched_yield);
	__atomic_store_n(&me, 0, __ATOMIC_SEQ_CST);
}
