/*
 * The walk over the accesses of a cell (candidates.h has the picture).
 *
 * Cost of an access: the chains that have touched the cell before in a way that may clash with it,
 * plus the classes that can still meet it.  All else is done when a class is moved to the front of its chain's list.
 */

#include "base/pool.h"
#include "predict/candidates.h"

#define NONE UINT32_MAX
#define FEW_PLACES 64

/* The classes of a chain lie in lists by what rules out a whole list at once. */
#define HAS_GUARD 1u
#define READS_ONLY 2u
#define IS_ATOMIC 4u
#define LISTS 8u

/* A class within the cell at hand. */
struct seat {
	struct candidate_access first; /* one of the class */
	uint32_t chain, place;
	uint32_t nth;	     /* its place has this index in w->places */
	uint32_t list;	     /* LISTS * chain, + HAS_GUARD, + READS_ONLY, + IS_ATOMIC */
	uint32_t begin;	     /* its accesses begin there in w->events */
	uint32_t n;	     /* so many of them so far */
	uint32_t last;	     /* the latest, an event id */
	uint32_t prev, next; /* seats of the same list, latest first */
};

/* From a class to its seat; empty unless the stamp is that of the cell. */
struct bucket {
	uint32_t owner, kind;
	uint32_t seat, stamp;
};

struct walk {
	const struct candidates *c;
	const struct model *m;
	VEC(struct seat) seats;
	struct bucket *buckets;
	uint32_t nbuckets; /* a power of two, or 0 */
	uint32_t stamp;
	VEC(uint32_t) seat_of; /* by access of the cell */
	uint32_t guard;	       /* of the cell */
	uint32_t *head;	       /* by list: its first seat */
	/* By kind of list: chains that have such a one, in order of their first access there.  A
	 * counter that all threads add to has as many chains; who only reads it plainly, few. */
	VEC(uint32_t) chains[LISTS];
	VEC(uint32_t) events;
	VEC(uint32_t) places;			   /* of the cell; none when there are many */
	bool over[FEW_PLACES], writes[FEW_PLACES]; /* by place; writes: some class there does */
};

static struct walk *walk_new(const struct candidates *c)
{
	struct walk *w = mem_zalloc(sizeof(*w));

	w->c = c;
	w->m = c->m;
	w->head = mem_alloc(LISTS * ((size_t)c->m->nchains + 1) * sizeof(*w->head));
	for (size_t i = 0; i < LISTS * (size_t)c->m->nchains; i++)
		w->head[i] = NONE;
	return w;
}

static void walk_free(struct walk *w)
{
	VEC_RELEASE_ALL(&w->seats, &w->seat_of);
	for (uint32_t k = 0; k < LISTS; k++)
		VEC_RELEASE(&w->chains[k]);
	VEC_RELEASE_ALL(&w->events, &w->places);
	MEM_FREE_ALL(w->buckets, w->head, w);
}

static void make_buckets(struct walk *w, uint32_t n)
{
	w->stamp++;
	if (w->nbuckets / 2 >= n)
		return;
	if (w->nbuckets == 0)
		w->nbuckets = 64;
	while (w->nbuckets / 2 < n)
		w->nbuckets *= 2;
	mem_free(w->buckets);
	w->buckets = mem_zalloc(w->nbuckets * sizeof(*w->buckets));
}

static uint32_t seat_find(struct walk *w, const struct candidate_access *a)
{
	uint64_t hash = hash_upper((uint64_t)a->owner << 32 | a->kind);
	uint32_t i = (uint32_t)(hash >> 32) & (w->nbuckets - 1);
	uint32_t chain;
	struct bucket *s;

	for (;; i = (i + 1) & (w->nbuckets - 1)) {
		s = &w->buckets[i];
		if (s->stamp != w->stamp)
			break;
		if (s->owner == a->owner && s->kind == a->kind)
			return s->seat;
	}
	*s = (struct bucket){ a->owner, a->kind, (uint32_t)w->seats.n, w->stamp };
	chain = w->c->owners.at[a->owner].chain;
	*VEC_PUSH(&w->seats) = (struct seat){
		.first = *a,
		.chain = chain,
		.place = a->kind >> 2,
		.list = LISTS * chain + (candidates_is_guarded(w->c, a, w->guard) ? HAS_GUARD : 0) +
			(a->kind & KIND_WRITES ? 0 : READS_ONLY) +
			(a->kind & KIND_ATOMIC ? IS_ATOMIC : 0),
	};
	return s->seat;
}

