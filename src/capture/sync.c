#include "capture/sync.h"

#include "capture/channel.h"
#include "capture/create_priv.h"
#include "capture/filter.h"
#include "capture/guard.h"
#include "capture/lean.h"
#include "capture/shared.h"
#include "capture/unseen.h"

/* An event that only says something about the object and does not change it. */
static inline bool is_remark(unsigned kind)
{
	return kind == FORMAT_K_TRYFAIL || kind == FORMAT_K_SEM_FAIL || kind == FORMAT_K_REQ ||
	       kind == FORMAT_K_RREQ;
}

/* ---- calls in vain ---- */

/* A call that came back without any effect. */
static inline bool is_vain(unsigned kind, unsigned aux)
{
	return kind == FORMAT_K_TRYFAIL || kind == FORMAT_K_SEM_FAIL ||
	       (kind == FORMAT_K_JOINING && (aux & (FORMAT_JOIN_UNENDED | FORMAT_JOIN_REFUSED)));
}

/* The call in vain that this tells of, or, if it is the request of a timed call, that such a call
 * would end in; 0: neither. */
static inline uint32_t vain_of(unsigned kind, unsigned aux)
{
	if (is_vain(kind, aux))
		return kind << 8 | aux;
	if ((kind == FORMAT_K_REQ || kind == FORMAT_K_RREQ) && (aux & FORMAT_LOCK_TRY))
		return FORMAT_K_TRYFAIL << 8 | aux;
	if (kind == FORMAT_K_JOINING && aux == FORMAT_WAIT_TIMED)
		return FORMAT_K_JOINING << 8 | FORMAT_JOIN_UNENDED;
	return 0;
}

/*
 * Has the thread's last event told of the same call in vain, so that there is nothing to add?
 *
 *	try(m) fails   try(m) fails   try(m) fails   x = 1
 *	logged         dropped        dropped
 *
 * They have no effect, so in every run in which the first one fails the others may come right after
 * it, and fail for the same reason.  Reads of the thread in between were dropped, and may come
 * there too: each lies between two reads that were logged, and sees the same version.  id: the
 * object, or the thread's number.
 */
static inline bool vain_again(const struct thread *t, uint32_t what, uint64_t id)
{
	return what != 0 && t->vain == what && t->vain_id == id && t->vain_tseq == t->tseq &&
	       t->nested == 0 && !log_is_full();
}

/*
 * Calls in vain order nothing, and end no epoch, as a compare-exchange that fails does not.  Open
 * runs of reads are closed at the first one, for after it there may be nothing but such calls until
 * the program is killed.
 */
static inline void epoch_end(struct thread *t, unsigned kind, unsigned aux)
{
	if (!is_vain(kind, aux))
		filter_sweep(t);
}

static void vain_note(struct thread *t, unsigned kind, unsigned aux, uint64_t id)
{
	t->vain = kind << 8 | aux;
	t->vain_id = id;
	t->vain_tseq = t->tseq;
	log_settle(t);
}

/* ---- records ---- */

/* Where the operation is called from. */
static inline uint32_t call_site(struct thread *t)
{
#ifdef FORESEE_LOCKS
	return locks_site(t);
#else
	return t->view.call_site;
#endif
}

/*
 * Is the object's tag guarded by the object?  A thread that logs ACQ or REL holds the lock, and in
 * the lock recorder nothing but operations on locks touches their tags: the store is out before
 * the lock is given back, and the next holder's load comes after.  The full runtime has tags of
 * all memory, and a program may write over a lock.
 */
static inline bool is_guarded(unsigned kind)
{
#ifdef FORESEE_LOCKS
	return lean_is_for(kind);
#else
	(void)kind;
	return false;
#endif
}

