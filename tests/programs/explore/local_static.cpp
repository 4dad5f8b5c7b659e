/* A local static of two threads: one makes it while the other waits.  It is made once; unless FIXED it is
 * looked at without its guard. */
#include <pthread.h>
#include <stdlib.h>

struct table {
	int made, at[4];

	table() : made(0), at{ 1, 2, 3, 4 } { made = 1; }
};

static int *published;

static table &get()
{
	static table t;

	return t;
}

static void *user(void *arg)
{
#ifdef FIXED
	if (get().at[2] != 3)
		abort();
#else
	table &t = get();

	if (published && t.made != 2)
		abort();
	published = t.at;
	t.made = 2;
#endif
	return arg;
}

int main()
{
	pthread_t a, b;

	pthread_create(&a, nullptr, user, nullptr);
	pthread_create(&b, nullptr, user, nullptr);
	pthread_join(a, nullptr);
	pthread_join(b, nullptr);
	return 0;
}
