/* Two threads send a byte each, and the first that comes is taken for the first thread's. */
#include <unistd.h>

#include "explore.h"

static int ends[2];

static void *sends(void *arg)
{
	char c = (char)('a' + NUMBER(arg));

	if (write(ends[1], &c, 1) != 1)
		abort();
	return NULL;
}

static void *takes(void *arg)
{
	char c[2];

	if (read(ends[0], &c[0], 1) != 1 || read(ends[0], &c[1], 1) != 1)
		abort();
	if (fixed)
		assert(c[0] != c[1]);
	else
		assert(c[0] == 'a');
	return arg;
}

int main(void)
{
	if (pipe(ends) != 0)
		abort();
	RUN(sends, sends, takes);
	return 0;
}
