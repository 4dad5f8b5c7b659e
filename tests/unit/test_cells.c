/* Cells against an array of bytes, and key sets against an array of flags, at random. */
#include "unit/tap.h"

#include "order/cells.h"
#include "base/keyset.h"

static uint64_t seed = 88172645463325252u;

static uint32_t dice(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 20) % n;
}

#define BYTES 96
#define TOUCHES 160
#define CELLS 1024

/* One touch as the model has it: which bytes, in which lifetime of each; and as cells, closed
 * under later splits. */
struct touch {
	int life[BYTES]; /* 0: not touched */
	bool cell[CELLS];
};

static struct touch touches[TOUCHES];

static bool touches_share_byte(const struct touch *a, const struct touch *b)
{
	for (int i = 0; i < BYTES; i++)
		if (a->life[i] && a->life[i] == b->life[i])
			return true;
	return false;
}

static bool touches_share_cell(const struct touch *a, const struct touch *b)
{
	for (int i = 0; i < CELLS; i++)
		if (a->cell[i] && b->cell[i])
			return true;
	return false;
}

static bool splits_replay(struct cells *c, int n)
{
	bool good = true;

	for (size_t i = 0; i < c->splits.n; i++) {
		const struct cells_split *s = &c->splits.at[i];

		good &= s->to < CELLS && s->len > 0 && (s->addr & 7) + s->len <= 8;
		for (int k = 0; k < n; k++)
			touches[k].cell[s->to] = touches[k].cell[s->from];
	}
	VEC_CLEAR(&c->splits);
	VEC_CLEAR(&c->fresh);
	return good;
}

static bool touch_random(struct cells *c, int n, uint64_t base, const int *life)
{
	static const uint8_t sizes[] = { 1, 2, 4, 8, 8, 3, 16, 24 };
	uint32_t len = sizes[dice(8)], from = dice(BYTES - len + 1), one = 0, got;
	struct touch *t = &touches[n];
	bool good, found = dice(8) == 0;

	memset(t, 0, sizeof(*t));
	VEC_CLEAR(&c->ids);
	got = found ? cells_find(c, base + from, len, &one)
		    : cells_touch(c, base + from, len, &one);
	good = splits_replay(c, n) && (found || got > 0) && (got == 1) == (c->ids.n == 0 && got);
	for (uint32_t i = 0; i < got; i++)
		t->cell[got == 1 ? one : c->ids.at[i]] = true;
	for (uint32_t i = from; i < from + len; i++)
		t->life[i] = life[i];
	if (!found)
		return good;
	/* Bytes never touched in this life have no cell: they are not part of it. */
	for (uint32_t i = from; i < from + len; i++) {
		bool seen = false;

		for (int k = 0; k < n; k++)
			seen = seen || touches[k].life[i] == life[i];
		if (!seen)
			t->life[i] = 0;
	}
	return good;
}

static bool drop_random(struct cells *c, int n, uint64_t base, int *life, int *lives)
{
	uint32_t from = dice(BYTES), len = 1 + dice(BYTES - from);
	bool good;

	cells_drop(c, base + from, len);
	good = splits_replay(c, n);
	for (uint32_t i = from; i < from + len; i++)
		life[i] = ++*lives;
	VEC_CLEAR(&c->dropped);
	return good;
}

/* base is not aligned to a page, so that ranges cross one. */
static bool cells_round(uint64_t base)
{
	int life[BYTES], lives = BYTES, n = 0;
	bool good = true;
	struct cells c = { 0 };

	for (int i = 0; i < BYTES; i++)
		life[i] = i + 1;
	while (n < TOUCHES && good) {
		if (dice(10) == 0)
			good = drop_random(&c, n, base, life, &lives);
		else
			good = touch_random(&c, n++, base, life);
		good = good && c.count < CELLS;
	}
	for (int a = 0; a < n && good; a++)
		for (int b = 0; b < a && good; b++)
			good = touches_share_byte(&touches[a], &touches[b]) ==
			       touches_share_cell(&touches[a], &touches[b]);
	cells_check(&c);
	cells_release(&c);
	return good;
}

