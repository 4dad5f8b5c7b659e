/*
 * Records, as doc/TRACE_FORMAT.md has them.  The head comes last, so that a killed program leaves
 * whole records only.
 */
#include "tool.h"

#define STACK_FRAMES 200u /* that are stated; deeper ones are not logged */
#define STACK_ROOM (STACK_FRAMES * 5 + 64)
#define PIECE_WORDS 1024u /* of a range, in one record */

static uint32_t tid_of(version v)
{
	return (uint32_t)(v >> FORMAT_TSEQ_BITS);
}

static uint64_t tseq_of(version v)
{
	return v & (((uint64_t)1 << FORMAT_TSEQ_BITS) - 1);
}

static void put_4(uint8_t *p, uint32_t v)
{
	__builtin_memcpy(p, &v, 4);
}

static void commit(struct thread *t, unsigned kind, unsigned aux, uint8_t *end)
{
	uint32_t head = format_kind_head(kind) | aux << FORMAT_AUX_SHIFT |
			(uint32_t)(end - t->cursor - 4) << FORMAT_LEN_SHIFT;

	put_4(t->cursor, head);
	t->cursor = end;
}

static uint32_t from_base(uint32_t depth, uint32_t base)
{
	depth = depth > base ? depth - base : 0;
	return depth < STACK_FRAMES ? depth : STACK_FRAMES;
}

void record_stack(struct thread *t)
{
	uint32_t base = site_base(t), depth, logged, keep;
	uint8_t *p;

	log_room(t, STACK_ROOM + 256);
	depth = from_base(t->depth, base);
	logged = t->stated;
	keep = from_base(t->low_depth, base);
	keep = keep < logged ? keep : logged;
	keep = keep < depth ? keep : depth;
	if (keep != logged || depth != keep) {
		p = put_varint(put_varint(t->cursor + 4, keep), depth - keep);
		for (uint32_t i = keep; i < depth; i++)
			p = put_varint(p, t->frames[(base + i) % FRAMES].site);
		commit(t, FORMAT_K_STACK, 0, p);
	}
	t->stated = depth;
	t->low_depth = t->logged_depth = t->depth;
}

static __attribute__((noinline)) void stack_first(struct thread *t, SizeT need)
{
	record_stack(t);
	log_room(t, need);
	if (t->logged_depth != t->depth)
		record_stack(t);
}

/* Before a record of up to need bytes. */
static inline void ready(struct thread *t, SizeT need)
{
	log_room(t, need);
	if (UNLIKELY_(t->depth != t->logged_depth || t->low_depth != t->logged_depth))
		stack_first(t, need);
}

uint8_t *record_begin(struct thread *t, SizeT need)
{
	ready(t, need + 64);
	return t->cursor + 4;
}

void record_end(struct thread *t, unsigned kind, unsigned aux, uint8_t *end, uint64_t events)
{
	commit(t, kind, aux, end);
	t->tseq += events;
	t->nextra -= events > 1 ? (int64_t)events - 1 : 0;
}

static __attribute__((noinline)) void peer_meet(struct thread *t, uint32_t tid)
{
	uint32_t seat = tid & (FORMAT_PEERS - 1);

	t->peers[seat].tid = tid;
	t->peers[seat].tseq = 0;
	commit(t, FORMAT_K_PEER, 0, put_varint(put_varint(t->cursor + 4, seat), tid));
}

static inline void peer_know(struct thread *t, version v)
{
	uint32_t tid = tid_of(v);

	if (v != 0 && tid != t->tid && UNLIKELY_(t->peers[tid & (FORMAT_PEERS - 1)].tid != tid))
		peer_meet(t, tid);
}

/* How event number own of t names v, which it knows. */
static uint64_t name(const struct thread *t, version v, uint64_t own)
{
	uint32_t tid = tid_of(v), seat = tid & (FORMAT_PEERS - 1);

	if (v == 0)
		return 0;
	if (tid == t->tid)
		return (own - tseq_of(v)) << 1;
	return format_zigzag((int64_t)(tseq_of(v) - t->peers[seat].tseq)) << 5 | seat << 1 | 1;
}

uint64_t record_ref(struct thread *t, version v, uint64_t own)
{
	uint64_t ref = name(t, v, own);

	if (v != 0 && tid_of(v) != t->tid)
		t->peers[tid_of(v) & (FORMAT_PEERS - 1)].tseq = tseq_of(v);
	return ref;
}

uint64_t record_delta(struct thread *t, uint32_t site, Addr a)
{
	uint64_t *last = &t->predict[site & (FORMAT_PREDICT - 1)];
	uint64_t z = format_zigzag((int64_t)(a - *last));

	*last = a;
	return z;
}

