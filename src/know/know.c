/*
 * Vectors, and what is done with them.
 *
 * The model: each event of thread i adds one to i's own number in its vector; whatever it leaves behind is a
 * copy of the vector; to take is to keep, entry by entry, the one with the larger number.  Here:
 *
 *	- a number is given only when something is left behind and the entry differs from what was left before: nobody
 *	  else can tell the events between apart;
 *	- copies are shared, until the thread learns or changes something;
 *	- a copy says whose it is and which of that thread's.  Who has learned from it, or from a later one, need not
 *	  look at it.
 */
#include "know/know.h"

#include "know/know_priv.h"

/* ---- memory ---- */

static size_t vector_bytes(const struct know_program *p, uint32_t n)
{
	return sizeof(struct know_vector) +
	       8 * (2 * (size_t)p->nvariables + (n + 1) * know_stride(p, n));
}

struct know_vector *know_vector_new(struct know_world *w, uint32_t n)
{
	size_t bytes = vector_bytes(w->program, n);
	struct know_vector *v = w->alloc(bytes);

	if (v != NULL) {
		v->refs = 1;
		v->n = n;
		v->bytes = (uint32_t)bytes;
	}
	return v;
}

static struct know_vector *hold(struct know_vector *v)
{
	if (v != NULL)
		__atomic_fetch_add(&v->refs, 1, __ATOMIC_RELAXED);
	return v;
}

void know_drop(struct know_world *w, struct know_vector *v)
{
	/* Acquire: whoever used it before is done with it. */
	if (v != NULL && __atomic_fetch_sub(&v->refs, 1, __ATOMIC_ACQ_REL) == 1)
		w->free(v, v->bytes);
}

static void replace(struct know_world *w, struct know_vector **at, struct know_vector *by)
{
	struct know_vector *was = *at;

	*at = by;
	know_drop(w, was);
}

void know_cell_clear(struct know_world *w, struct know_cell *c)
{
	replace(w, &c->open, NULL);
	replace(w, &c->closed, NULL);
}

/* ---- more threads ---- */

/* An entry made for fewer threads: those that it does not tell of are as the ghost was. */
static void entry_copy(const struct know_program *p, uint64_t *to, uint32_t nto,
		       const uint64_t *from, uint32_t nfrom)
{
	memcpy(to, from, (1 + p->nplain) * sizeof(*to));
	for (uint32_t i = 0; i < p->nwide; i++) {
		uint64_t *row = to + 1 + p->nplain + (size_t)i * (nto + 1);
		const uint64_t *old = from + 1 + p->nplain + (size_t)i * (nfrom + 1);
		uint32_t both = nfrom < nto ? nfrom : nto;

		memcpy(row, old, (both + 1) * sizeof(*row));
		for (uint32_t j = both + 1; j <= nto; j++)
			row[j] = old[0];
	}
}

static void vector_copy(const struct know_program *p, struct know_vector *to,
			const struct know_vector *from)
{
	if (to->n == from->n) {
		memcpy(to->words, from->words, from->bytes - sizeof(*from));
		return;
	}
	memcpy(to->words, from->words, 16 * (size_t)p->nvariables);
	for (uint32_t j = 0; j <= from->n && j <= to->n; j++)
		entry_copy(p, know_entry(p, to, j), to->n, know_entry(p, from, j), from->n);
}

static uint32_t bits_bytes(const struct know_program *p, uint32_t n)
{
	return p->nbits + p->nwide_bits * (n + 1);
}

static void bits_copy(const struct know_program *p, uint8_t *to, uint32_t nto, const uint8_t *from,
		      uint32_t nfrom)
{
	memcpy(to, from, p->nbits);
	for (uint32_t i = 0; i < p->nwide_bits; i++) {
		uint8_t *row = to + p->nbits + (size_t)i * (nto + 1);
		const uint8_t *old = from + p->nbits + (size_t)i * (nfrom + 1);

		memcpy(row, old, nfrom + 1);
		memset(row + nfrom + 1, old[0], nto - nfrom);
	}
}

