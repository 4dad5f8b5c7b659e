#include "trace_builder.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/vec.h"

struct history {
	VEC(struct builder_moment) at;
};

struct stream {
	bool used;
	uint32_t tid;
	struct history *history;
	struct strbuf open; /* records of the open chunk */
	uint64_t tseq, first_tseq;
	uint32_t number, ntrailing;
	uint64_t start; /* when the open chunk was begun, by the builder's clock */
	uint64_t predict[FORMAT_PREDICT];
	struct version peer[FORMAT_PEERS];
	/* For short records: the last access of each place, and what the thread named and read. */
	struct place {
		uint64_t shape, addr, stride, version, own, value;
	} place[FORMAT_HABITS];
	uint64_t last_version, last_read[2];
	/* For lean records: what is in each slot, the ring of acquires, the last one's address. */
	uint64_t shape[FORMAT_SHAPES];
	uint64_t ring[FORMAT_HELD], nring, taken;
};

struct builder {
	struct strbuf file;
	VEC(struct stream) streams; /* by tid */
	struct strbuf body;	    /* the OTHER record being made */
	uint32_t tid;		    /* whose */
	uint64_t clock;
	struct history history;
};

static struct stream *stream_get(struct builder *b, uint32_t tid)
{
	while (b->streams.n <= tid)
		memset(VEC_PUSH(&b->streams), 0, sizeof(struct stream));
	if (!b->streams.at[tid].used) {
		b->streams.at[tid].used = true;
		b->streams.at[tid].tid = tid;
		b->streams.at[tid].history = &b->history;
		b->streams.at[tid].first_tseq = 1;
		b->streams.at[tid].start = ++b->clock;
	}
	return &b->streams.at[tid];
}

struct builder *builder_new(uint32_t flags)
{
	struct builder *b = mem_zalloc(sizeof(*b));
	struct format_file head = { .version = FORMAT_VERSION, .header_size = 64, .flags = flags };

	memcpy(head.magic, FORMAT_MAGIC, 8);
	strbuf_add(&b->file, &head, sizeof(head));
	stream_get(b, FORMAT_CONTROL_TID);
	return b;
}

void builder_free(struct builder *b)
{
	for (size_t i = 0; i < b->streams.n; i++)
		strbuf_release(&b->streams.at[i].open);
	VEC_RELEASE(&b->streams);
	VEC_RELEASE(&b->history.at);
	strbuf_release(&b->file);
	strbuf_release(&b->body);
	mem_free(b);
}

uint64_t builder_tseq(const struct builder *b, uint32_t tid)
{
	return tid < b->streams.n ? b->streams.at[tid].tseq : 0;
}

static void varint_add(struct strbuf *out, uint64_t v)
{
	do {
		uint8_t byte = (v & 127) | (v > 127 ? 128 : 0);

		strbuf_add(out, &byte, 1);
		v >>= 7;
	} while (v);
}

static void history_add(struct stream *s)
{
	*VEC_PUSH(&s->history->at) =
		(struct builder_moment){ s->tid, s->number, (uint32_t)s->open.n };
}

static void record_add(struct stream *s, uint32_t head, const void *body, size_t n)
{
	strbuf_add(&s->open, &head, 4);
	strbuf_add(&s->open, body, n);
	history_add(s);
}

static void other_add(struct stream *s, unsigned kind, unsigned aux, const struct strbuf *body)
{
	struct strbuf all = { 0 };

	if (kind > 63)
		varint_add(&all, kind - 64);
	strbuf_add(&all, body->at, body->n);
	assert(all.n <= 0xffff);
	record_add(s,
		   FORMAT_OTHER | (kind < 63 ? kind : 63) << FORMAT_KIND_SHIFT |
			   aux << FORMAT_AUX_SHIFT | (uint32_t)all.n << FORMAT_LEN_SHIFT,
		   all.at, all.n);
	strbuf_release(&all);
}

