/*
 * Reads of bytes that no recorded write had stored: code that was not recorded wrote them, so
 * the write that such a read is said to have seen is not the one it saw.
 *
 * What a byte holds is known from the write to it, and from how its memory began: first bytes of
 * variables, zeros of calloc.  Of other memory (malloc, locals) the first read tells it, unless unseen
 * code can have written there before it.  From a read of something else on the byte is foreign,
 * until somebody writes it: what it holds comes from unseen code.  Such a read is strange unless that
 * code comes before it in every reordering: it was the thread's own, or others' that ended
 * before the thread was forked.
 *
 * What free leaves in a block comes from unseen code as well, the allocator's, which may write there
 * at any time: it is foreign to everybody.
 *
 * What may change without a record at any time (trace_unsteady) is strange to every reader.
 *
 * A recorded call that writes to a mapped file changes bytes while it lasts (EVENT_BEGUN).  Whoever is the
 * only one to read them meanwhile may see the change: its reads keep their order.  Others' reads
 * do not keep theirs to these, and are strange from then on.
 *
 * What a byte is known by alone from reads of it is a guess, and a guess of every later reader: whoever may
 * have written it unseen in the same phase of the run, before or after in the trace, makes it strange.
 *
 * Only recordings are looked at; values in text are whatever somebody wrote there.
 */
#include "trace/format.h"
#include "witness/evidence_priv.h"

static void foreign_add(struct evidence_shown *s, uint8_t bit, uint32_t by, uint32_t settled)
{
	s->by = s->foreign && s->by != by ? 0 : by;
	s->settled = s->foreign && s->settled > settled ? s->settled : settled;
	s->foreign |= bit;
}

static void byte_begin(struct evidence *ev, struct evidence_shown *s, uint64_t addr)
{
	uint8_t bit = (uint8_t)(1u << (addr & 7));
	uint32_t alloc, freed;

	evidence_stamp_get(&ev->memory, addr, &alloc, &freed);
	if (freed > alloc) {
		if (ev->items.at[freed].kind == FORMAT_ALLOC_HEAP)
			foreign_add(s, bit, 0, UINT32_MAX);
		return;
	}
	if (alloc > s->since)
		s->since = alloc;
	if (alloc != 0 && ev->items.at[alloc].op == EVENT_ALLOC) {
		s->known |= ev->items.at[alloc].flags & EVENT_ZEROED ? bit : 0;
		s->steady |= ev->items.at[alloc].flags & EVENT_STEADY ? bit : 0;
		s->framed |= ev->items.at[alloc].kind == FORMAT_ALLOC_FRAME ? bit : 0;
		return;
	}
	switch (trace_first(ev->trace, addr, &s->byte[addr & 7])) {
	case TRACE_FIRST_BYTE:
		s->known |= bit;
		break;
	case TRACE_FIRST_STEADY:
		s->steady |= bit;
		break;
	case TRACE_FIRST_UNKNOWN:
		break;
	}
}

static struct evidence_shown *shown_get(struct evidence *ev, uint32_t cell)
{
	while (ev->shown.n <= cell) {
		uint64_t first = ev->cells.at[ev->shown.n].word << 3;
		struct evidence_shown s = { .known = 0 };

		for (unsigned k = 0; k < 8; k++)
			byte_begin(ev, &s, first + k);
		*VEC_PUSH(&ev->shown) = s;
	}
	return &ev->shown.at[cell];
}

static uint32_t cell_at(const struct evidence *ev, struct evidence_word w, unsigned k)
{
	return w.seen & EVIDENCE_MIXED ? ev->mixed.at[w.seen & ~EVIDENCE_MIXED].cell[k] : w.cell;
}

/* No recorded event has left the byte.  False: nor need the unseen one come before this read. */
static bool foreign_explain(const struct evidence *ev, struct evidence_shown *s, uint8_t bit,
			    uint32_t tid)
{
	const struct evidence_thread *t = &ev->threads.at[tid];
	uint32_t others = evidence_unseen_others(ev, tid, s->since);
	uint32_t own = t->writes ? UINT32_MAX : t->wrote;

	if (!evidence_unseen_is_calm(ev, tid)) {
		foreign_add(s, bit, 0, UINT32_MAX);
		return false;
	}
	if (own > s->since)
		foreign_add(s, bit, tid, own > others ? own : others);
	else if (others != 0)
		foreign_add(s, bit, 0, others);
	return true;
}

