#include "explore/minimise.h"

#include "explore/bounded.h"

/* Steps of one thread, one behind the other. */
struct block {
	uint32_t begin, n; /* of the choices */
};

/* What is being tried: what comes next if that is no failure, which most are not. */
enum cut { CUT_NOTHING, CUT_END, CUT_BLOCKS, CUT_STEPS };

struct cutting {
	struct search search; /* our own: its failures are no news */
	const struct search *asked;
	struct minimise *m;
	uint64_t signature;
	uint32_t nsteps;	      /* of the best run */
	uint32_t preemptions;	      /* of the last run */
	bool fails;		      /* the last run, in the same way */
	VEC(struct baton_choice) now; /* what the run is told */
	VEC(struct block) blocks;     /* of it */
	VEC(struct baton_choice) next, guessed;
	enum cut cut;
	size_t low, at,
		size; /* END: it is cut behind one from low on; else: which blocks or steps go */
	size_t guess_at, guess_size;
};

/* ---- looking at runs ---- */

/* The least number of choices after which each thread going on gives the rest. */
static uint32_t prefix_of(const struct baton_step *steps, uint32_t n)
{
	while (n > 0) {
		const struct baton_step *s = &steps[n - 1];
		uint32_t lowest = 0;

		if (s->choice.branch != 0)
			break;
		while (!baton_has(&s->enabled, lowest))
			lowest++;
		if (n > 1 && baton_has(&s->enabled, steps[n - 2].choice.thread)) {
			if (steps[n - 2].op.kind == BATON_YIELD ||
			    s->choice.thread != steps[n - 2].choice.thread)
				break;
		} else if (s->choice.thread != lowest) {
			break;
		}
		n--;
	}
	return n;
}

static void keep_if_better(struct cutting *c)
{
	const struct explore_runner *r = c->search.runner;
	const struct baton_step *steps = explore_steps(r);
	uint32_t n = r->head->nsteps;
	struct minimise *m = c->m;

	if (m->is_again && (m->preemptions < c->preemptions ||
			    (m->preemptions == c->preemptions && c->nsteps <= n)))
		return;
	m->is_again = true;
	m->preemptions = c->preemptions;
	m->nprefix = prefix_of(steps, n);
	c->nsteps = n;
	VEC_CLEAR(&m->schedule);
	for (uint32_t i = 0; i < n; i++)
		*VEC_PUSH(&m->schedule) = steps[i].choice;
}

/* Whoever has asked for the run: if it fails in the same way, it may be the best. */
static bool look(void *context, const struct explore_runner *r, uint64_t *mark)
{
	struct cutting *c = context;
	const struct search *s = c->asked;

	/* More words are steps from now on: what was found before does not know of them. */
	if (r->head->grown != 0)
		c->m->is_again = false;
	c->fails = s->is_failure != NULL ? s->is_failure(s->context, r, mark)
					 : search_is_failure(NULL, r, mark);
	c->fails = c->fails && r->head->grown == 0 && search_signature(r, *mark) == c->signature;
	if (c->fails) {
		c->preemptions = search_preemptions(explore_steps(r), r->head->nsteps);
		keep_if_better(c);
	}
	return false;
}

static bool keeps_on(void *context, const struct search *s)
{
	const struct cutting *c = context;

	return s->runs < c->m->runs && (c->m->keeps_on == NULL || c->m->keeps_on(c->m->context));
}

/* ---- cutting ---- */

/* Runs with these choices.  SEARCH_FOUND: the failure is there. */
static enum search_end try(struct cutting *c, const struct baton_choice *at, size_t n,
			   struct diag *d)
{
	struct search_ask ask = { .policy = BATON_GO_ON, .nprefix = (uint32_t)n };
	enum search_end end;

	if (n > c->search.runner->head->nchoices)
		return SEARCH_WHOLE;
	if (n > 0)
		memcpy(explore_choices(c->search.runner), at, n * sizeof(*at));
	c->fails = false;
	end = search_run(&c->search, &ask, d);
	return end == SEARCH_WHOLE && c->fails ? SEARCH_FOUND : end;
}

static bool is_over(enum search_end end)
{
	return end == SEARCH_BUDGET || end == SEARCH_TROUBLE;
}

