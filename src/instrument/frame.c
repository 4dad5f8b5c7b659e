/*
 * Locals that others may reach get a fresh identity each time they come to
 * life.  Their memory had another use before: an older frame, or spilled
 * registers, which are not recorded.  Without this a read of bytes that the
 * program has not written since (padding, mostly) would name a dead local's write.
 *
 * A local lives from its llvm.lifetime.start on; without one, from the entry
 * of the function, or from the alloca itself when that is elsewhere.  A va_list is a new one
 * at every va_start and va_copy, which fill it unseen.
 *
 * One that holds a synchronisation object is told of when it ends as well: at its llvm.lifetime.end;
 * without one, where the function is left.  Another thread may be using it then.  Not so those of
 * main: what follows is the end of the process, and its frame stays what it was until then.
 */
#include "instrument/unit_priv.h"

static bool is_object_name(const char *name)
{
	static const char *const names[] = { "pthread_mutex_t",
					     "pthread_rwlock_t",
					     "pthread_cond_t",
					     "pthread_barrier_t",
					     "sem_t",
					     "mtx_t",
					     "cnd_t" };
	static const char prefix[] = "union.";

	if (!name || !unit_has_prefix(name, prefix))
		return false;
	name += sizeof(prefix) - 1;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t n = strlen(names[i]);

		if (strncmp(name, names[i], n) == 0 && (name[n] == '\0' || name[n] == '.'))
			return true;
	}
	return false;
}

/* Does something of the type hold a synchronisation object of the C library? */
static bool type_has_object(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMArrayTypeKind:
		return type_has_object(LLVMGetElementType(type));
	case LLVMStructTypeKind:
		if (is_object_name(LLVMGetStructName(type)))
			return true;
		for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
			if (type_has_object(LLVMStructGetTypeAtIndex(type, i)))
				return true;
		return false;
	default:
		return false;
	}
}

/* Does its end matter to others? */
static bool has_end(LLVMValueRef local)
{
	return LLVMIsAAllocaInst(local) && type_has_object(LLVMGetAllocatedType(local));
}

static bool is_main(const struct function *f)
{
	return strcmp(unit_name(f->value), "main") == 0;
}

/* Was it put here from another function? */
static bool is_inlined(LLVMValueRef inst)
{
	LLVMMetadataRef loc = LLVMInstructionGetDebugLoc(inst);

	return loc && LLVMDILocationGetInlinedAt(loc);
}

static void announce_as(struct function *f, const char *hook, LLVMValueRef p, LLVMValueRef size,
			LLVMValueRef at)
{
	struct unit *u = f->unit;
	LLVMValueRef args[] = { unit_pointer(u, p), size,
				sites_number(f, sites_add_local(f, p, at)) };

	unit_hook(u, hook, u->nothing, args, 3);
}

static void announce(struct function *f, LLVMValueRef p, LLVMValueRef size, LLVMValueRef at)
{
	announce_as(f, has_end(p) ? "foresee_scope" : "foresee_frame", p, size, at);
}

static LLVMValueRef alloca_size(struct unit *u, LLVMValueRef alloca)
{
	LLVMValueRef count = LLVMGetOperand(alloca, 0);
	LLVMValueRef one =
		unit_int(u->i64, LLVMABISizeOfType(u->layout, LLVMGetAllocatedType(alloca)));

	return LLVMBuildMul(u->builder, one, LLVMBuildZExtOrBitCast(u->builder, count, u->i64, ""),
			    "");
}

static void announce_end(struct function *f, LLVMValueRef alloca, LLVMValueRef at)
{
	LLVMPositionBuilderBefore(f->unit->builder, at);
	announce_as(f, "foresee_scope_end", alloca, alloca_size(f->unit, alloca), at);
}

/* After each lifetime.start of v or a cast of it, and before each end; returns how many starts there
 * were. */
static unsigned announce_lifetimes(struct function *f, LLVMValueRef alloca, LLVMValueRef v)
{
	struct unit *u = f->unit;
	unsigned n = 0;

	for (LLVMUseRef use = LLVMGetFirstUse(v), next; use; use = next) {
		LLVMValueRef user = LLVMGetUser(use);
		const char *name = unit_intrinsic(user);

		next = LLVMGetNextUse(use);
		if (LLVMIsABitCastInst(user)) {
			n += announce_lifetimes(f, alloca, user);
		} else if (name && unit_has_prefix(name, "llvm.lifetime.start")) {
			LLVMPositionBuilderBefore(u->builder, LLVMGetNextInstruction(user));
			announce(f, alloca, alloca_size(u, alloca), user);
			n++;
		} else if (name && unit_has_prefix(name, "llvm.lifetime.end") && has_end(alloca) &&
			   (!is_main(f) || is_inlined(user))) {
			announce_end(f, alloca, user);
		}
	}
	return n;
}

static void announce_arguments(struct function *f, LLVMValueRef first)
{
	unsigned kind = unit_attribute("byval");

	for (unsigned i = 0; i < LLVMCountParams(f->value); i++) {
		LLVMValueRef p = LLVMGetParam(f->value, i);
		LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(f->value, i + 1, kind);

		if (a && !escape_is_private(f, p)) {
			LLVMTypeRef type = LLVMGetTypeAttributeValue(a);

			LLVMPositionBuilderBefore(f->unit->builder, first);
			announce(f, p,
				 unit_int(f->unit->i64, LLVMABISizeOfType(f->unit->layout, type)),
				 first);
		}
	}
}

static void announce_va_list(struct function *f, LLVMValueRef inst)
{
	const char *name = LLVMIsACallInst(inst) ? unit_intrinsic(inst) : NULL;
	LLVMValueRef p;

	if (!name ||
	    (!unit_has_prefix(name, "llvm.va_start") && !unit_has_prefix(name, "llvm.va_copy")))
		return;
	p = escape_base(LLVMGetOperand(inst, 0));
	if (!LLVMIsAAllocaInst(p) || escape_is_private(f, p))
		return;
	LLVMPositionBuilderBefore(f->unit->builder, inst);
	announce(f, p, alloca_size(f->unit, p), inst);
}

void frame_emit(struct function *f, LLVMValueRef first)
{
	struct unit *u = f->unit;
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(f->value);

	announce_arguments(f, first);
	for (LLVMBasicBlockRef b = entry; b; b = LLVMGetNextBasicBlock(b)) {
		for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
			bool fixed;

			next = LLVMGetNextInstruction(i);
			announce_va_list(f, i);
			if (!LLVMIsAAllocaInst(i) || escape_is_private(f, i) ||
			    unit_has_prefix(unit_name(i), "foresee."))
				continue;
			if (announce_lifetimes(f, i, i) != 0)
				continue;
			fixed = b == entry && LLVMIsAConstantInt(LLVMGetOperand(i, 0));
			LLVMPositionBuilderBefore(u->builder, fixed ? first : next);
			announce(f, i, alloca_size(u, i), fixed ? first : next);
			if (fixed && has_end(i) && !is_main(f))
				*VEC_PUSH(&f->scopes) = i;
		}
	}
}

void frame_leave(struct function *f, LLVMValueRef at)
{
	for (size_t i = f->scopes.n; i > 0; i--)
		announce_end(f, f->scopes.at[i - 1], at);
}
