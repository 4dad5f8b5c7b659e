/*
 * Records of synchronisation and of what the program says: what is special of each kind, behind
 * the parts that decode_record.c takes for all.
 */
#include "recording/decode_priv.h"

#include "base/wire.h"

bool decode_opaque(struct decode_cursor *c, struct wire *w, unsigned aux, struct decode_item *item)
{
	(void)c;
	item->e.flags |= aux & FORMAT_OPAQUE_READS ? EVENT_READS : 0;
	item->e.addr = aux & FORMAT_OPAQUE_GIVEN ? wire_varint(w) : 0;
	return true;
}

bool decode_use(struct decode_cursor *c, struct wire *w, unsigned aux, struct decode_item *item)
{
	(void)aux;
	decode_feeds(w, item, c->tseq + 1);
	return true;
}

/* LOCK_INIT and LOCK_DESTROY, which are not of locks only. */
bool decode_life(struct decode_cursor *c, struct wire *w, unsigned aux, struct decode_item *item)
{
	static const struct {
		enum event_op made, ended;
	} ops[FORMAT_LOCK_KIND + 1] = {
		[FORMAT_LOCK_COND] = { EVENT_COND_INIT, EVENT_COND_DESTROY },
		[FORMAT_LOCK_BARRIER] = { EVENT_LOCK_INIT, EVENT_BAR_DESTROY },
		[FORMAT_LOCK_SEM] = { EVENT_LOCK_INIT, EVENT_SEM_DESTROY },
	};
	unsigned kind = aux & FORMAT_LOCK_KIND;

	(void)c;
	(void)w;
	if (ops[kind].ended == 0)
		return true;
	item->e.op = item->e.op == EVENT_LOCK_INIT ? ops[kind].made : ops[kind].ended;
	item->e.lock_kind = 0;
	return true;
}

/* A thread and event this one comes after; 0, 0 for none. */
static bool before_take(struct wire *w, struct decode_item *item, struct version *out)
{
	out->tid = wire_u32(w);
	out->tseq = wire_varint(w);
	if (out->tid >= 1u << FORMAT_TID_BITS || out->tseq > DECODE_TSEQ_MAX)
		return false;
	if (out->tid != 0 && out->tseq != 0)
		item->before[item->nbefore++] = *out;
	return true;
}

bool decode_wake(struct decode_cursor *c, struct wire *w, unsigned aux, struct decode_item *item)
{
	struct version v;

	(void)c;
	item->e.flags |= aux & FORMAT_WAKE_TIMEOUT ? EVENT_TIMEOUT : 0;
	item->e.flags |= aux & FORMAT_WAKE_CANCEL ? EVENT_CANCELLED : 0;
	if (!before_take(w, item, &v))
		return false;
	item->e.peer = v.tid;
	item->e.peer_tseq = v.tseq;
	return true;
}

bool decode_sem_fail(struct decode_cursor *c, struct wire *w, unsigned aux,
		     struct decode_item *item)
{
	(void)c;
	(void)w;
	item->e.flags |= aux & FORMAT_SEM_REFUSED ? EVENT_REFUSED : 0;
	return true;
}

/* JOINING may also tell a call that is over and has failed. */
bool decode_joining(struct decode_cursor *c, struct wire *w, unsigned aux, struct decode_item *item)
{
	(void)c;
	(void)w;
	if (!(aux & (FORMAT_JOIN_UNENDED | FORMAT_JOIN_REFUSED))) {
		item->e.flags |= aux & FORMAT_WAIT_TIMED ? EVENT_TRY : 0;
		return true;
	}
	item->e.op = EVENT_JOIN_FAIL;
	item->sync = item->settled = false;
	item->e.flags |= aux & FORMAT_JOIN_REFUSED ? EVENT_REFUSED : 0;
	return true;
}

bool decode_begin(struct decode_cursor *c, struct wire *w, unsigned aux, struct decode_item *item)
{
	struct version owner;
	uint64_t high;

	(void)aux;
	if (!decode_wake(c, w, 0, item))
		return false;
	item->e.addr = wire_varint(w);
	high = wire_varint(w);
	if (high < item->e.addr)
		return false;
	item->e.len = high - item->e.addr;
	return before_take(w, item, &owner);
}

/* A name and its NUL.  NULL: damage. */
static const char *text_take(struct wire *w)
{
	const uint8_t *at = w->at, *nul = wire_left(w) ? memchr(at, 0, wire_left(w)) : NULL;

	if (!nul)
		return NULL;
	w->at = nul + 1;
	return (const char *)at;
}

bool decode_block(struct decode_cursor *c, struct wire *w, unsigned aux, struct decode_item *item)
{
	const char *name = text_take(w);

	(void)c;
	if (!name || aux > FORMAT_BLOCK_END)
		return false;
	item->e.op = aux == FORMAT_BLOCK_END ? EVENT_END : EVENT_BEGIN;
	item->e.name = *name ? name : NULL;
	return true;
}

/* The address of memory that gets a name is no argument, because text has no addresses. */
bool decode_user(struct decode_cursor *c, struct wire *w, unsigned aux, struct decode_item *item)
{
	struct event *e = &item->e;

	(void)c;
	e->name = text_take(w);
	e->lock_kind = (uint8_t)aux;
	if (!e->name)
		return false;
	if (aux == FORMAT_USER_NAMES || aux == FORMAT_USER_BENIGN) {
		struct wire rest;

		e->addr = wire_varint(w);
		rest = *w;
		e->len = wire_varint(&rest);
		if (rest.bad || e->len > UINT64_MAX - e->addr)
			return false;
	}
	e->data = w->at;
	e->ndata = (uint32_t)wire_left(w);
	return true;
}
