/* What lies at an address, as libraries, blocks and stacks come to lie there one after the other. */
#include <string.h>

#include "tap.h"
#include "names/program.h"
#include "trace/format.h"
#include "names/objects.h"

#define FIRST 10u /* units: their first site numbers */
#define SECOND 20u
#define THIRD 30u

static struct program_global globals[] = {
	{ .addr = 0x1000, .size = 64, .unit = FIRST, .name = "table", .type = "char [64]" },
	{ .addr = 0x1040, .size = 8, .unit = FIRST, .name = "count" },
	{ .addr = 0x1020, .size = 4, .unit = SECOND, .name = "flag" },
	{ .addr = 0x1030, .size = 24, .unit = SECOND, .name = "queue" },
	{ .addr = 0x1000, .size = 64, .unit = THIRD, .name = "table", .type = "char [64]" },
	{ .addr = 0x1040, .size = 8, .unit = THIRD, .name = "count" },
	{ .addr = 0x2000, .size = 4, .unit = FIRST, .name = "told_twice" },
	{ .addr = 0x2000, .size = 4, .unit = SECOND, .name = "told_twice" },
};

static struct objects objects;

static void start(bool late)
{
	struct program program = {
		.globals = { .at = globals, .n = sizeof(globals) / sizeof(*globals) },
	};

	objects_init(&objects, &program, false, late);
}

static void name_is(uint64_t addr, const char *want)
{
	const char *got = objects_name(&objects, addr);

	if (!TAP_OK(strcmp(got, want) == 0, "0x%llx is %s", (unsigned long long)addr, want))
		printf("# it is called %s\n", got);
}

static void happen(enum event_op op, unsigned kind, uint32_t site, uint64_t addr, uint64_t len)
{
	struct event e = {
		.op = op, .tid = 1, .arg = kind, .site = site, .addr = addr, .len = len
	};

	objects_event(&objects, &e);
}

static void load(uint32_t unit)
{
	for (size_t i = 0; i < sizeof(globals) / sizeof(*globals); i++)
		if (globals[i].unit == unit && globals[i].addr < 0x2000)
			happen(EVENT_ALLOC, FORMAT_ALLOC_FRAME, unit, globals[i].addr,
			       globals[i].size);
}

static void test_libraries(void)
{
	uint64_t id;

	start(false);
	name_is(0x1020, "table[32]");
	name_is(0x1044, "count+4");
	name_is(0x1060, "0x1060");
	id = objects_id(&objects, 0x1020);
	load(SECOND);
	name_is(0x1020, "flag");
	name_is(0x1040, "queue+16");
	TAP_OK(objects_id(&objects, 0x1020) != id, "another variable, another number");
	load(THIRD);
	name_is(0x1020, "table[32]");
	name_is(0x1040, "count");
	name_is(0x2000, "told_twice");
	objects_release(&objects);
}

static void test_memory(void)
{
	start(false);
	happen(EVENT_ALLOC, FORMAT_ALLOC_FRAME, FIRST + 1, 0x1000, 64);
	name_is(0x1000, "table[0]");
	happen(EVENT_ALLOC, FORMAT_ALLOC_HEAP, 1, 0x1010, 32);
	name_is(0x1020, "heap#1+16");
	happen(EVENT_FREE, FORMAT_ALLOC_HEAP, 1, 0x1010, 32);
	load(SECOND);
	name_is(0x1020, "flag");
	happen(EVENT_THREAD_BEGIN, 0, 0, 0x1000, 0x1000);
	name_is(0x1020, "stack of T1+32");
	happen(EVENT_THREAD_END, 0, 0, 0, 0);
	load(SECOND);
	name_is(0x1020, "flag");
	objects_release(&objects);
}

/* Which of them was there when the trace began is not told; what comes later is. */
static void test_late(void)
{
	start(true);
	name_is(0x1020, "0x1020");
	name_is(0x1000, "table[0]");
	name_is(0x2000, "told_twice");
	load(SECOND);
	name_is(0x1020, "flag");
	objects_release(&objects);
}

int main(void)
{
	test_libraries();
	test_memory();
	test_late();
	return tap_done();
}
