/* Blocks, events and names. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <foresee.h>

struct slot {
	long key;
	int hits, misses;
};

static struct slot *cache;

static void *work(void *arg)
{
	FORESEE_THREAD_NAME("worker");
	FORESEE_ATOMIC_BEGIN("look up"); // see T2: threadbegin; begin look up; begin; end; end
	FORESEE_ATOMIC_BEGIN(NULL);
	cache[7].hits++;
	FORESEE_ATOMIC_END();
	FORESEE_ATOMIC_END();
	FORESEE_ATOMIC_END();			       /* one too many: not recorded */
	FORESEE_EVENT("landing");		       // see T2: user landing
	FORESEE_EVENT3("request", 1, -2, 1L << 40);    // see T2: user request 1 -2 1099511627776
	FORESEE_EVENT8("all", 1, 2, 3, 4, 5, 6, 7, 8); // see T2: user all 1 2 3 4 5 6 7 8
	FORESEE_INTERNAL("phase", -3);		       // see T2: user phase = -3; threadend
	return arg;
}

int main(void)
{
	pthread_t t;

	cache = calloc(8, sizeof(*cache));
	FORESEE_VARIABLE(cache, 8 * sizeof(*cache), "cache");
	FORESEE_VARIABLE(&cache[7].hits, sizeof(cache[7].hits), "cache[7].hits");
	pthread_create(&t, NULL, work, NULL);
	cache[7].hits++;
	cache[6].misses++;
	pthread_join(t, NULL);
	printf("%d\n", cache[7].hits + cache[6].misses);
	free(cache);
	cache = calloc(8, sizeof(*cache)); /* nothing of it has a name */
	cache[7].hits = 1;
	free(cache);
	return 0;
}
