#include "names/layout.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#define UNITS_MOST (1u << 20)
#define VARIABLES_MOST (1u << 22)
#define DEPTH_MOST 64u /* of scopes, and of types made of types */

struct entry {
	struct layout_variable v;
	Dwarf_Off die;
};

struct layout {
	Dwarf *dwarf;
	bool read;
	struct intern *text;
	VEC(struct entry) entries; /* as they are found */
	VEC(uint32_t) by_address;  /* those in memory, ascending */
};

struct layout *layout_new(Dwarf *dwarf)
{
	struct layout *l = mem_zalloc(sizeof(*l));

	l->dwarf = dwarf;
	l->text = intern_new();
	return l;
}

void layout_free(struct layout *l)
{
	if (!l)
		return;
	VEC_RELEASE_ALL(&l->entries, &l->by_address);
	intern_free(l->text);
	mem_free(l);
}

/* ---- the list ---- */

/* Where an expression leads: one address is memory, the address of a thread's block is not. */
static enum layout_storage storage_of(Dwarf_Die *die, uint64_t *address)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr_integrate(die, DW_AT_location, &attribute) ||
	    dwarf_getlocation(&attribute, &ops, &n) != 0 || n == 0)
		return LAYOUT_GONE;
	for (size_t i = 0; i < n; i++)
		if (ops[i].atom == DW_OP_GNU_push_tls_address ||
		    ops[i].atom == DW_OP_form_tls_address)
			return LAYOUT_THREAD;
	if (ops[0].atom != DW_OP_addr)
		return LAYOUT_GONE; /* on the stack, in a register, a constant */
	*address = ops[0].number;
	return n == 1 ? LAYOUT_MEMORY : LAYOUT_CHANGED;
}

struct scope {
	const char *file, *function;
	unsigned depth;
};

static void variable_add(struct layout *l, Dwarf_Die *die, const struct scope *s)
{
	struct entry e = { .die = dwarf_dieoffset(die) };
	Dwarf_Attribute attribute;
	bool flag = false;

	e.v.name = intern_keep(l->text, dwarf_diename(die));
	if (!e.v.name || dwarf_hasattr(die, DW_AT_abstract_origin))
		return;
	if (dwarf_hasattr(die, DW_AT_declaration))
		return;
	if (dwarf_attr_integrate(die, DW_AT_external, &attribute))
		dwarf_formflag(&attribute, &flag);
	e.v.file = s->file;
	e.v.function = s->function;
	e.v.external = flag;
	e.v.storage = storage_of(die, &e.v.address);
	/* Variables on the stack are not listed. */
	if (s->function && (e.v.storage == LAYOUT_GONE || l->entries.n >= VARIABLES_MOST))
		return;
	*VEC_PUSH(&l->entries) = e;
}

static void scope_walk(struct layout *l, Dwarf_Die *parent, const struct scope *s)
{
	Dwarf_Die child;
	int more = dwarf_child(parent, &child);

	for (; more == 0 && l->entries.n < VARIABLES_MOST; more = dwarf_siblingof(&child, &child)) {
		struct scope inner = *s;

		inner.depth++;
		switch (dwarf_tag(&child)) {
		case DW_TAG_variable:
			variable_add(l, &child, s);
			break;
		case DW_TAG_subprogram:
			inner.function = intern_keep(l->text, dwarf_diename(&child));
			if (!inner.function || inner.depth > DEPTH_MOST)
				break;
			scope_walk(l, &child, &inner);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_namespace:
			if (inner.depth <= DEPTH_MOST)
				scope_walk(l, &child, &inner);
			break;
		default:
			break;
		}
	}
}

static int address_order(const void *x, const void *y, void *entries)
{
	const struct entry *a = (const struct entry *)entries + *(const uint32_t *)x;
	const struct entry *b = (const struct entry *)entries + *(const uint32_t *)y;

	return SORT_ORDER(a->v.address, b->v.address) ?: SORT_ORDER(a->die, b->die);
}

static void layout_read(struct layout *l)
{
	Dwarf_Off at = 0, next;
	size_t head;

	if (l->read)
		return;
	l->read = true;
	for (unsigned n = 0;
	     n < UNITS_MOST && dwarf_nextcu(l->dwarf, at, &next, &head, NULL, NULL, NULL) == 0;
	     n++, at = next) {
		struct scope s = { 0 };
		Dwarf_Die unit;

		if (!dwarf_offdie(l->dwarf, at + head, &unit))
			continue;
		s.file = intern_keep(l->text, dwarf_diename(&unit));
		scope_walk(l, &unit, &s);
	}
	for (uint32_t i = 0; i < l->entries.n; i++)
		if (l->entries.at[i].v.storage == LAYOUT_MEMORY)
			*VEC_PUSH(&l->by_address) = i;
	if (l->by_address.n)
		qsort_r(l->by_address.at, l->by_address.n, sizeof(uint32_t), address_order,
			l->entries.at);
}

