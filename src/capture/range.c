#include "capture/range.h"

#include "capture/filter.h"
#include "capture/sync.h"

/*
 * A piece under way: words whose access is done and whose versions are known,
 * not yet in the log.  Their event numbers are t->tseq + 1, + 2, ...
 *
 * Others may name a word's write as soon as it is done, so room for the record is made before
 * (piece_begin): a program that is killed in between would leave names of events that are nowhere.
 */
struct piece {
	uintptr_t from; /* first byte */
	size_t bytes, words;
	uint32_t peers[FORMAT_PEERS]; /* threads named, by peer seat */
};

/* Most bytes a record of a piece can take, PEER records and feeds included. */
#define PIECE_ROOM \
	(THREAD_PIECE + (THREAD_PIECE / 8 + 2) * 12 + LOG_FEEDS * 10 + FORMAT_PEERS * 8 + 64)
_Static_assert(PIECE_ROOM <= 16384, "what log_other_room gives");

/* Two threads that share a peer seat cannot be named in one record. */
static bool piece_clashes(struct piece *w, uint32_t me, tag_version v)
{
	uint32_t tid = tag_tid(v), *seat = &w->peers[tid & (FORMAT_PEERS - 1)];

	if (v == 0 || tid == me || *seat == tid)
		return false;
	if (*seat != 0)
		return true;
	*seat = tid;
	return false;
}

static void piece_begin(struct thread *t, struct piece *w, uintptr_t from, uint32_t site)
{
	log_other_room(t, site, PIECE_ROOM);
	*w = (struct piece){ .from = from };
}

/* May a word of version v be part of it?  If not, the piece must be logged first.  Mostly the word
 * before has been written by the same thread. */
INLINE bool piece_takes(const struct thread *t, struct piece *w, tag_version v)
{
	if (w->words == THREAD_PIECE / 8)
		return false;
	return (w->words != 0 && tag_tid(t->versions[w->words - 1]) == tag_tid(v)) ||
	       !piece_clashes(w, t->tid, v);
}

INLINE void piece_add(struct thread *t, struct piece *w, tag_version v, size_t bytes)
{
	t->versions[w->words++] = v;
	w->bytes += bytes;
}

static uint8_t *piece_head(struct thread *t, const struct piece *w, uint32_t site)
{
	uint64_t delta;
	uint8_t *p;

	/* A piece without a word would be tried again for ever. */
	ASSERT_RECORDING(w->words != 0 && w->words <= THREAD_PIECE / 8 && w->bytes <= 8 * w->words);
	log_ready(t, site);
	log_runs_prepare(t, t->versions, w->words);
	delta = log_delta(t, site, w->from);
	p = LOG_NUMBERS(t->cursor + 4, site, delta, w->bytes);
	return log_runs(t, p, t->versions, w->words);
}

static void piece_log_read(struct thread *t, const struct piece *w, uint32_t site, bool free_read,
			   const uint8_t *bytes)
{
	uint8_t *p = piece_head(t, w, site);

	memcpy(p, bytes, w->bytes);
	log_other_end(t, FORMAT_K_RANGE_READ, free_read ? FORMAT_RANGE_FREE : 0, p + w->bytes,
		      w->words);
}

/* Are the n bytes that are about to be logged those of the record before, and is it in this chunk? */
static bool piece_is_copy(const struct thread *t, size_t n)
{
	return t->copied.bytes == n && t->copied.tseq == t->tseq && t->copied.chunk == t->nchunks;
}

/* n: bytes of the value that the record has. */
static void piece_log_write(struct thread *t, const struct piece *w, uint32_t site, unsigned aux,
			    const uint64_t *feeds, unsigned nfeeds, const uint8_t *bytes, size_t n)
{
	uint8_t *p = piece_head(t, w, site);

	if ((aux & FORMAT_RANGE_COPY) && !piece_is_copy(t, n))
		aux &= ~FORMAT_RANGE_COPY;
	/* Without a list the record of a copy would be fed by the read before it, which may bind. */
	if (nfeeds != 0 || (aux & FORMAT_RANGE_COPY)) {
		aux |= FORMAT_RANGE_FED;
		p = log_feeds(p, feeds, nfeeds, t->tseq + 1);
	}
	if (aux & FORMAT_RANGE_COPY)
		n = 0;
	memcpy(p, bytes, n);
	log_other_end(t, FORMAT_K_RANGE_WRITE, aux, p + n, w->words);
}

