/*
 * Loops as ranges.
 *
 * Each access of a loop is a call of a hook, and an event.  But what the innermost loops of numeric code
 * touch is known before they begin: so many iterations, each so many bytes further.  Such a loop is
 * copied, and the copy works on a buffer that one hook has filled, and whose results one hook
 * stores (hooks.h has the contract):
 *
 *	       before                    at least FORESEE_LOOP_LEAST iterations?
 *	        |   \                            n = count
 *	        |   begin                 portion = foresee_loop_begin()
 *	        |   /   \                           0: the ordinary way
 *	        loop    round <----+
 *	        |         |        |
 *	        |        copy      |      `portion' iterations
 *	        |         |        |
 *	        |        more -----+      portion = foresee_loop_next()
 *	         \       /
 *	          after
 *
 * Which loops: one block, left at its end; every recorded access a plain load or store whose address goes on
 * by a fixed number of bytes; nothing else that matters (calls, atomics, volatile accesses, code that is
 * not modelled).  Whether reads and writes overlap is found out by the runtime, each time.  What is written
 * is written in the order of the loop, so memory has no state that it would not have there: one place
 * that writes (unrolled or not).
 *
 * The facts are those of the loop.  In the copy a free read may be named only as a whole, with
 * all others of its portion, by the writes of the same portion: so where one is not part of a range, or
 * feeds a write elsewhere, the loop is left alone.
 */
#include "instrument/loops_priv.h"

/* ---- which loops, and what they touch ---- */

static bool is_loop(LLVMBasicBlockRef b)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(b);

	return end && LLVMIsABranchInst(end) && LLVMIsConditional(end) &&
	       (LLVMGetSuccessor(end, 0) == b) != (LLVMGetSuccessor(end, 1) == b);
}

/* A read that is compared, or decides later, is free but for that, which a range cannot say. */
static bool is_plain(const struct loop *l, const struct record *r)
{
	return r->action <= ACT_WRITE && !r->is_volatile && !r->tested && !r->late &&
	       !plan_is_atomic_access(r) && !frozen_is(l->f->unit, plan_pointer(r->inst));
}

/* Types without bits that memory does not have. */
static bool is_whole(const struct unit *u, LLVMTypeRef type)
{
	uint64_t size = LLVMStoreSizeOfType(u->layout, type);

	return LLVMSizeOfTypeInBits(u->layout, type) == 8 * size && size <= FORESEE_LANE_SIZE &&
	       (size & (size - 1)) == 0;
}

static bool add_reach(struct loop *l, struct record *r)
{
	struct reach reach = { .r = r };
	LLVMTypeRef type;

	if (!is_plain(l, r)) /* a fence has no type, to begin with */
		return false;
	type = plan_type(r->inst);
	if (!is_whole(l->f->unit, type) ||
	    !extra_loop_walks(l->analyses, l->block, plan_pointer(r->inst), &reach.stride))
		return false;
	reach.size = (uint32_t)LLVMStoreSizeOfType(l->f->unit->layout, type);
	*VEC_PUSH(&l->reaches) = reach;
	l->kept |= r->free ? 1ull << r->keeper : 0;
	return true;
}

static bool find_reaches(struct loop *l)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(l->block); i; i = LLVMGetNextInstruction(i)) {
		struct record *r = plan_find(l->f, i);

		if (r && !add_reach(l, r))
			return false;
	}
	return l->reaches.n != 0;
}

/* Does a free read of the loop feed something that is not in it? */
static bool feeds_others(const struct loop *l)
{
	for (size_t i = 0; i < l->f->records.n; i++) {
		const struct record *r = &l->f->records.at[i];

		if ((r->feeds & l->kept) && LLVMGetInstructionParent(r->inst) != l->block)
			return true;
	}
	return false;
}

/* ---- lanes ---- */

static uint64_t distance_of(int64_t stride)
{
	return stride < 0 ? -(uint64_t)stride : (uint64_t)stride;
}

