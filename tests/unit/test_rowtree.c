/* order/rowtree against plain arrays, on random rows with few and with many keys. */
#include "order/rowtree.h"

#include "base/mem.h"
#include "tap.h"

#define ROWS 40

static uint64_t state = 88172645463325252u;

static uint32_t random_below(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)((state >> 16) % n);
}

/* The reference: every row a full array. */
struct world {
	struct rowtree trees;
	uint32_t keys;
	uint32_t row[ROWS];
	uint32_t *plain; /* ROWS arrays */
	size_t bad;
};

static uint32_t *plain_of(struct world *w, uint32_t i)
{
	return w->plain + (size_t)i * w->keys;
}

static bool is_same(struct world *w, const struct rowtree *r, uint32_t row, const uint32_t *plain)
{
	uint32_t *cut = mem_zalloc((w->keys + 1) * sizeof(*cut));
	bool good = true;

	rowtree_into(r, row, cut);
	for (uint32_t k = 0; k < w->keys; k++)
		good &= cut[k] == plain[k] && rowtree_at(r, row, k) == plain[k];
	mem_free(cut);
	return good;
}

/* Pairs of keys that differ where both have something, as the definition says. */
static size_t clashes_naive(const uint32_t *a, const uint32_t *b, uint32_t keys)
{
	size_t n = 0;

	for (uint32_t k = 0; k + 1 < keys; k += 2)
		n += (a[k] || a[k + 1]) && (b[k] || b[k + 1]) &&
		     (a[k] != b[k] || a[k + 1] != b[k + 1]);
	return n;
}

/* Row i := row i joined with row j and raised; all others must stay what they are. */
static void step(struct world *w, struct rowtree *r, uint32_t i, uint32_t j)
{
	uint32_t mark = rowtree_mark(r), *mine = plain_of(w, i), *other = plain_of(w, j);
	struct rowtree_clashes clashes = { 0 };
	size_t expected = clashes_naive(mine, other, w->keys);

	if (random_below(2)) {
		w->row[i] = rowtree_join(r, w->row[i], w->row[j], mark, &clashes);
		w->bad += clashes.at.n != 2 * expected;
		for (size_t k = 0; k < clashes.at.n; k++)
			w->bad += mine[clashes.at.at[k].key] != clashes.at.at[k].mine ||
				  other[clashes.at.at[k].key] != clashes.at.at[k].other;
		for (uint32_t k = 0; k < w->keys; k++)
			mine[k] = mine[k] > other[k] ? mine[k] : other[k];
	}
	for (uint32_t n = random_below(4); n > 0; n--) {
		uint32_t key = random_below(w->keys), value = random_below(1000);

		w->row[i] = rowtree_raise(r, w->row[i], key, value, mark);
		mine[key] = mine[key] > value ? mine[key] : value;
	}
	VEC_RELEASE(&clashes.at);
}

static bool leq_naive(const uint32_t *a, const uint32_t *b, uint32_t keys, uint32_t but)
{
	for (uint32_t k = 0; k < keys; k++)
		if (k != but && a[k] > b[k])
			return false;
	return true;
}

static void compare(struct world *w, uint32_t i, uint32_t j)
{
	uint32_t but = random_below(w->keys + 1);

	w->bad += rowtree_leq(&w->trees, w->row[i], w->row[j], but) !=
		  leq_naive(plain_of(w, i), plain_of(w, j), w->keys, but);
}

/* What a scratch area makes is right, and leaves the rows it began with as they are. */
static void try_scratch(struct world *w)
{
	uint32_t *saved = mem_alloc((size_t)ROWS * w->keys * sizeof(*saved)), rows[ROWS];
	struct rowtree scratch;

	memcpy(saved, w->plain, (size_t)ROWS * w->keys * sizeof(*saved));
	memcpy(rows, w->row, sizeof(rows));
	rowtree_init_scratch(&scratch, &w->trees);
	for (int round = 0; round < 20; round++) {
		uint32_t i = random_below(ROWS), j = random_below(ROWS);

		step(w, &scratch, i, j);
		w->bad += !is_same(w, &scratch, w->row[i], plain_of(w, i));
		w->row[i] = rows[i];
		memcpy(plain_of(w, i), saved + (size_t)i * w->keys, w->keys * sizeof(*saved));
		rowtree_forget(&scratch);
	}
	for (uint32_t i = 0; i < ROWS; i++)
		w->bad += !is_same(w, &w->trees, rows[i], saved + (size_t)i * w->keys);
	rowtree_release(&scratch);
	mem_free(saved);
}

static void test_random(uint32_t keys)
{
	struct world w = { .keys = keys };

	rowtree_init(&w.trees, keys);
	w.plain = mem_zalloc((size_t)ROWS * keys * sizeof(*w.plain));
	for (int round = 0; round < 600; round++) {
		step(&w, &w.trees, random_below(ROWS), random_below(ROWS));
		compare(&w, random_below(ROWS), random_below(ROWS));
	}
	for (uint32_t i = 0; i < ROWS; i++)
		w.bad += !is_same(&w, &w.trees, w.row[i], plain_of(&w, i));
	try_scratch(&w);
	TAP_EQ(w.bad, 0, "%u keys", keys);
	rowtree_release(&w.trees);
	mem_free(w.plain);
}

/* Each row knows one counter more than the one before: a path each, not a row each. */
static void test_sharing(void)
{
	struct rowtree r;
	uint32_t row = 0, n = 20000;

	rowtree_init(&r, n);
	for (uint32_t k = 0; k < n; k++)
		row = rowtree_raise(&r, row, k, 1, rowtree_mark(&r));
	TAP_OK(r.n <= n * r.levels + 1, "%u rows take %u nodes", n, r.n);
	TAP_EQ(rowtree_at(&r, row, n - 1) + rowtree_at(&r, row, 0), 2, "and have all");
	rowtree_release(&r);
}

int main(void)
{
	const uint32_t keys[] = { 2, 16, 18, 100, 256, 300, 5000 };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		test_random(keys[i]);
	test_sharing();
	return tap_done();
}