static size_t middle_of(size_t low, size_t high)
{
	return low + (high - low) / 2;
}

/* The shortest beginning that still fails, by halving. */
static enum search_end cut_end(struct cutting *c, struct diag *d)
{
	c->cut = CUT_END;
	for (c->low = 0; c->low < c->now.n;) {
		size_t middle = middle_of(c->low, c->now.n);
		enum search_end end = try(c, c->now.at, middle, d);

		if (is_over(end))
			return end;
		if (end == SEARCH_FOUND)
			c->now.n = middle;
		else
			c->low = middle + 1;
	}
	return SEARCH_WHOLE;
}

static void find_blocks(struct cutting *c)
{
	VEC_CLEAR(&c->blocks);
	for (uint32_t i = 0; i < c->now.n; i++) {
		if (i == 0 || c->now.at[i].thread != c->now.at[i - 1].thread)
			*VEC_PUSH(&c->blocks) = (struct block){ .begin = i };
		c->blocks.at[c->blocks.n - 1].n++;
	}
}

static void put_without(struct cutting *c, uint32_t begin, uint32_t n, bool is_guess)
{
	__typeof__(&c->next) out = is_guess ? &c->guessed : &c->next;

	VEC_CLEAR(out);
	VEC_APPEND(out, c->now.at, begin);
	VEC_APPEND(out, c->now.at + begin + n, c->now.n - begin - n);
}

/* Without n choices from `begin' on.  If it fails and has no more preemptions, that is how it is from now. */
static enum search_end try_without(struct cutting *c, uint32_t begin, uint32_t n, struct diag *d)
{
	uint32_t most = c->m->preemptions;
	enum search_end end;

	put_without(c, begin, n, false);
	end = try(c, c->next.at, c->next.n, d);
	if (end != SEARCH_FOUND)
		return end;
	if (c->preemptions > most)
		return SEARCH_WHOLE;
	VEC_SWAP(&c->now, &c->next);
	find_blocks(c);
	return SEARCH_FOUND;
}

/* The choices of so many blocks. */
static struct block stretch(const struct cutting *c, size_t at, size_t size)
{
	const struct block *last =
		&c->blocks.at[(at + size < c->blocks.n ? at + size : c->blocks.n) - 1];
	uint32_t begin = c->blocks.at[at].begin;

	return (struct block){ .begin = begin, .n = last->begin + last->n - begin };
}

/* Stretches of blocks, long ones first. */
static enum search_end drop_blocks(struct cutting *c, struct diag *d)
{
	find_blocks(c);
	c->cut = CUT_BLOCKS;
	for (c->size = (c->blocks.n + 1) / 2; c->size > 0; c->size /= 2) {
		c->at = 0;
		while (c->at < c->blocks.n) {
			struct block b = stretch(c, c->at, c->size);
			enum search_end end = try_without(c, b.begin, b.n, d);

			if (is_over(end))
				return end;
			if (end != SEARCH_FOUND)
				c->at += c->size;
		}
	}
	return SEARCH_WHOLE;
}

/* From the last block to the first, and from the end of each. */
static enum search_end shorten_blocks(struct cutting *c, struct diag *d)
{
	find_blocks(c);
	c->cut = CUT_STEPS;
	for (c->at = c->blocks.n; c->at-- > 0;) {
		for (c->size = c->blocks.at[c->at].n / 2; c->size > 0;) {
			struct block b = c->blocks.at[c->at];
			enum search_end end;

			if (c->size >= b.n) {
				c->size /= 2;
				continue;
			}
			end = try_without(c, b.begin + b.n - (uint32_t)c->size, (uint32_t)c->size,
					  d);
			if (is_over(end))
				return end;
			if (c->at >= c->blocks.n)
				break;
			if (end != SEARCH_FOUND)
				c->size /= 2;
		}
	}
	return SEARCH_WHOLE;
}

