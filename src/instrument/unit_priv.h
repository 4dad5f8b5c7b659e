/*
 * State the pass keeps for the unit (module) and for the function at hand.
 *
 * A function is treated in six steps, each over the records of the one before:
 *
 *	plan	which instructions matter, and what becomes of each	plan.c
 *	facts	which loads are free, which stores they feed		facts.c
 *	sites	a row of the site table for each			sites.c
 *	loops	those that can run on a buffer				loops.c
 *	twin	a copy of the function for guarded programs		twin.c
 *	stack	entry and exit code, keepers; late uses			stack.c late.c
 *	emit	replace the instructions by hook calls			access.c atomic.c call.c update.c
 *
 * Nothing is changed before the facts are known, so the analysis sees the
 * program and never our own code.
 */
#ifndef INSTRUMENT_UNIT_PRIV_H
#define INSTRUMENT_UNIT_PRIV_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#include "base/common.h"
#include "capture/hooks.h"
#include "instrument/extra.h"

/* What becomes of an instruction. */
enum action {
	ACT_READ,  /* load */
	ACT_WRITE, /* store */
	ACT_RMW,   /* atomicrmw */
	ACT_CAS,   /* cmpxchg */
	ACT_FENCE,
	ACT_COPY,  /* memcpy, memmove: shared to shared */
	ACT_FETCH, /* ... shared to private: a binding ranged read */
	ACT_PUT,   /* ... private to shared: a ranged write */
	ACT_FILL,  /* memset */
	ACT_CALL,  /* a call that may run code: call site, opaque, redirection */
	ACT_UNSEEN, /* touches memory in a way that is not modelled: left as it is, logged as opaque */
};

/* One instruction that matters.  Facts: see facts.h. */
struct record {
	LLVMValueRef inst;
	enum action action;
	bool is_volatile;
	bool free;	 /* the read part */
	uint32_t keeper; /* of a free read */
	uint64_t
		feeds; /* keepers that flow into the written value; own keeper: the rmw feeds itself */
	uint32_t site;	/* row of the site table */
	bool tested;	/* the read part is free but for comparisons with constants: */
	uint32_t tests; /* string id: by which; 0 none, or all come out the same always */
	bool keeps;	/* it has a keeper */
	bool done;	/* a store that the hook of a load does: update.c */
	bool late; /* a free read that decides later, where USEs name it (late.c); tests are theirs */
};

/* Before instruction `at' it is said that the value of a record decides there. */
struct late_use {
	LLVMValueRef at;
	size_t record;
	uint32_t site;
};

struct twins {
	LLVMValueRef asks, trusts; /* or NULL */
	LLVMValueRef choice;
	bool any; /* whatever is watched, if it is in sight, the one that trusts will do */
};

struct unit {
	LLVMModuleRef module;
	LLVMContextRef context;
	LLVMBuilderRef builder;
	LLVMTargetDataRef layout;
	LLVMTypeRef i8, i16, i32, i64, pointer, nothing;
	LLVMValueRef base;  /* i32: number of this unit's site 0 */
	LLVMValueRef self;  /* foresee_self */
	LLVMValueRef watch; /* struct foresee_watch of the unit */
	VEC(struct twins) twins;
	struct map twins_of; /* function -> index there */
	bool fp_traps;	     /* the unit unmasks floating point exceptions, or looks at them */

	struct map in_sight; /* variables: sight.c, */
	struct map frozen;   /* frozen.c */
	LLVMValueRef alone;  /* the byte that frozen reads look at; NULL: no variable is frozen */

	struct map ignored; /* functions annotated foresee_ignore, ifunc resolvers */
	struct map seen;    /* functions instrumented here */
	VEC(LLVMValueRef) functions;
	struct map bytes; /* external function -> its "maybe opaque" byte */
	struct intern *strings;
	VEC(LLVMValueRef) string_values; /* by string id - 1 */
	VEC(struct foresee_site) sites;	 /* strings as ids, cast */
	struct map files;		 /* debug file -> string id of its path */
	struct map inlined;		 /* inlinedAt location -> its CALL site */
	struct map structs;		 /* string id of a struct's name -> its debug type */
	bool structs_known;
};

