/*
 * The successors of a level, in order, without a hash.
 *
 * Keys ascend.  To add a point of one lane keeps their order (packing.c), so the successors by one
 * lane ascend too, and the next level is the union of as many sorted sequences as there are
 * lanes.  It is made a piece at a time, each piece a range of the new keys that fits a cache:
 *
 *	level      a b c d e f g h ...
 *	by lane 0      a'  c' d'     ...	filtered: may its next point come there?
 *	by lane 2    a"b"   d"e"     ...
 *	           \________ merge two and two, equal ones into one ______/
 *
 * The loops take words of a key, configurations and counts as constants, so that the common shapes
 * (one word, no counts) pay for nothing else; any other shape runs the same source.
 */

#include "lattice/lattice_priv.h"

#define ENTRIES_INLINE static inline __attribute__((always_inline))
#define MEMO (1u << 14) /* steps that a worker remembers */

/* What the loops take as constants. */
struct entries_shape {
	uint32_t words, limbs;
	bool configs;
};

/* --- sorted entries, and how two sequences become one --- */

ENTRIES_INLINE void entries_copy_words(uint64_t *to, const uint64_t *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		to[i] = from[i];
}

ENTRIES_INLINE void entries_add_words(uint64_t *to, const uint64_t *from, uint32_t n)
{
	unsigned carry = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t sum = to[i] + from[i];
		unsigned over = sum < from[i];

		to[i] = sum + carry;
		carry = over | (unsigned)(to[i] < carry);
	}
	/* Levels are widened before a count can overflow. */
	assert(!carry);
}

/* Appends; entries of the same key come from one cut, which has few configurations. */
ENTRIES_INLINE void entries_push(struct entries *o, const uint64_t *key, uint32_t config,
				 const uint64_t *count, const struct entries_shape s)
{
	size_t at = o->n;

	if (s.configs) {
		while (at > 0 && o->configs[at - 1] >= config &&
		       packing_compare(o->keys + (at - 1) * s.words, key, s.words) == 0) {
			if (o->configs[at - 1] == config) {
				if (s.limbs)
					entries_add_words(o->counts + (at - 1) * s.limbs, count,
							  s.limbs);
				return;
			}
			at--;
		}
		memmove(o->configs + at + 1, o->configs + at, (o->n - at) * sizeof(*o->configs));
		o->configs[at] = config;
	}
	if (s.limbs) {
		if (s.configs)
			memmove(o->counts + (at + 1) * s.limbs, o->counts + at * s.limbs,
				(o->n - at) * s.limbs * sizeof(*o->counts));
		entries_copy_words(o->counts + at * s.limbs, count, s.limbs);
	}
	entries_copy_words(o->keys + o->n * s.words, key, s.words);
	o->n++;
}

ENTRIES_INLINE void entries_take(struct entries *o, const struct entries *a, size_t i,
				 const struct entries_shape s)
{
	entries_copy_words(o->keys + o->n * s.words, a->keys + i * s.words, s.words);
	if (s.configs)
		o->configs[o->n] = a->configs[i];
	if (s.limbs)
		entries_copy_words(o->counts + o->n * s.limbs, a->counts + i * s.limbs, s.limbs);
}

ENTRIES_INLINE void entries_take_rest(struct entries *o, const struct entries *a, size_t i,
				      const struct entries_shape s)
{
	size_t n = a->n - i;

	if (!n)
		return;
	memcpy(o->keys + o->n * s.words, a->keys + i * s.words, n * s.words * sizeof(*a->keys));
	if (s.configs)
		memcpy(o->configs + o->n, a->configs + i, n * sizeof(*a->configs));
	if (s.limbs)
		memcpy(o->counts + o->n * s.limbs, a->counts + i * s.limbs,
		       n * s.limbs * sizeof(*a->counts));
	o->n += n;
}

/* One word and at most one limb: no branch depends on which is smaller. */
ENTRIES_INLINE void entries_merge_words(const struct entries *a, const struct entries *b,
					struct entries *o, const struct entries_shape s)
{
	const uint64_t *restrict ka = a->keys, *restrict kb = b->keys;
	const uint64_t *restrict na = a->counts, *restrict nb = b->counts;
	const uint32_t *restrict ca = a->configs, *restrict cb = b->configs;
	uint64_t *restrict ko = o->keys, *restrict no = o->counts;
	uint32_t *restrict co = o->configs;
	size_t i = 0, j = 0, n = o->n, an = a->n, bn = b->n;

