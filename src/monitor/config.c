/*
 * Configurations.  Three ways to take a step, the fast ones first:
 *
 *	front	a table of each worker's own: no lock.  Most steps end here.
 *	shared	a table of all, under the lock
 *	make	run the monitors, find or add the record (config_priv.h); under the lock
 *
 * The tables forget: a pair goes where its hash says and replaces what was there.
 */
#include "monitor/config.h"

#include <pthread.h>

#include "monitor/config_priv.h"
#include "monitor/eval.h"

#define FRONT 8192u    /* a power of two */
#define SHARED 131072u /* likewise */

struct pair {
	uint64_t key;
	uint32_t config; /* CONFIG_NONE: free */
	uint32_t after;
};

struct configs {
	const struct monitors *monitors;
	const struct spec *spec;
	uint32_t nvalues;
	size_t states; /* where they begin in a record */
	uint32_t initial;

	struct config_store store; /* guarded by monitors_lock; records may be read without */
	struct strbuf why[64];	   /* by property: the trouble it last had.  Guarded likewise */
	struct pair *shared;	   /* guarded likewise */
	struct pair *front[CONFIG_WORKERS]; /* each its worker's alone */
};

/* Monitors are called by one thread at a time, and several sets of configurations may have the
 * same ones (engines, checkers): so there is one lock for all. */
static pthread_mutex_t monitors_lock = PTHREAD_MUTEX_INITIALIZER;

static struct config_record *record(const struct configs *c, uint32_t number)
{
	return config_record(&c->store, number);
}

static uint8_t *states(const struct configs *c, struct config_record *r)
{
	return (uint8_t *)r + c->states;
}

/* ---- steps ---- */

static uint64_t mask_bytes(uint64_t mask)
{
	/* Bit 7 of each byte, gathered at the top. */
	return (mask >> 7 & 0x0101010101010101u) * 0x0102040810204080u >> 56;
}

static void value_write(const struct spec_type *type, struct monitor_value *v,
			const struct watch_write *w)
{
	uint64_t mask = w->mask & UINT64_MAX >> (64 - 8u * type->size);
	uint8_t bytes = (uint8_t)mask_bytes(mask);

	v->raw &= ~mask;
	if (w->known) {
		v->raw |= w->raw & mask;
		v->known |= bytes;
	} else {
		v->known &= (uint8_t)~bytes;
	}
}

/* What events an item is: sets of those whose condition holds, has no value, is not known. */
struct occurred {
	uint64_t yes, error, unknown;
};

static struct occurred events_ask(const struct configs *c, const struct monitor_value *values,
				  const struct watch_item *item)
{
	struct occurred o = { 0 };

	for (uint64_t left = item->events; left != 0; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(left);
		const struct spec_expr *when = c->spec->events[i].when;
		uint64_t bit = UINT64_C(1) << i;

		switch (when ? eval_truth(c->spec, when, values, item->thread) : EVAL_TRUE) {
		case EVAL_TRUE:
			o.yes |= bit;
			break;
		case EVAL_ERROR:
			o.error |= bit;
			break;
		case EVAL_UNKNOWN:
			o.unknown |= bit;
			break;
		case EVAL_FALSE:
			break;
		}
	}
	return o;
}

/* Of events whose condition has no value (open), those of the property, if with them it would take
 * a step: they may or may not have happened, so the property has no value either. */
static uint64_t events_open(const struct monitor *m, const struct watch_item *item,
			    const struct occurred *o, uint64_t open)
{
	open &= m->events | (m->property != NULL ? m->property->events : 0);
	return monitor_is_look(m, o->yes | open, item->written, item->reads) ? open : 0;
}

static void explain_when(struct configs *c, uint64_t open, const struct watch_item *item,
			 struct strbuf *why)
{
	for (; open != 0 && why->n == 0; open &= open - 1)
		eval_explain(c->spec, c->spec->events[__builtin_ctzll(open)].when,
			     c->store.work->values, item->thread, why);
}

