/* Values that decide something. */
int x, y, z, w;
int a[16];
struct node {
	struct node *next;
	int value;
};
struct node *head;
void sink(int), drain(int);
int source(void);

void branch(void)
{
	if (x) /* O0= read x tested:ne:0/32 */ /* O2= read x tested:eq:0/32 */
		y = 1;			       /* = write y unfed */
}

void branch_on_sum(void)
{
	/* clang-format off */
	if (++x > 3) /* O0= read x binding; write x unfed */ /* O2= read x tested:gt:2/32; write x fed:0 */
		y = 1; /* = write y unfed */
	/* clang-format on */
}

int branch_around(int c)
{
	int v = 0;

	if (c)
		v = x; /* = read x binding */
	return v;
}

int branch_between(int c)
{
	return c ? x : y; /* O0= read x binding; read y binding */ /* O2= read - binding */
}

void branch_in_loop(int c, int n)
{
	for (int i = 0; i < n; i++)
		if (c & i)
			x++; /* = read x free; write x fed:0 */
}

void while_loop(void)
{
	while (x) { /* O0= read x tested:ne:0/32 */ /* O2= read x tested:eq:0/32 */
		y++;				    /* = read y free; write y fed:0 */
		sink(1);
	}
}

void switched(void)
{
	switch (x) { /* = read x tested:eq:1/32,eq:7/32 */
	case 1:
		sink(1);
		break;
	case 7:
		y = z; /* = read z free; write y fed:0 */
		break;
	}
}

void index_read(void)
{
	y = a[x & 15]; /* = read x binding; read a[] free; write y fed:0 */
}

void index_write(void)
{
	a[x & 15] = y; /* = read x binding; read y free; write a[] fed:0 */
}

int returned(void)
{
	return x; /* = read x binding */
}

void argument(void)
{
	sink(x); /* = read x binding */
}

void result(void)
{
	x = source(); /* = write x unfed */
}

void chain(void)
{
	struct node *n = head->next; /* = read head binding; read node.next binding */

	x = n->value; /* = read node.value free; write x fed:0 */
}

int sum(int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s += a[i]; /* = read a[] binding */
	return s;
}

void sum_stored(int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s += a[i]; /* = read a[] binding */
	y = s;		   /* = write y unfed */
}

void loop_body(int n)
{
	for (int i = 0; i < n; i++) {
		a[i & 15] += x; /* = read a[] free; read x free; write a[] fed:0 */
		sink(i);
	}
}

void last_of_loop(int n)
{
	int last = 0;

	do {
		last = x; /* = read x free */
		sink(1);
	} while (--n > 0);
	y = last; /* = write y fed:-3 */
}

void previous_of_loop(int n)
{
	int before = 0;

	do {
		y = before; /* = write y unfed */
		before = x; /* = read x binding */
		sink(1);
	} while (--n > 0);
}

void diamond(int c)
{
	int v;

	if (c) {
		v = x; /* = read x free */
		sink(1);
	} else {
		v = y; /* = read y free */
		drain(2);
	}
	z = v; /* = write z fed:-3,-6 */
}

void diamond_decided(int c)
{
	int v;

	if (c) {
		v = x; /* = read x binding */
		sink(1);
	} else {
		v = y; /* = read y binding */
		drain(2);
	}
	if (v) {
		z = 1; /* = write z unfed */
		sink(3);
	}
}

int recursive(int n)
{
	x++; /* = read x free; write x fed:0 */
	if (n > 0 && recursive(n - 1) > 5)
		sink(4);
	y = x; /* = read x free; write y fed:0 */
	return n;
}

void irreducible(int n)
{
	int i = 0;

	if (n & 1)
		goto middle;
top:
	x++; /* = read x binding; write x unfed */
	sink(i);
middle:
	y++; /* = read y binding; write y unfed */
	sink(i);
	if (i++ < n)
		goto top;
}

void assembled(void)
{
	int v = x; /* = read x binding */

	__asm__ volatile("" : : "r"(v));
}

void assembled_memory(void)
{
	__asm__ volatile("incl %0" : "+m"(x)); /* = call - opaque */
}

void barrier(void)
{
	x++; /* = read x free; write x fed:0 */
	__asm__ volatile("" ::: "memory");
	x++; /* = read x free; write x fed:0 */
}

void indirect(void (*f)(void))
{
	f();
	x++; /* = read x free; write x fed:0 */
}
