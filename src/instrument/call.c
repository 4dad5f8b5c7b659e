/*
 * Calls: the site of the call is stored for the callee; calls of unseen code are logged; calls of
 * library functions that touch memory are redirected to the stand-ins.
 */
#include "instrument/unit_priv.h"

#include <sys/syscall.h>

enum how { KNOWN, PURE, UNSEEN, READS, WAITS };

/* Functions that the runtime stands in for, and their types, as libc.def explains them. */
static const struct {
	const char *name, *type;
} libc_names[] = {
#define LIBC_NAME(letters, name) { #name, letters },
#include "capture/libc.def"
};

static char type_letter(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMVoidTypeKind:
		return 'v';
	case LLVMPointerTypeKind:
		return 'p';
	case LLVMFloatTypeKind:
		return 'f';
	case LLVMDoubleTypeKind:
		return 'd';
	case LLVMIntegerTypeKind:
		return LLVMGetIntTypeWidth(type) == 32	 ? 'i'
		       : LLVMGetIntTypeWidth(type) == 64 ? 'l'
							 : '?';
	default:
		return '?';
	}
}

static bool type_matches(LLVMTypeRef type, const char *letters)
{
	LLVMTypeRef params[8];
	unsigned n = LLVMCountParamTypes(type);

	if (n > 8 || type_letter(LLVMGetReturnType(type)) != *letters++)
		return false;
	LLVMGetParamTypes(type, params);
	for (unsigned i = 0; i < n; i++)
		if (type_letter(params[i]) != *letters++)
			return false;
	return LLVMIsFunctionVarArg(type) ? !strcmp(letters, ".") : !*letters;
}

static bool libc_is_redirected(const char *name, LLVMTypeRef type)
{
	for (size_t i = 0; i < sizeof(libc_names) / sizeof(*libc_names); i++)
		if (!strcmp(name, libc_names[i].name))
			return type_matches(type, libc_names[i].type);
	return false;
}

/* What is known of functions by their names; interposed.def and hooks.h explain it. */
static bool name_is(const char *name, enum how how)
{
	static const struct {
		const char *name;
		enum how how;
	} names[] = {
#define INTERPOSED_NAME(how, name) { #name, how },
#include "capture/interposed.def"
#define X(id) { #id, KNOWN },
		FORESEE_KNOWN(X)
#undef X
#define X(id) { #id, PURE },
			FORESEE_PURE(X)
#undef X
#define X(id) { #id, READS },
				FORESEE_READING(X)
#undef X
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].how == how && !strcmp(name, names[i].name))
			return true;
	return false;
}

static bool name_is_known(const char *name)
{
	static const char *const prefixes[] = {
#define X(prefix) prefix,
		FORESEE_KNOWN_PREFIXES(X)
#undef X
	};

	if (name_is(name, KNOWN))
		return true;
	/* Functions that get something store it in the caller's memory, unseen. */
	if (strstr(name, "get") && !strstr(name, "getspecific"))
		return false;
	return UNIT_HAS_ONE_OF(name, prefixes);
}

/* If it is libc's function: does it not write to memory of the program? */
static bool only_reads(LLVMValueRef call, const char *name)
{
	unsigned n = LLVMGetNumArgOperands(call);

	if (name_is(name, READS))
		return true;
	if (!strcmp(name, "syscall")) /* it gets pointers as numbers */
		return false;
	for (unsigned i = 0; i < n; i++)
		if (type_letter(LLVMTypeOf(LLVMGetOperand(call, i))) == 'p')
			return false;
	return true;
}

bool call_is_pure(LLVMValueRef call)
{
	LLVMValueRef callee = unit_callee(call);

	return callee && LLVMIsDeclaration(callee) && name_is(unit_name(callee), PURE);
}

/* The callee reads its byval arguments from our memory before it starts. */
static void touch_byval(struct function *f, LLVMValueRef call, LLVMValueRef site)
{
	struct unit *u = f->unit;
	unsigned kind = unit_attribute("byval");
	unsigned n = LLVMGetNumArgOperands(call);

	for (unsigned i = 0; i < n; i++) {
		LLVMAttributeRef byval = LLVMGetCallSiteEnumAttribute(call, i + 1, kind);
		LLVMValueRef p = LLVMGetOperand(call, i);

		if (!byval || !escape_is_recorded(f, call, p))
			continue;
		LLVMValueRef args[3] = {
			unit_pointer(u, p),
			unit_int(u->i64,
				 LLVMABISizeOfType(u->layout, LLVMGetTypeAttributeValue(byval))),
			site
		};

		unit_hook(u, "foresee_touch_range", u->nothing, args, 3);
	}
}

