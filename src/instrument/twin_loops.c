/*
 * Loops of twins ask once, before they begin, whether they may touch what is watched.
 *
 *	       check		does any of the ranges meet what is watched?
 *	      /     \\
 *	    loop    copy	the copy has no hooks
 *	      \\     /
 *	       after
 *
 * Which loops: those with none in them, of which it is known before how often they go back at most, and in which
 * nothing matters but accesses whose addresses stay, or go on by the same number of bytes.  An access that is not made in every
 * iteration lies in the range all the same.  Addresses that go on together are one range.
 */
#include "instrument/unit_priv.h"

#define RANGES_MOST 8u
#define LEAST 3u	       /* iterations that are worth the question */
#define TAME (1ull << 40)      /* iterations, */
#define TAME_STEP (1ull << 22) /* and bytes of a step, whose product does not overflow */

/* In the first iteration bytes low to high from p; in each that follows by stride bytes further. */
struct range {
	LLVMValueRef pointer; /* of one of its accesses */
	bool stays;
	int64_t stride; /* 0: it stays, or that is not a constant */
	int64_t low, high;
	LLVMValueRef p, step; /* code */
};

struct twin_loop {
	struct function *f;
	void *analyses;
	LLVMBasicBlockRef header;
	LLVMValueRef most, branch;
	VEC(struct range) ranges;
};

/* ---- which loops, and what they touch ---- */

static bool range_describe(const struct twin_loop *l, LLVMValueRef pointer, struct range *out)
{
	*out = (struct range){ .pointer = pointer };
	out->stays = extra_loop_stays(l->analyses, l->header, pointer);
	return out->stays || (extra_loop_walks(l->analyses, l->header, pointer, &out->stride) &&
			      (uint64_t)out->stride + TAME_STEP <= 2 * TAME_STEP);
}

/* Does it go on as `range' does, so and so many bytes further? */
static bool lies_beside(const struct twin_loop *l, const struct range *range,
			const struct range *other, int64_t *offset)
{
	*offset = 0;
	if (range->stays || other->stays || range->stride == 0)
		return range->pointer == other->pointer;
	return range->stride == other->stride &&
	       extra_loop_distance(l->analyses, range->pointer, other->pointer, offset) &&
	       (uint64_t)*offset + TAME_STEP <= 2 * TAME_STEP;
}

static bool range_add(struct twin_loop *l, const struct record *r)
{
	struct range range;
	int64_t size, offset;

	if (r->action > ACT_WRITE ||
	    plan_is_atomic_access(r)) /* a fence has no type, to begin with */
		return false;
	size = (int64_t)LLVMStoreSizeOfType(l->f->unit->layout, plan_type(r->inst));
	if (size > (int64_t)TAME_STEP || !range_describe(l, plan_pointer(r->inst), &range))
		return false;
	for (size_t i = 0; i < l->ranges.n; i++) {
		struct range *o = &l->ranges.at[i];

		if (!lies_beside(l, o, &range, &offset))
			continue;
		o->low = offset < o->low ? offset : o->low;
		o->high = offset + size > o->high ? offset + size : o->high;
		return true;
	}
	range.high = size;
	*VEC_PUSH(&l->ranges) = range;
	return l->ranges.n <= RANGES_MOST;
}

static bool ranges_find(struct twin_loop *l)
{
	LLVMBasicBlockRef b;

	for (unsigned i = 0; (b = extra_loop_block(l->analyses, l->header, i)); i++)
		for (LLVMValueRef k = LLVMGetFirstInstruction(b); k;
		     k = LLVMGetNextInstruction(k)) {
			struct record *r = plan_find(l->f, k);

			if (r && !range_add(l, r))
				return false;
		}
	return l->ranges.n != 0;
}

