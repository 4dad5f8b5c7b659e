/*
 * The frame: shadow stack code at entry and exit, keepers of free loads, and
 * buffers for values that travel by memory.  hooks.h gives the exact steps.
 */
#include "instrument/unit_priv.h"

/* Keepers up to this many are zeroed one by one. */
#define STACK_STORES 4

static LLVMValueRef view_field(struct function *f, size_t offset, LLVMTypeRef type)
{
	struct unit *u = f->unit;
	LLVMValueRef index = unit_int(u->i64, offset);
	LLVMValueRef p = LLVMBuildInBoundsGEP2(u->builder, u->i8, f->self, &index, 1, "");

	return LLVMBuildBitCast(u->builder, p, LLVMPointerType(type, 0), "");
}

static LLVMValueRef view_load(struct function *f, size_t offset, LLVMTypeRef type)
{
	return LLVMBuildLoad2(f->unit->builder, type, view_field(f, offset, type), "");
}

void stack_view_store(struct function *f, size_t offset, LLVMValueRef v)
{
	LLVMBuildStore(f->unit->builder, v, view_field(f, offset, LLVMTypeOf(v)));
}

/* if (depth == unseen) hook(); before inst; the builder goes on there. */
static void emit_if_unseen(struct function *f, LLVMValueRef depth, const char *hook,
			   LLVMValueRef *args, unsigned nargs, LLVMValueRef inst)
{
	struct unit *u = f->unit;
	LLVMValueRef unseen = view_load(f, offsetof(struct foresee_view, unseen), u->i32);
	LLVMValueRef cond = LLVMBuildICmp(u->builder, LLVMIntEQ, depth, unseen, "");

	LLVMPositionBuilderBefore(u->builder, extra_branch_before(cond, inst));
	unit_hook(u, hook, u->nothing, args, nargs);
	LLVMPositionBuilderBefore(u->builder, inst);
}

static void push_site(struct function *f)
{
	struct unit *u = f->unit;
	LLVMTypeRef p32 = LLVMPointerType(u->i32, 0);
	LLVMValueRef frames, index, site;

	frames = view_load(f, offsetof(struct foresee_view, frames), p32);
	site = view_load(f, offsetof(struct foresee_view, call_site), u->i32);
	index = LLVMBuildAnd(u->builder, f->depth, unit_int(u->i32, FORESEE_DEPTH - 1), "");
	index = LLVMBuildZExt(u->builder, index, u->i64, "");
	LLVMBuildStore(u->builder, site,
		       LLVMBuildInBoundsGEP2(u->builder, u->i32, frames, &index, 1, ""));
}

/* A guard asks how deep the stack is, and not where calls came from. */
static void push_frame(struct function *f)
{
	struct unit *u = f->unit;

	f->depth = view_load(f, offsetof(struct foresee_view, depth), u->i32);
	if (!f->twin_of)
		push_site(f);
	stack_view_store(f, offsetof(struct foresee_view, depth),
			 LLVMBuildAdd(u->builder, f->depth, unit_int(u->i32, 1), ""));
	stack_view_store(f, offsetof(struct foresee_view, call_site), unit_int(u->i32, 0));
}

static void zero_keepers(struct function *f)
{
	struct unit *u = f->unit;

	if (f->nkeepers > STACK_STORES) {
		LLVMBuildMemSet(u->builder, f->keepers, unit_int(u->i8, 0),
				unit_int(u->i64, 8ull * f->nkeepers), 8);
		return;
	}
	for (uint32_t i = 0; i < f->nkeepers; i++) {
		LLVMValueRef index = unit_int(u->i64, i);

		LLVMBuildStore(
			u->builder, unit_int(u->i64, 0),
			LLVMBuildInBoundsGEP2(u->builder, u->i64, f->keepers, &index, 1, ""));
	}
}

void stack_enter(struct function *f)
{
	struct unit *u = f->unit;
	LLVMValueRef first = extra_hoist_allocas(f->value);

	LLVMPositionBuilderBefore(u->builder, first);
	LLVMSetCurrentDebugLocation2(u->builder, NULL);
	if (f->nkeepers) {
		LLVMValueRef array =
			stack_buffer(f, LLVMArrayType(u->i64, f->nkeepers), STACK_KEEPERS);

		f->keepers = LLVMBuildBitCast(u->builder, array, LLVMPointerType(u->i64, 0), "");
		zero_keepers(f);
	}
	f->self = LLVMBuildLoad2(u->builder, u->pointer, u->self, "foresee.self");
	f->base = LLVMBuildLoad2(u->builder, u->i32, u->base, "foresee.base");
	push_frame(f);
	emit_if_unseen(f, f->depth, "foresee_callback", NULL, 0, first);
	frozen_begin(f);
	if (f->twin_of)
		twin_enter(f);
	else
		frame_emit(f, first);
}

