/*
 * Atomic accesses and fences as hook calls.  The plan lets through only what
 * a hook can do: 1, 2, 4, 8 bytes, and 16 for load, store and cmpxchg.
 */
#include "instrument/unit_priv.h"

static LLVMValueRef order_of(struct unit *u, LLVMValueRef inst)
{
	return unit_int(u->i32, (uint64_t)extra_order(inst, false));
}

/* A buffer in the frame, holding v if given, as i8*. */
static LLVMValueRef buffer_for(struct function *f, LLVMTypeRef type, LLVMValueRef v,
			       enum stack_use use, LLVMValueRef *buffer)
{
	*buffer = stack_buffer(f, type, use);
	if (v)
		LLVMBuildStore(f->unit->builder, v, *buffer);
	return unit_pointer(f->unit, *buffer);
}

/* Of 16 bytes, by way of a buffer. */
static LLVMValueRef emit_wide(struct function *f, struct record *r)
{
	struct unit *u = f->unit;
	LLVMTypeRef type = plan_type(r->inst);
	bool read = r->action == ACT_READ;
	LLVMValueRef buffer;
	LLVMValueRef args[4] = { unit_pointer(u, plan_pointer(r->inst)),
				 buffer_for(f, type, read ? NULL : LLVMGetOperand(r->inst, 0),
					    STACK_VALUE, &buffer),
				 order_of(u, r->inst), sites_number(f, r->site) };

	unit_hook(u, read ? "foresee_aread16" : "foresee_awrite16", u->nothing, args, 4);
	return read ? LLVMBuildLoad2(u->builder, type, buffer, "") : NULL;
}

static LLVMValueRef emit_read(struct function *f, struct record *r, uint32_t size)
{
	struct unit *u = f->unit;
	char name[32];
	LLVMValueRef args[4] = { unit_pointer(u, plan_pointer(r->inst)), order_of(u, r->inst),
				 sites_number(f, r->site), stack_keeper(f, r) };

	snprintf(name, sizeof(name), "foresee_aread%u", size);
	return access_from_int(
		u, unit_hook(u, name, LLVMIntTypeInContext(u->context, 8 * size), args, 4),
		plan_type(r->inst));
}

static void emit_write(struct function *f, struct record *r, uint32_t size)
{
	struct unit *u = f->unit;
	char name[32];
	LLVMValueRef args[6] = { unit_pointer(u, plan_pointer(r->inst)),
				 access_to_int(u, LLVMGetOperand(r->inst, 0), size),
				 order_of(u, r->inst),
				 sites_number(f, r->site),
				 stack_keepers(f, r),
				 unit_int(u->i64, r->feeds) };

	snprintf(name, sizeof(name), "foresee_awrite%u", size);
	unit_hook(u, name, u->nothing, args, 6);
}

static uint64_t rmw_op(LLVMValueRef inst)
{
	const char *op = extra_rmw_name(inst);

#define X(id, name)            \
	if (!strcmp(op, name)) \
		return FORESEE_RMW_##id;
	FORESEE_RMW_OPS(X)
#undef X
	assert(!"the plan let an unknown rmw through");
	return 0;
}

/* The hook adds the rmw itself to its feeds: at the call its keeper holds the instance before. */
static LLVMValueRef emit_rmw(struct function *f, struct record *r, uint32_t size)
{
	struct unit *u = f->unit;
	struct record others = *r;
	char name[32];

	if (r->free)
		others.feeds &= ~(1ull << r->keeper);
	LLVMValueRef args[8] = { unit_pointer(u, plan_pointer(r->inst)),
				 access_to_int(u, LLVMGetOperand(r->inst, 1), size),
				 unit_int(u->i32, rmw_op(r->inst)),
				 order_of(u, r->inst),
				 sites_number(f, r->site),
				 stack_keepers(f, &others),
				 unit_int(u->i64, others.feeds),
				 stack_keeper(f, r) };

	snprintf(name, sizeof(name), "foresee_armw%u", size);
	return access_from_int(
		u, unit_hook(u, name, LLVMIntTypeInContext(u->context, 8 * size), args, 8),
		plan_type(r->inst));
}

/* The result of cmpxchg is the pair { old value, success }. */
static LLVMValueRef emit_cas(struct function *f, struct record *r, uint32_t size)
{
	struct unit *u = f->unit;
	LLVMTypeRef type = plan_type(r->inst);
	LLVMValueRef expected, desired, success, pair;
	char name[32];
	LLVMValueRef args[6] = {
		unit_pointer(u, plan_pointer(r->inst)),
		buffer_for(f, type, LLVMGetOperand(r->inst, 1), STACK_VALUE, &expected),
		NULL,
		order_of(u, r->inst),
		unit_int(u->i32, (uint64_t)extra_order(r->inst, true)),
		sites_number(f, r->site),
	};

	if (size)
		args[2] = access_to_int(u, LLVMGetOperand(r->inst, 2), size);
	else
		args[2] = buffer_for(f, type, LLVMGetOperand(r->inst, 2), STACK_OTHER_VALUE,
				     &desired);
	snprintf(name, sizeof(name), "foresee_acas%u", size ? size : 16);
	success = unit_hook(u, name, u->i8, args, 6);
	success = LLVMBuildICmp(u->builder, LLVMIntNE, success, unit_int(u->i8, 0), "");
	pair = LLVMBuildInsertValue(u->builder, LLVMGetUndef(LLVMTypeOf(r->inst)),
				    LLVMBuildLoad2(u->builder, type, expected, ""), 0, "");
	return LLVMBuildInsertValue(u->builder, pair, success, 1, "");
}

static void emit_fence(struct function *f, struct record *r)
{
	LLVMValueRef args[2] = { order_of(f->unit, r->inst), sites_number(f, r->site) };

	unit_hook(f->unit, "foresee_fence", f->unit->nothing, args, 2);
}

void atomic_emit(struct function *f, struct record *r)
{
	uint32_t size = r->action == ACT_FENCE ? 0 : plan_scalar_size(f->unit, plan_type(r->inst));
	LLVMValueRef by = NULL;

	LLVMPositionBuilderBefore(f->unit->builder, r->inst);
	if (r->action == ACT_FENCE)
		emit_fence(f, r);
	else if (r->action == ACT_RMW)
		by = emit_rmw(f, r, size);
	else if (r->action == ACT_CAS)
		by = emit_cas(f, r, size);
	else if (!size)
		by = emit_wide(f, r);
	else if (r->action == ACT_READ)
		by = emit_read(f, r, size);
	else
		emit_write(f, r, size);
	if (by)
		LLVMReplaceAllUsesWith(r->inst, by);
	LLVMInstructionEraseFromParent(r->inst);
}
