/*
 * Frozen variables: nobody writes them once there can be a second thread.
 *
 *	static struct options options;		main:	options = parse(argc, argv);
 *	static struct node *table;			table = calloc(...);
 *							pthread_create(...);
 *
 * A static variable is frozen when all that is done with it is in sight, and of that only main
 * writes: early, at instructions which no path from its beginning reaches by way of a call that may
 * make a thread.  If the process has one thread when main begins and one at each of these writes,
 * they come before the birth of every other thread, in every reordering of the run as well: a read
 * orders nothing, races with nothing and sees what it saw.  It needs no record.  The writes are
 * recorded as ever.
 *
 * What may make a thread is only guessed here, to choose the variables.  That there is none is seen
 * at run time: foresee_main sets a byte when main begins and nobody else is there, and foresee_alone
 * looks again before each of the writes; if somebody came, what was read meanwhile is unseen, and
 * recording stops.  Reads are recorded as long as the byte is zero, and always with --full:
 *
 *	x = table; if (!alone) x = foresee_read8(&table, site);
 *
 * What is not in sight (sight.c), a volatile or atomic access and setjmp in main (early code runs late) leave a
 * variable as it was; tests/cli/t2057-frozen.sh has a program for each.
 */
#include "instrument/unit_priv.h"

struct frozen {
	LLVMValueRef main;
	struct map makers; /* functions of the unit by which threads may be made */
	struct map late;   /* blocks of main that may run after a thread was made */
};

/* Library functions that run no code of the program, and make no thread that does. */
static bool library_is_quiet(const char *name)
{
	static const char *const names[] = {
#define X(id) #id,
		FORESEE_READING(X) FORESEE_PURE(X)
#undef X
#define LIBC_NAME(letters, name) #name,
#include "capture/libc.def"
			"malloc",
		"calloc",
		"realloc",
		"reallocarray",
		"free",
		"aligned_alloc",
		"posix_memalign",
		"memalign",
		"printf",
		"fprintf",
		"vprintf",
		"vfprintf",
		"putchar",
		"fputc",
		"putc",
		"getopt",
		"getopt_long",
		"exit",
		"atexit",
		"__cxa_atexit",
		"_exit",
		"rand",
		"random",
	};
	/* These run what they are given, or a signal does. */
	static const char *const callers[] = { "qsort", "qsort_r", "lsearch", "setitimer" };
	static const char *const prefixes[] = {
		"pthread_mutex_init",
		"pthread_mutexattr_",
		"pthread_cond_init",
		"pthread_condattr_",
		"pthread_rwlock_init",
		"pthread_rwlockattr_",
		"pthread_barrier_init",
		"pthread_barrierattr_",
		"pthread_attr_",
		"pthread_spin_init",
		"sem_init",
		"mtx_init",
		"cnd_init",
	};

	return !UNIT_IS_ONE_OF(name, callers) &&
	       (UNIT_IS_ONE_OF(name, names) || UNIT_HAS_ONE_OF(name, prefixes));
}

/* May the instruction make a thread, or run code that does? */
static bool makes_threads(const struct frozen *z, LLVMValueRef inst)
{
	LLVMValueRef callee;

	if (!LLVMIsACallInst(inst) && !LLVMIsAInvokeInst(inst) && !LLVMIsACallBrInst(inst))
		return false;
	if (unit_intrinsic(inst))
		return false;
	callee = unit_callee(inst);
	if (!callee || !LLVMIsAFunction(callee))
		return true;
	if (LLVMIsDeclaration(callee))
		return !library_is_quiet(unit_name(callee));
	return map_get(&z->makers, (uintptr_t)callee) != NULL;
}

/* One that the linker may replace by another of the same name. */
static bool is_replaceable(LLVMValueRef f)
{
	LLVMLinkage linkage = LLVMGetLinkage(f);

	return linkage != LLVMInternalLinkage && linkage != LLVMPrivateLinkage &&
	       linkage != LLVMExternalLinkage;
}

static bool function_makes_threads(const struct frozen *z, LLVMValueRef f)
{
	if (is_replaceable(f))
		return true;
	UNIT_EACH(i, f)
		if (makes_threads(z, i))
			return true;
	return false;
}

