/*
 * Threads that load a library, close it again, and end by pthread_exit, which may load one too: the loader's locks and
 * its own accesses are its business.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

static void *worker(void *arg)
{
	for (int i = 0; i < 3; i++) {
		void *library = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);

		if (!library || !dlsym(library, "cos"))
			exit(3);
		dlclose(library);
	}
	pthread_exit(arg);
}

int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
