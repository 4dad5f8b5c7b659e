/*
 * One pass over the trace; an item for every event, with what it touches and what it saw.
 *
 * Memory: 64 bytes an event, 8 a touched word of an access, 16 a distinct word, and little else.
 */
#include "trace/format.h"
#include "witness/evidence_priv.h"

/* Room for as many from the start: memory that is not touched costs nothing, moving what has grown does. */
#define ROOM 16384u

static struct evidence *evidence_new(struct trace *t, const struct evidence_options *opt)
{
	struct evidence *ev = mem_zalloc(sizeof(*ev));
	struct trace_info info = trace_info(t);

	ev->trace = t;
	ev->binary = info.form == TRACE_BINARY;
	ev->whole = ev->binary && !info.partial && !info.locks_only;
	ev->values = opt->values;
	ev->brief = opt->brief ? evidence_brief_new() : NULL;
	ev->names = intern_new();
	ev->path = opt->path;
	if (!ev->brief) {
		VEC_RESERVE(&ev->items, ROOM);
		VEC_RESERVE(&ev->words, ROOM);
	}
	VEC_REACH(&ev->items, 0);
	VEC_REACH(&ev->cells, 0);
	VEC_REACH(&ev->objects, 0);
	VEC_REACH(&ev->groups, 0);
	VEC_REACH(&ev->held, 0);
	VEC_REACH(&ev->value_at, 0);
	ev->phase = (struct evidence_phase){ .from = 1, .alive = info.late };
	return ev;
}

void evidence_free(struct evidence *ev)
{
	if (!ev)
		return;
	evidence_brief_free(ev->brief);
	evidence_memory_release(&ev->memory);
	evidence_sync_release(ev);
	intern_free(ev->names);
	VEC_RELEASE_ALL(&ev->items, &ev->words, &ev->mixed, &ev->feeds, &ev->shown, &ev->unseen,
			&ev->guess_bits, &ev->given, &ev->reach, &ev->reach_lasts.at, &ev->cells,
			&ev->trailing, &ev->stays, &ev->wanted, &ev->value_at, &ev->bytes,
			&ev->tests);
	evidence_runs_release(ev);
	MAP_RELEASE_ALL(&ev->guess_at, &ev->zeroed);
	mem_free(ev);
}

/* ---- one event ---- */

static bool is_access(uint8_t op)
{
	return op <= EVENT_FREE;
}

static uint32_t item_add(struct evidence *ev, const struct event *e)
{
	uint32_t pos = (uint32_t)ev->items.n;
	struct evidence_thread *t = evidence_thread(ev, e->tid);
	uint64_t room = UINT64_MAX - e->addr;

	*VEC_PUSH(&ev->items) = (struct evidence_item){
		.addr = e->addr,
		.len = e->len < room ? e->len : room,
		.tid = e->tid,
		.index = (uint32_t)t->events.n,
		.site = e->site,
		.stack = e->stack,
		.flags = e->flags |
			 (e->flags & EVENT_ATOMIC && e->order == __ATOMIC_RELAXED ? EVIDENCE_RELAXED
										  : 0),
		.op = e->op,
		.kind = e->op == EVENT_ALLOC || e->op == EVENT_FREE ? (uint32_t)e->arg
								    : e->lock_kind,
	};
	*VEC_PUSH(&t->events) = pos;
	return pos;
}

/* The free read of the thread that has the number, as an index in reads + 1; 0: there is no such
 * read.  A number that the thread has not reached is that of a lost event. */
static size_t feed_find(const struct evidence_thread *t, uint64_t tseq)
{
	size_t past = SEARCH_PAST(i, 0, t->reads.n, t->reads.at[i].tseq <= tseq);

	if (past == 0 || tseq - t->reads.at[past - 1].tseq >= t->reads.at[past - 1].count)
		return 0;
	return past;
}

/* A ranged read that others got in between of comes in pieces, numbered without a gap; who
 * copies it names the first number and means all. */
static bool is_next_piece(const struct evidence_thread *t, size_t i)
{
	const struct evidence_read *r = &t->reads.at[i];

	return r->range && r[-1].range && r[-1].tseq + r[-1].count == r->tseq;
}

static bool has_test(const struct event *e, uint32_t feed)
{
	for (uint32_t i = 0; i < e->ntests; i++)
		if (e->tests[i].feed == feed)
			return true;
	return false;
}

/* The USE looks at what that feed read by comparisons alone, also where it names the read again. */
static bool is_only_tested(const struct event *e, uint32_t feed)
{
	for (uint32_t i = 0; i < e->nfeeds; i++)
		if (e->feeds[i] == e->feeds[feed] && !has_test(e, i))
			return false;
	return true;
}