/* Bytes of [at, end) in at's word. */
static size_t in_word(uintptr_t at, uintptr_t end)
{
	uintptr_t next = (at & ~(uintptr_t)7) + 8;

	return (next < end ? next : end) - at;
}

/* Copies within one word; whole words in one go, so that no word is torn. */
INLINE void word_copy(void *to, const void *from, size_t n)
{
	if (n == 8)
		*(volatile uint64_t *)to = *(const volatile uint64_t *)from;
	else
		for (size_t i = 0; i < n; i++)
			((volatile uint8_t *)to)[i] = ((const volatile uint8_t *)from)[i];
}

INLINE tag_version word_read(uintptr_t at, uint8_t *into, size_t n)
{
	uint64_t *tag = tag_of((void *)at);
	tag_version v;

	do {
		v = tag_peek(tag);
		word_copy(into, (const void *)at, n);
	} while (!tag_still(tag, v));
	return v;
}

/*
 * Writes the next word under the next number.  from: its bytes, or NULL: they are there already,
 * and go to `into' unless that is NULL too.  False: nothing was done, the piece must be logged
 * first.
 */
INLINE bool word_write(struct thread *t, struct piece *w, const uint8_t *from, uint8_t *into,
		       uintptr_t end)
{
	uintptr_t at = w->from + w->bytes;
	size_t n = in_word(at, end);
	uint64_t *tag = tag_of((void *)at);
	tag_version v = tag_lock(tag);

	if (!piece_takes(t, w, v)) {
		tag_unlock(tag, v);
		return false;
	}
	if (from != NULL)
		word_copy((void *)at, from, n);
	else if (into != NULL)
		word_copy(into, (const void *)at, n);
	tag_unlock(tag, tag_make(t->tid, t->tseq + 1 + w->words));
	piece_add(t, w, v, n);
	return true;
}

/* Reads from `from' up to `end' or, when stop_at_nul, through the first NUL, in
 * one piece.  Returns the bytes read and logged. */
INLINE size_t read_piece(struct thread *t, uintptr_t from, uintptr_t end, uint8_t *into,
			 uint32_t site, bool free_read, bool stop_at_nul)
{
	const uint8_t *nul = NULL;
	struct piece w;

	piece_begin(t, &w, from, site);
	while (from + w.bytes < end && nul == NULL) {
		uintptr_t at = from + w.bytes;
		size_t n = in_word(at, end);
		uint8_t *to = into + w.bytes;
		tag_version v = word_read(at, to, n);

		if (!piece_takes(t, &w, v))
			break; /* read again as the first of the next piece */
		nul = stop_at_nul ? memchr(to, 0, n) : NULL;
		piece_add(t, &w, v, nul != NULL ? (size_t)(nul - to) + 1 : n);
	}
	piece_log_read(t, &w, site, free_read, into);
	return w.bytes;
}

/* Writes one piece; from NULL: log what is there.  Returns the bytes done. */
static size_t write_piece(struct thread *t, uintptr_t to, const uint8_t *from, uintptr_t end,
			  uint32_t site, unsigned aux, const uint64_t *feeds, unsigned nfeeds)
{
	struct piece w;

	piece_begin(t, &w, to, site);
	while (to + w.bytes < end &&
	       word_write(t, &w, from != NULL ? from + w.bytes : NULL, t->piece + w.bytes, end))
		;
	piece_log_write(t, &w, site, aux, feeds, nfeeds, from != NULL ? from : t->piece,
			aux & FORMAT_RANGE_FILL ? 1 : w.bytes);
	return w.bytes;
}

static inline void gate(struct thread *t, const void *p, size_t n, uint32_t site, unsigned how)
{
	if (CONTROLLED(t) && n != 0)
		control_range(t, p, n, site, how);
}

uint64_t range_read(struct thread *t, const void *p, void *into, size_t n, uint32_t site,
		    bool free_read)
{
	gate(t, p, n, site, 0);
	if (CONTROL_BARE(t)) {
		if (into != NULL)
			memcpy(into, p, n);
		return t->tseq;
	}
	for (size_t done = 0; done < n;)
		done += read_piece(t, (uintptr_t)p + done, (uintptr_t)p + n,
				   into != NULL ? (uint8_t *)into + done : t->piece, site,
				   free_read, false);
	return t->tseq;
}

