// Exceptions: through frames of ours and of libc's, out of threads by futures, while a lock is held,
// from the destructors that a cancelled thread runs.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <mutex>
#include <pthread.h>
#include <stdexcept>
#include <thread>
#include <vector>

static std::mutex lock;
static pthread_mutex_t landing = PTHREAD_MUTEX_INITIALIZER;
static int caught, released;

static int deep(int n)
{
	struct guard {
		~guard()
		{
			std::lock_guard<std::mutex> g(lock);
			released++;
		}
	} g;
	if (n == 0)
		throw std::runtime_error("bottom");
	return deep(n - 1) + 1;
}

/* Called by the worker itself, whatever was unwound. */
static __attribute__((noinline)) void landed()
{
	pthread_mutex_lock(&landing);
	pthread_mutex_unlock(&landing);
}

static int compare(const void *a, const void *b)
{
	if (*(const int *)a == 7)
		throw 7;
	return *(const int *)a - *(const int *)b;
}

static void worker()
{
	for (int i = 0; i < 50; i++) {
		try {
			try {
				deep(i % 10);
			} catch (...) {
				throw;
			}
		} catch (const std::exception &) {
			landed();
			std::lock_guard<std::mutex> g(lock);
			caught++;
		}
		int n[16];
		for (int k = 0; k < 16; k++)
			n[k] = 15 - k;
		try {
			qsort(n, 16, sizeof(int), compare);
			abort();
		} catch (int x) {
			landed();
			std::lock_guard<std::mutex> g(lock);
			caught += x == 7;
		}
	}
}

static void *cancelled(void *)
{
	struct guard {
		~guard()
		{
			std::lock_guard<std::mutex> g(lock);
			released++;
		}
	} g;
	pthread_cancel(pthread_self());
	pthread_testcancel();
	return nullptr;
}

int main()
{
	std::vector<std::thread> threads;
	std::promise<int> promise;
	std::future<int> future = promise.get_future();
	pthread_t t;
	int n = 0;

	for (int i = 0; i < 3; i++)
		threads.emplace_back(worker);
	threads.emplace_back([&promise] {
		try {
			deep(3);
		} catch (...) {
			promise.set_exception(std::current_exception());
		}
	});
	try {
		future.get();
	} catch (const std::runtime_error &) {
		n++;
	}
	auto a = std::async(std::launch::async, [] { return deep(2); });
	try {
		a.get();
	} catch (const std::runtime_error &) {
		n++;
	}
	pthread_create(&t, nullptr, cancelled, nullptr);
	pthread_join(t, nullptr);
	for (auto &x : threads)
		x.join();
	std::printf("%d %d %d\n", caught, released, n);
	return caught != 300 || n != 2;
}
