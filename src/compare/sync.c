/*
 * Happens-before, step by step.
 *
 * C11 atomics, with A the clock of the cell's present value, C the chain's, F its last release
 * fence, S what its relaxed loads have met:
 *
 *	load, acquire		C join= A		relaxed		S join= A
 *	store, release		A = C			relaxed		A = F, or A join= F
 *	rmw, release		A join= C		relaxed		A join= F
 *	fence, release		F = C			acquire		C join= S
 *
 * A relaxed store goes on with a release sequence that its own chain began; so A stays when the
 * chain has released into it, though parts may be of others.  And a plain write leaves A alone: an
 * edge too many hides a race, one too few invents one.
 */

#include "compare/stream_priv.h"

void sync_grow(struct sync *y, uint32_t chain)
{
	while (y->now.n <= chain) {
		uint32_t c = (uint32_t)y->now.n;

		*VEC_PUSH(&y->now) = (struct stamp){ .chain = c, .time = 1 };
		if (y->with_hard)
			*VEC_PUSH(&y->hard) = (struct stamp){ .chain = STAMP_MIXED };
	}
}

struct sync_lock *sync_lock(struct sync *y, uint32_t lock)
{
	VEC_REACH(&y->locks, lock);
	return &y->locks.at[lock];
}

static void tick(struct stamp *now)
{
	assert(now->time < UINT32_MAX - 1);
	now->time++;
}

/* What a chain gets back from itself alone orders nothing that was not in order. */
static void learn(struct sync *y, uint32_t chain, const struct stamp *from)
{
	stamp_join(&y->stamps, sync_now(y, chain), from);
	if (y->with_hard && from->chain != chain)
		stamp_join(&y->stamps, &y->hard.at[chain], from);
}

static void lock_step(struct sync *y, const struct step *s)
{
	struct stamp *now = sync_now(y, s->chain);
	struct sync_lock *l = sync_lock(y, s->obj);

	switch (s->op) {
	case STEP_ACQ:
		stamp_join(&y->stamps, now, &l->reads);
		stamp_join(&y->stamps, now, &l->write);
		return;
	case STEP_RACQ:
		stamp_join(&y->stamps, now, &l->write);
		return;
	case STEP_REL:
		stamp_set(&y->stamps, &l->write, now);
		stamp_clear(&y->stamps, &l->reads);
		break;
	default:
		stamp_collect(&y->stamps, &l->reads, now);
	}
	tick(now);
}

static struct sync_fences *fences(struct sync *y, uint32_t chain)
{
	VEC_REACH(&y->fences, chain);
	return &y->fences.at[chain];
}

static void fence_step(struct sync *y, const struct step *s)
{
	struct sync_fences *f = fences(y, s->chain);
	struct stamp *now;

	if (s->flags & STEP_ACQUIRE)
		learn(y, s->chain, &f->seen);
	if (s->flags & STEP_RELEASE) {
		now = sync_now(y, s->chain);
		stamp_set(&y->stamps, &f->release, now);
		tick(now);
	}
}

static void thread_step(struct sync *y, const struct step *s)
{
	uint32_t from = s->op == STEP_FORK ? s->chain : s->obj;
	uint32_t to = s->op == STEP_FORK ? s->obj : s->chain;

	sync_grow(y, from > to ? from : to);
	learn(y, to, &y->now.at[from]);
	/* A joined chain too: another thread may go on with it. */
	tick(&y->now.at[from]);
}

void sync_step(struct sync *y, const struct step *s)
{
	struct stamp *now;

	switch (s->op) {
	case STEP_ACQ:
	case STEP_RACQ:
	case STEP_REL:
	case STEP_RREL:
		lock_step(y, s);
		break;
	case STEP_FORK:
	case STEP_JOIN:
		thread_step(y, s);
		break;
	case STEP_PUT:
		now = sync_now(y, s->chain);
		VEC_REACH(&y->channels, s->obj);
		stamp_collect(&y->stamps, &y->channels.at[s->obj], now);
		tick(now);
		break;
	case STEP_GET:
		if (s->obj < y->channels.n)
			learn(y, s->chain, &y->channels.at[s->obj]);
		break;
	case STEP_FORGET:
		if (s->obj < y->channels.n)
			stamp_clear(&y->stamps, &y->channels.at[s->obj]);
		break;
	case STEP_FENCE:
		if (y->atomics)
			fence_step(y, s);
		break;
	default:
		break;
	}
}

