/*
 * The plan of a function: each instruction that touches memory or runs other
 * code, and what becomes of it.  What is not in the plan is left as it is.
 */
#include "instrument/unit_priv.h"

/* Intrinsics that LLVM says touch memory, though none the program can see. */
static const char *const plan_silent[] = {
	"llvm.dbg.",
	"llvm.lifetime.",
	"llvm.invariant.",
	"llvm.assume",
	"llvm.va_",
	"llvm.stacksave",
	"llvm.stackrestore",
	"llvm.eh.",
	"llvm.prefetch",
	"llvm.experimental.noalias",
	"llvm.trap",
	"llvm.debugtrap",
	"llvm.ubsantrap",
	"llvm.sideeffect",
	"llvm.donothing",
	"llvm.launder.",
	"llvm.strip.",
	"llvm.objectsize",
	"llvm.expect",
	"llvm.annotation",
	"llvm.var.annotation",
	"llvm.ptr.annotation",
	"llvm.frameaddress",
	"llvm.returnaddress",
	"llvm.x86.sse2.pause",
	"llvm.x86.rdtsc",
	"llvm.readcyclecounter",
	"llvm.coro.",
	"llvm.localescape",
	"llvm.pseudoprobe",
	"llvm.instrprof",
	"llvm.type.",
	"llvm.get.rounding",
	"llvm.flt.rounds",
	"llvm.is.constant",
	"llvm.thread",
	"llvm.fake.use",
	"llvm.experimental.constrained",
};

LLVMValueRef plan_pointer(LLVMValueRef inst)
{
	return LLVMGetOperand(inst, LLVMIsAStoreInst(inst) ? 1 : 0);
}

LLVMTypeRef plan_type(LLVMValueRef inst)
{
	if (LLVMIsALoadInst(inst))
		return LLVMTypeOf(inst);
	return LLVMTypeOf(LLVMGetOperand(inst, LLVMIsAStoreInst(inst) ? 0 : 1));
}

/* Types whose bytes we know how to move. */
static bool type_is_movable(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMHalfTypeKind:
	case LLVMBFloatTypeKind:
	case LLVMFloatTypeKind:
	case LLVMDoubleTypeKind:
	case LLVMX86_FP80TypeKind:
	case LLVMFP128TypeKind:
	case LLVMIntegerTypeKind:
	case LLVMPointerTypeKind:
	case LLVMVectorTypeKind:
	case LLVMStructTypeKind:
	case LLVMArrayTypeKind:
		return LLVMTypeIsSized(type);
	default:
		return false;
	}
}

uint32_t plan_scalar_size(const struct unit *u, LLVMTypeRef type)
{
	uint64_t bits = LLVMSizeOfTypeInBits(u->layout, type);
	uint64_t size = LLVMStoreSizeOfType(u->layout, type);

	if (size != 1 && size != 2 && size != 4 && size != 8)
		return 0;
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind:
	case LLVMPointerTypeKind:
		return (uint32_t)size;
	case LLVMVectorTypeKind:
		if (LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMPointerTypeKind)
			return 0;
		/* fall through */
	case LLVMHalfTypeKind:
	case LLVMBFloatTypeKind:
	case LLVMFloatTypeKind:
	case LLVMDoubleTypeKind:
		return bits == 8 * size ? (uint32_t)size : 0;
	default:
		return 0;
	}
}

/* Can a hook do this atomic access? */
static bool atomic_is_modelled(const struct unit *u, LLVMValueRef inst)
{
	LLVMTypeRef type = plan_type(inst);
	uint32_t size = plan_scalar_size(u, type);

	if (LLVMIsAAtomicRMWInst(inst)) {
		const char *op = extra_rmw_name(inst);

		if (op[0] == 'f' && size != 4 && size != 8)
			return false;
#define X(id, name)            \
	if (!strcmp(op, name)) \
		return size > 0;
		FORESEE_RMW_OPS(X)
#undef X
		return false;
	}
	return size > 0 || (LLVMStoreSizeOfType(u->layout, type) == 16 &&
			    (LLVMIsAAtomicCmpXchgInst(inst) || LLVMGetAlignment(inst) >= 16));
}

static bool access_is_atomic(LLVMValueRef inst)
{
	return !(LLVMIsALoadInst(inst) || LLVMIsAStoreInst(inst)) ||
	       LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic;
}

static struct record *plan_add(struct function *f, LLVMValueRef inst, enum action action)
{
	struct record *r = VEC_PUSH(&f->records);

	*r = (struct record){ .inst = inst, .action = action };
	*map_put(&f->by_inst, (uintptr_t)inst, NULL) = f->records.n - 1;
	return r;
}

struct record *plan_find(const struct function *f, LLVMValueRef inst)
{
	uint64_t *i = map_get(&f->by_inst, (uintptr_t)inst);

	return i ? &f->records.at[*i] : NULL;
}