	while (i < an && j < bn) {
		uint64_t x = ka[i], y = kb[j];
		bool le = x <= y, ge = y <= x;

		if (s.configs) {
			uint32_t c = ca[i], d = cb[j];
			bool same = le & ge;

			le = same ? c <= d : le;
			ge = same ? d <= c : ge;
			co[n] = le ? c : d;
		}
		ko[n] = le ? x : y;
		if (s.limbs)
			no[n] = (na[i] & -(uint64_t)le) + (nb[j] & -(uint64_t)ge);
		i += le;
		j += ge;
		n++;
	}
	o->n = n;
	entries_take_rest(o, a, i, s);
	entries_take_rest(o, b, j, s);
}

ENTRIES_INLINE void entries_merge_any(const struct entries *a, const struct entries *b,
				      struct entries *o, const struct entries_shape s)
{
	size_t i = 0, j = 0;

	while (i < a->n && j < b->n) {
		int c = packing_compare(a->keys + i * s.words, b->keys + j * s.words, s.words);

		if (c == 0 && s.configs && a->configs[i] != b->configs[j])
			c = a->configs[i] < b->configs[j] ? -1 : 1;
		entries_take(o, c <= 0 ? a : b, c <= 0 ? i : j, s);
		if (c == 0 && s.limbs)
			entries_add_words(o->counts + o->n * s.limbs, b->counts + j * s.limbs,
					  s.limbs);
		i += c <= 0;
		j += c >= 0;
		o->n++;
	}
	entries_take_rest(o, a, i, s);
	entries_take_rest(o, b, j, s);
}

ENTRIES_INLINE void entries_merge(const struct entries *a, const struct entries *b,
				  struct entries *o, const struct entries_shape s)
{
	if (s.words == 1 && s.limbs <= 1)
		entries_merge_words(a, b, o, s);
	else
		entries_merge_any(a, b, o, s);
}

/* --- steps of configurations --- */

static uint32_t step_slow(struct lattice *l, struct worker *w, struct memo *at, uint32_t config,
			  const struct lane_point *m)
{
	unsigned worker = (unsigned)(w - l->expand->workers);

	at->to = config_step(l->opt.configs, config, m->item, m->writes, m->pos, worker);
	at->number = m->number;
	at->from = config;
	return at->to;
}

ENTRIES_INLINE uint32_t step(struct lattice *l, struct worker *w, uint32_t config,
			     const struct lane_point *m)
{
	struct memo *at;

	if (!m->item)
		return config;
	at = &w->memo[(m->number * 2654435761u + config * UINT64_C(40503)) & (MEMO - 1)];
	if (at->number == m->number && at->from == config)
		return at->to;
	return step_slow(l, w, at, config, m);
}

void expand_memo_ready(struct worker *w)
{
	if (w->memo)
		return;
	w->memo = mem_alloc(MEMO * sizeof(*w->memo));
	for (uint32_t i = 0; i < MEMO; i++)
		w->memo[i] = (struct memo){ .number = UINT64_MAX };
}

uint32_t expand_step(struct lattice *l, uint32_t config, const struct lane_point *m)
{
	struct worker *w = &l->expand->workers[0];

	expand_memo_ready(w);
	return step(l, w, config, m);
}

/* --- successors by one lane --- */

/* Are all counts of the key at least the row's? */
ENTRIES_INLINE bool has(const uint64_t *key, const uint64_t *row, const uint64_t *guards,
			uint32_t words)
{
	uint64_t lost = 0;

	for (uint32_t i = 0; i < words; i++)
		lost |= ~((key[i] | guards[i]) - row[i]) & guards[i];
	return !lost;
}

static struct lane_open opens_add(const struct lattice *l, const uint64_t *key)
{
	struct lane_open o = l->idle;

	for (size_t k = 0; k < l->views.n; k++) {
		const struct packing_view *v = &l->views.at[k];
		const struct lane_open *a = &v->open[key[v->word] >> v->shift & v->mask];

		o.certain |= a->certain;
		o.maybe |= a->maybe;
	}
	return o;
}

/* Each lane asks the same of an entry: with a hundred lanes it is to be added up once. */
static struct lane_open opens_get(const struct lattice *l, struct worker *w, size_t entry,
				  const uint64_t *key)
{
	struct opens *at;

	if (!w->opens)
		return opens_add(l, key);
	at = &w->opens[entry & (OPENS - 1)];
	if (at->round != w->round || at->entry != entry)
		*at = (struct opens){ w->round, entry, opens_add(l, key) };
	return at->open;
}

