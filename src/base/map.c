#include "base/map.h"

#include <string.h>

#include "base/mem.h"

static uint64_t mix(uint64_t x)
{
	x ^= x >> 32;
	x *= 0x9e3779b97f4a7c15u;
	x ^= x >> 29;
	x *= 0xbf58476d1ce4e5b9u;
	return x ^ (x >> 32);
}

void map_init(struct map *m)
{
	memset(m, 0, sizeof(*m));
}

void map_release(struct map *m)
{
	mem_free(m->at);
	mem_free(m->used);
	map_init(m);
}

void map_clear(struct map *m)
{
	if (m->n != 0)
		memset(m->used, 0, m->capacity);
	m->n = 0;
}

/* The key's place, or the free place where it would go. */
static size_t find(const struct map *m, uint64_t key)
{
	size_t i = mix(key) & (m->capacity - 1);

	while (m->used[i] && m->at[i].key != key)
		i = (i + 1) & (m->capacity - 1);
	return i;
}

uint64_t *map_get(const struct map *m, uint64_t key)
{
	size_t i;

	if (m->n == 0)
		return NULL;
	i = find(m, key);
	return m->used[i] ? &m->at[i].value : NULL;
}

static void grow(struct map *m)
{
	struct map old = *m;

	m->capacity = old.capacity ? old.capacity * 2 : 16;
	m->at = mem_alloc(m->capacity * sizeof(*m->at));
	m->used = mem_zalloc(m->capacity);
	for (size_t i = 0; i < old.capacity; i++) {
		if (old.used[i]) {
			size_t k = find(m, old.at[i].key);

			m->at[k] = old.at[i];
			m->used[k] = 1;
		}
	}
	mem_free(old.at);
	mem_free(old.used);
}

uint64_t *map_put(struct map *m, uint64_t key, bool *fresh)
{
	size_t i;

	if ((m->n + 1) * 4 > m->capacity * 3)
		grow(m);
	i = find(m, key);
	if (fresh != NULL)
		*fresh = !m->used[i];
	if (!m->used[i]) {
		m->used[i] = 1;
		m->at[i].key = key;
		m->at[i].value = 0;
		m->n++;
	}
	return &m->at[i].value;
}

bool map_remove(struct map *m, uint64_t key)
{
	size_t mask = m->capacity - 1, hole, i;

	if (m->n == 0)
		return false;
	hole = find(m, key);
	if (!m->used[hole])
		return false;
	for (i = (hole + 1) & mask; m->used[i]; i = (i + 1) & mask) {
		size_t home = mix(m->at[i].key) & mask;

		/* Move back unless its home lies after the hole. */
		if (((i - home) & mask) >= ((i - hole) & mask)) {
			m->at[hole] = m->at[i];
			hole = i;
		}
	}
	m->used[hole] = 0;
	m->n--;
	return true;
}

bool map_next(const struct map *m, size_t *i, struct map_item *out)
{
	while (*i < m->capacity && !m->used[*i])
		(*i)++;
	if (*i >= m->capacity)
		return false;
	*out = m->at[(*i)++];
	return true;
}
