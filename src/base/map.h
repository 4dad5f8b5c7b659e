/*
 * Hash map from 64-bit keys to 64-bit values.
 *
 * Open addressing with linear probing; a key may be any number.  Removal
 * shifts the run back, so there are no tombstones and a map that shrinks stays fast.
 *
 * Ownership: the caller owns the struct, which is empty when all zero; map_release frees what it holds and
 *            leaves it so.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_item {
	uint64_t key, value;
};

struct map {
	struct map_item *at; /* free buckets have the key MAP_FREE */
	size_t n, capacity;  /* capacity: 0 or a power of two */
	unsigned shift;	     /* 64 - log2 capacity */
	bool has_odd;	     /* the key MAP_FREE itself is kept apart */
	uint64_t odd;
};

#define MAP_FREE UINT64_MAX

void map_release(struct map *m);
/* One that is released where its block ends: MAP_SCOPED seen = { 0 }; */
#define MAP_SCOPED __attribute__((cleanup(map_release))) struct map
/* Several at once: MAP_RELEASE_ALL(&a, &b). */
#define MAP_RELEASE_ALL(...)                                  \
	map_release_all((struct map *const[]){ __VA_ARGS__ }, \
			sizeof((struct map *const[]){ __VA_ARGS__ }) / sizeof(struct map *))
void map_release_all(struct map *const *maps, size_t n);
void map_clear(struct map *m);

/* Where the value is, or NULL.  Good until the next put or remove. */
uint64_t *map_get(const struct map *m, uint64_t key);
/* Where the value is, made with value 0 when absent; *fresh (may be NULL) says which. */
uint64_t *map_put(struct map *m, uint64_t key, bool *fresh);
bool map_remove(struct map *m, uint64_t key);

/* Walk: i = 0; while (map_next(m, &i, &item)) ... in no particular order. */
bool map_next(const struct map *m, size_t *i, struct map_item *out);

#endif /* BASE_MAP_H */