static uint64_t ref_code(struct stream *s, uint32_t tid, struct version v, uint64_t own)
{
	struct version *p = &s->peer[v.tid % FORMAT_PEERS];
	int64_t delta;

	if (v.tid == 0)
		return 0;
	if (v.tid == tid)
		return (own - v.tseq) * 2;
	if (p->tid != v.tid) {
		struct strbuf body = { 0 };

		varint_add(&body, v.tid % FORMAT_PEERS);
		varint_add(&body, v.tid);
		other_add(s, FORMAT_K_PEER, 0, &body);
		strbuf_release(&body);
		*p = (struct version){ v.tid, 0 };
	}
	delta = (int64_t)(v.tseq - p->tseq);
	p->tseq = v.tseq;
	return format_zigzag(delta) << 5 | (uint64_t)(v.tid % FORMAT_PEERS) << 1 | 1;
}

static uint64_t addr_code(struct stream *s, uint32_t site, uint64_t addr)
{
	uint64_t *last = &s->predict[site & 255], z = format_zigzag((int64_t)(addr - *last));

	*last = addr;
	return z;
}

static unsigned byte_count(uint64_t v)
{
	unsigned n = 0;

	for (; v; v >>= 8)
		n++;
	return n;
}

static void byte_add(struct strbuf *out, uint64_t byte)
{
	strbuf_add(out, &(uint8_t){ (uint8_t)byte }, 1);
}

/* The number of bytes, then they. */
static void counted_add(struct strbuf *out, unsigned flag, uint64_t v)
{
	byte_add(out, flag | byte_count(v));
	strbuf_add(out, &v, byte_count(v));
}

static uint64_t packed(struct version v)
{
	return (uint64_t)v.tid << FORMAT_TSEQ_BITS | v.tseq;
}

/* The parts of a short record; each returns its code. */

/* Is it as near to what was named last as a byte can say? */
static bool ref_is_near(const struct stream *s, const struct place *p, uint64_t v)
{
	return (v != 0 && v == p->own) || v - p->version + 128 < 256 ||
	       v - s->last_version + 123 < 247;
}

static unsigned ref_add(const struct stream *s, const struct place *p, uint64_t v, uint64_t u,
			struct strbuf *out)
{
	if (v != 0 && v == p->own)
		return 2;
	if (v == p->version)
		return 0;
	if (v - p->version + 128 < 256) {
		byte_add(out, v - p->version + 128);
		return 1;
	}
	if (v - s->last_version + 123 < 247)
		byte_add(out, 9 + (v - s->last_version + 123));
	else
		counted_add(out, 0, u);
	return 3;
}

static unsigned address_add(const struct stream *s, const struct place *p, uint64_t addr,
			    struct strbuf *out)
{
	uint64_t d = addr - p->addr, z = format_zigzag((int64_t)d);

	if (d == 0 || d == p->stride)
		return d != 0;
	if (z >> 16 == 0) {
		strbuf_add(out, &z, 2);
		return 2;
	}
	if (addr - s->last_read[0] + 64 < 128)
		byte_add(out, addr - s->last_read[0] + 64);
	else
		counted_add(out, 128, z);
	return 3;
}

static unsigned value_add(const struct stream *s, const struct place *p, bool read, uint64_t addr,
			  uint64_t value, struct strbuf *out)
{
	unsigned n = byte_count(value), top = 8;

	if (value == p->value)
		return 0;
	if (!read && value == s->last_read[0])
		return 1;
	if (!read && value == s->last_read[1])
		return 2;
	if (n <= 4) {
		strbuf_add(out, &value, n <= 2 ? n + !n : 4);
		return n <= 1 ? 3 : n == 2 ? 4 : 5;
	}
	if ((int64_t)(value - addr) == (int32_t)(value - addr)) {
		value -= addr;
		strbuf_add(out, &value, 4);
		return 6;
	}
	while (top > 0 && (value >> 8 * (8 - top) & 255) == 0)
		top--;
	if (top < n) {
		value >>= 8 * (8 - top);
		byte_add(out, 128 | top);
		strbuf_add(out, &value, top);
	} else {
		counted_add(out, 0, value);
	}
	return 7;
}

