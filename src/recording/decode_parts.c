/*
 * Parts of records that several kinds have: names of events, addresses, feeds, runs of versions.
 */
#include "recording/decode_priv.h"

#include "base/wire.h"

#define TSEQ_MAX DECODE_TSEQ_MAX

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
	p = &c->tables->peer[u >> 1 & (FORMAT_PEERS - 1)];
	p->tseq += (uint64_t)format_unzigzag(u >> 5);
	if (p->tid == 0 || p->tseq == 0 || p->tseq > TSEQ_MAX || p->tid == c->tid)
		return false;
	*out = *p;
	return true;
}

void decode_feeds(struct wire *w, struct decode_item *item, uint64_t own)
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

void decode_feed(struct decode_item *item, uint64_t tseq)
{
	VEC_CLEAR(&item->feeds);
	*VEC_PUSH(&item->feeds) = tseq;
	item->e.feeds = item->feeds.at;
	item->e.nfeeds = 1;
}

void decode_runs(struct decode_cursor *c, struct wire *w, struct decode_item *item, uint64_t max,
		 uint64_t own, unsigned step)
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
