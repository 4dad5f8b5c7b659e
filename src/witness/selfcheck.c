#include "witness/selfcheck_priv.h"

/* A contradiction at the present event, into r. */
static void describe(struct selfcheck *s, struct selfcheck_result *r, const char *format,
		     va_list ap)
{
	const struct event *e = s->e;
	struct trace_site place;
	int n;

	r->contradiction = true;
	r->pos = e->pos;
	n = snprintf(r->what, sizeof(r->what), "event %llu (%s %s, its %llu.",
		     (unsigned long long)e->pos, trace_thread_name(s->trace, e->tid),
		     event_op_name(e->op), (unsigned long long)e->tseq);
	if (e->site != 0 && trace_site(s->trace, e->site, &place) && place.file)
		n += snprintf(r->what + n, sizeof(r->what) - (size_t)n, ", %.100s:%u", place.file,
			      place.line);
	n += snprintf(r->what + n, sizeof(r->what) - (size_t)n, "): ");
	vsnprintf(r->what + n, sizeof(r->what) - (size_t)n, format, ap);
}

void selfcheck_fail(struct selfcheck *s, const char *format, ...)
{
	va_list ap;

	if (s->out->contradiction)
		return;
	va_start(ap, format);
	describe(s, s->out, format, ap);
	va_end(ap);
}

void selfcheck_doubt(struct selfcheck *s, enum selfcheck_doubt kind, const char *format, ...)
{
	struct selfcheck_result *d = &s->doubts[kind];
	va_list ap;

	if (d->contradiction)
		return;
	va_start(ap, format);
	describe(s, d, format, ap);
	va_end(ap);
}

static struct selfcheck_thread *thread_get(struct selfcheck *s, uint32_t tid)
{
	VEC_REACH(&s->threads, tid);
	return &s->threads.at[tid];
}

static const char *name(const struct selfcheck *s, uint32_t tid)
{
	return trace_thread_name(s->trace, tid);
}

static void thread_event(struct selfcheck *s, const struct event *e)
{
	struct selfcheck_thread *t = thread_get(s, e->tid), *peer;

	if (t->ended)
		selfcheck_fail(s, "the thread has ended before");
	if (t->joined)
		selfcheck_fail(s, "the thread was joined before");
	if (e->op == EVENT_THREAD_BEGIN && e->peer != 0 && !t->forked)
		selfcheck_fail(s, "the thread was not forked before");
	t->ran = true;
	switch (e->op) {
	case EVENT_FORK:
		peer = thread_get(s, e->peer);
		if (peer->ran)
			selfcheck_fail(s, "%s ran before its fork", name(s, e->peer));
		peer->forked = true;
		break;
	case EVENT_JOIN:
		peer = thread_get(s, e->peer);
		if (s->binary && e->peer_tseq != 0 && !peer->ended)
			selfcheck_fail(s, "%s has not ended", name(s, e->peer));
		peer->joined = !s->binary || e->peer_tseq != 0;
		break;
	case EVENT_JOINING:
		if (thread_get(s, e->peer)->joined)
			selfcheck_fail(s, "%s was joined before", name(s, e->peer));
		break;
	case EVENT_THREAD_END:
		t->ended = true;
		break;
	default:
		break;
	}
}

/*
 * Where unseen code may have had its hands in memory and semaphores.
 *
 *	T1  call of qsort (opaque)  |  comparator: r  r  |  ...  |  w
 *	    `------------- inside unseen code ------------------'
 *
 * A call of unseen code lasts until the thread's next event that did not come
 * from there.  What comes from there shows by its site, or, in a callback, by
 * the site that its frame on top of the caller's stack was called from: that of the
 * call itself or, after a first callback, none that is known.
 *
 * A signal handler that came in the middle of a hook did what it did unrecorded
 * (NESTED), and nothing orders that before what others saw of it.  So what
 * a handler can explain is a doubt until the end of the trace tells whether
 * there was one.  So it is with a thread that unseen code has made for itself: it says OPAQUE, of no
 * site, when it begins, and writes whenever it likes.  But it posts semaphores by calls that are
 * recorded.
 */

static bool event_is_from_unseen(const struct selfcheck *s, const struct selfcheck_thread *t,
				 const struct event *e)
{
	const uint32_t *sites;
	uint32_t depth = trace_stack(s->trace, e->stack, &sites), from;

	if (depth < t->unseen_depth)
		return false;
	from = depth == t->unseen_depth ? e->site : sites[depth - 1 - t->unseen_depth];
	return from == 0 || from == t->unseen_site;
}

