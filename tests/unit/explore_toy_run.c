/* Toys behind struct explore_runner: what the runtime does to a program, done to a toy. */
#include "unit/explore_toy.h"

static uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += HASH_GOLDEN;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* Objects of different kinds lie apart. */
static struct baton_op operation(const struct toy_line *l, uint32_t thread, uint32_t pc)
{
	struct baton_op op = {
		.kind = l->kind, .flags = l->flags, .branches = 1, .site = thread * 100 + pc
	};

	switch (l->kind) {
	case BATON_READ:
	case BATON_WRITE:
	case BATON_UPDATE:
		op.object = l->size != 0 ? 0x1000 + 8u * l->object + l->offset : 0xc00;
		op.size = l->size != 0 ? l->size : 0x800;
		break;
	case BATON_WAIT:
	case BATON_WAKE:
		op.object = 0x3000 + 64u * l->object;
		op.second = 0x2000 + 64u * l->second;
		break;
	case BATON_SIGNAL:
	case BATON_BROADCAST:
		op.object = 0x3000 + 64u * l->object;
		break;
	case BATON_BARRIER_IN:
	case BATON_BARRIER_OUT:
		op.object = 0x4000 + 64u * l->object;
		op.size = l->count;
		break;
	case BATON_SEM_WAIT:
	case BATON_SEM_TRY:
	case BATON_SEM_POST:
		op.object = 0x5000 + 64u * l->object;
		break;
	case BATON_ONCE:
		op.object = 0x6000 + 64u * l->object;
		break;
	case BATON_JOIN:
		op.second = l->count;
		break;
	case BATON_CHOOSE:
		op.branches = l->count;
		break;
	case BATON_YIELD:
		break;
	case TOY_EXIT:
		op.kind = BATON_EXIT;
		break;
	default:
		op.object = 0x2000 + 64u * l->object;
		break;
	}
	return op;
}

static void look(struct toy *t, struct baton_set *enabled)
{
	struct baton_head *h = t->runner.head;

	*enabled = h->alive = (struct baton_set){ { 0 } };
	for (uint32_t i = 0; i < t->program.nthreads; i++) {
		const struct toy_line *l = toy_pending(&t->program, &t->state, i);

		h->pending[i] = (struct baton_op){ 0 };
		if (t->state.made >> i & 1)
			h->nthreads = i + 1;
		if (l == NULL)
			continue;
		baton_add(&h->alive, i);
		h->pending[i] = operation(l, i, t->state.pc[i]);
		if (toy_is_enabled(&t->program, &t->state, i) && !baton_has(&h->frozen, i))
			baton_add(enabled, i);
	}
}

static uint32_t highest(const struct baton_set *of, const uint64_t *priority)
{
	uint32_t best = TOY_THREADS;

	for (uint32_t i = 0; i < TOY_THREADS; i++)
		if (baton_has(of, i) && (best == TOY_THREADS || priority[i] > priority[best]))
			best = i;
	return best;
}

/* Among those who are awake. */
static uint32_t choose(struct toy *t, const struct baton_set *awake, uint32_t last,
		       uint64_t *priority)
{
	struct baton_head *h = t->runner.head;
	uint32_t n = 0, best;

	switch (h->policy) {
	case BATON_RANDOM:
		for (uint32_t i = 0; i < TOY_THREADS; i++)
			n += baton_has(awake, i);
		n = (uint32_t)(random_next(&t->random) % n);
		for (uint32_t i = 0;; i++)
			if (baton_has(awake, i) && n-- == 0)
				return i;
	case BATON_PCT:
		best = highest(awake, priority);
		for (uint32_t i = 0; i < h->nchanges; i++)
			if (h->changes[i] == h->nsteps)
				priority[best] = i + 1;
		return highest(awake, priority);
	case BATON_POS:
		best = highest(awake, priority);
		for (uint32_t i = 0; i < TOY_THREADS; i++)
			if (i == best || baton_depends(&h->pending[i], &h->pending[best]))
				priority[i] = random_next(&t->random) | 1ull << 63;
		return best;
	default:
		if (last < TOY_THREADS && baton_has(awake, last))
			return last;
		return highest(awake, (const uint64_t[TOY_THREADS]){ 0 });
	}
}

/* True: the run goes on with this choice. */
static bool pick(struct toy *t, const struct baton_set *enabled, struct baton_set *asleep,
		 uint64_t *priority, struct baton_choice *c)
{
	struct baton_head *h = t->runner.head;
	struct baton_set awake = *enabled;

	if (h->nsteps < h->nprefix) {
		*c = explore_choices(&t->runner)[h->nsteps];
		if (c->thread >= TOY_THREADS || !baton_has(enabled, c->thread))
			h->outcome = BATON_STRAYED;
		return h->outcome == BATON_RAN;
	}
	if (h->nsteps == h->nprefix)
		*asleep = h->sleep;
	for (uint32_t i = 0; i < TOY_THREADS; i++)
		if (baton_has(asleep, i))
			baton_drop(&awake, i);
	if (baton_is_empty(&awake)) {
		h->outcome = BATON_BLOCKED;
		return false;
	}
	*c = (struct baton_choice){ 0 };
	c->thread = (uint16_t)choose(
		t, &awake,
		h->nsteps ? explore_steps(&t->runner)[h->nsteps - 1].choice.thread : TOY_THREADS,
		priority);
	for (uint32_t i = 0; i < TOY_THREADS; i++)
		if (baton_has(asleep, i) && baton_depends(&h->pending[i], &h->pending[c->thread]))
			baton_drop(asleep, i);
	if (h->policy != BATON_GO_ON && h->pending[c->thread].branches > 1)
		c->branch = (uint16_t)(random_next(&t->random) % h->pending[c->thread].branches);
	return true;
}

