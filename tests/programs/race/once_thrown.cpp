/* An initialisation that an exception leaves, or whose thread ends in it, is tried again by another thread, after all
 * that the first has done. */
#include <cassert>
#include <mutex>
#include <pthread.h>

#include "../order.h"

static std::once_flag flag;
static pthread_once_t control = PTHREAD_ONCE_INIT;
int tries, ends;

static void ends_first()
{
	if (++ends == 1)
		pthread_exit(nullptr);
}

static void *first(void *)
{
	try {
		std::call_once(flag, [] {
			tries = 1;
			throw 1;
		});
	} catch (int) {
	}
	order_at(0);
	pthread_once(&control, ends_first);
	return nullptr;
}

static void *second(void *)
{
	order_at(1);
	std::call_once(flag, [] { tries++; });
	pthread_once(&control, ends_first);
	return nullptr;
}

int main()
{
	pthread_t t, u;

	pthread_create(&t, nullptr, first, nullptr);
	pthread_create(&u, nullptr, second, nullptr);
	pthread_join(t, nullptr);
	pthread_join(u, nullptr);
	assert(tries == 2);
	return 0;
}
