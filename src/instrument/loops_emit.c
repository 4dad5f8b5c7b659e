/*
 * The copy of a loop that runs on a buffer; loops.c has the picture.
 */
#include "instrument/loops_priv.h"

/* What is made for a loop. */
struct copy {
	const struct loop *l;
	struct unit *u;
	LLVMBuilderRef b;
	LLVMValueRef loop; /* struct foresee_loop */
	LLVMBasicBlockRef begin, round, copy, more;
	struct map of; /* instruction of the loop -> of the copy */
	LLVMValueRef first, portion,
		index; /* portions: the first, the one that runs; iteration of it */
	LLVMValueRef buffers[FORESEE_LANES];
};

/* In the copy; what is not of the loop is the same there. */
static LLVMValueRef copy_of(const struct copy *c, LLVMValueRef v)
{
	uint64_t *to = map_get(&c->of, (uintptr_t)v);

	return to ? (LLVMValueRef)(uintptr_t)*to : v;
}

static LLVMValueRef field(const struct copy *c, size_t offset, LLVMTypeRef type)
{
	LLVMValueRef index = unit_int(c->u->i64, offset);
	LLVMValueRef p = LLVMBuildInBoundsGEP2(c->b, c->u->i8, c->loop, &index, 1, "");

	return LLVMBuildBitCast(c->b, p, LLVMPointerType(type, 0), "");
}

static void set(const struct copy *c, size_t offset, LLVMValueRef v)
{
	LLVMBuildStore(c->b, v, field(c, offset, LLVMTypeOf(v)));
}

static size_t lane_at(size_t lane, size_t member)
{
	return offsetof(struct foresee_loop, lanes) + lane * sizeof(struct foresee_lane) + member;
}

static void set_lane(const struct copy *c, size_t i)
{
	const struct lane *n = &c->l->lanes.at[i];
	LLVMTypeRef i32 = c->u->i32, i64 = c->u->i64;

#define AT(member) lane_at(i, offsetof(struct foresee_lane, member))
	set(c, AT(p), unit_pointer(c->u, n->p));
	set(c, AT(stride), n->step);
	set(c, AT(mask), unit_int(i64, n->is.mask));
	set(c, AT(size), unit_int(i32, n->is.size));
	set(c, AT(site), sites_number(c->l->f, c->l->reaches.at[n->first].r->site));
	set(c, AT(flags), unit_int(i32, n->is.flags));
	set(c, AT(at), unit_int(i32, n->is.at));
#undef AT
}

/* What the runtime is told of the loop, in the frame. */
static void emit_begin(struct copy *c, size_t bytes)
{
	const struct loop *l = c->l;
	LLVMTypeRef words = LLVMArrayType(c->u->i64, (unsigned)(bytes / 8));
	LLVMValueRef keepers = l->f->keepers;
	bool named = false;

	LLVMPositionBuilderAtEnd(c->b, c->begin);
	c->loop = LLVMBuildBitCast(c->b, stack_buffer(l->f, words, STACK_LOOP), c->u->pointer, "");
	for (size_t i = 0; i < l->lanes.n; i++) {
		set_lane(c, i);
		named |= l->lanes.at[i].is.mask != 0;
	}
	set(c, offsetof(struct foresee_loop, left), l->count);
	set(c, offsetof(struct foresee_loop, keepers),
	    named ? keepers : LLVMConstNull(LLVMPointerType(c->u->i64, 0)));
	set(c, offsetof(struct foresee_loop, nlanes), unit_int(c->u->i64, l->lanes.n));
	c->first = unit_hook(c->u, "foresee_loop_begin", c->u->i64, &c->loop, 1);
	LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntEQ, c->first, unit_int(c->u->i64, 0), ""),
			l->block, c->round);
}

