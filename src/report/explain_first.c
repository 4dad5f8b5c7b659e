/*
 * Of many findings, what most of them have in common: a missing lock shows at every place that it is missing at.
 *
 *	fix this first: count_line (audit.c), in 12 of 14 findings; stats, in 9
 */
#include "report/explain_priv.h"
#include "report/frames.h"
#include "report/words.h"

#define MANY 5	/* findings; fewer are read one by one */
#define LEAST 3 /* that it has to be in, and half of all */

struct count {
	uint32_t n, last; /* the finding that was counted last */
};

struct common {
	struct intern *names;
	VEC(struct count) at;
};

static void common_add(struct common *c, const struct strbuf *name, uint32_t finding)
{
	uint32_t id = name->n ? intern_add(c->names, name->at, name->n) : 0;

	if (id == 0)
		return;
	VEC_REACH(&c->at, id);
	c->at.at[id].n += c->at.at[id].last != finding;
	c->at.at[id].last = finding;
}

/* "count_line (audit.c)" */
static void add_functions(struct explain *x, const struct finding *f, struct common *c)
{
	for (uint32_t i = 0; i < f->nevents; i++) {
		struct evidence_event e = evidence_get(x->ev, f->events[i]);
		STRBUF_SCOPED name = { 0 };
		struct trace_site p;

		if (!frames_own(x->t, e.site, e.stack, &p) || !p.function)
			continue;
		frames_name(p.function, &name);
		if (p.file) {
			strbuf_adds(&name, " (");
			frames_path(p.file, &name);
			strbuf_adds(&name, ")");
		}
		common_add(c, &name, f->id);
	}
}

/* The variable, without what part of it. */
static void add_variable(struct explain *x, const struct finding *f, struct common *c)
{
	STRBUF_SCOPED subject = { 0 }, name = { 0 };
	const char *brief;

	if (!finding_is_about_memory(f))
		return;
	words_subject(x->ev, f, &subject);
	brief = words_brief(strbuf_str(&subject));
	if (trace_object_is_anonymous(brief))
		return;
	strbuf_add(&name, brief, strcspn(brief, ".[+( "));
	common_add(c, &name, f->id);
}

/* The first that is in most of them; 0: none is in enough. */
static uint32_t common_best(const struct common *c, uint32_t all)
{
	uint32_t best = 0;

	for (uint32_t id = 1; id < c->at.n; id++)
		if (!best || c->at.at[id].n > c->at.at[best].n)
			best = id;
	return best && c->at.at[best].n >= LEAST && c->at.at[best].n * 2 >= all ? best : 0;
}

static void common_release(struct common *c)
{
	intern_free(c->names);
	VEC_RELEASE(&c->at);
}

void explain_first(struct explain *x)
{
	struct common functions = { .names = intern_new() }, variables = { .names = intern_new() };
	uint32_t all = 0, f, v;

	for (size_t i = 0; i < x->r->findings->at.n; i++) {
		const struct finding *one = &x->r->findings->at.at[i];

		if (one->known || finding_is_end(one))
			continue;
		all++;
		add_functions(x, one, &functions);
		add_variable(x, one, &variables);
	}
	f = common_best(&functions, all);
	v = common_best(&variables, all);
	if (all >= MANY && (f || v)) {
		strbuf_adds(&x->out, "fix this first: ");
		if (f)
			strbuf_addf(&x->out, "%s, in %" PRIu32, intern_str(functions.names, f),
				    functions.at.at[f].n);
		if (f && v)
			strbuf_adds(&x->out, "; ");
		if (v)
			strbuf_addf(&x->out, "%s, in %" PRIu32, intern_str(variables.names, v),
				    variables.at.at[v].n);
		strbuf_addf(&x->out, " of %" PRIu32 " findings\n", all);
	}
	common_release(&functions);
	common_release(&variables);
}
