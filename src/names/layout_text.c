#include "names/layout_text.h"

#include "base/near.h"

#define DEPTH_MOST 32u
#define NUMBER_MOST (1ull << 40)

/* A type, read. */
struct shape {
	char kind; /* as in the layout; '[' an array */
	uint64_t size;
	const char *name; /* up to the quote */
	size_t nname;
	const char *end; /* behind it; NULL: damaged */
};

/* Digits; false: none, or too many. */
static bool number(const char **at, uint64_t *out)
{
	const char *from = *at;

	for (*out = 0; **at >= '0' && **at <= '9' && *out < NUMBER_MOST; ++*at)
		*out = *out * 10 + (uint64_t)(**at - '0');
	return *at > from && *out < NUMBER_MOST;
}

static bool sign(const char **at, char c)
{
	if (**at != c)
		return false;
	++*at;
	return true;
}

/* A member's name and offset; *at is then at its type.  False: damaged. */
static bool member_head(const char **at, const char **name, size_t *n, uint64_t *offset)
{
	*name = *at;
	*n = strcspn(*at, "@:{}[]\" ");
	*at += *n;
	return sign(at, '@') && number(at, offset) && sign(at, ':');
}

static struct shape shape_read(const char *at, unsigned depth);

/* Over the members, to behind the brace; NULL damaged. */
static const char *members_skip(const char *at, unsigned depth)
{
	const char *name;
	uint64_t offset;
	size_t n;

	while (*at != '}') {
		if (!member_head(&at, &name, &n, &offset))
			return NULL;
		at = shape_read(at, depth + 1).end;
		if (!at || (*at != ' ' && *at != '}'))
			return NULL;
		at += *at == ' ';
	}
	return at + 1;
}

static struct shape array_read(const char *at, unsigned depth)
{
	struct shape none = { 0 }, s;
	uint64_t n;

	if (!sign(&at, '[') || !number(&at, &n) || !sign(&at, ']'))
		return none;
	s = shape_read(at, depth + 1);
	if (!s.end || (n && s.size > NUMBER_MOST / n))
		return none;
	s.kind = '[';
	s.size *= n;
	return s;
}

static struct shape shape_read(const char *at, unsigned depth)
{
	struct shape s = { .kind = *at }, none = { 0 };

	if (depth > DEPTH_MOST || *at == '\0')
		return none;
	if (*at == '[')
		return array_read(at, depth);
	if (!strchr("iufpcbx{", *at))
		return none;
	at = *at == '{' ? members_skip(at + 1, depth) : at + 1;
	if (!at || !number(&at, &s.size) || !sign(&at, '"'))
		return none;
	s.name = at;
	s.nname = strcspn(at, "\"");
	at += s.nname;
	s.end = sign(&at, '"') ? at : NULL;
	return s;
}

/* ---- parts ---- */

/* The member's type and offset; those of members without a name are members too.  NULL: none. */
static const char *member_find(const char *at, const char *name, size_t n, uint64_t *offset,
			       unsigned depth)
{
	uint64_t base = *offset, its;
	const char *what, *found;
	size_t nwhat;

	if (*at != '{' || depth > DEPTH_MOST)
		return NULL;
	for (at++; *at != '}'; at += *at == ' ') {
		if (!member_head(&at, &what, &nwhat, &its))
			return NULL;
		*offset = base + its;
		if (nwhat == n && memcmp(what, name, n) == 0)
			return at;
		found = nwhat == 0 ? member_find(at, name, n, offset, depth + 1) : NULL;
		if (found)
			return found;
		at = shape_read(at, depth).end;
		if (!at)
			return NULL;
	}
	return NULL;
}

static const char *refuse(struct strbuf *why, const char *what, const char *name, size_t n)
{
	strbuf_addf(why, what, (int)n, name);
	return NULL;
}

/* ", did you mean 'floor'?", by the names that the struct itself has. */
static void member_near(const char *at, const char *name, size_t n, struct strbuf *why)
{
	char wanted[NEAR_WORD + 1], has[NEAR_WORD + 1], best[NEAR_WORD + 1] = "";
	unsigned least = n < 3 ? 2 : n < 6 ? 3 : 4; /* as many edits are too many */
	const char *what;
	uint64_t offset;
	size_t nwhat;

	if (n > NEAR_WORD)
		return;
	snprintf(wanted, sizeof(wanted), "%.*s", (int)n, name);
	for (at++; at && *at != '}'; at += *at == ' ') {
		if (!member_head(&at, &what, &nwhat, &offset))
			return;
		snprintf(has, sizeof(has), "%.*s", (int)nwhat, what);
		if (nwhat && nwhat <= NEAR_WORD && near_distance(wanted, has) < least) {
			least = near_distance(wanted, has);
			memcpy(best, has, sizeof(best));
		}
		at = shape_read(at, 0).end;
		if (!at)
			return;
	}
	if (*best)
		strbuf_addf(why, ", did you mean '%s'?", best);
}

