/*
 * A spec is bound to a trace: its variables get addresses and first values, its patterns the
 * memory they are about, and what cannot be is said.
 */

#include "capture/hooks.h"
#include "monitor/eval.h"
#include "monitor/watch_priv.h"
#include "names/variables.h"

const char *bind_keep(struct watch *w, const char *s)
{
	return intern_str(w->strings, intern_add(w->strings, s, strlen(s)));
}

/* ---- first values ---- */

static uint8_t all_bytes(uint32_t size)
{
	return (uint8_t)((1u << size) - 1);
}

/* What the program began with.  False: not every byte is known. */
static bool initial_of_program(const struct bind_found *f, uint32_t size, struct monitor_value *out)
{
	if (f->nseen < size)
		return false;
	out->raw = 0;
	for (uint32_t i = 0; i < size && i < f->ninitial; i++)
		out->raw |= (uint64_t)f->initial[i] << 8 * i;
	out->known = all_bytes(size);
	return true;
}

static enum status initial_of_spec(const struct watch *w, const struct spec_variable *v,
				   struct monitor_value *out, struct diag *d)
{
	out->raw = 0;
	out->known = 0;
	if (!v->has_initial)
		return ST_OK;
	if (!eval_raw(&v->type, &v->initial, &out->raw))
		return spec_complain(w->spec, v->spot, d,
				     "the initial value of '%s' does not fit its type", v->name);
	out->known = all_bytes(v->type.size);
	return ST_OK;
}

static enum status initial_find(struct watch *w, uint32_t i, const struct bind_found *f, bool late,
				struct diag *d)
{
	const struct spec_variable *v = &w->spec->variables[i];
	struct monitor_value mine, its = { 0 };
	STRBUF_SCOPED a = { 0 }, b = { 0 };
	enum status st = initial_of_spec(w, v, &mine, d);

	if (st != ST_OK || late)
		return st;
	if (!initial_of_program(f, v->type.size, &its)) {
		w->initial[i] = mine;
		w->bound[i].origin = mine.known ? "spec" : NULL;
		return ST_OK;
	}
	w->initial[i] = its;
	w->bound[i].origin = "program";
	if (mine.known && mine.raw != its.raw) {
		eval_print(&v->type, &mine, &a);
		eval_print(&v->type, &its, &b);
		texts_add(
			&w->notes,
			"'%s' is %s at the start, not %s as the spec says; the program's value counts",
			v->name, strbuf_str(&b), strbuf_str(&a));
	}
	return ST_OK;
}

/* ---- variables ---- */

static void named_add(struct watch *w, const char *name, bool lock, struct watch_range is)
{
	is.from = is.to = 0;
	*VEC_PUSH(&w->named) = (struct watch_named){ .name = name, .lock = lock, .is = is };
}

/* Events of the spec about a declared variable. */
static void events_of(const struct watch *w, uint32_t variable, struct watch_range *r)
{
	for (uint32_t i = 0; i < w->spec->nevents; i++) {
		const struct spec_event *e = &w->spec->events[i];

		if (e->variable != (int32_t)variable)
			continue;
		r->reads |= e->op == SPEC_READ ? 1ull << i : 0;
		r->writes |= e->op == SPEC_WRITE ? 1ull << i : 0;
	}
}

static void variable_found(struct watch *w, uint32_t i, uint64_t addr, struct watch_range r)
{
	struct watch_bound *b = &w->bound[i];

	b->addr = addr;
	b->found = true;
	r.from = addr;
	r.to = addr + b->size;
	watch_range_add(&w->memory, r);
}

/* Text calls elements by offset as well: t[3] of four bytes is t+12. */
static void element_found(struct watch *w, struct trace *t, const struct spec_variable *v,
			  struct watch_range r)
{
	const char *bracket = strchr(v->name, '[');
	STRBUF_SCOPED name = { 0 };
	unsigned long long index;
	int end = 0;
	uint64_t addr;

	if (!bracket || sscanf(bracket, "[%llu]%n", &index, &end) != 1 || bracket[end] ||
	    index > UINT32_MAX / 8)
		return;
	strbuf_add(&name, v->name, (size_t)(bracket - v->name));
	if (variables_address(t, strbuf_str(&name), false, &addr)) {
		r.from = addr + index * v->type.size;
		r.to = r.from + v->type.size;
		watch_range_add(&w->memory, r);
	}
}

static enum status variable_text(struct watch *w, struct trace *t, uint32_t i, struct watch_range r,
				 struct diag *d)
{
	const struct spec_variable *v = &w->spec->variables[i];
	const char *name = v->name + (*v->name == '@');
	const struct bind_found none = { 0 };
	uint64_t addr;

