
#include "monitor/eval.h"
#include "monitor/watch.h"
#include "report/explain_priv.h"

static const struct spec *spec_of(const struct explain_states *t)
{
	return t->watch->monitors->spec;
}

static const struct monitor_value *value_of(const struct explain_states *t, size_t state,
					    uint32_t variable)
{
	return &t->states->values.at[state * t->states->nvalues + variable];
}

/* The next number of the set, from *i on; false: none. */
static bool set_next(uint64_t set, uint32_t *i)
{
	while (*i < 64 && !(set >> *i & 1))
		++*i;
	return *i < 64;
}

uint64_t explain_states_variables(const struct states_watch *w, const char *property)
{
	uint32_t n = w->monitors->spec ? w->monitors->spec->nvariables : 0;
	uint64_t all = n < 64 ? ((uint64_t)1 << n) - 1 : UINT64_MAX;
	int number = states_property(w, property);

	if (number < 0 || !w->monitors->at[number].property)
		return all;
	return w->monitors->at[number].property->variables & all;
}

static void measure(struct explain_states *t)
{
	const struct states *s = t->states;
	STRBUF_SCOPED text = { 0 };

	for (uint32_t i = 0; set_next(t->shown, &i); i++) {
		t->widths[i] = (int)strlen(t->names[i]);
		for (size_t k = 0; k < s->at.n; k++) {
			strbuf_clear(&text);
			eval_print(&spec_of(t)->variables[i].type, value_of(t, k, i), &text);
			if ((int)text.n + 1 > t->widths[i])
				t->widths[i] = (int)text.n + 1;
		}
	}
}

void explain_states_init(struct explain_states *t, const struct states_watch *w,
			 const struct states *s, const struct finding *f)
{
	*t = (struct explain_states){ .watch = w, .states = s, .f = f };
	t->shown = explain_states_variables(w, f->property);
	for (uint32_t i = 0; w->monitors->spec && i < w->monitors->spec->nvariables; i++)
		t->names[i] = w->monitors->spec->variables[i].name;
	measure(t);
}

static const char *last_part(const char *name)
{
	const char *last = name;

	for (const char *at = name; *at; at++)
		if ((*at == '.' || *at == ':') && at[1] && at[1] != ':')
			last = at + 1;
	return last;
}

void explain_states_shorten(struct explain_states *t)
{
	uint32_t n = spec_of(t) ? spec_of(t)->nvariables : 0;

	for (uint32_t i = 0; i < n; i++) {
		const char *last = last_part(spec_of(t)->variables[i].name);
		bool alone = true;

		for (uint32_t k = 0; k < n && alone; k++)
			alone = k == i || strcmp(last_part(spec_of(t)->variables[k].name), last);
		if (alone)
			t->names[i] = last;
	}
	measure(t);
}

void explain_states_head(const struct explain_states *t, struct columns *c)
{
	STRBUF_SCOPED head = { 0 };

	for (uint32_t i = 0; set_next(t->shown, &i); i++)
		strbuf_addf(&head, "%s%-*s", head.n ? "  " : "", t->widths[i], t->names[i]);
	c->side = mem_strdup(strbuf_str(&head));
}

static bool is_changed(const struct monitor_value *a, const struct monitor_value *b)
{
	return a->raw != b->raw || a->known != b->known;
}

/* The property has its verdict here. */
static const char *mark_of(const struct explain_states *t, size_t state)
{
	int number = states_property(t->watch, t->f->property);
	const struct state *s = &t->states->at.at[state];

	if (number < 0)
		return NULL;
	return s->bad >> number & 1	? "<-- violated"
	       : s->error >> number & 1 ? "<-- no value"
					: NULL;
}

void explain_states_note(const struct explain_states *t, size_t before, size_t state,
			 struct columns *c)
{
	STRBUF_SCOPED note = { 0 }, brief = { 0 }, value = { 0 };
	const char *mark = mark_of(t, state);

	for (uint32_t i = 0; set_next(t->shown, &i); i++) {
		bool changed = is_changed(value_of(t, before, i), value_of(t, state, i));
		const struct spec_variable *v = &spec_of(t)->variables[i];

		strbuf_clear(&value);
		eval_print(&v->type, value_of(t, state, i), &value);
		if (before == state)
			strbuf_addf(&brief, "%s%s = %s", brief.n ? ", " : "", t->names[i],
				    strbuf_str(&value));
		strbuf_adds(&value, changed ? "*" : "");
		strbuf_addf(&note, "%s%-*s", note.n ? "  " : "", t->widths[i], strbuf_str(&value));
	}
	if (mark) {
		strbuf_addf(&note, "%s%s", note.n ? "  " : "", mark);
		strbuf_addf(&brief, "%s%s", brief.n ? "  " : "", mark);
	}
	columns_note(c, strbuf_str(&note), brief.n ? brief.at : NULL);
}

void explain_states_events(const struct explain_states *t, size_t state, struct strbuf *out)
{
	const char *comma = "";

	for (uint32_t i = 0; set_next(t->states->at.at[state].events, &i); i++) {
		strbuf_addf(out, "%s%s", comma, spec_of(t)->events[i].name);
		comma = ", ";
	}
}

bool explain_states_written(const struct explain_states *t, size_t state, struct strbuf *out)
{
	uint64_t written = t->states->at.at[state].written;
	const char *comma = "";

	for (uint32_t i = 0; set_next(written, &i); i++) {
		const struct spec_variable *v = &spec_of(t)->variables[i];

		strbuf_addf(out, "%s %s = ", comma, t->names[i]);
		eval_print(&v->type, value_of(t, state, i), out);
		comma = ",";
	}
	return written != 0;
}

void explain_states_read(const struct explain_states *t, uint64_t pos, struct strbuf *out)
{
	const struct watch_item *item = watch_items_find(t->watch->items, pos);
	const char *comma = "";

	for (uint32_t i = 0; item && set_next(item->reads | item->written, &i); i++) {
		strbuf_addf(out, "%s %s", comma, t->names[i]);
		comma = ",";
	}
}
