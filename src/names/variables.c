#include "names/variables.h"

#include "capture/hooks.h"
#include "names/images.h"
#include "names/layout_text.h"
#include "trace/source.h"
#include "names/symbols.h"

static const struct program *program_of(struct trace *t)
{
	struct trace_source *s = trace_source(t);

	return s->ops->program ? s->ops->program(s) : NULL;
}

size_t variables_count(struct trace *t)
{
	const struct program *p = program_of(t);

	return p ? p->globals.n : 0;
}

bool variables_get(struct trace *t, size_t i, struct program_global *out)
{
	const struct program *p = program_of(t);

	if (!p || i >= p->globals.n || !p->globals.at[i].name)
		return false;
	*out = p->globals.at[i];
	return true;
}

/* Units may tell of one variable several times, and a library may have come several times. */
static bool is_other(const struct program_global *a, const struct program_global *b)
{
	return a->unit != b->unit && (a->addr != b->addr || strcmp(a->name, b->name) != 0);
}

bool variables_clash(struct trace *t, uint64_t addr, uint64_t size, const char *names[2])
{
	const struct program *p = program_of(t);
	const struct program_global *first = NULL;

	for (size_t i = 0; p && i < p->globals.n; i++) {
		const struct program_global *g = &p->globals.at[i];

		if (!g->name || g->addr >= addr + size || g->addr + g->size <= addr)
			continue;
		if (first && is_other(first, g)) {
			names[0] = first->name;
			names[1] = g->name;
			return true;
		}
		first = first ? first : g;
	}
	return false;
}

enum status variables_part(struct trace *t, const struct program_global *v, const char *part,
			   uint64_t *offset, struct layout_type *type, struct strbuf *why)
{
	const struct program *p = program_of(t);
	const struct images_file *file;
	struct layout *l;
	size_t i;

	if (p && v->layout) {
		enum status st = layout_text_part(v->layout, part, p->text, offset, type, why);

		if (st != ST_END)
			return st;
	}
	if (!p || !(file = images_find(p->images, v->addr)))
		return ST_END;
	l = symbols_layout(file->symbols);
	if (!l || !layout_find(l, v->addr - file->bias, &i))
		return ST_END;
	return layout_part(l, i, part, offset, type, why) ? ST_OK : ST_BAD_INPUT;
}

bool variables_symbol(struct trace *t, const char *name, struct variables_cursor *at,
		      uint64_t *addr, uint64_t *size)
{
	const struct program *p = program_of(t);
	const struct images_file *file;

	for (; p && (file = images_get(p->images, at->image)); at->image++, at->symbol = 0) {
		if (!symbols_find(file->symbols, name, &at->symbol, addr, size))
			continue;
		*addr += file->bias;
		return true;
	}
	return false;
}

bool variables_elsewhere(struct trace *t, const char *name, enum layout_storage *storage)
{
	const struct program *p = program_of(t);
	const struct images_file *file;

	for (size_t i = 0; p && (file = images_get(p->images, i)); i++) {
		struct layout *l = symbols_layout(file->symbols);

		for (size_t k = 0; l && k < layout_count(l); k++) {
			struct layout_variable v;

			layout_get(l, k, &v);
			if (strcmp(v.name, name) == 0) {
				*storage = v.storage;
				return true;
			}
		}
	}
	return false;
}

bool variables_may_come(struct trace *t, const char *name)
{
	struct trace_site p;

	for (uint32_t i = 1; i < trace_site_count(t); i++)
		if (trace_site(t, i, &p) && (p.flags & FORESEE_SITE_NAMING) &&
		    (!p.said || !name || strcmp(p.said, name) == 0))
			return true;
	return false;
}

bool variables_is_fixed(struct trace *t, uint64_t addr)
{
	const struct program *p = program_of(t);
	const struct images_file *file = p ? images_find(p->images, addr) : NULL;
	size_t found = 0;

	if (!file || !p->path || strcmp(symbols_path(file->symbols), p->path) != 0)
		return false;
	for (size_t i = 0; i < p->globals.n; i++)
		found += addr - p->globals.at[i].addr < p->globals.at[i].size;
	return found == 1 && !variables_may_come(t, NULL);
}

bool variables_address(struct trace *t, const char *name, bool lock, uint64_t *addr)
{
	struct trace_source *s = trace_source(t);

	*addr = s->ops->name_address ? s->ops->name_address(s, name, lock) : 0;
	return *addr != 0;
}