/* A variable in sight that a twin without hooks touches. */
struct touched {
	LLVMValueRef variable;
	bool written;
};

struct function {
	struct unit *unit;
	LLVMValueRef value;
	bool all_binding;
	bool may_be_late; /* it gives a lock back */
	VEC(struct record) records;
	VEC(struct late_use) uses;
	struct map by_inst; /* instruction -> index into records */
	struct map private; /* alloca or byval argument -> 1 shared, 2 private */

	/* From stack.c, once code is being emitted. */
	struct map buffers; /* type and use -> alloca */
	uint32_t nkeepers;
	LLVMValueRef keepers; /* [nkeepers x i64] */
	LLVMValueRef self, depth, base;
	VEC(struct loop *) loops; /* that get a copy on a buffer: loops.c */
	VEC(LLVMValueRef) scopes; /* allocas whose end is told of where the function is left */

	/* Of a twin. */
	LLVMValueRef twin_of;	      /* the function; NULL: this is none */
	VEC(struct touched) touched;  /* by one that trusts */
	LLVMValueRef low, span, high; /* what is watched */
	VEC(struct twin_loop *) bare; /* loops that ask once: twin_loops.c */
};

/* Each instruction of a function, which may be erased on the way. */
#define UNIT_EACH(inst, function)                                                         \
	for (LLVMBasicBlockRef unit_block = LLVMGetFirstBasicBlock(function); unit_block; \
	     unit_block = LLVMGetNextBasicBlock(unit_block))                              \
		for (LLVMValueRef inst = LLVMGetFirstInstruction(unit_block), unit_next;  \
		     inst && (unit_next = LLVMGetNextInstruction(inst), true); inst = unit_next)

/* ---- unit.c: types, hooks, strings ---- */

void unit_init(struct unit *u, LLVMModuleRef m);
void unit_release(struct unit *u);
/* Call foresee hook `name', declared from the types of its arguments. */
LLVMValueRef unit_hook(struct unit *u, const char *name, LLVMTypeRef returns, LLVMValueRef *args,
		       unsigned nargs);
LLVMValueRef unit_int(LLVMTypeRef type, uint64_t value);
LLVMValueRef unit_null(const struct unit *u);
LLVMValueRef unit_pointer(struct unit *u, LLVMValueRef p); /* p as i8* */
LLVMValueRef unit_global(struct unit *u, LLVMTypeRef type, LLVMValueRef init, const char *name,
			 bool constant);
uint32_t unit_string(struct unit *u, const char *s); /* id; 0 for NULL */
LLVMValueRef unit_string_value(struct unit *u, uint32_t id);
uint32_t unit_text(struct unit *u,
		   struct strbuf *b); /* the same of all that is in b; releases it */
const char *unit_name(LLVMValueRef v);
bool unit_has_prefix(const char *name, const char *prefix);
#define UNIT_HAS_ONE_OF(name, prefixes) \
	unit_has_one_of(name, prefixes, sizeof(prefixes) / sizeof(*(prefixes)))
bool unit_has_one_of(const char *name, const char *const *prefixes, size_t n);
#define UNIT_IS_ONE_OF(name, names) unit_is_one_of(name, names, sizeof(names) / sizeof(*(names)))
bool unit_is_one_of(const char *name, const char *const *names, size_t n);
/* The function a call names, through casts; NULL: indirect, or asm. */
LLVMValueRef unit_callee(LLVMValueRef call);
void unit_set_callee(LLVMValueRef call, LLVMValueRef callee);
const char *unit_intrinsic(LLVMValueRef inst); /* "llvm.memcpy.p0..."; NULL: not one */
unsigned unit_attribute(const char *name);     /* its kind; 0: this LLVM has none such */
bool unit_function_has(LLVMValueRef function, const char *attribute);
bool unit_call_has(LLVMValueRef call, const char *attribute); /* the call or its callee */
void unit_strip_memory_attributes(LLVMValueRef function_or_call);

