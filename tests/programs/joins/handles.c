/*
 * What pthread_create and thrd_create store is there before the new thread runs: its own reads of it
 * race with nobody.  Those of a third thread do.
 */
#include <pthread.h>
#include <threads.h>

static pthread_t own, others;
static thrd_t c11;
static int right;

static void *looks_at_itself(void *unused)
{
	right += pthread_equal(own, pthread_self()) != 0;
	return unused;
}

static int looks_too(void *unused)
{
	right += thrd_equal(c11, thrd_current()) != 0;
	return unused != NULL;
}

static void *looks_at_others(void *unused)
{
	right += pthread_equal(others, pthread_self()) == 0; // race others
	return unused;
}

static void *nothing(void *unused)
{
	return unused;
}

int main(void)
{
	pthread_t third;

	pthread_create(&own, NULL, looks_at_itself, NULL);
	pthread_join(own, NULL);
	thrd_create(&c11, looks_too, NULL);
	thrd_join(c11, NULL);
	pthread_create(&third, NULL, looks_at_others, NULL);
	pthread_create(&others, NULL, nothing, NULL); // race others
	pthread_join(others, NULL);
	pthread_join(third, NULL);
	return right == 3 ? 0 : 3;
}