/* One place of the source, unrolled: the report of one is that of the other. */
static bool is_same_place(const struct loop *l, const struct record *a, const struct record *b)
{
	const struct foresee_site *x = &l->f->unit->sites.at[a->site],
				  *y = &l->f->unit->sites.at[b->site];

	return x->line == y->line && x->column == y->column && x->file == y->file &&
	       x->function == y->function && x->variable == y->variable && x->inlined == y->inlined;
}

/* May b lie beside a, in the same lane?  *offset: b's from a's. */
static bool lies_beside(const struct loop *l, const struct reach *a, const struct reach *b,
			int64_t *offset)
{
	return a->r->action == b->r->action && a->r->free == b->r->free && a->stride != 0 &&
	       a->stride == b->stride && a->size == b->size && is_same_place(l, a->r, b->r) &&
	       extra_loop_distance(l->analyses, plan_pointer(a->r->inst), plan_pointer(b->r->inst),
				   offset) &&
	       distance_of(*offset) < distance_of(a->stride) && distance_of(*offset) % a->size == 0;
}

/* Another access at the same place does not count. */
static bool is_taken(const struct loop *l, size_t lane, int64_t offset)
{
	for (size_t i = 0; i < l->reaches.n; i++)
		if (l->reaches.at[i].lane == lane && l->reaches.at[i].offset == offset)
			return true;
	return false;
}

static void lane_take(struct loop *l, size_t i, size_t lane, int64_t offset)
{
	struct lane *n = &l->lanes.at[lane];
	struct reach *x = &l->reaches.at[i];

	n->count += !is_taken(l, lane, offset);
	x->lane = lane;
	x->offset = offset;
	if (offset < n->low) {
		n->low = offset;
		n->first = i;
	}
	n->high = offset + x->size > n->high ? offset + x->size : n->high;
}

#define NO_LANE SIZE_MAX

static void lane_begin(struct loop *l, size_t i)
{
	size_t lane = l->lanes.n;
	struct reach *x = &l->reaches.at[i];

	*VEC_PUSH(&l->lanes) = (struct lane){ .stride = x->stride, .first = i, .high = x->size };
	x->lane = NO_LANE;
	lane_take(l, i, lane, 0);
}

static size_t lane_size(const struct lane *n)
{
	return (size_t)(n->high - n->low);
}

/* Its accesses lie one behind the other, and the next iteration goes on there. */
static bool is_filled(const struct loop *l, const struct lane *n)
{
	return n->count * l->reaches.at[n->first].size == lane_size(n) &&
	       lane_size(n) == distance_of(n->stride);
}

/* Lanes of accesses that lie beside each other; each: one for every access. */
static void find_lanes(struct loop *l, bool each)
{
	VEC_CLEAR(&l->lanes);
	for (size_t i = 0; i < l->reaches.n; i++)
		l->reaches.at[i].lane = NO_LANE;
	for (size_t i = 0; i < l->reaches.n; i++) {
		int64_t offset = 0;
		size_t k = 0;

		while (k < i &&
		       (each || !lies_beside(l, &l->reaches.at[k], &l->reaches.at[i], &offset)))
			k++;
		if (k == i)
			lane_begin(l, i);
		else
			lane_take(l, i, l->reaches.at[k].lane, l->reaches.at[k].offset + offset);
	}
}

static bool lanes_are_filled(const struct loop *l)
{
	for (size_t i = 0; i < l->lanes.n; i++)
		if (l->lanes.at[i].count > 1 && !is_filled(l, &l->lanes.at[i]))
			return false;
	return true;
}

/* What the runtime is told of it.  False: it cannot be told. */
static bool lane_describe(struct loop *l, size_t lane)
{
	struct lane *n = &l->lanes.at[lane];
	const struct record *r = l->reaches.at[n->first].r;
	bool writes = r->action == ACT_WRITE;
	bool range = is_filled(l, n) && !(writes && n->stride < 0); /* a range is written upwards */
	uint64_t feeds = 0;

	n->is.size = (uint32_t)lane_size(n);
	n->is.at = writes ? UINT32_MAX : 0;
	for (size_t i = 0; i < l->reaches.n; i++) {
		uint32_t at = (uint32_t)i;

		if (l->reaches.at[i].lane != lane)
			continue;
		feeds |= l->reaches.at[i].r->feeds;
		if (writes ? at < n->is.at : at > n->is.at)
			n->is.at = at;
	}
	n->is.mask = feeds & ~l->kept;
	n->is.flags = (writes ? FORESEE_LANE_WRITES : 0) | (r->free ? FORESEE_LANE_FREE : 0) |
		      (feeds & l->kept ? FORESEE_LANE_FED : 0) |
		      (!range	       ? 0
		       : n->stride < 0 ? FORESEE_LANE_DOWN
				       : FORESEE_LANE_TIGHT);
	return n->is.size <= FORESEE_LANE_SIZE &&
	       (range || !(n->is.flags & (FORESEE_LANE_FREE | FORESEE_LANE_FED)));
}

