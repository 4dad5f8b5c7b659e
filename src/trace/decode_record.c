/*
 * Decoding records.
 *
 * A record decodes wholly or not at all: bodies are read through struct wire,
 * which remembers a read past the end, and everything that a later stage
 * relies on (word counts, event numbers, thread ids) is checked here.
 *
 * Payload shapes repeat, so OTHER kinds are a table: which operation, whether
 * an address and a ref follow, and a small function for what is special.
 */
#include "trace/decode_priv.h"

#include <string.h>

#include "trace/stacks.h"
#include "trace/wire.h"

#define TSEQ_MAX DECODE_TSEQ_MAX

/* ---- parts of records ---- */

bool decode_ref(struct decode_cursor *c, uint64_t u, uint64_t own, struct version *out)
{
	struct version *p;

	*out = (struct version){ 0, 0 };
	if (u == 0)
		return true;
	if ((u & 1) == 0) {
		if (u / 2 >= own)
			return false;
		*out = (struct version){ c->tid, own - u / 2 };
		return true;
	}
	p = &c->peer[u >> 1 & (FORMAT_PEERS - 1)];
	p->tseq += (uint64_t)format_unzigzag(u >> 5);
	if (p->tid == 0 || p->tseq == 0 || p->tseq > TSEQ_MAX || p->tid == c->tid)
		return false;
	*out = *p;
	return true;
}

static uint64_t addr_take(struct decode_cursor *c, uint32_t site, uint64_t delta)
{
	uint64_t *last = &c->predict[site & (FORMAT_PREDICT - 1)];

	*last += (uint64_t)format_unzigzag(delta);
	return *last;
}

/* Only an rmw may be fed by itself. */
static void feeds_take(struct wire *w, struct decode_item *item, uint64_t own)
{
	uint64_t n = wire_varint(w);

	VEC_CLEAR(&item->feeds);
	if (n > wire_left(w)) { /* each takes a byte at least */
		wire_fail(w);
		return;
	}
	for (; n > 0; n--) {
		uint64_t back = wire_varint(w);

		if ((back == 0 && item->e.op != EVENT_RMW) || back >= own) {
			wire_fail(w);
			return;
		}
		*VEC_PUSH(&item->feeds) = own - back;
	}
	item->e.feeds = item->feeds.at;
	item->e.nfeeds = (uint32_t)item->feeds.n;
}

static void feed_set(struct decode_item *item, uint64_t tseq)
{
	VEC_CLEAR(&item->feeds);
	*VEC_PUSH(&item->feeds) = tseq;
	item->e.feeds = item->feeds.at;
	item->e.nfeeds = 1;
}

/* Refs, at most max of them; step: each is of a word with a number of its own, counted from own. */
static void runs_take(struct decode_cursor *c, struct wire *w, struct decode_item *item,
		      uint64_t max, uint64_t own, unsigned step)
{
	uint64_t runs = wire_varint(w), done = 0;

	VEC_CLEAR(&item->refs);
	for (; runs > 0 && !w->bad; runs--) {
		uint64_t head = wire_varint(w), words = head >> 2;
		unsigned kind = head & 3;
		struct version v = { 0, 0 };

		if (words == 0 || words > max - done || kind == 3 ||
		    (kind != 0 && !decode_ref(c, wire_varint(w), own + done * step, &v)) ||
		    (kind != 0 && (v.tid == 0 || v.tseq + words > TSEQ_MAX)))
			break;
		/* A run of its own numbers could reach itself. */
		if (kind == 1 && v.tid == c->tid && step == 0 && v.tseq + words - 1 >= own)
			break;
		VEC_RESERVE(&item->refs, done + words);
		for (uint64_t i = 0; i < words; i++) {
			item->refs.at[done + i] = v;
			v.tseq += kind == 1;
		}
		done += words;
	}
	if (runs != 0)
		wire_fail(w);
	item->refs.n = done;
	item->e.refs = item->refs.at;
	item->e.nrefs = (uint32_t)done;
}

static bool span_is_sane(uint64_t addr, uint64_t len)
{
	return len <= UINT64_MAX - addr && format_words(addr, len) <= DECODE_RANGE_WORDS;
}

