/*
 * Variables that stay what the source says.
 *
 * Of a static variable whose uses it sees, the optimiser makes what it likes: a struct becomes
 * loose members (`cabin.0', `cabin.2'), a flag a single byte, and a variable that is written and
 * never read goes away.  Specifications name variables as the source does, and what is written
 * and never read is often what they are about: the state of a controller.
 *
 * So they are marked as used, which has no other cost.  Those that are only read may become
 * constants as before: they order nothing.
 */
#include "instrument/unit_priv.h"

#define KEEP_DEPTH 16u /* of addresses made of addresses */

/* Is nothing done with the address but to load from it? */
static bool is_only_read(LLVMValueRef address, unsigned depth)
{
	for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		LLVMOpcode op = LLVMIsAInstruction(user)    ? LLVMGetInstructionOpcode(user)
				: LLVMIsAConstantExpr(user) ? LLVMGetConstOpcode(user)
							    : LLVMRet;

		if (op == LLVMLoad)
			continue;
		if ((op != LLVMGetElementPtr && op != LLVMBitCast) || depth == 0 ||
		    !is_only_read(user, depth - 1))
			return false;
	}
	return true;
}

static bool is_kept(LLVMValueRef g)
{
	LLVMLinkage linkage = LLVMGetLinkage(g);

	return (linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage) &&
	       LLVMGetInitializer(g) && !LLVMIsGlobalConstant(g) && !LLVMIsThreadLocal(g) &&
	       names_global(g) && !is_only_read(g, KEEP_DEPTH);
}

void keep_variables(LLVMModuleRef m)
{
	VEC(LLVMValueRef) kept = { 0 };

	for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g))
		if (is_kept(g))
			*VEC_PUSH(&kept) = g;
	if (kept.n)
		extra_keep(m, kept.at, kept.n);
	VEC_RELEASE(&kept);
}
