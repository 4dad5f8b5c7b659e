/*
 * Instrumented units that come and go, and what is left out by their names.
 */
#include "capture/module.h"

#include <string.h>

#include "capture/harness.h"
#include "capture/hooks.h"
#include "capture/log.h"

/* Units; their functions are places in an array. */
#define PLACES 4096u
#define UNITS 64u
#define FUNCTIONS 200u

static char places[PLACES];
static struct unit {
	struct foresee_module module;
	struct foresee_site sites[3];
	uint32_t base;
	struct foresee_watch watch;
	const void *functions[FUNCTIONS];
	bool there;
} units[UNITS];

static void unit_make(struct unit *u, uint32_t first)
{
	u->sites[1] = (struct foresee_site){ .file = "a.c", .function = "f", .variable = "kept" };
	u->sites[2] =
		(struct foresee_site){ .file = "a.c", .function = "f", .variable = "left.out" };
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		u->functions[i] = &places[(first + i * 7) % PLACES];
	u->module = (struct foresee_module){ .abi = FORESEE_ABI,
					     .nsites = 3,
					     .sites = u->sites,
					     .base = &u->base,
					     .functions = u->functions,
					     .nfunctions = FUNCTIONS,
					     .name = "a.c",
					     .watch = &u->watch };
}

/* The set of functions, against the plain one: a function is known from its unit's coming to its
 * going.  No two units have one in common here. */
static void functions(void)
{
	for (uint32_t i = 0; i < UNITS; i++) {
		unit_make(&units[i], 0);
		for (uint32_t k = 0; k < FUNCTIONS; k++)
			units[i].functions[k] = k < PLACES / UNITS ? &places[i + k * UNITS] : NULL;
	}
	for (int round = 0; round < 400; round++) {
		struct unit *u = &units[capture_random(UNITS)];

		if (u->there)
			foresee_module_unregister(&u->module);
		else
			foresee_module_register(&u->module);
		u->there = !u->there;
		for (uint32_t i = 0; i < PLACES; i++)
			CAPTURE_CHECK(module_has_function(&places[i]) == units[i % UNITS].there,
				      "round %d, function %u", round, i);
	}
}

/* What is watched is known in every unit that is there, whenever it came. */
static void watch(void)
{
	for (uint32_t i = 0; i < UNITS; i++)
		unit_make(&units[i], i);
	for (uint64_t round = 1; round <= 100; round++) {
		struct unit *u = &units[capture_random(UNITS)];
		struct foresee_watch w = { .low = round, .span = 8, .twins = round & 1 };

		if (u->there)
			foresee_module_unregister(&u->module);
		module_watch(&w);
		foresee_module_register(&u->module);
		u->there = true;
		for (uint32_t i = 0; i < UNITS; i++)
			CAPTURE_CHECK(!units[i].there ||
					      memcmp(&units[i].watch, &w, sizeof(w)) == 0,
				      "round %u, unit %u", (unsigned)round, i);
	}
}

/* ---- what is left out ---- */

static uint64_t x;
static _Alignas(16) uint64_t pair[2];

static void plain(uint32_t site)
{
	foresee_write8(&x, 1, site);
}

static void load(uint32_t site)
{
	(void)foresee_read8(&x, site);
}

static void atomic_store(uint32_t site)
{
	foresee_awrite8(&x, 1, __ATOMIC_RELEASE, site, NULL, 0);
}

static void exchange(uint32_t site)
{
	uint64_t was = 1;

	foresee_acas8(&x, &was, 2, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST, site);
}

static void add(uint32_t site)
{
	foresee_armw8(&x, 1, FORESEE_RMW_ADD, __ATOMIC_SEQ_CST, site, NULL, 0, NULL);
}

static void wide_store(uint32_t site)
{
	uint64_t from[2] = { 1, 2 };

	foresee_awrite16(pair, from, __ATOMIC_RELEASE, site);
}

static void wide_load(uint32_t site)
{
	uint64_t into[2];

	foresee_aread16(pair, into, __ATOMIC_ACQUIRE, site);
	CAPTURE_CHECK(into[0] == 1 && into[1] == 2, "not what was stored");
}

static void wide_exchange(uint32_t site)
{
	uint64_t was[2] = { 1, 2 }, to[2] = { 1, 2 };

	CAPTURE_CHECK(foresee_acas16(pair, was, to, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED, site),
		      "not exchanged");
}

static void fill(uint32_t site)
{
	foresee_fill(&x, 0, sizeof(x), site, NULL, 0);
}

static void (*const hooks[])(uint32_t site) = { plain,	    load,      atomic_store,  exchange, add,
						wide_store, wide_load, wide_exchange, fill };

static void patterns(void)
{
	struct unit *u = &units[0];
	struct thread *t = thread_self();

	unit_make(u, 0);
	foresee_module_register(&u->module);
	for (size_t i = 0; i < sizeof(hooks) / sizeof(hooks[0]); i++) {
		uint64_t before = t->tseq;

		hooks[i](u->base + 2);
		CAPTURE_CHECK(t->tseq == before, "hook %zu is recorded where it is left out", i);
		hooks[i](u->base + 1);
		CAPTURE_CHECK(t->tseq != before, "hook %zu is not recorded", i);
	}
}

/* ---- an atomic write that releases ends the runs of reads ---- */

static void epochs(void)
{
	void (*const releases[])(uint32_t) = { atomic_store, exchange, add, wide_store,
					       wide_exchange };
	struct thread *t = thread_self();

	for (size_t i = 0; i < sizeof(releases) / sizeof(releases[0]); i++) {
		static uint64_t y;
		uint32_t epoch;

		for (int k = 0; k < 40; k++) /* the first ones of a run are logged */
			(void)foresee_read8(&y, 0);
		CAPTURE_CHECK(t->npending != 0, "reads are not dropped");
		epoch = t->epoch;
		releases[i](0);
		CAPTURE_CHECK(t->npending == 0 && t->epoch != epoch, "operation %zu: a run goes on",
			      i);
	}
}

static const struct capture_case cases[] = {
	{ .name = "functions of units", .run = functions },
	{ .name = "what is watched", .run = watch },
	{ .name = "what is left out", .run = patterns, .options = "ignore=left\n" },
	{ .name = "releases", .run = epochs },
};

int main(int argc, char **argv)
{
	return CAPTURE_MAIN(argc, argv, cases);
}
