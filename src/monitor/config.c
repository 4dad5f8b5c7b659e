/*
 * Configurations: records of one size, each kept once, in a hash table of their numbers.
 *
 *	record	hash | bad | error | unknown | values of the variables | states of the monitors
 *
 * Bytes that say nothing are zero (what is not known of a value, the state of a property that has
 * its verdict, padding), so equal configurations are equal bytes.
 *
 * Records lie in blocks that never move, so who has a number may read while others add.  A number
 * reaches another thread through the lock here, or through whatever hands it on; each of these
 * orders the record's bytes before it.
 *
 * Three ways to take a step, the fast ones first:
 *
 *	front	a table of each worker's own: no lock.  Most steps end here.
 *	shared	a table of all, under the lock
 *	make	run the monitors, find or add the record; under the lock
 *
 * The tables forget: a pair goes where its hash says and replaces what was there.
 */
#include "monitor/config.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "monitor/eval.h"

#define NONE UINT32_MAX
#define FRONT 8192u    /* a power of two */
#define SHARED 131072u /* likewise */
#define FIRST_BLOCK 64u

struct pair {
	uint64_t key;
	uint32_t config; /* NONE: free */
	uint32_t after;
};

struct record {
	uint64_t hash;
	uint64_t bad, error, unknown;
	struct monitor_value values[]; /* and the states */
};

struct configs {
	const struct monitors *monitors;
	const struct spec *spec;
	uint32_t nvalues;
	size_t states;	     /* where they begin in a record */
	size_t size;	     /* of a record, a multiple of 8 */
	struct record *work; /* guarded by lock: the one in the making */
	uint32_t initial;
	struct strbuf why[64]; /* by property: the trouble it last had.  Guarded by lock */

	pthread_mutex_t lock;
	/* Block i has FIRST_BLOCK << i records.  Written under the lock. */
	uint8_t *blocks[27];
	uint32_t n;	     /* numbers given out, and */
	VEC(uint32_t) spare; /* those free again */
	VEC(uint8_t) marks;
	uint32_t *table; /* numbers, by hash; NONE: free */
	uint32_t ntable; /* a power of two, at least twice the records */
	struct pair *shared;
	struct pair *front[CONFIG_WORKERS]; /* each its worker's alone */
};

/* ---- records ---- */

static struct record *record_at(const struct configs *c, uint32_t number)
{
	uint32_t n = number / FIRST_BLOCK + 1;
	unsigned block = 31 - (unsigned)__builtin_clz(n);
	uint32_t first = ((1u << block) - 1) * FIRST_BLOCK;

	return (struct record *)(c->blocks[block] + (number - first) * c->size);
}

static uint8_t *record_states(const struct configs *c, struct record *r)
{
	return (uint8_t *)r + c->states;
}

static uint64_t record_hash(const struct configs *c, const struct record *r)
{
	const uint64_t *word = &r->bad;
	size_t n = (c->size - offsetof(struct record, bad)) / sizeof(*word);
	uint64_t h = n;

	for (size_t i = 0; i < n; i++) {
		h = (h ^ word[i]) * 0x9e3779b97f4a7c15u;
		h ^= h >> 32;
	}
	return h;
}

static bool record_equal(const struct configs *c, const struct record *a, const struct record *b)
{
	return a->hash == b->hash && memcmp(a, b, c->size) == 0;
}

static void table_enter(struct configs *c, uint32_t number)
{
	uint32_t i = (uint32_t)record_at(c, number)->hash & (c->ntable - 1);

	while (c->table[i] != NONE)
		i = (i + 1) & (c->ntable - 1);
	c->table[i] = number;
}

/* With room for `live' records, and again as many. */
static void table_build(struct configs *c, size_t live)
{
	uint32_t want = 256;

	while (want < 4 * live)
		want *= 2;
	if (want > c->ntable) {
		c->table = mem_resize(c->table, want * sizeof(*c->table));
		c->ntable = want;
	}
	memset(c->table, 0xff, c->ntable * sizeof(*c->table));
	for (uint32_t i = 0; i < c->n; i++)
		if (c->marks.at[i] != 0)
			table_enter(c, i);
}

/* marks: 0 no record, else there is one. */
#define THERE 1u
#define MARKED 2u

static uint32_t record_add(struct configs *c)
{
	uint32_t number;

	if (c->spare.n > 0) {
		number = c->spare.at[--c->spare.n];
	} else {
		unsigned block = 31 - (unsigned)__builtin_clz(c->n / FIRST_BLOCK + 1);

		number = c->n++;
		assert(number < NONE / 2);
		if (c->blocks[block] == NULL)
			c->blocks[block] = mem_alloc((size_t)(FIRST_BLOCK << block) * c->size);
	}
	VEC_REACH(&c->marks, number);
	c->marks.at[number] = THERE;
	memcpy(record_at(c, number), c->work, c->size);
	if (configs_count(c) * 2 > c->ntable)
		table_build(c, configs_count(c));
	else
		table_enter(c, number);
	return number;
}

