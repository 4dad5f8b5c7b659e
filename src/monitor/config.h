/*
 * Configurations: what the spec's variables hold and the state of every monitor, as one number.
 *
 * A lattice has many nodes and few configurations, so each is kept once (bytes, hashed) and a node
 * holds its number.  Steps are cached by (configuration, item).  A property that is violated,
 * in error or unknown keeps that verdict for ever and has no state any more, so that such
 * configurations are equal.
 *
 * Numbers are reused: configs_collect throws out what is not marked, and renumbers nothing.
 *
 * Threads: config_step may be called by several at once, on one set or on several that have the same
 *          monitors; items must not change meanwhile.
 */
#ifndef MONITOR_CONFIG_H
#define MONITOR_CONFIG_H

#include "monitor/monitor.h"
#include "monitor/watch.h"

struct configs;

/* monitors is borrowed.  initial: by variable of the spec; may be NULL when there are none. */
struct configs *configs_new(const struct monitors *monitors, const struct monitor_value *initial);
void configs_free(struct configs *c);

/* The configuration before any event; the properties' verdicts on the initial state are in it. */
uint32_t config_initial(struct configs *c);
/* After the item.  key: any number that stands for it (equal keys, equal items), for the cache;
 * worker: below CONFIG_WORKERS, one for each thread that steps. */
uint32_t config_step(struct configs *c, uint32_t config, const struct watch_item *item,
		     const struct watch_write *writes, uint64_t key, unsigned worker);
#define CONFIG_WORKERS 64

/* Properties, by number in monitors, with this verdict. */
uint64_t config_bad(const struct configs *c, uint32_t config);
uint64_t config_error(const struct configs *c, uint32_t config);
uint64_t config_unknown(const struct configs *c, uint32_t config);
/* Why the property last got ERROR or UNKNOWN, in words, or NULL; not while others step. */
const char *configs_trouble(const struct configs *c, uint32_t property);
const struct monitor_value *config_values(const struct configs *c, uint32_t config);
/* The item's events, with `when', in the state that config (the one after it) describes. */
uint64_t config_events(const struct configs *c, uint32_t config, const struct watch_item *item);

/* How many there are.  Collecting: mark all that are needed, then sweep; not while others step. */
size_t configs_count(const struct configs *c);
void config_mark(struct configs *c, uint32_t config);
void configs_sweep(struct configs *c);

#endif /* MONITOR_CONFIG_H */
