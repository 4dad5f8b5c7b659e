#include "trace/control.h"

#include <string.h>

#include "base/intern.h"
#include "capture/hooks.h"
#include "trace/blocks.h"
#include "trace/images.h"
#include "trace/notes.h"
#include "trace/wire.h"

static const char *string_get(const struct control *c, uint32_t id)
{
	uint64_t *place = id ? map_get(&c->strings, id) : NULL;

	return place ? intern_str(c->text, (uint32_t)*place) : NULL;
}

static uint32_t string_take(struct control *c, struct wire *w)
{
	size_t n = wire_left(w);
	const char *s = (const char *)wire_bytes(w, n);

	return s ? intern_add(c->text, s, strnlen(s, n)) : 0;
}

static void process_take(struct control *c, struct wire *w)
{
	wire_varint(w);
	if (!w->bad)
		c->program = intern_str(c->text, string_take(c, w));
}

static void site_take(struct control *c, struct wire *w)
{
	struct control_site s = { 0 };
	bool fresh;
	uint64_t *place;

	s.number = wire_u32(w);
	s.file = wire_u32(w);
	s.function = wire_u32(w);
	s.variable = wire_u32(w);
	s.line = wire_u32(w);
	s.column = wire_u32(w);
	s.kind = (uint8_t)wire_u32(w);
	s.flags = (uint8_t)wire_u32(w);
	s.size = wire_u32(w);
	s.inlined = wire_u32(w);
	s.slot = (uint16_t)wire_u32(w);
	s.feeds = wire_varint(w);
	if (s.number == 0 || s.number >= CONTROL_SITES_MAX)
		wire_fail(w);
	if (w->bad)
		return;
	place = map_put(&c->site_at, s.number, &fresh);
	if (fresh) {
		*place = c->sites.n;
		*VEC_PUSH(&c->sites) = s;
	} else {
		c->sites.at[*place] = s;
	}
	if (s.number >= c->site_count)
		c->site_count = s.number + 1;
}

static void code_take(struct control *c, struct wire *w)
{
	uint32_t site;

	images_take_code(c->images, w, CONTROL_SITES_MAX, &site);
	if (!w->bad && site >= c->site_count)
		c->site_count = site + 1;
}

/* Recordings before property checking do not have them. */
static void initial_take(struct control *c, struct wire *w, struct control_global *g,
			 struct control_names *names)
{
	uint32_t seen, n;
	const uint8_t *bytes;

	names->layout = wire_u32(w);
	seen = wire_u32(w);
	n = (uint32_t)wire_left(w);
	bytes = wire_bytes(w, n);

	if (w->bad || seen > g->size || n > seen) {
		wire_fail(w);
		return;
	}
	g->nseen = seen;
	g->ninitial = n;
	g->initial = n ? (const uint8_t *)intern_str(c->text,
						     intern_add(c->text, (const char *)bytes, n))
		       : NULL;
}

static void global_take(struct control *c, struct wire *w)
{
	struct control_global g = { .unit = c->unit };
	struct control_names names = { 0 };

	g.addr = wire_varint(w);
	g.size = wire_varint(w);
	names.name = wire_u32(w);
	names.file = wire_u32(w);
	names.type = wire_u32(w);
	(void)wire_varint(w); /* the line */
	if (!w->bad && wire_left(w) > 0)
		initial_take(c, w, &g, &names);
	if (w->bad || g.size > UINT64_MAX - g.addr) {
		wire_fail(w);
		return;
	}
	*VEC_PUSH(&c->globals) = g;
	*VEC_PUSH(&c->global_names) = names;
}

static void extra_take(struct control *c, struct wire *w)
{
	uint64_t what = wire_varint(w);
	struct control_steady s;

	if (what != FORMAT_EXTRA_STEADY && what != FORMAT_EXTRA_HIDDEN)
		return;
	s.addr = wire_varint(w);
	s.size = wire_varint(w);
	if (w->bad || s.size > UINT64_MAX - s.addr) {
		wire_fail(w);
		return;
	}
	if (what == FORMAT_EXTRA_STEADY) {
		*VEC_PUSH(&c->steady) = s;
		return;
	}
	c->hidden_told = true;
	if (s.size != 0)
		*VEC_PUSH(&c->hidden) = s;
}

/* A cut may be spread over several records with its number. */
static void cut_take(struct control *c, struct wire *w)
{
	uint64_t number = wire_varint(w), n = wire_varint(w);
	uint32_t tid = 0;

	if (w->bad || n > wire_left(w)) {
		wire_fail(w);
		return;
	}
	if (c->cuts.n == 0 || number != c->cut_number)
		*VEC_PUSH(&c->cuts) = c->pairs.n;
	c->cut_number = number;
	for (; n > 0; n--) {
		struct control_pair p;

		tid += wire_u32(w);
		p.tid = tid;
		p.tseq = wire_varint(w);
		if (w->bad)
			return;
		*VEC_PUSH(&c->pairs) = p;
	}
}

static void trouble_take(struct control *c, struct wire *w, struct notes *notes)
{
	uint32_t id = string_take(c, w);

	c->trouble = true;
	notes_add(notes, "the recorder says: %s", id ? intern_str(c->text, id) : "trouble");
}

static void note_take(struct control *c, struct wire *w, struct notes *notes)
{
	uint32_t id = string_take(c, w);

	if (id)
		notes_add(notes, "the recorder says: %s", intern_str(c->text, id));
}

