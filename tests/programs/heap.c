/* Blocks of memory begin, end, and come back. */
#include <assert.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BIG (4u << 20)

static int *volatile p;
static uintptr_t was;

int main(void)
{
	void *q;

	p = malloc(1000);
	*p = 7; // see T1: alloc; write 7; free
	was = (uintptr_t)p;
	free(p);
	p = malloc(1000); /* glibc gives the same block again: another life */
	assert((uintptr_t)p == was);
	*p = 8;		     // see T1: alloc; write 8
	p = realloc(p, 900); /* it fits: nothing happens */
	assert((uintptr_t)p == was);
	p = realloc(p, 10000);
	assert(*p == 8); // see T1: alloc; write; free; read 8
	p = realloc(p, 16);
	assert(*p == 8); // see T1: alloc; write; free; read 8
	free(p);	 // see T1: free
	p = calloc(10, 4);
	assert(p[9] == 0); // see T1: alloc zeroed; read 0
	free(p);
	assert(posix_memalign(&q, 64, 100) == 0 && (uintptr_t)q % 64 == 0);
	free(q); // see T1: alloc; free
	p = aligned_alloc(64, 128);
	free(p); // see T1: alloc; free
	p = memalign(64, 128);
	free(p); // see T1: alloc; free
	p = malloc(BIG);
	p[BIG / 8] = 9;
	assert(p[BIG / 8] == 9); // see T1: alloc; write 9; free
	free(p);
	p = reallocarray(NULL, 4, 4);
	assert(reallocarray(p, SIZE_MAX, 2) == NULL);
	free(p); // see T1: alloc; free
	return 0;
}
// never T1: unknown
