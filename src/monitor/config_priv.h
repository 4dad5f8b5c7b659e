/*
 * The store of configurations: records of one size, each kept once, in a hash table of their
 * numbers.
 *
 *	record	hash | bad | error | unknown | values of the variables | states of the monitors
 *
 * Bytes that say nothing are zero (what is not known of a value, the state of a property that has
 * its verdict, padding), so equal configurations are equal bytes.
 *
 * Records lie in blocks that never move, so who has a number may read while others add.  A number
 * reaches another thread through the lock under which it was made, or through whatever hands it on;
 * each of these orders the record's bytes before it.
 */
#ifndef MONITOR_CONFIG_PRIV_H
#define MONITOR_CONFIG_PRIV_H

#include "monitor/monitor.h"

#define CONFIG_NONE UINT32_MAX
#define CONFIG_BLOCK 64u /* records of the first block; each has twice as many as the one before */

struct config_record {
	uint64_t hash;
	uint64_t bad, error, unknown;
	struct monitor_value values[]; /* and the states */
};

/* Written by who holds config.c's lock. */
struct config_store {
	size_t size;		    /* of a record, a multiple of 8 */
	struct config_record *work; /* the one in the making */
	uint8_t *blocks[27];
	uint32_t n;	     /* numbers given out, and */
	VEC(uint32_t) spare; /* those free again */
	VEC(uint8_t) marks;  /* by number; 0: no record */
	uint32_t *table;     /* numbers, by hash */
	uint32_t ntable;     /* a power of two, at least twice the records */
};

void config_store_init(struct config_store *s, size_t size);
void config_store_release(struct config_store *s);

static inline struct config_record *config_record(const struct config_store *s, uint32_t number)
{
	unsigned block = 31 - (unsigned)__builtin_clz(number / CONFIG_BLOCK + 1);
	uint32_t first = ((1u << block) - 1) * CONFIG_BLOCK;

	return (struct config_record *)(s->blocks[block] + (number - first) * s->size);
}

/* The number of what is in s->work. */
uint32_t config_store_intern(struct config_store *s);

size_t config_store_count(const struct config_store *s);
void config_store_mark(struct config_store *s, uint32_t number);
/* Throws out what is not marked, and takes the marks off. */
void config_store_sweep(struct config_store *s);

#endif /* MONITOR_CONFIG_PRIV_H */
