#include <pthread.h>
#include <stdio.h>
void lib_fill(int *at), lib_wait(int n), lib_pass(void);
static int limit, total, other;
static void *adder(void *unused)
{
	(void)unused;
	if (limit > 3) /* the library wrote it */
		total++;
	return NULL;
}
static void *guarded(void *n)
{
	if (n)
		lib_wait(1);
	if (limit > 3)
		other++;
	lib_pass();
	return NULL;
}
int main(void)
{
	pthread_t a, b, c, d;
	lib_fill(&limit);
	pthread_create(&a, NULL, adder, NULL);
	pthread_create(&b, NULL, adder, NULL);
	pthread_create(&c, NULL, guarded, NULL);
	pthread_create(&d, NULL, guarded, (void *)1L);
	pthread_join(a, NULL), pthread_join(b, NULL), pthread_join(c, NULL), pthread_join(d, NULL);
	printf("%d %d\n", total, other);
}
