/* Descriptors: who writes gives, who reads takes, and only when somebody gave. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static char bytes[8];

/* The readers take nothing when nobody wrote since they last took.  What splice joins goes by the channel of what is
 * not seen as well. */
static void pipes(void)
{
	struct iovec v = { bytes, 2 };
	struct pollfd p;
	fd_set set;
	int e[2];

	assert(pipe2(e, O_NONBLOCK) == 0); // expect T1: threadbegin
	errno = 5555;
	assert(write(e[1], "abcd", 4) == 4); // expect T1: give file
	assert(read(e[0], bytes, 2) == 2);   // expect T1: take file
	assert(readv(e[0], &v, 1) == 2);     /* nothing new */
	assert(errno == 5555 && bytes[0] == 'c');
	assert(read(e[0], bytes, 1) == -1 && errno == EAGAIN);
	assert(writev(e[1], &v, 1) == 2); // expect T1: give file
	p = (struct pollfd){ .fd = e[0], .events = POLLIN };
	assert(poll(&p, 1, -1) == 1); // expect T1: take file
	assert(splice(e[0], NULL, e[1], NULL, 1, SPLICE_F_NONBLOCK) !=
	       5); // expect T1: give file; give unseen
	FD_ZERO(&set);
	FD_SET(e[0], &set);
	assert(select(e[0] + 1, &set, NULL, NULL, NULL) == 1); // expect T1: take file; take unseen
	assert(dup2(e[0], e[1]) == e[1]);		       // expect T1: give file; give unseen
	assert(read(e[1], bytes, 8) == 2);		       // expect T1: take file; take unseen
	close(e[1]);					       // expect T1: give file; give unseen
	close(e[0]);					       // expect T1: give file; give unseen
	assert(close(e[0]) == -1 && errno == EBADF);
}

static void sockets(void)
{
	struct iovec v = { bytes, 4 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1 };
	int s[2];

	assert(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0);
	assert(send(s[0], bytes, 2, 0) == 2);		      // expect T1: give socket
	assert(recv(s[1], bytes, 8, 0) == 2);		      // expect T1: take socket
	assert(sendmsg(s[0], &m, 0) == 4);		      // expect T1: give socket
	assert(recvmsg(s[1], &m, 0) == 4);		      // expect T1: take socket
	assert(write(s[1], bytes, 3) == 3);		      // expect T1: give socket
	assert(recvfrom(s[0], bytes, 8, 0, NULL, NULL) == 3); // expect T1: take socket
	shutdown(s[0], SHUT_RDWR);			      // expect T1: give socket
	assert(read(s[1], bytes, 8) == 0);		      // expect T1: take socket
}

/* One that an epoll watches gives to those who wait there as well. */
static void events(void)
{
	int event = eventfd(0, 0), epoll = epoll_create1(0), same = fcntl(event, F_DUPFD, 100);
	struct epoll_event e = { .events = EPOLLIN };
	eventfd_t n;

	assert(same >= 100);
	assert(epoll_ctl(epoll, EPOLL_CTL_ADD, event, &e) ==
	       0);					// expect T1: give file; give socket
	assert(eventfd_write(same, 3) == 0);		// expect T1: give file; give socket
	assert(epoll_wait(epoll, &e, 1, -1) == 1);	// expect T1: take file; take socket
	assert(eventfd_read(event, &n) == 0 && n == 3); // expect T1: take file
}

int main(void)
{
	pipes();
	sockets();
	events();
	return 0; // expect T1: threadend
}
