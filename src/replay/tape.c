#include "replay/tape.h"

struct tape_event {
	uint64_t tseq, addr, len;
	uint64_t value; /* of at most 8 bytes; a WAKE: the number of its signal */
	size_t refs;	/* of accesses to ranges; else there are none */
	uint32_t tid, flags, site, peer, arg, nrefs;
	uint8_t op, order, kind;
	bool has_value;
};

struct tape {
	VEC(struct tape_event) at; /* position 1 first */
	VEC(struct version) refs;
};

/* Room for as many from the start: memory that is not touched costs nothing, moving what has grown does. */
#define ROOM 16384u

struct tape *tape_new(void)
{
	struct tape *t = mem_zalloc(sizeof(*t));

	VEC_RESERVE(&t->at, ROOM);
	return t;
}

void tape_free(struct tape *t)
{
	if (t)
		VEC_RELEASE_ALL(&t->at, &t->refs);
	mem_free(t);
}

/* Which words are pieces of one call is told by the versions that they name (pieces.h). */
static bool has_refs(const struct event *e)
{
	return e->op == EVENT_FREE || ((e->op == EVENT_READ || e->op == EVENT_WRITE) &&
				       ((e->flags & EVENT_RANGE) || e->len > 8));
}

void tape_add(struct tape *t, const struct event *e)
{
	struct tape_event *to = VEC_PUSH(&t->at);

	assert(e->pos == t->at.n);
	*to = (struct tape_event){ .tseq = e->tseq,
				   .addr = e->addr,
				   .len = e->len,
				   .refs = t->refs.n,
				   .tid = e->tid,
				   .flags = e->flags,
				   .site = e->site,
				   .peer = e->peer,
				   .arg = (uint32_t)e->arg,
				   .nrefs = has_refs(e) ? e->nrefs : 0,
				   .op = e->op,
				   .order = e->order,
				   .kind = e->lock_kind };
	to->has_value = e->value != NULL && e->len <= sizeof(to->value);
	if (to->has_value)
		memcpy(&to->value, e->value, e->len);
	else if (e->op == EVENT_WAKE)
		to->value = e->peer_tseq;
	for (uint32_t i = 0; i < to->nrefs; i++)
		*VEC_PUSH(&t->refs) = e->refs[i];
}

bool tape_get(const struct tape *t, size_t i, struct event *e)
{
	const struct tape_event *from;

	if (i >= t->at.n)
		return false;
	from = &t->at.at[i];
	*e = (struct event){ .pos = i + 1,
			     .tseq = from->tseq,
			     .tid = from->tid,
			     .op = from->op,
			     .order = from->order,
			     .lock_kind = from->kind,
			     .flags = from->flags,
			     .site = from->site,
			     .addr = from->addr,
			     .len = from->len,
			     .value = from->has_value ? (const uint8_t *)&from->value : NULL,
			     .refs = from->nrefs ? &t->refs.at[from->refs] : NULL,
			     .nrefs = from->nrefs,
			     .peer = from->peer,
			     .peer_tseq = from->op == EVENT_WAKE ? from->value : 0,
			     .arg = from->arg };
	return true;
}
