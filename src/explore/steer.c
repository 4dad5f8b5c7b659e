#include "explore/steer.h"

#include "trace/trace.h"

/* ---- which step an event belongs to ---- */

static bool touches(const struct baton_op *op, const struct event *e)
{
	return op->object < e->addr + e->len && e->addr < op->object + op->size;
}

static bool is_access(const struct baton_op *op, const struct event *e)
{
	switch (e->op) {
	case EVENT_READ:
		return op->kind == BATON_READ || op->kind == BATON_UPDATE;
	case EVENT_WRITE:
	case EVENT_FREE:
		return op->kind == BATON_WRITE || op->kind == BATON_UPDATE;
	default:
		return op->kind == BATON_UPDATE;
	}
}

/* A condition wait gives the mutex back, and takes it again when it is woken. */
static bool is_lock(const struct baton_op *op, const struct event *e)
{
	bool waits = e->flags & EVENT_IN_WAIT;

	switch (e->op) {
	case EVENT_ACQ:
	case EVENT_RACQ:
	case EVENT_TRYFAIL:
		return waits ? op->kind == BATON_WAKE && op->second == e->addr
			     : op->kind >= BATON_LOCK && op->kind <= BATON_TRY_READ_LOCK &&
				       op->object == e->addr;
	default:
		return waits ? op->kind == BATON_WAIT && op->second == e->addr
			     : (op->kind == BATON_UNLOCK || op->kind == BATON_READ_UNLOCK) &&
				       op->object == e->addr;
	}
}

static enum baton_kind kind_of(const struct event *e)
{
	switch (e->op) {
	case EVENT_SIGNAL:
		return BATON_SIGNAL;
	case EVENT_BROADCAST:
		return BATON_BROADCAST;
	case EVENT_BAR_IN:
		return BATON_BARRIER_IN;
	case EVENT_BAR_OUT:
		return BATON_BARRIER_OUT;
	case EVENT_SEM_POST:
		return BATON_SEM_POST;
	case EVENT_SEM_WAIT:
		return BATON_SEM_WAIT;
	case EVENT_ONCE_BEGIN:
	case EVENT_ONCE_PASS:
		return BATON_ONCE;
	case EVENT_LOCK_INIT:
	case EVENT_LOCK_DESTROY:
	case EVENT_SEM_INIT:
	case EVENT_BAR_INIT:
		return BATON_OBJECT;
	default:
		return BATON_NONE;
	}
}

static bool is_same(const struct baton_op *op, const struct event *e)
{
	if (op->site != e->site)
		return false;
	switch (e->op) {
	case EVENT_READ:
	case EVENT_WRITE:
	case EVENT_RMW:
	case EVENT_FREE:
		return !(e->flags & EVENT_PART) && BATON_IS_ACCESS(op->kind) && touches(op, e) &&
		       is_access(op, e);
	case EVENT_ACQ:
	case EVENT_RACQ:
	case EVENT_TRYFAIL:
	case EVENT_REL:
	case EVENT_RREL:
		return is_lock(op, e);
	case EVENT_JOIN:
		return op->kind == BATON_JOIN && op->second + 1 == e->peer;
	case EVENT_SEM_FAIL:
		return op->kind == BATON_SEM_TRY && op->object == e->addr;
	default:
		return op->kind != BATON_NONE && op->object == e->addr &&
		       (op->kind == kind_of(e) ||
			(op->kind == BATON_SEM_TRY && e->op == EVENT_SEM_WAIT));
	}
}

/* May there be no event of it? */
static bool may_be_silent(const struct baton_op *op)
{
	switch (op->kind) {
	case BATON_UPDATE:
	case BATON_WAKE:
	case BATON_SIGNAL:
		return op->flags & BATON_KERNEL;
	case BATON_READ: /* the same was read before */
	case BATON_END:
	case BATON_YIELD:
	case BATON_CHOOSE:
	case BATON_OBJECT:
	case BATON_EVENT:
	case BATON_OUTPUT:
	case BATON_TAKE:
	case BATON_GIVE:
	case BATON_KILL:
	case BATON_SIGNAL_IN:
	case BATON_SIGNAL_WAIT:
	case BATON_EXIT:
		return true;
	default:
		return false;
	}
}

struct matching {
	struct steer *steer;
	VEC(uint32_t) made[BATON_THREADS]; /* by each thread: numbers of those that it has made, */
	uint32_t nmade[BATON_THREADS];	   /* so many of them up to here */
	uint32_t next[BATON_THREADS];	   /* of each thread, the step that has no event yet */
	uint32_t count[BATON_THREADS];	   /* events that it had */
};

/* How many threads there are at least, and at most, as far as the thread itself tells: events of others
 * may stand elsewhere in the trace. */
static uint32_t fewest(const struct matching *m, uint32_t thread)
{
	uint32_t n = m->nmade[thread];

	return n > 0 ? m->made[thread].at[n - 1] : thread + 1;
}

static uint32_t most(const struct matching *m, uint32_t thread)
{
	uint32_t n = m->nmade[thread];

	return n < m->made[thread].n ? m->made[thread].at[n] - 1 : BATON_THREADS;
}

