/* Additions to shared memory.  The name of a function says whether one hook does it: yes_, or no_. */
#include <stdatomic.h>
#include <stdbool.h>

struct part {
	int at;
	unsigned bits : 5;
};

extern volatile long watched;
extern float ratio;
extern __int128 wide;
long call(long x);

void yes_increment(int *p)
{
	++*p;
}

void yes_char(char *p)
{
	++*p;
}

void yes_short(unsigned short *p)
{
	--*p;
}

void yes_subtract(long *p, long by)
{
	*p -= by;
}

void yes_member(struct part *p, int i, int by)
{
	p[i].at += 3 * by;
}

void yes_volatile(void)
{
	watched++;
}

/* What was read decides, so it binds. */
long yes_old(long *p)
{
	return (*p)++;
}

bool yes_new(long *p, long by)
{
	*p += by;
	return *p * by > 7;
}

/* Read before it. */
void yes_product(long *p, volatile long *q)
{
	long by = *q;

	*p += by * by;
}

void no_product(long *p)
{
	*p *= 3;
}

void no_other_place(long *p, long *q)
{
	*q = *p + 1;
}

/* Two reads feed the store. */
void no_sum(long *p, const long *q)
{
	*p += *q;
}

/* The store may be elsewhere. */
long no_branch(long *p, long by)
{
	long x = *p;

	if (by > 3)
		*p = x + by;
	return x;
}

void no_call(long *p)
{
	long x = *p;

	call(3);
	*p = x + 1;
}

void no_read_between(long *p, volatile int *q)
{
	long x = *p, y = *q;

	*p = x + y;
}

void no_atomic(atomic_int *p)
{
	atomic_fetch_add(p, 1);
}

void no_atomic_parts(atomic_int *p)
{
	int x = atomic_load_explicit(p, memory_order_relaxed);

	atomic_store_explicit(p, x + 1, memory_order_relaxed);
}

void no_bits(struct part *p)
{
	p->bits++;
}

void no_float(void)
{
	ratio += 1;
}

void no_wide(void)
{
	wide++;
}

void no_twice(long *p)
{
	long x = *p;

	*p = x + x;
}

void no_negation(long *p)
{
	*p = 7 - *p;
}

long no_local(long n)
{
	long sum = 3;

	sum += n;
	return sum;
}

/* Only compared, it may be left out when it comes again. */
void no_tested(long *p)
{
	long x = *p;

	*p = x + 1;
	if (x == 7)
		call(1);
}
