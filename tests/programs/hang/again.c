/* Hangs, with one thread: a lock that does not nest is taken twice. */
#include <threads.h>

static mtx_t m;

int main(void)
{
	mtx_init(&m, mtx_plain);
	mtx_lock(&m);
	mtx_lock(&m); // last T1: request m
	return 0;
}
