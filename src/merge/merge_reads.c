/*
 * Pending reads, by version and word.
 *
 *	key of (tid, tseq):   1 | hash of tid, tseq and word, 63 bits
 *	key of INIT:          0 | word, 44 bits
 *
 * A version may span many words: a local variable that comes to life gives all of
 * them its one number.  So the word is in the key, and what does not fit is hashed; two that
 * share a key make a thread wait for a read that does not concern it.
 *
 * merge_window.c says why reads of INIT are counted per thread as well.
 */
#include "merge/merge_priv.h"

#define WORD_BITS 44
#define VERSION_BIT ((uint64_t)1 << 63)
#define WORD_MASK (((uint64_t)1 << WORD_BITS) - 1)

void merge_reads_release(struct merge_reads *r)
{
	MAP_RELEASE_ALL(&r->count, &r->own);
	VEC_RELEASE(&r->stacks);
}

uint64_t merge_reads_count(const struct merge_reads *r)
{
	return r->count.n + r->own.n;
}

uint64_t merge_reads_key(struct version v, uint64_t word)
{
	if (v.tid == 0)
		return word & WORD_MASK;
	return VERSION_BIT | hash_pair(((uint64_t)v.tid << WORD_BITS) + v.tseq, word);
}

bool merge_reads_is_init(uint64_t key)
{
	return !(key & VERSION_BIT);
}

static uint64_t own_key(uint32_t tid, uint64_t word)
{
	return word << FORMAT_TID_BITS | tid;
}

static bool is_own_stack(const struct merge_stream *s, uint64_t word)
{
	return word << 3 >= s->stack_low && word << 3 < s->stack_high;
}

static void less(struct map *m, uint64_t key)
{
	uint64_t *n = map_get(m, key);

	if (n && --*n == 0)
		map_remove(m, key);
}

void merge_reads_add(struct merge_reads *r, const struct merge_stream *s, struct version v,
		     uint64_t word)
{
	if (v.tid == 0)
		++*map_put(&r->own, own_key(s->src->tid, word), NULL);
	if (v.tid != 0 || !is_own_stack(s, word))
		++*map_put(&r->count, merge_reads_key(v, word), NULL);
}

void merge_reads_remove(struct merge_reads *r, const struct merge_stream *s, struct version v,
			uint64_t word)
{
	if (v.tid == 0)
		less(&r->own, own_key(s->src->tid, word));
	if (v.tid != 0 || !is_own_stack(s, word))
		less(&r->count, merge_reads_key(v, word));
}

uint64_t merge_reads_own(const struct merge_reads *r, uint32_t tid, uint64_t key)
{
	uint64_t *n = map_get(&r->own, own_key(tid, key));

	return n ? *n : 0;
}

static size_t stack_after(const struct merge_reads *r, uint64_t addr)
{
	return SEARCH_PAST(i, 0, r->stacks.n, r->stacks.at[i].high <= addr);
}

void merge_reads_own_stack(struct merge_reads *r, uint32_t tid, uint64_t low, uint64_t len)
{
	size_t from = stack_after(r, low), to = from;

	if (len == 0)
		return;
	while (to < r->stacks.n && r->stacks.at[to].low < low + len)
		to++;
	/* [from, to) overlap the new one and go. */
	(void)VEC_PUSH(&r->stacks);
	memmove(&r->stacks.at[from + 1], &r->stacks.at[to],
		(r->stacks.n - 1 - to) * sizeof(*r->stacks.at));
	r->stacks.n -= to - from;
	r->stacks.at[from] = (struct merge_stack){ low, low + len, tid };
}

bool merge_reads_block(const struct merge_reads *r, const struct merge_stream *s, struct version v,
		       uint64_t word)
{
	uint64_t *n = map_get(&r->count, merge_reads_key(v, word)), *own;
	size_t i;

	if (v.tid != 0)
		return n != NULL;
	if (r->own.n == 0)
		return false;
	if (is_own_stack(s, word))
		return n != NULL;
	own = map_get(&r->own, own_key(s->src->tid, word));
	if (n && *n > (own ? *own : 0))
		return true;
	i = stack_after(r, word << 3);
	return i < r->stacks.n && r->stacks.at[i].low <= word << 3 &&
	       r->stacks.at[i].tid != s->src->tid &&
	       map_get(&r->own, own_key(r->stacks.at[i].tid, word)) != NULL;
}