/* Enters the verdict of property i into c->store.work; a last one leaves no state. */
static void verdict_enter(struct configs *c, uint32_t i, enum monitor_verdict v, uint8_t *state)
{
	const struct monitor *m = &c->monitors->at[i];
	uint64_t bit = UINT64_C(1) << i;

	if (v == MONITOR_GOOD)
		return;
	*(v == MONITOR_BAD     ? &c->store.work->bad
	  : v == MONITOR_ERROR ? &c->store.work->error
			       : &c->store.work->unknown) |= bit;
	memset(state, 0, m->size);
	if (v == MONITOR_BAD)
		return;
	strbuf_clear(&c->why[i]);
	if (m->trouble != NULL)
		strbuf_adds(&c->why[i], strbuf_str(m->trouble));
}

/* One monitor's step, from before to state. */
static void monitor_take(struct configs *c, uint32_t i, const struct watch_item *item,
			 const struct occurred *o, const uint8_t *before, uint8_t *state)
{
	const struct monitor *m = &c->monitors->at[i];
	struct monitor_input in = { .values = c->store.work->values,
				    .events = o->yes,
				    .written = item->written,
				    .thread = item->thread };
	/* An error is there whatever an unknown value is. */
	uint64_t error = events_open(m, item, o, o->error);
	uint64_t open = error != 0 ? error : events_open(m, item, o, o->unknown);

	if (open != 0) {
		verdict_enter(c, i, error != 0 ? MONITOR_ERROR : MONITOR_UNKNOWN, state);
		strbuf_clear(&c->why[i]);
		explain_when(c, open, item, &c->why[i]);
	} else if (monitor_is_look(m, in.events, in.written, item->reads)) {
		verdict_enter(c, i, m->step(m->self, before, &in, state), state);
	}
}

static void monitors_take(struct configs *c, const uint8_t *before, const struct watch_item *item)
{
	struct occurred o = events_ask(c, c->store.work->values, item);
	uint64_t over = c->store.work->bad | c->store.work->error | c->store.work->unknown;
	uint8_t *state = states(c, c->store.work);

	for (uint32_t i = 0; i < c->monitors->n; i++) {
		if (!(over >> i & 1))
			monitor_take(c, i, item, &o, before, state);
		before += c->monitors->at[i].size;
		state += c->monitors->at[i].size;
	}
}

static uint32_t step_make(struct configs *c, uint32_t config, const struct watch_item *item,
			  const struct watch_write *writes)
{
	struct config_record *r = record(c, config);

	memcpy(c->store.work, r, c->store.size);
	for (uint32_t i = 0; i < item->nwrites; i++) {
		const struct watch_write *w = &writes[item->writes + i];

		assert(w->variable < c->nvalues);
		value_write(&c->spec->variables[w->variable].type,
			    &c->store.work->values[w->variable], w);
	}
	monitors_take(c, states(c, r), item);
	return config_store_intern(&c->store);
}

static uint64_t pair_hash(uint32_t config, uint64_t key)
{
	return hash_add(key, (uint64_t)config << 32 ^ config);
}

static struct pair *pairs_new(uint32_t n)
{
	struct pair *p = mem_alloc(n * sizeof(*p));

	memset(p, 0xff, n * sizeof(*p));
	return p;
}

/* The front table of this worker does not have it. */
static __attribute__((noinline)) uint32_t step_slow(struct configs *c, uint32_t config,
						    const struct watch_item *item,
						    const struct watch_write *writes, uint64_t key,
						    unsigned worker)
{
	uint64_t h = pair_hash(config, key);
	struct pair p = { key, config, CONFIG_NONE };
	struct pair *shared;

	pthread_mutex_lock(&monitors_lock);
	shared = &c->shared[h & (SHARED - 1)];
	if (shared->key != key || shared->config != config) {
		p.after = step_make(c, config, item, writes);
		*shared = p;
	} else {
		p.after = shared->after;
	}
	pthread_mutex_unlock(&monitors_lock);
	if (c->front[worker] == NULL)
		c->front[worker] = pairs_new(FRONT);
	c->front[worker][h & (FRONT - 1)] = p;
	return p.after;
}

