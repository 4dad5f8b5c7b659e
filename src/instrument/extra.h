/*
 * What the pass needs from LLVM and LLVM-C does not offer, for LLVM 14 to 19.
 *
 * Implemented in entry.cc and, of loops, in scalar.cc: the C++ there is; keep it short.  Strings belong
 * to the module.
 */
#ifndef INSTRUMENT_EXTRA_H
#define INSTRUMENT_EXTRA_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Before the optimiser, in speculate.c. */
void pass_start(LLVMModuleRef m);
/* The pass proper, in pass.c.  `analyses' is only handed back to extra_promote. */
void pass_run(LLVMModuleRef m, void *analyses);

/* Turn local variables whose address is not taken into SSA values, optnone or not. */
void extra_promote(void *analyses, LLVMValueRef function);

/* The C11 number (__ATOMIC_*) of an instruction's order; `failure' picks the
 * second order of a cmpxchg. */
int extra_order(LLVMValueRef inst, bool failure);
bool extra_is_one_thread(LLVMValueRef inst);   /* scope singlethread: only against signals */
const char *extra_rmw_name(LLVMValueRef inst); /* as in the text form: "add" */

/* May the instruction read or write memory that the program could name? */
bool extra_touches_memory(LLVMValueRef inst);
/* The same of an inline asm call: a memory operand or clobber, and not a mere barrier or pause. */
bool extra_asm_touches_memory(LLVMValueRef call);

/* Where code goes that must run after the instruction, when it did not unwind; NULL: nothing may,
 * or nothing can.  May split the edge that an invoke takes. */
LLVMValueRef extra_after_call(LLVMValueRef inst);

/* All variables of fixed size go to the beginning of the entry block, which can then be split
 * after them.  Returns the first instruction after them. */
LLVMValueRef extra_hoist_allocas(LLVMValueRef function);

/* Make `if (cond) { }' before inst; the answer is where the body's code goes. */
LLVMValueRef extra_branch_before(LLVMValueRef cond, LLVMValueRef inst);

/* The same, if that is hardly ever so. */
LLVMValueRef extra_branch_rarely(LLVMValueRef cond, LLVMValueRef inst);
/* Make `if (cond) { } else { inst }', and cond is hardly ever true; the answer is where the first body's code goes. */
LLVMValueRef extra_branch_around(LLVMValueRef cond, LLVMValueRef inst);

/* A copy of the function in its unit, by its name and that suffix; each of the n instructions becomes that of the copy.  NULL: it cannot be
 * copied, or not be called with what the function itself is called with. */
LLVMValueRef extra_twin(LLVMValueRef function, const char *suffix, LLVMValueRef *insts, size_t n);
/* Before inst: if (cond) return to(the arguments of function); */
void extra_forward(LLVMValueRef function, LLVMValueRef to, LLVMValueRef cond, LLVMValueRef inst);
/* A function that does no more than to call that one, by its name and that suffix. */
LLVMValueRef extra_stub(LLVMValueRef to, const char *suffix);

/* Is it this function that its name means, wherever the unit is linked?  And does the unit keep it? */
bool extra_is_final(LLVMValueRef function);

/* Where code goes that must run before this return: a musttail call must stay next to it. */
LLVMValueRef extra_exit_point(LLVMValueRef ret);

/*
 * Loops of one block each.  `analyses' as pass_run has them; what is known of a function is found anew
 * after extra_loops_begin.  Code goes to the end of the block before the loop.
 */
void extra_loops_begin(void *analyses, LLVMValueRef function);
/* Gives the loop a block of its own before it and one after it, where alone its values are used.  NULL:
 * the block is no such loop, how often it runs is not known before it, or it is known to be less than
 * `least'.  Else the terminator of the block before it; *after: the block after it. */
LLVMValueRef extra_loop_find(void *analyses, LLVMBasicBlockRef loop, unsigned least,
			     LLVMBasicBlockRef *after);
/* Code for the number of its iterations, an i64: 0 stands for 2^64. */
LLVMValueRef extra_loop_count(void *analyses, LLVMBasicBlockRef loop);
/* Does the pointer go on by the same number of bytes in every iteration?  *stride: that number; 0: not
 * a constant. */
