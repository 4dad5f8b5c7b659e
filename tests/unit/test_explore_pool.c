/*
 * Searches over toys that run in several lanes, and come to their ends in any order: each search gets the same
 * runs, one after the other, as with the toy alone.  And what becomes of lanes that get lost or crowded.
 */
#include "explore/bounded.h"
#include "explore/chance.h"
#include "explore/dpor.h"
#include "explore/minimise.h"
#include "explore/pool.h"
#include "unit/explore_toy.h"
#include "unit/tap.h"

#define LANES 4u
#define STEPS 100u

struct lanes {
	struct pool pool;  /* first */
	struct toy *front; /* the search's own: runs nothing */
	struct toy *toys[LANES];
	struct pool_lane lanes[LANES];
	uint64_t random;
	uint64_t runs;	 /* done, asked for or not */
	uint32_t loses;	 /* one in so many runs loses its lane; 0: none */
	uint32_t crowds; /* the same for runs that find no room, unless the table is clean */
	uint64_t again;	 /* runs that had to be done with a clean table */
	bool is_slow;	 /* but for the first lane */
};

static void start(struct pool *p, struct pool_lane *l)
{
	struct lanes *x = (struct lanes *)p;

	x->again += l->is_clean;
}

static void wait_for(struct pool *p)
{
	struct lanes *x = (struct lanes *)p;
	uint32_t i = (uint32_t)(x->random = hash_pair(x->random, 1)) % p->nlanes;
	struct pool_lane *l = &x->lanes[i];
	struct diag d = { { 0 } };

	if (!l->is_busy || l->is_lost || (x->is_slow && i > 0))
		return;
	x->runs++;
	if (x->loses != 0 && x->runs % x->loses == 0) {
		l->is_lost = true;
		return;
	}
	x->toys[i]->runner.run(&x->toys[i]->runner, &d);
	l->head->crowded = x->crowds != 0 && x->runs % x->crowds == 0 && !l->is_clean;
	l->ended = x->toys[i]->runner.ended;
	l->is_busy = false;
}

static void lanes_init(struct lanes *x, const struct toy *toy, uint32_t nlanes)
{
	*x = (struct lanes){ .front = toy_new(STEPS), .random = nlanes };
	x->pool.runner.head = x->front->runner.head;
	x->pool.lanes = x->lanes;
	x->pool.nlanes = nlanes;
	x->pool.start = start;
	x->pool.wait = wait_for;
	for (uint32_t i = 0; i < nlanes; i++) {
		x->toys[i] = toy_new(STEPS);
		x->toys[i]->program = toy->program;
		x->toys[i]->hides = toy->hides;
		x->lanes[i].head = x->toys[i]->runner.head;
	}
	pool_init(&x->pool);
}

static void lanes_release(struct lanes *x)
{
	for (uint32_t i = 0; i < x->pool.nlanes; i++)
		toy_free(x->toys[i]);
	toy_free(x->front);
	pool_release(&x->pool);
}

/* ---- the same runs ---- */

/* All that a search can see of a run. */
static bool add_up(void *context, const struct explore_runner *r, uint64_t *mark)
{
	const struct baton_step *steps = explore_steps(r);
	uint64_t *sum = context;

	(void)mark;
	*sum = hash_pair(*sum, hash_pair(r->head->outcome, (uint32_t)r->ended));
	*sum = hash_pair(*sum, hash_pair(r->head->grown, r->head->nthreads));
	for (uint32_t i = 0; i < r->head->nsteps; i++)
		*sum = hash_pair(
			*sum, hash_pair(steps[i].op.site, (uint64_t)steps[i].choice.branch << 32 |
								  steps[i].enabled.at[0]));
	for (uint32_t i = 0; i < r->head->nthreads; i++)
		*sum = hash_pair(*sum,
				 hash_pair(r->head->pending[i].kind, r->head->pending[i].site));
	return search_is_failure(NULL, r, mark);
}

