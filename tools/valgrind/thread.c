/*
 * Threads: by the number that the trace has for them, and by the number that Valgrind has, which it
 * uses again.
 */
#include "instrument.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"

#define THREADS (1u << 16)
#define MAIN_STACK (8u << 20) /* at least */
#define PAGE 4096u

struct thread *self;

static struct thread *all[THREADS];
static uint32_t count;
static struct thread *running; /* self, as the core has told */
static struct thread **bound;  /* [ThreadId] */

struct thread *thread_get(uint32_t tid)
{
	return all[tid];
}

uint32_t thread_count(void)
{
	return count;
}

struct thread *thread_new(void)
{
	struct thread *t;

	if (count + 1 == THREADS)
		return NULL;
	t = VG_(calloc)("foresee.thread", 1, sizeof(*t));
	t->tid = ++count;
	all[count] = t;
	access_begin(t);
	return t;
}

struct thread *thread_of(ThreadId v)
{
	return v < VG_N_THREADS ? bound[v] : NULL;
}

void thread_bind(ThreadId v, struct thread *t)
{
	bound[v] = t;
}

Addr thread_sp(void)
{
	return VG_(get_SP)(VG_(get_running_tid)());
}

/* Marks the pieces of memory that are t's own. */
static void own_mark(const struct thread *t)
{
	for (Addr a = t->low >> SHADOW_BITS; t->low < t->high && a <= (t->high - 1) >> SHADOW_BITS;
	     a++) {
		struct shadow *s = shadow_of(a << SHADOW_BITS);

		s->owner = s->owner == 0 || s->owner == t->tid ? t->tid : SHADOW_MANY;
	}
}

/* What lies there before another thread's floor is nobody's any more. */
static void own_unmark(const struct thread *t)
{
	for (Addr a = t->low >> SHADOW_BITS; t->low < t->high && a <= (t->high - 1) >> SHADOW_BITS;
	     a++) {
		struct shadow *s = shadow_of(a << SHADOW_BITS);

		if (s->owner == t->tid)
			s->owner = s->shared != 0 ? SHADOW_MANY : 0;
	}
}

/* The stack of the thread that runs, if the C library has mapped it for it. */
static void stack_find(struct thread *t)
{
	Addr sp = thread_sp();
	const NSegment *s = VG_(am_find_nsegment)(sp);

	if (t->tid == 1) {
		Addr top = VG_(thread_get_stack_max)(1);
		SizeT size = VG_(thread_get_stack_size)(1);

		t->high = VG_PGROUNDUP(top);
		t->low = t->high - (size > MAIN_STACK ? size : MAIN_STACK);
	} else if (s != NULL && s->kind == SkAnonC && !s->isCH && t->handle > sp &&
		   t->handle <= s->end) {
		t->low = s->start;
		t->high = VG_PGROUNDUP(t->handle + TCB);
		if (t->high > s->end + 1)
			t->high = s->end + 1;
	}
	t->floor = t->high;
	if (t->tid > 1 && t->handle != 0)
		shadow_object(t->handle, TCB);
	own_mark(t);
}

/* The thread that had this stack before, whose END comes first. */
static const struct thread *stack_before(const struct thread *t)
{
	for (uint32_t i = t->tid; t->high != 0 && --i > 0;)
		if (all[i]->ended && all[i]->low == t->low && all[i]->end != 0)
			return all[i];
	return NULL;
}

void thread_begin(struct thread *t, const struct thread *parent, uint64_t fork)
{
	const struct thread *before;
	uint8_t stack[32], *p;

	stack_find(t);
	before = stack_before(t);
	log_open(t);
	t->begun = True;
	if (!recording)
		return;
	p = put_varint(record_begin(t, 128), parent != NULL ? parent->tid : 0);
	p = put_varint(p, fork);
	p = put_varint(put_varint(p, t->low), t->high);
	p = put_varint(put_varint(p, before != NULL ? before->tid : 0),
		       before != NULL ? before->end : 0);
	record_end(t, FORMAT_K_BEGIN, 0, p, 1);
	p = put_varint(put_varint(stack, t->low), t->high - t->low);
	p = put_varint(p, FORMAT_ROOT_SEEN);
	VG_(memcpy)(record_begin(t, 64), stack, (SizeT)(p - stack));
	record_end(t, FORMAT_K_NAME, FORMAT_NAME_STACK, t->cursor + 4 + (p - stack), 0);
}

