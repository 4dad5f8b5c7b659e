// What threads do when they are all but over: destructors of thread_local objects, of keys (round
// after round), of C11's tss; all of them lock and count.
#include <cstdio>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <threads.h>
#include <vector>

static std::mutex lock;
static int objects, keys, tss;
static pthread_key_t key;
static tss_t slot;

struct local {
	int value = 1;
	~local()
	{
		std::lock_guard<std::mutex> g(lock);
		objects += value;
	}
};
static thread_local local one;

static void key_gone(void *p)
{
	long round = (long)p;
	{
		std::lock_guard<std::mutex> g(lock);
		keys++;
	}
	if (round < 3) // libc goes four rounds
		pthread_setspecific(key, (void *)(round + 1));
}

static void slot_gone(void *)
{
	std::lock_guard<std::mutex> g(lock);
	tss++;
}

static void *work(void *)
{
	one.value = 1;
	pthread_setspecific(key, (void *)1);
	tss_set(slot, &one);
	return nullptr;
}

static void *leave(void *)
{
	work(nullptr);
	pthread_exit(nullptr);
}

int main()
{
	std::vector<std::thread> threads;
	pthread_t t;

	pthread_key_create(&key, key_gone);
	tss_create(&slot, slot_gone);
	for (int i = 0; i < 8; i++)
		threads.emplace_back([] { work(nullptr); });
	for (auto &x : threads)
		x.join();
	pthread_create(&t, nullptr, leave, nullptr);
	pthread_join(t, nullptr);
	std::printf("%d %d %d\n", objects, keys, tss);
	return objects != 9 || keys != 27 || tss != 9;
}
