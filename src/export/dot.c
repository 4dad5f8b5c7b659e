/*
 * One reading of the trace feeds the lattice, which keeps all levels; then nodes and edges are
 * collected, and written when all are known.
 *
 * Labels of events are made as they are read, for objects have the names of that moment.  Most are
 * equal, so each is kept once.
 */
#include "export/dot.h"

#include "lattice/lattice.h"
#include "monitor/config.h"
#include "monitor/eval.h"
#include "monitor/reading.h"
#include "report/show.h"
#include "trace/event.h"
#include "trace/trace.h"

#define VALUATIONS 3		     /* of a node, told */
#define OUR_KEYS ((uint64_t)1 << 63) /* of steps: the lattice has others */

struct node {
	uint64_t level;
	uint32_t configs, nconfigs; /* into drawing.configs */
	uint32_t counts, nlanes;    /* into drawing.counts */
	bool observed, dead;
	bool bad, good; /* some configuration is violated, some is not */
};

struct edge {
	size_t from, to; /* into nodes */
	uint64_t pos;
	bool bad; /* some run that takes it is violated, before or after */
};

struct drawing {
	const struct dot_options *opt;
	struct reading reading;
	struct watch_items all; /* of all batches */
	struct configs *configs;
	struct lattice *lattice;
	struct intern *names;
	VEC(uint32_t) labels; /* by position: into names */
	VEC(struct node) nodes;
	VEC(size_t) first; /* by level: its first node */
	VEC(struct edge) edges;
	VEC(uint32_t) config_numbers; /* of all nodes */
	VEC(bool) doomed;	      /* for each: a run from there, or to there, is violated */
	VEC(uint32_t) counts;
};

/* ---- reading ---- */

/* "write x\na.c:12 in f" */
static void label_format(struct trace *t, const struct event *e, struct strbuf *out)
{
	char family = event_op_family(e->op);
	size_t before;

	strbuf_addf(out, "%s %s", trace_thread_name(t, e->tid), show_op(e->op));
	if (family == 'A' || family == 'L' || family == 'S')
		strbuf_addf(out, " %s", trace_object_name(t, e->addr));
	else if (e->peer != 0)
		strbuf_addf(out, " %s", trace_thread_name(t, e->peer));
	else if (e->name != NULL)
		strbuf_addf(out, " %s", e->name);
	before = out->n;
	strbuf_adds(out, "\n");
	show_location(t, e->site, out);
	if (out->n == before + 1)
		out->at[--out->n] = '\0';
}

static void items_keep(struct drawing *g)
{
	const struct watch_items *batch = &g->reading.items;

	for (size_t i = 0; i < batch->at.n; i++) {
		struct watch_item item = batch->at.at[i];
		uint32_t writes = item.writes;

		item.writes = (uint32_t)g->all.writes.n;
		VEC_APPEND(&g->all.writes, batch->writes.at + writes, item.nwrites);
		*VEC_PUSH(&g->all.at) = item;
	}
}

static void dot_event(void *arg, struct trace *t, const struct event *e)
{
	struct drawing *g = arg;
	STRBUF_SCOPED text = { 0 };

	label_format(t, e, &text);
	VEC_REACH(&g->labels, e->pos);
	g->labels.at[e->pos] = intern_add(g->names, text.at, text.n);
}

static enum status read_all(struct drawing *g, struct causes *causes, struct diag *d)
{
	struct step_batch b;
	enum status st;

	reading_steps(&g->reading, &(struct step_options){ .see = dot_event, .see_arg = g });
	while ((st = reading_next(&g->reading, &b, d)) == ST_OK &&
	       causes_points(causes) <= DOT_NODES) {
		causes_take(causes, &b, reading_items(&g->reading));
		items_keep(g);
	}
	if (st == ST_END)
		causes_finish(causes);
	if (causes_points(causes) > DOT_NODES)
		return diag_fail(
			d, ST_LIMIT,
			"too long to draw: more than %u events count; a spec with fewer events, or "
			"a shorter run, can be drawn",
			DOT_NODES);
	return st;
}

static enum status build(struct drawing *g, struct diag *d)
{
	struct causes_options how = { .kind = g->opt->kind,
				      .spec = g->opt->monitors ? g->opt->monitors->spec : NULL };
	struct point_sink sink = lattice_sink(g->lattice);
	struct causes *causes = causes_new(&how, &sink);
	enum status st = read_all(g, causes, d);

	causes_free(causes);
	return st;
}

/* ---- nodes and edges ---- */

static bool is_bad(const struct drawing *g, uint32_t config)
{
	return config_bad(g->configs, config) || config_error(g->configs, config);
}

