/*
 * The model: clock(j) = the join of the clocks of all earlier steps that j depends on, and j itself.
 *
 * Not all of them are looked at: who comes behind a write of the same bytes, or behind any operation of
 * the same lock, knows by it what was before.  So a walk down a chain ends soon, and over a run each
 * read is walked over by one write.
 */
#include "explore/history.h"

#define WIDE 64u /* words */

static bool is_shared(const struct baton_op *op)
{
	return (op->kind == BATON_READ && !(op->flags & BATON_WATCHED)) ||
	       op->kind == BATON_READ_LOCK || op->kind == BATON_READ_UNLOCK ||
	       op->kind == BATON_TRY_READ_LOCK || op->kind == BATON_BARRIER_IN ||
	       op->kind == BATON_BARRIER_OUT;
}

bool history_is_full(const struct baton_op *op)
{
	return !is_shared(op);
}

static bool has_chain(const struct baton_op *op)
{
	return op->object != 0 && op->kind != BATON_NONE &&
	       !(op->kind == BATON_JOIN && !(op->flags & BATON_TIMED)) &&
	       !(BATON_IS_ACCESS(op->kind) && op->size == 0);
}

static uint64_t first_word(const struct baton_op *op)
{
	return op->object / 8;
}

static uint64_t past_words(const struct baton_op *op)
{
	return (op->object + op->size - 1) / 8 + 1;
}

static bool is_wide(const struct baton_op *op)
{
	return BATON_IS_ACCESS(op->kind) && op->size != 0 && past_words(op) - first_word(op) > WIDE;
}

static uint64_t key_of_word(uint64_t word)
{
	return word * 2;
}

static uint64_t key_of_object(uint64_t object)
{
	return object * 2 + 1;
}

#define KEY_WATCHED UINT64_MAX /* all that properties are about; no object lies so high */

void history_release(struct history *h)
{
	VEC_RELEASE_ALL(&h->clocks, &h->nth, &h->begins, &h->links, &h->wide, &h->rounds);
	for (uint32_t t = 0; t < BATON_THREADS; t++)
		VEC_RELEASE(&h->of[t]);
	MAP_RELEASE_ALL(&h->chains, &h->meetings);
}

void history_begin(struct history *h, const struct baton_step *steps, uint32_t nthreads)
{
	h->steps = steps;
	h->nthreads = nthreads;
	h->n = 0;
	h->made = nthreads;
	VEC_CLEAR(&h->clocks);
	VEC_CLEAR(&h->nth);
	VEC_CLEAR(&h->begins);
	VEC_CLEAR(&h->links);
	VEC_CLEAR(&h->wide);
	VEC_CLEAR(&h->rounds);
	for (uint32_t t = 0; t < BATON_THREADS; t++)
		VEC_CLEAR(&h->of[t]);
	VEC_REACH(&h->begins, (size_t)nthreads * nthreads);
	VEC_REACH(&h->links, 0);
	map_clear(&h->chains);
	map_clear(&h->meetings);
	memset(h->round_of, 0, sizeof(h->round_of));
}

static void join(const struct history *h, uint32_t *into, const uint32_t *from)
{
	for (uint32_t t = 0; t < h->nthreads; t++)
		if (into[t] < from[t])
			into[t] = from[t];
}

const uint32_t *history_known(const struct history *h, uint32_t thread)
{
	size_t n = h->of[thread].n;

	return n ? history_clock(h, h->of[thread].at[n - 1])
		 : h->begins.at + (size_t)thread * h->nthreads;
}

uint32_t history_count(const struct history *h, uint32_t thread, uint32_t step)
{
	return (uint32_t)SEARCH_PAST(i, 0, h->of[thread].n, h->of[thread].at[i] < step);
}

/* ---- walks ---- */

void history_walk(struct history_walk *w, const struct history *h, const struct baton_op *op)
{
	*w = (struct history_walk){ .h = h,
				    .op = op,
				    .is_shared = is_shared(op),
				    .is_wide = is_wide(op),
				    .is_watched = op->flags & BATON_WATCHED };
	if (!has_chain(op))
		return;
	if (BATON_IS_ACCESS(op->kind)) {
		w->next = first_word(op);
		w->end = past_words(op);
		w->wide = h->wide.n;
	} else {
		w->end = op->second != 0 ? 2 : 1;
	}
}

static uint32_t newest(const struct history *h, uint64_t key)
{
	const uint64_t *link = map_get(&h->chains, key);

	return link != NULL ? (uint32_t)*link : 0;
}

/* The next word that has a chain at all. */
static bool next_of_wide(struct history_walk *w)
{
	struct map_item it;

	while (map_next(&w->h->chains, &w->item, &it)) {
		if (it.key % 2 == 0 && it.key / 2 >= w->next && it.key / 2 < w->end) {
			w->word = it.key / 2;
			w->link = (uint32_t)it.value;
			return true;
		}
	}
	return false;
}

static bool next_chain(struct history_walk *w)
{
	w->in_watched = w->is_watched;
	if (w->is_watched) {
		w->is_watched = false;
		w->link = newest(w->h, KEY_WATCHED);
		return true;
	}
	if (w->is_wide) {
		if (!next_of_wide(w))
			return false;
	} else if (w->next == w->end) {
		return false;
	} else if (BATON_IS_ACCESS(w->op->kind)) {
		w->word = w->next++;
		w->link = newest(w->h, key_of_word(w->word));
	} else {
		w->link = newest(w->h, key_of_object(w->next++ ? w->op->second : w->op->object));
	}
	if (w->is_shared && w->link != 0 &&
	    !history_is_full(&w->h->steps[w->h->links.at[w->link].step].op))
		w->link = w->h->links.at[w->link].older_full;
	return true;
}