/* A seat for each class, with room for its accesses. */
static void set_seats(struct walk *w, const struct candidate_access *at, uint32_t n)
{
	uint32_t total = 0;

	VEC_CLEAR(&w->seats);
	VEC_RESERVE(&w->seat_of, n);
	VEC_RESERVE(&w->events, n);
	make_buckets(w, n);
	for (uint32_t i = 0; i < n; i++) {
		w->seat_of.at[i] = seat_find(w, &at[i]);
		w->seats.at[w->seat_of.at[i]].n++;
	}
	for (size_t i = 0; i < w->seats.n; i++) {
		w->seats.at[i].begin = total;
		total += w->seats.at[i].n;
		w->seats.at[i].n = 0;
	}
}

static void set_places(struct walk *w)
{
	uint32_t k;

	VEC_CLEAR(&w->places);
	for (size_t i = 0; i < w->seats.n; i++) {
		bool writes = w->seats.at[i].first.kind & KIND_WRITES;

		for (k = 0; k < w->places.n && w->places.at[k] != w->seats.at[i].place; k++)
			;
		w->seats.at[i].nth = k;
		if (k < w->places.n) {
			w->writes[k] |= writes;
			continue;
		}
		if (k == FEW_PLACES) {
			VEC_CLEAR(&w->places);
			return;
		}
		*VEC_PUSH(&w->places) = w->seats.at[i].place;
		w->over[k] = false;
		w->writes[k] = writes;
	}
}

static uint64_t signature_of(uint32_t a, uint32_t b)
{
	uint32_t low = a < b ? a : b;

	return (uint64_t)low << 32 | (a ^ b ^ low);
}

/* Nothing more is wanted of the class, whatever it meets. */
static bool is_over(struct walk *w, const struct candidate_visitor *v, uint32_t seat)
{
	const struct seat *s = &w->seats.at[seat];

	if (!v->over || w->places.n == 0)
		return false;
	for (size_t i = 0; i < w->places.n && !w->over[s->nth]; i++)
		if ((w->writes[i] || w->writes[s->nth]) &&
		    !v->over(v->arg, signature_of(s->place, w->places.at[i])))
			return false;
	w->over[s->nth] = true;
	return true;
}

static void clear_seats(struct walk *w)
{
	for (uint32_t k = 0; k < LISTS; k++) {
		for (size_t i = 0; i < w->chains[k].n; i++)
			w->head[LISTS * w->chains[k].at[i] + k] = NONE;
		VEC_CLEAR(&w->chains[k]);
	}
}

static void unlink_seat(struct walk *w, struct seat *s)
{
	if (s->prev != NONE)
		w->seats.at[s->prev].next = s->next;
	else
		w->head[s->list] = s->next;
	if (s->next != NONE)
		w->seats.at[s->next].prev = s->prev;
}

/* e is the latest access of its class now, and of its chain. */
static void seat_event(struct walk *w, uint32_t seat, uint32_t e)
{
	struct seat *s = &w->seats.at[seat];
	uint32_t *head = &w->head[s->list];

	if (*head != seat) {
		if (s->n > 0)
			unlink_seat(w, s);
		else if (*head == NONE)
			*VEC_PUSH(&w->chains[s->list % LISTS]) = s->chain;
		s->prev = NONE;
		s->next = *head;
		if (*head != NONE)
			w->seats.at[*head].prev = seat;
		*head = seat;
	}
	w->events.at[s->begin + s->n++] = e;
	s->last = e;
}

