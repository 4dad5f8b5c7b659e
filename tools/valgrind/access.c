/*
 * Accesses as events.
 *
 * Reads repeat.  Of reads of the same bytes by one thread between two synchronisations that see
 * one version, the first is recorded and the others are dropped, wherever they lie; a record without a
 * number (REREAD) then says that the version was still there (src/capture/filter.h has the argument why
 * that is enough).  Here that record is written when the run ends: at the next synchronisation of the reader, or right
 * before somebody replaces the version or another thread becomes the word's last reader, for a record
 * may be added to the log of any thread at any time.
 */
#include "instrument.h"

static unsigned log2_of(unsigned n)
{
	return n == 1 ? 0 : n == 2 ? 1 : n == 4 ? 2 : 3;
}

static inline Bool is_atomic(const struct shadow *s, unsigned w)
{
	return UNLIKELY_(s->atomics) && bit_get(s->atomic, w);
}

static void atomic_set(struct shadow *s, unsigned w)
{
	s->atomics = True;
	bit_set(s->atomic, w);
}

#define SEQ_CST 5u

/* Memory that atomic instructions use, and what the C library and the loader do by themselves, with locks of their
 * own: both are accesses that do not race with their like. */
static inline Bool is_plain(const struct shadow *s, unsigned w, UWord info)
{
	return !is_atomic(s, w) && !(info & (INFO_LIBRARY | INFO_HIDDEN));
}

static inline void kind_set(struct access *a, const struct shadow *s, unsigned w, UWord info)
{
	if (is_plain(s, w, info))
		return;
	a->what |= FORMAT_ATOMIC;
	a->order = is_atomic(s, w) ? SEQ_CST : 0;
}

/* The smallest aligned piece of a word that has these bytes. */
static unsigned piece_of(uint8_t bytes, unsigned *offset)
{
	for (unsigned n = 1; n < 8; n *= 2)
		for (unsigned k = 0; k < 8; k += n)
			if ((bytes & ~(((1u << n) - 1) << k)) == 0) {
				*offset = k;
				return n;
			}
	*offset = 0;
	return 8;
}

/* Epochs have numbers of their own, so that a word need not say whose it is.  By the low bits of an epoch: the
 * thread that is in it. */
#define EPOCHS (1u << 17) /* more than there can be threads */
static uint32_t reader[EPOCHS];

static void epoch_begin(struct thread *t)
{
	static uint64_t last;
	const struct thread *other;

	do
		other = thread_get(reader[++last % EPOCHS]);
	while (other != NULL && other->epoch % EPOCHS == last % EPOCHS);
	reader[last % EPOCHS] = t->tid;
	t->epoch = last;
}

static void run_close(Addr word, struct shadow *s, struct cell *c)
{
	struct thread *t = thread_get(reader[(c->run >> RUN_EPOCH) % EPOCHS]);
	unsigned w = shadow_word(word);
	unsigned offset, n = piece_of((uint8_t)(c->run >> RUN_DROPPED), &offset);
	struct access a = { .what = FORMAT_READ | FORMAT_READ_REREAD |
				    log2_of(n) << FORMAT_SIZE_SHIFT,
			    .site = s->site[w],
			    .addr = word + offset,
			    .first = c->at };

	c->run &= ~((uint64_t)RUN_BYTES << RUN_DROPPED);
	if (t->ended || t->epoch != c->run >> RUN_EPOCH)
		return;
	kind_set(&a, s, w, site_part(a.site) == SITE_LIBRARY ? INFO_LIBRARY : 0);
	record_access(t, &a);
}

static inline Bool run_is_open(const struct cell *c)
{
	return (c->run >> RUN_DROPPED & RUN_BYTES) != 0;
}

void access_begin(struct thread *t)
{
	epoch_begin(t);
}

void access_sync(struct thread *t)
{
	for (uint32_t i = 0; i < t->npending; i++) {
		struct shadow *s = shadow_of(t->pending[i]);
		struct cell *c = &s->cells[shadow_word(t->pending[i])];

		if (run_is_open(c) && c->run >> RUN_EPOCH == t->epoch)
			run_close(t->pending[i], s, c);
	}
	t->npending = 0;
	epoch_begin(t);
}

static inline void replace(Addr a, struct shadow *s, struct cell *c)
{
	if (UNLIKELY_(run_is_open(c)))
		run_close(a & ~(Addr)7, s, c);
	c->run &= RUN_TOUCHED;
}

void access_replace(Addr word)
{
	replace(word, shadow_of(word), cell_of(word));
}

static void pending_add(struct thread *t, Addr word)
{
	if (t->npending == t->roompending) {
		t->roompending = t->roompending ? 2 * t->roompending : 1024;
		t->pending = VG_(realloc)("foresee.pending", t->pending,
					  t->roompending * sizeof(*t->pending));
	}
	t->pending[t->npending++] = word;
}

