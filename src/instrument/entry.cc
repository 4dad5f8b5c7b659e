/*
 * Registers the pass with clang, and answers what LLVM-C cannot (extra.h).
 *
 * With scalar.cc the only C++ of the project: each function is a call or two of LLVM, with
 * no decision of ours in it.
 */
#include "instrument/extra.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

using namespace llvm;

namespace
{

struct ForeseePass : PassInfoMixin<ForeseePass> {
	PreservedAnalyses run(Module &m, ModuleAnalysisManager &mam)
	{
		pass_run(wrap(&m),
			 &mam.getResult<FunctionAnalysisManagerModuleProxy>(m).getManager());
		return PreservedAnalyses::none();
	}
	static bool isRequired()
	{
		return true;
	} /* also at -O0 */
};

struct ForeseeStart : PassInfoMixin<ForeseeStart> {
	PreservedAnalyses run(Module &m, ModuleAnalysisManager &)
	{
		pass_start(wrap(&m));
		return PreservedAnalyses::none();
	}
	static bool isRequired()
	{
		return true;
	}
};

/* See speculate.c. */
void disable_promotion()
{
	cl::Option *option = cl::getRegisteredOptions().lookup("disable-licm-promotion");

	if (option)
		static_cast<cl::opt<bool> *>(option)->setValue(true);
}

/* See speculate.c.  What the option's value is counts only where it has been given. */
void disable_wide_loads()
{
	const char *name = "enable-interleaved-mem-accesses";
	cl::Option *option = cl::getRegisteredOptions().lookup(name);

	if (option && option->getNumOccurrences() == 0)
		option->addOccurrence(0, name, "false");
}

template <class T> T *node(LLVMMetadataRef md)
{
	return md ? dyn_cast<T>(unwrap(md)) : nullptr;
}

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK __attribute__((visibility("default"))) PassPluginLibraryInfo
llvmGetPassPluginInfo()
{
	return { LLVM_PLUGIN_API_VERSION, "foresee", "1", [](PassBuilder &pb) {
			disable_promotion();
			disable_wide_loads();
			pb.registerPipelineStartEPCallback(
				[](ModulePassManager &mpm, OptimizationLevel) {
					mpm.addPass(ForeseeStart());
				});
			pb.registerOptimizerLastEPCallback(
				[](ModulePassManager &mpm, OptimizationLevel) {
					mpm.addPass(ForeseePass());
				});
		} };
}

void extra_promote(void *analyses, LLVMValueRef function)
{
	auto &fam = *static_cast<FunctionAnalysisManager *>(analyses);
	Function &f = *unwrap<Function>(function);
#if LLVM_VERSION_MAJOR >= 16
	fam.invalidate(f, SROAPass(SROAOptions::PreserveCFG).run(f, fam));
#else
	fam.invalidate(f, SROAPass().run(f, fam));
#endif
}

int extra_order(LLVMValueRef inst, bool failure)
{
	Value *v = unwrap(inst);
	AtomicOrdering o = AtomicOrdering::SequentiallyConsistent;

	if (auto *load = dyn_cast<LoadInst>(v))
		o = load->getOrdering();
	else if (auto *store = dyn_cast<StoreInst>(v))
		o = store->getOrdering();
	else if (auto *rmw = dyn_cast<AtomicRMWInst>(v))
		o = rmw->getOrdering();
	else if (auto *fence = dyn_cast<FenceInst>(v))
		o = fence->getOrdering();
	else if (auto *cas = dyn_cast<AtomicCmpXchgInst>(v))
		o = failure ? cas->getFailureOrdering() : cas->getSuccessOrdering();
	return isStrongerThanUnordered(o) ? (int)toCABI(o) : __ATOMIC_RELAXED;
}

bool extra_is_one_thread(LLVMValueRef inst)
{
	auto *fence = dyn_cast<FenceInst>(unwrap(inst));

	return fence && fence->getSyncScopeID() == SyncScope::SingleThread;
}

const char *extra_rmw_name(LLVMValueRef inst)
{
	return AtomicRMWInst::getOperationName(unwrap<AtomicRMWInst>(inst)->getOperation()).data();
}

bool extra_touches_memory(LLVMValueRef inst)
{
	auto *i = unwrap<Instruction>(inst);
	auto *call = dyn_cast<CallBase>(i);

	return i->mayReadOrWriteMemory() && !(call && call->onlyAccessesInaccessibleMemory());
}

bool extra_asm_touches_memory(LLVMValueRef inst)
{
	auto *a = cast<InlineAsm>(unwrap<CallBase>(inst)->getCalledOperand());
	StringRef text = StringRef(a->getAsmString()).trim();

	if (text.empty() || text == "pause" || text == "nop" || text == "rep; nop" ||
	    text == "rep;nop")
		return false;
	for (const InlineAsm::ConstraintInfo &c : a->ParseConstraints()) {
		if (c.isIndirect)
			return true;
		for (const std::string &code : c.Codes)
			if (code == "{memory}" || code == "m" || code == "o" || code == "V" ||
			    code == "g" || code == "X" || code == "p")
				return true;
	}
	return false;
}

LLVMValueRef extra_after_call(LLVMValueRef inst)
{
	auto *i = unwrap<Instruction>(inst);
	auto *call = dyn_cast<CallInst>(i);
	auto *invoke = dyn_cast<InvokeInst>(i);

	if (invoke) {
		BasicBlock *to = invoke->getNormalDest();

		if (!to->getSinglePredecessor())
			to = SplitEdge(invoke->getParent(), to);
		return wrap(&*to->getFirstInsertionPt());
	}
	if (i->isTerminator() || (call && (call->isMustTailCall() || call->doesNotReturn())))
		return nullptr;
	return wrap(i->getNextNode());
}

LLVMValueRef extra_hoist_allocas(LLVMValueRef function)
{
	BasicBlock &entry = unwrap<Function>(function)->getEntryBlock();
	auto first = entry.begin();

	while (isa<AllocaInst>(&*first))
		++first;
	for (auto next = first; next != entry.end();) {
		auto *variable = dyn_cast<AllocaInst>(&*next++);

		if (variable && isa<ConstantInt>(variable->getArraySize()))
			variable->moveBefore(&*first);
	}
	return wrap(&*first);
}

LLVMValueRef extra_branch_before(LLVMValueRef cond, LLVMValueRef inst)
{
	return wrap(SplitBlockAndInsertIfThen(unwrap(cond), unwrap<Instruction>(inst), false));
}

/* Weights of a branch that is hardly ever taken. */
static MDNode *rarely(LLVMValueRef inst)
{
	return MDBuilder(unwrap(inst)->getContext()).createBranchWeights(1, 1 << 20);
}

LLVMValueRef extra_branch_rarely(LLVMValueRef cond, LLVMValueRef inst)
{
	return wrap(SplitBlockAndInsertIfThen(unwrap(cond), unwrap<Instruction>(inst), false,
					      rarely(inst)));
}

LLVMValueRef extra_branch_around(LLVMValueRef cond, LLVMValueRef inst)
{
	auto *i = unwrap<Instruction>(inst);
	Instruction *then, *otherwise, *after = i->getNextNode();

	SplitBlockAndInsertIfThenElse(unwrap(cond), after, &then, &otherwise, rarely(inst));
	i->moveBefore(otherwise);
	return wrap(then);
}

/* Varying arguments cannot be handed on, nor can tables of the addresses of blocks be copied. */
static bool has_no_twin(const Function &f)
{
	if (f.isVarArg())
		return true;
	for (const Argument &a : f.args())
		if (a.hasPassPointeeByValueCopyAttr() || a.hasSwiftErrorAttr())
			return true;
	for (const BasicBlock &b : f)
		if (b.hasAddressTaken())
			return true;
	return false;
}

LLVMValueRef extra_twin(LLVMValueRef function, const char *suffix, LLVMValueRef *insts, size_t n)
{
	Function &f = *unwrap<Function>(function);
	ValueToValueMapTy map;
	Function *twin;

	if (has_no_twin(f))
		return nullptr;
	twin = CloneFunction(&f, map);
	twin->setName(f.getName() + suffix);
	twin->setLinkage(GlobalValue::InternalLinkage);
	twin->setVisibility(GlobalValue::DefaultVisibility);
	twin->setDLLStorageClass(GlobalValue::DefaultStorageClass);
	twin->setComdat(f.getComdat());
	for (size_t i = 0; i < n; i++)
		insts[i] = wrap(map[unwrap(insts[i])]);
	return wrap(twin);
}

/* Where b stands: return to(the arguments of f); */
static void forward(Function &f, LLVMValueRef to, IRBuilder<> &b)
{
	SmallVector<AttributeSet, 8> params;
	SmallVector<Value *, 8> args;
	CallInst *call;

	for (Argument &a : f.args()) {
		args.push_back(&a);
		params.push_back(f.getAttributes().getParamAttrs(a.getArgNo()));
	}
	call = b.CreateCall(unwrap<Function>(to), args);
	call->setCallingConv(f.getCallingConv());
	call->setAttributes(AttributeList::get(f.getContext(), AttributeSet(),
					       f.getAttributes().getRetAttrs(), params));
	call->setTailCallKind(CallInst::TCK_MustTail);
	if (f.getSubprogram())
		call->setDebugLoc(DILocation::get(f.getContext(), f.getSubprogram()->getLine(), 0,
						  f.getSubprogram()));
	if (call->getType()->isVoidTy())
		b.CreateRetVoid();
	else
		b.CreateRet(call);
}

void extra_forward(LLVMValueRef function, LLVMValueRef to, LLVMValueRef cond, LLVMValueRef inst)
{
	Instruction *end = SplitBlockAndInsertIfThen(unwrap(cond), unwrap<Instruction>(inst), true,
						     rarely(inst));
	IRBuilder<> b(end);

	forward(*unwrap<Function>(function), to, b);
	end->eraseFromParent();
}

LLVMValueRef extra_stub(LLVMValueRef to, const char *suffix)
{
	Function &f = *unwrap<Function>(to);
	Function *stub = Function::Create(f.getFunctionType(), GlobalValue::InternalLinkage,
					  f.getName() + suffix, f.getParent());
	IRBuilder<> b(BasicBlock::Create(f.getContext(), "", stub));

	stub->copyAttributesFrom(&f);
	stub->setPersonalityFn(nullptr);
	stub->setComdat(f.getComdat());
	forward(*stub, to, b);
	return wrap(stub);
}

bool extra_is_final(LLVMValueRef function)
{
	Function &f = *unwrap<Function>(function);

	return !f.isInterposable() && f.isDSOLocal() && !f.hasComdat();
}

LLVMValueRef extra_exit_point(LLVMValueRef ret)
{
	CallInst *call = unwrap<Instruction>(ret)->getParent()->getTerminatingMustTailCall();

	return call ? wrap(call) : ret;
}

void extra_add_ctor(LLVMModuleRef m, LLVMValueRef ctor, LLVMValueRef dtor)
{
	appendToGlobalCtors(*unwrap(m), unwrap<Function>(ctor), 1);
	appendToGlobalDtors(*unwrap(m), unwrap<Function>(dtor), 1);
}

void extra_keep(LLVMModuleRef m, LLVMValueRef *globals, size_t n)
{
	std::vector<GlobalValue *> kept;

	for (size_t i = 0; i < n; i++)
		kept.push_back(unwrap<GlobalValue>(globals[i]));
	appendToCompilerUsed(*unwrap(m), kept);
}

const char *extra_name(LLVMMetadataRef md)
{
	StringRef name;

	if (auto *variable = node<DIVariable>(md))
		name = variable->getName();
	else if (auto *scope = node<DIScope>(md))
		name = scope->getName();
	return name.empty() ? nullptr : name.data();
}

LLVMMetadataRef extra_scope(LLVMMetadataRef md)
{
	if (auto *global = node<DIGlobalVariable>(md))
		if (auto *member = global->getStaticDataMemberDeclaration())
			return wrap(member->getScope());
	if (auto *variable = node<DIVariable>(md))
		return wrap(variable->getScope());
	if (auto *scope = node<DIScope>(md))
		return wrap(scope->getScope());
	return nullptr;
}

LLVMMetadataRef extra_subprogram(LLVMMetadataRef md)
{
	auto *scope = node<DILocalScope>(md);

	return scope ? wrap(scope->getSubprogram()) : nullptr;
}

LLVMMetadataRef extra_type_of(LLVMMetadataRef md)
{
	if (auto *variable = node<DIVariable>(md))
		return wrap(variable->getType());
	if (auto *derived = node<DIDerivedType>(md))
		return wrap(derived->getBaseType());
	if (auto *composite = node<DICompositeType>(md))
		return wrap(composite->getBaseType());
	return nullptr;
}

enum extra_type extra_type_kind(LLVMMetadataRef md)
{
	auto *type = node<DIType>(md);