bool extra_loop_walks(void *analyses, LLVMBasicBlockRef loop, LLVMValueRef p, int64_t *stride);
/* b - a, if that is a constant. */
bool extra_loop_distance(void *analyses, LLVMValueRef a, LLVMValueRef b, int64_t *distance);
/* Code for such a pointer in the first iteration, and for its stride, an i64. */
LLVMValueRef extra_loop_start(void *analyses, LLVMBasicBlockRef loop, LLVMValueRef p);
LLVMValueRef extra_loop_stride(void *analyses, LLVMBasicBlockRef loop, LLVMValueRef p);
/*
 * Loops of any shape that have no others in them.
 */
/* Gives the loop with that header a block of its own before it, and those after it are its own.  False: the block
 * is no such header, it cannot be copied, or how often it goes back there at most is not known before it, or is less
 * than `least'. */
bool extra_loop_is_inner(void *analyses, LLVMBasicBlockRef loop, unsigned least);
/* Code for that, an i64. */
LLVMValueRef extra_loop_most(void *analyses, LLVMBasicBlockRef loop);
/* Its blocks; NULL: there are no more. */
LLVMBasicBlockRef extra_loop_block(void *analyses, LLVMBasicBlockRef loop, unsigned i);
/* Is the pointer the same in every iteration?  And code for it. */
bool extra_loop_stays(void *analyses, LLVMBasicBlockRef loop, LLVMValueRef p);
LLVMValueRef extra_loop_address(void *analyses, LLVMBasicBlockRef loop, LLVMValueRef p);
/* Makes `if (true) loop else copy'; the answer is the branch. */
LLVMValueRef extra_loop_copy(void *analyses, LLVMBasicBlockRef loop);

/* Takes out of the function's loops what does not change in them, given that no pointer leads to these variables: what is
 * not made of their names does not touch them. */
void extra_loops_hoist(void *analyses, LLVMValueRef function, LLVMValueRef *variables, size_t n);

/* A copy that refers to itself where the loop does, without debug information. */
LLVMBasicBlockRef extra_clone_block(LLVMBasicBlockRef loop);

/* Run ctor before the unit's constructors and dtor after its destructors. */
void extra_add_ctor(LLVMModuleRef m, LLVMValueRef ctor, LLVMValueRef dtor);

/* The optimiser is to take these variables for used by what it does not see. */
void extra_keep(LLVMModuleRef m, LLVMValueRef *globals, size_t n);

/* Debug information.  NULL or 0 where a node has no such thing. */
enum extra_type {
	EXTRA_TYPE_OTHER, /* base type, enum */
	EXTRA_TYPE_STRUCT,
	EXTRA_TYPE_UNION,
	EXTRA_TYPE_ARRAY,
	EXTRA_TYPE_POINTER,
	EXTRA_TYPE_NAMED, /* typedef */
	EXTRA_TYPE_CONST,
	EXTRA_TYPE_QUALIFIED, /* volatile, restrict, _Atomic */
	EXTRA_TYPE_FUNCTION,
};

const char *extra_name(LLVMMetadataRef node);
LLVMMetadataRef extra_scope(LLVMMetadataRef node); /* enclosing namespace, class or function */
LLVMMetadataRef extra_subprogram(LLVMMetadataRef scope); /* the function a scope lies in */
LLVMMetadataRef extra_type_of(LLVMMetadataRef node);	 /* of a variable; the base of a type */
enum extra_type extra_type_kind(LLVMMetadataRef type);
unsigned
extra_element_count(LLVMMetadataRef type); /* members of a struct, dimensions of an array */
LLVMMetadataRef extra_element(LLVMMetadataRef type,
			      unsigned i);		   /* a data member; NULL if not one */
int64_t extra_dimension(LLVMMetadataRef type, unsigned i); /* -1: not constant */
bool extra_is_bits(LLVMMetadataRef member);
/* Kind of a base type or enum, as layouts have it (hooks.h): one of i u f c x. */
char extra_scalar(LLVMMetadataRef type);
/* The local variable that lives at an address (memory) or has a value; there may be several. */
LLVMMetadataRef extra_local_variable(LLVMValueRef value, bool memory, unsigned nth);
/* Visit every complete struct, class and union of the unit: by its name or the typedef that
 * names it, and in C++ by its mangled name. */
void extra_structs(LLVMModuleRef m,
		   void (*visit)(void *arg, const char *name, LLVMMetadataRef type), void *arg);

#ifdef __cplusplus
}
#endif

#endif /* INSTRUMENT_EXTRA_H */
