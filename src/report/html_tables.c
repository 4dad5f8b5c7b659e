/*
 * Names, places, stacks and lines of source: each once, by numbers.
 */
#include "capture/hooks.h"
#include "report/html_priv.h"
#include "report/source.h"

#define FRAMES 40 /* of a stack */
#define LINE 400  /* bytes of a line of source */

void html_tables_release(struct html *h)
{
	intern_free(h->names);
	intern_free(h->place_keys);
	intern_free(h->stack_keys);
	VEC_RELEASE_ALL(&h->places, &h->stack_places, &h->stack_ends);
	MAP_RELEASE_ALL(&h->lines, &h->threads);
}

int64_t html_name(struct html *h, const char *name)
{
	return name && *name ? (int64_t)intern_add(h->names, name, strlen(name)) - 1 : -1;
}

void html_thread(struct html *h, uint32_t tid)
{
	map_put(&h->threads, tid, NULL);
}

/* ---- places ---- */

/* Bytes and characters are the same up to there. */
static bool is_plain(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)text[i] >= 0x80)
			return false;
	return true;
}

static void mark(const struct html *h, const struct trace_site *p, struct html_place *out)
{
	size_t len, from, to;
	const char *text = source_line(h->sources, out->file - 1, p->line, &len);

	if (len <= LINE && source_mark(text, len, p, &from, &to) && is_plain(text, to)) {
		out->from = (uint32_t)from;
		out->to = (uint32_t)to;
	}
}

static void want_lines(struct html *h, const struct html_place *p, uint32_t around)
{
	uint32_t from = p->line > around ? p->line - around : 1;

	if (p->file == 0 || p->line == 0)
		return;
	for (uint64_t line = from; line <= (uint64_t)p->line + around; line++)
		if (line <= sources_get(h->sources, p->file - 1).lines)
			map_put(&h->lines, (uint64_t)(p->file - 1) << 32 | line, NULL);
}

static uint32_t place_add(struct html *h, const struct trace_site *p, uint32_t around)
{
	STRBUF_SCOPED key = { 0 };
	struct html_place place = { .line = p->line, .near = (p->flags & FORESEE_SITE_NEAR) != 0 };
	uint32_t id;

	if (p->file)
		place.file = sources_find(h->sources, p->file) + 1;
	if (p->function)
		place.function = (uint32_t)html_name(h, p->function) + 1;
	if (place.file)
		mark(h, p, &place);
	strbuf_add(&key, &place.file, sizeof(place.file));
	strbuf_add(&key, &place.line, sizeof(place.line));
	strbuf_add(&key, &place.function, sizeof(place.function));
	strbuf_add(&key, &place.from, sizeof(place.from));
	id = intern_add(h->place_keys, key.at, key.n);
	if (id > h->places.n)
		*VEC_PUSH(&h->places) = place;
	want_lines(h, &place, around);
	return id - 1;
}

int64_t html_stack(struct html *h, const struct evidence_event *e, uint32_t around)
{
	VEC_SCOPED struct frames frames = { 0 };
	VEC(uint32_t) ids = { 0 };
	uint32_t id;

	frames_get(h->r->trace, e->site, e->stack, &frames);
	if (event_op_family(e->op) != 'A')
		frames_enter(&frames);
	for (size_t i = 0; i < frames.at.n && i < FRAMES; i++)
		*VEC_PUSH(&ids) = place_add(h, &frames.at.at[i], i == 0 ? around : 0);
	if (ids.n == 0)
		return -1;
	id = intern_add(h->stack_keys, (const char *)ids.at, ids.n * sizeof(*ids.at));
	if (id > h->stack_ends.n) {
		VEC_APPEND(&h->stack_places, ids.at, ids.n);
		*VEC_PUSH(&h->stack_ends) = h->stack_places.n;
	}
	VEC_RELEASE(&ids);
	return id - 1;
}

/* ---- as JSON ---- */

static void names_json(struct html *h)
{
	json_open(&h->j, "names", '[');
	for (uint32_t i = 1; i <= intern_count(h->names); i++)
		json_string(&h->j, NULL, intern_str(h->names, i));
	json_close(&h->j, ']');
}

