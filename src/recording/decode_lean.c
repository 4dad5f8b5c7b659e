/*
 * Lean records of locks, and the tables they refer to (src/capture/lean.h writes them).
 */
#include "recording/decode_priv.h"
#include "base/wire.h"

void decode_lock(struct event *e, unsigned aux)
{
	e->lock_kind = aux & FORMAT_LOCK_KIND;
	if (e->op == EVENT_REQ &&
	    (e->lock_kind == FORMAT_LOCK_SEM || e->lock_kind == FORMAT_LOCK_COND)) {
		e->op = e->lock_kind == FORMAT_LOCK_SEM ? EVENT_SEM_REQ : EVENT_COND_REQ;
		e->lock_kind = 0;
		return;
	}
	if (e->lock_kind == FORMAT_LOCK_RWLOCK &&
	    (e->op == EVENT_ACQ || e->op == EVENT_REL || e->op == EVENT_REQ))
		e->flags |= EVENT_WRITE_MODE;
	e->flags |= aux & FORMAT_LOCK_TRY ? EVENT_TRY : 0;
	e->flags |= aux & FORMAT_LOCK_RECURSIVE ? EVENT_RECURSIVE : 0;
	e->flags |= aux & FORMAT_LOCK_WAIT ? EVENT_IN_WAIT : 0;
	e->flags |= aux & FORMAT_LOCK_DEAD ? EVENT_DEAD_OWNER : 0;
	e->flags |= aux & FORMAT_LOCK_REFUSED ? EVENT_REFUSED : 0;
}

static void held_push(struct decode_cursor *c, uint64_t addr)
{
	uint32_t i = c->nheld++ % FORMAT_HELD;

	c->tables->held[i].addr = addr;
	c->tables->held[i].tseq = c->tseq + 1;
	c->taken = addr;
}

void decode_lean_learn(struct decode_cursor *c, unsigned kind, unsigned aux,
		       const struct decode_item *item)
{
	const struct event *e = &item->e;
	unsigned i = format_shape(e->site, kind == FORMAT_K_ACQ);

	c->tables->shape[i].site = e->site;
	c->tables->shape[i].kind = (uint8_t)kind;
	c->tables->shape[i].aux = (uint8_t)aux;
	if (kind == FORMAT_K_ACQ)
		held_push(c, e->addr);
	else if (item->ref[0].tid == c->tid &&
		 item->ref[0].tseq == c->tables->held[(c->nheld - 1) % FORMAT_HELD].tseq)
		c->nheld--;
}

/* The next n bits of v. */
static uint64_t bits_take(uint64_t *v, unsigned n)
{
	uint64_t bits = *v & (((uint64_t)1 << n) - 1);

	*v >>= n;
	return bits;
}

static bool acquire_take(struct decode_cursor *c, struct wire *w, struct decode_item *item)
{
	bool wide = wire_left(w) != 0 && (*w->at << 8 & FORMAT_WIDE);
	uint64_t v = wire_fixed(w, wide ? 7 : 5) >> (FORMAT_LEAN_SHIFT - 8);
	uint64_t near = bits_take(&v, wide ? FORMAT_WIDE_ADDR : FORMAT_NARROW_ADDR);

	item->e.op = EVENT_ACQ;
	item->e.addr = c->taken + 8 * (uint64_t)format_unzigzag(near);
	held_push(c, item->e.addr);
	return !w->bad && decode_ref(c, v, c->tseq + 1, &item->ref[0]);
}

/* The lock taken last, in the version of that acquire. */
static bool release_take(struct decode_cursor *c, struct decode_item *item)
{
	uint32_t i = --c->nheld % FORMAT_HELD;

	item->e.op = EVENT_REL;
	item->e.addr = c->tables->held[i].addr;
	item->ref[0] = (struct version){ c->tid, c->tables->held[i].tseq };
	return c->tables->held[i].tseq != 0;
}

bool decode_lean(struct decode_cursor *c, struct wire *w, uint32_t head, struct decode_item *item)
{
	unsigned i = head >> FORMAT_SHAPE_SHIFT, kind, aux;
	struct event *e = &item->e;

	if (i == 0 || i >= FORMAT_SHAPES)
		return false;
	kind = c->tables->shape[i].kind;
	aux = c->tables->shape[i].aux;
	e->site = c->tables->shape[i].site;
	if (kind == FORMAT_K_ACQ ? !acquire_take(c, w, item)
				 : kind != FORMAT_K_REL || !release_take(c, item))
		return false;
	decode_lock(e, aux);
	e->refs = item->ref;
	e->nrefs = 1;
	item->is_event = true;
	item->numbers = 1;
	item->replaces = true;
	item->sync = item->settled = true;
	return true;
}
