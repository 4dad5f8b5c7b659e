/*
 * Functions that are meant to be atomic: __attribute__((annotate("foresee_atomic"))).
 *
 * A block is begun at their entry and ended at each return, as FORESEE_ATOMIC_BEGIN does, before the
 * optimiser runs: inlined copies have it too.  A way out by longjmp or an exception does not end it.
 */
#include "instrument/unit_priv.h"

#define BEGIN_HOOK "foresee_atomic_begin"
#define END_HOOK "foresee_atomic_end"

static void call_insert(LLVMBuilderRef b, LLVMModuleRef m, const char *hook, LLVMValueRef name)
{
	LLVMContextRef context = LLVMGetModuleContext(m);
	LLVMTypeRef text = LLVMPointerType(LLVMInt8TypeInContext(context), 0);
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), &text, name != NULL, 0);
	LLVMValueRef f = LLVMGetNamedFunction(m, hook);

	if (!f)
		f = LLVMAddFunction(m, hook, type);
	LLVMBuildCall2(b, type, f, &name, name != NULL, "");
}

static void location_set(LLVMBuilderRef b, LLVMValueRef f, LLVMValueRef near)
{
	LLVMMetadataRef at = near ? LLVMInstructionGetDebugLoc(near) : NULL;
	LLVMMetadataRef subprogram = LLVMGetSubprogram(f);

	/* A call without a place, of a function that may be inlined, is refused. */
	if (!at && subprogram)
		at = LLVMDIBuilderCreateDebugLocation(LLVMGetModuleContext(LLVMGetGlobalParent(f)),
						      LLVMDISubprogramGetLine(subprogram), 0,
						      subprogram, NULL);
	LLVMSetCurrentDebugLocation2(b, at);
}

static void begin_insert(LLVMBuilderRef b, LLVMValueRef f)
{
	LLVMMetadataRef subprogram = LLVMGetSubprogram(f);
	const char *name = subprogram ? extra_name(subprogram) : unit_name(f);
	LLVMValueRef at = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f));

	while (LLVMIsAAllocaInst(at))
		at = LLVMGetNextInstruction(at);
	LLVMPositionBuilderBefore(b, at);
	location_set(b, f, NULL);
	call_insert(b, LLVMGetGlobalParent(f), BEGIN_HOOK,
		    LLVMBuildGlobalStringPtr(b, name, "foresee.block"));
}

static void ends_insert(LLVMBuilderRef b, LLVMValueRef f)
{
	UNIT_EACH(i, f) {
		LLVMValueRef at;

		if (!LLVMIsAReturnInst(i))
			continue;
		at = extra_exit_point(i);
		LLVMPositionBuilderBefore(b, at);
		location_set(b, f, i);
		call_insert(b, LLVMGetGlobalParent(f), END_HOOK, NULL);
	}
}

void marked_insert(LLVMModuleRef m)
{
	LLVMValueRef list = LLVMGetNamedGlobal(m, "llvm.global.annotations");
	LLVMValueRef rows = list ? LLVMGetInitializer(list) : NULL;
	int n = rows ? LLVMGetNumOperands(rows) : 0;
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));

	for (int i = 0; i < n; i++) {
		LLVMValueRef row = LLVMGetOperand(rows, (unsigned)i), f;
		const char *what =
			LLVMGetNumOperands(row) >= 2 ? calls_string(LLVMGetOperand(row, 1)) : NULL;

		if (!what || strcmp(what, "foresee_atomic") != 0)
			continue;
		f = escape_base(LLVMGetOperand(row, 0));
		if (!LLVMIsAFunction(f) || LLVMIsDeclaration(f))
			continue;
		begin_insert(b, f);
		ends_insert(b, f);
		calls_keep(f);
	}
	LLVMDisposeBuilder(b);
}
