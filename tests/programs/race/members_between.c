/* A loop reads one member of each structure, and another thread writes the next: a vector of the whole is no read of it. */
#include <pthread.h>
#include <stdatomic.h>

static struct {
	int read, written;
} both[512];
static struct {
	short first, second, third, other;
} four[512];
static _Atomic int begun;
volatile int sink;

__attribute__((noinline)) static int sum(void)
{
	int all = 0;

	for (int i = 0; i < 512; i++)
		all += both[i].read;
	for (int i = 0; i < 512; i++)
		all += four[i].first + four[i].third;
	return all;
}

static void *reads(void *arg)
{
	begun++;
	while (begun < 2)
		;
	sink = sum();
	return arg;
}

static void *writes(void *arg)
{
	begun++;
	while (begun < 2)
		;
	for (int i = 0; i < 512; i++) {
		both[i].written = i;
		four[i].second = (short)i;
		four[i].other = 1;
	}
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, reads, NULL);
	pthread_create(&u, NULL, writes, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