/* What is halved next, if this one does not fail, and if it does. */
static bool guess_end(struct cutting *c, uint32_t nth)
{
	size_t middle = middle_of(c->low, c->now.n);
	size_t n = nth == 0 ? middle_of(middle + 1, c->now.n) : middle_of(c->low, middle);

	if (nth > 1 || n >= c->now.n)
		return false;
	VEC_CLEAR(&c->guessed);
	VEC_APPEND(&c->guessed, c->now.at, n);
	return true;
}

static bool guess_blocks(struct cutting *c)
{
	struct block b;

	c->guess_at += c->guess_size;
	if (c->guess_at >= c->blocks.n) {
		c->guess_at = 0;
		c->guess_size /= 2;
	}
	if (c->guess_size == 0)
		return false;
	b = stretch(c, c->guess_at, c->guess_size);
	put_without(c, b.begin, b.n, true);
	return true;
}

static bool guess_steps(struct cutting *c)
{
	const struct block *b;

	c->guess_size /= 2;
	while (c->guess_size == 0 && c->guess_at > 0)
		c->guess_size = c->blocks.at[--c->guess_at].n / 2;
	if (c->guess_size == 0)
		return false;
	b = &c->blocks.at[c->guess_at];
	put_without(c, b->begin + b->n - (uint32_t)c->guess_size, (uint32_t)c->guess_size, true);
	return true;
}

static bool guess(void *arg, uint32_t nth, struct search_ask *ask)
{
	struct cutting *c = arg;
	bool any = false;

	if (nth == 0) {
		c->guess_at = c->at;
		c->guess_size = c->size;
	}
	if (c->cut == CUT_END)
		any = guess_end(c, nth);
	else if (c->cut == CUT_BLOCKS)
		any = guess_blocks(c);
	else if (c->cut == CUT_STEPS)
		any = guess_steps(c);
	*ask = (struct search_ask){ .policy = BATON_GO_ON,
				    .nprefix = (uint32_t)c->guessed.n,
				    .prefix = c->guessed.at };
	return any;
}

/* All schedules with so few preemptions: what is found with the first number that has any is the best. */
static enum search_end try_all(struct cutting *c, struct diag *d)
{
	for (uint32_t bound = 0; !c->m->is_again || bound <= c->m->preemptions; bound++) {
		struct bounded_counts counts;
		enum search_end end = bounded_search(&c->search, bound, &counts, d);

		if (end != SEARCH_WHOLE)
			return end;
		if (c->m->is_again && c->m->preemptions <= bound) {
			c->m->is_least = true;
			return SEARCH_WHOLE;
		}
		if (counts.is_exhausted)
			return SEARCH_PARTLY; /* it cannot be, and is not */
	}
	return SEARCH_PARTLY;
}

static enum search_end cut(struct cutting *c, struct diag *d)
{
	enum search_end end;

	c->search.guess = guess;
	c->search.guess_arg = c;
	end = try(c, c->now.at, c->now.n, d);

	if (end == SEARCH_FOUND) {
		end = cut_end(c, d);
		if (!is_over(end))
			end = drop_blocks(c, d);
		if (!is_over(end))
			end = shorten_blocks(c, d);
	}
	return is_over(end) ? end : try_all(c, d);
}

enum search_end minimise_failure(const struct search *s, const struct search_failure *f,
				 struct minimise *m, struct diag *d)
{
	struct cutting c = { .search = { .runner = s->runner,
					 .keeps_on = keeps_on,
					 .is_failure = look,
					 .goes_on = true,
					 .seed = s->seed,
					 .limit = s->limit,
					 .frozen = s->frozen },
			     .asked = s,
			     .m = m,
			     .signature = f->signature };
	enum search_end end;

	c.search.context = &c;
	m->is_again = m->is_least = false;
	m->preemptions = f->preemptions;
	m->nprefix = (uint32_t)f->schedule.n;
	VEC_CLEAR(&m->schedule);
	VEC_APPEND(&m->schedule, f->schedule.at, f->schedule.n);
	VEC_APPEND(&c.now, f->schedule.at, f->schedule.n);
	end = cut(&c, d);
	m->done = c.search.runs;
	VEC_RELEASE_ALL(&c.now, &c.blocks, &c.next, &c.guessed);
	search_release(&c.search);
	return end;
}

void minimise_release(struct minimise *m)
{
	VEC_RELEASE(&m->schedule);
}