static void test_add(struct evidence *ev, uint32_t pos, uint32_t read, const struct predicate *p)
{
	*VEC_PUSH(&ev->tests) = (struct evidence_test){ pos, read, *p };
	ev->items.at[read].tested = true;
}

/* Feed number `feed' of a USE.  False: it counts as one that decides by all it is. */
static bool feed_test(struct evidence *ev, const struct event *e, uint32_t pos, uint32_t feed,
		      const struct evidence_read *read)
{
	if (e->op != EVENT_USE || read->range || !is_only_tested(e, feed) ||
	    evidence_item(ev, read->pos)->len > 8)
		return false;
	for (uint32_t i = 0; i < e->ntests; i++)
		if (e->tests[i].feed == feed)
			test_add(ev, pos, read->pos, &e->tests[i]);
	return true;
}

/* A read that is compared on the spot.  What cannot be compared binds. */
static void own_tests(struct evidence *ev, const struct event *e, uint32_t pos)
{
	struct evidence_item *it = &ev->items.at[pos];

	if (e->ntests == 0 || e->op == EVENT_USE)
		return;
	if ((e->op != EVENT_READ && e->op != EVENT_RMW) || e->len > 8 ||
	    (e->flags & (EVENT_REREAD | EVENT_RANGE))) {
		it->flags &= ~EVENT_FREE_READ;
		return;
	}
	for (uint32_t i = 0; i < e->ntests; i++)
		test_add(ev, pos, pos, &e->tests[i]);
}

static void feeds_add(struct evidence *ev, const struct event *e, uint32_t pos)
{
	struct evidence_thread *t = evidence_thread(ev, e->tid);
	struct evidence_item *it = &ev->items.at[pos];

	own_tests(ev, e, pos);
	if ((e->op == EVENT_READ || e->op == EVENT_RMW) && (it->flags & EVENT_FREE_READ) &&
	    !(e->flags & EVENT_REREAD)) {
		bool range = e->flags & EVENT_RANGE && e->nrefs;

		*VEC_PUSH(&t->reads) =
			(struct evidence_read){ e->tseq, range ? e->nrefs : 1, pos, range };
	}
	if (e->nfeeds == 0)
		return;
	it->feeds = (uint32_t)ev->feeds.n;
	for (uint32_t i = 0; i < e->nfeeds; i++) {
		size_t read = feed_find(t, e->feeds[i]);

		if (read == 0) {
			it->lost_feed |= e->feeds[i] > t->last;
			continue;
		}
		if (feed_test(ev, e, pos, i, &t->reads.at[read - 1]))
			continue;
		do {
			*VEC_PUSH(&ev->feeds) = t->reads.at[read - 1].pos;
			read++;
		} while (e->flags & EVENT_COPY && read <= t->reads.n && is_next_piece(t, read - 1));
	}
	it->nfeeds = (uint32_t)ev->feeds.n - it->feeds;
	ev->too_big |= ev->feeds.n >= EVIDENCE_LIMIT;
}

static void value_add(struct evidence *ev, const struct event *e)
{
	bool has = is_access(e->op) && (e->flags & EVENT_HAS_VALUE) && e->value &&
		   (e->op != EVENT_RMW || e->old);

	*VEC_PUSH(&ev->value_at) = has ? ev->bytes.n + 1 : 0;
	if (!has)
		return;
	if (e->op == EVENT_RMW)
		VEC_APPEND(&ev->bytes, e->old, e->len);
	VEC_APPEND(&ev->bytes, e->value, e->len);
}

static void event_add(struct evidence *ev, const struct event *e, bool wanted)
{
	uint32_t pos = item_add(ev, e);

	assert(pos == e->pos);
	evidence_unseen_event(ev, e, pos);
	if (ev->values)
		value_add(ev, e);
	switch (e->op) {
	case EVENT_READ:
	case EVENT_WRITE:
	case EVENT_RMW:
		evidence_access(ev, pos);
		evidence_value(ev, e, pos);
		feeds_add(ev, e, pos);
		if (e->flags & EVENT_REREAD)
			evidence_stay_event(ev, pos);
		break;
	case EVENT_USE:
		feeds_add(ev, e, pos);
		break;
	case EVENT_FREE:
		evidence_free_event(ev, pos);
		evidence_value(ev, e, pos);
		break;
	case EVENT_ALLOC:
		evidence_renew(ev, pos, e->addr, ev->items.at[pos].len);
		break;
	case EVENT_BEGIN:
	case EVENT_ENTER:
		if (e->name)
			ev->items.at[pos].name = intern_add(ev->names, e->name, strlen(e->name));
		break;
	case EVENT_OPAQUE:
		evidence_given_note(ev, pos);
		evidence_sync_event(ev, e, pos);
		break;
	default:
		evidence_sync_event(ev, e, pos);
		break;
	}
	if (wanted && (is_access(e->op) || event_op_family(e->op) == 'L')) {
		struct evidence_wanted w = { .pos = pos, .alloc = evidence_alloc_of(ev, e->addr) };

		evidence_told(ev, e->addr, &w.told);
		*VEC_PUSH(&ev->wanted) = w;
	}
}

