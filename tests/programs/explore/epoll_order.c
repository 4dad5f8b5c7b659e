/* What is ready first is taken for the first of two pipes. */
#include <sys/epoll.h>
#include <unistd.h>

#include "explore.h"

static int ends[2][2];

static void *sends(void *arg)
{
	if (write(ends[NUMBER(arg)][1], "x", 1) != 1)
		abort();
	return NULL;
}

static void *takes(void *arg)
{
	int all = epoll_create1(0);
	struct epoll_event e = { .events = EPOLLIN };
	char c;

	for (uint32_t i = 0; i < 2; i++) {
		e.data.u32 = i;
		epoll_ctl(all, EPOLL_CTL_ADD, ends[i][0], &e);
	}
	for (uint32_t i = 0; i < 2; i++) {
		if (epoll_wait(all, &e, 1, -1) != 1 || read(ends[e.data.u32][0], &c, 1) != 1)
			abort();
		assert(fixed || e.data.u32 == i);
	}
	close(all);
	return arg;
}

int main(void)
{
	for (int i = 0; i < 2; i++)
		if (pipe(ends[i]) != 0)
			abort();
	RUN(sends, sends, takes);
	return 0;
}