bool history_walk_next(struct history_walk *w, uint32_t *step)
{
	const struct history *h = w->h;

	for (;;) {
		while (w->link == 0 && next_chain(w))
			;
		if (w->link == 0)
			break;
		*step = h->links.at[w->link].step;
		w->link =
			w->is_shared ? h->links.at[w->link].older_full : h->links.at[w->link].older;
		if (baton_depends(&h->steps[*step].op, w->op))
			return true;
	}
	while (w->wide > 0) {
		*step = h->wide.at[--w->wide];
		if (baton_depends(&h->steps[*step].op, w->op))
			return true;
	}
	return false;
}

bool history_walk_covers(const struct history_walk *w, uint32_t step)
{
	const struct baton_op *old = &w->h->steps[step].op;
	uint64_t low, high;

	if (w->in_watched)
		return true;
	/* A read that properties are about depends on others of these, not on other reads there. */
	if (!history_is_full(old) || old->kind == BATON_READ)
		return false;
	if (!BATON_IS_ACCESS(old->kind))
		return true;
	low = w->op->object > w->word * 8 ? w->op->object : w->word * 8;
	high = w->op->object + w->op->size;
	if (high > w->word * 8 + 8)
		high = w->word * 8 + 8;
	return old->object <= low && old->object + old->size >= high;
}

void history_walk_skip(struct history_walk *w)
{
	w->link = 0;
}

/* ---- putting in ---- */

static void link_in(struct history *h, uint64_t key)
{
	uint64_t *head = map_put(&h->chains, key, NULL);
	uint32_t older = (uint32_t)*head, full = older;

	if (older != 0 && !history_is_full(&h->steps[h->links.at[older].step].op))
		full = h->links.at[older].older_full;
	*head = h->links.n;
	*VEC_PUSH(&h->links) =
		(struct history_link){ .step = h->n, .older = older, .older_full = full };
}

static void link_all(struct history *h, const struct baton_op *op)
{
	if (op->flags & BATON_WATCHED)
		link_in(h, KEY_WATCHED);
	if (!has_chain(op))
		return;
	if (is_wide(op)) {
		*VEC_PUSH(&h->wide) = h->n;
	} else if (BATON_IS_ACCESS(op->kind)) {
		for (uint64_t w = first_word(op); w < past_words(op); w++)
			link_in(h, key_of_word(w));
	} else {
		link_in(h, key_of_object(op->object));
		if (op->second != 0 && op->second != op->object)
			link_in(h, key_of_object(op->second));
	}
}

static void join_dependent(struct history *h, uint32_t *row, const struct baton_op *op)
{
	struct history_walk w;
	uint32_t i;

	history_walk(&w, h, op);
	while (history_walk_next(&w, &i)) {
		if (!history_is_before(h, i, row))
			join(h, row, history_clock(h, i));
		if (history_walk_covers(&w, i))
			history_walk_skip(&w);
	}
}

/* A round is a row and the number of those who have come, which stands before it. */
static uint32_t *round_at(struct history *h, uint64_t round)
{
	return h->rounds.at + (round - 1) * (h->nthreads + 1);
}

static void come_in(struct history *h, uint32_t thread, const struct baton_op *op,
		    const uint32_t *row)
{
	uint64_t *round = map_put(&h->meetings, op->object, NULL);

	if (*round == 0 || round_at(h, *round)[0] >= op->size) {
		*round = h->rounds.n / (h->nthreads + 1) + 1;
		VEC_REACH(&h->rounds, h->rounds.n + h->nthreads);
	}
	round_at(h, *round)[0]++;
	join(h, round_at(h, *round) + 1, row);
	h->round_of[thread] = (uint32_t)*round;
}

/* Threads that are new before this step know what the step before knew: its tail has made them. */
static void note_made(struct history *h, uint32_t nthreads)
{
	if (nthreads == 0 || nthreads > h->nthreads)
		return;
	if (h->n > 0)
		for (uint32_t t = h->made; t < nthreads; t++)
			memcpy(h->begins.at + (size_t)t * h->nthreads, history_clock(h, h->n - 1),
			       h->nthreads * sizeof(uint32_t));
	h->made = nthreads;
}

void history_add(struct history *h)
{
	const struct baton_step *s = &h->steps[h->n];
	uint32_t thread = s->choice.thread, *row;
	size_t at = h->clocks.n;

	assert(thread < h->nthreads);
	note_made(h, s->nthreads);
	VEC_REACH(&h->clocks, at + h->nthreads - 1);
	row = h->clocks.at + at;
	memcpy(row, history_known(h, thread), h->nthreads * sizeof(*row));
	join_dependent(h, row, &s->op);
	/* With a time limit it may come too early, and depends on the end as a step. */
	if (s->op.kind == BATON_JOIN && !(s->op.flags & BATON_TIMED) && s->op.second < h->nthreads)
		join(h, row, history_known(h, (uint32_t)s->op.second));
	if (s->op.kind == BATON_BARRIER_OUT && h->round_of[thread] != 0)
		join(h, row, round_at(h, h->round_of[thread]) + 1);
	*VEC_PUSH(&h->of[thread]) = h->n;
	*VEC_PUSH(&h->nth) = row[thread] = (uint32_t)h->of[thread].n;
	if (s->op.kind == BATON_BARRIER_IN && s->op.size != 0)
		come_in(h, thread, &s->op, row);
	link_all(h, &s->op);
	h->n++;
}

void history_end(struct history *h)
{
	note_made(h, h->made < h->nthreads ? h->nthreads : 0);
}
