/*
 * The monitors of a spec, and when each of them looks.
 */
#include "monitor/monitor.h"

/* What `step write' counts: its variables, and those whose writes it has as events. */
static uint64_t written(const struct spec *s, const struct spec_property *p)
{
	uint64_t set = p->variables;

	for (uint32_t i = 0; i < s->nevents; i++) {
		const struct spec_event *e = &s->events[i];

		if ((p->events >> i & 1) && e->op == SPEC_WRITE && e->variable >= 0)
			set |= UINT64_C(1) << e->variable;
	}
	return set;
}

/* A regular expression or a machine moves by events alone: a write that is none of them would be a
 * look that does nothing. */
static void looks(const struct spec *s, const struct spec_property *p, struct monitor *m)
{
	bool formula = p->body == SPEC_PTLTL;

	if (p->step != SPEC_STEP_WRITE)
		m->events = p->events;
	if (p->step == SPEC_STEP_WRITE)
		m->writes = written(s, p);
	else if (p->step == SPEC_STEP_AUTO && formula)
		m->writes = p->variables;
	if (formula) {
		m->events |= s->relevant_events;
		m->writes |= s->relevant_variables;
		m->reads |= s->relevant_variables;
	}
}

static enum status make(const struct spec *s, const struct spec_property *p, struct monitor *out,
			struct diag *d)
{
	*out = (struct monitor){ .name = p->name, .property = p };
	looks(s, p, out);
	switch (p->body) {
	case SPEC_PTLTL:
		return monitor_ptltl_new(s, p, out, d);
	case SPEC_ERE_NEVER:
	case SPEC_ERE_MUST:
		return monitor_ere_new(s, p, out, d);
	case SPEC_FSM:
		return monitor_fsm_new(s, p, out, d);
	case SPEC_MTTL:
		break;
	}
	BUG("no monitors of kind %d", p->body);
}

enum status monitors_new(const struct spec *spec, struct monitors *out, struct diag *d)
{
	*out = (struct monitors){ .spec = spec };
	if (spec == NULL)
		return ST_OK;
	assert(spec->nproperties <= SPEC_PROPERTIES);
	out->at = mem_zalloc((spec->nproperties + 1) * sizeof(*out->at));
	for (uint32_t i = 0; i < spec->nproperties; i++) {
		enum status st;

		if (spec->properties[i].body == SPEC_MTTL)
			continue;
		st = make(spec, &spec->properties[i], &out->at[out->n], d);
		if (st != ST_OK) {
			monitors_release(out);
			return st;
		}
		out->n++;
	}
	return ST_OK;
}

void monitors_release(struct monitors *m)
{
	for (uint32_t i = 0; i < m->n; i++)
		m->at[i].free(m->at[i].self);
	mem_free(m->at);
	*m = (struct monitors){ 0 };
}