/* Lanes that have all of these flags. */
static size_t count_lanes(const struct loop *l, uint32_t flags)
{
	size_t n = 0;

	for (size_t i = 0; i < l->lanes.n; i++)
		n += (l->lanes.at[i].is.flags & flags) == flags;
	return n;
}

/* Those of a loop that writes a range are ranges where they can. */
static void mark_once(struct loop *l)
{
	for (size_t i = 0; i < l->lanes.n; i++)
		if (l->lanes.at[i].is.flags & (FORESEE_LANE_TIGHT | FORESEE_LANE_DOWN))
			l->lanes.at[i].is.flags |= FORESEE_LANE_ONCE;
}

static bool describe_lanes(struct loop *l)
{
	find_lanes(l, false);
	if (!lanes_are_filled(l))
		find_lanes(l, true);
	if (l->lanes.n > FORESEE_LANES)
		return false;
	for (size_t i = 0; i < l->lanes.n; i++)
		if (!lane_describe(l, i))
			return false;
	if (count_lanes(l, FORESEE_LANE_WRITES | FORESEE_LANE_TIGHT))
		mark_once(l);
	return count_lanes(l, FORESEE_LANE_WRITES) <= 1;
}

/* Code for all that is not constant, in the block before the loop. */
static void compute(struct loop *l)
{
	l->count = extra_loop_count(l->analyses, l->block);
	for (size_t i = 0; i < l->lanes.n; i++) {
		struct lane *n = &l->lanes.at[i];
		LLVMValueRef p = plan_pointer(l->reaches.at[n->first].r->inst);

		n->p = extra_loop_start(l->analyses, l->block, p);
		n->step = extra_loop_stride(l->analyses, l->block, p);
	}
}

void loop_release(struct loop *l)
{
	VEC_RELEASE_ALL(&l->reaches, &l->lanes);
	mem_free(l);
}

/* NULL: it stays as it is. */
static struct loop *loop_find(struct function *f, void *analyses, LLVMBasicBlockRef b)
{
	struct loop *l = mem_alloc(sizeof(*l));

	*l = (struct loop){ .f = f, .analyses = analyses, .block = b };
	l->end = extra_loop_find(analyses, b, FORESEE_LOOP_LEAST, &l->after);
	if (l->end && find_reaches(l) && !feeds_others(l) && describe_lanes(l)) {
		compute(l);
		return l;
	}
	loop_release(l);
	return NULL;
}

/* FORESEE_LOOPS=no in the environment of the compiler: for comparisons. */
bool loops_are_wanted(const struct function *f)
{
	const char *loops = getenv("FORESEE_LOOPS");

	return !(loops && strcmp(loops, "no") == 0) && !unit_function_has(f->value, "optnone") &&
	       !f->all_binding;
}

void loops_find(struct function *f, void *analyses)
{
	VEC(LLVMBasicBlockRef) blocks = { 0 };

	if (!loops_are_wanted(f))
		return;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f->value); b;
	     b = LLVMGetNextBasicBlock(b))
		if (is_loop(b))
			*VEC_PUSH(&blocks) = b;
	if (blocks.n)
		extra_loops_begin(analyses, f->value);
	for (size_t i = 0; i < blocks.n; i++) {
		struct loop *l = loop_find(f, analyses, blocks.at[i]);

		if (l)
			*VEC_PUSH(&f->loops) = l;
	}
	VEC_RELEASE(&blocks);
}
