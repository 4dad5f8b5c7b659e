/* Loops of each kind.  The name of a function says whether it is recorded as ranges: yes_, or no_. */
#include <stdatomic.h>

struct pair {
	long x, y;
};

extern volatile int flag;
extern atomic_int counter;
long call(long x);

void yes_map(long *p, const long *q, const long *r, int n)
{
	for (int i = 0; i < n; i++)
		p[i] = q[i] + r[i + 1];
}

void yes_in_place(int *p, int n)
{
	for (int i = 0; i < n; i++)
		p[i] = p[i] * 3;
}

long yes_sum(const long *p, int n, long stride)
{
	long s = 0;

	for (int i = 0; i < n; i++)
		s += p[i * stride];
	return s;
}

long yes_down(const struct pair *p, long n)
{
	long s = 0;

	while (n-- > 0)
		s = s * 3 + p[n].y;
	return s;
}

void yes_outer_value(double *p, const double *q, const double *c, int n)
{
	double k = *c;

	for (int i = 0; i < n; i++)
		p[i] = q[i] * k;
}

/* A free read that is no range could not be named by the write. */
void no_free_gaps(struct pair *p, const struct pair *q, int n)
{
	for (int i = 0; i < n; i++)
		p[i].x = q[i].x + 1;
}

void no_two_places(long *p, long *q, const long *r, int n)
{
	for (int i = 0; i < n; i++) {
		p[i] = r[i];
		q[i] = r[i] + 1;
	}
}

long no_early_end(const long *p, int n)
{
	int i = 0;

	while (i < n && p[i] != 7)
		i++;
	return i;
}

void no_condition(long *p, const long *q, int n)
{
	for (int i = 0; i < n; i++)
		if (q[i] > 3)
			p[i] = i;
}

long no_list(const long *p, const int *where, int n)
{
	long s = 0;

	for (int i = 0; i < n; i++)
		s += p[where[i]];
	return s;
}

void no_volatile(volatile long *p, int n)
{
	for (int i = 0; i < n; i++)
		p[i] = i;
}

void no_atomic(long *p, int n)
{
	for (int i = 0; i < n; i++)
		p[i] = atomic_load_explicit(&counter, memory_order_relaxed);
}

void no_call(long *p, int n)
{
	for (int i = 0; i < n; i++)
		p[i] = call(p[i]);
}

long no_one_address(long *sum, const long *p, int n)
{
#pragma clang loop vectorize(disable)
	for (int i = 0; i < n; i++)
		*sum += p[i];
	return *sum;
}

void no_few(long *p, const long *q)
{
#pragma clang loop unroll(disable) vectorize(disable)
	for (int i = 0; i < 5; i++)
		p[i] = q[i] * 3;
}