struct searched {
	uint64_t sum, runs, end;
};

static struct searched search_all(struct explore_runner *r)
{
	static const enum baton_policy policies[] = { BATON_RANDOM, BATON_PCT, BATON_POS };
	struct searched x = { 0 };
	struct search s = {
		.runner = r, .context = &x.sum, .is_failure = add_up, .goes_on = true, .seed = 3
	};
	struct dpor_counts counts;
	struct bounded_counts bounds;
	struct diag d = { { 0 } };

	for (size_t i = 0; i < 3; i++) {
		struct chance c = { .policy = policies[i], .depth = 3, .runs = 10 };

		x.end = hash_pair(x.end, chance_search(&s, &c, &d));
	}
	x.end = hash_pair(x.end, bounded_search(&s, 1, &bounds, &d));
	x.end = hash_pair(x.end, dpor_search(&s, &counts, &d));
	x.end = hash_pair(x.end, hash_pair(counts.traces, hash_pair(counts.restarts, bounds.runs)));
	for (size_t i = 0; i < s.failures.n; i++) {
		struct minimise m = { .runs = 300 };

		x.end = hash_pair(x.end, minimise_failure(&s, &s.failures.at[i], &m, &d));
		x.end = hash_pair(x.end, hash_pair(m.preemptions, hash_pair(m.schedule.n, m.done)));
		x.end = hash_pair(x.end, s.failures.at[i].run);
		minimise_release(&m);
	}
	x.runs = s.runs;
	search_release(&s);
	return x;
}

static bool is_equal(const struct searched *a, const struct searched *b)
{
	return a->sum == b->sum && a->runs == b->runs && a->end == b->end;
}

static void test_same(struct toy *toy, bool hides)
{
	unsigned long n = tap_rounds(40, 1000), bad = 0;
	uint64_t random = 5, done = 0, asked = 0, ahead = 0;

	for (unsigned long i = 0; i < n; i++) {
		struct searched alone;

		toy_clear(toy);
		toy->hides = hides;
		toy->program.goes_on = i % 2;
		toy_random(&toy->program, &random, 2 + i % 2, 5 + i % 3);
		alone = search_all(&toy->runner);
		for (uint32_t k = 1; k <= LANES; k++) {
			struct searched x;
			struct lanes lanes;

			lanes_init(&lanes, toy, k);
			lanes.crowds = i % 3 == 0 ? 7 : 0;
			x = search_all(&lanes.pool.runner);
			bad += !is_equal(&alone, &x);
			if (k == 1)
				asked += lanes.runs;
			if (k == LANES)
				done += lanes.runs;
			ahead += lanes.pool.nlanes > 1 && lanes.pool.ahead.n > 0;
			lanes_release(&lanes);
		}
	}
	toy->hides = false;
	TAP_EQ(bad, 0, "%lu random programs%s: the same runs by 1 to %u lanes", n,
	       hides ? " whose words come to be shared" : "", LANES);
	TAP_OK(ahead == n * (LANES - 1), "there were runs ahead");
	TAP_OK(done < 2 * asked, "and less than half of them in vain, %llu of %llu",
	       (unsigned long long)(done - asked), (unsigned long long)done);
}

/* ---- lanes that get lost ---- */

static void two_writers(struct toy *toy)
{
	toy_clear(toy);
	toy_add(&toy->program, "write:x=1 write:y=1 write:x=2 write:y=2");
	toy_add(&toy->program, "write:x=3 write:y=3 write:x=4 write:y=4");
}

static void test_lost(struct toy *toy)
{
	struct searched x;
	struct lanes lanes;

	two_writers(toy);
	lanes_init(&lanes, toy, 1);
	lanes.loses = 3;
	x = search_all(&lanes.pool.runner);
	TAP_EQ(x.runs, 2, "one lane, which is lost by the third run: two were done");
	lanes_release(&lanes);
}

struct one_guess {
	struct baton_choice prefix[1];
	uint32_t asked;
};

