/*
 * Twins: the same function for guarded programs, where most accesses are nobody's affair (hooks.h).
 *
 * A twin is made of what the plan says, before anything is emitted.  It has the sites of the function, and its calls,
 * atomics and fences are emitted alike; a plain access stays what it was, beside a hook for the case that it may
 * touch what is watched.  No dependencies are followed, no loop runs on a buffer, and memory of the frame is not
 * announced: guards ask for none of that.
 *
 * There are two.  The one that trusts pointers runs where nothing is watched but variables in sight (sight.c), if
 * anything is, and none of those that the function touches itself: none of its accesses has a hook.  A stub before the
 * two looks which it is to be.
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

/* FORESEE_TWINS in the environment of the compiler makes objects smaller, sooner: `no' has none, `bare' those without
 * hooks only. */
static bool is_wanted(bool trusts)
{
	const char *twins = getenv("FORESEE_TWINS");

	return !twins || (strcmp(twins, "no") != 0 && (trusts || strcmp(twins, "bare") != 0));
}

/* Is there anything to gain? */
static bool is_plain(const struct record *r)
{
	return (r->action <= ACT_WRITE && !plan_is_atomic_access(r)) ||
	       (r->action >= ACT_COPY && r->action <= ACT_FILL);
}

/* The variables in sight that an access through p touches; two arms of a select may be (speculate.c). */
static void touch(struct function *out, LLVMValueRef p, bool writes)
{
	LLVMValueRef base = escape_base(p);

	if (LLVMIsASelectInst(base)) {
		touch(out, LLVMGetOperand(base, 1), writes);
		touch(out, LLVMGetOperand(base, 2), writes);
		return;
	}
	if (!sight_has(out->unit, base))
		return;
	for (size_t i = 0; i < out->touched.n; i++)
		if (out->touched.at[i].variable == base) {
			out->touched.at[i].written |= writes;
			return;
		}
	*VEC_PUSH(&out->touched) = (struct touched){ base, writes };
}

static void touch_all(struct function *out, const struct record *r)
{
	if (r->action <= ACT_WRITE) {
		touch(out, plan_pointer(r->inst), r->action == ACT_WRITE);
		return;
	}
	touch(out, LLVMGetOperand(r->inst, 0), true);
	if (r->action != ACT_FILL)
		touch(out, LLVMGetOperand(r->inst, 1), false);
}

/* A function that touches more of them asks: finding out were no shorter. */
#define TOUCHED_MOST 12u

void twin_make(const struct function *f, bool trusts, struct function *out)
{
	VEC(LLVMValueRef) insts = { 0 };
	bool pays = false;

	*out = (struct function){ .unit = f->unit, .twin_of = f->value };
	for (size_t i = 0; i < f->records.n; i++) {
		pays |= is_plain(&f->records.at[i]);
		if (trusts && is_plain(&f->records.at[i]))
			touch_all(out, &f->records.at[i]);
		*VEC_PUSH(&insts) = f->records.at[i].inst;
	}
	if (pays && is_wanted(trusts) && out->touched.n <= TOUCHED_MOST)
		out->value =
			extra_twin(f->value, trusts ? ".trusting" : ".guarded", insts.at, insts.n);
	for (size_t i = 0; out->value && i < f->records.n; i++) {
		const struct record *r = &f->records.at[i];

		if (trusts && is_plain(r))
			continue;
		*VEC_PUSH(&out->records) = (struct record){ .inst = insts.at[i],
							    .action = r->action,
							    .is_volatile = r->is_volatile,
							    .site = r->site };
		*map_put(&out->by_inst, (uintptr_t)insts.at[i], NULL) = out->records.n - 1;
	}
	VEC_RELEASE(&insts);
}

void twin_enter(struct function *f)
{
	struct unit *u = f->unit;

	f->low = watch_load(u, offsetof(struct foresee_watch, low), u->i64);
	f->span = watch_load(u, offsetof(struct foresee_watch, span), u->i64);
	f->high = LLVMBuildAdd(u->builder, f->low, f->span, "");
}

LLVMValueRef twin_meets(struct function *f, LLVMValueRef at, LLVMValueRef n)
{
	LLVMBuilderRef b = f->unit->builder;

	return LLVMBuildOr(
		b, LLVMBuildICmp(b, LLVMIntULT, LLVMBuildSub(b, at, f->low, ""), f->span, ""),
		LLVMBuildICmp(b, LLVMIntULT, LLVMBuildSub(b, f->low, at, ""), n, ""), "");
}

/* Is an access of the variable to have a hook, as far as that can be known before? */
static LLVMValueRef needs_hook(struct function *f, const struct touched *t)
{
	struct unit *u = f->unit;
	LLVMBuilderRef b = u->builder;
	uint64_t n = LLVMABISizeOfType(u->layout, LLVMGlobalGetValueType(t->variable));
	LLVMValueRef at = LLVMConstPtrToInt(t->variable, u->i64), watched;
	LLVMValueRef last = LLVMBuildAdd(b, at, unit_int(u->i64, n - 1), "");
	LLVMValueRef first = LLVMBuildAdd(b, f->low, unit_int(u->i64, FORESEE_TWIN_REACH - 1), "");

	if (n == 0)
		return LLVMConstNull(LLVMInt1TypeInContext(u->context));
	watched = LLVMBuildAnd(b, LLVMBuildICmp(b, LLVMIntUGE, last, first, ""),
			       LLVMBuildICmp(b, LLVMIntULT, at, f->high, ""), "");
	if (t->written || !frozen_is(u, t->variable))
		return watched;
	return LLVMBuildAnd(u->builder, watched, frozen_is_recorded(f), "");
}

