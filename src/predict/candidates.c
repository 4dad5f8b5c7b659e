/*
 * Events lie in trace order, walks go cell by cell: without care every access would be a miss of
 * the cache.  So one pass in trace order copies what walks need to know of an access into
 * the list of its cell, for cells that several chains touch and one writes.  Then cells
 * where no pair of classes may race (always the same lock) are left out.
 */
#include "predict/candidates.h"

#define PIECE_ACCESSES 16384 /* a piece has so many, or one cell */
#define GUARDS_TRIED 16
#define ROLES_LOOKED_AT 256 /* more in one cell: taken as worth it, unseen */

/* --- which cells ------------------------------------------------------------ */

struct cell_use {
	uint32_t chain; /* 1 + that of the first access; 0 none yet */
	uint32_t n;
	bool chains, writes; /* several chains; a write */
};

static bool is_shared(const struct cell_use *u)
{
	return u->chains && u->writes;
}

static struct cell_use *look_at_cells(const struct model *m)
{
	struct cell_use *use = mem_zalloc(((size_t)m->ncells + 1) * sizeof(*use));

	for (uint32_t e = 1; e <= m->n; e++) {
		const struct model_event *v = &m->event[e];

		if (!model_is_target(v))
			continue;
		for (uint32_t i = v->touch; i < v[1].touch; i++) {
			struct cell_use *u = &use[m->touches[i].cell];

			if (u->chain == 0)
				u->chain = v->chain + 1;
			u->chains |= u->chain != v->chain + 1;
			u->writes |= model_writes(v);
			u->n++;
		}
	}
	return use;
}

/* --- the lists -------------------------------------------------------------- */

struct copier {
	struct candidates *c;
	const struct cell_use *use;
	struct map places, owners; /* to their numbers */
	uint32_t *hold, *owner;	   /* by chain: what it held at its last access, and the owner */
};

static uint32_t intern(struct map *ids, uint64_t key, uint32_t next)
{
	bool fresh;
	uint64_t *id = map_put(ids, key, &fresh);

	if (fresh)
		*id = next;
	return (uint32_t)*id;
}

static uint32_t owner_of(struct copier *p, const struct model_event *v)
{
	struct candidates *c = p->c;
	struct candidate_owner o = { v->chain, model_held_set(c->m, v->hold) };
	uint32_t id;

	if (p->hold[v->chain] == v->hold)
		return p->owner[v->chain];
	id = intern(&p->owners, (uint64_t)o.set << 32 | o.chain, (uint32_t)c->owners.n);
	if (id == c->owners.n)
		*VEC_PUSH(&c->owners) = o;
	p->hold[v->chain] = v->hold;
	p->owner[v->chain] = id;
	return id;
}

static uint32_t kind_of(struct copier *p, const struct model_event *v)
{
	uint32_t place = intern(&p->places, v->site, p->c->nplaces);

	p->c->nplaces += place == p->c->nplaces;
	return place << 2 | (model_writes(v) ? KIND_WRITES : 0) |
	       (model_is_atomic(v) ? KIND_ATOMIC : 0);
}

/* next: by cell, where its next access goes. */
static void copy_event(struct copier *p, uint32_t e, uint64_t *next)
{
	const struct model *m = p->c->m;
	const struct model_event *v = &m->event[e];
	struct candidate_access a = { .e = 0 };

	if (!model_is_target(v))
		return;
	for (uint32_t i = v->touch; i < v[1].touch; i++) {
		uint32_t cell = m->touches[i].cell;

		if (!is_shared(&p->use[cell]))
			continue;
		if (a.e == 0) {
			a.e = e;
			a.owner = owner_of(p, v);
			a.kind = kind_of(p, v);
		}
		p->c->accesses[next[cell]++] = a;
	}
}

