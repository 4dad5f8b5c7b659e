/*
 * Twins: the same function for guarded programs, where most accesses are nobody's affair (hooks.h).
 *
 * A twin is made of what the plan says, before anything is emitted.  It has the sites of the function, and its calls,
 * atomics and fences are emitted alike; a plain access stays what it was, beside a hook for the case that it may
 * touch what is watched.  No dependencies are followed, no loop runs on a buffer, and memory of the frame is not
 * announced: guards ask for none of that.
 */
#include "instrument/unit_priv.h"

void twin_begin(struct unit *u)
{
	LLVMValueRef fields[] = { unit_int(u->i64, FORESEE_NO_ADDRESS), unit_int(u->i64, 0),
				  unit_int(u->i32, 0), unit_int(u->i32, 0) };

	_Static_assert(sizeof(struct foresee_watch) == 24, "these fields");
	LLVMValueRef init = LLVMConstStructInContext(u->context, fields, 4, 0);

	u->watch = unit_global(u, LLVMTypeOf(init), init, "foresee.watch", false);
}

static LLVMValueRef watch_load(struct unit *u, size_t offset, LLVMTypeRef type)
{
	LLVMValueRef index = unit_int(u->i64, offset);
	LLVMValueRef p =
		LLVMConstInBoundsGEP2(u->i8, LLVMConstBitCast(u->watch, u->pointer), &index, 1);

	return LLVMBuildLoad2(u->builder, type, LLVMConstBitCast(p, LLVMPointerType(type, 0)), "");
}

/* FORESEE_TWINS=no in the environment of the compiler: smaller objects, sooner. */
static bool are_wanted(void)
{
	const char *twins = getenv("FORESEE_TWINS");

	return !(twins && strcmp(twins, "no") == 0);
}

/* Is there anything to gain? */
static bool is_plain(const struct record *r)
{
	return (r->action <= ACT_WRITE && !plan_is_atomic_access(r)) ||
	       (r->action >= ACT_COPY && r->action <= ACT_FILL);
}

bool twin_make(const struct function *f, struct function *out)
{
	VEC(LLVMValueRef) insts = { 0 };
	bool pays = false, wanted = are_wanted();

	*out = (struct function){ .unit = f->unit, .twin_of = f->value };
	for (size_t i = 0; i < f->records.n; i++) {
		pays |= is_plain(&f->records.at[i]);
		*VEC_PUSH(&insts) = f->records.at[i].inst;
	}
	if (pays && wanted)
		out->value = extra_twin(f->value, insts.at, insts.n);
	for (size_t i = 0; out->value && i < f->records.n; i++) {
		const struct record *r = &f->records.at[i];

		*VEC_PUSH(&out->records) = (struct record){ .inst = insts.at[i],
							    .action = r->action,
							    .is_volatile = r->is_volatile,
							    .site = r->site };
		*map_put(&out->by_inst, (uintptr_t)insts.at[i], NULL) = i;
	}
	VEC_RELEASE(&insts);
	return out->value != NULL;
}

void twin_forward(struct function *f, LLVMValueRef twin)
{
	struct unit *u = f->unit;
	LLVMValueRef first = extra_hoist_allocas(f->value), on;

	LLVMPositionBuilderBefore(u->builder, first);
	LLVMSetCurrentDebugLocation2(u->builder, NULL);
	on = LLVMBuildICmp(u->builder, LLVMIntNE,
			   watch_load(u, offsetof(struct foresee_watch, twins), u->i32),
			   unit_int(u->i32, 0), "");
	extra_forward(f->value, twin, on, first);
}

void twin_enter(struct function *f)
{
	struct unit *u = f->unit;

	f->low = watch_load(u, offsetof(struct foresee_watch, low), u->i64);
	f->span = watch_load(u, offsetof(struct foresee_watch, span), u->i64);
	f->high = LLVMBuildAdd(u->builder, f->low, f->span, "");
}

/* Of memory that the program gets while it runs, most lies above its variables: one comparison. */
static LLVMValueRef watched_here(struct function *f, LLVMValueRef at)
{
	LLVMBuilderRef b = f->unit->builder;

	return LLVMBuildAnd(b, LLVMBuildICmp(b, LLVMIntULT, at, f->high, ""),
			    LLVMBuildICmp(b, LLVMIntUGE, at, f->low, ""), "");
}

LLVMValueRef twin_meets(struct function *f, LLVMValueRef at, LLVMValueRef n)
{
	LLVMBuilderRef b = f->unit->builder;

	return LLVMBuildOr(
		b, LLVMBuildICmp(b, LLVMIntULT, LLVMBuildSub(b, at, f->low, ""), f->span, ""),
		LLVMBuildICmp(b, LLVMIntULT, LLVMBuildSub(b, f->low, at, ""), n, ""), "");
}

LLVMValueRef twin_watched(struct function *f, LLVMValueRef p, LLVMValueRef n)
{
	struct unit *u = f->unit;
	LLVMValueRef at = LLVMBuildPtrToInt(u->builder, p, u->i64, "");

	if (!LLVMIsAConstantInt(n) || LLVMConstIntGetZExtValue(n) > FORESEE_TWIN_REACH)
		return twin_meets(f, at, n);
	if (!LLVMIsConstant(p))
		return watched_here(f, at);
	return LLVMBuildICmp(u->builder, LLVMIntULT, LLVMBuildSub(u->builder, at, f->low, ""),
			     f->span, "");
}

void twin_part(struct function *f, LLVMValueRef cond, LLVMValueRef inst)
{
	LLVMPositionBuilderBefore(f->unit->builder, extra_branch_around(cond, inst));
}
