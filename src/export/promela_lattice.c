/*
 * The shape of what is written:
 *
 *	byte c_0, c_1;				points in the cut, by lane
 *	byte set_0, shared_0;			resource 0: its open set, or 0; how many shared ones
 *	active proctype Cut()
 *	{
 *	end:	do
 *		:: d_step { c_0 == 0 && set_0 == 0 -> c_0 = 1; set_0 = 1; AFTER_1 }
 *		:: d_step { c_1 == 0 && c_0 >= 1 -> c_1 = 1; set_0 = ((c_1 >= 1) -> 0 : 1); AFTER_2 }
 *		od
 *	}
 *
 * One process with one place, and each point one step: what the state has beside the counters
 * follows from them, so two states differ exactly if their cuts do.
 */
#include "export/promela_priv.h"
#include "monitor/monitor.h"
#include "monitor/reading.h"

static void lattice_release(struct promela_lattice *l)
{
	for (size_t i = 0; i < l->sets.n; i++)
		VEC_RELEASE(&l->sets.at[i].last);
	VEC_RELEASE_ALL(&l->points, &l->needs, &l->ids, &l->writes, &l->sets, &l->resources,
			&l->lanes);
}

/* ---- taking points ---- */

static void take_set(void *arg, uint32_t set, uint32_t resource, unsigned flags)
{
	struct promela_lattice *l = arg;
	struct lattice_set *s;

	VEC_REACH(&l->sets, set);
	VEC_REACH(&l->resources, resource);
	s = &l->sets.at[set];
	s->resource = resource;
	s->shared = flags & POINT_SHARED;
	s->number = ++l->resources.at[resource];
}

/* The set has a member that is the count-th of its lane. */
static void add_member(struct promela_lattice *l, uint32_t set, uint32_t lane, uint32_t count)
{
	struct lattice_set *s = &l->sets.at[set];
	size_t i = 0;

	assert(set < l->sets.n);
	while (i < s->last.n && s->last.at[i].lane != lane)
		i++;
	if (i == s->last.n)
		VEC_PUSH(&s->last)->lane = lane;
	s->last.at[i].count = count;
}

static uint32_t add_ids(struct promela_lattice *l, const struct lattice_point *p,
			const uint32_t *ids, uint32_t n)
{
	uint32_t at = (uint32_t)l->ids.n;

	for (uint32_t i = 0; i < n; i++) {
		*VEC_PUSH(&l->ids) = ids[i];
		add_member(l, ids[i], p->lane, p->index + 1);
	}
	return at;
}

static void add_item(struct promela_lattice *l, struct lattice_point *p, const struct point *m)
{
	p->has_item = m->item != NULL;
	if (!m->item)
		return;
	p->item = *m->item;
	p->item.writes = (uint32_t)l->writes.n;
	VEC_APPEND(&l->writes, m->writes + m->item->writes, m->item->nwrites);
}

static void take_point(void *arg, const struct point *m)
{
	struct promela_lattice *l = arg;
	struct lattice_point p = { .pos = m->pos, .lane = m->lane };

	/* One more than can be written is enough to know. */
	if (l->points.n > PROMELA_EVENTS)
		return;
	VEC_REACH(&l->lanes, m->lane);
	p.index = l->lanes.at[m->lane]++;
	p.needs = (uint32_t)l->needs.n;
	p.nneeds = m->nneeds;
	VEC_APPEND(&l->needs, m->needs, m->nneeds);
	p.nstarts = m->nstarts;
	p.starts = add_ids(l, &p, m->starts, m->nstarts);
	p.njoins = m->njoins;
	p.joins = add_ids(l, &p, m->joins, m->njoins);
	add_item(l, &p, m);
	*VEC_PUSH(&l->points) = p;
}

static void take_close(void *arg, uint32_t set)
{
	struct promela_lattice *l = arg;

	assert(set < l->sets.n);
	l->sets.at[set].closed = true;
}

