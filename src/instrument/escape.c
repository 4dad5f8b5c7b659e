/*
 * Which memory only this activation can reach.
 *
 * An alloca (or byval argument, which is a copy of our own) is private when
 * every use is a plain access, a memory intrinsic, address arithmetic that is
 * itself so used, or something that looks at the address only.  A use we do
 * not know makes it shared.
 *
 * Why not LLVM's capture tracking: a callee that merely does not keep the
 * pointer still reads and writes through it, with hooks.  Memory is either
 * recorded by all or by none, or reads-from breaks.  For the same reason a
 * pointer merged by phi or select is shared: its accesses could not tell.
 */
#include "instrument/unit_priv.h"

/* Uses nested deeper than this are called escapes. */
#define ESCAPE_DEPTH 16

static LLVMOpcode opcode_of(LLVMValueRef v)
{
	if (LLVMIsAInstruction(v))
		return LLVMGetInstructionOpcode(v);
	if (LLVMIsAConstantExpr(v))
		return LLVMGetConstOpcode(v);
	return (LLVMOpcode)0;
}

LLVMValueRef escape_base(LLVMValueRef p)
{
	for (;;) {
		LLVMOpcode op = opcode_of(p);
		const char *name = op == LLVMCall ? unit_intrinsic(p) : NULL;

		if (op != LLVMGetElementPtr && op != LLVMBitCast &&
		    !(name && unit_has_prefix(name, "llvm.threadlocal.address")))
			return p;
		p = LLVMGetOperand(p, 0);
	}
}

/* Is v passed only as byval, so that the callee sees a copy? */
static bool call_copies(LLVMValueRef call, LLVMValueRef v)
{
	unsigned nargs = LLVMGetNumArgOperands(call);

	for (unsigned i = 0; i < nargs; i++)
		if (LLVMGetOperand(call, i) == v &&
		    !LLVMGetCallSiteEnumAttribute(call, i + 1, unit_attribute("byval")))
			return false;
	return LLVMGetCalledValue(call) != v;
}

static bool call_keeps_private(LLVMValueRef call, LLVMValueRef v)
{
	static const char *const harmless[] = {
		"llvm.lifetime.", "llvm.invariant.",	 "llvm.va_start",	"llvm.va_end",
		"llvm.va_copy",	  "llvm.memcpy.p",	 "llvm.memcpy.inline.", "llvm.memmove.p",
		"llvm.memset.p",  "llvm.memset.inline.", "llvm.dbg.",
	};
	const char *name = unit_intrinsic(call);

	return name ? UNIT_HAS_ONE_OF(name, harmless) : call_copies(call, v);
}

static bool stays_private(LLVMValueRef v, unsigned depth)
{
	if (depth > ESCAPE_DEPTH)
		return false;
	for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);

		switch (opcode_of(user)) {
		case LLVMLoad:
		case LLVMICmp:
			break;
		case LLVMStore:
		case LLVMAtomicRMW:
		case LLVMAtomicCmpXchg:
			if (LLVMGetOperand(user, LLVMIsAStoreInst(user) ? 0 : 1) == v)
				return false;
			if (LLVMIsAAtomicCmpXchgInst(user) && LLVMGetOperand(user, 2) == v)
				return false;
			break;
		case LLVMGetElementPtr:
		case LLVMBitCast:
			if (LLVMGetTypeKind(LLVMTypeOf(user)) != LLVMPointerTypeKind ||
			    !stays_private(user, depth + 1))
				return false;
			break;
		case LLVMCall:
		case LLVMInvoke:
			if (!call_keeps_private(user, v))
				return false;
			break;
		default:
			return false;
		}
	}
	return true;
}

static bool is_byval_argument(const struct function *f, LLVMValueRef v)
{
	unsigned n = LLVMCountParams(f->value);

	if (!LLVMIsAArgument(v))
		return false;
	for (unsigned i = 0; i < n; i++)
		if (LLVMGetParam(f->value, i) == v)
			return LLVMGetEnumAttributeAtIndex(f->value, i + 1,
							   unit_attribute("byval"));
	return false;
}

static bool base_is_private(struct function *f, LLVMValueRef base)
{
	bool fresh;
	uint64_t *known;

	if (!LLVMIsAAllocaInst(base) && !is_byval_argument(f, base))
		return false;
	known = map_put(&f->private, (uintptr_t)base, &fresh);
	if (fresh)
		*known = stays_private(base, 0) ? 2 : 1;
	return *known == 2;
}