/* ---- the pass ---- */

/* A spec may have asked for names of the text before they came; that is nothing to the trace. */
static void digest_plain(struct digest *digest, const struct trace *t, const struct event *e)
{
	struct event plain = *e;

	plain.addr = trace_plain_address(t, e->addr);
	if (e->op == EVENT_PARK)
		plain.arg = trace_plain_address(t, e->arg);
	digest_event(digest, &plain);
}

static enum status read_all(struct evidence *ev, const struct evidence_options *opt,
			    struct digest *digest, struct diag *d)
{
	size_t wanted = 0;
	bool is_wanted;
	struct event e;
	enum status st;

	/* To the end, for a thread that was cancelled is not to be trusted from where on is not known. */
	while ((st = trace_next(ev->trace, &e, d)) == ST_OK) {
		if (opt->each)
			opt->each(opt->each_arg, ev->trace, &e);
		if (e.op == EVENT_CANCEL)
			evidence_thread(ev, e.peer)->cancelled = true;
		if (opt->digest)
			digest_plain(digest, ev->trace, &e);
		if (ev->whole)
			evidence_phase_event(ev, &e);
		if (opt->upto != 0 && e.pos > opt->upto) {
			ev->cut = true;
			if (evidence_is_waiting(e.op))
				evidence_thread(ev, e.tid)->lingers = true;
			else
				evidence_thread(ev, e.tid)->goes_on = true;
			if (e.op == EVENT_OPAQUE && !(e.flags & EVENT_READS))
				evidence_phase_unseen(ev, e.tid, UINT32_MAX);
			if (!ev->brief)
				evidence_stay_beyond(ev, &e);
			continue;
		}
		ev->named += e.op == EVENT_USER && e.lock_kind == FORMAT_USER_NAMES;
		while (wanted < opt->nwanted && opt->wanted[wanted] < e.pos)
			wanted++;
		is_wanted = wanted < opt->nwanted && opt->wanted[wanted] == e.pos;
		if (ev->brief) {
			evidence_brief_event(ev, &e, is_wanted);
			continue;
		}
		if (e.pos < EVIDENCE_LIMIT)
			event_add(ev, &e, is_wanted);
		if (ev->too_big || e.pos >= EVIDENCE_LIMIT)
			return diag_fail(
				d, ST_LIMIT,
				"too much to hold in memory at event %llu: at most 2^31 words",
				(unsigned long long)e.pos);
	}
	return st;
}

enum status evidence_load(struct trace *t, const struct evidence_options *opt,
			  struct evidence **out, struct diag *d)
{
	struct evidence *ev = evidence_new(t, opt);
	struct digest digest;
	enum status st;

	*out = NULL;
	for (size_t i = 1; i < opt->nwanted; i++)
		assert(opt->wanted[i - 1] <= opt->wanted[i]);
	digest_init(&digest);
	st = read_all(ev, opt, &digest, d);
	if (st != ST_END) {
		evidence_free(ev);
		return st;
	}
	if (opt->digest)
		digest_end(&digest, ev->digest);
	evidence_memory_finish(ev);
	evidence_stays_finish(ev);
	evidence_phase_end(ev);
	evidence_reach_finish(ev);
	evidence_thread(ev, trace_thread_count(t));
	*out = ev;
	return ST_OK;
}

/* ---- questions ---- */

uint64_t evidence_count(const struct evidence *ev)
{
	return ev->items.n - 1;
}

const char *evidence_digest(const struct evidence *ev)
{
	return ev->digest;
}

struct trace *evidence_trace(const struct evidence *ev)
{
	return ev->trace;
}

uint64_t evidence_find(const struct evidence *ev, uint32_t tid, uint32_t index)
{
	if (tid >= ev->threads.n || index >= ev->threads.at[tid].events.n)
		return 0;
	return ev->threads.at[tid].events.at[index];
}

uint64_t evidence_spread(const struct evidence *ev, const struct evidence_item *it, uint32_t i,
			 struct evidence_mixed *out)
{
	struct evidence_word w = ev->words.at[it->words + i];
	uint64_t word = ev->cells.at[w.cell].word;
	unsigned mask;

	if (w.seen & EVIDENCE_MIXED) {
		*out = ev->mixed.at[w.seen & ~EVIDENCE_MIXED];
		return word;
	}
	mask = evidence_mask(it->addr, it->len, word);
	for (unsigned k = 0; k < 8; k++) {
		out->cell[k] = mask >> k & 1 ? w.cell : 0;
		out->seen[k] = mask >> k & 1 ? w.seen : 0;
	}
	return word;
}

