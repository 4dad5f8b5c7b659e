#include "report/html.h"

#include "base/sha256.h"
#include "report/ending.h"
#include "report/html_parts.h"
#include "report/html_priv.h"
#include "report/kept.h"
#include "report/source.h"

#define AROUND 4	 /* lines of source on both sides of a place */
#define WIDTH 110	 /* of the text that comes along */
#define STEPS 60000000ul /* looked at for pictures, of all findings */
#define TEXTS 400u	 /* findings that come as text, too */

/* ---- findings ---- */

/* Who, where, under which locks. */
static void target_json(struct html *h, const struct finding *f, uint64_t pos)
{
	struct evidence_event e = evidence_get(h->x.ev, pos);
	uint64_t acquires[EXPLAIN_LOCKS];
	size_t n = evidence_held(h->x.ev, pos, acquires, EXPLAIN_LOCKS);

	html_thread(h, e.tid);
	json_open(&h->j, NULL, '{');
	json_number(&h->j, "p", pos);
	json_number(&h->j, "t", e.tid);
	json_string(&h->j, "op",
		    finding_is_about_memory(f) || f->property || finding_is_end(f)
			    ? words_op(&e)
			    : words_target(&e));
	json_signed(&h->j, "s", html_stack(h, &e, AROUND));
	json_open(&h->j, "held", '[');
	for (size_t i = 0; i < n && i < EXPLAIN_LOCKS; i++) {
		struct evidence_event lock = evidence_get(h->x.ev, acquires[i]);

		json_open(&h->j, NULL, '[');
		json_signed(&h->j, NULL,
			    html_name(h, lock.name ? words_brief(lock.name) : "a lock"));
		json_signed(&h->j, NULL, html_stack(h, &lock, 0));
		json_close(&h->j, ']');
	}
	json_close(&h->j, ']');
	json_close(&h->j, '}');
}

/* The circle: each waits for what the next one holds. */
static void circle_json(struct html *h, const struct finding *f)
{
	struct evidence_event park;
	struct cycle c;

	if (finding_is_about_memory(f) || f->property || finding_is_end(f))
		return;
	cycle_find(h->x.ev, f, &c);
	json_open(&h->j, "circle", '[');
	for (uint32_t i = 0; i < c.n; i++) {
		const struct evidence_event *e = &c.at[i].request;
		const char *name = e->name;

		if (cycle_is_wait(e))
			name = cycle_park(h->x.ev, e, &park) ? park.name : NULL;
		json_open(&h->j, NULL, '{');
		json_number(&h->j, "t", e->tid);
		json_string(&h->j, "op", words_target(e));
		json_string(&h->j, "on", name ? words_brief(name) : e->peer ? "its end" : NULL);
		json_signed(&h->j, "s", html_stack(h, e, 0));
		if (c.at[i].held) {
			struct evidence_event held = evidence_get(h->x.ev, c.at[i].held);

			json_number(&h->j, "by", held.tid);
			json_signed(&h->j, "hs", html_stack(h, &held, 0));
		}
		json_close(&h->j, '}');
	}
	json_close(&h->j, ']');
	json_bool(&h->j, "closed", c.closed);
}

static void formula_json(struct html *h, const struct finding *f)
{
	const struct states_watch *w = f->property ? h->r->watch : NULL;
	int number = w ? states_property(w, f->property) : -1;
	STRBUF_SCOPED text = { 0 };

	if (number < 0 || !w->monitors->at[number].property)
		return;
	spec_print_property(w->monitors->spec, w->monitors->at[number].property, &text);
	json_string(&h->j, "formula", strbuf_str(&text));
}

static void finding_json(struct html *h, const struct finding *f)
{
	STRBUF_SCOPED subject = { 0 };

	json_open(&h->j, NULL, '{');
	json_number(&h->j, "id", f->id);
	json_string(&h->j, "kind", finding_kind_name(f->kind));
	explain_title(&h->x, f);
	json_string(&h->j, "title", strbuf_str(&h->x.out));
	strbuf_clear(&h->x.out);
	json_string(&h->j, "status", finding_status_name(f->status));
	json_string(&h->j, "sure", explain_sureness(f));
	json_bool(&h->j, "certified", f->certified);
	json_string(&h->j, "model", f->dep ? "dep" : "strict");
	json_string(&h->j, "by", f->engine->name);
	words_subject(h->x.ev, f, &subject);
	json_string(&h->j, "object", strbuf_str(&subject));
	if (f->known)
		json_bool(&h->j, "known", true);
	if (f->why)
		json_string(&h->j, "why", f->why);
	if (f->replay)
		json_string(&h->j, "replay", f->replay);
	json_open(&h->j, "targets", '[');
	for (uint32_t i = 0; i < f->nevents; i++)
		target_json(h, f, f->events[i]);
	json_close(&h->j, ']');
	circle_json(h, f);
	formula_json(h, f);
	if (f->id <= TEXTS) {
		explain_full(&h->x, f);
		json_string(&h->j, "text", strbuf_str(&h->x.out));
		strbuf_clear(&h->x.out);
	}
	html_scene(h, f);
	json_close(&h->j, '}');
}

/* Of another part of the recording, which is not there any more: as it was told then. */
static void kept_json(struct html *h, const struct kept *k, uint32_t id)
{
	json_open(&h->j, NULL, '{');
	json_number(&h->j, "id", id);
	json_string(&h->j, "kind", finding_kind_name(k->kind));
	json_string(&h->j, "title", k->summary);
	json_string(&h->j, "status", finding_status_name(k->status));
	json_string(&h->j, "sure", finding_status_name(k->status));
	json_string(&h->j, "object", k->object);
	if (k->known)
		json_bool(&h->j, "known", true);
	json_open(&h->j, "targets", '[');
	json_close(&h->j, ']');
	json_string(&h->j, "text", k->text);
	json_string(&h->j, "no_scene", "it was found in a part of the recording of its own");
	json_close(&h->j, '}');
}