/* The byte is being written by a call, and nobody but tid has looked. */
static bool is_changing(const struct evidence *ev, const struct evidence_shown *s, uint32_t tid)
{
	uint32_t begun = s->writer != 0 && !s->shared ? ev->threads.at[s->writer].begun : 0;

	return begun != 0 && s->since >= begun && s->reader == tid && !s->readers;
}

/* False: the read is strange.  *differs: it sees other bytes than were known; guessed in *s: it may
 * have seen what no recorded write has left. */
static bool byte_read(const struct evidence *ev, struct evidence_shown *s, uint64_t addr,
		      uint8_t saw, uint32_t tid, bool *differs)
{
	const struct evidence_thread *t = &ev->threads.at[tid];
	uint8_t bit = (uint8_t)(1u << (addr & 7));
	bool same = s->byte[addr & 7] == saw;
	/* The compiler writes stacks unseen: where arguments of f(...) are kept, say. */
	bool stack = addr - t->stack < t->stack_len && !(s->framed & bit);

	if ((s->known & bit) && same) {
		if ((s->guessed & bit) && !evidence_unseen_is_calm(ev, tid))
			return false;
		return !(s->foreign & bit) || s->by == tid || s->settled <= t->calm;
	}
	s->byte[addr & 7] = saw;
	if (stack || (!(s->known & bit) && (s->steady & bit))) {
		s->known |= bit;
		return true;
	}
	s->guessed |= bit;
	if (!(s->known & bit)) {
		s->known |= bit;
		return !(s->foreign & bit) && foreign_explain(ev, s, bit, tid);
	}
	if (is_changing(ev, s, tid) && foreign_explain(ev, s, bit, tid)) {
		foreign_add(s, bit, tid, UINT32_MAX);
		return s->by == tid;
	}
	*differs = true;
	if ((t->writes || t->wrote > s->since) && !s->shared &&
	    (s->writer == 0 || s->writer == tid))
		return foreign_explain(ev, s, bit, tid);
	foreign_add(s, bit, 0, UINT32_MAX);
	return false;
}

/* left NULL: it is not in the record. */
static void byte_write(struct evidence_shown *s, unsigned k, const uint8_t *left)
{
	uint8_t bit = (uint8_t)(1u << k);

	s->foreign &= (uint8_t)~bit;
	s->steady &= (uint8_t)~bit;
	s->guessed &= (uint8_t)~bit;
	if (left) {
		s->byte[k] = *left;
		s->known |= bit;
	} else {
		s->known &= (uint8_t)~bit;
	}
}

/* The bytes in mask have been written.  With all that was known it goes on from here. */
static void cell_written(struct evidence_shown *s, unsigned mask, uint32_t tid, uint32_t pos)
{
	if (!((s->known | s->foreign) & ~mask)) {
		s->since = pos;
		s->writer = tid;
		s->shared = false;
		s->reader = 0;
		s->readers = false;
		return;
	}
	s->shared |= s->writer != 0 && s->writer != tid;
	s->writer = tid;
}

/* What is copied with a guess is none. */
static void guess_add(struct evidence *ev, uint32_t pos, uint64_t at)
{
	const struct evidence_item *it = &ev->items.at[pos];
	bool fresh;
	uint64_t *index = map_put(&ev->guess_at, pos, &fresh);

	if (fresh) {
		*index = 8 * ev->guess_bits.n;
		VEC_REACH(&ev->guess_bits, ev->guess_bits.n + it->len / 8);
	}
	ev->guess_bits.at[(*index + at) / 8] |= (uint8_t)(1u << (*index + at) % 8);
}

bool evidence_guess(const struct evidence *ev, uint32_t pos, uint64_t addr)
{
	const uint64_t *index = map_get(&ev->guess_at, pos);
	uint64_t at = addr - evidence_item(ev, pos)->addr;

	return index && (ev->guess_bits.at[(*index + at) / 8] >> (*index + at) % 8 & 1);
}

