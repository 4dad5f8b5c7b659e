/*
 * host WHAT...: loads each library, runs it in two threads, and closes it before the next.  "over"
 * maps memory where the variable of the last one lay, and has two threads write there.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

int shared;

static int *(*run)(int *);
static int *place;

static void *work(void *unused)
{
	(void)unused;
	return run(&shared);
}

static void *touch(void *unused)
{
	(void)unused;
	++*place;
	return place;
}

static int both(void *(*f)(void *))
{
	pthread_t a, b;
	void *at = NULL;
	int bad;

	bad = pthread_create(&a, NULL, f, NULL) != 0 || pthread_create(&b, NULL, f, NULL) != 0 ||
	      pthread_join(a, NULL) != 0 || pthread_join(b, &at) != 0;
	place = at;
	return bad;
}

static int over(void)
{
	void *page = (void *)((uintptr_t)place & ~(uintptr_t)4095);

	return mmap(page, 4096, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != page ||
	       both(touch);
}

static int plugin(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);

	if (library == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	run = (int *(*)(int *))dlsym(library, "plugin_run");
	return run == NULL || both(work) || dlclose(library) != 0;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "over") == 0 ? over() : plugin(argv[i]))
			return 2;
	return 0;
}
