/*
 * Damaged copies of a recording, for tests/cli/t6040-hostile.sh.
 *
 *	damage FILE DIR SEED CUTS FLIPPED FLIPS
 *
 * DIR/cN is the file cut short; DIR/fN has FLIPS bytes changed.  Of every two of those one has
 * its sums made right again, or the reader would stop at them.  Most of a recording is room that
 * was not used: places are those of bytes that are not 0.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/format.h"

static uint64_t seed;

static size_t pick(size_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (size_t)(seed >> 33) % n;
}

static void *need(void *p)
{
	if (!p) {
		perror("damage");
		exit(2);
	}
	return p;
}

static uint8_t *file_read(const char *path, size_t *n)
{
	FILE *f = need(fopen(path, "rb"));
	uint8_t *p;

	fseek(f, 0, SEEK_END);
	*n = (size_t)ftell(f);
	rewind(f);
	p = need(malloc(*n + 1));
	if (fread(p, 1, *n, f) != *n)
		need(NULL);
	fclose(f);
	return p;
}

static void file_write(const char *dir, char kind, int number, const uint8_t *p, size_t n)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%c%d", dir, kind, number);
	f = need(fopen(path, "wb"));
	if (fwrite(p, 1, n, f) != n || fclose(f) != 0)
		need(NULL);
}

/* From one chunk to the next, or by the least step where there is none. */
static void sums_mend(uint8_t *p, size_t n)
{
	size_t at = FORMAT_ALIGN;

	while (at + sizeof(struct format_chunk) <= n) {
		struct format_chunk c;
		size_t body = at + sizeof(c);

		memcpy(&c, p + at, sizeof(c));
		at += FORMAT_ALIGN;
		if (c.magic != FORMAT_CHUNK || !(c.flags & FORMAT_CHUNK_CLOSED) ||
		    c.used > n - body)
			continue;
		c.sum = format_sum(p + body, c.used, c.number);
		c.head_sum = format_head_sum(&c);
		memcpy(p + body - sizeof(c), &c, sizeof(c));
		at = body + (((size_t)c.used + FORMAT_ALIGN - 1) & ~(size_t)(FORMAT_ALIGN - 1));
	}
}

int main(int argc, char **argv)
{
	uint8_t *p, *copy;
	size_t n, nplaces = 0, *places;
	int cuts, flipped, flips;

	if (argc != 7)
		return 2;
	p = file_read(argv[1], &n);
	copy = need(malloc(n + 1));
	places = need(malloc((n + 1) * sizeof(*places)));
	for (size_t i = 0; i < n; i++)
		if (p[i])
			places[nplaces++] = i;
	if (nplaces == 0)
		return 2;
	seed = strtoull(argv[3], NULL, 10);
	cuts = atoi(argv[4]);
	flipped = atoi(argv[5]);
	flips = atoi(argv[6]);
	for (int i = 0; i < cuts; i++)
		file_write(argv[2], 'c', i, p, places[pick(nplaces)]);
	for (int i = 0; i < flipped; i++) {
		memcpy(copy, p, n);
		for (int k = 0; k < flips; k++)
			copy[places[pick(nplaces)]] = (uint8_t)pick(256);
		if (i % 2)
			sums_mend(copy, n);
		file_write(argv[2], 'f', i, copy, n);
	}
	free(p);
	free(copy);
	free(places);
	return 0;
}
