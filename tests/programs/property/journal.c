/* A journal that is closed by one thread while the other may still write to it. */
#include <pthread.h>

#include "../order.h"

static int opened, written, closed;

void journal_open(void)
{
	opened++;
}

void journal_write(void) // property protocol // property late
{
	written++;
}

void journal_close(void)
{
	closed++;
}

static void *writer(void *arg)
{
	journal_write();
	order_at(0);
	return arg;
}

static void *closer(void *arg)
{
	order_at(1);
	journal_close();
	return arg;
}

int main(void)
{
	pthread_t t, u;

	journal_open();
	pthread_create(&t, NULL, writer, NULL);
	pthread_create(&u, NULL, closer, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
