/*
 * Which sections of a lock touched a cell.
 */
#include "compare/wcp_priv.h"

static void shared_clear(struct wcp_deeds *d, struct wcp_deed *x)
{
	if (!x->shared)
		return;
	for (int writes = 0; writes < 2; writes++) {
		for (size_t i = 0; i < x->shared->by[writes].n; i++)
			stamp_clear(d->stamps, &x->shared->by[writes].at[i]);
		VEC_RELEASE(&x->shared->by[writes]);
	}
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

static struct wcp_releases *releases_of(struct wcp_deed *x, bool writes)
{
	return writes ? &x->writes : &x->reads;
}

static void deed_copy(struct wcp_deeds *d, uint32_t into, uint32_t from)
{
	const struct wcp_shared *shared = d->at.at[from].shared;

	for (int writes = 0; writes < 2; writes++) {
		releases_set(d, releases_of(&d->at.at[into], writes),
			     releases_of(&d->at.at[from], writes));
		for (size_t i = 0; shared && i < shared->by[writes].n; i++)
			wcp_deed_release(d, into, &shared->by[writes].at[i], writes, true);
	}
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

static void shared_add(struct wcp_deeds *d, struct wcp_deed *x, const struct stamp *by, bool writes)
{
	struct wcp_shared *s = x->shared = x->shared ? x->shared : mem_zalloc(sizeof(*s));
	size_t i = 0;

	while (i < s->by[writes].n && s->by[writes].at[i].chain != by->chain)
		i++;
	VEC_REACH(&s->by[writes], i);
	stamp_set(d->stamps, &s->by[writes].at[i], by);
}

void wcp_deed_release(struct wcp_deeds *d, uint32_t deed, const struct stamp *by, bool writes,
		      bool shared)
{
	struct wcp_deed *x = &d->at.at[deed];

	if (shared)
		shared_add(d, x, by, writes);
	else
		releases_add(d, releases_of(x, writes), by);
}

void wcp_deed_join(struct wcp_deeds *d, uint32_t deed, uint32_t t, bool writes, bool shared,
		   struct stamp *into)
{
	struct wcp_deed *x = &d->at.at[deed];

	for (int other = 1; other >= !writes; other--) {
		const struct wcp_releases *r = releases_of(x, other);

		stamp_join(d->stamps, into, r->latest.chain == t ? &r->other : &r->latest);
		for (size_t i = 0; !shared && x->shared && i < x->shared->by[other].n; i++)
			if (x->shared->by[other].at[i].chain != t)
				stamp_join(d->stamps, into, &x->shared->by[other].at[i]);
	}
}
