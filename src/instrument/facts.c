/*
 * Dependency facts: for each load, does its value decide anything?
 *
 * The model: follow the value through everything computed from it.  If all
 * ends in values stored by recorded stores, the load is free and feeds those
 * stores; any other end (a branch, an address, a call, a return, an unseen
 * store) makes it binding.  doc/DEPENDENCY_FACTS.md has the table and the
 * reasons; what is not listed here is binding, so an omission only costs
 * precision.
 *
 * At run time a store names the last instance of each load that feeds it.
 * That is right as long as no value is carried around a loop: a chain through
 * a phi along a back edge is binding, and so is all of a function whose graph
 * is irreducible or which can return twice from a call.
 */
#include "instrument/unit_priv.h"

/* Where the value of one load goes. */
struct flow {
	struct function *f;
	const struct cfg *cfg;
	struct map seen;
	VEC(LLVMValueRef) todo;
	VEC(size_t) sinks; /* records whose written value it reaches */
	bool binding;
	bool late; /* places where the value decides do not bind, but are noted: */
	VEC(LLVMValueRef) deciders;
	/* Comparisons with constants end the flow, which is of values that are part of the load. */
	bool tests;
	struct tests found;
	struct map formed; /* value -> 1 + index in forms */
	VEC(struct tests_form) forms;
};

/* Intrinsics that only compute, whatever their operands: no trap, no memory. */
static const char *const facts_pure[] = {
	"llvm.smin.",
	"llvm.smax.",
	"llvm.umin.",
	"llvm.umax.",
	"llvm.abs.",
	"llvm.bswap.",
	"llvm.ctpop.",
	"llvm.ctlz.",
	"llvm.cttz.",
	"llvm.fshl.",
	"llvm.fshr.",
	"llvm.sadd.sat.",
	"llvm.uadd.sat.",
	"llvm.ssub.sat.",
	"llvm.usub.sat.",
	"llvm.sshl.sat.",
	"llvm.ushl.sat.",
	"llvm.sadd.with.overflow.",
	"llvm.uadd.with.overflow.",
	"llvm.ssub.with.overflow.",
	"llvm.usub.with.overflow.",
	"llvm.smul.with.overflow.",
	"llvm.umul.with.overflow.",
};

/* The same in floating point: pure unless exceptions trap. */
static const char *const facts_pure_fp[] = {
	"llvm.fma.",	"llvm.fmuladd.", "llvm.sqrt.",	  "llvm.fabs.",	   "llvm.copysign.",
	"llvm.minnum.", "llvm.maxnum.",	 "llvm.minimum.", "llvm.maximum.",
};

static bool fp_is_strict(const struct function *f)
{
	return f->unit->fp_traps || unit_function_has(f->value, "strictfp");
}

/* A division whose divisor can neither be zero nor overflow. */
static bool divisor_is_safe(LLVMValueRef inst)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(inst);
	LLVMValueRef divisor = LLVMGetOperand(inst, 1);
	int64_t n;

	if (!LLVMIsAConstantInt(divisor) || LLVMGetIntTypeWidth(LLVMTypeOf(divisor)) > 64)
		return false;
	n = LLVMConstIntGetSExtValue(divisor);
	return n != 0 && (n != -1 || op == LLVMUDiv || op == LLVMURem);
}

/* An atomic load or store of 16 bytes: its hook takes no keepers. */
static bool access_has_no_keepers(const struct function *f, LLVMValueRef inst)
{
	return LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic &&
	       !plan_scalar_size(f->unit, plan_type(inst));
}

/* Here, at user, the value decides something, and goes no further. */
static void flow_decide(struct flow *w, LLVMValueRef user)
{
	bool known = false;

	w->binding |= !w->late || !LLVMIsAInstruction(user) || LLVMIsAPHINode(user);
	for (size_t i = 0; i < w->deciders.n; i++)
		known |= w->deciders.at[i] == user;
	if (!known && !w->binding)
		*VEC_PUSH(&w->deciders) = user;
}

