// The C++ library over POSIX: threads, locks, call_once, local statics.
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <thread>

static std::mutex m;
static std::recursive_mutex deep;
static std::shared_mutex shared;
static std::condition_variable c;
static std::once_flag flag;
static bool ready;
static int runs;

struct thing {
	int value;
	thing() : value(++runs)
	{
	}
};

static int once_only()
{
	static thing t; // its guard
	return t.value;
}

static int throws_first()
{
	static int tries;
	static int v = ++tries == 1 ? throw std::runtime_error("again") : tries;
	return v;
}

static void worker()
{
	std::call_once(flag, [] { runs = 100; });      // expect T2: threadbegin; oncepass flag
	once_only();				       // see T2: read 1 acquire
	std::shared_lock<std::shared_mutex> s(shared); // expect T2: rdlock shared
	std::lock_guard<std::recursive_mutex> a(deep),
		b(deep);		   // expect T2: lock deep nests; lock deep nests
	std::unique_lock<std::mutex> l(m); // expect T2: lock m
	ready = true;
	c.notify_one(); // expect T2: signal c 1 #go
			// expect T2: unlock m; unlock deep; unlock deep; rdunlock shared; threadend
}

int main()
{
	std::call_once(flag,
		       [] { runs = 1; }); // expect T1: threadbegin; oncebegin flag; onceend flag
	if (once_only() != 2 ||
	    once_only() !=
		    2) // see T1: oncebegin once_only; onceend once_only; write 1 release; read 1 acquire
		return 1;
	try {
		throws_first(); // see T1: oncebegin throws_first; onceend throws_first
	} catch (const std::runtime_error &) {
	}
	if (throws_first() !=
	    2) // see T1: oncebegin throws_first; onceend throws_first; write 1 release
		return 1;
	std::unique_lock<std::mutex> l(m); // expect T1: lock m
	std::thread t(worker);		   // expect T1: fork T2
	while (!ready)
		c.wait(l); // expect T1: unlock m wait; wait c with m; wake c @go; lock m wait
	l.unlock();	   // expect T1: unlock m
	t.join();	   // expect T1: join T2
	return runs == 2 ? 0 : 1; // expect T1: conddestroy c; threadend
}
