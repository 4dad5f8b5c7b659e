#include "text/std_names.h"

#include "trace/format.h"
#include "trace/trace.h"

#define SPACE_SHIFT 60
#define NAMES_MAX ((1u << 28) - 1)
#define THREADS_MAX ((1u << FORMAT_TID_BITS) - 1)

struct thread {
	char *spelling;
	bool column; /* the spelling is that of the thread column */
};

struct site {
	char *file, *function; /* may be NULL */
	uint32_t line;
};

/* Names are numbered as they come; those that somebody expects get theirs before. */
struct ranks {
	VEC(uint32_t) at; /* [id]: its number among those that have come; 0 it has not */
	uint32_t n;
};

struct std_names {
	struct intern *space[EVENT_OBJECTS];
	struct ranks ranks[EVENT_OBJECTS];
	struct intern *thread_keys;
	VEC(struct thread) threads; /* [id - 1] */
	struct intern *locations;
	VEC(struct site) sites; /* [id - 1] */
	struct strbuf shown;
};

struct std_names *std_names_new(void)
{
	struct std_names *n = mem_zalloc(sizeof(*n));

	for (int i = 0; i < EVENT_OBJECTS; i++)
		n->space[i] = intern_new();
	n->thread_keys = intern_new();
	n->locations = intern_new();
	return n;
}

void std_names_free(struct std_names *n)
{
	for (int i = 0; i < EVENT_OBJECTS; i++) {
		intern_free(n->space[i]);
		VEC_RELEASE(&n->ranks[i].at);
	}
	for (size_t i = 0; i < n->threads.n; i++)
		mem_free(n->threads.at[i].spelling);
	for (size_t i = 0; i < n->sites.n; i++) {
		MEM_FREE_ALL(n->sites.at[i].file, n->sites.at[i].function);
	}
	VEC_RELEASE_ALL(&n->threads, &n->sites);
	intern_free(n->thread_keys);
	intern_free(n->locations);
	strbuf_release(&n->shown);
	mem_free(n);
}

uint32_t std_name_expect(struct std_names *n, enum event_object space, const char *s, size_t len)
{
	assert(space < EVENT_OBJECTS);
	if (intern_count(n->space[space]) >= NAMES_MAX)
		return intern_find(n->space[space], s, len);
	return intern_add(n->space[space], s, len);
}

uint32_t std_name_add(struct std_names *n, enum event_object space, const char *s, size_t len)
{
	uint32_t id = std_name_expect(n, space, s, len);
	struct ranks *r = &n->ranks[space];

	VEC_REACH(&r->at, id);
	if (id && !r->at.at[id])
		r->at.at[id] = ++r->n;
	return id;
}

uint64_t std_address(enum event_object space, uint32_t id, bool fmt1, uint64_t offset)
{
	assert(id <= NAMES_MAX && offset < STD_OFFSET_LIMIT);
	return (uint64_t)space << SPACE_SHIFT |
	       (fmt1 ? (uint64_t)id << 32 | offset : (uint64_t)id * STD_WORD);
}

static uint32_t address_split(uint64_t addr, bool fmt1, unsigned *space, uint64_t *offset)
{
	uint64_t rest = addr & ((1ull << SPACE_SHIFT) - 1);

	*space = (unsigned)(addr >> SPACE_SHIFT);
	*offset = fmt1 ? rest & UINT32_MAX : rest % STD_WORD;
	return (uint32_t)(fmt1 ? rest >> 32 : rest / STD_WORD);
}

const char *std_address_name(struct std_names *n, uint64_t addr, bool fmt1)
{
	uint64_t offset;
	unsigned space;
	uint32_t id = address_split(addr, fmt1, &space, &offset);
	const char *name = space < EVENT_OBJECTS ? intern_str(n->space[space], id) : NULL;

	if (name && offset == 0)
		return name;
	strbuf_clear(&n->shown);
	if (name)
		strbuf_addf(&n->shown, "%s+%" PRIu64, name, offset);
	else
		strbuf_addf(&n->shown, "0x%" PRIx64, addr);
	return strbuf_str(&n->shown);
}

uint64_t std_address_plain(const struct std_names *n, uint64_t addr, bool fmt1)
{
	uint64_t offset;
	unsigned space;
	uint32_t id = address_split(addr, fmt1, &space, &offset);

	if (space >= EVENT_OBJECTS || id >= n->ranks[space].at.n || !n->ranks[space].at.at[id])
		return addr;
	return std_address((enum event_object)space, n->ranks[space].at.at[id], fmt1, 0) + offset;
}

