#include "base/common.h"

static void *checked(void *p, size_t n)
{
	if (p == NULL && n != 0) {
		fprintf(stderr, "foresee: out of memory (asked for %zu bytes)\n", n);
		exit(2);
	}
	return p;
}

void *mem_alloc(size_t n)
{
	return checked(malloc(n), n);
}

void *mem_zalloc(size_t n)
{
	return checked(calloc(1, n), n);
}

void *mem_resize(void *p, size_t n)
{
	return checked(realloc(p, n), n);
}

void *mem_grow(void *p, size_t *capacity, size_t need, size_t item)
{
	size_t c = *capacity < 8 ? 8 : *capacity;

	if (need <= *capacity)
		return p;
	while (c < need) {
		if (c > (size_t)-1 / 2 / item)
			checked(NULL, (size_t)-1);
		c *= 2;
	}
	*capacity = c;
	return mem_resize(p, c * item);
}

char *mem_text(const void *bytes, size_t n)
{
	char *copy = mem_alloc(n + 1);

	memcpy(copy, bytes, n);
	copy[n] = '\0';
	return copy;
}

char *mem_strdup(const char *s)
{
	return mem_text(s, strlen(s));
}

void mem_free(void *p)
{
	free(p);
}

void mem_free_all(void *const *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		mem_free(p[i]);
}

void mem_zero(void *p, size_t n)
{
	memset(p, 0, n);
}

uint64_t mem_share(uint64_t parts, uint64_t of)
{
	const char *given = getenv("FORESEE_MEMORY");
	uint64_t kib = given ? strtoull(given, NULL, 10) * 1024 : 0;
	char line[100];
	FILE *f = kib ? NULL : fopen("/proc/meminfo", "re");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1) {
			kib = kib / of * parts;
			break;
		}
	if (f)
		fclose(f);
	return kib * 1024;
}
