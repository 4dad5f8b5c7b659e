/*
 * Random tiny traces, by running random threads: every step some thread does something that it
 * can do.  What is likely differs from trace to trace, so that long sections, many threads,
 * increments, unreleased locks and so on all come together now and then.
 */
#include "tiny.h"

#include <assert.h>
#include <string.h>

uint32_t tiny_below(struct tiny_rng *r, uint32_t n)
{
	/* splitmix64 */
	uint64_t z = r->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (uint32_t)(((z ^ z >> 31) >> 32) * n >> 32);
}

bool tiny_chance(struct tiny_rng *r, unsigned percent)
{
	return tiny_below(r, 100) < percent;
}

struct run {
	struct tiny *t;
	struct tiny_rng rng;
	unsigned features;
	int limit, nvars, nlocks, nlocs;
	/* Percentages. */
	unsigned stay, lock, shared, write, half, atomic, free, feed, grow, test, unnested, start;
	unsigned outside;	    /* accesses without a lock */
	unsigned whole;		    /* sections that nothing interrupts */
	unsigned climb, ring, idle; /* several locks at one go; neighbours; no access between */
	unsigned try, wait, frees, count, lives, block;
	unsigned give, again,
		looks; /* 0 leaves the dice alone, so that older traces stay as they are */
	bool spin[TINY_LOCKS];
	/* State. */
	bool running[TINY_THREADS], ended[TINY_THREADS];
	int held[TINY_THREADS][TINY_LOCKS], nheld[TINY_THREADS]; /* in order of acquiring */
	bool shared_hold[TINY_THREADS][TINY_LOCKS];
	int writer[TINY_LOCKS], readers[TINY_LOCKS]; /* threads that hold it; writer -1 none */
	int parked[TINY_THREADS]; /* its PARK, until it has its mutex again; TINY_NONE */
	int cause[TINY_THREADS];  /* signal that has reached the parked thread; TINY_NONE */
	bool back[TINY_THREADS];  /* it has woken up and wants its mutex again */
	int depth[TINY_THREADS];  /* of blocks */
	int nsems, value[TINY_SEMS];
	uint32_t free_reads[TINY_THREADS];
	int memory[TINY_CELLS];
};

static struct tiny_event *add(struct run *r, enum tiny_op op, int thread, int obj)
{
	struct tiny_event *e = &r->t->at[r->t->n++];

	assert(r->t->n <= TINY_EVENTS);
	memset(e, 0, sizeof(*e));
	e->op = op;
	e->thread = thread;
	e->obj = obj;
	e->loc = r->nlocs ? 1 + (int)tiny_below(&r->rng, (uint32_t)r->nlocs) : r->t->n;
	return e;
}

static struct tiny_event *add_access(struct run *r, enum tiny_op op, int thread, int var)
{
	struct tiny_event *e = add(r, op, thread, var);
	unsigned half = tiny_chance(&r->rng, r->half) ? 1 + tiny_below(&r->rng, 2) : 3;

	e->cells = half << 2 * var;
	if (op == TINY_RMW || (op != TINY_FREE && tiny_chance(&r->rng, r->atomic)))
		e->order = tiny_chance(&r->rng, 50) ? TINY_RELAXED : TINY_SEQ_CST;
	return e;
}

/* The values that the last event sees and leaves behind; halves do not occur with values. */
static void settle_values(struct run *r, struct tiny_event *e)
{
	int cell = 2 * e->obj;

	e->seen = r->memory[cell];
	if (tiny_writes(e))
		r->memory[cell] = e->stored = (int)tiny_below(&r->rng, 3);
}

static void compare(struct run *r, struct tiny_event *e)
{
	e->cmp = TINY_EQ + tiny_below(&r->rng, 6);
	e->with = (int)tiny_below(&r->rng, 3);
}

static void mark_read(struct run *r, struct tiny_event *e)
{
	if (!tiny_chance(&r->rng, r->free))
		return;
	e->free = true;
	r->free_reads[e->thread] |= 1u << (e - r->t->at);
	if ((r->features & TINY_TESTS) && tiny_chance(&r->rng, 50))
		compare(r, e);
}

