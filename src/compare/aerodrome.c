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
 *	release -> acquire of one lock, unless both only read
 *
 * A block on a circle cannot have run as if it were alone.  A block ends where its thread waits for a
 * condition, and begins anew when that wakes: somebody else has to run there.
 *
 * Instead of the graph, clocks.  C[t] is what chain t knows; B[t] is t's own time when its block
 * began.  Before t learns v it looks whether v knows some of t's own block: B[t] <= v[t] says that a
 * path leads from the block out and back.  What others learnt in the middle of a block misses what
 * the block has learnt since, so its end tells all who know some of it (block_end).  Every report is a
 * path of the graph, so all of them are real; a circle may be told late, at an end
 * (tests/cases/atomicity/a11_told_late.case), and a block on several once.
 *
 * A clock does not change at a time at which it was handed out: a chain's time goes on before that.
 * So "u's time 7 is known" still says that all that u knew at 7 is known (order/stamp.h), and times
 * grow with what is learnt, not with events.
 *
 * Who knows some of a block?  Only what was written since it began.  A log of that is kept while
 * blocks are open, and an end goes through its part of it: each event costs so much as there are
 * blocks open at the same time.
 */

#include "compare/stream_priv.h"

#define AHEAD 8u /* places of the log: marks lie all over the memory */

enum mark_kind { MARK_CELL, MARK_LOCK, MARK_CHANNEL, MARK_KINDS };

struct mark_reader {
	struct stamp at;
	uint32_t chain;
};

/* What a cell, a lock or a channel hands on.  A channel has readers only: its puts. */
struct mark {
	struct stamp write;		 /* the last write, or release */
	uint32_t writer;		 /* 1 + chain; 0: none yet */
	uint32_t whose;			 /* of whom its stamps are: whose_bit */
	VEC(struct mark_reader) readers; /* since: the latest read, or release, of each chain */
	uint64_t logged;		 /* its latest place in the log, from 1 */
};

/* Chains, several to a bit; stamps of several chains have all. */
static uint32_t whose_bit(uint32_t chain)
{
	return chain == STAMP_MIXED ? UINT32_MAX : 1u << chain % 32;
}

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
	uint64_t log;	   /* first place in the log that may know of it */
	struct seen first; /* its BEGIN */
};

struct aerodrome {
	struct stamps stamps;
	VEC(struct lane) lanes;
	struct {
		VEC(struct mark) at;
	} marks[MARK_KINDS];
	VEC(uint32_t) log;     /* id * MARK_KINDS + kind */
	uint64_t log_base;     /* place of log.at[0] */
	uint64_t newest;       /* first place that the block begun last may look at */
	uint32_t nopen;	       /* blocks */
	const struct step *at; /* the step at hand, or the last one */
	struct step last;      /* the last of the batch before */
	struct pairs pairs;
};

void *aerodrome_begin(const struct engine *e, const struct engine_options *opt)
{
	struct aerodrome *self = mem_zalloc(sizeof(*self));

	stamps_init(&self->stamps);
	self->log_base = 1;
	self->at = &self->last;
	self->pairs = (struct pairs){
		.engine = e,
		.kind = FINDING_ATOMICITY,
		.why = "the recorded run shows it; no other run was looked for",
		.all = opt->all_pairs,
	};
	return self;
}

