/*
 * Blocks that are not serialisable in the observed run (AeroDrome: Mathur and Viswanathan, ASPLOS
 * 2020).
 *
 * The reference model is a graph.  Its nodes are the blocks, each outermost one whole, and every
 * other event alone; a -> b where something in a came before something in b and
 *
 *	both are of one thread
 *	both touch a cell and one of them writes, atomics and free reads too
 *	fork -> child, child -> join, put -> get
 *	release -> acquire of one lock, unless both only read (not for aerodrome-data)
 *
 * Two sections of a block with one of another thread in between are a circle, whatever they do; aerodrome-data
 * asks whether that does anything to the data (tests/cases/atomicity/a04_lock_edges_only.case).
 *
 * A block on a circle cannot have run as if it were alone.  A block ends where its thread waits for a
 * condition, and begins anew when that wakes: somebody else has to run there.
 *
 * Instead of the graph, clocks.  C[t] is what chain t knows; B[t] is t's own time when its block
 * began.  Before t learns v it looks whether v knows some of t's own block: B[t] <= v[t] says that a
 * path leads from the block out and back.  What others learnt in the middle of a block misses what
 * the block has learnt since, so at its end the chains that know some of it learn all of it
 * (block_end).  Every report is a path of the graph, so all of them are real; a circle may be told late, at
 * an end (tests/cases/atomicity/a11_told_late.case), and a block on several once.
 *
 * A clock does not change at a time at which it was handed out: a chain's time goes on before that.
 * So "u's time 7 is known" still says that all that u knew at 7 is known (order/stamp.h), and times
 * grow with what is learnt, not with events.
 *
 * Cells, locks and channels may know some of a block, too, and stay as they are at its end: who learns
 * from them looks which blocks they know some of, and learns the rest (lane_learn).  A chain's clock is
 * never in want of that, so what it knows by the time alone needs no look.  For this the
 * clocks that blocks ended with are kept, until they are more than what may know of them; then all that may want
 * them is brought up to date at once (marks_settle), which costs little for each block.
 */

#include "compare/stream_priv.h"

enum mark_kind { MARK_CELL, MARK_LOCK, MARK_CHANNEL, MARK_KINDS };

struct mark_reader {
	struct stamp at;
	uint32_t chain;
};

/* What a cell, a lock or a channel hands on.  A channel has readers only: its puts. */
struct mark {
	struct stamp write;		 /* the last write, or release */
	uint32_t writer;		 /* 1 + chain; 0: none yet */
	VEC(struct mark_reader) readers; /* since: the latest read, or release, of each chain */
};

/* A block that was over when somebody knew some of it: [begin, at.time) are its chain's times. */
struct ended {
	uint32_t begin;
	struct stamp at; /* all of it */
};

/* A chain and the block that it is in. */
struct lane {
	struct stamp now;
	bool shown; /* somebody has it as it is now */
	uint32_t tid;
	uint32_t depth;	   /* of blocks in blocks; a call of an atomic function is one of them */
	bool called;	   /* there is such a call */
	bool open;	   /* it is in a block, and no condition wait has ended that */
	bool told;	   /* of this block */
	uint32_t begin;	   /* B: time */
	struct seen first; /* its BEGIN */
	VEC(struct ended) ended; /* in their order, since marks_settle */
};

struct aerodrome {
	bool locks; /* they make an order */
	struct stamps stamps;
	VEC(struct lane) lanes;
	struct {
		VEC(struct mark) at;
	} marks[MARK_KINDS];
	VEC(uint32_t) enders;  /* chains that have `ended' */
	size_t nended;	       /* of all chains */
	size_t nmarks;	       /* of all kinds */
	const struct step *at; /* the step at hand, or the last one */
	struct step last;      /* the last of the batch before */
	struct pairs pairs;
};

void *aerodrome_begin(const struct engine *e, const struct engine_options *opt)
{
	struct aerodrome *self = mem_zalloc(sizeof(*self));

	stamps_init(&self->stamps);
	self->locks = e == &engine_aerodrome;
	self->at = &self->last;
	self->pairs = (struct pairs){
		.engine = e,
		.kind = FINDING_ATOMICITY,
		.why = "the recorded run shows it; no other run was looked for",
		.all = opt->all_pairs,
	};
	return self;
}