bool know_grow(struct know_thread *t, uint32_t n)
{
	struct know_world *w = t->world;
	const struct know_program *p = w->program;
	uint32_t nbits = bits_bytes(p, n), had = t->own->n;
	struct know_vector *v;
	uint64_t *seen;
	uint8_t *bits;

	if (n <= had)
		return true;
	v = know_vector_new(w, n);
	bits = v != NULL ? w->alloc(2 * (size_t)nbits + 1) : NULL;
	seen = bits != NULL ? w->alloc((n + 1) * sizeof(*seen)) : NULL;
	if (seen == NULL) {
		if (bits != NULL)
			w->free(bits, 2 * (size_t)nbits + 1);
		know_drop(w, v);
		t->broken = true;
		return false;
	}
	vector_copy(p, v, t->own);
	/* Nobody has heard of the new ones; what formulas say of them is said of the ghost. */
	bits_copy(p, bits, n, t->bits, had);
	bits_copy(p, bits + nbits, n, t->before, had);
	w->free(t->bits < t->before ? t->bits : t->before, 2 * (size_t)t->nbits + 1);
	memcpy(seen, t->seen, (had + 1) * sizeof(*seen));
	w->free(t->seen, (had + 1) * sizeof(*seen));
	t->seen = seen;
	t->bits = bits;
	t->before = bits + nbits;
	t->nbits = nbits;
	replace(w, &t->own, v);
	t->dirty = t->moved = true;
	return true;
}

/* ---- begin and end ---- */

/* What the first states say.  A term of a thread may look at inner terms of others; so one term at a time, of
 * all. */
static bool first_entries(struct know_world *w, bool (*is_root)(void *arg, uint32_t tid), void *arg)
{
	const struct know_program *p = w->program;

	for (uint32_t j = 1; j <= w->nroots; j++)
		know_entry(p, w->first, j)[0] = is_root(arg, j) ? KNOWN : 0;
	for (uint32_t round = 0; round <= p->nterms; round++) {
		for (uint32_t j = 0; j <= w->nroots; j++) {
			struct know_thread t = { 0 };
			bool good = know_thread_begin(&t, w, j, NULL);

			if (good)
				entry_copy(p, know_entry(p, w->first, j) + 0, w->nroots,
					   know_entry(p, t.own, j), t.own->n);
			if (good && j != 0)
				know_entry(p, w->first, j)[0] = is_root(arg, j) ? KNOWN : 0;
			know_thread_end(&t);
			if (!good)
				return false;
		}
	}
	return true;
}

bool know_begin(struct know_world *w, bool (*is_root)(void *arg, uint32_t tid), void *arg)
{
	w->first = know_vector_new(w, w->nroots);
	return w->first != NULL && first_entries(w, is_root, arg);
}

void know_end(struct know_world *w)
{
	know_drop(w, w->first);
	w->first = NULL;
}

static bool room_make(struct know_thread *t, uint32_t n)
{
	struct know_world *w = t->world;

	t->nbits = bits_bytes(w->program, n);
	t->own = know_vector_new(w, n);
	t->bits = t->own != NULL ? w->alloc(2 * (size_t)t->nbits + 1) : NULL;
	t->before = t->bits + (t->bits != NULL ? t->nbits : 0);
	t->seen = t->bits != NULL ? w->alloc((n + 1) * sizeof(*t->seen)) : NULL;
	return t->seen != NULL;
}

/* It knows what its maker knew from its first event on; in the state before it knows nothing. */
bool know_thread_begin(struct know_thread *t, struct know_world *w, uint32_t tid,
		       const struct know_vector *from)
{
	const struct know_program *p = w->program;
	uint32_t n = tid > w->nroots ? tid : w->nroots;

	*t = (struct know_thread){ .world = w, .tid = tid, .dirty = true, .moved = true };
	if (from != NULL && from->n > n)
		n = from->n;
	if (!room_make(t, n)) {
		t->broken = true;
		return false;
	}
	for (uint32_t i = 0; i < p->nlocals; i++)
		t->locals[i] = know_locals(p)[i].initial;
	vector_copy(p, t->own, w->first);
	for (uint32_t i = 0; i < p->nvariables; i++)
		t->own->words[2 * i + 1] = w->initial[i];
	know_evaluate(t, true);
	memcpy(t->before, t->bits, t->nbits);
	know_learn(t, from);
	if (tid != 0)
		know_entry(p, t->own, tid)[0] |= KNOWN;
	return !t->broken;
}