static uint32_t step_of(struct matching *m, const struct event *e)
{
	const struct steer *s = m->steer;
	uint32_t thread = e->tid - 1, low = fewest(m, thread), high = most(m, thread);

	for (uint32_t k = m->next[thread]; k < s->by_thread[thread].n; k++) {
		uint32_t i = s->by_thread[thread].at[k];
		const struct baton_step *step = &s->steps.at[i];

		if (step->nthreads > high)
			return 0;
		if (step->nthreads >= low && is_same(&step->op, e)) {
			m->next[thread] = k + 1;
			return i + 1;
		}
		if (step->nthreads >= low && !may_be_silent(&step->op))
			return 0;
	}
	return 0;
}

/* Does it come to be by what others do, or is it where the finding ends? */
static bool waits(const struct event *e)
{
	return (e->op == EVENT_ACQ || e->op == EVENT_RACQ || e->op == EVENT_JOIN ||
		e->op == EVENT_REQ || e->op == EVENT_RREQ || e->op == EVENT_JOINING ||
		e->op == EVENT_SEM_WAIT) &&
	       !(e->flags & EVENT_TRY);
}

static void take_event(struct matching *m, const struct event *e)
{
	struct steer_event *at;

	VEC_REACH(&m->steer->events, e->pos);
	at = &m->steer->events.at[e->pos];
	if (e->tid == 0 || e->tid > BATON_THREADS)
		return;
	*at = (struct steer_event){ .tid = e->tid,
				    .index = m->count[e->tid - 1]++,
				    .step = step_of(m, e),
				    .waits = waits(e) };
	if (e->op == EVENT_FORK)
		m->nmade[e->tid - 1]++;
}

static void take_fork(struct matching *m, const struct event *e)
{
	if (e->op == EVENT_FORK && e->tid > 0 && e->tid <= BATON_THREADS)
		*VEC_PUSH(&m->made[e->tid - 1]) = e->peer;
}

static enum status read_events(struct matching *m, const char *path,
			       void (*take)(struct matching *m, const struct event *e),
			       struct diag *d)
{
	struct trace *t;
	struct event e;
	enum status st = trace_open(path, &(struct trace_options){ 0 }, &t, d);

	if (st != ST_OK)
		return st;
	while ((st = trace_next(t, &e, d)) == ST_OK)
		take(m, &e);
	trace_close(t);
	return st == ST_END ? ST_OK : st;
}

static void take_steps(struct steer *s, const struct explore_runner *r)
{
	VEC_APPEND(&s->steps, explore_steps(r), r->head->nsteps);
	for (uint32_t i = 0; i < s->steps.n; i++) {
		uint32_t thread = s->steps.at[i].choice.thread % BATON_THREADS;

		*VEC_PUSH(&s->nth) = (uint32_t)s->by_thread[thread].n;
		*VEC_PUSH(&s->by_thread[thread]) = i;
	}
}

enum status steer_init(struct steer *s, const struct explore_runner *r, const char *trace,
		       struct diag *d)
{
	struct matching m = { .steer = s };
	enum status st;

	*s = (struct steer){ 0 };
	take_steps(s, r);
	st = read_events(&m, trace, take_fork, d);
	if (st == ST_OK)
		st = read_events(&m, trace, take_event, d);
	for (uint32_t t = 0; t < BATON_THREADS; t++)
		VEC_RELEASE(&m.made[t]);
	return st;
}

void steer_release(struct steer *s)
{
	for (uint32_t t = 0; t < BATON_THREADS; t++)
		VEC_RELEASE(&s->by_thread[t]);
	VEC_RELEASE_ALL(&s->steps, &s->nth, &s->events);
}

/* ---- along a schedule ---- */

struct steering {
	const struct steer *steer;
	const struct finding *finding;
	struct steer_course *out;
	uint32_t done[BATON_THREADS]; /* steps of each thread */
};

/* The step of the event, and those of its thread that come before. */
static void go_to(struct steering *x, uint64_t pos)
{
	const struct steer *s = x->steer;
	const struct steer_event *e = pos < s->events.n ? &s->events.at[pos] : NULL;
	uint32_t thread;

	if (e == NULL || e->step == 0)
		return;
	thread = e->tid - 1;
	if (x->done[thread] > s->nth.at[e->step - 1])
		return; /* it is done */
	while (x->done[thread] <= s->nth.at[e->step - 1])
		*VEC_PUSH(&x->out->at) =
			s->steps.at[s->by_thread[thread].at[x->done[thread]++]].choice;
	for (uint32_t i = 0; i < x->finding->nevents; i++)
		if (x->finding->events[i] == pos)
			x->out->targets[i] = (uint32_t)x->out->at.n;
}

/* What is next at the end: two accesses are done, a wait is begun; who is to hang does so by itself. */
static void go_into(struct steering *x)
{
	const struct finding *f = x->finding;

	for (uint32_t i = 0; i < f->nevents; i++)
		if (f->events[i] < x->steer->events.n && !x->steer->events.at[f->events[i]].waits)
			go_to(x, f->events[i]);
}

bool steer_along(const struct steer *s, const struct finding *f, struct steer_course *out)
{
	struct steering x = { .steer = s, .finding = f, .out = out };

	if (!finding_is_forcible(f) || finding_is_property(f))
		return false;
	for (uint64_t pos = 1; pos < s->events.n; pos++) {
		const struct steer_event *e = &s->events.at[pos];

		if (e->tid != 0 && e->index < schedule_count(&f->schedule, e->tid))
			go_to(&x, pos);
	}
	for (size_t i = 0; i < f->schedule.tail.n; i++)
		go_to(&x, f->schedule.tail.at[i]);
	go_into(&x);
	return out->at.n > 0;
}