static struct baton_word *word_of(struct toy *t, uint32_t object)
{
	struct baton_word *w = baton_word(t->runner.head, 0x1000 + 8u * object);

	w->word = (0x1000 + 8u * object) / 8 + 1;
	return w;
}

static void touch(struct toy *t, uint32_t thread, uint32_t object, bool writes)
{
	struct baton_word *w = word_of(t, object);

	t->touched[object] |= 1u << thread;
	if (writes)
		t->wrote |= 1u << object;
	if (t->touched[object] != 1u << thread && t->wrote >> object & 1 && !w->shared)
		baton_share(t->runner.head, w);
}

/* Variables whose accesses are steps. */
static uint32_t shared(struct toy *t)
{
	uint32_t bits = 0;

	for (uint32_t i = 0; i < TOY_NAMES; i++)
		bits |= (uint32_t)word_of(t, i)->shared << i;
	return bits;
}

/* Whoever touches a variable, in whatever way: it may come to be shared.  All accesses up to where the
 * thread is are looked at, for what is hidden was done on the way. */
static void note_touched(struct toy *t, uint32_t thread, uint32_t from)
{
	for (uint32_t k = from; k < t->state.pc[thread]; k++) {
		const struct toy_line *l = &t->program.lines[thread][k];

		if (!BATON_IS_ACCESS(l->kind))
			continue;
		for (uint32_t i = 0; i < TOY_NAMES; i++)
			if (l->size == 0 || l->object == i)
				touch(t, thread, i, l->kind != BATON_READ);
	}
}

static void begin(struct toy *t, uint32_t hidden)
{
	struct baton_head *h = t->runner.head;

	h->nsteps = h->grown = h->nthreads = 0;
	h->outcome = BATON_RAN;
	t->random = h->seed;
	t->wrote = 0;
	memset(t->touched, 0, sizeof(t->touched));
	toy_begin(&t->program, &t->state, hidden);
	for (uint32_t i = 0; t->hides && i < t->program.nthreads; i++)
		note_touched(t, i, 0);
}

/* What the runtime says of a step that is about to be done: that it will come back in vain, and of a once that its
 * routine has run. */
static uint8_t foretold(const struct toy_state *s, const struct toy_line *l, uint32_t thread)
{
	switch (l->kind) {
	case BATON_TRY_LOCK:
		return toy_is_free(s, l->object, thread) ? 0 : BATON_VAIN;
	case BATON_TRY_READ_LOCK:
		return s->holder[l->object] != 0 ? BATON_VAIN : 0;
	case BATON_SEM_TRY:
		return s->sem[l->object] <= 0 ? BATON_VAIN : 0;
	case BATON_WAKE:
		return s->woken >> thread & 1 ? 0 : BATON_VAIN;
	case BATON_ONCE:
		return s->once[l->object] == 2 ? BATON_DONE : 0;
	default:
		return 0;
	}
}

static bool run(struct explore_runner *r, struct diag *d)
{
	struct toy *t = (struct toy *)r;
	struct baton_head *h = r->head;
	uint32_t hidden = t->hides ? ~shared(t) : 0;
	uint64_t priority[TOY_THREADS];
	struct baton_set enabled, asleep = { { 0 } };

	(void)d;
	begin(t, hidden);
	for (uint32_t i = 0; i < TOY_THREADS; i++)
		priority[i] = random_next(&t->random) | 1ull << 63;
	for (look(t, &enabled); !toy_is_over(&t->program, &t->state); look(t, &enabled)) {
		struct baton_step *s = (struct baton_step *)&explore_steps(r)[h->nsteps];
		uint32_t pc;

		if (baton_is_empty(&enabled))
			h->outcome = BATON_DEADLOCK;
		else if (h->nsteps >= h->limit)
			h->outcome = BATON_TOO_LONG;
		else
			pick(t, &enabled, &asleep, priority, &s->choice);
		if (h->outcome != BATON_RAN)
			break;
		s->op = h->pending[s->choice.thread];
		s->op.flags |=
			foretold(&t->state, toy_pending(&t->program, &t->state, s->choice.thread),
				 s->choice.thread);
		s->enabled = enabled;
		s->nthreads = h->nthreads;
		h->nsteps++;
		pc = t->state.pc[s->choice.thread];
		toy_do(&t->program, &t->state, s->choice.thread, s->choice.branch, hidden);
		if (t->hides)
			note_touched(t, s->choice.thread, pc);
	}
	r->ended = h->outcome == BATON_RAN && t->state.failed != 0 ? t->state.failed << 8 : 0;
	return true;
}

#define WORDS 64u

struct toy *toy_new(uint32_t limit)
{
	struct toy *t = mem_zalloc(sizeof(*t));
	struct baton_head h = { .nwords = WORDS, .nchoices = limit, .steps = sizeof(h) };

	h.words = h.steps + limit * sizeof(struct baton_step);
	h.choices = h.words + WORDS * sizeof(struct baton_word);
	h.news = h.choices + limit * sizeof(struct baton_choice);
	t->runner.head = mem_zalloc(h.news + WORDS * sizeof(uint32_t));
	*t->runner.head = h;
	t->runner.run = run;
	return t;
}

void toy_clear(struct toy *t)
{
	struct baton_head *h = t->runner.head;

	t->program = (struct toy_program){ 0 };
	memset((char *)h + h->words, 0, WORDS * sizeof(struct baton_word));
}

void toy_free(struct toy *t)
{
	mem_free(t->runner.head);
	mem_free(t);
}
