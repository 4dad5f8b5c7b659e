/* base/map against the reference model: an array of pairs. */
#include "base/map.h"
#include "base/vec.h"
#include "tap.h"

static VEC(struct map_item) model;

static struct map_item *model_find(uint64_t key)
{
	for (size_t i = 0; i < model.n; i++)
		if (model.at[i].key == key)
			return &model.at[i];
	return NULL;
}

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Few distinct keys, so that all operations hit: small, aligned, huge, and the odd one. */
static uint64_t random_key(uint64_t *state)
{
	uint64_t r = random_next(state), k = r >> 8 & 63;

	switch (r & 3) {
	case 0:
		return k;
	case 1:
		return k << 40;
	case 2:
		return 0x7f0000000000 + 8 * k;
	default:
		return UINT64_MAX - (k & 3);
	}
}

static bool same(const struct map *m)
{
	struct map_item item;
	size_t i = 0, n = 0;

	while (map_next(m, &i, &item)) {
		struct map_item *its = model_find(item.key);

		if (its == NULL || its->value != item.value)
			return false;
		n++;
	}
	return n == model.n;
}

static bool step(struct map *m, uint64_t *state)
{
	uint64_t key = random_key(state), value = random_next(state), *at;
	struct map_item *its = model_find(key);
	bool fresh;

	switch (random_next(state) % 3) {
	case 0:
		at = map_put(m, key, &fresh);
		if (fresh != (its == NULL) || (its == NULL ? *at != 0 : *at != its->value))
			return false;
		*at = value;
		if (its == NULL) {
			*VEC_PUSH(&model) = (struct map_item){ key, value };
		} else {
			its->value = value;
		}
		return true;
	case 1:
		if (map_remove(m, key) != (its != NULL))
			return false;
		if (its != NULL)
			*its = model.at[--model.n];
		return true;
	default:
		at = map_get(m, key);
		return its == NULL ? at == NULL : at != NULL && *at == its->value;
	}
}

int main(void)
{
	uint64_t state = 0x9e3779b97f4a7c15;
	struct map m = { 0 };
	bool good = true;

	TAP_OK(map_get(&m, 7) == NULL && !map_remove(&m, 7), "an empty map has nothing");
	for (int i = 0; i < 200000 && good; i++) {
		good = step(&m, &state) && (i % 1000 != 0 || same(&m));
		if (i % 50000 == 49999) {
			map_clear(&m);
			VEC_CLEAR(&model);
		}
	}
	TAP_OK(good, "200000 random operations agree with the model");
	TAP_OK(same(&m), "and so does the walk at the end");
	map_release(&m);
	VEC_RELEASE(&model);
	return tap_done();
}
