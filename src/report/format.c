#include "report/format.h"

#include "base/json_read.h"
#include "report/frames.h"

const struct format *const format_table[] = { &format_sarif, &format_gcc, &format_markdown, NULL };

const struct format *format_find(const char *name)
{
	for (size_t i = 0; format_table[i]; i++)
		if (strcmp(format_table[i]->name, name) == 0)
			return format_table[i];
	return NULL;
}

const char *format_text(const struct json_tree *t, uint32_t node, const char *key)
{
	const char *text = json_text(t, json_get(t, node, key));

	return text ? text : "";
}

bool format_path(const struct json_tree *t, uint32_t place, struct strbuf *out)
{
	const char *file = format_text(t, place, "file");

	if (*file)
		frames_path(file, out);
	return *file != '\0';
}

static void names_format(const struct json_tree *t, uint32_t list, struct strbuf *out)
{
	const char *comma = "";

	for (uint32_t i = json_first(t, list); i != JSON_NONE; i = json_next(t, i), comma = ", ")
		strbuf_addf(out, "%s%s", comma, json_text(t, i) ? json_text(t, i) : "?");
}

void format_object(const struct json_tree *t, uint32_t finding, struct strbuf *out)
{
	const char *property = format_text(t, finding, "property");
	uint32_t object = json_get(t, finding, "object");

	if (*property)
		strbuf_adds(out, property);
	else if (json_is(t, object, JSON_ARRAY))
		names_format(t, object, out);
	else
		strbuf_adds(out, format_text(t, finding, "object"));
}

void format_place(const struct json_tree *t, uint32_t place, struct strbuf *out)
{
	const char *function = format_text(t, place, "function");
	uint32_t holds = json_get(t, place, "holds");

	strbuf_addf(out, "%s %s%s", format_text(t, place, "thread"),
		    json_is_true(t, json_get(t, place, "atomic")) ? "atomic " : "",
		    format_text(t, place, "op"));
	if (*function)
		strbuf_addf(out, " in %s", function);
	strbuf_adds(out, json_first(t, holds) == JSON_NONE ? ", no lock held" : ", holds ");
	names_format(t, holds, out);
}

void format_sureness(const struct json_tree *t, uint32_t finding, struct strbuf *out)
{
	const char *why = format_text(t, finding, "why");

	strbuf_adds(out, format_text(t, finding, "status"));
	if (json_is_true(t, json_get(t, finding, "certified")) &&
	    strcmp(format_text(t, finding, "status"), "predicted") == 0)
		strbuf_adds(out, ", certified");
	if (*why)
		strbuf_addf(out, "; only a warning: %s", why);
	if (*format_text(t, finding, "replay"))
		strbuf_addf(out, "; %s", format_text(t, finding, "replay"));
}