static void value_set(struct decode_item *item, uint8_t *into, uint64_t v)
{
	memcpy(into, &v, 8);
	item->e.flags |= EVENT_HAS_VALUE;
}

/* ---- READ and WRITE ---- */

static uint64_t access_address(struct decode_cursor *c, struct wire *w, uint32_t site,
			       unsigned code)
{
	uint64_t addr;

	if (code != FORMAT_NEAR)
		return addr_take(c, site, wire_fixed(w, format_length(code)));
	addr = c->last_value + wire_byte(w) - FORMAT_HOP;
	c->predict[site & (FORMAT_PREDICT - 1)] = addr;
	return addr;
}

static bool access_value(struct wire *w, const struct event *e, unsigned code, uint64_t *value)
{
	if (code == FORMAT_NEAR) {
		*value = e->addr + (uint64_t)(int64_t)(int32_t)wire_fixed(w, 4);
		return e->len == 8;
	}
	*value = wire_fixed(w, format_length(code));
	return format_length(code) <= e->len;
}

static bool access_take(struct decode_cursor *c, struct wire *w, uint32_t head,
			struct decode_item *item)
{
	struct event *e = &item->e;
	bool read = (head & FORMAT_FORM) == FORMAT_READ;
	unsigned vlen = head >> FORMAT_VLEN_SHIFT & 7, alen = head >> FORMAT_ALEN_SHIFT & 7;
	unsigned rlen = head >> FORMAT_RLEN_SHIFT & 7;
	uint64_t own = c->tseq + 1, value;

	e->op = read ? EVENT_READ : EVENT_WRITE;
	e->len = (uint64_t)1 << (head >> FORMAT_SIZE_SHIFT & 3);
	e->site = c->page << FORMAT_SITE_BITS | head >> FORMAT_SITE_SHIFT;
	if (head & FORMAT_ATOMIC) {
		e->flags |= EVENT_ATOMIC;
		e->order = wire_byte(w);
	}
	e->addr = access_address(c, w, e->site, alen);
	if (!decode_ref(c, wire_fixed(w, rlen), own, &item->ref[0]))
		return false;
	e->nrefs = 1;
	if (head & FORMAT_CROSS) {
		unsigned n = wire_byte(w);

		if (n > 8 || !decode_ref(c, wire_fixed(w, n), own, &item->ref[1]))
			return false;
		e->nrefs = 2;
	}
	e->refs = item->ref;
	if (!access_value(w, e, vlen, &value) || !span_is_sane(e->addr, e->len) ||
	    format_words(e->addr, e->len) != e->nrefs)
		return false;
	if (read && e->len == 8 && !(head & (FORMAT_READ_REREAD | FORMAT_CROSS)))
		c->last_value = value;
	value_set(item, item->value, value);
	e->value = item->value;
	item->reads = read;
	item->replaces = !read;
	item->numbers = 1;
	item->is_event = true;
	if (read) {
		e->flags |= head & FORMAT_READ_FREE ? EVENT_FREE_READ : 0;
		if (head & FORMAT_READ_REREAD) { /* tells a version, no bytes, takes no number */
			item->numbers = 0;
			e->flags = (e->flags | EVENT_REREAD) & ~EVENT_HAS_VALUE;
			e->value = NULL;
		}
	} else if (head & FORMAT_WRITE_FED) {
		feeds_take(w, item, own);
	} else if (head & FORMAT_WRITE_FED1) {
		if (own == 1)
			return false;
		feed_set(item, own - 1);
	}
	return !w->bad;
}

/* ---- OTHER ---- */

/* How a kind's payload starts, and what it is to the merger. */
#define SITE 1u		/* site */
#define ADDR 2u		/* addr */
#define REF 4u		/* ref of the word at addr */
#define KEEPS 8u	/* with REF: replaces nothing */
#define LOCK 16u	/* aux is a lock's */
#define ARG 32u		/* one varint, into arg */
#define PEER 64u	/* tid, into peer */
#define SYNC 128u	/* ends the epoch of the filter */
#define NONE 256u	/* no event */
#define UNNUMBERED 512u /* an event without a number */

struct shape {
	uint8_t op;
	uint16_t has;
	/* The rest of the payload; aux in e.arg's stead is passed along. */
	bool (*rest)(struct decode_cursor *c, struct wire *w, unsigned aux,
		     struct decode_item *item);
};

