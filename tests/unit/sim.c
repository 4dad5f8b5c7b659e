#include "sim.h"

#include <string.h>

#include "base/mem.h"
#include "trace_builder.h"

#define MAX_TID 15 /* below FORMAT_PEERS, so that no two share a peer slot */
#define KEPT 8

struct kept { /* the recorder's filter */
	uint64_t addr, value, last;
	struct version v;
	unsigned size;
	bool dropped;
};

struct simthread {
	uint32_t tid;
	bool live;
	unsigned stack; /* which */
	uint64_t fork;	/* number of its FORK; BEGIN not yet logged when nonzero */
	bool big;	/* owns the big block */
	struct kept kept[KEPT];
	uint64_t ends[4]; /* event numbers at the last record ends, newest first */
	/* A range under way: kind FORMAT_K_RANGE_READ, RANGE_WRITE or FREE; 0 none. */
	unsigned range;
	uint64_t addr, len, done;
	struct version refs[SIM_WORDS + 2];
	uint8_t bytes[8 * (SIM_WORDS + 2)];
};

struct sim {
	struct builder *b;
	uint64_t seed;
	struct sim_memory m;
	struct simthread t[SIM_THREADS];
	uint32_t next_tid;
	uint32_t lock_owner[2];
	bool heap, big;
	struct version chain;
	struct version stack_owner[SIM_THREADS];
	/* A cut under way. */
	unsigned cut_at;
	uint64_t cuts, cut_last[MAX_TID + 1];
	struct builder_pair pairs[MAX_TID + 1];
	uint32_t ended[MAX_TID + 1]; /* tids to join */
	unsigned nended;
	uint64_t late;
};

uint64_t sim_random(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15u;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

static unsigned pick(struct sim *s, unsigned n)
{
	return (unsigned)(sim_random(&s->seed) % n);
}

static struct version version_of(struct sim *s, uint64_t addr)
{
	return (struct version){ SIM_WORD(&s->m, addr)->tid, SIM_WORD(&s->m, addr)->tseq };
}

static void version_set(struct sim *s, uint64_t addr, uint32_t tid, uint64_t tseq)
{
	SIM_WORD(&s->m, addr)->tid = tid;
	SIM_WORD(&s->m, addr)->tseq = tseq;
}

static uint8_t *byte_at(struct sim *s, uint64_t addr)
{
	return &SIM_WORD(&s->m, addr)->byte[addr & 7];
}

static uint64_t load(struct sim *s, uint64_t addr, unsigned size)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < size; i++)
		v |= (uint64_t)*byte_at(s, addr + i) << 8 * i;
	return v;
}

static void store(struct sim *s, uint64_t addr, unsigned size, uint64_t v)
{
	for (unsigned i = 0; i < size; i++)
		*byte_at(s, addr + i) = (uint8_t)(v >> 8 * i);
}

/* ---- the filter ---- */

static void kept_flush(struct sim *s, struct simthread *t, struct kept *k)
{
	if (k->size != 0 && k->dropped) {
		builder_late(s->b, t->tid, k->last, k->size, 3, k->addr, k->v, k->value);
		s->late++;
	}
	k->size = 0;
}

static void epoch_end(struct sim *s, struct simthread *t)
{
	for (unsigned i = 0; i < KEPT; i++)
		kept_flush(s, t, &t->kept[i]);
}

static bool read_is_dropped(struct sim *s, struct simthread *t, uint64_t addr, unsigned size)
{
	struct version v = version_of(s, addr);
	struct kept *free_one = &t->kept[pick(s, KEPT)];

	for (unsigned i = 0; i < KEPT; i++) {
		struct kept *k = &t->kept[i];

		if (k->addr != addr || k->size != size)
			continue;
		if (k->v.tid == v.tid && k->v.tseq == v.tseq) {
			k->dropped = true;
			k->last = builder_tseq(s->b, t->tid);
			return true;
		}
		free_one = k;
	}
	kept_flush(s, t, free_one);
	*free_one = (struct kept){ addr, load(s, addr, size), 0, v, size, false };
	return false;
}

/* ---- steps ---- */

