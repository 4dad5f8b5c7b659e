/* A unit that looks at floating point exceptions: arithmetic leaves more than its value. */
#include <fenv.h>

double d;
int x;

void scale(void)
{
	d *= 3.0; /* = read d binding; write d unfed */
}

void increment(void)
{
	x++; /* = read x free; write x fed:0 */
}

int overflowed(void)
{
	return fetestexcept(FE_OVERFLOW);
}
