/*
 * Who reads what, byte by byte, and which values may differ from the observed run.
 *
 *	read    tainted iff it sees another write than observed, or a tainted one
 *	write   tainted iff a tainted read of its thread feeds it
 *	binding read: not tainted, or it is named in `relaxed' and the last event of its thread
 *
 * A value that may differ must not decide anything: then every thread does what it did in the
 * observed run (doc/SEMANTICS.md 2.2).  With every read binding this is the strict model.
 *
 * With values, a read that sees an untainted write of the bytes it saw is as good as observed: an
 * untainted write stores what was logged.
 */

#include "witness/check_priv.h"

/* ---- values ---- */

bool check_value(const struct evidence *ev, uint32_t pos, uint64_t at, bool written, uint8_t *out)
{
	const struct evidence_item *it = evidence_item(ev, pos);
	uint64_t index = ev->values ? ev->value_at.at[pos] : 0;

	if (index == 0 || it->op == EVENT_FREE || at - it->addr >= it->len)
		return false;
	if (it->op == EVENT_RMW && written)
		index += it->len;
	*out = ev->bytes.at[index - 1 + (at - it->addr)];
	return true;
}

static void initial_set(struct checker *c, uint32_t cell, unsigned k, uint8_t byte)
{
	uint64_t *v = map_put(&c->initial, cell, NULL);

	*v = (*v & ~((uint64_t)0xff << 8 * k)) | (uint64_t)byte << 8 * k;
	*map_put(&c->initial_known, cell, NULL) |= 1u << k;
}

static void initial_read(struct checker *c, uint32_t pos)
{
	const struct evidence_item *it = evidence_item(c->ev, pos);
	struct evidence_mixed m;
	uint8_t byte;

	for (uint32_t i = 0; i < it->nwords; i++) {
		uint64_t word = evidence_spread(c->ev, it, i, &m);

		for (unsigned k = 0; k < 8; k++)
			if (m.cell[k] != 0 && m.seen[k] == 0 &&
			    check_value(c->ev, pos, (word << 3) + k, false, &byte))
				initial_set(c, m.cell[k], k, byte);
	}
}

void check_initial_learn(struct checker *c)
{
	struct map_item zero;
	size_t at = 0;

	c->learnt = true;
	for (uint32_t pos = 1; pos <= evidence_count(c->ev); pos++) {
		const struct evidence_item *it = evidence_item(c->ev, pos);

		/* What unseen code may have put there is no initial value. */
		if ((it->op == EVENT_READ || it->op == EVENT_RMW) && !(it->flags & EVENT_UNKNOWN) &&
		    !it->strange && !it->guessed && !it->surprise)
			initial_read(c, pos);
	}
	while (map_next(&c->ev->zeroed, &at, &zero))
		for (unsigned k = 0; k < 8; k++)
			if (zero.value >> k & 1)
				initial_set(c, (uint32_t)zero.key, k, 0);
}

/* The write (or the initial value) holds the byte that the read saw. */
static bool value_is_same(struct checker *c, uint32_t read, uint32_t write, uint32_t cell,
			  uint64_t word, unsigned k)
{
	uint64_t at = (word << 3) + k;
	const uint64_t *known;
	uint8_t saw, stored;

	if (!c->claim->values || !c->ev->values || !check_value(c->ev, read, at, false, &saw))
		return false;
	if (write != 0)
		return check_value(c->ev, write, at, true, &stored) && stored == saw;
	known = map_get(&c->initial_known, cell);
	return known && (*known >> k & 1) && (uint8_t)(*map_get(&c->initial, cell) >> 8 * k) == saw;
}

/* ---- reads ---- */

/* marks: CHECK_WRITE_*; the initial value has none. */
static bool is_marked(const struct checker *c, uint32_t write, unsigned marks)
{
	return write != 0 && (c->mark[write] & marks);
}

/* The read, of those that a copy is made of, that the byte at addr comes from, and where it lay there;
 * 0: not known.  A range that is fed by ranges, as long as they are together, is their copy. */
static uint32_t copied_from(const struct checker *c, uint32_t write, uint64_t addr, uint64_t *from)
{
	const struct evidence_item *it = evidence_item(c->ev, write);
	uint64_t at = addr - it->addr, all = 0;
	uint32_t last = 0, found = 0, range = it->flags & EVENT_RANGE;

	for (uint32_t i = 0; i < it->nfeeds; i++) {
		uint32_t read = c->ev->feeds.at[it->feeds + i];

		if (read <= last)
			continue;
		last = read;
		range &= evidence_item(c->ev, read)->flags;
		if (found == 0 && at - all < evidence_item(c->ev, read)->len) {
			found = read;
			*from = evidence_item(c->ev, read)->addr + (at - all);
		}
		all += evidence_item(c->ev, read)->len;
	}
	/* A write that came in pieces does not say which it is. */
	return range && all == it->len ? found : 0;
}