static void flow_sink(struct flow *w, LLVMValueRef user)
{
	struct record *r = plan_find(w->f, user);

	if (!r || r->is_volatile || r->action == ACT_UNSEEN ||
	    (r->action == ACT_WRITE && access_has_no_keepers(w->f, user)))
		flow_decide(w, user);
	else
		*VEC_PUSH(&w->sinks) = (size_t)(r - w->f->records.at);
}

static void flow_derive(struct flow *w, LLVMValueRef user)
{
	bool fresh;

	map_put(&w->seen, (uintptr_t)user, &fresh);
	if (fresh)
		*VEC_PUSH(&w->todo) = user;
}

static void flow_derive_if(struct flow *w, LLVMValueRef user, bool condition)
{
	if (condition)
		flow_derive(w, user);
	else
		flow_decide(w, user);
}

static void flow_phi(struct flow *w, LLVMValueRef phi, LLVMValueRef v)
{
	unsigned n = LLVMCountIncoming(phi);

	for (unsigned i = 0; i < n; i++)
		if (LLVMGetIncomingValue(phi, i) == v &&
		    cfg_is_back_edge(w->cfg, LLVMGetIncomingBlock(phi, i),
				     LLVMGetInstructionParent(phi)))
			w->binding = true;
	flow_derive(w, phi);
}

static void flow_call(struct flow *w, LLVMValueRef call, LLVMValueRef v)
{
	const char *name = unit_intrinsic(call);

	if (!name) {
		flow_decide(w, call);
		return;
	}
	if (unit_has_prefix(name, "llvm.memset.")) {
		if (LLVMGetOperand(call, 1) == v && LLVMGetOperand(call, 0) != v &&
		    LLVMGetOperand(call, 2) != v)
			flow_sink(w, call);
		else
			flow_decide(w, call);
		return;
	}
	flow_derive_if(w, call,
		       UNIT_HAS_ONE_OF(name, facts_pure) ||
			       (UNIT_HAS_ONE_OF(name, facts_pure_fp) && !fp_is_strict(w->f)));
}

static void flow_write(struct flow *w, LLVMValueRef write, LLVMValueRef v)
{
	if (plan_pointer(write) == v)
		flow_decide(w, write);
	else
		flow_sink(w, write);
}

static void flow_use(struct flow *w, LLVMValueRef user, LLVMValueRef v)
{
	unsigned n;

	switch (LLVMIsAInstruction(user) ? LLVMGetInstructionOpcode(user) : (LLVMOpcode)0) {
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
	case LLVMShl:
	case LLVMLShr:
	case LLVMAShr:
	case LLVMAnd:
	case LLVMOr:
	case LLVMXor:
	case LLVMICmp:
	case LLVMTrunc:
	case LLVMZExt:
	case LLVMSExt:
	case LLVMBitCast:
	case LLVMPtrToInt:
	case LLVMIntToPtr:
	case LLVMAddrSpaceCast:
	case LLVMGetElementPtr:
	case LLVMFreeze:
	case LLVMSelect:
	case LLVMInsertValue:
	case LLVMExtractValue:
	case LLVMShuffleVector:
		flow_derive(w, user);
		break;
	case LLVMFNeg:
	case LLVMFAdd:
	case LLVMFSub:
	case LLVMFMul:
	case LLVMFDiv:
	case LLVMFCmp:
	case LLVMFPTrunc:
	case LLVMFPExt:
	case LLVMFPToUI:
	case LLVMFPToSI:
	case LLVMUIToFP:
	case LLVMSIToFP:
		flow_derive_if(w, user, !fp_is_strict(w->f));
		break;
	case LLVMUDiv:
	case LLVMURem:
	case LLVMSDiv:
	case LLVMSRem:
		flow_derive_if(w, user, divisor_is_safe(user));
		break;
	case LLVMInsertElement:
	case LLVMExtractElement: /* the index is the last operand */
		n = (unsigned)LLVMGetNumOperands(user);
		flow_derive_if(w, user, LLVMIsAConstantInt(LLVMGetOperand(user, n - 1)));
		break;
	case LLVMPHI:
		flow_phi(w, user, v);
		break;
	case LLVMStore:
	case LLVMAtomicRMW:
		flow_write(w, user, v);
		break;
	case LLVMCall:
		flow_call(w, user, v);
		break;
	default:
		flow_decide(w, user);
		break;
	}
}