/* The version that this operation replaces. */
static inline tag_version replace(uint64_t *tag, unsigned kind, tag_version by)
{
	tag_version v = __atomic_load_n(tag, __ATOMIC_RELAXED);

	if (is_guarded(kind)) {
		tag_unlock(tag, by);
		return v;
	}
	do {
		if (UNLIKELY(v & TAG_LOCKED))
			v = tag_wait(tag);
	} while (!__atomic_compare_exchange_n(tag, &v, by, false, __ATOMIC_ACQ_REL,
					      __ATOMIC_RELAXED));
	return v;
}

struct object {
	const void *at;
	uint32_t site;
	tag_version before;
};

static inline uint64_t put(struct thread *t, unsigned kind, unsigned aux, struct object o,
			   const uint64_t *args, unsigned nargs)
{
	/* The ref may put a PEER record in front: before the payload is begun. */
	uint64_t ref = log_ref(t, o.before, t->tseq + 1);
	uint64_t delta = log_delta(t, o.site, (uintptr_t)o.at);
	uint8_t *p = t->cursor + 4;

	p = LOG_NUMBERS(p, o.site, delta, ref);
	for (unsigned i = 0; i < nargs; i++)
		p = log_varint(p, args[i]);
	log_other_end(t, kind, aux, p, 1);
	return t->tseq;
}

/* An ACQ or REL that is not lean. */
static COLD uint64_t put_lock(struct thread *t, unsigned kind, unsigned aux, struct object o)
{
	lean_learn(t, kind, aux, o.site, o.at, o.before);
	return put(t, kind, aux, o, NULL, 0);
}

INLINE uint64_t operation(struct thread *t, unsigned kind, unsigned aux, const void *obj,
			  const uint64_t *args, unsigned nargs)
{
	uint64_t *tag = tag_of(obj);
	struct object o = { .at = obj, .site = call_site(t) };
	tag_version own;

	if (CONTROLLED(t))
		control_before(t, kind, aux, obj, o.site);
	if (CONTROL_BARE(t)) {
		if (guard_on)
			return guard_sync(t, kind, aux, obj, args, nargs);
		control_logged(t, kind, aux, obj, o.site);
		return t->tseq;
	}
	own = tag_make(t->tid, t->tseq + 1);
	epoch_end(t, kind, aux);
	log_ready(t, o.site); /* before others can name the event */
	o.before = is_remark(kind) ? tag_peek(tag) : replace(tag, kind, own);
	if ((kind == FORMAT_K_REL && lean_release(t, aux, o.site, o.before)) ||
	    (kind == FORMAT_K_ACQ && lean_acquire(t, aux, o.site, obj, o.before)))
		;
	else if (lean_is_for(kind))
		put_lock(t, kind, aux, o);
	else
		put(t, kind, aux, o, args, nargs);
	if (CONTROLLED(t))
		control_logged(t, kind, aux, obj, o.site);
	return t->tseq;
}

/*
 * An object that another process has as well, or this one at another address, passes on what nobody here has
 * logged.  So it gives to other processes what it gives to threads, and takes from them.
 */
static COLD void elsewhere(struct thread *t, unsigned kind, unsigned passes)
{
	bool gives = kind == FORMAT_K_REL || kind == FORMAT_K_RREL || kind == FORMAT_K_SEM_POST ||
		     kind == FORMAT_K_SIGNAL || kind == FORMAT_K_BROADCAST ||
		     kind == FORMAT_K_BAR_IN || kind == FORMAT_K_ONCE_END;
	bool takes = kind == FORMAT_K_ACQ || kind == FORMAT_K_RACQ || kind == FORMAT_K_SEM_WAIT ||
		     kind == FORMAT_K_WAKE || kind == FORMAT_K_BAR_OUT ||
		     kind == FORMAT_K_ONCE_PASS || kind == FORMAT_K_ONCE_BEGIN ||
		     kind == FORMAT_K_TRYFAIL || kind == FORMAT_K_SEM_FAIL;

	if (passes == FORMAT_K_GIVE ? gives : takes)
		channel_log(t, passes, CHANNEL_OUTSIDE);
}

