#include "spec_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "monitor/eval.h"

__attribute__((noreturn)) static void bail(const char *what, const char *about)
{
	printf("Bail out! %s: %s\n", what, about);
	exit(1);
}

static uint32_t variable_find(const struct spec *s, const char *name, size_t n)
{
	for (uint32_t i = 0; i < s->nvariables; i++)
		if (strlen(s->variables[i].name) == n && memcmp(s->variables[i].name, name, n) == 0)
			return i;
	bail("no such variable", name);
}

static uint32_t event_find(const struct spec *s, const char *name)
{
	for (uint32_t i = 0; i < s->nevents; i++)
		if (strcmp(s->events[i].name, name) == 0)
			return i;
	bail("no such event", name);
}

static struct watch_item *item_at(struct watch_items *items, uint64_t pos)
{
	struct watch_item *last = items->at.n ? &items->at.at[items->at.n - 1] : NULL;

	if (last && last->pos == pos)
		return last;
	*VEC_PUSH(&items->at) = (struct watch_item){
		.pos = pos,
		.thread = 1,
		.writes = (uint32_t)items->writes.n,
	};
	return &items->at.at[items->at.n - 1];
}

static void write_add(struct spec_text *s, struct watch_item *item, uint32_t variable,
		      const char *value)
{
	struct spec_number number = { .i = strtoll(value, NULL, 10) };
	const struct spec_type *type = &s->spec->variables[variable].type;
	struct watch_write w = {
		.variable = variable,
		.mask = type->size == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * type->size) - 1,
		.known = *value != '?',
	};

	if (!eval_raw(type, &number, &w.raw))
		bail("does not fit", value);
	*VEC_PUSH(&s->items.writes) = w;
	item->written |= (uint64_t)1 << variable;
	item->nwrites++;
}

static void word_add(struct spec_text *s, const char *word)
{
	char *rest;
	uint64_t pos = strtoull(word, &rest, 10);
	struct watch_item *item = item_at(&s->items, pos);
	const char *value = strchr(rest, '=');
	uint32_t variable;

	if (*rest == '!') {
		item->events |= (uint64_t)1 << event_find(s->spec, rest + 1);
		return;
	}
	variable = variable_find(s->spec, rest + 1,
				 value ? (size_t)(value - rest - 1) : strlen(rest + 1));
	if (value)
		write_add(s, item, variable, value + 1);
	else
		item->reads |= (uint64_t)1 << variable;
}

static void view_fill(struct spec_text *s)
{
	s->view = (struct view){ .spec = s->spec };
	for (uint32_t i = 0; i < s->spec->nvariables; i++)
		if (s->initial[i].known)
			(void)value_of(&s->spec->variables[i].type, &s->spec->variables[i].initial,
				       &s->view.initial[i]);
	for (size_t i = 0; i < s->items.at.n; i++) {
		const struct watch_item *m = &s->items.at.at[i];

		*VEC_PUSH(&s->view.at) =
			(struct view_event){ m->pos,	 m->thread, m->events, m->reads,
					     m->written, m->writes, m->nwrites };
	}
	for (size_t i = 0; i < s->items.writes.n; i++) {
		const struct watch_write *w = &s->items.writes.at[i];
		struct view_write to = { .variable = w->variable, .known = w->known };

		for (unsigned k = 0; k < 8; k++) {
			to.mask |= (uint8_t)((w->mask >> 8 * k & 1) << k);
			to.byte[k] = (uint8_t)(w->raw >> 8 * k);
		}
		*VEC_PUSH(&s->view.writes) = to;
	}
}

void spec_text_open(struct spec_text *s, const char *spec, const char *steps)
{
	char *copy = strdup(steps), *at = copy, *word;
	struct diag d = { { 0 } };

	memset(s, 0, sizeof(*s));
	if (spec_parse("t.spec", spec, strlen(spec), &s->spec, &d) != ST_OK ||
	    monitors_new(s->spec, &s->monitors, &d) != ST_OK)
		bail(d.message, spec);
	while ((word = strsep(&at, " ")) != NULL)
		if (*word)
			word_add(s, word);
	for (uint32_t i = 0; i < s->spec->nvariables; i++) {
		const struct spec_variable *v = &s->spec->variables[i];

		if (v->has_initial && eval_raw(&v->type, &v->initial, &s->initial[i].raw))
			s->initial[i].known = 0xff;
	}
	s->watch = (struct states_watch){ &s->monitors, s->initial, &s->items };
	free(copy);
	view_fill(s);
}

void spec_text_close(struct spec_text *s)
{
	view_release(&s->view);
	VEC_RELEASE(&s->items.at);
	VEC_RELEASE(&s->items.writes);
	monitors_release(&s->monitors);
	spec_free(s->spec);
}
