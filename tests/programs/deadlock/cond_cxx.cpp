/* Conditions of C++, with predicates; one of any lock, with a shared one. */
// deadlock none
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::mutex m;
static std::condition_variable c;
static std::shared_mutex table;
static std::condition_variable_any grown;
static int items, rows;

static void consumer()
{
	for (int i = 0; i < 2; i++) {
		std::unique_lock<std::mutex> hold(m);
		c.wait(hold, [] { return items > 0; });
		items--;
	}
	std::shared_lock<std::shared_mutex> look(table);
	grown.wait(look, [] { return rows == 2; });
}

static void producer()
{
	for (int i = 0; i < 2; i++) {
		{
			std::lock_guard<std::mutex> hold(m);
			items += 2;
		}
		c.notify_all();
		{
			std::unique_lock<std::shared_mutex> change(table);
			rows++;
		}
		grown.notify_all();
	}
}

int main()
{
	std::thread a(consumer), b(consumer), p(producer);

	a.join();
	b.join();
	p.join();
	return 0;
}
