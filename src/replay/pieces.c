#include "replay/pieces.h"

#define PIECE_FULL 4089u /* bytes: 512 words, of which the first may be cut */
#define COPY_PART 512u

static unsigned kind_of(const struct event *e)
{
	return e->op == EVENT_READ ? 0 : e->op == EVENT_WRITE ? 1 : 2;
}

static uint32_t *slot_of(struct pieces_run *r, uint32_t tid)
{
	return &r->peers[tid % FORMAT_PEERS];
}

/* Could the run not name the version that the next piece begins with? */
static bool clashes(struct pieces_run *r, const struct event *e)
{
	uint32_t tid = e->nrefs > 0 ? e->refs[0].tid : 0, slot = tid != 0 ? *slot_of(r, tid) : 0;

	return tid != 0 && tid != e->tid && slot != 0 && slot != tid;
}

static bool goes_on(struct pieces *p, struct pieces_run *r, const struct event *e)
{
	const struct pieces_run *read = &p->runs[0], *written = &p->runs[1];

	if (p->last == 0 || e->tseq != p->tseq || r->site != e->site)
		return false;
	if (p->last == kind_of(e) + 1)
		return r->end == e->addr &&
		       ((e->flags & EVENT_PART) || r->len >= PIECE_FULL || clashes(r, e));
	/* The other half of a copy came between; upwards, of bytes that overlap, the last part is first. */
	if (r->end != e->addr && (r->from != e->addr + e->len || e->len != COPY_PART))
		return false;
	return r != &p->runs[2] && read->site == written->site &&
	       (r->bytes % COPY_PART == 0 || r->from == e->addr + e->len) &&
	       (r == read ? read->bytes == written->bytes : read->bytes > written->bytes);
}

uint32_t pieces_head(struct pieces *p, const struct event *e, uint32_t item)
{
	struct pieces_run *r = &p->runs[kind_of(e)];

	if (!goes_on(p, r, e)) {
		/* What is written of a copy begins behind the first part that is read. */
		if (p->last != 1 || e->op != EVENT_WRITE || p->runs[0].site != e->site)
			memset(p->runs, 0, sizeof(p->runs));
		r->head = item;
		r->bytes = 0;
	}
	r->site = e->site;
	r->from = e->addr;
	r->end = e->addr + e->len;
	r->len = e->len;
	r->bytes += e->len;
	memset(r->peers, 0, sizeof(r->peers));
	for (uint32_t i = 0; i < e->nrefs; i++)
		if (e->refs[i].tid != 0 && e->refs[i].tid != e->tid)
			*slot_of(r, e->refs[i].tid) = e->refs[i].tid;
	p->last = kind_of(e) + 1;
	p->tseq = e->tseq + e->nrefs;
	return r->head;
}
