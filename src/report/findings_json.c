#include <math.h>

#include "capture/hooks.h"
#include "monitor/eval.h"
#include "report/baseline.h"
#include "report/ending.h"
#include "report/explain_priv.h"
#include "report/fingerprint.h"
#include "report/json.h"
#include "report/kept.h"
#include "report/show.h"

/* What all findings of a report share. */
struct findings_json {
	const struct report *r;
	struct story *story; /* made for the first schedule */
};

static void findings_json_end(struct findings_json *x)
{
	if (x->story)
		story_free(x->story);
}

static void trace_json(const struct report *r, struct json *j)
{
	struct trace_info info = trace_info(r->trace);

	json_open(j, "trace", '{');
	json_string(j, "path", r->path);
	json_number(j, "events", r->events);
	json_number(j, "threads", r->threads);
	json_number(j, "locks", r->locks);
	json_number(j, "variables", r->variables);
	json_bool(j, "complete", info.complete);
	json_bool(j, "partial", info.partial);
	json_bool(j, "locks_only", info.locks_only);
	json_real(j, "reading_seconds", r->reading);
	json_real(j, "model_seconds", r->modelling);
	json_real(j, "certifying_seconds", r->certifying);
	json_strings(j, "notes", info.notes, info.nnotes);
	json_close(j, '}');
}

static void counts_json(const struct engine_counts *c, struct json *j)
{
	json_open(j, "counts", '{');
	if (c->checks)
		json_number(j, "checks", c->checks);
	json_number(j, "candidates", c->candidates);
	json_number(j, "predicted", c->predicted);
	json_number(j, "refuted", c->refuted);
	json_number(j, "searched", c->searched);
	json_number(j, "undecided", c->undecided);
	json_close(j, '}');
}

