/* What plugins.c loads. */
#include <pthread.h>

extern void host_count(int by);

static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
static __thread int mine;
static int work_done;

static __attribute__((constructor)) void come(void)
{
	host_count(1000);
}

static __attribute__((destructor)) void go(void)
{
	host_count(work_done == 300 ? 10000 : 1);
}

void *plugin_work(void *arg)
{
	for (int i = 0; i < 100; i++) {
		pthread_mutex_lock(&own);
		work_done++;
		mine += *(int *)arg;
		pthread_mutex_unlock(&own);
		host_count(1);
	}
	return mine == 300 ? arg : 0;
}
