/* Loops that run on a buffer where they are optimised: their facts are those of the loop. */
long a[1000], b[1000], d[1000], factor;
int s[1000];

void map(unsigned n)
{
	for (unsigned i = 0; i < 9 + n % 32; i++)
		a[i] = b[i] * 3 + d[i]; /* = read b[] free; read d[] free; write a[] fed:0 */
}

void in_place(unsigned n)
{
	for (unsigned i = 0; i < 9 + n % 32; i++)
		a[i] = a[i] + 1; /* = read a[] free; write a[] fed:0 */
}

void scaled(unsigned n)
{
	long k = factor; /* = read factor free */

	for (unsigned i = 0; i < 9 + n % 32; i++)
		a[i] = b[i] * k; /* = read b[] free; write a[] fed:-3,0 */
}

void narrow(unsigned n)
{
	for (unsigned i = 0; i < 9 + n % 32; i++)
		s[i] = (int)b[i] + 1; /* = read b[] free; write s[] fed:0 */
}

/* A division may trap. */
void divided(unsigned n)
{
	for (unsigned i = 0; i < 9 + n % 32; i++)
		a[i] = 100 / b[i]; /* = read b[] binding; write a[] unfed */
}

long last(unsigned n)
{
	long x = 0;

	for (unsigned i = 0; i < 9 + n % 32; i++) {
		x = b[i];     /* = read b[] binding */
		a[i] = x + 1; /* = write a[] unfed */
	}
	return x;
}
