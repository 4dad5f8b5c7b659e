/*
 * Decoding records.
 *
 * A record decodes wholly or not at all: bodies are read through struct wire,
 * which remembers a read past the end, and everything that a later stage
 * relies on (word counts, event numbers, thread ids) is checked here and in the files beside.
 *
 * Payload shapes repeat, so OTHER kinds are a table: which operation, whether
 * an address and a ref follow, and a small function for what is special.
 */
#include "recording/decode_priv.h"

#include "base/wire.h"

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
	decode_rest *rest;
};

#define REMARK (SITE | ADDR | REF | KEEPS)
#define OBJECT (SITE | ADDR | REF | SYNC)

static const struct shape shapes[FORMAT_NKINDS] = {
	[FORMAT_K_PAD] = { 0, NONE, NULL },
	[FORMAT_K_PAGE] = { 0, NONE, decode_page },
	[FORMAT_K_PEER] = { 0, NONE, decode_peer },
	[FORMAT_K_STACK] = { 0, NONE, decode_stack },
	[FORMAT_K_LATE] = { 0, NONE, decode_late_skip },
	[FORMAT_K_RMW] = { EVENT_RMW, SITE | ADDR, decode_rmw },
	[FORMAT_K_CASFAIL] = { EVENT_READ, SITE | ADDR, decode_casfail },
	[FORMAT_K_RANGE_READ] = { EVENT_READ, SITE, decode_range_read },
	[FORMAT_K_RANGE_WRITE] = { EVENT_WRITE, SITE, decode_range_write },
	[FORMAT_K_FREE] = { EVENT_FREE, SITE | ADDR, decode_extent },
	[FORMAT_K_ALLOC] = { EVENT_ALLOC, SITE | ADDR, decode_extent },
	[FORMAT_K_FENCE] = { EVENT_FENCE, SITE, decode_fence },
	[FORMAT_K_USE] = { EVENT_USE, SITE, decode_use },
	[FORMAT_K_OPAQUE] = { EVENT_OPAQUE, SITE, decode_opaque },
	[FORMAT_K_ACQ] = { EVENT_ACQ, OBJECT | LOCK, NULL },
	[FORMAT_K_REL] = { EVENT_REL, OBJECT | LOCK, NULL },
	[FORMAT_K_TRYFAIL] = { EVENT_TRYFAIL, REMARK | LOCK, NULL },
	[FORMAT_K_RACQ] = { EVENT_RACQ, OBJECT | LOCK, NULL },
	[FORMAT_K_RREL] = { EVENT_RREL, OBJECT | LOCK, NULL },
	[FORMAT_K_LOCK_INIT] = { EVENT_LOCK_INIT, OBJECT | LOCK, decode_life },
	[FORMAT_K_LOCK_DESTROY] = { EVENT_LOCK_DESTROY, OBJECT | LOCK, decode_life },
	[FORMAT_K_PARK] = { EVENT_PARK, OBJECT | ARG, decode_wait },
	[FORMAT_K_WAKE] = { EVENT_WAKE, OBJECT, decode_wake },
	[FORMAT_K_SIGNAL] = { EVENT_SIGNAL, OBJECT | ARG, NULL },
	[FORMAT_K_BROADCAST] = { EVENT_BROADCAST, OBJECT | ARG, NULL },
	[FORMAT_K_BAR_INIT] = { EVENT_BAR_INIT, OBJECT | ARG, NULL },
	[FORMAT_K_BAR_IN] = { EVENT_BAR_IN, OBJECT | ARG, NULL },
	[FORMAT_K_BAR_OUT] = { EVENT_BAR_OUT, OBJECT | ARG, NULL },
	[FORMAT_K_SEM_INIT] = { EVENT_SEM_INIT, OBJECT | ARG, NULL },
	[FORMAT_K_SEM_POST] = { EVENT_SEM_POST, OBJECT, NULL },
	[FORMAT_K_SEM_WAIT] = { EVENT_SEM_WAIT, OBJECT, NULL },
	[FORMAT_K_SEM_FAIL] = { EVENT_SEM_FAIL, REMARK, decode_sem_fail },
	[FORMAT_K_ONCE_BEGIN] = { EVENT_ONCE_BEGIN, OBJECT, NULL },
	[FORMAT_K_ONCE_END] = { EVENT_ONCE_END, OBJECT, NULL },
	[FORMAT_K_ONCE_PASS] = { EVENT_ONCE_PASS, OBJECT, NULL },
	[FORMAT_K_FORK] = { EVENT_FORK, SITE | PEER | SYNC, NULL },
	[FORMAT_K_FORK_FAIL] = { EVENT_FORK_FAIL, SITE | PEER | SYNC, NULL },
	[FORMAT_K_JOIN] = { EVENT_JOIN, SITE | SYNC, decode_join },
	[FORMAT_K_DETACH] = { EVENT_DETACH, SITE | PEER | SYNC, NULL },
	[FORMAT_K_BEGIN] = { EVENT_THREAD_BEGIN, SYNC, decode_begin },
	[FORMAT_K_END] = { EVENT_THREAD_END, SYNC, decode_end },
	[FORMAT_K_NAME] = { 0, NONE, decode_name },
	[FORMAT_K_USER] = { EVENT_USER, SITE, decode_user },
	[FORMAT_K_C_PROCESS] = { 0, NONE, NULL },
	[FORMAT_K_C_MODULE] = { 0, NONE, NULL },
	[FORMAT_K_C_STRING] = { 0, NONE, NULL },
	[FORMAT_K_C_SITE] = { 0, NONE, NULL },
	[FORMAT_K_C_GLOBAL] = { 0, NONE, NULL },
	[FORMAT_K_C_CUT] = { 0, NONE, NULL },
	[FORMAT_K_C_TROUBLE] = { 0, NONE, NULL },
	[FORMAT_K_C_END] = { 0, NONE, NULL },
	[FORMAT_K_NESTED] = { EVENT_OPAQUE, SITE | UNNUMBERED, NULL },
	[FORMAT_K_GIVE] = { EVENT_GIVE, OBJECT, decode_channel },
	[FORMAT_K_TAKE] = { EVENT_TAKE, OBJECT, decode_channel },
	[FORMAT_K_CANCEL] = { EVENT_CANCEL, SITE | PEER | SYNC, NULL },
	[FORMAT_K_REQ] = { EVENT_REQ, OBJECT | LOCK | KEEPS, NULL },
	[FORMAT_K_RREQ] = { EVENT_RREQ, OBJECT | LOCK | KEEPS, NULL },
	[FORMAT_K_JOINING] = { EVENT_JOINING, SITE | PEER | SYNC, decode_joining },
	[FORMAT_K_C_IMAGE] = { 0, NONE, NULL },
	[FORMAT_K_C_CODE] = { 0, NONE, NULL },
	[FORMAT_K_BLOCK] = { EVENT_BEGIN, SITE | SYNC, decode_block },
	[FORMAT_K_C_NOTE] = { 0, NONE, NULL },
	[FORMAT_K_ACCESS] = { EVENT_READ, SITE, decode_place },
	[FORMAT_K_C_EXTRA] = { 0, NONE, NULL },
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
		e->addr = decode_addr(c, e->site, wire_varint(&body));
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
	bool good = form == FORMAT_LEAN		 ? decode_lean(c, w, head, item)
		    : form == FORMAT_OTHER	 ? other_take(c, w, head, item)
		    : decode_has_short(c->chunk) ? decode_short(c, w, head, item)
						 : decode_access(c, w, head, item);

	return good && !w->bad && c->tseq + item->numbers <= DECODE_TSEQ_MAX;
}

bool decode_is_sync(uint32_t head)
{
	unsigned kind = head >> FORMAT_KIND_SHIFT & 63, aux = head >> FORMAT_AUX_SHIFT & 255;

	if ((head & FORMAT_FORM) == FORMAT_LEAN)
		return head != 0;
	if (kind == FORMAT_K_JOINING && (aux & (FORMAT_JOIN_LATE | FORMAT_JOIN_REFUSED)))
		return false;
	return (head & FORMAT_FORM) == FORMAT_OTHER && kind < FORMAT_NKINDS &&
	       (shapes[kind].has & SYNC);
}

bool decode_is_settled(uint32_t head)
{
	return decode_is_sync(head) || ((head & FORMAT_FORM) == FORMAT_OTHER &&
					(head >> FORMAT_KIND_SHIFT & 63) == FORMAT_K_PAD &&
					(head >> FORMAT_AUX_SHIFT & 255) == FORMAT_PAD_SETTLED);
}
