#include "names/program.h"

#include "base/wire.h"
#include "capture/hooks.h"
#include "names/images.h"
#include "trace/format.h"

static const char *string_get(const struct program *p, uint32_t id)
{
	uint64_t *index = id ? map_get(&p->strings, id) : NULL;

	return index ? intern_str(p->text, (uint32_t)*index) : NULL;
}

static uint32_t string_take(struct program *p, struct wire *w)
{
	size_t n = wire_left(w);
	const char *s = (const char *)wire_bytes(w, n);

	return s ? intern_add(p->text, s, strnlen(s, n)) : 0;
}

const char *program_text(struct program *p, struct wire *w)
{
	return intern_str(p->text, string_take(p, w));
}

static void process_take(struct program *p, struct wire *w)
{
	const char *rest;
	size_t n;

	wire_varint(w);
	n = wire_left(w);
	rest = w->bad ? NULL : (const char *)wire_bytes(w, n);
	if (rest == NULL)
		return;
	p->path = intern_str(p->text, intern_add(p->text, rest, strnlen(rest, n)));
	if (strnlen(rest, n) + 1 >= n)
		return;
	p->narguments = n - strlen(rest) - 1;
	p->arguments =
		intern_str(p->text, intern_add(p->text, rest + strlen(rest) + 1, p->narguments));
}

static void start_take(struct program *p, struct wire *w)
{
	size_t n = wire_left(w), k;
	const char *rest = (const char *)wire_bytes(w, n);

	if (rest == NULL)
		return;
	k = strnlen(rest, n);
	p->directory = k ? intern_str(p->text, intern_add(p->text, rest, k)) : NULL;
	if (k < n)
		p->options = intern_str(p->text, intern_add(p->text, rest + k + 1,
							    strnlen(rest + k + 1, n - k - 1)));
}

/* What is compared, in words; nothing of it counts if some of it cannot be read. */
static void tests_take(struct program *p, uint32_t site, const char *words)
{
	struct program_tests t = { .first = (uint32_t)p->tests.n };
	const char *at = words, *end = words + strlen(words);

	while (at < end && !t.bad) {
		struct predicate one;

		t.bad = predicate_parse(&at, end, &one) != NULL || (at < end && *at++ != ' ');
		if (!t.bad)
			*VEC_PUSH(&p->tests) = one;
	}
	t.n = (uint32_t)p->tests.n - t.first;
	VEC_REACH(&p->tests_at, site);
	p->tests_at.at[site] = t;
}

void program_test(const struct program *p, struct event *e)
{
	const struct program_tests *t = &p->tests_at.at[e->site];
	bool reads = e->op == EVENT_READ || e->op == EVENT_RMW;

	assert(e->site < p->tests_at.n);
	if (t->n == 0 && !t->bad)
		return;
	if (reads && (e->flags & (EVENT_FREE_READ | EVENT_REREAD)) == EVENT_FREE_READ) {
		if (t->bad || e->len > 8 || (e->flags & EVENT_RANGE)) {
			e->flags &= ~EVENT_FREE_READ;
			return;
		}
		e->flags |= EVENT_TESTED;
	} else if (e->op != EVENT_USE || e->nfeeds != 1 || t->bad) {
		return;
	}
	e->tests = p->tests.at + t->first;
	e->ntests = t->n;
}

static void site_take(struct program *p, struct wire *w)
{
	struct program_site s = { 0 };
	const char *tests;
	bool fresh;
	uint64_t *index;

	s.number = wire_u32(w);
	s.file = wire_u32(w);
	s.function = wire_u32(w);
	s.variable = wire_u32(w);
	s.is.line = wire_u32(w);
	s.is.column = wire_u32(w);
	s.is.kind = (uint8_t)wire_u32(w);
	s.is.flags = (uint8_t)wire_u32(w);
	s.is.size = wire_u32(w);
	s.is.inlined = wire_u32(w);
	s.is.keeper = (uint16_t)wire_u32(w);
	s.is.feeds = wire_varint(w);
	tests = wire_left(w) > 0 ? string_get(p, wire_u32(w)) : NULL; /* since version 5 */
	if (s.number == 0 || s.number >= PROGRAM_SITES_MAX)
		wire_fail(w);
	if (w->bad)
		return;
	if (tests)
		tests_take(p, s.number, tests);
	if (s.is.flags & FORESEE_SITE_LOOKS) {
		VEC_REACH(&p->looks, s.number);
		p->looks.at[s.number] = true;
	}
	index = map_put(&p->site_at, s.number, &fresh);
	if (fresh) {
		*index = p->sites.n;
		*VEC_PUSH(&p->sites) = s;
	} else {
		p->sites.at[*index] = s;
	}
	if (s.number >= p->site_count)
		p->site_count = s.number + 1;
}

static void code_take(struct program *p, struct wire *w)
{
	uint32_t site;

	images_take_code(p->images, w, PROGRAM_SITES_MAX, &site);
	if (!w->bad && site >= p->site_count)
		p->site_count = site + 1;
}

