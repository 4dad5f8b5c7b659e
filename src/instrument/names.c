/*
 * Names from debug information: functions, types, global variables.
 */
#include "instrument/unit_priv.h"

#include <sys/stat.h>

/* Types nested deeper than this are cut off. */
#define NAMES_DEPTH 12

LLVMMetadataRef names_global(LLVMValueRef global)
{
	size_t n;
	LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(global, &n);
	LLVMMetadataRef found = NULL;

	for (unsigned i = 0; i < n && !found; i++) {
		LLVMMetadataRef md = LLVMValueMetadataEntriesGetMetadata(entries, i);

		if (LLVMGetMetadataKind(md) == LLVMDIGlobalVariableExpressionMetadataKind)
			found = LLVMDIGlobalVariableExpressionGetVariable(md);
	}
	LLVMDisposeValueMetadataEntries(entries);
	return found;
}

void names_add_qualified(struct strbuf *b, LLVMMetadataRef node, const char *separator)
{
	LLVMMetadataRef scope = extra_scope(node);

	if (scope && extra_name(scope)) {
		names_add_qualified(b, scope, separator);
		strbuf_adds(b, separator);
	}
	if (extra_name(node))
		strbuf_adds(b, extra_name(node));
}

uint32_t names_function(struct unit *u, LLVMMetadataRef subprogram)
{
	struct strbuf b = { 0 };

	names_add_qualified(&b, subprogram, "::");
	return unit_text(u, &b);
}

