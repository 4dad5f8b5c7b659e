/* Who finds no room in a socket, and waits for it in any way, goes on behind what its reader did before it made some. */
#define _GNU_SOURCE
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "../order.h"

static int s[2], from, to;
static struct sockaddr_un name = { .sun_family = AF_UNIX };
int by_send, by_write, by_poll, by_select, by_epoll, by_call, by_name;
volatile int sink;

/* ... once the reader has emptied it that often. */
static void fill(int turn)
{
	char c[256] = { 0 };

	order_see(turn);
	while (send(s[0], c, sizeof(c), MSG_DONTWAIT) > 0)
		;
}

static void empty(int fd, int turn)
{
	char c[256];

	while (recv(fd, c, sizeof(c), MSG_DONTWAIT) > 0)
		;
	order_at(turn);
}

static void epoll_for_room(void)
{
	struct epoll_event e = { .events = EPOLLOUT };
	int epoll = epoll_create1(0);

	assert(epoll_ctl(epoll, EPOLL_CTL_ADD, s[0], &e) == 0);
	assert(epoll_wait(epoll, &e, 1, -1) == 1);
	close(epoll);
}

static void send_by_name(void)
{
	while (sendto(from, "", 1, MSG_DONTWAIT, (struct sockaddr *)&name, sizeof(name)) == 1)
		;
	order_me();
	assert(sendto(from, "", 1, 0, (struct sockaddr *)&name, sizeof(name)) == 1);
}

static void *writer(void *arg)
{
	struct pollfd p = { .fd = s[0], .events = POLLOUT };
	fd_set set;
	char c = 0;

	fill(0);
	order_me();
	assert(send(s[0], &c, 1, 0) == 1);
	sink = by_send;
	fill(1);
	order_me();
	assert(write(s[0], &c, 1) == 1);
	sink = by_write;
	fill(2);
	order_me();
	assert(poll(&p, 1, -1) == 1);
	sink = by_poll;
	fill(3);
	FD_ZERO(&set);
	FD_SET(s[0], &set);
	order_me();
	assert(select(s[0] + 1, NULL, &set, NULL, NULL) == 1);
	sink = by_select;
	fill(4);
	order_me();
	epoll_for_room();
	sink = by_epoll;
	fill(5);
	order_me();
	assert(syscall(SYS_sendto, s[0], &c, 1L, 0L, NULL, 0L) == 1);
	sink = by_call;
	send_by_name();
	sink = by_name;
	return arg;
}

int main(void)
{
	pthread_t t;

	assert(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0);
	snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "foresee-socket-full-%d", getpid());
	from = socket(AF_UNIX, SOCK_DGRAM, 0);
	to = socket(AF_UNIX, SOCK_DGRAM, 0);
	assert(bind(to, (struct sockaddr *)&name, sizeof(name)) == 0);
	pthread_create(&t, NULL, writer, NULL);
	order_asleep();
	by_send = 1;
	empty(s[1], 0);
	order_asleep();
	by_write = 1;
	empty(s[1], 1);
	order_asleep();
	by_poll = 1;
	empty(s[1], 2);
	order_asleep();
	by_select = 1;
	empty(s[1], 3);
	order_asleep();
	by_epoll = 1;
	empty(s[1], 4);
	order_asleep();
	by_call = 1;
	empty(s[1], 5);
	order_asleep();
	by_name = 1;
	empty(to, 6);
	pthread_join(t, NULL);
	return 0;
}
