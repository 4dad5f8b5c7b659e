/* A level's arrays. */
#include "lattice/lattice_priv.h"

void level_reserve(struct level *v, size_t n, bool configs)
{
	uint32_t words = v->packing->words;

	v->keys = mem_grow(v->keys, &v->key_room, (n + 1) * words, sizeof(*v->keys));
	if (configs)
		v->configs = mem_grow(v->configs, &v->config_room, n + 1, sizeof(*v->configs));
	if (v->limbs)
		v->counts =
			mem_grow(v->counts, &v->count_room, (n + 1) * v->limbs, sizeof(*v->counts));
}

void level_release(struct level *v)
{
	MEM_FREE_ALL(v->keys, v->configs, v->counts);
	*v = (struct level){ 0 };
}

size_t level_search(const struct level *v, const uint64_t *key)
{
	uint32_t words = v->packing->words;

	return SEARCH_PAST(i, 0, v->n, packing_compare(v->keys + i * words, key, words) < 0);
}

bool level_same_cut(const struct level *v, size_t a, size_t b)
{
	uint32_t words = v->packing->words;

	return packing_compare(v->keys + a * words, v->keys + b * words, words) == 0;
}