	if (!variables_address(t, name, false, &addr))
		return spec_complain(w->spec, v->spot, d, "the trace has too many names");
	variable_found(w, i, addr, r);
	if (trace_info(t).form == TRACE_FMT1)
		element_found(w, t, v, r);
	named_add(w, name, false, r);
	w->named.at[w->named.n - 1].is.from = addr;
	w->named.at[w->named.n - 1].is.to = addr + w->bound[i].size;
	return initial_find(w, i, &none, false, d);
}

static enum status variable_bind(struct watch *w, struct trace *t, uint32_t i, bool is_late,
				 struct diag *d)
{
	const struct spec_variable *v = &w->spec->variables[i];
	struct watch_range r = { .variable = (int32_t)i };
	struct bind_found f;
	enum status st;

	w->bound[i].size = v->type.size;
	if (v->local) { /* it lies nowhere, and each thread has one */
		w->bound[i].found = w->bound[i].seen = true;
		w->bound[i].origin = "spec";
		w->initial[i].known = all_bytes(v->type.size);
		return v->has_initial ? initial_of_spec(w, v, &w->initial[i], d) : ST_OK;
	}
	events_of(w, i, &r);
	if (w->text)
		return variable_text(w, t, i, r, d);
	st = bind_name(w, t, v->name, v->spot, &f, d);
	if (st != ST_OK)
		return st;
	if (f.named_later) {
		named_add(w, v->name, false, r);
		return initial_find(w, i, &f, is_late, d);
	}
	st = bind_type(w, v, &f, d);
	if (st != ST_OK)
		return st;
	w->bound[i].type = f.type ? bind_keep(w, f.type) : NULL;
	variable_found(w, i, f.addr, r);
	return initial_find(w, i, &f, is_late, d);
}

/* ---- patterns ---- */

static bool is_lock_op(enum spec_op op)
{
	return op == SPEC_ACQ || op == SPEC_REL;
}

/* Memory that only patterns name. */
static enum status object_bind(struct watch *w, struct trace *t, uint32_t i, struct diag *d)
{
	const struct spec_event *e = &w->spec->events[i];
	const char *name = e->args[0].name;
	bool lock = is_lock_op(e->op);
	struct watch_range r = { .variable = -1 };
	struct bind_found f = { .size = 8 };
	uint64_t *set = e->op == SPEC_READ    ? &r.reads
			: e->op == SPEC_WRITE ? &r.writes
			: e->op == SPEC_ACQ   ? &r.acquires
					      : &r.releases;
	enum status st = ST_OK;

	*set = 1ull << i;
	if (e->args[0].is_number || !name)
		return spec_complain(w->spec, e->spot, d, "expected the name of a %s",
				     lock ? "lock" : "variable");
	if (!w->text)
		st = bind_name(w, t, name, e->spot, &f, d);
	else if (!variables_address(t, name, lock, &f.addr))
		st = ST_BAD_INPUT;
	if (st != ST_OK)
		return st;
	if (f.named_later) {
		named_add(w, name, lock, r);
		return ST_OK;
	}
	r.from = f.addr;
	r.to = f.addr + (f.size ? f.size : 1);
	watch_range_add(lock ? &w->locks : &w->memory, r);
	return ST_OK;
}

/* Functions that were built to say when they are called. */
static bool is_told(struct trace *t, const char *function, bool *any)
{
	struct trace_site p;

	*any = false;
	for (uint32_t i = 1; i < trace_site_count(t); i++) {
		if (!trace_site(t, i, &p) || p.kind != FORESEE_SITE_ENTRY)
			continue;
		*any = true;
		if (p.function && strcmp(p.function, function) == 0)
			return true;
	}
	return false;
}

static enum status call_bind(struct watch *w, struct trace *t, uint32_t i, struct diag *d)
{
	const struct spec_event *e = &w->spec->events[i];
	bool any;

	if (e->nargs == 0 || w->text || is_told(t, e->args[0].name, &any))
		return ST_OK;
	return spec_complain(
		w->spec, e->spot, d,
		"the recording does not tell of calls of '%s'; build the program with "
		"foresee-cc --foresee-calls=%s (or FORESEE_CALLS=%s in the environment)%s",
		e->args[0].name, e->args[0].name, e->args[0].name,
		any ? "; other functions are told of" : "");
}

