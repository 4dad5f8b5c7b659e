/*
 * x++, x += c, x -= c: a load, an addition, and a store of the sum in the same place, that one hook does.
 *
 * Nothing between the two touches memory or calls, so the store could as well be right behind the load.  They
 * stay two events, with a site each; what another thread may do between them is for the runtime to see
 * (capture/word.h).
 */
#include "instrument/unit_priv.h"

/* The next instruction that touches memory, if it is a store. */
static LLVMValueRef store_behind(LLVMValueRef load)
{
	LLVMValueRef i = load;

	do
		i = LLVMGetNextInstruction(i);
	while (i && !LLVMIsAStoreInst(i) && !plan_separates_loads(i));
	return i && LLVMIsAStoreInst(i) ? i : NULL;
}

/* What is there at an instruction between the two: was it already before the load? */
static bool is_older(LLVMValueRef v, LLVMValueRef load, LLVMValueRef between)
{
	for (LLVMValueRef i = load; i != between; i = LLVMGetNextInstruction(i))
		if (i == v)
			return false;
	return true;
}

/* What is added to the load; NULL: the value is no such sum. */
static LLVMValueRef addend_of(struct unit *u, LLVMValueRef load, LLVMValueRef sum)
{
	bool adds = LLVMIsAInstruction(sum) && LLVMGetInstructionOpcode(sum) == LLVMAdd;
	bool subtracts = LLVMIsAInstruction(sum) && LLVMGetInstructionOpcode(sum) == LLVMSub;
	bool second = adds && LLVMGetOperand(sum, 1) == load;
	LLVMValueRef addend;

	if (!(adds || subtracts) || LLVMGetOperand(sum, second) != load)
		return NULL;
	addend = LLVMGetOperand(sum, !second);
	if (!is_older(addend, load, sum))
		return NULL;
	return subtracts ? LLVMBuildNeg(u->builder, addend, "") : addend;
}

/* An integer that is all of its bytes. */
static bool is_number(const struct unit *u, LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind &&
	       LLVMGetIntTypeWidth(type) == 8 * plan_scalar_size(u, type);
}

struct record *update_find(struct function *f, const struct record *r, LLVMValueRef *addend)
{
	LLVMValueRef p = plan_pointer(r->inst), store = store_behind(r->inst);
	struct record *w = store ? plan_find(f, store) : NULL;

	if (!w || f->twin_of || r->tested || r->late || w->action != ACT_WRITE ||
	    plan_is_atomic_access(w) || plan_pointer(store) != p ||
	    plan_type(store) != plan_type(r->inst) || !is_number(f->unit, plan_type(store)) ||
	    w->feeds != (r->free ? 1ull << r->keeper : 0) || frozen_is(f->unit, p))
		return NULL;
	*addend = addend_of(f->unit, r->inst, LLVMGetOperand(store, 0));
	return *addend ? w : NULL;
}
