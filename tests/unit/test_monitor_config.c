/*
 * Configurations: the same verdicts as by stepping the monitors by hand, with and without the
 * caches; collecting; several threads at once.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/diag.h"
#include "monitor/config.h"
#include "unit/spec_naive.h"
#include "unit/spec_trees.h"
#include "unit/tap.h"

#define VARS 3
#define EVENTS 3
#define ITEMS 60
#define BYTES 64 /* of states, enough for these monitors */

/* A spec, its monitors, and items to step by. */
struct bench {
	struct trees t;
	struct monitors m;
	struct monitor_value initial[VARS];
	struct watch_item items[ITEMS];
	struct watch_write writes[2 * ITEMS];
};

static void random_items(struct bench *b)
{
	struct trees *t = &b->t;

	for (uint32_t i = 0; i < ITEMS; i++) {
		struct watch_item *it = &b->items[i];

		*it = (struct watch_item){ .pos = i + 1, .thread = 1 + trees_random(t, 2) };
		it->events = trees_random(t, 3) ? 0 : trees_random(t, 1 << EVENTS);
		it->reads = trees_random(t, 3) ? 0 : trees_random(t, 1 << VARS);
		it->writes = 2 * i;
		it->nwrites = trees_random(t, 3);
		for (uint32_t k = 0; k < it->nwrites; k++) {
			struct watch_write *w = &b->writes[it->writes + k];

			w->variable = (trees_random(t, 2) + k + i) % VARS;
			w->raw = trees_random(t, 4);
			w->known = trees_random(t, 8) > 0;
			w->mask = trees_random(t, 8) ? 0xffffffff : 0xff;
			it->written |= UINT64_C(1) << w->variable;
		}
	}
}

static void random_property(struct bench *b, unsigned i)
{
	static const enum spec_body bodies[] = { SPEC_PTLTL, SPEC_FSM, SPEC_ERE_NEVER,
						 SPEC_ERE_MUST };
	struct spec_property *p = trees_property(&b->t, bodies[i % 4]);

	p->step = trees_random(&b->t, 3);
	p->variables &= trees_random(&b->t, 1 << VARS);
	p->form = trees_random_form(&b->t, 3);
	p->rx = trees_random_rx(&b->t, 3);
	trees_random_fsm(&b->t, p, 4);
}

static void bench_init(struct bench *b, unsigned seed, unsigned properties)
{
	struct diag d = { 0 };

	memset(b, 0, sizeof(*b));
	trees_init(&b->t, VARS, EVENTS, seed);
	if (trees_random(&b->t, 2))
		b->t.spec.events[0].when = trees_random_truth(&b->t, 1);
	if (trees_random(&b->t, 3) == 0)
		b->t.spec.relevant_variables = 1;
	for (uint32_t v = 0; v < VARS; v++)
		b->initial[v] = (struct monitor_value){ trees_random(&b->t, 3), 15 };
	for (unsigned i = 0; i < properties; i++)
		random_property(b, i + seed);
	random_items(b);
	if (monitors_new(&b->t.spec, &b->m, &d) != ST_OK)
		abort();
}

static void bench_release(struct bench *b)
{
	monitors_release(&b->m);
	trees_release(&b->t);
}

/* ---- by hand ---- */

struct hand {
	struct monitor_value values[VARS];
	struct naive_state small; /* the same, for conditions */
	enum monitor_verdict verdict[64];
	uint8_t state[64][BYTES];
};

static void hand_init(struct hand *h, struct bench *b)
{
	memset(h, 0, sizeof(*h));
	memcpy(h->values, b->initial, sizeof(h->values));
	for (uint32_t i = 0; i < b->m.n; i++)
		h->verdict[i] = b->m.at[i].initial(b->m.at[i].self, h->values, h->state[i]);
}