/* Is the twin without hooks to run?  Where the builder stands. */
static LLVMValueRef is_trusted(struct unit *u, LLVMValueRef value, const struct function *trusts)
{
	struct function f = { .unit = u, .value = value };
	LLVMValueRef on = LLVMBuildICmp(
		u->builder, LLVMIntEQ, watch_load(u, offsetof(struct foresee_watch, twins), u->i32),
		unit_int(u->i32, FORESEE_TWINS_TRUST), "");

	if (trusts->touched.n)
		twin_enter(&f);
	for (size_t i = 0; i < trusts->touched.n; i++)
		on = LLVMBuildAnd(
			u->builder, on,
			LLVMBuildNot(u->builder, needs_hook(&f, &trusts->touched.at[i]), ""), "");
	return on;
}

/* A function that goes on in one or the other. */
static LLVMValueRef chooser(struct unit *u, const struct function *asks,
			    const struct function *trusts)
{
	LLVMValueRef f = extra_stub(asks->value, ".choose");
	LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f));

	LLVMPositionBuilderBefore(u->builder, first);
	LLVMSetCurrentDebugLocation2(u->builder, NULL);
	extra_forward(f, trusts->value, is_trusted(u, f, trusts), first);
	return f;
}

/* Where the function itself goes on in its twins, and which those are. */
static LLVMValueRef is_twin(struct unit *u, const struct function *f, const struct twins *t,
			    const struct function *trusts)
{
	if (!t->asks)
		return is_trusted(u, f->value, trusts);
	return LLVMBuildICmp(u->builder, LLVMIntNE,
			     watch_load(u, offsetof(struct foresee_watch, twins), u->i32),
			     unit_int(u->i32, FORESEE_TWINS_NOT), "");
}

void twin_forward(struct function *f, const struct function *asks, const struct function *trusts)
{
	struct unit *u = f->unit;
	LLVMValueRef first = extra_hoist_allocas(f->value);
	struct twins t = { .asks = asks->value,
			   .trusts = trusts->value,
			   .choice = asks->value ? asks->value : f->value,
			   .any = trusts->value && trusts->touched.n == 0 };

	if (t.asks && t.trusts)
		t.choice = chooser(u, asks, trusts);
	LLVMPositionBuilderBefore(u->builder, first);
	LLVMSetCurrentDebugLocation2(u->builder, NULL);
	extra_forward(f->value, t.asks ? t.choice : t.trusts, is_twin(u, f, &t, trusts), first);
	if (extra_is_final(f->value))
		*map_put(&u->twins_of, (uintptr_t)f->value, NULL) = u->twins.n;
	*VEC_PUSH(&u->twins) = t;
}

/* Which twins it is to be does not change once there are threads, so one goes on in others. */
static void calls_forward(struct unit *u, LLVMValueRef caller, bool trusts)
{
	UNIT_EACH(i, caller) {
		LLVMValueRef callee =
			LLVMIsACallInst(i) || LLVMIsAInvokeInst(i) ? LLVMGetCalledValue(i) : NULL;
		const uint64_t *at = callee ? map_get(&u->twins_of, (uintptr_t)callee) : NULL;
		const struct twins *t = at ? &u->twins.at[*at] : NULL;

		if (t)
			unit_set_callee(i, trusts && t->any ? t->trusts : t->choice);
	}
}

void twin_calls(struct unit *u)
{
	for (size_t i = 0; i < u->twins.n; i++) {
		if (u->twins.at[i].asks)
			calls_forward(u, u->twins.at[i].asks, false);
		if (u->twins.at[i].trusts)
			calls_forward(u, u->twins.at[i].trusts, true);
	}
}

void twin_hoist(struct function *f, void *analyses)
{
	VEC(LLVMValueRef) variables = { 0 };

	for (size_t i = 0; i < f->touched.n; i++)
		*VEC_PUSH(&variables) = f->touched.at[i].variable;
	if (variables.n && !unit_function_has(f->value, "optnone"))
		extra_loops_hoist(analyses, f->value, variables.at, variables.n);
	VEC_RELEASE(&variables);
}

/* Of memory that the program gets while it runs, most lies above its variables: one comparison. */
static LLVMValueRef watched_here(struct function *f, LLVMValueRef at)
{
	LLVMBuilderRef b = f->unit->builder;

	return LLVMBuildAnd(b, LLVMBuildICmp(b, LLVMIntULT, at, f->high, ""),
			    LLVMBuildICmp(b, LLVMIntUGE, at, f->low, ""), "");
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
