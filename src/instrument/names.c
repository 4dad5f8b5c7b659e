/*
 * Names from debug information: functions, types, global variables.
 */
#include "instrument/unit_priv.h"

#include <llvm-c/DebugInfo.h>

#include "base/strbuf.h"

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
	uint32_t id;

	names_add_qualified(&b, subprogram, "::");
	id = unit_string(u, strbuf_str(&b));
	strbuf_release(&b);
	return id;
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
	uint32_t id = 0;

	if (type) {
		add_type(&b, type, 0);
		id = unit_string(u, strbuf_str(&b));
	}
	strbuf_release(&b);
	return id;
}

void names_add_global(struct strbuf *b, LLVMValueRef global, LLVMMetadataRef variable)
{
	size_t n;
	const char *name = LLVMGetValueName2(global, &n);

	if (variable && extra_name(variable) && unit_has_prefix(name, "_Z"))
		names_add_qualified(b, variable, "::");
	else
		strbuf_adds(b, name);
}