static void lanes_grow(struct aerodrome *self, uint32_t chain)
{
	while (self->lanes.n <= chain) {
		uint32_t c = (uint32_t)self->lanes.n;

		*VEC_PUSH(&self->lanes) = (struct lane){ .now = { .chain = c, .time = 1 } };
	}
}

static inline struct lane *lane_of(struct aerodrome *self, uint32_t chain)
{
	if (chain >= self->lanes.n)
		lanes_grow(self, chain);
	return &self->lanes.at[chain];
}

/* ---- clocks ---- */

static void block_tell(struct aerodrome *self, struct lane *l)
{
	struct seen e = seen_make(self->at, 0);

	if (l->told)
		return;
	l->told = true;
	past_pairs_add(&self->pairs, &l->first, &e);
}

/* All of the block of chain u of which some, but not all, is known at u's time; NULL: there is none. */
static const struct stamp *rest_of(const struct aerodrome *self, uint32_t u, uint32_t time)
{
	const struct lane *l = &self->lanes.at[u];
	size_t n = l->ended.n;

	if (n == 0 || time >= l->ended.at[n - 1].at.time)
		return NULL;
	n = SEARCH_PAST(i, 0, n, l->ended.at[i].begin <= time);
	return n > 0 && time < l->ended.at[n - 1].at.time ? &l->ended.at[n - 1].at : NULL;
}

/* The chain comes after what v knows, and after the rest of each block that is over and that v knows
 * some of. */
static void lane_learn(struct aerodrome *self, struct lane *l, const struct stamp *v)
{
	if (l->open && stamp_at(v, l->now.chain) >= l->begin)
		block_tell(self, l);
	if (stamp_leq(&self->stamps, v, &l->now))
		return;
	for (size_t i = 0; i < self->enders.n; i++) {
		uint32_t u = self->enders.at[i], time = stamp_at(v, u);
		const struct stamp *rest = NULL;

		if (time > stamp_at(&l->now, u))
			rest = rest_of(self, u, time);
		if (rest)
			lane_learn(self, l, rest);
	}
	assert(l->now.time < UINT32_MAX - 1);
	l->now.time += l->shown;
	l->shown = false;
	stamp_join(&self->stamps, &l->now, v);
}

/* ---- marks ---- */

static void marks_grow(struct aerodrome *self, enum mark_kind kind, uint32_t id)
{
	size_t n = self->marks[kind].at.n;

	VEC_REACH(&self->marks[kind].at, id);
	self->nmarks += self->marks[kind].at.n - n;
}

static inline struct mark *mark_of(struct aerodrome *self, enum mark_kind kind, uint32_t id)
{
	if (id >= self->marks[kind].at.n)
		marks_grow(self, kind, id);
	return &self->marks[kind].at.at[id];
}

static void mark_write(struct aerodrome *self, struct mark *m, struct lane *l)
{
	for (size_t i = 0; i < m->readers.n; i++)
		stamp_clear(&self->stamps, &m->readers.at[i].at);
	VEC_CLEAR(&m->readers);
	if (m->write.frame != l->now.frame || m->write.chain != l->now.chain ||
	    m->write.time != l->now.time)
		stamp_set(&self->stamps, &m->write, &l->now);
	m->writer = l->now.chain + 1;
	l->shown = true;
}

static void mark_read(struct aerodrome *self, struct mark *m, struct lane *l)
{
	size_t i = 0;

	while (i < m->readers.n && m->readers.at[i].chain != l->now.chain)
		i++;
	if (i == m->readers.n)
		*VEC_PUSH(&m->readers) = (struct mark_reader){ .chain = l->now.chain };
	stamp_set(&self->stamps, &m->readers.at[i].at, &l->now);
	l->shown = true;
}

/* After the last write; what a chain hands to itself is no way out of its block. */
static void after_write(struct aerodrome *self, const struct mark *m, struct lane *l)
{
	if (m->writer != 0 && m->writer != l->now.chain + 1)
		lane_learn(self, l, &m->write);
}

static void after_reads(struct aerodrome *self, const struct mark *m, struct lane *l)
{
	for (size_t i = 0; i < m->readers.n; i++)
		if (m->readers.at[i].chain != l->now.chain)
			lane_learn(self, l, &m->readers.at[i].at);
}

static void mark_clear(struct aerodrome *self, struct mark *m)
{
	stamp_clear(&self->stamps, &m->write);
	for (size_t i = 0; i < m->readers.n; i++)
		stamp_clear(&self->stamps, &m->readers.at[i].at);
	VEC_CLEAR(&m->readers);
	m->writer = 0;
}