static bool rmw_take(struct decode_cursor *c, struct wire *w, unsigned aux,
		     struct decode_item *item)
{
	struct event *e = &item->e;
	uint64_t own = c->tseq + 1;

	e->len = (uint64_t)1 << (aux & 3);
	e->flags |= EVENT_ATOMIC | (aux & 4 ? EVENT_FREE_READ : 0);
	e->order = wire_byte(w);
	e->rmw = wire_byte(w);
	e->flags |= e->rmw == FORMAT_RMW_CAS ? EVENT_CAS : 0;
	if (!decode_ref(c, wire_varint(w), own, &item->ref[0]) || !span_is_sane(e->addr, e->len) ||
	    format_words(e->addr, e->len) != 1)
		return false;
	value_set(item, item->old, wire_varint(w));
	value_set(item, item->value, wire_varint(w));
	e->old = item->old;
	e->value = item->value;
	if (aux & 8)
		feeds_take(w, item, own);
	e->refs = item->ref;
	e->nrefs = 1;
	item->replaces = true;
	return true;
}

static bool casfail_take(struct decode_cursor *c, struct wire *w, unsigned aux,
			 struct decode_item *item)
{
	struct event *e = &item->e;

	e->len = (uint64_t)1 << (aux & 3);
	e->flags |= EVENT_ATOMIC | EVENT_CAS;
	e->order = wire_byte(w);
	if (!decode_ref(c, wire_varint(w), c->tseq + 1, &item->ref[0]) ||
	    !span_is_sane(e->addr, e->len) || format_words(e->addr, e->len) != 1)
		return false;
	value_set(item, item->value, wire_varint(w));
	e->value = item->value;
	e->refs = item->ref;
	e->nrefs = 1;
	item->reads = true;
	return true;
}

/* addr (after the order byte, which is why the table does not take it) and len, with its refs. */
static bool range_take(struct decode_cursor *c, struct wire *w, unsigned aux,
		       struct decode_item *item)
{
	struct event *e = &item->e;

	if (aux & FORMAT_RANGE_ATOMIC) {
		e->flags |= EVENT_ATOMIC;
		e->order = wire_byte(w);
	}
	e->addr = addr_take(c, e->site, wire_varint(w));
	e->len = wire_varint(w);
	if (!span_is_sane(e->addr, e->len))
		return false;
	item->numbers = format_words(e->addr, e->len);
	item->is_event = item->numbers != 0; /* nothing was touched */
	item->divisible = !(aux & FORMAT_RANGE_ATOMIC);
	e->flags |= EVENT_RANGE;
	runs_take(c, w, item, item->numbers, c->tseq + 1, 1);
	return !w->bad && e->nrefs == item->numbers;
}

static bool range_read_take(struct decode_cursor *c, struct wire *w, unsigned aux,
			    struct decode_item *item)
{
	struct event *e = &item->e;

	if (!range_take(c, w, aux, item))
		return false;
	e->flags |= aux & FORMAT_RANGE_FREE ? EVENT_FREE_READ : 0;
	if (!(aux & FORMAT_RANGE_NOVALUE)) {
		e->value = wire_bytes(w, e->len);
		e->flags |= EVENT_HAS_VALUE;
	}
	item->reads = true;
	c->copy = e->value;
	c->copy_len = e->len;
	c->copy_tseq = c->tseq + 1;
	c->copy_fresh = true;
	return true;
}

static bool range_write_take(struct decode_cursor *c, struct wire *w, unsigned aux,
			     struct decode_item *item)
{
	struct event *e = &item->e;

	if (!range_take(c, w, aux, item))
		return false;
	if (aux & FORMAT_RANGE_FED)
		feeds_take(w, item, c->tseq + 1);
	if (aux & FORMAT_RANGE_COPY) {
		e->flags |= EVENT_COPY;
		if (c->copy_fresh && c->copy_len == e->len)
			e->value = c->copy;
		if (c->copy_fresh && !(aux & FORMAT_RANGE_FED) && item->numbers != 0)
			feed_set(item, c->copy_tseq);
	} else if (aux & FORMAT_RANGE_FILL) {
		uint8_t byte = wire_byte(w);

		VEC_RESERVE(&item->fill, e->len ? e->len : 1);
		memset(item->fill.at, byte, e->len);
		e->value = item->fill.at;
	} else if (!(aux & FORMAT_RANGE_NOVALUE)) {
		e->value = wire_bytes(w, e->len);
	}
	e->flags |= e->value ? EVENT_HAS_VALUE : 0;
	item->replaces = true;
	return true;
}