/* ---- loads and stores ---- */

/* Most of what is recorded is a plain load or store, so each of both has a copy of all of this, in which
 * what only concerns the others is not asked. */
#define ALWAYS static inline __attribute__((always_inline))

ALWAYS uint64_t habit_of(const struct access *a)
{
	return (uint64_t)a->site | (uint64_t)(a->what & 0xff) << 32 | (uint64_t)a->order << 40 |
	       (uint64_t)1 << 48;
}

ALWAYS Bool is_reread(unsigned what)
{
	return (what & FORMAT_FORM) == FORMAT_READ && (what & FORMAT_READ_REREAD) != 0;
}

ALWAYS void remember(struct thread *t, struct habit *h, const struct access *a)
{
	Bool read = (a->what & FORMAT_FORM) == FORMAT_READ;

	h->addr = a->addr;
	if (read || a->first != h->own)
		h->version = a->first;
	t->last_version = a->first;
	t->last_addr = a->addr;
	if (is_reread(a->what))
		return;
	h->value = a->value;
	if (read) {
		t->last_read[1] = t->last_read[0];
		t->last_read[0] = a->value;
	} else {
		h->own = (version)t->tid << FORMAT_TSEQ_BITS | (t->tseq + 1);
	}
}

ALWAYS uint8_t *put_second(uint8_t *p, const struct access *a)
{
	return a->what & FORMAT_CROSS
		       ? put_varint(p, format_zigzag((int64_t)(a->second - a->first)))
		       : p;
}

static __attribute__((noinline)) void record_whole(struct thread *t, struct habit *h,
						   const struct access *a)
{
	uint8_t *p = put_varint(t->cursor + 4, a->site);

	if (a->what & FORMAT_ATOMIC)
		*p++ = a->order;
	p = put_varint(p, a->addr);
	p = put_varint(p, record_ref(t, a->first, t->tseq + 1));
	p = put_second(p, a);
	p = put_varint(p, is_reread(a->what) ? 0 : a->value);
	if ((a->what & FORMAT_FORM) == FORMAT_WRITE && (a->what & FORMAT_WRITE_FED))
		p = put_varint(put_varint(p, 1), t->tseq + 1 - a->feed);
	commit(t, FORMAT_K_ACCESS, a->what, p);
	*h = (struct habit){ .of = habit_of(a),
			     .stride = (uint64_t)1 << (a->what >> FORMAT_SIZE_SHIFT & 3) };
}

/* v has n bytes.  Zeros follow, as behind all records so far: there is room. */
ALWAYS uint8_t *put_fixed(uint8_t *p, uint64_t v, unsigned n)
{
	__builtin_memcpy(p, &v, 8);
	return p + n;
}

ALWAYS unsigned bytes_of(uint64_t v)
{
	return v == 0 ? 0 : (71 - (unsigned)__builtin_clzll(v)) >> 3;
}

ALWAYS uint8_t *short_ref(struct thread *t, uint8_t *p, const struct habit *h, version v, Bool read,
			  unsigned *code)
{
	uint64_t near = v - h->version + FORMAT_R_WINDOW / 2;
	uint64_t last = v - t->last_version + FORMAT_R_LAST_WINDOW / 2;
	uint64_t u;

	*code = FORMAT_R_SAME;
	if (v == h->version)
		return p;
	*code = FORMAT_R_OWN;
	if (!read && v == h->own && v != 0)
		return p;
	*code = FORMAT_R_NEAR;
	if (near < FORMAT_R_WINDOW && tid_of(v) == tid_of(h->version)) {
		*p++ = (uint8_t)near;
		return p;
	}
	*code = FORMAT_R_LONG;
	if (last < FORMAT_R_LAST_WINDOW && tid_of(v) == tid_of(t->last_version)) {
		*p++ = (uint8_t)(last + FORMAT_R_FIRST);
		return p;
	}
	u = record_ref(t, v, t->tseq + 1);
	*p++ = (uint8_t)bytes_of(u);
	return put_fixed(p, u, bytes_of(u));
}

ALWAYS uint8_t *short_address(struct thread *t, uint8_t *p, struct habit *h, Addr a, unsigned *code)
{
	uint64_t d = a - h->addr, z = format_zigzag((int64_t)d);
	uint64_t hop = a - t->last_read[0] + FORMAT_HOP;
	uint64_t last = a - t->last_addr + FORMAT_A_LAST_WINDOW / 2;
	unsigned n = bytes_of(z);

	*code = FORMAT_A_SAME;
	if (d == 0)
		return p;
	*code = FORMAT_A_STRIDE;
	if (d == h->stride)
		return p;
	h->stride = d;
	*code = FORMAT_A_LONG;
	if (hop < FORMAT_A_FAR) {
		*p++ = (uint8_t)hop;
		return p;
	}
	if (last < FORMAT_A_LAST_WINDOW) {
		*p++ = (uint8_t)(last + FORMAT_A_LAST);
		return p;
	}
	if (z < 1u << 16) {
		*code = FORMAT_A_NEAR;
		return put_fixed(p, z, 2);
	}
	*p++ = (uint8_t)(FORMAT_A_FAR + n);
	return put_fixed(p, z, n);
}