size_t layout_count(struct layout *l)
{
	layout_read(l);
	return l->entries.n;
}

void layout_get(struct layout *l, size_t i, struct layout_variable *out)
{
	layout_read(l);
	*out = l->entries.at[i].v;
}

bool layout_find(struct layout *l, uint64_t address, size_t *i)
{
	size_t found;

	layout_read(l);
	found = SEARCH_PAST(k, 0, l->by_address.n,
			    l->entries.at[l->by_address.at[k]].v.address < address);
	if (found == l->by_address.n || l->entries.at[l->by_address.at[found]].v.address != address)
		return false;
	*i = l->by_address.at[found];
	return true;
}

/* ---- types ---- */

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, DW_AT_type, &attribute) &&
	       dwarf_formref_die(&attribute, type) != NULL;
}

static bool is_wrapper(int tag)
{
	return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
	       tag == DW_TAG_atomic_type || tag == DW_TAG_restrict_type;
}

/* Without names given by typedef, const and the like.  False: too deep, or void. */
static bool type_peel(Dwarf_Die *type)
{
	for (unsigned i = 0; i < DEPTH_MOST; i++) {
		if (!is_wrapper(dwarf_tag(type)))
			return true;
		if (!type_of(type, type))
			return false;
	}
	return false;
}

static uint64_t number_of(Dwarf_Die *die, unsigned name, uint64_t otherwise)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (!dwarf_attr_integrate(die, name, &attribute) ||
	    dwarf_formudata(&attribute, &value) != 0)
		return otherwise;
	return value;
}

/* Elements of a dimension; 0 not known. */
static uint64_t dimension(Dwarf_Die *range)
{
	uint64_t n = number_of(range, DW_AT_count, 0);
	uint64_t last = n ? 0 : number_of(range, DW_AT_upper_bound, UINT64_MAX);

	return n ? n : last < UINT32_MAX ? last + 1 : 0;
}

static uint64_t type_size(Dwarf_Die *type)
{
	Dwarf_Word size;

	return dwarf_aggregate_size(type, &size) == 0 ? size : 0;
}

static void add_type(struct strbuf *b, Dwarf_Die *type, unsigned depth)
{
	int tag = dwarf_tag(type);
	const char *name = dwarf_diename(type);
	Dwarf_Die inner, range;
	bool has = type_of(type, &inner);

	if (depth > DEPTH_MOST)
		return;
	switch (tag) {
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
		strbuf_addf(b, "%s %s",
			    tag == DW_TAG_structure_type ? "struct"
			    : tag == DW_TAG_union_type	 ? "union"
							 : "enum",
			    name ? name : "{...}");
		break;
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_atomic_type:
	case DW_TAG_restrict_type:
		if (has)
			add_type(b, &inner, depth + 1);
		else
			strbuf_adds(b, "void");
		break;
	case DW_TAG_pointer_type:
		if (has && dwarf_tag(&inner) == DW_TAG_subroutine_type)
			strbuf_adds(b, "function");
		else if (has)
			add_type(b, &inner, depth + 1);
		else
			strbuf_adds(b, "void");
		strbuf_adds(b, b->n && b->at[b->n - 1] == '*' ? "*" : " *");
		break;
	case DW_TAG_array_type:
		if (has)
			add_type(b, &inner, depth + 1);
		for (int more = dwarf_child(type, &range); more == 0;
		     more = dwarf_siblingof(&range, &range))
			if (dwarf_tag(&range) == DW_TAG_subrange_type)
				strbuf_addf(b, "[%" PRIu64 "]", dimension(&range));
		break;
	default:
		strbuf_adds(b, name ? name : "{...}");
	}
}

static void type_describe(struct layout *l, Dwarf_Die *type, struct layout_type *out)
{
	struct strbuf b = { 0 };
	Dwarf_Die bare = *type;
	uint64_t encoding;

	*out = (struct layout_type){ .kind = LAYOUT_OTHER };
	add_type(&b, type, 0);
	out->text = intern_keep(l->text, strbuf_str(&b));
	strbuf_release(&b);
	if (!type_peel(&bare))
		return;
	out->size = type_size(&bare);
	switch (dwarf_tag(&bare)) {
	case DW_TAG_pointer_type:
		out->kind = LAYOUT_POINTER;
		out->size = out->size ? out->size : 8;
		break;
	case DW_TAG_enumeration_type:
		out->kind = LAYOUT_INT;
		out->is_loose = true;
		break;
	case DW_TAG_base_type:
		encoding = number_of(&bare, DW_AT_encoding, 0);
		out->kind = encoding == DW_ATE_float ? LAYOUT_FLOAT : LAYOUT_INT;
		out->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
		out->is_loose = encoding == DW_ATE_boolean ||
				(dwarf_diename(&bare) && !strcmp(dwarf_diename(&bare), "char"));
		break;
	default:
		break;
	}
}

