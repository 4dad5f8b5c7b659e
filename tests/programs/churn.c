/* Threads come and go so fast that handles and stacks are reused, and the
 * process forks in between.  Nothing is expected but that the trace holds together. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int count, done;

static void *leaf(void *arg)
{
	char *p = calloc(1, 100 + (size_t)arg % 5000);

	pthread_mutex_lock(&m);
	count++;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	p = realloc(p, 9000);
	memset(p, 1, 9000);
	free(p);
	if ((size_t)arg % 3 == 0)
		pthread_exit(arg);
	return arg;
}

static void *maker(void *arg)
{
	for (size_t i = 0; i < 20; i++) {
		pthread_t t[3];
		void *r;

		for (size_t k = 0; k < 3; k++)
			pthread_create(&t[k], NULL, leaf, (void *)(i * 3 + k));
		pthread_detach(t[0]);
		pthread_join(t[2], NULL);
		if (pthread_join(t[1], &r) != 0 || r != (void *)(i * 3 + 1))
			abort();
	}
	pthread_mutex_lock(&m);
	done++;
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&m);
	return arg;
}

/* The child is not recorded, and all still works in it. */
static void check_fork(void)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		pthread_t t;

		if (pthread_create(&t, NULL, leaf, NULL) != 0)
			_exit(1);
		pthread_mutex_unlock(&m); /* main held it */
		pthread_join(t, NULL);
		_exit(7);
	}
	if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7)
		abort();
}

int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, maker, NULL);
	pthread_mutex_lock(&m);
	while (done < 3) {
		pthread_cond_wait(&c, &m);
		if (count % 16 == 0)
			check_fork();
	}
	pthread_mutex_unlock(&m);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
