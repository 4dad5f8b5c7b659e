/*
 * Atomic accesses.  As plain ones, but the access itself is a real atomic, for
 * code we do not see may share the location; and one record tells what was
 * read and what was written.
 */
#include "capture/filter.h"
#include "capture/habit.h"
#include "capture/sync.h"

/* The gate of an atomic access that changes memory or, if how has CONTROL_EITHER, may. */
static inline void gate(struct thread *t, const void *p, unsigned n, int order, uint32_t site,
			unsigned how, uint64_t value)
{
	if (!CONTROLLED(t))
		return;
	how |= CONTROL_ATOMIC | (order != __ATOMIC_RELAXED ? CONTROL_ORDERS : 0);
	if ((how & CONTROL_WRITES) && order >= __ATOMIC_RELEASE)
		how |= CONTROL_RELEASES;
	control_access(t, p, n, site, how, value);
}

static uint64_t read_atomic(struct thread *t, const void *p, unsigned log2, int order,
			    uint32_t site, uint64_t *keeper)
{
	uint64_t *tag = tag_of(p);
	uint64_t key = filter_key(p, FILTER_ATOMIC | (order != 0 ? FILTER_ACQUIRE : 0));
	uint32_t bits = FORMAT_READ | log2 << FORMAT_SIZE_SHIFT | FORMAT_ATOMIC;
	struct filter_entry *e = NULL;
	tag_version v;
	uint64_t x;

	gate(t, p, 1u << log2, order, site, keeper != NULL ? CONTROL_FREE_READ : 0, 0);
	if (CONTROL_BARE(t))
		return access_load(p, log2);
	if (keeper == NULL)
		e = filter_prepare(t, p, key);
	do {
		v = tag_peek(tag);
		x = access_load(p, log2); /* on x86 a plain load is all that any order needs */
	} while (!tag_still(tag, v));
	if (e != NULL && filter_drops(t, e, key, p, log2, x, v, site))
		return x;
	if (keeper != NULL)
		bits |= FORMAT_READ_FREE;
	habit_log(t, bits | (uint32_t)order << HABIT_ORDER_SHIFT, site, (uintptr_t)p, v, x, NULL);
	if (keeper != NULL)
		*keeper = t->tseq;
	return x;
}

/*
 * Before an atomic write.  One that releases ends the epoch, as a lock does: a
 * plain read after it may race where the same read before it does not.
 */
static inline void prepare_write(struct thread *t, const void *p, int order, uint32_t site)
{
	tag_prepare(tag_of(p));
	if (order >= __ATOMIC_RELEASE)
		filter_sweep(t);
	else
		filter_write(t, p);
	log_ready(t, site); /* before others can name the event */
}

static void log_write(struct thread *t, const void *p, unsigned log2, uint64_t x, int order,
		      uint32_t site, tag_version v, const uint64_t *keepers, uint64_t mask)
{
	uint64_t feeds[LOG_FEEDS];
	unsigned nfeeds = keepers != NULL ? log_feed_gather(keepers, mask, feeds) : 0;
	uint32_t bits = FORMAT_WRITE | log2 << FORMAT_SIZE_SHIFT | FORMAT_ATOMIC;

	if (nfeeds != 0)
		bits |= FORMAT_WRITE_FED;
	habit_log(t, bits | (uint32_t)order << HABIT_ORDER_SHIFT, site, (uintptr_t)p, v, x,
		  &(struct habit_more){ .feeds = feeds, .nfeeds = nfeeds });
}

struct rmw {
	unsigned log2;
	int op, order;
	uint64_t old, new;
	tag_version before;
};

/* Begins a record of m: site, address, order.  *ref: how it names the version before. */
INLINE uint8_t *rmw_begin(struct thread *t, const void *p, const struct rmw *m, uint32_t site,
			  uint64_t *ref)
{
	uint64_t delta;
	uint8_t *q;

	log_ready(t, site);
	*ref = log_ref(t, m->before, t->tseq + 1);
	delta = log_delta(t, site, (uintptr_t)p);
	q = LOG_NUMBERS(t->cursor + 4, site, delta);
	*q++ = (uint8_t)m->order;
	return q;
}

static void log_rmw(struct thread *t, const void *p, const struct rmw *m, uint32_t site,
		    const uint64_t *keepers, uint64_t mask, uint64_t *keeper)
{
	uint64_t feeds[LOG_FEEDS + 1], own = t->tseq + 1, ref;
	unsigned nfeeds = keepers != NULL ? log_feed_gather(keepers, mask, feeds) : 0;
	unsigned aux = m->log2;
	uint8_t *q;

	if (keeper != NULL) {
		aux |= 4;
		*keeper = own;
		if (m->op != FORESEE_RMW_XCHG)
			feeds[nfeeds++] = own; /* what it adds to flows into what it stores */
	}
	if (nfeeds != 0)
		aux |= 8;
	q = rmw_begin(t, p, m, site, &ref);
	*q++ = (uint8_t)m->op;
	q = LOG_NUMBERS(q, ref, m->old, m->new);
	if (nfeeds != 0)
		q = log_feeds(q, feeds, nfeeds, own);
	log_other_end(t, FORMAT_K_RMW, aux, q, 1);
	if (CONTROLLED(t))
		control_changed(t);
}

