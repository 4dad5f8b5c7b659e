/*
 * A copy of a local variable that was set in part: its other words are still those of the event
 * that brought it to life, which has one number for all of them.
 */
#include <string.h>

struct parts {
	long a, b, c;
} kept;

__attribute__((noinline)) static void keep(struct parts *p)
{
	p->a = 1;
	p->b = 2;
	memcpy(&kept, p, sizeof(kept)); // see T1: read; write
}

int main(void)
{
	struct parts p;

	keep(&p);
	return (int)kept.a - 1;
}
