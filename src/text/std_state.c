/*
 * Well-formedness of a text trace, as a set of small automata.
 *
 *	thread   new -> forked -> running -> joined;  new -> running too, for
 *	         a thread that no fork names runs from the start
 *	lock     free, held by one writer to some depth, or by readers each to
 *	         some depth; a reader may not become a writer
 *	block    begin and end count depth within a thread
 */
#include "text/std_state.h"

#include "text/std_history.h"
#include "text/std_names.h"

struct thread {
	uint64_t tseq;	   /* events so far */
	uint32_t fork_tid; /* 0: not forked */
	uint64_t fork_tseq;
	uint32_t joined_by; /* 0: not joined */
	uint64_t end_tseq;  /* of its THREAD_END, 0 none */
	uint32_t blocks;
	uint32_t calls, stayed; /* open; of them, since before the event at hand */
	struct std_history reads;
};

struct lock {
	uint32_t writer, depth; /* who writes, and how deep */
	uint32_t readers;	/* how many threads hold it for reading */
};

struct std_state {
	const struct std_names *names;
	bool named;		    /* later events may name earlier reads */
	VEC(struct thread) threads; /* [tid] */
	struct map lock_index;	    /* address -> index into locks */
	VEC(struct lock) locks;
	struct map reader_depth; /* index << 32 | tid -> depth */
	struct std_history signals;
	struct map signal_tid; /* number -> tid, as long as signals holds it */
};

struct std_state *std_state_new(const struct std_names *names, bool named)
{
	struct std_state *s = mem_zalloc(sizeof(*s));

	s->names = names;
	s->named = named;
	return s;
}

void std_state_free(struct std_state *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->threads.n; i++)
		std_history_release(&s->threads.at[i].reads);
	VEC_RELEASE_ALL(&s->threads, &s->locks);
	MAP_RELEASE_ALL(&s->lock_index, &s->reader_depth, &s->signal_tid);
	std_history_release(&s->signals);
	mem_free(s);
}

static struct thread *thread(struct std_state *s, uint32_t tid)
{
	while (s->threads.n <= tid)
		*VEC_PUSH(&s->threads) = (struct thread){ 0 };
	return &s->threads.at[tid];
}

static uint64_t lock_find(struct std_state *s, uint64_t addr)
{
	bool fresh;
	uint64_t *index = map_put(&s->lock_index, addr, &fresh);

	if (fresh) {
		*index = s->locks.n;
		*VEC_PUSH(&s->locks) = (struct lock){ 0 };
	}
	return *index;
}

/* A new lock may lie where an old one was. */
static void lock_forget(struct std_state *s, uint64_t addr)
{
	uint64_t index = lock_find(s, addr);

	s->locks.at[index].writer = 0;
	s->locks.at[index].depth = 0;
}

static const char *name(const struct std_state *s, uint32_t tid)
{
	return std_thread_name(s->names, tid);
}

struct why {
	char *at;
	size_t size;
};

__attribute__((format(printf, 2, 3))) static bool refuse(const struct why *w, const char *format,
							 ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(w->at, w->size, format, ap);
	va_end(ap);
	return false;
}

static bool acquire(struct std_state *s, struct event *e, const struct why *w)
{
	uint64_t index = lock_find(s, e->addr);
	struct lock *l = &s->locks.at[index];

	if (e->flags & EVENT_DEAD_OWNER)
		lock_forget(s, e->addr);
	if (l->writer != 0 && l->writer != e->tid)
		return refuse(w, "acquire of a lock that thread '%.60s' holds", name(s, l->writer));
	if (l->readers != 0)
		return refuse(w, "acquire of a lock that is held for reading");
	if (l->depth > 0)
		e->flags |= EVENT_RECURSIVE;
	l->writer = e->tid;
	l->depth++;
	return true;
}

static bool release(struct std_state *s, struct event *e, const struct why *w)
{
	uint64_t index = lock_find(s, e->addr);
	struct lock *l = &s->locks.at[index];

	if (l->writer == 0)
		return refuse(w, "release of a lock that nobody holds");
	if (l->writer != e->tid)
		return refuse(w, "release of a lock that thread '%.60s' holds", name(s, l->writer));
	l->depth--;
	if (l->depth > 0)
		e->flags |= EVENT_RECURSIVE;
	else
		l->writer = 0;
	return true;
}

static bool read_acquire(struct std_state *s, struct event *e, const struct why *w)
{
	uint64_t index = lock_find(s, e->addr);
	struct lock *l = &s->locks.at[index];
	uint64_t *depth;

	if (l->writer != 0)
		return refuse(w, "read acquire of a lock that thread '%.60s' holds",
			      name(s, l->writer));
	depth = map_put(&s->reader_depth, index << 32 | e->tid, NULL);
	if (*depth == 0)
		l->readers++;
	else
		e->flags |= EVENT_RECURSIVE;
	++*depth;
	return true;
}

static bool read_release(struct std_state *s, struct event *e, const struct why *w)
{
	uint64_t index = lock_find(s, e->addr);
	uint64_t *depth = map_get(&s->reader_depth, index << 32 | e->tid);

	if (!depth)
		return refuse(w,
			      "read release of a lock that this thread does not hold for reading");
	if (--*depth > 0) {
		e->flags |= EVENT_RECURSIVE;
		return true;
	}
	map_remove(&s->reader_depth, index << 32 | e->tid);
	s->locks.at[index].readers--;
	return true;
}