static uint64_t place_pick(struct sim *s, struct simthread *t, unsigned size)
{
	unsigned k = pick(s, 10);
	uint64_t span = SIM_WORDS * 8, base = SIM_BASE;

	if (k == 0) {
		base = SIM_HEAP;
		span = SIM_HEAP_WORDS * 8;
	} else if (k < 3) {
		base = SIM_STACK + t->stack * SIM_STACK_WORDS * 8;
		span = SIM_STACK_WORDS * 8;
	} else if (k == 3 && t->big) {
		base = SIM_BIG;
		span = 32;
	}
	return pick(s, 4) == 0 ? base + pick(s, (unsigned)(span - size + 1))
			       : base + pick(s, (unsigned)(span / size)) * size;
}

static void access_step(struct sim *s, struct simthread *t, bool write)
{
	unsigned size = 1u << pick(s, 4);
	uint64_t addr = place_pick(s, t, size), value, own = builder_tseq(s->b, t->tid) + 1;
	unsigned words = (unsigned)format_words(addr, size);
	struct version refs[2] = { version_of(s, addr), version_of(s, addr + size - 1) };

	if (!write) {
		bool atomic = pick(s, 6) == 0;

		if (words == 1 && !atomic && read_is_dropped(s, t, addr, size))
			return;
		builder_read(s->b, t->tid, 1 + pick(s, 40000), addr, size, refs,
			     load(s, addr, size), atomic ? FORMAT_ATOMIC : 0);
		return;
	}
	/* Two statements: the same numbers from every compiler. */
	value = sim_random(&s->seed);
	value >>= 8 * pick(s, 8);
	if (words == 1 && pick(s, 4) == 0) {
		uint64_t old = load(s, addr, size);

		store(s, addr, size, value);
		builder_rmw(s->b, t->tid, 2, addr, size, refs[0], old, load(s, addr, size));
	} else {
		store(s, addr, size, value);
		builder_write(s->b, t->tid, 1 + pick(s, 40000), addr, size, refs, value, 0, NULL,
			      0);
	}
	version_set(s, addr, t->tid, own);
	version_set(s, addr + size - 1, t->tid, own);
}

/* One word more of the range under way; the record at its end. */
static void range_step(struct sim *s, struct simthread *t)
{
	uint64_t base = t->addr & ~(uint64_t)7, w = t->done++;
	uint64_t from = w == 0 ? t->addr : base + 8 * w, to = base + 8 * w + 8;

	if (to > t->addr + t->len)
		to = t->addr + t->len;
	t->refs[w] = version_of(s, from);
	for (uint64_t a = from; a < to; a++) {
		if (t->range == FORMAT_K_RANGE_WRITE)
			*byte_at(s, a) = t->bytes[a - t->addr];
		else
			t->bytes[a - t->addr] = *byte_at(s, a);
	}
	if (t->range != FORMAT_K_RANGE_READ)
		version_set(s, from, t->tid, builder_tseq(s->b, t->tid) + 1 + w);
	if (t->done < format_words(t->addr, t->len))
		return;
	if (t->range == FORMAT_K_FREE)
		builder_block(s->b, t->tid, FORMAT_K_FREE, 0, 4, t->addr, t->len, t->refs);
	else
		builder_range(s->b, t->tid, t->range == FORMAT_K_RANGE_WRITE, 0, 4, t->addr, t->len,
			      t->refs, t->bytes);
	t->range = 0;
}

static void range_begin(struct sim *s, struct simthread *t, unsigned kind)
{
	t->range = kind;
	t->done = 0;
	if (kind == FORMAT_K_FREE) {
		t->addr = SIM_HEAP;
		t->len = SIM_HEAP_WORDS * 8;
	} else {
		t->addr = SIM_BASE + pick(s, 8 * SIM_WORDS - 1);
		t->len = 1 + pick(s, (unsigned)(SIM_BASE + 8 * SIM_WORDS - t->addr));
	}
	for (unsigned i = 0; i < sizeof(t->bytes); i++)
		t->bytes[i] = (uint8_t)sim_random(&s->seed);
	range_step(s, t);
}

