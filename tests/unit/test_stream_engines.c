/*
 * hb, shb, wcp and eraser against their definitions on random small runs: with all pairs the same
 * pairs, without them only such pairs and the first race.
 */
#include "predict/engine.h"
#include "stream_naive.h"
#include "tap.h"

static void engine_take(const char *name, const struct engine_options *opt,
			const struct stream_run *r, struct engine_result *out)
{
	const struct engine *e = engine_find(name);
	struct step_batch b = step_build_batch(&r->steps);
	void *self = e->begin(e, opt);
	size_t half = b.n / 2;

	memset(out, 0, sizeof(*out));
	/* Batches end anywhere. */
	e->steps(self, &(struct step_batch){ b.at, half, b.cells, b.feeds, b.bytes, b.tests });
	e->steps(self, &(struct step_batch){ b.at + half, b.n - half, b.cells, b.feeds, b.bytes,
					     b.tests });
	e->end(self, out);
}

static void races_found(const struct engine_result *res, struct stream_races *out)
{
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < res->findings.at.n; i++) {
		const struct finding *f = &res->findings.at.at[i];

		out->race[f->events[1] - 1] |= (uint64_t)1 << (f->events[0] - 1);
	}
}

static void naive(const char *name, const struct stream_run *r, bool strict,
		  struct stream_races *out)
{
	if (strcmp(name, "hb") == 0)
		naive_hb(r, out);
	else if (strcmp(name, "shb") == 0)
		naive_shb(r, strict, out);
	else
		naive_wcp(r, out);
}

/* The first event that ends a race, and whether all of `found' is in `real'. */
static bool is_sound_and_first(const struct stream_races *found, const struct stream_races *real)
{
	bool first = true;

	for (uint32_t j = 0; j < STREAM_EVENTS; j++) {
		if (found->race[j] & ~real->race[j])
			return false;
		if (first && real->race[j] && !found->race[j])
			return false;
		first = first && !real->race[j];
	}
	return true;
}

static bool same_pairs(const char *name, const struct stream_run *r, bool strict)
{
	struct engine_options all = { .all_pairs = true, .strict = strict, .jobs = 1 };
	struct engine_options few = { .strict = strict, .jobs = 1 };
	struct stream_races want, got, some;
	struct engine_result res;
	bool good;

	naive(name, r, strict, &want);
	engine_take(name, &all, r, &res);
	races_found(&res, &got);
	engine_result_release(&res);
	engine_take(name, &few, r, &res);
	races_found(&res, &some);
	engine_result_release(&res);
	good = memcmp(&want, &got, sizeof(want)) == 0 && is_sound_and_first(&some, &want);
	for (uint32_t j = 0; j < STREAM_EVENTS && !good; j++)
		if (want.race[j] | got.race[j] | some.race[j])
			printf("# %s, event %u: want %llx, got %llx, without all pairs %llx\n",
			       name, j + 1, (unsigned long long)want.race[j],
			       (unsigned long long)got.race[j], (unsigned long long)some.race[j]);
	return good;
}

static bool same_warnings(const struct stream_run *r)
{
	struct engine_options opt = { .all_pairs = true, .jobs = 1 };
	struct engine_result res;
	uint64_t got = 0;

	engine_take("eraser", &opt, r, &res);
	for (size_t i = 0; i < res.findings.at.n; i++)
		got |= (uint64_t)1 << (res.findings.at.at[i].events[1] - 1);
	engine_result_release(&res);
	if (got != naive_eraser(r))
		printf("# eraser: want %llx, got %llx\n", (unsigned long long)naive_eraser(r),
		       (unsigned long long)got);
	return got == naive_eraser(r);
}

static void test_random(const char *what, struct stream_shape shape, uint32_t rounds)
{
	static const char *const names[] = { "hb", "shb", "wcp" };
	bool good = true;

	for (uint32_t i = 1; i <= rounds && good; i++) {
		uint64_t seed = 0x9e3779b97f4a7c15u * i;
		struct stream_run r;

		shape.events = 6 + i % (STREAM_EVENTS - 7);
		stream_run_make(&r, &shape, &seed);
		for (int k = 0; k < 3 && good; k++)
			good = same_pairs(names[k], &r, false) &&
			       (k != 1 || same_pairs(names[k], &r, true));
		good = good && same_warnings(&r);
		if (!good)
			stream_run_print(&r);
		stream_run_release(&r);
	}
	TAP_OK(good, "%u random runs, %s: all engines as defined", rounds, what);
}

int main(void)
{
	test_random("locks", (struct stream_shape){ 0 }, 1500);
	test_random("read-write locks", (struct stream_shape){ .shared = true }, 1500);
	test_random("atomics", (struct stream_shape){ .atomics = true }, 1500);
	test_random("free reads", (struct stream_shape){ .facts = true }, 1500);
	test_random("everything",
		    (struct stream_shape){
			    .atomics = true, .facts = true, .stops = true, .shared = true },
		    2500);
	return tap_done();
}