static bool fork_thread(struct std_state *s, struct event *e, const struct why *w)
{
	struct thread *child = thread(s, e->peer);

	if (e->peer == e->tid)
		return refuse(w, "thread '%.60s' forks itself", name(s, e->tid));
	if (child->fork_tid != 0)
		return refuse(w, "thread '%.60s' was forked before, by '%.60s'", name(s, e->peer),
			      name(s, child->fork_tid));
	if (child->tseq != 0)
		return refuse(w, "thread '%.60s' has run before this fork", name(s, e->peer));
	if (child->joined_by != 0)
		return refuse(w, "thread '%.60s' was joined before this fork", name(s, e->peer));
	child->fork_tid = e->tid;
	child->fork_tseq = thread(s, e->tid)->tseq + 1;
	return true;
}

static bool fork_failed(struct std_state *s, struct event *e, const struct why *w)
{
	struct thread *child = thread(s, e->peer);

	if (child->fork_tid != e->tid || child->tseq != 0)
		return refuse(w, "no fork of thread '%.60s' that could have failed",
			      name(s, e->peer));
	child->fork_tid = 0;
	return true;
}

static bool join(struct std_state *s, struct event *e, const struct why *w)
{
	struct thread *child = thread(s, e->peer);

	if (e->peer == e->tid)
		return refuse(w, "thread '%.60s' joins itself", name(s, e->tid));
	if (child->joined_by != 0)
		return refuse(w, "thread '%.60s' was joined before, by '%.60s'", name(s, e->peer),
			      name(s, child->joined_by));
	if (child->fork_tid == 0 && child->tseq == 0)
		return refuse(w, "join of thread '%.60s', which was never forked and has no events",
			      name(s, e->peer));
	child->joined_by = e->tid;
	e->peer_tseq = child->end_tseq;
	return true;
}

static bool block_end(struct std_state *s, struct event *e, const struct why *w)
{
	struct thread *t = thread(s, e->tid);

	if (t->blocks == 0)
		return refuse(w, "end without begin");
	t->blocks--;
	return true;
}

/* Calls: an enter is the first event inside, a leave the last one. */
static bool call(struct thread *t, struct event *e, const struct why *w)
{
	if (e->op == EVENT_LEAVE && t->calls == 0)
		return refuse(w, "leave without enter");
	e->stayed = t->stayed;
	t->calls += e->op == EVENT_ENTER;
	e->depth = t->stayed = t->calls;
	if (e->op == EVENT_LEAVE)
		t->stayed = --t->calls;
	return true;
}

static bool allowed(struct std_state *s, struct event *e, const struct why *w)
{
	struct thread *t = thread(s, e->tid);

	if (t->joined_by != 0)
		return refuse(w, "event of thread '%.60s' after thread '%.60s' joined it",
			      name(s, e->tid), name(s, t->joined_by));
	switch (e->op) {
	case EVENT_ACQ:
		return acquire(s, e, w);
	case EVENT_REL:
		return release(s, e, w);
	case EVENT_RACQ:
		return read_acquire(s, e, w);
	case EVENT_RREL:
		return read_release(s, e, w);
	case EVENT_LOCK_INIT:
	case EVENT_LOCK_DESTROY:
		lock_forget(s, e->addr);
		return true;
	case EVENT_FORK:
		return fork_thread(s, e, w);
	case EVENT_FORK_FAIL:
		return fork_failed(s, e, w);
	case EVENT_JOIN:
		return join(s, e, w);
	case EVENT_JOINING:
	case EVENT_JOIN_FAIL:
		return e->peer != e->tid ||
		       refuse(w, "thread '%.60s' joins itself", name(s, e->tid));
	case EVENT_THREAD_BEGIN:
		e->peer = t->fork_tid;
		e->peer_tseq = t->fork_tseq;
		return true;
	case EVENT_THREAD_END:
		t->end_tseq = t->tseq + 1;
		return true;
	case EVENT_BEGIN:
		t->blocks++;
		return true;
	case EVENT_END:
		return block_end(s, e, w);
	default:
		return true;
	}
}

static void signal_add(struct std_state *s, const struct event *e, uint64_t number)
{
	if (s->signals.past.n == 2 * STD_HISTORY)
		for (size_t i = 0; i < STD_HISTORY; i++)
			map_remove(&s->signal_tid, s->signals.past.at[i].pos);
	std_history_add(&s->signals, number, e->tseq, 1);
	*map_put(&s->signal_tid, number, NULL) = e->tid;
}

bool std_state_take(struct std_state *s, struct event *e, uint64_t number, char *why, size_t size)
{
	struct why w = { why, size };
	struct thread *t;

	assert(e->tid != 0);
	if (!allowed(s, e, &w) || !call(thread(s, e->tid), e, &w))
		return false;
	t = thread(s, e->tid);
	e->tseq = ++t->tseq;
	if (s->named && (e->op == EVENT_READ || e->op == EVENT_RMW))
		std_history_add(&t->reads, number, e->tseq, 1);
	else if (e->op == EVENT_SIGNAL || e->op == EVENT_BROADCAST)
		signal_add(s, e, number);
	return true;
}

bool std_state_read(const struct std_state *s, uint32_t tid, uint64_t number, uint64_t *tseq)
{
	return tid < s->threads.n && std_history_tseq(&s->threads.at[tid].reads, number, tseq);
}

bool std_state_signal(const struct std_state *s, uint64_t number, uint32_t *tid, uint64_t *tseq)
{
	const uint64_t *who = map_get(&s->signal_tid, number);

	if (!who || !std_history_tseq(&s->signals, number, tseq))
		return false;
	*tid = (uint32_t)*who;
	return true;
}

uint64_t std_state_next(const struct std_state *s, uint32_t tid)
{
	return tid < s->threads.n ? s->threads.at[tid].tseq + 1 : 1;
}
