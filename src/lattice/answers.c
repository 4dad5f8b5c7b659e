/*
 * What a lattice has to say: how large it is, whether all of it was built, what was found.
 */

#include "lattice/lattice_priv.h"

static void explain(const struct lattice *l, char *out, size_t n)
{
	static const char *const reasons[] = {
		[CUT_NONE] = "",
		[CUT_BREADTH] = "the breadth was reached (--breadth sets it)",
		[CUT_MEMORY] = "memory ran out (FORESEE_MEMORY=MIB sets how much may be used)",
		[CUT_BUDGET] = "the budget of cuts ran out (--budget sets it)",
		[CUT_HORIZON] = "too many points were waiting for a thread that did not go on",
		[CUT_DELAYED] = "a thread went on that seemed to wait or had not been there",
		[CUT_STOP] = "interrupted",
		[CUT_KEPT] = "levels to keep took too much memory (FORESEE_MEMORY=MIB)",
	};

	if (l->why == CUT_NONE)
		return;
	snprintf(out, n, "at level %" PRIu64 " %s", l->why_level, reasons[l->why]);
	if (l->left_out)
		snprintf(out + strlen(out), n - strlen(out),
			 ": %" PRIu64 " cut%s left out, and what follows", l->left_out,
			 l->left_out == 1 ? " was" : "s were");
}

void lattice_counts(const struct lattice *l, struct lattice_counts *out)
{
	*out = (struct lattice_counts){ .cuts = l->cuts,
					.edges = l->edges,
					.dead_ends = l->dead_ends,
					.levels = l->level.number + 1,
					.widest = l->widest,
					.counted = l->opt.count,
					.truncated = l->why != CUT_NONE,
					.bytes = l->bytes };
	big_copy(&out->runs, &l->runs);
	big_copy(&out->violating_runs, &l->violating);
	explain(l, out->why, sizeof(out->why));
}

void lattice_counts_release(struct lattice_counts *c)
{
	big_release(&c->runs);
	big_release(&c->violating_runs);
}

size_t lattice_nfound(const struct lattice *l)
{
	return l->found.n;
}

const struct lattice_found *lattice_found(const struct lattice *l, size_t i)
{
	return &l->found.at[i];
}

uint64_t lattice_unknown(const struct lattice *l)
{
	return l->seen.unknown;
}
