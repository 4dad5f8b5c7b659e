#include "explore/bounded.h"

#include "explore/trail.h"

struct bounded {
	struct search *search;
	uint32_t bound;
	struct trail trail;
	bool is_partly, leaves_out;
	bool *left_out; /* where it goes that some may not be tried */
};

/* Would the thread take this step by preemption? */
static bool preempts(const struct bounded *b, size_t at, uint32_t thread)
{
	const struct trail_frame *before;

	if (at == 0)
		return false;
	before = &b->trail.frames.at[at - 1];
	return before->choice.thread != thread && !before->yields &&
	       baton_has(&b->trail.frames.at[at].enabled, before->choice.thread);
}

static void push_frames(struct bounded *b)
{
	const struct explore_runner *r = b->search->runner;
	const struct baton_step *steps = explore_steps(r);
	size_t n = b->trail.frames.n;

	if (n > 0) {
		b->trail.frames.at[n - 1].branches = steps[n - 1].op.branches;
		b->trail.frames.at[n - 1].yields = steps[n - 1].op.kind == BATON_YIELD;
	}
	for (size_t i = n; i < r->head->nsteps; i++) {
		struct trail_frame *f = VEC_PUSH(&b->trail.frames);

		*f = (struct trail_frame){ .choice = steps[i].choice,
					   .branches = steps[i].op.branches,
					   .first_branch = steps[i].choice.branch,
					   .yields = steps[i].op.kind == BATON_YIELD,
					   .enabled = steps[i].enabled };
		if (i > 0)
			f->preemptions =
				b->trail.frames.at[i - 1].preemptions +
				preempts(b, i - 1, b->trail.frames.at[i - 1].choice.thread);
	}
}

/* Of a trail: those that may not be tried are left out. */
static bool next_thread(void *arg, size_t at, struct trail_frame *f)
{
	const struct bounded *b = arg;

	for (uint32_t t = 0; t < BATON_THREADS; t++) {
		if (!baton_has(&f->enabled, t) || baton_has(&f->done, t))
			continue;
		if (f->preemptions + preempts(b, at, t) > b->bound) {
			*b->left_out = true;
			continue;
		}
		trail_choose(f, t);
		return true;
	}
	return false;
}

/* The deepest frame at which something is left becomes the last.  False: there is none. */
static bool turn_back(struct bounded *b)
{
	b->left_out = &b->leaves_out;
	for (; b->trail.frames.n > 0; b->trail.frames.n--) {
		size_t at = b->trail.frames.n - 1;

		if (trail_advance(&b->trail.frames.at[at], at, next_thread, b))
			return true;
	}
	return false;
}

/* What is left at the frames: all of that comes. */
static bool guess(void *arg, uint32_t nth, struct search_ask *ask)
{
	struct bounded *b = arg;
	bool left_out;

	b->left_out = &left_out;
	*ask = (struct search_ask){ .seed = b->search->seed };
	return trail_guess(&b->trail, nth, next_thread, b, ask);
}

static enum search_end run(struct bounded *b, struct diag *d)
{
	struct search_ask ask = { .policy = BATON_GO_ON,
				  .nprefix = (uint32_t)b->trail.frames.n,
				  .seed = b->search->seed };

	trail_put(&b->trail, explore_choices(b->search->runner));
	return search_run(b->search, &ask, d);
}

static void take_run(struct bounded *b)
{
	const struct baton_head *head = b->search->runner->head;

	if (!search_is_whole(b->search->runner))
		b->is_partly = true;
	if (head->outcome != BATON_STRAYED && head->nsteps >= b->trail.frames.n)
		push_frames(b);
}

enum search_end bounded_search(struct search *s, uint32_t bound, struct bounded_counts *counts,
			       struct diag *d)
{
	struct bounded b = { .search = s, .bound = bound };
	enum search_end end;

	*counts = (struct bounded_counts){ 0 };
	s->strategy = "bounded";
	s->guess = guess;
	s->guess_arg = &b;
	while ((end = run(&b, d)) == SEARCH_WHOLE) {
		counts->runs++;
		if (s->runner->head->grown != 0) {
			b.trail.frames.n = 0;
			b.is_partly = b.leaves_out = false;
			counts->runs = 0;
			continue;
		}
		take_run(&b);
		if (!turn_back(&b))
			break;
	}
	counts->is_exhausted = end == SEARCH_WHOLE && !b.leaves_out;
	if (end == SEARCH_WHOLE && b.is_partly)
		end = SEARCH_PARTLY;
	s->guess = NULL;
	trail_release(&b.trail);
	return end;
}
