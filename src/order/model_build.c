/*
 * Taking in steps: events, edges and held locks as they come.
 *
 * What needs the whole run (cells, for splits look back; lists) is left to model_settle.c.
 * Everything here is append-only but for the current event, the last of b->events.
 */

#include "order/model_priv.h"

#define LIMIT (UINT32_MAX - 16)

static struct model_event *current(struct model_build *b)
{
	return &b->events.at[b->events.n - 1];
}

/* Event `pred' comes before the current one.  Of its preds the paired ones come last. */
static void pred_add(struct model *m, uint32_t pred, bool paired)
{
	struct model_priv *p = m->priv;
	struct model_build *b = p->build;
	struct model_event *e = current(b);
	struct model_edges *row;

	assert(pred <= m->n);
	if (pred == 0 || b->events.at[pred].chain == e->chain)
		return;
	if (!(e->flags & MODEL_HAS_PREDS)) {
		e->flags |= MODEL_HAS_PREDS;
		*VEC_PUSH(&p->edges) =
			(struct model_edges){ m->n, (uint32_t)p->preds.n, (uint32_t)p->preds.n };
	}
	row = &p->edges.at[p->edges.n - 1];
	for (size_t i = row->first; i < p->preds.n; i++)
		if (p->preds.at[i] == pred && (paired || i < row->paired))
			return;
	*VEC_PUSH(&p->preds) = pred;
	m->has_pairs |= paired;
	if (paired)
		return;
	p->preds.at[p->preds.n - 1] = p->preds.at[row->paired];
	p->preds.at[row->paired++] = pred;
}

/* Forks of a chain wait here until it moves, or is joined without having moved. */
static void forks_take(struct model *m, uint32_t chain, bool remove)
{
	struct model_build *b = m->priv->build;
	size_t n = 0;

	for (size_t i = 0; i < b->forks.n; i++) {
		if (b->forks.at[i].chain == chain)
			pred_add(m, b->forks.at[i].event, false);
		if (b->forks.at[i].chain != chain || !remove)
			b->forks.at[n++] = b->forks.at[i];
	}
	b->forks.n = n;
	if (remove)
		b->chains.at[chain].forks = 0;
}

static void fork_take(struct model *m, uint32_t chain)
{
	struct model_build *b = m->priv->build;

	VEC_REACH(&b->chains, chain);
	b->chains.at[chain].forks++;
	*VEC_PUSH(&b->forks) = (struct model_fork){ chain, m->n };
}

static void join_take(struct model *m, uint32_t chain)
{
	struct model_build *b = m->priv->build;

	VEC_REACH(&b->chains, chain);
	pred_add(m, b->chains.at[chain].last, false);
	if (b->chains.at[chain].forks != 0)
		forks_take(m, chain, false);
}

static void put_take(struct model *m, uint32_t channel)
{
	struct model_build *b = m->priv->build;
	uint32_t chain = current(b)->chain, index;

	VEC_REACH(&b->channels, channel);
	for (uint32_t i = b->channels.at[channel]; i != 0; i = b->puts.at[i - 1].next) {
		if (b->puts.at[i - 1].chain == chain) {
			b->puts.at[i - 1].event = m->n;
			return;
		}
	}
	index = (uint32_t)VEC_TAKE(&b->puts, &b->unused_puts);
	b->puts.at[index] = (struct model_put){ chain, m->n, b->channels.at[channel] };
	b->channels.at[channel] = index + 1;
}

static void get_take(struct model *m, uint32_t channel, bool paired)
{
	struct model_build *b = m->priv->build;

	VEC_REACH(&b->channels, channel);
	for (uint32_t i = b->channels.at[channel]; i != 0; i = b->puts.at[i - 1].next)
		pred_add(m, b->puts.at[i - 1].event, paired);
}

static void channel_forget(struct model_build *b, uint32_t channel)
{
	VEC_REACH(&b->channels, channel);
	for (uint32_t i = b->channels.at[channel]; i != 0; i = b->puts.at[i - 1].next)
		*VEC_PUSH(&b->unused_puts) = i - 1;
	b->channels.at[channel] = 0;
}

/* 0 when it lies before the model. */
static uint32_t id_at(const struct model *m, uint64_t pos)
{
	assert(pos <= m->base + m->n);
	return pos > m->base ? (uint32_t)(pos - m->base) : 0;
}

