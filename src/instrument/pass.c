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
			map_put(&u->ignored, (uintptr_t)escape_base(LLVMGetOperand(row, 0)), NULL);
	}
	for (LLVMValueRef g = LLVMGetFirstGlobalIFunc(u->module); g; g = LLVMGetNextGlobalIFunc(g))
		map_put(&u->ignored, (uintptr_t)escape_base(LLVMGetGlobalIFuncResolver(g)), NULL);
}

static void emit_record(struct function *f, struct record *r)
{
	static void (*const emit[])(struct function *, struct record *) = {
		[ACT_READ] = access_emit,	 [ACT_WRITE] = access_emit, [ACT_RMW] = atomic_emit,
		[ACT_CAS] = atomic_emit,	 [ACT_FENCE] = atomic_emit, [ACT_COPY] = range_emit,
		[ACT_FETCH] = range_emit,	 [ACT_PUT] = range_emit,    [ACT_FILL] = range_emit,
		[ACT_UNSEEN] = call_emit_unseen, [ACT_CALL] = call_emit,
	};

	(plan_is_atomic_access(r) ? atomic_emit : emit[r->action])(f, r);
}

static void emit(struct function *f)
{
	stack_enter(f);
	late_emit(f);
	stack_leave(f);
	(f->twin_of ? twin_loops_emit : loops_emit)(f);
	for (size_t i = 0; i < f->records.n; i++)
		emit_record(f, &f->records.at[i]);
	unit_strip_memory_attributes(f->value);
	speculate_over(f);
}

static void function_release(struct function *f)
{
	MAP_RELEASE_ALL(&f->by_inst, &f->private, &f->buffers);
	VEC_RELEASE_ALL(&f->records, &f->uses, &f->loops, &f->scopes, &f->bare, &f->touched);
}

static void instrument(struct unit *u, LLVMValueRef value, void *analyses)
{
	struct function f = { .unit = u, .value = value }, asks = { 0 }, trusts = { 0 };
	struct function *const twins[] = { &asks, &trusts };

	/* Locals of a function that setjmp returns to twice must stay in memory. */
	if (!plan_calls_setjmp(value))
		extra_promote(analyses, value);
	speculate_undo(&f);
	plan_merge_loads(&f);
	plan_make(&f);
	if (f.records.n > 0) {
		facts_find(&f);
		sites_add(&f);
		facts_print(&f);
		for (size_t i = 0; i < 2; i++)
			twin_make(&f, twins[i] == &trusts, twins[i]);
		loops_find(&f, analyses);
		emit(&f);
	}
	for (size_t i = 0; i < 2; i++) {
		if (!twins[i]->value)
			continue;
		twin_loops_find(twins[i], analyses);
		emit(twins[i]);
		twin_hoist(twins[i], analyses);
	}
	if (asks.value || trusts.value)
		twin_forward(&f, &asks, &trusts);
	function_release(&asks);
	function_release(&trusts);
	function_release(&f);
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
	sight_find(&u);
	frozen_find(&u);
	for (size_t i = 0; i < u.functions.n; i++)
		instrument(&u, u.functions.at[i], analyses);
	twin_calls(&u);
	call_redirect_pointers(&u);
	tables_emit(&u);
	unit_release(&u);
}