static void plan_access(struct function *f, LLVMValueRef inst, enum action action)
{
	struct record *r;

	if (!escape_is_recorded(f, inst, plan_pointer(inst)))
		return;
	if (!type_is_movable(plan_type(inst)) ||
	    (access_is_atomic(inst) && !atomic_is_modelled(f->unit, inst)))
		action = ACT_UNSEEN;
	r = plan_add(f, inst, action);
	r->is_volatile = LLVMGetVolatile(inst);
}

static void plan_copy(struct function *f, LLVMValueRef inst)
{
	bool to = escape_is_recorded(f, inst, LLVMGetOperand(inst, 0));
	bool from = escape_is_recorded(f, inst, LLVMGetOperand(inst, 1));
	struct record *r;

	if (!to && !from)
		return;
	r = plan_add(f, inst, to ? from ? ACT_COPY : ACT_PUT : ACT_FETCH);
	r->is_volatile = LLVMConstIntGetZExtValue(LLVMGetOperand(inst, 3)) != 0;
}

static void plan_intrinsic(struct function *f, LLVMValueRef inst, const char *name)
{
	if (unit_has_prefix(name, "llvm.memcpy.p") ||
	    unit_has_prefix(name, "llvm.memcpy.inline.") ||
	    unit_has_prefix(name, "llvm.memmove.p")) {
		plan_copy(f, inst);
		return;
	}
	if (unit_has_prefix(name, "llvm.memset.p") ||
	    unit_has_prefix(name, "llvm.memset.inline.")) {
		if (escape_is_recorded(f, inst, LLVMGetOperand(inst, 0)))
			plan_add(f, inst, ACT_FILL)->is_volatile =
				LLVMConstIntGetZExtValue(LLVMGetOperand(inst, 3)) != 0;
		return;
	}
	if (!UNIT_HAS_ONE_OF(name, plan_silent) && extra_touches_memory(inst))
		plan_add(f, inst, ACT_UNSEEN);
}

static void plan_call(struct function *f, LLVMValueRef inst)
{
	const char *name = unit_intrinsic(inst);

	if (name) {
		plan_intrinsic(f, inst, name);
	} else if (LLVMIsAInlineAsm(LLVMGetCalledValue(inst))) {
		if (extra_asm_touches_memory(inst))
			plan_add(f, inst, ACT_UNSEEN);
	} else if (!call_is_pure(inst)) {
		plan_add(f, inst, ACT_CALL);
	}
}

static void plan_instruction(struct function *f, LLVMValueRef inst)
{
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMLoad:
		plan_access(f, inst, ACT_READ);
		break;
	case LLVMStore:
		plan_access(f, inst, ACT_WRITE);
		break;
	case LLVMAtomicRMW:
		plan_access(f, inst, ACT_RMW);
		break;
	case LLVMAtomicCmpXchg:
		plan_access(f, inst, ACT_CAS);
		break;
	case LLVMFence:
		if (!extra_is_one_thread(inst))
			plan_add(f, inst, ACT_FENCE);
		break;
	case LLVMCall:
	case LLVMInvoke:
	case LLVMCallBr:
		plan_call(f, inst);
		break;
	default:
		if (extra_touches_memory(inst))
			plan_add(f, inst, ACT_UNSEEN);
		break;
	}
}

bool plan_returns_twice(LLVMValueRef call)
{
	const char *name = unit_intrinsic(call);

	/* LLVM does not mark its own intrinsics. */
	if (name && unit_has_prefix(name, "llvm.eh.sjlj.setjmp"))
		return true;
	return (LLVMIsACallInst(call) || LLVMIsAInvokeInst(call)) &&
	       unit_call_has(call, "returns_twice");
}

bool plan_calls_setjmp(LLVMValueRef function)
{
	UNIT_EACH(i, function)
		if (plan_returns_twice(i))
			return true;
	return false;
}

void plan_make(struct function *f)
{
	UNIT_EACH(i, f->value)
		plan_instruction(f, i);
}

bool plan_separates_loads(LLVMValueRef inst)
{
	const char *name = unit_intrinsic(inst);

	if (name && (unit_has_prefix(name, "llvm.dbg.") || unit_has_prefix(name, "llvm.lifetime.")))
		return false;
	return LLVMIsACallInst(inst) || extra_touches_memory(inst);
}

/*
 * A load that repeats the recorded load just before it, with nothing recorded
 * between, could have run with it: use the first one's value.  The facts come
 * later, so the one that stays answers for the uses of both.
 */
void plan_merge_loads(struct function *f)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f->value); b;
	     b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef last = NULL, next;

		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = next) {
			next = LLVMGetNextInstruction(i);
			if (!LLVMIsALoadInst(i)) {
				if (plan_separates_loads(i))
					last = NULL;
				continue;
			}
			if (!escape_is_recorded(f, i, LLVMGetOperand(i, 0)))
				continue;
			if (LLVMGetVolatile(i) || access_is_atomic(i)) {
				last = NULL;
			} else if (last && LLVMGetOperand(last, 0) == LLVMGetOperand(i, 0) &&
				   LLVMTypeOf(last) == LLVMTypeOf(i)) {
				LLVMReplaceAllUsesWith(i, last);
				LLVMInstructionEraseFromParent(i);
			} else {
				last = i;
			}
		}
	}
}