/* low = min(low, d); depth = d.  In this order: a signal handler that comes between the two puts its
 * frames where ours were, and low must say so. */
static void set_depth(struct function *f, LLVMValueRef d)
{
	struct unit *u = f->unit;
	LLVMValueRef low, below;

	if (!f->twin_of) {
		low = view_load(f, offsetof(struct foresee_view, low), u->i32);
		below = LLVMBuildICmp(u->builder, LLVMIntULT, low, d, "");
		stack_view_store(f, offsetof(struct foresee_view, low),
				 LLVMBuildSelect(u->builder, below, low, d, ""));
	}
	stack_view_store(f, offsetof(struct foresee_view, depth), d);
}

/* Frames below ours were left without their exit code: by unwinding, or by longjmp. */
static void restore_after(struct function *f, LLVMValueRef inst)
{
	struct unit *u = f->unit;
	LLVMValueRef next = LLVMGetNextInstruction(inst), no_site = unit_int(u->i32, 0), depth;

	LLVMPositionBuilderBefore(u->builder, next);
	depth = LLVMBuildAdd(u->builder, f->depth, unit_int(u->i32, 1), "");
	set_depth(f, depth);
	emit_if_unseen(f, depth, "foresee_returned", &no_site, 1, next);
}

static bool is_reentry(LLVMValueRef inst)
{
	return LLVMIsALandingPadInst(inst) || (LLVMIsACallInst(inst) && plan_returns_twice(inst));
}

/* Clears call_site as well: unseen code that we return to may make calls, and these are not from the
 * site of our last call.  A tail call at the exit has stored its own already. */
static void leave_at(struct function *f, LLVMValueRef ret)
{
	LLVMValueRef at = extra_exit_point(ret);

	frame_leave(f, at);
	LLVMPositionBuilderBefore(f->unit->builder, at);
	emit_if_unseen(f, f->depth, "foresee_callback_end", NULL, 0, at);
	set_depth(f, f->depth);
	if (at == ret)
		stack_view_store(f, offsetof(struct foresee_view, call_site),
				 unit_int(f->unit->i32, 0));
}

/* Found first, for the code splits the blocks that are walked through. */
void stack_leave(struct function *f)
{
	VEC(LLVMValueRef) found = { 0 };

	UNIT_EACH(i, f->value)
		if (LLVMIsAReturnInst(i) || is_reentry(i))
			*VEC_PUSH(&found) = i;
	for (size_t i = 0; i < found.n; i++) {
		if (LLVMIsAReturnInst(found.at[i]))
			leave_at(f, found.at[i]);
		else
			restore_after(f, found.at[i]);
	}
	VEC_RELEASE(&found);
}

LLVMValueRef stack_buffer(struct function *f, LLVMTypeRef type, enum stack_use use)
{
	bool fresh;
	uint64_t *known = map_put(&f->buffers, (uintptr_t)type + use, &fresh);
	LLVMBuilderRef b;
	LLVMValueRef alloca;

	if (!fresh)
		return (LLVMValueRef)(uintptr_t)*known;
	b = LLVMCreateBuilderInContext(f->unit->context);
	LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f->value)));
	LLVMSetCurrentDebugLocation2(b, NULL);
	alloca = LLVMBuildAlloca(b, type, "foresee.buffer");
	if (LLVMABIAlignmentOfType(f->unit->layout, type) < 16)
		LLVMSetAlignment(alloca, 16);
	LLVMDisposeBuilder(b);
	*known = (uintptr_t)alloca;
	return alloca;
}

LLVMValueRef stack_keeper(struct function *f, const struct record *r)
{
	struct unit *u = f->unit;
	LLVMValueRef index = unit_int(u->i64, r->keeper);

	if (!r->keeps)
		return LLVMConstNull(LLVMPointerType(u->i64, 0));
	return LLVMBuildInBoundsGEP2(u->builder, u->i64, f->keepers, &index, 1, "");
}

LLVMValueRef stack_keepers(struct function *f, const struct record *r)
{
	return r->feeds ? f->keepers : LLVMConstNull(LLVMPointerType(f->unit->i64, 0));
}
