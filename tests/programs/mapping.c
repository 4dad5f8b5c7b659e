/* Mappings begin, end, move, and are laid over each other. */
#define _GNU_SOURCE
#include <assert.h>
#include <stddef.h>
#include <sys/mman.h>

#define PAGE 4096

static int *map(void *at, int flags)
{
	return mmap(at, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1,
		    0);
}

int main(void)
{
	int *volatile p = map(NULL, 0);

	p[1] = 5;
	assert(p[1] == 5 && p[2] == 0); // see T1: alloc zeroed; write 5; read 0
	assert(map(p, MAP_FIXED) == p);
	assert(p[1] == 0); // see T1: free; alloc zeroed; read 0
	p[1] = 6;
	p = mremap(p, 2 * PAGE, 64 * PAGE, MREMAP_MAYMOVE);
	assert(p != MAP_FAILED && p[1] == 6); // see T1: free; alloc; read 6
	p = mremap(p, 64 * PAGE, PAGE, 0);
	assert(p[1] == 6); // see T1: free; read 6
	munmap(p, PAGE);   // see T1: free; threadend
	return 0;
}
// never T1: unknown
