/*
 * What the variables of a finding hold as its runs go on.
 *
 * Of races and blocks they are the bytes that the targets touch: a write says what is there from then
 * on, and a read what was there all along.  Of properties they are those of the spec, which
 * monitor/states.h evaluates.
 */
#include "monitor/eval.h"
#include "report/html_priv.h"

#define LOOKS 400 /* of a property's run, the last */

void html_variables_find(const struct evidence *ev, const struct finding *f,
			 struct html_variables *out)
{
	out->n = 0;
	if (!finding_is_about_memory(f))
		return;
	for (uint32_t i = 0; i < f->nevents; i++)
		if (event_op_family(evidence_get(ev, f->events[i]).op) == 'A' &&
		    html_variable_of(ev, out, f->events[i]) < 0)
			out->at[out->n++] = f->events[i];
}

int html_variable_of(const struct evidence *ev, const struct html_variables *v, uint64_t pos)
{
	if (event_op_family(evidence_get(ev, pos).op) != 'A')
		return -1;
	for (uint32_t i = 0; i < v->n; i++)
		if (v->at[i] == pos || evidence_overlap(ev, pos, v->at[i]))
			return (int)i;
	return -1;
}

static const struct spec *spec_of(const struct html *h, const struct finding *f)
{
	return f->property && h->r->watch ? h->r->watch->monitors->spec : NULL;
}

static void property_variables(struct html *h, const struct finding *f)
{
	uint64_t mask = explain_states_variables(h->r->watch, f->property);
	const struct spec *spec = spec_of(h, f);

	for (uint32_t i = 0; i < spec->nvariables; i++)
		if (mask >> i & 1)
			json_string(&h->j, NULL, spec->variables[i].name);
}

void html_variables(struct html *h, const struct finding *f, const struct html_variables *v)
{
	STRBUF_SCOPED name = { 0 };

	json_open(&h->j, "variables", '[');
	for (uint32_t i = 0; i < v->n; i++) {
		strbuf_clear(&name);
		words_object(h->x.ev, v->at[i], &name);
		json_string(&h->j, NULL, strbuf_str(&name));
	}
	if (spec_of(h, f))
		property_variables(h, f);
	json_close(&h->j, ']');
}

/* ---- of a property ---- */

static void state_json(struct html *h, const struct finding *f, const struct states *s, size_t i,
		       uint64_t pos)
{
	uint64_t mask = explain_states_variables(h->r->watch, f->property);
	const struct spec *spec = spec_of(h, f);
	STRBUF_SCOPED text = { 0 };

	json_open(&h->j, NULL, '[');
	json_number(&h->j, NULL, pos);
	for (uint32_t k = 0; k < s->nvalues; k++) {
		if (!(mask >> k & 1))
			continue;
		strbuf_clear(&text);
		eval_print(&spec->variables[k].type, &s->values.at[i * s->nvalues + k], &text);
		json_string(&h->j, NULL, strbuf_str(&text));
	}
	json_close(&h->j, ']');
}

static void property_values(struct html *h, const struct finding *f,
			    const struct check_order *order, const struct map *there)
{
	int property = states_property(h->r->watch, f->property);
	size_t now = 0, told = 0;
	struct states s;

	if (property < 0)
		return;
	states_get(h->r->watch, order->at.at, order->at.n, LOOKS, property, &s);
	if (s.at.n)
		state_json(h, f, &s, 0, 0);
	for (size_t i = 0; i < order->at.n && told + 1 < s.at.n; i++) {
		uint64_t pos = order->at.at[i];

		now += now + 1 < s.at.n && s.at.at[now + 1].pos == pos;
		if (now > told && map_get(there, pos))
			state_json(h, f, &s, told = now, pos);
	}
	states_release(&s);
}

/* ---- of memory ---- */

struct memory {
	struct strbuf now[FINDING_EVENTS]; /* by variable; empty: not known */
	struct map tainted;		   /* reads */
	struct map doubtful; /* threads that have read one: what they write may differ */
	bool changed;	     /* since the last row */
};

static void row_json(struct html *h, const struct html_variables *v, const struct memory *m,
		     uint64_t pos)
{
	json_open(&h->j, NULL, '[');
	json_number(&h->j, NULL, pos);
	for (uint32_t i = 0; i < v->n; i++)
		json_string(&h->j, NULL, m->now[i].n ? strbuf_str(&m->now[i]) : NULL);
	json_close(&h->j, ']');
}

static void access_take(struct html *h, const struct html_variables *v, struct memory *m,
			uint64_t pos)
{
	struct evidence_event e = evidence_get(h->x.ev, pos);
	int i = html_variable_of(h->x.ev, v, pos);
	STRBUF_SCOPED text = { 0 };
	bool odd = map_get(&m->tainted, pos) != NULL;

	if (odd)
		map_put(&m->doubtful, e.tid, NULL);
	if (i < 0 || e.op == EVENT_FREE || (odd && e.op == EVENT_READ))
		return;
	html_value(h->x.ev, &e, &text);
	if (text.n && e.op != EVENT_READ && map_get(&m->doubtful, e.tid))
		strbuf_adds(&text, "?");
	if (strcmp(strbuf_str(&text), strbuf_str(&m->now[i])) == 0)
		return;
	strbuf_clear(&m->now[i]);
	strbuf_adds(&m->now[i], strbuf_str(&text));
	m->changed = true;
}

static void memory_values(struct html *h, const struct finding *f, const struct html_variables *v,
			  const struct check_order *order, const struct map *there, bool predicted)
{
	struct memory m = { 0 };

	for (size_t i = 0; predicted && i < f->tainted.n; i++)
		map_put(&m.tainted, f->tainted.at[i], NULL);
	for (size_t i = 0; i < order->at.n; i++) {
		uint64_t pos = order->at.at[i];

		access_take(h, v, &m, pos);
		if (m.changed && map_get(there, pos)) {
			row_json(h, v, &m, pos);
			m.changed = false;
		}
	}
	for (uint32_t i = 0; i < v->n; i++)
		strbuf_release(&m.now[i]);
	MAP_RELEASE_ALL(&m.tainted, &m.doubtful);
}

void html_values(struct html *h, const struct finding *f, const struct html_variables *v,
		 const char *key, const struct check_order *order, const struct map *there,
		 bool predicted)
{
	json_open(&h->j, key, '[');
	if (spec_of(h, f))
		property_values(h, f, order, there);
	else if (v->n)
		memory_values(h, f, v, order, there, predicted);
	json_close(&h->j, ']');
}
