/* names/first against looking at every variable, on random ones that overlap, repeat, or lie in memory
 * that nobody writes to. */
#include "unit/tap.h"

#include "names/program.h"
#include "names/first.h"

#define ROOM 160u

static uint32_t state;

static uint32_t random_below(uint32_t n)
{
	state = state * 1103515245u + 12345u;
	return (state >> 16) % n;
}

static bool is_same(const struct program_global *a, const struct program_global *b)
{
	return a->addr == b->addr && a->size == b->size && a->nseen == b->nseen &&
	       a->ninitial == b->ninitial && memcmp(a->initial, b->initial, a->ninitial) == 0;
}

static bool overlaps(const struct program_global *a, const struct program_global *b)
{
	return b->size != 0 && a->addr < b->addr + b->size && b->addr < a->addr + a->size;
}

/* By definition; *clear: the variable there is alone, or told several times. */
static enum trace_first look(const struct program *p, bool late, uint64_t addr, uint8_t *byte,
			     const struct program_global **there, bool *clear)
{
	bool steady = false;

	*there = NULL;
	*clear = true;
	for (size_t i = 0; i < p->steady.n; i++)
		steady |= addr - p->steady.at[i].addr < p->steady.at[i].size;
	for (size_t i = 0; i < p->globals.n; i++) {
		const struct program_global *g = &p->globals.at[i];

		if (addr - g->addr >= g->size)
			continue;
		*there = g;
		for (size_t k = 0; k < p->globals.n; k++)
			if (overlaps(g, &p->globals.at[k]) && !is_same(g, &p->globals.at[k]))
				*clear = false;
	}
	if (steady)
		return *there && !late ? TRACE_FIRST_UNKNOWN : TRACE_FIRST_STEADY;
	if (late || !*there || !*clear || addr - (*there)->addr >= (*there)->nseen)
		return TRACE_FIRST_UNKNOWN;
	*byte = addr - (*there)->addr < (*there)->ninitial
			? (*there)->initial[addr - (*there)->addr]
			: 0;
	return TRACE_FIRST_BYTE;
}

static void random_global(struct program *p)
{
	static const uint8_t bytes[32] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	uint32_t size = random_below(12), seen = size ? random_below(size + 1) : 0;

	if (p->globals.n && random_below(4) == 0) { /* told again */
		struct program_global again = p->globals.at[random_below((uint32_t)p->globals.n)];

		*VEC_PUSH(&p->globals) = again;
		return;
	}
	*VEC_PUSH(&p->globals) = (struct program_global){
		.addr = random_below(ROOM),
		.size = size,
		.nseen = seen,
		.ninitial = seen ? random_below(seen + 1) : 0,
		.initial = bytes + random_below(16),
	};
}

/* The wrong answers. */
static unsigned compare(struct first *f, const struct program *p, bool late, unsigned kinds[3])
{
	unsigned wrong = 0;

	for (uint64_t addr = 0; addr < ROOM + 20; addr++) {
		uint8_t got = 0, want = 0;
		const struct program_global *there;
		uint64_t from, len;
		bool clear, has;
		enum trace_first w = look(p, late, addr, &want, &there, &clear);

		kinds[w]++;
		wrong +=
			first_byte(f, p, addr, &got) != w || (w == TRACE_FIRST_BYTE && got != want);
		has = first_extent(f, p, addr, &from, &len);
		wrong += there && (!has || addr - from >= len);
		wrong += there && clear && (from != there->addr || len != there->size);
	}
	return wrong;
}

static unsigned try_one(bool late, unsigned kinds[3])
{
	struct first *f = first_new(late);
	struct program p = { 0 };
	unsigned wrong = 0;

	/* It grows between questions. */
	for (unsigned round = 0; round < 4; round++) {
		for (uint32_t i = random_below(5); i > 0; i--)
			random_global(&p);
		if (random_below(2))
			*VEC_PUSH(&p.steady) =
				(struct program_memory){ random_below(ROOM), random_below(20) };
		wrong += compare(f, &p, late, kinds);
	}
	VEC_RELEASE(&p.globals);
	VEC_RELEASE(&p.steady);
	first_free(f);
	return wrong;
}

int main(void)
{
	unsigned kinds[3] = { 0 }, wrong[2] = { 0 };

	for (state = 1; state < 400000000u; state += 1000003u) {
		uint32_t seed = state;

		wrong[seed & 1] += try_one(seed & 1, kinds);
		state = seed;
	}
	TAP_EQ(wrong[0], 0, "first bytes and extents of a whole trace");
	TAP_EQ(wrong[1], 0, "... and of one that begins in the middle");
	TAP_OK(kinds[TRACE_FIRST_UNKNOWN] > 1000 && kinds[TRACE_FIRST_BYTE] > 1000 &&
		       kinds[TRACE_FIRST_STEADY] > 1000,
	       "every answer was given often");
	return tap_done();
}
