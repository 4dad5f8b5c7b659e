/*
 * The control flow graph of a function: which edges go back, and whether
 * every cycle has one way in (reducible).
 *
 * Ownership: the caller owns the struct; cfg_release frees what it holds.
 */
#ifndef INSTRUMENT_CFG_H
#define INSTRUMENT_CFG_H

#include <llvm-c/Core.h>

#include "base/common.h"

struct cfg {
	struct map number;	      /* block -> position in `order' */
	VEC(LLVMBasicBlockRef) order; /* reachable blocks, reverse postorder */
	VEC(uint32_t) dominator;      /* immediate, by position */
	bool reducible;
};

void cfg_init(struct cfg *g, LLVMValueRef function);
void cfg_release(struct cfg *g);

/* May control go from `from' to `to' around a cycle?  True where in doubt. */
bool cfg_is_back_edge(const struct cfg *g, LLVMBasicBlockRef from, LLVMBasicBlockRef to);

#endif /* INSTRUMENT_CFG_H */
