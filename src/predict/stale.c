#include "predict/stale.h"

#include "predict/engine.h"
#include "trace/event.h"
#include "trace/format.h"
#include "trace/trace.h"

#define PAGE 4096u
#define ALIKE 4u       /* uses that are kept of the same places: some of them may come to nothing */
#define USES_MAX 4096u /* that are kept in all */

#define KNOWN_MAX (1u << 20) /* pairs of threads; of many threads not all is remembered */

enum use_state { USE_OPEN, USE_SURE, USE_DOUBTFUL };

void stale_release(struct stale *s)
{
	freed_release(&s->live);
	freed_release(&s->freed);
	VEC_RELEASE_ALL(&s->frees, &s->unused, &s->uses, &s->ranges);
	MAP_RELEASE_ALL(&s->versions, &s->known, &s->alike);
}

/* ---- who knows of what ---- */

static uint64_t pair_of(uint32_t tid, uint32_t other)
{
	return (uint64_t)tid << 32 | other;
}

static void known_add(struct stale *s, uint32_t tid, uint32_t other, uint64_t tseq)
{
	uint64_t *last;

	if (other == 0 || other == tid || tseq == 0)
		return;
	if (s->known.n >= KNOWN_MAX)
		map_clear(&s->known);
	last = map_put(&s->known, pair_of(tid, other), NULL);
	if (*last < tseq)
		*last = tseq;
}

/* Did that event of `other' come before what tid does now?  No: nobody knows. */
static bool is_known(const struct stale *s, uint32_t tid, uint32_t other, uint64_t tseq)
{
	const uint64_t *last = map_get(&s->known, pair_of(tid, other));

	return tid == other || (last && *last >= tseq);
}

/* What an event names has happened. */
static void known_take(struct stale *s, const struct event *e)
{
	for (uint32_t i = 0; e->refs && i < e->nrefs; i++)
		if (e->refs[i].tid != e->tid && (i == 0 || e->refs[i].tid != e->refs[i - 1].tid ||
						 e->refs[i].tseq > e->refs[i - 1].tseq))
			known_add(s, e->tid, e->refs[i].tid, e->refs[i].tseq);
	if (e->op == EVENT_THREAD_BEGIN || e->op == EVENT_JOIN || e->op == EVENT_WAKE)
		known_add(s, e->tid, e->peer, e->peer_tseq);
}

/* ---- versions ---- */

static uint64_t version_key(uint32_t tid, uint64_t tseq)
{
	return (uint64_t)tid << 40 ^ tseq >> 6;
}

/* The bits of event numbers [from, end) that share a key with the first; *from goes past them. */
static uint64_t bits_next(uint64_t *from, uint64_t end)
{
	uint64_t last = (*from | 63) < end - 1 ? *from | 63 : end - 1;
	uint64_t bits = (UINT64_MAX >> (63 - (last - *from))) << (*from & 63);

	*from = last + 1;
	return bits;
}

static void versions_add(struct stale *s, uint32_t tid, uint64_t tseq, uint64_t n)
{
	for (uint64_t at = tseq; at < tseq + n;) {
		uint64_t key = version_key(tid, at);

		*map_put(&s->versions, key, NULL) |= bits_next(&at, tseq + n);
	}
}

/* The words are in use again. */
static void versions_remove(struct stale *s, uint32_t tid, uint64_t tseq, uint64_t n)
{
	for (uint64_t at = tseq; at < tseq + n;) {
		uint64_t key = version_key(tid, at), off = bits_next(&at, tseq + n);
		uint64_t *bits = map_get(&s->versions, key);

		if (bits && (*bits &= ~off) == 0)
			map_remove(&s->versions, key);
	}
}

/* False for sure where no free was, or nothing of it is left; else one may have been. */
static bool versions_have(const struct stale *s, const struct version *v)
{
	const uint64_t *bits =
		s->versions.n ? map_get(&s->versions, version_key(v->tid, v->tseq)) : NULL;

	return bits && (*bits >> (v->tseq & 63) & 1);
}

