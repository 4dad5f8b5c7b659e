/* Two eventfds are two: what goes through one does not order what comes from the other. */
#include <assert.h>
#include <pthread.h>
#include <sys/eventfd.h>

#include "../order.h"

static int one, other;
int data;

static void *writer(void *arg)
{
	data = 1; // race data
	assert(eventfd_write(one, 1) == 0);
	order_at(0);
	return arg;
}

static void *reader(void *arg)
{
	eventfd_t n;

	order_at(1);
	assert(eventfd_read(other, &n) == 0);
	data = 2; // race data
	return arg;
}

int main(void)
{
	pthread_t t, u;

	one = eventfd(0, 0);
	other = eventfd(1, 0);
	pthread_create(&t, NULL, writer, NULL);
	pthread_create(&u, NULL, reader, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