/* The block before the loop goes there too, if the loop is long enough. */
static void enter(struct copy *c)
{
	const struct loop *l = c->l;
	LLVMBasicBlockRef before = LLVMGetInstructionParent(l->end);
	LLVMValueRef least = unit_int(c->u->i64, FORESEE_LOOP_LEAST), v;

	LLVMPositionBuilderBefore(c->b, l->end);
	LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntUGE, l->count, least, ""), c->begin,
			l->block);
	LLVMInstructionEraseFromParent(l->end);
	for (LLVMValueRef phi = LLVMGetFirstInstruction(l->block); LLVMIsAPHINode(phi);
	     phi = LLVMGetNextInstruction(phi)) {
		v = LLVMGetIncomingValue(phi, LLVMGetIncomingBlock(phi, 0) == before ? 0 : 1);
		LLVMAddIncoming(phi, &v, &c->begin, 1);
	}
}

static bool is_debug(LLVMValueRef inst)
{
	const char *name = unit_intrinsic(inst);

	return name && unit_has_prefix(name, "llvm.dbg.");
}

static void copy_block(struct copy *c)
{
	LLVMValueRef from, to;

	c->copy = extra_clone_block(c->l->block);
	to = LLVMGetFirstInstruction(c->copy);
	for (from = LLVMGetFirstInstruction(c->l->block); from;
	     from = LLVMGetNextInstruction(from)) {
		if (is_debug(from))
			continue;
		*map_put(&c->of, (uintptr_t)from, NULL) = (uintptr_t)to;
		to = LLVMGetNextInstruction(to);
	}
}

static LLVMValueRef build_phi(struct copy *c, LLVMBasicBlockRef block, LLVMTypeRef type)
{
	LLVMValueRef first = LLVMGetFirstInstruction(block);

	if (first)
		LLVMPositionBuilderBefore(c->b, first);
	else
		LLVMPositionBuilderAtEnd(c->b, block);
	LLVMSetCurrentDebugLocation2(c->b, NULL);
	return LLVMBuildPhi(c->b, type, "");
}

static void add_incoming(LLVMValueRef phi, LLVMValueRef a, LLVMBasicBlockRef from_a, LLVMValueRef b,
			 LLVMBasicBlockRef from_b)
{
	LLVMAddIncoming(phi, &a, &from_a, 1);
	LLVMAddIncoming(phi, &b, &from_b, 1);
}

/* A value that goes from iteration to iteration goes from portion to portion as well. */
static void copy_phi(struct copy *c, LLVMValueRef phi)
{
	LLVMTypeRef type = LLVMTypeOf(phi);
	unsigned back = LLVMGetIncomingBlock(phi, 0) == c->l->block ? 0 : 1;
	LLVMValueRef start = LLVMGetIncomingValue(phi, back == 0 ? 1 : 0);
	LLVMValueRef last = copy_of(c, LLVMGetIncomingValue(phi, back));
	LLVMValueRef outer = build_phi(c, c->round, type), inner = copy_of(c, phi);

	add_incoming(outer, start, c->begin, last, c->more);
	add_incoming(inner, outer, c->round, last, c->copy);
}

/* The copy's own, which LLVM-C cannot change, are made anew; they may name each other. */
static void copy_phis(struct copy *c)
{
	LLVMValueRef phi, old, made;

	for (phi = LLVMGetFirstInstruction(c->l->block); LLVMIsAPHINode(phi);
	     phi = LLVMGetNextInstruction(phi)) {
		old = copy_of(c, phi);
		made = build_phi(c, c->copy, LLVMTypeOf(phi));
		LLVMReplaceAllUsesWith(old, made);
		LLVMInstructionEraseFromParent(old);
		*map_put(&c->of, (uintptr_t)phi, NULL) = (uintptr_t)made;
	}
	for (phi = LLVMGetFirstInstruction(c->l->block); LLVMIsAPHINode(phi);
	     phi = LLVMGetNextInstruction(phi))
		copy_phi(c, phi);
	c->portion = build_phi(c, c->round, c->u->i64);
	c->index = build_phi(c, c->copy, c->u->i64);
}

static void emit_round(struct copy *c)
{
	LLVMPositionBuilderAtEnd(c->b, c->round);
	for (size_t i = 0; i < c->l->lanes.n; i++)
		c->buffers[i] = LLVMBuildLoad2(
			c->b, c->u->pointer,
			field(c, lane_at(i, offsetof(struct foresee_lane, buffer)), c->u->pointer),
			"");
	LLVMBuildBr(c->b, c->copy);
}