static void read_value(struct evidence *ev, struct evidence_shown *s, uint64_t addr, uint8_t saw,
		       uint32_t pos)
{
	struct evidence_item *it = &ev->items.at[pos];
	bool good = byte_read(ev, s, addr, saw, it->tid, &it->surprise);

	it->strange |= !good;
	if (!good || ((s->guessed >> (addr & 7) & 1) && ev->phase.alive > 1)) {
		it->guessed = true;
		if (it->flags & EVENT_FREE_READ)
			guess_add(ev, pos, addr - it->addr);
	}
}

static void reader_note(struct evidence_shown *s, uint32_t tid)
{
	s->readers |= s->reader != 0 && s->reader != tid;
	s->reader = tid;
}

/* Does a read show bytes that are known, and by writes alone?  Most do, and tell nothing new. */
static bool is_as_known(const struct evidence_shown *s, const uint8_t *saw, unsigned mask)
{
	unsigned from = (unsigned)__builtin_ctz(mask), n = (unsigned)__builtin_popcount(mask);

	return (s->known & mask) == mask && !((s->guessed | s->foreign) & mask) &&
	       memcmp(s->byte + from, saw, n) == 0;
}

static void word_value(struct evidence *ev, const struct event *e, uint32_t pos,
		       struct evidence_word w, unsigned mask)
{
	uint64_t first = ev->cells.at[w.cell].word << 3;
	bool has = (e->flags & EVENT_HAS_VALUE) && e->op != EVENT_FREE;
	const uint8_t *saw = e->op == EVENT_READ ? e->value : e->op == EVENT_RMW ? e->old : NULL;
	uint32_t written = 0;

	if (e->op == EVENT_READ && has && saw && !(w.seen & EVIDENCE_MIXED)) {
		struct evidence_shown *s = shown_get(ev, w.cell);
		uint64_t from = first + (unsigned)__builtin_ctz(mask);

		if (is_as_known(s, saw + (from - e->addr), mask)) {
			reader_note(s, e->tid);
			return;
		}
	}
	for (unsigned k = 0; k < 8; k++) {
		uint64_t at = first + k - e->addr;
		uint32_t cell = mask >> k & 1 ? cell_at(ev, w, k) : 0;
		struct evidence_shown *s = cell ? shown_get(ev, cell) : NULL;

		if (!s)
			continue;
		if (e->op == EVENT_READ || e->op == EVENT_RMW)
			reader_note(s, e->tid);
		if (has && saw && !(e->flags & EVENT_UNKNOWN))
			read_value(ev, s, first + k, saw[at], pos);
		if (e->op != EVENT_READ)
			byte_write(s, k, has && e->value ? e->value + at : NULL);
		if (e->op == EVENT_FREE && e->arg == FORMAT_ALLOC_HEAP)
			foreign_add(s, (uint8_t)(1u << k), 0, UINT32_MAX);
	}
	for (unsigned k = 0; k < 8 && e->op != EVENT_READ; k++) {
		uint32_t cell = mask >> k & 1 ? cell_at(ev, w, k) : 0;

		if (cell && cell != written)
			cell_written(shown_get(ev, cell), mask, e->tid, pos);
		written = cell ? cell : written;
	}
}

/* It reads what may have changed meanwhile: all of it is a guess. */
static void unsteady_value(struct evidence *ev, struct evidence_item *it, uint32_t pos)
{
	it->strange = it->guessed = true;
	for (uint64_t at = 0; at < it->len && (it->flags & EVENT_FREE_READ); at++)
		guess_add(ev, pos, at);
}

void evidence_value(struct evidence *ev, const struct event *e, uint32_t pos)
{
	struct evidence_item *it = &ev->items.at[pos];

	if (!ev->whole || (e->flags & EVENT_REREAD))
		return;
	if ((e->op == EVENT_READ || e->op == EVENT_RMW) &&
	    trace_unsteady(ev->trace, e->addr, e->len))
		unsteady_value(ev, it, pos);
	for (uint32_t i = 0; i < it->nwords; i++) {
		struct evidence_word w = ev->words.at[it->words + i];
		uint64_t word = ev->cells.at[w.cell].word;

		word_value(ev, e, pos, w, evidence_mask(it->addr, it->len, word));
	}
}