/* from NULL: the bytes are there already. */
static void write_pieces(struct thread *t, void *p, const void *from, size_t n, uint32_t site,
			 unsigned aux, const uint64_t *feeds, unsigned nfeeds)
{
	if (CONTROL_BARE(t)) {
		if (from != NULL)
			memcpy(p, from, n);
		return;
	}
	for (size_t done = 0; done < n;)
		done += write_piece(t, (uintptr_t)p + done,
				    from != NULL ? (const uint8_t *)from + done : NULL,
				    (uintptr_t)p + n, site, aux, feeds, nfeeds);
}

void range_write(struct thread *t, void *p, const void *from, size_t n, uint32_t site,
		 const uint64_t *keepers, uint64_t mask)
{
	uint64_t feeds[LOG_FEEDS];

	gate(t, p, n, site, CONTROL_WRITES);
	write_pieces(t, p, from, n, site, 0, feeds,
		     keepers != NULL ? log_feed_gather(keepers, mask, feeds) : 0);
}

void range_write_whole(struct thread *t, void *p, const void *from, size_t n, uint32_t site,
		       const uint64_t *feeds, unsigned nfeeds)
{
	gate(t, p, n, site, CONTROL_WRITES);
	write_pieces(t, p, from, n, site, nfeeds != 0 ? FORMAT_RANGE_WHOLE : 0, feeds, nfeeds);
}

void range_wrote(struct thread *t, void *p, size_t n, uint32_t site)
{
	gate(t, p, n, site, CONTROL_WRITES);
	write_pieces(t, p, NULL, n, site, 0, NULL, 0);
}

/* The words of [from, end) get new versions, by records of that kind without their bytes. */
static void range_touch(struct thread *t, unsigned kind, unsigned aux, uintptr_t from,
			uintptr_t end, uint32_t site)
{
	while (from < end && !CONTROL_BARE(t)) {
		struct piece w;

		piece_begin(t, &w, from, site);
		while (w.from + w.bytes < end && word_write(t, &w, NULL, NULL, end))
			;
		log_other_end(t, kind, aux, piece_head(t, &w, site), w.words);
		from += w.bytes;
	}
}

void range_hidden(struct thread *t, void *p, size_t n, uint32_t site, bool begun)
{
	gate(t, p, n, site, CONTROL_WRITES);
	range_touch(t, FORMAT_K_RANGE_WRITE,
		    FORMAT_RANGE_NOVALUE | (begun ? FORMAT_RANGE_BEGUN : 0), (uintptr_t)p,
		    (uintptr_t)p + n, site);
}

/* Small copies are free reads that feed the write; the reads of larger ones are
 * binding, for the length of a feed list is limited. */
#define COPY_FREE_WORDS LOG_FEEDS

#define COPY_PART 512u /* bytes; the buffer is on somebody else's stack */

/* Reads all n bytes before it writes any, in however many pieces: the two may overlap. */
static void copy_part(struct thread *t, uintptr_t to, uintptr_t from, size_t n, uint32_t site)
{
	uint8_t bytes[COPY_PART];
	bool small = format_words(from, n) <= COPY_FREE_WORDS;
	uint64_t first = t->tseq + 1, feeds[LOG_FEEDS];
	unsigned nfeeds = 0;

	for (size_t done = 0, k; done < n; done += k) {
		k = read_piece(t, from + done, from + n, bytes + done, site, small, false);
		/* Of several pieces none has the bytes that are written first. */
		t->copied.bytes = k == n ? (uint32_t)n : 0;
	}
	t->copied.tseq = t->tseq;
	t->copied.chunk = t->nchunks;
	ASSERT_RECORDING(!small || t->tseq + 1 - first <= LOG_FEEDS);
	for (uint64_t k = first; small && k <= t->tseq && nfeeds < LOG_FEEDS; k++)
		feeds[nfeeds++] = k;
	write_pieces(t, (void *)to, bytes, n, site, FORMAT_RANGE_COPY, feeds, nfeeds);
}

static void gate_copy(struct thread *t, const void *to, const void *from, size_t n, uint32_t site)
{
	gate(t, from, n, site, 0);
	gate(t, to, n, site, CONTROL_WRITES | CONTROL_ALSO);
}