/* The write that the read was observed to see there; false: that cannot be told. */
static bool seen_at(const struct checker *c, uint32_t read, uint64_t addr, uint32_t *write)
{
	const struct evidence_item *it = evidence_item(c->ev, read);
	struct evidence_mixed m;
	uint64_t i = (addr >> 3) - (it->addr >> 3);

	if (i >= it->nwords || evidence_spread(c->ev, it, (uint32_t)i, &m) != addr >> 3)
		return false;
	*write = m.seen[addr & 7];
	return true;
}

/* Has the write a guess in this byte?  Along copies, to where it was made; by values a copy may have seen
 * another write than observed, so there all of it counts. */
static bool byte_is_guessed(const struct checker *c, uint32_t write, uint64_t addr)
{
	while (is_marked(c, write, CHECK_WRITE_GUESSED)) {
		uint64_t from = 0;
		uint32_t read = copied_from(c, write, addr, &from);

		if (read == 0 || c->claim->values ||
		    (evidence_item(c->ev, read)->strange && evidence_guess(c->ev, read, from)) ||
		    !seen_at(c, read, from, &write))
			return true;
		addr = from;
	}
	return false;
}

/* False: out is filled, and no other byte matters. */
static bool byte_check(struct checker *c, uint32_t pos, uint32_t cell, uint32_t expected,
		       uint64_t word, unsigned k, struct check_seen *out)
{
	uint32_t saw = evidence_last(&c->lasts, c->last[cell], k);

	if (!is_marked(c, saw, CHECK_WRITE_TAINTED) &&
	    (saw == expected || value_is_same(c, pos, saw, cell, word, k))) {
		out->guessed |= byte_is_guessed(c, saw, (word << 3) + k);
		return true;
	}
	out->differs = saw != expected;
	out->tainted = saw == expected;
	out->saw = saw;
	out->expected = expected;
	return false;
}

void check_read(struct checker *c, uint32_t pos, struct check_seen *out)
{
	const struct evidence_item *it = evidence_item(c->ev, pos);
	struct evidence_mixed m;

	*out = (struct check_seen){ 0 };
	for (uint32_t i = 0; i < it->nwords; i++) {
		struct evidence_word w = c->ev->words.at[it->words + i];
		uint64_t word;

		/* All bytes as observed: no need to look at each. */
		if (!(w.seen & EVIDENCE_MIXED) && c->last[w.cell] == w.seen &&
		    !is_marked(c, w.seen, CHECK_WRITE_TAINTED | CHECK_WRITE_GUESSED))
			continue;
		word = evidence_spread(c->ev, it, i, &m);
		for (unsigned k = 0; k < 8; k++)
			if (m.cell[k] != 0 &&
			    !byte_check(c, pos, m.cell[k], m.seen[k], word, k, out))
				return;
	}
}

bool check_byte(const struct checker *c, uint32_t cell, uint64_t word, unsigned k, uint8_t *out)
{
	uint32_t write = evidence_last(&c->lasts, c->last[cell], k);
	uint64_t at = (word << 3) + k;
	const uint64_t *known;

	if (write != 0)
		return !is_marked(c, write, CHECK_WRITE_TAINTED) &&
		       !byte_is_guessed(c, write, at) && check_value(c->ev, write, at, true, out);
	known = map_get(&c->initial_known, cell);
	if (!known || !(*known >> k & 1))
		return false;
	*out = (uint8_t)(*map_get(&c->initial, cell) >> 8 * k);
	return true;
}

static void write_name(uint32_t pos, char *out, size_t size)
{
	if (pos == 0)
		snprintf(out, size, "the initial value");
	else
		snprintf(out, size, "the write of event %u", pos);
}

static bool read_fail(struct checker *c, uint32_t pos, const struct check_seen *seen)
{
	uint32_t flags = evidence_item(c->ev, pos)->flags;
	bool rmw = evidence_item(c->ev, pos)->op == EVENT_RMW;
	char saw[40], expected[40];

	write_name(seen->saw, saw, sizeof(saw));
	write_name(seen->expected, expected, sizeof(expected));
	if (flags & EVENT_UNKNOWN)
		return check_fail(c, pos, "saw a write that is not recorded: %s",
				  rmw ? "nothing of its thread can be used from here on"
				      : "only the last read of its thread may, named in 'relaxed'");
	if (seen->tainted)
		return check_fail(c, pos, "sees %s, which may have stored another value here",
				  expected);
	return check_fail(c, pos, "sees %s, not %s as observed", saw, expected);
}

/* A read of a guess, or one that is none by itself (unseen_note).  One that is free, by
 * facts that no model changes, passes it on. */
static void guess_note(struct checker *c, uint32_t pos, bool guessed, bool marked)
{
	if (marked && (guessed || evidence_item(c->ev, pos)->strange))
		c->mark[pos] |= CHECK_READ_GUESSED;
	else if (guessed)
		check_guess_doubt(c, pos);
}

/* It compares what it reads. */
static bool has_tests(const struct checker *c, uint32_t pos)
{
	size_t from, to;

	if (!evidence_item(c->ev, pos)->tested)
		return false;
	evidence_tests_range(c->ev, pos, &from, &to);
	return from < to;
}