void sync_acquire(struct sync *y, const struct step *s, const uint32_t *cells)
{
	if (s->op == STEP_WRITE)
		return;
	for (uint32_t i = 0; i < s->ncells; i++) {
		const struct stamp *a;

		if (cells[i] >= y->atomic.n)
			continue;
		a = &y->atomic.at[cells[i]].clock;
		if (s->flags & STEP_ACQUIRE)
			learn(y, s->chain, a);
		else if (a->time)
			stamp_collect(&y->stamps, &fences(y, s->chain)->seen, a);
	}
}

static bool goes_on(const struct sync_atomic *a, const struct step *s)
{
	return s->op == STEP_RMW ||
	       (!(s->flags & STEP_RELEASE) && (a->from == s->chain + 1 || a->from == SYNC_SEVERAL));
}

static void atomic_store(struct sync *y, struct sync_atomic *a, const struct step *s,
			 const struct stamp *from)
{
	if (!goes_on(a, s)) {
		stamp_clear(&y->stamps, &a->clock);
		a->from = 0;
	}
	if (!from->time)
		return;
	stamp_collect(&y->stamps, &a->clock, from);
	a->from = a->from == 0 || a->from == s->chain + 1 ? s->chain + 1 : SYNC_SEVERAL;
}

void sync_publish(struct sync *y, const struct step *s, const uint32_t *cells)
{
	const struct stamp *from = sync_now(y, s->chain);

	if (s->op == STEP_READ)
		return;
	if (!(s->flags & STEP_RELEASE))
		from = &fences(y, s->chain)->release;
	for (uint32_t i = 0; i < s->ncells; i++) {
		VEC_REACH(&y->atomic, cells[i]);
		atomic_store(y, &y->atomic.at[cells[i]], s, from);
	}
	if (s->flags & STEP_RELEASE)
		tick(sync_now(y, s->chain));
}

void sync_after_all(struct sync *y, uint32_t chain)
{
	struct stamp *now = sync_now(y, chain);

	for (uint32_t u = 0; u < y->now.n; u++) {
		if (u == chain)
			continue;
		stamp_join(&y->stamps, now, &y->now.at[u]);
		tick(&y->now.at[u]);
	}
}

/* --- an engine --------------------------------------------------------------- */

void stream_init(struct stream *s, const struct engine *e, const struct engine_options *opt,
		 const char *why, unsigned flags)
{
	*s = (struct stream){
		.sync = { .atomics = flags & STREAM_ATOMICS, .with_hard = flags & STREAM_HARD },
		.pasts = { .all = opt->all_pairs, .last_write = flags & STREAM_LAST_WRITE },
		.pairs = { .engine = e, .why = why, .all = opt->all_pairs },
	};
	stamps_init(&s->sync.stamps);
}

void stream_end(struct stream *s, struct engine_result *out)
{
	struct sync *y = &s->sync;

	past_pairs_end(&s->pairs, out);
	pasts_release(&s->pasts);
	VEC_RELEASE_ALL(&y->now, &y->hard, &y->locks, &y->channels, &y->fences, &y->atomic);
	stamps_release(&y->stamps);
}

void stream_drop(struct stream *s, uint32_t cell)
{
	struct sync *y = &s->sync;

	pasts_drop(&s->pasts, cell);
	if (cell < y->atomic.n) {
		stamp_clear(&y->stamps, &y->atomic.at[cell].clock);
		y->atomic.at[cell].from = 0;
	}
}

void stream_split(struct stream *s, uint32_t from, uint32_t to)
{
	struct sync *y = &s->sync;

	stream_drop(s, to);
	pasts_split(&s->pasts, from, to);
	if (from < y->atomic.n && y->atomic.at[from].clock.time) {
		VEC_REACH(&y->atomic, to);
		stamp_set(&y->stamps, &y->atomic.at[to].clock, &y->atomic.at[from].clock);
		y->atomic.at[to].from = y->atomic.at[from].from;
	}
}