static void log_casfail(struct thread *t, const void *p, const struct rmw *m, uint32_t site)
{
	uint64_t ref;
	uint8_t *q = rmw_begin(t, p, m, site, &ref);

	q = LOG_NUMBERS(q, ref, m->old);
	log_other_end(t, FORMAT_K_CASFAIL, m->log2, q, 1);
}

/*
 * A compare-exchange that fails is a read, and no more: it ends no epoch, and of a loop of them
 * that sees one version the filter keeps the first and the last.  False: it may succeed; nothing is
 * logged.
 */
static bool cas_fails(struct thread *t, const void *p, uint64_t *expected, unsigned log2, int order,
		      uint32_t site)
{
	uint64_t *tag = tag_of(p);
	uint64_t key = filter_key(p, FILTER_ATOMIC | (order != 0 ? FILTER_ACQUIRE : 0));
	struct rmw m = { .log2 = log2, .order = order };
	struct filter_entry *e;

	if (access_load(p, log2) == *expected)
		return false;
	e = filter_prepare(t, p, key);
	do {
		m.before = tag_peek(tag);
		m.old = access_load(p, log2);
	} while (!tag_still(tag, m.before));
	if (m.old == *expected)
		return false;
	if (e == NULL || !filter_drops(t, e, key, p, log2, m.old, m.before, site))
		log_casfail(t, p, &m, site);
	*expected = m.old;
	return true;
}

/* Floating-point operations act on the bits of a float or double. */
static double as_double(uint64_t x, unsigned log2)
{
	double d;
	float f;
	uint32_t low = (uint32_t)x;

	if (log2 == 2) {
		memcpy(&f, &low, 4);
		return f;
	}
	memcpy(&d, &x, 8);
	return d;
}

static uint64_t from_double(double d, unsigned log2)
{
	float f = (float)d;
	uint32_t low;
	uint64_t x;

	if (log2 == 2) {
		memcpy(&low, &f, 4);
		return low;
	}
	memcpy(&x, &d, 8);
	return x;
}

static uint64_t compute_float(int op, uint64_t a, uint64_t b, unsigned log2)
{
	double x = as_double(a, log2), y = as_double(b, log2);

	switch (op) {
	case FORESEE_RMW_FADD:
		return from_double(x + y, log2);
	case FORESEE_RMW_FSUB:
		return from_double(x - y, log2);
	case FORESEE_RMW_FMAX:
		return from_double(x > y || y != y ? x : y, log2);
	default:
		return from_double(x < y || y != y ? x : y, log2);
	}
}

static int64_t sign_extend(uint64_t x, unsigned log2)
{
	unsigned unused = 64 - (8u << log2);

	return (int64_t)(x << unused) >> unused;
}

/* The result in its low bits. */
static uint64_t compute_wide(int op, uint64_t old, uint64_t x, unsigned log2)
{
	switch (op) {
	case FORESEE_RMW_XCHG:
		return x;
	case FORESEE_RMW_ADD:
		return old + x;
	case FORESEE_RMW_SUB:
		return old - x;
	case FORESEE_RMW_AND:
		return old & x;
	case FORESEE_RMW_NAND:
		return ~(old & x);
	case FORESEE_RMW_OR:
		return old | x;
	case FORESEE_RMW_XOR:
		return old ^ x;
	case FORESEE_RMW_MAX:
		return sign_extend(old, log2) > sign_extend(x, log2) ? old : x;
	case FORESEE_RMW_MIN:
		return sign_extend(old, log2) < sign_extend(x, log2) ? old : x;
	case FORESEE_RMW_UMAX:
		return old > x ? old : x;
	case FORESEE_RMW_UMIN:
		return old < x ? old : x;
	default:
		return compute_float(op, old, x, log2);
	}
}

static uint64_t compute(int op, uint64_t old, uint64_t x, unsigned log2)
{
	return compute_wide(op, old, x, log2) & ~0ull >> (64 - (8u << log2));
}

/* ---- test-and-set loops ---- */

/*
 * A thread that waits by test-and-set writes again and again what is there.  Such a write cannot be
 * seen, so the first is logged as what it is, and the others are reads: they leave the version
 * alone, end no epoch, and of a loop of them the filter keeps the first and the last, also where
 * several threads wait for one word.
 */