inline bool sync_is_elsewhere(const void *obj)
{
#ifdef FORESEE_LOCKS
	(void)obj;
	return false;
#else
	return UNLIKELY(__atomic_load_n(&shared_used, __ATOMIC_RELAXED) != 0) &&
	       shared_is_elsewhere(obj);
#endif
}

static uint64_t operation_shared(struct thread *t, unsigned kind, unsigned aux, const void *obj,
				 const uint64_t *args, unsigned nargs)
{
	uint64_t own;

	elsewhere(t, kind, FORMAT_K_GIVE);
	own = operation(t, kind, aux, obj, args, nargs);
	elsewhere(t, kind, FORMAT_K_TAKE);
	return own;
}

uint64_t sync_log(struct thread *t, unsigned kind, unsigned aux, const void *obj)
{
	if (is_remark(kind) && vain_again(t, vain_of(kind, aux), (uintptr_t)obj)) {
		if (CONTROLLED(t))
			control_logged(t, kind, aux, obj, call_site(t));
		return t->tseq;
	}
	if (UNLIKELY(sync_is_elsewhere(obj)))
		return operation_shared(t, kind, aux, obj, NULL, 0);
	operation(t, kind, aux, obj, NULL, 0);
	if (is_vain(kind, aux))
		vain_note(t, kind, aux, (uintptr_t)obj);
	return t->tseq;
}

uint64_t sync_log1(struct thread *t, unsigned kind, unsigned aux, const void *obj, uint64_t a)
{
	return UNLIKELY(sync_is_elsewhere(obj)) ? operation_shared(t, kind, aux, obj, &a, 1)
						: operation(t, kind, aux, obj, &a, 1);
}

uint64_t sync_log2(struct thread *t, unsigned kind, unsigned aux, const void *obj, uint64_t a,
		   uint64_t b)
{
	uint64_t args[2] = { a, b };

	return UNLIKELY(sync_is_elsewhere(obj)) ? operation_shared(t, kind, aux, obj, args, 2)
						: operation(t, kind, aux, obj, args, 2);
}

uint64_t sync_thread(struct thread *t, unsigned kind, unsigned aux, uint64_t a, uint64_t b,
		     unsigned nargs)
{
	uint32_t site = call_site(t);
	uint8_t *p;

	if (CONTROLLED(t))
		control_thread(t, kind, aux, a, site);
	if (CONTROL_BARE(t)) {
		if (guard_on)
			return guard_thread(t, kind, aux, a);
		control_logged(t, kind, aux, NULL, site);
		return t->tseq;
	}
	if (vain_again(t, vain_of(kind, aux), a))
		return t->tseq;
	epoch_end(t, kind, aux);
	p = LOG_NUMBERS(log_other_begin(t, site), site, a);
	if (nargs > 1)
		p = log_varint(p, b);
	log_other_end(t, kind, aux, p, 1);
	if (is_vain(kind, aux))
		vain_note(t, kind, aux, a);
	if (CONTROLLED(t))
		control_logged(t, kind, aux, NULL, site);
	return t->tseq;
}

void sync_words(struct thread *t, unsigned kind, unsigned aux, const char *name,
		const uint64_t *args, unsigned nargs)
{
	size_t n = name != NULL ? strnlen(name, SYNC_NAME) : 0;
	uint32_t site = call_site(t);
	uint8_t *p;

	if (!ASSERT_RECORDING(nargs <= SYNC_WORDS))
		return;
	if (guard_on) {
		guard_words(t, kind, aux, name, args, nargs);
		return;
	}
	if (CONTROLLED(t))
		control_words(t, &(struct control_words){ .kind = kind,
							  .aux = aux,
							  .name = name,
							  .words = args,
							  .n = nargs,
							  .site = site });
	/* A read in a block must not be dropped because of one before the block. */
	if (kind == FORMAT_K_BLOCK)
		filter_sweep(t);
	p = log_other_room(t, site, 32 + SYNC_NAME + 10 * SYNC_WORDS);
	p = log_varint(p, site);
	memcpy(p, n != 0 ? name : "", n);
	p += n;
	*p++ = 0;
	for (unsigned i = 0; i < nargs; i++)
		p = log_varint(p, args[i]);
	log_other_end(t, kind, aux, p, 1);
	if (CONTROLLED(t))
		control_logged(t, kind, aux, NULL, site);
}

