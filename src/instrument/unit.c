/*
 * The unit: types, hook declarations, strings, and questions about calls.
 */
#include "instrument/unit_priv.h"

/* Does the unit unmask floating point exceptions, or ask which were raised? */
static bool module_sees_fp(LLVMModuleRef m)
{
	static const char *const names[] = {
		"feenableexcept", "fesetenv",	     "feupdateenv",
		"fetestexcept",	  "fegetexceptflag", "llvm.x86.sse.ldmxcsr",
		"fegetenv",	  "feholdexcept",    "llvm.x86.sse.stmxcsr",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (LLVMGetNamedFunction(m, names[i]))
			return true;
	return false;
}

void unit_init(struct unit *u, LLVMModuleRef m)
{
	*u = (struct unit){ .module = m, .context = LLVMGetModuleContext(m) };
	u->builder = LLVMCreateBuilderInContext(u->context);
	u->layout = LLVMGetModuleDataLayout(m);
	u->i8 = LLVMInt8TypeInContext(u->context);
	u->i16 = LLVMInt16TypeInContext(u->context);
	u->i32 = LLVMInt32TypeInContext(u->context);
	u->i64 = LLVMInt64TypeInContext(u->context);
	u->pointer = LLVMPointerType(u->i8, 0);
	u->nothing = LLVMVoidTypeInContext(u->context);
	u->strings = intern_new();
	u->base = unit_global(u, u->i32, unit_int(u->i32, 0), "foresee.base", false);
	twin_begin(u);
	u->self = LLVMGetNamedGlobal(m, "foresee_self");
	if (!u->self) {
		u->self = LLVMAddGlobal(m, u->pointer, "foresee_self");
		LLVMSetThreadLocalMode(u->self, LLVMInitialExecTLSModel);
	}
	u->fp_traps = module_sees_fp(m);
	VEC_PUSH(&u->sites)[0] = (struct foresee_site){ 0 }; /* site 0: unknown */
}

void unit_release(struct unit *u)
{
	LLVMDisposeBuilder(u->builder);
	intern_free(u->strings);
	MAP_RELEASE_ALL(&u->in_sight, &u->frozen, &u->twins_of, &u->ignored, &u->seen, &u->bytes,
			&u->files, &u->inlined, &u->structs);
	VEC_RELEASE_ALL(&u->twins, &u->functions, &u->string_values, &u->sites);
}

LLVMValueRef unit_int(LLVMTypeRef type, uint64_t value)
{
	return LLVMConstInt(type, value, 0);
}

LLVMValueRef unit_null(const struct unit *u)
{
	return LLVMConstNull(u->pointer);
}

LLVMValueRef unit_pointer(struct unit *u, LLVMValueRef p)
{
	return LLVMIsConstant(p) ? LLVMConstBitCast(p, u->pointer)
				 : LLVMBuildBitCast(u->builder, p, u->pointer, "");
}

LLVMValueRef unit_global(struct unit *u, LLVMTypeRef type, LLVMValueRef init, const char *name,
			 bool constant)
{
	LLVMValueRef g = LLVMAddGlobal(u->module, type, name);

	LLVMSetInitializer(g, init);
	LLVMSetLinkage(g, LLVMPrivateLinkage);
	LLVMSetGlobalConstant(g, constant);
	return g;
}

unsigned unit_attribute(const char *name)
{
	return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

static LLVMAttributeRef attribute_get(const struct unit *u, const char *name)
{
	return LLVMCreateEnumAttribute(u->context, unit_attribute(name), 0);
}

/* The x86-64 convention: the caller extends narrow integers. */
static bool type_is_narrow(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) < 32;
}

LLVMValueRef unit_hook(struct unit *u, const char *name, LLVMTypeRef returns, LLVMValueRef *args,
		       unsigned nargs)
{
	LLVMTypeRef types[9];
	LLVMTypeRef type;
	LLVMValueRef hook, call;

	assert(nargs <= 9);
	for (unsigned i = 0; i < nargs; i++)
		types[i] = LLVMTypeOf(args[i]);
	type = LLVMFunctionType(returns, types, nargs, 0);
	hook = LLVMGetNamedFunction(u->module, name);
	if (!hook) {
		hook = LLVMAddFunction(u->module, name, type);
		LLVMAddAttributeAtIndex(hook, LLVMAttributeFunctionIndex,
					attribute_get(u, "nounwind"));
		/* Called through the table of addresses, not by way of a stub. */
		LLVMAddAttributeAtIndex(hook, LLVMAttributeFunctionIndex,
					attribute_get(u, "nonlazybind"));
		for (unsigned i = 0; i < nargs; i++)
			if (type_is_narrow(types[i]))
				LLVMAddAttributeAtIndex(hook, i + 1, attribute_get(u, "zeroext"));
	}
	call = LLVMBuildCall2(u->builder, type, LLVMConstBitCast(hook, LLVMPointerType(type, 0)),
			      args, nargs, "");
	LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, attribute_get(u, "nounwind"));
	for (unsigned i = 0; i < nargs; i++)
		if (type_is_narrow(types[i]))
			LLVMAddCallSiteAttribute(call, i + 1, attribute_get(u, "zeroext"));
	return call;
}

