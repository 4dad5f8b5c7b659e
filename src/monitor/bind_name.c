/*
 * Names of a spec in the program: "file.c:account.owner[2].id" is a variable of the list, and the
 * rest a part of it.
 *
 * Which prefix is the variable's name is not plain to see: `worker.calls' is a static variable of
 * the function worker as well as a member of a struct.  The longest that is listed counts.
 */

#include "base/near.h"
#include "monitor/watch_priv.h"
#include "names/variables.h"

#define LISTED 4 /* candidates and near names in a message */

/* ---- splitting ---- */

/* Behind the file and its colon; C++ has two colons within names. */
static const char *after_file(const char *name)
{
	const char *found = name;

	for (const char *at = name; *at; at++) {
		if (at[0] == ':' && at[1] == ':')
			at++;
		else if (*at == ':')
			found = at + 1;
	}
	return found;
}

static const char *last_part(const char *path, size_t n)
{
	const char *slash = n ? memrchr(path, '/', n) : NULL;

	return slash ? slash + 1 : path;
}

/* Does the file that the compiler was given end in the one that the spec names? */
static bool file_is(const char *given, const char *wanted, size_t n)
{
	size_t has = given ? strlen(given) : 0;

	return given && has >= n && memcmp(given + has - n, wanted, n) == 0 &&
	       (has == n || given[has - n - 1] == '/');
}

struct wanted {
	const char *file; /* as the spec has it; NULL any */
	size_t nfile;
	const char *path;
};

static struct wanted split(const char *name)
{
	struct wanted w = { .path = after_file(name) };

	if (w.path == name)
		return w;
	w.file = name;
	w.nfile = (size_t)(w.path - name) - 1;
	if (w.nfile >= 2 && w.file[0] == '"') { /* "odd-file.c":name */
		w.file++;
		w.nfile -= 2;
	}
	return w;
}

static bool is_static(const struct program_global *v)
{
	return after_file(v->name) != v->name;
}

/* Is it called by the first n characters? */
static bool item_is(const struct program_global *v, const struct wanted *w, size_t n)
{
	const char *name = after_file(v->name);

	if (strlen(name) != n || memcmp(name, w->path, n) != 0)
		return false;
	if (!w->file)
		return true;
	return file_is(v->file, w->file, w->nfile) ||
	       (is_static(v) && (size_t)(name - v->name) == w->nfile + 1 &&
		memcmp(v->name, w->file, w->nfile) == 0 && last_part(w->file, w->nfile) == w->file);
}

/* ---- the list ---- */

struct candidates {
	struct program_global at[LISTED];
	size_t n; /* distinct ones; may be more than fit */
	bool external;
};

/* A name that is known outside its file wins over those that are not. */
static void candidate_add(struct candidates *c, const struct program_global *v)
{
	bool external = !is_static(v);

	if (c->external && !external)
		return;
	if (external && !c->external)
		c->n = 0;
	c->external = external;
	for (size_t i = 0; i < c->n && i < LISTED; i++)
		if (c->at[i].addr == v->addr)
			return;
	if (c->n < LISTED)
		c->at[c->n] = *v;
	c->n++;
}

static void candidates_find(struct trace *t, const struct wanted *w, size_t n, struct candidates *c)
{
	struct program_global v;

	*c = (struct candidates){ 0 };
	for (size_t i = 0; i < variables_count(t); i++)
		if (variables_get(t, i, &v) && item_is(&v, w, n))
			candidate_add(c, &v);
}

static enum status ambiguous(const struct watch *w, const char *name, struct spec_spot at,
			     const struct candidates *c, struct diag *d)
{
	STRBUF_SCOPED b = { 0 };

	for (size_t i = 0; i < c->n && i < LISTED; i++)
		strbuf_addf(&b, "%s'%s:%s'", i ? ", " : "", c->at[i].file ? c->at[i].file : "?",
			    after_file(c->at[i].name));
	return spec_complain(w->spec, at, d, "'%s' is not the only one; write %s%s", name,
			     strbuf_str(&b), c->n > LISTED ? ", ..." : "");
}

/* ---- near names ---- */