uint32_t config_step(struct configs *c, uint32_t config, const struct watch_item *item,
		     const struct watch_write *writes, uint64_t key, unsigned worker)
{
	const struct pair *front;

	assert(worker < CONFIG_WORKERS);
	if (item == NULL)
		return config;
	front = c->front[worker];
	if (front != NULL) {
		front += pair_hash(config, key) & (FRONT - 1);
		if (front->key == key && front->config == config)
			return front->after;
	}
	return step_slow(c, config, item, writes, key, worker);
}

/* ---- the set ---- */

/* As a write of all that is known. */
static void values_enter(struct configs *c, const struct monitor_value *initial)
{
	for (uint32_t i = 0; initial != NULL && i < c->nvalues; i++) {
		struct watch_write w = { .raw = initial[i].raw, .known = true };

		for (unsigned byte = 0; byte < 8; byte++)
			if (initial[i].known >> byte & 1)
				w.mask |= UINT64_C(0xff) << 8 * byte;
		value_write(&c->spec->variables[i].type, &c->store.work->values[i], &w);
	}
}

static uint32_t initial_make(struct configs *c, const struct monitor_value *initial)
{
	uint8_t *state = states(c, c->store.work);

	values_enter(c, initial);
	for (uint32_t i = 0; i < c->monitors->n; i++) {
		const struct monitor *m = &c->monitors->at[i];

		verdict_enter(c, i, m->initial(m->self, c->store.work->values, state), state);
		state += m->size;
	}
	return config_store_intern(&c->store);
}

struct configs *configs_new(const struct monitors *monitors, const struct monitor_value *initial)
{
	struct configs *c = mem_zalloc(sizeof(*c));
	size_t size = 0;

	assert(monitors->n <= 64);
	for (uint32_t i = 0; i < monitors->n; i++)
		size += monitors->at[i].size;
	c->monitors = monitors;
	c->spec = monitors->spec;
	c->nvalues = c->spec != NULL ? c->spec->nvariables : 0;
	c->states = sizeof(struct config_record) + c->nvalues * sizeof(struct monitor_value);
	config_store_init(&c->store, (c->states + size + 7) & ~(size_t)7);
	c->shared = pairs_new(SHARED);
	pthread_mutex_lock(&monitors_lock);
	c->initial = initial_make(c, initial);
	pthread_mutex_unlock(&monitors_lock);
	return c;
}

void configs_free(struct configs *c)
{
	if (c == NULL)
		return;
	config_store_release(&c->store);
	for (size_t i = 0; i < CONFIG_WORKERS; i++)
		mem_free(c->front[i]);
	for (size_t i = 0; i < sizeof(c->why) / sizeof(c->why[0]); i++)
		strbuf_release(&c->why[i]);
	MEM_FREE_ALL(c->shared, c);
}

uint32_t config_initial(struct configs *c)
{
	return c->initial;
}

uint64_t config_bad(const struct configs *c, uint32_t config)
{
	return record(c, config)->bad;
}

uint64_t config_error(const struct configs *c, uint32_t config)
{
	return record(c, config)->error;
}

uint64_t config_unknown(const struct configs *c, uint32_t config)
{
	return record(c, config)->unknown;
}

const char *configs_trouble(const struct configs *c, uint32_t property)
{
	return c->why[property].n > 0 ? strbuf_str(&c->why[property]) : NULL;
}

const struct monitor_value *config_values(const struct configs *c, uint32_t config)
{
	return record(c, config)->values;
}

uint64_t config_events(const struct configs *c, uint32_t config, const struct watch_item *item)
{
	return events_ask(c, record(c, config)->values, item).yes;
}

/* ---- collecting ---- */

size_t configs_count(const struct configs *c)
{
	return config_store_count(&c->store);
}

void config_mark(struct configs *c, uint32_t config)
{
	config_store_mark(&c->store, config);
}

void configs_sweep(struct configs *c)
{
	config_mark(c, c->initial);
	config_store_sweep(&c->store);
	/* Pairs may have numbers that are gone. */
	memset(c->shared, 0xff, SHARED * sizeof(*c->shared));
	for (size_t i = 0; i < CONFIG_WORKERS; i++)
		if (c->front[i] != NULL)
			memset(c->front[i], 0xff, FRONT * sizeof(*c->front[i]));
}
