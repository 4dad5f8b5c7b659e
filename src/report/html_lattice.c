/*
 * The lattice of cuts, where it is small enough to be drawn: one more reading of the trace.
 *
 * For each property that was found violated, the path that its schedule takes through the cuts.
 */
#include "lattice/causes.h"
#include "lattice/lattice.h"
#include "monitor/config.h"
#include "monitor/eval.h"
#include "monitor/reading.h"
#include "report/html_priv.h"

struct move {
	uint32_t from, to; /* cuts */
	uint64_t pos;
};

struct drawing {
	struct html *h;
	struct configs *configs;
	const struct spec *spec;
	uint32_t cuts;
	VEC(uint32_t) first; /* by level: its first cut */
	VEC(struct move) steps;
	VEC(uint64_t) raw; /* of steps: level << 32 | index, until all cuts are known */
};

/* "x=1 y=0" */
static void values_json(const struct drawing *g, const struct lattice_node *n)
{
	const struct monitor_value *values = config_values(g->configs, n->configs[0]);
	STRBUF_SCOPED text = { 0 };

	for (uint32_t i = 0; i < g->spec->nvariables; i++) {
		strbuf_addf(&text, "%s%s=", i ? " " : "", g->spec->variables[i].name);
		eval_print(&g->spec->variables[i].type, &values[i], &text);
	}
	if (n->nconfigs > 1)
		strbuf_addf(&text, " or %" PRIu32 " more", n->nconfigs - 1);
	json_string(&g->h->j, NULL, strbuf_str(&text));
}

/* [level, observed, bad, values, events of each lane ...]; bad: 1 in some runs, 2 in all. */
static void node_take(void *arg, const struct lattice_node *n)
{
	struct drawing *g = arg;
	struct json *j = &g->h->j;
	bool bad = false, good = false;

	for (uint32_t i = 0; i < n->nconfigs; i++)
		if (config_bad(g->configs, n->configs[i]) ||
		    config_error(g->configs, n->configs[i]))
			bad = true;
		else
			good = true;
	while (g->first.n <= n->level)
		*VEC_PUSH(&g->first) = g->cuts;
	g->cuts++;
	json_open(j, NULL, '[');
	json_number(j, NULL, n->level);
	json_number(j, NULL, n->observed);
	json_number(j, NULL, bad + (bad && !good));
	values_json(g, n);
	for (uint32_t i = 0; i < n->nlanes; i++)
		json_number(j, NULL, n->cut[i]);
	json_close(j, ']');
}

static void edge_take(void *arg, const struct lattice_edge *e)
{
	struct drawing *g = arg;

	*VEC_PUSH(&g->raw) = e->level;
	*VEC_PUSH(&g->steps) = (struct move){ (uint32_t)e->from, (uint32_t)e->to, e->pos };
}

static void steps_json(struct drawing *g)
{
	struct json *j = &g->h->j;

	json_open(j, "edges", '[');
	for (size_t i = 0; i < g->steps.n; i++) {
		struct move *s = &g->steps.at[i];

		s->from += g->first.at[g->raw.at[i]];
		s->to += g->first.at[g->raw.at[i] + 1];
		json_open(j, NULL, '[');
		json_number(j, NULL, s->from);
		json_number(j, NULL, s->to);
		json_number(j, NULL, s->pos);
		json_close(j, ']');
	}
	json_close(j, ']');
}

/* What each step does: "T1 write x", by its position. */
static void labels_json(struct drawing *g)
{
	MAP_SCOPED done = { 0 };
	bool fresh;

	json_open(&g->h->j, "labels", '{');
	for (size_t i = 0; i < g->steps.n; i++) {
		uint64_t pos = g->steps.at[i].pos;
		STRBUF_SCOPED text = { 0 };
		struct evidence_event e;
		char key[24];

		map_put(&done, pos, &fresh);
		if (!fresh || pos == 0 || pos > evidence_count(g->h->x.ev))
			continue;
		e = evidence_get(g->h->x.ev, pos);
		strbuf_addf(&text, "%s %s", trace_thread_name(g->h->r->trace, e.tid), words_op(&e));
		if (event_op_family(e.op) == 'A' || e.name) {
			strbuf_adds(&text, " ");
			words_object(g->h->x.ev, pos, &text);
		}
		snprintf(key, sizeof(key), "%" PRIu64, pos);
		json_string(&g->h->j, key, strbuf_str(&text));
	}
	json_close(&g->h->j, '}');
}

