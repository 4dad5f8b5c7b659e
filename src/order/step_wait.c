/*
 * Waiting for something that happened elsewhere: conditions, barriers, semaphores, onces.
 *
 * Each happening puts into a channel, each wait that needed it gets.  Channels are forgotten when
 * nobody can get from them any more; what is named after that stops its thread, which costs
 * findings and is never wrong.
 */
#include "order/step_priv.h"

#define SIGNALS_MAX 4096 /* of one condition */
#define ROUNDS_MAX 64	 /* of one barrier */
#define POSTS_MAX 65536	 /* of one semaphore, not taken yet */
#define FAILS_MAX 256	 /* of one semaphore */
#define CHAINS_MAX 64	 /* that a failed wait comes after */

/* ---- conditions ----
 *
 * A thread that waits uses the condition while it has its mutex still (COND_REQ), not when it parks:
 * who has woken everybody may destroy the condition, and that may be before the park is here.
 *
 * A wake names a signal that came after its park.  So a signal is of use while somebody is parked
 * who was parked when it came: with waits in order, while it is younger than the first of them.
 */

/* Removes those that were sent before pos, or have been used. */
static void signals_remove(struct steps *s, struct object_cond *c, uint64_t pos, bool used)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->signals.n; i++) {
		struct cond_signal g = c->signals.at[i];

		if (g.pos < pos || (used && g.used))
			step_channel_forget(s, g.channel);
		else
			c->signals.at[kept++] = g;
	}
	c->signals.n = kept;
}

static void signals_limit(struct steps *s, struct object_cond *c)
{
	if (c->signals.n < SIGNALS_MAX)
		return;
	c->guests.crowded = true; /* one that goes may be what a guest will wake by */
	signals_remove(s, c, 0, true);
	if (c->signals.n > SIGNALS_MAX / 2)
		signals_remove(s, c, c->signals.at[SIGNALS_MAX / 4].pos, false);
}

static void cond_signal(struct steps *s, const struct event *e)
{
	struct object_cond *c = &step_object_get(s, e->addr, EVENT_OBJECT_CONDITION)->cond;
	uint32_t channel = step_channel_new(s);

	step_object_use(s, e->addr);
	step_add(s, STEP_NOTIFY, 0)->obj = c->id;
	step_add(s, STEP_PUT, 0)->obj = channel;
	if (c->waits.n == 0) {
		step_channel_forget(s, channel);
		return;
	}
	signals_limit(s, c);
	*VEC_PUSH(&c->signals) = (struct cond_signal){
		.tid = e->tid, .channel = channel, .tseq = e->tseq, .pos = e->pos
	};
}

/* The thread is parked no longer. */
static void cond_leave(struct steps *s, struct step_thread *t)
{
	uint32_t index = t->parked - 1;
	struct object_cond *c = &s->objects.at[index].cond;
	size_t i = 0;

	while (c->waits.at[i] != t->park_pos)
		i++;
	VEC_CUT(&c->waits, i, 1);
	t->parked = 0;
	if (i == 0 && c->signals.n != 0)
		signals_remove(s, c, c->waits.n ? c->waits.at[0] : UINT64_MAX, false);
	if (c->waits.n == 0 && !s->objects.at[index].mapped)
		step_object_discard(s, index);
}

static void cond_request(struct steps *s, const struct event *e)
{
	struct object *o = step_object_get(s, e->addr, EVENT_OBJECT_CONDITION);

	step_object_use(s, e->addr);
	step_add(s, STEP_NONE, 0);
	step_object_visit(e, &o->cond.guests);
}

static void cond_park(struct steps *s, const struct event *e, struct step_thread *t)
{
	struct object *o;

	if (t->parked)
		cond_leave(s, t);
	o = step_object_get(s, e->addr, EVENT_OBJECT_CONDITION);
	step_add(s, STEP_PARK, e->flags & EVENT_TRY ? STEP_TRY : 0)->obj = o->cond.id;
	if (o->maker != 0 && o->maker != e->tid)
		step_after(s, o->made, chains_of(&s->chains, o->maker), 0);
	step_object_visit(e, &o->cond.guests);
	t->parked = (uint32_t)(o - s->objects.at) + 1;
	t->park_pos = e->pos;
	*VEC_PUSH(&o->cond.waits) = e->pos;
}

static struct cond_signal *signal_find(struct object_cond *c, const struct event *e)
{
	for (size_t i = c->signals.n; i > 0; i--) {
		struct cond_signal *g = &c->signals.at[i - 1];

		if (g->tid == e->peer && g->tseq == e->peer_tseq)
			return g;
	}
	return NULL;
}

