/*
 * SARIF 2.1.0: a log of runs, one for each trace; in it the rules, which are the kinds of findings, and a result for
 * each finding, with the run that shows it as a code flow of one thread flow for each thread.  The order across
 * threads is executionOrder.
 *
 * Paths below the working directory are relative to it (%SRCROOT%): so they name the same file on another machine.
 */
#include <unistd.h>

#include "base/json_read.h"
#include "finding/finding.h"
#include "report/format.h"
#include "report/json.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"
#define ROOT "%SRCROOT%"

/* ---- rules ---- */

static const char *const help[FINDING_NKINDS] = {
	[FINDING_RACE] =
		"Two threads can touch the same memory at the same time, and at least one of them writes. "
		"Take a lock around both, or make both atomic.",
	[FINDING_DEADLOCK] =
		"Threads can wait for one another in a circle. Take the locks in one order everywhere.",
	[FINDING_JOIN_HOLDING] =
		"A thread can wait for the end of another that needs a lock which the first one "
		"holds. Release the lock before the join.",
	[FINDING_WAIT_HOLDING] =
		"A thread can wait on a condition while it holds a lock that the one who signals "
		"needs. Release it before the wait.",
	[FINDING_LOST_WAKEUP] =
		"A signal can come before the wait that it is meant for, and nobody sends another. "
		"Change what is waited for under the mutex, and test it before the wait.",
	[FINDING_ATOMICITY] =
		"Another thread can come between two accesses of a block that is meant to be one step. "
		"Hold one lock from the first to the last.",
	[FINDING_PROPERTY] = "A run that the recording proves possible violates the property.",
	[FINDING_PROPERTY_ERROR] =
		"A formula of the property has no value in a possible run, such as a division by "
		"zero.",
	[FINDING_HANG] = "The recorded run did not end: threads wait for what nobody does.",
	[FINDING_CRASH] = "The recorded run ended by a signal, or with an unexpected status.",
	[FINDING_USE_AFTER_FREE] = "The recorded run used memory after it was freed.",
	[FINDING_DOUBLE_FREE] = "The recorded run freed memory twice.",
};

static void message_json(struct json *j, const char *key, const char *text)
{
	json_open(j, key, '{');
	json_string(j, "text", text);
	json_close(j, '}');
}