static void hand_write(struct hand *h, const struct watch_write *w)
{
	struct monitor_value *v = &h->values[w->variable];

	for (unsigned byte = 0; byte < 8; byte++) {
		uint64_t at = UINT64_C(0xff) << 8 * byte;

		if (!(w->mask & at))
			continue;
		v->raw = (v->raw & ~at) | (w->known ? w->raw & at : 0);
		v->known = (uint8_t)((v->known & ~(1u << byte)) | (unsigned)w->known << byte);
	}
}

/* The events an item is, and those that cannot be told. */
static uint64_t hand_events(struct hand *h, struct bench *b, const struct watch_item *it,
			    enum naive_truth want)
{
	const struct spec_expr *when = b->t.spec.events[0].when;
	uint64_t plain = want == NAIVE_YES ? it->events : 0;

	for (uint32_t v = 0; v < VARS; v++) {
		h->small.small[v] = (int)h->values[v].raw;
		h->small.known[v] = (h->values[v].known & 15) == 15;
	}
	h->small.thread = it->thread;
	if (!(it->events & 1) || when == NULL)
		return plain;
	return (plain & ~UINT64_C(1)) | (naive_truth(&h->small, when) == want);
}

static bool hand_is_step(const struct bench *b, const struct spec_property *p,
			 const struct watch_item *it, uint64_t events)
{
	uint64_t relevant = b->t.spec.relevant_variables;
	bool formula = p->body == SPEC_PTLTL;

	if (formula && ((it->reads | it->written) & relevant))
		return true;
	if (p->step != SPEC_STEP_WRITE && (events & p->events))
		return true;
	return p->step != SPEC_STEP_EVENT && (formula || p->step == SPEC_STEP_WRITE) &&
	       (it->written & p->variables);
}

static void hand_step(struct hand *h, struct bench *b, const struct watch_item *it)
{
	struct monitor_input in = { .values = h->values,
				    .written = it->written,
				    .thread = it->thread };
	uint64_t error, unknown;

	for (uint32_t i = 0; i < it->nwrites; i++)
		hand_write(h, &b->writes[it->writes + i]);
	in.events = hand_events(h, b, it, NAIVE_YES);
	error = hand_events(h, b, it, NAIVE_TROUBLE);
	unknown = hand_events(h, b, it, NAIVE_DUNNO);
	for (uint32_t i = 0; i < b->m.n; i++) {
		const struct monitor *m = &b->m.at[i];
		uint64_t events = in.events | error | unknown;
		uint8_t after[BYTES] = { 0 };

		if (h->verdict[i] != MONITOR_GOOD || !hand_is_step(b, m->property, it, events))
			continue;
		if (error | unknown) {
			h->verdict[i] = error ? MONITOR_ERROR : MONITOR_UNKNOWN;
			continue;
		}
		h->verdict[i] = m->step(m->self, h->state[i], &in, after);
		memcpy(h->state[i], after, sizeof(after));
	}
}

/* Number of verdicts and values in which the two differ. */
static unsigned hand_differs(const struct hand *h, struct configs *c, uint32_t at, uint32_t n)
{
	unsigned differ = 0;

	for (uint32_t i = 0; i < n; i++) {
		differ += (config_bad(c, at) >> i & 1) != (h->verdict[i] == MONITOR_BAD);
		differ += (config_error(c, at) >> i & 1) != (h->verdict[i] == MONITOR_ERROR);
		differ += (config_unknown(c, at) >> i & 1) != (h->verdict[i] == MONITOR_UNKNOWN);
	}
	for (uint32_t v = 0; v < VARS; v++)
		differ += config_values(c, at)[v].raw != h->values[v].raw ||
			  (config_values(c, at)[v].known & 15) != (h->values[v].known & 15);
	return differ;
}

