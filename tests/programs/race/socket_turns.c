/*
 * Two threads receive from one socket.  Who comes second gets the second byte, and does nothing with any
 * other: what the first has written before it received is not touched at the same time, what it writes then
 * is.  A third one has a socket of its own, and waits for nobody.
 */
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>

#include "../order.h"

static int ends[2], others[2];
int before, behind, other;
volatile int sink, own;

static void *first(void *arg)
{
	char c;

	before = 1;
	other = 1; // race other
	if (recv(ends[0], &c, 1, 0) != 1 || c != 'A')
		return NULL;
	behind = 1; // race behind
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	char c;

	order_at(1);
	if (recv(ends[0], &c, 1, 0) != 1 || c != 'B')
		return NULL;
	sink = before;
	sink = behind; // race behind
	return arg;
}

static void *third(void *arg)
{
	char c;

	order_see(2);
	if (recv(others[0], &c, 1, 0) == 1)
		own = other; // race other
	return arg;
}

int main(void)
{
	pthread_t t, u, v;

	assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 && send(ends[1], "AB", 2, 0) == 2);
	assert(socketpair(AF_UNIX, SOCK_STREAM, 0, others) == 0 && send(others[1], "C", 1, 0) == 1);
	pthread_create(&t, NULL, first, NULL);
	pthread_create(&u, NULL, second, NULL);
	pthread_create(&v, NULL, third, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	pthread_join(v, NULL);
	return 0;
}
