#include "cli/spec_races.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "monitor/watch.h"
#include "spec/spec.h"
#include "trace/trace.h"

/* What one thread does with a variable. */
struct user {
	uint32_t tid;
	bool reads, writes;
};

struct variable {
	char *name, *type;
	char label[32]; /* in names of events and properties */
	bool atomic;	/* some access is */
	VEC(struct user) users;
};

struct library {
	struct trace *t;
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

static void take_access(struct library *l, const struct event *e)
{
	struct variable *v = find_variable(l, e);
	size_t i = 0;

	v->atomic |= (e->flags & EVENT_ATOMIC) != 0;
	while (i < v->users.n && v->users.at[i].tid != e->tid)
		i++;
	if (i == v->users.n)
		*VEC_PUSH(&v->users) = (struct user){ .tid = e->tid };
	v->users.at[i].reads |= e->op == EVENT_READ || e->op == EVENT_RMW;
	v->users.at[i].writes |= e->op == EVENT_WRITE || e->op == EVENT_RMW;
}

static enum status read_trace(struct library *l, struct diag *d)
{
	struct event e;
	enum status st;

	while ((st = trace_next(l->t, &e, d)) == ST_OK)
		if (e.op == EVENT_READ || e.op == EVENT_WRITE || e.op == EVENT_RMW)
			take_access(l, &e);
	return st == ST_END ? ST_OK : st;
}

/* ---- what the language can say of it ---- */

/* Two users that conflict. */
static bool is_conflict(const struct user *a, const struct user *b)
{
	return (a->writes && (b->reads || b->writes)) || (a->reads && b->writes);
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
	struct strbuf text = { 0 };
	struct watch *w = NULL;
	struct spec *s = NULL;
	struct diag d = { 0 };
	bool bound;

	strbuf_addf(&text, "shared %s %s;", type, name);
	bound = spec_parse("library", strbuf_str(&text), text.n, &s, &d) == ST_OK &&
		watch_bind(s, l->t, &w, &d) == ST_OK;
	watch_free(w);
	spec_free(s);
	strbuf_release(&text);
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

/* "x" stays, anything else is v and a number. */
static void set_label(struct variable *v, size_t number)
{
	const char *at = v->name;

	while (isalnum((unsigned char)*at) || *at == '_')
		at++;
	if (*at == '\0' && strlen(v->name) < 20 && v->name[0] != 'v')
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
		    i->tid, x, x, j->tid);
	strbuf_addf(l->out, " &&\n\t(r_%s() && tid == %u -> !prev(w_%s() && tid == %u))", x, i->tid,
		    x, j->tid);
}

static void add_properties(struct library *l, const struct variable *v)
{
	for (size_t i = 0; i < v->users.n; i++) {
		for (size_t k = 0; k < i; k++) {
			const struct user *a = &v->users.at[k], *b = &v->users.at[i];

			if (!is_conflict(a, b) || ++l->nproperties > SPEC_PROPERTIES)
				continue;
			strbuf_addf(l->out, "\nproperty race_%s_%u_%u step event: ptltl\n",
				    v->label, a->tid, b->tid);
			add_pair(l, v->label, a, b);
			strbuf_adds(l->out, " &&\n");
			add_pair(l, v->label, b, a);
			strbuf_adds(l->out, ";\n");
		}
	}
}

static void write_library(struct library *l)
{
	uint32_t declared = 0;

	strbuf_adds(l->out,
		    "// Data races as formulas, for one trace: no two accesses of different "
		    "threads, one\n// of them a write, follow one another with nothing "
		    "between.\n\n");
	for (size_t i = 0; i < l->variables.n; i++) {
		struct variable *v = &l->variables.at[i];

		if (!is_shared(v))
			continue;
		if (trace_object_is_anonymous(v->name))
			skip(l, v, "not a variable");
		else if (v->atomic)
			skip(l, v, "some accesses are atomic");
		else if (declared == (SPEC_EVENTS - 1) / 2)
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

enum status spec_races(struct trace *t, struct strbuf *out, struct diag *d)
{
	struct library l = { .t = t, .out = out };
	enum status st;

	map_init(&l.by_addr);
	st = read_trace(&l, d);
	if (st == ST_OK)
		write_library(&l);
	for (size_t i = 0; i < l.variables.n; i++) {
		mem_free(l.variables.at[i].name);
		mem_free(l.variables.at[i].type);
		VEC_RELEASE(&l.variables.at[i].users);
	}
	VEC_RELEASE(&l.variables);
	map_release(&l.by_addr);
	return st;
}