static void cond_wake(struct steps *s, const struct event *e, struct step_thread *t)
{
	struct cond_signal *g = NULL;

	if (t->parked && e->peer != 0)
		g = signal_find(&s->objects.at[t->parked - 1].cond, e);
	if (g && g->pos > t->park_pos) {
		g->used = true;
		step_add(s, STEP_GET, 0)->obj = g->channel;
		step_guard(s, e->pos, t->park_pos, s->base.chain, g->pos, 0);
	} else {
		step_add(s, STEP_NONE, e->peer != 0 ? STEP_STOP : 0);
	}
	if (t->parked) {
		step_object_visit(e, &s->objects.at[t->parked - 1].cond.guests);
		cond_leave(s, t);
	}
}

void step_cond_event(struct steps *s, const struct event *e)
{
	switch (e->op) {
	case EVENT_COND_REQ:
		cond_request(s, e);
		break;
	case EVENT_PARK:
		cond_park(s, e, step_thread(s, e->tid));
		break;
	case EVENT_WAKE:
		cond_wake(s, e, step_thread(s, e->tid));
		break;
	default:
		cond_signal(s, e);
		break;
	}
}

/* ---- barriers ----
 *
 * All come in before one goes out, and all go out; but who is slow to go out may be overtaken by
 * the next round.  So a round is over when a later one has begun, hence no more come in, and as
 * many went out as came in.
 */

static void round_forget(struct steps *s, struct object_barrier *b, size_t i)
{
	step_channel_forget(s, b->rounds.at[i].channel);
	VEC_CUT(&b->rounds, i, 1);
}

static void rounds_limit(struct steps *s, struct object_barrier *b)
{
	for (size_t i = b->rounds.n; i-- > 0;)
		if (b->rounds.at[i].in == b->rounds.at[i].out)
			round_forget(s, b, i);
	if (b->rounds.n >= ROUNDS_MAX)
		round_forget(s, b, 0);
}

static size_t round_find(const struct object_barrier *b, uint64_t generation)
{
	size_t i = b->rounds.n;

	while (i > 0 && b->rounds.at[i - 1].generation != generation)
		i--;
	return i - 1; /* SIZE_MAX: none */
}

static void barrier_in(struct steps *s, const struct event *e, struct object_barrier *b)
{
	size_t i = round_find(b, e->arg);
	bool fresh = i == SIZE_MAX;

	if (fresh) {
		*VEC_PUSH(&b->rounds) = (struct barrier_round){ e->arg, step_channel_new(s), 0, 0 };
		i = b->rounds.n - 1;
	}
	b->rounds.at[i].in++;
	step_add(s, STEP_PUT, 0)->obj = b->rounds.at[i].channel;
	if (fresh)
		rounds_limit(s, b);
}

static void barrier_out(struct steps *s, const struct event *e, struct object_barrier *b)
{
	size_t i = round_find(b, e->arg);

	if (i == SIZE_MAX) {
		step_add(s, STEP_NONE, STEP_STOP);
		return;
	}
	step_add(s, STEP_GET, 0)->obj = b->rounds.at[i].channel;
	if (++b->rounds.at[i].out == b->rounds.at[i].in && i + 1 < b->rounds.n)
		round_forget(s, b, i);
}

void step_barrier_event(struct steps *s, const struct event *e)
{
	struct object *o = step_object_get(s, e->addr, EVENT_OBJECT_BARRIER);

	step_object_visit(e, &o->barrier.guests);
	if (e->op == EVENT_BAR_IN) {
		step_object_use(s, e->addr); /* who has left it may destroy it */
		barrier_in(s, e, &o->barrier);
	} else {
		barrier_out(s, e, &o->barrier);
	}
}

/* ---- semaphores ----
 *
 * POST, TAKE and ZERO are all there is to it, for those who count.  For the others: the first waits
 * take the initial value, then the i-th wait takes the i-th post.  That is more order than there
 * need be (STEP_PAIRED), and enough: with it no wait of any reordering finds zero.
 *
 * Without an init the initial value is taken as the least that explains the waits, so a
 * wait that finds no post left took part of it.
 *
 * A wait that failed found zero: all waits before it came before (then all posts before it have
 * been taken), and no later post comes before it.  Of each chain the last wait and the first post
 * say that for all.
 */

static void fails_guard(struct steps *s, const struct event *e, struct object_sem *m)
{
	uint32_t chain = s->base.chain;
	struct sem_posted *g;
	size_t i = 0;

	while (i < m->guard.n && m->guard.at[i].chain != chain)
		i++;
	VEC_REACH(&m->guard, i);
	g = &m->guard.at[i];
	g->chain = chain;
	for (; g->nfails < m->fails.n; g->nfails++) {
		struct step_point f = m->fails.at[g->nfails];

		if (f.chain != chain)
			step_guard(s, f.pos, f.pos, f.chain, e->pos, STEP_PAIRED);
	}
}