static void test_by_hand(unsigned count)
{
	unsigned differ = 0, numbers = 0;

	for (unsigned seed = 0; seed < count; seed++) {
		static struct bench b;
		static struct hand h;
		struct configs *c;

		bench_init(&b, seed, 6);
		c = configs_new(&b.m, b.initial);
		for (unsigned run = 0; run < 4; run++) {
			uint32_t at = config_initial(c);

			hand_init(&h, &b);
			for (unsigned i = 0; i < 20; i++) {
				uint32_t k = trees_random(&b.t, ITEMS);
				uint32_t from = at;

				differ += hand_differs(&h, c, at, b.m.n);
				at = config_step(c, from, &b.items[k], b.writes, k, 0);
				/* Another worker, another key: the same number. */
				numbers += at != config_step(c, from, &b.items[k], b.writes,
							     k + 1000 * (run + 1), 1);
				hand_step(&h, &b, &b.items[k]);
				differ += (config_events(c, at, &b.items[k]) !=
					   hand_events(&h, &b, &b.items[k], NAIVE_YES));
			}
			differ += hand_differs(&h, c, at, b.m.n);
		}
		configs_free(c);
		bench_release(&b);
	}
	TAP_EQ(differ, 0, "%u specs: verdicts, values and events as by hand", count);
	TAP_EQ(numbers, 0, "equal configurations, equal numbers");
}

/* ---- collecting ---- */

static void test_sweep(void)
{
	static struct bench b;
	uint32_t kept[100], numbers = 0, changed = 0;
	uint64_t raw[100][VARS];
	struct configs *c;
	size_t before;
	uint32_t at;

	bench_init(&b, 7, 3);
	/* A counter: every write is a configuration of its own. */
	c = configs_new(&b.m, b.initial);
	at = config_initial(c);
	for (uint64_t i = 0; i < 5000; i++) {
		struct watch_write w = {
			.variable = 0, .raw = i, .mask = 0xffffffff, .known = true
		};
		struct watch_item it = { .written = 1, .nwrites = 1, .thread = 1 };

		at = config_step(c, at, &it, &w, 1u << 20 | i, 0);
		if (i % 50 == 0) {
			kept[numbers] = at;
			for (uint32_t v = 0; v < VARS; v++)
				raw[numbers][v] = config_values(c, at)[v].raw;
			numbers++;
		}
	}
	before = configs_count(c);
	TAP_OK(before >= 4999, "five thousand configurations");
	for (uint32_t i = 0; i < numbers; i++)
		config_mark(c, kept[i]);
	configs_sweep(c);
	TAP_OK(configs_count(c) >= 100 && configs_count(c) <= 101,
	       "a hundred are left, and the first");
	for (uint32_t i = 0; i < numbers; i++)
		for (uint32_t v = 0; v < VARS; v++)
			changed += config_values(c, kept[i])[v].raw != raw[i][v];
	TAP_EQ(changed, 0, "they are what they were");
	for (uint32_t i = 0; i + 1 < numbers; i++) {
		struct watch_write w = {
			.variable = 0, .raw = 50 * (i + 1), .mask = 0xffffffff, .known = true
		};
		struct watch_item it = { .written = 1, .nwrites = 1, .thread = 1 };
		uint32_t next = config_step(c, kept[i], &it, &w, 1u << 21 | i, 0);

		changed += config_values(c, next)[0].raw != 50 * (i + 1);
	}
	TAP_EQ(changed, 0, "steps from them still lead where they should");
	for (unsigned round = 0; round < 20; round++) {
		at = config_initial(c);
		for (uint64_t i = 0; i < 1000; i++) {
			struct watch_write w = { .variable = 0,
						 .raw = i + 1000 * round,
						 .mask = 0xffffffff,
						 .known = true };
			struct watch_item it = { .written = 1, .nwrites = 1, .thread = 1 };

			at = config_step(c, at, &it, &w, (round + 10u) << 20 | i, 0);
		}
		config_mark(c, at);
		configs_sweep(c);
	}
	TAP_OK(configs_count(c) <= 2, "nothing piles up");
	configs_free(c);
	bench_release(&b);
}

/* ---- threads ---- */

#define THREADS 4
#define WALK 20000

struct walker {
	struct configs *c;
	const struct bench *b;
	unsigned worker;
	uint64_t first_seed, seed;
	uint64_t sum; /* of what it has seen, in numbers that do not depend on who came first */
};