/* True: nothing need be recorded.  Else it is about to be. */
static inline Bool run_drops(struct thread *t, Addr a, struct shadow *s, struct cell *c,
			     unsigned mask, uint32_t site)
{
	if (c->run >> RUN_EPOCH == t->epoch) {
		if ((mask & ~c->run) == 0) {
			if (!run_is_open(c)) {
				pending_add(t, a & ~(Addr)7);
				s->site[shadow_word(a)] = site;
			}
			c->run |= mask << RUN_DROPPED;
			return True;
		}
		c->run |= mask;
		return False;
	}
	if (UNLIKELY_(run_is_open(c)))
		run_close(a & ~(Addr)7, s, c);
	c->run = t->epoch << RUN_EPOCH | RUN_TOUCHED | mask;
	return False;
}

static uint64_t value_at(Addr a, unsigned log2)
{
	switch (log2) {
	case 0:
		return *(const uint8_t *)a;
	case 1:
		return *(const uint16_t *)a;
	case 2:
		return *(const uint32_t *)a;
	default:
		return *(const uint64_t *)a;
	}
}

/* Memory that the C library keeps for each thread: its own business. */
static Bool is_tcb(const struct shadow *s, Addr a)
{
	if (s->owner != SHADOW_MANY)
		return a - (s->owner == self->tid ? self : thread_get(s->owner))->handle < TCB;
	for (uint32_t i = thread_count(); i > 0; i--)
		if (!thread_get(i)->ended && a - thread_get(i)->handle < TCB)
			return True;
	return False;
}

/* What both loads and stores look at first.  False: not to be recorded. */
static inline Bool begin(struct shadow *s, Addr a, uint32_t site, Bool store, Bool load)
{
	if (LIKELY_(s->owner == 0))
		return recording;
	if (is_tcb(s, a))
		return False;
	if (s->owner != self->tid)
		stack_foreign(a, site);
	if (shadow_is_shared(s, a))
		shared_touch(self, store, load);
	return recording;
}

/* One that is not plain. */
static void load_one(const struct shadow *s, Addr a, UWord info)
{
	unsigned log2 = info & INFO_SIZE, w = shadow_word(a);
	struct access e = { .what = FORMAT_READ | log2 << FORMAT_SIZE_SHIFT |
				    (info & INFO_FREE ? FORMAT_READ_FREE : 0),
			    .site = (uint32_t)(info >> INFO_SITE_SHIFT),
			    .addr = a,
			    .first = s->cells[w].at,
			    .value = value_at(a, log2) };

	kind_set(&e, s, w, info);
	record_access(self, &e);
}

static void load_two(Addr a, UWord info, unsigned log2)
{
	struct thread *t = self;
	Addr next = (a & ~(Addr)7) + 8;
	struct access e = { .what = FORMAT_READ | log2 << FORMAT_SIZE_SHIFT | FORMAT_CROSS,
			    .site = (uint32_t)(info >> INFO_SITE_SHIFT),
			    .addr = a,
			    .first = *version_at(a),
			    .second = *version_at(next),
			    .value = value_at(a, log2) };

	kind_set(&e, shadow_of(a), shadow_word(a), info);
	record_access(t, &e);
}

static void wide(Addr a, UWord info, UWord n, VG_REGPARM(2) void (*one)(Addr, UWord));

/* Of an access that begins below the floor only the part above counts.  True: that is done. */
static inline Bool is_below(Addr a, UWord info, VG_REGPARM(2) void (*one)(Addr, UWord))
{
	Addr end = a + (1u << (info & INFO_SIZE)), floor = self->floor;

	if (LIKELY_(!(a - self->low < floor - self->low)))
		return False;
	if (end > floor)
		wide(floor, info & ~(UWord)(INFO_SIZE | INFO_FREE | INFO_FED), end - floor, one);
	return True;
}

VG_REGPARM(2) void access_load_any(Addr a, UWord info)
{
	unsigned log2 = info & INFO_SIZE, n = 1u << log2, w = shadow_word(a);
	uint32_t site = (uint32_t)(info >> INFO_SITE_SHIFT);
	struct shadow *s = shadow_of(a);
	struct cell *c = &s->cells[w];
	struct thread *t = self;

	if (is_below(a, info, access_load_any) || !begin(s, a, site, False, True) ||
	    (s->shared == 0 && shadow_is_steady(s, a)))
		return;
	if (UNLIKELY_((a & 7) + n > 8)) {
		c->run |= RUN_TOUCHED;
		cell_of(a + 8)->run |= RUN_TOUCHED;
		load_two(a, info, log2);
		return;
	}
	if (!(info & INFO_FREE) && !opt_full && s->shared == 0) {
		if (run_drops(t, a, s, c, ((1u << n) - 1) << (a & 7), site))
			return;
	} else {
		c->run |= RUN_TOUCHED;
	}
	if (LIKELY_(is_plain(s, w, info)))
		record_load(t, site, a, log2, (info & INFO_FREE) != 0, c->at, value_at(a, log2));
	else
		load_one(s, a, info);
	if (info & INFO_FREE) {
		t->free_read = t->tseq;
		t->free_addr = a;
		t->fed = True;
	}
}