void sync_name(struct thread *t, const char *name, size_t n)
{
	uint8_t *p = log_other_begin(t, t->view.call_site);

	if (n > THREAD_NAME)
		n = THREAD_NAME;
	memcpy(p, name, n);
	memcpy(t->name, name, n); /* log.c restates it */
	t->nname = (uint32_t)n;
	if (guard_on)
		guard_named(t, name, n);
	log_other_end(t, FORMAT_K_NAME, 0, p + n, 0);
}

#define LOWEST 4096u /* what is below is no address */

static void opaque_put(struct thread *t, uint32_t site, unsigned aux, uintptr_t given)
{
	uint8_t *p = log_varint(log_other_begin(t, site), site);

	if (given != 0)
		p = log_varint(p, given);
	log_other_end(t, FORMAT_K_OPAQUE, aux | (given != 0 ? FORMAT_OPAQUE_GIVEN : 0), p, 1);
}

void sync_opaque(struct thread *t, uint32_t site, unsigned aux, const void *const *given,
		 unsigned n)
{
	bool told = false;

	filter_sweep(t); /* bytes may change without a new version: no run goes on */
	if (CONTROLLED(t))
		control_unseen(t, site);
	if (guard_on && aux != FORMAT_OPAQUE_READS)
		guard_unseen(site, given, n);
	if (CONTROL_BARE(t))
		return;
	for (unsigned i = 0; i < n; i++)
		if ((uintptr_t)given[i] >= LOWEST) {
			opaque_put(t, site, aux, (uintptr_t)given[i]);
			told = true;
		}
	if (!told)
		opaque_put(t, site, aux, 0);
}

void sync_fence(struct thread *t, int order, uint32_t site)
{
	if (CONTROLLED(t))
		control_before(t, FORMAT_K_FENCE, 0, NULL, site);
	if (guard_on)
		return;
	filter_sweep(t);
	log_other_end(t, FORMAT_K_FENCE, 0,
		      LOG_NUMBERS(log_other_begin(t, site), site, (unsigned)order), 1);
	if (CONTROLLED(t))
		control_logged(t, FORMAT_K_FENCE, 0, NULL, site);
}

struct thread *hook_enter_slow(struct thread *t)
{
	if (t->view.live == (THREAD_LIVE | THREAD_CONTROLLED)) {
		t->view.live = THREAD_CONTROLLED;
		__asm__ volatile("" ::: "memory");
		return t;
	}
	if ((t->view.live & ~THREAD_CONTROLLED) ==
	    (THREAD_LIVE | THREAD_SIGNALLED)) { /* a hook ended without hook_signal */
		hook_signal(t);
		return hook_enter();
	}
	if (t->view.live == THREAD_QUIET)
		return NULL;
	if (t == &thread_scratch) {
		t = thread_adopt();
		if (t != NULL) {
			create_adopted(t);
			t->view.live &= ~THREAD_LIVE;
			/* It was made by unseen code, which the program had called. */
			channel_log(t, FORMAT_K_TAKE, CHANNEL_UNSEEN);
			unseen_runs(t);
		}
		return t;
	}
	if (t->left) {
		log_leave(t);
		log_trouble("a signal handler jumped out of the middle of a record", 0);
		if (t->put_off.number != 0)
			hook_signal(t);
		return NULL;
	}
	/* A signal handler came in the middle of a hook: what it does is not
	 * recorded, and the interrupted thread says so before its next record. */
	t->nested++;
	t->limit = NULL;
	return NULL;
}