static bool block_take(struct decode_cursor *c, struct wire *w, unsigned aux,
		       struct decode_item *item)
{
	struct event *e = &item->e;
	bool freed = e->op == EVENT_FREE;

	e->len = wire_varint(w);
	e->arg = aux & FORMAT_ALLOC_KIND;
	if (!freed && (aux & FORMAT_ALLOC_ZEROED))
		e->flags |= EVENT_ZEROED;
	if (aux & FORMAT_ALLOC_BIG) {
		item->chained = true;
		return e->len <= UINT64_MAX - e->addr &&
		       decode_ref(c, wire_varint(w), c->tseq + 1, &item->before[0]) &&
		       (item->nbefore = item->before[0].tid != 0, true);
	}
	if (!freed && e->arg == FORMAT_ALLOC_FRAME) {
		if (!span_is_sane(e->addr, e->len))
			return false;
		runs_take(c, w, item, format_words(e->addr, e->len), c->tseq + 1, 0);
		item->replaces = true;
		return e->nrefs == format_words(e->addr, e->len);
	}
	if (!freed) {
		/* Versions found, in no relation to words: it comes after them, no more. */
		runs_take(c, w, item, DECODE_RANGE_WORDS, c->tseq + 1, 0);
		return e->len <= UINT64_MAX - e->addr;
	}
	if (!span_is_sane(e->addr, e->len))
		return false;
	item->numbers = format_words(e->addr, e->len);
	runs_take(c, w, item, item->numbers, c->tseq + 1, 1);
	item->is_event = item->numbers != 0;
	item->divisible = true;
	e->flags |= EVENT_RANGE;
	item->replaces = true;
	return e->nrefs == item->numbers;
}

static bool fence_take(struct decode_cursor *c, struct wire *w, unsigned aux,
		       struct decode_item *item)
{
	(void)c;
	(void)aux;
	item->e.order = wire_byte(w);
	return true;
}

static bool use_take(struct decode_cursor *c, struct wire *w, unsigned aux,
		     struct decode_item *item)
{
	(void)aux;
	feeds_take(w, item, c->tseq + 1);
	return true;
}

/* A thread and event this one comes after; 0, 0 for none. */
static bool before_take(struct wire *w, struct decode_item *item, struct version *out)
{
	out->tid = wire_u32(w);
	out->tseq = wire_varint(w);
	if (out->tid >= 1u << FORMAT_TID_BITS || out->tseq > TSEQ_MAX)
		return false;
	if (out->tid != 0 && out->tseq != 0)
		item->before[item->nbefore++] = *out;
	return true;
}

static bool wake_take(struct decode_cursor *c, struct wire *w, unsigned aux,
		      struct decode_item *item)
{
	struct version v;

	(void)c;
	item->e.flags |= aux & FORMAT_WAKE_TIMEOUT ? EVENT_TIMEOUT : 0;
	if (!before_take(w, item, &v))
		return false;
	item->e.peer = v.tid;
	item->e.peer_tseq = v.tseq;
	return true;
}

/* PARK and JOINING: a wait begins. */
static bool wait_take(struct decode_cursor *c, struct wire *w, unsigned aux,
		      struct decode_item *item)
{
	(void)c;
	(void)w;
	item->e.flags |= aux & FORMAT_WAIT_TIMED ? EVENT_TRY : 0;
	return true;
}

static bool join_take(struct decode_cursor *c, struct wire *w, unsigned aux,
		      struct decode_item *item)
{
	item->e.flags |= aux & FORMAT_WAIT_TIMED ? EVENT_TRY : 0;
	return wake_take(c, w, 0, item);
}

static bool begin_take(struct decode_cursor *c, struct wire *w, unsigned aux,
		       struct decode_item *item)
{
	struct version owner;
	uint64_t high;

