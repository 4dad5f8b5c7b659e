
#include "replay/replay.h"
#include "replay/tell.h"
#include "replay/why.h"
#include "report/frames.h"
#include "report/json.h"
#include "trace/trace.h"

static void place_json(const struct trace_site *p, struct json *j)
{
	json_string(j, "file", p->file);
	json_number(j, "line", p->line);
	json_string(j, "function", p->function);
}

static void hex_json(struct json *j, const char *key, const uint8_t *bytes, uint64_t n)
{
	char text[2 * 8 + 1] = "";

	for (uint64_t i = 0; i < n && i < 8; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	json_string(j, key, text);
}

static void address_json(struct json *j, const char *key, uint64_t addr)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, addr);
	json_string(j, key, text);
}

static void name_json(struct json *j, const char *key, const struct replay_run *run, uint64_t addr)
{
	struct strbuf name = { 0 };

	tell_object(run, addr, &name);
	json_string(j, key, strbuf_str(&name));
	strbuf_release(&name);
}

static void thread_json(const struct replay_result *r, uint32_t thread, struct json *j)
{
	uint32_t tid = plan_threads(r->plan.head)[thread].tid;

	json_string(j, "thread", trace_thread_name(r->recorded, tid));
	json_string(j, "label", trace_thread_label(r->recorded, tid));
}

/* Its place, and the callers. */
static void stack_json(const struct replay_run *run, const struct plan_seat *s, struct json *j)
{
	struct frames f = { 0 };
	struct trace_site none = { 0 };

	if (run->trace)
		frames_get_sites(run->trace, s->op.site, s->stack,
				 s->depth < PLAN_STACK ? s->depth : PLAN_STACK, &f);
	place_json(f.at.n ? &f.at.at[0] : &none, j);
	json_open(j, "stack", '[');
	for (size_t i = 1; i < f.at.n; i++) {
		json_open(j, NULL, '{');
		place_json(&f.at.at[i], j);
		json_close(j, '}');
	}
	json_close(j, ']');
	VEC_RELEASE(&f.at);
}

static void held_json(const struct replay *o, const struct replay_result *r, uint32_t thread,
		      struct json *j)
{
	const struct replay_run *run = &r->runs[0];
	const struct plan_seat *s = &plan_seats(run->result.seen)[thread];

