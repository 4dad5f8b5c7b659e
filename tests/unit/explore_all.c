#include "unit/explore_all.h"

#define DEEP EXPLORE_ALL_MOST

/* What an operation touches: a name, and whether others may touch it at the same time. */
struct touch {
	uint32_t name;
	bool alone;
};

struct event {
	struct touch touches[3];
	uint32_t n;
	uint32_t thread, nth, branch;
};

struct all {
	const struct toy_program *program;
	struct explore_all *out;
	struct event events[DEEP];
	uint32_t n;
	uint32_t taken[TOY_THREADS];
};

static void touch(struct event *e, char what, uint32_t object, bool alone)
{
	e->touches[e->n++] =
		(struct touch){ .name = (uint32_t)what * 256 + object, .alone = alone };
}

static void touches_of(const struct toy_line *l, struct event *e)
{
	switch (l->kind) {
	case BATON_READ:
	case BATON_WRITE:
	case BATON_UPDATE:
		if (l->size == 0)
			touch(e, '*', 0, true);
		else if (l->offset == 0)
			touch(e, 'l', l->object, l->kind != BATON_READ);
		if (l->offset == 4 || l->size == 8)
			touch(e, 'h', l->object, l->kind != BATON_READ);
		break;
	case BATON_WAIT:
	case BATON_WAKE:
		touch(e, 'c', l->object, true);
		touch(e, 'm', l->second, true);
		break;
	case BATON_SIGNAL:
	case BATON_BROADCAST:
		touch(e, 'c', l->object, true);
		break;
	case BATON_READ_LOCK:
	case BATON_READ_UNLOCK:
	case BATON_TRY_READ_LOCK:
		touch(e, 'm', l->object, false);
		break;
	case BATON_SEM_WAIT:
	case BATON_SEM_TRY:
	case BATON_SEM_POST:
		touch(e, 's', l->object, true);
		break;
	case BATON_ONCE:
		touch(e, 'o', l->object, true);
		break;
	case BATON_LOCK:
	case BATON_TRY_LOCK:
	case BATON_UNLOCK:
	case BATON_OBJECT:
		touch(e, 'm', l->object, true);
		break;
	default: /* barriers, joins: their order is by who can go on; choices and sleeps touch nothing */
		break;
	}
}

static bool is_variable(const struct touch *t)
{
	return t->name / 256 == 'l' || t->name / 256 == 'h' || t->name / 256 == '*';
}

static bool is_same(const struct touch *a, const struct touch *b)
{
	if (a->name / 256 == '*' || b->name / 256 == '*')
		return is_variable(a) && is_variable(b);
	return a->name == b->name;
}

static bool conflict(const struct event *a, const struct event *b)
{
	if (a->thread == b->thread)
		return true;
	for (uint32_t i = 0; i < a->n; i++)
		for (uint32_t k = 0; k < b->n; k++)
			if (is_same(&a->touches[i], &b->touches[k]) &&
			    (a->touches[i].alone || b->touches[k].alone))
				return true;
	return false;
}

/* Foata's normal form: each event in the first layer behind all that it conflicts with.  Layers are sets, so
 * the sum of hashes will do. */
static uint64_t normal_form(const struct all *a)
{
	uint32_t layer[DEEP];
	uint64_t sum = 0;

	for (uint32_t i = 0; i < a->n; i++) {
		const struct event *e = &a->events[i];

		layer[i] = 0;
		for (uint32_t k = 0; k < i; k++)
			if (layer[i] <= layer[k] && conflict(e, &a->events[k]))
				layer[i] = layer[k] + 1;
		sum += hash_add(
			hash_add(hash_add(hash_add(HASH_TEXT, layer[i]), e->thread), e->nth),
			e->branch);
	}
	return sum;
}

/* Order in queues is part of it, registers are, too. */
uint64_t explore_all_end(const struct toy_state *s)
{
	struct toy_state copy = *s;

	return hash_bytes(HASH_TEXT, &copy, sizeof(copy));
}

uint64_t explore_all_failure(const struct toy_program *p, const struct toy_state *s)
{
	uint64_t who = 0;

	for (uint32_t t = 0; t < p->nthreads && !p->goes_on; t++)
		if (s->failed >> t & 1)
			return hash_pair(s->failed, s->pc[t]) | 1;
	if (s->failed != 0 && toy_is_over(p, s))
		return s->failed * 2u + 1;
	if (toy_is_over(p, s))
		return 0;
	for (uint32_t t = 0; t < p->nthreads; t++) {
		if (toy_is_enabled(p, s, t))
			return 0;
		if (toy_pending(p, s, t) != NULL)
			who += hash_pair(t + 1, s->pc[t]);
	}
	return who | 1;
}

static void note_end(struct all *a, const struct toy_state *s, uint32_t preemptions)
{
	bool is_over = toy_is_over(a->program, s), fresh;
	uint64_t failure = explore_all_failure(a->program, s), *least;

	a->out->runs++;
	a->out->by_preemptions[preemptions]++;
	a->out->deadlocks += !is_over;
	*map_put(&a->out->traces, normal_form(a), NULL) = !is_over;
	map_put(&a->out->ends, explore_all_end(s), NULL);
	if (failure != 0) {
		least = map_put(&a->out->failures, failure, &fresh);
		if (fresh || *least > EXPLORE_ALL_LEAST(preemptions, a->n))
			*least = EXPLORE_ALL_LEAST(preemptions, a->n);
	}
}

static void descend(struct all *a, const struct toy_state *s, uint32_t last, uint32_t preemptions)
{
	bool can_go_on = last < TOY_THREADS && toy_is_enabled(a->program, s, last);
	bool has_yielded = a->n > 0 && a->events[a->n - 1].branch == UINT32_MAX;
	uint32_t going = 0;

	for (uint32_t t = 0; t < a->program->nthreads && !toy_is_over(a->program, s); t++) {
		const struct toy_line *l = toy_pending(a->program, s, t);

		if (!toy_is_enabled(a->program, s, t))
			continue;
		going++;
		for (uint32_t b = 0; b == 0 || (l->kind == BATON_CHOOSE && b < l->count); b++) {
			struct toy_state next = *s;
			struct event *e = &a->events[a->n++];

			assert(a->n < DEEP);
			*e = (struct event){ .thread = t, .nth = a->taken[t]++, .branch = b };
			if (l->kind == BATON_YIELD)
				e->branch = UINT32_MAX;
			touches_of(l, e);
			toy_do(a->program, &next, t, b, 0);
			descend(a, &next, t,
				preemptions + (t != last && can_go_on && !has_yielded));
			a->taken[t]--;
			a->n--;
		}
	}
	if (going == 0)
		note_end(a, s, preemptions);
}

void explore_all(const struct toy_program *p, struct explore_all *out)
{
	struct all a = { .program = p, .out = out };
	struct toy_state s;

	*out = (struct explore_all){ 0 };
	toy_begin(p, &s, 0);
	descend(&a, &s, TOY_THREADS, 0);
}

void explore_all_release(struct explore_all *a)
{
	MAP_RELEASE_ALL(&a->traces, &a->ends, &a->failures);
}

uint64_t explore_all_deadlocks(const struct explore_all *a)
{
	struct map_item it;
	uint64_t n = 0;

	for (size_t i = 0; map_next(&a->traces, &i, &it);)
		n += it.value;
	return n;
}
