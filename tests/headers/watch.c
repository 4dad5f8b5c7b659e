/* Never recorded: see watch.h. */
#include "watch.h"

#include <string.h>
#include <unistd.h>

static unsigned char kept[4096];

long watch_find(const void *p, size_t n, int fill)
{
	const unsigned char *at = p;

	for (size_t i = 0; i < n; i++)
		if (at[i] != fill)
			return (long)i;
	return -1;
}

void watch_keep(const void *p, size_t n)
{
	memcpy(kept, p, n);
}

long watch_changed(const void *p, size_t n)
{
	const unsigned char *at = p;

	for (size_t i = 0; i < n; i++)
		if (at[i] != kept[i])
			return (long)i;
	return -1;
}

uint64_t watch_word(const uint64_t *p)
{
	return *p;
}

void watch_rewind(FILE *f, int fd)
{
	rewind(f);
	lseek(fd, 0, SEEK_SET);
}

void watch_saw(const char *name, int saw)
{
	if (!saw)
		fprintf(stderr, "%s: nothing seen\n", name);
}
