/*
 * Variables of which all that is done with them is in sight: no pointer to them leaves (in a call, a store, another
 * variable, a number), so what touches them is made of their names, here.
 *
 * A section of its own (its bounds are symbols) and assembly in the unit (it may name what it likes) end that.
 */
#include "instrument/unit_priv.h"

#define SIGHT_DEPTH 16u /* of addresses made of addresses */

struct sight {
	sight_may *may;
	void *arg;
};

/* A list of what the optimiser must keep (keep.c). */
static bool is_list_of_kept(LLVMValueRef v)
{
	for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);

		if (!LLVMIsAGlobalVariable(user) || strcmp(unit_name(user), "llvm.compiler.used"))
			return false;
	}
	return LLVMIsAConstantArray(v) != NULL;
}

/* Passes leave constants behind that nothing uses. */
static bool is_left_over(LLVMValueRef v, unsigned depth)
{
	if (!depth || !LLVMIsAConstantExpr(v))
		return false;
	for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use))
		if (!is_left_over(LLVMGetUser(use), depth - 1))
			return false;
	return true;
}

/* memcpy and its like; functions that get an object and touch no more than that, which they do not hand on. */
static bool call_keeps(const struct sight *s, LLVMValueRef call, LLVMValueRef address)
{
	static const char *const ranges[] = { "llvm.memcpy.p", "llvm.memcpy.inline.",
					      "llvm.memmove.p", "llvm.memset.p",
					      "llvm.memset.inline." };
	/* By their whole names: sem_add(&variable) is the program's.  So may mtx_lock be, which was no library's before C11. */
	/* clang-format off */
	static const char *const objects[] = {
#define OF(type, does) "pthread_" #type "_" #does,
		OF(mutex, init) OF(mutex, destroy) OF(mutex, lock) OF(mutex, trylock)
		OF(mutex, timedlock) OF(mutex, clocklock) OF(mutex, unlock)
		OF(mutex, consistent) OF(rwlock, init) OF(rwlock, destroy)
		OF(rwlock, rdlock) OF(rwlock, tryrdlock) OF(rwlock, timedrdlock)
		OF(rwlock, clockrdlock) OF(rwlock, wrlock) OF(rwlock, trywrlock)
		OF(rwlock, timedwrlock) OF(rwlock, clockwrlock) OF(rwlock, unlock)
		OF(cond, init) OF(cond, destroy) OF(cond, wait) OF(cond, timedwait)
		OF(cond, clockwait) OF(cond, signal) OF(cond, broadcast)
		OF(spin, init) OF(spin, destroy) OF(spin, lock) OF(spin, trylock)
		OF(spin, unlock) OF(barrier, init) OF(barrier, destroy)
		OF(barrier, wait)
#undef OF
		"sem_init", "sem_destroy", "sem_post", "sem_wait", "sem_trywait", "sem_timedwait",
		"sem_clockwait",
	};
	/* clang-format on */
	const char *name = unit_intrinsic(call);
	LLVMValueRef callee = unit_callee(call);

	if (name && UNIT_HAS_ONE_OF(name, ranges))
		return s->may(s->arg, call, LLVMGetOperand(call, 0) == address);
	if (name)
		return unit_has_prefix(name, "llvm.dbg.");
	return callee && LLVMIsAFunction(callee) && LLVMIsDeclaration(callee) &&
	       UNIT_IS_ONE_OF(unit_name(callee), objects) && s->may(s->arg, call, true);
}

static bool uses_are_seen(const struct sight *s, LLVMValueRef address, unsigned depth);

static bool is_seen(const struct sight *s, LLVMValueRef user, LLVMValueRef address, unsigned depth)
{
	if (LLVMIsALoadInst(user))
		return s->may(s->arg, user, false);
	if (LLVMIsAStoreInst(user))
		return LLVMGetOperand(user, 0) != address && s->may(s->arg, user, true);
	if (LLVMIsAAtomicRMWInst(user))
		return LLVMGetOperand(user, 1) != address && s->may(s->arg, user, true);
	if (LLVMIsAAtomicCmpXchgInst(user))
		return LLVMGetOperand(user, 1) != address && LLVMGetOperand(user, 2) != address &&
		       s->may(s->arg, user, true);
	if (LLVMIsACallInst(user))
		return call_keeps(s, user, address);
	/* What is one of two variables is an address of both: who asks for the base of a pointer looks at both arms. */
	if (LLVMIsASelectInst(user))
		return depth && s->may(s->arg, user, true) && uses_are_seen(s, user, depth - 1);
	if (LLVMIsAGetElementPtrInst(user) || LLVMIsABitCastInst(user) ||
	    (LLVMIsAConstantExpr(user) && (LLVMGetConstOpcode(user) == LLVMGetElementPtr ||
					   LLVMGetConstOpcode(user) == LLVMBitCast)))
		return depth && LLVMGetTypeKind(LLVMTypeOf(user)) == LLVMPointerTypeKind &&
		       uses_are_seen(s, user, depth - 1);
	return is_list_of_kept(user) || is_left_over(user, depth);
}

static bool uses_are_seen(const struct sight *s, LLVMValueRef address, unsigned depth)
{
	for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use))
		if (!is_seen(s, LLVMGetUser(use), address, depth))
			return false;
	return true;
}

static bool is_candidate(LLVMValueRef g)
{
	const char *section = LLVMGetSection(g);

	return LLVMGetLinkage(g) == LLVMInternalLinkage && LLVMGetInitializer(g) &&
	       !LLVMIsGlobalConstant(g) && !LLVMIsThreadLocal(g) &&
	       !LLVMIsExternallyInitialized(g) && !(section && *section);
}

static bool has_assembly(LLVMModuleRef m)
{
	size_t n;

	LLVMGetModuleInlineAsm(m, &n);
	if (n)
		return true;
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		UNIT_EACH(i, f)
			if (LLVMIsACallInst(i) && LLVMIsAInlineAsm(LLVMGetCalledValue(i)) &&
			    extra_asm_touches_memory(i))
				return true;
	return false;
}

static bool may_always(void *arg, LLVMValueRef inst, bool writes)
{
	(void)arg, (void)inst, (void)writes;
	return true;
}

bool sight_is_whole(LLVMValueRef variable, sight_may *may, void *arg)
{
	struct sight s = { may, arg };

	return uses_are_seen(&s, variable, SIGHT_DEPTH);
}

void sight_find(struct unit *u)
{
	if (has_assembly(u->module))
		return;
	for (LLVMValueRef g = LLVMGetFirstGlobal(u->module); g; g = LLVMGetNextGlobal(g))
		if (is_candidate(g) && sight_is_whole(g, may_always, NULL))
			map_put(&u->in_sight, (uintptr_t)g, NULL);
}

bool sight_has(const struct unit *u, LLVMValueRef p)
{
	return map_get(&u->in_sight, (uintptr_t)escape_base(p)) != NULL;
}