/* ---- parts ---- */

struct part {
	Dwarf_Die type;
	uint64_t offset;
	bool bits; /* a bit field */
	struct strbuf *why;
};

static bool refuse(struct part *w, const char *what, const char *name, size_t n)
{
	strbuf_addf(w->why, what, (int)n, name);
	return false;
}

/* A member of this struct, or of one without a name in it. */
static bool member_find(Dwarf_Die *type, const char *name, size_t n, uint64_t offset,
			unsigned depth, struct part *w)
{
	Dwarf_Die member;

	if (depth > DEPTH_MOST)
		return false;
	for (int more = dwarf_child(type, &member); more == 0;
	     more = dwarf_siblingof(&member, &member)) {
		const char *its = dwarf_diename(&member);
		uint64_t at = offset + number_of(&member, DW_AT_data_member_location, 0);
		Dwarf_Die inner;

		if (dwarf_tag(&member) != DW_TAG_member || !type_of(&member, &inner))
			continue;
		if (!its && type_peel(&inner) && member_find(&inner, name, n, at, depth + 1, w))
			return true;
		if (!its || strlen(its) != n || memcmp(its, name, n) != 0)
			continue;
		w->type = inner;
		w->offset = at;
		w->bits = dwarf_hasattr(&member, DW_AT_bit_size);
		return true;
	}
	return false;
}

static bool step_member(struct part *w, const char **path)
{
	size_t n = strcspn(++*path, ".[");
	Dwarf_Die type = w->type;
	int tag;

	if (!type_peel(&type))
		return refuse(w, "there is no '%.*s' in it", *path, n);
	tag = dwarf_tag(&type);
	if (tag != DW_TAG_structure_type && tag != DW_TAG_union_type && tag != DW_TAG_class_type)
		return refuse(w, "it is no struct that could have a '%.*s'", *path, n);
	if (!member_find(&type, *path, n, w->offset, 0, w))
		return refuse(w, "its struct has no member '%.*s'", *path, n);
	*path += n;
	return true;
}

/* Array types are split by dimension here: [2][3] is three of [3]. */
static bool step_index(struct part *w, const char **path)
{
	Dwarf_Die type = w->type, range, element;
	uint64_t size, sizes[8], index;
	unsigned n = 0;
	char *end;

	if (!type_peel(&type) || dwarf_tag(&type) != DW_TAG_array_type || !type_of(&type, &element))
		return refuse(w, "it is no array at '%.*s'", *path, strlen(*path));
	for (int more = dwarf_child(&type, &range); more == 0;
	     more = dwarf_siblingof(&range, &range))
		if (dwarf_tag(&range) == DW_TAG_subrange_type && n < 8)
			sizes[n++] = dimension(&range);
	size = type_size(&element);
	for (unsigned i = 1; i < n; i++)
		size *= sizes[i];
	for (unsigned i = 0; i < n; i++) {
		if (**path != '[')
			return refuse(w, "it has more dimensions than that%.*s", "", 0);
		index = strtoull(*path + 1, &end, 10);
		if (*end != ']' || index >= sizes[i])
			return refuse(w, "there is no element %.*s", *path,
				      strcspn(*path, "]") + 1);
		w->offset += index * size;
		*path = end + 1;
		if (i + 1 < n)
			size /= sizes[i + 1] ? sizes[i + 1] : 1;
	}
	w->type = element;
	return true;
}

bool layout_part(struct layout *l, size_t i, const char *path, uint64_t *offset,
		 struct layout_type *type, struct strbuf *why)
{
	struct part w = { .why = why };
	Dwarf_Die die;

	layout_read(l);
	if (!dwarf_offdie(l->dwarf, l->entries.at[i].die, &die) || !type_of(&die, &w.type))
		return refuse(&w, "its debug information is damaged%.*s", "", 0);
	while (*path) {
		w.bits = false;
		if (*path == '.' ? !step_member(&w, &path) : !step_index(&w, &path))
			return false;
	}
	if (w.bits)
		return refuse(&w, "it is a bit field, which has no address of its own%.*s", "", 0);
	*offset = w.offset;
	type_describe(l, &w.type, type);
	return true;
}