/* As far as it is known: without an init, more may have been there all the time. */
static uint32_t sem_value(const struct object_sem *m)
{
	uint64_t value = m->credit + (m->posts.n - m->head) + m->untold;

	return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

static void sem_step(struct steps *s, const struct object_sem *m, enum step_op op, unsigned flags)
{
	struct step *st = step_add(s, op, flags);

	st->obj = m->id;
	st->other = sem_value(m);
}

static void sem_post(struct steps *s, const struct event *e, struct object_sem *m)
{
	sem_step(s, m, STEP_POST, 0);
	if (m->untold != 0 || m->posts.n - m->head >= POSTS_MAX) {
		m->untold++;
	} else {
		*VEC_PUSH(&m->posts) = step_channel_new(s);
		step_add(s, STEP_PUT, 0)->obj = m->posts.at[m->posts.n - 1];
	}
	if (m->fails.n != 0)
		fails_guard(s, e, m);
}

/* The oldest post not taken; the list moves down when half of it is behind. */
static uint32_t post_take(struct object_sem *m)
{
	uint32_t channel = m->posts.at[m->head++];

	if (m->head * 2 >= m->posts.n) {
		VEC_CUT(&m->posts, 0, m->head);
		m->head = 0;
	}
	return channel;
}

static void wait_note(struct object_sem *m, uint32_t chain, uint64_t pos)
{
	size_t i = 0;

	while (i < m->waits.n && m->waits.at[i].chain != chain)
		i++;
	VEC_REACH(&m->waits, i);
	m->waits.at[i] = (struct step_point){ chain, pos };
}

static void sem_wait(struct steps *s, const struct event *e, struct object_sem *m)
{
	bool stops = m->credit == 0 && m->head == m->posts.n && (m->untold != 0 || m->known);

	wait_note(m, s->base.chain, e->pos);
	sem_step(s, m, STEP_TAKE, stops ? STEP_STOP : 0);
	if (m->credit != 0) {
		m->credit--;
	} else if (m->head < m->posts.n) {
		uint32_t channel = post_take(m);

		step_add(s, STEP_GET, STEP_PAIRED)->obj = channel;
		step_channel_forget(s, channel);
	} else if (m->untold != 0) {
		m->untold--;
	}
}

static void sem_fail(struct steps *s, const struct event *e, struct object_sem *m)
{
	if (e->flags & EVENT_REFUSED) {
		step_add(s, STEP_NONE, STEP_STOP);
		return;
	}
	/* A post is logged before it is made, so a wait may fail with one in the log. */
	if (m->credit != 0 || m->head < m->posts.n || m->untold != 0 || m->fails.n >= FAILS_MAX ||
	    m->waits.n > CHAINS_MAX) {
		sem_step(s, m, STEP_ZERO, STEP_STOP);
		return;
	}
	m->known = true; /* it is zero now */
	*VEC_PUSH(&m->fails) = (struct step_point){ s->base.chain, e->pos };
	sem_step(s, m, STEP_ZERO, 0);
	for (size_t i = 0; i < m->waits.n; i++)
		if (m->waits.at[i].chain != s->base.chain)
			step_after(s, m->waits.at[i].pos, m->waits.at[i].chain, STEP_PAIRED);
}

void step_sem_event(struct steps *s, const struct event *e)
{
	struct object_sem *m = &step_object_get(s, e->addr, EVENT_OBJECT_SEMAPHORE)->sem;

	step_object_use(s, e->addr);
	switch (e->op) {
	case EVENT_SEM_POST:
		sem_post(s, e, m);
		break;
	case EVENT_SEM_WAIT:
		sem_wait(s, e, m);
		break;
	default:
		sem_fail(s, e, m);
		break;
	}
}

/* ---- onces, channels ----
 *
 * All that was given so far comes before what takes it.
 */

/* otherwise: flags of what takes where nothing was given. */
static void once_turn(struct steps *s, struct object_once *o, bool gives, unsigned otherwise)
{
	if (gives && !o->done) {
		o->channel = step_channel_new(s);
		o->done = true;
	}
	if (o->done)
		step_add(s, gives ? STEP_PUT : STEP_GET, 0)->obj = o->channel;
	else
		step_add(s, STEP_NONE, otherwise);
}

/* A begin after an end: that one gave up, and this is the next to try. */
void step_once_event(struct steps *s, const struct event *e)
{
	once_turn(s, &step_object_get(s, e->addr, EVENT_OBJECT_ONCE)->once, e->op == EVENT_ONCE_END,
		  e->op == EVENT_ONCE_PASS ? STEP_STOP : 0);
}

void step_channel_event(struct steps *s, const struct event *e)
{
	once_turn(s, &step_object_get(s, e->addr, EVENT_OBJECT_CHANNEL)->once, e->op == EVENT_GIVE,
		  0);
}