	(void)aux;
	if (!wake_take(c, w, 0, item))
		return false;
	item->e.addr = wire_varint(w);
	high = wire_varint(w);
	if (high < item->e.addr)
		return false;
	item->e.len = high - item->e.addr;
	return before_take(w, item, &owner);
}

static bool end_take(struct decode_cursor *c, struct wire *w, unsigned aux,
		     struct decode_item *item)
{
	(void)c;
	(void)w;
	item->e.arg = aux;
	return true;
}

static bool user_take(struct decode_cursor *c, struct wire *w, unsigned aux,
		      struct decode_item *item)
{
	const uint8_t *nul = wire_left(w) ? memchr(w->at, 0, wire_left(w)) : NULL;

	(void)c;
	(void)aux;
	if (!nul)
		return false;
	item->e.name = (const char *)w->at;
	item->e.data = nul + 1;
	item->e.ndata = (uint32_t)(w->end - item->e.data);
	return true;
}

static bool page_take(struct decode_cursor *c, struct wire *w, unsigned aux,
		      struct decode_item *item)
{
	(void)aux;
	(void)item;
	c->page = wire_u32(w);
	return c->page < 1u << (32 - FORMAT_SITE_BITS);
}

static bool peer_take(struct decode_cursor *c, struct wire *w, unsigned aux,
		      struct decode_item *item)
{
	uint64_t slot = wire_varint(w);
	uint32_t tid = wire_u32(w);

	(void)aux;
	(void)item;
	if (slot >= FORMAT_PEERS || tid == 0 || tid >= 1u << FORMAT_TID_BITS)
		return false;
	c->peer[slot] = (struct version){ tid, 0 };
	return true;
}

static bool stack_take(struct decode_cursor *c, struct wire *w, unsigned aux,
		       struct decode_item *item)
{
	uint32_t keep = wire_u32(w);
	uint64_t n = wire_varint(w);

	(void)aux;
	(void)item;
	if (n > wire_left(w))
		return false;
	if (c->stacks)
		c->stack = stacks_cut(c->stacks, c->stack, keep);
	/* Cursors that do not follow stacks must find the same damage as those that do. */
	for (; n > 0; n--) {
		uint32_t site = wire_u32(w);

		if (c->stacks)
			c->stack = stacks_push(c->stacks, c->stack, site);
	}
	return true;
}

static bool name_take(struct decode_cursor *c, struct wire *w, unsigned aux,
		      struct decode_item *item)
{
	(void)aux;
	(void)item;
	c->nname = (uint32_t)wire_left(w);
	c->name = w->at;
	return true;
}

bool decode_late_take(struct decode_cursor *c, struct wire *w, unsigned aux,
		      struct decode_late *out)
{
	uint64_t back = wire_varint(w), size = wire_varint(w);

	if (back > c->tseq || size == 0 || size > 8)
		return false;
	out->after = c->tseq - back;
	out->size = (uint8_t)size;
	out->atomic = aux & FORMAT_LATE_ATOMIC;
	out->has_value = !(aux & FORMAT_LATE_NOVALUE);
	out->site = wire_u32(w);
	out->addr = addr_take(c, out->site, wire_varint(w));
	if (!decode_ref(c, wire_varint(w), out->after + 1, &out->ref))
		return false;
	out->value = out->has_value ? wire_varint(w) : 0;
	return !w->bad && span_is_sane(out->addr, size) && format_words(out->addr, size) == 1 &&
	       out->after + 1 >= c->chunk->head.first_tseq;
}

/* Delivered from chunk->late; here only the address prediction and the peers move on. */
static bool late_skip(struct decode_cursor *c, struct wire *w, unsigned aux,
		      struct decode_item *item)
{
	struct decode_late late;

	(void)item;
	return c->chunk->scanned && decode_late_take(c, w, aux, &late);
}

#define OBJECT (SITE | ADDR | REF | SYNC)

static bool channel_take(struct decode_cursor *c, struct wire *w, unsigned aux,
			 struct decode_item *item)
{
	(void)c;
	(void)w;
	item->e.lock_kind = (uint8_t)aux;
	return true;
}