static struct lane *lane_of(struct aerodrome *self, uint32_t chain)
{
	while (self->lanes.n <= chain) {
		uint32_t c = (uint32_t)self->lanes.n;

		*VEC_PUSH(&self->lanes) = (struct lane){ .now = { .chain = c, .time = 1 } };
	}
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

/* The chain comes after what v knows. */
static void lane_learn(struct aerodrome *self, struct lane *l, const struct stamp *v)
{
	if (l->open && stamp_at(v, l->now.chain) >= l->begin)
		block_tell(self, l);
	if (stamp_leq(&self->stamps, v, &l->now))
		return;
	assert(l->now.time < UINT32_MAX - 1);
	l->now.time += l->shown;
	l->shown = false;
	stamp_join(&self->stamps, &l->now, v);
}

/* ---- marks ---- */

static struct mark *mark_of(struct aerodrome *self, enum mark_kind kind, uint32_t id)
{
	VEC_REACH(&self->marks[kind].at, id);
	return &self->marks[kind].at.at[id];
}

/* Keeps of each mark its latest place: who looks from an earlier one on comes by there too. */
static void log_thin(struct aerodrome *self)
{
	size_t n = 0;

	for (size_t i = 0; i < self->log.n; i++) {
		uint32_t it = self->log.at[i];
		struct mark *m = mark_of(self, it % MARK_KINDS, it / MARK_KINDS);

		if (m->logged != self->log_base + i)
			continue;
		m->logged = self->log_base + n;
		self->log.at[n++] = it;
	}
	/* Blocks now begin to look too early, which costs time only. */
	for (size_t i = 0; i < self->lanes.n; i++)
		if (self->lanes.at[i].log > self->log_base)
			self->lanes.at[i].log = self->log_base;
	self->log.n = n;
	self->newest = self->log_base + n;
}

/* Something was added to mark m, of this kind and number. */
static void log_add(struct aerodrome *self, struct mark *m, enum mark_kind kind, uint32_t id)
{
	if (self->nopen == 0 || m->logged >= self->newest)
		return;
	m->logged = self->log_base + self->log.n;
	*VEC_PUSH(&self->log) = id * MARK_KINDS + kind;
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
	m->whose = whose_bit(l->now.chain);
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
	m->whose |= whose_bit(l->now.chain);
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
	m->writer = m->whose = 0;
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
	b->whose = a->whose;
	stamp_set(&self->stamps, &b->write, &a->write);
	for (size_t i = 0; i < a->readers.n; i++) {
		*VEC_PUSH(&b->readers) = (struct mark_reader){ .chain = a->readers.at[i].chain };
		stamp_set(&self->stamps, &b->readers.at[i].at, &a->readers.at[i].at);
	}
	log_add(self, b, MARK_CELL, to);
}

/* ---- blocks ---- */

static void block_begin(struct aerodrome *self, struct lane *l)
{
	l->now.time++;
	l->shown = false;
	l->begin = l->now.time;
	l->told = false;
	l->open = true;
	if (self->nopen++ == 0) {
		self->log_base += self->log.n;
		self->log.n = 0;
	}
	if (self->log.n > 4096 + 2 * self->marks[MARK_CELL].at.n)
		log_thin(self);
	l->log = self->newest = self->log_base + self->log.n;
}

/* Whoever knows some of the block comes after all of it.  True: so it is here. */
static bool stamp_end(struct aerodrome *self, struct stamp *s, const struct lane *l)
{
	if (stamp_at(s, l->now.chain) < l->begin)
		return false;
	if (stamp_leq(&self->stamps, s, &l->now))
		stamp_set(&self->stamps, s, &l->now);
	else
		stamp_collect(&self->stamps, s, &l->now);
	return true;
}

/* Of the log. */
static struct mark *mark_at(const struct aerodrome *self, uint32_t logged)
{
	return &self->marks[logged % MARK_KINDS].at.at[logged / MARK_KINDS];
}

/* Lanes that know some of the block come after all of it.  Of whom there may be stamps that know some: a
 * chain's clock only grows. */
static uint32_t lanes_end(struct aerodrome *self, struct lane *l)
{
	uint32_t who = whose_bit(l->now.chain);

	for (uint32_t u = 0; u < self->lanes.n; u++) {
		struct lane *o = &self->lanes.at[u];

		if (o != l && stamp_at(&o->now, l->now.chain) >= l->begin) {
			lane_learn(self, o, &l->now);
			who |= whose_bit(u);
		}
	}
	return who;
}

static void block_end(struct aerodrome *self, struct lane *l)
{
	uint32_t who = lanes_end(self, l);

	for (size_t i = (size_t)(l->log - self->log_base); i < self->log.n; i++) {
		uint32_t it = self->log.at[i];
		struct mark *m = mark_at(self, it);
		bool grew;

		if (i + AHEAD < self->log.n)
			__builtin_prefetch(mark_at(self, self->log.at[i + AHEAD]));
		if (!(m->whose & who) || m->logged != self->log_base + i)
			continue; /* nothing to do; it comes once more */
		grew = stamp_end(self, &m->write, l);
		for (size_t k = 0; k < m->readers.n; k++)
			grew |= stamp_end(self, &m->readers.at[k].at, l);
		if (!grew)
			continue;
		/* By now it may know of blocks that have begun since it was logged. */
		m->whose |= whose_bit(STAMP_MIXED);
		log_add(self, m, it % MARK_KINDS, it / MARK_KINDS);
	}
	l->shown = true;
	l->open = false;
	self->nopen--;
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
		block_begin(self, l);
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
		struct mark *m = mark_of(self, MARK_CELL, cells[i]);

		(s->op == STEP_READ ? mark_read : mark_write)(self, m, l);
		log_add(self, m, MARK_CELL, cells[i]);
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
		break;
	default:
		mark_read(self, m, l);
	}
	log_add(self, m, MARK_LOCK, s->obj);
}

static void channel_step(struct aerodrome *self, const struct step *s, struct lane *l)
{
	struct mark *m = mark_of(self, MARK_CHANNEL, s->obj);

	if (s->op == STEP_GET) {
		after_reads(self, m, l);
		return;
	}
	mark_read(self, m, l);
	log_add(self, m, MARK_CHANNEL, s->obj);
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
		block_begin(self, l);
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
	VEC_RELEASE_ALL(&self->lanes, &self->log);
	stamps_release(&self->stamps);
	mem_free(self);
}
