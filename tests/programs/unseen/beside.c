/*
 * Code that is not instrumented writes *box while other threads run, and nothing recorded says when:
 * whoever sees the value there comes after it.  The writes of y are in that order in every run.
 *
 *	beside routine	a thread that begins in such code
 *	beside call	a thread that calls it
 *	beside copy	the same, and the value is copied with all that lies around it
 *	beside phases	before there are threads, and when they have gone: those two race, whatever it does
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct box {
	long value, more[31];
};
long y;
struct box copied;
void *unseen_routine(void *box);
void unseen_set(long *box);
void unseen_wait(long *box);

void y_write(long value)
{
	y = value;
}

static void *caller(void *box)
{
	y_write(1);
	unseen_set(box);
	return NULL;
}

static void *reader(void *box)
{
	if (*(long *)box == 42)
		y_write(3);
	return NULL;
}

/* Also called by a main that is not instrumented. */
void *waiter(void *box)
{
	unseen_wait(box);
	if (*(long *)box == 42)
		y_write(2);
	return NULL;
}

static void copy(void *box)
{
	unseen_wait(box);
	copied = *(struct box *)box;
	if (copied.value == 42)
		y_write(2);
}

#ifndef UNSEEN_MAIN
int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	long *box = malloc(sizeof(struct box));
	pthread_t t[2];

	if (strcmp(how, "phases") == 0) {
		unseen_set(box);
		pthread_create(&t[0], NULL, reader, box);
		pthread_create(&t[1], NULL, reader, box);
		pthread_join(t[0], NULL);
		pthread_join(t[1], NULL);
		unseen_set(box);
		return 0;
	}
	pthread_create(&t[0], NULL, strcmp(how, "routine") == 0 ? unseen_routine : caller, box);
	if (strcmp(how, "copy") == 0)
		copy(box);
	else
		waiter(box);
	pthread_join(t[0], NULL);
	return 0;
}
#endif