/* The user looks at v by comparisons alone.  False: it is as any other; what it is of the load is noted. */
static bool flow_test(struct flow *w, LLVMValueRef user, LLVMValueRef v)
{
	const uint64_t *at = w->tests ? map_get(&w->formed, (uintptr_t)v) : NULL;
	struct tests_form form, derived;

	if (!at)
		return false;
	form = w->forms.at[*at - 1];
	if (tests_compare(user, v, &form, &w->found))
		return true;
	if (LLVMIsAInstruction(user) && tests_derive(user, v, &form, &derived)) {
		*VEC_PUSH(&w->forms) = derived;
		*map_put(&w->formed, (uintptr_t)user, NULL) = w->forms.n;
	}
	return false;
}

static void flow_follow(struct flow *w, struct record *r)
{
	struct tests_form form;

	if (w->tests && tests_begin(w->f->unit, r->inst, &form)) {
		*VEC_PUSH(&w->forms) = form;
		*map_put(&w->formed, (uintptr_t)r->inst, NULL) = w->forms.n;
	}
	flow_derive(w, r->inst);
	while (w->todo.n && !w->binding) {
		LLVMValueRef v = w->todo.at[--w->todo.n];

		for (LLVMUseRef use = LLVMGetFirstUse(v); use && !w->binding;
		     use = LLVMGetNextUse(use))
			if (!flow_test(w, LLVMGetUser(use), v))
				flow_use(w, LLVMGetUser(use), v);
	}
	/* The written value of an rmw depends on the value read, an exchange's does not. */
	if (r->action == ACT_RMW && strcmp(extra_rmw_name(r->inst), "xchg"))
		flow_sink(w, r->inst);
	if (r->action == ACT_RMW && extra_rmw_name(r->inst)[0] == 'f' && fp_is_strict(w->f))
		w->binding = true;
}

/* Atomics are polled: those are all binding, and the recorder need not log them all. */
static bool load_can_be_tested(const struct record *r)
{
	return r->action == ACT_READ && !plan_is_atomic_access(r);
}

/* Room in every store it feeds? */
static bool sinks_have_room(const struct flow *w)
{
	for (size_t i = 0; i < w->sinks.n; i++)
		if (__builtin_popcountll(w->f->records.at[w->sinks.at[i]].feeds) >= FORESEE_FEEDS)
			return false;
	return true;
}

static void flow_take(const struct flow *w, struct record *r)
{
	struct function *f = w->f;

	r->free = true;
	r->tested = w->tests;
	r->late = w->late;
	r->tests = tests_string(f->unit, &w->found);
	late_add(f, r, w->deciders.at, w->deciders.n);
	/* One that is compared need not have one; the hook of an rmw tells by it that it is free. */
	if (w->tests && w->sinks.n == 0 && r->action != ACT_RMW)
		return;
	r->keeps = true;
	r->keeper = f->nkeepers++;
	for (size_t i = 0; i < w->sinks.n; i++)
		f->records.at[w->sinks.at[i]].feeds |= 1ull << r->keeper;
}

static void flow_release(struct flow *w)
{
	MAP_RELEASE_ALL(&w->seen, &w->formed);
	VEC_RELEASE_ALL(&w->todo, &w->sinks, &w->forms, &w->deciders);
}

static bool flow_suits(struct flow *w, struct record *r)
{
	flow_follow(w, r);
	return !w->binding && sinks_have_room(w) &&
	       (!w->late || late_suits(r->inst, w->deciders.at, w->deciders.n));
}

/* Free; or but for what comes later; or but for comparisons.  What comes later may be comparisons, too. */
static void facts_find_load(struct function *f, const struct cfg *cfg, struct record *r)
{
	struct flow plain = { .f = f, .cfg = cfg }, tested = { .f = f, .cfg = cfg, .tests = true };
	struct flow late = { .f = f, .cfg = cfg, .late = true }, *best = NULL;

	if (flow_suits(&plain, r)) {
		best = &plain;
	} else if (load_can_be_tested(r)) {
		if (flow_suits(&tested, r))
			best = &tested;
		if (f->may_be_late && flow_suits(&late, r)) {
			late.found = best ? tested.found : late.found;
			best = &late;
		}
	}
	if (best)
		flow_take(best, r);
	flow_release(&plain);
	flow_release(&tested);
	flow_release(&late);
}