/* The read part.  Marks taint, stops the thread where it is allowed to. */
static bool read_event(struct checker *c, uint32_t pos)
{
	const struct evidence_item *it = evidence_item(c->ev, pos);
	bool decides = has_tests(c, pos);
	bool marked = (it->flags & (EVENT_FREE_READ | EVENT_REREAD)) == EVENT_FREE_READ;
	bool free = marked && !c->claim->strict; /* a reread vouches for all reads of its run */
	bool unknown = it->flags & EVENT_UNKNOWN;
	struct check_seen seen;

	check_read(c, pos, &seen);
	if (!seen.differs && !seen.tainted && !unknown) {
		guess_note(c, pos, seen.guessed, marked && !decides);
		return true;
	}
	if (unknown && it->op == EVENT_RMW)
		return read_fail(c, pos, &seen);
	if (free) {
		c->mark[pos] |= CHECK_READ_TAINTED;
		if (it->tested)
			check_shown_note(c, pos);
		/* What it is compared with on the spot must come out the same, or it binds. */
		if (decides && check_tests(c, pos)) {
			c->mark[pos] &= (uint8_t)~CHECK_READ_TAINTED;
			free = false;
		}
	}
	if (free) {
		c->out->dep = true;
		*VEC_PUSH(&c->out->tainted) = pos;
		return true;
	}
	if (it->op == EVENT_RMW || !map_get(&c->stray, pos))
		return read_fail(c, pos, &seen);
	c->threads[it->tid].frozen = pos;
	*VEC_PUSH(&c->out->stray) = pos;
	return true;
}

/* ---- writes ---- */

/* Bytes of the state in mask whose latest write is tainted. */
static unsigned tainted_count(const struct checker *c, uint32_t state, unsigned mask)
{
	unsigned n = 0;

	if (!(state & EVIDENCE_MIXED))
		return is_marked(c, state, CHECK_WRITE_TAINTED) ? (unsigned)__builtin_popcount(mask)
								: 0;
	for (unsigned k = 0; k < 8; k++)
		n += (mask >> k & 1) &&
		     is_marked(c, evidence_last(&c->lasts, state, k), CHECK_WRITE_TAINTED);
	return n;
}

/* Threads that may still read the old bytes, by reads that are in no record, go no further. */
static void stays_end(struct checker *c, uint32_t pos, uint32_t cell, unsigned mask)
{
	const struct evidence_stay *s = c->ev->stays.at;
	size_t at = c->ev->cells.at[cell].stay - 1, end;
	uint32_t tid;

	for (; (tid = evidence_stay_next(c->ev, cell, at, &end)) != 0; at = end) {
		bool own = tid == evidence_item(c->ev, pos)->tid;
		uint32_t done = c->threads[tid].done + own;
		size_t i = SEARCH_PAST(k, at, end, s[k].first <= done);
		uint32_t first = i > at ? s[i - 1].first : 0;

		/* Its own write, which runs may begin with, is what they see. */
		if (own && !is_marked(c, pos, CHECK_WRITE_TAINTED))
			continue;
		/* Those that begin earlier are over: a run ends before the next begins. */
		for (; i > at && s[i - 1].first == first; i--)
			if (done <= s[i - 1].end && (s[i - 1].mask & mask))
				c->threads[tid].moved = pos;
	}
}

static void cell_write(void *checker, uint32_t pos, uint32_t cell, unsigned mask, uint32_t seen)
{
	struct checker *c = checker;
	uint32_t *state = &c->last[cell];

	(void)seen;
	if (evidence_item(c->ev, pos)->op == EVENT_FREE)
		check_objects_free(c, cell, mask, pos);
	if (c->ev->cells.at[cell].stay != 0)
		stays_end(c, pos, cell, mask);
	if (*state == 0)
		*VEC_PUSH(&c->cells) = cell;
	c->tainted_bytes -= tainted_count(c, *state, mask);
	evidence_last_set(&c->lasts, state, mask, pos);
	if (is_marked(c, pos, CHECK_WRITE_TAINTED))
		c->tainted_bytes += (unsigned)__builtin_popcount(mask);
}

void check_write(struct checker *c, uint32_t pos)
{
	evidence_each_touched(c->ev, pos, cell_write, c);
}

static void write_event(struct checker *c, uint32_t pos)
{
	const struct evidence_item *it = evidence_item(c->ev, pos);
	unsigned reads = 0;

	if (it->op != EVENT_FREE) {
		reads = it->lost_feed ? CHECK_READ_TAINTED : 0;
		for (uint32_t i = 0; i < it->nfeeds; i++)
			reads |= c->mark[c->ev->feeds.at[it->feeds + i]];
	}
	if (reads & CHECK_READ_TAINTED)
		c->mark[pos] |= CHECK_WRITE_TAINTED;
	else if (reads & CHECK_READ_GUESSED)
		c->mark[pos] |= CHECK_WRITE_GUESSED;
	check_write(c, pos);
}

bool check_memory_event(struct checker *c, uint32_t pos)
{
	uint8_t op = evidence_item(c->ev, pos)->op;

	if ((op == EVENT_READ || op == EVENT_RMW) && !read_event(c, pos)) {
		c->mark[pos] = 0;
		return false;
	}
	if (op != EVENT_READ)
		write_event(c, pos);
	return true;
}
