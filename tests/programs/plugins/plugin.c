/* One source, so that everything of two libraries made from it lies at the same places in them:
 * -DNAME=one or two, names of the same length. */
#include <pthread.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

int JOIN(NAME, _counted);
int JOIN(NAME, _limit) = LIMIT;
pthread_mutex_t JOIN(NAME, _lock) = PTHREAD_MUTEX_INITIALIZER;

int *plugin_run(int *p)
{
	pthread_mutex_lock(&JOIN(NAME, _lock));
	if (JOIN(NAME, _limit) == LIMIT) /* what it holds is that of this library */
		JOIN(NAME, _limit) += 2;
	pthread_mutex_unlock(&JOIN(NAME, _lock));
	JOIN(NAME, _counted)++;
	++*p;
	return &JOIN(NAME, _counted);
}