static void node_take(void *arg, const struct lattice_node *n)
{
	struct drawing *g = arg;
	const uint32_t *configs = n->configs;
	uint32_t nconfigs = configs ? n->nconfigs : 0;
	struct node *new = VEC_PUSH(&g->nodes);

	*new = (struct node){ .level = n->level,
			      .configs = (uint32_t)g->config_numbers.n,
			      .nconfigs = nconfigs,
			      .counts = (uint32_t)g->counts.n,
			      .nlanes = n->nlanes,
			      .observed = n->observed,
			      .dead = n->dead };
	while (g->first.n <= n->level)
		*VEC_PUSH(&g->first) = g->nodes.n - 1;
	VEC_APPEND(&g->counts, n->cut, n->nlanes);
	for (uint32_t i = 0; i < nconfigs; i++) {
		bool bad = is_bad(g, configs[i]);

		*VEC_PUSH(&g->config_numbers) = configs[i];
		new->bad |= bad;
		new->good |= !bad;
	}
}

/* Edges may come before the nodes they lead to: indices within levels, for now. */
static void edge_take(void *arg, const struct lattice_edge *e)
{
	struct drawing *g = arg;

	*VEC_PUSH(&g->edges) =
		(struct edge){ .from = e->from | e->level << 32, .to = e->to, .pos = e->pos };
}

static void edges_settle(struct drawing *g)
{
	for (size_t i = 0; i < g->edges.n; i++) {
		struct edge *e = &g->edges.at[i];
		uint64_t level = e->from >> 32;

		e->from = g->first.at[level] + (uint32_t)e->from;
		e->to = g->first.at[level + 1] + e->to;
	}
}

/* What the i-th configuration of the edge's begin becomes at its end can be violated, then or later. */
static bool is_doomed(const struct drawing *g, const struct edge *e, uint32_t i)
{
	const struct node *from = &g->nodes.at[e->from], *to = &g->nodes.at[e->to];
	const struct watch_item *item = watch_items_find(&g->all, e->pos);
	uint32_t config = g->config_numbers.at[from->configs + i], k = 0;

	if (item)
		config = config_step(g->configs, config, item, g->all.writes.at, e->pos | OUR_KEYS,
				     0);
	while (k < to->nconfigs && g->config_numbers.at[to->configs + k] != config)
		k++;
	return k < to->nconfigs && g->doomed.at[to->configs + k];
}

/* From the last level to the first: which configurations are, or may become, violated. */
static void runs_mark(struct drawing *g)
{
	for (size_t i = 0; i < g->config_numbers.n; i++)
		*VEC_PUSH(&g->doomed) = is_bad(g, g->config_numbers.at[i]);
	for (size_t i = g->edges.n; i-- > 0;) {
		struct edge *e = &g->edges.at[i];
		const struct node *from = &g->nodes.at[e->from];

		for (uint32_t k = 0; k < from->nconfigs; k++) {
			if (!is_doomed(g, e, k))
				continue;
			e->bad = true;
			g->doomed.at[from->configs + k] = true;
		}
	}
}

/* ---- writing ---- */

static void quoted(struct strbuf *out, const char *s)
{
	strbuf_adds(out, "\"");
	for (; *s; s++) {
		if (*s == '\n')
			strbuf_adds(out, "\\n");
		else if (*s == '"' || *s == '\\')
			strbuf_addf(out, "\\%c", *s);
		else
			strbuf_add(out, s, 1);
	}
	strbuf_adds(out, "\"");
}

/* "x=1 y=0", one line for each valuation of the node. */
static void values_format(const struct drawing *g, const struct node *n, struct strbuf *out)
{
	const struct spec *spec = g->opt->monitors ? g->opt->monitors->spec : NULL;
	STRBUF_SCOPED told = { 0 }, one = { 0 };
	uint32_t lines = 0;

	for (uint32_t i = 0; spec && spec->nvariables && i < n->nconfigs; i++) {
		const struct monitor_value *values =
			config_values(g->configs, g->config_numbers.at[n->configs + i]);

		strbuf_clear(&one);
		strbuf_adds(&one, "\n");
		for (uint32_t k = 0; k < spec->nvariables; k++) {
			strbuf_addf(&one, "%s%s=", k ? " " : "", spec->variables[k].name);
			eval_print(&spec->variables[k].type, &values[k], &one);
		}
		strbuf_adds(&one, "\n");
		if (strstr(strbuf_str(&told), one.at))
			continue;
		strbuf_adds(&told, one.at);
		one.at[--one.n] = '\0';
		if (++lines <= VALUATIONS)
			strbuf_adds(out, one.at);
	}
	if (lines > VALUATIONS)
		strbuf_addf(out, "\n... %" PRIu32 " more", lines - VALUATIONS);
}

