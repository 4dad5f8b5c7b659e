/* A request and its answer over a socket; the client touches the data before and after. */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int s[2];
int data;

static void *client(void *arg)
{
	struct pollfd p = { .fd = s[0], .events = POLLIN };
	char c = 'q';

	data = 1;
	assert(send(s[0], &c, 1, 0) == 1);
	assert(poll(&p, 1, -1) == 1);
	data++; /* there is an answer, though nobody has read it */
	assert(recv(s[0], &c, 1, 0) == 1);
	return arg;
}

static void *server(void *arg)
{
	struct iovec v = { .iov_base = &(char){ 0 }, .iov_len = 1 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1 };

	assert(recvmsg(s[1], &m, 0) == 1);
	data += 10;
	assert(sendmsg(s[1], &m, 0) == 1);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	assert(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0);
	pthread_create(&t, NULL, client, NULL);
	pthread_create(&u, NULL, server, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