void evidence_tests_range(const struct evidence *ev, uint32_t pos, size_t *from, size_t *to)
{
	const struct evidence_test *t = ev->tests.at;

	*from = SEARCH_PAST(i, 0, ev->tests.n, t[i].at < pos);
	for (*to = *from; *to < ev->tests.n && t[*to].at == pos;)
		++*to;
}

/* First trailing cell that is not below (pos, word). */
static size_t trailing_find(const struct evidence *ev, uint32_t pos, uint64_t word)
{
	const struct evidence_trailing *at = ev->trailing.at;

	return SEARCH_PAST(i, 0, ev->trailing.n,
			   at[i].free < pos ||
				   (at[i].free == pos && ev->cells.at[at[i].cell].word < word));
}

void evidence_trailing_range(const struct evidence *ev, uint32_t pos, size_t *from, size_t *to)
{
	*from = trailing_find(ev, pos, 0);
	*to = trailing_find(ev, pos + 1, 0);
}

/* Place of the word among those of an access, which ascend; nwords when it is not there. */
static uint32_t word_find(const struct evidence *ev, const struct evidence_item *it, uint64_t word)
{
	uint32_t found = SEARCH_PAST(i, 0, it->nwords,
				     ev->cells.at[ev->words.at[it->words + i].cell].word < word);

	if (found < it->nwords && ev->cells.at[ev->words.at[it->words + found].cell].word == word)
		return found;
	return it->nwords;
}

/* The event touches byte k of the word, in that cell. */
static bool touches(const struct evidence *ev, uint32_t pos, uint64_t word, unsigned k,
		    uint32_t cell)
{
	const struct evidence_item *it = evidence_item(ev, pos);
	uint32_t i = word_find(ev, it, word);
	struct evidence_mixed m;

	if (i < it->nwords) {
		evidence_spread(ev, it, i, &m);
		if (m.cell[k] == cell)
			return true;
	}
	if (it->op != EVENT_FREE)
		return false;
	for (size_t l = trailing_find(ev, pos, word); l < ev->trailing.n; l++) {
		if (ev->trailing.at[l].free != pos ||
		    ev->cells.at[ev->trailing.at[l].cell].word != word)
			break;
		if (ev->trailing.at[l].cell == cell && (ev->trailing.at[l].mask >> k & 1))
			return true;
	}
	return false;
}

static bool trailing_overlap(const struct evidence *ev, uint32_t freed, uint32_t b)
{
	size_t from, to;

	if (evidence_item(ev, freed)->op != EVENT_FREE)
		return false;
	for (evidence_trailing_range(ev, freed, &from, &to); from < to; from++) {
		uint32_t cell = ev->trailing.at[from].cell;
		uint64_t word = ev->cells.at[cell].word;

		for (unsigned k = 0; k < 8; k++)
			if ((ev->trailing.at[from].mask >> k & 1) && touches(ev, b, word, k, cell))
				return true;
	}
	return false;
}

/* The one uses, makes or ends an object; the other is about what lies at the same address, or frees it.
 * Plain accesses of the bytes of objects are a matter of their own. */
static bool object_overlap(const struct evidence *ev, const struct evidence_item *x, uint32_t b)
{
	const struct evidence_item *y = evidence_item(ev, b);
	const struct evidence_object_info *o = &ev->objects.at[x->object], *p;

	if (y->op == EVENT_FREE)
		return touches(ev, b, o->addr >> 3, o->addr & 7, o->cell);
	if (is_access(y->op))
		return false;
	p = &ev->objects.at[y->object];
	return p->cell == o->cell && p->addr == o->addr;
}

bool evidence_overlap(const struct evidence *ev, uint64_t a, uint64_t b)
{
	const struct evidence_item *x = evidence_item(ev, a), *y = evidence_item(ev, b);

	if (!evidence_is_touch(x) || !evidence_is_touch(y))
		return false;
	if (!is_access(x->op))
		return object_overlap(ev, x, (uint32_t)b);
	if (!is_access(y->op))
		return object_overlap(ev, y, (uint32_t)a);
	if (y->nwords < x->nwords)
		return evidence_overlap(ev, b, a);
	for (uint32_t i = 0; i < x->nwords; i++) {
		struct evidence_mixed m;
		uint64_t word = evidence_spread(ev, x, i, &m);

		for (unsigned k = 0; k < 8; k++)
			if (m.cell[k] != 0 && touches(ev, (uint32_t)b, word, k, m.cell[k]))
				return true;
	}
	return trailing_overlap(ev, (uint32_t)a, (uint32_t)b) ||
	       trailing_overlap(ev, (uint32_t)b, (uint32_t)a);
}
