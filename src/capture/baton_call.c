/*
 * What the hooks announce, and when it can be done.
 *
 * The objects are the library's own, so whether a lock is free is looked up in it.  Nobody waits inside
 * the library: conditions and barriers, which would, are done here.
 */
#include <semaphore.h>

#include "capture/baton.h"
#include "capture/lock_priv.h"
#include "capture/real.h"

/* ---- barriers ---- */

#define BARRIERS 64u
#define BARRIER_COUNT 2u /* the word where glibc keeps how many must come */

static struct barrier {
	const void *at;
	uint32_t in, generation;
	uint32_t lowest[2]; /* thread of this generation, and of the one before */
} barriers[BARRIERS];

static struct barrier *barrier_find(const void *at)
{
	uint32_t i = 0;

	while (i < BARRIERS && barriers[i].at != at && barriers[i].at != NULL)
		i++;
	if (i == BARRIERS)
		baton_leave(BATON_TOO_MANY);
	barriers[i].at = at;
	return &barriers[i];
}

/* ---- when it can be done ---- */

/* A robust mutex whose owner has ended: the kernel is about to free it, and whoever goes on waits for that. */
static bool is_left(const pthread_mutex_t *m)
{
	bool left = false;

	for (uint32_t i = 0; i < baton_head->nthreads && lock_mutex_is_robust(m); i++)
		left |= baton_seats[i].ended && baton_seats[i].kernel == lock_mutex_holder(m);
	return left;
}

static bool lock_is_free(const struct baton_op *op, const struct baton_seat *s)
{
	const void *l = (const void *)op->object;

	switch (op->flags & BATON_LOCK_KIND) {
	case BATON_LOCK_RWLOCK:
		return lock_rwlock_is_free(
			l, op->kind == BATON_READ_LOCK || op->kind == BATON_TRY_READ_LOCK,
			s->kernel);
	case BATON_LOCK_SPIN:
		return lock_spin_is_free(l);
	default:
		return lock_mutex_is_free(l, s->kernel) || is_left(l);
	}
}

static bool semaphore_is_up(const struct baton_op *op)
{
	int value = 0;

	return sem_getvalue((sem_t *)op->object, &value) == 0 && value > 0;
}

/*
 * Nobody runs the routine.  A guard has a byte that says that all is done, and behind it one that says
 * that it is being done (the C++ runtimes of both compilers).
 */
static bool once_is_free(const struct baton_op *op)
{
	const uint8_t *guard = (const uint8_t *)op->object;

	if (op->flags & BATON_STATIC)
		return guard[0] != 0 || guard[1] == 0;
	return (*(const int *)op->object & 3) != 1;
}

bool baton_once_is_done(const struct baton_op *op)
{
	return op->flags & BATON_STATIC ? *(const uint8_t *)op->object != 0
					: (*(const int *)op->object & 3) == 2;
}

/* What the end of a thread is, for who may come before it; shared: there is somebody. */
static uint64_t ends[BATON_THREADS];

static bool has_ended(const struct baton_op *join)
{
	return join->second >= BATON_THREADS || baton_seats[join->second].ended;
}

bool baton_is_enabled(uint32_t thread)
{
	const struct baton_seat *s = &baton_seats[thread];
	const struct baton_op *op = baton_pending(thread);

	if (s->ended)
		return false;
	switch (op->kind) {
	case BATON_NONE:
		return false;
	case BATON_LOCK:
	case BATON_READ_LOCK:
		return lock_is_free(op, s);
	case BATON_WAKE:
		return (s->woken || s->cancelled || (op->flags & BATON_TIMED)) &&
		       (op->second == 0 || lock_mutex_is_free((const void *)op->second, s->kernel));
	case BATON_SEM_WAIT:
		return s->cancelled || semaphore_is_up(op);
	case BATON_BARRIER_OUT:
		return barrier_find((const void *)op->object)->generation != s->generation;
	case BATON_ONCE:
		return once_is_free(op);
	case BATON_JOIN:
		return (op->flags & BATON_TIMED) || s->cancelled || has_ended(op);
	case BATON_TAKE:
	case BATON_GIVE:
		return (op->flags & BATON_TIMED) || s->cancelled || baton_fd_is_ready(thread);
	case BATON_SIGNAL_WAIT:
		return (op->flags & BATON_TIMED) || s->cancelled || baton_signal_came(thread);
	default:
		return true;
	}
}

