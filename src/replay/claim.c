#include "replay/claim.h"

#include "analyse/analyse.h"
#include "analyse/pass.h"

#include "replay/tape.h"
#include "replay/plan.h"
#include "report/frames.h"
#include "report/report.h"
#include "report/words.h"
#include "trace/trace.h"
#include "witness/check.h"
#include "witness/evidence.h"
#include "witness/view.h"

void claim_release(struct claim *c)
{
	for (size_t i = 0; i < c->steps.n; i++)
		MEM_FREE_ALL(c->steps.at[i].words, c->steps.at[i].function);
	VEC_RELEASE_ALL(&c->targets, &c->order, &c->looks, &c->steps);
	MEM_FREE_ALL(c->title, c->subject, c->property, c->states, c->json);
	for (size_t i = 0; i < FINDING_EVENTS; i++) {
		MEM_FREE_ALL(c->variables[i], c->own[i]);
		for (size_t k = 0; k < c->held[i].n; k++)
			mem_free(c->held[i].at[k]);
		VEC_RELEASE(&c->held[i]);
	}
	tape_free(c->tape);
	trace_close(c->trace);
	memset(c, 0, sizeof(*c));
}

enum status claim_open(struct claim *c, const char *trace, struct diag *d)
{
	struct trace_options opt = { .inputs = true };
	enum status st = trace_open(trace, &opt, &c->trace, d);

	return st == ST_OK ? plan_suits(c->trace, d) : st;
}

static char *variable_of(const struct evidence *ev, uint64_t pos)
{
	struct evidence_object at;

	if (!evidence_object(ev, pos, &at) || !at.name || trace_object_is_anonymous(at.name))
		return NULL;
	return mem_strdup(at.name);
}

/* "coder.mutex" of "coder.mutex (heap#2+16)": the block may be another one.  NULL: it has no name. */
static char *lock_of(const struct evidence *ev, uint64_t acquire)
{
	const char *name = evidence_get(ev, acquire).name,
		   *block = name ? strstr(name, " (") : NULL;
	char *own = name ? mem_strdup(name) : NULL;

	if (block)
		own[block - name] = '\0';
	if (own && trace_object_is_anonymous(own)) {
		mem_free(own);
		own = NULL;
	}
	return own;
}

static void describe_held(struct claim *c, uint32_t target, const struct evidence *ev)
{
	uint64_t acquires[PLAN_HELD];
	size_t n = evidence_held(ev, c->targets.at[target], acquires, PLAN_HELD);

	c->own[target] = lock_of(ev, c->targets.at[target]);
	for (size_t i = 0; i < n && i < PLAN_HELD; i++)
		*VEC_PUSH(&c->held[target]) = lock_of(ev, acquires[i]);
}

static void describe_steps(struct claim *c, const struct report *r, const struct finding *f)
{
	uint64_t shown[STEPS_MOST];
	size_t n = steps_choose(r, f, c->order.at, c->order.n, shown);

	for (size_t i = 0; i < n; i++) {
		struct evidence_event e = evidence_get(r->evidence, shown[i]);
		struct strbuf words = { 0 };
		struct trace_site p;
		bool known = frames_own(r->trace, e.site, e.stack, &p) && p.function;

		steps_words(r, shown[i], &words);
		*VEC_PUSH(&c->steps) = (struct claim_step){ shown[i], words.at,
							    known ? mem_strdup(p.function) : NULL };
	}
}

void claim_describe(struct claim *c, const struct report *r, const struct finding *f,
		    const struct view *view)
{
	struct strbuf title = { 0 }, subject = { 0 };
	char *sure;

	explain_headline(r, f, &title);
	sure = strstr(title.at, " (");
	for (char *next = sure; next; next = strstr(next + 1, " ("))
		sure = next; /* the last bracket says how sure it is */
	if (sure)
		*sure = '\0';
	words_subject(r->evidence, f, &subject);
	c->kind = f->kind;
	c->title = title.at;
	c->subject = mem_strdup(strbuf_str(&subject));
	c->property = f->property ? mem_strdup(f->property) : NULL;
	strbuf_release(&subject);
	for (uint32_t i = 0; i < f->nevents; i++) {
		struct evidence_event e;

		e = evidence_get(r->evidence, f->events[i]);
		c->tids[i] = e.tid;
		c->sites[i] = e.site;
		c->variables[i] = variable_of(r->evidence, f->events[i]);
		*VEC_PUSH(&c->targets) = f->events[i];
		describe_held(c, i, r->evidence);
	}
	for (size_t i = 0; view && f->property && i < c->order.n; i++) {
		const struct view_event *e = view_at(view, c->order.at[i]);

		if (e && (e->events || e->written))
			*VEC_PUSH(&c->looks) = c->order.at[i];
	}
	if (c->stepped)
		describe_steps(c, r, f);
}

