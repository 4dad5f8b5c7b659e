/*
 * Cuts as numbers: a field of a few bits for each lane that moves.
 *
 *	 63                                   0
 *	+-+-------+-+----+-+-------------+-----+
 *	|g| lane 0|g| 2  |g|   lane 5    |     |	lanes 1, 3, 4: the same in all cuts
 *	+-+-------+-+----+-+-------------+-----+
 *
 * Fields count from a base that moves along with the levels, so they stay small however long the
 * computation is.  Lane 0 is on top: keys compare as cuts do, lane by lane, and to add a point of
 * one lane keeps the order of any two.
 *
 * A guard bit above each field makes `are all counts at least these?' one subtraction a word:
 * (key | guards) - row leaves a guard standing iff its field did not borrow.
 *
 * When a field could overflow, or a lane without one could move, all is packed anew.
 */
#include "lattice/lattice_priv.h"

#define REPACK 4096 /* levels: so that what is behind is forgotten now and then */
#define SLACK 12    /* spare bits of a field at most */

struct packing *packing_new(uint32_t nlanes)
{
	struct packing *p = mem_zalloc(sizeof(*p));

	p->nlanes = nlanes;
	p->words = 1;
	p->by_lane = mem_zalloc((nlanes + 1) * sizeof(*p->by_lane));
	p->active = mem_alloc((nlanes + 1) * sizeof(*p->active));
	for (uint32_t i = 0; i < nlanes; i++)
		p->by_lane[i].lane = i;
	return p;
}

void packing_free(struct packing *p)
{
	if (!p)
		return;
	MEM_FREE_ALL(p->by_lane, p->active, p->guards, p);
}

void packing_cut(const struct packing *p, const uint64_t *key, uint32_t *cut)
{
	for (uint32_t i = 0; i < p->nlanes; i++)
		cut[i] = packing_count(p, key, i);
}

bool packing_key(const struct packing *p, const uint32_t *cut, uint32_t n, uint64_t *key)
{
	memset(key, 0, p->words * sizeof(*key));
	for (uint32_t i = 0; i < n || i < p->nlanes; i++) {
		uint32_t count = i < n ? cut[i] : 0;
		const struct packing_field *f = i < p->nlanes ? &p->by_lane[i] : NULL;

		if (!f && count)
			return false;
		if (!f)
			continue;
		if (count < f->base || count - f->base > f->mask)
			return false;
		key[f->word] |= (uint64_t)(count - f->base) << f->shift;
	}
	return true;
}

/* --- choosing fields --- */

static uint32_t bits_for(uint64_t v)
{
	return v ? 64 - (uint32_t)__builtin_clzll(v) : 1;
}

/* Puts the active lanes' fields of these widths into words; the number of words. */
static uint32_t put_fields(struct packing *p, const uint32_t *bits)
{
	uint32_t word = 0, free = 64;

	for (uint32_t k = 0; k < p->nactive; k++) {
		struct packing_field *f = &p->by_lane[p->active[k]];

		if (bits[k] + 1 > free) {
			word++;
			free = 64;
		}
		free -= bits[k] + 1;
		f->word = word;
		f->shift = free;
		f->bits = bits[k];
		f->mask = (UINT64_C(1) << bits[k]) - 1;
	}
	return word + 1;
}

/* Its next point could come in some cut with these counts. */
static bool could_move(const struct lattice *l, uint32_t lane, const uint32_t *top)
{
	const struct lane_point *m;

	if (top[lane] >= l->lanes.at.at[lane].known)
		return false;
	m = lanes_at(&l->lanes, lane, top[lane]);
	for (uint32_t i = 0; i < m->nneeds; i++)
		if (m->needs[i].count > top[m->needs[i].lane])
			return false;
	return true;
}

/* Counts from low to one more than top must fit, as far as there are points; more is better, as
 * long as it costs no word. */