static void guard_take(struct model *m, const struct step *s)
{
	struct model_build *b = m->priv->build;
	struct model_guard g = { id_at(m, s->when), id_at(m, s->from), id_at(m, s->to),
				 s->flags & STEP_PAIRED };

	/* What lies before the model has happened in the observed order, which keeps all guards. */
	if (g.when == 0 || g.from == 0 || g.to == 0)
		return;
	*VEC_PUSH(&b->guards) = g;
	b->events.at[g.when].flags |= MODEL_HAS_GUARDS;
	b->events.at[g.from].flags |= MODEL_HAS_GUARDS;
	b->events.at[g.to].flags |= MODEL_HAS_GUARDS;
}

static void reach(uint32_t *count, uint32_t id)
{
	*count = id >= *count ? id + 1 : *count;
}

/* The edges a step brings to the current event. */
static void edge_take(struct model *m, const struct step *s)
{
	switch (s->op) {
	case STEP_FORK:
		fork_take(m, s->obj);
		break;
	case STEP_JOIN:
		join_take(m, s->obj);
		break;
	case STEP_PUT:
		put_take(m, s->obj);
		break;
	case STEP_GET:
		get_take(m, s->obj, s->flags & STEP_PAIRED);
		break;
	case STEP_AFTER:
		pred_add(m, id_at(m, s->from), s->flags & STEP_PAIRED);
		break;
	case STEP_GUARD:
		guard_take(m, s);
		break;
	case STEP_LOOSE:
		VEC_REACH(&m->priv->build->loose, s->obj);
		m->priv->build->loose.at[s->obj] = true;
		reach(&m->nlocks, s->obj);
		break;
	default:
		break;
	}
}

static void lock_take(struct model *m, const struct step *s, struct model_thread *t)
{
	struct model_build *b = m->priv->build;
	bool shared = s->op == STEP_RACQ || s->op == STEP_RREL;
	uint32_t acquire;

	reach(&m->nlocks, s->obj);
	if (s->flags & STEP_RENEWS) {
		current(b)->partner = m->n;
		return;
	}
	if (s->op == STEP_ACQ || s->op == STEP_RACQ) {
		t->hold = model_hold_push(m, t->hold, m->n, s->obj, shared);
		return;
	}
	t->hold = model_hold_drop(m, t->hold, s->obj, shared, &acquire);
	if (acquire != 0) {
		current(b)->partner = acquire;
		b->events.at[acquire].partner = m->n;
	}
}

static void cells_take(struct model *m, const uint32_t *cells, uint32_t n)
{
	struct model_build *b = m->priv->build;

	VEC_RESERVE(&b->cells, b->cells.n + n);
	for (uint32_t i = 0; i < n; i++) {
		b->cells.at[b->cells.n + i] = cells[i];
		reach(&m->ncells, cells[i]);
	}
	b->cells.n += n;
}

static void value_take(struct model *m, const struct step_batch *batch, const struct step *s)
{
	struct model_priv *p = m->priv;
	size_t n = s->op == STEP_RMW ? (size_t)s->len * 2 : s->len;
	struct model_bytes v = { s->addr, 0, s->len };

	VEC_REACH(&p->values, m->n);
	if (s->value != 0) {
		v.first = p->bytes.n + 1;
		VEC_APPEND(&p->bytes, batch->bytes + s->value - 1, n);
	}
	p->values.at[m->n] = v;
}

static bool is_full(struct model *m, const struct step *s)
{
	struct model_build *b = m->priv->build;

	b->full |= m->n >= b->limit || b->cells.n + s->ncells >= LIMIT ||
		   b->feeds.n + s->nfeeds > LIMIT;
	return b->full;
}

/* Makes the current event, without what it is about. */
static struct model_thread *event_begin(struct model *m, const struct step *s)
{
	struct model_build *b = m->priv->build;
	bool has_peer = s->op == STEP_FORK || s->op == STEP_JOIN || s->op == STEP_JOINING;
	struct model_thread *t;
	struct model_chain *c;
	uint32_t id;