void know_thread_end(struct know_thread *t)
{
	struct know_world *w = t->world;

	if (t->bits != NULL)
		w->free(t->bits < t->before ? t->bits : t->before, 2 * (size_t)t->nbits + 1);
	t->bits = t->before = NULL;
	if (t->seen != NULL)
		w->free(t->seen, (t->own->n + 1) * sizeof(*t->seen));
	t->seen = NULL;
	know_drop(w, t->own);
	know_drop(w, t->published);
	t->own = t->published = NULL;
}

/* ---- learning ---- */

/* Entries of `from' that are newer go to `to', which has room for all of its threads; but for thread self.
 * True: there were some. */
static bool join(const struct know_program *p, struct know_vector *to,
		 const struct know_vector *from, uint32_t self)
{
	bool grew = false;

	for (uint32_t i = 0; i < p->nvariables; i++) {
		if (from->words[2 * i] <= to->words[2 * i])
			continue;
		memcpy(&to->words[2 * i], &from->words[2 * i], 16);
		grew = true;
	}
	for (uint32_t j = 1; j <= from->n; j++) {
		const uint64_t *news = know_entry(p, from, j);
		uint64_t *has = know_entry(p, to, j);

		if (j == self || news[0] <= has[0])
			continue;
		entry_copy(p, has, to->n, news, from->n);
		grew = true;
	}
	return grew;
}

/* Is there nothing in v that `has' does not have? */
static bool covers(const struct know_program *p, const struct know_vector *has,
		   const struct know_vector *v)
{
	for (uint32_t i = 0; i < p->nvariables; i++)
		if (v->words[2 * i] > has->words[2 * i])
			return false;
	for (uint32_t j = 1; j <= v->n; j++) {
		uint64_t word = know_entry(p, v, j)[0];

		if (word != 0 && (j > has->n || word > know_entry(p, has, j)[0]))
			return false;
	}
	return true;
}

void know_learn(struct know_thread *t, const struct know_vector *v)
{
	const struct know_program *p = t->world->program;

	if (v == NULL || t->broken || know_is_old(t, v) || !know_grow(t, v->n))
		return;
	if (v->owner != 0)
		t->seen[v->owner] = v->seq;
	if (join(p, t->own, v, t->tid))
		t->dirty = t->moved = true;
}

void know_take(struct know_thread *t, const struct know_cell *c, enum know_how how)
{
	know_learn(t, how == KNOW_WRITES ? c->closed : c->open);
}

/* ---- leaving ---- */

struct know_vector *know_publish(struct know_thread *t)
{
	struct know_world *w = t->world;
	const struct know_program *p = w->program;
	struct know_vector *v;

	if (t->broken)
		return NULL;
	if (!t->dirty && t->published != NULL)
		return hold(t->published);
	v = know_vector_new(w, t->own->n);
	if (v == NULL) {
		t->broken = true;
		return NULL;
	}
	if (t->row_moved)
		know_entry(p, t->own, t->tid)[0] += 2;
	vector_copy(p, v, t->own);
	v->owner = t->tid;
	v->seq = ++t->number;
	replace(w, &t->published, v);
	t->dirty = t->row_moved = false;
	return hold(v);
}

/* Is v what t would leave, word by word?  Then it stays, and of two such vectors one is forgotten, by everybody the
 * same: where threads know the same things they come to share one vector, and have nothing to do. */
static bool is_left(struct know_thread *t, struct know_vector *v)
{
	const struct know_program *p = t->world->program;

	if (v == NULL || (v == t->published && !t->dirty))
		return v != NULL;
	if (t->row_moved || (!t->dirty && t->published < v) || !covers(p, v, t->own) ||
	    !covers(p, t->own, v))
		return false;
	replace(t->world, &t->published, hold(v));
	t->dirty = false;
	return true;
}