static void mark_write(struct run *r, struct tiny_event *e)
{
	for (int i = 0; i < r->t->n; i++)
		if (r->free_reads[e->thread] >> i & 1 && tiny_chance(&r->rng, r->feed))
			e->feeds |= 1u << i;
}

/* x++: a free read that feeds the write after it; then, now and then, the result is tested. */
static void increment(struct run *r, int u, int var)
{
	struct tiny_event *e = add_access(r, TINY_READ, u, var);

	e->free = true;
	settle_values(r, e);
	r->free_reads[u] |= 1u << (e - r->t->at);
	e = add_access(r, TINY_WRITE, u, var);
	e->feeds = 1u << (e - 1 - r->t->at);
	mark_write(r, e);
	settle_values(r, e);
	if (r->t->n < r->limit && tiny_chance(&r->rng, r->test)) {
		e = add_access(r, TINY_READ, u, var);
		settle_values(r, e);
	}
}

/* Closes a run of reads, which may have begun with any read of the thread. */
static bool reread(struct run *r, int u)
{
	struct tiny_event c = { .op = TINY_READ, .thread = u, .reread = true }, *e;
	int i = (int)tiny_below(&r->rng, (uint32_t)r->t->n + 1);

	while (--i >= 0 && (r->t->at[i].thread != u || !tiny_reads(&r->t->at[i])))
		;
	if (i < 0)
		return false;
	c.obj = r->t->at[i].obj;
	c.cells = r->t->at[i].cells;
	c.order = r->t->at[i].order;
	if (tiny_run_begins(r->t, &c, r->t->n) == TINY_NONE)
		return false;
	e = add(r, TINY_READ, u, c.obj);
	c.loc = e->loc;
	c.seen = r->memory[2 * c.obj];
	*e = c;
	return true;
}

static void access(struct run *r, int u)
{
	int var = (int)tiny_below(&r->rng, (uint32_t)r->nvars);
	enum tiny_op op = tiny_chance(&r->rng, r->write) ? TINY_WRITE : TINY_READ;
	struct tiny_event *e;

	if ((r->features & TINY_REREADS) && tiny_chance(&r->rng, 20) && reread(r, u))
		return;
	if (tiny_chance(&r->rng, r->frees)) {
		add_access(r, TINY_FREE, u, var);
		return;
	}
	if (op == TINY_WRITE && r->t->n + 2 <= r->limit && tiny_chance(&r->rng, r->grow)) {
		increment(r, u, var);
		return;
	}
	if (r->atomic && tiny_chance(&r->rng, 20))
		op = TINY_RMW;
	e = add_access(r, op, u, var);
	if (tiny_reads(e))
		mark_read(r, e);
	if (tiny_writes(e))
		mark_write(r, e);
	if (r->looks && op == TINY_READ && e->order != TINY_PLAIN)
		e->looks = tiny_chance(&r->rng, r->looks);
	settle_values(r, e);
}

/* False: the lock is not to be had. */
static bool acquire_lock(struct run *r, int u, int lock)
{
	bool shared = tiny_chance(&r->rng, r->shared) && !r->spin[lock];
	struct tiny_event *e;

	if (r->writer[lock] >= 0 || (!shared && r->readers[lock]))
		return false;
	for (int k = 0; k < r->nheld[u]; k++)
		if (r->held[u][k] == lock)
			return false;
	e = add(r, shared ? TINY_RACQ : TINY_ACQ, u, lock);
	e->try = tiny_chance(&r->rng, r->try);
	e->spin = r->spin[lock];
	if (shared)
		r->readers[lock]++;
	else
		r->writer[lock] = u;
	r->shared_hold[u][lock] = shared;
	r->held[u][r->nheld[u]++] = lock;
	return true;
}

/* Makes or destroys a lock that nobody holds. */
static bool renew(struct run *r, int u)
{
	int lock = r->nlocks ? (int)tiny_below(&r->rng, (uint32_t)r->nlocks) : -1;

	if (lock < 0 || r->writer[lock] >= 0 || r->readers[lock])
		return false;
	add(r, tiny_chance(&r->rng, 40) ? TINY_MAKE : TINY_DESTROY, u, lock);
	return true;
}

