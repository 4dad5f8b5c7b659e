#include "export/spec_races.h"

#include <ctype.h>

#include "monitor/reading.h"
#include "spec/spec.h"
#include "trace/trace.h"

/* What one thread does with a variable. */
struct user {
	uint32_t tid, number; /* number: what `tid' is in formulas */
	bool reads, writes;
};

struct variable {
	char *name, *type;
	char label[32]; /* in names of events and properties */
	bool atomic;	/* some access is; a read-modify-write always */
	VEC(struct user) users;
};

#define HAS_BLOCKS 1
#define HAS_WAITS 2

struct library {
	struct trace *t;
	bool atomicity;	      /* else races */
	VEC(uint8_t) threads; /* by tid: HAS_* */
	struct strbuf *out;
	struct map by_addr; /* 1 + number */
	VEC(struct variable) variables;
	uint32_t nproperties;
};

/* ---- what the trace has ---- */

static struct variable *find_variable(struct library *l, const struct event *e)
{
	uint64_t *at = map_put(&l->by_addr, e->addr, NULL);
	struct variable *v;

	if (*at)
		return &l->variables.at[*at - 1];
	v = VEC_PUSH(&l->variables);
	*v = (struct variable){ .name = mem_strdup(trace_object_name(l->t, e->addr)) };
	*at = l->variables.n;
	return v;
}

static void take_access(struct library *l, const struct event *e, uint32_t number)
{
	struct variable *v = find_variable(l, e);
	size_t i = 0;

	v->atomic |= (e->flags & EVENT_ATOMIC) != 0 || e->op == EVENT_RMW;
	while (i < v->users.n && v->users.at[i].tid != e->tid)
		i++;
	if (i == v->users.n)
		*VEC_PUSH(&v->users) = (struct user){ .tid = e->tid, .number = number };
	v->users.at[i].reads |= e->op == EVENT_READ || e->op == EVENT_RMW;
	v->users.at[i].writes |= e->op == EVENT_WRITE || e->op == EVENT_RMW;
}

/* How formulas number threads, the watch of any spec knows. */
static enum status read_trace(struct library *l, struct diag *d)
{
	static const char text[] = "event every = any();";
	struct reading r = { 0 };
	struct spec *s = NULL;
	struct event e;
	enum status st = spec_parse("library", text, strlen(text), &s, d);

	if (st == ST_OK)
		st = reading_begin(&r, l->t, s, d);
	while (st == ST_OK && (st = reading_event(&r, &e, d)) == ST_OK) {
		VEC_REACH(&l->threads, e.tid);
		if (e.op == EVENT_BEGIN)
			l->threads.at[e.tid] |= HAS_BLOCKS;
		if (e.op == EVENT_PARK)
			l->threads.at[e.tid] |= HAS_WAITS;
		if (r.items.at.n &&
		    (e.op == EVENT_READ || e.op == EVENT_WRITE || e.op == EVENT_RMW))
			take_access(l, &e, r.items.at.at[0].thread);
	}
	reading_close(&r);
	spec_free(s);
	return st == ST_END ? ST_OK : st;
}

/* ---- what the language can say of it ---- */

/* Two users that conflict. */
static bool is_conflict(const struct user *a, const struct user *b)
{
	/* Names in text may make two threads the same number; of those nothing can be said. */
	return a->number != b->number &&
	       ((a->writes && (b->reads || b->writes)) || (a->reads && b->writes));
}

static bool is_shared(const struct variable *v)
{
	for (size_t i = 0; i < v->users.n; i++)
		for (size_t k = 0; k < i; k++)
			if (is_conflict(&v->users.at[k], &v->users.at[i]))
				return true;
	return false;
}

/* The program has a variable of this name and type. */
static bool is_bound(struct library *l, const char *type, const char *name)
{
	STRBUF_SCOPED text = { 0 };
	struct reading r = { 0 };
	struct spec *s = NULL;
	struct diag d = { 0 };
	bool bound;

	strbuf_addf(&text, "shared %s %s;", type, name);
	bound = spec_parse("library", strbuf_str(&text), text.n, &s, &d) == ST_OK &&
		reading_begin(&r, l->t, s, &d) == ST_OK;
	reading_close(&r);
	spec_free(s);
	return bound;
}

