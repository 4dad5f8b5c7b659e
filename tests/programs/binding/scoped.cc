/* Names with scopes: of a namespace, within it of a class, of no name at all. */
#include <cstdio>
#include <mutex>
#include <thread>

namespace store
{
struct entry {
	long version;
	bool valid;
};
static entry last;
struct cache {
	static int hits;
};
int cache::hits = 4;
std::mutex guard;
} // namespace store

namespace
{
int hidden = 2;
}

int main()
{
	std::thread t([] {
		std::lock_guard<std::mutex> lock(store::guard);
		store::last.version = 9;
		store::last.valid = true;
		store::cache::hits++;
		hidden++;
	});

	t.join();
	std::printf("%ld %d\n", store::last.version, store::cache::hits + hidden);
	return 0;
}