/* ---- escape.c: which memory no other thread can reach ---- */

/* Through casts and address arithmetic to where a pointer comes from. */
LLVMValueRef escape_base(LLVMValueRef p);
bool escape_is_private(struct function *f, LLVMValueRef p);
/* Does the access need a hook?  No: private, constant, or none of the program's. */
bool escape_is_recorded(struct function *f, LLVMValueRef inst, LLVMValueRef p);

/* ---- sight.c: variables no pointer to which leaves the unit ---- */

void sight_find(struct unit *u);
/* Is the memory at p such a variable's?  Not where p is one of two. */
bool sight_has(const struct unit *u, LLVMValueRef p);
/* May it be touched so?  One that is none, too: are all its uses in sight, and may they be? */
typedef bool sight_may(void *arg, LLVMValueRef inst, bool writes);
bool sight_is_whole(LLVMValueRef variable, sight_may *may, void *arg);

/* ---- frozen.c: variables that nobody writes once there are threads ---- */

void frozen_find(struct unit *u);
bool frozen_is(const struct unit *u, LLVMValueRef p);  /* Is the memory at p such a variable's? */
void frozen_begin(struct function *f);		       /* in the entry code of main */
void frozen_check(struct function *f, LLVMValueRef p); /* before a write to p */
/* Where the builder stands: is a read of such a variable to be recorded? */
LLVMValueRef frozen_is_recorded(struct function *f);

/* ---- speculate.c: loads the program would not execute ---- */

void speculate_undo(struct function *f);
/* When f has its code. */
void speculate_over(struct function *f);

/* ---- plan.c: the instructions that matter ---- */

/* Does an instruction between two equal loads keep them apart? */
bool plan_separates_loads(LLVMValueRef inst);
void plan_merge_loads(struct function *f);
void plan_make(struct function *f);
struct record *plan_find(const struct function *f, LLVMValueRef inst);
/* Bytes of a value that one plain hook carries (1, 2, 4, 8); 0: by range. */
uint32_t plan_scalar_size(const struct unit *u, LLVMTypeRef type);
/* The pointer and the value type of a load, store, rmw or cmpxchg. */
LLVMValueRef plan_pointer(LLVMValueRef inst);
LLVMTypeRef plan_type(LLVMValueRef inst);
/* A load or store that is atomic. */
static inline bool plan_is_atomic_access(const struct record *r)
{
	return r->action <= ACT_WRITE && LLVMGetOrdering(r->inst) != LLVMAtomicOrderingNotAtomic;
}
bool plan_returns_twice(LLVMValueRef call); /* false for any other instruction */
bool plan_calls_setjmp(LLVMValueRef function);

/* ---- cfg.c: the control flow graph of a function: which edges go back, and whether every cycle has
 * one way in (reducible) ---- */

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

/* ---- facts.c: doc/DEPENDENCY_FACTS.md ---- */

void facts_find(struct function *f);
/* Append the facts of f to the file named by FORESEE_FACTS, if set. */
void facts_print(const struct function *f);

/* ---- tests.c: comparisons with constants ---- */

#define TESTS_MOST 6

struct tests_one {
	const char *cmp; /* as in trace/predicate.h */
	uint64_t with, mask;
	unsigned bits;
};

struct tests {
	struct tests_one at[TESTS_MOST];
	unsigned n;
};

/* What a value is: the low `bits' of a load, less what is not in the mask, extended to `width'. */
struct tests_form {
	unsigned bits, width;
	uint64_t mask;
	bool is_signed; /* extended by its sign */
};

/* The load itself.  False: it cannot be compared. */
bool tests_begin(const struct unit *u, LLVMValueRef load, struct tests_form *out);
/* user is made of value, which is v, and is *out.  False: it is something else. */
bool tests_derive(LLVMValueRef user, LLVMValueRef value, const struct tests_form *v,
		  struct tests_form *out);