uint64_t std_address_id(const struct std_names *n, uint64_t addr, bool fmt1)
{
	uint64_t offset;
	unsigned space;
	uint32_t id = address_split(addr, fmt1, &space, &offset);

	if (space >= EVENT_OBJECTS || !intern_str(n->space[space], id))
		return 0;
	return (uint64_t)space << 32 | id;
}

/* "T5" is known by the key "5". */
static bool is_numbered(const char *s, size_t len)
{
	if (len < 2 || s[0] != 'T')
		return false;
	for (size_t i = 1; i < len; i++)
		if (s[i] < '0' || s[i] > '9')
			return false;
	return true;
}

uint32_t std_thread_add(struct std_names *n, const char *s, size_t len, bool column)
{
	size_t skip = is_numbered(s, len) ? 1 : 0;
	uint32_t tid = intern_find(n->thread_keys, s + skip, len - skip);
	struct thread *t;

	if (tid == 0) {
		if (n->threads.n >= THREADS_MAX)
			return 0;
		tid = intern_add(n->thread_keys, s + skip, len - skip);
		*VEC_PUSH(&n->threads) = (struct thread){ mem_text(s, len), column };
		assert(tid == n->threads.n);
		return tid;
	}
	t = &n->threads.at[tid - 1];
	if (column && !t->column) {
		mem_free(t->spelling);
		*t = (struct thread){ mem_text(s, len), true };
	}
	return tid;
}

uint32_t std_thread_count(const struct std_names *n)
{
	return (uint32_t)n->threads.n;
}

const char *std_thread_name(const struct std_names *n, uint32_t tid)
{
	return tid >= 1 && tid <= n->threads.n ? n->threads.at[tid - 1].spelling : "?";
}

/* A number from 1 without leading zeros that fits; the count of its digits, else 0. */
static size_t line_number(const char *s, const char *end, uint32_t *line)
{
	uint64_t v = 0;
	size_t i = 0;

	for (; s + i < end && s[i] >= '0' && s[i] <= '9' && i < 10; i++)
		v = v * 10 + (uint64_t)(s[i] - '0');
	if (i == 0 || s[0] == '0' || v > UINT32_MAX)
		return 0;
	*line = (uint32_t)v;
	return i;
}

static struct site site_parse(const char *s, size_t len)
{
	const char *end = s + len;
	struct site out = { 0 };
	size_t n;

	if ((len == 1 && s[0] == '0') || line_number(s, end, &out.line) == len)
		return out;
	for (const char *at = s + 1; at < end; at++) {
		if (*at != ':')
			continue;
		n = line_number(at + 1, end, &out.line);
		if (n == 0)
			continue;
		if (at + 1 + n == end) {
			out.file = mem_text(s, (size_t)(at - s));
			return out;
		}
		if (at[1 + n] == ':' && at + 2 + n < end) {
			out.file = mem_text(s, (size_t)(at - s));
			out.function = mem_text(at + 2 + n, (size_t)(end - at - 2 - (ptrdiff_t)n));
			return out;
		}
	}
	out.line = 0;
	out.file = mem_text(s, len);
	return out;
}

uint32_t std_site_add(struct std_names *n, const char *s, size_t len)
{
	uint32_t id = intern_add(n->locations, s, len);

	if (id > n->sites.n) {
		struct site site = site_parse(s, len);

		*VEC_PUSH(&n->sites) = site;
	}
	return id;
}

uint32_t std_site_count(const struct std_names *n)
{
	return (uint32_t)n->sites.n + 1;
}

bool std_site_find(const struct std_names *n, uint32_t site, struct trace_site *out)
{
	const struct site *s;

	memset(out, 0, sizeof(*out));
	if (site == 0 || site > n->sites.n)
		return false;
	s = &n->sites.at[site - 1];
	out->file = s->file;
	out->function = s->function;
	out->line = s->line;
	return true;
}

static void clean(struct strbuf *out, size_t start)
{
	for (char *at = out->at + start; *at; at++)
		if ((unsigned char)*at <= ' ' || *at == '|' || *at == 0x7f)
			*at = '_';
}

void std_name_format(const char *name, struct strbuf *out)
{
	size_t start = out->n;

	strbuf_adds(out, name);
	clean(out, start);
}

void std_site_format(const struct trace_site *site, struct strbuf *out)
{
	size_t start = out->n;

	if (!site || (!site->file && !site->function)) {
		strbuf_addf(out, "%" PRIu32, site ? site->line : 0);
		return;
	}
	strbuf_adds(out, site->file ? site->file : site->function);
	if (site->file && site->line != 0)
		strbuf_addf(out, ":%" PRIu32 "%s%s", site->line, site->function ? ":" : "",
			    site->function ? site->function : "");
	clean(out, start);
}