static void record_take(struct control *c, unsigned kind, struct wire *w, struct notes *notes)
{
	switch (kind) {
	case FORMAT_K_C_PROCESS:
		process_take(c, w);
		break;
	case FORMAT_K_C_STRING: {
		uint32_t id = wire_u32(w);

		*map_put(&c->strings, id, NULL) = string_take(c, w);
		break;
	}
	case FORMAT_K_C_MODULE:
		c->unit = wire_u32(w);
		break;
	case FORMAT_K_C_SITE:
		site_take(c, w);
		break;
	case FORMAT_K_C_GLOBAL:
		global_take(c, w);
		break;
	case FORMAT_K_C_IMAGE:
		images_take(c->images, w);
		break;
	case FORMAT_K_C_CODE:
		code_take(c, w);
		break;
	case FORMAT_K_C_EXTRA:
		extra_take(c, w);
		break;
	case FORMAT_K_C_CUT:
		cut_take(c, w);
		break;
	case FORMAT_K_C_TROUBLE:
		trouble_take(c, w, notes);
		break;
	case FORMAT_K_C_NOTE:
		note_take(c, w, notes);
		break;
	case FORMAT_K_C_END: {
		uint64_t status = wire_varint(w);

		c->ended = true;
		c->exit_status = status <= INT32_MAX ? (int)status : -1;
		break;
	}
	default: /* kinds of a later foresee tell us nothing we use */
		break;
	}
}

/* False: damage; the rest of the stream is not used. */
static bool chunk_take(struct control *c, const struct blocks_chunk *k, const uint8_t *bytes,
		       uint32_t n, struct notes *notes)
{
	struct wire w = { bytes, bytes + n, false };

	while (wire_left(&w) >= 4) {
		const uint8_t *at = w.at;
		uint32_t head = (uint32_t)wire_fixed(&w, 4);
		struct wire body;

		if (!k->closed && (head == 0 || (uint32_t)(at - bytes) >= k->seen))
			return true;
		body.at = wire_bytes(&w, head >> FORMAT_LEN_SHIFT);
		body.end = w.at;
		body.bad = w.bad || (head & FORMAT_FORM) != FORMAT_OTHER;
		if (!body.bad)
			record_take(c, head >> FORMAT_KIND_SHIFT & 63, &body, notes);
		if (body.bad) {
			notes_add(notes, "damaged control record at offset %llu",
				  (unsigned long long)(k->offset + sizeof(struct format_chunk) +
						       (uint64_t)(at - bytes)));
			return false;
		}
		c->bytes += (uint64_t)(w.at - at);
	}
	return true;
}

static void stream_read(struct control *c, struct blocks *b, struct notes *notes)
{
	const struct blocks_thread *t = blocks_thread(b, FORMAT_CONTROL_TID);
	bool good = true;

	c->images = images_new();
	c->exit_status = -1;
	c->site_count = 1;
	for (uint32_t i = 0; t && i < t->count && good; i++) {
		struct blocks_chunk k;
		uint8_t *bytes;
		uint32_t n;

		good = blocks_load(b, t, i, &k, &bytes, &n);
		if (good) {
			good = chunk_take(c, &k, bytes, n, notes);
			mem_free(bytes);
		}
	}
	if (!good)
		c->trouble = true;
	for (size_t i = 0; i < c->globals.n; i++) {
		c->globals.at[i].name = string_get(c, c->global_names.at[i].name);
		c->globals.at[i].type = string_get(c, c->global_names.at[i].type);
		c->globals.at[i].file = string_get(c, c->global_names.at[i].file);
		c->globals.at[i].layout = string_get(c, c->global_names.at[i].layout);
	}
}

void control_read(struct control *c, struct blocks *b, struct notes *notes)
{
	memset(c, 0, sizeof(*c));
	c->text = intern_new();
	stream_read(c, b, notes);
}

static void tables_release(struct control *c)
{
	images_free(c->images);
	map_release(&c->strings);
	map_release(&c->site_at);
	VEC_RELEASE(&c->sites);
	VEC_RELEASE(&c->globals);
	VEC_RELEASE(&c->global_names);
	VEC_RELEASE(&c->steady);
	VEC_RELEASE(&c->hidden);
	VEC_RELEASE(&c->pairs);
	VEC_RELEASE(&c->cuts);
}

void control_read_more(struct control *c, struct blocks *b, struct notes *notes)
{
	struct intern *text = c->text;

	tables_release(c);
	memset(c, 0, sizeof(*c));
	c->text = text;
	stream_read(c, b, notes);
}

void control_release(struct control *c)
{
	tables_release(c);
	intern_free(c->text);
}

bool control_site(const struct control *c, uint32_t number, struct trace_place *out)
{
	uint64_t *place = map_get(&c->site_at, number);
	const struct control_site *s;

	memset(out, 0, sizeof(*out));
	if (!place)
		return images_site(c->images, number, out);
	s = &c->sites.at[*place];
	out->file = string_get(c, s->file);
	out->function = string_get(c, s->function);
	if (s->flags & (FORESEE_SITE_ROUTINE | FORESEE_SITE_NAMING))
		out->said = string_get(c, s->variable);
	else
		out->variable = string_get(c, s->variable);
	out->line = s->line;
	out->column = s->column;
	out->size = s->size;
	out->kind = s->kind;
	out->flags = s->flags;
	out->inlined = s->inlined;
	out->feeds = s->feeds;
	out->slot = s->slot;
	return true;
}