/* ---- accesses ---- */

static uint64_t value_at(uint64_t at, uint32_t size)
{
	uint64_t value = 0;

	memcpy(&value, (const void *)at, size < 8 ? size : 8);
	return value;
}

static void forget_looks(struct baton_seat *s)
{
	s->nlooks = 0;
	s->locks = s->stale = false;
}

void baton_did(uint32_t thread)
{
	baton_seats[thread].vains = 0;
	forget_looks(&baton_seats[thread]);
}

/* What was another value then may have been changed by the thread itself, by an instruction that is not seen. */
static void forget_others(struct baton_seat *s, uint64_t at, uint64_t value)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->nlooks; i++)
		if (s->looks[i].at != at || s->looks[i].value == value)
			s->looks[n++] = s->looks[i];
	s->nlooks = n;
}

/* True: it has read this so often that it seems to wait. */
static bool look(struct baton_seat *s, const struct baton_op *op, bool shared)
{
	uint64_t value = value_at(op->object, op->size);
	struct baton_look *l = s->looks;

	if (op->flags & BATON_KERNEL)
		forget_others(s, op->object, value);

	while (l < s->looks + s->nlooks && (l->at != op->object || l->site != op->site))
		l++;
	if (l == s->looks + s->nlooks) {
		if (s->nlooks == BATON_LOOKS)
			s->nlooks = 0;
		l = &s->looks[s->nlooks++];
		*l = (struct baton_look){ op->object, value, op->size, op->site, 0 };
	} else if (l->value != value) {
		forget_looks(s);
		return false;
	}
	return ++l->times > (shared ? BATON_PATIENT : BATON_PATIENT_ALONE);
}

bool baton_is_vain(uint32_t thread)
{
	const struct baton_op *op = baton_pending(thread);
	const struct baton_seat *s = &baton_seats[thread];

	switch (op->kind) {
	case BATON_TRY_LOCK:
	case BATON_TRY_READ_LOCK:
		return !lock_is_free(op, s);
	case BATON_SEM_TRY:
		return !semaphore_is_up(op);
	case BATON_WAKE:
		return !s->woken && !s->cancelled;
	case BATON_JOIN:
		return !has_ended(op);
	case BATON_TAKE:
	case BATON_GIVE:
		return !baton_fd_is_ready(thread);
	case BATON_SIGNAL_WAIT:
		return !baton_signal_came(thread);
	default:
		return false;
	}
}

bool baton_is_idle(uint32_t thread)
{
	const struct baton_seat *s = &baton_seats[thread];

	return s->stale || s->vains > BATON_PATIENT;
}

/* May it come back in vain? */
static bool is_try(const struct baton_op *op)
{
	return (op->flags & BATON_TIMED) || op->kind == BATON_TRY_LOCK ||
	       op->kind == BATON_TRY_READ_LOCK || op->kind == BATON_SEM_TRY;
}

bool baton_awaits(uint32_t thread)
{
	const struct baton_seat *s = &baton_seats[thread];
	const struct baton_op *op = baton_pending(thread);

	if (!(op->flags & BATON_AWAITS) || (is_try(op) && !baton_is_vain(thread)))
		return false;
	/* What it has read less often is not of the loop that it is in now. */
	for (uint32_t i = 0; i < s->nlooks; i++)
		if (s->looks[i].times >= BATON_PATIENT &&
		    value_at(s->looks[i].at, s->looks[i].size) != s->looks[i].value)
			return false;
	return true;
}