	switch (type ? type->getTag() : 0) {
	case dwarf::DW_TAG_structure_type:
	case dwarf::DW_TAG_class_type:
		return EXTRA_TYPE_STRUCT;
	case dwarf::DW_TAG_union_type:
		return EXTRA_TYPE_UNION;
	case dwarf::DW_TAG_array_type:
		return EXTRA_TYPE_ARRAY;
	case dwarf::DW_TAG_pointer_type:
	case dwarf::DW_TAG_reference_type:
	case dwarf::DW_TAG_rvalue_reference_type:
		return EXTRA_TYPE_POINTER;
	case dwarf::DW_TAG_typedef:
		return EXTRA_TYPE_NAMED;
	case dwarf::DW_TAG_const_type:
		return EXTRA_TYPE_CONST;
	case dwarf::DW_TAG_volatile_type:
	case dwarf::DW_TAG_restrict_type:
	case dwarf::DW_TAG_atomic_type:
		return EXTRA_TYPE_QUALIFIED;
	case dwarf::DW_TAG_subroutine_type:
		return EXTRA_TYPE_FUNCTION;
	default:
		return EXTRA_TYPE_OTHER;
	}
}

unsigned extra_element_count(LLVMMetadataRef md)
{
	auto *type = node<DICompositeType>(md);

	return type && type->getRawElements() ? type->getElements().size() : 0;
}

LLVMMetadataRef extra_element(LLVMMetadataRef md, unsigned i)
{
	auto *member = dyn_cast_or_null<DIDerivedType>(node<DICompositeType>(md)->getElements()[i]);

	if (!member || member->isStaticMember() ||
	    (member->getTag() != dwarf::DW_TAG_member &&
	     member->getTag() != dwarf::DW_TAG_inheritance))
		return nullptr;
	return wrap(member);
}

int64_t extra_dimension(LLVMMetadataRef md, unsigned i)
{
	auto *range = dyn_cast_or_null<DISubrange>(node<DICompositeType>(md)->getElements()[i]);

	if (!range || !range->getRawCountNode())
		return -1;
	auto *count = range->getCount().dyn_cast<ConstantInt *>();
	return count ? count->getSExtValue() : -1;
}

bool extra_is_bits(LLVMMetadataRef md)
{
	auto *type = node<DIType>(md);

	return type && type->isBitField();
}

char extra_scalar(LLVMMetadataRef md)
{
	auto *composite = node<DICompositeType>(md);
	auto *base = node<DIBasicType>(md);

	if (composite && composite->getTag() == dwarf::DW_TAG_enumeration_type)
		return 'c';
	switch (base ? base->getEncoding() : 0) {
	case dwarf::DW_ATE_signed:
		return 'i';
	case dwarf::DW_ATE_signed_char:
		return base->getName() == "char" ? 'c' : 'i';
	case dwarf::DW_ATE_unsigned:
		return 'u';
	case dwarf::DW_ATE_unsigned_char:
		return base->getName() == "char" ? 'c' : 'u';
	case dwarf::DW_ATE_boolean:
		return 'c';
	case dwarf::DW_ATE_float:
		return 'f';
	default:
		return 'x';
	}
}

/* Optimised code says "the variable is what this points at" where -O0 declares its address. */
static bool describes(bool declare, const DIExpression *how, bool memory)
{
	unsigned n = how->getNumElements();

	if (memory)
		return declare ? n == 0 : n == 1 && how->getElement(0) == dwarf::DW_OP_deref;
	return !declare && n == 0;
}

LLVMMetadataRef extra_local_variable(LLVMValueRef value, bool memory, unsigned nth)
{
	SmallVector<DbgVariableIntrinsic *, 4> users;
#if LLVM_VERSION_MAJOR >= 19
	SmallVector<DbgVariableRecord *, 4> records;

	if (auto *alloca = memory ? dyn_cast<AllocaInst>(unwrap(value)) : nullptr)
		for (DbgVariableRecord *record : at::getDVRAssignmentMarkers(alloca))
			if (nth-- == 0)
				return wrap(record->getVariable());
	findDbgUsers(users, unwrap(value), &records);
	for (DbgVariableRecord *record : records)
		if (describes(record->isDbgDeclare(), record->getExpression(), memory) &&
		    nth-- == 0)
			return wrap(record->getVariable());
#else
	findDbgUsers(users, unwrap(value));
#endif
	for (DbgVariableIntrinsic *user : users)
		if (describes(isa<DbgDeclareInst>(user), user->getExpression(), memory) &&
		    nth-- == 0)
			return wrap(user->getVariable());
	return nullptr;
}

void extra_structs(LLVMModuleRef m,
		   void (*visit)(void *arg, const char *name, LLVMMetadataRef type), void *arg)
{
	DebugInfoFinder finder;

	finder.processModule(*unwrap(m));
	for (DIType *type : finder.types()) {
		auto *composite = dyn_cast<DICompositeType>(type);
		auto *named = dyn_cast<DIDerivedType>(type);
		StringRef name = type->getName();

		if (named && named->getTag() == dwarf::DW_TAG_typedef) {
			composite = dyn_cast_or_null<DICompositeType>(named->getBaseType());
			if (composite && !composite->getName().empty())
				continue;
		}
		if (!composite || composite->isForwardDecl())
			continue;
		if (!name.empty())
			visit(arg, name.data(), wrap(composite));
		if (!composite->getIdentifier().empty())
			visit(arg, composite->getIdentifier().data(), wrap(composite));
	}
}
