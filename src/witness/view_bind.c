/*
 * Names of a spec, in the tables of a trace.
 *
 * "f.c:a.b[2]" is the listed variable with the longest name that it begins with, in a file whose path
 * ends in f.c, and the rest a part of it.  Where several are called so, one that is known outside its
 * file counts before those that are not; two of equal rank are nobody.
 */

#include "capture/hooks.h"
#include "names/variables.h"
#include "witness/view_priv.h"

static bool fail(struct view *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(struct view *v, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(v->trouble, sizeof(v->trouble), format, args);
	va_end(args);
	return false;
}

void view_span_set(struct view_sight *s, struct view_span *p, uint64_t addr, uint64_t size)
{
	*p = (struct view_span){ addr, addr + size };
	if (s->high == 0 || addr < s->low)
		s->low = addr;
	if (addr + size > s->high)
		s->high = addr + size;
}

/* ---- listed variables ---- */

struct name {
	const char *file; /* NULL: any */
	size_t nfile;
	const char *rest; /* behind it */
};

/* At the last colon that is not one of two. */
static struct name name_split(const char *name)
{
	struct name n = { .rest = name };

	for (size_t i = 0; name[i]; i++) {
		if (name[i] != ':')
			continue;
		if (name[i + 1] == ':') {
			i++;
			continue;
		}
		n.file = name;
		n.nfile = i;
		n.rest = name + i + 1;
	}
	if (n.nfile >= 2 && n.file[0] == '"') {
		n.file++;
		n.nfile -= 2;
	}
	return n;
}

static bool path_ends_in(const char *path, const char *end, size_t n)
{
	size_t has = strlen(path);

	return has >= n && strncmp(path + has - n, end, n) == 0 &&
	       (has == n || path[has - n - 1] == '/');
}

/* Is this listed one called by the first n characters of the rest? */
static bool is_called(const struct program_global *v, const struct name *w, size_t n)
{
	struct name has = name_split(v->name);

	if (strlen(has.rest) != n || strncmp(has.rest, w->rest, n) != 0)
		return false;
	if (!w->file || (v->file && path_ends_in(v->file, w->file, w->nfile)))
		return true;
	return has.file && has.nfile == w->nfile && strncmp(has.file, w->file, w->nfile) == 0;
}

/* How many are called so, of the rank that counts; *out: one of them. */
static unsigned listed_find(struct trace *t, const struct name *w, size_t n,
			    struct program_global *out)
{
	struct program_global v;
	bool outside = false; /* *out is known outside its file */
	unsigned found = 0;

	for (size_t i = 0; i < variables_count(t); i++) {
		bool is_outside;

		if (!variables_get(t, i, &v) || !is_called(&v, w, n))
			continue;
		is_outside = name_split(v.name).file == NULL;
		if (found &&
		    ((outside && !is_outside) || (outside == is_outside && v.addr == out->addr)))
			continue;
		found = found && outside == is_outside ? found + 1 : 1;
		outside = is_outside;
		*out = v;
	}
	return found;
}

/* ---- parts ---- */

struct found {
	uint64_t addr, size;
	bool has_kind;
	enum layout_kind kind;
	const uint8_t *initial; /* ninitial bytes of the nseen that are known */
	uint32_t ninitial, nseen;
};

/* "[2][1]" of "int[4][3]", which is all that the list itself says of a type. */
static bool part_count(const struct program_global *v, const char *part, uint64_t *offset,
		       uint64_t *size)
{
	const char *type = v->type ? strchr(v->type, '[') : NULL;
	bool whole = *part == '\0';
	unsigned long long index, count;
	int a, b;

	*offset = 0;
	*size = v->size;
	for (; *part; part += a, type += b) {
		if (!type || sscanf(part, "[%llu]%n", &index, &a) != 1 ||
		    sscanf(type, "[%llu]%n", &count, &b) != 1 || index >= count ||
		    *size % count != 0)
			return false;
		*size /= count;
		*offset += index * *size;
	}
	/* All of it, or a single element. */
	return whole || *type != '[';
}

static bool part_find(struct trace *t, const struct program_global *v, const char *part,
		      struct found *out)
{
	STRBUF_SCOPED why = { 0 };
	struct layout_type type;
	uint64_t offset, size;
	enum status st = variables_part(t, v, part, &offset, &type, &why);

	if (st == ST_OK && offset <= v->size && type.size <= v->size - offset) {
		size = type.size;
		out->has_kind = true;
		out->kind = type.kind;
	} else if ((st != ST_OK && st != ST_END) || !part_count(v, part, &offset, &size)) {
		return false;
	}
	out->addr = v->addr + offset;
	out->size = size;
	out->nseen = v->nseen > offset ? v->nseen - (uint32_t)offset : 0;
	out->ninitial = v->ninitial > offset ? v->ninitial - (uint32_t)offset : 0;
	out->initial = v->initial + (out->ninitial ? offset : 0);
	return true;
}

static bool symbol_find(struct trace *t, const char *name, struct found *out)
{
	struct variables_cursor at = { 0 };
	struct program_global v;
	uint64_t addr, size;
	bool found = false;

	while (variables_symbol(t, name, &at, &addr, &size)) {
		if (found && addr != out->addr)
			return false; /* which one? */
		found = true;
		out->addr = addr;
		out->size = size;
	}
	for (size_t i = 0; found && i < variables_count(t); i++)
		if (variables_get(t, i, &v) && v.addr == out->addr) {
			out->initial = v.initial;
			out->ninitial = v.ninitial;
			out->nseen = v.nseen;
		}
	return found;
}

/* *said: not there, but the program may say where.  False: nowhere. */
static bool program_find(struct trace *t, const char *name, struct found *out, bool *said)
{
	struct name w = name_split(name);
	struct program_global v;

	*out = (struct found){ 0 };
	*said = false;
	if (*name == '@')
		return symbol_find(t, name + 1, out);
	for (size_t n = strlen(w.rest); n > 0; n--) {
		unsigned found;

		/* A part begins with a dot or a bracket. */
		if (w.rest[n] && w.rest[n] != '.' && w.rest[n] != '[')
			continue;
		found = listed_find(t, &w, n, &v);
		if (found)
			return found == 1 && part_find(t, &v, w.rest + n, out);
	}
	*said = variables_may_come(t, name);
	return *said;
}

/* Nor where the memory has been that of two variables. */
static bool name_find(struct trace *t, const char *name, struct found *out, bool *said)
{
	const char *had[2];

	return program_find(t, name, out, said) &&
	       (*said || !variables_clash(t, out->addr, out->size, had));
}

/* ---- variables ---- */

static void initial_set(struct view *v, uint32_t i, const struct found *f)
{
	const struct spec_variable *of = &v->spec->variables[i];
	struct value *out = &v->initial[i];

	if (f->nseen >= of->type.size) {
		for (uint32_t k = 0; k < of->type.size; k++)
			out->byte[k] = k < f->ninitial ? f->initial[k] : 0;
		out->known = (uint8_t)((1u << of->type.size) - 1);
	} else if (!of->has_initial || !value_of(&of->type, &of->initial, out)) {
		*out = (struct value){ 0 };
	}
}

/* In text t[3] of four bytes is t+12 as well. */
static void element_set(struct view *v, struct trace *t, uint32_t i)
{
	const struct spec_variable *of = &v->spec->variables[i];
	const char *bracket = strchr(of->name, '[');
	unsigned long long index;
	char base[256];
	uint64_t addr;
	int end = 0;

	if (!bracket || sscanf(bracket, "[%llu]%n", &index, &end) != 1 || bracket[end] ||
	    index > UINT32_MAX / 8 || (size_t)(bracket - of->name) >= sizeof(base))
		return;
	snprintf(base, sizeof(base), "%.*s", (int)(bracket - of->name), of->name);
	if (variables_address(t, base, false, &addr))
		view_span_set(v->sight, &v->sight->variable[i].again, addr + index * of->type.size,
			      of->type.size);
}

static bool variable_bind(struct view *v, struct trace *t, uint32_t i,
			  const struct trace_info *info)
{
	static const uint8_t kinds[] = { [SPEC_INT] = LAYOUT_INT,
					 [SPEC_FLOAT] = LAYOUT_FLOAT,
					 [SPEC_POINTER] = LAYOUT_POINTER };
	const struct spec_variable *of = &v->spec->variables[i];
	struct view_object *o = &v->sight->variable[i];
	struct found f = { .size = of->type.size };
	bool said = false;

	o->name = of->name;
	if (of->local) { /* each thread has one, nowhere, and nobody but itself sets it */
		o->said = true;
		(void)value_of(&of->type,
			       of->has_initial ? &of->initial : &(struct spec_number){ 0 },
			       &v->initial[i]);
		return true;
	}
	if (v->sight->text) {
		o->name += *of->name == '@';
		if (!variables_address(t, o->name, false, &f.addr))
			return fail(v, "the trace has too many names for '%.100s'", of->name);
	} else if (!name_find(t, of->name, &f, &said)) {
		return fail(v, "the checker does not find '%.100s' in the program", of->name);
	}
	o->said = said || v->sight->text;
	if (!said) {
		if (f.size != 0 && f.size != of->type.size)
			return fail(v, "'%.100s' is not of that size in the program", of->name);
		if (f.has_kind && f.kind != kinds[of->type.kind])
			return fail(v, "'%.100s' is not of that kind in the program", of->name);
		view_span_set(v->sight, &o->at, f.addr, of->type.size);
		o->located = true;
	}
	if (info->form == TRACE_FMT1)
		element_set(v, t, i);
	if (!info->late)
		initial_set(v, i, &f);
	/* Else a read before anything was done there tells it. */
	if (v->initial[i].known == 0 && o->located && !info->locks_only)
		o->open = (uint8_t)((1u << of->type.size) - 1);
	o->now = v->initial[i];
	return true;
}

/* ---- what patterns name ---- */

static bool is_lock_op(enum spec_op op)
{
	return op == SPEC_ACQ || op == SPEC_REL;
}

static bool object_bind(struct view *v, struct trace *t, uint32_t i)
{
	const struct spec_event *e = &v->spec->events[i];
	struct view_object *o = &v->sight->object[i];
	struct found f = { .size = 8 };

	if (e->op > SPEC_REL || e->nargs == 0 || (e->variable >= 0 && !is_lock_op(e->op)))
		return true;
	o->name = e->args[0].name;
	if (!o->name)
		return fail(v, "event '%.100s' names nothing", e->name);
	if (v->sight->text) {
		if (!variables_address(t, o->name, is_lock_op(e->op), &f.addr))
			return fail(v, "the trace has too many names for '%.100s'", o->name);
	} else if (!name_find(t, o->name, &f, &o->said)) {
		return fail(v, "the checker does not find '%.100s' in the program", o->name);
	}
	if (!o->said)
		view_span_set(v->sight, &o->at, f.addr, f.size ? f.size : 1);
	return true;
}

bool view_bind_all(struct view *v, struct trace *t)
{
	struct trace_info info = trace_info(t);

	for (uint32_t i = 0; i < v->spec->nvariables; i++)
		if (!variable_bind(v, t, i, &info))
			return false;
	for (uint32_t i = 0; i < v->spec->nevents; i++)
		if (!object_bind(v, t, i))
			return false;
	return true;
}

/* ---- which thread of the spec the one of an event is ---- */

struct view_thread *view_thread_of(struct view_sight *s, uint32_t tid)
{
	VEC_REACH(&s->threads, tid);
	return &s->threads.at[tid];
}

const char *view_keep(struct view_sight *s, const char *text)
{
	return text ? intern_str(s->strings, intern_add(s->strings, text, strlen(text))) : NULL;
}

/* The function that is furthest out at the event, through all that it was inlined into. */
static const char *outermost(struct trace *t, const struct event *e)
{
	const uint32_t *sites;
	uint32_t n = trace_stack(t, e->stack, &sites), site = e->site;
	const char *name = NULL;
	struct trace_site p;

	for (uint32_t i = n; i > 0; i--)
		if (sites[i - 1] != 0) {
			site = sites[i - 1];
			break;
		}
	for (unsigned depth = 0; depth < 64 && site && trace_site(t, site, &p); depth++) {
		name = p.function;
		site = p.inlined;
	}
	return name;
}

void view_routine_learn(struct view_look *l)
{
	const struct event *e = l->e;
	uint32_t tid = e->op == EVENT_FORK ? e->peer : e->tid;
	struct trace_site p;

	if (!l->s->names || view_thread_of(l->s, tid)->routine)
		return;
	if (e->op == EVENT_FORK) {
		if (trace_site(l->t, e->site, &p) && (p.flags & FORESEE_SITE_ROUTINE))
			view_thread_of(l->s, tid)->routine = view_keep(l->s, p.said);
	} else if (e->op != EVENT_THREAD_BEGIN && e->site != 0) {
		view_thread_of(l->s, tid)->routine = view_keep(l->s, outermost(l->t, e));
	}
}

uint64_t view_thread_number(const struct view_look *l, uint32_t tid)
{
	const char *name = l->s->text ? trace_thread_name(l->t, tid) : "";
	char *end;
	uint64_t n;

	name += *name == 'T';
	if (*name < '0' || *name > '9')
		return tid;
	n = strtoul(name, &end, 10);
	return *end || n > UINT32_MAX ? tid : n;
}

/* In text, which knows no start routines, worker_12 runs `worker'. */
static bool is_numbered(const char *name, const char *routine)
{
	unsigned number;
	char end;

	for (; *routine; name++, routine++)
		if (*name != *routine)
			return false;
	return name[0] == '_' && name[1] >= '0' && name[1] <= '9' &&
	       sscanf(name + 1, "%u%c", &number, &end) == 1;
}

bool view_thread_is(const struct view_look *l, const struct spec_thread *d, uint32_t tid)
{
	const char *called[] = { view_thread_of(l->s, tid)->routine, trace_thread_label(l->t, tid),
				 trace_thread_name(l->t, tid) };

	if (d->is_number)
		return view_thread_number(l, tid) == d->number;
	for (unsigned i = 0; i < 3; i++)
		if (called[i] && strcmp(called[i], d->routine) == 0)
			return true;
	return l->s->text && is_numbered(trace_thread_name(l->t, tid), d->routine);
}