static bool acquire(struct run *r, int u)
{
	return r->nlocks && acquire_lock(r, u, (int)tiny_below(&r->rng, (uint32_t)r->nlocks));
}

/* Releases the k-th lock that it holds. */
static void let_go(struct run *r, int u, int k)
{
	int lock = r->held[u][k];

	memmove(&r->held[u][k], &r->held[u][k + 1], sizeof(int) * (size_t)(r->nheld[u] - k - 1));
	r->nheld[u]--;
	add(r, r->shared_hold[u][lock] ? TINY_RREL : TINY_REL, u, lock)->spin = r->spin[lock];
	if (r->shared_hold[u][lock])
		r->readers[lock]--;
	else
		r->writer[lock] = -1;
}

static bool release(struct run *r, int u)
{
	int k = r->nheld[u] - 1;

	if (k < 0)
		return false;
	if (tiny_chance(&r->rng, r->unnested))
		k = (int)tiny_below(&r->rng, (uint32_t)r->nheld[u]);
	let_go(r, u, k);
	return true;
}

/* Takes the lock that it took last once more.  False: it holds none that can be. */
static bool take_again(struct run *r, int u)
{
	int lock = r->nheld[u] ? r->held[u][r->nheld[u] - 1] : -1;

	if (lock < 0 || r->spin[lock] || r->shared_hold[u][lock] || r->t->n + 5 > r->limit)
		return false;
	add(r, TINY_AGAIN, u, lock);
	access(r, u);
	add(r, TINY_LESS, u, lock);
	return true;
}

/* ---- condition waits ---- */

/* Waits with the last lock that it has acquired, if that is a mutex. */
static bool wait(struct run *r, int u)
{
	int k = r->nheld[u] - 1, lock;
	struct tiny_event *e;

	if (k < 0 || r->t->n + 2 > r->limit || r->shared_hold[u][r->held[u][k]])
		return false;
	lock = r->held[u][k];
	let_go(r, u, k);
	r->t->at[r->t->n - 1].in_wait = true;
	e = add(r, TINY_PARK, u, (int)tiny_below(&r->rng, TINY_CONDS - tiny_chance(&r->rng, 70)));
	e->lock = lock;
	e->try = tiny_chance(&r->rng, 15);
	r->parked[u] = r->t->n - 1;
	r->cause[u] = TINY_NONE;
	return true;
}

static void signal(struct run *r, int u)
{
	bool all = tiny_chance(&r->rng, 30);
	struct tiny_event *e;
	int from = (int)tiny_below(&r->rng, (uint32_t)r->t->nthreads);

	e = add(r, all ? TINY_BROADCAST : TINY_SIGNAL, u,
		(int)tiny_below(&r->rng, TINY_CONDS - tiny_chance(&r->rng, 70)));
	for (int k = 0; k < r->t->nthreads; k++) {
		int v = (from + k) % r->t->nthreads;

		if (r->parked[v] < 0 || r->t->at[r->parked[v]].obj != e->obj ||
		    r->cause[v] != TINY_NONE)
			continue;
		r->cause[v] = r->t->n - 1;
		if (!all)
			return;
	}
}

/* A thread within a wait: it wakes up, or gets its mutex.  False: it can do neither. */
static bool go_on_waiting(struct run *r, int u)
{
	int lock = r->t->at[r->parked[u]].lock;
	struct tiny_event *e;

	if (!r->back[u]) {
		if (r->cause[u] == TINY_NONE && !tiny_chance(&r->rng, 4))
			return false;
		add(r, TINY_WAKE, u, r->t->at[r->parked[u]].obj)->cause = r->cause[u];
		r->back[u] = true;
		return true;
	}
	if (r->writer[lock] >= 0 || r->readers[lock])
		return false;
	e = add(r, TINY_ACQ, u, lock);
	e->in_wait = true;
	r->writer[lock] = u;
	r->shared_hold[u][lock] = false;
	r->held[u][r->nheld[u]++] = lock;
	r->parked[u] = TINY_NONE;
	r->back[u] = false;
	return true;
}