static void choose_fields(struct lattice *l, struct packing *p, const uint32_t *low)
{
	const uint32_t *top = l->top.at;
	uint32_t *least, *most, *bits;

	for (uint32_t i = 0; i < p->nlanes; i++) {
		p->by_lane[i].base = low[i];
		if (low[i] < top[i] || could_move(l, i, top))
			p->active[p->nactive++] = i;
	}
	least = mem_alloc((p->nactive + 1) * 3 * sizeof(*least));
	most = least + p->nactive;
	bits = most + p->nactive;
	for (uint32_t k = 0; k < p->nactive; k++) {
		uint32_t i = p->active[k], known = l->lanes.at.at[i].known;

		least[k] = bits_for(top[i] - low[i] + (known > top[i]));
		most[k] = bits_for(known - low[i]);
	}
	p->words = put_fields(p, least);
	for (uint32_t more = SLACK; more-- > 0;) {
		for (uint32_t k = 0; k < p->nactive; k++) {
			bits[k] = least[k] + more;
			if (bits[k] > most[k])
				bits[k] = most[k];
		}
		if (put_fields(p, bits) == p->words)
			break;
	}
	mem_free(least);
	p->guards = mem_zalloc(p->words * sizeof(*p->guards));
	for (uint32_t k = 0; k < p->nactive; k++) {
		const struct packing_field *f = &p->by_lane[p->active[k]];

		p->guards[f->word] |= UINT64_C(1) << (f->shift + f->bits);
	}
}

static void repack_keys(struct level *v, const struct packing *old, const struct packing *p)
{
	size_t room = (v->n + 1) * p->words;
	uint64_t *keys = mem_alloc(room * sizeof(*keys));

	for (size_t n = 0; n < v->n; n++) {
		const uint64_t *from = v->keys + n * old->words;
		uint64_t *to = keys + n * p->words;

		memset(to, 0, p->words * sizeof(*to));
		for (uint32_t k = 0; k < p->nactive; k++) {
			const struct packing_field *f = &p->by_lane[p->active[k]];

			to[f->word] |= (uint64_t)(packing_count(old, from, f->lane) - f->base)
				       << f->shift;
		}
	}
	mem_free(v->keys);
	v->keys = keys;
	v->key_room = room;
}

/* Lowest and highest count of each lane in the level. */
static void measure(const struct lattice *l, uint32_t *low, uint32_t *top, uint32_t n)
{
	const struct packing *p = l->packing;
	const struct level *v = &l->level;

	for (uint32_t i = 0; i < n; i++)
		low[i] = top[i] = i < p->nlanes ? p->by_lane[i].base : 0;
	for (uint32_t k = 0; k < p->nactive; k++) {
		const struct packing_field *f = &p->by_lane[p->active[k]];
		const uint64_t *word = v->keys + f->word;
		uint64_t a = f->mask, b = 0;

		for (size_t e = 0; e < v->n; e++) {
			uint64_t x = word[e * p->words] >> f->shift & f->mask;

			a = x < a ? x : a;
			b = x > b ? x : b;
		}
		low[f->lane] = f->base + (uint32_t)a;
		top[f->lane] = f->base + (uint32_t)b;
	}
}

void packing_measure(struct lattice *l)
{
	uint32_t *low = mem_alloc((l->top.n + 1) * sizeof(*low));

	measure(l, low, l->top.at, (uint32_t)l->top.n);
	l->top_loose = false;
	mem_free(low);
}

/* --- rows --- */

/* What no key has: the guard of the lane's own field, which any count is below. */
static void row_never(const struct packing *p, uint32_t lane, uint64_t *row)
{
	const struct packing_field *f = &p->by_lane[lane];

	memset(row, 0, p->words * sizeof(*row));
	row[f->word] = UINT64_C(1) << (f->shift + f->bits);
}

static void row_of(const struct packing *p, uint32_t lane, const struct lane_point *m,
		   uint64_t *row)
{
	memset(row, 0, p->words * sizeof(*row));
	for (uint32_t i = 0; i < m->nneeds; i++) {
		const struct packing_field *f = &p->by_lane[m->needs[i].lane];
		uint64_t v, had;

		if (m->needs[i].lane >= p->nlanes || m->needs[i].count > f->base + f->mask) {
			row_never(p, lane, row);
			return;
		}
		if (m->needs[i].count <= f->base)
			continue;
		v = m->needs[i].count - f->base;
		had = row[f->word] >> f->shift & f->mask;
		if (v > had)
			row[f->word] += (v - had) << f->shift;
	}
}

