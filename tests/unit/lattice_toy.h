/*
 * The toy of lattice_naive.h in the place of monitor/config.c: to be included by one file of a
 * program, which then has these functions instead of the library's.
 */
#ifndef TESTS_LATTICE_TOY_H
#define TESTS_LATTICE_TOY_H

#include <stdlib.h>

#include "monitor/config.h"
#include "unit/lattice_naive.h"

static struct configs *const toy = (struct configs *)"toy";

uint32_t config_initial(struct configs *c)
{
	(void)c;
	return 1;
}

uint32_t config_step(struct configs *c, uint32_t config, const struct watch_item *item,
		     const struct watch_write *writes, uint64_t key, unsigned worker)
{
	(void)c;
	(void)key;
	(void)worker;
	/* The writes came along. */
	if (writes[item->writes].raw != item->events * 7)
		abort();
	return naive_step(config, (uint32_t)item->events);
}

uint64_t config_bad(const struct configs *c, uint32_t config)
{
	(void)c;
	return naive_bad(config);
}

uint64_t config_error(const struct configs *c, uint32_t config)
{
	(void)c;
	return naive_error(config);
}

uint64_t config_unknown(const struct configs *c, uint32_t config)
{
	(void)c;
	(void)config;
	return 0;
}

size_t configs_count(const struct configs *c)
{
	(void)c;
	return 1u << 20; /* collects at each level */
}

void config_mark(struct configs *c, uint32_t config)
{
	(void)c;
	(void)config;
}

void configs_sweep(struct configs *c)
{
	(void)c;
}

/* Nobody asks for these here; but one that is missing would bring in the library's file, and with it
 * all of the others again. */

struct configs *configs_new(const struct monitors *monitors, const struct monitor_value *initial)
{
	(void)monitors;
	(void)initial;
	abort();
}

void configs_free(struct configs *c)
{
	(void)c;
}

const char *configs_trouble(const struct configs *c, uint32_t property)
{
	(void)c;
	(void)property;
	return NULL;
}

const struct monitor_value *config_values(const struct configs *c, uint32_t config)
{
	(void)c;
	(void)config;
	return NULL;
}

uint64_t config_events(const struct configs *c, uint32_t config, const struct watch_item *item)
{
	(void)c;
	(void)config;
	return item->events;
}

#endif /* TESTS_LATTICE_TOY_H */