static void copy_accesses(struct candidates *c, const struct cell_use *use)
{
	const struct model *m = c->m;
	struct copier p = { .c = c, .use = use };
	uint64_t total = 0, *next = mem_alloc(((size_t)m->ncells + 1) * sizeof(*next));

	for (uint32_t cell = 0; cell < m->ncells; cell++) {
		c->start[cell] = next[cell] = total;
		total += is_shared(&use[cell]) ? use[cell].n : 0;
	}
	c->start[m->ncells] = total;
	c->accesses = mem_alloc((total + 1) * sizeof(*c->accesses));
	p.hold = mem_alloc(((size_t)m->nchains + 1) * sizeof(*p.hold));
	p.owner = mem_alloc(((size_t)m->nchains + 1) * sizeof(*p.owner));
	for (uint32_t v = 0; v < m->nchains; v++)
		p.hold[v] = UINT32_MAX;
	for (uint32_t e = 1; e <= m->n; e++)
		copy_event(&p, e, next);
	MAP_RELEASE_ALL(&p.places, &p.owners);
	MEM_FREE_ALL(p.hold, p.owner, next);
}

/* --- which of them matter --------------------------------------------------- */

bool candidates_may_race(const struct candidates *c, const struct candidate_access *a,
			 const struct candidate_access *b)
{
	const struct candidate_owner *x = &c->owners.at[a->owner], *y = &c->owners.at[b->owner];

	return ((a->kind | b->kind) & KIND_WRITES) && !(a->kind & b->kind & KIND_ATOMIC) &&
	       x->chain != y->chain && model_sets_disjoint(c->m, x->set, y->set);
}

bool candidates_is_guarded(const struct candidates *c, const struct candidate_access *a,
			   uint32_t guard)
{
	return guard != NO_GUARD &&
	       model_set_excludes(c->m, c->owners.at[a->owner].set, guard, a->kind & KIND_WRITES);
}

/* A lock that all accesses with locks have in common, or at least the first ones of them. */
static uint32_t guard_find(const struct candidates *c, const struct candidate_access *at,
			   uint64_t n)
{
	uint32_t common[GUARDS_TRIED], ncommon = 0, owner = UINT32_MAX;

	for (uint64_t i = 0; i < n; i++) {
		struct model_list keys = model_set(c->m, c->owners.at[at[i].owner].set);
		uint32_t left = 0;

		if (at[i].owner == owner || keys.n == 0)
			continue;
		owner = at[i].owner;
		if (ncommon == 0) {
			for (uint32_t k = 0; k < keys.n && k < GUARDS_TRIED; k++)
				common[ncommon++] = keys.at[k] >> 1;
			continue;
		}
		for (uint32_t k = 0; k < ncommon; k++)
			if (model_set_excludes(c->m, c->owners.at[owner].set, common[k], false)) {
				uint32_t kept = common[k];

				common[k] = common[left];
				common[left++] = kept;
			}
		if (left == 0)
			break;
		ncommon = left;
	}
	return ncommon ? common[0] : NO_GUARD;
}

/* The same but for the site. */
static bool same_role(const struct candidate_access *a, const struct candidate_access *b)
{
	return a->owner == b->owner && (a->kind & 3) == (b->kind & 3);
}

static bool is_worth_it(const struct candidates *c, const struct candidate_access *at, uint64_t n,
			uint32_t guard)
{
	const struct candidate_access *roles[ROLES_LOOKED_AT];
	uint32_t nroles = 0, j;
	bool all = true;

	for (uint64_t i = 0; i < n && all; i++)
		all = candidates_is_guarded(c, &at[i], guard);
	if (all)
		return false;
	for (uint64_t i = 0; i < n; i++) {
		for (j = 0; j < nroles && !same_role(roles[j], &at[i]); j++)
			;
		if (j < nroles)
			continue;
		if (nroles == ROLES_LOOKED_AT)
			return true;
		for (j = 0; j < nroles; j++)
			if (candidates_may_race(c, roles[j], &at[i]))
				return true;
		roles[nroles++] = &at[i];
	}
	return false;
}

