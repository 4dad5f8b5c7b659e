/* order/stamp against plain vector clocks, on random runs with few and with many chains. */
#include "order/stamp.h"

#include "base/mem.h"
#include "tap.h"

#define PLACES 24 /* locks and channels */

static uint64_t state = 88172645463325252u;

static uint32_t random_below(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)((state >> 16) % n);
}

/* The reference: every clock a full array. */
struct world {
	uint32_t n; /* chains */
	struct stamps stamps;
	struct stamp *chain, place[PLACES];
	uint32_t *chain_plain, *place_plain;
	bool *chain_never, place_never[PLACES];
};

static uint32_t *plain_of_chain(struct world *w, uint32_t t)
{
	return w->chain_plain + (size_t)t * w->n;
}

static uint32_t *plain_of_place(struct world *w, uint32_t i)
{
	return w->place_plain + (size_t)i * w->n;
}

static void world_init(struct world *w, uint32_t n)
{
	*w = (struct world){ .n = n };
	stamps_init(&w->stamps);
	w->chain = mem_zalloc(n * sizeof(*w->chain));
	w->chain_plain = mem_zalloc((size_t)n * n * sizeof(*w->chain_plain));
	w->place_plain = mem_zalloc((size_t)PLACES * n * sizeof(*w->place_plain));
	w->chain_never = mem_zalloc(n);
	for (uint32_t t = 0; t < n; t++) {
		w->chain[t] = (struct stamp){ .chain = t, .time = 1 };
		plain_of_chain(w, t)[t] = 1;
	}
}

static void world_release(struct world *w)
{
	stamps_release(&w->stamps);
	mem_free(w->chain);
	mem_free(w->chain_plain);
	mem_free(w->place_plain);
	mem_free(w->chain_never);
}

static void plain_join(struct world *w, uint32_t *into, const uint32_t *from)
{
	for (uint32_t i = 0; i < w->n; i++)
		into[i] = into[i] > from[i] ? into[i] : from[i];
}

static void tick(struct world *w, uint32_t t)
{
	w->chain[t].time++;
	plain_of_chain(w, t)[t]++;
}

static void acquire(struct world *w, uint32_t t, uint32_t i)
{
	stamp_join(&w->stamps, &w->chain[t], &w->place[i]);
	plain_join(w, plain_of_chain(w, t), plain_of_place(w, i));
	w->chain_never[t] |= w->place_never[i];
}

static void publish(struct world *w, uint32_t t, uint32_t i, bool collect)
{
	if (collect) {
		stamp_collect(&w->stamps, &w->place[i], &w->chain[t]);
	} else {
		stamp_set(&w->stamps, &w->place[i], &w->chain[t]);
		memset(plain_of_place(w, i), 0, w->n * sizeof(uint32_t));
		w->place_never[i] = false;
	}
	plain_join(w, plain_of_place(w, i), plain_of_chain(w, t));
	w->place_never[i] |= w->chain_never[t];
	tick(w, t);
}

static void merge_places(struct world *w, uint32_t a, uint32_t b)
{
	if (a == b)
		return;
	stamp_collect(&w->stamps, &w->place[a], &w->place[b]);
	plain_join(w, plain_of_place(w, a), plain_of_place(w, b));
	w->place_never[a] |= w->place_never[b];
}

static void fork_or_join(struct world *w, uint32_t t, uint32_t u)
{
	if (t == u)
		return;
	stamp_join(&w->stamps, &w->chain[u], &w->chain[t]);
	plain_join(w, plain_of_chain(w, u), plain_of_chain(w, t));
	w->chain_never[u] |= w->chain_never[t];
	tick(w, t);
}

static void step(struct world *w, bool nevers)
{
	/* A few are busy, the others now and then: frames of long ago stay about. */
	uint32_t t = random_below(4) ? random_below(w->n < 5 ? w->n : 5) : random_below(w->n);
	uint32_t i = random_below(PLACES);

	switch (random_below(8)) {
	case 0:
	case 1:
	case 2:
		acquire(w, t, i);
		break;
	case 3:
	case 4:
		publish(w, t, i, false);
		break;
	case 5:
		publish(w, t, i, true);
		break;
	case 6:
		merge_places(w, i, random_below(PLACES));
		break;
	default:
		fork_or_join(w, t, random_below(w->n));
		if (nevers && random_below(40) == 0) {
			stamp_make_never(&w->stamps, &w->chain[t]);
			w->chain_never[t] = true;
		}
	}
}

static bool same(struct world *w, const struct stamp *s, const uint32_t *plain, bool never)
{
	if (never != stamp_is_never(&w->stamps, s))
		return false;
	for (uint32_t u = 0; u < w->n && !never; u++)
		if (stamp_at(s, u) != plain[u])
			return false;
	return true;
}

static bool plain_leq(struct world *w, const uint32_t *a, const uint32_t *b)
{
	for (uint32_t u = 0; u < w->n; u++)
		if (a[u] > b[u])
			return false;
	return true;
}

static bool world_check(struct world *w)
{
	for (uint32_t t = 0; t < w->n; t++)
		if (!same(w, &w->chain[t], plain_of_chain(w, t), w->chain_never[t]))
			return false;
	for (uint32_t i = 0; i < PLACES; i++) {
		uint32_t t = random_below(w->n);
		bool leq = w->chain_never[t] ||
			   (!w->place_never[i] &&
			    plain_leq(w, plain_of_place(w, i), plain_of_chain(w, t)));

		if (!same(w, &w->place[i], plain_of_place(w, i), w->place_never[i]) ||
		    stamp_leq(&w->stamps, &w->place[i], &w->chain[t]) != leq)
			return false;
	}
	return true;
}

static void test_run(uint32_t n, uint32_t steps, bool nevers)
{
	struct world w;
	bool good = true;

	world_init(&w, n);
	for (uint32_t i = 0; i < steps && good; i++) {
		step(&w, nevers);
		if (i % 7 == 0)
			good = world_check(&w);
	}
	TAP_OK(good, "%u chains, %u steps%s", n, steps, nevers ? ", some never" : "");
	world_release(&w);
}

/* A frame goes back when nobody holds it: rounds of the same take no more memory. */
static void test_memory(uint32_t n)
{
	struct world w;
	size_t blocks = 0;

	world_init(&w, n);
	for (uint32_t i = 0; i < 40000; i++) {
		if (i == 20000)
			blocks = w.stamps.blocks.n;
		acquire(&w, i % n, i % PLACES);
		publish(&w, i % n, i * 7 % PLACES, false);
	}
	TAP_OK(w.stamps.blocks.n == blocks, "%u chains: frames are used again", n);
	world_release(&w);
}

int main(void)
{
	test_run(1, 500, false);
	test_run(3, 20000, false);
	test_run(3, 3000, true);
	test_run(9, 20000, false);
	test_run(64, 10000, false);
	test_run(65, 10000, false);
	test_run(65, 3000, true);
	test_run(300, 10000, false);
	test_memory(8);
	test_memory(200);
	return tap_done();
}