static void test_cells_random(void)
{
	bool good = true;

	for (int i = 0; i < 100 && good; i++)
		good = cells_round(i % 2 ? 0x7fff12345640 : 64);
	TAP_OK(good, "touches share a cell iff they share a byte of one lifetime");
}

/* With ids given out again, no two live cells have the same, and drops name live ones. */
static void test_cells_recycle(void)
{
	struct cells c = { 0 };
	bool live[CELLS] = { false }, good = true;
	size_t nlive = 0;
	uint32_t one;

	for (int i = 0; i < 20000; i++) {
		uint64_t addr = 4096 + 4 * dice(256);
		uint32_t len = 4 + 4 * dice(3);

		VEC_CLEAR(&c.ids);
		if (dice(3) == 0) {
			cells_drop(&c, addr, dice(2) ? len : 1 << 20);
			for (size_t k = 0; k < c.dropped.n; k++) {
				uint32_t id = c.dropped.at[k];

				nlive -= live[id]; /* else made by a split of this very call */
				live[id] = false;
				cells_recycle(&c, id);
			}
		} else {
			uint32_t n = cells_touch(&c, addr, len, &one);

			for (uint32_t k = 0; k < n; k++) {
				uint32_t id = n == 1 ? one : c.ids.at[k];

				nlive += !live[id];
				live[id] = true;
			}
		}
		for (size_t k = 0; k < c.splits.n; k++) {
			uint32_t id = c.splits.at[k].to;
			bool gone = false;

			for (size_t j = 0; j < c.dropped.n; j++)
				gone = gone || c.dropped.at[j] == id;
			nlive += !live[id] && !gone;
			live[id] = live[id] || !gone;
		}
		VEC_CLEAR(&c.splits);
		VEC_CLEAR(&c.dropped);
		good = good && c.count <= 512 && nlive + c.again.n == c.count;
		if (i % 100 == 0)
			cells_check(&c);
	}
	TAP_OK(good, "ids come back, and only those that are free");
	cells_release(&c);
}

/* Would take ages if it cost what the range is long, or what exists elsewhere. */
static void test_cells_far(void)
{
	struct cells c = { 0 };
	uint32_t one;

	for (uint64_t i = 0; i < 100000; i++)
		cells_touch(&c, i << 32, 8, &one);
	for (uint64_t i = 0; i < 100000; i++) {
		cells_touch(&c, UINT64_MAX - 7, 8, &one);
		cells_drop(&c, (uint64_t)100000 << 32, UINT64_MAX);
		VEC_CLEAR(&c.dropped);
	}
	TAP_EQ(c.count, 200000, "ranges cost what lies in them");
	cells_drop(&c, 0, UINT64_MAX);
	TAP_EQ(c.dropped.n, 100000, "and all means all");
	cells_release(&c);
}

static void test_keyset(void)
{
	static bool has[1 << 12];
	struct keyset k = { 0 };
	bool good = true;
	uint64_t key;

	for (int i = 0; i < 40000; i++) {
		uint64_t spread =
			i < 20000 ? 1 : (uint64_t)1 << 52; /* keys close, keys far apart */
		bool add = dice(3) == 0;
		uint32_t x = dice(1 << 12), from = dice(1 << 12), last = dice(1 << 12), want = from;

		if (i == 20000) {
			keyset_release(&k);
			memset(has, 0, sizeof(has));
		}
		if (add)
			keyset_add(&k, x * spread);
		else
			keyset_remove(&k, x * spread);
		has[x] = add;
		while (want <= last && !has[want])
			want++;
		good = good &&
		       keyset_next(&k, from * spread, last * spread, &key) == (want <= last) &&
		       (want > last || key == want * spread);
	}
	TAP_OK(good, "the next key is the next key");
	keyset_add(&k, UINT64_MAX);
	TAP_OK(keyset_next(&k, UINT64_MAX, UINT64_MAX, &key) && key == UINT64_MAX,
	       "the last number");
	keyset_remove(&k, UINT64_MAX);
	TAP_OK(!keyset_next(&k, (uint64_t)4095 << 52 | 1, UINT64_MAX, &key),
	       "and none past the last");
	keyset_release(&k);
}

int main(void)
{
	test_cells_random();
	test_cells_recycle();
	test_cells_far();
	test_keyset();
	return tap_done();
}
