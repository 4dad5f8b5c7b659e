/*
 * Destructors that wait for a thread which calls virtual functions.  Where the object's own class does,
 * the pointer to its vtable stays what it is; where a base does, the object has become another by then.
 */
#include <pthread.h>

#include "../order.h"

struct worker {
	pthread_t thread;
	int value = 0;

	virtual void run() { value++; }
	void join() { pthread_join(thread, nullptr); }
	virtual ~worker() = default;
};

static void *body(void *arg)
{
	static_cast<worker *>(arg)->run();
	order_at(0);
	return arg;
}

struct good : worker {
	void run() override { value += 2; }
	~good() override
	{
		order_at(1);
		join();
	}
};

struct base : worker {
	~base() override
	{ // race vtable
		order_at(3);
		join();
	}
};

struct bad : base {
	void run() override { value += 2; }
};

static void *late(void *arg)
{
	static_cast<worker *>(arg)->run(); // race vtable
	order_at(2);
	return arg;
}

int main()
{
	worker *w = new good;

	pthread_create(&w->thread, nullptr, body, w);
	delete w;
	w = new bad;
	pthread_create(&w->thread, nullptr, late, w);
	delete w;
}
