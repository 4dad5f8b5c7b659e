/* Races of which the binary shows that they are no two atomics, or shows nothing. */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

int counted;
int flag;
char text[64];
struct __attribute__((packed)) {
	char c;
	uint32_t odd;
} record;

static void *worker(void *arg)
{
	const char *from = arg;

	counted++;			  /* by gcc, changed in place */
	flag = from[0];			  /* a move */
	memcpy(text, from, strlen(from)); /* by a function */
	record.odd = (uint32_t)from[0];	  /* no multiple of its size */
	return arg;
}

int main(void)
{
	char a[48] = "what the first thread has to say", b[48] = "and the second, some more";
	pthread_t t, u;

	pthread_create(&t, NULL, worker, a);
	pthread_create(&u, NULL, worker, b);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
