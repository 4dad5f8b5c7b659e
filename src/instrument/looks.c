/*
 * Loads that only ask: whatever comes of the value goes by comparisons.
 *
 *	do { s = seq; copy = data; } while (s != seq);		the second load of seq, and the first
 *
 * The model: follow the value through casts and arithmetic.  Every way must end in a comparison; an address, an
 * argument, a result and a value that is stored are more than a question.
 *
 * It is no dependency fact: such a load binds as any other.  But who asks is prepared for any answer
 * (predict/atomicity_looks.c).
 */
#include "instrument/unit_priv.h"

struct look {
	struct map seen;
	VEC(LLVMValueRef) todo;
	bool asks;
};

static void derive(struct look *w, LLVMValueRef v)
{
	bool fresh;

	map_put(&w->seen, (uintptr_t)v, &fresh);
	if (fresh)
		*VEC_PUSH(&w->todo) = v;
}

/* False: it is more than a question. */
static bool use(struct look *w, LLVMValueRef user, LLVMValueRef v)
{
	switch (LLVMIsAInstruction(user) ? LLVMGetInstructionOpcode(user) : (LLVMOpcode)0) {
	case LLVMICmp:
	case LLVMBr:
		w->asks = true;
		return true;
	case LLVMSwitch:
		w->asks = true;
		return LLVMGetOperand(user, 0) == v;
	case LLVMSelect:
		if (LLVMGetOperand(user, 0) == v)
			w->asks = true;
		else
			derive(w, user);
		return true;
	case LLVMAdd:
	case LLVMSub:
	case LLVMShl:
	case LLVMLShr:
	case LLVMAShr:
	case LLVMAnd:
	case LLVMOr:
	case LLVMXor:
	case LLVMTrunc:
	case LLVMZExt:
	case LLVMSExt:
	case LLVMPtrToInt:
	case LLVMIntToPtr:
	case LLVMBitCast:
	case LLVMFreeze:
	case LLVMPHI:
	case LLVMExtractValue:
		derive(w, user);
		return true;
	default:
		return false;
	}
}

bool looks_is(LLVMValueRef load)
{
	struct look w = { .asks = false };
	bool good = true;

	derive(&w, load);
	while (w.todo.n && good) {
		LLVMValueRef v = w.todo.at[--w.todo.n];

		for (LLVMUseRef u = LLVMGetFirstUse(v); u && good; u = LLVMGetNextUse(u))
			good = use(&w, LLVMGetUser(u), v);
	}
	map_release(&w.seen);
	VEC_RELEASE(&w.todo);
	return good && w.asks;
}
