/* A level's arrays, and which of its cuts stay when not all can. */
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

bool level_same_cut(const struct level *v, size_t a, size_t b)
{
	uint32_t words = v->packing->words;

	return packing_compare(v->keys + a * words, v->keys + b * words, words) == 0;
}

/*
 * Which cuts of a level stay when not all can: the observed one; then, from near to far, those with
 * a configuration that no other kept one has; then the nearest.  Near is by the number of points
 * that are in one of the two cuts alone; of equally near ones the smaller come first.
 */

struct choice {
	struct level *v;
	const uint32_t *observed;
	size_t left; /* cuts that may still be kept */
	size_t ncuts;
	size_t *starts;	   /* by cut: its first entry; one more at the end */
	size_t *near;	   /* cuts by distance */
	uint8_t *kept;	   /* by cut */
	VEC(uint8_t) seen; /* by configuration: a kept cut has it */
};

static void list_cuts(struct choice *c)
{
	c->starts = mem_alloc((c->v->cuts + 1) * sizeof(*c->starts));
	for (size_t i = 0; i < c->v->n; i++)
		if (i == 0 || !level_same_cut(c->v, i - 1, i))
			c->starts[c->ncuts++] = i;
	c->starts[c->ncuts] = c->v->n;
}

static uint64_t distance(const struct choice *c, size_t cut)
{
	const struct packing *p = c->v->packing;
	const uint64_t *key = c->v->keys + c->starts[cut] * p->words;
	uint64_t sum = 0;

	for (uint32_t k = 0; k < p->nactive; k++) {
		uint32_t a = packing_count(p, key, p->active[k]), b = c->observed[p->active[k]];

		sum += a > b ? a - b : b - a;
	}
	return sum;
}

/* Sorted by counting: distances are small numbers. */
static void sort_cuts(struct choice *c)
{
	uint64_t *far = mem_alloc(c->ncuts * sizeof(*far)), most = 0;
	size_t *start;

	for (size_t i = 0; i < c->ncuts; i++) {
		far[i] = distance(c, i);
		most = far[i] > most ? far[i] : most;
	}
	start = mem_zalloc((most + 3) * sizeof(*start));
	c->near = mem_alloc(c->ncuts * sizeof(*c->near));
	SORT_BY_KEY(start, most + 1, i, c->ncuts, far[i], c->near[sort_at] = i);
	MEM_FREE_ALL(far, start);
}

static void keep_cut(struct choice *c, size_t cut)
{
	if (c->kept[cut] || !c->left)
		return;
	c->kept[cut] = 1;
	c->left--;
	for (size_t i = c->starts[cut]; c->v->configs && i < c->starts[cut + 1]; i++) {
		VEC_REACH(&c->seen, c->v->configs[i]);
		c->seen.at[c->v->configs[i]] = 1;
	}
}

static bool has_unseen(const struct choice *c, size_t cut)
{
	for (size_t i = c->starts[cut]; i < c->starts[cut + 1]; i++)
		if (c->v->configs[i] >= c->seen.n || !c->seen.at[c->v->configs[i]])
			return true;
	return false;
}

/* The observed cut is the nearest, so it is the first. */
static void choose(struct choice *c)
{
	for (size_t i = 0; c->v->configs && c->left && i < c->ncuts; i++)
		if (has_unseen(c, c->near[i]))
			keep_cut(c, c->near[i]);
	for (size_t i = 0; c->left && i < c->ncuts; i++)
		keep_cut(c, c->near[i]);
}

static void move_entry(struct level *v, size_t to, size_t from)
{
	uint32_t words = v->packing->words;

	memmove(v->keys + to * words, v->keys + from * words, words * sizeof(*v->keys));
	if (v->configs)
		v->configs[to] = v->configs[from];
	if (v->limbs)
		memmove(v->counts + to * v->limbs, v->counts + from * v->limbs,
			v->limbs * sizeof(*v->counts));
}

void level_narrow(struct level *v, const uint32_t *observed, size_t keep)
{
	struct choice c = { .v = v, .observed = observed, .left = keep };
	size_t n = 0;

	if (v->cuts <= keep)
		return;
	list_cuts(&c);
	sort_cuts(&c);
	c.kept = mem_zalloc(c.ncuts);
	choose(&c);
	for (size_t i = 0; i < c.ncuts; i++)
		for (size_t k = c.starts[i]; c.kept[i] && k < c.starts[i + 1]; k++)
			move_entry(v, n++, k);
	v->n = n;
	v->cuts = keep - c.left;
	MEM_FREE_ALL(c.starts, c.near, c.kept);
	VEC_RELEASE(&c.seen);
}