static void node_format(const struct drawing *g, size_t i, struct strbuf *out)
{
	const struct node *n = &g->nodes.at[i];
	STRBUF_SCOPED label = { 0 };

	for (uint32_t k = 0; k < n->nlanes; k++)
		strbuf_addf(&label, "%s%" PRIu32, k ? " " : "", g->counts.at[n->counts + k]);
	values_format(g, n, &label);
	strbuf_addf(out, "\tn%zu [label=", i);
	quoted(out, strbuf_str(&label));
	if (n->observed)
		strbuf_adds(out, ", penwidth=3");
	if (n->bad)
		strbuf_addf(out, ", color=red, fontcolor=red%s",
			    n->good ? ", style=\"rounded,dashed\"" : "");
	if (n->dead)
		strbuf_adds(out, ", shape=octagon, xlabel=\"dead end\"");
	strbuf_adds(out, "];\n");
}

static void edge_format(const struct drawing *g, const struct edge *e, struct strbuf *out)
{
	bool observed = g->nodes.at[e->from].observed && g->nodes.at[e->to].observed;
	STRBUF_SCOPED label = { 0 };

	strbuf_addf(&label, "%" PRIu64 " %s", e->pos, intern_str(g->names, g->labels.at[e->pos]));
	strbuf_addf(out, "\tn%zu -> n%zu [label=", e->from, e->to);
	quoted(out, strbuf_str(&label));
	if (observed)
		strbuf_adds(out, ", style=bold, penwidth=3");
	if (e->bad)
		strbuf_adds(out, ", color=red");
	strbuf_adds(out, "];\n");
}

static void graph_format(const struct drawing *g, const struct lattice_counts *counts,
			 struct strbuf *out)
{
	strbuf_addf(out,
		    "/* %s: %" PRIu64 " cuts, %" PRIu64 " edges, %" PRIu64
		    " levels.  Bold: the recorded run.  Red: violated. */\n",
		    g->opt->kind == CAUSES_MVC ? "lattice-mvc" : "lattice-weak", counts->cuts,
		    counts->edges, counts->levels);
	strbuf_adds(out, "digraph lattice {\n"
			 "\trankdir=TB;\n"
			 "\tnode [shape=box, style=rounded, fontname=\"monospace\", fontsize=10];\n"
			 "\tedge [fontname=\"monospace\", fontsize=9];\n");
	if (counts->truncated) {
		strbuf_adds(out, "\tlabel=");
		quoted(out, counts->why);
		strbuf_adds(out, ";\n");
	}
	for (size_t i = 0; i < g->nodes.n; i++)
		node_format(g, i, out);
	for (size_t i = 0; i < g->edges.n; i++)
		edge_format(g, &g->edges.at[i], out);
	strbuf_adds(out, "}\n");
}

/* ---- the whole ---- */

static void drawing_release(struct drawing *g)
{
	lattice_free(g->lattice);
	configs_free(g->configs);
	reading_close(&g->reading);
	watch_items_release(&g->all);
	intern_free(g->names);
	VEC_RELEASE_ALL(&g->labels, &g->nodes, &g->first, &g->edges, &g->config_numbers, &g->doomed,
			&g->counts);
}

static void draw(struct drawing *g, struct strbuf *out, struct strbuf *note)
{
	struct lattice_visitor v = { .arg = g, .node = node_take, .edge = edge_take };
	struct lattice_counts counts = { 0 };

	lattice_finish(g->lattice);
	lattice_counts(g->lattice, &counts);
	lattice_each(g->lattice, &v);
	edges_settle(g);
	runs_mark(g);
	graph_format(g, &counts, out);
	if (counts.truncated)
		strbuf_addf(note, "not all of the lattice is drawn: %s", counts.why);
	lattice_counts_release(&counts);
}

enum status dot_write(struct trace *t, const struct dot_options *opt, struct strbuf *out,
		      struct strbuf *note, struct diag *d)
{
	struct drawing g = { .opt = opt, .names = intern_new() };
	struct lattice_options how = { .budget = DOT_NODES, .jobs = 1, .keep = true };
	const struct monitors *m = opt->monitors;
	enum status st = reading_begin(&g.reading, t, m ? m->spec : NULL, d);

	if (st == ST_OK && m)
		how.configs = g.configs = configs_new(m, watch_initial(g.reading.watch));
	if (st == ST_OK) {
		g.lattice = lattice_new(&how);
		st = build(&g, d);
	}
	if (st == ST_END)
		draw(&g, out, note);
	drawing_release(&g);
	return st;
}