static uint64_t same_key(const void *p, int order)
{
	return filter_key(p, FILTER_SAME | FILTER_ATOMIC | (order != 0 ? FILTER_ACQUIRE : 0));
}

/* The read in a write of this order. */
static int order_read(int order)
{
	return order == __ATOMIC_RELEASE   ? __ATOMIC_RELAXED
	       : order == __ATOMIC_ACQ_REL ? __ATOMIC_ACQUIRE
					   : order;
}

/* m is logged, and has changed nothing.  The next one like it will be logged as a read, the
 * first of its run: so the entry gets a version that no event can have.  Runs that are open are
 * closed: after this there may be nothing but more of these reads until the program is killed. */
static void same_note(struct thread *t, const void *p, const struct rmw *m)
{
	uint64_t key = same_key(p, m->order);
	struct filter_entry *e = filter_prepare(t, p, key);

	if (e == NULL)
		return;
	filter_drops(t, e, key, p, m->log2, m->old, tag_make(t->tid, 0), 0);
	log_settle(t);
}

/* Has an m like this one changed nothing, in this epoch? */
static inline bool same_is_known(const struct thread *t, const void *p, const struct rmw *m)
{
	const struct filter_entry *e = filter_at(t, p);

	return UNLIKELY(e->key == same_key(p, m->order)) && e->epoch == t->epoch;
}

/*
 * m, again, for m->old: made if it changes nothing this time too.  Else false.  The exchange is a
 * fence as well, so it is made also where nothing is logged.
 */
static bool same_again(struct thread *t, void *p, const struct rmw *m, uint32_t site)
{
	uint64_t *tag = tag_of(p), key = same_key(p, m->order);
	struct filter_entry *e = filter_at(t, p);
	struct rmw look = { .log2 = m->log2, .order = order_read(m->order), .old = m->old };

	if ((filter_mask(p, m->log2) & ~e->kept) != 0 ||
	    access_load(filter_value(t, p), m->log2) != m->old)
		return false;
	do {
		look.before = tag_peek(tag);
		if (!access_keep(p, m->log2, m->old))
			return false;
	} while (!tag_still(tag, look.before));
	if (!filter_drops(t, e, key, p, m->log2, m->old, look.before, site))
		log_casfail(t, p, &look, site);
	return true;
}