void thread_end(struct thread *t, unsigned how)
{
	if (t->ended || !t->begun)
		return;
	if (recording) {
		if (t->cleared != 0) { /* the kernel does that, when nobody looks any more */
			struct access a = { .what = FORMAT_WRITE | 2u << FORMAT_SIZE_SHIFT,
					    .addr = t->cleared };

			access_replace(a.addr);
			a.first = *version_at(a.addr);
			record_access(t, &a);
			*version_at(a.addr) = (version)t->tid << FORMAT_TSEQ_BITS | t->tseq;
		}
		access_sync(t);
		/* Others that the process ends with might have gone on: their logs stay open. */
		if (how != FORMAT_END_PROCESS || t->tid == 1) {
			heap_over(t); /* so will be what it does behind its END */
			record_end(t, FORMAT_K_END, how, record_begin(t, 64), 1);
			t->end = t->tseq;
			log_close(t, FORMAT_CHUNK_LAST);
		}
	}
	t->ended = True;
	own_unmark(t);
	VG_(free)(t->pending);
	t->pending = NULL;
	t->npending = t->roompending = 0;
	if (t == self)
		stack_switch();
}

/* ---- what the core tells ---- */

static void on_create(ThreadId parent, ThreadId child)
{
	struct thread *p = thread_of(parent), *t;

	if (child == 1) /* the first thread of all, bound at the start */
		return;
	thread_bind(child, NULL);
	if (p == NULL || p->child != NULL ||
	    !recording) /* by pthread_create: it says when it begins */
		return;
	/* By other means: it begins with its first instruction. */
	t = thread_new();
	if (t == NULL) {
		log_trouble("more threads than can be told apart");
		return;
	}
	accesses_begin();
	record_thread(p, site_caller(p), FORMAT_K_FORK, 0, t->tid, 0, 1);
	t->end = p->tseq;
	t->handle = p->tid;
	t->cleared = p->child_cleared;
	thread_bind(child, t);
}

static void on_first(ThreadId v)
{
	struct thread *t = thread_of(v);

	if (t != NULL && !t->begun && recording && t->tid != 1) {
		struct thread *parent = thread_get((uint32_t)t->handle);
		uint64_t fork = t->end;

		t->end = 0;
		t->handle = 0;
		self = t;
		thread_begin(t, parent, fork);
	}
}

static void on_exit(ThreadId v)
{
	struct thread *t = thread_of(v);

	/* One that pthread_create made has told its end before, unless it is killed with the process. */
	if (t != NULL && t->tid != 1)
		thread_end(t, t->parent != NULL ? FORMAT_END_PROCESS : FORMAT_END_RETURN);
	thread_bind(v, NULL);
}

static void on_run(ThreadId v, ULong blocks)
{
	struct thread *t = thread_of(v);

	(void)blocks;
	if (t == running && t != NULL && self == t)
		return;
	if (running != NULL)
		running->flags_fed = flags_fed;
	flags_fed = t != NULL ? t->flags_fed : 0;
	self = running = t;
	if (t != NULL && !t->begun && t->tid == 1)
		thread_begin(t, NULL, 0);
	stack_switch();
}

void threads_start(void)
{
	bound = VG_(calloc)("foresee.bound", VG_N_THREADS + 1, sizeof(*bound));
	VG_(track_pre_thread_ll_create)(on_create);
	VG_(track_pre_thread_first_insn)(on_first);
	VG_(track_pre_thread_ll_exit)(on_exit);
	VG_(track_start_client_code)(on_run);
	stack_switch();
}

/* The process ends with threads running. */
void threads_finish(void)
{
	for (uint32_t i = 1; i <= count; i++)
		thread_end(all[i], FORMAT_END_PROCESS);
}
