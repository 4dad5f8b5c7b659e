/*
 * Reverse postorder, then immediate dominators by iteration (Cooper, Harvey
 * and Kennedy, "A simple, fast dominance algorithm", figure 3).
 *
 * An edge whose target is not later in reverse postorder is retreating.  The
 * graph is reducible iff the target of each dominates its source.
 */
#include "instrument/unit_priv.h"

#define CFG_NONE UINT32_MAX

struct step {
	LLVMBasicBlockRef block;
	unsigned next; /* successor to look at */
};

static unsigned successor_count(LLVMBasicBlockRef b)
{
	LLVMValueRef t = LLVMGetBasicBlockTerminator(b);

	return t ? LLVMGetNumSuccessors(t) : 0;
}

static LLVMBasicBlockRef successor(LLVMBasicBlockRef b, unsigned i)
{
	return LLVMGetSuccessor(LLVMGetBasicBlockTerminator(b), i);
}

static void order_blocks(struct cfg *g, LLVMBasicBlockRef entry)
{
	VEC(struct step) stack = { 0 };
	bool fresh;

	map_put(&g->number, (uintptr_t)entry, NULL);
	*VEC_PUSH(&stack) = (struct step){ .block = entry };
	while (stack.n) {
		struct step *top = &stack.at[stack.n - 1];

		if (top->next < successor_count(top->block)) {
			LLVMBasicBlockRef b = successor(top->block, top->next++);

			map_put(&g->number, (uintptr_t)b, &fresh);
			if (fresh)
				*VEC_PUSH(&stack) = (struct step){ .block = b };
		} else {
			*VEC_PUSH(&g->order) = top->block;
			stack.n--;
		}
	}
	VEC_RELEASE(&stack);
	for (size_t i = 0, j = g->order.n - 1; i < j; i++, j--) {
		LLVMBasicBlockRef b = g->order.at[i];

		g->order.at[i] = g->order.at[j];
		g->order.at[j] = b;
	}
	for (size_t i = 0; i < g->order.n; i++)
		*map_get(&g->number, (uintptr_t)g->order.at[i]) = i;
}

static uint32_t common_dominator(const struct cfg *g, uint32_t a, uint32_t b)
{
	while (a != b) {
		while (a > b)
			a = g->dominator.at[a];
		while (b > a)
			b = g->dominator.at[b];
	}
	return a;
}

/* One round of propagation along all edges.  True if something changed. */
static bool relax_dominators(struct cfg *g)
{
	bool changed = false;

	for (uint32_t i = 0; i < g->order.n; i++) {
		unsigned n = successor_count(g->order.at[i]);

		for (unsigned s = 0; s < n; s++) {
			uint32_t to = (uint32_t)*map_get(&g->number,
							 (uintptr_t)successor(g->order.at[i], s));
			uint32_t old = g->dominator.at[to];
			uint32_t now = old == CFG_NONE ? i : common_dominator(g, old, i);

			if (to != 0 && now != old) {
				g->dominator.at[to] = now;
				changed = true;
			}
		}
	}
	return changed;
}

static bool dominates(const struct cfg *g, uint32_t a, uint32_t b)
{
	while (b > a)
		b = g->dominator.at[b];
	return a == b;
}

static bool check_reducible(const struct cfg *g)
{
	for (uint32_t i = 0; i < g->order.n; i++) {
		unsigned n = successor_count(g->order.at[i]);

		for (unsigned s = 0; s < n; s++) {
			uint32_t to = (uint32_t)*map_get(&g->number,
							 (uintptr_t)successor(g->order.at[i], s));

			if (to <= i && !dominates(g, to, i))
				return false;
		}
	}
	return true;
}

void cfg_init(struct cfg *g, LLVMValueRef function)
{
	*g = (struct cfg){ 0 };
	order_blocks(g, LLVMGetEntryBasicBlock(function));
	for (size_t i = 0; i < g->order.n; i++)
		*VEC_PUSH(&g->dominator) = i ? CFG_NONE : 0;
	while (relax_dominators(g))
		;
	g->reducible = check_reducible(g);
}

void cfg_release(struct cfg *g)
{
	map_release(&g->number);
	VEC_RELEASE_ALL(&g->order, &g->dominator);
}

bool cfg_is_back_edge(const struct cfg *g, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
	uint64_t *a = map_get(&g->number, (uintptr_t)from);
	uint64_t *b = map_get(&g->number, (uintptr_t)to);

	return !a || !b || *b <= *a;
}
