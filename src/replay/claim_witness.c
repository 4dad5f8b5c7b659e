/* A claim from a witness file: read as `foresee verify' does, and believed only if the checker agrees. */

#include "analyse/analyse.h"
#include "monitor/monitor.h"
#include "replay/claim.h"
#include "replay/tape.h"
#include "report/frames.h"
#include "report/report.h"
#include "spec/spec.h"
#include "trace/trace.h"
#include "witness/check.h"
#include "witness/evidence.h"
#include "witness/view.h"
#include "witness/witness.h"

/* A witness, and what it is read with. */
struct proof {
	const struct analyse *a;
	const char *path; /* of the witness */
	struct trace *trace;
	struct strbuf text;
	struct witness head, witness;
	struct spec *spec;
	struct monitors monitors;
	struct view view;
	struct tape
		*tape; /* not of a property: what it looks at is named as of then, in a reading */
	struct evidence *evidence;
	struct finding_split split; /* of atomicity */
};

static void event_take(void *arg, struct trace *t, const struct event *e)
{
	struct proof *x = arg;

	if (x->head.property)
		view_see(&x->view, t, e);
	else
		tape_add(x->tape, e);
}

static const struct monitor *monitor_of(const struct proof *x)
{
	for (uint32_t i = 0; i < x->monitors.n; i++)
		if (strcmp(x->monitors.at[i].name, x->head.property) == 0)
			return &x->monitors.at[i];
	return NULL;
}

/* Of a property: the spec that was given, or the one in the file. */
static enum status property_read(struct proof *x, struct diag *d)
{
	const struct witness *w = &x->head;
	enum status st = ST_OK;

	if (!x->a->spec_path && w->spec.n == 0 && x->a->plugins.n == 0) {
		diag_set(d, "'%s' is about the property '%s' and has no spec: give it with -s FILE",
			 x->path, w->property);
		return ST_BAD_INPUT;
	}
	if (!x->a->spec_path && w->spec.n)
		st = spec_parse(x->path, w->spec.at, w->spec.n, &x->spec, d);
	if (st == ST_OK)
		st = monitors_read(x->a->spec_path, x->a->plugins.at, x->a->plugins.n, &x->spec,
				   &x->monitors, d);
	if (st == ST_OK && !monitor_of(x)) {
		diag_set(d, "there is no property '%.100s' in the spec: -s FILE gives another",
			 w->property);
		st = ST_BAD_INPUT;
	}
	if (st == ST_OK)
		view_bind(&x->view, x->spec, x->trace);
	return st;
}

/* The trace is read with the spec in hand, then the rest of the witness by it. */
static enum status evidence_read(struct proof *x, const char *trace, struct diag *d)
{
	struct evidence_options opt = { .digest = true,
					.values = true,
					.path = frames_variable,
					.wanted = x->head.targets.at,
					.nwanted = x->head.targets.n,
					.each = event_take,
					.each_arg = x };
	enum status st = x->head.property ? property_read(x, d) : ST_OK;

	if (st != ST_OK)
		return st;
	SORT_VEC(&x->head.targets, sort_order_u64);
	st = evidence_load(x->trace, &opt, &x->evidence, d);
	if (st != ST_OK)
		return st;
	st = witness_parse(strbuf_str(&x->text), x->text.n, x->path, x->evidence, &x->witness, d);
	if (st == ST_OK && x->witness.digest[0] &&
	    strcmp(x->witness.digest, evidence_digest(x->evidence)) != 0) {
		diag_set(d, "'%s' is a witness for another trace than '%s'", x->path, trace);
		st = ST_BAD_INPUT;
	}
	return st;
}

static enum status check(struct proof *x, struct diag *d)
{
	const struct witness *w = &x->witness;
	struct check_claim claim = witness_claim(w);
	struct checker *c = checker_new(x->evidence);
	struct check_verdict v;
	bool good;

	claim.strict |= x->a->engine.strict;
	claim.values |= x->a->engine.values;
	if (w->property) {
		claim.view = &x->view;
		claim.plugin = monitor_plugin(monitor_of(x));
	}
	checker_run(c, &claim, &v);
	good = v.certified && !v.doubtful;
	x->split = v.split;
	if (!good)
		diag_set(d, "'%s' does not hold: %s", x->path, v.what);
	check_verdict_release(&v);
	checker_free(c);
	return good ? ST_OK : ST_BAD_INPUT;
}

static void describe(const struct proof *x, struct claim *out)
{
	const struct witness *w = &x->witness;
	struct finding f = { .kind = w->kind,
			     .status = FINDING_PREDICTED,
			     .certified = true,
			     .block = (uint8_t)w->block,
			     .split = x->split,
			     .property = w->property };
	struct report r = { .trace = x->trace, .evidence = x->evidence };
	struct evidence_event e;

	for (size_t i = 0; i < w->targets.n && i < FINDING_EVENTS; i++) {
		e = evidence_get(x->evidence, w->targets.at[i]);
		finding_add_event(&f, e.pos, e.site, e.op);
	}
	VEC_APPEND(&out->order, w->order.at, w->order.n);
	claim_describe(out, &r, &f, &x->view);
}

/* Who makes the plan reads it once more. */
static enum status read_anew(struct claim *c, struct diag *d)
{
	struct trace *again;
	enum status st = trace_again(c->trace, &again, d);

	trace_close(c->trace);
	c->trace = again;
	tape_free(c->tape);
	c->tape = NULL;
	return st;
}

enum status claim_read(const struct analyse *a, const char *trace, const char *path,
		       struct claim *out, struct diag *d)
{
	struct proof x = { .a = a, .path = path };
	enum status st = claim_open(out, trace, d);

	x.trace = out->trace;
	x.tape = out->tape = tape_new();
	if (st == ST_OK)
		st = witness_head(path, &x.text, &x.head, d);
	if (st == ST_OK) {
		trace_mark_atomic(x.trace, &x.head.atomic);
		st = evidence_read(&x, trace, d);
	}
	if (st == ST_OK)
		st = check(&x, d);
	if (st == ST_OK)
		describe(&x, out);
	if (st == ST_OK && x.head.property)
		st = read_anew(out, d);
	if (out->trace)
		trace_mark_atomic(out->trace, NULL); /* the names go with the witness */
	witness_release(&x.witness);
	witness_release(&x.head);
	strbuf_release(&x.text);
	evidence_free(x.evidence);
	view_release(&x.view);
	monitors_release(&x.monitors);
	spec_free(x.spec);
	return st;
}