static void feeds_add(struct strbuf *out, uint64_t own, const uint64_t *feeds, unsigned n)
{
	if (n)
		varint_add(out, n);
	for (unsigned i = 0; i < n; i++)
		varint_add(out, own - feeds[i]);
}

static void place_set(struct stream *s, struct place *p, uint32_t tid, unsigned what, uint64_t addr,
		      uint64_t version, uint64_t value)
{
	bool read = (what & 3) == FORMAT_READ;

	if (addr != p->addr && p->shape)
		p->stride = addr - p->addr;
	p->addr = addr;
	if (read || version != p->own)
		p->version = version;
	s->last_version = version;
	if (read && (what & FORMAT_READ_REREAD))
		return;
	p->value = value;
	if (read) {
		s->last_read[1] = s->last_read[0];
		s->last_read[0] = value;
	} else {
		p->own = packed((struct version){ tid, s->tseq + 1 });
	}
}

/* A whole record for a place that is new, else a short one. */
static uint64_t access_add(struct builder *b, uint32_t tid, uint32_t what, uint32_t site,
			   uint64_t addr, unsigned size, const struct version *refs, uint64_t value,
			   const uint64_t *feeds, unsigned nfeeds)
{
	struct stream *s = stream_get(b, tid);
	bool two = format_words(addr, size) == 2, read = (what & 3) == FORMAT_READ;
	bool reread = read && (what & FORMAT_READ_REREAD);
	uint64_t own = s->tseq + 1, u = 0, second = 0, shape;
	struct strbuf body = { 0 };
	struct place *p;
	unsigned slot;

	what |= (uint32_t)__builtin_ctz(size) << FORMAT_SIZE_SHIFT | (two ? FORMAT_CROSS : 0) |
		(nfeeds ? FORMAT_WRITE_FED : 0);
	slot = (site ^ (what & 32) << 2 ^ (what & 16) << 1 ^ (what & 128) >> 1) & 255;
	p = &s->place[slot];
	shape = (uint64_t)site << 32 | what;
	if (size < 8)
		value &= ((uint64_t)1 << 8 * size) - 1;
	if (reread)
		value = 0;
	if (p->shape != shape || !ref_is_near(s, p, packed(refs[0])))
		u = ref_code(s, tid, refs[0], own); /* a PEER record goes first */
	if (two)
		second = format_zigzag((int64_t)(packed(refs[1]) - packed(refs[0])));
	if (p->shape == shape) {
		unsigned head = (slot & 127) << 9 | (slot / 128 + 1);

		head |= ref_add(s, p, packed(refs[0]), u, &body) << 2;
		if (two)
			varint_add(&body, second);
		head |= address_add(s, p, addr, &body) << 4;
		head |= reread ? 0 : value_add(s, p, read, addr, value, &body) << 6;
		feeds_add(&body, own, feeds, nfeeds);
		strbuf_add(&s->open, &head, 2);
		strbuf_add(&s->open, body.at, body.n);
		history_add(s);
	} else {
		varint_add(&body, site);
		if (what & FORMAT_ATOMIC)
			byte_add(&body, 5);
		varint_add(&body, addr);
		varint_add(&body, u);
		if (two)
			varint_add(&body, second);
		varint_add(&body, value);
		feeds_add(&body, own, feeds, nfeeds);
		other_add(s, FORMAT_K_ACCESS, what, &body);
		*p = (struct place){ .stride = size };
	}
	place_set(s, p, tid, what, addr, packed(refs[0]), value);
	p->shape = shape;
	strbuf_release(&body);
	return reread ? s->tseq : (s->tseq = own);
}

uint64_t builder_read(struct builder *b, uint32_t tid, uint32_t site, uint64_t addr, unsigned size,
		      const struct version *refs, uint64_t value, uint32_t head_flags)
{
	return access_add(b, tid, FORMAT_READ | head_flags, site, addr, size, refs, value, NULL, 0);
}