/* From the first cut along the schedule's points. */
static void path_json(struct drawing *g, const struct finding *f)
{
	VEC_SCOPED struct check_order order = { 0 };
	struct json *j = &g->h->j;
	uint32_t at = 0;
	char key[16];

	snprintf(key, sizeof(key), "%" PRIu32, f->id);
	json_open(j, key, '[');
	json_number(j, NULL, 0);
	if (f->claimed && check_expand(g->h->x.ev, &f->schedule, &order))
		for (size_t i = 0; i < order.at.n; i++)
			for (size_t k = 0; k < g->steps.n; k++)
				if (g->steps.at[k].from == at &&
				    g->steps.at[k].pos == order.at.at[i]) {
					at = g->steps.at[k].to;
					json_number(j, NULL, at);
					break;
				}
	json_close(j, ']');
}

static void lattice_draw(struct drawing *g, struct lattice *l)
{
	struct lattice_visitor v = { .arg = g, .node = node_take, .edge = edge_take };
	const struct findings *f = g->h->r->findings;

	json_open(&g->h->j, "lattice", '{');
	json_open(&g->h->j, "cuts", '[');
	lattice_each(l, &v);
	json_close(&g->h->j, ']');
	steps_json(g);
	labels_json(g);
	json_open(&g->h->j, "paths", '{');
	for (size_t i = 0; i < f->at.n; i++)
		if (f->at.at[i].property)
			path_json(g, &f->at.at[i]);
	json_close(&g->h->j, '}');
	json_close(&g->h->j, '}');
	VEC_RELEASE_ALL(&g->first, &g->steps, &g->raw);
}

/* True: all of it, and it is small. */
static bool lattice_read(struct reading *again, struct lattice *l, const struct causes_options *how)
{
	struct point_sink sink = lattice_sink(l);
	struct causes *causes = causes_new(how, &sink);
	struct lattice_counts counts = { 0 };
	struct step_batch b;
	struct diag d = { 0 };
	enum status st;

	reading_steps(again, &(struct step_options){ 0 });
	while ((st = reading_next(again, &b, &d)) == ST_OK && causes_points(causes) <= HTML_LATTICE)
		causes_take(causes, &b, reading_items(again));
	if (st == ST_END)
		causes_finish(causes);
	causes_free(causes);
	if (st != ST_END)
		return false;
	lattice_finish(l);
	lattice_counts(l, &counts);
	st = counts.truncated || counts.cuts > HTML_LATTICE ? ST_LIMIT : ST_OK;
	lattice_counts_release(&counts);
	return st == ST_OK;
}

/* The runs in which they were found. */
static enum causes_kind kind_of(const struct findings *f)
{
	for (size_t i = 0; i < f->at.n; i++)
		if (f->at.at[i].property && strcmp(f->at.at[i].engine->name, "lattice-mvc") != 0)
			return CAUSES_WEAK;
	return CAUSES_MVC;
}

static bool is_about_spec(const struct finding *f)
{
	return f->property != NULL;
}

void html_lattice(struct html *h)
{
	const struct monitors *m = h->r->watch ? h->r->watch->monitors : NULL;
	struct drawing g = { .h = h, .spec = m ? m->spec : NULL };
	struct reading again = { 0 };
	struct trace *t = NULL;
	struct diag d = { 0 };
	struct causes_options how = { .kind = kind_of(h->r->findings), .spec = g.spec };
	struct lattice *l;

	if (!g.spec || !findings_any(h->r->findings, is_about_spec) ||
	    trace_again(h->r->trace, &t, &d) != ST_OK)
		return;
	if (reading_begin(&again, t, g.spec, &d) == ST_OK) {
		g.configs = configs_new(m, watch_initial(again.watch));
		l = lattice_new(&(struct lattice_options){
			.configs = g.configs, .budget = HTML_LATTICE, .jobs = 1, .keep = true });
		if (lattice_read(&again, l, &how))
			lattice_draw(&g, l);
		lattice_free(l);
		configs_free(g.configs);
	}
	reading_close(&again);
	trace_close(t);
}