static void mark_drop(struct aerodrome *self, enum mark_kind kind, uint32_t id)
{
	if (id < self->marks[kind].at.n)
		mark_clear(self, &self->marks[kind].at.at[id]);
}

static void cell_split(struct aerodrome *self, uint32_t from, uint32_t to)
{
	struct mark *a, *b;

	mark_of(self, MARK_CELL, from > to ? from : to);
	a = mark_of(self, MARK_CELL, from);
	b = mark_of(self, MARK_CELL, to);
	mark_clear(self, b);
	b->writer = a->writer;
	stamp_set(&self->stamps, &b->write, &a->write);
	for (size_t i = 0; i < a->readers.n; i++) {
		*VEC_PUSH(&b->readers) = (struct mark_reader){ .chain = a->readers.at[i].chain };
		stamp_set(&self->stamps, &b->readers.at[i].at, &a->readers.at[i].at);
	}
}

/* It comes after the rest of each block that is over and that it knows some of. */
static void stamp_settle(struct aerodrome *self, struct stamp *s)
{
	for (size_t i = 0; i < self->enders.n; i++) {
		uint32_t u = self->enders.at[i];
		const struct stamp *rest = rest_of(self, u, stamp_at(s, u));

		if (!rest)
			continue;
		if (stamp_leq(&self->stamps, s, rest))
			stamp_set(&self->stamps, s, rest);
		else
			stamp_collect(&self->stamps, s, rest);
		i = SIZE_MAX; /* all again: it knows more now */
	}
}

/* The ended blocks can go: nobody knows some of one and not all. */
static void marks_settle(struct aerodrome *self)
{
	for (int k = 0; k < MARK_KINDS; k++)
		for (size_t i = 0; i < self->marks[k].at.n; i++) {
			struct mark *m = &self->marks[k].at.at[i];

			stamp_settle(self, &m->write);
			for (size_t r = 0; r < m->readers.n; r++)
				stamp_settle(self, &m->readers.at[r].at);
		}
	for (size_t i = 0; i < self->enders.n; i++) {
		struct lane *l = &self->lanes.at[self->enders.at[i]];

		for (size_t k = 0; k < l->ended.n; k++)
			stamp_clear(&self->stamps, &l->ended.at[k].at);
		VEC_CLEAR(&l->ended);
	}
	VEC_CLEAR(&self->enders);
	self->nended = 0;
}

/* ---- blocks ---- */

static void block_begin(struct lane *l)
{
	l->now.time++;
	l->shown = false;
	l->begin = l->now.time;
	l->told = false;
	l->open = true;
}

/* Whoever knows some of the block comes after all of it: chains at once. */
static void block_end(struct aerodrome *self, struct lane *l)
{
	struct ended *e;

	l->open = false;
	l->shown = true;
	if (l->now.time == l->begin)
		return; /* nothing was learnt since somebody came to know of it */
	for (uint32_t u = 0; u < self->lanes.n; u++) {
		struct lane *o = &self->lanes.at[u];

		if (o != l && stamp_at(&o->now, l->now.chain) >= l->begin)
			lane_learn(self, o, &l->now);
	}
	if (l->ended.n == 0)
		*VEC_PUSH(&self->enders) = l->now.chain;
	e = VEC_PUSH(&l->ended);
	*e = (struct ended){ .begin = l->begin };
	stamp_set(&self->stamps, &e->at, &l->now);
	if (++self->nended > self->nmarks)
		marks_settle(self);
}

/* Before the first step of an event. */
static struct lane *lane_enter(struct aerodrome *self, const struct step *s)
{
	struct lane *l = lane_of(self, s->chain);

	if (l->tid != s->tid) {
		if (l->open)
			block_end(self, l);
		l->depth = l->called = 0;
		l->tid = s->tid;
	}
	if (l->depth > 0 && !l->open && !(s->flags & STEP_MORE))
		block_begin(l);
	return l;
}

/* ---- steps ---- */

static void access_step(struct aerodrome *self, const struct step_batch *b, const struct step *s,
			struct lane *l)
{
	const uint32_t *cells = step_cells(b, s);

	for (uint32_t i = 0; i < s->ncells; i++) {
		const struct mark *m = mark_of(self, MARK_CELL, cells[i]);

		after_write(self, m, l);
		if (s->op != STEP_READ)
			after_reads(self, m, l);
	}
	for (uint32_t i = 0; i < s->ncells; i++) {
		struct mark *m = &self->marks[MARK_CELL].at.at[cells[i]];

		if (s->op == STEP_READ)
			mark_read(self, m, l);
		else
			mark_write(self, m, l);
	}
}

