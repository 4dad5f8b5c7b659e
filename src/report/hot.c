/*
 * Counts are by site, which is what --ignore goes by, too (capture/module_pattern.c); names come at the end.
 */
#include "report/hot.h"

#include "base/intern.h"
#include "report/json.h"
#include "trace/trace.h"

enum sort { HOT_FUNCTION, HOT_VARIABLE, HOT_FILE, HOT_SORTS };
static const char *const sort_words[HOT_SORTS] = { "functions", "variables", "files" };

struct line {
	const char *name;
	uint64_t events;
};

struct lines {
	VEC(struct line) at;
	struct intern *names;
};

void hot_release(struct hot *h)
{
	VEC_RELEASE(&h->by_site);
}

void hot_event(struct hot *h, const struct event *e)
{
	h->events++;
	if (e->op != EVENT_READ && e->op != EVENT_WRITE && e->op != EVENT_RMW)
		return;
	h->accesses++;
	VEC_REACH(&h->by_site, e->site);
	h->by_site.at[e->site]++;
}

/* As a pattern of --ignore takes it: a variable by the name before its fields and elements, the last part of a path. */
static void name_of(const struct trace_site *p, enum sort sort, struct strbuf *out)
{
	const char *slash = p->file ? strrchr(p->file, '/') : NULL;

	if (sort == HOT_FUNCTION)
		strbuf_adds(out, p->function ? p->function : "");
	else if (sort == HOT_VARIABLE && p->variable)
		strbuf_add(out, p->variable, strcspn(p->variable, ".["));
	else if (sort == HOT_FILE && p->file)
		strbuf_adds(out, slash ? slash + 1 : p->file);
}

static int line_order(const void *x, const void *y)
{
	const struct line *a = x, *b = y;

	return SORT_ORDER(b->events, a->events) ?: strcmp(a->name, b->name);
}

static void lines_make(const struct hot *h, const struct trace *t, enum sort sort, struct lines *l)
{
	*l = (struct lines){ .names = intern_new() };
	for (uint32_t site = 1; site < h->by_site.n; site++) {
		struct trace_site p;
		STRBUF_SCOPED name = { 0 };
		uint32_t id;

		if (h->by_site.at[site] == 0 || !trace_site(t, site, &p))
			continue;
		name_of(&p, sort, &name);
		if (name.n == 0)
			continue;
		id = intern_add(l->names, name.at, name.n);
		if (id > l->at.n)
			*VEC_PUSH(&l->at) = (struct line){ .name = intern_str(l->names, id) };
		l->at.at[id - 1].events += h->by_site.at[site];
	}
	SORT_VEC(&l->at, line_order);
}

static void lines_release(struct lines *l)
{
	VEC_RELEASE(&l->at);
	intern_free(l->names);
}

void hot_print(const struct hot *h, const struct trace *t, FILE *to)
{
	for (enum sort sort = 0; sort < HOT_SORTS; sort++) {
		struct lines l;

		lines_make(h, t, sort, &l);
		if (l.at.n)
			fprintf(to, "\naccesses by %s\n", sort_words[sort]);
		for (size_t i = 0; i < l.at.n && i < HOT_LINES; i++)
			fprintf(to, "  %5.1f %%  %12" PRIu64 "  %s\n",
				100.0 * (double)l.at.at[i].events / (double)h->events,
				l.at.at[i].events, l.at.at[i].name);
		if (l.at.n > HOT_LINES)
			fprintf(to, "  and %zu more\n", l.at.n - HOT_LINES);
		lines_release(&l);
	}
	if (h->accesses)
		fputs("\n'foresee record --ignore NAME' leaves out a function, variable or file, and its share of time"
		      " and space;\nwhat is found then are warnings, for what is missing may order what is there.\n",
		      to);
}

void hot_json(const struct hot *h, const struct trace *t, struct json *j)
{
	json_open(j, "hot", '{');
	for (enum sort sort = 0; sort < HOT_SORTS; sort++) {
		struct lines l;

		lines_make(h, t, sort, &l);
		json_open(j, sort_words[sort], '[');
		for (size_t i = 0; i < l.at.n; i++) {
			json_open(j, NULL, '{');
			json_string(j, "name", l.at.at[i].name);
			json_number(j, "events", l.at.at[i].events);
			json_close(j, '}');
		}
		json_close(j, ']');
		lines_release(&l);
	}
	json_close(j, '}');
}