/* Functions may call each other in circles: as long as one is found others may follow. */
static void find_makers(struct frozen *z, LLVMModuleRef m)
{
	size_t before;

	do {
		before = z->makers.n;
		for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
			if (!LLVMIsDeclaration(f) && !map_get(&z->makers, (uintptr_t)f) &&
			    function_makes_threads(z, f))
				map_put(&z->makers, (uintptr_t)f, NULL);
	} while (z->makers.n != before);
}

static void find_late(struct frozen *z)
{
	VEC(LLVMBasicBlockRef) todo = { 0 };
	bool fresh;

	UNIT_EACH(i, z->main)
		if (makes_threads(z, i))
			*VEC_PUSH(&todo) = LLVMGetInstructionParent(i);
	while (todo.n) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(todo.at[--todo.n]);
		unsigned n = end ? LLVMGetNumSuccessors(end) : 0;

		for (unsigned i = 0; i < n; i++) {
			LLVMBasicBlockRef next = LLVMGetSuccessor(end, i);

			map_put(&z->late, (uintptr_t)next, &fresh);
			if (fresh)
				*VEC_PUSH(&todo) = next;
		}
	}
	VEC_RELEASE(&todo);
}

static bool is_early(const struct frozen *z, LLVMValueRef inst)
{
	LLVMBasicBlockRef b = LLVMGetInstructionParent(inst);

	if (LLVMGetBasicBlockParent(b) != z->main || map_get(&z->late, (uintptr_t)b))
		return false;
	for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != inst; i = LLVMGetNextInstruction(i))
		if (makes_threads(z, i))
			return false;
	return true;
}

/* What memcpy and its like read is recorded, so only what they write matters. */
static bool access_is_good(void *arg, LLVMValueRef inst, bool writes)
{
	const struct frozen *z = arg;

	if (LLVMIsALoadInst(inst) || LLVMIsAStoreInst(inst))
		return !LLVMGetVolatile(inst) &&
		       LLVMGetOrdering(inst) == LLVMAtomicOrderingNotAtomic &&
		       (!writes || is_early(z, inst));
	return unit_intrinsic(inst) && (!writes || is_early(z, inst));
}

/* main, if it is recorded and calls nothing that returns twice. */
static LLVMValueRef find_main(const struct unit *u)
{
	LLVMValueRef f = LLVMGetNamedFunction(u->module, "main");

	if (!f || !map_get(&u->seen, (uintptr_t)f) || is_replaceable(f) || plan_calls_setjmp(f))
		return NULL;
	return f;
}

void frozen_find(struct unit *u)
{
	struct frozen z = { .main = find_main(u) };

	if (!z.main || !u->in_sight.n)
		return;
	find_makers(&z, u->module);
	find_late(&z);
	for (LLVMValueRef g = LLVMGetFirstGlobal(u->module); g; g = LLVMGetNextGlobal(g))
		if (sight_has(u, g) && sight_is_whole(g, access_is_good, &z))
			map_put(&u->frozen, (uintptr_t)g, NULL);
	MAP_RELEASE_ALL(&z.makers, &z.late);
	if (u->frozen.n)
		u->alone = unit_global(u, u->i8, unit_int(u->i8, 0), "foresee.alone", false);
}

bool frozen_is(const struct unit *u, LLVMValueRef p)
{
	return u->alone && map_get(&u->frozen, (uintptr_t)escape_base(p));
}

void frozen_begin(struct function *f)
{
	struct unit *u = f->unit;

	if (u->alone && !strcmp(unit_name(f->twin_of ? f->twin_of : f->value), "main"))
		unit_hook(u, "foresee_main", u->nothing, &u->alone, 1);
}

void frozen_check(struct function *f, LLVMValueRef p)
{
	struct unit *u = f->unit;

	if (frozen_is(u, p))
		unit_hook(u, "foresee_alone", u->nothing, &u->alone, 1);
}

LLVMValueRef frozen_is_recorded(struct function *f)
{
	struct unit *u = f->unit;

	return LLVMBuildICmp(u->builder, LLVMIntEQ, LLVMBuildLoad2(u->builder, u->i8, u->alone, ""),
			     unit_int(u->i8, 0), "");
}
