/*
 * Loops, as LLVM's scalar evolution sees them (extra.h).
 */
#include "instrument/extra.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

using namespace llvm;

namespace
{

/* What is known of the function that a block is in. */
struct Known {
	ScalarEvolution &se;
	LoopInfo &li;
	DominatorTree &dt;
	BasicBlock *block;
	Loop *loop;

	Known(void *analyses, BasicBlock *b)
	    : Known(*static_cast<FunctionAnalysisManager *>(analyses), b)
	{
	}
	Known(FunctionAnalysisManager &fam, BasicBlock *b)
	    : se(fam.getResult<ScalarEvolutionAnalysis>(*b->getParent())),
	      li(fam.getResult<LoopAnalysis>(*b->getParent())),
	      dt(fam.getResult<DominatorTreeAnalysis>(*b->getParent())), block(b),
	      loop(li.getLoopFor(b))
	{
	}
	const SCEVAddRecExpr *walk(Value *p)
	{
		auto *r = dyn_cast<SCEVAddRecExpr>(se.getSCEV(p));

		return r && r->getLoop() == loop && r->isAffine() ? r : nullptr;
	}
	Instruction *end()
	{
		return loop->getLoopPreheader()->getTerminator();
	}
	bool canExpand(const SCEV *s)
	{
#if LLVM_VERSION_MAJOR >= 15
		return SCEVExpander(se, block->getModule()->getDataLayout(), "foresee")
			.isSafeToExpandAt(s, end());
#else
		return isSafeToExpandAt(s, end(), se);
#endif
	}
	LLVMValueRef expand(const SCEV *s)
	{
		SCEVExpander e(se, block->getModule()->getDataLayout(), "foresee");

		return wrap(e.expandCodeFor(s, s->getType(), end()));
	}
	Type *wide()
	{
		return Type::getInt64Ty(block->getContext());
	}
};

BasicBlock *block_of(LLVMValueRef v)
{
	return cast<Instruction>(unwrap(v))->getParent();
}

} // namespace

void extra_loops_begin(void *analyses, LLVMValueRef function)
{
	auto &fam = *static_cast<FunctionAnalysisManager *>(analyses);

	fam.invalidate(*unwrap<Function>(function), PreservedAnalyses::none());
}

LLVMValueRef extra_loop_find(void *analyses, LLVMBasicBlockRef loop, unsigned least,
			     LLVMBasicBlockRef *after)
{
	Known k(analyses, unwrap(loop));
	unsigned most;

	if (!k.loop || k.loop->getHeader() != k.block || k.loop->getNumBlocks() != 1)
		return nullptr;
	simplifyLoop(k.loop, &k.dt, &k.li, &k.se, nullptr, nullptr, false);
	formLCSSA(*k.loop, k.dt, &k.li, &k.se);
	if (!k.loop->isLoopSimplifyForm() || !k.loop->getExitBlock())
		return nullptr;
	most = k.se.getSmallConstantMaxTripCount(k.loop);
	const SCEV *taken = k.se.getBackedgeTakenCount(k.loop);
	if ((most != 0 && most < least) || isa<SCEVCouldNotCompute>(taken) ||
	    !taken->getType()->isIntegerTy() || k.se.getTypeSizeInBits(taken->getType()) > 64 ||
	    !k.canExpand(taken))
		return nullptr;
	*after = wrap(k.loop->getExitBlock());
	return wrap(k.end());
}

LLVMValueRef extra_loop_count(void *analyses, LLVMBasicBlockRef loop)
{
	Known k(analyses, unwrap(loop));
	const SCEV *taken = k.se.getBackedgeTakenCount(k.loop);

	return k.expand(
		k.se.getAddExpr(k.se.getNoopOrZeroExtend(taken, k.wide()), k.se.getOne(k.wide())));
}

bool extra_loop_walks(void *analyses, LLVMBasicBlockRef loop, LLVMValueRef p, int64_t *stride)
{
	Known k(analyses, unwrap(loop));
	const SCEVAddRecExpr *r = k.walk(unwrap(p));

	if (!r || !k.canExpand(r->getStart()) || !k.canExpand(r->getStepRecurrence(k.se)))
		return false;
	auto *step = dyn_cast<SCEVConstant>(r->getStepRecurrence(k.se));
	*stride = step ? step->getAPInt().getSExtValue() : 0;
	return k.se.getTypeSizeInBits(r->getType()) == 64;
}

bool extra_loop_distance(void *analyses, LLVMValueRef a, LLVMValueRef b, int64_t *distance)
{
	Known k(analyses, block_of(a));
	const SCEV *d = k.se.getMinusSCEV(k.se.getSCEV(unwrap(b)), k.se.getSCEV(unwrap(a)));
	auto *constant = dyn_cast<SCEVConstant>(d);

	if (constant)
		*distance = constant->getAPInt().getSExtValue();
	return constant != nullptr;
}

LLVMValueRef extra_loop_start(void *analyses, LLVMBasicBlockRef loop, LLVMValueRef p)
{
	Known k(analyses, unwrap(loop));

	return k.expand(k.walk(unwrap(p))->getStart());
}

LLVMValueRef extra_loop_stride(void *analyses, LLVMBasicBlockRef loop, LLVMValueRef p)
{
	Known k(analyses, unwrap(loop));

	return k.expand(k.walk(unwrap(p))->getStepRecurrence(k.se));
}

LLVMBasicBlockRef extra_clone_block(LLVMBasicBlockRef loop)
{
	BasicBlock *from = unwrap(loop);
	ValueToValueMapTy map;
	BasicBlock *to = CloneBasicBlock(from, map, "", from->getParent());

	map[from] = to;
	for (auto next = to->begin(); next != to->end();) {
		Instruction *i = &*next++;

#if LLVM_VERSION_MAJOR >= 19
		i->dropDbgRecords();
#endif
		if (isa<DbgInfoIntrinsic>(i))
			i->eraseFromParent();
		else
			RemapInstruction(i, map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
	}
	return wrap(to);
}
