/*
 * A plug-in's monitor along a run, by its own three functions.  What it names is looked up in the
 * spec here once more; its state lies between two fences, and a monitor that reaches over them is
 * believed nothing.
 */
#include <foresee_monitor.h>

#include "witness/judge_priv.h"

#define FENCE 256u /* bytes; a multiple of any alignment */
#define FENCE_BYTE 0x5a
#define MOST 64u

struct judge_plugin {
	const struct spec *spec;
	const struct foresee_monitor *monitor;
	uint32_t variable[MOST], nvariables; /* numbers in the spec */
	uint32_t event[MOST], nevents;
	bool lacks; /* the spec does not have all that it names */
	struct foresee_value value[MOST];
	uint8_t *room; /* fence, state, fence */
};

static bool number_find(const struct spec *s, const char *name, bool event, uint32_t *out)
{
	uint32_t n = !s ? 0 : event ? s->nevents : s->nvariables;

	for (*out = 0; *out < n; ++*out)
		if (strcmp(name, event ? s->events[*out].name : s->variables[*out].name) == 0)
			return true;
	return false;
}

static uint32_t names_find(struct judge_plugin *p, const char *const *names, bool event,
			   uint32_t *out, uint64_t *set)
{
	uint32_t n = 0;

	for (*set = 0; names && names[n] && n < MOST; n++) {
		if (!number_find(p->spec, names[n], event, &out[n])) {
			p->lacks = true;
			return n;
		}
		*set |= 1ull << out[n];
	}
	return n;
}

struct judge_plugin *judge_plugin_new(const struct spec *s, const struct foresee_monitor *m,
				      uint64_t *events, uint64_t *variables)
{
	struct judge_plugin *p = mem_zalloc(sizeof(*p));

	p->spec = s;
	p->monitor = m;
	p->nvariables = names_find(p, m->variables, false, p->variable, variables);
	p->nevents = names_find(p, m->events, true, p->event, events);
	p->room = mem_zalloc(m->state_size + 2 * FENCE);
	memset(p->room, FENCE_BYTE, FENCE);
	memset(p->room + FENCE + m->state_size, FENCE_BYTE, FENCE);
	return p;
}

void judge_plugin_free(struct judge_plugin *p)
{
	if (!p)
		return;
	mem_free(p->room);
	mem_free(p);
}

/* False: one is not known, and the monitor does not take that. */
static bool values_fill(struct judge_plugin *p, const struct value *values)
{
	bool all = true;

	for (uint32_t i = 0; i < p->nvariables; i++) {
		const struct spec_type *type = &p->spec->variables[p->variable[i]].type;
		struct foresee_value *v = &p->value[i];
		struct spec_number n;

		*v = (struct foresee_value){ 0 };
		v->known = value_number(type, &values[p->variable[i]], &n);
		all &= v->known;
		if (!v->known)
			continue;
		v->integer = n.is_float ? 0 : n.i;
		v->real = n.is_float ? n.f : n.is_big ? (double)(uint64_t)n.i : (double)n.i;
	}
	return all || (p->monitor->flags & FORESEE_TAKES_UNKNOWN);
}

static bool fences_stand(const struct judge_plugin *p)
{
	for (uint32_t i = 0; i < FENCE; i++)
		if (p->room[i] != FENCE_BYTE ||
		    p->room[FENCE + p->monitor->state_size + i] != FENCE_BYTE)
			return false;
	return true;
}

enum judge_verdict judge_plugin(struct judge_plugin *p, const struct judge_moment *m, bool first,
				const char **why)
{
	struct foresee_input in = { .values = p->value, .thread = m->thread };
	uint8_t *state = p->room + FENCE;
	int said;

	*why = "a plug-in names what the spec does not have";
	if (p->lacks)
		return JUDGE_UNKNOWN;
	*why = "a value is not known";
	if (!values_fill(p, m->values))
		return JUDGE_UNKNOWN;
	for (uint32_t i = 0; i < p->nevents; i++)
		in.events |= (m->events >> p->event[i] & 1) << i;
	for (uint32_t i = 0; i < p->nvariables; i++)
		in.written |= (m->written >> p->variable[i] & 1) << i;
	if (first)
		memset(state, 0, p->monitor->state_size);
	(first ? p->monitor->initial : p->monitor->step)(&in, state);
	said = p->monitor->is_bad(state);
	*why = fences_stand(p) ? "so says the plug-in" : "the plug-in wrote outside its state";
	if (!fences_stand(p))
		return JUDGE_UNKNOWN;
	return said == FORESEE_GOOD    ? JUDGE_GOOD
	       : said == FORESEE_BAD   ? JUDGE_BAD
	       : said == FORESEE_ERROR ? JUDGE_ERROR
				       : JUDGE_UNKNOWN;
}