/* [file, line, function, near, from, to]; -1: not known. */
static void places_json(struct html *h)
{
	json_open(&h->j, "places", '[');
	for (size_t i = 0; i < h->places.n; i++) {
		const struct html_place *p = &h->places.at[i];

		json_open(&h->j, NULL, '[');
		json_signed(&h->j, NULL, (int64_t)p->file - 1);
		json_number(&h->j, NULL, p->line);
		json_signed(&h->j, NULL, (int64_t)p->function - 1);
		if (p->near || p->to)
			json_number(&h->j, NULL, p->near);
		if (p->to) {
			json_number(&h->j, NULL, p->from);
			json_number(&h->j, NULL, p->to);
		}
		json_close(&h->j, ']');
	}
	json_close(&h->j, ']');
}

static void stacks_json(struct html *h)
{
	size_t at = 0;

	json_open(&h->j, "stacks", '[');
	for (size_t i = 0; i < h->stack_ends.n; i++) {
		json_open(&h->j, NULL, '[');
		for (; at < h->stack_ends.at[i]; at++)
			json_number(&h->j, NULL, h->stack_places.at[at]);
		json_close(&h->j, ']');
	}
	json_close(&h->j, ']');
}

static void line_json(struct html *h, uint32_t file, uint32_t line)
{
	STRBUF_SCOPED copy = { 0 };
	size_t len;
	const char *text = source_line(h->sources, file, line, &len);
	char key[16];

	strbuf_add(&copy, text, len < LINE ? len : LINE);
	for (size_t i = 0; i < copy.n; i++)
		if (copy.at[i] == '\0')
			copy.at[i] = '?';
	snprintf(key, sizeof(key), "%" PRIu32, line);
	json_string(&h->j, key, strbuf_str(&copy));
}

/* The lines that are shown, by their numbers. */
static void file_json(struct html *h, uint32_t i, const uint64_t *lines, size_t n)
{
	struct source_file file = sources_get(h->sources, i);
	STRBUF_SCOPED path = { 0 };

	frames_path(file.path, &path);
	json_open(&h->j, NULL, '{');
	json_string(&h->j, "path", strbuf_str(&path));
	json_string(&h->j, "whole", file.path);
	if (file.state != SOURCE_THERE)
		json_string(&h->j, "state", source_state_words(file.state));
	json_bool(&h->j, "newer", file.state == SOURCE_NEWER);
	json_open(&h->j, "lines", '{');
	for (size_t k = 0; k < n; k++)
		line_json(h, i, (uint32_t)lines[k]);
	json_close(&h->j, '}');
	json_close(&h->j, '}');
}

static void files_json(struct html *h)
{
	struct check_order lines = { 0 };
	struct map_item item;
	size_t at = 0, from = 0;

	while (map_next(&h->lines, &at, &item))
		*VEC_PUSH(&lines.at) = item.key;
	SORT_VEC(&lines.at, sort_order_u64);
	json_open(&h->j, "files", '[');
	for (uint32_t i = 0; i < sources_count(h->sources); i++) {
		size_t n = 0;

		while (from + n < lines.at.n && lines.at.at[from + n] >> 32 == i)
			n++;
		file_json(h, i, lines.at.at + from, n);
		from += n;
	}
	json_close(&h->j, ']');
	VEC_RELEASE(&lines.at);
}

static void threads_json(struct html *h)
{
	struct check_order tids = { 0 };
	struct map_item item;
	char key[16];
	size_t at = 0;

	while (map_next(&h->threads, &at, &item))
		*VEC_PUSH(&tids.at) = item.key;
	SORT_VEC(&tids.at, sort_order_u64);
	json_open(&h->j, "threads", '{');
	for (size_t i = 0; i < tids.at.n; i++) {
		uint32_t tid = (uint32_t)tids.at.at[i];

		snprintf(key, sizeof(key), "%" PRIu32, tid);
		json_open(&h->j, key, '[');
		json_string(&h->j, NULL, trace_thread_name(h->r->trace, tid));
		if (trace_thread_label(h->r->trace, tid))
			json_string(&h->j, NULL, trace_thread_label(h->r->trace, tid));
		json_close(&h->j, ']');
	}
	json_close(&h->j, '}');
	VEC_RELEASE(&tids.at);
}

void html_tables(struct html *h)
{
	names_json(h);
	places_json(h);
	stacks_json(h);
	files_json(h);
	threads_json(h);
}