/* The FORK that began each chain; 0: it ran from the start, or the trace does not show it. */
static uint32_t *find_forks(const struct model *m)
{
	uint32_t *fork = mem_zalloc(((size_t)m->nchains + 1) * sizeof(*fork));

	for (uint32_t v = 0; v < m->nchains; v++) {
		struct model_list events = model_chain(m, v), preds;

		if (events.n == 0)
			continue;
		preds = model_preds(m, events.at[0]);
		for (uint32_t i = 0; i < preds.n; i++)
			if (m->event[preds.at[i]].op == STEP_FORK)
				fork[v] = preds.at[i];
	}
	return fork;
}

/* All of the chain comes after event w: it was forked after that, or by such a chain. */
static bool begins_after(const struct model *m, const uint32_t *fork, uint32_t chain, uint32_t w)
{
	while (chain != m->event[w].chain && fork[chain] > w)
		chain = m->event[fork[chain]].chain;
	return chain == m->event[w].chain;
}

/* One chain writes, and then forks all others that touch it, as who makes the locks does: no pair can
 * race, however many they are. */
static bool is_made_first(const struct candidates *c, const uint32_t *fork,
			  const struct candidate_access *at, uint64_t n)
{
	uint32_t last = 0, chain = UINT32_MAX;

	for (uint64_t i = 0; i < n; i++) {
		if (!(at[i].kind & KIND_WRITES))
			continue;
		if (last != 0 && c->m->event[at[i].e].chain != c->m->event[last].chain)
			return false;
		last = at[i].e;
	}
	for (uint64_t i = 0; last != 0 && i < n; i++) {
		if (c->owners.at[at[i].owner].chain == chain)
			continue;
		chain = c->owners.at[at[i].owner].chain;
		if (chain != c->m->event[last].chain && !begins_after(c->m, fork, chain, last))
			return false;
	}
	return last != 0;
}

static void choose_cells(struct candidates *c)
{
	uint32_t *fork = find_forks(c->m);
	uint64_t in_piece = 0;

	*VEC_PUSH(&c->piece_start) = 0;
	for (uint32_t cell = 0; cell < c->m->ncells; cell++) {
		const struct candidate_access *at = c->accesses + c->start[cell];
		uint64_t n = c->start[cell + 1] - c->start[cell];
		uint32_t guard;

		guard = n ? guard_find(c, at, n) : NO_GUARD;
		if (!is_worth_it(c, at, n, guard) || is_made_first(c, fork, at, n))
			continue;
		*VEC_PUSH(&c->cells) = cell;
		*VEC_PUSH(&c->guards) = guard;
		in_piece += n;
		if (in_piece >= PIECE_ACCESSES) {
			*VEC_PUSH(&c->piece_start) = (uint32_t)c->cells.n;
			in_piece = 0;
		}
	}
	if (in_piece > 0)
		*VEC_PUSH(&c->piece_start) = (uint32_t)c->cells.n;
	mem_free(fork);
}

struct candidates *candidates_new(const struct model *m)
{
	struct candidates *c = mem_zalloc(sizeof(*c));
	struct cell_use *use = look_at_cells(m);

	c->m = m;
	c->start = mem_alloc(((size_t)m->ncells + 1) * sizeof(*c->start));
	copy_accesses(c, use);
	mem_free(use);
	choose_cells(c);
	return c;
}

void candidates_free(struct candidates *c)
{
	if (!c)
		return;
	VEC_RELEASE_ALL(&c->cells, &c->guards, &c->piece_start, &c->owners);
	MEM_FREE_ALL(c->accesses, c->start, c);
}

bool candidates_mine(const struct model *m, uint32_t e1, uint32_t e2, uint32_t cell)
{
	if (model_ntouches(m, e1) == 1 || model_ntouches(m, e2) == 1)
		return true;
	return model_common_cell(m, e1, e2) == cell;
}
