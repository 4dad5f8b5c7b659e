/*
 * Functions whose calls are events: those that FORESEE_CALLS lists, "open,close".
 *
 * The call of the hook is inserted before the optimiser runs, so that it goes where the function's
 * code goes: inlined copies have it too.  From then on it is a call like others.  Which
 * functions were asked for and found is remembered in the module, and becomes rows of the site
 * table, so that a recording can tell a function that was never called from one that says nothing.
 *
 * And what any call says by its arguments: which routine a new thread will run, and what the program
 * calls a piece of memory.  All of these are names that specifications use.
 */
#include "instrument/unit_priv.h"

#define CALLS_METADATA "foresee.calls"
#define CALLS_HOOK "foresee_called"

/* Is the name in the list?  Blanks around the commas do not count. */
static bool is_listed(const char *list, const char *name)
{
	size_t n = strlen(name);

	while (*list) {
		size_t k;

		list += strspn(list, ", \t");
		k = strcspn(list, ", \t");
		if (k == n && k > 0 && memcmp(list, name, n) == 0)
			return true;
		list += k;
	}
	return false;
}

/* The name that the list has for it: as the linker knows it, or as the source. */
static const char *listed_name(const char *list, LLVMValueRef f)
{
	LLVMMetadataRef subprogram = LLVMGetSubprogram(f);
	const char *source = subprogram ? extra_name(subprogram) : NULL, *name;

	if (LLVMIsDeclaration(f) || LLVMGetLinkage(f) == LLVMAvailableExternallyLinkage)
		return NULL;
	name = unit_name(f);
	if (source && is_listed(list, source))
		return source;
	return is_listed(list, name) ? name : NULL;
}

static bool is_unsigned(LLVMValueRef f, unsigned param)
{
	return LLVMGetEnumAttributeAtIndex(f, param + 1, unit_attribute("zeroext")) != NULL;
}

/* As 64 bits; NULL: no integer or pointer, or a wide one. */
static LLVMValueRef as_number(LLVMBuilderRef b, LLVMTypeRef i64, LLVMValueRef f, unsigned param)
{
	LLVMValueRef v = LLVMGetParam(f, param);
	LLVMTypeRef type = LLVMTypeOf(v);
	unsigned width;

	if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
		return LLVMGetPointerAddressSpace(type) ? NULL : LLVMBuildPtrToInt(b, v, i64, "");
	if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
		return NULL;
	width = LLVMGetIntTypeWidth(type);
	if (width >= 64)
		return width == 64 ? v : NULL;
	return width == 1 || is_unsigned(f, param) ? LLVMBuildZExt(b, v, i64, "")
						   : LLVMBuildSExt(b, v, i64, "");
}

static void position_at_entry(LLVMBuilderRef b, LLVMValueRef f)
{
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(f));
	LLVMMetadataRef subprogram = LLVMGetSubprogram(f), location = NULL;
	LLVMValueRef at = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f));

	while (LLVMIsAAllocaInst(at))
		at = LLVMGetNextInstruction(at);
	LLVMPositionBuilderBefore(b, at);
	if (subprogram)
		location = LLVMDIBuilderCreateDebugLocation(
			context, LLVMDISubprogramGetLine(subprogram), 0, subprogram, NULL);
	LLVMSetCurrentDebugLocation2(b, location);
}

static void insert(LLVMBuilderRef b, LLVMValueRef f, const char *name)
{
	LLVMModuleRef m = LLVMGetGlobalParent(f);
	LLVMContextRef context = LLVMGetModuleContext(m);
	LLVMTypeRef i64 = LLVMInt64TypeInContext(context), i32 = LLVMInt32TypeInContext(context);
	LLVMTypeRef text = LLVMPointerType(LLVMInt8TypeInContext(context), 0), type;
	LLVMTypeRef types[2 + FORESEE_CALL_ARGUMENTS] = { text, i32, i64, i64, i64, i64 };
	LLVMValueRef args[2 + FORESEE_CALL_ARGUMENTS], hook;
	unsigned n = 0;

	position_at_entry(b, f);
	for (unsigned i = 0; i < FORESEE_CALL_ARGUMENTS; i++)
		args[2 + i] = LLVMConstInt(i64, 0, 0);
	for (unsigned i = 0; i < LLVMCountParams(f) && n < FORESEE_CALL_ARGUMENTS; i++) {
		LLVMValueRef v = as_number(b, i64, f, i);

		if (v)
			args[2 + n++] = v;
	}
	args[0] = LLVMBuildGlobalStringPtr(b, name, "foresee.called");
	args[1] = LLVMConstInt(i32, n, 0);
	type = LLVMFunctionType(LLVMVoidTypeInContext(context), types, 2 + FORESEE_CALL_ARGUMENTS,
				0);
	hook = LLVMGetNamedFunction(m, CALLS_HOOK);
	if (!hook)
		hook = LLVMAddFunction(m, CALLS_HOOK, type);
	LLVMBuildCall2(b, type, hook, args, 2 + FORESEE_CALL_ARGUMENTS, "");
}

