/*
 * What the wrappers tell of locks, conditions, barriers and threads, as events.
 *
 * As in the runtime that is compiled in (src/capture/sync.h): what takes is told after the library has done
 * it, what gives before.
 */
#include "sync.h"

#include "channel.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"

#include "requests.h"

/* The wrapper's caller is the place of the event; the wrapper itself is no frame of the stack. */
static uint32_t enter(struct thread *t)
{
	uint32_t site = site_caller(t);

	t->depth = site_depth(t);
	if (t->depth < t->low_depth)
		t->low_depth = t->depth;
	return site;
}

/* ---- conditions ---- */

/*
 * The C library does not say which signal woke a waiter, so each condition has a list of what
 * happened to it and is not settled yet (src/capture/cond.c):
 *
 *	wait T2   wait T3   signal (T1, 17)   wait T4
 *
 * A waiter that comes back takes a broadcast that stands after it, else the first signal that does,
 * else none.  What then stands at the head and is no wait can wake nobody any more.
 */
struct happened {
	uint32_t waiter; /* 0: a signal */
	Bool all;
	struct thread *by;
	uint64_t tseq;
};

struct condition {
	struct condition *next;
	UWord key;
	struct happened *at;
	uint32_t n, room, waits;
};

static VgHashTable *conditions;

static struct condition *condition_of(Addr a)
{
	struct condition *c;

	if (conditions == NULL)
		conditions = VG_(HT_construct)("foresee.conditions");
	c = VG_(HT_lookup)(conditions, a);
	if (c == NULL) {
		c = VG_(calloc)("foresee.condition", 1, sizeof(*c));
		c->key = a;
		VG_(HT_add_node)(conditions, c);
	}
	return c;
}

static void happened_add(struct condition *c, struct happened h)
{
	if (c->n == c->room) {
		c->room = c->room ? 2 * c->room : 8;
		c->at = VG_(realloc)("foresee.happened", c->at, c->room * sizeof(*c->at));
	}
	c->at[c->n++] = h;
	c->waits += h.waiter != 0;
}

static void happened_remove(struct condition *c, uint32_t i)
{
	c->waits -= c->at[i].waiter != 0;
	for (; i + 1 < c->n; i++)
		c->at[i] = c->at[i + 1];
	c->n--;
}

/* The signal that woke t; by NULL: none. */
static struct happened condition_wake(struct condition *c, const struct thread *t)
{
	struct happened none = { 0 }, found = none;
	uint32_t i = 0, first = c->n;

	while (i < c->n && c->at[i].waiter != t->tid)
		i++;
	for (uint32_t k = i + 1; k < c->n && i < c->n; k++) {
		if (c->at[k].waiter != 0)
			continue;
		if (c->at[k].all) {
			first = k;
			break;
		}
		if (first == c->n)
			first = k;
	}
	if (first < c->n && i < c->n) {
		found = c->at[first];
		if (!found.all)
			happened_remove(c, first);
	}
	if (i < c->n)
		happened_remove(c, i);
	while (c->n > 0 && c->at[0].waiter == 0)
		happened_remove(c, 0);
	return found;
}

#define MUTEX_BYTES 40u

/* REQ c, REL m, PARK c */
static void park(struct thread *t, uint32_t site, const UWord *arg)
{
	uint64_t mutex = arg[2];
	unsigned aux = (unsigned)arg[3] | FORMAT_LOCK_WAIT;

	record_sync(t, site, FORMAT_K_REQ, FORMAT_LOCK_COND | (arg[4] ? FORMAT_LOCK_TRY : 0),
		    arg[1], NULL, 0);
	record_sync(t, site, FORMAT_K_REL, aux, mutex, NULL, 0);
	record_sync(t, site, FORMAT_K_PARK, arg[4] ? FORMAT_WAIT_TIMED : 0, arg[1], &mutex, 1);
	happened_add(condition_of(arg[1]), (struct happened){ .waiter = t->tid });
	t->timed = arg[4] != 0;
	t->parked = arg[1];
	t->parked_mutex = mutex;
	t->parked_len = MUTEX_BYTES;
	t->parked_aux = aux;
	shadow_object(mutex, MUTEX_BYTES);
}