uint64_t builder_write(struct builder *b, uint32_t tid, uint32_t site, uint64_t addr, unsigned size,
		       const struct version *refs, uint64_t value, uint32_t head_flags,
		       const uint64_t *feeds, unsigned nfeeds)
{
	return access_add(b, tid, FORMAT_WRITE | head_flags, site, addr, size, refs, value, feeds,
			  nfeeds);
}

void builder_begin(struct builder *b, uint32_t tid)
{
	stream_get(b, tid);
	b->tid = tid;
	strbuf_clear(&b->body);
}

void builder_put(struct builder *b, uint64_t varint)
{
	varint_add(&b->body, varint);
}

void builder_put_byte(struct builder *b, uint8_t byte)
{
	strbuf_add(&b->body, &byte, 1);
}

void builder_put_bytes(struct builder *b, const void *bytes, size_t n)
{
	strbuf_add(&b->body, bytes, n);
}

uint64_t builder_short(struct builder *b, uint32_t tid, const void *bytes, size_t n,
		       uint64_t numbers)
{
	struct stream *s = stream_get(b, tid);

	strbuf_add(&s->open, bytes, n);
	history_add(s);
	return s->tseq += numbers;
}

void builder_put_where(struct builder *b, uint32_t site, uint64_t addr)
{
	builder_put(b, addr_code(stream_get(b, b->tid), site, addr));
}

void builder_put_addr(struct builder *b, uint32_t site, uint64_t addr)
{
	builder_put(b, site);
	builder_put_where(b, site, addr);
}

void builder_put_ref(struct builder *b, struct version v, uint64_t own)
{
	builder_put(b, ref_code(stream_get(b, b->tid), b->tid, v, own));
}

static bool is_next(struct version a, struct version b, uint64_t by)
{
	return a.tid == b.tid && a.tid != 0 && a.tseq + by == b.tseq;
}

void builder_put_runs(struct builder *b, const struct version *refs, size_t n, unsigned step)
{
	uint64_t own = stream_get(b, b->tid)->tseq + 1;
	size_t runs = 0;

	/* First count the runs, then write them. */
	for (int pass = 0; pass < 2; pass++) {
		if (pass == 1)
			builder_put(b, runs);
		for (size_t i = 0, k; i < n; i = k) {
			unsigned kind = refs[i].tid == 0 ? 0 : 1;

			k = i + 1;
			if (kind == 0) {
				while (k < n && refs[k].tid == 0)
					k++;
			} else if (k < n && is_next(refs[i], refs[k], 0)) {
				kind = 2;
				while (k < n && is_next(refs[i], refs[k], 0))
					k++;
			} else {
				while (k < n && is_next(refs[i], refs[k], k - i))
					k++;
			}
			if (pass == 0) {
				runs++;
				continue;
			}
			builder_put(b, (uint64_t)(k - i) << 2 | kind);
			if (kind)
				builder_put_ref(b, refs[i], own + i * step);
		}
	}
}

uint64_t builder_end(struct builder *b, unsigned kind, unsigned aux, uint64_t numbers)
{
	struct stream *s = stream_get(b, b->tid);

	other_add(s, kind, aux, &b->body);
	s->ntrailing += kind == FORMAT_K_TRAILING;
	s->tseq += numbers;
	return s->tseq;
}

static uint64_t shape_of(unsigned kind, unsigned aux, uint32_t site)
{
	return kind | aux << 8 | (uint64_t)site << 32;
}

static void ring_push(struct stream *s, uint64_t addr)
{
	s->ring[s->nring++ % FORMAT_HELD] = s->tseq + 1;
	s->taken = addr;
}

/* A release of what was taken last gives it back, and is then lean. */
static bool ring_pop(struct stream *s, uint32_t tid, struct version ref)
{
	if (ref.tid != tid || ref.tseq != s->ring[(s->nring - 1) % FORMAT_HELD])
		return false;
	s->nring--;
	return true;
}