static bool is_va_list(LLVMTypeRef type)
{
	const char *name;

	if (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
		type = LLVMGetElementType(type);
	if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
		return false;
	name = LLVMGetStructName(type);
	return name && unit_has_prefix(name, "struct.__va_list_tag");
}

/* Is p a variable of the function that leads to a va_list, by debug information? */
static bool leads_to_va_list(LLVMValueRef p)
{
	LLVMMetadataRef variable = extra_local_variable(p, false, 0), type;
	unsigned depth = 0;

	type = variable ? extra_type_of(variable) : NULL;
	for (; type && depth < 8; type = extra_type_of(type), depth++)
		if (extra_name(type) && unit_has_prefix(extra_name(type), "__va_list_tag"))
			return true;
	return false;
}

/* Does p point at a member of a va_list, wherever that lies?  Later optimisers count bytes instead of
 * naming members. */
static bool is_va_member(LLVMValueRef p)
{
	while (opcode_of(p) == LLVMBitCast)
		p = LLVMGetOperand(p, 0);
	if (opcode_of(p) == LLVMGetElementPtr && is_va_list(LLVMGetGEPSourceElementType(p)))
		return true;
	return LLVMIsAArgument(escape_base(p)) && leads_to_va_list(escape_base(p));
}

/*
 * Arguments of a variadic call lie in memory of one activation that the call
 * sequence wrote, unseen; they are as private as other arguments, to the functions too that are
 * given the va_list.  A pointer into them comes from the va_list, perhaps around a loop: `seen'
 * holds the phis being looked at.
 */
static bool is_variadic_area(struct function *f, LLVMValueRef p, struct map *seen)
{
	LLVMValueRef base = escape_base(p);
	bool fresh;

	if (LLVMIsAPHINode(base)) {
		unsigned n = LLVMCountIncoming(base);

		map_put(seen, (uintptr_t)base, &fresh);
		if (seen->n > ESCAPE_DEPTH)
			return false;
		for (unsigned i = 0; fresh && i < n; i++)
			if (!is_variadic_area(f, LLVMGetIncomingValue(base, i), seen))
				return false;
		return true;
	}
	if (!LLVMIsALoadInst(base))
		return false;
	if (is_va_member(LLVMGetOperand(base, 0)))
		return true;
	base = escape_base(LLVMGetOperand(base, 0));
	return LLVMIsAAllocaInst(base) && is_va_list(LLVMGetAllocatedType(base)) &&
	       base_is_private(f, base);
}

bool escape_is_private(struct function *f, LLVMValueRef p)
{
	struct map seen = { 0 };
	bool private;

	if (base_is_private(f, escape_base(p)))
		return true;
	private = is_variadic_area(f, p, &seen);
	map_release(&seen);
	return private;
}

/* A variable of libc, which libc writes unseen. */
static bool is_libc_variable(LLVMValueRef base)
{
	static const char *const names[] = {
		"optarg",   "optind",	 "opterr",     "optopt",   "tzname",
		"__tzname", "timezone",	 "__timezone", "daylight", "__daylight",
		"environ",  "__environ", "signgam",
	};

	if (!LLVMIsAGlobalVariable(base) || !LLVMIsDeclaration(base))
		return false;
	return UNIT_IS_ONE_OF(unit_name(base), names);
}

/* Is it (or is it loaded from) what __errno_location and its like return? */
static bool is_libc_own(LLVMValueRef base)
{
	static const char *const names[] = {
		"__errno_location",
		"__ctype_b_loc",
		"__ctype_tolower_loc",
		"__ctype_toupper_loc",
	};
	LLVMValueRef callee;

	if (is_libc_variable(base))
		return true;
	if (LLVMIsALoadInst(base))
		base = escape_base(LLVMGetOperand(base, 0));
	if (!LLVMIsACallInst(base) || !(callee = unit_callee(base)))
		return false;
	return UNIT_IS_ONE_OF(unit_name(callee), names);
}

/* Kinds are numbered by context; what is this one's here may be another's there. */
static bool has_metadata(LLVMValueRef inst, const char *kind)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(inst));
	unsigned id = LLVMGetMDKindIDInContext(context, kind, (unsigned)strlen(kind));

	return LLVMGetMetadata(inst, id) != NULL;
}

/* A load of an object's vtable pointer, by its alias class: what it points at is constant. */
static bool is_vtable(LLVMValueRef inst)
{
	LLVMValueRef tag = LLVMGetMetadata(inst, LLVMGetMDKindID("tbaa", 4));
	LLVMValueRef ops[4], names[4];
	const char *name;
	unsigned n;

	if (!LLVMIsALoadInst(inst) || !tag)
		return false;
	n = LLVMGetMDNodeNumOperands(tag);
	if (n < 3 || n > 4)
		return false;
	LLVMGetMDNodeOperands(tag, ops);
	if (!ops[0] || !LLVMIsAMDNode(ops[0]) || LLVMGetMDNodeNumOperands(ops[0]) > 4)
		return false;
	LLVMGetMDNodeOperands(ops[0], names);
	name = names[0] && LLVMIsAMDString(names[0]) ? LLVMGetMDString(names[0], &n) : NULL;
	return name && n == strlen("vtable pointer") && !strncmp(name, "vtable pointer", n);
}

static bool is_of_tools(LLVMValueRef global)
{
	static const char *const prefixes[] = {
		"__llvm_",	     "__prof",	 "__sancov", "__asan", "__tsan",
		"__stack_chk_guard", "foresee.",
	};

	return UNIT_HAS_ONE_OF(unit_name(global), prefixes);
}

bool escape_is_recorded(struct function *f, LLVMValueRef inst, LLVMValueRef p)
{
	LLVMValueRef base;

	if (LLVMGetPointerAddressSpace(LLVMTypeOf(p)) != 0)
		return false;
	base = escape_base(p);
	if (LLVMIsAGlobalVariable(base) && (LLVMIsGlobalConstant(base) || is_of_tools(base)))
		return false;
	if (has_metadata(inst, "nosanitize"))
		return false;
	if (LLVMIsALoadInst(inst) && (has_metadata(inst, "invariant.load") || is_vtable(base)))
		return false;
	return !escape_is_private(f, p) && !is_libc_own(base);
}