/* Code for all that is not constant, in the block before the loop, and the copy. */
static void compute(struct twin_loop *l)
{
	l->most = extra_loop_most(l->analyses, l->header);
	for (size_t i = 0; i < l->ranges.n; i++) {
		struct range *r = &l->ranges.at[i];

		r->p = (r->stays ? extra_loop_address : extra_loop_start)(l->analyses, l->header,
									  r->pointer);
		if (!r->stays)
			r->step = extra_loop_stride(l->analyses, l->header, r->pointer);
	}
	l->branch = extra_loop_copy(l->analyses, l->header);
}

static void loop_release(struct twin_loop *l)
{
	VEC_RELEASE(&l->ranges);
	mem_free(l);
}

void twin_loops_find(struct function *f, void *analyses)
{
	VEC(LLVMBasicBlockRef) blocks = { 0 };

	if (!loops_are_wanted(f))
		return;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f->value); b;
	     b = LLVMGetNextBasicBlock(b))
		*VEC_PUSH(&blocks) = b;
	extra_loops_begin(analyses, f->value);
	for (size_t i = 0; i < blocks.n; i++) {
		struct twin_loop *l = mem_alloc(sizeof(*l));

		*l = (struct twin_loop){ .f = f, .analyses = analyses, .header = blocks.at[i] };
		if (extra_loop_is_inner(analyses, l->header, LEAST) && ranges_find(l)) {
			compute(l);
			*VEC_PUSH(&f->bare) = l;
		} else {
			loop_release(l);
		}
	}
	VEC_RELEASE(&blocks);
}

/* ---- the question ---- */

/* Bytes from low up, at which the last iteration is; *from: the lower of that and the first. */
static LLVMValueRef reach(struct unit *u, const struct twin_loop *l, const struct range *r,
			  LLVMValueRef *from)
{
	LLVMBuilderRef b = u->builder;
	LLVMValueRef zero = unit_int(u->i64, 0), far, down;

	*from = zero;
	if (r->stays)
		return zero;
	far = LLVMBuildMul(b, l->most, r->step, "");
	if (r->stride > 0)
		return far;
	down = LLVMBuildICmp(b, LLVMIntSLT, r->step, zero, "");
	*from = LLVMBuildSelect(b, down, far, zero, "");
	return LLVMBuildSelect(b, down, LLVMBuildNeg(b, far, ""), far, "");
}

/* May the range meet what is watched, or be none? */
static LLVMValueRef range_watched(struct function *f, const struct twin_loop *l,
				  const struct range *r)
{
	struct unit *u = f->unit;
	LLVMBuilderRef b = u->builder;
	LLVMValueRef from, bytes = reach(u, l, r, &from), p, meets, wild;

	p = LLVMBuildAdd(b, LLVMBuildPtrToInt(b, r->p, u->i64, ""), from, "");
	p = LLVMBuildAdd(b, p, unit_int(u->i64, (uint64_t)r->low), "");
	bytes = LLVMBuildAdd(b, bytes, unit_int(u->i64, (uint64_t)(r->high - r->low)), "");
	meets = twin_meets(f, p, bytes);
	if (r->stays || r->stride != 0)
		return meets;
	wild = LLVMBuildAdd(b, r->step, unit_int(u->i64, TAME_STEP), "");
	wild = LLVMBuildICmp(b, LLVMIntUGT, wild, unit_int(u->i64, 2 * TAME_STEP), "");
	return LLVMBuildOr(b, meets, wild, "");
}

static void ask(struct function *f, const struct twin_loop *l)
{
	struct unit *u = f->unit;
	LLVMValueRef cond;

	LLVMPositionBuilderBefore(u->builder, l->branch);
	LLVMSetCurrentDebugLocation2(u->builder, NULL);
	cond = LLVMBuildICmp(u->builder, LLVMIntUGE, l->most, unit_int(u->i64, TAME), "");
	for (size_t i = 0; i < l->ranges.n; i++)
		cond = LLVMBuildOr(u->builder, cond, range_watched(f, l, &l->ranges.at[i]), "");
	LLVMSetCondition(l->branch, cond);
}

void twin_loops_emit(struct function *f)
{
	for (size_t i = 0; i < f->bare.n; i++) {
		ask(f, f->bare.at[i]);
		loop_release(f->bare.at[i]);
	}
}
