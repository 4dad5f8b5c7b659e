/*
 * The type that a spec declares against the one that the program has.  By debug information kinds
 * and signs are known; without it there is the type's name, which may be anybody's, and the size.
 */

#include "monitor/watch_priv.h"
#include "names/layout.h"

static const struct {
	const char *name;
	uint8_t kind;
	bool is_signed;
} known[] = {
	{ "int", LAYOUT_INT, true },	     { "unsigned int", LAYOUT_INT, false },
	{ "short", LAYOUT_INT, true },	     { "unsigned short", LAYOUT_INT, false },
	{ "long", LAYOUT_INT, true },	     { "unsigned long", LAYOUT_INT, false },
	{ "long long", LAYOUT_INT, true },   { "unsigned long long", LAYOUT_INT, false },
	{ "signed char", LAYOUT_INT, true }, { "unsigned char", LAYOUT_INT, false },
	{ "float", LAYOUT_FLOAT, true },     { "double", LAYOUT_FLOAT, true },
};

/* What the name of a type says by itself; a pointer ends in a star. */
static bool known_find(const char *type, uint8_t *kind, bool *is_signed)
{
	size_t n = strlen(type);

	if (n > 0 && type[n - 1] == '*') {
		*kind = LAYOUT_POINTER;
		return true;
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(known[i].name, type) == 0) {
			*kind = known[i].kind;
			*is_signed = known[i].is_signed;
			return true;
		}
	return false;
}

static enum status differ(const struct watch *w, const struct spec_variable *v,
			  const struct bind_found *f, struct diag *d)
{
	return spec_complain(
		w->spec, v->spot, d,
		"'%s' is declared as '%s' (%u byte%s), but the program has '%s' (%llu byte%s)",
		v->name, v->type.text, v->type.size, v->type.size == 1 ? "" : "s",
		f->type ? f->type : "something else", (unsigned long long)f->size,
		f->size == 1 ? "" : "s");
}

enum status bind_type(const struct watch *w, const struct spec_variable *v,
		      const struct bind_found *f, struct diag *d)
{
	static const uint8_t kinds[] = {
		[SPEC_INT] = LAYOUT_INT,
		[SPEC_FLOAT] = LAYOUT_FLOAT,
		[SPEC_POINTER] = LAYOUT_POINTER,
	};
	bool is_signed = f->is_signed, is_known = f->has_layout;
	uint8_t kind = f->kind;

	/* A symbol of no size is as big as the spec says. */
	if (f->size != v->type.size && (f->size != 0 || f->type))
		return differ(w, v, f, d);
	if (!is_known && f->type)
		is_known = known_find(f->type, &kind, &is_signed);
	if (!is_known)
		return ST_OK;
	if (kind != kinds[v->type.kind])
		return differ(w, v, f, d);
	if (kind == LAYOUT_INT && !f->is_loose && is_signed != v->type.is_signed &&
	    strncmp(v->type.text, "enum", 4) != 0)
		return differ(w, v, f, d);
	return ST_OK;
}
