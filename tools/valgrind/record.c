/*
 * Records, as doc/TRACE_FORMAT.md has them.  The head comes last, so that a killed program leaves
 * whole records only.
 */
#include "capture/log.h"

#define STACK_FRAMES 200u /* that are stated; deeper ones are not logged */
#define STACK_ROOM (STACK_FRAMES * 5 + 64)

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

void record_catch_up(struct thread *t, SizeT need)
{
	log_room(t, need);
	if (t->depth == t->logged_depth && t->low_depth == t->logged_depth)
		return;
	record_stack(t);
	log_room(t, need);
	if (t->logged_depth != t->depth)
		record_stack(t);
}

uint8_t *record_begin(struct thread *t, SizeT need)
{
	record_ready(t, need + 64);
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

void record_meet(struct thread *t, version v)
{
	if (UNLIKELY_(!log_is_known(t, v)))
		peer_meet(t, tag_tid(v));
}

uint64_t record_ref(struct thread *t, version v, uint64_t own)
{
	uint64_t ref = log_name(t, v, own);

	log_named(t, v);
	return ref;
}

uint64_t record_delta(struct thread *t, uint32_t site, Addr a)
{
	uint64_t *last = &t->predict[site & (FORMAT_PREDICT - 1)];
	uint64_t z = format_zigzag((int64_t)(a - *last));

	*last = a;
	return z;
}

void record_rmw(struct thread *t, uint32_t site, Addr a, unsigned log2, version v, uint64_t old,
		uint64_t now)
{
	uint8_t *p;

	record_begin(t, 128);
	record_meet(t, v);
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
	record_meet(t, v);
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
	record_meet(t, before);
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
