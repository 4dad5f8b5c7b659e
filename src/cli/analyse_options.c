#include "cli/analyse_options.h"

#include "base/near.h"
#include "finding/suppress.h"
#include "replay/confirm.h"
#include "report/baseline.h"
#include "report/format.h"

/* ---- names of analyses ---- */

/* "races,deadlocks,atomicity, and with --spec property" */
static char *usual_names(void)
{
	struct strbuf b = { 0 };

	for (const struct engine *const *e = engine_table; *e; e++)
		if ((*e)->usual)
			strbuf_addf(&b, "%s%s", b.n ? "," : "", (*e)->name);
	strbuf_addf(&b, ", and with --spec %s", engine_property.name);
	return b.at;
}

void analyse_list(FILE *to)
{
	char *usual = usual_names();

	fprintf(to, "analyses (default: %s)\n", usual);
	mem_free(usual);
	for (const struct engine *const *e = engine_table; *e; e++)
		fprintf(to, "  %-12s %s\n", (*e)->name, (*e)->summary);
}

static bool unknown_analysis(const char *name)
{
	const char *names[ANALYSE_ENGINES];
	const char *near;
	char *usual;
	size_t n = 0;

	for (const struct engine *const *e = engine_table; *e && n < ANALYSE_ENGINES; e++)
		names[n++] = (*e)->name;
	near = near_find(name, names, n);
	if (near)
		talk_error("unknown analysis '%s', did you mean '%s'?", name, near);
	else
		talk_error("unknown analysis '%s'", name);
	usual = usual_names();
	talk_more("the analyses are: default, which is %s", usual);
	mem_free(usual);
	for (const struct engine *const *e = engine_table; *e; e++)
		talk_more("  %-12s %s", (*e)->name, (*e)->summary);
	return false;
}

/* Names with commas; `default' stands for several. */
static bool add_engines(struct analyse *a, const char *list)
{
	char *names = mem_strdup(list), *at = names, *name;
	bool good = true;

	while (good && (name = strsep(&at, ",")) != NULL) {
		const struct engine *e = engine_find(name);

		if (strcmp(name, "default") == 0)
			analyse_add_usual(a);
		else if (e)
			analyse_add(a, e);
		else
			good = unknown_analysis(name);
	}
	mem_free(names);
	return good;
}

/* ---- options ---- */

static bool take_format(struct analyse *a, const char *value)
{
	a->json = strcmp(value, "json") == 0;
	a->html = strcmp(value, "html") == 0;
	a->format = format_find(value);
	if (a->json || a->html || a->format || strcmp(value, "text") == 0)
		return true;
	talk_error("unknown format '%s': expected " ANALYSE_FORMATS, value);
	return false;
}

static bool take_baseline(struct analyse *a, const char *path)
{
	struct diag d = { 0 };

	if (a->baseline) {
		talk_error("more than one baseline");
		return false;
	}
	if (baseline_read(path, &a->baseline, &d) == ST_OK)
		return true;
	talk_error("%s", d.message);
	return false;
}

static bool take_suppress(struct analyse *a, const char *path)
{
	struct diag d = { 0 };

	if (a->suppress) {
		talk_error("more than one file of suppressions");
		return false;
	}
	if (suppress_read(path, &a->suppress, &d) == ST_OK)
		return true;
	talk_error("%s", d.message);
	return false;
}

static bool take_path(const char *option, const char *value, const char **out)
{
	if (*value == '\0') {
		talk_error("empty file name after --%s", option);
		return false;
	}
	*out = value;
	return true;
}

static bool take_command(struct analyse *a, const char *value)
{
	if (a->on_finding || value[strspn(value, " \t\n")] == '\0') {
		talk_error(a->on_finding ? "more than one command after --on-finding"
					 : "empty command after --on-finding");
		return false;
	}
	a->on_finding = value;
	return true;
}

bool analyse_option(struct analyse *a, const struct option_parser *p, int id, const char *value)
{
	switch (id) {
	case ANALYSE_LIST:
		return add_engines(a, value);
	case ANALYSE_FORMAT:
		return take_format(a, value);
	case ANALYSE_OUTPUT:
		return take_path("output", value, &a->output);
	case ANALYSE_WITNESS_DIR:
		return take_path("witness-dir", value, &a->witness_dir);
	case ANALYSE_REPLAY:
		a->confirm = confirm_findings;
		return true;
	case ANALYSE_SUPPRESS:
		return take_suppress(a, value);
	case ANALYSE_BASELINE:
		return take_baseline(a, value);
	case ANALYSE_ON_FINDING:
		return take_command(a, value);
	case ANALYSE_ATOMIC:
		if (*value == '\0') {
			talk_error("empty name after --atomic: it is that of a function");
			return false;
		}
		texts_add(&a->atomic, "%s", value);
		return true;
	case ANALYSE_SPEC:
		if (a->spec_path) {
			talk_error("more than one spec: put the properties in one file");
			return false;
		}
		return take_path("spec", value, &a->spec_path);
	case ANALYSE_MONITOR:
		return take_path("monitor", value, VEC_PUSH(&a->plugins));
	case ANALYSE_BREADTH:
		if (strcmp(value, "all") != 0)
			return option_number(p, value, ", or all", 1, UINT64_MAX,
					     &a->engine.breadth);
		a->engine.breadth = 0;
		return true;
	default:
		BUG("option %d is not of an analysis", id);
	}
}