/* The record that tells what later ones leave out: a slot, and whether it was there before. */
static bool shape_put(struct stream *s, unsigned kind, unsigned aux, uint32_t site, unsigned *slot)
{
	bool same;

	*slot = (2 * site + (kind == FORMAT_K_ACQ)) % 64;
	*slot += *slot == 0;
	same = s->shape[*slot] == shape_of(kind, aux, site);
	s->shape[*slot] = shape_of(kind, aux, site);
	return same;
}

/* An acquire as one number of 6 or 8 bytes; 0: it does not fit, or names a thread that is new. */
static unsigned acquire_code(struct stream *s, uint32_t tid, uint64_t addr, struct version ref,
			     uint64_t *v)
{
	uint64_t z = format_zigzag((int64_t)(addr / 8 - s->taken / 8)), u;
	struct version before;

	if (addr % 8 || s->taken % 8 || z >> 28 ||
	    (ref.tid && ref.tid != tid && s->peer[ref.tid % FORMAT_PEERS].tid != ref.tid))
		return 0;
	before = s->peer[ref.tid % FORMAT_PEERS];
	u = ref_code(s, tid, ref, s->tseq + 1);
	if (u >> 24 != 0) { /* the whole record says it */
		s->peer[ref.tid % FORMAT_PEERS] = before;
		return 0;
	}
	*v |= z >> 15 == 0 ? z << 9 | u << 24 : 1 << 8 | z << 9 | u << 37;
	return z >> 15 == 0 ? 6 : 8;
}

/* ACQ and REL.  True: the lean record is there. */
static bool lean_add(struct stream *s, uint32_t tid, unsigned kind, unsigned aux, uint32_t site,
		     uint64_t addr, struct version ref)
{
	unsigned slot, n = 0;
	bool same = shape_put(s, kind, aux, site, &slot);
	uint64_t v = slot << 2;

	if (kind == FORMAT_K_REL) {
		n = ring_pop(s, tid, ref) && same;
	} else {
		if (same)
			n = acquire_code(s, tid, addr, ref, &v);
		ring_push(s, addr);
	}
	strbuf_add(&s->open, &v, n);
	history_add(s);
	return n != 0;
}

uint64_t builder_sync(struct builder *b, uint32_t tid, unsigned kind, unsigned aux, uint32_t site,
		      uint64_t addr, struct version ref, unsigned nargs, uint64_t a, uint64_t c)
{
	struct stream *s = stream_get(b, tid);

	if ((kind == FORMAT_K_ACQ || kind == FORMAT_K_REL) &&
	    lean_add(s, tid, kind, aux, site, addr, ref))
		return ++s->tseq;
	builder_begin(b, tid);
	builder_put_addr(b, site, addr);
	builder_put_ref(b, ref, builder_tseq(b, tid) + 1);
	if (nargs > 0)
		builder_put(b, a);
	if (nargs > 1)
		builder_put(b, c);
	return builder_end(b, kind, aux, 1);
}

uint64_t builder_rmw(struct builder *b, uint32_t tid, uint32_t site, uint64_t addr, unsigned size,
		     struct version ref, uint64_t old, uint64_t value)
{
	builder_begin(b, tid);
	builder_put_addr(b, site, addr);
	builder_put_byte(b, 5);
	builder_put_byte(b, 1);
	builder_put_ref(b, ref, builder_tseq(b, tid) + 1);
	builder_put(b, old);
	builder_put(b, value);
	return builder_end(b, FORMAT_K_RMW, (unsigned)__builtin_ctz(size), 1);
}

uint64_t builder_range(struct builder *b, uint32_t tid, bool write, unsigned aux, uint32_t site,
		       uint64_t addr, uint64_t len, const struct version *refs, const void *bytes)
{
	uint64_t words = format_words(addr, len);

	builder_begin(b, tid);
	builder_put(b, site);
	if (aux & FORMAT_RANGE_ATOMIC)
		builder_put_byte(b, 5);
	builder_put_where(b, site, addr);
	builder_put(b, len);
	builder_put_runs(b, refs, words, 1);
	if (bytes)
		builder_put_bytes(b, bytes, aux & FORMAT_RANGE_FILL ? 1 : len);
	return builder_end(b, write ? FORMAT_K_RANGE_WRITE : FORMAT_K_RANGE_READ, aux, words);
}