ALWAYS uint8_t *short_value(const struct thread *t, uint8_t *p, const struct habit *h,
			    const struct access *a, unsigned *code)
{
	uint64_t v = is_reread(a->what) ? 0 : a->value;
	Bool write = (a->what & FORMAT_FORM) == FORMAT_WRITE;
	uint64_t step = v - t->last_read[0] + FORMAT_V_STEP_WINDOW / 2;
	int64_t near = (int64_t)(v - a->addr);
	unsigned n = bytes_of(v);

	*code = FORMAT_V_SAME;
	if (v == h->value)
		return p;
	if (write && (v == t->last_read[0] || v == t->last_read[1])) {
		*code = v == t->last_read[0] ? FORMAT_V_READ : FORMAT_V_READ2;
		return p;
	}
	if (n <= 1) {
		*code = FORMAT_V_1;
		return put_fixed(p, v, 1);
	}
	if (write && step < FORMAT_V_STEP_WINDOW) {
		*code = FORMAT_V_LONG;
		*p++ = (uint8_t)(step + FORMAT_V_STEP);
		return p;
	}
	if (n == 2 || n == 4) {
		*code = n == 2 ? FORMAT_V_2 : FORMAT_V_4;
		return put_fixed(p, v, n);
	}
	if ((a->what >> FORMAT_SIZE_SHIFT & 3) == 3 && near == (int64_t)(int32_t)near) {
		*code = FORMAT_V_ADDRESS;
		return put_fixed(p, (uint32_t)near, 4);
	}
	*code = FORMAT_V_LONG;
	if (n == 8 && (v & 0xffffffffffffu) == 0) {
		*p++ = FORMAT_V_TOP | 2;
		return put_fixed(p, v >> 48, 2);
	}
	*p++ = (uint8_t)n;
	return put_fixed(p, v, n);
}

ALWAYS void record_short(struct thread *t, struct habit *h, unsigned seat, const struct access *a)
{
	unsigned ref, address, value;
	uint8_t *p = short_ref(t, t->cursor + 2, h, a->first,
			       (a->what & FORMAT_FORM) == FORMAT_READ, &ref);
	uint16_t head;

	p = put_second(p, a);
	p = short_address(t, p, h, a->addr, &address);
	p = short_value(t, p, h, a, &value);
	if ((a->what & FORMAT_FORM) == FORMAT_WRITE && (a->what & FORMAT_WRITE_FED))
		p = put_varint(put_varint(p, 1), t->tseq + 1 - a->feed);
	head = (uint16_t)((1 + (seat >> 7)) | ref << FORMAT_R_SHIFT | address << FORMAT_A_SHIFT |
			  value << FORMAT_V_SHIFT | (seat & 127) << FORMAT_HABIT_SHIFT);
	__builtin_memcpy(t->cursor, &head, 2);
	t->cursor = p;
}

ALWAYS void put_access(struct thread *t, const struct access *a)
{
	unsigned seat = format_habit(a->site, a->what);
	struct habit *h = &t->habits[seat];

	ready(t, 160);
	peer_know(t, a->first);
	if (LIKELY_(h->of == habit_of(a))) {
		record_short(t, h, seat, a);
	} else {
		struct access copy = *a; /* so that a itself may stay in registers */

		record_whole(t, h, &copy);
	}
	remember(t, h, a);
	if (is_reread(a->what))
		t->nextra++;
	else
		t->tseq++;
}

void record_access(struct thread *t, const struct access *a)
{
	put_access(t, a);
}

void record_load(struct thread *t, uint32_t site, Addr a, unsigned log2, Bool is_free, version v,
		 uint64_t value)
{
	struct access e = { .what = FORMAT_READ | (log2 & 3) << FORMAT_SIZE_SHIFT |
				    (is_free ? FORMAT_READ_FREE : 0),
			    .site = site,
			    .addr = a,
			    .first = v,
			    .value = value };

	put_access(t, &e);
}

