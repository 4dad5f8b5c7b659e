// std::lock and std::scoped_lock take two locks without waiting for one while holding the other.
#include <mutex>
#include <thread>

static std::mutex a, b;
static int moved;

// deadlock none
static void move(std::mutex &from, std::mutex &to)
{
	{
		std::scoped_lock both(from, to);
		moved++;
	}
	std::lock(from, to);
	std::lock_guard<std::mutex> one(from, std::adopt_lock);
	std::lock_guard<std::mutex> other(to, std::adopt_lock);
	moved++;
}

int main()
{
	std::thread t([] { move(a, b); });
	std::thread u([] { move(b, a); });

	t.join();
	u.join();
	return moved != 4;
}
