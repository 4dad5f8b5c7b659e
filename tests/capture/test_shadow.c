/*
 * Two threads want tags for one block of addresses, and one comes when the other has mapped them
 * and not yet said so.
 */
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "capture/tag.h"
#include "capture/harness.h"

#define BLOCK ((void *)((uintptr_t)40 << 40)) /* Linux puts nothing there by itself */

static __thread bool is_first, is_second;
static bool is_mapping, first_mapped, second_over, second_good;
static pthread_t second;

static void *second_run(void *unused)
{
	(void)unused;
	is_second = true;
	while (!__atomic_load_n(&first_mapped, __ATOMIC_ACQUIRE))
		sched_yield();
	second_good = tag_cover(BLOCK, 1);
	__atomic_store_n(&second_over, true, __ATOMIC_RELEASE);
	return NULL;
}

/* The first is held up at the call after its mmap, until the second has been through or waits. */
static void watch(long number)
{
	if (is_second && number == SYS_futex)
		__atomic_store_n(&second_over, true, __ATOMIC_RELEASE);
	if (is_first && is_mapping && number != SYS_mmap) {
		__atomic_store_n(&first_mapped, true, __ATOMIC_RELEASE);
		while (!__atomic_load_n(&second_over, __ATOMIC_ACQUIRE))
			sched_yield();
	}
	if (is_first && number == SYS_mmap)
		is_mapping = true;
}

static void race(void)
{
	bool good;

	CAPTURE_CHECK(pthread_create(&second, NULL, second_run, NULL) == 0, "no thread");
	is_first = true;
	capture_watch = watch;
	good = tag_cover(BLOCK, 1);
	pthread_join(second, NULL);
	CAPTURE_CHECK(good && second_good, "the block is not covered: %d %d", good, second_good);
	*tag_of(BLOCK) = 1;
}

static void refuse(void)
{
	uint64_t *tag = tag_of((char *)BLOCK + (1u << 20));
	void *page = (void *)((uintptr_t)tag & ~(uintptr_t)4095);

	/* Something of the program lies where the tags would. */
	CAPTURE_CHECK(mmap(page, 4096, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == page,
		      "no page");
	CAPTURE_CHECK(!tag_cover(BLOCK, 1), "tags over memory of the program");
	CAPTURE_CHECK(!tag_cover(BLOCK, 1), "and again");
	CAPTURE_CHECK(*(char *)page == 0, "the page was touched");
}

/* Tags of a block that begins are INIT, whether or not the kernel takes the pages back. */
static char pages[64 * 4096] __attribute__((aligned(4096)));

static void reset(void)
{
	for (int lock = 0; lock < 2; lock++) {
		char *from = pages + 100, *to = pages + sizeof(pages) - 100;

		for (char *p = pages; p < pages + sizeof(pages); p += 8)
			*tag_of(p) = 7;
		if (lock)
			CAPTURE_CHECK(mlock(tag_of(pages), sizeof(pages)) == 0, "not locked");
		tag_reset(from, (size_t)(to - from));
		for (char *p = pages; p < pages + sizeof(pages); p += 8)
			CAPTURE_CHECK((*tag_of(p) == 0) == (p >= pages + 4096 &&
							    p < pages + sizeof(pages) - 4096),
				      "tag %td, locked %d", p - pages, lock);
	}
}

static const struct capture_case cases[] = {
	{ .name = "two cover one block", .run = race },
	{ .name = "no room for tags", .run = refuse },
	{ .name = "tags are INIT again", .run = reset },
};

int main(int argc, char **argv)
{
	return CAPTURE_MAIN(argc, argv, cases);
}