	if (m->n == 0)
		m->base = s->pos - 1;
	id = ++m->n;
	assert(s->pos == m->base + id);
	VEC_REACH(&b->threads, s->tid);
	VEC_REACH(&b->chains, s->chain);
	t = &b->threads.at[s->tid];
	c = &b->chains.at[s->chain];
	if (t->last == 0)
		t->first = s->tseq;
	*VEC_PUSH(&b->events) = (struct model_event){
		.chain = s->chain,
		.index = c->n++,
		.tid = s->tid,
		.obj = s->obj,
		.partner = has_peer ? s->other : 0,
		.hold = t->hold,
		.touch = (uint32_t)b->cells.n,
		.feed = (uint32_t)b->feeds.n,
		.site = s->site,
		.stack = s->stack,
		.flags = s->flags,
		.op = s->op,
		.calls = b->calls,
	};
	b->calls = 0;
	c->last = id;
	if (c->forks != 0)
		forks_take(m, s->chain, true);
	return t;
}

/* What a semaphore held when the model began: what it has at its first event, and each wait that
 * finds nothing where nobody told the initial value shows one more. */
static void sem_take(struct model *m, const struct step *s)
{
	struct model_build *b = m->priv->build;
	struct model_sem_count *c;

	VEC_REACH(&b->sems, s->obj);
	c = &b->sems.at[s->obj];
	if (!c->met) {
		c->met = true;
		c->first = c->now = s->other;
	}
	if (s->flags & STEP_STOP)
		return;
	if (s->op == STEP_TAKE && c->now == 0)
		c->first++;
	else if (s->op == STEP_TAKE)
		c->now--;
	else if (s->op == STEP_POST)
		c->now++;
}

/* ---- feeds: from numbers of reads (tseq) to event ids ----
 *
 * Simplest: a table of all events by (tid, tseq).  Only free reads matter, so each thread has a
 * list of its own, ascending; a number that is not in it belongs to an event whose value is
 * bound anyway, and is dropped.  The exception is a number from before the thread's
 * first event here: what it read is not known, and feed 0 says so.
 *
 * A ranged read has one number for each word, and may come as several events ("pieces") when
 * other threads got in between; a feed names the first number and means all of them.
 * Pieces follow each other in the thread, in numbers and in addresses.  Where two reads of one
 * location only look like pieces the feed gets larger than it was, which is safe.
 */

static uint32_t words(uint64_t addr, uint32_t len)
{
	return (uint32_t)(((addr & 7) + len + 7) >> 3);
}

/* The event may be what feeds a later one. */
static void feed_note(struct model *m, const struct step *s, uint32_t id)
{
	struct model_thread *t = &m->priv->build->threads.at[s->tid];
	struct model_free_read r = { s->tseq, s->addr + s->len, id, words(s->addr, s->len), s->site,
				     false };

	if ((s->op != STEP_READ && s->op != STEP_RMW) || (s->flags & STEP_SHADOW) ||
	    (!(s->flags & STEP_FREE_READ) && s->ntests == 0))
		return;
	m->has_facts = true;
	if (t->reads.n != 0) {
		struct model_free_read *p = &t->reads.at[t->reads.n - 1];

		p->goes_on = p->id == t->last && p->end == s->addr && (s->addr & 7) == 0 &&
			     p->tseq + p->words == s->tseq && p->site == s->site;
	}
	*VEC_PUSH(&t->reads) = r;
}

/* The last of the thread's free reads that begins at or before this number; -1 none. */
static ptrdiff_t read_find(const struct model_thread *t, uint64_t tseq)
{
	size_t high = t->reads.n;

	/* Most feeds name what was read just now. */
	for (int near = 0; near < 4 && high != 0; near++, high--)
		if (t->reads.at[high - 1].tseq <= tseq)
			return (ptrdiff_t)high - 1;
	return (ptrdiff_t)SEARCH_PAST(i, 0, high, t->reads.at[i].tseq <= tseq) - 1;
}

static void feed_add(struct model_build *b, const struct model_thread *t, uint64_t tseq,
		     uint64_t own)
{
	ptrdiff_t i = read_find(t, tseq);

	if (tseq < t->first || tseq > own) {
		*VEC_PUSH(&b->feeds) = 0;
		return;
	}
	if (i < 0 || tseq - t->reads.at[i].tseq >= t->reads.at[i].words)
		return;
	do {
		*VEC_PUSH(&b->feeds) = t->reads.at[i].id;
	} while (t->reads.at[i++].goes_on);
}

