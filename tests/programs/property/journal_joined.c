// fine
/* A journal that is closed when the writer has been joined. */
#include <pthread.h>

static int opened, written, closed;

void journal_open(void)
{
	opened++;
}

void journal_write(void)
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
	return arg;
}

int main(void)
{
	pthread_t t;

	journal_open();
	pthread_create(&t, NULL, writer, NULL);
	pthread_join(t, NULL);
	journal_close();
	return 0;
}
