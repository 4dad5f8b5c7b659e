/*
 * Destructors of classes with virtual functions begin with a store of the class's vtable pointer:
 *
 *	worker::~worker() { stop(); thread.join(); }		this->vptr = vtable of worker
 *							stop(); thread.join();
 *
 * Of an object whose own class it is, that pointer is there already, and a thread that calls its virtual
 * functions until it is joined does nothing wrong: to the language the pointer does not exist.  So
 * before the optimiser such a store is made to depend on what it would change:
 *
 *	if (this->vptr != vtable of worker)
 *		this->vptr = vtable of worker
 *
 * In the destructor of a base the class changes, and that is a race with whoever calls.
 */
#include "instrument/unit_priv.h"

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), k = strlen(end);

	return n > k && strcmp(name + n - k, end) == 0;
}

/* By its mangled name (Itanium C++ ABI 5.1.4.3); a function that is called D1 has no vtables to store. */
static bool is_destructor(LLVMValueRef f)
{
	const char *name = unit_name(f);

	return unit_has_prefix(name, "_Z") &&
	       (ends_with(name, "D0Ev") || ends_with(name, "D1Ev") || ends_with(name, "D2Ev"));
}

static bool stores_vtable(LLVMValueRef inst)
{
	LLVMValueRef base;

	if (!LLVMIsAStoreInst(inst) || LLVMGetVolatile(inst) ||
	    LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic)
		return false;
	base = escape_base(LLVMGetOperand(inst, 0));
	return LLVMIsAGlobalVariable(base) && (unit_has_prefix(unit_name(base), "_ZTV") ||
					       unit_has_prefix(unit_name(base), "_ZTC"));
}

/* What it says of itself, said of the other: aliases, and the place. */
static void take_after(LLVMValueRef inst, LLVMValueRef store)
{
	unsigned tbaa = LLVMGetMDKindID("tbaa", 4);
	LLVMValueRef alias = LLVMGetMetadata(store, tbaa);

	if (alias)
		LLVMSetMetadata(inst, tbaa, alias);
	LLVMSetAlignment(inst, LLVMGetAlignment(store));
}

static void mend(LLVMBuilderRef b, LLVMValueRef store)
{
	LLVMValueRef value = LLVMGetOperand(store, 0), p = LLVMGetOperand(store, 1), old, then;
	LLVMMetadataRef at = LLVMInstructionGetDebugLoc(store);

	LLVMPositionBuilderBefore(b, store);
	LLVMSetCurrentDebugLocation2(b, at);
	old = LLVMBuildLoad2(b, LLVMTypeOf(value), p, "");
	take_after(old, store);
	then = extra_branch_before(LLVMBuildICmp(b, LLVMIntNE, old, value, ""), store);
	LLVMPositionBuilderBefore(b, then);
	LLVMSetCurrentDebugLocation2(b, at);
	take_after(LLVMBuildStore(b, value, p), store);
	LLVMInstructionEraseFromParent(store);
}

void vtable_keep(LLVMModuleRef m)
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
	VEC(LLVMValueRef) stores = { 0 };

	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		if (LLVMIsDeclaration(f) || !is_destructor(f))
			continue;
		UNIT_EACH(i, f)
			if (stores_vtable(i))
				*VEC_PUSH(&stores) = i;
	}
	for (size_t i = 0; i < stores.n; i++)
		mend(b, stores.at[i]);
	VEC_RELEASE(&stores);
	LLVMDisposeBuilder(b);
}