void baton_access(struct control *c, const void *p, size_t n, uint32_t site, unsigned how)
{
	struct baton_op op = {
		.object = (uintptr_t)p,
		.size = (uint32_t)n,
		.site = site,
		.kind = how & CONTROL_EITHER   ? BATON_UPDATE
			: how & CONTROL_WRITES ? BATON_WRITE
					       : BATON_READ,
		.flags = (how & CONTROL_ATOMIC ? BATON_ATOMIC : 0) |
			 (how & CONTROL_GIVES_BACK ? BATON_FREES : 0) |
			 (how & CONTROL_UNSEEN ? BATON_KERNEL : 0),
		.branches = 1,
	};

	struct baton_seat *s = &baton_seats[c->index];
	bool shared = baton_word_touch(c->index, op.object, n, how & CONTROL_WRITES);
	bool watched = baton_watch_touches(c->index, &op);

	if (watched) {
		op.flags |= BATON_WATCHED;
		shared = true;
	}
	if (op.kind != BATON_READ && !(how & CONTROL_FAILS)) {
		forget_looks(s);
		if (shared)
			s->vains = 0;
	} else if (n <= 8 && look(s, &op, shared)) {
		s->stale = true;
		if (!s->locks)
			op.flags |= BATON_AWAITS;
		baton_word_share(c->index, op.object, n);
		shared = true;
	}
	if (shared)
		baton_announce(c, &op);
	else if (++s->quiet == BATON_QUIET)
		baton_yield(c, site);
	if (!(op.flags & BATON_FREES) && !(how & CONTROL_UNSEEN))
		baton_freed_look(c, op.object, n, site, BATON_USE_AFTER_FREE);
	if (watched) {
		c->solid = false; /* until control_changed says so */
		baton_watch_begin(thread_self(), c->index);
	}
}

/* ---- calls ---- */

/* Others notice it, or it waits for them: it is no loop that only looks. */
static bool is_deed(const struct baton_op *op)
{
	switch (op->kind) {
	case BATON_LOCK:
	case BATON_UNLOCK:
	case BATON_READ_LOCK:
	case BATON_READ_UNLOCK:
	case BATON_WAIT:
	case BATON_YIELD:
		return false;
	default:
		return true;
	}
}

void baton_try(struct control *c, const struct baton_op *op)
{
	struct baton_seat *s = &baton_seats[c->index];
	struct baton_op now = *op;

	if (s->vains > BATON_PATIENT)
		now.flags |= BATON_AWAITS;
	baton_announce(c, &now);
	if (baton_is_vain(c->index))
		s->vains++;
	else {
		s->vains = 0;
		forget_looks(s);
	}
}

/* Does it rest upon what was so when it was chosen? */
static bool is_call(enum baton_kind kind)
{
	return kind == BATON_LOCK || kind == BATON_TRY_LOCK || kind == BATON_READ_LOCK ||
	       kind == BATON_TRY_READ_LOCK || kind == BATON_SEM_WAIT || kind == BATON_SEM_TRY;
}

bool baton_calls(uint32_t thread)
{
	bool calls = baton_seats[thread].calls;

	baton_seats[thread].calls = false;
	return calls;
}

static void announce(struct control *c, enum baton_kind kind, const void *obj, uint64_t second,
		     uint32_t site, unsigned flags)
{
	struct baton_seat *s = &baton_seats[c->index];
	struct baton_op op = { .object = (uintptr_t)obj,
			       .second = second,
			       .site = site,
			       .kind = (uint8_t)kind,
			       .flags = (uint8_t)flags,
			       .branches = 1 };

	s->calls = is_call(kind);
	if (is_try(&op)) {
		baton_try(c, &op);
		baton_freed_use(c, &op);
		return;
	}
	if (is_deed(&op) || (kind == BATON_WAIT && s->vains == 0))
		baton_did(c->index);
	if (kind == BATON_LOCK || kind == BATON_READ_LOCK) {
		if (s->stale && s->locks)
			op.flags |= BATON_AWAITS;
		s->locks = true;
	}
	baton_announce(c, &op);
	baton_freed_use(c, &op);
}

/* The thread that a handle stands for; its number is used again when it has been joined. */
static uint64_t thread_of(const void *handle)
{
	for (uint32_t i = baton_head->nthreads; i-- > 0;)
		if (pthread_equal(baton_seats[i].handle, (pthread_t)handle))
			return i;
	return BATON_THREADS;
}