static const struct shape shapes[FORMAT_NKINDS] = {
	[FORMAT_K_PAD] = { 0, NONE, NULL },
	[FORMAT_K_PAGE] = { 0, NONE, page_take },
	[FORMAT_K_PEER] = { 0, NONE, peer_take },
	[FORMAT_K_STACK] = { 0, NONE, stack_take },
	[FORMAT_K_LATE] = { 0, NONE, late_skip },
	[FORMAT_K_RMW] = { EVENT_RMW, SITE | ADDR, rmw_take },
	[FORMAT_K_CASFAIL] = { EVENT_READ, SITE | ADDR, casfail_take },
	[FORMAT_K_RANGE_READ] = { EVENT_READ, SITE, range_read_take },
	[FORMAT_K_RANGE_WRITE] = { EVENT_WRITE, SITE, range_write_take },
	[FORMAT_K_FREE] = { EVENT_FREE, SITE | ADDR, block_take },
	[FORMAT_K_ALLOC] = { EVENT_ALLOC, SITE | ADDR, block_take },
	[FORMAT_K_FENCE] = { EVENT_FENCE, SITE, fence_take },
	[FORMAT_K_USE] = { EVENT_USE, SITE, use_take },
	[FORMAT_K_OPAQUE] = { EVENT_OPAQUE, SITE, NULL },
	[FORMAT_K_ACQ] = { EVENT_ACQ, OBJECT | LOCK, NULL },
	[FORMAT_K_REL] = { EVENT_REL, OBJECT | LOCK, NULL },
	[FORMAT_K_TRYFAIL] = { EVENT_TRYFAIL, OBJECT | LOCK | KEEPS, NULL },
	[FORMAT_K_RACQ] = { EVENT_RACQ, OBJECT | LOCK, NULL },
	[FORMAT_K_RREL] = { EVENT_RREL, OBJECT | LOCK, NULL },
	[FORMAT_K_LOCK_INIT] = { EVENT_LOCK_INIT, OBJECT | LOCK, NULL },
	[FORMAT_K_LOCK_DESTROY] = { EVENT_LOCK_DESTROY, OBJECT | LOCK, NULL },
	[FORMAT_K_PARK] = { EVENT_PARK, OBJECT | ARG, wait_take },
	[FORMAT_K_WAKE] = { EVENT_WAKE, OBJECT, wake_take },
	[FORMAT_K_SIGNAL] = { EVENT_SIGNAL, OBJECT | ARG, NULL },
	[FORMAT_K_BROADCAST] = { EVENT_BROADCAST, OBJECT | ARG, NULL },
	[FORMAT_K_BAR_INIT] = { EVENT_BAR_INIT, OBJECT | ARG, NULL },
	[FORMAT_K_BAR_IN] = { EVENT_BAR_IN, OBJECT | ARG, NULL },
	[FORMAT_K_BAR_OUT] = { EVENT_BAR_OUT, OBJECT | ARG, NULL },
	[FORMAT_K_SEM_INIT] = { EVENT_SEM_INIT, OBJECT | ARG, NULL },
	[FORMAT_K_SEM_POST] = { EVENT_SEM_POST, OBJECT, NULL },
	[FORMAT_K_SEM_WAIT] = { EVENT_SEM_WAIT, OBJECT, NULL },
	[FORMAT_K_SEM_FAIL] = { EVENT_SEM_FAIL, OBJECT | KEEPS, NULL },
	[FORMAT_K_ONCE_BEGIN] = { EVENT_ONCE_BEGIN, OBJECT, NULL },
	[FORMAT_K_ONCE_END] = { EVENT_ONCE_END, OBJECT, NULL },
	[FORMAT_K_ONCE_PASS] = { EVENT_ONCE_PASS, OBJECT, NULL },
	[FORMAT_K_FORK] = { EVENT_FORK, SITE | PEER | SYNC, NULL },
	[FORMAT_K_FORK_FAIL] = { EVENT_FORK_FAIL, SITE | PEER | SYNC, NULL },
	[FORMAT_K_JOIN] = { EVENT_JOIN, SITE | SYNC, join_take },
	[FORMAT_K_DETACH] = { EVENT_DETACH, SITE | PEER | SYNC, NULL },
	[FORMAT_K_BEGIN] = { EVENT_THREAD_BEGIN, SYNC, begin_take },
	[FORMAT_K_END] = { EVENT_THREAD_END, SYNC, end_take },
	[FORMAT_K_NAME] = { 0, NONE, name_take },
	[FORMAT_K_USER] = { EVENT_USER, SITE, user_take },
	[FORMAT_K_C_PROCESS] = { 0, NONE, NULL },
	[FORMAT_K_C_MODULE] = { 0, NONE, NULL },
	[FORMAT_K_C_STRING] = { 0, NONE, NULL },
	[FORMAT_K_C_SITE] = { 0, NONE, NULL },
	[FORMAT_K_C_GLOBAL] = { 0, NONE, NULL },
	[FORMAT_K_C_CUT] = { 0, NONE, NULL },
	[FORMAT_K_C_TROUBLE] = { 0, NONE, NULL },
	[FORMAT_K_C_END] = { 0, NONE, NULL },
	[FORMAT_K_NESTED] = { EVENT_OPAQUE, SITE | UNNUMBERED, NULL },
	[FORMAT_K_GIVE] = { EVENT_GIVE, OBJECT, channel_take },
	[FORMAT_K_TAKE] = { EVENT_TAKE, OBJECT, channel_take },
	[FORMAT_K_CANCEL] = { EVENT_CANCEL, SITE | PEER | SYNC, NULL },
	[FORMAT_K_REQ] = { EVENT_REQ, OBJECT | LOCK | KEEPS, NULL },
	[FORMAT_K_RREQ] = { EVENT_RREQ, OBJECT | LOCK | KEEPS, NULL },
	[FORMAT_K_JOINING] = { EVENT_JOINING, SITE | PEER | SYNC, wait_take },
};