/* "; did you mean 'a', 'b'?" or nothing. */
static void add_near(struct trace *t, const char *name, struct strbuf *out)
{
	const char *path = after_file(name) + (*name == '@');
	struct {
		struct program_global v;
		unsigned far;
	} near[LISTED];
	struct program_global v;
	char first[NEAR_WORD + 1];
	size_t n = 0, length = strcspn(path, ".[");
	unsigned most = length < 3 ? 1 : length < 6 ? 2 : 3;

	if (length > NEAR_WORD)
		return;
	memcpy(first, path, length);
	first[length] = '\0';
	for (size_t i = 0; i < variables_count(t); i++) {
		unsigned far;
		size_t k;

		if (!variables_get(t, i, &v))
			continue;
		far = near_distance(first, after_file(v.name));
		for (k = 0; k < n && near[k].v.addr != v.addr; k++)
			;
		if (far > most || k < n)
			continue;
		for (k = n < LISTED ? n++ : n; k > 0 && near[k - 1].far > far; k--)
			if (k < LISTED)
				near[k] = near[k - 1];
		if (k < LISTED) {
			near[k].v = v;
			near[k].far = far;
		}
	}
	for (size_t i = 0; i < n; i++)
		strbuf_addf(out, "%s'%s'", i ? ", " : "; did you mean ", near[i].v.name);
	strbuf_adds(out, n ? "?" : "");
}

/* ---- what is not there ---- */

static const char *why_not(struct trace *t, const char *name)
{
	enum layout_storage storage;

	if (!variables_elsewhere(t, name, &storage))
		return NULL;
	switch (storage) {
	case LAYOUT_THREAD:
		return "is thread-local: there is one for each thread, and none that all share";
	case LAYOUT_CHANGED:
		return "is kept in another form by the optimiser; make it volatile, or build with -O0";
	case LAYOUT_GONE:
		return "has no place in memory: it was optimised out; make it volatile, or build "
		       "with -O0";
	default:
		return "is a constant, or lies in a part that was not built with foresee-cc";
	}
}

static enum status missing(const struct watch *w, struct trace *t, const char *name,
			   struct spec_spot at, struct diag *d)
{
	const char *path = after_file(name);
	STRBUF_SCOPED b = { 0 };
	char first[256];
	struct candidates elsewhere;
	const char *why;

	add_near(t, name, &b);
	snprintf(first, sizeof(first), "%.*s", (int)strcspn(path, ".["), path);
	/* Where another file has one of this name, the file is what is wrong. */
	candidates_find(t, &(struct wanted){ .path = first }, strlen(first), &elsewhere);
	why = elsewhere.n ? NULL : why_not(t, first);
	if (variables_count(t) == 0)
		return spec_complain(
			w->spec, at, d, "the recording knows no variables, so not '%s'%s", name,
			trace_info(t).locks_only
				? ": build with foresee-cc, and record without --locks-only"
				: "");
	if (why)
		return spec_complain(w->spec, at, d, "'%s' %s", first, why);
	return spec_complain(w->spec, at, d, "the program has no variable '%s'%s", name,
			     strbuf_str(&b));
}

/* ---- parts ---- */

/* Without debug information: elements of arrays, by the list's own words for the type. */
static bool part_by_words(const struct program_global *v, const char *part, struct bind_found *out)
{
	uint64_t size = v->size, offset = 0, count, index;
	const char *bracket = v->type ? strchr(v->type, '[') : NULL;
	char *end;

	out->type = v->type;
	for (; *part; part = end + 1) {
		if (*part != '[' || !bracket)
			return false;
		index = strtoull(part + 1, &end, 10);
		count = strtoull(bracket + 1, (char **)&bracket, 10);
		if (*end != ']' || *bracket != ']' || count == 0 || index >= count || size % count)
			return false;
		size /= count;
		offset += index * size;
		bracket = bracket[1] == '[' ? bracket + 1 : NULL;
		out->type = NULL;
	}
	out->addr = v->addr + offset;
	out->size = size;
	return bracket == NULL || out->type != NULL;
}

