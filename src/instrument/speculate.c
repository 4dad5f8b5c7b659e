/*
 * Loads that the program would not execute.  Of
 *
 *	if (atomic_load(&ready))
 *		v = data;
 *
 * the optimiser makes a load of `data' and a select: harmless in a register,
 * but recorded it is a race of a program that has none.
 *
 * An attribute keeps it from most of this.  It goes when the function has its
 * hooks, for it would also have every register saved at the entry, before it
 * is known which twin it goes on in.  entry.cc turns off
 * the promotion of a variable to a register around a loop, which loads it
 * before the loop whether or not the loop would; and the vectors of structures of which a loop reads
 * some members, for they are loaded with all that lies between.  What remains is
 *
 *	select c, (load p), (load q)	made of	load (select c, p, q)
 *
 * and is turned back here.  Where the program did load both, one value goes
 * unused, and a load whose value is not used may be left out.
 */
#include "instrument/unit_priv.h"

#define ATTRIBUTE "sanitize_thread"

void pass_start(LLVMModuleRef m)
{
	LLVMAttributeRef a =
		LLVMCreateEnumAttribute(LLVMGetModuleContext(m), unit_attribute(ATTRIBUTE), 0);

	calls_insert(m);
	marked_insert(m);
	keep_variables(m);
	vtable_keep(m);
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f))
			LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, a);
}

/* A recorded plain load for `inst' alone, with nothing between that could change what it sees. */
static bool is_arm(struct function *f, LLVMValueRef load, LLVMValueRef inst)
{
	LLVMUseRef use = LLVMGetFirstUse(load);

	if (!LLVMIsALoadInst(load) || !use || LLVMGetNextUse(use) || LLVMGetVolatile(load) ||
	    LLVMGetOrdering(load) != LLVMAtomicOrderingNotAtomic ||
	    LLVMGetInstructionParent(load) != LLVMGetInstructionParent(inst) ||
	    !escape_is_recorded(f, load, LLVMGetOperand(load, 0)))
		return false;
	for (LLVMValueRef i = LLVMGetNextInstruction(load); i != inst;
	     i = LLVMGetNextInstruction(i))
		if (!LLVMIsALoadInst(i) && plan_separates_loads(i))
			return false;
	return true;
}

static void undo(struct function *f, LLVMValueRef select)
{
	LLVMBuilderRef b = f->unit->builder;
	LLVMValueRef p[2], load;

	for (unsigned i = 0; i < 2; i++) {
		if (!is_arm(f, LLVMGetOperand(select, i + 1), select))
			return;
		p[i] = LLVMGetOperand(LLVMGetOperand(select, i + 1), 0);
	}
	if (LLVMTypeOf(p[0]) != LLVMTypeOf(p[1]))
		return;
	LLVMPositionBuilderBefore(b, select);
	load = LLVMBuildLoad2(b, LLVMTypeOf(select),
			      LLVMBuildSelect(b, LLVMGetOperand(select, 0), p[0], p[1], ""), "");
	LLVMSetAlignment(load, 1);
	p[0] = LLVMGetOperand(select, 1);
	p[1] = LLVMGetOperand(select, 2);
	LLVMReplaceAllUsesWith(select, load);
	LLVMInstructionEraseFromParent(select);
	LLVMInstructionEraseFromParent(p[0]);
	LLVMInstructionEraseFromParent(p[1]);
}

/* A select by vector chooses element by element: no pointer does that. */
static bool is_scalar_select(LLVMValueRef inst)
{
	return LLVMIsASelectInst(inst) &&
	       LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(inst, 0))) == LLVMIntegerTypeKind;
}

void speculate_over(struct function *f)
{
	LLVMRemoveEnumAttributeAtIndex(f->value, LLVMAttributeFunctionIndex,
				       unit_attribute(ATTRIBUTE));
}

void speculate_undo(struct function *f)
{
	UNIT_EACH(i, f->value)
		if (is_scalar_select(i))
			undo(f, i);
}