/* user depends on value by outcomes of comparisons alone, which are added to t.  False: it is not known to. */
bool tests_compare(LLVMValueRef user, LLVMValueRef value, const struct tests_form *v,
		   struct tests *t);
uint32_t tests_string(struct unit *u, const struct tests *t); /* id; 0 of none */

/* ---- late.c: loads that decide when the lock has been given back ---- */

#define LATE_MOST 4u /* places where one decides */

bool late_is_possible(const struct function *f); /* False: no load of it is one */
/* A load whose value decides at these places. */
bool late_suits(LLVMValueRef load, const LLVMValueRef *at, size_t n);
void late_add(struct function *f, const struct record *r, const LLVMValueRef *at, size_t n);
void late_emit(struct function *f);

/* ---- looks.c: loads that only ask ---- */

/* What a load, or an atomic update, has read is compared, and nothing else comes of it. */
bool looks_is(LLVMValueRef load);

/* ---- sites.c, names.c, paths.c, locks.c ---- */

void sites_add(struct function *f); /* a row for each record, and each use */
/* A row for a local variable that comes to life at an instruction. */
uint32_t sites_add_local(struct function *f, LLVMValueRef local, LLVMValueRef at);
LLVMValueRef sites_number(struct function *f, uint32_t site); /* base + row */

uint32_t names_function(struct unit *u, LLVMMetadataRef subprogram);
uint32_t names_file(struct unit *u, LLVMMetadataRef file);
uint32_t names_type(struct unit *u, LLVMMetadataRef type);   /* "struct account *" */
uint32_t names_layout(struct unit *u, LLVMMetadataRef type); /* as hooks.h has it */
LLVMMetadataRef names_global(LLVMValueRef global);	     /* its debug variable, or NULL */
/* As the source has it: "total", "worker.calls" for a static local, "ns::total". */
void names_add_global(struct strbuf *b, LLVMValueRef global, LLVMMetadataRef variable);
/* Without typedefs and qualifiers; NULL of NULL. */
LLVMMetadataRef names_bare_type(LLVMMetadataRef type);
uint64_t names_size(LLVMMetadataRef type); /* bytes; 0 of NULL */
/* Qualified by namespace, class or function. */
void names_add_qualified(struct strbuf *b, LLVMMetadataRef node, const char *separator);

/* What an access touches, or the lock that a call is about: string id; 0 unknown. */
uint32_t paths_variable(struct function *f, const struct record *r);

/* The argument of a call that is a lock or the like, and its size; NULL: none is. */
LLVMValueRef locks_argument(LLVMValueRef call, uint64_t *size);

/* ---- tables.c: the tables and the constructor ---- */

void tables_emit(struct unit *u);

/* ---- calls.c: what is said of a call, and what calls say ---- */

/* The string constant that a pointer names; NULL: it is none. */
const char *calls_string(LLVMValueRef p);
/* The routine of a new thread, the name of some memory: fills in variable and flags. */
void calls_add_said(struct unit *u, LLVMValueRef call, struct foresee_site *s);

/* Before the optimiser: functions that are named by FORESEE_CALLS say when they begin. */
void calls_insert(LLVMModuleRef m);
/* Drops attributes that promise that f touches no memory: calls of it would be merged. */
void calls_keep(LLVMValueRef f);

/* marked.c, before the optimiser: blocks of functions that are meant to be atomic. */
void marked_insert(LLVMModuleRef m);

void calls_add_sites(struct unit *u); /* a row for each of them */

/* keep.c: before the optimiser, so that static variables stay what the source says. */
void keep_variables(LLVMModuleRef m);

/* vtable.c: before the optimiser, destructors that store what is there. */
void vtable_keep(LLVMModuleRef m);
uint32_t sites_add_entry(struct unit *u, const char *function);

/* ---- twin.c: in guarded programs (hooks.h) ---- */

void twin_begin(struct unit *u);
/* Before anything is emitted; *out is the twin, as planned.  trusts: the one without hooks.  Its value is NULL if the
 * function needs none, or cannot have it. */