static bool guess_one(void *arg, uint32_t nth, struct search_ask *ask)
{
	struct one_guess *g = arg;

	g->asked++;
	*ask = (struct search_ask){ .policy = BATON_GO_ON, .nprefix = 1, .prefix = g->prefix };
	return nth == 0;
}

static void test_lost_by_guess(struct toy *toy)
{
	struct one_guess g = { .prefix = { { .thread = 1 } } };
	struct search_ask ask = { .policy = BATON_GO_ON };
	struct search s = { .guess = guess_one, .guess_arg = &g, .goes_on = true };
	struct lanes lanes;
	struct diag d = { { 0 } };

	two_writers(toy);
	lanes_init(&lanes, toy, 2);
	lanes.is_slow = true;
	s.runner = &lanes.pool.runner;
	TAP_EQ(search_run(&s, &ask, &d), SEARCH_WHOLE, "the first run");
	TAP_EQ(g.asked, 0, "is done alone");
	ask.seed = 6;
	TAP_EQ(search_run(&s, &ask, &d), SEARCH_WHOLE, "the next, and a guess");
	TAP_OK(lanes.lanes[1].is_busy, "which is not done yet");
	lanes.lanes[1].is_lost = true;
	ask.seed = 7;
	TAP_EQ(search_run(&s, &ask, &d), SEARCH_WHOLE, "the search goes on when the guess is lost");
	g.asked = 0;
	ask.seed = 8;
	TAP_EQ(search_run(&s, &ask, &d), SEARCH_WHOLE, "with the lane that is left");
	lanes.loses = 1;
	ask.seed = 9;
	TAP_EQ(search_run(&s, &ask, &d), SEARCH_TROUBLE, "but not without any");
	search_release(&s);
	lanes_release(&lanes);
}

/* Runs that have touched what others share are not done ahead. */
static void test_outside(struct toy *toy)
{
	struct one_guess g = { .prefix = { { .thread = 1 } } };
	struct search_ask ask = { .policy = BATON_GO_ON };
	struct search s = { .guess = guess_one, .guess_arg = &g, .goes_on = true };
	struct lanes lanes;
	struct diag d = { { 0 } };

	two_writers(toy);
	lanes_init(&lanes, toy, 2);
	s.runner = &lanes.pool.runner;
	lanes.pool.outside = BATON_OUTSIDE_SOCKETS;
	lanes.lanes[0].head->outside = lanes.lanes[1].head->outside = BATON_OUTSIDE_FILES;
	for (ask.seed = 1; ask.seed < 4; ask.seed++)
		search_run(&s, &ask, &d);
	TAP_OK(g.asked > 0, "what is allowed does not keep from guesses");
	lanes.lanes[0].head->outside = lanes.lanes[1].head->outside = BATON_OUTSIDE_SOCKETS;
	search_run(&s, &ask, &d);
	g.asked = 0;
	for (ask.seed = 10; ask.seed < 13; ask.seed++)
		search_run(&s, &ask, &d);
	TAP_EQ(g.asked, 0, "what is not does");
	search_release(&s);
	lanes_release(&lanes);
}

/* ---- tables that are full ---- */

static void test_crowded(struct toy *toy)
{
	struct searched alone, x;
	struct lanes lanes;

	two_writers(toy);
	alone = search_all(&toy->runner);
	lanes_init(&lanes, toy, 2);
	lanes.crowds = 5;
	x = search_all(&lanes.pool.runner);
	TAP_OK(is_equal(&alone, &x), "runs that find no room are done again, and give the same");
	TAP_OK(lanes.again > 0, "with tables that are clean");
	lanes_release(&lanes);
}

int main(void)
{
	struct toy *toy = toy_new(STEPS);

	test_same(toy, false);
	test_same(toy, true);
	test_lost(toy);
	test_lost_by_guess(toy);
	test_outside(toy);
	test_crowded(toy);
	toy_free(toy);
	return tap_done();
}