static void *walk(void *arg)
{
	struct walker *w = arg;
	uint32_t at = config_initial(w->c);

	for (unsigned i = 0; i < WALK; i++) {
		uint32_t k;

		w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
		k = (uint32_t)(w->seed >> 33) % ITEMS;
		if (i % 25 == 0)
			at = config_initial(w->c);
		at = config_step(w->c, at, &w->b->items[k], w->b->writes, k, w->worker);
		w->sum = w->sum * 31 + config_bad(w->c, at) * 7 + config_error(w->c, at) * 3 +
			 config_unknown(w->c, at) + config_values(w->c, at)[1].raw;
	}
	return NULL;
}

/* The same walks again, each on a set of its own, all with the same monitors. */
static bool walk_apart(const struct bench *b, const struct walker *same)
{
	struct walker w[THREADS];
	pthread_t threads[THREADS];
	bool equal = true;

	for (unsigned i = 0; i < THREADS; i++) {
		w[i] = (struct walker){ configs_new(&b->m, b->initial),
					b,
					0,
					same[i].first_seed,
					same[i].first_seed,
					0 };
		pthread_create(&threads[i], NULL, walk, &w[i]);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		equal &= w[i].sum == same[i].sum;
		configs_free(w[i].c);
	}
	return equal;
}

static void test_threads(unsigned count)
{
	unsigned differ = 0, fewer = 0;

	for (unsigned seed = 0; seed < count; seed++) {
		struct walker w[THREADS], alone[THREADS];
		struct configs *together, *apart;
		pthread_t threads[THREADS];
		static struct bench b;

		bench_init(&b, seed, 6);
		together = configs_new(&b.m, b.initial);
		for (unsigned i = 0; i < THREADS; i++) {
			w[i] = (struct walker){ together,	    &b, i, seed * THREADS + i,
						seed * THREADS + i, 0 };
			pthread_create(&threads[i], NULL, walk, &w[i]);
		}
		for (unsigned i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
		fewer += !walk_apart(&b, w);
		apart = configs_new(&b.m, b.initial);
		for (unsigned i = 0; i < THREADS; i++) {
			alone[i] = (struct walker){ apart,	     &b, 0, w[i].first_seed,
						    w[i].first_seed, 0 };
			walk(&alone[i]);
			differ += alone[i].sum != w[i].sum;
		}
		fewer += configs_count(together) != configs_count(apart);
		configs_free(together);
		configs_free(apart);
		bench_release(&b);
	}
	TAP_EQ(differ, 0, "four threads see what one sees");
	TAP_EQ(fewer, 0, "and make as many configurations; so do they on sets of their own");
}

/* ---- what it costs; told, not judged ---- */

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static void measure(void)
{
	static struct bench b;
	struct configs *c;
	uint32_t at, sum = 0;
	double start;
	unsigned n = 0;

	bench_init(&b, 5, 1);
	c = configs_new(&b.m, b.initial);
	at = config_initial(c);
	start = now();
	for (unsigned round = 0; round < tap_rounds(200000, 200000); round++)
		for (uint32_t k = 0; k < ITEMS; k++, n++)
			sum += config_step(c, at, &b.items[k], b.writes, k, 0);
	printf("# a step that is cached: %.1f ns (%u)\n", 1e9 * (now() - start) / n, sum & 1);
	start = now();
	for (n = 0; n < tap_rounds(300000, 300000); n++) {
		struct watch_write w = { 0, n, 0xffffffff, true };
		struct watch_item it = { .written = 1, .nwrites = 1, .thread = 1 };

		at = config_step(c, at, &it, &w, 1u << 20 | n, 0);
	}
	printf("# one that is new, to a new configuration: %.0f ns\n", 1e9 * (now() - start) / n);
	configs_free(c);
	bench_release(&b);
}

int main(void)
{
	test_by_hand(tap_rounds(1500, 40000));
	test_sweep();
	test_threads(getenv("LONG") ? 200 : 10);
	measure();
	return tap_done();
}