/* ---- of a report ---- */

bool claim_is_fit(const struct finding *f, uint64_t id, struct diag *d)
{
	if (finding_is_end(f) || finding_is_stale(f))
		diag_set(d,
			 "finding %" PRIu64 " is what the recorded run itself did: there is no "
			 "other order to be forced",
			 id);
	else if (f->judged)
		diag_set(d,
			 "finding %" PRIu64 " is about what threads know, and a replay does not "
			 "look at that",
			 id);
	else if (!finding_is_forcible(f))
		diag_set(d, "finding %" PRIu64 " is only a warning: %s", id,
			 f->why ? f->why : "there is no run in which it happens");
	else
		return true;
	return false;
}

/* What the spec's variables hold after each look, as the report shows it below its title. */
static char *states_of(const struct pass *p, const struct finding *f)
{
	struct strbuf full = { 0 }, line = { 0 };
	struct explain_options how;
	const char *rest;
	char *out;

	how = analyse_style(p->a);
	explain_finding(&p->report, &how, f, &full, &line);
	rest = strchr(strbuf_str(&full), '\n');
	out = mem_strdup(rest ? rest + 1 : "");
	strbuf_release(&full);
	strbuf_release(&line);
	return out;
}

void claim_take(const struct pass *p, const struct finding *f, struct claim *c)
{
	struct check_order order = { 0 };
	size_t n = 0;
	FILE *to;

	if (!check_expand(p->certify.evidence, &f->schedule, &order))
		BUG("a schedule that was checked names events that do not exist");
	for (size_t i = 0; i < order.at.n; i++)
		*VEC_PUSH(&c->order) = order.at.at[i];
	VEC_RELEASE(&order.at);
	c->id = f->id;
	claim_describe(c, &p->report, f, certify_watch(&p->certify) ? &p->certify.view : NULL);
	c->states = f->property ? states_of(p, f) : NULL;
	to = open_memstream(&c->json, &n);
	if (to) {
		findings_json_members(&p->report, f, to);
		fclose(to);
	}
}

struct search {
	uint64_t id;
	struct claim *out;
	struct diag *d;
	enum status status;
};

static int take(void *arg, const struct pass *p)
{
	struct search *s = arg;
	size_t n = p->findings.at.n, more = p->report.kept ? p->report.kept->at.n : 0;

	s->status = ST_BAD_INPUT;
	if (s->id > n && s->id <= n + more) {
		diag_set(s->d,
			 "finding %" PRIu64 " lies in a part of the recording that does not "
			 "fit in memory with the rest: a whole run cannot be forced",
			 s->id);
	} else if (s->id == 0 || s->id > n) {
		diag_set(s->d, "there is no finding %" PRIu64 ": the report has %zu%s", s->id, n,
			 n == 0	  ? ""
			 : n == 1 ? ", number 1"
				  : ", from 1 on");
	} else if (p->report.from_cut || p->report.to_cut) {
		diag_set(s->d,
			 "finding %" PRIu64 " is of a part of the recording (--cuts): only a "
			 "run from its beginning can be forced",
			 s->id);
	} else if (claim_is_fit(&p->findings.at.at[s->id - 1], s->id, s->d)) {
		claim_take(p, &p->findings.at.at[s->id - 1], s->out);
		s->status = ST_OK;
	}
	return EXIT_FINE;
}

enum status claim_find(struct analyse *a, const char *trace, uint64_t id, struct claim *out,
		       struct diag *d)
{
	struct search s = { .id = id, .out = out, .d = d, .status = claim_open(out, trace, d) };
	char *path;

	if (s.status != ST_OK)
		return s.status;
	s.status = ST_BAD_INPUT;
	path = mem_strdup(trace);
	a->take = take;
	a->take_arg = &s;
	if (analyse_begin(a, &path, 1)) {
		analyse_trace(a, trace);
		analyse_finish(a, EXIT_FINE);
	}
	a->take = NULL;
	mem_free(path);
	return s.status;
}
