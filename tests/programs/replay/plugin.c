/* A library, and (PROGRAM) two threads of which the first to come loads it, with all that takes. */
#ifdef PROGRAM
#include <dlfcn.h>
#include <pthread.h>

static void *f(void *arg)
{
	void *lib = dlopen("./plugin.so", RTLD_NOW);
	void (*plug)(void) = lib ? (void (*)(void))dlsym(lib, "plug") : NULL;

	if (plug)
		plug();
	return arg;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, f, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
#else
int plugged;

void plug(void)
{
	plugged++;
}
#endif