#define ETIMEDOUT_ 110

static void wake(struct thread *t, uint32_t site, const UWord *arg)
{
	struct happened by = condition_wake(condition_of(arg[1]), t);
	Bool timeout = arg[4] == ETIMEDOUT_;
	uint64_t args[2] = { 0, 0 };

	t->parked = 0;
	if (by.by != NULL && !timeout) {
		args[0] = by.by->tid;
		args[1] = by.tseq;
	}
	record_sync(t, site, FORMAT_K_WAKE,
		    (t->timed ? FORMAT_WAIT_TIMED : 0) | (timeout ? FORMAT_WAKE_TIMEOUT : 0),
		    arg[1], args, 2);
	record_sync(t, site, FORMAT_K_ACQ, (unsigned)arg[3] | FORMAT_LOCK_WAIT, arg[2], NULL, 0);
}

static void signalled(struct thread *t, uint32_t site, Addr object, Bool all)
{
	struct condition *c = condition_of(object);
	uint64_t waits = c->waits;

	record_sync(t, site, all ? FORMAT_K_BROADCAST : FORMAT_K_SIGNAL, 0, object, &waits, 1);
	if (waits != 0)
		happened_add(c, (struct happened){ .all = all, .by = t, .tseq = t->tseq });
}

/* ---- barriers ---- */

struct barrier {
	struct barrier *next;
	UWord key;
	uint64_t count, in, generation;
};

static VgHashTable *barriers;

static struct barrier *barrier_of(Addr a)
{
	struct barrier *b;

	if (barriers == NULL)
		barriers = VG_(HT_construct)("foresee.barriers");
	b = VG_(HT_lookup)(barriers, a);
	if (b == NULL) {
		b = VG_(calloc)("foresee.barrier", 1, sizeof(*b));
		b->key = a;
		VG_(HT_add_node)(barriers, b);
	}
	return b;
}

enum { BARRIER_INIT, BARRIER_IN, BARRIER_OUT };

static void barrier(struct thread *t, uint32_t site, const UWord *arg)
{
	struct barrier *b = barrier_of(arg[2]);
	uint64_t n = arg[3];

	switch (arg[1]) {
	case BARRIER_INIT:
		b->count = n;
		b->in = 0;
		b->generation = 1;
		record_sync(t, site, FORMAT_K_BAR_INIT, 0, arg[2], &n, 1);
		break;
	case BARRIER_IN:
		t->generation = b->generation;
		record_sync(t, site, FORMAT_K_BAR_IN, 0, arg[2], &t->generation, 1);
		if (b->count != 0 && ++b->in == b->count) {
			b->in = 0;
			b->generation++;
		}
		break;
	default:
		record_sync(t, site, FORMAT_K_BAR_OUT, n ? FORMAT_BAR_SERIAL : FORMAT_BAR_OTHER,
			    arg[2], &t->generation, 1);
		break;
	}
}

/* ---- threads ---- */

static struct thread *by_handle(Addr handle)
{
	for (uint32_t i = thread_count(); i > 0; i--)
		if (thread_get(i)->handle == handle && !thread_get(i)->joined)
			return thread_get(i);
	return NULL;
}

static UWord fork_begin(struct thread *t, uint32_t site, const UWord *arg)
{
	struct thread *child = thread_new();

	if (child == NULL) {
		log_trouble("more threads than can be told apart");
		return 0;
	}
	accesses_begin();
	stack_expose(t, t->frames[t->depth % FRAMES].sp, site);
	record_thread(t, site, FORMAT_K_FORK, 0, child->tid, 0, 1);
	child->parent = t;
	child->fork = t->tseq;
	child->run = arg[1];
	child->arg = arg[2];
	t->child = child;
	return child->tid;
}

