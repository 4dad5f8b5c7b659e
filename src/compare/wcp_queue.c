/*
 * Sections of one lock in the order they ran, with a cursor for every chain.
 *
 * The reference model has two queues for each chain and lock; each acquire and release goes into
 * those of all the others.  One queue and cursors say the same without the copies.  And
 * since a later section of the lock knows, by happens-before, all that an earlier one knew, only
 * the last turn passed has to be joined.
 */
#include "compare/wcp_priv.h"

#define TIDY_FIRST 1024u

void wcp_queue_release(struct wcp_queue *q)
{
	VEC_RELEASE_ALL(&q->at, &q->cursor);
}

/* The first k turns become one, known from the first acquire on: whoever passed them all sees no
 * difference, for others it is an order too many and never one too few. */
static void queue_fuse(struct stamps *stamps, struct wcp_queue *q, size_t k)
{
	assert(k <= q->at.n);
	if (k < 2)
		return;
	q->at.at[0].fused = true;
	stamp_set(stamps, &q->at.at[0].release, &q->at.at[k - 1].release);
	for (size_t i = 1; i < k; i++)
		stamp_clear(stamps, &q->at.at[i].release);
	/* at[0] takes the number of the last of them: a cursor among them has it before itself. */
	q->at.at[k - 1] = q->at.at[0];
	memmove(q->at.at, q->at.at + k - 1, (q->at.n - k + 1) * sizeof(*q->at.at));
	q->at.n -= k - 1;
	q->base += k - 1;
}

/* How many turns every chain that still runs has passed.  A chain that starts later comes after
 * what its parent has passed. */
static size_t queue_passed(const struct wcp_queue *q, const struct wcp_gone *gone, uint32_t nchains)
{
	uint64_t least = q->base + q->at.n;

	for (uint32_t u = 0; u < nchains; u++) {
		uint64_t cursor = u < q->cursor.n ? q->cursor.at[u] : 0;

		if (u < gone->at.n && gone->at.at[u])
			continue;
		least = cursor < least ? cursor : least;
	}
	return least > q->base ? (size_t)(least - q->base) : 0;
}

bool wcp_queue_push(struct stamps *stamps, struct wcp_queue *q, const struct wcp_turn *turn,
		    const struct wcp_gone *gone, uint32_t nchains)
{
	struct wcp_turn *at = VEC_PUSH(&q->at);
	bool exact = true;

	*at = *turn;
	at->release = (struct stamp){ 0 };
	stamp_set(stamps, &at->release, &turn->release);
	if (q->at.n < TIDY_FIRST || q->at.n < q->tidy_at)
		return true;
	queue_fuse(stamps, q, queue_passed(q, gone, nchains));
	if (q->at.n >= WCP_QUEUE_MOST) {
		queue_fuse(stamps, q, q->at.n / 2);
		exact = false;
	}
	q->tidy_at = q->at.n * 2 < WCP_QUEUE_MOST ? q->at.n * 2 : WCP_QUEUE_MOST;
	return exact;
}

void wcp_queue_pass(struct stamps *stamps, struct wcp_queue *q, uint32_t t, struct stamp *past)
{
	const struct stamp *last;
	uint64_t i;

	VEC_REACH(&q->cursor, t);
	i = q->cursor.at[t] > q->base ? q->cursor.at[t] - q->base : 0;
	do {
		last = NULL;
		for (; i < q->at.n; i++) {
			const struct wcp_turn *turn = &q->at.at[i];

			if (turn->chain == t && !turn->fused)
				continue;
			if (turn->chain != t && turn->acquired > stamp_other(past, turn->chain))
				break;
			last = &turn->release;
		}
		if (last)
			stamp_join(stamps, past, last);
	} while (last);
	q->cursor.at[t] = q->base + i;
}
