/* An eventfd under two numbers, read after an epoll said that it may be. */
#include <assert.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int event, same, epoll;
int data, more;
volatile int sink;

static void *writer(void *arg)
{
	data = 1;
	assert(eventfd_write(event, 1) == 0);
	return arg;
}

static void *reader(void *arg)
{
	struct epoll_event e;
	eventfd_t n;

	assert(epoll_wait(epoll, &e, 1, -1) == 1);
	sink = data;
	more = 2;
	assert(eventfd_read(same, &n) == 0 && n == 1);
	assert(write(event, &n, sizeof(n)) == sizeof(n));
	return arg;
}

int main(void)
{
	pthread_t t, u;
	eventfd_t n;

	event = eventfd(0, 0);
	same = dup(event);
	epoll = epoll_create1(0);
	assert(epoll_ctl(epoll, EPOLL_CTL_ADD, same, &(struct epoll_event){ .events = EPOLLIN }) ==
	       0);
	pthread_create(&t, NULL, writer, NULL);
	pthread_create(&u, NULL, reader, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	assert(read(same, &n, sizeof(n)) == sizeof(n));
	return more != 2;
}
