/*
 * Memory that is always there: out of memory ends the tool with a message, so
 * nobody else checks.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>
#include <stdint.h>

void *mem_alloc(size_t n);  /* uninitialised */
void *mem_zalloc(size_t n); /* zeroed */
void *mem_resize(void *p, size_t n);
void *mem_grow(void *p, size_t *capacity, size_t need, size_t item); /* doubling */
char *mem_strdup(const char *s);
char *mem_text(const void *bytes, size_t n); /* the bytes and a NUL */
void mem_free(void *p);
/* Several at once: MEM_FREE_ALL(a, b, c). */
#define MEM_FREE_ALL(...)                            \
	mem_free_all((void *const[]){ __VA_ARGS__ }, \
		     sizeof((void *const[]){ __VA_ARGS__ }) / sizeof(void *))
void mem_free_all(void *const *p, size_t n);
/* Zeroes n bytes.  Compilers open-code memset of a few hundred bytes as `rep stos', which takes
 * three times as long as libc's; this one is a call. */
void mem_zero(void *p, size_t n);
/* Bytes that may be used: FORESEE_MEMORY (MiB), else parts/of of what is free now; 0: unknown. */
uint64_t mem_share(uint64_t parts, uint64_t of);

#endif /* BASE_MEM_H */