/* Most loads are one more of a run of reads that are dropped.  Then all has been asked before. */
VG_REGPARM(2) void access_load(Addr a, UWord info)
{
	unsigned n = 1u << (info & INFO_SIZE);
	unsigned mask = ((1u << n) - 1) << (a & 7); /* of two words: more than a run can have */
	uint64_t run = cell_of(a)->run;

	if (run >> RUN_EPOCH != self->epoch || ((uint64_t)mask << RUN_DROPPED & ~run) != 0)
		access_load_any(a, info);
}

/* The address of a thread's own memory has been stored where others may find it. */
static inline void escape(struct thread *t, Addr a, uint64_t value, uint32_t site)
{
	if (UNLIKELY_(value - t->low < t->floor - t->low) && !(a - t->low < t->floor - t->low))
		stack_expose(t, value, site);
}

/*
 * A store of the library's own, or the loader's.  It is an event like others where the program has
 * looked, or will look: in its own stack, and in words it has touched.  In locks and the like it is
 * part of what their events say.
 */
static Bool is_library_store(const struct thread *t, const struct shadow *s, Addr a)
{
	unsigned w = shadow_word(a);

	if (a >= t->floor && a < t->high) /* what was an object there may be gone by now */
		return a - t->object < t->object_len || a - t->parked_mutex < t->parked_len ||
		       a - t->handle < TCB;
	return bit_get(s->object, w) || !(s->cells[w].run & RUN_TOUCHED);
}

/* A store of two words, of one that is not plain, or that another event than the one before feeds.  feed: that; 0
 * none. */
static void store_any(struct shadow *s, Addr a, UWord info, uint64_t value, uint64_t feed)
{
	unsigned log2 = info & INFO_SIZE, w = shadow_word(a);
	struct thread *t = self;
	Addr next = (a & ~(Addr)7) + 8;
	struct access e = { .what = FORMAT_WRITE | log2 << FORMAT_SIZE_SHIFT,
			    .site = (uint32_t)(info >> INFO_SITE_SHIFT),
			    .addr = a,
			    .first = s->cells[w].at,
			    .value = value,
			    .feed = feed };
	Bool two = (a & 7) + (1u << log2) > 8;

	if (two) {
		access_replace(next);
		cell_of(next)->run = RUN_TOUCHED;
		e.what |= FORMAT_CROSS;
		e.second = *version_at(next);
	}
	kind_set(&e, s, w, info);
	if (feed != 0)
		e.what |= feed == t->tseq ? FORMAT_WRITE_FED1 : FORMAT_WRITE_FED;
	record_access(t, &e);
	if (two)
		*version_at(next) = (version)t->tid << FORMAT_TSEQ_BITS | t->tseq;
}

VG_REGPARM(2) void access_store(Addr a, UWord info)
{
	unsigned log2 = info & INFO_SIZE, n = 1u << log2, w = shadow_word(a);
	uint32_t site = (uint32_t)(info >> INFO_SITE_SHIFT);
	struct shadow *s = shadow_of(a);
	struct cell *c = &s->cells[w];
	struct thread *t = self;
	uint64_t value, feed;

	if (is_below(a, info, access_store))
		return;
	if (UNLIKELY_(t->hidden != 0 || (info & INFO_HIDDEN)) && is_library_store(t, s, a))
		return;
	if (!begin(s, a, site, True, False))
		return;
	value = value_at(a, log2);
	if (log2 == 3)
		escape(t, a, value, site);
	replace(a, s, c);
	c->run = RUN_TOUCHED;
	/* If the free load was not there it has no event. */
	feed = (info & INFO_FED) && t->free_addr == a ? t->free_read : 0;
	t->free_addr = 0;
	if (LIKELY_(is_plain(s, w, info) && (a & 7) + n <= 8 && (feed == 0 || feed == t->tseq)))
		record_store(t, site, a, log2, feed != 0, c->at, value);
	else
		store_any(s, a, info, value, feed);
	c->at = (version)t->tid << FORMAT_TSEQ_BITS | t->tseq;
}