/* ---- semaphores, and tries that fail ---- */

static bool try_in_vain(struct run *r, int u)
{
	int lock = (int)tiny_below(&r->rng, (uint32_t)r->nlocks);
	bool reads = tiny_chance(&r->rng, 30);

	for (int k = 0; k < r->nheld[u]; k++)
		if (r->held[u][k] == lock)
			return false;
	if (r->writer[lock] < 0 && (reads || !r->readers[lock]))
		return false;
	add(r, TINY_TRYFAIL, u, lock)->reads = reads;
	return true;
}

static bool count(struct run *r, int u)
{
	int s = (int)tiny_below(&r->rng, (uint32_t)r->nsems);

	if (r->nlocks && tiny_chance(&r->rng, 40) && try_in_vain(r, u))
		return true;
	if (tiny_chance(&r->rng, 45)) {
		add(r, TINY_SEMPOST, u, s);
		r->value[s]++;
	} else if (r->value[s] > 0) {
		add(r, TINY_SEMWAIT, u, s);
		r->value[s]--;
	} else if (tiny_chance(&r->rng, 30)) {
		add(r, TINY_SEMFAIL, u, s);
	} else {
		return false;
	}
	return true;
}

/* Some are made by the first thread, others were there. */
static void make_semaphores(struct run *r)
{
	for (int s = 0; s < r->nsems; s++) {
		r->value[s] = tiny_chance(&r->rng, 50) ? 0 : 1 + (int)tiny_below(&r->rng, 2);
		if (tiny_chance(&r->rng, 50))
			add(r, TINY_SEMINIT, 0, s)->count = r->value[s];
	}
}

/* ---- threads ---- */

/* Fork of a thread that does not run yet, or join of one that runs. */
static bool fork_or_join(struct run *r, int u)
{
	int v = (int)tiny_below(&r->rng, (uint32_t)r->t->nthreads);

	if (v == u || r->ended[v] || r->parked[v] >= 0)
		return false;
	if (!r->running[v]) {
		add(r, TINY_FORK, u, v);
		r->running[v] = true;
		return true;
	}
	/* A join ends the child, which leaves it what it holds; seldom, or little would be left. */
	for (int i = 0; i < r->t->n; i++)
		if (r->t->at[i].thread == v && tiny_chance(&r->rng, 25)) {
			add(r, TINY_JOIN, u, v);
			r->ended[v] = true;
			return true;
		}
	return false;
}

static bool use(struct run *r, int u)
{
	struct tiny_event *e;
	uint32_t feeds = 0;

	for (int i = 0; i < r->t->n; i++)
		if (r->free_reads[u] >> i & 1 && tiny_chance(&r->rng, 60))
			feeds |= 1u << i;
	if (!feeds)
		return false;
	e = add(r, TINY_USE, u, 0);
	e->feeds = feeds;
	if ((r->features & TINY_TESTS) && tiny_chance(&r->rng, 80)) {
		compare(r, e);
		e->tested =
			tiny_chance(&r->rng, 70) ? feeds : feeds & tiny_below(&r->rng, 1u << 30);
	}
	return true;
}

/* A section at one go, with little in it, perhaps another one.  False: no lock is to be had. */
static bool section(struct run *r, int u)
{
	if (r->t->n + 2 > r->limit || !acquire(r, u))
		return false;
	for (uint32_t k = tiny_below(&r->rng, 3); k > 0 && r->t->n < r->limit; k--)
		if (!tiny_chance(&r->rng, 20) || !section(r, u))
			access(r, u);
	if (r->t->n < r->limit)
		release(r, u);
	return true;
}