static enum status part_find(const struct watch *w, struct trace *t, const char *name,
			     struct spec_spot at, const struct program_global *v, const char *part,
			     struct bind_found *out, struct diag *d)
{
	STRBUF_SCOPED why = { 0 };
	struct layout_type type;
	uint64_t offset;
	enum status st = variables_part(t, v, part, &offset, &type, &why);

	if (st == ST_OK) {
		out->addr = v->addr + offset;
		out->size = type.size;
		out->type = type.text;
		out->has_layout = true;
		out->kind = (uint8_t)type.kind;
		out->is_signed = type.is_signed;
		out->is_loose = type.is_loose;
		if (offset > v->size || type.size > v->size - offset)
			st = ST_END; /* not the same file after all */
	}
	if (st == ST_BAD_INPUT)
		return spec_complain(w->spec, at, d, "'%s' of type '%s': %s", v->name,
				     v->type ? v->type : "not known", strbuf_str(&why));
	if (st == ST_END && !part_by_words(v, part, out))
		return spec_complain(
			w->spec, at, d,
			"cannot find '%s' without the debug information of the program: it "
			"is gone, or was built again since",
			name);
	if (st != ST_OK && st != ST_END)
		return ST_BAD_INPUT;
	offset = out->addr - v->addr;
	out->nseen = v->nseen > offset ? v->nseen - (uint32_t)offset : 0;
	out->ninitial = v->ninitial > offset ? v->ninitial - (uint32_t)offset : 0;
	out->initial = out->ninitial ? v->initial + offset : NULL;
	return ST_OK;
}

/* ---- names ---- */

static enum status symbol_find(const struct watch *w, struct trace *t, const char *name,
			       struct spec_spot at, struct bind_found *out, struct diag *d)
{
	struct variables_cursor cursor = { 0 };
	struct program_global v;
	STRBUF_SCOPED near = { 0 };
	uint64_t addr, size;
	size_t n = 0;

	while (variables_symbol(t, name + 1, &cursor, &addr, &size)) {
		if (n && addr == out->addr)
			continue;
		out->addr = addr;
		out->size = size;
		n++;
	}
	if (n != 1) {
		add_near(t, name, &near);
		return spec_complain(w->spec, at, d, "%s symbol '%s' in the program%s",
				     n ? "there is more than one" : "there is no", name + 1,
				     strbuf_str(&near));
	}
	for (size_t i = 0; i < variables_count(t); i++) {
		if (!variables_get(t, i, &v) || v.addr != out->addr)
			continue;
		out->initial = v.initial;
		out->ninitial = v.ninitial;
		out->nseen = v.nseen;
	}
	return ST_OK;
}

static size_t shorter(const char *path, size_t n)
{
	while (n > 0 && path[n - 1] != '.' && path[n - 1] != '[')
		n--;
	return n ? n - 1 : 0;
}

static enum status name_find(const struct watch *w, struct trace *t, const char *name,
			     struct spec_spot at, struct bind_found *out, struct diag *d)
{
	struct wanted wanted = split(name);
	struct candidates c;

	*out = (struct bind_found){ 0 };
	if (*name == '@')
		return symbol_find(w, t, name, at, out, d);
	for (size_t n = strlen(wanted.path); n > 0; n = shorter(wanted.path, n)) {
		candidates_find(t, &wanted, n, &c);
		if (c.n > 1)
			return ambiguous(w, name, at, &c, d);
		if (c.n == 1)
			return part_find(w, t, name, at, &c.at[0], wanted.path + n, out, d);
	}
	if (variables_may_come(t, name)) {
		out->named_later = true;
		return ST_OK;
	}
	return missing(w, t, name, at, d);
}

enum status bind_name(struct watch *w, struct trace *t, const char *name, struct spec_spot at,
		      struct bind_found *out, struct diag *d)
{
	enum status st = name_find(w, t, name, at, out, d);
	const char *had[2];

	/* Events have addresses, and this one is of two variables. */
	if (st == ST_OK && !out->named_later && variables_clash(t, out->addr, out->size, had))
		return spec_complain(
			w->spec, at, d,
			"'%s' cannot be followed: libraries came and went, and its memory was "
			"that of '%s', then of '%s'",
			name, had[0], had[1]);
	return st;
}