static const char *find_type(struct library *l, const char *name)
{
	static const char *const types[] = {
		"int",	  "unsigned", "long",		"unsigned long",
		"char",	  "short",    "unsigned short", "unsigned char",
		"double", "float",    "void *"
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (is_bound(l, types[i], name))
			return types[i];
	return NULL;
}

/* A short name of letters, digits and _. */
static bool is_word(const char *name)
{
	size_t n = 0;

	while (isalnum((unsigned char)name[n]) || name[n] == '_')
		n++;
	return name[n] == '\0' && n > 0 && n < 20;
}

/* "x" stays, anything else is v and a number. */
static void set_label(struct variable *v, size_t number)
{
	if (is_word(v->name) && v->name[0] != 'v')
		snprintf(v->label, sizeof(v->label), "%s", v->name);
	else
		snprintf(v->label, sizeof(v->label), "v%zu", number);
}

static void skip(struct library *l, const struct variable *v, const char *why)
{
	strbuf_adds(l->out, "// left out: ");
	for (const char *at = v->name; *at; at++)
		strbuf_add(l->out, (unsigned char)*at < ' ' || *at == '\\' ? "?" : at, 1);
	strbuf_addf(l->out, ": %s\n", why);
}

/* ---- writing ---- */

static void declare(struct library *l, struct variable *v, size_t number)
{
	const char *type = find_type(l, v->name);

	if (!type) {
		skip(l, v, "not a name and type that a specification can give");
		return;
	}
	v->type = mem_strdup(type);
	set_label(v, number);
	strbuf_addf(l->out, "shared %s %s;\nevent r_%s = read(%s);\nevent w_%s = write(%s);\n",
		    type, v->name, v->label, v->name, v->label, v->name);
}

/* Thread i does something with v, and right before thread j did. */
static void add_pair(struct library *l, const char *x, const struct user *i, const struct user *j)
{
	strbuf_addf(l->out, "\t(w_%s() && tid == %u -> !prev((w_%s() || r_%s()) && tid == %u))", x,
		    i->number, x, x, j->number);
	strbuf_addf(l->out, " &&\n\t(r_%s() && tid == %u -> !prev(w_%s() && tid == %u))", x,
		    i->number, x, j->number);
}

/* Thread j does not come between two accesses of x in a block of thread i: it writes, and one of the two
 * reads; or it reads between two writes. */
static void add_split(struct library *l, const char *x, unsigned i, unsigned j)
{
	STRBUF_SCOPED in = { 0 };

	strbuf_addf(&in, "tid == %u && [enter() && tid == %u, leave() && tid == %u)", i, i, i);
	strbuf_addf(
		l->out,
		"\t(w_%s() && tid == %u -> !prev([w_%s() && tid == %u && prev([r_%s() && %s,\n"
		"\t\t(w_%s() || leave()) && tid == %u)), (r_%s() || w_%s() || leave()) && tid == %u))) &&\n",
		x, i, x, j, x, in.at, x, i, x, x, i);
	strbuf_addf(
		l->out,
		"\t(r_%s() && tid == %u -> !prev([w_%s() && tid == %u && prev([(r_%s() || w_%s()) && %s,\n"
		"\t\tleave() && tid == %u)), (r_%s() || w_%s() || leave()) && tid == %u))) &&\n",
		x, i, x, j, x, x, in.at, i, x, x, i);
	strbuf_addf(l->out,
		    "\t(w_%s() && tid == %u -> !prev([r_%s() && tid == %u && prev([w_%s() && %s,\n"
		    "\t\tleave() && tid == %u)), (w_%s() || leave()) && tid == %u)));\n",
		    x, i, x, j, x, in.at, i, x, i);
}

/* Its name where that is one in the language, as T2; else its number. */
static void add_thread(struct library *l, uint32_t tid)
{
	const char *name = trace_thread_name(l->t, tid);

	if (is_word(name))
		strbuf_adds(l->out, name);
	else
		strbuf_addf(l->out, "%u", tid);
}

static void add_head(struct library *l, const char *what, const struct variable *v,
		     const struct user *a, const struct user *b)
{
	strbuf_addf(l->out, "\nproperty %s_%s_", what, v->label);
	add_thread(l, a->tid);
	strbuf_adds(l->out, "_");
	add_thread(l, b->tid);
	strbuf_adds(l->out, " step event: ptltl\n");
}

static void add_race(struct library *l, const struct variable *v, const struct user *a,
		     const struct user *b)
{
	if (++l->nproperties > SPEC_PROPERTIES)
		return;
	add_head(l, "race", v, a, b);
	add_pair(l, v->label, a, b);
	strbuf_adds(l->out, " &&\n");
	add_pair(l, v->label, b, a);
	strbuf_adds(l->out, ";\n");
}

/* Blocks of the one. */
static void add_block(struct library *l, const struct variable *v, const struct user *a,
		      const struct user *b)
{
	if (l->threads.at[a->tid] != HAS_BLOCKS || ++l->nproperties > SPEC_PROPERTIES)
		return;
	add_head(l, "split", v, a, b);
	add_split(l, v->label, a->number, b->number);
}

static void add_properties(struct library *l, const struct variable *v)
{
	for (size_t i = 0; i < v->users.n; i++) {
		for (size_t k = 0; k < i; k++) {
			const struct user *a = &v->users.at[k], *b = &v->users.at[i];

			if (!is_conflict(a, b))
				continue;
			if (!l->atomicity) {
				add_race(l, v, a, b);
				continue;
			}
			add_block(l, v, a, b);
			add_block(l, v, b, a);
		}
	}
}

static void write_library(struct library *l)
{
	uint32_t declared = 0;

	strbuf_adds(
		l->out,
		l->atomicity
			? "// Blocks as formulas, for one trace: between two accesses of a variable in "
			  "a block no\n// other thread has one that no order of the blocks explains."
			  "\n\nevent enter = begin();\nevent leave = end();\n"
			: "// Data races as formulas, for one trace: no two accesses of different "
			  "threads, one\n// of them a write, follow one another with nothing "
			  "between.\n\n");
	for (uint32_t tid = 1; l->atomicity && tid < l->threads.n; tid++)
		if (l->threads.at[tid] == (HAS_BLOCKS | HAS_WAITS))
			strbuf_addf(l->out,
				    "// left out: the blocks of thread %u, which waits for "
				    "conditions\n",
				    tid);
	for (size_t i = 0; i < l->variables.n; i++) {
		struct variable *v = &l->variables.at[i];

		if (!is_shared(v))
			continue;
		if (trace_object_is_anonymous(v->name))
			skip(l, v, "not a variable");
		else if (v->atomic)
			skip(l, v, "some accesses are atomic");
		else if (declared == (SPEC_EVENTS - 3) / 2)
			skip(l, v, "there are too many variables");
		else
			declare(l, v, i);
		declared += v->type != NULL;
	}
	strbuf_adds(l->out, "event every = any();\nrelevant every;\n");
	for (size_t i = 0; i < l->variables.n; i++)
		if (l->variables.at[i].type)
			add_properties(l, &l->variables.at[i]);
	if (l->nproperties > SPEC_PROPERTIES)
		strbuf_addf(l->out, "\n// left out: %u more pairs of threads\n",
			    l->nproperties - SPEC_PROPERTIES);
}

enum status spec_library(struct trace *t, bool atomicity, struct strbuf *out, struct diag *d)
{
	struct library l = { .t = t, .atomicity = atomicity, .out = out };
	enum status st;

	st = read_trace(&l, d);
	if (st == ST_OK)
		write_library(&l);
	for (size_t i = 0; i < l.variables.n; i++) {
		MEM_FREE_ALL(l.variables.at[i].name, l.variables.at[i].type);
		VEC_RELEASE(&l.variables.at[i].users);
	}
	VEC_RELEASE_ALL(&l.variables, &l.threads);
	map_release(&l.by_addr);
	return st;
}
