/*
 * Records of ranges: what is read or written at once, and memory that comes and goes.  They are cut to pieces.
 */
#include "capture/log.h"

#define PIECE_WORDS 1024u /* of a range, in one record */

/* Where the run of versions that begins at i ends, and its kind. */
static SizeT run_end(const version *v, SizeT i, SizeT n, unsigned *kind)
{
	SizeT k = i + 1;

	*kind = v[i] == 0 ? 0 : k < n && v[k] == v[i] ? 2 : 1;
	while (k < n && v[k] == v[i] + (*kind == 1 ? k - i : 0))
		k++;
	return k;
}

static uint8_t *put_runs(struct thread *t, uint8_t *p, const version *v, SizeT n, unsigned step)
{
	SizeT count = 0, i, k;
	unsigned kind;

	for (i = 0; i < n; i = k, count++)
		k = run_end(v, i, n, &kind);
	p = put_varint(p, count);
	for (i = 0; i < n; i = k) {
		k = run_end(v, i, n, &kind);
		p = put_varint(p, (uint64_t)(k - i) << 2 | kind);
		if (kind != 0)
			p = put_varint(p, record_ref(t, v[i], t->tseq + 1 + i * step));
	}
	return p;
}

/*
 * The versions of the words from a on, known to t: of as many of *words as can be named in one record,
 * which is all unless two threads would need the same seat.
 */
static version *gather(struct thread *t, Addr a, SizeT *words, Bool replace)
{
	static version found[PIECE_WORDS];
	uint32_t seats[FORMAT_PEERS] = { 0 };
	SizeT n = 0;

	a &= ~(Addr)7;
	for (; n < *words; n++) {
		uint32_t tid, *seat;
		struct cell *c;

		if (replace)
			access_replace(a + 8 * n);
		c = cell_of(a + 8 * n);
		c->run |= RUN_TOUCHED;
		found[n] = c->at;
		tid = tag_tid(found[n]);
		seat = &seats[tid & (FORMAT_PEERS - 1)];
		if (tid == 0 || tid == t->tid)
			continue;
		if (*seat != 0 && *seat != tid)
			break;
		*seat = tid;
	}
	record_begin(t, PIECE_WORDS * 30 + 256);
	for (SizeT i = 0; i < n; i++)
		record_meet(t, found[i]);
	*words = n;
	return found;
}

/* Of a range from a on: the bytes of its first words. */
static SizeT bytes_in(Addr a, SizeT words, SizeT most)
{
	SizeT n = words * 8 - (a & 7);

	return n < most ? n : most;
}

static void replace_all(const struct thread *t, Addr a, SizeT words, unsigned step)
{
	for (SizeT i = 0; i < words; i++) {
		struct cell *c = cell_of((a & ~(Addr)7) + 8 * i);

		c->run |= RUN_TOUCHED;
		c->at = (version)t->tid << FORMAT_TSEQ_BITS | (t->tseq + 1 + i * step);
	}
}

static SizeT range_piece(struct thread *t, uint32_t site, Bool write, Bool atomic, Addr a, SizeT n)
{
	SizeT words = format_words(a, n);
	version *v = gather(t, a, &words, write);
	uint8_t *p = put_varint(t->cursor + 4, site);

	n = bytes_in(a, words, n);
	if (atomic)
		*p++ = 5;
	p = put_varint(p, record_delta(t, site, a));
	p = put_varint(p, n);
	p = put_runs(t, p, v, words, 1);
	VG_(memcpy)(p, (const void *)a, n);
	if (write)
		replace_all(t, a, words, 1);
	record_end(t, write ? FORMAT_K_RANGE_WRITE : FORMAT_K_RANGE_READ,
		   atomic ? FORMAT_RANGE_ATOMIC : 0, p + n, words);
	return n;
}

void record_range(struct thread *t, uint32_t site, Bool write, Bool atomic, Addr a, SizeT n)
{
	while (n > 0 && recording) {
		SizeT k = range_piece(t, site, write, atomic, a, bytes_in(a, PIECE_WORDS, n));

		a += k;
		n -= k;
	}
}

/* A FREE, or a stack that others may look at from now on, replaces the versions of its words. */
static void record_extent(struct thread *t, uint32_t site, unsigned kind, unsigned aux, Addr a,
			  SizeT n, unsigned step)
{
	while (n > 0 && recording) {
		SizeT words = format_words(a, bytes_in(a, PIECE_WORDS, n)), k;
		version *v = gather(t, a, &words, True);
		uint8_t *p = put_varint(t->cursor + 4, site);

		k = bytes_in(a, words, n);
		p = put_varint(put_varint(p, record_delta(t, site, a)), k);
		p = put_runs(t, p, v, words, step);
		replace_all(t, a, words, step);
		record_end(t, kind, aux, p, step == 0 ? 1 : words);
		a += k;
		n -= k;
	}
}

void record_frame(struct thread *t, uint32_t site, Addr a, SizeT n)
{
	if (!recording)
		return;
	access_sync(t);
	record_extent(t, site, FORMAT_K_ALLOC, FORMAT_ALLOC_FRAME, a, n, 0);
}

void record_free(struct thread *t, uint32_t site, unsigned aux, Addr a, SizeT n)
{
	uint8_t *p;

	if (!recording || n == 0)
		return;
	access_sync(t);
	shadow_forget(a, n);
	if (!(aux & FORMAT_ALLOC_BIG)) {
		record_extent(t, site, FORMAT_K_FREE, aux, a, n, 1);
		return;
	}
	p = put_varint(record_begin(t, 128), site);
	p = put_varint(put_varint(p, record_delta(t, site, a)), n);
	record_end(t, FORMAT_K_FREE, aux, put_varint(p, 0), 1);
}

void record_alloc(struct thread *t, uint32_t site, unsigned aux, Addr a, SizeT n,
		  const version *after)
{
	uint64_t count = 0;
	uint8_t *p;

	access_sync(t);
	record_begin(t, 128 + FORMAT_PEERS * 32);
	for (unsigned i = 0; i < FORMAT_PEERS; i++) {
		record_meet(t, after[i]);
		count += after[i] != 0 && tag_tid(after[i]) != t->tid;
	}
	p = put_varint(t->cursor + 4, site);
	p = put_varint(put_varint(p, record_delta(t, site, a)), n);
	p = put_varint(p, count);
	for (unsigned i = 0; i < FORMAT_PEERS; i++)
		if (after[i] != 0 && tag_tid(after[i]) != t->tid)
			p = put_varint(put_varint(p, 1u << 2 | 1),
				       record_ref(t, after[i], t->tseq + 1));
	record_end(t, FORMAT_K_ALLOC, aux, p, 1);
}
