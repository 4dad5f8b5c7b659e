#include "explore/trail.h"

void trail_release(struct trail *t)
{
	VEC_RELEASE_ALL(&t->frames, &t->prefix);
}

void trail_choose(struct trail_frame *f, uint32_t thread)
{
	f->choice = (struct baton_choice){ .thread = (uint16_t)thread };
	f->first_branch = 0;
	f->branches = 1; /* until it has run */
}

bool trail_advance(struct trail_frame *f, size_t at, trail_next *next, void *arg)
{
	if (search_next_branch(&f->choice, f->branches, f->first_branch))
		return true;
	baton_add(&f->done, f->choice.thread);
	return next(arg, at, f);
}

void trail_put(const struct trail *t, struct baton_choice *choices)
{
	for (size_t i = 0; i < t->frames.n; i++)
		choices[i] = t->frames.at[i].choice;
}

/* From the frame before. */
static void guess_from(struct trail *t, size_t at)
{
	t->guess_at = at;
	if (at > 0)
		t->guess = t->frames.at[at - 1];
}

bool trail_guess(struct trail *t, uint32_t nth, trail_next *next, void *arg, struct search_ask *ask)
{
	if (nth == 0)
		guess_from(t, t->frames.n);
	while (t->guess_at > 0 && !trail_advance(&t->guess, t->guess_at - 1, next, arg))
		guess_from(t, t->guess_at - 1);
	if (t->guess_at == 0)
		return false;
	VEC_CLEAR(&t->prefix);
	for (size_t i = 0; i + 1 < t->guess_at; i++)
		*VEC_PUSH(&t->prefix) = t->frames.at[i].choice;
	*VEC_PUSH(&t->prefix) = t->guess.choice;
	ask->policy = BATON_GO_ON;
	ask->nprefix = (uint32_t)t->prefix.n;
	ask->prefix = t->prefix.at;
	return true;
}