static unsigned lock_flags(unsigned aux)
{
	switch (aux & FORMAT_LOCK_KIND) {
	case FORMAT_LOCK_RWLOCK:
		return BATON_LOCK_RWLOCK;
	case FORMAT_LOCK_SPIN:
		return BATON_LOCK_SPIN;
	default:
		return 0;
	}
}

static void call_join(struct control *c, uint64_t thread, uint32_t site, bool timed)
{
	const uint64_t *end = timed && thread < BATON_THREADS ? &ends[thread] : NULL;

	if (end != NULL)
		baton_word_share(c->index, (uintptr_t)end, sizeof(*end));
	announce(c, BATON_JOIN, end, thread, site, timed ? BATON_TIMED : 0);
	baton_joined(thread);
}

void baton_ending(struct control *c)
{
	const uint64_t *end = &ends[c->index];

	if (baton_word_is_shared(c->index, (uintptr_t)end) && !baton_seats[c->index].leaves)
		announce(c, BATON_END, end, c->index, 0, 0);
}

void baton_call(struct control *c, unsigned kind, unsigned aux, const void *obj, uint32_t site)
{
	bool tries = aux & FORMAT_LOCK_TRY;

	switch (kind) {
	case FORMAT_K_ACQ:
		if (fiber_on && !lock_flags(aux) && lock_mutex_is_robust(obj))
			fiber_irregular(
				BATON_IRREGULAR_THREAD); /* the kernel frees it when its owner ends */
		announce(c, tries ? BATON_TRY_LOCK : BATON_LOCK, obj, 0, site, lock_flags(aux));
		break;
	case FORMAT_K_RACQ:
		announce(c, tries ? BATON_TRY_READ_LOCK : BATON_READ_LOCK, obj, 0, site,
			 lock_flags(aux));
		break;
	case FORMAT_K_SEM_WAIT:
		announce(c, tries ? BATON_SEM_TRY : BATON_SEM_WAIT, obj, 0, site, 0);
		break;
	case FORMAT_K_SIGNAL:
		announce(c, BATON_SIGNAL, obj, 0, site, 0);
		break;
	case FORMAT_K_BROADCAST:
		announce(c, BATON_BROADCAST, obj, 0, site, 0);
		break;
	case FORMAT_K_ONCE_BEGIN:
		announce(c, BATON_ONCE, obj, 0, site, aux == CONTROL_STATIC ? BATON_STATIC : 0);
		break;
	case FORMAT_K_JOIN:
		call_join(c, thread_of(obj), site, tries);
		break;
	case FORMAT_K_FORK:
		baton_watch_fork(c, site);
		break;
	default: /* a barrier comes by baton_barrier; making a thread is no step */
		break;
	}
}

void baton_before(struct control *c, unsigned kind, unsigned aux, const void *obj, uint32_t site)
{
	switch (kind) {
	case FORMAT_K_ACQ:
	case FORMAT_K_RACQ:
		baton_watch_lock(c, obj, true, site);
		break;
	case FORMAT_K_REL:
	case FORMAT_K_RREL:
		baton_watch_lock(c, obj, false, site);
		if (!(aux & FORMAT_LOCK_WAIT))
			announce(c, kind == FORMAT_K_REL ? BATON_UNLOCK : BATON_READ_UNLOCK, obj, 0,
				 site, lock_flags(aux));
		break;
	case FORMAT_K_SEM_POST:
		announce(c, BATON_SEM_POST, obj, 0, site, 0);
		break;
	case FORMAT_K_LOCK_INIT:
	case FORMAT_K_LOCK_DESTROY:
	case FORMAT_K_SEM_INIT:
	case FORMAT_K_BAR_INIT:
		announce(c, BATON_OBJECT, obj, 0, site, 0);
		break;
	default: /* taken before the real call, or no step */
		break;
	}
}

bool baton_fails(const struct control *c)
{
	return baton_is_vain(c->index);
}