static void fork_end(struct thread *t, uint32_t site, const UWord *arg)
{
	struct thread *child = thread_get((uint32_t)arg[1]);

	t->child = NULL;
	if (arg[2] != 0) {
		record_thread(t, site, FORMAT_K_FORK_FAIL, 0, child->tid, 0, 1);
		child->ended = True;
	} else if (arg[4]) {
		record_thread(t, site, FORMAT_K_DETACH, 0, child->tid, 0, 1);
		child->joined = True;
	}
	if (!child->begun)
		child->handle = arg[3];
}

static UWord child_begin(ThreadId v, const UWord *arg)
{
	struct thread *t = thread_get((uint32_t)arg[1]);

	thread_bind(v, t);
	self = t;
	t->handle = arg[2];
	thread_begin(t, t->parent, t->fork);
	*(UWord *)arg[3] = t->arg;
	stack_switch();
	return t->run;
}

#define EBUSY_ 16

static void join(struct thread *t, uint32_t site, const UWord *arg)
{
	struct thread *who = by_handle(arg[3]);
	unsigned timed = arg[2] ? FORMAT_WAIT_TIMED : 0;

	if (who == NULL || who == t)
		return;
	if (arg[1] == 0) {
		if (!who->ended)
			record_thread(t, site, FORMAT_K_JOINING, timed, who->tid, 0, 1);
	} else if (arg[4] == 0) {
		who->joined = True;
		record_thread(t, site, FORMAT_K_JOIN, timed, who->tid, who->end, 2);
	} else {
		record_thread(t, site, FORMAT_K_JOINING,
			      arg[4] == EBUSY_ || arg[4] == ETIMEDOUT_ ? FORMAT_JOIN_UNENDED
								       : FORMAT_JOIN_REFUSED,
			      who->tid, 0, 1);
	}
}

static void detach(struct thread *t, uint32_t site, const UWord *arg)
{
	struct thread *who = by_handle(arg[1]);

	if (who == NULL)
		return;
	if (arg[2] == 0) {
		who->joined = True;
		record_thread(t, site, FORMAT_K_DETACH, 0, who->tid, 0, 1);
	} else if (who != t) {
		record_thread(t, site, FORMAT_K_JOINING, FORMAT_JOIN_REFUSED, who->tid, 0, 1);
	}
}

/* Where the other thread learns of it cannot be seen: all that it does from here on comes after. */
static void cancel(struct thread *t, uint32_t site, struct thread *who)
{
	if (who == NULL)
		return;
	record_thread(t, site, FORMAT_K_CANCEL, 0, who->tid, 0, 1);
	if (who->begun && !who->ended && who != t)
		channel_signal(who);
}

#define NAME_MOST 64u

static void named(struct thread *t, const HChar *name)
{
	SizeT n = VG_(strlen)(name);
	uint8_t *p;

	if (n > NAME_MOST)
		n = NAME_MOST;
	p = record_begin(t, NAME_MOST + 16);
	VG_(memcpy)(p, name, n);
	record_end(t, FORMAT_K_NAME, FORMAT_NAME_THREAD, p + n, 0);
}

/* ---- requests ---- */

static unsigned args_of(unsigned kind)
{
	return kind == FORMAT_K_SEM_INIT;
}

static UWord once(struct thread *t, UWord run)
{
	if (run != 0 && t->nonce < sizeof(t->once) / sizeof(t->once[0]))
		t->once[t->nonce++] = run;
	return run != 0 || t->nonce == 0 ? 0 : t->once[--t->nonce];
}

/* Somebody else has run it. */
static UWord passed(struct thread *t, const UWord *arg)
{
	if (t->nonce < 2 || t->once[t->nonce - 2] != arg[1] || t->once[t->nonce - 1] != arg[2])
		return 0;
	t->nonce -= 2;
	return 1;
}

/* A spin lock is made and released by the same function of the library. */
struct spin {
	struct spin *next;
	UWord key;
};

static VgHashTable *spins; /* those that are held */