/* Some locks at one go, often neighbours on a ring as forks are; then all of them back. */
static void climb(struct run *r, int u)
{
	int held = r->nheld[u], lock = u % r->nlocks;
	int depth = tiny_chance(&r->rng, 85) ? 2 : 1 + (int)tiny_below(&r->rng, 3);

	for (int k = 0; k < depth && r->t->n < r->limit; k++) {
		if (!tiny_chance(&r->rng, r->ring))
			lock = (int)tiny_below(&r->rng, (uint32_t)r->nlocks);
		acquire_lock(r, u, lock);
		if (r->t->n < r->limit && !tiny_chance(&r->rng, r->idle))
			access(r, u);
		if (r->t->n < r->limit && tiny_chance(&r->rng, r->start))
			fork_or_join(r, u);
		if (r->t->n < r->limit && tiny_chance(&r->rng, r->wait)) {
			if (r->nheld[u] >= 2 && tiny_chance(&r->rng, 70) && wait(r, u))
				return;
			if (tiny_chance(&r->rng, 50))
				signal(r, u);
		}
		lock = (lock + 1) % r->nlocks;
	}
	while (r->nheld[u] > held && r->t->n < r->limit && !tiny_chance(&r->rng, 2))
		release(r, u);
}

static void step(struct run *r, int u)
{
	uint32_t dice = tiny_below(&r->rng, 100);

	if (r->parked[u] >= 0) {
		go_on_waiting(r, u);
		return;
	}
	if (r->block && tiny_chance(&r->rng, r->depth[u] ? r->block / 2 : r->block)) {
		bool ends = r->depth[u] && !tiny_chance(&r->rng, 20);

		add(r, ends ? TINY_END : TINY_BEGIN, u, 0);
		r->depth[u] += ends ? -1 : 1;
		return;
	}
	if (!r->climb && tiny_chance(&r->rng, r->wait)) {
		if (!r->nheld[u] || tiny_chance(&r->rng, 50) || !wait(r, u))
			signal(r, u);
		return;
	}
	if (r->count && tiny_chance(&r->rng, r->count) && count(r, u))
		return;
	if (tiny_chance(&r->rng, r->lives) && renew(r, u))
		return;
	if (r->give && tiny_chance(&r->rng, r->give)) {
		add(r, tiny_chance(&r->rng, 50) ? TINY_GIVE : TINY_TAKE, u,
		    (int)tiny_below(&r->rng, TINY_CHANNELS));
		return;
	}
	if (r->again && tiny_chance(&r->rng, r->again) && take_again(r, u))
		return;
	if (tiny_chance(&r->rng, r->climb)) {
		climb(r, u);
		return;
	}
	if (tiny_chance(&r->rng, r->whole) && section(r, u))
		return;
	if (!r->nheld[u] && !tiny_chance(&r->rng, r->outside) && acquire(r, u))
		return;
	if (dice < r->lock && acquire(r, u))
		return;
	if (dice >= 100 - r->lock && release(r, u))
		return;
	if (tiny_chance(&r->rng, r->start) && fork_or_join(r, u))
		return;
	if ((r->features & TINY_FACTS) && tiny_chance(&r->rng, r->features & TINY_TESTS ? 18 : 6) &&
	    use(r, u))
		return;
	if (!tiny_chance(&r->rng, r->idle))
		access(r, u);
}

/* What differs where deadlocks are wanted: locks within locks, little else. */
static void choose_locking(struct run *r)
{
	struct tiny_rng *g = &r->rng;

	r->nlocks = 2 + (int)tiny_below(g, TINY_LOCKS - 1);
	r->nvars = 1 + (int)tiny_below(g, 2);
	r->climb = tiny_chance(g, 80) ? 90 : 0;
	r->ring = 25 * tiny_below(g, 5);
	r->stay = r->climb ? 10 : 60;
	r->whole = 0;
	r->lock = 40;
	r->outside = 20;
	r->idle = 55 + 15 * tiny_below(g, 4);
	r->start = tiny_chance(g, 60) ? 0 : 20;
}