/* Pointers that a call is given, FORESEE_GIVEN at a time, padded by null. */
struct given {
	unsigned n;
	unsigned operands; /* of assembler, in memory: FORESEE_OPERANDS */
	LLVMValueRef at[FORESEE_GIVEN];
};

static void given_flush(struct unit *u, struct given *g, LLVMValueRef site)
{
	LLVMValueRef args[2 + FORESEE_GIVEN] = { site, unit_int(u->i32, g->n) };

	memcpy(args + 2, g->at, sizeof(g->at));
	unit_hook(u, "foresee_given", u->nothing, args, 2 + FORESEE_GIVEN);
	g->n = g->operands = 0;
}

/* May the callee reach recorded memory through this argument?  Not through constants or private
 * locals.  System calls take pointers as numbers. */
static bool is_given(struct function *f, LLVMValueRef call, LLVMValueRef arg, bool numbers)
{
	LLVMValueRef base;

	if (numbers && type_letter(LLVMTypeOf(arg)) == 'l')
		return !LLVMIsAConstant(arg);
	if (type_letter(LLVMTypeOf(arg)) != 'p' || LLVMIsNull(arg) || LLVMIsUndef(arg))
		return false;
	base = escape_base(arg);
	return !LLVMIsAFunction(base) && escape_is_recorded(f, call, arg);
}

#define OPERAND_MOST 64u /* bytes that are told */

/* What hooks.h has of an operand of assembler; 0: it is not in memory. */
static unsigned operand_get(struct unit *u, LLVMValueRef call, unsigned i)
{
	LLVMAttributeRef type =
		LLVMIsAInlineAsm(LLVMGetCalledValue(call))
			? LLVMGetCallSiteEnumAttribute(call, i + 1, unit_attribute("elementtype"))
			: NULL;
	uint64_t size = type ? LLVMABISizeOfType(u->layout, LLVMGetTypeAttributeValue(type)) : 0;
	unsigned told = 1;

	if (!type)
		return 0;
	for (uint64_t n = 1; n < size && n < OPERAND_MOST; n *= 2)
		told++;
	return told;
}

/* Collects them in g; whenever g is full the hook gets them, so the last ones stay in g. */
static void given_get(struct function *f, LLVMValueRef call, LLVMValueRef site, struct given *g)
{
	struct unit *u = f->unit;
	LLVMValueRef callee = unit_callee(call);
	unsigned n = LLVMGetNumArgOperands(call);
	bool numbers = callee && !strcmp(unit_name(callee), "syscall");

	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef arg = LLVMGetOperand(call, i);

		if (!is_given(f, call, arg, numbers))
			continue;
		if (g->n == FORESEE_GIVEN)
			given_flush(u, g, site);
		g->operands |= operand_get(u, call, i) << 4 * g->n;
		g->at[g->n++] = type_letter(LLVMTypeOf(arg)) == 'p'
					? unit_pointer(u, arg)
					: LLVMBuildIntToPtr(u->builder, arg, u->pointer, "");
	}
}

/* A call of unseen code, or (callee null) an instruction that the pass does not model. */
static LLVMValueRef hook_opaque(struct function *f, LLVMValueRef inst, LLVMValueRef byte,
				LLVMValueRef callee, LLVMValueRef site)
{
	struct unit *u = f->unit;
	LLVMValueRef args[4 + FORESEE_GIVEN] = { byte, callee, site };
	struct given g = { 0 };

	for (unsigned i = 0; i < FORESEE_GIVEN; i++)
		g.at[i] = unit_null(u);
	if (LLVMIsACallInst(inst) || LLVMIsAInvokeInst(inst))
		given_get(f, inst, site, &g);
	args[3] = unit_int(u->i32, g.n | g.operands << FORESEE_OPERANDS);
	memcpy(args + 4, g.at, sizeof(g.at));
	return unit_hook(u, "foresee_opaque", u->i32, args, 4 + FORESEE_GIVEN);
}

/* System calls that have nothing to do with other threads. */
static bool is_harmless_system_call(LLVMValueRef call)
{
	static const unsigned short numbers[] = {
		SYS_gettid, SYS_getpid,	   SYS_getcpu,	      SYS_getrandom,	SYS_sched_yield,
		SYS_time,   SYS_prctl,	   SYS_clock_gettime, SYS_gettimeofday, SYS_madvise,
		SYS_getuid, SYS_nanosleep, SYS_getppid,
	};
	LLVMValueRef number = LLVMGetNumArgOperands(call) ? LLVMGetOperand(call, 0) : NULL;

	if (!number || !LLVMIsAConstantInt(number))
		return false;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (LLVMConstIntGetZExtValue(number) == numbers[i])
			return true;
	return false;
}