static bool load_can_be_free(const struct function *f, const struct record *r)
{
	if (r->is_volatile || f->nkeepers == FORESEE_KEEPERS)
		return false;
	if (r->action == ACT_READ)
		return !access_has_no_keepers(f, r->inst);
	return r->action == ACT_RMW;
}

void facts_find(struct function *f)
{
	struct cfg cfg;

	cfg_init(&cfg, f->value);
	f->all_binding =
		!cfg.reducible || plan_calls_setjmp(f->value) ||
		unit_function_has(f->value, "presplitcoroutine") ||
		LLVMGetStringAttributeAtIndex(f->value, LLVMAttributeFunctionIndex,
					      "coroutine.presplit", strlen("coroutine.presplit"));
	f->may_be_late = late_is_possible(f);
	for (size_t i = 0; i < f->records.n && !f->all_binding; i++)
		if (load_can_be_free(f, &f->records.at[i]))
			facts_find_load(f, &cfg, &f->records.at[i]);
	cfg_release(&cfg);
}

static void print_feeds(const struct function *f, const struct record *r, struct strbuf *b)
{
	const struct foresee_site *sites = f->unit->sites.at;
	const char *separator = "fed:";

	for (size_t i = 0; i < f->records.n; i++) {
		const struct record *from = &f->records.at[i];

		if (!from->keeps || !(r->feeds >> from->keeper & 1))
			continue;
		strbuf_adds(b, separator);
		if (from == r)
			strbuf_adds(b, "self");
		else
			strbuf_addf(b, "%u", sites[from->site].line);
		separator = ",";
	}
	if (!r->feeds)
		strbuf_adds(b, "unfed");
}

static void print_fact(const struct function *f, const struct record *r, struct strbuf *b)
{
	static const char *const words[] = {
		[ACT_CAS] = "binding", [ACT_FETCH] = "binding", [ACT_COPY] = "copy",
		[ACT_FENCE] = "fence", [ACT_CALL] = "call",	[ACT_UNSEEN] = "opaque",
	};

	if (words[r->action]) {
		strbuf_adds(b, words[r->action]);
		return;
	}
	if (r->action == ACT_READ || r->action == ACT_RMW)
		strbuf_adds(b, r->tested ? "tested"
			       : r->late ? "late"
			       : r->free ? "free"
					 : "binding");
	for (const char *at = intern_str(f->unit->strings, r->tests); at && *at; at++)
		strbuf_addf(b, "%s%c", at == intern_str(f->unit->strings, r->tests) ? ":" : "",
			    *at == ' ' ? ',' : *at);
	if (r->action == ACT_RMW)
		strbuf_adds(b, "+");
	if (r->action != ACT_READ)
		print_feeds(f, r, b);
}

void facts_print(const struct function *f)
{
	static const char *const kinds[] = {
#define X(id, name) name,
		FORESEE_SITE_KINDS(X)
#undef X
	};
	const char *path = getenv("FORESEE_FACTS");
	struct strbuf b = { 0 };
	FILE *out;

	if (!path)
		return;
	for (size_t i = 0; i < f->records.n; i++) {
		const struct record *r = &f->records.at[i];
		const struct foresee_site *s = &f->unit->sites.at[r->site];
		const char *function =
			intern_str(f->unit->strings, (uint32_t)(uintptr_t)s->function);
		const char *variable =
			intern_str(f->unit->strings, (uint32_t)(uintptr_t)s->variable);

		strbuf_addf(&b, "%s %u %s %s ", function ? function : "-", s->line, kinds[s->kind],
			    variable ? variable : "-");
		print_fact(f, r, &b);
		strbuf_adds(&b, "\n");
	}
	out = fopen(path, "a");
	if (out) {
		fputs(strbuf_str(&b), out);
		fclose(out);
	}
	strbuf_release(&b);
}
