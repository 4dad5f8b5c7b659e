/*
 * What a call says by its arguments: which routine a new thread will run, and what the program
 * calls a piece of memory.  Both are names that specifications use.
 */
#include "instrument/unit_priv.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

const char *said_string(LLVMValueRef p)
{
	LLVMValueRef g = escape_base(p), text;
	size_t n;

	if (!LLVMIsAGlobalVariable(g) || !(text = LLVMGetInitializer(g)) ||
	    !LLVMIsAConstantDataArray(text) || !LLVMIsConstantString(text))
		return NULL;
	return LLVMGetAsString(text, &n);
}

/* X: the argument of these functions, and what it is. */
static const struct {
	const char *function;
	unsigned argument;
	uint8_t flag;
} said[] = {
	{ "pthread_create", 2, FORESEE_SITE_ROUTINE },
	{ "thrd_create", 1, FORESEE_SITE_ROUTINE },
	{ "foresee_variable", 2, FORESEE_SITE_NAMING },
	{ "foresee_internal", 0, FORESEE_SITE_NAMING },
};

static uint32_t routine_name(struct unit *u, LLVMValueRef p)
{
	LLVMValueRef f = escape_base(p);
	LLVMMetadataRef subprogram;
	size_t n;

	if (!LLVMIsAFunction(f))
		return 0;
	subprogram = LLVMGetSubprogram(f);
	return subprogram ? names_function(u, subprogram)
			  : unit_string(u, LLVMGetValueName2(f, &n));
}

void said_add(struct unit *u, LLVMValueRef call, struct foresee_site *s)
{
	LLVMValueRef callee = unit_callee(call), argument;
	const char *name;
	uint32_t id;
	size_t n;

	if (!callee)
		return;
	name = LLVMGetValueName2(callee, &n);
	for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++) {
		if (strcmp(name, said[i].function) != 0 ||
		    LLVMGetNumArgOperands(call) <= said[i].argument)
			continue;
		argument = LLVMGetOperand(call, said[i].argument);
		id = said[i].flag == FORESEE_SITE_ROUTINE ? routine_name(u, argument)
							  : unit_string(u, said_string(argument));
		s->variable = (const char *)(uintptr_t)id;
		s->flags |= said[i].flag;
	}
}
