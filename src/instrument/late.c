/*
 * Values that are looked at when the lock has been given back.
 *
 *	lock; v = x; unlock; if (v == 7) ...
 *
 * What x is decides at the `if', not where it is read: another thread may come before, and this one still
 * reaches its unlock.  So the load is free, and where its value decides something a USE names it.
 *
 * Such a load is worth it if, whichever way control goes, a lock is given back before the value decides;
 * and cheap if none of those places is repeated without the load: each execution of it has as many USEs as it
 * has ways.
 */
#include "instrument/unit_priv.h"

/* They give a lock back, and change nothing else. */
static bool is_unlock(LLVMValueRef inst)
{
	static const char *const names[] = {
		"pthread_mutex_unlock",
		"pthread_rwlock_unlock",
		"pthread_spin_unlock",
		"mtx_unlock",
		"sem_post",
	};
	LLVMValueRef callee =
		LLVMIsACallInst(inst) || LLVMIsAInvokeInst(inst) ? unit_callee(inst) : NULL;
	const char *name = callee ? unit_name(callee) : NULL;

	for (size_t i = 0; name && i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

struct walk {
	LLVMValueRef load;
	const LLVMValueRef *at; /* where its value decides */
	size_t n;
	bool unlock_stops;
	struct map seen; /* blocks entered at their beginning */
	VEC(LLVMBasicBlockRef) todo;
};

static void walk_on(struct walk *w, LLVMBasicBlockRef block)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
	unsigned n = end ? LLVMGetNumSuccessors(end) : 0;

	for (unsigned i = 0; i < n; i++) {
		bool fresh;

		map_put(&w->seen, (uintptr_t)LLVMGetSuccessor(end, i), &fresh);
		if (fresh)
			*VEC_PUSH(&w->todo) = LLVMGetSuccessor(end, i);
	}
}

/* From this instruction of the block on (NULL: behind it).  True: one of the places is met. */
static bool walk_block(struct walk *w, LLVMBasicBlockRef block, LLVMValueRef inst)
{
	for (; inst; inst = LLVMGetNextInstruction(inst)) {
		for (size_t i = 0; i < w->n; i++)
			if (w->at[i] == inst)
				return true;
		if (inst == w->load || (w->unlock_stops && is_unlock(inst)))
			return false;
	}
	walk_on(w, block);
	return false;
}

/* Does some way from behind `from' lead to one of the places?  Ways end at the load. */
static bool leads_to(struct walk *w, LLVMValueRef from)
{
	bool found = walk_block(w, LLVMGetInstructionParent(from), LLVMGetNextInstruction(from));

	while (!found && w->todo.n) {
		LLVMBasicBlockRef block = w->todo.at[--w->todo.n];

		found = walk_block(w, block, LLVMGetFirstInstruction(block));
	}
	map_release(&w->seen);
	VEC_RELEASE(&w->todo);
	return found;
}

bool late_suits(LLVMValueRef load, const LLVMValueRef *at, size_t n)
{
	struct walk before = { .load = load, .at = at, .n = n, .unlock_stops = true };

	if (n > LATE_MOST || leads_to(&before, load))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct walk again = { .load = load, .at = &at[i], .n = 1 };

		if (leads_to(&again, at[i]))
			return false;
	}
	return true;
}

bool late_is_possible(const struct function *f)
{
	for (size_t i = 0; i < f->records.n; i++)
		if (is_unlock(f->records.at[i].inst))
			return true;
	return false;
}

void late_add(struct function *f, const struct record *r, const LLVMValueRef *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		*VEC_PUSH(&f->uses) = (struct late_use){ at[i], (size_t)(r - f->records.at), 0 };
}

void late_emit(struct function *f)
{
	struct unit *u = f->unit;

	for (size_t i = 0; i < f->uses.n; i++) {
		const struct late_use *use = &f->uses.at[i];
		LLVMValueRef args[2];

		LLVMPositionBuilderBefore(u->builder, use->at);
		args[0] = stack_keeper(f, &f->records.at[use->record]);
		args[1] = sites_number(f, use->site);
		unit_hook(u, "foresee_use", u->nothing, args, 2);
	}
}