static bool other_take(struct decode_cursor *c, struct wire *w, uint32_t head,
		       struct decode_item *item)
{
	unsigned kind = head >> FORMAT_KIND_SHIFT & 63, aux = head >> FORMAT_AUX_SHIFT & 255;
	struct event *e = &item->e;
	const struct shape *s;
	struct wire body;

	body.at = wire_bytes(w, head >> FORMAT_LEN_SHIFT);
	body.end = w->at;
	body.bad = w->bad;
	if (w->bad)
		return false;
	if (kind >= FORMAT_NKINDS)
		return true;
	s = &shapes[kind];
	if (!(s->has & NONE)) {
		item->is_event = true;
		item->numbers = s->has & UNNUMBERED ? 0 : 1;
		e->op = s->op;
	}
	if (s->has & SITE)
		e->site = wire_u32(&body);
	if (s->has & ADDR)
		e->addr = addr_take(c, e->site, wire_varint(&body));
	if (s->has & REF) {
		if (!decode_ref(c, wire_varint(&body), c->tseq + 1, &item->ref[0]))
			return false;
		e->refs = item->ref;
		e->nrefs = 1;
		item->reads = s->has & KEEPS;
		item->replaces = !item->reads;
	}
	if (s->has & LOCK)
		decode_lock(e, aux);
	if (s->has & ARG)
		e->arg = wire_varint(&body);
	if (s->has & PEER)
		e->peer = wire_u32(&body);
	if (e->peer >= 1u << FORMAT_TID_BITS)
		return false;
	if (s->rest && !s->rest(c, &body, aux, item))
		return false;
	if (kind == FORMAT_K_ACQ || kind == FORMAT_K_REL)
		decode_lean_learn(c, kind, aux, item);
	return !body.bad;
}

bool decode_record(struct decode_cursor *c, struct wire *w, uint32_t head, struct decode_item *item)
{
	unsigned form = head & FORMAT_FORM;
	bool good = form == FORMAT_LEAN	   ? decode_lean(c, w, head, item)
		    : form == FORMAT_OTHER ? other_take(c, w, head, item)
					   : access_take(c, w, head, item);

	return good && !w->bad && c->tseq + item->numbers <= TSEQ_MAX;
}

bool decode_is_sync(uint32_t head)
{
	unsigned kind = head >> FORMAT_KIND_SHIFT & 63;

	if ((head & FORMAT_FORM) == FORMAT_LEAN)
		return head != 0;
	return (head & FORMAT_FORM) == FORMAT_OTHER && kind < FORMAT_NKINDS &&
	       (shapes[kind].has & SYNC);
}
