#include "text/std_history.h"

/* Twice the promise, then the older half goes: each entry moves once at most. */
void std_history_add(struct std_history *h, uint64_t pos, uint64_t tseq, uint64_t count)
{
	if (h->past.n == 2 * STD_HISTORY) {
		memmove(h->past.at, h->past.at + STD_HISTORY, STD_HISTORY * sizeof(h->past.at[0]));
		h->past.n = STD_HISTORY;
	}
	*VEC_PUSH(&h->past) = (struct std_past){ pos, tseq, count };
}

void std_history_release(struct std_history *h)
{
	VEC_RELEASE(&h->past);
}

/* The last entry at or below the key, or NULL; by_pos says which column is the key. */
static const struct std_past *find(const struct std_history *h, uint64_t key, bool by_pos)
{
	const struct std_past *at = h->past.at;
	size_t past = SEARCH_PAST(i, 0, h->past.n, (by_pos ? at[i].pos : at[i].tseq) <= key);

	return past == 0 ? NULL : &at[past - 1];
}

bool std_history_tseq(const struct std_history *h, uint64_t pos, uint64_t *tseq)
{
	const struct std_past *p = find(h, pos, true);

	if (!p || p->pos != pos)
		return false;
	*tseq = p->tseq;
	return true;
}

bool std_history_pos(const struct std_history *h, uint64_t tseq, uint64_t *pos)
{
	const struct std_past *p = find(h, tseq, false);

	if (!p || tseq - p->tseq >= p->count)
		return false;
	*pos = p->pos;
	return true;
}