uint64_t builder_block(struct builder *b, uint32_t tid, unsigned kind, unsigned aux, uint32_t site,
		       uint64_t addr, uint64_t len, const struct version *refs)
{
	uint64_t words = format_words(addr, len);

	builder_begin(b, tid);
	builder_put_addr(b, site, addr);
	builder_put(b, len);
	builder_put_runs(b, refs, words, kind == FORMAT_K_FREE);
	return builder_end(b, kind, aux, kind == FORMAT_K_FREE ? words : 1);
}

void builder_late(struct builder *b, uint32_t tid, uint64_t after, unsigned size, uint32_t site,
		  uint64_t addr, struct version ref, uint64_t value)
{
	builder_begin(b, tid);
	builder_put(b, builder_tseq(b, tid) - after);
	builder_put(b, size);
	builder_put_addr(b, site, addr);
	builder_put_ref(b, ref, after + 1);
	builder_put(b, value);
	builder_end(b, FORMAT_K_TRAILING, 0, 0);
}

uint64_t builder_fork(struct builder *b, uint32_t tid, uint32_t child)
{
	builder_begin(b, tid);
	builder_put(b, 0);
	builder_put(b, child);
	return builder_end(b, FORMAT_K_FORK, 0, 1);
}

uint64_t builder_join(struct builder *b, uint32_t tid, uint32_t child, uint64_t end)
{
	builder_begin(b, tid);
	builder_put(b, 0);
	builder_put(b, child);
	builder_put(b, end);
	return builder_end(b, FORMAT_K_JOIN, 0, 1);
}

uint64_t builder_thread(struct builder *b, uint32_t tid, uint32_t parent, uint64_t fork)
{
	builder_begin(b, tid);
	builder_put(b, parent);
	builder_put(b, fork);
	for (int i = 0; i < 4; i++)
		builder_put(b, 0);
	return builder_end(b, FORMAT_K_BEGIN, 0, 1);
}

uint64_t builder_thread_end(struct builder *b, uint32_t tid)
{
	builder_begin(b, tid);
	return builder_end(b, FORMAT_K_END, 0, 1);
}

void builder_string(struct builder *b, uint32_t id, const char *s)
{
	builder_begin(b, FORMAT_CONTROL_TID);
	builder_put(b, id);
	builder_put_bytes(b, s, strlen(s));
	builder_end(b, FORMAT_K_C_STRING, 0, 0);
}

void builder_site(struct builder *b, uint32_t number, uint32_t file, uint32_t function,
		  uint32_t variable, uint32_t line)
{
	const uint64_t part[] = { number, file, function, variable, line, 7, 1, 0, 4, 0, 0, 0 };

	builder_begin(b, FORMAT_CONTROL_TID);
	for (size_t i = 0; i < sizeof(part) / sizeof(*part); i++)
		builder_put(b, part[i]);
	builder_end(b, FORMAT_K_C_SITE, 0, 0);
}

void builder_global(struct builder *b, uint64_t addr, uint64_t size, uint32_t name, uint32_t type)
{
	builder_begin(b, FORMAT_CONTROL_TID);
	builder_put(b, addr);
	builder_put(b, size);
	builder_put(b, name);
	builder_put(b, 0); /* file */
	builder_put(b, type);
	builder_put(b, 0); /* line */
	builder_end(b, FORMAT_K_C_GLOBAL, 0, 0);
}

void builder_cut(struct builder *b, uint64_t number, const struct builder_pair *p, size_t n)
{
	uint32_t tid = 0;

	builder_begin(b, FORMAT_CONTROL_TID);
	builder_put(b, number);
	builder_put(b, n);
	for (size_t i = 0; i < n; i++) {
		builder_put(b, p[i].tid - tid);
		builder_put(b, p[i].tseq);
		tid = p[i].tid;
	}
	builder_end(b, FORMAT_K_C_CUT, 0, 0);
}

