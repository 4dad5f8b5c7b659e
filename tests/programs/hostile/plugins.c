/* Plug-ins come and go: threads run in them, one is loaded again, elsewhere, after it was closed; their
 * constructors, destructors and thread-local variables are theirs. */
// flags: -ldl -rdynamic
#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int plugins_counted; /* the plug-in's way to say that it was there */

void host_count(int by)
{
	pthread_mutex_lock(&lock);
	plugins_counted += by;
	pthread_mutex_unlock(&lock);
}

static void once(const char *path)
{
	void *h = dlopen(path, RTLD_NOW);
	void *(*work)(void *);
	pthread_t t[2];
	int n = 3;

	if (h == NULL)
		fputs(dlerror(), stderr);
	assert(h != NULL);
	work = (void *(*)(void *))dlsym(h, "plugin_work");
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, &n);
	work(&n);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	dlclose(h);
}

int main(int argc, char **argv)
{
	for (int i = 0; i < 6; i++) {
		char *gap = mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		once(argv[1 + i % (argc - 1)]);
		if (i % 2)
			munmap(gap, 1 << 20);
	}
	printf("%d\n", plugins_counted);
	return plugins_counted != 6 * 3 * 100 + 6 * 1000 + 6 * 10000;
}
