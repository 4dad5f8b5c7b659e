/*
 * A stack of frames, one for each step of the last run.  The deepest frame at which something is left to
 * try says how the next run begins; behind that the runtime goes on with anybody who does not sleep.
 */
#include "explore/dpor_priv.h"

/* What a thread is about to do at step `from' of the last run: its next step, or what it was left with. */
static void operations_at(const struct explore_runner *r, uint32_t from,
			  const struct baton_op *ops[BATON_THREADS])
{
	const struct baton_step *steps = explore_steps(r);

	for (uint32_t t = 0; t < BATON_THREADS; t++)
		ops[t] = &r->head->pending[t];
	for (uint32_t i = r->head->nsteps; i-- > from;)
		ops[steps[i].choice.thread] = &steps[i].op;
}

/* Whoever sleeps does so until something is done that he depends on. */
static void wake(struct baton_set *sleep, const struct baton_op *const ops[BATON_THREADS],
		 uint32_t chosen, const struct baton_op *op)
{
	baton_drop(sleep, chosen);
	for (uint32_t t = 0; t < BATON_THREADS; t++)
		if (baton_has(sleep, t) && baton_depends(ops[t], op))
			baton_drop(sleep, t);
}

/* The frames of the steps behind the prefix. */
static void push_frames(struct dpor *d)
{
	const struct explore_runner *r = d->search->runner;
	const struct baton_step *steps = explore_steps(r);
	const struct baton_op *ops[BATON_THREADS];
	size_t n = d->trail.frames.n;

	operations_at(r, (uint32_t)n, ops);
	if (n > 0)
		d->trail.frames.at[n - 1].branches = steps[n - 1].op.branches;
	for (size_t i = n; i < r->head->nsteps; i++) {
		struct trail_frame *f = VEC_PUSH(&d->trail.frames);

		*f = (struct trail_frame){ .choice = steps[i].choice,
					   .branches = steps[i].op.branches,
					   .first_branch = steps[i].choice.branch,
					   .enabled = steps[i].enabled,
					   .sleep = d->sleep };
		baton_add(&f->todo, f->choice.thread);
		wake(&d->sleep, ops, f->choice.thread, &steps[i].op);
	}
}

/* Of a trail. */
static bool next_thread(void *arg, size_t at, struct trail_frame *f)
{
	(void)arg;
	(void)at;
	for (uint32_t t = 0; t < BATON_THREADS; t++) {
		if (baton_has(&f->todo, t) && !baton_has(&f->done, t) && !baton_has(&f->sleep, t)) {
			trail_choose(f, t);
			return true;
		}
	}
	return false;
}

/* Who sleeps behind the choice at a frame, which stands at step `at' of the last run. */
static struct baton_set sleep_behind(const struct dpor *d, const struct trail_frame *f, size_t at)
{
	const struct baton_op *ops[BATON_THREADS];
	struct baton_set sleep = f->sleep;

	for (uint32_t i = 0; i < BATON_THREADS / 64; i++)
		sleep.at[i] |= f->done.at[i];
	operations_at(d->search->runner, (uint32_t)at, ops);
	wake(&sleep, ops, f->choice.thread, ops[f->choice.thread]);
	return sleep;
}

/* The deepest frame at which something is left becomes the last.  False: there is none. */
static bool turn_back(struct dpor *d, bool is_astray)
{
	d->is_astray = is_astray;
	for (; d->trail.frames.n > 0; d->trail.frames.n--) {
		struct trail_frame *f = &d->trail.frames.at[d->trail.frames.n - 1];

		if (!trail_advance(f, d->trail.frames.n - 1, next_thread, d))
			continue;
		d->sleep = (struct baton_set){ { 0 } };
		if (!is_astray) /* else it is not known what they were about to do */
			d->sleep = sleep_behind(d, f, d->trail.frames.n - 1);
		return true;
	}
	return false;
}

/*
 * What is left at the frames: that is what comes next if the runs until then have no new
 * races.  Where a thread is, and what it is about to do, is the same in all runs that begin in the same way.
 */
static bool guess(void *arg, uint32_t nth, struct search_ask *ask)
{
	struct dpor *d = arg;

	*ask = (struct search_ask){ .seed = d->search->seed };
	if (d->is_astray || !trail_guess(&d->trail, nth, next_thread, d, ask))
		return false;
	ask->sleep = sleep_behind(d, &d->trail.guess, d->trail.guess_at - 1);
	return true;
}

static enum search_end run(struct dpor *d, struct diag *diag)
{
	struct search_ask ask = { .policy = BATON_GO_ON,
				  .nprefix = (uint32_t)d->trail.frames.n,
				  .seed = d->search->seed,
				  .sleep = d->sleep };

	trail_put(&d->trail, explore_choices(d->search->runner));
	return search_run(d->search, &ask, diag);
}

/* True: the run did what it was told to. */
static bool take_run(struct dpor *d, struct dpor_counts *counts)
{
	const struct baton_head *head = d->search->runner->head;
	uint32_t n = (uint32_t)d->trail.frames.n;

	if (head->outcome == BATON_STRAYED || head->nsteps < n) {
		d->is_partly = true;
		return false;
	}
	if (head->outcome == BATON_BLOCKED)
		counts->blocked++;
	else if (search_is_whole(d->search->runner))
		counts->traces++;
	else
		d->is_partly = true;
	push_frames(d);
	/* The last step of the prefix is new, too. */
	dpor_race(d, n > 0 ? n - 1 : 0);
	return true;
}

static void begin_anew(struct dpor *d, struct dpor_counts *counts)
{
	d->trail.frames.n = 0;
	d->sleep = (struct baton_set){ { 0 } };
	d->is_partly = d->is_astray = false;
	counts->traces = counts->blocked = 0;
	counts->restarts++;
}

enum search_end dpor_search(struct search *s, struct dpor_counts *counts, struct diag *diag)
{
	struct dpor d = { .search = s };
	enum search_end end;

	*counts = (struct dpor_counts){ 0 };
	s->guess = guess;
	s->guess_arg = &d;
	if (baton_is_empty(&s->frozen)) /* else it is part of another one */
		s->strategy = "dpor";
	while ((end = run(&d, diag)) == SEARCH_WHOLE) {
		if (s->runner->head->grown != 0) {
			begin_anew(&d, counts);
			continue;
		}
		if (!turn_back(&d, !take_run(&d, counts)))
			break;
	}
	if (end == SEARCH_WHOLE && d.is_partly)
		end = SEARCH_PARTLY;
	s->guess = NULL;
	trail_release(&d.trail);
	history_release(&d.history);
	return end;
}
