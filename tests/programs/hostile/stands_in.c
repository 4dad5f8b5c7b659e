/* A plug-in goes, and another one, that nobody instrumented, takes its place in memory: what was known
 * of the functions there is forgotten, and what they write now is not known. */
// flags: -ldl -rdynamic
// only: full
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char buffer[256];
static int sum;

static void *fill(const char *path, int with)
{
	void *h = dlopen(path, RTLD_NOW);
	void (*f)(char *, int, int);

	assert(h != NULL);
	f = (void (*)(char *, int, int))dlsym(h, "stand_in_fill");
	memset(buffer, 1, sizeof(buffer));
	f(buffer, sizeof(buffer), with);
	for (size_t i = 0; i < sizeof(buffer); i++)
		if (buffer[i] > 1)
			sum += buffer[i];
	dlclose(h);
	return (void *)f;
}

static void *both(void *argv)
{
	void *seen = fill(((char **)argv)[1], 2), *unseen = fill(((char **)argv)[2], 3);

	fputs(seen == unseen ? "in its place\n" : "elsewhere\n", stderr);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t;

	(void)argc;
	pthread_create(&t, NULL, both, argv);
	pthread_join(t, NULL);
	return sum != 5 * (int)sizeof(buffer);
}
