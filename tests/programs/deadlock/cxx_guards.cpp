// Two lock_guards in one function, called with its arguments both ways.
#include <mutex>
#include <thread>

#include "../order.h"

static std::mutex a, b;
static int moved;

static void move(std::mutex &from, std::mutex &to)
{
	std::lock_guard<std::mutex> one(from);
	std::lock_guard<std::mutex> other(to); // deadlock guards x2
	moved++;
}

int main()
{
	std::thread t([] {
		move(a, b);
		order_at(0);
	});
	std::thread u([] {
		order_at(1);
		move(b, a);
	});

	t.join();
	u.join();
	return moved != 2;
}
