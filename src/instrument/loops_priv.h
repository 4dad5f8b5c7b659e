/*
 * A loop that is to run on a buffer: found by loops.c, made by loops_emit.c.
 */
#ifndef INSTRUMENT_LOOPS_PRIV_H
#define INSTRUMENT_LOOPS_PRIV_H

#include "instrument/unit_priv.h"

/* An access of the loop. */
struct reach {
	const struct record *r;
	int64_t stride; /* 0: not a constant */
	uint32_t size;
	size_t lane;
	int64_t offset; /* of its lane's bytes */
};

struct lane {
	struct foresee_lane is; /* but for p, stride, site */
	int64_t stride;
	size_t first; /* the access that its bytes begin with */
	size_t count; /* places that accesses have in it */
	int64_t low, high;
	LLVMValueRef p, step; /* code */
};

struct loop {
	struct function *f;
	void *analyses;
	LLVMBasicBlockRef block, after;
	LLVMValueRef end, count; /* of the block before it, its terminator; code */
	uint64_t kept;		 /* keepers of its free reads */
	VEC(struct reach) reaches;
	VEC(struct lane) lanes;
};

void loop_release(struct loop *l);

#endif /* INSTRUMENT_LOOPS_PRIV_H */