/* The sets that the lane's point starts may be; entry: where in the level the key is. */
static bool starts_free(const struct lattice *l, struct worker *w, size_t entry,
			const uint64_t *key, uint32_t lane, uint64_t starts)
{
	const struct packing *p = l->packing;
	struct lane_open o = opens_get(l, w, entry, key);
	uint32_t wait = 0;
	bool free;

	if (o.certain & starts)
		return false;
	if (!(o.maybe & starts))
		return true;
	free = open_sets_free(l, p, key, lanes_at(&l->lanes, lane, packing_count(p, key, lane)),
			      &wait);
	if (!free && wait)
		w->wait = wait;
	return free;
}

/* One word and no configurations: the loop that most time goes into.  No branch depends on which
 * cuts the point may follow: no processor could predict it. */
ENTRIES_INLINE void by_lane_plain(struct expand *e, struct worker *w, uint32_t k, size_t from,
				  size_t to, struct entries *o, const uint32_t limbs,
				  const bool track)
{
	const struct lattice *l = e->l;
	const struct packing_field f = l->packing->by_lane[l->packing->active[k]];
	const struct packing_lane *wl = &l->window.at[f.lane];
	const uint64_t guards = l->packing->guards[0], unit = UINT64_C(1) << f.shift;
	const uint64_t *restrict keys = l->level.keys, *restrict counts = l->level.counts;
	const uint64_t *restrict rows = wl->rows.at, *restrict starts = wl->starts.at;
	uint64_t *restrict keys_out = o->keys, *restrict counts_out = o->counts;
	uint64_t top = w->top.at[k];
	size_t n = o->n;

	for (size_t i = from; i < to; i++) {
		uint64_t key = keys[i], x = key >> f.shift & f.mask;
		bool ok = (((key | guards) - rows[x]) & guards) == guards;
		uint64_t moved;

		if (track && ok && starts[x])
			ok = starts_free(l, w, i, &keys[i], f.lane, starts[x]);
		if (track && ok)
			__atomic_store_n(&e->alive[i], 1, __ATOMIC_RELAXED);
		moved = (x + 1) & -(uint64_t)ok;
		top = moved > top ? moved : top;
		keys_out[n] = key + unit;
		if (limbs)
			entries_copy_words(counts_out + n * limbs, counts + i * limbs, limbs);
		n += ok;
	}
	w->top.at[k] = (uint32_t)top;
	w->edges += n;
	o->n = n;
}

/* Any shape. */
ENTRIES_INLINE void by_lane_any(struct expand *e, struct worker *w, uint32_t k, size_t from,
				size_t to, struct entries *o, const struct entries_shape s)
{
	struct lattice *l = e->l;
	const struct packing *p = l->packing;
	const struct packing_field f = p->by_lane[p->active[k]];
	const struct packing_lane *wl = &l->window.at[f.lane];
	const struct lane *lane = &l->lanes.at.at[f.lane];
	const struct lane_point *points = &lane->points.at[lane->head] + (f.base - lane->first);
	const struct level v = l->level;
	const uint64_t *guards = p->guards, *rows = wl->rows.at;
	uint64_t top = w->top.at[k];

	for (size_t i = from; i < to; i++) {
		const uint64_t *key = v.keys + i * s.words;
		uint64_t x = key[f.word] >> f.shift & f.mask, *next = o->keys + o->n * s.words;

		if (!has(key, rows + x * s.words, guards, s.words))
			continue;
		if (wl->starts.at[x] && !starts_free(l, w, i, key, f.lane, wl->starts.at[x]))
			continue;
		if (e->track)
			__atomic_store_n(&e->alive[i], 1, __ATOMIC_RELAXED);
		top = x >= top ? x + 1 : top;
		entries_copy_words(next, key, s.words);
		next[f.word] += UINT64_C(1) << f.shift;
		w->edges += !s.configs || i == from ||
			    packing_compare(key - s.words, key, s.words) != 0;
		entries_push(o, next, s.configs ? step(l, w, v.configs[i], &points[x]) : 0,
			     s.limbs ? v.counts + i * s.limbs : NULL, s);
	}
	w->top.at[k] = (uint32_t)top;
}

/* Successors of entries [from, to) by active lane k. */
ENTRIES_INLINE void by_lane(struct expand *e, struct worker *w, uint32_t k, size_t from, size_t to,
			    struct entries *o, const struct entries_shape s)
{
	if (s.words > 1 || s.configs)
		by_lane_any(e, w, k, from, to, o, s);
	else if (e->track)
		by_lane_plain(e, w, k, from, to, o, s.limbs, true);
	else
		by_lane_plain(e, w, k, from, to, o, s.limbs, false);
}