static void spin_note(unsigned kind, unsigned aux, Addr a)
{
	struct spin *s;

	if ((aux & FORMAT_LOCK_KIND) != FORMAT_LOCK_SPIN)
		return;
	if (spins == NULL)
		spins = VG_(HT_construct)("foresee.spins");
	s = VG_(HT_remove)(spins, a);
	if (kind == FORMAT_K_ACQ) {
		s = s != NULL ? s : VG_(malloc)("foresee.spin", sizeof(*s));
		s->key = a;
		VG_(HT_add_node)(spins, s);
	} else {
		VG_(free)(s);
	}
}

static void spin_left(struct thread *t, uint32_t site, Addr a)
{
	Bool held = spins != NULL && VG_(HT_lookup)(spins, a) != NULL;

	spin_note(FORMAT_K_REL, FORMAT_LOCK_SPIN, a);
	record_sync(t, site, held ? FORMAT_K_REL : FORMAT_K_LOCK_INIT, FORMAT_LOCK_SPIN, a, NULL,
		    0);
}

static void hide(struct thread *t, const UWord *arg)
{
	if (arg[0] == REQUEST_HIDE) {
		if (t->hidden++ == 0) {
			t->hidden_sp = thread_sp();
			t->object = arg[1];
			t->object_len = arg[2];
		}
		shadow_object(arg[1], arg[2]);
	} else if (t->hidden > 0 && --t->hidden == 0) {
		t->object_len = t->parked_len = 0;
		t->hidden_sp = 0;
	}
	stack_switch();
}

void sync_handler(struct thread *t, Bool other_stack)
{
	if (t->ninterrupted == HANDLERS) { /* the oldest have been left by jumps */
		t->ninterrupted--;
		VG_(memmove)
		(t->interrupted, t->interrupted + 1, t->ninterrupted * sizeof(t->interrupted[0]));
	}
	t->interrupted[t->ninterrupted++] =
		(struct interrupted){ t->hidden, t->hidden_sp, t->object, t->object_len };
	t->hidden = 0;
	if (other_stack) /* where the stack pointer says nothing of the wrapper */
		t->hidden_sp = 0;
	stack_switch();
}

void sync_handled(struct thread *t)
{
	const struct interrupted *i;

	if (t->ninterrupted == 0)
		return;
	i = &t->interrupted[--t->ninterrupted];
	t->hidden = i->hidden;
	t->hidden_sp = i->hidden_sp;
	t->object = i->object;
	t->object_len = i->object_len;
	stack_switch();
}

/* Only a wait is left so: it ends with the mutex taken. */
void sync_left(struct thread *t)
{
	uint64_t args[2] = { 0, 0 };

	t->hidden = 0;
	t->hidden_sp = 0;
	t->ninterrupted = 0;
	t->nonce = 0;
	stack_switch();
	if (t->parked == 0 || !recording)
		return;
	condition_wake(condition_of(t->parked), t);
	record_sync(t, 0, FORMAT_K_WAKE, FORMAT_WAKE_CANCEL, t->parked, args, 2);
	record_sync(t, 0, FORMAT_K_ACQ, t->parked_aux, t->parked_mutex, NULL, 0);
	t->parked = 0;
}

#define UNSTEADY 64

/* Told once each, and of all memory if there are more. */
static void unsteady(Addr a, SizeT n)
{
	static Addr told[UNSTEADY];
	static UInt ntold;
	uint8_t buffer[32];

	for (UInt i = 0; i < ntold; i++)
		if (told[i] == a)
			return;
	if (ntold == UNSTEADY)
		return;
	told[ntold++] = a;
	if (ntold == UNSTEADY) {
		a = 0;
		n = ~(SizeT)0;
	}
	log_control(FORMAT_K_C_UNSTEADY, buffer,
		    (SizeT)(put_varint(put_varint(buffer, a), n) - buffer));
}