void record_store(struct thread *t, uint32_t site, Addr a, unsigned log2, Bool fed, version v,
		  uint64_t value)
{
	struct access e = { .what = FORMAT_WRITE | (log2 & 3) << FORMAT_SIZE_SHIFT |
				    (fed ? FORMAT_WRITE_FED1 : 0),
			    .site = site,
			    .addr = a,
			    .first = v,
			    .value = value };

	put_access(t, &e);
}

void record_rmw(struct thread *t, uint32_t site, Addr a, unsigned log2, version v, uint64_t old,
		uint64_t now)
{
	uint8_t *p;

	record_begin(t, 128);
	peer_know(t, v);
	p = put_varint(t->cursor + 4, site);
	p = put_varint(p, record_delta(t, site, a));
	*p++ = 5;
	*p++ = FORMAT_RMW_CAS;
	p = put_varint(p, record_ref(t, v, t->tseq + 1));
	p = put_varint(put_varint(p, old), now);
	record_end(t, FORMAT_K_RMW, log2, p, 1);
}

void record_casfail(struct thread *t, uint32_t site, Addr a, unsigned log2, version v, uint64_t old)
{
	uint8_t *p;

	record_begin(t, 128);
	peer_know(t, v);
	p = put_varint(t->cursor + 4, site);
	p = put_varint(p, record_delta(t, site, a));
	*p++ = 5;
	p = put_varint(p, record_ref(t, v, t->tseq + 1));
	p = put_varint(p, old);
	record_end(t, FORMAT_K_CASFAIL, log2, p, 1);
}

/* ---- objects and threads ---- */

static Bool is_remark(unsigned kind)
{
	return kind == FORMAT_K_TRYFAIL || kind == FORMAT_K_SEM_FAIL || kind == FORMAT_K_REQ ||
	       kind == FORMAT_K_RREQ;
}

uint64_t record_sync(struct thread *t, uint32_t site, unsigned kind, unsigned aux, Addr object,
		     const uint64_t *args, unsigned nargs)
{
	version *at = version_at(object), before;
	uint8_t *p;

	if (!recording)
		return t->tseq;
	if (UNLIKELY_(shadow_is_shared(shadow_of(object), object)))
		shared_touch(t, True, True);
	access_sync(t);
	if (!is_remark(kind))
		access_replace(object);
	record_begin(t, 160);
	before = *at;
	peer_know(t, before);
	p = put_varint(t->cursor + 4, site);
	p = put_varint(p, record_delta(t, site, object));
	p = put_varint(p, record_ref(t, before, t->tseq + 1));
	for (unsigned i = 0; i < nargs; i++)
		p = put_varint(p, args[i]);
	record_end(t, kind, aux, p, 1);
	if (!is_remark(kind))
		*at = (version)t->tid << FORMAT_TSEQ_BITS | t->tseq;
	return t->tseq;
}

uint64_t record_thread(struct thread *t, uint32_t site, unsigned kind, unsigned aux, uint64_t a,
		       uint64_t b, unsigned nargs)
{
	uint8_t *p;

	if (!recording)
		return t->tseq;
	access_sync(t);
	p = put_varint(put_varint(record_begin(t, 96), site), a);
	if (nargs > 1)
		p = put_varint(p, b);
	record_end(t, kind, aux, p, 1);
	return t->tseq;
}

/* ---- ranges ---- */

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

		if (replace)
			access_replace(a + 8 * n);
		found[n] = *version_at(a + 8 * n);
		bit_set(shadow_of(a + 8 * n)->seen, shadow_word(a + 8 * n));
		tid = tid_of(found[n]);
		seat = &seats[tid & (FORMAT_PEERS - 1)];
		if (tid == 0 || tid == t->tid)
			continue;
		if (*seat != 0 && *seat != tid)
			break;
		*seat = tid;
	}
	record_begin(t, PIECE_WORDS * 30 + 256);
	for (SizeT i = 0; i < n; i++)
		peer_know(t, found[i]);
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
		Addr word = (a & ~(Addr)7) + 8 * i;

		bit_set(shadow_of(word)->seen, shadow_word(word));
		*version_at(word) = (version)t->tid << FORMAT_TSEQ_BITS | (t->tseq + 1 + i * step);
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
		peer_know(t, after[i]);
		count += after[i] != 0 && tid_of(after[i]) != t->tid;
	}
	p = put_varint(t->cursor + 4, site);
	p = put_varint(put_varint(p, record_delta(t, site, a)), n);
	p = put_varint(p, count);
	for (unsigned i = 0; i < FORMAT_PEERS; i++)
		if (after[i] != 0 && tid_of(after[i]) != t->tid)
			p = put_varint(put_varint(p, 1u << 2 | 1),
				       record_ref(t, after[i], t->tseq + 1));
	record_end(t, FORMAT_K_ALLOC, aux, p, 1);
}