/* The compiler runs there. */
static bool is_here(const char *directory)
{
	struct stat a, b;

	return stat(directory, &a) == 0 && stat(".", &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/*
 * As the debug information has it where that is a name below the directory that the compiler runs in, which is
 * how people know their files.  Else with the directory that it counts from: build systems compile in a
 * directory of their own, and nobody can open ../src/x.c from another one.
 */
uint32_t names_file(struct unit *u, LLVMMetadataRef file)
{
	unsigned n;
	const char *name = LLVMDIFileGetFilename(file, &n);
	const char *from = LLVMDIFileGetDirectory(file, &n);
	uint64_t *known = map_put(&u->files, (uintptr_t)file, NULL);
	struct strbuf b = { 0 };

	if (*known)
		return (uint32_t)*known;
	if (name && name[0] != '/' && from && from[0] == '/' &&
	    (strncmp(name, "../", 3) == 0 || !is_here(from)))
		strbuf_addf(&b, "%s/", from);
	strbuf_adds(&b, name ? name : "");
	return (uint32_t)(*known = unit_text(u, &b));
}

static void add_type(struct strbuf *b, LLVMMetadataRef type, unsigned depth)
{
	static const char *const prefix[] = {
		[EXTRA_TYPE_STRUCT] = "struct ",
		[EXTRA_TYPE_UNION] = "union ",
		[EXTRA_TYPE_CONST] = "const ",
		[EXTRA_TYPE_FUNCTION] = "function",
	};
	enum extra_type kind = extra_type_kind(type);

	if (!type) {
		strbuf_adds(b, "void");
		return;
	}
	if (depth > NAMES_DEPTH)
		return;
	if (kind <= EXTRA_TYPE_FUNCTION && prefix[kind])
		strbuf_adds(b, prefix[kind]);
	switch (kind) {
	case EXTRA_TYPE_CONST:
	case EXTRA_TYPE_QUALIFIED:
		add_type(b, extra_type_of(type), depth + 1);
		break;
	case EXTRA_TYPE_POINTER:
		add_type(b, extra_type_of(type), depth + 1);
		strbuf_adds(b, strbuf_str(b)[b->n - 1] == '*' ? "*" : " *");
		break;
	case EXTRA_TYPE_ARRAY:
		add_type(b, extra_type_of(type), depth + 1);
		for (unsigned i = 0; i < extra_element_count(type); i++) {
			int64_t n = extra_dimension(type, i);

			if (n >= 0)
				strbuf_addf(b, "[%lld]", (long long)n);
			else
				strbuf_adds(b, "[]");
		}
		break;
	case EXTRA_TYPE_FUNCTION:
		break;
	default:
		strbuf_adds(b, extra_name(type) ? extra_name(type) : "{...}");
		break;
	}
}

uint32_t names_type(struct unit *u, LLVMMetadataRef type)
{
	struct strbuf b = { 0 };

	if (type)
		add_type(&b, type, 0);
	return unit_text(u, &b);
}

/* ---- layouts ---- */

LLVMMetadataRef names_bare_type(LLVMMetadataRef type)
{
	for (unsigned i = 0; type && i < NAMES_DEPTH; i++) {
		enum extra_type kind = extra_type_kind(type);

		if (kind != EXTRA_TYPE_NAMED && kind != EXTRA_TYPE_CONST &&
		    kind != EXTRA_TYPE_QUALIFIED)
			break;
		type = extra_type_of(type);
	}
	return type;
}

uint64_t names_size(LLVMMetadataRef type)
{
	return type ? LLVMDITypeGetSizeInBits(type) / 8 : 0;
}

static void add_layout(struct strbuf *b, LLVMMetadataRef type, bool bits, unsigned depth);

static void add_members(struct strbuf *b, LLVMMetadataRef type, unsigned depth)
{
	const char *between = "";

	strbuf_adds(b, "{");
	for (unsigned i = 0; i < extra_element_count(type); i++) {
		LLVMMetadataRef member = extra_element(type, i);

		if (!member)
			continue;
		strbuf_addf(b, "%s%s@%llu:", between, extra_name(member) ? extra_name(member) : "",
			    (unsigned long long)(LLVMDITypeGetOffsetInBits(member) / 8));
		add_layout(b, extra_type_of(member), extra_is_bits(member), depth + 1);
		between = " ";
	}
	strbuf_adds(b, "}");
}

static void add_layout(struct strbuf *b, LLVMMetadataRef type, bool bits, unsigned depth)
{
	LLVMMetadataRef bare = names_bare_type(type);
	enum extra_type kind = extra_type_kind(bare);
	char scalar = 'x';
	uint64_t size = names_size(bare);

	if (depth > NAMES_DEPTH || b->n > FORESEE_LAYOUT_MOST) {
		strbuf_addf(b, "x%llu\"\"", (unsigned long long)size);
		return;
	}
	if (kind == EXTRA_TYPE_ARRAY) {
		for (unsigned i = 0; i < extra_element_count(bare); i++) {
			int64_t n = extra_dimension(bare, i);

			strbuf_addf(b, "[%lld]", n < 0 ? 0ll : (long long)n);
		}
		add_layout(b, extra_type_of(bare), bits, depth + 1);
		return;
	}
	if (kind == EXTRA_TYPE_STRUCT || kind == EXTRA_TYPE_UNION) {
		add_members(b, bare, depth);
	} else {
		scalar = bits ? 'b' : kind == EXTRA_TYPE_POINTER ? 'p' : extra_scalar(bare);
		strbuf_add(b, &scalar, 1);
	}
	strbuf_addf(b, "%llu\"", (unsigned long long)size);
	add_type(b, type, 0);
	strbuf_adds(b, "\"");
}

uint32_t names_layout(struct unit *u, LLVMMetadataRef type)
{
	struct strbuf b = { 0 };

	if (type)
		add_layout(&b, type, false, 0);
	if (b.n >= FORESEE_LAYOUT_MOST)
		strbuf_clear(&b);
	return unit_text(u, &b);
}

void names_add_global(struct strbuf *b, LLVMValueRef global, LLVMMetadataRef variable)
{
	const char *name = unit_name(global);

	if (variable && extra_name(variable) && unit_has_prefix(name, "_Z"))
		names_add_qualified(b, variable, "::");
	else
		strbuf_adds(b, name);
}