/* Recordings before property checking do not have them. */
static void initial_take(struct program *p, struct wire *w, struct program_global *g,
			 struct program_names *names)
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
	g->initial = n ? (const uint8_t *)intern_str(p->text,
						     intern_add(p->text, (const char *)bytes, n))
		       : NULL;
}

static void global_take(struct program *p, struct wire *w)
{
	struct program_global g = { .unit = p->unit };
	struct program_names names = { 0 };

	g.addr = wire_varint(w);
	g.size = wire_varint(w);
	names.name = wire_u32(w);
	names.file = wire_u32(w);
	names.type = wire_u32(w);
	(void)wire_varint(w); /* the line */
	if (!w->bad && wire_left(w) > 0)
		initial_take(p, w, &g, &names);
	if (w->bad || g.size > UINT64_MAX - g.addr) {
		wire_fail(w);
		return;
	}
	*VEC_PUSH(&p->globals) = g;
	*VEC_PUSH(&p->global_names) = names;
}

static bool memory_take(struct wire *w, struct program_memory *m)
{
	m->addr = wire_varint(w);
	m->size = wire_varint(w);
	if (w->bad || m->size > UINT64_MAX - m->addr)
		wire_fail(w);
	return !w->bad;
}

bool program_take(struct program *p, unsigned kind, struct wire *w)
{
	struct program_memory m;
	uint32_t id;

	switch (kind) {
	case FORMAT_K_C_PROCESS:
		process_take(p, w);
		return true;
	case FORMAT_K_C_START:
		start_take(p, w);
		return true;
	case FORMAT_K_C_STRING:
		id = wire_u32(w);
		*map_put(&p->strings, id, NULL) = string_take(p, w);
		return true;
	case FORMAT_K_C_MODULE:
		p->unit = wire_u32(w);
		return true;
	case FORMAT_K_C_SITE:
		site_take(p, w);
		return true;
	case FORMAT_K_C_GLOBAL:
		global_take(p, w);
		return true;
	case FORMAT_K_C_IMAGE:
		images_take(p->images, w);
		return true;
	case FORMAT_K_C_CODE:
		code_take(p, w);
		return true;
	case FORMAT_K_C_STEADY:
		if (memory_take(w, &m))
			*VEC_PUSH(&p->steady) = m;
		return true;
	case FORMAT_K_C_HIDDEN:
		if (!memory_take(w, &m))
			return true;
		p->hidden_told = true;
		if (m.size != 0)
			*VEC_PUSH(&p->hidden) = m;
		return true;
	case FORMAT_K_C_UNSTEADY:
		if (memory_take(w, &m))
			*VEC_PUSH(&p->unsteady) = m;
		return true;
	default:
		return false;
	}
}

void program_settle(struct program *p)
{
	for (size_t i = 0; i < p->globals.n; i++) {
		p->globals.at[i].name = string_get(p, p->global_names.at[i].name);
		p->globals.at[i].type = string_get(p, p->global_names.at[i].type);
		p->globals.at[i].file = string_get(p, p->global_names.at[i].file);
		p->globals.at[i].layout = string_get(p, p->global_names.at[i].layout);
	}
}

void program_init(struct program *p)
{
	memset(p, 0, sizeof(*p));
	p->text = intern_new();
	p->images = images_new();
	p->site_count = 1;
}

static void tables_release(struct program *p)
{
	images_free(p->images);
	MAP_RELEASE_ALL(&p->strings, &p->site_at);
	VEC_RELEASE_ALL(&p->sites, &p->globals, &p->global_names, &p->steady, &p->hidden,
			&p->unsteady, &p->tests_at, &p->tests, &p->looks);
}

void program_reset(struct program *p)
{
	struct intern *text = p->text;

	tables_release(p);
	*p = (struct program){ .text = text, .images = images_new(), .site_count = 1 };
}

void program_release(struct program *p)
{
	tables_release(p);
	intern_free(p->text);
}

bool program_site(const struct program *p, uint32_t number, struct trace_site *out)
{
	uint64_t *index = map_get(&p->site_at, number);
	const struct program_site *s;

	if (!index) {
		memset(out, 0, sizeof(*out));
		return images_site(p->images, number, out);
	}
	s = &p->sites.at[*index];
	*out = s->is;
	out->file = string_get(p, s->file);
	out->function = string_get(p, s->function);
	*(out->flags & (FORESEE_SITE_ROUTINE | FORESEE_SITE_NAMING) ? &out->said : &out->variable) =
		string_get(p, s->variable);
	return true;
}

/* Does any of them have a byte of [addr, addr + len)? */
static bool memory_has(const struct program_memory *at, size_t n, uint64_t addr, uint64_t len)
{
	for (size_t i = 0; i < n; i++)
		if (at[i].addr < addr + len && addr < at[i].addr + at[i].size)
			return true;
	return false;
}

bool program_hides(const struct program *p, uint64_t addr, uint64_t len)
{
	return !p->hidden_told || memory_has(p->hidden.at, p->hidden.n, addr, len);
}

bool program_unsteady(const struct program *p, uint64_t addr, uint64_t len)
{
	return memory_has(p->unsteady.at, p->unsteady.n, addr, len);
}
