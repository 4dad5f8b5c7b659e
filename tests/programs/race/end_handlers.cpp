/* What a thread leaves to the end of the program: destructors and handlers of exit, which another thread runs. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

namespace {
int handled, *made;

struct holder {
	int *p;
	holder() : p(new int(7)) {}
	~holder()
	{
		assert(*p == 7);
		delete p;
	}
};

void handler() { assert(handled == 1 && *made == 3); }

void *worker(void *arg)
{
	static holder first_here;

	handled = first_here.p != nullptr;
	made = new int(3);
	atexit(handler);
	return arg;
}
}

int main()
{
	pthread_t t;

	pthread_create(&t, nullptr, worker, nullptr);
	pthread_detach(t);
	usleep(100000);
	return 0;
}