static void lock_step(struct aerodrome *self, const struct step *s, struct lane *l)
{
	struct mark *m = mark_of(self, MARK_LOCK, s->obj);

	if (stream_is_destroy(s))
		return;
	switch (s->op) {
	case STEP_ACQ:
		after_reads(self, m, l);
		after_write(self, m, l);
		return;
	case STEP_RACQ:
		after_write(self, m, l);
		return;
	case STEP_REL:
		mark_write(self, m, l);
		return;
	default:
		mark_read(self, m, l);
	}
}

static void channel_step(struct aerodrome *self, const struct step *s, struct lane *l)
{
	struct mark *m = mark_of(self, MARK_CHANNEL, s->obj);

	if (s->op == STEP_GET)
		after_reads(self, m, l);
	else
		mark_read(self, m, l);
}

/* Lanes may move. */
static void thread_step(struct aerodrome *self, const struct step *s)
{
	struct lane *me, *child;

	lane_of(self, s->chain > s->obj ? s->chain : s->obj);
	me = lane_of(self, s->chain);
	child = lane_of(self, s->obj);
	if (s->op == STEP_FORK) {
		lane_learn(self, child, &me->now);
		me->shown = true;
		return;
	}
	if (child->tid != s->other)
		return; /* it did nothing: there is no way over it */
	if (child->open)
		block_end(self, child);
	child->depth = child->called = 0;
	lane_learn(self, me, &child->now);
	child->shown = true;
}

static void other_step(struct aerodrome *self, const struct step *s, struct lane *l)
{
	switch (s->op) {
	case STEP_ACQ:
	case STEP_RACQ:
	case STEP_REL:
	case STEP_RREL:
		if (self->locks)
			lock_step(self, s, l);
		break;
	case STEP_FORK:
	case STEP_JOIN:
		thread_step(self, s);
		break;
	case STEP_PUT:
	case STEP_GET:
		channel_step(self, s, l);
		break;
	case STEP_ENTERED:
		l->called = true;
		/* fall through */
	case STEP_BEGIN:
		if (l->depth++ > 0)
			break;
		l->first = seen_make(s, 0);
		block_begin(l);
		break;
	case STEP_LEFT:
		if (!l->called)
			break;
		l->called = false;
		if (--l->depth == 0 && l->open)
			block_end(self, l);
		break;
	case STEP_END:
		if (l->depth > l->called && --l->depth == 0)
			block_end(self, l);
		break;
	case STEP_PARK:
		if (l->open)
			block_end(self, l);
		break;
	default:
		break;
	}
}

void aerodrome_steps(void *arg, const struct step_batch *b)
{
	struct aerodrome *self = arg;

	for (size_t i = 0; i < b->n; i++) {
		const struct step *s = &b->at[i];
		struct lane *l;

		if (s->op == STEP_SPLIT) {
			cell_split(self, s->obj, s->other);
			continue;
		}
		if (s->op == STEP_DROP || s->op == STEP_FORGET) {
			mark_drop(self, s->op == STEP_DROP ? MARK_CELL : MARK_CHANNEL, s->obj);
			continue;
		}
		self->at = s;
		l = lane_enter(self, s);
		if (step_is_access(s))
			access_step(self, b, s, l);
		else
			other_step(self, s, l);
	}
	self->last = *self->at;
	self->at = &self->last;
}

void aerodrome_end(void *arg, struct engine_result *out)
{
	struct aerodrome *self = arg;

	for (size_t i = 0; i < self->lanes.n; i++)
		if (self->lanes.at[i].open)
			block_end(self, &self->lanes.at[i]);
	past_pairs_end(&self->pairs, out);
	for (int k = 0; k < MARK_KINDS; k++) {
		for (size_t i = 0; i < self->marks[k].at.n; i++)
			VEC_RELEASE(&self->marks[k].at.at[i].readers);
		VEC_RELEASE(&self->marks[k].at);
	}
	for (size_t i = 0; i < self->lanes.n; i++)
		VEC_RELEASE(&self->lanes.at[i].ended);
	VEC_RELEASE_ALL(&self->lanes, &self->enders);
	stamps_release(&self->stamps);
	mem_free(self);
}