static void feeds_take(struct model *m, const struct step_batch *batch, const struct step *s)
{
	struct model_build *b = m->priv->build;
	const struct model_thread *t = &b->threads.at[s->tid];
	size_t first = b->feeds.n;

	for (uint32_t i = 0; i < s->nfeeds; i++)
		feed_add(b, t, batch->feeds[s->feeds + i], s->tseq);
	if (b->feeds.n > first + 1)
		b->feeds.n = first + sort_once(b->feeds.at + first, b->feeds.n - first);
}

static void tests_take(struct model *m, const struct step_batch *batch, const struct step *s)
{
	struct model_build *b = m->priv->build;
	const struct model_thread *t = &b->threads.at[s->tid];

	for (uint32_t i = 0; i < s->ntests; i++) {
		const struct step_test *test = &batch->tests[s->tests + i];
		ptrdiff_t read = read_find(t, test->tseq);

		/* What is not a read of its own is left as a feed. */
		if (read >= 0 && t->reads.at[read].tseq == test->tseq &&
		    t->reads.at[read].words == 1 && !t->reads.at[read].goes_on)
			*VEC_PUSH(&b->tests) =
				(struct model_test){ t->reads.at[read].id, m->n, test->is };
	}
}

/* ---- all ---- */

static void event_take(struct model *m, const struct step_batch *batch, const struct step *s)
{
	struct model_thread *t = event_begin(m, s);

	if (step_is_life(s))
		cells_take(m, &s->life, 1);
	if (step_is_access(s)) {
		m->has_accesses = true;
		cells_take(m, step_cells(batch, s), s->ncells);
		if (m->has_values)
			value_take(m, batch, s);
		feed_note(m, s, m->n);
	} else if (s->op >= STEP_ACQ && s->op <= STEP_RREL) {
		lock_take(m, s, t);
	} else {
		edge_take(m, s);
		if (s->op == STEP_REQ || s->op == STEP_RREQ || s->op == STEP_BUSY)
			reach(&m->nlocks, s->obj);
		if (s->op >= STEP_POST && s->op <= STEP_ZERO)
			sem_take(m, s);
	}
	if (s->nfeeds != 0)
		feeds_take(m, batch, s);
	if (s->ntests != 0 && m->has_values)
		tests_take(m, batch, s);
	t->last = m->n;
}

static void split_take(struct model *m, const struct step *s)
{
	struct model_build *b = m->priv->build;

	VEC_REACH(&b->split_of, s->obj);
	*VEC_PUSH(&b->splits) = (struct model_split){ s->addr, (uint32_t)b->cells.n, s->other,
						      b->split_of.at[s->obj] };
	b->split_of.at[s->obj] = (uint32_t)b->splits.n;
	reach(&m->ncells, s->other);
}

bool model_take(struct model *m, const struct step_batch *batch)
{
	struct model_build *b = m->priv->build;

	for (size_t i = 0; i < batch->n && !b->full; i++) {
		const struct step *s = &batch->at[i];

		if (s->op == STEP_SPLIT)
			split_take(m, s);
		else if (s->op == STEP_FORGET)
			channel_forget(b, s->obj);
		else if (s->op == STEP_DROP)
			continue;
		else if (s->op == STEP_LEFT || s->op == STEP_ENTERED)
			b->calls |= s->op == STEP_LEFT ? MODEL_LEFT : MODEL_ENTERED;
		else if (s->flags & STEP_MORE)
			edge_take(m, s);
		else if (!is_full(m, s))
			event_take(m, batch, s);
	}
	return !b->full;
}

void model_build_free(struct model_build *b)
{
	if (b == NULL)
		return;
	for (size_t i = 0; i < b->threads.n; i++)
		VEC_RELEASE(&b->threads.at[i].reads);
	VEC_RELEASE_ALL(&b->events, &b->cells, &b->feeds, &b->holds, &b->guards, &b->threads,
			&b->chains, &b->forks, &b->channels, &b->puts, &b->unused_puts,
			&b->split_of, &b->splits, &b->scratch, &b->loose, &b->sems, &b->tests);
	mem_free(b);
}