static void lock_use(struct sim *s, struct simthread *t, unsigned i)
{
	unsigned kind;
	uint64_t addr = SIM_LOCKS + 8 * i;

	epoch_end(s, t);
	if (s->lock_owner[i] == t->tid)
		kind = FORMAT_K_REL;
	else if (s->lock_owner[i])
		kind = t->tid % 2 ? FORMAT_K_TRYFAIL : FORMAT_K_REQ;
	else
		kind = FORMAT_K_ACQ;
	builder_sync(s->b, t->tid, kind, 0, 5, addr, version_of(s, addr), 0, 0, 0);
	if (kind == FORMAT_K_ACQ || kind == FORMAT_K_REL) {
		s->lock_owner[i] = kind == FORMAT_K_ACQ ? t->tid : 0;
		version_set(s, addr, t->tid, builder_tseq(s->b, t->tid));
	}
}

static void lock_step(struct sim *s, struct simthread *t)
{
	lock_use(s, t, pick(s, 2));
}

static void block_step(struct sim *s, struct simthread *t)
{
	struct version refs[SIM_HEAP_WORDS];

	if (s->heap) {
		s->heap = false;
		range_begin(s, t, FORMAT_K_FREE);
		return;
	}
	/* Two frees may overlap in this program; an alloc waits for the last. */
	for (unsigned i = 0; i < SIM_THREADS; i++)
		if (s->t[i].live && s->t[i].range == FORMAT_K_FREE)
			return;
	for (unsigned i = 0; i < SIM_HEAP_WORDS; i++)
		refs[i] = version_of(s, SIM_HEAP + 8 * i);
	builder_block(s->b, t->tid, FORMAT_K_ALLOC, 0, 6, SIM_HEAP, SIM_HEAP_WORDS * 8, refs);
	s->heap = true;
}

static void big_step(struct sim *s, struct simthread *t)
{
	if (s->big != t->big)
		return;
	builder_begin(s->b, t->tid);
	builder_put_addr(s->b, 7, SIM_BIG);
	builder_put(s->b, 32);
	builder_put_ref(s->b, s->chain, builder_tseq(s->b, t->tid) + 1);
	builder_end(s->b, s->big ? FORMAT_K_FREE : FORMAT_K_ALLOC,
		    FORMAT_ALLOC_MAP | FORMAT_ALLOC_BIG, 1);
	s->chain = (struct version){ t->tid, builder_tseq(s->b, t->tid) };
	if (s->big)
		epoch_end(s, t); /* what was read belongs to this block */
	s->big = t->big = !s->big;
	for (unsigned i = 0; i < 4; i++) {
		version_set(s, SIM_BIG + 8 * i, 0, 0);
		store(s, SIM_BIG + 8 * i, 8, 0);
	}
}

static void thread_start(struct sim *s, struct simthread *t)
{
	uint64_t low = SIM_STACK + t->stack * SIM_STACK_WORDS * 8;
	struct version owner = s->stack_owner[t->stack];

	builder_begin(s->b, t->tid);
	builder_put(s->b, t->tid == 1 ? 0 : 1);
	builder_put(s->b, t->tid == 1 ? 0 : t->fork);
	builder_put(s->b, low);
	builder_put(s->b, low + SIM_STACK_WORDS * 8);
	builder_put(s->b, owner.tid);
	builder_put(s->b, owner.tseq);
	builder_end(s->b, FORMAT_K_BEGIN, 0, 1);
	t->fork = 0;
	for (unsigned i = 0; i < SIM_STACK_WORDS; i++)
		version_set(s, low + 8 * i, 0, 0);
}

static void thread_stop(struct sim *s, struct simthread *t)
{
	while (t->range)
		range_step(s, t);
	epoch_end(s, t);
	if (t->big)
		big_step(s, t);
	epoch_end(s, t);
	for (unsigned i = 0; i < 2; i++)
		if (s->lock_owner[i] == t->tid)
			lock_use(s, t, i);
	builder_thread_end(s->b, t->tid);
	t->live = false;
	s->stack_owner[t->stack] = (struct version){ t->tid, builder_tseq(s->b, t->tid) };
	s->ended[s->nended++] = t->tid;
}