static const char *step_member(const char *at, const char **path, uint64_t *offset,
			       struct strbuf *why)
{
	size_t n = strcspn(++*path, ".[");
	const char *found;

	if (*at != '{')
		return refuse(why, "it is no struct that could have a '%.*s'", *path, n);
	found = member_find(at, *path, n, offset, 0);
	if (!found) {
		refuse(why, "its struct has no member '%.*s'", *path, n);
		member_near(at, *path, n, why);
		return NULL;
	}
	*path += n;
	return found;
}

static const char *step_index(const char *at, const char **path, uint64_t *offset,
			      struct strbuf *why)
{
	const char *from = *path;
	uint64_t index, n;

	if (*at != '[')
		return refuse(why, "it is no array at '%.*s'", from, strlen(from));
	++*path;
	at++;
	if (!number(&at, &n) || !sign(&at, ']') || !number(path, &index) || !sign(path, ']') ||
	    index >= n)
		return refuse(why, "there is no element '%.*s'", from, strcspn(from, "]") + 1);
	*offset += index * shape_read(at, 0).size;
	return at;
}

static void type_fill(const struct shape *s, struct intern *names, struct layout_type *out)
{
	*out = (struct layout_type){ .kind = LAYOUT_OTHER, .size = s->size };
	if (s->kind == 'i' || s->kind == 'u' || s->kind == 'c')
		out->kind = LAYOUT_INT;
	else if (s->kind == 'f')
		out->kind = LAYOUT_FLOAT;
	else if (s->kind == 'p')
		out->kind = LAYOUT_POINTER;
	out->is_signed = s->kind == 'i';
	out->is_loose = s->kind == 'c';
	out->text = s->kind == '[' ? "an array"
				   : intern_str(names, intern_add(names, s->name, s->nname));
}

enum status layout_text_part(const char *layout, const char *path, struct intern *names,
			     uint64_t *offset, struct layout_type *type, struct strbuf *why)
{
	const char *at = layout;
	struct shape s = shape_read(layout, 0);

	*offset = 0;
	if (!s.end || *s.end)
		return ST_END;
	while (*path && at)
		at = *path == '.' ? step_member(at, &path, offset, why)
				  : step_index(at, &path, offset, why);
	if (!at)
		return ST_BAD_INPUT;
	s = shape_read(at, 0);
	if (s.kind == 'b') {
		refuse(why, "it is a bit field, which has no address of its own%.*s", "", 0);
		return ST_BAD_INPUT;
	}
	type_fill(&s, names, type);
	return ST_OK;
}

/* ---- names ---- */

/* The one member that covers the offset, and has a name or members itself; *at is then at its type. */
static bool member_at(const char **at, uint64_t *offset, const char **name, size_t *n)
{
	const char *p = *at + 1, *what, *found = NULL;
	uint64_t its, from = 0;
	size_t nwhat;

	for (; *p != '}'; p += *p == ' ') {
		struct shape s;

		if (!member_head(&p, &what, &nwhat, &its))
			return false;
		s = shape_read(p, 0);
		if (!s.end)
			return false;
		if (*offset >= its && *offset - its < s.size) {
			if (found)
				return false;
			found = p;
			from = its;
			*name = what;
			*n = nwhat;
		}
		p = s.end;
	}
	*offset -= from;
	*at = found ? found : *at;
	return found != NULL;
}

/* Names of the C library's own: pthread_mutex_t goes by itself. */
static bool is_inner(const char *name, size_t n)
{
	return n >= 2 && name[0] == '_' && (name[1] == '_' || name[1] == 'M');
}

/* What a program makes a lock of its own of: who has the address of the struct means the struct. */
static bool is_plain(const char *at)
{
	struct shape s;

	while (*at == '[')
		at = strchr(at, ']') + 1;
	s = shape_read(at, 0);
	return s.kind != '{' && strncmp(s.name, "pthread_", 8) != 0;
}

void layout_text_name(const char *layout, uint64_t *offset, struct strbuf *out)
{
	const char *at = layout, *name;
	uint64_t left = *offset, n;
	struct shape whole = shape_read(layout, 0);
	size_t nname;

	if (!whole.end || *whole.end)
		return; /* from here on all of it can be read */
	for (unsigned depth = 0; depth < DEPTH_MOST; depth++) {
		if (*at == '[') {
			struct shape s;

			at++;
			if (!number(&at, &n) || !sign(&at, ']'))
				return;
			s = shape_read(at, 0);
			if (!s.end || s.size == 0 || left / s.size >= n)
				return;
			strbuf_addf(out, "[%" PRIu64 "]", left / s.size);
			left %= s.size;
		} else if (*at == '{') {
			bool first = left == 0;

			if (!member_at(&at, &left, &name, &nname) || is_inner(name, nname) ||
			    (first && is_plain(at)))
				return;
			if (nname)
				strbuf_addf(out, ".%.*s", (int)nname, name);
		} else {
			return;
		}
		*offset = left;
	}
}
