/*
 * Plain loads and stores, and memory intrinsics, as hook calls.
 *
 * A value of 1, 2, 4 or 8 bytes travels as an integer; any other through a
 * buffer in the frame, which the hook copies to or from.
 */
#include "instrument/unit_priv.h"

LLVMValueRef access_to_int(struct unit *u, LLVMValueRef v, uint32_t size)
{
	LLVMTypeRef type = LLVMIntTypeInContext(u->context, 8 * size);

	switch (LLVMGetTypeKind(LLVMTypeOf(v))) {
	case LLVMPointerTypeKind:
		return LLVMBuildPtrToInt(u->builder, v, type, "");
	case LLVMIntegerTypeKind:
		return LLVMBuildZExt(u->builder, v, type, "");
	default:
		return LLVMBuildBitCast(u->builder, v, type, "");
	}
}

LLVMValueRef access_from_int(struct unit *u, LLVMValueRef v, LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMPointerTypeKind:
		return LLVMBuildIntToPtr(u->builder, v, type, "");
	case LLVMIntegerTypeKind:
		return LLVMBuildTrunc(u->builder, v, type, "");
	default:
		return LLVMBuildBitCast(u->builder, v, type, "");
	}
}

static void replace(LLVMValueRef inst, LLVMValueRef by)
{
	if (by)
		LLVMReplaceAllUsesWith(inst, by);
	LLVMInstructionEraseFromParent(inst);
}

/* The hook of a read, where the builder stands. */
static LLVMValueRef build_read(struct function *f, struct record *r)
{
	struct unit *u = f->unit;
	LLVMTypeRef type = LLVMTypeOf(r->inst);
	uint32_t size = plan_scalar_size(u, type);
	LLVMValueRef args[5] = { unit_pointer(u, LLVMGetOperand(r->inst, 0)) };
	LLVMValueRef buffer, v;
	char name[32];

	if (size) {
		snprintf(name, sizeof(name), "foresee_read%u%s", size,
			 r->tested ? "t"
			 : r->free ? "f"
				   : "");
		args[1] = sites_number(f, r->site);
		args[2] = stack_keeper(f, r);
		v = unit_hook(u, name, LLVMIntTypeInContext(u->context, 8 * size), args,
			      r->free ? 3 : 2);
		return access_from_int(u, v, type);
	}
	buffer = stack_buffer(f, type, STACK_VALUE);
	args[1] = unit_pointer(u, buffer);
	args[2] = unit_int(u->i64, LLVMStoreSizeOfType(u->layout, type));
	args[3] = sites_number(f, r->site);
	args[4] = stack_keeper(f, r);
	unit_hook(u, "foresee_read_range", u->nothing, args, 5);
	return LLVMBuildLoad2(u->builder, type, buffer, "");
}

/* How many bytes a load or store touches, as an i64. */
static LLVMValueRef bytes_of(struct unit *u, LLVMValueRef inst)
{
	return unit_int(u->i64, LLVMStoreSizeOfType(u->layout, plan_type(inst)));
}

/* Is a read that may do without a hook to have one?  NULL: always. */
static LLVMValueRef needs_hook(struct function *f, struct record *r)
{
	LLVMValueRef p = LLVMGetOperand(r->inst, 0);
	bool frozen = !r->is_volatile && frozen_is(f->unit, p);
	LLVMValueRef watched = f->twin_of ? twin_watched(f, p, bytes_of(f->unit, r->inst)) : NULL;

	if (!frozen)
		return watched;
	if (!watched)
		return frozen_is_recorded(f);
	return LLVMBuildAnd(f->unit->builder, watched, frozen_is_recorded(f), "");
}

/* x = *p; if (cond) x = hook(p); */
static LLVMValueRef build_perhaps(struct function *f, struct record *r, LLVMValueRef cond)
{
	LLVMBuilderRef b = f->unit->builder;
	LLVMValueRef values[2] = { LLVMInstructionClone(r->inst) }, there, phi;
	LLVMBasicBlockRef blocks[2] = { LLVMGetInstructionParent(r->inst) };

	LLVMInsertIntoBuilder(b, values[0]);
	there = (f->twin_of ? extra_branch_rarely : extra_branch_before)(cond, r->inst);
	blocks[1] = LLVMGetInstructionParent(there);
	LLVMPositionBuilderBefore(b, there);
	values[1] = build_read(f, r);
	LLVMPositionBuilderBefore(b, r->inst);
	phi = LLVMBuildPhi(b, LLVMTypeOf(r->inst), "");
	LLVMAddIncoming(phi, values, blocks, 2);
	return phi;
}

/* The hook of a load and of the store that ends the update. */
static LLVMValueRef build_update(struct function *f, const struct record *r, struct record *w,
				 LLVMValueRef addend)
{
	struct unit *u = f->unit;
	LLVMTypeRef type = LLVMTypeOf(r->inst);
	LLVMValueRef args[5] = { unit_pointer(u, plan_pointer(r->inst)), addend,
				 sites_number(f, r->site), sites_number(f, w->site),
				 stack_keeper(f, r) };
	char name[32];

	snprintf(name, sizeof(name), "foresee_add%u%s", plan_scalar_size(u, type),
		 r->free ? "f" : "");
	w->done = true;
	return unit_hook(u, name, type, args, r->free ? 5 : 4);
}

static void emit_read(struct function *f, struct record *r)
{
	LLVMValueRef addend = NULL, cond;
	struct record *w = update_find(f, r, &addend);

	if (w) {
		replace(r->inst, build_update(f, r, w, addend));
		return;
	}
	cond = needs_hook(f, r);
	replace(r->inst, cond ? build_perhaps(f, r, cond) : build_read(f, r));
}