static void main_step(struct sim *s)
{
	struct simthread *t = &s->t[0];

	epoch_end(s, t);
	if (s->nended && pick(s, 2)) {
		uint32_t tid = s->ended[--s->nended];

		builder_join(s->b, 1, tid, builder_tseq(s->b, tid));
		return;
	}
	for (unsigned i = 1; i < SIM_THREADS && s->next_tid <= MAX_TID; i++) {
		if (s->t[i].live)
			continue;
		memset(&s->t[i], 0, sizeof(s->t[i]));
		s->t[i].live = true;
		s->t[i].tid = s->next_tid++;
		s->t[i].stack = i;
		s->t[i].fork = builder_fork(s->b, 1, s->t[i].tid);
		return;
	}
}

static void thread_step(struct sim *s, struct simthread *t)
{
	unsigned k = pick(s, 100);

	if (t->fork)
		thread_start(s, t);
	else if (t->range)
		range_step(s, t);
	else if (k < 45)
		access_step(s, t, false);
	else if (k < 70)
		access_step(s, t, true);
	else if (k < 74)
		range_begin(s, t, FORMAT_K_RANGE_READ);
	else if (k < 77)
		range_begin(s, t, FORMAT_K_RANGE_WRITE);
	else if (k < 85)
		lock_step(s, t);
	else if (k < 87)
		block_step(s, t);
	else if (k < 89)
		big_step(s, t);
	else if (t == &s->t[0] && k < 96)
		main_step(s);
	else if (t != &s->t[0] && k < 91)
		thread_stop(s, t);
}

/* A cut reads one thread's count now and then, each a little out of date. */
static void cut_step(struct sim *s)
{
	if (s->cut_at < SIM_THREADS) {
		struct simthread *t = &s->t[s->cut_at++];
		uint64_t n;

		if (!t->live)
			return;
		n = t->ends[pick(s, 3)];
		if (n > s->cut_last[t->tid])
			s->cut_last[t->tid] = n;
		return;
	}
	s->cut_at = 0;
	for (uint32_t tid = 1; tid < s->next_tid; tid++) {
		bool live = false;

		for (unsigned i = 0; i < SIM_THREADS; i++)
			live |= s->t[i].live && s->t[i].tid == tid;
		if (!live)
			s->cut_last[tid] = builder_tseq(s->b, tid);
		s->pairs[tid - 1] = (struct builder_pair){ tid, s->cut_last[tid] };
	}
	builder_cut(s->b, ++s->cuts, s->pairs, s->next_tid - 1);
}

void sim_run(struct builder *b, uint64_t seed, unsigned steps, struct sim_result *out)
{
	struct sim *s = mem_zalloc(sizeof(*s));

	s->b = b;
	s->seed = seed;
	s->next_tid = 2;
	s->t[0] = (struct simthread){ .tid = 1, .live = true, .fork = 1 };
	thread_start(s, &s->t[0]);
	while (steps-- > 0) {
		struct simthread *t = &s->t[pick(s, SIM_THREADS)];
		uint64_t before;

		if (!t->live)
			t = &s->t[0];
		before = builder_tseq(b, t->tid);
		thread_step(s, t);
		if (builder_tseq(b, t->tid) != before) {
			memmove(&t->ends[1], &t->ends[0], 3 * sizeof(t->ends[0]));
			t->ends[0] = builder_tseq(b, t->tid);
		}
		if (t->live && !t->range && pick(s, 30) == 0) {
			epoch_end(s, t);
			builder_close_chunk(b, t->tid, 0);
		}
		if (pick(s, 4) == 0)
			cut_step(s);
	}
	for (unsigned i = 1; i < SIM_THREADS; i++) {
		if (s->t[i].live && s->t[i].fork)
			thread_start(s, &s->t[i]);
		if (s->t[i].live)
			thread_stop(s, &s->t[i]);
	}
	thread_stop(s, &s->t[0]);
	out->events = 0;
	for (uint32_t tid = 1; tid < s->next_tid; tid++)
		out->events += builder_tseq(b, tid);
	out->late = s->late;
	out->threads = s->next_tid - 1;
	builder_finish(b, 0);
	mem_free(s);
}