/* The most that the bytes of an access in the buffer are aligned by. */
static unsigned alignment(const struct lane *n, int64_t offset)
{
	uint64_t bits = n->is.size | (uint64_t)offset | 16;

	return (unsigned)(bits & -bits);
}

static void copy_access(const struct copy *c, const struct reach *x)
{
	const struct lane *n = &c->l->lanes.at[x->lane];
	int64_t step = n->is.flags & FORESEE_LANE_DOWN ? -(int64_t)n->is.size : n->is.size;
	LLVMValueRef old = copy_of(c, x->r->inst), at, made;
	LLVMTypeRef type = plan_type(x->r->inst);

	LLVMPositionBuilderBefore(c->b, old);
	at = LLVMBuildMul(c->b, c->index, unit_int(c->u->i64, (uint64_t)step), "");
	at = LLVMBuildAdd(c->b, at, unit_int(c->u->i64, (uint64_t)(x->offset - n->low)), "");
	at = LLVMBuildInBoundsGEP2(c->b, c->u->i8, c->buffers[x->lane], &at, 1, "");
	at = LLVMBuildBitCast(c->b, at, LLVMPointerType(type, 0), "");
	if (x->r->action == ACT_READ) {
		made = LLVMBuildLoad2(c->b, type, at, "");
		LLVMReplaceAllUsesWith(old, made);
		*map_get(&c->of, (uintptr_t)x->r->inst) = (uintptr_t)made;
	} else {
		made = LLVMBuildStore(c->b, LLVMGetOperand(old, 0), at);
	}
	LLVMSetAlignment(made, alignment(n, x->offset - n->low));
	LLVMInstructionEraseFromParent(old);
}

/* The end of an iteration, and of a portion. */
static void emit_end(struct copy *c)
{
	LLVMValueRef zero = unit_int(c->u->i64, 0), next, more;

	LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(c->copy));
	LLVMPositionBuilderAtEnd(c->b, c->copy);
	next = LLVMBuildAdd(c->b, c->index, unit_int(c->u->i64, 1), "");
	LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntEQ, next, c->portion, ""), c->more,
			c->copy);
	LLVMPositionBuilderAtEnd(c->b, c->more);
	more = unit_hook(c->u, "foresee_loop_next", c->u->i64, &c->loop, 1);
	LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntEQ, more, zero, ""), c->l->after,
			c->round);
	add_incoming(c->index, zero, c->round, next, c->copy);
	add_incoming(c->portion, c->first, c->begin, more, c->more);
}

/* All that is used after the loop is in these. */
static void leave(struct copy *c)
{
	for (LLVMValueRef phi = LLVMGetFirstInstruction(c->l->after); LLVMIsAPHINode(phi);
	     phi = LLVMGetNextInstruction(phi)) {
		LLVMValueRef v = copy_of(c, LLVMGetIncomingValue(phi, 0));

		LLVMAddIncoming(phi, &v, &c->more, 1);
	}
}

static void emit_loop(struct function *f, const struct loop *l)
{
	struct copy c = { .l = l, .u = f->unit, .b = f->unit->builder };

	c.begin = LLVMAppendBasicBlockInContext(f->unit->context, f->value, "");
	c.round = LLVMAppendBasicBlockInContext(f->unit->context, f->value, "");
	c.more = LLVMAppendBasicBlockInContext(f->unit->context, f->value, "");
	enter(&c);
	emit_begin(&c, lane_at(l->lanes.n, 0));
	copy_block(&c);
	copy_phis(&c);
	emit_round(&c);
	for (size_t i = 0; i < l->reaches.n; i++)
		copy_access(&c, &l->reaches.at[i]);
	emit_end(&c);
	leave(&c);
	map_release(&c.of);
}

void loops_emit(struct function *f)
{
	for (size_t i = 0; i < f->loops.n; i++) {
		emit_loop(f, f->loops.at[i]);
		loop_release(f->loops.at[i]);
	}
}
