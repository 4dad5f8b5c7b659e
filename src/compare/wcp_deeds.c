/*
 * Which sections of a lock touched a cell.
 */
#include "compare/wcp_priv.h"

#include <string.h>

#include "base/mem.h"

void wcp_deeds_init(struct wcp_deeds *d, struct stamps *stamps)
{
	memset(d, 0, sizeof(*d));
	d->stamps = stamps;
	*VEC_PUSH(&d->at) = (struct wcp_deed){ 0 };
}

static void stamps_clear(struct wcp_deeds *d, struct stamp *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		stamp_clear(d->stamps, &at[i]);
}

static void shared_clear(struct wcp_deeds *d, struct wcp_deed *x)
{
	if (!x->shared)
		return;
	stamps_clear(d, x->shared->reads.at, x->shared->reads.n);
	stamps_clear(d, x->shared->writes.at, x->shared->writes.n);
	VEC_RELEASE_ALL(&x->shared->reads, &x->shared->writes);
	mem_free(x->shared);
	x->shared = NULL;
}

void wcp_deeds_release(struct wcp_deeds *d)
{
	for (size_t i = 0; i < d->at.n; i++)
		shared_clear(d, &d->at.at[i]);
	VEC_RELEASE_ALL(&d->at, &d->first);
	map_release(&d->index);
}

uint32_t wcp_deeds_find(struct wcp_deeds *d, uint32_t lock, uint32_t cell)
{
	uint64_t *deed = map_put(&d->index, (uint64_t)lock << 32 | cell, NULL);

	if (*deed == 0) {
		*deed = d->at.n;
		VEC_REACH(&d->first, cell);
		*VEC_PUSH(&d->at) = (struct wcp_deed){
			.lock = lock,
			.cell = cell,
			.next = d->first.at[cell],
		};
		d->first.at[cell] = (uint32_t)*deed;
	}
	return (uint32_t)*deed;
}

static void releases_set(struct wcp_deeds *d, struct wcp_releases *into,
			 const struct wcp_releases *from)
{
	stamp_set(d->stamps, &into->latest, &from->latest);
	stamp_set(d->stamps, &into->other, &from->other);
}

static void deed_copy(struct wcp_deeds *d, uint32_t into, uint32_t from)
{
	const struct wcp_shared *shared = d->at.at[from].shared;

	releases_set(d, &d->at.at[into].reads, &d->at.at[from].reads);
	releases_set(d, &d->at.at[into].writes, &d->at.at[from].writes);
	for (size_t i = 0; shared && i < shared->reads.n; i++)
		wcp_deed_release(d, into, &shared->reads.at[i], true, false, true);
	for (size_t i = 0; shared && i < shared->writes.n; i++)
		wcp_deed_release(d, into, &shared->writes.at[i], false, true, true);
}

void wcp_deeds_split(struct wcp_deeds *d, uint32_t from, uint32_t to)
{
	wcp_deeds_drop(d, to);
	if (from >= d->first.n)
		return;
	for (uint32_t i = d->first.at[from]; i; i = d->at.at[i].next)
		deed_copy(d, wcp_deeds_find(d, d->at.at[i].lock, to), i);
}

/* The deeds stay, for the cell's number will be given out again. */
void wcp_deeds_drop(struct wcp_deeds *d, uint32_t cell)
{
	const struct wcp_releases none = { 0 };

	if (cell >= d->first.n)
		return;
	for (uint32_t i = d->first.at[cell]; i; i = d->at.at[i].next) {
		releases_set(d, &d->at.at[i].reads, &none);
		releases_set(d, &d->at.at[i].writes, &none);
		shared_clear(d, &d->at.at[i]);
		d->at.at[i].life++;
		d->at.at[i].section = 0;
	}
}

/* --- one of them ------------------------------------------------------------ */

static void releases_add(struct wcp_deeds *d, struct wcp_releases *r, const struct stamp *by)
{
	if (r->latest.time && r->latest.chain != by->chain)
		stamp_set(d->stamps, &r->other, &r->latest);
	stamp_set(d->stamps, &r->latest, by);
}

/* at[0 .. n) with the one of the chain's stamp; NULL: none yet. */
static struct stamp *shared_find(struct stamp *at, size_t n, uint32_t chain)
{
	for (size_t i = 0; i < n; i++)
		if (at[i].chain == chain)
			return &at[i];
	return NULL;
}

static void shared_add(struct wcp_deeds *d, struct wcp_deed *x, const struct stamp *by, bool writes)
{
	struct wcp_shared *s = x->shared = x->shared ? x->shared : mem_zalloc(sizeof(*s));
	struct stamp *at = writes ? shared_find(s->writes.at, s->writes.n, by->chain)
				  : shared_find(s->reads.at, s->reads.n, by->chain);

	if (!at) {
		at = writes ? VEC_PUSH(&s->writes) : VEC_PUSH(&s->reads);
		*at = (struct stamp){ 0 };
	}
	stamp_set(d->stamps, at, by);
}

void wcp_deed_release(struct wcp_deeds *d, uint32_t deed, const struct stamp *by, bool reads,
		      bool writes, bool shared)
{
	struct wcp_deed *x = &d->at.at[deed];

	if (reads && shared)
		shared_add(d, x, by, false);
	else if (reads)
		releases_add(d, &x->reads, by);
	if (writes && shared)
		shared_add(d, x, by, true);
	else if (writes)
		releases_add(d, &x->writes, by);
}

static void releases_join(struct wcp_deeds *d, const struct wcp_releases *r, uint32_t t,
			  struct stamp *into)
{
	stamp_join(d->stamps, into, r->latest.chain == t ? &r->other : &r->latest);
}

static void shared_join(struct wcp_deeds *d, const struct stamp *at, size_t n, uint32_t t,
			struct stamp *into)
{
	for (size_t i = 0; i < n; i++)
		if (at[i].chain != t)
			stamp_join(d->stamps, into, &at[i]);
}

void wcp_deed_join(struct wcp_deeds *d, uint32_t deed, uint32_t t, bool writes, bool shared,
		   struct stamp *into)
{
	const struct wcp_deed *x = &d->at.at[deed];

	releases_join(d, &x->writes, t, into);
	if (writes)
		releases_join(d, &x->reads, t, into);
	if (shared || !x->shared)
		return;
	shared_join(d, x->shared->writes.at, x->shared->writes.n, t, into);
	if (writes)
		shared_join(d, x->shared->reads.at, x->shared->reads.n, t, into);
}
