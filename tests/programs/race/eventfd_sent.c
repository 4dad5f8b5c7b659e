/* Eventfds that arrive in a message are those that were sent, under other numbers. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

static int s[2], event, another;
int by_event, by_other;
volatile int sink;

static struct msghdr message(void)
{
	static _Thread_local _Alignas(struct cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))];
	static _Thread_local char byte;
	static _Thread_local struct iovec v;

	v = (struct iovec){ .iov_base = &byte, .iov_len = 1 };
	return (struct msghdr){ .msg_iov = &v,
				.msg_iovlen = 1,
				.msg_control = control,
				.msg_controllen = sizeof(control) };
}

static void post(const int fds[2])
{
	struct msghdr m = message();
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(2 * sizeof(int));
	memcpy(CMSG_DATA(c), fds, 2 * sizeof(int));
	assert(sendmsg(s[0], &m, 0) == 1);
}

static void *other(void *arg)
{
	struct msghdr m = message();
	eventfd_t n;
	int got[2];

	assert(recvmsg(s[1], &m, 0) == 1);
	memcpy(got, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(got));
	assert(eventfd_read(got[0], &n) == 0);
	sink = by_event;
	assert(eventfd_read(got[1], &n) == 0);
	sink = by_other;
	return arg;
}

int main(void)
{
	pthread_t t;

	event = eventfd(0, 0);
	another = eventfd(0, 0);
	assert(socketpair(AF_UNIX, SOCK_DGRAM, 0, s) == 0);
	post((int[]){ event, another });
	pthread_create(&t, NULL, other, NULL);
	by_event = 1;
	assert(eventfd_write(event, 1) == 0);
	by_other = 1;
	assert(eventfd_write(another, 1) == 0);
	pthread_join(t, NULL);
	return 0;
}