static enum status take_trace(struct promela_lattice *l, struct reading *r,
			      const struct causes_options *how, struct diag *d)
{
	struct point_sink sink = {
		.arg = l, .set = take_set, .point = take_point, .close = take_close
	};
	struct causes *c = causes_new(how, &sink);
	struct step_batch b;
	enum status st;

	reading_steps(r, &(struct step_options){ 0 });
	while ((st = reading_next(r, &b, d)) == ST_OK)
		causes_take(c, &b, reading_items(r));
	causes_finish(c);
	causes_free(c);
	return st;
}

/* ---- writing ---- */

/* It never keeps another one waiting: complete as soon as it is started. */
static bool is_single(const struct lattice_set *s, const struct lattice_point *p)
{
	return s->closed && s->last.n == 1 && s->last.at[0].lane == p->lane &&
	       s->last.at[0].count == p->index + 1;
}

/* All members are in. */
static void write_complete(const struct lattice_set *s, struct strbuf *out)
{
	for (size_t i = 0; i < s->last.n; i++)
		strbuf_addf(out, "%sc_%u >= %u", i ? " && " : "", s->last.at[i].lane,
			    s->last.at[i].count);
}

/* The set is not started where another one of its resource is on its way. */
static void write_start(const struct lattice_point *p, const struct lattice_set *s,
			struct strbuf *guard, struct strbuf *effect)
{
	strbuf_addf(guard, " && set_%u == 0", s->resource);
	if (!s->shared)
		strbuf_addf(guard, " && shared_%u == 0", s->resource);
	if (is_single(s, p))
		return;
	if (s->shared)
		strbuf_addf(effect, "shared_%u++; ", s->resource);
	else
		strbuf_addf(effect, "set_%u = %u; ", s->resource, s->number);
}

static void write_join(const struct lattice_set *s, struct strbuf *effect)
{
	if (!s->closed)
		return;
	strbuf_addf(effect, "%s_%u = ((", s->shared ? "shared" : "set", s->resource);
	write_complete(s, effect);
	if (s->shared)
		strbuf_addf(effect, ") -> shared_%u - 1 : shared_%u); ", s->resource, s->resource);
	else
		strbuf_addf(effect, ") -> 0 : %u); ", s->number);
}

static void write_point(const struct promela_lattice *l, size_t i,
			const struct promela_lattice_options *opt, struct strbuf *out)
{
	const struct lattice_point *p = &l->points.at[i];
	STRBUF_SCOPED guard = { 0 }, effect = { 0 };

	strbuf_addf(&guard, "c_%u == %u", p->lane, p->index);
	for (uint32_t k = 0; k < p->nneeds; k++)
		strbuf_addf(&guard, " && c_%u >= %u", l->needs.at[p->needs + k].lane,
			    l->needs.at[p->needs + k].count);
	for (uint32_t k = 0; k < p->nstarts; k++)
		write_start(p, &l->sets.at[l->ids.at[p->starts + k]], &guard, &effect);
	for (uint32_t k = 0; k < p->njoins; k++)
		write_join(&l->sets.at[l->ids.at[p->joins + k]], &effect);
	strbuf_addf(out, "\t:: d_step { %s -> c_%u = %u; %s", strbuf_str(&guard), p->lane,
		    p->index + 1, strbuf_str(&effect));
	if (opt->monitors && p->has_item)
		strbuf_addf(out, "AFTER_%zu ", i);
	strbuf_adds(out, "}");
	promela_comment(p->pos, opt->describe ? opt->describe(opt->arg, p->pos) : "", out);
	strbuf_adds(out, "\n");
}

