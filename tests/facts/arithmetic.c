/* Values that are only computed with. */
#include <math.h>

int x, y, z, w;
unsigned u;
long wide;
float f;
double d;
int *p;

void increment(void)
{
	x++; /* = read x free; write x fed:0 */
}

void copy(void)
{
	y = x; /* = read x free; write y fed:0 */
}

void two_sources(void)
{
	z = x + y * 3; /* = read x free; read y free; write z fed:0 */
}

void one_source_two_sinks(void)
{
	int v = x; /* = read x free */

	y = v + 1; /* = write y fed:-2 */
	z = v ^ 5; /* = write z fed:-3 */
}

void constant(void)
{
	x = 7; /* = write x unfed */
}

void unused_load(void)
{
	x; /* O0= read x free */
}

void unused_volatile_load(int *q)
{
	(void)*(volatile int *)q; /* = read *q binding */
}

void divide_by_constant(void)
{
	y = x / 10; /* = read x free; write y fed:0 */
	z = w % -7; /* = read w free; write z fed:0 */
	u = u / 3u; /* = read u free; write u fed:0 */
}

void divide(void)
{
	z = x / y; /* = read x binding; read y binding; write z unfed */
}

void divide_constant_by(void)
{
	z = 100 / x; /* = read x binding; write z unfed */
}

void shift(void)
{
	wide = (long)x << (y & 31) >> 2; /* = read x free; read y free; write wide fed:0 */
}

void compare(void)
{
	z = x < y; /* = read x free; read y free; write z fed:0 */
}

void select_value(void)
{
	int a = x, b = y, c = z; /* = read x free; read y free; read z free */

	w = (a & -c) | (b & c); /* = write w fed:-2 */
}

void minimum(void)
{
	int a = x; /* O2= read x free */ /* O0= read x binding */
	int b = y; /* O2= read y free */ /* O0= read y binding */

	z = a < b ? a : b; /* O2= write z fed:-2,-3 */ /* O0= write z unfed */
}

void floating(void)
{
	d = d * 2.0 + f; /* = read d free; read f free; write d fed:0 */
	f = (float)(d / 3.0); /* O0= read d free; write f fed:0 */ /* O2= write f fed:-1 */
}

void float_to_int(void)
{
	x = (int)f; /* = read f free; write x fed:0 */
}

void square_root(void)
{
	d = __builtin_fabs(d); /* = read d free; write d fed:0 */
}

void byte_swap(void)
{
	u = __builtin_bswap32(u); /* = read u free; write u fed:0 */
}

void pointer_value(void)
{
	p = p + 1; /* = read p free; write p fed:0 */
}

void narrow(void)
{
	wide = (signed char)x; /* = read x free; write wide fed:0 */
}

void too_many_feeds(int *a)
{
	int v = a[1] + a[2] + a[3] + a[4]; /* = read a[] free */

	v += a[5] + a[6] + a[7] + a[8]; /* = read a[] free */
	v += a[9] + a[10];		/* = read a[] binding */
	z = v;				/* = write z fed:-2,-4 */
}
