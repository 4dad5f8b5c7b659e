/* What memory the values pass through. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

struct pair {
	int left;
	long right;
};
struct pair one, two;
struct large {
	int at[32];
} big, other;
int x, y, z;
unsigned char byte;
char bytes[64];
volatile int device;
static int hidden;
__thread int own;
const int table[4] = { 1, 2, 3, 4 };
union {
	int i;
	float f;
} both;
typedef int v4 __attribute__((vector_size(16)));
v4 vec, vec2;
long double ext;
__int128 huge;
struct {
	unsigned a : 3, b : 5;
} bits;
jmp_buf env;
void *builtin_env[5];
void escape(int *);
void take(struct large);
void ignored(void) __attribute__((annotate("foresee_ignore")));

void member(struct pair *q)
{
	int left = q->left; /* = read pair.left free */

	q->right += left; /* = read pair.right free; write pair.right fed:-2,0 */
}

void member_of_global(void)
{
	one.left = two.left; /* = read two.left free; write one.left fed:0 */
}

void struct_copy(void)
{
	big = other; /* = range big copy */
}

void copied(char *q, unsigned long n)
{
	memcpy(bytes, q, n); /* = range bytes copy */
}

void moved(unsigned long n)
{
	memmove(bytes, bytes + 1, n); /* = range bytes copy */
}

void length_loaded(char *q)
{
	memcpy(bytes, q, (unsigned long)x); /* = read x binding; range bytes copy */
}

void filled(unsigned long n)
{
	memset(bytes, byte, n); /* = read byte free; range bytes fed:0 */
}

void filled_constant(void)
{
	memset(&big, 0, sizeof(big)); /* = range big unfed */
}

void filled_private(int n)
{
	char local[64];

	memset(local, byte, 64); /* = read byte binding */
	x = local[n & 63];	 /* = write x unfed */
}

int fetched(int n)
{
	struct large mine = big; /* = range big binding */

	return mine.at[n & 31];
}

void put(int n)
{
	struct large mine;

	for (int i = 0; i < 32; i++)
		mine.at[i] = n * i;
	mine.at[n & 31] = 3;
	big = mine; /* = range big unfed */
}

void volatile_access(void)
{
	device = x; /* = read x binding; write device unfed */
	y = device; /* = read device binding; write y unfed */
}

void static_global(void)
{
	hidden++; /* = read hidden free; write hidden fed:0 */
	escape(&hidden);
}

void thread_local_global(void)
{
	own++; /* = read own free; write own fed:0 */
}

int constant_table(int i)
{
	return table[i & 3];
}

void private_local(void)
{
	volatile int v = x; /* = read x binding */

	if (v)
		y = 1; /* = write y unfed */
}

void private_array(int i)
{
	int local[8];

	local[i & 7] = x; /* = read x binding */
	local[(i + 1) & 7] = 1;
	y = local[(i + 3) & 7]; /* = write y unfed */
}

void escaping_local(void)
{
	int local = x; /* = read x free; write local fed:0 */

	escape(&local);
	y = local; /* = read local free; write y fed:0 */
}

void unescaped_local(void)
{
	int local = x; /* = read x free */

	local += 4;
	y = local; /* = write y fed:-3 */
}

void read_twice(void)
{
	y = x * x; /* = read x free; write y fed:0 */
}

void read_twice_decided(void)
{
	int a = x; /* O0= read x tested:ne:0/32 */ /* O2= read x tested:eq:0/32 */
	int b = x;

	y = a; /* = write y fed:-3 */
	if (b)
		z = 1; /* = write z unfed */
}

void ignored(void)
{
	x++;
}

void own_store(void)
{
	x = y;					    /* = read y free; write x fed:0 */
	z = x; /* O0= read x free; write z fed:0 */ /* O2= write z fed:-1 */
}

void type_punned(void)
{
	both.f = 1.5f;					      /* = write both.i unfed */
	x = both.i; /* O0= read both.i free; write x fed:0 */ /* O2= write x unfed */
}

void bit_field(void)
{
	bits.a = 5; /* = read bits.a free; write bits.a fed:0 */
}

void vectors(void)
{
	vec = vec + vec2; /* = range vec free; range vec2 free; range vec fed:0 */
}

void long_double(void)
{
	ext *= 2; /* = range ext free; range ext fed:0 */
}

void int128(void)
{
	huge += 3; /* = range huge free; range huge fed:0 */
}

void by_value(void)
{
	take(big); /* O0= range big binding */
	x++;	   /* = read x free; write x fed:0 */
}

int jumped(void)
{
	x++; /* = read x binding; write x unfed */
	if (setjmp(env))
		return 1;
	y = x; /* = read x binding; write y unfed */
	return 0;
}

void jumped_builtin(void)
{
	x++;				   /* = read x binding; write x unfed */
	if (__builtin_setjmp(builtin_env)) /* = write builtin_env[] unfed */
		y = x;			   /* = read x binding; write y unfed */
}

int variadic(int n, ...)
{
	va_list args;
	int s = 0;

	va_start(args, n);
	for (int i = 0; i < n; i++)
		s += va_arg(args, int);
	va_end(args);
	x = s; /* = write x unfed */
	return s;
}
