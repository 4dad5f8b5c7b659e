/* Whoever finds room that a reader has made before goes on behind the reader, too: without it, it would wait. */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../order.h"

#define SIZE 4096
#define PACKETS 16

static int pipe_[2], packets[2], sockets[2];
static char bytes[SIZE], got[SIZE];
int by_pipe, by_packets, by_socket;
volatile int sink;

static void *writer(void *arg)
{
	order_see(1);
	assert(write(pipe_[1], bytes, 1) == 1);
	sink = by_pipe;
	assert(write(packets[1], bytes, 1) == 1);
	sink = by_packets;
	assert(send(sockets[1], bytes, 1, 0) == 1);
	sink = by_socket;
	return arg;
}

int main(void)
{
	pthread_t t;

	assert(pipe(pipe_) == 0 && fcntl(pipe_[1], F_SETPIPE_SZ, SIZE) == SIZE);
	assert(pipe2(packets, O_DIRECT) == 0 &&
	       fcntl(packets[1], F_SETPIPE_SZ, PACKETS * SIZE) > 0);
	assert(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
	assert(write(pipe_[1], bytes, SIZE) == SIZE);
	for (int i = 0; i < PACKETS; i++)
		assert(write(packets[1], bytes, 1) == 1);
	while (send(sockets[1], bytes, SIZE, MSG_DONTWAIT) > 0)
		;
	pthread_create(&t, NULL, writer, NULL);
	by_pipe = 1;
	assert(read(pipe_[0], got, SIZE) == SIZE);
	by_packets = 1;
	for (int i = 0; i < PACKETS; i++)
		assert(read(packets[0], got, SIZE) == 1);
	by_socket = 1;
	while (recv(sockets[0], got, SIZE, MSG_DONTWAIT) > 0)
		;
	order_at(0);
	pthread_join(t, NULL);
	return 0;
}
