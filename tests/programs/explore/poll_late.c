/* An answer that takes too long is given up, and then taken for the next one. */
#include <poll.h>
#include <sys/socket.h>

#include "explore.h"

static int ends[2];

static void *answers(void *arg)
{
	char c;

	for (int i = 0; i < 2; i++)
		if (recv(ends[1], &c, 1, 0) != 1 || send(ends[1], &c, 1, 0) != 1)
			abort();
	return arg;
}

static char ask(char c)
{
	struct pollfd at = { .fd = ends[0], .events = POLLIN };
	char got;

	if (send(ends[0], &c, 1, 0) != 1)
		abort();
	if (poll(&at, 1, fixed ? -1 : 1000) == 0)
		return 0;
	return recv(ends[0], &got, 1, 0) == 1 ? got : 0;
}

int main(void)
{
	pthread_t t;
	char got;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		abort();
	pthread_create(&t, NULL, answers, NULL);
	ask('a');
	got = ask('b');
	assert(got == 'b' || got == 0);
	pthread_join(t, NULL);
	return 0;
}