static void choose(struct run *r)
{
	static const unsigned stays[] = { 30, 50, 70, 80, 85, 92 }, locks[] = { 10, 25, 35, 45 };
	static const unsigned outsides[] = { 100, 40, 25, 12 };
	struct tiny_rng *g = &r->rng;
	bool facts = r->features & TINY_FACTS;

	r->t->nthreads = tiny_chance(g, 40) ? 2 : tiny_chance(g, 70) ? 3 : 4;
	r->nvars = 1 + (int)tiny_below(g, TINY_VARS);
	r->nlocks = tiny_chance(g, 10) ? 0 : 1 + (int)tiny_below(g, 3);
	r->nlocs = tiny_chance(g, 30) ? 2 + (int)tiny_below(g, 6) : 0;
	r->stay = stays[tiny_below(g, 6)];
	r->lock = locks[tiny_below(g, 4)];
	r->outside = outsides[tiny_below(g, 4)];
	r->whole = tiny_chance(g, 40) ? 0 : 30 + tiny_below(g, 40);
	if (r->whole)
		r->lock = 0;
	r->shared = r->features & TINY_RWLOCKS ? 20 + tiny_below(g, 60) : 0;
	r->write = 25 + tiny_below(g, 75);
	r->half = r->features & TINY_HALVES && !(r->features & TINY_VALUES) ? 50 : 0;
	r->atomic = r->features & TINY_ATOMICS ? 10 + tiny_below(g, 60) : 0;
	r->free = facts ? 30 + tiny_below(g, 71) : 0;
	r->feed = facts ? tiny_below(g, 60) : 0;
	r->grow = facts ? tiny_below(g, 90) : 0;
	r->test = tiny_chance(g, 50) ? 0 : 40;
	r->unnested = tiny_chance(g, 60) ? 0 : 50;
	r->start = tiny_chance(g, 40) ? 0 : 15;
	if (r->features & TINY_LOCKING)
		choose_locking(r);
	r->try = r->features & TINY_TRIES ? 25 : 0;
	r->wait = r->features & TINY_WAITS ? 20 + tiny_below(g, 30) : 0;
	r->lives = r->features & TINY_LIVES ? 3 + tiny_below(g, 20) : 0;
	r->frees = r->features & TINY_FREES ? 5 + tiny_below(g, 30) : 0;
	r->block = r->features & TINY_BLOCKS ? 12 + tiny_below(g, 30) : 0;
	r->give = r->features & TINY_GIVES ? 10 + tiny_below(g, 15) : 0;
	r->again = r->features & TINY_KINDS ? 15 + tiny_below(g, 25) : 0;
	r->looks = r->features & TINY_LOOKS ? 30 + tiny_below(g, 50) : 0;
	for (int l = 0; r->again && l < TINY_LOCKS; l++)
		r->spin[l] = tiny_chance(g, 40);
	if (!(r->features & TINY_COUNTS))
		return;
	r->count = 10 + tiny_below(g, 40);
	r->nsems = 1 + (int)tiny_below(g, TINY_SEMS);
}

void tiny_random(struct tiny *t, uint64_t seed, int n, unsigned features)
{
	struct run r = { .t = t, .rng = { seed * 0x2545f4914f6cdd1du + 1 }, .features = features };
	int u = 0;

	assert(n > 0 && n <= TINY_EVENTS);
	memset(t, 0, sizeof(*t));
	t->values = features & TINY_VALUES;
	r.limit = n;
	choose(&r);
	for (int v = 0; v < t->nthreads; v++)
		r.running[v] = v == 0 || !r.start || tiny_chance(&r.rng, 40);
	for (int v = 1; v < t->nthreads && r.climb; v++)
		if (!r.running[v])
			r.running[add(&r, TINY_FORK, 0, v)->obj] = true;
	for (int l = 0; l < TINY_LOCKS; l++)
		r.writer[l] = -1;
	for (int v = 0; v < TINY_THREADS; v++)
		r.parked[v] = TINY_NONE;
	make_semaphores(&r);
	/* All may end up waiting for one another. */
	for (int left = 100 * n; t->n < n && (left > 0 || t->n == 0); left--) {
		if (!tiny_chance(&r.rng, r.stay))
			u = (int)tiny_below(&r.rng, (uint32_t)t->nthreads);
		while (!r.running[u] || r.ended[u])
			u = (int)tiny_below(&r.rng, (uint32_t)t->nthreads);
		step(&r, u);
	}
	tiny_settle(t);
}