	json_open(j, "holds", '[');
	for (uint32_t i = 0; i < s->nheld && i < PLAN_HELD; i++) {
		struct trace_site p = { 0 };
		STRBUF_SCOPED name = { 0 };

		if (run->trace)
			(void)trace_site(run->trace, s->held[i].site, &p);
		tell_held(o, r, run, thread, i, &name);
		json_open(j, NULL, '{');
		json_string(j, "lock", strbuf_str(&name));
		json_bool(j, "shared", s->held[i].shared != 0);
		place_json(&p, j);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void target_json(const struct replay *o, const struct replay_result *r,
			const struct replay_run *run, uint32_t thread, struct json *j)
{
	const struct plan_seat *s = &plan_seats(run->result.seen)[thread];
	const struct plan_op *op = &s->op;

	json_open(j, NULL, '{');
	thread_json(r, thread, j);
	json_string(j, "op", tell_op(r, thread));
	name_json(j, "object", run, op->addr);
	address_json(j, "address", op->addr);
	if (op->kind == 0) {
		json_number(j, "size", op->len);
		json_bool(j, "atomic", op->atomic);
		if (op->class != PLAN_FREE && op->len <= 8)
			hex_json(j, "bytes", op->bytes, op->len);
		if (op->has_value && op->writes && op->len <= 8)
			hex_json(j, "becomes", (const uint8_t *)&op->value, op->len);
	}
	stack_json(run, s, j);
	held_json(o, r, thread, j);
	json_close(j, '}');
}

static void threads_json(const struct replay_result *r, const struct replay_run *run,
			 struct json *j)
{
	const struct supervise_result *x = &run->result;

	json_open(j, "threads", '[');
	for (uint32_t i = 0; x->seen && i < x->seen->nthreads; i++) {
		struct strbuf words = { 0 };

		why_state(r, run, i, &words);
		json_open(j, NULL, '{');
		thread_json(r, i, j);
		json_string(j, "state", why_state_name(plan_seats(x->seen)[i].state));
		json_string(j, "does", strbuf_str(&words));
		json_close(j, '}');
		strbuf_release(&words);
	}
	json_close(j, ']');
}

static void outcome_json(const struct replay *o, const struct replay_result *r, int number,
			 struct json *j)
{
	const struct outcome *x = &r->runs[number].outcome;
	struct strbuf order = { 0 };

	tell_order(r, o->first == REPLAY_BOTH ? number : o->first, &order);
	json_open(j, NULL, '{');
	json_string(j, "order", strbuf_str(&order));
	json_bool(j, "reached", x->known);
	if (x->known) {
		json_number(j, "status", (uint64_t)x->status);
		json_number(j, "signal", (uint64_t)x->signal);
		json_bool(j, "hung", x->hung);
		json_bool(j, "late", x->late);
		json_string(j, "output", strbuf_str(&x->out));
		json_string(j, "errors", strbuf_str(&x->err));
		if (x->nbytes)
			hex_json(j, "bytes", x->bytes, x->nbytes);
	}
	json_close(j, '}');
	strbuf_release(&order);
}

static void after_json(const struct replay *o, const struct replay_result *r, struct json *j)
{
	const struct outcome *a = &r->runs[0].outcome, *b = &r->runs[1].outcome;
	struct strbuf first = { 0 }, second = { 0 }, words = { 0 };

	if (!a->known)
		return;
	json_open(j, "outcome", '[');
	for (int i = 0; i < r->nruns && i < 2; i++)
		outcome_json(o, r, i, j);
	json_close(j, ']');
	if (r->nruns < 2 || !b->known)
		return;
	tell_order(r, 0, &first);
	tell_order(r, 1, &second);
	outcome_words(a, strbuf_str(&first), b, strbuf_str(&second), o->time, &words);
	json_string(j, "difference", outcome_difference_name(outcome_compare(a, b)));
	json_string(j, "difference_words", strbuf_str(&words));
	json_bool(j, "fickle", replay_fickle(r) >= 0);
	strbuf_release(&first);
	strbuf_release(&second);
	strbuf_release(&words);
}

static void finding_json(const struct claim *c, struct json *j)
{
	if (c->json) {
		fprintf(j->to, "%s\"finding\": {\"id\": %" PRIu32 ", %s}", j->more ? ", " : "",
			c->id, c->json);
		j->more = true;
		return;
	}
	json_open(j, "finding", '{');
	json_string(j, "kind", finding_kind_name(c->kind));
	json_open(j, "events", '[');
	for (size_t i = 0; i < c->targets.n; i++)
		json_number(j, NULL, c->targets.at[i]);
	json_close(j, ']');
	json_string(j, "property", c->property);
	json_close(j, '}');
}

void tell_json_print(const struct replay *o, const struct replay_result *r, FILE *to)
{
	const struct replay_run *run = &r->runs[0];
	bool good = replay_succeeded(r);
	struct json j = { .to = to };
	struct strbuf why = { 0 };

	json_open(&j, NULL, '{');
	json_number(&j, "foresee", 1);
	json_string(&j, "title", o->claim->title);
	finding_json(o->claim, &j);
	json_string(&j, "status", good ? "replayed" : "diverged");
	if (!good) {
		why_words(r, run, &why);
		json_string(&j, "why", strbuf_str(&why));
		json_string(&j, "cause", why_cause(run));
	}
	json_open(&j, "plan", '{');
	json_number(&j, "events", r->plan.events);
	json_number(&j, "threads", tell_reach(r));
	json_number(&j, "waits", r->plan.edges);
	json_close(&j, '}');
	json_real(&j, "seconds", run->result.seconds);
	if (run->tries > 1)
		json_number(&j, "tries", (uint64_t)run->tries);
	json_open(&j, "targets", '[');
	for (uint32_t k = 0; run->result.seen && k < run->result.point.n; k++)
		target_json(o, r, run, run->result.point.at[k], &j);
	json_close(&j, ']');
	threads_json(r, run, &j);
	after_json(o, r, &j);
	json_close(&j, '}');
	putc('\n', to);
	strbuf_release(&why);
}
