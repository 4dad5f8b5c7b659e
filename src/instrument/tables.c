/*
 * The unit's tables (sites, globals, functions), its record, and the
 * constructor that registers it.  Laid out as hooks.h declares the structs.
 */
#include "instrument/unit_priv.h"

#include <llvm-c/Comdat.h>

static LLVMValueRef string_of(struct unit *u, const char *id)
{
	return unit_string_value(u, (uint32_t)(uintptr_t)id);
}

static LLVMValueRef make_struct(struct unit *u, LLVMValueRef *fields, unsigned n)
{
	return LLVMConstStructInContext(u->context, fields, n, 0);
}

/* A private array of rows, as i8*; NULL pointer when there are none. */
static LLVMValueRef make_array(struct unit *u, LLVMTypeRef type, LLVMValueRef *rows, size_t n,
			       const char *name)
{
	LLVMValueRef array;

	if (!n)
		return unit_null(u);
	array = LLVMConstArray(type, rows, (unsigned)n);
	return LLVMConstBitCast(unit_global(u, LLVMTypeOf(array), array, name, true), u->pointer);
}

static LLVMValueRef make_site(struct unit *u, const struct foresee_site *s)
{
	LLVMValueRef fields[] = {
		string_of(u, s->file),	      string_of(u, s->function),
		string_of(u, s->variable),    unit_int(u->i32, s->line),
		unit_int(u->i32, s->inlined), unit_int(u->i64, s->feeds),
		unit_int(u->i16, s->column),  unit_int(u->i8, s->kind),
		unit_int(u->i8, s->flags),    unit_int(u->i32, s->size),
		unit_int(u->i16, s->keeper),  LLVMConstNull(LLVMArrayType(u->i16, 3)),
		string_of(u, s->tests),
	};

	return make_struct(u, fields, sizeof(fields) / sizeof(*fields));
}

static LLVMValueRef make_sites(struct unit *u)
{
	VEC(LLVMValueRef) rows = { 0 };
	LLVMValueRef table;

	for (size_t i = 0; i < u->sites.n; i++)
		*VEC_PUSH(&rows) = make_site(u, &u->sites.at[i]);
	assert(rows.n != 0); /* row 0 is always there, and never used */
	table = make_array(u, LLVMTypeOf(rows.at[0]), rows.at, rows.n, "foresee.sites");
	VEC_RELEASE(&rows);
	return table;
}

static bool is_local(LLVMValueRef global)
{
	return LLVMGetLinkage(global) == LLVMInternalLinkage ||
	       LLVMGetLinkage(global) == LLVMPrivateLinkage;
}

/* May a private table point at it?  Not at what the linker may drop with its group. */
static bool is_referable(LLVMValueRef global)
{
	return LLVMGetLinkage(global) != LLVMAvailableExternallyLinkage &&
	       !(is_local(global) && LLVMGetComdat(global));
}

static LLVMValueRef make_functions(struct unit *u, size_t *n)
{
	VEC(LLVMValueRef) rows = { 0 };
	LLVMValueRef table;

	for (size_t i = 0; i < u->functions.n; i++)
		if (is_referable(u->functions.at[i]))
			*VEC_PUSH(&rows) = LLVMConstBitCast(u->functions.at[i], u->pointer);
	table = make_array(u, u->pointer, rows.at, rows.n, "foresee.functions");
	*n = rows.n;
	VEC_RELEASE(&rows);
	return table;
}

static bool global_is_listed(LLVMValueRef g)
{
	static const char *const not_ours[] = { "llvm.", ".str",    "foresee",
						"_ZGV",	 "__llvm_", "__prof" };
	const char *name = unit_name(g);

	if (!LLVMGetInitializer(g) || LLVMIsGlobalConstant(g) || LLVMIsThreadLocal(g) || !*name ||
	    !is_referable(g) || (is_local(g) && !LLVMGetFirstUse(g)) ||
	    LLVMGetPointerAddressSpace(LLVMTypeOf(g)) != 0)
		return false;
	return !UNIT_HAS_ONE_OF(name, not_ours);
}