/* FORESEE_CALLEE_NAMED for a stand-in that may wait; else NEW. */
static enum foresee_callee may_wait(LLVMValueRef call, const char *name)
{
	if (!strcmp(name, "syscall") && is_harmless_system_call(call))
		return FORESEE_CALLEE_NEW;
	return name_is(name, WAITS) ? FORESEE_CALLEE_NAMED : FORESEE_CALLEE_NEW;
}

/* The byte that says what a callee is; it has two when only some calls of it may wait. */
static LLVMValueRef callee_byte(struct unit *u, LLVMValueRef callee, enum foresee_callee what)
{
	bool fresh;
	uint64_t *byte = map_put(&u->bytes, (uintptr_t)callee + what, &fresh);

	if (fresh)
		*byte = (uintptr_t)unit_global(u, u->i8, unit_int(u->i8, what), "foresee.unseen",
					       false);
	return (LLVMValueRef)(uintptr_t)*byte;
}

/* if (what > FORESEE_CALLEE_QUIET) foresee_returned(site); */
static void emit_maybe_returned(struct unit *u, LLVMValueRef what, LLVMValueRef site,
				LLVMValueRef after)
{
	LLVMValueRef cond = LLVMBuildICmp(u->builder, LLVMIntUGT, what,
					  unit_int(LLVMTypeOf(what), FORESEE_CALLEE_QUIET), "");

	LLVMPositionBuilderBefore(u->builder, extra_branch_before(cond, after));
	unit_hook(u, "foresee_returned", u->nothing, &site, 1);
}

/* if (byte) foresee_opaque(&byte, callee, site);  call;  and the same after it */
static void emit_maybe_opaque(struct function *f, LLVMValueRef call, LLVMValueRef callee,
			      const char *name, LLVMValueRef site)
{
	struct unit *u = f->unit;
	enum foresee_callee what = may_wait(call, name);
	LLVMValueRef byte, after = extra_after_call(call), cond;

	if (what == FORESEE_CALLEE_NEW && only_reads(call, name))
		what = FORESEE_CALLEE_PLAIN;
	byte = callee_byte(u, callee, what);
	if (after) {
		LLVMPositionBuilderBefore(u->builder, after);
		emit_maybe_returned(u, LLVMBuildLoad2(u->builder, u->i8, byte, ""), site, after);
		LLVMPositionBuilderBefore(u->builder, call);
	}
	cond = LLVMBuildICmp(u->builder, LLVMIntNE, LLVMBuildLoad2(u->builder, u->i8, byte, ""),
			     unit_int(u->i8, FORESEE_CALLEE_SEEN), "");
	LLVMPositionBuilderBefore(u->builder, extra_branch_before(cond, call));
	hook_opaque(f, call, byte, unit_pointer(u, callee), site);
	LLVMPositionBuilderBefore(u->builder, call);
}

static void emit_indirect(struct function *f, LLVMValueRef call, LLVMValueRef site)
{
	struct unit *u = f->unit;
	LLVMValueRef what =
		hook_opaque(f, call, unit_null(u), unit_pointer(u, LLVMGetCalledValue(call)), site);
	LLVMValueRef after = extra_after_call(call);

	if (!after)
		return;
	LLVMPositionBuilderBefore(u->builder, after);
	emit_maybe_returned(u, what, site, after);
	LLVMPositionBuilderBefore(u->builder, call);
}

#define OURS 160 /* bytes of the longest name that a stand-in has; C++ has long ones */

static size_t name_ours(char ours[OURS], const char *name)
{
	int n = snprintf(ours, OURS, "foresee_libc_%s", name);

	assert(n < OURS);
	return (size_t)n;
}

static LLVMValueRef stand_in(struct unit *u, const char *name, LLVMTypeRef type)
{
	LLVMValueRef hook;
	char ours[OURS];
	size_t n = name_ours(ours, name);

	hook = LLVMGetNamedFunction(u->module, ours);
	if (!hook)
		hook = LLVMGetNamedGlobalAlias(u->module, ours, n);
	return hook ? hook : LLVMAddFunction(u->module, ours, type);
}

/*
 * A program may define a function by the name and type of one of libc's, and call it from any unit.
 * Calls are redirected by name, so the function gets the name of the stand-in as well: the linker
 * prefers it to the runtime's.
 */