static struct format_chunk chunk_head(const struct stream *s, uint32_t tid, uint32_t flags)
{
	struct format_chunk c = {
		.magic = FORMAT_CHUNK,
		.tid = tid,
		.number = s->number,
		.first_tseq = s->first_tseq,
		.start_ns = s->start,
		.flags = flags,
	};

	if (flags & FORMAT_CHUNK_CLOSED) {
		c.used = (uint32_t)s->open.n;
		c.ntrailing = s->ntrailing;
		c.nevents = s->tseq + 1 - s->first_tseq;
		c.sum = format_sum(strbuf_str(&s->open), s->open.n, s->number);
		c.head_sum = format_head_sum(&c);
	}
	return c;
}

static void zeros_add(struct strbuf *out, size_t n)
{
	static const char zero[64];

	for (; n > 0; n -= n < 64 ? n : 64)
		strbuf_add(out, zero, n < 64 ? n : 64);
}

void builder_close_chunk(struct builder *b, uint32_t tid, uint32_t more_flags)
{
	struct stream *s = stream_get(b, tid);
	struct format_chunk c = chunk_head(s, tid, FORMAT_CHUNK_CLOSED | more_flags);

	strbuf_add(&b->file, &c, sizeof(c));
	strbuf_add(&b->file, strbuf_str(&s->open), s->open.n);
	zeros_add(&b->file, -s->open.n & 63);
	strbuf_clear(&s->open);
	s->number++;
	s->first_tseq = s->tseq + 1;
	s->start = ++b->clock;
	s->ntrailing = 0;
	history_add(s);
	memset(s->place, 0, sizeof(s->place));
	s->last_version = s->last_read[0] = s->last_read[1] = 0;
	memset(s->predict, 0, sizeof(s->predict));
	memset(s->peer, 0, sizeof(s->peer));
	memset(s->shape, 0, sizeof(s->shape));
	memset(s->ring, 0, sizeof(s->ring));
	s->nring = s->taken = 0;
}

void builder_slots(struct builder *b, uint32_t slot_size)
{
	struct format_slots head = { .magic = FORMAT_SLOTS, .size = slot_size, .first = 128 };

	for (size_t i = 0; i < b->streams.n; i++)
		head.count += b->streams.at[i].used;
	head.count++; /* one free */
	head.length = 128 + (uint64_t)head.count * slot_size;
	strbuf_add(&b->file, &head, sizeof(head));
	zeros_add(&b->file, 64);
	for (size_t i = 0; i < b->streams.n; i++) {
		struct stream *s = &b->streams.at[i];
		struct format_chunk c = chunk_head(s, (uint32_t)i, 0);

		if (!s->used)
			continue;
		assert(sizeof(c) + s->open.n <= slot_size);
		strbuf_add(&b->file, &c, sizeof(c));
		strbuf_add(&b->file, strbuf_str(&s->open), s->open.n);
		zeros_add(&b->file, slot_size - sizeof(c) - s->open.n);
	}
	zeros_add(&b->file, slot_size);
}

void builder_finish(struct builder *b, int status)
{
	for (size_t i = 1; i < b->streams.n; i++)
		if (b->streams.at[i].used)
			builder_close_chunk(b, (uint32_t)i, FORMAT_CHUNK_LAST);
	builder_begin(b, FORMAT_CONTROL_TID);
	builder_put(b, (uint64_t)status);
	builder_end(b, FORMAT_K_C_END, 0, 0);
	builder_close_chunk(b, FORMAT_CONTROL_TID, FORMAT_CHUNK_LAST);
}

const struct builder_moment *builder_history(const struct builder *b, size_t *n)
{
	*n = b->history.at.n;
	return b->history.at.at;
}

const uint8_t *builder_bytes(const struct builder *b, size_t *n)
{
	*n = b->file.n;
	return (const uint8_t *)b->file.at;
}

void builder_save(const char *path, const void *bytes, size_t n)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(bytes, 1, n, f) != n || fclose(f) != 0) {
		perror(path);
		abort();
	}
}