static UWord answer(struct thread *t, uint32_t site, const UWord *arg)
{
	uint64_t n = arg[4];

	log_sees();
	switch (arg[0]) {
	case REQUEST_SYNC:
		if (arg[1] == FORMAT_K_ACQ)
			spin_note(FORMAT_K_ACQ, (unsigned)arg[2], arg[3]);
		record_sync(t, site, (unsigned)arg[1], (unsigned)arg[2], arg[3], &n,
			    args_of((unsigned)arg[1]));
		break;
	case REQUEST_SPIN:
		spin_left(t, site, arg[1]);
		break;
	case REQUEST_FORK:
		return fork_begin(t, site, arg);
	case REQUEST_FORKED:
		fork_end(t, site, arg);
		break;
	case REQUEST_JOIN:
		join(t, site, arg);
		break;
	case REQUEST_DETACH:
		detach(t, site, arg);
		break;
	case REQUEST_CANCEL:
		cancel(t, site, by_handle(arg[1]));
		break;
	case REQUEST_NAME:
		named(t, (const HChar *)arg[1]);
		break;
	case REQUEST_PARK:
		park(t, site, arg);
		break;
	case REQUEST_WAKE:
		wake(t, site, arg);
		break;
	case REQUEST_SIGNAL:
		signalled(t, site, arg[1], arg[2] != 0);
		break;
	case REQUEST_BARRIER:
		barrier(t, site, arg);
		break;
	case REQUEST_WROTE:
		if (accesses_on)
			sync_range(t, site, True, arg[1], arg[2]);
		break;
	case REQUEST_UNSTEADY:
		unsteady(arg[1], arg[2]);
		break;
	case REQUEST_END:
		thread_end(t, (unsigned)arg[1]);
		break;
	default:
		break;
	}
	return 0;
}

void sync_range(struct thread *t, uint32_t site, Bool write, Addr a, SizeT n)
{
	Addr end = a + n;

	if (a >= t->low && a < t->floor) /* the part that nobody else has seen */
		a = end < t->floor ? end : t->floor;
	for (Addr at = a & ~(Addr)7; at < end; at += 1u << SHADOW_BITS)
		stack_foreign(at < a ? a : at, site);
	for (Addr at = a & ~(Addr)4095; at < end; at += 4096)
		if (shadow_is_shared(shadow_of(at), at)) {
			shared_touch(t, write, !write);
			break;
		}
	if (a < end)
		record_range(t, site, write, False, a, end - a);
}

/* By the object as well: the loader ends functions with a jump, and who has called it seems to unlock then. */
static Bool is_loaders(const struct thread *t, Addr object)
{
	return (t->depth > 0 &&
		site_part(t->frames[(t->depth - 1) % FRAMES].site) == SITE_LOADER) ||
	       site_is_loaders(object);
}

Bool sync_request(ThreadId v, UWord *arg, UWord *ret)
{
	struct thread *t = thread_of(v);
	uint32_t depth, site;

	if (!VG_IS_TOOL_USERREQ('F', 'S', arg[0]))
		return False;
	*ret = 0;
	if (arg[0] == REQUEST_STRINGS) {
		site_strings(arg[1], arg[2]);
		return True;
	}
	if (arg[0] == REQUEST_BEGIN) {
		*ret = child_begin(v, arg);
		return True;
	}
	if (t == NULL || t->ended || !recording) {
		if (arg[0] == REQUEST_ONCE && t != NULL)
			*ret = once(t, arg[1]);
		return True;
	}
	self = t;
	if (arg[0] == REQUEST_HIDE || arg[0] == REQUEST_SHOW) {
		hide(t, arg);
		return True;
	}
	if (arg[0] == REQUEST_ONCE) {
		*ret = once(t, arg[1]);
		return True;
	}
	if (arg[0] == REQUEST_PASSED) {
		*ret = passed(t, arg);
		return True;
	}
	if (t->hidden > 1) /* part of what is told as a whole */
		return True;
	if (arg[0] == REQUEST_SYNC && is_loaders(t, arg[3])) {
		if (accesses_on && (arg[1] == FORMAT_K_ACQ || arg[1] == FORMAT_K_REL))
			channel_loader(t, arg[1] == FORMAT_K_ACQ);
		return True;
	}
	depth = t->depth;
	site = enter(t);
	*ret = answer(t, site, arg);
	t->depth = depth;
	return True;
}