/* "total", or "file.c:total" for a static one. */
static uint32_t global_name(struct unit *u, LLVMValueRef g, LLVMMetadataRef variable,
			    const char *file)
{
	struct strbuf b = { 0 };

	if (is_local(g)) {
		const char *slash = file ? strrchr(file, '/') : NULL;

		strbuf_addf(&b, "%s:", slash ? slash + 1 : file ? file : "");
	}
	names_add_global(&b, g, variable);
	return unit_text(u, &b);
}

static LLVMValueRef make_global(struct unit *u, LLVMValueRef g)
{
	LLVMMetadataRef variable = names_global(g);
	LLVMMetadataRef where = variable ? LLVMDIVariableGetFile(variable) : NULL;
	size_t n;
	uint32_t file =
		where ? names_file(u, where) : unit_string(u, LLVMGetSourceFileName(u->module, &n));
	LLVMValueRef fields[] = {
		unit_string_value(u, global_name(u, g, variable, intern_str(u->strings, file))),
		unit_string_value(u, file),
		unit_string_value(u, variable ? names_type(u, extra_type_of(variable)) : 0),
		unit_string_value(u, variable ? names_layout(u, extra_type_of(variable)) : 0),
		LLVMConstBitCast(g, u->pointer),
		unit_int(u->i64, LLVMABISizeOfType(u->layout, LLVMGlobalGetValueType(g))),
		unit_int(u->i32, variable ? LLVMDIVariableGetLine(variable) : 0),
		unit_int(u->i32, sight_has(u, g) ? FORESEE_GLOBAL_IN_SIGHT : 0),
	};

	return make_struct(u, fields, sizeof(fields) / sizeof(*fields));
}

static LLVMValueRef make_globals(struct unit *u, size_t *n)
{
	VEC(LLVMValueRef) found = { 0 };
	LLVMValueRef table = unit_null(u);

	/* Naming them adds globals: first find them all. */
	for (LLVMValueRef g = LLVMGetFirstGlobal(u->module); g; g = LLVMGetNextGlobal(g))
		if (global_is_listed(g))
			*VEC_PUSH(&found) = g;
	for (size_t i = 0; i < found.n; i++)
		found.at[i] = make_global(u, found.at[i]);
	if (found.n)
		table = make_array(u, LLVMTypeOf(found.at[0]), found.at, found.n,
				   "foresee.globals");
	*n = found.n;
	VEC_RELEASE(&found);
	return table;
}

static LLVMValueRef make_module(struct unit *u)
{
	size_t nfunctions, nglobals, n;
	LLVMValueRef functions = make_functions(u, &nfunctions);
	LLVMValueRef globals = make_globals(u, &nglobals);
	LLVMValueRef fields[] = {
		unit_int(u->i32, FORESEE_ABI),
		unit_int(u->i32, u->sites.n),
		make_sites(u),
		LLVMConstBitCast(u->base, u->pointer),
		functions,
		unit_int(u->i64, nfunctions),
		globals,
		unit_int(u->i64, nglobals),
		unit_string_value(u, unit_string(u, LLVMGetSourceFileName(u->module, &n))),
		LLVMConstBitCast(u->watch, u->pointer),
	};
	LLVMValueRef record = make_struct(u, fields, sizeof(fields) / sizeof(*fields));

	return LLVMConstBitCast(unit_global(u, LLVMTypeOf(record), record, "foresee.module", true),
				u->pointer);
}

/* static void NAME(void) { HOOK(record); } */
static LLVMValueRef make_caller(struct unit *u, const char *name, const char *hook,
				LLVMValueRef record)
{
	LLVMTypeRef type = LLVMFunctionType(u->nothing, NULL, 0, 0);
	LLVMValueRef f = LLVMAddFunction(u->module, name, type);

	LLVMSetLinkage(f, LLVMInternalLinkage);
	LLVMPositionBuilderAtEnd(u->builder, LLVMAppendBasicBlockInContext(u->context, f, ""));
	LLVMSetCurrentDebugLocation2(u->builder, NULL);
	unit_hook(u, hook, u->nothing, &record, 1);
	LLVMBuildRetVoid(u->builder);
	return f;
}

void tables_emit(struct unit *u)
{
	LLVMValueRef record = make_module(u);

	extra_add_ctor(u->module,
		       make_caller(u, "foresee.register", "foresee_module_register", record),
		       make_caller(u, "foresee.unregister", "foresee_module_unregister", record));
}
