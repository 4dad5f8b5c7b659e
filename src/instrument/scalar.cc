/*
 * Loops, as LLVM's scalar evolution sees them (extra.h).
 */
#include "instrument/extra.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
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
	/* A number that is known before the loop, and found without a division. */
	bool isCheap(const SCEV *s)
	{
		return !isa<SCEVCouldNotCompute>(s) && s->getType()->isIntegerTy() &&
		       se.getTypeSizeInBits(s->getType()) <= 64 && canExpand(s) &&
		       !SCEVExprContains(s, [](const SCEV *part) {
			       auto *d = dyn_cast<SCEVUDivExpr>(part);
			       return d && !isa<SCEVConstant>(d->getRHS());
		       });
	}
	/* What is behind the loop is reached by way of its copy, too. */
	void passBy(BasicBlock *check, ValueToValueMapTy &map)
	{
		SmallVector<BasicBlock *, 4> exits;
		SmallVector<DomTreeNode *, 8> behind;

		loop->getUniqueExitBlocks(exits);
		for (BasicBlock *e : exits)
			for (PHINode &phi : e->phis())
				for (unsigned i = 0, n = phi.getNumIncomingValues(); i < n; i++) {
					Value *v = map.lookup(phi.getIncomingValue(i));
					phi.addIncoming(
						v ? v : phi.getIncomingValue(i),
						cast<BasicBlock>(map[phi.getIncomingBlock(i)]));
				}
		for (BasicBlock *b : loop->blocks())
			for (DomTreeNode *child : dt.getNode(b)->children())
				if (!loop->contains(child->getBlock()))
					behind.push_back(child);
		for (DomTreeNode *child : behind)
			dt.changeImmediateDominator(child, dt.getNode(check));
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

bool extra_loop_is_inner(void *analyses, LLVMBasicBlockRef loop, unsigned least)
{
	Known k(analyses, unwrap(loop));
	unsigned most;

	if (!k.loop || k.loop->getHeader() != k.block || !k.loop->getSubLoops().empty())
		return false;
	simplifyLoop(k.loop, &k.dt, &k.li, &k.se, nullptr, nullptr, false);
	formLCSSA(*k.loop, k.dt, &k.li, &k.se);
	most = k.se.getSmallConstantMaxTripCount(k.loop);
	return k.loop->isLoopSimplifyForm() && k.loop->isSafeToClone() &&
	       (most == 0 || most >= least) &&
	       k.isCheap(k.se.getSymbolicMaxBackedgeTakenCount(k.loop));
}

LLVMValueRef extra_loop_most(void *analyses, LLVMBasicBlockRef loop)
{
	Known k(analyses, unwrap(loop));
	const SCEV *taken = k.se.getSymbolicMaxBackedgeTakenCount(k.loop);

	return k.expand(k.se.getNoopOrZeroExtend(taken, k.wide()));
}

LLVMBasicBlockRef extra_loop_block(void *analyses, LLVMBasicBlockRef loop, unsigned i)
{
	Known k(analyses, unwrap(loop));

	return i < k.loop->getNumBlocks() ? wrap(k.loop->getBlocks()[i]) : nullptr;
}

bool extra_loop_stays(void *analyses, LLVMBasicBlockRef loop, LLVMValueRef p)
{
	Known k(analyses, unwrap(loop));
	const SCEV *s = k.se.getSCEV(unwrap(p));

	return k.se.isLoopInvariant(s, k.loop) && k.canExpand(s);
}

LLVMValueRef extra_loop_address(void *analyses, LLVMBasicBlockRef loop, LLVMValueRef p)
{
	Known k(analyses, unwrap(loop));

	return k.expand(k.se.getSCEV(unwrap(p)));
}

LLVMValueRef extra_loop_copy(void *analyses, LLVMBasicBlockRef loop)
{
	Known k(analyses, unwrap(loop));
	BasicBlock *check = k.loop->getLoopPreheader();
	BasicBlock *before = SplitBlock(check, check->getTerminator(), &k.dt, &k.li);
	SmallVector<BasicBlock *, 8> blocks;
	ValueToValueMapTy map;
	Loop *copy = cloneLoopWithPreheader(before, check, k.loop, map, "", &k.li, &k.dt, blocks);
	BranchInst *branch;

	remapInstructionsInBlocks(blocks, map);
	branch = BranchInst::Create(before, copy->getLoopPreheader(),
				    ConstantInt::getTrue(check->getContext()));
	ReplaceInstWithInst(check->getTerminator(), branch);
	k.passBy(check, map);
	k.se.forgetAllLoops();
	return wrap(branch);
}

/* The variable that the access is made of the name of: its number; n: of none.  False: that is not known. */
static bool whose(Instruction &i, LLVMValueRef *variables, size_t n, size_t *out)
{
	const Value *p = getLoadStorePointerOperand(&i);
	const Value *base = p != nullptr ? getUnderlyingObject(p, 0) : nullptr;

	if (base == nullptr || isa<SelectInst>(base))
		return false;
	*out = (size_t)(std::find(variables, variables + n, wrap(base)) - variables);
	return true;
}

static void mark(Instruction &i, unsigned kind, ArrayRef<Metadata *> scopes)
{
	if (!scopes.empty())
		i.setMetadata(kind, MDNode::concatenate(i.getMetadata(kind),
							MDNode::get(i.getContext(), scopes)));
}

void extra_loops_hoist(void *analyses, LLVMValueRef function, LLVMValueRef *variables, size_t n)
{
	auto &fam = *static_cast<FunctionAnalysisManager *>(analyses);
	Function &f = *unwrap<Function>(function);
	MDBuilder b(f.getContext());
	MDNode *domain = b.createAnonymousAliasScopeDomain("foresee");
	SmallVector<Metadata *, 8> scopes;
	size_t k;

	for (size_t i = 0; i < n; i++)
		scopes.push_back(b.createAnonymousAliasScope(domain));
	for (Instruction &i : instructions(f)) {
		if (!whose(i, variables, n, &k))
			continue;
		SmallVector<Metadata *, 8> others = scopes;

		if (k < n) {
			mark(i, LLVMContext::MD_alias_scope, scopes[k]);
			others.erase(others.begin() + (ptrdiff_t)k);
		}
		mark(i, LLVMContext::MD_noalias, others);
	}
	fam.invalidate(f, PreservedAnalyses::none());
#if LLVM_VERSION_MAJOR >= 15
	LICMPass licm{ LICMOptions() };
#else
	LICMPass licm;
#endif
	createFunctionToLoopPassAdaptor(std::move(licm), true).run(f, fam);
	fam.invalidate(f, PreservedAnalyses::none());
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