void range_copy(struct thread *t, void *to, const void *from, size_t n, uint32_t site)
{
	gate_copy(t, to, from, n, site);
	if (CONTROL_BARE(t)) {
		memmove(to, from, n);
		return;
	}
	for (size_t done = 0, k; done < n; done += k) {
		k = n - done < COPY_PART ? n - done : COPY_PART;
		copy_part(t, (uintptr_t)to + done, (uintptr_t)from + done, k, site);
	}
}

void range_move(struct thread *t, void *to, const void *from, size_t n, uint32_t site)
{
	uintptr_t a = (uintptr_t)to, b = (uintptr_t)from;

	if (a <= b || a >= b + n) {
		range_copy(t, to, from, n, site);
		return;
	}
	gate_copy(t, to, from, n, site);
	if (CONTROL_BARE(t)) {
		memmove(to, from, n);
		return;
	}
	/* Overlapping, upwards: the last part first. */
	while (n > 0) {
		size_t k = n % COPY_PART != 0 ? n % COPY_PART : COPY_PART;

		n -= k;
		copy_part(t, a + n, b + n, k, site);
	}
}

void range_fill(struct thread *t, void *to, int byte, size_t n, uint32_t site,
		const uint64_t *keepers, uint64_t mask)
{
	uint64_t feeds[LOG_FEEDS];
	unsigned nfeeds = keepers != NULL ? log_feed_gather(keepers, mask, feeds) : 0;

	gate(t, to, n, site, CONTROL_WRITES);
	if (CONTROL_BARE(t)) {
		memset(to, byte, n);
		return;
	}
	memset(t->piece, byte, sizeof(t->piece));
	for (size_t done = 0; done < n;) {
		size_t k = n - done < THREAD_PIECE ? n - done : THREAD_PIECE;

		done += write_piece(t, (uintptr_t)to + done, t->piece, (uintptr_t)to + done + k,
				    site, FORMAT_RANGE_FILL, feeds, nfeeds);
	}
}

size_t range_string(struct thread *t, const char *s, size_t max, uint32_t site)
{
	size_t done = 0, k;

	/* So far it goes now; others may change that. */
	if (CONTROLLED(t)) {
		k = strnlen(s, max);
		gate(t, s, k + (k < max), site, 0);
	}
	if (CONTROL_BARE(t))
		return strnlen(s, max);
	while (done < max) {
		k = read_piece(t, (uintptr_t)s + done,
			       max - done < THREAD_PIECE ? (uintptr_t)s + max
							 : (uintptr_t)s + done + THREAD_PIECE,
			       t->piece, site, false, true);
		done += k;
		if (t->piece[k - 1] == 0)
			return done - 1;
	}
	return max;
}

/* ---- blocks of memory ---- */

uint64_t range_chain;

static void log_big(struct thread *t, unsigned kind, unsigned aux, uintptr_t p, size_t n,
		    uint32_t site)
{
	uint64_t *tag = tag_of(&range_chain);
	uint64_t own = t->tseq + 1, ref, delta;
	tag_version before;

	log_ready(t, site); /* before others can name the event */
	before = tag_lock(tag);
	tag_unlock(tag, tag_make(t->tid, own));
	ref = log_ref(t, before, own);
	delta = log_delta(t, site, p);
	log_other_end(t, kind, aux, LOG_NUMBERS(t->cursor + 4, site, delta, n, ref), 1);
}

/* Versions found by an allocation, as runs.  A block made of more freed pieces
 * than there is room for is ordered after the first of them only; the rest is
 * logged as INIT, which names nothing. */
struct version_run {
	tag_version first;
	uint32_t words, kind;
};

#define FRAME_MOST (1u << 20) /* bytes in a record; a reader takes eight times that */
#define ALLOC_RUNS (sizeof(((struct thread *)0)->piece) / sizeof(struct version_run) - 1)

INLINE bool run_takes(struct version_run *r, tag_version v)
{
	if (v == 0 || r->first == 0)
		return v == r->first;
	if (r->words == 1 && v == r->first)
		r->kind = 2;
	return r->kind == 2 ? v == r->first : v == r->first + r->words;
}

/* The versions of [from, *end); with `mine' not 0, replaced by it, and then all
 * must be named: *end becomes the first word that there is no room for. */