static enum status words_check(const struct watch *w, const struct spec_event *e, struct diag *d)
{
	for (uint32_t i = 1; i < e->nargs; i++)
		if (!e->args[i].is_number)
			return spec_complain(w->spec, e->spot, d,
					     "expected a number instead of '%s'",
					     e->args[i].name ? e->args[i].name : "");
	if (e->nargs > 0 && !e->args[0].name)
		return spec_complain(w->spec, e->spot, d, "expected a name before the numbers");
	return ST_OK;
}

static enum status event_bind(struct watch *w, struct trace *t, uint32_t i, struct diag *d)
{
	const struct spec_event *e = &w->spec->events[i];
	enum status st = ST_OK;

	w->of_op[e->op] |= 1ull << i;
	switch (e->op) {
	case SPEC_READ:
	case SPEC_WRITE:
	case SPEC_ACQ:
	case SPEC_REL:
		if (e->nargs == 0 && e->variable < 0)
			w->any[e->op] |= 1ull << i;
		else if (e->variable < 0 || is_lock_op(e->op))
			st = object_bind(w, t, i, d);
		break;
	case SPEC_USER:
		st = words_check(w, e, d);
		break;
	case SPEC_CALL:
		st = words_check(w, e, d);
		if (st == ST_OK)
			st = call_bind(w, t, i, d);
		break;
	default:
		break;
	}
	return st;
}

/* ---- life ---- */

static bool has_names(const struct spec *s)
{
	for (uint32_t i = 0; i < s->nthreads; i++)
		if (!s->threads[i].is_number)
			return true;
	for (uint32_t i = 0; i < s->nevents; i++)
		if ((s->events[i].op == SPEC_FORK || s->events[i].op == SPEC_JOIN) &&
		    s->events[i].nargs > 0)
			return true;
	return false;
}

enum status watch_bind(const struct spec *s, struct trace *t, struct watch **out, struct diag *d)
{
	struct watch *w = mem_zalloc(sizeof(*w));
	struct trace_info info = trace_info(t);
	enum status st = ST_OK;

	w->spec = s;
	w->text = info.form != TRACE_BINARY;
	w->names = has_names(s);
	w->strings = intern_new();
	w->bound = mem_zalloc((s->nvariables + 1) * sizeof(*w->bound));
	w->initial = mem_zalloc((s->nvariables + 1) * sizeof(*w->initial));
	for (uint32_t i = 0; st == ST_OK && i < s->nvariables; i++)
		st = variable_bind(w, t, i, info.late, d);
	for (uint32_t i = 0; st == ST_OK && i < s->nevents; i++)
		st = event_bind(w, t, i, d);
	if (st != ST_OK) {
		watch_free(w);
		*out = NULL;
		return st;
	}
	bind_first(w, t, &info);
	for (uint32_t i = 0; i < s->nvariables; i++)
		w->bound[i].now = w->initial[i];
	bind_notes(w, &info);
	*out = w;
	return ST_OK;
}

void watch_free(struct watch *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->threads.n; i++)
		VEC_RELEASE(&w->threads.at[i].blocks);
	VEC_RELEASE_ALL(&w->threads, &w->memory.at, &w->locks.at, &w->named);
	texts_release(&w->notes);
	intern_free(w->strings);
	MEM_FREE_ALL(w->bound, w->initial, w);
}

/* ---- questions ---- */

const struct monitor_value *watch_initial(const struct watch *w)
{
	return w->initial;
}

bool watch_variable(const struct watch *w, uint32_t i, struct watch_variable *out)
{
	const struct watch_bound *b;

	if (i >= w->spec->nvariables)
		return false;
	b = &w->bound[i];
	*out = (struct watch_variable){
		.addr = b->addr, .size = b->size, .type = b->type, .origin = b->origin
	};
	return true;
}

bool watch_place(const struct watch *w, size_t i, struct watch_place *out)
{
	bool lock = i >= w->memory.at.n;
	const struct watch_range *r;

	if (i >= w->memory.at.n + w->locks.at.n)
		return false;
	r = lock ? &w->locks.at.at[i - w->memory.at.n] : &w->memory.at.at[i];
	*out = (struct watch_place){ .from = r->from,
				     .to = r->to,
				     .lock = lock,
				     .variable = r->variable,
				     .read = r->reads != 0,
				     .events = r->reads | r->writes | r->acquires | r->releases };
	return true;
}

void watch_calls(const struct spec *s, struct strbuf *out)
{
	const char *between = "";

	for (uint32_t i = 0; i < s->nevents; i++) {
		const struct spec_event *e = &s->events[i];

		if (e->op != SPEC_CALL || e->nargs == 0 || !e->args[0].name)
			continue;
		strbuf_addf(out, "%s%s", between, e->args[0].name);
		between = ",";
	}
}