static void analyses_json(const struct report *r, struct json *j)
{
	json_open(j, "analyses", '[');
	for (size_t i = 0; i < r->nanalyses; i++) {
		const struct report_analysis *a = &r->analyses[i];

		if (a->idle)
			continue;
		json_open(j, NULL, '{');
		json_string(j, "name", a->engine->name);
		json_number(j, "findings", a->findings);
		json_bool(j, "complete", a->complete);
		json_real(j, "seconds", a->seconds);
		json_real(j, "events_per_second",
			  a->seconds > 0 ? (double)r->events / a->seconds : 0);
		if (a->counted)
			counts_json(&a->counts, j);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void place_json(const struct trace_site *p, struct json *j)
{
	json_string(j, "file", p->file);
	json_number(j, "line", p->line);
	if (p->column)
		json_number(j, "column", p->column);
	if (p->flags & FORESEE_SITE_NEAR)
		json_bool(j, "near", true);
	json_string(j, "function", p->function);
}

#define HELD 64 /* locks named, of those that a thread holds */

/* Where it is, and the callers. */
static void stack_json(const struct report *r, const struct evidence_event *e, struct json *j)
{
	VEC_SCOPED struct frames frames = { 0 };

	frames_get(r->trace, e->site, e->stack, &frames);
	place_json(frames.at.n ? &frames.at.at[0] : &(struct trace_site){ 0 }, j);
	json_open(j, "stack", '[');
	for (size_t i = 1; i < frames.at.n; i++) {
		json_open(j, NULL, '{');
		place_json(&frames.at.at[i], j);
		json_close(j, '}');
	}
	json_close(j, ']');
}

/* Where a lock was taken that is held now. */
static void taken_json(const struct report *r, uint64_t acquire, struct json *j)
{
	struct evidence_event e = evidence_get(r->evidence, acquire);

	json_open(j, NULL, '{');
	json_string(j, "lock", e.name);
	json_number(j, "event", acquire);
	stack_json(r, &e, j);
	json_close(j, '}');
}

static void held_json(const struct report *r, uint64_t pos, struct json *j)
{
	uint64_t acquires[HELD];
	size_t n = evidence_held(r->evidence, pos, acquires, HELD);

	json_open(j, "holds", '[');
	for (size_t i = 0; i < n && i < HELD; i++)
		json_string(j, NULL, evidence_get(r->evidence, acquires[i]).name);
	json_close(j, ']');
	json_open(j, "taken", '[');
	for (size_t i = 0; i < n && i < HELD; i++)
		taken_json(r, acquires[i], j);
	json_close(j, ']');
}

/* One target; the stack starts with its callers. */
static void target_json(const struct report *r, const struct finding *f, uint64_t pos,
			struct json *j)
{
	struct evidence_event e = evidence_get(r->evidence, pos);

	json_open(j, NULL, '{');
	json_string(j, "thread", trace_thread_name(r->trace, e.tid));
	json_string(j, "label", trace_thread_label(r->trace, e.tid));
	json_string(j, "op",
		    finding_is_about_memory(f) || f->property || finding_is_end(f)
			    ? show_op(e.op)
			    : words_target(&e));
	json_bool(j, "atomic", (e.flags & EVENT_ATOMIC) != 0);
	stack_json(r, &e, j);
	held_json(r, pos, j);
	json_close(j, '}');
}

static void positions_json(struct json *j, const char *key, const uint64_t *at, size_t n)
{
	json_open(j, key, '[');
	for (size_t i = 0; i < n; i++)
		json_number(j, NULL, at[i]);
	json_close(j, ']');
}

/* A target that the order holds already, and does not lead to: the signal that is lost. */
static bool is_done(const struct report *r, const struct finding *f, uint64_t pos)
{
	struct evidence_event e = evidence_get(r->evidence, pos);

	return f->kind == FINDING_LOST_WAKEUP && !cycle_is_wait(&e);
}

/* Events of one witness that are written out. */
static size_t order_most(const struct report *r)
{
	size_t n = r->findings && r->findings->at.n ? r->findings->at.n : 1;

	return FINDINGS_JSON_ORDERS / n < FINDINGS_JSON_ORDER ? FINDINGS_JSON_ORDERS / n
							      : FINDINGS_JSON_ORDER;
}

/* An event of the order as a reader follows it: "steps": [{"event": 3, "thread": "T1", "op": "lock", ...}]. */
static void step_json(const struct report *r, uint64_t pos, struct json *j)
{
	struct evidence_event e = evidence_get(r->evidence, pos);
	STRBUF_SCOPED object = { 0 };
	struct trace_site at = { 0 };

	steps_object(r, pos, &object);
	json_open(j, NULL, '{');
	json_number(j, "event", pos);
	json_string(j, "thread", trace_thread_name(r->trace, e.tid));
	json_string(j, "op", words_op(&e));
	json_string(j, "object", strbuf_str(&object));
	frames_own(r->trace, e.site, e.stack, &at);
	place_json(&at, j);
	json_close(j, '}');
}

static void steps_json(struct findings_json *x, const struct finding *f,
		       const struct check_order *order, struct json *j)
{
	uint64_t steps[STORY_STEPS];
	size_t n;

	if (!x->story)
		x->story = story_new(x->r->evidence);
	n = story_steps(x->story, f, order->at.at, order->at.n, steps);
	json_open(j, "steps", '[');
	for (size_t i = 0; i < n; i++)
		step_json(x->r, steps[i], j);
	json_close(j, ']');
}

static void witness_json(struct findings_json *x, const struct finding *f, struct json *j)
{
	const struct report *r = x->r;
	VEC_SCOPED struct check_order order = { 0 };
	uint64_t length = f->schedule.tail.n;
	bool whole;

	for (size_t i = 0; i < f->schedule.count.n; i++)
		length += f->schedule.count.at[i];
	/* A certified one is known to exist; what is not shown need not be laid out. */
	whole = !f->certified || length <= order_most(r);
	if (!f->claimed || (whole && !check_expand(r->evidence, &f->schedule, &order))) {
		json_string(j, "witness", NULL);
		return;
	}
	for (uint32_t i = 0; !finding_is_whole(f) && i < f->nevents; i++)
		if (!is_done(r, f, f->events[i])) {
			*VEC_PUSH(&order.at) = f->events[i];
			length++;
		}
	json_open(j, "witness", '{');
	if (length <= order_most(r))
		positions_json(j, "order", order.at.at, order.at.n);
	else
		json_number(j, "order_length", length);
	if (length <= order_most(r))
		steps_json(x, f, &order, j);
	positions_json(j, "relaxed", f->stray.at, f->stray.n);
	positions_json(j, "tainted", f->tainted.at, f->tainted.n);
	json_close(j, '}');
}

/* ---- the run of a violated property ---- */

#define LOOKS 10000		 /* of a longer run only so many, the last */
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

/* "states": [{"event": 3, "events": ["open"], "values": {"x": 1}}, ...], with the state before the
 * first look in front; null without a certified run. */
static void states_json(const struct report *r, const struct finding *f, struct json *j)
{
	int property = r->watch ? states_property(r->watch, f->property) : -1;
	VEC_SCOPED struct check_order order = { 0 };
	struct states s;

	if (!f->certified || property < 0 || !check_expand(r->evidence, &f->schedule, &order)) {
		json_string(j, "states", NULL);
		return;
	}
	states_get(r->watch, order.at.at, order.at.n, LOOKS, property, &s);
	if (s.trouble)
		json_string(j, "trouble", s.trouble);
	if (s.before)
		json_number(j, "states_before", s.before);
	json_open(j, "states", '[');
	for (size_t i = 0; i < s.at.n; i++)
		state_json(r->watch->monitors->spec, &s, i, j);
	json_close(j, ']');
	states_release(&s);
}

/* The variables of the property. */
static void states_json_object(const struct report *r, const struct finding *f, const char *key,
			       struct json *j)
{
	const struct spec *spec = r->watch ? r->watch->monitors->spec : NULL;
	uint64_t variables = r->watch ? explain_states_variables(r->watch, f->property) : 0;

	json_open(j, key, '[');
	for (uint32_t i = 0; spec && i < spec->nvariables; i++)
		if (variables >> i & 1)
			json_string(j, NULL, spec->variables[i].name);
	json_close(j, ']');
}

/* ---- findings ---- */

/* The variables of the two accesses of a block that others come between, if they are two. */
static bool split_json_objects(const struct report *r, const struct finding *f, struct json *j)
{
	const uint64_t accesses[] = { f->split.a, f->split.c };

	if (f->kind != FINDING_ATOMICITY || !f->split.pattern || f->split.pattern[1] != '\0')
		return false;
	json_open(j, "objects", '[');
	for (int i = 0; i < 2; i++) {
		STRBUF_SCOPED name = { 0 };

		words_object(r->evidence, accesses[i], &name);
		json_string(j, NULL, strbuf_str(&name));
	}
	json_close(j, ']');
	return true;
}

/* "object": a variable, or the list of locks and conditions, or of a property's variables.  "objects": a list in any
 * case. */
static void object_json(const struct report *r, const struct finding *f, struct json *j)
{
	STRBUF_SCOPED subject = { 0 };
	const char *one;
	struct words_objects o;

	if (finding_is_about_memory(f) || finding_is_end(f)) {
		words_subject(r->evidence, f, &subject);
		one = strbuf_str(&subject);
		if (!split_json_objects(r, f, j))
			json_strings(j, "objects", &one, *one != '\0');
		json_string(j, "object", one);
	} else if (f->property) {
		states_json_object(r, f, "objects", j);
		states_json_object(r, f, "object", j);
	} else {
		words_objects(r->evidence, f, &o);
		json_strings(j, "objects", o.at, o.n);
		json_strings(j, "object", o.at, o.n);
	}
}

/* How the block is split: "pattern": "RWW", "block": {"kind": "marked", "thread": "T1", "first": 3,
 * "last": 9, "name": "transfer"}. */
static void split_json(const struct report *r, const struct finding *f, struct json *j)
{
	struct evidence_event first;
	struct finding_split s = f->split;

	if (f->kind != FINDING_ATOMICITY)
		return;
	if (f->claimed && !s.pattern)
		return; /* refused: the schedule is not what it says */
	if (!f->claimed)
		s.block = f->events[0]; /* where it ends nobody has looked for */
	json_string(j, "pattern", s.pattern);
	first = evidence_get(r->evidence, s.block);
	json_open(j, "block", '{');
	json_string(j, "kind", finding_block_name(f->block));
	if (f->block != FINDING_BLOCK_MARKED)
		json_number(j, "score", f->score);
	json_string(j, "thread", trace_thread_name(r->trace, first.tid));
	json_number(j, "first", s.block);
	if (s.last)
		json_number(j, "last", s.last);
	json_string(j, "name",
		    f->block == FINDING_BLOCK_MARKED ? words_block_name(r->evidence, s.block)
						     : NULL);
	json_close(j, '}');
}

/* Positions in a part of a recording count from where it begins. */
static void part_json(const struct report *r, struct json *j)
{
	if (r->from_cut == 0 && r->to_cut == 0)
		return;
	json_open(j, "part", '{');
	json_number(j, "from_cut", r->from_cut);
	json_number(j, "to_cut", r->to_cut);
	json_close(j, '}');
}

static void members_json(struct findings_json *x, const struct finding *f, struct json *j)
{
	const struct report *r = x->r;
	STRBUF_SCOPED summary = { 0 };
	char print[FINGERPRINT];

	json_string(j, "kind", finding_kind_name(f->kind));
	json_string(j, "analysis", f->engine->name);
	json_string(j, "status", finding_status_name(f->status));
	json_bool(j, "certified", f->certified);
	json_string(j, "model", f->dep ? "dep" : "strict");
	fingerprint(r, f, print);
	json_string(j, "fingerprint", print);
	explain_headline(r, f, &summary);
	json_string(j, "summary", strbuf_str(&summary));
	positions_json(j, "events", f->events, f->nevents);
	json_open(j, "threads", '[');
	for (uint32_t i = 0; i < f->nevents; i++)
		json_string(
			j, NULL,
			trace_thread_name(r->trace, evidence_get(r->evidence, f->events[i]).tid));
	json_close(j, ']');
	object_json(r, f, j);
	json_open(j, "places", '[');
	for (uint32_t i = 0; i < f->nevents; i++)
		target_json(r, f, f->events[i], j);
	json_close(j, ']');
	json_string(j, "property", f->property);
	if (f->property || finding_is_end(f) || finding_is_stale(f))
		json_bool(j, "observed", f->observed);
	if (f->also)
		json_string(j, "also", f->also);
	if (f->why)
		json_string(j, "why", f->why);
	if (f->replay)
		json_string(j, "replay", f->replay);
	if (f->more)
		json_number(j, "more", f->more);
	split_json(r, f, j);
	part_json(r, j);
	witness_json(x, f, j);
	if (f->property)
		states_json(r, f, j);
}

void findings_json_members(const struct report *r, const struct finding *f, FILE *to)
{
	struct findings_json x = { .r = r };
	struct json j = { .to = to };

	members_json(&x, f, &j);
	findings_json_end(&x);
}

void findings_json_object(uint32_t id, const char *members, FILE *to)
{
	fprintf(to, "{\"id\": %" PRIu32 ", %s}", id, members);
}

/* What stands in front of the members. */
static void number_json(const struct report *r, uint32_t id, bool known, struct json *j)
{
	json_open(j, NULL, '{');
	json_number(j, "id", id);
	if (r->baseline)
		json_bool(j, "known", known);
}

static void kept_json(const struct report *r, uint32_t id, const struct kept *k, struct json *j)
{
	number_json(r, id, k->known, j);
	fprintf(j->to, ", %s", k->json);
	json_close(j, '}');
}

static void findings_json(const struct report *r, struct json *j)
{
	struct findings_json x = { .r = r };
	uint32_t id = (uint32_t)r->findings->at.n;

	json_open(j, "findings", '[');
	for (size_t i = 0; i < r->findings->at.n; i++) {
		const struct finding *f = &r->findings->at.at[i];

		number_json(r, f->id, f->known, j);
		members_json(&x, f, j);
		json_close(j, '}');
	}
	for (size_t i = 0; r->kept && i < r->kept->at.n; i++)
		kept_json(r, ++id, &r->kept->at.at[i], j);
	json_close(j, ']');
	findings_json_end(&x);
}

/* A count may have any size; above 2^53 readers of JSON lose digits. */
static void big_json(struct json *j, const char *key, const struct big *b)
{
	STRBUF_SCOPED text = { 0 };
	uint64_t n;

	if (big_fits(b, &n) && n <= (uint64_t)1 << 53) {
		json_number(j, key, n);
		return;
	}
	big_print(b, &text);
	json_string(j, key, strbuf_str(&text));
}

static void lattice_json(const struct report_analysis *a, struct json *j)
{
	const struct lattice_counts *c = a->lattice;

	json_open(j, a->engine->name, '{');
	json_number(j, "cuts", c->cuts);
	json_number(j, "edges", c->edges);
	if (c->counted) {
		big_json(j, "runs", &c->runs);
		big_json(j, "violating_runs", &c->violating_runs);
	}
	json_number(j, "dead_ends", c->dead_ends);
	json_number(j, "levels", c->levels);
	json_number(j, "widest", c->widest);
	json_bool(j, "truncated", c->truncated);
	if (c->truncated)
		json_string(j, "why", c->why);
	json_close(j, '}');
}

/* By analysis, of those that build one. */
static void lattices_json(const struct report *r, struct json *j)
{
	bool any = false;

	for (size_t i = 0; i < r->nanalyses; i++)
		any |= r->analyses[i].lattice != NULL;
	if (!any)
		return;
	json_open(j, "lattice", '{');
	for (size_t i = 0; i < r->nanalyses; i++)
		if (r->analyses[i].lattice)
			lattice_json(&r->analyses[i], j);
	json_close(j, '}');
}

/* Whether what was not found is in no run that the recording proves possible. */
static void exhaustive_json(const struct report *r, struct json *j)
{
	struct scope s;

	scope_get(r, &s);
	json_bool(j, "exhaustive", s.because.n == 0 && r->events != 0 && (s.races || s.waits));
	json_strings(j, "not_exhaustive_because", (const char *const *)s.because.at, s.because.n);
	scope_release(&s);
}

void findings_json_print(const struct report *r, FILE *to)
{
	struct json j = { .to = to };

	json_open(&j, NULL, '{');
	json_number(&j, "foresee", 1);
	trace_json(r, &j);
	analyses_json(r, &j);
	ending_json(r->ending, r->trace, &j);
	findings_json(r, &j);
	lattices_json(r, &j);
	json_number(&j, "suppressed", r->suppressed);
	if (r->baseline)
		baseline_json(r->baseline, &j);
	json_number(&j, "benign", r->benign);
	exhaustive_json(r, &j);
	json_strings(&j, "truncated", (const char *const *)r->truncated.at, r->truncated.n);
	json_close(&j, '}');
	putc('\n', to);
}