static void rules_json(struct json *j)
{
	json_open(j, "rules", '[');
	for (int k = 0; k < FINDING_NKINDS; k++) {
		json_open(j, NULL, '{');
		json_string(j, "id", finding_kind_name(k));
		message_json(j, "shortDescription", finding_kind_title(k));
		message_json(j, "fullDescription", help[k]);
		message_json(j, "help", help[k]);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static int rule_of(const char *kind)
{
	for (int k = 0; k < FINDING_NKINDS; k++)
		if (strcmp(finding_kind_name(k), kind) == 0)
			return k;
	return -1;
}

/* ---- places ---- */

static void uri_add(const char *path, struct strbuf *out)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";

	for (; *path; path++)
		if (strchr(plain, *path))
			strbuf_add(out, path, 1);
		else
			strbuf_addf(out, "%%%02X", (unsigned char)*path);
}

static void artifact_json(struct json *j, const char *path, const char *whole)
{
	bool relative = path[0] != '/' && strncmp(path, "../", 3) != 0;
	STRBUF_SCOPED uri = { 0 };

	if (!relative && whole[0] == '/')
		strbuf_adds(&uri, "file://");
	uri_add(relative ? path : whole, &uri);
	json_open(j, "artifactLocation", '{');
	json_string(j, "uri", strbuf_str(&uri));
	if (relative)
		json_string(j, "uriBaseId", ROOT);
	json_close(j, '}');
}

/* The members of a location.  One without a file is named by its function alone. */
static void location_json(const struct json_tree *t, uint32_t place, const char *text,
			  struct json *j)
{
	uint64_t line = json_uint(t, json_get(t, place, "line"));
	uint64_t column = json_uint(t, json_get(t, place, "column"));
	const char *function = format_text(t, place, "function");
	STRBUF_SCOPED path = { 0 };

	if (format_path(t, place, &path)) {
		json_open(j, "physicalLocation", '{');
		artifact_json(j, strbuf_str(&path), format_text(t, place, "file"));
		if (line) {
			json_open(j, "region", '{');
			json_number(j, "startLine", line);
			if (column)
				json_number(j, "startColumn", column);
			json_close(j, '}');
		}
		json_close(j, '}');
	}
	if (*function) {
		json_open(j, "logicalLocations", '[');
		json_open(j, NULL, '{');
		json_string(j, "name", function);
		json_string(j, "kind", "function");
		json_close(j, '}');
		json_close(j, ']');
	}
	message_json(j, "message", text);
}

static void place_json(const struct json_tree *t, uint32_t place, struct json *j)
{
	STRBUF_SCOPED text = { 0 };

	format_place(t, place, &text);
	json_open(j, NULL, '{');
	location_json(t, place, strbuf_str(&text), j);
	json_close(j, '}');
}

static void stack_json(const struct json_tree *t, uint32_t place, struct json *j)
{
	STRBUF_SCOPED text = { 0 };
	uint32_t stack = json_get(t, place, "stack");

	format_place(t, place, &text);
	json_open(j, NULL, '{');
	message_json(j, "message", strbuf_str(&text));
	json_open(j, "frames", '[');
	for (uint32_t i = place; i != JSON_NONE;
	     i = i == place ? json_first(t, stack) : json_next(t, i)) {
		json_open(j, NULL, '{');
		json_open(j, "location", '{');
		location_json(t, i, format_text(t, i, "function"), j);
		json_close(j, '}');
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
}

/* ---- the run that shows it ---- */

static bool is_target(const struct json_tree *t, uint32_t finding, uint64_t event)
{
	uint32_t events = json_get(t, finding, "events");

	for (uint32_t i = json_first(t, events); i != JSON_NONE; i = json_next(t, i))
		if (json_uint(t, i) == event)
			return true;
	return false;
}

static void step_json(const struct json_tree *t, uint32_t finding, uint32_t step, uint64_t order,
		      struct json *j)
{
	STRBUF_SCOPED text = { 0 };
	uint64_t event = json_uint(t, json_get(t, step, "event"));

	strbuf_addf(&text, "%s %s %s (event %" PRIu64 ")", format_text(t, step, "thread"),
		    format_text(t, step, "op"), format_text(t, step, "object"), event);
	json_open(j, NULL, '{');
	json_open(j, "location", '{');
	location_json(t, step, strbuf_str(&text), j);
	json_close(j, '}');
	json_number(j, "executionOrder", order);
	json_string(j, "importance", is_target(t, finding, event) ? "essential" : "important");
	json_close(j, '}');
}

static bool is_first_of(const struct json_tree *t, uint32_t steps, uint32_t step)
{
	for (uint32_t i = json_first(t, steps); i != step; i = json_next(t, i))
		if (strcmp(format_text(t, i, "thread"), format_text(t, step, "thread")) == 0)
			return false;
	return true;
}

static void flow_json(const struct json_tree *t, uint32_t finding, uint32_t steps,
		      const char *thread, struct json *j)
{
	uint64_t order = 1;

	json_open(j, NULL, '{');
	json_string(j, "id", thread);
	json_open(j, "locations", '[');
	for (uint32_t i = json_first(t, steps); i != JSON_NONE; i = json_next(t, i), order++)
		if (strcmp(format_text(t, i, "thread"), thread) == 0)
			step_json(t, finding, i, order, j);
	json_close(j, ']');
	json_close(j, '}');
}

static void flows_json(const struct json_tree *t, uint32_t finding, struct json *j)
{
	uint32_t steps = json_get(t, json_get(t, finding, "witness"), "steps");

	if (json_first(t, steps) == JSON_NONE)
		return;
	json_open(j, "codeFlows", '[');
	json_open(j, NULL, '{');
	message_json(j, "message", "a run that the recording proves possible");
	json_open(j, "threadFlows", '[');
	for (uint32_t i = json_first(t, steps); i != JSON_NONE; i = json_next(t, i))
		if (is_first_of(t, steps, i))
			flow_json(t, finding, steps, format_text(t, i, "thread"), j);
	json_close(j, ']');
	json_close(j, '}');
	json_close(j, ']');
}

/* ---- results ---- */

static void result_json(const struct json_tree *t, uint32_t report, uint32_t finding,
			struct json *j)
{
	const char *kind = format_text(t, finding, "kind");
	uint32_t places = json_get(t, finding, "places"), first = json_first(t, places);
	bool warning = strcmp(format_text(t, finding, "status"), "warning") == 0;

	json_open(j, NULL, '{');
	json_string(j, "ruleId", kind);
	if (rule_of(kind) >= 0)
		json_number(j, "ruleIndex", (uint64_t)rule_of(kind));
	json_string(j, "level", warning ? "warning" : "error");
	message_json(j, "message", format_text(t, finding, "summary"));
	if (json_get(t, report, "baseline") != JSON_NONE)
		json_string(j, "baselineState",
			    json_is_true(t, json_get(t, finding, "known")) ? "unchanged" : "new");
	json_open(j, "locations", '[');
	if (first != JSON_NONE)
		place_json(t, first, j);
	json_close(j, ']');
	json_open(j, "relatedLocations", '[');
	for (uint32_t i = json_next(t, first); i != JSON_NONE; i = json_next(t, i))
		place_json(t, i, j);
	json_close(j, ']');
	json_open(j, "stacks", '[');
	for (uint32_t i = first; i != JSON_NONE; i = json_next(t, i))
		stack_json(t, i, j);
	json_close(j, ']');
	flows_json(t, finding, j);
	json_open(j, "partialFingerprints", '{');
	json_string(j, "foresee/v1", format_text(t, finding, "fingerprint"));
	json_close(j, '}');
	json_open(j, "properties", '{');
	json_string(j, "status", format_text(t, finding, "status"));
	json_bool(j, "certified", json_is_true(t, json_get(t, finding, "certified")));
	if (*format_text(t, finding, "why"))
		json_string(j, "why", format_text(t, finding, "why"));
	json_close(j, '}');
	json_close(j, '}');
}

static void root_json(struct json *j)
{
	char here[PATH_MAX];
	STRBUF_SCOPED uri = { 0 };

	if (!getcwd(here, sizeof(here)))
		return;
	strbuf_adds(&uri, "file://");
	uri_add(here, &uri);
	strbuf_adds(&uri, "/");
	json_open(j, "originalUriBaseIds", '{');
	json_open(j, ROOT, '{');
	json_string(j, "uri", strbuf_str(&uri));
	json_close(j, '}');
	json_close(j, '}');
}

static void report_print(const struct json_tree *t, uint32_t report, bool first, FILE *to)
{
	struct json j = { .to = to, .more = !first };
	uint32_t list = json_get(t, report, "findings");

	json_open(&j, NULL, '{');
	json_open(&j, "tool", '{');
	json_open(&j, "driver", '{');
	json_string(&j, "name", "foresee");
	json_string(&j, "version", FORESEE_VERSION);
	rules_json(&j);
	json_close(&j, '}');
	json_close(&j, '}');
	root_json(&j);
	json_string(&j, "columnKind", "utf16CodeUnits");
	json_open(&j, "results", '[');
	for (uint32_t i = json_first(t, list); i != JSON_NONE; i = json_next(t, i))
		result_json(t, report, i, &j);
	json_close(&j, ']');
	json_open(&j, "properties", '{');
	json_string(&j, "trace", format_text(t, json_get(t, report, "trace"), "path"));
	json_close(&j, '}');
	json_close(&j, '}');
}

static void log_begin(FILE *to)
{
	fprintf(to, "{\"$schema\": \"%s\", \"version\": \"2.1.0\", \"runs\": [", SCHEMA);
}

static void log_end(FILE *to)
{
	fputs("]}\n", to);
}

const struct format format_sarif = {
	.name = "sarif", .begin = log_begin, .end = log_end, .report = report_print
};
