/*
 * The pass: which functions, in which steps (unit_priv.h has the list).
 */
#include "instrument/unit_priv.h"

/* A copy that nobody calls and the compiler is about to drop. */
static bool is_discarded(LLVMValueRef f)
{
	switch (LLVMGetLinkage(f)) {
	case LLVMInternalLinkage:
	case LLVMPrivateLinkage:
	case LLVMLinkOnceAnyLinkage:
	case LLVMLinkOnceODRLinkage:
		return !LLVMGetFirstUse(f);
	default:
		return false;
	}
}

static bool is_instrumented(const struct unit *u, LLVMValueRef f)
{
	return !LLVMIsDeclaration(f) && LLVMGetLinkage(f) != LLVMAvailableExternallyLinkage &&
	       !unit_has_prefix(unit_name(f), "foresee.") && !is_discarded(f) &&
	       !unit_function_has(f, "naked") &&
	       !unit_function_has(f, "disable_sanitizer_instrumentation") &&
	       !map_get(&u->ignored, (uintptr_t)f);
}

static void ignore(struct unit *u, LLVMValueRef f)
{
	map_put(&u->ignored, (uintptr_t)f, NULL);
}

static bool is_ignore(const char *annotation)
{
	return annotation && !strcmp(annotation, "foresee_ignore");
}

/* __attribute__((annotate("foresee_ignore"))), and what runs before thread-local storage works. */
static void find_ignored(struct unit *u)
{
	LLVMValueRef list = LLVMGetNamedGlobal(u->module, "llvm.global.annotations");
	LLVMValueRef rows = list ? LLVMGetInitializer(list) : NULL;
	int n = rows ? LLVMGetNumOperands(rows) : 0;

	for (int i = 0; i < n; i++) {
		LLVMValueRef row = LLVMGetOperand(rows, (unsigned)i);

		if (LLVMGetNumOperands(row) >= 2 && is_ignore(calls_string(LLVMGetOperand(row, 1))))
			ignore(u, escape_base(LLVMGetOperand(row, 0)));
	}
	for (LLVMValueRef g = LLVMGetFirstGlobalIFunc(u->module); g; g = LLVMGetNextGlobalIFunc(g))
		ignore(u, escape_base(LLVMGetGlobalIFuncResolver(g)));
}

static void emit_record(struct function *f, struct record *r)
{
	switch (r->action) {
	case ACT_READ:
	case ACT_WRITE:
		if (LLVMGetOrdering(r->inst) == LLVMAtomicOrderingNotAtomic)
			access_emit(f, r);
		else
			atomic_emit(f, r);
		break;
	case ACT_RMW:
	case ACT_CAS:
	case ACT_FENCE:
		atomic_emit(f, r);
		break;
	case ACT_COPY:
	case ACT_FETCH:
	case ACT_PUT:
	case ACT_FILL:
		range_emit(f, r);
		break;
	case ACT_CALL:
		call_emit(f, r);
		break;
	case ACT_UNSEEN:
		call_emit_unseen(f, r);
		break;
	}
}

static void instrument(struct unit *u, LLVMValueRef value, void *analyses)
{
	struct function f = { .unit = u, .value = value };

	/* Locals of a function that setjmp returns to twice must stay in memory. */
	if (!plan_calls_setjmp(value))
		extra_promote(analyses, value);
	speculate_undo(&f);
	plan_merge_loads(&f);
	plan_make(&f);
	if (stack_is_needed(&f)) {
		facts_find(&f);
		sites_add(&f);
		facts_print(&f);
		stack_enter(&f);
		stack_leave(&f);
		for (size_t i = 0; i < f.records.n; i++)
			emit_record(&f, &f.records.at[i]);
		unit_strip_memory_attributes(value);
	}
	MAP_RELEASE_ALL(&f.by_inst, &f.private, &f.buffers);
	VEC_RELEASE_ALL(&f.records, &f.scopes);
}

void pass_run(LLVMModuleRef m, void *analyses)
{
	struct unit u;

	unit_init(&u, m);
	find_ignored(&u);
	calls_add_sites(&u);
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		if (!is_instrumented(&u, f))
			continue;
		map_put(&u.seen, (uintptr_t)f, NULL);
		*VEC_PUSH(&u.functions) = f;
	}
	call_keep_own(&u);
	for (size_t i = 0; i < u.functions.n; i++)
		instrument(&u, u.functions.at[i], analyses);
	call_redirect_pointers(&u);
	tables_emit(&u);
	unit_release(&u);
}