/* The number of what is in c->work. */
static uint32_t record_intern(struct configs *c)
{
	uint32_t i;

	c->work->hash = record_hash(c, c->work);
	i = (uint32_t)c->work->hash & (c->ntable - 1);
	for (; c->table[i] != NONE; i = (i + 1) & (c->ntable - 1))
		if (record_equal(c, record_at(c, c->table[i]), c->work))
			return c->table[i];
	return record_add(c);
}

/* ---- steps ---- */

static uint64_t mask_bytes(uint64_t mask)
{
	/* Bit 7 of each byte, gathered at the top. */
	return (mask >> 7 & 0x0101010101010101u) * 0x0102040810204080u >> 56;
}

static void value_write(struct monitor_value *v, const struct watch_write *w)
{
	uint8_t bytes = (uint8_t)mask_bytes(w->mask);

	v->raw &= ~w->mask;
	if (w->known) {
		v->raw |= w->raw & w->mask;
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

/* An event of the property may or may not have happened, for its condition has no value: then the
 * property has none either.  open: such events. */
static bool is_open(const struct monitor *m, const struct watch_item *item,
		    const struct occurred *o, uint64_t open)
{
	open &= m->events | (m->property != NULL ? m->property->events : 0);
	return open != 0 && monitor_is_step(m, o->yes | open, item->written, item->reads);
}

static void explain_when(struct configs *c, uint64_t open, const struct watch_item *item,
			 struct strbuf *why)
{
	for (; open != 0 && why->n == 0; open &= open - 1)
		eval_explain(c->spec, c->spec->events[__builtin_ctzll(open)].when, c->work->values,
			     item->thread, why);
}

/* Enters the verdict of property i into c->work; a last one leaves no state. */
static void verdict_enter(struct configs *c, uint32_t i, enum monitor_verdict v, uint8_t *state)
{
	const struct monitor *m = &c->monitors->at[i];
	uint64_t bit = UINT64_C(1) << i;

	if (v == MONITOR_GOOD)
		return;
	*(v == MONITOR_BAD     ? &c->work->bad
	  : v == MONITOR_ERROR ? &c->work->error
			       : &c->work->unknown) |= bit;
	memset(state, 0, m->size);
	if (v == MONITOR_BAD)
		return;
	strbuf_clear(&c->why[i]);
	if (m->trouble != NULL && m->trouble(m->self) != NULL)
		strbuf_adds(&c->why[i], m->trouble(m->self));
}

/* One monitor's step, from before to state. */
static void monitor_take(struct configs *c, uint32_t i, const struct watch_item *item,
			 const struct occurred *o, const uint8_t *before, uint8_t *state)
{
	const struct monitor *m = &c->monitors->at[i];
	struct monitor_input in = { .values = c->work->values,
				    .events = o->yes,
				    .written = item->written,
				    .thread = item->thread };
	/* An error is there whatever an unknown value is. */
	bool error = is_open(m, item, o, o->error);

	if (error || is_open(m, item, o, o->unknown)) {
		verdict_enter(c, i, error ? MONITOR_ERROR : MONITOR_UNKNOWN, state);
		strbuf_clear(&c->why[i]);
		explain_when(c, error ? o->error : o->unknown, item, &c->why[i]);
	} else if (monitor_is_step(m, in.events, in.written, item->reads)) {
		verdict_enter(c, i, m->step(m->self, before, &in, state), state);
	}
}

static void monitors_take(struct configs *c, const uint8_t *before, const struct watch_item *item)
{
	struct occurred o = events_ask(c, c->work->values, item);
	uint64_t over = c->work->bad | c->work->error | c->work->unknown;
	uint8_t *state = record_states(c, c->work);

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
	struct record *r = record_at(c, config);

	memcpy(c->work, r, c->size);
	for (uint32_t i = 0; i < item->nwrites; i++) {
		const struct watch_write *w = &writes[item->writes + i];

		assert(w->variable < c->nvalues);
		value_write(&c->work->values[w->variable], w);
	}
	monitors_take(c, record_states(c, r), item);
	return record_intern(c);
}

static uint64_t pair_hash(uint32_t config, uint64_t key)
{
	uint64_t h = (key ^ (uint64_t)config << 32 ^ config) * 0x9e3779b97f4a7c15u;

	return h ^ h >> 32;
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
	struct pair p = { key, config, NONE };
	struct pair *shared;

	pthread_mutex_lock(&c->lock);
	shared = &c->shared[h & (SHARED - 1)];
	if (shared->key != key || shared->config != config) {
		p.after = step_make(c, config, item, writes);
		*shared = p;
	} else {
		p.after = shared->after;
	}
	pthread_mutex_unlock(&c->lock);
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
	if (item == NULL || c->monitors == NULL)
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

static void values_enter(struct configs *c, const struct monitor_value *initial)
{
	for (uint32_t i = 0; i < c->nvalues; i++) {
		struct monitor_value *v = &c->work->values[i];

		if (initial == NULL)
			continue;
		v->known =
			(uint8_t)(initial[i].known & ((1u << c->spec->variables[i].type.size) - 1));
		for (unsigned b = 0; b < 8; b++)
			if (v->known >> b & 1)
				v->raw |= initial[i].raw & UINT64_C(0xff) << 8 * b;
	}
}

static uint32_t initial_make(struct configs *c, const struct monitor_value *initial)
{
	uint8_t *state = record_states(c, c->work);

	values_enter(c, initial);
	for (uint32_t i = 0; i < c->monitors->n; i++) {
		const struct monitor *m = &c->monitors->at[i];

		verdict_enter(c, i, m->initial(m->self, c->work->values, state), state);
		state += m->size;
	}
	return record_intern(c);
}

struct configs *configs_new(const struct monitors *monitors, const struct monitor_value *initial)
{
	struct configs *c = mem_zalloc(sizeof(*c));
	size_t states = 0;

	assert(monitors->n <= 64);
	for (uint32_t i = 0; i < monitors->n; i++)
		states += monitors->at[i].size;
	c->monitors = monitors;
	c->spec = monitors->spec;
	c->nvalues = c->spec != NULL ? c->spec->nvariables : 0;
	c->states = sizeof(struct record) + c->nvalues * sizeof(struct monitor_value);
	c->size = (c->states + states + 7) & ~(size_t)7;
	c->work = mem_zalloc(c->size);
	pthread_mutex_init(&c->lock, NULL);
	c->shared = pairs_new(SHARED);
	table_build(c, 0);
	c->initial = initial_make(c, initial);
	return c;
}

void configs_free(struct configs *c)
{
	if (c == NULL)
		return;
	for (size_t i = 0; i < sizeof(c->blocks) / sizeof(c->blocks[0]); i++)
		mem_free(c->blocks[i]);
	for (size_t i = 0; i < CONFIG_WORKERS; i++)
		mem_free(c->front[i]);
	for (size_t i = 0; i < sizeof(c->why) / sizeof(c->why[0]); i++)
		strbuf_release(&c->why[i]);
	mem_free(c->shared);
	mem_free(c->table);
	mem_free(c->work);
	VEC_RELEASE(&c->spare);
	VEC_RELEASE(&c->marks);
	pthread_mutex_destroy(&c->lock);
	mem_free(c);
}

uint32_t config_initial(struct configs *c)
{
	return c->initial;
}

uint64_t config_bad(const struct configs *c, uint32_t config)
{
	return record_at(c, config)->bad;
}

uint64_t config_error(const struct configs *c, uint32_t config)
{
	return record_at(c, config)->error;
}

uint64_t config_unknown(const struct configs *c, uint32_t config)
{
	return record_at(c, config)->unknown;
}

const char *configs_trouble(const struct configs *c, uint32_t property)
{
	return c->why[property].n > 0 ? strbuf_str(&c->why[property]) : NULL;
}

const struct monitor_value *config_values(const struct configs *c, uint32_t config)
{
	return record_at(c, config)->values;
}

uint64_t config_events(const struct configs *c, uint32_t config, const struct watch_item *item)
{
	return events_ask(c, record_at(c, config)->values, item).yes;
}

/* ---- collecting ---- */

size_t configs_count(const struct configs *c)
{
	return c->n - c->spare.n;
}

void config_mark(struct configs *c, uint32_t config)
{
	assert(c->marks.at[config] != 0);
	c->marks.at[config] |= MARKED;
}

void configs_sweep(struct configs *c)
{
	config_mark(c, c->initial);
	for (uint32_t i = 0; i < c->n; i++) {
		if (c->marks.at[i] == THERE) {
			c->marks.at[i] = 0;
			*VEC_PUSH(&c->spare) = i;
		} else if (c->marks.at[i] != 0) {
			c->marks.at[i] = THERE;
		}
	}
	table_build(c, configs_count(c));
	/* Pairs may have numbers that are gone. */
	memset(c->shared, 0xff, SHARED * sizeof(*c->shared));
	for (size_t i = 0; i < CONFIG_WORKERS; i++)
		if (c->front[i] != NULL)
			memset(c->front[i], 0xff, FRONT * sizeof(*c->front[i]));
}