void baton_yield(struct control *c, uint32_t site)
{
	baton_seats[c->index].yielded = true;
	announce(c, BATON_YIELD, NULL, 0, site, 0);
}

void baton_output(struct control *c, const void *channel, uint32_t site)
{
	if (baton_head->outputs)
		announce(c, BATON_OUTPUT, channel, 0, site, 0);
}

void baton_unseen(const struct control *c, uint32_t site)
{
	baton_head->running = c->index;
	baton_head->unseen = site;
}

unsigned baton_choose(struct control *c, unsigned n, uint32_t site)
{
	baton_announce(c, &(struct baton_op){
				  .site = site, .kind = BATON_CHOOSE, .branches = (uint16_t)n });
	return baton_seats[c->index].branch < n ? baton_seats[c->index].branch : 0;
}

/* ---- conditions ---- */

static uint64_t tickets; /* drawn by waits, so that the first to come is the first to go */

void baton_wait(struct control *c, const struct cond_wait *w, uint32_t site)
{
	announce(c, BATON_WAIT, w->cond, (uintptr_t)w->mutex, site, 0);
}

int baton_cond_wait(struct control *c, const struct cond_wait *w)
{
	struct baton_seat *s = &baton_seats[c->index];
	uint32_t site = thread_self()->view.call_site;
	bool timed = w->until != NULL;

	s->cond = w->cond;
	s->ticket = ++tickets;
	s->woken = false;
	REAL(pthread_mutex_unlock)(w->mutex);
	announce(c, BATON_WAKE, w->cond, (uintptr_t)w->mutex, site, timed ? BATON_TIMED : 0);
	s->cond = NULL;
	while (baton_head->outcome == BATON_DEADLOCK && !s->woken) /* a run that is kept */
		pause();
	REAL(pthread_mutex_lock)(w->mutex);
	s->yielded = timed && !s->woken;
	if (s->yielded)
		baton_clock_until(w->until);
	if (s->cancelled && !s->woken)
		return ECANCELED;
	return timed && !s->woken ? ETIMEDOUT : 0;
}

void baton_cancel(pthread_t handle)
{
	uint64_t thread = thread_of((const void *)handle);

	if (thread < BATON_THREADS)
		baton_seats[thread].cancelled = true;
}

uint32_t baton_first_waiting(const void *cond)
{
	uint32_t first = BATON_THREADS;

	for (uint32_t i = 0; i < baton_head->nthreads; i++)
		if (baton_seats[i].cond == cond &&
		    (first == BATON_THREADS || baton_seats[i].ticket < baton_seats[first].ticket))
			first = i;
	return first;
}

void baton_cond_wake(const void *cond, bool everybody)
{
	uint32_t first;

	do {
		first = baton_first_waiting(cond);
		if (first == BATON_THREADS)
			return;
		baton_seats[first].cond = NULL;
		baton_seats[first].woken = true;
	} while (everybody);
}

/* ---- barriers ---- */

static uint32_t barrier_count(const void *at)
{
	return ((const uint32_t *)at)[BARRIER_COUNT];
}

static void announce_meeting(struct control *c, enum baton_kind kind, const void *at, uint32_t site)
{
	baton_announce(c, &(struct baton_op){ .object = (uintptr_t)at,
					      .size = barrier_count(at),
					      .site = site,
					      .kind = (uint8_t)kind,
					      .branches = 1 });
}

int baton_barrier(struct control *c, const void *at, uint32_t site)
{
	struct baton_seat *s = &baton_seats[c->index];
	struct barrier *b;
	uint32_t *lowest;

	announce_meeting(c, BATON_BARRIER_IN, at, site);
	b = barrier_find(at);
	s->generation = b->generation;
	lowest = &b->lowest[b->generation % 2];
	if (b->in == 0 || *lowest > c->index)
		*lowest = c->index;
	if (++b->in >= barrier_count(at)) {
		b->in = 0;
		b->generation++;
	}
	announce_meeting(c, BATON_BARRIER_OUT, at, site);
	/* Not whoever came last: then their order would make a difference, and it is to make none. */
	return *lowest == c->index ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}