/* --- pieces --- */

static struct entries area_entries(struct area *a, size_t at, const struct entries_shape s)
{
	return (struct entries){ .keys = a->keys.at + at * s.words,
				 .configs = s.configs ? a->configs.at + at : NULL,
				 .counts = s.limbs ? a->counts.at + at * s.limbs : NULL };
}

static void area_reserve(struct area *a, size_t n, const struct entries_shape s)
{
	VEC_RESERVE(&a->keys, (n + 1) * s.words);
	if (s.configs)
		VEC_RESERVE(&a->configs, n + 1);
	if (s.limbs)
		VEC_RESERVE(&a->counts, (n + 1) * s.limbs);
}

/* The key's successor by the field's lane is below the bound. */
static bool next_is_below(const uint64_t *key, const struct packing_field *f, const uint64_t *bound,
			  uint32_t words)
{
	for (uint32_t i = 0; i < words; i++) {
		uint64_t k = key[i] + (i == f->word ? UINT64_C(1) << f->shift : 0);

		if (k != bound[i])
			return k < bound[i];
	}
	return false;
}

/* Keys of the new level in piece i: from the old one's entry i * PIECE on. */
static size_t piece_from(const struct expand *e, size_t i, const struct packing_field *f)
{
	const struct level *v = &e->l->level;
	uint32_t words = e->l->packing->words;
	const uint64_t *bound = v->keys + i * PIECE * words;

	if (i == 0 || i >= e->npieces)
		return i == 0 ? 0 : v->n;
	return SEARCH_PAST(k, 0, v->n, next_is_below(v->keys + k * words, f, bound, words));
}

/* Halves the number of sequences; those of w->parts are in one area, the new ones in the other. */
ENTRIES_INLINE void merge_round(struct worker *w, struct area *to, size_t total,
				const struct entries_shape s)
{
	size_t n = 0, at = 0;

	area_reserve(to, total, s);
	for (size_t i = 0; i < w->parts.n; i += 2, n++) {
		struct entries o = area_entries(to, at, s);
		const struct entries *a = &w->parts.at[i], none = { .n = 0 };

		if (i + 1 < w->parts.n)
			entries_merge(a, a + 1, &o, s);
		else
			entries_merge(a, &none, &o, s);
		at += o.n;
		w->parts.at[n] = o;
	}
	w->parts.n = n;
}

/* The piece's entries, in one of the worker's areas. */
ENTRIES_INLINE struct entries piece(struct expand *e, struct worker *w, size_t i,
				    const struct entries_shape s)
{
	const struct packing *p = e->l->packing;
	size_t total = 0, at = 0;
	int area = 0;

	VEC_RESERVE(&w->parts, p->nactive + 1);
	w->parts.n = 0;
	for (uint32_t k = 0; k < p->nactive; k++) {
		const struct packing_field *f = &p->by_lane[p->active[k]];

		total += piece_from(e, i + 1, f) - piece_from(e, i, f);
	}
	area_reserve(&w->areas[0], total, s);
	for (uint32_t k = 0; k < p->nactive; k++) {
		const struct packing_field *f = &p->by_lane[p->active[k]];
		struct entries o = area_entries(&w->areas[0], at, s);

		by_lane(e, w, k, piece_from(e, i, f), piece_from(e, i + 1, f), &o, s);
		if (!o.n)
			continue;
		*VEC_PUSH(&w->parts) = o;
		at += o.n;
	}
	while (w->parts.n > 1) {
		area = !area;
		merge_round(w, &w->areas[area], total, s);
	}
	return w->parts.n ? w->parts.at[0] : (struct entries){ .n = 0 };
}

struct entries expand_piece(struct expand *e, struct worker *w, size_t i)
{
	const struct level *v = &e->l->level;
	const struct entries_shape s = { .words = e->l->packing->words,
					 .limbs = v->limbs,
					 .configs = v->configs != NULL };

	if (s.words == 1 && s.limbs == 0 && !s.configs)
		return piece(e, w, i, (struct entries_shape){ 1, 0, false });
	if (s.words == 1 && s.limbs == 1 && !s.configs)
		return piece(e, w, i, (struct entries_shape){ 1, 1, false });
	if (s.words == 1 && s.limbs == 0 && s.configs)
		return piece(e, w, i, (struct entries_shape){ 1, 0, true });
	if (s.words == 1 && s.limbs == 1 && s.configs)
		return piece(e, w, i, (struct entries_shape){ 1, 1, true });
	return piece(e, w, i, s);
}