#define ATOMIC(N, T, LOG2)                                                                      \
	static T rmw_bare##N(T *p, T value, int op, T *stored)                                  \
	{                                                                                       \
		T old = __atomic_load_n(p, __ATOMIC_SEQ_CST);                                   \
		do                                                                              \
			*stored = (T)compute(op, old, value, LOG2);                             \
		while (!__atomic_compare_exchange_n(p, &old, *stored, false, __ATOMIC_SEQ_CST,  \
						    __ATOMIC_SEQ_CST));                         \
		return old;                                                                     \
	}                                                                                       \
	EXPORT T foresee_aread##N(const void *p, int order, uint32_t site, uint64_t *keeper)    \
	{                                                                                       \
		struct thread *t = hook_enter_at(site);                                         \
		T x;                                                                            \
		if (t == NULL)                                                                  \
			return __atomic_load_n((const T *)p, __ATOMIC_SEQ_CST);                 \
		x = (T)read_atomic(t, p, LOG2, order, site, keeper);                            \
		hook_leave(t);                                                                  \
		return x;                                                                       \
	}                                                                                       \
	EXPORT void foresee_awrite##N(void *p, T value, int order, uint32_t site,               \
				      const uint64_t *keepers, uint64_t mask)                   \
	{                                                                                       \
		struct thread *t = hook_enter_at(site);                                         \
		uint64_t *tag = tag_of(p);                                                      \
		tag_version v;                                                                  \
		if (t == NULL) {                                                                \
			__atomic_store_n((T *)p, value, __ATOMIC_SEQ_CST);                      \
			return;                                                                 \
		}                                                                               \
		gate(t, p, N, order, site, CONTROL_WRITES, value);                              \
		if (CONTROL_BARE(t)) {                                                          \
			__atomic_store_n((T *)p, value, __ATOMIC_SEQ_CST);                      \
			hook_leave(t);                                                          \
			return;                                                                 \
		}                                                                               \
		prepare_write(t, p, order, site);                                               \
		v = tag_lock(tag);                                                              \
		if (order == __ATOMIC_SEQ_CST)                                                  \
			__atomic_store_n((T *)p, value, __ATOMIC_SEQ_CST);                      \
		else                                                                            \
			__atomic_store_n((T *)p, value, __ATOMIC_RELEASE);                      \
		tag_unlock(tag, tag_make(t->tid, t->tseq + 1));                                 \
		log_write(t, p, LOG2, value, order, site, v, keepers, mask);                    \
		hook_leave(t);                                                                  \
	}                                                                                       \
	EXPORT T foresee_armw##N(void *p, T value, int op, int order, uint32_t site,            \
				 const uint64_t *keepers, uint64_t mask, uint64_t *keeper)      \
	{                                                                                       \
		struct thread *t = hook_enter_at(site);                                         \
		struct rmw m = { .log2 = LOG2, .op = op, .order = order };                      \
		uint64_t *tag = tag_of(p);                                                      \
		bool binds = keeper == NULL && mask == 0;                                       \
		T stored;                                                                       \
		if (t == NULL)                                                                  \
			return rmw_bare##N(p, value, op, &stored);                              \
		if (CONTROLLED(t))                                                              \
			gate(t, p, N, order, site,                                              \
			     CONTROL_WRITES | CONTROL_EITHER |                                  \
				     (binds && same_is_known(t, p, &m) ? CONTROL_FAILS : 0),    \
			     value);                                                            \
		if (CONTROL_BARE(t)) {                                                          \
			m.old = rmw_bare##N(p, value, op, &stored);                             \
			control_changed(t);                                                     \
			hook_leave(t);                                                          \
			return (T)m.old;                                                        \
		}                                                                               \
		if (binds && same_is_known(t, p, &m)) {                                         \
			m.old = access_load(p, LOG2);                                           \
			if (compute(op, m.old, value, LOG2) == m.old &&                         \
			    same_again(t, p, &m, site)) {                                       \
				hook_leave(t);                                                  \
				return (T)m.old;                                                \
			}                                                                       \
		}                                                                               \
		prepare_write(t, p, order, site);                                               \
		m.before = tag_lock(tag);                                                       \
		m.old = rmw_bare##N(p, value, op, &stored);                                     \
		m.new = stored;                                                                 \
		tag_unlock(tag, tag_make(t->tid, t->tseq + 1));                                 \
		log_rmw(t, p, &m, site, keepers, mask, keeper);                                 \
		if (m.old == m.new &&binds)                                                     \
			same_note(t, p, &m);                                                    \
		hook_leave(t);                                                                  \
		return (T)m.old;                                                                \
	}                                                                                       \
	EXPORT bool foresee_acas##N(void *p, T *expected, T desired, int success, int failure,  \
				    uint32_t site)                                              \
	{                                                                                       \
		struct thread *t = hook_enter_at(site);                                         \
		struct rmw m = { .log2 = LOG2, .op = FORESEE_RMW_XCHG };                        \
		uint64_t *tag = tag_of(p), seen = *expected;                                    \
		bool ok;                                                                        \
		if (t == NULL)                                                                  \
			return __atomic_compare_exchange_n((T *)p, expected, desired, false,    \
							   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
		if (CONTROLLED(t))                                                              \
			gate(t, p, N, success, site,                                            \
			     CONTROL_WRITES | CONTROL_EITHER |                                  \
				     (access_load(p, LOG2) != seen ? CONTROL_FAILS : 0),        \
			     desired);                                                          \
		if (CONTROL_BARE(t)) {                                                          \
			ok = __atomic_compare_exchange_n((T *)p, expected, desired, false,      \
							 __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);   \
			if (ok)                                                                 \
				control_changed(t);                                             \
			hook_leave(t);                                                          \
			return ok;                                                              \
		}                                                                               \
		if (cas_fails(t, p, &seen, LOG2, failure, site)) {                              \
			*expected = (T)seen;                                                    \
			hook_leave(t);                                                          \
			return false;                                                           \
		}                                                                               \
		prepare_write(t, p, success, site);                                             \
		m.before = tag_lock(tag);                                                       \
		ok = __atomic_compare_exchange_n((T *)p, expected, desired, false,              \
						 __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);           \
		tag_unlock(tag, ok ? tag_make(t->tid, t->tseq + 1) : m.before);                 \
		m.old = *expected;                                                              \
		m.new = desired;                                                                \
		m.order = ok ? success : failure;                                               \
		if (ok) {                                                                       \
			m.op = FORMAT_RMW_CAS;                                                  \
			log_rmw(t, p, &m, site, NULL, 0, NULL);                                 \
		} else {                                                                        \
			log_casfail(t, p, &m, site);                                            \
		}                                                                               \
		hook_leave(t);                                                                  \
		return ok;                                                                      \
	}

ATOMIC(1, uint8_t, 0)
ATOMIC(2, uint16_t, 1)
ATOMIC(4, uint32_t, 2)
ATOMIC(8, uint64_t, 3)

EXPORT void foresee_fence(int order, uint32_t site)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	HOOK(t)
		sync_fence(t, order, site);
}
