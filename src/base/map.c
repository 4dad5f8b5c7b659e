/*
 * The reference model is an array of pairs searched from the front;
 * tests/unit/test_map.c holds this file to it on random operations.
 *
 * A bucket is one pair, so that a look-up that hits at once touches one cache
 * line.  A free bucket is marked by its key; the one key that is the mark lives
 * beside the table.
 */
#include "base/common.h"

static size_t home(const struct map *m, uint64_t key)
{
	return (size_t)(hash_upper(key ^ key >> 32) >> m->shift);
}

void map_release(struct map *m)
{
	mem_free(m->at);
	*m = (struct map){ 0 };
}

void map_release_all(struct map *const *maps, size_t n)
{
	for (size_t i = 0; i < n; i++)
		map_release(maps[i]);
}

static void clear(struct map *m)
{
	for (size_t i = 0; i < m->capacity; i++)
		m->at[i].key = MAP_FREE;
}

void map_clear(struct map *m)
{
	if (m->n != 0)
		clear(m);
	m->n = 0;
	m->has_odd = false;
}

/* The bucket of the key, or the free one where it would go. */
static size_t find(const struct map *m, uint64_t key)
{
	size_t i = home(m, key);

	while (m->at[i].key != key && m->at[i].key != MAP_FREE)
		i = (i + 1) & (m->capacity - 1);
	return i;
}

uint64_t *map_get(const struct map *m, uint64_t key)
{
	size_t i;

	if (key == MAP_FREE)
		return m->has_odd ? (uint64_t *)&m->odd : NULL;
	if (m->capacity == 0)
		return NULL;
	i = find(m, key);
	return m->at[i].key == key ? &m->at[i].value : NULL;
}

static void grow(struct map *m)
{
	struct map old = *m;

	m->capacity = old.capacity ? old.capacity * 2 : 16;
	m->shift = 64 - (unsigned)__builtin_ctzll(m->capacity);
	m->at = mem_alloc(m->capacity * sizeof(*m->at));
	clear(m);
	for (size_t i = 0; i < old.capacity; i++)
		if (old.at[i].key != MAP_FREE)
			m->at[find(m, old.at[i].key)] = old.at[i];
	mem_free(old.at);
}

static uint64_t *put_odd(struct map *m, bool *fresh)
{
	if (fresh != NULL)
		*fresh = !m->has_odd;
	if (!m->has_odd)
		m->odd = 0;
	m->has_odd = true;
	return &m->odd;
}

uint64_t *map_put(struct map *m, uint64_t key, bool *fresh)
{
	size_t i;

	if (key == MAP_FREE)
		return put_odd(m, fresh);
	if ((m->n + 1) * 3 > m->capacity * 2)
		grow(m);
	i = find(m, key);
	if (fresh != NULL)
		*fresh = m->at[i].key != key;
	if (m->at[i].key != key) {
		m->at[i] = (struct map_item){ key, 0 };
		m->n++;
	}
	return &m->at[i].value;
}

bool map_remove(struct map *m, uint64_t key)
{
	size_t mask = m->capacity - 1, hole, i;
	bool had = m->has_odd;

	if (key == MAP_FREE) {
		m->has_odd = false;
		return had;
	}
	if (m->n == 0)
		return false;
	hole = find(m, key);
	if (m->at[hole].key != key)
		return false;
	for (i = (hole + 1) & mask; m->at[i].key != MAP_FREE; i = (i + 1) & mask) {
		/* Move back unless its home lies after the hole. */
		if (((i - home(m, m->at[i].key)) & mask) >= ((i - hole) & mask)) {
			m->at[hole] = m->at[i];
			hole = i;
		}
	}
	m->at[hole].key = MAP_FREE;
	m->n--;
	return true;
}

bool map_next(const struct map *m, size_t *i, struct map_item *out)
{
	while (*i < m->capacity && m->at[*i].key == MAP_FREE)
		(*i)++;
	if (*i < m->capacity) {
		*out = m->at[(*i)++];
		return true;
	}
	if (*i == m->capacity && m->has_odd) {
		*out = (struct map_item){ MAP_FREE, m->odd };
		(*i)++;
		return true;
	}
	return false;
}