/* ---- uses ---- */

static uint64_t alike_key(const struct stale_use *u)
{
	return ((uint64_t)u->free.site << 32 | u->site) ^ (uint64_t)(u->op == EVENT_FREE) << 63;
}

static void use_judge(struct stale *s, struct stale_use *u, bool sure)
{
	if (u->state != USE_OPEN)
		return;
	u->state = sure ? USE_SURE : USE_DOUBTFUL;
	if (!sure)
		--*map_put(&s->alike, alike_key(u), NULL);
}

static void use_add(struct stale *s, uint32_t piece, const struct event *e)
{
	struct stale_free *f = &s->frees.at[piece];
	struct stale_use u = { .free = *f,
			       .pos = e->pos,
			       .tseq = e->tseq,
			       .addr = e->addr,
			       .tid = e->tid,
			       .site = e->site,
			       .op = e->op,
			       .state = USE_OPEN,
			       .before = f->uses };
	uint64_t *n;

	if (s->uses.n >= USES_MAX)
		return;
	n = map_put(&s->alike, alike_key(&u), NULL);
	if (*n >= ALIKE)
		return;
	++*n;
	*VEC_PUSH(&s->uses) = u;
	f->uses = (uint32_t)s->uses.n;
}

/* Text has neither versions nor calls: its order is what happened. */
static bool is_stale(const struct stale *s, const struct stale_free *f, const struct event *e)
{
	uint64_t tseq = f->tseq + (e->addr >> 3) - (f->addr >> 3); /* of the word */

	if (s->text)
		return true;
	return e->refs[0].tid == f->tid && e->refs[0].tseq == tseq &&
	       ((event_op_life(e->op) & EVENT_LIFE_FIRST) || is_known(s, e->tid, f->tid, tseq));
}

/* Is it the next piece of a range?  The reader may divide one anywhere. */
static bool range_goes_on(struct stale *s, const struct event *e)
{
	struct stale_range *r, was;

	if (s->text || !(e->flags & EVENT_RANGE) || e->op == EVENT_FREE)
		return false;
	VEC_REACH(&s->ranges, e->tid);
	r = &s->ranges.at[e->tid];
	was = *r;
	*r = (struct stale_range){ .addr = e->addr + e->len, .tseq = e->tseq + e->nrefs };
	return e->addr == was.addr && e->tseq == was.tseq;
}

static void used(struct stale *s, const struct event *e)
{
	struct freed_range r;

	if (s->freed.n == 0 || (e->flags & EVENT_UNKNOWN) || range_goes_on(s, e))
		return;
	if (!s->text && (e->nrefs == 0 || !versions_have(s, &e->refs[0])))
		return;
	if (freed_find(&s->freed, e->addr, e->addr, &r) && is_stale(s, &s->frees.at[r.cell], e))
		use_add(s, r.cell, e);
}

/* ---- memory ---- */

static void piece_drop(struct stale *s, const struct freed_range *r, const struct event *e)
{
	const struct stale_free *f = &s->frees.at[r->cell];

	for (uint32_t i = f->uses; i != 0; i = s->uses.at[i - 1].before) {
		struct stale_use *u = &s->uses.at[i - 1];

		use_judge(s, u, s->text || is_known(s, e->tid, u->tid, u->tseq));
	}
	if (!s->text)
		versions_remove(s, f->tid, f->tseq, (r->last >> 3) - (r->first >> 3) + 1);
	freed_remove(&s->freed, r);
	*VEC_PUSH(&s->unused) = r->cell;
}

