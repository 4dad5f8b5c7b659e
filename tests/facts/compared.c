/* Values of which only comparisons with constants decide. */
int x, y, z;
unsigned u;
signed char sc;
unsigned char uc;
short sh;
long wide;
int *pointer;
void sink(int);

void at_least(void)
{
	if (x >= 30) /* O0= read x tested:ge:30/32 */ /* O2= read x tested:gt:29/32 */
		sink(1);
}

void without_sign(void)
{
	if (u < 7) /* = read u tested:ult:7/32 */
		sink(1);
}

/* 200 is more than any signed char: nothing is compared. */
void never(void)
{
	if (sc == 200) /* O0= read sc tested */
		sink(1);
}

void narrow_signed(void)
{
	if (sc < -5) /* = read sc tested:lt:-5/8 */
		sink(1);
}

/* As an int it is 0 .. 255. */
void narrow_unsigned(void)
{
	if (uc > 199) /* = read uc tested:ugt:199/8 */
		sink(1);
}

/* Copies of the sign are compared without one. */
void sign_lost(void)
{
	if ((unsigned)sh > 70000u) /* O0= read sh binding */ /* O2= read sh tested:lt:0/16 */
		sink(1);
}

void bits(void)
{
	if (x & 4) /* O0= read x tested:ne:0/32&4 */ /* O2= read x tested:eq:0/32&4 */
		sink(1);
}

void low_part(void)
{
	if ((unsigned char)wide == 3) /* = read wide tested:eq:3/8 */
		sink(1);
}

void not_null(void)
{
	if (pointer) /* O0= read pointer tested:ne:0/64 */ /* O2= read pointer tested:eq:0/64 */
		sink(1);
}

/* Then it is an address. */
void not_null_and_used(void)
{
	sink(pointer != 0); /* = read pointer tested:ne:0/64 */
	y = *pointer;	    /* = read pointer binding; read - free; write y fed:0 */
}

int outcome(void)
{
	return x == 9; /* = read x tested:eq:9/32 */
}

void stored_too(void)
{
	int v = x; /* O0= read x tested:ge:30/32 */ /* O2= read x tested:gt:29/32 */

	if (v >= 30)
		y = v - 30; /* = write y fed:-3 */
}

void also_returned(int n)
{
	int v = x; /* = read x binding */

	if (v >= 30)
		sink(1);
	sink(v);
}

/* The other side is no constant. */
void with_another(void)
{
	if (x >= y) /* = read x binding; read y binding */
		sink(1);
}

void two_of_them(void)
{
	int v = x; /* O0= read x tested:ge:10/32,lt:20/32 */ /* O2= read x binding */

	if (v >= 10 && v < 20)
		sink(1);
}

/* What is carried round a loop is of another execution. */
void carried(int n)
{
	int before = 0;

	do {
		if (before > 3)
			sink(1);
		before = x; /* = read x binding */
		sink(2);
	} while (--n > 0);
}

void polled(void)
{
	while (!y) /* O0= read y tested:ne:0/32 */ /* O2= read y tested:eq:0/32 */
		sink(1);
}