uint32_t unit_string(struct unit *u, const char *s)
{
	return s && *s ? intern_add(u->strings, s, strlen(s)) : 0;
}

uint32_t unit_text(struct unit *u, struct strbuf *b)
{
	uint32_t id = unit_string(u, strbuf_str(b));

	strbuf_release(b);
	return id;
}

LLVMValueRef unit_string_value(struct unit *u, uint32_t id)
{
	const char *s = intern_str(u->strings, id);

	if (!s)
		return unit_null(u);
	while (u->string_values.n < id)
		*VEC_PUSH(&u->string_values) = NULL;
	if (!u->string_values.at[id - 1]) {
		LLVMValueRef text = LLVMConstStringInContext(u->context, s, (unsigned)strlen(s), 0);
		LLVMValueRef g = unit_global(u, LLVMTypeOf(text), text, "foresee.string", true);

		LLVMSetUnnamedAddress(g, LLVMGlobalUnnamedAddr);
		LLVMSetAlignment(g, 1);
		u->string_values.at[id - 1] = LLVMConstBitCast(g, u->pointer);
	}
	return u->string_values.at[id - 1];
}

bool unit_is_one_of(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

bool unit_has_prefix(const char *name, const char *prefix)
{
	return !strncmp(name, prefix, strlen(prefix));
}

bool unit_has_one_of(const char *name, const char *const *prefixes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (unit_has_prefix(name, prefixes[i]))
			return true;
	return false;
}

const char *unit_name(LLVMValueRef v)
{
	size_t n;

	return LLVMGetValueName2(v, &n);
}

LLVMValueRef unit_callee(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);

	while (LLVMIsAConstantExpr(callee) && LLVMGetConstOpcode(callee) == LLVMBitCast)
		callee = LLVMGetOperand(callee, 0);
	return LLVMIsAGlobalValue(callee) ? callee : NULL;
}

void unit_set_callee(LLVMValueRef call, LLVMValueRef callee)
{
	LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, callee);
}

const char *unit_intrinsic(LLVMValueRef inst)
{
	LLVMValueRef callee;

	if (!LLVMIsACallInst(inst) && !LLVMIsAInvokeInst(inst))
		return NULL;
	callee = LLVMGetCalledValue(inst);
	if (!LLVMIsAFunction(callee) || !LLVMGetIntrinsicID(callee))
		return NULL;
	return unit_name(callee);
}

bool unit_function_has(LLVMValueRef function, const char *attribute)
{
	unsigned kind = unit_attribute(attribute);

	return kind && LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind);
}

bool unit_call_has(LLVMValueRef call, const char *attribute)
{
	unsigned kind = unit_attribute(attribute);
	LLVMValueRef callee = unit_callee(call);

	return (kind && LLVMGetCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, kind)) ||
	       (callee && LLVMIsAFunction(callee) && unit_function_has(callee, attribute));
}

/* Instrumented code logs, so promises about memory no longer hold. */
void unit_strip_memory_attributes(LLVMValueRef v)
{
	static const char *const names[] = {
		"readnone",
		"readonly",
		"writeonly",
		"argmemonly",
		"inaccessiblememonly",
		"inaccessiblemem_or_argmemonly",
		"memory",
		"speculatable",
		"nosync",
		"nofree",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		unsigned kind = unit_attribute(names[i]);

		if (!kind)
			continue;
		if (LLVMIsAFunction(v))
			LLVMRemoveEnumAttributeAtIndex(v, LLVMAttributeFunctionIndex, kind);
		else
			LLVMRemoveCallSiteEnumAttribute(v, LLVMAttributeFunctionIndex, kind);
	}
}
