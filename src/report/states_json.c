#include "report/states_json.h"

#include <assert.h>
#include <math.h>

#include "base/strbuf.h"
#include "monitor/eval.h"
#include "report/explain_states.h"
#include "report/json.h"
#include "report/report.h"
#include "witness/check.h"
#include "monitor/states.h"

#define EXACT ((int64_t)1 << 53) /* integers beyond lose digits in many a reader */

/* A number where JSON has it, else as text; null: not known. */
static void value_json(const struct spec_variable *v, const struct monitor_value *value,
		       struct json *j)
{
	struct spec_number n = eval_number(&v->type, value->raw);
	STRBUF_SCOPED text = { 0 };

	if (!eval_is_known(&v->type, value)) {
		json_string(j, v->name, NULL);
	} else if (n.is_float && isfinite(n.f)) {
		json_real(j, v->name, n.f);
	} else if (v->type.kind == SPEC_INT && !n.is_big && n.i >= -EXACT && n.i <= EXACT) {
		json_signed(j, v->name, n.i);
	} else {
		eval_print(&v->type, value, &text);
		json_string(j, v->name, strbuf_str(&text));
	}
}

static void state_json(const struct spec *spec, const struct states *s, size_t i, struct json *j)
{
	const struct state *now = &s->at.at[i];

	assert(spec || s->nvalues == 0); /* values are those of its variables */
	json_open(j, NULL, '{');
	json_number(j, "event", now->pos);
	json_open(j, "events", '[');
	for (uint32_t k = 0; spec && k < spec->nevents; k++)
		if (now->events >> k & 1)
			json_string(j, NULL, spec->events[k].name);
	json_close(j, ']');
	json_open(j, "values", '{');
	for (uint32_t k = 0; k < s->nvalues; k++)
		value_json(&spec->variables[k], &s->values.at[i * s->nvalues + k], j);
	json_close(j, '}');
	json_close(j, '}');
}

void states_json(const struct report *r, const struct finding *f, struct json *j)
{
	int property = r->watch ? states_property(r->watch, f->property) : -1;
	struct check_order order = { 0 };
	struct states s;

	if (!f->certified || property < 0 || !check_expand(r->evidence, &f->schedule, &order)) {
		json_string(j, "states", NULL);
		VEC_RELEASE(&order.at);
		return;
	}
	states_get(r->watch, order.at.at, order.at.n, STATES_JSON_STEPS, property, &s);
	if (s.trouble)
		json_string(j, "trouble", s.trouble);
	if (s.before)
		json_number(j, "states_before", s.before);
	json_open(j, "states", '[');
	for (size_t i = 0; i < s.at.n; i++)
		state_json(r->watch->monitors->spec, &s, i, j);
	json_close(j, ']');
	states_release(&s);
	VEC_RELEASE(&order.at);
}

void states_json_object(const struct report *r, const struct finding *f, struct json *j)
{
	const struct spec *spec = r->watch ? r->watch->monitors->spec : NULL;
	uint64_t variables = r->watch ? explain_states_variables(r->watch, f->property) : 0;

	json_open(j, "object", '[');
	for (uint32_t i = 0; spec && i < spec->nvariables; i++)
		if (variables >> i & 1)
			json_string(j, NULL, spec->variables[i].name);
	json_close(j, ']');
}