static void unseen_event(struct selfcheck *s, const struct event *e)
{
	struct selfcheck_thread *t = thread_get(s, e->tid);
	uint64_t last = e->tseq + (e->flags & EVENT_RANGE ? e->nrefs : 1) - 1;
	const uint32_t *sites;

	if (e->flags & EVENT_REREAD)
		return; /* the recorder's: its stack is not where it happened */
	/* Nested: else it had a number that its thread has not used yet. */
	if (s->binary && e->op == EVENT_OPAQUE && e->tseq <= t->last) {
		s->ran[SELFCHECK_HANDLER] = s->ran[SELFCHECK_STRANGER] = true;
		s->memory.opaque++;
		return;
	}
	if (last > t->last)
		t->last = last;
	if (t->unseen && !event_is_from_unseen(s, t, e)) {
		t->unseen = false;
		s->nunseen--;
		s->memory.opaque++;
	}
	if (e->op == EVENT_OPAQUE && e->site == 0 && s->binary)
		s->ran[SELFCHECK_STRANGER] = true;
	if (e->op == EVENT_OPAQUE && !t->unseen) {
		t->unseen = true;
		t->unseen_site = e->site;
		t->unseen_depth = trace_stack(s->trace, e->stack, &sites);
		s->nunseen++;
		s->memory.opaque++;
	}
}

static void doubts_settle(struct selfcheck *s)
{
	for (int kind = 0; kind < SELFCHECK_DOUBTS; kind++) {
		const struct selfcheck_result *d = &s->doubts[kind];

		if (!d->contradiction || s->ran[kind] ||
		    (s->out->contradiction && s->out->pos <= d->pos))
			continue;
		s->out->contradiction = true;
		s->out->pos = d->pos;
		memcpy(s->out->what, d->what, sizeof(s->out->what));
	}
}

/*
 * Synchronisation objects on paper.  An object at an address whose trace_object_id has changed is a new one:
 * memory was reused without a word about the old object, as it may be.
 */

static void object_reset(struct selfcheck_object *o)
{
	uint64_t id = o->id;

	VEC_RELEASE(&o->readers);
	memset(o, 0, sizeof(*o));
	o->id = id;
}

static struct selfcheck_object *object_get(struct selfcheck *s, uint64_t addr, uint32_t *index_out)
{
	bool fresh;
	uint64_t *index = map_put(&s->sync.at, addr, &fresh);
	uint64_t id = trace_object_id(s->trace, addr);
	struct selfcheck_object *o;

	if (fresh) {
		*index = s->sync.objects.n;
		VEC_REACH(&s->sync.objects, *index);
	}
	*index_out = (uint32_t)*index;
	o = &s->sync.objects.at[*index];
	if (o->id != id) {
		object_reset(o);
		o->id = id;
	}
	return o;
}

static struct selfcheck_reader *reader_get(struct selfcheck_object *o, uint32_t tid)
{
	for (size_t i = 0; i < o->readers.n; i++)
		if (o->readers.at[i].tid == tid)
			return &o->readers.at[i];
	*VEC_PUSH(&o->readers) = (struct selfcheck_reader){ tid, 0 };
	return &o->readers.at[o->readers.n - 1];
}

static void lock_acquire(struct selfcheck *s, const struct event *e, struct selfcheck_object *o)
{
	/* Nothing orders this after the owner's last event: do not ask whether it has ended. */
	if (e->flags & EVENT_DEAD_OWNER)
		o->owner = o->depth = 0;
	if (o->owner != 0 && o->owner != e->tid)
		selfcheck_fail(s, "%s holds the lock", name(s, o->owner));
	if (o->owner == e->tid && s->binary && !(e->flags & EVENT_RECURSIVE))
		selfcheck_fail(s, "the thread holds the lock already");
	if (o->nreaders != 0)
		selfcheck_fail(s, "the lock is held for reading");
	o->owner = e->tid;
	o->depth++;
}

static void lock_release(struct selfcheck *s, const struct event *e, struct selfcheck_object *o)
{
	if (o->owner != e->tid) {
		selfcheck_fail(s, "the thread does not hold the lock");
		return;
	}
	if (--o->depth == 0)
		o->owner = 0;
}