void calls_keep(LLVMValueRef f)
{
	unit_strip_memory_attributes(f);
	for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);

		if (LLVMIsACallInst(user) || LLVMIsAInvokeInst(user))
			unit_strip_memory_attributes(user);
	}
}

static void remember(LLVMModuleRef m, const char *name)
{
	LLVMContextRef context = LLVMGetModuleContext(m);
	LLVMValueRef text = LLVMMDStringInContext(context, name, (unsigned)strlen(name));

	LLVMAddNamedMetadataOperand(m, CALLS_METADATA, LLVMMDNodeInContext(context, &text, 1));
}

void calls_insert(LLVMModuleRef m)
{
	const char *list = getenv("FORESEE_CALLS");
	LLVMBuilderRef b;

	if (!list || !*list)
		return;
	b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		const char *name = listed_name(list, f);

		if (!name)
			continue;
		insert(b, f, name);
		calls_keep(f);
		remember(m, name);
	}
	LLVMDisposeBuilder(b);
}

void calls_add_sites(struct unit *u)
{
	unsigned n = LLVMGetNamedMetadataNumOperands(u->module, CALLS_METADATA), length;
	VEC(LLVMValueRef) nodes = { 0 };

	if (n == 0)
		return;
	VEC_REACH(&nodes, n - 1);
	LLVMGetNamedMetadataOperands(u->module, CALLS_METADATA, nodes.at);
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef text;

		if (LLVMGetMDNodeNumOperands(nodes.at[i]) != 1)
			continue;
		LLVMGetMDNodeOperands(nodes.at[i], &text);
		sites_add_entry(u, LLVMGetMDString(text, &length));
	}
	VEC_RELEASE(&nodes);
}

/* ---- what a call says by its arguments ---- */

const char *calls_string(LLVMValueRef p)
{
	LLVMValueRef g = escape_base(p), text;
	size_t n;

	if (!LLVMIsAGlobalVariable(g) || !(text = LLVMGetInitializer(g)) ||
	    !LLVMIsAConstantDataArray(text) || !LLVMIsConstantString(text))
		return NULL;
	return LLVMGetAsString(text, &n);
}

/* X: the argument of these functions, and what it is. */
static const struct {
	const char *function;
	unsigned argument;
	uint8_t flag;
} said[] = {
	{ "pthread_create", 2, FORESEE_SITE_ROUTINE },
	{ "thrd_create", 1, FORESEE_SITE_ROUTINE },
	{ "foresee_variable", 2, FORESEE_SITE_NAMING },
	{ "foresee_internal", 0, FORESEE_SITE_NAMING },
};

static uint32_t routine_name(struct unit *u, LLVMValueRef p)
{
	LLVMValueRef f = escape_base(p);
	LLVMMetadataRef subprogram;

	if (!LLVMIsAFunction(f))
		return 0;
	subprogram = LLVMGetSubprogram(f);
	return subprogram ? names_function(u, subprogram) : unit_string(u, unit_name(f));
}

void calls_add_said(struct unit *u, LLVMValueRef call, struct foresee_site *s)
{
	LLVMValueRef callee = unit_callee(call), argument;
	const char *name;
	uint32_t id;

	if (!callee)
		return;
	name = unit_name(callee);
	for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++) {
		if (strcmp(name, said[i].function) != 0 ||
		    LLVMGetNumArgOperands(call) <= said[i].argument)
			continue;
		argument = LLVMGetOperand(call, said[i].argument);
		id = said[i].flag == FORESEE_SITE_ROUTINE ? routine_name(u, argument)
							  : unit_string(u, calls_string(argument));
		s->variable = (const char *)(uintptr_t)id;
		s->flags |= said[i].flag;
	}
}
