/* Lines through a pipe, up to its end, which does not come as long as it is open. */
#include <stdio.h>
#include <unistd.h>

#include "explore.h"

static int ends[2];

static void *says(void *arg)
{
	FILE *to = fdopen(ends[1], "w");

	fputs("one\ntwo\n", to);
	if (fixed)
		fclose(to);
	else
		fflush(to);
	return arg;
}

static void *hears(void *arg)
{
	FILE *from = fdopen(ends[0], "r");
	char line[16];
	int n = 0;

	while (fgets(line, sizeof(line), from))
		n++;
	assert(n == 2);
	return arg;
}

int main(void)
{
	if (pipe(ends) != 0)
		abort();
	RUN(hears, says);
	return 0;
}