/* Something new begins there. */
static void fresh(struct stale *s, const struct event *e)
{
	uint64_t last = e->addr + (e->len - 1);
	struct freed_range r;

	if (e->len == 0 || last < e->addr)
		return;
	while (freed_find(&s->live, e->addr, last, &r))
		freed_remove(&s->live, &r);
	while (freed_find(&s->freed, e->addr, last, &r))
		piece_drop(s, &r, e);
	if (e->op == EVENT_ALLOC && e->arg == FORMAT_ALLOC_HEAP)
		freed_add(&s->live, &(struct freed_range){ e->addr, last, 0 });
}

static void piece_add(struct stale *s, const struct event *e)
{
	struct freed_range r = { e->addr, e->addr + (e->len - 1), 0 };
	struct stale_free f = {
		.pos = e->pos, .tseq = e->tseq, .addr = e->addr, .tid = e->tid, .site = e->site
	};

	r.cell = (uint32_t)VEC_TAKE(&s->frees, &s->unused);
	s->frees.at[r.cell] = f;
	freed_add(&s->freed, &r);
	if (!s->text)
		versions_add(s, e->tid, e->tseq, e->nrefs);
}

/* The block at the front of which e frees a piece, or all; what is left of it is live still.  Text need
 * not say where a block began. */
static bool block_cut(struct stale *s, const struct event *e, uint64_t last)
{
	struct freed_range r, rest;
	bool whole;

	if (!freed_find(&s->live, e->addr, last, &r))
		return s->text;
	whole = r.first == e->addr && last <= r.last;
	rest = (struct freed_range){ last + 1, r.last, 0 };
	freed_remove(&s->live, &r);
	if (!whole)
		return s->text;
	if (last < r.last)
		freed_add(&s->live, &rest);
	return s->text || (r.last + 1) % PAGE != 0;
}

static void ended(struct stale *s, const struct event *e)
{
	uint64_t last = e->addr + (e->len - 1);
	struct freed_range r;

	if (e->len == 0 || last < e->addr || e->arg != FORMAT_ALLOC_HEAP)
		return;
	if (freed_find(&s->freed, e->addr, last, &r)) {
		/* What is freed again is freed where it was. */
		if (r.first == e->addr)
			used(s, e);
		return;
	}
	/* Blocks of a megabyte have one number for all their words, which no access names. */
	if (block_cut(s, e, last) && (s->text || (e->nrefs > 0 && (e->flags & EVENT_RANGE))))
		piece_add(s, e);
}

void stale_take(struct stale *s, const struct event *e)
{
	if (e->op == EVENT_ALLOC || e->op == EVENT_THREAD_BEGIN) {
		known_take(s, e);
		fresh(s, e);
		return;
	}
	if (e->op == EVENT_FREE)
		ended(s, e);
	else if (event_op_life(e->op) & (EVENT_LIFE_TOUCHES | EVENT_LIFE_MAKES | EVENT_LIFE_ENDS))
		used(s, e);
	known_take(s, e);
}

/* ---- what was found ---- */

/* Not in the table: every pass looks for these by itself. */
static const struct engine lifetime = { .name = "lifetime" };

void stale_find(struct stale *s, const struct trace *t, bool whole, struct findings *out)
{
	struct map told = { 0 };
	bool fresh_places;
	struct trace_info info = trace_info(t);

	for (size_t i = 0; !info.partial && i < s->uses.n; i++) {
		const struct stale_use *u = &s->uses.at[i];
		struct finding *f;

		if (u->state == USE_DOUBTFUL || (u->state == USE_OPEN && !whole) ||
		    trace_hides(t, u->addr, 1))
			continue;
		map_put(&told, alike_key(u), &fresh_places);
		if (!fresh_places)
			continue;
		f = findings_add(out,
				 u->op == EVENT_FREE ? FINDING_DOUBLE_FREE : FINDING_USE_AFTER_FREE,
				 &lifetime);
		finding_add_event(f, u->free.pos, u->free.site, EVENT_FREE);
		finding_add_event(f, u->pos, u->site, u->op);
		f->observed = true;
	}
	map_release(&told);
}