static void fill_rows(struct lattice *l, uint32_t lane)
{
	const struct packing *p = l->packing;
	struct packing_lane *w = &l->window.at[lane];
	uint32_t base = p->by_lane[lane].base, known = l->lanes.at.at[lane].known;
	uint32_t need = l->top.at[lane] - base + 1;

	for (; w->filled < need; w->filled++) {
		size_t at = w->filled;
		const struct lane_point *m;

		VEC_REACH(&w->rows, (at + 1) * p->words - 1);
		VEC_REACH(&w->starts, at);
		w->starts.at[at] = 0;
		if (base + at >= known) { /* its point may still come */
			row_never(p, lane, w->rows.at + at * p->words);
			return;
		}
		m = lanes_at(&l->lanes, lane, base + w->filled);
		row_of(p, lane, m, w->rows.at + at * p->words);
		for (uint32_t i = 0; i < m->nstarts; i++)
			w->starts.at[at] |=
				UINT64_C(1)
				<< l->lanes.resources.at[l->lanes.sets.at[m->sets[i]].resource].bit;
	}
}

/* --- keeping it good --- */

static bool is_good(const struct lattice *l)
{
	const struct packing *p = l->packing;

	if (p->nlanes != l->lanes.at.n || l->level.number - l->packed_at >= REPACK)
		return false;
	for (uint32_t i = 0; i < p->nlanes; i++) {
		const struct packing_field *f = &p->by_lane[i];

		if (f->mask ? l->top.at[i] < l->lanes.at.at[i].known &&
				      l->top.at[i] - f->base >= f->mask
			    : could_move(l, i, l->top.at))
			return false;
	}
	return true;
}

static void repack(struct lattice *l)
{
	uint32_t n = (uint32_t)l->lanes.at.n;
	struct packing *p = packing_new(n), *old = l->packing;
	uint32_t *low = mem_alloc((n + 1) * sizeof(*low));

	VEC_REACH(&l->window, n);
	measure(l, low, l->top.at, n);
	l->top_loose = false;
	for (uint32_t i = 0; l->lanes.any_sets && i < n; i++)
		open_fill(l, i, l->top.at[i]);
	if (!l->opt.keep) {
		lanes_forget(&l->lanes, low, n);
		lanes_forget_order(&l->lanes, l->level.number);
	}
	for (uint32_t i = 0; l->lanes.any_sets && i < n; i++)
		open_forget(l, i, low[i]);
	choose_fields(l, p, low);
	repack_keys(&l->level, old, p);
	l->level.packing = l->packing = p;
	l->packed_at = l->level.number;
	for (uint32_t i = 0; i < n; i++)
		l->window.at[i].filled = 0;
	if (l->opt.keep)
		*VEC_PUSH(&l->packings) = old;
	else
		packing_free(old);
	open_idle(l);
	mem_free(low);
}

void packing_prepare(struct lattice *l)
{
	VEC_REACH(&l->top, l->lanes.at.n);
	if (l->odd_sets != l->lanes.odd_sets)
		open_doubt(l);
	if (!is_good(l))
		repack(l);
	for (uint32_t k = 0; k < l->packing->nactive; k++)
		fill_rows(l, l->packing->active[k]);
	if (l->lanes.any_sets)
		open_views(l);
}

/* --- questions about one cut --- */

bool packing_enabled(const struct lattice *l, const struct packing *p, const uint64_t *key,
		     uint32_t lane)
{
	uint32_t count = packing_count(p, key, lane);
	const struct lane_point *m;

	if (count >= l->lanes.at.at[lane].known)
		return false;
	m = lanes_at(&l->lanes, lane, count);
	for (uint32_t i = 0; i < m->nneeds; i++)
		if (packing_count(p, key, m->needs[i].lane) < m->needs[i].count)
			return false;
	return open_sets_free(l, p, key, m, NULL);
}