/* The place is that of the call; the library's own calls are its own business. */
static void done_for(Addr a, UWord info, VG_REGPARM(2) void (*one)(Addr, UWord))
{
	struct thread *t = self;
	uint32_t depth = t->depth, site;

	site = depth > 0 ? t->frames[(depth - 1) % FRAMES].site : 0;
	t->depth = depth > 0 ? depth - 1 : 0;
	if (t->depth < t->low_depth)
		t->low_depth = t->depth;
	info = (info & ((1u << INFO_SITE_SHIFT) - 1)) | (UWord)site << INFO_SITE_SHIFT |
	       (site_part(site) == SITE_LIBRARY ? INFO_LIBRARY : 0) |
	       (site_part(site) == SITE_LOADER ? INFO_HIDDEN : 0);
	one(a, info);
	t->depth = depth;
}

VG_REGPARM(2) void access_load_for(Addr a, UWord info)
{
	struct thread *t = self;

	if (t->depth == 0 || site_part(t->frames[(t->depth - 1) % FRAMES].site) != SITE_LOADER)
		done_for(a, info, access_load_any);
}

VG_REGPARM(2) void access_store_for(Addr a, UWord info)
{
	done_for(a, info, access_store);
}

/* In pieces that are accesses. */
static void wide(Addr a, UWord info, UWord n, VG_REGPARM(2) void (*one)(Addr, UWord))
{
	while (n > 0) {
		UWord k = n >= 8 ? 8 : n >= 4 ? 4 : n >= 2 ? 2 : 1;

		one(a, info | log2_of((unsigned)k));
		a += k;
		n -= k;
	}
}

VG_REGPARM(3) void access_load_wide(Addr a, UWord info, UWord n)
{
	wide(a, info, n, access_load_any);
}

VG_REGPARM(3) void access_store_wide(Addr a, UWord info, UWord n)
{
	wide(a, info, n, access_store);
}

/* A compare-and-swap, which all instructions with a lock prefix come as. */
void access_cas(Addr a, UWord info, UWord old, UWord expected)
{
	unsigned log2 = info & INFO_SIZE, w = shadow_word(a);
	uint64_t mask = log2 == 3 ? ~0ull : ((uint64_t)1 << (8u << log2)) - 1;
	uint32_t site = (uint32_t)(info >> INFO_SITE_SHIFT);
	struct shadow *s = shadow_of(a);
	struct cell *c = &s->cells[w];
	struct thread *t = self;

	if (t->hidden != 0 && is_library_store(t, s, a))
		return;
	if (!begin(s, a, site, True, True))
		return;
	c->run |= RUN_TOUCHED;
	if ((a & 7) + (1u << log2) > 8) { /* no atomic of the format: as a load, then a store */
		access_load_any(a, info);
		if (((old ^ expected) & mask) == 0)
			access_store(a, info);
		return;
	}
	atomic_set(s, w);
	if (((old ^ expected) & mask) != 0) {
		record_casfail(t, site, a, log2, c->at, old & mask);
		return;
	}
	if (log2 == 3)
		escape(t, a, value_at(a, log2), site);
	access_sync(t);
	replace(a, s, c);
	record_rmw(t, site, a, log2, c->at, old & mask, value_at(a, log2));
	c->at = (version)t->tid << FORMAT_TSEQ_BITS | t->tseq;
}

/* Of 16 bytes; same: it succeeded. */
void access_cas_wide(Addr a, UWord info, UWord same)
{
	uint32_t site = (uint32_t)(info >> INFO_SITE_SHIFT);

	if (self->hidden != 0 || !begin(shadow_of(a), a, site, True, True))
		return;
	access_sync(self);
	if (same)
		record_range(self, site, True, True, a, 16);
	else
		record_range(self, site, False, True, a, 16);
}

void access_kernel(Addr a, uint32_t site)
{
	atomic_set(shadow_of(a), shadow_word(a));
	if (!(a - self->low < self->floor - self->low))
		access_load_any(a, (UWord)site << INFO_SITE_SHIFT | 2);
}

/* ---- condition codes ---- */

void access_flags_fed(void)
{
	flags_fed = self != NULL && self->fed ? self->free_read : 0;
	if (self != NULL)
		self->fed = False;
}

/* What a free read left in the condition codes decides something now. */
VG_REGPARM(1) void access_flags_used(UWord site)
{
	struct thread *t = self;
	uint8_t *p;

	if (recording && t != NULL && t->begun && !t->ended) {
		p = put_varint(record_begin(t, 64), site);
		p = put_varint(put_varint(p, 1), t->tseq + 1 - flags_fed);
		record_end(t, FORMAT_K_USE, 0, p, 1);
	}
	flags_fed = 0;
}
