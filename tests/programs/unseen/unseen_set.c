/* A library that nobody instruments: it writes where it is told to. */
#include <stdlib.h>

void unseen_set(int *p, int value)
{
	__atomic_store_n(p, value, __ATOMIC_RELEASE);
}

static int *kept;

/* Later, without being told. */
void unseen_keep(int *p)
{
	kept = p;
}

void unseen_set_kept(int value)
{
	unseen_set(kept, value);
}

int *unseen_new(void)
{
	return calloc(1, 64);
}

int unseen_get(const int *p)
{
	return *p;
}

int unseen_far(const int *a, const int *b, const int *c, const int *d, const int *e, const int *f,
	       const int *g)
{
	return *a + *b + *c + *d + *e + *f + *g;
}