/* ---- all of it ---- */

static void data_json(struct html *h)
{
	uint32_t id = (uint32_t)h->r->findings->at.n;
	STRBUF_SCOPED summary = { 0 };

	json_open(&h->j, NULL, '{');
	json_number(&h->j, "page", 1);
	json_string(&h->j, "version", FORESEE_VERSION);
	json_string(&h->j, "path", h->r->path);
	json_string(&h->j, "program", trace_info(h->r->trace).program);
	json_number(&h->j, "events", h->r->events);
	json_number(&h->j, "thread_count", h->r->threads);
	summary_format(h->r, &summary);
	json_string(&h->j, "summary", strbuf_str(&summary));
	json_strings(&h->j, "truncated", (const char *const *)h->r->truncated.at,
		     h->r->truncated.n);
	json_open(&h->j, "findings", '[');
	for (size_t i = 0; i < h->r->findings->at.n; i++)
		finding_json(h, &h->r->findings->at.at[i]);
	for (size_t i = 0; h->r->kept && i < h->r->kept->at.n; i++)
		kept_json(h, &h->r->kept->at.at[i], ++id);
	json_close(&h->j, ']');
	html_lattice(h);
	html_tables(h);
	json_close(&h->j, '}');
}

static size_t share(size_t findings)
{
	size_t n = HTML_EVENTS / (findings ? findings : 1);

	n = n > HTML_EVENTS_MOST ? HTML_EVENTS_MOST : n;
	return n < HTML_EVENTS_LEAST ? HTML_EVENTS_LEAST : n;
}

/* The JSON, in memory; free() it. */
static char *data_make(const struct report *r, bool sources)
{
	struct explain_options how = { .width = WIDTH };
	char *text = NULL;
	size_t n = 0;
	struct html h = { .r = r,
			  .names = intern_new(),
			  .place_keys = intern_new(),
			  .stack_keys = intern_new(),
			  .events = share(r->findings->at.n),
			  .steps = STEPS };

	h.j.to = open_memstream(&text, &n);
	if (!h.j.to)
		BUG("out of memory for a page");
	h.x = explain_begin(r, &how);
	h.sources = sources_new(r->trace, r->passing ? NULL : r->path, sources);
	data_json(&h);
	sources_free(h.sources);
	explain_end(&h.x);
	html_tables_release(&h);
	if (fclose(h.j.to) != 0)
		BUG("out of memory for a page");
	return text;
}

/* ---- the page ---- */

/* No text of a program ends the element, begins a comment in it, or is the end of a line to anybody. */
static void inert_print(const char *json, FILE *to)
{
	for (const char *s = json; *s; s++) {
		if (*s == '<' || *s == '>' || *s == '&')
			fprintf(to, "\\u%04x", *s);
		else if (strncmp(s, "\xe2\x80\xa8", 3) == 0 || strncmp(s, "\xe2\x80\xa9", 3) == 0)
			fprintf(to, "\\u20%02x", (unsigned char)s[2] - 0x80), s += 2;
		else
			putc(*s, to);
	}
}

static void base64_print(const uint8_t *bytes, size_t n, FILE *to)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		uint32_t three = (uint32_t)bytes[i] << 16;

		three |= i + 1 < n ? (uint32_t)bytes[i + 1] << 8 : 0;
		three |= i + 2 < n ? bytes[i + 2] : 0;
		putc(digits[three >> 18], to);
		putc(digits[three >> 12 & 63], to);
		putc(i + 1 < n ? digits[three >> 6 & 63] : '=', to);
		putc(i + 2 < n ? digits[three & 63] : '=', to);
	}
}

static void digest_print(const char *part, FILE *to)
{
	uint8_t sum[SHA256_BYTES];
	struct sha256 s;

	sha256_init(&s);
	sha256_add(&s, part, strlen(part));
	sha256_end(&s, sum);
	fputs("'sha256-", to);
	base64_print(sum, sizeof(sum), to);
	fputs("'", to);
}

static void policy_print(FILE *to)
{
	fputs("default-src 'none'; base-uri 'none'; form-action 'none'; script-src ", to);
	digest_print(html_part_script, to);
	fputs("; style-src ", to);
	digest_print(html_part_style, to);
}

static void part_print(const char *name, size_t n, const char *data, FILE *to)
{
	static const char *const names[] = { "@POLICY@", "@STYLE@", "@SCRIPT@", "@DATA@" };
	size_t i = 0;

	while (i < 4 && (strlen(names[i]) != n || memcmp(names[i], name, n) != 0))
		i++;
	switch (i) {
	case 0:
		policy_print(to);
		break;
	case 1:
		fputs(html_part_style, to);
		break;
	case 2:
		fputs(html_part_script, to);
		break;
	case 3:
		inert_print(data, to);
		break;
	default:
		BUG("the page wants %.*s", (int)n, name);
	}
}

void html_print(const struct report *r, bool sources, FILE *to)
{
	char *data = data_make(r, sources);
	const char *at = html_part_page, *mark;

	while ((mark = strchr(at, '@')) != NULL) {
		size_t n = strcspn(mark + 1, "@") + 2;

		fwrite(at, 1, (size_t)(mark - at), to);
		part_print(mark, n, data, to);
		at = mark + n;
	}
	fputs(at, to);
	free(data);
}
