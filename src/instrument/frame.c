/*
 * Locals that others may reach get a fresh identity each time they come to
 * life.  Their memory was somebody else's before: an older frame, or spilled
 * registers, which nobody records.  Without this a read of bytes that the
 * program has not written since (padding, mostly) would name a dead local's write.
 *
 * A local lives from its llvm.lifetime.start on; without one, from the entry
 * of the function, or from the alloca itself when that is elsewhere.  A va_list is a new one
 * at every va_start and va_copy, which fill it unseen.
 */
#include "instrument/unit_priv.h"

#include <string.h>

static void announce(struct function *f, LLVMValueRef p, LLVMValueRef size, LLVMValueRef at)
{
	struct unit *u = f->unit;
	LLVMValueRef args[] = { unit_pointer(u, p), size,
				sites_number(f, sites_add_local(f, p, at)) };

	unit_hook(u, "foresee_frame", u->nothing, args, 3);
}

static LLVMValueRef alloca_size(struct unit *u, LLVMValueRef alloca)
{
	LLVMValueRef count = LLVMGetOperand(alloca, 0);
	LLVMValueRef one =
		unit_int(u->i64, LLVMABISizeOfType(u->layout, LLVMGetAllocatedType(alloca)));

	return LLVMBuildMul(u->builder, one, LLVMBuildZExtOrBitCast(u->builder, count, u->i64, ""),
			    "");
}

/* After each lifetime.start of v or a cast of it; returns how many there were. */
static unsigned announce_lifetimes(struct function *f, LLVMValueRef alloca, LLVMValueRef v)
{
	struct unit *u = f->unit;
	unsigned n = 0;

	for (LLVMUseRef use = LLVMGetFirstUse(v), next; use; use = next) {
		LLVMValueRef user = LLVMGetUser(use);
		const char *name = unit_intrinsic(user);

		next = LLVMGetNextUse(use);
		if (LLVMIsABitCastInst(user)) {
			n += announce_lifetimes(f, alloca, user);
		} else if (name && unit_has_prefix(name, "llvm.lifetime.start")) {
			LLVMPositionBuilderBefore(u->builder, LLVMGetNextInstruction(user));
			announce(f, alloca, alloca_size(u, alloca), user);
			n++;
		}
	}
	return n;
}

static void announce_arguments(struct function *f, LLVMValueRef first)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);

	for (unsigned i = 0; i < LLVMCountParams(f->value); i++) {
		LLVMValueRef p = LLVMGetParam(f->value, i);
		LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(f->value, i + 1, kind);

		if (a && !escape_is_private(f, p)) {
			LLVMTypeRef type = LLVMGetTypeAttributeValue(a);

			LLVMPositionBuilderBefore(f->unit->builder, first);
			announce(f, p,
				 unit_int(f->unit->i64, LLVMABISizeOfType(f->unit->layout, type)),
				 first);
		}
	}
}

static void announce_va_list(struct function *f, LLVMValueRef inst)
{
	const char *name = LLVMIsACallInst(inst) ? unit_intrinsic(inst) : NULL;
	LLVMValueRef p;

	if (!name ||
	    (!unit_has_prefix(name, "llvm.va_start") && !unit_has_prefix(name, "llvm.va_copy")))
		return;
	p = escape_base(LLVMGetOperand(inst, 0));
	if (!LLVMIsAAllocaInst(p) || escape_is_private(f, p))
		return;
	LLVMPositionBuilderBefore(f->unit->builder, inst);
	announce(f, p, alloca_size(f->unit, p), inst);
}

void frame_emit(struct function *f, LLVMValueRef first)
{
	struct unit *u = f->unit;
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(f->value);
	size_t n;

	announce_arguments(f, first);
	for (LLVMBasicBlockRef b = entry; b; b = LLVMGetNextBasicBlock(b)) {
		for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
			bool fixed;

			next = LLVMGetNextInstruction(i);
			announce_va_list(f, i);
			if (!LLVMIsAAllocaInst(i) || escape_is_private(f, i) ||
			    unit_has_prefix(LLVMGetValueName2(i, &n), "foresee."))
				continue;
			if (announce_lifetimes(f, i, i) != 0)
				continue;
			fixed = b == entry && LLVMIsAConstantInt(LLVMGetOperand(i, 0));
			LLVMPositionBuilderBefore(u->builder, fixed ? first : next);
			announce(f, i, alloca_size(u, i), fixed ? first : next);
		}
	}
}