void twin_make(const struct function *f, bool trusts, struct function *out);
/* When it has its code: of one that trusts, what native code would have before its loops goes there. */
void twin_hoist(struct function *f, void *analyses);
/* When the function has its code: it goes on in one of its twins, of which it has one at least. */
void twin_forward(struct function *f, const struct function *asks, const struct function *trusts);
/* When all functions are done: calls from twins go to twins. */
void twin_calls(struct unit *u);
/* In the entry code of a twin. */
void twin_enter(struct function *f);
/* twin_loops.c.  Before anything is emitted: loops of a twin get copies without hooks.  When it has its entry code: where
 * those run. */
void twin_loops_find(struct function *f, void *analyses);
void twin_loops_emit(struct function *f);
/* Where the builder stands: may n bytes at p, an i64, be watched? */
LLVMValueRef twin_watched(struct function *f, LLVMValueRef p, LLVMValueRef n);
/* The same, by an address as a number. */
LLVMValueRef twin_meets(struct function *f, LLVMValueRef at, LLVMValueRef n);
/* Now the builder stands where that is so, and inst where it is not. */
void twin_part(struct function *f, LLVMValueRef cond, LLVMValueRef inst);

/* ---- stack.c ---- */

/* frame.c: shared locals come to life; `first' is the first instruction of the program's own. */
void frame_emit(struct function *f, LLVMValueRef first);
/* Before `at', where the function is left: those that live as long as it end. */
void frame_leave(struct function *f, LLVMValueRef at);

/* Code that stores v in a member of struct foresee_view. */
void stack_view_store(struct function *f, size_t offset, LLVMValueRef v);
void stack_enter(struct function *f); /* entry code: self, base, keepers */
void stack_leave(struct function *f); /* at returns, landing pads, after setjmp */

/* Memory of the frame for values of a type, the same at each call; its content is needed from
 * one instruction to the next only, except for the keepers and loops. */
enum stack_use {
	STACK_VALUE,
	STACK_OTHER_VALUE, /* a second one at the same time */
	STACK_KEEPERS,
	STACK_LOOP, /* while a loop runs */
};
LLVMValueRef stack_buffer(struct function *f, LLVMTypeRef type, enum stack_use use);

LLVMValueRef stack_keeper(struct function *f, const struct record *r);	/* &keepers[i] or NULL */
LLVMValueRef stack_keepers(struct function *f, const struct record *r); /* keepers or NULL */

/* ---- loops.c: loops whose accesses are known before they begin ---- */

struct loop;
bool loops_are_wanted(const struct function *f);
/* Before anything is emitted: finds them, and adds code that says what they touch. */
void loops_find(struct function *f, void *analyses);
/* loops_emit.c: gives each of them a copy on a buffer; the records are those of the loop itself. */
void loops_emit(struct function *f);

/* ---- update.c ---- */

/* The store that ends x += addend, which begins with that load; NULL: none does. */
struct record *update_find(struct function *f, const struct record *r, LLVMValueRef *addend);

/* ---- access.c, atomic.c, call.c: one record each ---- */

void access_emit(struct function *f, struct record *r);
void atomic_emit(struct function *f, struct record *r);
void range_emit(struct function *f, struct record *r);
bool call_is_pure(LLVMValueRef call); /* FORESEE_PURE: touches nothing, needs no site */
void call_emit(struct function *f, struct record *r);
/* When all functions are done: replaces addresses of library functions by those of the stand-ins, so
 * that calls through pointers and tables are redirected too. */
void call_redirect_pointers(struct unit *u);
/* Names of libc that the unit defines itself. */
void call_keep_own(struct unit *u);
void call_emit_unseen(struct function *f, struct record *r);
LLVMValueRef access_to_int(struct unit *u, LLVMValueRef v, uint32_t size);
LLVMValueRef access_from_int(struct unit *u, LLVMValueRef v, LLVMTypeRef type);

#endif /* INSTRUMENT_UNIT_PRIV_H */