static void emit_write(struct function *f, struct record *r)
{
	struct unit *u = f->unit;
	LLVMValueRef value = LLVMGetOperand(r->inst, 0);
	LLVMTypeRef type = LLVMTypeOf(value);
	uint32_t size = plan_scalar_size(u, type);
	LLVMValueRef args[6] = { unit_pointer(u, LLVMGetOperand(r->inst, 1)) };
	LLVMValueRef buffer;
	char name[32];

	if (size) {
		snprintf(name, sizeof(name), "foresee_write%u%s", size, r->feeds ? "f" : "");
		args[1] = access_to_int(u, value, size);
		args[2] = sites_number(f, r->site);
		args[3] = stack_keepers(f, r);
		args[4] = unit_int(u->i64, r->feeds);
		unit_hook(u, name, u->nothing, args, r->feeds ? 5 : 3);
		return;
	}
	buffer = stack_buffer(f, type, STACK_VALUE);
	LLVMBuildStore(u->builder, value, buffer);
	args[1] = unit_pointer(u, buffer);
	args[2] = unit_int(u->i64, LLVMStoreSizeOfType(u->layout, type));
	args[3] = sites_number(f, r->site);
	args[4] = stack_keepers(f, r);
	args[5] = unit_int(u->i64, r->feeds);
	unit_hook(u, "foresee_write_range", u->nothing, args, 6);
}

void access_emit(struct function *f, struct record *r)
{
	LLVMPositionBuilderBefore(f->unit->builder, r->inst);
	if (r->action == ACT_READ) {
		emit_read(f, r);
		return;
	}
	if (r->done) {
		replace(r->inst, NULL);
		return;
	}
	frozen_check(f, LLVMGetOperand(r->inst, 1));
	if (f->twin_of)
		twin_part(f,
			  twin_watched(f, LLVMGetOperand(r->inst, 1), bytes_of(f->unit, r->inst)),
			  r->inst);
	emit_write(f, r);
	if (!f->twin_of)
		replace(r->inst, NULL);
}

static LLVMValueRef length_of(struct unit *u, LLVMValueRef inst)
{
	return LLVMBuildIntCast2(u->builder, LLVMGetOperand(inst, 2), u->i64, 0, "");
}

static void emit_copy(struct function *f, struct record *r)
{
	struct unit *u = f->unit;
	bool move = unit_has_prefix(unit_intrinsic(r->inst), "llvm.memmove.");
	LLVMValueRef args[4] = { unit_pointer(u, LLVMGetOperand(r->inst, 0)),
				 unit_pointer(u, LLVMGetOperand(r->inst, 1)), length_of(u, r->inst),
				 sites_number(f, r->site) };

	if (r->is_volatile) /* a copy alone would be a free read */
		unit_hook(u, "foresee_touch_range", u->nothing, args + 1, 3);
	unit_hook(u, move ? "foresee_move" : "foresee_copy", u->nothing, args, 4);
}

/* The private side is given to the hook as its buffer.  The read is binding: where the bytes go
 * from memory that is not recorded is not known. */
static void emit_half_copy(struct function *f, struct record *r)
{
	struct unit *u = f->unit;
	bool fetch = r->action == ACT_FETCH;
	LLVMValueRef to = unit_pointer(u, LLVMGetOperand(r->inst, 0));
	LLVMValueRef from = unit_pointer(u, LLVMGetOperand(r->inst, 1));
	LLVMValueRef args[6] = { fetch ? from : to,
				 fetch ? to : from,
				 length_of(u, r->inst),
				 sites_number(f, r->site),
				 LLVMConstNull(LLVMPointerType(u->i64, 0)),
				 unit_int(u->i64, 0) };

	unit_hook(u, fetch ? "foresee_read_range" : "foresee_write_range", u->nothing, args,
		  fetch ? 5 : 6);
}

static void emit_fill(struct function *f, struct record *r)
{
	struct unit *u = f->unit;
	LLVMValueRef args[6] = {
		unit_pointer(u, LLVMGetOperand(r->inst, 0)),
		LLVMBuildZExt(u->builder, LLVMGetOperand(r->inst, 1), u->i32, ""),
		length_of(u, r->inst),
		sites_number(f, r->site),
		stack_keepers(f, r),
		unit_int(u->i64, r->feeds),
	};

	unit_hook(u, "foresee_fill", u->nothing, args, 6);
}

/* May the memory that is not private be watched? */
static LLVMValueRef range_watched(struct function *f, struct record *r)
{
	LLVMValueRef n = length_of(f->unit, r->inst);
	LLVMValueRef to =
		r->action == ACT_FETCH ? NULL : twin_watched(f, LLVMGetOperand(r->inst, 0), n);
	LLVMValueRef from = r->action == ACT_COPY || r->action == ACT_FETCH
				    ? twin_watched(f, LLVMGetOperand(r->inst, 1), n)
				    : NULL;

	return to && from ? LLVMBuildOr(f->unit->builder, to, from, "") : to ? to : from;
}

void range_emit(struct function *f, struct record *r)
{
	LLVMPositionBuilderBefore(f->unit->builder, r->inst);
	frozen_check(f, LLVMGetOperand(r->inst, 0));
	if (f->twin_of)
		twin_part(f, range_watched(f, r), r->inst);
	if (r->action == ACT_FILL)
		emit_fill(f, r);
	else if (r->action == ACT_COPY)
		emit_copy(f, r);
	else
		emit_half_copy(f, r);
	if (!f->twin_of)
		replace(r->inst, NULL);
}