/* Shows e the classes of one list whose latest access is not below bound. */
static bool meet_list(struct walk *w, const struct candidate_visitor *v, struct candidate *x,
		      uint32_t seat, uint32_t list, uint32_t bound)
{
	const struct seat *mine = &w->seats.at[seat];

	for (uint32_t i = w->head[list]; i != NONE && w->seats.at[i].last >= bound;
	     i = w->seats.at[i].next) {
		const struct seat *s = &w->seats.at[i];

		x->signature = signature_of(s->place, mine->place);
		if (v->wanted && !v->wanted(v->arg, x->signature))
			continue;
		if (!candidates_may_race(w->c, &s->first, &mine->first))
			continue;
		x->at = w->events.at + s->begin;
		x->n = s->n;
		x->live = SEARCH_PAST(k, 0, x->n, x->at[k] < bound);
		x->pair = (uint64_t)i << 32 | seat;
		if (!v->meet(v->arg, x))
			return false;
	}
	return true;
}

/* The same with the lists of one kind, of all other chains. */
static bool meet_kind(struct walk *w, const struct candidate_visitor *v, struct candidate *x,
		      uint32_t seat, uint32_t kind, const struct causal_known *before)
{
	uint32_t mine = w->seats.at[seat].chain;

	for (size_t i = 0; i < w->chains[kind].n; i++) {
		uint32_t chain = w->chains[kind].at[i], known;
		struct model_list events;

		if (chain == mine)
			continue;
		events = model_chain(w->m, chain);
		known = causal_known_at(before, chain);
		if (known < events.n &&
		    !meet_list(w, v, x, seat, LISTS * chain + kind, events.at[known]))
			return false;
	}
	return true;
}

static bool meet_all(struct walk *w, const struct candidate_visitor *v, struct candidate *x,
		     uint32_t seat, const struct causal_known *before)
{
	for (uint32_t k = 0; k < LISTS; k++)
		if (!(k & w->seats.at[seat].list) && !meet_kind(w, v, x, seat, k, before))
			return false;
	return true;
}

static bool walk_cell(struct walk *w, uint32_t index, const struct candidate_visitor *v)
{
	uint32_t cell = w->c->cells.at[index];
	const struct candidate_access *at = w->c->accesses + w->c->start[cell];
	uint32_t n = (uint32_t)(w->c->start[cell + 1] - w->c->start[cell]);
	bool go_on = true;

	w->guard = w->c->guards.at[index];
	set_seats(w, at, n);
	set_places(w);
	if (v->cell)
		v->cell(v->arg);
	for (uint32_t i = 0; i < n && go_on; i++) {
		struct candidate x = { .cell = cell, .e = at[i].e };
		struct causal_known before;

		if (is_over(w, v, w->seat_of.at[i]))
			continue;
		if (!v->before(v->arg, x.e, &before))
			continue; /* it is nobody's target, now or later */
		go_on = meet_all(w, v, &x, w->seat_of.at[i], &before);
		seat_event(w, w->seat_of.at[i], x.e);
	}
	clear_seats(w);
	return go_on;
}

/* ---- all pieces ---- */

struct walkers {
	const struct walk_work *work;
	struct walk **walks; /* by thread */
};

static void walk_piece(void *arg, size_t piece, unsigned worker)
{
	const struct walkers *all = arg;
	const struct walk_work *work = all->work;
	struct walk *w = all->walks[worker];
	struct candidate_visitor v = work->visitor;
	uint32_t i = work->c->piece_start.at[work->first + piece];
	bool go_on;

	v.arg = (char *)work->workers + worker * work->size;
	go_on = work->begin(v.arg, piece);
	for (; go_on && i < work->c->piece_start.at[work->first + piece + 1]; i++)
		go_on = walk_cell(w, i, &v);
	work->end(v.arg, piece, go_on);
}

void walk_pieces(const struct walk_work *work)
{
	struct walkers all = { work, mem_alloc(work->jobs * sizeof(struct walk *)) };

	for (unsigned i = 0; i < work->jobs; i++)
		all.walks[i] = walk_new(work->c);
	pool_run(work->jobs, work->n, walk_piece, &all);
	for (unsigned i = 0; i < work->jobs; i++)
		walk_free(all.walks[i]);
	mem_free(all.walks);
}
