#include "explore/bounded.h"

/* The state before a step of the last run. */
struct frame {
	struct baton_choice choice; /* now */
	uint16_t branches, first_branch;
	bool yields;
	struct baton_set enabled, done;
	uint32_t preemptions; /* up to it, itself left out */
};

struct bounded {
	struct search *search;
	uint32_t bound;
	VEC(struct frame) frames;
	bool is_partly, leaves_out;
	/* A guess at what comes next: a frame, one behind where it stands, and what leads to it. */
	struct frame guess;
	size_t guess_at;
	VEC(struct baton_choice) prefix;
};

/* Would the thread take this step by preemption? */
static bool preempts(const struct bounded *b, size_t at, uint32_t thread)
{
	const struct frame *before;

	if (at == 0)
		return false;
	before = &b->frames.at[at - 1];
	return before->choice.thread != thread && !before->yields &&
	       baton_has(&b->frames.at[at].enabled, before->choice.thread);
}

static void push_frames(struct bounded *b)
{
	const struct explore_runner *r = b->search->runner;
	const struct baton_step *steps = explore_steps(r);
	size_t n = b->frames.n;

	if (n > 0) {
		b->frames.at[n - 1].branches = steps[n - 1].op.branches;
		b->frames.at[n - 1].yields = steps[n - 1].op.kind == BATON_YIELD;
	}
	for (size_t i = n; i < r->head->nsteps; i++) {
		struct frame *f = VEC_PUSH(&b->frames);

		*f = (struct frame){ .choice = steps[i].choice,
				     .branches = steps[i].op.branches,
				     .first_branch = steps[i].choice.branch,
				     .yields = steps[i].op.kind == BATON_YIELD,
				     .enabled = steps[i].enabled };
		if (i > 0)
			f->preemptions = b->frames.at[i - 1].preemptions +
					 preempts(b, i - 1, b->frames.at[i - 1].choice.thread);
	}
}

/* The next thread at a frame, which stands at `at'; left_out: some may not be tried.  False: there is none. */
static bool next_thread(const struct bounded *b, size_t at, struct frame *f, bool *left_out)
{
	for (uint32_t t = 0; t < BATON_THREADS; t++) {
		if (!baton_has(&f->enabled, t) || baton_has(&f->done, t))
			continue;
		if (f->preemptions + preempts(b, at, t) > b->bound) {
			*left_out = true;
			continue;
		}
		f->choice = (struct baton_choice){ .thread = (uint16_t)t };
		f->first_branch = 0;
		f->branches = 1; /* until it has run */
		return true;
	}
	return false;
}

static bool next_choice(const struct bounded *b, size_t at, struct frame *f, bool *left_out)
{
	if (search_next_branch(&f->choice, f->branches, f->first_branch))
		return true;
	baton_add(&f->done, f->choice.thread);
	return next_thread(b, at, f, left_out);
}

/* The deepest frame at which something is left becomes the last.  False: there is none. */
static bool turn_back(struct bounded *b)
{
	for (; b->frames.n > 0; b->frames.n--)
		if (next_choice(b, b->frames.n - 1, &b->frames.at[b->frames.n - 1], &b->leaves_out))
			return true;
	return false;
}

/* What is left at the frames, the deepest first: all of that comes. */
static bool guess(void *arg, uint32_t nth, struct search_ask *ask)
{
	struct bounded *b = arg;
	bool left_out;

	if (nth == 0) {
		b->guess_at = b->frames.n;
		if (b->guess_at > 0)
			b->guess = b->frames.at[b->guess_at - 1];
	}
	while (b->guess_at > 0 && !next_choice(b, b->guess_at - 1, &b->guess, &left_out))
		if (--b->guess_at > 0)
			b->guess = b->frames.at[b->guess_at - 1];
	if (b->guess_at == 0)
		return false;
	VEC_CLEAR(&b->prefix);
	for (size_t i = 0; i + 1 < b->guess_at; i++)
		*VEC_PUSH(&b->prefix) = b->frames.at[i].choice;
	*VEC_PUSH(&b->prefix) = b->guess.choice;
	*ask = (struct search_ask){ .policy = BATON_GO_ON,
				    .nprefix = (uint32_t)b->prefix.n,
				    .seed = b->search->seed,
				    .prefix = b->prefix.at };
	return true;
}

static enum search_end run(struct bounded *b, struct diag *d)
{
	struct baton_choice *choices = explore_choices(b->search->runner);
	struct search_ask ask = { .policy = BATON_GO_ON,
				  .nprefix = (uint32_t)b->frames.n,
				  .seed = b->search->seed };

	for (size_t i = 0; i < b->frames.n; i++)
		choices[i] = b->frames.at[i].choice;
	return search_run(b->search, &ask, d);
}

static void take_run(struct bounded *b)
{
	const struct baton_head *head = b->search->runner->head;

	if (!search_is_whole(b->search->runner))
		b->is_partly = true;
	if (head->outcome != BATON_STRAYED && head->nsteps >= b->frames.n)
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
			b.frames.n = 0;
			b.is_partly = b.leaves_out = false;
			counts->runs = 0;
			continue;
		}
		take_run(&b);
		if (!turn_back(&b))
			break;
	}
	counts->is_exhausted = end == SEARCH_WHOLE && !b.leaves_out && !b.is_partly;
	if (end == SEARCH_WHOLE && b.is_partly)
		end = SEARCH_PARTLY;
	s->guess = NULL;
	VEC_RELEASE_ALL(&b.frames, &b.prefix);
	return end;
}