/* Into one that may be there, from others. */
static void add(struct know_thread *t, struct know_vector **at)
{
	struct know_world *w = t->world;
	const struct know_program *p = w->program;
	struct know_vector *mine, *was = *at, *both;

	if (is_left(t, was))
		return;
	mine = know_publish(t);
	if (mine == NULL)
		return;
	if (was == NULL || know_is_old(t, was) || covers(p, mine, was)) {
		replace(w, at, mine);
		return;
	}
	if (covers(p, was, mine)) {
		know_drop(w, mine);
		return;
	}
	both = know_vector_new(w, was->n > mine->n ? was->n : mine->n);
	if (both == NULL) {
		t->broken = true;
	} else {
		vector_copy(p, both, was);
		join(p, both, mine, 0);
		replace(w, at, both);
	}
	know_drop(w, mine);
}

void know_leave(struct know_thread *t, struct know_cell *c, enum know_how how)
{
	if (t->broken)
		return;
	if (how == KNOW_READS) {
		add(t, &c->closed);
	} else if (how == KNOW_ADDS) {
		add(t, &c->open);
	} else if (c->open != c->closed || !is_left(t, c->open)) {
		replace(t->world, &c->open, know_publish(t));
		replace(t->world, &c->closed, hold(c->open));
	}
}

/* ---- events ---- */

void know_write(struct know_thread *t, uint32_t variable, uint64_t raw, uint64_t mask)
{
	uint64_t *at;

	if (t->broken)
		return;
	at = &t->own->words[2 * variable];
	at[0]++;
	at[1] = (at[1] & ~mask) | (raw & mask);
	t->dirty = t->moved = true;
}

void know_internal(struct know_thread *t, uint32_t local, int64_t value)
{
	t->moved |= t->locals[local] != value;
	t->locals[local] = value;
}

void know_block(struct know_thread *t, bool begin)
{
	int64_t was = t->block;

	if (begin && t->depth++ == 0)
		t->block = ++t->nblocks;
	else if (!begin && t->depth > 0 && --t->depth == 0)
		t->block = 0;
	t->moved |= t->block != was;
}

void know_meet(struct know_thread *t, uint32_t tid)
{
	uint64_t *entry;

	if (t->broken || tid == t->tid || !know_grow(t, tid))
		return;
	entry = know_entry(t->world->program, t->own, tid);
	if (!(entry[0] & KNOWN)) {
		entry[0] |= KNOWN;
		t->dirty = t->moved = true;
	}
}

void know_name(struct know_world *w, uint32_t tid, uint64_t classes)
{
	__atomic_store_n(&w->classes[tid], classes, __ATOMIC_RELAXED);
	__atomic_fetch_add(&w->renames, 1, __ATOMIC_RELEASE);
}

static uint64_t about(const struct know_thread *t)
{
	const struct know_program *p = t->world->program;
	uint64_t of = __atomic_load_n(&t->world->classes[t->tid], __ATOMIC_RELAXED), all = 0;

	for (uint32_t i = 0; i < p->nproperties; i++)
		all |= (of >> know_properties(p)[i].class & 1) << i;
	return all;
}

/* If nothing that formulas look at has changed, and the evaluation before changed no bit, this one would say
 * the same. */
uint64_t know_step(struct know_thread *t, uint64_t events)
{
	uint8_t *swap;

	if (t->broken)
		return 0;
	if (know_is_still(t) && events == 0)
		return t->verdicts & about(t);
	t->renames = __atomic_load_n(&t->world->renames, __ATOMIC_ACQUIRE);
	t->events = events;
	swap = t->before;
	t->before = t->bits;
	t->bits = swap;
	if (know_evaluate(t, false))
		t->dirty = t->row_moved = true;
	t->quiet = events == 0 && memcmp(t->bits, t->before, t->nbits) == 0;
	t->moved = false;
	return t->verdicts & about(t);
}

/* ---- questions ---- */

uint64_t know_value(const struct know_thread *t, uint32_t variable)
{
	return t->own->words[2 * variable + 1];
}

bool know_knows(const struct know_thread *t, uint32_t tid, uint64_t *seq)
{
	uint64_t word = tid <= t->own->n ? know_entry(t->world->program, t->own, tid)[0] : 0;

	*seq = word >> 1;
	return word & KNOWN;
}