static void lock_event(struct selfcheck *s, const struct event *e, struct selfcheck_object *o)
{
	struct selfcheck_reader *r;

	switch (e->op) {
	case EVENT_ACQ:
		lock_acquire(s, e, o);
		break;
	case EVENT_REL:
		lock_release(s, e, o);
		break;
	case EVENT_RACQ:
		if (o->owner != 0)
			selfcheck_fail(s, "%s holds the lock for writing", name(s, o->owner));
		reader_get(o, e->tid)->count++;
		o->nreaders++;
		break;
	case EVENT_RREL:
		r = reader_get(o, e->tid);
		if (r->count == 0) {
			selfcheck_fail(s, "the thread does not hold the lock for reading");
			break;
		}
		r->count--;
		o->nreaders--;
		break;
	case EVENT_TRYFAIL: /* its winner may have the lock and not have logged it yet */
	case EVENT_REQ:	    /* who had it may have given it up since */
	case EVENT_RREQ:
		break;
	default: /* made or destroyed */
		object_reset(o);
		break;
	}
}

static void barrier_event(struct selfcheck *s, const struct event *e, struct selfcheck_object *o,
			  uint32_t index)
{
	uint64_t key = (uint64_t)index << 32 | (uint32_t)e->arg, *n;

	if (!o->known)
		return;
	n = map_put(&s->sync.barriers, key, NULL);
	if (e->op == EVENT_BAR_IN) {
		*n += (uint64_t)1 << 32;
		return;
	}
	if (*n >> 32 < o->value)
		selfcheck_fail(s, "generation %llu of the barrier has %llu of %llu threads",
			       (unsigned long long)e->arg, (unsigned long long)(*n >> 32),
			       (unsigned long long)o->value);
	if ((uint32_t)++ * n >= o->value)
		map_remove(&s->sync.barriers, key);
}

static void semaphore_event(struct selfcheck *s, const struct event *e, struct selfcheck_object *o)
{
	if (e->op == EVENT_SEM_POST) {
		o->value++;
	} else if (e->op == EVENT_SEM_WAIT && o->known) {
		if (o->value == 0)
			selfcheck_doubt(s, SELFCHECK_HANDLER, "the semaphore is at zero");
		else
			o->value--;
	}
}

static void sync_event(struct selfcheck *s, const struct event *e)
{
	enum event_object kind = event_op_object(e->op);
	struct selfcheck_object *o;
	uint32_t index;

	if (kind != EVENT_OBJECT_LOCK && kind != EVENT_OBJECT_BARRIER &&
	    kind != EVENT_OBJECT_SEMAPHORE && kind != EVENT_OBJECT_ONCE)
		return;
	o = object_get(s, e->addr, &index);
	if (kind == EVENT_OBJECT_LOCK) {
		lock_event(s, e, o);
	} else if (e->op == EVENT_BAR_INIT || e->op == EVENT_SEM_INIT) {
		object_reset(o);
		o->known = true;
		o->value = e->arg;
	} else if (e->op == EVENT_BAR_IN || e->op == EVENT_BAR_OUT) {
		barrier_event(s, e, o, index);
	} else if (kind == EVENT_OBJECT_SEMAPHORE) {
		semaphore_event(s, e, o);
	} else if (e->op == EVENT_ONCE_END) {
		o->done = true;
	} else if (e->op == EVENT_ONCE_PASS && !o->done) {
		selfcheck_fail(s, "the routine has not been run to its end");
	}
}

enum status selfcheck_run(struct trace *t, struct selfcheck_result *out, struct diag *d)
{
	static const char impossible[] = "contradiction: ";
	struct trace_info info = trace_info(t);
	struct selfcheck s = { .trace = t,
			       .out = out,
			       .binary = info.form == TRACE_BINARY,
			       .late = info.late,
			       .memory.lenient = info.partial };
	struct event e;
	enum status st = ST_OK;

	memset(out, 0, sizeof(*out));
	while (!out->contradiction && (st = trace_next(t, &e, d)) == ST_OK) {
		s.e = &e;
		out->events++;
		thread_event(&s, &e);
		unseen_event(&s, &e);
		sync_event(&s, &e);
		selfcheck_memory_event(&s, &e);
	}
	if (st == ST_BAD_INPUT && strncmp(d->message, impossible, sizeof(impossible) - 1) == 0) {
		out->contradiction = true;
		snprintf(out->what, sizeof(out->what), "%.390s",
			 d->message + sizeof(impossible) - 1);
		diag_clear(d);
		st = ST_END;
	}
	doubts_settle(&s);
	selfcheck_memory_release(&s.memory);
	for (size_t i = 0; i < s.sync.objects.n; i++)
		VEC_RELEASE(&s.sync.objects.at[i].readers);
	VEC_RELEASE_ALL(&s.sync.objects, &s.threads);
	MAP_RELEASE_ALL(&s.sync.at, &s.sync.barriers);
	return st == ST_END ? ST_OK : st;
}