static size_t find_runs(struct thread *t, uintptr_t from, uintptr_t *end, tag_version mine,
			struct version_run *runs)
{
	struct piece seen = { .from = from };
	size_t n = 0;

	for (uintptr_t at = from & ~(uintptr_t)7; at < *end; at += 8) {
		uint64_t *tag = tag_of((void *)at);
		tag_version v = mine != 0 ? tag_lock(tag) : tag_peek(tag);
		bool fits;

		if (n != 0 && run_takes(&runs[n - 1], v)) { /* its thread is named already */
			runs[n - 1].words++;
			if (mine != 0)
				tag_unlock(tag, mine);
			continue;
		}
		fits = n < ALLOC_RUNS && !piece_clashes(&seen, t->tid, v);
		if (mine != 0)
			tag_unlock(tag, fits ? mine : v);
		if (!fits && mine != 0) {
			*end = at;
			break;
		}
		if (!fits)
			v = 0;
		if (!fits && n != 0 && run_takes(&runs[n - 1], v))
			runs[n - 1].words++;
		else
			runs[n++] = (struct version_run){ v, 1, v != 0 };
	}
	return n;
}

static void log_alloc(struct thread *t, uintptr_t from, size_t n, unsigned aux, uint32_t site,
		      const struct version_run *runs, size_t nruns)
{
	uint64_t delta;
	uint8_t *q;

	ASSERT_RECORDING(nruns != 0 && nruns <= ALLOC_RUNS + 1);
	log_ready(t, site);
	for (size_t i = 0; i < nruns; i++)
		log_runs_prepare(t, &runs[i].first, 1);
	delta = log_delta(t, site, from);
	q = LOG_NUMBERS(t->cursor + 4, site, delta, n, nruns);
	for (size_t i = 0; i < nruns; i++) {
		q = log_varint(q, (uint64_t)runs[i].words << 2 | runs[i].kind);
		if (runs[i].kind != 0)
			q = log_varint(q, log_ref(t, runs[i].first, t->tseq + 1));
	}
	log_other_end(t, FORMAT_K_ALLOC, aux, q, 1);
}

void range_alloc(struct thread *t, void *p, size_t n, unsigned aux, uint32_t site)
{
	struct version_run *runs = (struct version_run *)t->piece;
	uintptr_t from = (uintptr_t)p, end = from + n;

	if (n == 0 || CONTROL_BARE(t))
		return;
	filter_sweep(t);
	if (aux & FORMAT_ALLOC_BIG) {
		tag_reset(p, n);
		log_big(t, FORMAT_K_ALLOC, aux, from, n, site);
		return;
	}
	log_other_room(t, site, PIECE_ROOM);
	log_alloc(t, from, n, aux, site, runs, find_runs(t, from, &end, 0, runs));
}

void range_frame(struct thread *t, void *p, size_t n, uint32_t site)
{
	struct version_run *runs = (struct version_run *)t->piece;
	uintptr_t from = (uintptr_t)p, end = from + n, to;

	if (CONTROL_BARE(t))
		return;
	for (uintptr_t at = from; t->npending != 0 && at < end; at += 8)
		filter_write(t, (void *)at);
	for (; from < end; from = to) {
		tag_version mine;
		size_t nruns;

		log_other_room(t, site, PIECE_ROOM); /* before others can name the event */
		mine = tag_make(t->tid, t->tseq + 1);
		to = end - from > FRAME_MOST ? (from + FRAME_MOST) & ~(uintptr_t)7 : end;
		nruns = find_runs(t, from, &to, mine, runs);
		log_alloc(t, from, to - from, FORMAT_ALLOC_FRAME, site, runs, nruns);
	}
}

void range_free(struct thread *t, void *p, size_t n, unsigned aux, uint32_t site)
{
	if (n == 0)
		return;
	if (CONTROLLED(t))
		control_free(t, p, n, site);
	if (CONTROL_BARE(t))
		return;
	filter_sweep(t);
	if (aux & FORMAT_ALLOC_BIG) {
		log_big(t, FORMAT_K_FREE, aux, (uintptr_t)p, n, site);
		tag_reset(p, n);
		return;
	}
	range_touch(t, FORMAT_K_FREE, aux, (uintptr_t)p, (uintptr_t)p + n, site);
}
