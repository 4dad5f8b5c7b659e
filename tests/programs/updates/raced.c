/*
 * Threads add to what they share without a lock: raced ROUNDS.  Whatever is lost, each line that says what it adds, i: the
 * number of the round, is a read and a write each time.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 4
#define STAY __asm__ volatile("" ::: "memory") /* all that is above is done */

static struct {
	unsigned char byte;
	unsigned short half;
	unsigned word;
	unsigned long whole; /* another word of memory */
} shared;
static struct __attribute__((packed)) {
	char pad[5];
	unsigned long across; /* two words */
} odd;
static unsigned long seen[THREADS]; /* a sum of what was read */
static long rounds;

static void *work(void *arg)
{
	unsigned long *p = &odd.across, *sum = arg;

	for (long i = 0; i < rounds; i++) {
		shared.byte++;			  /* adds 1 */
		shared.half -= 3;		  /* adds -3 */
		shared.word += (unsigned)i << 20; /* adds i 20 */
		STAY;
		*sum += shared.whole++; /* adds 1 */
		STAY;
		*p += (unsigned long)i << 33; /* adds i 33 */
		STAY;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];

	rounds = argc > 1 ? atol(argv[1]) : 100;
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&t[i], NULL, work, &seen[i]))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	printf("%d %d %u %lu %lu\n", shared.byte, shared.half, shared.word, shared.whole,
	       odd.across);
	return 0;
}
