/*
 * The reference model is one line: for each event of the order that is an item, config_step.
 *
 * A walk has configurations of its own, and throws out all but the present one when they get many:
 * a run that counts something meets a new one at every step.
 */
#include "monitor/states.h"

#include "monitor/config.h"
#include "monitor/watch.h"

#define MANY 100000 /* configurations */

int states_property(const struct states_watch *w, const char *name)
{
	for (uint32_t i = 0; name && i < w->monitors->n; i++)
		if (strcmp(w->monitors->at[i].name, name) == 0)
			return (int)i;
	return -1;
}

/* Step by step: the state now. */
struct walk {
	struct configs *configs;
	uint32_t config;
	struct state state;
};

static void verdicts_get(struct walk *k)
{
	k->state.bad = config_bad(k->configs, k->config);
	k->state.error = config_error(k->configs, k->config);
	k->state.unknown = config_unknown(k->configs, k->config);
}

static void walk_step(struct walk *k, const struct watch_items *items,
		      const struct watch_item *item)
{
	k->config = config_step(k->configs, k->config, item, items->writes.at, item->pos, 0);
	k->state = (struct state){
		.pos = item->pos,
		.events = config_events(k->configs, k->config, item),
		.written = item->written,
	};
	verdicts_get(k);
	if (configs_count(k->configs) > MANY) {
		config_mark(k->configs, k->config);
		configs_sweep(k->configs);
	}
}

bool states_is_look(const struct states_watch *w, int property, const struct watch_item *item)
{
	const struct monitor *m = &w->monitors->at[property];

	return monitor_is_look(m, item->events, item->written, item->reads) ||
	       (m->property && item->written & m->property->variables);
}

static bool is_look(const struct states_watch *w, int property, uint64_t pos)
{
	const struct watch_item *item = watch_items_find(w->items, pos);

	return item && states_is_look(w, property, item);
}

static void state_add(const struct walk *k, struct states *out)
{
	const struct monitor_value *values = config_values(k->configs, k->config);

	*VEC_PUSH(&out->at) = k->state;
	VEC_APPEND(&out->values, values, out->nvalues);
}

void states_get(const struct states_watch *w, const uint64_t *order, size_t n, size_t most,
		int property, struct states *out)
{
	struct walk k = { .configs = configs_new(w->monitors, w->initial) };
	uint64_t looks = 0, done = 0;

	memset(out, 0, sizeof(*out));
	out->nvalues = w->monitors->spec ? w->monitors->spec->nvariables : 0;
	for (size_t i = 0; i < n; i++)
		looks += is_look(w, property, order[i]);
	out->before = looks > most ? looks - most : 0;
	k.config = config_initial(k.configs);
	verdicts_get(&k);
	if (out->before == 0)
		state_add(&k, out);
	for (size_t i = 0; i < n; i++) {
		const struct watch_item *item = watch_items_find(w->items, order[i]);

		if (!item)
			continue;
		walk_step(&k, w->items, item);
		if (states_is_look(w, property, item) && ++done >= out->before)
			state_add(&k, out);
	}
	if (configs_trouble(k.configs, (uint32_t)property))
		out->trouble = mem_strdup(configs_trouble(k.configs, (uint32_t)property));
	configs_free(k.configs);
}

void states_release(struct states *s)
{
	mem_free(s->trouble);
	VEC_RELEASE_ALL(&s->at, &s->values);
}