void call_keep_own(struct unit *u)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(u->module); f; f = LLVMGetNextFunction(f)) {
		LLVMTypeRef type = LLVMGlobalGetValueType(f);
		LLVMLinkage linkage = LLVMGetLinkage(f);
		LLVMValueRef alias;
		char ours[OURS];

		if (LLVMIsDeclaration(f) ||
		    (linkage != LLVMExternalLinkage && linkage != LLVMWeakAnyLinkage) ||
		    !libc_is_redirected(unit_name(f), type))
			continue;
		name_ours(ours, unit_name(f));
		alias = LLVMAddAlias2(u->module, type, 0, f, ours);
		LLVMSetLinkage(alias, linkage);
		LLVMSetVisibility(alias, LLVMGetVisibility(f));
	}
}

static void redirect(struct unit *u, LLVMValueRef call, const char *name)
{
	LLVMTypeRef type = LLVMGetCalledFunctionType(call);

	unit_set_callee(call, LLVMConstBitCast(stand_in(u, name, type), LLVMPointerType(type, 0)));
	unit_strip_memory_attributes(call);
}

static bool is_call_of(LLVMValueRef v, LLVMValueRef f)
{
	return (LLVMIsACallInst(v) || LLVMIsAInvokeInst(v)) && LLVMGetCalledValue(v) == f;
}

/* Replaces all uses of f but calls, which are left to call_emit or lie in code that is not recorded. */
static void redirect_uses(LLVMValueRef f, LLVMValueRef hook)
{
	VEC(LLVMValueRef) calls = { 0 };

	for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = LLVMGetNextUse(use))
		if (is_call_of(LLVMGetUser(use), f))
			*VEC_PUSH(&calls) = LLVMGetUser(use);
	LLVMReplaceAllUsesWith(f, LLVMConstBitCast(hook, LLVMTypeOf(f)));
	for (size_t i = 0; i < calls.n; i++)
		unit_set_callee(calls.at[i], f);
	VEC_RELEASE(&calls);
}

void call_redirect_pointers(struct unit *u)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(u->module); f; f = LLVMGetNextFunction(f)) {
		LLVMTypeRef type = LLVMGlobalGetValueType(f);
		const char *name;

		if (!LLVMIsDeclaration(f) || LLVMGetLinkage(f) == LLVMExternalWeakLinkage)
			continue;
		name = unit_name(f);
		if (libc_is_redirected(name, type))
			redirect_uses(f, stand_in(u, name, type));
	}
}

void call_emit(struct function *f, struct record *r)
{
	struct unit *u = f->unit;
	LLVMValueRef callee = unit_callee(r->inst);
	LLVMValueRef site;
	const char *name;

	LLVMPositionBuilderBefore(u->builder, r->inst);
	site = sites_number(f, r->site);
	touch_byval(f, r->inst, site);
	unit_strip_memory_attributes(r->inst);
	if (!callee) {
		emit_indirect(f, r->inst, site);
	} else if (LLVMIsAGlobalIFunc(callee)) {
		/* its address in one more place crashes the link-time optimiser of LLVM 14 */
		hook_opaque(f, r->inst, unit_null(u), unit_null(u), site);
	} else if (!map_get(&u->seen, (uintptr_t)callee) && !LLVMIsAGlobalAlias(callee)) {
		name = unit_name(callee);
		if (libc_is_redirected(name, LLVMGetCalledFunctionType(r->inst)))
			redirect(u, r->inst, name);
		else if (!name_is_known(name))
			emit_maybe_opaque(f, r->inst, callee, name, site);
	}
	stack_view_store(f, offsetof(struct foresee_view, call_site), site);
}

/* Of an instruction that the pass does not model. */
static bool orders_threads(LLVMValueRef inst)
{
	if (LLVMIsALoadInst(inst) || LLVMIsAStoreInst(inst))
		return LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic;
	/* Assembler that touches memory may: a plain mov can release a lock. */
	if (LLVMIsACallInst(inst) || LLVMIsAInvokeInst(inst))
		return LLVMIsAInlineAsm(LLVMGetCalledValue(inst)) != NULL;
	return LLVMIsAAtomicRMWInst(inst) || LLVMIsAAtomicCmpXchgInst(inst);
}

/* One that may order threads is like a call of code that does. */
void call_emit_unseen(struct function *f, struct record *r)
{
	struct unit *u = f->unit;
	LLVMValueRef site, after;

	LLVMPositionBuilderBefore(u->builder, r->inst);
	site = sites_number(f, r->site);
	if (!orders_threads(r->inst)) {
		hook_opaque(f, r->inst, unit_null(u), unit_null(u), site);
		return;
	}
	hook_opaque(f, r->inst, callee_byte(u, NULL, FORESEE_CALLEE_WAITS), unit_null(u), site);
	after = extra_after_call(r->inst);
	if (!after)
		return;
	LLVMPositionBuilderBefore(u->builder, after);
	unit_hook(u, "foresee_returned", u->nothing, &site, 1);
}