static void write_variables(const struct promela_lattice *l, struct strbuf *out)
{
	uint32_t most = 0;

	for (size_t i = 0; i < l->lanes.n; i++)
		most = l->lanes.at[i] > most ? l->lanes.at[i] : most;
	for (size_t i = 0; i < l->lanes.n; i++)
		if (l->lanes.at[i])
			strbuf_addf(out, "%s c_%zu = 0;\n", most < 255 ? "byte" : "short", i);
	for (size_t i = 0; i < l->resources.n; i++)
		if (l->resources.at[i])
			strbuf_addf(out, "%s set_%zu = 0; byte shared_%zu = 0;\n",
				    l->resources.at[i] < 255 ? "byte" : "short", i, i);
}

/* A name that cpp takes: letters, digits and _ are what names of properties are made of. */
static void write_properties(const struct promela_lattice *l,
			     const struct promela_lattice_options *opt, struct strbuf *out)
{
	for (uint32_t i = 0; i < opt->monitors->n; i++) {
		if (!opt->monitors->at[i].property)
			continue;
		strbuf_addf(out, "%s defined(PROPERTY_%s)\n", i ? "#elif" : "\n#if",
			    opt->monitors->at[i].name);
		promela_property(l, opt, i, out);
	}
	strbuf_adds(out, opt->monitors->n ? "#else\n" : "#if 1\n");
	strbuf_adds(out, "#define BEFORE\n");
	for (size_t i = 0; i < l->points.n; i++)
		if (l->points.at[i].has_item)
			strbuf_addf(out, "#define AFTER_%zu\n", i);
	strbuf_adds(out, "#endif\n");
}

static void write_head(const struct promela_lattice *l, const struct promela_lattice_options *opt,
		       struct strbuf *out)
{
	strbuf_addf(out,
		    "/*\n"
		    " * foresee: %zu points of %zu lanes, lattice-%s.\n"
		    " *\n"
		    " *\tspin -a MODEL; cc -DSAFETY -DNOREDUCE -o pan pan.c; ./pan -E\n"
		    " *\n"
		    " * Its states are the cuts, its transitions the edges and one more.\n",
		    l->points.n, l->lanes.n, opt->kind == CAUSES_WEAK ? "weak" : "mvc");
	if (opt->monitors)
		strbuf_adds(out, " * With spin -DPROPERTY_name -a MODEL, an assertion fails where "
				 "a run violates it.\n");
	strbuf_adds(out, " */\n");
}

static enum status write_model(const struct promela_lattice *l,
			       const struct promela_lattice_options *opt, struct strbuf *out,
			       struct diag *d)
{
	if (l->points.n > PROMELA_EVENTS || l->lanes.n > PROMELA_CHAINS)
		return diag_fail(
			d, ST_LIMIT,
			"too long for a Promela model: more than %d points, or than %d threads",
			PROMELA_EVENTS, PROMELA_CHAINS);
	write_head(l, opt, out);
	write_variables(l, out);
	if (opt->monitors)
		write_properties(l, opt, out);
	strbuf_adds(out, "\nactive proctype Cut()\n{\n");
	if (opt->monitors)
		strbuf_adds(out, "\tBEFORE\n");
	strbuf_adds(out, "end:\tdo\n");
	for (size_t i = 0; i < l->points.n; i++)
		write_point(l, i, opt, out);
	if (!l->points.n)
		strbuf_adds(out, "\t:: false\n");
	strbuf_adds(out, "\tod\n}\n");
	return ST_END;
}

enum status promela_lattice_write(struct trace *t, const struct promela_lattice_options *opt,
				  struct strbuf *out, struct diag *d)
{
	const struct spec *spec = opt->monitors ? opt->monitors->spec : NULL;
	struct promela_lattice l = { 0 };
	struct reading r;
	enum status st = reading_begin(&r, t, spec, d);

	if (st == ST_OK)
		st = take_trace(&l, &r, &(struct causes_options){ .kind = opt->kind, .spec = spec },
				d);
	if (st == ST_END) {
		l.initial = r.watch ? watch_initial(r.watch) : NULL;
		st = write_model(&l, opt, out, d);
	}
	lattice_release(&l);
	reading_close(&r);
	return st;
}
